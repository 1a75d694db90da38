/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Student's t interval: mean +- t(1 - (1 - confidence) / 2, n - 1) x s / sqrt(n), with the quantile
 * by GSL. Values are summed in the order given, so equal input gives equal bits on one machine;
 * what is computed here is read by people and takes no part in a run's digest. Invariants: low <=
 * mean <= high; equal values make an interval of no width.
 */
#include <stats/interval.h>

#include <base/check.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

struct interval interval_mean(const double *values, size_t count, double confidence) {
    CHECK(confidence > 0 && confidence < 1);
    CHECK(values != NULL || count == 0);
    struct interval interval = {.count = count, .mean = NAN, .low = NAN, .high = NAN};
    if (count == 0) return interval;
    double mean = 0, squares = 0; /* Welford: the sum of squares never cancels */
    for (size_t i = 0; i < count; i++) {
        double step = values[i] - mean;
        mean += step / (double)(i + 1);
        squares += step * (values[i] - mean);
    }
    interval.mean = mean;
    if (count == 1) return interval;
    double freedom = (double)(count - 1);
    double error = sqrt(squares / freedom / (double)count);
    double half = gsl_cdf_tdist_Pinv(1 - (1 - confidence) / 2, freedom) * error;
    CHECK(!(half < 0));
    interval.low = mean - half;
    interval.high = mean + half;
    return interval;
}

/* How many values rank before values[i]: smaller ones, and equal ones that stand before it. */
static size_t rank_of(const double *values, size_t count, size_t i) {
    size_t rank = 0;
    for (size_t j = 0; j < count; j++) {
        bool smaller = isnan(values[i]) ? !isnan(values[j]) : values[j] < values[i];
        bool equal = isnan(values[i]) ? isnan(values[j]) : values[j] == values[i];
        rank += smaller || (equal && j < i);
    }
    return rank;
}

/* Few values: no copy to sort is worth an allocation that may fail. */
double interval_median(const double *values, size_t count) {
    double sum = 0;
    if (count == 0) return NAN;
    for (size_t i = 0; i < count; i++) {
        size_t rank = rank_of(values, count, i);
        if (rank == (count - 1) / 2) sum += values[i];
        if (rank == count / 2) sum += values[i];
    }
    return sum / 2;
}

double interval_deviation(const double *values, size_t count) {
    return count < 2 ? NAN : gsl_stats_sd(values, 1, count);
}
