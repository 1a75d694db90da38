/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DynamoDB's error codes as SDKs read them. Sources: botocore's retries/standard.py and data/_retry.json, the
 * service-error-classification of @smithy/core, aws-sdk-go-v2's aws/retry/standard.go; what real clients did
 * with each code is in tests/data/retry.
 */
#include <client/errors.h>

#include <base/check.h>
#include <stddef.h>
#include <string.h>

/* The member of struct ddbsim_retry_on that decides about a code, and what the code is where it is retried. */
struct code {
    const char *name;
    size_t decided_by;
    enum error_class error;
};
#define THROTTLE(name, member) \
    { name, offsetof(struct ddbsim_retry_on, member), ERROR_THROTTLE }
#define TRANSIENT(name, member) \
    { name, offsetof(struct ddbsim_retry_on, member), ERROR_TRANSIENT }

static const struct code codes[] = {
    THROTTLE("ProvisionedThroughputExceededException", throttling),
    THROTTLE("ThrottlingException", throttling),
    THROTTLE("Throttling", throttling),
    THROTTLE("ThrottledException", throttling),
    THROTTLE("RequestThrottledException", throttling),
    THROTTLE("RequestThrottled", throttling),
    THROTTLE("TransactionInProgressException", throttling),
    THROTTLE("TooManyRequestsException", throttling),
    THROTTLE("BandwidthLimitExceeded", throttling),
    THROTTLE("SlowDown", throttling),
    THROTTLE("PriorRequestNotComplete", throttling),
    THROTTLE("EC2ThrottledException", throttling),
    THROTTLE("RequestLimitExceeded", request_limit_exceeded),
    THROTTLE("LimitExceededException", limit_exceeded),
    TRANSIENT("RequestTimeout", request_timeout),
    TRANSIENT("RequestTimeoutException", request_timeout),
    TRANSIENT("ReplicatedWriteConflictException", replicated_write_conflict),
    TRANSIENT("TransactionConflictException", transaction_conflict),
};

static bool decides(const struct ddbsim_retry_on *on, size_t member) {
    CHECK(member < sizeof *on);
    return *(const bool *)((const char *)on + member);
}

static enum error_class of_status(const struct ddbsim_retry_on *on, int status) {
    if (status == 429) return on->http_429 ? ERROR_THROTTLE : ERROR_FINAL;
    bool transient = status == 500 || status == 502 || status == 503 || status == 504;
    if (status == 509) return on->http_509 ? ERROR_TRANSIENT : ERROR_FINAL;
    return transient && on->transient ? ERROR_TRANSIENT : ERROR_FINAL;
}

enum error_class error_of_answer(const struct ddbsim_retry_on *on, int http_status,
                                 const char *code) {
    CHECK(http_status >= 100 && http_status < 600);
    if (http_status < 300) return ERROR_NONE;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (!strcmp(codes[i].name, code) && decides(on, codes[i].decided_by)) return codes[i].error;
    return of_status(on, http_status);
}

enum error_class error_of_silence(const struct ddbsim_client *client, bool timed_out) {
    bool costs = timed_out || client->quota.timeout_cost_applies_to == DDBSIM_COST_OF_NO_RESPONSE;
    return costs ? ERROR_TIMEOUT : ERROR_TRANSIENT;
}
