/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A bump allocator: blocks in a list, the newest one is filled, all are freed together.
 * Invariants: used_bytes never exceeds cap_bytes where there is a cap; what was handed out is zero
 * and aligned for any type; the newest block always has used <= size.
 */
#include <base/arena.h>

#include <base/check.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT _Alignof(max_align_t)
#define FIRST_BLOCK_BYTES ((size_t)4 << 10)
#define LARGEST_BYTES ((size_t)PTRDIFF_MAX - (1 << 10)) /* what C can index, and a header */
#define LARGEST_BLOCK_BYTES ((size_t)1 << 20)

struct block {
    struct block *older;
    size_t size, used;
    max_align_t bytes[];
};

struct arena {
    struct block *newest;
    size_t cap_bytes, used_bytes;
    size_t next_block_bytes;
};

struct arena *arena_create(size_t cap_bytes) {
    struct arena *arena = calloc(1, sizeof *arena);
    if (!arena) return NULL;
    arena->cap_bytes = cap_bytes;
    arena->next_block_bytes = FIRST_BLOCK_BYTES;
    return arena;
}

void arena_destroy(struct arena *arena) {
    if (!arena) return;
    for (struct block *block = arena->newest; block;) {
        struct block *older = block->older;
        free(block);
        block = older;
    }
    free(arena);
}

/* A new block with room for `bytes`; blocks double, so that n bytes need log n of them. */
static struct block *add_block(struct arena *arena, size_t bytes) {
    size_t size = bytes > arena->next_block_bytes ? bytes : arena->next_block_bytes;
    struct block *block = calloc(1, sizeof *block + size);
    if (!block) return NULL;
    block->size = size;
    block->older = arena->newest;
    arena->newest = block;
    if (arena->next_block_bytes < LARGEST_BLOCK_BYTES) arena->next_block_bytes *= 2;
    return block;
}

/* The bytes to take for count elements, rounded up to the alignment; 0 where no size_t holds them.
 */
static size_t rounded_bytes(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return 0;
    if (bytes == 0) bytes = 1; /* an empty array still has an address of its own */
    if (bytes > LARGEST_BYTES) return 0;
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size) {
    CHECK(arena != NULL);
    size_t bytes = rounded_bytes(count, size);
    if (bytes == 0) return NULL;
    CHECK(arena->cap_bytes == 0 || arena->used_bytes <= arena->cap_bytes);
    if (arena->cap_bytes && bytes > arena->cap_bytes - arena->used_bytes) return NULL;
    struct block *block = arena->newest;
    if (!block || bytes > block->size - block->used) block = add_block(arena, bytes);
    if (!block) return NULL;
    void *result = (char *)block->bytes + block->used;
    block->used += bytes;
    arena->used_bytes += bytes;
    CHECK(block->used <= block->size);
    return result;
}

char *arena_copy(struct arena *arena, const char *text, size_t length) {
    CHECK(text != NULL || length == 0);
    if (length == SIZE_MAX) return NULL;
    char *copy = arena_alloc(arena, length + 1, 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    CHECK(length >= 0);
    char *text = arena_alloc(arena, (size_t)length + 1, 1);
    if (text) vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
