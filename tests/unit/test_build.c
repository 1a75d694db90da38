/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scenarios in code: they are what the same scenario in YAML is, they keep nothing of what was passed, and
 * whatever is wrong is refused with its path and leaves the scenario as it was.
 */
#include <ddbsim/ddbsim.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

static void must(enum ddbsim_status status, const struct ddbsim_error *error) {
    if (status != DDBSIM_OK) fail_msg("%s: %s", error->path, error->message);
}

static struct ddbsim_scenario *create(void) {
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    must(ddbsim_scenario_create("built", 120 * DDBSIM_S, &scenario, &error), &error);
    return scenario;
}

/* A valid scenario's parts, for each test to spoil one thing. */
struct parts {
    const char *words[2];
    int64_t shares[2];
    struct ddbsim_values key, state;
    struct ddbsim_entity entities[2];
    struct ddbsim_entry entries[2];
    struct ddbsim_index indexes[2];
    struct ddbsim_table table;
    struct ddbsim_index_effect effects[2];
    struct ddbsim_operation mix[3];
    struct ddbsim_stage stages[1];
    struct ddbsim_workload workload;
};

static void parts_init(struct parts *p) {
    memset(p, 0, sizeof *p);
    p->words[0] = "a";
    p->words[1] = "b";
    p->shares[0] = 700000000;
    p->shares[1] = 300000000;
    p->key = (struct ddbsim_values){
        .name = "key", .distribution = DDBSIM_ZIPFIAN, .count = 300, .theta = 900000000};
    p->state = (struct ddbsim_values){.name = "state",
                                      .distribution = DDBSIM_LIST,
                                      .count = 2,
                                      .words = p->words,
                                      .shares = p->shares};
    p->entities[0] = ddbsim_entity_defaults("e", "K#{key}", 1024);
    p->entities[0].sort_key.text = "{n}";
    p->entities[0].count = 900;
    p->entities[1] = ddbsim_entity_defaults("f", "K#{key}", 500);
    p->entities[1].sort_key.text = "F#{time}";
    p->entries[0] = (struct ddbsim_entry){
        .in_index = true, .present = DDBSIM_SHARE_ONE / 2, .entry_bytes = 300};
    p->indexes[0] = ddbsim_index_defaults("i", "S#{state}", 1, 25);
    p->indexes[0].sort_key.text = "{time}";
    p->indexes[0].burst.initial = DDBSIM_SHARE_ONE / 100;
    p->indexes[1] = ddbsim_index_defaults("j", "J#{state}", 2, 30);
    p->indexes[1].projection = DDBSIM_INCLUDE;
    p->indexes[1].entries = p->entries;
    p->indexes[1].backpressure.preset = DDBSIM_TEXTBOOK;
    p->table = ddbsim_table_defaults("t", 20, 30);
    p->table.burst.initial = DDBSIM_SHARE_ONE / 100;
    p->table.entities = p->entities;
    p->table.entity_count = 2;
    p->table.indexes = p->indexes;
    p->table.index_count = 2;
    p->effects[0] = (struct ddbsim_index_effect){.move = 500000000, .rewrite = 500000000};
    p->effects[1] = (struct ddbsim_index_effect){.rewrite = DDBSIM_SHARE_ONE};
    p->mix[0] = ddbsim_operation_defaults(DDBSIM_UPDATE_ITEM, 0, 0);
    p->mix[0].weight *= 3;
    p->mix[0].effects = p->effects;
    p->mix[1] = ddbsim_operation_defaults(DDBSIM_GET_ITEM, 0, 0);
    p->mix[2] = ddbsim_operation_defaults(DDBSIM_PUT_ITEM, 0, 1);
    p->stages[0] = (struct ddbsim_stage){.duration_ns = 60 * DDBSIM_S, .target_per_s = 60};
    p->workload = ddbsim_workload_defaults("w", 30);
    p->workload.operations = p->mix;
    p->workload.operation_count = 3;
    p->workload.stages = p->stages;
    p->workload.stage_count = 1;
    p->workload.client = ddbsim_preset_find("boto3-standard")->client;
    p->workload.client.processes = 5;
}

static const char same_text[] =
    "version: 1\nname: built\nduration: 2m\n"
    "values: {key: {count: 300, distribution: zipfian, theta: 0.9}, state: {list: {a: 70%, b: "
    "30%}}}\n"
    "tables:\n"
    "  - {name: t, read_capacity: 20, write_capacity: 30, burst: {initial: 1%},\n"
    "     entities: [{name: e, partition_key: \"K#{key}\", sort_key: \"{n}\", count: 900, size: 1 "
    "KB},\n"
    "                {name: f, partition_key: \"K#{key}\", sort_key: \"F#{time}\", size: 500 B}],\n"
    "     indexes: [{name: i, partition_key: \"S#{state}\", sort_key: \"{time}\", read_capacity: "
    "1,\n"
    "                write_capacity: 25, burst: {initial: 1%}},\n"
    "               {name: j, partition_key: \"J#{state}\", projection: INCLUDE, read_capacity: "
    "2,\n"
    "                write_capacity: 30, backpressure: textbook,\n"
    "                entries: {e: {present: 50%, entry_size: 300 B}}}]}\n"
    "workloads:\n"
    "  - {name: w, start_rate: 30/s, stages: [{duration: 1m, target: 60/s}],\n"
    "     client: {preset: boto3-standard, processes: 5},\n"
    "     mix: [{operation: UpdateItem, entity: e, weight: 3, index_effect: {i: {move: 50%}}},\n"
    "           {operation: GetItem, entity: e, consistent_read: true},\n"
    "           {operation: PutItem, entity: f}]}\n";

static struct rows run(const struct ddbsim_scenario *scenario) {
    struct rows rows = {0};
    struct ddbsim_sink sink = {.self = &rows, .row = rows_take};
    struct ddbsim_run_options options = {.seed = 3, .sink = &sink};
    struct ddbsim_run *run = NULL;
    struct ddbsim_error error = {0};
    must(ddbsim_run_create(scenario, &options, &run, &error), &error);
    must(ddbsim_run_advance(run, scenario->duration_ns, &error), &error);
    must(ddbsim_run_finish(run, &error), &error);
    rows.totals = ddbsim_run_totals(run);
    ddbsim_run_destroy(run);
    return rows;
}

static void code_is_yaml(void **state) {
    (void)state;
    struct parts *p = malloc(sizeof *p);
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = create();
    assert_non_null(p);
    parts_init(p);
    must(ddbsim_scenario_add_values(scenario, &p->key, &error), &error);
    must(ddbsim_scenario_add_values(scenario, &p->state, &error), &error);
    must(ddbsim_scenario_add_table(scenario, &p->table, &error), &error);
    must(ddbsim_scenario_add_workload(scenario, &p->workload, &error), &error);
    memset(p, 0x5a, sizeof *p); /* nothing that was passed is needed any more */
    free(p);
    struct rows built = run(scenario), read = rows_run(same_text, 3);
    assert_true(read.totals.throttled_attempts > 100 && read.totals.succeeded > 1000);
    assert_int_equal(built.count, read.count);
    for (size_t r = 0; r < read.count; r++)
        for (size_t c = 0; c < read.rows[r].count; c++) {
            assert_int_equal(built.rows[r].table, read.rows[r].table);
            assert_true(row_number(&built.rows[r], c) == row_number(&read.rows[r], c));
            assert_string_equal(row_text(&built.rows[r], c), row_text(&read.rows[r], c));
        }
    rows_free(&built);
    rows_free(&read);
    ddbsim_scenario_destroy(scenario);
}

/* ---- mistakes ---- */

/* Adds all parts; returns the path of the first that is refused, "" where none is. */
static const char *first_wrong(const struct parts *p, char path[256]) {
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = create();
    enum ddbsim_status status = ddbsim_scenario_add_values(scenario, &p->key, &error);
    if (!status) status = ddbsim_scenario_add_values(scenario, &p->state, &error);
    uint32_t values = scenario->value_count;
    if (!status) status = ddbsim_scenario_add_table(scenario, &p->table, &error);
    uint32_t tables = scenario->table_count;
    if (!status) status = ddbsim_scenario_add_workload(scenario, &p->workload, &error);
    assert_int_equal(error.status, status);
    assert_true(values + tables + scenario->workload_count == (status ? values + tables : 4));
    if (status) {
        assert_int_equal(status, DDBSIM_INPUT);
        assert_true(error.message[0] != '\0');
    }
    memcpy(path, error.path, 256);
    ddbsim_scenario_destroy(scenario);
    return path;
}

#define assert_wrong(wanted, spoil)                         \
    do {                                                    \
        struct parts p;                                     \
        char path[256];                                     \
        parts_init(&p);                                     \
        spoil;                                              \
        assert_string_equal(first_wrong(&p, path), wanted); \
    } while (0)

static void wrong_values(void **state) {
    (void)state;
    assert_wrong("", (void)0);
    assert_wrong("values.key.count", p.key.count = 0);
    assert_wrong("values.key.theta", p.key.theta = 6 * DDBSIM_SHARE_ONE);
    assert_wrong("values.key.distribution", p.key.distribution = (enum ddbsim_distribution)99);
    assert_wrong("values.time", p.key.name = "time");
    assert_wrong("values", p.key.name = NULL);
    assert_wrong("values.state.list", p.shares[1]--);
    assert_wrong("values.state.list", p.shares[1]++);
    assert_wrong("values.state.list", p.words[1] = NULL);
    assert_wrong("values.state.list", p.state.shares = NULL);
    assert_wrong("values.key", p.state = p.key);
    assert_wrong("values.key.shares", p.key.distribution = DDBSIM_TOP);
    int64_t top[] = {DDBSIM_SHARE_ONE / 2, DDBSIM_SHARE_ONE / 4};
    assert_wrong("", (p.key.distribution = DDBSIM_TOP, p.key.shares = top, p.key.share_count = 2));
    assert_wrong("values.key.shares", (p.key.distribution = DDBSIM_TOP, p.key.shares = top,
                                       p.key.share_count = 2, p.key.count = 1));
    assert_wrong("values.key.keys", p.key.distribution = DDBSIM_HOTSPOT);
    assert_wrong("", (p.key.distribution = DDBSIM_HOTSPOT, p.key.hot_keys = 1));
    assert_wrong("values.key.sorted", (p.key.distribution = DDBSIM_HOTSPOT, p.key.hot_keys = 1,
                                       p.key.moves_ns = DDBSIM_S, p.key.sorted = 5));
    assert_wrong("values.key.moves",
                 (p.key.distribution = DDBSIM_HOTSPOT, p.key.hot_keys = 1, p.key.moves_ns = -1));
}

/* Capacity modes and what goes with each; local indexes. */
static void wrong_modes(void **state) {
    (void)state;
    const enum ddbsim_billing paid = DDBSIM_PAY_PER_REQUEST;
    assert_wrong("tables.t.billing_mode", p.table.billing = (enum ddbsim_billing)7);
    assert_wrong("tables.t.read_capacity", p.table.billing = paid);
    assert_wrong("tables.t.indexes.i.read_capacity",
                 (p.table.billing = paid, p.table.read_capacity = p.table.write_capacity = 0));
    assert_wrong("tables.t.on_demand_throughput", p.table.maximum.read = 5);
    assert_wrong("tables.t.previous_peak", p.table.previous_peak.write = 5);
    assert_wrong("tables.t.warm_throughput.write_units_per_second", p.table.warm.write = -1);
    assert_wrong("", p.table.warm.write = 5000);
    assert_wrong("tables.t.indexes.i.partition_key", p.indexes[0].type = DDBSIM_LOCAL);
    assert_wrong("tables.t.indexes.i.type", p.indexes[0].type = (enum ddbsim_index_type)7);
    assert_wrong("tables.t.indexes.i.on_demand_throughput", p.indexes[0].maximum.write = 5);
    assert_wrong("", (p.table.write_capacity = 50000, p.table.model.quota_write = 50000));
}

/* What moves capacity: policies, their scheduled actions, home-made scalers. */
static void wrong_scaling(void **state) {
    (void)state;
    const struct ddbsim_target_tracking policy = {
        .enabled = true, .min_capacity = 5, .max_capacity = 9, .target = DDBSIM_SHARE_ONE / 2};
    const struct ddbsim_scaler scaler = {.enabled = true,
                                         .writes = true,
                                         .every_ns = 60 * DDBSIM_S,
                                         .look_back_ns = 300 * DDBSIM_S,
                                         .up = {.enabled = true, .threshold = 1, .by_units = 5},
                                         .min_capacity = 5,
                                         .max_capacity = 9};
    struct ddbsim_scheduled_action actions[] = {{"a", 5, -1, -1, 6, -1}, {"b", 5, -1, -1, -1, 8}};
#define TRACKED p.table.scaling.write = policy
#define SCHEDULED TRACKED, p.table.scaling.actions = actions, p.table.scaling.action_count = 2
#define SCALED p.table.scaling.scaler = scaler
    assert_wrong("", (SCHEDULED));
    assert_wrong("", (SCALED, p.indexes[0].scaling.read = policy));
    assert_wrong("tables.t.scaler", (SCALED, TRACKED));
    assert_wrong("tables.t.auto_scaling.write.target_value",
                 (TRACKED, p.table.scaling.write.target = DDBSIM_SHARE_ONE));
    assert_wrong("tables.t.auto_scaling.write.max_capacity",
                 (TRACKED, p.table.scaling.write.max_capacity = 4));
    assert_wrong("tables.t.auto_scaling.scheduled_actions",
                 (TRACKED, p.table.scaling.action_count = 1));
    assert_wrong("tables.t.auto_scaling.scheduled_actions.a.write",
                 (SCHEDULED, p.table.scaling.write.enabled = false));
    assert_wrong("tables.t.scaler.max", (SCALED, p.table.scaling.scaler.max_capacity = 1));
    assert_wrong("tables.t.scaler.direction", (SCALED, p.table.scaling.scaler.writes = false));
    assert_wrong("tables.t.scaler.every", (SCALED, p.table.scaling.scaler.every_ns++));
    assert_wrong("tables.t.scaler.look_back", (SCALED, p.table.scaling.scaler.look_back_ns++));
    assert_wrong("tables.t.scaler", (SCALED, p.table.scaling.scaler.up.enabled = false));
    assert_wrong("tables.t.scaler.up.above", (SCALED, p.table.scaling.scaler.up.threshold = -1));
    assert_wrong("", (SCALED, p.table.scaling.scaler.up.threshold = -1,
                      p.table.scaling.scaler.up.throttles = 1));
    assert_wrong("tables.t.scaler.up.by", (SCALED, p.table.scaling.scaler.up.to = 1));
    assert_wrong("tables.t.scaler.up.by", (SCALED, p.table.scaling.scaler.up.by_units = 0));
    assert_wrong("tables.t.scaler.up.by", (SCALED, p.table.scaling.scaler.up.by_units = 0,
                                           p.table.scaling.scaler.up.by_share = -1));
    assert_wrong("tables.t.scaler.down",
                 (SCALED, p.table.scaling.scaler.down = p.table.scaling.scaler.up,
                  p.table.scaling.scaler.down.threshold = -1));
    actions[1].at_ns = 4;
    assert_wrong("tables.t.auto_scaling.scheduled_actions.b.at", (SCHEDULED));
    actions[1] = (struct ddbsim_scheduled_action){"b", 5, -1, -1, 10, -1};
    assert_wrong("tables.t.auto_scaling.scheduled_actions.b.write.max_capacity", (SCHEDULED));
    actions[0].at_ns = 120 * DDBSIM_S;
    assert_wrong("tables.t.auto_scaling.scheduled_actions.a.at", (SCHEDULED));
#undef TRACKED
#undef SCHEDULED
#undef SCALED
}

/* Callers in a closed loop; what a Query reads. */
static void wrong_callers(void **state) {
    (void)state;
    assert_wrong("workloads.w.vus", p.workload.vus = 5);
    assert_wrong("",
                 (p.workload.vus = 5, p.workload.start_rate_per_s = 0, p.workload.stage_count = 0));
    assert_wrong("workloads.w.vus", p.workload.iterations = 5);
    assert_wrong("workloads.w.max_vus", p.workload.max_vus = 2000000);
    assert_wrong("", p.mix[1].consistent_read = false);
    assert_wrong("workloads.w.mix.GetItem.index",
                 (p.mix[1].kind = DDBSIM_QUERY, p.mix[1].index = 9));
    assert_wrong("workloads.w.mix.GetItem.consistent_read",
                 (p.mix[1].kind = DDBSIM_QUERY, p.mix[1].index = 0));
    assert_wrong("workloads.w.mix.GetItem.items",
                 (p.mix[1].kind = DDBSIM_QUERY, p.mix[1].items = UINT64_C(1) << 40));
}

static struct ddbsim_queue good_queue(void) {
    return (struct ddbsim_queue){.enabled = true,
                                 .batch_size = 10,
                                 .visibility_timeout_ns = 30 * INT64_C(1000000000),
                                 .max_receive_count = UINT32_MAX,
                                 .concurrency = {1, 9, 60}};
}

static void wrong_lambdas(void **state) {
    (void)state;
    assert_wrong("", p.workload.queue = good_queue());
    assert_wrong("workloads.w.queue.batch_size",
                 (p.workload.queue = good_queue(), p.workload.queue.batch_size = 0));
    assert_wrong("workloads.w.queue.visibility_timeout",
                 (p.workload.queue = good_queue(), p.workload.queue.visibility_timeout_ns = 0));
    assert_wrong("workloads.w.queue.concurrency.maximum",
                 (p.workload.queue = good_queue(), p.workload.queue.concurrency.maximum = 0));
    assert_wrong("workloads.w.queue.concurrency.maximum",
                 (p.workload.queue = good_queue(), p.workload.queue.concurrency.minimum = 10));
    assert_wrong("workloads.w.queue", (p.workload.queue = good_queue(), p.workload.max_vus = 4));
    assert_wrong("workloads.w.batch_size", p.workload.lambda.enabled = true);
}

static void wrong_layers(void **state) {
    (void)state;
    assert_wrong("", p.workload.client.rate_limit.per_s = 5);
    assert_wrong("workloads.w.client.rate_limit", p.workload.client.rate_limit.per_s = -5);
    assert_wrong("workloads.w.client.rate_limit", p.workload.client.rate_limit.adapts = true);
    assert_wrong(
        "workloads.w.client.rate_control.minimum",
        (p.workload.client.rate_limit.adapts = true, p.workload.client.rate_limit.per_s = 5));
    assert_wrong("workloads.w.client.circuit_breaker.open_for",
                 p.workload.client.breaker.enabled = true);
    assert_wrong("workloads.w.client.circuit_breaker.minimum",
                 (p.workload.client.breaker.enabled = true, p.workload.client.breaker.open_ns = 1));
    assert_wrong("", p.workload.client.wrapper.max_attempts = 1);
    assert_wrong("workloads.w.client.wrapper.growth", p.workload.client.wrapper.max_attempts = 2);
}

static void wrong_tables(void **state) {
    (void)state;
    assert_wrong("tables.t.read_capacity", p.table.read_capacity = 0);
    assert_wrong("tables.t.write_capacity", p.table.write_capacity = 40001);
    assert_wrong("tables.t.partitions", p.table.partitions = 100001);
    assert_wrong("tables.t.burst.initial", p.table.burst.initial = DDBSIM_SHARE_ONE + 1);
    assert_wrong("tables.t.model.index_resume", p.table.model.index_resume = 0);
    assert_wrong("tables.t.model.initial_rule", p.table.model.initial_rule = 2);
    assert_wrong("tables.no name.name", p.table.name = "no name");
    assert_wrong("tables.t.entities", p.table.entity_count = 0);
    assert_wrong("tables.t.entities.e.size", p.entities[0].item_bytes = 0);
    assert_wrong("tables.t.entities.e.partition_key", p.entities[0].partition_key.text = "{oops}");
    assert_wrong("tables.t.entities.e.partition_key", p.entities[0].partition_key.text = "{n}");
    assert_wrong("tables.t.entities.e.partition_key", p.entities[0].partition_key.text = NULL);
    assert_wrong("tables.t.entities.f.sort_key", p.entities[1].sort_key.text = NULL);
    assert_wrong("tables.t.entities.e", p.entities[1].name = "e");
}

static void wrong_indexes(void **state) {
    (void)state;
    assert_wrong("tables.t.indexes", p.table.index_count = DDBSIM_INDEXES_MAX + 1);
    assert_wrong("tables.t.indexes.i.write_capacity", p.indexes[0].write_capacity = 0);
    assert_wrong("tables.t.indexes.i.backpressure.resume", p.indexes[0].backpressure.resume = 1);
    assert_wrong("tables.t.indexes.i.backpressure.scope", p.indexes[0].backpressure.scope = 2);
    assert_wrong("tables.t.indexes.i.entries.e.partition_key",
                 p.indexes[0].partition_key.text = NULL);
    assert_wrong("tables.t.indexes.i.entries.f.sort_key", p.indexes[0].sort_key.text = "{n}");
    assert_wrong("tables.t.indexes.j.entries.e.entry_size", p.entries[0].entry_bytes = -1);
    assert_wrong("tables.t.indexes.j.entries.e.entry_size", p.entries[0].entry_bytes = 2000);
    assert_wrong("tables.t.indexes.j.entries.e.present", p.entries[0].present = -1);
    assert_wrong("tables.t.indexes.i", p.indexes[1].name = "i");
}

static void wrong_workloads(void **state) {
    (void)state;
    assert_wrong("workloads.w.rate", p.workload.start_rate_per_s = (double)NAN);
    assert_wrong("workloads.w.rate", p.workload.start_rate_per_s = -1);
    assert_wrong("workloads.w.scale", p.workload.scale = 1e7);
    assert_wrong("workloads.w.start_time", p.workload.start_ns = 120 * DDBSIM_S);
    assert_wrong("workloads.w.end_time", p.workload.end_ns = 121 * DDBSIM_S);
    assert_wrong("workloads.w.stages.target", p.stages[0].target_per_s = (double)INFINITY);
    assert_wrong("workloads.w.client.processes", p.workload.client.processes = 0);
    assert_wrong("workloads.w.client.max_attempts", p.workload.client.max_attempts = 0);
    assert_wrong("workloads.w.mix", p.workload.operations = NULL);
    assert_wrong("workloads.w.mix.GetItem.table", p.mix[1].table = 1);
    assert_wrong("workloads.w.mix.GetItem.entity", p.mix[1].entity = 2);
    assert_wrong("workloads.w.mix.PutItem.times", p.mix[2].times = 0);
    assert_wrong("workloads.w.mix.UpdateItem.index_effect", p.effects[0].move--);
    assert_wrong("workloads.w.mix.PutItem.index_effect", p.mix[2].effects = p.effects);
    assert_wrong("workloads..name", p.workload.name = "");
}

static void wrong_scenarios(void **state) {
    (void)state;
    struct ddbsim_scenario *scenario;
    struct ddbsim_run *run = NULL;
    struct ddbsim_run_options options = {.seed = 1};
    struct ddbsim_error error = {0};
    assert_int_equal(ddbsim_scenario_create("Not a slug", DDBSIM_S, &scenario, &error),
                     DDBSIM_INPUT);
    assert_string_equal(error.path, "name");
    assert_null(scenario);
    assert_int_equal(ddbsim_scenario_create("short", DDBSIM_S - 1, &scenario, NULL), DDBSIM_INPUT);
    scenario = create();
    assert_int_equal(ddbsim_run_create(scenario, &options, &run, NULL), DDBSIM_INPUT);
    assert_null(run);
    ddbsim_scenario_destroy(scenario);
    ddbsim_scenario_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_is_yaml),    cmocka_unit_test(wrong_values),
        cmocka_unit_test(wrong_modes),     cmocka_unit_test(wrong_scaling),
        cmocka_unit_test(wrong_callers),   cmocka_unit_test(wrong_tables),
        cmocka_unit_test(wrong_lambdas),   cmocka_unit_test(wrong_layers),
        cmocka_unit_test(wrong_indexes),   cmocka_unit_test(wrong_workloads),
        cmocka_unit_test(wrong_scenarios),
    };
    return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
