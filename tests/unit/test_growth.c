/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How an on-demand table grows (M-42, M-43, M-44), fed with consumption tick by tick. */
#include <model/growth.h>
#include <support/prop.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROUNDS 100
#else
#define ROUNDS 1000
#endif

static const struct ddbsim_assumptions defaults = {
    .peak_window_ns = 60 * NS_PER_S,
    .peak_settle_ns = 300 * NS_PER_S,
    .double_interval_ns = 1800 * NS_PER_S,
};

static struct growth start_with(const struct growth_start *start) {
    struct growth growth;
    growth_init(&growth, &defaults, start);
    return growth;
}

static struct growth new_table(void) {
    const struct growth_start start = {.initial = {12000, 4000}};
    return start_with(&start);
}

/* So many write units a second for a while. */
static void consume(struct growth *growth, int64_t rate, int64_t seconds) {
    const int64_t nano[DIRECTIONS] = {0, rate * GROWTH_TICK_S * NANO};
    for (int64_t s = 0; s < seconds; s += GROWTH_TICK_S)
        growth_tick(growth, nano);
}

static void m42_a_new_table(void **state) {
    (void)state;
    struct growth growth = new_table();
    assert_int_equal(growth.rule[READ], 12000);
    assert_int_equal(growth.rule[WRITE], 4000);
    assert_false(growth_has_grown(&growth));
    consume(&growth, 2000, 7200); /* within half of what it serves: nothing to grow for */
    assert_int_equal(growth.rule[WRITE], 4000);
    assert_false(growth_has_grown(&growth));
}

static void m44_warm_and_previous_peak(void **state) {
    (void)state;
    struct growth_start start = {.initial = {12000, 4000}, .peak = {100, 15000}};
    struct growth growth = start_with(&start);
    assert_int_equal(growth.rule[READ], 12000);
    assert_int_equal(growth.rule[WRITE], 30000);
    start.warm[READ] = 50000;
    start.warm[WRITE] = 29999;
    growth = start_with(&start);
    assert_int_equal(growth.rule[READ], 50000);
    assert_int_equal(growth.rule[WRITE], 30000);
    assert_false(growth_has_grown(&growth)); /* its partitions are there already */
    consume(&growth, 15000, 7200);
    assert_int_equal(growth.rule[WRITE], 30000);
    consume(&growth, 20000, 400);
    assert_int_equal(growth.rule[WRITE], 40000);
    assert_true(growth_has_grown(&growth));
}

/* Averaged over a minute, and five minutes later: not before. */
static void m43_a_peak_counts_once_it_settled(void **state) {
    (void)state;
    struct growth growth = new_table();
    consume(&growth, 3000, 60);
    consume(&growth, 0, 240);
    assert_int_equal(growth.rule[WRITE], 4000);
    consume(&growth, 0, 50);
    assert_int_equal(growth.rule[WRITE], 5000); /* of the minute that ended ten seconds earlier */
    consume(&growth, 0, 10);
    assert_int_equal(growth.rule[WRITE], 6000);
    assert_int_equal(growth.rule[READ], 12000); /* each direction on its own */
}

/* Half a minute's spike is half a peak. */
static void m43_a_peak_is_an_average(void **state) {
    (void)state;
    struct growth growth = new_table();
    consume(&growth, 6000, 30);
    consume(&growth, 0, 3600);
    assert_int_equal(growth.counted[WRITE], 3000);
    assert_int_equal(growth.rule[WRITE], 6000);
}

/* A ramp of a minute up to 4,000 is met with what there was for five minutes. */
static void m43_a_ramp_of_a_minute(void **state) {
    (void)state;
    struct growth growth = new_table();
    for (int64_t t = 0; t < 60; t += GROWTH_TICK_S) {
        consume(&growth, 4000 * (t + GROWTH_TICK_S) / 60, GROWTH_TICK_S);
        assert_int_equal(growth.rule[WRITE], 4000);
    }
    for (int64_t t = 60; t < 300; t += GROWTH_TICK_S) {
        consume(&growth, 4000, GROWTH_TICK_S);
        assert_int_equal(growth.rule[WRITE], 4000);
    }
    consume(&growth, 4000, 600);
    assert_int_equal(growth.rule[WRITE], 8000);
}

/* Spikes of 4,000 and, a few minutes later, of 8,000 are served; 16,000 within half an hour are not. */
static void m43_spikes(void **state) {
    (void)state;
    struct growth growth = new_table();
    consume(&growth, 4000, 60);
    consume(&growth, 0, 300);
    assert_true(growth.rule[WRITE] >= 8000);
    consume(&growth, 8000, 60);
    consume(&growth, 0, 360);
    assert_true(growth.rule[WRITE] < 16000);
    assert_int_equal(growth.rule[WRITE], 8000);
    consume(&growth, 0, 1680); /* half an hour after the peak of 8,000 counted */
    assert_int_equal(growth.rule[WRITE], 8000);
    consume(&growth, 0, 60);
    assert_int_equal(growth.rule[WRITE], 16000);
}

/* Over random loads: never falls, at most doubles within the interval, is never beyond twice a settled peak
 * or its start, nor beyond twice the peak that counted an interval ago. */
static bool growth_property(struct rng *rng) {
    struct ddbsim_assumptions model = {
        .peak_window_ns = prop_between(rng, 1, 30) * 10 * NS_PER_S,
        .peak_settle_ns = prop_between(rng, 0, 180) * 10 * NS_PER_S,
        .double_interval_ns = prop_between(rng, 30, 360) * 10 * NS_PER_S,
    };
    const struct growth_start start = {
        .initial = {prop_between(rng, 1, 20000), prop_between(rng, 1, 20000)},
        .warm = {0, prop_between(rng, 0, 40000)},
        .peak = {prop_between(rng, 0, 40000), 0}};
    struct growth growth;
    growth_init(&growth, &model, &start);
    enum { TICKS = 900 };
    static int64_t rules[DIRECTIONS][TICKS + 1], counted[DIRECTIONS][TICKS + 1];
    int64_t highest[DIRECTIONS] = {start.peak[READ], start.peak[WRITE]};
    int64_t interval = model.double_interval_ns / (GROWTH_TICK_S * NS_PER_S);
    for (int d = 0; d < DIRECTIONS; d++) {
        rules[d][0] = growth.rule[d];
        counted[d][0] = larger(start.peak[d], larger(start.initial[d], start.warm[d]));
        PROP_CHECK(rules[d][0] >= start.initial[d] && rules[d][0] >= start.warm[d] &&
                   rules[d][0] >= 2 * start.peak[d]);
    }
    int64_t load[DIRECTIONS] = {0, 0};
    for (int64_t t = 1; t <= TICKS; t++) {
        for (int d = 0; d < DIRECTIONS; d++) {
            if (rng_next(rng) % 20 == 0) load[d] = (int64_t)prop_magnitude(rng, 18);
            if (load[d] > highest[d]) highest[d] = load[d];
        }
        const int64_t nano[DIRECTIONS] = {load[READ] * GROWTH_TICK_S * NANO,
                                          load[WRITE] * GROWTH_TICK_S * NANO};
        growth_tick(&growth, nano);
        for (int d = 0; d < DIRECTIONS; d++) {
            int64_t before = rules[d][t > interval ? t - interval : 0];
            rules[d][t] = growth.rule[d];
            counted[d][t] = larger(counted[d][0], growth.counted[d]);
            int64_t peak_before = counted[d][t > interval ? t - interval : 0];
            PROP_CHECK(rules[d][t] >= rules[d][t - 1]);
            PROP_CHECK(rules[d][t] <= 2 * before);
            PROP_CHECK(rules[d][t] <= 2 * peak_before);
            PROP_CHECK(rules[d][t] == rules[d][0] || rules[d][t] <= 2 * highest[d]);
        }
    }
    return true;
}

static void m43_never_falls_and_at_most_doubles(void **state) {
    (void)state;
    prop_run("growth", growth_property, 43, ROUNDS);
}

/* However fast the load rises: a doubling an interval is what there is. */
static void m43_a_doubling_every_interval(void **state) {
    (void)state;
    struct growth growth = new_table();
    for (int i = 1; i <= 5; i++) {
        consume(&growth, 1000000, 1800);
        assert_int_equal(growth.rule[WRITE], INT64_C(4000) << i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m42_a_new_table),
        cmocka_unit_test(m43_a_doubling_every_interval),
        cmocka_unit_test(m43_a_peak_counts_once_it_settled),
        cmocka_unit_test(m43_a_peak_is_an_average),
        cmocka_unit_test(m43_a_ramp_of_a_minute),
        cmocka_unit_test(m43_never_falls_and_at_most_doubles),
        cmocka_unit_test(m43_spikes),
        cmocka_unit_test(m44_warm_and_previous_peak),
    };
    return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
