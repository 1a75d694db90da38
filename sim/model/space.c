/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partitions over the key space. Sources: AWS developer guide, partitions and data distribution;
 * Elhemali et al., USENIX ATC 2022 (disjoint contiguous ranges of hash and sort key); the formula of the
 * initial number is the one AWS published before 2018. Invariant: ranges tile the space, in order.
 */
#include <model/space.h>

#include <stdlib.h>

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

int64_t space_initial_count(const struct space_limits *limits, int64_t read_capacity,
                            int64_t write_capacity, int64_t bytes) {
    const int64_t *rates = limits->rates;
    int64_t count;
    if (limits->initial_rule == DDBSIM_INITIAL_SUM) {
        count = ceil_div(write_capacity * rates[READ] + read_capacity * rates[WRITE],
                         rates[READ] * rates[WRITE]);
    } else {
        int64_t for_reads = ceil_div(read_capacity, rates[READ]);
        int64_t for_writes = ceil_div(write_capacity, rates[WRITE]);
        count = for_reads > for_writes ? for_reads : for_writes;
    }
    int64_t for_bytes = ceil_div(bytes, limits->bytes);
    if (for_bytes > count) count = for_bytes;
    return count > 1 ? count : 1;
}

static int64_t depth_nano(int64_t rate, int64_t depth_ns) {
    int64_t depth = rate * depth_ns; /* units a second x nanoseconds are billionths of a unit */
    return depth > NANO ? depth : NANO;
}

bool space_init(struct space *space, uint32_t count, const struct space_limits *limits,
                int64_t now_ns) {
    CHECK(count >= 1);
    *space = (struct space){.count = count};
    for (int d = 0; d < DIRECTIONS; d++)
        space->rules[d] =
            (struct bucket_rule){limits->rates[d], depth_nano(limits->rates[d], limits->depth_ns)};
    space->partitions = aligned_alloc(64, count * sizeof *space->partitions);
    space->lows = calloc(count, sizeof *space->lows);
    space->items = calloc(count, sizeof *space->items);
    if (!space->partitions || !space->lows || !space->items) {
        space_deinit(space);
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        space->partitions[i] = (struct partition){0};
        for (int d = 0; d < DIRECTIONS; d++)
            bucket_fill(&space->partitions[i].buckets[d], now_ns, space->rules[d].cap_nano);
        /* The least hash h with h x count / 2^64 = i. */
        uint64_t hash = (uint64_t)((((uint128)i << 64) + count - 1) / count);
        space->lows[i] = (uint128)hash << 64;
    }
    CHECK_DEBUG(space_is_valid(space));
    return true;
}

void space_deinit(struct space *space) {
    free(space->partitions);
    free(space->lows);
    free(space->items);
    *space = (struct space){0};
}

/* What the first `parts` of `count` equal parts hold. */
static int64_t part_of(int64_t whole, uint32_t parts, uint32_t count) {
    return (int64_t)((int128)whole * parts / count);
}

void space_place_evenly(struct space *space, int64_t items, int64_t bytes) {
    CHECK(items >= 0 && bytes >= 0);
    for (uint32_t i = 0; i < space->count; i++)
        space_change(space, i,
                     part_of(items, i + 1, space->count) - part_of(items, i, space->count),
                     part_of(bytes, i + 1, space->count) - part_of(bytes, i, space->count));
}

uint32_t space_find(const struct space *space, uint128 position) {
    CHECK_DEBUG(space->count > 0);
    /* Equal slices are hit at the first guess; otherwise the guess is near. */
    uint32_t i = (uint32_t)(((uint128)(uint64_t)(position >> 64) * space->count) >> 64);
    while (space->lows[i] > position)
        i--;
    while (i + 1 < space->count && space->lows[i + 1] <= position)
        i++;
    return i;
}

uint128 space_high(const struct space *space, uint32_t partition) {
    CHECK(partition < space->count);
    return partition + 1 < space->count ? space->lows[partition + 1] - 1 : ~(uint128)0;
}

bool space_is_valid(const struct space *space) {
    if (space->count == 0 || space->lows[0] != 0) return false;
    for (uint32_t i = 1; i < space->count; i++)
        if (space->lows[i] <= space->lows[i - 1]) return false;
    return true;
}
