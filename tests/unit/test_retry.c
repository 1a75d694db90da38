/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Retry policy and quota (M-70 to M-75). */
#include <support/cmocka.h>

#include <client/retry.h>
#include <ddbsim/presets.h>

static const struct ddbsim_client *preset(const char *name) {
    const struct ddbsim_preset *found = ddbsim_preset_find(name);
    assert_non_null(found);
    return &found->client;
}

static int64_t wait_ns(const struct ddbsim_client *client, uint32_t attempts, uint64_t draw) {
    struct backoff_state state = {0};
    return retry_wait_ns(client, ERROR_THROTTLE, attempts, draw, RETRY_NO_HINT, &state);
}

static enum retry_decision decide(const struct ddbsim_client *client, struct retry_quota *quota,
                                  uint32_t attempts, int64_t *held) {
    return retry_decide(client, quota, ERROR_THROTTLE, attempts, held);
}

static void m70_presets(void **state) {
    (void)state;
    assert_int_equal(preset("none")->max_attempts, 1);
    assert_null(ddbsim_preset_find("no-such"));
    for (int i = 0; ddbsim_preset(i); i++) {
        assert_string_equal(ddbsim_preset(i)->name, ddbsim_preset(i)->client.preset);
        assert_int_equal(ddbsim_preset(i)->client.processes, 1);
        assert_ptr_equal(ddbsim_preset_find(ddbsim_preset(i)->name), ddbsim_preset(i));
    }
}

/* base x 2^i, from i = 0. */
static void m71_backoff(void **state) {
    (void)state;
    struct ddbsim_client steady = *preset("boto3-standard");
    steady.backoff.throttling_jitter = DDBSIM_JITTER_NONE;
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(wait_ns(&steady, i + 1, 12345), (NS_PER_S << i));
}

/* The cap comes before the jitter: a share of 20 s, not a share cut at 20 s. */
static void m72_cap(void **state) {
    (void)state;
    const struct ddbsim_client *client = preset("boto3-standard");
    assert_int_equal(wait_ns(client, 9, UINT64_C(1) << 63), 10 * NS_PER_S);
    assert_int_equal(wait_ns(client, 200, UINT64_MAX), 20 * NS_PER_S - 1);
}

/* U x min(2^i, 20) s: with U at both ends and in the middle. */
static void m73_jitter(void **state) {
    (void)state;
    const struct ddbsim_client *client = preset("boto3-standard");
    const int64_t bounds_s[] = {1, 2, 4, 8, 16, 20, 20};
    for (uint32_t i = 0; i < 7; i++) {
        assert_int_equal(wait_ns(client, i + 1, 0), 0);
        assert_int_equal(wait_ns(client, i + 1, UINT64_MAX), bounds_s[i] * NS_PER_S - 1);
        assert_int_equal(wait_ns(client, i + 1, UINT64_C(1) << 63), bounds_s[i] * NS_PER_S / 2);
    }
    assert_int_equal(wait_ns(preset("full-jitter"), 2, UINT64_C(1) << 63), 50 * NS_PER_MS);
}

static void m70_attempts(void **state) {
    (void)state;
    struct retry_quota quota = {500};
    int64_t held = 0;
    assert_int_equal(decide(preset("none"), &quota, 1, &held), RETRY_EXHAUSTED);
    assert_int_equal(decide(preset("boto3-standard"), &quota, 2, &held), RETRY_AGAIN);
    assert_int_equal(decide(preset("boto3-standard"), &quota, 3, &held), RETRY_EXHAUSTED);
}

/* 500 tokens at 5 a retry: 100 retries, then none; success refunds the last cost alone. */
static void m75_quota(void **state) {
    (void)state;
    const struct ddbsim_client *client = preset("boto3-standard");
    struct retry_quota quota = {client->quota.capacity};
    int64_t held = 0;
    for (int i = 0; i < 100; i++)
        assert_int_equal(decide(client, &quota, 1, &held), RETRY_AGAIN);
    assert_int_equal(quota.tokens, 0);
    assert_int_equal(decide(client, &quota, 1, &held), RETRY_NO_QUOTA);
    quota_return(&client->quota, &quota, held, true);
    assert_int_equal(quota.tokens, 5);
    quota_return(&client->quota, &quota, 0, false);
    assert_int_equal(quota.tokens, 6);
    quota.tokens = 499;
    quota_return(&client->quota, &quota, 5, true);
    assert_int_equal(quota.tokens, 500);
    /* Two retries of one call hold only the second's cost. */
    held = 0;
    assert_int_equal(decide(client, &quota, 1, &held), RETRY_AGAIN);
    assert_int_equal(decide(client, &quota, 2, &held), RETRY_AGAIN);
    quota_return(&client->quota, &quota, held, true);
    assert_int_equal(quota.tokens, 495);
}

static void m74_no_quota_means_no_limit(void **state) {
    (void)state;
    struct retry_quota quota = {0};
    int64_t held = 0;
    assert_int_equal(decide(preset("full-jitter"), &quota, 1, &held), RETRY_AGAIN);
    quota_return(&preset("full-jitter")->quota, &quota, 0, false);
    assert_int_equal(quota.tokens, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m70_presets),
        cmocka_unit_test(m71_backoff),
        cmocka_unit_test(m72_cap),
        cmocka_unit_test(m73_jitter),
        cmocka_unit_test(m70_attempts),
        cmocka_unit_test(m75_quota),
        cmocka_unit_test(m74_no_quota_means_no_limit),
    };
    return cmocka_run_group_tests_name("retry", tests, NULL, NULL);
}
