/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shards and the partitions that carry them: against what can be counted by hand, and against throwing
 * them many times. */
#include <plots/diagnosis_parts.h>
#include <support/cmocka.h>

/* Ten keys of 400 on four partitions of 1,000: two fit on each, and ten are more than eight. */
static void test_pigeonholes(void **state) {
    (void)state;
    struct hot_keys ten = {.keys = 10, .demand = 4000, .limit = 1000, .shards = 1, .partitions = 4};
    assert_true(shards_overflow(&ten));
    assert_false(shards_fit(&ten));
    ten.partitions = 5; /* they could fit, if they fell well */
    assert_false(shards_overflow(&ten));
    assert_false(shards_fit(&ten));
    assert_true(shards_find_partitions(&ten));
    assert_true(ten.partitions > 20);
    assert_true(shards_fit(&ten));
}

/* The share of throws in which some partition gets more than its limit. */
static double overflows(const struct hot_keys *hot, int throws) {
    uint64_t random = 7;
    int over = 0;
    int64_t count = hot->keys * hot->shards;
    double load[4096];
    for (int t = 0; t < throws; t++) {
        double most = 0;
        for (int64_t p = 0; p < hot->partitions; p++)
            load[p] = hot->others / (double)hot->partitions;
        for (int64_t n = 0; n < count; n++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            double *at = &load[(random >> 33) % (uint64_t)hot->partitions];
            *at += hot->demand / (double)count;
            if (*at > most) most = *at;
        }
        over += most > hot->limit;
    }
    return over / (double)throws;
}

static void test_throws(void **state) {
    (void)state;
    static const struct hot_keys cases[] = {
        {.keys = 1, .demand = 4000, .limit = 1000, .partitions = 4},
        {.keys = 1, .demand = 1740, .others = 193, .limit = 1000, .partitions = 2},
        {.keys = 9, .demand = 4000, .limit = 1000, .partitions = 4},
        {.keys = 1, .demand = 900, .others = 5000, .limit = 1000, .partitions = 40},
        {.keys = 1, .demand = 20000, .limit = 4500, .partitions = 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hot_keys hot = cases[i];
        assert_true(shards_find(&hot));
        assert_in_range(hot.shards, 2, 20);
        assert_true(hot.partitions >= cases[i].partitions && hot.partitions <= 4096);
        assert_false(shards_overflow(&hot));
        assert_true(overflows(&hot, 2000) < 0.03);
        assert_true((hot.demand + hot.others) / (double)hot.partitions <= 0.7 * hot.limit + 1e-6);
    }
}

/* Many small keys fit where few large ones do not, and their number does no harm. */
static void test_many(void **state) {
    (void)state;
    struct hot_keys many = {
        .keys = 1000000, .demand = 2800, .limit = 1000, .shards = 1, .partitions = 4};
    assert_true(shards_fit(&many));
    many.keys = 8;
    assert_false(shards_fit(&many));
}

/* What is proposed is no more than it takes: one shard less, on as many partitions, is not accepted. */
static void test_fewest(void **state) {
    (void)state;
    struct hot_keys hot = {
        .keys = 1, .demand = 1740, .others = 193, .limit = 1000, .partitions = 2};
    assert_true(shards_find(&hot));
    hot.shards--;
    assert_false(shards_fit(&hot));
    struct hot_keys hopeless = {
        .keys = 1, .demand = 10, .others = 1e9, .limit = 1, .partitions = 1};
    assert_false(shards_find(&hopeless));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pigeonholes),
                                       cmocka_unit_test(test_throws), cmocka_unit_test(test_many),
                                       cmocka_unit_test(test_fewest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
