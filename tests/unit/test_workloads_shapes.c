/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Load shapes against their closed forms, as the arrival clock sees them, and what a scenario may say of them. */
#include "loader_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <workloads/shapes.h>

#define HOUR_NS (3600 * NS_PER_S)
#define HEIGHT 100.0

/* The rate at t_ns of the stages that the shape became. */
static double rate_at(const struct ddbsim_stage *stages, uint32_t count, double rate,
                      int64_t from_ns, int64_t t_ns) {
    for (uint32_t i = 0; i < count; i++) {
        int64_t to_ns = from_ns + stages[i].duration_ns;
        if (t_ns < to_ns)
            return rate + (stages[i].target_per_s - rate) * (double)(t_ns - from_ns) /
                              (double)stages[i].duration_ns;
        rate = stages[i].target_per_s;
        from_ns = to_ns;
    }
    return rate;
}

static double raised_cosine(double t, double centre, double width) {
    double x = fabs(t - centre);
    return x < width / 2 ? 0.5 + 0.5 * cos(2 * M_PI * x / width) : 0;
}

static double expected(const struct shape *shape, int64_t t_ns) {
    double t = (double)t_ns, at = (double)shape->at_ns, width = (double)shape->width_ns;
    double period = (double)shape->period_ns, share = 0;
    for (int k = -60; k <= 60; k++) {
        double begin = at + k * period;
        if (period == 0 && k != 0) continue;
        if (shape->kind == SHAPE_STEP) share += t >= begin && t < begin + width;
        if (shape->kind == SHAPE_SPIKE) {
            double x = (t - begin) / width;
            if (x > 0 && x < 1) share += x < 0.5 ? 2 * x : 2 - 2 * x;
        }
        if (shape->kind == SHAPE_SINE) share += raised_cosine(t, begin + width / 2, width);
        if (shape->kind == SHAPE_DIURNAL) share += raised_cosine(t, begin, width);
        if (shape->kind == SHAPE_DOUBLE_WAVE)
            share += raised_cosine(t, begin, width) + raised_cosine(t, begin + period / 2, width);
    }
    return shape->base_per_s + (shape->peak_per_s - shape->base_per_s) * share;
}

static void follows(const struct shape *shape, int64_t start_ns, int64_t end_ns) {
    uint32_t count = shapes_count(shape, start_ns, end_ns);
    struct ddbsim_stage *stages = calloc(count + 1, sizeof *stages);
    assert_non_null(stages);
    double first = shapes_fill(shape, start_ns, end_ns, stages);
    for (uint32_t i = 0; i < count; i++)
        assert_true(stages[i].duration_ns >= 0);
    /* Times that are no knots. */
    for (int64_t t_ns = start_ns + 1234567; t_ns < end_ns; t_ns += 12345678901) {
        double is = rate_at(stages, count, first, start_ns, t_ns), should = expected(shape, t_ns);
        if (fabs(is - should) > 0.0011 * HEIGHT)
            fail_msg("%s at %.3f s: %.6f, should be %.6f", shape->word, (double)t_ns / 1e9, is,
                     should);
    }
    free(stages);
}

static void m120_shapes(void **state) {
    (void)state;
    static const struct shape shapes[] = {
        {SHAPE_STEP, "step", 10, 110, 2 * HOUR_NS, HOUR_NS / 2, 0},
        {SHAPE_STEP, "step", 10, 110, 20 * HOUR_NS, HOUR_NS, 3 * HOUR_NS},
        {SHAPE_SPIKE, "spike", 5, 105, 3 * HOUR_NS, HOUR_NS / 12, 0},
        {SHAPE_SPIKE, "spike", 105, 5, 3 * HOUR_NS, HOUR_NS, HOUR_NS},
        {SHAPE_SINE, "sine", 0, 100, HOUR_NS, 6 * HOUR_NS, 6 * HOUR_NS},
        {SHAPE_DIURNAL, "diurnal", 20, 120, 20 * HOUR_NS, 24 * HOUR_NS, 24 * HOUR_NS},
        {SHAPE_DIURNAL, "diurnal", 20, 120, 13 * HOUR_NS, 5 * HOUR_NS, 24 * HOUR_NS},
        {SHAPE_DOUBLE_WAVE, "double_wave", 2, 102, 12 * HOUR_NS, 4 * HOUR_NS, 16 * HOUR_NS},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        follows(&shapes[i], 0, 48 * HOUR_NS);
        follows(&shapes[i], 5 * HOUR_NS + 17, 47 * HOUR_NS + 3); /* begins and ends inside bumps */
    }
}

/* A shape of seconds that is to last a year would be millions of stages. */
static void m120_too_many_corners(void **state) {
    (void)state;
    const struct shape shape = {SHAPE_SINE, "sine", 0, 100, 0, NS_PER_S, NS_PER_S};
    assert_int_equal(shapes_count(&shape, 0, 8760 * HOUR_NS), 0);
    assert_true(shapes_count(&shape, 0, HOUR_NS) >= 48 * 3600);
}

static const char small[] =
    "version: 1\n"
    "start: \"2026-09-25T00:00:00Z\"\n"
    "duration: 24h\n"
    "values: {key: {count: 100}}\n"
    "tables:\n"
    "  - {name: t, write_capacity: 100, read_capacity: 100,\n"
    "     entities: [{name: e, partition_key: \"K#{key}\", count: 100, size: 1 KB}]}\n"
    "workloads:\n"
    "  - name: w\n"
    "    shape: {kind: diurnal, base: 5/s, peak: 60/s, at: \"20:00\"}\n"
    "    mix: [{operation: PutItem}]\n";

static void m120_what_is_left_out(void **state) {
    (void)state;
    struct ddbsim_scenario *s = fixture_load_set(small, NULL);
    const struct ddbsim_workload *w = &s->workloads[0];
    assert_int_equal(w->stage_count, 1440);
    double peak = 0;
    for (uint32_t i = 0; i < w->stage_count; i++)
        peak = fmax(peak, w->stages[i].target_per_s);
    assert_true(fabs(peak - 60) < 1e-9);
    ddbsim_scenario_destroy(s);
    s = fixture_load_set(small, "workloads.w.rate=3/s");
    assert_int_equal(s->workloads[0].stage_count, 0);
    ddbsim_scenario_destroy(s);
    s = fixture_load_set(small, "workloads.w.arrivals={bursty: {on: 1s, off: 59s}}");
    assert_int_equal(s->workloads[0].burst_off_ns, 59 * NS_PER_S);
    ddbsim_scenario_destroy(s);
}

static void what_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"workloads.w.shape.width=25h", "the next one begins before this is over"},
        {"workloads.w.shape.kind=wave", "double_wave"},
        {"workloads.w.shape={kind: step, base: 1/s}", "peak"},
        {"workloads.w.shape={kind: sine, peak: 1/s, width: 3h}", "a sine takes its whole period"},
        {"workloads.w.shape={kind: double_wave, peak: 1/s, width: 13h}", "the next one begins"},
        {"workloads.w.shape.peak=2000000000/s", "peak"},
        {"workloads.w.shape.period=0s", "period"},
        {"workloads.w.shape.at=25h", "at"},
        {"workloads.w.shape={kind: sine, peak: 1/s, period: 1s}", "repeats too often"},
        {"workloads.w.arrivals={bursty: {on: 1s}}", "off"},
        {"workloads.w.arrivals={bursty: {on: 0s, off: 1s}}", "on"},
        {"workloads.w.arrivals=bursts", "bursts"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fixture_refuse_text_set(small, cases[i].set, cases[i].words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m120_shapes),
        cmocka_unit_test(m120_too_many_corners),
        cmocka_unit_test(m120_what_is_left_out),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
