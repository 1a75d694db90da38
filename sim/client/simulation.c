/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callers on a clock, or one after the other (M-76, M-79; crew.h). An arrival makes one request, or a sequence of them one after the other; a refused
 * request waits and tries again as its client says (retry.h). Random draws of an attempt are a mix of
 * (stream, request, attempt), so they do not depend on what else happens (docs/determinism.md).
 *
 * A request that needs no further event, which is most of them, never enters the pool: it lives in a
 * scratch record. Calls at once are branches of a fan (fan.h), each with a record of its own. The pool holds
 * requests that wait for a retry, for the next step of their sequence, or for an answer that gives retry quota
 * back, and the members of batches that are on their way.
 *
 * Invariants: a pool record is scheduled exactly once, or is one member of one batch; requests = succeeded +
 * failed + outstanding.
 */
#include <client/simulation.h>

#include <base/error.h>
#include <base/hash.h>
#include <base/rng.h>
#include <client/account.h>
#include <client/crew.h>
#include <client/dax.h>
#include <client/fan.h>
#include <client/inspect.h>
#include <client/pool.h>
#include <client/retry.h>
#include <math.h>
#include <model/control.h>
#include <model/stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(DDBSIM_WORKLOADS_MAX <= LOOP_SOURCES_MAX, "each workload is a source of the loop");

enum {
    EVENT_SECOND,
    EVENT_CHANGE,
    EVENT_COMPLETION,
    EVENT_RETRY,
    EVENT_CREW,
    EVENT_BRANCH,
    EVENT_MODEL
};

/* What happens to a fan: its next branch begins, one is given up. */
enum branch_event { BRANCH_BEGIN, BRANCH_LOST };

/* What happens in a crew: a caller joins, one takes its next arrival, an arrival is over. */
enum crew_event { CREW_JOIN, CREW_NEXT, CREW_OVER };
#define EMPTY_ARRIVAL_NS \
    NS_PER_US /* an arrival without calls: a loop of such ones still takes time */

struct caller {
    struct simulation *simulation;
    const struct ddbsim_workload *spec; /* follows changes */
    struct ddbsim_source source;
    struct crew crew;
    struct stream_reader *reader; /* whose records are its arrivals; NULL: its clock's are */
    uint32_t most_records;        /* of one arrival */
    struct dax dax;
    bool goes_on;               /* an arrival may have several calls, at some time of the run */
    bool waits;                 /* that, or arrivals in flight are counted: each answer matters */
    struct retry_quota *quotas; /* one a process */
    double quota_sum;           /* of tokens, over processes */
    struct members *left_over;  /* top_up: see left_over_of; else NULL */
    uint32_t operation_count;
    struct fan_times *times; /* of arrivals of several calls; NULL: there are none */
    uint64_t attempt_stream, jitter_stream;
};

struct simulation {
    struct model *model; /* first: the loop's context is also the model's handle */
    struct simulation_options options;
    struct loop *loop;
    struct account account;
    struct caller *callers;
    struct pool pool;
    struct fans fans;
    struct record scratch;
    struct ddbsim_request *actions;        /* of the transaction at hand; NULL: there are none */
    struct ddbsim_request member;          /* while it is described */
    struct attempt each[DDBSIM_BATCH_MAX]; /* how a batch's members fared */
    int64_t closed_s;                      /* seconds before this one are closed */
    const struct ddbsim_change *changed;   /* a change that workloads have to follow; NULL: none */
    int64_t due_s;                         /* a second that ends here waits to be closed */
};

/* ---- the pool ---- */

/* A record was stored. */
static uint32_t record_stored(struct simulation *s, uint32_t number) {
    if (pool_is_tight(&s->pool)) loop_request_between(s->loop);
    return number;
}

/* To be sent again. The arrival's draws are kept where a further call may follow. */
static uint32_t record_store(struct simulation *s, struct record *record, bool is_sequence) {
    record->has_arrival &= is_sequence;
    return record_stored(s, pool_store(&s->pool, record));
}

/* Over once its answer is there. */
static uint32_t answer_store(struct simulation *s, struct record *record, bool is_sequence) {
    record->has_arrival &= is_sequence;
    return record_stored(s, pool_store_answer(&s->pool, record));
}

/* Into the scratch record; the pool's is free again. */
static struct record *record_load(struct simulation *s, uint32_t number) {
    pool_load(&s->pool, number, &s->scratch);
    return &s->scratch;
}

/* ---- a request ---- */

/* One a call; those of a branch, and of a Scan's further pages, are mixes of it. */
static inline uint64_t attempt_draw(uint64_t stream, const struct record *record) {
    uint64_t draw = hash_mix(stream, record->request.number,
                             (uint64_t)record->request.step << 32 | record->calls);
    if (record->fan == FAN_NONE && record->page == 0) return draw;
    return hash_mix(draw, record->branch, record->page);
}

static struct retry_quota *quota_of(struct caller *caller, const struct record *record) {
    return &caller->quotas[record->request.process];
}

static void quota_refund(struct caller *caller, const struct record *record) {
    CHECK_DEBUG(record->request.process < caller->spec->client.processes);
    struct retry_quota *quota = quota_of(caller, record);
    caller->quota_sum -= (double)quota->tokens;
    retry_succeeded(&caller->spec->client, quota, record->held, record->attempts > 1);
    caller->quota_sum += (double)quota->tokens;
}

static enum retry_decision quota_decide(struct caller *caller, struct record *record) {
    struct retry_quota *quota = quota_of(caller, record);
    caller->quota_sum -= (double)quota->tokens;
    enum retry_decision decision =
        retry_decide(&caller->spec->client, quota, record->attempts, &record->held);
    caller->quota_sum += (double)quota->tokens;
    return decision;
}

/* An answer is worth an event only if something follows from it: most find their quota full, and an event
 * for each would cost more than the token or so that a refusal meanwhile makes of it (M-75). */
static inline bool answer_matters(const struct caller *caller, const struct record *record) {
    if (caller->waits) return true;
    /* Without a quota nobody holds tokens, and the capacity is 0. */
    return caller->quotas[record->request.process].tokens < caller->spec->client.quota_capacity;
}

static inline void request_over(struct caller *caller, const struct record *record, bool succeeded,
                                int64_t now_ns, int64_t end_ns) {
    account_over(&caller->simulation->account, record->slot, succeeded, end_ns - record->first_ns,
                 now_ns, end_ns);
}

/* The caller has its answer at that time; `number` is the record that waits for it. */
static void answer_await(struct caller *caller, uint32_t number, int64_t end_ns) {
    loop_schedule(caller->simulation->loop, end_ns, LOOP_COMPLETION, EVENT_COMPLETION, number, 0);
}

static inline void request_admitted(struct caller *caller, struct record *record, int64_t now_ns,
                                    int64_t end_ns) {
    request_over(caller, record, true, now_ns, end_ns);
    if (record->request.missed > 0)
        account_missed(&caller->simulation->account, record->slot, record->request.missed);
    if (!answer_matters(caller, record)) return;
    if (record->request.kind == DDBSIM_SCAN) /* its next page begins where this one ended */
        answer_await(caller, record_store(caller->simulation, record, caller->goes_on), end_ns);
    else
        answer_await(caller, answer_store(caller->simulation, record, caller->goes_on), end_ns);
}

static void crew_schedule(struct caller *caller, int64_t at_ns, enum crew_event what) {
    struct simulation *s = caller->simulation;
    loop_schedule(s->loop, at_ns, what == CREW_OVER ? LOOP_COMPLETION : LOOP_RETRY, EVENT_CREW,
                  (uint64_t)(caller - s->callers), what);
}

/* An arrival's last call is answered or given up. */
static void arrival_over(struct caller *caller, int64_t now_ns) {
    if (!crew_counts(caller->spec)) return;
    crew_over(&caller->crew, caller->spec, now_ns);
    if (caller->spec->vus > 0)
        crew_schedule(caller, now_ns + caller->spec->think_time_ns, CREW_NEXT);
}

/* Members that nobody sends again. */
static void members_lost(struct caller *caller, struct record *record) {
    struct simulation *s = caller->simulation;
    if (record->members.count == 0) return;
    account_lost(&s->account, record->slot, members_release(&s->pool, &record->members));
}

static void request_given_up(struct caller *caller, struct record *record, int64_t now_ns,
                             int64_t end_ns) {
    members_lost(caller, record);
    request_over(caller, record, false, now_ns, end_ns);
    if (record->fan != FAN_NONE)
        loop_schedule(caller->simulation->loop, end_ns, LOOP_COMPLETION, EVENT_BRANCH, record->fan,
                      BRANCH_LOST);
    else if (crew_counts(caller->spec))
        crew_schedule(caller, end_ns, CREW_OVER);
}

static void request_refused(struct caller *caller, struct record *record, int64_t now_ns,
                            int64_t end_ns) {
    struct simulation *s = caller->simulation;
    enum retry_decision decision = quota_decide(caller, record);
    if (decision != RETRY_AGAIN) {
        if (decision == RETRY_NO_QUOTA) account_retry_refused(&s->account, record->slot);
        request_given_up(caller, record, now_ns, end_ns);
        return;
    }
    uint64_t draw = attempt_draw(caller->jitter_stream, record);
    int64_t at_ns = end_ns + retry_delay_ns(&caller->spec->client, record->attempts, draw);
    loop_schedule(s->loop, at_ns, LOOP_RETRY, EVENT_RETRY, record_store(s, record, caller->goes_on),
                  0);
}

/* ---- a cache in front ---- */

/* DAX keeps what the table has served of a batch. */
static void batch_keep(struct caller *caller, const struct ddbsim_request *const *requests,
                       uint32_t count, int64_t now_ns) {
    const struct ddbsim_dax *spec = &caller->spec->dax;
    for (uint32_t i = 0; i < count && spec->enabled; i++)
        if (caller->simulation->each[i].admitted) dax_keep(&caller->dax, spec, requests[i], now_ns);
}

/* Does DAX have the answer, so that the table sees nothing? A batch comes without the members that it has. */
static bool cache_answers(struct caller *caller, const struct record *record, int64_t now_ns,
                          struct attempt *out) {
    const struct ddbsim_request *request = &record->request;
    const struct table *table = &caller->simulation->model->tables[request->table];
    if (record->calls > 1 || request->special ||
        ddbsim_operation_is_transaction((int)request->kind))
        return false;
    bool hits = request->members > 0
                    ? record->members.count == 0
                    : dax_hits(&caller->dax, &caller->spec->dax, request, 0, now_ns);
    if (!hits) return false;
    int64_t latency_ns = table->spec->model.dax_latency_ns;
    *out = (struct attempt){.admitted = true,
                            .direction = READ,
                            .index = DDBSIM_NONE,
                            .service_ns = latency_ns,
                            .caller_ns = latency_ns};
    return true;
}

/* ---- attempts ---- */

/* The item has changed its size, which its source keeps. */
static void tell_source(struct simulation *s, const struct ddbsim_request *request) {
    struct ddbsim_source *source = &s->callers[request->workload].source;
    CHECK(source->served != NULL);
    source->served(source->self, request);
}

/* A batch is sent with the members that it has; those that come back stay, in their order. */
static void batch_attempt(struct simulation *s, struct record *record, uint64_t draw,
                          int64_t now_ns, struct attempt *out) {
    const struct ddbsim_request *requests[DDBSIM_BATCH_MAX];
    uint32_t numbers[DDBSIM_BATCH_MAX], count = record->members.count;
    CHECK(count > 0 && count <= DDBSIM_BATCH_MAX);
    uint32_t number = record->members.first;
    for (uint32_t i = 0; i < count; i++, number = pool_at(&s->pool, number)->next) {
        numbers[i] = number;
        requests[i] = &pool_at(&s->pool, number)->request;
    }
    table_batch(s->model, requests, count, draw, now_ns, s->each, out);
    if (out->verdict ==
        VERDICT_INVALID) { /* nothing of it was written, and nobody sends it again */
        (void)members_release(&s->pool, &record->members);
        record->members = (struct members){0};
        return;
    }
    batch_keep(&s->callers[record->request.workload], requests, count, now_ns);
    struct members sent = record->members, none = {0};
    record->members = none;
    for (uint32_t i = 0; i < count; i++) {
        CHECK_DEBUG(sent.first == numbers[i]);
        members_move(&s->pool, &sent, s->each[i].admitted ? &none : &record->members, 1);
        if (!s->each[i].admitted) account_member_refused(&s->account, record->slot, &s->each[i]);
        if (s->each[i].admitted && requests[i]->special & DDBSIM_SIZED) tell_source(s, requests[i]);
    }
    (void)members_release(&s->pool, &none);
    CHECK(record->members.count == out->unprocessed);
}

/* What the request's process sends with its next batch of the same operation. */
static struct members *left_over_of(const struct caller *caller,
                                    const struct ddbsim_request *request) {
    CHECK(request->operation < caller->operation_count);
    return &caller->left_over[(size_t)request->process * caller->operation_count +
                              request->operation];
}

/* A batch was served in part: what its caller does about the rest (M-64). */
static void batch_came_back(struct caller *caller, struct record *record, int64_t now_ns,
                            int64_t end_ns) {
    const struct ddbsim_batch_unprocessed *unprocessed = &caller->spec->client.unprocessed;
    if (retry_sends_again(unprocessed, record->rounds)) {
        answer_await(caller, record_store(caller->simulation, record, caller->goes_on), end_ns);
        return;
    }
    switch (unprocessed->strategy) {
    case DDBSIM_UNPROCESSED_TOP_UP:
        members_move(&caller->simulation->pool, &record->members,
                     left_over_of(caller, &record->request), DDBSIM_BATCH_MAX);
        break;
    case DDBSIM_UNPROCESSED_DROP:
        members_lost(caller, record);
        break;
    case DDBSIM_UNPROCESSED_IMMEDIATE:
    case DDBSIM_UNPROCESSED_EXPONENTIAL:
        request_given_up(caller, record, now_ns, end_ns);
        return;
    }
    request_admitted(caller, record, now_ns, end_ns);
}

/* The answer is there: the SDK's call is over, and its caller makes another one for the rest. */
static void batch_send_again(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    int64_t wait_ns = retry_unprocessed_delay_ns(&caller->spec->client.unprocessed, record->rounds);
    record->rounds++;
    record->attempts = 0;
    record->held = 0;
    loop_schedule(s->loop, now_ns + wait_ns, LOOP_RETRY, EVENT_RETRY,
                  record_store(s, record, caller->goes_on), 0);
}

/* A transaction is sent once: SDKs do not try again what was cancelled (M-68). */
static void transact(struct caller *caller, struct record *record, uint64_t draw, int64_t now_ns,
                     struct attempt *out) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *call = &record->request;
    CHECK(call->members <= DDBSIM_TRANSACT_MAX && s->actions && caller->source.member);
    for (uint32_t i = 0; i < call->members; i++)
        caller->source.member(caller->source.self, &record->arrival, call->step, i, now_ns,
                              &s->actions[i]);
    table_transact(s->model, call->kind, s->actions, call->members, draw, now_ns, s->each, out);
    for (uint32_t i = 0; i < call->members && out->admitted; i++)
        if (s->actions[i].special & DDBSIM_SIZED) tell_source(s, &s->actions[i]);
    if (out->admitted || out->verdict == VERDICT_INVALID)
        account_attempt(&s->account, record->slot, out, false);
    else
        account_cancelled(&s->account, record->slot, out, s->actions, s->each, call->members);
}

/* One that is more than one item or one page, or is refused as it stands. */
static void members_attempt(struct caller *caller, struct record *record, uint64_t draw,
                            int64_t now_ns, struct attempt *out) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *call = &record->request;
    if (call->special & DDBSIM_INVALID)
        table_invalid(s->model, call->table, call->kind, draw, out);
    else if (ddbsim_operation_is_transaction((int)call->kind)) {
        transact(caller, record, draw, now_ns, out);
        return;
    } else
        batch_attempt(s, record, draw, now_ns, out);
    account_attempt(&s->account, record->slot, out, record->calls > 1);
}

/* What the table holds there now: a page that was refused is looked at anew. */
static void scan_attempt(struct caller *caller, struct record *record, uint64_t draw,
                         int64_t now_ns, struct attempt *out) {
    struct simulation *s = caller->simulation;
    struct scan_page page;
    table_scan_page(s->model, &record->request, &page);
    table_attempt(s->model, &record->request, draw, now_ns, out);
    account_attempt(&s->account, record->slot, out, record->calls > 1);
    if (!out->admitted) return;
    record->request.key = page.next;
    record->request.more = record->request.all_pages && !page.is_last;
}

/* What AWS refuses for itself is tried once: another attempt would be refused as well. */
static inline bool is_final(const struct record *record, const struct attempt *attempt) {
    return attempt->verdict != VERDICT_NONE ||
           ddbsim_operation_is_transaction((int)record->request.kind);
}

static void request_attempt(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct attempt attempt;
    CHECK_DEBUG(record->attempts < caller->spec->client.max_attempts);
    record->attempts++;
    record->calls++;
    uint64_t draw = attempt_draw(caller->attempt_stream, record);
    if (caller->spec->dax.enabled && cache_answers(caller, record, now_ns, &attempt)) {
        account_attempt(&s->account, record->slot, &attempt, false);
    } else if (record->request.members > 0) {
        members_attempt(caller, record, draw, now_ns, &attempt);
    } else if (record->request.special & DDBSIM_SCANS) {
        scan_attempt(caller, record, draw, now_ns, &attempt);
    } else {
        table_attempt(s->model, &record->request, draw, now_ns, &attempt);
        account_attempt(&s->account, record->slot, &attempt, record->calls > 1);
        if (caller->spec->dax.enabled && attempt.admitted && attempt.verdict == VERDICT_NONE)
            dax_keep(&caller->dax, &caller->spec->dax, &record->request, now_ns);
        if (record->request.special & DDBSIM_SIZED && attempt.admitted)
            tell_source(s, &record->request);
    }
    int64_t end_ns = now_ns + attempt.caller_ns;
    if (!attempt.admitted && is_final(record, &attempt))
        request_given_up(caller, record, now_ns, end_ns);
    else if (!attempt.admitted)
        request_refused(caller, record, now_ns, end_ns);
    else if (attempt.unprocessed > 0)
        batch_came_back(caller, record, now_ns, end_ns);
    else
        request_admitted(caller, record, now_ns, end_ns);
}

/* The members of a new batch: first what is left over from the ones before, where callers keep that. */
static void batch_begin(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    const struct ddbsim_request *call = &record->request;
    CHECK(call->members <= DDBSIM_BATCH_MAX && caller->source.member);
    if (caller->left_over)
        members_move(&s->pool, left_over_of(caller, call), &record->members, call->members);
    for (uint32_t i = record->members.count; i < call->members; i++) {
        caller->source.member(caller->source.self, &record->arrival, call->step, i, now_ns,
                              &s->member);
        if (caller->spec->dax.enabled &&
            dax_hits(&caller->dax, &caller->spec->dax, &s->member, i, now_ns))
            continue;
        members_add(&s->pool, &record->members, &s->member);
    }
    if (pool_is_tight(&s->pool)) loop_request_between(s->loop);
}

/* The request in the scratch record is asked for, and sent. */
static void call_begin(struct caller *caller, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct record *record = &s->scratch;
    const struct ddbsim_request *request = &record->request;
    record->first_ns = now_ns;
    record->held = 0;
    record->attempts = record->calls = record->rounds = 0;
    record->members = (struct members){0};
    record->slot = account_slot(&s->account, request);
    if (request->members > 0 && !(request->special & DDBSIM_INVALID) &&
        !ddbsim_operation_is_transaction((int)request->kind))
        batch_begin(caller, record, now_ns);
    account_asked(&s->account, record->slot);
    request_attempt(caller, record, now_ns);
}

static void fan_launch(struct simulation *s, uint32_t number, int64_t now_ns) {
    s->fans.all[number].launching = true;
    loop_schedule(s->loop, now_ns, LOOP_RETRY, EVENT_BRANCH, number, BRANCH_BEGIN);
}

/* Calls at once, each begun by an event of its own, since an event may schedule only so many. */
static void fan_begin(struct caller *caller, const struct fan *fan, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    uint32_t number = fans_take(&s->fans);
    CHECK(fan->parallel > 0 && fan->branches > 0);
    s->fans.all[number] = *fan;
    s->fans.all[number].arrival = s->scratch.arrival;
    s->fans.all[number].first_ns = now_ns;
    s->fans.all[number].workload = (uint32_t)(caller - s->callers);
    if (fans_are_tight(&s->fans)) loop_request_between(s->loop);
    fan_launch(s, number, now_ns);
}

/* The two that seldom begin are apart, so that the usual way needs no room for them. */
__attribute__((noinline)) static void branches_begin(struct caller *caller, uint32_t step,
                                                     int64_t now_ns) {
    const struct ddbsim_request *request = &caller->simulation->scratch.request;
    struct fan fan = {.step = step,
                      .more = request->more,
                      .branches = request->branches,
                      .parallel = request->parallel};
    fan_begin(caller, &fan, now_ns);
}

__attribute__((noinline)) static void sequence_begin_at_once(struct caller *caller,
                                                             int64_t now_ns) {
    struct fan all = {.is_sequence = true, .branches = UINT32_MAX, .parallel = UINT32_MAX};
    fan_begin(caller, &all, now_ns);
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
        branches_begin(caller, step, now_ns);
    else
        call_begin(caller, now_ns);
    return true;
}

/* An arrival begins, with its first call or with all at once. */
static inline bool arrival_begin(struct caller *caller, int64_t now_ns) {
    if (!caller->spec->parallel) return request_begin(caller, 0, now_ns);
    sequence_begin_at_once(caller, now_ns);
    return true;
}

/* ---- the loop's events ---- */

static int64_t caller_peek(void *self) {
    struct caller *caller = self;
    if (caller->reader) return stream_reader_peek(caller->reader);
    return caller->source.peek(caller->source.self);
}

static int64_t caller_fire(void *self, int64_t now_ns) {
    struct caller *caller = self;
    struct record *record = &caller->simulation->scratch;
    caller->source.take(caller->source.self, &record->arrival);
    if (caller->reader) {
        record->arrival.t_ns = now_ns;
        record->arrival.records = stream_reader_take(caller->reader, caller->most_records);
    }
    record->has_arrival = true;
    bool admitted = !crew_counts(caller->spec) || crew_admit(&caller->crew, caller->spec);
    if (admitted && !arrival_begin(caller, now_ns)) arrival_over(caller, now_ns);
    return caller_peek(caller);
}

/* The next arrival of a caller in a closed loop; false where it has done its last. */
static bool caller_next(struct caller *caller, int64_t now_ns) {
    struct record *record = &caller->simulation->scratch;
    if (!crew_begin(&caller->crew, caller->spec, now_ns)) return false;
    caller->source.take(caller->source.self, &record->arrival);
    record->arrival.t_ns = now_ns;
    record->has_arrival = true;
    if (!arrival_begin(caller, now_ns)) crew_schedule(caller, now_ns + EMPTY_ARRIVAL_NS, CREW_OVER);
    return true;
}

/* Callers join one an event, since an event may schedule only so many. */
static void on_crew(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct caller *caller = &s->callers[event->a];
    if (event->b == CREW_OVER) arrival_over(caller, now_ns);
    if (event->b == CREW_NEXT) (void)caller_next(caller, now_ns);
    if (event->b != CREW_JOIN || !crew_join(&caller->crew, caller->spec, now_ns)) return;
    if (caller_next(caller, now_ns)) crew_schedule(caller, now_ns, CREW_JOIN);
}

/* The arrival of the scratch record goes on with call `step`, or has made its last. */
static void arrival_go_on(struct caller *caller, uint32_t step, int64_t now_ns) {
    const struct ddbsim_arrival *arrival = &caller->simulation->scratch.arrival;
    if (request_begin(caller, step, now_ns)) return;
    if (caller->times)
        hist_add(&caller->times->arrival, (uint64_t)((now_ns - arrival->t_ns) / NS_PER_US));
    arrival_over(caller, now_ns);
}

/* A Scan reads on where it stands. */
static void scan_go_on(struct caller *caller, struct record *record, int64_t now_ns) {
    record->page++;
    call_begin(caller, now_ns);
}

/* A branch has its last answer, or was given up. */
static void fan_branch_over(struct simulation *s, uint32_t number, int64_t now_ns) {
    struct fan *fan = &s->fans.all[number];
    struct caller *caller = &s->callers[fan->workload];
    if (fan_has_next(fan)) fan_launch(s, number, now_ns);
    if (!fan_is_over(fan)) return;
    struct fan over = *fan;
    fans_release(&s->fans, number);
    s->scratch.arrival = over.arrival;
    s->scratch.has_arrival = true;
    if (over.failed)
        arrival_over(caller, now_ns);
    else if (over.is_sequence && over.begun == 0 && caller->spec->vus > 0)
        crew_schedule(caller, now_ns + EMPTY_ARRIVAL_NS, CREW_OVER);
    else
        arrival_go_on(caller, over.is_sequence ? UINT32_MAX : over.step + 1 + over.more, now_ns);
}

/* Describes the next branch in the scratch record; false where a sequence has no further call. */
static bool branch_describe(struct caller *caller, struct fan *fan, int64_t now_ns) {
    struct record *record = &caller->simulation->scratch;
    struct ddbsim_source *source = &caller->source;
    if (!fan->is_sequence)
        return source->shard(source->self, &fan->arrival, fan->step, fan->begun, now_ns,
                             &record->request);
    if (!source->request(source->self, &fan->arrival, fan->step, now_ns, &record->request))
        return false;
    fan->step += 1 + record->request.more;
    return true;
}

static void branch_begin(struct simulation *s, uint32_t number, int64_t now_ns) {
    struct fan *fan = &s->fans.all[number];
    struct caller *caller = &s->callers[fan->workload];
    struct record *record = &s->scratch;
    CHECK(fan->launching && fan->begun < fan->branches);
    fan->launching = false;
    if (fan->failed || !branch_describe(caller, fan, now_ns)) {
        fan->branches = fan->begun;
        fan_branch_over(s, number, now_ns);
        return;
    }
    record->arrival = fan->arrival;
    record->has_arrival = true;
    record->fan = number;
    record->branch = fan->begun++;
    record->page = 0;
    if (fan_has_next(fan)) fan_launch(s, number, now_ns);
    call_begin(caller, now_ns);
}

/* The first page of the last shard: from here on the sorted whole can be given out. */
static void branch_first(struct caller *caller, struct fan *fan, int64_t now_ns) {
    if (++fan->firsts < fan->branches || fan->is_sequence || !caller->times) return;
    hist_add(&caller->times->first_page, (uint64_t)((now_ns - fan->first_ns) / NS_PER_US));
}

/* The answer of a branch's call, in the scratch record, is there. */
static void branch_go_on(struct caller *caller, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct record *record = &s->scratch;
    uint32_t number = record->fan;
    struct fan *fan = &s->fans.all[number];
    bool scans = record->request.kind == DDBSIM_SCAN;
    if (record->page == 0 && !scans) branch_first(caller, fan, now_ns);
    if (record->request.more > 0 && scans) {
        scan_go_on(caller, record, now_ns);
        return;
    }
    uint32_t step = record->request.step + 1;
    if (record->request.more > 0 &&
        (fan->is_sequence ? caller->source.request(caller->source.self, &record->arrival, step,
                                                   now_ns, &record->request)
                          : caller->source.shard(caller->source.self, &record->arrival, step,
                                                 record->branch, now_ns, &record->request))) {
        record->page++;
        call_begin(caller, now_ns);
        return;
    }
    fan->over++;
    fan_branch_over(s, number, now_ns);
}

static void on_branch(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    uint32_t number = (uint32_t)event->a;
    if (event->b == BRANCH_BEGIN) {
        branch_begin(s, number, now_ns);
        return;
    }
    CHECK(event->b == BRANCH_LOST && number < s->fans.capacity);
    s->fans.all[number].failed = true;
    s->fans.all[number].over++;
    fan_branch_over(s, number, now_ns);
}

static void on_completion(void *context, int64_t now_ns, const struct loop_event *event) {
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
        if (record->request.kind == DDBSIM_SCAN)
            pool_load(&s->pool, number, &s->scratch);
        else
            pool_load_answer(&s->pool, number, &s->scratch);
        branch_go_on(caller, now_ns);
        return;
    }
    if (goes_on && record->request.more > 0 && record->request.kind == DDBSIM_SCAN) {
        scan_go_on(caller, record_load(s, number), now_ns);
        return;
    }
    if (goes_on) s->scratch.arrival = record->arrival;
    s->scratch.has_arrival = goes_on;
    pool_release(&s->pool, number);
    if (goes_on)
        arrival_go_on(caller, step, now_ns);
    else
        arrival_over(caller, now_ns);
}

static void on_retry(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    struct record *record = record_load(s, (uint32_t)event->a);
    request_attempt(&s->callers[record->request.workload], record, now_ns);
}

static void on_second(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    (void)event;
    CHECK(now_ns % NS_PER_S == 0 && now_ns / NS_PER_S == s->closed_s + 1);
    s->due_s = now_ns / NS_PER_S;
    loop_request_between(s->loop);
    int64_t next_ns = now_ns + NS_PER_S;
    /* The last second is closed by finish. */
    if (next_ns < s->options.scenario->duration_ns)
        loop_schedule(s->loop, next_ns, LOOP_PERIOD, EVENT_SECOND, 0, 0);
}

/* The workload is `spec` from here on. */
static void caller_follow(struct caller *caller, const struct ddbsim_workload *spec) {
    caller->spec = spec;
    caller->waits = caller->goes_on || crew_counts(spec);
}

static void on_change(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    CHECK(event->a < s->options.scenario->change_count);
    const struct ddbsim_change *change = &s->options.scenario->changes[event->a];
    struct note note = {.kind = DDBSIM_EVENT_CHANGE,
                        .t_ns = now_ns,
                        .resource = UINT32_MAX,
                        .text = change->detail ? change->detail : "{}"};
    model_note(s->model, &note);
    control_change(s->model, (uint32_t)event->a);
    s->changed = change;
    loop_request_between(s->loop);
}

/* ---- between events ---- */

/* Here, because more callers may join than a handler may schedule events. */
static void follow_change(struct simulation *s, const struct ddbsim_scenario *after,
                          int64_t now_ns) {
    for (uint32_t w = 0; w < after->workload_count; w++) {
        struct caller *caller = &s->callers[w];
        caller_follow(caller, &after->workloads[w]);
        if (caller->spec->vus > 0 && now_ns >= caller->spec->start_ns)
            crew_schedule(caller, now_ns, CREW_JOIN);
        caller->source.change(caller->source.self, after, now_ns);
        loop_source_changed(s->loop, w);
    }
}

static double quota_mean(const struct caller *caller) {
    if (caller->spec->client.quota_capacity == 0) return NAN;
    CHECK(caller->quota_sum >= 0);
    return caller->quota_sum / caller->spec->client.processes;
}

static void close_callers(struct simulation *s, int64_t end_s, bool last) {
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++)
        account_close_second(&s->account, w, end_s, quota_mean(&s->callers[w]));
    account_close_cells(&s->account, end_s);
    if (!last && !model_wall_multiple(s->model, end_s, 60)) return;
    int64_t unix_s = s->options.scenario->start_unix_s + end_s - 1;
    account_close_minute(&s->account, end_s - 1 - unix_s % 60);
}

static bool between(void *context) {
    struct simulation *s = context;
    if (s->due_s > s->closed_s) {
        if (!model_close_second(s->model, s->due_s)) return false;
        close_callers(s, s->due_s, false);
        s->closed_s = s->due_s;
    }
    if (s->changed) follow_change(s, s->changed->after, loop_now(s->loop));
    s->changed = NULL;
    if (!control_apply(s->model)) return false;
    model_flush_notes(s->model);
    while (pool_is_tight(&s->pool))
        if (!pool_grow(&s->pool)) return false;
    while (fans_are_tight(&s->fans))
        if (!fans_grow(&s->fans)) return false;
    return model_make_room(s->model);
}

/* ---- life ---- */

static uint64_t stream(const struct simulation *s, const char *workload, const char *purpose) {
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", workload, purpose);
    return rng_stream_key(s->options.seed, s->options.replication, name);
}

static bool makes_several_calls(const struct ddbsim_workload *spec) {
    bool several = spec->sequence;
    for (uint32_t o = 0; o < spec->operation_count; o++)
        several |= spec->operations[o].all_pages || spec->operations[o].asks > 1 ||
                   spec->operations[o].total_segments > 1;
    return several;
}

/* The same now or after any change, since what is in flight goes on when one comes. Workloads keep their places. */
static bool ever_goes_on(const struct ddbsim_scenario *scenario, uint32_t number) {
    bool several = makes_several_calls(&scenario->workloads[number]);
    for (uint32_t i = 0; i < scenario->change_count; i++) {
        const struct ddbsim_scenario *after = scenario->changes[i].after;
        if (number < after->workload_count)
            several |= makes_several_calls(&after->workloads[number]);
    }
    return several;
}

static bool caller_init(struct simulation *s, uint32_t number) {
    struct caller *caller = &s->callers[number];
    const struct ddbsim_workload *spec = &s->options.scenario->workloads[number];
    const struct ddbsim_client *client = &spec->client;
    *caller = (struct caller){
        .simulation = s,
        .source = s->options.sources[number],
        .quotas = calloc(client->processes, sizeof *caller->quotas),
        .attempt_stream = stream(s, spec->name, "attempt"),
        .jitter_stream = stream(s, spec->name, "jitter"),
        .crew = {.finished_ns = DDBSIM_NO_TIME},
        .goes_on = ever_goes_on(s->options.scenario, number),
    };
    caller_follow(caller, spec);
    if (!caller->quotas) return false;
    if (!dax_init(&caller->dax, &spec->dax, stream(s, spec->name, "dax"))) return false;
    caller->reader = model_reader(s->model, number);
    caller->most_records = 1;
    for (uint32_t o = 0; o < spec->operation_count; o++)
        if (ddbsim_operation_is_batch((int)spec->operations[o].kind) &&
            spec->operations[o].batch_size > caller->most_records)
            caller->most_records = spec->operations[o].batch_size;
    if (caller->goes_on) {
        caller->times = calloc(1, sizeof *caller->times);
        if (!caller->times) return false;
    }
    if (client->unprocessed.strategy == DDBSIM_UNPROCESSED_TOP_UP) {
        caller->operation_count = spec->operation_count;
        caller->left_over =
            calloc((size_t)client->processes * spec->operation_count, sizeof *caller->left_over);
        if (!caller->left_over) return false;
    }
    for (uint32_t p = 0; p < client->processes; p++) {
        caller->quotas[p].tokens = client->quota_capacity;
        caller->quota_sum += (double)client->quota_capacity;
    }
    struct loop_source source = {.self = caller, .peek = caller_peek, .fire = caller_fire};
    return loop_add_source(s->loop, &source);
}

/* What is known beforehand: the changes, when callers begin, and the first second's end. */
static void schedule_known(struct simulation *s) {
    const struct ddbsim_scenario *scenario = s->options.scenario;
    for (uint32_t i = 0; i < scenario->change_count; i++)
        loop_schedule(s->loop, scenario->changes[i].at_ns, LOOP_CONTROL, EVENT_CHANGE, i, 0);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workloads[w].vus > 0)
            crew_schedule(&s->callers[w], scenario->workloads[w].start_ns, CREW_JOIN);
    if (scenario->duration_ns > NS_PER_S)
        loop_schedule(s->loop, NS_PER_S, LOOP_PERIOD, EVENT_SECOND, 0, 0);
}

static bool callers_init(struct simulation *s) {
    const struct ddbsim_scenario *scenario = s->options.scenario;
    uint32_t works = 0;
    for (uint32_t t = 0; t < scenario->table_count; t++)
        if (scenario->tables[t].index_count > works) works = scenario->tables[t].index_count;
    s->callers = calloc(scenario->workload_count + 1, sizeof *s->callers);
    if (!s->callers || !pool_init(&s->pool, works) || !fans_grow(&s->fans)) return false;
    if (s->model->locks.capacity > 0) {
        s->actions = calloc(DDBSIM_TRANSACT_MAX, sizeof *s->actions);
        if (!s->actions) return false;
    }
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (!caller_init(s, w)) return false;
    return account_init(&s->account, scenario, s->model, s->options.sink);
}

static bool simulation_init(struct simulation *s, struct ddbsim_error *error) {
    s->loop = loop_create(s, 0);
    if (!s->loop) return false;
    struct model_options options = {
        .scenario = s->options.scenario,
        .seed = s->options.seed,
        .replication = s->options.replication,
        .sink = s->options.sink,
        .keys = s->options.keys,
        .first_event_kind = EVENT_MODEL,
    };
    s->model = model_create(&options, s->loop, error);
    if (!s->model || !callers_init(s)) return false;
    loop_handle(s->loop, EVENT_SECOND, on_second);
    loop_handle(s->loop, EVENT_CHANGE, on_change);
    loop_handle(s->loop, EVENT_COMPLETION, on_completion);
    loop_handle(s->loop, EVENT_RETRY, on_retry);
    loop_handle(s->loop, EVENT_CREW, on_crew);
    loop_handle(s->loop, EVENT_BRANCH, on_branch);
    loop_set_between(s->loop, between);
    schedule_known(s);
    model_begin(s->model);
    return model_make_room(s->model);
}

struct simulation *simulation_create(const struct simulation_options *options,
                                     struct ddbsim_error *error) {
    struct simulation *s = calloc(1, sizeof *s);
    if (s) s->options = *options;
    if (!s || !simulation_init(s, error)) {
        simulation_destroy(s);
        error_memory(error);
        return NULL;
    }
    return s;
}

void simulation_destroy(struct simulation *s) {
    if (!s) return;
    for (uint32_t w = 0; s->callers && w < s->options.scenario->workload_count; w++) {
        free(s->callers[w].quotas);
        free(s->callers[w].left_over);
        dax_deinit(&s->callers[w].dax);
        free(s->callers[w].times);
    }
    account_deinit(&s->account);
    model_destroy(s->model);
    if (s->loop) loop_destroy(s->loop);
    free(s->callers);
    free(s->actions);
    fans_deinit(&s->fans);
    pool_deinit(&s->pool);
    free(s);
}

struct model *simulation_model(struct simulation *s) {
    return s->model;
}

int64_t simulation_now(const struct simulation *s) { return loop_now(s->loop); }

enum ddbsim_status simulation_advance(struct simulation *s, int64_t until_ns,
                                      struct ddbsim_error *error) {
    struct ddbsim_error stopped = {0};
    enum ddbsim_status status = loop_run(s->loop, until_ns, &stopped);
    if (status == DDBSIM_OK) return DDBSIM_OK;
    const char *limit = s->pool.limit ? s->pool.limit : s->model->limit;
    if (!limit) return error_memory(error);
    error_set(error, DDBSIM_ENVIRONMENT, "%s", limit);
    error_hint(error, "lower the rates, or raise the capacity that they wait for");
    return DDBSIM_ENVIRONMENT;
}

/* The room that the loop makes between events is made here before each attempt. */
bool simulation_inject(struct simulation *s, const struct ddbsim_request *request,
                       struct ddbsim_result *out) {
    CHECK(request->workload < s->options.scenario->workload_count);
    const struct caller *caller = &s->callers[request->workload];
    CHECK(caller->spec->client.max_attempts == 1);
    if (!between(s)) return false;
    int64_t now_ns = loop_now(s->loop);
    uint32_t slot = account_slot(&s->account, request);
    uint64_t draw = hash_mix(caller->attempt_stream, request->number, 1);
    struct attempt attempt;
    account_asked(&s->account, slot);
    table_attempt(s->model, request, draw, now_ns, &attempt);
    account_attempt(&s->account, slot, &attempt, false);
    account_over(&s->account, slot, attempt.admitted, attempt.caller_ns, now_ns,
                 now_ns + attempt.caller_ns);
    inspect_attempt(s->model, request, &attempt, out);
    return true;
}

static const struct crew *crew_of(const void *context, uint32_t workload) {
    const struct simulation *s = context;
    return &s->callers[workload].crew;
}

/* How long arrivals took, of each workload and of all. */
static void put_times(const struct simulation *s) {
    struct fan_times all = {0};
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++) {
        const struct fan_times *times = s->callers[w].times;
        if (!times) continue;
        fan_outcomes(times, s->options.scenario->workloads[w].name, s->options.sink);
        hist_merge(&all.arrival, &times->arrival);
        hist_merge(&all.first_page, &times->first_page);
    }
    fan_outcomes(&all, "", s->options.sink);
}

enum ddbsim_status simulation_finish(struct simulation *s, struct ddbsim_error *error) {
    int64_t end_s = (loop_now(s->loop) + NS_PER_S - 1) / NS_PER_S;
    if (end_s <= s->closed_s) end_s = s->closed_s + 1;
    if (!model_finish(s->model, end_s)) return error_memory(error);
    close_callers(s, end_s, true);
    account_finish(&s->account);
    crew_outcomes(s->options.scenario, crew_of, s, s->options.sink);
    put_times(s);
    return DDBSIM_OK;
}

struct ddbsim_totals simulation_totals(const struct simulation *s) {
    return account_totals(&s->account);
}
