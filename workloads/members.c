/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the members of a batch and the actions of a transaction: each is an item of its own, with draws of its
 * own; the first action of an entity is about the arrival's values.
 */
#include <workloads/items.h>

/* It tests a condition: it is paid as a write, and writes nothing. */
static void describe_check(struct ddbsim_request *request) {
    request->special |= DDBSIM_CHECKS;
    request->new_bytes = request->old_bytes;
    request->work_count = 0;
}

/* Which action of a transaction a member is, and whether it asks for the arrival's own values: the first of an
 * entity does, so that the actions of one arrival are about the same customer or order; others draw theirs. */
static const struct ddbsim_operation *action_of(const struct ddbsim_operation *operation,
                                                uint32_t member, bool *own) {
    uint32_t a = 0;
    for (; member >= operation->actions[a].times; a++)
        member -= operation->actions[a].times;
    const struct ddbsim_operation *action = &operation->actions[a];
    *own = member > 0;
    for (uint32_t i = 0; i < a && !*own; i++)
        *own = operation->actions[i].table == action->table &&
               operation->actions[i].entity == action->entity;
    return action;
}

void members_describe(struct source *source, const struct ddbsim_arrival *arrival, uint32_t step,
                      uint32_t member, uint32_t again, int64_t now_ns, struct ddbsim_request *out) {
    struct call call;
    bool found = mix_find(source, arrival, step, &call), draws_own = true;
    CHECK(found);
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    CHECK(member < operation->batch_size);
    const struct ddbsim_operation *what =
        operation->action_count > 0 ? action_of(operation, member, &draws_own) : operation;
    item_call(source, arrival, step, call.operation, what, out);
    bool transacts = operation->action_count > 0;
    uint64_t own = hash_mix(source->members, arrival->number, (uint64_t)step << 32 | member) | 1;
    draws_own |= again > 0;
    if (again > 0) own = hash_mix(own, again, 1) | 1;
    struct ddbsim_arrival settled = *arrival;
    if (source->settles && draws_own) mix_settle_member(source, what, own, now_ns, &settled);
    struct description d = {
        .source = source,
        .operation = what,
        .arrival = &settled,
        .member = draws_own ? own : 0,
        .apart = true,
        .member_count = arrival->number * operation->batch_size + member,
        /* What one transaction inserts has moments of its own, or their sort keys would be one. */
        .now_ns = transacts ? now_ns + member : now_ns,
        .entity = &source->population->tables[what->table].entities[what->entity],
        .shards = &source->scenario->tables[what->table].entities[what->entity].shards,
        .asked = DDBSIM_NONE,
        .effect = hash_mix(own, EFFECT, 1),
        .index_key = hash_mix(own, INDEX_KEY, 1),
        .item_draw = hash_mix(own, ITEM, 1),
        .shard_draw = hash_mix(own, SHARD, 1),
        .request = out};
    out->members = 0;
    if (what->condition_fails > 0)
        (void)item_fate(&d, what, (uint64_t)(member + 1) << 32 | call.place);
    item_describe(&d, what);
    if (what->checks) describe_check(out);
}
