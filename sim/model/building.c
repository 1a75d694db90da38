/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Creating an index on a table that is in use, and deleting one. Source: AWS developer guide, managing global
 * secondary indexes. A new index first gets its partitions; then it takes the table's writes, while the items
 * that there are are filled in (backfilled). Reading them costs the table nothing; writing them is paid by the new
 * index, which lives on the same capacity as the writes that callers make meanwhile. Until it is filled in it
 * cannot be read.
 *
 * Entries are filled in ten times a second, as many as the index's capacity and its partitions admit, each under a
 * key that its item may have. An entry that is refused is tried again; those behind it wait. Work of callers that
 * waits goes before.
 *
 * Invariants: done <= total; an index is building exactly while `building` counts what is to be filled in.
 */
#include <model/building.h>

#include <base/hash.h>
#include <base/rng.h>
#include <model/control.h>
#include <model/splits.h>
#include <stdio.h>
#include <stdlib.h>

#define TICK_NS (NS_PER_S / 10)

enum { DRAW_ENTITY, DRAW_KEY };

static uint32_t number_of(const struct model *model, const struct propagation *index) {
    return (uint32_t)(index - model->indexes);
}

static struct propagation *index_of(struct model *model, const struct table *table,
                                    uint32_t index) {
    CHECK(index < table->index_count);
    return &model->indexes[table->first_index + index];
}

uint32_t building_of(const struct model *model, const struct table *table) {
    for (uint32_t i = 0; i < table->index_count; i++)
        if (model->indexes[table->first_index + i].resource.presence == PRESENCE_BUILDING) return i;
    return DDBSIM_NONE;
}

/* ---- what is to be filled in ---- */

/* Items of each entity as they were at the start, grown or shrunk as the table has: which of them came or went
 * nobody keeps. Entities of a table that began empty have equal parts. */
static void count_entries(const struct table *table, const struct ddbsim_index *index,
                          struct building *building) {
    const struct ddbsim_table *spec = table->spec;
    uint64_t items = (uint64_t)space_held(&table->resource.space).items, at_start = 0;
    for (uint32_t e = 0; e < spec->entity_count; e++)
        at_start += spec->entities[e].count;
    for (uint32_t e = 0; e < spec->entity_count; e++) {
        uint64_t part = at_start > 0 ? spec->entities[e].count : 1;
        uint64_t whole = at_start > 0 ? at_start : spec->entity_count;
        uint128 held = (uint128)items * part / whole;
        if (index->entries[e].in_index)
            building->total +=
                (uint64_t)(held * (uint64_t)index->entries[e].present / DDBSIM_SHARE_ONE);
        building->ends[e] = building->total;
        building->bytes += (int64_t)(building->total - (e > 0 ? building->ends[e - 1] : 0)) *
                           model_entry_bytes(spec, index, e);
    }
}

static struct building *building_create(const struct table *table,
                                        const struct ddbsim_index *index) {
    struct building *building =
        calloc(1, sizeof *building + table->spec->entity_count * sizeof *building->ends);
    if (building) count_entries(table, index, building);
    return building;
}

static uint32_t entity_of(const struct building *building, uint64_t draw) {
    CHECK(building->total > 0);
    uint64_t at = draw_below(draw, building->total);
    uint32_t entity = 0;
    while (building->ends[entity] <= at)
        entity++;
    return entity;
}

/* ---- filling in ---- */

struct fill {
    struct model *model;
    const struct table *table;
    struct propagation *index;
    uint32_t number; /* of its table's */
    int64_t now_ns;
};

struct filled {
    int64_t bytes, nano;
    uint128 position;
    struct demand demand;
};

/* The key of an entry: whoever made the keys knows which it may be, else it is anywhere. */
static uint128 entry_position(const struct fill *fill, uint32_t entity) {
    const struct building *building = fill->index->building;
    const struct model_keys *keys = &fill->model->options.keys;
    struct ddbsim_key key = {0};
    key.hash = hash_mix(building->stream, building->done, DRAW_KEY);
    if (keys->entry)
        keys->entry(keys->context, fill->table->resource.table, fill->number, entity,
                    building->done, key.hash, fill->now_ns, &key);
    return space_position(&key);
}

static void entry_describe(const struct fill *fill, struct filled *out) {
    const struct building *building = fill->index->building;
    const struct ddbsim_table *spec = fill->table->spec;
    struct resource *resource = &fill->index->resource;
    uint32_t entity = entity_of(building, hash_mix(building->stream, building->done, DRAW_ENTITY));
    out->bytes = model_entry_bytes(spec, &spec->indexes[fill->number], entity);
    out->nano = units_index_part(DDBSIM_EFFECT_ADD, 0, 0, out->bytes) * NANO;
    out->position = entry_position(fill, entity);
    uint32_t slot = space_find(&resource->space, out->position);
    /* As index work it cannot be refused for good: what never fits is content with a full bucket. */
    int64_t asked =
        resource->is_strict ? smaller(out->nano, resource_most(resource, slot)) : out->nano;
    resource_demand(resource, slot, WRITE, 0, false, asked, &out->demand);
}

static bool entry_admits(const struct fill *fill, const struct filled *entry) {
    struct resource *resource = &fill->index->resource;
    if (resource_partition_short(resource, &entry->demand, fill->now_ns)) return false;
    int64_t need = resource_need(resource, entry->demand.units_nano);
    return resource_short(resource, WRITE, need, fill->now_ns) == 0 &&
           !propagation_is_waiting(fill->index);
}

static void entry_put(const struct fill *fill, struct filled *entry) {
    struct resource *resource = &fill->index->resource;
    uint32_t slot = entry->demand.slot;
    if (!resource->unlimited) {
        resource_demand(resource, slot, WRITE, 0, false, entry->nano, &entry->demand);
        resource_partition_take(resource, &entry->demand);
        resource_take(resource, WRITE, entry->nano);
    }
    resource_served(resource, slot, WRITE, entry->nano);
    splits_see(fill->model, resource, slot, entry->position, WRITE, entry->nano);
    resource->second.used_nano[WRITE] += entry->nano;
    resource->second.demand_nano[WRITE] += entry->nano;
    space_change(&resource->space, slot, 1, entry->bytes);
    fill->index->building->consumed_nano += entry->nano;
}

/* What a tick may spend, with what earlier ones left of theirs; an entry may cost more and is then repaid. */
static void allow(const struct fill *fill) {
    const struct resource *resource = &fill->index->resource;
    int128 share = resource->model->backfill_share;
    int64_t tick_nano = (int64_t)(resource->capacity[WRITE] * share * TICK_NS / DDBSIM_SHARE_ONE);
    int64_t *left_nano = &fill->index->building->allowed_nano;
    CHECK(tick_nano >= 0);
    *left_nano = smaller(*left_nano + tick_nano, larger(tick_nano, 1));
}

static void fill_in(const struct fill *fill) {
    struct building *building = fill->index->building;
    CHECK(building && building->done <= building->total);
    allow(fill);
    while (building->done < building->total && building->allowed_nano > 0) {
        struct filled entry;
        entry_describe(fill, &entry);
        if (!entry_admits(fill, &entry)) {
            building->throttles++;
            return;
        }
        entry_put(fill, &entry);
        building->allowed_nano -= entry.nano;
        building->done++;
    }
}

static void plan(struct model *model, const struct propagation *index, int64_t now_ns) {
    loop_schedule(model->loop, now_ns + TICK_NS, LOOP_WORK,
                  model->options.first_event_kind + MODEL_BACKFILL, number_of(model, index), 0);
}

static void on_backfill(void *context, int64_t now_ns, const struct loop_event *event) {
    struct model *model = *(struct model **)context;
    CHECK(event->a < model->index_count);
    struct propagation *index = &model->indexes[event->a];
    if (index->resource.presence != PRESENCE_BUILDING) return; /* it was deleted meanwhile */
    const struct table *table = &model->tables[index->resource.table];
    struct fill fill = {model, table, index, (uint32_t)event->a - table->first_index, now_ns};
    fill_in(&fill);
    if (index->building->done < index->building->total)
        plan(model, index, now_ns);
    else
        control_request(model);
}

void building_handle(struct model *model) {
    loop_handle(model->loop, model->options.first_event_kind + MODEL_BACKFILL, on_backfill);
}

/* ---- coming and going ---- */

static void tell(struct model *model, const struct propagation *index, enum ddbsim_event kind,
                 int64_t now_ns) {
    struct note note = {.kind = kind, .t_ns = now_ns, .resource = index->resource.number};
    const struct building *building = index->building;
    if (building)
        snprintf(note.detail, sizeof note.detail, "{\"items\":%llu,\"bytes\":%lld}",
                 (unsigned long long)building->total, (long long)building->bytes);
    else
        snprintf(note.detail, sizeof note.detail, "{}");
    model_note_between(model, &note);
}

bool building_begin(struct model *model, struct table *table, uint32_t index, int64_t now_ns) {
    struct propagation *of = index_of(model, table, index);
    CHECK(of->resource.presence == PRESENCE_ABSENT);
    struct building *building = building_create(table, &table->spec->indexes[index]);
    if (!building) return false;
    building->stream =
        model_stream(model, table->spec->name, table->spec->indexes[index].name, "backfill");
    if (!model_index_renew(model, table, index, building->bytes, now_ns)) {
        free(building);
        return false;
    }
    of->building = building;
    of->resource.presence = PRESENCE_BUILDING;
    of->is_lenient = table->spec->model.building_backpressure == DDBSIM_OFF;
    table->skipped_indexes &= ~(UINT32_C(1) << index);
    if (!splits_resource_comes(model, &of->resource, now_ns)) return false;
    tell(model, of, DDBSIM_EVENT_INDEX_BUILDING, now_ns);
    plan(model, of, now_ns);
    return true;
}

void building_finish(struct model *model, struct table *table, int64_t now_ns) {
    uint32_t number = building_of(model, table);
    if (number == DDBSIM_NONE) return;
    struct propagation *index = index_of(model, table, number);
    CHECK(index->building->done <= index->building->total);
    if (index->building->done < index->building->total) return;
    index->resource.presence = PRESENCE_ACTIVE;
    index->is_lenient = false;
    tell(model, index, DDBSIM_EVENT_INDEX_ACTIVE, now_ns);
}

bool building_delete(struct model *model, struct table *table, uint32_t index, int64_t now_ns) {
    struct propagation *of = index_of(model, table, index);
    CHECK(resource_exists(&of->resource));
    splits_resource_goes(model, &of->resource, now_ns);
    of->resource.presence = PRESENCE_GONE;
    table->skipped_indexes |= UINT32_C(1) << index;
    tell(model, of, DDBSIM_EVENT_INDEX_DELETED, now_ns);
    return propagation_drop(of);
}

bool building_tells(const struct propagation *index, enum ddbsim_metric metric, double *out) {
    const struct building *building = index->building;
    if (!building || building->reported) return false;
    double total = building->total > 0 ? (double)building->total : 1;
    double done = building->total > 0 ? (double)building->done : 1;
    bool reported = index->resource.model->online_index_metrics == DDBSIM_ONLINE_REPORTED;
    if (metric == DDBSIM_METRIC_ONLINE_PROGRESS)
        *out = 100 * done / total;
    else if (metric == DDBSIM_METRIC_ONLINE_CONSUMED)
        *out = reported ? (double)building->consumed_nano / (double)NANO : 0;
    else
        *out = reported ? building->throttles : 0;
    return metric == DDBSIM_METRIC_ONLINE_PROGRESS || metric == DDBSIM_METRIC_ONLINE_CONSUMED ||
           metric == DDBSIM_METRIC_ONLINE_THROTTLES;
}

void building_take(struct propagation *index) {
    struct building *building = index->building;
    if (!building || building->reported) return;
    building->consumed_nano = 0;
    building->throttles = 0;
    building->reported = index->resource.presence != PRESENCE_BUILDING;
}
