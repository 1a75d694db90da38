/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Capacity in shares of each partition (M-34) and what adaptive capacity made of them (M-35). Rates are
 * measured: a partition is asked for more than anybody has, and what it serves is counted.
 */
#include <model/resource.h>
#include <support/prop.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROUNDS 20
#else
#define ROUNDS 200
#endif

#define TICK_NS (10 * NS_PER_S)
#define MANY 64

static struct bucket_rule rule_of(int64_t rate, int64_t seconds) {
    return (struct bucket_rule){rate, rate * seconds * NS_PER_S};
}

/* What `slot` serves of writes of one unit that come `ask` a second until `end_ns`. */
static int64_t serve(struct allocations *a, uint32_t slot, int64_t ask, int64_t from_ns,
                     int64_t end_ns) {
    int64_t served = 0;
    for (int64_t i = 0; from_ns + i * NS_PER_S / ask < end_ns; i++) {
        if (!allocations_admit(a, slot, WRITE, 1, from_ns + i * NS_PER_S / ask)) continue;
        allocations_take(a, slot, WRITE, NANO);
        served++;
    }
    return served;
}

static struct allocations equal_shares(uint32_t count, int64_t rate, int64_t seconds, int64_t level,
                                       bool adaptive, int64_t delay_s) {
    struct allocations a;
    const struct bucket_rule rules[DIRECTIONS] = {rule_of(1, seconds), rule_of(rate, seconds)};
    assert_true(allocations_init(&a, MANY, adaptive, delay_s * NS_PER_S));
    allocations_share(&a, count, rules, level, 0);
    return a;
}

/* ---- shares ---- */

/* Each serves its share, plus at most the unit that it may owe. */
static bool shares_property(struct rng *rng) {
    uint32_t count = (uint32_t)prop_between(rng, 1, 12);
    int64_t rate = prop_between(rng, 100, 20000);
    struct allocations a = equal_shares(count, rate, 300, 0, false, 0);
    int64_t shares[MANY], sum = 0; /* in 2^-20 of the rate */
    for (uint32_t i = 0; i < count; i++)
        shares[i] = (INT64_C(1) << 40) / count;
    for (int64_t splits = prop_between(rng, 0, 6); splits > 0; splits--) {
        uint32_t slot = (uint32_t)draw_below(rng_next(rng), count);
        uint32_t more = (uint32_t)prop_between(rng, 1, 2);
        allocations_split(&a, slot, count, more);
        shares[slot] /= more + 1;
        for (uint32_t i = 0; i < more; i++)
            shares[count + i] = shares[slot];
        count += more;
    }
    for (uint32_t i = 0; i < count; i++) {
        int64_t served = serve(&a, i, 2 * rate, 0, 10 * NS_PER_S);
        double share = (double)shares[i] / 0x1p40 * (double)rate * 10;
        PROP_CHECK((double)served <= share + 2 && (double)served >= share - 2);
        sum += served;
    }
    PROP_CHECK(sum <= rate * 10 + 2 * count && sum >= rate * 10 - 2 * count);
    allocations_deinit(&a);
    return true;
}

/* One child of each split is split again: its share ends at the least there is and never wraps around. */
static void m34_divided_without_end(void **state) {
    (void)state;
    for (uint32_t more = 1; more <= 2; more++) {
        struct allocations a = equal_shares(3, 1000000, 300, 1, true, 0);
        for (int split = 0; split < 1000; split++)
            allocations_split(&a, 2, 3, more);
        for (int d = 0; d < DIRECTIONS; d++)
            assert_int_equal(a.of[2][d].parts, ALLOCATION_PARTS_MAX);
        /* The dearest request is repaid at the least share, not given away. */
        int64_t cost = 400 * NANO;
        assert_true(allocations_admit(&a, 2, WRITE, 1, 300 * NS_PER_S));
        allocations_take(&a, 2, WRITE, cost);
        int64_t ready_ns = allocations_ready_ns(&a, 2, WRITE, 1, 300 * NS_PER_S);
        assert_in_range(ready_ns, 300 * NS_PER_S + 1, TIME_NEVER - 1);
        assert_false(allocations_admit(&a, 2, WRITE, 1, 301 * NS_PER_S));
        allocations_tick(&a, 3, WRITE, 0, TICK_NS, 310 * NS_PER_S);
        allocations_deinit(&a);
    }
}

static void m34_shares_sum_to_the_rate(void **state) {
    (void)state;
    prop_run("shares", shares_property, 34, ROUNDS);
}

/* A share's burst is its own: 300 s of it, whatever the neighbours do; a split divides what was kept. */
static void m34_burst_of_a_share(void **state) {
    (void)state;
    struct allocations a = equal_shares(4, 400, 300, DDBSIM_SHARE_ONE, false, 0);
    assert_in_range(serve(&a, 0, 1000, 0, 40 * NS_PER_S), 300 * 100 + 33 * 100,
                    300 * 100 + 40 * 100);
    allocations_split(&a, 1, 4, 1);
    assert_in_range(serve(&a, 1, 1000, 40 * NS_PER_S, 60 * NS_PER_S), 15000, 15000 + 20 * 50 + 1);
    assert_in_range(serve(&a, 4, 1000, 40 * NS_PER_S, 60 * NS_PER_S), 15000, 15000 + 20 * 50 + 1);
    assert_in_range(serve(&a, 2, 3000, 60 * NS_PER_S, 70 * NS_PER_S), 30000, 30000);
    allocations_deinit(&a);
}

/* More capacity: shares stay shares. Shared anew: all are equal, whatever they were. */
static void m34_change_and_share_anew(void **state) {
    (void)state;
    struct allocations a = equal_shares(2, 1000, 1, 0, false, 0);
    const struct bucket_rule twice[DIRECTIONS] = {rule_of(1, 1), rule_of(2000, 1)};
    allocations_split(&a, 0, 2, 1); /* 250, 500, 250 */
    allocations_change(&a, 3, twice, false, 0);
    const int64_t changed[] = {500, 1000, 500};
    for (uint32_t i = 0; i < 3; i++)
        assert_in_range(serve(&a, i, 3000, 0, 10 * NS_PER_S), 10 * changed[i] - 2,
                        10 * changed[i] + 2);
    allocations_share(&a, 4, twice, 0, 10 * NS_PER_S);
    for (uint32_t i = 0; i < 4; i++)
        assert_in_range(serve(&a, i, 3000, 10 * NS_PER_S, 20 * NS_PER_S), 4998, 5002);
    allocations_deinit(&a);
}

/* ---- through a resource: the numbers of the paper ---- */

static const struct ddbsim_assumptions before_2018 = {
    .partition_read_limit = 3000,
    .partition_write_limit = 1000,
    .replica_read_limit = 3000,
    .partition_burst_ns = 3 * NS_PER_S,
    .partition_bytes = INT64_C(10) << 30,
    .initial_rule = DDBSIM_INITIAL_SUM,
    .admission = DDBSIM_ADMISSION_STATIC,
    .split_duration_ns = NS_PER_S,
    .rw_coupled = DDBSIM_OFF,
    .token_leak = DDBSIM_OFF,
};

/* Asks every partition for 2,500 writes a second, in the order of time. */
static void ask_all(struct resource *resource, int64_t from_ns, int64_t end_ns, int64_t served[]) {
    for (int64_t t_ns = from_ns; t_ns < end_ns; t_ns += NS_PER_S / 2500)
        for (uint32_t slot = 0; slot < resource->space.count; slot++) {
            struct demand demand;
            resource_demand(resource, slot, WRITE, 0, false, NANO, &demand);
            assert_int_equal(resource_short(resource, WRITE, 1, t_ns),
                             0); /* nobody asks the whole */
            if (resource_partition_short(resource, &demand, t_ns)) continue;
            resource_take(resource, WRITE, NANO);
            resource_partition_take(resource, &demand);
            served[slot]++;
        }
}

static void assert_each_serves(struct resource *resource, uint32_t count, int64_t share,
                               int64_t from_ns) {
    int64_t served[MANY] = {0};
    assert_int_equal(resource->space.count, count);
    ask_all(resource, from_ns, from_ns + 10 * NS_PER_S, served);
    for (uint32_t slot = 0; slot < count; slot++)
        assert_in_range(served[slot], 10 * share - 2, 10 * share + 2);
}

/* Every partition in two, as for more capacity. */
static void split_all(struct resource *resource, int64_t now_ns) {
    struct space *space = &resource->space;
    uint32_t count = space->count;
    assert_true(space_grow(space, count));
    for (uint32_t slot = 0; slot < count; slot++) {
        uint32_t place = space_place(space, slot);
        uint128 low = space_low(space, place), high = space_high(space, place);
        const struct space_split split = {
            .count = 1, .cuts = {low + (high - low) / 2 + 1}, .shares = {DDBSIM_SHARE_ONE / 2}};
        space_split(space, slot, &split, now_ns);
    }
    assert_true(allocations_grow(resource->allocations, count, count));
    allocations_share(resource->allocations, space->count, resource->rules, 0, now_ns);
}

/* 3,200 writes are 4 x 800; 3,600 are 4 x 900; 6,000 need 8 x 750, and 5,000 after that are 8 x 625. */
static void m34_the_papers_numbers(void **state) {
    (void)state;
    const struct resource_options options = {
        .table_name = "t",
        .is_new = true,
        .capacity = {1, 3200},
        .burst = {.window_ns = NS_PER_S},
        .model = &before_2018,
    };
    struct resource resource;
    assert_true(resource_init(&resource, &options, 0));
    assert_each_serves(&resource, 4, 800, 0);
    resource_set_capacity(&resource, WRITE, 3600, 10 * NS_PER_S);
    assert_each_serves(&resource, 4, 900, 10 * NS_PER_S);
    split_all(&resource, 60 * NS_PER_S);
    resource_set_capacity(&resource, WRITE, 6000, 60 * NS_PER_S);
    assert_each_serves(&resource, 8, 750, 60 * NS_PER_S);
    resource_set_capacity(&resource, WRITE, 5000, 70 * NS_PER_S);
    assert_each_serves(&resource, 8, 625, 70 * NS_PER_S);
    resource_deinit(&resource);
}

/* ---- adaptive capacity ---- */

/* A minute's load of each partition, tick by tick; what each served is added up. */
static void run(struct allocations *a, uint32_t count, const int64_t asks[], int64_t ticks,
                int64_t *now_ns, int64_t served[]) {
    for (; ticks > 0; ticks--) {
        int64_t used = 0;
        for (uint32_t i = 0; i < count; i++) {
            int64_t of = asks[i] ? serve(a, i, asks[i], *now_ns, *now_ns + TICK_NS) : 0;
            served[i] += of;
            used += of * NANO;
        }
        *now_ns += TICK_NS;
        allocations_tick(a, count, WRITE, used, TICK_NS, *now_ns);
    }
}

/* The table has 400, each of four partitions 100. One is asked for 390, the others for nothing. */
static void m35_boosted_to_what_is_unused(void **state) {
    (void)state;
    struct allocations a = equal_shares(4, 400, 1, 0, true, 300);
    const int64_t asks[] = {390, 0, 0, 0};
    int64_t now_ns = 0, early[4] = {0}, later[4] = {0};
    run(&a, 4, asks, 30, &now_ns, early); /* five minutes: it is not seen before */
    assert_in_range(early[0], 30000 - 2, 30000 + 2);
    run(&a, 4, asks, 3, &now_ns, later);
    for (int64_t *l = later; l < later + 4; l++)
        *l = 0;
    run(&a, 4, asks, 10, &now_ns, later);
    assert_in_range(later[0], 38900, 39000); /* nothing more is refused */
    allocations_deinit(&a);
}

/* When the others want theirs it goes back, and nobody has less than its share. */
static void m35_given_back(void **state) {
    (void)state;
    struct allocations a = equal_shares(4, 400, 1, 0, true, 60);
    const int64_t alone[] = {390, 0, 0, 0}, all[] = {390, 100, 100, 100};
    int64_t now_ns = 0, served[4] = {0};
    run(&a, 4, alone, 30, &now_ns, served);
    run(&a, 4, all, 10, &now_ns, served);
    for (int i = 0; i < 4; i++)
        served[i] = 0;
    run(&a, 4, all, 20, &now_ns, served);
    for (int i = 0; i < 4; i++)
        assert_in_range(served[i], 20 * 1000 - 20, 20 * 1000 + 100);
    allocations_deinit(&a);
}

/* Those that were raised once and are idle now take no part in what is left. */
static void m35_the_idle_take_no_part(void **state) {
    (void)state;
    enum { COUNT = 40, RATE = 4000 };
    struct allocations a = equal_shares(COUNT, RATE, 1, 0, true, 0);
    int64_t now_ns = 0, served[COUNT] = {0}, before = 0;
    for (int hot = 0; hot < COUNT; hot++) {
        int64_t asks[COUNT] = {0};
        asks[hot] = 3000;
        before = served[hot];
        run(&a, COUNT, asks, 3, &now_ns, served);
        /* A share for ten seconds, then what it asks for. */
        assert_in_range(served[hot] - before, 60000, 62000);
    }
    allocations_deinit(&a);
}

/* Two that want more divide what is left; without adaptive capacity nobody gets more. */
static void m35_divided(void **state) {
    (void)state;
    const int64_t asks[] = {300, 300, 0, 0};
    for (int adaptive = 0; adaptive < 2; adaptive++) {
        struct allocations a = equal_shares(4, 400, 1, 0, adaptive, 60);
        int64_t now_ns = 0, served[4] = {0};
        run(&a, 4, asks, 30, &now_ns, served);
        served[0] = served[1] = 0;
        run(&a, 4, asks, 10, &now_ns, served);
        int64_t each = adaptive ? 200 : 100;
        for (int i = 0; i < 2; i++)
            assert_in_range(served[i], 100 * each - 150, 100 * each + 10);
        allocations_deinit(&a);
    }
}

/* Over random loads no more is consumed than the capacity gives, plus what the shares had kept and what one
 * look of ten seconds can miss. */
static bool adaptive_property(struct rng *rng) {
    enum { COUNT = 5, RATE = 200 };
    struct allocations a = equal_shares(COUNT, RATE, 1, 0, true, prop_between(rng, 0, 60));
    int64_t now_ns = 0, served[COUNT] = {0}, sum = 0, phases = prop_between(rng, 5, 12);
    const int64_t phase_ticks = 30;
    for (int64_t p = 0; p < phases; p++) {
        int64_t asks[COUNT];
        for (int i = 0; i < COUNT; i++)
            asks[i] = rng_next(rng) & 1 ? prop_between(rng, 1, 300) : 0;
        run(&a, COUNT, asks, phase_ticks, &now_ns, served);
    }
    for (int i = 0; i < COUNT; i++)
        sum += served[i];
    int64_t seconds = phases * phase_ticks * 10;
    PROP_CHECK(sum <= RATE * (seconds + 1) + phases * 60 * RATE);
    /* And after a while without a change of load, no more than the capacity at all. */
    const int64_t all[COUNT] = {250, 200, 150, 100, 90};
    run(&a, COUNT, all, 30, &now_ns, served);
    int64_t steady[COUNT] = {0};
    run(&a, COUNT, all, 10, &now_ns, steady);
    for (int i = 0; i < COUNT; i++) {
        PROP_CHECK(steady[i] >= 100 * RATE / COUNT - 10);
        sum -= served[i];
    }
    PROP_CHECK(steady[0] + steady[1] + steady[2] + steady[3] + steady[4] <= 100 * RATE + 100);
    allocations_deinit(&a);
    return true;
}

static void m35_no_more_than_the_capacity(void **state) {
    (void)state;
    prop_run("adaptive capacity", adaptive_property, 35, ROUNDS / 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m34_burst_of_a_share),
        cmocka_unit_test(m34_change_and_share_anew),
        cmocka_unit_test(m34_divided_without_end),
        cmocka_unit_test(m34_shares_sum_to_the_rate),
        cmocka_unit_test(m34_the_papers_numbers),
        cmocka_unit_test(m35_boosted_to_what_is_unused),
        cmocka_unit_test(m35_divided),
        cmocka_unit_test(m35_given_back),
        cmocka_unit_test(m35_the_idle_take_no_part),
        cmocka_unit_test(m35_no_more_than_the_capacity),
    };
    return cmocka_run_group_tests_name("allocation", tests, NULL, NULL);
}
