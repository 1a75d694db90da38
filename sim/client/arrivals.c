/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arrivals (arrivals.h; crew.h says who makes them). */
#include <client/arrivals.h>

#include <client/batches.h>
#include <client/branches.h>
#include <client/calls.h>
#include <client/lambda.h>
#include <client/shards.h>

void arrival_over(struct caller *caller, bool succeeded, int64_t now_ns) {
    if (caller->is_lambda) {
        lambda_work_over(caller, caller->simulation->scratch.arrival.invocation, succeeded, now_ns);
        return;
    }
    if (!crew_counts(caller->spec)) return;
    crew_over(&caller->crew, caller->spec, now_ns);
    if (caller->spec->vus > 0)
        crew_schedule(caller, now_ns + caller->spec->think_time_ns, CREW_NEXT);
}

/* Starts call `step` of the arrival in the scratch record; false where it has none. */
static bool request_begin(struct caller *caller, uint32_t step, int64_t now_ns) {
    struct record *record = &caller->simulation->scratch;
    if (!caller->source.request(caller->source.self, &record->arrival, step, now_ns,
                                &record->request))
        return false;
    record->fan = FAN_NONE;
    record->branch = record->page = 0;
    if (record->request.branches > 0)
        begin_branches(caller, step, now_ns);
    else
        call_begin(caller, now_ns);
    return true;
}

bool arrival_begin(struct caller *caller, int64_t now_ns) {
    if (!caller->spec->parallel) return request_begin(caller, 0, now_ns);
    begin_at_once(caller, now_ns);
    return true;
}

/* What comes in a pause comes at its end. */
int64_t arrivals_peek(void *self) {
    struct caller *caller = self;
    int64_t next_ns = caller->reader ? stream_reader_peek(caller->reader)
                                     : caller->source.peek(caller->source.self);
    /* Whoever sends messages or writes records is somebody else. */
    return caller->is_lambda ? next_ns : larger(next_ns, caller->resume_ns);
}

int64_t arrivals_fire(void *self, int64_t now_ns) {
    struct caller *caller = self;
    struct record *record = &caller->simulation->scratch;
    uint32_t slot;
    int64_t ready_ns;
    if (caller->shards) {
        shards_arrive(caller, now_ns);
        return arrivals_peek(caller);
    }
    caller->source.take(caller->source.self, &record->arrival);
    if (caller->lambda) {
        lambda_arrive(caller, now_ns);
        return arrivals_peek(caller);
    }
    record->arrival.t_ns = now_ns; /* what a pause held back begins now */
    if (caller->reader)
        record->arrival.records =
            stream_reader_take(caller->reader, caller->most_records, &slot, &ready_ns);
    record->has_arrival = true;
    bool admitted = !crew_counts(caller->spec) || crew_admit(&caller->crew, caller->spec);
    if (admitted && !arrival_begin(caller, now_ns)) arrival_over(caller, true, now_ns);
    return arrivals_peek(caller);
}

/* The next arrival of a caller in a closed loop, after a pause; false where it has done its last. */
static bool caller_next(struct caller *caller, int64_t now_ns) {
    struct record *record = &caller->simulation->scratch;
    if (now_ns < caller->resume_ns) {
        crew_schedule(caller, caller->resume_ns, CREW_NEXT);
        return true;
    }
    if (!crew_begin(&caller->crew, caller->spec, now_ns)) return false;
    caller->source.take(caller->source.self, &record->arrival);
    record->arrival.t_ns = now_ns;
    record->has_arrival = true;
    if (!arrival_begin(caller, now_ns)) crew_schedule(caller, now_ns + EMPTY_ARRIVAL_NS, CREW_OVER);
    return true;
}

/* Callers join one an event, since an event may schedule only so many. */
void arrivals_on_crew(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct caller *caller = &s->callers[event->a];
    if (event->b == CREW_OVER) arrival_over(caller, true, now_ns);
    if (event->b == CREW_NEXT) (void)caller_next(caller, now_ns);
    if (event->b != CREW_JOIN || !crew_join(&caller->crew, caller->spec, now_ns)) return;
    if (caller_next(caller, now_ns)) crew_schedule(caller, now_ns, CREW_JOIN);
}

void arrival_go_on(struct caller *caller, uint32_t step, int64_t now_ns) {
    const struct ddbsim_arrival *arrival = &caller->simulation->scratch.arrival;
    if (request_begin(caller, step, now_ns)) return;
    if (caller->times)
        hist_add(&caller->times->arrival, (uint64_t)((now_ns - arrival->t_ns) / NS_PER_US));
    arrival_over(caller, true, now_ns);
}

void page_go_on(struct caller *caller, struct record *record, int64_t now_ns) {
    record->page++;
    if (record->request.special & DDBSIM_PAGES)
        caller->source.page(caller->source.self, &record->request);
    call_begin(caller, now_ns);
}

void arrivals_on_completion(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    uint32_t number = (uint32_t)event->a;
    const struct record *record = pool_at(&s->pool, number);
    struct caller *caller = &s->callers[record->request.workload];
    uint32_t step = record->request.step + 1;
    bool goes_on = record->has_arrival;
    quota_refund(caller, record);
    if (record->members.count > 0) {
        batch_send_again(caller, record_load(s, number), now_ns);
        return;
    }
    if (record->fan != FAN_NONE) {
        if (record->reads_on)
            pool_load(&s->pool, number, &s->scratch);
        else
            pool_load_answer(&s->pool, number, &s->scratch);
        branch_go_on(caller, now_ns);
        return;
    }
    if (goes_on && record->reads_on) {
        page_go_on(caller, record_load(s, number), now_ns);
        return;
    }
    if (goes_on) s->scratch.arrival = record->arrival;
    s->scratch.has_arrival = goes_on;
    pool_release(&s->pool, number);
    if (goes_on)
        arrival_go_on(caller, step, now_ns);
    else
        arrival_over(caller, true, now_ns);
}
