/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Top keys (M-62): exact while they fit, Space-Saving bounds beyond. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <base/hash.h>
#include <base/rng.h>
#include <model/topkeys.h>

static struct ddbsim_key key_of(uint64_t n) {
    return (struct ddbsim_key){.hash = hash64(&n, sizeof n), .ordinal = n};
}

static void use(struct topkeys *keys, uint64_t n, int64_t units) {
    while (topkeys_is_tight(keys))
        assert_true(topkeys_grow(keys));
    struct ddbsim_key key = key_of(n);
    topkeys_used(keys, &key, WRITE, units * NANO);
}

static void m62_exact(void **state) {
    (void)state;
    struct topkeys keys;
    assert_true(topkeys_init(&keys, TOPKEYS_EXACT_MAX));
    for (int round = 0; round < 3; round++)
        for (uint64_t n = 1; n <= 30000; n++)
            use(&keys, n, (int64_t)n);
    struct topkey top[5];
    assert_int_equal(topkeys_rank(&keys, TOPKEYS_ACCESSED, top, 5), 5);
    for (uint64_t i = 0; i < 5; i++) {
        assert_int_equal(top[i].ordinal, 30000 - i);
        assert_int_equal(top[i].used_nano[WRITE], 3 * (int64_t)(30000 - i) * NANO);
        assert_int_equal(top[i].error_nano, 0);
    }
    assert_int_equal(keys.count, 30000);
    topkeys_deinit(&keys);
}

static void m62_bounds_beyond(void **state) {
    (void)state;
    struct topkeys keys;
    assert_true(topkeys_init(&keys, 1024));
    for (uint64_t n = 0; n < 200000; n++) {
        use(&keys, 1000000 + n, 1);
        if (n % 10 == 0) use(&keys, 500000000, 2); /* heavy, and not among the first 1,024 keys */
    }
    int64_t sum = 0;
    for (uint32_t i = 0; i < keys.capacity; i++)
        sum += keys.slots[i].used_nano[WRITE];
    for (uint32_t i = 0; i < TOPKEYS_SUMMARY; i++)
        sum += keys.summary[i].used_nano[WRITE];
    assert_int_equal(sum, 240000 * NANO); /* nothing is lost */
    struct topkey top[1];
    assert_int_equal(topkeys_rank(&keys, TOPKEYS_ACCESSED, top, 1), 1);
    assert_int_equal(top[0].ordinal, 500000000);
    assert_true(top[0].used_nano[WRITE] >= 40000 * NANO);
    assert_true(top[0].used_nano[WRITE] - top[0].error_nano <= 40000 * NANO);
    topkeys_deinit(&keys);
}

static void m62_merge_is_record_all(void **state) {
    (void)state;
    struct topkeys window, run, all;
    assert_true(topkeys_init(&window, 4096) && topkeys_init(&run, 4096) &&
                topkeys_init(&all, 4096));
    for (int w = 0; w < 4; w++) {
        for (uint64_t n = 0; n < 700; n++) {
            use(&window, n * (uint64_t)(w + 1), 1);
            use(&all, n * (uint64_t)(w + 1), 1);
        }
        assert_true(topkeys_merge(&run, &window));
        topkeys_clear(&window);
    }
    struct topkey a[20], b[20];
    assert_int_equal(topkeys_rank(&run, TOPKEYS_ACCESSED, a, 20), 20);
    assert_int_equal(topkeys_rank(&all, TOPKEYS_ACCESSED, b, 20), 20);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(a[i].hash, b[i].hash);
        assert_int_equal(a[i].used_nano[WRITE], b[i].used_nano[WRITE]);
    }
    topkeys_deinit(&window);
    topkeys_deinit(&run);
    topkeys_deinit(&all);
}

/* ---- numbered keys ---- */

#define NUMBERS 5000

static uint64_t hash_of_number(void *context, uint32_t table, uint32_t index, uint32_t entity,
                               uint64_t ordinal) {
    (void)context;
    (void)table;
    (void)index;
    (void)entity;
    return hash64(&ordinal, sizeof ordinal);
}

static bool init_numbered(struct topkeys *keys) {
    struct topkeys_numbers numbers = {.keys = NUMBERS, .hash = hash_of_number};
    return topkeys_init_numbered(keys, &numbers);
}

static void assert_ranked_alike(struct topkeys *a, struct topkeys *b, enum topkeys_order order) {
    struct topkey of_a[30], of_b[30];
    uint32_t count = topkeys_rank(a, order, of_a, 30);
    assert_int_equal(topkeys_rank(b, order, of_b, 30), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(of_a[i].hash == of_b[i].hash && of_a[i].ordinal == of_b[i].ordinal);
        assert_int_equal(of_a[i].throttles, of_b[i].throttles);
        for (int d = 0; d < DIRECTIONS; d++)
            assert_int_equal(of_a[i].used_nano[d], of_b[i].used_nano[d]);
    }
}

/* Counted by number or by hash: the same ranks, window by window and over the run, ties included. */
static void m62_numbers_are_hashes(void **state) {
    (void)state;
    struct topkeys window[2], run[2];
    struct rng rng;
    rng_seed(&rng, 62);
    assert_true(topkeys_init(&window[0], TOPKEYS_EXACT_MAX) && init_numbered(&window[1]) &&
                topkeys_init(&run[0], TOPKEYS_EXACT_MAX) && init_numbered(&run[1]));
    for (int w = 0; w < 5; w++) {
        for (int i = 0; i < (w % 2 ? 50 : 20000); i++) {
            struct ddbsim_key key = key_of(draw_below(rng_next(&rng), NUMBERS));
            int64_t half_units = 1 + (int64_t)draw_below(rng_next(&rng), 3);
            bool throttled = draw_below(rng_next(&rng), 4) == 0;
            enum direction direction = rng_next(&rng) >> 63 ? WRITE : READ;
            for (int k = 0; k < 2; k++) {
                while (topkeys_is_tight(&window[k]))
                    assert_true(topkeys_grow(&window[k]));
                if (throttled)
                    topkeys_throttled(&window[k], &key);
                else
                    topkeys_used(&window[k], &key, direction, half_units * (NANO / 2));
            }
        }
        for (int order = 0; order < 2; order++)
            assert_ranked_alike(&window[0], &window[1], (enum topkeys_order)order);
        for (int k = 0; k < 2; k++) {
            assert_false(topkeys_is_empty(&window[k]));
            assert_true(topkeys_merge(&run[k], &window[k]));
            topkeys_clear(&window[k]);
            assert_true(topkeys_is_empty(&window[k]));
        }
    }
    for (int order = 0; order < 2; order++)
        assert_ranked_alike(&run[0], &run[1], (enum topkeys_order)order);
    for (int k = 0; k < 2; k++) {
        topkeys_deinit(&window[k]);
        topkeys_deinit(&run[k]);
    }
}

/* A counter outgrows 32 bits: nothing is lost, in a window or where windows are added up. */
static void m62_numbers_grow(void **state) {
    (void)state;
    struct topkeys window, run;
    assert_true(init_numbered(&window) && init_numbered(&run));
    const int64_t units = 30000000, uses = 40;
    for (int w = 0; w < 2; w++) {
        for (int i = 0; i < uses; i++)
            use(&window, 7, units);
        assert_true(topkeys_merge(&run, &window));
        struct topkey top[1];
        assert_int_equal(topkeys_rank(&window, TOPKEYS_ACCESSED, top, 1), 1);
        assert_int_equal(top[0].used_nano[WRITE], uses * units * NANO);
        assert_int_equal(topkeys_rank(&run, TOPKEYS_ACCESSED, top, 1), 1);
        assert_int_equal(top[0].used_nano[WRITE], uses * (w + 1) * units * NANO);
        topkeys_clear(&window);
    }
    topkeys_deinit(&window);
    topkeys_deinit(&run);
}

/* Keys beyond the numbers share the summary; nothing is lost, and the heavy one among them is found. */
static void m62_open_numbers(void **state) {
    (void)state;
    struct topkeys window, run;
    struct topkeys_numbers numbers = {.keys = NUMBERS, .hash = hash_of_number, .open = true};
    assert_true(topkeys_init_numbered(&window, &numbers) && topkeys_init_numbered(&run, &numbers));
    assert_true(topkeys_is_empty(&window));
    for (int w = 0; w < 3; w++) {
        for (uint64_t n = 0; n < 40000; n++) {
            use(&window, n, 1); /* the first NUMBERS are exact */
            if (n % 4 == 0) use(&window, 77777, 1);
            if (n % 5 == 0) use(&window, 42, 1);
        }
        assert_false(topkeys_is_empty(&window));
        assert_true(topkeys_merge(&run, &window));
        topkeys_clear(&window);
        assert_true(topkeys_is_empty(&window));
    }
    struct topkey top[2];
    assert_int_equal(topkeys_rank(&run, TOPKEYS_ACCESSED, top, 2), 2);
    assert_int_equal(top[0].ordinal, 77777);
    assert_in_range(top[0].used_nano[WRITE], 3 * 10000 * NANO,
                    3 * 10000 * NANO + top[0].error_nano);
    assert_int_equal(top[1].ordinal, 42);
    assert_int_equal(top[1].used_nano[WRITE], 3 * 8001 * NANO);
    assert_int_equal(top[1].error_nano, 0);
    int64_t sum = 0;
    for (uint32_t i = 0; i < TOPKEYS_SUMMARY; i++)
        sum += run.summary[i].used_nano[WRITE];
    assert_int_equal(sum, 3 * (40000 - NUMBERS + 10000) * NANO);
    topkeys_deinit(&window);
    topkeys_deinit(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m62_exact),
        cmocka_unit_test(m62_bounds_beyond),
        cmocka_unit_test(m62_merge_is_record_all),
        cmocka_unit_test(m62_numbers_are_hashes),
        cmocka_unit_test(m62_numbers_grow),
        cmocka_unit_test(m62_open_numbers),
    };
    return cmocka_run_group_tests_name("topkeys", tests, NULL, NULL);
}
