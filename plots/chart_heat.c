/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The signature picture: every partition's load in key order by time, the table and its indexes as
 * bands one above the other, so that a calm table over a burning index is seen at once. Colour is
 * load / limit in force, absolute, so a mild table never looks on fire. A maroon mark at the head of
 * a cell: the load was above the limit (saved burst was spent). A vermillion notch at its foot: the
 * partition refused attempts. What the resource refused as a whole stands in a lane of its own under
 * the rows, so that no partition is suspected of it.
 */
#include <plots/chart.h>
#include <plots/heat_grid.h>
#include <plots/palette.h>

#include <base/error.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CELL_LEAST 2.0 /* points */
#define CELLS_AS_RECTANGLES 2000
#define IMAGE_SCALE 2 /* pixels a point of the cells' image */
#define HEADER_HEIGHT 19.0
#define BAND_GAP 9.0
#define BAND_LEAST 18.0
#define ROW_MOST 64.0
#define ROW_MOST_SPARE 96.0  /* where the page is higher than needed */
#define ROW_MOST_ALONE 160.0 /* and has no strip */
#define GAP_MOST 20.0
#define OVER 1.1 /* of the limit: less may be a matter of when a sample begins */
#define EMPTY_BAND 44.0
#define STRIP_LEAST 34.0
#define STRIP_USUAL 100.0
#define STRIP_SHARE 0.22 /* of the content */
#define GUTTER 40.0
#define ROW_LABEL_LEAST 11.0
#define LANE_GAP 3.0
#define LANE_HEIGHT 6.0

struct band {
    const struct chart_resource *resource;
    struct heat_grid grid;
    struct box box;
    double lane; /* the height under the box that refusals of the whole resource take; 0: none */
};

struct heat {
    struct chart *chart;
    struct band bands[CHART_PANELS_MOST];
    int count, left_out;
    struct bins bins;
    double *refused; /* per bin, the whole table */
    double refused_most;
    double margin; /* right of the plot */
    struct box plot, strip;
};

#define NARROW 560.0 /* without totals */

static double total_width(const struct page *page) {
    return page->width < NARROW ? 12 : page->width < 800 ? 76 : 112;
}

static struct scale time_scale(const struct heat *heat) {
    return (struct scale){(double)heat->bins.from_s, (double)heat->bins.to_s, heat->plot.x,
                          heat->plot.x + heat->plot.width};
}

static double bin_x(const struct heat *heat, int bin) {
    struct scale time = time_scale(heat);
    return scale_snap(scale_at(&time, (double)bins_begin(&heat->bins, bin)));
}

/* Nothing is drawn beyond where the run ended. */
static double bin_end_x(const struct heat *heat, int bin) {
    struct scale time = time_scale(heat);
    int64_t end = bins_end(&heat->bins, bin), last = heat->chart->data.end_s;
    return scale_snap(scale_at(&time, (double)(end < last ? end : last)));
}

/* Bins from here on were never simulated. */
static int bins_done(const struct heat *heat) {
    int count = 0;
    while (count < heat->bins.count && bins_begin(&heat->bins, count) < heat->chart->data.end_s)
        count++;
    return count;
}

static double row_y(const struct band *band, int row) {
    return scale_snap(band->box.y + band->box.height * row / band->grid.row_count);
}

static int row_of_leaf(const struct heat_grid *grid, int leaf) {
    int low = 0, high = grid->row_count - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (grid->rows[middle].first <= leaf)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- layout ---- */

static double wanted_height(const struct band *band, double share, double row_most) {
    if (band->grid.leaf_count == 0) return fmin(EMPTY_BAND, fmax(BAND_LEAST, share));
    double rows = band->grid.leaf_count;
    return fmin(rows * row_most, fmax(BAND_LEAST, share));
}

/* Rows may be taller where there are few in all. */
static double tallest_row(const struct heat *heat, double space) {
    double rows = 0;
    for (int i = 0; i < heat->count; i++)
        rows += fmax(1, heat->bands[i].grid.leaf_count);
    bool alone = !(heat->refused_most > 0);
    double most = alone ? ROW_MOST_ALONE : ROW_MOST_SPARE;
    return fmax(ROW_MOST, fmin(most, (alone ? 0.85 : 0.7) * space / rows));
}

static double lanes_height(const struct heat *heat) {
    double height = 0;
    for (int i = 0; i < heat->count; i++)
        height += heat->bands[i].lane;
    return height;
}

/* The strip of refusals is the first to go where bands need the space. */
static double strip_height(const struct heat *heat, struct box content) {
    double bands = heat->count * (HEADER_HEIGHT + BAND_GAP + BAND_LEAST) + lanes_height(heat);
    double strip = fmax(STRIP_LEAST, fmin(STRIP_USUAL, content.height * STRIP_SHARE));
    bool room = content.height >= PAGE_AXIS_HEIGHT + bands + HEADER_HEIGHT + strip;
    return heat->refused_most > 0 && room ? strip : 0;
}

/* Sizes the bands in `space` by their partitions, each at least its due; returns what is left. */
static double size_bands(struct heat *heat, double space) {
    double weight = 0, left = space;
    double base = fmin(28, space / heat->count), row_most = tallest_row(heat, space);
    for (int i = 0; i < heat->count; i++)
        weight += fmin(heat->bands[i].grid.leaf_count, 60) + 1;
    for (int i = 0; i < heat->count; i++) {
        struct band *band = &heat->bands[i];
        double own = (fmin(band->grid.leaf_count, 60) + 1) / weight;
        double share = base + (space - base * heat->count) * own;
        band->box.height = floor(wanted_height(band, share, row_most));
        left -= band->box.height;
    }
    return left > 0 ? left : 0;
}

/* What the bands leave goes to the gaps between them, then to the strip. */
static void place_bands(struct heat *heat, struct box content) {
    double strip = strip_height(heat, content), y = content.y;
    double space = content.height - PAGE_AXIS_HEIGHT - heat->count * (HEADER_HEIGHT + BAND_GAP) -
                   lanes_height(heat);
    double left = size_bands(heat, space - (strip > 0 ? strip + HEADER_HEIGHT : 0));
    double gap = BAND_GAP + fmin(GAP_MOST, left / (2 * heat->count));
    for (int i = 0; i < heat->count; i++) {
        struct band *band = &heat->bands[i];
        y += HEADER_HEIGHT;
        band->box.x = heat->plot.x;
        band->box.y = scale_snap(y);
        band->box.width = heat->plot.width;
        y += band->box.height + band->lane + gap;
    }
    if (strip > 0) {
        double bottom = content.y + content.height - PAGE_AXIS_HEIGHT;
        y = scale_snap(y + HEADER_HEIGHT);
        heat->strip = (struct box){heat->plot.x, y, heat->plot.width, floor(bottom - y)};
        y += heat->strip.height;
    } else
        y -= gap - 3;
    heat->plot.y = content.y;
    heat->plot.height = scale_snap(y) - content.y;
}

/* As high as the bands want to be: a page of few rows is not drawn out. */
enum ddbsim_status chart_heat_fit(const struct chart_data *data, int most, int *height,
                                  struct ddbsim_error *error) {
    double need = page_words_height(most) + PAGE_AXIS_HEIGHT;
    bool refused = false;
    for (int i = 0; i < data->count; i++) {
        int64_t leaves = 0;
        enum ddbsim_status status =
            query_one_int(data->database, error, 0, &leaves,
                          "SELECT count(*) FROM partition p WHERE run_id = ?1 AND resource_id = ?2"
                          " AND NOT EXISTS(SELECT 1 FROM partition c WHERE c.run_id = p.run_id"
                          " AND c.parent_id = p.partition_id)",
                          "ii", data->run.run_id, data->resources[i].resource_id);
        if (status != DDBSIM_OK) return status;
        double rows = leaves > 0 ? ROW_MOST * (double)leaves : EMPTY_BAND;
        need += HEADER_HEIGHT + BAND_GAP + 6 + rows;
        if (data->resources[i].throttled > 0) need += LANE_GAP + LANE_HEIGHT;
        refused = refused || data->resources[i].throttled > 0;
    }
    if (refused) need += HEADER_HEIGHT + STRIP_USUAL;
    *height = (int)fmax(0.6 * most, fmin(most, ceil(need)));
    return DDBSIM_OK;
}

static enum ddbsim_status lay_out(struct heat *heat, struct ddbsim_error *error) {
    struct box content = heat->chart->page.content;
    enum ddbsim_status status = DDBSIM_OK;
    place_bands(heat, content);
    for (int i = 0; status == DDBSIM_OK && i < heat->count; i++) {
        struct band *band = &heat->bands[i];
        status = heat_grid_rows(&band->grid, (int)(band->box.height / CELL_LEAST), error);
    }
    return status;
}

/* ---- cells ---- */

static struct colour cell_colour(const struct heat_grid *grid, int row, int bin) {
    struct heat_cell cell = heat_grid_cell(grid, &grid->rows[row], bin);
    return palette_load(cell.load / grid->limit[bin]);
}

static void cells_as_rectangles(const struct heat *heat, const struct band *band, int done) {
    for (int row = 0; row < band->grid.row_count; row++)
        for (int bin = 0; bin < done; bin++) {
            double x = bin_x(heat, bin), y = row_y(band, row);
            page_fill(&heat->chart->page, cell_colour(&band->grid, row, bin),
                      (struct box){x, y, bin_end_x(heat, bin) - x, row_y(band, row + 1) - y});
        }
}

/* One row of cells into its lines of the image; pixels are 0x00RRGGBB. */
static void image_row(const struct heat *heat, const struct band *band, int row, int done,
                      unsigned char *pixels, int stride) {
    int top = (int)(row_y(band, row) - band->box.y) * IMAGE_SCALE;
    int bottom = (int)(row_y(band, row + 1) - band->box.y) * IMAGE_SCALE;
    for (int bin = 0; bin < done; bin++) {
        struct colour colour = cell_colour(&band->grid, row, bin);
        uint32_t pixel = (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
        int left = (int)(bin_x(heat, bin) - heat->plot.x) * IMAGE_SCALE;
        int right = (int)(bin_end_x(heat, bin) - heat->plot.x) * IMAGE_SCALE;
        for (int y = top; y < bottom; y++) {
            uint32_t *line = (uint32_t *)(void *)(pixels + (ptrdiff_t)y * stride);
            for (int x = left; x < right; x++)
                line[x] = pixel;
        }
    }
}

static enum ddbsim_status cells_as_image(const struct heat *heat, const struct band *band, int done,
                                         struct ddbsim_error *error) {
    cairo_t *cr = heat->chart->page.cr;
    double width = bin_end_x(heat, done - 1) - heat->plot.x;
    cairo_surface_t *image = cairo_image_surface_create(
        CAIRO_FORMAT_RGB24, (int)width * IMAGE_SCALE, (int)band->box.height * IMAGE_SCALE);
    if (cairo_surface_status(image) != CAIRO_STATUS_SUCCESS) {
        cairo_surface_destroy(image);
        return error_memory(error);
    }
    cairo_surface_flush(image);
    for (int row = 0; row < band->grid.row_count; row++)
        image_row(heat, band, row, done, cairo_image_surface_get_data(image),
                  cairo_image_surface_get_stride(image));
    cairo_surface_mark_dirty(image);
    cairo_save(cr);
    cairo_translate(cr, heat->plot.x, band->box.y);
    cairo_scale(cr, 1.0 / IMAGE_SCALE, 1.0 / IMAGE_SCALE);
    cairo_set_source_surface(cr, image, 0, 0);
    cairo_pattern_set_filter(cairo_get_source(cr), CAIRO_FILTER_NEAREST);
    cairo_paint(cr);
    cairo_restore(cr);
    cairo_surface_destroy(image);
    return DDBSIM_OK;
}

/* A boundary between two leaves exists from the split that made it. */
static int64_t boundary_since(const struct heat_grid *grid, int leaf) {
    int64_t since = grid->bins.from_s;
    for (int i = 0; i < grid->fork_count; i++) {
        const struct heat_fork *fork = &grid->forks[i];
        bool inside = leaf > fork->parent_first && leaf < fork->parent_first + fork->parent_count;
        if (inside && fork->t_s > since) since = fork->t_s;
    }
    return since;
}

static void draw_gaps(const struct heat *heat, const struct band *band) {
    struct scale time = time_scale(heat);
    double right = heat->plot.x + heat->plot.width;
    if (band->box.height / band->grid.row_count < 4) return;
    for (int row = 1; row < band->grid.row_count; row++) {
        int64_t since = boundary_since(&band->grid, band->grid.rows[row].first);
        double x = scale_snap(scale_at(&time, (double)since));
        page_fill(&heat->chart->page, heat->chart->page.theme->paper,
                  (struct box){x, row_y(band, row) - 1, right - x, 1});
    }
}

static double notch_height(double row_height) { return fmax(1, fmin(5, ceil(row_height / 4))); }

/* Neighbouring marks become one rectangle. */
static void mark(const struct heat *heat, struct colour colour, int begin, int end, double top,
                 double height) {
    double x = bin_x(heat, begin);
    page_fill(&heat->chart->page, colour,
              (struct box){x, top, bin_end_x(heat, end - 1) - x, height});
}

/* Of the limit, in a band: eventual reads have more than the strong ones that colours are scaled by. */
static double over_share(const struct band *band) {
    double eventual = band->resource->eventual_limit / band->resource->partition_limit;
    return OVER * fmax(1, eventual);
}

static bool over_at(const struct band *band, int row, int bin) {
    return heat_grid_cell(&band->grid, &band->grid.rows[row], bin).load >
           over_share(band) * band->grid.limit[bin];
}

/* Above the limit, at the head of the partition: before a split its rows are one. */
static void draw_overs(const struct heat *heat, const struct band *band, int row, int done) {
    double top = row_y(band, row), height = notch_height(row_y(band, row + 1) - top);
    int64_t since = boundary_since(&band->grid, band->grid.rows[row].first);
    for (int bin = 0; bin < done; bin++) {
        int begin = bin;
        while (bin < done && since < bins_end(&heat->bins, bin) && over_at(band, row, bin))
            bin++;
        if (bin > begin) mark(heat, heat->chart->page.theme->over, begin, bin, top, height);
    }
}

static bool refused_at(const struct band *band, int row, int bin) {
    return heat_grid_cell(&band->grid, &band->grid.rows[row], bin).throttled > 0;
}

static void draw_notches(const struct heat *heat, const struct band *band, int row, int done) {
    double bottom = row_y(band, row + 1), tall = bottom - row_y(band, row);
    double height = notch_height(tall);
    if (tall >= 4 && row < band->grid.row_count - 1) bottom -= 1; /* the gap between rows */
    for (int bin = 0; bin < done; bin++) {
        int begin = bin;
        while (bin < done && refused_at(band, row, bin))
            bin++;
        if (bin > begin)
            mark(heat, heat->chart->page.theme->throttled, begin, bin, bottom - height, height);
    }
}

/* What the resource refused as a whole: a lane under its rows, as wide as they are. */
static void draw_lane(const struct heat *heat, const struct band *band, int done) {
    const struct page *page = &heat->chart->page;
    double top = band->box.y + band->box.height + LANE_GAP;
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_END, page->theme->secondary);
    if (!(band->lane > 0)) return;
    page_fill(page, page->theme->grid,
              (struct box){band->box.x, top, band->box.width, LANE_HEIGHT});
    for (int bin = 0; bin < done; bin++) {
        int begin = bin;
        while (bin < done && band->grid.foot[bin] > 0)
            bin++;
        if (bin > begin) mark(heat, page->theme->throttled, begin, bin, top, LANE_HEIGHT);
    }
    text_draw(&page->pen, &style, band->box.x - 6, top + LANE_HEIGHT,
              page->labels.texts[LABEL_HEAT_WHOLE_ROW]);
}

static void polyline(const struct page *page, struct colour colour, double width,
                     const double (*points)[2], int count) {
    page_ink(page, colour);
    cairo_set_line_width(page->cr, width);
    cairo_move_to(page->cr, points[0][0], points[0][1]);
    for (int i = 1; i < count; i++)
        cairo_line_to(page->cr, points[i][0], points[i][1]);
    cairo_stroke(page->cr);
}

static double span_middle(const struct band *band, int first, int count) {
    double top = row_y(band, row_of_leaf(&band->grid, first));
    return (top + row_y(band, row_of_leaf(&band->grid, first + count - 1) + 1)) / 2;
}

/* A bracket: from the middle of the divided partition to the middle of one of its two. */
static void draw_fork(const struct heat *heat, const struct band *band,
                      const struct heat_fork *fork) {
    const struct page *page = &heat->chart->page;
    struct scale time = time_scale(heat);
    double x = scale_snap(scale_at(&time, (double)fork->t_s)) + 0.5;
    double parent = span_middle(band, fork->parent_first, fork->parent_count);
    double child = span_middle(band, fork->child_first, fork->child_count);
    const double points[][2] = {{x - 9, parent}, {x, parent}, {x, child}, {x + 9, child}};
    polyline(page, page->theme->paper, 3.5, points, 4);
    polyline(page, page->theme->ink, 1.5, points, 4);
}

/* ---- words around the bands ---- */

/* What the rows are, where they are not one partition each; else empty. */
static void joined_text(const struct heat *heat, const struct band *band, char out[LABEL_BYTES]) {
    char leaves[LABEL_NUMBER_BYTES], rows[LABEL_NUMBER_BYTES];
    out[0] = '\0';
    if (band->grid.whole)
        label_fill(&heat->chart->page.labels, LABEL_HEAT_NO_PARTITIONS, out, LABEL_END);
    if (band->grid.row_count == band->grid.leaf_count) return;
    label_number(&heat->chart->page.labels, band->grid.leaf_count, 0, leaves);
    label_number(&heat->chart->page.labels, band->grid.row_count, 0, rows);
    label_fill(&heat->chart->page.labels, LABEL_HEAT_ROWS_JOINED, out, leaves, rows, LABEL_END);
}

static double end_text(const struct page *page, struct colour colour, double x, double y,
                       const char *text) {
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, colour);
    text_draw(&page->pen, &style, x, y, text);
    return text_width(&page->pen, &style, text);
}

static double bold_width(const struct page *page, const char *text) {
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, true, TEXT_START, page->theme->ink);
    return text_width(&page->pen, &style, text);
}

/* Name at the left, refusals, limit at the plot's right edge (where the name leaves it room), total
 * in the margin. */
static void draw_header(const struct heat *heat, const struct band *band) {
    const struct page *page = &heat->chart->page;
    const struct theme *theme = page->theme;
    double y = band->box.y - 6, right = heat->plot.x + heat->plot.width;
    char text[LABEL_BYTES], number[LABEL_NUMBER_BYTES], total[LABEL_BYTES];
    char refused[LABEL_BYTES] = "";
    double taken = 0, name = bold_width(page, band->resource->name);
    if (band->resource->throttled > 0) {
        label_number(&page->labels, (double)band->resource->throttled, 0, number);
        label_fill(&page->labels, LABEL_REFUSED_COUNT, refused, number, LABEL_END);
    }
    chart_limit_text(heat->chart, band->resource, band->grid.limit_low, band->grid.limit_high,
                     text);
    if (name + bold_width(page, refused) + bold_width(page, text) + 20 <= heat->plot.width)
        taken = end_text(page, theme->secondary, right, y, text) + 12;
    if (refused[0]) taken += end_text(page, theme->throttled_text, right - taken, y, refused) + 12;
    joined_text(heat, band, text);
    chart_panel_name(heat->chart, band->resource, text, heat->plot.x, y, heat->plot.width - taken);
    if (page->width < NARROW) return;
    label_number(&page->labels, band->resource->units, 0, number);
    snprintf(total, sizeof total, "\xce\xa3 %s", number);
    struct text_style style = text_style_of(PAGE_TICK_SIZE, false, TEXT_START, theme->secondary);
    page_text(page, &style, right + 10, y, heat->margin - 10, total);
}

static void row_label(const struct heat *heat, int partition, double y) {
    const struct page *page = &heat->chart->page;
    char number[LABEL_NUMBER_BYTES];
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_END, page->theme->secondary);
    label_number(&page->labels, partition, 0, number);
    text_draw(&page->pen, &style, heat->plot.x - 6, y, number);
}

/* Partition numbers in key order: all where rows are tall, else those that refused, as far as there
 * is room, and the first and the last where none of these stands in their place. */
static void draw_row_labels(const struct heat *heat, const struct band *band) {
    const struct heat_grid *grid = &band->grid;
    int count = grid->row_count;
    bool all = band->box.height / count >= ROW_LABEL_LEAST;
    double top = band->box.y + 9, bottom = band->box.y + band->box.height - 1;
    double highest = bottom + ROW_LABEL_LEAST, lowest = -INFINITY;
    for (int row = 0; row < count; row++) {
        double y = (row_y(band, row) + row_y(band, row + 1)) / 2 + 3.5;
        bool room = y - lowest >= ROW_LABEL_LEAST;
        if (!all && !(room && grid->rows[row].throttled > 0)) continue;
        row_label(heat, grid->rows[row].first + 1, y);
        highest = fmin(highest, y);
        lowest = y;
    }
    if (all) return;
    if (highest - top >= ROW_LABEL_LEAST) row_label(heat, 1, top);
    if (bottom - fmax(lowest, top) >= ROW_LABEL_LEAST) row_label(heat, grid->leaf_count, bottom);
}

static double units_each(const struct heat_row *row) { return row->units / row->count; }

static double most_units(const struct band *band) {
    double most = 0;
    for (int row = 0; row < band->grid.row_count; row++)
        most = fmax(most, units_each(&band->grid.rows[row]));
    return most;
}

/* What a partition of each row consumed in all, as bars on one scale within the band. */
static void draw_totals(const struct heat *heat, const struct band *band) {
    const struct page *page = &heat->chart->page;
    double most = most_units(band), x = heat->plot.x + heat->plot.width + 10;
    double width = heat->margin - 10, tall = band->box.height / band->grid.row_count;
    bool numbers = tall >= ROW_LABEL_LEAST && heat->margin > 100;
    if (numbers) width -= 54;
    if (band->grid.row_count == 1 || page->width < NARROW) return; /* the header says it */
    for (int row = 0; row < band->grid.row_count && most > 0; row++) {
        double y = row_y(band, row), height = row_y(band, row + 1) - y - (tall >= 4 ? 1 : 0);
        double bar = fmin(height, 12), length = width * units_each(&band->grid.rows[row]) / most;
        double top = scale_snap(y + (height - bar) / 2);
        page_fill(page, page->theme->consumed, (struct box){x, top, length, bar});
        if (!numbers) continue;
        char number[LABEL_NUMBER_BYTES];
        struct text_style style =
            text_style_of(PAGE_TICK_SIZE, false, TEXT_START, page->theme->secondary);
        label_number(&page->labels, units_each(&band->grid.rows[row]), 0, number);
        page_text(page, &style, x + length + 5, top + bar / 2 + 3.5, 54 + width - length - 5,
                  number);
    }
}

static void draw_empty_band(const struct heat *heat, const struct band *band) {
    const struct page *page = &heat->chart->page;
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->secondary);
    page_text(page, &style, band->box.x + 10, band->box.y + band->box.height / 2 + 4,
              band->box.width - 20, page->labels.texts[LABEL_HEAT_NO_PARTITIONS]);
}

static void blank(const struct heat *heat, const struct box *box, double from_x, double to_x) {
    if (to_x > from_x)
        page_fill(&heat->chart->page, heat->chart->page.theme->paper,
                  (struct box){from_x, box->y, to_x - from_x, box->height});
}

/* Nothing where the index was not there yet, or any more: that is no idle one. */
static void draw_absence(const struct heat *heat, const struct band *band) {
    const struct chart_resource *resource = band->resource;
    struct scale time = time_scale(heat);
    double left = band->box.x, right = band->box.x + band->box.width;
    if (resource->born_s != CHART_NEVER)
        blank(heat, &band->box, left,
              scale_snap(fmin(right, scale_at(&time, (double)resource->born_s))));
    if (resource->gone_s != CHART_NEVER)
        blank(heat, &band->box, scale_snap(fmax(left, scale_at(&time, (double)resource->gone_s))),
              right);
}

/* Keeps the dark end of the ramp apart from dark paper. */
static void draw_outline(const struct heat *heat, const struct band *band) {
    const struct page *page = &heat->chart->page;
    page_ink(page, page->theme->grid);
    cairo_set_line_width(page->cr, 1);
    cairo_rectangle(page->cr, band->box.x - 0.5, band->box.y - 0.5, band->box.width + 1,
                    band->box.height + 1);
    cairo_stroke(page->cr);
}

static enum ddbsim_status draw_band(const struct heat *heat, const struct band *band,
                                    struct ddbsim_error *error) {
    int done = bins_done(heat);
    enum ddbsim_status status = DDBSIM_OK;
    draw_header(heat, band);
    if (band->grid.row_count == 0) draw_empty_band(heat, band);
    if (band->grid.row_count > 0) {
        bool many = (int64_t)band->grid.row_count * heat->bins.count > CELLS_AS_RECTANGLES;
        if (many && done > 0)
            status = cells_as_image(heat, band, done, error);
        else
            cells_as_rectangles(heat, band, done);
        draw_gaps(heat, band);
        for (int row = 0; row < band->grid.row_count; row++) {
            draw_overs(heat, band, row, done);
            draw_notches(heat, band, row, done);
        }
        for (int i = 0; i < band->grid.fork_count; i++)
            draw_fork(heat, band, &band->grid.forks[i]);
        draw_absence(heat, band);
        if (!band->grid.whole) draw_row_labels(heat, band);
        draw_totals(heat, band);
    }
    draw_outline(heat, band);
    draw_lane(heat, band, done);
    return status;
}

static void draw_strip(const struct heat *heat) {
    const struct page *page = &heat->chart->page;
    if (!(heat->strip.height > 0)) return;
    struct ticks ticks =
        ticks_linear(0, heat->refused_most, (int)fmin(4, heat->strip.height / 22), true);
    struct scale values = {0, ticks_last(&ticks), heat->strip.y + heat->strip.height,
                           heat->strip.y};
    page_value_axis(page, heat->strip, &ticks, &values, page->labels.texts[LABEL_THROTTLED_RATE]);
    for (int bin = 0; bin < heat->bins.count; bin++) {
        int64_t width = bins_end(&heat->bins, bin) - bins_begin(&heat->bins, bin);
        double x = bin_x(heat, bin), rate = heat->refused[bin] / (double)width;
        double y = scale_at(&values, rate);
        if (!(rate > 0)) continue;
        page_fill(page, page->theme->throttled,
                  (struct box){x, y, bin_end_x(heat, bin) - x, values.page_low - y});
    }
}

static bool any_over(const struct heat *heat) {
    for (int i = 0; i < heat->count; i++)
        for (int leaf = 0; leaf < heat->bands[i].grid.leaf_count; leaf++)
            if (heat->bands[i].grid.leaves[leaf].peak > over_share(&heat->bands[i])) return true;
    return false;
}

static bool any_notch(const struct heat *heat) {
    for (int i = 0; i < heat->count; i++)
        for (int leaf = 0; leaf < heat->bands[i].grid.leaf_count; leaf++)
            if (heat->bands[i].grid.leaves[leaf].throttled > 0) return true;
    return false;
}

/* Right of the footer: the ramp from idle to the limit, and what the marks are, where there are
 * any. Returns its width. */
static double draw_legend(const struct heat *heat) {
    const struct chart *chart = heat->chart;
    const struct page *page = &chart->page;
    const struct theme *theme = page->theme;
    const char *const *texts = page->labels.texts;
    char over[LABEL_BYTES], percent[LABEL_NUMBER_BYTES];
    double right = page->width - 20, x = right;
    if (heat->count == 0) return 0;
    label_number(&page->labels, OVER * 100, 0, percent);
    label_fill(&page->labels, LABEL_HEAT_OVER, over, percent, LABEL_END);
    bool whole = lanes_height(heat) > 0, narrow = page->width < NARROW;
    if (whole)
        x = chart_legend_swatch(chart, x, SWATCH_BELOW, theme->throttled,
                                texts[narrow ? LABEL_HEAT_WHOLE_SHORT : LABEL_HEAT_WHOLE]);
    if (any_notch(heat))
        x = chart_legend_swatch(chart, x, SWATCH_FOOT, theme->throttled,
                                texts[narrow ? LABEL_REFUSED : LABEL_HEAT_NOTCH]);
    if (any_over(heat)) x = chart_legend_swatch(chart, x, SWATCH_HEAD, theme->over, over);
    return right - chart_legend_ramp(chart, x, 20);
}

/* ---- what it says ---- */

static void title_of_peak(struct heat *heat) {
    const struct band *hottest = NULL;
    double peak = 0;
    char percent[LABEL_NUMBER_BYTES];
    struct labels *labels = &heat->chart->page.labels;
    for (int i = 0; i < heat->count; i++)
        for (int leaf = 0; leaf < heat->bands[i].grid.leaf_count; leaf++)
            if (heat->bands[i].grid.leaves[leaf].peak > peak) {
                peak = heat->bands[i].grid.leaves[leaf].peak;
                hottest = &heat->bands[i];
            }
    label_short(labels, floor(peak * 100 + 0.5), percent);
    if (hottest)
        label_fill(labels, LABEL_TITLE_PEAK, heat->chart->title, hottest->resource->name, percent,
                   LABEL_END);
    else
        label_fill(labels, LABEL_TITLE_NOTHING_REFUSED, heat->chart->title, LABEL_END);
}

/* One partition of several that refused nine tenths of all is the finding. */
static bool title_of_partition(struct heat *heat, const struct chart_resource *worst) {
    const struct heat_grid *grid = NULL;
    for (int i = 0; i < heat->count; i++)
        if (heat->bands[i].resource == worst) grid = &heat->bands[i].grid;
    if (!grid || grid->leaf_count < 2) return false;
    int most = 0;
    for (int leaf = 1; leaf < grid->leaf_count; leaf++)
        if (grid->leaves[leaf].throttled > grid->leaves[most].throttled) most = leaf;
    if (grid->leaves[most].throttled < 0.9 * (double)worst->throttled) return false;
    char place[LABEL_NUMBER_BYTES], count[LABEL_NUMBER_BYTES], number[LABEL_NUMBER_BYTES];
    char when[LABEL_BYTES];
    struct labels *labels = &heat->chart->page.labels;
    const char *words = chart_refused_words(heat->chart, worst, number);
    label_number(labels, most + 1, 0, place);
    label_number(labels, grid->leaf_count, 0, count);
    chart_when(heat->chart, worst->first_throttled_s, worst->last_throttled_s, when);
    label_fill(labels, LABEL_TITLE_PARTITION_REFUSES, heat->chart->title, place, count, worst->name,
               number, words, when, LABEL_END);
    return true;
}

static enum ddbsim_status write_title(struct heat *heat, struct ddbsim_error *error) {
    const struct chart_resource *worst = chart_data_worst(&heat->chart->data);
    if (chart_is_empty(heat->chart)) return DDBSIM_OK;
    if (!worst) {
        title_of_peak(heat);
        return DDBSIM_OK;
    }
    if (title_of_partition(heat, worst)) return DDBSIM_OK;
    return chart_title_refused(heat->chart, worst, error);
}

static void write_subtitle(struct heat *heat, int64_t sample_s) {
    char width[LABEL_NUMBER_BYTES], sample[LABEL_NUMBER_BYTES];
    bool busiest = heat->bins.width_s > sample_s;
    label_span(heat->bins.width_s, width);
    label_span(sample_s, sample);
    label_fill(&heat->chart->page.labels,
               busiest ? LABEL_SUBTITLE_HEAT_BUSIEST : LABEL_SUBTITLE_HEAT, heat->chart->what,
               width, sample, LABEL_END);
}

/* ---- together ---- */

static enum ddbsim_status load_bands(struct heat *heat, struct ddbsim_error *error) {
    const struct page *page = &heat->chart->page;
    int most = (int)((page->height - page_words_height(page->height) - PAGE_AXIS_HEIGHT) /
                     (HEADER_HEIGHT + BAND_GAP + BAND_LEAST));
    struct chart_panels panels = chart_choose_panels(heat->chart, most);
    enum ddbsim_status status = DDBSIM_OK;
    heat->left_out = panels.left_out;
    for (int i = 0; status == DDBSIM_OK && i < panels.count; i++) {
        struct band *band = &heat->bands[heat->count++];
        band->resource = panels.resources[i];
        status =
            heat_grid_load(&heat->chart->data, band->resource, &heat->bins, &band->grid, error);
        for (int bin = 0; status == DDBSIM_OK && bin < heat->bins.count; bin++)
            if (band->grid.foot[bin] > 0) band->lane = LANE_GAP + LANE_HEIGHT;
    }
    return status;
}

static enum ddbsim_status load_refused(struct heat *heat, struct ddbsim_error *error) {
    heat->refused = calloc((size_t)heat->bins.count, sizeof *heat->refused);
    if (!heat->refused) return error_memory(error);
    enum ddbsim_status status =
        chart_data_refused(&heat->chart->data, &heat->bins, heat->refused, error);
    for (int i = 0; i < heat->bins.count; i++) {
        int64_t width = bins_end(&heat->bins, i) - bins_begin(&heat->bins, i);
        if (width > 0)
            heat->refused_most = fmax(heat->refused_most, heat->refused[i] / (double)width);
    }
    return status;
}

static enum ddbsim_status load(struct heat *heat, struct ddbsim_error *error) {
    struct chart *chart = heat->chart;
    int64_t sample_s = 10;
    enum ddbsim_status status =
        query_one_int(chart->data.database, error, 10, &sample_s,
                      "SELECT max(period_s) FROM partition_sample WHERE run_id = ?1", "i",
                      chart->data.run.run_id);
    if (status != DDBSIM_OK) return status;
    heat->margin = total_width(&chart->page);
    heat->plot.x = 20 + GUTTER;
    heat->plot.width = floor(chart->page.width - 40 - GUTTER - heat->margin);
    heat->bins = chart_data_bins(&chart->data, sample_s, (int)(heat->plot.width / CELL_LEAST));
    status = load_bands(heat, error);
    if (status == DDBSIM_OK) status = load_refused(heat, error);
    if (status == DDBSIM_OK) status = write_title(heat, error);
    write_subtitle(heat, sample_s);
    return status;
}

static enum ddbsim_status draw(struct heat *heat, struct ddbsim_error *error) {
    struct chart *chart = heat->chart;
    struct scale time = time_scale(heat);
    chart_left_out(chart, heat->left_out);
    chart_frame(chart);
    page_footer(&chart->page, chart->footer, draw_legend(heat));
    if (heat->count == 0) return DDBSIM_OK;
    enum ddbsim_status status = lay_out(heat, error);
    for (int i = 0; status == DDBSIM_OK && i < heat->count; i++)
        status = draw_band(heat, &heat->bands[i], error);
    draw_strip(heat);
    page_time_axis(&chart->page, heat->plot, &chart->data.run, &time);
    return status;
}

enum ddbsim_status chart_heat_draw(struct chart *chart, struct ddbsim_error *error) {
    struct heat *heat = calloc(1, sizeof *heat);
    if (!heat) return error_memory(error);
    heat->chart = chart;
    enum ddbsim_status status = load(heat, error);
    if (status == DDBSIM_OK) status = draw(heat, error);
    for (int i = 0; i < heat->count; i++)
        heat_grid_free(&heat->bands[i].grid);
    free(heat->refused);
    free(heat);
    return status;
}
