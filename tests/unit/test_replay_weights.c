/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Popularity from files: rows with and without header, packed, wrong ones; shares that sum to one. */
#include <support/cmocka.h>
#include <support/near.h>
#include <base/error.h>
#include <ddbsim/scenario.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <workloads/replay/weights.h>

static char path[] = "/tmp/ddbsim-weights-XXXXXX";

static int make_file(void **state) {
    (void)state;
    int descriptor = mkstemp(path);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state) {
    (void)state;
    return unlink(path);
}

static enum ddbsim_status read_text(const char *text, struct arena *arena, struct weights *out,
                                    struct ddbsim_error *error) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    return weights_read(path, arena, out, error);
}

/* Words and weights as "WORD=WEIGHT ". */
static void reads_as(const char *text, const char *expected) {
    struct arena *arena = arena_create(0);
    struct ddbsim_error error = {0};
    struct weights weights;
    char out[512] = "";
    enum ddbsim_status status = read_text(text, arena, &weights, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, DDBSIM_OK);
    for (uint32_t i = 0; i < weights.count; i++)
        snprintf(out + strlen(out), sizeof out - strlen(out), "%s=%g ", weights.words[i],
                 weights.weights[i]);
    assert_string_equal(out, expected);
    arena_destroy(arena);
}

static void rows(void **state) {
    (void)state;
    reads_as("a,1\nb,2.5\n", "a=1 b=2.5 ");
    reads_as("value,weight\na,1\nb,2e3\n", "a=1 b=2000 ");
    reads_as("weight;value\r\n3;x y\r\n4;\"q;r\"\r\n", "x y=3 q;r=4 ");
    reads_as("key\trequests\tmore\nk#1\t7\tz\n", "k#1=7 ");
    reads_as("a\nb\nc\n", "a=1 b=1 c=1 ");
    reads_as("value\nb\n", "b=1 ");
    reads_as("10,1\n20,3\n", "10=1 20=3 ");
    reads_as("a,1", "a=1 ");
}

static void refused(const char *text, int line, const char *message) {
    struct arena *arena = arena_create(0);
    struct ddbsim_error error = {0};
    struct weights weights;
    enum ddbsim_status status = read_text(text, arena, &weights, &error);
    if (status != DDBSIM_INPUT) print_error("accepted: %s\n", text);
    assert_int_equal(status, DDBSIM_INPUT);
    if (!strstr(error.message, message)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(error.line, line);
    assert_string_equal(error.file, path);
    arena_destroy(arena);
}

static void bad_rows(void **state) {
    (void)state;
    refused("", 0, "no values");
    refused("value,weight\n", 0, "no values");
    refused("a,1\nb,0\n", 2, "above 0");
    refused("a,1\nb,-1\n", 2, "above 0");
    refused("a,1\n\nb,x\n", 3, "above 0");
    refused("a,1\n,2\n", 2, "empty");
    refused("a,1\nb,2\na,3\n", 3, "twice");
    refused("a,1\nb\n", 2, "");
    refused("a,1\n\xff,2\n", 2, "UTF-8");
    refused("a,1\n\"b,2\n", 2, "");
    refused("{\"Contributors\": [", 1, "no JSON");
    refused("{\"AggregateValue\": 0}", 1, "AggregateValue");
}

static void no_file(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct weights weights;
    struct arena *arena = arena_create(0);
    assert_int_equal(weights_read("/nowhere/at/all", arena, &weights, &error), DDBSIM_INPUT);
    arena_destroy(arena);
}

static void reports(void **state) {
    (void)state;
    struct weights weights;
    struct arena *arena = arena_create(0);
    assert_int_equal(
        weights_read(SOURCE_ROOT "/workloads/samples/insights.json", arena, &weights, NULL),
        DDBSIM_OK);
    assert_true(weights.is_report);
    assert_int_equal(weights.report.unique, 812);
    arena_destroy(arena);
}

static void shares_sum_to_one(void **state) {
    (void)state;
    enum { MOST = 1 << 20 };
    double *weights = malloc(MOST * sizeof *weights);
    int64_t *shares = malloc(MOST * sizeof *shares);
    assert_true(weights && shares);
    static const uint32_t counts[] = {1, 2, 3, 7, 1000, MOST};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int law = 0; law < 3; law++) {
            double sum = 0;
            int64_t total = 0;
            for (uint32_t i = 0; i < counts[c]; i++)
                sum += weights[i] = law == 0             ? 1
                                    : law == 1           ? 1.0 / (i + 1)
                                    : i == counts[c] / 2 ? 1e12
                                                         : 1e-3;
            weights_share(weights, counts[c], shares);
            for (uint32_t i = 0; i < counts[c]; i++) {
                total += shares[i];
                assert_true(shares[i] >= 1);
                double exact = weights[i] / sum * 1e9;
                assert_true((double)shares[i] > exact * 0.998 - 2 && (double)shares[i] < exact + 2);
            }
            assert_int_equal(total, DDBSIM_SHARE_ONE);
        }
    free(weights);
    free(shares);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows),    cmocka_unit_test(bad_rows),          cmocka_unit_test(no_file),
        cmocka_unit_test(reports), cmocka_unit_test(shares_sum_to_one),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
