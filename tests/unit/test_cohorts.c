/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Age cohorts (M-17, M-18): when their items are deleted, and that none is lost whatever happens to them. */
#include <model/cohorts.h>
#include <support/prop.h>

static const struct cohort_delays delays = {480, 780, 540, 900, 172800};
#define DAY INT64_C(86400)

static int64_t all_items(const struct cohorts *c, uint32_t slots) {
    int64_t items = 0;
    for (uint32_t slot = 0; slot < slots; slot++)
        items += cohorts_items(c, slot);
    return items;
}

static int64_t all_bytes(const struct cohorts *c, uint32_t slots) {
    int64_t bytes = 0;
    for (uint32_t slot = 0; slot < slots; slot++)
        bytes += cohorts_bytes(c, slot);
    return bytes;
}

/* Half of what expires at one moment is gone after half of the delay's span. */
static void m17_deletes_are_even_between_the_delays(void **state) {
    (void)state;
    struct cohorts c;
    assert_true(cohorts_init(&c, 3600, 0, 1));
    cohorts_place(&c, 0, 10000, 10000 * 100);
    int64_t gone_by[2000] = {0}, sum = 0;
    for (int64_t t = 60; t < 3600 + 2000; t += 60) {
        struct partition_holding held = {cohorts_items(&c, 0), 0}, gone = {0, 0};
        sum += cohorts_expire(&c, &delays, &held, 1, t, &gone);
        assert_int_equal(gone.bytes, gone.items * 100);
        if (t >= 3600) gone_by[t - 3600] = sum;
    }
    /* 10,000 items add 54 and 90 s: from 534 to 870 s after the moment. */
    assert_int_equal(gone_by[480], 0);
    assert_in_range(gone_by[660], 10000 * (659 - 534) / (870 - 534),
                    10000 * (660 - 534) / (870 - 534));
    assert_int_equal(gone_by[900], 10000);
    cohorts_deinit(&c);
}

/* A stretch of 60 days in cohorts, or in finer ones: the same goes in any month. */
static void m18_what_goes_is_what_came(void **state) {
    (void)state;
    struct cohorts c;
    assert_true(cohorts_init(&c, 60 * DAY, 120 * DAY, 4));
    for (uint32_t slot = 0; slot < 4; slot++)
        cohorts_place(&c, slot, 120000, 120000);
    int64_t gone = 0, after_a_day = 0, after_a_month = 0;
    for (int64_t t = 60; t <= 62 * DAY; t += 60) {
        struct partition_holding held[4], went[4] = {{0, 0}};
        for (uint32_t slot = 0; slot < 4; slot++)
            held[slot] = (struct partition_holding){120000, 120000};
        gone += cohorts_expire(&c, &delays, held, 4, t, went);
        assert_true(cohorts_follow(&c, t));
        if (t == DAY) after_a_day = gone;
        if (t == 31 * DAY) after_a_month = gone - after_a_day;
    }
    assert_in_range(after_a_day, 240000 + 3900, 240000 + 4000); /* half had expired; 4,000 a day */
    assert_in_range(after_a_month, 120000 - 20, 120000 + 20);
    assert_int_equal(gone, 480000);
    assert_int_equal(all_items(&c, 4), 0);
    cohorts_deinit(&c);
}

static int64_t any(struct rng *rng, int64_t most) { return prop_between(rng, 0, most); }

/* Whatever is added, taken, renewed, resized, split and deleted: it adds up, in items and in bytes. */
static bool run_adds_up(struct rng *rng, struct cohorts *c, uint32_t slots) {
    int64_t items = all_items(c, slots), bytes = all_bytes(c, slots), one = 0;
    for (int64_t t = 60; t < 40000; t += 60) {
        struct partition_holding held[8] = {{0, 0}}, gone[8] = {{0, 0}};
        uint32_t slot = (uint32_t)any(rng, slots - 1);
        cohorts_add(c, slot, 3, 30);
        items += 3, bytes += 30;
        if (cohorts_take(c, slot, rng_next(rng), &one)) items--, bytes -= one;
        one = prop_between(rng, -50, 50);
        if (cohorts_resize(c, slot, rng_next(rng), &one)) bytes += one;
        items -= cohorts_expire(c, &delays, held, slots, t, gone);
        for (uint32_t i = 0; i < slots; i++)
            bytes -= gone[i].bytes;
        PROP_CHECK(cohorts_follow(c, t));
        if (slots < 8 && any(rng, 99) == 0) {
            struct space_parting parting = {.split = {.count = 1, .shares = {any(rng, NANO - 1)}},
                                            .slot = slot};
            parting.first_child = slots++;
            cohorts_split(c, &parting);
        }
        PROP_CHECK(all_items(c, slots) == items);
        PROP_CHECK(all_bytes(c, slots) == bytes);
        PROP_CHECK(cohorts_waiting(c, t) >= 0 && cohorts_waiting(c, t) <= items);
    }
    return true;
}

static bool adds_up(struct rng *rng) {
    uint32_t slots = (uint32_t)prop_between(rng, 1, 4);
    struct cohorts c;
    PROP_CHECK(cohorts_init(&c, prop_between(rng, 1, 30000), any(rng, 60000), 8));
    for (uint32_t slot = 0; slot < slots; slot++) {
        int64_t items = any(rng, 3000);
        cohorts_place(&c, slot, items, 77 * items);
    }
    bool holds = run_adds_up(rng, &c, slots);
    cohorts_deinit(&c);
    return holds;
}

static void m18_nothing_is_lost(void **state) {
    (void)state;
    prop_run("cohorts", adds_up, 18, 60);
}

/* What expired more than five years ago is nobody's. */
static void m19_the_old_are_left_alone(void **state) {
    (void)state;
    struct cohorts c;
    assert_true(cohorts_init(&c, DAY, 3653 * DAY, 1));
    cohorts_place(&c, 0, 3653000, 0);
    assert_in_range(cohorts_items(&c, 0), 1827000, 1828000); /* five years and a day of ten */
    cohorts_deinit(&c);
}

/* Splits leave room for more partitions where there was none. */
static void m18_cells_grow(void **state) {
    (void)state;
    struct cohorts c;
    assert_true(cohorts_init(&c, DAY, DAY, 1));
    cohorts_place(&c, 0, 1000, 1000);
    assert_true(cohorts_grow(&c, 3));
    assert_int_equal(cohorts_items(&c, 2), 0);
    struct space_parting parting = {.split = {.count = 2, .shares = {NANO / 4, NANO / 2}},
                                    .first_child = 1};
    cohorts_split(&c, &parting);
    assert_int_equal(all_items(&c, 3), 1000);
    assert_true(cohorts_items(&c, 2) >= 500);
    cohorts_deinit(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m17_deletes_are_even_between_the_delays),
        cmocka_unit_test(m18_what_goes_is_what_came),
        cmocka_unit_test(m18_nothing_is_lost),
        cmocka_unit_test(m18_cells_grow),
        cmocka_unit_test(m19_the_old_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
