/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear scales and bins of time. Both are plain arithmetic; neither knows cairo. */
#include "plots/scale.h"
#include "plots/ticks.h"

double scale_at(const struct scale *scale, double value) {
    double range = scale->data_high - scale->data_low;
    if (!(range > 0)) return scale->page_low;
    double share = (value - scale->data_low) / range;
    if (!(share > 0)) share = 0;
    if (share > 1) share = 1;
    return scale->page_low + share * (scale->page_high - scale->page_low);
}

double scale_snap(double place) { return (double)floor_div((int64_t)(place * 2 + 1), 2); }

#define ROUND_WIDTHS 100 /* that are tried: above a week there is one each week */

/* A round width that whole samples of least_s fill, so that none lies across an edge; where the
 * ladder has none near, the next multiple. */
static int64_t bin_width(int64_t need_s, int64_t least_s) {
    int64_t width = ticks_time_step(need_s);
    for (int i = 0; i < ROUND_WIDTHS && (i == 0 || 2 * width <= 3 * need_s); i++) {
        if (width % least_s == 0) return width;
        width = ticks_time_step(width + 1);
    }
    return (need_s + least_s - 1) / least_s * least_s;
}

struct bins bins_make(int64_t from_s, int64_t to_s, int64_t wall_zero_s, int64_t least_s,
                      int most) {
    if (to_s <= from_s) to_s = from_s + 1;
    if (most < 1) most = 1;
    if (least_s < 1) least_s = 1;
    int64_t least = (to_s - from_s + most - 1) / most;
    int64_t width = bin_width(least > least_s ? least : least_s, least_s);
    int64_t wall = from_s + wall_zero_s;
    struct bins bins = {.from_s = from_s, .to_s = to_s, .width_s = width};
    bins.first_s = floor_div(wall, width) * width - wall_zero_s;
    bins.count = (int)((to_s - bins.first_s + width - 1) / width);
    return bins;
}

int bins_of(const struct bins *bins, int64_t t_s) {
    int64_t number = floor_div(t_s - bins->first_s, bins->width_s);
    if (number < 0) return 0;
    return number >= bins->count ? bins->count - 1 : (int)number;
}

int64_t bins_begin(const struct bins *bins, int number) {
    int64_t begin = bins->first_s + number * bins->width_s;
    return begin < bins->from_s ? bins->from_s : begin;
}

int64_t bins_end(const struct bins *bins, int number) {
    int64_t end = bins->first_s + (number + 1) * bins->width_s;
    return end > bins->to_s ? bins->to_s : end;
}
