/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading without touching: buckets are refilled in copies, so that looking at a run changes nothing in
 * it. The reasons of a refusal stand in the order of the reasons (names.h; M-31, M-60), an index's limit
 * before its key ranges, indexes by number.
 */
#include <client/inspect.h>

static void add_refusal(struct ddbsim_result *out, enum ddbsim_reason reason, uint32_t index,
                        const struct resource *resource) {
    CHECK(out->refusal_count < DDBSIM_REFUSALS_MAX);
    out->refusals[out->refusal_count++] = (struct ddbsim_refusal){
        .reason = reason,
        .index = index,
        .resource = index == DDBSIM_NONE ? resource->table_name : resource->index_name,
    };
}

/* Of what the attempt addresses, then of the indexes that hold it back. */
static void add_refusals(const struct model *model, const struct table *table,
                         const struct attempt *attempt, struct ddbsim_result *out) {
    bool is_index = attempt->index != DDBSIM_NONE;
    const struct resource *own =
        is_index ? &model->indexes[table->first_index + attempt->index].resource : &table->resource;
    for (int why = 0; why < REFUSALS; why++)
        if (attempt->refusals & REFUSAL_BIT(why))
            add_refusal(out, model_reason(is_index, attempt->direction, (enum refusal)why),
                        attempt->index, own);
    for (int why = 0; why < REFUSALS; why++)
        for (uint32_t i = 0; i < table->index_count; i++)
            if (attempt->index_refusals[why] >> i & 1u)
                add_refusal(out, model_reason(true, WRITE, (enum refusal)why), i,
                            &model->indexes[table->first_index + i].resource);
}

void inspect_attempt(const struct model *model, const struct ddbsim_request *request,
                     const struct attempt *attempt, struct ddbsim_result *out) {
    const struct table *table = &model->tables[request->table];
    *out = (struct ddbsim_result){
        .admitted = attempt->admitted,
        .partition = attempt->partition,
        .nano_units = attempt->admitted ? attempt->cost_nano : 0,
        .service_ns = attempt->service_ns,
        .caller_ns = attempt->caller_ns,
    };
    add_refusals(model, table, attempt, out);
    if (attempt->verdict ==
        VERDICT_INVALID) { /* of what can be injected only a write is ever that */
        CHECK(ddbsim_operation_is_write((int)request->kind) && out->refusal_count == 0);
        out->exception = "ItemCollectionSizeLimitExceededException";
        return;
    }
    if (attempt->verdict == VERDICT_CONFLICT) { /* a transaction of some workload has the item */
        out->exception = "TransactionConflictException";
        return;
    }
    if (attempt->verdict == VERDICT_SYSTEM) { /* a fault's (M-103) */
        out->exception = "InternalServerError";
        return;
    }
    CHECK(attempt->admitted == (out->refusal_count == 0));
    if (!attempt->admitted)
        out->exception =
            ddbsim_reason_exception((int)out->refusals[0].reason, table->resource.on_demand);
}

/* ---- state ---- */

const struct resource *inspect_find(const struct model *model, uint32_t table, uint32_t index) {
    if (table >= model->table_count) return NULL;
    const struct table *of = &model->tables[table];
    if (index == DDBSIM_NONE) return &of->resource;
    return index < of->index_count ? &model->indexes[of->first_index + index].resource : NULL;
}

/* A run that is finished has looked at some of its buckets beyond now: they stand as they are. */
static int64_t level_at(struct bucket bucket, const struct bucket_rule *rule, int64_t now_ns) {
    if (now_ns > bucket.t_ns) bucket_refill(&bucket, rule, now_ns);
    CHECK(bucket.level_nano <= rule->cap_nano);
    return bucket.level_nano;
}

void inspect_resource(const struct model *model, uint32_t table, uint32_t index, int64_t now_ns,
                      struct ddbsim_resource_state *out) {
    const struct resource *resource = inspect_find(model, table, index);
    CHECK(resource != NULL);
    int64_t of = resource->serving.of;
    *out = (struct ddbsim_resource_state){
        .read_capacity = resource->capacity[READ],
        .write_capacity = resource->capacity[WRITE],
        .read_nano_tokens = level_at(resource->buckets[READ], &resource->rules[READ], now_ns) / of,
        .write_nano_tokens =
            level_at(resource->buckets[WRITE], &resource->rules[WRITE], now_ns) / of,
        .read_nano_limit = resource->rules[READ].cap_nano / of,
        .write_nano_limit = resource->rules[WRITE].cap_nano / of,
        .partitions = resource->space.count,
    };
    struct partition_holding held = space_held(&resource->space);
    out->items = held.items;
    out->bytes = held.bytes;
    if (index == DDBSIM_NONE) return;
    const struct propagation *propagation =
        &model->indexes[model->tables[table].first_index + index];
    CHECK(&propagation->resource == resource && propagation->backlog_nano >= 0);
    out->backlog_nano_units = propagation->backlog_nano;
    out->holds_back = propagation->refusing;
}

void inspect_partition(const struct resource *resource, uint32_t partition, int64_t now_ns,
                       struct ddbsim_partition_state *out) {
    const struct space *space = &resource->space;
    CHECK(partition < space->count);
    const struct partition *of = &space->partitions[partition];
    uint32_t place = space_place(space, partition);
    uint128 low = space_low(space, place), high = space_high(space, place);
    *out = (struct ddbsim_partition_state){
        .low_hash = (uint64_t)(low >> 64),
        .low_sort = (uint64_t)low,
        .high_hash = (uint64_t)(high >> 64),
        .high_sort = (uint64_t)high,
        .read_nano_tokens = level_at(of->buckets[READ], &space->rules[READ], now_ns),
        .write_nano_tokens = level_at(of->buckets[WRITE], &space->rules[WRITE], now_ns),
        .read_nano_limit = space->rules[READ].cap_nano,
        .write_nano_limit = space->rules[WRITE].cap_nano,
        .items = space->holdings[partition].items,
        .bytes = space->holdings[partition].bytes,
    };
}
