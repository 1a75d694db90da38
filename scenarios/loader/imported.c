/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables that start from a document, such as what `aws dynamodb describe-table` prints. The document is read first;
 * what the scenario writes beside `import` replaces what it says, as with `extends`, and so do its `values`.
 *
 * Invariant: no key `import` is left in the tree.
 */
#include <loader/imported.h>

#include <loader/edit.h>
#include <loader/input.h>
#include <import/import.h>
#include <string.h>
#include <sys/stat.h>

static enum ddbsim_status take(struct import *import, const struct yaml_node *entry,
                               const char *path, struct yaml_node **out,
                               struct ddbsim_error *error) {
    struct stat about;
    const struct yaml_node *node = yaml_child(entry, "import");
    const char *name = yaml_text(entry, "name");
    if (!name) {
        enum ddbsim_status status =
            yaml_fail(error, entry, "a table that is imported needs a name");
        error_hint(error, "of several tables in the document, the name chooses");
        return status;
    }
    if (!stat(path, &about) && !S_ISREG(about.st_mode))
        return yaml_fail(error, node, "\"%.200s\" is no file that can be imported", path);
    enum ddbsim_status status = import_take(import, path, error);
    return status ? status : import_join_table(import, name, out, error);
}

/* The described scenario, in which the entry stands for the table, over it what the file says. */
static enum ddbsim_status describe(struct arena *arena, const struct yaml_node *entry,
                                   struct yaml_node **out, struct ddbsim_error *error) {
    const struct yaml_node *node = yaml_child(entry, "import");
    if (node->kind != YAML_SCALAR || !*node->text)
        return yaml_fail(error, node, "import wants the path of a document");
    const char *path = input_beside(arena, node->file ? node->file : "", node->text);
    if (!path) return error_memory(error);
    struct import *import = NULL;
    struct import_options options = {.arena = arena, .place = node};
    enum ddbsim_status status = import_create(&options, &import, error);
    if (!status) status = take(import, entry, path, out, error);
    import_destroy(import);
    if (status && error) error_place(error, node->file, node->line, node->column);
    return status;
}

static struct yaml_node *wrap(struct arena *arena, const char *key, enum yaml_kind kind,
                              const struct yaml_node *entry) {
    struct yaml_node *root = yaml_new(arena, YAML_MAPPING, entry);
    struct yaml_node *holder = yaml_new(arena, kind, entry);
    struct yaml_node *copy = yaml_copy(arena, entry);
    if (!root || !holder || !copy) return NULL;
    holder->key = key;
    yaml_append(root, holder);
    yaml_append(holder, copy);
    return root;
}

/* Puts the table's joined keys where its entry has its own. */
static void move_children(struct yaml_node *entry, const struct yaml_node *table) {
    entry->first = table->first;
    entry->last = table->last;
    entry->count = table->count;
}

/* Value sets that the document brings, under those of the scenario. */
static enum ddbsim_status add_values(struct arena *arena, struct yaml_node *root,
                                     struct yaml_node *described, struct ddbsim_error *error) {
    struct yaml_node *values = yaml_child(root, "values");
    struct yaml_node *brought = yaml_child(described, "values");
    if (!brought || !brought->count) return DDBSIM_OK;
    if (!values || yaml_is_null(values)) {
        if (values) yaml_remove(root, values);
        yaml_append(root, brought);
        return DDBSIM_OK;
    }
    struct yaml_node *over = yaml_new(arena, YAML_MAPPING, values);
    struct yaml_node *copy = yaml_copy(arena, values);
    if (!over || !copy) return error_memory(error);
    yaml_append(over, copy);
    enum ddbsim_status status = edit_extend(arena, described, over, error);
    if (!status) yaml_replace(root, values, yaml_child(described, "values"));
    return status;
}

static enum ddbsim_status join(struct arena *arena, struct yaml_node *root, struct yaml_node *entry,
                               struct ddbsim_error *error) {
    struct yaml_node *described = NULL;
    enum ddbsim_status status = describe(arena, entry, &described, error);
    if (status) return status;
    yaml_remove(entry, yaml_child(entry, "import"));
    struct yaml_node *over = wrap(arena, "tables", YAML_SEQUENCE, entry);
    if (!over) return error_memory(error);
    status = edit_extend(arena, described, over, error);
    if (status) return status;
    move_children(entry, yaml_child(described, "tables")->first);
    return add_values(arena, root, described, error);
}

enum ddbsim_status imported_join(struct arena *arena, struct yaml_node *root,
                                 struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    const struct yaml_node *tables = yaml_child(root, "tables");
    bool list = tables && tables->kind == YAML_SEQUENCE;
    for (struct yaml_node *entry = list ? tables->first : NULL; entry && !status;
         entry = entry->next) {
        struct yaml_node *node = yaml_child(entry, "import");
        if (node && yaml_is_null(node))
            yaml_remove(entry, node);
        else if (node)
            status = join(arena, root, entry, error);
    }
    return status;
}
