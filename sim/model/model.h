/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine of one run: its tables and indexes, how they admit, what they count, and how a capacity
 * change reaches them. Callers (client/) send attempts; the loop brings index work and control events;
 * rows leave through a sink at the end of each period.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include <base/hist.h>
#include <ddbsim/log.h>
#include <kernel/loop.h>
#include <model/collections.h>
#include <model/latency.h>
#include <model/locks.h>
#include <model/propagation.h>
#include <model/resource.h>
#include <model/topkeys.h>

#define MODEL_NOTES_MAX 256
/* Writes that one event may leave an index: those of a transaction. */
#define MODEL_PUTS_PER_DISPATCH DDBSIM_TRANSACT_MAX
#define CONTROL_SWITCHES_MAX 128 /* that are remembered: more than the assumption allows a day */
#define MODEL_SAMPLE_S 10        /* period of partition_sample, before it doubles */
#define MODEL_SAMPLE_ROWS_MAX 2000000
#define MODEL_TOP_KEYS_S 300
#define MODEL_COLLECTIONS_ROOM (2 * DDBSIM_BATCH_MAX) /* collections that one dispatch may begin */
#define MODEL_PROVISIONED_S 300                       /* period of the provisioned metrics */

/* The table, then its indexes by their numbers. */
#define TABLE_RESOURCES_MAX (1 + DDBSIM_INDEXES_MAX)

/* Units a second that are wanted of each of a table's resources; 0: as they are. */
struct wanted {
    int64_t capacity[TABLE_RESOURCES_MAX][DIRECTIONS];
};

/* The UpdateTable that is under way; AWS takes no other on the table meanwhile. */
struct update {
    bool under_way;
    bool splits;               /* its partitions are being split: they are there when it is due */
    int64_t due_ns;            /* the next step */
    bool switches, on_demand;  /* switches: the capacity mode, to on-demand or back */
    uint32_t creates, deletes; /* number of an index + 1; 0: none */
    struct wanted wanted;
};

/* One operation of one table in the current minute, for CloudWatch. */
struct operation_minute {
    uint32_t throttled, system_errors;
    uint64_t latency_sum_us, latency_minimum_us, latency_maximum_us;
    struct hist latency; /* microseconds, successes only */
    struct item_sample { /* what a page of Query or Scan returned */
        uint64_t count, sum, minimum, maximum;
    } returned;
};

struct table {
    struct resource resource;
    const struct ddbsim_table *spec;     /* as at start */
    const struct ddbsim_table *followed; /* whose scaling holds now */
    struct latency_terms latency;
    uint32_t first_index, index_count; /* into model->indexes */
    uint32_t local_indexes;            /* bits by its index numbers */
    uint32_t skipped_indexes; /* the same of those that no write meets: local, or not there */
    struct collections *collections; /* NULL: no index is local */
    int64_t errors;                  /* share of its answers that a fault makes an HTTP 500 */
    uint64_t error_stream;           /* which of them */
    uint64_t replica_stream;         /* which replica an eventual read meets */
    struct replication *links;       /* to its replicas; NULL: there are none (replication.h) */
    struct sample replicated;        /* units of what came over links in the current minute */
    struct stream_reader *readers;   /* of its stream; NULL: nobody reads it (stream.h) */
    struct ttl *ttl;                 /* NULL: none of its entities has a TTL (ttl.h) */
    struct operation_minute operations[DDBSIM_OPERATION_KINDS];
    uint32_t conditions_failed, conflicts; /* in the current minute */
    int64_t share_nano[DIRECTIONS];        /* of the transaction at hand: what it consumes here */
    bool takes_part;                       /* in that */
    /* UpdateTable (control.h) */
    struct update update;
    uint32_t changes_made, changes_begun; /* of the scenario's changes: what comes before them */
    uint32_t index_changes[2 * DDBSIM_INDEXES_MAX]; /* that wait for their turn, by their numbers */
    uint32_t index_change_count;
    struct wanted asked; /* by scalers, which wait for the table */
    const char *asked_by[TABLE_RESOURCES_MAX][DIRECTIONS];
    bool asked_more[TABLE_RESOURCES_MAX][DIRECTIONS]; /* than there was when it was asked */
    int64_t switches_ns[CONTROL_SWITCHES_MAX];        /* to on-demand */
    uint64_t switch_count;
};

/* A row of log table `event` that waits for the time between events. */
struct note {
    enum ddbsim_event kind;
    int64_t t_ns;
    uint32_t resource;  /* UINT32_MAX: none */
    uint32_t partition; /* id; 0: none */
    enum direction direction;
    int64_t from, to; /* CAPACITY_CHANGED, ON_DEMAND_LIMIT: units */
    const char *text; /* the detail, JSON, borrowed; NULL: see below */
    char detail[128]; /* JSON; empty: made from the above */
};

/* How many keys a resource can have, where ordinals count them from 0 whatever their entity; 0 where they do not. */
struct model_numbered {
    uint64_t keys;
    uint32_t entity; /* of all of them, as far as text and hash are concerned */
    bool open;       /* there may be more, with ordinals above these */
};

/* What whoever made the keys knows of them; NULL where nobody does. `index` DDBSIM_NONE: the table's. */
struct model_keys {
    void *context;
    size_t (*text)(void *context, uint32_t table, uint32_t index, uint32_t entity, uint64_t ordinal,
                   char *buffer, size_t size);
    uint64_t (*hash)(void *context, uint32_t table, uint32_t index, uint32_t entity,
                     uint64_t ordinal);
    /* How a resource's keys are numbered. Comes with `hash`. */
    struct model_numbered (*count)(void *context, uint32_t table, uint32_t index);
    /* A key that the index's entry of an existing item may have; comes without the others as well. */
    void (*entry)(void *context, uint32_t table, uint32_t index, uint32_t entity, uint64_t number,
                  uint64_t draw, int64_t now_ns, struct ddbsim_key *out);
};

struct model_options {
    const struct ddbsim_scenario *scenario;
    uint64_t seed;
    uint32_t replication;
    const struct ddbsim_sink *sink; /* NULL: nothing is recorded */
    struct model_keys keys;
    uint32_t first_event_kind; /* of the loop: the model takes MODEL_EVENT_KINDS from here on */
};

enum {
    MODEL_INDEX_ARRIVES,
    MODEL_INDEX_WAKES,
    MODEL_UPDATE,    /* an UpdateTable goes on */
    MODEL_SCHEDULED, /* a scheduled action */
    MODEL_BACKFILL,  /* a new index is filled in */
    MODEL_REPLICATES,
    MODEL_EVENT_KINDS
};

/* A partition that is or was. Its id is its place, from 1. */
struct birth {
    uint32_t resource, parent; /* parent 0: it was there at the start */
    uint128 low, high;
    int64_t created_ns, retired_ns; /* TIME_NEVER: it still is */
    const char *cause;
};

struct model {
    struct model_options options;
    struct loop *loop;
    struct table *tables;
    struct propagation *indexes;
    uint32_t table_count, index_count;
    struct replication *links; /* between replicas of global tables */
    uint32_t link_count;
    struct resource **resources; /* by number: a table, then its indexes */
    uint32_t resource_count;
    struct stream_reader *readers;        /* of streams: one a workload, where any reads one */
    bool has_ttl;                         /* some table has (ttl.h) */
    struct topkeys *top_window, *top_run; /* one a resource */
    struct latency_shapes shapes;
    struct note notes[MODEL_NOTES_MAX];
    uint32_t note_count;
    int64_t next_event_id;
    struct locks locks;     /* items in transactions */
    bool counts_errors;     /* some request may be invalid */
    uint32_t user_errors;   /* in this minute */
    bool account_is_logged; /* it stands among the resources */
    const char *limit;      /* of this program, reached; NULL: none */
    int64_t sample_period_s;
    int64_t sample_rows;   /* of partition_sample, so far */
    uint32_t sample_count; /* partitions for which that period was chosen */
    /* Of partitions that are watched (splits.h). */
    struct heat_sample *samples;
    uint32_t *free_samples, free_count, sample_capacity;
    void *scratch;
    size_t scratch_bytes;
    struct birth *births;
    uint32_t birth_count, birth_capacity;
    int64_t next_split_s;  /* INT64_MAX: none is under way */
    bool control_due;      /* some table's update may begin or go on */
    int64_t update_ns;     /* of the loop's event for updates; TIME_NEVER: there is none */
    uint32_t changes_made; /* of the scenario's changes */
    /* Alarms and scalers (alarms.h, scaling.h) */
    struct alarm *alarms;
    uint32_t alarm_count;
    struct scaling *scalings;
    uint32_t scaling_count;
};

/* What AWS answered beside "served" and "throttled". */
enum verdict {
    VERDICT_NONE,
    VERDICT_CONDITION, /* the condition did not hold */
    VERDICT_INVALID,   /* AWS refuses it for what it asks (M-48, M-49, M-67) */
    VERDICT_CONFLICT,  /* the item is in a running transaction */
    VERDICT_SYSTEM,    /* an HTTP 500 (M-103): it may be tried again */
    VERDICT_FULL       /* a member of a batch that is read: the answer has no room for it (M-63) */
};

/* How an attempt ended at the table: an item, or a batch as a whole. */
struct attempt {
    bool
        admitted; /* a batch: a member was served, or met a transaction; a transaction: it was not cancelled */
    uint8_t verdict; /* enum verdict; admitted but for a condition: it was paid */
    enum direction direction;
    uint32_t index;     /* what it addresses: an index that is read, or DDBSIM_NONE, the table */
    uint32_t partition; /* slot, of that */
    uint32_t refusals;  /* of that: bits of enum refusal */
    uint32_t index_refusals[REFUSALS]; /* indexes that hold a write back: bits by their numbers */
    bool partition_short;              /* the partition itself refused */
    uint32_t members, unprocessed;     /* of a batch, and how many of them were refused; else 0 */
    int64_t cost_nano;
    int64_t service_ns; /* until the service has answered */
    int64_t caller_ns;  /* until the caller has the answer */
};

/* The reason that a refusal of a table or index has: the names come in that order (names.h). */
static inline enum ddbsim_reason model_reason(bool is_index, enum direction direction,
                                              enum refusal why) {
    int first = is_index ? DDBSIM_INDEX_READ_ACCOUNT : DDBSIM_TABLE_READ_ACCOUNT;
    return (enum ddbsim_reason)(first + DIRECTIONS * (int)why + (int)direction);
}

/* CloudWatch's metric of refused events: all of a direction (why == REFUSALS), or one limit's. */
enum ddbsim_metric model_events_metric(enum direction direction, int why);

/* The reader of a workload that takes its load from a stream; NULL where it does not. */
struct stream_reader *model_reader(struct model *model, uint32_t workload);
struct model *model_create(const struct model_options *options, struct loop *loop,
                           struct ddbsim_error *error);
void model_destroy(struct model *model);
/* Key of a random stream of a table or index. */
uint64_t model_stream(const struct model *model, const char *table, const char *index,
                      const char *purpose);
/* An index that was not there begins anew, to hold so many bytes. Between events; false when memory is short. */
bool model_index_renew(struct model *model, struct table *table, uint32_t index, int64_t bytes,
                       int64_t now_ns);
/* What an index keeps of an item of an entity as it was at the start. */
static inline int64_t model_entry_bytes(const struct ddbsim_table *spec,
                                        const struct ddbsim_index *index, uint32_t entity) {
    return ddbsim_entry_bytes(&index->entries[entity], spec->entities[entity].item_bytes);
}
/* Items that exist at start: those of one partition key, or evenly over all partitions, which is what a
 * hash makes of very many keys. */
void model_place_items(struct model *model, uint32_t table, uint32_t entity, uint64_t hash,
                       uint64_t items, int64_t item_bytes);
/* What the items of one partition key and their entries in local indexes weigh at the start. */
bool model_place_collection(struct model *model, uint32_t table, uint32_t entity, uint64_t hash,
                            uint64_t items);
void model_place_evenly(struct model *model, uint32_t table, uint32_t entity, uint64_t items,
                        int64_t item_bytes);

/* One attempt of a request: judged, and executed if admitted. `draw` is the attempt's own. */
void table_attempt(struct model *model, const struct ddbsim_request *request, uint64_t draw,
                   int64_t now_ns, struct attempt *out);

/* The same, the long way: for whatever is not usual (usual.h). */
void table_attempt_any(struct model *model, const struct ddbsim_request *request, uint64_t draw,
                       int64_t now_ns, struct attempt *out);

/* A page of a Scan: what stands from the request's key on in its segment, 1 MB of it or the rest of what one
 * partition holds there. */
struct scan_page {
    struct ddbsim_key next; /* where the next page begins */
    bool is_last;
};
void table_scan_page(const struct model *model, struct ddbsim_request *request,
                     struct scan_page *out);

/* A transaction: all of its actions, in whatever tables, or none (M-68). each[i] says how each fared; `kind` is
 * the call's. */
void table_transact(struct model *model, enum ddbsim_operation_kind kind,
                    const struct ddbsim_request *members, uint32_t count, uint64_t draw,
                    int64_t now_ns, struct attempt *each, struct attempt *out);
/* A cache reads the items that a transaction wrote, by a TransactGetItems of its own (M-88): of them becomes what it
 * reads. Returns the half units; 0 where the tables refused it. */
int64_t table_read_back(struct model *model, struct ddbsim_request *members, uint32_t count,
                        uint64_t draw, int64_t now_ns, struct attempt *each);
/* AWS refuses the call before it looks at anything (M-67). */
void table_invalid(struct model *model, uint32_t table, enum ddbsim_operation_kind kind,
                   uint64_t draw, struct attempt *out);

/* The same of a batch whose members are all of one table: each is judged on its own, one after the other, and
 * each[i] says how; `out` is the call. A refused batch has the reasons of all its members. */
void table_batch(struct model *model, const struct ddbsim_request *const *members, uint32_t count,
                 uint64_t draw, int64_t now_ns, struct attempt *each, struct attempt *out);

void model_note(struct model *model, const struct note *note);
/* The same between events, where there may be more to tell than there is room for: rows may be written. */
void model_note_between(struct model *model, const struct note *note);
void model_note_refusal(struct model *model, struct resource *resource, enum direction direction,
                        int64_t now_ns);
void model_note_burst(struct model *model, struct resource *resource, enum direction direction,
                      int64_t now_ns);

/* ---- what a resource's partitions need of what stands around it ---- */
/* An index's queues follow its partitions: room for `more`; these were split. */
bool model_resource_grow(struct model *model, struct resource *resource, uint32_t more);
void model_resource_split(struct model *model, struct resource *resource,
                          const struct space_parting *partings, uint32_t count);
void model_resource_capacity_changed(struct model *model, struct resource *resource);
/* How many partitions there are now, of all tables and indexes. */
uint32_t model_partition_count(const struct model *model);
/* The row of partition_sample that ends now. */
void report_partition(struct model *model, struct resource *resource, uint32_t slot, int64_t end_s);

/* ---- between events ---- */
/* Makes room wherever little is left. False when memory is short. */
bool model_make_room(struct model *model);
void model_flush_notes(struct model *model);
void model_begin(struct model *model); /* rows known at start */
/* The second that ends at end_s is over; minutes, samples and top keys close with it when due. */
bool model_close_second(struct model *model, int64_t end_s);
bool model_finish(struct model *model, int64_t end_s);

/* CloudWatch's minutes follow the wall clock. */
static inline bool model_wall_multiple(const struct model *model, int64_t t_s, int64_t period_s) {
    return (model->options.scenario->start_unix_s + t_s) % period_s == 0;
}

#endif
