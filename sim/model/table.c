/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a table admits or refuses one attempt. Source: AWS developer guide (throttling diagnosis,
 * burst capacity, partition limits, GSI write throttling); the order of the checks is an assumption
 * (M-31):
 *
 *   units -> table bucket -> partition bucket -> back-pressure of each index -> take tokens -> execute
 *
 * Every check is made, so all reasons that apply are known (M-32); tokens are taken only when all pass.
 * A refused attempt costs nothing (M-08). Reads never meet index back-pressure.
 */
#include <model/model.h>

#include <base/hash.h>
#include <model/units.h>

static void judge_table(struct table *table, struct attempt *attempt, int64_t now_ns) {
    struct resource *resource = &table->resource;
    attempt->table_provisioned = !resource_has_tokens(resource, attempt->direction, now_ns);
    attempt->table_key_range =
        !resource_partition_has_tokens(resource, attempt->partition, attempt->direction, now_ns);
}

static const struct ddbsim_index_work *work_for(const struct ddbsim_request *request,
                                                uint32_t index) {
    for (uint32_t i = 0; i < request->work_count; i++)
        if (request->work[i].index == index) return &request->work[i];
    return NULL;
}

static void judge_indexes(struct model *model, struct table *table,
                          const struct ddbsim_request *request, struct attempt *attempt,
                          int64_t now_ns) {
    CHECK_DEBUG(table->index_count <= DDBSIM_INDEXES_MAX);
    for (uint32_t i = 0; i < table->index_count; i++) {
        struct propagation *index = &model->indexes[table->first_index + i];
        const struct ddbsim_index_work *work = work_for(request, i);
        if (work) index->resource.second.demand_nano[WRITE] += propagation_cost_units(work) * NANO;
        switch (propagation_judge(index, work != NULL, now_ns)) {
        case PROPAGATION_ADMITS:
            break;
        case PROPAGATION_NO_CAPACITY:
            attempt->index_provisioned |= 1u << i;
            break;
        case PROPAGATION_HOT_PARTITION:
            attempt->index_key_range |= 1u << i;
            break;
        }
    }
}

static void take_tokens(struct model *model, struct table *table, const struct attempt *attempt,
                        int64_t now_ns) {
    struct resource *resource = &table->resource;
    struct partition *partition = &resource->space.partitions[attempt->partition];
    if (!resource->unlimited) {
        bucket_take(&resource->buckets[attempt->direction], attempt->cost_nano);
        bucket_take(&partition->buckets[attempt->direction], attempt->cost_nano);
        if (resource->buckets[attempt->direction].level_nano <= 0)
            model_note_burst(model, resource, attempt->direction, now_ns);
    }
    partition->sample_nano[attempt->direction] += attempt->cost_nano;
    resource_consumed(resource, attempt->direction, attempt->cost_nano);
}

static void execute(struct model *model, struct table *table, const struct ddbsim_request *request,
                    const struct attempt *attempt, uint64_t draw, int64_t now_ns) {
    struct space *space = &table->resource.space;
    /* An item that had no bytes is new; one that has none left is gone. */
    space_change(space, attempt->partition, (request->new_bytes > 0) - (request->old_bytes > 0),
                 request->new_bytes - request->old_bytes);
    for (uint32_t i = 0; i < request->work_count; i++) {
        uint32_t number = table->first_index + request->work[i].index;
        struct propagation *index = &model->indexes[number];
        propagation_put(index, model->loop, number, &request->work[i],
                        hash_mix(index->options.lag_stream, draw, i), now_ns);
        if (propagation_is_tight(index, LOOP_EVENTS_PER_DISPATCH))
            loop_request_between(model->loop);
    }
}

static void count_success(struct model *model, struct table *table,
                          const struct ddbsim_request *request, const struct attempt *attempt) {
    struct operation_minute *minute = &table->operations[request->kind];
    CHECK_DEBUG(attempt->admitted && attempt->service_ns > 0);
    uint64_t us = (uint64_t)(attempt->service_ns / NS_PER_US);
    if (minute->latency.count == 0 || us < minute->latency_minimum_us)
        minute->latency_minimum_us = us;
    if (us > minute->latency_maximum_us) minute->latency_maximum_us = us;
    minute->latency_sum_us += us;
    hist_add(&minute->latency, us);
    topkeys_used(&model->top_window[table->resource.number], &request->key, attempt->direction,
                 attempt->cost_nano);
}

static void refuse(struct model *model, struct resource *resource, enum direction direction,
                   enum refusal why, int64_t now_ns) {
    resource_refused(resource, direction, why);
    model_note_refusal(model, resource, direction, now_ns);
}

/* Each reason is an event of its own resource; the attempt is one throttled request (M-61). */
static void count_refusal(struct model *model, struct table *table,
                          const struct ddbsim_request *request, const struct attempt *attempt,
                          int64_t now_ns) {
    CHECK_DEBUG(!attempt->admitted);
    struct resource *resource = &table->resource;
    table->operations[request->kind].throttled++;
    if (attempt->table_provisioned)
        refuse(model, resource, attempt->direction, REFUSAL_PROVISIONED, now_ns);
    if (attempt->table_key_range) {
        refuse(model, resource, attempt->direction, REFUSAL_KEY_RANGE, now_ns);
        resource->space.partitions[attempt->partition].sample_throttled[attempt->direction]++;
    }
    topkeys_throttled(&model->top_window[resource->number], &request->key);
    for (uint32_t i = 0; i < table->index_count; i++) {
        struct propagation *index = &model->indexes[table->first_index + i];
        bool hot = attempt->index_key_range >> i & 1u;
        if (!hot && !(attempt->index_provisioned >> i & 1u)) continue;
        refuse(model, &index->resource, WRITE, hot ? REFUSAL_KEY_RANGE : REFUSAL_PROVISIONED,
               now_ns);
        const struct ddbsim_index_work *work = work_for(request, i);
        if (work) topkeys_throttled(&model->top_window[index->resource.number], &work->new_key);
    }
}

static void answer(struct model *model, const struct table *table,
                   const struct ddbsim_request *request, struct attempt *attempt, uint64_t draw) {
    enum latency_kind kind = attempt->direction == WRITE ? LATENCY_PUT : LATENCY_GET;
    if (!attempt->admitted) kind = LATENCY_THROTTLE;
    int64_t bytes =
        request->new_bytes > request->old_bytes ? request->new_bytes : request->old_bytes;
    attempt->service_ns = latency_service_ns(&model->shapes, &table->latency, kind, bytes, draw);
    attempt->caller_ns = attempt->service_ns + table->latency.network_ns;
}

void table_attempt(struct model *model, const struct ddbsim_request *request, uint64_t draw,
                   int64_t now_ns, struct attempt *out) {
    CHECK_DEBUG(request->table < model->table_count);
    struct table *table = &model->tables[request->table];
    CHECK_DEBUG(request->work_count <= table->index_count);
    CHECK_DEBUG(request->old_bytes >= 0 && request->new_bytes >= 0);
    *out = (struct attempt){
        .direction = ddbsim_operation_is_write((int)request->kind) ? WRITE : READ,
        .partition = space_find(&table->resource.space, space_position(&request->key)),
        .cost_nano = units_request(request) * HALF_UNIT_NANO,
    };
    table->resource.second.demand_nano[out->direction] += out->cost_nano;
    judge_table(table, out, now_ns);
    if (out->direction == WRITE && table->index_count > 0)
        judge_indexes(model, table, request, out, now_ns);
    out->admitted = !out->table_provisioned && !out->table_key_range && !out->index_provisioned &&
                    !out->index_key_range;
    answer(model, table, request, out, draw);
    if (out->admitted) {
        take_tokens(model, table, out, now_ns);
        count_success(model, table, request, out);
        execute(model, table, request, out, draw, now_ns);
    } else {
        count_refusal(model, table, request, out, now_ns);
    }
    if (topkeys_is_tight(&model->top_window[table->resource.number]))
        loop_request_between(model->loop);
}
