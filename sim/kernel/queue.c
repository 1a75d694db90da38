/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event set's far level: a ladder of one rung. All far events are spread over buckets of equal
 * width, as wide as leaves one or two in each; opening a bucket moves its events into the heap. When the
 * last bucket is empty, whatever came behind it is spread anew, so widths follow the load by
 * themselves. The rung reaches four times as far as the median event: a few very late ones do not
 * widen the buckets of all others.
 *
 * Each event is moved a bounded number of times on average, and the heap stays as small as a bucket;
 * where all events are at one time it is one bucket, and the event set is a heap.
 *
 * Invariants: while there are events, one is near; near keys are less than far ones; near and far
 * add up to count; there is room for all of them on either side.
 */
#include <kernel/queue.h>

#include <base/vector.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_MAX 64 /* so many events a heap holds well */
#define NO_NODE UINT32_MAX
#define FREE_KEY (~(uint128)0)
#define SAMPLES 16       /* of times, for the median */
#define REACH 4          /* of a rung, in medians */
#define FETCH_AHEAD 4u   /* buckets whose events are asked for before they are opened */
#define FETCH_FROM 4096u /* nodes: fewer stay in the cache by themselves */

_Static_assert(sizeof(uint128) == 16, "a key is sixteen bytes");

void queue_init(struct queue *queue) {
    *queue = (struct queue){.near_end = UINT64_MAX, .spill_at = NEAR_MAX, .far = {.free = NO_NODE}};
}

void queue_deinit(struct queue *queue) {
    free(queue->keys);
    free(queue->far.nodes);
    free(queue->far.heads);
    queue_init(queue);
}

/* The next power of two: a bucket holds one event or two where they are dense. */
static size_t bucket_count(size_t events) {
    size_t buckets = NEAR_MAX / 2;
    while (buckets < events)
        buckets *= 2;
    return buckets;
}

static bool far_reserve(struct queue_far *far, size_t count) {
    size_t heads = bucket_count(count) + 1 + FETCH_AHEAD;
    return vector_reserve((void **)&far->nodes, &far->capacity, count, sizeof *far->nodes) &&
           vector_reserve((void **)&far->heads, &far->head_capacity, heads, sizeof *far->heads);
}

bool queue_reserve(struct queue *queue, size_t extra) {
    CHECK(queue->count <= queue->capacity);
    if (extra > QUEUE_SLOTS_MAX - queue->count) return false; /* no slot number is left for it */
    size_t count = queue->count + extra;
    if (!vector_reserve((void **)&queue->keys, &queue->capacity, count, sizeof *queue->keys))
        return false;
    return queue->capacity < NEAR_MAX || far_reserve(&queue->far, queue->capacity);
}

/* ---- the heap ---- */

/* The least of the children that start at `first`; a full family is compared without a branch. */
static inline size_t least_child(const uint128 *keys, size_t first, size_t count) {
    if (first + 3 < count) {
        size_t left = first + (keys[first + 1] < keys[first]);
        size_t right = first + 2 + (keys[first + 3] < keys[first + 2]);
        return keys[right] < keys[left] ? right : left;
    }
    size_t least = first;
    for (size_t i = first + 1; i < count; i++)
        if (keys[i] < keys[least]) least = i;
    return least;
}

void queue_sink_deep(struct queue *queue, uint128 key) {
    uint128 *keys = queue->keys;
    size_t hole = 0;
    for (size_t first; (first = QUEUE_ARITY * hole + 1) < queue->near_count;) {
        size_t least = least_child(keys, first, queue->near_count);
        if (key < keys[least]) break;
        keys[hole] = keys[least];
        hole = least;
    }
    keys[hole] = key;
}

static uint64_t biased_time(uint128 key) { return (uint64_t)(key >> 68); }

/* ---- nodes ---- */

static uint32_t node_take(struct queue_far *far) {
    uint32_t node = far->free;
    if (node == NO_NODE) {
        CHECK(far->top < far->capacity);
        return far->top++;
    }
    far->free = far->nodes[node].next;
    return node;
}

static void node_release(struct queue_far *far, uint32_t node) {
    far->nodes[node] = (struct queue_node){.key = FREE_KEY, .next = far->free};
    far->free = node;
}

static void node_link(struct queue_far *far, uint32_t node) {
    uint64_t bucket = (biased_time(far->nodes[node].key) - far->start) >> far->shift;
    uint32_t *head = &far->heads[bucket < far->buckets ? bucket : far->buckets];
    far->nodes[node].next = *head;
    *head = node;
}

void queue_far_put(struct queue *queue, uint128 key) {
    struct queue_far *far = &queue->far;
    uint32_t node = node_take(far);
    CHECK_DEBUG(!queue_key_is_near(queue, key));
    far->nodes[node].key = key;
    node_link(far, node);
}

/* ---- the rung ---- */

/* From the sampled times: insertion keeps them sorted. */
static uint64_t median_of(const struct queue_far *far) {
    uint64_t times[SAMPLES];
    size_t count = 0;
    uint32_t stride = far->top / SAMPLES + 1;
    for (uint32_t node = 0; node < far->top; node += stride) {
        if (far->nodes[node].key == FREE_KEY) continue;
        uint64_t time = biased_time(far->nodes[node].key);
        size_t at = count++;
        for (; at > 0 && times[at - 1] > time; at--)
            times[at] = times[at - 1];
        times[at] = time;
    }
    return count > 0 ? times[count / 2] : 0;
}

static uint64_t earliest_of(const struct queue_far *far) {
    uint128 least = FREE_KEY;
    for (uint32_t node = 0; node < far->top; node++)
        if (far->nodes[node].key < least) least = far->nodes[node].key;
    CHECK(least != FREE_KEY);
    return biased_time(least);
}

/* Spreads all far events, which are all there are. */
static void spread(struct queue *queue) {
    struct queue_far *far = &queue->far;
    CHECK(queue->near_count == 0 && queue->count > 0);
    uint64_t median = median_of(far);
    far->start = earliest_of(far);
    uint64_t span = median > far->start ? REACH * (median - far->start) : 1;
    far->buckets = (uint32_t)bucket_count(queue->count);
    far->opened = far->shift = 0;
    while (span >> far->shift > far->buckets)
        far->shift++;
    CHECK(far->buckets + 1 + FETCH_AHEAD <= far->head_capacity);
    memset(far->heads, 0xff, (far->buckets + 1 + FETCH_AHEAD) * sizeof *far->heads);
    for (uint32_t node = 0; node < far->top; node++)
        if (far->nodes[node].key != FREE_KEY) node_link(far, node);
}

/* All come near, and everything is near from now on. */
static void gather(struct queue *queue) {
    struct queue_far *far = &queue->far;
    for (uint32_t node = 0; node < far->top; node++)
        if (far->nodes[node].key != FREE_KEY) queue_near_put(queue, far->nodes[node].key);
    far->top = 0;
    far->free = NO_NODE;
    far->buckets = far->opened = 0;
    queue->near_end = UINT64_MAX;
    CHECK(queue->near_count == queue->count);
}

/* Later buckets' events lie anywhere in memory: the first of one, and the second of a nearer one; what they need
 * may lie anywhere too. In line: gcc drops calls of functions that do nothing but this. */
static inline __attribute__((always_inline)) void fetch_ahead(const struct queue *queue,
                                                              uint32_t bucket) {
    const struct queue_far *far = &queue->far;
    uint32_t first = far->heads[bucket + FETCH_AHEAD];
    uint32_t nearer = far->heads[bucket + FETCH_AHEAD / 2];
    if (first != NO_NODE) __builtin_prefetch(&far->nodes[first]);
    if (nearer != NO_NODE && far->nodes[nearer].next != NO_NODE)
        __builtin_prefetch(&far->nodes[far->nodes[nearer].next]);
    if (!queue->soon) return;
    for (uint32_t node = nearer; node != NO_NODE; node = far->nodes[node].next)
        queue->soon(queue->soon_context, queue_key_slot(far->nodes[node].key));
}

/* Opens the next bucket that holds something; false where there is none. */
static bool open_bucket(struct queue *queue) {
    struct queue_far *far = &queue->far;
    while (far->opened < far->buckets) {
        uint32_t bucket = far->opened++;
        if (far->top >= FETCH_FROM) fetch_ahead(queue, bucket);
        uint32_t node = far->heads[bucket];
        if (node == NO_NODE) continue;
        while (node != NO_NODE) {
            uint32_t next = far->nodes[node].next;
            queue_near_put(queue, far->nodes[node].key);
            node_release(far, node);
            node = next;
        }
        queue->near_end = (far->start + ((uint64_t)far->opened << far->shift)) << 4;
        return true;
    }
    return false;
}

void queue_refill(struct queue *queue) {
    CHECK(queue->near_count == 0);
    while (!open_bucket(queue)) {
        if (queue->count < NEAR_MAX / 2) {
            gather(queue);
            break;
        }
        spread(queue);
    }
    queue->spill_at = 2 * queue->near_count > NEAR_MAX ? 2 * queue->near_count : NEAR_MAX;
}

/* The heap has doubled since it was filled. Worth spreading only if that is most of all events. */
void queue_spill(struct queue *queue) {
    if (queue->near_count < queue->count / 2) {
        queue->spill_at = queue->count / 2;
        return;
    }
    struct queue_far *far = &queue->far;
    for (size_t i = 0; i < queue->near_count; i++)
        far->nodes[node_take(far)].key = queue->keys[i];
    queue->near_count = 0;
    spread(queue);
    queue_refill(queue);
}

void queue_replace_by_far(struct queue *queue, uint128 key) {
    queue_far_put(queue, key);
    queue_near_drop(queue);
}

bool queue_is_heap(const struct queue *queue) {
    size_t far_count = 0;
    for (size_t i = 1; i < queue->near_count; i++)
        if (queue->keys[i] <= queue->keys[(i - 1) / QUEUE_ARITY]) return false;
    for (uint32_t node = 0; node < queue->far.top; node++) {
        if (queue->far.nodes[node].key == FREE_KEY) continue;
        if (queue_key_is_near(queue, queue->far.nodes[node].key)) return false;
        far_count++;
    }
    return queue->near_count + far_count == queue->count && queue->count <= queue->capacity;
}
