/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a case of the benchmark is: the same work twice, by the simulator and by a bare loop written
 * by hand for this one purpose. Both are timed in one process, turn by turn, so that their ratio
 * holds on a machine that others use too.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <base/rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What one side did in one round. */
struct bench_side {
    int64_t cpu_ns;
    uint64_t ops;
    uint64_t check; /* both sides must come to the same */
};

struct bench_case {
    const char *name;
    const char *op; /* what is counted */
    uint64_t size;
    bool checked; /* the two sides' checks are compared */
    bool (*prepare)(const struct bench_case *self);
    void (*ours)(const struct bench_case *self, struct bench_side *out);
    void (*bare)(const struct bench_case *self, struct bench_side *out);
    void (*release)(void);
};

/* The cases, by file. */
extern const struct bench_case bench_mm1;
extern const struct bench_case bench_holds[3];
extern const struct bench_case bench_lookup;
extern const struct bench_case bench_requests[8];
extern const struct bench_case bench_replays[2];

/* Time and memory against keys, partitions and requests, as CSV; and as a picture, if it has a name. */
int bench_scaling(const char *picture);

/* Reads a trace of so many rows (in thousands) through a pipe, and prints what memory that took. */
int bench_stream(uint64_t rows);

int64_t bench_cpu_ns(void); /* of this process */
_Noreturn void bench_fail(const char *what);

/* A unit exponential by the ziggurat: what a fast loop would use. */
void exponential_init(void);
double exponential_tail(struct rng *rng, uint64_t draw);

struct exponential_layer {
    uint64_t inside; /* of 2^53: draws below it lie under the curve for sure */
    double width;
};
extern struct exponential_layer exponential_layers[256];

static inline double exponential(struct rng *rng) {
    uint64_t draw = rng_next(rng);
    const struct exponential_layer *layer = &exponential_layers[draw & 255];
    uint64_t place = draw >> 11;
    if (__builtin_expect(place < layer->inside, 1)) return (double)place * layer->width;
    return exponential_tail(rng, draw);
}

#endif
