/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The key space of one table or index and the partitions that tile it. A position is 128 bits: the hash
 * of the partition key, then the order-preserving position of the sort key. A partition owns a half-open
 * interval and has a bucket for each direction. Rules M-10, M-11, M-20, M-21, M-22; an index has a space
 * of its own (M-12).
 */
#ifndef MODEL_SPACE_H
#define MODEL_SPACE_H

#include <ddbsim/workload.h>
#include <model/bucket.h>

enum direction { READ, WRITE, DIRECTIONS };

/* What the hot path touches, in one cache line. */
struct partition {
    struct bucket buckets[DIRECTIONS];
    int64_t sample_nano[DIRECTIONS];       /* consumed since the last sample */
    uint32_t sample_throttled[DIRECTIONS]; /* refused by this partition since the last sample */
    int64_t bytes;
};
_Static_assert(sizeof(struct partition) == 64, "a partition is one cache line");

struct space {
    struct partition *partitions; /* in key order */
    uint128 *lows;                /* first position of each; lows[0] is 0 */
    int64_t *items;
    uint32_t count;
    uint32_t first_id; /* partition_id of partitions[0] in the log */
    struct bucket_rule rules[DIRECTIONS];
};

struct space_limits {
    int64_t rates[DIRECTIONS]; /* units a second of one partition */
    int64_t depth_ns;          /* bucket depth in time at that rate */
    int64_t bytes;             /* one partition holds */
    int64_t initial_rule;      /* enum ddbsim_initial_rule */
};

static inline uint128 space_position(const struct ddbsim_key *key) {
    return (uint128)key->hash << 64 | key->sort;
}

/* How many partitions a new table or index gets (M-21): from its capacity, at least what its bytes
 * need. */
int64_t space_initial_count(const struct space_limits *limits, int64_t read_capacity,
                            int64_t write_capacity, int64_t bytes);
/* `count` equal slices of the hash space with full buckets. False when memory is short. */
bool space_init(struct space *space, uint32_t count, const struct space_limits *limits,
                int64_t now_ns);
void space_deinit(struct space *space);
/* Lays items out evenly over the partitions. */
void space_place_evenly(struct space *space, int64_t items, int64_t bytes);
/* Items that came (or went), and by how much their bytes changed. Deleted items may be chosen again
 * (workloads keep no list of them), so the counts stop at nothing. */
static inline void space_change(struct space *space, uint32_t partition, int64_t items,
                                int64_t bytes) {
    int64_t *held_items = &space->items[partition];
    int64_t *held_bytes = &space->partitions[partition].bytes;
    *held_items = *held_items + items > 0 ? *held_items + items : 0;
    *held_bytes = *held_bytes + bytes > 0 ? *held_bytes + bytes : 0;
}
/* Number of the partition that owns a position. */
uint32_t space_find(const struct space *space, uint128 position);
/* Last position of a partition. */
uint128 space_high(const struct space *space, uint32_t partition);
/* The ranges tile the whole space in order: for tests and the debug tier. */
bool space_is_valid(const struct space *space);

#endif
