/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A log-linear histogram of non-negative integers: 32 sub-buckets in each power of two, so a bucket
 * is at most 3.2 % wide; below 64 every value has its own. Merging equals recording everything in
 * one.
 */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <base/types.h>

#define HIST_SUB_BITS 5
#define HIST_BUCKETS 1024 /* values up to 2^36 - 1; larger ones go to the last */

struct hist {
    uint32_t counts[HIST_BUCKETS];
    uint64_t count;
};

static inline uint32_t hist_bucket(uint64_t value) {
    if (value < (1u << (HIST_SUB_BITS + 1))) return (uint32_t)value;
    uint32_t shift = 63u - (uint32_t)__builtin_clzll(value) - HIST_SUB_BITS;
    uint32_t bucket = (shift << HIST_SUB_BITS) + (uint32_t)(value >> shift);
    return bucket < HIST_BUCKETS ? bucket : HIST_BUCKETS - 1;
}
static inline void hist_add(struct hist *hist, uint64_t value) {
    hist->counts[hist_bucket(value)]++;
    hist->count++;
}
uint64_t hist_low(uint32_t bucket);  /* smallest value of a bucket */
uint64_t hist_high(uint32_t bucket); /* largest value of a bucket */
void hist_clear(struct hist *hist);
void hist_merge(struct hist *into, const struct hist *from);
/* Value below which a share q (0..1) of the records lies, linear inside its bucket; 0 when empty.
 */
double hist_quantile(const struct hist *hist, double q);

#endif
