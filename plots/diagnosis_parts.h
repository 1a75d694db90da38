/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the parts of a diagnosis share. Facts are measured first (diagnosis_facts.c), then a cause is
 * decided (diagnosis.c), then sentences are made from both (diagnosis_why.c, diagnosis_fixes.c), and
 * only then is anything printed (diagnosis_print.c), so that text and JSON cannot differ.
 */
#ifndef PLOTS_DIAGNOSIS_PARTS_H
#define PLOTS_DIAGNOSIS_PARTS_H

#include <base/arena.h>
#include <plots/alarms.h>
#include <plots/diagnosis.h>
#include <plots/query.h>
#include <plots/words.h>
#include <string.h>

/* A number, share or duration as an argument of a format, in a buffer that lives as long as the block. */
#define COUNT(x) words_count((char[WORDS_BYTES]){0}, (x))
#define NUMBER(x) words_number((char[WORDS_BYTES]){0}, (x))
#define PERCENT(x) words_percent((char[WORDS_BYTES]){0}, (x))
#define DURATION(x) words_duration((char[WORDS_BYTES]){0}, (x))
#define CLOCK(d, t_s) facts_clock((d), (t_s), false, (char[QUERY_CLOCK_BYTES]){0})
#define CLOCK_S(d, t_s) facts_clock((d), (t_s), true, (char[QUERY_CLOCK_BYTES]){0})

/* Text in the diagnosis's arena; "" when memory is short, which is remembered. */
#define SAY(d, ...) diagnosis_keep((d), arena_printf((d)->arena, __VA_ARGS__))

/* Seconds of the run, [start_s, end_s). */
struct window {
    int64_t start_s, end_s;
};

/* A stretch of refusals on one resource in one direction. */
struct episode {
    const struct query_resource *resource;
    bool write, open; /* open: still going on when the run ended */
    int64_t start_ns, end_ns;
    int64_t refused; /* throttle events of it */
};

/* Refusals by first reason. */
struct refusal {
    const struct query_resource *resource;
    int reason; /* enum ddbsim_reason */
    enum ddbsim_cause cause;
    int64_t attempts, events; /* first_events, events */
    int64_t first_s;
};

/* One resource in one direction. Rates are units a second; NaN is unknown. */
struct flow {
    const struct query_resource *resource, *table; /* table: of an index, its table */
    bool write;
    struct window window;     /* of what follows */
    double capacity_per_s;    /* configured at the window's end */
    double consumed_per_s;    /* served in the window */
    double requests_per_s;    /* first attempts on the table, reads or writes */
    double units_per_request; /* served units / served requests of the table */
    double touched;           /* an index: share of base writes that touch it; a table: 1 */
    double demand_per_s;      /* requests_per_s x units_per_request */
    double needed_per_s;      /* the highest demand over the windows that matter */
    double partition_peak_per_s, partition_limit_per_s;
    double eventual_limit_per_s; /* where both strong and eventual reads are made; else 0 */
    bool strong_reads;           /* some, or nobody knows */
    int64_t shared_by; /* partitions that divide the capacity, each its limit; 0: none does */
    struct window partition_peak; /* the sample that it was taken from */
    int64_t refused;              /* throttle events over the whole run */
    /* Above its capacity when the run ended, on saved burst; end_demand_per_s is 0 where not. */
    struct window end;
    double end_demand_per_s, end_capacity_per_s, end_tokens, end_left_s;
};

/* A rise of the culprit's capacity that its main episode ended with; t_s -1: none. */
struct relief {
    int64_t t_s;
    double before_per_s, after_per_s;
};

/* A scaler's step out that answered refusals. */
struct scale_step {
    const char *by;           /* target_tracking, scaler or scheduled_action */
    int64_t asked_s, acted_s; /* acted_s INT64_MAX: not in this run */
    double from_per_s, to_per_s;
};

/* Refusals of one resource in one direction that waited for a scaler. */
#define STEPS_KEPT 8
struct lateness {
    const struct query_resource *resource;
    bool write;
    int64_t start_s, end_s, refused;     /* refused: until the last of the steps acted */
    struct scale_step steps[STEPS_KEPT]; /* the first of them, and the last */
    size_t step_count;                   /* kept */
    int64_t all_steps;
};

struct callers {
    const char *workload, *preset;
    int64_t processes; /* 0: unknown */
    int64_t requests, retries, refused_retries, throttled;
    int64_t quota_empty_s; /* first second with a refused retry; -1: none */
};

/* Something that failed for a while, and what fell into that time. */
struct fault {
    const char *kind, *to, *workload;      /* "" where there is none */
    const struct query_resource *resource; /* a table; NULL: it is the callers' */
    struct window window;
    int64_t refused, errors;
    int64_t failed; /* requests, of those errors */
    bool aftermath; /* `refused` has those that came soon after it as well */
};
#define FAULT_LASTS_S 300 /* what comes later than that after a fault is no aftermath of it */

struct amount {
    const char *name;
    double value;
};

/* From a second on a table was on demand, or was not. */
struct mode {
    const char *table;
    int64_t from_s;
    bool on_demand;
};

#define AMOUNTS_MAX 8
/* A sentence, the numbers it states and where they are in the database. */
struct finding {
    const char *text, *source;
    struct amount amounts[AMOUNTS_MAX];
    size_t amount_count;
};

struct setting {
    const char *path, *value;
};
struct fix {
    const char *title, *remark; /* remark "" where there is none */
    struct setting *sets;       /* count 0: nothing that a command could try */
    size_t set_count, set_capacity;
};

struct diagnosis {
    struct sqlite3 *database;
    struct ddbsim_error *error;
    enum ddbsim_status status; /* of the first failure */
    struct arena *arena;
    struct query_run run;
    struct query_resources resources;
    struct query_options options;   /* what a command on this run must set again */
    const char *seed;               /* NULL: the scenario's own */
    const char *write_operations;   /* ",PutItem,UpdateItem,..." for SQL */
    int64_t metric_period_s, end_s; /* end_s: where the simulated time ends */

    int64_t requests, attempts, succeeded, failed, retries, throttled;
    struct query_members members;
    int64_t again;  /* requests of work that a queue or a stream had given out before */
    int64_t hidden; /* events of batches' members where no attempt was refused; so is `throttled` */
    int64_t retries_refused, first_throttle_s; /* -1: none */
    struct refusal *refusals;                  /* most attempts first */
    size_t refusal_count, refusal_capacity;
    struct mode *modes; /* by table, then by time */
    size_t mode_count, mode_capacity;
    struct episode *episodes; /* by start */
    size_t episode_count, episode_capacity;
    int64_t throttled_for_s; /* the union of all episodes */
    struct flow *flows;
    size_t flow_count, flow_capacity;
    struct lateness *late; /* the largest refusals first */
    size_t late_count, late_capacity;
    struct alarms alarms; /* with words alone */
    struct fault *faults; /* by start */
    size_t fault_count, fault_capacity;
    const struct fault *fault; /* the one that is why; NULL: none is */
    struct storm {
        const struct fault *fault;        /* that began it; NULL: there is no storm */
        int64_t from_s, refused;          /* refusals from there on */
        double before_per_s, after_per_s; /* attempts */
    } storm;
    int64_t system_errors;
    struct callers *callers;
    size_t callers_count, callers_capacity;

    enum ddbsim_cause cause, under; /* under: of the refusals themselves */
    const struct refusal *main;     /* the cause's largest; NULL: none */
    struct flow *culprit;           /* main's flow */
    struct relief relief;
    double share;          /* of the refusals that `under` explains */
    const char *not_split; /* why a hot partition was refused a split; NULL: none was */
    int64_t split_count;   /* splits for heat of the culprit */

    const char *headline;
    const char *note; /* of the commands; NULL: none */
    struct finding *alarm_findings;
    size_t alarm_finding_count, alarm_finding_capacity;
    struct finding *chain, *not_cause, *remarks;
    size_t chain_count, chain_capacity, not_cause_count, not_cause_capacity;
    size_t remark_count, remark_capacity;
    struct fix *fixes;
    size_t fix_count, fix_capacity;
};

/* diagnosis.c */
const char *diagnosis_keep(struct diagnosis *d, const char *text);
/* Remembers a failure; true while there is none. */
bool diagnosis_check(struct diagnosis *d, enum ddbsim_status status);
/* A new, zeroed element at the end of an array; NULL when memory is short, which is remembered. */
void *diagnosis_append(struct diagnosis *d, void **items, size_t *count, size_t *capacity,
                       size_t size);
struct finding *diagnosis_chain(struct diagnosis *d, const char *text, const char *source);
struct finding *diagnosis_not_cause(struct diagnosis *d, const char *text, const char *source);
struct finding *diagnosis_remark(struct diagnosis *d, const char *text, const char *source);
struct finding *diagnosis_alarm(struct diagnosis *d, const char *text, const char *source);
/* Adds a number to a finding (NULL: does nothing). */
void diagnosis_amount(struct finding *finding, const char *name, double value);

/* An imported recording: nothing was simulated. */
static inline bool facts_is_recording(const struct diagnosis *d) {
    return d->run.status && strcmp(d->run.status, "observed") == 0;
}

/* diagnosis_observed.c: what metrics alone tell, and what they do not */
void observed_divide(struct diagnosis *d);
void observed_say(struct diagnosis *d);

/* diagnosis_facts.c */
void facts_read(struct diagnosis *d);
/* Flows need the culprit: the window of its main episode is everybody's. */
void facts_measure(struct diagnosis *d);
struct flow *facts_flow(struct diagnosis *d, const struct query_resource *resource, bool write);
/* The second after an episode's last refusal; where the run ended before it did, the run's end. */
static inline int64_t facts_episode_end_s(const struct episode *episode) {
    return episode->end_ns / NS_PER_S + !episode->open;
}
/* Whether every request on a table consumed the same in a window. */
bool facts_one_size(struct diagnosis *d, const struct query_resource *table, bool write,
                    struct window window);
const struct episode *facts_main_episode(const struct diagnosis *d,
                                         const struct query_resource *resource, bool write);
/* A resolved setting; NULL where there is none. */
const char *facts_setting(struct diagnosis *d, const char *path);
/* tables.NAME or tables.NAME.indexes.NAME, quoted as a path wants it. */
const char *facts_path(struct diagnosis *d, const struct query_resource *resource);
/* "table T" or "index I of T". */
const char *facts_name(struct diagnosis *d, const struct query_resource *resource);
const char *facts_clock(const struct diagnosis *d, int64_t t_s, bool seconds, char *out);
/* When an index was deleted; negative: it was not, or is a table. */
int64_t facts_gone_s(struct diagnosis *d, const struct query_resource *resource);
/* What part of all that was asked was asked for the first time. */
double facts_asked_first(const struct diagnosis *d);
/* An outcome of a workload; 0 where there is none. */
double facts_outcome(struct diagnosis *d, const char *name, const char *workload);
/* The demand of the fullest minute of the run. */
double facts_peak_demand(struct diagnosis *d, const struct flow *flow);
/* A setting of the model: the table's own, else the scenario's; NULL where neither is known. */
const char *facts_assumption(struct diagnosis *d, const struct query_resource *resource,
                             const char *name);
/* Mean requests a second on a table, first attempts, reads or writes. */
double facts_requests_per_s(struct diagnosis *d, const struct query_resource *table, bool write,
                            struct window window);
static inline const char *facts_unit(bool write) { return write ? "WCU" : "RCU"; }

/* diagnosis_evidence.c */
/* Which cause a reason's name speaks for. */
enum ddbsim_cause evidence_cause_of(int reason);
/* Tells refusals of an on-demand resource that has outgrown what it serves from those of its hot
 * partitions: a reason that stands for both is divided. */
void evidence_divide(struct diagnosis *d);
bool evidence_on_demand(const struct diagnosis *d, const struct query_resource *resource,
                        int64_t t_s);

/* SQL that is true of a t_s at which the resource was on demand, or was not; NULL where it never was so. */
const char *evidence_times(struct diagnosis *d, const struct query_resource *resource,
                           bool on_demand);
/* Cuts a window to the longest part of it in which the resource was on demand, or was not; leaves it where
 * there is none. */
void evidence_trim(const struct diagnosis *d, const struct query_resource *resource, bool on_demand,
                   struct window *window);

/* What whole resources lack, whoever configured it: a partition's limit does not act. */
bool evidence_of_whole(enum ddbsim_cause cause);

/* diagnosis_shards.c: keys, or shards of them, and the partitions that carry them */
struct hot_keys {
    int64_t keys;   /* that are alike */
    double demand;  /* of all of them, units a second */
    double others;  /* of all other keys */
    double limit;   /* of a partition */
    int64_t shards; /* of each key; 1: as it is */
    int64_t partitions;
};
/* Whether no partition is over its limit but by rare chance. */
bool shards_fit(const struct hot_keys *hot);
/* Whether some partition is over its limit for certain, wherever the shards fall. */
bool shards_overflow(const struct hot_keys *hot);
/* Raises partitions, from what they are, by doubling until they fit; false: too many would be needed. */
bool shards_find_partitions(struct hot_keys *hot);
/* The fewest partitions, from what they are, and then the fewest shards, from 2 on, that fit. */
bool shards_find(struct hot_keys *hot);

/* diagnosis_splits.c: what became of hot partitions */
void splits_say(struct diagnosis *d);

/* diagnosis_storage.c: what TTL deleted, and what it did not */
void storage_say(struct diagnosis *d);

/* diagnosis_failures.c: what failed for a while */
void failures_read(struct diagnosis *d);
/* Whether the refusals came of what a fault left undone. */
void failures_read_aftermath(struct diagnosis *d);
/* Whether nothing was refused before a fault, and something in it or soon after. */
bool failures_began(const struct diagnosis *d, const struct fault *fault);
/* Whether the scenario was changed from then on. */
bool failures_changed(struct diagnosis *d, int64_t from_s);
/* A sum of columns of workload_second, a second, where a condition holds; NaN in no time. */
double failures_rate(struct diagnosis *d, const char *what, const char *which,
                     struct window window);
const char *failures_in_words(struct diagnosis *d, const struct fault *fault);
void failures_say(struct diagnosis *d);

/* diagnosis_storm.c: refusals that outlive the fault that began them */
void storm_read(struct diagnosis *d);
void storm_say(struct diagnosis *d);
void storm_propose(struct diagnosis *d);

/* diagnosis_regions.c: what other Regions of a global table cost, and how late they were */
void regions_say(struct diagnosis *d);

/* diagnosis_scaling.c: scalers that came too late, or not at all */
void scaling_read(struct diagnosis *d);
/* Whether refusals of a resource in one direction waited for a scaler; NULL: they did not. */
const struct lateness *scaling_late(const struct diagnosis *d,
                                    const struct query_resource *resource, bool write);
/* "auto scaling", "the scaler": who asked for a step. */
const char *scaling_who(const struct scale_step *step);
/* A number of a resource's policy, target_value as a share; NaN where it has none. */
double scaling_policy(struct diagnosis *d, const struct query_resource *resource, bool write,
                      const char *name);
/* "S.auto_scaling.write" or "S.scaler": where what moves a capacity stands; NULL: nothing does. */
const char *scaling_path(struct diagnosis *d, const struct query_resource *resource, bool write);
/* The most that its scaler may set; NaN where nothing says. */
double scaling_maximum(struct diagnosis *d, const struct flow *flow);
/* When what was consumed passed the target for good before its alarm rang; -1 where nothing tells. */
int64_t scaling_passed_s(struct diagnosis *d, const struct lateness *late);
void scaling_say(struct diagnosis *d);

/* diagnosis_alarms.c: what rang, and what would have */
void alarms_say(struct diagnosis *d);
/* Messages and records that were given up (diagnosis_queues.c). */
void queues_say(struct diagnosis *d);
/* Callers that their own limiters or timeouts held back or cut off (diagnosis_clients.c). */
void clients_say(struct diagnosis *d);
/* Items that reads did not find (diagnosis_missed.c). */
void missed_say(struct diagnosis *d);
/* A duration of the model in seconds, 0 where it is not known. */
int64_t alarms_delay_s(struct diagnosis *d, const char *name);

/* diagnosis_why.c, diagnosis_fixes.c, diagnosis_fixes_scaling.c */
void why_explain(struct diagnosis *d);

/* diagnosis_indexes.c: an index that was built or deleted while the culprit refused. */
void indexes_say(struct diagnosis *d);
void fixes_propose(struct diagnosis *d);
struct fix *fixes_add(struct diagnosis *d, const char *title);
void fixes_set(struct diagnosis *d, struct fix *fix, const char *path, const char *value);
/* Where a scaler moves this capacity: bounds that keep it at `units` or above. */
void fixes_hold(struct diagnosis *d, struct fix *fix, const struct flow *flow, double units);
void fixes_propose_scaling(struct diagnosis *d);
/* Where the scaler may not go further. */
void fixes_propose_maximum(struct diagnosis *d);

#endif
