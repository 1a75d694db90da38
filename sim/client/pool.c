/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of one size, numbered, which never move while an event is at work. Invariants: a record is free, or
 * one waiting request, or one member of one list; a list's count is the length of its chain.
 */
#include <client/pool.h>

#include <base/check.h>
#include <kernel/loop.h>
#include <stdlib.h>
#include <string.h>

#define RECORDS_MAX (1u << 23)
#define CACHE_LINE 64
/* What one dispatch may store: what it schedules, and the members of a batch. */
#define ROOM (LOOP_EVENTS_PER_DISPATCH + DDBSIM_BATCH_MAX)

bool pool_init(struct pool *pool, uint32_t works) {
    CHECK(works <= DDBSIM_INDEXES_MAX);
    size_t bytes = offsetof(struct record, request.work) +
                   works * sizeof(((struct record *)NULL)->request.work[0]);
    *pool = (struct pool){.stride = (bytes + 15) / 16 * 16, .free_record = POOL_NO_RECORD};
    return pool_grow(pool);
}

void pool_deinit(struct pool *pool) { free(pool->records); }

bool pool_is_tight(const struct pool *pool) {
    CHECK_DEBUG(pool->used <= pool->capacity);
    return pool->capacity - pool->used < ROOM;
}

bool pool_grow(struct pool *pool) {
    uint32_t capacity = pool->capacity ? 2 * pool->capacity : 256;
    if (capacity > RECORDS_MAX) {
        pool->limit =
            "more than 8,388,608 requests or members of batches wait at once, for a retry "
            "or an answer";
        return false;
    }
    char *records = realloc(pool->records, pool->stride * capacity);
    if (!records) return false;
    pool->records = records;
    uint32_t from = pool->capacity;
    pool->capacity = capacity;
    for (uint32_t i = capacity; i-- > from;) {
        pool_at(pool, i)->next = pool->free_record;
        pool->free_record = i;
    }
    return true;
}

static uint32_t record_take(struct pool *pool) {
    uint32_t number = pool->free_record;
    CHECK(number != POOL_NO_RECORD);
    pool->free_record = pool_at(pool, number)->next;
    pool->used++;
    return number;
}

static size_t record_bytes(const struct record *record) {
    CHECK_DEBUG(record->request.work_count <= DDBSIM_INDEXES_MAX);
    return offsetof(struct record, request.work) +
           record->request.work_count * sizeof record->request.work[0];
}

/* The arrival's draws are kept only where a further call may need them. */
static void record_copy(struct record *to, const struct record *record) {
    size_t from = record->has_arrival ? 0 : offsetof(struct record, first_ns);
    memcpy((char *)to + from, (const char *)record + from, record_bytes(record) - from);
}

uint32_t pool_store(struct pool *pool, const struct record *record) {
    uint32_t number = record_take(pool);
    record_copy(pool_at(pool, number), record);
    return number;
}

/* Sizes that the compiler knows: many answers are awaited, and a short copy touches fewer lines. */
static inline void answer_copy(struct record *to, const struct record *record) {
    const size_t from = offsetof(struct record, first_ns);
    const size_t end = offsetof(struct record, request) + offsetof(struct ddbsim_request, key);
    if (record->has_arrival) to->arrival = record->arrival;
    memcpy((char *)to + from, (const char *)record + from, end - from);
}

uint32_t pool_store_answer(struct pool *pool, const struct record *record) {
    uint32_t number = record_take(pool);
    CHECK_DEBUG(record->members.count == 0);
    answer_copy(pool_at(pool, number), record);
    return number;
}

void pool_load_answer(struct pool *pool, uint32_t number, struct record *out) {
    answer_copy(out, pool_at(pool, number));
    pool_release(pool, number);
}

void pool_release(struct pool *pool, uint32_t number) {
    CHECK_DEBUG(pool->used > 0);
    pool_at(pool, number)->next = pool->free_record;
    pool->free_record = number;
    pool->used--;
}

void pool_load(struct pool *pool, uint32_t number, struct record *out) {
    record_copy(out, pool_at(pool, number));
    pool_release(pool, number);
}

void pool_copy(const struct pool *pool, uint32_t number, struct record *out) {
    CHECK(number < pool->capacity);
    record_copy(out, pool_at(pool, number));
}

void pool_fetch(const struct pool *pool, uint32_t number) {
    const char *record = (const char *)pool_at(pool, number);
    for (size_t at = offsetof(struct record, first_ns); at < pool->stride; at += CACHE_LINE)
        __builtin_prefetch(record + at);
    __builtin_prefetch(record + pool->stride - 1);
}

/* ---- lists of members ---- */

void members_push(struct pool *pool, struct members *members, uint32_t number) {
    CHECK_DEBUG(members->count < RECORDS_MAX);
    pool_at(pool, number)->next = POOL_NO_RECORD;
    if (members->count == 0)
        members->first = number;
    else
        pool_at(pool, members->last)->next = number;
    members->last = number;
    members->count++;
}

uint32_t members_take(struct pool *pool, struct members *members) {
    CHECK(members->count > 0);
    uint32_t number = members->first;
    members->first = pool_at(pool, number)->next;
    members->count--;
    CHECK_DEBUG((members->first == POOL_NO_RECORD) == (members->count == 0));
    return number;
}

void members_add(struct pool *pool, struct members *members, const struct ddbsim_request *request) {
    uint32_t number = record_take(pool);
    struct ddbsim_request *to = &pool_at(pool, number)->request;
    size_t works = request->work_count * sizeof request->work[0];
    CHECK_DEBUG(offsetof(struct record, request.work) + works <= pool->stride);
    memcpy(to, request, offsetof(struct ddbsim_request, work)); /* of a size that is known */
    if (works > 0) memcpy(to->work, request->work, works);
    members_push(pool, members, number);
}

void members_move(struct pool *pool, struct members *from, struct members *to, uint32_t most) {
    while (from->count > 0 && most-- > 0)
        members_push(pool, to, members_take(pool, from));
}

/* The chain as it is becomes the head of the free one. */
uint32_t members_release(struct pool *pool, struct members *members) {
    uint32_t count = members->count;
    CHECK(count <= pool->used);
    if (count == 0) return 0;
    pool_at(pool, members->last)->next = pool->free_record;
    pool->free_record = members->first;
    pool->used -= count;
    *members = (struct members){0};
    return count;
}
