/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table or an index as far as they are alike: provisioned capacity with its burst buckets, partitions,
 * and what is counted for the log. Rules M-30 to M-33, M-40, M-61.
 */
#ifndef MODEL_RESOURCE_H
#define MODEL_RESOURCE_H

#include <model/space.h>

/* Why one direction of a resource refused, for CloudWatch's event metrics. */
enum refusal { REFUSAL_PROVISIONED, REFUSAL_KEY_RANGE, REFUSALS };

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

/* Quiet time that separates two spells of throttling. */
#define RESOURCE_QUIET_NS (60 * NS_PER_S)

struct resource {
    const char *table_name, *index_name; /* index_name NULL for a table */
    uint32_t number;                     /* resource_id in the log */
    bool unlimited;                      /* lab switch: nothing is refused */
    int64_t capacity[DIRECTIONS];        /* units a second */
    int64_t window_ns;                   /* burst retention */
    struct bucket buckets[DIRECTIONS];
    struct bucket_rule rules[DIRECTIONS];
    struct space space;
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
    int64_t capacity[DIRECTIONS];
    struct ddbsim_burst burst;
    uint32_t partitions; /* 0: from capacity and bytes */
    int64_t bytes;       /* at start */
    struct space_limits limits;
};

/* As stated, else from capacity and bytes. */
int64_t resource_partition_count(const struct resource_options *options);
bool resource_init(struct resource *resource, const struct resource_options *options,
                   int64_t now_ns);
void resource_deinit(struct resource *resource);
/* New capacity acts at once: the cap follows, tokens are kept and clipped. */
void resource_set_capacity(struct resource *resource, enum direction direction, int64_t capacity,
                           int64_t now_ns);

static inline bool resource_has_tokens(struct resource *resource, enum direction direction,
                                       int64_t now_ns) {
    return bucket_admits(&resource->buckets[direction], &resource->rules[direction], now_ns) ||
           resource->unlimited;
}
static inline bool resource_partition_has_tokens(struct resource *resource, uint32_t partition,
                                                 enum direction direction, int64_t now_ns) {
    CHECK_DEBUG(partition < resource->space.count);
    return bucket_admits(&resource->space.partitions[partition].buckets[direction],
                         &resource->space.rules[direction], now_ns) ||
           resource->unlimited;
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
