/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a hot partition is cut, and when it is not (M-26): patterns of traffic over one window, of which the
 * decision must come out whatever the seed and the sample's size.
 */
#include <math.h>
#include <model/heat.h>
#include <stdlib.h>
#include <string.h>
#include <support/prop.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEEDS 2
#else
#define SEEDS 10
#endif
#define WRITES 240000 /* of a window: 800 a second over 300 s */
#define UNIT_WRITE 6  /* weight */

static const struct heat_rules defaults = {
    .benefit = 900000000, .sequential = 800000000, .isolation = 100000000};
static const uint128 everything = ~(uint128)0;

static uint128 at(uint64_t hash, uint64_t sort) { return (uint128)hash << 64 | sort; }

/* The position that write `i` of the window goes to. */
typedef uint128 pattern_fn(struct rng *rng, uint32_t i);

struct decision {
    enum heat_verdict verdict;
    struct space_split split;
};

struct question {
    pattern_fn *pattern;
    uint32_t capacity, writes;
    uint64_t seed;
    struct heat_rules rules;
    uint128 low, high;
};

static void feed(struct heat_sample *sample, const struct question *q) {
    struct rng rng;
    rng_seed(&rng, q->seed);
    heat_sample_begin(sample, q->seed * 31 + 1, UINT64_MAX);
    for (uint32_t i = 0; i < q->writes; i++) {
        if (i == q->writes / 2) heat_sample_turn(sample);
        heat_sample_add(sample, q->pattern(&rng, i), WRITE, UNIT_WRITE);
    }
}

static struct decision decide(const struct question *q) {
    struct heat_sample sample;
    struct decision out = {0};
    assert_true(heat_sample_init(&sample, q->capacity));
    void *scratch = malloc(heat_scratch_bytes(q->capacity));
    assert_non_null(scratch);
    feed(&sample, q);
    out.verdict = heat_decide(&sample, &q->rules, q->low, q->high, scratch, &out.split);
    if (out.verdict == HEAT_CUT || out.verdict == HEAT_ISOLATE) {
        assert_in_range(out.split.count, 1, SPACE_CUTS_MAX);
        for (uint32_t i = 0; i < out.split.count; i++) {
            assert_true(out.split.cuts[i] > q->low && out.split.cuts[i] <= q->high);
            assert_in_range(out.split.shares[i], 0, DDBSIM_SHARE_ONE);
            assert_true(i == 0 || (out.split.cuts[i] > out.split.cuts[i - 1] &&
                                   out.split.shares[i] >= out.split.shares[i - 1]));
        }
    }
    free(scratch);
    heat_sample_deinit(&sample);
    return out;
}

static struct question ask(pattern_fn *pattern, uint32_t capacity, uint64_t seed) {
    return (struct question){.pattern = pattern,
                             .capacity = capacity,
                             .writes = WRITES,
                             .seed = seed,
                             .rules = defaults,
                             .high = everything};
}

static const uint32_t capacities[] = {64, 512, 4096};
#define EVERY_CAPACITY(capacity, seed) \
    for (size_t c_ = 0; c_ < 3; c_++)  \
        for (uint64_t capacity = capacities[c_], seed = 1; seed <= SEEDS; seed++)

static void assert_verdict(const struct question *q, enum heat_verdict expected) {
    enum heat_verdict verdict = decide(q).verdict;
    if (verdict != expected)
        print_error("seed %llu, capacity %u\n", (unsigned long long)q->seed, q->capacity);
    assert_string_equal(heat_verdict_name(verdict), heat_verdict_name(expected));
}

static void assert_always(pattern_fn *pattern, enum heat_verdict expected) {
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(pattern, (uint32_t)capacity, seed);
        assert_verdict(&q, expected);
    }
}

/* The share of the pattern's traffic that lies below a position. */
static double share_below(const struct question *q, uint128 position) {
    struct rng rng;
    uint32_t below = 0;
    rng_seed(&rng, q->seed);
    for (uint32_t i = 0; i < q->writes; i++)
        below += q->pattern(&rng, i) < position;
    return (double)below / q->writes;
}

/* A cut is as good as the sample is large: four standard errors of a share near one half. */
static void assert_cut_in_half(pattern_fn *pattern, double least, double most) {
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(pattern, (uint32_t)capacity, seed);
        struct decision decision = decide(&q);
        assert_string_equal(heat_verdict_name(decision.verdict), "cut");
        assert_int_equal(decision.split.count, 1);
        double share = share_below(&q, decision.split.cuts[0]);
        double error = capacity == 64 ? 0.15 : capacity == 512 ? 0.03 : 0;
        if (share < least - error || share > most + error)
            print_error("%g of the traffic is left of the cut, seed %llu, capacity %llu\n", share,
                        (unsigned long long)seed, (unsigned long long)capacity);
        assert_true(share >= least - error && share <= most + error);
    }
}

/* ---- traffic that a cut divides ---- */

static uint128 uniform(struct rng *rng, uint32_t i) {
    (void)i;
    return at(rng_next(rng), rng_next(rng));
}
static uint128 one_collection(struct rng *rng, uint32_t i) {
    (void)i;
    return at(77, rng_next(rng));
}

static void m26_random_keys_are_cut_near_the_median(void **state) {
    (void)state;
    assert_cut_in_half(uniform, 0.45, 0.55);
    assert_cut_in_half(one_collection, 0.45, 0.55);
}

/* Zipf's law with theta 1 over 1,000 keys in random places: the heaviest has 13 %. */
static uint128 zipfian(struct rng *rng, uint32_t i) {
    (void)i;
    double u = (double)(rng_next(rng) >> 11) * 0x1p-53;
    uint64_t rank = (uint64_t)exp(u * log(1000));
    return at(rank * UINT64_C(0x9e3779b97f4a7c15), 0);
}
static void m26_popular_keys_are_cut(void **state) {
    (void)state;
    assert_cut_in_half(zipfian, 0.35, 0.65);
}

static uint128 two_items(struct rng *rng, uint32_t i) {
    (void)i;
    return rng_next(rng) & 1 ? at(3, 9) : at(4, 2);
}
static void m26_two_hot_items_are_cut_apart(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(two_items, (uint32_t)capacity, seed);
        struct decision decision = decide(&q);
        assert_string_equal(heat_verdict_name(decision.verdict), "cut");
        assert_int_equal(decision.split.count, 1);
        assert_true(decision.split.cuts[0] > at(3, 9) && decision.split.cuts[0] <= at(4, 2));
        assert_int_equal(decision.split.shares[0], DDBSIM_SHARE_ONE / 2); /* one key of two */
    }
}

/* ---- one hot item ---- */

static uint128 hot_item(struct rng *rng, uint64_t percent, uint128 item) {
    return rng_next(rng) % 100 < percent ? item : at(rng_next(rng), rng_next(rng));
}
#define MIDDLE (UINT64_C(1) << 63)
static uint128 item_95(struct rng *rng, uint32_t i) {
    (void)i;
    return hot_item(rng, 95, at(MIDDLE, 5));
}
static uint128 item_80(struct rng *rng, uint32_t i) {
    (void)i;
    return hot_item(rng, 80, at(MIDDLE, 5));
}
static uint128 item_60(struct rng *rng, uint32_t i) {
    (void)i;
    return hot_item(rng, 60, at(MIDDLE, 5));
}
static uint128 only_item(struct rng *rng, uint32_t i) {
    (void)rng;
    (void)i;
    return at(MIDDLE, 5);
}

static void m26_a_single_item_is_not_cut(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(only_item, (uint32_t)capacity, seed);
        assert_verdict(&q, HEAT_SINGLE_ITEM);
        if (capacity < 512) continue; /* 10 % of so few is a matter of luck */
        q.pattern = item_95;
        assert_verdict(&q, HEAT_SINGLE_ITEM);
    }
    /* However little stays beside it, there must be something. */
    struct question q = ask(only_item, 512, 1);
    q.rules.isolation = 0;
    assert_verdict(&q, HEAT_SINGLE_ITEM);
}

static void assert_isolated(pattern_fn *pattern, uint64_t capacity, uint64_t seed) {
    struct question q = ask(pattern, (uint32_t)capacity, seed);
    struct decision decision = decide(&q);
    if (decision.verdict != HEAT_ISOLATE)
        print_error("seed %llu, capacity %u\n", (unsigned long long)q.seed, q.capacity);
    assert_string_equal(heat_verdict_name(decision.verdict), "isolate");
    assert_int_equal(decision.split.count, 2);
    assert_true(decision.split.cuts[0] == at(MIDDLE, 5) && decision.split.cuts[1] == at(MIDDLE, 6));
    /* Half of the other keys on each side: the share of keys, not of traffic. */
    double left = (double)decision.split.shares[0] / 1e9,
           to = (double)decision.split.shares[1] / 1e9;
    double error = capacity == 64 ? 0.35 : capacity == 512 ? 0.2 : 0.1;
    assert_true(left > 0.5 - error && left < 0.5 + error);
    assert_true(to >= left && to < left + 0.2);
}

static void m26_a_hot_item_is_cut_out(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        assert_isolated(item_80, capacity, seed);
        assert_isolated(item_60, capacity, seed);
    }
}

/* At the partition's first or last position one cut is enough. */
static uint128 item_80_low(struct rng *rng, uint32_t i) {
    (void)i;
    return hot_item(rng, 80, 0);
}
static uint128 item_80_high(struct rng *rng, uint32_t i) {
    (void)i;
    return hot_item(rng, 80, ~(uint128)0);
}
static void m26_a_hot_item_at_an_edge_needs_one_cut(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(item_80_low, (uint32_t)capacity, seed);
        struct decision decision = decide(&q);
        assert_int_equal(decision.split.count, 1);
        assert_true(decision.verdict == HEAT_CUT || decision.verdict == HEAT_ISOLATE);
        assert_true(share_below(&q, decision.split.cuts[0]) < 0.86);
        q.pattern = item_80_high;
        decision = decide(&q);
        assert_int_equal(decision.split.count, 1);
        assert_true(decision.verdict == HEAT_CUT || decision.verdict == HEAT_ISOLATE);
        assert_true(share_below(&q, decision.split.cuts[0]) > 0.14);
    }
}

/* ---- keys in an order ---- */

static uint128 rising(struct rng *rng, uint32_t i) {
    (void)rng;
    return at(5, (uint64_t)i << 32);
}
static uint128 falling(struct rng *rng, uint32_t i) {
    (void)rng;
    return at(5, (uint64_t)(WRITES - i) << 32);
}
/* 800 a second that arrive up to 5 ms late: four places at most. */
static uint128 jittered(struct rng *rng, uint32_t i) {
    return at(5, ((uint64_t)i << 32) + ((rng_next(rng) % 5) << 32));
}
static uint128 rising_hashes(struct rng *rng, uint32_t i) {
    (void)rng;
    return at((uint64_t)i << 40, 0);
}
static void m26_sequential_keys_are_not_cut(void **state) {
    (void)state;
    assert_always(rising, HEAT_SEQUENTIAL);
    assert_always(falling, HEAT_SEQUENTIAL);
    assert_always(jittered, HEAT_SEQUENTIAL);
    assert_always(rising_hashes, HEAT_SEQUENTIAL);
}

/* Once up and down again, and round and round, in the time of the window. */
static uint128 forth_and_back(struct rng *rng, uint32_t i) {
    (void)rng;
    return at(5, (uint64_t)(i < WRITES / 2 ? i : WRITES - i) << 32);
}
static uint128 rounds(struct rng *rng, uint32_t i) {
    (void)rng;
    return at(5, (uint64_t)(i % (WRITES / 4)) << 32);
}
static void m26_a_slow_walk_is_not_cut(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        /* A moment is 16 sightings: a small sample has but a few moments and cannot see the walk. */
        if (capacity < 512) continue;
        struct question q = ask(forth_and_back, (uint32_t)capacity, seed);
        assert_verdict(&q, HEAT_NO_BENEFIT);
        q.pattern = rounds;
        assert_verdict(&q, HEAT_NO_BENEFIT);
    }
}

/* Eight collections, each of which rises: the traffic lies in eight places at every moment. */
static uint128 several_rising(struct rng *rng, uint32_t i) {
    return at(rng_next(rng) % 8, (uint64_t)i << 32);
}
static void m26_several_rising_collections_are_cut_apart(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(several_rising, (uint32_t)capacity, seed);
        struct decision decision = decide(&q);
        assert_string_equal(heat_verdict_name(decision.verdict), "cut");
        double share = share_below(&q, decision.split.cuts[0]);
        assert_true(share > 0.2 && share < 0.8);
    }
}

/* ---- whole collections ---- */

static uint128 few_collections(struct rng *rng, uint32_t i) {
    (void)i;
    return at(10 + rng_next(rng) % 4, rng_next(rng));
}
/* One collection of many items, and one write in twenty elsewhere. */
static uint128 mostly_one_collection(struct rng *rng, uint32_t i) {
    return i % 20 == 0 ? at(10 + rng_next(rng) % 1000, rng_next(rng)) : one_collection(rng, i);
}
static void m26_collections_stay_whole(void **state) {
    (void)state;
    EVERY_CAPACITY(capacity, seed) {
        struct question q = ask(one_collection, (uint32_t)capacity, seed);
        q.rules.whole_collections = true;
        assert_verdict(&q, HEAT_COLLECTION);
        q.pattern = mostly_one_collection;
        assert_verdict(&q, HEAT_COLLECTION);
        q.pattern = few_collections;
        struct decision decision = decide(&q);
        assert_string_equal(heat_verdict_name(decision.verdict), "cut");
        assert_true((uint64_t)decision.split.cuts[0] == 0);
        double share = share_below(&q, decision.split.cuts[0]);
        assert_true(share > 0.2 && share < 0.8);
    }
}

/* The collection of a hot item goes with it. */
static void m26_isolation_takes_the_whole_collection(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct question q = ask(item_80, 512, seed);
        q.rules.whole_collections = true;
        struct decision decision = decide(&q);
        assert_string_equal(heat_verdict_name(decision.verdict), "isolate");
        assert_int_equal(decision.split.count, 2);
        assert_true(decision.split.cuts[0] == at(MIDDLE, 0));
        assert_true(decision.split.cuts[1] == at(MIDDLE + 1, 0));
    }
}

/* ---- the sample ---- */

static void m26_too_little_is_known(void **state) {
    (void)state;
    for (uint32_t writes = 0; writes < 1200; writes += 100) {
        struct question q = ask(uniform, 512, 1);
        q.writes = writes;
        assert_verdict(&q, HEAT_NO_BENEFIT);
    }
}

/* A third of the weight, in reads and writes of several sizes, is of one key. */
static void m26_the_sample_is_fair(void **state) {
    (void)state;
    for (size_t c = 0; c < 3; c++) {
        double sum = 0, count = 0;
        for (uint64_t seed = 1; seed <= 10 * SEEDS; seed++) {
            struct heat_sample sample;
            struct rng rng;
            uint64_t key_weight = 0, weight = 0;
            uint32_t found = 0;
            assert_true(heat_sample_init(&sample, capacities[c]));
            heat_sample_begin(&sample, seed, UINT64_MAX);
            rng_seed(&rng, seed + 1000);
            for (int i = 0; i < 40000; i++) {
                bool is_key = rng_next(&rng) % 6 == 0;
                uint64_t of = is_key ? 30 : 6 + rng_next(&rng) % 13; /* 12 on the average */
                heat_sample_add(&sample, is_key ? 1 : 2 + rng_next(&rng), READ, of);
                weight += of;
                key_weight += is_key ? of : 0;
            }
            const struct heat_half *half = &sample.halves[sample.current];
            assert_in_range(half->count, capacities[c] / 2 < 2000 ? capacities[c] / 2 : 1800,
                            capacities[c]);
            assert_int_equal(half->seen, weight);
            for (uint32_t i = 0; i < half->count; i++)
                found += half->positions[i] == 1;
            double share = (double)key_weight / (double)weight;
            double error = sqrt(share * (1 - share) / half->count);
            assert_true(fabs((double)found / half->count - share) < 5 * error);
            sum += (double)found - share * half->count;
            count += half->count;
            heat_sample_deinit(&sample);
        }
        assert_true(fabs(sum) < 4 * sqrt(count / 4));
    }
}

static void m26_the_same_again(void **state) {
    (void)state;
    pattern_fn *const patterns[] = {uniform, zipfian, two_items, item_80, several_rising};
    for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
        struct question q = ask(patterns[p], 512, 7);
        struct decision first = decide(&q), second = decide(&q);
        assert_int_equal(first.verdict, second.verdict);
        assert_int_equal(first.split.count, second.split.count);
        for (uint32_t i = 0; i < first.split.count; i++)
            assert_true(first.split.cuts[i] == second.split.cuts[i] &&
                        first.split.shares[i] == second.split.shares[i]);
    }
}

/* A split for size: the middle of what is asked for, inside the partition. */
static void m24_the_middle_of_the_traffic(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct question q = ask(zipfian, 512, seed);
        struct heat_sample sample;
        struct space_split split;
        assert_true(heat_sample_init(&sample, q.capacity));
        void *scratch = malloc(heat_scratch_bytes(q.capacity));
        feed(&sample, &q);
        assert_true(
            heat_part(&sample, false, DDBSIM_SHARE_ONE / 2, 0, everything, scratch, &split));
        assert_int_equal(split.count, 1);
        assert_int_equal(split.shares[0], DDBSIM_SHARE_ONE / 2);
        double share = share_below(&q, split.cuts[0]);
        assert_true(share > 0.3 && share < 0.7);
        assert_true(heat_part(&sample, true, DDBSIM_SHARE_ONE / 2, 0, everything, scratch, &split));
        assert_true((uint64_t)split.cuts[0] == 0);
        /* All of it at the partition's first position: no cut inside. */
        q.pattern = only_item;
        feed(&sample, &q);
        assert_false(heat_part(&sample, false, DDBSIM_SHARE_ONE / 2, at(MIDDLE, 5), everything,
                               scratch, &split));
        assert_true(
            heat_part(&sample, false, DDBSIM_SHARE_ONE / 2, 0, everything, scratch, &split));
        assert_true(split.cuts[0] == at(MIDDLE, 5));
        heat_sample_begin(&sample, 1, UINT64_MAX);
        assert_false(
            heat_part(&sample, false, DDBSIM_SHARE_ONE / 2, 0, everything, scratch, &split));
        free(scratch);
        heat_sample_deinit(&sample);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m24_the_middle_of_the_traffic),
        cmocka_unit_test(m26_a_hot_item_at_an_edge_needs_one_cut),
        cmocka_unit_test(m26_a_hot_item_is_cut_out),
        cmocka_unit_test(m26_a_single_item_is_not_cut),
        cmocka_unit_test(m26_a_slow_walk_is_not_cut),
        cmocka_unit_test(m26_collections_stay_whole),
        cmocka_unit_test(m26_isolation_takes_the_whole_collection),
        cmocka_unit_test(m26_popular_keys_are_cut),
        cmocka_unit_test(m26_random_keys_are_cut_near_the_median),
        cmocka_unit_test(m26_sequential_keys_are_not_cut),
        cmocka_unit_test(m26_several_rising_collections_are_cut_apart),
        cmocka_unit_test(m26_the_same_again),
        cmocka_unit_test(m26_the_sample_is_fair),
        cmocka_unit_test(m26_too_little_is_known),
        cmocka_unit_test(m26_two_hot_items_are_cut_apart),
    };
    print_message("heat: seeds 1 to %d\n", SEEDS);
    return cmocka_run_group_tests_name("heat", tests, NULL, NULL);
}
