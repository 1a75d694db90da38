/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was used of keys that are numbered from 0: three counters a key, found by its number, so that
 * counting costs no search and popular keys with low numbers share cache lines. Uses are in half units.
 * Part of rule M-62; keys without such numbers go through a hash table (topkeys.h).
 */
#ifndef MODEL_KEYCOUNTS_H
#define MODEL_KEYCOUNTS_H

#include <base/check.h>
#include <base/types.h>

#define KEYCOUNTS_WAITING 16u /* uses that wait while their counters come from memory */

#define KEYCOUNTS_AMOUNT_MAX (UINT32_C(1) << 26) /* of one use: 16 GB written at once */

enum { KEYCOUNTS_READ, KEYCOUNTS_WRITE, KEYCOUNTS_THROTTLES, KEYCOUNTS };

struct keycounts {
    uint32_t *narrow; /* KEYCOUNTS a key; NULL once a counter might have outgrown it */
    uint64_t *wide;   /* then these */
    uint32_t *seen;   /* keys in the order of their first use, while they are few */
    uint32_t keys, seen_count, seen_max;
    bool tight;     /* a counter passed half of what `narrow` holds */
    uint32_t added; /* uses so far: the next one's place below, modulo KEYCOUNTS_WAITING */
    struct keycounts_use {
        uint32_t key, amount; /* amount 0: no use */
        int which;
    } waiting[KEYCOUNTS_WAITING];
};

bool keycounts_init(struct keycounts *counts, uint32_t keys);
void keycounts_deinit(struct keycounts *counts);
/* Makes wide counters of narrow ones that are tight. False when memory is short. */
bool keycounts_grow(struct keycounts *counts);
void keycounts_clear(struct keycounts *counts);
void keycounts_book_wide(struct keycounts *counts, uint32_t key, int which, uint64_t amount);
/* Books what waits: to be called before anything is read. */
void keycounts_settle(struct keycounts *counts);
/* Adds all of `from`, which is settled; grows as needed. False when memory is short. */
bool keycounts_merge(struct keycounts *into, const struct keycounts *from);
/* For a walk over the keys that were used: how many steps it has, and the key of one. Where many keys
 * were used it takes in all of them. */
static inline uint32_t keycounts_steps(const struct keycounts *counts) {
    return counts->seen_count <= counts->seen_max ? counts->seen_count : counts->keys;
}
static inline uint32_t keycounts_at(const struct keycounts *counts, uint32_t step) {
    return counts->seen_count <= counts->seen_max ? counts->seen[step] : step;
}
static inline void keycounts_get(const struct keycounts *counts, uint32_t key,
                                 uint64_t out[KEYCOUNTS]) {
    CHECK_DEBUG(key < counts->keys);
    size_t at = (size_t)KEYCOUNTS * key;
    for (size_t i = 0; i < KEYCOUNTS; i++)
        out[i] = counts->narrow ? counts->narrow[at + i] : counts->wide[at + i];
}

static inline void keycounts_seen(struct keycounts *counts, uint32_t key) {
    if (counts->seen_count < counts->seen_max) counts->seen[counts->seen_count] = key;
    counts->seen_count++;
}

/* What waits and what one dispatch adds is less than half of what a narrow counter holds, so growing has
 * time until the dispatch ends. */
static inline void keycounts_book(struct keycounts *counts, uint32_t key, int which,
                                  uint32_t amount) {
    CHECK_DEBUG(key < counts->keys);
    if (!counts->narrow) {
        keycounts_book_wide(counts, key, which, amount);
        return;
    }
    uint32_t *of = &counts->narrow[(size_t)KEYCOUNTS * key];
    if ((of[0] | of[1] | of[2]) == 0 && amount > 0) keycounts_seen(counts, key);
    of[which] += amount;
    counts->tight |= of[which] > UINT32_MAX / 2;
}

static inline void keycounts_add(struct keycounts *counts, uint64_t key, int which,
                                 uint64_t amount) {
    CHECK(key < counts->keys && amount > 0 && amount < KEYCOUNTS_AMOUNT_MAX);
    struct keycounts_use *use = &counts->waiting[counts->added++ % KEYCOUNTS_WAITING];
    keycounts_book(counts, use->key, use->which, use->amount);
    *use = (struct keycounts_use){(uint32_t)key, (uint32_t)amount, which};
    if (counts->narrow) __builtin_prefetch(&counts->narrow[KEYCOUNTS * key], 1);
}

#endif
