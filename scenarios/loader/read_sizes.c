/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes of items that differ (M-127): a lognormal law, choices, or a file, each as a list of sizes with what share of
 * all goes up to each. A lognormal law becomes so many sizes that are alike, the quantiles in the middle of equal
 * parts, made by base/dmath; what lies beyond 1 B and 400 KB has these.
 *
 * Invariants: sizes lie within AWS's limits; the last share is one; the mean is that of the list, to a byte.
 */
#include <loader/read.h>

#include <base/dmath.h>
#include <base/types.h>
#include <loader/input.h>
#include <string.h>
#include <workloads/replay/weights.h>

#define QUANTILES 4096u
#define SIZES_MAX (UINT32_C(1) << 16) /* rows of a file */
#define SIGMA_MAX 5

static enum ddbsim_status init(struct reader *r, uint32_t count, struct ddbsim_sizes *out,
                               uint32_t **bytes, int64_t **until) {
    *bytes = arena_alloc(r->arena, count, sizeof **bytes);
    *until = arena_alloc(r->arena, count, sizeof **until);
    *out = (struct ddbsim_sizes){.bytes = *bytes, .until = *until, .count = count};
    return *bytes && *until ? DDBSIM_OK : error_memory(r->error);
}

static uint32_t within_limits(double bytes) {
    if (bytes < 1) return 1;
    return bytes < DDBSIM_ITEM_BYTES_MAX ? (uint32_t)(bytes + 0.5) : DDBSIM_ITEM_BYTES_MAX;
}

static enum ddbsim_status read_lognormal(struct reader *r, const struct yaml_node *node,
                                         struct ddbsim_sizes *out) {
    uint32_t *bytes = arena_alloc(r->arena, QUANTILES, sizeof *bytes);
    double median = (double)read_int(r, SECTION_LOGNORMAL, node, "median", 0);
    double sigma = read_real(r, SECTION_LOGNORMAL, node, "sigma", 0);
    if (sigma > SIGMA_MAX)
        return yaml_fail(r->error, read_at(node, "sigma"), "sigma lies outside 0..%d", SIGMA_MAX);
    if (!bytes) return error_memory(r->error);
    for (uint32_t i = 0; i < QUANTILES; i++) {
        double z = dmath_normal_quantile(((double)i + 0.5) / QUANTILES);
        bytes[i] = within_limits(median * dmath_exp(sigma * z));
    }
    *out = (struct ddbsim_sizes){.bytes = bytes, .count = QUANTILES};
    return DDBSIM_OK;
}

/* A size within AWS's limits; where it is none, why. */
static bool take_size(const char *text, uint32_t *bytes, struct literal_problem *problem) {
    const struct grammar_key *key = grammar_find(SECTION_ENTITY, "size");
    int64_t value;
    if (!literal_size(text, &value, problem) || !grammar_in_range(key, value, problem))
        return false;
    *bytes = (uint32_t)value;
    return true;
}

static enum ddbsim_status fail_problem(struct reader *r, const struct yaml_node *node,
                                       const struct literal_problem *problem) {
    enum ddbsim_status status = yaml_fail(r->error, node, "%s", problem->message);
    if (*problem->hint) error_hint(r->error, "%s", problem->hint);
    return status;
}

static enum ddbsim_status read_choices(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_sizes *out) {
    uint32_t *bytes, i = 0;
    int64_t *until, sum = 0, share;
    struct literal_problem problem = {0};
    if (node->count == 0) return yaml_fail(r->error, node, "there are no choices");
    enum ddbsim_status status = init(r, node->count, out, &bytes, &until);
    if (status) return status;
    for (const struct yaml_node *one = node->first; one; one = one->next, i++) {
        if (!take_size(one->key, &bytes[i], &problem) ||
            !literal_share(one->text, &share, &problem))
            return fail_problem(r, one, &problem);
        if (share <= 0 || share > DDBSIM_SHARE_ONE - sum)
            return yaml_fail(r->error, one, "the shares do not sum to 100%%, each above 0%%");
        until[i] = sum += share;
    }
    return sum == DDBSIM_SHARE_ONE ? DDBSIM_OK
                                   : yaml_fail(r->error, node, "the shares sum to less than 100%%");
}

/* Rows SIZE or SIZE,WEIGHT: whole bytes, or a size with its unit. */
static enum ddbsim_status take_rows(struct reader *r, const struct yaml_node *node,
                                    const struct weights *weights, struct ddbsim_sizes *out) {
    uint32_t *bytes;
    int64_t *until, sum = 0;
    enum ddbsim_status status = init(r, weights->count, out, &bytes, &until);
    if (status) return status;
    weights_share(weights->weights, weights->count, until);
    for (uint32_t i = 0; i < weights->count; i++) {
        const char *word = weights->words[i];
        struct literal_problem problem = {0};
        bool plain = word[strspn(word, "0123456789")] == '\0';
        const char *text = plain ? arena_printf(r->arena, "%.20s B", word) : word;
        if (!text) return error_memory(r->error);
        if (!take_size(text, &bytes[i], &problem))
            return yaml_fail(r->error, node, "its row \"%.40s\": %.200s", word, problem.message);
        until[i] = sum += until[i];
    }
    return DDBSIM_OK;
}

static enum ddbsim_status read_file(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_sizes *out) {
    struct weights weights;
    const char *path = input_beside(r->arena, node->file, node->text);
    if (!path) return error_memory(r->error);
    enum ddbsim_status status = weights_read(path, r->arena, &weights, r->error);
    if (status && r->error && r->error->line == 0) {
        error_place(r->error, node->file, node->line, node->column);
        error_path(r->error, node->path);
    }
    if (status) return status;
    if (weights.is_report || weights.count > SIZES_MAX)
        return yaml_fail(r->error, node,
                         weights.is_report ? "a report of Contributor Insights has no sizes"
                                           : "the file has more than 65536 sizes");
    return take_rows(r, node, &weights, out);
}

static int64_t mean_of(const struct ddbsim_sizes *sizes) {
    double sum = 0;
    int64_t before = 0;
    for (uint32_t i = 0; i < sizes->count; i++) {
        int64_t until = sizes->until ? sizes->until[i] : 0;
        double share = sizes->until ? (double)(until - before) / (double)DDBSIM_SHARE_ONE
                                    : 1 / (double)sizes->count;
        sum += share * sizes->bytes[i];
        before = until;
    }
    return sum < 1 ? 1 : (int64_t)(sum + 0.5);
}

enum ddbsim_status read_sizes(struct reader *r, const struct yaml_node *mapping,
                              struct ddbsim_sizes *out, int64_t *mean) {
    const struct yaml_node *node = yaml_child(mapping, "size"), *found = NULL;
    enum ddbsim_status status = DDBSIM_OK;
    if (!node || node->kind != YAML_MAPPING) return DDBSIM_OK;
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        if (found)
            return yaml_fail_key(r->error, child, "%s and %s exclude each other", found->key,
                                 child->key);
        found = child;
    }
    if (!found) {
        status = yaml_fail(r->error, node, "nothing says which sizes");
        error_hint(r->error, "lognormal, choices or file");
        return status;
    }
    if (!strcmp(found->key, "lognormal"))
        status = read_lognormal(r, found, out);
    else if (!strcmp(found->key, "choices"))
        status = read_choices(r, found, out);
    else
        status = read_file(r, found, out);
    if (!status) *mean = mean_of(out);
    return status;
}
