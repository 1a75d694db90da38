/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conservation: what one log table says must agree with what another says of the same run, whatever the
 * scenario. Requests end in success or failure, units are counted once, key ranges tile the space,
 * buckets owe at most one request.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <support/run_rows.h>

/* Columns of the log tables, without run_id (docs/log.md). */
enum {
    SECOND_RESOURCE,
    SECOND_T,
    SECOND_PERIOD,
    SECOND_READ,
    SECOND_WRITE,
    SECOND_READ_DEMAND,
    SECOND_WRITE_DEMAND,
    SECOND_READ_LIMIT,
    SECOND_WRITE_LIMIT,
    SECOND_THROTTLED_READS,
    SECOND_THROTTLED_WRITES,
    SECOND_READ_TOKENS,
    SECOND_WRITE_TOKENS,
    SECOND_BACKLOG
};
enum {
    METRIC_RESOURCE,
    METRIC_NAME,
    METRIC_OPERATION,
    METRIC_DIMENSION,
    METRIC_PERIOD,
    METRIC_T,
    METRIC_SUM,
    METRIC_COUNT
};
enum { THROTTLE_EVENTS = 6, THROTTLE_FIRST = 7 };
enum {
    WORKLOAD_REQUESTS = 3,
    WORKLOAD_ATTEMPTS,
    WORKLOAD_SUCCEEDED,
    WORKLOAD_FAILED,
    WORKLOAD_RETRIES,
    WORKLOAD_THROTTLED,
    WORKLOAD_IN_FLIGHT
};
enum { PARTITION_ID, PARTITION_RESOURCE, PARTITION_PARENT, PARTITION_LOW, PARTITION_HIGH };
enum { SAMPLE_READ = 3, SAMPLE_WRITE };

static const char scenario_text[] =
    "version: 1\n"
    "name: conservation\n"
    "start: 2026-01-01T00:00:17+00:00\n" /* no whole minute: the first one is partial */
    "duration: 20m\n"
    "values:\n"
    "  customer: {count: 3000, distribution: zipfian, theta: 0.9}\n"
    "  state: {list: {open: 70%, paid: 20%, gone: 10%}}\n"
    "tables:\n"
    "  - name: orders\n"
    "    read_capacity: 15\n"
    "    write_capacity: 70\n"
    "    burst: {initial: 1%}\n"
    "    partitions: 3\n"
    "    entities:\n"
    "      - {name: order, partition_key: \"C#{customer}\", sort_key: \"O#{n}\", count: 3000, "
    "size: 2 KB}\n"
    "      - {name: note, partition_key: \"C#{customer}\", sort_key: \"N#{time}\", count: 0, size: "
    "300 B}\n"
    "    indexes:\n"
    "      - {name: by-state, partition_key: \"S#{state}\", sort_key: \"{time}\", projection: ALL, "
    "read_capacity: 1,\n"
    "         write_capacity: 40, burst: {initial: 2%}, backpressure: textbook, entries: {order: "
    "{present: 80%}}}\n"
    "workloads:\n"
    "  - name: shop\n"
    "    table: orders\n"
    "    start_rate: 5/s\n"
    "    stages: [{duration: 10m, target: 60/s}, {duration: 5m, target: 60/s}, {duration: 2m, "
    "target: 5/s}]\n"
    "    mix:\n"
    "      - {operation: UpdateItem, entity: order, weight: 50, index_effect: {by-state: {move: "
    "40%, untouched: 30%}}}\n"
    "      - {operation: GetItem, entity: order, weight: 30, consistent_read: true}\n"
    "      - {operation: PutItem, entity: note, weight: 15}\n"
    "      - {operation: DeleteItem, entity: order, weight: 5}\n"
    "    client: {preset: boto3-standard, processes: 20}\n"
    "  - name: checkout\n"
    "    table: orders\n"
    "    rate: 3/s\n"
    "    sequence:\n"
    "      - {operation: GetItem, entity: order, consistent_read: true}\n"
    "      - {operation: PutItem, entity: note, times: 2, probability: 90%}\n"
    "    client: {preset: full-jitter}\n"
    "changes:\n"
    "  - {at: +14m, set: {tables.orders.write_capacity: 120}}\n";

/* What a scenario of batches has beside that, in place of its changes. */
static const char batches_text[] =
    "  - name: loader\n"
    "    table: orders\n"
    "    vus: 3\n"
    "    think_time: 2s\n"
    "    mix:\n"
    "      - {operation: BatchWriteItem, entity: note, batch_size: 25}\n"
    "      - {name: orders, operation: BatchWriteItem, entity: order, batch_size: 9, index_effect: "
    "{by-state: "
    "{untouched: 20%}}}\n"
    "    client: {max_attempts: 4, backoff: {throttling_base: 50ms, max_backoff: 1s}, "
    "batch_unprocessed: {strategy: exponential, base: 50ms, cap: 1s, max_retries: 5}}\n"
    "  - name: reader\n"
    "    table: orders\n"
    "    rate: 1/s\n"
    "    sequence: [{operation: BatchGetItem, entity: order, batch_size: 30, consistent_read: "
    "true}, {operation: BatchWriteItem, entity: note, batch_size: 2}]\n"
    "  - name: writer\n"
    "    table: orders\n"
    "    rate: 1/s\n"
    "    mix: [{operation: BatchWriteItem, entity: order, batch_size: 20}]\n"
    "    client: {batch_unprocessed: {strategy: top_up}}\n";

static void assert_same(double a, double b, const char *what) {
    double scale = a > b ? a : b;
    double difference = a > b ? a - b : b - a;
    if (difference > 1e-9 * (scale > 1 ? scale : 1)) fail_msg("%s: %.9f and %.9f", what, a, b);
}

static void check_requests(const struct rows *rows) {
    const struct ddbsim_totals *t = &rows->totals;
    double in_flight = 0;
    for (size_t r = 0; r < rows->count; r++) /* the last row of each workload holds */
        if (rows->rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND &&
            row_number(&rows->rows[r], 1) == 1199)
            in_flight += row_number(&rows->rows[r], WORKLOAD_IN_FLIGHT);
    assert_true(t->throttled_attempts > 1000 && t->failed > 10 && t->retries > 100);
    assert_true((double)(t->requests - t->succeeded - t->failed) <= in_flight);
    assert_int_equal(t->attempts, t->requests + t->retries);
    assert_same((double)t->requests,
                rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_REQUESTS, 0, NULL), "requests");
    assert_same((double)t->attempts, rows_sum(rows, DDBSIM_LOG_WORKLOAD_TOTAL, 4, 0, NULL),
                "attempts");
    assert_same((double)t->throttled_attempts,
                rows_sum(rows, DDBSIM_LOG_THROTTLE, THROTTLE_FIRST, 0, NULL), "first reasons");
    assert_same((double)t->throttled_attempts,
                rows_sum(rows, DDBSIM_LOG_METRIC, METRIC_SUM, METRIC_NAME, "ThrottledRequests"),
                "ThrottledRequests");
}

static void check_units(const struct rows *rows) {
    assert_same(
        rows_sum(rows, DDBSIM_LOG_SECOND, SECOND_WRITE, 0, NULL),
        rows_sum(rows, DDBSIM_LOG_METRIC, METRIC_SUM, METRIC_NAME, "ConsumedWriteCapacityUnits"),
        "write units by second and by minute");
    assert_same(rows_sum(rows, DDBSIM_LOG_SECOND, SECOND_READ, 0, NULL),
                rows_sum(rows, DDBSIM_LOG_PARTITION_SAMPLE, SAMPLE_READ, 0, NULL),
                "read units by second and by partition");
    double events =
        rows_sum(rows, DDBSIM_LOG_METRIC, METRIC_SUM, METRIC_NAME, "WriteThrottleEvents") +
        rows_sum(rows, DDBSIM_LOG_METRIC, METRIC_SUM, METRIC_NAME, "ReadThrottleEvents");
    assert_same(events, rows_sum(rows, DDBSIM_LOG_THROTTLE, THROTTLE_EVENTS, 0, NULL), "events");
    assert_same(events,
                rows_sum(rows, DDBSIM_LOG_SECOND, SECOND_THROTTLED_READS, 0, NULL) +
                    rows_sum(rows, DDBSIM_LOG_SECOND, SECOND_THROTTLED_WRITES, 0, NULL),
                "events by second");
}

/* Members are sent, and some refused; those are events, and no more attempts than batches of them alone. */
static void check_members(const struct rows *rows) {
    const struct ddbsim_totals *t = &rows->totals;
    assert_true(t->members > 10000 && t->throttled_members > 1000 && t->lost_members > 100);
    assert_same((double)t->members, rows_sum(rows, DDBSIM_LOG_BATCH_SECOND, 5, 0, NULL), "members");
    assert_same((double)t->throttled_members, rows_sum(rows, DDBSIM_LOG_BATCH_SECOND, 6, 0, NULL),
                "throttled members");
    assert_same((double)t->lost_members, rows_sum(rows, DDBSIM_LOG_BATCH_SECOND, 7, 0, NULL),
                "lost members");
    double events = rows_sum(rows, DDBSIM_LOG_THROTTLE, THROTTLE_EVENTS, 3, "BatchWriteItem") +
                    rows_sum(rows, DDBSIM_LOG_THROTTLE, THROTTLE_EVENTS, 3, "BatchGetItem");
    assert_true(events >= (double)t->throttled_members);
    /* Of a read, whose items have one size, the units tell how many members were served. */
    double reads = rows_sum(rows, DDBSIM_LOG_BATCH_SECOND, 5, 2, "BatchGetItem") -
                   rows_sum(rows, DDBSIM_LOG_BATCH_SECOND, 6, 2, "BatchGetItem");
    assert_same(reads, rows_sum(rows, DDBSIM_LOG_WORKLOAD_TOTAL, 9, 2, "BatchGetItem"),
                "units of members that were read");
}

/* An index may owe one index write, a table one item. */
static void check_debt(const struct rows *rows) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_SECOND) continue;
        assert_true(row_number(row, SECOND_WRITE_TOKENS) >= -2);
        assert_true(row_number(row, SECOND_READ_TOKENS) >= -1);
        assert_true(row_number(row, SECOND_BACKLOG) >= 0);
        assert_true(row_number(row, SECOND_WRITE) <= row_number(row, SECOND_WRITE_DEMAND) + 200);
    }
}

static void check_tiling(const struct rows *rows) {
    const char *last_high = NULL;
    double resource = -1;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_PARTITION) continue;
        if (row_number(row, PARTITION_RESOURCE) != resource) {
            if (last_high) assert_string_equal(last_high, "ffffffffffffffffffffffffffffffff");
            assert_string_equal(row_text(row, PARTITION_LOW), "00000000000000000000000000000000");
            resource = row_number(row, PARTITION_RESOURCE);
        } else {
            /* Equal slices: the low sort positions are 0, the highs end in f. */
            assert_true(strcmp(last_high, row_text(row, PARTITION_LOW)) < 0);
            assert_int_equal(strtoull(last_high + 16, NULL, 16), UINT64_MAX);
            char high_hash[17] = {0};
            memcpy(high_hash, last_high, 16);
            char low_hash[17] = {0};
            memcpy(low_hash, row_text(row, PARTITION_LOW), 16);
            assert_true(strtoull(high_hash, NULL, 16) + 1 == strtoull(low_hash, NULL, 16));
        }
        last_high = row_text(row, PARTITION_HIGH);
    }
    assert_non_null(last_high);
}

static void conservation(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct rows rows = rows_run(scenario_text, seed);
        check_requests(&rows);
        check_units(&rows);
        check_debt(&rows);
        check_tiling(&rows);
        rows_free(&rows);
    }
}

static void m63_conservation_of_batches(void **state) {
    (void)state;
    char text[8192];
    const char *changes = strstr(scenario_text, "changes:\n");
    assert_non_null(changes);
    int length = snprintf(text, sizeof text, "%.*s%s%s", (int)(changes - scenario_text),
                          scenario_text, batches_text, changes);
    assert_true(length > 0 && (size_t)length < sizeof text);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct rows rows = rows_run(text, seed);
        check_requests(&rows);
        check_units(&rows);
        check_members(&rows);
        check_debt(&rows);
        check_tiling(&rows);
        rows_free(&rows);
    }
}

/* M-61: minutes follow the wall clock; the one that holds the start begins before it. */
static void m61_minutes(void **state) {
    (void)state;
    struct rows rows = rows_run(scenario_text, 1);
    bool negative = false;
    for (size_t r = 0; r < rows.count; r++) {
        if (rows.rows[r].table != DDBSIM_LOG_METRIC) continue;
        int64_t t = (int64_t)row_number(&rows.rows[r], METRIC_T);
        int64_t period = (int64_t)row_number(&rows.rows[r], METRIC_PERIOD);
        assert_int_equal((t + 17 + 600) % 60, 0);
        assert_true(period == 60 || period == 300);
        negative |= t == -17;
    }
    assert_true(negative);
    rows_free(&rows);
}

/* M-56: the index's entries lie evenly at start, and none is lost on the way. */
static void m56_index_entries(void **state) {
    (void)state;
    struct rows rows =
        rows_run("version: 1\nname: m56\nstart: 2026-01-01T00:00:00+00:00\nduration: 20s\n"
                 "values: {key: {count: 900}, state: {count: 50}}\n"
                 "tables:\n"
                 "  - {name: t, read_capacity: 1, write_capacity: 5000, partitions: 3,\n"
                 "     entities: [{name: e, partition_key: \"K#{key}\", count: 900, size: 2 KB}],\n"
                 "     indexes: [{name: i, partition_key: \"S#{state}\", projection: ALL,\n"
                 "       read_capacity: 1, write_capacity: 5000, partitions: 3}]}\n"
                 "workloads: [{name: w, table: t, rate: 600/s, mix: [{operation: UpdateItem}]}]\n",
                 1);
    int samples = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.rows[r];
        if (row->table != DDBSIM_LOG_PARTITION_SAMPLE || row_number(row, 0) < 4) continue;
        assert_true(row_number(row, 7) == 300); /* items: rewriting moves none */
        assert_true(row_number(row, 8) == 300 * 2048);
        samples++;
    }
    assert_int_equal(samples, 6);
    rows_free(&rows);
}

/* The same seed gives the same rows, another seed others. */
static void same_seed_same_rows(void **state) {
    (void)state;
    struct rows a = rows_run(scenario_text, 5), b = rows_run(scenario_text, 5),
                c = rows_run(scenario_text, 6);
    assert_int_equal(a.count, b.count);
    bool differs = a.count != c.count;
    for (size_t r = 0; r < a.count; r++)
        for (size_t i = 0; i < a.rows[r].count; i++) {
            const struct ddbsim_value *x = &a.rows[r].values[i], *y = &b.rows[r].values[i];
            assert_int_equal(x->type, y->type);
            if (x->type == DDBSIM_VALUE_TEXT)
                assert_string_equal(x->as.text, y->as.text);
            else if (x->type != DDBSIM_VALUE_NULL)
                assert_memory_equal(&x->as, &y->as, sizeof x->as);
            if (!differs && r < c.count && x->type == DDBSIM_VALUE_INTEGER)
                differs = c.rows[r].values[i].as.integer != x->as.integer;
        }
    assert_true(differs);
    rows_free(&a);
    rows_free(&b);
    rows_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation),        cmocka_unit_test(m63_conservation_of_batches),
        cmocka_unit_test(m56_index_entries),   cmocka_unit_test(m61_minutes),
        cmocka_unit_test(same_seed_same_rows),
    };
    return cmocka_run_group_tests_name("conservation", tests, NULL, NULL);
}
