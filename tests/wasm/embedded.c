/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scenarios made in code, run with requests by call, their digests printed: no file, no YAML, no SQLite.
 * .ci/wasm compares what this prints under WebAssembly and natively.
 */
#include <base/hash.h>
#include <ddbsim/ddbsim.h>
#include <record/digest.h>
#include <stdio.h>
#include <stdlib.h>

#define MINUTES (60 * DDBSIM_S)

static void must(enum ddbsim_status status, const struct ddbsim_error *error) {
    char text[1024];
    if (status == DDBSIM_OK) return;
    ddbsim_error_format(error, text, sizeof text);
    fprintf(stderr, "embedded: %s\n", text);
    exit((int)status);
}

/* Zipfian customers, listed states, two entities, two indexes: every part of keys and propagation. */
static void add_tables(struct ddbsim_scenario *scenario) {
    struct ddbsim_error error = {0};
    static const char *const words[] = {"open", "paid", "gone"};
    static const int64_t shares[] = {700000000, 200000000, 100000000};
    struct ddbsim_values customer = {.name = "customer",
                                     .distribution = DDBSIM_ZIPFIAN,
                                     .count = 5000,
                                     .theta = 990000000,
                                     .scrambled = true};
    struct ddbsim_values state = {
        .name = "state", .distribution = DDBSIM_LIST, .count = 3, .words = words, .shares = shares};
    must(ddbsim_scenario_add_values(scenario, &customer, &error), &error);
    must(ddbsim_scenario_add_values(scenario, &state, &error), &error);
    struct ddbsim_entity entities[] = {ddbsim_entity_defaults("order", "C#{customer}", 2048),
                                       ddbsim_entity_defaults("note", "C#{customer}", 300)};
    entities[0].sort_key.text = "O#{n}";
    entities[0].count = 9000;
    entities[1].sort_key.text = "N#{time}";
    struct ddbsim_index indexes[] = {ddbsim_index_defaults("by-state", "S#{state}", 1, 45),
                                     ddbsim_index_defaults("by-customer", "C#{customer}", 1, 300)};
    indexes[0].sort_key.text = "{time}";
    indexes[0].backpressure.preset = DDBSIM_TEXTBOOK;
    indexes[0].burst.initial = DDBSIM_SHARE_ONE / 50;
    indexes[1].projection = DDBSIM_KEYS_ONLY;
    struct ddbsim_table table = ddbsim_table_defaults("orders", 15, 160);
    table.partitions = 3;
    table.burst.initial = DDBSIM_SHARE_ONE / 100;
    table.entities = entities;
    table.entity_count = 2;
    table.indexes = indexes;
    table.index_count = 2;
    must(ddbsim_scenario_add_table(scenario, &table, &error), &error);
}

static void add_workloads(struct ddbsim_scenario *scenario) {
    struct ddbsim_error error = {0};
    struct ddbsim_index_effect effects[] = {{.move = 400000000, .rewrite = 600000000},
                                            {.untouched = DDBSIM_SHARE_ONE}};
    struct ddbsim_operation mix[] = {ddbsim_operation_defaults(DDBSIM_UPDATE_ITEM, 0, 0),
                                     ddbsim_operation_defaults(DDBSIM_GET_ITEM, 0, 0),
                                     ddbsim_operation_defaults(DDBSIM_PUT_ITEM, 0, 1),
                                     ddbsim_operation_defaults(DDBSIM_DELETE_ITEM, 0, 0)};
    const struct ddbsim_stage stages[] = {{NULL, 4 * MINUTES, 90}, {NULL, 3 * MINUTES, 20}};
    mix[0].effects = effects;
    mix[0].weight *= 5;
    struct ddbsim_workload shop = ddbsim_workload_defaults("shop", 10);
    shop.operations = mix;
    shop.operation_count = 4;
    shop.stages = stages;
    shop.stage_count = 2;
    shop.client = ddbsim_preset_find("boto3-standard")->client;
    shop.client.processes = 20;
    must(ddbsim_scenario_add_workload(scenario, &shop, &error), &error);
    struct ddbsim_workload checkout = ddbsim_workload_defaults("checkout", 3);
    checkout.sequence = true;
    checkout.operations = &mix[1];
    checkout.operation_count = 2;
    must(ddbsim_scenario_add_workload(scenario, &checkout, &error), &error);
}

/* A write of each second moves an entry of the first index. */
static void inject(struct ddbsim_run *run, int64_t second) {
    struct ddbsim_error error = {0};
    char key[32];
    snprintf(key, sizeof key, "C#%d", (int)(second % 40));
    struct ddbsim_injected_entry entry = {.index = 0,
                                          .effect = DDBSIM_EFFECT_MOVE,
                                          .old_bytes = 3000,
                                          .new_bytes = 3000,
                                          .old_partition_key = "S#open",
                                          .new_partition_key = "S#paid"};
    struct ddbsim_injection write = {.kind = DDBSIM_UPDATE_ITEM,
                                     .partition_key = key,
                                     .sort_key = "O#1",
                                     .old_bytes = 3000,
                                     .new_bytes = 3000,
                                     .entries = &entry,
                                     .entry_count = 1};
    struct ddbsim_result result;
    must(ddbsim_run_inject(run, &write, &result, &error), &error);
}

static void run(const struct ddbsim_scenario *scenario, uint64_t seed, const char *inject_as) {
    struct ddbsim_error error = {0};
    struct digest *digest = digest_create();
    if (!digest) exit(DDBSIM_ENVIRONMENT);
    struct ddbsim_sink sink = digest_sink(digest);
    struct ddbsim_run_options options = {.seed = seed, .sink = &sink, .inject_as = inject_as};
    struct ddbsim_run *run = NULL;
    must(ddbsim_run_create(scenario, &options, &run, &error), &error);
    for (int64_t t_ns = 0; t_ns < scenario->duration_ns; t_ns += DDBSIM_S) {
        if (inject_as) inject(run, t_ns / DDBSIM_S);
        must(ddbsim_run_advance(run, t_ns + DDBSIM_S, &error), &error);
    }
    must(ddbsim_run_finish(run, &error), &error);
    struct ddbsim_totals totals = ddbsim_run_totals(run);
    char hex[33];
    hash128_hex(digest_finish(digest), hex);
    printf("seed %llu%s: %s, %llu attempts, %llu refused\n", (unsigned long long)seed,
           inject_as ? " with requests by call" : "", hex, (unsigned long long)totals.attempts,
           (unsigned long long)totals.throttled_attempts);
    ddbsim_run_destroy(run);
    digest_destroy(digest);
}

int main(void) {
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = NULL;
    must(ddbsim_scenario_create("embedded", 10 * MINUTES, &scenario, &error), &error);
    add_tables(scenario);
    add_workloads(scenario);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run(scenario, seed, NULL);
        run(scenario, seed, "by-call");
    }
    ddbsim_scenario_destroy(scenario);
    return 0;
}
