/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Provisioned capacity as it was before global admission control: each partition has a share of the
 * table's rate and a burst bucket of its own, and adaptive capacity, once there was any, raised the share
 * of a partition that was throttled while the table had capacity to spare. Rules M-34, M-35.
 *
 * A share is capacity / parts. To stay in integers a bucket counts everything `parts` times: it refills at
 * the table's whole rate, and a request costs `parts` times its units.
 */
#ifndef MODEL_ALLOCATION_H
#define MODEL_ALLOCATION_H

#include <model/space.h>

/* A share becomes no smaller, however often it is divided: a page's cost times so many fits an int64. */
#define ALLOCATION_PARTS_MAX (UINT32_C(1) << 20)

struct allocation { /* of one partition, in one direction */
    struct bucket bucket;
    struct bucket second;   /* a second of the share: what it has without burst (M-38) */
    int64_t boost_rate;     /* units a second instead of the share; 0: none */
    int64_t short_since_ns; /* refused ever since; TIME_NEVER: not */
    uint32_t parts;         /* the share is 1/parts of the capacity */
    uint32_t refused;       /* since the last tick */
};

struct allocations {
    struct allocation (*of)[DIRECTIONS]; /* by slot */
    uint32_t capacity;
    struct bucket_rule rules[DIRECTIONS]; /* of the whole table */
    bool is_quiet[DIRECTIONS]; /* nobody was refused or boosted lately: a tick has nothing to do */
    bool adaptive;
    int64_t delay_ns; /* of refusals before a boost */
};

bool allocations_init(struct allocations *allocations, uint32_t count, bool adaptive,
                      int64_t delay_ns);
void allocations_deinit(struct allocations *allocations);
bool allocations_grow(struct allocations *allocations, uint32_t count, uint32_t more);
/* All partitions get equal shares, as when a table is made or split for its rate. Buckets hold `level`
 * billionths of their cap. */
void allocations_share(struct allocations *allocations, uint32_t count,
                       const struct bucket_rule rules[DIRECTIONS], int64_t level, int64_t now_ns);
/* New rules of the table; shares stay shares, and keep what they hold or (`reset`) nothing. */
void allocations_change(struct allocations *allocations, uint32_t count,
                        const struct bucket_rule rules[DIRECTIONS], bool reset, int64_t now_ns);
/* Takes up to a share of a second's refill from what each kept. */
void allocations_steal(struct allocations *allocations, uint32_t count, int64_t share,
                       int64_t now_ns);
/* A partition's share is divided equally between it and `more` new slots from `count` on. */
void allocations_split(struct allocations *allocations, uint32_t slot, uint32_t count,
                       uint32_t more);
bool allocations_admit(struct allocations *allocations, uint32_t slot, enum direction direction,
                       int64_t need_nano, int64_t now_ns);
int64_t allocations_ready_ns(struct allocations *allocations, uint32_t slot,
                             enum direction direction, int64_t need_nano, int64_t now_ns);
/* Has the share so much without its burst? */
bool allocations_without_burst(struct allocations *allocations, uint32_t slot,
                               enum direction direction, int64_t need_nano, int64_t now_ns);
int64_t allocations_second_ready_ns(struct allocations *allocations, uint32_t slot,
                                    enum direction direction, int64_t need_nano, int64_t now_ns);
/* The most that a share ever holds, in billionths of a unit. */
int64_t allocations_most(const struct allocations *allocations, uint32_t slot,
                         enum direction direction);
void allocations_take(struct allocations *allocations, uint32_t slot, enum direction direction,
                      int64_t cost_nano);
/* Adaptive capacity looks at the last tick: `used_nano` is what the whole table consumed in it. */
void allocations_tick(struct allocations *allocations, uint32_t count, enum direction direction,
                      int64_t used_nano, int64_t tick_ns, int64_t now_ns);

#endif
