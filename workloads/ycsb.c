/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models YCSB's zipfian (ycsb.h; docs/model.md, M-126). A uniform draw u becomes rank 0 below 1 / zeta, rank 1 below (1 + 1/2^theta) / zeta,
 * else floor(items x (eta u - eta + 1)^alpha): the probability of a rank is the length of the stretch of u that gives
 * it. Invariant: the weights of all ranks sum to one.
 */
#include <workloads/ycsb.h>

#include <base/check.h>
#include <base/dmath.h>

#define ITEMS 10000000001.0 /* 0 to 10^10, both included */
#define THETA 0.99
#define ZETA 26.46902820178302
#define FNV_OFFSET UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(1099511628211)

/* The least draw that gives a rank of at least `rank`. */
static double draw_of(double rank) {
    double half = dmath_pow(0.5, THETA);
    double eta = (1 - dmath_pow(2 / ITEMS, 1 - THETA)) / (1 - (1 + half) / ZETA);
    double first = (1 + half) / ZETA; /* below it ranks are 0 and 1 */
    double u = (dmath_pow(rank / ITEMS, 1 - THETA) + eta - 1) / eta;
    return u > first ? u : first;
}

double ycsb_weight(uint64_t rank) {
    CHECK(rank < YCSB_RANKS);
    if (rank == 0) return 1 / ZETA;
    /* The quick method may mean rank 0 or 1 beyond their own stretches too. */
    double own = draw_of((double)rank + 1) - draw_of((double)rank);
    return rank == 1 ? dmath_pow(0.5, THETA) / ZETA + own : own;
}

double ycsb_tail_weight(void) { return 1 - draw_of((double)YCSB_RANKS); }

uint64_t ycsb_place(uint64_t rank, uint64_t keyspace) {
    uint64_t hash = FNV_OFFSET;
    CHECK(keyspace > 0);
    for (int i = 0; i < 8; i++) {
        hash ^= rank & 0xff;
        hash *= FNV_PRIME;
        rank >>= 8;
    }
    /* As a signed number without its sign. */
    if (hash >> 63) hash = -hash;
    return hash % keyspace;
}
