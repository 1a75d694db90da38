/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Properties: a function that must hold for many random cases. Every case has a random stream of
 * its own, made from (seed, case number), so a failing case can be repeated alone: prop_case(). A
 * property returns false through PROP_CHECK, which says what did not hold; the loop then says which
 * case it was.
 */
#ifndef TESTS_SUPPORT_PROP_H
#define TESTS_SUPPORT_PROP_H

#include <base/rng.h>
#include <inttypes.h>
#include <support/cmocka.h>

typedef bool prop_fn(struct rng *rng);

#define PROP_CHECK(expression)                                                          \
    do {                                                                                \
        if (!(expression)) {                                                            \
            print_error("%s:%d: does not hold: %s\n", __FILE__, __LINE__, #expression); \
            return false;                                                               \
        }                                                                               \
    } while (0)

static inline bool prop_case(prop_fn *property, uint64_t seed, uint32_t number) {
    struct rng rng;
    rng_seed(&rng, rng_stream_key(seed, number, "property"));
    return property(&rng);
}

static inline void prop_run(const char *name, prop_fn *property, uint64_t seed, uint32_t cases) {
    print_message("%s: seed %" PRIu64 ", %" PRIu32 " cases\n", name, seed, cases);
    for (uint32_t i = 0; i < cases; i++) {
        if (prop_case(property, seed, i)) continue;
        print_error("%s fails: seed %" PRIu64 ", case %" PRIu32 "\n", name, seed, i);
        fail();
    }
}

/* An integer in [low, high]. */
static inline int64_t prop_between(struct rng *rng, int64_t low, int64_t high) {
    uint64_t span = (uint64_t)high - (uint64_t)low;
    if (span == UINT64_MAX) return (int64_t)rng_next(rng);
    return (int64_t)((uint64_t)low + draw_below(rng_next(rng), span + 1));
}

/* An integer in [0, 2^bits), each length in bits as likely as the others: small ones are common. */
static inline uint64_t prop_magnitude(struct rng *rng, uint32_t bits) {
    uint32_t length = (uint32_t)draw_below(rng_next(rng), bits + 1);
    return length == 0 ? 0 : rng_next(rng) >> (64 - length);
}

#endif
