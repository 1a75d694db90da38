/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random streams: xoshiro256++, one for each purpose, seeded through splitmix64 from (seed,
 * replication, XXH3-64 of the stream's name). A new stream shifts no other, so variants of a
 * scenario share their draws and their differences are paired (common random numbers).
 */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <base/types.h>

struct rng {
    uint64_t s[4];
};

/* The key of a named stream: for hash_mix, and what rng_seed expands. */
uint64_t rng_stream_key(uint64_t seed, uint32_t replication, const char *name);
void rng_seed(struct rng *rng, uint64_t stream_key);

static inline uint64_t rng_next(struct rng *rng) {
    uint64_t *s = rng->s;
    uint64_t sum = s[0] + s[3];
    uint64_t result = ((sum << 23) | (sum >> 41)) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = (s[3] << 45) | (s[3] >> 19);
    return result;
}

void rng_fill(struct rng *rng, uint64_t *out, size_t count);

/* A draw as a double in [0, 1), 53 bits; in (0, 1], for logarithms. */
static inline double draw_unit(uint64_t draw) { return (double)(int64_t)(draw >> 11) * 0x1p-53; }
static inline double draw_unit_open(uint64_t draw) {
    return (double)(int64_t)((draw >> 11) + 1) * 0x1p-53;
}
/* A draw as an integer below `bound`: the high word of the product. */
static inline uint64_t draw_below(uint64_t draw, uint64_t bound) {
    return (uint64_t)(((uint128)draw * bound) >> 64);
}
/* True with probability share (billionths). */
static inline bool draw_share(uint64_t draw, int64_t share) {
    return (int64_t)draw_below(draw, (uint64_t)NANO) < share;
}

#endif
