/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models what an arrival does: one operation of a mix by weight, or the calls of a sequence, each with its pages
 * and suffixes; and which values of sets that time or inserts make it is about.
 *
 * Invariant: thresholds never fall, and the last one that counts is the largest draw.
 */
#include <workloads/mix.h>

#include <string.h>
#include <workloads/effects.h>

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

/* An item of the stated size under a key that the scenario gives it, without a suffix. */
static bool is_simple(const struct source *source, const struct ddbsim_operation *operation,
                      const struct population_entity *entity, const struct ddbsim_shards *shards) {
    return operation->kind != DDBSIM_QUERY && !source->workload->replay && !source->moves &&
           operation->key_count == 0 && !is_fateful(operation) && !entity->sizes &&
           operation->sizes.count == 0 && !entity->has_empty && shards->count == 0;
}

/* That, and it exists and is alone under its key. */
static bool is_plain(const struct ddbsim_operation *operation,
                     const struct population_entity *entity) {
    bool inserts = ddbsim_operation_puts((int)operation->kind) && entity->grows;
    return !inserts && !entity->is_fresh && entity->partition.digit_count == 1 &&
           entity->sort.part_count == 0;
}

/* A request as it is before an arrival draws anything. `what`: the operation of that number, or an action of it. */
static void common_init(const struct source *source, uint32_t number,
                        const struct ddbsim_operation *what, uint32_t parallel,
                        unsigned char *common) {
    const struct ddbsim_arrival none = {0};
    struct ddbsim_request request = {0};
    item_call(source, &none, 0, number, what, &request);
    item_bytes(&request, what->item_bytes, false);
    request.parallel = parallel;
    request.members = 0;
    memcpy(common, &request, offsetof(struct ddbsim_request, work));
}

static struct outline outline_of(const struct source *source, uint32_t number,
                                 uint32_t first_entry) {
    const struct ddbsim_operation *operation = &source->workload->operations[number];
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
    bool is_simple_one = operation->kind < DDBSIM_SINGLE_KINDS &&
                         is_simple(source, operation, outline.entity, outline.shards);
    outline.is_usual = is_simple_one && !operation->effects;
    bool is_one = outline.calls == 1 && outline.branches == 0;
    if (!is_simple_one || !is_one || !is_plain(operation, outline.entity)) return outline;
    if (operation->effects && ddbsim_operation_is_write((int)operation->kind)) {
        if (!effects_outline(source, operation, &source->entries[first_entry])) return outline;
        outline.first_entry = first_entry;
        outline.entry_count = table->index_count;
    }
    outline.hashes = outline.entity->partition.hashes;
    outline.slot = source->slots[outline.entity->partition.sets[0]];
    common_init(source, number, operation, outline.parallel, outline.common);
    return outline;
}

/* Of the members of operation `number`; `what` is that operation, or an action of it. */
static struct part part_of(const struct source *source, uint32_t number,
                           const struct ddbsim_operation *what) {
    const struct ddbsim_table *table = &source->scenario->tables[what->table];
    const struct population_entity *entity =
        &source->population->tables[what->table].entities[what->entity];
    struct part part = {0};
    bool changes = what->checks || what->deletes > 0;
    if (changes || what->effects || what->kind == DDBSIM_SCAN || !is_plain(what, entity) ||
        !is_simple(source, what, entity, &table->entities[what->entity].shards))
        return part;
    part.set = &source->population->sets[entity->partition.sets[0]];
    part.slot = source->slots[entity->partition.sets[0]];
    if (!part.set->moving) part.hashes = entity->partition.hashes;
    common_init(source, number, what, 0, part.common);
    return part;
}

static void parts_follow(struct source *source) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < source->workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &source->workload->operations[i];
        source->outlines[i].first_part = count;
        for (uint32_t k = 0; k < generator_part_count(operation); k++)
            source->parts[count++] = part_of(source, i, generator_part(operation, k));
    }
}

/* What follows from the workload as it is now. */
void mix_follow(struct source *source) {
    weigh(source);
    source->picks = source->chooses && !source->workload->sequence && !source->pages;
    source->straight = source->workload->sequence;
    source->processes = source->workload->client.processes;
    uint32_t entries = 0;
    for (uint32_t i = 0; i < source->workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &source->workload->operations[i];
        source->outlines[i] = outline_of(source, i, entries);
        entries += source->scenario->tables[operation->table].index_count;
        source->straight &= operation->times == 1 && source->outlines[i].calls == 1 &&
                            operation->probability == DDBSIM_SHARE_ONE;
    }
    source->straight_calls = source->straight ? source->workload->operation_count : 0;
    parts_follow(source);
}
