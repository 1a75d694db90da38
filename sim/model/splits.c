/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When partitions split. Sources: Elhemali et al., USENIX ATC 2022 (consumption past a threshold, a cut from
 * the observed keys, minutes); AWS, Scaling DynamoDB part 3 (near its limit for several minutes; a split for
 * size near 10 GB); third parties' load tests (about eight minutes from the load to relief, one partition
 * more at a time). Never a merge.
 *
 * Invariants: partitions always tile the key space; items and bytes are conserved; a partition has a sample
 * exactly while it is hot or nearly full; ids are given in the order in which partitions come to be.
 */
#include <model/splits.h>

#include <base/hash.h>
#include <model/rows.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGE_SHARE 800000000 /* of a partition's bytes, from which its keys are sampled */
#define TELL_AGAIN_NS (3600 * NS_PER_S)
#define SAMPLES_MAX 4096 /* partitions watched at once: 70 MB at the usual size */

static struct note note_of(const struct model *model, const struct resource *resource,
                           enum ddbsim_event kind, uint32_t partition) {
    return (struct note){.kind = kind,
                         .t_ns = loop_now(model->loop),
                         .resource = resource->number,
                         .partition = partition};
}

/* How many partitions it may still have, beside those that are on their way. */
static int64_t room_for_more(const struct resource *resource) {
    int64_t room = (int64_t)DDBSIM_PARTITIONS_MAX - resource->space.count;
    CHECK(room >= resource->splitting.planned);
    return room - resource->splitting.planned;
}

/* ---- samples ---- */

static bool samples_grow(struct model *model) {
    uint32_t capacity = model->sample_capacity ? 2 * model->sample_capacity : 8;
    struct heat_sample *samples = realloc(model->samples, capacity * sizeof *samples);
    if (!samples) return false;
    model->samples = samples;
    uint32_t *free_samples = realloc(model->free_samples, capacity * sizeof *free_samples);
    if (!free_samples) return false;
    model->free_samples = free_samples;
    for (uint32_t i = capacity; i-- > model->sample_capacity;) {
        model->samples[i] = (struct heat_sample){0};
        model->free_samples[model->free_count++] = i;
    }
    model->sample_capacity = capacity;
    return true;
}

static bool scratch_grow(struct model *model, size_t needed) {
    CHECK(needed > 0);
    if (needed <= model->scratch_bytes) return true;
    void *grown = aligned_alloc(64, (needed + 63) / 64 * 64);
    if (!grown) return false;
    free(model->scratch);
    model->scratch = grown;
    model->scratch_bytes = needed;
    return true;
}

/* The least weight of half a window that makes a partition hot by what it serves, or about that. */
static uint64_t expected_weight(const struct resource *resource) {
    uint64_t least = UINT64_MAX,
             half_window_s = (uint64_t)resource->model->heat_window_ns / (2 * NS_PER_S);
    for (int d = 0; d < DIRECTIONS; d++) {
        uint64_t a_second = splits_weight((enum direction)d, resource->space.rules[d].rate * NANO);
        if (a_second * half_window_s < least) least = a_second * half_window_s;
    }
    return least;
}

/* The partition gets a sample of its traffic that begins now. Where too many are watched it stays without
 * one: a hot one asks again at the next tick, a large one is cut in the middle of its range. */
static bool watch_create(struct model *model, struct resource *resource, uint32_t slot) {
    struct partition *partition = &resource->space.partitions[slot];
    if (partition->watch == 0) {
        if (model->sample_capacity - model->free_count >= SAMPLES_MAX) return true;
        if (model->free_count == 0 && !samples_grow(model)) return false;
        uint32_t number = model->free_samples[model->free_count - 1];
        uint32_t capacity = (uint32_t)resource->model->split_sketch & ~1u;
        struct heat_sample *sample = &model->samples[number];
        if (sample->capacity != capacity) {
            heat_sample_deinit(sample);
            if (!heat_sample_init(sample, capacity)) return false;
        }
        if (!scratch_grow(model, heat_scratch_bytes(capacity))) return false;
        model->free_count--;
        partition->watch = number + 1;
        resource->splitting.watched++;
    }
    uint64_t stream = hash_mix(resource->splitting.stream, resource->splitting.sampled++, 1);
    heat_sample_begin(&model->samples[partition->watch - 1], stream, expected_weight(resource));
    return true;
}

static void watch_release(struct model *model, struct resource *resource, uint32_t slot) {
    struct partition *partition = &resource->space.partitions[slot];
    if (partition->watch == 0) return;
    CHECK(resource->splitting.watched > 0 && model->free_count < model->sample_capacity);
    resource->splitting.watched--;
    model->free_samples[model->free_count++] = partition->watch - 1;
    partition->watch = 0;
}

/* ---- every partition that ever was ---- */

static bool births_grow(struct model *model, uint32_t more) {
    if (model->birth_count + more <= model->birth_capacity) return true;
    uint32_t capacity = model->birth_count + more + model->birth_count / 2;
    struct birth *grown = realloc(model->births, capacity * sizeof *grown);
    if (!grown) return false;
    model->births = grown;
    model->birth_capacity = capacity;
    return true;
}

static uint32_t birth_add(struct model *model, const struct birth *birth) {
    CHECK(model->birth_count < model->birth_capacity);
    model->births[model->birth_count++] = *birth;
    return model->birth_count; /* ids count from 1 */
}

bool splits_resource_comes(struct model *model, struct resource *resource, int64_t now_ns) {
    struct space *space = &resource->space;
    if (!births_grow(model, space->count)) return false;
    for (uint32_t i = 0; i < space->count; i++) {
        struct birth birth = {.resource = resource->number,
                              .low = space_low(space, i),
                              .high = space_high(space, i),
                              .created_ns = now_ns,
                              .retired_ns = TIME_NEVER,
                              .cause = "initial"};
        space->ids[space->slots[i]] = birth_add(model, &birth);
        resource->splitting.watches[i].since_s = now_ns / NS_PER_S;
    }
    return true;
}

/* What its partitions served until now is told, and no split of theirs will be over. */
void splits_resource_goes(struct model *model, struct resource *resource, int64_t now_ns) {
    struct space *space = &resource->space;
    for (uint32_t slot = 0; slot < space->count; slot++) {
        report_partition(model, resource, slot, now_ns / NS_PER_S);
        watch_release(model, resource, slot);
        model->births[space->ids[slot] - 1].retired_ns = now_ns;
    }
    slotset_clear(&space->touched);
    slotset_clear(&resource->splitting.to_log);
    resource->splitting.plan_count = 0;
}

bool splits_create(struct model *model) {
    model->next_split_s = INT64_MAX;
    for (uint32_t i = 0; i < model->resource_count; i++)
        if (resource_exists(model->resources[i]) &&
            !splits_resource_comes(model, model->resources[i], 0))
            return false;
    return true;
}

void splits_destroy(struct model *model) {
    for (uint32_t i = 0; i < model->sample_capacity; i++)
        heat_sample_deinit(&model->samples[i]);
    free(model->samples);
    free(model->free_samples);
    free(model->scratch);
    free(model->births);
}

/* ---- one split ---- */

static const char *cause_name(enum split_cause cause) {
    static const char *const names[SPLIT_CAUSES] = {"heat", "size", "capacity"};
    return names[cause];
}

static uint32_t child_slot(const struct space_parting *parting, uint32_t first_child, uint32_t i) {
    return i == 0 ? parting->slot : first_child + i - 1;
}

/* The parent ends and its children begin. Returns the first child's id. */
static uint32_t children_born(struct model *model, struct resource *resource,
                              const struct space_parting *parting, uint32_t first_child,
                              enum split_cause cause) {
    struct space *space = &resource->space;
    const struct space_split *split = &parting->split;
    uint32_t parent = space->ids[parting->slot], first = model->birth_count + 1;
    int64_t now_ns = loop_now(model->loop);
    uint128 low = space->firsts[parting->slot];
    uint128 high = space_high(space, space_place(space, parting->slot));
    CHECK(parent >= 1 && model->births[parent - 1].retired_ns == TIME_NEVER);
    model->births[parent - 1].retired_ns = now_ns;
    for (uint32_t i = 0; i <= split->count; i++) {
        struct birth birth = {.resource = resource->number,
                              .parent = parent,
                              .low = i == 0 ? low : split->cuts[i - 1],
                              .high = i == split->count ? high : split->cuts[i] - 1,
                              .created_ns = now_ns,
                              .retired_ns = TIME_NEVER,
                              .cause = cause_name(cause)};
        space->ids[child_slot(parting, first_child, i)] = birth_add(model, &birth);
    }
    return first;
}

static void tell_split(struct model *model, const struct resource *resource, uint32_t parent,
                       uint32_t first_child, uint32_t children, enum split_cause cause) {
    struct note note = note_of(model, resource, DDBSIM_EVENT_SPLIT_FINISHED, parent);
    char third[16] = "";
    if (children > 2) snprintf(third, sizeof third, ",%u", first_child + 2);
    snprintf(note.detail, sizeof note.detail, "{\"cause\":\"%s\",\"children\":[%u,%u%s]}",
             cause_name(cause), first_child, first_child + 1, third);
    model_note_between(model, &note);
}

/* All of one split but the ranges themselves. */
static void part_with(struct model *model, struct resource *resource,
                      const struct space_parting *parting, uint32_t first_child,
                      enum split_cause cause) {
    struct space *space = &resource->space;
    uint32_t slot = parting->slot, parent = space->ids[slot], children = parting->split.count + 1;
    int64_t now_ns = loop_now(model->loop);
    for (int d = 0; d < DIRECTIONS; d++)
        resource->splitting.ended_nano[d] += space->partitions[slot].sample_nano[d];
    report_partition(model, resource, slot, now_ns / NS_PER_S);
    watch_release(model, resource, slot);
    if (resource->allocations)
        allocations_split(resource->allocations, slot, first_child, children - 1);
    uint32_t first = children_born(model, resource, parting, first_child, cause);
    for (uint32_t i = 0; i < children; i++) {
        uint32_t child = child_slot(parting, first_child, i);
        splitting_watch_begin(&resource->splitting, child,
                              now_ns + resource->model->heat_cooldown_ns);
        resource->splitting.watches[child].since_s = now_ns / NS_PER_S;
    }
    tell_split(model, resource, parent, first, children, cause);
}

/* Needs room in space, watches, births, allocations and nodes. */
static void split_now(struct model *model, struct resource *resource,
                      struct space_parting *partings, uint32_t count, enum split_cause cause) {
    uint32_t first_child = resource->space.count;
    for (uint32_t i = 0; i < count; i++) {
        part_with(model, resource, &partings[i], first_child, cause);
        first_child += partings[i].split.count;
    }
    space_split_all(&resource->space, partings, count, loop_now(model->loop));
    CHECK(resource->space.count == first_child && first_child <= DDBSIM_PARTITIONS_MAX);
    model_resource_split(model, resource, partings, count);
}

static bool room_grow(struct model *model, struct resource *resource, uint32_t more) {
    uint32_t count = resource->space.count;
    /* A split of one partition in two is two births for one partition more. */
    return births_grow(model, 2 * more) && space_grow(&resource->space, more) &&
           splitting_grow(&resource->splitting, count, more) &&
           (!resource->shares || allocations_grow(resource->shares, count, more)) &&
           (!resource->nodes || nodes_grow(resource->nodes, count + more)) &&
           model_resource_grow(model, resource, more);
}

/* ---- plans ---- */

/* M-24 for size, else M-27. */
static int64_t plan_duration_ns(struct splitting *splitting, enum split_cause cause) {
    uint64_t draw = hash_mix(splitting->stream, splitting->begun++, 0);
    if (cause != SPLIT_SIZE) return delay_ns(&splitting->duration, draw);
    uint128 span = (uint128)draw * (uint64_t)(splitting->size_span_ns + 1);
    return splitting->size_shortest_ns + (int64_t)(span >> 64);
}

static bool plan_begin(struct model *model, struct resource *resource, uint32_t slot,
                       const struct space_split *split, enum split_cause cause) {
    struct splitting *splitting = &resource->splitting;
    int64_t now_ns = loop_now(model->loop);
    CHECK(!splitting->watches[slot].is_splitting);
    if (!splitting_grow(splitting, resource->space.count, 0)) return false;
    splitting->plans[splitting->plan_count++] =
        (struct split_plan){.split = *split, .slot = slot, .cause = cause};
    splitting->heat_count += cause == SPLIT_HEAT;
    splitting->planned += split->count;
    splitting->watches[slot].is_splitting = true;
    int64_t duration_ns = plan_duration_ns(splitting, cause);
    /* Children take over at a full second, so that every row has partitions of one kind. */
    int64_t at_s = (now_ns + duration_ns + NS_PER_S - 1) / NS_PER_S;
    splitting->plans[splitting->plan_count - 1].at_s = at_s;
    if (at_s < model->next_split_s) model->next_split_s = at_s;
    struct note note =
        note_of(model, resource, DDBSIM_EVENT_SPLIT_STARTED, resource->space.ids[slot]);
    snprintf(note.detail, sizeof note.detail, "{\"cause\":\"%s\"}", cause_name(cause));
    model_note_between(model, &note);
    return true;
}

static bool plan_apply(struct model *model, struct resource *resource, uint32_t i) {
    struct splitting *splitting = &resource->splitting;
    struct split_plan plan = splitting->plans[i];
    CHECK(splitting->watches[plan.slot].is_splitting);
    if (!room_grow(model, resource, plan.split.count)) return false;
    splitting->plans[i] = splitting->plans[--splitting->plan_count];
    CHECK(plan.cause != SPLIT_HEAT || splitting->heat_count > 0);
    splitting->heat_count -= plan.cause == SPLIT_HEAT;
    CHECK(splitting->planned >= plan.split.count);
    splitting->planned -= plan.split.count;
    struct space_parting parting = {.split = plan.split, .slot = plan.slot};
    split_now(model, resource, &parting, 1, plan.cause);
    return true;
}

/* The first second at which a plan that is left is due. */
static int64_t next_split_s(const struct model *model) {
    int64_t next_s = INT64_MAX;
    for (uint32_t r = 0; r < model->resource_count; r++) {
        const struct splitting *splitting = &model->resources[r]->splitting;
        for (uint32_t i = 0; i < splitting->plan_count; i++)
            if (splitting->plans[i].at_s < next_s) next_s = splitting->plans[i].at_s;
    }
    return next_s;
}

bool splits_apply(struct model *model, int64_t end_s) {
    if (end_s < model->next_split_s) return true;
    for (uint32_t r = 0; r < model->resource_count; r++)
        for (uint32_t i = model->resources[r]->splitting.plan_count; i-- > 0;)
            if (model->resources[r]->splitting.plans[i].at_s <= end_s &&
                !plan_apply(model, model->resources[r], i))
                return false;
    model->next_split_s = next_split_s(model);
    return true;
}

/* ---- cuts that no traffic decides ---- */

/* At a share of the interval; with whole collections, of its hashes. */
static bool range_cut(const struct space *space, uint32_t slot, bool whole_collections,
                      int64_t share, struct space_split *out) {
    uint32_t place = space_place(space, slot);
    uint128 low = space_low(space, place), high = space_high(space, place), span = high - low;
    CHECK(share > 0 && share < DDBSIM_SHARE_ONE);
    uint128 one = DDBSIM_SHARE_ONE, part = (uint128)share;
    uint128 cut = low + span / one * part + span % one * part / one + 1;
    if (whole_collections) cut = cut >> 64 << 64;
    if (cut <= low || cut > high) return false;
    *out = (struct space_split){.count = 1, .cuts = {cut}, .shares = {share}};
    return true;
}

static bool middle_cut(const struct space *space, uint32_t slot, bool whole_collections,
                       struct space_split *out) {
    return range_cut(space, slot, whole_collections, DDBSIM_SHARE_ONE / 2, out);
}

int64_t splits_capacity_ns(struct resource *resource, int64_t needed) {
    struct splitting *splitting = &resource->splitting;
    int64_t ns = 0;
    for (int64_t count = resource->space.count; count < needed; count *= 2)
        ns += delay_ns(&splitting->duration, hash_mix(splitting->stream, splitting->begun++, 0));
    return ns;
}

/* Every partition of one generation in two, the first ones where there is no room for all. Those that are on
 * their way to two are left alone. */
static uint32_t generation_of(const struct resource *resource, struct space_parting *out) {
    uint32_t found = 0;
    int64_t room = room_for_more(resource);
    for (uint32_t slot = 0; slot < resource->space.count && found < room; slot++) {
        struct space_parting *parting = &out[found];
        *parting = (struct space_parting){.slot = slot};
        if (!resource->splitting.watches[slot].is_splitting &&
            middle_cut(&resource->space, slot, resource->splitting.whole_collections,
                       &parting->split))
            found++;
    }
    return found;
}

/* False when memory is short. */
static bool generation_split(struct model *model, struct resource *resource, uint32_t *found) {
    uint32_t count = resource->space.count;
    if (!scratch_grow(model, count * sizeof(struct space_parting)) ||
        !room_grow(model, resource, count))
        return false;
    struct space_parting *partings = model->scratch;
    *found = generation_of(resource, partings);
    if (*found > 0) split_now(model, resource, partings, *found, SPLIT_CAPACITY);
    return true;
}

bool splits_for_capacity(struct model *model, struct resource *resource, int64_t needed) {
    uint32_t before = resource->space.count, found = 1;
    CHECK(needed <= DDBSIM_PARTITIONS_MAX); /* the scenario was checked for it */
    while (resource->space.count < needed && found > 0)
        if (!generation_split(model, resource, &found)) return false;
    /* A split for throughput derives the shares anew. */
    if (resource->allocations && resource->space.count > before)
        allocations_share(resource->allocations, resource->space.count, resource->rules, 0,
                          loop_now(model->loop));
    return true;
}

/* ---- heat ---- */

static bool is_hot(const struct resource *resource, const struct partition *partition) {
    if (resource->unlimited || resource->model->heat_split != DDBSIM_ON) return false;
    if (partition->at_limit > 0) return true;
    const struct space *space = &resource->space;
    int128 served[DIRECTIONS] = {0, 0}; /* by each bucket, as it counts */
    for (int d = 0; d < DIRECTIONS; d++)
        served[space->lanes[d]] +=
            space_lane_cost(space, (enum direction)d, partition->sample_nano[d]);
    for (int d = 0; d < DIRECTIONS; d++) {
        int128 limit = (int128)space->rules[d].rate * SPLITS_TICK_S * NANO;
        if (served[d] * DDBSIM_SHARE_ONE >= limit * resource->model->heat_threshold) return true;
    }
    return false;
}

static bool window_begin(struct model *model, struct resource *resource, uint32_t slot,
                         int64_t now_ns) {
    struct partition_watch *watch = &resource->splitting.watches[slot];
    if (!watch_create(model, resource, slot)) return false;
    if (resource->space.partitions[slot].watch == 0) return true;
    int64_t window_ns = resource->model->heat_window_ns;
    watch->hot_since_ns = now_ns - SPLITS_TICK_S * NS_PER_S;
    watch->turn_ns = watch->hot_since_ns + window_ns / 2;
    watch->judge_ns = watch->hot_since_ns + window_ns;
    return true;
}

static void window_end(struct model *model, struct resource *resource, uint32_t slot) {
    struct partition_watch *watch = &resource->splitting.watches[slot];
    watch->hot_since_ns = watch->turn_ns = watch->judge_ns = TIME_NEVER;
    if (!watch->is_large) watch_release(model, resource, slot);
}

static void tell_refusal(struct model *model, struct resource *resource, uint32_t slot,
                         enum heat_verdict verdict, int64_t now_ns) {
    struct partition_watch *watch = &resource->splitting.watches[slot];
    bool told = watch->told_ns != TIME_NEVER && watch->told == verdict &&
                now_ns - watch->told_ns < TELL_AGAIN_NS;
    if (told) return;
    watch->told = (uint8_t)verdict;
    watch->told_ns = now_ns;
    struct note note =
        note_of(model, resource, DDBSIM_EVENT_SPLIT_REFUSED, resource->space.ids[slot]);
    snprintf(note.detail, sizeof note.detail, "{\"reason\":\"%s\"}", heat_verdict_name(verdict));
    model_note_between(model, &note);
}

static bool judge(struct model *model, struct resource *resource, uint32_t slot, int64_t now_ns) {
    struct partition_watch *watch = &resource->splitting.watches[slot];
    const struct ddbsim_assumptions *rules = resource->model;
    const struct heat_rules heat = {rules->split_benefit, rules->split_sequential,
                                    rules->split_isolation, resource->splitting.whole_collections};
    struct space *space = &resource->space;
    CHECK(space->partitions[slot].watch > 0); /* it is hot */
    struct heat_sample *sample = &model->samples[space->partitions[slot].watch - 1];
    uint32_t place = space_place(space, slot);
    struct space_split split;
    enum heat_verdict verdict = heat_decide(sample, &heat, space_low(space, place),
                                            space_high(space, place), model->scratch, &split);
    if (verdict == HEAT_CUT || verdict == HEAT_ISOLATE) {
        if (split.count <= room_for_more(resource))
            return plan_begin(model, resource, slot, &split, SPLIT_HEAT);
        verdict = HEAT_NO_ROOM;
    }
    tell_refusal(model, resource, slot, verdict, now_ns);
    heat_sample_turn(sample);
    watch->judge_ns = now_ns + rules->heat_window_ns / 2;
    return true;
}

static bool may_split(const struct resource *resource, const struct partition_watch *watch,
                      int64_t now_ns) {
    const struct splitting *splitting = &resource->splitting;
    int64_t parallel = resource->on_demand ? resource->model->split_parallel_on_demand
                                           : resource->model->split_parallel;
    return !watch->is_splitting && now_ns >= watch->judge_ns && now_ns >= watch->cool_until_ns &&
           (parallel == 0 || splitting->heat_count < parallel);
}

static bool heat_tick(struct model *model, struct resource *resource, uint32_t slot,
                      int64_t now_ns) {
    struct partition *partition = &resource->space.partitions[slot];
    struct partition_watch *watch = &resource->splitting.watches[slot];
    if (!is_hot(resource, partition)) {
        if (watch->hot_since_ns != TIME_NEVER) window_end(model, resource, slot);
        return true;
    }
    if (watch->hot_since_ns == TIME_NEVER) return window_begin(model, resource, slot, now_ns);
    if (now_ns >= watch->turn_ns) {
        heat_sample_turn(&model->samples[partition->watch - 1]);
        watch->turn_ns = TIME_NEVER;
    }
    return !may_split(resource, watch, now_ns) || judge(model, resource, slot, now_ns);
}

/* ---- size ---- */

static bool size_split(struct model *model, struct resource *resource, uint32_t slot,
                       int64_t now_ns) {
    struct space *space = &resource->space;
    bool whole = resource->splitting.whole_collections;
    uint32_t place = space_place(space, slot), watch = space->partitions[slot].watch;
    int64_t share = resource->model->split_size_cut;
    struct space_split split;
    bool has_cut =
        watch && heat_part(&model->samples[watch - 1], whole, share, space_low(space, place),
                           space_high(space, place), model->scratch, &split);
    if (!has_cut) has_cut = range_cut(space, slot, whole, share, &split);
    if (has_cut && room_for_more(resource) >= split.count)
        return plan_begin(model, resource, slot, &split, SPLIT_SIZE);
    tell_refusal(model, resource, slot, has_cut ? HEAT_NO_ROOM : HEAT_COLLECTION, now_ns);
    return true;
}

static bool size_tick(struct model *model, struct resource *resource, uint32_t slot,
                      int64_t now_ns) {
    struct partition_watch *watch = &resource->splitting.watches[slot];
    int64_t bytes = resource->space.holdings[slot].bytes, most = resource->model->partition_bytes;
    if (watch->is_splitting || resource->unlimited || resource->splitting.keeps_size) return true;
    if (bytes >= most) return size_split(model, resource, slot, now_ns);
    bool is_large = (int128)bytes * DDBSIM_SHARE_ONE >= (int128)most * LARGE_SHARE;
    if (is_large == watch->is_large) return true;
    watch->is_large = is_large;
    if (is_large)
        return resource->space.partitions[slot].watch || watch_create(model, resource, slot);
    if (watch->hot_since_ns == TIME_NEVER) watch_release(model, resource, slot);
    return true;
}

/* ---- on-demand growth ---- */

struct candidate {
    uint64_t weight;
    uint32_t slot;
};

static int by_weight(const void *a, const void *b) {
    const struct candidate *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* What is not splitting yet, the most traffic first. */
static uint32_t hottest_first(const struct resource *resource, struct candidate *out) {
    const struct partition_watch *watches = resource->splitting.watches;
    uint32_t found = 0;
    for (uint32_t slot = 0; slot < resource->space.count; slot++)
        if (!watches[slot].is_splitting)
            out[found++] = (struct candidate){watches[slot].last_weight, slot};
    CHECK(found + resource->splitting.plan_count == resource->space.count);
    qsort(out, found, sizeof *out, by_weight);
    return found;
}

/* The hottest begin to split, until there will be as many partitions as are needed. */
static bool hottest_split(struct model *model, struct resource *resource, int64_t needed) {
    const struct splitting *splitting = &resource->splitting;
    if (!scratch_grow(model, resource->space.count * sizeof(struct candidate))) return false;
    const struct candidate *all = model->scratch;
    uint32_t found = hottest_first(resource, model->scratch);
    for (uint32_t i = 0; i < found && resource->space.count + splitting->plan_count < needed; i++) {
        struct space_split split;
        if (room_for_more(resource) == 0 ||
            !middle_cut(&resource->space, all[i].slot, splitting->whole_collections, &split))
            break;
        if (!plan_begin(model, resource, all[i].slot, &split, SPLIT_CAPACITY)) return false;
    }
    return true;
}

/* The rule allows more than the partitions carry: the hottest are split. */
static bool growth_split(struct model *model, struct resource *resource) {
    const struct space_limits limits = resource_limits(resource->model);
    int64_t needed =
        space_count_for(&limits, resource->growth.rule[READ], resource->growth.rule[WRITE]);
    if (needed > DDBSIM_PARTITIONS_MAX) {
        model->limit = "an on-demand table or index has grown beyond 100,000 partitions";
        return false;
    }
    if (resource->space.count + resource->splitting.plan_count >= needed) return true;
    return hottest_split(model, resource, needed);
}

/* It grows tick by tick: an event tells each tenth. */
static void growth_tell(struct model *model, struct resource *resource, enum direction d,
                        int64_t limit) {
    if (limit < resource->told_limit[d] + resource->told_limit[d] / 10) return;
    struct note note = note_of(model, resource, DDBSIM_EVENT_ON_DEMAND_LIMIT, 0);
    note.direction = d;
    note.from = resource->told_limit[d];
    note.to = limit;
    model_note_between(model, &note);
    resource->told_limit[d] = limit;
}

static bool growth_apply(struct model *model, struct resource *resource) {
    if (growth_has_grown(&resource->growth) &&
        resource->model->on_demand_growth != DDBSIM_GROWTH_SPLITS && !growth_split(model, resource))
        return false;
    for (int d = 0; d < DIRECTIONS; d++) {
        int64_t limit = resource_on_demand_limit(resource, (enum direction)d);
        if (limit == resource->capacity[d]) continue;
        growth_tell(model, resource, (enum direction)d, limit);
        resource_set_capacity(resource, (enum direction)d, limit, loop_now(model->loop));
        model_resource_capacity_changed(model, resource);
    }
    return true;
}

/* ---- ticks ---- */

static void fold_slot(struct resource *resource, uint32_t slot) {
    struct partition *partition = &resource->space.partitions[slot];
    struct partition_watch *watch = &resource->splitting.watches[slot];
    watch->last_weight = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        watch->last_weight += splits_weight((enum direction)d, partition->sample_nano[d]);
        watch->logged_nano[d] += partition->sample_nano[d];
        watch->logged_throttled[d] += partition->sample_throttled[d];
        partition->sample_nano[d] = 0;
        partition->sample_throttled[d] = 0;
    }
    partition->at_limit = 0;
}

/* Shares of capacity and on-demand limits follow what the whole consumed. */
static bool resource_tick(struct model *model, struct resource *resource,
                          const int64_t used_nano[DIRECTIONS], int64_t now_ns) {
    for (int d = 0; d < DIRECTIONS && resource->allocations; d++)
        allocations_tick(resource->allocations, resource->space.count, (enum direction)d,
                         used_nano[d], SPLITS_TICK_S * NS_PER_S, now_ns);
    if (!resource->on_demand || resource->unlimited) return true;
    growth_tick(&resource->growth, used_nano);
    return growth_apply(model, resource);
}

/* Would the next tick find something to do even if nobody asks the partition meanwhile? */
static bool stays_of_interest(const struct resource *resource, uint32_t slot) {
    const struct splitting *splitting = &resource->splitting;
    const struct partition_watch *watch = &splitting->watches[slot];
    if (watch->hot_since_ns != TIME_NEVER || watch->last_weight > 0) return true;
    return !resource->unlimited && !splitting->keeps_size && !watch->is_splitting &&
           resource->space.holdings[slot].bytes >= resource->model->partition_bytes;
}

/* Only partitions that were asked of, or are of interest, are looked at: the others cost nothing. */
static bool partitions_tick(struct model *model, struct resource *resource, int64_t now_ns) {
    int64_t *ended_nano = resource->splitting.ended_nano;
    int64_t used_nano[DIRECTIONS] = {ended_nano[READ], ended_nano[WRITE]};
    struct slotset *touched = &resource->space.touched;
    uint32_t count = resource->space.count;
    ended_nano[READ] = ended_nano[WRITE] = 0;
    for (uint32_t slot = slotset_next(touched, 0, count); slot < count;
         slot = slotset_next(touched, slot + 1, count)) {
        const struct partition *partition = &resource->space.partitions[slot];
        used_nano[READ] += partition->sample_nano[READ];
        used_nano[WRITE] += partition->sample_nano[WRITE];
        if (!heat_tick(model, resource, slot, now_ns) || !size_tick(model, resource, slot, now_ns))
            return false;
        fold_slot(resource, slot);
        slotset_add(&resource->splitting.to_log, slot);
        if (!stays_of_interest(resource, slot)) slotset_remove(touched, slot);
    }
    return resource_tick(model, resource, used_nano, now_ns);
}

bool splits_tick(struct model *model, int64_t end_s) {
    for (uint32_t r = 0; r < model->resource_count; r++)
        if (resource_exists(model->resources[r]) &&
            !partitions_tick(model, model->resources[r], end_s * NS_PER_S))
            return false;
    return true;
}
