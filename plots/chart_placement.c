/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the hottest keys lie on the line of hashes (docs/model.md, M-10, M-11): the partitions as bars over
 * the stretch that each has, in key order, coloured by load like the heat map, and on them a stem for each of
 * the hottest keys. One table or index, the one that refused most, as its partitions lay when it first did.
 *
 * A key's place is made from its text again, so it is where the run had it. Keys that one partition key's
 * sort keys spread over several partitions stand at their hash.
 *
 * Invariant: bars do not overlap, and each stem stands over its bar.
 */
#include <plots/chart.h>
#include <plots/palette.h>

#include <base/error.h>
#include <base/hash.h>
#include <base/vector.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS_MOST 24
#define LANES_MOST 5 /* of labels, above the plot */
#define LANE_HEIGHT 14.0
#define HEADER_HEIGHT 22.0
#define MARGIN 24.0
#define AXIS_HEIGHT 34.0
#define PLOT_LEAST 60.0
#define DOT 3.5
#define CELL_GAP 1.0
#define GAP_LEAST 4.0 /* points of a bar that has a gap beside it */
#define FOOT 4.0
#define KEY_BYTES 256
#define SHARE_LEAST 0.005 /* of the traffic: less is no hot key */
#define HASHES 0x1p64

struct cell {
    int64_t id;
    double low, high; /* shares of the line */
    double units, throttled, seconds;
};

struct hot {
    char text[KEY_BYTES];
    double at, units; /* share of the line; units/s */
    double share;     /* of what the resource served */
    int cell;
    int lane; /* of its label; -1: none */
    double label_x;
};

struct placement {
    struct chart *chart;
    const struct chart_resource *resource;
    struct cell *cells;
    size_t cell_count, cell_capacity;
    struct hot keys[KEYS_MOST];
    int key_count, lanes;
    double seconds; /* of the window */
    double most;    /* units/s that the axis must hold */
    struct box plot;
    struct scale values;
};

/* ---- reading ---- */

/* The place of 16 hexadecimal digits on the line. */
static double place_of(const char *digits) {
    char high[17] = "";
    snprintf(high, sizeof high, "%.16s", digits);
    return (double)strtoull(high, NULL, 16) / HASHES;
}

/* When its partitions are shown: as they were when it first refused, else at the end. */
static int64_t moment_of(const struct placement *p) {
    const struct chart_data *data = &p->chart->data;
    return p->resource->throttled > 0 ? p->resource->first_throttled_s : data->end_s - 1;
}

static enum ddbsim_status read_cells(struct placement *p, struct ddbsim_error *error) {
    const struct chart_data *data = &p->chart->data;
    int64_t at_ns = (moment_of(p) + 1) * INT64_C(1000000000) - 1;
    struct query query;
    query_open(
        &query, data->database, error,
        "SELECT p.partition_id, p.key_low, p.key_high,"
        " total(CASE WHEN ?2 THEN s.read_units ELSE s.write_units END),"
        " total(CASE WHEN ?2 THEN s.throttled_reads ELSE s.throttled_writes END),"
        " coalesce(min(p.retired_ns / 1000000000, ?4), ?4) - max(p.created_ns / 1000000000, ?3)"
        " FROM partition p LEFT JOIN partition_sample s ON s.run_id = p.run_id"
        " AND s.partition_id = p.partition_id AND s.t_s >= ?3 AND s.t_s < ?4"
        " WHERE p.run_id = ?1 AND p.resource_id = ?5 AND p.created_ns <= ?6"
        " AND (p.retired_ns IS NULL OR p.retired_ns > ?6)"
        " GROUP BY p.partition_id ORDER BY p.key_low",
        "iiiiii", data->run.run_id, (int64_t)p->resource->reads, data->from_s, data->end_s,
        p->resource->resource_id, at_ns);
    while (query_next(&query)) {
        if (!vector_reserve((void **)&p->cells, &p->cell_capacity, p->cell_count + 1,
                            sizeof *p->cells)) {
            (void)query_close(&query);
            return error_memory(error);
        }
        struct cell *cell = &p->cells[p->cell_count++];
        *cell = (struct cell){.id = query_int(&query, 0),
                              .low = place_of(query_text(&query, 1)),
                              .high = place_of(query_text(&query, 2)),
                              .units = query_double(&query, 3),
                              .throttled = query_double(&query, 4),
                              .seconds = fmax(1, query_double(&query, 5))};
    }
    return query_close(&query);
}

/* The partition that has a place; the last that begins there where several do. */
static int cell_at(const struct placement *p, double at) {
    int found = -1;
    for (size_t i = 0; i < p->cell_count && p->cells[i].low <= at; i++)
        found = (int)i;
    return found;
}

/* The whole run's keys, or where the window is a part of it what its five minutes kept. */
static enum ddbsim_status read_keys(struct placement *p, struct ddbsim_error *error) {
    const struct chart_data *data = &p->chart->data;
    bool whole = data->from_s <= 0 && data->to_s >= data->run.duration_s;
    struct query query;
    query_open(&query, data->database, error,
               "SELECT key, total(CASE WHEN ?2 THEN read_units ELSE write_units END) AS units"
               " FROM top_key WHERE run_id = ?1 AND resource_id = ?3 AND kind = 'accessed'"
               " AND period_s = ?4 AND (?4 = 0 OR (t_s + 300 > ?5 AND t_s < ?6))"
               " GROUP BY key HAVING units > 0 ORDER BY units DESC, key LIMIT ?7",
               "iiiiiii", data->run.run_id, (int64_t)p->resource->reads, p->resource->resource_id,
               (int64_t)(whole ? 0 : 300), data->from_s, data->end_s, (int64_t)KEYS_MOST);
    while (query_next(&query)) {
        struct hot *hot = &p->keys[p->key_count];
        const char *text = query_text(&query, 0);
        double units = query_double(&query, 1);
        hot->share = p->resource->units > 0 ? fmin(1, units / p->resource->units) : 0;
        if (hot->share < SHARE_LEAST) continue;
        snprintf(hot->text, sizeof hot->text, "%s", text);
        hot->at = (double)hash64(text, strlen(text)) / HASHES;
        hot->units = units / p->seconds;
        hot->cell = cell_at(p, hot->at);
        hot->lane = -1;
        p->key_count++;
    }
    return query_close(&query);
}

static double load_of(const struct cell *cell) { return cell->units / cell->seconds; }

static void measure(struct placement *p) {
    double most = p->resource->partition_limit;
    for (size_t i = 0; i < p->cell_count; i++)
        most = fmax(most, load_of(&p->cells[i]));
    for (int k = 0; k < p->key_count; k++)
        most = fmax(most, p->keys[k].units);
    p->most = most;
}

/* ---- labels ---- */

static double x_of(const struct placement *p, double at) {
    return p->plot.x + p->plot.width * fmin(1, fmax(0, at));
}

static int by_place(const void *left, const void *right) {
    const struct hot *a = left, *b = right;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    return strcmp(a->text, b->text);
}

/* Shares that stand beside each other are written alike. */
static const char *percent_of(const struct placement *p, double share,
                              char out[LABEL_NUMBER_BYTES]) {
    bool tenths = share >= 0.0005 && share < 0.0995;
    return label_number(&p->chart->page.labels, 100 * share, tenths ? 1 : 0, out);
}

static void label_of(const struct placement *p, const struct hot *hot, char out[LABEL_BYTES]) {
    char share[LABEL_NUMBER_BYTES];
    percent_of(p, hot->share, share);
    snprintf(out, LABEL_BYTES, "%s \xc2\xb7 %s\xc2\xa0%%", hot->text, share);
}

static struct text_style label_style(const struct placement *p) {
    return text_style_of(PAGE_TICK_SIZE, false, TEXT_START, p->chart->page.theme->ink);
}

/* Each label takes the first lane where it has room beside those before it. */
static void place_labels(struct placement *p) {
    double taken[LANES_MOST];
    struct text_style style = label_style(p);
    char text[LABEL_BYTES];
    for (int i = 0; i < LANES_MOST; i++)
        taken[i] = -INFINITY;
    for (int k = 0; k < p->key_count; k++) {
        struct hot *hot = &p->keys[k];
        label_of(p, hot, text);
        double width = text_width(&p->chart->page.pen, &style, text);
        double right = p->plot.x + p->plot.width + MARGIN / 2;
        double x = fmin(x_of(p, hot->at) + 3, right - width);
        for (int lane = 0; lane < LANES_MOST && hot->lane < 0; lane++) {
            if (x < taken[lane] + 10 || width > p->plot.width) continue;
            taken[lane] = x + width;
            hot->lane = lane;
            hot->label_x = x;
            if (lane + 1 > p->lanes) p->lanes = lane + 1;
        }
    }
}

/* ---- drawing ---- */

static void draw_cell(const struct placement *p, const struct cell *cell) {
    const struct page *page = &p->chart->page;
    double left = scale_snap(x_of(p, cell->low)), right = scale_snap(x_of(p, cell->high));
    double gap = right - left >= GAP_LEAST ? CELL_GAP : 0, load = load_of(cell);
    double limit = p->resource->partition_limit, foot = p->plot.y + p->plot.height;
    double top = scale_snap(scale_at(&p->values, load));
    struct box box = {left, top, fmax(1, right - left - gap), foot - top};
    page_fill(page, palette_load(limit > 0 ? load / limit : 0), box);
    box.y = foot;
    box.height = FOOT;
    page_fill(page, cell->throttled > 0 ? page->theme->throttled : page->theme->grid, box);
}

static double label_y(const struct placement *p, const struct hot *hot) {
    return p->plot.y - 8 - (p->lanes - 1 - hot->lane) * LANE_HEIGHT;
}

/* On paper of its own, which the stems of other labels pass behind. */
static void draw_label(const struct placement *p, const struct hot *hot) {
    const struct page *page = &p->chart->page;
    struct text_style style = label_style(p);
    char text[LABEL_BYTES];
    if (hot->lane < 0) return;
    label_of(p, hot, text);
    double y = label_y(p, hot), width = text_width(&page->pen, &style, text);
    page_fill(page, page->theme->paper,
              (struct box){hot->label_x - 1, y - PAGE_TICK_SIZE, width + 2, PAGE_TICK_SIZE + 3});
    text_draw(&page->pen, &style, hot->label_x, y, text);
}

/* A stem from the line of hashes to what the key was served, and on to its label. */
static void draw_key(const struct placement *p, const struct hot *hot) {
    const struct page *page = &p->chart->page;
    double x = scale_snap(x_of(p, hot->at)) + 0.5, foot = p->plot.y + p->plot.height;
    double y = scale_at(&p->values, hot->units);
    page_line(page, page->theme->paper, 3, 0, x, y, x, foot);
    page_line(page, page->theme->ink, 1.5, 0, x, y, x, foot + FOOT);
    if (hot->lane >= 0)
        page_line(page, page->theme->secondary, 0.5, 0, x, label_y(p, hot) + 2, x, y - DOT - 1);
    cairo_new_sub_path(page->cr);
    cairo_arc(page->cr, x, y, DOT + 1.5, 0, 6.283185307179586);
    page_ink(page, page->theme->paper);
    cairo_fill(page->cr);
    cairo_new_sub_path(page->cr);
    cairo_arc(page->cr, x, y, DOT, 0, 6.283185307179586);
    page_ink(page, page->theme->ink);
    cairo_fill(page->cr);
}

/* Numbers of the partitions, in key order as in the heat map, where they have room; and what the line is. */
static void draw_axis(const struct placement *p) {
    const struct page *page = &p->chart->page;
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_MIDDLE, page->theme->secondary);
    double foot = p->plot.y + p->plot.height + FOOT, taken = -INFINITY;
    for (size_t i = 0; i < p->cell_count; i++) {
        char number[LABEL_NUMBER_BYTES];
        double x = x_of(p, (p->cells[i].low + p->cells[i].high) / 2);
        label_number(&page->labels, (double)(i + 1), 0, number);
        double half = text_width(&page->pen, &style, number) / 2 + 3;
        if (x - half < taken) continue;
        taken = x + half;
        text_draw(&page->pen, &style, x, foot + 13, number);
    }
    style.align = TEXT_START;
    page_text(page, &style, p->plot.x, foot + 28, p->plot.width,
              page->labels.texts[LABEL_PLACEMENT_AXIS]);
}

static void draw_header(const struct placement *p) {
    struct chart *chart = p->chart;
    const struct page *page = &chart->page;
    char limit[LABEL_BYTES];
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, page->theme->secondary);
    double y = page->content.y + 12, right = p->plot.x + p->plot.width;
    chart_limit_text(chart, p->resource, p->resource->partition_limit, p->resource->partition_limit,
                     limit);
    double taken = text_width(&page->pen, &style, limit) + 12;
    bool fits = taken < p->plot.width / 2;
    if (fits) text_draw(&page->pen, &style, right, y, limit);
    chart_panel_name(chart, p->resource, "", p->plot.x, y, p->plot.width - (fits ? taken : 0));
}

static void draw_plot(struct placement *p) {
    const struct page *page = &p->chart->page;
    struct box box = p->plot;
    struct ticks ticks = ticks_linear(0, p->most, (int)fmax(3, fmin(6, box.height / 30)), true);
    p->values = (struct scale){0, ticks_last(&ticks), box.y + box.height, box.y};
    page_value_axis(page, box, &ticks, &p->values, NULL);
    for (size_t i = 0; i < p->cell_count; i++)
        draw_cell(p, &p->cells[i]);
    double limit = scale_at(&p->values, p->resource->partition_limit);
    if (p->resource->partition_limit > 0)
        page_line(page, page->theme->limit, 1.5, 5, box.x, limit, box.x + box.width, limit);
    for (int k = 0; k < p->key_count; k++)
        draw_key(p, &p->keys[k]);
    for (int k = 0; k < p->key_count; k++)
        draw_label(p, &p->keys[k]);
    draw_axis(p);
}

static double draw_legend(const struct placement *p) {
    const struct page *page = &p->chart->page;
    double right = page->width - 20, x = right, refused = 0;
    for (size_t i = 0; i < p->cell_count; i++)
        refused += p->cells[i].throttled;
    if (refused > 0)
        x = chart_legend_swatch(p->chart, x, SWATCH_BELOW, page->theme->throttled,
                                page->labels.texts[LABEL_REFUSED]);
    return right - chart_legend_ramp(p->chart, x, 20);
}

/* ---- what it says ---- */

/* The partition that refused most, else the fullest. */
static int subject_of(const struct placement *p) {
    int subject = 0;
    for (size_t i = 1; i < p->cell_count; i++) {
        const struct cell *cell = &p->cells[i], *best = &p->cells[subject];
        bool more = cell->throttled != best->throttled ? cell->throttled > best->throttled
                                                       : load_of(cell) > load_of(best);
        if (more) subject = (int)i;
    }
    return subject;
}

static int keys_in(const struct placement *p, int cell) {
    int count = 0;
    for (int k = 0; k < p->key_count; k++)
        count += p->keys[k].cell == cell;
    return count;
}

static int cells_with_keys(const struct placement *p) {
    int count = 0;
    for (size_t i = 0; i < p->cell_count; i++)
        count += keys_in(p, (int)i) > 0;
    return count;
}

static const struct hot *hottest_in(const struct placement *p, int cell) {
    const struct hot *hottest = NULL;
    for (int k = 0; k < p->key_count; k++)
        if (p->keys[k].cell == cell && (!hottest || p->keys[k].units > hottest->units))
            hottest = &p->keys[k];
    return hottest;
}

static void title_refused(struct placement *p, int subject) {
    struct chart *chart = p->chart;
    const struct labels *labels = &chart->page.labels;
    char here[LABEL_NUMBER_BYTES], all[LABEL_NUMBER_BYTES], number[LABEL_NUMBER_BYTES];
    char partitions[LABEL_NUMBER_BYTES], share[LABEL_NUMBER_BYTES], refused[LABEL_NUMBER_BYTES];
    const char *what =
        p->resource->reads ? labels->texts[LABEL_READ_MANY] : labels->texts[LABEL_WRITE_MANY];
    const struct hot *hottest = hottest_in(p, subject);
    int keys = keys_in(p, subject);
    label_number(labels, keys, 0, here);
    label_number(labels, p->key_count, 0, all);
    label_number(labels, subject + 1, 0, number);
    label_number(labels, (double)p->cell_count, 0, partitions);
    label_number(labels, p->cells[subject].throttled, 0, refused);
    if (!hottest)
        label_fill(labels, LABEL_TITLE_PLACEMENT_NO_KEY, chart->title, p->resource->name, number,
                   partitions, refused, what, LABEL_END);
    else if (keys > 1)
        label_fill(labels, LABEL_TITLE_PLACEMENT_SHARED, chart->title, here, all, p->resource->name,
                   number, partitions, refused, what, LABEL_END);
    else
        label_fill(labels, LABEL_TITLE_PLACEMENT_ONE, chart->title, hottest->text,
                   percent_of(p, hottest->share, share), p->resource->name, number, partitions,
                   refused, what, LABEL_END);
}

static void title_calm(struct placement *p, int subject) {
    struct chart *chart = p->chart;
    const struct labels *labels = &chart->page.labels;
    char all[LABEL_NUMBER_BYTES], on[LABEL_NUMBER_BYTES], partitions[LABEL_NUMBER_BYTES];
    char share[LABEL_NUMBER_BYTES];
    double limit = p->resource->partition_limit;
    percent_of(p, limit > 0 ? load_of(&p->cells[subject]) / limit : 0, share);
    label_number(labels, p->key_count, 0, all);
    label_number(labels, cells_with_keys(p), 0, on);
    label_number(labels, (double)p->cell_count, 0, partitions);
    if (p->key_count > 1)
        label_fill(labels, LABEL_TITLE_PLACEMENT_CALM, chart->title, all, p->resource->name, on,
                   partitions, share, LABEL_END);
    else
        label_fill(labels, LABEL_TITLE_PLACEMENT_EVEN, chart->title, p->resource->name, share,
                   LABEL_END);
}

static void title(struct placement *p) {
    if (chart_is_empty(p->chart) || !p->resource) return;
    int subject = subject_of(p);
    if (p->cell_count == 0)
        label_fill(&p->chart->page.labels, LABEL_TITLE_PLACEMENT_NONE, p->chart->title,
                   p->resource->name, LABEL_END);
    else if (p->cells[subject].throttled > 0)
        title_refused(p, subject);
    else
        title_calm(p, subject);
}

static void draw_nothing(const struct placement *p) {
    const struct page *page = &p->chart->page;
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->secondary);
    page_text(page, &style, p->plot.x + 10, p->plot.y + p->plot.height / 2, p->plot.width - 20,
              page->labels.texts[LABEL_HEAT_NO_PARTITIONS]);
}

/* A low page has room for the bars alone. */
static void drop_labels(struct placement *p) {
    p->lanes = 0;
    for (int k = 0; k < p->key_count; k++)
        p->keys[k].lane = -1;
}

static void set_plot(struct placement *p) {
    const struct box content = p->chart->page.content;
    double gutter = chart_gutter(p->chart, p->most, 40);
    p->plot = (struct box){content.x + gutter, 0, content.width - gutter - MARGIN, 0};
    place_labels(p);
    if (content.height - HEADER_HEIGHT - AXIS_HEIGHT - LANE_HEIGHT * p->lanes < PLOT_LEAST)
        drop_labels(p);
    p->plot.y = content.y + HEADER_HEIGHT + LANE_HEIGHT * p->lanes + 4;
    p->plot.height = content.y + content.height - AXIS_HEIGHT - p->plot.y;
}

static void draw_content(struct placement *p) {
    measure(p);
    set_plot(p);
    draw_header(p);
    if (p->cell_count > 0)
        draw_plot(p);
    else
        draw_nothing(p);
}

static void draw(struct placement *p, int left_out) {
    struct chart *chart = p->chart;
    title(p);
    snprintf(chart->what, sizeof chart->what, "%s",
             chart->page.labels.texts[LABEL_SUBTITLE_PLACEMENT]);
    chart_left_out(chart, left_out);
    chart_frame(chart);
    if (p->resource) draw_content(p);
    page_footer(&chart->page, chart->footer, p->cell_count > 0 ? draw_legend(p) : 0);
}

enum ddbsim_status chart_placement_draw(struct chart *chart, struct ddbsim_error *error) {
    struct chart_panels panels = chart_choose_panels(chart, 1);
    const struct chart_resource *worst = chart_data_worst(&chart->data);
    struct placement p = {.chart = chart,
                          .resource = worst              ? worst
                                      : panels.count > 0 ? panels.resources[0]
                                                         : NULL,
                          .seconds = (double)(chart->data.end_s - chart->data.from_s)};
    if (!(p.seconds > 0)) p.seconds = 1;
    enum ddbsim_status status = p.resource ? read_cells(&p, error) : DDBSIM_OK;
    if (status == DDBSIM_OK && p.resource) status = read_keys(&p, error);
    if (status == DDBSIM_OK) {
        qsort(p.keys, (size_t)p.key_count, sizeof *p.keys, by_place);
        draw(&p, panels.left_out);
    }
    free(p.cells);
    return status;
}
