/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a scenario may say about who pays for what: capacity modes and what goes with each, local
 * indexes, the rules of other years, Query, callers in a closed loop, and popularity.
 */
#include "loader_fixture.h"

static const char small[] =
    "version: 1\n"
    "duration: 1h\n"
    "values:\n"
    "  key: {count: 100}\n"
    "tables:\n"
    "  - name: t\n"
    "    billing_mode: PAY_PER_REQUEST\n"
    "    on_demand_throughput: {max_read_request_units: 8000, max_write_request_units: 6000}\n"
    "    warm_throughput: {read_units_per_second: 15000, write_units_per_second: 5000}\n"
    "    previous_peak: {read: 0, write: 2500}\n"
    "    entities: [{name: e, partition_key: \"K#{key}\", sort_key: \"{n}\", count: 1000, size: 2 "
    "KB}]\n"
    "    indexes:\n"
    "      - {name: g, partition_key: \"G#{key}\", projection: KEYS_ONLY,\n"
    "         previous_peak: {write: 70}}\n"
    "      - {name: l, type: LOCAL, sort_key: \"{time}\", projection: KEYS_ONLY}\n"
    "workloads:\n"
    "  - name: w\n"
    "    vus: 5\n"
    "    mix: [{operation: PutItem}]\n"
    "  - name: r\n"
    "    rate: 5/s\n"
    "    max_vus: 9\n"
    "    mix: [{name: page, operation: Query, index: g, items: 7, returned: 10%, pages: all}]\n";

static struct ddbsim_scenario *load(const char *set) { return fixture_load_set(small, set); }

static void refuse(const char *set, const char *wanted) {
    fixture_refuse_text_set(small, set, wanted);
}

static void on_demand(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    const struct ddbsim_table *t = &s->tables[0];
    assert_int_equal(t->billing, DDBSIM_PAY_PER_REQUEST);
    assert_int_equal(t->read_capacity, 0);
    assert_int_equal(t->maximum.read, 8000);
    assert_int_equal(t->maximum.write, 6000);
    assert_int_equal(t->warm.read, 15000);
    assert_int_equal(t->warm.write, 5000);
    assert_int_equal(t->previous_peak.read, 0);
    assert_int_equal(t->previous_peak.write, 2500);
    assert_int_equal(t->indexes[0].previous_peak.write, 70);
    assert_int_equal(t->indexes[0].maximum.write, 0);
    assert_int_equal(t->indexes[0].write_capacity, 0);
    ddbsim_scenario_destroy(s);
    refuse("tables.t.read_capacity=5", "buy no capacity");
    refuse("tables.t.indexes.g.write_capacity=5", "buy no capacity");
    refuse("tables.t.on_demand_throughput.max_read_request_units=0", "the least is 1");
    refuse("tables.t.warm_throughput.read=5", "there is no \"read\"");
}

/* Setting the mode takes away what the other mode has, of the table and of its indexes. */
static void the_mode_is_set(void **state) {
    (void)state;
    refuse("tables.t.billing_mode=PROVISIONED", "\"read_capacity\" is missing");
    const char *sets[] = {"tables.t.billing_mode=PROVISIONED", "tables.t.read_capacity=5",
                          "tables.t.write_capacity=6", "tables.t.indexes.g.read_capacity=7",
                          "tables.t.indexes.g.write_capacity=8"};
    struct ddbsim_scenario *s = fixture_load(small, NULL, sets, COUNT(sets));
    assert_int_equal(s->tables[0].billing, DDBSIM_PROVISIONED);
    assert_int_equal(s->tables[0].maximum.read, 0);
    assert_int_equal(s->tables[0].previous_peak.write, 0);
    assert_int_equal(s->tables[0].warm.write, 5000);
    assert_int_equal(s->tables[0].indexes[0].write_capacity, 8);
    ddbsim_scenario_destroy(s);
    const char *set = "changes=[{at: +30m, set: {tables.carts.billing_mode: PAY_PER_REQUEST}}]";
    s = fixture_load(fixture, NULL, &set, 1);
    const struct ddbsim_table *after = &s->changes[0].after->tables[0];
    assert_int_equal(s->tables[0].billing, DDBSIM_PROVISIONED);
    assert_int_equal(after->billing, DDBSIM_PAY_PER_REQUEST);
    assert_int_equal(after->write_capacity, 0);
    assert_int_equal(after->indexes[0].write_capacity, 0);
    ddbsim_scenario_destroy(s);
    fixture_refuse_set("tables.carts.on_demand_throughput={max_read_request_units: 5}",
                       "belongs to billing_mode: PAY_PER_REQUEST");
    fixture_refuse_set("tables.carts.previous_peak={write: 5}",
                       "belongs to billing_mode: PAY_PER_REQUEST");
}

/* A capacity above the default quota needs an account that has more. */
static void quotas(void **state) {
    (void)state;
    fixture_refuse_set("tables.carts.write_capacity=50000", "lies outside 1..40000");
    const char *sets[] = {"model.quota_write=60000", "tables.carts.write_capacity=50000"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, COUNT(sets));
    assert_int_equal(s->tables[0].write_capacity, 50000);
    ddbsim_scenario_destroy(s);
}

static void local_indexes(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    const struct ddbsim_index *l = &s->tables[0].indexes[1];
    assert_int_equal(l->type, DDBSIM_LOCAL);
    assert_int_equal(l->write_capacity, 0);
    assert_string_equal(l->entries[0].partition_key.text, "K#{key}");
    assert_string_equal(l->entries[0].sort_key.text, "{time}");
    ddbsim_scenario_destroy(s);
    refuse("tables.t.indexes.l.partition_key=X", "no partition_key of its own");
    refuse("tables.t.indexes.l.read_capacity=5", "no read_capacity of its own");
    refuse("tables.t.indexes.l.partitions=5", "no partitions of its own");
    refuse("tables.t.indexes.l.backpressure=textbook", "no backpressure of its own");
    refuse("tables.t.indexes.l.entries={e: {partition_key: X}}", "the table's partition keys");
    refuse("tables.t.indexes.l.sort_key=null", "no sort key for \"e\"");
    refuse("tables.t.entities.e.sort_key=null", "a table with sort keys");
    refuse("tables.t.indexes=[{name: a, type: LOCAL, sort_key: a}, {name: g, partition_key: b},"
           "{name: c, type: LOCAL, sort_key: a}, {name: d, type: LOCAL, sort_key: a},"
           "{name: e, type: LOCAL, sort_key: a}, {name: f, type: LOCAL, sort_key: a},"
           "{name: h, type: LOCAL, sort_key: a}]",
           "6 LOCAL indexes");
}

/* A year puts other defaults in place; what the scenario states stands. */
static void years(void **state) {
    (void)state;
    const struct {
        const char *set;
        int64_t admission, heat_split;
    } all[] = {{"rules=today", DDBSIM_ADMISSION_GAC, DDBSIM_ON},
               {"rules=2018", DDBSIM_ADMISSION_ADAPTIVE, DDBSIM_OFF},
               {"rules=2017", DDBSIM_ADMISSION_STATIC, DDBSIM_OFF},
               {"rules=2012", DDBSIM_ADMISSION_STATIC, DDBSIM_OFF}};
    for (size_t i = 0; i < COUNT(all); i++) {
        struct ddbsim_scenario *s = load(all[i].set);
        assert_int_equal(s->model.admission, all[i].admission);
        assert_int_equal(s->model.heat_split, all[i].heat_split);
        assert_int_equal(s->tables[0].model.admission, all[i].admission);
        ddbsim_scenario_destroy(s);
    }
    const char *sets[] = {"rules=2017", "model.heat_split=on"};
    struct ddbsim_scenario *s = fixture_load(small, NULL, sets, COUNT(sets));
    assert_int_equal(s->model.admission, DDBSIM_ADMISSION_STATIC);
    assert_int_equal(s->model.heat_split, DDBSIM_ON);
    assert_string_equal(fixture_setting(s, "model.admission"), "static");
    assert_string_equal(fixture_setting(s, "model.heat_split"), "on");
    ddbsim_scenario_destroy(s);
}

/* The scenario loads, and says that AWS refuses the workload's first operation. */
static void refused_by_aws(const char *set, int workload, const char *why) {
    struct ddbsim_scenario *s = load(set);
    const char *refused = s->workloads[workload].operations[0].refused;
    assert_non_null(refused);
    assert_non_null(strstr(refused, why));
    ddbsim_scenario_destroy(s);
}

static void scans(void **state) {
    (void)state;
    struct ddbsim_scenario *s =
        load("workloads.r.mix.page={operation: Scan, index: g, total_segments: 4, returned: 2%}");
    const struct ddbsim_operation *o = &s->workloads[1].operations[0];
    assert_int_equal(o->kind, DDBSIM_SCAN);
    assert_int_equal(o->total_segments, 4);
    assert_int_equal(o->returned, 20000000);
    assert_int_equal(o->index, 0);
    ddbsim_scenario_destroy(s);
    refuse("workloads.r.mix.page={operation: Scan, size: 3 KB}", "size belongs to other");
    refuse("workloads.r.mix.page={operation: Scan, items: 3}", "items belongs to Query");
    refuse("workloads.r.mix.page={operation: Scan, total_segments: 0}", "1..10000");
    refuse("workloads.r.mix.page={operation: Query, shards: all}", "has no {shard} in");
    refuse("workloads.r.mix.page={operation: Query, parallel: 3}", "a Query of several suffixes");
    refuse("workloads.r.mix.page={operation: Query, condition_fails: 3%}", "belongs to PutItem");
    refuse("workloads.r.mix.page={operation: GetItem, grows: 3 KB}", "grows belongs to UpdateItem");
    refuse("workloads.r.parallel=true", "parallel belongs to a sequence");
}

static void transactions(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(
        "workloads.r.mix.page={operation: TransactWriteItems, actions: [{times: 3}, "
        "{operation: ConditionCheck, condition_fails: 5%}, {operation: PutItem, size: 9 KB}]}");
    const struct ddbsim_operation *o = &s->workloads[1].operations[0];
    assert_int_equal(o->action_count, 3);
    assert_int_equal(o->batch_size, 5);
    assert_int_equal(o->actions[0].kind, DDBSIM_UPDATE_ITEM);
    assert_true(o->actions[1].checks);
    assert_int_equal(o->actions[1].condition_fails, 50000000);
    assert_int_equal(o->actions[2].item_bytes, 9 * 1024);
    assert_null(o->refused);
    ddbsim_scenario_destroy(s);
    refused_by_aws("workloads.r.mix.page={operation: TransactGetItems, actions: [{times: 101}]}", 1,
                   "more than 100 actions");
    refused_by_aws(
        "workloads.r.mix.page={operation: TransactGetItems, actions: [{size: 100 KB, times: 42}]}",
        1, "more than 4 MB");
    refuse("workloads.r.mix.page={operation: TransactGetItems}", "does nothing");
    refuse("workloads.r.mix.page={operation: TransactGetItems, actions: [{operation: PutItem}]}",
           "has no such action");
    refuse("workloads.r.mix.page={operation: TransactWriteItems, actions: [{operation: GetItem}]}",
           "has no such action");
    refuse("workloads.r.mix.page={operation: TransactGetItems, entity: e, actions: [{}]}",
           "entity belongs to an action");
    refuse("workloads.r.mix.page={operation: GetItem, actions: [{}]}", "actions belongs to Trans");
}

static void queries(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    const struct ddbsim_operation *o = &s->workloads[1].operations[0];
    assert_int_equal(o->kind, DDBSIM_QUERY);
    assert_int_equal(o->index, 0);
    assert_int_equal(o->items, 7);
    assert_true(o->all_pages);
    assert_false(o->consistent_read);
    assert_int_equal(o->item_bytes, 100); /* an entry of keys alone */
    assert_int_equal(s->workloads[0].operations[0].index, DDBSIM_NONE);
    ddbsim_scenario_destroy(s);
    s = load("workloads.r.mix.page={operation: Query, consistent_read: true}");
    assert_int_equal(s->workloads[1].operations[0].index, DDBSIM_NONE);
    assert_int_equal(s->workloads[1].operations[0].items, 1);
    assert_int_equal(s->workloads[1].operations[0].item_bytes, 2048);
    assert_false(s->workloads[1].operations[0].all_pages);
    ddbsim_scenario_destroy(s);
    s = load("workloads.r.mix.page={operation: GetItem}");
    assert_false(s->workloads[1].operations[0].consistent_read);
    ddbsim_scenario_destroy(s);
    refused_by_aws("workloads.r.mix.page.consistent_read=true", 1, "no strong reads");
    refuse("workloads.r.mix.page.index=gg", "did you mean \"g\"");
    refuse("workloads.w.mix.PutItem.items=5", "items belongs to Query");
    refuse("workloads.w.mix.PutItem.index=g", "index belongs to Query");
    refuse("tables.t.indexes.g.entries={}", "the index does not hold \"e\"");
}

static void batches(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load("workloads.w.mix.PutItem.operation=BatchWriteItem");
    assert_int_equal(s->workloads[0].operations[0].batch_size, 25);
    assert_int_equal(s->workloads[0].client.unprocessed.strategy, DDBSIM_UNPROCESSED_DROP);
    assert_string_equal(fixture_setting(s, "workloads.w.client.batch_unprocessed.strategy"),
                        "drop");
    assert_null(fixture_setting(s, "workloads.r.client.batch_unprocessed.strategy"));
    ddbsim_scenario_destroy(s);
    s = load("workloads.r.mix.page={operation: BatchGetItem, batch_size: 7}");
    assert_int_equal(s->workloads[1].operations[0].batch_size, 7);
    ddbsim_scenario_destroy(s);
    const char *sets[] = {"workloads.w.mix.PutItem.operation=BatchWriteItem",
                          "workloads.w.client.batch_unprocessed={strategy: exponential, cap: 1s}"};
    s = fixture_load(small, NULL, sets, COUNT(sets));
    const struct ddbsim_batch_unprocessed *u = &s->workloads[0].client.unprocessed;
    assert_int_equal(u->strategy, DDBSIM_UNPROCESSED_EXPONENTIAL);
    assert_int_equal(u->base_ns, 50 * DDBSIM_MS);
    assert_int_equal(u->cap_ns, DDBSIM_S);
    assert_int_equal(u->max_retries, 10);
    ddbsim_scenario_destroy(s);
    refused_by_aws("workloads.w.mix.PutItem={operation: BatchWriteItem, batch_size: 26}", 0,
                   "more than 25 items");
    refused_by_aws("workloads.r.mix.page={operation: BatchGetItem, batch_size: 101}", 1,
                   "more than 100 items");
    s = load("workloads.r.mix.page={operation: BatchGetItem, size: 400 KB}");
    assert_null(s->workloads[1].operations[0].refused); /* it comes back in part (M-63) */
    ddbsim_scenario_destroy(s);
    s = load("workloads.w.mix.PutItem={operation: BatchWriteItem, batch_size: 25}");
    assert_null(s->workloads[0].operations[0].refused);
    ddbsim_scenario_destroy(s);
    refuse("workloads.w.mix.PutItem.batch_size=2", "batch_size belongs to BatchGetItem");
    refuse("workloads.w.client.batch_unprocessed={strategy: drop}", "is a batch");
    refuse("workloads.r.mix.page={operation: BatchGetItem, index: g}", "index belongs to Query");
    sets[1] = "workloads.w.client.batch_unprocessed={strategy: immediate, base: 1s}";
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(small, NULL, sets, COUNT(sets), &s, &error), &error,
                           sets[1], "this strategy has no base");
}

/* A closed loop that can do nothing would come again every microsecond, for ever. */
static void idle_loops(void **state) {
    (void)state;
    refuse("workloads.w.sequence=[{operation: PutItem, probability: 0%}]",
           "would ever make a call");
    struct ddbsim_scenario *s =
        load("workloads.r.sequence=[{operation: GetItem, probability: 0%}]");
    ddbsim_scenario_destroy(s);
}

static void callers(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    assert_int_equal(s->workloads[0].vus, 5);
    assert_int_equal(s->workloads[0].iterations, 0);
    assert_int_equal(s->workloads[1].max_vus, 9);
    ddbsim_scenario_destroy(s);
    const char *sets[] = {"workloads.w.iterations=70", "workloads.w.think_time=3s",
                          "workloads.w.client.max_attempts=1000000"};
    s = fixture_load(small, NULL, sets, COUNT(sets));
    assert_int_equal(s->workloads[0].vus, 5);
    assert_int_equal(s->workloads[0].iterations, 70);
    assert_int_equal(s->workloads[0].think_time_ns, 3 * DDBSIM_S);
    assert_int_equal(s->workloads[0].client.max_attempts, 1000000);
    ddbsim_scenario_destroy(s);
    /* One source of load: a rate takes the place of callers, and the other way round. */
    s = load("workloads.w.rate=5/s");
    assert_int_equal(s->workloads[0].vus, 0);
    ddbsim_scenario_destroy(s);
    const char *turned[] = {"workloads.r.iterations=3", "workloads.r.max_vus=null"};
    s = fixture_load(small, NULL, turned, COUNT(turned));
    assert_int_equal(s->workloads[1].vus, 1);
    assert_true(s->workloads[1].start_rate_per_s == 0);
    ddbsim_scenario_destroy(s);
    refuse("workloads.w.max_vus=5", "max_vus bounds a rate");
    refuse("workloads.r.think_time=5s", "no source of load");
    refuse("workloads.w.vus=0", "the least is 1");
}

static void popularity(void **state) {
    (void)state;
    struct ddbsim_scenario *s =
        load("values.key={count: 50, distribution: hotspot, keys: 10%, moves: 10m}");
    assert_int_equal(s->values[0].distribution, DDBSIM_HOTSPOT);
    assert_int_equal(s->values[0].hot_keys, 100000000);
    assert_int_equal(s->values[0].hot_traffic, 800000000);
    assert_int_equal(s->values[0].moves_ns, 600 * DDBSIM_S);
    ddbsim_scenario_destroy(s);
    s = load("values.key={count: 200, distribution: top, shares: [80%, 5%], sorted: 1000}");
    assert_int_equal(s->values[0].distribution, DDBSIM_TOP);
    assert_int_equal(s->values[0].share_count, 2);
    assert_int_equal(s->values[0].shares[1], 50000000);
    assert_int_equal(s->values[0].sorted, 1000);
    assert_string_equal(fixture_setting(s, "values.key.shares"), "[80%, 5%]");
    ddbsim_scenario_destroy(s);
    s = load("values.key={count: 9, distribution: latest}");
    assert_int_equal(s->values[0].theta, 990000000);
    ddbsim_scenario_destroy(s);
    s = load("values.key={count: 9, distribution: exponential}");
    assert_int_equal(s->values[0].distribution, DDBSIM_EXPONENTIAL);
    ddbsim_scenario_destroy(s);
    refuse("values.key={count: 9, distribution: top}", "needs the shares");
    refuse("values.key={count: 9, distribution: top, shares: []}", "needs the shares");
    refuse("values.key={count: 9, distribution: top, shares: [0.8]}", "80%");
    refuse("values.key={count: 9, distribution: top, shares: [80%, 30%]}", "more than 100%");
    refuse("values.key={count: 2, distribution: top, shares: [80%, 10%]}", "less than 100%");
    refuse("values.key={count: 1, distribution: top, shares: [80%, 20%]}", "more shares than");
    refuse("values.key={count: 9, shares: [80%]}", "shares goes only with top");
    refuse("values.key={count: 9, traffic: 80%}", "traffic goes only with hotspot");
    refuse("values.key={count: 9, distribution: latest, scrambled: true}", "only with zipfian");
    refuse("values.key={count: 9, distribution: hotspot, moves: 1m, sorted: 5}", "exclude");
    refuse("values.key={count: 2000000, distribution: zipfian, scrambled: true, sorted: 5}",
           "up to 1048576");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_demand), cmocka_unit_test(the_mode_is_set),
        cmocka_unit_test(quotas),    cmocka_unit_test(local_indexes),
        cmocka_unit_test(years),     cmocka_unit_test(queries),
        cmocka_unit_test(scans),     cmocka_unit_test(transactions),
        cmocka_unit_test(batches),   cmocka_unit_test(idle_loops),
        cmocka_unit_test(callers),   cmocka_unit_test(popularity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
