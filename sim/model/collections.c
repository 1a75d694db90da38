/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How large item collections have become. Source: AWS developer guide, local secondary indexes, item collection
 * size limit: 10 GB of items and local index entries under one partition key; a write that would exceed them
 * fails, one that makes the collection smaller does not.
 * Invariants: at most two places of three are taken; a collection never holds less than nothing.
 */
#include <model/collections.h>

#include <base/check.h>
#include <stdlib.h>

#define FIRST_CAPACITY 1024
#define COLLECTION_NONE INT64_MIN

static struct collection *places_create(uint32_t capacity) {
    struct collection *places = malloc(capacity * sizeof *places);
    for (uint32_t i = 0; places && i < capacity; i++)
        places[i] = (struct collection){.bytes = COLLECTION_NONE};
    return places;
}

bool collections_init(struct collections *c, int64_t limit_bytes) {
    CHECK(limit_bytes > 0);
    *c = (struct collections){.capacity = FIRST_CAPACITY, .limit_bytes = limit_bytes};
    c->places = places_create(c->capacity);
    return c->places != NULL;
}

void collections_deinit(struct collections *c) {
    free(c->places);
    c->places = NULL;
}

bool collections_is_tight(const struct collections *c, uint32_t room) {
    return c->count < COLLECTIONS_MAX &&
           3 * ((uint64_t)c->count + room) > 2 * (uint64_t)c->capacity;
}

/* Where a key stands, or would stand: hashes are even, so their low bits will do. */
static struct collection *place_of(struct collection *places, uint32_t capacity, uint64_t hash) {
    uint32_t i = (uint32_t)hash & (capacity - 1);
    while (places[i].bytes != COLLECTION_NONE && places[i].hash != hash)
        i = (i + 1) & (capacity - 1);
    return &places[i];
}

bool collections_grow(struct collections *c) {
    uint32_t capacity = 2 * c->capacity;
    struct collection *places = places_create(capacity);
    if (!places) return false;
    for (uint32_t i = 0; i < c->capacity; i++)
        if (c->places[i].bytes != COLLECTION_NONE)
            *place_of(places, capacity, c->places[i].hash) = c->places[i];
    free(c->places);
    c->places = places;
    c->capacity = capacity;
    return true;
}

bool collections_refuse(const struct collections *c, uint64_t hash, int64_t more_bytes) {
    if (more_bytes <= 0) return false;
    const struct collection *place = place_of(c->places, c->capacity, hash);
    int64_t bytes = place->bytes == COLLECTION_NONE ? 0 : place->bytes;
    return bytes > c->limit_bytes - more_bytes;
}

void collections_add(struct collections *c, uint64_t hash, int64_t more_bytes) {
    struct collection *place = place_of(c->places, c->capacity, hash);
    if (place->bytes == COLLECTION_NONE) {
        if (more_bytes <= 0 || c->count == COLLECTIONS_MAX) return;
        CHECK_DEBUG(c->count + 1 < c->capacity);
        *place = (struct collection){.hash = hash};
        c->count++;
    }
    place->bytes = place->bytes + more_bytes > 0 ? place->bytes + more_bytes : 0;
}
