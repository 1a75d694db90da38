/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arrival clock against closed forms: paced arrivals of constant, rising, falling and stepped
 * rates. */
#include "workloads_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <workloads/arrival.h>

static struct ddbsim_workload paced(double rate, const struct ddbsim_stage *stages,
                                    uint32_t count) {
    return (struct ddbsim_workload){.name = "w",
                                    .end_ns = 3600 * NS_PER_S,
                                    .scale = 1,
                                    .arrivals = DDBSIM_PACED,
                                    .start_rate_per_s = rate,
                                    .stages = stages,
                                    .stage_count = count};
}

static void near_s(int64_t t_ns, double expected_s) {
    if (fabs((double)t_ns - expected_s * 1e9) > 2)
        fail_msg("%lld ns, expected %.3f", (long long)t_ns, expected_s * 1e9);
}

/* A clock is large: one at a time is enough. */
static struct arrival_clock *clock_of(const struct ddbsim_workload *workload) {
    struct arrival_clock *clock = malloc(sizeof *clock);
    assert_non_null(clock);
    arrival_start(clock, workload, 42);
    return clock;
}

static void constant_rate_is_exact(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(8, NULL, 0);
    w.start_ns = 5 * NS_PER_S;
    struct arrival_clock *clock = clock_of(&w);
    for (int64_t k = 0; k < 8 * 3595; k++) {
        assert_int_equal(clock->next_ns, 5 * NS_PER_S + k * 125000000 + 62500000);
        arrival_pass(clock);
    }
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
}

static void scale_multiplies(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(2, NULL, 0);
    w.scale = 3.89;
    struct arrival_clock *clock = clock_of(&w);
    for (int k = 0; k < 1000; k++, arrival_pass(clock))
        near_s(clock->next_ns, (k + 0.5) / 7.78);
    free(clock);
}

static void ramps_follow_the_inverse(void **state) {
    (void)state;
    /* 0 -> 10/s in 100 s: L = x^2/20. Then 10 -> 0 in 50 s: 250 more, L = 10 x - x^2/10. Then
     * silence. */
    const struct ddbsim_stage stages[] = {{"up", 100 * NS_PER_S, 10}, {"down", 50 * NS_PER_S, 0}};
    struct ddbsim_workload w = paced(0, stages, 2);
    struct arrival_clock *clock = clock_of(&w);
    for (int k = 0; k < 750; k++, arrival_pass(clock)) {
        double l = k + 0.5;
        if (l <= 500)
            near_s(clock->next_ns, sqrt(20 * l));
        else
            near_s(clock->next_ns, 100 + 50 - sqrt(2500 - 10 * (l - 500)));
    }
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
}

static void steps_and_holds(void **state) {
    (void)state;
    /* 1/s for 10 s, a step to silence for 20 s, a step to 4/s that holds to the end. */
    const struct ddbsim_stage stages[] = {
        {"calm", 10 * NS_PER_S, 1}, {"stop", 0, 0}, {"pause", 20 * NS_PER_S, 0}, {"go", 0, 4}};
    struct ddbsim_workload w = paced(1, stages, 4);
    w.end_ns = 40 * NS_PER_S;
    struct arrival_clock *clock = clock_of(&w);
    for (int k = 0; k < 10; k++, arrival_pass(clock))
        near_s(clock->next_ns, k + 0.5);
    for (int k = 0; k < 40; k++, arrival_pass(clock))
        near_s(clock->next_ns, 30 + (k + 0.5) / 4);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
}

static void zero_rate_and_empty_windows_are_silent(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(0, NULL, 0);
    struct arrival_clock *clock = clock_of(&w);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
    w = paced(5, NULL, 0);
    w.start_ns = w.end_ns;
    clock = clock_of(&w);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
    w = paced(1e-300, NULL, 0);
    w.end_ns = TIME_NEVER;
    clock = clock_of(&w);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
}

static void end_is_excluded_and_start_included(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(0.5, NULL, 0); /* arrivals at 1 s, 3 s, 5 s */
    w.end_ns = 5 * NS_PER_S;
    struct arrival_clock *clock = clock_of(&w);
    assert_int_equal(clock->next_ns, NS_PER_S);
    arrival_pass(clock);
    assert_int_equal(clock->next_ns, 3 * NS_PER_S);
    arrival_pass(clock);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
    w.end_ns++;
    clock = clock_of(&w);
    arrival_pass(clock);
    arrival_pass(clock);
    assert_int_equal(clock->next_ns, 5 * NS_PER_S);
    free(clock);
}

static void end_cuts_a_ramp(void **state) {
    (void)state;
    const struct ddbsim_stage stages[] = {{"up", 100 * NS_PER_S, 10}};
    struct ddbsim_workload w = paced(0, stages, 1);
    w.end_ns = 50 * NS_PER_S; /* 125 arrivals expected until then */
    struct arrival_clock *clock = clock_of(&w);
    int k = 0;
    for (; clock->next_ns != TIME_NEVER; k++, arrival_pass(clock))
        near_s(clock->next_ns, sqrt(20 * (k + 0.5)));
    assert_int_equal(k, 125);
    free(clock);
}

static void a_change_of_scale_remaps_the_remainder(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(1, NULL, 0), twice = w;
    twice.scale = 2;
    struct arrival_clock *clock = clock_of(&w);
    for (int k = 0; k < 10; k++)
        arrival_pass(clock);
    near_s(clock->next_ns, 10.5);
    /* At 9.9 s 0.6 arrivals are still due: at 2/s that is 0.3 s. */
    arrival_change(clock, &twice, 9900 * NS_PER_MS);
    near_s(clock->next_ns, 10.2);
    arrival_pass(clock);
    near_s(clock->next_ns, 10.7);
    /* And a second change inside the same wait: 0.2 s at 2/s have gone, 0.6 are left at 1/s. */
    arrival_change(clock, &w, 10400 * NS_PER_MS);
    near_s(clock->next_ns, 11.0);
    free(clock);
}

static void a_change_keeps_the_stages_in_place(void **state) {
    (void)state;
    const struct ddbsim_stage before[] = {{"up", 100 * NS_PER_S, 10}};
    const struct ddbsim_stage later[] = {{"up", 100 * NS_PER_S, 20}, {"off", 0, 0}};
    struct ddbsim_workload w = paced(0, before, 1), x = paced(0, later, 2);
    struct arrival_clock *clock = clock_of(&w);
    while (clock->next_ns < 60 * NS_PER_S)
        arrival_pass(clock);
    /* L until 60 s is 180, so arrival 180 (at 180.5) is pending; from then L = 180 + (x^2 - 3600)
     * / 10. */
    arrival_change(clock, &x, 60 * NS_PER_S);
    for (int k = 180; k < 820; k++, arrival_pass(clock))
        near_s(clock->next_ns, sqrt(10 * (k + 0.5 - 180) + 3600));
    assert_int_equal(clock->next_ns, TIME_NEVER);
    free(clock);
}

static void silence_and_removal_keep_the_wait(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(1, NULL, 0), silent = paced(0, NULL, 0);
    struct arrival_clock *clock = clock_of(&w);
    arrival_change(clock, &silent, 200 * NS_PER_MS);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    arrival_change(clock, &w, 100 * NS_PER_S);
    near_s(clock->next_ns, 100.3);
    arrival_change(clock, NULL, 100 * NS_PER_S + 100 * NS_PER_MS);
    assert_int_equal(clock->next_ns, TIME_NEVER);
    arrival_change(clock, &w, 200 * NS_PER_S);
    near_s(clock->next_ns, 200.2);
    free(clock);
}

static void a_change_before_the_start_acts_from_the_start(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(1, NULL, 0), twice = w;
    w.start_ns = twice.start_ns = 10 * NS_PER_S;
    twice.scale = 2;
    struct arrival_clock *clock = clock_of(&w);
    near_s(clock->next_ns, 10.5);
    arrival_change(clock, &twice, 3 * NS_PER_S);
    near_s(clock->next_ns, 10.25);
    free(clock);
}

static void paced_and_poisson_share_numbers(void **state) {
    (void)state;
    /* A workload that was paced for 600 arrivals continues with the waits of the same numbers. */
    struct ddbsim_workload w = paced(1, NULL, 0), poisson = w;
    poisson.arrivals = DDBSIM_POISSON;
    struct arrival_clock *clock = clock_of(&w), *random = clock_of(&poisson);
    for (int k = 0; k < 600; k++) {
        arrival_pass(clock);
        arrival_pass(random);
    }
    arrival_change(clock, &poisson, clock->next_ns);
    int64_t paced_ns = clock->next_ns, random_ns = random->next_ns;
    for (int k = 0; k < 600; k++) {
        arrival_pass(clock);
        arrival_pass(random);
        int64_t a = clock->next_ns - paced_ns, b = random->next_ns - random_ns;
        if (llabs(a - b) > 2) fail_msg("gap %d: %lld, %lld", k, (long long)a, (long long)b);
    }
    free(clock);
    free(random);
}

static void a_long_run_does_not_drift(void **state) {
    (void)state;
    /* 3 million steps over a thousand ramps up and down: every ramp pair has exactly 3,000
     * arrivals. */
    enum { PAIRS = 1000 };
    struct ddbsim_stage *stages = calloc(2 * PAIRS, sizeof *stages);
    assert_non_null(stages);
    for (int i = 0; i < PAIRS; i++) {
        stages[2 * i] = (struct ddbsim_stage){"up", NS_PER_S, 2500};
        stages[2 * i + 1] = (struct ddbsim_stage){"down", NS_PER_S, 500};
    }
    struct ddbsim_workload w = paced(500, stages, 2 * PAIRS);
    struct arrival_clock *clock = clock_of(&w);
    int64_t first[3000];
    for (int k = 0; k < 3000; k++, arrival_pass(clock))
        first[k] = clock->next_ns;
    for (int64_t k = 3000; k < 3000 * PAIRS; k++, arrival_pass(clock)) {
        int64_t expected = first[k % 3000] + k / 3000 * 2 * NS_PER_S;
        if (llabs(clock->next_ns - expected) > 3) fail_msg("arrival %lld drifted", (long long)k);
    }
    free(stages);
    free(clock);
}

/* 60 a second as 3,600 in one second of each minute: paced, so every time is known. */
static void m121_bursts(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(60, NULL, 0);
    w.start_ns = 7 * NS_PER_S;
    w.burst_on_ns = NS_PER_S;
    w.burst_off_ns = 59 * NS_PER_S;
    struct arrival_clock *clock = clock_of(&w);
    for (int64_t k = 0; k < 59 * 3600; k++, arrival_pass(clock)) {
        double in_cycle_s = ((double)(k % 3600) + 0.5) / 3600;
        near_s(clock->next_ns, 7 + (double)(k / 3600) * 60 + in_cycle_s);
    }
    free(clock);
}

/* What comes in bursts is what comes without them: in each cycle as many, none later, of random times too. */
static void m121_as_many_and_none_later(void **state) {
    (void)state;
    const struct ddbsim_stage stages[] = {{"up", 1000 * NS_PER_S, 50}, {"down", 500 * NS_PER_S, 1}};
    struct ddbsim_workload steady = paced(1, stages, 2), bursty;
    steady.arrivals = DDBSIM_POISSON;
    bursty = steady;
    bursty.burst_on_ns = 3 * NS_PER_S;
    bursty.burst_off_ns = 14 * NS_PER_S;
    const int64_t cycle_ns = 17 * NS_PER_S;
    struct arrival_clock *a = clock_of(&steady), *b = clock_of(&bursty);
    int64_t arrivals = 0;
    for (; a->next_ns != TIME_NEVER; arrival_pass(a), arrival_pass(b), arrivals++) {
        assert_true(b->next_ns <= a->next_ns);
        assert_int_equal(a->next_ns / cycle_ns, b->next_ns / cycle_ns);
        assert_true(b->next_ns % cycle_ns <= bursty.burst_on_ns);
    }
    assert_int_equal(b->next_ns, TIME_NEVER);
    assert_true(arrivals > 30000);
    free(a);
    free(b);
}

/* A change to the same load, in a burst or between two, moves nothing. */
static void m121_a_change_that_changes_nothing(void **state) {
    (void)state;
    struct ddbsim_workload w = paced(10, NULL, 0);
    w.burst_on_ns = 2 * NS_PER_S;
    w.burst_off_ns = 3 * NS_PER_S;
    struct arrival_clock *whole = clock_of(&w), *changed = clock_of(&w);
    for (int k = 0; k < 5000; k++, arrival_pass(whole), arrival_pass(changed)) {
        int64_t before_ns = k ? whole->next_ns - NS_PER_MS : 0;
        if (k % 7 == 0 && before_ns > 0) arrival_change(changed, &w, before_ns);
        if (llabs(whole->next_ns - changed->next_ns) > 20)
            fail_msg("arrival %d: %lld, %lld", k, (long long)whole->next_ns,
                     (long long)changed->next_ns);
    }
    arrival_change(changed, &w, whole->next_ns / (5 * NS_PER_S) * 5 * NS_PER_S + 4 * NS_PER_S);
    assert_int_equal(changed->next_ns / (5 * NS_PER_S), whole->next_ns / (5 * NS_PER_S) + 1);
    free(whole);
    free(changed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m121_bursts),
        cmocka_unit_test(m121_as_many_and_none_later),
        cmocka_unit_test(m121_a_change_that_changes_nothing),
        cmocka_unit_test(constant_rate_is_exact),
        cmocka_unit_test(scale_multiplies),
        cmocka_unit_test(ramps_follow_the_inverse),
        cmocka_unit_test(steps_and_holds),
        cmocka_unit_test(zero_rate_and_empty_windows_are_silent),
        cmocka_unit_test(end_is_excluded_and_start_included),
        cmocka_unit_test(end_cuts_a_ramp),
        cmocka_unit_test(a_change_of_scale_remaps_the_remainder),
        cmocka_unit_test(a_change_keeps_the_stages_in_place),
        cmocka_unit_test(silence_and_removal_keep_the_wait),
        cmocka_unit_test(a_change_before_the_start_acts_from_the_start),
        cmocka_unit_test(paced_and_poisson_share_numbers),
        cmocka_unit_test(a_long_run_does_not_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
