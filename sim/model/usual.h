/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What most attempts are: one item of a table that only its own bucket and its partition's bind, with no index that
 * holds writes back, no fault, no transaction on its way. The checks, their order and what follows are those of
 * table.c, which does the same for any attempt; here they are one piece without calls, in line where callers send.
 * Both give the same rows (tests/property/test_model.c, long_way).
 *
 * Whether a table is so is known before the request is looked at; how the attempt ends does not matter: one that is
 * refused goes this way as well.
 */
#ifndef MODEL_USUAL_H
#define MODEL_USUAL_H

#include <base/hash.h>
#include <model/model.h>
#include <model/splits.h>
#include <model/units.h>

#define USUAL_INLINE static inline __attribute__((always_inline))

/* ---- parts of table.c that are seldom needed ---- */

/* A write's item, where somebody beside the partition must hear of it: a stream, a replica, TTL. */
void table_item_followed(struct model *model, struct table *table, uint32_t slot,
                         const struct ddbsim_request *request, int64_t now_ns);
/* The index work of a write goes on its way. */
void table_index_work(struct model *model, struct table *table,
                      const struct ddbsim_request *request, uint64_t draw, int64_t now_ns);
/* The loop hears of the next index write to arrive. */
void table_tell_indexes(struct model *model, const struct table *table);
/* A page of Query or Scan, and what its filter has left of it. */
void table_count_returned(struct table *table, const struct ddbsim_request *request, uint64_t draw);
/* A refusal of a table that is usual, by one bucket or both. */
void table_refuse_usual(struct model *model, struct table *table,
                        const struct ddbsim_request *request, const struct attempt *attempt,
                        int64_t now_ns);

/* ---- the same for any attempt ---- */

static inline enum direction direction_of(enum ddbsim_operation_kind kind) {
    return ddbsim_operation_is_write((int)kind) ? WRITE : READ;
}

/* An eventual read meets any of the replicas. */
static inline uint32_t table_replica(const struct table *table, uint64_t draw) {
    uint64_t own = hash_mix(table->replica_stream, draw, 0);
    return (uint32_t)(((uint128)own * SPACE_REPLICAS) >> 64);
}

static inline void table_index_asked(struct model *model, const struct table *table,
                                     const struct ddbsim_index_work *work) {
    struct resource *index = &model->indexes[table->first_index + work->index].resource;
    index->second.demand_nano[WRITE] += propagation_cost_units(work) * NANO;
}

/* An item that had no bytes is new; one that has none left is gone. */
static inline void table_item_change(struct model *model, struct table *table, uint32_t slot,
                                     const struct ddbsim_request *request, int64_t now_ns) {
    if (__builtin_expect(table->readers || table->links || table->ttl, false)) {
        table_item_followed(model, table, slot, request, now_ns);
        return;
    }
    if (request->new_bytes == request->old_bytes) return;
    space_change(&table->resource.space, slot, (request->new_bytes > 0) - (request->old_bytes > 0),
                 request->new_bytes - request->old_bytes);
}

static inline int64_t table_larger_side(const struct ddbsim_request *request) {
    return larger(request->new_bytes, request->old_bytes);
}

static inline void table_count_success(struct table *table, enum ddbsim_operation_kind kind,
                                       const struct attempt *attempt) {
    struct operation_minute *minute = &table->operations[kind];
    CHECK_DEBUG(attempt->admitted && attempt->service_ns > 0);
    uint64_t us = (uint64_t)attempt->service_ns / (uint64_t)NS_PER_US;
    if (minute->latency.count == 0 || us < minute->latency_minimum_us)
        minute->latency_minimum_us = us;
    if (us > minute->latency_maximum_us) minute->latency_maximum_us = us;
    minute->latency_sum_us += us;
    hist_add(&minute->latency, us);
}

/* ---- usual ones ---- */

/* No index holds writes back, none is local, and all are there. */
static inline bool table_indexes_open(const struct model *model, const struct table *table) {
    bool open = table->skipped_indexes == 0;
    for (uint32_t i = 0; i < table->index_count; i++)
        open &= !model->indexes[table->first_index + i].refusing;
    return open;
}

/* Nothing but two buckets binds what is asked of the table now, transactions aside. */
static inline bool usual_buckets(const struct model *model, const struct table *table,
                                 enum direction direction) {
    if (!table->resource.is_usual) return false;
    return direction == READ || table->index_count == 0 || table_indexes_open(model, table);
}

/* The same, and no item is in a transaction. */
static inline bool usual_table(const struct model *model, const struct table *table,
                               enum direction direction, int64_t now_ns) {
    return now_ns >= model->locks.latest_ns && usual_buckets(model, table, direction);
}

static inline bool usual_request(const struct ddbsim_request *request) {
    return !request->special && request->index == DDBSIM_NONE;
}

/* What an attempt takes from its partition. */
struct usual_share {
    struct bucket *bucket;
    int64_t cost_nano;
};

/* One item, or one Query of so many units: do both buckets admit? Needs usual_buckets and usual_request. `direction`
 * is a constant where this is called, so that each has code of its own. */
USUAL_INLINE void usual_judge(struct model *model, struct table *table,
                              const struct ddbsim_request *request, enum direction direction,
                              int64_t units_nano, uint64_t draw, int64_t now_ns,
                              struct usual_share *share, struct attempt *out) {
    struct resource *resource = &table->resource;
    struct space *space = &resource->space;
    uint128 position = space_position(&request->key);
    uint32_t slot = space_find(space, position);
    bool is_eventual = direction == READ && !request->consistent;
    uint32_t replica = is_eventual ? table_replica(table, draw) : 0;
    share->bucket =
        replica ? &space->replicas[slot][replica] : &space->partitions[slot].buckets[direction];
    share->cost_nano = is_eventual ? 2 * units_nano : units_nano;
    const struct bucket_rule *rule = replica ? &space->replica_rule : &space->rules[direction];
    bool whole_short =
        !bucket_admits(&resource->buckets[direction], &resource->rules[direction], 1, now_ns);
    bool own_short = !bucket_admits(share->bucket, rule, 1, now_ns);
    CHECK_DEBUG(!resource->is_special && request->work_count <= table->index_count);
    resource->second.demand_nano[direction] += units_nano;
    splits_see(model, resource, slot, position, direction, units_nano);
    if (direction == WRITE)
        for (uint32_t i = 0; i < request->work_count; i++)
            table_index_asked(model, table, &request->work[i]);
    *out = (struct attempt){.direction = direction,
                            .index = DDBSIM_NONE,
                            .partition = slot,
                            .cost_nano = units_nano,
                            .admitted = true};
    if (__builtin_expect(whole_short || own_short, false)) {
        out->admitted = false;
        out->partition_short = own_short;
        out->refusals = (whole_short ? REFUSAL_BIT(REFUSAL_PROVISIONED) : 0) |
                        (own_short ? REFUSAL_BIT(REFUSAL_KEY_RANGE) : 0);
        if (own_short) {
            space->partitions[slot].at_limit++;
            slotset_add(&space->touched, slot);
        }
    }
}

/* It was admitted: what it takes, and that its partition served it. */
USUAL_INLINE void usual_take(struct model *model, struct table *table,
                             const struct ddbsim_request *request, enum direction direction,
                             const struct usual_share *share, uint32_t slot, int64_t units_nano,
                             int64_t now_ns) {
    struct resource *resource = &table->resource;
    struct bucket *whole = &resource->buckets[direction];
    bucket_take(share->bucket, share->cost_nano);
    bucket_take(whole, units_nano);
    if (whole->level_nano <= 0) model_note_burst(model, resource, direction, now_ns);
    resource_served(resource, slot, direction, units_nano);
    topkeys_used(&model->top_window[resource->number], &request->key, direction, units_nano);
}

/* Judged, and executed if admitted. Needs usual_table and usual_request. */
USUAL_INLINE void usual_item(struct model *model, struct table *table,
                             const struct ddbsim_request *request, enum direction direction,
                             uint64_t draw, int64_t now_ns, struct attempt *out) {
    struct usual_share share;
    int64_t units_nano = units_asked(request, direction == WRITE) * HALF_UNIT_NANO;
    usual_judge(model, table, request, direction, units_nano, draw, now_ns, &share, out);
    if (__builtin_expect(!out->admitted, false)) {
        struct attempt refused = *out; /* apart: what others see is in no register */
        table_refuse_usual(model, table, request, &refused, now_ns);
        return;
    }
    usual_take(model, table, request, direction, &share, out->partition, units_nano, now_ns);
    if (direction == READ) return;
    table_item_change(model, table, out->partition, request, now_ns);
    if (request->work_count > 0) table_index_work(model, table, request, draw, now_ns);
}

USUAL_INLINE bool usual_attempt_of(struct model *model, const struct ddbsim_request *request,
                                   enum direction direction, uint64_t draw, int64_t now_ns,
                                   struct attempt *out) {
    struct table *table = &model->tables[request->table];
    struct resource *resource = &table->resource;
    struct topkeys *keys = &model->top_window[resource->number];
    if (!usual_table(model, table, direction, now_ns)) return false;
    usual_item(model, table, request, direction, draw, now_ns, out);
    enum latency_kind kind = !out->admitted       ? LATENCY_THROTTLE
                             : direction == WRITE ? LATENCY_PUT
                                                  : LATENCY_GET;
    out->service_ns =
        latency_service_ns(&model->shapes, &table->latency, kind, table_larger_side(request), draw);
    out->caller_ns = out->service_ns + table->latency.network_ns;
    if (out->admitted) {
        resource_consumed(resource, direction, out->cost_nano);
        table_count_success(table, request->kind, out);
        if (direction == WRITE && request->work_count > 0) table_tell_indexes(model, table);
        if (direction == READ && request->kind == DDBSIM_QUERY)
            table_count_returned(table, request, draw);
    } else {
        table->operations[request->kind].throttled++;
    }
    if (topkeys_is_tight(keys)) loop_request_between(model->loop);
    return true;
}

/* One attempt of a request of its own, with its answer; false where it is not usual, and then nothing has happened. */
USUAL_INLINE bool usual_attempt(struct model *model, const struct ddbsim_request *request,
                                uint64_t draw, int64_t now_ns, struct attempt *out) {
    CHECK_DEBUG(request->table < model->table_count);
    if (!usual_request(request)) return false;
    return ddbsim_operation_is_write((int)request->kind)
               ? usual_attempt_of(model, request, WRITE, draw, now_ns, out)
               : usual_attempt_of(model, request, READ, draw, now_ns, out);
}

#endif
