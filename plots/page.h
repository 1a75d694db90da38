/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture's page: title, subtitle and footer around the space where a chart draws, and its axes.
 */
#ifndef PLOTS_PAGE_H
#define PLOTS_PAGE_H

#include <plots/labels.h>
#include <plots/scale.h>
#include <plots/text.h>
#include <plots/theme.h>
#include <plots/ticks.h>

struct box {
    double x, y, width, height;
};

struct page {
    cairo_t *cr;
    struct text_pen pen;
    const struct theme *theme;
    struct labels labels;
    double width, height;
    struct box content; /* set by page_frame: where the chart draws */
};

#define PAGE_TICK_SIZE 10.0
#define PAGE_LABEL_SIZE 11.0
#define PAGE_AXIS_HEIGHT 18.0 /* under a plot, for the time axis */

/* Paper, title and subtitle lines; sets content. The title is set smaller where it would take more
 * than two lines; low pages go without `what`. */
void page_frame(struct page *page, const char *title, const char *what, const char *provenance);
/* reserved: what a legend takes at the right end of the line. A footer that does not fit beside it
 * is shortened to its part after the dot, or left out, but never cut. */
void page_footer(const struct page *page, const char *footer, double reserved);
/* About what page_frame's texts take above and below the content. */
double page_words_height(double page_height);

/* One line, ellipsised to width. */
void page_text(const struct page *page, const struct text_style *style, double x, double y,
               double width, const char *text);

void page_ink(const struct page *page, struct colour colour);
void page_fill(const struct page *page, struct colour colour, struct box box);
/* Straight, from one place to another; dashed with dash > 0. */
void page_line(const struct page *page, struct colour colour, double width, double dash, double x0,
               double y0, double x1, double y1);
/* Wall-clock labels under the box. */
void page_time_axis(const struct page *page, struct box box, const struct query_run *run,
                    const struct scale *time);
/* The width of the widest of an axis' labels. */
double page_value_width(const struct page *page, const struct ticks *ticks);
/* Grid lines and their labels left of the box, the axis name above it. */
void page_value_axis(const struct page *page, struct box box, const struct ticks *ticks,
                     const struct scale *values, const char *name);

#endif
