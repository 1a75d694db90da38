/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `set`: a walk along a path through grammar and tree together. Keys that the grammar knows and the
 * file lacks come into being; names (of tables, workloads, ...) must be there already.
 *
 * Recursion follows the path, at most PATH_SEGMENTS_MAX deep.
 */
#include <loader/edit.h>

#include <loader/path.h>
#include <loader/validate.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct walk {
    const struct edit *edit;
    struct path path;
    const struct yaml_node *value;
    bool changeable; /* a key on the way allows changes */
};

static enum ddbsim_status walk_into(struct walk w, const struct grammar_key *key,
                                    struct yaml_node *node, uint32_t depth);

/* ---- failing ---- */

static enum ddbsim_status fail(const struct walk *w, const char *format, ...) DDBSIM_PRINTF(2, 3);

static enum ddbsim_status fail(const struct walk *w, const char *format, ...) {
    char message[512];
    struct yaml_node place = *w->edit->place;
    place.path = w->path.text;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return yaml_fail(w->edit->error, &place, "%s", message);
}

static enum ddbsim_status fail_nothing(const struct walk *w, uint32_t depth,
                                       const struct suggest *suggest, const char *otherwise) {
    enum ddbsim_status status =
        fail(w, "the path names nothing: there is no \"%.60s\"", w->path.segments[depth].name);
    suggest_hint(suggest, w->edit->error, otherwise);
    return status;
}

#define PATH_BYTES 160

/* The path of the first key of that name that lies so many sections below; entries of lists and maps
 * are NAME. */
static bool find_below(enum grammar_section section, const char *name, int below,
                       char out[PATH_BYTES]) {
    const struct grammar_key *key;
    for (size_t i = 0; (key = grammar_key(i)); i++) {
        if (key->section != section || key->type == TYPE_LATER) continue;
        if (below == 0 && !strcmp(key->key, name)) {
            snprintf(out, PATH_BYTES, "%s", name);
            return true;
        }
        char rest[PATH_BYTES];
        bool entries = key->type == TYPE_LIST || key->type == TYPE_MAP;
        if (below > 0 && key->child != SECTION_NONE && key->child != section &&
            find_below(key->child, name, below - 1, rest)) {
            int length =
                snprintf(out, PATH_BYTES, "%s%s.%s", key->key, entries ? ".NAME" : "", rest);
            return length < PATH_BYTES;
        }
    }
    return false;
}

/* A first word that is no key of the scenario: where such a key is. */
static enum ddbsim_status fail_first(const struct walk *w, const struct suggest *suggest) {
    char path[PATH_BYTES], hint[PATH_BYTES + 32];
    for (int below = 1; below < 5 && !suggest_best(suggest); below++) {
        if (!find_below(SECTION_SCENARIO, w->path.segments[0].name, below, path)) continue;
        snprintf(hint, sizeof hint, "a path begins at the top: %s", path);
        return fail_nothing(w, 0, suggest, hint);
    }
    return fail_nothing(w, 0, suggest, NULL);
}

/* An entry that is not there: entries go by name. */
static enum ddbsim_status fail_entry(const struct walk *w, uint32_t depth,
                                     const struct suggest *suggest, const char *labels) {
    char hint[256];
    snprintf(hint, sizeof hint, "%s by name: %s",
             depth ? w->path.segments[depth - 1].name : "entries", labels);
    return fail_nothing(w, depth, suggest, *labels ? hint : NULL);
}

static enum ddbsim_status fail_below(const struct walk *w, uint32_t depth) {
    return fail(w, "the path names nothing: there is nothing below \"%.60s\"",
                w->path.segments[depth - 1].name);
}

static enum ddbsim_status fail_change(const struct walk *w, const struct grammar_key *key) {
    enum ddbsim_status status =
        fail(w, "a change cannot set %.60s while the run goes on", key->key);
    error_hint(w->edit->error, "%s",
               key->unchanged
                   ? key->unchanged
                   : "capacities, their mode and the bounds of scaling, scale, rates, stages, "
                     "callers, weights, sizes and index effects of operations can change");
    return status;
}

/* ---- putting a value ---- */

static bool is_last(const struct walk *w, uint32_t depth) { return depth + 1 == w->path.count; }

static struct yaml_node *twin_of(const struct walk *w) {
    struct yaml_node *twin = yaml_copy(w->edit->arena, w->value);
    if (twin) {
        twin->key_line = w->edit->place->key_line;
        twin->key_column = w->edit->place->key_column;
        twin->change = w->edit->change;
    }
    return twin;
}

/* Sets, replaces or removes a child of a mapping. */
static enum ddbsim_status put_child(const struct walk *w, struct yaml_node *mapping,
                                    const char *key) {
    struct yaml_node *old = yaml_child(mapping, key);
    if (yaml_is_null(w->value)) {
        if (old) yaml_remove(mapping, old);
        return DDBSIM_OK;
    }
    struct yaml_node *twin = twin_of(w);
    if (!twin) return error_memory(w->edit->error);
    twin->key = key;
    if (old)
        yaml_replace(mapping, old, twin);
    else
        yaml_append(mapping, twin);
    return DDBSIM_OK;
}

void edit_drop_rivals(struct yaml_node *mapping, const struct grammar_key *key) {
    if (!key->family) return;
    for (struct yaml_node *child = mapping->first, *next; child; child = next) {
        next = child->next;
        const struct grammar_key *other = grammar_find(key->section, child->key);
        if (other && other->family == key->family && other->group != key->group)
            yaml_remove(mapping, child);
    }
}

/* Drops what the capacity mode does not have, of the table and of its indexes. */
static void drop_keys(struct yaml_node *mapping, bool on_demand) {
    static const char *const of_mode[2][4] = {
        {"on_demand_throughput", "previous_peak"},
        {"read_capacity", "write_capacity", "auto_scaling", "scaler"}};
    for (int i = 0; i < 4 && of_mode[on_demand][i]; i++) {
        struct yaml_node *child = yaml_child(mapping, of_mode[on_demand][i]);
        if (child) yaml_remove(mapping, child);
    }
}

void edit_drop_unbilled(struct yaml_node *mapping, const struct grammar_key *key,
                        const struct yaml_node *value) {
    bool mode = key->section == SECTION_TABLE && !strcmp(key->key, "billing_mode");
    if (!mode || value->kind != YAML_SCALAR) return;
    bool on_demand = !strcmp(value->text, "PAY_PER_REQUEST");
    drop_keys(mapping, on_demand);
    struct yaml_node *indexes = yaml_child(mapping, "indexes");
    if (!indexes || indexes->kind != YAML_SEQUENCE) return;
    for (struct yaml_node *index = indexes->first; index; index = index->next)
        if (index->kind == YAML_MAPPING && !index->absent) drop_keys(index, on_demand);
}

/* The mapping at a key, made where it is missing; a word becomes {preset: word}. */
static struct yaml_node *child_mapping(const struct walk *w, const struct grammar_key *key,
                                       struct yaml_node *parent, const char *name) {
    struct yaml_node *child = yaml_child(parent, name);
    bool word = child && grammar_is_either(key->type) && child->kind == YAML_SCALAR;
    if (child && !word && !yaml_is_null(child)) return child;
    struct yaml_node *made = yaml_new(w->edit->arena, YAML_MAPPING, w->edit->place);
    if (!made) return NULL;
    made->key = name;
    if (!child) {
        yaml_append(parent, made);
        return made;
    }
    yaml_replace(parent, child, made);
    if (!yaml_is_null(child) && key->type == TYPE_CHOICE_OR_SECTION) {
        child->key = "preset";
        yaml_append(made, child);
    }
    return made;
}

/* ---- walking ---- */

static enum ddbsim_status walk_key(struct walk w, enum grammar_section section,
                                   struct yaml_node *node, uint32_t depth) {
    const char *name = w.path.segments[depth].name;
    const struct grammar_key *key = grammar_find(section, name);
    if (!key || w.path.segments[depth].all) {
        struct suggest suggest;
        suggest_start(&suggest, name);
        grammar_suggest(section, &suggest);
        return depth == 0 ? fail_first(&w, &suggest) : fail_nothing(&w, depth, &suggest, NULL);
    }
    if (key->type == TYPE_LATER) return fail(&w, "%.60s is not supported yet", name);
    if (key->flags & GRAMMAR_FIXED) return fail(&w, "%.60s cannot be set", name);
    w.changeable = w.changeable || (key->flags & GRAMMAR_CHANGEABLE);
    if (is_last(&w, depth)) {
        if (w.edit->change && !w.changeable) return fail_change(&w, key);
        if (!yaml_is_null(w.value)) edit_drop_rivals(node, key);
        if (!yaml_is_null(w.value)) edit_drop_unbilled(node, key, w.value);
        return put_child(&w, node, name);
    }
    if (grammar_is_scalar(key->type) && key->type != TYPE_TITLE) return fail_below(&w, depth + 1);
    bool made_of_keys =
        key->type == TYPE_SECTION || grammar_is_either(key->type) || key->type == TYPE_MAP;
    struct yaml_node *child = yaml_child(node, name);
    if (made_of_keys) {
        child = child_mapping(&w, key, node, name);
        if (!child) return error_memory(w.edit->error);
    }
    if (child) return walk_into(w, key, child, depth + 1);
    struct suggest none;
    suggest_start(&none, "");
    return fail_nothing(&w, depth + 1, &none, NULL);
}

static enum ddbsim_status put_entry(const struct walk *w, struct yaml_node *list,
                                    struct yaml_node *entry) {
    if (yaml_is_null(w->value)) {
        yaml_remove(list, entry);
        return DDBSIM_OK;
    }
    struct yaml_node *twin = twin_of(w), *name = yaml_child(entry, "name");
    if (!twin) return error_memory(w->edit->error);
    if (name && twin->kind == YAML_MAPPING && !yaml_child(twin, "name")) {
        struct yaml_node *kept = yaml_copy(w->edit->arena, name);
        if (!kept) return error_memory(w->edit->error);
        yaml_append(twin, kept);
    }
    yaml_replace(list, entry, twin);
    return DDBSIM_OK;
}

static enum ddbsim_status walk_list(struct walk w, const struct grammar_key *key,
                                    struct yaml_node *list, uint32_t depth) {
    const struct path_segment *segment = &w.path.segments[depth];
    struct suggest suggest;
    suggest_start(&suggest, segment->name);
    uint32_t found = 0, number = 1;
    char labels[160] = "";
    if (list->kind != YAML_SEQUENCE) return fail_nothing(&w, depth, &suggest, NULL);
    for (struct yaml_node *entry = list->first, *next; entry; entry = next, number++) {
        next = entry->next;
        const char *label = validate_label(w.edit->arena, key->child, entry, number);
        if (!label) return error_memory(w.edit->error);
        suggest_offer(&suggest, label);
        size_t used = strlen(labels);
        snprintf(labels + used, sizeof labels - used, "%s%s", used ? ", " : "", label);
        if (!segment->all && strcmp(label, segment->name) != 0) continue;
        found++;
        bool last = is_last(&w, depth);
        if (last && w.edit->change && !w.changeable) return fail_change(&w, key);
        if (!last && entry->kind != YAML_MAPPING) return fail_below(&w, depth + 1);
        enum ddbsim_status status =
            last ? put_entry(&w, list, entry) : walk_key(w, key->child, entry, depth + 1);
        if (status) return status;
    }
    return found ? DDBSIM_OK : fail_entry(&w, depth, &suggest, labels);
}

static enum ddbsim_status walk_named(struct walk w, const struct grammar_key *key,
                                     struct yaml_node *map, uint32_t depth, const char *name) {
    bool last = is_last(&w, depth);
    if (last && w.edit->change && !w.changeable) return fail_change(&w, key);
    if (last) return put_child(&w, map, name);
    struct yaml_node *child = child_mapping(&w, key, map, name);
    if (!child) return error_memory(w.edit->error);
    if (child->kind != YAML_MAPPING) return fail_below(&w, depth + 1);
    return walk_key(w, key->child, child, depth + 1);
}

static enum ddbsim_status walk_map(struct walk w, const struct grammar_key *key,
                                   struct yaml_node *map, uint32_t depth) {
    const struct path_segment *segment = &w.path.segments[depth];
    struct suggest suggest;
    suggest_start(&suggest, segment->name);
    enum ddbsim_status status = DDBSIM_OK;
    uint32_t found = 0;
    if (map->kind != YAML_MAPPING) return fail_below(&w, depth);
    for (struct yaml_node *child = map->first, *next; child && !status; child = next) {
        next = child->next;
        suggest_offer(&suggest, child->key);
        if (!segment->all && strcmp(child->key, segment->name) != 0) continue;
        found++;
        status = walk_named(w, key, map, depth, child->key);
    }
    if (found || status) return status;
    bool comes = !segment->all && ((key->flags & GRAMMAR_OPEN_NAMES) ||
                                   (is_last(&w, depth) && !yaml_is_null(w.value)));
    return comes ? walk_named(w, key, map, depth, segment->name)
                 : fail_nothing(&w, depth, &suggest, NULL);
}

/* The user's words with one value each: shares, titles, the paths of another set. */
static enum ddbsim_status walk_words(const struct walk *w, struct yaml_node *map, uint32_t depth) {
    if (map->kind != YAML_MAPPING || !is_last(w, depth)) return fail_below(w, depth);
    return put_child(w, map, w->path.segments[depth].name);
}

static enum ddbsim_status walk_into(struct walk w, const struct grammar_key *key,
                                    struct yaml_node *node, uint32_t depth) {
    if (key->type == TYPE_LIST) return walk_list(w, key, node, depth);
    if (key->type == TYPE_MAP) return walk_map(w, key, node, depth);
    if (key->type == TYPE_SHARES || key->type == TYPE_SET || key->type == TYPE_TITLE)
        return walk_words(&w, node, depth);
    if (key->child == SECTION_NONE || node->kind != YAML_MAPPING || key->type == TYPE_CONDITIONS)
        return fail_below(&w, depth);
    return walk_key(w, key->child, node, depth);
}

/* Puts `value` at `path`; null removes. A path that names nothing is an error. */
static enum ddbsim_status set_at(const struct edit *edit, struct yaml_node *root, const char *path,
                                 const struct yaml_node *value) {
    struct walk w = {.edit = edit, .value = value};
    enum ddbsim_status status = path_parse(edit->arena, path, &w.path, edit->error);
    if (status) {
        if (edit->error)
            error_place(edit->error, edit->place->file ? edit->place->file : "",
                        edit->place->key_line, edit->place->key_column);
        return status;
    }
    if (root->kind != YAML_MAPPING) return fail_below(&w, 1);
    return walk_key(w, SECTION_SCENARIO, root, 0);
}

enum ddbsim_status edit_set_all(struct edit edit, struct yaml_node *root,
                                const struct yaml_node *set) {
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct yaml_node *child = set->first; child && !status; child = child->next) {
        struct yaml_node place = *child;
        place.line = child->key_line;
        place.column = child->key_column;
        edit.place = &place;
        status = set_at(&edit, root, child->key, child);
    }
    return status;
}
