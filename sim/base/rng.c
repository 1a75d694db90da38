/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Seeding of xoshiro256++ (Blackman and Vigna 2019). Each step of a stream's key is a bijection of
 * the part that enters, so two streams that differ in one part alone never share a key. Invariant:
 * a state is never all zero, the one state that xoshiro cannot leave.
 */
#include <base/rng.h>

#include <base/check.h>
#include <base/hash.h>
#include <string.h>

uint64_t rng_stream_key(uint64_t seed, uint32_t replication, const char *name) {
    CHECK(name != NULL && name[0] != '\0');
    uint64_t state = seed;
    state = splitmix64(&state) ^ replication;
    state = splitmix64(&state) ^ hash64(name, strlen(name));
    return splitmix64(&state);
}

void rng_seed(struct rng *rng, uint64_t stream_key) {
    CHECK(rng != NULL);
    uint64_t state = stream_key;
    for (int i = 0; i < 4; i++)
        rng->s[i] = splitmix64(&state);
    CHECK((rng->s[0] | rng->s[1] | rng->s[2] | rng->s[3]) != 0);
}

void rng_fill(struct rng *rng, uint64_t *out, size_t count) {
    CHECK(rng != NULL && (out != NULL || count == 0));
    struct rng local = *rng; /* the compiler may keep it in registers: `out` cannot alias it */
    for (size_t i = 0; i < count; i++)
        out[i] = rng_next(&local);
    *rng = local;
}
