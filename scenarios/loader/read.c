/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values by key, the assumptions, and the scenario's own keys. */
#include <loader/read.h>

#include <base/check.h>
#include <base/types.h>
#include <stdio.h>
#include <string.h>

bool read_value(const struct reader *r, enum grammar_section section,
                const struct yaml_node *mapping, const char *name, struct grammar_value *out) {
    const struct grammar_key *key = grammar_find(section, name);
    CHECK(key != NULL);
    char standard[80];
    struct literal_problem problem;
    const char *text = yaml_text(mapping, name);
    if (!text && !grammar_default(key, standard, sizeof standard)) return false;
    CHECK(grammar_read(key, text ? text : standard, &r->clock, out, &problem));
    return true;
}

int64_t read_int(const struct reader *r, enum grammar_section section,
                 const struct yaml_node *mapping, const char *key, int64_t otherwise) {
    struct grammar_value value;
    return read_value(r, section, mapping, key, &value) ? value.integer : otherwise;
}

double read_real(const struct reader *r, enum grammar_section section,
                 const struct yaml_node *mapping, const char *key, double otherwise) {
    struct grammar_value value;
    return read_value(r, section, mapping, key, &value) ? value.real : otherwise;
}

bool read_is_said(const struct reader *r, const struct yaml_node *mapping, const char *key) {
    const struct yaml_node *child = yaml_child(mapping, key);
    return child && r->change > 0 && child->change == r->change;
}

uint32_t read_count(const struct yaml_node *mapping, const char *key) {
    const struct yaml_node *list = yaml_child(mapping, key);
    return list ? list->count : 0;
}

/* ---- names and moments ---- */

enum ddbsim_status read_fail_word(struct reader *r, const struct yaml_node *node, const char *what,
                                  const struct suggest *suggest, const char *later) {
    if (grammar_word(later, node->text) >= 0)
        return yaml_fail(r->error, node, "the %s %.80s is not supported yet", what, node->text);
    enum ddbsim_status status =
        yaml_fail(r->error, node, "there is no %s \"%.80s\"", what, node->text);
    suggest_hint(suggest, r->error, NULL);
    return status;
}

enum ddbsim_status read_name(struct reader *r, const struct yaml_node *node, const char *what,
                             const char *(*name_of)(int), const char *later, int *out) {
    *out = ddbsim_name_find(name_of, node->text);
    if (*out >= 0) return DDBSIM_OK;
    struct suggest suggest;
    suggest_start(&suggest, node->text);
    for (int i = 0; name_of(i); i++)
        suggest_offer(&suggest, name_of(i));
    return read_fail_word(r, node, what, &suggest, later);
}

static void put_clock(const struct reader *r, int64_t t_s, char *out, size_t size) {
    int64_t local = r->clock.start_unix_s + r->clock.utc_offset_s + t_s;
    int64_t of_day = local - floor_div(local, 86400) * 86400;
    snprintf(out, size, "%02d:%02d", (int)(of_day / 3600), (int)(of_day / 60 % 60));
}

enum ddbsim_status read_fail_late(const struct reader *r, const struct yaml_node *node,
                                  const char *what) {
    char start[16], end[16];
    enum ddbsim_status status = yaml_fail(r->error, node, "%s after the scenario's end", what);
    put_clock(r, 0, start, sizeof start);
    put_clock(r, r->scenario->duration_ns / NS_PER_S, end, sizeof end);
    bool of_day = node->kind == YAML_SCALAR && strlen(node->text) >= 5 && node->text[2] == ':';
    error_hint(r->error, "it runs from %s to %s%s%s%s", start, end, of_day ? "; " : "",
               of_day ? node->text : "", of_day ? ", if before its start, is the next day's" : "");
    return status;
}

const struct yaml_node *read_at(const struct yaml_node *mapping, const char *key) {
    const struct yaml_node *child = yaml_child(mapping, key);
    return child ? child : mapping;
}

static struct yaml_node *add_child(struct reader *r, struct yaml_node *mapping, const char *key,
                                   enum yaml_kind kind) {
    struct yaml_node *made = yaml_new(r->arena, kind, mapping);
    if (!made) return NULL;
    made->key = key;
    yaml_append(mapping, made);
    return made;
}

struct yaml_node *read_section(struct reader *r, struct yaml_node *mapping, const char *key) {
    struct yaml_node *child = yaml_child(mapping, key);
    return child ? child : add_child(r, mapping, key, YAML_MAPPING);
}

enum ddbsim_status read_fill_text(struct reader *r, struct yaml_node *mapping, const char *key,
                                  const char *text) {
    if (yaml_child(mapping, key)) return DDBSIM_OK;
    struct yaml_node *made = add_child(r, mapping, key, YAML_SCALAR);
    if (!made) return error_memory(r->error);
    made->quoted = true;
    made->text = arena_copy(r->arena, text, strlen(text));
    return made->text ? DDBSIM_OK : error_memory(r->error);
}

enum ddbsim_status read_fill(struct reader *r, enum grammar_section section,
                             struct yaml_node *mapping, const char *key, int64_t value) {
    char text[80];
    const struct grammar_key *known = grammar_find(section, key);
    CHECK(known != NULL);
    grammar_put(known, value, text, sizeof text);
    return read_fill_text(r, mapping, key, text);
}

/* ---- the model ---- */

enum ddbsim_status read_model(struct reader *r, enum grammar_section section,
                              const struct yaml_node *mapping, struct ddbsim_assumptions *out) {
#define X(field, name, kind, value, low, high, rule, what) \
    out->field = read_int(r, section, mapping, name, out->field);
    DDBSIM_ASSUMPTIONS(X)
#undef X
    if (out->index_lag_p99_ns >= out->index_lag_median_ns) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(mapping, "index_lag_p99"),
                     "index_lag_p99 is less than index_lag_median");
}

/* ---- the scenario ---- */

/* The file's name without folders and ending, with - for what a name may not have. */
static const char *name_of_file(struct reader *r, const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file;
    size_t length = strcspn(base, ".");
    if (!length || !strcmp(base, "-")) return "scenario";
    char *name = arena_copy(r->arena, base, length);
    for (char *at = name; at && *at; at++) {
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
        bool good = (*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9');
        if (!good) *at = '-';
    }
    return name;
}

static enum ddbsim_status read_names(struct reader *r, const struct yaml_node *root) {
    struct ddbsim_scenario *s = r->scenario;
    const struct yaml_node *title = yaml_child(root, "title");
    const char *name = yaml_text(root, "name");
    s->name = name ? name : name_of_file(r, s->file);
    if (!s->name) return error_memory(r->error);
    s->title = s->name;
    if (!title) return DDBSIM_OK;
    bool several = title->kind == YAML_MAPPING;
    s->title = several ? yaml_text(title, "en") : title->text;
    s->title_es = several ? yaml_text(title, "es") : NULL;
    return s->title ? DDBSIM_OK : yaml_fail(r->error, title, "the title in English is empty");
}

static const char *text_or_default(const struct yaml_node *root, const char *key) {
    const char *text = yaml_text(root, key);
    return text ? text : grammar_find(SECTION_SCENARIO, key)->fallback;
}

enum ddbsim_status read_scenario(struct reader *r, struct yaml_node *root) {
    struct ddbsim_scenario *s = r->scenario;
    s->start = text_or_default(root, "start");
    s->start_unix_s = r->clock.start_unix_s;
    s->utc_offset_s = r->clock.utc_offset_s;
    s->duration_ns = read_int(r, SECTION_SCENARIO, root, "duration", 0);
    s->seed = (uint64_t)read_int(r, SECTION_SCENARIO, root, "seed", 0);
    enum ddbsim_status status = read_names(r, root);
    if (!status) status = read_fill_text(r, root, "name", s->name);
    struct yaml_node *model = read_section(r, root, "model");
    if (!model) return error_memory(r->error);
    if (!status) status = read_rules(r, root, model);
    if (!status) status = read_model(r, SECTION_MODEL, model, &s->model);
    if (!status) status = read_values(r, root);
    if (!status) status = read_tables(r, root);
    return status ? status : read_workloads(r, root);
}
