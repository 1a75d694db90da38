/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The adaptive rate limiter against its SDKs' own tests and against traces of two of them (M-89). Where a file
 * says how close its figures are, that is the tolerance: 1e-15 is Go's own for the cubic.
 */
#include <support/cmocka.h>

#include <base/dmath.h>
#include <client/limiter.h>
#include <ddbsim/presets.h>
#include <support/near.h>
#include <support/vectors.h>

#define EXACT 1e-15    /* relative: the last place of a double */
#define BOTOCORE 1e-14 /* relative, over hundreds of steps */
#define JS 9e-8        /* absolute: it rounds to eight decimals */

static struct ddbsim_rate_limiter spec_of(const char *preset) {
    const struct ddbsim_preset *found = ddbsim_preset_find(preset);
    assert_non_null(found);
    return found->client.limiter;
}

static double at(const json_t *array, size_t number) {
    const json_t *value = json_array_get(array, number);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

/* ---- the cubic ---- */

static size_t success_steps(const json_t *root, const struct ddbsim_rate_limiter *spec) {
    const json_t *sequence = vectors_at(root, "success_sequence"), *step;
    const json_t *initial = vectors_at(sequence, "initial");
    double w_max = vectors_number(initial, "w_max");
    double last_s = vectors_number(initial, "last_throttle_t");
    size_t i;
    assert_true(vectors_number(sequence, "tolerance_go") == EXACT);
    json_array_foreach(vectors_at(sequence, "steps"), i, step) {
        assert_false(json_is_true(vectors_at(step, "throttled")));
        double rate = limiter_recovery(spec, w_max, vectors_number(step, "t") - last_s);
        /* Go asserts figures that it wrote with up to eleven decimals. */
        double expected = vectors_number(step, "expected_rate");
        if (i == 1)
            assert_within(rate, expected, 5e-12);
        else
            assert_near(rate, expected, EXACT);
        const json_t *js = json_array_get(vectors_at(root, "js_success"), i);
        assert_true(at(js, 0) == vectors_number(step, "t"));
        assert_within(rate, at(js, 1), JS);
    }
    assert_int_equal(json_array_size(vectors_at(root, "js_success")), i);
    return 2 * i;
}

/* The test that these are of keeps the rate that a throttle has cut already as the cubic's level. */
static size_t mixed_steps(const json_t *root, const struct ddbsim_rate_limiter *spec) {
    const json_t *sequence = vectors_at(root, "mixed_sequence"), *step;
    const json_t *initial = vectors_at(sequence, "initial");
    double w_max = vectors_number(initial, "w_max");
    double last_s = vectors_number(initial, "last_throttle_t");
    double rate = vectors_number(initial, "calculated_rate");
    size_t i;
    json_array_foreach(vectors_at(sequence, "steps"), i, step) {
        double t_s = vectors_number(step, "t");
        if (json_is_true(vectors_at(step, "throttled"))) {
            rate *= (double)spec->beta / (double)NANO;
            w_max = rate;
            last_s = t_s;
        } else
            rate = limiter_recovery(spec, w_max, t_s - last_s);
        assert_within(rate, vectors_number(step, "expected_rate"), i == 1 ? 5e-12 : 1e-14);
    }
    return i;
}

/* One throttle on a fresh limiter, which has measured one answer since it was made. */
static size_t js_throttles(const json_t *root, const struct ddbsim_rate_limiter *spec) {
    const json_t *update = vectors_at(root, "js_throttle_full_update"), *step;
    size_t i;
    json_array_foreach(vectors_at(update, "steps"), i, step) {
        struct limiter limiter;
        double t_s = vectors_number(step, "t"), expected = vectors_number(step, "expected_rate");
        limiter_init(spec, &limiter, 0);
        limiter_update(spec, &limiter, t_s, true);
        assert_within((double)spec->beta / (double)NANO * limiter.w_max, expected, JS);
        assert_true(limiter.fill == 0.5); /* which is more */
    }
    return i;
}

static size_t botocore_points(const json_t *root, const struct ddbsim_rate_limiter *spec) {
    const json_t *points = vectors_at(root, "botocore_points"), *point;
    size_t i, used = 0;
    json_array_foreach(points, i, point) {
        double beta = (double)spec->beta / (double)NANO;
        struct ddbsim_rate_limiter other = *spec;
        if (i == 0) {
            double k = vectors_number(point, "K");
            assert_near(dmath_cbrt(10 * (1 - beta) / 0.4), k, EXACT);
            assert_near(limiter_recovery(spec, 10, k), 10, EXACT);
        } else if (i == 1) {
            double k = dmath_cbrt(vectors_number(point, "w_max") * (1 - beta) / 0.4);
            assert_near(limiter_recovery(spec, vectors_number(point, "w_max"), k),
                        vectors_number(point, "expected"), EXACT);
        } else if (i == 2) {
            double w_max = vectors_number(point, "w_max");
            assert_near(beta * w_max, vectors_number(point, "expected_rate"), EXACT);
            assert_near(dmath_cbrt(w_max * (1 - beta) / 0.4), vectors_number(point, "K"), EXACT);
        } else {
            other.beta = 6 * NANO / 10;
            assert_near((double)other.beta / (double)NANO * 10, vectors_number(point, "throttle"),
                        EXACT);
            assert_near(limiter_recovery(&other, 10, 0), vectors_number(point, "success"), EXACT);
        }
        used++;
    }
    assert_int_equal(json_array_size(points), 4);
    return used;
}

static void m89_the_cubic(void **state) {
    (void)state;
    json_t *root = vectors_load("adaptive-cubic.json");
    struct ddbsim_rate_limiter spec = spec_of("sdk-adaptive-2026");
    const json_t *constants = vectors_at(root, "constants");
    assert_true(vectors_number(constants, "beta") * NANO == (double)spec.beta);
    assert_true(vectors_number(constants, "scale_constant") * NANO == (double)spec.scale_constant);
    size_t used = success_steps(root, &spec) + mixed_steps(root, &spec);
    used += js_throttles(root, &spec) + botocore_points(root, &spec);
    assert_int_equal(used, 7 + 7 + 8 + 5 + 4);
    assert_int_equal(vectors_count(root, "expected_rate"), 7 + 8 + 5 + 1);
    json_decref(root);
}

/* ---- whole updates ---- */

/* The 17 answers that four SDKs assert. The figures have up to 16 digits; Java allows 1e-4, we do not. */
static void m89_seventeen_answers(void **state) {
    (void)state;
    json_t *root = vectors_load("adaptive-update-17.json");
    struct ddbsim_rate_limiter spec = spec_of("sdk-adaptive-2026");
    struct limiter limiter;
    size_t i;
    const json_t *step;
    limiter_init(&spec, &limiter, 0);
    json_array_foreach(vectors_at(root, "steps"), i, step) {
        limiter_update(&spec, &limiter, vectors_number(step, "t"),
                       json_is_true(vectors_at(step, "throttled")));
        assert_near(limiter.measured, vectors_number(step, "measured_tx_rate"), EXACT);
        assert_near(limiter.fill, vectors_number(step, "fill_rate"), EXACT);
    }
    assert_int_equal(i, 17);
    json_decref(root);
}

/* A trace's row: the whole state after an answer, botocore's and what JS has otherwise. */
static void trace_row(const struct ddbsim_rate_limiter *boto, struct limiter *limiter,
                      const struct ddbsim_rate_limiter *js, struct limiter *of_js,
                      const json_t *row) {
    bool throttled = at(row, 1) != 0;
    limiter_update(boto, limiter, at(row, 0), throttled);
    limiter_update(js, of_js, at(row, 0), throttled);
    assert_near(limiter->measured, at(row, 2), BOTOCORE);
    assert_near(limiter->fill, at(row, 3), BOTOCORE);
    assert_near(limiter->capacity, at(row, 4), BOTOCORE);
    assert_near(limiter->tokens, at(row, 5), BOTOCORE);
    assert_int_equal(limiter->enabled, at(row, 6) != 0);
    assert_near(limiter->w_max, at(row, 7), BOTOCORE);
    assert_true(limiter->throttled_s == at(row, 8));
    assert_within(of_js->fill, at(row, 9), JS);
    assert_within(of_js->tokens, at(row, 10), JS);
}

static void m89_traces_of_two_sdks(void **state) {
    (void)state;
    json_t *root = vectors_load("adaptive-oracle-traces.json");
    struct ddbsim_rate_limiter boto = spec_of("boto3-adaptive"), js = spec_of("js-v3-adaptive");
    size_t i, rows = 0;
    const char *name;
    const json_t *trace, *row;
    assert_int_equal(json_array_size(vectors_at(root, "columns")), 11);
    json_object_foreach(vectors_at(root, "traces"), name, trace) {
        struct limiter limiter, of_js;
        limiter_init(&boto, &limiter, 0);
        limiter_init(&js, &of_js, 0);
        json_array_foreach(trace, i, row) {
            trace_row(&boto, &limiter, &js, &of_js, row);
            rows++;
        }
    }
    assert_int_equal(rows, 717);
    json_decref(root);
}

/* ---- the measured rate ---- */

static double record_all(const struct ddbsim_rate_limiter *spec, struct limiter *limiter,
                         const json_t *times) {
    size_t i;
    const json_t *time;
    json_array_foreach(times, i, time)
        limiter_update(spec, limiter, json_number_value(time), false);
    assert_true(i > 0);
    return limiter->measured;
}

static void clocker_case(const json_t *figures) {
    struct ddbsim_rate_limiter spec = spec_of("boto3-adaptive");
    struct limiter limiter;
    const json_t *range = json_object_get(figures, "expected_final_range");
    const char *const exact[] = {"expected_last", "expected_final", "expected_final_approx"};
    unsigned used = 0;
    limiter_init(&spec, &limiter, vectors_number(figures, "created_t"));
    double rate = record_all(&spec, &limiter, vectors_at(figures, "record_t"));
    for (int i = 0; i < 3; i++) {
        if (!json_object_get(figures, exact[i])) continue;
        const json_t *places = json_object_get(figures, "places");
        assert_true(!places || json_integer_value(places) == 7);
        assert_within(rate, vectors_number(figures, exact[i]), places ? 5e-8 : EXACT);
        used++;
    }
    if (range) assert_true(rate >= at(range, 0) && rate <= at(range, 1) && ++used);
    if (json_object_get(figures, "expected_final_min"))
        assert_true(rate >= vectors_number(figures, "expected_final_min") && ++used);
    assert_int_equal(used, 1);
    const json_t *then = json_object_get(figures, "then_record_t");
    if (!then) return;
    limiter_update(&spec, &limiter, json_number_value(then), false);
    const json_t *then_range = json_object_get(figures, "then_range");
    if (then_range)
        assert_true(limiter.measured >= at(then_range, 0) && limiter.measured <= at(then_range, 1));
    else
        assert_near(limiter.measured, vectors_number(figures, "then_expected"), EXACT);
}

static void m89_measured_rates(void **state) {
    (void)state;
    json_t *root = vectors_load("adaptive-rate-clocker.json");
    struct ddbsim_rate_limiter spec = spec_of("boto3-adaptive");
    const json_t *constants = vectors_at(root, "constants"), *figures;
    size_t i;
    assert_true(vectors_number(constants, "smoothing") * NANO == (double)spec.smoothing);
    assert_true(vectors_number(constants, "bucket_seconds") * NANO == (double)spec.bucket_ns);
    json_array_foreach(vectors_at(root, "cases"), i, figures) clocker_case(figures);
    assert_int_equal(i, 5);
    json_decref(root);
}

/* ---- the bucket ---- */

static void take_at_all(struct limiter *limiter, const json_t *times) {
    size_t i;
    const json_t *time;
    json_array_foreach(times, i, time)
        assert_true(limiter_take(limiter, 1, json_number_value(time)) == 0);
    assert_true(i > 0);
}

static void set_rate(const struct ddbsim_rate_limiter *spec, struct limiter *limiter,
                     const json_t *test) {
    const json_t *set = vectors_at(test, "set_rate");
    limiter_set_rate(spec, limiter, vectors_number(set, "rate"), vectors_number(set, "t"));
}

/* Steps that may have to wait: until when, and what is left then. */
static void blocking_steps(struct limiter *limiter, const json_t *steps) {
    size_t i;
    const json_t *step;
    json_array_foreach(steps, i, step) {
        double t_s = vectors_number(step, "t"), wait_s = limiter_take(limiter, 1, t_s);
        const json_t *until = json_object_get(step, "blocks_until");
        if (until) {
            assert_near(t_s + wait_s, json_number_value(until), EXACT);
            wait_s = limiter_take(limiter, 1, json_number_value(until));
        }
        assert_true(wait_s == 0);
        if (json_object_get(step, "left"))
            assert_within(limiter->tokens, vectors_number(step, "left"), EXACT);
    }
    assert_int_equal(i, 3);
}

/* A bucket that was made with that rate and is in use. */
static struct limiter bucket(struct ddbsim_rate_limiter *spec, const json_t *figures,
                             const json_t *test) {
    const json_t *least = json_object_get(test, "min_rate");
    struct limiter limiter;
    if (!least) least = vectors_at(figures, "min_rate");
    spec->min_fill_rate = (int64_t)(json_number_value(least) * NANO + 0.5);
    limiter_init(spec, &limiter, vectors_number(figures, "created_t"));
    limiter.enabled = true;
    if (json_object_get(test, "max_rate"))
        limiter_set_rate(spec, &limiter, vectors_number(test, "max_rate"),
                         vectors_number(figures, "created_t"));
    return limiter;
}

static void botocore_bucket(const json_t *figures) {
    size_t i;
    const json_t *test;
    json_array_foreach(vectors_at(figures, "tests"), i, test) {
        struct ddbsim_rate_limiter spec = spec_of("boto3-adaptive");
        struct limiter limiter = bucket(&spec, figures, test);
        const json_t *acquire = json_object_get(test, "acquire");
        const json_t *times = json_object_get(test, "acquire_t");
        if (times) {
            take_at_all(&limiter, times);
            assert_true(json_is_true(vectors_at(test, "all_granted")));
        }
        if (json_object_get(test, "set_rate")) set_rate(&spec, &limiter, test);
        if (json_object_get(test, "then_acquire_t"))
            take_at_all(&limiter, vectors_at(test, "then_acquire_t"));
        if (json_object_get(test, "expected_fill_rate")) {
            assert_true(limiter.fill == vectors_number(test, "expected_fill_rate"));
            assert_true(limiter.capacity == vectors_number(test, "expected_max_capacity"));
        }
        if (json_is_array(acquire)) blocking_steps(&limiter, acquire);
        if (json_is_object(acquire)) {
            assert_false(json_is_true(vectors_at(test, "granted")));
            assert_true(limiter_take(&limiter, vectors_number(acquire, "amount"),
                                     vectors_number(acquire, "t")) > 0);
        }
    }
    assert_int_equal(i, 7);
}

/* A throttle, then a request at the same moment: how long it waits. */
static void js_waits(const json_t *figures) {
    struct ddbsim_rate_limiter spec = spec_of("js-v3-adaptive");
    size_t i;
    const json_t *test;
    json_array_foreach(vectors_at(figures, "tests"), i, test) {
        struct limiter limiter;
        double t_s = vectors_number(test, "t");
        limiter_init(&spec, &limiter, 0);
        limiter_update(&spec, &limiter, t_s, true);
        assert_near(limiter_take(&limiter, 1, t_s) * 1000, vectors_number(test, "wait_ms"), EXACT);
    }
    assert_int_equal(i, 3);
}

static void rust_waits(const json_t *figures) {
    struct ddbsim_rate_limiter spec = spec_of("sdk-adaptive-2026");
    struct limiter limiter;
    size_t i;
    const json_t *test;
    limiter_init(&spec, &limiter, 0);
    limiter_update(&spec, &limiter, 0, true);
    assert_true(limiter.fill == 0.5 && limiter.capacity == 1);
    json_array_foreach(vectors_at(figures, "tests"), i, test) {
        double t_s = vectors_number(test, "acquire_t");
        double first = limiter_take(&limiter, 1, t_s);
        if (json_object_get(test, "repeat")) {
            for (int k = 1; k < vectors_number(test, "repeat"); k++) {
                assert_true(limiter_take(&limiter, 1, t_s) == first);
                assert_true(limiter.tokens >= 0);
            }
            continue;
        }
        assert_int_equal(first == 0, json_is_true(vectors_at(test, "granted")));
        assert_within(limiter.tokens, vectors_number(test, "capacity_after"),
                      vectors_number(test, "eps"));
        if (first > 0)
            assert_within(first, vectors_number(test, "wait_s"), vectors_number(test, "eps"));
    }
    assert_int_equal(i, 3);
}

static void m89_the_bucket(void **state) {
    (void)state;
    json_t *root = vectors_load("adaptive-token-bucket.json");
    const json_t *cases = vectors_at(root, "cases");
    assert_int_equal(json_array_size(cases), 3);
    botocore_bucket(json_array_get(cases, 0));
    js_waits(json_array_get(cases, 1));
    rust_waits(json_array_get(cases, 2));
    json_decref(root);
}

/* ---- all together ---- */

/* A client that would send twenty a second, and a service that serves so many and no burst. */
static void m89_a_closed_loop_finds_its_rate(void **state) {
    (void)state;
    struct ddbsim_rate_limiter spec = spec_of("sdk-adaptive-2026");
    struct limiter limiter;
    limiter_init(&spec, &limiter, 0);
    double room = 20, last_s = 0, t_s = 0;
    int sends = 0, throttles = 0;
    while (t_s < 60) {
        double wait_s = limiter_take(&limiter, 1, t_s);
        if (wait_s > 0) {
            t_s += wait_s + 1e-9;
            continue;
        }
        room = room + (t_s - last_s) * 20 < 20 ? room + (t_s - last_s) * 20 : 20;
        last_s = t_s;
        bool served = room >= 1;
        if (served) room--;
        limiter_update(&spec, &limiter, t_s, !served);
        sends++;
        throttles += !served;
        t_s += 0.001;
    }
    assert_in_range(sends, 1000, 1400);
    assert_in_range(throttles, 10, 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m89_the_cubic),
        cmocka_unit_test(m89_seventeen_answers),
        cmocka_unit_test(m89_traces_of_two_sdks),
        cmocka_unit_test(m89_measured_rates),
        cmocka_unit_test(m89_the_bucket),
        cmocka_unit_test(m89_a_closed_loop_finds_its_rate),
    };
    return cmocka_run_group_tests_name("limiter", tests, NULL, NULL);
}
