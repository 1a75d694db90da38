/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Value sets, templates, ordinals, texts, sort positions, and the items that exist. */
#include "workloads_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <base/hash.h>
#include <workloads/population.h>

/* ---- value sets ---- */

static void permutation_is_a_bijection(void **state) {
    (void)state;
    for (uint64_t count = 1; count < 300; count++) {
        bool seen[300] = {false};
        uint64_t fixed = 0;
        for (uint64_t i = 0; i < count; i++) {
            uint64_t to = permute(i, count, 77);
            assert_true(to < count);
            assert_false(seen[to]);
            seen[to] = true;
            fixed += to == i;
        }
        if (count > 50) assert_true(fixed < 12);
    }
}

/* The exact probability of each value under a table: its own side and what others give it. */
static void alias_columns_add_up(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    static double weights[COUNT], copy[COUNT], share[COUNT];
    static struct alias_column columns[COUNT];
    double sum = 0;
    for (int i = 0; i < COUNT; i++)
        sum += copy[i] = weights[i] = (i * 37 % 101) * (i % 7);
    assert_true(alias_build(columns, weights, COUNT));
    for (int i = 0; i < COUNT; i++) {
        double own = columns[i].threshold / 4294967296.0;
        share[i] += own / COUNT;
        share[columns[i].other] += (1 - own) / COUNT;
    }
    for (int i = 0; i < COUNT; i++) {
        double expected = copy[i] / sum;
        assert_true(share[i] >= expected - 1e-9 && share[i] <= expected + 1e-9);
        if (copy[i] == 0) assert_true(share[i] == 0);
    }
}

static void simple_distributions(void **state) {
    (void)state;
    struct ddbsim_values values = {.name = "v", .distribution = DDBSIM_SEQUENTIAL, .count = 7};
    struct value_set set;
    assert_true(value_set_init(&set, &values));
    for (uint64_t i = 0; i < 50; i++)
        assert_int_equal(value_set_pick(&set, i * i, i), i % 7);
    value_set_free(&set);
    values.distribution = DDBSIM_SINGLE;
    assert_true(value_set_init(&set, &values));
    assert_int_equal(value_set_pick(&set, UINT64_MAX, 5), 0);
    value_set_free(&set);
    values.distribution = DDBSIM_UNIFORM;
    assert_true(value_set_init(&set, &values));
    assert_int_equal(value_set_pick(&set, UINT64_MAX, 0), 6);
    assert_int_equal(value_set_pick(&set, 0, 0), 0);
    value_set_free(&set);
}

static void scrambling_keeps_the_shares(void **state) {
    (void)state;
    struct ddbsim_values values = {.name = "v",
                                   .distribution = DDBSIM_ZIPFIAN,
                                   .count = 100,
                                   .theta = DDBSIM_SHARE_ONE,
                                   .scrambled = true};
    struct value_set set;
    assert_true(value_set_init(&set, &values));
    static uint32_t met[100];
    struct rng rng;
    rng_seed(&rng, 1);
    for (int i = 0; i < 100000; i++)
        met[value_set_pick(&set, rng_next(&rng), 0)]++;
    uint64_t hottest = permute(0, 100, set.name_hash);
    assert_int_not_equal(hottest, 0);
    for (uint64_t i = 0; i < 100; i++)
        if (i != hottest) assert_true(met[i] < met[hottest]);
    value_set_free(&set);
}

/* ---- templates ---- */

struct bench {
    struct arena *arena;
    struct value_set sets[2];
    struct ddbsim_values values[2];
    const char *words[4];
    int64_t shares[4];
    struct key_context context;
};

static void bench_open(struct bench *b) {
    *b = (struct bench){.arena = arena_create(0),
                        .words = {"pear", "apple", "fig", "app"},
                        .shares = {250000000, 250000000, 250000000, 250000000}};
    assert_non_null(b->arena);
    b->values[0] = (struct ddbsim_values){.name = "n", .distribution = DDBSIM_UNIFORM, .count = 12};
    b->values[1] = (struct ddbsim_values){.name = "fruit",
                                          .distribution = DDBSIM_LIST,
                                          .count = 4,
                                          .words = b->words,
                                          .shares = b->shares};
    for (int i = 0; i < 2; i++)
        assert_true(value_set_init(&b->sets[i], &b->values[i]));
    b->context = (struct key_context){
        .arena = b->arena, .sets = b->sets, .start_unix_s = 1790330400}; /* 2026-09-25T10:00:00Z */
}

static void bench_close(struct bench *b) {
    for (int i = 0; i < 2; i++)
        value_set_free(&b->sets[i]);
    arena_destroy(b->arena);
}

static struct key_template made(struct bench *b, const struct ddbsim_template_part *parts,
                                uint32_t count) {
    struct ddbsim_template from = template_of("t", parts, count);
    struct key_template template;
    assert_true(key_template_init(&template, &from, &b->context, 99));
    assert_true(key_template_keep_hashes(&template));
    return template;
}

static void text_is(const struct key_template *template, const struct key_values *values,
                    const char *expected) {
    char text[200];
    assert_int_equal(key_text(template, values, text, sizeof text), strlen(expected));
    assert_string_equal(text, expected);
    assert_true(strlen(expected) <= template->text_max);
}

static void texts_ordinals_and_hashes(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b);
    const struct ddbsim_template_part parts[] = {
        part(DDBSIM_PART_TEXT, "A#", 0), part(DDBSIM_PART_VALUES, NULL, 1),
        part(DDBSIM_PART_TEXT, ".", 0), part(DDBSIM_PART_VALUES, NULL, 0)};
    struct key_template t = made(&b, parts, 4);
    assert_int_equal(t.combinations, 48);
    assert_non_null(t.hashes);
    for (uint64_t ordinal = 0; ordinal < 48; ordinal++) {
        struct key_values values = {0};
        key_ordinal_split(&t, ordinal, &values);
        assert_int_equal(key_ordinal(&t, key_digits_join(&t, values.digits), 0, 0), ordinal);
        char text[64];
        snprintf(text, sizeof text, "A#%s.%d", b.words[ordinal / 12], (int)(ordinal % 12));
        text_is(&t, &values, text);
        /* Twice: computed, then kept. */
        assert_true(key_hash(&t, ordinal, &values) == hash64(text, strlen(text)));
        assert_true(key_hash(&t, ordinal, &values) == hash64(text, strlen(text)));
    }
    key_template_free(&t);
    bench_close(&b);
}

static void short_buffers_are_cut(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b);
    const struct ddbsim_template_part parts[] = {part(DDBSIM_PART_TEXT, "ABC#", 0),
                                                 part(DDBSIM_PART_N, NULL, 0)};
    struct key_template t = made(&b, parts, 2);
    struct key_values values = {.n = 12345};
    char text[7] = "zzzzzz";
    assert_int_equal(key_text(&t, &values, text, sizeof text), 9);
    assert_string_equal(text, "ABC#12");
    assert_int_equal(key_text(&t, &values, NULL, 0), 9);
    bench_close(&b);
}

static void times_and_uuids_as_text(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b);
    const struct ddbsim_template_part time[] = {part(DDBSIM_PART_TIME, NULL, 0)};
    struct key_template t = made(&b, time, 1);
    struct key_values values = {.time_ns = 0};
    text_is(&t, &values, "2026-09-25T10:00:00.000000000Z");
    values.time_ns = -1;
    text_is(&t, &values, "2026-09-25T09:59:59.999999999Z");
    values.time_ns = 520 * KEY_DAY_NS + 62 * NS_PER_S + 5;
    text_is(&t, &values, "2028-02-27T10:01:02.000000005Z");
    values.time_ns = 522 * KEY_DAY_NS;
    text_is(&t, &values, "2028-02-29T10:00:00.000000000Z");
    assert_int_equal(key_ordinal(&t, 0, values.time_ns, 0), 523 * KEY_DAY_NS);
    struct key_values back = {0};
    key_ordinal_split(&t, key_ordinal(&t, 0, values.time_ns, 0), &back);
    assert_int_equal(back.time_ns, values.time_ns);

    const struct ddbsim_template_part uuid[] = {part(DDBSIM_PART_UUID, NULL, 0)};
    t = made(&b, uuid, 1);
    char text[40], other[40];
    for (uint64_t item = 0; item < 100; item++) {
        values.item = item;
        assert_int_equal(key_text(&t, &values, text, sizeof text), 36);
        assert_int_equal(text[14], '4');
        assert_non_null(strchr("89ab", text[19]));
        values.item = item + 1;
        key_text(&t, &values, other, sizeof other);
        assert_string_not_equal(text, other);
    }
    bench_close(&b);
}

/* ---- sort positions ---- */

/* The text as the position understands it: numbers padded to one width. */
static void padded_text(const struct key_template *t, const struct key_values *values, char *text) {
    *text = '\0';
    for (uint32_t i = 0; i < t->part_count; i++) {
        const struct key_part *p = &t->parts[i];
        char piece[64] = "";
        if (p->kind == DDBSIM_PART_TEXT)
            snprintf(piece, sizeof piece, "%s", p->text);
        else if (p->kind == DDBSIM_PART_N)
            snprintf(piece, sizeof piece, "%020llu", (unsigned long long)values->n);
        else if (p->kind == DDBSIM_PART_VALUES && p->set->order)
            snprintf(piece, sizeof piece, "%s ", p->set->values->words[values->digits[p->digit]]);
        else if (p->kind == DDBSIM_PART_VALUES)
            snprintf(piece, sizeof piece, "%020llu", (unsigned long long)values->digits[p->digit]);
        else {
            struct key_template one = *t;
            one.parts = &t->parts[i];
            one.part_count = 1;
            key_text(&one, values, piece, sizeof piece);
        }
        strcat(text, piece);
    }
}

static void positions_order_as_texts(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b);
    const struct ddbsim_template_part parts[][3] = {
        {part(DDBSIM_PART_TEXT, "CART#", 0), part(DDBSIM_PART_N, NULL, 0)},
        {part(DDBSIM_PART_TEXT, "AT#", 0), part(DDBSIM_PART_TIME, NULL, 0)},
        {part(DDBSIM_PART_TEXT, "U#", 0), part(DDBSIM_PART_UUID, NULL, 0)},
        {part(DDBSIM_PART_TEXT, "F#", 0), part(DDBSIM_PART_VALUES, NULL, 1),
         part(DDBSIM_PART_TIME, NULL, 0)},
        {part(DDBSIM_PART_TEXT, "N#", 0), part(DDBSIM_PART_VALUES, NULL, 0),
         part(DDBSIM_PART_N, NULL, 0)},
        {part(DDBSIM_PART_TEXT, "PROFILE", 0)}};
    const uint32_t counts[] = {2, 2, 2, 3, 3, 1};
    enum { KINDS = 6 };
    struct key_template templates[KINDS], *all[KINDS];
    for (int i = 0; i < KINDS; i++) {
        templates[i] = made(&b, parts[i], counts[i]);
        all[i] = &templates[i];
    }
    key_templates_rank(all, KINDS);
    struct rng rng;
    rng_seed(&rng, 3);
    struct key_values values[2];
    char text[2][200];
    uint64_t place[2];
    for (int round = 0; round < 20000; round++) {
        for (int i = 0; i < 2; i++) {
            const struct key_template *t = all[draw_below(rng_next(&rng), KINDS)];
            values[i] = (struct key_values){.item = draw_below(rng_next(&rng), 50),
                                            .n = 1 + draw_below(rng_next(&rng), 1000)};
            /* Steps that the 53 bits left after a fruit still tell apart. */
            values[i].time_ns = (int64_t)draw_below(rng_next(&rng), 1000) * NS_PER_S - KEY_DAY_NS;
            for (uint32_t d = 0; d < t->digit_count; d++)
                values[i].digits[d] = draw_below(rng_next(&rng), b.sets[t->sets[d]].count);
            place[i] = key_sort(t, &values[i]);
            padded_text(t, &values[i], text[i]);
        }
        int sign = strcmp(text[0], text[1]);
        if ((sign < 0) != (place[0] < place[1]) || (sign == 0) != (place[0] == place[1]))
            fail_msg("%s and %s", text[0], text[1]);
    }
    for (int i = 0; i < KINDS; i++)
        key_template_free(&templates[i]);
    bench_close(&b);
}

static void a_simple_key_has_position_zero(void **state) {
    (void)state;
    struct bench b;
    bench_open(&b);
    struct ddbsim_template none = {0};
    struct key_template t;
    assert_true(key_template_init(&t, &none, &b.context, 0));
    struct key_values values = {.n = 5};
    assert_int_equal(key_sort(&t, &values), 0);
    bench_close(&b);
}

/* ---- items ---- */

struct census {
    uint64_t keys, items, least, most, last_hash;
};

static void count_key(void *context, uint64_t hash, uint64_t items) {
    struct census *census = context;
    census->keys++;
    census->items += items;
    if (items < census->least) census->least = items;
    if (items > census->most) census->most = items;
    assert_true(hash != census->last_hash);
    census->last_hash = hash;
}

static struct census census_of(const struct population *population, uint32_t entity) {
    struct census census = {.least = UINT64_MAX};
    population_visit(population, 0, entity, count_key, &census);
    return census;
}

static void items_are_spread_evenly(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.entities[PROFILE].count = 1500; /* fewer than the customers */
    struct population *population = population_create(&f.scenario, 1, 0);
    assert_non_null(population);
    struct census carts = census_of(population, CART);
    assert_int_equal(carts.keys, 4000);
    assert_int_equal(carts.items, 10000);
    assert_int_equal(carts.least, 2);
    assert_int_equal(carts.most, 3);
    struct census orders = census_of(population, ORDER);
    assert_int_equal(orders.keys, 500);
    assert_int_equal(orders.most, 1);
    struct census profiles = census_of(population, PROFILE);
    assert_int_equal(profiles.keys, 1500);
    assert_int_equal(profiles.items, 1500);
    population_destroy(population);
}

static void inserts_are_conserved(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    struct population *population = population_create(&f.scenario, 1, 0);
    assert_non_null(population);
    struct population_entity *carts = &population->tables[0].entities[CART];
    struct rng rng;
    rng_seed(&rng, 8);
    for (int i = 0; i < 5000; i++) {
        uint64_t group = draw_below(rng_next(&rng), 40);
        uint64_t before = population_group_items(carts, group);
        struct population_item item = population_insert(carts, group, i);
        assert_int_equal(item.place, before);
        assert_int_equal(item.number % carts->groups, group);
        struct population_item last = population_choose(carts, group, UINT64_MAX, i);
        assert_int_equal(last.number, item.number);
    }
    uint64_t sum = 0;
    for (uint64_t group = 0; group < carts->groups; group++)
        sum += population_group_items(carts, group);
    assert_int_equal(sum, 15000);
    population_destroy(population);
}

/* Every key that a visit meets is one that a request can meet, with the same hash and text. */
struct known {
    uint64_t *hashes;
    size_t count;
};

static void remember(void *context, uint64_t hash, uint64_t items) {
    struct known *known = context;
    (void)items;
    known->hashes[known->count++] = hash;
}

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void requests_meet_existing_keys(void **state) {
    (void)state;
    struct fixture f;
    fixture_init(&f);
    f.operations[2].kind = DDBSIM_GET_ITEM; /* orders are only read here */
    f.operations[2].effects = NULL;
    struct generators g;
    generators_open(&g, &f, 5, 0);
    struct known known[ENTITIES];
    for (uint32_t e = 0; e < ENTITIES; e++) {
        known[e] = (struct known){.hashes = calloc(5000, sizeof(uint64_t))};
        assert_non_null(known[e].hashes);
        population_visit(g.population, 0, e, remember, &known[e]);
        qsort(known[e].hashes, known[e].count, sizeof(uint64_t), by_value);
    }
    struct ddbsim_request request;
    for (int i = 0; i < 5000; i++) {
        next_request(&g.sources[0], &request);
        struct known *of = &known[request.key.entity];
        assert_non_null(
            bsearch(&request.key.hash, of->hashes, of->count, sizeof(uint64_t), by_value));
        char text[100];
        size_t length = population_key_text(g.population, 0, DDBSIM_NONE, request.key.entity,
                                            request.key.ordinal, text, sizeof text);
        assert_int_equal(length, strlen(text));
        assert_true(hash64(text, length) == request.key.hash);
    }
    for (uint32_t e = 0; e < ENTITIES; e++)
        free(known[e].hashes);
    generators_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(permutation_is_a_bijection),
        cmocka_unit_test(alias_columns_add_up),
        cmocka_unit_test(simple_distributions),
        cmocka_unit_test(scrambling_keeps_the_shares),
        cmocka_unit_test(texts_ordinals_and_hashes),
        cmocka_unit_test(short_buffers_are_cut),
        cmocka_unit_test(times_and_uuids_as_text),
        cmocka_unit_test(positions_order_as_texts),
        cmocka_unit_test(a_simple_key_has_position_zero),
        cmocka_unit_test(items_are_spread_evenly),
        cmocka_unit_test(inserts_are_conserved),
        cmocka_unit_test(requests_meet_existing_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
