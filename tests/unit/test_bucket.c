/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The token bucket against its closed form (M-22, M-30, M-33). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <model/bucket.h>
#include <base/rng.h>

static void m30_refill_is_exact(void **state) {
    (void)state;
    struct bucket_rule rule = {.rate = 333, .cap_nano = 300 * 333 * NANO};
    struct bucket bucket;
    bucket_fill(&bucket, 0, 0);
    /* However often it is looked at, the level is rate x elapsed. */
    struct rng rng;
    rng_seed(&rng, 1);
    int64_t now = 0;
    for (int i = 0; i < 100000; i++) {
        now += (int64_t)draw_below(rng_next(&rng), 1000000);
        bucket_refill(&bucket, &rule, now);
        assert_int_equal(bucket.level_nano, 333 * now);
    }
    bucket_refill(&bucket, &rule, INT64_C(1) << 61); /* no overflow: full */
    assert_int_equal(bucket.level_nano, rule.cap_nano);
}

/* Demand d above rate r empties credit c after c / (d - r); then the accepted rate is r. */
static void m30_credit_lasts(void **state) {
    (void)state;
    struct bucket_rule rule = {.rate = 150, .cap_nano = 45000 * NANO};
    struct bucket bucket;
    bucket_fill(&bucket, 0, rule.cap_nano);
    int64_t first_refusal = TIME_NEVER, accepted_after = 0, offered_after = 0;
    for (int64_t i = 0; i < 400000; i++) {
        int64_t now = i * (NS_PER_S / 200) + NS_PER_S / 400;
        bool admits = bucket_admits(&bucket, &rule, 1, now);
        if (admits) bucket_take(&bucket, NANO);
        if (!admits && first_refusal == TIME_NEVER) first_refusal = now;
        if (now > 1000 * NS_PER_S) {
            offered_after++;
            accepted_after += admits;
        }
    }
    assert_in_range(first_refusal, 900 * NS_PER_S - NS_PER_S / 10, 900 * NS_PER_S + NS_PER_S / 10);
    assert_int_equal(offered_after * 3 / 4, accepted_after);
}

static void m33_debt_is_one_request(void **state) {
    (void)state;
    struct bucket_rule rule = {.rate = 1, .cap_nano = NANO};
    struct bucket bucket;
    bucket_fill(&bucket, 0, 1); /* a billionth is enough */
    assert_true(bucket_admits(&bucket, &rule, 1, 0));
    bucket_take(&bucket, 400 * NANO);
    assert_int_equal(bucket.level_nano, 1 - 400 * NANO);
    assert_false(bucket_admits(&bucket, &rule, 1, 399 * NS_PER_S));
    int64_t ready = bucket_ready_ns(&bucket, &rule, 1, 399 * NS_PER_S);
    assert_int_equal(ready, 400 * NS_PER_S);
    assert_false(bucket_admits(&bucket, &rule, 1, ready - 1));
    assert_true(bucket_admits(&bucket, &rule, 1, ready));
}

static void m30_change_keeps_and_clips(void **state) {
    (void)state;
    struct bucket_rule rule = {.rate = 100, .cap_nano = 30000 * NANO};
    struct bucket bucket;
    bucket_fill(&bucket, 0, 30000 * NANO);
    bucket_change(&bucket, &rule, false, NS_PER_S, (struct bucket_rule){300, 90000 * NANO});
    assert_int_equal(bucket.level_nano, 30000 * NANO);
    bucket_refill(&bucket, &rule, 2 * NS_PER_S);
    assert_int_equal(bucket.level_nano, 30300 * NANO);
    bucket_change(&bucket, &rule, false, 2 * NS_PER_S, (struct bucket_rule){10, 3000 * NANO});
    assert_int_equal(bucket.level_nano, 3000 * NANO);
}

/* Strict: the level is never below nothing, and as much is served in the end. */
static void m33_strict_never_owes(void **state) {
    (void)state;
    struct bucket_rule rule = {.rate = 7, .cap_nano = 50 * NANO};
    struct bucket bucket;
    bucket_fill(&bucket, 0, 0);
    struct rng rng;
    rng_seed(&rng, 33);
    int64_t now = 0, served = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t cost = (1 + (int64_t)draw_below(rng_next(&rng), 50)) * NANO;
        int64_t ready = bucket_ready_ns(&bucket, &rule, cost, now);
        if (ready > now) assert_false(bucket_admits(&bucket, &rule, cost, ready - 1));
        now = ready;
        assert_true(bucket_admits(&bucket, &rule, cost, now));
        bucket_take(&bucket, cost);
        assert_true(bucket.level_nano >= 0);
        served += cost;
    }
    assert_in_range(served, 7 * now - 50 * NANO, 7 * now);
}

/* What is stolen is what was kept: a second's refill stays. */
static void m30_only_what_was_kept_is_stolen(void **state) {
    (void)state;
    const struct bucket_rule rule = {.rate = 100, .cap_nano = 30000 * NANO};
    const int64_t levels[] = {-50, 0, 99, 100, 105, 110, 30000};
    const int64_t left[] = {-50, 0, 99, 100, 100, 100, 29990};
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        struct bucket bucket;
        bucket_fill(&bucket, 5, levels[i] * NANO);
        bucket_steal(&bucket, &rule, 10 * NANO, 5);
        assert_int_equal(bucket.level_nano, left[i] * NANO);
    }
}

static void m40_a_change_may_reset(void **state) {
    (void)state;
    struct bucket_rule rule = {.rate = 100, .cap_nano = 30000 * NANO};
    struct bucket bucket;
    bucket_fill(&bucket, 0, 20000 * NANO);
    bucket_change(&bucket, &rule, true, NS_PER_S, (struct bucket_rule){300, 90000 * NANO});
    assert_int_equal(bucket.level_nano, 0);
    bucket.level_nano = -7; /* a debt stays */
    bucket_change(&bucket, &rule, true, NS_PER_S, (struct bucket_rule){10, 3000 * NANO});
    assert_int_equal(bucket.level_nano, -7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m30_refill_is_exact),
        cmocka_unit_test(m30_credit_lasts),
        cmocka_unit_test(m33_debt_is_one_request),
        cmocka_unit_test(m30_change_keeps_and_clips),
        cmocka_unit_test(m30_only_what_was_kept_is_stolen),
        cmocka_unit_test(m33_strict_never_owes),
        cmocka_unit_test(m40_a_change_may_reset),
    };
    return cmocka_run_group_tests_name("bucket", tests, NULL, NULL);
}
