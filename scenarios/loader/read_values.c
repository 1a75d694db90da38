/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Value sets and key templates. A template is text with {names} in it; a name is a value set, or
 * one of the reserved {time}, {uuid}, {n}.
 *
 * Invariants: the shares of a list sum to one exactly; a template has at least one part; its parts
 * in order spell its text.
 */
#include <loader/read.h>

#include <base/types.h>
#include <string.h>

#define THETA_MAX 5
#define THETA_DEFAULT INT64_C(990000000) /* YCSB's */

/* ---- value sets
 * ---------------------------------------------------------------------------------*/

static const char *const reserved[] = {"time", "uuid", "n", "shard"};

static enum ddbsim_status check_name(struct reader *r, const struct yaml_node *node) {
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(reserved[i], node->key))
            return yaml_fail_key(r->error, node, "{%s} has a meaning of its own", node->key);
    if (!*node->key || strpbrk(node->key, "{}\n\t"))
        return yaml_fail_key(r->error, node, "a value set needs a name without braces");
    return DDBSIM_OK;
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
    return yaml_fail(r->error, list, "the shares sum to %s, not to 100%%", text);
}

static enum ddbsim_status read_zipfian(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_values *out) {
    double theta = read_real(r, SECTION_VALUES, node, "theta", (double)THETA_DEFAULT / 1e9);
    if (theta > THETA_MAX)
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

/* ---- templates
 * ----------------------------------------------------------------------------------*/

static enum ddbsim_status fail_name(struct reader *r, const struct yaml_node *node,
                                    const char *name) {
    struct suggest suggest;
    suggest_start(&suggest, name);
    for (uint32_t i = 0; i < r->scenario->value_count; i++)
        suggest_offer(&suggest, r->scenario->values[i].name);
    suggest_offer(&suggest, "time");
    suggest_offer(&suggest, "uuid");
    enum ddbsim_status status =
        yaml_fail(r->error, node, "the template names {%.60s}, which `values` lacks", name);
    suggest_hint(&suggest, r->error, "beside value sets there are {time}, {uuid} and {n}");
    return status;
}

static enum ddbsim_status name_part(struct reader *r, const struct yaml_node *node,
                                    const char *name, bool partition_key,
                                    struct ddbsim_template_part *out) {
    if (!strcmp(name, "shard")) return yaml_fail(r->error, node, "{shard} is not supported yet");
    if (!strcmp(name, "n") && partition_key)
        return yaml_fail(r->error, node,
                         "{n} counts inside one partition key and cannot be part of it");
    if (!strcmp(name, "time"))
        out->kind = DDBSIM_PART_TIME;
    else if (!strcmp(name, "uuid"))
        out->kind = DDBSIM_PART_UUID;
    else if (!strcmp(name, "n"))
        out->kind = DDBSIM_PART_N;
    else
        out->kind = DDBSIM_PART_VALUES;
    if (out->kind != DDBSIM_PART_VALUES) return DDBSIM_OK;
    for (out->values = 0; out->values < r->scenario->value_count; out->values++)
        if (!strcmp(r->scenario->values[out->values].name, name)) return DDBSIM_OK;
    return fail_name(r, node, name);
}

/* One part, the cursor behind it afterwards. */
static enum ddbsim_status next_part(struct reader *r, const struct yaml_node *node,
                                    const char **cursor, bool partition_key,
                                    struct ddbsim_template_part *out) {
    const char *at = *cursor;
    bool named = *at == '{';
    size_t length = strcspn(at + named, "{}");
    char end = at[named + length];
    if (named ? end != '}' || !length : end == '}')
        return yaml_fail(r->error, node, "the braces of the template \"%.100s\" do not match",
                         node->text);
    char *text = arena_copy(r->arena, at + named, length);
    if (!text) return error_memory(r->error);
    *cursor = at + length + (named ? 2 : 0);
    if (named) return name_part(r, node, text, partition_key, out);
    out->kind = DDBSIM_PART_TEXT;
    out->text = text;
    return DDBSIM_OK;
}

enum ddbsim_status read_template(struct reader *r, const struct yaml_node *node, bool partition_key,
                                 struct ddbsim_template *out) {
    uint32_t most = 1;
    for (const char *at = node->text; *at; at++)
        most += *at == '{' || *at == '}';
    struct ddbsim_template_part *parts = arena_alloc(r->arena, most, sizeof *parts);
    if (!parts) return error_memory(r->error);
    *out = (struct ddbsim_template){.text = node->text, .parts = parts};
    for (const char *at = node->text; *at;) {
        enum ddbsim_status status =
            next_part(r, node, &at, partition_key, &parts[out->part_count++]);
        if (status) return status;
    }
    return DDBSIM_OK;
}

bool template_has(const struct ddbsim_template *key, enum ddbsim_part_kind kind) {
    for (uint32_t i = 0; i < key->part_count; i++)
        if (key->parts[i].kind == kind) return true;
    return false;
}

static bool always_new(const struct ddbsim_template *key) {
    return template_has(key, DDBSIM_PART_TIME) || template_has(key, DDBSIM_PART_UUID) ||
           template_has(key, DDBSIM_PART_N);
}

bool template_makes_new(const struct ddbsim_entity *entity) {
    return always_new(&entity->partition_key) || always_new(&entity->sort_key);
}
