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
    if (out->kind == DDBSIM_SCAN || table->indexes[i].entries[out->entity].in_index)
        return DDBSIM_OK;
    return yaml_fail(r->error, written, "the index does not hold \"%.60s\"",
                     table->entities[out->entity].name);
}

/* What Query and Scan have in common: pages, and a filter. */
static enum ddbsim_status read_pages(struct reader *r, struct yaml_node *node,
                                     struct ddbsim_operation *out) {
    static const char *const keys[] = {"index", "returned", "pages"};
    bool pages = ddbsim_operation_reads_pages((int)out->kind);
    enum ddbsim_status status = find_index(r, node, out);
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++)
        status = belongs(r, node, keys[i], pages, "Query and Scan");
    out->returned = read_int(r, SECTION_OPERATION, node, "returned", DDBSIM_SHARE_ONE);
    if (status || !pages) return status;
    out->all_pages = read_int(r, SECTION_OPERATION, node, "pages", 0);
    status = read_fill(r, SECTION_OPERATION, node, "pages", out->all_pages);
    return status ? status : read_fill(r, SECTION_OPERATION, node, "returned", out->returned);
}

static enum ddbsim_status read_query(struct reader *r, struct yaml_node *node,
                                     struct ddbsim_operation *out) {
    bool query = out->kind == DDBSIM_QUERY;
    enum ddbsim_status status = belongs(r, node, "items", query, "Query");
    if (status || !query) return status;
    out->items = (uint64_t)read_int(r, SECTION_OPERATION, node, "items", 1);
    return read_fill(r, SECTION_OPERATION, node, "items", (int64_t)out->items);
}

static enum ddbsim_status read_scan(struct reader *r, struct yaml_node *node,
                                    struct ddbsim_operation *out) {
    bool scan = out->kind == DDBSIM_SCAN;
    enum ddbsim_status status = belongs(r, node, "total_segments", scan, "Scan");
    if (!status)
        status = belongs(r, node, "entity", !scan, "other operations: a Scan reads all of a table");
    if (!status)
        status = belongs(r, node, "size", !scan, "other operations: a Scan reads what is there");
    if (status || !scan) return status;
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    if (out->index != DDBSIM_NONE && table->indexes[out->index].type == DDBSIM_LOCAL)
        return yaml_fail(r->error, yaml_child(node, "index"),
                         "a Scan of a LOCAL index is not simulated: scan its table");
    out->total_segments = (uint32_t)read_int(r, SECTION_OPERATION, node, "total_segments", 1);
    return read_fill(r, SECTION_OPERATION, node, "total_segments", out->total_segments);
}

static enum ddbsim_status read_consistency(struct reader *r, struct yaml_node *node,
                                           struct ddbsim_operation *out) {
    bool read = !ddbsim_operation_is_write((int)out->kind) &&
                !ddbsim_operation_is_transaction((int)out->kind);
    enum ddbsim_status status =
        belongs(r, node, "consistent_read", read, "GetItem, BatchGetItem, Query and Scan");
    out->consistent_read = read_int(r, SECTION_OPERATION, node, "consistent_read", false);
    if (status || !read) return status;
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    bool global = out->index != DDBSIM_NONE && table->indexes[out->index].type == DDBSIM_GLOBAL;
    if (out->consistent_read && global) out->refused = "a GLOBAL index has no strong reads";
    return read_fill(r, SECTION_OPERATION, node, "consistent_read", out->consistent_read);
}

/* How many items a batch has. AWS refuses a larger one as a whole (M-67). */
static enum ddbsim_status read_batch(struct reader *r, struct yaml_node *node,
                                     struct ddbsim_operation *out) {
    bool batch = ddbsim_operation_is_batch((int)out->kind);
    enum ddbsim_status status =
        belongs(r, node, "batch_size", batch, "BatchGetItem and BatchWriteItem");
    bool writes = out->kind == DDBSIM_BATCH_WRITE_ITEM;
    if (!status) status = belongs(r, node, "deletes", writes, "BatchWriteItem");
    if (status || !batch) return status;
    out->deletes = read_int(r, SECTION_OPERATION, node, "deletes", 0);
    uint32_t most = ddbsim_batch_size_max((int)out->kind);
    out->batch_size = (uint32_t)read_int(r, SECTION_OPERATION, node, "batch_size", most);
    if (out->batch_size > most)
        out->refused = out->kind == DDBSIM_BATCH_WRITE_ITEM ? "a batch of more than 25 items"
                                                            : "a batch of more than 100 items";
    else if (writes && out->batch_size * out->item_bytes > DDBSIM_BATCH_BYTES_MAX)
        out->refused = "a batch of more than 16 MB";
    return read_fill(r, SECTION_OPERATION, node, "batch_size", out->batch_size);
}

/* Shares that AWS refuses, and what an update adds. */
static enum ddbsim_status read_fate(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_operation *out) {
    bool conditional = out->kind == DDBSIM_PUT_ITEM || out->kind == DDBSIM_UPDATE_ITEM ||
                       out->kind == DDBSIM_DELETE_ITEM;
    enum ddbsim_status status = belongs(r, node, "condition_fails", conditional,
                                        "PutItem, UpdateItem, DeleteItem and actions of a "
                                        "transaction");
    if (!status) status = belongs(r, node, "grows", out->kind == DDBSIM_UPDATE_ITEM, "UpdateItem");
    out->condition_fails = read_int(r, SECTION_OPERATION, node, "condition_fails", 0);
    out->invalid = read_int(r, SECTION_OPERATION, node, "invalid", 0);
    out->grows_bytes = read_int(r, SECTION_OPERATION, node, "grows", 0);
    return status;
}

/* `shards`: which suffixes a read asks (M-16). */
static enum ddbsim_status read_shards(struct reader *r, const struct yaml_node *node,
                                      const struct ddbsim_shards *shards,
                                      struct ddbsim_operation *out) {
    const struct yaml_node *written = yaml_child(node, "shards");
    bool get = out->kind == DDBSIM_GET_ITEM, query = out->kind == DDBSIM_QUERY;
    enum ddbsim_status status = belongs(r, node, "shards", get || query, "GetItem and Query");
    if (status || !written) return status;
    if (shards->count == 0)
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

static enum ddbsim_status fail_unknown_suffix(struct reader *r, const struct yaml_node *node,
                                              const struct ddbsim_entity *entity) {
    enum ddbsim_status status = yaml_fail(
        r->error, node, "nobody knows the random suffix of an item of \"%.60s\"", entity->name);
    error_hint(r->error, "read with GetItem, which asks every suffix, or calculate the suffix");
    return status;
}

static bool has_random_suffix(const struct ddbsim_entity *entity) {
    return template_has(&entity->partition_key, DDBSIM_PART_SHARD) &&
           entity->shards.by == DDBSIM_SHARDS_RANDOM;
}

/* The partition key of what it reads: the item's, or of an index its entry's. */
static const struct ddbsim_template *key_of(const struct ddbsim_table *table,
                                            const struct ddbsim_operation *operation) {
    return operation->index == DDBSIM_NONE
               ? &table->entities[operation->entity].partition_key
               : &table->indexes[operation->index].entries[operation->entity].partition_key;
}

/* Nobody knows a random suffix: a look-up asks them all (M-14). */
static enum ddbsim_status read_asks(struct reader *r, const struct yaml_node *node,
                                    struct ddbsim_operation *out) {
    const struct ddbsim_table *table = &r->scenario->tables[out->table];
    const struct ddbsim_entity *entity = &table->entities[out->entity];
    bool sharded = template_has(key_of(table, out), DDBSIM_PART_SHARD);
    const struct ddbsim_shards none = {0};
    enum ddbsim_status status = read_shards(r, node, sharded ? &entity->shards : &none, out);
    if (status || !has_random_suffix(entity)) return status;
    if (out->kind == DDBSIM_GET_ITEM && out->asks == 0) out->asks = entity->shards.count;
    if (out->kind != DDBSIM_BATCH_GET_ITEM) return DDBSIM_OK;
    return fail_unknown_suffix(r, node, entity);
}

/* Several suffixes are asked one after the other, or so many at once. */
static enum ddbsim_status read_parallel(struct reader *r, struct yaml_node *node,
                                        struct ddbsim_operation *out) {
    bool several = out->kind == DDBSIM_QUERY && out->asks > 0;
    enum ddbsim_status status =
        belongs(r, node, "parallel", several, "a Query of several suffixes");
    if (status || !several) return status;
    out->parallel = (uint32_t)read_int(r, SECTION_OPERATION, node, "parallel", 1);
    return read_fill(r, SECTION_OPERATION, node, "parallel", out->parallel);
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
    if (!yaml_child(node, "size") && entry < 0) out->sizes = table->entities[out->entity].sizes;
    enum ddbsim_status status = read_sizes(r, node, &out->sizes, &out->item_bytes);
    if (!status && out->sizes.count == 0)
        status = read_fill(r, SECTION_OPERATION, node, "size", out->item_bytes);
    if (status || !ddbsim_operation_is_write((int)out->kind)) return status;
    return read_check_projected(r, read_at(node, "size"), table, out->entity, out->item_bytes);
}

/* Of a replica's items too: their table at home deletes them. */
static bool expires(const struct reader *r, const struct ddbsim_operation *operation) {
    const struct ddbsim_table *table = &r->scenario->tables[operation->table];
    if (table->region) table = &r->scenario->tables[table->home];
    return table->entities[operation->entity].ttl.enabled;
}

/* Does the write give its item a new moment to expire? */
static enum ddbsim_status read_renewal(struct reader *r, struct yaml_node *node,
                                       struct ddbsim_operation *out) {
    bool leaves_item = ddbsim_operation_is_write((int)out->kind) && out->kind != DDBSIM_DELETE_ITEM;
    enum ddbsim_status status =
        belongs(r, node, "renews_ttl", leaves_item && expires(r, out),
                "a PutItem, UpdateItem or BatchWriteItem of an entity with ttl");
    out->renews_ttl =
        read_int(r, SECTION_OPERATION, node, "renews_ttl", ddbsim_operation_puts((int)out->kind));
    if (status || !leaves_item || !expires(r, out)) return status;
    return read_fill(r, SECTION_OPERATION, node, "renews_ttl", out->renews_ttl);
}

/* ---- transactions ---- */

static enum ddbsim_status read_kind(struct reader *r, const struct yaml_node *node,
                                    const struct ddbsim_operation *whole,
                                    struct ddbsim_operation *out) {
    static const enum ddbsim_operation_kind kinds[] = {DDBSIM_UPDATE_ITEM, DDBSIM_PUT_ITEM,
                                                       DDBSIM_DELETE_ITEM, DDBSIM_UPDATE_ITEM,
                                                       DDBSIM_GET_ITEM};
    enum { CONDITION_CHECK = 3, GET = 4 };
    bool reads = whole->kind == DDBSIM_TRANSACT_GET_ITEMS;
    int64_t word = read_int(r, SECTION_MEMBER, node, "operation", reads ? GET : 0);
    out->kind = kinds[word];
    out->checks = word == CONDITION_CHECK;
    out->consistent_read = word == GET;
    if (reads == (word == GET)) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(node, "operation"), "a %s has no such action",
                     ddbsim_operation_name((int)whole->kind));
}

static enum ddbsim_status read_action(struct reader *r, const struct ddbsim_workload *workload,
                                      const struct ddbsim_operation *whole, struct yaml_node *node,
                                      struct ddbsim_operation *out) {
    struct ddbsim_workload of = *workload;
    const char *name = yaml_text(node, "name");
    of.table = whole->table;
    *out = (struct ddbsim_operation){
        .name = name ? name : whole->name, .index = DDBSIM_NONE, .probability = DDBSIM_SHARE_ONE};
    enum ddbsim_status status = read_kind(r, node, whole, out);
    if (!status) status = find_table(r, &of, node, &out->table);
    if (!status) status = find_entity(r, node, out->table, &out->entity);
    if (status) return status;
    const struct ddbsim_entity *entity = &r->scenario->tables[out->table].entities[out->entity];
    if (out->kind == DDBSIM_GET_ITEM && has_random_suffix(entity))
        return fail_unknown_suffix(r, node, entity);
    out->times = (uint32_t)read_int(r, SECTION_MEMBER, node, "times", 1);
    out->condition_fails = read_int(r, SECTION_MEMBER, node, "condition_fails", 0);
    out->renews_ttl = ddbsim_operation_puts((int)out->kind) && expires(r, out);
    if (out->condition_fails > 0 && out->kind == DDBSIM_GET_ITEM)
        return yaml_fail(r->error, read_at(node, "condition_fails"), "a read has no condition");
    status = read_size(r, node, out);
    return status ? status : read_effects(r, node, out);
}

/* What a write of a table leads to, each an event of its own: of each index and each replica. */
static uint32_t followers_of(const struct ddbsim_scenario *scenario, uint32_t number) {
    const struct ddbsim_table *tables = scenario->tables;
    uint32_t count = tables[number].index_count;
    for (uint32_t t = 0; t < scenario->table_count && tables[number].region; t++)
        count += t != number && tables[t].region && tables[t].home == tables[number].home;
    return count;
}

static enum ddbsim_status check_actions(struct reader *r, const struct yaml_node *list,
                                        struct ddbsim_operation *out) {
    int64_t bytes = 0;
    uint32_t followers = 0;
    for (uint32_t i = 0; i < out->action_count; i++) {
        const struct ddbsim_operation *action = &out->actions[i];
        out->batch_size += action->times;
        bytes += action->times * action->item_bytes;
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= out->actions[k].table == action->table;
        if (!again) followers += followers_of(r->scenario, action->table);
    }
    if (followers > DDBSIM_FOLLOWERS_MAX)
        return yaml_fail(r->error, list,
                         "the tables of one transaction have %u indexes and replicas; at most %d "
                         "can be simulated",
                         followers, DDBSIM_FOLLOWERS_MAX);
    if (out->batch_size > DDBSIM_TRANSACT_MAX)
        out->refused = "a transaction of more than 100 actions";
    else if (bytes > DDBSIM_TRANSACT_BYTES_MAX)
        out->refused = "a transaction of more than 4 MB";
    return DDBSIM_OK;
}

static enum ddbsim_status read_actions(struct reader *r, const struct ddbsim_workload *workload,
                                       const struct yaml_node *node, struct ddbsim_operation *out) {
    bool transacts = ddbsim_operation_is_transaction((int)out->kind);
    const struct yaml_node *list = yaml_child(node, "actions");
    enum ddbsim_status status =
        belongs(r, node, "actions", transacts, "TransactGetItems and TransactWriteItems");
    if (!status) status = belongs(r, node, "entity", !transacts, "an action of the transaction");
    if (!status) status = belongs(r, node, "size", !transacts, "an action of the transaction");
    if (status || !transacts) return status;
    if (!list || list->count == 0) {
        status = yaml_fail(r->error, node, "the transaction does nothing");
        error_hint(r->error, "add `actions` with at least one entry");
        return status;
    }
    struct ddbsim_operation *actions = arena_alloc(r->arena, list->count, sizeof *actions);
    if (!actions) return error_memory(r->error);
    for (struct yaml_node *child = list->first; child && !status; child = child->next)
        status = read_action(r, workload, out, child, &actions[out->action_count++]);
    out->actions = actions;
    return status ? status : check_actions(r, list, out);
}

/* A Scan and a transaction are of no entity: nothing is looked up by theirs. */
static enum ddbsim_status find_own_entity(struct reader *r, struct yaml_node *node,
                                          struct ddbsim_operation *out) {
    out->entity = 0;
    if (out->kind == DDBSIM_SCAN || ddbsim_operation_is_transaction((int)out->kind))
        return DDBSIM_OK;
    return find_entity(r, node, out->table, &out->entity);
}

static enum ddbsim_status read_own_size(struct reader *r, struct yaml_node *node,
                                        struct ddbsim_operation *out) {
    if (out->kind != DDBSIM_SCAN && !ddbsim_operation_is_transaction((int)out->kind))
        return read_size(r, node, out);
    out->item_bytes = r->scenario->tables[out->table].entities[0].item_bytes;
    return DDBSIM_OK;
}

enum ddbsim_status read_operation(struct reader *r, const struct ddbsim_workload *workload,
                                  struct yaml_node *node, struct ddbsim_operation *out) {
    const char *name = yaml_text(node, "name");
    out->name = name ? name : yaml_text(node, "operation");
    out->kind = (enum ddbsim_operation_kind)read_int(r, SECTION_OPERATION, node, "operation", 0);
    enum ddbsim_status status = find_table(r, workload, node, &out->table);
    if (!status) status = find_own_entity(r, node, out);
    if (!status) status = read_place(r, workload, node, out);
    if (!status) status = read_pages(r, node, out);
    if (!status) status = read_query(r, node, out);
    if (!status) status = read_scan(r, node, out);
    if (!status) status = read_consistency(r, node, out);
    if (!status) status = read_own_size(r, node, out);
    if (!status) status = read_batch(r, node, out);
    if (!status) status = read_fate(r, node, out);
    if (!status) status = read_renewal(r, node, out);
    if (!status) status = read_asks(r, node, out);
    if (!status) status = read_parallel(r, node, out);
    if (!status) status = read_keys(r, node, out);
    if (!status) status = read_actions(r, workload, node, out);
    if (status || ddbsim_operation_is_transaction((int)out->kind)) return status;
    return read_effects(r, node, out);
}
