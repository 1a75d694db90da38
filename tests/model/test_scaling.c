/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * UpdateTable, auto scaling, alarms and loops of the user's own over whole runs; each test is named after its
 * rule. Arrivals are paced, so minutes hold exact sums.
 */
#include <support/table_rows.h>

#define ITEM "entities: [{name: e, partition_key: \"K#{uuid}\", size: 1 KB}]"
#define TRACK(min, max) \
    "auto_scaling: {write: {min_capacity: " min ", max_capacity: " max ", target_value: 70%@}}"

enum { ALARM_NAME, ALARM_T, ALARM_VALUE, ALARM_THRESHOLD, ALARM_STATE };
enum { METRIC_NAME = 1, METRIC_PERIOD = 4, METRIC_T = 5, METRIC_SUM = 6, METRIC_P99 = 12 };

/* One table of `capacity` write units, more keys of it, and the stages of its load. */
static struct rows run_writes(const char *duration, const char *capacity, const char *keys,
                              const char *load, const char *more) {
    return rows_run(fill(HEAD "duration: @\ntables:\n  - name: t\n    read_capacity: 5\n"
                              "    write_capacity: @\n    " ITEM "\n    @\nworkloads:\n"
                              "  - {name: w, arrivals: paced, @, mix: [{operation: PutItem}]}\n@\n",
                         duration, capacity, keys, load, more),
                    1);
}

static double detail_number(const char *detail, const char *key) {
    const char *at = strstr(detail, key);
    return at ? strtod(at + strlen(key) + 1, NULL) : -1;
}

/* The capacities that acted, in their order. */
static size_t capacities(const struct rows *rows, double *out, size_t most) {
    size_t count = 0;
    EACH_ROW(row, rows, EVENT)
    if (!strcmp(row_text(row, 2), "capacity_changed") && count < most)
        out[count++] = detail_number(row_text(row, 5), "\"to\"");
    return count;
}

static void assert_capacities(const struct rows *rows, const double *expected, size_t count) {
    double found[64];
    assert_int_equal(capacities(rows, found, 64), count);
    for (size_t i = 0; i < count; i++)
        assert_true(found[i] == expected[i]);
}

/* ---- UpdateTable ---- */

static void m40_one_call_at_a_time(void **state) {
    (void)state;
    struct rows rows = run_writes("10m", "100", "", "rate: 1/s",
                                  "changes:\n  - {at: +60s, set: {tables.t.write_capacity: 110}}\n"
                                  "  - {at: +70s, set: {tables.t.write_capacity: 120}}\n"
                                  "  - {at: +80s, set: {tables.t.write_capacity: 130}}\n");
    const double expected[] = {110, 120, 130};
    assert_capacities(&rows, expected, 3);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":110", 0), 120);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":120", 0), 180);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":130", 0), 240);
    rows_free(&rows);
}

static void m40_warm_throughput_is_at_hand(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "20m", "100",
        "warm_throughput: {read_units_per_second: 12000, write_units_per_second: 500}", "rate: 1/s",
        "changes:\n  - {at: +60s, set: {tables.t.write_capacity: 500}}\n"
        "  - {at: +120s, set: {tables.t.write_capacity: 501}}\n");
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":500", 0), 65);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":501", 0), 180);
    rows_free(&rows);
}

/* What a change does not name stays as a scaler left it. */
static void m40_a_change_touches_what_it_names(void **state) {
    (void)state;
    struct rows rows = run_writes("20m", "85", fill(TRACK("5", "400"), ""), "rate: 226/s",
                                  "changes: [{at: +10m, set: {tables.t.read_capacity: 50}}]\n");
    const double expected[] = {323, 50};
    assert_capacities(&rows, expected, 2);
    rows_free(&rows);
}

/* More tables change at once than a handler may schedule events, each call acts before those that were begun
 * before it, and there is more to tell than a handler may note. */
static void m40_many_tables_at_once(void **state) {
    static char tables[1 << 16];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 150; i++)
        used += (size_t)snprintf(tables + used, sizeof tables - used,
                                 "  - {name: t%03d, read_capacity: 1, write_capacity: 10, model: "
                                 "{update_delay: %ds}, " ITEM "}\n",
                                 i, i < 75 ? 160 - i : 60);
    struct rows rows =
        rows_run(fill(HEAD "duration: 5m\ntables:\n@workloads:\n"
                           "  - {name: w, table: t000, rate: 1/s, mix: [{operation: PutItem}]}\n"
                           "changes:\n"
                           "  - {at: +60s, set: {\"tables.*.write_capacity\": 20, "
                           "\"tables.*.read_capacity\": 20}}\n",
                      tables),
                 1);
    assert_int_equal(event_count(&rows, "capacity_changed", "\"to\":20"), 300);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":20", 0), 120);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":20", 149), 120);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":20", 299), 220);
    rows_free(&rows);
}

/* The same of policies: at the start all of them find their capacity outside their bounds. */
static void m93_many_policies_at_once(void **state) {
    static char tables[1 << 15];
    size_t used = 0;
    (void)state;
    for (int i = 0; i < 130; i++)
        used += (size_t)snprintf(tables + used, sizeof tables - used,
                                 "  - {name: %03d, read_capacity: 1, write_capacity: 1, model: "
                                 "{update_delay: %ds}, " ITEM
                                 ",\n     auto_scaling: {write: {min_capacity: 2, max_capacity: 2},"
                                 " read: {min_capacity: 3, max_capacity: 3}}}\n",
                                 i, 140 - i);
    struct rows rows = rows_run(
        fill(HEAD "duration: 6m\ntables:\n@workloads:\n"
                  "  - {name: w, table: \"000\", rate: 1/s, mix: [{operation: PutItem}]}\n",
             tables),
        1);
    assert_int_equal(event_count(&rows, "scale_out", "write"), 130);
    assert_int_equal(event_count(&rows, "scale_out", "read"), 130);
    assert_int_equal(event_count(&rows, "capacity_changed", "\"to\":2"), 130);
    rows_free(&rows);
}

/* More indexes have work that waits, and go on at once, than a handler may schedule events. */
static void m40_many_indexes_at_once(void **state) {
    static char text[1 << 15];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", HEAD "duration: 5m\ntables:\n");
    (void)state;
    for (int i = 0; i < 80; i++) {
        if (i % 20 == 0)
            used +=
                (size_t)snprintf(text + used, sizeof text - used,
                                 "  - name: t%d\n    read_capacity: 1\n    write_capacity: 100\n"
                                 "    " ITEM "\n    indexes:\n",
                                 i / 20);
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "    - {name: i%02d, partition_key: \"{uuid}\", read_capacity: 1,"
                                 " write_capacity: 1}\n",
                                 i % 20);
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "workloads:\n");
    for (int i = 0; i < 4; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "  - {name: w%d, table: t%d, rate: 10/s, arrivals: paced, "
                                 "mix: [{operation: PutItem}]}\n",
                                 i, i);
    snprintf(text + used, sizeof text - used,
             "changes: [{at: +2m, set: {\"tables.*.indexes.*.write_capacity\": 20}}]\n");
    struct rows rows = rows_run(text, 1);
    assert_int_equal(event_count(&rows, "capacity_changed", "\"to\":20"), 80);
    rows_free(&rows);
}

/* A change asks for what it names, be it what a change before it had named: a scaler moved the capacity since,
 * or AWS refused. */
static void m40_what_is_said_again_is_asked_again(void **state) {
    (void)state;
    struct rows rows =
        run_writes("30m", "100", fill(TRACK("10", "400"), ", disable_scale_in: true"), "rate: 80/s",
                   "changes: [{at: +20m, set: {tables.t.write_capacity: 100}}]\n");
    const double moved[] = {115, 100, 115};
    assert_capacities(&rows, moved, 3);
    rows_free(&rows);
    rows = run_writes("90m", "100", "model: {decreases_a_day: 1}", "rate: 1/s",
                      "changes:\n  - {at: +1m, set: {tables.t.write_capacity: 90}}\n"
                      "  - {at: +3m, set: {tables.t.write_capacity: 80}}\n"
                      "  - {at: +70m, set: {tables.t.write_capacity: 80}}\n");
    const double refused[] = {90, 80};
    assert_int_equal(event_count(&rows, "change_refused", ""), 1);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":80", 0), 71 * 60);
    assert_capacities(&rows, refused, 2);
    rows_free(&rows);
}

/* A table that goes on-demand goes without its scaling, also once it comes back. */
static void m46_scaling_goes_with_the_mode(void **state) {
    static const char *const scalings[] = {
        "auto_scaling: {write: {min_capacity: 50, max_capacity: 60}, scheduled_actions: "
        "[{at: +5m, write: {min_capacity: 55}}, {at: +40m, write: {min_capacity: 58}}]}",
        "scaler: {every: 1s, up: {above: 1%, by: 1}, min: 50, max: 60}"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_writes(
            "60m", "60", scalings[i], "rate: 20/s",
            "changes:\n  - {at: +10m, set: {tables.t.billing_mode: PAY_PER_REQUEST}}\n"
            "  - {at: +20m, set: {tables.t.billing_mode: PROVISIONED, tables.t.read_capacity: 5,"
            " tables.t.write_capacity: 30}}\n");
        const double expected[] = {12000, 4000, 5, 30};
        assert_capacities(&rows, expected, 4);
        assert_int_equal(event_count(&rows, "scale_bounds", ""), i == 0 ? 1 : 0);
        rows_free(&rows);
    }
}

static void m47_the_fifth_decrease(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "26h", "100", "", "rate: 1/min",
        "changes:\n"
        "  - {at: +10m, set: {tables.t.write_capacity: 99}}\n"
        "  - {at: +20m, set: {tables.t.write_capacity: 98}}\n"
        "  - {at: +30m, set: {tables.t.write_capacity: 97}}\n"
        "  - {at: +40m, set: {tables.t.write_capacity: 200}}\n" /* increases do not count */
        "  - {at: +50m, set: {tables.t.write_capacity: 96}}\n"
        "  - {at: +100m, set: {tables.t.write_capacity: 95}}\n"  /* 50 min after the fourth */
        "  - {at: +110m, set: {tables.t.write_capacity: 94}}\n"  /* an hour after it */
        "  - {at: +1439m, set: {tables.t.write_capacity: 93}}\n" /* late on the day, long after */
        "  - {at: +1440m, set: {tables.t.write_capacity: 92}}\n" /* a new day */
        "  - {at: +1442m, set: {tables.t.write_capacity: 91}}\n");
    const double expected[] = {99, 98, 97, 200, 96, 94, 93, 92, 91};
    assert_capacities(&rows, expected, 9);
    assert_int_equal(event_count(&rows, "change_refused", "LimitExceededException"), 1);
    assert_int_equal(event_s(&rows, "change_refused", "\"today\":4", 0), 6000);
    rows_free(&rows);
}

/* Reads and writes of one resource in one call are one decrease; table and index are counted apart. */
static void m47_resources_are_counted_apart(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "1h", "100",
        "indexes: [{name: i, partition_key: \"I#{uuid}\", read_capacity: 50, write_capacity: 100}]",
        "rate: 1/min",
        "model: {decreases_a_day: 1}\nchanges:\n"
        "  - {at: +10m, set: {tables.t.read_capacity: 4, tables.t.write_capacity: 99}}\n"
        "  - {at: +15m, set: {tables.t.indexes.i.write_capacity: 98}}\n"
        "  - {at: +20m, set: {tables.t.indexes.i.write_capacity: 97, tables.t.read_capacity: "
        "40}}\n");
    assert_int_equal(event_count(&rows, "capacity_changed", ""), 3);
    assert_int_equal(event_count(&rows, "change_refused", ""),
                     1); /* the whole call: reads stay at 4 */
    rows_free(&rows);
}

/* ---- alarms ---- */

static const struct row *metric_row(const struct rows *rows, const char *name, int64_t t_s) {
    EACH_ROW(row, rows, METRIC)
    if (!strcmp(row_text(row, METRIC_NAME), name) && row_integer(row, METRIC_PERIOD) == 60 &&
        row_integer(row, METRIC_T) == t_s)
        return row;
    return NULL;
}

/* An alarm sees what CloudWatch shows: its datapoints are the metric's rows, gaps included. */
static void m91_datapoints_are_the_metric(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "40m", "20", "burst: {window: 10s}",
        "start_rate: 5/s, stages: [{duration: 10m, target: 40/s}, {duration: 10m, target: 0/s}, "
        "{duration: 10m, target: 0/s}, {duration: 5m, target: 10/s}]",
        "alarms:\n"
        "  - {name: used, table: t, metric: ConsumedWriteCapacityUnits, statistic: Sum, "
        "comparison: \">\", threshold: 80%}\n"
        "  - {name: refused, table: t, metric: WriteThrottleEvents, statistic: Sum, "
        "comparison: \">\", threshold: 0}\n"
        "  - {name: slow, table: t, metric: SuccessfulRequestLatency, statistic: p99, "
        "comparison: \">\", threshold: 25}\n");
    static const char *const alarms[] = {"used", "refused", "slow"};
    static const char *const metrics[] = {"ConsumedWriteCapacityUnits", "WriteThrottleEvents",
                                          "SuccessfulRequestLatency"};
    static const size_t columns[] = {METRIC_SUM, METRIC_SUM, METRIC_P99};
    int judged = 0, gaps = 0;
    EACH_ROW(row, &rows, ALARM_SAMPLE)
    for (int i = 0; i < 3; i++) {
        if (strcmp(row_text(row, ALARM_NAME), alarms[i]) != 0) continue;
        const struct row *metric = metric_row(&rows, metrics[i], row_integer(row, ALARM_T));
        assert_int_equal(row->values[ALARM_VALUE].type == DDBSIM_VALUE_NULL, !metric);
        if (metric) assert_true(row_number(row, ALARM_VALUE) == row_number(metric, columns[i]));
        judged++;
        gaps += !metric;
    }
    assert_int_equal(judged, 3 * 37); /* minutes whose datapoint came before the end */
    assert_true(gaps > 30);
    rows_free(&rows);
}

static void m90_the_alarm_comes_late(void **state) {
    static const struct {
        const char *model;
        int64_t at_s;
    } cases[] = {{"", 300},
                 {"model: {metric_delay: 0s, alarm_delay: 0s}\n", 180},
                 {"model: {metric_delay: 90s, alarm_delay: 120s}\n", 390}};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct rows rows = run_writes(
            "20m", "100", "", "rate: 90/s",
            fill(
                "@alarms: [{name: a, table: t, metric: ConsumedWriteCapacityUnits, statistic: Sum, "
                "evaluation_periods: 3, comparison: \">\", threshold: 80%}]\n",
                cases[i].model));
        assert_int_equal(
            event_s(&rows, "alarm", "\"from\":\"INSUFFICIENT_DATA\",\"to\":\"ALARM\"", 0), -1);
        assert_int_equal(event_s(&rows, "alarm", "\"to\":\"ALARM\"", 0), cases[i].at_s);
        rows_free(&rows);
    }
}

/* A share follows the capacity, a number does not. */
static void m91_a_share_follows_the_capacity(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "20m", "100", "", "rate: 90/s",
        "changes: [{at: +10m, set: {tables.t.write_capacity: 200}}]\nalarms:\n"
        "  - {name: share, table: t, metric: ConsumedWriteCapacityUnits, statistic: Sum, "
        "comparison: \">\", threshold: 80%}\n"
        "  - {name: number, table: t, metric: ConsumedWriteCapacityUnits, statistic: Sum, "
        "comparison: \">\", threshold: 4800}\n");
    int shares = 0;
    EACH_ROW(row, &rows, ALARM_SAMPLE) {
        bool share = !strcmp(row_text(row, ALARM_NAME), "share");
        bool after = row_integer(row, ALARM_T) + 180 > 660; /* evaluated at 200 units */
        assert_true(row_number(row, ALARM_THRESHOLD) == (share && after ? 9600 : 4800));
        shares += share;
    }
    assert_int_equal(shares, 17);
    assert_int_equal(
        event_count(&rows, "alarm", "\"alarm\":\"share\",\"from\":\"ALARM\",\"to\":\"OK\""), 1);
    assert_int_equal(event_count(&rows, "alarm", "\"alarm\":\"number\",\"from\":\"ALARM\""), 0);
    rows_free(&rows);
}

/* A quote in a name is a quote in JSON. */
static void m91_names_are_kept(void **state) {
    (void)state;
    struct rows rows =
        run_writes("10m", "100", "", "rate: 90/s",
                   "alarms: [{name: 'a \"b\" \\c', table: t, metric: ConsumedWriteCapacityUnits, "
                   "statistic: Sum, comparison: \">\", threshold: 80%}]\n");
    assert_true(event_count(&rows, "alarm", "{\"alarm\":\"a \\\"b\\\" \\\\c\",") == 1);
    EACH_ROW(row, &rows, ALARM_SAMPLE)
    assert_string_equal(row_text(row, ALARM_NAME), "a \"b\" \\c");
    rows_free(&rows);
}

/* ---- target tracking ---- */

static void m93_thresholds(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD "duration: 10m\nvalues: {k: {count: 100}}\ntables:\n"
             "  - {name: t, read_capacity: 1, write_capacity: 5, auto_scaling: {write: "
             "{min_capacity: 1, "
             "max_capacity: 10, target_value: 70%}, read: {min_capacity: 1, max_capacity: 10, "
             "target_value: 50%}}, entities: [{name: e, partition_key: \"K#{k}\", count: 100, "
             "size: 1 KB}]}\n"
             "workloads:\n  - {name: w, arrivals: paced, rate: 3/s, mix: [{operation: PutItem}]}\n",
        1);
    static const char *const names[] = {
        "TargetTracking-table/t-AlarmHigh-write", "TargetTracking-table/t-AlarmLow-write",
        "TargetTracking-table/t-AlarmHigh-read", "TargetTracking-table/t-AlarmLow-read"};
    static const double thresholds[] = {210, 150, 30, 18};
    int found[4] = {0};
    EACH_ROW(row, &rows, ALARM_SAMPLE)
    for (int i = 0; i < 4; i++)
        if (!strcmp(row_text(row, ALARM_NAME), names[i])) {
            assert_true(row_number(row, ALARM_THRESHOLD) > thresholds[i] - 1e-9 &&
                        row_number(row, ALARM_THRESHOLD) < thresholds[i] + 1e-9);
            found[i]++;
        }
    for (int i = 0; i < 4; i++)
        assert_int_equal(found[i], 7);
    rows_free(&rows);
}

/* Without burst each step sees no more than the capacity; with burst one step is enough. */
static void m93_the_chain(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "40m", "85", fill(TRACK("5", "400") "\n    burst: {initial: 0%}", ""), "rate: 250/s", "");
    const double chain[] = {122, 175, 250, 358};
    assert_capacities(&rows, chain, 4);
    rows_free(&rows);
    rows = run_writes("40m", "85", fill(TRACK("5", "400"), ""), "rate: 226/s", "");
    const double step[] = {323};
    assert_capacities(&rows, step, 1);
    assert_int_equal(event_s(&rows, "scale_out", "target_tracking", 0), 240);
    rows_free(&rows);
}

static void m93_bounds_hold(void **state) {
    (void)state;
    struct rows rows = run_writes("30m", "85", fill(TRACK("5", "100"), ""), "rate: 226/s", "");
    const double expected[] = {100};
    assert_capacities(&rows, expected, 1);
    rows_free(&rows);
    rows = run_writes("10m", "85", fill(TRACK("90", "100"), ""), "rate: 1/s",
                      ""); /* outside: at once */
    assert_int_equal(event_s(&rows, "scale_out", "\"from\":85,\"to\":90", 0), 0);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":90", 0), 60);
    rows_free(&rows);
}

static void m93_no_scale_in_where_disabled(void **state) {
    (void)state;
    struct rows rows = run_writes("1h", "85", fill(TRACK("5", "100"), ""), "rate: 10/s", "");
    assert_int_equal(event_count(&rows, "scale_in", ""), 1);
    rows_free(&rows);
    rows = run_writes("1h", "85", fill(TRACK("5", "100"), ", disable_scale_in: true"), "rate: 10/s",
                      "");
    assert_int_equal(event_count(&rows, "scale_in", ""), 0);
    EACH_ROW(row, &rows, ALARM_SAMPLE) assert_null(strstr(row_text(row, ALARM_NAME), "AlarmLow"));
    rows_free(&rows);
}

/* An index has a policy of its own, or none. */
static void m93_indexes_are_scaled_apart(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "30m", "200",
        "indexes:\n"
        "      - {name: a, partition_key: \"A#{uuid}\", read_capacity: 5, write_capacity: 100, "
        "auto_scaling: {write: {min_capacity: 5, max_capacity: 400, target_value: 70%}}}\n"
        "      - {name: b, partition_key: \"B#{uuid}\", read_capacity: 5, write_capacity: 100}",
        "rate: 90/s", "");
    const double expected[] = {129};
    assert_capacities(&rows, expected, 1);
    assert_true(event_count(&rows, "alarm", "table/t/index/a-AlarmHigh-write") > 0);
    rows_free(&rows);
}

/* Without burst a step comes each four minutes; a cooldown of ten stretches that to ten and two, but lets a
 * larger step pass. */
static void m94_cooldown_out(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "40m", "85",
        fill(TRACK("5", "122") "\n    burst: {initial: 0%}", ", scale_out_cooldown: 10m"),
        "rate: 250/s",
        "changes: [{at: +10m, set: {tables.t.auto_scaling.write.max_capacity: 400}}]\n");
    assert_int_equal(event_s(&rows, "scale_out", "\"to\":122", 0), 240);
    /* 175 is larger than 122, so it need not wait. */
    assert_int_equal(event_s(&rows, "scale_out", "\"to\":175", 0), 660);
    rows_free(&rows);
}

static void m94_cooldown_in(void **state) {
    (void)state;
    const char *load =
        "start_rate: 60/s, stages: [{duration: 60m, target: 60/s}, {duration: 60m, target: 3/s}]";
    struct rows rows = run_writes("2h", "400", fill(TRACK("5", "400"), ""), load, "");
    struct rows slow =
        run_writes("2h", "400", fill(TRACK("5", "400"), ", scale_in_cooldown: 1h"), load, "");
    int64_t first = event_s(&slow, "capacity_changed", "", 0);
    assert_true(event_count(&rows, "scale_in", "") > event_count(&slow, "scale_in", ""));
    assert_int_equal(event_s(&rows, "scale_in", "", 0), event_s(&slow, "scale_in", "", 0));
    assert_int_equal(event_count(&slow, "scale_in", ""), 2);
    assert_true(event_s(&slow, "scale_in", "", 1) >= first + 3600);
    rows_free(&slow);
    rows_free(&rows);
}

/* The cooldown of a kind is for steps of that kind. */
static void m94_a_step_in_waits_for_no_step_out(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "40m", "60", fill(TRACK("5", "400"), ", scale_in_cooldown: 1h"),
        "start_rate: 60/s, stages: [{duration: 10m, target: 60/s}, {duration: 0s, target: 5/s}]",
        "");
    assert_int_equal(event_count(&rows, "scale_out", ""), 1);
    int64_t in_s = event_s(&rows, "scale_in", "", 0);
    assert_true(in_s > 25 * 60 && in_s < 30 * 60);
    rows_free(&rows);
}

static void m95_scheduled_actions(void **state) {
    (void)state;
    struct rows rows = run_writes("3h", "15",
                                  "auto_scaling: {write: {min_capacity: 15, max_capacity: 400, "
                                  "target_value: 70%}, scheduled_actions: "
                                  "[{at: +1h, write: {min_capacity: 330}}, {at: +2h, write: "
                                  "{min_capacity: 15, max_capacity: 20}}]}",
                                  "rate: 5/s", "");
    assert_int_equal(event_s(&rows, "scale_bounds", "\"min\":330,\"max\":400", 0), 3600);
    assert_int_equal(event_s(&rows, "scale_out", "scheduled_action", 0), 3600);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"to\":330", 0), 3660);
    assert_int_equal(event_s(&rows, "scale_in", "\"to\":20,\"by\":\"scheduled_action\"", 0), 7200);
    rows_free(&rows);
}

/* ---- loops of the user's own ---- */

#define LOOP "scaler: {direction: write, every: 5m, look_back: 5m, min: 10, max: 1000, @}"

/* A change moves the bounds that it names, and leaves those that a scheduled action has set. */
static void m95_changes_after_actions(void **state) {
    (void)state;
    struct rows rows = run_writes(
        "30m", "100",
        "auto_scaling: {write: {min_capacity: 50, max_capacity: 400}, scheduled_actions: "
        "[{at: +1m, write: {min_capacity: 200, max_capacity: 300}}]}",
        "rate: 10/s",
        "changes:\n  - {at: +5m, set: {tables.t.auto_scaling.write.min_capacity: 50}}\n"
        "  - {at: +25m, set: {tables.t.auto_scaling.write.min_capacity: 350}}\n");
    const double expected[] = {200, 50, 350};
    assert_capacities(&rows, expected, 3);
    rows_free(&rows);
}

/* Who asked for more does not lower what came meanwhile. */
static void m95_more_is_under_way(void **state) {
    (void)state;
    struct rows rows = run_writes("10m", "100",
                                  "auto_scaling: {write: {min_capacity: 200, max_capacity: 300}, "
                                  "scheduled_actions: [{at: +30s, write: {min_capacity: 150}}]}",
                                  "rate: 10/s", "");
    const double expected[] = {200};
    assert_capacities(&rows, expected, 1);
    rows_free(&rows);
}

static void m96_steps(void **state) {
    (void)state;
    struct rows rows =
        run_writes("11m", "100", fill(LOOP, "up: {above: 80%, by: 50%}"), "rate: 90/s", "");
    assert_int_equal(event_s(&rows, "scale_out", "\"to\":150,\"by\":\"scaler\"", 0), 300);
    rows_free(&rows);
    rows = run_writes("11m", "100", fill(LOOP, "up: {above: 80%, to: 60%}"), "rate: 90/s", "");
    assert_int_equal(event_s(&rows, "scale_out", "\"to\":150", 0), 300);
    rows_free(&rows);
    rows = run_writes("11m", "100", fill(LOOP, "down: {below: 40%, by: 95}"), "rate: 30/s", "");
    assert_int_equal(event_s(&rows, "scale_in", "\"to\":10", 0), 300); /* no further than min */
    rows_free(&rows);
    rows = run_writes("11m", "100",
                      fill(LOOP, "up: {above: 80%, by: 50%}, down: {below: 40%, by: 10%}"),
                      "rate: 60/s", "");
    assert_int_equal(event_count(&rows, "scale_", ""), 0);
    rows_free(&rows);
}

/* A rule goes its own way only, also where the capacity lies outside the bounds. */
static void m96_no_rule_goes_the_other_way(void **state) {
    (void)state;
    struct rows rows =
        run_writes("11m", "1200", fill(LOOP, "up: {above: 10%, by: 1}"), "rate: 200/s", "");
    assert_int_equal(event_count(&rows, "scale_", ""), 0);
    rows_free(&rows);
    rows = run_writes("11m", "5", fill(LOOP, "down: {below: 90%, by: 1}"), "rate: 1/s", "");
    assert_int_equal(event_count(&rows, "scale_", ""), 0);
    rows_free(&rows);
}

static void m96_refusals_count_or_veto(void **state) {
    (void)state;
    const char *load = "rate: 60/s";
    const char *short_burst = "burst: {window: 1s}\n    ";
    struct rows rows = run_writes(
        "11m", "50", fill("@" LOOP, short_burst, "up: {throttles: 1, by: 20}"), load, "");
    assert_int_equal(event_s(&rows, "scale_out", "\"to\":70", 0), 300);
    rows_free(&rows);
    rows = run_writes("11m", "50", fill("@" LOOP, short_burst, "down: {below: 110%, by: 10}"), load,
                      "");
    assert_int_equal(event_s(&rows, "scale_in", "\"to\":40", 0), 300);
    rows_free(&rows);
    rows = run_writes(
        "11m", "50",
        fill("@" LOOP, short_burst, "down: {below: 110%, by: 10}, throttle_veto: true"), load, "");
    assert_int_equal(event_count(&rows, "scale_in", ""), 0);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m40_one_call_at_a_time),
        cmocka_unit_test(m40_warm_throughput_is_at_hand),
        cmocka_unit_test(m40_a_change_touches_what_it_names),
        cmocka_unit_test(m40_many_tables_at_once),
        cmocka_unit_test(m40_many_indexes_at_once),
        cmocka_unit_test(m40_what_is_said_again_is_asked_again),
        cmocka_unit_test(m46_scaling_goes_with_the_mode),
        cmocka_unit_test(m47_the_fifth_decrease),
        cmocka_unit_test(m47_resources_are_counted_apart),
        cmocka_unit_test(m90_the_alarm_comes_late),
        cmocka_unit_test(m91_datapoints_are_the_metric),
        cmocka_unit_test(m91_a_share_follows_the_capacity),
        cmocka_unit_test(m91_names_are_kept),
        cmocka_unit_test(m93_thresholds),
        cmocka_unit_test(m93_the_chain),
        cmocka_unit_test(m93_many_policies_at_once),
        cmocka_unit_test(m93_bounds_hold),
        cmocka_unit_test(m93_no_scale_in_where_disabled),
        cmocka_unit_test(m93_indexes_are_scaled_apart),
        cmocka_unit_test(m94_cooldown_out),
        cmocka_unit_test(m94_cooldown_in),
        cmocka_unit_test(m94_a_step_in_waits_for_no_step_out),
        cmocka_unit_test(m95_scheduled_actions),
        cmocka_unit_test(m95_changes_after_actions),
        cmocka_unit_test(m95_more_is_under_way),
        cmocka_unit_test(m96_steps),
        cmocka_unit_test(m96_refusals_count_or_veto),
        cmocka_unit_test(m96_no_rule_goes_the_other_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
