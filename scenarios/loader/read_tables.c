/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables and their entities. Indexes stand in read_index.c. */
#include <loader/read.h>

#include <string.h>

enum ddbsim_status read_burst(struct reader *r, struct yaml_node *owner, bool is_new,
                              struct ddbsim_burst *out) {
    struct yaml_node *burst = read_section(r, owner, "burst");
    if (!burst) return error_memory(r->error);
    out->window_ns = read_int(r, SECTION_BURST, burst, "window", 0);
    out->initial = read_int(r, SECTION_BURST, burst, "initial", is_new ? 0 : DDBSIM_SHARE_ONE);
    return read_fill(r, SECTION_BURST, burst, "initial", out->initial);
}

/* The value set that the suffix is made of. */
static enum ddbsim_status find_values(struct reader *r, const struct yaml_node *node,
                                      uint32_t *out) {
    *out = DDBSIM_NONE;
    if (!node) return DDBSIM_OK;
    const struct ddbsim_scenario *s = r->scenario;
    struct suggest suggest;
    suggest_start(&suggest, node->text);
    uint32_t i = 0;
    for (; i < s->value_count && strcmp(s->values[i].name, node->text) != 0; i++)
        suggest_offer(&suggest, s->values[i].name);
    if (i == s->value_count) return read_fail_word(r, node, "value set", &suggest, NULL);
    *out = i;
    return DDBSIM_OK;
}

static enum ddbsim_status read_shards(struct reader *r, const struct yaml_node *entity,
                                      struct ddbsim_entity *out) {
    const struct yaml_node *node = yaml_child(entity, "shards");
    enum ddbsim_status status = find_values(r, yaml_child(node, "of"), &out->shards.of);
    if (status) return status;
    if (node) {
        out->shards.count = (uint32_t)read_int(r, SECTION_SHARDS, node, "count", 0);
        out->shards.by = (enum ddbsim_shards_by)read_int(r, SECTION_SHARDS, node, "by", 0);
    }
    const char *problem = template_check_shards(out);
    if (!problem) return DDBSIM_OK;
    status = yaml_fail(r->error, node ? node : yaml_child(entity, "partition_key"), "%s", problem);
    error_hint(r->error, node ? "random: no `of`; product, sum, hash: of: a value set in the keys"
                              : "add shards: {count: 10, by: random}");
    return status;
}

static enum ddbsim_status read_entity(struct reader *r, const struct yaml_node *node,
                                      struct ddbsim_entity *out) {
    const struct yaml_node *sort_key = yaml_child(node, "sort_key");
    out->name = yaml_text(node, "name");
    out->count = (uint64_t)read_int(r, SECTION_ENTITY, node, "count", 0);
    out->item_bytes = read_int(r, SECTION_ENTITY, node, "size", 0);
    enum ddbsim_status status =
        read_template(r, yaml_child(node, "partition_key"), true, &out->partition_key);
    if (!status && sort_key) status = read_template(r, sort_key, false, &out->sort_key);
    return status ? status : read_shards(r, node, out);
}

static enum ddbsim_status read_entities(struct reader *r, const struct yaml_node *list,
                                        struct ddbsim_table *table) {
    struct ddbsim_entity *entities = arena_alloc(r->arena, list->count, sizeof *entities);
    if (!entities) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    struct ddbsim_entity *entity = entities;
    for (const struct yaml_node *node = list->first; node && !status; node = node->next, entity++) {
        status = read_entity(r, node, entity);
        bool simple = !entity->sort_key.text;
        if (!status && simple != !entities->sort_key.text)
            status = yaml_fail(r->error, node,
                               "a table has a sort key for all of its items or for none");
    }
    table->entities = entities;
    table->entity_count = list->count;
    return status;
}

static enum ddbsim_status check_locals(struct reader *r, const struct yaml_node *list,
                                       const struct ddbsim_table *table) {
    uint32_t locals = 0;
    for (uint32_t i = 0; i < table->index_count; i++)
        locals += table->indexes[i].type == DDBSIM_LOCAL;
    if (locals <= DDBSIM_LOCAL_INDEXES_MAX) return DDBSIM_OK;
    enum ddbsim_status status = yaml_fail(r->error, list, "the table has %u LOCAL indexes", locals);
    error_hint(r->error, "AWS allows %d", DDBSIM_LOCAL_INDEXES_MAX);
    return status;
}

static enum ddbsim_status read_indexes(struct reader *r, const struct yaml_node *list,
                                       struct ddbsim_table *table) {
    if (!list || !list->count) return DDBSIM_OK;
    if (list->count > DDBSIM_INDEXES_MAX) {
        enum ddbsim_status status =
            yaml_fail(r->error, list, "the table has %u indexes", list->count);
        error_hint(r->error, "AWS's default quota is %d global indexes a table",
                   DDBSIM_INDEXES_MAX);
        return status;
    }
    struct ddbsim_index *indexes = arena_alloc(r->arena, list->count, sizeof *indexes);
    if (!indexes) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    struct ddbsim_index *index = indexes;
    for (struct yaml_node *node = list->first; node && !status; node = node->next, index++)
        status = read_index(r, table, node, index);
    table->indexes = indexes;
    table->index_count = list->count;
    return status ? status : check_locals(r, list, table);
}

/* Where nothing has {shard}, `shards` would do nothing. */
static enum ddbsim_status check_shards_used(struct reader *r, const struct yaml_node *list,
                                            const struct ddbsim_table *table) {
    const struct yaml_node *node = list->first;
    for (uint32_t e = 0; e < table->entity_count; e++, node = node->next) {
        const struct ddbsim_entity *entity = &table->entities[e];
        bool used =
            entity->shards.count == 0 || template_has(&entity->partition_key, DDBSIM_PART_SHARD);
        for (uint32_t i = 0; i < table->index_count && !used; i++)
            used = template_has(&table->indexes[i].entries[e].partition_key, DDBSIM_PART_SHARD);
        if (used) continue;
        enum ddbsim_status status = yaml_fail(r->error, yaml_child(node, "shards"),
                                              "no partition key of the entity has {shard}");
        error_hint(r->error, "write the suffix where it goes, such as \"DAY#{day}.{shard}\"");
        return status;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status read_table(struct reader *r, struct yaml_node *node,
                                     struct ddbsim_table *out) {
    out->name = yaml_text(node, "name");
    out->billing = (enum ddbsim_billing)read_int(r, SECTION_TABLE, node, "billing_mode", 0);
    out->is_new = read_int(r, SECTION_TABLE, node, "new", false);
    out->throttling = read_int(r, SECTION_TABLE, node, "throttling", true);
    out->partitions = (uint32_t)read_int(r, SECTION_TABLE, node, "partitions", 0);
    out->model = r->scenario->model;
    struct yaml_node *model = yaml_child(node, "model");
    enum ddbsim_status status = model ? read_alarm_rules(r, model) : DDBSIM_OK;
    if (!status) status = read_model(r, SECTION_TABLE_MODEL, model, &out->model);
    struct read_capacity capacity = {0};
    if (!status)
        status = read_capacity(r, SECTION_TABLE, node, out->billing, &out->model, &capacity);
    out->read_capacity = capacity.read;
    out->write_capacity = capacity.write;
    out->says_read = capacity.says_read;
    out->says_write = capacity.says_write;
    out->says_billing = read_is_said(r, node, "billing_mode");
    out->maximum = capacity.maximum;
    out->warm = capacity.warm;
    out->previous_peak = capacity.previous_peak;
    if (!status) status = read_scaling(r, node, out->billing, &out->model, &out->scaling);
    if (!status) status = read_burst(r, node, out->is_new, &out->burst);
    if (!status) status = read_entities(r, yaml_child(node, "entities"), out);
    if (!status) status = read_indexes(r, yaml_child(node, "indexes"), out);
    return status ? status : check_shards_used(r, yaml_child(node, "entities"), out);
}

enum ddbsim_status read_tables(struct reader *r, const struct yaml_node *root) {
    const struct yaml_node *list = yaml_child(root, "tables");
    struct ddbsim_table *tables = arena_alloc(r->arena, list->count, sizeof *tables);
    if (!tables) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    struct ddbsim_table *table = tables;
    for (struct yaml_node *node = list->first; node && !status; node = node->next, table++)
        status = read_table(r, node, table);
    r->scenario->tables = tables;
    r->scenario->table_count = list->count;
    return status;
}
