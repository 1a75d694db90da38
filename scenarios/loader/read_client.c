/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a workload's callers retry: a preset and what overrides it, and their own loop around batches. */
#include <loader/read.h>

#include <ddbsim/presets.h>
#include <base/check.h>
#include <loader/client.h>
#include <loader/usual.h>
#include <string.h>

/* The mappings below a client, by the section whose keys they have. */
static struct yaml_node *mapping_of(struct reader *r, struct yaml_node *client,
                                    enum grammar_section section, bool make) {
    const char *key = section == SECTION_BACKOFF        ? "backoff"
                      : section == SECTION_RETRY_QUOTA  ? "retry_quota"
                      : section == SECTION_RATE_LIMITER ? "rate_limiter"
                      : section == SECTION_RETRY_ON     ? "retry_on"
                                                        : NULL;
    if (!key) return client;
    return make ? read_section(r, client, key) : yaml_child(client, key);
}

static bool is_written(struct reader *r, struct yaml_node *client, enum grammar_section section,
                       const char *key) {
    return yaml_child(mapping_of(r, client, section, false), key);
}

/* What is not written follows from what is. */
static void fill_in(struct reader *r, struct yaml_node *client, struct ddbsim_client *c) {
    bool one_kind = is_written(r, client, SECTION_BACKOFF, "jitter") &&
                    !is_written(r, client, SECTION_BACKOFF, "throttling_jitter");
    if (one_kind) c->backoff.throttling_jitter = c->backoff.jitter;
    bool waits = is_written(r, client, SECTION_BACKOFF, "base");
    if (waits && c->backoff.throttling_base_ns == 0 &&
        !is_written(r, client, SECTION_BACKOFF, "throttling_base"))
        c->backoff.throttling_base_ns = c->backoff.base_ns;
    waits |= is_written(r, client, SECTION_BACKOFF, "throttling_base");
    if (waits && c->backoff.max_backoff_ns == 0 &&
        !is_written(r, client, SECTION_BACKOFF, "max_backoff"))
        c->backoff.max_backoff_ns = DDBSIM_NO_CAP;
    if (!is_written(r, client, SECTION_RETRY_QUOTA, "enabled"))
        c->quota.enabled = c->quota.capacity > 0;
    bool mode = is_written(r, client, SECTION_CLIENT, "retry_mode");
    if (!mode && c->retry_mode == DDBSIM_MODE_NONE && c->max_attempts > 1)
        c->retry_mode = DDBSIM_MODE_CUSTOM;
    bool attempts = is_written(r, client, SECTION_CLIENT, "max_attempts");
    if (!attempts && c->retry_mode == DDBSIM_MODE_NONE) c->max_attempts = 1;
}

/* Who tries once has nothing to wait for, and nothing to try again. */
static enum ddbsim_status check_once(struct reader *r, struct yaml_node *client,
                                     const struct ddbsim_client *c) {
    static const char *const idle[] = {"backoff", "retry_on"};
    for (size_t i = 0; i < sizeof idle / sizeof *idle && c->max_attempts <= 1; i++) {
        const struct yaml_node *written = yaml_child(client, idle[i]);
        if (!written || !written->count) continue;
        enum ddbsim_status status =
            yaml_fail_key(r->error, written, "a client that makes one attempt has no %s", idle[i]);
        error_hint(r->error, "add max_attempts, or a preset that tries again");
        return status;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status check(struct reader *r, struct yaml_node *client,
                                const struct ddbsim_client *c) {
    const struct yaml_node *limiter = yaml_child(client, "rate_limiter");
    if (limiter && c->retry_mode != DDBSIM_MODE_ADAPTIVE) {
        enum ddbsim_status status =
            yaml_fail_key(r->error, limiter, "only adaptive mode has a rate limiter");
        error_hint(r->error, "add `retry_mode: adaptive`");
        return status;
    }
    if (c->retry_mode == DDBSIM_MODE_NONE && c->max_attempts > 1)
        return yaml_fail(r->error, read_at(client, "max_attempts"),
                         "retry_mode none means one attempt");
    return check_once(r, client, c);
}

static enum ddbsim_status read_retries(struct reader *r, struct yaml_node *client,
                                       struct ddbsim_client *out) {
    const struct ddbsim_preset *preset =
        ddbsim_preset((int)read_int(r, SECTION_CLIENT, client, "preset", 0));
    CHECK(preset != NULL);
    *out = preset->client;
    out->preset = preset->name;
    const struct client_field *field;
    for (size_t i = 0; (field = client_field(i)); i++)
        client_set(out, field,
                   read_int(r, field->section, mapping_of(r, client, field->section, false),
                            field->key, client_get(out, field)));
    fill_in(r, client, out);
    enum ddbsim_status status = check(r, client, out);
    for (size_t i = 0; (field = client_field(i)) && !status; i++) {
        if (!client_uses(out, field)) continue;
        struct yaml_node *mapping = mapping_of(r, client, field->section, true);
        if (!mapping) return error_memory(r->error);
        status = read_fill(r, field->section, mapping, field->key, client_get(out, field));
    }
    return status;
}

/* What a caller's own loop does about members that come back; only where there are batches. */
static enum ddbsim_status read_unprocessed(struct reader *r, struct yaml_node *workload,
                                           struct ddbsim_workload *out) {
    bool batches = false;
    for (uint32_t i = 0; i < out->operation_count; i++)
        batches |= ddbsim_operation_is_batch((int)out->operations[i].kind);
    struct yaml_node *client = yaml_child(workload, "client");
    const struct yaml_node *written = yaml_child(client, "batch_unprocessed");
    if (written && !batches)
        return yaml_fail_key(r->error, written, "no operation of the workload is a batch");
    if (!batches) return DDBSIM_OK;
    struct yaml_node *node = read_section(r, client, "batch_unprocessed");
    if (!node) return error_memory(r->error);
    struct ddbsim_batch_unprocessed *u = &out->client.unprocessed;
    *u = usual_unprocessed((enum ddbsim_unprocessed)read_int(r, SECTION_UNPROCESSED, node,
                                                             "strategy", DDBSIM_UNPROCESSED_DROP));
    u->base_ns = read_int(r, SECTION_UNPROCESSED, node, "base", u->base_ns);
    u->cap_ns = read_int(r, SECTION_UNPROCESSED, node, "cap", u->cap_ns);
    u->max_retries =
        (uint32_t)read_int(r, SECTION_UNPROCESSED, node, "max_retries", u->max_retries);
    const struct {
        const char *key;
        int64_t value;
        bool used;
    } fields[] = {
        {"strategy", u->strategy, true},
        {"base", u->base_ns, u->strategy == DDBSIM_UNPROCESSED_EXPONENTIAL},
        {"cap", u->cap_ns, u->strategy == DDBSIM_UNPROCESSED_EXPONENTIAL},
        {"max_retries", u->max_retries, usual_resends(u->strategy)},
    };
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !status; i++) {
        const struct yaml_node *field = yaml_child(node, fields[i].key);
        if (field && !fields[i].used)
            return yaml_fail_key(r->error, field, "this strategy has no %s", fields[i].key);
        if (fields[i].used)
            status = read_fill(r, SECTION_UNPROCESSED, node, fields[i].key, fields[i].value);
    }
    return status;
}

enum ddbsim_status read_client(struct reader *r, struct yaml_node *workload,
                               struct ddbsim_workload *out) {
    struct yaml_node *client = read_section(r, workload, "client");
    if (!client) return error_memory(r->error);
    enum ddbsim_status status = read_retries(r, client, &out->client);
    return status ? status : read_unprocessed(r, workload, out);
}
