/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of partitions, a bit for each slot: which were asked of lately. An hour of 100,000 partitions that
 * nobody asks then costs a glance at 1,600 words where it would cost 36 million visits.
 */
#ifndef MODEL_SLOTSET_H
#define MODEL_SLOTSET_H

#include <base/check.h>
#include <base/types.h>

struct slotset {
    uint64_t *words;
    uint32_t capacity; /* slots that it has room for: a multiple of 64 */
};

/* Room for slots below `capacity`; the new ones are out. False when memory is short. */
bool slotset_grow(struct slotset *set, uint32_t capacity);
void slotset_deinit(struct slotset *set);
void slotset_clear(struct slotset *set);
/* The first slot from `from` on that is in; `count` where none below it is. */
uint32_t slotset_next(const struct slotset *set, uint32_t from, uint32_t count);

static inline void slotset_add(struct slotset *set, uint32_t slot) {
    CHECK_DEBUG(slot < set->capacity);
    set->words[slot / 64] |= UINT64_C(1) << slot % 64;
}
static inline void slotset_remove(struct slotset *set, uint32_t slot) {
    CHECK_DEBUG(slot < set->capacity);
    set->words[slot / 64] &= ~(UINT64_C(1) << slot % 64);
}

#endif
