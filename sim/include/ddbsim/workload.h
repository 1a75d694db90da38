/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A source of requests: what stands between a workload's description and the table. The simulator asks
 * a source when its next arrival comes, takes it, and lets it describe each request of that arrival.
 * ddbsim's own generators are sources; a program may bring others.
 */
#ifndef DDBSIM_WORKLOAD_H
#define DDBSIM_WORKLOAD_H

#include <ddbsim/scenario.h>

/* Where an item lives. Positions order first by hash, then by sort. */
struct ddbsim_key {
    uint64_t hash;    /* XXH3-64 of the partition key's text */
    uint64_t sort;    /* order-preserving position of the sort key */
    uint64_t ordinal; /* which partition key of its entity: enough to write its text again */
    uint32_t entity;  /* of its table; at most DDBSIM_ENTITY_MAX */
};

/* What a base write does to the entry of one index (AWS guide, global secondary indexes). */
enum ddbsim_effect {
    DDBSIM_EFFECT_ADD,    /* absent -> present: one index write */
    DDBSIM_EFFECT_REMOVE, /* present -> absent: one index write */
    DDBSIM_EFFECT_MOVE,   /* the index key changes: a delete and a put */
    DDBSIM_EFFECT_REWRITE /* same key, a projected attribute changes: one index write */
};

/* What one base write asks of one index. Absent where the write does not touch it. */
struct ddbsim_index_work {
    uint32_t index; /* of the request's table */
    enum ddbsim_effect effect;
    int64_t old_bytes, new_bytes;       /* of the entry; the side that does not exist is 0 */
    struct ddbsim_key old_key, new_key; /* in the index's key space; alike unless the key moves */
};

/* What tells a request from most others: bits. */
enum ddbsim_special {
    DDBSIM_CONDITION_FAILS = 1, /* a write whose condition does not hold */
    DDBSIM_INVALID = 2,         /* AWS refuses it */
    DDBSIM_SIZED =
        4, /* its source keeps the item's size: it measures what is sent again, and hears what was served */
    DDBSIM_SCANS = 8,   /* a page of a Scan: `key` is the position where it begins */
    DDBSIM_CHECKS = 16, /* of a transaction: it tests a condition and writes nothing */
    DDBSIM_PAGES = 32   /* a Query whose source says page by page what it reads */
};

/* One call as the caller means it, or one member of a batch. Its retries are the same request. */
struct ddbsim_request {
    uint64_t number; /* of its arrival, in its workload, from 0 */
    uint32_t workload;
    uint32_t step;      /* which call of its arrival, from 0 */
    uint32_t operation; /* index into the workload's operations */
    enum ddbsim_operation_kind kind;
    uint32_t table;
    uint32_t
        index; /* Query: the index that it reads, `key` in its key space; DDBSIM_NONE: the table */
    uint32_t process; /* which caller process it belongs to */
    uint32_t
        more; /* further calls that belong to it: the pages of a Query that are still to come */
    struct ddbsim_key key;
    int64_t old_bytes,
        new_bytes;   /* of the item before and after; 0 where there is none; a read: alike */
    bool consistent; /* a strong read */
    bool renews;     /* a write that gives the item a new moment to expire (TTL) */
    uint8_t special; /* bits of enum ddbsim_special */
    uint32_t
        members; /* of a batch or transaction, which has no key of its own; 0: of one item or Query */
    uint64_t missed; /* a read: items that it should have found, under suffixes it does not ask */
    uint32_t work_count;
    uint32_t returned; /* Query, Scan: share of the items that its filter leaves, in billionths */
    uint64_t items;    /* Query: that it reads; a Scan's the table knows */
    uint64_t item;     /* SIZED: which of its entity; PAGES: the next page's first */
    union {
        uint64_t scan_last; /* SCANS: last hash of its segment */
        uint64_t rest;      /* PAGES: items behind this page */
    };
    bool all_pages; /* SCANS: page after page, to the segment's end */
    /* Not one call but several at once: one for each shard or segment, which `shard` describes. 0: one call. */
    uint32_t branches, parallel;                       /* so many of them in flight */
    struct ddbsim_index_work work[DDBSIM_INDEXES_MAX]; /* the first work_count are filled */
};

/* Keys that a recording names have this for their entity; ordinals number them as they come. */
#define DDBSIM_ENTITY_RECORDED (DDBSIM_ENTITY_MAX - 1)
#define DDBSIM_ORDINAL_OTHER (UINT64_C(1) << 63) /* no number: this, and the key's hash */

/* What a recording says about one arrival. */
struct ddbsim_row {
    uint64_t hash, sort, ordinal; /* of the key */
    int64_t bytes;                /* of the item; below 0: it does not say */
    bool has_key;                 /* else none of it is said */
};

/* The random draws of one arrival, one a purpose, so that a variant that asks for less shifts nothing. */
struct ddbsim_arrival {
    uint64_t number;
    int64_t t_ns;
    uint32_t
        records; /* of a stream that it brings: a batch has no more members; 0: it brings none */
    uint32_t invocation; /* the simulator's: of a Lambda, whose work it is */
    bool again;          /* the same: that work was begun before */
    uint64_t choice, effect, item, process, index_key, shard;
    struct ddbsim_row row;                /* of a replayed workload */
    uint64_t keys[DDBSIM_VALUE_SETS_MAX]; /* the values that its draws mean, or the draws */
};

struct ddbsim_source {
    void *self;
    /* Time of the next arrival, never less than the one before; INT64_MAX where there is none. */
    int64_t (*peek)(void *self);
    /* Takes that arrival. */
    void (*take)(void *self, struct ddbsim_arrival *out);
    /* Describes call `step` of an arrival as of `now`; false when the arrival has no such call. */
    bool (*request)(void *self, const struct ddbsim_arrival *arrival, uint32_t step, int64_t now,
                    struct ddbsim_request *out);
    /* Describes a member of the batch that call `step` is, from 0; NULL where no call is a batch. `again`: how often
     * it was described before and was of an item that the call names already. */
    void (*member)(void *self, const struct ddbsim_arrival *arrival, uint32_t step, uint32_t member,
                   uint32_t again, int64_t now, struct ddbsim_request *out);
    /* Describes branch `shard` of the Query or Scan that call `step` is; NULL where no call has branches. */
    bool (*shard)(void *self, const struct ddbsim_arrival *arrival, uint32_t step, uint32_t shard,
                  int64_t now, struct ddbsim_request *out);
    /* A request that is SIZED was served; it is sent again, and its item may have another size by now. NULL where
     * none is. */
    void (*served)(void *self, const struct ddbsim_request *request);
    void (*measure)(void *self, struct ddbsim_request *request);
    /* Makes a request with PAGES its own next page; NULL where none has them. */
    void (*page)(void *self, struct ddbsim_request *request);
    /* The scenario changed at `now`: rates, mixes and sizes act from here on. */
    void (*change)(void *self, const struct ddbsim_scenario *after, int64_t now);
    void (*destroy)(void *self);
};

#endif
