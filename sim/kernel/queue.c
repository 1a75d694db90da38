/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The event set's memory. The heap itself is inline in the header, for the loop's sake.
 * Invariant: capacity >= count, and capacity >= count + extra after a reserve that succeeded.
 */
#include <kernel/queue.h>

#include <base/vector.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(uint128) == 16, "a key is sixteen bytes");

void queue_init(struct queue *queue) { memset(queue, 0, sizeof *queue); }

void queue_deinit(struct queue *queue) {
    free(queue->keys);
    queue_init(queue);
}

bool queue_reserve(struct queue *queue, size_t extra) {
    CHECK(queue->count <= queue->capacity);
    if (extra > QUEUE_SLOTS_MAX - queue->count) return false; /* no slot number is left for it */
    return vector_reserve((void **)&queue->keys, &queue->capacity, queue->count + extra,
                          sizeof *queue->keys);
}

bool queue_is_heap(const struct queue *queue) {
    for (size_t i = 1; i < queue->count; i++)
        if (queue->keys[i] <= queue->keys[(i - 1) / QUEUE_ARITY]) return false;
    return queue->count <= queue->capacity;
}
