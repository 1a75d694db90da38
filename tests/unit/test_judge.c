/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions judged against a small run whose every number is known. Two tables, carts with an
 * index by-day and orders; two workloads, shop and batch; ten minutes from 0 s.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <base/hist.h>
#include <base/types.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <study/study.h>
#include <support/rows.h>

static void put_resources(const struct ddbsim_sink *sink) {
    ROW(sink, RESOURCE, INT(1), STR("table"), STR("carts"), NIL, STR("arn:1"));
    ROW(sink, RESOURCE, INT(2), STR("index"), STR("carts"), STR("by-day"), STR("arn:2"));
    ROW(sink, RESOURCE, INT(3), STR("table"), STR("orders"), NIL, STR("arn:3"));
}

static void put_metric(const struct ddbsim_sink *sink, int64_t resource, const char *name,
                       const char *operation, int64_t period_s, int64_t t_s, double sum,
                       int64_t samples, double minimum, double maximum) {
    ROW(sink, METRIC, INT(resource), STR(name), STR(operation), STR(""), INT(period_s), INT(t_s),
        NUM(sum), INT(samples), NUM(minimum), NUM(maximum), NIL, NIL, NIL, STR("Count"));
}

static void put_metrics(const struct ddbsim_sink *sink) {
    put_metric(sink, 1, "ConsumedWriteCapacityUnits", "", 60, 0, 600, 60, 5, 15);
    put_metric(sink, 1, "ConsumedWriteCapacityUnits", "", 60, 60, 1200, 60, 10, 30);
    put_metric(sink, 2, "ConsumedWriteCapacityUnits", "", 60, 60, 90, 10, 9, 9);
    put_metric(sink, 3, "ConsumedWriteCapacityUnits", "", 60, 0, 7, 7, 1, 1);
    put_metric(sink, 1, "ConsumedReadCapacityUnits", "", 60, 0, 30, 60, 0.5, 0.5);
    put_metric(sink, 1, "ThrottledRequests", "PutItem", 60, 60, 40, 40, 1, 1);
    put_metric(sink, 1, "ThrottledRequests", "UpdateItem", 60, 60, 2, 2, 1, 1);
    put_metric(sink, 2, "WriteThrottleEvents", "", 60, 60, 42, 42, 1, 1);
    put_metric(sink, 1, "SuccessfulRequestLatency", "PutItem", 60, 0, 50, 10, 4, 8);
    /* Provisioned: five minutes, and an hour beside it that must not be added. */
    put_metric(sink, 1, "ProvisionedWriteCapacityUnits", "", 300, 0, 40, 1, 40, 40);
    put_metric(sink, 1, "ProvisionedWriteCapacityUnits", "", 300, 300, 80, 1, 80, 80);
    put_metric(sink, 1, "ProvisionedWriteCapacityUnits", "", 3600, 0, 999, 1, 999, 999);
}

static void put_throttle(const struct ddbsim_sink *sink, int64_t resource, const char *reason,
                         const char *workload, const char *operation, int64_t t_s, int64_t first) {
    ROW(sink, THROTTLE, INT(resource), STR(reason), STR(workload), STR(operation), INT(t_s), INT(1),
        INT(first + 1), INT(first));
}

static void put_throttles(const struct ddbsim_sink *sink) {
    static const char index_reason[] = "IndexWriteProvisionedThroughputExceeded";
    put_throttle(sink, 2, index_reason, "shop", "PutItem", 65, 10);
    put_throttle(sink, 2, index_reason, "shop", "PutItem", 66, 20);
    put_throttle(sink, 2, index_reason, "batch", "UpdateItem", 66, 2);
    put_throttle(sink, 1, "TableWriteKeyRangeThroughputExceeded", "shop", "PutItem", 66, 8);
}

static void put_callers(const struct ddbsim_sink *sink) {
    ROW(sink, WORKLOAD_SECOND, STR("batch"), INT(66), INT(1), INT(10), INT(12), INT(10), INT(0),
        INT(2), INT(2), INT(0), INT(0), NIL, NIL, NIL, NIL, INT(0));
    ROW(sink, WORKLOAD_SECOND, STR("shop"), INT(10), INT(1), INT(50), INT(50), INT(50), INT(0),
        INT(0), INT(0), INT(0), INT(0), NIL, NIL, NIL, NIL, INT(0));
    ROW(sink, WORKLOAD_SECOND, STR("shop"), INT(66), INT(1), INT(50), INT(88), INT(46), INT(4),
        INT(38), INT(38), INT(0), INT(3), NIL, NIL, NIL, NIL, INT(0));
    ROW(sink, WORKLOAD_TOTAL, STR("batch"), STR("carts"), STR("UpdateItem"), INT(10), INT(12),
        INT(10), INT(0), INT(2), INT(2), NUM(20), NUM(0));
    ROW(sink, WORKLOAD_TOTAL, STR("shop"), STR("carts"), STR("GetItem"), INT(30), INT(30), INT(30),
        INT(0), INT(0), INT(0), NUM(15), NUM(0));
    ROW(sink, WORKLOAD_TOTAL, STR("shop"), STR("carts"), STR("PutItem"), INT(60), INT(98), INT(56),
        INT(4), INT(38), INT(38), NUM(600), NUM(0));
    ROW(sink, WORKLOAD_TOTAL, STR("shop"), STR("orders"), STR("PutItem"), INT(10), INT(10), INT(10),
        INT(0), INT(0), INT(0), NUM(7), NUM(0));
}

static void put_latency(const struct ddbsim_sink *sink, const char *workload, const char *operation,
                        const char *outcome, const char *kind, int64_t t_s, int64_t value_us,
                        int64_t count) {
    uint32_t bucket = hist_bucket((uint64_t)value_us);
    ROW(sink, LATENCY, STR(workload), STR("carts"), STR(operation), STR(outcome), STR(kind),
        INT(t_s), INT(60), INT((int64_t)hist_low(bucket)), INT((int64_t)hist_high(bucket)),
        INT(count));
}

static void put_latencies(const struct ddbsim_sink *sink) {
    put_latency(sink, "shop", "PutItem", "success", "service", 0, 4000, 30);
    put_latency(sink, "shop", "PutItem", "success", "service", 60, 4000, 20);
    put_latency(sink, "shop", "PutItem", "success", "service", 60, 9000, 50);
    put_latency(sink, "batch", "UpdateItem", "success", "service", 60, 20000, 10);
    put_latency(sink, "shop", "PutItem", "throttled", "service", 60, 900, 38);
    put_latency(sink, "shop", "PutItem", "success", "caller", 60, 50000, 46);
    put_latency(sink, "shop", "PutItem", "failed", "caller", 60, 90000, 4);
}

static void put_alarm(const struct ddbsim_sink *sink, int64_t id, int64_t t_s, const char *name,
                      const char *from, const char *to) {
    char detail[160];
    snprintf(detail, sizeof detail, "{\"alarm\":\"%s\",\"from\":\"%s\",\"to\":\"%s\"}", name, from,
             to);
    ROW(sink, EVENT, INT(id), INT(t_s * NS_PER_S), STR("alarm"), INT(2), NIL, STR(detail));
}

static void put_events(const struct ddbsim_sink *sink) {
    ROW(sink, EVENT, INT(1), INT(5 * NS_PER_S), STR("change"), NIL, NIL, STR("{}"));
    ROW(sink, EVENT, INT(2), INT(65 * NS_PER_S + NS_PER_S / 4), STR("throttling_started"), INT(2),
        NIL, STR("{}"));
    ROW(sink, EVENT, INT(3), INT(66 * NS_PER_S), STR("throttling_started"), INT(1), NIL, STR("{}"));
    put_alarm(sink, 4, 70, "high \\\"1\\\"", "OK", "ALARM");
    put_alarm(sink, 5, 130, "high \\\"1\\\"", "ALARM", "OK");
    put_alarm(sink, 6, 190, "high \\\"1\\\"", "INSUFFICIENT_DATA", "ALARM");
    put_alarm(sink, 7, 60, "high", "OK", "ALARM");
    ROW(sink, EVENT, INT(8), INT(50 * NS_PER_S), STR("alarm"), INT(2), NIL, STR("no JSON"));
}

static void put_second(const struct ddbsim_sink *sink, int64_t resource, int64_t t_s,
                       double write_units, int64_t throttled_writes) {
    ROW(sink, SECOND, INT(resource), INT(t_s), INT(1), NUM(0), NUM(write_units), NUM(0),
        NUM(write_units), NIL, NIL, INT(0), INT(throttled_writes), NIL, NIL, NUM(0));
}

static void put_seconds(const struct ddbsim_sink *sink) {
    put_second(sink, 1, 65, 1100, 1);
    put_second(sink, 1, 66, 100, 8);
    put_second(sink, 2, 66, 90, 32);
}

static int open_run(void **state) {
    struct log_writer *writer;
    struct log_run run = rows_run();
    struct ddbsim_sink sink;
    char digest[33];
    if (log_writer_create(NULL, false, &writer, NULL) != DDBSIM_OK) return -1;
    /* A first run, whose rows must not count. */
    log_writer_begin_run(writer, &run, &sink);
    put_resources(&sink);
    put_metric(&sink, 1, "ConsumedWriteCapacityUnits", "", 60, 0, 12345, 1, 1, 12345);
    put_throttle(&sink, 1, "TableReadAccountLimitExceeded", "shop", "GetItem", 1, 1000);
    log_writer_end_run(writer, "complete", 600, digest);
    run.replication = 1;
    log_writer_begin_run(writer, &run, &sink);
    put_resources(&sink);
    put_metrics(&sink);
    put_throttles(&sink);
    put_callers(&sink);
    put_latencies(&sink);
    put_events(&sink);
    put_seconds(&sink);
    ROW(&sink, OUTCOME, STR("throttled_ratio"), STR(""), NUM(0.25), STR("share"));
    ROW(&sink, OUTCOME, STR("caller_p99"), STR(""), NIL, STR("ms"));
    log_writer_end_run(writer, "complete", 600, digest);
    *state = writer;
    return log_writer_finish(writer, NULL) == DDBSIM_OK ? 0 : -1;
}

static int close_run(void **state) {
    log_writer_abandon(*state);
    return 0;
}

static int no_cause(sqlite3 *database, int64_t run_id, struct ddbsim_error *error) {
    (void)error;
    (void)database;
    return run_id == 2 ? DDBSIM_CAUSE_INDEX_CAPACITY : -1;
}

/* What a condition observes; its range is open to both sides. */
static double observed(void **state, struct ddbsim_condition condition) {
    struct ddbsim_error error = {0};
    double value;
    bool passed;
    condition.low = -INFINITY;
    condition.high = INFINITY;
    if (study_judge(log_writer_database(*state), 2, &condition, no_cause, &value, &passed,
                    &error) != DDBSIM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(passed, !isnan(value));
    return value;
}

static void check_value(void **state, struct ddbsim_condition condition, double expected,
                        int line) {
    double value = observed(state, condition);
    bool equal = isnan(expected) ? isnan(value) : fabs(value - expected) <= 1e-9 * fabs(expected);
    if (!equal) fail_msg("line %d: %.12g, not %.12g", line, value, expected);
}

#define ALWAYS .from_ns = DDBSIM_NO_TIME, .to_ns = DDBSIM_NO_TIME
#define SECONDS(from, to) .from_ns = (from)*NS_PER_S, .to_ns = (to)*NS_PER_S
#define OUTCOME_IS(expected, which, ...)                                    \
    check_value(state,                                                      \
                (struct ddbsim_condition){.kind = DDBSIM_CONDITION_METRIC,  \
                                          .number = DDBSIM_OUTCOME_##which, \
                                          __VA_ARGS__},                     \
                expected, __LINE__)
#define METRIC_IS(expected, which, ...)                                                           \
    check_value(state,                                                                            \
                (struct ddbsim_condition){.kind = DDBSIM_CONDITION_METRIC,                        \
                                          .number = DDBSIM_OUTCOME_KINDS + DDBSIM_METRIC_##which, \
                                          __VA_ARGS__},                                           \
                expected, __LINE__)
#define KIND_IS(expected, which, what, ...)                                           \
    check_value(state,                                                                \
                (struct ddbsim_condition){                                            \
                    .kind = DDBSIM_CONDITION_##which, .number = (what), __VA_ARGS__}, \
                expected, __LINE__)

static void outcomes_stand_in_their_table(void **state) {
    OUTCOME_IS(0.25, THROTTLED_RATIO, ALWAYS);
    OUTCOME_IS(NAN, CALLER_P99, ALWAYS); /* stored as NULL: there was nothing to measure */
    OUTCOME_IS(110, REQUESTS, ALWAYS);   /* not stored: from the totals */
}

static void outcomes_by_caller(void **state) {
    OUTCOME_IS(100, REQUESTS, ALWAYS, .workload = "shop");
    OUTCOME_IS(10, REQUESTS, ALWAYS, .table = "orders");
    OUTCOME_IS(70, REQUESTS, ALWAYS, .operation = "PutItem");
    OUTCOME_IS(98, ATTEMPTS, ALWAYS, .workload = "shop", .table = "carts", .operation = "PutItem");
    OUTCOME_IS(4, FAILED, ALWAYS, .workload = "shop");
    OUTCOME_IS(96, SUCCEEDED, ALWAYS, .workload = "shop");
    OUTCOME_IS(2, RETRIES, ALWAYS, .workload = "batch");
    OUTCOME_IS(38.0 / 138, THROTTLED_RATIO, ALWAYS, .workload = "shop");
    OUTCOME_IS(0.04, FAILED_RATIO, ALWAYS, .workload = "shop");
    OUTCOME_IS(1.38, AMPLIFICATION, ALWAYS, .workload = "shop");
    OUTCOME_IS(0, REQUESTS, ALWAYS, .workload = "nobody");
    OUTCOME_IS(NAN, THROTTLED_RATIO, ALWAYS, .workload = "nobody");
    OUTCOME_IS(110.0 / 600, REQUESTS, ALWAYS, .statistic = DDBSIM_PER_SECOND);
    OUTCOME_IS(0.25, THROTTLED_RATIO, ALWAYS,
               .statistic = DDBSIM_PER_SECOND); /* no sum: as it is */
}

static void outcomes_in_a_window(void **state) {
    OUTCOME_IS(60, REQUESTS, SECONDS(60, 120));
    OUTCOME_IS(50, REQUESTS, SECONDS(60, 120), .workload = "shop");
    OUTCOME_IS(0, REQUESTS, SECONDS(67, 120));
    OUTCOME_IS(60, REQUESTS, SECONDS(66, 67)); /* the window holds its begin and not its end */
    OUTCOME_IS(0, REQUESTS, SECONDS(65, 66));
    OUTCOME_IS(0, REQUESTS, .from_ns = 66 * NS_PER_S + 1, .to_ns = DDBSIM_NO_TIME);
    OUTCOME_IS(60, REQUESTS, .from_ns = 65 * NS_PER_S + 1, .to_ns = DDBSIM_NO_TIME);
    OUTCOME_IS(40.0 / 100, THROTTLED_RATIO, SECONDS(60, 120));
    OUTCOME_IS(50.0 / 60, REQUESTS, SECONDS(0, 60), .statistic = DDBSIM_PER_SECOND);
    OUTCOME_IS(3, RETRIES_REFUSED, SECONDS(60, 120), .workload = "shop");
    OUTCOME_IS(3, RETRIES_REFUSED, ALWAYS, .workload = "shop");
    OUTCOME_IS(NAN, RETRIES_REFUSED, ALWAYS, .table = "carts"); /* no row says of which table */
}

/* By table and window at once only the histograms tell. */
static void outcomes_by_table_in_a_window(void **state) {
    OUTCOME_IS(50, REQUESTS, SECONDS(60, 120), .table = "carts");
    OUTCOME_IS(118, ATTEMPTS, SECONDS(60, 120), .table = "carts");
    OUTCOME_IS(108, ATTEMPTS, SECONDS(60, 120), .operation = "PutItem");
    OUTCOME_IS(38, THROTTLED_ATTEMPTS, SECONDS(60, 120), .operation = "PutItem");
    OUTCOME_IS(46, SUCCEEDED, SECONDS(60, 120), .table = "carts", .workload = "shop");
    OUTCOME_IS(4, FAILED, SECONDS(60, 120), .table = "carts");
    OUTCOME_IS(0, ATTEMPTS, SECONDS(60, 120), .table = "orders");
}

static void refusals_by_what_refused(void **state) {
    OUTCOME_IS(32, THROTTLED_ATTEMPTS, ALWAYS, .table = "carts", .index = "by-day");
    OUTCOME_IS(8, THROTTLED_ATTEMPTS, ALWAYS, .reason = "TableWriteKeyRangeThroughputExceeded");
    OUTCOME_IS(22, THROTTLED_ATTEMPTS, SECONDS(66, 67), .index = "by-day");
    OUTCOME_IS(8.0 / 150, THROTTLED_RATIO, ALWAYS,
               .reason = "TableWriteKeyRangeThroughputExceeded");
    OUTCOME_IS(NAN, REQUESTS, ALWAYS, .index = "by-day"); /* a request is of no index */
}

static void units(void **state) {
    OUTCOME_IS(600 + 1200 + 90 + 7, WRITE_UNITS, ALWAYS);
    OUTCOME_IS(1890, WRITE_UNITS, ALWAYS,
               .table = "carts"); /* with its index: a tag only restricts */
    OUTCOME_IS(90, WRITE_UNITS, ALWAYS, .index = "by-day");
    OUTCOME_IS(607, WRITE_UNITS, SECONDS(0, 60));
    OUTCOME_IS(15, READ_UNITS, ALWAYS, .workload = "shop");
    OUTCOME_IS(607, WRITE_UNITS, ALWAYS, .workload = "shop");
    OUTCOME_IS(20, WRITE_UNITS, ALWAYS, .operation = "UpdateItem");
    OUTCOME_IS(NAN, WRITE_UNITS, SECONDS(0, 60), .workload = "shop");
}

static void cloudwatch_statistics(void **state) {
    METRIC_IS(1800, CONSUMED_WRITE, ALWAYS, .table = "carts"); /* the table's own: no index */
    METRIC_IS(90, CONSUMED_WRITE, ALWAYS, .table = "carts", .index = "by-day");
    METRIC_IS(1807, CONSUMED_WRITE, ALWAYS); /* all tables */
    METRIC_IS(15, CONSUMED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_AVERAGE);
    METRIC_IS(5, CONSUMED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_MINIMUM);
    METRIC_IS(30, CONSUMED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_MAXIMUM);
    METRIC_IS(120, CONSUMED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_SAMPLE_COUNT);
    METRIC_IS(3, CONSUMED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_PER_SECOND);
    METRIC_IS(20, CONSUMED_WRITE, SECONDS(60, 120), .table = "carts",
              .statistic = DDBSIM_PER_SECOND);
    METRIC_IS(1200, CONSUMED_WRITE, SECONDS(60, 120), .table = "carts");
    METRIC_IS(60, PROVISIONED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_AVERAGE);
    METRIC_IS(80, PROVISIONED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_MAXIMUM);
    METRIC_IS(NAN, CONSUMED_WRITE, ALWAYS, .table = "carts", .statistic = DDBSIM_P99);
}

/* A window that cuts a minute is summed by the second; what is no sum keeps its minutes. */
static void cloudwatch_in_part_of_a_minute(void **state) {
    METRIC_IS(100, CONSUMED_WRITE, SECONDS(66, 120), .table = "carts");
    METRIC_IS(100.0 / 54, CONSUMED_WRITE, SECONDS(66, 120), .table = "carts",
              .statistic = DDBSIM_PER_SECOND);
    METRIC_IS(1200, CONSUMED_WRITE, SECONDS(60, 67), .table = "carts");
    METRIC_IS(90, CONSUMED_WRITE, SECONDS(66, 67), .index = "by-day");
    METRIC_IS(32, WRITE_THROTTLE_EVENTS, SECONDS(66, 67), .index = "by-day");
    METRIC_IS(21 + 3, WRITE_PROVISIONED_EVENTS, SECONDS(66, 67), .index = "by-day");
    METRIC_IS(9, WRITE_KEY_RANGE_EVENTS, SECONDS(66, 67), .table = "carts");
    METRIC_IS(0, WRITE_PROVISIONED_EVENTS, SECONDS(66, 67), .table = "carts");
    METRIC_IS(30, THROTTLED_REQUESTS, SECONDS(66, 70), .table = "carts");
    METRIC_IS(0, THROTTLED_REQUESTS, SECONDS(66, 70), .index = "by-day"); /* of tables alone */
    METRIC_IS(30, CONSUMED_WRITE, SECONDS(60, 119), .table = "carts", .statistic = DDBSIM_MAXIMUM);
    METRIC_IS(0, CONSUMED_WRITE, SECONDS(67, 119), .table = "carts");
}

static void cloudwatch_by_operation(void **state) {
    METRIC_IS(42, THROTTLED_REQUESTS, ALWAYS, .table = "carts");
    METRIC_IS(2, THROTTLED_REQUESTS, ALWAYS, .table = "carts", .operation = "UpdateItem");
    METRIC_IS(30 + 8, THROTTLED_REQUESTS, ALWAYS, .workload = "shop");
    METRIC_IS(2, THROTTLED_REQUESTS, ALWAYS, .workload = "batch", .operation = "UpdateItem");
    METRIC_IS(NAN, CONSUMED_WRITE, ALWAYS, .workload = "shop"); /* CloudWatch knows no workloads */
}

static void silence(void **state) {
    METRIC_IS(0, THROTTLED_REQUESTS, SECONDS(0, 60), .table = "carts");
    METRIC_IS(0, READ_THROTTLE_EVENTS, ALWAYS, .table = "carts");
    METRIC_IS(0, READ_THROTTLE_EVENTS, ALWAYS, .statistic = DDBSIM_PER_SECOND);
    METRIC_IS(0, READ_THROTTLE_EVENTS, ALWAYS, .statistic = DDBSIM_SAMPLE_COUNT);
    METRIC_IS(NAN, READ_THROTTLE_EVENTS, ALWAYS, .statistic = DDBSIM_AVERAGE);
    METRIC_IS(NAN, READ_THROTTLE_EVENTS, ALWAYS, .statistic = DDBSIM_MAXIMUM);
    METRIC_IS(NAN, PROVISIONED_READ, ALWAYS, .table = "carts");
    METRIC_IS(NAN, SUCCESSFUL_LATENCY, SECONDS(300, 360), .table = "carts");
    METRIC_IS(NAN, THROTTLED_REQUESTS, ALWAYS, .table = "no such table");
}

/* The judge's percentiles are those of one histogram that saw everything. */
static void percentiles_merge(void **state) {
    struct hist hist;
    hist_clear(&hist);
    for (int i = 0; i < 50; i++) {
        hist_add(&hist, 4000);
        hist_add(&hist, 9000);
    }
    METRIC_IS(hist_quantile(&hist, 0.50) / 1e3, SUCCESSFUL_LATENCY, ALWAYS, .table = "carts",
              .operation = "PutItem", .statistic = DDBSIM_P50);
    METRIC_IS(hist_quantile(&hist, 0.90) / 1e3, SUCCESSFUL_LATENCY, ALWAYS, .workload = "shop",
              .statistic = DDBSIM_P90);
    for (int i = 0; i < 10; i++)
        hist_add(&hist, 20000);
    OUTCOME_IS(hist_quantile(&hist, 0.99) / 1e3, LATENCY_P99, ALWAYS);
    OUTCOME_IS(hist_quantile(&hist, 0.50) / 1e3, LATENCY_P50, ALWAYS, .table = "carts");
    METRIC_IS(5, SUCCESSFUL_LATENCY, ALWAYS, .statistic = DDBSIM_AVERAGE);
    METRIC_IS(NAN, SUCCESSFUL_LATENCY, SECONDS(120, 180), .statistic = DDBSIM_P50);
    hist_clear(&hist);
    for (int i = 0; i < 46; i++)
        hist_add(&hist, 50000);
    OUTCOME_IS(hist_quantile(&hist, 0.50) / 1e3, CALLER_P50,
               ALWAYS); /* the four failed are left out */
    hist_clear(&hist);
    for (int i = 0; i < 30; i++)
        hist_add(&hist, 4000);
    OUTCOME_IS(hist_quantile(&hist, 0.99) / 1e3, LATENCY_P99, SECONDS(0, 60));
}

static void reasons_share_the_refusals(void **state) {
    const int index = DDBSIM_INDEX_WRITE_PROVISIONED, range = DDBSIM_TABLE_WRITE_KEY_RANGE;
    KIND_IS(32.0 / 40, REASON, index, ALWAYS);
    KIND_IS(8.0 / 40, REASON, range, ALWAYS, .table = "carts");
    KIND_IS(30.0 / 38, REASON, index, ALWAYS, .workload = "shop");
    KIND_IS(1, REASON, index, ALWAYS, .operation = "UpdateItem");
    KIND_IS(1, REASON, index, ALWAYS, .index = "by-day");
    KIND_IS(1, REASON, index, SECONDS(65, 66));
    KIND_IS(0, REASON, DDBSIM_TABLE_READ_ACCOUNT, ALWAYS);
    KIND_IS(NAN, REASON, index, SECONDS(67, 600)); /* nothing was refused: nobody has a share */
    KIND_IS(NAN, REASON, index, ALWAYS, .table = "orders");
}

static void events(void **state) {
    const int started = DDBSIM_EVENT_THROTTLING_STARTED;
    KIND_IS(65.25, EVENT_FIRST, started, ALWAYS);
    KIND_IS(66, EVENT_FIRST, started, .from_ns = 65 * NS_PER_S + NS_PER_S / 4 + 1,
            .to_ns = DDBSIM_NO_TIME);
    KIND_IS(65.25, EVENT_FIRST, started, ALWAYS, .table = "carts", .index = "by-day");
    KIND_IS(NAN, EVENT_FIRST, started, ALWAYS, .table = "orders");
    KIND_IS(NAN, EVENT_FIRST, DDBSIM_EVENT_BURST_EMPTY, ALWAYS);
    KIND_IS(2, EVENT_COUNT, started, ALWAYS);
    KIND_IS(0, EVENT_COUNT, started, SECONDS(0, 65));
    KIND_IS(0, EVENT_COUNT, DDBSIM_EVENT_BURST_EMPTY, ALWAYS);
    KIND_IS(1, EVENT_COUNT, DDBSIM_EVENT_CHANGE, ALWAYS); /* of no resource */
    KIND_IS(0, EVENT_COUNT, DDBSIM_EVENT_CHANGE, ALWAYS, .table = "carts");
    KIND_IS(NAN, EVENT_COUNT, started, ALWAYS, .workload = "shop");
}

/* Going to ALARM counts, going back does not; a name is what it means, not how JSON spells it. */
static void alarms(void **state) {
    const int alarm = DDBSIM_EVENT_ALARM;
    KIND_IS(70, ALARM_FIRST, alarm, ALWAYS, .alarm = "high \"1\"");
    KIND_IS(2, ALARM_COUNT, alarm, ALWAYS, .alarm = "high \"1\"");
    KIND_IS(190, ALARM_FIRST, alarm, SECONDS(71, 600), .alarm = "high \"1\"");
    KIND_IS(1, ALARM_COUNT, alarm, ALWAYS, .alarm = "high", .table = "carts");
    KIND_IS(0, ALARM_COUNT, alarm, ALWAYS, .alarm = "high", .table = "orders");
    KIND_IS(0, ALARM_COUNT, alarm, ALWAYS, .alarm = "hig");
    KIND_IS(NAN, ALARM_FIRST, alarm, ALWAYS, .alarm = "low");
    KIND_IS(5, EVENT_COUNT, alarm, ALWAYS); /* every change of state */
}

/* ---- the range ---- */

static bool passes(void **state, double low, bool low_open, double high, bool high_open) {
    struct ddbsim_condition condition = {.kind = DDBSIM_CONDITION_METRIC,
                                         .number = DDBSIM_OUTCOME_THROTTLED_RATIO,
                                         ALWAYS,
                                         .low = low,
                                         .high = high,
                                         .low_open = low_open,
                                         .high_open = high_open};
    double value;
    bool passed;
    assert_int_equal(
        study_judge(log_writer_database(*state), 2, &condition, NULL, &value, &passed, NULL),
        DDBSIM_OK);
    assert_true(value == 0.25);
    return passed;
}

static void ranges_have_ends(void **state) {
    assert_true(passes(state, 0.25, false, 0.25, false));
    assert_true(passes(state, 0, false, 0.26, true));
    assert_false(passes(state, 0.25, true, 1, false));
    assert_false(passes(state, 0, false, 0.25, true));
    assert_false(passes(state, 0, false, 0.2499, false));
    assert_false(passes(state, 0.2501, false, INFINITY, false));
}

static bool cause_is(void **state, int64_t run_id, int cause, enum ddbsim_status expected) {
    struct ddbsim_condition condition = {.kind = DDBSIM_CONDITION_CAUSE, .number = cause, ALWAYS};
    struct ddbsim_error error = {0};
    double value;
    bool passed;
    assert_int_equal(study_judge(log_writer_database(*state), run_id, &condition, no_cause, &value,
                                 &passed, &error),
                     expected);
    assert_int_equal(error.status, expected);
    if (expected == DDBSIM_OK)
        assert_true(value == DDBSIM_CAUSE_INDEX_CAPACITY);
    else
        assert_true(isnan(value));
    return passed;
}

static void causes_come_from_the_diagnosis(void **state) {
    assert_true(cause_is(state, 2, DDBSIM_CAUSE_INDEX_CAPACITY, DDBSIM_OK));
    assert_false(cause_is(state, 2, DDBSIM_CAUSE_NONE, DDBSIM_OK));
    assert_false(cause_is(state, 1, DDBSIM_CAUSE_INDEX_CAPACITY, DDBSIM_ENVIRONMENT));
}

static void a_database_without_tables_is_an_error(void **state) {
    (void)state;
    sqlite3 *database;
    struct ddbsim_condition condition = {.kind = DDBSIM_CONDITION_METRIC, ALWAYS};
    struct ddbsim_error error = {0};
    double value;
    bool passed;
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    assert_int_equal(study_judge(database, 1, &condition, NULL, &value, &passed, &error),
                     DDBSIM_ENVIRONMENT);
    assert_true(isnan(value) && !passed && error.message[0]);
    sqlite3_close(database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outcomes_stand_in_their_table),
        cmocka_unit_test(outcomes_by_caller),
        cmocka_unit_test(outcomes_in_a_window),
        cmocka_unit_test(outcomes_by_table_in_a_window),
        cmocka_unit_test(refusals_by_what_refused),
        cmocka_unit_test(units),
        cmocka_unit_test(cloudwatch_statistics),
        cmocka_unit_test(cloudwatch_in_part_of_a_minute),
        cmocka_unit_test(cloudwatch_by_operation),
        cmocka_unit_test(silence),
        cmocka_unit_test(percentiles_merge),
        cmocka_unit_test(reasons_share_the_refusals),
        cmocka_unit_test(events),
        cmocka_unit_test(alarms),
        cmocka_unit_test(ranges_have_ends),
        cmocka_unit_test(causes_come_from_the_diagnosis),
        cmocka_unit_test(a_database_without_tables_is_an_error),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
