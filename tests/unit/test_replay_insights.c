/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contributor Insights: the top as it is, and a tail whose theta comes back from what that theta made. */
#include <support/cmocka.h>
#include <support/near.h>
#include <ddbsim/scenario.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/insights.h>

/* Zipf's law made with libm, rank by rank: the fit finds its theta again. */
static void fit_finds_the_theta(void **state) {
    (void)state;
    static const double thetas[] = {0.01, 0.3, 0.6, 0.99, 1, 1.3, 2.5, 4.9};
    static const uint64_t firsts[] = {1, 2, 10, 100}, counts[] = {101, 812, 100000};
    for (size_t t = 0; t < sizeof thetas / sizeof *thetas; t++)
        for (size_t f = 0; f < 4; f++)
            for (size_t c = 0; c < 3; c++) {
                double sum = 0, first = pow((double)firsts[f], -thetas[t]);
                for (uint64_t r = firsts[f] + 1; r <= counts[c]; r++)
                    sum += pow((double)r, -thetas[t]);
                int64_t theta = insights_fit(firsts[f], counts[c], sum / first);
                assert_within((double)theta / 1e9, thetas[t], 1e-6);
            }
}

static void ends_of_the_range(void **state) {
    (void)state;
    assert_int_equal(insights_fit(10, 100, 90), 0);
    assert_int_equal(insights_fit(10, 100, 1e9), 0);
    assert_int_equal(insights_fit(10, 100, 0), 5 * DDBSIM_SHARE_ONE);
    assert_in_range(insights_fit(1, UINT64_C(1000000000000), 26), 900000000, 1100000000);
}

static enum ddbsim_status read_text(const char *text, struct arena *arena, struct insights *out,
                                    struct ddbsim_error *error) {
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    enum ddbsim_status status = insights_read(json, arena, out, error);
    json_decref(json);
    return status;
}

static void sample(void **state) {
    (void)state;
    struct arena *arena = arena_create(0);
    struct insights insights;
    json_t *json = json_load_file(SOURCE_ROOT "/workloads/samples/insights.json", 0, NULL);
    assert_true(insights_recognise(json));
    assert_int_equal(insights_read(json, arena, &insights, NULL), DDBSIM_OK);
    json_decref(json);
    assert_string_equal(insights.label, "PK");
    assert_int_equal(insights.top_count, 10);
    assert_int_equal(insights.unique, 812);
    assert_string_equal(insights.top[0].text, "CLIENTE#4471");
    assert_within((double)insights.top[0].share / 1e9, 1464. / 3660, 1e-9);
    assert_within((double)insights.top[9].share / 1e9, 33. / 3660, 1e-9);
    assert_within((double)insights.tail_share / 1e9, 1144. / 3660, 1e-8);
    assert_false(insights.is_flat);
    double theta = (double)insights.tail_theta / 1e9, sum = 0;
    for (int r = 11; r <= 812; r++)
        sum += 33 * pow(r / 10., -theta);
    assert_within(sum, 1144, 0.01);
    arena_destroy(arena);
}

/* 300 keys of which key r has 3000 / r items: the top 100 by name, and a tail of theta 1. */
static void counted_keys(void **state) {
    (void)state;
    struct insights_key keys[300];
    struct insights insights;
    int64_t total = 0, sum = 0;
    static char names[300][8];
    for (int i = 0; i < 300; i++) {
        int rank = i * 7 % 300 + 1; /* in no order */
        snprintf(names[i], sizeof names[i], "k%d", rank);
        keys[i] = (struct insights_key){names[i], 30000000 / rank};
        total += keys[i].share;
    }
    insights_of_counts(keys, 300, total, &insights);
    assert_int_equal(insights.top_count, 100);
    assert_int_equal(insights.unique, 300);
    assert_string_equal(insights.top[0].text, "k1");
    assert_string_equal(insights.top[99].text, "k100");
    assert_within((double)insights.tail_theta / 1e9, 1, 1e-4);
    for (uint32_t i = 0; i < insights.top_count; i++)
        sum += insights.top[i].share;
    assert_int_equal(sum + insights.tail_share, DDBSIM_SHARE_ONE);
    insights_of_counts(keys, 2, keys[0].share + keys[1].share, &insights);
    assert_int_equal(insights.tail_share, 0);
    assert_int_equal(insights.top[0].share + insights.top[1].share, DDBSIM_SHARE_ONE);
}

#define REPORT(total, unique, contributors)                        \
    "{\"KeyLabels\": [\"PK\", \"SK\"], \"AggregateValue\": " total \
    ", \"ApproximateUniqueCount\": " unique ", \"Contributors\": [" contributors "]}"
#define KEY(key, value) "{\"Keys\": [" key "], \"ApproximateAggregateValue\": " value "}"

static void reports(void **state) {
    (void)state;
    struct arena *arena = arena_create(0);
    struct insights insights;
    /* Unsorted, of two attributes; the rest is more than equal keys could have. */
    assert_int_equal(
        read_text(REPORT("100", "4", KEY("\"b\", \"2\"", "10") "," KEY("\"a\", \"1\"", "30")),
                  arena, &insights, NULL),
        DDBSIM_OK);
    assert_string_equal(insights.label, "PK, SK");
    assert_string_equal(insights.top[0].text, "a, 1");
    assert_int_equal(insights.top[0].share, 300000000);
    assert_int_equal(insights.top[1].share, 100000000);
    assert_int_equal(insights.tail_theta, 0);
    assert_true(insights.is_flat);
    /* A top that is all there is, a little more than the aggregate. */
    assert_int_equal(read_text(REPORT("100", "2", KEY("\"a\"", "80") "," KEY("\"b\"", "24")), arena,
                               &insights, NULL),
                     DDBSIM_OK);
    assert_int_equal(insights.tail_share, 0);
    assert_int_equal(insights.top[0].share + insights.top[1].share, DDBSIM_SHARE_ONE);
    assert_within((double)insights.top[0].share / 1e9, 80. / 104, 1e-8);
    arena_destroy(arena);
}

static void reports_that_are_none(void **state) {
    (void)state;
    static const char *const bad[][2] = {
        {REPORT("0", "4", KEY("\"a\"", "1")), "AggregateValue"},
        {REPORT("10", "0", KEY("\"a\"", "1")), "ApproximateUniqueCount"},
        {REPORT("10", "1e13", KEY("\"a\"", "1")), "ApproximateUniqueCount"},
        {REPORT("10", "4", ""), "no Contributors"},
        {REPORT("10", "4", KEY("\"a\"", "-1")), "not above 0"},
        {REPORT("10", "4", KEY("\"a\"", "11")), "more than AggregateValue"},
        {REPORT("10", "4", KEY("", "1")), "no Keys"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct arena *arena = arena_create(0);
        struct insights insights;
        struct ddbsim_error error = {0};
        assert_int_equal(read_text(bad[i][0], arena, &insights, &error), DDBSIM_INPUT);
        assert_non_null(strstr(error.message, bad[i][1]));
        arena_destroy(arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fit_finds_the_theta),
        cmocka_unit_test(ends_of_the_range),
        cmocka_unit_test(sample),
        cmocka_unit_test(reports),
        cmocka_unit_test(reports_that_are_none),
        cmocka_unit_test(counted_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
