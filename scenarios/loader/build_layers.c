/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layers around the SDK, queues and Lambdas of scenarios made in code: in the ranges of the grammar. */
#include <loader/build.h>

#include <loader/grammar.h>
#include <loader/client.h>

static bool is_positive(double value) { return value > 0 && value <= 1e9; }

static enum ddbsim_status check_limit(const struct build *b,
                                      const struct ddbsim_rate_limit *limit) {
    const struct build_number numbers[] = {
        {SECTION_RATE_CONTROL, "decrease", limit->decrease},
        {SECTION_RATE_CONTROL, "every", limit->every_ns},
    };
    if (limit->per_s == 0 && !limit->adapts) return DDBSIM_OK;
    if (!is_positive(limit->per_s) || limit->per_s < CLIENT_RATE_MIN)
        return build_fail(b, "rate_limit", "the rate lies outside 0.000001..1e9/s");
    if (!limit->adapts) return DDBSIM_OK;
    struct build at = build_at(b, "rate_control", NULL);
    if (!(limit->minimum_per_s >= CLIENT_RATE_MIN && limit->minimum_per_s <= limit->per_s))
        return build_fail(&at, "minimum",
                          "the minimum is at least 0.000001/s and at most rate_limit");
    if (!(limit->increase_per_s >= 0 && limit->increase_per_s <= 1e9))
        return build_fail(&at, "increase", "the rate lies outside 0..1e9/s");
    return build_check_numbers(&at, numbers, sizeof numbers / sizeof *numbers);
}

static enum ddbsim_status check_breaker(const struct build *b,
                                        const struct ddbsim_breaker *breaker) {
    const struct build_number numbers[] = {
        {SECTION_BREAKER, "failures", breaker->failures},
        {SECTION_BREAKER, "window", breaker->window_ns == 0 ? DDBSIM_S : breaker->window_ns},
        {SECTION_BREAKER, "minimum", breaker->minimum},
        {SECTION_BREAKER, "open_for", breaker->open_ns},
        {SECTION_BREAKER, "trials", breaker->trials},
    };
    struct build at = build_at(b, "circuit_breaker", NULL);
    if (!breaker->enabled) return DDBSIM_OK;
    if (breaker->guards != DDBSIM_GUARDS_CALLS && breaker->guards != DDBSIM_GUARDS_RETRIES)
        return build_fail(&at, "guards", "there is no such thing to guard");
    if (breaker->counts > DDBSIM_COUNTS_FAILURES_PER_CALL)
        return build_fail(&at, "counts", "there is no such thing to count");
    if (breaker->open_ns == 0 && breaker->guards == DDBSIM_GUARDS_CALLS)
        return build_fail(&at, "open_for", "nothing that passes would ever close it");
    return build_check_numbers(&at, numbers, sizeof numbers / sizeof *numbers);
}

static enum ddbsim_status check_wrapper(const struct build *b,
                                        const struct ddbsim_wrapper *wrapper) {
    const struct ddbsim_backoff *backoff = &wrapper->backoff;
    const struct build_number numbers[] = {
        {SECTION_WRAPPER, "max_attempts", wrapper->max_attempts},
        {SECTION_WRAPPER, "base", backoff->base_ns},
        {SECTION_WRAPPER, "base", backoff->throttling_base_ns},
        {SECTION_WRAPPER, "max_backoff", backoff->max_backoff_ns},
        {SECTION_WRAPPER, "growth", backoff->growth},
    };
    struct build at = build_at(b, "wrapper", NULL);
    if (wrapper->max_attempts <= 1) return DDBSIM_OK;
    if (backoff->jitter > DDBSIM_JITTER_DECORRELATED ||
        backoff->throttling_jitter > DDBSIM_JITTER_DECORRELATED)
        return build_fail(&at, "jitter", "there is no such jitter");
    return build_check_numbers(&at, numbers, sizeof numbers / sizeof *numbers);
}

enum ddbsim_status build_check_layers(const struct build *client,
                                      const struct ddbsim_client *layers) {
    enum ddbsim_status status = check_limit(client, &layers->rate_limit);
    if (!status) status = check_breaker(client, &layers->breaker);
    return status ? status : check_wrapper(client, &layers->wrapper);
}

static enum ddbsim_status check_queue(const struct build *b,
                                      const struct ddbsim_workload *workload) {
    const struct ddbsim_queue *queue = &workload->queue;
    const struct ddbsim_concurrency *c = &queue->concurrency;
    const struct build_number numbers[] = {
        {SECTION_QUEUE, "batch_size", queue->batch_size},
        {SECTION_QUEUE, "visibility_timeout", queue->visibility_timeout_ns},
        {SECTION_QUEUE, "max_receive_count",
         queue->max_receive_count == UINT32_MAX ? 1 : queue->max_receive_count},
    };
    const struct build_number environments[] = {
        {SECTION_CONCURRENCY, "minimum", c->minimum},
        {SECTION_CONCURRENCY, "maximum", c->maximum},
        {SECTION_CONCURRENCY, "per_minute", c->per_minute},
    };
    struct build at = build_at(b, "queue", NULL), below = build_at(&at, "concurrency", NULL);
    if (!queue->enabled) return DDBSIM_OK;
    if (workload->vus > 0 || workload->max_vus > 0 || workload->reads_stream)
        return build_fail(&at, NULL, "a queue gets its messages at a rate");
    enum ddbsim_status status = build_check_numbers(&at, numbers, 3);
    if (!status) status = build_check_numbers(&below, environments, 3);
    if (status) return status;
    if (c->minimum > c->maximum)
        return build_fail(&below, "maximum", "the maximum is below the minimum");
    if ((uint64_t)c->maximum * queue->batch_size > CLIENT_MESSAGES_MAX)
        return build_fail(&at, NULL, "all invocations together would hold more than %d messages",
                          CLIENT_MESSAGES_MAX);
    return DDBSIM_OK;
}

enum ddbsim_status build_check_lambda(const struct build *b,
                                      const struct ddbsim_workload *workload) {
    const struct ddbsim_stream_lambda *lambda = &workload->lambda;
    const struct build_number numbers[] = {
        {SECTION_WORKLOAD, "batch_size", lambda->batch_size},
        {SECTION_WORKLOAD, "parallelization_factor", lambda->parallelization_factor},
        {SECTION_WORKLOAD, "maximum_retry_attempts",
         lambda->maximum_retry_attempts == -1 ? 0 : lambda->maximum_retry_attempts},
        {SECTION_WORKLOAD, "maximum_record_age", lambda->maximum_record_age_ns},
    };
    if (lambda->enabled && !workload->reads_stream)
        return build_fail(b, "batch_size", "only a stream has a Lambda that reads it");
    enum ddbsim_status status = lambda->enabled ? build_check_numbers(b, numbers, 4) : DDBSIM_OK;
    return status ? status : check_queue(b, workload);
}
