/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the members of a batch and the actions of a transaction: each is an item of its own, with draws of its
 * own; the first action of an entity is about the arrival's values.
 */
#include <workloads/items.h>

#include <string.h>

/* It tests a condition: it is paid as a write, and writes nothing. */
static void describe_check(struct ddbsim_request *request) {
    request->special |= DDBSIM_CHECKS;
    request->new_bytes = request->old_bytes;
    request->work_count = 0;
}

/* Which action of a transaction a member is, and whether it asks for the arrival's own values: the first of an
 * entity does, so that the actions of one arrival are about the same customer or order; others draw theirs. */
static uint32_t action_of(const struct ddbsim_operation *operation, uint32_t member, bool *own) {
    uint32_t a = 0;
    for (; member >= operation->actions[a].times; a++)
        member -= operation->actions[a].times;
    const struct ddbsim_operation *action = &operation->actions[a];
    *own = member > 0;
    for (uint32_t i = 0; i < a && !*own; i++)
        *own = operation->actions[i].table == action->table &&
               operation->actions[i].entity == action->entity;
    return a;
}

/* A member that is of one item under a key of one value: what all such have in common is copied. False where that is
 * not so, or the key's hash is not known yet. `own`: its draws, or 0 where it asks for the arrival's value. */
static inline bool describe_plain(const struct source *source, const struct part *part,
                                  const struct ddbsim_arrival *arrival, uint32_t step, uint64_t own,
                                  uint64_t member_count, struct ddbsim_request *out) {
    if (!part->hashes) return false;
    uint64_t value = arrival->keys[part->slot];
    if (own != 0)
        value = value_set_pick(part->set, hash_mix(own, part->set->name_hash, 0), member_count);
    uint64_t hash = part->hashes[value];
    if (hash == 0) return false;
    memcpy(out, part->common, sizeof part->common);
    out->number = arrival->number;
    out->step = step;
    out->process = (uint32_t)draw_below(arrival->process, source->processes);
    out->key.hash = hash;
    out->key.ordinal = value;
    return true;
}

/* Any member. */
static void describe_any(struct source *source, const struct ddbsim_arrival *arrival,
                         const struct call *call, const struct ddbsim_operation *what,
                         uint32_t step, uint32_t member, uint64_t own, bool draws_own,
                         int64_t now_ns, struct ddbsim_request *out) {
    const struct ddbsim_operation *operation = &source->workload->operations[call->operation];
    const struct ddbsim_shards *shards =
        &source->scenario->tables[what->table].entities[what->entity].shards;
    bool transacts = operation->action_count > 0;
    bool deletes = what->deletes > 0 && draw_share(hash_mix(own, 0, 2), what->deletes);
    struct ddbsim_arrival settled;
    item_call(source, arrival, step, call->operation, what, out);
    if (source->settles && draws_own) {
        settled = *arrival;
        mix_settle_member(source, what, own, deletes, now_ns, &settled);
        arrival = &settled;
    }
    struct description d = {
        .source = source,
        .operation = what,
        .arrival = arrival,
        .member = draws_own ? own : 0,
        .apart = true,
        .member_count = arrival->number * operation->batch_size + member,
        /* What one transaction inserts has moments of its own, or their sort keys would be one. */
        .now_ns = transacts ? now_ns + member : now_ns,
        .entity = &source->population->tables[what->table].entities[what->entity],
        .shards = shards,
        .asked = DDBSIM_NONE,
        .deletes = deletes,
        /* Mixes, so that those for which nobody asks need not be made. */
        .effect = what->effects ? hash_mix(own, EFFECT, 1) : 0,
        .index_key = what->effects ? hash_mix(own, INDEX_KEY, 1) : 0,
        .item_draw = hash_mix(own, ITEM, 1),
        .shard_draw = shards->count > 0 ? hash_mix(own, SHARD, 1) : 0,
        .request = out};
    out->members = 0;
    out->renews &= !deletes;
    if (what->condition_fails > 0)
        (void)item_fate(&d, what, (uint64_t)(member + 1) << 32 | call->place);
    item_describe(&d, what);
    if (what->checks) describe_check(out);
}

void members_describe(struct source *source, const struct ddbsim_arrival *arrival, uint32_t step,
                      uint32_t member, uint32_t again, int64_t now_ns, struct ddbsim_request *out) {
    struct call call;
    bool found = mix_find(source, arrival, step, &call), draws_own = true;
    CHECK(found);
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    CHECK(member < operation->batch_size);
    uint32_t action = operation->action_count > 0 ? action_of(operation, member, &draws_own) : 0;
    uint64_t own = hash_mix(source->members, arrival->number, (uint64_t)step << 32 | member) | 1;
    draws_own |= again > 0;
    if (again > 0) own = hash_mix(own, again, 1) | 1;
    if (!describe_plain(
            source, &source->parts[source->outlines[call.operation].first_part + action], arrival,
            step, draws_own ? own : 0, arrival->number * operation->batch_size + member, out))
        describe_any(source, arrival, &call, generator_part(operation, action), step, member, own,
                     draws_own, now_ns, out);
}
