/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk over tree and grammar. What depends on other parts of the scenario (does that table
 * exist?) is checked where the scenario is built (read.h).
 */
#include <loader/validate.h>

#include <loader/path.h>
#include <stdlib.h>
#include <string.h>

struct validator {
    struct arena *arena;
    const struct literal_clock *clock;
    struct ddbsim_error *error;
};

static enum ddbsim_status check_section(struct validator *v, enum grammar_section section,
                                        struct yaml_node *node);

const char *validate_name(enum grammar_section section, const struct yaml_node *entry) {
    const char *name = yaml_text(entry, "name");
    return !name && section == SECTION_OPERATION ? yaml_text(entry, "operation") : name;
}

const char *validate_label(struct arena *arena, enum grammar_section section,
                           const struct yaml_node *entry, uint32_t number) {
    const char *name = validate_name(section, entry);
    return name ? name : arena_printf(arena, "%u", number);
}

static const char *kind_word(const struct yaml_node *node) {
    if (node->kind == YAML_SCALAR) return "a single value";
    return node->kind == YAML_MAPPING ? "a mapping" : "a list";
}

static enum ddbsim_status want(struct validator *v, const struct yaml_node *node,
                               enum yaml_kind kind, const char *what) {
    if (node->kind == kind) return DDBSIM_OK;
    return yaml_fail(v->error, node, "here stands %s where %s is wanted", kind_word(node), what);
}

static enum ddbsim_status set_path(struct validator *v, struct yaml_node *node, const char *base,
                                   const char *name) {
    node->path = path_join(v->arena, base, name);
    return node->path ? DDBSIM_OK : error_memory(v->error);
}

/* Values that are null stand for nothing. */
static void drop_nulls(struct yaml_node *mapping) {
    for (struct yaml_node *child = mapping->first, *next; child; child = next) {
        next = child->next;
        if (yaml_is_null(child)) yaml_remove(mapping, child);
    }
}

/* ---- single values ---- */

static enum ddbsim_status check_scalar(struct validator *v, const struct grammar_key *key,
                                       const struct yaml_node *node) {
    struct grammar_value value;
    struct literal_problem problem = {0};
    enum ddbsim_status status = want(v, node, YAML_SCALAR, "a single value");
    if (status) return status;
    if (grammar_read(key, node->text, v->clock, &value, &problem)) return DDBSIM_OK;
    status = yaml_fail(v->error, node, "%s", problem.message);
    if (*problem.hint) error_hint(v->error, "%s", problem.hint);
    return status;
}

/* The user's words, each with a single value that is read later. */
static enum ddbsim_status check_words(struct validator *v, struct yaml_node *node) {
    enum ddbsim_status status = want(v, node, YAML_MAPPING, "a mapping");
    for (struct yaml_node *child = node->first; child && !status; child = child->next) {
        status = set_path(v, child, node->path, child->key);
        if (!status) status = want(v, child, YAML_SCALAR, "a single value");
    }
    return status;
}

static enum ddbsim_status check_title(struct validator *v, struct yaml_node *node) {
    if (node->kind == YAML_SCALAR) return DDBSIM_OK;
    enum ddbsim_status status = check_words(v, node);
    for (const struct yaml_node *child = node->first; child && !status; child = child->next)
        if (strcmp(child->key, "en") != 0 && strcmp(child->key, "es") != 0) {
            status =
                yaml_fail_key(v->error, child, "a title has no language \"%.40s\"", child->key);
            error_hint(v->error, "titles come in en and es");
        }
    if (!status && !yaml_child(node, "en"))
        status = yaml_fail(v->error, node, "the title in English (en) is missing");
    return status;
}

/* Single values that are read later. */
static enum ddbsim_status check_values(struct validator *v, const struct yaml_node *node) {
    enum ddbsim_status status = want(v, node, YAML_SEQUENCE, "a list");
    for (struct yaml_node *child = node->first; child && !status; child = child->next) {
        child->path = node->path;
        status = want(v, child, YAML_SCALAR, "a single value");
    }
    return status;
}

static enum ddbsim_status check_texts(struct validator *v, const struct yaml_node *node) {
    enum ddbsim_status status = want(v, node, YAML_SEQUENCE, "a list");
    for (struct yaml_node *child = node->first; child && !status; child = child->next) {
        child->path = node->path;
        status = want(v, child, YAML_SCALAR, "a text in quotes");
    }
    return status;
}

/* ---- lists and mappings ---- */

static enum ddbsim_status fail_twice(struct validator *v, const struct yaml_node *node,
                                     enum grammar_section section, const char *label) {
    if (!label) return error_memory(v->error);
    enum ddbsim_status status =
        yaml_fail(v->error, node, "there are two entries called \"%.60s\"", label);
    if (section == SECTION_OPERATION) error_hint(v->error, "give each operation a name of its own");
    return status;
}

/* A label and the entry, from 1, that has it. */
struct label {
    const char *text;
    uint32_t number;
};

static int by_label(const void *a, const void *b) {
    const struct label *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The first entry whose label an earlier one has; 0: none. Sorts. */
static uint32_t first_twin(struct label *labels, uint32_t count) {
    uint32_t first = 0;
    qsort(labels, count, sizeof *labels, by_label);
    for (uint32_t i = 1; i < count; i++)
        if (!strcmp(labels[i].text, labels[i - 1].text) && (!first || labels[i].number < first))
            first = labels[i].number;
    return first;
}

/* Gives each entry its path; *twin becomes the entry that cannot have its own. */
static enum ddbsim_status label_entries(struct validator *v, enum grammar_section section,
                                        struct yaml_node *list, uint32_t *twin) {
    struct label *labels = arena_alloc(v->arena, list->count + 1, sizeof *labels);
    if (!labels) return error_memory(v->error);
    uint32_t number = 0;
    for (struct yaml_node *entry = list->first; entry; entry = entry->next) {
        const char *label = validate_label(v->arena, section, entry, ++number);
        if (!label) return error_memory(v->error);
        labels[number - 1] = (struct label){label, number};
        enum ddbsim_status status = set_path(v, entry, list->path, label);
        if (status) return status;
    }
    *twin = first_twin(labels, number);
    return DDBSIM_OK;
}

static enum ddbsim_status check_list(struct validator *v, const struct grammar_key *key,
                                     struct yaml_node *node) {
    enum ddbsim_status status = want(v, node, YAML_SEQUENCE, "a list");
    uint32_t number = 1, twin = 0;
    for (struct yaml_node *entry = node->first; entry && !status; entry = entry->next)
        entry->path = node->path;
    if (!status && key->type == TYPE_LIST) status = label_entries(v, key->child, node, &twin);
    for (struct yaml_node *entry = node->first; entry && !status; entry = entry->next, number++) {
        status = want(v, entry, YAML_MAPPING, "a mapping");
        if (!status && number == twin) {
            entry->path = node->path;
            status = fail_twice(v, entry, key->child,
                                validate_label(v->arena, key->child, entry, number));
        }
        if (!status) status = check_section(v, key->child, entry);
    }
    if (!status && (key->flags & GRAMMAR_REQUIRED) && !node->count)
        status = yaml_fail(v->error, node, "the list is empty");
    return status;
}

static enum ddbsim_status check_map(struct validator *v, const struct grammar_key *key,
                                    struct yaml_node *node) {
    enum ddbsim_status status = want(v, node, YAML_MAPPING, "a mapping of names");
    if (status) return status;
    drop_nulls(node);
    for (struct yaml_node *child = node->first; child && !status; child = child->next) {
        status = set_path(v, child, node->path, child->key);
        if (!status) status = want(v, child, YAML_MAPPING, "a mapping");
        if (!status) status = check_section(v, key->child, child);
    }
    return status;
}

static enum ddbsim_status check_set(struct validator *v, struct yaml_node *node) {
    enum ddbsim_status status = want(v, node, YAML_MAPPING, "a mapping of paths");
    struct path path;
    for (struct yaml_node *child = node->first; child && !status; child = child->next) {
        child->path = node->path;
        status = path_parse(v->arena, child->key, &path, v->error);
        if (status && v->error)
            error_place(v->error, child->file, child->key_line, child->key_column);
    }
    return status;
}

/* The dispatch over what a key can hold. */
static enum ddbsim_status check_value(struct validator *v, const struct grammar_key *key,
                                      struct yaml_node *node) {
    if (key->type == TYPE_TITLE) return check_title(v, node);
    if (grammar_is_scalar(key->type)) return check_scalar(v, key, node);
    if (grammar_is_either(key->type) && node->kind == YAML_SCALAR)
        return check_scalar(v, key, node);
    if (key->type == TYPE_LIST || key->type == TYPE_CONDITIONS) return check_list(v, key, node);
    if (key->type == TYPE_EXPRESSIONS) return check_texts(v, node);
    if (key->type == TYPE_MAP) return check_map(v, key, node);
    if (key->type == TYPE_SHARES) return check_words(v, node);
    if (key->type == TYPE_SHARE_LIST) return check_values(v, node);
    if (key->type == TYPE_SET) return check_set(v, node);
    enum ddbsim_status status = want(v, node, YAML_MAPPING, "a mapping");
    return status ? status : check_section(v, key->child, node);
}

/* ---- sections ---- */

/* The one section that has such a key; NULL where none or several have. */
static const struct grammar_key *only_home_of(const char *key) {
    const struct grammar_key *home = NULL;
    for (size_t i = 0; grammar_key(i); i++) {
        if (strcmp(grammar_key(i)->key, key) != 0) continue;
        if (home) return NULL;
        home = grammar_key(i);
    }
    return home;
}

static enum ddbsim_status fail_unknown(struct validator *v, enum grammar_section section,
                                       const struct yaml_node *child) {
    struct suggest suggest;
    suggest_start(&suggest, child->key);
    grammar_suggest(section, &suggest);
    enum ddbsim_status status =
        yaml_fail_key(v->error, child, "there is no key \"%.60s\" here", child->key);
    const struct grammar_key *elsewhere = suggest_best(&suggest) ? NULL : only_home_of(child->key);
    if (elsewhere)
        error_hint(v->error, "%s is a key of %s", child->key,
                   grammar_section_title(elsewhere->section));
    else
        suggest_hint(&suggest, v->error, "docs/scenario.md lists every key");
    return status;
}

static enum ddbsim_status check_family(struct validator *v, enum grammar_section section,
                                       const struct yaml_node *node, const struct yaml_node *child,
                                       const struct grammar_key *key) {
    for (const struct yaml_node *other = node->first; key->family && other != child;
         other = other->next) {
        const struct grammar_key *rival = grammar_find(section, other->key);
        if (!rival || rival->family != key->family || rival->group == key->group) continue;
        enum ddbsim_status status =
            yaml_fail_key(v->error, child, "%s and %s exclude each other", other->key, child->key);
        error_hint(v->error, "keep one of them");
        return status;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status check_child(struct validator *v, enum grammar_section section,
                                      const struct yaml_node *node, struct yaml_node *child) {
    enum ddbsim_status status = set_path(v, child, node->path, child->key);
    if (status) return status;
    const struct grammar_key *key = grammar_find(section, child->key);
    if (!key) return fail_unknown(v, section, child);
    if (key->type == TYPE_LATER)
        return yaml_fail_key(v->error, child, "%s is not supported yet", child->key);
    status = check_family(v, section, node, child, key);
    return status ? status : check_value(v, key, child);
}

static enum ddbsim_status check_required(struct validator *v, enum grammar_section section,
                                         const struct yaml_node *node) {
    const struct grammar_key *key;
    for (size_t i = 0; (key = grammar_key(i)); i++) {
        if (key->section != section || !(key->flags & GRAMMAR_REQUIRED)) continue;
        if (yaml_child(node, key->key)) continue;
        enum ddbsim_status status =
            yaml_fail(v->error, node, "the key \"%s\" is missing", key->key);
        error_hint(v->error, "%s: %s", key->key, key->help);
        return status;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status check_section(struct validator *v, enum grammar_section section,
                                        struct yaml_node *node) {
    enum ddbsim_status status = DDBSIM_OK;
    for (struct yaml_node *child = node->first; child && !status; child = child->next)
        if (yaml_is_null(child) && !grammar_find(section, child->key)) {
            child->path = node->path;
            status = fail_unknown(v, section, child);
        }
    if (status) return status;
    drop_nulls(node);
    for (struct yaml_node *child = node->first; child && !status; child = child->next)
        status = check_child(v, section, node, child);
    return status ? status : check_required(v, section, node);
}

enum ddbsim_status validate_tree(struct arena *arena, struct yaml_node *root,
                                 const struct literal_clock *clock, struct ddbsim_error *error) {
    struct validator v = {.arena = arena, .clock = clock, .error = error};
    root->path = "";
    enum ddbsim_status status = want(&v, root, YAML_MAPPING, "a mapping of keys");
    return status ? status : check_section(&v, SECTION_SCENARIO, root);
}
