/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must come out. Two spellings make the same struct: a threshold is a text, METRIC{tags} OP
 * VALUE; an expectation is a mapping whose tags are the same and whose values are ranges. Bounds
 * have the metric's unit: shares are written in %, latencies as durations, all else as plain
 * numbers.
 *
 * Invariant: a condition that was read names only tables, indexes, workloads, calls and reasons
 * that exist, and its low end is not above its high end.
 */
#include <loader/read.h>

#include <ddbsim/names.h>
#include <base/types.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BOUND_TEXT 64

/* The words of `of`, in the grammar's order. */
static const enum ddbsim_over over_words[] = {DDBSIM_EACH, DDBSIM_EACH, DDBSIM_MEAN, DDBSIM_MEDIAN,
                                              DDBSIM_DEVIATION};

/* Words that later versions of the result database will hold. */
#define METRICS_LATER "cost_per_day|cost_per_month|lost_value_per_day"

/* ---- names ---- */

static enum ddbsim_status find_metric(struct reader *r, const struct yaml_node *node, int *out) {
    *out = ddbsim_name_find(ddbsim_outcome_name, node->text);
    if (*out >= 0) return DDBSIM_OK;
    *out = ddbsim_name_find(ddbsim_metric_name, node->text);
    if (*out >= 0) {
        *out += DDBSIM_OUTCOME_KINDS;
        return DDBSIM_OK;
    }
    struct suggest suggest;
    suggest_start(&suggest, node->text);
    for (int i = 0; ddbsim_outcome_name(i); i++)
        suggest_offer(&suggest, ddbsim_outcome_name(i));
    for (int i = 0; ddbsim_metric_name(i); i++)
        suggest_offer(&suggest, ddbsim_metric_name(i));
    enum ddbsim_status status = read_fail_word(r, node, "metric", &suggest, METRICS_LATER);
    error_hint(r->error, "`ddbsim list metrics` shows them");
    return status;
}

/* ---- tags ---- */

static bool index_of(const struct ddbsim_table *table, const char *name, struct suggest *suggest) {
    for (uint32_t i = 0; i < table->index_count; i++) {
        if (!strcmp(table->indexes[i].name, name)) return true;
        suggest_offer(suggest, table->indexes[i].name);
    }
    return false;
}

static enum ddbsim_status tag_table(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_condition *out) {
    const struct yaml_node *table = yaml_child(node, "table"), *index = yaml_child(node, "index");
    const struct ddbsim_scenario *s = r->scenario;
    struct suggest tables, indexes;
    suggest_start(&tables, table ? table->text : "");
    suggest_start(&indexes, index ? index->text : "");
    bool found_table = !table, found_index = !index;
    for (uint32_t i = 0; i < s->table_count; i++) {
        bool here = !table || !strcmp(s->tables[i].name, table->text);
        found_table = found_table || here;
        suggest_offer(&tables, s->tables[i].name);
        if (here && index)
            found_index = index_of(&s->tables[i], index->text, &indexes) || found_index;
    }
    if (!found_table) return read_fail_word(r, table, "table", &tables, NULL);
    if (!found_index) return read_fail_word(r, index, "index", &indexes, NULL);
    out->table = table ? table->text : NULL;
    out->index = index ? index->text : NULL;
    return DDBSIM_OK;
}

static enum ddbsim_status tag_workload(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_condition *out) {
    const struct yaml_node *workload = yaml_child(node, "workload");
    if (!workload) return DDBSIM_OK;
    struct suggest suggest;
    suggest_start(&suggest, workload->text);
    out->workload = workload->text;
    for (uint32_t i = 0; i < r->scenario->workload_count; i++) {
        if (!strcmp(r->scenario->workloads[i].name, workload->text)) return DDBSIM_OK;
        suggest_offer(&suggest, r->scenario->workloads[i].name);
    }
    return read_fail_word(r, workload, "workload", &suggest, NULL);
}

static enum ddbsim_status tag_window(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_condition *out) {
    out->from_ns = read_int(r, SECTION_EXPECT, node, "from", DDBSIM_NO_TIME);
    out->to_ns = read_int(r, SECTION_EXPECT, node, "to", DDBSIM_NO_TIME);
    int64_t end = r->scenario->duration_ns;
    int64_t from = out->from_ns == DDBSIM_NO_TIME ? 0 : out->from_ns;
    int64_t to = out->to_ns == DDBSIM_NO_TIME ? end : out->to_ns;
    if (to > end) return read_fail_late(r, read_at(node, "to"), "the window ends");
    if (from < to) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(node, "from"), "the window is empty");
}

static enum ddbsim_status read_tags(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_condition *out) {
    const struct yaml_node *operation = yaml_child(node, "operation");
    const struct yaml_node *reason = yaml_child(node, "reason");
    int number;
    enum ddbsim_status status = tag_table(r, node, out);
    if (!status) status = tag_workload(r, node, out);
    if (!status && operation)
        status = read_name(r, operation, "operation", ddbsim_operation_name,
                           grammar_find(SECTION_OPERATION, "operation")->later, &number);
    if (!status && reason)
        status = read_name(r, reason, "reason", ddbsim_reason_name, NULL, &number);
    out->operation = operation ? operation->text : NULL;
    out->reason = reason ? reason->text : NULL;
    return status ? status : tag_window(r, node, out);
}

/* ---- bounds ---- */

enum bound { BOUND_NUMBER, BOUND_COUNT, BOUND_SHARE, BOUND_MS, BOUND_MOMENT };

static enum bound bound_of(const struct ddbsim_condition *condition) {
    if (condition->kind == DDBSIM_CONDITION_REASON) return BOUND_SHARE;
    if (condition->kind == DDBSIM_CONDITION_EVENT_FIRST) return BOUND_MOMENT;
    if (condition->kind == DDBSIM_CONDITION_ALARM_FIRST) return BOUND_MOMENT;
    if (condition->kind == DDBSIM_CONDITION_EVENT_COUNT) return BOUND_COUNT;
    if (condition->kind == DDBSIM_CONDITION_ALARM_COUNT) return BOUND_COUNT;
    if (condition->statistic == DDBSIM_SAMPLE_COUNT) return BOUND_NUMBER;
    int metric = condition->number - DDBSIM_OUTCOME_KINDS;
    const char *unit =
        metric >= 0 ? ddbsim_metric_unit(metric) : ddbsim_outcome_unit(condition->number);
    if (!strcmp(unit, "share")) return BOUND_SHARE;
    return !strcmp(unit, "ms") || !strcmp(unit, "Milliseconds") ? BOUND_MS : BOUND_NUMBER;
}

static bool read_bound(const struct reader *r, enum bound bound, const char *text, double *out,
                       struct literal_problem *problem) {
    int64_t integer = 0;
    uint64_t count = 0;
    bool good;
    if (bound == BOUND_NUMBER) return literal_decimal(text, out, problem);
    if (bound == BOUND_COUNT) {
        good = literal_count(text, &count, problem);
        *out = (double)count;
    } else if (bound == BOUND_SHARE) {
        good = literal_share(text, &integer, problem);
        *out = (double)integer / (double)DDBSIM_SHARE_ONE;
    } else if (bound == BOUND_MS) {
        good = literal_duration(text, &integer, problem);
        *out = (double)integer / (double)NS_PER_MS;
        if (!good && text[strspn(text, "0123456789.")] == '\0')
            snprintf(problem->hint, sizeof problem->hint, "latencies have a unit: write %.40sms",
                     text);
    } else {
        good = literal_moment(text, &r->clock, &integer, problem);
        *out = (double)integer / (double)NS_PER_S;
    }
    return good;
}

static enum ddbsim_status fail_literal(struct reader *r, const struct yaml_node *node,
                                       const struct literal_problem *problem) {
    enum ddbsim_status status = yaml_fail(r->error, node, "%s", problem->message);
    if (*problem->hint) error_hint(r->error, "%s", problem->hint);
    return status;
}

static enum ddbsim_status read_range(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_condition *out) {
    char low[BOUND_TEXT], high[BOUND_TEXT];
    struct literal_problem problem = {0};
    enum bound bound = bound_of(out);
    if (!literal_range(node->text, low, high, sizeof low, &problem) ||
        !read_bound(r, bound, low, &out->low, &problem) ||
        !read_bound(r, bound, high, &out->high, &problem))
        return fail_literal(r, node, &problem);
    if (out->low <= out->high) return DDBSIM_OK;
    return yaml_fail(r->error, node, "the range ends below its beginning");
}

/* ---- expectations ---- */

static enum ddbsim_statistic usual_statistic(int number) {
    int metric = number - DDBSIM_OUTCOME_KINDS;
    bool level =
        metric == DDBSIM_METRIC_SUCCESSFUL_LATENCY || metric == DDBSIM_METRIC_REPLICATION_LATENCY ||
        metric == DDBSIM_METRIC_PROVISIONED_READ || metric == DDBSIM_METRIC_PROVISIONED_WRITE;
    return level ? DDBSIM_AVERAGE : DDBSIM_SUM;
}

static enum ddbsim_status need(struct reader *r, const struct yaml_node *node, const char *what,
                               const char *key) {
    if (yaml_child(node, key)) return DDBSIM_OK;
    return yaml_fail(r->error, node, "an expectation about a %s needs `%s`", what, key);
}

static enum ddbsim_status expect_metric(struct reader *r, const struct yaml_node *node,
                                        struct ddbsim_condition *out) {
    enum ddbsim_status status = need(r, node, "metric", "is");
    if (!status) status = find_metric(r, yaml_child(node, "metric"), &out->number);
    if (status) return status;
    out->kind = DDBSIM_CONDITION_METRIC;
    const struct yaml_node *statistic = yaml_child(node, "statistic");
    if (statistic && out->number < DDBSIM_OUTCOME_KINDS)
        return yaml_fail_key(r->error, statistic, "statistic goes only with CloudWatch metrics");
    out->statistic = (enum ddbsim_statistic)read_int(r, SECTION_EXPECT, node, "statistic",
                                                     usual_statistic(out->number));
    return read_range(r, yaml_child(node, "is"), out);
}

/* When the first one came, or how many there were. */
static enum ddbsim_status read_first_or_count(struct reader *r, const struct yaml_node *node,
                                              const char *what, enum ddbsim_condition_kind of_first,
                                              enum ddbsim_condition_kind of_count,
                                              struct ddbsim_condition *out) {
    const struct yaml_node *first = yaml_child(node, "first"), *count = yaml_child(node, "count");
    if (!first == !count)
        return yaml_fail(r->error, node, "an expectation about an %s needs `first` or `count`",
                         what);
    out->kind = first ? of_first : of_count;
    return read_range(r, first ? first : count, out);
}

static enum ddbsim_status expect_event(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_condition *out) {
    enum ddbsim_status status = read_first_or_count(r, node, "event", DDBSIM_CONDITION_EVENT_FIRST,
                                                    DDBSIM_CONDITION_EVENT_COUNT, out);
    return status ? status
                  : read_name(r, yaml_child(node, "event"), "event", ddbsim_event_name, NULL,
                              &out->number);
}

/* An alarm of the scenario, or one that auto scaling makes. */
static enum ddbsim_status expect_alarm(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_condition *out) {
    const struct yaml_node *alarm = yaml_child(node, "alarm");
    struct suggest suggest;
    suggest_start(&suggest, alarm->text);
    out->number = DDBSIM_EVENT_ALARM;
    for (size_t i = 0; i < r->alarm_name_count && !out->alarm; i++) {
        if (!strcmp(r->alarm_names[i], alarm->text)) out->alarm = r->alarm_names[i];
        suggest_offer(&suggest, r->alarm_names[i]);
    }
    if (!out->alarm) return read_fail_word(r, alarm, "alarm", &suggest, NULL);
    return read_first_or_count(r, node, "alarm", DDBSIM_CONDITION_ALARM_FIRST,
                               DDBSIM_CONDITION_ALARM_COUNT, out);
}

static enum ddbsim_status expect_reason(struct reader *r, const struct yaml_node *node,
                                        struct ddbsim_condition *out) {
    out->kind = DDBSIM_CONDITION_REASON;
    enum ddbsim_status status = need(r, node, "reason", "share");
    if (!status)
        status = read_name(r, yaml_child(node, "reason"), "reason", ddbsim_reason_name, NULL,
                           &out->number);
    return status ? status : read_range(r, yaml_child(node, "share"), out);
}

static enum ddbsim_status expect_cause(struct reader *r, const struct yaml_node *node,
                                       struct ddbsim_condition *out) {
    out->kind = DDBSIM_CONDITION_CAUSE;
    return read_name(r, yaml_child(node, "cause"), "cause", ddbsim_cause_name, NULL, &out->number);
}

/* The keys that say what an expectation is about, and the keys that go with each. */
static const struct form {
    const char *key;
    const char *with;
    enum ddbsim_status (*read)(struct reader *, const struct yaml_node *,
                               struct ddbsim_condition *);
} forms[] = {
    {"metric", "metric|is|statistic|reason", expect_metric},
    {"event", "event|first|count|reason", expect_event},
    {"alarm", "alarm|first|count", expect_alarm},
    {"cause", "cause", expect_cause},
    {"reason", "reason|share", expect_reason},
};

#define TAGS "table|index|workload|operation|from|to"

static enum ddbsim_status check_form(struct reader *r, const struct yaml_node *node,
                                     const struct form *form) {
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        bool good =
            grammar_word(form->with, child->key) >= 0 || grammar_word(TAGS "|of", child->key) >= 0;
        if (!good)
            return yaml_fail_key(r->error, child, "%s does not go with %s", child->key, form->key);
    }
    return DDBSIM_OK;
}

/* The mapping in one line, without its braces. */
static enum ddbsim_status text_of(struct reader *r, const struct yaml_node *node,
                                  struct ddbsim_condition *out) {
    char *text = yaml_flow(r->arena, node);
    if (!text) return error_memory(r->error);
    text[strlen(text) - 1] = '\0';
    out->text = text + 1;
    return DDBSIM_OK;
}

static enum ddbsim_status read_expectation(struct reader *r, const struct yaml_node *node,
                                           struct ddbsim_condition *out) {
    const struct form *form = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms && !form; i++)
        if (yaml_child(node, forms[i].key)) form = &forms[i];
    if (!form) {
        enum ddbsim_status status =
            yaml_fail(r->error, node, "the expectation does not say what it is about");
        error_hint(r->error, "write `metric`, `reason`, `event`, `alarm` or `cause`");
        return status;
    }
    enum ddbsim_status status = check_form(r, node, form);
    if (!status) status = text_of(r, node, out);
    if (!status) status = read_tags(r, node, out);
    out->over = over_words[read_int(r, SECTION_EXPECT, node, "of", 0)];
    return status ? status : form->read(r, node, out);
}

static enum ddbsim_status check_twins(struct reader *r, const struct yaml_node *node,
                                      const struct ddbsim_condition *all, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(all[i].text, all[count].text))
            return yaml_fail(r->error, node, "this stands here twice");
    return DDBSIM_OK;
}

enum ddbsim_status read_expect(struct reader *r, const struct yaml_node *list) {
    if (!list || !list->count) return DDBSIM_OK;
    struct ddbsim_condition *all = arena_alloc(r->arena, list->count, sizeof *all);
    if (!all) return error_memory(r->error);
    uint32_t i = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        enum ddbsim_status status = read_expectation(r, node, &all[i]);
        if (!status) status = check_twins(r, node, all, i);
        if (status) return status;
    }
    r->scenario->expect = all;
    r->scenario->expect_count = list->count;
    return DDBSIM_OK;
}

/* ---- thresholds ---- */

static enum ddbsim_status fail_form(struct reader *r, const struct yaml_node *node) {
    enum ddbsim_status status =
        yaml_fail(r->error, node, "\"%.100s\" is no METRIC{tag: value} OP VALUE", node->text);
    error_hint(r->error, "such as throttled_ratio{workload: shop} < 0.1%%; OP is < <= > >= or ==");
    return status;
}

/* A text inside the threshold as a node of its own, with the threshold's place. */
static struct yaml_node *piece(struct reader *r, const struct yaml_node *node, const char *text,
                               size_t length) {
    struct yaml_node *made = yaml_new(r->arena, YAML_SCALAR, node);
    if (!made) return NULL;
    while (length && text[length - 1] == ' ')
        length--;
    made->text = arena_copy(r->arena, text, length);
    return made->text ? made : NULL;
}

static void place_all(struct yaml_node *node, const struct yaml_node *place) {
    node->file = place->file;
    node->line = node->key_line = place->line;
    node->column = node->key_column = place->column;
    node->path = place->path;
    for (struct yaml_node *child = node->first; child; child = child->next)
        place_all(child, place);
}

static enum ddbsim_status check_tags(struct reader *r, const struct yaml_node *tags) {
    struct grammar_value value;
    struct literal_problem problem = {0};
    for (const struct yaml_node *tag = tags->first; tag; tag = tag->next) {
        if (grammar_word(TAGS "|reason", tag->key) < 0 || tag->kind != YAML_SCALAR ||
            yaml_is_null(tag)) {
            enum ddbsim_status status =
                yaml_fail(r->error, tag, "a threshold has no tag \"%.60s\" of this form", tag->key);
            error_hint(r->error, "tags are table, index, workload, operation, reason, from and to");
            return status;
        }
        const struct grammar_key *key = grammar_find(SECTION_EXPECT, tag->key);
        if (!grammar_read(key, tag->text, &r->clock, &value, &problem))
            return fail_literal(r, tag, &problem);
    }
    return DDBSIM_OK;
}

/* The tags in braces, the cursor behind them afterwards. */
static enum ddbsim_status threshold_tags(struct reader *r, const struct yaml_node *node,
                                         const char **cursor, struct ddbsim_condition *out) {
    const char *close = strchr(*cursor, '}');
    if (!close) return fail_form(r, node);
    struct yaml_node *tags = NULL;
    struct ddbsim_error inner = {0};
    enum ddbsim_status status =
        yaml_parse(r->arena, *cursor, (size_t)(close + 1 - *cursor), node->file, &tags, &inner);
    if (status == DDBSIM_ENVIRONMENT) return error_memory(r->error);
    if (status || !tags || tags->kind != YAML_MAPPING) return fail_form(r, node);
    place_all(tags, node);
    *cursor = close + 1;
    status = check_tags(r, tags);
    return status ? status : read_tags(r, tags, out);
}

static enum ddbsim_status threshold_bound(struct reader *r, const struct yaml_node *node,
                                          const char *at, struct ddbsim_condition *out) {
    bool less = *at == '<', more = *at == '>', same = at[0] == '=' && at[1] == '=';
    if (!less && !more && !same) return fail_form(r, node);
    bool closed = at[1] == '=';
    at += 1 + closed;
    at += strspn(at, " ");
    struct literal_problem problem = {0};
    double value;
    if (!*at) return fail_form(r, node);
    if (!read_bound(r, bound_of(out), at, &value, &problem)) return fail_literal(r, node, &problem);
    out->low = less ? -INFINITY : value;
    out->high = more ? INFINITY : value;
    out->low_open = more && !closed;
    out->high_open = less && !closed;
    return DDBSIM_OK;
}

static enum ddbsim_status read_threshold(struct reader *r, const struct yaml_node *node,
                                         struct ddbsim_condition *out) {
    const char *at = node->text + strspn(node->text, " ");
    size_t length = strcspn(at, "{<>= ");
    *out = (struct ddbsim_condition){
        .text = node->text, .from_ns = DDBSIM_NO_TIME, .to_ns = DDBSIM_NO_TIME};
    if (!length || strchr(node->text, '\n')) return fail_form(r, node);
    const struct yaml_node *metric = piece(r, node, at, length);
    if (!metric) return error_memory(r->error);
    enum ddbsim_status status = find_metric(r, metric, &out->number);
    if (status) return status;
    out->statistic = usual_statistic(out->number);
    at += length;
    at += strspn(at, " ");
    if (*at == '{') status = threshold_tags(r, node, &at, out);
    at += strspn(at, " ");
    return status ? status : threshold_bound(r, node, at, out);
}

enum ddbsim_status read_thresholds(struct reader *r, const struct yaml_node *list) {
    if (!list || !list->count) return DDBSIM_OK;
    struct ddbsim_condition *all = arena_alloc(r->arena, list->count, sizeof *all);
    if (!all) return error_memory(r->error);
    uint32_t i = 0;
    for (const struct yaml_node *node = list->first; node; node = node->next, i++) {
        enum ddbsim_status status = read_threshold(r, node, &all[i]);
        if (!status) status = check_twins(r, node, all, i);
        if (status) return status;
    }
    r->scenario->thresholds = all;
    r->scenario->threshold_count = list->count;
    return DDBSIM_OK;
}
