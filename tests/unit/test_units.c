/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capacity units against the figures in AWS's developer guide; each test is named after its rule. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <model/units.h>

#define KB(n) ((int64_t)((n)*1024))

static void m01_item_size(void **state) {
    (void)state;
    /* About one byte for two significant digits and one more; zeros at both ends do not count. */
    assert_int_equal(units_number_bytes("7"), 2);
    assert_int_equal(units_number_bytes("1234"), 3);
    assert_int_equal(units_number_bytes("12345"), 4);
    assert_int_equal(units_number_bytes("1200"), 2);
    assert_int_equal(units_number_bytes("0.0012"), 2);
    assert_int_equal(units_number_bytes("-12"), 3);
    assert_int_equal(units_number_bytes("0"), 2);
    assert_int_equal(units_number_bytes("12345678901234567890123456789012345678"), 20);
    assert_int_equal(units_number_bytes("12a"), 0);
    assert_int_equal(units_number_bytes(""), 0);
    assert_int_equal(units_number_bytes("-"), 0);
    assert_int_equal(units_collection_bytes(0, 0), 3);
    assert_int_equal(units_collection_bytes(20, 4), 27);
    assert_int_equal(units_set_bytes(10), 13);
    assert_int_equal(units_attribute_bytes(4, 10), 14);
    assert_int_equal(units_stored_bytes(1000), 1100);
}

static void m02_reads(void **state) {
    (void)state;
    assert_int_equal(units_get(0, true), 2); /* a missing item: 1 R strong, 0.5 R eventual */
    assert_int_equal(units_get(0, false), 1);
    assert_int_equal(units_get(KB(4), true), 2);
    assert_int_equal(units_get(KB(4) + 1, true), 4);
    assert_int_equal(units_get(KB(7), false), 2);  /* eventual 7 KB: 1 R */
    assert_int_equal(units_get(KB(20), true), 10); /* 20 KB: 5 R */
}

static void m03_queries_and_batches(void **state) {
    (void)state;
    const int64_t sizes[] = {KB(1.5), KB(6.5)};
    assert_int_equal(units_batch_get(sizes, 2, true), 6);    /* 3 R, not 2 */
    assert_int_equal(units_query_page(KB(40.8), true), 22);  /* 11 R */
    assert_int_equal(units_query_page(1500 * 64, true), 48); /* 24 R */
    assert_int_equal(units_query_page(KB(1024), true), 512);
    int64_t pages;
    assert_int_equal(units_query_pages(1500, 64, true, &pages), 48);
    assert_int_equal(pages, 1);
    /* 50,000 items of 3 KB: 37,500 R strong and 18,750 eventual, but for the rounding of 147 pages. */
    int64_t half = units_query_pages(50000, KB(3), true, &pages);
    assert_true(pages >= 143 && pages <= 147);
    assert_in_range(half, 2 * 37500, 2 * (37500 + 147));
    assert_in_range(units_query_pages(50000, KB(3), false, &pages), 37500, 37500 + 147);
    assert_int_equal(units_query_pages(0, KB(3), false, &pages), 1);
    assert_int_equal(pages, 1);
}

static void m04_writes(void **state) {
    (void)state;
    assert_int_equal(units_write(0, KB(3.5)), 4);
    assert_int_equal(units_write(0, 1), 1);
    assert_int_equal(units_write(KB(11), KB(3)), 11); /* the larger of before and after */
    assert_int_equal(units_write(KB(3), KB(11)), 11);
    assert_int_equal(units_write(0, 0), 1); /* deleting what is not there */
    const int64_t sizes[] = {500, KB(3.5)};
    assert_int_equal(units_batch_write(sizes, 2), 5);
    assert_int_equal(units_ttl_delete(KB(11)), 0);
    assert_int_equal(units_replicated_write(0, KB(1), 3), 3);
}

static void m07_transactions(void **state) {
    (void)state;
    assert_int_equal(units_transact_get(KB(4)), 4);
    assert_int_equal(3 * units_transact_write(0, 500), 6); /* three items of 500 bytes: 6 W */
}

static void m05_failed_conditions(void **state) {
    (void)state;
    assert_int_equal(units_failed_condition(KB(2)), 2);
    assert_int_equal(units_failed_condition(0), 1);
}

static void m06_index_maintenance(void **state) {
    (void)state;
    int64_t units[2];
    assert_int_equal(units_index_writes(DDBSIM_EFFECT_ADD, 0, KB(11), units), 1);
    assert_int_equal(units[0], 11);
    assert_int_equal(units_index_writes(DDBSIM_EFFECT_REMOVE, KB(11), 0, units), 1);
    assert_int_equal(units[0], 11);
    assert_int_equal(units_index_writes(DDBSIM_EFFECT_MOVE, KB(3), KB(11), units), 2);
    assert_int_equal(units[0], 3);
    assert_int_equal(units[1], 11);
    assert_int_equal(units_index_writes(DDBSIM_EFFECT_REWRITE, KB(3), KB(11), units), 1);
    assert_int_equal(units[0], 11);
    assert_int_equal(units_index_stored_bytes(40, 30, 130), 300);
}

/* Property: a cost never falls when an item grows, and rounds up by less than one unit. */
static void m04_rounding(void **state) {
    (void)state;
    for (int64_t bytes = 1; bytes < 3 * UNITS_READ_BLOCK; bytes += 7) {
        int64_t reads = units_get(bytes, true) / 2, writes = units_write(0, bytes);
        assert_true(reads * UNITS_READ_BLOCK >= bytes && (reads - 1) * UNITS_READ_BLOCK < bytes);
        assert_true(writes * UNITS_KB >= bytes && (writes - 1) * UNITS_KB < bytes);
        assert_true(units_get(bytes, false) * 2 == units_get(bytes, true));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m01_item_size),
        cmocka_unit_test(m02_reads),
        cmocka_unit_test(m03_queries_and_batches),
        cmocka_unit_test(m04_writes),
        cmocka_unit_test(m05_failed_conditions),
        cmocka_unit_test(m06_index_maintenance),
        cmocka_unit_test(m04_rounding),
        cmocka_unit_test(m07_transactions),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
