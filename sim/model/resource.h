/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table or an index as far as they are alike: what limits it as a whole (provisioned capacity with its
 * burst, or what an on-demand table has grown to, its maximum and its quota), its partitions, and what is
 * counted for the log. Rules M-30 to M-36, M-40 to M-45, M-61.
 */
#ifndef MODEL_RESOURCE_H
#define MODEL_RESOURCE_H

#include <model/allocation.h>
#include <model/growth.h>
#include <model/splitting.h>

/* Why one direction of a resource refused, in the order of the reasons (names.h). A set of them has a bit
 * for each. */
enum refusal {
    REFUSAL_ACCOUNT,
    REFUSAL_MAX_ON_DEMAND,
    REFUSAL_PROVISIONED,
    REFUSAL_KEY_RANGE, /* a partition's limit; an on-demand table that has outgrown its partitions too */
    REFUSALS
};
#define REFUSAL_BIT(why) (UINT32_C(1) << (why))

struct sample {
    int64_t sum_nano, count, minimum_nano, maximum_nano;
};

struct resource_second {
    int64_t used_nano[DIRECTIONS], demand_nano[DIRECTIONS];
    uint32_t throttled[DIRECTIONS];
};

struct resource_minute {
    struct sample consumed[DIRECTIONS];
    uint32_t throttled[DIRECTIONS];
    uint32_t refusals[DIRECTIONS][REFUSALS];
};

/* Decreases of provisioned capacity in a UTC day, which AWS bounds (M-47). */
struct decreases {
    int64_t day; /* since 1970 */
    int64_t count;
    int64_t last_ns; /* TIME_NEVER: there was none */
    bool told;       /* a scaler's refusal stands in the log */
};

/* Quiet time that separates two spells of throttling. */
#define RESOURCE_QUIET_NS (60 * NS_PER_S)

struct resource {
    const char *table_name, *index_name; /* index_name NULL for a table */
    uint32_t number;                     /* resource_id in the log */
    bool unlimited;                      /* lab switch: nothing is refused */
    bool on_demand;                      /* PAY_PER_REQUEST */
    int64_t capacity[DIRECTIONS]; /* units a second: provisioned, or what on-demand serves now */
    int64_t most[DIRECTIONS];     /* capacity that it has had: a switch to on-demand keeps it */
    int64_t since_ns[DIRECTIONS]; /* when it came to have this capacity */
    struct decreases decreases;
    int64_t window_ns, burst_window_ns; /* retention now; where capacity is provisioned */
    struct ddbsim_throughput warm;
    struct bucket buckets[DIRECTIONS];
    struct bucket_rule rules[DIRECTIONS];
    struct bucket maximum[DIRECTIONS], quota[DIRECTIONS]; /* on-demand */
    struct bucket_rule maximum_rules[DIRECTIONS];         /* rate 0: no maximum */
    struct bucket_rule quota_rules[DIRECTIONS];
    struct growth growth;            /* on-demand */
    int64_t told_limit[DIRECTIONS];  /* in the last event that told what it serves */
    struct allocations *allocations; /* admission by partition; NULL: by the whole */
    struct allocations *shares;      /* the same, kept while requests are paid for */
    struct space space;
    struct splitting splitting;
    const struct ddbsim_assumptions *model;
    struct resource_second second;
    struct resource_minute minute;
    int64_t last_refusal_ns[DIRECTIONS]; /* TIME_NEVER: none */
    bool throttling[DIRECTIONS];         /* a spell is open */
    int64_t burst_noted_ns[DIRECTIONS];  /* when burst was last noted empty; TIME_NEVER: never */
    /* What the last row of `second` said. */
    int64_t written_level_nano[DIRECTIONS], written_backlog_nano;
    int64_t written_capacity[DIRECTIONS];
};

struct resource_options {
    const char *table_name, *index_name;
    uint32_t number;
    bool unlimited, is_new;
    bool on_demand;
    int64_t capacity[DIRECTIONS]; /* provisioned */
    struct ddbsim_throughput maximum, warm, peak;
    struct ddbsim_burst burst;
    uint32_t partitions; /* 0: from capacity and bytes */
    int64_t bytes;       /* at start */
    const struct ddbsim_assumptions *model;
    uint64_t split_stream;  /* of random draws */
    bool whole_collections; /* a local index keeps items of one partition key together */
};

struct space_limits resource_limits(const struct ddbsim_assumptions *model);
/* As stated, else from capacity and bytes. */
int64_t resource_partition_count(const struct resource_options *options);
bool resource_init(struct resource *resource, const struct resource_options *options,
                   int64_t now_ns);
void resource_deinit(struct resource *resource);
/* New capacity acts at once: the cap follows, tokens are kept and clipped. */
void resource_set_capacity(struct resource *resource, enum direction direction, int64_t capacity,
                           int64_t now_ns);
/* What an on-demand resource serves now, from its growth and its partitions (M-43). */
int64_t resource_on_demand_limit(const struct resource *resource, enum direction direction);
/* The capacity mode changes: on-demand keeps the most that it has had if that is more than it starts with. */
void resource_set_mode(struct resource *resource, bool on_demand,
                       const int64_t capacity[DIRECTIONS], int64_t now_ns);

/* First time at which its limits as a whole admit, not before now. */
int64_t resource_ready_ns(struct resource *resource, enum direction direction, int64_t now_ns);

uint32_t resource_on_demand_short(struct resource *resource, enum direction direction,
                                  int64_t now_ns);
bool resource_allocation_short(struct resource *resource, uint32_t slot, enum direction direction,
                               int64_t now_ns);
void resource_on_demand_take(struct resource *resource, enum direction direction,
                             int64_t cost_nano);

/* Which limits of the whole resource refuse now: bits of enum refusal. */
static inline uint32_t resource_short(struct resource *resource, enum direction direction,
                                      int64_t now_ns) {
    if (resource->on_demand) return resource_on_demand_short(resource, direction, now_ns);
    bool has = bucket_admits(&resource->buckets[direction], &resource->rules[direction], now_ns);
    if (has || resource->unlimited || resource->allocations) return 0;
    return REFUSAL_BIT(REFUSAL_PROVISIONED);
}

/* What a read or write asks of which of a partition's replicas. */
struct demand {
    uint32_t slot;
    uint8_t direction; /* enum direction */
    uint8_t replica;   /* 0: the leader */
    int64_t cost_nano; /* as that replica counts: units, or blocks for eventual reads (M-23) */
};

static inline struct bucket *resource_bucket(struct resource *resource, const struct demand *demand,
                                             const struct bucket_rule **rule) {
    struct space *space = &resource->space;
    CHECK_DEBUG(demand->slot < space->count && demand->replica <= SPACE_FOLLOWERS);
    *rule = demand->replica ? &space->follower_rule : &space->rules[demand->direction];
    return demand->replica ? &space->followers[demand->slot][demand->replica - 1]
                           : &space->partitions[demand->slot].buckets[demand->direction];
}

/* Does the partition itself refuse: its limit, or its share of the capacity? */
static inline bool resource_partition_short(struct resource *resource, const struct demand *demand,
                                            int64_t now_ns) {
    const struct bucket_rule *rule;
    struct bucket *bucket = resource_bucket(resource, demand, &rule);
    bool is_short = !bucket_admits(bucket, rule, now_ns);
    if (resource->unlimited) return false;
    if (is_short) resource->space.partitions[demand->slot].at_limit++;
    return (resource->allocations &&
            resource_allocation_short(resource, demand->slot, (enum direction)demand->direction,
                                      now_ns)) ||
           is_short;
}

/* Needs both of the above to admit at the same time. */
static inline void resource_take(struct resource *resource, enum direction direction,
                                 int64_t cost_nano) {
    if (resource->allocations) return;
    bucket_take(&resource->buckets[direction], cost_nano);
    if (resource->on_demand) resource_on_demand_take(resource, direction, cost_nano);
}
static inline void resource_partition_take(struct resource *resource, const struct demand *demand,
                                           int64_t units_nano) {
    const struct bucket_rule *rule;
    bucket_take(resource_bucket(resource, demand, &rule), demand->cost_nano);
    if (resource->allocations)
        allocations_take(resource->allocations, demand->slot, (enum direction)demand->direction,
                         units_nano);
}
static inline void sample_add(struct sample *sample, int64_t nano) {
    if (sample->count == 0 || nano < sample->minimum_nano) sample->minimum_nano = nano;
    if (nano > sample->maximum_nano) sample->maximum_nano = nano;
    sample->sum_nano += nano;
    sample->count++;
}

/* One sample of consumption: what CloudWatch adds to the consumed metric. */
static inline void resource_consumed(struct resource *resource, enum direction direction,
                                     int64_t nano) {
    sample_add(&resource->minute.consumed[direction], nano);
    resource->second.used_nano[direction] += nano;
}
/* One throttle event of this resource's own dimension. */
static inline void resource_refused(struct resource *resource, enum direction direction,
                                    enum refusal why) {
    resource->second.throttled[direction]++;
    resource->minute.throttled[direction]++;
    resource->minute.refusals[direction][why]++;
}

#endif
