/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A binary heap that knows where each number stands. Invariants: no place ranks before its parent;
 * where[heap[i].number] == i.
 */
#include <model/order.h>

#include <base/check.h>
#include <stdlib.h>

#define NOWHERE UINT32_MAX

bool order_init(struct order *order, uint32_t numbers) {
    CHECK(numbers > 0);
    *order = (struct order){.numbers = numbers};
    order->heap = malloc(numbers * sizeof *order->heap);
    order->where = malloc(numbers * sizeof *order->where);
    if (!order->heap || !order->where) {
        order_deinit(order);
        return false;
    }
    for (uint32_t i = 0; i < numbers; i++)
        order->where[i] = NOWHERE;
    return true;
}

bool order_grow(struct order *order, uint32_t numbers) {
    if (numbers <= order->numbers) return true;
    struct order_place *heap = realloc(order->heap, numbers * sizeof *heap);
    if (!heap) return false;
    order->heap = heap;
    uint32_t *where = realloc(order->where, numbers * sizeof *where);
    if (!where) return false;
    order->where = where;
    for (uint32_t i = order->numbers; i < numbers; i++)
        where[i] = NOWHERE;
    order->numbers = numbers;
    return true;
}

void order_deinit(struct order *order) {
    free(order->heap);
    free(order->where);
    *order = (struct order){0};
}

static bool is_before(struct order_place a, struct order_place b) {
    return a.rank != b.rank ? a.rank < b.rank : a.number < b.number;
}

static void settle_at(struct order *order, uint32_t at, struct order_place place) {
    order->heap[at] = place;
    order->where[place.number] = at;
}

static void rise(struct order *order, uint32_t at, struct order_place place) {
    for (; at > 0 && is_before(place, order->heap[(at - 1) / 2]); at = (at - 1) / 2)
        settle_at(order, at, order->heap[(at - 1) / 2]);
    settle_at(order, at, place);
}

static void sink(struct order *order, uint32_t at, struct order_place place) {
    for (uint32_t child; (child = 2 * at + 1) < order->count; at = child) {
        if (child + 1 < order->count && is_before(order->heap[child + 1], order->heap[child]))
            child++;
        if (!is_before(order->heap[child], place)) break;
        settle_at(order, at, order->heap[child]);
    }
    settle_at(order, at, place);
}

/* Fills the hole at `at` with a place that may belong above or below it. */
static void fill(struct order *order, uint32_t at, struct order_place place) {
    if (at > 0 && is_before(place, order->heap[(at - 1) / 2]))
        rise(order, at, place);
    else
        sink(order, at, place);
}

void order_put(struct order *order, uint32_t number, uint64_t rank) {
    CHECK_DEBUG(number < order->numbers);
    struct order_place place = {rank, number};
    if (order_has(order, number))
        fill(order, order->where[number], place);
    else
        rise(order, order->count++, place);
}

void order_remove(struct order *order, uint32_t number) {
    CHECK_DEBUG(number < order->numbers);
    uint32_t at = order->where[number];
    if (at == NOWHERE) return;
    order->where[number] = NOWHERE;
    struct order_place last = order->heap[--order->count];
    if (at < order->count) fill(order, at, last);
}
