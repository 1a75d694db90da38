/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A set of slots against an array of flags. */
#include <model/slotset.h>
#include <stdlib.h>
#include <support/prop.h>

#define MOST 700

static bool slotset_property(struct rng *rng) {
    struct slotset set = {0};
    bool in[MOST] = {false};
    uint32_t count = (uint32_t)prop_between(rng, 1, MOST / 2);
    PROP_CHECK(slotset_grow(&set, count));
    for (int i = 0; i < 400; i++) {
        uint32_t slot = (uint32_t)draw_below(rng_next(rng), count);
        uint64_t how = rng_next(rng) % 8;
        if (how == 0) {
            uint32_t more = (uint32_t)draw_below(rng_next(rng), MOST - count + 1);
            PROP_CHECK(slotset_grow(&set, count + more));
            count += more / 4; /* what lies beyond is room */
        } else if (how < 4) {
            slotset_add(&set, slot);
            in[slot] = true;
        } else {
            slotset_remove(&set, slot);
            in[slot] = false;
        }
    }
    uint32_t next = slotset_next(&set, 0, count);
    for (uint32_t slot = 0; slot < count; slot++) {
        PROP_CHECK((next == slot) == in[slot]);
        if (next == slot) next = slotset_next(&set, slot + 1, count);
    }
    PROP_CHECK(next == count);
    slotset_clear(&set);
    PROP_CHECK(slotset_next(&set, 0, count) == count);
    slotset_deinit(&set);
    return true;
}

static void slots_go_in_and_out(void **state) {
    (void)state;
    prop_run("slots", slotset_property, 1, 300);
}

/* What lies beyond the count is not found, also in the count's own word. */
static void nothing_beyond_the_count(void **state) {
    (void)state;
    struct slotset set = {0};
    assert_true(slotset_grow(&set, 100));
    slotset_add(&set, 90);
    assert_int_equal(slotset_next(&set, 0, 91), 90);
    assert_int_equal(slotset_next(&set, 0, 90), 90);
    assert_int_equal(slotset_next(&set, 91, 100), 100);
    assert_int_equal(slotset_next(&set, 100, 100), 100);
    slotset_deinit(&set);
    slotset_clear(&set);
    assert_int_equal(slotset_next(&set, 0, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slots_go_in_and_out),
        cmocka_unit_test(nothing_beyond_the_count),
    };
    return cmocka_run_group_tests_name("slotset", tests, NULL, NULL);
}
