/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The 4-ary heap of packed keys against a plain binary heap of structs: the same operations must
 * give the same order on random, tied, heavy-tailed and negative times.
 */
#include <kernel/queue.h>
#include <stdlib.h>
#include <string.h>
#include <support/prop.h>

#define PENDING_MAX 3000

struct entry {
    int64_t time_ns;
    uint32_t class;
    uint64_t sequence;
    uint32_t slot;
};

/* The oracle: the textbook's binary heap, ordered field by field. */
struct oracle {
    struct entry entries[PENDING_MAX];
    size_t count;
    uint64_t sequence;
};

static bool is_before(const struct entry *a, const struct entry *b) {
    if (a->time_ns != b->time_ns) return a->time_ns < b->time_ns;
    if (a->class != b->class) return a->class < b->class;
    return a->sequence < b->sequence;
}

static void swap(struct entry *a, struct entry *b) {
    struct entry keep = *a;
    *a = *b;
    *b = keep;
}

static void oracle_push(struct oracle *oracle, int64_t time_ns, uint32_t class, uint32_t slot) {
    struct entry *entries = oracle->entries;
    size_t i = oracle->count++;
    entries[i] = (struct entry){time_ns, class, oracle->sequence++, slot};
    for (; i > 0 && is_before(&entries[i], &entries[(i - 1) / 2]); i = (i - 1) / 2)
        swap(&entries[i], &entries[(i - 1) / 2]);
}

static struct entry oracle_pop(struct oracle *oracle) {
    struct entry *entries = oracle->entries;
    struct entry least = entries[0];
    entries[0] = entries[--oracle->count];
    for (size_t i = 0;;) {
        size_t first = i, left = 2 * i + 1, right = 2 * i + 2;
        if (left < oracle->count && is_before(&entries[left], &entries[first])) first = left;
        if (right < oracle->count && is_before(&entries[right], &entries[first])) first = right;
        if (first == i) return least;
        swap(&entries[i], &entries[first]);
        i = first;
    }
}

/* How far ahead a trace schedules. */
typedef int64_t ahead_fn(struct rng *rng);

static int64_t ahead_uniform(struct rng *rng) { return prop_between(rng, 0, 1000000); }
static int64_t ahead_tied(struct rng *rng) { return prop_between(rng, 0, 2); }
static int64_t ahead_now(struct rng *rng) {
    (void)rng;
    return 0;
}
static int64_t ahead_heavy(struct rng *rng) { return (int64_t)prop_magnitude(rng, 50); }

struct pair {
    struct queue queue;
    struct oracle oracle;
    int64_t now_ns;
};

static void push_both(struct pair *pair, struct rng *rng, ahead_fn *ahead) {
    int64_t time_ns = pair->now_ns + ahead(rng);
    uint32_t class = (uint32_t)draw_below(rng_next(rng), 5);
    uint32_t slot = (uint32_t)draw_below(rng_next(rng), QUEUE_SLOTS_MAX);
    queue_push(&pair->queue, time_ns, class, slot);
    oracle_push(&pair->oracle, time_ns, class, slot);
}

static bool pop_both(struct pair *pair) {
    int64_t time_ns;
    uint32_t class;
    int64_t next_ns = queue_next_time(&pair->queue);
    uint32_t slot = queue_pop(&pair->queue, &time_ns, &class);
    struct entry expected = oracle_pop(&pair->oracle);
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
    struct entry expected = oracle_pop(&pair->oracle);
    PROP_CHECK(least == expected.slot);
    pair->now_ns = expected.time_ns;
    int64_t time_ns = pair->now_ns + ahead(rng);
    queue_replace(&pair->queue, time_ns, 2, 7);
    oracle_push(&pair->oracle, time_ns, 2, 7);
    return true;
}

static bool run_trace(struct pair *pair, struct rng *rng, ahead_fn *ahead) {
    int64_t pending = prop_between(rng, 1, prop_between(rng, 1, PENDING_MAX - 1));
    PROP_CHECK(queue_reserve(&pair->queue, PENDING_MAX));
    for (int64_t i = 0; i < pending; i++)
        push_both(pair, rng, ahead);
    for (int i = 0; i < 3000; i++) {
        uint64_t choice = draw_below(rng_next(rng), 10);
        bool held = true;
        if (choice < 4 && pair->oracle.count < PENDING_MAX)
            push_both(pair, rng, ahead);
        else if (choice < 8 && pair->oracle.count > 0)
            held = pop_both(pair);
        else if (pair->oracle.count > 0)
            held = replace_both(pair, rng, ahead);
        if (!held) return false;
    }
    PROP_CHECK(queue_is_heap(&pair->queue));
    while (pair->oracle.count > 0)
        if (!pop_both(pair)) return false;
    PROP_CHECK(pair->queue.count == 0);
    return true;
}

static bool the_order_is_the_oracles(struct rng *rng) {
    static ahead_fn *const traces[] = {ahead_uniform, ahead_tied, ahead_now, ahead_heavy};
    static const int64_t starts[] = {0, QUEUE_TIME_MIN, -1000000, INT64_C(1) << 57};
    struct pair *pair = calloc(1, sizeof *pair);
    PROP_CHECK(pair != NULL);
    queue_init(&pair->queue);
    pair->now_ns = starts[draw_below(rng_next(rng), 4)];
    bool held = run_trace(pair, rng, traces[draw_below(rng_next(rng), 4)]);
    queue_deinit(&pair->queue);
    free(pair);
    return held;
}

static void test_order(void **state) {
    (void)state;
    prop_run("the order is the oracle's", the_order_is_the_oracles, 20260, 160);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
