/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Global tables in whole runs (M-87): each Region pays for every write, and one that lacks capacity falls behind. */
#include <support/cmocka.h>
#include <support/run_rows.h>

enum {
    METRIC_RESOURCE,
    METRIC_NAME,
    METRIC_OPERATION,
    METRIC_DIMENSION,
    METRIC_PERIOD,
    METRIC_T,
    METRIC_SUM,
    METRIC_COUNT,
    METRIC_MINIMUM,
    METRIC_MAXIMUM
};

#define GLOBAL(home, ttl, capacity)                                                           \
    "version: 1\nname: global\nstart: 2026-01-01T00:00:00+00:00\nduration: 30m\n"             \
    "values: {c: {count: 2000}}\n"                                                            \
    "tables:\n"                                                                               \
    "  - {name: carts, read_capacity: 20, write_capacity: " capacity                          \
    ", replicas: [us-east-1, ap-south-1], burst: {initial: 0%},\n"                            \
    "     entities: [{name: cart, partition_key: \"C#{c}\", sort_key: \"{n}\", count: 4000, " \
    "size: 1 KB" ttl "}]}\n"                                                                  \
    "workloads:\n"                                                                            \
    "  - {name: ours, table: carts, arrivals: paced, rate: " home                             \
    ", mix: [{operation: PutItem}]}\n"
#define ELSEWHERE                                                                            \
    "  - {name: us, table: carts@us-east-1, arrivals: paced, rate: 10/s, mix: [{operation: " \
    "PutItem}]}\n"                                                                           \
    "  - {name: ap, table: carts@ap-south-1, arrivals: paced, rate: 5/s, mix: [{operation: " \
    "UpdateItem}]}\n"

/* Sum of a metric of one resource in [from, to) with a dimension. */
static double sum_of(const struct rows *rows, int resource, const char *name, const char *dimension,
                     int64_t from, int64_t to) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_METRIC && row_number(row, METRIC_RESOURCE) == resource &&
            strcmp(row_text(row, METRIC_NAME), name) == 0 &&
            strcmp(row_text(row, METRIC_DIMENSION), dimension) == 0 &&
            row_number(row, METRIC_T) >= (double)from && row_number(row, METRIC_T) < (double)to)
            sum += row_number(row, METRIC_SUM);
    }
    return sum;
}

static double most_of(const struct rows *rows, int resource, const char *name, size_t column) {
    double most = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_METRIC && row_number(row, METRIC_RESOURCE) == resource &&
            strcmp(row_text(row, METRIC_NAME), name) == 0 && row_number(row, column) > most)
            most = row_number(row, column);
    }
    return most;
}

#define WRITES "ConsumedWriteCapacityUnits"
#define MINUTES(n) ((n) * (int64_t)60)

/* 5 + 10 + 5 writes a second in three Regions are 20 in each (AWS guide). */
static void m87_every_region_pays_for_every_write(void **state) {
    (void)state;
    struct rows rows = rows_run(GLOBAL("5/s", "", "40") ELSEWHERE, 1);
    static const double own[] = {5, 10, 5};
    for (int region = 0; region < 3; region++) {
        double seconds = 60 * 20;
        double all = sum_of(&rows, region + 1, WRITES, "", MINUTES(5), MINUTES(25)) / seconds;
        double customer =
            sum_of(&rows, region + 1, WRITES, "Customer", MINUTES(5), MINUTES(25)) / seconds;
        double global =
            sum_of(&rows, region + 1, WRITES, "GlobalTable", MINUTES(5), MINUTES(25)) / seconds;
        assert_true(all > 19.9 && all < 20.1);
        assert_true(customer > own[region] - 0.05 && customer < own[region] + 0.05);
        assert_true(customer + global > all - 1e-6 && customer + global < all + 1e-6);
        assert_true(most_of(&rows, region + 1, "ReplicationLatency", METRIC_MAXIMUM) <= 2500.001);
    }
    rows_free(&rows);
}

/* Lag is 0.5 to 2.5 s; items are the same everywhere but for what is on its way. */
static void m87_writes_arrive_a_moment_later(void **state) {
    (void)state;
    struct rows rows = rows_run(GLOBAL("10/s", "", "40"), 1);
    double sum = sum_of(&rows, 1, "ReplicationLatency", "us-east-1", 0, MINUTES(30)), count = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_METRIC &&
            strcmp(row_text(&rows.rows[r], METRIC_DIMENSION), "us-east-1") == 0) {
            count += row_number(&rows.rows[r], METRIC_COUNT);
            assert_true(row_number(&rows.rows[r], METRIC_MINIMUM) >= 500);
        }
    assert_true(count > 10 * 1795 && count <= 18000);
    assert_true(sum / count > 1200 && sum / count < 2300);
    rows_free(&rows);
}

/* A replica that is short of capacity refuses nothing: it falls behind, and catches up. Four thousand items that TTL
 * deletes within minutes are as many writes elsewhere, where 5 a second are served. */
static void m87_a_replica_that_is_short_lags(void **state) {
    (void)state;
    struct rows rows = rows_run(GLOBAL("1/s", ", ttl: {after: 10m, age: 0s}", "5"), 1);
    double deleted = sum_of(&rows, 1, "TimeToLiveDeletedItemCount", "", 0, MINUTES(30));
    double used = sum_of(&rows, 2, WRITES, "", MINUTES(24), MINUTES(29)) / 300;
    assert_true(deleted > 3900);
    assert_true(used > 4.99 && used < 5.01);
    assert_true(most_of(&rows, 1, "ReplicationLatency", METRIC_MAXIMUM) > 200000);
    assert_true(sum_of(&rows, 2, "WriteThrottleEvents", "", 0, MINUTES(31)) == 0);
    assert_true(rows.totals.throttled_attempts == 0);
    rows_free(&rows);
}

/* TTL deletes are free where the item was written, and a write everywhere else. */
static void m87_deletes_by_ttl_are_paid_elsewhere(void **state) {
    (void)state;
    struct rows rows = rows_run(GLOBAL("1/s", ", ttl: {after: 10m, age: 10m}", "40"), 1);
    double deleted = sum_of(&rows, 1, "TimeToLiveDeletedItemCount", "", 0, MINUTES(30));
    double home = sum_of(&rows, 1, WRITES, "", 0, MINUTES(30));
    double other = sum_of(&rows, 2, WRITES, "", 0, MINUTES(30));
    assert_true(deleted > 3000);
    assert_true(home >= 1799 && home <= 1801);
    assert_true(other > home + 0.95 * deleted - 10 && other <= home + deleted);
    rows_free(&rows);
}

static double stored(const struct rows *rows, size_t column, int64_t t_s) {
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_STORAGE && row_number(&rows->rows[r], 0) == 1 &&
            row_number(&rows->rows[r], 2) == (double)t_s)
            return row_number(&rows->rows[r], column);
    return -1;
}

/* What another Region writes is of an age at home as well, where TTL deletes it. */
static void m87_what_comes_from_elsewhere_expires(void **state) {
    (void)state;
    enum { ITEMS = 3, EXPIRED = 5, DELETED = 6 };
    struct rows rows =
        rows_run(GLOBAL("0/s", ", ttl: {after: 5m, age: 0s}",
                        "40") "  - {name: us, table: carts@us-east-1, arrivals: paced, rate: "
                              "10/s, end_time: +5m, mix: [{operation: PutItem}]}\n",
                 1);
    assert_true(stored(&rows, ITEMS, 360) == 4000 + 3000);
    assert_true(stored(&rows, EXPIRED, 600) >= 5000);
    assert_true(stored(&rows, ITEMS, 1800) == 0);
    assert_true(stored(&rows, DELETED, 1800) == 7000);
    rows_free(&rows);
    /* Updates elsewhere keep their items here, if they say so. */
    rows = rows_run(
        GLOBAL("0/s", ", ttl: {after: 10m, age: 0s}",
               "40") "  - {name: us, table: carts@us-east-1, arrivals: paced, rate: 30/s, mix: "
                     "[{operation: UpdateItem, renews_ttl: true}]}\n",
        1);
    assert_true(stored(&rows, DELETED, 1800) < 800);
    assert_true(stored(&rows, ITEMS, 1800) + stored(&rows, DELETED, 1800) == 4000);
    rows_free(&rows);
}

/* A global table without traffic elsewhere is, at home, the table that it would be alone. */
static void m87_home_does_not_notice(void **state) {
    (void)state;
    struct rows with = rows_run(GLOBAL("30/s", "", "25"), 1);
    char alone[4096];
    snprintf(alone, sizeof alone, "%s", GLOBAL("30/s", "", "25"));
    char *at = strstr(alone, "replicas: [us-east-1, ap-south-1],");
    memset(at, ' ', strlen("replicas: [us-east-1, ap-south-1],"));
    struct rows without = rows_run(alone, 1);
    size_t b = 0, compared = 0;
    for (size_t a = 0; a < with.count; a++) {
        if (with.rows[a].table != DDBSIM_LOG_SECOND || row_number(&with.rows[a], 0) != 1) continue;
        while (without.rows[b].table != DDBSIM_LOG_SECOND)
            b++;
        for (size_t i = 0; i < with.rows[a].count; i++)
            assert_true(row_number(&with.rows[a], i) == row_number(&without.rows[b], i));
        b++;
        compared++;
    }
    assert_true(compared > 1700);
    assert_true(with.totals.throttled_attempts == without.totals.throttled_attempts);
    rows_free(&with);
    rows_free(&without);
}

/* CloudWatch's alarm on a Region that falls behind. */
static void m87_an_alarm_watches_the_lag(void **state) {
    (void)state;
    static const char alarms[] =
        "alarms:\n  - {name: lags, table: carts, receiving_region: us-east-1, metric: "
        "ReplicationLatency, statistic: Maximum, comparison: \">\", threshold: 60000}\n"
        "  - {name: other, table: carts@us-east-1, receiving_region: ap-south-1, metric: "
        "ReplicationLatency, comparison: \">\", threshold: 1}\n";
    char text[8192];
    snprintf(text, sizeof text, "%s%s", GLOBAL("1/s", ", ttl: {after: 10m, age: 0s}", "5"), alarms);
    struct rows rows = rows_run(text, 1);
    int lags = 0, other = 0;
    for (size_t r = 0; r < rows.count; r++) {
        if (rows.rows[r].table != DDBSIM_LOG_EVENT) continue;
        lags +=
            strstr(row_text(&rows.rows[r], 5), "\"lags\",\"from\":\"OK\",\"to\":\"ALARM\"") != NULL;
        other += strstr(row_text(&rows.rows[r], 5), "\"other\"") != NULL;
    }
    assert_int_equal(lags, 1);
    assert_int_equal(other, 0); /* nobody writes there */
    rows_free(&rows);
}

/* Two tables of twenty indexes each, and replicas of both: what one transaction leads to at once is bounded. */
static void followers_text(char *text, size_t size, int replicas) {
    int used = snprintf(text, size,
                        "version: 1\nname: t\nduration: 1m\nvalues: {k: {count: 50}}\ntables:\n");
    for (int t = 0; t < 2; t++) {
        used +=
            snprintf(text + used, size - (size_t)used,
                     "- {name: t%d, read_capacity: 500, write_capacity: 500, entities: [{name: e, "
                     "partition_key: \"K#{k}\", count: 50, size: 1 KB}],\n   replicas: [",
                     t);
        for (int i = 0; i < replicas; i++)
            used += snprintf(text + used, size - (size_t)used, "%sregion-%d", i ? ", " : "", i);
        used += snprintf(text + used, size - (size_t)used, "],\n   indexes: [");
        for (int i = 0; i < 20; i++)
            used += snprintf(text + used, size - (size_t)used,
                             "%s{name: g%d, partition_key: \"G%d#{k}\", read_capacity: 9, "
                             "write_capacity: 500}",
                             i ? ", " : "", i, i);
        used += snprintf(text + used, size - (size_t)used, "]}\n");
    }
    snprintf(text + used, size - (size_t)used,
             "workloads:\n- {name: w, rate: 2/s, arrivals: paced, mix: [{operation: "
             "TransactWriteItems, table: t0, actions: [{}, {table: t1}]}]}\n");
}

static void m87_all_that_follows_a_transaction(void **state) {
    (void)state;
    static char text[32768];
    followers_text(text, sizeof text, 10);
    struct rows rows = rows_run(text, 1);
    assert_int_equal(rows.totals.succeeded, 120);
    assert_true(sum_of(&rows, 1, WRITES, "", 0, MINUTES(1)) == 120 * 2);
    rows_free(&rows);
    followers_text(text, sizeof text, 11);
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    struct ddbsim_load_options none = {0};
    assert_int_equal(
        ddbsim_scenario_parse(text, strlen(text), "test.yaml", &none, &scenario, &error),
        DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "62 indexes and replicas"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m87_every_region_pays_for_every_write),
        cmocka_unit_test(m87_writes_arrive_a_moment_later),
        cmocka_unit_test(m87_a_replica_that_is_short_lags),
        cmocka_unit_test(m87_deletes_by_ttl_are_paid_elsewhere),
        cmocka_unit_test(m87_what_comes_from_elsewhere_expires),
        cmocka_unit_test(m87_an_alarm_watches_the_lag),
        cmocka_unit_test(m87_all_that_follows_a_transaction),
        cmocka_unit_test(m87_home_does_not_notice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
