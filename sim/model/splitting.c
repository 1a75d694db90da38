/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is kept of a resource's partitions while they are watched. Invariant: a slot has a plan exactly
 * while its watch says that it is splitting.
 */
#include <model/splitting.h>

#include <stdlib.h>

static bool watches_grow(struct splitting *splitting, uint32_t needed) {
    if (needed <= splitting->watch_capacity) return true;
    uint32_t capacity = needed + needed / 2;
    struct partition_watch *grown = realloc(splitting->watches, capacity * sizeof *grown);
    if (!grown) return false;
    splitting->watches = grown;
    splitting->watch_capacity = capacity;
    return true;
}

bool splitting_grow(struct splitting *splitting, uint32_t count, uint32_t more) {
    if (!watches_grow(splitting, count + more) || !slotset_grow(&splitting->to_log, count + more))
        return false;
    if (splitting->plan_count < splitting->plan_capacity) return true;
    uint32_t capacity = splitting->plan_capacity ? 2 * splitting->plan_capacity : 8;
    struct split_plan *grown = realloc(splitting->plans, capacity * sizeof *grown);
    if (!grown) return false;
    splitting->plans = grown;
    splitting->plan_capacity = capacity;
    return true;
}

bool splitting_init(struct splitting *splitting, uint32_t count,
                    const struct ddbsim_assumptions *model, uint64_t stream,
                    bool whole_collections) {
    *splitting = (struct splitting){.stream = stream, .whole_collections = whole_collections};
    delay_init_sigma(&splitting->duration, model->split_duration_ns, model->split_sigma);
    splitting->size_shortest_ns = model->split_size_shortest_ns;
    splitting->size_span_ns =
        larger(model->split_size_longest_ns - model->split_size_shortest_ns, 0);
    if (!splitting_grow(splitting, 0, count)) return false;
    for (uint32_t slot = 0; slot < count; slot++)
        splitting_watch_begin(splitting, slot, INT64_MIN);
    return true;
}

void splitting_deinit(struct splitting *splitting) {
    free(splitting->watches);
    free(splitting->plans);
    slotset_deinit(&splitting->to_log);
    splitting->watches = NULL;
    splitting->plans = NULL;
}

void splitting_watch_begin(struct splitting *splitting, uint32_t slot, int64_t cool_until_ns) {
    CHECK(slot < splitting->watch_capacity);
    splitting->watches[slot] = (struct partition_watch){
        .hot_since_ns = TIME_NEVER,
        .turn_ns = TIME_NEVER,
        .judge_ns = TIME_NEVER,
        .cool_until_ns = cool_until_ns,
        .told_ns = TIME_NEVER,
    };
}
