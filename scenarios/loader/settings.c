/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The resolved scenario, flat: every key that says something about what is simulated, with its
 * default where nothing is written, as path and canonical text. Setting all of them again gives the
 * same scenario (tested). Two scenarios are compared by these.
 *
 * Invariant: sorted by path in byte order, each path once.
 */
#include <loader/load.h>

#include <loader/path.h>
#include <loader/validate.h>
#include <base/check.h>
#include <base/vector.h>
#include <stdlib.h>
#include <string.h>

struct flat {
    struct reader *reader;
    void *items; /* of struct ddbsim_setting */
    size_t count, capacity;
};

static bool walk_section(struct flat *f, enum grammar_section section, const struct yaml_node *node,
                         const char *path);

static bool emit(struct flat *f, const char *path, const char *value) {
    if (!path || !value) return false;
    if (!vector_reserve(&f->items, &f->capacity, f->count + 1, sizeof(struct ddbsim_setting)))
        return false;
    struct ddbsim_setting *settings = f->items;
    settings[f->count++] = (struct ddbsim_setting){.path = path, .value = value};
    return true;
}

static bool emit_scalar(struct flat *f, const struct grammar_key *key, const struct yaml_node *node,
                        const char *path) {
    char standard[80];
    struct grammar_value value;
    struct literal_problem problem;
    if (!node && !grammar_default(key, standard, sizeof standard)) return true;
    const char *text = node ? node->text : standard;
    if (key->type == TYPE_TITLE) return emit(f, path, text);
    CHECK(grammar_read(key, text, &f->reader->clock, &value, &problem));
    if (*value.canonical) text = value.canonical;
    return emit(f, path, arena_copy(f->reader->arena, text, strlen(text)));
}

/* A value that the user's own words point to: a text as it is, else one line of YAML. */
static bool emit_any(struct flat *f, const struct yaml_node *node, const char *path) {
    bool text = node->kind == YAML_SCALAR && !yaml_is_null(node);
    return emit(f, path, text ? node->text : yaml_flow(f->reader->arena, node));
}

static bool walk_list(struct flat *f, const struct grammar_key *key, const struct yaml_node *list,
                      const char *path) {
    uint32_t number = 1;
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next, number++) {
        const char *label = validate_label(f->reader->arena, key->child, entry, number);
        const char *below = label ? path_join(f->reader->arena, path, label) : NULL;
        if (!below || !walk_section(f, key->child, entry, below)) return false;
    }
    return true;
}

/* Mappings whose keys are the user's: sections, or single values. */
static bool walk_map(struct flat *f, const struct grammar_key *key, const struct yaml_node *map,
                     const char *path) {
    for (const struct yaml_node *child = map->first; child; child = child->next) {
        const char *below = path_join(f->reader->arena, path, child->key);
        if (!below) return false;
        bool good = key->type == TYPE_MAP ? walk_section(f, key->child, child, below)
                                          : emit_any(f, child, below);
        if (!good) return false;
    }
    return true;
}

static bool walk_shares(struct flat *f, const struct yaml_node *map, const char *path) {
    for (const struct yaml_node *child = map->first; child; child = child->next) {
        int64_t share;
        char text[64];
        struct literal_problem problem;
        CHECK(literal_share(child->text, &share, &problem));
        literal_put_share(share, text, sizeof text);
        if (!emit(f, path_join(f->reader->arena, path, child->key),
                  arena_copy(f->reader->arena, text, strlen(text))))
            return false;
    }
    return true;
}

static bool walk_key(struct flat *f, const struct grammar_key *key, const struct yaml_node *node,
                     const char *path) {
    bool single = grammar_is_scalar(key->type) || grammar_is_either(key->type);
    if (single && (!node || node->kind == YAML_SCALAR)) return emit_scalar(f, key, node, path);
    if (!node && (key->flags & GRAMMAR_OPTIONAL)) return true;
    if (key->type == TYPE_SECTION || grammar_is_either(key->type))
        return walk_section(f, key->child, node, path);
    if (!node) return true;
    if (key->type == TYPE_LIST) return walk_list(f, key, node, path);
    if (key->type == TYPE_SHARES) return walk_shares(f, node, path);
    if (key->type == TYPE_SHARE_LIST || key->type == TYPE_EXPRESSIONS)
        return emit_any(f, node, path);
    return walk_map(f, key, node, path);
}

static bool walk_section(struct flat *f, enum grammar_section section, const struct yaml_node *node,
                         const char *path) {
    const struct grammar_key *key;
    for (size_t i = 0; (key = grammar_key(i)); i++) {
        if (key->section != section || key->type == TYPE_LATER) continue;
        if (key->flags & GRAMMAR_NO_SETTING) continue;
        bool named = !node || !node->comes_later; /* the path says it */
        if (section != SECTION_SCENARIO && named && !strcmp(key->key, "name")) continue;
        const char *below = path_join(f->reader->arena, path, key->key);
        if (!below || !walk_key(f, key, yaml_child(node, key->key), below)) return false;
    }
    return true;
}

static int by_path(const void *a, const void *b) {
    const struct ddbsim_setting *left = a, *right = b;
    return strcmp(left->path, right->path);
}

enum ddbsim_status settings_make(struct reader *r, const struct yaml_node *root) {
    struct flat f = {.reader = r};
    bool good = walk_section(&f, SECTION_SCENARIO, root, "");
    struct ddbsim_setting *settings =
        good ? arena_alloc(r->arena, f.count + 1, sizeof *settings) : NULL;
    if (settings) {
        if (f.count) memcpy(settings, f.items, f.count * sizeof *settings);
        qsort(settings, f.count, sizeof *settings, by_path);
        r->scenario->settings = settings;
        r->scenario->setting_count = (uint32_t)f.count;
    }
    free(f.items);
    return settings ? DDBSIM_OK : error_memory(r->error);
}

struct ddbsim_setting *settings_of_set(struct arena *arena, const struct yaml_node *set) {
    struct ddbsim_setting *settings = arena_alloc(arena, set->count + 1, sizeof *settings);
    struct ddbsim_setting *setting = settings;
    for (const struct yaml_node *child = set->first; child && settings; child = child->next) {
        setting->path = child->key;
        setting->value = yaml_flow(arena, child);
        if (!setting->value) return NULL;
        setting++;
    }
    return settings;
}
