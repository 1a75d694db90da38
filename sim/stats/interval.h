/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean of replications and how far it may be trusted. */
#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include <base/types.h>

struct interval {
    size_t count;
    double mean, low,
        high; /* NaN where the values do not say: mean of none, interval of fewer than 2 */
};

/* Mean with its two-sided Student t confidence interval, for values that are independent and near
 * to normal. confidence lies between 0 and 1, say 0.95. */
struct interval interval_mean(const double *values, size_t count, double confidence);

#endif
