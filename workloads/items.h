/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which item a call is about, while the call is being described. */
#ifndef WORKLOADS_ITEMS_H
#define WORKLOADS_ITEMS_H

#include <workloads/mix.h>

/* One call while it is being described. */
struct description {
    const struct source *source;
    const struct ddbsim_operation *operation;
    const struct ddbsim_arrival *arrival;
    uint64_t member; /* stream of a batch's member; 0: the call is no batch */
    uint64_t
        member_count; /* members before it, of all batches of this workload, where each is of its size */
    struct population_entity *entity;
    struct population_item item;
    int64_t now_ns;
    uint64_t effect, index_key, item_draw, shard_draw; /* this call's own draws */
    const struct ddbsim_shards *shards;                /* of the entity, as it is now */
    uint64_t shard;                                    /* the item's suffix, from 0 */
    uint32_t asked;  /* the suffix that is asked instead; DDBSIM_NONE: none */
    uint32_t modulo; /* suffixes that its caller calculates with; 0: those that there are */
    bool fails;      /* its condition does not hold */
    bool deletes;    /* a member of a BatchWriteItem that is no put */
    bool apart;      /* its values may not be the arrival's own: item_value_apart */
    struct ddbsim_request *request;
};

/* Who is popular may change: an arrival sees who is when it comes. */
static inline uint64_t item_current_value(const struct value_set *set, uint64_t value,
                                          const struct ddbsim_arrival *arrival) {
    return set->values->moves_ns > 0 ? value_set_move(set, value, arrival->t_ns) : value;
}

/* Where an operation has a popularity of its own, a batch's member draws anew, or the hot values move. */
uint64_t item_value_apart(const struct description *d, uint32_t set, uint64_t value);

/* The value that this arrival draws from a set: the same in all its calls, another in each member of a
 * batch, where sets that come in order go on from member to member. */
static inline uint64_t item_value(const struct description *d, uint32_t set) {
    uint32_t slot = d->source->slots[set];
    CHECK_DEBUG(slot < d->source->slot_count);
    uint64_t value = d->arrival->keys[slot];
    return d->apart ? item_value_apart(d, set, value) : value;
}

/* The value of a digit that is the item's own. */
static inline uint64_t item_digit(const struct description *d, uint32_t set) {
    return set == DDBSIM_NONE ? d->shard : item_value(d, set);
}

static inline void item_digits(const struct description *d, const struct key_template *template,
                               uint64_t *digits) {
    for (uint32_t i = 0; i < template->digit_count; i++)
        digits[i] = item_digit(d, template->sets[i]);
}

static inline void item_marks(const struct description *d, struct key_values *values) {
    values->item = d->item.number;
    values->n = d->item.place + 1;
    values->time_ns = d->item.time_ns;
}

int64_t item_drawn_bytes(const struct ddbsim_operation *operation, const struct ddbsim_key *key);
/* What an operation writes to the item whose key the request has, or reads of it. */
static inline int64_t item_own_bytes(const struct ddbsim_operation *operation,
                                     const struct ddbsim_key *key) {
    return operation->sizes.count == 0 ? operation->item_bytes : item_drawn_bytes(operation, key);
}

static inline void item_bytes(struct ddbsim_request *request, int64_t bytes, bool is_new) {
    bool is_delete = request->kind == DDBSIM_DELETE_ITEM;
    request->old_bytes = is_new ? 0 : bytes;
    request->new_bytes = is_delete ? 0 : bytes;
}

/* Write sharding (M-13, M-14): which suffix the item has. */
uint64_t item_shard(const struct description *d);
/* The suffix that a caller puts into the key, by the number of suffixes that it knows of. */
uint64_t item_asked_shard(const struct description *d);
/* A random suffix that only an index has is an attribute of the item: always the same one. */
uint64_t item_stored_shard(const struct description *d);

/* Chooses or makes the item and writes its key; returns whether it is new. `usual`: its keys have no suffix and none
 * of them may be empty. */
static inline __attribute__((always_inline)) bool item_choose(struct description *d, bool puts,
                                                              bool usual) {
    struct population_entity *entity = d->entity;
    struct key_values values;
    if (!usual && d->shards->count > 0) d->shard = item_asked_shard(d);
    if (!usual && d->asked != DDBSIM_NONE) d->shard = d->asked;
    item_digits(d, &entity->partition, values.digits);
    uint64_t group = key_digits_join(&entity->partition, values.digits);
    if (!usual && entity->has_empty && group == entity->empty) {
        d->request->special |= DDBSIM_INVALID;
        puts = false;
    }
    bool adds = puts && entity->grows;
    d->item = adds ? population_insert(entity, group, d->now_ns)
                   : population_choose(entity, group, d->item_draw, d->now_ns);
    item_marks(d, &values);
    struct ddbsim_key *key = &d->request->key;
    key->ordinal = key_ordinal(&entity->partition, group, values.time_ns, d->item.place);
    key->hash = key_hash(&entity->partition, key->ordinal, &values);
    if (entity->sort.part_count > 0) item_digits(d, &entity->sort, values.digits);
    key->sort = key_sort(&entity->sort, &values);
    if (!usual && d->shards->count > 0 && d->shards->by == DDBSIM_SHARDS_RANDOM &&
        !entity->sharded && d->asked == DDBSIM_NONE)
        d->shard = item_stored_shard(d);
    return adds || (puts && entity->is_fresh);
}

/* Which item it is, of the entity that is said, its bytes, and what a write asks of the indexes. */
void item_describe(struct description *d, const struct ddbsim_operation *operation);
/* What AWS refuses for itself. True where the request goes no further. */
bool item_fate(struct description *d, const struct ddbsim_operation *operation, uint64_t own);

/* What a call of operation `number` and the members of a batch have in common. */
static inline void item_call(const struct source *source, const struct ddbsim_arrival *arrival,
                             uint32_t step, uint32_t number,
                             const struct ddbsim_operation *operation, struct ddbsim_request *out) {
    out->number = arrival->number;
    out->workload = source->number;
    out->step = step;
    out->operation = number;
    out->kind = operation->kind;
    out->table = operation->table;
    out->index = DDBSIM_NONE;
    out->process = (uint32_t)draw_below(arrival->process, source->workload->client.processes);
    out->key = (struct ddbsim_key){.entity = operation->entity};
    out->old_bytes = out->new_bytes = 0;
    out->consistent = operation->consistent_read;
    out->renews = operation->renews_ttl;
    out->members = operation->batch_size;
    if (arrival->records > 0 && out->members > arrival->records &&
        ddbsim_operation_is_batch((int)operation->kind))
        out->members = arrival->records;
    out->missed = 0;
    out->work_count = 0;
    out->special = 0;
    out->branches = 0;
    out->more = 0;
}

#endif
