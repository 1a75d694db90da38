/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replication between the tables of a global table. Sources: AWS developer guide, "Global tables: how it works"
 * (each write is replicated to all other Regions and paid in each; usually within a second; a replica that lacks
 * write capacity falls behind); "TTL" (a delete is free where it happens and a replicated write elsewhere).
 *
 * Invariants: a link delivers in order, each write once; what comes over a link is not sent on.
 */
#include <model/replication.h>

#include <base/hash.h>
#include <base/rng.h>
#include <model/splits.h>
#include <model/stream.h>
#include <model/ttl.h>
#include <model/units.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING_LEAST 1024
#define RING_MARGIN 128 /* writes of one event */
#define APPLIED_MOST 64 /* in one event */

/* ---- life ---- */

static bool link_create(struct model *model, uint32_t from, uint32_t to) {
    const struct ddbsim_table *spec = model->tables[from].spec;
    struct replication *link = &model->links[model->link_count];
    char name[1024];
    snprintf(name, sizeof name, "%s/%s/replication", spec->name, model->tables[to].spec->name);
    *link = (struct replication){
        .number = model->link_count++,
        .from = from,
        .to = to,
        .region = model->tables[to].spec->region,
        .least_ns = spec->model.replication_least_ns,
        .most_ns = larger(spec->model.replication_most_ns, spec->model.replication_least_ns),
        .lag_stream = rng_stream_key(model->options.seed, model->options.replication, name),
        .capacity = RING_LEAST,
        .other = model->tables[from].links,
    };
    link->ring = malloc(link->capacity * sizeof *link->ring);
    model->tables[from].links = link;
    return link->ring != NULL;
}

static bool are_replicas(const struct model *model, uint32_t a, uint32_t b) {
    const struct ddbsim_table *tables = model->options.scenario->tables;
    return a != b && tables[a].region && tables[b].region && tables[a].home == tables[b].home;
}

bool replication_create(struct model *model) {
    uint32_t links = 0;
    for (uint32_t a = 0; a < model->table_count; a++)
        for (uint32_t b = 0; b < model->table_count; b++)
            links += are_replicas(model, a, b);
    if (links == 0) return true;
    model->links = calloc(links, sizeof *model->links);
    if (!model->links) return false;
    for (uint32_t a = 0; a < model->table_count; a++)
        for (uint32_t b = 0; b < model->table_count; b++)
            if (are_replicas(model, a, b) && !link_create(model, a, b)) return false;
    return true;
}

void replication_destroy(struct model *model) {
    for (uint32_t i = 0; i < model->link_count; i++)
        free(model->links[i].ring);
    free(model->links);
}

const struct replication *replication_find(const struct model *model, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < model->link_count; i++)
        if (model->links[i].from == from && model->links[i].to == to) return &model->links[i];
    return NULL;
}

/* ---- the queue ---- */

static struct replicated *at(const struct replication *link, uint32_t place) {
    CHECK_DEBUG(place < link->capacity && (link->capacity & (link->capacity - 1)) == 0);
    return &link->ring[(link->first + place) & (link->capacity - 1)];
}

static bool ring_grow(struct replication *link) {
    if (link->capacity > UINT32_MAX / 4) return false;
    struct replicated *grown = malloc(2 * (size_t)link->capacity * sizeof *grown);
    if (!grown) return false;
    for (uint32_t i = 0; i < link->count; i++)
        grown[i] = *at(link, i);
    free(link->ring);
    link->ring = grown;
    link->first = 0;
    link->capacity *= 2;
    return true;
}

static bool is_tight(const struct replication *link) {
    return link->capacity - link->count < RING_MARGIN;
}

bool replication_make_room(struct model *model) {
    for (uint32_t i = 0; i < model->link_count; i++)
        while (is_tight(&model->links[i]))
            if (!ring_grow(&model->links[i])) return false;
    return true;
}

static void schedule(struct model *model, struct replication *link, int64_t at_ns) {
    CHECK(!link->scheduled);
    link->scheduled = true;
    loop_schedule(model->loop, at_ns, LOOP_WORK, model->options.first_event_kind + MODEL_REPLICATES,
                  link->number, 0);
}

/* Writes of one second have the same lag; the order stays. */
static int64_t ready_of(struct replication *link, int64_t now_ns) {
    CHECK(now_ns >= 0 && link->most_ns >= link->least_ns);
    uint64_t draw = hash_mix(link->lag_stream, (uint64_t)(now_ns / NS_PER_S), 0);
    uint64_t span = (uint64_t)(link->most_ns - link->least_ns) + 1;
    int64_t ready_ns = now_ns + link->least_ns + (int64_t)draw_below(draw, span);
    link->last_ready_ns = larger(ready_ns, link->last_ready_ns);
    return link->last_ready_ns;
}

static void put(struct model *model, struct replication *link, struct replicated write) {
    CHECK(link->count < link->capacity && write.count > 0);
    write.ready_ns = ready_of(link, write.written_ns);
    *at(link, link->count++) = write;
    if (!link->scheduled) schedule(model, link, at(link, 0)->ready_ns);
    if (is_tight(link)) loop_request_between(model->loop);
}

void replication_write(struct model *model, struct table *table,
                       const struct ddbsim_request *request, int64_t now_ns) {
    struct replicated write = {
        .key = request->key,
        .written_ns = now_ns,
        .units = units_write(request->old_bytes, request->new_bytes),
        .old_bytes = request->old_bytes,
        .new_bytes = request->new_bytes,
        .count = 1,
        .renews = request->renews,
    };
    for (struct replication *link = table->links; link; link = link->other)
        put(model, link, write);
}

bool replication_deletes(struct model *model, struct table *table, uint32_t slot, uint32_t entity,
                         struct partition_holding gone, int64_t now_ns) {
    CHECK(gone.items > 0 && gone.bytes >= 0);
    uint128 first = table->resource.space.firsts[slot];
    int64_t bytes = gone.bytes / gone.items;
    struct replicated write = {
        .key = {.hash = (uint64_t)(first >> 64), .sort = (uint64_t)first, .entity = entity},
        .written_ns = now_ns,
        .units = units_write(bytes, 0),
        .old_bytes = bytes,
        .count = gone.items,
    };
    for (struct replication *link = table->links; link; link = link->other) {
        if (is_tight(link) && !ring_grow(link)) return false;
        put(model, link, write);
    }
    return true;
}

/* ---- delivery ---- */

/* When the receiver has the capacity for one more of a write; now if it does. */
static int64_t admits_ns(struct table *table, const struct replicated *write, struct demand *demand,
                         int64_t now_ns) {
    struct resource *resource = &table->resource;
    int64_t cost_nano = write->units * NANO;
    uint32_t slot = space_find(&resource->space, space_position(&write->key));
    resource_demand(resource, slot, WRITE, 0, false, cost_nano, demand);
    if (resource->unlimited) return now_ns;
    int64_t most = resource_most(resource, slot);
    demand->need_nano = smaller(demand->need_nano, most);
    int64_t need_nano = smaller(resource_need(resource, cost_nano), most);
    return larger(resource_ready_ns(resource, WRITE, need_nano, now_ns),
                  resource_partition_ready_ns(resource, demand, now_ns));
}

static void take(struct model *model, struct resource *resource, const struct demand *demand,
                 int64_t now_ns) {
    if (!resource->unlimited) {
        resource_take(resource, WRITE, demand->units_nano);
        resource_partition_take(resource, demand);
        if (resource->buckets[WRITE].level_nano <= 0)
            model_note_burst(model, resource, WRITE, now_ns);
    }
    resource_served(resource, demand->slot, WRITE, demand->units_nano);
    resource_consumed(resource, WRITE, demand->units_nano);
    resource->second.demand_nano[WRITE] += demand->units_nano;
}

/* What the receiver holds; where it counts ages, the item is of the age that it has there (M-17). */
static void store(struct table *table, const struct replicated *write, uint32_t slot) {
    const struct ddbsim_request as_written = {.key = write->key,
                                              .old_bytes = write->old_bytes,
                                              .new_bytes = write->new_bytes,
                                              .renews = write->renews};
    if (table->ttl)
        ttl_write(table, slot, &as_written);
    else
        space_change(&table->resource.space, slot, (write->new_bytes > 0) - (write->old_bytes > 0),
                     write->new_bytes - write->old_bytes);
}

static void apply(struct model *model, struct replication *link, struct replicated *write,
                  const struct demand *demand, int64_t now_ns) {
    struct table *table = &model->tables[link->to];
    struct resource *resource = &table->resource;
    struct topkeys *keys = &model->top_window[resource->number];
    take(model, resource, demand, now_ns);
    splits_see(model, resource, demand->slot, space_position(&write->key), WRITE,
               demand->units_nano);
    if (write->count == 1) topkeys_used(keys, &write->key, WRITE, demand->units_nano);
    if (topkeys_is_tight(keys)) loop_request_between(model->loop);
    store(table, write, demand->slot);
    if (table->readers) stream_write(table->readers, demand->slot, now_ns);
    sample_add(&table->replicated, demand->units_nano);
    sample_add(&link->latency, now_ns - write->written_ns);
    CHECK(link->count > 0 && write->ready_ns <= now_ns);
    if (--write->count > 0) return;
    link->first = (link->first + 1) & (link->capacity - 1);
    link->count--;
}

void replication_deliver(struct model *model, struct replication *link, int64_t now_ns) {
    link->scheduled = false;
    int64_t next_ns = now_ns;
    for (uint32_t i = 0; i < APPLIED_MOST && link->count > 0; i++) {
        struct replicated *write = at(link, 0);
        struct demand demand;
        next_ns = larger(write->ready_ns, now_ns);
        if (next_ns == now_ns)
            next_ns = admits_ns(&model->tables[link->to], write, &demand, now_ns);
        if (next_ns > now_ns) break;
        apply(model, link, write, &demand, now_ns);
    }
    if (link->count > 0) schedule(model, link, next_ns);
}
