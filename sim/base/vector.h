/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Growing an array by doubling. The array belongs to the caller, who frees it with free(). */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <base/types.h>

/* Makes room for at least `need` elements of `size` bytes at *items; new bytes are zero. False,
 * with *items untouched, when memory is short. */
bool vector_reserve(void **items, size_t *capacity, size_t need, size_t size);

#endif
