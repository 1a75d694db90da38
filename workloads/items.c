/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the choice of an item: the values that an arrival draws, its suffix, its place under its key, and its
 * bytes. Values of an arrival are the same in all its calls; a batch's member has its own.
 */
#include <workloads/items.h>

#include <workloads/effects.h>
#include <workloads/sizes.h>

/* ---- values ---- */

/* The draw of an operation's own popularity is a mix of its own stream. */
static bool override_pick(const struct description *d, uint32_t set, uint64_t *out) {
    const struct source *source = d->source;
    const struct ddbsim_operation *operation = d->operation;
    uint64_t draw =
        d->member ? d->member : hash_mix(source->override_stream, d->arrival->number, 0);
    for (uint32_t i = 0; i < source->override_count; i++) {
        const struct override *override = &source->overrides[i];
        if (override->from->of != set || override->from < operation->keys ||
            override->from >= operation->keys + operation->key_count)
            continue;
        uint64_t number = d->member ? d->member_count : d->arrival->number;
        uint64_t value =
            value_set_pick(&override->set, hash_mix(draw, override->set.name_hash, 1), number);
        *out = item_current_value(&override->set, value, d->arrival);
        return true;
    }
    return false;
}

/* Where an operation has a popularity of its own, a batch's member draws anew, or the hot values move. */
uint64_t item_value_apart(const struct description *d, uint32_t set, uint64_t value) {
    const struct value_set *values = &d->source->population->sets[set];
    if (d->operation->key_count > 0 && override_pick(d, set, &value)) return value;
    if (d->member && !values->moving)
        value = value_set_pick(values, hash_mix(d->member, values->name_hash, 0), d->member_count);
    return item_current_value(values, value, d->arrival);
}

/* ---- the item ---- */

/* Write sharding (M-13, M-14): which suffix the item has. */
uint64_t item_shard(const struct description *d) {
    const struct ddbsim_shards *shards = d->shards;
    if (shards->by == DDBSIM_SHARDS_RANDOM) return draw_below(d->shard_draw, shards->count);
    return key_value_shard(shards, &d->source->population->sets[shards->of],
                           item_value(d, shards->of));
}

uint64_t item_asked_shard(const struct description *d) {
    if (d->modulo == 0) return item_shard(d);
    struct ddbsim_shards known = *d->shards;
    known.count = d->modulo;
    return key_value_shard(&known, &d->source->population->sets[known.of], item_value(d, known.of));
}

uint64_t item_stored_shard(const struct description *d) {
    const struct ddbsim_key *key = &d->request->key;
    return draw_below(hash_mix(key->hash ^ d->item.number, key->sort, MIX_SHARD), d->shards->count);
}

/* ---- sizes (M-127) ---- */

/* The same share of the sizes in whatever order: an item that is large to one operation is so to the next. */
int64_t item_drawn_bytes(const struct ddbsim_operation *operation, const struct ddbsim_key *key) {
    return sizes_pick(&operation->sizes, hash_mix(key->hash, key->sort, MIX_SIZE));
}

/* ---- what AWS refuses ---- */

/* One draw says both: the shares lie side by side. True where the request goes no further. */
bool item_fate(struct description *d, const struct ddbsim_operation *operation, uint64_t own) {
    uint64_t draw = hash_mix(d->source->fates, d->arrival->number, own);
    if (operation->refused || draw_share(draw, operation->invalid)) {
        d->request->special |= DDBSIM_INVALID;
        return true;
    }
    if (operation->condition_fails > 0)
        d->fails = draw_share(hash_mix(draw, 1, 0), operation->condition_fails);
    return false;
}

/* ---- the whole ---- */

/* A write whose condition fails is paid by what exists and changes nothing; a new item is not made. */
__attribute__((noinline)) static void describe_failed(struct description *d,
                                                      const struct ddbsim_operation *operation) {
    struct ddbsim_request *request = d->request;
    bool absent =
        ddbsim_operation_puts((int)operation->kind) && (d->entity->grows || d->entity->is_fresh);
    (void)item_choose(d, false, false);
    request->special |= DDBSIM_CONDITION_FAILS;
    request->old_bytes = request->new_bytes = absent ? 0 : item_own_bytes(operation, &request->key);
    if (d->entity->sizes) sizes_describe(d, operation);
}

static void describe_effects(struct description *d, const struct ddbsim_operation *operation) {
    bool is_nothing = d->request->old_bytes == 0 && d->request->new_bytes == 0;
    if (operation->effects && !is_nothing && ddbsim_operation_is_write((int)operation->kind))
        effects_describe(d, d->source->population->tables[operation->table].table, operation);
}

/* The key that a recording names (M-125). Its item is there already, unless it says otherwise. */
__attribute__((noinline)) static void describe_recorded(struct description *d,
                                                        const struct ddbsim_operation *operation) {
    const struct ddbsim_row *row = &d->arrival->row;
    struct ddbsim_key *key = &d->request->key;
    (void)item_choose(d, false, false);
    key->hash = row->hash;
    key->ordinal = row->ordinal;
    if (operation->index != DDBSIM_NONE) key->ordinal = DDBSIM_ORDINAL_OTHER | key->hash;
    if (d->entity->sharded) {
        key->hash = hash_mix(row->hash, d->shard, MIX_SHARD);
        key->ordinal = DDBSIM_ORDINAL_OTHER | key->hash;
    }
    key->sort = row->sort;
    int64_t bytes = row->bytes > 0 ? row->bytes : item_own_bytes(operation, &d->request->key);
    item_bytes(d->request, bytes, false);
    if (d->fails) d->request->new_bytes = bytes;
    if (d->entity->sizes && row->bytes < 0) sizes_describe(d, operation);
    if (d->fails)
        d->request->special |= DDBSIM_CONDITION_FAILS;
    else
        describe_effects(d, operation);
    /* Last: what is told by entity was told of the operation's. */
    key->entity = DDBSIM_ENTITY_RECORDED;
}

/* Does a recording that names no key say how large the item is? */
static bool is_told(const struct description *d) {
    return d->source->workload->replay && d->arrival->row.bytes > 0 && !d->member;
}

/* Which item it is, its bytes, and what a write asks of the indexes. */
void item_describe(struct description *d, const struct ddbsim_operation *operation) {
    CHECK_DEBUG(d->entity && d->shards);
    if (d->source->workload->replay && d->arrival->row.has_key && !d->member) {
        describe_recorded(d, operation);
        return;
    }
    if (d->fails) {
        describe_failed(d, operation);
        return;
    }
    bool puts = ddbsim_operation_puts((int)operation->kind) && !d->deletes;
    bool is_new = item_choose(d, puts, false), told = is_told(d);
    item_bytes(d->request,
               told ? d->arrival->row.bytes : item_own_bytes(operation, &d->request->key), is_new);
    if (d->deletes) d->request->new_bytes = 0;
    if (d->entity->sizes && !told) sizes_describe(d, operation);
    describe_effects(d, operation);
}
