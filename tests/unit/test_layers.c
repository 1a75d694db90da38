/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process's own limit and its circuit breaker, step by step. */
#include <client/breaker.h>
#include <client/pacer.h>
#include <math.h>
#include <support/cmocka.h>

#define S NS_PER_S
#define MS NS_PER_MS

static void m110_attempts_are_spaced(void **state) {
    (void)state;
    const struct ddbsim_rate_limit spec = {.per_s = 4};
    struct pacer pacer;
    pacer_init(&pacer, &spec);
    assert_int_equal(pacer_take(&pacer, &spec, 10 * S, 10 * S), 10 * S);
    assert_int_equal(pacer_take(&pacer, &spec, 10 * S, 10 * S), 10 * S + 250 * MS);
    assert_int_equal(pacer_take(&pacer, &spec, 10 * S + 100 * MS, 10 * S + 100 * MS),
                     10 * S + 500 * MS);
    /* A pause saves nothing up. */
    assert_int_equal(pacer_take(&pacer, &spec, 20 * S, 20 * S), 20 * S);
    assert_int_equal(pacer_take(&pacer, &spec, 20 * S, 20 * S), 20 * S + 250 * MS);
    /* Throttles change nothing, and another limit acts at once. */
    pacer_throttled(&pacer, &spec, 20 * S);
    const struct ddbsim_rate_limit faster = {.per_s = 10};
    assert_int_equal(pacer_take(&pacer, &faster, 21 * S, 21 * S), 21 * S);
    assert_int_equal(pacer_take(&pacer, &faster, 21 * S, 21 * S), 21 * S + 100 * MS);
}

static void m111_throttles_lower_the_rate(void **state) {
    (void)state;
    const struct ddbsim_rate_limit spec = {.per_s = 100,
                                           .adapts = true,
                                           .minimum_per_s = 10,
                                           .decrease = DDBSIM_SHARE_ONE / 2,
                                           .every_ns = S,
                                           .increase_per_s = 2};
    struct pacer pacer;
    pacer_init(&pacer, &spec);
    pacer_throttled(&pacer, &spec, 5 * S);
    assert_true(pacer.rate_per_s == 50);
    pacer_throttled(&pacer, &spec, 5 * S + 500 * MS); /* too soon: and half a second's rise */
    assert_true(pacer.rate_per_s == 51);
    pacer_throttled(&pacer, &spec, 6 * S);
    assert_true(pacer.rate_per_s == 26);
    for (int i = 7; i < 20; i++)
        pacer_throttled(&pacer, &spec, i * S);
    assert_true(pacer.rate_per_s == 10); /* no lower */
    (void)pacer_take(&pacer, &spec, 19 * S, 19 * S);
    assert_int_equal(pacer_take(&pacer, &spec, 19 * S, 19 * S), 19 * S + 100 * MS);
    (void)pacer_take(&pacer, &spec, 24 * S, 24 * S);
    assert_true(pacer.rate_per_s == 20);
    (void)pacer_take(&pacer, &spec, 1000 * S, 1000 * S);
    assert_true(pacer.rate_per_s == 100); /* no higher */
}

/* At the least rate ten thousand places reach beyond all time that a run has. */
static void m110_places_end_somewhere(void **state) {
    (void)state;
    const struct ddbsim_rate_limit spec = {.per_s = 1e-6};
    struct pacer pacer;
    pacer_init(&pacer, &spec);
    int64_t last_ns = 0;
    for (int i = 0; i < 20000; i++) {
        int64_t at_ns = pacer_take(&pacer, &spec, 0, 0);
        assert_true(at_ns >= last_ns);
        last_ns = at_ns;
    }
}

/* A pause moves the place, not the time in which the rate has risen. */
static void m111_rises_in_its_own_time(void **state) {
    (void)state;
    const struct ddbsim_rate_limit spec = {.per_s = 10,
                                           .adapts = true,
                                           .minimum_per_s = 1,
                                           .increase_per_s = 1,
                                           .decrease = DDBSIM_SHARE_ONE / 2,
                                           .every_ns = S};
    struct pacer pacer;
    pacer_init(&pacer, &spec);
    pacer_throttled(&pacer, &spec, 0); /* 5 a second */
    assert_int_equal(pacer_take(&pacer, &spec, S, 100 * S), 100 * S);
    assert_true(pacer.rate_per_s > 5.99 && pacer.rate_per_s < 6.01);
    pacer_throttled(&pacer, &spec, 2 * S);
    assert_true(pacer.rate_per_s > 3.49 && pacer.rate_per_s < 3.51);
}

static const struct ddbsim_breaker usual = {.enabled = true,
                                            .failures = DDBSIM_SHARE_ONE / 2,
                                            .window_ns = 10 * S,
                                            .minimum = 4,
                                            .open_ns = 30 * S,
                                            .trials = 2};

static void tell(struct breaker *breaker, const struct ddbsim_breaker *spec, int good, int bad,
                 int64_t now_ns) {
    for (int i = 0; i < good; i++)
        breaker_tell(breaker, spec, false, now_ns);
    for (int i = 0; i < bad; i++)
        breaker_tell(breaker, spec, true, now_ns);
}

static bool permits(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns) {
    bool trial;
    return breaker_permits(breaker, spec, now_ns, &trial);
}

static void tried(struct breaker *breaker, int good, int bad, int64_t now_ns) {
    for (int i = 0; i < good + bad; i++)
        breaker_tried(breaker, &usual, i >= good, now_ns);
}

static void m112_opens_and_tries(void **state) {
    (void)state;
    struct breaker b = {0};
    tell(&b, &usual, 0, 2, S);
    assert_true(permits(&b, &usual, S)); /* two are too few to tell */
    tell(&b, &usual, 2, 0, S);
    assert_true(permits(&b, &usual, S)); /* half is not more than half */
    tell(&b, &usual, 0, 1, S);
    assert_false(permits(&b, &usual, S));
    assert_false(permits(&b, &usual, 31 * S - 1));
    /* Half open: two may try, and both must have ended. */
    assert_true(permits(&b, &usual, 31 * S));
    assert_true(permits(&b, &usual, 31 * S));
    assert_false(permits(&b, &usual, 31 * S));
    tried(&b, 0, 2, 31 * S);
    assert_false(permits(&b, &usual, 60 * S));
    assert_true(permits(&b, &usual, 61 * S));
    assert_true(permits(&b, &usual, 61 * S));
    tried(&b, 1, 1, 61 * S); /* half again: it closes, and has forgotten */
    assert_true(permits(&b, &usual, 61 * S));
    tell(&b, &usual, 0, 3, 61 * S);
    assert_true(permits(&b, &usual, 61 * S));
}

/* Whatever else ends meanwhile, the trials decide; one that did not come about is handed back. */
static void m112_trials_alone_decide(void **state) {
    (void)state;
    struct breaker b = {0};
    bool trial;
    tell(&b, &usual, 0, 4, 0);
    assert_false(permits(&b, &usual, 0));
    assert_true(breaker_permits(&b, &usual, 30 * S, &trial) && trial);
    tell(&b, &usual, 0, 9, 30 * S); /* they began before */
    breaker_untried(&b);
    assert_true(breaker_permits(&b, &usual, 30 * S, &trial) && trial);
    assert_true(breaker_permits(&b, &usual, 30 * S, &trial) && trial);
    assert_false(permits(&b, &usual, 30 * S));
    tried(&b, 2, 0, 31 * S);
    assert_true(breaker_permits(&b, &usual, 31 * S, &trial) && !trial);
    tried(&b, 0, 5, 31 * S); /* late ones of no trial */
    assert_true(permits(&b, &usual, 31 * S));
}

static void m112_forgets_what_is_old(void **state) {
    (void)state;
    struct breaker b = {0};
    tell(&b, &usual, 0, 3, 0);
    tell(&b, &usual, 0, 1, 10 * S); /* the three are no longer counted */
    assert_true(permits(&b, &usual, 10 * S));
    tell(&b, &usual, 0, 2, 19 * S);
    assert_true(permits(&b, &usual, 19 * S));
    tell(&b, &usual, 0, 1, 19 * S + 500 * MS);
    assert_false(permits(&b, &usual, 19 * S + 500 * MS));
}

/* Brooker's: retries while failures / calls of the whole life is 10 % or less, each failed attempt of a call one more. */
static void m113_guards_retries(void **state) {
    (void)state;
    const struct ddbsim_breaker spec = {.enabled = true,
                                        .guards = DDBSIM_GUARDS_RETRIES,
                                        .counts = DDBSIM_COUNTS_FAILURES_PER_CALL,
                                        .failures = DDBSIM_SHARE_ONE / 10,
                                        .minimum = 1,
                                        .trials = 1};
    struct breaker b = {0};
    for (int i = 0; i < 100; i++)
        breaker_begins(&b, &spec, 0);
    tell(&b, &spec, 0, 10, 0);
    assert_true(permits(&b, &spec, 1000 * S)); /* 10 of 100 */
    tell(&b, &spec, 0, 1, 1000 * S);
    assert_false(permits(&b, &spec, 1000 * S)); /* 11 of 100 */
    for (int i = 0; i < 10; i++)
        breaker_begins(&b, &spec, 1000 * S);
    assert_true(permits(&b, &spec, 1000 * S)); /* 11 of 110 */
    struct breaker one = {0};
    breaker_begins(&one, &spec, 0);
    tell(&one, &spec, 0, 3, 0); /* more than there are calls */
    assert_false(permits(&one, &spec, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m110_places_end_somewhere),
        cmocka_unit_test(m111_rises_in_its_own_time),
        cmocka_unit_test(m110_attempts_are_spaced),
        cmocka_unit_test(m111_throttles_lower_the_rate),
        cmocka_unit_test(m112_opens_and_tries),
        cmocka_unit_test(m112_trials_alone_decide),
        cmocka_unit_test(m112_forgets_what_is_old),
        cmocka_unit_test(m113_guards_retries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
