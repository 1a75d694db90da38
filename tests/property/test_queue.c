/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event set against a plain binary heap: the same operations must give the same order on random,
 * tied, heavy-tailed and negative times, with few events pending and with many.
 */
#include <kernel/queue.h>
#include <stdlib.h>
#include <string.h>
#include <support/binary_heap.h>
#include <support/prop.h>

/* How far ahead a trace schedules. */
typedef int64_t ahead_fn(struct rng *rng);

static int64_t ahead_uniform(struct rng *rng) { return prop_between(rng, 0, 1000000); }
static int64_t ahead_tied(struct rng *rng) { return prop_between(rng, 0, 2); }
static int64_t ahead_now(struct rng *rng) {
    (void)rng;
    return 0;
}
static int64_t ahead_heavy(struct rng *rng) { return (int64_t)prop_magnitude(rng, 50); }
/* Steps of very different size: what is near changes its scale in the middle of a trace. */
static int64_t ahead_mixed(struct rng *rng) {
    uint64_t kind = draw_below(rng_next(rng), 3);
    return kind == 0 ? prop_between(rng, 0, 10) : prop_between(rng, 0, kind == 1 ? 5000 : 1 << 30);
}

struct pair {
    struct queue queue;
    struct binary_heap oracle;
    int64_t now_ns;
};

static void push_both(struct pair *pair, struct rng *rng, ahead_fn *ahead) {
    int64_t time_ns = pair->now_ns + ahead(rng);
    uint32_t class = (uint32_t)draw_below(rng_next(rng), 5);
    uint32_t slot = (uint32_t)draw_below(rng_next(rng), QUEUE_SLOTS_MAX);
    queue_push(&pair->queue, time_ns, class, slot);
    binary_heap_push(&pair->oracle, time_ns, class, slot);
}

static bool pop_both(struct pair *pair) {
    int64_t time_ns;
    uint32_t class;
    int64_t next_ns = queue_next_time(&pair->queue);
    uint32_t slot = queue_pop(&pair->queue, &time_ns, &class);
    struct binary_heap_entry expected = binary_heap_pop(&pair->oracle);
    PROP_CHECK(next_ns == time_ns);
    PROP_CHECK(time_ns == expected.time_ns);
    PROP_CHECK(class == expected.class);
    PROP_CHECK(slot == expected.slot);
    pair->now_ns = time_ns;
    return true;
}

/* The heap replaces in one step what the oracle pops and then pushes. */
static bool replace_both(struct pair *pair, struct rng *rng, ahead_fn *ahead) {
    uint32_t least = queue_key_slot(pair->queue.keys[0]);
    struct binary_heap_entry expected = binary_heap_pop(&pair->oracle);
    PROP_CHECK(least == expected.slot);
    pair->now_ns = expected.time_ns;
    int64_t time_ns = pair->now_ns + ahead(rng);
    queue_replace(&pair->queue, time_ns, 2, 7);
    binary_heap_push(&pair->oracle, time_ns, 2, 7);
    return true;
}

struct trace {
    int64_t pending, operations;
    ahead_fn *ahead;
};

static bool run_trace(struct pair *pair, struct rng *rng, const struct trace *trace) {
    size_t room = 2 * (size_t)trace->pending;
    for (int64_t i = 0; i < trace->pending; i++)
        push_both(pair, rng, trace->ahead);
    PROP_CHECK(queue_is_heap(&pair->queue));
    for (int64_t i = 0; i < trace->operations; i++) {
        uint64_t choice = draw_below(rng_next(rng), 10);
        bool held = true;
        if (choice < 4 && pair->oracle.count < room)
            push_both(pair, rng, trace->ahead);
        else if (choice < 8 && pair->oracle.count > 0)
            held = pop_both(pair);
        else if (pair->oracle.count > 0)
            held = replace_both(pair, rng, trace->ahead);
        if (!held) return false;
        if (i % 500 == 0) PROP_CHECK(queue_is_heap(&pair->queue));
    }
    while (pair->oracle.count > 0)
        if (!pop_both(pair)) return false;
    PROP_CHECK(pair->queue.count == 0);
    return true;
}

static bool trace_holds(struct rng *rng, int64_t pending, int64_t operations) {
    static ahead_fn *const traces[] = {ahead_uniform, ahead_tied, ahead_now, ahead_heavy,
                                       ahead_mixed};
    static const int64_t starts[] = {0, QUEUE_TIME_MIN, -1000000, INT64_C(1) << 57};
    struct trace trace = {pending, operations, traces[draw_below(rng_next(rng), 5)]};
    struct pair pair = {.now_ns = starts[draw_below(rng_next(rng), 4)]};
    queue_init(&pair.queue);
    pair.oracle.entries = malloc(2 * (size_t)pending * sizeof *pair.oracle.entries);
    PROP_CHECK(pair.oracle.entries && queue_reserve(&pair.queue, 2 * (size_t)pending));
    /* Twice: a queue that was emptied must be as good as a new one. */
    bool held = run_trace(&pair, rng, &trace) && run_trace(&pair, rng, &trace);
    queue_deinit(&pair.queue);
    free(pair.oracle.entries);
    return held;
}

static bool few_are_in_order(struct rng *rng) {
    return trace_holds(rng, prop_between(rng, 1, prop_between(rng, 1, 3000)), 3000);
}

static bool many_are_in_order(struct rng *rng) {
    return trace_holds(rng, prop_between(rng, 20000, 200000), 200000);
}

static void test_order(void **state) {
    (void)state;
    prop_run("few events are in order", few_are_in_order, 20260, 200);
    prop_run("many events are in order", many_are_in_order, 20261, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
