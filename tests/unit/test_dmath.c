/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accuracy against the C library over millions of values, exact and special values, and the very
 * bits: a digest of results over fixed inputs, which every compiler, optimisation level and machine
 * must give.
 */
#include <base/dmath.h>
#include <base/hash.h>
#include <base/rng.h>
#include <math.h>
#include <string.h>
#include <support/cmocka.h>
#include <support/dies.h>
#include <support/near.h>

#define VALUES 1000000
#define TOLERANCE 1e-14

static struct rng start(uint64_t seed) {
    struct rng rng;
    rng_seed(&rng, seed);
    return rng;
}

/* Uniform in [low, high). */
static double draw_between(struct rng *rng, double low, double high) {
    return low + draw_unit(rng_next(rng)) * (high - low);
}

/* A positive double of any exponent in [2^low, 2^high). */
static double draw_scaled(struct rng *rng, int low, int high) {
    int exponent = low + (int)draw_below(rng_next(rng), (uint64_t)(high - low));
    return ldexp(1 + draw_unit(rng_next(rng)), exponent);
}

static void log_is_accurate(void **state) {
    (void)state;
    struct rng rng = start(1);
    for (int i = 0; i < VALUES; i++) {
        double x = draw_scaled(&rng, -1074, 1024);
        assert_near(dmath_log(x), log(x), TOLERANCE);
        x = draw_unit_open(rng_next(&rng));
        assert_near(dmath_log(x), log(x), TOLERANCE);
        x = draw_between(&rng, 0.999, 1.001);
        assert_near(dmath_log(x), log(x), TOLERANCE);
    }
}

/* Many at once are the same bits as one at a time. */
static void logs_of_many_are_those_of_each(void **state) {
    (void)state;
    enum { MANY = 1023 };
    static double values[MANY], logs[MANY];
    struct rng rng = start(7);
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < MANY; i++)
            logs[i] = values[i] =
                i % 2 ? draw_scaled(&rng, -1022, 1024) : draw_unit_open(rng_next(&rng));
        dmath_log_each(logs, MANY);
        for (int i = 0; i < MANY; i++) {
            double one = dmath_log(values[i]);
            assert_memory_equal(&logs[i], &one, sizeof one);
        }
    }
}

static void exp_is_accurate(void **state) {
    (void)state;
    struct rng rng = start(2);
    for (int i = 0; i < VALUES; i++) {
        double x = draw_between(&rng, -708, 709.78);
        assert_near(dmath_exp(x), exp(x), TOLERANCE);
        x = draw_between(&rng, -1, 1);
        assert_near(dmath_exp(x), exp(x), TOLERANCE);
        x = draw_between(&rng, -745.1, -708); /* a subnormal has fewer bits to be right in */
        assert_within(dmath_exp(x), exp(x), 0x1p-1074 + TOLERANCE * exp(x));
    }
}

static void pow_is_accurate(void **state) {
    (void)state;
    struct rng rng = start(3);
    for (int i = 0; i < VALUES; i++) {
        double x = draw_scaled(&rng, -40, 40), y = draw_between(&rng, -17, 17);
        assert_near(dmath_pow(x, y), pow(x, y), TOLERANCE);
        x = draw_between(&rng, 0.9, 1.1);
        y = draw_between(&rng, -6000, 6000);
        assert_near(dmath_pow(x, y), pow(x, y), TOLERANCE);
        x = 1 + (double)draw_below(rng_next(&rng), 100000000); /* ranks, as Zipf's law takes them */
        y = draw_between(&rng, -3, 3);
        assert_near(dmath_pow(x, y), pow(x, y), TOLERANCE);
    }
}

static void roots_are_accurate(void **state) {
    (void)state;
    struct rng rng = start(4);
    for (int i = 0; i < VALUES; i++) {
        double x = draw_scaled(&rng, -1074, 1024);
        assert_near(dmath_cbrt(x), cbrt(x), TOLERANCE);
        assert_true(dmath_cbrt(-x) == -dmath_cbrt(x));
        assert_true(dmath_sqrt(x) == sqrt(x));
    }
}

static void sin_is_accurate(void **state) {
    (void)state;
    struct rng rng = start(5);
    for (int i = 0; i < VALUES; i++) {
        double x = draw_between(&rng, -1e6, 1e6);
        assert_near(dmath_sin(x), sin(x), TOLERANCE);
        x = draw_between(&rng, -7, 7);
        assert_near(dmath_sin(x), sin(x), TOLERANCE);
        x = (double)draw_below(rng_next(&rng), 636000) *
            1.5707963267948966; /* by a zero or a peak */
        assert_near(dmath_sin(x), sin(x), TOLERANCE);
    }
}

/* The oracle is the C library's erfc: Phi(z) must give p back, where an error e of z shows in p as
 * e phi(z). At p = 1/2 the quantile is 0, and there the error is absolute. */
static void normal_quantile_is_accurate(void **state) {
    (void)state;
    struct rng rng = start(6);
    for (int i = 0; i < VALUES; i++) {
        double p = i % 2 ? draw_unit_open(rng_next(&rng)) / 2 : draw_scaled(&rng, -1000, -2);
        double z = dmath_normal_quantile(p);
        double density = 0.39894228040143268 * exp(-z * z / 2);
        double around = 4 * 0x1p-53 * p; /* what erfc itself may be off */
        assert_within(erfc(-z * 0.70710678118654752) / 2, p,
                      density * fabs(z) * TOLERANCE + around);
        p = 1 - draw_unit_open(rng_next(&rng)) / 2;
        assert_near(dmath_normal_quantile(p), -dmath_normal_quantile(1 - p), TOLERANCE);
    }
    assert_near(dmath_normal_quantile(0.975), 1.959963984540054, 1e-15);
    assert_true(dmath_normal_quantile(0.5) == 0);
}

static void special_values_are_special(void **state) {
    (void)state;
    assert_true(dmath_log(0) == -INFINITY && dmath_log(INFINITY) == INFINITY);
    assert_true(isnan(dmath_log(-1)) && isnan(dmath_log(NAN)) && dmath_log(1) == 0);
    assert_true(dmath_exp(0) == 1 && dmath_exp(710) == INFINITY && dmath_exp(-746) == 0);
    assert_true(dmath_exp(INFINITY) == INFINITY && dmath_exp(-INFINITY) == 0);
    assert_true(isnan(dmath_exp(NAN)) && isnan(dmath_sin(NAN)) && isnan(dmath_cbrt(NAN)));
    assert_true(dmath_pow(7, 0) == 1 && dmath_pow(1, 1e300) == 1);
    assert_true(dmath_pow(2, 1024) == INFINITY && dmath_pow(2, -1080) == 0);
    assert_true(dmath_pow(0.5, -INFINITY) == INFINITY && dmath_pow(INFINITY, -1) == 0);
    assert_true(isnan(dmath_pow(2, NAN)));
    assert_true(dmath_cbrt(0) == 0 && signbit(dmath_cbrt(-0.0)) && dmath_cbrt(-INFINITY) < 0);
    assert_true(dmath_sin(0) == 0 && dmath_sqrt(0) == 0 && isnan(dmath_sqrt(-1)));
}

/* Powers of two come out exactly, other whole powers to the last place. */
static void simple_results_are_as_exact_as_can_be(void **state) {
    (void)state;
    for (int i = -1074; i <= 1023; i++)
        assert_true(dmath_pow(2, i) == ldexp(1, i));
    for (int i = 1; i <= 2000; i++) {
        double x = i;
        assert_near(dmath_pow(x, 1), x, 0x1p-52);
        assert_near(dmath_pow(x, 2), x * x, 0x1p-52);
        assert_near(dmath_pow(x * x, 0.5), x, 0x1p-52);
        assert_near(dmath_cbrt(x * x * x), x, 0x1p-52);
    }
}

static void take_the_power_of_zero(void) { (void)dmath_pow(0, 1); }
static void take_the_sine_of_much(void) { (void)dmath_sin(1.1e6); }
static void take_the_quantile_of_one(void) { (void)dmath_normal_quantile(1); }

static void arguments_out_of_range_end_the_program(void **state) {
    (void)state;
    assert_dies(take_the_power_of_zero);
    assert_dies(take_the_sine_of_much);
    assert_dies(take_the_quantile_of_one);
}

/* The inputs are made from draws by + and * alone, so they too are the same everywhere. */
static uint64_t bits_of_results(void) {
    struct rng rng = start(2026);
    uint64_t digest = 0;
    for (int i = 0; i < 100000; i++) {
        double u = draw_unit_open(rng_next(&rng)), v = draw_unit(rng_next(&rng));
        const double results[] = {
            dmath_log(u),
            dmath_log(u * 1e-310),
            dmath_log(1e9 * v + 1),
            dmath_exp(1400 * v - 700),
            dmath_exp(u - 1),
            dmath_pow(1 + 1e6 * u, 10 * v - 5),
            dmath_cbrt(1e12 * v - 1e11),
            dmath_sqrt(u),
            dmath_sin(2e6 * v - 1e6),
            dmath_normal_quantile(u * 0.999999999),
            dmath_normal_quantile(u * 1e-30),
        };
        uint64_t words[12];
        memcpy(words, results, sizeof results);
        words[11] = digest;
        digest = hash64(words, sizeof words);
    }
    return digest;
}

/* A change of this number changes every result of the simulator: it needs a new model version. */
static void the_bits_are_the_same_everywhere(void **state) {
    (void)state;
    assert_int_equal(bits_of_results(), UINT64_C(0xd7f700c52c884a4f));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_is_accurate),
        cmocka_unit_test(logs_of_many_are_those_of_each),
        cmocka_unit_test(exp_is_accurate),
        cmocka_unit_test(pow_is_accurate),
        cmocka_unit_test(roots_are_accurate),
        cmocka_unit_test(sin_is_accurate),
        cmocka_unit_test(normal_quantile_is_accurate),
        cmocka_unit_test(special_values_are_special),
        cmocka_unit_test(simple_results_are_as_exact_as_can_be),
        cmocka_unit_test(arguments_out_of_range_end_the_program),
        cmocka_unit_test(the_bits_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
