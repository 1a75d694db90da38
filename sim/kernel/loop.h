/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time and dispatch: takes the least of the event set and the arrival sources, moves the clock,
 * calls the handler. At equal time events go by class, sources by number after every event; what a
 * handler schedules for the same moment runs after what is pending in lower classes. Time never decreases. The
 * loop does not know what an event means.
 *
 * Memory grows only between events: a handler may schedule at most LOOP_EVENTS_PER_DISPATCH events;
 * the loop makes that room before it dispatches, and calls `between` whenever a handler asked for
 * it.
 */
#ifndef KERNEL_LOOP_H
#define KERNEL_LOOP_H

#include <base/types.h>
#include <ddbsim/error.h>
#include <kernel/queue.h>

#define LOOP_EVENTS_PER_DISPATCH 64
#define LOOP_KINDS_MAX 32
#define LOOP_SOURCES_MAX 1024

/* Classes at equal time, in the order in which they run. */
enum loop_class {
    LOOP_PERIOD,     /* a period closes */
    LOOP_CONTROL,    /* operators and scaling change things */
    LOOP_WORK,       /* partitions and indexes work */
    LOOP_COMPLETION, /* answers arrive */
    LOOP_RETRY       /* callers try again */
};

struct loop_event {
    uint32_t kind; /* which handler */
    uint32_t b;
    uint64_t a;
};

struct loop;
typedef void loop_handler_fn(void *context, int64_t now_ns, const struct loop_event *event);
typedef void loop_soon_fn(const void *context, const struct loop_event *event);

/* An open-loop source of arrivals, held outside the event set. */
struct loop_source {
    void *self;
    int64_t (*peek)(void *self); /* next time; TIME_NEVER where there is none */
    /* The arrival at that time happens; answers what peek would answer then. */
    int64_t (*fire)(void *self, int64_t now_ns);
};

struct loop *loop_create(void *context, int64_t start_ns); /* NULL when memory is short */
void loop_destroy(struct loop *loop);
void loop_handle(struct loop *loop, uint32_t kind, loop_handler_fn *handler);
/* Where many events wait, `soon` is told of one of that kind a little before it is due, to ask for the memory that
 * its handler will need. It changes nothing, and may not be told at all. */
void loop_fetch(struct loop *loop, uint32_t kind, loop_soon_fn *soon);
/* False when memory is short. Sources are numbered in the order in which they are added; each is
 * asked for its first time at once. A source's time is never before the loop's. */
bool loop_add_source(struct loop *loop, const struct loop_source *source);
/* The source's next time changed other than by firing (a rate changed). */
void loop_source_changed(struct loop *loop, uint32_t number);
/* Time not before now, and before QUEUE_TIME_END. Between runs there is no limit to the number of
 * events, and a shortage of memory is reported by the next run. */
void loop_schedule(struct loop *loop, int64_t time_ns, enum loop_class class, uint32_t kind,
                   uint64_t a, uint32_t b);
/* Called between events once a handler called loop_request_between; may schedule any number of
 * events. False stops the loop with DDBSIM_ENVIRONMENT, and the next run calls it again first. */
void loop_set_between(struct loop *loop, bool (*between)(void *context));
void loop_request_between(struct loop *loop);
int64_t loop_now(const struct loop *loop);
uint64_t loop_event_count(const struct loop *loop); /* events and arrivals dispatched */
/* Everything due at or before until_ns happens; the clock ends at until_ns. */
enum ddbsim_status loop_run(struct loop *loop, int64_t until_ns, struct ddbsim_error *error);

#endif
