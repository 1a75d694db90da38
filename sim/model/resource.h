/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table or an index as far as they are alike: what limits it as a whole (provisioned capacity with its
 * burst, or what an on-demand table has grown to, its maximum and its quota), its partitions, and what is
 * counted for the log. Rules M-29 to M-40, M-42 to M-45, M-61.
 */
#ifndef MODEL_RESOURCE_H
#define MODEL_RESOURCE_H

#include <model/allocation.h>
#include <model/grants.h>
#include <model/growth.h>
#include <model/nodes.h>
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

/* An index may come and go while the run goes on (M-58, M-59): one that is not there is asked nothing and tells
 * nothing. */
enum presence { PRESENCE_ACTIVE, PRESENCE_ABSENT, PRESENCE_BUILDING, PRESENCE_GONE };

/* What a table or an index serves of its capacity: parts / of; 1 / 1 but while a fault lasts (M-101). To stay in
 * integers its bucket counts everything `of` times, and refills at `parts` times the rate. */
struct serving {
    int64_t parts, of;
};

/* Quiet time that separates two spells of throttling. */
#define RESOURCE_QUIET_NS (60 * NS_PER_S)

struct resource {
    const char *table_name, *index_name; /* index_name NULL for a table */
    uint32_t number;                     /* resource_id in the log */
    uint32_t table;                      /* that it is, or is an index of */
    enum presence presence;
    bool unlimited;  /* lab switch: nothing is refused */
    bool on_demand;  /* PAY_PER_REQUEST */
    bool is_strict;  /* nothing admits on credit (M-33) */
    bool is_special; /* that, or a partition's limits are not the usual ones (M-23, M-29) */
    bool is_divided; /* partitions are bound by more than their limits: by shares or nodes */
    bool leaks;      /* what refuses costs what had admitted before it (M-39) */
    bool is_faulty;  /* a fault is on it, which attempts must look at */
    bool is_usual;   /* its own bucket and the partition's are all that binds: none of the above */
    struct serving serving;
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
    struct grants *grants; /* of its tokens to request routers; NULL: they ask each time */
    struct nodes *nodes;   /* that bound its partitions; NULL: none does */
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
    double written_limit[DIRECTIONS];
};

struct resource_options {
    const char *table_name, *index_name;
    uint32_t number;
    enum presence presence;
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
/* A fault begins, or ends (1 / 1): from now on it serves so much of its capacity, and nothing that it has saved. */
void resource_serve(struct resource *resource, struct serving serving, int64_t now_ns);
/* Attempts must look at it, or need not. */
void resource_set_faulty(struct resource *resource, bool is_faulty);
/* Units a second that it serves now, and units that its bucket holds. */
double resource_limit(const struct resource *resource, enum direction direction);
int64_t resource_level_nano(const struct resource *resource, enum direction direction);
/* What an on-demand resource serves now, from its growth and its partitions (M-43). */
int64_t resource_on_demand_limit(const struct resource *resource, enum direction direction);
/* The capacity mode changes: on-demand keeps the most that it has had if that is more than it starts with. */
void resource_set_mode(struct resource *resource, bool on_demand,
                       const int64_t capacity[DIRECTIONS], int64_t now_ns);

static inline bool resource_exists(const struct resource *resource) {
    return resource->presence == PRESENCE_ACTIVE || resource->presence == PRESENCE_BUILDING;
}

/* What a read or write asks of which of a partition's replicas. */
struct demand {
    uint32_t slot;
    uint32_t direction; /* enum direction */
    uint32_t lane;      /* the leader's bucket that serves it */
    uint32_t replica;   /* 0: the leader */
    bool is_bound;      /* an eventual read that the leader counts twice (M-23) */
    int64_t units_nano; /* as capacity counts */
    int64_t cost_nano;  /* as that replica counts: blocks for eventual reads, its lane's units */
    int64_t need_nano;  /* what its bucket must hold of that (M-33) */
};

/* First time at which its limits as a whole admit, not before now. */
int64_t resource_ready_ns(struct resource *resource, enum direction direction, int64_t need_nano,
                          int64_t now_ns);
/* First time at which the partition does. */
int64_t resource_partition_ready_ns(struct resource *resource, const struct demand *demand,
                                    int64_t now_ns);
/* The most that any of the buckets on the way of a write to that partition ever holds: what asks for more
 * must be content with it, where it cannot be refused. */
int64_t resource_most(const struct resource *resource, uint32_t slot);
/* AWS spends some of what was kept; a second has passed. */
void resource_steal(struct resource *resource, int64_t now_ns);

uint32_t resource_on_demand_short(struct resource *resource, enum direction direction,
                                  int64_t need_nano, int64_t now_ns);
/* Does a partition's share of the capacity, or its node, refuse? */
bool resource_divided_short(struct resource *resource, const struct demand *demand, int64_t now_ns);
void resource_divided_take(struct resource *resource, const struct demand *demand);
/* Where a resource is special: the demand as its buckets see it. */
void resource_specialize(const struct resource *resource, struct demand *demand, bool is_eventual);
void resource_on_demand_take(struct resource *resource, enum direction direction,
                             int64_t cost_nano);
/* Takes the tokens of its limits as a whole that admit, in the order of the checks (M-39), until one does
 * not: false. */
bool resource_leak(struct resource *resource, enum direction direction, int64_t cost_nano,
                   int64_t now_ns);

/* What a bucket must hold to admit a cost (M-33). */
static inline int64_t resource_need(const struct resource *resource, int64_t cost_nano) {
    return resource->is_strict && cost_nano > 1 ? cost_nano : 1;
}

/* Which limits of the whole resource refuse now: bits of enum refusal. */
static inline uint32_t resource_short(struct resource *resource, enum direction direction,
                                      int64_t need_nano, int64_t now_ns) {
    if (resource->on_demand)
        return resource_on_demand_short(resource, direction, need_nano, now_ns);
    bool has = bucket_admits(&resource->buckets[direction], &resource->rules[direction],
                             need_nano * resource->serving.of, now_ns);
    if (has || resource->unlimited || resource->allocations) return 0;
    return REFUSAL_BIT(REFUSAL_PROVISIONED);
}

/* An eventual read counts blocks of 4 KB, two for a unit (M-23). Filled in place: a copy would wait for the
 * small stores to become large loads. */
static inline void resource_demand(const struct resource *resource, uint32_t slot,
                                   enum direction direction, uint32_t replica, bool is_eventual,
                                   int64_t units_nano, struct demand *out) {
    out->slot = slot;
    out->direction = out->lane = (uint32_t)direction;
    out->replica = replica;
    out->is_bound = false;
    out->units_nano = units_nano;
    out->cost_nano = is_eventual ? 2 * units_nano : units_nano;
    out->need_nano = 1;
    if (resource->is_special) resource_specialize(resource, out, is_eventual);
}

static inline struct bucket *resource_bucket(struct resource *resource, const struct demand *demand,
                                             const struct bucket_rule **rule) {
    struct space *space = &resource->space;
    CHECK_DEBUG(demand->slot < space->count && demand->replica < SPACE_REPLICAS);
    *rule = demand->replica ? &space->replica_rule : &space->rules[demand->lane];
    return demand->replica ? &space->replicas[demand->slot][demand->replica]
                           : &space->partitions[demand->slot].buckets[demand->lane];
}

/* Does the partition itself refuse: its limit, its share of the capacity, or its node? */
static inline bool resource_partition_short(struct resource *resource, const struct demand *demand,
                                            int64_t now_ns) {
    const struct bucket_rule *rule;
    struct bucket *bucket = resource_bucket(resource, demand, &rule);
    bool is_short = !bucket_admits(bucket, rule, demand->need_nano, now_ns);
    if (demand->is_bound)
        is_short |= !bucket_admits(&resource->space.replicas[demand->slot][0],
                                   &resource->space.replica_rule, demand->need_nano, now_ns);
    if (resource->unlimited) return false;
    if (is_short) {
        resource->space.partitions[demand->slot].at_limit++;
        slotset_add(&resource->space.touched, demand->slot);
    }
    return (resource->is_divided && resource_divided_short(resource, demand, now_ns)) || is_short;
}

/* Needs both of the above to admit at the same time. */
static inline void resource_take(struct resource *resource, enum direction direction,
                                 int64_t cost_nano) {
    if (resource->allocations) return;
    bucket_take(&resource->buckets[direction], cost_nano * resource->serving.of);
    if (resource->on_demand) resource_on_demand_take(resource, direction, cost_nano);
}
static inline void resource_partition_take(struct resource *resource, const struct demand *demand) {
    const struct bucket_rule *rule;
    bucket_take(resource_bucket(resource, demand, &rule), demand->cost_nano);
    if (demand->is_bound)
        bucket_take(&resource->space.replicas[demand->slot][0], demand->cost_nano);
    if (resource->is_divided) resource_divided_take(resource, demand);
}
/* Traffic that the partition served: it is counted until the next tick. */
static inline void resource_served(struct resource *resource, uint32_t slot,
                                   enum direction direction, int64_t units_nano) {
    resource->space.partitions[slot].sample_nano[direction] += units_nano;
    slotset_add(&resource->space.touched, slot);
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
