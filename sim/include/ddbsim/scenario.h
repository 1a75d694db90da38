/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario as plain, validated data: what the loader makes of YAML and what a program may build in
 * code. Nothing here refers to text positions; whatever stands in these structs has been checked.
 *
 * Times are nanoseconds since the scenario's start. Shares are billionths (61 % = 610 000 000).
 * Sizes are bytes. Capacities are whole units a second. References between parts are array indices.
 */
#ifndef DDBSIM_SCENARIO_H
#define DDBSIM_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ddbsim/assumptions.h>
#include <ddbsim/error.h>
#include <ddbsim/names.h>

#define DDBSIM_SHARE_ONE INT64_C(1000000000)
#define DDBSIM_NO_TIME INT64_MIN
#define DDBSIM_NONE UINT32_MAX
#define DDBSIM_THETA_MAX 5
#define DDBSIM_SCALE_MAX 1e6
#define DDBSIM_FOLLOWERS_MAX 60    /* indexes and replicas that one write or transaction leads to */
#define DDBSIM_INDEXES_MAX 20      /* AWS's default quota of global indexes a table */
#define DDBSIM_LOCAL_INDEXES_MAX 5 /* AWS's limit */
#define DDBSIM_ITEM_BYTES_MAX (400 * 1024) /* AWS's limit */
#define DDBSIM_PARTITIONS_MAX 100000       /* of one table or index */
#define DDBSIM_SHARDS_MAX 100000           /* suffixes of one entity */
#define DDBSIM_WORKLOADS_MAX 1024
#define DDBSIM_SEGMENTS_MAX 10000           /* of a parallel Scan */
#define DDBSIM_GROWING_ITEMS_MAX (1u << 24) /* of an entity whose items grow: each has its size */
#define DDBSIM_ENTITY_MAX \
    0xffffffu                   /* largest number of an entity: index work keeps it in 24 bits */
#define DDBSIM_VALUE_SETS_MAX 8 /* value sets that one workload's keys may draw from */

/* ---- keys ---- */

enum ddbsim_distribution {
    DDBSIM_UNIFORM,
    DDBSIM_ZIPFIAN,    /* rank r has weight 1 / r^theta; value numbers are ranks unless scrambled */
    DDBSIM_SEQUENTIAL, /* 0, 1, 2, ... and round again */
    DDBSIM_LATEST,     /* zipfian from the highest number down */
    DDBSIM_EXPONENTIAL, /* the first 85.71 % of the values have 95 % of the traffic, as in YCSB */
    DDBSIM_HOTSPOT, /* a share of the values has a share of the traffic, evenly inside each part */
    DDBSIM_TOP,     /* the first values have these shares, the others the rest, by rank */
    DDBSIM_SINGLE,  /* always value 0 */
    DDBSIM_YCSB_ZIPFIAN, /* what YCSB calls zipfian: ranks among 10^10, hashed into a key space */
    DDBSIM_LIST          /* the listed words with the listed shares */
};

/* The value is the current period of local time. */
enum ddbsim_clock { DDBSIM_CLOCK_NONE, DDBSIM_CLOCK_DAY, DDBSIM_CLOCK_HOUR, DDBSIM_CLOCK_MONTH };

/* A named set of key values. {name} in a template draws one. */
struct ddbsim_values {
    const char *name;
    enum ddbsim_distribution distribution;
    uint64_t count; /* at least 1; is_new and clock: how many there are at start */
    int64_t theta;  /* ZIPFIAN, LATEST, TOP (of the rest; 0: evenly): billionths, 0 .. 5e9 */
    bool scrambled; /* ZIPFIAN: popularity does not follow the value's number */
    const char *const *
        words; /* LIST: count words; TOP: share_count, or NULL. A number is the text of other values */
    const int64_t
        *shares; /* LIST: count shares that sum to one; TOP: share_count of the first values */
    uint32_t share_count;
    int64_t hot_keys, hot_traffic; /* HOTSPOT: shares */
    int64_t moves_ns;              /* HOTSPOT: who is popular changes so often; 0: never */
    uint64_t keyspace;             /* YCSB_ZIPFIAN: ranks are hashed into it; above count */
    uint64_t sorted; /* the values come in order, so many draws a pass; 0: at random */
    bool is_new;     /* every insert makes a new value, the first of them `start` */
    uint64_t start;  /* not below count */
    enum ddbsim_clock clock;
};

/* The first so many values are words. */
static inline uint64_t ddbsim_values_words(const struct ddbsim_values *values) {
    if (!values->words) return 0;
    return values->distribution == DDBSIM_LIST ? values->count : values->share_count;
}

enum ddbsim_part_kind {
    DDBSIM_PART_TEXT,   /* literal text */
    DDBSIM_PART_VALUES, /* a value of scenario->values[values] */
    DDBSIM_PART_TIME,   /* {time}: the moment of the write, increasing */
    DDBSIM_PART_UUID,   /* {uuid}: random, one an item */
    DDBSIM_PART_N,      /* {n}: 1, 2, 3 inside one partition key */
    DDBSIM_PART_SHARD   /* {shard}: the suffix of write sharding, 1 to the entity's shards.count */
};

struct ddbsim_template_part {
    enum ddbsim_part_kind kind;
    const char *text;
    uint32_t values;
    bool is_new; /* VALUES: of a set in which every insert makes a value */
};

struct ddbsim_template {
    const char *text; /* as written; NULL where the key has no such part */
    const struct ddbsim_template_part *parts;
    uint32_t part_count;
};

/* ---- capacity that moves ---- */

/* `says_*`: the scenario is a change's `after`, and that change says so, be it what was said before: scalers,
 * scheduled actions and refusals may have left something else. */

/* Application Auto Scaling, target tracking of one direction of a table or an index (M-90 to M-95). */
struct ddbsim_target_tracking {
    bool enabled;
    int64_t min_capacity, max_capacity; /* units a second, 1 <= min <= max */
    int64_t target;                     /* share of the capacity that is consumed, 20 to 90 % */
    int64_t scale_out_cooldown_ns, scale_in_cooldown_ns; /* 0 to an hour */
    bool disable_scale_in;
    bool says_min, says_max;
};

/* New bounds of the policies at one moment, units a second. -1: as they were. */
struct ddbsim_scheduled_action {
    const char *name; /* as written, else its number */
    int64_t at_ns;
    int64_t read_min, read_max, write_min, write_max;
};

/* A rule of a home-made scaler: when, and to what. One of by_share, by_units and to is not 0. */
struct ddbsim_scaler_rule {
    bool enabled;
    /* Share of the capacity that was consumed over the look-back: up beyond it, down below; -1: consumption
     * does not matter. */
    int64_t threshold;
    int64_t throttles; /* up: so many throttle events in the look-back; 0: they do not matter */
    int64_t by_share;  /* of the capacity now */
    int64_t by_units;  /* units a second */
    int64_t to;        /* the consumption divided by this share */
};

/* A loop of the user's own that reads CloudWatch and calls UpdateTable (M-96). */
struct ddbsim_scaler {
    bool enabled;
    bool reads, writes;             /* which capacities it moves */
    int64_t every_ns, look_back_ns; /* whole seconds; whole minutes */
    struct ddbsim_scaler_rule up, down;
    bool throttle_veto; /* no step down while there were throttle events in the look-back */
    int64_t min_capacity, max_capacity; /* units a second, 1 <= min <= max */
};

/* What moves the capacity of one table or one index. */
struct ddbsim_auto_scaling {
    struct ddbsim_target_tracking read, write;
    const struct ddbsim_scheduled_action *actions; /* by time, then as written */
    uint32_t action_count;
    struct ddbsim_scaler scaler; /* instead of target tracking */
};

/* ---- tables ---- */

enum ddbsim_ttl_unit { DDBSIM_TTL_SECONDS, DDBSIM_TTL_MILLISECONDS };

/* Time to Live of one entity's items (M-17 to M-19). */
struct ddbsim_ttl {
    bool enabled;
    int64_t after_ns; /* from its write until an item expires */
    enum ddbsim_ttl_unit unit;
    int64_t age_ns;      /* of the oldest item at start: ages are even from 0 */
    double inflow_per_s; /* items beside those that workloads write */
};

/* How an item gets its suffix (docs/model.md, M-13). */
enum ddbsim_shards_by {
    DDBSIM_SHARDS_RANDOM,  /* drawn for each write: no reader knows it */
    DDBSIM_SHARDS_PRODUCT, /* of the code points of a value's text, modulo count, plus 1 */
    DDBSIM_SHARDS_SUM,     /* the same of their sum */
    DDBSIM_SHARDS_HASH     /* the same of XXH3-64 of the text */
};

/* Write sharding: what {shard} in an entity's templates stands for. */
struct ddbsim_shards {
    uint32_t count; /* suffixes 1 to count; 0: none */
    enum ddbsim_shards_by by;
    uint32_t of; /* value set that the suffix is made from; DDBSIM_NONE where it is random */
};

/* Sizes of which each item has one, by its key and always the same (M-127). */
struct ddbsim_sizes {
    const uint32_t *bytes;
    const int64_t *until; /* up to which share each size goes, rising to one; NULL: all alike */
    uint32_t count;       /* 0: there is one size */
};

struct ddbsim_entity {
    const char *name;
    struct ddbsim_template partition_key;
    struct ddbsim_template sort_key; /* text NULL for a simple key */
    struct ddbsim_shards shards;
    uint64_t count;     /* items at start, spread evenly over the key's values */
    int64_t item_bytes; /* names included; of several sizes the mean */
    struct ddbsim_sizes sizes;
    struct ddbsim_ttl ttl;
};

struct ddbsim_burst {
    int64_t window_ns; /* unused capacity is kept this long; 300 s */
    int64_t initial;   /* share of the bucket at start; full for a table that has run for weeks */
};

/* Units a second, each way. 0: not stated. */
struct ddbsim_throughput {
    int64_t read, write;
};

enum ddbsim_billing { DDBSIM_PROVISIONED, DDBSIM_PAY_PER_REQUEST };
enum ddbsim_index_type { DDBSIM_GLOBAL, DDBSIM_LOCAL };

enum ddbsim_projection { DDBSIM_KEYS_ONLY, DDBSIM_INCLUDE, DDBSIM_ALL };

enum ddbsim_backpressure_preset {
    DDBSIM_OBSERVED, /* grace, buffer and resume from the assumptions */
    DDBSIM_TEXTBOOK  /* no grace, a buffer of 1 s of the index's capacity */
};

struct ddbsim_backpressure {
    enum ddbsim_backpressure_preset preset;
    int64_t buffer_units; /* -1: the preset's */
    int64_t grace_ns;     /* -1: the preset's */
    int64_t resume;       /* share; -1: the assumption */
    int scope;            /* enum ddbsim_reject_scope; -1: the assumption */
};

/* One entity in one index. A table has one of these for each of its entities, in that order. */
struct ddbsim_entry {
    bool in_index;                        /* false: the index never holds this entity */
    struct ddbsim_template partition_key; /* the entry's own, else the index's */
    struct ddbsim_template sort_key;      /* text NULL where the index has none */
    int64_t present;                      /* share of items that have the index's key */
    int64_t entry_bytes;                  /* INCLUDE and KEYS_ONLY; -1 for ALL: the item's size */
};

/* Bytes of the entry of an item of so many. */
static inline int64_t ddbsim_entry_bytes(const struct ddbsim_entry *entry, int64_t item_bytes) {
    return entry->entry_bytes >= 0 ? entry->entry_bytes : item_bytes;
}

struct ddbsim_index {
    const char *name;
    enum ddbsim_index_type type; /* LOCAL: no capacity of its own, the table pays */
    struct ddbsim_template partition_key;
    struct ddbsim_template sort_key;
    enum ddbsim_projection projection;
    int64_t read_capacity, write_capacity; /* 0 where the table pays per request, or LOCAL */
    bool says_read, says_write;
    struct ddbsim_throughput maximum, warm, previous_peak; /* as the table's */
    uint32_t partitions;                                   /* 0: from capacity and size */
    struct ddbsim_burst burst;
    struct ddbsim_auto_scaling scaling; /* its own: the table's policies do not reach it */
    struct ddbsim_backpressure backpressure;
    const struct ddbsim_entry *entries; /* one for each entity of the table */
    bool comes_later;                   /* a change creates it: at the start it is not there */
};

/* What a stream's records hold. All cost the same: nothing of the table's capacity. */
enum ddbsim_stream {
    DDBSIM_STREAM_NONE,
    DDBSIM_STREAM_KEYS,
    DDBSIM_STREAM_NEW_IMAGE,
    DDBSIM_STREAM_OLD_IMAGE,
    DDBSIM_STREAM_BOTH_IMAGES
};
/* Which records a reader wants: all, those of callers' writes, those of deletes by TTL. */
enum ddbsim_stream_records { DDBSIM_STREAM_ALL, DDBSIM_STREAM_CALLERS, DDBSIM_STREAM_TTL };

struct ddbsim_table {
    const char *name;
    enum ddbsim_billing billing;
    int64_t read_capacity, write_capacity; /* PROVISIONED; else 0 */
    bool says_billing, says_read, says_write;
    struct ddbsim_throughput maximum;       /* PAY_PER_REQUEST: on_demand_throughput */
    struct ddbsim_throughput warm;          /* warm_throughput: served from the start */
    struct ddbsim_throughput previous_peak; /* PAY_PER_REQUEST: reached before the start */
    bool is_new;                            /* just created: burst empty */
    bool throttling;     /* false: the same table without limits, to see the demand */
    uint32_t partitions; /* 0: from capacity and size */
    struct ddbsim_burst burst;
    enum ddbsim_stream stream;
    struct ddbsim_auto_scaling scaling;
    struct ddbsim_assumptions model; /* the scenario's, then the table's own */
    const struct ddbsim_entity *entities;
    uint32_t entity_count;
    const struct ddbsim_index *indexes;
    uint32_t index_count;
    /* A global table: its replicas stand behind all tables that the scenario writes, named TABLE@REGION. */
    const char *region; /* NULL: it is no global table */
    uint32_t home;      /* the table that names the replicas; itself where it is that */
};

/* ---- workloads ---- */

/* What a write does to the entry of one index: shares that sum to one. */
struct ddbsim_index_effect {
    int64_t add;       /* absent -> present: one index write */
    int64_t remove;    /* present -> absent: one index write */
    int64_t move;      /* the index key changes: two index writes */
    int64_t rewrite;   /* a projected attribute changes: one index write */
    int64_t untouched; /* nothing projected changes: none */
};

/* A value set as one operation sees it: with a popularity of its own. */
struct ddbsim_override {
    uint32_t of; /* which set of the scenario */
    struct ddbsim_values values;
};

struct ddbsim_operation {
    const char *name; /* as written, else the operation's name */
    enum ddbsim_operation_kind kind;
    uint32_t table, entity;
    int64_t weight;     /* share of the mix, any positive scale; in a sequence unused */
    int64_t item_bytes; /* what it writes, or the size of what it reads; of several the mean */
    struct ddbsim_sizes sizes; /* of single items; a page of a Query or Scan has the mean */
    bool consistent_read;      /* GetItem, Query */
    uint32_t index;            /* Query: of the table; DDBSIM_NONE: the table itself */
    uint64_t items;            /* Query: items that it reads */
    bool all_pages;            /* Query: page after page of 1 MB, else the first */
    bool renews_ttl;     /* writes of an entity with TTL: the item gets a new moment to expire */
    uint32_t batch_size; /* BatchGetItem, BatchWriteItem: members; else 0 */
    uint32_t times;      /* sequence: repetitions, at least 1 */
    int64_t probability; /* sequence: share of arrivals that do this step */
    const struct ddbsim_index_effect *effects; /* writes: one for each index of the table */
    int64_t returned;        /* Query, Scan: share of the items that a filter leaves */
    uint32_t total_segments; /* Scan: that run at once; else 0 */
    uint32_t parallel;       /* Query of several suffixes: how many at once; 0, 1: one by one */
    int64_t grows_bytes;     /* UpdateItem: what it adds to the item */
    int64_t deletes;         /* BatchWriteItem: share of its members that delete */
    int64_t condition_fails; /* writes: share whose condition does not hold */
    int64_t invalid;         /* share that AWS refuses as invalid */
    const char *refused;     /* AWS refuses all of them, for this; NULL: it does not */
    const struct ddbsim_operation *actions; /* of a transaction */
    uint32_t action_count;                  /* of these; each has `times` */
    bool checks;                            /* an action that only tests a condition */
    const struct ddbsim_override *keys;     /* key_count of them; NULL: none */
    uint32_t key_count;
    uint32_t asks;   /* GetItem, Query: so many suffixes, one after the other; 0: the item's own */
    bool sums;       /* of these each holds what is wanted; else one of them has the item */
    uint32_t modulo; /* GetItem: suffixes that its calculation knows of; 0: those that there are */
};

struct ddbsim_stage {
    const char *name;
    int64_t duration_ns;
    double target_per_s; /* requests a second at its end; the rate is linear in between */
};

enum ddbsim_arrivals { DDBSIM_POISSON, DDBSIM_PACED };
enum ddbsim_jitter {
    DDBSIM_JITTER_NONE,
    DDBSIM_JITTER_FULL,        /* U(0, wait) */
    DDBSIM_JITTER_EQUAL,       /* wait / 2 + U(0, wait / 2) */
    DDBSIM_JITTER_DECORRELATED /* U(base, 3 x the wait before) */
};

enum ddbsim_rounding {
    DDBSIM_ROUND_NONE,
    DDBSIM_ROUND_FLOOR_MS,  /* down to whole milliseconds */
    DDBSIM_ROUND_INT_MS,    /* a whole number of milliseconds is drawn */
    DDBSIM_ROUND_NEAREST_MS /* to the nearest */
};

#define DDBSIM_NO_CAP INT64_MAX

/* The wait before retry i, from 0: base x growth^(i + first_exponent), capped and jittered (M-71 to M-73). */
struct ddbsim_backoff {
    enum ddbsim_jitter jitter, throttling_jitter;
    int64_t base_ns, throttling_base_ns; /* the second after a throttle */
    int64_t growth;                      /* billionths, at least one */
    uint32_t first_exponent;
    int64_t max_backoff_ns; /* DDBSIM_NO_CAP: none */
    bool cap_after_jitter;  /* cuts what was drawn, else what is drawn from */
    bool no_jitter_at_cap;  /* a wait that the cap cuts is the cap itself */
    enum ddbsim_rounding round;
};

/* What a caller does with the members of a batch that come back unprocessed (docs/model.md, M-64). */
enum ddbsim_unprocessed {
    DDBSIM_UNPROCESSED_DROP,        /* it does not look */
    DDBSIM_UNPROCESSED_IMMEDIATE,   /* sends them again at once */
    DDBSIM_UNPROCESSED_EXPONENTIAL, /* sends them again after base x 2^i */
    DDBSIM_UNPROCESSED_TOP_UP       /* sends them with its process's next batch */
};

struct ddbsim_batch_unprocessed {
    enum ddbsim_unprocessed strategy;
    int64_t base_ns, cap_ns; /* EXPONENTIAL */
    uint32_t max_retries;    /* IMMEDIATE, EXPONENTIAL: of one batch */
};

/* A limit that callers keep themselves, each process its own (M-110, M-111). */
struct ddbsim_rate_limit {
    double per_s;          /* attempts; 0: none */
    bool adapts;           /* throttles lower it, and what follows holds */
    double minimum_per_s;  /* above 0 */
    int64_t decrease;      /* share that a throttle takes away */
    int64_t every_ns;      /* throttles lower it at most once in so long */
    double increase_per_s; /* more a second, in each second */
};

enum ddbsim_breaker_guards {
    DDBSIM_GUARDS_CALLS,  /* an open one fails calls at once */
    DDBSIM_GUARDS_RETRIES /* calls are made, and not tried again */
};
enum ddbsim_breaker_counts {
    DDBSIM_COUNTS_CALLS, /* of the SDK, with all their attempts */
    DDBSIM_COUNTS_ATTEMPTS,
    DDBSIM_COUNTS_FAILURES_PER_CALL /* failed attempts / calls begun: it may exceed one */
};

/* A circuit breaker, one a process (M-112, M-113). */
struct ddbsim_breaker {
    bool enabled;
    enum ddbsim_breaker_guards guards;
    enum ddbsim_breaker_counts counts;
    int64_t failures;  /* it opens when more than this share of what it counts has failed */
    int64_t window_ns; /* of that; 0: since the start */
    uint32_t minimum;  /* that must be counted before it opens */
    int64_t open_ns;   /* then it is half open; 0: it is judged anew each time */
    uint32_t trials;   /* calls that pass while it is half open, and decide */
};

/* A second layer of retries around the SDK's (M-114). */
struct ddbsim_wrapper {
    uint32_t max_attempts; /* calls of the SDK, the first included; 0, 1: no second layer */
    struct ddbsim_backoff backoff;
};

/* What a success gives back to the retry quota. */
enum ddbsim_refund {
    DDBSIM_REFUND_LAST_COST, /* what the last retry cost; the increment where there was none */
    DDBSIM_REFUND_AT_LEAST_INCREMENT, /* the same, and never less than the increment */
    DDBSIM_REFUND_COST_AND_INCREMENT  /* both together */
};
enum ddbsim_refill {
    DDBSIM_REFILL_MIN, /* up to the capacity */
    DDBSIM_REFILL_MAX  /* to the capacity at least, and beyond */
};
enum ddbsim_timeout_cost { DDBSIM_COST_OF_TIMEOUTS, DDBSIM_COST_OF_NO_RESPONSE };
enum ddbsim_quota_scope {
    DDBSIM_SCOPE_CLIENT, /* each process of each workload has its own */
    DDBSIM_SCOPE_PROCESS /* workloads of this scope share theirs, process by process */
};

/* Tokens that retries cost (M-74, M-75). */
struct ddbsim_retry_quota {
    bool enabled;
    int64_t capacity;
    int64_t retry_cost, timeout_retry_cost, throttling_retry_cost; /* by the error's class */
    enum ddbsim_timeout_cost timeout_cost_applies_to;
    int64_t no_retry_increment; /* back for a request that never retried */
    enum ddbsim_refund refund;
    enum ddbsim_refill success_refill;
    enum ddbsim_quota_scope scope;
    bool wait_when_empty; /* one backoff passes before the caller is told that no tokens are left */
};

enum ddbsim_limiter_start { DDBSIM_STARTS_AT_CREATION, DDBSIM_STARTS_AT_FIRST_ANSWER };

/* The rate limiter of adaptive mode (M-89). Billionths where no unit is named. */
struct ddbsim_rate_limiter {
    int64_t beta;                     /* what a throttle leaves of the rate */
    int64_t scale_constant;           /* of the cubic recovery */
    int64_t smoothing;                /* weight of the newest measurement */
    int64_t bucket_ns;                /* over which the rate is measured */
    int64_t min_fill_rate;            /* requests a second */
    int64_t min_capacity;             /* requests */
    int64_t max_rate_factor;          /* times the measured rate */
    enum ddbsim_limiter_start starts; /* its bucket fills from then on */
};

/* Which errors are retried (M-77). */
struct ddbsim_retry_on {
    bool throttling;
    bool transient;              /* HTTP 500, 502, 503, 504, and no answer at all */
    bool request_limit_exceeded; /* the code RequestLimitExceeded, as a throttle */
    bool limit_exceeded;         /* the code LimitExceededException, as a throttle */
    bool request_timeout;        /* the codes RequestTimeout and RequestTimeoutException */
    bool http_429;               /* without a code, as a throttle */
    bool http_509;
    bool replicated_write_conflict;
    bool transaction_conflict; /* of a plain write, or why a transaction was cancelled */
};

enum ddbsim_retry_after {
    DDBSIM_RETRY_AFTER_IGNORED,
    DDBSIM_RETRY_AFTER_CLAMPED, /* between the backoff and so much more */
    DDBSIM_RETRY_AFTER_OBEYED   /* in place of the backoff, up to its cap */
};

enum ddbsim_retry_mode {
    DDBSIM_MODE_NONE, /* one attempt */
    DDBSIM_MODE_LEGACY,
    DDBSIM_MODE_STANDARD,
    DDBSIM_MODE_ADAPTIVE, /* the only one with a rate limiter */
    DDBSIM_MODE_CUSTOM
};

#define DDBSIM_NO_TIMEOUT INT64_MAX

/* How callers retry (docs/model.md, M-70 to M-79, M-89, M-97). */
struct ddbsim_client {
    const char *preset;
    uint32_t processes; /* each owns a quota and a limiter; requests go to them uniformly */
    enum ddbsim_retry_mode retry_mode;
    uint32_t max_attempts; /* the first included; 1 is no retry */
    struct ddbsim_backoff backoff;
    struct ddbsim_retry_quota quota;
    struct ddbsim_rate_limiter limiter; /* ADAPTIVE */
    struct ddbsim_retry_on retry_on;
    enum ddbsim_retry_after retry_after;
    int64_t retry_after_max_extra_ns;               /* CLAMPED */
    int64_t connect_timeout_ns, attempt_timeout_ns; /* DDBSIM_NO_TIMEOUT: none */
    int64_t call_timeout_ns;                        /* of all attempts of a call */
    int64_t function_timeout_ns;                    /* of all calls of an arrival */
    struct ddbsim_batch_unprocessed unprocessed;
    struct ddbsim_rate_limit rate_limit;
    struct ddbsim_breaker breaker;
    struct ddbsim_wrapper wrapper;
};

/* A DAX cluster before the tables of a workload (M-88). */
struct ddbsim_dax {
    bool enabled;
    bool by_ratio; /* hits are a stated share, else what has been read or written within item_ttl */
    int64_t hit_ratio;   /* share of the eventual reads */
    int64_t item_ttl_ns; /* how long it keeps an item or a Query's result */
};

/* Environments that Lambda runs at once (M-117). */
struct ddbsim_concurrency {
    uint32_t minimum, maximum;
    uint32_t per_minute; /* more while messages wait, and fewer while none does */
};

/* A queue between the arrivals, which are its messages, and the Lambda that does their work (M-115 to M-117). */
struct ddbsim_queue {
    bool enabled;
    uint32_t batch_size; /* messages of one invocation */
    int64_t visibility_timeout_ns;
    uint32_t max_receive_count; /* then it is a dead letter */
    struct ddbsim_concurrency concurrency;
};

#define DDBSIM_STREAM_RETENTION_NS (86400 * INT64_C(1000000000))

/* A Lambda that reads a stream, shard by shard (M-118, M-119). */
struct ddbsim_stream_lambda {
    bool enabled;
    uint32_t batch_size;             /* records of one invocation, at most */
    uint32_t parallelization_factor; /* invocations of one shard at once */
    bool bisects;                    /* a batch that failed is tried again in halves */
    int64_t maximum_retry_attempts;  /* -1: until the records are too old */
    int64_t maximum_record_age_ns;
};

/* Load from a recording (docs/model.md, M-122 to M-125). Texts may be NULL where they say so. */
struct ddbsim_replay {
    const char *name;      /* of its file, as the scenario has it */
    const char *file;      /* where that is */
    const char *format;    /* NULL: from its content */
    const char *columns;   /* of csv and jsonl, "time=1,key=2"; NULL: from the names in it */
    const char *time_unit; /* s ms us ns; NULL: from its content */
    char delimiter;        /* 0: from its content */
    int64_t from_ns,
        to_ns;     /* the part of it that is replayed, as moments of the scenario; DDBSIM_NO_TIME */
    int64_t speed; /* billionths: 2 s of it pass in one where it is two billion */
    double amplify; /* so many arrivals for each */
    bool new_keys;  /* the further ones are after keys of their own */
    bool loop, shuffled;
    int64_t sample; /* share of the rows, billionths */
    bool
        throttled_are_requests; /* else attempts, of which the last one succeeded or was given up */
    bool skip_bad_rows;
};

struct ddbsim_workload {
    const char *name;
    uint32_t table; /* for operations that name none */
    int64_t start_ns, end_ns;
    double scale; /* multiplies rate and stages */
    enum ddbsim_arrivals arrivals;
    int64_t burst_on_ns, burst_off_ns; /* all arrivals of both come within the first; 0: evenly */
    double start_rate_per_s;           /* `rate` is a start_rate without stages */
    const struct ddbsim_stage *stages;
    uint32_t stage_count;
    /* A closed loop (k6's vus) instead of a rate: each of `vus` callers does one arrival after the other. */
    uint32_t vus;          /* 0: open */
    uint64_t iterations;   /* arrivals of all callers together; 0: until end */
    int64_t think_time_ns; /* between an arrival's end and the caller's next */
    bool
        reads_stream; /* instead of both: an arrival for each batch of records of a table's stream */
    uint32_t stream_of;
    enum ddbsim_stream_records stream_records;
    const struct ddbsim_replay *replay; /* instead of all of these: a recording; else NULL */
    struct ddbsim_stream_lambda lambda; /* it: else readers take all that is there */
    struct ddbsim_queue queue;          /* of a rate: arrivals are messages */
    uint32_t max_vus; /* open: arrivals in flight; more are dropped. 0: no bound */
    bool sequence;    /* each arrival does all operations in order, else one by weight */
    bool parallel;    /* a sequence: all at once */
    const struct ddbsim_operation *operations;
    uint32_t operation_count;
    struct ddbsim_client client;
    struct ddbsim_dax dax;
};

/* ---- what must come out ---- */

enum ddbsim_condition_kind {
    DDBSIM_CONDITION_METRIC,      /* an outcome or a CloudWatch metric lies in the range */
    DDBSIM_CONDITION_REASON,      /* the reason's share of throttled attempts lies in the range */
    DDBSIM_CONDITION_EVENT_FIRST, /* seconds since start of the first such event lie in the range */
    DDBSIM_CONDITION_EVENT_COUNT,
    DDBSIM_CONDITION_CAUSE,       /* the diagnosis names this cause */
    DDBSIM_CONDITION_ALARM_FIRST, /* seconds since start when the alarm first went to ALARM */
    DDBSIM_CONDITION_ALARM_COUNT  /* how often it did */
};

enum ddbsim_statistic {
    DDBSIM_SUM,
    DDBSIM_AVERAGE,
    DDBSIM_MINIMUM,
    DDBSIM_MAXIMUM,
    DDBSIM_SAMPLE_COUNT,
    DDBSIM_PER_SECOND, /* Sum divided by the seconds of the window */
    DDBSIM_P50,
    DDBSIM_P90,
    DDBSIM_P99
};

/* What is judged of several seeds: each of them, or one figure of them all. */
enum ddbsim_over { DDBSIM_EACH, DDBSIM_MEAN, DDBSIM_MEDIAN, DDBSIM_DEVIATION };

/* A threshold or an expectation. NULL tags do not restrict. */
struct ddbsim_condition {
    const char *text; /* as written, in one line: its name in table `verdict` */
    enum ddbsim_condition_kind kind;
    int number; /* METRIC: enum ddbsim_outcome, or DDBSIM_OUTCOME_KINDS + enum ddbsim_metric;
                   REASON, EVENT_*, CAUSE: their enum */
    const char *table, *index, *workload, *operation, *reason;
    const char *alarm;      /* ALARM_*: its name */
    int64_t from_ns, to_ns; /* DDBSIM_NO_TIME: the run's start, the run's end */
    enum ddbsim_statistic statistic;
    double low, high; /* in the metric's unit; shares as 0..1; infinities where open */
    bool low_open, high_open;
    enum ddbsim_over over;
};

/* ---- alarms ---- */

enum ddbsim_comparison {
    DDBSIM_GREATER,
    DDBSIM_GREATER_OR_EQUAL,
    DDBSIM_LESS,
    DDBSIM_LESS_OR_EQUAL
};

/* What CloudWatch puts in the place of datapoints that are not there (M-92). */
enum ddbsim_missing_data {
    DDBSIM_IGNORE, /* the state stays: what alarms of AWS/DynamoDB do unless told otherwise */
    DDBSIM_MISSING,
    DDBSIM_BREACHING,
    DDBSIM_NOT_BREACHING
};

enum ddbsim_alarm_statistic {
    DDBSIM_ALARM_SUM,
    DDBSIM_ALARM_AVERAGE, /* of the samples, which are requests: not a rate */
    DDBSIM_ALARM_MINIMUM,
    DDBSIM_ALARM_MAXIMUM,
    DDBSIM_ALARM_SAMPLE_COUNT,
    DDBSIM_ALARM_PERCENTILE /* SuccessfulRequestLatency alone */
};

/* An alarm of the user's own, in CloudWatch's words (M-91). */
struct ddbsim_alarm {
    const char *name;
    uint32_t table;    /* DDBSIM_NONE: a metric of the account */
    uint32_t index;    /* of the table; DDBSIM_NONE: the table itself */
    int operation;     /* enum ddbsim_operation_kind; -1: all together */
    uint32_t receiver; /* ReplicationLatency: the table in the receiving Region; else DDBSIM_NONE */
    enum ddbsim_metric metric;
    enum ddbsim_alarm_statistic statistic;
    int64_t percentile;                               /* PERCENTILE: share, 0 < p < 1 */
    int64_t period_s;                                 /* a multiple of 60 */
    uint32_t evaluation_periods, datapoints_to_alarm; /* N and M, 1 <= M <= N */
    enum ddbsim_comparison comparison;
    double threshold; /* in the metric's unit; of_capacity: share of provisioned, as 0..1 */
    bool of_capacity; /* consumed units, Sum: compared with the share of capacity x period */
    enum ddbsim_missing_data missing;
};

#define DDBSIM_ALARMS_MAX 1024
#define DDBSIM_ALARM_PERIODS_MAX 1440 /* evaluation periods: a day of minutes, as in CloudWatch */

/* ---- the whole ---- */

struct ddbsim_setting {
    const char *path, *value;
    bool by_option; /* of what was varied: --set set it, not the variant */
};

struct ddbsim_scenario;

enum ddbsim_change_kind { DDBSIM_SET, DDBSIM_CREATE_INDEX, DDBSIM_DELETE_INDEX };

/* Something people do while the run goes on. */
struct ddbsim_change {
    const char *name;
    int64_t at_ns;
    const struct ddbsim_setting *sets;
    uint32_t set_count;
    enum ddbsim_change_kind kind;
    uint32_t table, index;               /* CREATE_INDEX, DELETE_INDEX */
    const char *detail;                  /* name and sets as JSON, for log table event; NULL: {} */
    const struct ddbsim_scenario *after; /* the scenario once this and all earlier changes stand */
};

/* What AWS, the network or the callers' machines do for a while (docs/model.md, M-100 to M-104). */
enum ddbsim_fault_kind {
    DDBSIM_FAULT_CAPACITY,     /* a table and its indexes serve a share of their capacity */
    DDBSIM_FAULT_LATENCY,      /* a table answers more slowly */
    DDBSIM_FAULT_ERRORS,       /* a share of a table's answers is an HTTP 500 */
    DDBSIM_FAULT_DAX_FLUSH,    /* caches hold nothing any more */
    DDBSIM_FAULT_CLIENTS_PAUSE /* callers send nothing */
};

#define DDBSIM_FAULT_STEP (DDBSIM_SHARE_ONE / 10000) /* of CAPACITY: shares are multiples of it */

struct ddbsim_fault {
    enum ddbsim_fault_kind kind;
    int64_t at_ns,
        end_ns;         /* it begins in the run, and may outlast it; DAX_FLUSH: the same moment */
    uint32_t table;     /* DAX_FLUSH, CLIENTS_PAUSE: DDBSIM_NONE */
    uint32_t workload;  /* of these two: DDBSIM_NONE is all; else DDBSIM_NONE */
    int64_t to;         /* CAPACITY, ERRORS: share; LATENCY: ns */
    const char *detail; /* JSON, for log table event; NULL: {} */
};

struct ddbsim_scenario {
    const char *name, *title, *title_es; /* title_es NULL where there is one title */
    const char *start;                   /* ISO 8601 with offset */
    int64_t start_unix_s;
    int32_t utc_offset_s;
    int64_t duration_ns;
    uint64_t seed;
    struct ddbsim_assumptions model;
    const struct ddbsim_values *values;
    uint32_t value_count;
    const struct ddbsim_table *tables;
    uint32_t table_count;
    const struct ddbsim_workload *workloads;
    uint32_t workload_count;
    const struct ddbsim_change *changes; /* by time, then as written */
    uint32_t change_count;
    const struct ddbsim_fault *faults; /* those of one kind and place do not overlap */
    uint32_t fault_count;
    const struct ddbsim_alarm *alarms;
    uint32_t alarm_count;
    const char *const *variants; /* names only: a variant is a scenario of its own, see load */
    uint32_t variant_count;
    const struct ddbsim_condition *thresholds, *expect;
    uint32_t threshold_count, expect_count;
    /* Where it came from. */
    const char *place;   /* where the file was found: paths in it are seen from there */
    const char *file;    /* as given; "-" for standard input */
    const char *variant; /* "base" or the variant's name */
    const char *text;    /* the file's text */
    const struct ddbsim_setting *settings; /* resolved, flat, sorted by path */
    uint32_t setting_count;
    const struct ddbsim_setting *varied; /* what variant and --set put in place */
    uint32_t varied_count;
    void *arena; /* owns everything above */
};

struct ddbsim_load_options {
    const char *variant;     /* NULL or "base": none */
    const char *const *sets; /* "PATH=VALUE", applied after the variant */
    size_t set_count;
};

/*
 * Reads a scenario: a file, "-" for standard input, or the name of a gallery scenario. On success
 * *out belongs to the caller. DDBSIM_INPUT with place and hint for anything wrong in it.
 */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_scenario_load(const char *name, const struct ddbsim_load_options *options,
                     struct ddbsim_scenario **out, struct ddbsim_error *error);
/* The same from memory; `file` names it in messages. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_scenario_parse(const char *text, size_t length, const char *file,
                      const struct ddbsim_load_options *options, struct ddbsim_scenario **out,
                      struct ddbsim_error *error);
DDBSIM_API void ddbsim_scenario_destroy(struct ddbsim_scenario *scenario);

#endif
