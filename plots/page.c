/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of every picture. Text that does not fit is wrapped or ellipsised, never drawn over its
 * neighbours; the first and the last label of an axis turn inwards so that they stay inside the
 * box.
 */
#include <plots/page.h>

#include <stdio.h>
#include <string.h>

#define MARGIN 20.0
#define TITLE_SIZE 17.0
#define TITLE_LINE 22.0
#define SUBTITLE_LINE 15.0
#define FOOTER_SIZE 10.0
#define FOOTER_HEIGHT 24.0
#define LABEL_GAP 6.0

void page_text(const struct page *page, const struct text_style *style, double x, double y,
               double width, const char *text) {
    char fitted[LABEL_BYTES];
    text_fit(&page->pen, style, width, text, fitted, sizeof fitted);
    text_draw(&page->pen, style, x, y, fitted);
}

void page_ink(const struct page *page, struct colour colour) {
    cairo_set_source_rgb(page->cr, colour.red / 255.0, colour.green / 255.0, colour.blue / 255.0);
}

void page_fill(const struct page *page, struct colour colour, struct box box) {
    page_ink(page, colour);
    cairo_rectangle(page->cr, box.x, box.y, box.width, box.height);
    cairo_fill(page->cr);
}

void page_line(const struct page *page, struct colour colour, double width, double dash, double x0,
               double y0, double x1, double y1) {
    double dashes[] = {dash, dash * 0.6};
    page_ink(page, colour);
    cairo_set_line_width(page->cr, width);
    cairo_set_dash(page->cr, dashes, dash > 0 ? 2 : 0, 0);
    cairo_move_to(page->cr, x0, y0);
    cairo_line_to(page->cr, x1, y1);
    cairo_stroke(page->cr);
    cairo_set_dash(page->cr, NULL, 0, 0);
}

static int lines_of(const struct page *page, const struct text_style *style, double width,
                    const char *text) {
    int lines = 0;
    for (; *text; lines++) {
        text += text_break(&page->pen, style, width, text);
        text += strspn(text, " ");
    }
    return lines;
}

/* The narrowest width that needs no more lines: no line is left with a single word. */
static double balanced(const struct page *page, const struct text_style *style, double width,
                       const char *text) {
    int lines = lines_of(page, style, width, text);
    double narrow = width;
    while (narrow > width / 3 && lines_of(page, style, narrow - 8, text) <= lines)
        narrow -= 8;
    return narrow;
}

/* A text on at most `most` lines, the last ellipsised; returns where the next line stands. */
static double wrapped(const struct page *page, const struct text_style *style, double y,
                      double line, int most, const char *text) {
    char clean[LABEL_BYTES], part[LABEL_BYTES];
    double width = page->width - 2 * MARGIN;
    text_clean(text, clean, sizeof clean);
    if (lines_of(page, style, width, clean) == most) width = balanced(page, style, width, clean);
    const char *at = clean;
    for (int i = 1; *at; i++, y += line) {
        size_t length = text_break(&page->pen, style, width, at);
        if (i == most || at[length] == '\0') {
            page_text(page, style, MARGIN, y, page->width - 2 * MARGIN, at);
            return y + line;
        }
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        text_draw(&page->pen, style, MARGIN, y, part);
        at += length + strspn(at + length, " ");
    }
    return y;
}

void page_frame(struct page *page, const char *title, const char *what, const char *provenance,
                const char *footer) {
    const struct theme *theme = page->theme;
    page_fill(page, theme->paper, (struct box){0, 0, page->width, page->height});
    struct text_style head = text_style_of(TITLE_SIZE, true, TEXT_START, theme->ink);
    struct text_style sub = text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, theme->secondary);
    double y = wrapped(page, &head, MARGIN + 13, TITLE_LINE, 2, title);
    y = wrapped(page, &sub, y - 2, SUBTITLE_LINE, 2, what);
    y = wrapped(page, &sub, y, SUBTITLE_LINE, 1, provenance);
    struct text_style foot = text_style_of(FOOTER_SIZE, false, TEXT_START, theme->secondary);
    page_text(page, &foot, MARGIN, page->height - 12, page->width * 0.45, footer);
    double bottom = page->height - FOOTER_HEIGHT - 6;
    page->content = (struct box){MARGIN, y - 4, page->width - 2 * MARGIN, bottom - (y - 4)};
    if (page->content.height < 1) page->content.height = 1;
}

static void time_label(const struct page *page, const struct query_run *run, int64_t wall_s,
                       int64_t step_s, bool dated, char out[LABEL_NUMBER_BYTES]) {
    int64_t day = 86400, of_day = wall_s - floor_div(wall_s, day) * day;
    if (dated && (of_day == 0 || step_s >= day)) {
        label_day(&page->labels, wall_s, out);
        return;
    }
    char clock[QUERY_CLOCK_BYTES];
    query_clock(run, wall_s - run->start_unix_s - run->utc_offset_s, step_s < 60, clock);
    snprintf(out, LABEL_NUMBER_BYTES, "%s", clock);
}

/* Centred under its place, moved inwards at the ends of the box. */
static void place_label(const struct page *page, const struct text_style *style, struct box box,
                        double x, double y, const char *text) {
    double half = text_width(&page->pen, style, text) / 2;
    if (x + half > box.x + box.width) x = box.x + box.width - half;
    if (x - half < box.x) x = box.x + half;
    text_draw(&page->pen, style, x, y, text);
}

void page_time_axis(const struct page *page, struct box box, const struct query_run *run,
                    const struct scale *time) {
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_MIDDLE, page->theme->secondary);
    int64_t zero = run->start_unix_s + run->utc_offset_s;
    int64_t from = zero + (int64_t)time->data_low, to = zero + (int64_t)time->data_high;
    double bottom = box.y + box.height;
    bool dated = floor_div(from, 86400) != floor_div(to, 86400);
    char label[LABEL_NUMBER_BYTES];
    double room = text_width(&page->pen, &style, "00:00:00") + 3 * LABEL_GAP;
    struct time_ticks ticks = ticks_time(from, to, (int)(box.width / room));
    page_line(page, page->theme->grid, 1, 0, box.x, bottom + 0.5, box.x + box.width, bottom + 0.5);
    for (int i = 0; i < ticks.count; i++) {
        int64_t wall = ticks.first_s + i * ticks.step_s;
        double x = scale_snap(scale_at(time, (double)(wall - zero)));
        page_line(page, page->theme->secondary, 1, 0, x, bottom, x, bottom + 4);
        time_label(page, run, wall, ticks.step_s, dated, label);
        place_label(page, &style, box, x, bottom + 15, label);
    }
}

static void tick_text(const struct page *page, const struct ticks *ticks, int number,
                      char out[LABEL_NUMBER_BYTES]) {
    double value = ticks_at(ticks, number);
    bool zero = value < ticks->step / 2 && value > -ticks->step / 2;
    label_number(&page->labels, value, zero ? 0 : ticks->decimals, out);
}

double page_value_width(const struct page *page, const struct ticks *ticks) {
    struct text_style style = text_style_of(PAGE_TICK_SIZE, false, TEXT_END, page->theme->ink);
    char text[LABEL_NUMBER_BYTES];
    double widest = 0;
    for (int i = 0; i < ticks->count; i++) {
        tick_text(page, ticks, i, text);
        double width = text_width(&page->pen, &style, text);
        if (width > widest) widest = width;
    }
    return widest;
}

void page_value_axis(const struct page *page, struct box box, const struct ticks *ticks,
                     const struct scale *values, const char *name) {
    const struct theme *theme = page->theme;
    struct text_style style = text_style_of(PAGE_TICK_SIZE, false, TEXT_END, theme->secondary);
    char text[LABEL_NUMBER_BYTES];
    for (int i = 0; i < ticks->count; i++) {
        double y = scale_snap(scale_at(values, ticks_at(ticks, i))) + 0.5;
        page_line(page, theme->grid, 1, 0, box.x, y, box.x + box.width, y);
        tick_text(page, ticks, i, text);
        text_draw(&page->pen, &style, box.x - LABEL_GAP, y + 3.5, text);
    }
    if (!name) return;
    struct text_style left = text_style_of(PAGE_TICK_SIZE, false, TEXT_START, theme->secondary);
    page_text(page, &left, box.x, box.y - 9, box.width, name);
}
