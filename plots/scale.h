/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From data to places on the page, and cells that cover time without gaps. */
#ifndef PLOTS_SCALE_H
#define PLOTS_SCALE_H

#include <base/types.h>

struct scale {
    double data_low, data_high;
    double page_low, page_high; /* page_low may lie below page_high on the page: y runs downwards */
};

/* An empty data range maps everything to page_low. Values outside are held at the ends. */
double scale_at(const struct scale *scale, double value);
/* To the nearest whole point: edges of cells and bars, which then meet without blur. */
double scale_snap(double place);

/*
 * Bins of time on the wall clock: bin 0 holds from_s and begins at first_s, a whole multiple of the
 * width on the wall clock, so that minutes are the console's minutes.
 */
struct bins {
    int64_t from_s, to_s;
    int64_t first_s, width_s;
    int count;
};

/* The narrowest round width, a multiple of least_s, that makes at most `most` bins (one more where
 * the ends are cut). */
struct bins bins_make(int64_t from_s, int64_t to_s, int64_t wall_zero_s, int64_t least_s, int most);
int bins_of(const struct bins *bins, int64_t t_s);
/* The part of a bin inside from_s..to_s. */
int64_t bins_begin(const struct bins *bins, int number);
int64_t bins_end(const struct bins *bins, int number);

#endif
