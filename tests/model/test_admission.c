/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Admission, counting and callers over whole runs; each test is named after its rule. */
#include <support/cmocka.h>
#include <support/run_rows.h>

enum { METRIC_SUM = 6, METRIC_COUNT = 7 };

/* A table with one index and one writer; the holes take YAML. */
#define SCENARIO(table, entities, index, workload)                                            \
    "version: 1\n"                                                                            \
    "name: admission\n"                                                                       \
    "start: 2026-01-01T00:00:00+00:00\n"                                                      \
    "duration: 5m\n"                                                                          \
    "values: {key: {count: 5000}, state: {list: {a: 50%, b: 50%}}}\n"                         \
    "tables:\n"                                                                               \
    "  - {name: t, read_capacity: 10, burst: {initial: 0%}, " table ",\n"                     \
    "     entities: [{name: e, partition_key: \"K#{key}\", count: 5000, size: 2 KB}" entities \
    "]" index "}\n"                                                                           \
    "workloads:\n" workload

#define INDEX(keys)                                                                                \
    ",\n     indexes: [{name: i, partition_key: \"S#{state}\", projection: ALL, read_capacity: 1," \
    " burst: {initial: 0%}, backpressure: textbook, " keys "}]"

#define WRITER(rate, more)                                 \
    "  - {name: w, table: t, arrivals: paced, rate: " rate \
    ", mix: [{operation: UpdateItem, entity: e}]" more "}\n"

/* The scenario with each @ replaced: percent signs forbid a format. */
static const char *fill(const char *scenario, const char *value) {
    static char text[8192];
    size_t used = 0;
    for (const char *c = scenario; *c; c++) {
        const char *piece = *c == '@' ? value : c;
        size_t length = *c == '@' ? strlen(value) : 1;
        assert_true(used + length < sizeof text);
        memcpy(text + used, piece, length);
        used += length;
    }
    text[used] = 0;
    return text;
}

static double sum_metric(const struct rows *rows, const char *name, double resource) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_METRIC && strcmp(row_text(row, 1), name) == 0 &&
            row_number(row, 0) == resource)
            sum += row_number(row, METRIC_SUM);
    }
    return sum;
}

static double throttle_sum(const struct rows *rows, const char *reason, size_t column) {
    return rows_sum(rows, DDBSIM_LOG_THROTTLE, column, 1, reason);
}

static int64_t first_event_ns(const struct rows *rows, const char *kind) {
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_EVENT &&
            strcmp(row_text(&rows->rows[r], 2), kind) == 0)
            return rows->rows[r].values[1].as.integer;
    return -1;
}

static void m08_a_refusal_is_free(void **state) {
    (void)state;
    struct rows rows = rows_run(SCENARIO("write_capacity: 10", "", "", WRITER("20/s", "")), 1);
    const struct ddbsim_totals *t = &rows.totals;
    assert_true(t->throttled_attempts > 3000);
    assert_int_equal(t->write_half_units, (int64_t)t->succeeded * 2 * 2); /* 2 units a write */
    assert_true(sum_metric(&rows, "ConsumedWriteCapacityUnits", 1) == 2.0 * (double)t->succeeded);
    rows_free(&rows);
}

/* A refusal by several reasons is an event of each; the first in the order of the checks counts once. */
static void m32_all_reasons(void **state) {
    (void)state;
    struct rows rows = rows_run(
        SCENARIO("write_capacity: 10", "", INDEX("write_capacity: 8"), WRITER("20/s", "")), 1);
    double table = throttle_sum(&rows, "TableWriteProvisionedThroughputExceeded", 6);
    double table_first = throttle_sum(&rows, "TableWriteProvisionedThroughputExceeded", 7);
    double index = throttle_sum(&rows, "IndexWriteProvisionedThroughputExceeded", 6);
    double index_first = throttle_sum(&rows, "IndexWriteProvisionedThroughputExceeded", 7);
    assert_true(table > 0 && index > index_first && index_first > 0);
    assert_true(table == table_first);
    assert_true(table_first + index_first == (double)rows.totals.throttled_attempts);
    assert_true(sum_metric(&rows, "WriteThrottleEvents", 1) == table);
    assert_true(sum_metric(&rows, "WriteThrottleEvents", 2) == index);
    rows_free(&rows);
}

/* Whatever the order: what one check refuses takes no token of another. The index lets 4 writes/s pass,
 * so the table, which could serve 50, keeps all but 4 x 2 units/s of its capacity. */
static void m31_tokens_only_when_all_pass(void **state) {
    (void)state;
    struct rows rows = rows_run(
        SCENARIO("write_capacity: 100", "", INDEX("write_capacity: 8"), WRITER("45/s", "")), 1);
    double tokens = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_SECOND && row_number(&rows.rows[r], 0) == 1)
            tokens = row_number(&rows.rows[r], 12);
    /* 300 s at 100 a second, less what was consumed. */
    double consumed = sum_metric(&rows, "ConsumedWriteCapacityUnits", 1);
    assert_true(consumed > 2300 && consumed < 2700);
    assert_true(tokens > 30000 - consumed - 1 && tokens < 30000 - consumed + 1);
    /* The index alone refuses: one event a refused attempt on its dimension, none on the table's. */
    assert_true(sum_metric(&rows, "WriteThrottleEvents", 1) == 0);
    assert_true(sum_metric(&rows, "WriteThrottleEvents", 2) ==
                (double)rows.totals.throttled_attempts);
    rows_free(&rows);
}

static void m22_partition_bucket(void **state) {
    (void)state;
    const char *depths[] = {"1s", "3s"};
    const int64_t first_ms[] = {2000, 6000}; /* depth x 1,000 / (1,500 - 1,000) */
    for (int i = 0; i < 2; i++) {
        const char *text = fill(
            SCENARIO("write_capacity: 9000, partitions: 1, model: {partition_burst: @}", "", "",
                     "  - {name: w, table: t, arrivals: paced, rate: 750/s,\n"
                     "     mix: [{operation: UpdateItem}]}\n"),
            depths[i]);
        struct rows rows = rows_run(text, 1);
        int64_t first = first_event_ns(&rows, "throttling_started") / 1000000;
        assert_in_range(first, first_ms[i] - 10, first_ms[i] + 10);
        assert_true(throttle_sum(&rows, "TableWriteKeyRangeThroughputExceeded", 7) ==
                    (double)rows.totals.throttled_attempts);
        rows_free(&rows);
    }
}

static void m40_update_delay(void **state) {
    (void)state;
    struct rows rows =
        rows_run(SCENARIO("write_capacity: 10", "", INDEX("write_capacity: 8"),
                          WRITER("20/s", "")) "changes: [{at: +2m, set: {tables.t.write_capacity: "
                                              "100, tables.t.indexes.i.write_capacity: 90}}]\n",
                 1);
    assert_int_equal(first_event_ns(&rows, "change"), INT64_C(120000000000));
    assert_int_equal(first_event_ns(&rows, "capacity_changed"), INT64_C(180000000000));
    int64_t last_throttle_s = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_THROTTLE)
            last_throttle_s = (int64_t)row_number(&rows.rows[r], 4);
    assert_in_range(last_throttle_s, 179, 185);
    rows_free(&rows);
}

/* Two entities, of which the index holds one: a full index refuses all writes, or those it concerns. */
static void m54_scope(void **state) {
    (void)state;
    const char *scopes[] = {"all", "touching"};
    for (int i = 0; i < 2; i++) {
        const char *text =
            fill(SCENARIO("write_capacity: 1000, model: {index_scope: @}",
                          ", {name: quiet, partition_key: \"Q#{key}\", count: 5000, size: 1 KB}",
                          INDEX("write_capacity: 8, entries: {e: {}}"),
                          WRITER("20/s",
                                 "") "  - {name: bystander, table: t, arrivals: paced, rate: 5/s,\n"
                                     "     mix: [{operation: UpdateItem, entity: quiet}]}\n"),
                 scopes[i]);
        struct rows rows = rows_run(text, 1);
        double bystander = rows_sum(&rows, DDBSIM_LOG_WORKLOAD_TOTAL, 8, 0, "bystander");
        assert_true(i == 0 ? bystander > 500 : bystander == 0);
        assert_true(rows_sum(&rows, DDBSIM_LOG_WORKLOAD_TOTAL, 8, 0, "w") > 2000);
        rows_free(&rows);
    }
}

/* An index is cut by its own capacity, not by its table's. */
static void m12_own_key_space(void **state) {
    (void)state;
    struct rows rows = rows_run(
        SCENARIO("write_capacity: 4000", "", INDEX("write_capacity: 2500"), WRITER("20/s", "")), 1);
    int partitions[3] = {0};
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_PARTITION)
            partitions[(int)row_number(&rows.rows[r], 1)]++;
    assert_int_equal(partitions[1], 5); /* 4,000 / 1,000 + 10 / 3,000 */
    assert_int_equal(partitions[2], 3);
    rows_free(&rows);
}

/* A number of partitions is bounded also where capacity and bytes give it. */
static void m21_too_many_partitions(void **state) {
    (void)state;
    struct ddbsim_load_options none = {0};
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    struct ddbsim_run_options options = {.seed = 1};
    struct ddbsim_run *run = NULL;
    const char *text =
        SCENARIO("write_capacity: 10",
                 ", {name: big, partition_key: \"B#{uuid}\", count: 1000000000000, size: 400 KB}",
                 "", "  - {name: w, rate: 1/s, mix: [{operation: UpdateItem, entity: e}]}\n");
    assert_int_equal(ddbsim_scenario_parse(text, strlen(text), "t", &none, &scenario, &error), 0);
    assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "partitions; the most is 100000"));
    assert_null(run);
    ddbsim_scenario_destroy(scenario);
}

/* So many keys are not looked at one by one: the run starts at once, and its items lie evenly. */
static void m21_very_many_items(void **state) {
    (void)state;
    struct rows rows = rows_run(
        SCENARIO("write_capacity: 1000, partitions: 4",
                 ", {name: many, partition_key: \"B#{uuid}\", count: 1000000000000, size: 1 KB}",
                 "", "  - {name: w, rate: 50/s, mix: [{operation: UpdateItem, entity: many}]}\n"),
        1);
    int samples = 0;
    for (size_t r = 0; r < rows.count; r++) {
        if (rows.rows[r].table != DDBSIM_LOG_PARTITION_SAMPLE) continue;
        double items = row_number(&rows.rows[r], 7);
        assert_true(items >= 250000000000.0 + 1000 && items <= 250000000000.0 + 1500);
        samples++;
    }
    assert_true(samples >= 4 * 29);
    rows_free(&rows);
}

static void m60_exceptions(void **state) {
    (void)state;
    const char *provisioned = "ProvisionedThroughputExceededException",
               *other = "ThrottlingException";
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_WRITE_PROVISIONED, false),
                        provisioned);
    assert_string_equal(ddbsim_reason_exception(DDBSIM_INDEX_WRITE_PROVISIONED, false),
                        provisioned);
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_WRITE_KEY_RANGE, false), provisioned);
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_WRITE_KEY_RANGE, true), other);
    assert_string_equal(ddbsim_reason_exception(DDBSIM_INDEX_WRITE_KEY_RANGE, false), other);
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_READ_MAX_ON_DEMAND, true), other);
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_READ_ACCOUNT, true), other);
    assert_null(ddbsim_reason_exception(DDBSIM_REASON_KINDS, false));
}

/* The same load with limits and without brings the same requests: callers keep coming. */
static void m79_open_arrivals(void **state) {
    (void)state;
    struct rows limited = rows_run(SCENARIO("write_capacity: 10", "", "", WRITER("20/s", "")), 4);
    struct rows free_ =
        rows_run(SCENARIO("write_capacity: 10, throttling: false", "", "", WRITER("20/s", "")), 4);
    assert_int_equal(limited.totals.requests, free_.totals.requests);
    assert_int_equal(free_.totals.throttled_attempts, 0);
    assert_true(limited.totals.throttled_attempts > 3000);
    assert_true(rows_sum(&limited, DDBSIM_LOG_SECOND, 6, 0, NULL) ==
                rows_sum(&free_, DDBSIM_LOG_SECOND, 4, 0, NULL));
    rows_free(&limited);
    rows_free(&free_);
}

static void m78_a_retry_is_an_attempt(void **state) {
    (void)state;
    struct rows rows = rows_run(
        SCENARIO("write_capacity: 10", "", "", WRITER("20/s", ", client: {preset: full-jitter}")),
        1);
    const struct ddbsim_totals *t = &rows.totals;
    assert_true(t->retries > 1000);
    assert_int_equal(t->attempts, t->requests + t->retries);
    assert_true(rows_sum(&rows, DDBSIM_LOG_METRIC, METRIC_SUM, 1, "ThrottledRequests") ==
                (double)t->throttled_attempts);
    rows_free(&rows);
}

/* Without throttles nothing is retried, whatever the preset. */
static void m77_only_throttles_are_retried(void **state) {
    (void)state;
    struct rows rows = rows_run(SCENARIO("write_capacity: 100", "", "",
                                         WRITER("20/s", ", client: {preset: boto3-standard}")),
                                1);
    assert_int_equal(rows.totals.retries, 0);
    assert_int_equal(rows.totals.attempts, rows.totals.requests);
    rows_free(&rows);
}

/* One process runs out of quota and gives up at once; four hundred do not. */
static void m76_processes(void **state) {
    (void)state;
    struct rows one =
        rows_run(SCENARIO("write_capacity: 10", "", "",
                          WRITER("20/s", ", client: {preset: boto3-standard, processes: 1}")),
                 1);
    struct rows many =
        rows_run(SCENARIO("write_capacity: 10", "", "",
                          WRITER("20/s", ", client: {preset: boto3-standard, processes: 400}")),
                 1);
    assert_true(one.totals.retries_refused > 2000);
    assert_int_equal(many.totals.retries_refused, 0);
    assert_true(many.totals.throttled_attempts > 2 * one.totals.throttled_attempts);
    assert_int_equal(one.totals.requests, many.totals.requests);
    rows_free(&one);
    rows_free(&many);
}

static double mean_latency_ms(const char *network, const char *kind) {
    const char *text = fill(
        SCENARIO("write_capacity: 1000, model: {network_latency: @}", "", "", WRITER("20/s", "")),
        network);
    struct rows rows = rows_run(text, 1);
    double sum = 0, count = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.rows[r];
        if (row->table != DDBSIM_LOG_LATENCY || strcmp(row_text(row, 4), kind) != 0) continue;
        count += row_number(row, 9);
        sum += row_number(row, 9) * (row_number(row, 7) + row_number(row, 8)) / 2000;
    }
    rows_free(&rows);
    return sum / count;
}

/* The measured latency is the caller's; the service's is what the network does not take. */
static void m81_network_share(void **state) {
    (void)state;
    double caller = mean_latency_ms("1ms", "caller"), service = mean_latency_ms("1ms", "service");
    assert_true(caller - service > 0.95 && caller - service < 1.05);
    double near_caller = mean_latency_ms("0.5ms", "caller"),
           near_service = mean_latency_ms("0.5ms", "service");
    assert_true(near_caller - caller > -0.02 && near_caller - caller < 0.02);
    assert_true(near_service - service > 0.45 && near_service - service < 0.55);
}

static void m09_largest_item(void **state) {
    (void)state;
    struct ddbsim_load_options none = {0};
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    const char *text = SCENARIO("write_capacity: 10",
                                ", {name: big, partition_key: \"B#{key}\", count: 1, size: 401 KB}",
                                "", WRITER("1/s", ""));
    assert_int_equal(ddbsim_scenario_parse(text, strlen(text), "t", &none, &scenario, &error),
                     DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "400 KB"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m08_a_refusal_is_free),
        cmocka_unit_test(m09_largest_item),
        cmocka_unit_test(m12_own_key_space),
        cmocka_unit_test(m21_too_many_partitions),
        cmocka_unit_test(m21_very_many_items),
        cmocka_unit_test(m22_partition_bucket),
        cmocka_unit_test(m31_tokens_only_when_all_pass),
        cmocka_unit_test(m32_all_reasons),
        cmocka_unit_test(m40_update_delay),
        cmocka_unit_test(m54_scope),
        cmocka_unit_test(m60_exceptions),
        cmocka_unit_test(m76_processes),
        cmocka_unit_test(m77_only_throttles_are_retried),
        cmocka_unit_test(m78_a_retry_is_an_attempt),
        cmocka_unit_test(m79_open_arrivals),
        cmocka_unit_test(m81_network_share),
    };
    return cmocka_run_group_tests_name("admission", tests, NULL, NULL);
}
