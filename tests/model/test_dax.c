/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DAX in whole runs (M-88): what it answers costs nothing, and all else costs what it did. */
#include <support/cmocka.h>
#include <support/run_rows.h>

#define TABLE                                                                   \
    "version: 1\nname: dax\nstart: 2026-01-01T00:00:00+00:00\nduration: 20m\n"  \
    "values: {c: {count: %d}}\n"                                                \
    "tables: [{name: t, read_capacity: 200, write_capacity: 100, entities: [\n" \
    "  {name: e, partition_key: \"K#{c}\", count: %d, size: 4 KB}]}]\n"         \
    "workloads: [{name: w, table: t, arrivals: paced, rate: 20/s, mix: [%s]%s}]\n"

static struct rows run_of(int keys, const char *mix, const char *dax) {
    char text[2048];
    snprintf(text, sizeof text, TABLE, keys, keys, mix, dax);
    return rows_run(text, 11);
}

static double units(const struct rows *rows, const char *name) {
    return rows_sum(rows, DDBSIM_LOG_METRIC, 6, 1, name);
}

#define READS "ConsumedReadCapacityUnits"
#define WRITES "ConsumedWriteCapacityUnits"
#define MIX "{operation: GetItem, weight: 3}, {operation: UpdateItem}"

static void m88_hits_cost_nothing(void **state) {
    (void)state;
    struct rows without = run_of(500, MIX, ""), with = run_of(500, MIX, ", dax: {hit_ratio: 80%}");
    double share = units(&with, READS) / units(&without, READS);
    assert_true(share > 0.18 && share < 0.22);
    assert_true(units(&with, WRITES) == units(&without, WRITES));
    assert_true(with.totals.requests == without.totals.requests);
    assert_true(with.totals.succeeded == with.totals.requests);
    rows_free(&without);
    rows_free(&with);
}

/* Rows but those of the setting are the same. */
static void m88_without_hits_nothing_changes(void **state) {
    (void)state;
    struct rows without = run_of(500, MIX, ""), with = run_of(500, MIX, ", dax: {hit_ratio: 0%}");
    assert_true(without.count == with.count && with.count > 1000);
    for (size_t r = 0; r < with.count; r++)
        for (size_t i = 0; i < with.rows[r].count; i++) {
            assert_true(row_number(&with.rows[r], i) == row_number(&without.rows[r], i));
            assert_string_equal(row_text(&with.rows[r], i), row_text(&without.rows[r], i));
        }
    rows_free(&without);
    rows_free(&with);
}

/* One item, read 20 times a second and kept for 10 s: a miss in ten seconds. A strong read is never answered. */
static void m88_an_item_is_kept_so_long(void **state) {
    (void)state;
    struct rows kept = run_of(1, "{operation: GetItem}", ", dax: {item_ttl: 10s}");
    struct rows strong =
        run_of(1, "{operation: GetItem, consistent_read: true}", ", dax: {item_ttl: 10s}");
    assert_true(units(&kept, READS) == 120 * 0.5);
    assert_true(units(&strong, READS) == 20 * 1200);
    rows_free(&kept);
    rows_free(&strong);
}

/* What was written is there for reads. */
static void m88_writes_go_through(void **state) {
    (void)state;
    struct rows with =
        run_of(1, "{operation: UpdateItem, weight: 19}, {operation: GetItem, weight: 1}",
               ", dax: {item_ttl: 30s}");
    assert_true(units(&with, READS) <= 0.5); /* at most the first of all */
    assert_true(units(&with, WRITES) > 4 * 20 * 1200 * 0.9);
    rows_free(&with);
}

static void m88_what_is_refused_is_not_kept(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nname: dax\nstart: 2026-01-01T00:00:00+00:00\nduration: 2m\n"
        "model: {token_debt: strict}\nvalues: {c: {count: 1}}\n"
        "tables: [{name: t, read_capacity: 200, write_capacity: 1, entities: [\n"
        "  {name: e, partition_key: \"K#{c}\", count: 1, size: 400 KB}]}]\n"
        "workloads: [{name: w, table: t, rate: 100/s, dax: {item_ttl: 1h}, mix: [\n"
        "  {operation: UpdateItem, weight: 1000}, {operation: GetItem, weight: 50}]}]\n";
    struct rows rows = rows_run(text, 3);
    assert_true(units(&rows, WRITES) == 0); /* costs more than the bucket ever holds */
    assert_true(units(&rows, READS) == 50); /* one miss */
    rows_free(&rows);
}

/* Of a batch the members that it holds are not asked for. */
static void m88_batches_come_without_their_hits(void **state) {
    (void)state;
    struct rows rows =
        run_of(500, "{operation: BatchGetItem, batch_size: 10}", ", dax: {hit_ratio: 75%}");
    double sent = rows_sum(&rows, DDBSIM_LOG_BATCH_SECOND, 5, 0, NULL);
    assert_true(sent > 0.24 * 240000 && sent < 0.26 * 240000);
    assert_true(units(&rows, READS) == sent * 0.5);
    assert_true(rows.totals.succeeded == rows.totals.requests);
    rows_free(&rows);
}

/* Behind a transaction DAX reads each of its items as a transaction does: two of 4 KB are 4 R, and a delete's is 2. It then
 * answers who reads them. Where the table refuses that read, the transaction has succeeded all the same. */
static void m88_what_a_transaction_wrote_is_read_back(void **state) {
    (void)state;
    const char *writes =
        "{operation: TransactWriteItems, actions: [{times: 2}, {operation: DeleteItem}]}";
    struct rows without = run_of(500, writes, ""),
                with = run_of(500, writes, ", dax: {item_ttl: 5m}");
    assert_true(units(&without, READS) == 0);
    assert_true(units(&with, READS) == (double)with.totals.succeeded * (2 + 2 + 2));
    assert_true(with.totals.succeeded > 4000);
    assert_true(units(&with, WRITES) == units(&without, WRITES));
    assert_true(rows_outcome(&with, "read_units", "") == units(&with, READS));
    assert_int_equal(with.totals.succeeded, without.totals.succeeded);
    rows_free(&without);
    rows_free(&with);
    with = run_of(1, "{operation: TransactWriteItems, actions: [{}]}, {operation: GetItem}",
                  ", dax: {item_ttl: 5m}");
    double transactions = units(&with, WRITES) / (2 * 4);
    assert_true(transactions > 11000);
    assert_true(units(&with, READS) < 2 * transactions + 10); /* of the GetItems hardly one */
    rows_free(&with);
    char text[2048];
    snprintf(text, sizeof text, TABLE, 500, 500, "{operation: TransactWriteItems, actions: [{}]}",
             ", dax: {item_ttl: 5m}");
    char *capacity = strstr(text, "read_capacity: 200");
    memcpy(capacity, "read_capacity: 1  ", strlen("read_capacity: 200"));
    with = rows_run(text, 11);
    without = run_of(500, "{operation: TransactWriteItems, actions: [{}]}", "");
    assert_int_equal(with.totals.succeeded, without.totals.succeeded);
    rows_free(&without);
    assert_true(rows_metric(&with, 1, "ThrottledRequests", "TransactGetItems") > 10000);
    rows_free(&with);
}

/* A batch that the cache answers, whose caller has gone before the answer, is answered by it once more. */
static void m88_a_batch_of_hits_is_asked_again(void **state) {
    (void)state;
    struct rows rows = run_of(20, "{operation: BatchGetItem, batch_size: 3}",
                              ", dax: {item_ttl: 5m}, client: {max_attempts: 3, attempt_timeout: "
                              "4ms, backoff: {base: 10ms}}}]\nmodel: {dax_latency: 5ms}\n#");
    assert_true(rows.totals.failed > 20000); /* the cache is slower than its callers are patient */
    assert_int_equal(rows.totals.attempts, rows.totals.requests + rows.totals.retries);
    assert_true(rows.totals.retries > 40000);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m88_hits_cost_nothing),
        cmocka_unit_test(m88_without_hits_nothing_changes),
        cmocka_unit_test(m88_an_item_is_kept_so_long),
        cmocka_unit_test(m88_writes_go_through),
        cmocka_unit_test(m88_a_batch_of_hits_is_asked_again),
        cmocka_unit_test(m88_what_is_refused_is_not_kept),
        cmocka_unit_test(m88_what_a_transaction_wrote_is_read_back),
        cmocka_unit_test(m88_batches_come_without_their_hits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
