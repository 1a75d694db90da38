/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calendar against a plain binary heap: whatever is put arrives at its time, at equal times in the order
 * in which it was put, in a slot that nobody else has meanwhile.
 */
#include <model/calendar.h>
#include <stdlib.h>
#include <string.h>
#include <support/binary_heap.h>
#include <support/prop.h>

#define THINGS_MAX 4096
#define ROOM 64

/* Waits of several kinds, none beyond the longest. */
static int64_t wait_uniform(struct rng *rng, int64_t longest_ns) {
    return prop_between(rng, 0, longest_ns);
}
static int64_t wait_short(struct rng *rng, int64_t longest_ns) {
    int64_t wait_ns = (int64_t)prop_magnitude(rng, 40);
    return wait_ns < longest_ns ? wait_ns : longest_ns;
}
static int64_t wait_longest(struct rng *rng, int64_t longest_ns) {
    (void)rng;
    return longest_ns;
}
static int64_t wait_tied(struct rng *rng, int64_t longest_ns) {
    return longest_ns > 2 ? longest_ns / 2 + prop_between(rng, 0, 1) : 0;
}

/* Things are numbered in the order of putting; the oracle's slot is that number. */
struct pair {
    struct calendar calendar;
    struct binary_heap oracle;
    uint32_t slots[THINGS_MAX]; /* of each thing */
    uint32_t held[THINGS_MAX];  /* things that arrived and keep their slots */
    uint32_t held_count, put;
    bool *taken; /* slots */
    size_t taken_size;
    int64_t now_ns, longest_ns;
};

static bool room_is_made(struct pair *pair) {
    while (calendar_is_tight(&pair->calendar, ROOM))
        PROP_CHECK(calendar_grow(&pair->calendar));
    size_t size = calendar_capacity(&pair->calendar);
    if (size > pair->taken_size) {
        pair->taken = realloc(pair->taken, size);
        PROP_CHECK(pair->taken != NULL);
        memset(pair->taken + pair->taken_size, 0, size - pair->taken_size);
        pair->taken_size = size;
    }
    return true;
}

static bool put_both(struct pair *pair, int64_t wait_ns) {
    uint32_t slot = calendar_put(&pair->calendar, pair->now_ns + wait_ns);
    PROP_CHECK(slot < calendar_capacity(&pair->calendar) && !pair->taken[slot]);
    pair->taken[slot] = true;
    pair->slots[pair->put] = slot;
    binary_heap_push(&pair->oracle, pair->now_ns + wait_ns, 0, pair->put++);
    return true;
}

static bool arrive_both(struct pair *pair) {
    struct binary_heap_entry expected = binary_heap_pop(&pair->oracle);
    PROP_CHECK(calendar_next_ns(&pair->calendar) == expected.time_ns);
    pair->now_ns = expected.time_ns;
    PROP_CHECK(calendar_arrive(&pair->calendar) == pair->slots[expected.slot]);
    pair->held[pair->held_count++] = expected.slot;
    return true;
}

static void release_one(struct pair *pair, struct rng *rng) {
    uint32_t at = (uint32_t)draw_below(rng_next(rng), pair->held_count);
    uint32_t slot = pair->slots[pair->held[at]];
    pair->held[at] = pair->held[--pair->held_count];
    pair->taken[slot] = false;
    calendar_release(&pair->calendar, slot);
}

static bool run_trace(struct pair *pair, struct rng *rng,
                      int64_t (*wait)(struct rng *rng, int64_t longest_ns)) {
    int64_t burst = prop_between(rng, 1, ROOM);
    while (pair->put + (uint32_t)burst < THINGS_MAX) {
        if (!room_is_made(pair)) return false;
        for (int64_t i = 0; i < burst; i++)
            if (!put_both(pair, wait(rng, pair->longest_ns))) return false;
        /* Now and then everything arrives, and then nothing happens for long. */
        bool all = draw_below(rng_next(rng), 20) == 0;
        int64_t arrivals = all ? THINGS_MAX : prop_between(rng, 0, 2 * burst);
        for (; arrivals > 0 && pair->oracle.count > 0; arrivals--)
            if (!arrive_both(pair)) return false;
        if (all) pair->now_ns += wait_uniform(rng, 5 * pair->longest_ns);
        while (pair->held_count > 0 && draw_below(rng_next(rng), 8) > 0)
            release_one(pair, rng);
    }
    while (pair->oracle.count > 0)
        if (!arrive_both(pair)) return false;
    PROP_CHECK(calendar_next_ns(&pair->calendar) == TIME_NEVER);
    while (pair->held_count > 0)
        release_one(pair, rng);
    return true;
}

static bool all_arrive_in_order(struct rng *rng) {
    static int64_t (*const waits[])(struct rng *, int64_t) = {wait_uniform, wait_short,
                                                              wait_longest, wait_tied};
    struct pair *pair = calloc(1, sizeof *pair);
    PROP_CHECK(pair != NULL);
    pair->oracle.entries = malloc(THINGS_MAX * sizeof *pair->oracle.entries);
    pair->longest_ns = (int64_t)prop_magnitude(rng, 45);
    PROP_CHECK(pair->oracle.entries && calendar_init(&pair->calendar, pair->longest_ns));
    bool held = run_trace(pair, rng, waits[draw_below(rng_next(rng), 4)]);
    calendar_deinit(&pair->calendar);
    free(pair->oracle.entries);
    free(pair->taken);
    free(pair);
    return held;
}

static void test_order(void **state) {
    (void)state;
    prop_run("all arrive in order", all_arrive_in_order, 5060, 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
