/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The key space of one table or index and the partitions that tile it. A position is 128 bits: the hash
 * of the partition key, then the order-preserving position of the sort key. A partition owns a half-open
 * interval and has a bucket for each direction. Rules M-10, M-11, M-20 to M-24; an index has a space of its
 * own (M-12).
 *
 * A partition is known by its slot, which it keeps as long as it lives. A split leaves the parent's slot
 * to the child with the lowest positions and gives the others new slots; slots are never given up, for
 * partitions never merge.
 */
#ifndef MODEL_SPACE_H
#define MODEL_SPACE_H

#include <ddbsim/workload.h>
#include <model/bucket.h>
#include <model/slotset.h>

enum direction { READ, WRITE, DIRECTIONS };

#define SPACE_REPLICAS 3 /* the leader and two followers */
#define SPACE_CUTS_MAX 2 /* of one split */

/* What the hot path touches, in one cache line. */
struct partition {
    struct bucket buckets[DIRECTIONS];     /* of the leader */
    int64_t sample_nano[DIRECTIONS];       /* consumed since the last tick */
    uint32_t sample_throttled[DIRECTIONS]; /* refused by this partition since the last tick */
    uint32_t watch;    /* number of the sample of its traffic (heat.h) + 1; 0: nobody watches */
    uint32_t at_limit; /* times that its own limit refused, since the last tick */
};
_Static_assert(sizeof(struct partition) == 64, "a partition is one cache line");

struct partition_holding {
    int64_t items, bytes;
};

struct space {
    struct partition *partitions; /* by slot */
    struct partition_holding *holdings;
    struct bucket (*replicas)[SPACE_REPLICAS]; /* for eventual reads, in blocks of 4 KB (M-23) */
    uint128 *firsts;                           /* first position of each */
    uint32_t *ids;                             /* partition_id in the log */
    struct slotset touched; /* asked of, or changed, since they were last looked at */
    uint32_t count, capacity;
    /* In key order. */
    uint128 *lows;   /* first position of each; lows[0] is 0 */
    uint32_t *slots; /* whose */
    /* Once partitions are no equal slices any more: for each of 2^start_bits equal slices of the hash space,
     * the place of the partition that holds its first position; one more at the end. */
    uint32_t *starts;
    uint32_t start_bits;
    bool uneven;
    struct bucket_rule rules[DIRECTIONS], replica_rule;
    /* A replica serves less to eventual reads than a leader to strong ones: the leader is bound twice. */
    bool leader_is_bound;
    uint8_t lanes[DIRECTIONS]; /* the leader's bucket that serves each; one for both: M-29 */
};

struct space_limits {
    int64_t rates[DIRECTIONS]; /* units a second of one partition */
    int64_t replica_rate;      /* blocks a second of one replica, for eventual reads */
    int64_t depth_ns;          /* bucket depth in time at that rate */
    int64_t bytes;             /* one partition holds */
    int64_t initial_rule;      /* enum ddbsim_initial_rule */
    bool coupled;              /* reads and writes share one limit */
};

static inline uint128 space_position(const struct ddbsim_key *key) {
    return (uint128)key->hash << 64 | key->sort;
}

/* How many partitions a new table or index gets (M-21): from its capacity, at least what its bytes
 * need. */
int64_t space_initial_count(const struct space_limits *limits, int64_t read_capacity,
                            int64_t write_capacity, int64_t bytes);
/* How many partitions serve these rates when traffic is even: warm throughput and on-demand limits. */
int64_t space_count_for(const struct space_limits *limits, int64_t read_rate, int64_t write_rate);
static inline bool space_is_coupled(const struct space *space) {
    return space->lanes[READ] == space->lanes[WRITE];
}
/* What units cost in the leader's bucket: where both share it, as much of it as of their own limit. */
int64_t space_lane_cost(const struct space *space, enum direction direction, int64_t units_nano);
/* `count` equal slices of the hash space with full buckets. False when memory is short. */
bool space_init(struct space *space, uint32_t count, const struct space_limits *limits,
                int64_t now_ns);
void space_deinit(struct space *space);
/* What the first `parts` of `count` equal parts hold. */
static inline int64_t space_part(int64_t whole, uint32_t parts, uint32_t count) {
    return (int64_t)((int128)whole * parts / count);
}
/* Lays items out evenly over the partitions. */
void space_place_evenly(struct space *space, int64_t items, int64_t bytes);
/* Items that came (or went), and by how much their bytes changed. Deleted items may be chosen again
 * (workloads keep no list of them), so the counts stop at nothing. */
static inline void space_change(struct space *space, uint32_t slot, int64_t items, int64_t bytes) {
    struct partition_holding *held = &space->holdings[slot];
    held->items = held->items + items > 0 ? held->items + items : 0;
    held->bytes = held->bytes + bytes > 0 ? held->bytes + bytes : 0;
}
/* What all its partitions hold. */
struct partition_holding space_held(const struct space *space);
/* Place of the partition that owns a position among equal slices, each of which begins with the least hash that
 * this calculates to its place. */
static inline uint32_t space_slice(const struct space *space, uint128 position) {
    CHECK_DEBUG(!space->uneven && space->count > 0);
    uint32_t i = (uint32_t)(((uint128)(uint64_t)(position >> 64) * space->count) >> 64);
    CHECK_DEBUG(space->lows[i] <= position);
    CHECK_DEBUG(i + 1 == space->count || space->lows[i + 1] > position);
    return i;
}
/* The slot of that partition once they are no equal slices any more. */
uint32_t space_search(const struct space *space, uint128 position);
/* Slot of the partition that owns a position. */
static inline uint32_t space_find(const struct space *space, uint128 position) {
    return space->uneven ? space_search(space, position) : space_slice(space, position);
}
/* Place of a slot in key order; first and last position of what stands there. */
uint32_t space_place(const struct space *space, uint32_t slot);
uint128 space_low(const struct space *space, uint32_t place);
uint128 space_high(const struct space *space, uint32_t place);
/* Room for `more` partitions. False when memory is short; nothing has changed then. */
bool space_grow(struct space *space, uint32_t more);
/* What one split does: `cuts` ascending positions inside the parent, each the first of a child. */
struct space_split {
    uint32_t count; /* cuts: one fewer than children */
    uint128 cuts[SPACE_CUTS_MAX];
    int64_t shares[SPACE_CUTS_MAX]; /* of the parent's items, left of each cut, in billionths */
};
/* One of the partitions that are split together. */
struct space_parting {
    struct space_split split;
    uint32_t slot;
    uint32_t first_child, place; /* found by space_split_all */
};
/*
 * Replaces partitions by their children, at once: full buckets, what they held divided. Needs room. The
 * children stand in slots `slot`, first_child, first_child + 1, ... in key order; the first parting's first
 * child is `count` as before the call, and the others follow. The partings are left in key order.
 */
void space_split_all(struct space *space, struct space_parting *partings, uint32_t partings_count,
                     int64_t now_ns);
/* The same of one. */
void space_split(struct space *space, uint32_t slot, const struct space_split *split,
                 int64_t now_ns);
/* The ranges tile the whole space in order: for tests and the debug tier. */
bool space_is_valid(const struct space *space);

#endif
