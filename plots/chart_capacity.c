/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the console shows and what it hides: the one-minute mean of consumption as a line, behind it
 * an area up to the busiest second, against the capacity provisioned; under it what was refused. A
 * panel for the table and one for each index; each has its own scale of units, all share the scale
 * of refusals; a resource that refused nothing has no strip.
 */
#include <plots/chart_scaling.h>

#include <base/error.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define GUTTER 48.0
#define MARGIN 76.0
#define LINE_WIDTH 1.75
#define MINUTE_S 60
#define RUG_HEIGHT 5.0
#define AT_LIMIT 0.95 /* of the limit; a second that begins idle consumes less than all of it */

struct capacity_panel {
    struct chart_panel at;
    struct series fine, coarse;
    struct scaling_marks marks;
    double most; /* of consumption and capacity */
};

struct capacity {
    struct chart *chart;
    struct capacity_panel panels[CHART_PANELS_MOST];
    int count;
    double refused_most;
    struct scale time;
};

static int bins_done(const struct capacity *capacity, const struct bins *bins) {
    int count = 0;
    while (count < bins->count && bins_begin(bins, count) < capacity->chart->data.end_s)
        count++;
    return count;
}

static enum ddbsim_status load_panel(struct capacity *capacity, struct capacity_panel *panel,
                                     int bins_most, struct ddbsim_error *error) {
    const struct chart_data *data = &capacity->chart->data;
    const struct chart_resource *resource = panel->at.resource;
    struct bins fine = chart_data_bins(data, resource->metrics ? MINUTE_S : 1, bins_most);
    struct bins coarse =
        chart_data_bins(data, fine.width_s > MINUTE_S ? fine.width_s : MINUTE_S, bins_most);
    enum ddbsim_status status = series_load(data, resource, &fine, &panel->fine, error);
    if (status == DDBSIM_OK) status = series_load(data, resource, &coarse, &panel->coarse, error);
    if (status == DDBSIM_OK) status = scaling_marks_load(data, resource, &panel->marks, error);
    if (status != DDBSIM_OK) return status;
    for (int i = 0; i < fine.count; i++) {
        const struct series_bin *bin = &panel->fine.items[i];
        double width = (double)(bins_end(&fine, i) - bins_begin(&fine, i));
        panel->most = fmax(panel->most, fmax(bin->high, bin->limit)); /* fmax passes over NaN */
        if (width > 0)
            capacity->refused_most = fmax(capacity->refused_most, bin->throttled / width);
    }
    panel->most = fmax(panel->most, panel->marks.most);
    return DDBSIM_OK;
}

/* Nothing is drawn beyond where the run ended. */
static double edge(const struct capacity *capacity, int64_t t_s) {
    if (t_s > capacity->chart->data.end_s) t_s = capacity->chart->data.end_s;
    return scale_at(&capacity->time, (double)t_s);
}

/* From nothing to the busiest second of each bin. */
static void draw_busiest(const struct capacity *capacity, const struct capacity_panel *panel,
                         const struct scale *values) {
    const struct page *page = &capacity->chart->page;
    const struct series *series = &panel->fine;
    int done = bins_done(capacity, &series->bins);
    if (done == 0) return;
    page_ink(page, page->theme->consumed_fill);
    cairo_move_to(page->cr, panel->at.plot.x, values->page_low);
    for (int i = 0; i < done; i++) {
        double y = scale_at(values, series->items[i].high);
        cairo_line_to(page->cr, edge(capacity, bins_begin(&series->bins, i)), y);
        cairo_line_to(page->cr, edge(capacity, bins_end(&series->bins, i)), y);
    }
    cairo_line_to(page->cr, edge(capacity, bins_end(&series->bins, done - 1)), values->page_low);
    cairo_fill(page->cr);
}

/* A line in steps through what value_of says of each bin; bins without a value break it. */
static void draw_steps(const struct capacity *capacity, const struct series *series,
                       const struct scale *values, double (*value_of)(const struct series *, int)) {
    cairo_t *cr = capacity->chart->page.cr;
    int done = bins_done(capacity, &series->bins);
    bool open = false;
    for (int i = 0; i < done; i++) {
        double value = value_of(series, i), y = scale_at(values, value);
        double x = edge(capacity, bins_begin(&series->bins, i));
        if (open && !isnan(value))
            cairo_line_to(cr, x, y);
        else
            cairo_move_to(cr, x, y);
        open = !isnan(value);
        if (open) cairo_line_to(cr, edge(capacity, bins_end(&series->bins, i)), y);
    }
    cairo_stroke(cr);
}

static double limit_of(const struct series *series, int number) {
    return series->items[number].limit;
}

/* Where an index was not there it consumed nothing, not 0. */
static double living_mean(const struct series *series, int number) {
    return isnan(series->items[number].limit) && series->items[number].units <= 0
               ? NAN
               : series_mean(series, number);
}

static void draw_lines(const struct capacity *capacity, const struct capacity_panel *panel,
                       const struct scale *values) {
    const struct page *page = &capacity->chart->page;
    const double dashes[] = {6, 4};
    cairo_set_line_width(page->cr, LINE_WIDTH);
    cairo_set_line_join(page->cr, CAIRO_LINE_JOIN_ROUND);
    page_ink(page, page->theme->consumed);
    bool stays =
        panel->at.resource->born_s == CHART_NEVER && panel->at.resource->gone_s == CHART_NEVER;
    draw_steps(capacity, &panel->coarse, values, stays ? series_mean : living_mean);
    page_ink(page, page->theme->limit);
    cairo_set_line_width(page->cr, 1.5);
    cairo_set_dash(page->cr, dashes, 2, 0);
    draw_steps(capacity, &panel->fine, values, limit_of);
    cairo_set_dash(page->cr, NULL, 0, 0);
}

static enum label limit_label(const struct chart *chart) {
    return chart->data.saves_nothing ? LABEL_SERVED_ON_DEMAND : LABEL_PROVISIONED;
}

static void end_label(const struct capacity *capacity, const struct capacity_panel *panel, double y,
                      struct colour colour, const char *text) {
    const struct page *page = &capacity->chart->page;
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, colour);
    double x = panel->at.plot.x + panel->at.plot.width + 8;
    page_text(page, &style, x, y + 4, page->width - 12 - x, text);
}

/* Names at the ends of the two lines, pushed apart where they would touch. */
static void draw_end_labels(const struct capacity *capacity, const struct capacity_panel *panel,
                            const struct scale *values) {
    const struct page *page = &capacity->chart->page;
    int coarse = bins_done(capacity, &panel->coarse.bins) - 1;
    int fine = bins_done(capacity, &panel->fine.bins) - 1;
    if (coarse < 0 || fine < 0) return;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    double limit = panel->fine.items[fine].limit, limit_y = scale_at(values, limit);
    double consumed_y = scale_at(values, series_mean(&panel->coarse, coarse));
    if (!isnan(limit)) {
        bool above = consumed_y < limit_y;
        double gap = fabs(consumed_y - limit_y);
        if (gap < 14) consumed_y = limit_y + (above ? -14 : 14);
        if (consumed_y > values->page_low - 2) {
            consumed_y = values->page_low - 2;
            limit_y = fmin(limit_y, consumed_y - 14);
        }
        label_short(&page->labels, limit, number);
        label_fill(&page->labels, limit_label(capacity->chart), text, number, LABEL_END);
        end_label(capacity, panel, limit_y, page->theme->limit, text);
    }
    if (panel->at.resource->gone_s != CHART_NEVER) return; /* the lines end before */
    end_label(capacity, panel, fmin(consumed_y, values->page_low - 2), page->theme->consumed,
              page->labels.texts[LABEL_CONSUMED]);
}

static void draw_refusals(const struct capacity *capacity, const struct capacity_panel *panel,
                          struct box box, const struct scale *values) {
    const struct page *page = &capacity->chart->page;
    const struct bins *bins = &panel->fine.bins;
    for (int i = 0; i < bins->count; i++) {
        double width = (double)(bins_end(bins, i) - bins_begin(bins, i));
        double x = scale_snap(edge(capacity, bins_begin(bins, i)));
        double y = values ? scale_at(values, panel->fine.items[i].throttled / width) : box.y;
        if (!(panel->fine.items[i].throttled > 0)) continue;
        page_fill(page, page->theme->throttled,
                  (struct box){x, y, scale_snap(edge(capacity, bins_end(bins, i))) - x,
                               box.y + box.height - y});
    }
}

/* Rates on the strip; without room for one, marks at the foot of the plot; nothing where nothing was
 * refused. */
static void draw_strip(const struct capacity *capacity, const struct capacity_panel *panel) {
    const struct page *page = &capacity->chart->page;
    struct box box = panel->at.strip, plot = panel->at.plot;
    if (!(box.height > 0)) {
        struct box foot = {plot.x, plot.y + plot.height - RUG_HEIGHT, plot.width, RUG_HEIGHT};
        draw_refusals(capacity, panel, foot, NULL);
        return;
    }
    struct ticks ticks =
        ticks_linear(0, capacity->refused_most, (int)fmin(4, box.height / 22), true);
    struct scale values = {0, ticks_last(&ticks), box.y + box.height, box.y};
    page_value_axis(page, box, &ticks, &values, page->labels.texts[LABEL_THROTTLED_RATE]);
    draw_refusals(capacity, panel, box, &values);
}

static void draw_panel(const struct capacity *capacity, const struct capacity_panel *panel) {
    const struct page *page = &capacity->chart->page;
    struct box box = panel->at.plot;
    char unit[LABEL_NUMBER_BYTES];
    struct ticks ticks = ticks_linear(0, panel->most, (int)fmax(3, fmin(6, box.height / 30)), true);
    struct scale values = {0, ticks_last(&ticks), box.y + box.height, box.y};
    snprintf(unit, sizeof unit, "%s/s", chart_unit(capacity->chart, panel->at.resource->reads));
    chart_panel_header(capacity->chart, &panel->at, unit);
    page_value_axis(page, box, &ticks, &values, NULL);
    draw_busiest(capacity, panel, &values);
    draw_lines(capacity, panel, &values);
    scaling_marks_draw(capacity->chart, &panel->marks, box, &capacity->time, &values);
    draw_end_labels(capacity, panel, &values);
    draw_strip(capacity, panel);
}

/* Nothing refused: which resource came nearest to its capacity. */
static void title_of_peak(struct capacity *capacity) {
    struct chart *chart = capacity->chart;
    const struct capacity_panel *nearest = NULL;
    double peak = 0;
    for (int p = 0; p < capacity->count; p++) {
        const struct series *series = &capacity->panels[p].coarse;
        for (int i = 0; i < series->bins.count; i++) {
            double share = series_mean(series, i) / series->items[i].limit;
            if (!(share > peak)) continue;
            peak = share;
            nearest = &capacity->panels[p];
        }
    }
    label_fill(&chart->page.labels, LABEL_TITLE_NOTHING_REFUSED, chart->title, LABEL_END);
    if (!nearest || !isfinite(peak)) return;
    char percent[LABEL_NUMBER_BYTES], span[LABEL_NUMBER_BYTES];
    label_number(&chart->page.labels, peak * 100, 0, percent);
    label_span(nearest->coarse.bins.width_s, span);
    label_fill(&chart->page.labels, LABEL_TITLE_CAPACITY_PEAK, chart->title,
               nearest->at.resource->name, percent, span, LABEL_END);
}

/* The series of what refused most; NULL where it has no panel. */
static const struct series *series_of(const struct capacity *capacity,
                                      const struct chart_resource *resource) {
    for (int p = 0; p < capacity->count; p++)
        if (capacity->panels[p].at.resource == resource) return &capacity->panels[p].fine;
    return NULL;
}

/* Whether most refusals came while as much was consumed as on demand serves: it had not grown to what
 * was asked. Below that a partition's own limit refuses, or a maximum. */
static bool outgrown(const struct series *series) {
    double at_limit = 0, all = 0;
    for (int i = 0; i < series->bins.count; i++) {
        const struct series_bin *bin = &series->items[i];
        all += bin->throttled;
        if (bin->high >= AT_LIMIT * bin->limit) at_limit += bin->throttled;
    }
    return at_limit * 2 >= all;
}

/* Whether a fault had cut the capacity when the refusals began: what was provisioned is not what was served. */
static enum ddbsim_status is_cut(const struct chart_data *data, int64_t t_s, bool *out,
                                 struct ddbsim_error *error) {
    int64_t begun = 0;
    enum ddbsim_status status = query_one_int(
        data->database, error, 0, &begun,
        "SELECT sum(iif(e.kind = 'fault_began', 1, -1)) FROM event e JOIN resource r"
        " USING (run_id, resource_id) WHERE e.run_id = ?1 AND r.table_name = ?2"
        " AND e.kind IN ('fault_began', 'fault_ended') AND e.t_ns / 1000000000 <= ?3"
        " AND json_extract(iif(json_valid(e.detail), e.detail, '{}'), '$.fault') = 'capacity'",
        "iti", data->run.run_id, data->table, t_s);
    *out = begun > 0;
    return status;
}

static void title_of_refusals(struct chart *chart, const struct chart_resource *worst,
                              const struct series *series, bool on_demand, bool cut) {
    const struct labels *labels = &chart->page.labels;
    char low_text[LABEL_NUMBER_BYTES], high_text[LABEL_NUMBER_BYTES];
    char number[LABEL_NUMBER_BYTES], when[LABEL_BYTES];
    const char *words = chart_refused_words(chart, worst, number);
    double low = series->items[bins_of(&series->bins, worst->first_throttled_s)].limit;
    double high = series->items[bins_of(&series->bins, worst->last_throttled_s - 1)].limit;
    enum label label = LABEL_TITLE_CAPACITY_REFUSES;
    if (on_demand) label = LABEL_TITLE_ON_DEMAND_BELOW;
    if (on_demand && outgrown(series))
        label = high > low ? LABEL_TITLE_ON_DEMAND_GROWS : LABEL_TITLE_ON_DEMAND_OUTGROWN;
    if (cut) label = LABEL_TITLE_CAPACITY_CUT;
    label_short(labels, low, low_text);
    label_short(labels, high, high_text);
    chart_when(chart, worst->first_throttled_s, worst->last_throttled_s, when);
    label_fill(labels, label, chart->title, worst->name, low_text, chart_unit(chart, worst->reads),
               number, words, when, high_text, LABEL_END);
}

/* Where a scaler came for the refusals, and too late. */
static enum ddbsim_status title_of_scaling(struct capacity *capacity,
                                           const struct chart_resource *worst, bool *titled,
                                           struct ddbsim_error *error) {
    for (int p = 0; p < capacity->count; p++)
        if (capacity->panels[p].at.resource == worst)
            return scaling_title(capacity->chart, &capacity->panels[p].marks, worst, titled, error);
    return DDBSIM_OK;
}

static enum ddbsim_status write_title(struct capacity *capacity, struct ddbsim_error *error) {
    struct chart *chart = capacity->chart;
    const struct chart_resource *worst = chart_data_worst(&chart->data);
    bool on_demand = false;
    if (chart_is_empty(chart)) return DDBSIM_OK;
    if (!worst) {
        title_of_peak(capacity);
        return DDBSIM_OK;
    }
    bool titled = false;
    enum ddbsim_status status = title_of_scaling(capacity, worst, &titled, error);
    if (status != DDBSIM_OK || titled) return status;
    const struct series *series = series_of(capacity, worst);
    if (!series || isnan(series->items[bins_of(&series->bins, worst->first_throttled_s)].limit))
        return chart_title_refused(chart, worst, error);
    status = chart_data_on_demand(&chart->data, worst->first_throttled_s, &on_demand, error);
    bool cut = false;
    if (status == DDBSIM_OK) status = is_cut(&chart->data, worst->first_throttled_s, &cut, error);
    if (status == DDBSIM_OK) title_of_refusals(chart, worst, series, on_demand, cut);
    return status;
}

static void write_subtitle(struct capacity *capacity) {
    char fine[LABEL_NUMBER_BYTES], coarse[LABEL_NUMBER_BYTES];
    const struct capacity_panel *first = &capacity->panels[0];
    struct chart *chart = capacity->chart;
    if (capacity->count == 0) return;
    label_span(first->fine.bins.width_s, fine);
    label_span(first->coarse.bins.width_s, coarse);
    enum label label =
        chart->data.saves_nothing ? LABEL_SUBTITLE_CAPACITY_ON_DEMAND : LABEL_SUBTITLE_CAPACITY;
    if (first->at.resource->metrics) label = LABEL_SUBTITLE_CAPACITY_MINUTES;
    label_fill(&chart->page.labels, label, chart->what, fine, coarse, LABEL_END);
    bool asked = false, refused = false;
    for (int i = 0; i < capacity->count; i++) {
        asked |= capacity->panels[i].marks.asked;
        refused |= capacity->panels[i].marks.refused;
    }
    scaling_legend(chart, asked, refused);
}

/* Gutter and margin that hold the widest label of any panel. */
static void measure(const struct capacity *capacity, double *gutter, double *margin) {
    const struct chart *chart = capacity->chart;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    *gutter = GUTTER;
    *margin = MARGIN;
    for (int i = 0; i < capacity->count; i++) {
        const struct series *fine = &capacity->panels[i].fine;
        label_short(&chart->page.labels, fine->items[fine->bins.count - 1].limit, number);
        label_fill(&chart->page.labels, limit_label(chart), text, number, LABEL_END);
        *gutter = chart_gutter(chart, capacity->panels[i].most, *gutter);
        *margin = chart_margin(chart, text, *margin);
    }
}

static enum ddbsim_status load(struct capacity *capacity, const struct chart_panels *chosen,
                               struct ddbsim_error *error) {
    double width = capacity->chart->page.width - 40 - GUTTER - MARGIN;
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; status == DDBSIM_OK && i < chosen->count; i++) {
        capacity->panels[capacity->count++].at.resource = chosen->resources[i];
        status = load_panel(capacity, &capacity->panels[i], (int)(width / 2), error);
    }
    return status;
}

static void draw_panels(struct capacity *capacity, const struct chart_panels *chosen) {
    struct chart *chart = capacity->chart;
    struct chart_panel places[CHART_PANELS_MOST];
    double gutter, margin;
    measure(capacity, &gutter, &margin);
    chart_place_panels(chart, chosen, gutter, margin, capacity->refused_most > 0, places);
    struct box whole = places[0].plot, last = places[chosen->count - 1].strip;
    if (!(last.height > 0)) last = places[chosen->count - 1].plot;
    whole.height = last.y + last.height - whole.y;
    capacity->time = (struct scale){(double)chart->data.from_s, (double)chart->data.to_s, whole.x,
                                    whole.x + whole.width};
    for (int i = 0; i < capacity->count; i++) {
        capacity->panels[i].at = places[i];
        draw_panel(capacity, &capacity->panels[i]);
    }
    page_time_axis(&chart->page, whole, &chart->data.run, &capacity->time);
}

static enum ddbsim_status draw(struct capacity *capacity, struct ddbsim_error *error) {
    struct chart *chart = capacity->chart;
    struct chart_panels chosen = chart_choose_panels(chart, chart_panels_room(chart));
    enum ddbsim_status status = load(capacity, &chosen, error);
    write_subtitle(capacity);
    if (status == DDBSIM_OK) status = write_title(capacity, error);
    if (status != DDBSIM_OK) return status;
    chart_left_out(chart, chosen.left_out);
    chart_frame(chart);
    page_footer(&chart->page, chart->footer, 0);
    if (chosen.count > 0) draw_panels(capacity, &chosen);
    return DDBSIM_OK;
}

enum ddbsim_status chart_capacity_draw(struct chart *chart, struct ddbsim_error *error) {
    struct capacity *capacity = calloc(1, sizeof *capacity);
    if (!capacity) return error_memory(error);
    capacity->chart = chart;
    enum ddbsim_status status = draw(capacity, error);
    for (int i = 0; i < capacity->count; i++) {
        series_free(&capacity->panels[i].fine);
        series_free(&capacity->panels[i].coarse);
        scaling_marks_free(&capacity->panels[i].marks);
    }
    free(capacity);
    return status;
}
