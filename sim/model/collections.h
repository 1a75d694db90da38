/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The item collections of a table with local indexes: the bytes of the items under each partition key, and of their
 * entries in the local indexes (M-48). Keys are known by their hash. What a key held at the start is counted where
 * it could matter (COLLECTIONS_SMALL); of more than COLLECTIONS_MAX keys that change the later ones are not counted.
 */
#ifndef MODEL_COLLECTIONS_H
#define MODEL_COLLECTIONS_H

#include <base/types.h>
#include <stdint.h>

#define COLLECTIONS_MAX (UINT32_C(1) << 22)
#define COLLECTIONS_SMALL \
    1024 /* a start of less than the limit divided by this is taken as nothing */

struct collection {
    uint64_t hash;
    int64_t bytes; /* INT64_MIN: the place is free */
};

struct collections {
    struct collection *places; /* open addressing; a power of two */
    uint32_t capacity, count;
    int64_t limit_bytes;
};

bool collections_init(struct collections *collections, int64_t limit_bytes);
void collections_deinit(struct collections *collections);
/* Fewer than `room` keys more fit: grow between events. */
bool collections_is_tight(const struct collections *collections, uint32_t room);
bool collections_grow(struct collections *collections);
/* Would so many bytes more make it too large? What shrinks it always may. */
bool collections_refuse(const struct collections *collections, uint64_t hash, int64_t more_bytes);
void collections_add(struct collections *collections, uint64_t hash, int64_t more_bytes);

#endif
