/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a table or an index may consume: capacity where it is provisioned, maxima and an earlier peak
 * where requests are paid for (AWS guide, "Capacity modes", "Warm throughput").
 *
 * Invariant: a capacity is at least 1 where it counts and 0 where it does not; of an index that is not there it is
 * what was said.
 */
#include <loader/read.h>

#include <stdio.h>

static enum ddbsim_status refuse(struct reader *r, const struct yaml_node *node, const char *key,
                                 const char *what, const char *hint) {
    const struct yaml_node *child = yaml_child(node, key);
    if (!child) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail_key(r->error, child, "%s", what);
    error_hint(r->error, "%s", hint);
    return status;
}

/* The account's quota bounds a capacity too. */
static enum ddbsim_status check_quota(struct reader *r, const struct yaml_node *node,
                                      const char *key, int64_t value, int64_t quota,
                                      const char *assumption) {
    if (value <= quota) return DDBSIM_OK;
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)quota);
    enum ddbsim_status status = yaml_fail(r->error, yaml_child(node, key),
                                          "%lld lies outside 1..%s", (long long)value, text);
    error_hint(r->error, "AWS's default quota is 40,000 units a table or index; model.%s raises it",
               assumption);
    return status;
}

static enum ddbsim_status read_rate(struct reader *r, enum grammar_section section,
                                    const struct yaml_node *node, const char *key, int64_t quota,
                                    const char *assumption, int64_t *out) {
    *out = read_int(r, section, node, key, 0);
    if (*out) return check_quota(r, node, key, *out, quota, assumption);
    enum ddbsim_status status = yaml_fail(r->error, node, "the key \"%s\" is missing", key);
    error_hint(r->error, "where capacity is PROVISIONED it has to be said");
    return status;
}

static struct ddbsim_throughput read_pair(struct reader *r, enum grammar_section section,
                                          const struct yaml_node *node, const char *of,
                                          const char *read, const char *write) {
    const struct yaml_node *pair = yaml_child(node, of);
    return (struct ddbsim_throughput){.read = read_int(r, section, pair, read, 0),
                                      .write = read_int(r, section, pair, write, 0)};
}

static enum ddbsim_status read_on_demand(struct reader *r, const struct yaml_node *node,
                                         struct read_capacity *out) {
    static const char *const keys[] = {"read_capacity", "write_capacity"};
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++)
        status = refuse(r, node, keys[i], "requests of a PAY_PER_REQUEST table buy no capacity",
                        "remove it, or write billing_mode: PROVISIONED");
    out->maximum = read_pair(r, SECTION_MAXIMUM, node, "on_demand_throughput",
                             "max_read_request_units", "max_write_request_units");
    out->previous_peak = read_pair(r, SECTION_PEAK, node, "previous_peak", "read", "write");
    return status;
}

static enum ddbsim_status read_provisioned(struct reader *r, enum grammar_section section,
                                           const struct yaml_node *node,
                                           const struct ddbsim_assumptions *model,
                                           struct read_capacity *out) {
    static const char *const keys[] = {"on_demand_throughput", "previous_peak"};
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++)
        status = refuse(r, node, keys[i], "this belongs to billing_mode: PAY_PER_REQUEST",
                        "of a PROVISIONED table warm_throughput says what it can serve");
    if (!status)
        status = read_rate(r, section, node, "read_capacity", model->quota_read, "quota_read",
                           &out->read);
    if (!status)
        status = read_rate(r, section, node, "write_capacity", model->quota_write, "quota_write",
                           &out->write);
    out->says_read = read_is_said(r, node, "read_capacity");
    out->says_write = read_is_said(r, node, "write_capacity");
    return status;
}

/* What is said of an index for when it comes; whether it suits the table's mode is seen then. */
static void read_absent(struct reader *r, const struct yaml_node *node, struct read_capacity *out) {
    out->read = read_int(r, SECTION_INDEX, node, "read_capacity", 0);
    out->write = read_int(r, SECTION_INDEX, node, "write_capacity", 0);
    out->says_read = read_is_said(r, node, "read_capacity");
    out->says_write = read_is_said(r, node, "write_capacity");
}

enum ddbsim_status read_capacity(struct reader *r, enum grammar_section section,
                                 const struct yaml_node *node, enum ddbsim_billing billing,
                                 const struct ddbsim_assumptions *model,
                                 struct read_capacity *out) {
    *out = (struct read_capacity){0};
    out->warm = read_pair(r, SECTION_WARM, node, "warm_throughput", "read_units_per_second",
                          "write_units_per_second");
    if (node->absent) {
        read_absent(r, node, out);
        return DDBSIM_OK;
    }
    return billing == DDBSIM_PAY_PER_REQUEST ? read_on_demand(r, node, out)
                                             : read_provisioned(r, section, node, model, out);
}
