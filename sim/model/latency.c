/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Latency by inverse-CDF tables, built with base/dmath so that they are the same everywhere. Source of
 * the numbers: R. Houlihan's latency harness (2026), client-side percentiles of 59 KiB items and means by
 * size on provisioned tables without throttling; throttled answers are an assumption.
 */
#include <model/latency.h>

#include <base/check.h>
#include <base/dmath.h>
#include <base/rng.h>

#define FACTOR_ONE 0x1p20
#define FACTOR_MAX 4095.0

/* Body: lognormal around the median. Tail: with `share`, Pareto from `start` (in medians). */
struct shape_parameters {
    double sigma, tail_share, tail_start, tail_alpha;
};

static const struct shape_parameters parameters[LATENCY_KINDS] = {
    [LATENCY_PUT] = {0.125, 0.03, 6.8 / 5.43, 2.2},
    [LATENCY_GET] = {0.25, 0.025, 5.0 / 2.82, 2.0},
    [LATENCY_THROTTLE] = {0.3, 0.0, 1.0, 2.0},
};

static uint32_t to_factor(double factor) {
    CHECK(factor > 0);
    return (uint32_t)((factor < FACTOR_MAX ? factor : FACTOR_MAX) * FACTOR_ONE);
}

static double step_middle(int step) { return (step + 0.5) / LATENCY_STEPS; }

static void lognormal_factors(uint32_t *factors, double sigma) {
    for (int i = 0; i < LATENCY_STEPS; i++)
        factors[i] = to_factor(dmath_exp(sigma * dmath_normal_quantile(step_middle(i))));
}

static void shape_init(struct latency_shape *shape, const struct shape_parameters *p) {
    lognormal_factors(shape->body, p->sigma);
    for (int i = 0; i < LATENCY_STEPS; i++)
        shape->tail[i] =
            to_factor(p->tail_start * dmath_pow(1 - step_middle(i), -1 / p->tail_alpha));
    shape->tail_below = (uint64_t)(p->tail_share * 0x1p64);
}

void latency_shapes_init(struct latency_shapes *shapes) {
    for (int k = 0; k < LATENCY_KINDS; k++)
        shape_init(&shapes->of[k], &parameters[k]);
}

void latency_terms_init(struct latency_terms *terms, const struct ddbsim_assumptions *model) {
    *terms = (struct latency_terms){
        .median_ns = {model->put_latency_ns, model->get_latency_ns, model->throttle_latency_ns},
        .per_kb_ns = {model->put_latency_per_kb_ns, model->get_latency_per_kb_ns, 0},
        /* A refusal's median is the service's own already. */
        .outside_ns = {model->network_latency_ns, model->network_latency_ns, 0},
        .network_ns = model->network_latency_ns,
    };
}

int64_t latency_batch_ns(const struct latency_shapes *shapes, const struct latency_terms *terms,
                         enum latency_kind kind, uint32_t members, int64_t bytes, uint64_t draw) {
    CHECK(members > 0 && bytes >= 0 && kind != LATENCY_THROTTLE);
    int64_t median = terms->median_ns[kind] + LATENCY_MEMBER_NS * (members - 1) +
                     LATENCY_BATCH_KB_NS * bytes / 1024;
    /* Measured batches of either kind scatter as reads do. */
    return latency_drawn_ns(&shapes->of[LATENCY_GET], median, terms->outside_ns[kind], draw);
}

int64_t latency_transact_ns(const struct latency_shapes *shapes, const struct latency_terms *terms,
                            enum latency_kind kind, uint32_t members, int64_t bytes,
                            uint64_t draw) {
    CHECK(members > 0 && bytes >= 0 && kind != LATENCY_THROTTLE);
    int64_t each = kind == LATENCY_PUT ? LATENCY_ACTION_NS : LATENCY_READ_ACTION_NS;
    int64_t median =
        2 * terms->median_ns[kind] + each * (members - 1) + LATENCY_TRANSACT_KB_NS * bytes / 1024;
    return latency_drawn_ns(&shapes->of[kind], median, terms->outside_ns[kind], draw);
}

void delay_init(struct delay *delay, int64_t median_ns, int64_t p99_ns) {
    CHECK(median_ns >= 0);
    const double z99 = 2.3263478740408408;
    double sigma = median_ns > 0 && p99_ns > median_ns
                       ? dmath_log((double)p99_ns / (double)median_ns) / z99
                       : 0;
    lognormal_factors(delay->factors, sigma);
    delay->median_ns = median_ns;
}

void delay_init_sigma(struct delay *delay, int64_t median_ns, int64_t sigma_share) {
    CHECK(median_ns >= 0 && sigma_share >= 0);
    lognormal_factors(delay->factors, (double)sigma_share / 1e9);
    delay->median_ns = median_ns;
}

int64_t delay_ns(const struct delay *delay, uint64_t draw) {
    return latency_scaled(delay->median_ns, delay->factors[draw >> 52]);
}

int64_t delay_longest_ns(const struct delay *delay) { return delay_ns(delay, UINT64_MAX); }
