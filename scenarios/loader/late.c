/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Indexes that come and go while the run goes on. One that a change creates is an index of its table from the
 * start, that is not there yet: numbers of indexes never change, and whatever names it is checked like any other
 * name. In the resolved settings it stands where it was written, in its change.
 *
 * Invariant: a name means one index for the whole run.
 */
#include <loader/late.h>

#include <base/check.h>
#include <string.h>

static const struct yaml_node *change_list(const struct yaml_node *root) {
    const struct yaml_node *list = yaml_child(root, "changes");
    return list && list->kind == YAML_SEQUENCE ? list : NULL;
}

static struct yaml_node *entry_named(const struct yaml_node *list, const char *name) {
    struct yaml_node *entry = list ? list->first : NULL;
    while (entry && (!yaml_text(entry, "name") || strcmp(yaml_text(entry, "name"), name) != 0))
        entry = entry->next;
    return entry;
}

static enum ddbsim_status fail_table(struct reader *r, const struct yaml_node *root,
                                     const struct yaml_node *change) {
    const struct yaml_node *named = yaml_child(change, "table");
    if (!named) {
        enum ddbsim_status status = yaml_fail(r->error, change, "the key \"table\" is missing");
        error_hint(r->error, "table: whose index comes or goes");
        return status;
    }
    struct suggest suggest;
    suggest_start(&suggest, named->text);
    for (const struct yaml_node *table = yaml_child(root, "tables")->first; table;
         table = table->next)
        suggest_offer(&suggest, yaml_text(table, "name"));
    enum ddbsim_status status =
        yaml_fail(r->error, named, "there is no table \"%.80s\"", named->text);
    suggest_hint(&suggest, r->error, NULL);
    return status;
}

static struct yaml_node *table_of(const struct yaml_node *root, const struct yaml_node *change) {
    const char *name = yaml_text(change, "table");
    return name ? entry_named(yaml_child(root, "tables"), name) : NULL;
}

static struct yaml_node *indexes_of(struct reader *r, struct yaml_node *table) {
    struct yaml_node *indexes = yaml_child(table, "indexes");
    if (indexes) return indexes;
    indexes = yaml_new(r->arena, YAML_SEQUENCE, table);
    if (!indexes) return NULL;
    indexes->key = "indexes";
    indexes->path = table->path;
    yaml_append(table, indexes);
    return indexes;
}

/* What AWS does not do to a table that exists. */
static enum ddbsim_status check_new(struct reader *r, const struct yaml_node *indexes,
                                    const struct yaml_node *create) {
    const struct yaml_node *type = yaml_child(create, "type");
    const char *name = yaml_text(create, "name");
    if (type && !strcmp(type->text, "LOCAL")) {
        enum ddbsim_status status =
            yaml_fail(r->error, type, "a LOCAL index comes with its table and never later");
        error_hint(r->error, "let it stand in the table's indexes, or make this one GLOBAL");
        return status;
    }
    if (!entry_named(indexes, name)) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail(r->error, yaml_child(create, "name"),
                                          "the table has or had an index \"%.80s\"", name);
    error_hint(r->error, "give the new one another name, also where the old one is gone by then");
    return status;
}

static enum ddbsim_status insert(struct reader *r, struct yaml_node *root,
                                 const struct yaml_node *change, const struct yaml_node *create) {
    struct yaml_node *indexes = indexes_of(r, table_of(root, change));
    struct yaml_node *twin = yaml_copy(r->arena, create);
    if (!indexes || !twin) return error_memory(r->error);
    enum ddbsim_status status = check_new(r, indexes, create);
    twin->key = NULL;
    twin->comes_later = twin->absent = true;
    if (!status) yaml_append(indexes, twin);
    return status;
}

enum ddbsim_status late_insert(struct reader *r, struct yaml_node *root) {
    const struct yaml_node *list = change_list(root);
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct yaml_node *change = list ? list->first : NULL; change && !status;
         change = change->next) {
        const struct yaml_node *create = yaml_child(change, "create_index");
        if (!create && !yaml_child(change, "delete_index")) continue;
        if (!table_of(root, change)) return fail_table(r, root, change);
        if (create) status = insert(r, root, change, create);
    }
    return status;
}

void late_settle(struct yaml_node *root) {
    const struct yaml_node *list = change_list(root);
    for (struct yaml_node *change = list ? list->first : NULL; change; change = change->next) {
        struct yaml_node *create = yaml_child(change, "create_index");
        if (!create) continue;
        struct yaml_node *table = table_of(root, change);
        struct yaml_node *indexes = yaml_child(table, "indexes");
        struct yaml_node *twin = entry_named(indexes, yaml_text(create, "name"));
        yaml_remove(indexes, twin);
        yaml_replace(change, create, twin);
        if (!indexes->count) yaml_remove(table, indexes);
    }
}

/* ---- which index ---- */

static uint32_t index_named(const struct ddbsim_table *table, const char *name) {
    for (uint32_t i = 0; i < table->index_count; i++)
        if (!strcmp(table->indexes[i].name, name)) return i;
    return DDBSIM_NONE;
}

static enum ddbsim_status fail_index(struct reader *r, const struct yaml_node *node,
                                     const struct ddbsim_table *table) {
    struct suggest suggest;
    suggest_start(&suggest, node->text);
    for (uint32_t i = 0; i < table->index_count; i++)
        suggest_offer(&suggest, table->indexes[i].name);
    enum ddbsim_status status = yaml_fail(r->error, node, "the table %.60s has no index \"%.80s\"",
                                          table->name, node->text);
    suggest_hint(&suggest, r->error, NULL);
    return status;
}

static enum ddbsim_status read_delete(struct reader *r, const struct yaml_node *node,
                                      const struct ddbsim_table *table, uint32_t *out) {
    *out = index_named(table, node->text);
    if (*out == DDBSIM_NONE) return fail_index(r, node, table);
    if (table->indexes[*out].type != DDBSIM_LOCAL) return DDBSIM_OK;
    enum ddbsim_status status =
        yaml_fail(r->error, node, "a LOCAL index stays as long as its table");
    error_hint(r->error, "only a GLOBAL index can be deleted");
    return status;
}

void late_stand(struct yaml_node *plain, const struct yaml_node *node) {
    const struct yaml_node *create = yaml_child(node, "create_index");
    const char *name = create ? yaml_text(create, "name") : yaml_text(node, "delete_index");
    if (!name) return;
    struct yaml_node *index = entry_named(yaml_child(table_of(plain, node), "indexes"), name);
    CHECK(index); /* late_read found it */
    index->absent = !create;
}

enum ddbsim_status late_read(struct reader *r, const struct yaml_node *node,
                             struct ddbsim_change *out) {
    const struct ddbsim_scenario *scenario = r->scenario;
    const struct yaml_node *create = yaml_child(node, "create_index");
    const struct yaml_node *deletes = yaml_child(node, "delete_index");
    const struct yaml_node *named = yaml_child(node, "table");
    if (!create && !deletes && named)
        return yaml_fail_key(r->error, named, "table belongs to create_index and delete_index");
    if (!create && !deletes) return DDBSIM_OK;
    CHECK(named); /* late_insert found its table */
    while (strcmp(scenario->tables[out->table].name, named->text) != 0)
        out->table++;
    const struct ddbsim_table *table = &scenario->tables[out->table];
    out->kind = create ? DDBSIM_CREATE_INDEX : DDBSIM_DELETE_INDEX;
    if (!create) return read_delete(r, deletes, table, &out->index);
    out->index = index_named(table, yaml_text(create, "name"));
    return DDBSIM_OK;
}

/* ---- what is there when ---- */

enum ddbsim_status late_begin(struct reader *r, struct late_state *state) {
    const struct ddbsim_scenario *scenario = r->scenario;
    state->there = arena_alloc(r->arena, scenario->table_count + 1, sizeof *state->there);
    if (!state->there) return error_memory(r->error);
    for (uint32_t t = 0; t < scenario->table_count; t++)
        for (uint32_t i = 0; i < scenario->tables[t].index_count; i++)
            if (!scenario->tables[t].indexes[i].comes_later) state->there[t] |= UINT32_C(1) << i;
    return DDBSIM_OK;
}

static enum ddbsim_status fail_absent(struct reader *r, const struct yaml_node *node,
                                      const struct ddbsim_table *table, uint32_t index) {
    enum ddbsim_status status =
        yaml_fail(r->error, node, "the index %.60s of %.60s is not there at that time",
                  table->indexes[index].name, table->name);
    error_hint(r->error, "it is there from its create_index until its delete_index");
    return status;
}

static enum ddbsim_status check_set(struct reader *r, const struct yaml_node *node,
                                    const struct ddbsim_scenario *after,
                                    const struct late_state *state) {
    for (uint32_t t = 0; t < after->table_count; t++)
        for (uint32_t i = 0; i < after->tables[t].index_count; i++) {
            const struct ddbsim_index *index = &after->tables[t].indexes[i];
            if ((index->says_read || index->says_write) && !(state->there[t] >> i & 1u))
                return fail_absent(r, yaml_child(node, "set"), &after->tables[t], i);
        }
    return DDBSIM_OK;
}

enum ddbsim_status late_follow(struct reader *r, const struct yaml_node *node,
                               const struct ddbsim_change *change, struct late_state *state) {
    if (change->kind == DDBSIM_SET) return check_set(r, node, change->after, state);
    uint32_t *there = &state->there[change->table], bit = UINT32_C(1) << change->index;
    if (change->kind == DDBSIM_DELETE_INDEX && !(*there & bit))
        return fail_absent(r, yaml_child(node, "delete_index"), &r->scenario->tables[change->table],
                           change->index);
    *there ^= bit;
    return DDBSIM_OK;
}
