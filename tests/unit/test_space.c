/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Key space and partitions (M-10, M-20, M-21), and what a split makes of them (M-28). */
#include <model/space.h>
#include <support/prop.h>

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
    assert_int_equal(space.holdings[0].items + space.holdings[1].items + space.holdings[2].items,
                     100);
    assert_int_equal(space.holdings[0].bytes + space.holdings[1].bytes + space.holdings[2].bytes,
                     1000);
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

/* ---- partitions that split ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define ROUNDS 20
#define MANY 2000
#else
#define ROUNDS 200
#define MANY 20000
#endif

/* A share of at least `low`. */
static int64_t random_share(struct rng *rng, int64_t low) {
    return prop_between(rng, low, DDBSIM_SHARE_ONE);
}

static uint128 random_within(struct rng *rng, uint128 low, uint128 high) {
    uint128 draw = (uint128)rng_next(rng) << 64 | rng_next(rng);
    uint128 span = high - low + 1; /* 0: all positions */
    return span == 0 ? draw : low + draw % span;
}

/* One or two cuts anywhere inside a partition, often at its edges; false where there is no room. */
static bool random_split(struct rng *rng, const struct space *space, uint32_t place,
                         struct space_split *out) {
    uint128 low = space_low(space, place), high = space_high(space, place);
    *out = (struct space_split){0};
    if (low == high) return false;
    uint64_t how = rng_next(rng);
    uint128 first = how & 1   ? low + 1
                    : how & 2 ? high
                    : how & 4 ? low + (high - low) / 2 + 1
                              : random_within(rng, low + 1, high);
    out->cuts[0] = first;
    out->shares[out->count++] = random_share(rng, 0);
    if (how & 8 || first == high) return true;
    out->cuts[1] = how & 16 ? first + 1 : random_within(rng, first + 1, high);
    out->shares[out->count++] = random_share(rng, out->shares[0]);
    return true;
}

/* Partition by partition, from the lowest on. */
static uint32_t find_linearly(const struct space *space, uint128 position) {
    uint32_t place = 0;
    while (place + 1 < space->count && space_low(space, place + 1) <= position)
        place++;
    return space->slots[place];
}

static bool finds_as_a_linear_search(const struct space *space, uint128 position) {
    PROP_CHECK(space_find(space, position) == find_linearly(space, position));
    return true;
}

static bool finds_everything(const struct space *space, struct rng *rng) {
    for (uint32_t place = 0; place < space->count; place++) {
        uint128 low = space_low(space, place), high = space_high(space, place);
        PROP_CHECK(space_find(space, low) == space->slots[place]);
        PROP_CHECK(space_find(space, high) == space->slots[place]);
        PROP_CHECK(space_place(space, space->slots[place]) == place);
        if (!finds_as_a_linear_search(space, random_within(rng, low, high))) return false;
    }
    for (int i = 0; i < 50; i++)
        if (!finds_as_a_linear_search(space, random_within(rng, 0, ~(uint128)0))) return false;
    return true;
}

/* Half-open intervals in order, without gap or overlap, of all slots. */
static bool tiles(const struct space *space) {
    PROP_CHECK(space_is_valid(space));
    PROP_CHECK(space_low(space, 0) == 0);
    PROP_CHECK(space_high(space, space->count - 1) == ~(uint128)0);
    for (uint32_t place = 1; place < space->count; place++)
        PROP_CHECK(space_low(space, place) == space_high(space, place - 1) + 1);
    return true;
}

static struct partition_holding held_by_all(const struct space *space) {
    struct partition_holding sum = {0, 0};
    for (uint32_t slot = 0; slot < space->count; slot++) {
        sum.items += space->holdings[slot].items;
        sum.bytes += space->holdings[slot].bytes;
    }
    return sum;
}

/* Splits a random partition; `deep`: the one of that position, so that all go on inside one hash. */
static bool split_one(struct rng *rng, struct space *space, const uint128 *deep) {
    struct space_split split;
    uint32_t slot =
        deep ? space_find(space, *deep) : (uint32_t)draw_below(rng_next(rng), space->count);
    uint32_t place = space_place(space, slot), before = space->count;
    uint128 low = space_low(space, place), high = space_high(space, place);
    if (!random_split(rng, space, place, &split)) return true;
    PROP_CHECK(space_grow(space, split.count));
    space_split(space, slot, &split, 0);
    PROP_CHECK(space->count == before + split.count);
    PROP_CHECK(space->slots[place] == slot && space_low(space, place) == low);
    for (uint32_t i = 0; i < split.count; i++) {
        PROP_CHECK(space->slots[place + 1 + i] == before + i);
        PROP_CHECK(space_low(space, place + 1 + i) == split.cuts[i]);
    }
    PROP_CHECK(space_high(space, place + split.count) == high);
    return true;
}

static bool splits_property(struct rng *rng) {
    struct space space;
    PROP_CHECK(space_init(&space, (uint32_t)prop_between(rng, 1, 20), &limits, 0));
    const struct partition_holding whole = {(int64_t)prop_magnitude(rng, 40),
                                            (int64_t)prop_magnitude(rng, 60)};
    space_place_evenly(&space, whole.items, whole.bytes);
    uint128 hash = (uint128)rng_next(rng) << 64, position = hash | rng_next(rng);
    bool holds = true;
    for (int i = 0; holds && i < 60; i++)
        holds = split_one(rng, &space, rng_next(rng) & 1 ? &position : NULL);
    holds = holds && tiles(&space) && finds_everything(&space, rng) &&
            space_grow(&space, (uint32_t)prop_between(rng, 1, 500)) &&
            finds_everything(&space, rng);
    struct partition_holding now = held_by_all(&space);
    holds = holds && now.items == whole.items && now.bytes == whole.bytes;
    space_deinit(&space);
    return holds;
}

static void m28_children_tile_their_parent(void **state) {
    (void)state;
    prop_run("splits", splits_property, 28, ROUNDS);
}

/* A collection whose sort keys are asked for one by one: hundreds of partitions of one hash. */
static bool deep_property(struct rng *rng) {
    struct space space;
    PROP_CHECK(space_init(&space, 3, &limits, 0));
    uint64_t hash = rng_next(rng);
    PROP_CHECK(space_grow(&space, 1));
    for (uint64_t i = 0; i < 400; i++) {
        uint128 cut = (uint128)hash << 64 | (i * i << 40) | (rng_next(rng) >> 30);
        uint32_t slot = space_find(&space, cut);
        struct space_split split = {.count = 1, .cuts = {cut}, .shares = {DDBSIM_SHARE_ONE / 2}};
        PROP_CHECK(space_grow(&space, 1));
        if (space_low(&space, space_place(&space, slot)) < cut)
            space_split(&space, slot, &split, 0);
    }
    bool holds = space.count > 390 && tiles(&space) && finds_everything(&space, rng);
    for (int i = 0; holds && i < 1000; i++)
        holds = finds_as_a_linear_search(&space, (uint128)hash << 64 | rng_next(rng));
    for (uint64_t near = hash - 2; holds && near != hash + 3; near++)
        holds = finds_as_a_linear_search(&space, (uint128)near << 64 | rng_next(rng));
    space_deinit(&space);
    return holds;
}

static void m28_inside_one_hash(void **state) {
    (void)state;
    prop_run("splits inside one hash", deep_property, 29, ROUNDS / 10);
}

static bool many_property(struct rng *rng) {
    struct space space;
    PROP_CHECK(space_init(&space, MANY / 2, &limits, 0));
    space_place_evenly(&space, INT64_C(1) << 40, INT64_C(1) << 60);
    bool holds = true;
    while (holds && space.count < MANY - 1)
        holds = split_one(rng, &space, NULL);
    holds = holds && tiles(&space);
    for (uint32_t place = 0; holds && place < space.count; place++) {
        uint128 position = random_within(rng, space_low(&space, place), space_high(&space, place));
        holds = space_find(&space, position) == space.slots[place];
    }
    struct partition_holding now = held_by_all(&space);
    holds = holds && now.items == INT64_C(1) << 40 && now.bytes == INT64_C(1) << 60;
    space_deinit(&space);
    return holds;
}

static void m28_very_many_partitions(void **state) {
    (void)state;
    prop_run("very many splits", many_property, 30, 1);
}

static bool same_space(const struct space *a, const struct space *b) {
    PROP_CHECK(a->count == b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        PROP_CHECK(a->lows[i] == b->lows[i] && a->slots[i] == b->slots[i]);
        PROP_CHECK(a->firsts[i] == b->firsts[i]);
        PROP_CHECK(a->holdings[i].items == b->holdings[i].items);
        PROP_CHECK(a->holdings[i].bytes == b->holdings[i].bytes);
        PROP_CHECK(a->partitions[i].buckets[READ].t_ns == b->partitions[i].buckets[READ].t_ns);
    }
    return true;
}

/* Splits at once are splits one after the other. */
static bool together_property(struct rng *rng) {
    enum { ALL = 40 };
    struct space one_by_one, together;
    struct space_parting partings[ALL];
    uint32_t count = (uint32_t)prop_between(rng, 1, ALL), chosen = 0;
    PROP_CHECK(space_init(&one_by_one, count, &limits, 0));
    PROP_CHECK(space_init(&together, count, &limits, 0));
    space_place_evenly(&one_by_one, 1000000, 1 << 30);
    space_place_evenly(&together, 1000000, 1 << 30);
    PROP_CHECK(space_grow(&one_by_one, 8 * ALL) && space_grow(&together, 8 * ALL));
    for (int round = 0; round < 3; round++) {
        chosen = 0;
        for (uint32_t slot = 0; slot < together.count && chosen < ALL; slot++) {
            struct space_parting *parting = &partings[chosen];
            if (rng_next(rng) % 3 == 0 ||
                !random_split(rng, &together, space_place(&together, slot), &parting->split))
                continue;
            parting->slot = slot;
            chosen++;
        }
        if (chosen == 0) continue;
        for (uint32_t i = 0; i < chosen; i++)
            space_split(&one_by_one, partings[i].slot, &partings[i].split, 7);
        space_split_all(&together, partings, chosen, 7);
        PROP_CHECK(same_space(&one_by_one, &together));
        PROP_CHECK(tiles(&together) && finds_everything(&together, rng));
    }
    space_deinit(&one_by_one);
    space_deinit(&together);
    return true;
}

static void m28_splits_at_once(void **state) {
    (void)state;
    prop_run("splits at once", together_property, 31, ROUNDS);
}

/* What lies left of a cut goes there; buckets are full again, also those of the parent's slot. */
static void m28_children_have_their_part(void **state) {
    (void)state;
    struct space space;
    assert_true(space_init(&space, 2, &limits, 0));
    assert_true(space_grow(&space, 2));
    space_place_evenly(&space, 2000, 20000);
    for (int d = 0; d < DIRECTIONS; d++)
        space.partitions[0].buckets[d].level_nano = -5;
    for (int r = 0; r < SPACE_REPLICAS; r++)
        space.replicas[0][r].level_nano = 1;
    space.partitions[0].watch = 7;
    const struct space_split split = {
        .count = 2, .cuts = {1000, 2000}, .shares = {300000000, 900000000}};
    space_split(&space, 0, &split, 5 * NS_PER_S);
    const uint32_t slots[] = {0, 2, 3};
    const int64_t items[] = {300, 600, 100};
    for (int i = 0; i < 3; i++) {
        const struct partition *child = &space.partitions[slots[i]];
        assert_int_equal(space.slots[i], slots[i]);
        assert_int_equal(space.holdings[slots[i]].items, items[i]);
        assert_int_equal(space.holdings[slots[i]].bytes, 10 * items[i]);
        assert_int_equal(child->watch, 0);
        for (int d = 0; d < DIRECTIONS; d++) {
            assert_int_equal(child->buckets[d].level_nano, 3 * limits.rates[d] * NANO);
            assert_int_equal(child->buckets[d].t_ns, 5 * NS_PER_S);
        }
        for (int r = 0; r < SPACE_REPLICAS; r++)
            assert_int_equal(space.replicas[slots[i]][r].level_nano, space.replica_rule.cap_nano);
    }
    assert_int_equal(space.slots[3], 1);
    space_deinit(&space);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m28_children_tile_their_parent),
        cmocka_unit_test(m28_inside_one_hash),
        cmocka_unit_test(m28_very_many_partitions),
        cmocka_unit_test(m28_children_have_their_part),
        cmocka_unit_test(m28_splits_at_once),
        cmocka_unit_test(m56_items_come_and_go),
        cmocka_unit_test(m10_position_order),
        cmocka_unit_test(m21_initial_number),
        cmocka_unit_test(m20_partitions_tile_the_space),
        cmocka_unit_test(m11_slices_are_equal),
    };
    return cmocka_run_group_tests_name("space", tests, NULL, NULL);
}
