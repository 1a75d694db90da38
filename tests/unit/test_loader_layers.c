/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers around the SDK: what is usual, and what cannot be. */
#include "loader_fixture.h"

#define CLIENT "workloads.writer.client="

static void usual(void **state) {
    (void)state;
    const char *sets[] = {CLIENT
                          "{rate_limit: 200/s, rate_control: {}, circuit_breaker: {}, wrapper: "
                          "{max_attempts: 3}}"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 1);
    const struct ddbsim_client *c = &s->workloads[1].client;
    assert_true(c->rate_limit.per_s == 200 && c->rate_limit.adapts);
    assert_true(c->rate_limit.minimum_per_s == 2 && c->rate_limit.increase_per_s == 2);
    assert_int_equal(c->rate_limit.decrease, DDBSIM_SHARE_ONE / 2);
    assert_true(c->breaker.enabled && c->breaker.guards == DDBSIM_GUARDS_CALLS);
    assert_int_equal(c->breaker.counts, DDBSIM_COUNTS_CALLS);
    assert_int_equal(c->breaker.minimum, 20);
    assert_int_equal(c->breaker.open_ns, INT64_C(30000000000));
    assert_int_equal(c->breaker.window_ns, 0);
    assert_int_equal(c->wrapper.max_attempts, 3);
    assert_int_equal(c->wrapper.backoff.growth, 2 * DDBSIM_SHARE_ONE);
    assert_string_equal(fixture_setting(s, "workloads.writer.client.circuit_breaker.minimum"),
                        "20");
    ddbsim_scenario_destroy(s);
    s = fixture_load(fixture, NULL, NULL, 0);
    assert_true(s->workloads[1].client.rate_limit.per_s == 0);
    assert_false(s->workloads[1].client.breaker.enabled);
    assert_int_equal(s->workloads[1].client.wrapper.max_attempts, 1);
    ddbsim_scenario_destroy(s);
}

static void of_retries(void **state) {
    (void)state;
    const char *sets[] = {CLIENT "{circuit_breaker: {guards: retries, failures: 10%}}"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 1);
    const struct ddbsim_breaker *b = &s->workloads[1].client.breaker;
    assert_int_equal(b->counts, DDBSIM_COUNTS_FAILURES_PER_CALL);
    assert_int_equal(b->minimum, 1);
    assert_int_equal(b->open_ns, 0);
    ddbsim_scenario_destroy(s);
}

static void refused(void **state) {
    (void)state;
    static const struct {
        const char *set, *wanted;
    } wrong[] = {
        {"{rate_control: {}}", "needs a rate_limit"},
        {"{rate_limit: 0/s}", "less than one attempt"},
        {"{rate_limit: 5/s, rate_control: {minimum: 6/s}}", "the minimum is at least 0.000001/s"},
        {"{rate_limit: 5/s, rate_control: {minimum: 0/s}}", "the minimum is at least 0.000001/s"},
        {"{rate_limit: 5/s, rate_control: {minimum: 0.0000001/s}}", "the minimum is at least"},
        {"{rate_limit: 5}", "rate"},
        {"{circuit_breaker: {open_for: 0s}}", "must stay open"},
        {"{circuit_breaker: {window: 0s}}", "0s lies outside"},
        {"{circuit_breaker: {failures: 101%}}", "101% lies outside"},
        {"{circuit_breaker: {treshold: 1%}}", "treshold"},
        {"{preset: none, backoff: {base: 10ms}}", "one attempt has no backoff"},
        {"{backoff: {jitter: full}}", "one attempt has no backoff"},
        {"{preset: none, retry_on: {transient: false}}", "one attempt has no retry_on"},
        {"{wrapper: {}}", "max_attempts"},
        {"{wrapper: {max_attempts: 1}}", "1 lies outside"},
        {"{wrapper: {max_attempts: 1000000}}", "2..1000"},
        {"{wrapper: {max_attempts: 2, growth: 0.5}}", "1..1000"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char set[256];
        snprintf(set, sizeof set, CLIENT "%s", wrong[i].set);
        fixture_refuse_set(set, wrong[i].wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual),
        cmocka_unit_test(of_retries),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
