/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Retry presets as data. Numbers of the SDK presets were read in the SDKs' sources or observed by running
 * them; the generic ones are ours. Rule M-70.
 */
#include <ddbsim/presets.h>

#include <string.h>

#define MS DDBSIM_MS
#define TWICE (2 * DDBSIM_SHARE_ONE)

static const struct ddbsim_preset presets[] = {
    {
        .name = "none",
        .what = "one attempt, no retry",
        .source = "ours",
        .client =
            {.preset = "none", .processes = 1, .max_attempts = 1, .backoff = {.growth = TWICE}},
    },
    {
        .name = "boto3-standard",
        .what = "boto3 in standard mode, before 2026: 3 attempts, full jitter on 1 s, retry quota",
        .source = "botocore 1.43 retries/standard.py, read and run",
        .client =
            {
                .preset = "boto3-standard",
                .processes = 1,
                .max_attempts = 3,
                .backoff = {.jitter = DDBSIM_JITTER_FULL,
                            .throttling_jitter = DDBSIM_JITTER_FULL,
                            .base_ns = 1000 * MS,
                            .throttling_base_ns = 1000 * MS,
                            .growth = TWICE,
                            .max_backoff_ns = 20000 * MS},
                .quota_capacity = 500,
                .retry_cost = 5,
                .throttling_retry_cost = 5,
                .no_retry_increment = 1,
            },
    },
    {
        .name = "full-jitter",
        .what = "4 attempts, full jitter on 50 ms, no quota",
        .source = "ours; the shape is AWS's Exponential Backoff And Jitter",
        .client =
            {
                .preset = "full-jitter",
                .processes = 1,
                .max_attempts = 4,
                .backoff = {.jitter = DDBSIM_JITTER_FULL,
                            .throttling_jitter = DDBSIM_JITTER_FULL,
                            .base_ns = 50 * MS,
                            .throttling_base_ns = 50 * MS,
                            .growth = TWICE,
                            .max_backoff_ns = 20000 * MS},
            },
    },
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
