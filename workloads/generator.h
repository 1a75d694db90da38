/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The inside of a generator, for its rooms alone: source.c is its life and its clock's side, mix.c says which
 * operation a call is, items.c which item, entries.c and effects.c what that asks of indexes, reads.c what a read
 * finds, members.c what batches and transactions consist of, survey.c what has to be known before it begins.
 */
#ifndef WORKLOADS_GENERATOR_H
#define WORKLOADS_GENERATOR_H

#include <base/check.h>
#include <workloads/arrival.h>
#include <workloads/population.h>

enum purpose { CHOICE, EFFECT, ITEM, PROCESS, INDEX_KEY, SHARD, PURPOSES };

/* What a draw is mixed with where one purpose of an arrival needs several. */
enum mix { MIX_PRESENT = 1, MIX_OLD_SIDE, MIX_NEW_SIDE, MIX_AGE, MIX_SHARD, MIX_SIZE };

struct stream {
    struct rng rng;
    bool used;                     /* some call may ask for it; else its draws stay 0 */
    const struct value_set *set;   /* of a slot */
    uint64_t draws[ARRIVAL_BLOCK]; /* of a slot: the values that they mean */
};

/* What a block's arrivals draw from one set for keys of index entries: the same for all indexes. */
struct side_values {
    const struct value_set *set;
    uint64_t of[2][ARRIVAL_BLOCK]; /* before the write, and after it */
};

/* Hashes that lie anywhere in many megabytes, and by which values they will be asked for. */
struct hash_fetch {
    const uint64_t *hashes;
    const uint64_t *values; /* of a block */
};

/* What of an operation is the same in all its calls. */
struct outline {
    /* Where its key is one value of one set and nothing else is drawn, the hashes of all its keys: the short way for
     * most of the load of most scenarios, to the same requests. NULL: it is not so plain. */
    const uint64_t *hashes;
    uint32_t slot;       /* of that value set */
    uint32_t first_part; /* of the members of one that is a batch or a transaction */
    /* Its entries, one an index of its table: where it is plain, and so are they. */
    uint32_t first_entry, entry_count; /* 0: none is written */
    /* Then a request but for its number, process and key: all of it that stands before its index works. */
    unsigned char common[offsetof(struct ddbsim_request, work)];
    uint32_t calls;              /* of one execution, or of each of its branches */
    uint64_t pages;              /* of a Query, of each suffix */
    uint32_t branches, parallel; /* calls at once; 0: one */
    bool
        is_usual; /* an item whose key has no suffix, and none of whose words is empty; nothing else */
    bool is_found; /* a read that may look in the wrong place */
    struct population_entity *entity;
    const struct ddbsim_shards *shards; /* of the entity, as it is now */
};

/* The same of the entry in one index that such an operation writes: its key is one value too. */
struct entry_outline {
    const uint64_t *hashes;         /* NULL: the item has no entry there */
    const struct side_values *side; /* where its value is drawn; NULL: it is the item's own */
    uint32_t slot;                  /* which then is of this one */
    const struct ddbsim_entry *entry;
    const struct ddbsim_index_effect *effect;
    bool is_fixed; /* every write has this one: */
    enum ddbsim_effect fixed;
};

/* The same of one member of a batch, or of one action of a transaction. */
struct part {
    const uint64_t *hashes;      /* NULL: it is not so plain */
    const struct value_set *set; /* which its key is a value of */
    uint32_t slot;
    unsigned char common[offsetof(struct ddbsim_request, work)];
};

/* A value set with the popularity that one operation gives it. */
struct override {
    const struct ddbsim_override *from;
    struct value_set set;
};

struct source {
    const struct ddbsim_scenario *scenario; /* as it is now */
    const struct ddbsim_workload *workload; /* of it; NULL once a change removed it */
    struct population *population;
    const char *name;
    uint32_t number;
    uint64_t next;                 /* number of the pending arrival */
    uint64_t members;              /* stream of the draws of batches' members */
    uint64_t fates;                /* the same of what AWS refuses */
    bool fateful;                  /* some operation may be refused, or its condition fail */
    uint64_t *thresholds;          /* mix: operation i is chosen by a draw up to thresholds[i] */
    struct outline *outlines;      /* one an operation */
    struct entry_outline *entries; /* of operations that write to indexes */
    struct part *parts;            /* of batches and transactions: one, or one an action */
    bool picks;              /* each arrival is one call of one of its operations, by weight */
    bool straight;           /* a sequence whose operations make one call each, always */
    uint32_t straight_calls; /* then of each arrival; else 0 */
    uint32_t processes;      /* of its client, as it is now */
    bool chooses;            /* some operation has a weight */
    bool pages;              /* some operation may take several calls */
    bool moves;              /* the hot values of some set move on */
    bool settles;            /* some set is moving: an arrival's values are settled when it comes */
    uint32_t slot_count;
    uint32_t *slots;       /* of each value set of the scenario; DDBSIM_NONE: not drawn */
    uint64_t *index_mixes; /* hashes of the names of all indexes */
    uint32_t *index_first; /* of each table: where its indexes begin there */
    struct side_values *sides;
    uint32_t *side_of; /* of each value set of the scenario; DDBSIM_NONE: no entry draws from it */
    uint32_t side_count;
    struct hash_fetch *fetches;
    uint32_t fetch_count;
    struct override *overrides;
    uint32_t override_count;
    uint64_t override_stream;
    struct arrival_clock clock;
    struct stream streams[]; /* PURPOSES, then one a slot */
};

/* What an operation touches: itself, or the actions of a transaction. */
static inline uint32_t generator_part_count(const struct ddbsim_operation *operation) {
    return operation->action_count > 0 ? operation->action_count : 1;
}
static inline const struct ddbsim_operation *
generator_part(const struct ddbsim_operation *operation, uint32_t i) {
    return operation->action_count > 0 ? &operation->actions[i] : operation;
}

/* What is known before the first arrival: slots of value sets, which draws are made, what is looked up ahead. */
enum ddbsim_status survey(struct source *source, const struct ddbsim_scenario *scenario,
                          struct ddbsim_error *error);
/* A workload of a scenario by name: a change may have removed one that stood before it. */
const struct ddbsim_workload *survey_workload(const struct ddbsim_scenario *scenario,
                                              const char *name);

/* What a replayed workload takes from its generator: all but the time. */
void source_draw(struct source *source, int64_t t_ns, struct ddbsim_arrival *out);

/* A member of a batch or an action of a transaction: the interface's `member`. */
void members_describe(struct source *source, const struct ddbsim_arrival *arrival, uint32_t step,
                      uint32_t member, uint32_t again, int64_t now_ns, struct ddbsim_request *out);

#endif
