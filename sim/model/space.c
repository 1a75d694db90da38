/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partitions over the key space. Sources: AWS developer guide, partitions and data distribution;
 * Elhemali et al., USENIX ATC 2022 (disjoint contiguous ranges of hash and sort key); the formula of the
 * initial number is the one AWS published before 2018. Invariants: ranges tile the space, in order; items
 * and bytes are conserved by a split.
 */
#include <model/space.h>

#include <stdlib.h>
#include <string.h>

static int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

int64_t space_count_for(const struct space_limits *limits, int64_t read_rate, int64_t write_rate) {
    CHECK(limits->rates[READ] > 0 && limits->rates[WRITE] > 0);
    int64_t for_reads = ceil_div(read_rate, limits->rates[READ]);
    int64_t for_writes = ceil_div(write_rate, limits->rates[WRITE]);
    int64_t count = for_reads > for_writes ? for_reads : for_writes;
    return count > 1 ? count : 1;
}

int64_t space_initial_count(const struct space_limits *limits, int64_t read_capacity,
                            int64_t write_capacity, int64_t bytes) {
    const int64_t *rates = limits->rates;
    int64_t count = limits->initial_rule == DDBSIM_INITIAL_SUM
                        ? ceil_div(write_capacity * rates[READ] + read_capacity * rates[WRITE],
                                   rates[READ] * rates[WRITE])
                        : space_count_for(limits, read_capacity, write_capacity);
    int64_t for_bytes = ceil_div(bytes, limits->bytes);
    if (for_bytes > count) count = for_bytes;
    return count > 1 ? count : 1;
}

int64_t space_lane_cost(const struct space *space, enum direction direction, int64_t units_nano) {
    CHECK_DEBUG(units_nano >= 0);
    int64_t lane_rate = space->rules[space->lanes[direction]].rate;
    int64_t rate = space->rules[direction].rate;
    return (int64_t)(((int128)units_nano * lane_rate + rate - 1) / rate);
}

static struct bucket_rule rule_of(int64_t rate, int64_t depth_ns) {
    int64_t depth = rate * depth_ns; /* units a second x nanoseconds are billionths of a unit */
    return (struct bucket_rule){rate, depth > NANO ? depth : NANO};
}

/* ---- memory ---- */

/* Moves `count` elements into room for more; false when memory is short and nothing has changed. */
static bool array_grow(void *array, size_t size, uint32_t count, uint32_t capacity) {
    void **items = array;
    size_t bytes = (capacity * size + 63) / 64 * 64;
    void *grown = aligned_alloc(64, bytes);
    if (!grown) return false;
    if (count > 0) memcpy(grown, *items, count * size);
    free(*items);
    *items = grown;
    return true;
}

/* Every partition from the place of one on: the slices that begin in it, or after it, find it there. */
static void starts_fill(struct space *space) {
    uint32_t place = 0;
    for (uint64_t slice = 0; slice < UINT64_C(1) << space->start_bits; slice++) {
        uint128 first = (uint128)(slice << (64 - space->start_bits)) << 64;
        while (place + 1 < space->count && space->lows[place + 1] <= first)
            place++;
        space->starts[slice] = place;
    }
    space->starts[UINT64_C(1) << space->start_bits] = space->count - 1;
}

/* A partition begins at `cut`: it and all after it have one more before them. */
static void starts_insert(struct space *space, uint128 cut) {
    CHECK_DEBUG(cut > 0 && space->start_bits > 0);
    uint64_t slices = UINT64_C(1) << space->start_bits;
    uint64_t slice = (uint64_t)((cut - 1) >> (128 - space->start_bits)) + 1;
    for (; slice <= slices; slice++)
        space->starts[slice]++;
}

/* About two slices a partition. */
static bool starts_create(struct space *space, uint32_t capacity) {
    uint32_t bits = 1;
    while (UINT32_C(1) << bits < 2 * capacity)
        bits++;
    uint32_t *starts = malloc((((size_t)1 << bits) + 1) * sizeof *starts);
    if (!starts) return false;
    free(space->starts);
    space->starts = starts;
    space->start_bits = bits;
    if (space->uneven) starts_fill(space);
    return true;
}

bool space_grow(struct space *space, uint32_t more) {
    if (space->capacity - space->count >= more) return true;
    uint32_t count = space->count, capacity = count + (more > count / 2 ? more : count / 2);
    if (!array_grow(&space->partitions, sizeof *space->partitions, count, capacity) ||
        !array_grow(&space->holdings, sizeof *space->holdings, count, capacity) ||
        !array_grow(&space->replicas, sizeof *space->replicas, count, capacity) ||
        !array_grow(&space->firsts, sizeof *space->firsts, count, capacity) ||
        !array_grow(&space->ids, sizeof *space->ids, count, capacity) ||
        !array_grow(&space->lows, sizeof *space->lows, count, capacity) ||
        !array_grow(&space->slots, sizeof *space->slots, count, capacity) ||
        !slotset_grow(&space->touched, capacity))
        return false;
    if (!starts_create(space, capacity)) return false;
    space->capacity = capacity;
    return true;
}

static void partition_reset(struct space *space, uint32_t slot, int64_t now_ns) {
    space->partitions[slot] = (struct partition){0};
    for (int d = 0; d < DIRECTIONS; d++)
        bucket_fill(&space->partitions[slot].buckets[d], now_ns, space->rules[d].cap_nano);
    for (int r = 0; r < SPACE_REPLICAS; r++)
        bucket_fill(&space->replicas[slot][r], now_ns, space->replica_rule.cap_nano);
    slotset_add(&space->touched, slot);
}

bool space_init(struct space *space, uint32_t count, const struct space_limits *limits,
                int64_t now_ns) {
    CHECK(count >= 1);
    *space = (struct space){.replica_rule = rule_of(limits->replica_rate, limits->depth_ns),
                            .leader_is_bound = limits->replica_rate < limits->rates[READ],
                            .lanes = {READ, limits->coupled ? READ : WRITE}};
    for (int d = 0; d < DIRECTIONS; d++)
        space->rules[d] = rule_of(limits->rates[d], limits->depth_ns);
    if (!space_grow(space, count)) {
        space_deinit(space);
        return false;
    }
    space->count = count;
    for (uint32_t i = 0; i < count; i++) {
        partition_reset(space, i, now_ns);
        space->holdings[i] = (struct partition_holding){0, 0};
        space->ids[i] = i;
        space->slots[i] = i;
        /* The least hash h with h x count / 2^64 = i. */
        uint64_t hash = (uint64_t)((((uint128)i << 64) + count - 1) / count);
        space->lows[i] = space->firsts[i] = (uint128)hash << 64;
    }
    CHECK_DEBUG(space_is_valid(space));
    return true;
}

void space_deinit(struct space *space) {
    free(space->partitions);
    free(space->holdings);
    free(space->replicas);
    free(space->firsts);
    slotset_deinit(&space->touched);
    free(space->ids);
    free(space->lows);
    free(space->slots);
    free(space->starts);
    *space = (struct space){0};
}

/* ---- what they hold ---- */

struct partition_holding space_held(const struct space *space) {
    struct partition_holding held = {0, 0};
    for (uint32_t slot = 0; slot < space->count; slot++) {
        held.items += space->holdings[slot].items;
        held.bytes += space->holdings[slot].bytes;
    }
    CHECK_DEBUG(held.items >= 0 && held.bytes >= 0);
    return held;
}

void space_place_evenly(struct space *space, int64_t items, int64_t bytes) {
    CHECK(items >= 0 && bytes >= 0);
    for (uint32_t i = 0; i < space->count; i++)
        space_change(space, space->slots[i],
                     space_part(items, i + 1, space->count) - space_part(items, i, space->count),
                     space_part(bytes, i + 1, space->count) - space_part(bytes, i, space->count));
}

/* ---- finding ---- */

/* A slice may hold many partitions, where a collection was split. */
static uint32_t place_search(const struct space *space, uint128 position) {
    uint64_t slice = (uint64_t)(position >> 64) >> (64 - space->start_bits);
    uint32_t low = space->starts[slice], high = space->starts[slice + 1];
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (space->lows[middle] <= position)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static uint32_t place_of(const struct space *space, uint128 position) {
    return space->uneven ? place_search(space, position) : space_slice(space, position);
}

uint32_t space_search(const struct space *space, uint128 position) {
    CHECK_DEBUG(space->uneven && space->count > 0);
    return space->slots[place_search(space, position)];
}

uint32_t space_place(const struct space *space, uint32_t slot) {
    CHECK(slot < space->count);
    uint32_t place = place_of(space, space->firsts[slot]);
    CHECK(space->slots[place] == slot);
    return place;
}

uint128 space_low(const struct space *space, uint32_t place) {
    CHECK(place < space->count);
    return space->lows[place];
}

uint128 space_high(const struct space *space, uint32_t place) {
    CHECK(place < space->count);
    return place + 1 < space->count ? space->lows[place + 1] - 1 : ~(uint128)0;
}

/* ---- splitting ---- */

static struct partition_holding holding_share(const struct partition_holding *whole,
                                              int64_t share) {
    CHECK(share >= 0 && share <= DDBSIM_SHARE_ONE);
    return (struct partition_holding){
        (int64_t)((int128)whole->items * share / DDBSIM_SHARE_ONE),
        (int64_t)((int128)whole->bytes * share / DDBSIM_SHARE_ONE),
    };
}

/* What lies left of each cut goes to the child there; the last child has the rest. */
static void holding_divide(struct space *space, const struct space_parting *parting) {
    const struct space_split *split = &parting->split;
    struct partition_holding whole = space->holdings[parting->slot], before = {0, 0};
    for (uint32_t i = 0; i <= split->count; i++) {
        struct partition_holding upto =
            i < split->count ? holding_share(&whole, split->shares[i]) : whole;
        uint32_t child = i == 0 ? parting->slot : parting->first_child + i - 1;
        space->holdings[child] =
            (struct partition_holding){upto.items - before.items, upto.bytes - before.bytes};
        CHECK(space->holdings[child].items >= 0 && space->holdings[child].bytes >= 0);
        before = upto;
    }
}

/* The children's slots, and what their slots alone need. */
static void parting_begin(struct space *space, struct space_parting *parting, uint32_t first_child,
                          int64_t now_ns) {
    const struct space_split *split = &parting->split;
    CHECK(split->count >= 1 && split->count <= SPACE_CUTS_MAX);
    CHECK(space->capacity - first_child >= split->count);
    parting->first_child = first_child;
    parting->place = space_place(space, parting->slot);
    CHECK(split->cuts[0] > space->lows[parting->place] &&
          split->cuts[split->count - 1] <= space_high(space, parting->place));
    holding_divide(space, parting);
    partition_reset(space, parting->slot, now_ns);
    for (uint32_t i = 0; i < split->count; i++) {
        partition_reset(space, first_child + i, now_ns);
        space->firsts[first_child + i] = split->cuts[i];
    }
}

static int by_place(const void *a, const void *b) {
    uint32_t x = ((const struct space_parting *)a)->place;
    uint32_t y = ((const struct space_parting *)b)->place;
    return x < y ? -1 : x > y;
}

/* From the highest on, each partition moves once, by as many as come before it. */
static void order_insert(struct space *space, const struct space_parting *partings,
                         uint32_t partings_count, uint32_t more) {
    uint32_t end = space->count;
    for (uint32_t i = partings_count; i-- > 0;) {
        const struct space_parting *parting = &partings[i];
        uint32_t after = parting->place + 1, moved = end - after;
        memmove(&space->lows[after + more], &space->lows[after], moved * sizeof *space->lows);
        memmove(&space->slots[after + more], &space->slots[after], moved * sizeof *space->slots);
        more -= parting->split.count;
        for (uint32_t c = 0; c < parting->split.count; c++) {
            space->lows[after + more + c] = parting->split.cuts[c];
            space->slots[after + more + c] = parting->first_child + c;
        }
        end = after;
    }
    CHECK(more == 0);
}

void space_split_all(struct space *space, struct space_parting *partings, uint32_t partings_count,
                     int64_t now_ns) {
    uint32_t count = space->count;
    CHECK(partings_count >= 1);
    for (uint32_t i = 0; i < partings_count; i++) {
        parting_begin(space, &partings[i], count, now_ns);
        count += partings[i].split.count;
    }
    qsort(partings, partings_count, sizeof *partings, by_place);
    order_insert(space, partings, partings_count, count - space->count);
    space->count = count;
    if (partings_count == 1 && space->uneven) {
        for (uint32_t i = 0; i < partings->split.count; i++)
            starts_insert(space, partings->split.cuts[i]);
    } else {
        starts_fill(space);
    }
    space->uneven = true;
    CHECK_DEBUG(space_is_valid(space));
}

void space_split(struct space *space, uint32_t slot, const struct space_split *split,
                 int64_t now_ns) {
    struct space_parting parting = {.split = *split, .slot = slot};
    space_split_all(space, &parting, 1, now_ns);
}

bool space_is_valid(const struct space *space) {
    if (space->count == 0 || space->lows[0] != 0) return false;
    for (uint32_t i = 1; i < space->count; i++)
        if (space->lows[i] <= space->lows[i - 1]) return false;
    for (uint32_t i = 0; i < space->count; i++)
        if (space->slots[i] >= space->count || space->firsts[space->slots[i]] != space->lows[i])
            return false;
    return true;
}
