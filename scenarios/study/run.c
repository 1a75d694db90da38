/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run, assembled: the scenario's workloads become sources, the simulation brings them to the model.
 * This is the public handle (ddbsim/run.h).
 */
#include <ddbsim/run.h>

#include <base/error.h>
#include <client/simulation.h>
#include <stdlib.h>
#include <workloads/source.h>

struct ddbsim_run {
    const struct ddbsim_scenario *scenario;
    struct population *population;
    struct ddbsim_source *sources;
    uint32_t source_count;
    struct simulation *simulation;
};

static size_t key_text(void *context, uint32_t table, uint32_t index, uint32_t entity,
                       uint64_t ordinal, char *buffer, size_t size) {
    return population_key_text(context, table, index, entity, ordinal, buffer, size);
}

static uint64_t key_hash(void *context, uint32_t table, uint32_t index, uint32_t entity,
                         uint64_t ordinal) {
    return population_key_hash(context, table, index, entity, ordinal);
}

static uint64_t key_count(void *context, uint32_t table, uint32_t index) {
    return population_key_count(context, table, index);
}

static enum ddbsim_status create_sources(struct ddbsim_run *run,
                                         const struct ddbsim_run_options *options,
                                         struct ddbsim_error *error) {
    run->population = population_create(run->scenario, options->seed, options->replication);
    run->sources = calloc(run->scenario->workload_count + 1, sizeof *run->sources);
    if (!run->population || !run->sources) return error_memory(error);
    for (uint32_t w = 0; w < run->scenario->workload_count; w++) {
        enum ddbsim_status status = source_create(run->scenario, w, run->population, options->seed,
                                                  options->replication, &run->sources[w], error);
        if (status != DDBSIM_OK) return status;
        run->source_count++;
    }
    return DDBSIM_OK;
}

struct placement {
    struct model *model;
    uint32_t table;
    int64_t item_bytes;
};

static void place(void *context, uint64_t hash, uint64_t items) {
    const struct placement *placement = context;
    model_place_items(placement->model, placement->table, hash, items, placement->item_bytes);
}

static void place_items(struct ddbsim_run *run) {
    for (uint32_t t = 0; t < run->scenario->table_count; t++)
        for (uint32_t e = 0; e < run->scenario->tables[t].entity_count; e++) {
            struct placement placement = {.model = simulation_model(run->simulation),
                                          .table = t,
                                          .item_bytes =
                                              run->scenario->tables[t].entities[e].item_bytes};
            population_visit(run->population, t, e, place, &placement);
        }
}

enum ddbsim_status ddbsim_run_create(const struct ddbsim_scenario *scenario,
                                     const struct ddbsim_run_options *options,
                                     struct ddbsim_run **out, struct ddbsim_error *error) {
    *out = NULL;
    struct ddbsim_run *run = calloc(1, sizeof *run);
    if (!run) return error_memory(error);
    run->scenario = scenario;
    enum ddbsim_status status = create_sources(run, options, error);
    if (status == DDBSIM_OK) {
        struct simulation_options assembled = {
            .scenario = scenario,
            .seed = options->seed,
            .replication = options->replication,
            .sink = options->sink,
            .sources = run->sources,
            .keys = {run->population, key_text, key_hash, key_count},
        };
        run->simulation = simulation_create(&assembled, error);
        if (!run->simulation) status = DDBSIM_ENVIRONMENT;
    }
    if (status != DDBSIM_OK) {
        ddbsim_run_destroy(run);
        return status;
    }
    place_items(run);
    *out = run;
    return DDBSIM_OK;
}

enum ddbsim_status ddbsim_run_advance(struct ddbsim_run *run, int64_t t_ns,
                                      struct ddbsim_error *error) {
    return simulation_advance(run->simulation, t_ns, error);
}

enum ddbsim_status ddbsim_run_finish(struct ddbsim_run *run, struct ddbsim_error *error) {
    return simulation_finish(run->simulation, error);
}

int64_t ddbsim_run_now(const struct ddbsim_run *run) { return simulation_now(run->simulation); }

struct ddbsim_totals ddbsim_run_totals(const struct ddbsim_run *run) {
    return simulation_totals(run->simulation);
}

void ddbsim_run_destroy(struct ddbsim_run *run) {
    if (!run) return;
    simulation_destroy(run->simulation);
    for (uint32_t i = 0; i < run->source_count; i++)
        run->sources[i].destroy(run->sources[i].self);
    free(run->sources);
    population_destroy(run->population);
    free(run);
}
