/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What callers put around their SDK: a limit of their own, a circuit breaker, a second layer of retries. */
#include <loader/read.h>
#include <loader/client.h>

#define USUAL_PART 0.01 /* of a rate limit: how low throttles push it, and its rise in a second */

struct field {
    enum grammar_section section;
    const char *key;
    int64_t value;
};

static enum ddbsim_status fill(struct reader *r, struct yaml_node *mapping,
                               const struct field *fields, size_t count) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < count && !status; i++)
        status = read_fill(r, fields[i].section, mapping, fields[i].key, fields[i].value);
    return status;
}

static enum ddbsim_status read_control(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_rate_limit *out) {
    out->adapts = true;
    out->minimum_per_s =
        read_real(r, SECTION_RATE_CONTROL, node, "minimum", USUAL_PART * out->per_s);
    out->increase_per_s =
        read_real(r, SECTION_RATE_CONTROL, node, "increase", USUAL_PART * out->per_s);
    out->decrease = read_int(r, SECTION_RATE_CONTROL, node, "decrease", 0);
    out->every_ns = read_int(r, SECTION_RATE_CONTROL, node, "every", 0);
    if (out->minimum_per_s >= CLIENT_RATE_MIN && out->minimum_per_s <= out->per_s) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(node, "minimum"),
                     "the minimum is at least 0.000001/s and at most rate_limit");
}

static enum ddbsim_status read_limit(struct reader *r, const struct yaml_node *client,
                                     struct ddbsim_rate_limit *out) {
    const struct yaml_node *limit = yaml_child(client, "rate_limit"),
                           *control = yaml_child(client, "rate_control");
    *out = (struct ddbsim_rate_limit){0};
    if (!limit && control) {
        enum ddbsim_status status =
            yaml_fail_key(r->error, control, "rate_control needs a rate_limit");
        error_hint(r->error, "add `rate_limit`, the most that a process allows itself");
        return status;
    }
    if (!limit) return DDBSIM_OK;
    out->per_s = read_real(r, SECTION_CLIENT, client, "rate_limit", 0);
    if (out->per_s < CLIENT_RATE_MIN)
        return yaml_fail(r->error, limit, "a limit of less than one attempt in eleven days");
    return control ? read_control(r, control, out) : DDBSIM_OK;
}

static enum ddbsim_status read_breaker(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_breaker *out) {
    *out = (struct ddbsim_breaker){0};
    if (!node) return DDBSIM_OK;
#define GET(key, otherwise) read_int(r, SECTION_BREAKER, node, key, otherwise)
    out->enabled = true;
    out->guards = (enum ddbsim_breaker_guards)GET("guards", 0);
    bool retries = out->guards == DDBSIM_GUARDS_RETRIES;
    out->counts = (enum ddbsim_breaker_counts)GET(
        "counts", retries ? DDBSIM_COUNTS_FAILURES_PER_CALL : DDBSIM_COUNTS_CALLS);
    out->failures = GET("failures", 0);
    out->window_ns = GET("window", 0);
    out->minimum = (uint32_t)GET("minimum", retries ? 1 : 20);
    out->open_ns = GET("open_for", retries ? 0 : 30 * DDBSIM_S);
    out->trials = (uint32_t)GET("trials", 0);
#undef GET
    if (out->open_ns == 0 && !retries)
        return yaml_fail(r->error, read_at(node, "open_for"),
                         "a breaker that guards calls must stay open: nothing that passes would "
                         "ever close it");
    const struct field fields[] = {
        {SECTION_BREAKER, "counts", out->counts},
        {SECTION_BREAKER, "minimum", out->minimum},
        {SECTION_BREAKER, "open_for", out->open_ns},
    };
    return fill(r, node, fields, sizeof fields / sizeof *fields);
}

static enum ddbsim_status read_wrapper(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_wrapper *out) {
    *out = (struct ddbsim_wrapper){.max_attempts = 1};
    out->backoff.growth = DDBSIM_SHARE_ONE;
    if (!node) return DDBSIM_OK;
    out->max_attempts = (uint32_t)read_int(r, SECTION_WRAPPER, node, "max_attempts", 1);
    out->backoff.growth = read_int(r, SECTION_WRAPPER, node, "growth", 0);
    out->backoff.base_ns = read_int(r, SECTION_WRAPPER, node, "base", 0);
    out->backoff.max_backoff_ns = read_int(r, SECTION_WRAPPER, node, "max_backoff", 0);
    out->backoff.jitter = (enum ddbsim_jitter)read_int(r, SECTION_WRAPPER, node, "jitter", 0);
    out->backoff.throttling_base_ns = out->backoff.base_ns;
    out->backoff.throttling_jitter = out->backoff.jitter;
    return DDBSIM_OK;
}

enum ddbsim_status read_layers(struct reader *r, struct yaml_node *workload,
                               struct ddbsim_client *out) {
    struct yaml_node *client = yaml_child(workload, "client");
    enum ddbsim_status status = read_limit(r, client, &out->rate_limit);
    if (!status) status = read_breaker(r, yaml_child(client, "circuit_breaker"), &out->breaker);
    return status ? status : read_wrapper(r, yaml_child(client, "wrapper"), &out->wrapper);
}
