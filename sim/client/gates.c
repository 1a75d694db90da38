/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines before limiters (gates.h). Source: botocore's TokenBucket, whose threads sleep until the token that they lack
 * should be there and then look again.
 *
 * Invariants: a line that is not empty has one event on its way; a record in a line has a ticket, unless it gave up.
 */
#include <client/gates.h>

#include <client/calls.h>
#include <client/limiter.h>
#include <math.h>
#include <stdlib.h>

struct gate {
    struct limiter limiter;
    struct members line;
};

static double seconds(int64_t ns) { return (double)ns / (double)NS_PER_S; }

static struct gate *gate_of(struct caller *caller, uint32_t process) {
    CHECK_DEBUG(process < caller->spec->client.processes);
    return &caller->gates[process];
}

bool gates_init(struct caller *caller) {
    const struct ddbsim_client *client = &caller->spec->client;
    if (client->retry_mode != DDBSIM_MODE_ADAPTIVE) return true;
    caller->gates = calloc(client->processes, sizeof *caller->gates);
    if (!caller->gates) return false;
    for (uint32_t p = 0; p < client->processes; p++)
        limiter_init(&client->limiter, &caller->gates[p].limiter, 0);
    return true;
}

void gates_deinit(struct caller *caller) { free(caller->gates); }

/* Which gate of which workload is woken. */
static void wake_at(struct caller *caller, uint32_t process, int64_t at_ns) {
    struct simulation *s = caller->simulation;
    loop_schedule(s->loop, at_ns, LOOP_RETRY, EVENT_WAKE, (uint64_t)(caller - s->callers), process);
}

/* Takes a token, or says when to look again: later than now. */
static int64_t token_ns(struct gate *gate, int64_t now_ns) {
    double wait_s = limiter_take(&gate->limiter, LIMITER_SEND_COST, seconds(now_ns));
    CHECK(wait_s >= 0 && wait_s < 1e6);
    return wait_s > 0 ? now_ns + (int64_t)(wait_s * (double)NS_PER_S) + 1 : now_ns;
}

static void line_join(struct caller *caller, struct record *record, int64_t deadline_ns) {
    struct simulation *s = caller->simulation;
    uint32_t number = record_store(s, record, caller->goes_on);
    if (++s->tickets == 0) s->tickets = 1;
    pool_at(&s->pool, number)->ticket = s->tickets;
    members_push(&s->pool, &gate_of(caller, record->request.process)->line, number);
    if (deadline_ns < TIME_NEVER)
        loop_schedule(s->loop, deadline_ns, LOOP_COMPLETION, EVENT_LATE, number, s->tickets);
}

bool gates_pass(struct caller *caller, struct record *record, int64_t now_ns, int64_t deadline_ns) {
    uint32_t process = record->request.process;
    struct gate *gate = gate_of(caller, process);
    bool first = gate->line.count == 0;
    int64_t at_ns = first ? token_ns(gate, now_ns) : TIME_NEVER;
    if (at_ns <= now_ns) return true;
    line_join(caller, record, deadline_ns);
    if (first) wake_at(caller, process, at_ns);
    return false;
}

/* Who gave up while waiting still stands in the line, without a ticket. */
static void line_clear(struct simulation *s, struct members *line) {
    while (line->count > 0 && pool_at(&s->pool, line->first)->ticket == 0)
        pool_release(&s->pool, members_take(&s->pool, line));
}

void gates_on_wake(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct caller *caller = &s->callers[event->a];
    struct gate *gate = gate_of(caller, event->b);
    line_clear(s, &gate->line);
    if (gate->line.count == 0) return;
    int64_t at_ns = caller->resume_ns > now_ns ? caller->resume_ns : token_ns(gate, now_ns);
    if (at_ns > now_ns) {
        wake_at(caller, event->b, at_ns);
        return;
    }
    uint32_t number = members_take(&s->pool, &gate->line);
    pool_at(&s->pool, number)->ticket = 0;
    struct record *record = record_load(s, number);
    if (gate->line.count > 0) wake_at(caller, event->b, now_ns);
    call_attempt(caller, record, now_ns);
}

void gates_on_late(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct record *waiting = pool_at(&s->pool, (uint32_t)event->a);
    if (waiting->ticket != event->b) return; /* it has been sent */
    pool_copy(&s->pool, (uint32_t)event->a, &s->scratch);
    waiting->ticket = s->scratch.ticket = 0;
    call_expired(&s->callers[s->scratch.request.workload], &s->scratch, now_ns);
}

void gates_answered(struct caller *caller, const struct record *record, bool throttled,
                    int64_t now_ns) {
    struct limiter *limiter = &gate_of(caller, record->request.process)->limiter;
    if (limiter->enabled) caller->rate_sum -= limiter->fill;
    caller->limited -= limiter->enabled;
    limiter_update(&caller->spec->client.limiter, limiter, seconds(now_ns), throttled);
    if (limiter->enabled) caller->rate_sum += limiter->fill;
    caller->limited += limiter->enabled;
}

double gates_rate(const struct caller *caller) {
    if (caller->limited == 0) return NAN;
    CHECK(caller->limited <= caller->spec->client.processes);
    return caller->rate_sum / caller->limited;
}
