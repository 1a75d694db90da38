/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Value sets, and key templates where they stand in YAML (template.h reads their texts).
 *
 * Invariant: the shares of a list sum to one exactly.
 */
#include <loader/read.h>

#include <base/types.h>
#include <string.h>

#define THETA_DEFAULT INT64_C(990000000) /* YCSB's */

/* ---- value sets ---- */

static enum ddbsim_status check_name(struct reader *r, const struct yaml_node *node) {
    enum ddbsim_status status = template_check_name(node->key, r->error);
    if (status == DDBSIM_OK) return status;
    error_place(r->error, node->file, node->key_line, node->key_column);
    error_path(r->error, node->path);
    return status;
}

static enum ddbsim_status only_with(struct reader *r, const struct yaml_node *node, bool allowed,
                                    const char *key, const char *with) {
    if (allowed || !yaml_child(node, key)) return DDBSIM_OK;
    return yaml_fail_key(r->error, yaml_child(node, key), "%s goes only with %s", key, with);
}

static enum ddbsim_status read_share(struct reader *r, const struct yaml_node *node, int64_t *out) {
    struct literal_problem problem = {0};
    if (!literal_share(node->text, out, &problem)) {
        enum ddbsim_status status = yaml_fail(r->error, node, "%s", problem.message);
        error_hint(r->error, "%s", problem.hint);
        return status;
    }
    if (*out > 0 && *out <= DDBSIM_SHARE_ONE) return DDBSIM_OK;
    return yaml_fail(r->error, node, "a word's share lies above 0%% and at most at 100%%");
}

static enum ddbsim_status read_list(struct reader *r, const struct yaml_node *list,
                                    struct ddbsim_values *out) {
    if (!list->count) return yaml_fail(r->error, list, "the list is empty");
    const char **words = arena_alloc(r->arena, list->count, sizeof *words);
    int64_t *shares = arena_alloc(r->arena, list->count, sizeof *shares), sum = 0;
    if (!words || !shares) return error_memory(r->error);
    uint32_t i = 0;
    for (const struct yaml_node *word = list->first; word; word = word->next, i++) {
        enum ddbsim_status status = read_share(r, word, &shares[i]);
        if (status) return status;
        words[i] = word->key;
        sum += shares[i];
    }
    out->distribution = DDBSIM_LIST;
    out->count = list->count;
    out->words = words;
    out->shares = shares;
    if (sum == DDBSIM_SHARE_ONE) return DDBSIM_OK;
    char text[64];
    literal_put_share(sum, text, sizeof text);
    enum ddbsim_status status =
        yaml_fail(r->error, list, "the shares sum to %s, not to 100%%", text);
    bool more = sum > DDBSIM_SHARE_ONE;
    literal_put_share(more ? sum - DDBSIM_SHARE_ONE : DDBSIM_SHARE_ONE - sum, text, sizeof text);
    error_hint(r->error, more ? "take %s away" : "%s is missing", text);
    return status;
}

static enum ddbsim_status read_zipfian(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_values *out) {
    double theta = read_real(r, SECTION_VALUES, node, "theta", (double)THETA_DEFAULT / 1e9);
    if (theta > DDBSIM_THETA_MAX)
        return yaml_fail(r->error, read_at(node, "theta"), "theta lies outside 0..5");
    out->theta = (int64_t)(theta * 1e9 + 0.5);
    out->scrambled = read_int(r, SECTION_VALUES, node, "scrambled", false);
    enum ddbsim_status status = read_fill_text(r, node, "theta", "0.99");
    return status ? status : read_fill(r, SECTION_VALUES, node, "scrambled", out->scrambled);
}

static enum ddbsim_status read_set(struct reader *r, struct yaml_node *node,
                                   struct ddbsim_values *out) {
    const struct yaml_node *list = yaml_child(node, "list");
    enum ddbsim_status status = only_with(r, node, !list, "count", "a distribution, not a list");
    if (!status) status = only_with(r, node, !list, "distribution", "a count, not a list");
    out->distribution =
        (enum ddbsim_distribution)read_int(r, SECTION_VALUES, node, "distribution", DDBSIM_UNIFORM);
    bool zipfian = !list && out->distribution == DDBSIM_ZIPFIAN;
    if (!status) status = only_with(r, node, zipfian, "theta", "zipfian");
    if (!status) status = only_with(r, node, zipfian, "scrambled", "zipfian");
    if (status) return status;
    if (list) return read_list(r, list, out);
    if (!yaml_child(node, "count") && out->distribution != DDBSIM_SINGLE)
        return yaml_fail(r->error, node, "the key \"count\" is missing");
    out->count = (uint64_t)read_int(r, SECTION_VALUES, node, "count", 1);
    status = read_fill(r, SECTION_VALUES, node, "distribution", out->distribution);
    if (!status) status = read_fill(r, SECTION_VALUES, node, "count", (int64_t)out->count);
    return status || !zipfian ? status : read_zipfian(r, node, out);
}

enum ddbsim_status read_values(struct reader *r, const struct yaml_node *root) {
    uint32_t count = read_count(root, "values"), i = 0;
    if (!count) return DDBSIM_OK;
    struct ddbsim_values *values = arena_alloc(r->arena, count, sizeof *values);
    if (!values) return error_memory(r->error);
    for (struct yaml_node *node = yaml_child(root, "values")->first; node; node = node->next, i++) {
        values[i].name = node->key;
        enum ddbsim_status status = check_name(r, node);
        if (!status) status = read_set(r, node, &values[i]);
        if (status) return status;
    }
    r->scenario->values = values;
    r->scenario->value_count = count;
    return DDBSIM_OK;
}

/* ---- templates ---- */

enum ddbsim_status read_template(struct reader *r, const struct yaml_node *node, bool partition_key,
                                 struct ddbsim_template *out) {
    enum ddbsim_status status =
        template_parse(r->arena, r->scenario, node->text, partition_key, out, r->error);
    if (status != DDBSIM_INPUT) return status;
    error_place(r->error, node->file, node->line, node->column);
    error_path(r->error, node->path);
    return status;
}
