/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and texts of keys (names.h): a table by hash of numbers, and by number the hash and where the text stands
 * among all texts. Invariants: the table is half full at most; two keys of one number have one hash.
 */
#include <workloads/replay/names.h>

#include <base/check.h>
#include <base/vector.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_TEXT UINT32_MAX

struct late_name {
    uint64_t number;
    char text[NAMES_LATE_BYTES];
};

struct names {
    uint32_t *table; /* numbers, and 1; 0: free */
    uint32_t slots, count;
    uint64_t *hashes; /* by number */
    uint32_t *places; /* by number: where its text begins */
    size_t hash_room, place_room;
    char *texts; /* each with its NUL */
    size_t bytes, room;
    struct late_name *late; /* NULL until one is needed */
};

struct names *names_create(void) {
    return calloc(1, sizeof(struct names));
}

void names_destroy(struct names *names) {
    if (!names) return;
    free(names->table);
    free(names->hashes);
    free(names->places);
    free(names->texts);
    free(names->late);
    free(names);
}

static uint32_t slot_of(const struct names *names, const uint32_t *table, uint32_t slots,
                        uint64_t hash) {
    uint32_t slot = (uint32_t)(hash >> 20) & (slots - 1);
    while (table[slot] && names->hashes[table[slot] - 1] != hash)
        slot = (slot + 1) & (slots - 1);
    return slot;
}

static bool table_grow(struct names *names) {
    uint32_t slots = names->slots > 0 ? 2 * names->slots : 1024;
    uint32_t *table = calloc(slots, sizeof *table);
    if (!table) return false;
    for (uint32_t i = 0; i < names->count; i++)
        table[slot_of(names, table, slots, names->hashes[i])] = i + 1;
    free(names->table);
    names->table = table;
    names->slots = slots;
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

static bool text_keep(struct names *names, const char *text, uint32_t bytes, uint32_t *place) {
    *place = NO_TEXT;
    if (names->bytes + bytes + 1 > NAMES_BYTES_MAX) return true;
    if (names->bytes + bytes + 1 > names->room && !texts_grow(names, names->bytes + bytes + 1))
        return false;
    *place = (uint32_t)names->bytes;
    memcpy(names->texts + names->bytes, text, bytes);
    names->texts[names->bytes + bytes] = '\0';
    names->bytes += bytes + 1;
    return true;
}

static bool name_add(struct names *names, uint64_t hash, const char *text, uint32_t bytes) {
    void *hashes = names->hashes, *places = names->places;
    bool fits =
        vector_reserve(&hashes, &names->hash_room, names->count + 1, sizeof *names->hashes) &&
        vector_reserve(&places, &names->place_room, names->count + 1, sizeof *names->places);
    names->hashes = hashes;
    names->places = places;
    if (!fits || (2 * (names->count + 1) > names->slots && !table_grow(names))) return false;
    if (!text_keep(names, text, bytes, &names->places[names->count])) return false;
    names->hashes[names->count] = hash;
    uint32_t slot = (uint32_t)(hash >> 20) & (names->slots - 1);
    while (names->table[slot])
        slot = (slot + 1) & (names->slots - 1);
    names->table[slot] = ++names->count;
    return true;
}

static struct late_name *late_place(const struct names *names, uint64_t number) {
    return &names->late[(number * UINT64_C(0x9e3779b97f4a7c15) >> 40) % NAMES_LATE];
}

/* Whoever comes often is there again soon after somebody else took the place. */
static bool late_keep(struct names *names, uint64_t number, const char *text, uint32_t bytes) {
    if (!names->late) names->late = calloc(NAMES_LATE, sizeof *names->late);
    if (!names->late) return false;
    struct late_name *late = late_place(names, number);
    if (late->number == number && late->text[0]) return true;
    bool whole = bytes < NAMES_LATE_BYTES;
    late->number = number;
    memcpy(late->text, text, whole ? bytes : NAMES_LATE_BYTES - 4);
    strcpy(late->text + (whole ? bytes : NAMES_LATE_BYTES - 4), whole ? "" : "...");
    return true;
}

bool names_number(struct names *names, uint64_t hash, const char *text, uint32_t bytes,
                  uint64_t *number) {
    uint32_t found =
        names->slots > 0 ? names->table[slot_of(names, names->table, names->slots, hash)] : 0;
    if (found == 0 && names->count < NAMES_MAX) {
        if (!name_add(names, hash, text, bytes)) return false;
        found = names->count;
    }
    *number = found > 0 ? found - 1 : DDBSIM_ORDINAL_OTHER | hash;
    if (found > 0 && names->places[found - 1] != NO_TEXT) return true;
    return late_keep(names, *number, text, bytes);
}

uint64_t names_hash(const struct names *names, uint64_t number) {
    CHECK(number < names->count);
    return names->hashes[number];
}

size_t names_text(const struct names *names, uint64_t number, char *buffer, size_t size) {
    bool numbered = number < names->count;
    if (numbered && names->places[number] != NO_TEXT)
        return (size_t)snprintf(buffer, size, "%s", names->texts + names->places[number]);
    if (names->late && late_place(names, number)->number == number)
        return (size_t)snprintf(buffer, size, "%s", late_place(names, number)->text);
    uint64_t hash = numbered ? names->hashes[number] : number & ~DDBSIM_ORDINAL_OTHER;
    for (uint64_t top = 0; !numbered && names->slots > 0 && top < 2; top++) {
        uint32_t found = names->table[slot_of(names, names->table, names->slots, hash | top << 63)];
        if (found > 0) return names_text(names, found - 1, buffer, size);
    }
    return (size_t)snprintf(buffer, size, "(key %016" PRIx64 ")", hash);
}
