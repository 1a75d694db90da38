/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring of buckets of time. A thing is appended to its bucket's last chunk, and only when its bucket is the
 * next to arrive are the things in it sorted, so that memory is met in order, not at random. What is put
 * into the bucket that is open, or before it, goes to a heap beside it.
 *
 * Invariants: nothing pends in a bucket up to `opened` but what stands in `sorted` and `soon`; while
 * anything pends, one of those two holds the first; a ring's turn is longer than the longest wait, so no two
 * times share a bucket. On a tie what is sorted was put first, for the heap fills only once its bucket is open.
 */
#include <model/calendar.h>

#include <stdlib.h>
#include <string.h>

#define NO_CHUNK UINT32_MAX
#define CHUNKS_AT_FIRST 128u
#define DIGIT_BITS 8 /* of the sort, a pass */
#define FEW 24u      /* so many are sorted by insertion */

_Static_assert(CALENDAR_SLOTS_MAX == 1u << CALENDAR_SLOT_BITS, "a sort key holds a slot");
_Static_assert(CALENDAR_CHUNK <= UINT8_MAX, "a chunk counts in bytes");

/* ---- memory ---- */

static void chunk_free(struct calendar *c, uint32_t number) {
    struct calendar_chunk *chunk = &c->chunks[number];
    *chunk = (struct calendar_chunk){.next = c->free_chunk};
    c->free_chunk = number;
    c->free_chunks++;
}

static bool chunks_grow(struct calendar *c) {
    uint32_t count = c->chunk_count ? 2 * c->chunk_count : CHUNKS_AT_FIRST;
    if (count > CALENDAR_SLOTS_MAX / CALENDAR_CHUNK) return false;
    struct calendar_chunk *chunks = realloc(c->chunks, count * sizeof *chunks);
    if (!chunks) return false;
    c->chunks = chunks;
    uint32_t from = c->chunk_count;
    c->chunk_count = count;
    for (uint32_t i = count; i-- > from;)
        chunk_free(c, i);
    return true;
}

static bool sorted_grow(struct calendar *c) {
    uint32_t capacity = 2 * c->sorted_capacity;
    uint64_t *sorted = realloc(c->sorted, capacity * sizeof *sorted);
    if (sorted) c->sorted = sorted;
    uint64_t *spare = realloc(c->spare, capacity * sizeof *spare);
    if (spare) c->spare = spare;
    if (!sorted || !spare) return false;
    c->sorted_capacity = capacity;
    return true;
}

bool calendar_init(struct calendar *c, int64_t longest_ns) {
    CHECK(longest_ns >= 0);
    *c = (struct calendar){
        .free_chunk = NO_CHUNK, .soon_chunk = NO_CHUNK, .sorted_capacity = CHUNKS_AT_FIRST};
    while (longest_ns >> c->shift >= CALENDAR_BUCKETS - 2)
        c->shift++;
    CHECK(c->shift + CALENDAR_SLOT_BITS <= 64);
    for (uint32_t i = 0; i < CALENDAR_BUCKETS; i++)
        c->buckets[i] = (struct calendar_bucket){NO_CHUNK, NO_CHUNK, 0};
    queue_init(&c->soon);
    return sorted_grow(c) && chunks_grow(c) && queue_reserve(&c->soon, CHUNKS_AT_FIRST);
}

void calendar_deinit(struct calendar *c) {
    free(c->chunks);
    free(c->sorted);
    free(c->spare);
    queue_deinit(&c->soon);
    *c = (struct calendar){0};
}

static bool sorted_is_tight(const struct calendar *c, uint32_t room) {
    return c->sorted_capacity < c->largest + room;
}

static bool soon_is_tight(const struct calendar *c, uint32_t room) {
    return c->soon.capacity < c->soon.count + room;
}

bool calendar_is_tight(const struct calendar *c, uint32_t room) {
    return c->free_chunks < room || sorted_is_tight(c, room) || soon_is_tight(c, room);
}

bool calendar_grow(struct calendar *c) {
    if (soon_is_tight(c, CHUNKS_AT_FIRST))
        return queue_reserve(&c->soon, c->soon.count + 1 + CHUNKS_AT_FIRST);
    if (sorted_is_tight(c, CHUNKS_AT_FIRST)) return sorted_grow(c);
    return chunks_grow(c);
}

/* ---- slots ---- */

static uint32_t chunk_take(struct calendar *c) {
    uint32_t number = c->free_chunk;
    CHECK(number != NO_CHUNK);
    c->free_chunk = c->chunks[number].next;
    c->free_chunks--;
    c->chunks[number].next = NO_CHUNK;
    return number;
}

static uint32_t slot_take(struct calendar *c, uint32_t number, int64_t due_ns) {
    struct calendar_chunk *chunk = &c->chunks[number];
    uint32_t place = chunk->used++;
    CHECK_DEBUG(place < CALENDAR_CHUNK && !chunk->closed);
    chunk->live++;
    chunk->due_ns[place] = due_ns;
    return number * CALENDAR_CHUNK + place;
}

void calendar_release(struct calendar *c, uint32_t slot) {
    uint32_t number = slot / CALENDAR_CHUNK;
    struct calendar_chunk *chunk = &c->chunks[number];
    CHECK_DEBUG(chunk->live > 0);
    if (--chunk->live > 0) return;
    if (chunk->closed)
        chunk_free(c, number);
    else if (number == c->soon_chunk)
        chunk->used = 0;
}

/* ---- putting ---- */

static uint32_t put_soon(struct calendar *c, int64_t due_ns) {
    if (c->soon_chunk == NO_CHUNK || c->chunks[c->soon_chunk].used == CALENDAR_CHUNK) {
        if (c->soon_chunk != NO_CHUNK) c->chunks[c->soon_chunk].closed = true;
        c->soon_chunk = chunk_take(c);
    }
    uint32_t slot = slot_take(c, c->soon_chunk, due_ns);
    queue_push(&c->soon, due_ns, 0, slot);
    return slot;
}

static uint32_t put_later(struct calendar *c, uint32_t place, int64_t due_ns) {
    struct calendar_bucket *bucket = &c->buckets[place];
    if (bucket->tail == NO_CHUNK || c->chunks[bucket->tail].used == CALENDAR_CHUNK) {
        uint32_t number = chunk_take(c);
        if (bucket->tail == NO_CHUNK)
            bucket->head = number;
        else
            c->chunks[bucket->tail].next = number;
        bucket->tail = number;
        c->filled[place / 64] |= UINT64_C(1) << place % 64;
    }
    if (++bucket->count > c->largest) c->largest = bucket->count;
    return slot_take(c, bucket->tail, due_ns);
}

uint32_t calendar_put(struct calendar *c, int64_t due_ns) {
    int64_t bucket = due_ns >> c->shift;
    if (c->pending++ == 0) c->opened = bucket;
    if (bucket <= c->opened) return put_soon(c, due_ns);
    CHECK_DEBUG(bucket - c->opened < CALENDAR_BUCKETS);
    return put_later(c, (uint32_t)bucket % CALENDAR_BUCKETS, due_ns);
}

/* ---- opening a bucket ---- */

/* Keys are equal up to CALENDAR_SLOT_BITS only where times are, and then they stand in the order of putting. */
static void sort_few(uint64_t *keys, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        uint32_t at = i;
        for (; at > 0 && keys[at - 1] >> CALENDAR_SLOT_BITS > key >> CALENDAR_SLOT_BITS; at--)
            keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* One digit of the time, stable: from `sorted` to `spare`, which change places. */
static void sort_pass(struct calendar *c, uint32_t count, uint32_t bit) {
    uint32_t starts[1u << DIGIT_BITS] = {0};
    for (uint32_t i = 0; i < count; i++)
        starts[c->sorted[i] >> bit & ((1u << DIGIT_BITS) - 1)]++;
    for (uint32_t digit = 0, start = 0; digit < 1u << DIGIT_BITS; digit++) {
        uint32_t things = starts[digit];
        starts[digit] = start;
        start += things;
    }
    for (uint32_t i = 0; i < count; i++)
        c->spare[starts[c->sorted[i] >> bit & ((1u << DIGIT_BITS) - 1)]++] = c->sorted[i];
    uint64_t *spare = c->spare;
    c->spare = c->sorted;
    c->sorted = spare;
}

static uint32_t collect(struct calendar *c, uint32_t first, int64_t begin_ns) {
    uint32_t count = 0;
    for (uint32_t number = first; number != NO_CHUNK; number = c->chunks[number].next) {
        struct calendar_chunk *chunk = &c->chunks[number];
        for (uint32_t i = 0; i < chunk->used; i++)
            c->sorted[count++] = (uint64_t)(chunk->due_ns[i] - begin_ns) << CALENDAR_SLOT_BITS |
                                 (number * CALENDAR_CHUNK + i);
        chunk->closed = true;
    }
    return count;
}

/* The next bucket of the ring that holds something, from `place` on; there is one. */
static uint32_t next_filled(const struct calendar *c, uint32_t place) {
    uint64_t word = c->filled[place / 64] & ~UINT64_C(0) << place % 64;
    uint32_t at = place / 64;
    while (word == 0)
        word = c->filled[at = (at + 1) % (CALENDAR_BUCKETS / 64)];
    return at * 64 + (uint32_t)__builtin_ctzll(word);
}

static void open_next(struct calendar *c) {
    uint32_t from = (uint32_t)(c->opened + 1) % CALENDAR_BUCKETS;
    uint32_t place = next_filled(c, from);
    struct calendar_bucket *bucket = &c->buckets[place];
    c->opened += 1 + (place - from) % CALENDAR_BUCKETS;
    CHECK(bucket->count <= c->sorted_capacity);
    c->at = 0;
    c->end = collect(c, bucket->head, c->opened << c->shift);
    CHECK(c->end == bucket->count);
    *bucket = (struct calendar_bucket){NO_CHUNK, NO_CHUNK, 0};
    c->filled[place / 64] &= ~(UINT64_C(1) << place % 64);
    if (c->end <= FEW)
        sort_few(c->sorted, c->end);
    else
        for (uint32_t bit = 0; bit < c->shift; bit += DIGIT_BITS)
            sort_pass(c, c->end, CALENDAR_SLOT_BITS + bit);
}

/* ---- arriving ---- */

uint32_t calendar_arrive(struct calendar *c) {
    uint32_t slot;
    CHECK(c->pending > 0);
    if (calendar_sorted_ns(c) <= queue_next_time(&c->soon)) {
        slot = (uint32_t)c->sorted[c->at++] & (CALENDAR_SLOTS_MAX - 1);
    } else {
        slot = queue_next_slot(&c->soon);
        queue_drop(&c->soon);
    }
    if (--c->pending > 0 && c->at == c->end && c->soon.count == 0) open_next(c);
    return slot;
}
