/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One secondary index: its own keys (a LOCAL one sorts the table's partition keys anew), and for each entity of the table whether it appears,
 * under which key, how often and how large. Without `entries` every entity appears whole; with it
 * only those that are named do (AWS's guide calls that a sparse index).
 *
 * Invariant: an entity that is in the index has a partition key there.
 */
#include <loader/read.h>
#include <loader/usual.h>

#include <string.h>

/* ---- back-pressure ---- */

static void read_backpressure(struct reader *r, const struct yaml_node *index,
                              struct ddbsim_backpressure *out) {
    const struct yaml_node *node = yaml_child(index, "backpressure");
    const struct yaml_node *fields = node && node->kind == YAML_MAPPING ? node : NULL;
    int64_t preset = fields ? read_int(r, SECTION_BACKPRESSURE, fields, "preset", DDBSIM_OBSERVED)
                            : read_int(r, SECTION_INDEX, index, "backpressure", DDBSIM_OBSERVED);
    out->preset = (enum ddbsim_backpressure_preset)preset;
    out->buffer_units = read_int(r, SECTION_BACKPRESSURE, fields, "buffer", -1);
    out->grace_ns = read_int(r, SECTION_BACKPRESSURE, fields, "grace", -1);
    out->resume = read_int(r, SECTION_BACKPRESSURE, fields, "resume", -1);
    out->scope = (int)read_int(r, SECTION_BACKPRESSURE, fields, "scope", -1);
}

/* ---- entries ---- */

/* The entry's own key, else the index's. */
static enum ddbsim_status entry_key(struct reader *r, const struct yaml_node *entry,
                                    const char *key, const struct ddbsim_template *index_key,
                                    struct ddbsim_template *out) {
    const struct yaml_node *own = yaml_child(entry, key);
    *out = *index_key;
    return own ? read_template(r, own, !strcmp(key, "partition_key"), out) : DDBSIM_OK;
}

static enum ddbsim_status entry_bytes(struct reader *r, const struct ddbsim_index *index,
                                      const struct ddbsim_entity *entity, struct yaml_node *node,
                                      int64_t *out) {
    bool written = yaml_child(node, "entry_size");
    const struct yaml_node *at = read_at(node, "entry_size");
    *out = -1;
    if (index->projection == DDBSIM_ALL && !written) return DDBSIM_OK;
    if (index->projection == DDBSIM_ALL)
        return yaml_fail(r->error, at, "under ALL an entry has the item's size");
    if (index->projection == DDBSIM_INCLUDE && !written) {
        enum ddbsim_status status =
            yaml_fail(r->error, at, "INCLUDE needs the entry's size of \"%.60s\"", entity->name);
        error_hint(r->error, "add entry_size to its entry under `entries`");
        return status;
    }
    *out =
        read_int(r, SECTION_ENTRY, node, "entry_size", usual_keys_only_bytes(entity->item_bytes));
    if (*out > entity->item_bytes)
        return yaml_fail(r->error, at, "the entry is larger than the item \"%.60s\"", entity->name);
    return read_fill(r, SECTION_ENTRY, node, "entry_size", *out);
}

static enum ddbsim_status check_keys(struct reader *r, const struct ddbsim_index *index,
                                     const struct ddbsim_entity *entity,
                                     const struct yaml_node *node,
                                     const struct ddbsim_entry *entry) {
    if (!entry->partition_key.text)
        return yaml_fail(r->error, node, "the index has no partition key for \"%.60s\"",
                         entity->name);
    if (index->type == DDBSIM_LOCAL && !entry->sort_key.text)
        return yaml_fail(r->error, node, "the LOCAL index has no sort key for \"%.60s\"",
                         entity->name);
    if (template_has(&entry->sort_key, DDBSIM_PART_N) &&
        !template_has(&entity->sort_key, DDBSIM_PART_N))
        return yaml_fail(r->error, node, "\"%.60s\" has no {n} in its own sort key", entity->name);
    if (template_has(&entry->partition_key, DDBSIM_PART_SHARD) && entity->shards.count == 0)
        return yaml_fail(r->error, node, "the index has {shard}, and \"%.60s\" has no shards",
                         entity->name);
    return DDBSIM_OK;
}

static enum ddbsim_status read_entry(struct reader *r, const struct ddbsim_index *index,
                                     const struct ddbsim_entity *entity, struct yaml_node *node,
                                     struct ddbsim_entry *out) {
    out->in_index = true;
    out->present = read_int(r, SECTION_ENTRY, node, "present", DDBSIM_SHARE_ONE);
    bool local = index->type == DDBSIM_LOCAL;
    const struct yaml_node *own = yaml_child(node, "partition_key");
    if (local && own)
        return yaml_fail_key(r->error, own, "a LOCAL index has the table's partition keys");
    enum ddbsim_status status =
        entry_key(r, node, "partition_key", local ? &entity->partition_key : &index->partition_key,
                  &out->partition_key);
    if (!status) status = entry_key(r, node, "sort_key", &index->sort_key, &out->sort_key);
    if (!status) status = entry_bytes(r, index, entity, node, &out->entry_bytes);
    if (!status) status = check_keys(r, index, entity, node, out);
    return status ? status : read_fill(r, SECTION_ENTRY, node, "present", out->present);
}

/* Every name under `entries` is an entity's. */
static enum ddbsim_status check_names(struct reader *r, const struct ddbsim_table *table,
                                      const struct yaml_node *entries) {
    for (const struct yaml_node *node = entries->first; node; node = node->next) {
        struct suggest suggest;
        suggest_start(&suggest, node->key);
        bool found = false;
        for (uint32_t i = 0; i < table->entity_count && !found; i++) {
            found = !strcmp(table->entities[i].name, node->key);
            suggest_offer(&suggest, table->entities[i].name);
        }
        if (found) continue;
        enum ddbsim_status status =
            yaml_fail_key(r->error, node, "the table has no entity \"%.60s\"", node->key);
        suggest_hint(&suggest, r->error, NULL);
        return status;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status read_entries(struct reader *r, const struct ddbsim_table *table,
                                       struct yaml_node *index_node, struct ddbsim_index *index) {
    bool listed = yaml_child(index_node, "entries");
    struct yaml_node *nodes = read_section(r, index_node, "entries");
    struct ddbsim_entry *entries = arena_alloc(r->arena, table->entity_count, sizeof *entries);
    if (!nodes || !entries) return error_memory(r->error);
    enum ddbsim_status status = check_names(r, table, nodes);
    for (uint32_t i = 0; i < table->entity_count && !status; i++) {
        const struct ddbsim_entity *entity = &table->entities[i];
        entries[i].entry_bytes = -1;
        if (listed && !yaml_child(nodes, entity->name)) continue;
        struct yaml_node *node = read_section(r, nodes, entity->name);
        if (!node) return error_memory(r->error);
        status = read_entry(r, index, entity, node, &entries[i]);
    }
    index->entries = entries;
    return status;
}

enum ddbsim_status read_check_projected(struct reader *r, const struct yaml_node *node,
                                        const struct ddbsim_table *table, uint32_t entity,
                                        int64_t item_bytes) {
    int64_t bytes = item_bytes;
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct ddbsim_entry *entry = &table->indexes[i].entries[entity];
        if (table->indexes[i].type != DDBSIM_LOCAL || !entry->in_index) continue;
        bytes += ddbsim_entry_bytes(entry, item_bytes);
    }
    if (bytes <= DDBSIM_ITEM_BYTES_MAX) return DDBSIM_OK;
    char text[64];
    literal_put_size(bytes, text, sizeof text);
    enum ddbsim_status status =
        yaml_fail(r->error, node, "the item and its entries in LOCAL indexes have %s", text);
    error_hint(r->error, "AWS's limit is 400 KB an item, what LOCAL indexes project included");
    return status;
}

/* ---- the index ---- */

static enum ddbsim_status read_index_capacity(struct reader *r, const struct ddbsim_table *table,
                                              const struct yaml_node *node,
                                              struct ddbsim_index *out) {
    struct read_capacity capacity;
    enum ddbsim_status status =
        read_capacity(r, SECTION_INDEX, node, table->billing, &table->model, &capacity);
    out->read_capacity = capacity.read;
    out->write_capacity = capacity.write;
    out->says_read = capacity.says_read;
    out->says_write = capacity.says_write;
    out->maximum = capacity.maximum;
    out->warm = capacity.warm;
    out->previous_peak = capacity.previous_peak;
    if (status) return status;
    return read_scaling(r, node, node->absent ? DDBSIM_PROVISIONED : table->billing, &table->model,
                        &out->scaling);
}

/* It lives in the table's partitions, by the table's partition key. */
static enum ddbsim_status check_local(struct reader *r, const struct ddbsim_table *table,
                                      const struct yaml_node *node) {
    static const char *const of_global[] = {
        "partition_key",   "read_capacity", "write_capacity", "on_demand_throughput",
        "warm_throughput", "previous_peak", "partitions",     "burst",
        "backpressure",    "auto_scaling",  "scaler"};
    for (size_t i = 0; i < sizeof of_global / sizeof *of_global; i++) {
        const struct yaml_node *child = yaml_child(node, of_global[i]);
        if (!child) continue;
        enum ddbsim_status status =
            yaml_fail_key(r->error, child, "a LOCAL index has no %s of its own", of_global[i]);
        error_hint(r->error, "it lives in the table's partitions, and the table pays");
        return status;
    }
    if (!table->entities[0].sort_key.text)
        return yaml_fail(r->error, node, "a LOCAL index needs a table with sort keys");
    return DDBSIM_OK;
}

enum ddbsim_status read_index(struct reader *r, const struct ddbsim_table *table,
                              struct yaml_node *node, struct ddbsim_index *out) {
    const struct yaml_node *partition_key = yaml_child(node, "partition_key");
    const struct yaml_node *sort_key = yaml_child(node, "sort_key");
    enum ddbsim_status status = DDBSIM_OK;
    out->name = yaml_text(node, "name");
    out->comes_later = node->comes_later;
    if (partition_key) status = read_template(r, partition_key, true, &out->partition_key);
    if (sort_key && !status) status = read_template(r, sort_key, false, &out->sort_key);
    out->projection =
        (enum ddbsim_projection)read_int(r, SECTION_INDEX, node, "projection", DDBSIM_ALL);
    out->type = (enum ddbsim_index_type)read_int(r, SECTION_INDEX, node, "type", DDBSIM_GLOBAL);
    if (!status)
        status = out->type == DDBSIM_LOCAL ? check_local(r, table, node)
                                           : read_index_capacity(r, table, node, out);
    out->partitions = (uint32_t)read_int(r, SECTION_INDEX, node, "partitions", 0);
    read_backpressure(r, node, &out->backpressure);
    if (!status) status = read_burst(r, node, table->is_new, &out->burst);
    return status ? status : read_entries(r, table, node, out);
}
