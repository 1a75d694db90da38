/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A bump allocator with a cap: many small allocations that live and die together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <base/types.h>

struct arena;

/* NULL when memory is short. cap_bytes bounds the sum of all allocations; 0 is no bound. */
struct arena *arena_create(size_t cap_bytes);
void arena_destroy(struct arena *arena);
/* Zeroed, aligned for any type; NULL when memory or the cap is exhausted. Never freed singly. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
char *arena_copy(struct arena *arena, const char *text, size_t length); /* NUL-terminated */
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
