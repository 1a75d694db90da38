/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Top keys (M-62): exact while they fit, Space-Saving bounds beyond. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <base/hash.h>
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m62_exact),
        cmocka_unit_test(m62_bounds_beyond),
        cmocka_unit_test(m62_merge_is_record_all),
    };
    return cmocka_run_group_tests_name("topkeys", tests, NULL, NULL);
}
