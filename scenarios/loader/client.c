/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table itself (client.h). Keys, ranges and help stand in the grammar. */
#include <loader/client.h>

#include <base/check.h>
#include <stdint.h>
#include <string.h>

#define FIELD(section_name, key_text, member)                  \
    {                                                          \
        .section = SECTION_##section_name, .key = key_text,    \
        .offset = offsetof(struct ddbsim_client, member),      \
        .size = sizeof(((struct ddbsim_client *)NULL)->member) \
    }

static const struct client_field fields[] = {
    FIELD(CLIENT, "processes", processes),
    FIELD(CLIENT, "retry_mode", retry_mode),
    FIELD(CLIENT, "max_attempts", max_attempts),
    FIELD(BACKOFF, "jitter", backoff.jitter),
    FIELD(BACKOFF, "throttling_jitter", backoff.throttling_jitter),
    FIELD(BACKOFF, "base", backoff.base_ns),
    FIELD(BACKOFF, "throttling_base", backoff.throttling_base_ns),
    FIELD(BACKOFF, "growth", backoff.growth),
    FIELD(BACKOFF, "first_exponent", backoff.first_exponent),
    FIELD(BACKOFF, "max_backoff", backoff.max_backoff_ns),
    FIELD(BACKOFF, "cap_after_jitter", backoff.cap_after_jitter),
    FIELD(BACKOFF, "no_jitter_at_cap", backoff.no_jitter_at_cap),
    FIELD(BACKOFF, "round", backoff.round),
    FIELD(RETRY_QUOTA, "enabled", quota.enabled),
    FIELD(RETRY_QUOTA, "capacity", quota.capacity),
    FIELD(RETRY_QUOTA, "retry_cost", quota.retry_cost),
    FIELD(RETRY_QUOTA, "timeout_retry_cost", quota.timeout_retry_cost),
    FIELD(RETRY_QUOTA, "throttling_retry_cost", quota.throttling_retry_cost),
    FIELD(RETRY_QUOTA, "timeout_cost_applies_to", quota.timeout_cost_applies_to),
    FIELD(RETRY_QUOTA, "no_retry_increment", quota.no_retry_increment),
    FIELD(RETRY_QUOTA, "refund", quota.refund),
    FIELD(RETRY_QUOTA, "success_refill", quota.success_refill),
    FIELD(RETRY_QUOTA, "scope", quota.scope),
    FIELD(RETRY_QUOTA, "wait_when_empty", quota.wait_when_empty),
    FIELD(RATE_LIMITER, "beta", limiter.beta),
    FIELD(RATE_LIMITER, "scale_constant", limiter.scale_constant),
    FIELD(RATE_LIMITER, "smoothing", limiter.smoothing),
    FIELD(RATE_LIMITER, "bucket", limiter.bucket_ns),
    FIELD(RATE_LIMITER, "min_fill_rate", limiter.min_fill_rate),
    FIELD(RATE_LIMITER, "min_capacity", limiter.min_capacity),
    FIELD(RATE_LIMITER, "max_rate_factor", limiter.max_rate_factor),
    FIELD(RATE_LIMITER, "starts", limiter.starts),
    FIELD(CLIENT, "retry_after", retry_after),
    FIELD(CLIENT, "retry_after_max_extra", retry_after_max_extra_ns),
    FIELD(CLIENT, "connect_timeout", connect_timeout_ns),
    FIELD(CLIENT, "attempt_timeout", attempt_timeout_ns),
    FIELD(CLIENT, "call_timeout", call_timeout_ns),
    FIELD(CLIENT, "function_timeout", function_timeout_ns),
    FIELD(RETRY_ON, "throttling", retry_on.throttling),
    FIELD(RETRY_ON, "transient", retry_on.transient),
    FIELD(RETRY_ON, "request_limit_exceeded", retry_on.request_limit_exceeded),
    FIELD(RETRY_ON, "limit_exceeded", retry_on.limit_exceeded),
    FIELD(RETRY_ON, "request_timeout", retry_on.request_timeout),
    FIELD(RETRY_ON, "http_429", retry_on.http_429),
    FIELD(RETRY_ON, "http_509", retry_on.http_509),
    FIELD(RETRY_ON, "replicated_write_conflict", retry_on.replicated_write_conflict),
    FIELD(RETRY_ON, "transaction_conflict", retry_on.transaction_conflict),
};

const struct client_field *client_field(size_t number) {
    return number < sizeof fields / sizeof *fields ? &fields[number] : NULL;
}

int64_t client_get(const struct ddbsim_client *client, const struct client_field *field) {
    const char *at = (const char *)client + field->offset;
    int64_t whole;
    uint32_t half;
    if (field->size == sizeof(bool)) return *(const bool *)at;
    if (field->size == sizeof half) {
        memcpy(&half, at, sizeof half);
        return half;
    }
    CHECK(field->size == sizeof whole);
    memcpy(&whole, at, sizeof whole);
    return whole;
}

void client_set(struct ddbsim_client *client, const struct client_field *field, int64_t value) {
    char *at = (char *)client + field->offset;
    uint32_t half = (uint32_t)value;
    if (field->size == sizeof(bool))
        *(bool *)at = value != 0;
    else if (field->size == sizeof half)
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &value, sizeof value);
}

bool client_uses(const struct ddbsim_client *client, const struct client_field *field) {
    bool retries = client->max_attempts > 1;
    if (field->section == SECTION_RATE_LIMITER) return client->retry_mode == DDBSIM_MODE_ADAPTIVE;
    if (field->section == SECTION_RETRY_QUOTA)
        return !strcmp(field->key, "enabled") || client->quota.enabled;
    if (field->section == SECTION_BACKOFF || field->section == SECTION_RETRY_ON) return retries;
    if (!strcmp(field->key, "retry_after_max_extra"))
        return client->retry_after == DDBSIM_RETRY_AFTER_CLAMPED;
    return retries || strcmp(field->key, "retry_after") != 0;
}
