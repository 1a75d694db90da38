/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unused capacity that a resource has saved for bursts, as an area under its ceiling: seconds of
 * capacity times the burst window. It counts as empty below one second's capacity, and each time it
 * gets there is marked with the time on the wall clock; it must first refill to a tenth to run out
 * anew.
 */
#include <plots/chart.h>

#include <base/error.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUTTER 48.0
#define MARGIN 60.0
#define REFILLED 0.1 /* of the ceiling */
#define MARKS_MOST 64

struct tokens_panel {
    struct chart_panel at;
    struct series series;
    double ceiling; /* the highest in the window */
    int empty;      /* bins */
    int first_empty, last_empty;
    int64_t out_s[MARKS_MOST]; /* when it ran out */
    int out_count;             /* may be more */
    double lowest;             /* share of the ceiling */
};

struct tokens {
    struct chart *chart;
    struct tokens_panel panels[CHART_PANELS_MOST];
    int count;
    struct scale time;
};

static int bins_done(const struct tokens *tokens, const struct bins *bins) {
    int count = 0;
    while (count < bins->count && bins_begin(bins, count) < tokens->chart->data.end_s)
        count++;
    return count;
}

static bool is_empty(const struct series_bin *bin) { return bin->empty_s != SERIES_NEVER; }

static double ceiling_of(const struct chart_data *data, const struct series_bin *bin) {
    return bin->limit > 0 ? bin->limit * data->burst_window_s : NAN;
}

/* Each time it ran out: empty after having been at a tenth of the ceiling. */
static void note_out(struct tokens_panel *panel, int done) {
    bool refilled = true;
    for (int i = 0; i < done; i++) {
        const struct series_bin *bin = &panel->series.items[i];
        refilled = refilled || bin->tokens > REFILLED * panel->ceiling;
        if (!refilled || !is_empty(bin)) continue;
        refilled = false;
        if (panel->out_count < MARKS_MOST) panel->out_s[panel->out_count] = bin->empty_s;
        panel->out_count++;
    }
}

static enum ddbsim_status load_panel(struct tokens *tokens, struct tokens_panel *panel,
                                     int bins_most, struct ddbsim_error *error) {
    const struct chart_data *data = &tokens->chart->data;
    struct bins bins = chart_data_bins(data, 1, bins_most);
    enum ddbsim_status status = series_load(data, panel->at.resource, &bins, &panel->series, error);
    if (status != DDBSIM_OK) return status;
    panel->lowest = 1;
    if (data->saves_nothing) return DDBSIM_OK;
    for (int i = 0; i < bins_done(tokens, &bins); i++) {
        const struct series_bin *bin = &panel->series.items[i];
        double ceiling = fmax(ceiling_of(data, bin), bin->tokens);
        if (isnan(bin->tokens)) continue;
        panel->ceiling = fmax(panel->ceiling, ceiling);
        if (ceiling > 0) panel->lowest = fmin(panel->lowest, bin->tokens / ceiling);
        if (!is_empty(bin)) continue;
        if (panel->empty++ == 0) panel->first_empty = i;
        panel->last_empty = i;
    }
    note_out(panel, bins_done(tokens, &bins));
    return DDBSIM_OK;
}

/* Nothing is drawn beyond where the run ended. */
static double edge(const struct tokens *tokens, int64_t t_s) {
    if (t_s > tokens->chart->data.end_s) t_s = tokens->chart->data.end_s;
    return scale_at(&tokens->time, (double)t_s);
}

static bool lives_in(const struct tokens_panel *panel, int bin) {
    const struct bins *bins = &panel->series.bins;
    return chart_resource_lives(panel->at.resource, bins_begin(bins, bin), bins_end(bins, bin));
}

/* The bins in which the resource was there: the first, and one more than the last. */
static int first_living(const struct tokens_panel *panel, int done) {
    int first = 0;
    while (first < done && !lives_in(panel, first))
        first++;
    return first;
}
static int last_living(const struct tokens_panel *panel, int done) {
    while (done > 0 && !lives_in(panel, done - 1))
        done--;
    return done;
}

/* Through the middles of the bins, level to the ends. */
static void trace(const struct tokens *tokens, const struct tokens_panel *panel,
                  const struct scale *values) {
    const struct bins *bins = &panel->series.bins;
    cairo_t *cr = tokens->chart->page.cr;
    int done = last_living(panel, bins_done(tokens, bins)), first = first_living(panel, done);
    for (int i = first; i < done; i++) {
        double y = scale_at(values, panel->series.items[i].tokens);
        double begin = edge(tokens, bins_begin(bins, i)), end = edge(tokens, bins_end(bins, i));
        if (i == first) cairo_line_to(cr, begin, y);
        cairo_line_to(cr, (begin + end) / 2, y);
        if (i == done - 1) cairo_line_to(cr, end, y);
    }
}

static void draw_area(const struct tokens *tokens, const struct tokens_panel *panel,
                      const struct scale *values) {
    const struct page *page = &tokens->chart->page;
    const struct bins *bins = &panel->series.bins;
    int done = last_living(panel, bins_done(tokens, bins)), first = first_living(panel, done);
    if (first == done) return;
    page_ink(page, page->theme->tokens_fill);
    cairo_move_to(page->cr, edge(tokens, bins_begin(bins, first)), values->page_low);
    trace(tokens, panel, values);
    cairo_line_to(page->cr, edge(tokens, bins_end(bins, done - 1)), values->page_low);
    cairo_fill(page->cr);
    page_ink(page, page->theme->tokens);
    cairo_set_line_width(page->cr, 1.75);
    cairo_set_line_join(page->cr, CAIRO_LINE_JOIN_ROUND);
    trace(tokens, panel, values);
    cairo_stroke(page->cr);
}

static void draw_ceiling(const struct tokens *tokens, const struct tokens_panel *panel,
                         const struct scale *values) {
    const struct page *page = &tokens->chart->page;
    const struct bins *bins = &panel->series.bins;
    const double dashes[] = {6, 4};
    int done = bins_done(tokens, bins);
    double last = NAN;
    page_ink(page, page->theme->limit);
    cairo_set_line_width(page->cr, 1.5);
    cairo_set_dash(page->cr, dashes, 2, 0);
    for (int i = 0; i < done; i++) {
        double ceiling = ceiling_of(&tokens->chart->data, &panel->series.items[i]);
        double x = edge(tokens, bins_begin(bins, i)), y = scale_at(values, ceiling);
        if (!isnan(ceiling) && !isnan(last))
            cairo_line_to(page->cr, x, y);
        else
            cairo_move_to(page->cr, x, y);
        if (!isnan(ceiling)) cairo_line_to(page->cr, edge(tokens, bins_end(bins, i)), y);
        last = ceiling;
    }
    cairo_stroke(page->cr);
    cairo_set_dash(page->cr, NULL, 0, 0);
    if (isnan(last)) return;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->limit);
    double x = panel->at.plot.x + panel->at.plot.width + 8;
    label_number(&page->labels, last, 0, number);
    label_fill(&page->labels, LABEL_TOKENS_FULL, text, number, LABEL_END);
    page_text(page, &style, x, scale_at(values, last) + 4, page->width - 12 - x, text);
}

static void draw_mark(const struct page *page, double x, double foot) {
    page_ink(page, page->theme->ink);
    cairo_move_to(page->cr, x, foot);
    cairo_line_to(page->cr, x - 4.5, foot - 8);
    cairo_line_to(page->cr, x + 4.5, foot - 8);
    cairo_close_path(page->cr);
    cairo_fill(page->cr);
}

#define MARK_HALF 5.0

/* A mark where the saved burst runs out, with its time where there is room for it: beside the mark,
 * with no other mark between, right if it can be, else left. */
static void draw_marks(const struct tokens *tokens, const struct tokens_panel *panel,
                       const struct scale *values) {
    const struct page *page = &tokens->chart->page;
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, true, TEXT_START, page->theme->ink);
    double foot = values->page_low, right = panel->at.plot.x + panel->at.plot.width;
    double taken = panel->at.plot.x;
    int count = panel->out_count < MARKS_MOST ? panel->out_count : MARKS_MOST;
    for (int i = 0; i < count; i++) {
        char clock[QUERY_CLOCK_BYTES], text[LABEL_BYTES];
        double x = edge(tokens, panel->out_s[i]), next = right;
        if (i + 1 < count) next = edge(tokens, panel->out_s[i + 1]) - MARK_HALF - 2;
        draw_mark(page, x, foot);
        query_clock(&tokens->chart->data.run, panel->out_s[i], false, clock);
        label_fill(&page->labels, LABEL_TOKENS_EMPTY_AT, text, clock, LABEL_END);
        double width = text_width(&page->pen, &style, text), at = x + 8;
        if (at + width > next) at = x - 8 - width;
        bool room = at >= taken;
        taken = x + MARK_HALF + 2;
        if (!room) continue;
        text_draw(&page->pen, &style, at, foot - 11, text);
        if (at > x) taken = at + width + 10;
    }
}

static void draw_nothing(const struct tokens *tokens, const struct tokens_panel *panel) {
    const struct page *page = &tokens->chart->page;
    struct box box = panel->at.plot;
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->secondary);
    page_line(page, page->theme->grid, 1, 0, box.x, box.y + box.height, box.x + box.width,
              box.y + box.height);
    page_text(page, &style, box.x, box.y + box.height / 2, box.width,
              page->labels.texts[LABEL_TOKENS_NO_BURST]);
}

static void draw_panel(const struct tokens *tokens, const struct tokens_panel *panel) {
    const struct page *page = &tokens->chart->page;
    struct box box = panel->at.plot;
    struct ticks ticks =
        ticks_linear(0, panel->ceiling, (int)fmax(3, fmin(6, box.height / 30)), true);
    struct scale values = {0, ticks_last(&ticks), box.y + box.height, box.y};
    chart_panel_header(tokens->chart, &panel->at,
                       chart_unit(tokens->chart, panel->at.resource->reads));
    if (!(panel->ceiling > 0)) {
        draw_nothing(tokens, panel);
        return;
    }
    page_value_axis(page, box, &ticks, &values, NULL);
    draw_area(tokens, panel, &values);
    draw_ceiling(tokens, panel, &values);
    draw_marks(tokens, panel, &values);
}

/* It ran out more than once: the two times, or how many there were. */
static void title_of_times(struct tokens *tokens, const struct tokens_panel *panel, int64_t end_s) {
    struct chart *chart = tokens->chart;
    const struct labels *labels = &chart->page.labels;
    char first[QUERY_CLOCK_BYTES], second[QUERY_CLOCK_BYTES], times[LABEL_NUMBER_BYTES];
    char when[LABEL_BYTES];
    query_moment(&chart->data.run, panel->out_s[0], false, first);
    query_moment(&chart->data.run, panel->out_s[1], false, second);
    label_number(labels, panel->out_count, 0, times);
    chart_when(chart, panel->out_s[0], end_s, when);
    if (panel->out_count == 2 && strcmp(first, second) != 0)
        label_fill(labels, LABEL_TITLE_TOKENS_TWICE, chart->title, panel->at.resource->name, first,
                   second, LABEL_END);
    else
        label_fill(labels, LABEL_TITLE_TOKENS_TIMES, chart->title, panel->at.resource->name, times,
                   when, LABEL_END);
}

static void title_of_empty(struct tokens *tokens, const struct tokens_panel *panel) {
    struct chart *chart = tokens->chart;
    char when[LABEL_BYTES];
    int64_t end_s = panel->series.items[panel->last_empty].empty_end_s;
    if (panel->out_count > 1) {
        title_of_times(tokens, panel, end_s);
        return;
    }
    chart_when(chart, panel->series.items[panel->first_empty].empty_s, end_s, when);
    label_fill(&chart->page.labels, LABEL_TITLE_TOKENS_EMPTY, chart->title,
               panel->at.resource->name, when, LABEL_END);
}

/* What refused most kept its burst: something else ran out, and the title says so. */
static void title_of_kept(struct tokens *tokens, const struct tokens_panel *panel) {
    struct chart *chart = tokens->chart;
    const struct chart_resource *resource = panel->at.resource;
    char number[LABEL_NUMBER_BYTES], percent[LABEL_NUMBER_BYTES], when[LABEL_BYTES];
    const char *words = chart_refused_words(chart, resource, number);
    chart_when(chart, resource->first_throttled_s, resource->last_throttled_s, when);
    label_number(&chart->page.labels, floor(panel->lowest * 100), 0, percent);
    bool partition = 2 * resource->key_range > resource->throttled;
    label_fill(&chart->page.labels,
               partition ? LABEL_TITLE_TOKENS_PARTITION : LABEL_TITLE_TOKENS_KEPT, chart->title,
               resource->name, number, words, when, percent, LABEL_END);
}

static void write_title(struct tokens *tokens) {
    struct chart *chart = tokens->chart;
    const struct chart_resource *worst = chart_data_worst(&chart->data);
    const struct tokens_panel *emptiest = NULL, *lowest = NULL, *of_worst = NULL;
    if (chart_is_empty(chart)) return;
    for (int i = 0; i < tokens->count; i++) {
        const struct tokens_panel *panel = &tokens->panels[i];
        if (worst && panel->at.resource == worst) of_worst = panel;
        if (panel->empty > (emptiest ? emptiest->empty : 0)) emptiest = panel;
        if (panel->ceiling > 0 && (!lowest || panel->lowest < lowest->lowest)) lowest = panel;
    }
    if (of_worst && of_worst->empty > 0) emptiest = of_worst;
    if (of_worst && of_worst->empty == 0 && of_worst->ceiling > 0) {
        title_of_kept(tokens, of_worst);
    } else if (emptiest) {
        title_of_empty(tokens, emptiest);
    } else if (lowest) {
        char percent[LABEL_NUMBER_BYTES];
        label_number(&chart->page.labels, floor(lowest->lowest * 100), 0, percent);
        label_fill(&chart->page.labels, LABEL_TITLE_TOKENS_LEFT, chart->title,
                   lowest->at.resource->name, percent, LABEL_END);
    } else
        label_fill(&chart->page.labels,
                   chart->data.saves_nothing ? LABEL_TITLE_TOKENS_ON_DEMAND
                                             : LABEL_TITLE_TOKENS_NONE,
                   chart->title, chart->data.table, LABEL_END);
}

static enum ddbsim_status load(struct tokens *tokens, const struct chart_panels *chosen,
                               struct ddbsim_error *error) {
    struct chart *chart = tokens->chart;
    double width = chart->page.width - 40 - GUTTER - MARGIN;
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; status == DDBSIM_OK && i < chosen->count; i++) {
        tokens->panels[tokens->count++].at.resource = chosen->resources[i];
        status = load_panel(tokens, &tokens->panels[i], (int)(width / 2), error);
    }
    if (status != DDBSIM_OK || tokens->count == 0) return status;
    char span[LABEL_NUMBER_BYTES];
    label_span(tokens->panels[0].series.bins.width_s, span);
    label_fill(&chart->page.labels, LABEL_SUBTITLE_TOKENS, chart->what, span, LABEL_END);
    return status;
}

/* Gutter and margin that hold the widest label of any panel. */
static void measure(const struct tokens *tokens, double *gutter, double *margin) {
    const struct chart *chart = tokens->chart;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    *gutter = GUTTER;
    *margin = MARGIN;
    for (int i = 0; i < tokens->count; i++) {
        label_number(&chart->page.labels, tokens->panels[i].ceiling, 0, number);
        label_fill(&chart->page.labels, LABEL_TOKENS_FULL, text, number, LABEL_END);
        *gutter = chart_gutter(chart, tokens->panels[i].ceiling, *gutter);
        *margin = chart_margin(chart, text, *margin);
    }
}

static enum ddbsim_status draw(struct tokens *tokens, struct ddbsim_error *error) {
    struct chart *chart = tokens->chart;
    struct chart_panels chosen = chart_choose_panels(chart, chart_panels_room(chart));
    struct chart_panel places[CHART_PANELS_MOST];
    enum ddbsim_status status = load(tokens, &chosen, error);
    if (status != DDBSIM_OK) return status;
    write_title(tokens);
    chart_left_out(chart, chosen.left_out);
    chart_frame(chart);
    page_footer(&chart->page, chart->footer, 0);
    if (chosen.count == 0) return DDBSIM_OK;
    double gutter, margin;
    measure(tokens, &gutter, &margin);
    chart_place_panels(chart, &chosen, gutter, margin, false, places);
    struct box whole = places[0].plot, last = places[chosen.count - 1].plot;
    whole.height = last.y + last.height - whole.y;
    tokens->time = (struct scale){(double)chart->data.from_s, (double)chart->data.to_s, whole.x,
                                  whole.x + whole.width};
    for (int i = 0; i < tokens->count; i++) {
        tokens->panels[i].at = places[i];
        draw_panel(tokens, &tokens->panels[i]);
    }
    page_time_axis(&chart->page, whole, &chart->data.run, &tokens->time);
    return DDBSIM_OK;
}

enum ddbsim_status chart_tokens_draw(struct chart *chart, struct ddbsim_error *error) {
    struct tokens *tokens = calloc(1, sizeof *tokens);
    if (!tokens) return error_memory(error);
    tokens->chart = chart;
    enum ddbsim_status status = draw(tokens, error);
    for (int i = 0; i < tokens->count; i++)
        series_free(&tokens->panels[i].series);
    free(tokens);
    return status;
}
