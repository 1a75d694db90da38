/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counters of numbered keys. Invariants: narrow or wide, never both; seen_count is the number of keys
 * with a counter that is not zero, and the first seen_max of them stand in `seen`. A use waits for the
 * length of a few others, since the counters of a seldom used key come from memory; what waits is booked
 * before anybody looks.
 */
#include <model/keycounts.h>

#include <stdlib.h>
#include <string.h>

#define SEEN_SHARE 8 /* from one key in so many on, all keys are walked in order, which is faster */

bool keycounts_init(struct keycounts *counts, uint32_t keys) {
    CHECK(keys > 0);
    *counts = (struct keycounts){.keys = keys, .seen_max = keys / SEEN_SHARE};
    counts->narrow = calloc(keys, KEYCOUNTS * sizeof *counts->narrow);
    counts->seen = malloc((counts->seen_max + 1) * sizeof *counts->seen);
    return counts->narrow && counts->seen;
}

void keycounts_deinit(struct keycounts *counts) {
    free(counts->narrow);
    free(counts->wide);
    free(counts->seen);
    *counts = (struct keycounts){0};
}

bool keycounts_grow(struct keycounts *counts) {
    CHECK(counts->tight && counts->narrow);
    counts->wide = calloc(counts->keys, KEYCOUNTS * sizeof *counts->wide);
    if (!counts->wide) return false;
    for (size_t i = 0; i < (size_t)KEYCOUNTS * counts->keys; i++)
        counts->wide[i] = counts->narrow[i];
    free(counts->narrow);
    counts->narrow = NULL;
    counts->tight = false;
    return true;
}

void keycounts_book_wide(struct keycounts *counts, uint32_t key, int which, uint64_t amount) {
    uint64_t *of = &counts->wide[(size_t)KEYCOUNTS * key];
    CHECK_DEBUG(!counts->narrow);
    if ((of[0] | of[1] | of[2]) == 0 && amount > 0) keycounts_seen(counts, key);
    of[which] += amount;
}

void keycounts_settle(struct keycounts *counts) {
    for (uint32_t i = 0; i < KEYCOUNTS_WAITING; i++) {
        struct keycounts_use *use = &counts->waiting[i];
        keycounts_book(counts, use->key, use->which, use->amount);
        use->amount = 0;
    }
    counts->added = 0;
}

/* Few keys are zeroed one by one. */
void keycounts_clear(struct keycounts *counts) {
    CHECK_DEBUG(counts->added == 0);
    void *all = counts->narrow ? (void *)counts->narrow : (void *)counts->wide;
    size_t size = KEYCOUNTS * (counts->narrow ? sizeof *counts->narrow : sizeof *counts->wide);
    if (counts->seen_count > counts->seen_max)
        memset(all, 0, counts->keys * size);
    else
        for (uint32_t i = 0; i < counts->seen_count; i++)
            memset((char *)all + counts->seen[i] * size, 0, size);
    counts->seen_count = 0;
}

/* One key, with what either side holds. */
static bool merge_key(struct keycounts *into, uint32_t key, const uint64_t counts[KEYCOUNTS]) {
    for (int i = 0; i < KEYCOUNTS; i++) {
        if (counts[i] == 0) continue;
        into->tight |= into->narrow && counts[i] > UINT32_MAX / 2;
        if (into->tight && !keycounts_grow(into)) return false;
        if (into->narrow)
            keycounts_book(into, key, i, (uint32_t)counts[i]);
        else
            keycounts_book_wide(into, key, i, counts[i]);
    }
    return true;
}

bool keycounts_merge(struct keycounts *into, const struct keycounts *from) {
    CHECK(into->keys == from->keys);
    uint32_t steps = keycounts_steps(from);
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t key = keycounts_at(from, step);
        uint64_t counts[KEYCOUNTS];
        keycounts_get(from, key, counts);
        if ((counts[0] | counts[1] | counts[2]) == 0) continue; /* most of those that are walked */
        if (!merge_key(into, key, counts)) return false;
    }
    return !into->tight || keycounts_grow(into);
}
