/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `extends`: what the extending file writes replaces what stands in the file below it. Mappings are
 * joined key by key (null removes), lists entry by entry, by name. A list with an entry that has no
 * name is replaced whole, and so is a list that is written as [].
 *
 * Recursion is bounded by YAML_DEPTH_MAX.
 */
#include <loader/edit.h>

#include <loader/validate.h>
#include <string.h>

struct extend {
    struct arena *arena;
    struct ddbsim_error *error;
};

static enum ddbsim_status join(struct extend *x, enum grammar_section section,
                               struct yaml_node *base, const struct yaml_node *over);

static struct yaml_node *by_name(enum grammar_section section, const struct yaml_node *list,
                                 const char *name) {
    for (struct yaml_node *entry = list->first; entry; entry = entry->next) {
        const char *theirs = validate_name(section, entry);
        if (theirs && !strcmp(theirs, name)) return entry;
    }
    return NULL;
}

static bool all_named(enum grammar_section section, const struct yaml_node *list) {
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next)
        if (!validate_name(section, entry)) return false;
    return list->count > 0;
}

static enum ddbsim_status append_copy(struct extend *x, struct yaml_node *parent,
                                      const struct yaml_node *node) {
    struct yaml_node *copy = yaml_copy(x->arena, node);
    if (!copy) return error_memory(x->error);
    yaml_append(parent, copy);
    return DDBSIM_OK;
}

static enum ddbsim_status join_lists(struct extend *x, enum grammar_section section,
                                     struct yaml_node *base, const struct yaml_node *over) {
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct yaml_node *entry = over->first; entry && !status; entry = entry->next) {
        const char *name = validate_name(section, entry);
        struct yaml_node *old = by_name(section, base, name);
        status = old ? join(x, section, old, entry) : append_copy(x, base, entry);
    }
    return status;
}

static enum ddbsim_status replace(struct extend *x, struct yaml_node *base,
                                  const struct yaml_node *old, const struct yaml_node *child) {
    struct yaml_node *copy = yaml_copy(x->arena, child);
    if (!copy) return error_memory(x->error);
    yaml_replace(base, old, copy);
    return DDBSIM_OK;
}

/* The user's names, each with a mapping of its own. */
static enum ddbsim_status join_maps(struct extend *x, enum grammar_section section,
                                    struct yaml_node *base, const struct yaml_node *over) {
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct yaml_node *named = over->first; named && !status; named = named->next) {
        struct yaml_node *old = yaml_child(base, named->key);
        bool both = old && old->kind == YAML_MAPPING && named->kind == YAML_MAPPING;
        if (both)
            status = join(x, section, old, named);
        else if (old && yaml_is_null(named))
            yaml_remove(base, old);
        else
            status = old ? replace(x, base, old, named) : append_copy(x, base, named);
    }
    return status;
}

static enum ddbsim_status join_child(struct extend *x, enum grammar_section section,
                                     struct yaml_node *base, const struct yaml_node *child) {
    const struct grammar_key *key = grammar_find(section, child->key);
    if (key && !yaml_is_null(child)) edit_drop_rivals(base, key);
    if (key && !yaml_is_null(child)) edit_drop_unbilled(base, key, child);
    struct yaml_node *old = yaml_child(base, child->key);
    if (yaml_is_null(child)) {
        if (old) yaml_remove(base, old);
        return DDBSIM_OK;
    }
    if (!old) return append_copy(x, base, child);
    if (!key || old->kind != child->kind) return replace(x, base, old, child);
    if (key->type == TYPE_MAP && child->kind == YAML_MAPPING)
        return join_maps(x, key->child, old, child);
    if (child->kind == YAML_MAPPING) return join(x, key->child, old, child);
    bool by_entry = key->type == TYPE_LIST && child->kind == YAML_SEQUENCE;
    if (by_entry && all_named(key->child, old) && all_named(key->child, child))
        return join_lists(x, key->child, old, child);
    return replace(x, base, old, child);
}

static enum ddbsim_status join(struct extend *x, enum grammar_section section,
                               struct yaml_node *base, const struct yaml_node *over) {
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct yaml_node *child = over->first; child && !status; child = child->next)
        status = join_child(x, section, base, child);
    return status;
}

enum ddbsim_status edit_extend(struct arena *arena, struct yaml_node *base,
                               const struct yaml_node *over, struct ddbsim_error *error) {
    struct extend x = {.arena = arena, .error = error};
    return join(&x, SECTION_SCENARIO, base, over);
}
