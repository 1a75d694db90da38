/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the charts share: titles made from the data by rule, and panels for a table and its indexes.
 */
#include <plots/chart.h>
#include <plots/palette.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

void chart_frame(struct chart *chart) {
    page_frame(&chart->page, chart->title, chart->what, chart->provenance);
}

void chart_when(const struct chart *chart, int64_t from_s, int64_t to_s, char out[LABEL_BYTES]) {
    char from[QUERY_CLOCK_BYTES], to[QUERY_CLOCK_BYTES];
    query_moment(&chart->data.run, from_s, false, from);
    query_moment(&chart->data.run, to_s, false, to);
    char *date_end = strchr(to, ' '); /* a date stands once */
    if (date_end && strncmp(from, to, (size_t)(date_end - to)) == 0 && strcmp(from, to) != 0)
        memmove(to, date_end + 1, strlen(date_end));
    const struct labels *labels = &chart->page.labels;
    if (strcmp(from, to) == 0)
        label_fill(labels, LABEL_AT, out, from, LABEL_END);
    else
        label_fill(labels, LABEL_BETWEEN, out, from, to, LABEL_END);
}

const char *chart_unit(const struct chart *chart, bool reads) {
    return chart->page.labels.texts[reads ? LABEL_READ_UNIT : LABEL_WRITE_UNIT];
}

const char *chart_refused_words(const struct chart *chart, const struct chart_resource *resource,
                                char number[LABEL_NUMBER_BYTES]) {
    const char *const *texts = chart->page.labels.texts;
    bool one = resource->throttled == 1;
    label_number(&chart->page.labels, (double)resource->throttled, 0, number);
    if (resource->reads) return texts[one ? LABEL_READ_ONE : LABEL_READ_MANY];
    return texts[one ? LABEL_WRITE_ONE : LABEL_WRITE_MANY];
}

#define CALM 0.9 /* of its capacity */

/* The table's capacity and mean consumption while the index refused; NaN: unknown. */
static enum ddbsim_status table_meanwhile(const struct chart *chart,
                                          const struct chart_resource *worst, double *used,
                                          double *capacity, struct ddbsim_error *error) {
    const struct chart_resource *table = &chart->data.resources[0];
    *used = *capacity = NAN;
    if (!worst->is_index || table->is_index || table->reads != worst->reads) return DDBSIM_OK;
    struct bins one = bins_make(worst->first_throttled_s, worst->last_throttled_s, 0, 1, 1);
    struct series series;
    one.first_s = one.from_s;
    one.width_s = one.to_s - one.from_s;
    one.count = 1;
    enum ddbsim_status status = series_load(&chart->data, table, &one, &series, error);
    if (status != DDBSIM_OK) return status;
    *used = series_mean(&series, 0);
    *capacity = series.items[0].limit;
    series_free(&series);
    return DDBSIM_OK;
}

enum ddbsim_status chart_title_refused(struct chart *chart, const struct chart_resource *worst,
                                       struct ddbsim_error *error) {
    char number[LABEL_NUMBER_BYTES], used_text[LABEL_NUMBER_BYTES], when[LABEL_BYTES];
    char capacity_text[LABEL_NUMBER_BYTES];
    double used, capacity;
    const struct labels *labels = &chart->page.labels;
    const char *words = chart_refused_words(chart, worst, number);
    enum ddbsim_status status = table_meanwhile(chart, worst, &used, &capacity, error);
    if (status != DDBSIM_OK) return status;
    chart_when(chart, worst->first_throttled_s, worst->last_throttled_s, when);
    if (chart->data.resources[0].throttled == 0 && used <= CALM * capacity) {
        label_number(labels, used, 0, used_text);
        label_short(labels, capacity, capacity_text);
        label_fill(labels, LABEL_TITLE_REFUSES_CALM, chart->title, worst->name, number, words, when,
                   used_text, capacity_text, chart_unit(chart, worst->reads), LABEL_END);
    } else {
        label_fill(labels, LABEL_TITLE_REFUSES, chart->title, worst->name, number, words, when,
                   LABEL_END);
    }
    return DDBSIM_OK;
}

bool chart_is_empty(struct chart *chart) {
    for (int i = 0; i < chart->data.count; i++)
        if (chart->data.resources[i].recorded) return false;
    label_fill(&chart->page.labels, LABEL_TITLE_NO_DATA, chart->title, LABEL_END);
    return true;
}

/* How many resources are chosen before this one: the table where it always has a place, those that
 * refused more, then in order. */
static int rank_of(const struct chart_data *data, int number, bool with_table) {
    int rank = 0;
    if (with_table && number == 0) return 0;
    for (int i = 0; i < data->count; i++) {
        bool table_first = with_table && i == 0;
        bool more = data->resources[i].throttled > data->resources[number].throttled;
        bool same = data->resources[i].throttled == data->resources[number].throttled;
        rank += table_first || more || (same && i < number);
    }
    return rank;
}

struct chart_panels chart_choose_panels(const struct chart *chart, int most) {
    struct chart_panels panels = {.count = 0};
    if (most < 1) most = 1;
    if (most > CHART_PANELS_MOST) most = CHART_PANELS_MOST;
    for (int i = 0; i < chart->data.count; i++) {
        if (rank_of(&chart->data, i, most > 1) < most && panels.count < most)
            panels.resources[panels.count++] = &chart->data.resources[i];
        else
            panels.left_out++;
    }
    return panels;
}

void chart_add_provenance(struct chart *chart, const char *text) {
    size_t used = strlen(chart->provenance);
    snprintf(chart->provenance + used, sizeof chart->provenance - used, " · %s", text);
}

void chart_left_out(struct chart *chart, int left_out) {
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    if (left_out == 0) return;
    label_number(&chart->page.labels, left_out, 0, number);
    label_fill(&chart->page.labels, LABEL_MORE_RESOURCES, text, number, LABEL_END);
    chart_add_provenance(chart, text);
}

#define NAME_GAP 6.0
/* Two labels and the point between them. */
#define LIFE_BYTES (2 * LABEL_BYTES + 8)

static void moment_text(const struct chart *chart, int64_t t_s, char out[QUERY_CLOCK_BYTES]) {
    out[0] = '\0';
    if (t_s != CHART_NEVER) query_moment(&chart->data.run, t_s, false, out);
}

/* "built 18:30 to 18:37 · deleted 18:38"; empty where it was there all the time. */
static void life_text(const struct chart *chart, const struct chart_resource *resource,
                      char out[LIFE_BYTES]) {
    char born[QUERY_CLOCK_BYTES], active[QUERY_CLOCK_BYTES], gone[QUERY_CLOCK_BYTES];
    char built[LABEL_BYTES] = "", deleted[LABEL_BYTES] = "";
    const struct labels *labels = &chart->page.labels;
    moment_text(chart, resource->born_s, born);
    moment_text(chart, resource->active_s, active);
    moment_text(chart, resource->gone_s, gone);
    if (resource->born_s != CHART_NEVER)
        label_fill(labels,
                   resource->active_s != CHART_NEVER ? LABEL_INDEX_BUILT : LABEL_INDEX_BUILDING,
                   built, born, active, LABEL_END);
    if (resource->gone_s != CHART_NEVER)
        label_fill(labels, LABEL_INDEX_DELETED, deleted, gone, LABEL_END);
    snprintf(out, LIFE_BYTES, "%s%s%s", built, *built && *deleted ? " \xc2\xb7 " : "", deleted);
}

void chart_panel_name(const struct chart *chart, const struct chart_resource *resource,
                      const char *remark, double x, double y, double width) {
    const struct page *page = &chart->page;
    struct text_style bold = text_style_of(PAGE_LABEL_SIZE, true, TEXT_START, page->theme->ink);
    struct text_style plain =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->secondary);
    char name[LABEL_BYTES], life[LIFE_BYTES], kind[LIFE_BYTES + LABEL_BYTES];
    char beside[sizeof kind + LABEL_BYTES];
    double whole = text_width(&page->pen, &bold, resource->name);
    life_text(chart, resource, life);
    snprintf(kind, sizeof kind, "%s%s%s",
             page->labels.texts[resource->is_index ? LABEL_INDEX_NAME : LABEL_TABLE_NAME],
             *life ? " \xc2\xb7 " : "", life);
    snprintf(beside, sizeof beside, "%s%s%s", kind, *remark ? " · " : "", remark);
    if (whole + NAME_GAP + text_width(&page->pen, &plain, beside) > width)
        snprintf(beside, sizeof beside, "%s", kind);
    double taken = NAME_GAP + text_width(&page->pen, &plain, beside);
    bool only_name = whole <= width && whole + taken > width;
    if (only_name) taken = 0;
    text_fit(&page->pen, &bold, width - taken, resource->name, name, sizeof name);
    text_draw(&page->pen, &bold, x, y, name);
    if (only_name) return;
    text_draw(&page->pen, &plain, x + text_width(&page->pen, &bold, name) + NAME_GAP, y, beside);
}

#define PANEL_LEAST 62.0
#define PANEL_HEADER 24.0
#define PANEL_GAP 10.0
#define STRIP_HEADER 24.0
#define STRIP_SHARE 0.22

int chart_panels_room(const struct chart *chart) {
    double height = chart->page.height;
    return (int)((height - page_words_height(height) - PAGE_AXIS_HEIGHT) /
                 (PANEL_LEAST + PANEL_HEADER + PANEL_GAP));
}

double chart_gutter(const struct chart *chart, double most, double least) {
    struct ticks ticks = ticks_linear(0, most, 6, true);
    double width = page_value_width(&chart->page, &ticks) + 10;
    return width > least ? width : least;
}

double chart_margin(const struct chart *chart, const char *text, double least) {
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, chart->page.theme->ink);
    double width = text_width(&chart->page.pen, &style, text) + 10, most = chart->page.width * 0.35;
    return width < least ? least : width < most ? width : most;
}

void chart_place_panels(const struct chart *chart, const struct chart_panels *panels, double gutter,
                        double margin, bool strips, struct chart_panel *out) {
    struct box content = chart->page.content;
    int refused = 0;
    for (int i = 0; i < panels->count; i++)
        refused += strips && panels->resources[i]->throttled > 0;
    double all = content.height - PAGE_AXIS_HEIGHT + PANEL_GAP;
    double each = all / panels->count - PANEL_GAP - PANEL_HEADER;
    double strip = each > PANEL_LEAST + 24 ? floor((each - STRIP_HEADER) * STRIP_SHARE) : 0;
    double taken = strip > 0 ? refused * (strip + STRIP_HEADER) / panels->count : 0;
    double plot = floor(each - taken), x = content.x + gutter, y = scale_snap(content.y);
    double width = floor(content.width - gutter - margin);
    for (int i = 0; i < panels->count; i++) {
        bool has_strip = strips && strip > 0 && panels->resources[i]->throttled > 0;
        out[i].resource = panels->resources[i];
        y += PANEL_HEADER;
        out[i].plot = (struct box){x, y, width, plot};
        y += plot + (has_strip ? STRIP_HEADER : 0);
        out[i].strip = (struct box){x, y, width, has_strip ? strip : 0};
        y += (has_strip ? strip : 0) + PANEL_GAP;
    }
}

void chart_panel_header(const struct chart *chart, const struct chart_panel *panel,
                        const char *unit) {
    const struct page *page = &chart->page;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    double y = panel->plot.y - 10, right = panel->plot.x + panel->plot.width, taken = 0;
    struct text_style gutter =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_END, page->theme->secondary);
    struct text_style refused =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, page->theme->throttled_text);
    text_draw(&page->pen, &gutter, panel->plot.x - 6, y, unit);
    if (panel->resource->throttled > 0) {
        label_number(&page->labels, (double)panel->resource->throttled, 0, number);
        label_fill(&page->labels, LABEL_REFUSED_COUNT, text, number, LABEL_END);
        text_draw(&page->pen, &refused, right, y, text);
        taken = text_width(&page->pen, &refused, text) + 12;
    }
    chart_panel_name(chart, panel->resource, "", panel->plot.x, y, panel->plot.width - taken);
}

/* ---- legend ---- */

#define NARROW 560.0
#define RAMP_WIDTH 96
#define RAMP_HEIGHT 9
#define SWATCH_WIDTH 14
#define SWATCH_MARK 4

double chart_legend_text(const struct chart *chart, double x, const char *text) {
    const struct page *page = &chart->page;
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, page->theme->secondary);
    text_draw(&page->pen, &style, x, page->height - 12, text);
    return x - text_width(&page->pen, &style, text) - LEGEND_GAP;
}

double chart_legend_swatch(const struct chart *chart, double x, enum swatch swatch,
                           struct colour colour, const char *text) {
    const struct page *page = &chart->page;
    double top = page->height - 12 - RAMP_HEIGHT, foot = top + RAMP_HEIGHT;
    double cell = swatch == SWATCH_BELOW ? RAMP_HEIGHT - SWATCH_MARK : RAMP_HEIGHT;
    double mark = swatch == SWATCH_HEAD ? top : foot - SWATCH_MARK;
    if (swatch == SWATCH_BELOW) mark += 2;
    x = scale_snap(chart_legend_text(chart, x, text) - SWATCH_WIDTH);
    page_fill(page, palette_load(1), (struct box){x, top, SWATCH_WIDTH, cell});
    page_fill(page, colour, (struct box){x, mark, SWATCH_WIDTH, SWATCH_MARK});
    return x - 3 * LEGEND_GAP;
}

double chart_legend_ramp(const struct chart *chart, double x, double room) {
    const struct page *page = &chart->page;
    const char *full = page->labels.texts[LABEL_HEAT_FULL];
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, page->theme->ink);
    int ramp = page->width < NARROW ? RAMP_WIDTH / 2 : RAMP_WIDTH;
    if (x - text_width(&page->pen, &style, full) - ramp - 6 * LEGEND_GAP < room) return x;
    x = scale_snap(chart_legend_text(chart, x, full) - ramp);
    for (int i = 0; i < ramp; i += 2)
        page_fill(page, palette_load(i / (ramp - 2.0)),
                  (struct box){x + i, page->height - 12 - RAMP_HEIGHT, 2, RAMP_HEIGHT});
    return chart_legend_text(chart, x - LEGEND_GAP, "0");
}

void chart_limit_text(const struct chart *chart, const struct chart_resource *resource, double low,
                      double high, char out[LABEL_BYTES]) {
    const struct labels *labels = &chart->page.labels;
    char from[LABEL_NUMBER_BYTES], to[LABEL_NUMBER_BYTES], eventual[LABEL_NUMBER_BYTES];
    const char *unit = chart_unit(chart, resource->reads);
    label_short(labels, low, from);
    label_short(labels, high, to);
    label_short(labels, resource->eventual_limit, eventual);
    if (low < high)
        label_fill(labels, LABEL_HEAT_LIMIT_RANGE, out, from, to, unit, LABEL_END);
    else if (resource->eventual_limit > 0 && !(high < resource->partition_limit))
        label_fill(labels, LABEL_HEAT_LIMIT_EVENTUAL, out, to, unit, eventual, LABEL_END);
    else
        label_fill(labels, LABEL_HEAT_LIMIT, out, to, unit, LABEL_END);
}
