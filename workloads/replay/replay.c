/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models a recorded workload: a generator whose clock, operations, keys and sizes come from a tape. A row that names an
 * operation chooses among those of the mix that are of its kind; one that names a key is about that key's place
 * in the table. What else its item has, a value for the key of an index, say, is drawn by the key: one
 * key is always one item.
 *
 * Invariant: the generator draws for every arrival, whatever of it the row replaces.
 */
#include <workloads/replay/replay.h>

#include <base/error.h>
#include <base/hash.h>
#include <stdlib.h>
#include <workloads/mix.h>

struct replay {
    struct ddbsim_source base;
    struct source *generator; /* base.self */
    struct tape *tape;
    bool settles, is_keyed;
};

static int64_t replay_peek(void *self) {
    const struct replay *replay = self;
    return replay->generator->workload ? tape_peek(replay->tape) : TIME_NEVER;
}

/* The operations of one kind, by weight. */
static void choose(const struct source *source, int kind, struct ddbsim_arrival *arrival) {
    const struct ddbsim_workload *workload = source->workload;
    uint64_t total = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        if ((int)workload->operations[i].kind == kind)
            total += (uint64_t)workload->operations[i].weight;
    if (total == 0) return;
    uint64_t at = draw_below(arrival->choice, total);
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        uint64_t weight = (uint64_t)workload->operations[i].weight;
        if ((int)workload->operations[i].kind != kind) continue;
        if (at < weight) {
            arrival->choice = source->thresholds[i];
            return;
        }
        at -= weight;
    }
}

/* What the item of a key has. */
static void draw_by_key(const struct source *source, uint64_t hash,
                        struct ddbsim_arrival *arrival) {
    arrival->item = hash_mix(hash, 0, 0);
    for (uint32_t slot = 0; slot < source->slot_count; slot++) {
        const struct value_set *set = source->streams[PURPOSES + slot].set;
        if (set->moving) continue;
        uint64_t draw = hash_mix(hash, set->name_hash, 0);
        arrival->keys[slot] = value_set_pick(set, draw, draw);
    }
}

static void replay_take(void *self, struct ddbsim_arrival *out) {
    struct replay *replay = self;
    struct source *source = replay->generator;
    struct tape_arrival taken;
    tape_take(replay->tape, &taken);
    source_draw(source, taken.t_ns, out);
    out->row = taken.row;
    if (!replay->is_keyed) out->row.ordinal = DDBSIM_ORDINAL_OTHER | taken.row.hash;
    if (taken.operation >= 0 && !source->workload->sequence) choose(source, taken.operation, out);
    if (taken.row.has_key) draw_by_key(source, taken.row.hash, out);
    if (replay->settles) mix_settle(source, out);
}

static void mark_drawn(const struct replay *replay, struct ddbsim_request *request) {
    if (replay->is_keyed && request->key.entity != DDBSIM_ENTITY_RECORDED)
        request->key.ordinal |= DDBSIM_ORDINAL_OTHER;
}

static bool replay_request(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                           int64_t now_ns, struct ddbsim_request *out) {
    const struct replay *replay = self;
    if (!replay->base.request(replay->base.self, arrival, step, now_ns, out)) return false;
    mark_drawn(replay, out);
    return true;
}

static void replay_member(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                          uint32_t member, uint32_t again, int64_t now_ns,
                          struct ddbsim_request *out) {
    const struct replay *replay = self;
    replay->base.member(replay->base.self, arrival, step, member, again, now_ns, out);
    mark_drawn(replay, out);
}

static bool replay_shard(void *self, const struct ddbsim_arrival *arrival, uint32_t step,
                         uint32_t shard, int64_t now_ns, struct ddbsim_request *out) {
    const struct replay *replay = self;
    if (!replay->base.shard(replay->base.self, arrival, step, shard, now_ns, out)) return false;
    mark_drawn(replay, out);
    return true;
}

static void replay_served(void *self, const struct ddbsim_request *request) {
    const struct replay *replay = self;
    replay->base.served(replay->base.self, request);
}

static void replay_measure(void *self, struct ddbsim_request *request) {
    const struct replay *replay = self;
    replay->base.measure(replay->base.self, request);
}

static void replay_page(void *self, struct ddbsim_request *request) {
    const struct replay *replay = self;
    replay->base.page(replay->base.self, request);
}

static void replay_change(void *self, const struct ddbsim_scenario *after, int64_t now_ns) {
    struct replay *replay = self;
    replay->base.change(replay->base.self, after, now_ns);
    if (replay->generator->workload)
        tape_scale(replay->tape, replay->generator->workload->scale, now_ns);
}

static void replay_destroy(void *self) {
    struct replay *replay = self;
    if (!replay) return;
    if (replay->base.self) replay->base.destroy(replay->base.self);
    tape_destroy(replay->tape);
    free(replay);
}

enum ddbsim_status replay_create(const struct ddbsim_scenario *scenario, uint32_t workload,
                                 struct population *population, uint64_t seed, uint32_t replication,
                                 struct names *names, struct ddbsim_source *out,
                                 struct ddbsim_error *error) {
    struct tape_options options = {.scenario = scenario,
                                   .workload = &scenario->workloads[workload],
                                   .seed = seed,
                                   .replication = replication,
                                   .names = names};
    struct replay *replay = calloc(1, sizeof *replay);
    if (!replay) return error_memory(error);
    enum ddbsim_status status =
        source_create(scenario, workload, population, seed, replication, &replay->base, error);
    if (!status) status = tape_create(&options, &replay->tape, error);
    if (status) {
        replay_destroy(replay);
        return status;
    }
    replay->generator = replay->base.self;
    replay->is_keyed = tape_has_key(replay->tape);
    replay->settles = replay->generator->settles;
    replay->generator->settles = false;
    *out = (struct ddbsim_source){.self = replay,
                                  .peek = replay_peek,
                                  .take = replay_take,
                                  .request = replay_request,
                                  .member = replay_member,
                                  .shard = replay_shard,
                                  .served = replay_served,
                                  .measure = replay_measure,
                                  .page = replay_page,
                                  .change = replay_change,
                                  .destroy = replay_destroy};
    return DDBSIM_OK;
}

bool replay_is_keyed(const struct ddbsim_source *source) {
    const struct replay *replay = source->self;
    return replay->is_keyed;
}

const struct tape *replay_tape(const struct ddbsim_source *source) {
    const struct replay *replay = source->self;
    return replay->tape;
}
