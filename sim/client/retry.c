/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Retry policy. Sources: botocore's standard mode (3 attempts, U x min(2^i, 20) s, quota of 500 tokens at
 * 5 a retry, last cost refunded on success, 1 for a call that never retried); AWS Architecture Blog,
 * Exponential Backoff And Jitter. Invariant: 0 <= tokens <= capacity.
 */
#include <client/retry.h>

#include <base/check.h>
#include <client/backoff.h>

enum retry_decision retry_decide(const struct ddbsim_client *client, struct retry_quota *quota,
                                 uint32_t attempts, int64_t *held) {
    CHECK(attempts >= 1);
    if (attempts >= client->max_attempts) return RETRY_EXHAUSTED;
    if (client->quota_capacity == 0) return RETRY_AGAIN;
    if (quota->tokens < client->throttling_retry_cost) return RETRY_NO_QUOTA;
    quota->tokens -= client->throttling_retry_cost;
    *held = client->throttling_retry_cost;
    return RETRY_AGAIN;
}

int64_t retry_delay_ns(const struct ddbsim_client *client, uint32_t attempts, uint64_t draw) {
    CHECK(attempts >= 1);
    struct backoff_state state = {0};
    return backoff_ns(&client->backoff, ERROR_THROTTLE, attempts - 1, draw, &state);
}

void retry_succeeded(const struct ddbsim_client *client, struct retry_quota *quota, int64_t held,
                     bool retried) {
    if (client->quota_capacity == 0) return;
    quota->tokens += retried ? held : client->no_retry_increment;
    if (quota->tokens > client->quota_capacity) quota->tokens = client->quota_capacity;
    CHECK_DEBUG(quota->tokens >= 0);
}

bool retry_sends_again(const struct ddbsim_batch_unprocessed *unprocessed, uint32_t rounds) {
    bool resends = unprocessed->strategy == DDBSIM_UNPROCESSED_IMMEDIATE ||
                   unprocessed->strategy == DDBSIM_UNPROCESSED_EXPONENTIAL;
    return resends && rounds < unprocessed->max_retries;
}

int64_t retry_unprocessed_delay_ns(const struct ddbsim_batch_unprocessed *unprocessed,
                                   uint32_t rounds) {
    if (unprocessed->strategy != DDBSIM_UNPROCESSED_EXPONENTIAL) return 0;
    return backoff_bound_ns(unprocessed->base_ns, 2 * DDBSIM_SHARE_ONE, rounds,
                            unprocessed->cap_ns);
}
