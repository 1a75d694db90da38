/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time to Live. Sources: AWS developer guide, "Using time to live (TTL) in DynamoDB" and "How it works": the
 * attribute is a Number, in seconds since 1970; items past it are deleted in the background, within a few days
 * and without promise; deletes consume no write units, of the table or of its indexes; until then items are
 * read, written and paid like any others; what is not such a number, or lies more than five years back, is left
 * alone without a word. How late deletes are: cohorts.h.
 *
 * What comes from outside the simulated workloads (`inflow`) is stored and not written: it costs no units. It is
 * spread over the table as hashes would.
 *
 * Invariants: entities' items sum to those of the table's partitions, as far as no workload deletes an item
 * twice; what was there and came is there or was deleted.
 */
#include <model/ttl.h>

#include <base/hash.h>
#include <base/rng.h>
#include <model/replication.h>
#include <model/rows.h>
#include <model/stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST 1000 /* of one entity in a run, about */

/* ---- life ---- */

static bool wants_ttl(const struct ddbsim_table *spec) {
    for (uint32_t e = 0; e < spec->entity_count; e++)
        if (spec->entities[e].ttl.enabled) return true;
    return false;
}

static int64_t row_period(int64_t duration_s) {
    static const int64_t periods[] = {60, 300, 900, 3600, 6 * 3600, 86400};
    size_t i = 0;
    while (i + 1 < sizeof periods / sizeof *periods && duration_s / periods[i] > ROWS_MOST)
        i++;
    return periods[i];
}

static struct cohort_delays delays_of(const struct ddbsim_assumptions *model) {
    return (struct cohort_delays){model->ttl_least_ns / NS_PER_S, model->ttl_most_ns / NS_PER_S,
                                  model->ttl_scan_least_ns / NS_PER_S,
                                  model->ttl_scan_most_ns / NS_PER_S,
                                  model->ttl_longest_ns / NS_PER_S};
}

static bool entity_init(struct ttl_entity *entity, const struct ddbsim_entity *spec, uint32_t slots,
                        uint64_t stream) {
    const struct ddbsim_ttl *rule = &spec->ttl;
    entity->rule = rule;
    entity->stream = stream;
    entity->carries = calloc(slots, sizeof *entity->carries);
    if (!entity->carries) return false;
    if (!rule->enabled || rule->unit != DDBSIM_TTL_SECONDS) return true;
    entity->is_active = true;
    return cohorts_init(&entity->cohorts, rule->after_ns / NS_PER_S, rule->age_ns / NS_PER_S,
                        slots);
}

static bool table_init(struct model *model, struct table *table) {
    const struct ddbsim_table *spec = table->spec;
    struct ttl *ttl = table->ttl = calloc(1, sizeof *ttl);
    if (!ttl) return false;
    ttl->slots = table->resource.space.capacity;
    ttl->row_period_s = row_period(model->options.scenario->duration_ns / NS_PER_S);
    ttl->delays = delays_of(&spec->model);
    ttl->entities = calloc(spec->entity_count, sizeof *ttl->entities);
    ttl->gone = calloc(ttl->slots, sizeof *ttl->gone);
    ttl->pending = calloc((size_t)ttl->slots * spec->entity_count, sizeof *ttl->pending);
    if (!ttl->entities || !ttl->gone || !ttl->pending) return false;
    for (uint32_t e = 0; e < spec->entity_count; e++) {
        char name[1024];
        snprintf(name, sizeof name, "%s/%s/ttl", spec->name, spec->entities[e].name);
        ttl->count++;
        if (!entity_init(&ttl->entities[e], &spec->entities[e], ttl->slots,
                         rng_stream_key(model->options.seed, model->options.replication, name)))
            return false;
    }
    return true;
}

bool ttl_create(struct model *model) {
    for (uint32_t t = 0; t < model->table_count; t++) {
        if (!wants_ttl(model->tables[t].spec)) continue;
        model->has_ttl = true;
        if (!table_init(model, &model->tables[t])) return false;
    }
    return true;
}

void ttl_destroy(struct model *model) {
    for (uint32_t t = 0; t < model->table_count; t++) {
        struct ttl *ttl = model->tables[t].ttl;
        if (!ttl) continue;
        for (uint32_t e = 0; e < ttl->count; e++) {
            cohorts_deinit(&ttl->entities[e].cohorts);
            free(ttl->entities[e].carries);
        }
        free(ttl->entities);
        free(ttl->gone);
        free(ttl->pending);
        free(ttl);
    }
}

/* ---- items at start ---- */

void ttl_place(struct ttl *ttl, uint32_t slot, uint32_t entity, int64_t items, int64_t bytes) {
    struct ttl_entity *of = &ttl->entities[entity];
    CHECK(entity < ttl->count && slot < ttl->slots && ttl->pending);
    struct partition_holding *pending = &ttl->pending[(size_t)entity * ttl->slots + slot];
    pending->items += items;
    pending->bytes += bytes;
    of->held.items += items;
    of->held.bytes += bytes;
    of->at_start = of->held;
}

/* Ages are spread over what a partition holds as a whole: many keys hold one item each. */
static void place_and_free_pending(struct ttl *ttl) {
    for (uint32_t e = 0; e < ttl->count; e++)
        for (uint32_t slot = 0; slot < ttl->slots; slot++) {
            const struct partition_holding *at = &ttl->pending[(size_t)e * ttl->slots + slot];
            if (ttl->entities[e].is_active && at->items > 0)
                cohorts_place(&ttl->entities[e].cohorts, slot, at->items, at->bytes);
        }
    free(ttl->pending);
    ttl->pending = NULL;
}

/* ---- writes ---- */

static void change(struct table *table, struct ttl_entity *entity, uint32_t slot, int64_t items,
                   int64_t bytes) {
    CHECK_DEBUG(slot < table->resource.space.count);
    space_change(&table->resource.space, slot, items, bytes);
    entity->held.items = larger(entity->held.items + items, 0);
    entity->held.bytes = larger(entity->held.bytes + bytes, 0);
}

static void insert(struct table *table, struct ttl_entity *entity, uint32_t slot, int64_t items,
                   int64_t bytes) {
    if (entity->is_active) cohorts_add(&entity->cohorts, slot, items, bytes);
    change(table, entity, slot, items, bytes);
}

static uint64_t draw_next(struct ttl_entity *entity) {
    return hash_mix(entity->stream, entity->turn++, 0);
}

/* The workload knows an item as there; TTL may have deleted it: then there is nothing left to delete. */
static void remove_one(struct table *table, struct ttl_entity *entity, uint32_t slot,
                       int64_t bytes) {
    if (entity->is_active && !cohorts_take(&entity->cohorts, slot, draw_next(entity), &bytes))
        return;
    change(table, entity, slot, -1, -bytes);
}

/* An item that is written again keeps its moment, or gets a new one. Where none is left it is made anew, as
 * UpdateItem and PutItem do. */
static void rewrite(struct table *table, struct ttl_entity *entity, uint32_t slot,
                    const struct ddbsim_request *request) {
    int64_t grown = request->new_bytes - request->old_bytes, taken = 0;
    if (!entity->is_active) {
        if (grown != 0) change(table, entity, slot, 0, grown);
        return;
    }
    struct cohorts *cohorts = &entity->cohorts;
    CHECK_DEBUG(request->new_bytes > 0 && request->old_bytes > 0);
    if (request->renews && cohorts_take(cohorts, slot, draw_next(entity), &taken)) {
        grown = larger(grown, -taken);
        cohorts_add(cohorts, slot, 1, taken + grown);
    } else if (!request->renews && cohorts_items(cohorts, slot) > 0) {
        if (grown != 0) (void)cohorts_resize(cohorts, slot, draw_next(entity), &grown);
    } else {
        insert(table, entity, slot, 1, request->new_bytes);
        return;
    }
    if (grown != 0) change(table, entity, slot, 0, grown);
}

void ttl_write(struct table *table, uint32_t slot, const struct ddbsim_request *request) {
    struct ttl *ttl = table->ttl;
    CHECK_DEBUG(ttl->count > 0 && slot < ttl->slots);
    if (ttl->pending) place_and_free_pending(ttl);
    /* Requests by call are of no entity: they are counted as the first one's. */
    uint32_t number = request->key.entity < ttl->count ? request->key.entity : 0;
    struct ttl_entity *entity = &ttl->entities[number];
    if (request->old_bytes == 0 && request->new_bytes > 0)
        insert(table, entity, slot, 1, request->new_bytes);
    else if (request->new_bytes == 0 && request->old_bytes > 0)
        remove_one(table, entity, slot, request->old_bytes);
    else if (request->new_bytes > 0)
        rewrite(table, entity, slot, request);
}

/* ---- inflow ---- */

/* A partition's part of the hash space, in 2^-64; the whole is one less. */
static uint64_t width_of(const struct space *space, uint32_t place) {
    uint128 low = space_low(space, place), high = space_high(space, place);
    return (uint64_t)((high - low) >> 64);
}

static void inflow(struct table *table, struct ttl_entity *entity, int64_t item_bytes,
                   int64_t now_s) {
    struct space *space = &table->resource.space;
    int64_t due = (int64_t)(entity->rule->inflow_per_s * (double)now_s);
    int64_t items = due - entity->due;
    if (items <= 0) return;
    entity->due = due;
    for (uint32_t place = 0; place < space->count; place++) {
        uint32_t slot = space->slots[place];
        uint128 here = (uint128)(uint64_t)items * width_of(space, place) + entity->carries[slot];
        entity->carries[slot] = (uint64_t)here;
        int64_t count = (int64_t)(here >> 64);
        if (count == 0) continue;
        insert(table, entity, slot, count, count * item_bytes);
        entity->arrived += count;
        slotset_add(&space->touched, slot);
    }
}

/* ---- deletes ---- */

static bool expire(struct model *model, struct table *table, uint32_t number, int64_t now_s) {
    struct ttl_entity *entity = &table->ttl->entities[number];
    struct ttl *ttl = table->ttl;
    struct space *space = &table->resource.space;
    CHECK(space->count <= ttl->slots);
    int64_t items = cohorts_expire(&entity->cohorts, &ttl->delays, space->holdings, space->count,
                                   now_s, ttl->gone);
    if (items == 0) return true;
    entity->deleted += items;
    ttl->minute_deleted += items;
    for (uint32_t slot = 0; slot < space->count; slot++) {
        struct partition_holding *gone = &ttl->gone[slot];
        if (gone->items == 0) continue;
        change(table, entity, slot, -gone->items, -gone->bytes);
        if (table->readers)
            stream_deletes(table->readers, slot, gone->items, TTL_TICK_S * NS_PER_S,
                           now_s * NS_PER_S);
        if (table->links &&
            !replication_deletes(model, table, slot, number, *gone, now_s * NS_PER_S))
            return false;
        *gone = (struct partition_holding){0, 0};
    }
    return true;
}

static bool tick(struct model *model, struct table *table, int64_t now_s) {
    struct ttl *ttl = table->ttl;
    CHECK(now_s >= ttl->ticked_s);
    for (uint32_t e = 0; e < ttl->count; e++) {
        struct ttl_entity *entity = &ttl->entities[e];
        if (entity->rule->enabled)
            inflow(table, entity, table->spec->entities[e].item_bytes, now_s);
        if (!entity->is_active) continue;
        if (!expire(model, table, e, now_s)) return false;
        if (!cohorts_follow(&entity->cohorts, now_s)) return false;
    }
    ttl->ticked_s = now_s;
    return true;
}

/* ---- indexes ---- */

/* Entries of deleted items go from where entries are, as many from each partition as it holds of them. */
static void index_remove(struct space *space, int64_t items, int64_t bytes) {
    int64_t all = 0;
    for (uint32_t slot = 0; slot < space->count; slot++)
        all += space->holdings[slot].items;
    if (items > all) items = all;
    for (uint32_t slot = 0; slot < space->count && items > 0 && all > 0; slot++) {
        int64_t held = space->holdings[slot].items;
        int64_t here = (int64_t)((int128)items * held / all);
        int64_t weight = (int64_t)((int128)bytes * here / items);
        space_change(space, slot, -here, -weight);
        all -= held;
        items -= here;
        bytes -= weight;
    }
}

static int64_t share_of(int64_t items, int64_t share) {
    return (int64_t)((int128)items * share / DDBSIM_SHARE_ONE);
}

/* What has come and gone since the last time, of one entity. */
static void index_follow(struct space *space, const struct ttl_entity *entity,
                         const struct ddbsim_entry *entry, int64_t item_bytes) {
    int64_t bytes = ddbsim_entry_bytes(entry, item_bytes);
    int64_t came =
        share_of(entity->arrived, entry->present) - share_of(entity->told_arrived, entry->present);
    int64_t went =
        share_of(entity->deleted, entry->present) - share_of(entity->told_deleted, entry->present);
    if (came > 0) space_place_evenly(space, came, came * bytes);
    if (went > 0) index_remove(space, went, went * bytes);
}

static void indexes_follow(struct model *model, struct table *table) {
    const struct ddbsim_table *spec = table->spec;
    for (uint32_t e = 0; e < table->ttl->count; e++) {
        struct ttl_entity *entity = &table->ttl->entities[e];
        for (uint32_t i = 0; i < table->index_count; i++)
            if (spec->indexes[i].entries[e].in_index &&
                resource_exists(&model->indexes[table->first_index + i].resource))
                index_follow(&model->indexes[table->first_index + i].resource.space, entity,
                             &spec->indexes[i].entries[e], spec->entities[e].item_bytes);
        entity->told_arrived = entity->arrived;
        entity->told_deleted = entity->deleted;
    }
}

/* ---- rows ---- */

static void put_row(struct model *model, const struct resource *resource, const char *entity,
                    int64_t t_s, struct partition_holding held, int64_t expired, int64_t deleted) {
    CHECK(held.items >= 0 && held.bytes >= 0);
    ROWS_PUT(model->options.sink, DDBSIM_LOG_STORAGE, ddbsim_integer(resource->number + 1),
             ddbsim_text(entity), ddbsim_integer(t_s), ddbsim_integer(held.items),
             ddbsim_integer(held.bytes), ddbsim_integer(expired), ddbsim_integer(deleted));
}

static void put_index_rows(struct model *model, const struct table *table, int64_t t_s) {
    for (uint32_t i = 0; i < table->index_count; i++) {
        const struct resource *index = &model->indexes[table->first_index + i].resource;
        if (resource_exists(index)) put_row(model, index, "", t_s, space_held(&index->space), 0, 0);
    }
}

/* How it stands at a moment; at 0 as it was before anything happened. */
static void put_rows(struct model *model, const struct table *table, int64_t t_s) {
    const struct ttl *ttl = table->ttl;
    for (uint32_t e = 0; e < ttl->count; e++) {
        const struct ttl_entity *entity = &ttl->entities[e];
        int64_t expired = entity->is_active ? cohorts_waiting(&entity->cohorts, t_s) : 0;
        put_row(model, &table->resource, table->spec->entities[e].name, t_s,
                t_s == 0 ? entity->at_start : entity->held, expired,
                t_s == 0 ? 0 : entity->deleted);
    }
    put_index_rows(model, table, t_s);
}

/* ---- periods ---- */

static bool table_close_second(struct model *model, struct table *table, int64_t end_s, bool last) {
    struct ttl *ttl = table->ttl;
    if (ttl->pending) place_and_free_pending(ttl);
    if (ttl->ticked_s == 0 && end_s == 1) put_rows(model, table, 0);
    bool writes = last || end_s % ttl->row_period_s == 0;
    if ((last || end_s % TTL_TICK_S == 0) && !tick(model, table, end_s)) return false;
    if (!writes) return true;
    indexes_follow(model, table);
    put_rows(model, table, end_s);
    return true;
}

bool ttl_close_second(struct model *model, int64_t end_s, bool last) {
    for (uint32_t t = 0; t < model->table_count; t++)
        if (model->tables[t].ttl && !table_close_second(model, &model->tables[t], end_s, last))
            return false;
    return true;
}

int64_t ttl_close_minute(struct ttl *ttl) {
    int64_t deleted = ttl->minute_deleted;
    ttl->minute_deleted = 0;
    return deleted;
}

/* ---- partitions ---- */

static bool array_grow(void **array, size_t size, uint32_t from, uint32_t to) {
    char *grown = realloc(*array, to * size);
    if (!grown) return false;
    memset(grown + from * size, 0, (to - from) * size);
    *array = grown;
    return true;
}

bool ttl_grow(struct table *table, uint32_t more) {
    struct ttl *ttl = table->ttl;
    uint32_t slots = table->resource.space.count + more;
    if (slots <= ttl->slots) return true;
    if (ttl->pending) place_and_free_pending(ttl);
    if (slots < ttl->slots + ttl->slots / 2) slots = ttl->slots + ttl->slots / 2;
    if (!array_grow((void **)&ttl->gone, sizeof *ttl->gone, ttl->slots, slots)) return false;
    for (uint32_t e = 0; e < ttl->count; e++) {
        struct ttl_entity *entity = &ttl->entities[e];
        if (!array_grow((void **)&entity->carries, sizeof *entity->carries, ttl->slots, slots))
            return false;
        if (entity->is_active && !cohorts_grow(&entity->cohorts, slots)) return false;
    }
    ttl->slots = slots;
    return true;
}

static struct partition_holding in_cohorts(const struct ttl *ttl, uint32_t slot) {
    struct partition_holding held = {0, 0};
    for (uint32_t e = 0; e < ttl->count; e++) {
        if (!ttl->entities[e].is_active) continue;
        held.items += cohorts_items(&ttl->entities[e].cohorts, slot);
        held.bytes += cohorts_bytes(&ttl->entities[e].cohorts, slot);
    }
    return held;
}

/* Each cohort is divided in whole items, so that a child's holding is what its cohorts have, and its share of
 * the rest. */
static void split_one(struct table *table, const struct space_parting *parting) {
    struct ttl *ttl = table->ttl;
    struct partition_holding *holdings = table->resource.space.holdings;
    struct partition_holding rest = in_cohorts(ttl, parting->slot), before = {0, 0};
    rest.items = -rest.items;
    rest.bytes = -rest.bytes;
    for (uint32_t i = 0; i <= parting->split.count; i++) {
        uint32_t child = i == 0 ? parting->slot : parting->first_child + i - 1;
        rest.items += holdings[child].items;
        rest.bytes += holdings[child].bytes;
    }
    CHECK(rest.items >= 0 && rest.bytes >= 0);
    for (uint32_t e = 0; e < ttl->count; e++)
        if (ttl->entities[e].is_active) cohorts_split(&ttl->entities[e].cohorts, parting);
    for (uint32_t i = 0; i <= parting->split.count; i++) {
        uint32_t child = i == 0 ? parting->slot : parting->first_child + i - 1;
        int64_t share = i < parting->split.count ? parting->split.shares[i] : DDBSIM_SHARE_ONE;
        struct partition_holding upto = {share_of(rest.items, share), share_of(rest.bytes, share)};
        holdings[child] = in_cohorts(ttl, child);
        holdings[child].items += upto.items - before.items;
        holdings[child].bytes += upto.bytes - before.bytes;
        before = upto;
    }
}

void ttl_split(struct table *table, const struct space_parting *partings, uint32_t count) {
    if (table->ttl->pending) place_and_free_pending(table->ttl);
    for (uint32_t i = 0; i < count; i++)
        split_one(table, &partings[i]);
}
