/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The log-linear histogram. Buckets 0..63 hold one value each; bucket 32 k + j (k >= 2, 0 <= j <
 * 32) holds the 2^(k-1) values from (32 + j) 2^(k-1). Invariants: buckets tile [0, 2^36); count is
 * the sum of counts.
 */
#include <base/hist.h>

#include <base/check.h>
#include <string.h>

#define SUB_BUCKETS (1u << HIST_SUB_BITS)

_Static_assert(HIST_BUCKETS % SUB_BUCKETS == 0, "the last power of two is whole");

static uint32_t width_bits(uint32_t bucket) {
    return bucket < 2 * SUB_BUCKETS ? 0 : bucket / SUB_BUCKETS - 1;
}

uint64_t hist_low(uint32_t bucket) {
    CHECK(bucket < HIST_BUCKETS);
    uint32_t shift = width_bits(bucket);
    return (uint64_t)(bucket - shift * SUB_BUCKETS) << shift;
}

uint64_t hist_high(uint32_t bucket) {
    CHECK(bucket < HIST_BUCKETS);
    return hist_low(bucket) + (UINT64_C(1) << width_bits(bucket)) - 1;
}

void hist_clear(struct hist *hist) { memset(hist, 0, sizeof *hist); }

void hist_merge(struct hist *into, const struct hist *from) {
    CHECK(into != NULL && from != NULL);
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        CHECK(from->counts[i] <= UINT32_MAX - into->counts[i]);
        into->counts[i] += from->counts[i];
    }
    into->count += from->count;
}

double hist_quantile(const struct hist *hist, double q) {
    CHECK(hist != NULL && q >= 0 && q <= 1);
    double rank = q * (double)hist->count;
    uint64_t below = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++) {
        uint32_t here = hist->counts[i];
        if (here == 0) continue;
        last = i;
        if ((double)(below + here) >= rank) {
            double part = (rank - (double)below) / here;
            return (double)hist_low(i) + part * (double)(hist_high(i) - hist_low(i));
        }
        below += here;
    }
    CHECK(below == hist->count);
    return hist->count ? (double)hist_high(last) : 0;
}
