/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hold-N: N events pending; the least goes and comes back an exponential later. Bare: a plain binary
 * heap, pop and then push.
 */
#include "bench.h"

#include <kernel/queue.h>
#include <stdlib.h>
#include <support/binary_heap.h>

#define MEAN 1000000.0
#define HOLDS 2000000
#define SEED 12

static int64_t next_wait(struct rng *rng) { return (int64_t)(exponential(rng) * MEAN); }

static void ours(const struct bench_case *self, struct bench_side *out) {
    struct rng rng;
    struct queue queue;
    rng_seed(&rng, SEED);
    queue_init(&queue);
    if (!queue_reserve(&queue, self->size)) bench_fail("memory");
    for (uint32_t i = 0; i < self->size; i++)
        queue_push(&queue, next_wait(&rng), 2, i);
    int64_t begin_ns = bench_cpu_ns(), now_ns = 0;
    for (uint64_t i = 0; i < HOLDS; i++) {
        now_ns = queue_next_time(&queue);
        uint32_t slot = queue_next_slot(&queue);
        queue_replace(&queue, now_ns + next_wait(&rng), 2, slot);
    }
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = HOLDS;
    out->check = (uint64_t)now_ns;
    queue_deinit(&queue);
}

static void bare(const struct bench_case *self, struct bench_side *out) {
    struct rng rng;
    rng_seed(&rng, SEED);
    struct binary_heap heap = {.entries = malloc(self->size * sizeof *heap.entries)};
    if (!heap.entries) bench_fail("memory");
    for (uint32_t i = 0; i < self->size; i++)
        binary_heap_push(&heap, next_wait(&rng), 2, i);
    int64_t begin_ns = bench_cpu_ns(), now_ns = 0;
    for (uint64_t i = 0; i < HOLDS; i++) {
        struct binary_heap_entry entry = binary_heap_pop(&heap);
        now_ns = entry.time_ns;
        binary_heap_push(&heap, now_ns + next_wait(&rng), entry.class, entry.slot);
    }
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = HOLDS;
    out->check = (uint64_t)now_ns;
    free(heap.entries);
}

#define HOLD(n) \
    { .name = "hold-" #n, .op = "hold", .size = n, .checked = true, .ours = ours, .bare = bare }
const struct bench_case bench_holds[3] = {HOLD(100), HOLD(10000), HOLD(1000000)};
