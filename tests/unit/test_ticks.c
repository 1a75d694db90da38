/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ticks: round, inside or around their range, about as many as wanted; checked against Heckbert's
 * nice numbers (Graphics Gems, 1990), which is another, simpler rule for the same purpose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <plots/ticks.h>

static double heckbert_step(double range, int wanted) {
    double raw = range / (wanted - 1);
    double base = pow(10, floor(log10(raw)));
    double part = raw / base;
    return base * (part < 1.5 ? 1 : part < 3 ? 2 : part < 7 ? 5 : 10);
}

/* The step without its power of ten, from 1 to under 10. */
static double leading(double step) {
    double part = step / pow(10, floor(log10(step) + 1e-12));
    return part > 9.9999 ? part / 10 : part;
}

static bool is_nice(double step) {
    static const double nice[] = {1, 2, 2.5, 3, 4, 5};
    for (size_t i = 0; i < sizeof nice / sizeof nice[0]; i++)
        if (fabs(leading(step) - nice[i]) < 1e-6) return true;
    return false;
}

static void test_ranges(void **state) {
    (void)state;
    uint32_t noise = 1;
    for (int i = 0; i < 20000; i++) {
        noise = noise * 1664525u + 1013904223u;
        double scale = pow(10, (int)(noise >> 8) % 9 - 3);
        double low = ((noise >> 12) % 2) ? 0 : ((noise >> 3) % 1000) * scale / 7;
        double high = low + (1 + (noise >> 16) % 997) * scale / 13;
        int wanted = 2 + (int)(noise % 9);
        struct ticks loose = ticks_linear(low, high, wanted, true);
        struct ticks tight = ticks_linear(low, high, wanted, false);
        double slack = 1e-9 * fmax(fabs(low), fabs(high));
        assert_true(is_nice(loose.step) && is_nice(tight.step));
        assert_true(loose.first <= low + slack && ticks_last(&loose) >= high - slack);
        assert_true(tight.first >= low - slack && ticks_last(&tight) <= high + slack);
        int most = ticks_most(low > 0 && wanted < 4 ? 4 : wanted);
        assert_in_range(loose.count, 2, most);
        assert_in_range(tight.count, 2, most);
        double ratio = tight.step / heckbert_step(high - low, wanted);
        assert_true(wanted == 2 || (ratio > 0.19 && ratio < 5.1));
    }
}

static void test_known(void **state) {
    (void)state;
    struct ticks ticks = ticks_linear(0, 100, 6, true);
    assert_true(ticks.first == 0 && ticks.step == 20 && ticks.count == 6 && ticks.decimals == 0);
    ticks = ticks_linear(0, 1, 5, true);
    assert_true(ticks.first == 0 && ticks.step == 0.25 && ticks.decimals == 2);
    ticks = ticks_linear(-1, 1, 5, true);
    assert_true(ticks_at(&ticks, 2) == 0);
}

static void test_degenerate(void **state) {
    (void)state;
    const double cases[][2] = {{0, 0},        {5, 5},     {3, -3},        {NAN, NAN},
                               {0, INFINITY}, {0, 1e300}, {-INFINITY, 0}, {1e14, 1e14 + 1e-3},
                               {0, 1e-300}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int wanted = -1; wanted < 60; wanted += 7) {
            struct ticks ticks = ticks_linear(cases[i][0], cases[i][1], wanted, i % 2 == 0);
            assert_in_range(ticks.count, 2, 100);
            assert_true(ticks.step > 0 && isfinite(ticks.first) && isfinite(ticks_last(&ticks)));
        }
}

static void test_time(void **state) {
    (void)state;
    const int64_t begin = INT64_C(1790351100) + 7200; /* 17:45 on the wall */
    for (int64_t span = 1; span < INT64_C(4000000000); span = span * 3 + 1)
        for (int most = 1; most < 14; most++) {
            struct time_ticks ticks = ticks_time(begin, begin + span, most);
            assert_in_range(ticks.count, 0, most);
            assert_int_equal(floor_div(ticks.first_s, ticks.step_s) * ticks.step_s, ticks.first_s);
            assert_true(ticks.first_s >= begin);
            if (ticks.count > 0)
                assert_true(ticks.first_s + (ticks.count - 1) * ticks.step_s <= begin + span);
            if (most >= 3 && span >= 3) assert_true(ticks.count >= 1);
        }
    struct time_ticks ticks = ticks_time(begin, begin + 5400, 9);
    assert_int_equal(ticks.step_s, 600);
    assert_int_equal(ticks.first_s, begin + 300); /* 17:50 */
    ticks = ticks_time(-10, 10, 100);
    assert_int_equal(ticks.count, 21);
    assert_int_equal(ticks_time_step(61), 120);
    assert_int_equal(ticks_time_step(8 * 86400), 14 * 86400);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ranges), cmocka_unit_test(test_known),
                                       cmocka_unit_test(test_degenerate),
                                       cmocka_unit_test(test_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
