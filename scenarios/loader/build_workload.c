/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Workloads in code. Invariants: operations name tables and entities that exist; the shares of every
 * effect sum to one; the keys of a workload draw from at most DDBSIM_VALUE_SETS_MAX value sets.
 */
#include <loader/build.h>

#include <base/check.h>
#include <ddbsim/presets.h>
#include <loader/client.h>
#include <loader/template.h>
#include <loader/usual.h>
#include <string.h>

struct ddbsim_workload ddbsim_workload_defaults(const char *name, double rate_per_s) {
    const struct ddbsim_preset *preset =
        ddbsim_preset((int)build_default(SECTION_CLIENT, "preset"));
    CHECK(preset != NULL);
    struct ddbsim_workload workload = {
        .name = name,
        .end_ns = DDBSIM_NO_TIME,
        .scale = 1,
        .arrivals = (enum ddbsim_arrivals)build_default(SECTION_WORKLOAD, "arrivals"),
        .start_rate_per_s = rate_per_s,
        .client = preset->client,
    };
    workload.client.preset = preset->name;
    return workload;
}

struct ddbsim_operation ddbsim_operation_defaults(enum ddbsim_operation_kind kind, uint32_t table,
                                                  uint32_t entity) {
    return (struct ddbsim_operation){
        .name = ddbsim_operation_name((int)kind),
        .kind = kind,
        .table = table,
        .entity = entity,
        .weight = DDBSIM_SHARE_ONE,
        .renews_ttl = ddbsim_operation_puts((int)kind),
        .consistent_read = kind == DDBSIM_GET_ITEM || kind == DDBSIM_BATCH_GET_ITEM,
        .returned = DDBSIM_SHARE_ONE,
        .total_segments = kind == DDBSIM_SCAN,
        .index = DDBSIM_NONE,
        .items = 1,
        .times = 1,
        .probability = DDBSIM_SHARE_ONE,
    };
}

/* ---- load ---- */

/* NaN is in no range. */
static bool rate_is_good(double rate_per_s) {
    return rate_per_s >= 0 && rate_per_s <= LITERAL_RATE_MAX_PER_S;
}

static enum ddbsim_status copy_stages(const struct build *b, struct ddbsim_workload *workload) {
    if (workload->stage_count == 0) return DDBSIM_OK;
    if (!workload->stages) return build_fail(b, "stages", "the list is missing");
    struct ddbsim_stage *stages =
        build_copy_array(b, workload->stages, workload->stage_count, sizeof *stages);
    if (!stages) return error_memory(b->error);
    struct build at = build_at(b, "stages", NULL);
    for (uint32_t i = 0; i < workload->stage_count; i++) {
        const struct build_number duration = {SECTION_STAGE, "duration", stages[i].duration_ns};
        enum ddbsim_status status = build_check_numbers(&at, &duration, 1);
        if (!status && !rate_is_good(stages[i].target_per_s))
            status = build_fail(&at, "target", "the rate lies outside 0..1e9/s");
        if (!stages[i].name) stages[i].name = arena_printf(b->arena, "%u", i + 1);
        if (!status) status = build_copy_text(b, &stages[i].name);
        if (status) return status;
    }
    workload->stages = stages;
    return DDBSIM_OK;
}

/* A closed loop has callers and no rate. 0 is what leaving the key out means. */
static enum ddbsim_status check_callers(const struct build *b,
                                        const struct ddbsim_workload *workload) {
    const struct build_number numbers[] = {
        {SECTION_WORKLOAD, "vus", workload->vus == 0 ? 1 : workload->vus},
        {SECTION_WORKLOAD, "iterations",
         workload->iterations == 0 ? 1 : (int64_t)workload->iterations},
        {SECTION_WORKLOAD, "think_time", workload->think_time_ns},
        {SECTION_WORKLOAD, "max_vus", workload->max_vus == 0 ? 1 : workload->max_vus},
    };
    bool closed = workload->vus > 0;
    if (closed && (workload->start_rate_per_s > 0 || workload->stage_count > 0))
        return build_fail(b, "vus", "callers and a rate exclude each other");
    if (closed && workload->max_vus > 0)
        return build_fail(b, "max_vus", "max_vus bounds a rate; here are callers");
    if (!closed && (workload->iterations > 0 || workload->think_time_ns > 0))
        return build_fail(b, "vus", "iterations and think_time belong to callers");
    return build_check_numbers(b, numbers, 4);
}

static enum ddbsim_status check_dax(const struct build *b, const struct ddbsim_dax *dax) {
    const struct build_number numbers[] = {
        {SECTION_DAX, "hit_ratio", dax->by_ratio ? dax->hit_ratio : 0},
        {SECTION_DAX, "item_ttl", dax->by_ratio ? DDBSIM_S : dax->item_ttl_ns},
    };
    struct build at = build_at(b, "dax", NULL);
    return dax->enabled ? build_check_numbers(&at, numbers, 2) : DDBSIM_OK;
}

static enum ddbsim_status check_bursts(const struct build *b,
                                       const struct ddbsim_workload *workload) {
    const struct build_number numbers[] = {
        {SECTION_BURSTY, "on", workload->burst_on_ns == 0 ? DDBSIM_S : workload->burst_on_ns},
        {SECTION_BURSTY, "off", workload->burst_off_ns},
    };
    struct build at = build_at(b, "arrivals.bursty", NULL);
    if (workload->burst_on_ns == 0 && workload->burst_off_ns != 0)
        return build_fail(&at, "on", "nothing would ever come");
    return build_check_numbers(&at, numbers, 2);
}

static enum ddbsim_status check_load(const struct build *b, struct ddbsim_workload *workload) {
    int64_t end_ns = b->scenario->duration_ns;
    if (workload->end_ns == DDBSIM_NO_TIME) workload->end_ns = end_ns;
    if (workload->start_ns < 0 || workload->start_ns >= end_ns)
        return build_fail(b, "start_time", "the workload begins outside the scenario");
    if (workload->end_ns <= workload->start_ns || workload->end_ns > end_ns)
        return build_fail(b, "end_time",
                          "the workload ends outside the scenario or before it begins");
    if (!(workload->scale >= 0 && workload->scale <= DDBSIM_SCALE_MAX))
        return build_fail(b, "scale", "the scale lies outside 0..%g", DDBSIM_SCALE_MAX);
    if (workload->replay) return build_fail(b, "replay", "recordings are replayed from YAML only");
    if (!rate_is_good(workload->start_rate_per_s))
        return build_fail(b, "rate", "the rate lies outside 0..1e9/s");
    enum ddbsim_status status = check_callers(b, workload);
    if (!status) status = check_dax(b, &workload->dax);
    if (status) return status;
    if (workload->reads_stream &&
        (workload->stream_of >= b->scenario->table_count ||
         b->scenario->tables[workload->stream_of].stream == DDBSIM_STREAM_NONE))
        return build_fail(b, "stream_of", "there is no such table, or it has no stream");
    if (workload->reads_stream && (workload->start_rate_per_s > 0 || workload->vus > 0))
        return build_fail(b, "stream_of", "a stream and another source of load exclude each other");
    if (workload->arrivals != DDBSIM_POISSON && workload->arrivals != DDBSIM_PACED)
        return build_fail(b, "arrivals", "there is no such kind of arrivals");
    status = check_bursts(b, workload);
    if (!status) status = build_check_lambda(b, workload);
    return status ? status : copy_stages(b, workload);
}

/* ---- callers ---- */

/* Numbers and words alike: a word's number lies among its key's words. */
static enum ddbsim_status check_field(const struct build *b, const struct client_field *field,
                                      int64_t value) {
    const struct grammar_key *key = grammar_find(field->section, field->key);
    char word[64];
    CHECK(key != NULL);
    if (key->type == TYPE_BOOL) return DDBSIM_OK;
    if (key->type != TYPE_CHOICE) {
        const struct build_number number = {field->section, field->key, value};
        return build_check_numbers(b, &number, 1);
    }
    bool known = value >= 0 && value <= INT32_MAX &&
                 grammar_word_at(grammar_choices(key), (int)value, word, sizeof word);
    return known ? DDBSIM_OK : build_fail(b, field->key, "there is no such word");
}

/* The last part of a section's title is the key that it stands under. */
static struct build at_section(const struct build *client, enum grammar_section section) {
    const char *dot = strrchr(grammar_section_title(section), '.');
    CHECK(dot != NULL);
    return section == SECTION_CLIENT ? *client : build_at(client, dot + 1, NULL);
}

static enum ddbsim_status check_client(const struct build *b, struct ddbsim_client *client) {
    const struct build_number numbers[] = {
        {SECTION_UNPROCESSED, "base", client->unprocessed.base_ns},
        {SECTION_UNPROCESSED, "cap", client->unprocessed.cap_ns},
        {SECTION_UNPROCESSED, "max_retries", client->unprocessed.max_retries},
    };
    struct build at = build_at(b, "client", NULL);
    const struct client_field *field;
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; (field = client_field(i)) && !status; i++) {
        struct build below = at_section(&at, field->section);
        status = check_field(&below, field, client_get(client, field));
    }
    if (status) return status;
    if (client->retry_mode == DDBSIM_MODE_NONE && client->max_attempts > 1)
        return build_fail(&at, "max_attempts", "retry_mode none means one attempt");
    if ((int)client->unprocessed.strategy < DDBSIM_UNPROCESSED_DROP ||
        client->unprocessed.strategy > DDBSIM_UNPROCESSED_TOP_UP)
        return build_fail(&at, "batch_unprocessed.strategy", "there is no such strategy");
    status = build_check_numbers(&at, numbers, sizeof numbers / sizeof *numbers);
    if (!status) status = build_check_layers(&at, client);
    return status ? status : build_copy_text(b, &client->preset);
}

/* ---- work ---- */

static enum ddbsim_status check_effect(const struct build *b, enum usual_effect usual,
                                       const struct ddbsim_index_effect *effect) {
    int64_t shares[USUAL_EFFECTS], rest = DDBSIM_SHARE_ONE;
    usual_effect_get(effect, shares);
    for (int i = 0; i < USUAL_EFFECTS; i++) {
        if (shares[i] < 0 || shares[i] > rest)
            return build_fail(b, "index_effect", "the shares do not sum to 100%%");
        if (shares[i] > 0 && !usual_allows(usual, (enum usual_effect)i))
            return build_fail(b, "index_effect", "such an operation cannot do that to an entry");
        rest -= shares[i];
    }
    return rest == 0 ? DDBSIM_OK
                     : build_fail(b, "index_effect", "the shares sum to less than 100%%");
}

/* Nobody knows a random suffix: a look-up asks them all (M-14). */
static void fill_asks(const struct build *b, struct ddbsim_operation *operation) {
    const struct ddbsim_entity *entity =
        &b->scenario->tables[operation->table].entities[operation->entity];
    bool unknown = template_has(&entity->partition_key, DDBSIM_PART_SHARD) &&
                   entity->shards.by == DDBSIM_SHARDS_RANDOM;
    if (unknown && operation->kind == DDBSIM_GET_ITEM && operation->asks == 0)
        operation->asks = entity->shards.count;
}

static enum ddbsim_status copy_effects(const struct build *b, struct ddbsim_operation *operation) {
    const struct ddbsim_table *table = &b->scenario->tables[operation->table];
    const struct ddbsim_index_effect *given = operation->effects;
    operation->effects = NULL;
    if (!ddbsim_operation_is_write((int)operation->kind) || table->index_count == 0)
        return DDBSIM_OK;
    struct ddbsim_index_effect *effects =
        arena_alloc(b->arena, table->index_count, sizeof *effects);
    if (!effects) return error_memory(b->error);
    for (uint32_t i = 0; i < table->index_count; i++) {
        enum usual_effect usual = usual_effect(table, &table->indexes[i], operation);
        int64_t shares[USUAL_EFFECTS] = {0};
        shares[usual] = DDBSIM_SHARE_ONE;
        usual_effect_set(&effects[i], shares);
        if (!given) continue;
        effects[i] = given[i];
        enum ddbsim_status status = check_effect(b, usual, &effects[i]);
        if (status) return status;
    }
    operation->effects = effects;
    return DDBSIM_OK;
}

/* What only reads have, and what they read where it is not said. */
static enum ddbsim_status check_reads(const struct build *b, const struct ddbsim_table *table,
                                      struct ddbsim_operation *operation) {
    const struct build_number items = {SECTION_OPERATION, "items", (int64_t)operation->items};
    const struct ddbsim_entry *entry = NULL;
    if (!ddbsim_operation_reads_pages((int)operation->kind)) operation->index = DDBSIM_NONE;
    if (operation->index != DDBSIM_NONE) {
        if (operation->index >= table->index_count)
            return build_fail(b, "index", "the table has no index %u", operation->index);
        const struct ddbsim_index *index = &table->indexes[operation->index];
        entry = &index->entries[operation->entity];
        if (!entry->in_index) return build_fail(b, "index", "the index does not hold this entity");
        if (operation->consistent_read && index->type == DDBSIM_GLOBAL)
            return build_fail(b, "consistent_read", "a GLOBAL index has no strong reads");
    }
    if (operation->item_bytes == 0 && !entry && operation->sizes.count == 0)
        operation->sizes = table->entities[operation->entity].sizes;
    if (operation->item_bytes == 0)
        operation->item_bytes = entry && entry->entry_bytes >= 0
                                    ? entry->entry_bytes
                                    : table->entities[operation->entity].item_bytes;
    return operation->kind == DDBSIM_QUERY ? build_check_numbers(b, &items, 1) : DDBSIM_OK;
}

/* A batch that AWS would refuse as a whole. 0 members are as many as AWS allows. */
static enum ddbsim_status check_batch(const struct build *b, struct ddbsim_operation *operation) {
    uint32_t most = ddbsim_batch_size_max((int)operation->kind);
    if (!ddbsim_operation_is_batch((int)operation->kind)) {
        operation->batch_size = 0;
        return DDBSIM_OK;
    }
    const struct build_number deletes = {SECTION_OPERATION, "deletes", operation->deletes};
    enum ddbsim_status status = build_check_numbers(b, &deletes, 1);
    if (status) return status;
    if (operation->batch_size == 0) operation->batch_size = most;
    if (operation->batch_size > most)
        return build_fail(b, "batch_size", "AWS refuses a batch of more than %u items", most);
    if (operation->kind == DDBSIM_BATCH_WRITE_ITEM &&
        operation->batch_size * operation->item_bytes > DDBSIM_BATCH_BYTES_MAX)
        return build_fail(b, "batch_size", "AWS refuses a batch of more than 16 MB");
    return DDBSIM_OK;
}

static enum ddbsim_status copy_operation(const struct build *b,
                                         struct ddbsim_operation *operation) {
    const struct ddbsim_scenario *scenario = b->scenario;
    if ((int)operation->kind < 0 || operation->kind >= DDBSIM_OPERATION_KINDS)
        return build_fail(b, "operation", "there is no such operation");
    if (operation->table >= scenario->table_count)
        return build_fail(b, "table", "there is no table %u", operation->table);
    const struct ddbsim_table *table = &scenario->tables[operation->table];
    if (operation->entity >= table->entity_count)
        return build_fail(b, "entity", "the table has no entity %u", operation->entity);
    if (ddbsim_operation_is_transaction((int)operation->kind))
        return build_fail(b, "operation", "a transaction is made from YAML only");
    if (operation->grows_bytes != 0)
        return build_fail(b, "grows", "items that grow are made from YAML only");
    enum ddbsim_status status = check_reads(b, table, operation);
    if (!status) status = build_copy_sizes(b, &operation->sizes);
    if (status) return status;
    const struct build_number numbers[] = {
        {SECTION_OPERATION, "size", operation->item_bytes},
        {SECTION_OPERATION, "times", operation->times},
        {SECTION_OPERATION, "probability", operation->probability},
        {SECTION_OPERATION, "returned", operation->returned},
        {SECTION_OPERATION, "condition_fails", operation->condition_fails},
        {SECTION_OPERATION, "invalid", operation->invalid},
        {SECTION_OPERATION, "total_segments",
         operation->kind == DDBSIM_SCAN ? operation->total_segments : 1},
    };
    if (operation->weight < 0) return build_fail(b, "weight", "a weight is not negative");
    status = build_check_numbers(b, numbers, sizeof numbers / sizeof *numbers);
    if (!status) status = check_batch(b, operation);
    if (!status) status = build_copy_text(b, &operation->name);
    if (!status && operation->key_count > 0)
        status = build_fail(b, "keys", "popularity of its own is for scenarios in YAML");
    if (!status) fill_asks(b, operation);
    return status ? status : copy_effects(b, operation);
}

static enum ddbsim_status copy_operations(const struct build *b, struct ddbsim_workload *workload) {
    if (!workload->operations || workload->operation_count == 0)
        return build_fail(b, workload->sequence ? "sequence" : "mix", "the list is empty");
    struct ddbsim_operation *operations =
        build_copy_array(b, workload->operations, workload->operation_count, sizeof *operations);
    bool *used = arena_alloc(b->arena, b->scenario->value_count + 1, sizeof *used);
    if (!operations || !used) return error_memory(b->error);
    workload->operations = operations;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        if (!operations[i].name)
            operations[i].name = ddbsim_operation_name((int)operations[i].kind);
        struct build at = build_at(b, workload->sequence ? "sequence" : "mix", operations[i].name);
        enum ddbsim_status status = copy_operation(&at, &operations[i]);
        if (status) return status;
    }
    if (workload->vus > 0 && !usual_does_anything(workload))
        return build_fail(b, workload->sequence ? "sequence" : "mix",
                          "no arrival of this closed loop would ever make a call");
    workload->table = operations[0].table;
    uint32_t drawn = template_sets_drawn(b->scenario, workload, used);
    if (drawn <= DDBSIM_VALUE_SETS_MAX) return DDBSIM_OK;
    return build_fail(b, NULL, "the workload's keys draw from %u value sets; at most %d can be",
                      drawn, DDBSIM_VALUE_SETS_MAX);
}

enum ddbsim_status ddbsim_scenario_add_workload(struct ddbsim_scenario *scenario,
                                                const struct ddbsim_workload *workload,
                                                struct ddbsim_error *error) {
    struct build b = build_at_scenario(scenario, error);
    struct build at = build_at(&b, "workloads", workload->name);
    enum ddbsim_status status = build_check_text(&at, SECTION_WORKLOAD, "name", workload->name);
    for (uint32_t i = 0; i < scenario->workload_count && !status; i++)
        if (!strcmp(scenario->workloads[i].name, workload->name))
            status = build_fail(&at, NULL, "there are two of this name");
    if (status) return status;
    struct ddbsim_workload *all =
        build_copy_array(&b, scenario->workloads, scenario->workload_count, sizeof *all);
    if (!all) return error_memory(error);
    struct ddbsim_workload *copy = &all[scenario->workload_count];
    *copy = *workload;
    status = check_load(&at, copy);
    if (!status) status = check_client(&at, &copy->client);
    if (!status) status = copy_operations(&at, copy);
    if (!status) status = build_copy_text(&b, &copy->name);
    if (status) return status;
    scenario->workloads = all;
    scenario->workload_count++;
    return DDBSIM_OK;
}
