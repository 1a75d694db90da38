/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Thresholds and expectations: what each form becomes, its units, and what is refused. */
#include "unit/loader_fixture.h"

#include <base/types.h>
#include <math.h>

static struct ddbsim_scenario *with(const char *key, const char *text) {
    char set[512];
    snprintf(set, sizeof set, "%s=[%s]", key, text);
    const char *sets[] = {set};
    return fixture_load(fixture, NULL, sets, 1);
}

static void thresholds(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int number;
        double low, high;
        bool low_open, high_open;
        enum ddbsim_statistic statistic;
    } cases[] = {
        {"throttled_ratio < 0.1%", DDBSIM_OUTCOME_THROTTLED_RATIO, -INFINITY, 0.001, false, true,
         DDBSIM_SUM},
        {"failed_ratio{workload: shop} <= 1%", DDBSIM_OUTCOME_FAILED_RATIO, -INFINITY, 0.01, false,
         false, DDBSIM_SUM},
        {"caller_p99{from: +1h, to: \"19:00\"} < 250ms", DDBSIM_OUTCOME_CALLER_P99, -INFINITY, 250,
         false, true, DDBSIM_SUM},
        {"attempts>=5", DDBSIM_OUTCOME_ATTEMPTS, 5, INFINITY, false, false, DDBSIM_SUM},
        {"amplification > 1.5", DDBSIM_OUTCOME_AMPLIFICATION, 1.5, INFINITY, true, false,
         DDBSIM_SUM},
        {"ThrottledRequests{table: carts, operation: UpdateItem} == 0",
         DDBSIM_OUTCOME_KINDS + DDBSIM_METRIC_THROTTLED_REQUESTS, 0, 0, false, false, DDBSIM_SUM},
        {"SuccessfulRequestLatency < 20ms", DDBSIM_OUTCOME_KINDS + DDBSIM_METRIC_SUCCESSFUL_LATENCY,
         -INFINITY, 20, false, true, DDBSIM_AVERAGE},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char quoted[256];
        snprintf(quoted, sizeof quoted, "'%s'", cases[i].text);
        struct ddbsim_scenario *s = with("thresholds", quoted);
        const struct ddbsim_condition *c = &s->thresholds[0];
        assert_string_equal(c->text, cases[i].text);
        assert_int_equal(c->kind, DDBSIM_CONDITION_METRIC);
        assert_int_equal(c->number, cases[i].number);
        assert_true(c->low == cases[i].low);
        assert_true(c->high == cases[i].high);
        assert_int_equal(c->low_open, cases[i].low_open);
        assert_int_equal(c->high_open, cases[i].high_open);
        assert_int_equal(c->statistic, cases[i].statistic);
        ddbsim_scenario_destroy(s);
    }
    struct ddbsim_scenario *s =
        with("thresholds",
             "'attempts{workload: shop, table: carts, index: by-state, operation: PutItem, "
             "reason: TableWriteProvisionedThroughputExceeded, from: \"13:00\", to: +2h} > 0'");
    const struct ddbsim_condition *c = &s->thresholds[0];
    assert_string_equal(c->workload, "shop");
    assert_string_equal(c->table, "carts");
    assert_string_equal(c->index, "by-state");
    assert_string_equal(c->operation, "PutItem");
    assert_string_equal(c->reason, "TableWriteProvisionedThroughputExceeded");
    assert_int_equal(c->from_ns, 3600 * NS_PER_S);
    assert_int_equal(c->to_ns, 7200 * NS_PER_S);
    ddbsim_scenario_destroy(s);
}

static void expectations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        enum ddbsim_condition_kind kind;
        int number;
        double low, high;
        enum ddbsim_statistic statistic;
        enum ddbsim_over over;
    } cases[] = {
        {"metric: throttled_ratio, is: 0%..0.1%", DDBSIM_CONDITION_METRIC,
         DDBSIM_OUTCOME_THROTTLED_RATIO, 0, 0.001, DDBSIM_SUM, false},
        {"metric: ConsumedWriteCapacityUnits, statistic: PerSecond, table: carts, is: 97.5..100.5, "
         "of: "
         "mean",
         DDBSIM_CONDITION_METRIC, DDBSIM_OUTCOME_KINDS + DDBSIM_METRIC_CONSUMED_WRITE, 97.5, 100.5,
         DDBSIM_PER_SECOND, true},
        {"metric: SuccessfulRequestLatency, statistic: p99, is: 5ms..0.3s", DDBSIM_CONDITION_METRIC,
         DDBSIM_OUTCOME_KINDS + DDBSIM_METRIC_SUCCESSFUL_LATENCY, 5, 300, DDBSIM_P99, false},
        {"metric: SuccessfulRequestLatency, statistic: SampleCount, is: 5..10",
         DDBSIM_CONDITION_METRIC, DDBSIM_OUTCOME_KINDS + DDBSIM_METRIC_SUCCESSFUL_LATENCY, 5, 10,
         DDBSIM_SAMPLE_COUNT, false},
        {"reason: IndexWriteProvisionedThroughputExceeded, share: 99%..100%",
         DDBSIM_CONDITION_REASON, DDBSIM_INDEX_WRITE_PROVISIONED, 0.99, 1, DDBSIM_SUM, false},
        {"event: throttling_started, first: 18:15..18:20", DDBSIM_CONDITION_EVENT_FIRST,
         DDBSIM_EVENT_THROTTLING_STARTED, 22500, 22800, DDBSIM_SUM, false},
        {"event: burst_empty, count: 0..2", DDBSIM_CONDITION_EVENT_COUNT, DDBSIM_EVENT_BURST_EMPTY,
         0, 2, DDBSIM_SUM, false},
        {"cause: hot_partition", DDBSIM_CONDITION_CAUSE, DDBSIM_CAUSE_HOT_PARTITION, 0, 0,
         DDBSIM_SUM, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char braces[256];
        snprintf(braces, sizeof braces, "{%s}", cases[i].text);
        struct ddbsim_scenario *s = with("expect", braces);
        const struct ddbsim_condition *c = &s->expect[0];
        assert_string_equal(c->text, cases[i].text);
        assert_int_equal(c->kind, cases[i].kind);
        assert_int_equal(c->number, cases[i].number);
        assert_true(c->low == cases[i].low);
        assert_true(c->high == cases[i].high);
        assert_false(c->low_open || c->high_open);
        assert_int_equal(c->statistic, cases[i].statistic);
        assert_int_equal(c->over, cases[i].over);
        ddbsim_scenario_destroy(s);
    }
}

static void thresholds_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"throttled_ratio < 0.1", "write 10%"},
        {"throttled_ratio", "METRIC{tag: value} OP VALUE"},
        {"throttled_ratio <", "METRIC{tag: value} OP VALUE"},
        {"throttled_ratio = 1%", "METRIC{tag: value} OP VALUE"},
        {"throttled_ratio ! 1%", "METRIC{tag: value} OP VALUE"},
        {"< 5", "METRIC{tag: value} OP VALUE"},
        {"attempts{workload: shop < 5", "METRIC{tag: value} OP VALUE"},
        {"attempts{[workload]} < 5", "METRIC{tag: value} OP VALUE"},
        {"attempts{worklod: shop} < 5", "tags are"},
        {"attempts{workload: {a: b}} < 5", "METRIC{tag: value} OP VALUE"},
        {"attempts{workload: [shop]} < 5", "form"},
        {"attempts{workload: &a shop} < 5", "METRIC{tag: value} OP VALUE"},
        {"attempts{workload: shp} < 5", "did you mean \"shop\""},
        {"attempts{table: cart} < 5", "did you mean \"carts\""},
        {"attempts{table: plain.table, index: by-state} < 5", "no index"},
        {"attempts{operation: Scans} < 5", "there is no operation"},
        {"attempts{from: 25:00} < 5", "no moment"},
        {"attempts{from: +2h, to: +1h} < 5", "empty"},
        {"attempts{to: +9h} < 5", "after the scenario's end (it runs from "},
        {"atempts < 5", "did you mean \"attempts\""},
        {"cost_per_day < 5", "cost_per_day is not supported yet"},
        {"attempts < 5 and more", "junk"},
        {"caller_p99 < 250", "no unit (latencies have a unit: write 250ms)"},
        {"attempts < nan", "does not begin with a number"},
        {"attempts < -5", "negative"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "thresholds=['%s']", cases[i][0]);
        fixture_refuse_set(set, cases[i][1]);
    }
    fixture_refuse_set("thresholds=['attempts < 5', 'attempts < 5']", "twice");
    fixture_refuse_set("thresholds=[{metric: attempts}]", "text in quotes");
}

static void expectations_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"is: 0..1", "what it is about"},
        {"metric: attempts", "needs `is`"},
        {"metric: attempts, is: 5..1", "below its beginning"},
        {"metric: attempts, is: 5%..6%", "junk"},
        {"metric: attempts, is: 0..1, statistic: Sum", "only with CloudWatch metrics"},
        {"metric: attempts, is: 0..1, share: 5%", "share does not go with metric"},
        {"metric: ThrottledRequest, is: 0..1", "did you mean \"ThrottledRequests\""},
        {"metric: ThrottledRequests, is: 0..1, statistic: p42", "is no statistic"},
        {"metric: cost_per_day, is: 0..1", "cost_per_day is not supported yet"},
        {"reason: IndexWriteProvisionedThroughputExceeded", "needs `share`"},
        {"reason: IndexWriteProvisioned, share: 5%", "no reason"},
        {"reason: IndexWriteProvisionedThroughputExceeded, share: 0.5..1", "write 50%"},
        {"event: throttling_started", "`first` or `count`"},
        {"event: throttling_started, first: 1..2, count: 1..2", "`first` or `count`"},
        {"event: scale_outs, count: 0..0", "did you mean \"scale_out\""},
        {"event: burst_empty, count: 0.5..1", "whole number"},
        {"event: burst_empty, first: 1..2", "no moment"},
        {"cause: retry_stork", "did you mean \"retry_storm\""},
        {"cause: hot_partion", "did you mean \"hot_partition\""},
        {"cause: none, is: 0..1", "is does not go with cause"},
        {"alarm: index-80, first: \"17:30..18:19\"", "there is no alarm \"index-80\""},
        {"cause: none, of: all", "each, seed, mean"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "expect=[{%s}]", cases[i][0]);
        fixture_refuse_set(set, cases[i][1]);
    }
    fixture_refuse_set("expect=[{cause: none}, {cause: none}]", "twice");
    fixture_refuse_set("expect={cause: none}", "a list is wanted");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thresholds),
        cmocka_unit_test(expectations),
        cmocka_unit_test(thresholds_refused),
        cmocka_unit_test(expectations_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
