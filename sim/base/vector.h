/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing an array by doubling. The array belongs to the caller, who frees it with free(). */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <base/types.h>

/* What the two below do where there is no room yet. */
bool vector_grow(void **items, size_t *capacity, size_t need, size_t size, bool zeroed);

/* Makes room for at least `need` elements of `size` bytes at *items; new bytes are zero. False,
 * with *items untouched, when memory is short. */
static inline bool vector_reserve(void **items, size_t *capacity, size_t need, size_t size) {
    return need <= *capacity || vector_grow(items, capacity, need, size, true);
}

/* The same where new bytes may hold anything: memory that is never used is never touched. */
static inline bool vector_reserve_raw(void **items, size_t *capacity, size_t need, size_t size) {
    return need <= *capacity || vector_grow(items, capacity, need, size, false);
}

#endif
