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

static enum ddbsim_status read_ttl(struct reader *r, struct yaml_node *node,
                                   struct ddbsim_ttl *out) {
    *out = (struct ddbsim_ttl){0};
    if (!node) return DDBSIM_OK;
    out->enabled = true;
    out->after_ns = read_int(r, SECTION_TTL, node, "after", 0);
    out->unit = (enum ddbsim_ttl_unit)read_int(r, SECTION_TTL, node, "unit", 0);
    out->age_ns = read_int(r, SECTION_TTL, node, "age", out->after_ns);
    out->inflow_per_s = read_real(r, SECTION_TTL, node, "inflow", 0);
    if (out->after_ns % DDBSIM_S != 0)
        return yaml_fail(r->error, read_at(node, "after"), "TTL counts whole seconds");
    return read_fill(r, SECTION_TTL, node, "age", out->age_ns);
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
    enum ddbsim_status status = read_sizes(r, node, &out->sizes, &out->item_bytes);
    if (!status)
        status = read_template(r, yaml_child(node, "partition_key"), true, &out->partition_key);
    if (!status && sort_key) status = read_template(r, sort_key, false, &out->sort_key);
    if (!status) status = read_ttl(r, yaml_child(node, "ttl"), &out->ttl);
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

static enum ddbsim_status check_projected(struct reader *r, const struct yaml_node *entities,
                                          const struct ddbsim_table *table) {
    const struct yaml_node *node = entities->first;
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t e = 0; e < table->entity_count && !status; e++, node = node->next)
        status =
            read_check_projected(r, read_at(node, "size"), table, e, table->entities[e].item_bytes);
    return status;
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
    out->stream = (enum ddbsim_stream)read_int(r, SECTION_TABLE, node, "stream", 0);
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
    if (!status) status = check_shards_used(r, yaml_child(node, "entities"), out);
    return status ? status : check_projected(r, yaml_child(node, "entities"), out);
}

/* ---- global tables ---- */

#define HOME_REGION "eu-west-1" /* of every table that a scenario writes */

/* Items come by replication: TTL deletes them where they were written, and indexes are the home table's. */
static enum ddbsim_status replica_init(struct reader *r, const struct ddbsim_table *home,
                                       uint32_t number, const char *region,
                                       struct ddbsim_table *out) {
    struct ddbsim_entity *entities = arena_alloc(r->arena, home->entity_count, sizeof *entities);
    *out = *home;
    out->name = arena_printf(r->arena, "%s@%s", home->name, region);
    if (!entities || !out->name) return error_memory(r->error);
    memcpy(entities, home->entities, home->entity_count * sizeof *entities);
    for (uint32_t e = 0; e < home->entity_count; e++)
        entities[e].ttl = (struct ddbsim_ttl){0};
    out->entities = entities;
    out->indexes = NULL;
    out->index_count = 0;
    out->region = region;
    out->home = number;
    return DDBSIM_OK;
}

static bool is_region(const char *text) {
    size_t length = strlen(text);
    return length > 0 && length <= 32 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

static enum ddbsim_status read_replicas(struct reader *r, const struct yaml_node *node,
                                        struct ddbsim_table *tables, struct ddbsim_table **next) {
    const struct yaml_node *list = yaml_child(node, "replicas");
    struct ddbsim_table *home = tables;
    while (strcmp(home->name, yaml_text(node, "name")) != 0)
        home++;
    if (!list || !list->count) return DDBSIM_OK;
    if (list->count > DDBSIM_FOLLOWERS_MAX - DDBSIM_INDEXES_MAX)
        return yaml_fail(r->error, list, "%u replicas; at most %d can be simulated", list->count,
                         DDBSIM_FOLLOWERS_MAX - DDBSIM_INDEXES_MAX);
    home->region = HOME_REGION;
    home->home = (uint32_t)(home - tables);
    for (const struct yaml_node *child = list->first; child; child = child->next) {
        if (!is_region(child->text)) {
            enum ddbsim_status status =
                yaml_fail(r->error, child, "\"%.40s\" is no Region", child->text);
            error_hint(r->error, "Regions look like us-east-1");
            return status;
        }
        if (!strcmp(child->text, HOME_REGION))
            return yaml_fail(r->error, child, "the table itself is in %s", HOME_REGION);
        for (const struct yaml_node *other = list->first; other != child; other = other->next)
            if (!strcmp(other->text, child->text))
                return yaml_fail(r->error, child, "the Region stands there twice");
        enum ddbsim_status status = replica_init(r, home, home->home, child->text, (*next)++);
        if (status) return status;
    }
    return DDBSIM_OK;
}

enum ddbsim_status read_tables(struct reader *r, const struct yaml_node *root) {
    const struct yaml_node *list = yaml_child(root, "tables");
    uint32_t count = list->count;
    for (const struct yaml_node *node = list->first; node; node = node->next)
        count += read_count(node, "replicas");
    struct ddbsim_table *tables = arena_alloc(r->arena, count, sizeof *tables);
    if (!tables) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    struct ddbsim_table *table = tables;
    for (struct yaml_node *node = list->first; node && !status; node = node->next, table++)
        status = read_table(r, node, table);
    for (struct yaml_node *node = list->first; node && !status; node = node->next)
        status = read_replicas(r, node, tables, &table);
    r->scenario->tables = tables;
    r->scenario->table_count = (uint32_t)(table - tables);
    return status;
}
