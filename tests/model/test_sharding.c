/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write sharding (M-13, M-14) through whole runs. */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD                              \
    "version: 1\nname: t\nduration: 1m\n" \
    "values: {day: {distribution: single}, order: {count: 9000}}\n"
#define TABLE(shards)                                                                         \
    "tables:\n- {name: t, read_capacity: 4000, write_capacity: 40000, throttling: false,\n"   \
    "   entities: [{name: e, partition_key: \"D#{day}.{shard}\", sort_key: \"O#{order}\", \n" \
    "     shards: " shards ", count: 9000, size: 8 KB}]}\n"
#define WORK(what) \
    "workloads:\n- {name: w, rate: 20/s, end_time: +50s, arrivals: paced, mix: [" what "]}\n"

enum { TOP_KIND = 1, TOP_PERIOD = 2, TOP_KEY = 5, TOP_READ = 6, TOP_WRITE = 7 };

/* Units of a partition key in the whole run. */
static double key_units(const struct rows *rows, const char *key, int column) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_TOP_KEY || strcmp(row_text(row, TOP_KIND), "accessed") != 0)
            continue;
        if (row_number(row, TOP_PERIOD) != 0 || strcmp(row_text(row, TOP_KEY), key) != 0) continue;
        return row_number(row, (size_t)column);
    }
    return 0;
}

static double units(const struct rows *rows, const char *name) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_OUTCOME && !strcmp(row_text(row, 0), name) &&
            !*row_text(row, 1))
            return row_number(row, 2);
    }
    return -1;
}

static void m13_writes_spread_over_the_suffixes(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE("{count: 4, by: random}") WORK("{operation: PutItem, size: 1 KB}"), 1);
    double sum = 0;
    for (int i = 1; i <= 5; i++) {
        char key[16];
        snprintf(key, sizeof key, "D#0.%d", i);
        double written = key_units(&rows, key, TOP_WRITE);
        sum += written;
        if (i <= 4)
            assert_true(written > 200 && written < 300);
        else
            assert_true(written == 0);
    }
    assert_true(sum == 1000 && units(&rows, "write_units") == 1000);
    rows_free(&rows);
}

/* Write sharding costs nothing where it is written: the same items, elsewhere. */
static void m13_writes_cost_the_same(void **state) {
    (void)state;
    static const char *const texts[] = {
        HEAD TABLE("{count: 1, by: random}") WORK("{operation: PutItem}"),
        HEAD TABLE("{count: 40, by: random}") WORK("{operation: PutItem}"),
        HEAD TABLE("{count: 200, by: product, of: order}") WORK("{operation: PutItem}"),
        HEAD TABLE("{count: 200, by: hash, of: order}") WORK("{operation: PutItem}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rows rows = rows_run(texts[i], 1);
        assert_true(units(&rows, "write_units") == 1000 * 8);
        rows_free(&rows);
    }
}

/* One of N calls finds 8 KB, 2 units if strong, and the others pay 1 for finding nothing. */
static void m14_a_random_suffix_costs_a_read_for_each(void **state) {
    (void)state;
    struct rows rows = rows_run(HEAD TABLE("{count: 10, by: random}")
                                    WORK("{operation: GetItem, consistent_read: true}"),
                                1);
    assert_int_equal(rows.totals.requests, 1000 * 10);
    assert_true(units(&rows, "read_units") == 1000 * (2 + 9));
    for (int i = 1; i <= 10; i++) {
        char key[16];
        snprintf(key, sizeof key, "D#0.%d", i);
        assert_true(key_units(&rows, key, TOP_READ) > 1000);
    }
    rows_free(&rows);
}

static void m14_a_calculated_suffix_costs_one(void **state) {
    (void)state;
    static const char *const texts[] = {HEAD TABLE("{count: 10, by: sum, of: order}")
                                            WORK("{operation: GetItem, consistent_read: true}"),
                                        HEAD TABLE("{count: 10, by: hash, of: order}")
                                            WORK("{operation: GetItem, consistent_read: true}")};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct rows rows = rows_run(texts[i], 1);
        assert_int_equal(rows.totals.requests, 1000);
        assert_true(units(&rows, "read_units") == 1000 * 2);
        rows_free(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m13_writes_spread_over_the_suffixes),
        cmocka_unit_test(m13_writes_cost_the_same),
        cmocka_unit_test(m14_a_random_suffix_costs_a_read_for_each),
        cmocka_unit_test(m14_a_calculated_suffix_costs_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
