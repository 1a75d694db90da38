/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of every picture. Text that does not fit is set smaller, wrapped or ellipsised, never
 * drawn over its neighbours; numbers are not cut. Labels of the time axis stand under their ticks.
 */
#include <plots/page.h>

#include <stdio.h>
#include <string.h>

#define MARGIN 20.0
#define TITLE_LEAD 5.0 /* between the lines, beside the size */
#define LOW_PAGE 320.0
#define SUBTITLE_LINE 15.0
#define FOOTER_SIZE 10.0
#define FOOTER_HEIGHT 24.0
#define LABEL_GAP 6.0
#define SECONDS_BELOW_S 1800 /* shorter axes may be labelled in seconds */

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

/* The start of a text that fits into width with an ellipsis: whole words where one fits. */
static void fit_words(const struct page *page, const struct text_style *style, double width,
                      const char *text, char out[LABEL_BYTES]) {
    char cut[LABEL_BYTES];
    size_t length = strnlen(text, LABEL_BYTES - 8);
    while (length > 0) {
        snprintf(cut, sizeof cut, "%.*s\xe2\x80\xa6", (int)length, text);
        if (text_width(&page->pen, style, cut) <= width) break;
        do
            length--;
        while (length > 0 && text[length] != ' ');
    }
    if (length == 0) text_fit(&page->pen, style, width, text, cut, sizeof cut);
    snprintf(out, LABEL_BYTES, "%s", cut);
}

/* A text on at most `most` lines, the last ellipsised; returns where the next line stands. */
static double wrapped(const struct page *page, const struct text_style *style, double y,
                      double line, int most, const char *text) {
    char clean[LABEL_BYTES], part[LABEL_BYTES];
    double width = page->width - 2 * MARGIN;
    text_clean(text, clean, sizeof clean);
    if (lines_of(page, style, width, clean) == most) width = balanced(page, style, width, clean);
    const char *at = clean;
    for (int i = 1; *at; i++) {
        size_t length = text_break(&page->pen, style, width, at);
        if (i == most && at[length] != '\0')
            fit_words(page, style, width, at, part);
        else
            snprintf(part, sizeof part, "%.*s", (int)length, at);
        page_text(page, style, MARGIN, y, page->width - 2 * MARGIN, part);
        y += line;
        if (i == most) break;
        at += length + strspn(at + length, " ");
    }
    return y;
}

/* The largest size in which the title takes two lines, else the smallest. */
static struct text_style title_style(const struct page *page, const char *title) {
    static const double sizes[] = {17, 15, 13};
    struct text_style style = text_style_of(sizes[0], true, TEXT_START, page->theme->ink);
    char clean[LABEL_BYTES];
    text_clean(title, clean, sizeof clean);
    for (int i = 0; i < 3; i++) {
        style.size = sizes[i];
        if (lines_of(page, &style, page->width - 2 * MARGIN, clean) <= 2) break;
    }
    return style;
}

void page_footer(const struct page *page, const char *footer, double reserved) {
    struct text_style style = text_style_of(FOOTER_SIZE, false, TEXT_START, page->theme->secondary);
    double room = page->width - 2 * MARGIN - (reserved > 0 ? reserved + 16 : 0);
    const char *dot = strstr(footer, "\xc2\xb7 ");
    if (text_width(&page->pen, &style, footer) > room) footer = dot ? dot + 3 : "";
    if (text_width(&page->pen, &style, footer) > room) return;
    text_draw(&page->pen, &style, MARGIN, page->height - 12, footer);
}

double page_words_height(double page_height) { return page_height < LOW_PAGE ? 104 : 134; }

void page_frame(struct page *page, const char *title, const char *what, const char *provenance) {
    const struct theme *theme = page->theme;
    page_fill(page, theme->paper, (struct box){0, 0, page->width, page->height});
    struct text_style head = title_style(page, title);
    struct text_style sub = text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, theme->secondary);
    bool low = page->height < LOW_PAGE;
    double y = wrapped(page, &head, low ? 14 + head.size * 0.6 : MARGIN + 13,
                       head.size + TITLE_LEAD, head.size > 13 ? 2 : 3, title);
    y -= 2;
    if (!low) y = wrapped(page, &sub, y, SUBTITLE_LINE, 2, what);
    y = wrapped(page, &sub, y, SUBTITLE_LINE, 2, provenance);
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

/* Centred under its place, but on the page. */
static void place_label(const struct page *page, const struct text_style *style, double x, double y,
                        const char *text) {
    double half = text_width(&page->pen, style, text) / 2 + 4;
    if (x + half > page->width) x = page->width - half;
    if (x - half < 0) x = half;
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
    const char *widest = to - from < SECONDS_BELOW_S ? "00:00:00" : "00:00";
    double room = text_width(&page->pen, &style, widest) + 3 * LABEL_GAP;
    struct time_ticks ticks = ticks_time(from, to, (int)(box.width / room));
    page_line(page, page->theme->grid, 1, 0, box.x, bottom + 0.5, box.x + box.width, bottom + 0.5);
    for (int i = 0; i < ticks.count; i++) {
        int64_t wall = ticks.first_s + i * ticks.step_s;
        double x = scale_snap(scale_at(time, (double)(wall - zero)));
        page_line(page, page->theme->secondary, 1, 0, x, bottom, x, bottom + 4);
        time_label(page, run, wall, ticks.step_s, dated, label);
        place_label(page, &style, x, bottom + 15, label);
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
