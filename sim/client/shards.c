/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models Lambda's event source mapping of a DynamoDB stream. Sources: AWS Lambda developer guide, Using Lambda with
 * Amazon DynamoDB, and its API CreateEventSourceMapping: a batch that fails is tried again until it succeeds, its
 * records are too old or its retries are used up, and blocks its shard; BisectBatchOnFunctionError cuts it in halves,
 * which uses up no retry; ParallelizationFactor batches of a shard at once. How long it waits between tries is not
 * published. Lambda deals the records of a shard to its lanes by partition key; here an idle lane takes the next batch.
 * Invariant: records received = done + discarded + those in lanes and spans.
 */
#include <client/shards.h>

#include <client/arrivals.h>
#include <client/lambda.h>
#include <stdlib.h>
#include <string.h>

#define NO_SPAN UINT32_MAX
#define SPANS_MAX (1u << 22)
#define LANE_ARRIVALS_MAX (UINT64_C(1) << 22)

/* ---- life ---- */

static bool slots_grow(struct shards *shards, uint32_t slots) {
    uint64_t lanes = (uint64_t)slots * shards->spec->parallelization_factor;
    uint64_t arrivals = lanes * shards->spec->batch_size;
    if (arrivals > LANE_ARRIVALS_MAX) {
        shards->limit = "a stream's batches, of all shards together, hold more than 4,194,304 "
                        "records";
        return false;
    }
    struct shard *all = realloc(shards->shards, slots * sizeof *all);
    if (all) shards->shards = all;
    struct shard_lane *of = realloc(shards->lanes, (size_t)lanes * sizeof *of);
    if (of) shards->lanes = of;
    struct ddbsim_arrival *work = realloc(shards->arrivals, (size_t)arrivals * sizeof *work);
    if (work) shards->arrivals = work;
    if (!all || !of || !work) return false;
    uint64_t before = (uint64_t)shards->slots * shards->spec->parallelization_factor;
    memset(&of[before], 0, (size_t)(lanes - before) * sizeof *of);
    for (uint32_t i = shards->slots; i < slots; i++)
        all[i] = (struct shard){.first = NO_SPAN, .last = NO_SPAN};
    shards->slots = slots;
    return true;
}

static bool spans_grow(struct shards *shards) {
    uint32_t capacity = shards->span_capacity ? 2 * shards->span_capacity : 256;
    if (capacity > SPANS_MAX) {
        shards->limit = "records of more than 4,194,304 moments wait in one stream";
        return false;
    }
    struct shard_span *spans = realloc(shards->spans, capacity * sizeof *spans);
    if (!spans) return false;
    shards->spans = spans;
    for (uint32_t i = capacity; i-- > shards->span_capacity;) {
        spans[i].next = shards->free_span;
        shards->free_span = i;
    }
    shards->span_capacity = capacity;
    return true;
}

bool shards_create(struct caller *caller) {
    const struct ddbsim_stream_lambda *spec = &caller->spec->lambda;
    if (!caller->reader || !spec->enabled) return true;
    struct shards *shards = calloc(1, sizeof *shards);
    caller->shards = shards;
    if (!shards) return false;
    CHECK(spec->batch_size >= 1 && spec->parallelization_factor >= 1);
    shards->spec = spec;
    shards->rules = &caller->simulation->model->tables[caller->spec->stream_of].spec->model;
    shards->free_span = NO_SPAN;
    return slots_grow(shards, caller->reader->slots) && spans_grow(shards);
}

void shards_destroy(struct caller *caller) {
    if (!caller->shards) return;
    free(caller->shards->shards);
    free(caller->shards->lanes);
    free(caller->shards->arrivals);
    free(caller->shards->spans);
    free(caller->shards);
}

bool shards_make_room(struct caller *caller) {
    struct shards *shards = caller->shards;
    if (!shards) return true;
    if (caller->reader->slots > shards->slots && !slots_grow(shards, caller->reader->slots))
        return false;
    return shards->spans_used < shards->span_capacity || spans_grow(shards);
}

/* ---- records that wait ---- */

/* What was written in the same second waits together. */
static void span_add(struct shards *shards, struct shard *shard, uint32_t count,
                     int64_t written_ns) {
    shard->waiting += count;
    if (shard->last != NO_SPAN) {
        struct shard_span *last = &shards->spans[shard->last];
        if (last->written_ns / NS_PER_S == written_ns / NS_PER_S &&
            last->count < UINT32_MAX - count) {
            last->count += count;
            return;
        }
    }
    uint32_t number = shards->free_span;
    CHECK(number != NO_SPAN);
    shards->free_span = shards->spans[number].next;
    shards->spans_used++;
    shards->spans[number] = (struct shard_span){written_ns, count, NO_SPAN};
    if (shard->last == NO_SPAN)
        shard->first = number;
    else
        shards->spans[shard->last].next = number;
    shard->last = number;
}

/* Up to `most` of the oldest span. */
static uint32_t span_take(struct shards *shards, struct shard *shard, uint32_t most) {
    uint32_t number = shard->first;
    struct shard_span *span = &shards->spans[number];
    uint32_t count = span->count < most ? span->count : most;
    CHECK(number != NO_SPAN && count > 0 && count <= shard->waiting);
    span->count -= count;
    shard->waiting -= count;
    if (span->count > 0) return count;
    shard->first = span->next;
    if (shard->first == NO_SPAN) shard->last = NO_SPAN;
    span->next = shards->free_span;
    shards->free_span = number;
    shards->spans_used--;
    return count;
}

/* ---- batches ---- */

static struct ddbsim_arrival *arrivals_of(const struct shards *shards, uint32_t lane) {
    return &shards->arrivals[(size_t)lane * shards->spec->batch_size];
}

static uint32_t records_in(const struct shards *shards, uint32_t lane, uint32_t first,
                           uint32_t end) {
    uint32_t records = 0;
    for (uint32_t i = first; i < end; i++)
        records += arrivals_of(shards, lane)[i].records;
    return records;
}

static bool is_too_old(const struct shards *shards, int64_t written_ns, int64_t now_ns) {
    return now_ns - written_ns > shards->spec->maximum_record_age_ns;
}

static void lane_invoke(struct caller *caller, uint32_t lane, int64_t now_ns);

/* The oldest records that are not too old become arrivals; false where none is left. */
static bool lane_load(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct shards *shards = caller->shards;
    struct shard *shard = &shards->shards[number / shards->spec->parallelization_factor];
    struct shard_lane *lane = &shards->lanes[number];
    uint32_t left = shards->spec->batch_size;
    *lane = (struct shard_lane){0};
    while (shard->waiting > 0 && left > 0) {
        int64_t written_ns = shards->spans[shard->first].written_ns;
        if (is_too_old(shards, written_ns, now_ns)) {
            shards->discarded += span_take(shards, shard, UINT32_MAX);
            continue;
        }
        uint32_t most = left < caller->most_records ? left : caller->most_records;
        uint32_t count = span_take(shards, shard, most);
        struct ddbsim_arrival *arrival = &arrivals_of(shards, number)[lane->count];
        caller->source.take(caller->source.self, arrival);
        arrival->records = count;
        arrival->invocation = number;
        if (lane->count++ == 0) lane->oldest_ns = written_ns;
        left -= count;
        lane->newest_ns = written_ns;
    }
    CHECK(lane->count <= shards->spec->batch_size && lane->oldest_ns <= lane->newest_ns);
    lane->end = lane->count;
    lane->busy = lane->count > 0;
    return lane->busy;
}

/* A part of the batch is over, done or discarded: the next part, or the next batch. */
static void part_over(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct shard_lane *lane = &caller->shards->lanes[number];
    CHECK(lane->busy && lane->end <= lane->count);
    lane->first = lane->at = lane->end;
    lane->tries = 0;
    if (lane->half_count > 0) {
        lane->end = lane->halves[--lane->half_count];
        lane_invoke(caller, number, now_ns);
        return;
    }
    CHECK(lane->end == lane->count);
    if (lane_load(caller, number, now_ns)) lane_invoke(caller, number, now_ns);
}

/* It is given up, and the next one comes. */
static void part_discard(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct shards *shards = caller->shards;
    const struct shard_lane *lane = &shards->lanes[number];
    shards->discarded += records_in(shards, number, lane->first, lane->end);
    part_over(caller, number, now_ns);
}

/* The next arrival of the part begins; false when all are done. */
static bool go_on(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct shards *shards = caller->shards;
    struct shard_lane *lane = &shards->lanes[number];
    struct record *record = &caller->simulation->scratch;
    for (; lane->at < lane->end; lane->at++) {
        record->arrival = arrivals_of(shards, number)[lane->at];
        record->arrival.t_ns = lane->began_ns;
        record->arrival.again = lane->at < lane->begun;
        record->has_arrival = true;
        if (lane->at >= lane->begun) lane->begun = lane->at + 1;
        lane->did = false;
        if (arrival_begin(caller, now_ns)) return true;
    }
    return false;
}

/* Its calls begin in an event of their own, so that no chain of empty batches grows in one. */
static void lane_invoke(struct caller *caller, uint32_t number, int64_t now_ns) {
    lambda_schedule(caller, now_ns, number, LAMBDA_AGAIN);
}

void shards_try_again(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct shard_lane *lane = &caller->shards->lanes[number];
    CHECK(lane->busy && lane->first < lane->end);
    if (now_ns < caller->resume_ns) {
        lambda_schedule(caller, caller->resume_ns, number, LAMBDA_AGAIN);
        return;
    }
    if (is_too_old(caller->shards, lane->oldest_ns, now_ns)) { /* while it waited */
        part_discard(caller, number, now_ns);
        return;
    }
    lane->began_ns = now_ns;
    lane->at = lane->first;
    caller->shards->invoked++;
    /* IteratorAge is that of the batch's newest record, at each invocation. */
    caller->shards->oldest_ns = larger(caller->shards->oldest_ns, now_ns - lane->newest_ns);
    if (!go_on(caller, number, now_ns)) part_over(caller, number, now_ns);
}

/* As the table has it whose stream it is. */
static int64_t again_ns(const struct caller *caller, uint32_t tries) {
    const struct ddbsim_assumptions *rules = caller->shards->rules;
    int64_t wait_ns = rules->stream_retry_first_ns, most_ns = rules->stream_retry_most_ns;
    CHECK(wait_ns > 0 && most_ns > 0);
    for (uint32_t i = 1; i < tries && wait_ns < most_ns; i++)
        wait_ns *= 2;
    return smaller(wait_ns, most_ns);
}

static void part_failed(struct caller *caller, uint32_t number, int64_t now_ns) {
    struct shards *shards = caller->shards;
    struct shard_lane *lane = &shards->lanes[number];
    const struct ddbsim_stream_lambda *spec = shards->spec;
    shards->failed++;
    lane->tries++;
    bool too_old = is_too_old(shards, lane->oldest_ns, now_ns);
    bool cuts = spec->bisects && lane->end - lane->first > 1 && !too_old;
    bool used_up =
        spec->maximum_retry_attempts >= 0 && lane->tries > (uint64_t)spec->maximum_retry_attempts;
    if (cuts) {
        CHECK(lane->half_count < SHARDS_HALVES_MAX);
        lane->halves[lane->half_count++] = lane->end;
        lane->end = lane->first + (lane->end - lane->first) / 2;
        lane->tries--; /* a cut is no retry */
    } else if (too_old || used_up) {
        part_discard(caller, number, now_ns);
        return;
    }
    lambda_schedule(caller, now_ns + again_ns(caller, lane->tries), number, LAMBDA_AGAIN);
}

void shards_work_over(struct caller *caller, uint32_t number, bool succeeded, int64_t now_ns) {
    struct shards *shards = caller->shards;
    struct shard_lane *lane = &shards->lanes[number];
    CHECK(lane->busy && lane->at < lane->end);
    if (lane->did && lane->at < lane->done)
        shards->duplicates += arrivals_of(shards, number)[lane->at].records;
    else if (lane->did)
        lane->done = lane->at + 1;
    if (!succeeded) {
        part_failed(caller, number, now_ns);
        return;
    }
    lane->at++;
    if (!go_on(caller, number, now_ns)) part_over(caller, number, now_ns);
}

/* A shard's idle lanes take what is there. */
static void lanes_load(struct caller *caller, uint32_t slot, int64_t now_ns) {
    struct shards *shards = caller->shards;
    uint32_t factor = shards->spec->parallelization_factor;
    for (uint32_t i = slot * factor; i < (slot + 1) * factor; i++)
        if (!shards->lanes[i].busy && lane_load(caller, i, now_ns)) lane_invoke(caller, i, now_ns);
}

/* Nobody reads in a pause: what is written then waits with its age, and is received when the pause is over. */
void shards_read_on(struct caller *caller, uint32_t slot, int64_t now_ns) {
    struct shard *shard = &caller->shards->shards[slot];
    if (now_ns < caller->resume_ns) {
        lambda_schedule(caller, caller->resume_ns, slot, LAMBDA_READS);
        return;
    }
    CHECK(shard->unread > 0);
    caller->shards->received += shard->unread;
    shard->unread = 0;
    lanes_load(caller, slot, now_ns);
}

void shards_arrive(struct caller *caller, int64_t now_ns) {
    struct shards *shards = caller->shards;
    uint32_t slot = 0;
    int64_t ready_ns;
    uint32_t count = stream_reader_take(caller->reader, UINT32_MAX, &slot, &ready_ns);
    CHECK(slot < shards->slots && count > 0);
    struct shard *shard = &shards->shards[slot];
    span_add(shards, shard, count, ready_ns - caller->reader->delay_ns);
    if (shards->spans_used == shards->span_capacity) loop_request_between(caller->simulation->loop);
    bool waits = shard->unread > 0;
    shard->unread += count;
    if (!waits) shards_read_on(caller, slot, now_ns);
}
