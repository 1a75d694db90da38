/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event set, in two levels: the near events in a 4-ary heap of packed 16-byte keys, the far ones
 * unsorted in buckets of time (queue.c), which are opened one after the other. Up to a few dozen events
 * all are near. A key orders by time, then class, then sequence of insertion, and carries the slot of
 * the event's payload; it is compared as one 128-bit integer, so no two keys are equal, order never
 * depends on an address, and it is the same however near and far are divided.
 *
 *   bits 127..68 time (biased, so that negative times order too)   60
 *   bits  67..64 class                                              4
 *   bits  63..24 sequence                                          40
 *   bits  23..0  slot                                              24
 */
#ifndef KERNEL_QUEUE_H
#define KERNEL_QUEUE_H

#include <base/check.h>
#include <base/types.h>

#define QUEUE_ARITY 4
#define QUEUE_SLOTS_MAX (1u << 24)
#define QUEUE_SEQUENCE_MAX (UINT64_C(1) << 40)
#define QUEUE_TIME_BIAS (INT64_C(1) << 58)
#define QUEUE_TIME_MIN (-QUEUE_TIME_BIAS)
#define QUEUE_TIME_END (INT64_C(1) << 59)

/* The far events. Bucket b holds times from start + (b << shift) on; the one behind the last, `buckets`,
 * whatever comes later. A free node has all bits set, which no key has. */
struct queue_far {
    struct queue_node {
        uint128 key;
        uint32_t next;
    } * nodes;
    size_t capacity;
    uint32_t top, free; /* nodes ever used; head of the list of those that are free again */
    uint32_t *heads;    /* of each bucket */
    size_t head_capacity;
    uint32_t buckets, opened; /* buckets before `opened` are empty */
    uint32_t shift;
    uint64_t start; /* a time as keys have it: biased */
};

/* The event in this slot is due before long: whoever knows where what it needs lies may fetch it. */
typedef void queue_soon_fn(void *context, uint32_t slot);

struct queue {
    uint128 *keys; /* near: the heap */
    size_t near_count, count, capacity;
    uint64_t near_end; /* the high word of a key from which events are far */
    size_t spill_at;   /* near events are too many from here on */
    uint64_t sequence;
    struct queue_far far;
    queue_soon_fn *soon; /* told of far events where they are many; NULL: nobody */
    void *soon_context;
};

void queue_init(struct queue *queue);
void queue_deinit(struct queue *queue);
/* Room for `extra` more pushes. False when memory is short. Call between events, never inside one.
 */
bool queue_reserve(struct queue *queue, size_t extra);
/* Every near key is greater than its parent's, every far one not near: for tests and the debug tier. */
bool queue_is_heap(const struct queue *queue);
/* Parts of what follows that are seldom needed. */
void queue_far_put(struct queue *queue, uint128 key);
void queue_refill(struct queue *queue);
void queue_spill(struct queue *queue);
void queue_sink_deep(struct queue *queue, uint128 key);
void queue_replace_by_far(struct queue *queue, uint128 key);

static inline int64_t queue_key_time(uint128 key) {
    return (int64_t)(uint64_t)(key >> 68) - QUEUE_TIME_BIAS;
}
static inline uint32_t queue_key_class(uint128 key) { return (uint32_t)(key >> 64) & 15u; }
static inline uint32_t queue_key_slot(uint128 key) { return (uint32_t)key & (QUEUE_SLOTS_MAX - 1); }
static inline int64_t queue_next_time(const struct queue *queue) {
    return queue->count ? queue_key_time(queue->keys[0]) : TIME_NEVER;
}
/* Needs one. */
static inline uint32_t queue_next_slot(const struct queue *queue) {
    return queue_key_slot(queue->keys[0]);
}

/* A key with the next sequence number. */
static inline uint128 queue_new_key(struct queue *queue, int64_t time_ns, uint32_t class,
                                    uint32_t slot) {
    CHECK_DEBUG(time_ns >= QUEUE_TIME_MIN && time_ns < QUEUE_TIME_END);
    CHECK_DEBUG(class < 16 && slot < QUEUE_SLOTS_MAX);
    CHECK(queue->sequence < QUEUE_SEQUENCE_MAX);
    uint64_t high = (uint64_t)(time_ns + QUEUE_TIME_BIAS) << 4 | class;
    return (uint128)high << 64 | queue->sequence++ << 24 | slot;
}

/* Puts a key in the root's place and lets it sink to where it belongs. One clock or two, where which is next
 * is a coin toss, go without a branch on the keys. */
static inline void queue_sink(struct queue *queue, uint128 key) {
    uint128 *keys = queue->keys;
    if (queue->near_count > 2) {
        queue_sink_deep(queue, key);
    } else if (queue->near_count == 2) {
        uint128 other = keys[1];
        bool is_first = key < other;
        keys[0] = is_first ? key : other;
        keys[1] = is_first ? other : key;
    } else {
        keys[0] = key;
    }
}

static inline void queue_near_put(struct queue *queue, uint128 key) {
    uint128 *keys = queue->keys;
    size_t hole = queue->near_count++;
    if (hole > 0 &&
        hole <=
            QUEUE_ARITY) { /* below the root: which is less is a coin toss, so without a branch */
        uint128 root = keys[0];
        bool is_first = key < root;
        keys[0] = is_first ? key : root;
        keys[hole] = is_first ? root : key;
        return;
    }
    for (size_t parent; hole > 0 && key < keys[parent = (hole - 1) / QUEUE_ARITY]; hole = parent)
        keys[hole] = keys[parent];
    keys[hole] = key;
}

static inline bool queue_key_is_near(const struct queue *queue, uint128 key) {
    return (uint64_t)(key >> 64) < queue->near_end;
}

/* Needs room. QUEUE_TIME_MIN <= time_ns < QUEUE_TIME_END, class < 16, slot < QUEUE_SLOTS_MAX. */
static inline void queue_push(struct queue *queue, int64_t time_ns, uint32_t class, uint32_t slot) {
    CHECK_DEBUG(queue->count < queue->capacity);
    uint128 key = queue_new_key(queue, time_ns, class, slot);
    queue->count++;
    if (!queue_key_is_near(queue, key)) {
        queue_far_put(queue, key);
        return;
    }
    queue_near_put(queue, key);
    if (queue->near_count >= queue->spill_at) queue_spill(queue);
}

static inline uint32_t queue_unpack(uint128 key, int64_t *time_ns, uint32_t *class) {
    *time_ns = queue_key_time(key);
    *class = queue_key_class(key);
    return queue_key_slot(key);
}

/* The root goes; when it was the last near one, far ones come near, or all that is to come will be. */
static inline void queue_near_drop(struct queue *queue) {
    uint128 last = queue->keys[--queue->near_count];
    if (queue->near_count > 0)
        queue_sink(queue, last);
    else
        queue_refill(queue);
}

/* Drops the least key, which must exist. */
static inline void queue_drop(struct queue *queue) {
    CHECK_DEBUG(queue->near_count > 0);
    queue->count--;
    queue_near_drop(queue);
}

/* The least key, which must exist, leaves; returns its slot. */
static inline uint32_t queue_pop(struct queue *queue, int64_t *time_ns, uint32_t *class) {
    uint128 least = queue->keys[0];
    queue_drop(queue);
    return queue_unpack(least, time_ns, class);
}

/* Puts a new key in the place of the least, which must exist: cheaper than a pop and a push. */
static inline void queue_replace(struct queue *queue, int64_t time_ns, uint32_t class,
                                 uint32_t slot) {
    CHECK_DEBUG(queue->near_count > 0);
    uint128 key = queue_new_key(queue, time_ns, class, slot);
    if (queue_key_is_near(queue, key))
        queue_sink(queue, key);
    else
        queue_replace_by_far(queue, key);
}

#endif
