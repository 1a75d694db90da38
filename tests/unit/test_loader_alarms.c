/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Alarms in CloudWatch's words, and what must come out of them. */
#include "loader_fixture.h"

#define ALARMS                                                                                     \
    "alarms=[{name: index-80, table: carts, index: by-state, metric: ConsumedWriteCapacityUnits, " \
    "statistic: Sum, period: 60s, evaluation_periods: 5, datapoints_to_alarm: 3, "                 \
    "comparison: \">\", threshold: 80%, treat_missing_data: notBreaching}, "                       \
    "{name: slow, table: carts, operation: GetItem, metric: SuccessfulRequestLatency, "            \
    "statistic: p99.9, comparison: LessThanOrEqualToThreshold, threshold: 12.5}]"

static struct ddbsim_scenario *load(const char *set) {
    const char *sets[] = {ALARMS, set};
    return fixture_load(fixture, NULL, sets, set ? 2 : 1);
}

static void refuse(const char *set, const char *wanted) {
    const char *sets[] = {ALARMS, set};
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(fixture, NULL, sets, 2, &scenario, &error), &error, set,
                           wanted);
}

static void alarms(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    assert_int_equal(s->alarm_count, 2);
    const struct ddbsim_alarm *a = &s->alarms[0];
    assert_string_equal(a->name, "index-80");
    assert_int_equal(a->table, 0);
    assert_int_equal(a->index, 0);
    assert_int_equal(a->operation, -1);
    assert_int_equal(a->metric, DDBSIM_METRIC_CONSUMED_WRITE);
    assert_int_equal(a->statistic, DDBSIM_ALARM_SUM);
    assert_int_equal(a->period_s, 60);
    assert_int_equal(a->evaluation_periods, 5);
    assert_int_equal(a->datapoints_to_alarm, 3);
    assert_int_equal(a->comparison, DDBSIM_GREATER);
    assert_true(a->of_capacity);
    assert_true(a->threshold == 0.8);
    assert_int_equal(a->missing, DDBSIM_NOT_BREACHING);
    a = &s->alarms[1];
    assert_int_equal(a->index, DDBSIM_NONE);
    assert_int_equal(a->operation, DDBSIM_GET_ITEM);
    assert_int_equal(a->statistic, DDBSIM_ALARM_PERCENTILE);
    assert_int_equal(a->percentile, 999000000);
    assert_int_equal(a->comparison, DDBSIM_LESS_OR_EQUAL);
    assert_false(a->of_capacity);
    assert_true(a->threshold == 12.5);
    assert_int_equal(a->evaluation_periods, 1);
    assert_int_equal(a->datapoints_to_alarm, 1);
    assert_int_equal(a->missing, DDBSIM_IGNORE);
    assert_string_equal(fixture_setting(s, "alarms.index-80.threshold"), "80%");
    assert_string_equal(fixture_setting(s, "alarms.slow.treat_missing_data"), "ignore");
    ddbsim_scenario_destroy(s);
}

/* Metrics that need more than a table say so; a Region must be one of its replicas. */
static void dimensions(void **state) {
    (void)state;
    refuse("alarms.slow.metric=OnlineIndexPercentageProgress",
           "keeps OnlineIndexPercentageProgress");
    refuse("alarms.index-80={name: index-80, table: carts, metric: OnlineIndexThrottleEvents, "
           "comparison: \">\", threshold: 1}",
           "\"index\" is missing");
    refuse("alarms.index-80={name: index-80, table: carts, metric: ReplicationLatency, comparison: "
           "\">\", threshold: 1}",
           "\"receiving_region\" is missing");
    refuse("alarms.index-80={name: index-80, table: carts, receiving_region: us-east-1, metric: "
           "ReplicationLatency, comparison: \">\", threshold: 1}",
           "there is no replica in \"us-east-1\"");
    refuse("alarms.index-80.receiving_region=us-east-1", "by no receiving_region");
    refuse(
        "alarms.index-80={name: index-80, table: carts, index: by-state, statistic: p99, metric: "
        "OnlineIndexPercentageProgress, comparison: \">\", threshold: 1}",
        "has no statistic");
}

/* What an alarm leaves out, by its metric. */
static void defaults(void **state) {
    (void)state;
    static const struct {
        const char *alarm;
        int statistic;
        int64_t period_s;
    } cases[] = {
        {"table: carts, metric: WriteThrottleEvents", DDBSIM_ALARM_SUM, 60},
        {"table: carts, metric: SuccessfulRequestLatency", DDBSIM_ALARM_AVERAGE, 60},
        {"table: carts, metric: ProvisionedReadCapacityUnits", DDBSIM_ALARM_AVERAGE, 300},
        {"metric: UserErrors", DDBSIM_ALARM_SUM, 60},
        {"metric: UserErrors, statistic: SampleCount, period: 2h", DDBSIM_ALARM_SAMPLE_COUNT, 7200},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "alarms=[{name: x, %s, comparison: \">=\", threshold: 5}]",
                 cases[i].alarm);
        struct ddbsim_scenario *s = load(set);
        assert_int_equal(s->alarms[0].statistic, cases[i].statistic);
        assert_int_equal(s->alarms[0].period_s, cases[i].period_s);
        assert_int_equal(s->alarms[0].comparison, DDBSIM_GREATER_OR_EQUAL);
        ddbsim_scenario_destroy(s);
    }
    struct ddbsim_scenario *s = load("alarms.index-80.evaluation_periods=1440");
    assert_int_equal(s->alarms[0].evaluation_periods, 1440);
    ddbsim_scenario_destroy(s);
    s = load("alarms=[]");
    assert_int_equal(s->alarm_count, 0);
    ddbsim_scenario_destroy(s);
    static const char *const signs[][2] = {{"\">\"", "GreaterThanThreshold"},
                                           {"\">=\"", "GreaterThanOrEqualToThreshold"},
                                           {"\"<\"", "LessThanThreshold"},
                                           {"\"<=\"", "LessThanOrEqualToThreshold"}};
    for (size_t i = 0; i < COUNT(signs); i++)
        for (int word = 0; word < 2; word++) {
            char set[128];
            snprintf(set, sizeof set, "alarms.slow.comparison=%s", signs[i][word]);
            s = load(set);
            assert_int_equal(s->alarms[1].comparison, i);
            assert_string_equal(fixture_setting(s, "alarms.slow.comparison"), signs[i][1]);
            ddbsim_scenario_destroy(s);
        }
}

static void refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"index-80.table=null", "\"table\" is missing (only UserErrors"},
        {"index-80.table=cart", "did you mean \"carts\""},
        {"index-80.index=by-stat", "did you mean \"by-state\""},
        {"index-80.metric=ConsumedWriteCapacity", "did you mean \"ConsumedWriteCapacityUnits\""},
        {"index-80.metric=throttled_ratio", "it is an outcome of a run"},
        {"index-80.metric=ThrottledRequests", "by no index"},
        {"index-80.operation=PutItem", "by no operation"},
        {"index-80.metric=UserErrors", "UserErrors by no index"},
        {"index-80.metric=ProvisionedWriteCapacityUnits", "it has Average, Minimum, Maximum"},
        {"index-80.metric=WriteThrottleEvents", "only a Sum of consumed units"},
        {"index-80.statistic=Average", "only a Sum of consumed units"},
        {"index-80.statistic=sum", "has no statistic \"sum\" (it has Sum, Average, Minimum, "},
        {"index-80.statistic=p99", "has no statistic \"p99\""},
        {"slow.statistic=p100", "has no statistic"},
        {"slow.statistic=p0", "has no statistic"},
        {"slow.statistic=p", "has no statistic"},
        {"slow.statistic=p5x", "has no statistic"},
        {"slow.statistic=p99.9999999999999999999", "has no statistic"},
        {"slow.threshold=12%", "only a Sum of consumed units"},
        {"slow.threshold=-1", "is negative"},
        {"slow.threshold=high", "does not begin with a number"},
        {"slow.threshold=null", "\"threshold\" is missing"},
        {"slow.comparison=\"==\"", "is no comparison"},
        {"slow.comparison=GreaterThan", "GreaterThan"},
        {"slow.operation=PutItems", "did you mean \"PutItem\""},
        {"slow.operation=Scans", "there is no operation \"Scans\""},
        {"slow.period=90s", "no multiple of 60 s"},
        {"slow.period=30s", "the least is 1m"},
        {"slow.evaluation_periods=1441", "outside 1..1440"},
        {"slow.evaluation_periods=0", "the least is 1"},
        {"slow.datapoints_to_alarm=2", "cannot breach in 1 evaluation_periods"},
        {"slow.treat_missing_data=notbreaching", "did you mean \"notBreaching\""},
        {"slow.name=index-80", "two entries called"},
        {"slow.name=TargetTracking-table/x-AlarmHigh-write", "those of auto scaling"},
        {"slow.name=\"a\\x7fb\"", "control character"},
        {"slow.actions=x", "there is no \"actions\""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "alarms.%s", cases[i][0]);
        refuse(set, cases[i][1]);
    }
    refuse("alarms=[{name: x, table: carts, metric: ProvisionedReadCapacityUnits, period: 60s, "
           "comparison: \">\", threshold: 5}]",
           "no multiple of 300 s, in which CloudWatch has this metric");
    refuse("alarms=[{name: x, table: carts, metric: UserErrors, comparison: \">\", threshold: 5}]",
           "UserErrors by no table");
    refuse(
        "alarms=[{name: x, table: carts, metric: UserErrors, period: 1h, evaluation_periods: 25, "
        "comparison: \">\", threshold: 5}]",
        "by no table");
    refuse("alarms=[{name: x, metric: UserErrors, period: 1h, evaluation_periods: 25, "
           "comparison: \">\", threshold: 5}]",
           "looks back more than a day (CloudWatch allows");
    refuse("tables.carts.indexes.by-state={type: LOCAL, sort_key: \"{time}\"}",
           "a LOCAL index has no metrics");
    const char *paid = "tables.carts.billing_mode=PAY_PER_REQUEST";
    refuse(paid, "no capacity to take a share of (write a number of units");
    refuse("changes=[{at: +1h, set: {alarms.slow.threshold: 3}}]", "a change cannot set threshold");
}

static void expectations(void **state) {
    (void)state;
    const char *set =
        "expect=[{alarm: index-80, first: \"17:30..18:19\"}, {alarm: slow, count: 0..0}, "
        "{alarm: TargetTracking-table/plain.table-AlarmLow-read, count: 1..3, from: +1h}, "
        "{event: scale_out, table: carts, first: +1h..+2h}, {cause: scaling_too_late}]";
    const char *sets[] = {
        ALARMS, set,
        "tables.\"plain.table\".auto_scaling={read: {min_capacity: 5, max_capacity: 9}}"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 3);
    const struct ddbsim_condition *c = s->expect;
    assert_int_equal(s->expect_count, 5);
    assert_int_equal(c[0].kind, DDBSIM_CONDITION_ALARM_FIRST);
    assert_string_equal(c[0].alarm, "index-80");
    assert_true(c[0].low == 5.5 * 3600 && c[0].high == 6 * 3600 + 19 * 60);
    assert_int_equal(c[1].kind, DDBSIM_CONDITION_ALARM_COUNT);
    assert_true(c[1].low == 0 && c[1].high == 0);
    assert_string_equal(c[1].text, "alarm: slow, count: 0..0");
    assert_string_equal(c[2].alarm, "TargetTracking-table/plain.table-AlarmLow-read");
    assert_int_equal(c[2].from_ns, 3600 * DDBSIM_S);
    assert_int_equal(c[3].kind, DDBSIM_CONDITION_EVENT_FIRST);
    assert_int_equal(c[3].number, DDBSIM_EVENT_SCALE_OUT);
    assert_null(c[3].alarm);
    ddbsim_scenario_destroy(s);
    refuse("expect=[{alarm: index-8, count: 0..0}]", "did you mean \"index-80\"");
    refuse("expect=[{alarm: TargetTracking-table/carts-AlarmHigh-write, count: 0..0}]",
           "there is no alarm");
    refuse("expect=[{alarm: slow}]", "an alarm needs `first` or `count`");
    refuse("expect=[{alarm: slow, first: 1..2, count: 1..2}]", "`first` or `count`");
    refuse("expect=[{alarm: slow, is: 1..2}]", "is does not go with alarm");
    refuse("expect=[{alarm: slow, count: 5%..6%}]", "junk");
    refuse("expect=[{count: 0..0}]", "`alarm` or `cause`");
}

static const char varied[] =
    "version: 1\n"
    "duration: 1h\n"
    "tables:\n"
    "  - name: t\n"
    "    read_capacity: 10\n"
    "    write_capacity: 10\n"
    "    auto_scaling: {write: {min_capacity: 5, max_capacity: 9}}\n"
    "    entities: [{name: e, partition_key: \"{uuid}\", size: 1 KB}]\n"
    "workloads: [{name: w, rate: 1/s, mix: [{operation: PutItem}]}]\n"
    "alarms: [{name: a, table: t, metric: ReadThrottleEvents, comparison: \">\", threshold: 0}]\n"
    "variants:\n"
    "  - name: louder\n"
    "    set: {alarms.a.threshold: 0.5, alarms.*.evaluation_periods: 2}\n"
    "    expect: [{alarm: a, count: 0..0}]\n"
    "  - name: by hand\n"
    "    set: {tables.t.scaler: {up: {above: 80%, by: 5}}, alarms: []}\n"
    "expect: [{alarm: TargetTracking-table/t-AlarmHigh-write, count: 0..9}]\n";

/* A variant has alarms and scaling of its own; what it expects is held against those. */
static void variants(void **state) {
    (void)state;
    struct ddbsim_scenario *s = fixture_load(varied, "louder", NULL, 0);
    assert_true(s->alarms[0].threshold == 0.5);
    assert_int_equal(s->alarms[0].evaluation_periods, 2);
    assert_int_equal(s->alarms[0].datapoints_to_alarm, 2);
    assert_string_equal(s->expect[0].alarm, "a");
    ddbsim_scenario_destroy(s);
    s = fixture_load(varied, "by hand", NULL, 0);
    assert_int_equal(s->alarm_count, 0);
    assert_true(s->tables[0].scaling.scaler.enabled);
    assert_false(s->tables[0].scaling.write.enabled);
    ddbsim_scenario_destroy(s);
    const char *set = "tables.t.auto_scaling=null";
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(varied, NULL, &set, 1, &s, &error), &error, set,
                           "there is no alarm");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alarms),  cmocka_unit_test(dimensions),   cmocka_unit_test(defaults),
        cmocka_unit_test(refused), cmocka_unit_test(expectations), cmocka_unit_test(variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
