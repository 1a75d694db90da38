/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How one table or index watches its partitions for heat and size, and the splits that it has under way:
 * the data. What is done with them stands in splits.h. Rules M-24 to M-28.
 */
#ifndef MODEL_SPLITTING_H
#define MODEL_SPLITTING_H

#include <model/heat.h>
#include <model/latency.h>

enum split_cause { SPLIT_HEAT, SPLIT_SIZE, SPLIT_CAPACITY, SPLIT_CAUSES };

/* One partition as it is watched, by slot. Times are TIME_NEVER where they do not apply. */
struct partition_watch {
    int64_t hot_since_ns; /* without a break */
    int64_t turn_ns;      /* the window's first half ends */
    int64_t judge_ns;     /* the window ends */
    int64_t cool_until_ns;
    int64_t told_ns;      /* when a refusal was last told */
    uint64_t last_weight; /* traffic of the last tick */
    /* For the log, since its last sample. */
    int64_t since_s, logged_nano[DIRECTIONS];
    uint32_t logged_throttled[DIRECTIONS];
    uint8_t told;      /* enum heat_verdict of that refusal */
    bool is_large;     /* watched for its bytes */
    bool is_splitting; /* a split is under way */
};

/* A split that is under way: the parent serves on. */
struct split_plan {
    struct space_split split;
    uint32_t slot;
    enum split_cause cause;
    int64_t at_s; /* when the children take over, s since start */
};

struct splitting {
    struct partition_watch *watches;
    uint32_t watch_capacity;
    struct split_plan *plans;
    uint32_t plan_count, plan_capacity;
    uint32_t planned;               /* partitions that they will add */
    uint32_t heat_count;            /* of them for heat */
    uint32_t watched;               /* partitions whose traffic is sampled */
    struct slotset to_log;          /* that have something for their next row of the log */
    int64_t ended_nano[DIRECTIONS]; /* consumed since the last tick by partitions that were split */
    uint64_t begun;                 /* splits so far: numbers their random draws */
    uint64_t sampled; /* samples so far: numbers theirs; ids of partitions count all tables' */
    uint64_t stream;
    bool whole_collections;
    bool keeps_size;       /* stated with fewer partitions than its bytes fill: left as stated */
    struct delay duration; /* for heat, and for capacity */
    int64_t size_shortest_ns, size_span_ns; /* for size: evenly between */
};

bool splitting_init(struct splitting *splitting, uint32_t count,
                    const struct ddbsim_assumptions *model, uint64_t stream,
                    bool whole_collections);
void splitting_deinit(struct splitting *splitting);
/* Room for `more` partitions beside `count`, and one more plan. False when memory is short. */
bool splitting_grow(struct splitting *splitting, uint32_t count, uint32_t more);
/* A new partition: nothing is known of it, and it does not split for heat before that time. */
void splitting_watch_begin(struct splitting *splitting, uint32_t slot, int64_t cool_until_ns);

#endif
