/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * YCSB's zipfian against YCSB's method, step by step with the C library's pow, and against its constants. Fixed
 * seeds; the level is that at which a right generator fails once in a million seeds.
 */
#include <support/cmocka.h>

#include <base/rng.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <workloads/values.h>
#include <workloads/ycsb.h>

#define LEVEL 1e-6
#define ITEMS 10000000001.0
#define ZETA 26.46902820178302
#define DRAWS 2000000

static uint64_t fnv(uint64_t value) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xff)) * UINT64_C(1099511628211);
    return (uint64_t)llabs((long long)hash);
}

static uint64_t ycsb_rank(double u) {
    const double theta = 0.99, alpha = 1 / (1 - theta), zeta2 = 1 + pow(0.5, theta);
    const double eta = (1 - pow(2 / ITEMS, 1 - theta)) / (1 - zeta2 / ZETA), uz = u * ZETA;
    if (uz < 1) return 0;
    if (uz < 1 + pow(0.5, theta)) return 1;
    return (uint64_t)(ITEMS * pow(eta * u - eta + 1, alpha));
}

static uint64_t ycsb_next(struct rng *rng, uint64_t keyspace, uint64_t there) {
    uint64_t key;
    do
        key = fnv(ycsb_rank(draw_unit(rng_next(rng)))) % keyspace;
    while (key >= there);
    return key;
}

/* The chance that two right samples differ as much. */
static double two_samples(const uint64_t *a, const uint64_t *b, size_t cells) {
    double sum = 0, x = 0, y = 0;
    int freedom = -1;
    for (size_t i = 0; i < cells; i++) {
        x += (double)a[i];
        y += (double)b[i];
        if (x + y < 20 && i + 1 < cells) continue;
        if (x + y > 0) sum += (x - y) * (x - y) / (x + y);
        freedom++;
        x = y = 0;
    }
    return gsl_cdf_chisq_Q(sum, freedom);
}

static double against_method(const struct ddbsim_values *values, uint64_t keyspace) {
    struct value_set set;
    struct rng rng;
    assert_true(value_set_init(&set, values));
    uint64_t *ours = calloc(values->count, sizeof *ours);
    uint64_t *theirs = calloc(values->count, sizeof *theirs);
    assert_true(ours && theirs);
    rng_seed(&rng, 1);
    for (uint64_t i = 0; i < DRAWS; i++)
        ours[value_set_pick(&set, rng_next(&rng), i)]++;
    rng_seed(&rng, 2);
    for (uint64_t i = 0; i < DRAWS; i++)
        theirs[ycsb_next(&rng, keyspace, values->count)]++;
    double chance = two_samples(ours, theirs, values->count);
    free(ours);
    free(theirs);
    value_set_free(&set);
    return chance;
}

/* Workloads a and b have 1,000 records and no inserts: a key space of 1,001. */
static void m126_records_are_as_popular_as_with_ycsb(void **state) {
    (void)state;
    const struct {
        uint64_t count, keyspace;
    } each[] = {{1000, 1001}, {100000, 100001}, {1000, 1501}, {7, 8}};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        struct ddbsim_values values = {.name = "user",
                                       .distribution = DDBSIM_YCSB_ZIPFIAN,
                                       .count = each[i].count,
                                       .keyspace = each[i].keyspace};
        double chance = against_method(&values, each[i].keyspace);
        if (chance < LEVEL) fail_msg("%zu: %g", i, chance);
    }
    /* Zipf's law over the records is something else, and the test sees it. */
    struct ddbsim_values zipf = {.name = "user",
                                 .distribution = DDBSIM_ZIPFIAN,
                                 .scrambled = true,
                                 .theta = 990000000,
                                 .count = 1000};
    assert_true(against_method(&zipf, 1001) < LEVEL);
}

static void weights_sum_to_one_and_follow_the_constant(void **state) {
    (void)state;
    double sum = ycsb_tail_weight();
    for (uint64_t rank = 0; rank < YCSB_RANKS; rank++) {
        assert_true(ycsb_weight(rank) > 0);
        sum += ycsb_weight(rank);
    }
    assert_true(fabs(sum - 1) < 1e-9);
    assert_true(fabs(ycsb_weight(0) - 1 / ZETA) < 1e-15);
    assert_true(fabs(ycsb_weight(1) - pow(0.5, 0.99) / ZETA) < 1e-9);
    /* The quick method keeps Zipf's law in the large: the mass of the first million ranks. */
    double zeta = 0;
    for (uint64_t rank = 1; rank <= YCSB_RANKS; rank++)
        zeta += pow((double)rank, -0.99);
    assert_true(fabs(1 - ycsb_tail_weight() - zeta / ZETA) < 0.005);
    assert_int_equal(ycsb_place(0, UINT64_MAX), fnv(0));
    assert_int_equal(ycsb_place(123456789, 1001), fnv(123456789) % 1001);
}

/* A set that grows: what is not there yet is never drawn. */
static void new_records_become_popular_once_they_are_there(void **state) {
    (void)state;
    struct ddbsim_values values = {.name = "user",
                                   .distribution = DDBSIM_YCSB_ZIPFIAN,
                                   .count = 1000,
                                   .start = 1000,
                                   .is_new = true,
                                   .keyspace = 1101};
    struct value_set set;
    struct rng rng;
    uint64_t later = 0;
    assert_true(value_set_init(&set, &values));
    rng_seed(&rng, 3);
    for (int i = 0; i < 100000; i++)
        assert_true(value_set_existing(&set, rng_next(&rng), 0) < 1000);
    for (int i = 0; i < 100; i++)
        assert_int_equal(value_set_insert(&set, 0), 1000 + i);
    for (int i = 0; i < 100000; i++) {
        uint64_t value = value_set_existing(&set, rng_next(&rng), 0);
        assert_true(value < 1100);
        later += value >= 1000;
    }
    assert_in_range(later, 3000, 20000);
    value_set_free(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m126_records_are_as_popular_as_with_ycsb),
        cmocka_unit_test(weights_sum_to_one_and_follow_the_constant),
        cmocka_unit_test(new_records_become_popular_once_they_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
