/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where an axis is labelled. Only + - x / and comparisons: the same ticks on every machine. */
#ifndef PLOTS_TICKS_H
#define PLOTS_TICKS_H

#include <base/types.h>

struct ticks {
    double first, step;
    int count;
    int decimals; /* that a label needs to be exact */
};

/*
 * Round labels for low..high, about `wanted` of them, by Talbot, Lin and Hanrahan's search. loose:
 * the labels enclose the range (an axis that grows to its last label); otherwise all lie inside it.
 * An empty or unordered range is widened first.
 */
struct ticks ticks_linear(double low, double high, int wanted, bool loose);
/* How many labels at most it makes where so many are wanted. */
int ticks_most(int wanted);
double ticks_at(const struct ticks *ticks, int number);
static inline double ticks_last(const struct ticks *ticks) {
    return ticks_at(ticks, ticks->count - 1);
}

struct time_ticks {
    int64_t first_s, step_s;
    int count;
};

/* Times on the wall clock's round minutes, hours, days; wall seconds. At most `most` (1 or more).
 */
struct time_ticks ticks_time(int64_t wall_from_s, int64_t wall_to_s, int most);

/* The smallest step of the same ladder that is at least this long. */
int64_t ticks_time_step(int64_t at_least_s);

#endif
