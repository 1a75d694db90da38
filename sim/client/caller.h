/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the rooms of client share: the callers of a workload, and the simulation that they are part of. A request
 * that needs no further event, which is most of them, never enters the pool: it lives in a scratch record. The
 * pool holds requests that wait for a retry, for the next step of their sequence, or for an answer that gives
 * retry quota back, and the members of batches that are on their way.
 *
 * Invariant: a pool record is scheduled exactly once, or is one member of one batch.
 */
#ifndef CLIENT_CALLER_H
#define CLIENT_CALLER_H

#include <client/account.h>
#include <client/breaker.h>
#include <client/crew.h>
#include <client/dax.h>
#include <client/fan.h>
#include <client/journal.h>
#include <client/pacer.h>
#include <client/pool.h>
#include <client/retry.h>
#include <client/simulation.h>
#include <model/stream.h>

/* Kinds of the loop's events; the model's follow. */
enum simulation_event {
    EVENT_SECOND,
    EVENT_CHANGE,
    EVENT_FAULT,
    EVENT_COMPLETION,
    EVENT_RETRY,
    EVENT_CREW,
    EVENT_BRANCH,
    EVENT_ANSWER,
    EVENT_WAKE,
    EVENT_LATE,
    EVENT_LAMBDA,
    EVENT_MODEL
};

/* What happens to a fan: its next branch begins, one is given up. */
enum branch_event { BRANCH_BEGIN, BRANCH_LOST };

/* What happens in a crew: a caller joins, one takes its next arrival, an arrival is over. */
enum crew_event { CREW_JOIN, CREW_NEXT, CREW_OVER };
#define EMPTY_ARRIVAL_NS \
    NS_PER_US /* an arrival without calls: a loop of such ones still takes time */

/* What a process keeps for itself: many workloads have hundreds, some a million. */
struct process {
    struct retry_quota quota;
};

struct lambda;
struct shards;

struct caller {
    struct simulation *simulation;
    const struct ddbsim_workload *spec; /* follows changes */
    struct ddbsim_source source;
    struct crew crew;
    struct stream_reader *reader; /* whose records are its arrivals; NULL: its clock's are */
    uint32_t most_records;        /* of one arrival */
    struct lambda *lambda;        /* that its queue's messages invoke; NULL: it has no queue */
    struct shards *shards;        /* of the Lambda that its stream invokes; NULL: it is none */
    bool is_lambda;               /* one of these */
    struct dax dax;
    bool goes_on; /* an arrival may have several calls, at some time of the run */
    bool waits;   /* that, or arrivals in flight are counted: each answer matters */
    struct process *processes;
    struct caller *purse; /* whose processes hold its quota: itself, or one of the same scope */
    double quota_sum;     /* of tokens, over processes */
    struct gate *gates;   /* one a process; NULL: not in adaptive mode */
    double rate_sum;      /* of the limiters at work, and how many these are */
    uint32_t limited;
    bool is_plain;        /* none of these and no layers: nothing stands between it and AWS */
    bool is_usual;        /* that, no cache, and no row an attempt: these may go the short way */
    bool expires;         /* its calls or arrivals have an end */
    bool connects_late;   /* some of its tables may be too far for connect_timeout */
    bool has_layers;      /* around its SDK: either of these */
    struct pacer *pacers; /* one a process; NULL: they keep no limit */
    struct breaker *breakers;  /* the same of breakers */
    int64_t resume_ns;         /* a pause lasts until then: nothing is sent before (M-104) */
    struct members *left_over; /* top_up: see left_over_of; else NULL */
    uint32_t operation_count;
    struct fan_times *times; /* of arrivals of several calls; NULL: there are none */
    uint64_t attempt_stream, jitter_stream;
};

struct simulation {
    struct model *model; /* first: the loop's context is also the model's handle */
    struct simulation_options options;
    struct loop *loop;
    struct account account;
    struct journal journal;
    struct caller *callers;
    struct pool pool;
    struct fans fans;
    struct record scratch;
    int64_t patience_ns; /* how long the caller waits for the answer of the attempt at hand */
    uint32_t tickets;
    uint32_t in_place; /* the record that is at work in the pool, until it is stored; else none */
    struct ddbsim_request *actions;        /* of the transaction at hand; NULL: there are none */
    struct ddbsim_request member;          /* while it is described */
    struct attempt each[DDBSIM_BATCH_MAX]; /* how a batch's members fared */
    int64_t closed_s;                      /* seconds before this one are closed */
    const struct ddbsim_change *changed;   /* a change that workloads have to follow; NULL: none */
    int64_t due_s;                         /* a second that ends here waits to be closed */
};

/* False when memory is short; the caller is then to be given to caller_deinit all the same. */
bool caller_init(struct simulation *s, uint32_t number);
void caller_deinit(struct caller *caller);
/* The workload is `spec` from here on. */
void caller_follow(struct caller *caller, const struct ddbsim_workload *spec);
/* Tokens of a process, on average; NAN without a quota. */
double caller_quota_mean(const struct caller *caller);

/* To be sent again. The arrival's draws are kept where a further call may follow. */
uint32_t record_store(struct simulation *s, struct record *record, bool is_sequence);
/* Over once its answer is there. */
uint32_t answer_store(struct simulation *s, struct record *record, bool is_sequence);
/* Into the scratch record; the pool's is free again. */
struct record *record_load(struct simulation *s, uint32_t number);
/* The caller has its answer at that time; `number` is the record that waits for it. */
void answer_await(struct caller *caller, uint32_t number, int64_t end_ns);
void crew_schedule(struct caller *caller, int64_t at_ns, enum crew_event what);

#endif
