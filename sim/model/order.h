/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which of several numbered things comes first: each stands in the order at most once, by a rank that
 * may change. An index asks it which partition's work is the oldest, and which partition has tokens
 * next.
 */
#ifndef MODEL_ORDER_H
#define MODEL_ORDER_H

#include <base/check.h>
#include <base/types.h>

struct order {
    struct order_place {
        uint64_t rank;
        uint32_t number;
    } * heap;        /* binary, the first at 0 */
    uint32_t *where; /* of each number in the heap; UINT32_MAX: it is not there */
    uint32_t count, numbers;
};

bool order_init(struct order *order, uint32_t numbers);
/* More numbers. False when memory is short. */
bool order_grow(struct order *order, uint32_t numbers);
void order_deinit(struct order *order);
/* Puts a number in, or gives it another rank. Equal ranks come by number. */
void order_put(struct order *order, uint32_t number, uint64_t rank);
void order_remove(struct order *order, uint32_t number); /* if it is there */
static inline bool order_has(const struct order *order, uint32_t number) {
    return order->where[number] != UINT32_MAX;
}

#endif
