/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Value sets, and key templates where they stand in YAML (template.h reads their texts).
 *
 * Invariant: the shares of a list sum to one exactly.
 */
#include <loader/read.h>

#include <base/types.h>
#include <loader/input.h>
#include <workloads/replay/weights.h>
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

static enum ddbsim_status read_words(struct reader *r, const struct yaml_node *list,
                                     struct ddbsim_values *out, int64_t *out_sum) {
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
    *out_sum = sum;
    return DDBSIM_OK;
}

static enum ddbsim_status fail_sum(struct reader *r, const struct yaml_node *list, int64_t sum) {
    char text[64];
    literal_put_share(sum, text, sizeof text);
    enum ddbsim_status status =
        yaml_fail(r->error, list, "the shares sum to %s, not to 100%%", text);
    bool more = sum > DDBSIM_SHARE_ONE;
    literal_put_share(more ? sum - DDBSIM_SHARE_ONE : DDBSIM_SHARE_ONE - sum, text, sizeof text);
    error_hint(r->error, more ? "take %s away" : "%s is missing", text);
    return status;
}

static enum ddbsim_status read_theta(struct reader *r, struct yaml_node *node, double otherwise,
                                     struct ddbsim_values *out) {
    double theta = read_real(r, SECTION_VALUES, node, "theta", otherwise);
    if (theta > DDBSIM_THETA_MAX)
        return yaml_fail(r->error, read_at(node, "theta"), "theta lies outside 0..5");
    out->theta = (int64_t)(theta * 1e9 + 0.5);
    return DDBSIM_OK;
}

/* Words alone have all of it; with a count, values that are numbers have what they leave. */
static enum ddbsim_status read_list(struct reader *r, struct yaml_node *node,
                                    const struct yaml_node *list, struct ddbsim_values *out) {
    int64_t sum = 0;
    enum ddbsim_status status = read_words(r, list, out, &sum);
    if (status) return status;
    if (!yaml_child(node, "count"))
        return sum == DDBSIM_SHARE_ONE ? DDBSIM_OK : fail_sum(r, list, sum);
    out->distribution = DDBSIM_TOP;
    out->share_count = list->count;
    out->count = (uint64_t)read_int(r, SECTION_VALUES, node, "count", 1);
    if (out->count <= list->count)
        return yaml_fail(r->error, yaml_child(node, "count"),
                         "with a list, count is that of all values: more than its %u words",
                         list->count);
    if (sum >= DDBSIM_SHARE_ONE)
        return yaml_fail(r->error, list, "the words leave nothing to the other values");
    return read_theta(r, node, 0, out);
}

/* The shares of the first values; what they leave is the others'. */
static enum ddbsim_status read_top(struct reader *r, struct yaml_node *node,
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
    enum ddbsim_status status = read_theta(r, node, 0, out);
    if (status) return status;
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
    enum ddbsim_status status = read_theta(r, node, (double)THETA_DEFAULT / 1e9, out);
    if (status) return status;
    out->scrambled = read_int(r, SECTION_VALUES, node, "scrambled", false);
    status = read_fill_text(r, node, "theta", "0.99");
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
        {"distribution", "a count, not a list", !list},
        {"theta", "zipfian, latest, top, and a list with a count",
         is[DDBSIM_ZIPFIAN] || is[DDBSIM_LATEST] || is[DDBSIM_TOP] ||
             (list && yaml_child(node, "count"))},
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

/* ---- values from a file ---- */

struct read_files {
    const char *path;
    struct ddbsim_values values;
    struct read_files *next;
};

static enum ddbsim_status take_rows(struct reader *r, const struct weights *weights,
                                    struct ddbsim_values *out) {
    int64_t *shares = arena_alloc(r->arena, weights->count, sizeof *shares);
    if (!shares) return error_memory(r->error);
    weights_share(weights->weights, weights->count, shares);
    out->distribution = DDBSIM_LIST;
    out->count = weights->count;
    out->words = weights->words;
    out->shares = shares;
    return DDBSIM_OK;
}

/* A report names the first keys; the others are numbers. */
static enum ddbsim_status take_report(struct reader *r, const struct insights *report,
                                      struct ddbsim_values *out) {
    const char **words = arena_alloc(r->arena, report->top_count, sizeof *words);
    int64_t *shares = arena_alloc(r->arena, report->top_count, sizeof *shares);
    if (!words || !shares) return error_memory(r->error);
    for (uint32_t i = 0; i < report->top_count; i++) {
        words[i] = report->top[i].text;
        shares[i] = report->top[i].share;
    }
    out->distribution = DDBSIM_TOP;
    out->count = report->unique;
    out->words = words;
    out->shares = shares;
    out->share_count = report->top_count;
    out->theta = report->tail_theta;
    return DDBSIM_OK;
}

static enum ddbsim_status open_file(struct reader *r, const struct yaml_node *file,
                                    const char *path, struct ddbsim_values *out) {
    struct weights weights;
    struct read_files *kept = arena_alloc(r->arena, 1, sizeof *kept);
    if (!kept) return error_memory(r->error);
    enum ddbsim_status status = weights_read(path, r->arena, &weights, r->error);
    /* What is wrong with a row stands where the row is; that there is no file, where it is named. */
    if (status && r->error && r->error->line == 0) {
        error_place(r->error, file->file, file->line, file->column);
        error_path(r->error, file->path);
    }
    if (!status)
        status =
            weights.is_report ? take_report(r, &weights.report, out) : take_rows(r, &weights, out);
    if (status) return status;
    *kept = (struct read_files){path, *out, r->files};
    r->files = kept;
    return DDBSIM_OK;
}

static enum ddbsim_status read_file(struct reader *r, struct yaml_node *node,
                                    struct ddbsim_values *out) {
    const struct yaml_node *file = yaml_child(node, "file");
    for (const struct yaml_node *other = node->first; other; other = other->next)
        if (other != file && strcmp(other->key, "sorted") != 0)
            return yaml_fail_key(r->error, other, "%s and file exclude each other", other->key);
    const char *path = input_beside(r->arena, file->file, file->text), *name = out->name;
    if (!path) return error_memory(r->error);
    const struct read_files *kept = r->files;
    while (kept && strcmp(kept->path, path) != 0)
        kept = kept->next;
    enum ddbsim_status status = kept ? DDBSIM_OK : open_file(r, file, path, out);
    if (kept) *out = kept->values;
    out->name = name;
    return status ? status : read_order(r, node, out);
}

static enum ddbsim_status read_set(struct reader *r, struct yaml_node *node,
                                   struct ddbsim_values *out) {
    const struct yaml_node *list = yaml_child(node, "list");
    if (yaml_child(node, "file")) return read_file(r, node, out);
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
        status = read_list(r, node, list, out);
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
    static const char *const fixed[] = {"count", "list", "sorted", "clock", "new", "start", "file"};
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
