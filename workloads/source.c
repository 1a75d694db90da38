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

#include <base/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/effects.h>
#include <workloads/reads.h>
#include <workloads/sizes.h>

#define PREFETCH_AHEAD 12 /* arrivals */

static const char *const purpose_names[PURPOSES] = {"choice",  "effect",    "item",
                                                    "process", "index_key", "shard"};

/* ---- the clock's side ---- */

static int64_t source_peek(void *self) { return ((const struct source *)self)->clock.next_ns; }

/* What a draw of a set means does not change, so a whole block is looked up at once: the lookups wait
 * for memory together, not one after the other. */
static void values_pick(struct stream *stream, uint64_t number) {
    for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
        stream->draws[i] = value_set_pick(stream->set, stream->draws[i], number + i);
}

static void sides_fill(struct source *source) {
    const uint64_t *index_keys = source->streams[INDEX_KEY].draws;
    for (uint32_t s = 0; s < source->side_count; s++) {
        struct side_values *side = &source->sides[s];
        for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
            side->of[0][i] = effects_pick(side->set, index_keys[i], MIX_OLD_SIDE, source->next + i);
        for (size_t i = 0; i < ARRIVAL_BLOCK; i++)
            side->of[1][i] = effects_pick(side->set, index_keys[i], MIX_NEW_SIDE, source->next + i);
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

/* The draws of the next arrival, which comes at t_ns. */
static inline __attribute__((always_inline)) void draw(struct source *source, int64_t t_ns,
                                                       struct ddbsim_arrival *out) {
    size_t i = source->next % ARRIVAL_BLOCK;
    if (i == 0) streams_fill(source);
    const struct stream *streams = source->streams;
    out->number = source->next++;
    out->t_ns = t_ns;
    out->records = 0;
    out->choice = streams[CHOICE].draws[i];
    out->effect = streams[EFFECT].draws[i];
    out->item = streams[ITEM].draws[i];
    out->process = streams[PROCESS].draws[i];
    out->index_key = streams[INDEX_KEY].draws[i];
    out->shard = streams[SHARD].draws[i];
    for (uint32_t slot = 0; slot < source->slot_count; slot++)
        out->keys[slot] = streams[PURPOSES + slot].draws[i];
    if (source->settles) mix_settle(source, out);
    hashes_prefetch(source, i + PREFETCH_AHEAD);
}

void source_draw(struct source *source, int64_t t_ns, struct ddbsim_arrival *out) {
    draw(source, t_ns, out);
}

static void source_take(void *self, struct ddbsim_arrival *out) {
    struct source *source = self;
    draw(source, source->clock.next_ns, out);
    if (source->clock.next_ns != TIME_NEVER) arrival_pass(&source->clock);
}

/* ---- a request ---- */

/* A call's own draws. The later calls of a sequence take mixes, or all their effects would be alike; all calls of
 * a look-up are after one item, and those of a Query after one key. `number` is which of the operation's calls it
 * is. */
__attribute__((noinline)) static void mix_draws(struct description *d, const struct call *call,
                                                uint64_t number) {
    uint32_t first = call->place > call->page ? call->place - call->page : 0; /* 0 in a mix */
    bool same = number == 0 || (d->operation->asks > 0 && !d->operation->sums);
    if (!same) d->item_draw = hash_mix(d->item_draw, number, 0);
    if (first == 0) return;
    d->effect = hash_mix(d->effect, first, 0);
    d->index_key = hash_mix(d->index_key, first, 0);
    d->shard_draw = hash_mix(d->shard_draw, first, 0);
}

/* Field by field: clearing the whole first took longer than all of this. What stays open is the item. */
static inline void describe_begin(struct description *d, const struct source *source,
                                  const struct ddbsim_arrival *arrival, const struct call *call,
                                  int64_t now_ns, struct ddbsim_request *out) {
    const struct ddbsim_operation *operation = &source->workload->operations[call->operation];
    const struct outline *outline = &source->outlines[call->operation];
    d->source = source;
    d->operation = operation;
    d->arrival = arrival;
    d->member = d->member_count = 0;
    d->entity = outline->entity;
    d->now_ns = now_ns;
    d->effect = arrival->effect;
    d->index_key = arrival->index_key;
    d->item_draw = arrival->item;
    d->shard_draw = arrival->shard;
    d->shards = outline->shards;
    d->shard = 0;
    d->asked = DDBSIM_NONE;
    d->modulo = operation->modulo;
    d->fails = d->deletes = false;
    d->apart = source->moves || operation->key_count > 0;
    d->request = out;
}

/* One call of a request of its own, or one branch of a call that has several. */
static void describe_single(struct source *source, const struct ddbsim_arrival *arrival,
                            const struct call *call, int64_t now_ns, uint32_t branch,
                            struct ddbsim_request *out) {
    const struct ddbsim_operation *operation = &source->workload->operations[call->operation];
    const struct outline *outline = &source->outlines[call->operation];
    struct description d;
    describe_begin(&d, source, arrival, call, now_ns, out);
    if (source->fateful && item_fate(&d, operation, call->place)) return;
    if (operation->kind == DDBSIM_SCAN) {
        reads_segment(operation, branch, out);
        return;
    }
    uint64_t number = branch * outline->pages + call->page;
    if (operation->asks > 0) d.asked = (uint32_t)(number / outline->pages);
    if ((call->place | number) != 0) mix_draws(&d, call, number);
    item_describe(&d, operation);
    if (operation->kind == DDBSIM_QUERY)
        reads_page(&d, operation, number == 0 ? 0 : (uint32_t)(number % outline->pages));
    if (outline->is_found) reads_found(&d, operation, number == 0);
}

/* The same requests as describe_single: with less to ask it takes half as long. */
static inline void describe_usual(const struct source *source, const struct ddbsim_arrival *arrival,
                                  const struct call *call, int64_t now_ns,
                                  struct ddbsim_request *out) {
    const struct ddbsim_operation *operation = &source->workload->operations[call->operation];
    struct description d;
    describe_begin(&d, source, arrival, call, now_ns, out);
    d.apart = false;
    bool is_new = item_choose(&d, ddbsim_operation_puts((int)operation->kind), true);
    item_bytes(out, operation->item_bytes, is_new);
}

/* A batch or transaction as a whole; its members are described one by one. */
__attribute__((noinline)) static void describe_whole(const struct source *source,
                                                     const struct ddbsim_arrival *arrival,
                                                     const struct ddbsim_operation *operation,
                                                     uint32_t place, struct ddbsim_request *out) {
    if (!source->fateful || (!operation->refused && operation->invalid == 0)) return;
    struct description d = {.source = source, .arrival = arrival, .request = out};
    (void)item_fate(&d, operation, place);
}

/* Any call. */
__attribute__((noinline)) static bool request_any(struct source *source,
                                                  const struct ddbsim_arrival *arrival,
                                                  uint32_t step, int64_t now_ns,
                                                  struct ddbsim_request *out) {
    struct call call;
    if (!mix_find(source, arrival, step, &call)) return false;
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    const struct outline *outline = &source->outlines[call.operation];
    item_call(source, arrival, step, call.operation, operation, out);
    out->more = outline->calls - 1 - call.page;
    out->branches = outline->branches;
    out->parallel = outline->parallel;
    if (out->members > 0)
        describe_whole(source, arrival, operation, call.place, out);
    else if (outline->is_usual && call.place == 0)
        describe_usual(source, arrival, &call, now_ns, out);
    else if (outline->branches == 0)
        describe_single(source, arrival, &call, now_ns, 0, out);
    return true;
}

/* Where an arrival makes one call of an operation, of one item under a key of one value whose hash is known by now,
 * what all its requests have in common is copied. The same requests as those of any call, in a third of the time. */
static bool source_request(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                           int64_t now_ns, struct ddbsim_request *out) {
    struct source *source = self;
    if (source->picks ? step == 0 : step < source->straight_calls) {
        uint32_t operation = source->picks ? mix_choose(source, arrival->choice) : step;
        const struct outline *outline = &source->outlines[operation];
        uint64_t value = arrival->keys[outline->slot];
        uint64_t hash = outline->hashes ? outline->hashes[value] : 0;
        if (hash != 0) {
            memcpy(out, outline->common, sizeof outline->common);
            out->number = arrival->number;
            out->step = step;
            out->process = (uint32_t)draw_below(arrival->process, source->processes);
            out->key.hash = hash;
            out->key.ordinal = value;
            if (outline->entry_count == 0) return true;
            if (step == 0 && effects_describe_plain(source, outline, arrival, out)) return true;
        }
    }
    return request_any(source, arrival, step, now_ns, out);
}

static void source_member(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                          uint32_t member, uint32_t again, int64_t now_ns,
                          struct ddbsim_request *out) {
    members_describe(self, arrival, step, member, again, now_ns, out);
}

/* Branch `shard` of a Query of all shards or of a parallel Scan. */
static bool source_shard(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                         uint32_t shard, int64_t now_ns, struct ddbsim_request *out) {
    struct source *source = self;
    struct call call;
    if (!mix_find(source, arrival, step, &call)) return false;
    const struct ddbsim_operation *operation = &source->workload->operations[call.operation];
    item_call(source, arrival, step, call.operation, operation, out);
    out->more = source->outlines[call.operation].calls - 1 - call.page;
    describe_single(source, arrival, &call, now_ns, shard, out);
    return true;
}

static void source_served(void *self, const struct ddbsim_request *request) {
    sizes_served(self, request);
}

static void source_measure(void *self, struct ddbsim_request *request) {
    sizes_measure(self, request);
}

static void source_page(void *self, struct ddbsim_request *request) {
    sizes_page(sizes_entity(self, request), request);
}

/* ---- changes ---- */

/* Tables, entities and values stay those of the population: a change moves the workload alone. */
static void source_change(void *self, const struct ddbsim_scenario *after, int64_t now_ns) {
    struct source *source = self;
    population_change(source->population, source->scenario, after);
    source->scenario = after;
    source->workload = survey_workload(after, source->name);
    source->picks = false;
    source->straight_calls = 0;
    if (source->workload) mix_follow(source);
    arrival_change(&source->clock, source->workload, now_ns);
}

/* ---- creation ---- */

static void source_destroy(void *self) {
    struct source *source = self;
    if (!source) return;
    free(source->thresholds);
    free(source->outlines);
    free(source->entries);
    free(source->parts);
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
    enum ddbsim_status status = survey(source, scenario, error);
    if (status == DDBSIM_OK && !streams_seed(source, seed, replication))
        status = error_memory(error);
    if (status != DDBSIM_OK) {
        source_destroy(source);
        return status;
    }
    mix_follow(source);
    *out = (struct ddbsim_source){.self = source,
                                  .peek = source_peek,
                                  .take = source_take,
                                  .request = source_request,
                                  .member = source_member,
                                  .shard = source_shard,
                                  .served = source_served,
                                  .measure = source_measure,
                                  .page = source_page,
                                  .change = source_change,
                                  .destroy = source_destroy};
    return DDBSIM_OK;
}
