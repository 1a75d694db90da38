/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of items that differ (M-127): their laws, and that an item keeps its size. */
#include <base/rng.h>
#include <base/types.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <support/cmocka.h>
#include <support/near.h>
#include <support/run_rows.h>
#include <workloads/sizes.h>

#define HEAD                                                                                  \
    "version: 1\nname: t\nduration: 4m\nvalues: {k: {count: 10, distribution: sequential}}\n" \
    "tables:\n- {name: t, read_capacity: 1000, write_capacity: 1000, entities: [\n"
#define TAIL                                                            \
    "workloads:\n- {name: w, rate: 1/s, arrivals: paced, sequence: [\n" \
    "   {operation: PutItem, entity: e}, {operation: GetItem, entity: e}]}\n"

static struct ddbsim_scenario *load(const char *size) {
    char text[2048];
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error = {0};
    snprintf(text, sizeof text,
             HEAD "   {name: e, partition_key: \"{k}\", count: 10, size: %s}]}\n" TAIL, size);
    if (ddbsim_scenario_parse(text, strlen(text), "t.yaml", NULL, &scenario, &error))
        fail_msg("%s %s", error.message, error.hint);
    return scenario;
}

static void refused(const char *size, const char *wanted) {
    char text[2048], message[1024];
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error = {0};
    snprintf(text, sizeof text,
             HEAD "   {name: e, partition_key: \"{k}\", count: 10, size: %s}]}\n" TAIL, size);
    assert_int_equal(ddbsim_scenario_parse(text, strlen(text), "t.yaml", NULL, &scenario, &error),
                     DDBSIM_INPUT);
    ddbsim_error_format(&error, message, sizeof message);
    if (!strstr(message, wanted)) fail_msg("%s lacks %s", message, wanted);
}

static int ascending(const void *a, const void *b) {
    const double *one = a, *other = b;
    return *one < *other ? -1 : *one > *other;
}

/* Kolmogorov and Smirnov's statistic against the law of GSL, times the root of the number. */
static double distance(const struct ddbsim_sizes *sizes, double median, double sigma) {
    enum { DRAWS = 20000 };
    static double drawn[DRAWS];
    struct rng rng;
    double most = 0;
    rng_seed(&rng, 8);
    for (int i = 0; i < DRAWS; i++)
        drawn[i] = (double)sizes_pick(sizes, rng_next(&rng));
    qsort(drawn, DRAWS, sizeof *drawn, ascending);
    for (int i = 0; i < DRAWS; i++) {
        double p = gsl_cdf_lognormal_P(drawn[i], log(median), sigma);
        most = fmax(most, fmax(p - (double)i / DRAWS, (double)(i + 1) / DRAWS - p));
    }
    return most * sqrt(DRAWS);
}

/* 2.23 is exceeded once in ten thousand. */
static void m127_a_lognormal_law(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load("{lognormal: {median: 30 KB, sigma: 0.5}}");
    const struct ddbsim_entity *entity = &s->tables[0].entities[0];
    assert_true(distance(&entity->sizes, 30 * 1024, 0.5) < 2.23);
    assert_true(distance(&entity->sizes, 31 * 1024, 0.5) > 2.23); /* another law is told from it */
    assert_true(distance(&entity->sizes, 30 * 1024, 0.55) > 2.23);
    assert_near((double)entity->item_bytes, 30 * 1024 * exp(0.125), 1e-3);
    assert_int_equal(s->workloads[0].operations[0].sizes.count, entity->sizes.count);
    ddbsim_scenario_destroy(s);
    s = load("{lognormal: {median: 400 KB, sigma: 3}}");
    for (uint32_t i = 0; i < s->tables[0].entities[0].sizes.count; i++)
        assert_in_range(s->tables[0].entities[0].sizes.bytes[i], 1, DDBSIM_ITEM_BYTES_MAX);
    ddbsim_scenario_destroy(s);
}

static void m127_choices(void **state) {
    (void)state;
    static const int64_t bytes[] = {1024, 20 * 1024, 900};
    static const double shares[] = {0.7, 0.2999, 0.0001};
    struct ddbsim_scenario *s = load("{choices: {1 KB: 70%, 20 KB: 29.99%, 900 B: 0.01%}}");
    const struct ddbsim_sizes *sizes = &s->tables[0].entities[0].sizes;
    double counts[3] = {0}, statistic = 0;
    struct rng rng;
    rng_seed(&rng, 3);
    for (int i = 0; i < 1000000; i++) {
        int64_t drawn = sizes_pick(sizes, rng_next(&rng));
        for (int k = 0; k < 3; k++)
            counts[k] += drawn == bytes[k];
    }
    for (int k = 0; k < 3; k++)
        statistic += pow(counts[k] - shares[k] * 1e6, 2) / (shares[k] * 1e6);
    assert_true(counts[0] + counts[1] + counts[2] >= 1e6);
    assert_true(gsl_cdf_chisq_Q(statistic, 2) > 1e-6);
    assert_int_equal(s->tables[0].entities[0].item_bytes,
                     6859); /* 0.7 x 1024 + 0.2999 x 20480 + 0.09 */
    ddbsim_scenario_destroy(s);
}

/* Each of 10 items is written and read 24 times, and costs the same each time: 1 KB is 1 and half a unit, 10 KB
 * are 10 and one and a half. */
static void m127_an_item_keeps_its_size(void **state) {
    (void)state;
    struct rows rows = rows_run(HEAD "   {name: e, partition_key: \"K{k}\", count: 10, "
                                     "size: {choices: {1 KB: 50%, 10 KB: 50%}}}]}\n" TAIL,
                                1);
    int small = 0, large = 0;
    for (int k = 0; k < 10; k++) {
        char key[16];
        snprintf(key, sizeof key, "K%d", k);
        double write = rows_key_units(&rows, key, ROWS_KEY_WRITE);
        double read = rows_key_units(&rows, key, ROWS_KEY_READ);
        small += write >= 24 && write <= 24 && read >= 12 && read <= 12;
        large += write >= 240 && write <= 240 && read >= 36 && read <= 36;
    }
    assert_int_equal(small + large, 10);
    assert_in_range(small, 1, 9);
    rows_free(&rows);
}

static void m127_what_is_no_size(void **state) {
    (void)state;
    refused("{}", "nothing says which sizes");
    refused("{choices: {1 KB: 50%}}", "less than 100%");
    refused("{choices: {1 KB: 60%, 2 KB: 60%}}", "do not sum");
    refused("{choices: {1 XB: 100%}}", "size");
    refused("{choices: {500 KB: 100%}}", "400 KB");
    refused("{choices: {1 KB: 100%}, file: x}", "exclude each other");
    refused("{file: none-there.csv}", "none-there.csv");
    refused("{lognormal: {median: 1 KB}}", "sigma");
    refused("{lognormal: {median: 1 KB, sigma: 9}}", "0..5");
    refused("{normal: 1}", "normal");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m127_a_lognormal_law),
        cmocka_unit_test(m127_choices),
        cmocka_unit_test(m127_an_item_keeps_its_size),
        cmocka_unit_test(m127_what_is_no_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
