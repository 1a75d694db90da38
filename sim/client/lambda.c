/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models Lambda's event source mapping of an SQS queue. Source: AWS Lambda developer guide, Using Lambda with Amazon
 * SQS: a batch of messages is one invocation; they are deleted when it succeeds, and all of them come back when it
 * fails (no partial batch responses); it begins with a few environments and adds some a minute while messages wait.
 * That it gives them up as fast as it takes them is ours.
 * Invariants: busy invocations hold at least one message each; minimum <= environments that may run <= maximum.
 */
#include <client/lambda.h>

#include <client/arrivals.h>
#include <client/shards.h>
#include <model/rows.h>
#include <stdlib.h>

#define MINUTE 60

/* ---- life ---- */

bool lambda_create(struct caller *caller) {
    const struct ddbsim_queue *spec = &caller->spec->queue;
    if (!spec->enabled) return true;
    struct lambda *lambda = calloc(1, sizeof *lambda);
    caller->lambda = lambda;
    if (!lambda || !sqs_init(&lambda->queue, spec)) return false;
    uint32_t most = spec->concurrency.maximum;
    CHECK(spec->batch_size >= 1 && most >= 1 && spec->concurrency.minimum <= most);
    lambda->invocations = calloc(most, sizeof *lambda->invocations);
    lambda->taken = calloc((size_t)most * spec->batch_size, sizeof *lambda->taken);
    if (!lambda->invocations || !lambda->taken) return false;
    for (uint32_t i = 0; i < most; i++)
        lambda->invocations[i].next = i + 1;
    lambda->sixtieths = (uint64_t)spec->concurrency.minimum * MINUTE;
    lambda->return_ns = TIME_NEVER;
    return true;
}

void lambda_destroy(struct caller *caller) {
    if (!caller->lambda) return;
    sqs_deinit(&caller->lambda->queue);
    free(caller->lambda->invocations);
    free(caller->lambda->taken);
    free(caller->lambda);
}

bool lambda_make_room(struct caller *caller) {
    return !caller->lambda || !sqs_is_tight(&caller->lambda->queue) ||
           sqs_grow(&caller->lambda->queue);
}

void lambda_schedule(struct caller *caller, int64_t at_ns, uint32_t invocation,
                     enum lambda_event what) {
    struct simulation *s = caller->simulation;
    uint64_t number = (uint64_t)(caller - s->callers);
    loop_schedule(s->loop, at_ns, what == LAMBDA_LOST ? LOOP_COMPLETION : LOOP_RETRY, EVENT_LAMBDA,
                  (uint64_t)invocation << 32 | number, what);
}

void lambda_begin(struct caller *caller) {
    if (caller->lambda) lambda_schedule(caller, NS_PER_S, 0, LAMBDA_TICK);
}

/* ---- invocations ---- */

static uint32_t *taken_by(const struct lambda *lambda, uint32_t number) {
    return &lambda->taken[(size_t)number * lambda->queue.spec->batch_size];
}

/* One event for the first that comes back: later ones are scheduled when it is there. */
static void await_return(struct caller *caller) {
    struct lambda *lambda = caller->lambda;
    int64_t next_ns = sqs_return_ns(&lambda->queue);
    if (next_ns >= lambda->return_ns) return;
    lambda->return_ns = next_ns;
    lambda_schedule(caller, next_ns, 0, LAMBDA_RETURNS);
}

/* Messages of a failed invocation come back when their time is over, whatever was done for some of them. */
static void end(struct caller *caller, uint32_t number, bool succeeded) {
    struct lambda *lambda = caller->lambda;
    struct invocation *invocation = &lambda->invocations[number];
    const uint32_t *taken = taken_by(lambda, number);
    for (uint32_t i = 0; i < invocation->count; i++)
        sqs_let_go(&lambda->queue, taken[i], succeeded);
    CHECK(lambda->busy > 0 && invocation->count > 0);
    lambda->failed += !succeeded;
    lambda->busy--;
    invocation->next = lambda->free_invocation;
    lambda->free_invocation = number;
}

/* The next message's work begins; false when there is none left. A message that asks for no call is done at once. */
static bool go_on(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct lambda *lambda = caller->lambda;
    struct invocation *invocation = &lambda->invocations[number];
    struct record *record = &caller->simulation->scratch;
    const uint32_t *taken = taken_by(lambda, number);
    for (; invocation->at < invocation->count; invocation->at++) {
        record->arrival = lambda->queue.messages[taken[invocation->at]].arrival;
        record->arrival.t_ns = invocation->began_ns;
        record->arrival.invocation = number;
        record->arrival.again = sqs_begin(&lambda->queue, taken[invocation->at]);
        record->has_arrival = true;
        invocation->did = false;
        if (arrival_begin(caller, now_ns)) return true;
    }
    return false;
}

static bool may_begin(const struct lambda *lambda) {
    return sqs_waiting(&lambda->queue) > 0 && lambda->busy < lambda->sixtieths / MINUTE;
}

/* One invocation an event, since an event may schedule only so many. In a pause none begins (M-104). */
static void poll(struct caller *caller, int64_t now_ns) {
    struct lambda *lambda = caller->lambda;
    bool paused = now_ns < caller->resume_ns;
    if (may_begin(lambda) && !paused) {
        uint32_t number = lambda->free_invocation;
        CHECK(number < lambda->queue.spec->concurrency.maximum);
        struct invocation *invocation = &lambda->invocations[number];
        lambda->free_invocation = invocation->next;
        *invocation = (struct invocation){.began_ns = now_ns};
        invocation->count = sqs_receive(&lambda->queue, taken_by(lambda, number),
                                        lambda->queue.spec->batch_size, now_ns);
        CHECK(invocation->count > 0); /* some wait */
        lambda->invoked++;
        if (++lambda->busy > lambda->most_busy) lambda->most_busy = lambda->busy;
        if (!go_on(caller, number, now_ns)) end(caller, number, true);
        await_return(caller);
    }
    if (!may_begin(lambda) || lambda->polls) return;
    lambda->polls = true;
    lambda_schedule(caller, paused ? caller->resume_ns : now_ns, 0, LAMBDA_POLLS);
}

void lambda_arrive(struct caller *caller, int64_t now_ns) {
    struct lambda *lambda = caller->lambda;
    sqs_send(&lambda->queue, &caller->simulation->scratch.arrival, now_ns);
    if (sqs_is_tight(&lambda->queue)) loop_request_between(caller->simulation->loop);
    poll(caller, now_ns);
}

static void message_over(struct caller *caller, uint32_t number, bool succeeded, int64_t now_ns) {
    struct lambda *lambda = caller->lambda;
    struct invocation *invocation = &lambda->invocations[number];
    CHECK(invocation->at < invocation->count);
    if (invocation->did) sqs_worked(&lambda->queue, taken_by(lambda, number)[invocation->at]);
    if (succeeded) {
        invocation->at++;
        if (go_on(caller, number, now_ns)) return;
    }
    end(caller, number, succeeded);
    poll(caller, now_ns);
}

void lambda_work_done(struct caller *caller, uint32_t invocation) {
    if (caller->lambda)
        caller->lambda->invocations[invocation].did = true;
    else
        caller->shards->lanes[invocation].did = true;
}

void lambda_work_over(struct caller *caller, uint32_t invocation, bool succeeded, int64_t now_ns) {
    if (caller->lambda)
        message_over(caller, invocation, succeeded, now_ns);
    else
        shards_work_over(caller, invocation, succeeded, now_ns);
}

/* ---- time ---- */

/* More while messages wait, up to the maximum; fewer when none does and fewer are busy. */
static void scale(struct lambda *lambda) {
    const struct ddbsim_concurrency *c = &lambda->queue.spec->concurrency;
    uint64_t most = (uint64_t)c->maximum * MINUTE, least = (uint64_t)c->minimum * MINUTE;
    uint64_t busy = (uint64_t)lambda->busy * MINUTE;
    if (sqs_waiting(&lambda->queue) > 0) {
        lambda->sixtieths += c->per_minute;
        if (lambda->sixtieths > most) lambda->sixtieths = most;
        return;
    }
    if (busy > least) least = busy;
    if (lambda->sixtieths < least + c->per_minute)
        lambda->sixtieths = lambda->sixtieths < least ? lambda->sixtieths : least;
    else
        lambda->sixtieths -= c->per_minute;
}

static void tick(struct caller *caller, int64_t now_ns) {
    struct lambda *lambda = caller->lambda;
    uint32_t waiting = sqs_waiting(&lambda->queue);
    CHECK(lambda->busy <= lambda->queue.spec->concurrency.maximum);
    if (waiting > lambda->most_waiting) lambda->most_waiting = waiting;
    lambda->oldest_ns = larger(lambda->oldest_ns, sqs_oldest_ns(&lambda->queue, now_ns));
    scale(lambda);
    poll(caller, now_ns);
    int64_t next_ns = now_ns + NS_PER_S;
    if (next_ns < caller->simulation->options.scenario->duration_ns)
        lambda_schedule(caller, next_ns, 0, LAMBDA_TICK);
}

static void come_back(struct caller *caller, int64_t now_ns) {
    struct lambda *lambda = caller->lambda;
    if (now_ns >= lambda->return_ns) lambda->return_ns = TIME_NEVER;
    sqs_return(&lambda->queue, now_ns);
    await_return(caller);
    poll(caller, now_ns);
}

void lambda_on_event(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct caller *caller = &s->callers[(uint32_t)event->a];
    uint32_t number = (uint32_t)(event->a >> 32);
    switch ((enum lambda_event)event->b) {
    case LAMBDA_POLLS:
        caller->lambda->polls = false;
        poll(caller, now_ns);
        break;
    case LAMBDA_LOST:
        lambda_work_over(caller, number, false, now_ns);
        break;
    case LAMBDA_RETURNS:
        come_back(caller, now_ns);
        break;
    case LAMBDA_TICK:
        tick(caller, now_ns);
        break;
    case LAMBDA_AGAIN:
        shards_try_again(caller, number, now_ns);
        break;
    case LAMBDA_READS:
        shards_read_on(caller, number, now_ns);
        break;
    }
}

/* ---- rows ---- */

void lambda_tell(struct caller *caller) {
    struct lambda *lambda = caller->lambda;
    struct simulation *s = caller->simulation;
    if (!lambda) return;
    account_queue(&s->account, (uint32_t)(caller - s->callers), sqs_waiting(&lambda->queue),
                  lambda->queue.dead_letters - lambda->told_dead);
    lambda->told_dead = lambda->queue.dead_letters;
}

static void put(const struct simulation *s, const char *scope, enum ddbsim_outcome outcome,
                double value) {
    ROWS_PUT(s->options.sink, DDBSIM_LOG_OUTCOME, ddbsim_text(ddbsim_outcome_name((int)outcome)),
             ddbsim_text(scope), ddbsim_real(value),
             ddbsim_text(ddbsim_outcome_unit((int)outcome)));
}

/* Sums of all, but the highest of what is a maximum. */
struct totals {
    bool queues, streams;
    double sums[DDBSIM_OUTCOME_KINDS];
};

static void add(struct totals *all, const struct simulation *s, const char *scope,
                enum ddbsim_outcome outcome, double value, bool is_most) {
    put(s, scope, outcome, value);
    if (!is_most)
        all->sums[outcome] += value;
    else if (value > all->sums[outcome])
        all->sums[outcome] = value;
}

static void add_queue(struct totals *all, const struct simulation *s, const struct caller *caller) {
    const struct lambda *lambda = caller->lambda;
    const char *name = caller->spec->name;
    const double s_of_ns = 1e-9;
    all->queues = true;
    add(all, s, name, DDBSIM_OUTCOME_MESSAGES, (double)lambda->queue.sent, false);
    add(all, s, name, DDBSIM_OUTCOME_RECEIVED, (double)lambda->queue.received, false);
    add(all, s, name, DDBSIM_OUTCOME_INVOCATIONS, (double)lambda->invoked, false);
    add(all, s, name, DDBSIM_OUTCOME_FAILED_INVOCATIONS, (double)lambda->failed, false);
    add(all, s, name, DDBSIM_OUTCOME_DEAD_LETTERS, (double)lambda->queue.dead_letters, false);
    add(all, s, name, DDBSIM_OUTCOME_DUPLICATES, (double)lambda->queue.duplicates, false);
    add(all, s, name, DDBSIM_OUTCOME_QUEUE_DEPTH, (double)lambda->most_waiting, true);
    add(all, s, name, DDBSIM_OUTCOME_OLDEST_MESSAGE, (double)lambda->oldest_ns * s_of_ns, true);
    add(all, s, name, DDBSIM_OUTCOME_CONCURRENCY, (double)lambda->most_busy, true);
}

static void add_stream(struct totals *all, const struct simulation *s,
                       const struct caller *caller) {
    const struct shards *shards = caller->shards;
    const char *name = caller->spec->name;
    const double s_of_ns = 1e-9;
    all->streams = true;
    add(all, s, name, DDBSIM_OUTCOME_RECEIVED, (double)shards->received, false);
    add(all, s, name, DDBSIM_OUTCOME_INVOCATIONS, (double)shards->invoked, false);
    add(all, s, name, DDBSIM_OUTCOME_FAILED_INVOCATIONS, (double)shards->failed, false);
    add(all, s, name, DDBSIM_OUTCOME_DEAD_LETTERS, (double)shards->discarded, false);
    add(all, s, name, DDBSIM_OUTCOME_DUPLICATES, (double)shards->duplicates, false);
    add(all, s, name, DDBSIM_OUTCOME_ITERATOR_AGE, (double)shards->oldest_ns * s_of_ns, true);
}

void lambda_outcomes(const struct simulation *s) {
    struct totals all = {0};
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++) {
        if (s->callers[w].lambda) add_queue(&all, s, &s->callers[w]);
        if (s->callers[w].shards) add_stream(&all, s, &s->callers[w]);
    }
    for (int i = DDBSIM_OUTCOME_MESSAGES; i <= DDBSIM_OUTCOME_ITERATOR_AGE; i++) {
        bool of_queue = i == DDBSIM_OUTCOME_MESSAGES || i == DDBSIM_OUTCOME_QUEUE_DEPTH ||
                        i == DDBSIM_OUTCOME_OLDEST_MESSAGE || i == DDBSIM_OUTCOME_CONCURRENCY;
        bool of_stream = i == DDBSIM_OUTCOME_ITERATOR_AGE;
        if (of_queue ? all.queues : of_stream ? all.streams : all.queues || all.streams)
            put(s, "", (enum ddbsim_outcome)i, all.sums[i]);
    }
}
