/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of keys (names.h): one growing text, and a table of where each begins. Invariant: at most half full. */
#include <workloads/replay/names.h>

#include <base/check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char *texts; /* each with its NUL */
    size_t bytes, room;
    uint64_t *hashes;
    uint32_t *places; /* of the text, and 1; 0: free */
    uint32_t count, slots;
};

struct names *names_create(void) {
    return calloc(1, sizeof(struct names));
}

void names_destroy(struct names *names) {
    if (!names) return;
    free(names->texts);
    free(names->hashes);
    free(names->places);
    free(names);
}

static uint32_t slot_of(const struct names *names, uint64_t hash) {
    uint32_t slot = (uint32_t)(hash >> 20) & (names->slots - 1);
    while (names->places[slot] && names->hashes[slot] != hash)
        slot = (slot + 1) & (names->slots - 1);
    return slot;
}

static bool slots_grow(struct names *names) {
    struct names more = *names;
    more.slots = names->slots > 0 ? 2 * names->slots : 1024;
    more.hashes = calloc(more.slots, sizeof *more.hashes);
    more.places = calloc(more.slots, sizeof *more.places);
    if (!more.hashes || !more.places) {
        free(more.hashes);
        free(more.places);
        return false;
    }
    for (uint32_t i = 0; i < names->slots; i++) {
        if (!names->places[i]) continue;
        uint32_t slot = slot_of(&more, names->hashes[i]);
        more.hashes[slot] = names->hashes[i];
        more.places[slot] = names->places[i];
    }
    free(names->hashes);
    free(names->places);
    *names = more;
    return true;
}

static bool texts_grow(struct names *names, size_t wanted) {
    size_t room = names->room > 0 ? names->room : 4096;
    while (room < wanted)
        room *= 2;
    char *texts = realloc(names->texts, room);
    if (!texts) return false;
    names->texts = texts;
    names->room = room;
    return true;
}

static void drop_all(struct names *names) {
    memset(names->places, 0, names->slots * sizeof *names->places);
    names->count = 0;
    names->bytes = 0;
}

bool names_keep(struct names *names, uint64_t hash, const char *text, uint32_t bytes) {
    if (names->slots > 0 && names->places[slot_of(names, hash)]) return true;
    if (names->count == NAMES_MAX || names->bytes + bytes + 1 > NAMES_BYTES_MAX) drop_all(names);
    if (2 * (names->count + 1) > names->slots && !slots_grow(names)) return false;
    if (names->bytes + bytes + 1 > names->room && !texts_grow(names, names->bytes + bytes + 1))
        return false;
    uint32_t slot = slot_of(names, hash);
    CHECK(names->places[slot] == 0);
    names->hashes[slot] = hash;
    names->places[slot] = (uint32_t)names->bytes + 1;
    memcpy(names->texts + names->bytes, text, bytes);
    names->texts[names->bytes + bytes] = '\0';
    names->bytes += bytes + 1;
    names->count++;
    return true;
}

const char *names_find(const struct names *names, uint64_t hash) {
    if (names->slots == 0) return NULL;
    uint32_t place = names->places[slot_of(names, hash)];
    return place > 0 ? names->texts + place - 1 : NULL;
}

size_t names_text(const struct names *names, uint64_t hash, char *buffer, size_t size) {
    const char *text = names_find(names, hash);
    if (text) return (size_t)snprintf(buffer, size, "%s", text);
    return (size_t)snprintf(buffer, size, "(key %016" PRIx64 ")", hash);
}
