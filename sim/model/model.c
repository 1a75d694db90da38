/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assembling the machine from a scenario, the loop's events that belong to it, and the memory that grows
 * between events.
 * Invariant: resources[i]->number == i, a table before its indexes.
 */
#include <model/model.h>

#include <base/error.h>
#include <base/rng.h>
#include <model/alarms.h>
#include <model/building.h>
#include <model/control.h>
#include <model/replication.h>
#include <model/scaling.h>
#include <model/splits.h>
#include <model/stream.h>
#include <model/ttl.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- assembling ---- */

/* Bytes of so many items on top of others; what no int64_t holds stays at its largest. */
static int64_t add_bytes(int64_t bytes, int64_t items, int64_t item_bytes) {
    int64_t more;
    if (__builtin_mul_overflow(items, item_bytes, &more) ||
        __builtin_add_overflow(bytes, more, &bytes))
        return INT64_MAX;
    return bytes;
}

static int64_t table_bytes(const struct ddbsim_table *spec) {
    int64_t bytes = 0;
    CHECK(spec->entity_count > 0);
    for (uint32_t i = 0; i < spec->entity_count; i++)
        bytes = add_bytes(bytes, (int64_t)spec->entities[i].count, spec->entities[i].item_bytes);
    return bytes;
}

static int64_t entry_items(const struct ddbsim_table *spec, const struct ddbsim_index *index,
                           uint32_t entity) {
    const struct ddbsim_entry *entry = &index->entries[entity];
    if (!entry->in_index) return 0;
    int128 items = (int128)spec->entities[entity].count * (uint64_t)entry->present;
    return (int64_t)(items / DDBSIM_SHARE_ONE);
}

static int64_t index_bytes(const struct ddbsim_table *spec, const struct ddbsim_index *index) {
    int64_t bytes = 0;
    for (uint32_t i = 0; i < spec->entity_count; i++)
        bytes = add_bytes(bytes, entry_items(spec, index, i), model_entry_bytes(spec, index, i));
    return bytes;
}

uint64_t model_stream(const struct model *model, const char *table, const char *index,
                      const char *purpose) {
    char name[1024];
    snprintf(name, sizeof name, "%s%s%s/%s", table, index ? "/" : "", index ? index : "", purpose);
    return rng_stream_key(model->options.seed, model->options.replication, name);
}

static bool has_local_index(const struct ddbsim_table *spec) {
    for (uint32_t i = 0; i < spec->index_count; i++)
        if (spec->indexes[i].type == DDBSIM_LOCAL) return true;
    return false;
}

static struct resource_options table_options(const struct model *model,
                                             const struct ddbsim_table *spec, uint32_t number) {
    return (struct resource_options){
        .table_name = spec->name,
        .number = number,
        .unlimited = !spec->throttling,
        .is_new = spec->is_new,
        .on_demand = spec->billing == DDBSIM_PAY_PER_REQUEST,
        .capacity = {spec->read_capacity, spec->write_capacity},
        .maximum = spec->maximum,
        .warm = spec->warm,
        .peak = spec->previous_peak,
        .burst = spec->burst,
        .partitions = spec->partitions,
        .bytes = table_bytes(spec),
        .model = &spec->model,
        .split_stream = model_stream(model, spec->name, NULL, "split"),
        .whole_collections = has_local_index(spec),
    };
}

static struct resource_options index_resource_options(const struct model *model,
                                                      const struct ddbsim_table *spec,
                                                      const struct ddbsim_index *index,
                                                      uint32_t number) {
    struct resource_options options = table_options(model, spec, number);
    options.index_name = index->name;
    options.capacity[READ] = index->read_capacity;
    options.capacity[WRITE] = index->write_capacity;
    options.maximum = index->maximum;
    options.warm = index->warm;
    options.peak = index->previous_peak;
    options.burst = index->burst;
    options.partitions = index->partitions;
    options.bytes = index_bytes(spec, index);
    options.split_stream = model_stream(model, spec->name, index->name, "split");
    options.whole_collections = false;
    if (index->comes_later) {
        options.presence = PRESENCE_ABSENT;
        /* On demand it has none. */
        for (int d = 0; d < DIRECTIONS; d++)
            options.capacity[d] = larger(options.capacity[d], 1);
    }
    if (index->type == DDBSIM_LOCAL) {
        /* It lives inside the table's partitions: nothing of its own is ever asked (M-57). */
        options.unlimited = true;
        options.on_demand = false;
        options.capacity[READ] = options.capacity[WRITE] = 1;
        options.partitions = 1;
    }
    return options;
}

/* The number that the loader bounds where it is written is bounded where it is computed as well. */
static bool partitions_fit(const struct resource_options *options, const char *when,
                           const char *hint, struct ddbsim_error *error) {
    int64_t count = resource_partition_count(options);
    if (count <= DDBSIM_PARTITIONS_MAX) return true;
    error_set(error, DDBSIM_INPUT, "%s %s would have %lld partitions%s; the most is %d",
              options->index_name ? "index" : "table",
              options->index_name ? options->index_name : options->table_name, (long long)count,
              when, DDBSIM_PARTITIONS_MAX);
    error_hint(error, "%s", hint);
    return false;
}
static bool partitions_fit_at_start(const struct resource_options *options,
                                    struct ddbsim_error *error) {
    return partitions_fit(options, "",
                          "its capacity and its items' bytes give that number: state `partitions`",
                          error);
}

/* UpdateTable splits for the new capacity, whatever the number of partitions was stated as. */
static bool change_fits(struct resource_options options, struct ddbsim_error *error) {
    options.partitions = 0;
    options.bytes = 0;
    return partitions_fit(&options, " after a change", "the change's capacity gives that number",
                          error);
}

static bool changes_fit(const struct model *model, struct ddbsim_error *error) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    for (uint32_t c = 0; c < scenario->change_count; c++)
        for (uint32_t t = 0; t < scenario->table_count; t++) {
            const struct ddbsim_table *spec = &scenario->changes[c].after->tables[t];
            if (!change_fits(table_options(model, spec, t), error)) return false;
            for (uint32_t i = 0; i < spec->index_count; i++)
                if (spec->indexes[i].type != DDBSIM_LOCAL &&
                    !change_fits(index_resource_options(model, spec, &spec->indexes[i], 0), error))
                    return false;
        }
    return true;
}

static void backpressure_options(struct propagation_options *options,
                                 const struct ddbsim_table *spec,
                                 const struct ddbsim_backpressure *pressure) {
    bool textbook = pressure->preset == DDBSIM_TEXTBOOK;
    options->buffer_units = textbook ? -1 : spec->model.index_buffer;
    options->grace_ns = textbook ? 0 : spec->model.index_grace_ns;
    options->rearm_ns = spec->model.index_grace_rearm_ns;
    options->resume = spec->model.index_resume;
    options->scope = (enum ddbsim_reject_scope)spec->model.index_scope;
    if (pressure->buffer_units >= 0) options->buffer_units = pressure->buffer_units;
    if (pressure->grace_ns >= 0) options->grace_ns = pressure->grace_ns;
    if (pressure->resume >= 0) options->resume = pressure->resume;
    if (pressure->scope >= 0) options->scope = (enum ddbsim_reject_scope)pressure->scope;
}

static void index_drained(void *context, struct propagation *index,
                          const struct propagation_entry *entry, uint32_t part, int64_t nano,
                          int64_t now_ns) {
    struct model *model = context;
    int64_t old_bytes = entry->old_bytes, new_bytes = entry->new_bytes;
    bool is_delete = units_index_deletes((enum ddbsim_effect)entry->effect, part);
    bool is_rewrite = entry->effect == DDBSIM_EFFECT_REWRITE;
    space_change(&index->resource.space, entry->partitions[part],
                 is_rewrite  ? 0
                 : is_delete ? -1
                             : 1,
                 (is_delete ? 0 : new_bytes) - (is_delete || is_rewrite ? old_bytes : 0));
    struct ddbsim_key key = {
        .hash = entry->hashes[part], .ordinal = entry->ordinals[part], .entity = entry->entity};
    topkeys_used(&model->top_window[index->resource.number], &key, WRITE, nano);
    if (index->resource.buckets[WRITE].level_nano <= 0)
        model_note_burst(model, &index->resource, WRITE, now_ns);
    if (topkeys_is_tight(&model->top_window[index->resource.number]))
        loop_request_between(model->loop);
}

static void index_seen(void *context, struct propagation *index, uint32_t slot, uint128 position,
                       int64_t units) {
    splits_see(context, &index->resource, slot, position, WRITE, units * NANO);
}

/* Entries at start lie evenly: which index key they have is known only once they change (M-56). */
static void index_place(struct propagation *index, const struct ddbsim_table *spec,
                        const struct ddbsim_index *index_spec) {
    int64_t items = 0;
    for (uint32_t e = 0; e < spec->entity_count; e++)
        items += entry_items(spec, index_spec, e);
    space_place_evenly(&index->resource.space, items, index_bytes(spec, index_spec));
}

static bool topkeys_create(const struct model *model, struct topkeys *keys, uint32_t table,
                           uint32_t index) {
    const struct model_keys *of = &model->options.keys;
    struct model_numbered count = {0};
    if (of->count) count = of->count(of->context, table, index);
    if (count.keys == 0 || count.keys > TOPKEYS_EXACT_MAX)
        return topkeys_init(keys, TOPKEYS_EXACT_MAX);
    struct topkeys_numbers numbers = {.keys = (uint32_t)count.keys,
                                      .open = count.open,
                                      .entity = count.entity,
                                      .table = table,
                                      .index = index,
                                      .hash = of->hash,
                                      .context = of->context};
    return topkeys_init_numbered(keys, &numbers);
}

/* A resource takes its number; its keys are counted from now on. */
static bool resource_add(struct model *model, struct resource *resource, uint32_t table,
                         uint32_t index) {
    uint32_t number = model->resource_count++;
    CHECK(number == resource->number);
    model->resources[number] = resource;
    resource->table = table;
    return topkeys_create(model, &model->top_window[number], table, index) &&
           topkeys_create(model, &model->top_run[number], table, index);
}

static struct propagation_options index_options(const struct model *model,
                                                const struct ddbsim_table *spec,
                                                const struct ddbsim_index *index_spec,
                                                uint32_t number) {
    struct propagation_options options = {
        .resource = index_resource_options(model, spec, index_spec, number),
        .lag_median_ns = spec->model.index_lag_median_ns,
        .lag_p99_ns = spec->model.index_lag_p99_ns,
        .lag_stream = model_stream(model, spec->name, index_spec->name, "lag"),
        .arrive_kind = model->options.first_event_kind + MODEL_INDEX_ARRIVES,
        .wake_kind = model->options.first_event_kind + MODEL_INDEX_WAKES,
    };
    backpressure_options(&options, spec, &index_spec->backpressure);
    return options;
}

static bool index_begin(struct model *model, struct propagation *index,
                        const struct propagation_options *options) {
    if (!propagation_init(index, options, loop_now(model->loop))) return false;
    index->drained = index_drained;
    index->seen = index_seen;
    index->context = model;
    return true;
}

static bool index_init(struct model *model, const struct ddbsim_table *spec, uint32_t table,
                       uint32_t i, struct ddbsim_error *error) {
    const struct ddbsim_index *index_spec = &spec->indexes[i];
    struct propagation_options options =
        index_options(model, spec, index_spec, model->resource_count);
    if (!partitions_fit_at_start(&options.resource, error)) return false;
    struct propagation *index = &model->indexes[model->index_count];
    if (!index_begin(model, index, &options)) return false;
    model->index_count++;
    if (!index_spec->comes_later) index_place(index, spec, index_spec);
    return resource_add(model, &index->resource, table, i);
}

/* As the call that creates it says: calls that wait for it act later. */
static const struct ddbsim_index *index_as_created(const struct model *model,
                                                   const struct table *table, uint32_t index) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    uint32_t number = (uint32_t)(table - model->tables), i = 0;
    while (i < scenario->change_count &&
           (scenario->changes[i].kind != DDBSIM_CREATE_INDEX ||
            scenario->changes[i].table != number || scenario->changes[i].index != index))
        i++;
    CHECK(i < scenario->change_count);
    return &scenario->changes[i].after->tables[number].indexes[index];
}

/* Asked for on demand, and there when the table is that no more: what changes since then have given it. */
static void follow_mode(const struct model *model, const struct table *table, uint32_t index,
                        const struct ddbsim_index *created, struct resource_options *resource) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    if (resource->on_demand || (created->read_capacity > 0 && created->write_capacity > 0)) return;
    CHECK(table->changes_begun > 0 && table->changes_begun <= scenario->change_count);
    const struct ddbsim_table *now =
        &scenario->changes[table->changes_begun - 1].after->tables[table - model->tables];
    resource->capacity[READ] = larger(now->indexes[index].read_capacity, 1);
    resource->capacity[WRITE] = larger(now->indexes[index].write_capacity, 1);
}

/* Its capacity is what it is created with, its mode the table's, its burst a new table's. */
bool model_index_renew(struct model *model, struct table *table, uint32_t index, int64_t bytes,
                       int64_t now_ns) {
    struct propagation *of = &model->indexes[table->first_index + index];
    const struct ddbsim_index *spec = index_as_created(model, table, index);
    uint32_t number = of->resource.number;
    struct propagation_options options = index_options(model, table->spec, spec, number);
    struct resource_options *resource = &options.resource;
    resource->is_new = true;
    resource->on_demand = table->resource.on_demand;
    resource->bytes = bytes;
    follow_mode(model, table, index, spec, resource);
    resource->partitions =
        (uint32_t)smaller(resource_partition_count(resource), DDBSIM_PARTITIONS_MAX);
    CHECK(now_ns == loop_now(model->loop) && of->entry_count == 0);
    propagation_deinit(of);
    if (!index_begin(model, of, &options)) return false;
    of->resource.table = (uint32_t)(table - model->tables);
    if (table->resource.serving.of > 1)
        resource_serve(&of->resource, table->resource.serving, now_ns);
    return true;
}

static bool collections_create(struct table *table) {
    table->collections = calloc(1, sizeof *table->collections);
    return table->collections &&
           collections_init(table->collections, table->spec->model.collection_bytes);
}

static bool table_init(struct model *model, uint32_t number, struct ddbsim_error *error) {
    struct table *table = &model->tables[number];
    const struct ddbsim_table *spec = &model->options.scenario->tables[number];
    struct resource_options options = table_options(model, spec, model->resource_count);
    table->spec = table->followed = spec;
    table->error_stream = model_stream(model, spec->name, NULL, "error");
    table->replica_stream = model_stream(model, spec->name, NULL, "replica");
    table->first_index = model->index_count;
    table->index_count = spec->index_count;
    latency_terms_init(&table->latency, &spec->model);
    if (!partitions_fit_at_start(&options, error)) return false;
    if (!resource_init(&table->resource, &options, loop_now(model->loop))) return false;
    if (!resource_add(model, &table->resource, number, DDBSIM_NONE)) return false;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        if (!index_init(model, spec, number, i, error)) return false;
        if (spec->indexes[i].type == DDBSIM_LOCAL) table->local_indexes |= UINT32_C(1) << i;
        if (spec->indexes[i].comes_later) table->skipped_indexes |= UINT32_C(1) << i;
    }
    table->skipped_indexes |= table->local_indexes;
    if (table->local_indexes != 0 && !collections_create(table)) return false;
    return true;
}

uint32_t model_partition_count(const struct model *model) {
    uint32_t partitions = 0;
    CHECK(model->resource_count >= model->table_count);
    for (uint32_t i = 0; i < model->resource_count; i++)
        if (resource_exists(model->resources[i])) partitions += model->resources[i]->space.count;
    return partitions;
}

/* The sample period doubles until a whole run of busy partitions stays under the row bound; again when they
 * have become more (report.c). */
static void sample_period_choose(struct model *model) {
    int64_t duration_s = model->options.scenario->duration_ns / NS_PER_S;
    model->sample_count = model_partition_count(model);
    model->sample_period_s = MODEL_SAMPLE_S;
    while ((int128)model->sample_count * duration_s / model->sample_period_s >
           MODEL_SAMPLE_ROWS_MAX)
        model->sample_period_s *= 2;
}

static bool create_parts(struct model *model, struct ddbsim_error *error) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    uint32_t indexes = 0;
    for (uint32_t i = 0; i < scenario->table_count; i++)
        indexes += scenario->tables[i].index_count;
    uint32_t resources = scenario->table_count + indexes;
    CHECK(scenario->table_count > 0);
    model->tables = calloc(scenario->table_count + 1, sizeof *model->tables);
    model->indexes = calloc(indexes + 1, sizeof *model->indexes);
    model->resources = calloc(resources + 1, sizeof(struct resource *));
    model->top_window = calloc(resources + 1, sizeof *model->top_window);
    model->top_run = calloc(resources + 1, sizeof *model->top_run);
    if (!model->tables || !model->indexes || !model->resources || !model->top_window ||
        !model->top_run)
        return false;
    for (uint32_t i = 0; i < scenario->table_count; i++, model->table_count++)
        if (!table_init(model, i, error)) return false;
    return true;
}

/* ---- readers of streams ---- */

struct stream_reader *model_reader(struct model *model, uint32_t workload) {
    if (!model->readers || !model->options.scenario->workloads[workload].reads_stream) return NULL;
    return &model->readers[workload];
}

static bool reader_create(struct model *model, uint32_t workload) {
    const struct ddbsim_workload *spec = &model->options.scenario->workloads[workload];
    struct table *table = &model->tables[spec->stream_of];
    struct stream_reader *reader = &model->readers[workload];
    CHECK(spec->stream_of < model->table_count);
    if (!stream_reader_init(reader, spec, &table->spec->model, table->resource.space.capacity))
        return false;
    reader->loop = model->loop;
    reader->source = workload;
    reader->other = table->readers;
    table->readers = reader;
    return true;
}

static bool readers_create(struct model *model) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        if (!scenario->workloads[w].reads_stream) continue;
        if (!model->readers)
            model->readers = calloc(scenario->workload_count, sizeof *model->readers);
        if (!model->readers || !reader_create(model, w)) return false;
    }
    return true;
}

static void readers_destroy(struct model *model) {
    for (uint32_t w = 0; model->readers && w < model->options.scenario->workload_count; w++)
        stream_reader_deinit(&model->readers[w]);
    free(model->readers);
}

static bool readers_grow(struct table *table, uint32_t more) {
    for (struct stream_reader *reader = table->readers; reader; reader = reader->other)
        if (!stream_reader_grow(reader, table->resource.space.count + more)) return false;
    return true;
}

/* ---- the loop's events ---- */

static void on_index_arrives(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    uint32_t number = (uint32_t)event->a;
    CHECK_DEBUG(number < model->index_count);
    propagation_arrive(&model->indexes[number], model->loop, number, now_ns);
}

static void on_index_wakes(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    uint32_t number = (uint32_t)event->a;
    CHECK_DEBUG(number < model->index_count);
    propagation_wake(&model->indexes[number], model->loop, number, now_ns);
}

static void on_replicates(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    CHECK_DEBUG(event->a < model->link_count);
    replication_deliver(model, &model->links[event->a], now_ns);
}

/* What the workloads may ask for, now or after a change. */
static bool survey(struct model *model, const struct ddbsim_scenario *scenario) {
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++) {
            const struct ddbsim_operation *operation = &scenario->workloads[w].operations[o];
            bool transacts = ddbsim_operation_is_transaction((int)operation->kind);
            model->counts_errors |= transacts || operation->refused || operation->invalid > 0 ||
                                    operation->grows_bytes > 0;
            if (transacts && model->locks.capacity == 0 && !locks_init(&model->locks)) return false;
        }
    return true;
}

/* A value that is an empty text may be a key, which is invalid. */
static bool has_empty_word(const struct ddbsim_scenario *scenario) {
    for (uint32_t i = 0; i < scenario->value_count; i++)
        for (uint64_t w = 0; w < ddbsim_values_words(&scenario->values[i]); w++)
            if (scenario->values[i].words[w][0] == '\0') return true;
    return false;
}

static bool survey_all(struct model *model) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    model->counts_errors = has_empty_word(scenario);
    for (uint32_t t = 0; t < scenario->table_count; t++)
        for (uint32_t i = 0; i < scenario->tables[t].index_count; i++)
            model->counts_errors |= scenario->tables[t].indexes[i].comes_later ||
                                    scenario->tables[t].indexes[i].type == DDBSIM_LOCAL;
    bool done = survey(model, scenario);
    for (uint32_t i = 0; i < scenario->change_count && done; i++) {
        model->counts_errors |= scenario->changes[i].kind == DDBSIM_DELETE_INDEX;
        done = survey(model, scenario->changes[i].after);
    }
    return done;
}

struct model *model_create(const struct model_options *options, struct loop *loop,
                           struct ddbsim_error *error) {
    struct model *model = calloc(1, sizeof *model);
    if (model) {
        model->options = *options;
        model->loop = loop;
        latency_shapes_init(&model->shapes);
    }
    if (!model || !create_parts(model, error) || !changes_fit(model, error) ||
        !splits_create(model) || !scaling_create(model) || !replication_create(model) ||
        !alarms_create(model) || !ttl_create(model) || !readers_create(model) ||
        !survey_all(model)) {
        model_destroy(model);
        error_memory(error);
        return NULL;
    }
    sample_period_choose(model);
    loop_handle(loop, options->first_event_kind + MODEL_INDEX_ARRIVES, on_index_arrives);
    loop_handle(loop, options->first_event_kind + MODEL_INDEX_WAKES, on_index_wakes);
    loop_handle(loop, options->first_event_kind + MODEL_REPLICATES, on_replicates);
    control_handle(model);
    building_handle(model);
    scaling_handle(model);
    return model;
}

static void table_deinit(struct table *table) {
    resource_deinit(&table->resource);
    if (table->collections) collections_deinit(table->collections);
    free(table->collections);
}

void model_destroy(struct model *model) {
    if (!model) return;
    splits_destroy(model);
    alarms_destroy(model);
    scaling_destroy(model);
    ttl_destroy(model);
    readers_destroy(model);
    replication_destroy(model);
    for (uint32_t i = 0; model->tables && i < model->options.scenario->table_count; i++)
        table_deinit(&model->tables[i]);
    for (uint32_t i = 0; i < model->index_count; i++)
        propagation_deinit(&model->indexes[i]);
    for (uint32_t i = 0; model->top_run && i < model->resource_count; i++) {
        topkeys_deinit(&model->top_window[i]);
        topkeys_deinit(&model->top_run[i]);
    }
    free(model->tables);
    free(model->indexes);
    free(model->resources);
    free(model->top_window);
    free(model->top_run);
    locks_deinit(&model->locks);
    free(model);
}

void model_place_items(struct model *model, uint32_t table, uint32_t entity, uint64_t hash,
                       uint64_t items, int64_t item_bytes) {
    CHECK(table < model->table_count);
    struct space *space = &model->tables[table].resource.space;
    uint32_t slot = space_find(space, (uint128)hash << 64);
    int64_t bytes = (int64_t)items * item_bytes;
    space_change(space, slot, (int64_t)items, bytes);
    if (model->tables[table].ttl)
        ttl_place(model->tables[table].ttl, slot, entity, (int64_t)items, bytes);
}

/* An item and what local indexes hold of it. */
static int64_t collection_item_bytes(const struct ddbsim_table *spec, uint32_t entity) {
    int64_t bytes = spec->entities[entity].item_bytes;
    for (uint32_t i = 0; i < spec->index_count; i++) {
        const struct ddbsim_index *index = &spec->indexes[i];
        if (index->type != DDBSIM_LOCAL || !index->entries[entity].in_index) continue;
        bytes += (int64_t)((int128)model_entry_bytes(spec, index, entity) *
                           index->entries[entity].present / DDBSIM_SHARE_ONE);
    }
    return bytes;
}

bool model_place_collection(struct model *model, uint32_t table, uint32_t entity, uint64_t hash,
                            uint64_t items) {
    CHECK(table < model->table_count);
    struct collections *collections = model->tables[table].collections;
    if (!collections) return true;
    int64_t bytes =
        add_bytes(0, (int64_t)items, collection_item_bytes(model->tables[table].spec, entity));
    if (bytes < collections->limit_bytes / COLLECTIONS_SMALL) return true;
    if (collections_is_tight(collections, 1) && !collections_grow(collections)) return false;
    collections_add(collections, hash, bytes);
    return true;
}

void model_place_evenly(struct model *model, uint32_t table, uint32_t entity, uint64_t items,
                        int64_t item_bytes) {
    CHECK(table < model->table_count);
    struct space *space = &model->tables[table].resource.space;
    int64_t bytes = (int64_t)items * item_bytes;
    space_place_evenly(space, (int64_t)items, bytes);
    for (uint32_t i = 0; model->tables[table].ttl && i < space->count; i++)
        ttl_place(model->tables[table].ttl, space->slots[i], entity,
                  space_part((int64_t)items, i + 1, space->count) -
                      space_part((int64_t)items, i, space->count),
                  space_part(bytes, i + 1, space->count) - space_part(bytes, i, space->count));
}

/* ---- notes ---- */

void model_note(struct model *model, const struct note *note) {
    /* More notes in one dispatch than fit would be a flood that no reader wants: the first tell it. */
    if (model->note_count < MODEL_NOTES_MAX) model->notes[model->note_count++] = *note;
    loop_request_between(model->loop);
}

void model_note_between(struct model *model, const struct note *note) {
    if (model->note_count == MODEL_NOTES_MAX) model_flush_notes(model);
    model_note(model, note);
}

void model_note_refusal(struct model *model, struct resource *resource, enum direction direction,
                        int64_t now_ns) {
    if (!resource->throttling[direction]) {
        struct note note = {.kind = DDBSIM_EVENT_THROTTLING_STARTED,
                            .t_ns = now_ns,
                            .resource = resource->number,
                            .direction = direction};
        model_note(model, &note);
        resource->throttling[direction] = true;
    }
    resource->last_refusal_ns[direction] = now_ns;
}

void model_note_burst(struct model *model, struct resource *resource, enum direction direction,
                      int64_t now_ns) {
    int64_t noted = resource->burst_noted_ns[direction];
    resource->burst_noted_ns[direction] = now_ns;
    if (noted != TIME_NEVER && now_ns - noted < 3600 * NS_PER_S) return;
    struct note note = {.kind = DDBSIM_EVENT_BURST_EMPTY,
                        .t_ns = now_ns,
                        .resource = resource->number,
                        .direction = direction};
    model_note(model, &note);
}

/* ---- partitions that split ---- */

/* An index is the resource that its propagation begins with; a table has none. */
static struct propagation *propagation_of(struct model *model, struct resource *resource,
                                          uint32_t *number) {
    if (!resource->index_name) return NULL;
    struct propagation *index = (struct propagation *)(void *)resource;
    *number = (uint32_t)(index - model->indexes);
    CHECK(*number < model->index_count);
    return index;
}

bool model_resource_grow(struct model *model, struct resource *resource, uint32_t more) {
    uint32_t number;
    struct propagation *index = propagation_of(model, resource, &number);
    struct table *table = &model->tables[resource->table];
    if (!index) return (!table->ttl || ttl_grow(table, more)) && readers_grow(table, more);
    return propagation_grow_partitions(index, more);
}

void model_resource_split(struct model *model, struct resource *resource,
                          const struct space_parting *partings, uint32_t count) {
    uint32_t number;
    struct propagation *index = propagation_of(model, resource, &number);
    struct table *table = &model->tables[resource->table];
    if (index)
        propagation_split(index, model->loop, number, partings, count, loop_now(model->loop));
    else if (table->ttl)
        ttl_split(table, partings, count);
}

void model_resource_capacity_changed(struct model *model, struct resource *resource) {
    uint32_t number;
    struct propagation *index = propagation_of(model, resource, &number);
    if (index) propagation_capacity_changed(index, model->loop, number, loop_now(model->loop));
}

/* ---- memory ---- */

bool model_make_room(struct model *model) {
    for (uint32_t i = 0; i < model->index_count; i++)
        while (propagation_is_tight(&model->indexes[i], MODEL_PUTS_PER_DISPATCH)) {
            if (propagation_is_full(&model->indexes[i]))
                model->limit = "more than 16,777,216 writes are on their way to one index";
            if (!propagation_grow(&model->indexes[i])) return false;
        }
    for (uint32_t i = 0; i < model->resource_count; i++)
        while (topkeys_is_tight(&model->top_window[i]))
            if (!topkeys_grow(&model->top_window[i])) return false;
    for (uint32_t i = 0; i < model->table_count; i++) {
        struct collections *collections = model->tables[i].collections;
        while (collections && collections_is_tight(collections, MODEL_COLLECTIONS_ROOM))
            if (!collections_grow(collections)) return false;
    }
    if (!replication_make_room(model)) return false;
    if (locks_grow(&model->locks, loop_now(model->loop))) return true;
    if (locks_are_full(&model->locks))
        model->limit = "more than 2,000,000 items are in running transactions";
    return false;
}
