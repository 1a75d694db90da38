/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One operation of a mix or sequence, and what it does to index entries. Stated shares are taken
 * from 100 %; the rest goes to what such an operation does by default (AWS guide, global secondary
 * indexes): an insert adds, a delete removes, any other write rewrites, or under KEYS_ONLY touches
 * nothing.
 *
 * Invariant: the five shares of every index sum to one.
 */
#include <loader/read.h>
#include <loader/usual.h>

#include <string.h>

#define WEIGHT_MAX 1e6

static const char *const effect_names[USUAL_EFFECTS] = {"add", "remove", "move", "rewrite",
                                                        "untouched"};

/* ---- who and what ---- */

static enum ddbsim_status fail_name(struct reader *r, const struct yaml_node *node,
                                    const char *what, const struct suggest *suggest) {
    enum ddbsim_status status =
        yaml_fail(r->error, node, "there is no %s \"%.60s\"", what, node->text);
    suggest_hint(suggest, r->error, NULL);
    return status;
}

static enum ddbsim_status find_table(struct reader *r, const struct ddbsim_workload *workload,
                                     struct yaml_node *node, uint32_t *out) {
    const struct ddbsim_scenario *s = r->scenario;
    const struct yaml_node *written = yaml_child(node, "table");
    *out = workload->table;
    if (!written && *out == DDBSIM_NONE) {
        enum ddbsim_status status =
            yaml_fail(r->error, node, "it is not said which table this is for");
        error_hint(r->error, "add `table` to the workload or to the operation");
        return status;
    }
    if (!written) return read_fill_text(r, node, "table", s->tables[*out].name);
    struct suggest suggest;
    suggest_start(&suggest, written->text);
    for (*out = 0; *out < s->table_count; ++*out) {
        if (!strcmp(s->tables[*out].name, written->text)) return DDBSIM_OK;
        suggest_offer(&suggest, s->tables[*out].name);
    }
    return fail_name(r, written, "table", &suggest);
}

static enum ddbsim_status find_entity(struct reader *r, struct yaml_node *node,
                                      uint32_t table_number, uint32_t *out) {
    const struct ddbsim_table *table = &r->scenario->tables[table_number];
    const struct yaml_node *written = yaml_child(node, "entity");
    *out = 0;
    if (!written && table->entity_count > 1) {
        enum ddbsim_status status = yaml_fail(
            r->error, node, "it is not said which entity of \"%.60s\" this is for", table->name);
        error_hint(r->error, "add `entity`");
        return status;
    }
    if (!written) return read_fill_text(r, node, "entity", table->entities[0].name);
    struct suggest suggest;
    suggest_start(&suggest, written->text);
    for (; *out < table->entity_count; ++*out) {
        if (!strcmp(table->entities[*out].name, written->text)) return DDBSIM_OK;
        suggest_offer(&suggest, table->entities[*out].name);
    }
    return fail_name(r, written, "entity", &suggest);
}

/* ---- what it does to index entries ---- */

/* A new item has no entry yet; after a delete there is none. */
static enum ddbsim_status check_possible(struct reader *r, const struct yaml_node *node,
                                         enum usual_effect usual,
                                         const int64_t shares[USUAL_EFFECTS]) {
    for (int i = 0; i < USUAL_EFFECTS; i++) {
        if (!usual_allows(usual, (enum usual_effect)i) && shares[i] > 0)
            return yaml_fail(r->error, read_at(node, effect_names[i]),
                             "%s cannot be an effect of an operation that %ss entries",
                             effect_names[i], effect_names[usual]);
    }
    return DDBSIM_OK;
}

static enum ddbsim_status share_out(struct reader *r, const struct yaml_node *node,
                                    enum usual_effect usual, int64_t shares[USUAL_EFFECTS]) {
    int64_t sum = 0;
    char text[64];
    for (int i = 0; i < USUAL_EFFECTS; i++)
        sum += shares[i] = read_int(r, SECTION_EFFECT, node, effect_names[i], 0);
    literal_put_share(sum, text, sizeof text);
    if (sum > DDBSIM_SHARE_ONE) {
        enum ddbsim_status status =
            yaml_fail(r->error, node, "the shares sum to %s, more than 100%%", text);
        literal_put_share(sum - DDBSIM_SHARE_ONE, text, sizeof text);
        error_hint(r->error, "each write has one effect: take %s away", text);
        return status;
    }
    const char *usual_name = effect_names[usual];
    if (sum < DDBSIM_SHARE_ONE && yaml_child(node, usual_name)) {
        enum ddbsim_status status = yaml_fail(r->error, node, "the shares sum to %s only", text);
        error_hint(r->error, "leave out `%s`, and it gets the rest", usual_name);
        return status;
    }
    shares[usual] += DDBSIM_SHARE_ONE - sum;
    return node ? check_possible(r, node, usual, shares) : DDBSIM_OK;
}

static enum ddbsim_status fill_effect(struct reader *r, struct yaml_node *operation,
                                      const char *index, const int64_t shares[USUAL_EFFECTS]) {
    struct yaml_node *all = read_section(r, operation, "index_effect");
    struct yaml_node *node = all ? read_section(r, all, index) : NULL;
    if (!node) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; i < USUAL_EFFECTS && !status; i++)
        status = read_fill(r, SECTION_EFFECT, node, effect_names[i], shares[i]);
    return status;
}

static enum ddbsim_status read_effect(struct reader *r, struct yaml_node *operation,
                                      const struct ddbsim_table *table,
                                      const struct ddbsim_index *index,
                                      const struct ddbsim_operation *o,
                                      struct ddbsim_index_effect *out) {
    const struct yaml_node *node = yaml_child(yaml_child(operation, "index_effect"), index->name);
    bool held = index->entries[o->entity].in_index;
    if (node && !held)
        return yaml_fail_key(r->error, node, "the index does not hold \"%.60s\"",
                             table->entities[o->entity].name);
    int64_t shares[USUAL_EFFECTS];
    enum ddbsim_status status = share_out(r, node, usual_effect(table, index, o), shares);
    if (status) return status;
    usual_effect_set(out, shares);
    return held ? fill_effect(r, operation, index->name, shares) : DDBSIM_OK;
}

static enum ddbsim_status check_index_names(struct reader *r, const struct ddbsim_table *table,
                                            const struct yaml_node *effects) {
    for (const struct yaml_node *node = effects->first; node; node = node->next) {
        struct suggest suggest;
        suggest_start(&suggest, node->key);
        bool found = false;
        for (uint32_t i = 0; i < table->index_count && !found; i++) {
            found = !strcmp(table->indexes[i].name, node->key);
            suggest_offer(&suggest, table->indexes[i].name);
        }
        if (found) continue;
        enum ddbsim_status status =
            yaml_fail_key(r->error, node, "the table has no index \"%.60s\"", node->key);
        suggest_hint(&suggest, r->error, NULL);
        return status;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status read_effects(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_operation *out) {
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    const struct yaml_node *written = yaml_child(node, "index_effect");
    if (written && !ddbsim_operation_is_write((int)out->kind))
        return yaml_fail_key(r->error, written, "a read has no effect on indexes");
    enum ddbsim_status status = written ? check_index_names(r, table, written) : DDBSIM_OK;
    if (status || !table->index_count || !ddbsim_operation_is_write((int)out->kind)) return status;
    struct ddbsim_index_effect *effects =
        arena_alloc(r->arena, table->index_count, sizeof *effects);
    if (!effects) return error_memory(r->error);
    for (uint32_t i = 0; i < table->index_count && !status; i++)
        status = read_effect(r, node, table, &table->indexes[i], out, &effects[i]);
    out->effects = effects;
    return status;
}

/* ---- the operation ---- */

static enum ddbsim_status belongs(struct reader *r, const struct yaml_node *node, const char *key,
                                  bool allowed, const char *where) {
    const struct yaml_node *child = yaml_child(node, key);
    if (!child || allowed) return DDBSIM_OK;
    return yaml_fail_key(r->error, child, "%s belongs to %s", key, where);
}

static enum ddbsim_status read_weight(struct reader *r, struct yaml_node *node,
                                      struct ddbsim_operation *out) {
    double weight = read_real(r, SECTION_OPERATION, node, "weight", 1);
    out->weight = (int64_t)(weight * 1e9 + 0.5);
    if (weight > WEIGHT_MAX || out->weight < 1)
        return yaml_fail(r->error, read_at(node, "weight"),
                         "a weight lies above 0 and at most at 1000000");
    return read_fill_text(r, node, "weight", "1");
}

static enum ddbsim_status read_place(struct reader *r, const struct ddbsim_workload *workload,
                                     struct yaml_node *node, struct ddbsim_operation *out) {
    bool sequence = workload->sequence;
    enum ddbsim_status status = belongs(r, node, "weight", !sequence, "a mix");
    if (!status) status = belongs(r, node, "times", sequence, "a sequence");
    if (!status) status = belongs(r, node, "probability", sequence, "a sequence");
    if (status) return status;
    out->times = (uint32_t)read_int(r, SECTION_OPERATION, node, "times", 1);
    out->probability = read_int(r, SECTION_OPERATION, node, "probability", DDBSIM_SHARE_ONE);
    if (!sequence) return read_weight(r, node, out);
    out->weight = DDBSIM_SHARE_ONE;
    status = read_fill(r, SECTION_OPERATION, node, "times", out->times);
    return status ? status : read_fill(r, SECTION_OPERATION, node, "probability", out->probability);
}

/* The index that a Query reads. */
static enum ddbsim_status find_index(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_operation *out) {
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    const struct yaml_node *written = yaml_child(node, "index");
    out->index = DDBSIM_NONE;
    if (!written) return DDBSIM_OK;
    struct suggest suggest;
    suggest_start(&suggest, written->text);
    uint32_t i = 0;
    for (; i < table->index_count && strcmp(table->indexes[i].name, written->text) != 0; i++)
        suggest_offer(&suggest, table->indexes[i].name);
    if (i == table->index_count) return fail_name(r, written, "index", &suggest);
    out->index = i;
    if (table->indexes[i].entries[out->entity].in_index) return DDBSIM_OK;
    return yaml_fail(r->error, written, "the index does not hold \"%.60s\"",
                     table->entities[out->entity].name);
}

static enum ddbsim_status read_query(struct reader *r, struct yaml_node *node,
                                     struct ddbsim_operation *out) {
    static const char *const keys[] = {"index", "items", "returned", "pages"};
    bool query = out->kind == DDBSIM_QUERY;
    enum ddbsim_status status = find_index(r, node, out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++)
        status = belongs(r, node, keys[i], query, "Query");
    if (status || !query) return status;
    out->items = (uint64_t)read_int(r, SECTION_OPERATION, node, "items", 1);
    out->all_pages = read_int(r, SECTION_OPERATION, node, "pages", 0);
    status = read_fill(r, SECTION_OPERATION, node, "items", (int64_t)out->items);
    if (!status) status = read_fill(r, SECTION_OPERATION, node, "pages", out->all_pages);
    return status ? status : read_fill(r, SECTION_OPERATION, node, "returned", DDBSIM_SHARE_ONE);
}

static enum ddbsim_status read_consistency(struct reader *r, struct yaml_node *node,
                                           struct ddbsim_operation *out) {
    bool read = !ddbsim_operation_is_write((int)out->kind);
    enum ddbsim_status status =
        belongs(r, node, "consistent_read", read, "GetItem, BatchGetItem and Query");
    out->consistent_read = read_int(r, SECTION_OPERATION, node, "consistent_read", false);
    if (status || !read) return status;
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    bool global = out->index != DDBSIM_NONE && table->indexes[out->index].type == DDBSIM_GLOBAL;
    if (out->consistent_read && global) {
        status = yaml_fail(r->error, read_at(node, "consistent_read"),
                           "a GLOBAL index has no strong reads");
        error_hint(r->error, "it follows its table a moment later: write consistent_read: false");
        return status;
    }
    return read_fill(r, SECTION_OPERATION, node, "consistent_read", out->consistent_read);
}

static enum ddbsim_status fail_batch(struct reader *r, const struct yaml_node *at,
                                     const struct ddbsim_operation *o, const char *limit) {
    enum ddbsim_status status = yaml_fail(r->error, at, "AWS refuses a %s of more than %s",
                                          ddbsim_operation_name((int)o->kind), limit);
    error_hint(r->error, "make smaller batches, and more of them");
    return status;
}

/* How many items a batch has. What AWS would refuse as a whole is refused here (M-63). */
static enum ddbsim_status read_batch(struct reader *r, struct yaml_node *node,
                                     struct ddbsim_operation *out) {
    bool batch = ddbsim_operation_is_batch((int)out->kind);
    enum ddbsim_status status =
        belongs(r, node, "batch_size", batch, "BatchGetItem and BatchWriteItem");
    if (status || !batch) return status;
    uint32_t most = ddbsim_batch_size_max((int)out->kind);
    out->batch_size = (uint32_t)read_int(r, SECTION_OPERATION, node, "batch_size", most);
    const struct yaml_node *at = read_at(node, "batch_size");
    if (out->batch_size > most) return fail_batch(r, at, out, "25 items");
    if (out->batch_size * out->item_bytes > DDBSIM_BATCH_BYTES_MAX)
        return fail_batch(r, at, out, "16 MB");
    return read_fill(r, SECTION_OPERATION, node, "batch_size", out->batch_size);
}

/* `shards`: which suffixes a read asks (M-16). */
static enum ddbsim_status read_shards(struct reader *r, const struct yaml_node *node,
                                      const struct ddbsim_shards *shards,
                                      struct ddbsim_operation *out) {
    const struct yaml_node *written = yaml_child(node, "shards");
    bool get = out->kind == DDBSIM_GET_ITEM, query = out->kind == DDBSIM_QUERY;
    enum ddbsim_status status = belongs(r, node, "shards", get || query, "GetItem and Query");
    if (status || !written) return status;
    if (shards->count == 0 || out->index != DDBSIM_NONE)
        return yaml_fail(r->error, written, "what it reads has no {shard} in its partition key");
    uint32_t count = (uint32_t)read_int(r, SECTION_OPERATION, node, "shards", 0);
    bool calculated = get && count > 0 && shards->by != DDBSIM_SHARDS_RANDOM;
    if (calculated)
        out->modulo = count;
    else
        out->asks = count > 0 ? count : shards->count;
    out->sums = !calculated;
    return DDBSIM_OK;
}

/* Nobody knows a random suffix: a look-up asks them all (M-14). */
static enum ddbsim_status read_asks(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_operation *out) {
    const struct ddbsim_entity *entity = &r->scenario->tables[out->table].entities[out->entity];
    bool sharded = template_has(&entity->partition_key, DDBSIM_PART_SHARD);
    const struct ddbsim_shards none = {0};
    enum ddbsim_status status = read_shards(r, node, sharded ? &entity->shards : &none, out);
    if (status || !sharded || entity->shards.by != DDBSIM_SHARDS_RANDOM) return status;
    if (out->kind == DDBSIM_GET_ITEM && out->asks == 0) out->asks = entity->shards.count;
    if (out->kind != DDBSIM_BATCH_GET_ITEM) return DDBSIM_OK;
    status = yaml_fail(r->error, node, "nobody knows the random suffix of an item of \"%.60s\"",
                       entity->name);
    error_hint(r->error, "read with GetItem, which asks every suffix, or calculate the suffix");
    return status;
}

static enum ddbsim_status find_set(struct reader *r, const struct yaml_node *node,
                                   const struct ddbsim_entity *entity, uint32_t *out) {
    struct suggest suggest;
    suggest_start(&suggest, node->key);
    for (*out = 0; *out < r->scenario->value_count; ++*out) {
        bool drawn =
            template_names(&entity->partition_key, *out) || template_names(&entity->sort_key, *out);
        if (drawn && !strcmp(r->scenario->values[*out].name, node->key)) return DDBSIM_OK;
        if (drawn) suggest_offer(&suggest, r->scenario->values[*out].name);
    }
    enum ddbsim_status status = yaml_fail_key(
        r->error, node, "the keys of \"%.60s\" draw from no such value set", entity->name);
    suggest_hint(&suggest, r->error, NULL);
    return status;
}

/* Popularity of its own. */
static enum ddbsim_status read_keys(struct reader *r, struct yaml_node *operation,
                                    struct ddbsim_operation *out) {
    const struct yaml_node *map = yaml_child(operation, "keys");
    if (!map || !map->count) return DDBSIM_OK;
    const struct ddbsim_entity *entity = &r->scenario->tables[out->table].entities[out->entity];
    struct ddbsim_override *keys = arena_alloc(r->arena, map->count, sizeof *keys);
    if (!keys) return error_memory(r->error);
    for (struct yaml_node *node = map->first; node; node = node->next) {
        struct ddbsim_override *override = &keys[out->key_count++];
        enum ddbsim_status status = find_set(r, node, entity, &override->of);
        if (!status)
            status = read_override(r, node, &r->scenario->values[override->of], &override->values);
        if (status) return status;
    }
    out->keys = keys;
    return DDBSIM_OK;
}

/* What it writes or reads: the item, or of an index the entry. */
static enum ddbsim_status read_size(struct reader *r, struct yaml_node *node,
                                    struct ddbsim_operation *out) {
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    int64_t whole = table->entities[out->entity].item_bytes;
    int64_t entry = out->index == DDBSIM_NONE
                        ? -1
                        : table->indexes[out->index].entries[out->entity].entry_bytes;
    out->item_bytes = read_int(r, SECTION_OPERATION, node, "size", entry < 0 ? whole : entry);
    return read_fill(r, SECTION_OPERATION, node, "size", out->item_bytes);
}

enum ddbsim_status read_operation(struct reader *r, const struct ddbsim_workload *workload,
                                  struct yaml_node *node, struct ddbsim_operation *out) {
    const char *name = yaml_text(node, "name");
    out->name = name ? name : yaml_text(node, "operation");
    out->kind = (enum ddbsim_operation_kind)read_int(r, SECTION_OPERATION, node, "operation", 0);
    enum ddbsim_status status = find_table(r, workload, node, &out->table);
    if (!status) status = find_entity(r, node, out->table, &out->entity);
    if (!status) status = read_place(r, workload, node, out);
    if (!status) status = read_query(r, node, out);
    if (!status) status = read_consistency(r, node, out);
    if (!status) status = read_size(r, node, out);
    if (!status) status = read_batch(r, node, out);
    if (!status) status = read_asks(r, node, out);
    if (!status) status = read_keys(r, node, out);
    return status ? status : read_effects(r, node, out);
}
