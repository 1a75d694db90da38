/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Doubling growth: n appended elements cost O(n) copies. Invariant: capacity never shrinks. */
#include <base/vector.h>

#include <base/check.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 8

bool vector_grow(void **items, size_t *capacity, size_t need, size_t size, bool zeroed) {
    CHECK(items != NULL && capacity != NULL && size > 0);
    CHECK((*items == NULL) == (*capacity == 0) && need > *capacity);
    size_t grown = *capacity < FIRST_CAPACITY ? FIRST_CAPACITY : *capacity;
    while (grown < need)
        grown = grown > SIZE_MAX / 2 ? need : grown * 2;
    size_t bytes;
    if (__builtin_mul_overflow(grown, size, &bytes) || bytes > PTRDIFF_MAX) return false;
    char *moved = realloc(*items, bytes);
    if (!moved) return false;
    if (zeroed) memset(moved + *capacity * size, 0, (grown - *capacity) * size);
    *items = moved;
    *capacity = grown;
    return true;
}
