/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models a workload: its clock says when (callers in a closed loop say so themselves), its mix says what, its value sets say to which
 * key, and the population says which item of that key exists.
 *
 * Random numbers (docs/determinism.md): one stream for each purpose, named "WORKLOAD/purpose",
 * gives one 64-bit draw for each arrival number, whether it is used or not; what it means is
 * decided when the request is described. So a change of mix, popularity or size acts at once, and
 * variants of a scenario see the same draws. Further draws of one arrival are mixes of its own
 * ones, tied to names; those of a batch's members are mixes of the stream "WORKLOAD/member", the arrival's number,
 * and which member of which call it is.
 *
 * Invariants: nothing is allocated after creation; a call of an arrival is described from that
 * arrival's draws, `now` and the population alone; new items are counted once, when their PutItem
 * is described.
 */
#include <workloads/source.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <base/check.h>
#include <base/error.h>
#include <workloads/arrival.h>
#include <workloads/population.h>

#define PREFETCH_AHEAD 12 /* arrivals */
#define PAGE_BYTES INT64_C(1048576)

enum purpose { CHOICE, EFFECT, ITEM, PROCESS, INDEX_KEY, SHARD, PURPOSES };
static const char *const purpose_names[PURPOSES] = {"choice",  "effect",    "item",
                                                    "process", "index_key", "shard"};

/* What a draw is mixed with where one purpose of an arrival needs several. */
enum mix { MIX_PRESENT = 1, MIX_OLD_SIDE, MIX_NEW_SIDE, MIX_AGE, MIX_SHARD };
#define MOVE_TRIES \
    8 /* to draw a value other than the old one before the next in order is taken \
       */

struct stream {
    struct rng rng;
    bool used;                     /* some call may ask for it; else its draws stay 0 */
    const struct value_set *set;   /* of a slot */
    uint64_t draws[ARRIVAL_BLOCK]; /* of a slot: the values that they mean */
};

/* What a block's arrivals draw from one set for keys of index entries: the same for all indexes. */
struct side_values {
    const struct value_set *set;
    uint64_t of[2][ARRIVAL_BLOCK]; /* before the write, and after it */
};

/* Hashes that lie anywhere in many megabytes, and by which values they will be asked for. */
struct hash_fetch {
    const uint64_t *hashes;
    const uint64_t *values; /* of a block */
};

/* What suffices to describe an operation whose key is one value of one set: every draw but that is without
 * meaning. The short way for most of the load of most scenarios, to the same requests. */
struct plain {
    const uint64_t *hashes; /* of all its keys; NULL: the operation is not so plain */
    uint32_t slot;          /* of the value set */
};

/* A value set with the popularity that one operation gives it. */
struct override {
    const struct ddbsim_override *from;
    struct value_set set;
};

struct source {
    const struct ddbsim_scenario *scenario; /* as it is now */
    const struct ddbsim_workload *workload; /* of it; NULL once a change removed it */
    struct population *population;
    const char *name;
    uint32_t number;
    uint64_t next;        /* number of the pending arrival */
    uint64_t members;     /* stream of the draws of batches' members */
    uint64_t fates;       /* the same of what AWS refuses */
    bool fateful;         /* some operation may be refused, or its condition fail */
    uint64_t *thresholds; /* mix: operation i is chosen by a draw up to thresholds[i] */
    struct plain *plains; /* one an operation */
    bool straight;        /* a sequence whose operations make one call each, always */
    bool chooses;         /* some operation has a weight */
    bool pages;           /* some operation may take several calls */
    bool moves;           /* the hot values of some set move on */
    bool settles;         /* some set is moving: an arrival's values are settled when it comes */
    uint32_t slot_count;
    uint32_t *slots;       /* of each value set of the scenario; DDBSIM_NONE: not drawn */
    uint64_t *index_mixes; /* hashes of the names of all indexes */
    uint32_t *index_first; /* of each table: where its indexes begin there */
    struct side_values *sides;
    uint32_t *side_of; /* of each value set of the scenario; DDBSIM_NONE: no entry draws from it */
    uint32_t side_count;
    struct hash_fetch *fetches;
    uint32_t fetch_count;
    struct override *overrides;
    uint32_t override_count;
    uint64_t override_stream;
    struct arrival_clock clock;
    struct stream streams[]; /* PURPOSES, then one a slot */
};

/* ---- the clock's side ---- */

static int64_t source_peek(void *self) { return ((const struct source *)self)->clock.next_ns; }

/* What a draw of a set means does not change, so a whole block is looked up at once: the lookups wait
 * for memory together, not one after the other. */
static void values_pick(struct stream *stream, uint64_t number) {
    for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
        stream->draws[i] = value_set_pick(stream->set, stream->draws[i], number + i);
}

static uint64_t side_pick(const struct value_set *set, uint64_t index_key, enum mix side,
                          uint64_t number) {
    return value_set_pick(set, hash_mix(index_key, set->name_hash, side), number);
}

static void sides_fill(struct source *source) {
    const uint64_t *index_keys = source->streams[INDEX_KEY].draws;
    for (uint32_t s = 0; s < source->side_count; s++) {
        struct side_values *side = &source->sides[s];
        for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
            side->of[0][i] = side_pick(side->set, index_keys[i], MIX_OLD_SIDE, source->next + i);
        for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
            side->of[1][i] = side_pick(side->set, index_keys[i], MIX_NEW_SIDE, source->next + i);
    }
}

static void streams_fill(struct source *source) {
    for (uint32_t i = 0; i < PURPOSES + source->slot_count; i++) {
        struct stream *stream = &source->streams[i];
        if (!stream->used) continue;
        rng_fill(&stream->rng, stream->draws, ARRIVAL_BLOCK);
        if (stream->set && !stream->set->moving) values_pick(stream, source->next);
    }
    sides_fill(source);
}

/* The hashes of an arrival to come. In line: gcc drops calls of functions that do nothing but this. */
static inline __attribute__((always_inline)) void hashes_prefetch(const struct source *source,
                                                                  size_t i) {
    if (i >= ARRIVAL_BLOCK) return;
    for (uint32_t f = 0; f < source->fetch_count; f++)
        __builtin_prefetch(&source->fetches[f].hashes[source->fetches[f].values[i]]);
}

static void arrival_settle(struct source *source, struct ddbsim_arrival *arrival);

static void source_take(void *self, struct ddbsim_arrival *out) {
    struct source *source = self;
    size_t i = source->next % ARRIVAL_BLOCK;
    if (i == 0) streams_fill(source);
    const struct stream *streams = source->streams;
    out->number = source->next++;
    out->t_ns = source->clock.next_ns;
    out->records = 0;
    out->choice = streams[CHOICE].draws[i];
    out->effect = streams[EFFECT].draws[i];
    out->item = streams[ITEM].draws[i];
    out->process = streams[PROCESS].draws[i];
    out->index_key = streams[INDEX_KEY].draws[i];
    out->shard = streams[SHARD].draws[i];
    for (uint32_t slot = 0; slot < source->slot_count; slot++)
        out->keys[slot] = streams[PURPOSES + slot].draws[i];
    if (source->settles) arrival_settle(source, out);
    hashes_prefetch(source, i + PREFETCH_AHEAD);
    if (source->clock.next_ns != TIME_NEVER) arrival_pass(&source->clock);
}

/* ---- which operation ---- */

/* May it, or an action of it, meet what AWS refuses? */
static bool is_fateful(const struct ddbsim_operation *operation) {
    bool found = operation->refused || operation->invalid > 0 || operation->condition_fails > 0;
    for (uint32_t i = 0; i < operation->action_count; i++)
        found |= operation->actions[i].condition_fails > 0;
    return found;
}

/* What an operation touches: itself, or the actions of a transaction. */
static uint32_t part_count(const struct ddbsim_operation *operation) {
    return operation->action_count > 0 ? operation->action_count : 1;
}
static const struct ddbsim_operation *part_at(const struct ddbsim_operation *operation,
                                              uint32_t i) {
    return operation->action_count > 0 ? &operation->actions[i] : operation;
}

/* The largest draws that choose each operation: shares of 2^64 by weight. */
static void mix_weigh(struct source *source) {
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

/* An operation of weight 0 is never met: its threshold is that of the one before. */
static uint32_t mix_choose(const struct source *source, uint64_t draw) {
    const struct ddbsim_workload *workload = source->workload;
    uint32_t i = 0;
    while (draw > source->thresholds[i] || workload->operations[i].weight == 0)
        i++;
    CHECK_DEBUG(i < workload->operation_count);
    return i;
}

/* Which operation is call `step` of an arrival, which call of the full sequence that is, and which page of
 * its Query, or which suffix of those that a GetItem asks. */
struct call {
    uint32_t operation, place, page;
};

/* A page of a Query ends with the item that reaches 1 MB (AWS guide, "Paginating table query results"). */
static uint64_t page_items(const struct ddbsim_operation *operation) {
    return (uint64_t)((PAGE_BYTES + operation->item_bytes - 1) / operation->item_bytes);
}

static uint64_t page_count(const struct ddbsim_operation *operation) {
    if (!operation->all_pages || operation->items == 0 || operation->kind != DDBSIM_QUERY) return 1;
    return (operation->items - 1) / page_items(operation) + 1;
}

/* Are the suffixes asked several at once? */
static bool asks_at_once(const struct ddbsim_operation *operation) {
    return operation->asks > 1 && operation->parallel > 1;
}

/* Calls that one execution of an operation makes, or each of its branches. */
static uint32_t call_count(const struct ddbsim_operation *operation) {
    uint64_t calls = page_count(operation);
    if (operation->asks > 0 && !asks_at_once(operation)) calls *= operation->asks;
    return calls < UINT32_MAX ? (uint32_t)calls : UINT32_MAX;
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
static void arrival_settle(struct source *source, struct ddbsim_arrival *arrival) {
    for (uint32_t set = 0; set < source->population->scenario->value_count; set++) {
        struct value_set *values = &source->population->sets[set];
        uint32_t slot = source->slots[set];
        if (!values->moving || slot == DDBSIM_NONE) continue;
        arrival->keys[slot] = arrival_inserts(source, arrival->choice, values)
                                  ? value_set_insert(values, arrival->t_ns)
                                  : value_set_existing(values, arrival->keys[slot], arrival->t_ns);
    }
}

static void member_settle(const struct source *source, const struct ddbsim_operation *operation,
                          uint64_t member, int64_t now_ns, struct ddbsim_arrival *own) {
    for (uint32_t set = 0; set < source->population->scenario->value_count; set++) {
        struct value_set *values = &source->population->sets[set];
        uint32_t slot = source->slots[set];
        if (!values->moving || slot == DDBSIM_NONE) continue;
        own->keys[slot] =
            operation_inserts(source, operation, values)
                ? value_set_insert(values, now_ns)
                : value_set_existing(values, hash_mix(member, values->name_hash, 0), now_ns);
    }
}

/* One item each time, that exists and is alone under its key, and no entry in any index. */
static struct plain plain_of(const struct source *source,
                             const struct ddbsim_operation *operation) {
    const struct population_table *table = &source->population->tables[operation->table];
    const struct population_entity *entity = &table->entities[operation->entity];
    const struct key_template *key = &entity->partition;
    bool inserts = ddbsim_operation_puts((int)operation->kind) && entity->grows;
    bool is_plain = operation->kind < DDBSIM_SINGLE_KINDS && operation->kind != DDBSIM_QUERY &&
                    !source->moves && !inserts && !operation->effects && key->digit_count == 1 &&
                    entity->sort.part_count == 0 && !is_fateful(operation) && !entity->sizes &&
                    !entity->has_empty && !entity->sharded && !entity->is_fresh &&
                    operation->key_count == 0;
    if (!is_plain) return (struct plain){0};
    return (struct plain){.hashes = key->hashes, .slot = source->slots[key->sets[0]]};
}

/* What follows from the workload as it is now. */
static void workload_follow(struct source *source) {
    mix_weigh(source);
    source->straight = source->workload->sequence;
    for (uint32_t i = 0; i < source->workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &source->workload->operations[i];
        source->plains[i] = plain_of(source, operation);
        source->straight &= operation->times == 1 && call_count(operation) == 1 &&
                            operation->probability == DDBSIM_SHARE_ONE;
    }
}

static bool sequence_find(const struct ddbsim_workload *workload, uint64_t choice, uint32_t step,
                          struct call *out) {
    uint32_t place = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &workload->operations[i];
        uint32_t pages = call_count(operation), calls = operation->times * pages;
        if (operation->probability == DDBSIM_SHARE_ONE ||
            draw_share(hash_mix(choice, i, 0), operation->probability)) {
            if (step < calls) {
                *out = (struct call){i, place + step, step % pages};
                return true;
            }
            step -= calls;
        }
        place += calls;
    }
    return false;
}

static inline bool call_find(const struct source *source, const struct ddbsim_arrival *arrival,
                             uint32_t step, struct call *out) {
    if (!source->workload) return false;
    if (source->straight) {
        *out = (struct call){.operation = step, .place = step};
        return step < source->workload->operation_count;
    }
    if (source->workload->sequence)
        return sequence_find(source->workload, arrival->choice, step, out);
    if (!source->chooses) return false;
    *out = (struct call){.page = step};
    if (step > 0 && !source->pages) return false;
    out->operation = mix_choose(source, arrival->choice);
    return step == 0 || step < call_count(&source->workload->operations[out->operation]);
}

/* ---- which item ---- */

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
    bool apart;      /* its values may not be the arrival's own: value_apart */
    struct ddbsim_request *request;
};

/* Who is popular may change: an arrival sees who is when it comes. */
static uint64_t current_value(const struct value_set *set, uint64_t value,
                              const struct ddbsim_arrival *arrival) {
    return set->values->moves_ns > 0 ? value_set_move(set, value, arrival->t_ns) : value;
}

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
        *out = current_value(&override->set, value, d->arrival);
        return true;
    }
    return false;
}

/* Where an operation has a popularity of its own, a batch's member draws anew, or the hot values move. */
static uint64_t value_apart(const struct description *d, uint32_t set, uint64_t value) {
    const struct value_set *values = &d->source->population->sets[set];
    if (d->operation->key_count > 0 && override_pick(d, set, &value)) return value;
    if (d->member && !values->moving)
        value = value_set_pick(values, hash_mix(d->member, values->name_hash, 0), d->member_count);
    return current_value(values, value, d->arrival);
}

/* The value that this arrival draws from a set: the same in all its calls, another in each member of a
 * batch, where sets that come in order go on from member to member. */
static inline uint64_t drawn_value(const struct description *d, uint32_t set) {
    uint32_t slot = d->source->slots[set];
    CHECK_DEBUG(slot < d->source->slot_count);
    uint64_t value = d->arrival->keys[slot];
    return d->apart ? value_apart(d, set, value) : value;
}

/* The value of a digit that is the item's own. */
static inline uint64_t item_digit(const struct description *d, uint32_t set) {
    return set == DDBSIM_NONE ? d->shard : drawn_value(d, set);
}

static inline void item_digits(const struct description *d, const struct key_template *template,
                               uint64_t *digits) {
    for (uint32_t i = 0; i < template->digit_count; i++)
        digits[i] = item_digit(d, template->sets[i]);
}

/* Write sharding (M-13, M-14): which suffix the item has. */
static uint64_t item_shard(const struct description *d) {
    const struct ddbsim_shards *shards = d->shards;
    if (shards->by == DDBSIM_SHARDS_RANDOM) return draw_below(d->shard_draw, shards->count);
    return key_value_shard(shards, &d->source->population->sets[shards->of],
                           drawn_value(d, shards->of));
}

/* The suffix that a caller puts into the key, by the number of suffixes that it knows of. */
static uint64_t asked_shard(const struct description *d) {
    if (d->modulo == 0) return item_shard(d);
    struct ddbsim_shards known = *d->shards;
    known.count = d->modulo;
    return key_value_shard(&known, &d->source->population->sets[known.of],
                           drawn_value(d, known.of));
}

/* A random suffix that only an index has is an attribute of the item: always the same one. */
static uint64_t stored_shard(const struct description *d) {
    const struct ddbsim_key *key = &d->request->key;
    return draw_below(hash_mix(key->hash ^ d->item.number, key->sort, MIX_SHARD), d->shards->count);
}

static void item_marks(const struct description *d, struct key_values *values) {
    values->item = d->item.number;
    values->n = d->item.place + 1;
    values->time_ns = d->item.time_ns;
}

/* Chooses or makes the item and writes its key; returns whether it is new. */
static inline __attribute__((always_inline)) bool describe_item(struct description *d, bool puts) {
    struct population_entity *entity = d->entity;
    struct key_values values;
    if (d->shards->count > 0) d->shard = asked_shard(d);
    if (d->asked != DDBSIM_NONE) d->shard = d->asked;
    item_digits(d, &entity->partition, values.digits);
    uint64_t group = key_digits_join(&entity->partition, values.digits);
    if (entity->has_empty && group == entity->empty) {
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
    if (d->shards->count > 0 && d->shards->by == DDBSIM_SHARDS_RANDOM && !entity->sharded &&
        d->asked == DDBSIM_NONE)
        d->shard = stored_shard(d);
    return adds || (puts && entity->is_fresh);
}

static void describe_bytes(struct ddbsim_request *request, int64_t bytes, bool is_new) {
    bool is_delete = request->kind == DDBSIM_DELETE_ITEM;
    request->old_bytes = is_new ? 0 : bytes;
    request->new_bytes = is_delete ? 0 : bytes;
}

/* ---- what it asks of the indexes ---- */

static bool effect_choose(const struct ddbsim_index_effect *effects, uint64_t draw,
                          enum ddbsim_effect *out) {
    const int64_t shares[] = {effects->add, effects->remove, effects->move, effects->rewrite};
    const enum ddbsim_effect kinds[] = {DDBSIM_EFFECT_ADD, DDBSIM_EFFECT_REMOVE, DDBSIM_EFFECT_MOVE,
                                        DDBSIM_EFFECT_REWRITE};
    int64_t at = (int64_t)draw_below(draw, (uint64_t)DDBSIM_SHARE_ONE);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        if (at < shares[i]) {
            *out = kinds[i];
            return true;
        }
        at -= shares[i];
    }
    return false;
}

static uint64_t side_draw(const struct description *d, const struct value_set *set, uint64_t side) {
    return hash_mix(d->index_key, set->name_hash, side);
}

static uint64_t pick_value(const struct description *d, const struct value_set *set,
                           uint64_t draw) {
    return current_value(set, value_set_pick(set, draw, d->arrival->number), d->arrival);
}

/* An entry was last written some time in the day before; which time is the item's own. */
static int64_t entry_time(const struct description *d, bool old) {
    if (!old) return d->now_ns;
    uint64_t mix = hash_mix(d->request->key.hash ^ d->item.number, d->request->key.sort, MIX_AGE);
    return d->now_ns - 1 - (int64_t)draw_below(mix, (uint64_t)KEY_DAY_NS - 1);
}

/* Arrivals of the block that is being taken have theirs picked; `index_key` is their own for the first
 * call alone. */
static uint64_t side_value(const struct description *d, uint32_t set, bool old) {
    const struct source *source = d->source;
    const struct value_set *values = &source->population->sets[set];
    uint64_t number = d->arrival->number;
    uint32_t side = source->side_of[set];
    if (values->moving) {
        enum mix mix = old ? MIX_OLD_SIDE : MIX_NEW_SIDE;
        return value_set_existing(values, hash_mix(d->index_key, values->name_hash, mix),
                                  old ? entry_time(d, true) : d->now_ns);
    }
    bool in_block =
        number < source->next && number / ARRIVAL_BLOCK == (source->next - 1) / ARRIVAL_BLOCK;
    if (side != DDBSIM_NONE && in_block && !d->member && d->index_key == d->arrival->index_key)
        return current_value(values, source->sides[side].of[!old][number % ARRIVAL_BLOCK],
                             d->arrival);
    uint64_t value = side_pick(values, d->index_key, old ? MIX_OLD_SIDE : MIX_NEW_SIDE, number);
    return current_value(values, value, d->arrival);
}

/* The new value where it alone tells the new key from the old one. */
static uint64_t moved_value(const struct description *d, uint32_t number) {
    const struct value_set *set = &d->source->population->sets[number];
    if (set->moving) return side_value(d, number, false);
    uint64_t old = side_value(d, number, true), draw = side_draw(d, set, MIX_NEW_SIDE);
    for (uint64_t i = 0; i < MOVE_TRIES; i++) {
        uint64_t value = pick_value(d, set, draw);
        if (value != old) return value;
        draw = hash_mix(draw, i, MIX_NEW_SIDE);
    }
    return (old + 1) % set->count;
}

/* One side of an entry. */
struct side {
    const struct population_entry *entry;
    bool old;     /* as it stands before the write */
    bool differs; /* its values must differ from the other side's */
};

static void entry_digits(const struct description *d, const struct side *side,
                         const struct key_template *template, uint32_t bound, uint64_t *digits) {
    for (uint32_t i = 0; i < template->digit_count; i++) {
        uint32_t set = template->sets[i];
        if (set == DDBSIM_NONE || (bound >> i & 1))
            digits[i] = item_digit(d, set);
        else if (side->differs)
            digits[i] = moved_value(d, set);
        else
            digits[i] = side_value(d, set, side->old);
    }
}

static struct ddbsim_key entry_key(const struct description *d, const struct side *side) {
    const struct population_entry *entry = side->entry;
    struct key_values values;
    item_marks(d, &values);
    if (entry->has_time) values.time_ns = entry_time(d, side->old);
    struct ddbsim_key key = {.entity = d->request->key.entity};
    entry_digits(d, side, &entry->partition, entry->partition_bound, values.digits);
    key.ordinal = key_ordinal(&entry->partition, key_digits_join(&entry->partition, values.digits),
                              values.time_ns, d->item.number);
    key.hash = key_hash(&entry->partition, key.ordinal, &values);
    if (entry->sort.part_count > 0)
        entry_digits(d, side, &entry->sort, entry->sort_bound, values.digits);
    key.sort = key_sort(&entry->sort, &values);
    return key;
}

/* The time tells a moved key from the old one where the key has it; else a value must. */
static void describe_keys(const struct description *d, const struct population_entry *entry,
                          struct ddbsim_index_work *work) {
    struct side old = {.entry = entry, .old = true};
    struct side new = {.entry = entry,
                       .differs = work->effect == DDBSIM_EFFECT_MOVE && !entry->has_time};
    if (work->effect != DDBSIM_EFFECT_ADD) work->old_key = entry_key(d, &old);
    if (work->effect == DDBSIM_EFFECT_ADD || work->effect == DDBSIM_EFFECT_MOVE)
        work->new_key = entry_key(d, &new);
    if (work->effect == DDBSIM_EFFECT_ADD)
        work->old_key = work->new_key;
    else if (work->effect != DDBSIM_EFFECT_MOVE)
        work->new_key = work->old_key;
}

/* The first index of a table takes the effect draw itself, the others a mix tied to their name. */
static uint64_t index_draw(const struct description *d, uint32_t index) {
    if (index == 0) return d->effect;
    const struct source *source = d->source;
    return hash_mix(d->effect, source->index_mixes[source->index_first[d->request->table] + index],
                    0);
}

static void describe_work(const struct description *d, const struct ddbsim_operation *operation,
                          uint32_t index, const struct ddbsim_entry *entry) {
    struct ddbsim_request *request = d->request;
    uint64_t draw = index_draw(d, index);
    if (!entry->in_index) return;
    if (entry->present < DDBSIM_SHARE_ONE &&
        !draw_share(hash_mix(draw, MIX_PRESENT, 0), entry->present))
        return;
    struct ddbsim_index_work *work = &request->work[request->work_count];
    if (!effect_choose(&operation->effects[index], draw, &work->effect)) return;
    bool whole = entry->entry_bytes < 0;
    work->index = index;
    work->old_bytes = work->effect == DDBSIM_EFFECT_ADD ? 0
                      : whole                           ? request->old_bytes
                                                        : entry->entry_bytes;
    work->new_bytes = work->effect == DDBSIM_EFFECT_REMOVE ? 0
                      : whole                              ? request->new_bytes
                                                           : entry->entry_bytes;
    describe_keys(d, &d->entity->entries[index], work);
    request->work_count++;
}

static void describe_indexes(const struct description *d, const struct ddbsim_table *table,
                             const struct ddbsim_operation *operation) {
    for (uint32_t i = 0; i < table->index_count; i++)
        describe_work(d, operation, i, &table->indexes[i].entries[operation->entity]);
}

/* ---- what a Query reads ---- */

/* Each page begins at an item of its own, so that the pages of a long collection are spread over it. */
static void describe_page(struct description *d, const struct ddbsim_operation *operation,
                          uint32_t page) {
    struct ddbsim_request *request = d->request;
    uint64_t items = operation->items, most = page_items(operation);
    uint64_t before = operation->all_pages ? page * most : 0;
    uint64_t here = items - before < most ? items - before : most;
    request->items = here;
    request->returned = (uint32_t)operation->returned;
    request->old_bytes = request->new_bytes = (int64_t)here * operation->item_bytes;
    if (operation->index == DDBSIM_NONE) return;
    struct side stored = {.entry = &d->entity->entries[operation->index], .old = true};
    request->key = entry_key(d, &stored);
    request->index = operation->index;
}

/* ---- what a read under suffixes finds ---- */

/* The suffix under which an item stands: ids tell when they were made, and so by how many suffixes (M-16). */
static uint64_t kept_shard(const struct description *d) {
    const struct ddbsim_shards *shards = d->shards;
    if (shards->by == DDBSIM_SHARDS_RANDOM || d->entity->era_count == 0) return item_shard(d);
    uint64_t value = drawn_value(d, shards->of);
    struct ddbsim_shards then = *shards;
    for (uint32_t i = d->entity->era_count; i-- > 0 && value < d->entity->eras[i].below;)
        then.count = d->entity->eras[i].count;
    return key_value_shard(&then, &d->source->population->sets[shards->of], value);
}

/* An item that is not where it is looked for: nothing there, and paid for all the same. What a reader does not
 * find anywhere is counted once, at its first call. */
static void describe_found(const struct description *d, const struct ddbsim_operation *operation,
                           bool first) {
    struct ddbsim_request *request = d->request;
    bool reads = !ddbsim_operation_is_write((int)request->kind);
    if (!reads || d->shards->count == 0) return;
    if (operation->sums) {
        uint64_t each = request->kind == DDBSIM_QUERY ? operation->items : 1;
        if (first && operation->asks < d->shards->count)
            request->missed = (d->shards->count - operation->asks) * each;
        if (d->shard >= d->shards->count) request->old_bytes = request->new_bytes = 0;
        return;
    }
    if (request->kind != DDBSIM_GET_ITEM) return;
    uint64_t kept = kept_shard(d);
    if (kept != d->shard) request->old_bytes = request->new_bytes = 0;
    bool found = operation->asks > 0 ? kept < operation->asks : kept == d->shard;
    if (first && !found) request->missed = 1;
}

/* ---- the whole request ---- */

/* What a call and the members of a batch have in common. */
static inline void describe_call(const struct source *source, const struct ddbsim_arrival *arrival,
                                 uint32_t step, const struct call *call,
                                 const struct ddbsim_operation *operation,
                                 struct ddbsim_request *out) {
    out->number = arrival->number;
    out->workload = source->number;
    out->step = step;
    out->operation = call->operation;
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
    out->more = call_count(operation) - 1 - call->page;
}

/* A write whose condition fails is paid by what exists and changes nothing; a new item is not made. */
__attribute__((noinline)) static void describe_failed(struct description *d,
                                                      const struct ddbsim_operation *operation) {
    struct ddbsim_request *request = d->request;
    bool absent =
        ddbsim_operation_puts((int)operation->kind) && (d->entity->grows || d->entity->is_fresh);
    (void)describe_item(d, false);
    request->special |= DDBSIM_CONDITION_FAILS;
    int64_t bytes =
        d->entity->sizes ? population_item_bytes(d->entity, d->item.number) : operation->item_bytes;
    request->old_bytes = request->new_bytes = absent ? 0 : bytes;
}

/* Items of an entity whose items grow have the bytes that they have come to. */
__attribute__((noinline)) static void describe_sized(const struct description *d,
                                                     const struct ddbsim_operation *operation) {
    struct ddbsim_request *request = d->request;
    int64_t bytes = population_item_bytes(d->entity, d->item.number);
    request->item = d->item.number;
    request->old_bytes = bytes;
    if (operation->kind == DDBSIM_PUT_ITEM || operation->kind == DDBSIM_BATCH_WRITE_ITEM)
        request->new_bytes = operation->item_bytes;
    else if (operation->kind != DDBSIM_DELETE_ITEM)
        request->new_bytes = bytes + operation->grows_bytes;
    if (request->new_bytes > DDBSIM_ITEM_BYTES_MAX) request->special |= DDBSIM_INVALID;
    if (request->new_bytes != bytes) request->special |= DDBSIM_SIZED;
}

/* Which item it is, its bytes, and what a write asks of the indexes. */
static inline void describe_target(struct description *d,
                                   const struct ddbsim_operation *operation) {
    struct population_table *table = &d->source->population->tables[operation->table];
    d->entity = &table->entities[operation->entity];
    d->shards = &d->source->scenario->tables[operation->table].entities[operation->entity].shards;
    if (d->fails) {
        describe_failed(d, operation);
        return;
    }
    bool is_new = describe_item(d, ddbsim_operation_puts((int)operation->kind));
    describe_bytes(d->request, operation->item_bytes, is_new);
    if (d->entity->sizes) describe_sized(d, operation);
    if (operation->effects && ddbsim_operation_is_write((int)operation->kind))
        describe_indexes(d, table->table, operation);
}

/* It tests a condition: it is paid as a write, and writes nothing. */
static void describe_check(struct ddbsim_request *request) {
    request->special |= DDBSIM_CHECKS;
    request->new_bytes = request->old_bytes;
    request->work_count = 0;
}

/* ---- what AWS refuses ---- */

/* One draw says both: the shares lie side by side. True where the request goes no further. */
static bool describe_fate(struct description *d, const struct ddbsim_operation *operation,
                          uint64_t own) {
    uint64_t draw = hash_mix(d->source->fates, d->arrival->number, own);
    if (operation->refused || draw_share(draw, operation->invalid)) {
        d->request->special |= DDBSIM_INVALID;
        return true;
    }
    if (operation->condition_fails > 0)
        d->fails = draw_share(hash_mix(draw, 1, 0), operation->condition_fails);
    return false;
}

/* ---- Scans and shards ---- */

/* An equal slice of the hash space; all of them tile it. */
static void describe_segment(const struct ddbsim_operation *operation, uint32_t segment,
                             struct ddbsim_request *out) {
    uint128 whole = (uint128)1 << 64, count = operation->total_segments;
    out->special |= DDBSIM_SCANS;
    out->index = operation->index;
    out->key.hash = (uint64_t)(whole * segment / count);
    out->scan_last = (uint64_t)(whole * (segment + 1) / count - 1);
    out->all_pages = operation->all_pages;
    out->returned = (uint32_t)operation->returned;
}

/* Calls at once instead of one? Then the request says how many, and `shard` what each is. */
static bool describe_branches(const struct ddbsim_operation *operation,
                              struct ddbsim_request *out) {
    out->branches = operation->kind == DDBSIM_SCAN ? operation->total_segments
                    : asks_at_once(operation)      ? operation->asks
                                                   : 0;
    if (out->branches < 2) out->branches = 0;
    out->parallel = operation->kind == DDBSIM_SCAN ? out->branches : operation->parallel;
    return out->branches > 0;
}

/* A call's own draws. The later calls of a sequence take mixes, or all their effects would be alike; all calls of
 * a look-up are after one item, and those of a Query after one key. `number` is which of the operation's calls it
 * is. */
static inline void describe_draws(struct description *d, const struct call *call, uint64_t number) {
    const struct ddbsim_arrival *arrival = d->arrival;
    bool same = number == 0 || (d->operation->asks > 0 && !d->operation->sums);
    uint32_t first = call->place > call->page ? call->place - call->page : 0; /* 0 in a mix */
    d->effect = first == 0 ? arrival->effect : hash_mix(arrival->effect, first, 0);
    d->index_key = first == 0 ? arrival->index_key : hash_mix(arrival->index_key, first, 0);
    d->item_draw = same ? arrival->item : hash_mix(arrival->item, number, 0);
    d->shard_draw = first == 0 ? arrival->shard : hash_mix(arrival->shard, first, 0);
}

/* One call of a request of its own, or one branch of a call that has several. */
static inline __attribute__((always_inline)) void
describe_single(struct source *source, const struct ddbsim_arrival *arrival,
                const struct call *call, int64_t now_ns, uint32_t branch,
                struct ddbsim_request *out) {
    const struct ddbsim_operation *operation = &source->workload->operations[call->operation];
    struct description d = {.source = source,
                            .operation = operation,
                            .arrival = arrival,
                            .now_ns = now_ns,
                            .modulo = operation->modulo,
                            .asked = DDBSIM_NONE,
                            .apart = source->moves || operation->key_count > 0,
                            .request = out};
    if (source->fateful && describe_fate(&d, operation, call->place)) return;
    if (operation->kind == DDBSIM_SCAN) {
        describe_segment(operation, branch, out);
        return;
    }
    uint64_t pages = page_count(operation), number = branch * pages + call->page;
    if (operation->asks > 0) d.asked = (uint32_t)(number / pages);
    describe_draws(&d, call, number);
    describe_target(&d, operation);
    if (operation->kind == DDBSIM_QUERY) describe_page(&d, operation, (uint32_t)(number % pages));
    if (d.shards->count > 0 && (d.entity->sharded || operation->asks > 0))
        describe_found(&d, operation, number == 0);
}

/* False where a key's hash is not known yet. */
static inline bool describe_plain(const struct plain *plain,
                                  const struct ddbsim_operation *operation,
                                  const struct ddbsim_arrival *arrival,
                                  struct ddbsim_request *out) {
    uint64_t value = arrival->keys[plain->slot], hash = plain->hashes[value];
    out->key.ordinal = value;
    out->key.hash = hash;
    describe_bytes(out, operation->item_bytes, false);
    return hash != 0;
}

static bool source_request(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                           int64_t now_ns, struct ddbsim_request *out) {
    struct source *source = self;
    struct call call;
    if (!call_find(source, arrival, step, &call)) return false;
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    describe_call(source, arrival, step, &call, operation, out);
    if (out->members > 0) {
        if (source->fateful && (operation->refused || operation->invalid > 0)) {
            struct description d = {.source = source, .arrival = arrival, .request = out};
            (void)describe_fate(&d, operation, call.place);
        }
        return true;
    }
    if (describe_branches(operation, out)) return true;
    const struct plain *plain = &source->plains[call.operation];
    if (plain->hashes && describe_plain(plain, operation, arrival, out)) return true;
    describe_single(source, arrival, &call, now_ns, 0, out);
    return true;
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

static void source_member(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                          uint32_t member, int64_t now_ns, struct ddbsim_request *out) {
    struct source *source = self;
    struct call call;
    bool found = call_find(source, arrival, step, &call), draws_own = true;
    CHECK(found);
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    CHECK(member < operation->batch_size);
    const struct ddbsim_operation *what =
        operation->action_count > 0 ? action_of(operation, member, &draws_own) : operation;
    describe_call(source, arrival, step, &call, what, out);
    uint64_t own = hash_mix(source->members, arrival->number, (uint64_t)step << 32 | member) | 1;
    struct ddbsim_arrival settled = *arrival;
    if (source->settles && draws_own) member_settle(source, what, own, now_ns, &settled);
    struct description d = {.source = source,
                            .operation = what,
                            .arrival = &settled,
                            .member = draws_own ? own : 0,
                            .apart = true,
                            .member_count = arrival->number * operation->batch_size + member,
                            .now_ns = now_ns,
                            .asked = DDBSIM_NONE,
                            .effect = hash_mix(own, EFFECT, 1),
                            .index_key = hash_mix(own, INDEX_KEY, 1),
                            .item_draw = hash_mix(own, ITEM, 1),
                            .shard_draw = hash_mix(own, SHARD, 1),
                            .request = out};
    out->members = 0;
    if (what->condition_fails > 0)
        (void)describe_fate(&d, what, (uint64_t)(member + 1) << 32 | call.place);
    describe_target(&d, what);
    if (what->checks) describe_check(out);
}

/* Branch `shard` of a Query of all shards or of a parallel Scan. */
static bool source_shard(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                         uint32_t shard, int64_t now_ns, struct ddbsim_request *out) {
    struct source *source = self;
    struct call call;
    if (!call_find(source, arrival, step, &call)) return false;
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    describe_call(source, arrival, step, &call, operation, out);
    describe_single(source, arrival, &call, now_ns, shard, out);
    return true;
}

static void source_served(void *self, const struct ddbsim_request *request) {
    const struct source *source = self;
    struct population_entity *entity =
        &source->population->tables[request->table].entities[request->key.entity];
    int64_t bytes = population_item_bytes(entity, request->item);
    if (request->kind == DDBSIM_DELETE_ITEM)
        bytes = entity->entity->item_bytes; /* whoever comes next finds a new one */
    else if (ddbsim_operation_puts((int)request->kind))
        bytes = request->new_bytes;
    else
        bytes += request->new_bytes - request->old_bytes;
    population_item_resize(entity, request->item,
                           bytes < DDBSIM_ITEM_BYTES_MAX ? bytes : DDBSIM_ITEM_BYTES_MAX);
}

/* ---- changes ---- */

/* A workload of a scenario by name: a change may have removed one that stood before it. */
static const struct ddbsim_workload *workload_find(const struct ddbsim_scenario *scenario,
                                                   const char *name) {
    for (uint32_t i = 0; i < scenario->workload_count; i++)
        if (strcmp(scenario->workloads[i].name, name) == 0) return &scenario->workloads[i];
    return NULL;
}

/* Tables, entities and values stay those of the population: a change moves the workload alone. */
static void source_change(void *self, const struct ddbsim_scenario *after, int64_t now_ns) {
    struct source *source = self;
    population_change(source->population, source->scenario, after);
    source->scenario = after;
    source->workload = workload_find(after, source->name);
    if (source->workload) workload_follow(source);
    arrival_change(&source->clock, source->workload, now_ns);
}

/* ---- creation ---- */

static void source_destroy(void *self) {
    struct source *source = self;
    if (!source) return;
    free(source->thresholds);
    free(source->plains);
    free(source->slots);
    free(source->index_mixes);
    free(source->index_first);
    free(source->sides);
    free(source->side_of);
    free(source->fetches);
    for (uint32_t i = 0; i < source->override_count; i++)
        value_set_free(&source->overrides[i].set);
    free(source->overrides);
    free(source);
}

/* The scenario and what becomes of it, by number; NULL past the end. */
static const struct ddbsim_scenario *stage_of(const struct ddbsim_scenario *scenario, uint32_t i) {
    if (i == 0) return scenario;
    return i <= scenario->change_count ? scenario->changes[i - 1].after : NULL;
}

static void slot_mark(struct source *source, const struct key_template *template) {
    for (uint32_t i = 0; i < template->digit_count; i++) {
        if (template->sets[i] == DDBSIM_NONE) continue;
        uint32_t *slot = &source->slots[template->sets[i]];
        if (*slot == DDBSIM_NONE) *slot = source->slot_count++;
    }
}

/* A draw that no call can ask for is not made: its stream is its own, so nobody misses it. */
static void purposes_mark(struct source *source, const struct ddbsim_workload *workload) {
    const struct population_table *tables = source->population->tables;
    struct stream *streams = source->streams;
    uint32_t weighted = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct ddbsim_operation *operation = &workload->operations[i];
        const struct population_entity *entity =
            &tables[operation->table].entities[operation->entity];
        weighted += operation->weight > 0;
        if (workload->sequence && operation->probability < DDBSIM_SHARE_ONE)
            streams[CHOICE].used = true;
        if (operation->effects && tables[operation->table].table->index_count > 0)
            streams[EFFECT].used = streams[INDEX_KEY].used = true;
        if (operation->kind == DDBSIM_QUERY && operation->index != DDBSIM_NONE)
            streams[INDEX_KEY].used = true;
        if (entity->entity->shards.count > 0) streams[SHARD].used = true;
        if (entity->grows || entity->share + (entity->more > 0) > 1) streams[ITEM].used = true;
    }
    if (!workload->sequence && weighted > 1) streams[CHOICE].used = true;
    if (workload->client.processes > 1) streams[PROCESS].used = true;
}

/* Gives a slot to each value set that keys of the workload draw from, now or after any change. */
static void slots_mark(struct source *source, const struct ddbsim_workload *workload) {
    for (uint32_t i = 0; i < workload->operation_count; i++)
        for (uint32_t k = 0; k < part_count(&workload->operations[i]); k++) {
            const struct ddbsim_operation *operation = part_at(&workload->operations[i], k);
            const struct population_entity *entity =
                &source->population->tables[operation->table].entities[operation->entity];
            slot_mark(source, &entity->partition);
            slot_mark(source, &entity->sort);
        }
}

static enum ddbsim_status template_check(const struct key_template *template, const char *path,
                                         struct ddbsim_error *error) {
    if (template->text_max <= KEY_TEXT_MAX && template->combinations > 0) return DDBSIM_OK;
    if (template->combinations == 0)
        error_set(error, DDBSIM_INPUT, "the key's value sets have more combinations than 2^64");
    else
        error_set(error, DDBSIM_INPUT, "the key's text may have %zu bytes; a key has at most %d",
                  template->text_max, KEY_TEXT_MAX);
    error_path(error, path);
    return DDBSIM_INPUT;
}

static enum ddbsim_status key_check(const struct population *population,
                                    const struct ddbsim_operation *operation,
                                    struct ddbsim_error *error) {
    char path[256];
    const struct population_table *table = &population->tables[operation->table];
    const struct population_entity *entity = &table->entities[operation->entity];
    snprintf(path, sizeof path, "tables.%s.entities.%s.partition_key", table->table->name,
             entity->entity->name);
    enum ddbsim_status status = template_check(&entity->partition, path, error);
    for (uint32_t i = 0; i < table->table->index_count && status == DDBSIM_OK; i++) {
        snprintf(path, sizeof path, "tables.%s.indexes.%s.partition_key", table->table->name,
                 table->table->indexes[i].name);
        status = template_check(&entity->entries[i].partition, path, error);
    }
    return status;
}

/* What a key's text and ordinal can hold, for the entities that the workload uses. */
static enum ddbsim_status keys_check(const struct population *population,
                                     const struct ddbsim_workload *workload,
                                     struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t o = 0; o < workload->operation_count && status == DDBSIM_OK; o++)
        for (uint32_t k = 0; k < part_count(&workload->operations[o]) && status == DDBSIM_OK; k++)
            status = key_check(population, part_at(&workload->operations[o], k), error);
    return status;
}

static bool index_mixes_init(struct source *source) {
    const struct ddbsim_scenario *scenario = source->population->scenario;
    uint32_t count = 0;
    source->index_first = calloc(scenario->table_count + 1, sizeof *source->index_first);
    if (!source->index_first) return false;
    for (uint32_t t = 0; t < scenario->table_count; t++) {
        source->index_first[t] = count;
        count += scenario->tables[t].index_count;
    }
    source->index_mixes = calloc(count + 1, sizeof *source->index_mixes);
    if (!source->index_mixes) return false;
    for (uint32_t t = 0; t < scenario->table_count; t++) {
        const struct ddbsim_table *table = &scenario->tables[t];
        for (uint32_t i = 0; i < table->index_count; i++)
            source->index_mixes[source->index_first[t] + i] =
                hash64(table->indexes[i].name, strlen(table->indexes[i].name));
    }
    return true;
}

/* ---- what is looked up ahead ---- */

static void side_add(struct source *source, uint32_t set) {
    if (source->side_of[set] != DDBSIM_NONE || source->population->sets[set].moving) return;
    source->side_of[set] = source->side_count;
    source->sides[source->side_count++].set = &source->population->sets[set];
}

/* A key that one value makes, if its hash is kept. */
static void fetch_add(struct source *source, const struct key_template *template,
                      const uint64_t *values) {
    if (template->digit_count != 1 || !template->hashes || template->sets[0] == DDBSIM_NONE) return;
    if (source->population->sets[template->sets[0]].moving) return;
    for (uint32_t f = 0; f < source->fetch_count; f++)
        if (source->fetches[f].hashes == template->hashes) return;
    source->fetches[source->fetch_count++] = (struct hash_fetch){template->hashes, values};
}

/* Most entries are looked for as they stood before the write. */
static void entry_add(struct source *source, const struct population_entry *entry) {
    const struct key_template *template = &entry->partition;
    for (uint32_t i = 0; i < template->digit_count; i++)
        if (!(entry->partition_bound >> i & 1) && template->sets[i] != DDBSIM_NONE)
            side_add(source, template->sets[i]);
    if (template->digit_count != 1 || template->sets[0] == DDBSIM_NONE) return;
    if (source->population->sets[template->sets[0]].moving) return;
    if (entry->partition_bound & 1)
        fetch_add(source, template,
                  source->streams[PURPOSES + source->slots[template->sets[0]]].draws);
    else
        fetch_add(source, template, source->sides[source->side_of[template->sets[0]]].of[0]);
}

static void operation_add(struct source *source, const struct ddbsim_operation *operation) {
    const struct population_table *table = &source->population->tables[operation->table];
    const struct population_entity *entity = &table->entities[operation->entity];
    if (entity->partition.digit_count == 1 && entity->partition.sets[0] != DDBSIM_NONE)
        fetch_add(source, &entity->partition,
                  source->streams[PURPOSES + source->slots[entity->partition.sets[0]]].draws);
    for (uint32_t i = 0; operation->effects && i < table->table->index_count; i++)
        entry_add(source, &entity->entries[i]);
}

/* How many keys the operations of a workload, over all its stages, may look up at most. */
static uint32_t fetches_max(const struct source *source, const struct ddbsim_scenario *scenario) {
    uint32_t count = 0;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload = workload_find(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++)
            for (uint32_t k = 0; k < part_count(&workload->operations[o]); k++)
                count +=
                    1 + scenario->tables[part_at(&workload->operations[o], k)->table].index_count;
    }
    return count;
}

static bool lookups_init(struct source *source, const struct ddbsim_scenario *scenario) {
    source->sides = calloc(scenario->value_count + 1, sizeof *source->sides);
    source->side_of = malloc((scenario->value_count + 1) * sizeof *source->side_of);
    source->fetches = calloc(fetches_max(source, scenario) + 1, sizeof *source->fetches);
    if (!source->sides || !source->side_of || !source->fetches) return false;
    for (uint32_t i = 0; i < scenario->value_count; i++)
        source->side_of[i] = DDBSIM_NONE;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload = workload_find(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++)
            for (uint32_t k = 0; k < part_count(&workload->operations[o]); k++)
                operation_add(source, part_at(&workload->operations[o], k));
    }
    return true;
}

static uint32_t overrides_max(const struct source *source, const struct ddbsim_scenario *scenario) {
    uint32_t count = 0;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload = workload_find(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++)
            count += workload->operations[o].key_count;
    }
    return count;
}

/* Popularities of single operations, now or after any change. */
static bool overrides_init(struct source *source, const struct ddbsim_scenario *scenario) {
    source->overrides = calloc(overrides_max(source, scenario) + 1, sizeof *source->overrides);
    if (!source->overrides) return false;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload = workload_find(stage_of(scenario, i), source->name);
        for (uint32_t o = 0; workload && o < workload->operation_count; o++) {
            const struct ddbsim_operation *operation = &workload->operations[o];
            for (uint32_t k = 0; k < operation->key_count; k++) {
                struct override *override = &source->overrides[source->override_count++];
                override->from = &operation->keys[k];
                if (!value_set_init(&override->set, &operation->keys[k].values)) return false;
                source->moves |= operation->keys[k].values.moves_ns > 0;
            }
        }
    }
    return true;
}

/* Slots and the room for the longest mix, over the scenario and all that becomes of it. */
static enum ddbsim_status source_survey(struct source *source,
                                        const struct ddbsim_scenario *scenario,
                                        struct ddbsim_error *error) {
    uint32_t longest = 1;
    source->slots = malloc((scenario->value_count + 1) * sizeof *source->slots);
    if (!source->slots || !index_mixes_init(source)) return error_memory(error);
    for (uint32_t i = 0; i < scenario->value_count; i++)
        source->slots[i] = DDBSIM_NONE;
    for (uint32_t i = 0; stage_of(scenario, i); i++) {
        const struct ddbsim_workload *workload = workload_find(stage_of(scenario, i), source->name);
        if (!workload) continue;
        enum ddbsim_status status = keys_check(source->population, workload, error);
        if (status != DDBSIM_OK) return status;
        slots_mark(source, workload);
        purposes_mark(source, workload);
        if (workload->operation_count > longest) longest = workload->operation_count;
    }
    source->thresholds = malloc(longest * sizeof *source->thresholds);
    source->plains = malloc(longest * sizeof *source->plains);
    if (!source->thresholds || !source->plains) return error_memory(error);
    if (source->slot_count <= DDBSIM_VALUE_SETS_MAX)
        return lookups_init(source, scenario) && overrides_init(source, scenario)
                   ? DDBSIM_OK
                   : error_memory(error);
    return error_set(error, DDBSIM_INPUT,
                     "the keys of workload %s draw from %u value sets; the most is %d",
                     source->name, source->slot_count, DDBSIM_VALUE_SETS_MAX);
}

/* Seeds the stream "WORKLOAD/purpose" or "WORKLOAD/key/SET"; `name` has room for either. */
static uint64_t stream_key(const char *workload, const char *middle, const char *last, char *name,
                           size_t size, uint64_t seed, uint32_t replication) {
    snprintf(name, size, "%s/%s%s", workload, middle, last);
    return rng_stream_key(seed, replication, name);
}

static bool streams_seed(struct source *source, uint64_t seed, uint32_t replication) {
    const struct ddbsim_scenario *scenario = source->population->scenario;
    size_t size = strlen(source->name) + sizeof "/index_key/";
    for (uint32_t i = 0; i < scenario->value_count; i++)
        size += strlen(scenario->values[i].name);
    char *name = malloc(size);
    if (!name) return false;
    for (uint32_t i = 0; i < PURPOSES; i++)
        rng_seed(&source->streams[i].rng,
                 stream_key(source->name, purpose_names[i], "", name, size, seed, replication));
    source->members = stream_key(source->name, "member", "", name, size, seed, replication);
    source->fates = stream_key(source->name, "fate", "", name, size, seed, replication);
    source->override_stream = stream_key(source->name, "keys", "", name, size, seed, replication);
    for (uint32_t i = 0; i < scenario->value_count; i++) {
        if (source->slots[i] == DDBSIM_NONE) continue;
        struct stream *slot = &source->streams[PURPOSES + source->slots[i]];
        rng_seed(&slot->rng, stream_key(source->name, "key/", scenario->values[i].name, name, size,
                                        seed, replication));
        slot->set = &source->population->sets[i];
        source->moves |= slot->set->values->moves_ns > 0;
        source->settles |= slot->set->moving;
        slot->used = true;
    }
    arrival_start(&source->clock, source->workload,
                  stream_key(source->name, "arrivals", "", name, size, seed, replication));
    free(name);
    return true;
}

enum ddbsim_status source_create(const struct ddbsim_scenario *scenario, uint32_t workload,
                                 struct population *population, uint64_t seed, uint32_t replication,
                                 struct ddbsim_source *out, struct ddbsim_error *error) {
    size_t streams = PURPOSES + DDBSIM_VALUE_SETS_MAX;
    struct source *source = calloc(1, sizeof *source + streams * sizeof *source->streams);
    if (!source) return error_memory(error);
    source->scenario = scenario;
    source->workload = &scenario->workloads[workload];
    source->name = source->workload->name;
    source->number = workload;
    source->population = population;
    enum ddbsim_status status = source_survey(source, scenario, error);
    if (status == DDBSIM_OK && !streams_seed(source, seed, replication))
        status = error_memory(error);
    if (status != DDBSIM_OK) {
        source_destroy(source);
        return status;
    }
    workload_follow(source);
    *out = (struct ddbsim_source){.self = source,
                                  .peek = source_peek,
                                  .take = source_take,
                                  .request = source_request,
                                  .member = source_member,
                                  .shard = source_shard,
                                  .served = source_served,
                                  .change = source_change,
                                  .destroy = source_destroy};
    return DDBSIM_OK;
}
