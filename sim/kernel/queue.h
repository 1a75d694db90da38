/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event set: a 4-ary heap of packed 16-byte keys. A key orders by time, then class, then sequence
 * of insertion, and carries the slot of the event's payload; it is compared as one 128-bit integer, so
 * no two keys are equal and order never depends on an address.
 *
 *   bits 127..68 time (biased, so that negative times order too)   60
 *   bits  67..64 class                                              4
 *   bits  63..24 sequence                                          40
 *   bits  23..0  slot                                              24
 */
#ifndef KERNEL_QUEUE_H
#define KERNEL_QUEUE_H

#include <base/types.h>

#define QUEUE_SLOTS_MAX (1u << 24)
#define QUEUE_TIME_BIAS (INT64_C(1) << 58)

struct queue {
    uint128 *keys;
    size_t count, capacity;
    uint64_t sequence;
};

void queue_init(struct queue *queue);
void queue_deinit(struct queue *queue);
/* Room for `extra` more pushes. False when memory is short. Call between events, never inside one. */
bool queue_reserve(struct queue *queue, size_t extra);
/* Needs room. -2^58 <= time_ns < 2^59, class < 16, slot < 2^24. */
void queue_push(struct queue *queue, int64_t time_ns, uint32_t class, uint32_t slot);
/* The least key must exist. */
uint32_t queue_pop(struct queue *queue, int64_t *time_ns, uint32_t *class);
/* Pop and push in one step: the least key leaves, a new one enters. */
uint32_t queue_replace(struct queue *queue, int64_t time_ns, uint32_t class, uint32_t slot);

static inline int64_t queue_key_time(uint128 key) {
    return (int64_t)(uint64_t)(key >> 68) - QUEUE_TIME_BIAS;
}
static inline uint32_t queue_key_class(uint128 key) { return (uint32_t)(key >> 64) & 15u; }
static inline uint32_t queue_key_slot(uint128 key) { return (uint32_t)key & (QUEUE_SLOTS_MAX - 1); }
static inline int64_t queue_next_time(const struct queue *queue) {
    return queue->count ? queue_key_time(queue->keys[0]) : TIME_NEVER;
}

#endif
