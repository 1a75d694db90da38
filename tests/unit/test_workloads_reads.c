/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the generators say of a Query, and where items lie inside one partition key: constant, increasing,
 * random and skewed sort keys, of items that exist and of new ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <base/types.h>
#include <ddbsim/scenario.h>
#include <workloads/source.h>

enum { PUTS = 3000 };

struct world {
    struct ddbsim_scenario *scenario;
    struct population *population;
    struct ddbsim_source source;
};

/* One workload of `mix` on a table of one entity with that sort key. */
static void open_world(struct world *w, const char *sort_key, const char *mix) {
    static const char format[] =
        "version: 1\nname: t\nduration: 1h\n"
        "values: {k: {count: 9}, s: {count: 1000, distribution: top, shares: [70%%]}, "
        "x: {count: 5}, h: {count: 50, distribution: hotspot, keys: 10%%, traffic: 100%%, "
        "moves: 10s}}\n"
        "tables:\n- {name: t, billing_mode: PAY_PER_REQUEST,\n"
        "   entities: [{name: e, partition_key: \"P\", sort_key: \"%s\", count: 5000, size: 3 "
        "KB}],\n"
        "   indexes: [{name: whole, partition_key: \"X{x}\", sort_key: \"{time}\"},\n"
        "     {name: keys, partition_key: \"Y{x}\", projection: KEYS_ONLY},\n"
        "     {name: local, type: LOCAL, sort_key: \"{time}\"}]}\n"
        "workloads:\n- {name: w, rate: 100/s, mix: [%s]}\n";
    char text[2048];
    struct ddbsim_error error = {0};
    struct ddbsim_load_options none = {0};
    snprintf(text, sizeof text, format, sort_key, mix);
    enum ddbsim_status status =
        ddbsim_scenario_parse(text, strlen(text), "t.yaml", &none, &w->scenario, &error);
    if (status != DDBSIM_OK) fail_msg("%s", error.message);
    w->population = population_create(w->scenario, 3, 0);
    assert_non_null(w->population);
    assert_int_equal(source_create(w->scenario, 0, w->population, 3, 0, &w->source, &error),
                     DDBSIM_OK);
}

static void close_world(struct world *w) {
    w->source.destroy(w->source.self);
    population_destroy(w->population);
    ddbsim_scenario_destroy(w->scenario);
}

static struct ddbsim_arrival next(struct world *w, struct ddbsim_request *r) {
    struct ddbsim_arrival arrival;
    w->source.take(w->source.self, &arrival);
    assert_true(w->source.request(w->source.self, &arrival, 0, arrival.t_ns, r));
    return arrival;
}

static void pages_have_their_bytes(void **state) {
    (void)state;
    struct world w;
    /* 3 KB: a page ends with the 342nd item, the first that reaches 1 MB. */
    open_world(&w, "{n}", "{operation: Query, items: 1000, pages: all}");
    const int64_t items[] = {342, 342, 316};
    struct ddbsim_request r;
    for (int i = 0; i < 100; i++) {
        struct ddbsim_arrival a = next(&w, &r);
        uint64_t hash = r.key.hash, first = r.key.sort;
        bool moved = false;
        for (uint32_t page = 0; page < 3; page++) {
            assert_true(w.source.request(w.source.self, &a, page, a.t_ns, &r));
            assert_int_equal(r.kind, DDBSIM_QUERY);
            assert_int_equal(r.step, page);
            assert_int_equal(r.index, DDBSIM_NONE);
            assert_int_equal(r.old_bytes, items[page] * 3072);
            assert_int_equal(r.new_bytes, r.old_bytes);
            assert_int_equal(r.work_count, 0);
            assert_true(r.key.hash == hash);
            moved |= r.key.sort != first;
        }
        assert_true(moved);
        assert_false(w.source.request(w.source.self, &a, 3, a.t_ns, &r));
    }
    close_world(&w);
    open_world(&w, "{n}", "{operation: Query, items: 1000}");
    struct ddbsim_arrival a = next(&w, &r);
    assert_int_equal(r.old_bytes, 342 * 3072);
    assert_false(w.source.request(w.source.self, &a, 1, a.t_ns, &r));
    close_world(&w);
    open_world(&w, "{n}", "{operation: Query, items: 342, pages: all}");
    a = next(&w, &r);
    assert_false(w.source.request(w.source.self, &a, 1, a.t_ns, &r));
    close_world(&w);
    open_world(&w, "{n}", "{operation: Query, items: 0, pages: all}");
    a = next(&w, &r);
    assert_int_equal(r.old_bytes, 0);
    assert_false(w.source.request(w.source.self, &a, 1, a.t_ns, &r));
    close_world(&w);
}

/* A Query of an index has a key of the index, and reads entries. */
static void indexes_are_read_by_their_keys(void **state) {
    (void)state;
    static const struct {
        const char *mix;
        uint32_t index;
        int64_t bytes;
        uint32_t keys;
        const char *first;
    } all[] = {
        {"{operation: Query, index: whole, items: 4}", 0, 4 * 3072, 5, "X0"},
        {"{operation: Query, index: keys, items: 4}", 1, 400, 5, "Y0"},
        {"{operation: Query, index: local, items: 4, consistent_read: true}", 2, 4 * 3072, 1, "P"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct world w;
        open_world(&w, "{n}", all[i].mix);
        uint64_t hashes[5] = {0};
        uint32_t met = 0;
        struct ddbsim_request r;
        for (int n = 0; n < 500; n++) {
            struct ddbsim_arrival a = next(&w, &r);
            assert_int_equal(r.index, all[i].index);
            assert_int_equal(r.old_bytes, all[i].bytes);
            assert_true(population_key_hash(w.population, 0, r.index, 0, r.key.ordinal) ==
                        r.key.hash);
            char text[64];
            population_key_text(w.population, 0, r.index, 0, r.key.ordinal, text, sizeof text);
            assert_int_equal(text[0], all[i].first[0]);
            uint32_t k = 0;
            while (k < met && hashes[k] != r.key.hash)
                k++;
            assert_true(k < 5);
            hashes[k] = r.key.hash;
            if (k == met) met++;
            /* Entries are in the past. */
            if (i != 1) assert_true(r.key.sort < (uint64_t)(a.t_ns + 86400 * NS_PER_S));
        }
        assert_int_equal(met, all[i].keys);
        close_world(&w);
    }
}

/* The hot tenth of 50 values moves on every 10 s; an arrival sees who is hot when it comes. */
static void hot_values_move(void **state) {
    (void)state;
    struct world w;
    struct ddbsim_request r;
    open_world(&w, "{h}", "{operation: PutItem}");
    for (int i = 0; i < PUTS; i++) {
        struct ddbsim_arrival a = next(&w, &r);
        uint64_t first = 5 * (uint64_t)(a.t_ns / (10 * NS_PER_S)) % 50, value = r.key.sort >> 50;
        assert_in_range(value, first, first + 4);
    }
    close_world(&w);
}

/* ---- sort keys ---- */

static void put(const char *sort_key, uint64_t sorts[PUTS]) {
    struct world w;
    struct ddbsim_request r;
    open_world(&w, sort_key, "{operation: PutItem}");
    for (int i = 0; i < PUTS; i++) {
        next(&w, &r);
        assert_int_equal(r.index, DDBSIM_NONE);
        sorts[i] = r.key.sort;
    }
    close_world(&w);
}

static void new_items(void **state) {
    (void)state;
    static uint64_t sorts[PUTS];
    static const char *const increasing[] = {"{n}", "{time}", "EVT#{time}", "A#{n}#{time}"};
    for (int k = 0; k < 4; k++) {
        put(increasing[k], sorts);
        for (int i = 1; i < PUTS; i++)
            assert_true(sorts[i] > sorts[i - 1]);
    }
    put("{uuid}", sorts);
    unsigned eighths[8] = {0}, rises = 0;
    for (int i = 0; i < PUTS; i++)
        eighths[sorts[i] >> 53 & 7]++;
    for (int i = 1; i < PUTS; i++)
        rises += sorts[i] > sorts[i - 1];
    for (int e = 0; e < 8; e++)
        assert_in_range(eighths[e], PUTS / 8 - 100, PUTS / 8 + 100);
    assert_in_range(rises, PUTS / 2 - 150, PUTS / 2 + 150);
    put("HEAD", sorts);
    for (int i = 1; i < PUTS; i++)
        assert_true(sorts[i] == sorts[0]);
    /* A value set: 70 % lie at its first value, the others behind. */
    put("{s}", sorts);
    unsigned first = 0;
    for (int i = 0; i < PUTS; i++)
        first += sorts[i] == 0;
    assert_in_range(first, PUTS * 0.7 - 150, PUTS * 0.7 + 150);
}

/* Items that exist are met evenly over the keys that they have. */
static void existing_items(void **state) {
    (void)state;
    static const char *const keys[] = {"{n}", "{time}", "{uuid}"};
    for (int k = 0; k < 3; k++) {
        struct world w;
        struct ddbsim_request r;
        open_world(&w, keys[k], "{operation: GetItem}");
        uint64_t low = UINT64_MAX, high = 0;
        double sum = 0;
        for (int i = 0; i < PUTS; i++) {
            next(&w, &r);
            low = r.key.sort < low ? r.key.sort : low;
            high = r.key.sort > high ? r.key.sort : high;
            sum += (double)r.key.sort / PUTS;
        }
        double middle = (double)low / 2 + (double)high / 2;
        assert_true(sum > 0.95 * middle && sum < 1.05 * middle);
        close_world(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_have_their_bytes), cmocka_unit_test(indexes_are_read_by_their_keys),
        cmocka_unit_test(hot_values_move),        cmocka_unit_test(new_items),
        cmocka_unit_test(existing_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
