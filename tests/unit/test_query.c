/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reader's small helpers: values and their absence, the first failure, which run, the wall
 * clock. */
#include "synthetic.h"

#include <plots/plots.h>
#include <plots/query.h>
#include <plots/words.h>
#include <string.h>

static void test_values_and_absence(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    struct ddbsim_error error = {0};
    double real = 0;
    int64_t whole = 0;
    char *text = NULL;
    assert_int_equal(
        query_one_double(database, &error, &real, "SELECT ? + ?", "id", (int64_t)2, 0.5),
        DDBSIM_OK);
    assert_close(real, 2.5, 0);
    assert_int_equal(query_one_double(database, &error, &real, "SELECT NULL", ""), DDBSIM_OK);
    assert_true(isnan(real));
    assert_int_equal(query_one_int(database, &error, -7, &whole, "SELECT 1 WHERE 0", ""),
                     DDBSIM_OK);
    assert_int_equal(whole, -7);
    assert_int_equal(query_one_text(database, &error, &text, "SELECT ? || 'é'", "t", "caf"),
                     DDBSIM_OK);
    assert_string_equal(text, "café");
    free(text);
    assert_int_equal(query_one_text(database, &error, &text, "SELECT ?", "t", (const char *)NULL),
                     DDBSIM_OK);
    assert_null(text);
    sqlite3_close(database);
}

/* A database may be forged or damaged: what no run holds is refused, and reads as 0. */
static void test_impossible_values(void **state) {
    static const struct {
        const char *sql;
        bool seconds, real;
    } cases[] = {
        {"SELECT 9007199254740993 AS attempts", false, false},
        {"SELECT -9223372036854775808 AS attempts", false, false},
        {"SELECT 4000000001 AS t_s", true, false},
        {"SELECT 9e999 AS units", false, true},
        {"SELECT -1.1e18 AS units", false, true},
    };
    (void)state;
    sqlite3 *database = synthetic_open();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ddbsim_error error = {0};
        struct query query;
        query_open(&query, database, &error, cases[i].sql, "");
        assert_true(query_next(&query));
        if (cases[i].real)
            assert_true(query_double(&query, 0) == 0);
        else if (cases[i].seconds)
            assert_int_equal(query_seconds(&query, 0), 0);
        else
            assert_int_equal(query_int(&query, 0), 0);
        assert_int_equal(query_close(&query), DDBSIM_INPUT);
        assert_non_null(strstr(error.message, "impossible"));
    }
    sqlite3_close(database);
}

static void test_first_failure_stands(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    struct ddbsim_error error = {0};
    struct query query;
    query_open(&query, database, &error, "SELECT x FROM nowhere", "");
    assert_false(query_next(&query));
    assert_false(query_next(&query));
    assert_int_equal(query_close(&query), DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "nowhere"));
    bool has = true;
    assert_int_equal(query_has(database, &error, "nowhere", &has), DDBSIM_OK);
    assert_false(has);
    assert_int_equal(query_has(database, &error, "second", &has), DDBSIM_OK);
    assert_true(has);
    sqlite3_close(database);
}

static void test_find_run(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    struct ddbsim_error error = {0};
    int64_t run_id = 0;
    assert_int_equal(plots_find_run(database, NULL, &run_id, &error), DDBSIM_INPUT);
    synthetic_run(database, 4, "index at 300", 60, 60, "complete");
    assert_int_equal(plots_find_run(database, NULL, &run_id, &error), DDBSIM_OK);
    assert_int_equal(run_id, 4);
    synthetic_run(database, 5, "table at 300", 60, 60, "complete");
    error = (struct ddbsim_error){0};
    assert_int_equal(plots_find_run(database, NULL, &run_id, &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.hint, "index at 300, table at 300"));
    synthetic_run(database, 7, "base", 60, 60, "complete");
    synthetic_do(database, "UPDATE run SET replication = 1, detail = 'totals' WHERE run_id = 7");
    synthetic_run(database, 9, "base", 60, 60, "complete");
    assert_int_equal(plots_find_run(database, NULL, &run_id, &error), DDBSIM_OK);
    assert_int_equal(run_id, 9);
    assert_int_equal(plots_find_run(database, "table at 300", &run_id, &error), DDBSIM_OK);
    assert_int_equal(run_id, 5);
    error = (struct ddbsim_error){0};
    assert_int_equal(plots_find_run(database, "none such", &run_id, &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "none such"));
    sqlite3_close(database);
}

static void test_run_and_clock(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    struct ddbsim_error error = {0};
    struct query_run run;
    char text[QUERY_CLOCK_BYTES];
    assert_int_equal(query_run_read(database, 1, &run, &error), DDBSIM_INPUT);
    synthetic_run(database, 1, "base", 7200, 7000, "interrupted");
    assert_int_equal(query_run_read(database, 1, &run, &error), DDBSIM_OK);
    assert_string_equal(run.title, "Friday, 18:20");
    assert_string_equal(run.status, "interrupted");
    assert_int_equal(run.seed, 1820);
    query_clock(&run, 4567, true, text);
    assert_string_equal(text, "18:16:07");
    query_clock(&run, -60, false, text);
    assert_string_equal(text, "16:59");
    query_moment(&run, 4567, false, text);
    assert_string_equal(text, "18:16");
    run.duration_s = 6 * 86400; /* over the end of September */
    query_moment(&run, 5 * 86400 + 25200, false, text);
    assert_string_equal(text, "2026-10-01 00:00");
    run.start_unix_s = 1709164800; /* 2024-02-29 00:00 UTC */
    run.utc_offset_s = 0;
    query_moment(&run, 0, true, text);
    assert_string_equal(text, "2024-02-29 00:00:00");
    query_run_clear(&run);
    sqlite3_close(database);
}

static void test_resources(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    struct ddbsim_error error = {0};
    struct query_resources resources;
    synthetic_resource(database, 3, "orders", NULL);
    synthetic_resource(database, 1, "carts", "by-day");
    synthetic_resource(database, 2, "carts", NULL);
    assert_int_equal(query_resources_read(database, 1, &resources, &error), DDBSIM_OK);
    assert_int_equal(resources.count, 3);
    assert_int_equal(resources.items[0].resource_id, 2);
    assert_int_equal(resources.items[1].resource_id, 1);
    assert_string_equal(resources.items[1].index, "by-day");
    assert_null(query_resource_find(&resources, 9));
    assert_ptr_equal(query_resource_find(&resources, 3), &resources.items[2]);
    query_resources_clear(&resources);
    sqlite3_close(database);
}

static void test_numbers_in_words(void **state) {
    (void)state;
    char out[WORDS_BYTES];
    assert_string_equal(words_count(out, 0), "0");
    assert_string_equal(words_count(out, -1234567), "-1,234,567");
    assert_string_equal(words_number(out, 17.67), "17.7");
    assert_string_equal(words_number(out, 120), "120");
    assert_string_equal(words_number(out, 0.042), "0.042");
    assert_string_equal(words_number(out, 30000), "30,000");
    assert_string_equal(words_number(out, NAN), "unknown");
    assert_string_equal(words_percent(out, 0.607), "61 %");
    assert_string_equal(words_percent(out, 0.004), "0.4 %");
    assert_string_equal(words_percent(out, 0.9999), "99.990 %");
    assert_string_equal(words_percent(out, 1), "100 %");
    assert_string_equal(words_duration(out, 35), "35 s");
    assert_string_equal(words_duration(out, 2640), "44 min");
    assert_string_equal(words_duration(out, 33600), "9 h 20 min");
}

static void check_word(char *word, const char *expected) {
    assert_non_null(word);
    assert_string_equal(word, expected);
    free(word);
}

static void test_paths_and_shell(void **state) {
    (void)state;
    check_word(words_path_name("carts"), "carts");
    check_word(words_path_name("a.b"), "\"a.b\"");
    check_word(words_path_name("*"), "\"*\"");
    check_word(words_path_name("say \"hi\""), "\"say \\\"hi\\\"\"");
    check_word(words_shell("tables.carts.write_capacity=343"), "tables.carts.write_capacity=343");
    check_word(words_shell("a b"), "'a b'");
    check_word(words_shell("it's"), "'it'\\''s'");
    check_word(words_shell(""), "''");
}

static void test_wrapping(void **state) {
    (void)state;
    char *text = NULL;
    size_t bytes = 0;
    struct words_page page = {open_memstream(&text, &bytes), 24, false};
    words_wrap(&page, "  - ", "one índice two three four five six");
    words_style(&page, WORDS_BAD);
    fclose(page.out);
    assert_string_equal(text, "  - one índice two three\n    four five six\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_absence),
        cmocka_unit_test(test_impossible_values),
        cmocka_unit_test(test_first_failure_stands),
        cmocka_unit_test(test_find_run),
        cmocka_unit_test(test_run_and_clock),
        cmocka_unit_test(test_resources),
        cmocka_unit_test(test_numbers_in_words),
        cmocka_unit_test(test_paths_and_shell),
        cmocka_unit_test(test_wrapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
