/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Retry quotas. Sources: botocore's retries/standard.py and quota.py; for the exceptions @smithy/util-retry 4.2
 * (a success fills the bucket, and beyond), aws-sdk-java-v2's BaseRetryStrategy (a throttle's retry is free, a
 * success returns one token at least), aws-sdk-go-v2's standard.go (a success returns one token more).
 *
 * Invariant: 0 <= tokens, and tokens <= capacity unless success_refill is max.
 */
#include <client/quota.h>

#include <base/check.h>

static int64_t cost_of(const struct ddbsim_retry_quota *spec, enum error_class error) {
    CHECK(error != ERROR_NONE && error != ERROR_FINAL);
    if (error == ERROR_THROTTLE) return spec->throttling_retry_cost;
    return error == ERROR_TIMEOUT ? spec->timeout_retry_cost : spec->retry_cost;
}

bool quota_take(const struct ddbsim_retry_quota *spec, struct retry_quota *quota,
                enum error_class error, int64_t *held) {
    if (!spec->enabled) return true;
    int64_t cost = cost_of(spec, error);
    CHECK(cost >= 0 && quota->tokens >= 0);
    if (quota->tokens < cost) return false;
    quota->tokens -= cost;
    *held = cost;
    return true;
}

static int64_t refund_of(const struct ddbsim_retry_quota *spec, int64_t held, bool retried) {
    CHECK(held >= 0 && spec->no_retry_increment >= 0);
    if (!retried) return spec->no_retry_increment;
    if (spec->refund == DDBSIM_REFUND_COST_AND_INCREMENT) return held + spec->no_retry_increment;
    if (spec->refund == DDBSIM_REFUND_AT_LEAST_INCREMENT)
        return larger(held, spec->no_retry_increment);
    return held;
}

void quota_return(const struct ddbsim_retry_quota *spec, struct retry_quota *quota, int64_t held,
                  bool retried) {
    if (!spec->enabled) return;
    int64_t tokens = quota->tokens + refund_of(spec, held, retried);
    bool fills = spec->success_refill == DDBSIM_REFILL_MAX;
    quota->tokens = fills ? larger(tokens, spec->capacity) : smaller(tokens, spec->capacity);
    CHECK_DEBUG(quota->tokens >= 0);
}
