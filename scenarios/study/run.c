/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run, assembled: the scenario's workloads become sources, the simulation brings them to the model.
 * This is the public handle (ddbsim/run.h), with injections (inject.h) and state (state.h).
 *
 * Invariant: what the caller can get wrong is refused before it reaches the simulation, which checks it
 * as an invariant.
 */
#include <ddbsim/run.h>

#include <base/error.h>
#include <base/types.h>
#include <client/inspect.h>
#include <client/simulation.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <study/injected.h>
#include <workloads/replay/replay.h>
#include <workloads/source.h>

struct ddbsim_run {
    const struct ddbsim_scenario *scenario; /* with the injected workload, if there is one */
    struct injected *injected;              /* NULL: the run takes no injections */
    bool finished;
    struct population *population;
    struct ddbsim_source *sources;
    uint32_t source_count;
    struct names *names; /* of recorded keys; NULL: nothing is replayed */
    struct simulation *simulation;
};

static size_t key_text(void *context, uint32_t table, uint32_t index, uint32_t entity,
                       uint64_t ordinal, char *buffer, size_t size) {
    const struct ddbsim_run *run = context;
    if (entity == DDBSIM_ENTITY_RECORDED) return names_text(run->names, ordinal, buffer, size);
    if (entity != INJECTED_ENTITY)
        return population_key_text(run->population, table, index, entity,
                                   ordinal & ~DDBSIM_ORDINAL_OTHER, buffer, size);
    return (size_t)snprintf(buffer, size, "%s", injected_key_text(run->injected, ordinal));
}

static uint64_t key_hash(void *context, uint32_t table, uint32_t index, uint32_t entity,
                         uint64_t ordinal) {
    const struct ddbsim_run *run = context;
    if (entity == DDBSIM_ENTITY_RECORDED) return names_hash(run->names, ordinal);
    return population_key_hash(run->population, table, index, entity, ordinal);
}

/* Who brings keys of the table: recordings that name them, and others. */
static void who_brings_keys(const struct ddbsim_run *run, uint32_t table, bool *recorded,
                            bool *drawn) {
    const struct ddbsim_scenario *scenario = run->scenario;
    *recorded = *drawn = false;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        bool keyed = scenario->workloads[w].replay && replay_is_keyed(&run->sources[w]);
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++) {
            if (scenario->workloads[w].operations[o].table != table) continue;
            *recorded |= keyed;
            *drawn |= !keyed;
        }
    }
}

/* Numbers of recorded keys are not those of drawn ones: where both come, keys are told by their hashes. */
static struct model_numbered key_count(void *context, uint32_t table, uint32_t index) {
    const struct ddbsim_run *run = context;
    struct model_numbered none = {0};
    bool recorded = false, drawn = true;
    /* Injected keys are anything: nothing numbers them. */
    if (run->injected) return none;
    if (run->names && index == DDBSIM_NONE) who_brings_keys(run, table, &recorded, &drawn);
    if (recorded && drawn) return none;
    if (recorded) return (struct model_numbered){NAMES_MAX, DDBSIM_ENTITY_RECORDED, true};
    return (struct model_numbered){.keys = population_key_count(run->population, table, index),
                                   .open = run->names != NULL};
}

static void entry_key(void *context, uint32_t table, uint32_t index, uint32_t entity,
                      uint64_t number, uint64_t draw, int64_t now_ns, struct ddbsim_key *out) {
    const struct ddbsim_run *run = context;
    population_entry_key(run->population, table, index, entity, number, draw, now_ns, out);
}

static enum ddbsim_status create_source(struct ddbsim_run *run, uint32_t number,
                                        const struct ddbsim_run_options *options,
                                        struct ddbsim_error *error) {
    if (!run->scenario->workloads[number].replay)
        return source_create(run->scenario, number, run->population, options->seed,
                             options->replication, &run->sources[number], error);
    if (!run->names) run->names = names_create();
    if (!run->names) return error_memory(error);
    return replay_create(run->scenario, number, run->population, options->seed,
                         options->replication, run->names, &run->sources[number], error);
}

static enum ddbsim_status create_sources(struct ddbsim_run *run,
                                         const struct ddbsim_run_options *options,
                                         struct ddbsim_error *error) {
    run->population = population_create(run->scenario, options->seed, options->replication);
    run->sources = calloc(run->scenario->workload_count + 1, sizeof *run->sources);
    if (!run->population || !run->sources) return error_memory(error);
    uint32_t generated = run->scenario->workload_count - (run->injected ? 1 : 0);
    for (uint32_t w = 0; w < generated; w++) {
        enum ddbsim_status status = create_source(run, w, options, error);
        if (status != DDBSIM_OK) return status;
        run->source_count++;
    }
    if (run->injected) run->sources[run->source_count++] = injected_source();
    return DDBSIM_OK;
}

/* Partition keys that are looked at one by one; more of them lie as evenly as their hashes. */
#define KEYS_PLACED_MAX (UINT64_C(1) << 22)

struct placement {
    struct model *model;
    uint32_t table, entity;
    int64_t item_bytes;
    bool failed; /* memory is short */
};

static void place(void *context, uint64_t hash, uint64_t items) {
    struct placement *placement = context;
    model_place_items(placement->model, placement->table, placement->entity, hash, items,
                      placement->item_bytes);
    placement->failed |=
        !model_place_collection(placement->model, placement->table, placement->entity, hash, items);
}

static bool place_entity(struct ddbsim_run *run, uint32_t table, uint32_t number) {
    const struct ddbsim_entity *entity = &run->scenario->tables[table].entities[number];
    struct placement placement = {.model = simulation_model(run->simulation),
                                  .table = table,
                                  .entity = number,
                                  .item_bytes = entity->item_bytes};
    if (population_keys(run->population, table, number) <= KEYS_PLACED_MAX)
        population_visit(run->population, table, number, place, &placement);
    else
        model_place_evenly(placement.model, table, number, entity->count, entity->item_bytes);
    return !placement.failed;
}

static bool place_items(struct ddbsim_run *run) {
    for (uint32_t t = 0; t < run->scenario->table_count; t++)
        for (uint32_t e = 0; e < run->scenario->tables[t].entity_count; e++)
            if (!place_entity(run, t, e)) return false;
    return true;
}

static enum ddbsim_status take_scenario(struct ddbsim_run *run,
                                        const struct ddbsim_scenario *scenario,
                                        const char *inject_as, struct ddbsim_error *error) {
    run->scenario = scenario;
    if (scenario->table_count == 0)
        return error_set(error, DDBSIM_INPUT, "the scenario has no table");
    if (!inject_as) return DDBSIM_OK;
    struct ddbsim_error why = {0};
    run->injected = injected_create(scenario, inject_as, &why);
    if (!run->injected) return error_set(error, why.status, "%s", why.message);
    run->scenario = injected_scenario(run->injected);
    if (run->scenario->workload_count <= DDBSIM_WORKLOADS_MAX) return DDBSIM_OK;
    return error_set(error, DDBSIM_INPUT, "there are %u workloads; at most %d can be",
                     run->scenario->workload_count, DDBSIM_WORKLOADS_MAX);
}

static enum ddbsim_status create_simulation(struct ddbsim_run *run,
                                            const struct ddbsim_run_options *options,
                                            struct ddbsim_error *error) {
    struct simulation_options assembled = {
        .scenario = run->scenario,
        .seed = options->seed,
        .replication = options->replication,
        .sink = options->sink,
        .sources = run->sources,
        .keys = {run, key_text, key_hash, key_count, entry_key},
        .log_requests = options->log_requests && options->sink,
    };
    run->simulation = simulation_create(&assembled, error);
    if (run->simulation) return DDBSIM_OK;
    return error ? error->status : DDBSIM_ENVIRONMENT;
}

enum ddbsim_status ddbsim_run_create(const struct ddbsim_scenario *scenario,
                                     const struct ddbsim_run_options *options,
                                     struct ddbsim_run **out, struct ddbsim_error *error) {
    *out = NULL;
    struct ddbsim_run *run = calloc(1, sizeof *run);
    if (!run) return error_memory(error);
    enum ddbsim_status status = take_scenario(run, scenario, options->inject_as, error);
    if (status == DDBSIM_OK) status = create_sources(run, options, error);
    if (status == DDBSIM_OK) status = create_simulation(run, options, error);
    if (status == DDBSIM_OK && !place_items(run)) status = error_memory(error);
    if (status != DDBSIM_OK) {
        ddbsim_run_destroy(run);
        return status;
    }
    *out = run;
    return DDBSIM_OK;
}

/* ---- time ---- */

static enum ddbsim_status check_unfinished(const struct ddbsim_run *run,
                                           struct ddbsim_error *error) {
    if (!run->finished) return DDBSIM_OK;
    return error_set(error, DDBSIM_INPUT, "the run is finished");
}

/* A recording that cannot be read on has brought its last arrival: the run is not what was asked for. */
static enum ddbsim_status check_recordings(const struct ddbsim_run *run,
                                           struct ddbsim_error *error) {
    for (uint32_t w = 0; run->names && w < run->scenario->workload_count; w++) {
        if (!run->scenario->workloads[w].replay) continue;
        const struct ddbsim_error *why = tape_error(replay_tape(&run->sources[w]));
        if (why->status == DDBSIM_OK) continue;
        if (error) *error = *why;
        return why->status;
    }
    return DDBSIM_OK;
}

enum ddbsim_status ddbsim_run_advance(struct ddbsim_run *run, int64_t t_ns,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status = check_unfinished(run, error);
    if (status != DDBSIM_OK) return status;
    if (t_ns < simulation_now(run->simulation))
        return error_set(error, DDBSIM_INPUT, "time %" PRId64 " ns lies before now", t_ns);
    if (t_ns > run->scenario->duration_ns)
        return error_set(error, DDBSIM_INPUT, "time %" PRId64 " ns lies after the scenario's end",
                         t_ns);
    status = simulation_advance(run->simulation, t_ns, error);
    return status == DDBSIM_OK ? check_recordings(run, error) : status;
}

enum ddbsim_status ddbsim_run_finish(struct ddbsim_run *run, struct ddbsim_error *error) {
    enum ddbsim_status status = check_unfinished(run, error);
    if (status != DDBSIM_OK) return status;
    status = simulation_finish(run->simulation, error);
    run->finished = true;
    return status;
}

int64_t ddbsim_run_now(const struct ddbsim_run *run) { return simulation_now(run->simulation); }

struct ddbsim_totals ddbsim_run_totals(const struct ddbsim_run *run) {
    return simulation_totals(run->simulation);
}

bool ddbsim_run_replayed(const struct ddbsim_run *run, uint32_t workload,
                         struct ddbsim_replayed *out) {
    if (workload >= run->scenario->workload_count || !run->scenario->workloads[workload].replay)
        return false;
    const struct tape *tape = replay_tape(&run->sources[workload]);
    const struct recording_facts *facts = tape_facts(tape);
    const struct tape_counts *counts = tape_counts(tape);
    *out = (struct ddbsim_replayed){
        .file = run->scenario->workloads[workload].replay->name,
        .format = facts->format,
        .columns = facts->columns[0] ? facts->columns : NULL,
        .rows = facts->rows,
        .arrivals = counts->arrivals,
        .bad = facts->skipped,
        .outside = counts->outside,
        .other_operation = counts->other_work,
        .other_table = counts->other_table,
        .attempts = counts->attempts,
        .sampled_out = counts->sampled_out,
        .first_bad = facts->skipped > 0 ? facts->first_skipped : NULL,
    };
    return true;
}

/* ---- requests by call ---- */

enum ddbsim_status ddbsim_run_inject(struct ddbsim_run *run, const struct ddbsim_injection *request,
                                     struct ddbsim_result *result, struct ddbsim_error *error) {
    struct ddbsim_request described;
    enum ddbsim_status status = check_unfinished(run, error);
    if (status != DDBSIM_OK) return status;
    if (!run->injected)
        return error_set(error, DDBSIM_INPUT, "the run was created without inject_as");
    if (simulation_now(run->simulation) >= run->scenario->duration_ns)
        return error_set(error, DDBSIM_INPUT, "the scenario is at its end");
    status = injected_describe(run->injected, request, &described, error);
    if (status != DDBSIM_OK) return status;
    if (!simulation_inject(run->simulation, &described, result)) return error_memory(error);
    injected_done(run->injected);
    return DDBSIM_OK;
}

/* ---- state ---- */

static const struct resource *find_resource(const struct ddbsim_run *run, uint32_t table,
                                            uint32_t index, struct ddbsim_error *error) {
    const struct resource *resource = inspect_find(simulation_model(run->simulation), table, index);
    if (!resource && table >= run->scenario->table_count)
        error_set(error, DDBSIM_INPUT, "there is no table %u", table);
    else if (!resource)
        error_set(error, DDBSIM_INPUT, "the table has no index %u", index);
    return resource;
}

enum ddbsim_status ddbsim_run_resource(const struct ddbsim_run *run, uint32_t table, uint32_t index,
                                       struct ddbsim_resource_state *out,
                                       struct ddbsim_error *error) {
    if (!find_resource(run, table, index, error)) return DDBSIM_INPUT;
    inspect_resource(simulation_model(run->simulation), table, index,
                     simulation_now(run->simulation), out);
    return DDBSIM_OK;
}

enum ddbsim_status ddbsim_run_partition(const struct ddbsim_run *run, uint32_t table,
                                        uint32_t index, uint32_t partition,
                                        struct ddbsim_partition_state *out,
                                        struct ddbsim_error *error) {
    const struct resource *resource = find_resource(run, table, index, error);
    if (!resource) return DDBSIM_INPUT;
    if (partition >= resource->space.count)
        return error_set(error, DDBSIM_INPUT, "there is no partition %u", partition);
    inspect_partition(resource, partition, simulation_now(run->simulation), out);
    return DDBSIM_OK;
}

enum ddbsim_status ddbsim_run_find_partition(const struct ddbsim_run *run, uint32_t table,
                                             uint32_t index, const char *partition_key,
                                             const char *sort_key, uint32_t *partition,
                                             struct ddbsim_error *error) {
    const struct resource *resource = find_resource(run, table, index, error);
    if (!resource) return DDBSIM_INPUT;
    if (!partition_key) return error_set(error, DDBSIM_INPUT, "a partition key is missing");
    struct ddbsim_key key = injected_key(partition_key, sort_key);
    *partition = space_find(&resource->space, space_position(&key));
    return DDBSIM_OK;
}

void ddbsim_run_destroy(struct ddbsim_run *run) {
    if (!run) return;
    simulation_destroy(run->simulation);
    for (uint32_t i = 0; i < run->source_count; i++)
        run->sources[i].destroy(run->sources[i].self);
    free(run->sources);
    population_destroy(run->population);
    injected_destroy(run->injected);
    names_destroy(run->names);
    free(run);
}
