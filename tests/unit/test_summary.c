/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `ddbsim run` prints: the same numbers with and without the view, in words and as JSON. */
#include "synthetic.h"

#include <jansson.h>
#include <plots/summary.h>
#include <string.h>

static const struct synthetic shortage = {.table = "carts",
                                          .index = "by-state",
                                          .workload = "shop",
                                          .reason = "IndexWriteProvisionedThroughputExceeded",
                                          .duration_s = 600,
                                          .load_s = 0,
                                          .change_s = 0,
                                          .refused_s = 67,
                                          .refused_to_s = 400,
                                          .refused_resource = 2,
                                          .load_after = 10,
                                          .item_after = 2,
                                          .ratio = 1.5,
                                          .accepted_per_s = 6,
                                          .retries = 1,
                                          .table_capacity = 120,
                                          .index_capacity = 18};

static sqlite3 *open_shortage(struct synthetic_sum *sum) {
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", 600, 600, "complete");
    synthetic_resource(database, 1, "carts", NULL);
    synthetic_resource(database, 2, "carts", "by-state");
    *sum = synthetic_fill(database, &shortage);
    /* 100 callers waited 0 to 10 ms, 100 from 10 to 110 ms. */
    synthetic_do(database, "INSERT INTO latency VALUES(1, 'shop', 'carts', 'UpdateItem', 'success',"
                           " 'caller', 0, 60, 0, 10000, 100), (1, 'shop', 'carts', 'UpdateItem',"
                           " 'success', 'caller', 60, 60, 10000, 110000, 100), (1, 'shop', 'carts',"
                           " 'UpdateItem', 'failed', 'caller', 60, 60, 500000, 900000, 100)");
    return database;
}

static char *words_of(sqlite3 *database, bool colour) {
    char *text = NULL;
    size_t bytes = 0;
    struct ddbsim_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    if (summary_print(database, 1, out, colour, &error) != DDBSIM_OK) fail_msg("%s", error.message);
    fclose(out);
    return text;
}

static json_t *json_of(sqlite3 *database) {
    char *text = NULL;
    size_t bytes = 0;
    struct ddbsim_error error = {0};
    FILE *out = open_memstream(&text, &bytes);
    if (summary_print_json(database, 1, out, &error) != DDBSIM_OK) fail_msg("%s", error.message);
    fclose(out);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static int64_t integer(const json_t *root, const char *name) {
    return json_integer_value(json_object_get(root, name));
}

static double real(const json_t *root, const char *name) {
    return json_number_value(json_object_get(root, name));
}

static void test_numbers(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    json_t *root = json_of(database);
    assert_true(sum.throttled > 0 && sum.retries > 0);
    assert_int_equal(integer(root, "requests"), 6000);
    assert_int_equal(integer(root, "attempts"), sum.attempts);
    assert_int_equal(integer(root, "succeeded"), sum.succeeded);
    assert_int_equal(integer(root, "failed"), sum.failed);
    assert_int_equal(integer(root, "retries"), sum.retries);
    assert_int_equal(integer(root, "throttled_attempts"), sum.throttled);
    assert_string_equal(json_string_value(json_object_get(root, "first_throttle")), "17:01:07");
    assert_string_equal(json_string_value(json_object_get(root, "main_reason")), shortage.reason);
    assert_close(real(root, "write_units"), sum.units * 2.5, 1e-6);
    assert_close(real(root, "caller_p50_ms"), 10, 1e-9);
    assert_close(real(root, "caller_p99_ms"), 108, 1e-9);
    json_t *lines = json_object_get(root, "resources"), *index = json_array_get(lines, 1);
    assert_int_equal(json_array_size(lines), 2); /* nothing was read: no line for it */
    assert_string_equal(json_string_value(json_object_get(index, "index")), "by-state");
    assert_close(real(index, "capacity_per_s"), 18, 0);
    assert_close(real(index, "mean_per_s"), sum.units * 1.5 / 600, 1e-9);
    assert_close(real(index, "peak_minute_per_s"), 30, 1e-9);
    assert_int_equal(integer(index, "throttle_events"), sum.throttled);
    json_decref(root);
    sqlite3_close(database);
}

/* Where the view is there, its numbers are the ones printed. */
static void test_view(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    synthetic_do(database,
                 "CREATE VIEW summary(run_id, requests, attempts, succeeded, failed, retries,"
                 " throttled_attempts, read_units, write_units, caller_p50_ms, caller_p99_ms) AS"
                 " SELECT 1, 11, 12, 13, 14, 15, 16, 17.5, 18.5, 19.5, 20.5");
    json_t *root = json_of(database);
    assert_int_equal(integer(root, "requests"), 11);
    assert_int_equal(integer(root, "throttled_attempts"), 16);
    assert_close(real(root, "read_units"), 17.5, 0);
    assert_close(real(root, "caller_p99_ms"), 20.5, 0);
    json_decref(root);
    sqlite3_close(database);
}

static void test_words(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    char *text = words_of(database, false);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "\nScenario   friday, variant base, seed 1820\n"));
    assert_non_null(strstr(text, "\nSimulated  10 min from 17:00\n"));
    assert_non_null(strstr(text, "\nRequests   6,000, "));
    assert_non_null(strstr(text, "first at 17:01:07, mainly IndexWriteProvisioned"));
    assert_non_null(strstr(text, "p50 10 ms, p99 108 ms"));
    assert_non_null(strstr(text, "\ncarts/by-state write          18 "));
    assert_null(strstr(text, "Retry")); /* nothing says that callers do not */
    free(text);
    text = words_of(database, true);
    assert_non_null(strstr(text, "\033[1;31m"));
    free(text);
    sqlite3_close(database);
}

/* Tables and indexes apart, what was still open, what --set did, what came of thresholds. */
static void test_parts(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    synthetic_do(database, "UPDATE workload_total SET failed = failed - 3");
    synthetic_option(database, "tables.carts.write_capacity", "120");
    synthetic_do(database, "INSERT INTO verdict VALUES(1, 'threshold', 'attempts > 0', 9, 1),"
                           " (1, 'threshold', 'failed < 1', 5, 0), (1, 'expect', 'x', 1, 1)");
    char *text = words_of(database, false), wanted[128];
    snprintf(wanted, sizeof wanted, "(tables %.0f,%03.0f, indexes %.0f,%03.0f), 0 read units",
             floor(sum.units / 1000), fmod(sum.units, 1000), floor(sum.units * 1.5 / 1000),
             fmod(sum.units * 1.5, 1000));
    if (!strstr(text, wanted)) fail_msg("%s is not in %s", wanted, text);
    assert_non_null(strstr(text, ", 3 in flight at the end\n"));
    assert_non_null(strstr(text, "variant base + tables.carts.write_capacity=120, seed"));
    free(text);
    synthetic_option(database, "seed", "1820");
    text = words_of(database, false);
    assert_non_null(strstr(text, "variant base + 2 settings, seed"));
    free(text);
    json_t *root = json_of(database);
    assert_int_equal(integer(root, "in_flight"), 3);
    assert_close(real(root, "index_write_units"), sum.units * 1.5, 1e-6);
    assert_string_equal(json_string_value(json_object_get(json_object_get(root, "set"), "seed")),
                        "1820");
    const json_t *verdicts = json_object_get(root, "thresholds");
    assert_int_equal(json_array_size(verdicts), 2);
    assert_true(json_is_true(json_object_get(json_array_get(verdicts, 0), "passed")));
    assert_true(json_is_false(json_object_get(json_array_get(verdicts, 1), "passed")));
    json_decref(root);
    sqlite3_close(database);
}

/* Capacity that rose and fell again shows from the lowest to the highest it was. */
static void test_capacity_that_came_and_went(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    synthetic_do(database, "UPDATE second SET write_limit = 4000 WHERE resource_id = 2 AND t_s ="
                           " (SELECT t_s FROM second WHERE resource_id = 2 LIMIT 1 OFFSET 9)");
    char *text = words_of(database, false);
    assert_non_null(strstr(text, "18..4,000"));
    free(text);
    json_t *root = json_of(database);
    const json_t *line = json_array_get(json_object_get(root, "resources"), 1);
    assert_close(real(line, "capacity_per_s"), 18, 0); /* at the end */
    json_decref(root);
    sqlite3_close(database);
}

static void test_callers_without_retries(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    synthetic_setting(database, "workloads.shop.client.preset", "none");
    char *text = words_of(database, false);
    assert_non_null(strstr(text, "\nRetry      none: preset none (shop)\n"));
    free(text);
    sqlite3_close(database);
}

static void test_storage(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_shortage(&sum);
    char *text = words_of(database, false);
    assert_null(strstr(text, "Storage"));
    free(text);
    synthetic_do(database, "INSERT INTO storage VALUES(1, 1, 'cart', 0, 10, 10240, 9, 0),"
                           " (1, 1, 'cart', 60, 3, 900, 0, 7)");
    text = words_of(database, false);
    assert_non_null(strstr(text, "\nStorage    carts/cart 10 KB at the start, 900 B at the end; 7 "
                                 "items deleted by TTL\n"));
    free(text);
    json_t *root = json_of(database);
    const json_t *stored = json_array_get(json_object_get(root, "storage"), 0);
    assert_int_equal(integer(stored, "ttl_deleted"), 7);
    assert_int_equal(integer(stored, "first_items"), 10);
    assert_int_equal(integer(stored, "items"), 3);
    json_decref(root);
    sqlite3_close(database);
}

static void test_empty_and_interrupted(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    struct ddbsim_error error = {0};
    assert_int_equal(summary_print(database, 1, stdout, false, &error), DDBSIM_INPUT);
    synthetic_run(database, 1, "base", 600, 120, "interrupted");
    char *text = words_of(database, false);
    assert_non_null(strstr(text, "\nSimulated  2 min of 10 min from 17:00 (interrupted)\n"));
    assert_non_null(strstr(text, "\nThrottled  none\n"));
    assert_null(strstr(text, "nan"));
    free(text);
    json_t *root = json_of(database);
    assert_true(json_is_null(json_object_get(root, "first_throttle")));
    assert_true(json_is_null(json_object_get(root, "caller_p50_ms")));
    assert_int_equal(json_array_size(json_object_get(root, "resources")), 0);
    json_decref(root);
    sqlite3_close(database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_view),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_capacity_that_came_and_went),
        cmocka_unit_test(test_callers_without_retries),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_empty_and_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
