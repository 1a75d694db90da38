/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load shapes (shapes.h). The words are those of load tools (Locust's step and double wave, k6's spike); what
 * they mean here is M-120. Each shape is made of bumps that repeat with its period: flat, raised to a peak and
 * back. A step's bump is a box, a spike's a triangle, the others' a raised cosine.
 *
 * Invariants: knots never go back in time; between two of a curve lies a minute at most; the rate stays between
 * base and peak.
 */
#include <workloads/shapes.h>

#include <base/check.h>
#include <base/dmath.h>

#define KNOT_NS (60 * NS_PER_S)
#define KNOTS_LEAST 48 /* of one bump that is a curve */
#define PI 3.14159265358979323846

/* Goes through the knots of a shape in order, counts them, and stores them where there is an `out`. */
struct knots {
    const struct shape *shape;
    int64_t start_ns, end_ns;
    int64_t at_ns; /* the last knot */
    struct ddbsim_stage *out;
    uint32_t count;
    bool full;
};

/* The share of the way from base to peak, `x` of the way through a bump. */
static double bump(enum shape_kind kind, double x) {
    if (x <= 0 || x >= 1) return 0;
    switch (kind) {
    case SHAPE_STEP:
        return 1;
    case SHAPE_SPIKE:
        return x < 0.5 ? 2 * x : 2 - 2 * x;
    case SHAPE_SINE:
    case SHAPE_DIURNAL:
    case SHAPE_DOUBLE_WAVE: {
        double s = dmath_sin(PI * x);
        return s * s;
    }
    }
    CHECK(false);
    return 0;
}

static double rate_of(const struct shape *shape, double share) {
    return shape->base_per_s + (shape->peak_per_s - shape->base_per_s) * share;
}

static void knot(struct knots *k, int64_t t_ns, double share) {
    if (k->full || t_ns < k->at_ns) return;
    /* Where a curve begins, or one ends and the next begins, nothing jumps. */
    if (t_ns == k->at_ns && k->shape->kind != SHAPE_STEP) return;
    if (k->out)
        k->out[k->count] = (struct ddbsim_stage){.name = k->shape->word,
                                                 .duration_ns = t_ns - k->at_ns,
                                                 .target_per_s = rate_of(k->shape, share)};
    k->count++;
    k->full = k->count == SHAPES_STAGES_MAX;
    k->at_ns = t_ns;
}

/* Where curves have their knots: evenly, a minute apart at most. */
static uint32_t steps_of(const struct shape *shape) {
    if (shape->kind == SHAPE_STEP) return 1;
    if (shape->kind == SHAPE_SPIKE) return 2;
    int64_t by_minute = (shape->width_ns + KNOT_NS - 1) / KNOT_NS;
    if (by_minute > SHAPES_STAGES_MAX) return SHAPES_STAGES_MAX;
    return by_minute > KNOTS_LEAST ? (uint32_t)by_minute : KNOTS_LEAST;
}

static int64_t part_of(int64_t width_ns, uint32_t i, uint32_t steps) {
    return (int64_t)((int128)width_ns * i / steps);
}

/* One bump, of which the start or the end of the workload may cut off a part. */
static void bump_knots(struct knots *k, int64_t begin_ns) {
    const struct shape *shape = k->shape;
    uint32_t steps = steps_of(shape);
    bool box = shape->kind == SHAPE_STEP;
    for (uint32_t i = 0; i <= steps && !k->full; i++) {
        int64_t t_ns = begin_ns + part_of(shape->width_ns, i, steps);
        if (t_ns > k->end_ns) return;
        double share = box ? 0 : bump(shape->kind, (double)i / steps);
        if (box && i == 1) knot(k, t_ns, 1); /* level until its end */
        knot(k, t_ns, share);
        if (box && i == 0) knot(k, t_ns, 1);
    }
}

/* `at` is where a bump begins, or of the shapes of a day where it is highest. */
static int64_t begin_of(const struct shape *shape) {
    bool peaks = shape->kind == SHAPE_DIURNAL || shape->kind == SHAPE_DOUBLE_WAVE;
    return peaks ? shape->at_ns - shape->width_ns / 2 : shape->at_ns;
}

/* The first bump that reaches into the workload's time. */
static int64_t first_begin_ns(const struct shape *shape, int64_t start_ns, int64_t apart_ns) {
    int64_t begin_ns = begin_of(shape);
    if (apart_ns == 0) return begin_ns;
    int64_t behind_ns = start_ns - shape->width_ns - begin_ns;
    int64_t rounds = behind_ns / apart_ns - (behind_ns % apart_ns < 0);
    return begin_ns + rounds * apart_ns;
}

int64_t shapes_apart_ns(enum shape_kind kind, int64_t period_ns) {
    return kind == SHAPE_DOUBLE_WAVE ? period_ns / 2 : period_ns;
}

static double share_at(const struct shape *shape, int64_t begin_ns, int64_t t_ns) {
    /* At the very begin of a box it is up already. */
    if (shape->kind == SHAPE_STEP) return t_ns >= begin_ns && t_ns < begin_ns + shape->width_ns;
    return bump(shape->kind, (double)(t_ns - begin_ns) / (double)shape->width_ns);
}

static double walk(struct knots *k) {
    const struct shape *shape = k->shape;
    int64_t apart_ns = shapes_apart_ns(shape->kind, shape->period_ns);
    CHECK(shape->width_ns > 0 && apart_ns >= 0 && (apart_ns == 0 || shape->width_ns <= apart_ns));
    double first = 0;
    for (int64_t begin_ns = first_begin_ns(shape, k->start_ns, apart_ns);
         begin_ns <= k->end_ns && !k->full; begin_ns += apart_ns) {
        if (share_at(shape, begin_ns, k->start_ns) > 0)
            first = share_at(shape, begin_ns, k->start_ns);
        bump_knots(k, begin_ns);
        if (apart_ns == 0) break;
    }
    return rate_of(shape, first);
}

uint32_t shapes_count(const struct shape *shape, int64_t start_ns, int64_t end_ns) {
    struct knots k = {.shape = shape, .start_ns = start_ns, .end_ns = end_ns, .at_ns = start_ns};
    (void)walk(&k);
    return k.full ? 0 : k.count;
}

double shapes_fill(const struct shape *shape, int64_t start_ns, int64_t end_ns,
                   struct ddbsim_stage *out) {
    struct knots k = {
        .shape = shape, .start_ns = start_ns, .end_ns = end_ns, .at_ns = start_ns, .out = out};
    return walk(&k);
}
