/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Confidence intervals against published values: Student's table, and the heat flow example of the
 * NIST/SEMATECH e-Handbook of Statistical Methods (1.3.5.2).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stats/interval.h>

static void near(double value, double expected, double tolerance) {
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.9g is not within %g of %.9g", value, tolerance, expected);
}

/* Values -1 and +1 by turns have s = sqrt(n / (n - 1)), so half the width times sqrt(n - 1) is t.
 */
static double quantile_shown(size_t count, double confidence) {
    double values[62];
    assert_true(count % 2 == 0 && count <= 62);
    for (size_t i = 0; i < count; i++)
        values[i] = i % 2 ? 1 : -1;
    struct interval interval = interval_mean(values, count, confidence);
    near(interval.mean, 0, 1e-15);
    near(interval.high, -interval.low, 1e-12);
    return interval.high * sqrt((double)(count - 1));
}

static void matches_students_table(void **state) {
    (void)state;
    static const struct {
        size_t freedom;
        double confidence, t;
    } table[] = {{1, 0.95, 12.706}, {3, 0.95, 3.182}, {9, 0.95, 2.262}, {29, 0.95, 2.045},
                 {61, 0.95, 2.000}, {9, 0.99, 3.250}, {9, 0.90, 1.833}, {1, 0.99, 63.657}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        near(quantile_shown(table[i].freedom + 1, table[i].confidence), table[i].t, 0.0006);
}

/* 195 values with mean 9.261460 and standard deviation 0.022789: 97 pairs around one at the mean.
 */
static void matches_nist_heat_flow(void **state) {
    (void)state;
    double values[195];
    for (size_t i = 0; i < 194; i++)
        values[i] = 9.261460 + (i % 2 ? 0.022789 : -0.022789);
    values[194] = 9.261460;
    struct interval interval = interval_mean(values, 195, 0.95);
    assert_int_equal(interval.count, 195);
    near(interval.mean, 9.261460, 1e-9);
    near(interval.low, 9.258242, 1e-6);
    near(interval.high, 9.264679, 1e-6);
}

static void few_values_say_little(void **state) {
    (void)state;
    double value = 7;
    struct interval none = interval_mean(NULL, 0, 0.95), one = interval_mean(&value, 1, 0.95);
    assert_true(isnan(none.mean) && isnan(none.low) && isnan(none.high));
    near(one.mean, 7, 0);
    assert_true(isnan(one.low) && isnan(one.high));
}

static void equal_values_have_no_width(void **state) {
    (void)state;
    double values[] = {0.1, 0.1, 0.1, 0.1, 0.1};
    struct interval interval = interval_mean(values, 5, 0.95);
    near(interval.low, 0.1, 0);
    near(interval.high, 0.1, 0);
}

static void far_from_zero_keeps_its_width(void **state) {
    (void)state;
    double near_zero[] = {1, 2, 3, 4}, far[] = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4};
    struct interval a = interval_mean(near_zero, 4, 0.95), b = interval_mean(far, 4, 0.95);
    near(b.high - b.low, a.high - a.low, 1e-6);
    near(a.high - a.mean, 3.182446 * 1.290994 / 2, 1e-5);
}

static void median_ranks_the_unknown_last(void **state) {
    (void)state;
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, same[] = {7, 7, 7, 7};
    const double late[] = {1, (double)NAN, 2, 9, (double)NAN},
                 never[] = {(double)NAN, 1, (double)NAN};
    near(interval_median(odd, 3), 3, 0);
    near(interval_median(even, 4), 2.5, 0);
    near(interval_median(same, 4), 7, 0);
    near(interval_median(late, 5), 9, 0);
    assert_true(isnan(interval_median(never, 3)));
    assert_true(isnan(interval_median(NULL, 0)));
}

static void deviation_is_the_samples(void **state) {
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    near(interval_deviation(values, 8), 2.138089935, 1e-9);
    assert_true(isnan(interval_deviation(values, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_students_table),
        cmocka_unit_test(matches_nist_heat_flow),
        cmocka_unit_test(few_values_say_little),
        cmocka_unit_test(equal_values_have_no_width),
        cmocka_unit_test(far_from_zero_keeps_its_width),
        cmocka_unit_test(median_ranks_the_unknown_last),
        cmocka_unit_test(deviation_is_the_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
