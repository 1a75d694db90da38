/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables in code, with their entities and indexes. Invariants: an index has an entry for each entity; an
 * entity that is in an index has a partition key there.
 */
#include <loader/build.h>

#include <loader/template.h>
#include <loader/usual.h>
#include <string.h>

/* ---- defaults ---- */

static struct ddbsim_burst burst_defaults(void) {
    return (struct ddbsim_burst){.window_ns = build_default(SECTION_BURST, "window"),
                                 .initial = DDBSIM_SHARE_ONE};
}

struct ddbsim_table ddbsim_table_defaults(const char *name, int64_t read_capacity,
                                          int64_t write_capacity) {
    struct ddbsim_table table = {
        .name = name,
        .read_capacity = read_capacity,
        .write_capacity = write_capacity,
        .is_new = build_default(SECTION_TABLE, "new"),
        .throttling = build_default(SECTION_TABLE, "throttling"),
        .burst = burst_defaults(),
    };
#define X(field, key, kind, value, low, high, rule, what) table.model.field = value;
    DDBSIM_ASSUMPTIONS(X)
#undef X
    return table;
}

struct ddbsim_entity ddbsim_entity_defaults(const char *name, const char *partition_key,
                                            int64_t item_bytes) {
    return (struct ddbsim_entity){.name = name,
                                  .partition_key.text = partition_key,
                                  .count = (uint64_t)build_default(SECTION_ENTITY, "count"),
                                  .item_bytes = item_bytes};
}

struct ddbsim_index ddbsim_index_defaults(const char *name, const char *partition_key,
                                          int64_t read_capacity, int64_t write_capacity) {
    return (struct ddbsim_index){
        .name = name,
        .partition_key.text = partition_key,
        .projection = (enum ddbsim_projection)build_default(SECTION_INDEX, "projection"),
        .read_capacity = read_capacity,
        .write_capacity = write_capacity,
        .burst = burst_defaults(),
        .backpressure = {.preset = DDBSIM_OBSERVED,
                         .buffer_units = -1,
                         .grace_ns = -1,
                         .resume = -1,
                         .scope = -1},
    };
}

/* ---- parts ---- */

static enum ddbsim_status copy_template(const struct build *b, const char *key,
                                        struct ddbsim_template *template) {
    const char *text = template->text;
    *template = (struct ddbsim_template){0};
    if (!text) return DDBSIM_OK;
    enum ddbsim_status status = build_check_text(b, SECTION_ENTITY, key, text);
    if (status == DDBSIM_OK) status = build_copy_text(b, &text);
    if (status != DDBSIM_OK) return status;
    bool is_partition_key = !strcmp(key, "partition_key");
    status = template_parse(b->arena, b->scenario, text, is_partition_key, template, b->error);
    if (status == DDBSIM_INPUT) error_path(b->error, build_at(b, key, NULL).path);
    return status;
}

static enum ddbsim_status check_burst(const struct build *b, const struct ddbsim_burst *burst) {
    const struct build_number numbers[] = {
        {SECTION_BURST, "window", burst->window_ns},
        {SECTION_BURST, "initial", burst->initial},
    };
    struct build at = build_at(b, "burst", NULL);
    return build_check_numbers(&at, numbers, 2);
}

static bool is_stated(const struct ddbsim_throughput *throughput) {
    return throughput->read != 0 || throughput->write != 0;
}

static bool does_scale(const struct ddbsim_auto_scaling *scaling) {
    return scaling->read.enabled || scaling->write.enabled || scaling->scaler.enabled;
}

/* What a table or an index may consume. */
struct capacity {
    enum grammar_section section;
    enum ddbsim_billing billing;
    const struct ddbsim_assumptions *model;
    int64_t read, write;
    const struct ddbsim_throughput *maximum, *warm, *previous_peak;
};

/* 0 is what leaving the key out means, so a value that is known to pass stands in for it. */
static enum ddbsim_status check_throughput(const struct build *b, enum grammar_section section,
                                           const char *list, const char *read, const char *write,
                                           const struct ddbsim_throughput *throughput) {
    const struct build_number numbers[] = {
        {section, read, throughput->read == 0 ? 1 : throughput->read},
        {section, write, throughput->write == 0 ? 1 : throughput->write},
    };
    struct build at = build_at(b, list, NULL);
    return build_check_numbers(&at, numbers, 2);
}

static enum ddbsim_status check_provisioned(const struct build *b, const struct capacity *c) {
    const struct build_number numbers[] = {
        {c->section, "read_capacity", c->read},
        {c->section, "write_capacity", c->write},
    };
    if (is_stated(c->maximum))
        return build_fail(b, "on_demand_throughput", "this belongs to PAY_PER_REQUEST");
    if (is_stated(c->previous_peak))
        return build_fail(b, "previous_peak", "this belongs to PAY_PER_REQUEST");
    if (c->read > c->model->quota_read)
        return build_fail(b, "read_capacity", "the capacity is above the quota");
    if (c->write > c->model->quota_write)
        return build_fail(b, "write_capacity", "the capacity is above the quota");
    return build_check_numbers(b, numbers, 2);
}

static enum ddbsim_status check_capacity(const struct build *b, const struct capacity *c) {
    enum ddbsim_status status =
        check_throughput(b, SECTION_WARM, "warm_throughput", "read_units_per_second",
                         "write_units_per_second", c->warm);
    if (status) return status;
    if (c->billing == DDBSIM_PROVISIONED) return check_provisioned(b, c);
    if (c->billing != DDBSIM_PAY_PER_REQUEST)
        return build_fail(b, "billing_mode", "there is no such billing mode");
    if (c->read != 0 || c->write != 0)
        return build_fail(b, c->read != 0 ? "read_capacity" : "write_capacity",
                          "requests of a PAY_PER_REQUEST table buy no capacity");
    status = check_throughput(b, SECTION_MAXIMUM, "on_demand_throughput", "max_read_request_units",
                              "max_write_request_units", c->maximum);
    return status ? status
                  : check_throughput(b, SECTION_PEAK, "previous_peak", "read", "write",
                                     c->previous_peak);
}

/* 0 partitions is as many as capacity and bytes ask for. */
static enum ddbsim_status check_layout(const struct build *b, enum grammar_section section,
                                       uint32_t partitions, const struct ddbsim_burst *burst) {
    const struct build_number number = {section, "partitions", partitions > 0 ? partitions : 1};
    enum ddbsim_status status = build_check_numbers(b, &number, 1);
    return status ? status : check_burst(b, burst);
}

static enum ddbsim_status check_ttl(const struct build *b, const struct ddbsim_ttl *ttl) {
    const struct build_number numbers[] = {
        {SECTION_TTL, "after", ttl->after_ns},
        {SECTION_TTL, "age", ttl->age_ns},
    };
    struct build at = build_at(b, "ttl", NULL);
    if (!ttl->enabled) return DDBSIM_OK;
    if (ttl->after_ns % DDBSIM_S != 0) return build_fail(&at, "after", "TTL counts whole seconds");
    if (ttl->unit != DDBSIM_TTL_SECONDS && ttl->unit != DDBSIM_TTL_MILLISECONDS)
        return build_fail(&at, "unit", "there is no such unit");
    if (!(ttl->inflow_per_s >= 0 && ttl->inflow_per_s <= LITERAL_RATE_MAX_PER_S))
        return build_fail(&at, "inflow", "the rate is out of range");
    return build_check_numbers(&at, numbers, 2);
}

static enum ddbsim_status check_shards(const struct build *b, struct ddbsim_entity *entity) {
    /* An entity without shards may leave them at zero. */
    if (entity->shards.count == 0) entity->shards.of = DDBSIM_NONE;
    const struct build_number number = {SECTION_SHARDS, "count",
                                        entity->shards.count == 0 ? 1 : entity->shards.count};
    struct build at = build_at(b, "shards", NULL);
    if (entity->shards.by > DDBSIM_SHARDS_HASH)
        return build_fail(&at, "by", "there is no such way to make a suffix");
    enum ddbsim_status status = build_check_numbers(&at, &number, 1);
    const char *problem = template_check_shards(entity);
    return status || !problem ? status : build_fail(b, "shards", "%s", problem);
}

static enum ddbsim_status copy_entity(const struct build *b, const struct ddbsim_table *table,
                                      struct ddbsim_entity *entity) {
    const struct build_number numbers[] = {
        {SECTION_ENTITY, "count", (int64_t)entity->count},
        {SECTION_ENTITY, "size", entity->item_bytes},
    };
    enum ddbsim_status status = build_check_numbers(b, numbers, 2);
    if (!status) status = build_copy_sizes(b, &entity->sizes);
    if (!status) status = check_ttl(b, &entity->ttl);
    if (!status) status = build_copy_text(b, &entity->name);
    if (!status && !entity->partition_key.text)
        status = build_fail(b, "partition_key", "the text is missing");
    if (!status) status = copy_template(b, "partition_key", &entity->partition_key);
    if (!status) status = copy_template(b, "sort_key", &entity->sort_key);
    if (!status) status = check_shards(b, entity);
    if (status || !entity->sort_key.text == !table->entities[0].sort_key.text) return status;
    return build_fail(b, "sort_key", "a table has a sort key for all of its items or for none");
}

static enum ddbsim_status copy_entities(const struct build *b, struct ddbsim_table *table) {
    if (!table->entities || table->entity_count == 0)
        return build_fail(b, "entities", "the list is empty");
    struct ddbsim_entity *entities =
        build_copy_array(b, table->entities, table->entity_count, sizeof *entities);
    if (!entities) return error_memory(b->error);
    for (uint32_t i = 0; i < table->entity_count; i++) {
        struct build at = build_at(b, "entities", entities[i].name);
        enum ddbsim_status status = build_check_text(&at, SECTION_ENTITY, "name", entities[i].name);
        for (uint32_t k = 0; k < i && !status; k++)
            if (!strcmp(entities[k].name, entities[i].name))
                status = build_fail(&at, NULL, "there are two of this name");
        if (!status) status = copy_entity(&at, table, &entities[i]);
        if (status) return status;
    }
    table->entities = entities;
    return DDBSIM_OK;
}

/* ---- indexes ---- */

static enum ddbsim_status check_backpressure(const struct build *b,
                                             const struct ddbsim_backpressure *pressure) {
    /* -1 leaves the field to the preset, so a value that is known to pass stands in for it. */
    const struct build_number numbers[] = {
        {SECTION_BACKPRESSURE, "buffer", pressure->buffer_units < 0 ? 0 : pressure->buffer_units},
        {SECTION_BACKPRESSURE, "grace", pressure->grace_ns < 0 ? 0 : pressure->grace_ns},
        {SECTION_BACKPRESSURE, "resume",
         pressure->resume < 0 ? DDBSIM_SHARE_ONE : pressure->resume},
    };
    struct build at = build_at(b, "backpressure", NULL);
    if (pressure->preset != DDBSIM_OBSERVED && pressure->preset != DDBSIM_TEXTBOOK)
        return build_fail(&at, "preset", "there is no such preset");
    if (pressure->scope > DDBSIM_SCOPE_TOUCHING)
        return build_fail(&at, "scope", "there is no such scope");
    return build_check_numbers(&at, numbers, 3);
}

/* The entry's size where none is given. */
static enum ddbsim_status fill_bytes(const struct build *b, const struct ddbsim_index *index,
                                     const struct ddbsim_entity *entity,
                                     struct ddbsim_entry *entry) {
    if (index->projection == DDBSIM_ALL && entry->entry_bytes >= 0)
        return build_fail(b, "entry_size", "under ALL an entry has the item's size");
    if (index->projection == DDBSIM_ALL) return DDBSIM_OK;
    if (index->projection == DDBSIM_KEYS_ONLY && entry->entry_bytes < 0)
        entry->entry_bytes = usual_keys_only_bytes(entity->item_bytes);
    if (entry->entry_bytes < 1)
        return build_fail(b, "entry_size", "INCLUDE needs the entry's size");
    if (entry->entry_bytes > entity->item_bytes)
        return build_fail(b, "entry_size", "the entry is larger than the item");
    return DDBSIM_OK;
}

static enum ddbsim_status copy_entry(const struct build *b, const struct ddbsim_index *index,
                                     const struct ddbsim_entity *entity,
                                     struct ddbsim_entry *entry) {
    const struct build_number present = {SECTION_ENTRY, "present", entry->present};
    if (!entry->in_index) {
        *entry = (struct ddbsim_entry){.entry_bytes = -1};
        return DDBSIM_OK;
    }
    enum ddbsim_status status = build_check_numbers(b, &present, 1);
    if (!status) status = fill_bytes(b, index, entity, entry);
    if (!status) status = copy_template(b, "partition_key", &entry->partition_key);
    if (!status) status = copy_template(b, "sort_key", &entry->sort_key);
    if (status) return status;
    bool local = index->type == DDBSIM_LOCAL;
    if (local && entry->partition_key.text)
        return build_fail(b, "partition_key", "a LOCAL index has the table's partition keys");
    if (!entry->partition_key.text)
        entry->partition_key = local ? entity->partition_key : index->partition_key;
    if (!entry->sort_key.text) entry->sort_key = index->sort_key;
    if (!entry->partition_key.text)
        return build_fail(b, "partition_key", "the index has no partition key for this entity");
    if (local && !entry->sort_key.text)
        return build_fail(b, "sort_key", "the LOCAL index has no sort key for this entity");
    if (template_has(&entry->sort_key, DDBSIM_PART_N) &&
        !template_has(&entity->sort_key, DDBSIM_PART_N))
        return build_fail(b, "sort_key", "the entity has no {n} in its own sort key");
    if (template_has(&entry->partition_key, DDBSIM_PART_SHARD) && entity->shards.count == 0)
        return build_fail(b, "partition_key", "it has {shard}, and the entity has no shards");
    return DDBSIM_OK;
}

static enum ddbsim_status copy_entries(const struct build *b, const struct ddbsim_table *table,
                                       struct ddbsim_index *index) {
    struct ddbsim_entry *entries = arena_alloc(b->arena, table->entity_count, sizeof *entries);
    if (!entries) return error_memory(b->error);
    for (uint32_t i = 0; i < table->entity_count; i++) {
        const struct ddbsim_entity *entity = &table->entities[i];
        const struct ddbsim_entry whole = {
            .in_index = true, .present = DDBSIM_SHARE_ONE, .entry_bytes = -1};
        entries[i] = index->entries ? index->entries[i] : whole;
        struct build at = build_at(b, "entries", entity->name);
        enum ddbsim_status status = copy_entry(&at, index, entity, &entries[i]);
        if (status) return status;
    }
    index->entries = entries;
    return DDBSIM_OK;
}

static enum ddbsim_status check_global(const struct build *b, const struct ddbsim_table *table,
                                       const struct ddbsim_index *index) {
    const struct capacity capacity = {SECTION_INDEX,        table->billing,        &table->model,
                                      index->read_capacity, index->write_capacity, &index->maximum,
                                      &index->warm,         &index->previous_peak};
    if (index->type != DDBSIM_GLOBAL) return build_fail(b, "type", "there is no such type");
    return check_capacity(b, &capacity);
}

/* It lives in the table's partitions, by the table's partition key. */
static enum ddbsim_status check_local(const struct build *b, const struct ddbsim_table *table,
                                      const struct ddbsim_index *index) {
    if (index->partition_key.text)
        return build_fail(b, "partition_key", "a LOCAL index has no partition_key of its own");
    if (index->read_capacity != 0 || index->write_capacity != 0 || index->partitions != 0 ||
        is_stated(&index->maximum) || is_stated(&index->warm) || is_stated(&index->previous_peak) ||
        does_scale(&index->scaling))
        return build_fail(b, "type", "a LOCAL index has no capacity and no partitions of its own");
    if (!table->entities[0].sort_key.text)
        return build_fail(b, "type", "a LOCAL index needs a table with sort keys");
    return DDBSIM_OK;
}

static enum ddbsim_status copy_index(const struct build *b, const struct ddbsim_table *table,
                                     struct ddbsim_index *index) {
    enum ddbsim_status status =
        index->type == DDBSIM_LOCAL ? check_local(b, table, index) : check_global(b, table, index);
    if (!status) status = build_scaling(b, table->billing, &index->scaling);
    if (!status) status = check_layout(b, SECTION_INDEX, index->partitions, &index->burst);
    if (!status && index->projection > DDBSIM_ALL)
        status = build_fail(b, "projection", "there is no such projection");
    if (!status) status = check_backpressure(b, &index->backpressure);
    if (!status) status = build_copy_text(b, &index->name);
    if (!status) status = copy_template(b, "partition_key", &index->partition_key);
    if (!status) status = copy_template(b, "sort_key", &index->sort_key);
    return status ? status : copy_entries(b, table, index);
}

static enum ddbsim_status copy_indexes(const struct build *b, struct ddbsim_table *table) {
    if (table->index_count > DDBSIM_INDEXES_MAX)
        return build_fail(b, "indexes", "the table has more than %d indexes", DDBSIM_INDEXES_MAX);
    if (table->index_count > 0 && !table->indexes)
        return build_fail(b, "indexes", "the list is missing");
    struct ddbsim_index *indexes =
        build_copy_array(b, table->indexes, table->index_count, sizeof *indexes);
    uint32_t locals = 0;
    if (!indexes) return error_memory(b->error);
    for (uint32_t i = 0; i < table->index_count; i++) {
        struct build at = build_at(b, "indexes", indexes[i].name);
        enum ddbsim_status status = build_check_text(&at, SECTION_INDEX, "name", indexes[i].name);
        for (uint32_t k = 0; k < i && !status; k++)
            if (!strcmp(indexes[k].name, indexes[i].name))
                status = build_fail(&at, NULL, "there are two of this name");
        if (!status) status = copy_index(&at, table, &indexes[i]);
        if (status) return status;
        locals += indexes[i].type == DDBSIM_LOCAL;
    }
    if (locals > DDBSIM_LOCAL_INDEXES_MAX)
        return build_fail(b, "indexes", "the table has more than %d LOCAL indexes",
                          DDBSIM_LOCAL_INDEXES_MAX);
    table->indexes = indexes;
    return DDBSIM_OK;
}

/* ---- the table ---- */

static enum ddbsim_status check_model(const struct build *b,
                                      const struct ddbsim_assumptions *model) {
    const struct build_number numbers[] = {
#define X(field, key, kind, value, low, high, rule, what) {SECTION_TABLE_MODEL, key, model->field},
        DDBSIM_ASSUMPTIONS(X)
#undef X
    };
    struct build at = build_at(b, "model", NULL);
    return build_check_numbers(&at, numbers, sizeof numbers / sizeof *numbers);
}

static enum ddbsim_status copy_table(const struct build *b, struct ddbsim_table *table) {
    const struct capacity capacity = {SECTION_TABLE,        table->billing,        &table->model,
                                      table->read_capacity, table->write_capacity, &table->maximum,
                                      &table->warm,         &table->previous_peak};
    enum ddbsim_status status = check_model(b, &table->model);
    if (!status) status = check_capacity(b, &capacity);
    if (!status) status = build_scaling(b, table->billing, &table->scaling);
    if (!status) status = check_layout(b, SECTION_TABLE, table->partitions, &table->burst);
    if (!status) status = build_copy_text(b, &table->name);
    if (!status) status = copy_entities(b, table);
    return status ? status : copy_indexes(b, table);
}

/* A replica names the table that it is one of: an earlier one, or itself. */
static enum ddbsim_status copy_region(const struct build *b, struct ddbsim_table *table) {
    if (!table->region) return DDBSIM_OK;
    if (table->home > b->scenario->table_count)
        return build_fail(b, "replicas", "there is no such table yet");
    return build_copy_text(b, &table->region);
}

enum ddbsim_status ddbsim_scenario_add_table(struct ddbsim_scenario *scenario,
                                             const struct ddbsim_table *table,
                                             struct ddbsim_error *error) {
    struct build b = build_at_scenario(scenario, error);
    struct build at = build_at(&b, "tables", table->name);
    enum ddbsim_status status = build_check_text(&at, SECTION_TABLE, "name", table->name);
    for (uint32_t i = 0; i < scenario->table_count && !status; i++)
        if (!strcmp(scenario->tables[i].name, table->name))
            status = build_fail(&at, NULL, "there are two of this name");
    if (status) return status;
    struct ddbsim_table *all =
        build_copy_array(&b, scenario->tables, scenario->table_count, sizeof *all);
    if (!all) return error_memory(error);
    all[scenario->table_count] = *table;
    status = copy_table(&at, &all[scenario->table_count]);
    if (!status) status = copy_region(&at, &all[scenario->table_count]);
    if (status) return status;
    scenario->tables = all;
    scenario->table_count++;
    return DDBSIM_OK;
}
