/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lookup: from a key's position to its partition, among 100,000 of which some hundreds stand inside one
 * collection. Bare: a binary search over the same sorted positions. One key of eight is of the collection.
 */
#include "bench.h"

#include <model/space.h>

#define PARTITIONS 100000
#define IN_COLLECTION 500
#define HASH UINT64_C(0x9e3779b97f4a7c15)
#define LOOKUPS 4000000
#define SEED 14

static struct space space;

/* The collection's sort keys are cut into equal parts. */
static bool prepare(const struct bench_case *self) {
    (void)self;
    static const struct space_limits limits = {
        .rates = {3000, 1000}, .replica_rate = 3000, .depth_ns = NS_PER_S, .bytes = 1};
    if (!space_init(&space, PARTITIONS - IN_COLLECTION, &limits, 0)) return false;
    if (!space_grow(&space, IN_COLLECTION)) return false;
    for (uint64_t i = 0; i < IN_COLLECTION; i++) {
        struct space_split split = {
            .count = 1, .cuts = {(uint128)HASH << 64 | (UINT64_MAX / IN_COLLECTION * i + 1)}};
        space_split(&space, space_find(&space, split.cuts[0]), &split, 0);
    }
    return true;
}

static uint128 next_position(struct rng *rng) {
    uint64_t hash = rng_next(rng), sort = rng_next(rng);
    return (uint128)((hash & 7) == 0 ? HASH : hash) << 64 | sort;
}

static void ours(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    struct rng rng;
    rng_seed(&rng, SEED);
    int64_t begin_ns = bench_cpu_ns();
    for (uint64_t i = 0; i < LOOKUPS; i++)
        out->check += space_find(&space, next_position(&rng));
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = LOOKUPS;
}

static void bare(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    struct rng rng;
    rng_seed(&rng, SEED);
    const uint128 *lows = space.lows;
    int64_t begin_ns = bench_cpu_ns();
    for (uint64_t i = 0; i < LOOKUPS; i++) {
        uint128 position = next_position(&rng);
        uint32_t low = 0, high = space.count - 1;
        while (low < high) {
            uint32_t middle = low + (high - low + 1) / 2;
            if (lows[middle] <= position)
                low = middle;
            else
                high = middle - 1;
        }
        out->check += space.slots[low];
    }
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = LOOKUPS;
}

static void release(void) { space_deinit(&space); }

const struct bench_case bench_lookup = {.name = "lookup",
                                        .op = "lookup",
                                        .size = PARTITIONS,
                                        .checked = true,
                                        .prepare = prepare,
                                        .ours = ours,
                                        .bare = bare,
                                        .release = release};
