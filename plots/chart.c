/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the charts share: titles made from the data by rule, and panels for a table and its indexes.
 */
#include <plots/chart.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

void chart_frame(struct chart *chart) {
    page_frame(&chart->page, chart->title, chart->what, chart->provenance, chart->footer);
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

/* What the table's capacity exceeds its mean consumption by, while the index refused; NaN: unknown.
 */
static enum ddbsim_status table_spare(const struct chart *chart, const struct chart_resource *worst,
                                      double *spare, struct ddbsim_error *error) {
    const struct chart_resource *table = &chart->data.resources[0];
    *spare = NAN;
    if (!worst->is_index || table->is_index || table->reads != worst->reads) return DDBSIM_OK;
    struct bins one = bins_make(worst->first_throttled_s, worst->last_throttled_s, 0, 1, 1);
    struct series series;
    one.first_s = one.from_s;
    one.width_s = one.to_s - one.from_s;
    one.count = 1;
    enum ddbsim_status status = series_load(&chart->data, table, &one, &series, error);
    if (status != DDBSIM_OK) return status;
    if (table->throttled == 0) *spare = series.items[0].limit - series_mean(&series, 0);
    series_free(&series);
    return DDBSIM_OK;
}

enum ddbsim_status chart_title_refused(struct chart *chart, const struct chart_resource *worst,
                                       struct ddbsim_error *error) {
    char number[LABEL_NUMBER_BYTES], spare_text[LABEL_NUMBER_BYTES], when[LABEL_BYTES];
    double spare = NAN;
    const struct labels *labels = &chart->page.labels;
    const char *words = chart_refused_words(chart, worst, number);
    enum ddbsim_status status = table_spare(chart, worst, &spare, error);
    if (status != DDBSIM_OK) return status;
    chart_when(chart, worst->first_throttled_s, worst->last_throttled_s, when);
    if (spare >= 1) {
        label_number(labels, floor(spare), 0, spare_text);
        label_fill(labels, LABEL_TITLE_REFUSES_SPARE, chart->title, worst->name, number, words,
                   when, spare_text, chart_unit(chart, worst->reads), LABEL_END);
    } else {
        label_fill(labels, LABEL_TITLE_REFUSES, chart->title, worst->name, number, words, when,
                   NULL);
    }
    return DDBSIM_OK;
}

bool chart_is_empty(struct chart *chart) {
    for (int i = 0; i < chart->data.count; i++)
        if (chart->data.resources[i].recorded) return false;
    label_fill(&chart->page.labels, LABEL_TITLE_NO_DATA, chart->title, LABEL_END);
    return true;
}

/* How many resources are chosen before this one: those that refused more, then in order. */
static int rank_of(const struct chart_data *data, int number) {
    int rank = 0;
    for (int i = 0; i < data->count; i++) {
        bool table_first = i == 0 && number != 0;
        bool more = data->resources[i].throttled > data->resources[number].throttled;
        bool same = data->resources[i].throttled == data->resources[number].throttled;
        rank += number != 0 && (table_first || more || (same && i < number));
    }
    return rank;
}

struct chart_panels chart_choose_panels(const struct chart *chart, int most) {
    struct chart_panels panels = {.count = 0};
    if (most < 1) most = 1;
    if (most > CHART_PANELS_MOST) most = CHART_PANELS_MOST;
    for (int i = 0; i < chart->data.count; i++) {
        if (rank_of(&chart->data, i) < most && panels.count < most)
            panels.resources[panels.count++] = &chart->data.resources[i];
        else
            panels.left_out++;
    }
    return panels;
}

void chart_left_out(const struct chart *chart, int left_out) {
    if (left_out == 0) return;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    const struct page *page = &chart->page;
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_MIDDLE, page->theme->secondary);
    label_number(&page->labels, left_out, 0, number);
    label_fill(&page->labels, LABEL_MORE_RESOURCES, text, number, LABEL_END);
    page_text(page, &style, page->width / 2, page->height - 12, page->width * 0.2, text);
}

void chart_panel_name(const struct chart *chart, const struct chart_resource *resource,
                      const char *remark, double x, double y, double width) {
    const struct page *page = &chart->page;
    char name[LABEL_BYTES];
    struct text_style bold = text_style_of(PAGE_LABEL_SIZE, true, TEXT_START, page->theme->ink);
    struct text_style plain =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->secondary);
    char kind[LABEL_BYTES];
    snprintf(kind, sizeof kind, "%s%s%s",
             page->labels.texts[resource->is_index ? LABEL_INDEX_NAME : LABEL_TABLE_NAME],
             *remark ? " · " : "", remark);
    double kind_width = text_width(&page->pen, &plain, kind) + 6;
    text_fit(&page->pen, &bold, width - kind_width, resource->name, name, sizeof name);
    text_draw(&page->pen, &bold, x, y, name);
    text_draw(&page->pen, &plain, x + text_width(&page->pen, &bold, name) + 6, y, kind);
}

#define PANEL_LEAST 62.0
#define PANEL_HEADER 24.0
#define PANEL_GAP 10.0
#define STRIP_HEADER 24.0
#define STRIP_SHARE 0.22
#define PAGE_WORDS_HEIGHT 140.0 /* title, subtitle, footer and time axis, about */

int chart_panels_room(const struct chart *chart) {
    return (int)((chart->page.height - PAGE_WORDS_HEIGHT) /
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
    double width = text_width(&chart->page.pen, &style, text) + 10, most = chart->page.width / 4;
    return width < least ? least : width < most ? width : most;
}

void chart_place_panels(const struct chart *chart, const struct chart_panels *panels, double gutter,
                        double margin, bool strips, struct chart_panel *out) {
    struct box content = chart->page.content;
    double each = (content.height - PAGE_AXIS_HEIGHT + PANEL_GAP) / panels->count;
    double inner = each - PANEL_GAP - PANEL_HEADER;
    double strip =
        strips && inner > PANEL_LEAST + 24 ? floor((inner - STRIP_HEADER) * STRIP_SHARE) : 0;
    double plot = floor(inner - (strip > 0 ? strip + STRIP_HEADER : 0));
    double width = floor(content.width - gutter - margin);
    for (int i = 0; i < panels->count; i++) {
        double y = scale_snap(content.y + each * i + PANEL_HEADER), x = content.x + gutter;
        out[i].resource = panels->resources[i];
        out[i].plot = (struct box){x, y, width, plot};
        out[i].strip = (struct box){x, y + plot + STRIP_HEADER, width, strip};
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
