/* SPDX-License-Identifier: GPL-3.0-or-later */
/* XXH3 (64 and 128 bits) and splitmix64: frozen functions, equal on every machine. Not for
 * security. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <base/types.h>

struct hash128 {
    uint64_t low, high;
};

uint64_t hash64(const void *bytes, size_t length);        /* XXH3-64, seed 0 */
struct hash128 hash128(const void *bytes, size_t length); /* XXH3-128, seed 0 */
void hash128_hex(struct hash128 hash, char out[33]);      /* canonical, 32 lower-case digits */

static inline uint64_t splitmix64(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A 64-bit draw that depends on all its inputs: for retry jitter, latency and the like, which are
 * asked for out of order. */
static inline uint64_t hash_mix(uint64_t stream_key, uint64_t request, uint64_t attempt) {
    uint64_t state = stream_key ^ (request * UINT64_C(0xd1342543de82ef95));
    (void)splitmix64(&state);
    state ^= attempt * UINT64_C(0xaef17502108ef2d9);
    return splitmix64(&state);
}

#endif
