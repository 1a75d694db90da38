/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Things on their way, by the time at which they arrive: at equal time in the order in which they were
 * put. Each has a slot, which it keeps until it is released, so that whoever owns the calendar can keep
 * more about it in an array of its own. An index keeps its writes in one: tens of thousands are on their way
 * at a time, and the loop needs an event for the first of them alone.
 *
 * Slots are handed out so that what arrives at about the same time stands together.
 */
#ifndef MODEL_CALENDAR_H
#define MODEL_CALENDAR_H

#include <kernel/queue.h>

#define CALENDAR_BUCKETS 1024u
#define CALENDAR_CHUNK 16u /* slots that stand together */
#define CALENDAR_SLOTS_MAX QUEUE_SLOTS_MAX
#define CALENDAR_SLOT_BITS 24

struct calendar_chunk {
    int64_t due_ns[CALENDAR_CHUNK];
    uint32_t next; /* of its bucket, or of the free ones */
    uint8_t used, live;
    bool closed; /* nothing is put here any more */
};

struct calendar_bucket {
    uint32_t head, tail; /* chunks */
    uint32_t count;      /* things, of which none has arrived */
};

struct calendar {
    struct calendar_chunk *chunks;
    uint32_t chunk_count, free_chunk, free_chunks;
    uint32_t pending; /* put and not yet arrived */
    uint32_t shift;   /* a bucket is 2^shift nanoseconds wide */
    int64_t opened;   /* number of the bucket that was opened last: time >> shift */
    struct calendar_bucket buckets[CALENDAR_BUCKETS];
    uint64_t filled[CALENDAR_BUCKETS / 64]; /* bit i: buckets[i] holds something */
    /* The opened bucket, sorted: time since its begin, and slot. */
    uint64_t *sorted, *spare;
    uint32_t at, end, sorted_capacity, largest; /* bucket ever */
    struct queue soon;                          /* what was put after its bucket was opened */
    uint32_t soon_chunk;                        /* where its slots come from */
};

/* longest_ns: nothing arrives later than this after it is put. False when memory is short. */
bool calendar_init(struct calendar *calendar, int64_t longest_ns);
void calendar_deinit(struct calendar *calendar);
/* Slots that there are. */
static inline uint32_t calendar_capacity(const struct calendar *calendar) {
    return calendar->chunk_count * CALENDAR_CHUNK;
}
/* True when `room` more puts might not fit: grow between events. */
bool calendar_is_tight(const struct calendar *calendar, uint32_t room);
/* False when memory is short, or there are CALENDAR_SLOTS_MAX slots. */
bool calendar_grow(struct calendar *calendar);
/* The slot of a thing that arrives at due_ns, not before what arrived last. */
uint32_t calendar_put(struct calendar *calendar, int64_t due_ns);
/* When the next thing of the opened bucket arrives; TIME_NEVER where there is none. */
static inline int64_t calendar_sorted_ns(const struct calendar *calendar) {
    if (calendar->at == calendar->end) return TIME_NEVER;
    return (calendar->opened << calendar->shift) +
           (int64_t)(calendar->sorted[calendar->at] >> CALENDAR_SLOT_BITS);
}
/* When the next thing arrives; TIME_NEVER where there is none. */
static inline int64_t calendar_next_ns(const struct calendar *calendar) {
    int64_t sorted_ns = calendar_sorted_ns(calendar), soon_ns = queue_next_time(&calendar->soon);
    return sorted_ns <= soon_ns ? sorted_ns : soon_ns;
}
/* The next thing, which must exist, arrives. It keeps its slot until that is released. */
uint32_t calendar_arrive(struct calendar *calendar);
void calendar_release(struct calendar *calendar, uint32_t slot);
/* A slot that probably arrives `ahead` things later, for fetching what belongs to it. */
static inline uint32_t calendar_ahead(const struct calendar *calendar, uint32_t ahead) {
    uint32_t at = calendar->at + ahead;
    return at < calendar->end ? (uint32_t)calendar->sorted[at] & (CALENDAR_SLOTS_MAX - 1) : 0;
}

#endif
