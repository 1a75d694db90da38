/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bits of a set of slots, in words of 64. No source: it models nothing and saves looking. Invariant: no bit
 * from `capacity` on exists.
 */
#include <model/slotset.h>

#include <stdlib.h>
#include <string.h>

bool slotset_grow(struct slotset *set, uint32_t capacity) {
    if (capacity <= set->capacity) return true;
    uint32_t words = (capacity + 63) / 64, before = set->capacity / 64;
    uint64_t *grown = realloc(set->words, words * sizeof *grown);
    if (!grown) return false;
    memset(grown + before, 0, (words - before) * sizeof *grown);
    set->words = grown;
    set->capacity = words * 64;
    return true;
}

void slotset_deinit(struct slotset *set) {
    free(set->words);
    *set = (struct slotset){0};
}

void slotset_clear(struct slotset *set) {
    if (set->capacity > 0) memset(set->words, 0, set->capacity / 64 * sizeof *set->words);
}

uint32_t slotset_next(const struct slotset *set, uint32_t from, uint32_t count) {
    CHECK(count <= set->capacity);
    uint64_t skip = from % 64;
    for (uint32_t i = from / 64; (uint64_t)i * 64 < count; i++, skip = 0) {
        uint64_t rest = set->words[i] >> skip << skip;
        if (rest == 0) continue;
        uint32_t slot = i * 64 + (uint32_t)__builtin_ctzll(rest);
        return slot < count ? slot : count;
    }
    return count;
}
