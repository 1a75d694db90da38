/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults: what they are of, and what they may not be (M-100). */
#include "loader_fixture.h"

static struct ddbsim_scenario *load(const char *set) {
    return fixture_load(fixture, NULL, &set, 1);
}

static void faults(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load("faults=[{at: \"12:30\", for: 2m, table: carts, kind: "
                                     "capacity, to: 33.33%}, {name: slow, at: "
                                     "+10m, for: 1h, table: plain.table, kind: latency, to: "
                                     "200ms}, {at: +7h59m, for: 9h, table: "
                                     "carts, kind: errors, to: 100%}, {at: +1h, for: 5m, kind: "
                                     "clients_pause}, {at: +2h, for: 5m, "
                                     "kind: clients_pause, workload: shop}]");
    assert_int_equal(s->fault_count, 5);
    const struct ddbsim_fault *f = s->faults;
    assert_int_equal(f[0].kind, DDBSIM_FAULT_CAPACITY);
    assert_int_equal(f[0].at_ns, 1800 * INT64_C(1000000000));
    assert_int_equal(f[0].end_ns, 1920 * INT64_C(1000000000));
    assert_int_equal(f[0].table, 0);
    assert_int_equal(f[0].workload, DDBSIM_NONE);
    assert_int_equal(f[0].to, 333300000);
    assert_string_equal(f[0].detail, "{\"fault\":\"capacity\",\"to\":\"33.33%\",\"for\":\"2m\"}");
    assert_int_equal(f[1].table, 1);
    assert_int_equal(f[1].to, 200000000);
    assert_int_equal(f[2].end_ns, (8 * 3600 - 60 + 9 * 3600) * INT64_C(1000000000));
    assert_int_equal(f[3].workload, DDBSIM_NONE);
    assert_int_equal(f[3].table, DDBSIM_NONE);
    assert_int_equal(f[4].workload, 0);
    assert_string_equal(fixture_setting(s, "faults.slow.to"), "200ms");
    ddbsim_scenario_destroy(s);
}

/* Different kinds may overlap, and one kind on different tables, or one right after the other. */
static void together(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(
        "faults=[{at: +1h, for: 5m, table: carts, kind: capacity, to: 30%}, {at: +1h, for: 5m, "
        "table: carts, kind: errors, to: 3%}, {at: +1h, for: 5m, table: plain.table, kind: "
        "capacity, to: 5%}, {at: +1h5m, for: 5m, table: carts, kind: capacity, to: 50%}]");
    assert_int_equal(s->fault_count, 4);
    ddbsim_scenario_destroy(s);
}

static void dax(void **state) {
    (void)state;
    const char *sets[] = {
        "workloads.shop.dax={item_ttl: 5m}",
        "faults=[{at: +1h, kind: dax_flush}, {at: +1h, kind: dax_flush, workload: "
        "shop}]"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, 2);
    assert_int_equal(s->faults[0].at_ns, s->faults[0].end_ns);
    ddbsim_scenario_destroy(s);
}

static void m100_what_cannot_be_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *set, *wanted;
    } wrong[] = {
        {"{at: +9h, for: 2m, table: carts, kind: capacity, to: 30%}",
         "the fault begins after the scenario's end"},
        {"{at: +1h, for: 0s, table: carts, kind: capacity, to: 30%}", "0s lies outside"},
        {"{at: +1h, table: carts, kind: capacity, to: 30%}", "the key \"for\" is missing"},
        {"{at: +1h, for: 2m, table: carts, kind: capacity}", "the key \"to\" is missing"},
        {"{at: +1h, for: 2m, table: carts, to: 30%}", "the key \"kind\" is missing"},
        {"{at: +1h, for: 2m, kind: capacity, to: 30%}", "the key \"table\" is missing"},
        {"{at: +1h, for: 2m, table: cart, kind: capacity, to: 30%}", "there is no table \"cart\""},
        {"{at: +1h, for: 2m, table: carts, kind: capacity, to: 200ms}", "`to` is a share"},
        {"{at: +1h, for: 2m, table: carts, kind: errors, to: 200ms}", "`to` is a share"},
        {"{at: +1h, for: 2m, table: carts, kind: latency, to: 30%}", "`to` is a duration"},
        {"{at: +1h, for: 2m, table: carts, kind: capacity, to: 100%}", "0.01%..99.99%"},
        {"{at: +1h, for: 2m, table: carts, kind: capacity, to: 33.333%}", "in steps of 0.01%"},
        {"{at: +1h, for: 2m, table: carts, kind: errors, to: 0%}", "0% lies outside"},
        {"{at: +1h, for: 2m, table: carts, kind: capcity, to: 3%}", "is no kind"},
        {"{at: +1h, for: 2m, workload: shop, table: carts, kind: errors, to: 3%}",
         "this kind of fault is a table's"},
        {"{at: +1h, for: 2m, table: carts, kind: clients_pause}", "is the callers'"},
        {"{at: +1h, for: 2m, workload: shopp, kind: clients_pause}", "no workload \"shopp\""},
        {"{at: +1h, for: 2m, to: 3%, kind: clients_pause}", "is there or is not"},
        {"{at: +1h, kind: dax_flush}", "no cache"},
        {"{at: +1h, for: 2m, kind: dax_flush}", "happens at one moment"},
        {"{at: +1h, for: 2m, table: carts, kind: errors, to: 3%}, {at: +1h1m, for: 2m, table: "
         "carts, "
         "kind: errors, to: 4%}",
         "two faults of one kind"},
        {"{at: +1h, for: 2m, kind: clients_pause}, {at: +1h1m, for: 2m, kind: clients_pause, "
         "workload: shop}",
         "two faults of one kind"},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char set[512];
        snprintf(set, sizeof set, "faults=[%s]", wrong[i].set);
        const char *sets[] = {set};
        struct ddbsim_scenario *scenario;
        struct ddbsim_error error;
        fixture_expect_refusal(fixture_parse(fixture, NULL, sets, 1, &scenario, &error), &error,
                               set, wrong[i].wanted);
    }
}

/* The hint says what to write, whichever kind it is. */
static void hints(void **state) {
    (void)state;
    static const struct {
        const char *to, *hint;
    } wrong[] = {{"0.2", "a share looks like 20%, a duration like 200ms"},
                 {"20", "a share looks like 20%, a duration like 200ms"},
                 {"0%", "serves nothing is `kind: errors` with `to: 100%`"},
                 {"120%", "serves nothing is `kind: errors` with `to: 100%`"}};
    static const char *const kinds[] = {"capacity", "errors", "latency"};
    for (size_t i = 0; i < COUNT(wrong) * COUNT(kinds); i++) {
        char set[256];
        snprintf(set, sizeof set, "faults=[{at: +1h, for: 2m, table: carts, kind: %s, to: %s}]",
                 kinds[i / COUNT(wrong)], wrong[i % COUNT(wrong)].to);
        const char *sets[] = {set};
        struct ddbsim_scenario *scenario;
        struct ddbsim_error error;
        fixture_expect_refusal(fixture_parse(fixture, NULL, sets, 1, &scenario, &error), &error,
                               set, "faults.1.to");
        if (!strstr(error.hint, wrong[i % COUNT(wrong)].hint))
            fail_msg("%s: hint %s", set, error.hint);
    }
}

/* A capacity that is divided, or that nobody refuses by, has nothing to scale. */
static void m101_needs_a_bucket(void **state) {
    (void)state;
    static const char fault[] =
        "faults=[{at: +1h, for: 2m, table: carts, kind: capacity, to: 30%}]";
    static const struct {
        const char *set, *wanted;
    } wrong[] = {{"rules=2017", "the admission of today"},
                 {"tables.carts.throttling=false", "refuses nothing"}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        const char *sets[] = {wrong[i].set, fault};
        struct ddbsim_scenario *scenario;
        struct ddbsim_error error;
        fixture_expect_refusal(fixture_parse(fixture, NULL, sets, 2, &scenario, &error), &error,
                               wrong[i].set, wrong[i].wanted);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults), cmocka_unit_test(together),
        cmocka_unit_test(dax),    cmocka_unit_test(m100_what_cannot_be_is_refused),
        cmocka_unit_test(hints),  cmocka_unit_test(m101_needs_a_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
