/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A Lambda function that a queue's messages invoke: environments that take them batch by batch, each message the work
 * of one arrival, one after the other. Rules M-115 to M-117. Streams invoke theirs in shards.h.
 */
#ifndef CLIENT_LAMBDA_H
#define CLIENT_LAMBDA_H

#include <client/caller.h>
#include <client/sqs.h>

/* An environment at work. */
struct invocation {
    int64_t began_ns;
    uint32_t count, at; /* messages; the one at hand */
    bool did;           /* some of whose work is done */
    uint32_t next;      /* of the free ones */
};

struct lambda {
    struct sqs queue;
    struct invocation *invocations; /* as many as may ever run at once */
    uint32_t *taken;                /* their messages */
    uint32_t busy, free_invocation;
    uint64_t sixtieths; /* environments that may run now, times 60: per_minute are added a second */
    bool polls;         /* an event that begins another invocation is on its way */
    int64_t
        return_ns; /* of the loop's event for messages that come back; TIME_NEVER: there is none */
    uint64_t invoked, failed;
    uint64_t told_dead; /* letters of the seconds that are closed */
    uint32_t most_waiting, most_busy;
    int64_t oldest_ns; /* the highest age of the oldest message, by the second */
};

/* What happens to a Lambda: it looks for work, an arrival was given up, messages are there again, a second is over;
 * a batch of a shard is tried, or tried again; a shard is read again after a pause. */
enum lambda_event {
    LAMBDA_POLLS,
    LAMBDA_LOST,
    LAMBDA_RETURNS,
    LAMBDA_TICK,
    LAMBDA_AGAIN,
    LAMBDA_READS
};

/* False when memory is short. */
bool lambda_create(struct caller *caller);
void lambda_destroy(struct caller *caller);
/* Room for what one event may bring; between events. False when memory is short, or the queue is at its limit. */
bool lambda_make_room(struct caller *caller);
/* Its clock begins. */
void lambda_begin(struct caller *caller);
/* The arrival of the scratch record is a message. */
void lambda_arrive(struct caller *caller, int64_t now_ns);
/* Something was done of that invocation's work at hand, whatever becomes of it. */
void lambda_work_done(struct caller *caller, uint32_t invocation);
/* An arrival is over: the work of that invocation goes on, or ends. */
void lambda_work_over(struct caller *caller, uint32_t invocation, bool succeeded, int64_t now_ns);
void lambda_schedule(struct caller *caller, int64_t at_ns, uint32_t invocation,
                     enum lambda_event what);
void lambda_on_event(void *context, int64_t now_ns, const struct loop_event *event);
/* A second is over: what the log hears of its queue. */
void lambda_tell(struct caller *caller);
/* Rows of log table outcome, of each workload with a queue or a stream's Lambda, and of all. */
void lambda_outcomes(const struct simulation *s);

#endif
