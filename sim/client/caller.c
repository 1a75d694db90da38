/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callers of a workload: their life, and the records that wait for them (caller.h). */
#include <client/caller.h>

#include <base/rng.h>
#include <client/gates.h>
#include <client/lambda.h>
#include <client/layers.h>
#include <client/shards.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

void caller_follow(struct caller *caller, const struct ddbsim_workload *spec) {
    caller->spec = spec;
    caller->waits = caller->goes_on || crew_counts(spec);
    caller->is_usual =
        caller->is_plain && !spec->dax.enabled && !caller->simulation->options.log_requests;
}

double caller_quota_mean(const struct caller *caller) {
    if (!caller->spec->client.quota.enabled) return NAN;
    CHECK(caller->purse->quota_sum >= 0);
    return caller->purse->quota_sum / caller->spec->client.processes;
}

/* A quota of scope `process` is that of every client in it: workloads of as many processes, each of which holds as
 * many tokens, are taken to run in the same ones (M-76). */
static struct caller *purse_of(struct simulation *s, uint32_t number) {
    const struct ddbsim_client *client = &s->callers[number].spec->client;
    for (uint32_t w = 0; w < number && client->quota.scope == DDBSIM_SCOPE_PROCESS; w++) {
        const struct ddbsim_client *other = &s->callers[w].spec->client;
        if (other->quota.enabled && other->quota.scope == DDBSIM_SCOPE_PROCESS &&
            other->processes == client->processes &&
            other->quota.capacity == client->quota.capacity)
            return &s->callers[w];
    }
    return &s->callers[number];
}

/* Is some table farther away than the client waits for a connection? */
static bool may_connect_late(const struct simulation *s, const struct ddbsim_client *client) {
    for (uint32_t t = 0; t < s->model->table_count; t++)
        if (s->model->tables[t].spec->model.network_latency_ns > client->connect_timeout_ns)
            return true;
    return false;
}

bool caller_init(struct simulation *s, uint32_t number) {
    struct caller *caller = &s->callers[number];
    const struct ddbsim_workload *spec = &s->options.scenario->workloads[number];
    const struct ddbsim_client *client = &spec->client;
    *caller = (struct caller){
        .simulation = s,
        .source = s->options.sources[number],
        .processes = calloc(client->processes, sizeof *caller->processes),
        .attempt_stream = stream(s, spec->name, "attempt"),
        .jitter_stream = stream(s, spec->name, "jitter"),
        .crew = {.finished_ns = DDBSIM_NO_TIME},
        .goes_on = ever_goes_on(s->options.scenario, number) || spec->queue.enabled ||
                   spec->lambda.enabled,
    };
    caller->spec = spec;
    if (!caller->processes) return false;
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
    if (!layers_init(caller) || !lambda_create(caller) || !shards_create(caller)) return false;
    caller->is_lambda = caller->lambda || caller->shards;
    caller->purse = purse_of(s, number);
    caller->expires = client->call_timeout_ns != DDBSIM_NO_TIMEOUT ||
                      client->function_timeout_ns != DDBSIM_NO_TIMEOUT;
    caller->connects_late = may_connect_late(s, client);
    if (!gates_init(caller)) return false;
    caller->is_plain = !caller->gates && !caller->has_layers && !caller->expires &&
                       !caller->connects_late && client->wrapper.max_attempts <= 1;
    caller_follow(caller, spec); /* now that this is known */
    for (uint32_t p = 0; p < client->processes; p++) {
        caller->processes[p].quota.tokens = client->quota.capacity;
        caller->quota_sum += (double)client->quota.capacity;
    }
    return true;
}

void caller_deinit(struct caller *caller) {
    free(caller->processes);
    gates_deinit(caller);
    free(caller->left_over);
    layers_deinit(caller);
    lambda_destroy(caller);
    shards_destroy(caller);
    dax_deinit(&caller->dax);
    free(caller->times);
}

/* ---- records ---- */

/* A record was stored. */
static uint32_t record_stored(struct simulation *s, uint32_t number) {
    if (pool_is_tight(&s->pool)) loop_request_between(s->loop);
    return number;
}

/* A record that is at work where it lies stays there. */
static uint32_t record_kept(struct simulation *s) {
    uint32_t number = s->in_place;
    CHECK_DEBUG(number != POOL_NO_RECORD);
    s->in_place = POOL_NO_RECORD;
    return number;
}

/* The actions of a transaction are described anew at each attempt. */
uint32_t record_store(struct simulation *s, struct record *record, bool is_sequence) {
    record->has_arrival &=
        is_sequence || ddbsim_operation_is_transaction((int)record->request.kind);
    if (record != &s->scratch) return record_kept(s);
    return record_stored(s, pool_store(&s->pool, record));
}

uint32_t answer_store(struct simulation *s, struct record *record, bool is_sequence) {
    record->has_arrival &= is_sequence;
    if (record != &s->scratch) return record_kept(s);
    return record_stored(s, pool_store_answer(&s->pool, record));
}

struct record *record_load(struct simulation *s, uint32_t number) {
    pool_load(&s->pool, number, &s->scratch);
    return &s->scratch;
}

void answer_await(struct caller *caller, uint32_t number, int64_t end_ns) {
    loop_schedule(caller->simulation->loop, end_ns, LOOP_COMPLETION, EVENT_COMPLETION, number, 0);
}

void crew_schedule(struct caller *caller, int64_t at_ns, enum crew_event what) {
    struct simulation *s = caller->simulation;
    loop_schedule(s->loop, at_ns, what == CREW_OVER ? LOOP_COMPLETION : LOOP_RETRY, EVENT_CREW,
                  (uint64_t)(caller - s->callers), what);
}
