/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models what an arrival does: one operation of a mix by weight, or the calls of a sequence, each with its pages
 * and suffixes; and which values of sets that time or inserts make it is about.
 *
 * Invariant: thresholds never fall, and the last one that counts is the largest draw.
 */
#include <workloads/mix.h>

/* ---- which operation ---- */

/* May it, or an action of it, meet what AWS refuses? */
static bool is_fateful(const struct ddbsim_operation *operation) {
    bool found = operation->refused || operation->invalid > 0 || operation->condition_fails > 0;
    for (uint32_t i = 0; i < operation->action_count; i++)
        found |= operation->actions[i].condition_fails > 0;
    return found;
}

/* The largest draws that choose each operation: shares of 2^64 by weight. */
static void weigh(struct source *source) {
    const struct ddbsim_workload *workload = source->workload;
    uint128 total = 0, before = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        total += (uint64_t)workload->operations[i].weight;
    source->chooses = total > 0;
    source->pages = false;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        source->pages |= workload->operations[i].all_pages || workload->operations[i].asks > 1;
    source->fateful = false;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        source->fateful |= is_fateful(&workload->operations[i]);
    for (uint32_t i = 0; i < workload->operation_count && total > 0; i++) {
        before += (uint64_t)workload->operations[i].weight;
        /* Weights beyond 2^63 in all lose their lowest bits rather than overflow the product. */
        uint128 limit = before >= total ? (uint128)1 << 64
                        : total >> 63   ? ((before >> 1) << 64) / (total >> 1)
                                        : (before << 64) / total;
        source->thresholds[i] = limit > 0 ? (uint64_t)(limit - 1) : 0;
    }
}

/* A page of a Query ends with the item that reaches 1 MB (AWS guide, "Paginating table query results"). */
uint64_t mix_page_items(const struct ddbsim_operation *operation) {
    return (MIX_PAGE_BYTES + (uint64_t)operation->item_bytes - 1) / (uint64_t)operation->item_bytes;
}

/* Items that grow have as many pages as they come to: each says whether one follows. */
static uint64_t page_count(const struct ddbsim_operation *operation,
                           const struct population_entity *entity) {
    if (!operation->all_pages || operation->items == 0 || operation->kind != DDBSIM_QUERY) return 1;
    return entity->sizes ? 1 : (operation->items - 1) / mix_page_items(operation) + 1;
}

/* Are the suffixes asked several at once? */
static bool asks_at_once(const struct ddbsim_operation *operation) {
    return operation->asks > 1 && operation->parallel > 1;
}

static uint32_t call_count(const struct ddbsim_operation *operation, uint64_t pages) {
    uint64_t calls = pages;
    if (operation->asks > 0 && !asks_at_once(operation)) calls *= operation->asks;
    return calls < UINT32_MAX ? (uint32_t)calls : UINT32_MAX;
}

static bool sequence_find(const struct source *source, uint64_t choice, uint32_t step,
                          struct call *out) {
    const struct ddbsim_workload *workload = source->workload;
    uint32_t place = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &workload->operations[i];
        uint32_t once = source->outlines[i].calls, calls = operation->times * once;
        if (operation->probability == DDBSIM_SHARE_ONE ||
            draw_share(hash_mix(choice, i, 0), operation->probability)) {
            if (step < calls) {
                *out = (struct call){i, place + step, step % once};
                return true;
            }
            step -= calls;
        }
        place += calls;
    }
    return false;
}

bool mix_find_several(const struct source *source, const struct ddbsim_arrival *arrival,
                      uint32_t step, struct call *out) {
    if (source->workload->sequence) return sequence_find(source, arrival->choice, step, out);
    if (!source->chooses) return false;
    *out = (struct call){.operation = mix_choose(source, arrival->choice), .page = step};
    return step == 0 || step < source->outlines[out->operation].calls;
}

/* ---- values that time or inserts make ---- */

static bool draws_from(const struct key_template *template, const struct value_set *set) {
    for (uint32_t i = 0; i < template->part_count; i++)
        if (template->parts[i].set == set) return true;
    return false;
}

static bool is_about(const struct source *source, const struct ddbsim_operation *operation,
                     const struct value_set *set) {
    const struct population_entity *entity =
        &source->population->tables[operation->table].entities[operation->entity];
    return draws_from(&entity->partition, set) || draws_from(&entity->sort, set);
}

/* Does it make a new value of the set, for an item of its own? */
static bool operation_inserts(const struct source *source, const struct ddbsim_operation *operation,
                              const struct value_set *set) {
    return set->values->is_new && ddbsim_operation_puts((int)operation->kind) &&
           is_about(source, operation, set);
}

/* Of a transaction too the first action that is about the set decides; NULL: none is. */
static const struct ddbsim_operation *first_about(const struct source *source,
                                                  const struct ddbsim_operation *operation,
                                                  const struct value_set *set) {
    for (uint32_t i = 0; i < operation->action_count; i++)
        if (is_about(source, &operation->actions[i], set)) return &operation->actions[i];
    return operation->batch_size == 0 && is_about(source, operation, set) ? operation : NULL;
}

/* Members of batches are inserted one by one, with values of their own. Of a sequence the first operation that is
 * about the set decides: what updates an order and then puts a line puts it to that order. */
static bool arrival_inserts(const struct source *source, uint64_t choice,
                            const struct value_set *set) {
    const struct ddbsim_workload *workload = source->workload;
    if (!workload || (!workload->sequence && !source->chooses)) return false;
    uint32_t first = workload->sequence ? 0 : mix_choose(source, choice);
    uint32_t end = workload->sequence ? workload->operation_count : first + 1;
    for (uint32_t i = first; i < end; i++) {
        const struct ddbsim_operation *first_one =
            first_about(source, &workload->operations[i], set);
        if (first_one) return operation_inserts(source, first_one, set);
    }
    return false;
}

/* All calls of an arrival are about the same values: what it inserts it may read a moment later. */
void mix_settle(struct source *source, struct ddbsim_arrival *arrival) {
    for (uint32_t set = 0; set < source->population->scenario->value_count; set++) {
        struct value_set *values = &source->population->sets[set];
        uint32_t slot = source->slots[set];
        if (!values->moving || slot == DDBSIM_NONE) continue;
        arrival->keys[slot] = arrival_inserts(source, arrival->choice, values)
                                  ? value_set_insert(values, arrival->t_ns)
                                  : value_set_existing(values, arrival->keys[slot], arrival->t_ns);
    }
}

void mix_settle_member(const struct source *source, const struct ddbsim_operation *operation,
                       uint64_t member, bool deletes, int64_t now_ns, struct ddbsim_arrival *own) {
    for (uint32_t set = 0; set < source->population->scenario->value_count; set++) {
        struct value_set *values = &source->population->sets[set];
        uint32_t slot = source->slots[set];
        if (!values->moving || slot == DDBSIM_NONE) continue;
        own->keys[slot] =
            !deletes && operation_inserts(source, operation, values)
                ? value_set_insert(values, now_ns)
                : value_set_existing(values, hash_mix(member, values->name_hash, 0), now_ns);
    }
}

/* One item each time, of the stated size, and no entry in any index. */
static bool is_usual(const struct source *source, const struct ddbsim_operation *operation,
                     const struct outline *outline) {
    const struct population_entity *entity = outline->entity;
    return operation->kind < DDBSIM_SINGLE_KINDS && operation->kind != DDBSIM_QUERY &&
           !source->workload->replay && !source->moves && operation->key_count == 0 &&
           !operation->effects && !is_fateful(operation) && !entity->sizes &&
           operation->sizes.count == 0 && !entity->has_empty && outline->shards->count == 0;
}

/* That, and it exists and is alone under its key. */
static bool is_plain(const struct ddbsim_operation *operation,
                     const struct population_entity *entity) {
    bool inserts = ddbsim_operation_puts((int)operation->kind) && entity->grows;
    return !inserts && !entity->is_fresh && entity->partition.digit_count == 1 &&
           entity->sort.part_count == 0;
}

static struct outline outline_of(const struct source *source,
                                 const struct ddbsim_operation *operation) {
    const struct ddbsim_table *table = &source->scenario->tables[operation->table];
    struct population_entity *entity =
        &source->population->tables[operation->table].entities[operation->entity];
    uint64_t pages = page_count(operation, entity);
    struct outline outline = {
        .pages = pages,
        .calls = call_count(operation, pages),
        .branches = operation->kind == DDBSIM_SCAN ? operation->total_segments
                    : asks_at_once(operation)      ? operation->asks
                                                   : 0,
        .entity = entity,
        .shards = &table->entities[operation->entity].shards,
    };
    if (outline.branches < 2) outline.branches = 0;
    outline.parallel = operation->kind == DDBSIM_SCAN ? outline.branches : operation->parallel;
    outline.is_found = outline.shards->count > 0 &&
                       (outline.entity->sharded || operation->asks > 0) &&
                       !ddbsim_operation_is_write((int)operation->kind);
    outline.is_usual = is_usual(source, operation, &outline);
    if (!outline.is_usual || !is_plain(operation, outline.entity)) return outline;
    outline.hashes = outline.entity->partition.hashes;
    outline.slot = source->slots[outline.entity->partition.sets[0]];
    return outline;
}

/* What follows from the workload as it is now. */
void mix_follow(struct source *source) {
    weigh(source);
    source->straight = source->workload->sequence;
    for (uint32_t i = 0; i < source->workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &source->workload->operations[i];
        source->outlines[i] = outline_of(source, operation);
        source->straight &= operation->times == 1 && source->outlines[i].calls == 1 &&
                            operation->probability == DDBSIM_SHARE_ONE;
    }
}
