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
/* The middle value, or the mean of the two in the middle. A value that is not known (NaN) counts as larger than
 * all others: what never happened happened late. NaN of none, or where it is in the middle. */
double interval_median(const double *values, size_t count);
/* The sample's standard deviation; NaN of fewer than two, or where a value is not known. */
double interval_deviation(const double *values, size_t count);

#endif
