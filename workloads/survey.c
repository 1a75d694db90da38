/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a generator knows before its first arrival, over the scenario and all that becomes of it: which value sets its
 * keys draw from, which purposes need draws, which hashes will be asked for, and what keys can hold.
 */
#include <workloads/generator.h>

#include <base/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ddbsim_workload *survey_workload(const struct ddbsim_scenario *scenario,
                                              const char *name) {
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (strcmp(scenario->workloads[i].name, name) == 0) return &scenario->workloads[i];
    return NULL;
}

/* The scenario and what becomes of it, by number; NULL past the end. */
static const struct ddbsim_scenario *stage_of(const struct ddbsim_scenario *scenario, uint32_t i) {
    if (i == 0) return scenario;
    return i <= scenario->change_count ? scenario->changes[i - 1].after : NULL;
}

static void slot_mark(struct source *source, const struct key_template *template) {
    for (uint32_t i = 0; i < template->digit_count; i++) {
        if (template->sets[i] == DDBSIM_NONE) continue;
        uint32_t *slot = &source->slots[template->sets[i]];
        if (*slot == DDBSIM_NONE) *slot = source->slot_count++;
    }
}

/* A draw that no call can ask for is not made: its stream is its own, so nobody misses it. */
static void purposes_mark(struct source *source, const struct ddbsim_workload *workload) {
    const struct population_table *tables = source->population->tables;
    struct stream *streams = source->streams;
    uint32_t weighted = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &workload->operations[i];
        const struct population_entity *entity =
            &tables[operation->table].entities[operation->entity];
        weighted += operation->weight > 0;
        if (workload->sequence && operation->probability < DDBSIM_SHARE_ONE)
            streams[CHOICE].used = true;
        if (operation->effects && tables[operation->table].table->index_count > 0)
            streams[EFFECT].used = streams[INDEX_KEY].used = true;
        if (operation->kind == DDBSIM_QUERY && operation->index != DDBSIM_NONE)
            streams[INDEX_KEY].used = true;
        if (entity->entity->shards.count > 0) streams[SHARD].used = true;
        if (entity->grows || entity->share + (entity->more > 0) > 1) streams[ITEM].used = true;
    }
    if (!workload->sequence && weighted > 1) streams[CHOICE].used = true;
    if (workload->client.processes > 1) streams[PROCESS].used = true;
}

/* Gives a slot to each value set that keys of the workload draw from, now or after any change. */
static void slots_mark(struct source *source, const struct ddbsim_workload *workload) {
    for (uint32_t i = 0; i < workload->operation_count; i++)
        for (uint32_t k = 0; k < generator_part_count(&workload->operations[i]); k++) {
            const struct ddbsim_operation *operation = generator_part(&workload->operations[i], k);
            const struct population_entity *entity =
                &source->population->tables[operation->table].entities[operation->entity];
            slot_mark(source, &entity->partition);
            slot_mark(source, &entity->sort);
        }
}

static enum ddbsim_status template_check(const struct key_template *template, const char *path,
                                         struct ddbsim_error *error) {
    if (template->text_max <= KEY_TEXT_MAX && template->combinations > 0) return DDBSIM_OK;
    if (template->combinations == 0)
        error_set(error, DDBSIM_INPUT, "the key's value sets have more combinations than 2^64");
    else
        error_set(error, DDBSIM_INPUT, "the key's text may have %zu bytes; a key has at most %d",
                  template->text_max, KEY_TEXT_MAX);
    error_path(error, path);
    return DDBSIM_INPUT;
}

static enum ddbsim_status key_check(const struct population *population,
                                    const struct ddbsim_operation *operation,
                                    struct ddbsim_error *error) {
    char path[256];
    const struct population_table *table = &population->tables[operation->table];
    const struct population_entity *entity = &table->entities[operation->entity];
    snprintf(path, sizeof path, "tables.%s.entities.%s.partition_key", table->table->name,
             entity->entity->name);
    enum ddbsim_status status = template_check(&entity->partition, path, error);
    for (uint32_t i = 0; i < table->table->index_count && status == DDBSIM_OK; i++) {
        if (!table->table->indexes[i].entries[operation->entity].in_index) continue;
        snprintf(path, sizeof path, "tables.%s.indexes.%s.partition_key", table->table->name,
                 table->table->indexes[i].name);
        status = template_check(&entity->entries[i].partition, path, error);
    }
    return status;
}

/* What a key's text and ordinal can hold, for the entities that the workload uses. */
static enum ddbsim_status keys_check(const struct population *population,
                                     const struct ddbsim_workload *workload,
                                     struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t o = 0; o < workload->operation_count && status == DDBSIM_OK; o++)
        for (uint32_t k = 0;
             k < generator_part_count(&workload->operations[o]) && status == DDBSIM_OK; k++)
            status = key_check(population, generator_part(&workload->operations[o], k), error);
    return status;
}

static bool index_mixes_init(struct source *source) {
    const struct ddbsim_scenario *scenario = source->population->scenario;
    uint32_t count = 0;
    source->index_first = calloc(scenario->table_count + 1, sizeof *source->index_first);
    if (!source->index_first) return false;
    for (uint32_t t = 0; t < scenario->table_count; t++) {
        source->index_first[t] = count;
        count += scenario->tables[t].index_count;
    }
    source->index_mixes = calloc(count + 1, sizeof *source->index_mixes);
    if (!source->index_mixes) return false;
    for (uint32_t t = 0; t < scenario->table_count; t++) {
        const struct ddbsim_table *table = &scenario->tables[t];
        for (uint32_t i = 0; i < table->index_count; i++)
            source->index_mixes[source->index_first[t] + i] =
                hash64(table->indexes[i].name, strlen(table->indexes[i].name));
    }
    return true;
}

/* ---- what is looked up ahead ---- */

static void side_add(struct source *source, uint32_t set) {
    if (source->side_of[set] != DDBSIM_NONE || source->population->sets[set].moving) return;
    source->side_of[set] = source->side_count;
    source->sides[source->side_count++].set = &source->population->sets[set];
}

/* A key that one value makes, if its hash is kept. */
static void fetch_add(struct source *source, const struct key_template *template,
                      const uint64_t *values) {
    if (template->digit_count != 1 || !template->hashes || template->sets[0] == DDBSIM_NONE) return;
    if (source->population->sets[template->sets[0]].moving) return;
    for (uint32_t f = 0; f < source->fetch_count; f++)
        if (source->fetches[f].hashes == template->hashes) return;
    source->fetches[source->fetch_count++] = (struct hash_fetch){template->hashes, values};
}

/* Most entries are looked for as they stood before the write. */
static void entry_add(struct source *source, const struct population_entry *entry) {
    const struct key_template *template = &entry->partition;
    for (uint32_t i = 0; i < template->digit_count; i++)
        if (!(entry->partition_bound >> i & 1) && template->sets[i] != DDBSIM_NONE)
            side_add(source, template->sets[i]);
    if (template->digit_count != 1 || template->sets[0] == DDBSIM_NONE) return;
    if (source->population->sets[template->sets[0]].moving) return;
    if (entry->partition_bound & 1)
        fetch_add(source, template,
                  source->streams[PURPOSES + source->slots[template->sets[0]]].draws);
    else
        fetch_add(source, template, source->sides[source->side_of[template->sets[0]]].of[0]);
}

static void operation_add(struct source *source, const struct ddbsim_operation *operation) {
    const struct population_table *table = &source->population->tables[operation->table];
    const struct population_entity *entity = &table->entities[operation->entity];
    if (entity->partition.digit_count == 1 && entity->partition.sets[0] != DDBSIM_NONE)
        fetch_add(source, &entity->partition,
                  source->streams[PURPOSES + source->slots[entity->partition.sets[0]]].draws);
    for (uint32_t i = 0; operation->effects && i < table->table->index_count; i++)
        if (table->table->indexes[i].entries[operation->entity].in_index)
            entry_add(source, &entity->entries[i]);
}

/* How many keys the operations of a workload, over all its stages, may look up at most. */
static uint32_t fetches_max(const struct source *source, const struct ddbsim_scenario *scenario) {
    uint32_t count = 0;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload =
            survey_workload(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++)
            for (uint32_t k = 0; k < generator_part_count(&workload->operations[o]); k++)
                count += 1 + scenario->tables[generator_part(&workload->operations[o], k)->table]
                                 .index_count;
    }
    return count;
}

static bool lookups_init(struct source *source, const struct ddbsim_scenario *scenario) {
    source->sides = calloc(scenario->value_count + 1, sizeof *source->sides);
    source->side_of = malloc((scenario->value_count + 1) * sizeof *source->side_of);
    source->fetches = calloc(fetches_max(source, scenario) + 1, sizeof *source->fetches);
    if (!source->sides || !source->side_of || !source->fetches) return false;
    for (uint32_t i = 0; i < scenario->value_count; i++)
        source->side_of[i] = DDBSIM_NONE;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload =
            survey_workload(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++)
            for (uint32_t k = 0; k < generator_part_count(&workload->operations[o]); k++)
                operation_add(source, generator_part(&workload->operations[o], k));
    }
    return true;
}

static uint32_t overrides_max(const struct source *source, const struct ddbsim_scenario *scenario) {
    uint32_t count = 0;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload =
            survey_workload(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++)
            count += workload->operations[o].key_count;
    }
    return count;
}

/* Popularities of single operations, now or after any change. */
static bool overrides_init(struct source *source, const struct ddbsim_scenario *scenario) {
    source->overrides = calloc(overrides_max(source, scenario) + 1, sizeof *source->overrides);
    if (!source->overrides) return false;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload =
            survey_workload(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++) {
            const struct ddbsim_operation *operation = &workload->operations[o];
            for (uint32_t k = 0; k < operation->key_count; k++) {
                struct override *override = &source->overrides[source->override_count++];
                override->from = &operation->keys[k];
                if (!value_set_init(&override->set, &operation->keys[k].values)) return false;
                source->moves |= operation->keys[k].values.moves_ns > 0;
            }
        }
    }
    return true;
}

static uint32_t parts_count(const struct ddbsim_workload *workload) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < workload->operation_count; o++)
        count += generator_part_count(&workload->operations[o]);
    return count;
}

static uint32_t entries_count(const struct ddbsim_scenario *scenario,
                              const struct ddbsim_workload *workload) {
    uint32_t count = 0;
    for (uint32_t o = 0; o < workload->operation_count; o++)
        count += scenario->tables[workload->operations[o].table].index_count;
    return count;
}

/* Slots and the room for the longest mix, over the scenario and all that becomes of it. */
enum ddbsim_status survey(struct source *source, const struct ddbsim_scenario *scenario,
                          struct ddbsim_error *error) {
    uint32_t longest = 1, parts = 1, entries = 1;
    source->slots = malloc((scenario->value_count + 1) * sizeof *source->slots);
    if (!source->slots || !index_mixes_init(source)) return error_memory(error);
    for (uint32_t i = 0; i < scenario->value_count; i++)
        source->slots[i] = DDBSIM_NONE;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload =
            survey_workload(stage_of(scenario, i), source->name);
        if (!workload) continue;
        enum ddbsim_status status = keys_check(source->population, workload, error);
        if (status != DDBSIM_OK) return status;
        slots_mark(source, workload);
        purposes_mark(source, workload);
        if (workload->operation_count > longest) longest = workload->operation_count;
        if (parts_count(workload) > parts) parts = parts_count(workload);
        if (entries_count(scenario, workload) > entries)
            entries = entries_count(scenario, workload);
    }
    source->thresholds = malloc(longest * sizeof *source->thresholds);
    source->outlines = malloc(longest * sizeof *source->outlines);
    source->parts = malloc(parts * sizeof *source->parts);
    source->entries = malloc(entries * sizeof *source->entries);
    if (!source->thresholds || !source->outlines || !source->parts || !source->entries)
        return error_memory(error);
    if (source->slot_count <= DDBSIM_VALUE_SETS_MAX)
        return lookups_init(source, scenario) && overrides_init(source, scenario)
                   ? DDBSIM_OK
                   : error_memory(error);
    return error_set(error, DDBSIM_INPUT,
                     "the keys of workload %s draw from %u value sets; the most is %d",
                     source->name, source->slot_count, DDBSIM_VALUE_SETS_MAX);
}
