/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time to Live of whole runs (M-17 to M-19): what was there and came is there or was deleted, in partitions as in
 * the log; deletes cost nothing; and what has no TTL does not notice.
 */
#include <support/cmocka.h>
#include <support/run_rows.h>

enum {
    STORED_RESOURCE,
    STORED_ENTITY,
    STORED_T,
    STORED_ITEMS,
    STORED_BYTES,
    STORED_EXPIRED,
    STORED_DELETED
};

#define HEAD                                                                                      \
    "version: 1\nname: ttl\nstart: 2026-01-01T00:00:00+00:00\nduration: %s\n"                     \
    "values: {c: {count: 500}, s: {count: 20}}\n"                                                 \
    "model: {ttl_scan_least: 1m, ttl_scan_most: 2m}\n"                                            \
    "tables:\n"                                                                                   \
    "  - {name: shop, read_capacity: 50, write_capacity: 200, partitions: 3,\n"                   \
    "     entities: [\n"                                                                          \
    "       {name: cart, partition_key: \"C#{c}\", sort_key: \"C#{n}\", count: 60000, size: 2 "   \
    "KB%s},\n"                                                                                    \
    "       {name: order, partition_key: \"C#{c}\", sort_key: \"O#{n}\", count: 9000, size: 1 "   \
    "KB}],\n"                                                                                     \
    "     indexes: [{name: i, partition_key: \"S#{s}\", read_capacity: 5, write_capacity: 200,\n" \
    "                entries: {cart: {present: 50%%}}}]}\n"                                       \
    "workloads:\n"                                                                                \
    "  - {name: w, table: shop, rate: 4/s, mix: [\n"                                              \
    "      {name: put, operation: PutItem, entity: cart, weight: 2},\n"                           \
    "      {name: order, operation: PutItem, entity: order, weight: 1},\n"                        \
    "      {name: get, operation: GetItem, entity: cart, weight: 2},\n"                           \
    "      {name: touch, operation: UpdateItem, entity: cart, weight: 2, index_effect: {i: "      \
    "{untouched: 100%%}}%s}]}\n"

static struct rows run_of(const char *duration, const char *ttl, const char *touch) {
    char text[4096];
    snprintf(text, sizeof text, HEAD, duration, ttl, touch);
    return rows_run(text, 7);
}

/* The last row of an entity; of an index its name is empty. */
static const struct row *last_of(const struct rows *rows, const char *entity) {
    const struct row *last = NULL;
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_STORAGE &&
            strcmp(row_text(&rows->rows[r], STORED_ENTITY), entity) == 0)
            last = &rows->rows[r];
    assert_non_null(last);
    return last;
}

static double metric_sum(const struct rows *rows, const char *name) {
    return rows_sum(rows, DDBSIM_LOG_METRIC, 6, 1, name);
}

static void m17_what_came_is_there_or_deleted(void **state) {
    (void)state;
    struct rows rows = run_of("4h", ", ttl: {after: 1h, age: 2h, inflow: 3600/h}", "");
    const struct row *cart = last_of(&rows, "cart");
    double puts = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_WORKLOAD_TOTAL &&
            strcmp(row_text(&rows.rows[r], 2), "PutItem") == 0)
            puts += row_number(&rows.rows[r], 5);
    double orders = row_number(last_of(&rows, "order"), STORED_ITEMS) - 9000;
    double came = 60000 + 4 * 3600 + puts - orders;
    double there = row_number(cart, STORED_ITEMS), gone = row_number(cart, STORED_DELETED);
    /* Of the inflow, less than one item a partition is on its way. */
    assert_true(there + gone <= came && there + gone >= came - 3);
    assert_true(gone > 70000);
    assert_true(gone == metric_sum(&rows, "TimeToLiveDeletedItemCount"));
    assert_true(row_number(cart, STORED_BYTES) == there * 2048);
    /* One hour of inflow and puts, and what waits for the scan of some 10,000 items. */
    double per_hour = 3600 + (puts - orders) / 4;
    assert_true(there > per_hour && there < per_hour * 1.4);
    assert_true(row_number(cart, STORED_EXPIRED) > 0.1 * per_hour);
    rows_free(&rows);
}

/* Consumption is the same to the unit with TTL and without. */
static void m17_deletes_cost_nothing(void **state) {
    (void)state;
    struct rows with = run_of("4h", ", ttl: {after: 1h, age: 2h}", ""),
                without = run_of("4h", "", "");
    static const char *const names[] = {"ConsumedWriteCapacityUnits", "ConsumedReadCapacityUnits"};
    for (size_t i = 0; i < 2; i++)
        assert_true(metric_sum(&with, names[i]) == metric_sum(&without, names[i]));
    assert_true(metric_sum(&with, "TimeToLiveDeletedItemCount") > 60000);
    assert_true(rows_sum(&without, DDBSIM_LOG_STORAGE, STORED_ITEMS, 0, NULL) == 0);
    rows_free(&with);
    rows_free(&without);
}

/* All that does not speak of stored items is the same, row by row. */
static void m17_what_has_no_ttl_does_not_notice(void **state) {
    (void)state;
    struct rows with = run_of("3h", ", ttl: {after: 1h, age: 2h}", ""),
                without = run_of("3h", "", "");
    static const enum ddbsim_log_table tables[] = {DDBSIM_LOG_SECOND, DDBSIM_LOG_WORKLOAD_SECOND,
                                                   DDBSIM_LOG_LATENCY, DDBSIM_LOG_TOP_KEY};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
        size_t b = 0, compared = 0;
        for (size_t a = 0; a < with.count; a++) {
            if (with.rows[a].table != tables[t]) continue;
            while (b < without.count && without.rows[b].table != tables[t])
                b++;
            assert_true(b < without.count);
            for (size_t i = 0; i < with.rows[a].count; i++) {
                assert_true(row_number(&with.rows[a], i) == row_number(&without.rows[b], i));
                assert_string_equal(row_text(&with.rows[a], i), row_text(&without.rows[b], i));
            }
            b++;
            compared++;
        }
        assert_true(compared > 100);
    }
    /* Orders as many as were written. */
    assert_true(row_number(last_of(&with, "order"), STORED_DELETED) == 0);
    rows_free(&with);
    rows_free(&without);
}

/* Entries of deleted items go too, as many as the index had of them. */
static void m17_index_entries_go_along(void **state) {
    (void)state;
    struct rows rows = run_of("4h", ", ttl: {after: 1h, age: 2h, inflow: 3600/h}", "");
    double carts = row_number(last_of(&rows, "cart"), STORED_ITEMS);
    double entries = row_number(last_of(&rows, ""), STORED_ITEMS);
    assert_true(entries > 0.45 * carts && entries < 0.55 * carts);
    rows_free(&rows);
}

/* An item that is written again lives on: with every one touched often enough, none is deleted. */
static void m17_renewed_items_live_longer(void **state) {
    (void)state;
    struct rows renewed = run_of("6h", ", ttl: {after: 3h, age: 3h}", ", renews_ttl: true");
    struct rows kept = run_of("6h", ", ttl: {after: 3h, age: 3h}", "");
    double touched = 4.0 * 2 / 7 * 3600 * 3; /* in the time until all have expired */
    double more = row_number(last_of(&kept, "cart"), STORED_DELETED) -
                  row_number(last_of(&renewed, "cart"), STORED_DELETED);
    assert_true(more > 0.2 * touched && more < 1.2 * touched);
    rows_free(&renewed);
    rows_free(&kept);
}

/* The log's last row is what the partitions hold, also after they have been split. */
static void m18_partitions_hold_what_entities_have(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nname: grow\nduration: 12h\nmodel: {partition_bytes: 1 GB}\n"
        "tables: [{name: t, read_capacity: 5, write_capacity: 50, partitions: 1, entities: [\n"
        "  {name: a, partition_key: \"A#{uuid}\", count: 300000, size: 3 KB, ttl: {after: 6h, age: "
        "10h, inflow: "
        "120000/h}},\n"
        "  {name: b, partition_key: \"B#{uuid}\", count: 5000, size: 1 KB}]}]\n"
        "workloads: [{name: w, table: t, rate: 1/s, mix: [{operation: PutItem, entity: a}, {name: "
        "b, operation: "
        "PutItem, entity: b}]}]\n";
    struct rows rows = {0};
    struct ddbsim_sink sink = {.self = &rows, .row = rows_take};
    struct ddbsim_run_options options = {.seed = 5, .sink = &sink};
    struct ddbsim_load_options none = {0};
    struct ddbsim_scenario *scenario;
    struct ddbsim_run *run;
    struct ddbsim_resource_state held;
    struct ddbsim_error error = {0};
    assert_int_equal(
        ddbsim_scenario_parse(text, sizeof text - 1, "t.yaml", &none, &scenario, &error), 0);
    assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), 0);
    assert_int_equal(ddbsim_run_advance(run, scenario->duration_ns, &error), 0);
    assert_int_equal(ddbsim_run_finish(run, &error), 0);
    assert_int_equal(ddbsim_run_resource(run, 0, DDBSIM_NONE, &held, &error), 0);
    const struct row *a = last_of(&rows, "a"), *b = last_of(&rows, "b");
    assert_true(held.partitions > 2);
    assert_true((double)held.items == row_number(a, STORED_ITEMS) + row_number(b, STORED_ITEMS));
    assert_true((double)held.bytes == row_number(a, STORED_BYTES) + row_number(b, STORED_BYTES));
    assert_true(row_number(a, STORED_DELETED) > 700000);
    rows_free(&rows);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

static void m19_milliseconds_are_ignored(void **state) {
    (void)state;
    struct rows rows =
        run_of("4h", ", ttl: {after: 1h, unit: milliseconds, age: 2h, inflow: 3600/h}", "");
    const struct row *cart = last_of(&rows, "cart");
    assert_true(row_number(cart, STORED_DELETED) == 0 && row_number(cart, STORED_EXPIRED) == 0);
    assert_true(row_number(cart, STORED_ITEMS) > 60000 + 4 * 3600 - 3);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m17_what_came_is_there_or_deleted),
        cmocka_unit_test(m17_deletes_cost_nothing),
        cmocka_unit_test(m17_what_has_no_ttl_does_not_notice),
        cmocka_unit_test(m17_index_entries_go_along),
        cmocka_unit_test(m17_renewed_items_live_longer),
        cmocka_unit_test(m18_partitions_hold_what_entities_have),
        cmocka_unit_test(m19_milliseconds_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
