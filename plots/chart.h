/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chart: what it is called, its size, and how it is drawn. plots.c holds the table of them. */
#ifndef PLOTS_CHART_H
#define PLOTS_CHART_H

#include <plots/chart_data.h>
#include <plots/page.h>

struct chart {
    struct page page;
    struct chart_data data;
    char title[LABEL_BYTES], what[LABEL_BYTES], provenance[LABEL_BYTES], footer[LABEL_BYTES];
};

struct chart_kind {
    const char *name, *what;
    int width, height;
    enum ddbsim_status (*draw)(struct chart *chart, struct ddbsim_error *error);
    /* How high it is where nobody says: at most `height`; NULL: always that. */
    enum ddbsim_status (*fit)(const struct chart_data *data, int most, int *height,
                              struct ddbsim_error *error);
};

DDBSIM_MUST_CHECK enum ddbsim_status chart_heat_draw(struct chart *chart,
                                                     struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_heat_fit(const struct chart_data *data, int most,
                                                    int *height, struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_capacity_draw(struct chart *chart,
                                                         struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_tokens_draw(struct chart *chart,
                                                       struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_lineage_draw(struct chart *chart,
                                                        struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_placement_draw(struct chart *chart,
                                                          struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_alarms_draw(struct chart *chart,
                                                       struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_alarms_fit(const struct chart_data *data, int most,
                                                      int *height, struct ddbsim_error *error);

DDBSIM_MUST_CHECK enum ddbsim_status chart_write_cost_draw(struct chart *chart,
                                                           struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status chart_write_cost_fit(const struct chart_data *data, int most,
                                                          int *height, struct ddbsim_error *error);

/* Draws all of the frame but the footer from the chart's texts, sets page.content. */
void chart_frame(struct chart *chart);

/* "between 18:17 and 19:00" or "at 18:17". */
void chart_when(const struct chart *chart, int64_t from_s, int64_t to_s, char out[LABEL_BYTES]);
const char *chart_unit(const struct chart *chart, bool reads);
/* The title where something was refused: who, how much, when, and what the table used meanwhile. */
DDBSIM_MUST_CHECK enum ddbsim_status chart_title_refused(struct chart *chart,
                                                         const struct chart_resource *worst,
                                                         struct ddbsim_error *error);
/* "4 217" and "writes". */
const char *chart_refused_words(const struct chart *chart, const struct chart_resource *resource,
                                char number[LABEL_NUMBER_BYTES]);
/* True where no row of the window exists: sets the title that says so. */
bool chart_is_empty(struct chart *chart);

/* Panels one above the other, for charts with one a resource. The table has one where there is room
 * for more than one; then those come into the choice that refused most. The order stays the
 * database's. */
#define CHART_PANELS_MOST 16
struct chart_panels {
    const struct chart_resource *resources[CHART_PANELS_MOST];
    int count, left_out;
};
struct chart_panels chart_choose_panels(const struct chart *chart, int most);
/* More at the end of the provenance, before chart_frame: a text, "3 more not shown". */
void chart_add_provenance(struct chart *chart, const char *text);
void chart_left_out(struct chart *chart, int left_out);
/* A legend at the foot of the page, put together from the right; each returns where the next ends. */
#define LEGEND_GAP 5
double chart_legend_text(const struct chart *chart, double x, const char *text);
/* A cell at the limit with a mark: at its head, at its foot, or below it. */
enum swatch { SWATCH_HEAD, SWATCH_FOOT, SWATCH_BELOW };
double chart_legend_swatch(const struct chart *chart, double x, enum swatch swatch,
                           struct colour colour, const char *text);
/* The ramp of loads, from 0 to the limit, where `room` on its left suffices; else x. */
double chart_legend_ramp(const struct chart *chart, double x, double room);
/* "limit 1 000 WCU/s", for one partition, or "limit 500 to 1 000 WCU/s". */
void chart_limit_text(const struct chart *chart, const struct chart_resource *resource, double low,
                      double high, char out[LABEL_BYTES]);
/* A panel: a plot, under it the strip of refusals (height 0: no room). */
struct chart_panel {
    const struct chart_resource *resource;
    struct box plot, strip;
};
/* Places count panels in the page's content, leaving the time axis its space under the last. gutter
 * and margin are left and right of the plots. strips: those that refused get one, if there is room
 * for all of these. */
void chart_place_panels(const struct chart *chart, const struct chart_panels *panels, double gutter,
                        double margin, bool strips, struct chart_panel *out);
/* The gutter that labels up to `most` need, and the margin for the widest text at the ends of
 * lines; each no narrower than `least`. */
double chart_gutter(const struct chart *chart, double most, double least);
double chart_margin(const struct chart *chart, const char *text, double least);
/* How many panels the page has room for. */
int chart_panels_room(const struct chart *chart);
/* Unit in the gutter, name, and at the right what was refused. */
void chart_panel_header(const struct chart *chart, const struct chart_panel *panel,
                        const char *unit);
/* Name, kind and a remark ("": none). Where the width is short the remark goes first, then the kind;
 * only a name that would not fit alone is cut. */
void chart_panel_name(const struct chart *chart, const struct chart_resource *resource,
                      const char *remark, double x, double y, double width);

#endif
