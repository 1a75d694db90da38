/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Retry presets as data. Numbers of the SDK presets were read in the SDKs' sources at the revisions named, or
 * observed by running them against an endpoint that always fails (tests/data/retry); the generic ones are ours.
 * Rule M-70.
 */
#include <ddbsim/presets.h>

#include <string.h>

#define MS DDBSIM_MS
#define S DDBSIM_S
#define ONE DDBSIM_SHARE_ONE
#define NEVER DDBSIM_NO_TIMEOUT

/* ---- waits ---- */

#define BACKOFF(kind, base, throttling_base, cap, ...)                                       \
    {                                                                                        \
        .jitter = DDBSIM_JITTER_##kind, .throttling_jitter = DDBSIM_JITTER_##kind,           \
        .base_ns = (base)*MS, .throttling_base_ns = (throttling_base)*MS, .growth = 2 * ONE, \
        .max_backoff_ns = cap, __VA_ARGS__                                                   \
    }
#define CAP_20S (20 * S)

/* ---- quotas ---- */

#define QUOTA(cost, throttling_cost, timeout_cost, ...)                               \
    {                                                                                 \
        .enabled = true, .capacity = 500, .retry_cost = cost,                         \
        .throttling_retry_cost = throttling_cost, .timeout_retry_cost = timeout_cost, \
        .no_retry_increment = 1, __VA_ARGS__                                          \
    }
/* What a quota costs where a scenario asks for one that its preset has not. */
#define NO_QUOTA                                                               \
    {                                                                          \
        .retry_cost = 5, .throttling_retry_cost = 5, .timeout_retry_cost = 10, \
        .no_retry_increment = 1                                                \
    }
#define QUOTA_2_0 QUOTA(5, 5, 10, .refund = DDBSIM_REFUND_LAST_COST)
#define QUOTA_2_1 QUOTA(14, 5, 14, .refund = DDBSIM_REFUND_LAST_COST)
/* One success fills the bucket, and beyond. */
#define QUOTA_JS QUOTA(10, 5, 10, .success_refill = DDBSIM_REFILL_MAX)

/* ---- limiter ---- */

#define LIMITER(when)                                                                    \
    {                                                                                    \
        .beta = 7 * ONE / 10, .scale_constant = 4 * ONE / 10, .smoothing = 8 * ONE / 10, \
        .bucket_ns = 500 * MS, .min_fill_rate = ONE / 2, .min_capacity = ONE,            \
        .max_rate_factor = 2 * ONE, .starts = DDBSIM_STARTS_##when                       \
    }

/* ---- which errors ---- */

#define STANDARD_CODES                                                                             \
    .throttling = true, .transient = true, .request_limit_exceeded = true, .limit_exceeded = true, \
    .request_timeout = true
#define ON_STANDARD \
    { STANDARD_CODES }
#define ON_JS_V3 \
    { STANDARD_CODES, .http_429 = true, .replicated_write_conflict = true }
#define ON_BOTO3_LEGACY \
    { .throttling = true, .transient = true, .http_429 = true, .http_509 = true }
#define ON_JS_V2 \
    { .throttling = true, .transient = true, .request_limit_exceeded = true, .http_429 = true }

/* ---- what the second generation adds ---- */

#define HINT_IGNORED .retry_after_max_extra_ns = 5 * S
#define HINT_2_1 .retry_after = DDBSIM_RETRY_AFTER_CLAMPED, .retry_after_max_extra_ns = 5 * S
#define BACKOFF_2_1(...) BACKOFF(FULL, 25, 1000, CAP_20S, __VA_ARGS__)

#define TIMEOUTS(connect, attempt)                                                          \
    .connect_timeout_ns = connect, .attempt_timeout_ns = attempt, .call_timeout_ns = NEVER, \
    .function_timeout_ns = NEVER

#define CLIENT(preset_name, mode, attempts, ...)                      \
    .name = preset_name, .client = {.preset = preset_name,            \
                                    .processes = 1,                   \
                                    .retry_mode = DDBSIM_MODE_##mode, \
                                    .max_attempts = attempts,         \
                                    __VA_ARGS__}

/* A shape of ours without an SDK's numbers. */
#define GENERIC(preset_name, mode, attempts, ...)                                      \
    CLIENT(preset_name, mode, attempts, .backoff = __VA_ARGS__, .quota = NO_QUOTA,     \
           .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED, \
           TIMEOUTS(NEVER, NEVER))

#define SHAPES "ours; the shape is AWS's Exponential Backoff And Jitter"
#define BOTOCORE "botocore 1.43.67 @0e6e2404"
#define SMITHY_TS "smithy-typescript @6815d3e9"
#define JAVA_V2 "aws-sdk-java-v2 @25787b38"

static const struct ddbsim_preset presets[] = {
    /* ---- generic ---- */
    {GENERIC("none", NONE, 1, BACKOFF(NONE, 0, 0, 0, .first_exponent = 0)),
     .what = "one attempt, no retry", .source = "ours"},
    {GENERIC("fixed", CUSTOM, 4,
             {.base_ns = 100 * MS,
              .throttling_base_ns = 100 * MS,
              .growth = ONE,
              .max_backoff_ns = 100 * MS}),
     .what = "4 attempts, always 100 ms between them", .source = "ours"},
    {GENERIC("exponential", CUSTOM, 4, BACKOFF(NONE, 50, 50, CAP_20S, .first_exponent = 0)),
     .what = "4 attempts, 50 ms doubled, no jitter, no quota", .source = SHAPES},
    {GENERIC("full-jitter", CUSTOM, 4, BACKOFF(FULL, 50, 50, CAP_20S, .first_exponent = 0)),
     .what = "4 attempts, full jitter on 50 ms, no quota", .source = SHAPES},
    {GENERIC("equal-jitter", CUSTOM, 4, BACKOFF(EQUAL, 50, 50, CAP_20S, .first_exponent = 0)),
     .what = "4 attempts, equal jitter on 50 ms, no quota", .source = SHAPES},
    {GENERIC("decorrelated", CUSTOM, 4,
             BACKOFF(DECORRELATED, 50, 50, CAP_20S, .first_exponent = 0)),
     .what = "4 attempts, decorrelated jitter from 50 ms, no quota", .source = SHAPES},

    /* ---- boto3 ---- */
    {CLIENT("boto3-legacy", LEGACY, 10,
            .backoff = BACKOFF(NONE, 50, 50, DDBSIM_NO_CAP, .first_exponent = 0), .quota = NO_QUOTA,
            .limiter = LIMITER(AT_CREATION), .retry_on = ON_BOTO3_LEGACY, HINT_IGNORED,
            TIMEOUTS(60 * S, 60 * S)),
     .what = "boto3's default until 2026: 10 attempts, 50 ms doubled, no jitter, no quota",
     .source = BOTOCORE " data/_retry.json; 1.29.27 run"},
    {CLIENT("boto3-standard", STANDARD, 3,
            .backoff = BACKOFF(FULL, 1000, 1000, CAP_20S, .first_exponent = 0), .quota = QUOTA_2_0,
            .limiter = LIMITER(AT_CREATION), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(60 * S, 60 * S)),
     .what = "boto3 in standard mode, before 2026: 3 attempts, full jitter on 1 s, retry quota",
     .source = BOTOCORE " retries/standard.py; 1.29.27 run"},
    {CLIENT("boto3-adaptive", ADAPTIVE, 3,
            .backoff = BACKOFF(FULL, 1000, 1000, CAP_20S, .first_exponent = 0), .quota = QUOTA_2_0,
            .limiter = LIMITER(AT_CREATION), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(60 * S, 60 * S)),
     .what = "boto3 in adaptive mode, before 2026: the same and a rate limiter",
     .source = BOTOCORE " retries/adaptive.py; 1.29.27 run"},
    {CLIENT("boto3-standard-2026", STANDARD, 4, .backoff = BACKOFF_2_1(.first_exponent = 0),
            .quota = QUOTA_2_1, .limiter = LIMITER(AT_CREATION), .retry_on = ON_STANDARD, HINT_2_1,
            TIMEOUTS(60 * S, 60 * S)),
     .what = "boto3 in standard mode with AWS_NEW_RETRIES_2026: 4 attempts, 25 ms, 1 s throttled",
     .source = BOTOCORE " retries/standard.py, tests of v2.1"},

    /* ---- the second generation, whatever the language ---- */
    {CLIENT("sdk-standard-2026", STANDARD, 4, .backoff = BACKOFF_2_1(.first_exponent = 0),
            .quota = QUOTA_2_1, .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD,
            HINT_2_1, TIMEOUTS(NEVER, NEVER)),
     .what = "any SDK with AWS_NEW_RETRIES_2026: 4 attempts, 25 ms, 1 s throttled, costs 14 and 5",
     .source = "retry specification 2.1, as the tests of Go, JS, Rust and botocore have it"},
    {CLIENT("sdk-adaptive-2026", ADAPTIVE, 4, .backoff = BACKOFF_2_1(.first_exponent = 0),
            .quota = QUOTA_2_1, .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD,
            HINT_2_1, TIMEOUTS(NEVER, NEVER)),
     .what = "any SDK in adaptive mode with AWS_NEW_RETRIES_2026: the same and a rate limiter",
     .source = "retry specification 2.1, as the tests of Go, JS, Rust and botocore have it"},

    /* ---- JavaScript ---- */
    {CLIENT("js-v2", LEGACY, 11,
            .backoff = BACKOFF(FULL, 50, 50, DDBSIM_NO_CAP, .first_exponent = 0), .quota = NO_QUOTA,
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_JS_V2, HINT_IGNORED,
            TIMEOUTS(NEVER, 120 * S)),
     .what = "aws-sdk 2: 11 attempts, full jitter on 50 ms, no cap, no quota",
     .source = "aws-sdk 2.1693.0 run"},
    {CLIENT("js-v3-standard", STANDARD, 3,
            .backoff = BACKOFF(FULL, 100, 500, CAP_20S, .cap_after_jitter = true,
                               .round = DDBSIM_ROUND_FLOOR_MS),
            .quota = QUOTA_JS, .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_JS_V3,
            HINT_IGNORED, TIMEOUTS(NEVER, NEVER)),
     .what =
         "@aws-sdk 3 before 2026: 3 attempts, 100 ms, 500 ms throttled; a success fills the quota",
     .source = SMITHY_TS "; @smithy/util-retry 4.2.8 run"},
    {CLIENT("js-v3-standard-2026", STANDARD, 4,
            .backoff = BACKOFF_2_1(.round = DDBSIM_ROUND_FLOOR_MS), .quota = QUOTA_2_1,
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_JS_V3, HINT_2_1,
            TIMEOUTS(NEVER, NEVER)),
     .what = "@aws-sdk 3 since 2026: 4 attempts, 25 ms, 1 s throttled",
     .source = "@aws-sdk/client-dynamodb 3.1169.0 with @smithy/core 3.41.1 run"},
    {CLIENT("js-v3-adaptive", ADAPTIVE, 3,
            .backoff = BACKOFF(FULL, 100, 500, CAP_20S, .cap_after_jitter = true,
                               .round = DDBSIM_ROUND_FLOOR_MS),
            .quota = QUOTA_JS, .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_JS_V3,
            HINT_IGNORED, TIMEOUTS(NEVER, NEVER)),
     .what = "@aws-sdk 3 before 2026 in adaptive mode: js-v3-standard and a rate limiter",
     .source = SMITHY_TS "; @smithy/util-retry 4.2.8 run"},

    /* ---- Java ---- */
    {CLIENT("java-v1", LEGACY, 11,
            .backoff = {.jitter = DDBSIM_JITTER_FULL,
                        .throttling_jitter = DDBSIM_JITTER_EQUAL,
                        .base_ns = 25 * MS,
                        .throttling_base_ns = 500 * MS,
                        .growth = 2 * ONE,
                        .max_backoff_ns = CAP_20S},
            .quota = QUOTA(5, 0, 5, .refund = DDBSIM_REFUND_LAST_COST),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(10 * S, 50 * S)),
     .what = "AWS SDK for Java 1: 11 attempts, 25 ms full, 500 ms equal jitter when throttled",
     .source = "aws-sdk-java PredefinedBackoffStrategies",
     .unverified = "the quota, and that a throttle's retry is free"},
    {CLIENT("java-v2", LEGACY, 9,
            .backoff = BACKOFF(FULL, 25, 25, CAP_20S, .round = DDBSIM_ROUND_INT_MS),
            .quota = QUOTA(5, 0, 5, .refund = DDBSIM_REFUND_AT_LEAST_INCREMENT),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(2 * S, 30 * S)),
     .what =
         "AWS SDK for Java 2's default until 2026: 9 attempts on 25 ms; throttles cost no quota",
     .source = JAVA_V2 " DefaultRetryStrategy, BaseRetryStrategy, DynamoDbRetryPolicy",
     .unverified = "the base after a throttle: issue 6987 says 25 ms, the newer code 500 ms"},
    {CLIENT("java-v2-standard", STANDARD, 9,
            .backoff = BACKOFF(FULL, 25, 1000, CAP_20S, .round = DDBSIM_ROUND_INT_MS),
            .quota = QUOTA(5, 5, 5, .refund = DDBSIM_REFUND_LAST_COST),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(2 * S, 30 * S)),
     .what = "AWS SDK for Java 2 in standard mode: 9 attempts, 25 ms, 1 s throttled",
     .source = JAVA_V2 " DefaultRetryStrategy"},
    {CLIENT("java-v2-2026", STANDARD, 4, .backoff = BACKOFF_2_1(.round = DDBSIM_ROUND_INT_MS),
            .quota = QUOTA_2_1, .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD,
            HINT_2_1, TIMEOUTS(2 * S, 30 * S)),
     .what = "AWS SDK for Java 2 with AWS_NEW_RETRIES_2026: 4 attempts, 25 ms, 1 s throttled",
     .source = "aws-sdk-java-v2 @e486a158, tests of v2.1"},

    /* ---- Go ---- */
    {CLIENT("go-v2", STANDARD, 3,
            .backoff = BACKOFF(FULL, 2000, 2000, CAP_20S, .no_jitter_at_cap = true),
            .quota = QUOTA(5, 5, 10, .refund = DDBSIM_REFUND_COST_AND_INCREMENT),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(30 * S, NEVER)),
     .what = "AWS SDK for Go 2 before 2026: 3 attempts, full jitter on 2 s, no jitter at the cap",
     .source = "aws-sdk-go-v2 aws/retry @843b02ad, middleware @1032a4d8, standard.go @1489ddb2",
     .unverified = "that the newest middleware still counts attempts from 1: a base of 2 s"},
    {CLIENT("go-v2-2026", STANDARD, 4, .backoff = BACKOFF_2_1(.first_exponent = 0),
            .quota = QUOTA_2_1, .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD,
            HINT_2_1, TIMEOUTS(30 * S, NEVER)),
     .what = "AWS SDK for Go 2 with AWS_NEW_RETRIES_2026: 4 attempts, 25 ms, 1 s throttled",
     .source = "aws-sdk-go-v2 aws/retry/retry2026_test.go @058d9848"},

    /* ---- .NET, Rust ---- */
    {CLIENT("dotnet", STANDARD, 10,
            .backoff = BACKOFF(FULL, 1000, 1000, CAP_20S, .cap_after_jitter = true,
                               .round = DDBSIM_ROUND_NEAREST_MS),
            .quota = QUOTA(5, 5, 10, .scope = DDBSIM_SCOPE_PROCESS),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(100 * S, 300 * S)),
     .what = "AWS SDK for .NET 4: 10 attempts, full jitter on 1 s, cap after jitter, quota of the "
             "process",
     .source = "aws-sdk-net StandardRetryPolicy @59c8df1e; attempts as announced in 2026"},
    {CLIENT("dotnet-legacy", LEGACY, 11,
            .backoff = BACKOFF(NONE, 50, 50, 30 * S, .first_exponent = 0),
            .quota = QUOTA(5, 5, 5, .scope = DDBSIM_SCOPE_PROCESS),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD, HINT_IGNORED,
            TIMEOUTS(NEVER, NEVER)),
     .what = "AWS SDK for .NET 2 and 3: 11 attempts, 50 ms doubled, no jitter, cap 30 s",
     .source = "aws-sdk-net DynamoDBRetryPolicy",
     .unverified = "10 retries; and its quota depends on ThrottleRetries"},
    {CLIENT("rust", STANDARD, 3, .backoff = BACKOFF(FULL, 1000, 1000, CAP_20S, .first_exponent = 0),
            .quota = QUOTA(5, 5, 10, .scope = DDBSIM_SCOPE_PROCESS,
                           .timeout_cost_applies_to = DDBSIM_COST_OF_NO_RESPONSE),
            .limiter = LIMITER(AT_FIRST_ANSWER), .retry_on = ON_STANDARD,
            .retry_after = DDBSIM_RETRY_AFTER_OBEYED, TIMEOUTS(3100 * MS, NEVER)),
     .what = "AWS SDK for Rust before 2026: 3 attempts, full jitter on 1 s, quota of the process",
     .source = "smithy-rs @56ee88c5 strategy/standard.rs, token_bucket.rs"},
};

const struct ddbsim_preset *ddbsim_preset(int number) {
    const int count = (int)(sizeof presets / sizeof presets[0]);
    return number >= 0 && number < count ? &presets[number] : NULL;
}

const struct ddbsim_preset *ddbsim_preset_find(const char *name) {
    for (int i = 0; ddbsim_preset(i); i++)
        if (strcmp(presets[i].name, name) == 0) return &presets[i];
    return NULL;
}
