/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader of literals on any text. What is read and written canonically reads back the same. */
#include "fuzz.h"

#include <base/types.h>
#include <loader/cron.h>
#include <loader/literal.h>

#define CANONICAL 80

static void durations(const char *text) {
    struct literal_problem problem;
    char again[CANONICAL];
    int64_t ns, same;
    if (!literal_duration(text, &ns, &problem)) return;
    FUZZ_PROMISE(ns >= 0 && ns <= LITERAL_DURATION_MAX_NS);
    literal_put_duration(ns, again, sizeof again);
    FUZZ_PROMISE(literal_duration(again, &same, &problem) && same == ns);
}

static void sizes(const char *text) {
    struct literal_problem problem;
    char again[CANONICAL];
    int64_t bytes, same;
    if (!literal_size(text, &bytes, &problem)) return;
    FUZZ_PROMISE(bytes >= 0 && bytes <= LITERAL_SIZE_MAX_BYTES);
    literal_put_size(bytes, again, sizeof again);
    FUZZ_PROMISE(literal_size(again, &same, &problem) && same == bytes);
}

static void shares(const char *text) {
    struct literal_problem problem;
    char again[CANONICAL];
    int64_t share, same;
    if (!literal_share(text, &share, &problem)) return;
    FUZZ_PROMISE(share >= 0);
    literal_put_share(share, again, sizeof again);
    FUZZ_PROMISE(literal_share(again, &same, &problem) && same == share);
}

static void numbers(const char *text) {
    struct literal_problem problem;
    char again[CANONICAL];
    double value, same;
    uint64_t count;
    if (literal_rate(text, &value, &problem)) {
        FUZZ_PROMISE(value >= 0 && value <= LITERAL_RATE_MAX_PER_S);
        literal_put_decimal(text, again, sizeof again);
        FUZZ_PROMISE(literal_rate(again, &same, &problem) && same == value);
    }
    if (literal_decimal(text, &value, &problem)) {
        FUZZ_PROMISE(value >= 0 && value - value == 0);
        literal_put_decimal(text, again, sizeof again);
        FUZZ_PROMISE(literal_decimal(again, &same, &problem) && same == value);
    }
    (void)literal_count(text, &count, &problem);
}

static void times(const char *text) {
    struct literal_problem problem;
    const struct literal_clock clock = {.start_unix_s = 1790330400, .utc_offset_s = 7200};
    struct literal_clock read;
    int64_t ns;
    if (literal_moment(text, &clock, &ns, &problem))
        FUZZ_PROMISE(ns > -2 * LITERAL_DURATION_MAX_NS && ns < 2 * LITERAL_DURATION_MAX_NS);
    if (literal_instant(text, &read, &problem))
        FUZZ_PROMISE(read.utc_offset_s > -86400 && read.utc_offset_s < 86400);
}

static void ranges(const char *text) {
    struct literal_problem problem;
    char low[CANONICAL], high[CANONICAL];
    if (!literal_range(text, low, high, sizeof low, &problem)) return;
    FUZZ_PROMISE(strlen(low) < sizeof low && strlen(high) < sizeof high);
}

#define FIRINGS 64

/* Two days, two hours east of UTC: what fires does so inside them, in order, and counts to the same. */
static void schedules(const char *text) {
    const struct cron_run run = {
        .start_unix_s = 1790330400, .duration_ns = 172800 * NS_PER_S, .utc_offset_s = 7200};
    struct literal_problem problem = {0};
    struct cron cron;
    int64_t at_ns[FIRINGS];
    if (!cron_parse(text, &cron, &problem)) {
        FUZZ_PROMISE(*problem.message && *problem.hint);
        return;
    }
    uint32_t count = cron_fire(&cron, &run, at_ns, FIRINGS);
    FUZZ_PROMISE(count <= FIRINGS + 1 && cron_fire(&cron, &run, NULL, FIRINGS) == count);
    for (uint32_t i = 0; i < count && i < FIRINGS; i++) {
        FUZZ_PROMISE(at_ns[i] >= 0 && at_ns[i] < run.duration_ns);
        FUZZ_PROMISE(i == 0 || at_ns[i] > at_ns[i - 1]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = fuzz_text(data, size);
    durations(text);
    sizes(text);
    shares(text);
    numbers(text);
    times(text);
    ranges(text);
    schedules(text);
    free(text);
    return 0;
}
