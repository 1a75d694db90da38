/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The simulation's life: its callers and model on one loop, seconds closed and changes followed between events.
 */
#include <client/simulation.h>

#include <base/error.h>
#include <base/hash.h>
#include <client/arrivals.h>
#include <client/branches.h>
#include <client/calls.h>
#include <client/gates.h>
#include <client/inspect.h>
#include <client/lambda.h>
#include <client/shards.h>
#include <model/control.h>
#include <model/faults.h>
#include <stdlib.h>

enum fault_event { FAULT_BEGINS, FAULT_ENDS };

_Static_assert(DDBSIM_WORKLOADS_MAX <= LOOP_SOURCES_MAX, "each workload is a source of the loop");

/* ---- the loop's events ---- */

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

/* Those of a table are the model's; callers and their caches stand here. A pause holds what it meets: nothing of
 * it is lost, and all of it is sent when it is over (M-104). */
static void fault_begin(struct simulation *s, const struct ddbsim_fault *fault) {
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++) {
        struct caller *caller = &s->callers[w];
        if (fault->workload != DDBSIM_NONE && fault->workload != w) continue;
        if (fault->kind == DDBSIM_FAULT_DAX_FLUSH) dax_flush(&caller->dax);
        if (fault->kind != DDBSIM_FAULT_CLIENTS_PAUSE) continue;
        CHECK(fault->end_ns > loop_now(s->loop));
        /* The run's last moment still belongs to a pause that ends with it. */
        caller->resume_ns =
            fault->end_ns + (fault->end_ns == s->options.scenario->duration_ns ? 1 : 0);
        loop_source_changed(s->loop, w);
    }
}

static void on_fault(void *context, int64_t now_ns, const struct loop_event *event) {
    struct simulation *s = context;
    CHECK(event->a < s->options.scenario->fault_count);
    const struct ddbsim_fault *fault = &s->options.scenario->faults[event->a];
    if (event->b == FAULT_ENDS) {
        faults_end(s->model, fault, now_ns);
        return;
    }
    faults_begin(s->model, fault, now_ns);
    fault_begin(s, fault);
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

static void close_callers(struct simulation *s, int64_t end_s, bool last) {
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++)
        lambda_tell(&s->callers[w]);
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++)
        account_close_second(&s->account, w, end_s, caller_quota_mean(&s->callers[w]),
                             gates_rate(&s->callers[w]));
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
    journal_flush(&s->journal, s->model);
    while (pool_is_tight(&s->pool))
        if (!pool_grow(&s->pool)) return false;
    while (fans_are_tight(&s->fans))
        if (!fans_grow(&s->fans)) return false;
    for (uint32_t w = 0; w < s->options.scenario->workload_count; w++)
        if (!lambda_make_room(&s->callers[w]) || !shards_make_room(&s->callers[w])) return false;
    return model_make_room(s->model);
}

/* ---- life ---- */

/* What is known beforehand: changes and faults, when callers begin, and the first second's end. */
static void schedule_known(struct simulation *s) {
    const struct ddbsim_scenario *scenario = s->options.scenario;
    for (uint32_t i = 0; i < scenario->change_count; i++)
        loop_schedule(s->loop, scenario->changes[i].at_ns, LOOP_CONTROL, EVENT_CHANGE, i, 0);
    /* Where one ends as another begins, the one ends first, in whatever order they are written. */
    for (uint32_t i = 0; i < scenario->fault_count; i++) {
        const struct ddbsim_fault *fault = &scenario->faults[i];
        if (fault->end_ns > fault->at_ns && fault->end_ns < scenario->duration_ns)
            loop_schedule(s->loop, fault->end_ns, LOOP_CONTROL, EVENT_FAULT, i, FAULT_ENDS);
    }
    for (uint32_t i = 0; i < scenario->fault_count; i++)
        loop_schedule(s->loop, scenario->faults[i].at_ns, LOOP_CONTROL, EVENT_FAULT, i,
                      FAULT_BEGINS);
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workloads[w].vus > 0)
            crew_schedule(&s->callers[w], scenario->workloads[w].start_ns, CREW_JOIN);
    for (uint32_t w = 0; w < scenario->workload_count && scenario->duration_ns > NS_PER_S; w++)
        lambda_begin(&s->callers[w]);
    if (scenario->duration_ns > NS_PER_S)
        loop_schedule(s->loop, NS_PER_S, LOOP_PERIOD, EVENT_SECOND, 0, 0);
}

static bool caller_begin(struct simulation *s, uint32_t number) {
    struct loop_source source = {
        .self = &s->callers[number], .peek = arrivals_peek, .fire = arrivals_fire};
    return caller_init(s, number) && loop_add_source(s->loop, &source);
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
        if (!caller_begin(s, w)) return false;
    if (s->options.log_requests && !journal_init(&s->journal)) return false;
    return account_init(&s->account, scenario, s->model, s->options.sink);
}

static bool simulation_init(struct simulation *s, struct ddbsim_error *error) {
    s->in_place = POOL_NO_RECORD;
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
    loop_handle(s->loop, EVENT_FAULT, on_fault);
    loop_handle(s->loop, EVENT_COMPLETION, arrivals_on_completion);
    loop_handle(s->loop, EVENT_RETRY, calls_on_retry);
    loop_fetch(s->loop, EVENT_RETRY, calls_retry_soon);
    loop_handle(s->loop, EVENT_CREW, arrivals_on_crew);
    loop_handle(s->loop, EVENT_BRANCH, branches_on_event);
    loop_handle(s->loop, EVENT_ANSWER, calls_on_answer);
    loop_handle(s->loop, EVENT_WAKE, gates_on_wake);
    loop_handle(s->loop, EVENT_LATE, gates_on_late);
    loop_handle(s->loop, EVENT_LAMBDA, lambda_on_event);
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
    for (uint32_t w = 0; s->callers && w < s->options.scenario->workload_count; w++)
        caller_deinit(&s->callers[w]);
    account_deinit(&s->account);
    journal_deinit(&s->journal);
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
    for (uint32_t w = 0; w < s->options.scenario->workload_count && !limit; w++) {
        if (s->callers[w].lambda) limit = s->callers[w].lambda->queue.limit;
        if (s->callers[w].shards) limit = s->callers[w].shards->limit;
    }
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
    account_asked(&s->account, slot, false);
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
    journal_flush(&s->journal, s->model);
    crew_outcomes(s->options.scenario, crew_of, s, s->options.sink);
    put_times(s);
    lambda_outcomes(s);
    return DDBSIM_OK;
}

struct ddbsim_totals simulation_totals(const struct simulation *s) {
    return account_totals(&s->account);
}
