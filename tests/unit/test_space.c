/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Key space and partitions (M-10, M-20, M-21). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <base/rng.h>
#include <model/space.h>

static const struct space_limits limits = {
    .rates = {3000, 1000}, .depth_ns = 3 * NS_PER_S, .bytes = INT64_C(10) << 30};

static void m21_initial_number(void **state) {
    (void)state;
    assert_int_equal(space_initial_count(&limits, 1, 3200, 0), 4); /* 4 x 800 (ATC'22) */
    assert_int_equal(space_initial_count(&limits, 0, 10000, 0), 10);
    assert_int_equal(space_initial_count(&limits, 3, 39999, 0), 40);
    assert_int_equal(space_initial_count(&limits, 1, 1, 0), 1);
    assert_int_equal(space_initial_count(&limits, 1500, 500, 0), 1); /* the sum is exactly one */
    assert_int_equal(space_initial_count(&limits, 1503, 500, 0), 2);
    assert_int_equal(space_initial_count(&limits, 1, 1, INT64_C(78) << 30), 8);
    struct space_limits by_max = limits;
    by_max.initial_rule = DDBSIM_INITIAL_MAX;
    assert_int_equal(space_initial_count(&by_max, 6000, 1500, 0), 2);
    assert_int_equal(space_initial_count(&limits, 6000, 1500, 0), 4);
}

static void m20_partitions_tile_the_space(void **state) {
    (void)state;
    const uint32_t counts[] = {1, 2, 3, 4, 7, 40, 1000, 65537};
    struct rng rng;
    rng_seed(&rng, 3);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
        struct space space;
        assert_true(space_init(&space, counts[c], &limits, 0));
        assert_true(space_is_valid(&space));
        assert_true(space_high(&space, counts[c] - 1) == ~(uint128)0);
        for (int i = 0; i < 2000; i++) {
            uint128 position = (uint128)rng_next(&rng) << 64 | rng_next(&rng);
            uint32_t p = space_find(&space, position);
            assert_true(space.lows[p] <= position && position <= space_high(&space, p));
        }
        for (uint32_t p = 0; p < counts[c] && p < 100; p++) {
            assert_int_equal(space_find(&space, space.lows[p]), p);
            assert_int_equal(space_find(&space, space_high(&space, p)), p);
        }
        space_deinit(&space);
    }
}

/* Uniform hashes: the fullest of 40 slices has about 1.03 times its share over 10^6 keys. */
static void m11_slices_are_equal(void **state) {
    (void)state;
    struct space space;
    assert_true(space_init(&space, 40, &limits, 0));
    struct rng rng;
    rng_seed(&rng, 7);
    uint32_t counts[40] = {0}, most = 0;
    for (int i = 0; i < 1000000; i++)
        counts[space_find(&space, (uint128)rng_next(&rng) << 64)]++;
    for (int p = 0; p < 40; p++)
        if (counts[p] > most) most = counts[p];
    assert_in_range(most, 25000, 25800);
    space_deinit(&space);
}

/* Hash first, then sort position. */
static void m10_position_order(void **state) {
    (void)state;
    struct ddbsim_key low = {.hash = 5, .sort = UINT64_MAX}, high = {.hash = 6, .sort = 0};
    struct ddbsim_key within = {.hash = 5, .sort = 1};
    assert_true(space_position(&low) < space_position(&high));
    assert_true(space_position(&within) < space_position(&low));
    assert_true(space_position(&high) == (uint128)6 << 64);
}

/* Items lie evenly, none is lost to rounding; what is not there cannot go. */
static void m56_items_come_and_go(void **state) {
    (void)state;
    struct space space;
    assert_true(space_init(&space, 3, &limits, 0));
    space_place_evenly(&space, 100, 1000);
    assert_int_equal(space.holdings[0].items + space.holdings[1].items + space.holdings[2].items, 100);
    assert_int_equal(
        space.holdings[0].bytes + space.holdings[1].bytes + space.holdings[2].bytes, 1000);
    for (int i = 0; i < 3; i++)
        assert_in_range(space.holdings[i].items, 33, 34);
    space_change(&space, 1, 1, 10);
    assert_int_equal(space.holdings[1].bytes, 333 + 10);
    for (int i = 0; i < 50; i++)
        space_change(&space, 1, -1, -10);
    assert_int_equal(space.holdings[1].items, 0);
    assert_int_equal(space.holdings[1].bytes, 0);
    space_change(&space, 1, 1, 10);
    assert_int_equal(space.holdings[1].items, 1);
    space_deinit(&space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m56_items_come_and_go), cmocka_unit_test(m10_position_order),
        cmocka_unit_test(m21_initial_number),    cmocka_unit_test(m20_partitions_tile_the_space),
        cmocka_unit_test(m11_slices_are_equal),
    };
    return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
