/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets tile the range, are narrow, and quantiles are read off them. */
#include <base/hist.h>
#include <support/cmocka.h>
#include <support/dies.h>
#include <support/near.h>

static void buckets_tile_the_range(void **state) {
    (void)state;
    uint64_t next = 0;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        assert_int_equal(hist_low(i), next);
        assert_int_equal(hist_bucket(hist_low(i)), i);
        assert_int_equal(hist_bucket(hist_high(i)), i);
        next = hist_high(i) + 1;
        double width = (double)(next - hist_low(i));
        assert_true(i < 64 ? width == 1 : width / (double)hist_low(i) <= 1.0 / 32);
    }
    assert_int_equal(next, UINT64_C(1) << 36);
}

static void larger_values_go_to_the_last_bucket(void **state) {
    (void)state;
    assert_int_equal(hist_bucket(UINT64_C(1) << 36), HIST_BUCKETS - 1);
    assert_int_equal(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
}

static void an_empty_histogram_has_quantile_zero(void **state) {
    (void)state;
    struct hist hist;
    hist_clear(&hist);
    assert_true(hist_quantile(&hist, 0) == 0);
    assert_true(hist_quantile(&hist, 1) == 0);
}

static void small_values_are_exact(void **state) {
    (void)state;
    struct hist hist;
    hist_clear(&hist);
    for (uint64_t value = 1; value <= 60; value++)
        hist_add(&hist, value);
    assert_int_equal(hist.count, 60);
    assert_true(hist_quantile(&hist, 0) == 1);
    assert_true(hist_quantile(&hist, 0.5) == 30);
    assert_true(hist_quantile(&hist, 0.51) == 31);
    assert_true(hist_quantile(&hist, 1) == 60);
}

/* All records in one bucket, [64000, 65023] at this size: the quantile moves linearly across it. */
static void a_quantile_is_linear_inside_its_bucket(void **state) {
    (void)state;
    struct hist hist;
    hist_clear(&hist);
    uint32_t bucket = hist_bucket(64512);
    double low = (double)hist_low(bucket), high = (double)hist_high(bucket);
    for (int i = 0; i < 8; i++)
        hist_add(&hist, 64512);
    assert_within(hist_quantile(&hist, 0), low, 0);
    assert_within(hist_quantile(&hist, 0.25), low + (high - low) / 4, 1e-9);
    assert_within(hist_quantile(&hist, 1), high, 0);
}

static void merge_past_a_counter(void) {
    static struct hist a, b;
    a.counts[5] = UINT32_MAX;
    b.counts[5] = 1;
    hist_merge(&a, &b);
}

static void ask_beyond_one(void) {
    static struct hist hist;
    (void)hist_quantile(&hist, 1.5);
}

static void misuse_ends_the_program(void **state) {
    (void)state;
    assert_dies(merge_past_a_counter);
    assert_dies(ask_beyond_one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_tile_the_range),
        cmocka_unit_test(larger_values_go_to_the_last_bucket),
        cmocka_unit_test(an_empty_histogram_has_quantile_zero),
        cmocka_unit_test(small_values_are_exact),
        cmocka_unit_test(a_quantile_is_linear_inside_its_bucket),
        cmocka_unit_test(misuse_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
