/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Retry policy. Sources: the two generations of AWS's standard mode as botocore, @smithy/core, aws-sdk-go-v2 and
 * smithy-rs have them; their common specifications step by step are in tests/data/retry.
 */
#include <client/retry.h>

#include <base/check.h>

static bool is_retried(const struct ddbsim_retry_on *on, enum error_class error) {
    if (error == ERROR_THROTTLE) return on->throttling;
    return (error == ERROR_TRANSIENT || error == ERROR_TIMEOUT) && on->transient;
}

enum retry_decision retry_decide(const struct ddbsim_client *client, struct retry_quota *quota,
                                 enum error_class error, uint32_t attempts, int64_t *held) {
    CHECK(attempts >= 1 && error != ERROR_NONE);
    if (!is_retried(&client->retry_on, error)) return RETRY_FINAL;
    if (attempts >= client->max_attempts) return RETRY_EXHAUSTED;
    return quota_take(&client->quota, quota, error, held) ? RETRY_AGAIN : RETRY_NO_QUOTA;
}

int64_t retry_wait_ns(const struct ddbsim_client *client, enum error_class error, uint32_t attempts,
                      uint64_t draw, int64_t hint_ns, struct backoff_state *state) {
    CHECK(attempts >= 1);
    int64_t wait_ns = backoff_ns(&client->backoff, error, attempts - 1, draw, state);
    if (hint_ns < 0 || client->retry_after == DDBSIM_RETRY_AFTER_IGNORED) return wait_ns;
    if (client->retry_after == DDBSIM_RETRY_AFTER_OBEYED)
        return smaller(hint_ns, client->backoff.max_backoff_ns);
    CHECK(client->retry_after_max_extra_ns >= 0 && wait_ns >= 0);
    return larger(wait_ns, smaller(hint_ns, wait_ns + client->retry_after_max_extra_ns));
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
