/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of texts by open addressing. Numbers are given in the order in which texts come, so that nothing depends on
 * the order of hashes.
 *
 * Invariants: no two numbers have the same text; at most half of the slots are taken.
 */
#include <workloads/replay/texts.h>

#include <base/check.h>
#include <base/hash.h>
#include <base/vector.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 1024

static uint32_t mark_of(uint64_t hash) { return (uint32_t)(hash >> 32); }

static bool is_same(const struct texts *texts, uint32_t number, uint64_t hash, const char *text,
                    size_t length) {
    const struct text_place *place = &texts->places[number - 1];
    return place->hash == mark_of(hash) && place->length == length &&
           memcmp(texts->bytes + place->begin, text, length) == 0;
}

/* Where the text is, or the free slot where it would be. */
static size_t find_slot(const struct texts *texts, uint64_t hash, const char *text, size_t length) {
    size_t slot = hash & (texts->slot_count - 1);
    while (texts->slots[slot] && !is_same(texts, texts->slots[slot], hash, text, length))
        slot = (slot + 1) & (texts->slot_count - 1);
    return slot;
}

static bool slots_grow(struct texts *texts) {
    size_t count = texts->slot_count ? 2 * texts->slot_count : SLOTS_FIRST;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots) return false;
    for (uint32_t i = 0; i < texts->count; i++) {
        const struct text_place *place = &texts->places[i];
        size_t slot = hash64(texts->bytes + place->begin, place->length) & (count - 1);
        while (slots[slot])
            slot = (slot + 1) & (count - 1);
        slots[slot] = i + 1;
    }
    free(texts->slots);
    texts->slots = slots;
    texts->slot_count = count;
    return true;
}

static bool room_for(struct texts *texts, size_t length) {
    void *bytes = texts->bytes, *places = texts->places;
    if (texts->count >= TEXTS_MAX || length >= UINT32_MAX ||
        length >= TEXTS_BYTES_MAX - texts->length)
        return false;
    if (!vector_reserve_raw(&bytes, &texts->bytes_capacity, texts->length + length + 1, 1))
        return false;
    texts->bytes = bytes;
    if (!vector_reserve_raw(&places, &texts->places_capacity, texts->count + 1,
                            sizeof *texts->places))
        return false;
    texts->places = places;
    return 2 * (texts->count + 1) <= texts->slot_count || slots_grow(texts);
}

uint32_t texts_add(struct texts *texts, const char *text, size_t length) {
    uint64_t hash = hash64(text, length);
    size_t slot = texts->slot_count ? find_slot(texts, hash, text, length) : 0;
    if (texts->slot_count && texts->slots[slot]) return texts->slots[slot];
    if (!room_for(texts, length)) return 0;
    slot = find_slot(texts, hash, text, length);
    CHECK(!texts->slots[slot]);
    texts->places[texts->count++] = (struct text_place){
        .begin = texts->length, .length = (uint32_t)length, .hash = mark_of(hash)};
    memcpy(texts->bytes + texts->length, text, length);
    texts->bytes[texts->length + length] = '\0';
    texts->length += length + 1;
    return texts->slots[slot] = (uint32_t)texts->count;
}

const char *texts_at(const struct texts *texts, uint32_t number) {
    CHECK(number <= texts->count);
    return number ? texts->bytes + texts->places[number - 1].begin : NULL;
}

uint32_t texts_length(const struct texts *texts, uint32_t number) {
    CHECK(number <= texts->count);
    return number ? texts->places[number - 1].length : 0;
}

void texts_free(struct texts *texts) {
    free(texts->bytes);
    free(texts->places);
    free(texts->slots);
    *texts = (struct texts){0};
}
