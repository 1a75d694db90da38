/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Suffixes of write sharding: what a text gives, and how evenly. The expected shares of the most loaded
 * suffix were computed apart from this code; ideal is 0.5 % of 200 suffixes and 10 % of 10.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include <string.h>
#include <base/hash.h>
#include <base/rng.h>
#include <workloads/shards.h>

#define SHARDS_MOST 200
#define HEX_IDS 200000

struct load {
    uint64_t met[SHARDS_MOST], ids;
};

static void count_id(struct load *load, enum ddbsim_shards_by by, uint32_t count, const char *id) {
    load->met[shard_of_text(by, count, id, strlen(id))]++;
    load->ids++;
}

static void numbers(struct load *load, enum ddbsim_shards_by by, uint32_t count, int low,
                    int high) {
    char id[24];
    *load = (struct load){0};
    for (int i = low; i <= high; i++) {
        snprintf(id, sizeof id, "%d", i);
        count_id(load, by, count, id);
    }
}

static void hex(struct load *load, enum ddbsim_shards_by by, uint32_t count) {
    char id[24];
    struct rng rng;
    rng_seed(&rng, 136);
    *load = (struct load){0};
    for (int i = 0; i < HEX_IDS; i++) {
        snprintf(id, sizeof id, "%016llx", (unsigned long long)rng_next(&rng));
        count_id(load, by, count, id);
    }
}

static void is(const struct load *load, double share_percent, double within, uint32_t used) {
    uint64_t most = 0;
    uint32_t met = 0;
    for (int i = 0; i < SHARDS_MOST; i++) {
        if (load->met[i] > most) most = load->met[i];
        met += load->met[i] > 0;
    }
    double percent = 100.0 * (double)most / (double)load->ids;
    if (percent < share_percent - within || percent > share_percent + within)
        fail_msg("the most loaded suffix has %.2f %%, not %.1f %%", percent, share_percent);
    if (used > 0) assert_int_equal(met, used);
}

static void m13_a_product_piles_up_where_ids_share_factors(void **state) {
    (void)state;
    struct load load;
    numbers(&load, DDBSIM_SHARDS_PRODUCT, 200, 1000, 9999);
    is(&load, 26.5, 0.05, 111);
    numbers(&load, DDBSIM_SHARDS_PRODUCT, 10, 1000, 9999);
    is(&load, 56.1, 0.05, 0);
    numbers(&load, DDBSIM_SHARDS_PRODUCT, 200, 100000, 199999);
    is(&load, 37.8, 0.05, 134);
    numbers(&load, DDBSIM_SHARDS_PRODUCT, 10, 100000, 199999);
    is(&load, 65.1, 0.05, 0);
    hex(&load, DDBSIM_SHARDS_PRODUCT, 200);
    is(&load, 92.0, 0.5, 0);
    hex(&load, DDBSIM_SHARDS_PRODUCT, 10);
    is(&load, 96.5, 0.5, 0);
}

static void m13_a_sum_is_even_over_ten_and_not_over_many(void **state) {
    (void)state;
    struct load load;
    numbers(&load, DDBSIM_SHARDS_SUM, 200, 1000, 9999);
    is(&load, 6.8, 0.3, 36);
    numbers(&load, DDBSIM_SHARDS_SUM, 10, 1000, 9999);
    is(&load, 10.0, 0.05, 10);
    numbers(&load, DDBSIM_SHARDS_SUM, 200, 100000, 199999);
    is(&load, 6.0, 0.3, 0);
    numbers(&load, DDBSIM_SHARDS_SUM, 10, 100000, 199999);
    is(&load, 10.0, 0.05, 10);
    hex(&load, DDBSIM_SHARDS_SUM, 200);
    is(&load, 0.9, 0.1, 200);
    hex(&load, DDBSIM_SHARDS_SUM, 10);
    is(&load, 10.3, 0.3, 10);
}

static void m13_a_hash_is_even_whatever_the_ids(void **state) {
    (void)state;
    struct load load;
    numbers(&load, DDBSIM_SHARDS_HASH, 10, 1000, 9999);
    is(&load, 10.0, 1.0, 10);
    numbers(&load, DDBSIM_SHARDS_HASH, 200, 100000, 199999);
    is(&load, 0.5, 0.1, 200);
    hex(&load, DDBSIM_SHARDS_HASH, 200);
    is(&load, 0.5, 0.1, 200);
}

/* By hand: '1' 49, '0' 48, '2' 50; 'é' is one code point, 233, of two bytes. */
static void m13_a_suffix_is_made_of_code_points(void **state) {
    (void)state;
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_PRODUCT, 200, "101", 3), 49 * 48 * 49 % 200);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_SUM, 200, "102", 3), 49 + 48 + 50);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_SUM, 1000, "\xc3\xa9", 2), 233);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_SUM, 10000, "\xe2\x82\xac", 3), 0x20ac);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_SUM, 200000, "\xf0\x9f\x8d\x8a", 4), 0x1f34a);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_HASH, 7, "101", 3), hash64("101", 3) % 7);
    /* What is no whole UTF-8 counts byte by byte, and nothing behind the text is read. */
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_SUM, 1000, "\xe2\x82", 2), 0xe2 + 0x82);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_PRODUCT, 1, "101", 3), 0);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_SUM, 10, "", 0), 0);
    assert_int_equal(shard_of_text(DDBSIM_SHARDS_PRODUCT, 10, "", 0), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m13_a_product_piles_up_where_ids_share_factors),
        cmocka_unit_test(m13_a_sum_is_even_over_ten_and_not_over_many),
        cmocka_unit_test(m13_a_hash_is_even_whatever_the_ids),
        cmocka_unit_test(m13_a_suffix_is_made_of_code_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
