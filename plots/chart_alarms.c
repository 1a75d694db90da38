/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rang, and whether in time. One row an alarm, the user's above auto scaling's own, those that rang
 * first on top: its datapoints over their threshold, each at the time that it was measured, and under
 * them the state that the alarm was in, which comes later by what CloudWatch takes. The refusals of what
 * it looks at stand at the foot of the plot, and the first refusal of all crosses every row.
 *
 * States differ by shape as well as by colour: ALARM is a full band with an edge, INSUFFICIENT_DATA is
 * hatched, OK is a thin line. Datapoints that are missing leave gaps.
 */
#include <plots/alarms.h>
#include <plots/chart.h>

#include <base/error.h>
#include <ddbsim/names.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MOST 24
#define TOP 16.0 /* for the name of the first refusal's line */
#define GUTTER 42.0
#define MARGIN 62.0
#define HEADER 18.0
#define BAND 13.0
#define BAND_GAP 3.0
#define ROW_GAP 9.0
#define AROUND (HEADER + BAND_GAP + BAND + ROW_GAP) /* a row without its plot */
#define RUG 5.0
#define LINE_WIDTH 1.75
#define QUIET_WIDTH 1.0
#define HATCH 5.0
#define SCALE_LEAST 1.25 /* times the threshold */
#define SCALE_MOST 4.0
#define DEFAULT_PERIOD_S 60
#define WHOLE_MINUTES_S 120 /* from here on durations are told in minutes */

struct alarm_row {
    const struct alarm *alarm;
    bool quiet; /* auto scaling's, below the user's */
    struct box plot;
    struct bins bins;
    double
        *values; /* a bin's datapoint over its threshold; the datapoint where the threshold is 0 */
    bool *refused; /* a bin of fine */
    struct bins fine;
    bool plain; /* the threshold is 0: values are what they are */
    double most, threshold;
};

struct alarm_chart {
    struct chart *chart;
    struct query_resources resources;
    struct alarms alarms;
    const struct alarm **order; /* those of this table, as they are drawn */
    int order_count, row_count;
    struct alarm_row rows[ROWS_MOST];
    int64_t refused_s; /* the first refusal; -1: none */
    struct scale time;
    double named_to;   /* where the last time in the band ends */
    int64_t unnamed_s; /* a ring whose band is too narrow for its time; -1: none */
};

/* Auto scaling's own stand back where the user has alarms. */
static bool is_quiet(const struct alarm_chart *a, const struct alarm *alarm) {
    return alarm->owner != ALARM_USER && a->order[0]->owner == ALARM_USER;
}

/* Heights of a plot: the least, and as the page is made for. */
static double plot_least(const struct alarm_chart *a, const struct alarm *alarm) {
    return is_quiet(a, alarm) ? 12 : 22;
}
static double plot_usual(const struct alarm_chart *a, const struct alarm *alarm) {
    return is_quiet(a, alarm) ? 28 : 58;
}

/* ---- which alarms ---- */

/* An alarm of the account belongs to every table. */
static bool is_of_table(const struct chart_data *data, const struct alarm *alarm) {
    char table[CHART_NAME_BYTES];
    if (!alarm->resource) return true;
    text_clean(alarm->resource->table, table, sizeof table);
    return strcmp(table, data->table) == 0;
}

/* The user's first; each by when it rang. */
static int by_ring(const void *left, const void *right) {
    const struct alarm *a = *(const struct alarm *const *)left;
    const struct alarm *b = *(const struct alarm *const *)right;
    if ((a->owner == ALARM_USER) != (b->owner == ALARM_USER))
        return a->owner == ALARM_USER ? -1 : 1;
    if (a->owner != b->owner) return a->owner < b->owner ? -1 : 1;
    if ((a->rang_s < 0) != (b->rang_s < 0)) return a->rang_s < 0 ? 1 : -1;
    if (a->rang_s != b->rang_s) return a->rang_s < b->rang_s ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Why there is nothing to draw, and what to write. */
static enum ddbsim_status none_here(const struct chart_data *data, const struct alarms *alarms,
                                    struct ddbsim_error *error) {
    int64_t set = 0;
    enum ddbsim_status status =
        query_one_int(data->database, error, 0, &set,
                      "SELECT count(*) FROM setting WHERE run_id = ? AND path LIKE 'alarms.%'", "i",
                      data->run.run_id);
    if (status != DDBSIM_OK) return status;
    if (alarms->count > 0)
        (void)error_set(error, DDBSIM_INPUT, "no alarm looks at table '%.200s' in this run",
                        data->table);
    else if (set > 0)
        (void)error_set(
            error, DDBSIM_INPUT,
            "no alarm was evaluated in this run: it is over before a datapoint is known");
    else
        (void)error_set(error, DDBSIM_INPUT, "this run has no alarms");
    error_hint(error,
               "write some: alarms: [{name: writes-80, table: %.100s, metric: "
               "ConsumedWriteCapacityUnits, statistic: Sum, comparison: \">\", threshold: 80%%, "
               "evaluation_periods: 5, datapoints_to_alarm: 3}]; auto_scaling brings its own",
               data->table);
    return DDBSIM_INPUT;
}

static enum ddbsim_status read_alarms(const struct chart_data *data, struct alarm_chart *out,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status =
        query_resources_read(data->database, data->run.run_id, &out->resources, error);
    if (status == DDBSIM_OK)
        status =
            alarms_read(data->database, data->run.run_id, &out->resources, &out->alarms, error);
    if (status != DDBSIM_OK) return status;
    out->order = calloc(out->alarms.count + 1, sizeof *out->order);
    if (!out->order) return error_memory(error);
    for (size_t i = 0; i < out->alarms.count; i++)
        if (is_of_table(data, &out->alarms.items[i]))
            out->order[out->order_count++] = &out->alarms.items[i];
    if (out->order_count == 0) return none_here(data, &out->alarms, error);
    qsort(out->order, (size_t)out->order_count, sizeof *out->order, by_ring);
    return DDBSIM_OK;
}

static void let_go(struct alarm_chart *a) {
    for (int i = 0; i < a->row_count; i++) {
        free(a->rows[i].values);
        free(a->rows[i].refused);
    }
    free(a->order);
    alarms_clear(&a->alarms);
    query_resources_clear(&a->resources);
}

/* ---- reading a row ---- */

static enum ddbsim_status read_period(const struct chart_data *data, const struct alarm *alarm,
                                      int64_t *out, struct ddbsim_error *error) {
    enum ddbsim_status status = query_one_int(
        data->database, error, DEFAULT_PERIOD_S, out,
        "SELECT min(step) FROM (SELECT t_s - lag(t_s) OVER (ORDER BY t_s) AS step FROM alarm_sample"
        " WHERE run_id = ? AND alarm = ?)",
        "it", data->run.run_id, alarm->name);
    if (*out < 1 || *out > data->to_s - data->from_s) *out = DEFAULT_PERIOD_S;
    return status;
}

/* The datapoint of a bin that comes nearest to the breach. */
static void keep_value(struct alarm_row *row, int bin, double value) {
    double *kept = &row->values[bin];
    bool nearer = row->alarm->below ? value < *kept : value > *kept;
    if (isnan(*kept) || nearer) *kept = value;
}

static enum ddbsim_status read_values(const struct chart_data *data, struct alarm_row *row,
                                      struct ddbsim_error *error) {
    struct query query;
    query_open(&query, data->database, error,
               "SELECT t_s, value, threshold FROM alarm_sample WHERE run_id = ? AND alarm = ?"
               " AND t_s >= ? AND t_s < ? ORDER BY t_s",
               "itii", data->run.run_id, row->alarm->name, data->from_s, data->to_s);
    while (query_next(&query)) {
        double value = query_double(&query, 1);
        row->threshold = query_double(&query, 2);
        row->plain = !(row->threshold > 0);
        if (isnan(value)) continue;
        if (!row->plain) value /= row->threshold;
        keep_value(row, bins_of(&row->bins, query_seconds(&query, 0)), value);
        if (value > row->most) row->most = value;
    }
    return query_close(&query);
}

/* Units are refused by what they are units of; requests for the sake of a table or any of its indexes. */
static bool looks_at(const struct alarm *alarm, const struct chart_resource *resource, bool reads) {
    bool own = alarm->resource && alarm->resource->resource_id == resource->resource_id;
    if (alarm_of_units(alarm, true) || alarm_of_units(alarm, false))
        return own && alarm_of_units(alarm, !reads);
    return own || !alarm->resource || !alarm->resource->index;
}

static enum ddbsim_status add_refused(const struct chart_data *data,
                                      const struct chart_resource *resource, bool reads,
                                      struct alarm_row *row, struct ddbsim_error *error) {
    struct chart_resource one = *resource;
    struct series series;
    one.reads = reads;
    enum ddbsim_status status = series_load(data, &one, &row->fine, &series, error);
    if (status != DDBSIM_OK) return status;
    for (int i = 0; i < row->fine.count; i++)
        if (series.items[i].throttled > 0) row->refused[i] = true;
    series_free(&series);
    return DDBSIM_OK;
}

static enum ddbsim_status read_refused(const struct chart_data *data, struct alarm_row *row,
                                       struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; status == DDBSIM_OK && i < 2 * data->count; i++)
        if (looks_at(row->alarm, &data->resources[i / 2], i % 2 == 1))
            status = add_refused(data, &data->resources[i / 2], i % 2 == 1, row, error);
    return status;
}

static enum ddbsim_status read_row(const struct chart_data *data, struct alarm_row *row, int most,
                                   struct ddbsim_error *error) {
    int64_t period_s = DEFAULT_PERIOD_S;
    enum ddbsim_status status = read_period(data, row->alarm, &period_s, error);
    row->bins = chart_data_bins(data, period_s, most);
    row->fine = chart_data_bins(data, 1, most);
    row->values = calloc((size_t)row->bins.count, sizeof *row->values);
    row->refused = calloc((size_t)row->fine.count, sizeof *row->refused);
    if (!row->values || !row->refused) return error_memory(error);
    for (int i = 0; i < row->bins.count; i++)
        row->values[i] = NAN;
    if (status == DDBSIM_OK) status = read_values(data, row, error);
    return status == DDBSIM_OK ? read_refused(data, row, error) : status;
}

/* When anything of the table was refused first, in the direction that is shown of it; -1: nothing. */
static int64_t first_refusal(const struct chart_data *data) {
    int64_t first_s = -1;
    for (int i = 0; i < data->count; i++) {
        const struct chart_resource *resource = &data->resources[i];
        if (resource->throttled == 0) continue;
        if (first_s < 0 || resource->first_throttled_s < first_s)
            first_s = resource->first_throttled_s;
    }
    return first_s;
}

/* ---- words ---- */

/* Whole minutes, but of short times. */
static void span_text(int64_t seconds, char out[LABEL_NUMBER_BYTES]) {
    if (seconds >= WHOLE_MINUTES_S) seconds = (seconds + 30) / 60 * 60;
    label_span(seconds, out);
}

/* "13 min before the first refusal"; "" where nothing was refused. */
static const char *beside_refusal(const struct alarm_chart *a, const struct alarm *alarm,
                                  char out[LABEL_BYTES]) {
    char span[LABEL_NUMBER_BYTES];
    int64_t before = a->refused_s - alarm->rang_s;
    out[0] = '\0';
    if (a->refused_s < 0) return out;
    span_text(before < 0 ? -before : before, span);
    return label_fill(&a->chart->page.labels, before < 0 ? LABEL_ALARM_AFTER : LABEL_ALARM_BEFORE,
                      out, span, LABEL_END);
}

/* Whose alarm it is: its name, and of auto scaling's what it watches. */
static void owner_text(const struct alarm_chart *a, const struct alarm *alarm,
                       char out[LABEL_BYTES]) {
    char name[CHART_NAME_BYTES];
    const struct query_resource *resource = alarm->resource;
    if (alarm->owner == ALARM_USER) {
        text_clean(alarm->name, name, sizeof name);
        snprintf(out, LABEL_BYTES, "%s", name);
        return;
    }
    text_clean(resource->index ? resource->index : resource->table, name, sizeof name);
    label_fill(&a->chart->page.labels, LABEL_ALARM_OF_SCALING, out, name,
               chart_unit(a->chart, alarm_of_units(alarm, false)), LABEL_END);
}

static void title_of_silence(struct alarm_chart *a) {
    struct chart *chart = a->chart;
    const struct chart_resource *worst = chart_data_worst(&chart->data);
    char number[LABEL_NUMBER_BYTES], when[LABEL_BYTES];
    if (!worst) {
        label_fill(&chart->page.labels, LABEL_TITLE_ALARMS_SILENT, chart->title, LABEL_END);
        return;
    }
    const char *words = chart_refused_words(chart, worst, number);
    chart_when(chart, worst->first_throttled_s, worst->last_throttled_s, when);
    label_fill(&chart->page.labels, LABEL_TITLE_ALARMS_MUTE, chart->title, worst->name, number,
               words, when, LABEL_END);
}

/* The user's alarms that never rang: the one of the same metric as the first is worth a name. */
static void add_silent(struct alarm_chart *a, const struct alarm *first) {
    const struct alarm *alike = NULL;
    int silent = 0;
    char text[LABEL_BYTES], name[LABEL_BYTES], *title = a->chart->title;
    for (int i = 0; i < a->order_count; i++) {
        const struct alarm *alarm = a->order[i];
        if (alarm->owner != ALARM_USER || alarm->rang_s >= 0) continue;
        silent++;
        if (!alike && strcmp(alarm->metric, first->metric) == 0) alike = alarm;
    }
    if (silent == 0 || first->owner != ALARM_USER) return;
    enum label words = silent == 1 ? LABEL_ALARM_OTHER_NEVER : LABEL_ALARMS_NEVER;
    if (alike)
        owner_text(a, alike, name);
    else
        label_number(&a->chart->page.labels, silent, 0, name);
    label_fill(&a->chart->page.labels, alike ? LABEL_ALARM_NEVER : words, text, name, LABEL_END);
    size_t used = strlen(title);
    snprintf(title + used, LABEL_BYTES - used, "; %s", text);
}

/* What a reader asks first: which of the user's alarms rang first; without any, auto scaling's for more. */
static const struct alarm *first_to_ring(const struct alarm_chart *a) {
    for (int i = 0; i < a->order_count; i++)
        if (a->order[i]->rang_s >= 0 && a->order[i]->owner != ALARM_SCALE_IN) return a->order[i];
    return NULL;
}

static void write_title(struct alarm_chart *a) {
    struct chart *chart = a->chart;
    char name[LABEL_BYTES], when[LABEL_BYTES], beside[LABEL_BYTES];
    const struct alarm *first = first_to_ring(a);
    if (!first) {
        title_of_silence(a);
        return;
    }
    owner_text(a, first, name);
    chart_when(chart, first->rang_s, first->rang_s, when);
    beside_refusal(a, first, beside);
    if (!*beside) label_fill(&chart->page.labels, LABEL_ALARM_NO_REFUSAL, beside, LABEL_END);
    label_fill(&chart->page.labels, LABEL_TITLE_ALARM_RINGS, chart->title, name, when, beside,
               LABEL_END);
    add_silent(a, first);
}

/* ---- drawing a row ---- */

static struct text_style small_text(const struct page *page, enum text_align align) {
    return text_style_of(PAGE_TICK_SIZE, false, align, page->theme->secondary);
}

static void verdict_text(const struct alarm_chart *a, const struct alarm *alarm, bool whole,
                         char out[LABEL_BYTES]) {
    const struct labels *labels = &a->chart->page.labels;
    char when[LABEL_BYTES], beside[LABEL_BYTES];
    if (alarm->rang_s < 0) {
        label_fill(labels, alarm->datapoints > 0 ? LABEL_ALARM_SILENT : LABEL_ALARM_NO_DATA, out,
                   LABEL_END);
        return;
    }
    chart_when(a->chart, alarm->rang_s, alarm->rang_s, when);
    beside_refusal(a, alarm, beside);
    if (!whole) beside[0] = '\0';
    label_fill(labels, *beside ? LABEL_ALARM_RINGS_BESIDE : LABEL_ALARM_RINGS, out, when, beside,
               LABEL_END);
}

/* At the right end of a header, shorter where the name needs the room, and not at all where that is short
 * as well. Returns what is left for the name. */
static double draw_verdict(const struct alarm_chart *a, const struct alarm_row *row,
                           const struct text_style *style, double y, double name_width) {
    const struct page *page = &a->chart->page;
    double right = row->plot.x + row->plot.width;
    char verdict[LABEL_BYTES];
    for (int whole = 1; whole >= 0; whole--) {
        verdict_text(a, row->alarm, whole, verdict);
        double width = text_width(&page->pen, style, verdict), room = row->plot.width - width - 16;
        if (room < name_width) continue;
        page_fill(page, page->theme->paper, (struct box){right - width - 3, y - 11, width + 3, 14});
        text_draw(&page->pen, style, right, y, verdict);
        return room;
    }
    return row->plot.width;
}

/* The name, what it watches, and at the right what became of it. */
static void draw_header(const struct alarm_chart *a, const struct alarm_row *row) {
    const struct page *page = &a->chart->page;
    double x = row->plot.x, y = row->plot.y - 6;
    char name[LABEL_BYTES], watched[LABEL_BYTES];
    struct colour ink = row->quiet ? page->theme->secondary : page->theme->ink;
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, !row->quiet, TEXT_START, ink);
    struct text_style end = text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, ink);
    struct text_style plain = small_text(page, TEXT_START);
    text_clean(row->alarm->name, name, sizeof name);
    text_clean(row->alarm->metric, watched, sizeof watched);
    double taken = text_width(&page->pen, &style, name) + 8;
    double room = draw_verdict(a, row, &end, y, taken);
    double whole = taken + text_width(&page->pen, &plain, watched);
    bool both = !row->quiet && whole <= room;
    page_fill(page, page->theme->paper,
              (struct box){x, y - 11, fmin(both ? whole : taken, room), 14});
    page_text(page, &style, x, y, room, name);
    if (both) text_draw(&page->pen, &plain, x + taken, y, watched);
}

static struct colour line_colour(const struct page *page, const struct alarm_row *row) {
    const char *metric = row->alarm->metric;
    if (row->quiet) return page->theme->secondary;
    if (strstr(metric, "Consumed")) return page->theme->consumed;
    return strstr(metric, "Throttle") ? page->theme->throttled : page->theme->ink;
}

/* Steps through the datapoints that there are. */
static void draw_values(const struct alarm_chart *a, const struct alarm_row *row,
                        const struct scale *values) {
    const struct page *page = &a->chart->page;
    bool open = false;
    page_ink(page, line_colour(page, row));
    cairo_set_line_width(page->cr, row->quiet ? QUIET_WIDTH : LINE_WIDTH);
    for (int i = 0; i < row->bins.count; i++) {
        double y = scale_at(values, row->values[i]);
        double x = scale_at(&a->time, (double)bins_begin(&row->bins, i));
        if (isnan(row->values[i])) {
            open = false;
            continue;
        }
        if (open)
            cairo_line_to(page->cr, x, y);
        else
            cairo_move_to(page->cr, x, y);
        cairo_line_to(page->cr, scale_at(&a->time, (double)bins_end(&row->bins, i)), y);
        open = true;
    }
    cairo_stroke(page->cr);
}

static bool is_latency(const struct alarm *alarm) {
    return strcmp(alarm->metric, ddbsim_metric_name(DDBSIM_METRIC_SUCCESSFUL_LATENCY)) == 0;
}

/* "100 %" at the left, what that is at the right; what counts needs no unit. */
static void draw_threshold(const struct alarm_chart *a, const struct alarm_row *row,
                           const struct scale *values) {
    const struct page *page = &a->chart->page;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    double y = scale_snap(scale_at(values, row->plain ? row->threshold : 1)) + 0.5;
    double right = row->plot.x + row->plot.width;
    struct text_style left = small_text(page, TEXT_END), end = small_text(page, TEXT_START);
    end.colour = page->theme->limit;
    page_line(page, page->theme->limit, 1, 5, row->plot.x, y, right, y);
    if (!row->plain) text_draw(&page->pen, &left, row->plot.x - 6, y + 3.5, "100 %");
    label_short(&page->labels, row->threshold, number);
    snprintf(text, sizeof text, "%s %s%s", row->alarm->below ? "<" : ">", number,
             is_latency(row->alarm) ? " ms" : "");
    page_text(page, &end, right + 6, y + 3.5, page->width - right - 10, text);
}

static void draw_refused(const struct alarm_chart *a, const struct alarm_row *row) {
    double foot = row->plot.y + row->plot.height;
    for (int i = 0; i < row->fine.count; i++) {
        if (!row->refused[i]) continue;
        double x = scale_snap(scale_at(&a->time, (double)bins_begin(&row->fine, i)));
        double end = scale_snap(scale_at(&a->time, (double)bins_end(&row->fine, i)));
        page_fill(&a->chart->page, a->chart->page.theme->throttled,
                  (struct box){x, foot - RUG, end > x ? end - x : 1, RUG});
    }
}

static void draw_plot(const struct alarm_chart *a, const struct alarm_row *row) {
    const struct page *page = &a->chart->page;
    struct box box = row->plot;
    double most = row->most;
    if (!row->plain) most = fmin(fmax(most, SCALE_LEAST), row->alarm->below ? 2 : SCALE_MOST);
    if (!(most > 0)) most = 1;
    struct scale values = {0, most, box.y + box.height - 0.5, box.y + 1};
    double foot = scale_snap(box.y + box.height) + 0.5;
    page_line(page, page->theme->grid, 1, 0, box.x, foot, box.x + box.width, foot);
    draw_values(a, row, &values);
    draw_threshold(a, row, &values);
    draw_refused(a, row);
}

/* ---- drawing states ---- */

static bool is_alarm(const char *state) { return strcmp(state, "ALARM") == 0; }
static bool is_unknown(const char *state) { return strcmp(state, "INSUFFICIENT_DATA") == 0; }

static void draw_hatch(const struct page *page, struct box box) {
    cairo_save(page->cr);
    cairo_rectangle(page->cr, box.x, box.y, box.width, box.height);
    cairo_clip(page->cr);
    int strokes = (int)((box.width + box.height) / HATCH) + 1;
    for (int i = 0; i < strokes; i++) {
        double x = box.x - box.height + i * HATCH;
        page_line(page, page->theme->secondary, 1, 0, x, box.y + box.height, x + box.height, box.y);
    }
    cairo_restore(page->cr);
}

static void draw_state(const struct page *page, const char *state, struct box band) {
    if (!(band.width > 0)) return;
    if (is_alarm(state)) {
        page_fill(page, page->theme->ink, band);
        if (band.width > 2)
            page_fill(page, page->theme->alarm,
                      (struct box){band.x + 1, band.y + 1, band.width - 2, band.height - 2});
    } else if (is_unknown(state)) {
        draw_hatch(page, (struct box){band.x, band.y + band.height / 4, band.width,
                                      scale_snap(band.height / 2)});
    } else {
        page_fill(page, page->theme->secondary,
                  (struct box){band.x, scale_snap(band.y + band.height / 2) - 1, band.width, 2});
    }
}

/* A state from one second to another, in the band under the plot. */
static struct box band_of(const struct alarm_chart *a, const struct alarm_row *row, int64_t from_s,
                          int64_t to_s) {
    if (to_s > a->chart->data.end_s) to_s = a->chart->data.end_s;
    double x = scale_snap(scale_at(&a->time, (double)from_s));
    double end = scale_snap(scale_at(&a->time, (double)to_s));
    if (end < x + 2 && to_s > from_s) end = x + 2;
    return (struct box){x, scale_snap(row->plot.y + row->plot.height + BAND_GAP), end - x, BAND};
}

/* A time in a band, unless another one stands there or it is too wide; whether it found room. */
static bool name_ring(struct alarm_chart *a, struct box band, struct colour colour, int64_t t_s) {
    const struct page *page = &a->chart->page;
    char clock[QUERY_CLOCK_BYTES];
    struct text_style style = text_style_of(PAGE_TICK_SIZE, false, TEXT_START, colour);
    query_clock(&a->chart->data.run, t_s, false, clock);
    double width = text_width(&page->pen, &style, clock), x = band.x + 4;
    if (band.width < width + 8 || x < a->named_to) return false;
    text_draw(&page->pen, &style, x, band.y + BAND - 3, clock);
    a->named_to = x + width + 6;
    return true;
}

/* The time of a ring too narrow for it, in the state that followed. */
static void name_after(struct alarm_chart *a, struct box band) {
    const struct page *page = &a->chart->page;
    struct text_style style = text_style_of(PAGE_TICK_SIZE, false, TEXT_START, page->theme->ink);
    double width = text_width(&page->pen, &style, "00:00") + 6;
    if (a->unnamed_s >= 0 && band.width >= width + 2 && band.x >= a->named_to) {
        page_fill(page, page->theme->paper, (struct box){band.x + 1, band.y, width, BAND});
        (void)name_ring(a, band, page->theme->ink, a->unnamed_s);
    }
    a->unnamed_s = -1;
}

/* The states in time's order, from the events of an alarm; a recording without them has its samples. */
static const char states_sql[] =
    "WITH e AS (SELECT t_ns / 1000000000 AS t, event_id AS n, json_extract(detail, '$.from') AS "
    "was,"
    " json_extract(detail, '$.to') AS now FROM event WHERE run_id = ?1 AND kind = 'alarm'"
    " AND json_valid(detail) AND json_extract(detail, '$.alarm') = ?2)"
    " SELECT t, was, now, n FROM e UNION ALL"
    " SELECT t_s, state, state, 0 FROM alarm_sample WHERE run_id = ?1 AND alarm = ?2"
    " AND NOT EXISTS (SELECT 1 FROM e) ORDER BY 1, 4";

#define STATE_BYTES 32

typedef void state_fn(struct alarm_chart *a, const struct alarm_row *row, const char *state,
                      int64_t from_s, int64_t to_s);

static void draw_span(struct alarm_chart *a, const struct alarm_row *row, const char *state,
                      int64_t from_s, int64_t to_s) {
    draw_state(&a->chart->page, state, band_of(a, row, from_s, to_s));
}

/* Where it went to ALARM: a dotted line down to the band, and the time. */
static void draw_ring(struct alarm_chart *a, const struct alarm_row *row, const char *state,
                      int64_t from_s, int64_t to_s) {
    const struct page *page = &a->chart->page;
    struct box band = band_of(a, row, from_s, to_s);
    if (!is_alarm(state)) {
        name_after(a, band);
        return;
    }
    page_line(page, page->theme->ink, 1, 2, band.x + 0.5, row->plot.y, band.x + 0.5, band.y);
    a->unnamed_s = name_ring(a, band, page->theme->alarm_text, from_s) ? -1 : from_s;
}

/* Every state that falls into the window, each once. */
static enum ddbsim_status walk_states(struct alarm_chart *a, const struct alarm_row *row,
                                      state_fn *visit, struct ddbsim_error *error) {
    const struct chart_data *data = &a->chart->data;
    char state[STATE_BYTES] = "";
    int64_t since_s = data->from_s;
    struct query query;
    query_open(&query, data->database, error, states_sql, "it", data->run.run_id, row->alarm->name);
    while (query_next(&query)) {
        int64_t t_s = query_seconds(&query, 0);
        if (!*state) snprintf(state, sizeof state, "%s", query_text(&query, 1));
        if (strcmp(state, query_text(&query, 2)) == 0) continue;
        if (t_s >= data->to_s) break;
        if (t_s > since_s) visit(a, row, state, since_s, t_s);
        if (t_s > since_s) since_s = t_s;
        snprintf(state, sizeof state, "%s", query_text(&query, 2));
    }
    visit(a, row, state, since_s, data->to_s);
    return query_close(&query);
}

/* The times after all bands: a thin line would cross one. */
static enum ddbsim_status draw_row(struct alarm_chart *a, const struct alarm_row *row,
                                   struct ddbsim_error *error) {
    draw_header(a, row);
    draw_plot(a, row);
    a->named_to = 0;
    a->unnamed_s = -1;
    enum ddbsim_status status = walk_states(a, row, draw_span, error);
    return status == DDBSIM_OK ? walk_states(a, row, draw_ring, error) : status;
}

/* ---- the page ---- */

/* How many rows fit, each with the least of a plot. */
static int rows_of(const struct alarm_chart *a, double height) {
    int count = 0;
    height -= TOP + PAGE_AXIS_HEIGHT;
    while (count < a->order_count && count < ROWS_MOST) {
        height -= AROUND + plot_least(a, a->order[count]);
        if (height < 0 && count > 0) break;
        count++;
    }
    return count;
}

/* Plots share what is left, in the proportion that they would have on their own. */
static void place_rows(struct alarm_chart *a) {
    struct box content = a->chart->page.content;
    double usual = 0, y = scale_snap(content.y + TOP);
    double room = content.height - TOP - PAGE_AXIS_HEIGHT - a->row_count * AROUND;
    for (int i = 0; i < a->row_count; i++)
        usual += plot_usual(a, a->order[i]);
    double share = fmax(room / usual, 0.1);
    for (int i = 0; i < a->row_count; i++) {
        double height = floor(fmin(share, 1.6) * plot_usual(a, a->order[i]));
        a->rows[i].plot = (struct box){content.x + GUTTER, y + HEADER,
                                       floor(content.width - GUTTER - MARGIN), height};
        y += AROUND + height;
    }
}

/* The first refusal of all crosses every row. */
static void draw_first_refusal(const struct alarm_chart *a, double bottom) {
    const struct page *page = &a->chart->page;
    char clock[QUERY_CLOCK_BYTES], text[LABEL_BYTES];
    if (a->refused_s < 0) return;
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_MIDDLE, page->theme->throttled_text);
    double x = scale_snap(scale_at(&a->time, (double)a->refused_s)) + 0.5, top = page->content.y;
    query_clock(&a->chart->data.run, a->refused_s, false, clock);
    label_fill(&page->labels, LABEL_ALARM_FIRST_REFUSAL, text, clock, LABEL_END);
    double half = text_width(&page->pen, &style, text) / 2;
    double at = fmin(fmax(x, half + 4), page->width - half - 4);
    text_draw(&page->pen, &style, at, top + TOP - 6, text);
    page_line(page, page->theme->throttled, 1, 3, x, top + TOP - 3, x, bottom);
}

/* What the bands' shapes mean, from the right; returns what it takes. */
static double draw_legend(const struct alarm_chart *a) {
    static const char *const states[] = {"INSUFFICIENT_DATA", "OK", "ALARM"};
    const struct page *page = &a->chart->page;
    struct text_style style = small_text(page, TEXT_END);
    double x = page->width - 20, y = page->height - 12;
    for (int i = 0; i < 3; i++) {
        text_draw(&page->pen, &style, x, y, states[i]);
        x -= text_width(&page->pen, &style, states[i]) + 26;
        draw_state(page, states[i], (struct box){scale_snap(x), y - 9, 20, 11});
        x -= 14;
    }
    return page->width - 20 - x;
}

static enum ddbsim_status draw_rows(struct alarm_chart *a, struct ddbsim_error *error) {
    struct chart *chart = a->chart;
    struct box first, last;
    enum ddbsim_status status = DDBSIM_OK;
    place_rows(a);
    first = a->rows[0].plot;
    last = a->rows[a->row_count - 1].plot;
    a->time = (struct scale){(double)chart->data.from_s, (double)chart->data.to_s, first.x,
                             first.x + first.width};
    double bottom = last.y + last.height + BAND_GAP + BAND;
    draw_first_refusal(a, bottom);
    for (int i = 0; status == DDBSIM_OK && i < a->row_count; i++)
        status = draw_row(a, &a->rows[i], error);
    last.height = bottom + 2 - last.y;
    page_time_axis(&chart->page, last, &chart->data.run, &a->time);
    return status;
}

static enum ddbsim_status draw(struct alarm_chart *a, struct ddbsim_error *error) {
    struct chart *chart = a->chart;
    int most = (int)((chart->page.width - GUTTER - MARGIN) / 2);
    a->row_count = rows_of(a, chart->page.height - page_words_height(chart->page.height));
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; status == DDBSIM_OK && i < a->row_count; i++) {
        a->rows[i].alarm = a->order[i];
        a->rows[i].quiet = is_quiet(a, a->order[i]);
        status = read_row(&chart->data, &a->rows[i], most, error);
    }
    if (status != DDBSIM_OK) return status;
    write_title(a);
    label_fill(&chart->page.labels, LABEL_SUBTITLE_ALARMS, chart->what, LABEL_END);
    chart_left_out(chart, a->order_count - a->row_count);
    chart_frame(chart);
    page_footer(&chart->page, chart->footer, draw_legend(a));
    return draw_rows(a, error);
}

enum ddbsim_status chart_alarms_draw(struct chart *chart, struct ddbsim_error *error) {
    struct alarm_chart *a = calloc(1, sizeof *a);
    if (!a) return error_memory(error);
    a->chart = chart;
    enum ddbsim_status status = read_alarms(&chart->data, a, error);
    a->refused_s = first_refusal(&chart->data);
    if (status == DDBSIM_OK) status = draw(a, error);
    let_go(a);
    free(a);
    return status;
}

enum ddbsim_status chart_alarms_fit(const struct chart_data *data, int most, int *height,
                                    struct ddbsim_error *error) {
    struct alarm_chart *a = calloc(1, sizeof *a);
    if (!a) return error_memory(error);
    enum ddbsim_status status = read_alarms(data, a, error);
    double sought = page_words_height(most) + TOP + PAGE_AXIS_HEIGHT;
    for (int i = 0; status == DDBSIM_OK && i < a->order_count; i++)
        sought += AROUND + plot_usual(a, a->order[i]);
    *height = sought < most ? (int)ceil(sought) : most;
    let_go(a);
    free(a);
    return status;
}
