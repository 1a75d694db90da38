/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Lambda function that a stream invokes: each shard has lanes, in which one batch of records is worked on at a time;
 * one that fails is tried again and holds up what comes after it. Rules M-118, M-119.
 *
 * Records wait as counts, by when they were written; a batch at work has an arrival for each record, or for as many as
 * a batch operation takes, which are the same when it is tried again. Memory grows between events.
 */
#ifndef CLIENT_SHARDS_H
#define CLIENT_SHARDS_H

#include <client/caller.h>

#define SHARDS_HALVES_MAX 16 /* a batch of 10,000 is cut 14 times */

struct shard_span { /* records written at about the same time */
    int64_t written_ns;
    uint32_t count, next;
};

struct shard {
    uint32_t first, last; /* spans, the oldest first */
    uint64_t waiting;     /* records */
    uint64_t unread;      /* of these, written in a pause that lasts */
};

struct shard_lane {
    bool busy;           /* it has a batch, at work or waiting to be tried again */
    uint32_t count;      /* arrivals of it */
    uint32_t first, end; /* of these, those that are tried together */
    uint32_t at, done;   /* the one at hand; those before have been done once, or in part */
    uint32_t begun;      /* those before have been begun */
    bool did;            /* some of the work of the one at hand is done */
    uint32_t tries;      /* of first to end that failed */
    uint32_t halves[SHARDS_HALVES_MAX], half_count; /* where the parts after `end` end */
    int64_t began_ns, oldest_ns, newest_ns; /* when its first and last record were written */
};

struct shards {
    const struct ddbsim_stream_lambda *spec;
    const struct ddbsim_assumptions *rules; /* of the table whose stream it is */
    struct shard *shards;
    struct shard_lane *lanes;        /* parallelization_factor of each shard */
    struct ddbsim_arrival *arrivals; /* batch_size of each lane */
    uint32_t slots;                  /* shards that there is room for */
    struct shard_span *spans;
    uint32_t span_capacity, spans_used, free_span;
    const char *limit; /* of this program, reached; NULL: none */
    uint64_t received, invoked, failed, discarded, duplicates;
    int64_t oldest_ns; /* the highest IteratorAge */
};

bool shards_create(struct caller *caller);
void shards_destroy(struct caller *caller);
bool shards_make_room(struct caller *caller);
/* The reader has found records of one shard, as many as it has there. */
void shards_arrive(struct caller *caller, int64_t now_ns);
void shards_work_over(struct caller *caller, uint32_t lane, bool succeeded, int64_t now_ns);
void shards_try_again(struct caller *caller, uint32_t lane, int64_t now_ns);
/* A shard has records that its readers have not seen. */
void shards_read_on(struct caller *caller, uint32_t slot, int64_t now_ns);

#endif
