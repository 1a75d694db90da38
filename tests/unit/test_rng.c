/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Known answers of xoshiro256++ and of our seeding, independence of streams, and maps of draws. */
#include <base/rng.h>
#include <gsl/gsl_cdf.h>
#include <support/cmocka.h>
#include <support/dies.h>
#include <support/near.h>

/* The state 1, 2, 3, 4 and its first ten outputs are the ones that other implementations publish.
 */
static void xoshiro_gives_the_published_answers(void **state) {
    (void)state;
    static const uint64_t expected[] = {UINT64_C(41943041),
                                        UINT64_C(58720359),
                                        UINT64_C(3588806011781223),
                                        UINT64_C(3591011842654386),
                                        UINT64_C(9228616714210784205),
                                        UINT64_C(9973669472204895162),
                                        UINT64_C(14011001112246962877),
                                        UINT64_C(12406186145184390807),
                                        UINT64_C(15849039046786891736),
                                        UINT64_C(10450023813501588000)};
    struct rng rng = {{1, 2, 3, 4}};
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(rng_next(&rng), expected[i]);
}

/* Both constants were computed from the definitions by another program. */
static void seeding_gives_the_same_stream_for_ever(void **state) {
    (void)state;
    struct rng rng;
    uint64_t draw = 0;
    rng_seed(&rng, 42);
    for (int i = 0; i < 100000; i++)
        draw = rng_next(&rng);
    assert_int_equal(draw, UINT64_C(0xb5321a2f31683bdd));
    assert_int_equal(rng_stream_key(7, 3, "orders.arrivals"), UINT64_C(0xe17cfe2bf0357227));
}

static void each_part_of_a_key_changes_it(void **state) {
    (void)state;
    uint64_t key = rng_stream_key(7, 3, "orders.arrivals");
    assert_int_not_equal(key, rng_stream_key(8, 3, "orders.arrivals"));
    assert_int_not_equal(key, rng_stream_key(7, 4, "orders.arrivals"));
    assert_int_not_equal(key, rng_stream_key(7, 3, "orders.arrival"));
    assert_int_not_equal(rng_stream_key(3, 7, "a"), rng_stream_key(7, 3, "a"));
}

static void take_a_nameless_stream(void) { (void)rng_stream_key(1, 0, ""); }

static void a_stream_has_a_name(void **state) {
    (void)state;
    assert_dies(take_a_nameless_stream);
}

static void a_filled_block_equals_single_draws(void **state) {
    (void)state;
    struct rng block, single;
    uint64_t out[257];
    rng_seed(&block, 5);
    single = block;
    rng_fill(&block, out, 257);
    for (size_t i = 0; i < 257; i++)
        assert_int_equal(out[i], rng_next(&single));
    assert_memory_equal(&block, &single, sizeof block);
}

static void units_stay_in_their_intervals(void **state) {
    (void)state;
    assert_true(draw_unit(0) == 0);
    assert_true(draw_unit(UINT64_MAX) == 1 - 0x1p-53);
    assert_true(draw_unit_open(0) == 0x1p-53);
    assert_true(draw_unit_open(UINT64_MAX) == 1);
}

static void integers_stay_below_their_bound(void **state) {
    (void)state;
    assert_int_equal(draw_below(UINT64_MAX, 1), 0);
    assert_int_equal(draw_below(UINT64_MAX, 6), 5);
    assert_int_equal(draw_below(0, 6), 0);
    assert_int_equal(draw_below(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1);
    assert_false(draw_share(0, 0));
    assert_true(draw_share(0, 1));
    assert_true(draw_share(UINT64_MAX, NANO));
    assert_false(draw_share(UINT64_MAX, NANO - 1));
}

/* Chi-square of 1,000,003 draws in 1,000 equal cells; fails by chance once in 10^6 seeds, each
 * side. */
static void draws_are_uniform(void **state) {
    (void)state;
    enum { CELLS = 1000, DRAWS = 1000003 };
    static int counts[CELLS];
    struct rng rng;
    rng_seed(&rng, rng_stream_key(1, 0, "uniform"));
    for (int i = 0; i < DRAWS; i++)
        counts[draw_below(rng_next(&rng), CELLS)]++;
    double expected = (double)DRAWS / CELLS, chi_square = 0;
    for (int i = 0; i < CELLS; i++)
        chi_square += (counts[i] - expected) * (counts[i] - expected) / expected;
    assert_true(chi_square < gsl_cdf_chisq_Qinv(1e-6, CELLS - 1));
    assert_true(chi_square > gsl_cdf_chisq_Pinv(1e-6, CELLS - 1));
}

/* Streams whose names differ in one letter: correlation within 5 standard deviations, 5 / sqrt(n).
 */
static void streams_are_uncorrelated(void **state) {
    (void)state;
    enum { DRAWS = 200000 };
    struct rng a, b;
    rng_seed(&a, rng_stream_key(1, 0, "orders.keys"));
    rng_seed(&b, rng_stream_key(1, 0, "orders.keyt"));
    double sum = 0;
    for (int i = 0; i < DRAWS; i++)
        sum += (draw_unit(rng_next(&a)) - 0.5) * (draw_unit(rng_next(&b)) - 0.5);
    assert_within(sum / DRAWS * 12, 0, 5 / 447.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xoshiro_gives_the_published_answers),
        cmocka_unit_test(seeding_gives_the_same_stream_for_ever),
        cmocka_unit_test(each_part_of_a_key_changes_it),
        cmocka_unit_test(a_stream_has_a_name),
        cmocka_unit_test(a_filled_block_equals_single_draws),
        cmocka_unit_test(units_stay_in_their_intervals),
        cmocka_unit_test(integers_stay_below_their_bound),
        cmocka_unit_test(draws_are_uniform),
        cmocka_unit_test(streams_are_uncorrelated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
