/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Value sets, and key templates where they stand in YAML (template.h reads their texts).
 *
 * Invariant: the shares of a list sum to one exactly.
 */
#include <loader/read.h>

#include <base/types.h>
#include <workloads/values.h>
#include <string.h>

#define THETA_DEFAULT INT64_C(990000000) /* these three are YCSB's */
#define HOT_KEYS_DEFAULT (DDBSIM_SHARE_ONE / 5)
#define HOT_TRAFFIC_DEFAULT (4 * (DDBSIM_SHARE_ONE / 5))

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

/* The shares of the first values; what they leave is the others'. */
static enum ddbsim_status read_top(struct reader *r, const struct yaml_node *node,
                                   struct ddbsim_values *out) {
    const struct yaml_node *list = yaml_child(node, "shares");
    if (!list || !list->count) {
        enum ddbsim_status status =
            yaml_fail(r->error, list ? list : node, "top needs the shares of the first values");
        error_hint(r->error, "such as shares: [80%%, 5%%]");
        return status;
    }
    int64_t *shares = arena_alloc(r->arena, list->count, sizeof *shares), sum = 0;
    if (!shares) return error_memory(r->error);
    uint32_t i = 0;
    for (const struct yaml_node *share = list->first; share; share = share->next, i++) {
        enum ddbsim_status status = read_share(r, share, &shares[i]);
        if (status) return status;
        sum += shares[i];
    }
    out->shares = shares;
    out->share_count = list->count;
    if (sum > DDBSIM_SHARE_ONE)
        return yaml_fail(r->error, list, "the shares sum to more than 100%%");
    if (list->count > out->count)
        return yaml_fail(r->error, list, "there are more shares than values");
    if (list->count == out->count && sum < DDBSIM_SHARE_ONE)
        return yaml_fail(r->error, list, "the shares sum to less than 100%%, and no value is left");
    return DDBSIM_OK;
}

static enum ddbsim_status read_hotspot(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_values *out) {
    out->hot_keys = read_int(r, SECTION_VALUES, node, "keys", HOT_KEYS_DEFAULT);
    out->hot_traffic = read_int(r, SECTION_VALUES, node, "traffic", HOT_TRAFFIC_DEFAULT);
    out->moves_ns = read_int(r, SECTION_VALUES, node, "moves", 0);
    enum ddbsim_status status = read_fill(r, SECTION_VALUES, node, "keys", out->hot_keys);
    return status ? status : read_fill(r, SECTION_VALUES, node, "traffic", out->hot_traffic);
}

static enum ddbsim_status read_zipfian(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_values *out) {
    double theta = read_real(r, SECTION_VALUES, node, "theta", (double)THETA_DEFAULT / 1e9);
    if (theta > DDBSIM_THETA_MAX)
        return yaml_fail(r->error, read_at(node, "theta"), "theta lies outside 0..5");
    out->theta = (int64_t)(theta * 1e9 + 0.5);
    out->scrambled = read_int(r, SECTION_VALUES, node, "scrambled", false);
    enum ddbsim_status status = read_fill_text(r, node, "theta", "0.99");
    if (status || out->distribution == DDBSIM_LATEST) return status;
    return read_fill(r, SECTION_VALUES, node, "scrambled", out->scrambled);
}

static enum ddbsim_status read_keyspace(struct reader *r, struct yaml_node *node,
                                        struct ddbsim_values *out) {
    int64_t usual = (int64_t)out->count + 1;
    out->keyspace = (uint64_t)read_int(r, SECTION_VALUES, node, "keyspace", usual);
    if (out->keyspace >= out->count)
        return read_fill(r, SECTION_VALUES, node, "keyspace", (int64_t)out->keyspace);
    return yaml_fail(r->error, read_at(node, "keyspace"),
                     "the key space is smaller than the count");
}

/* What a distribution has beside its count. */
static enum ddbsim_status read_distribution(struct reader *r, struct yaml_node *node,
                                            struct ddbsim_values *out) {
    switch (out->distribution) {
    case DDBSIM_ZIPFIAN:
    case DDBSIM_LATEST:
        return read_zipfian(r, node, out);
    case DDBSIM_TOP:
        return read_top(r, node, out);
    case DDBSIM_HOTSPOT:
        return read_hotspot(r, node, out);
    case DDBSIM_YCSB_ZIPFIAN:
        return read_keyspace(r, node, out);
    case DDBSIM_UNIFORM:
    case DDBSIM_SEQUENTIAL:
    case DDBSIM_EXPONENTIAL:
    case DDBSIM_SINGLE:
    case DDBSIM_LIST:
        break;
    }
    return DDBSIM_OK;
}

/* Keys that go with some distributions only. */
static enum ddbsim_status check_keys_of(struct reader *r, const struct yaml_node *node, bool list,
                                        enum ddbsim_distribution distribution) {
    bool is[DDBSIM_LIST + 1] = {false};
    is[list ? DDBSIM_LIST : distribution] = true;
    const struct {
        const char *key, *with;
        bool allowed;
    } keys[] = {
        {"count", "a distribution, not a list", !list},
        {"distribution", "a count, not a list", !list},
        {"theta", "zipfian and latest", is[DDBSIM_ZIPFIAN] || is[DDBSIM_LATEST]},
        {"scrambled", "zipfian", is[DDBSIM_ZIPFIAN]},
        {"keyspace", "ycsb_zipfian", is[DDBSIM_YCSB_ZIPFIAN]},
        {"shares", "top", is[DDBSIM_TOP]},
        {"keys", "hotspot", is[DDBSIM_HOTSPOT]},
        {"traffic", "hotspot", is[DDBSIM_HOTSPOT]},
        {"moves", "hotspot", is[DDBSIM_HOTSPOT]},
    };
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++)
        status = only_with(r, node, keys[i].allowed, keys[i].key, keys[i].with);
    return status;
}

static enum ddbsim_status read_order(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_values *out) {
    out->sorted = (uint64_t)read_int(r, SECTION_VALUES, node, "sorted", 0);
    if (!out->sorted) return DDBSIM_OK;
    if (out->moves_ns)
        return yaml_fail(r->error, read_at(node, "sorted"), "sorted and moves exclude each other");
    if (out->distribution == DDBSIM_YCSB_ZIPFIAN)
        return yaml_fail(r->error, read_at(node, "sorted"),
                         "sorted and ycsb_zipfian exclude each other");
    if (out->scrambled && out->count > VALUES_COLUMNS)
        return yaml_fail(r->error, read_at(node, "sorted"),
                         "sorted and scrambled go together up to 1048576 values");
    return DDBSIM_OK;
}

/* Values that time or inserts make: what else may be said of them. */
static enum ddbsim_status check_moving(struct reader *r, const struct yaml_node *node,
                                       const struct ddbsim_values *v) {
    static const char *const never[] = {"list", "sorted", "scrambled"};
    const char *what = v->is_new ? "new" : "clock";
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        if (yaml_child(node, never[i]))
            return yaml_fail_key(r->error, yaml_child(node, never[i]),
                                 "%s and %s exclude each other", never[i], what);
    if (v->clock && (v->is_new || yaml_child(node, "distribution")))
        return yaml_fail(r->error, yaml_child(node, "clock"),
                         "with clock the value is the current period, whatever is drawn");
    bool fits = v->distribution == DDBSIM_UNIFORM || v->distribution == DDBSIM_ZIPFIAN ||
                v->distribution == DDBSIM_LATEST || v->distribution == DDBSIM_YCSB_ZIPFIAN;
    if (fits) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail(r->error, yaml_child(node, "distribution"),
                                          "this distribution needs all values from the start");
    error_hint(r->error, "new goes with uniform, zipfian, latest and ycsb_zipfian");
    return status;
}

/* `clock`, and `new` with `start` and `count`. */
static enum ddbsim_status read_moving(struct reader *r, struct yaml_node *node,
                                      struct ddbsim_values *out) {
    struct grammar_value clock;
    if (read_value(r, SECTION_VALUES, node, "clock", &clock))
        out->clock = (enum ddbsim_clock)(clock.integer + DDBSIM_CLOCK_DAY);
    out->is_new = read_int(r, SECTION_VALUES, node, "new", false);
    enum ddbsim_status status = only_with(r, node, out->is_new, "start", "new: true");
    if (status || (!out->clock && !out->is_new)) return status;
    status = check_moving(r, node, out);
    out->start = (uint64_t)read_int(r, SECTION_VALUES, node, "start", 0);
    int64_t all = out->clock ? 1 : (int64_t)out->start;
    out->count = (uint64_t)read_int(r, SECTION_VALUES, node, "count", all);
    if (!status && out->is_new && out->count > out->start)
        status = yaml_fail(r->error, read_at(node, "count"),
                           "there cannot be more values at start than come before it");
    if (!status && out->is_new)
        status = read_fill(r, SECTION_VALUES, node, "start", (int64_t)out->start);
    if (status || out->count == 0) return status;
    return read_fill(r, SECTION_VALUES, node, "count", (int64_t)out->count);
}

static enum ddbsim_status read_set(struct reader *r, struct yaml_node *node,
                                   struct ddbsim_values *out) {
    const struct yaml_node *list = yaml_child(node, "list");
    out->distribution =
        (enum ddbsim_distribution)read_int(r, SECTION_VALUES, node, "distribution", DDBSIM_UNIFORM);
    enum ddbsim_status status = check_keys_of(r, node, list, out->distribution);
    if (!status) status = read_moving(r, node, out);
    if (status) return status;
    if (out->clock) return DDBSIM_OK;
    if (out->is_new) {
        status = read_fill(r, SECTION_VALUES, node, "distribution", out->distribution);
        return status ? status : read_distribution(r, node, out);
    }
    if (list) {
        status = read_list(r, list, out);
        return status ? status : read_order(r, node, out);
    }
    if (!yaml_child(node, "count") && out->distribution != DDBSIM_SINGLE)
        return yaml_fail(r->error, node, "the key \"count\" is missing");
    out->count = (uint64_t)read_int(r, SECTION_VALUES, node, "count", 1);
    status = read_fill(r, SECTION_VALUES, node, "distribution", out->distribution);
    if (!status) status = read_fill(r, SECTION_VALUES, node, "count", (int64_t)out->count);
    if (!status) status = read_distribution(r, node, out);
    return status ? status : read_order(r, node, out);
}

enum ddbsim_status read_override(struct reader *r, struct yaml_node *node,
                                 const struct ddbsim_values *base, struct ddbsim_values *out) {
    static const char *const fixed[] = {"count", "list", "sorted", "clock", "new", "start"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (yaml_child(node, fixed[i]))
            return yaml_fail_key(
                r->error, yaml_child(node, fixed[i]),
                "an operation has the values of the set, only as often as it likes");
    if (base->is_new || base->clock || !yaml_child(node, "distribution"))
        return yaml_fail(r->error, node,
                         yaml_child(node, "distribution")
                             ? "what time or inserts make has no other distribution"
                             : "the key \"distribution\" is missing");
    *out = (struct ddbsim_values){.name = base->name, .count = base->count};
    out->distribution =
        (enum ddbsim_distribution)read_int(r, SECTION_VALUES, node, "distribution", 0);
    enum ddbsim_status status = check_keys_of(r, node, false, out->distribution);
    return status ? status : read_distribution(r, node, out);
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
