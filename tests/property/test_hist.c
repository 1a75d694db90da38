/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Properties of histograms of random records. */
#include <base/hist.h>
#include <stdlib.h>
#include <string.h>
#include <support/prop.h>

/* Records scattered over several histograms and merged equal the same records in one. */
static bool merging_equals_recording_all(struct rng *rng) {
    static struct hist parts[4], all;
    for (int i = 0; i < 4; i++)
        hist_clear(&parts[i]);
    hist_clear(&all);
    int64_t records = prop_between(rng, 0, 3000);
    for (int64_t i = 0; i < records; i++) {
        uint64_t value = prop_magnitude(rng, 40);
        hist_add(&parts[draw_below(rng_next(rng), 4)], value);
        hist_add(&all, value);
    }
    for (int i = 1; i < 4; i++)
        hist_merge(&parts[0], &parts[i]);
    PROP_CHECK(memcmp(&parts[0], &all, sizeof all) == 0);
    PROP_CHECK(all.count == (uint64_t)records);
    return true;
}

static int compare_values(const void *a, const void *b) {
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* The quantile at rank k lies in the bucket of the k-th smallest record, and never falls with q. */
static bool a_quantile_is_in_its_records_bucket(struct rng *rng) {
    static uint64_t values[2000];
    static struct hist hist;
    hist_clear(&hist);
    size_t records = (size_t)prop_between(rng, 1, 2000);
    uint32_t bits = (uint32_t)prop_between(rng, 1, 36);
    for (size_t i = 0; i < records; i++)
        hist_add(&hist, values[i] = prop_magnitude(rng, bits));
    qsort(values, records, sizeof values[0], compare_values);
    double previous = 0;
    for (size_t rank = 1; rank <= records; rank++) {
        /* half a record below the rank, so that rounding cannot decide which record is meant */
        double quantile = hist_quantile(&hist, ((double)rank - 0.5) / (double)records);
        uint32_t bucket = hist_bucket(values[rank - 1]);
        PROP_CHECK(quantile >= (double)hist_low(bucket) && quantile <= (double)hist_high(bucket));
        PROP_CHECK(quantile >= previous);
        previous = quantile;
    }
    return true;
}

static void test_merging(void **state) {
    (void)state;
    prop_run("merging equals recording all", merging_equals_recording_all, 20261, 200);
}

static void test_quantiles(void **state) {
    (void)state;
    prop_run("a quantile is in its record's bucket", a_quantile_is_in_its_records_bucket, 20262,
             30);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_merging),
                                       cmocka_unit_test(test_quantiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
