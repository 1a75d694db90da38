/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callers on a clock, or one after the other (M-76, M-79; crew.h). An arrival makes one request, or a sequence of them one after the other; a refused
 * request waits and tries again as its client says (retry.h). Random draws of an attempt are a mix of
 * (stream, request, attempt), so they do not depend on what else happens (docs/determinism.md).
 *
 * A request that needs no further event, which is most of them, never enters the pool: it lives in a
 * scratch record. The pool holds requests that wait for a retry, for the next step of their sequence, or
 * for an answer that gives retry quota back, and the members of batches that are on their way.
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
#include <client/inspect.h>
#include <client/pool.h>
#include <client/retry.h>
#include <math.h>
#include <model/control.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(DDBSIM_WORKLOADS_MAX <= LOOP_SOURCES_MAX, "each workload is a source of the loop");

enum { EVENT_SECOND, EVENT_CHANGE, EVENT_COMPLETION, EVENT_RETRY, EVENT_CREW, EVENT_MODEL };

/* What happens in a crew: a caller joins, one takes its next arrival, an arrival is over. */
enum crew_event { CREW_JOIN, CREW_NEXT, CREW_OVER };
#define EMPTY_ARRIVAL_NS \
    NS_PER_US /* an arrival without calls: a loop of such ones still takes time */

struct caller {
    struct simulation *simulation;
    const struct ddbsim_workload *spec; /* follows changes */
    struct ddbsim_source source;
    struct crew crew;
    bool goes_on;               /* an arrival may have several calls */
    bool waits;                 /* that, or arrivals in flight are counted: each answer matters */
    struct retry_quota *quotas; /* one a process */
    double quota_sum;           /* of tokens, over processes */
    struct members *left_over;  /* top_up: see left_over_of; else NULL */
    uint32_t operation_count;
    uint64_t attempt_stream, jitter_stream;
};

struct simulation {
    struct model *model; /* first: the loop's context is also the model's handle */
    struct simulation_options options;
    struct loop *loop;
    struct account account;
    struct caller *callers;
    struct pool pool;
    struct record scratch;
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

static uint64_t attempt_number(const struct record *record) {
    return (uint64_t)record->request.step << 32 | record->calls;
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
    if (answer_matters(caller, record))
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
    if (crew_counts(caller->spec)) crew_schedule(caller, end_ns, CREW_OVER);
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
    uint64_t draw = hash_mix(caller->jitter_stream, record->request.number, attempt_number(record));
    int64_t at_ns = end_ns + retry_delay_ns(&caller->spec->client, record->attempts, draw);
    loop_schedule(s->loop, at_ns, LOOP_RETRY, EVENT_RETRY, record_store(s, record, caller->goes_on),
                  0);
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
    struct members sent = record->members, none = {0};
    record->members = none;
    for (uint32_t i = 0; i < count; i++) {
        CHECK_DEBUG(sent.first == numbers[i]);
        members_move(&s->pool, &sent, s->each[i].admitted ? &none : &record->members, 1);
        if (!s->each[i].admitted) account_member_refused(&s->account, record->slot, &s->each[i]);
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

static void request_attempt(struct caller *caller, struct record *record, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct attempt attempt;
    CHECK_DEBUG(record->attempts < caller->spec->client.max_attempts);
    record->attempts++;
    record->calls++;
    uint64_t draw =
        hash_mix(caller->attempt_stream, record->request.number, attempt_number(record));
    if (record->request.members > 0)
        batch_attempt(s, record, draw, now_ns, &attempt);
    else
        table_attempt(s->model, &record->request, draw, now_ns, &attempt);
    account_attempt(&s->account, record->slot, &attempt, record->calls > 1);
    int64_t end_ns = now_ns + attempt.caller_ns;
    if (!attempt.admitted)
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
        members_add(&s->pool, &record->members, &s->member);
    }
    if (pool_is_tight(&s->pool)) loop_request_between(s->loop);
}

/* Starts call `step` of the arrival in the scratch record; false where it has none. */
static bool request_begin(struct caller *caller, uint32_t step, int64_t now_ns) {
    struct simulation *s = caller->simulation;
    struct record *record = &s->scratch;
    if (!caller->source.request(caller->source.self, &record->arrival, step, now_ns,
                                &record->request))
        return false;
    record->first_ns = now_ns;
    record->held = 0;
    record->attempts = record->calls = record->rounds = 0;
    record->members = (struct members){0};
    record->slot = account_slot(&s->account, &record->request);
    if (record->request.members > 0) batch_begin(caller, record, now_ns);
    account_asked(&s->account, record->slot);
    request_attempt(caller, record, now_ns);
    return true;
}

/* ---- the loop's events ---- */

static int64_t caller_peek(void *self) {
    struct caller *caller = self;
    return caller->source.peek(caller->source.self);
}

static int64_t caller_fire(void *self, int64_t now_ns) {
    struct caller *caller = self;
    struct record *record = &caller->simulation->scratch;
    caller->source.take(caller->source.self, &record->arrival);
    record->has_arrival = true;
    bool admitted = !crew_counts(caller->spec) || crew_admit(&caller->crew, caller->spec);
    if (admitted && !request_begin(caller, 0, now_ns)) arrival_over(caller, now_ns);
    return caller_peek(caller);
}

/* The next arrival of a caller in a closed loop; false where it has done its last. */
static bool caller_next(struct caller *caller, int64_t now_ns) {
    struct record *record = &caller->simulation->scratch;
    if (!crew_begin(&caller->crew, caller->spec, now_ns)) return false;
    caller->source.take(caller->source.self, &record->arrival);
    record->arrival.t_ns = now_ns;
    record->has_arrival = true;
    if (!request_begin(caller, 0, now_ns))
        crew_schedule(caller, now_ns + EMPTY_ARRIVAL_NS, CREW_OVER);
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
    if (goes_on) s->scratch.arrival = record->arrival;
    s->scratch.has_arrival = goes_on;
    pool_release(&s->pool, number);
    if (!goes_on || !request_begin(caller, step, now_ns)) arrival_over(caller, now_ns);
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
    caller->goes_on = spec->sequence;
    for (uint32_t o = 0; o < spec->operation_count; o++)
        caller->goes_on |= spec->operations[o].all_pages || spec->operations[o].asks > 1;
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
    return model_make_room(s->model);
}

/* ---- life ---- */

static uint64_t stream(const struct simulation *s, const char *workload, const char *purpose) {
    char name[1024];
    snprintf(name, sizeof name, "%s/%s", workload, purpose);
    return rng_stream_key(s->options.seed, s->options.replication, name);
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
    };
    caller_follow(caller, spec);
    if (!caller->quotas) return false;
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
    if (!s->callers || !pool_init(&s->pool, works)) return false;
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
    }
    account_deinit(&s->account);
    model_destroy(s->model);
    if (s->loop) loop_destroy(s->loop);
    free(s->callers);
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

enum ddbsim_status simulation_finish(struct simulation *s, struct ddbsim_error *error) {
    int64_t end_s = (loop_now(s->loop) + NS_PER_S - 1) / NS_PER_S;
    if (end_s <= s->closed_s) end_s = s->closed_s + 1;
    if (!model_finish(s->model, end_s)) return error_memory(error);
    close_callers(s, end_s, true);
    account_finish(&s->account);
    crew_outcomes(s->options.scenario, crew_of, s, s->options.sink);
    return DDBSIM_OK;
}

struct ddbsim_totals simulation_totals(const struct simulation *s) {
    return account_totals(&s->account);
}
