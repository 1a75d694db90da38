/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that uses the installed library: tables in code, requests by call, time in steps, buckets and
 * reasons read. What it prints can be computed by hand and stands in expected.txt; it includes nothing
 * but the public headers.
 */
#include <ddbsim/ddbsim.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KB 1024
#define TENTH (DDBSIM_S / 10)

static void must(enum ddbsim_status status, const struct ddbsim_error *error) {
    char text[1024];
    if (status == DDBSIM_OK) return;
    ddbsim_error_format(error, text, sizeof text);
    fprintf(stderr, "consumer: %s\n", text);
    exit((int)status);
}

/* A scenario of one table, and a run of it. */
struct world {
    struct ddbsim_scenario *scenario;
    struct ddbsim_run *run;
};

static struct world begin(const struct ddbsim_table *table) {
    struct world world = {0};
    struct ddbsim_error error = {0};
    struct ddbsim_run_options options = {.seed = 1, .inject_as = "consumer"};
    must(ddbsim_scenario_create("consumer", 600 * DDBSIM_S, &world.scenario, &error), &error);
    must(ddbsim_scenario_add_table(world.scenario, table, &error), &error);
    must(ddbsim_run_create(world.scenario, &options, &world.run, &error), &error);
    return world;
}

static void end(struct world *world) {
    struct ddbsim_error error = {0};
    must(ddbsim_run_finish(world->run, &error), &error);
    struct ddbsim_totals totals = ddbsim_run_totals(world->run);
    printf("  totals: %" PRIu64 " requests, %" PRIu64 " succeeded, %" PRIu64 " failed\n",
           totals.requests, totals.succeeded, totals.failed);
    ddbsim_run_destroy(world->run);
    ddbsim_scenario_destroy(world->scenario);
}

static void step(const struct world *world, int64_t by_ns) {
    struct ddbsim_error error = {0};
    must(ddbsim_run_advance(world->run, ddbsim_run_now(world->run) + by_ns, &error), &error);
}

static struct ddbsim_result put(const struct world *world, const char *key,
                                const struct ddbsim_injected_entry *entry) {
    struct ddbsim_error error = {0};
    struct ddbsim_injection write = {.kind = DDBSIM_PUT_ITEM,
                                     .partition_key = key,
                                     .new_bytes = KB,
                                     .entries = entry,
                                     .entry_count = entry ? 1 : 0};
    struct ddbsim_result result;
    must(ddbsim_run_inject(world->run, &write, &result, &error), &error);
    return result;
}

static void tell(const char *what, const struct ddbsim_result *result) {
    printf("  %s: %s", what, result->admitted ? "admitted" : result->exception);
    for (uint32_t i = 0; i < result->refusal_count; i++)
        printf(" %s of %s", ddbsim_reason_name((int)result->refusals[i].reason),
               result->refusals[i].resource);
    printf("\n");
}

static struct ddbsim_resource_state look(const struct world *world, uint32_t index) {
    struct ddbsim_error error = {0};
    struct ddbsim_resource_state state;
    must(ddbsim_run_resource(world->run, 0, index, &state, &error), &error);
    return state;
}

/* 10 WCU keep 3,000 units of burst: 100 writes a second spend 90 of them a second, 33.3 s long. */
static void burst(void) {
    struct ddbsim_entity item = ddbsim_entity_defaults("item", "ITEM#{uuid}", KB);
    struct ddbsim_table table = ddbsim_table_defaults("small", 5, 10);
    table.entities = &item;
    table.entity_count = 1;
    struct world world = begin(&table);
    struct ddbsim_result result = {.admitted = true};
    int admitted = 0;
    printf("a table of 10 WCU\n");
    printf("  burst at first: %" PRId64 "\n",
           look(&world, DDBSIM_NONE).write_nano_tokens / DDBSIM_S);
    for (;; step(&world, TENTH)) {
        for (int i = 0; i < 10 && result.admitted; i++) {
            char key[32];
            snprintf(key, sizeof key, "ITEM#%d", admitted);
            result = put(&world, key, NULL);
            admitted += result.admitted;
        }
        if (!result.admitted) break;
    }
    printf("  admitted %d in %" PRId64 " ms\n", admitted, ddbsim_run_now(world.run) / DDBSIM_MS);
    tell("then", &result);
    printf("  burst left: %" PRId64 ", units taken by a refusal: %" PRId64 "\n",
           look(&world, DDBSIM_NONE).write_nano_tokens, result.nano_units);
    step(&world, DDBSIM_S);
    printf("  burst 1 s later: %" PRId64 "\n",
           look(&world, DDBSIM_NONE).write_nano_tokens / DDBSIM_S);
    result = put(&world, "ITEM#later", NULL);
    tell("again", &result);
    printf("  took %" PRId64 " unit, %s\n", result.nano_units / DDBSIM_S,
           result.caller_ns > result.service_ns && result.service_ns > 0 ? "in some time"
                                                                         : "in none");
    end(&world);
}

/* One partition serves 1,000 units a second and has kept three seconds of them. */
static void hot_partition(void) {
    struct ddbsim_entity item = ddbsim_entity_defaults("item", "ITEM#{uuid}", KB);
    struct ddbsim_table table = ddbsim_table_defaults("wide", 100, 40000);
    table.entities = &item;
    table.entity_count = 1;
    table.partitions = 8;
    struct world world = begin(&table);
    struct ddbsim_error error = {0};
    struct ddbsim_partition_state state;
    struct ddbsim_result result = {.admitted = true};
    uint32_t hot, other = 0;
    char key[32] = "";
    int admitted = -1;
    printf("a hot key in %u partitions\n", look(&world, DDBSIM_NONE).partitions);
    must(ddbsim_run_find_partition(world.run, 0, DDBSIM_NONE, "HOT", NULL, &hot, &error), &error);
    for (; result.admitted; admitted++)
        result = put(&world, "HOT", NULL);
    printf("  admitted %d at once\n", admitted);
    tell("then", &result);
    must(ddbsim_run_partition(world.run, 0, DDBSIM_NONE, hot, &state, &error), &error);
    printf("  its partition: %s, tokens left: %" PRId64 " of %" PRId64 "\n",
           result.partition == hot ? "as foretold" : "another", state.write_nano_tokens,
           state.write_nano_limit / DDBSIM_S);
    for (int i = 0; other == 0 || other == hot; i++) {
        snprintf(key, sizeof key, "COLD#%d", i);
        must(ddbsim_run_find_partition(world.run, 0, DDBSIM_NONE, key, NULL, &other, &error),
             &error);
    }
    result = put(&world, key, NULL);
    tell("a key elsewhere", &result);
    end(&world);
}

/* An index of 10 WCU without burst takes 10 s for 100 entries; meanwhile it holds its table back. */
static void index_pressure(void) {
    struct ddbsim_entity item = ddbsim_entity_defaults("item", "ITEM#{uuid}", KB);
    struct ddbsim_index index = ddbsim_index_defaults("by-state", "STATE#open", 1, 10);
    struct ddbsim_table table = ddbsim_table_defaults("indexed", 100, 1000);
    index.backpressure.preset = DDBSIM_TEXTBOOK;
    index.burst.initial = 0;
    table.entities = &item;
    table.entity_count = 1;
    table.indexes = &index;
    table.index_count = 1;
    struct world world = begin(&table);
    struct ddbsim_injected_entry entry = {.index = 0,
                                          .effect = DDBSIM_EFFECT_ADD,
                                          .new_bytes = KB,
                                          .new_partition_key = "STATE#open"};
    struct ddbsim_result result;
    int admitted = 0;
    printf("an index of 10 WCU\n");
    for (int i = 0; i < 100; i++)
        admitted += put(&world, "ITEM", &entry).admitted;
    printf("  admitted %d at once\n", admitted);
    step(&world, 2 * DDBSIM_S);
    struct ddbsim_resource_state state = look(&world, 0);
    printf("  2 s later: %s waits, %s\n",
           state.backlog_nano_units > 75 * DDBSIM_S ? "most" : "little",
           state.holds_back ? "the table is held back" : "the table is free");
    result = put(&world, "ITEM", &entry);
    tell("a write", &result);
    struct ddbsim_injection get = {
        .kind = DDBSIM_GET_ITEM, .partition_key = "ITEM", .old_bytes = 4 * KB};
    struct ddbsim_error error = {0};
    must(ddbsim_run_inject(world.run, &get, &result, &error), &error);
    printf("  an eventual read: %s, %" PRId64 " thousandths of a unit\n",
           result.admitted ? "admitted" : "refused", result.nano_units / 1000000);
    step(&world, 10 * DDBSIM_S);
    state = look(&world, 0);
    printf("  12 s later: %" PRId64 " waits, %" PRId64 " entries, %s\n", state.backlog_nano_units,
           state.items, state.holds_back ? "the table is held back" : "the table is free");
    result = put(&world, "ITEM", &entry);
    tell("a write", &result);
    end(&world);
}

/* A scenario in YAML takes requests by call as well, beside its own. */
static void beside_workloads(void) {
    static const char text[] =
        "version: 1\nname: both\nduration: 10s\ntables:\n"
        "  - {name: t, read_capacity: 5, write_capacity: 50,\n"
        "     entities: [{name: e, partition_key: \"K#{uuid}\", size: 1 KB}]}\n"
        "workloads: [{name: w, arrivals: paced, rate: 10/s, mix: [{operation: PutItem}]}]\n";
    struct world world = {0};
    struct ddbsim_error error = {0};
    struct ddbsim_run_options options = {.seed = 1, .inject_as = "w"};
    must(ddbsim_scenario_parse(text, sizeof text - 1, "both.yaml", NULL, &world.scenario, &error),
         &error);
    printf("beside a workload of 10/s for 10 s\n");
    if (ddbsim_run_create(world.scenario, &options, &world.run, &error) == DDBSIM_INPUT)
        printf("  %s\n", error.message);
    options.inject_as = "consumer";
    must(ddbsim_run_create(world.scenario, &options, &world.run, &error), &error);
    for (int i = 0; i < 10; i++, step(&world, DDBSIM_S))
        (void)put(&world, "K#mine", NULL);
    end(&world);
}

/* What is wrong is said with its place, and nothing breaks. */
static void mistakes(void) {
    struct ddbsim_error error = {0};
    struct ddbsim_entity item = ddbsim_entity_defaults("item", "ITEM#{nobody}", KB);
    struct ddbsim_table table = ddbsim_table_defaults("wrong", 5, 0);
    struct ddbsim_scenario *scenario = NULL;
    table.entities = &item;
    table.entity_count = 1;
    printf("mistakes\n");
    must(ddbsim_scenario_create("mistakes", 60 * DDBSIM_S, &scenario, &error), &error);
    for (int i = 0; i < 2; i++, table.write_capacity = 10) {
        error = (struct ddbsim_error){0};
        if (ddbsim_scenario_add_table(scenario, &table, &error) == DDBSIM_INPUT)
            printf("  %s: %s\n", error.path, error.message);
    }
    ddbsim_scenario_destroy(scenario);
}

int main(void) {
    if (strcmp(ddbsim_version(), DDBSIM_VERSION) != 0) return 1;
    burst();
    hot_partition();
    index_pressure();
    beside_workloads();
    mistakes();
    return 0;
}
