/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The textbook's binary heap of events, sixteen bytes each: what the event set must equal in order and
 * is measured against. It packs time, class, sequence and slot in a way of its own.
 */
#ifndef SUPPORT_BINARY_HEAP_H
#define SUPPORT_BINARY_HEAP_H

#include <base/types.h>

/* Time (sign flipped) 64 bits, class 4, sequence 36, slot 24: ordered as one number. */
struct binary_heap {
    uint128 *entries;
    size_t count;
    uint64_t sequence;
};

struct binary_heap_entry {
    int64_t time_ns;
    uint32_t class, slot;
};

static inline void binary_heap_push(struct binary_heap *heap, int64_t time_ns, uint32_t class,
                                    uint32_t slot) {
    uint64_t high = (uint64_t)time_ns ^ UINT64_C(1) << 63;
    uint64_t low = (uint64_t) class << 60 | heap->sequence++ << 24 | slot;
    uint128 entry = (uint128)high << 64 | low;
    size_t i = heap->count++;
    for (; i > 0 && entry < heap->entries[(i - 1) / 2]; i = (i - 1) / 2)
        heap->entries[i] = heap->entries[(i - 1) / 2];
    heap->entries[i] = entry;
}

/* Needs one. */
static inline struct binary_heap_entry binary_heap_pop(struct binary_heap *heap) {
    uint128 least = heap->entries[0], last = heap->entries[--heap->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < heap->count; i = child) {
        if (child + 1 < heap->count && heap->entries[child + 1] < heap->entries[child]) child++;
        if (last <= heap->entries[child]) break;
        heap->entries[i] = heap->entries[child];
    }
    heap->entries[i] = last;
    return (struct binary_heap_entry){
        .time_ns = (int64_t)((uint64_t)(least >> 64) ^ UINT64_C(1) << 63),
        .class = (uint32_t)((uint64_t)least >> 60),
        .slot = (uint32_t)least & 0xffffff,
    };
}

#endif
