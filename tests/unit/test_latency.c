/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Latency against the measured percentiles (M-80 to M-82). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include <base/hist.h>
#include <base/rng.h>
#include <model/latency.h>

static struct ddbsim_assumptions defaults(void) {
    struct ddbsim_assumptions model;
#define X(field, name, kind, value, low, high, rule, what) model.field = value;
    DDBSIM_ASSUMPTIONS(X)
#undef X
    return model;
}

static double client_ms(enum latency_kind kind, int64_t bytes, double q) {
    struct ddbsim_assumptions model = defaults();
    struct latency_terms terms;
    struct latency_shapes *shapes = malloc(sizeof *shapes);
    struct hist *hist = calloc(1, sizeof *hist);
    latency_shapes_init(shapes);
    latency_terms_init(&terms, &model);
    struct rng rng;
    rng_seed(&rng, 11);
    for (int i = 0; i < 400000; i++) {
        int64_t ns = latency_service_ns(shapes, &terms, kind, bytes, rng_next(&rng));
        hist_add(hist, (uint64_t)((ns + terms.network_ns) / NS_PER_US));
    }
    double ms = hist_quantile(hist, q) / 1000;
    free(shapes);
    free(hist);
    return ms;
}

static void assert_near(double value, double expected, double relative) {
    if (value < expected * (1 - relative) || value > expected * (1 + relative))
        fail_msg("%g is not within %g of %g", value, relative, expected);
}

/* 59 KiB items at high load: P50, P90, P95, P99, P99.9 as measured; the tail within its run-to-run
 * spread and a half. */
static void m80_measured_percentiles(void **state) {
    (void)state;
    const int64_t bytes = 59 * 1024;
    const double q[] = {0.5, 0.9, 0.95, 0.99, 0.999};
    const double put_ms[] = {5.46, 6.51, 7.06, 10.77, 27.0};
    const double get_ms[] = {2.84, 4.01, 4.61, 7.61, 22.31};
    const double within[] = {0.12, 0.15, 0.15, 0.2, 0.35};
    for (int i = 0; i < 5; i++) {
        assert_near(client_ms(LATENCY_PUT, bytes, q[i]), put_ms[i], within[i]);
        assert_near(client_ms(LATENCY_GET, bytes, q[i]), get_ms[i], within[i] + 0.1);
    }
}

static void m80_size_adds_little(void **state) {
    (void)state;
    double small = client_ms(LATENCY_PUT, 3 * 1024, 0.5),
           large = client_ms(LATENCY_PUT, 11 * 1024, 0.5);
    assert_true(large - small > 0.2 && large - small < 0.4); /* 3 KB to 11 KB: about 0.3 ms */
    assert_near(client_ms(LATENCY_PUT, 370, 0.5), 3.7, 0.05);
    assert_near(client_ms(LATENCY_GET, 370, 0.5), 2.25, 0.05);
}

/* Means of batches of 25 writes and 100 strong reads, by the size of their items. */
static void m83_measured_batches(void **state) {
    (void)state;
    const int64_t bytes[] = {370, 523, 2 * 1024, 10 * 1024, 50 * 1024};
    const double write_ms[] = {6.5, 7.1, 7.6, 10.1, 23.9};
    const double read_ms[] = {17.8, 17.9, 18.0, 26.6, 76.7};
    struct ddbsim_assumptions model = defaults();
    struct latency_terms terms;
    struct latency_shapes *shapes = malloc(sizeof *shapes);
    latency_shapes_init(shapes);
    latency_terms_init(&terms, &model);
    struct rng rng;
    rng_seed(&rng, 17);
    for (int i = 0; i < 5; i++) {
        double write_sum = 0, read_sum = 0;
        for (int n = 0; n < 100000; n++) {
            write_sum += (double)latency_batch_ns(shapes, &terms, LATENCY_PUT, 25, 25 * bytes[i],
                                                  rng_next(&rng));
            read_sum += (double)latency_batch_ns(shapes, &terms, LATENCY_GET, 100, 100 * bytes[i],
                                                 rng_next(&rng));
        }
        double network_ms = (double)terms.network_ns / 1e6;
        assert_near(write_sum / 1e11 + network_ms, write_ms[i], 0.15);
        assert_near(read_sum / 1e11 + network_ms, read_ms[i], 0.15);
    }
    free(shapes);
}

static void m82_refusals_are_quick(void **state) {
    (void)state;
    assert_near(client_ms(LATENCY_THROTTLE, 0, 0.5), 2.0,
                0.05); /* 1 ms of service, 1 ms of network */
}

static void m50_lag(void **state) {
    (void)state;
    struct delay *delay = malloc(sizeof *delay);
    struct hist *hist = calloc(1, sizeof *hist);
    delay_init(delay, 10 * NS_PER_MS, 200 * NS_PER_MS);
    struct rng rng;
    rng_seed(&rng, 13);
    for (int i = 0; i < 400000; i++)
        hist_add(hist, (uint64_t)(delay_ns(delay, rng_next(&rng)) / 1000));
    assert_near(hist_quantile(hist, 0.5), 10000, 0.03);
    assert_near(hist_quantile(hist, 0.99), 200000, 0.05);
    delay_init(delay, 0, 0);
    assert_int_equal(delay_ns(delay, UINT64_MAX), 0);
    free(delay);
    free(hist);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m80_measured_percentiles),
        cmocka_unit_test(m80_size_adds_little),
        cmocka_unit_test(m82_refusals_are_quick),
        cmocka_unit_test(m83_measured_batches),
        cmocka_unit_test(m50_lag),
    };
    return cmocka_run_group_tests_name("latency", tests, NULL, NULL);
}
