/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one write costs: the table's units and those of each index, one on top of the other, and how many writes a
 * second the capacity of each carries. The slowest of these is what the table as a whole carries, whatever the others
 * have.
 *
 * Units are those that CloudWatch counts in whole minutes (ConsumedWriteCapacityUnits), writes the samples of the
 * table's; members of batches are writes of their own. Where something was refused and nobody names a time, the
 * minutes of the refusals count. An index that came or went is measured while it could be read, or its own units
 * would be those that filled it in.
 */
#include <plots/chart.h>
#include <plots/words.h>

#include <base/error.h>
#include <ddbsim/names.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROW_HEIGHT 44.0
#define ROW_LEAST 30.0
#define ROW_MOST 80.0
#define PART_HEIGHT 26.0
#define BAR_SHARE 0.42
#define PART_BAR 8.0
#define USUAL_LEAST 340.0 /* a lower page goes without what is drawn */
#define TEXT_RISE 7.0
#define NUMBER_ROOM 86.0
#define LEFT 4.0
#define KIND_ROOM 180.0 /* beside a name: what it is, and when it came or went */
#define PARTS_MOST 8

struct cost {
    const struct chart_resource *resource;
    double units;       /* of one write; NaN: unknown */
    double limit_per_s; /* provisioned, or served on demand; NaN: none */
    int64_t from_s, to_s;
    bool is_local;
};

struct part {
    char name[2 * CHART_NAME_BYTES];
    double units, writes;
};

struct costs {
    struct chart *chart;
    const struct chart_data *data;
    struct cost *items;
    int count;
    struct part parts[PARTS_MOST]; /* of the table's units, by workload and operation */
    int part_count;
    bool has_batches;       /* the database can tell of them */
    double calls_to_writes; /* more than 1 where there are some */
    double sum;
};

/* ---- reading ---- */

static enum ddbsim_status read_minutes(const struct costs *costs, int64_t resource_id,
                                       int64_t from_s, int64_t to_s, double *units, double *samples,
                                       struct ddbsim_error *error) {
    struct query query;
    query_open(&query, costs->data->database, error,
               "SELECT sum(sum), sum(sample_count) FROM metric WHERE run_id = ?1"
               " AND resource_id = ?2 AND name = 'ConsumedWriteCapacityUnits' AND t_s >= ?3"
               " AND t_s + period_s <= ?4",
               "iiii", costs->data->run.run_id, resource_id, from_s, to_s);
    *units = *samples = NAN;
    if (query_next(&query)) {
        *units = query_double(&query, 0);
        *samples = query_double(&query, 1);
    }
    return query_close(&query);
}

/* Samples are calls: batches count their members instead. */
static enum ddbsim_status read_batches(struct costs *costs, struct ddbsim_error *error) {
    struct query query;
    double calls = 0, batches = 0, members = 0;
    query_open(&query, costs->data->database, error,
               "SELECT operation, sum(attempts - throttled_attempts) FROM workload_total"
               " WHERE run_id = ?1 AND table_name = ?2 GROUP BY operation",
               "it", costs->data->run.run_id, costs->data->table);
    while (query_next(&query)) {
        int operation = ddbsim_name_find(ddbsim_operation_name, query_text(&query, 0));
        double served = query_double(&query, 1);
        if (operation < 0 || !ddbsim_operation_is_write(operation)) continue;
        calls += served;
        if (ddbsim_operation_is_batch(operation)) batches += served;
    }
    enum ddbsim_status status = query_close(&query);
    if (status == DDBSIM_OK && batches > 0 && costs->has_batches)
        status = query_one_double(costs->data->database, error, &members,
                                  "SELECT sum(members - throttled) FROM batch_second"
                                  " WHERE run_id = ?1 AND table_name = ?2"
                                  " AND operation LIKE '%Write%'",
                                  "it", costs->data->run.run_id, costs->data->table);
    costs->calls_to_writes = 1;
    if (members > 0 && calls > 0) costs->calls_to_writes = (calls - batches + members) / calls;
    return status;
}

/* The minutes that are measured by default. */
static struct bins usual_window(const struct costs *costs) {
    const struct chart_data *data = costs->data;
    const struct chart_resource *worst = chart_data_worst(data);
    struct bins window = {.from_s = data->from_s, .to_s = data->end_s};
    bool named = data->from_s > 0 || data->to_s < data->run.duration_s;
    if (named || !worst || worst->reads) return window;
    if (worst->last_throttled_s - worst->first_throttled_s < 180) return window;
    window.from_s = worst->first_throttled_s;
    window.to_s = worst->last_throttled_s;
    return window;
}

/* Within the index's life; where it has none there, all of its life. */
static void window_of(const struct costs *costs, struct cost *cost) {
    const struct chart_resource *resource = cost->resource;
    struct bins usual = usual_window(costs);
    int64_t born = resource->born_s != CHART_NEVER ? resource->active_s : INT64_MIN;
    int64_t gone = resource->gone_s != CHART_NEVER ? resource->gone_s : INT64_MAX;
    if (resource->born_s != CHART_NEVER && resource->active_s == CHART_NEVER)
        born = resource->born_s;
    for (int whole = 0; whole < 2; whole++) {
        int64_t from = whole ? costs->data->from_s : usual.from_s;
        int64_t to = whole ? costs->data->end_s : usual.to_s;
        cost->from_s = from > born ? from : born;
        cost->to_s = to < gone ? to : gone;
        if (cost->to_s - cost->from_s >= 120) return;
    }
}

static enum ddbsim_status read_limit(const struct costs *costs, struct cost *cost,
                                     struct ddbsim_error *error) {
    return query_one_double(costs->data->database, error, &cost->limit_per_s,
                            "SELECT write_limit FROM second WHERE run_id = ?1 AND resource_id = ?2"
                            " AND t_s < ?3 AND write_limit IS NOT NULL ORDER BY t_s DESC LIMIT 1",
                            "iii", costs->data->run.run_id, cost->resource->resource_id,
                            cost->to_s);
}

static enum ddbsim_status read_cost(const struct costs *costs, struct cost *cost,
                                    struct ddbsim_error *error) {
    double own, samples, units, writes = NAN;
    window_of(costs, cost);
    enum ddbsim_status status = read_minutes(costs, cost->resource->resource_id, cost->from_s,
                                             cost->to_s, &own, &samples, error);
    if (status == DDBSIM_OK)
        status = read_minutes(costs, costs->items[0].resource->resource_id, cost->from_s,
                              cost->to_s, &units, &writes, error);
    cost->units = writes > 0 ? (isnan(own) ? 0 : own) / (writes * costs->calls_to_writes) : NAN;
    return status == DDBSIM_OK ? read_limit(costs, cost, error) : status;
}

static enum ddbsim_status read_local(const struct costs *costs, struct cost *cost,
                                     struct ddbsim_error *error) {
    int64_t local = 0;
    char *table = words_path_name(costs->data->table);
    char *index = words_path_name(cost->resource->name);
    enum ddbsim_status status =
        table && index
            ? query_one_int(costs->data->database, error, 0, &local,
                            "SELECT value = 'LOCAL' FROM setting WHERE run_id = ?1 AND path ="
                            " 'tables.' || ?2 || '.indexes.' || ?3 || '.type'",
                            "itt", costs->data->run.run_id, table, index)
            : error_memory(error);
    cost->is_local = local != 0;
    free(table);
    free(index);
    return status;
}

/* Over the whole run: nobody counts units by operation and minute. Older files know no batches. */
static const char *const parts_sql[2] = {
    "SELECT workload, operation, sum(units), sum(attempts - throttled_attempts) AS writes"
    " FROM workload_total WHERE run_id = ?1 AND table_name = ?2 GROUP BY workload, operation"
    " HAVING writes > 0 ORDER BY sum(units) DESC",
    "SELECT workload, operation, sum(units), sum(coalesce((SELECT sum(b.members - b.throttled)"
    " FROM batch_second b WHERE b.run_id = w.run_id AND b.workload = w.workload AND b.table_name ="
    " w.table_name AND b.operation = w.operation), attempts - throttled_attempts)) AS writes"
    " FROM workload_total w WHERE run_id = ?1 AND table_name = ?2 GROUP BY workload, operation"
    " HAVING writes > 0 ORDER BY sum(units) DESC"};

static void add_part(struct costs *costs, struct query *query) {
    int operation = ddbsim_name_find(ddbsim_operation_name, query_text(query, 1));
    char workload[CHART_NAME_BYTES];
    if (operation < 0 || !ddbsim_operation_is_write(operation)) return;
    if (costs->part_count == PARTS_MOST) return;
    struct part *part = &costs->parts[costs->part_count++];
    text_clean(query_text(query, 0), workload, sizeof workload);
    snprintf(part->name, sizeof part->name, "%s \xc2\xb7 %s", workload,
             ddbsim_operation_name(operation));
    part->units = query_double(query, 2);
    part->writes = query_double(query, 3);
}

static enum ddbsim_status read_parts(struct costs *costs, struct ddbsim_error *error) {
    struct query query;
    query_open(&query, costs->data->database, error, parts_sql[costs->has_batches], "it",
               costs->data->run.run_id, costs->data->table);
    while (query_next(&query))
        add_part(costs, &query);
    return query_close(&query);
}

static enum ddbsim_status load(struct costs *costs, struct ddbsim_error *error) {
    const struct chart_data *data = costs->data;
    costs->items = calloc((size_t)data->count + 1, sizeof *costs->items);
    if (!costs->items) return error_memory(error);
    enum ddbsim_status status =
        query_has(data->database, error, "batch_second", &costs->has_batches);
    if (status == DDBSIM_OK) status = read_batches(costs, error);
    for (int i = 0; status == DDBSIM_OK && i < data->count; i++) {
        struct cost *cost = &costs->items[costs->count++];
        cost->resource = &data->resources[i];
        status = read_cost(costs, cost, error);
        if (status == DDBSIM_OK && cost->resource->is_index)
            status = read_local(costs, cost, error);
        if (!isnan(cost->units)) costs->sum += cost->units;
    }
    if (status == DDBSIM_OK) status = read_parts(costs, error);
    if (costs->part_count == 1) costs->part_count = 0; /* it is the table's row */
    return status;
}

/* ---- words ---- */

static const char *units_text(const struct labels *labels, double units,
                              char out[LABEL_NUMBER_BYTES]) {
    bool whole = fabs(units - round(units)) < 0.05 || units >= 1000;
    return label_number(labels, units, whole ? 0 : 1, out);
}

static const struct cost *dearest_index(const struct costs *costs) {
    const struct cost *dearest = NULL;
    for (int i = 1; i < costs->count; i++)
        if (costs->items[i].units > (dearest ? dearest->units : 0)) dearest = &costs->items[i];
    return dearest;
}

static void write_title(const struct costs *costs) {
    struct chart *chart = costs->chart;
    const struct labels *labels = &chart->page.labels;
    char own[LABEL_NUMBER_BYTES], index[LABEL_NUMBER_BYTES];
    const struct cost *dearest = dearest_index(costs);
    if (!(costs->sum > 0)) {
        label_fill(labels, LABEL_TITLE_COST_NONE, chart->title, LABEL_END);
        return;
    }
    units_text(labels, costs->items[0].units, own);
    if (dearest && dearest->units > costs->items[0].units * 1.005) {
        units_text(labels, dearest->units, index);
        label_fill(labels, LABEL_TITLE_COST_INDEX, chart->title, costs->data->table,
                   dearest->resource->name, index, own, LABEL_END);
        return;
    }
    units_text(labels, costs->sum - costs->items[0].units, index);
    label_fill(labels, dearest ? LABEL_TITLE_COST : LABEL_TITLE_COST_ALONE, chart->title,
               costs->data->table, own, index, LABEL_END);
}

static void write_subtitle(const struct costs *costs) {
    struct chart *chart = costs->chart;
    char from[QUERY_CLOCK_BYTES], to[QUERY_CLOCK_BYTES];
    int64_t from_s = costs->data->from_s, to_s = costs->data->end_s;
    if (costs->count > 0) {
        from_s = costs->items[0].from_s;
        to_s = costs->items[0].to_s;
    }
    query_moment(&costs->data->run, from_s, false, from);
    query_moment(&costs->data->run, to_s, false, to);
    label_fill(&chart->page.labels, LABEL_SUBTITLE_COST, chart->what, from, to, LABEL_END);
}

/* "100 WCU/s carry 5.7 writes/s", or why the row has no bar. */
static void carries_text(const struct costs *costs, const struct cost *cost,
                         char out[LABEL_BYTES]) {
    const struct labels *labels = &costs->chart->page.labels;
    char limit[LABEL_NUMBER_BYTES], writes[LABEL_NUMBER_BYTES];
    out[0] = '\0';
    if (cost->is_local) {
        label_fill(labels, LABEL_COST_LOCAL, out, LABEL_END);
        return;
    }
    if (!(cost->units > 0) || !(cost->limit_per_s > 0)) return;
    label_short(labels, cost->limit_per_s, limit);
    units_text(labels, cost->limit_per_s / cost->units, writes);
    label_fill(labels, LABEL_COST_CARRIES, out, limit, writes, LABEL_END);
}

/* The row whose capacity carries the fewest writes; -1: unknown. */
static int tightest(const struct costs *costs) {
    int found = -1;
    double least = INFINITY;
    for (int i = 0; i < costs->count; i++) {
        const struct cost *cost = &costs->items[i];
        double carries = cost->units > 0 && !cost->is_local ? cost->limit_per_s / cost->units : NAN;
        if (!(carries < least)) continue;
        least = carries;
        found = i;
    }
    return found;
}

/* ---- drawing ---- */

struct layout {
    double x, width, y;
    double row, part; /* heights */
    struct scale units;
};

static void draw_number(const struct costs *costs, double x, double y, double units, bool bold) {
    const struct page *page = &costs->chart->page;
    struct text_style style =
        text_style_of(bold ? PAGE_LABEL_SIZE : PAGE_TICK_SIZE, bold, TEXT_START,
                      bold ? page->theme->ink : page->theme->secondary);
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    units_text(&page->labels, units, number);
    label_fill(&page->labels, LABEL_COST_UNITS, text, number, LABEL_END);
    text_draw(&page->pen, &style, x + 6, y, text);
}

static void draw_bar(const struct costs *costs, const struct layout *at, double from, double units,
                     double top, double height, struct colour colour) {
    double left = scale_snap(scale_at(&at->units, from));
    double right = scale_snap(scale_at(&at->units, from + units));
    if (units > 0 && right < left + 1) right = left + 1;
    page_fill(&costs->chart->page, colour, (struct box){left, top, right - left, height});
    draw_number(costs, right, top + height / 2 + 4, units, height > PART_BAR);
}

/* A thin line from the end of one bar to the begin of the next, unless it would cross the next one's name. */
static void draw_step(const struct costs *costs, const struct layout *at, double sum, double y,
                      const char *name) {
    const struct page *page = &costs->chart->page;
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, true, TEXT_START, page->theme->ink);
    double x = scale_snap(scale_at(&at->units, sum)) - 0.5;
    if (x < at->x + text_width(&page->pen, &style, name) + KIND_ROOM) return;
    page_line(page, page->theme->secondary, 1, 2, x, y, x, y + at->row * (1 - BAR_SHARE));
}

static void draw_carries(const struct costs *costs, const struct layout *at,
                         const struct cost *cost, double y, bool binds, double *taken) {
    const struct page *page = &costs->chart->page;
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, binds, TEXT_END,
                                            binds ? page->theme->ink : page->theme->secondary);
    char text[LABEL_BYTES];
    carries_text(costs, cost, text);
    *taken = *text ? text_width(&page->pen, &style, text) + 12 : 0;
    if (*taken > at->width * 0.6) *taken = 0;
    if (!(*taken > 0)) return;
    /* The step from the bar above may end behind the words. */
    page_fill(page, page->theme->paper,
              (struct box){at->x + at->width - *taken + 8, y - 11, *taken - 8, 15});
    text_draw(&page->pen, &style, at->x + at->width, y, text);
}

static void draw_row(const struct costs *costs, struct layout *at, int number, double before) {
    const struct page *page = &costs->chart->page;
    const struct cost *cost = &costs->items[number];
    double height = floor(at->row * BAR_SHARE), top = scale_snap(at->y + at->row - height), taken;
    draw_carries(costs, at, cost, top - TEXT_RISE, tightest(costs) == number, &taken);
    chart_panel_name(costs->chart, cost->resource, "", at->x, top - TEXT_RISE, at->width - taken);
    if (cost->units >= 0 && !cost->is_local)
        draw_bar(costs, at, before, cost->units, top, height, page->theme->consumed);
    at->y += at->row;
}

static void draw_part(const struct costs *costs, struct layout *at, const struct part *part) {
    const struct page *page = &costs->chart->page;
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_START, page->theme->secondary);
    double height = PART_BAR, top = scale_snap(at->y + at->part - height);
    page_text(page, &style, at->x, top - 3, at->width, part->name);
    draw_bar(costs, at, 0, part->units / part->writes, top, height, page->theme->consumed_fill);
    at->y += at->part;
}

static void draw_sum(const struct costs *costs, struct layout *at) {
    const struct page *page = &costs->chart->page;
    struct text_style style = text_style_of(PAGE_LABEL_SIZE, true, TEXT_START, page->theme->ink);
    double height = floor(at->row * BAR_SHARE), top = scale_snap(at->y + at->row - height);
    double before = 0;
    text_draw(&page->pen, &style, at->x, top - TEXT_RISE, page->labels.texts[LABEL_COST_ALL]);
    for (int i = 0; i < costs->count; i++) {
        double units = costs->items[i].units;
        if (!(units > 0)) continue;
        double left = scale_snap(scale_at(&at->units, before));
        double right = scale_snap(scale_at(&at->units, before + units));
        page_fill(page, page->theme->consumed, (struct box){left, top, right - left - 1, height});
        before += units;
    }
    draw_number(costs, scale_snap(scale_at(&at->units, before)), top + height / 2 + 4, before,
                true);
}

static double usual_height(const struct costs *costs) {
    return ROW_HEIGHT * (costs->count + (costs->count > 1)) + PART_HEIGHT * costs->part_count;
}

/* Few rows fill the page, many as much of it as they can; what does not fit is left out from the end and named. */
static int lay_out(const struct costs *costs, struct layout *at) {
    struct box content = costs->chart->page.content;
    double usual = usual_height(costs), room = content.height;
    double fill = fmin(fmax(room / usual, ROW_LEAST / ROW_HEIGHT), ROW_MOST / ROW_HEIGHT);
    int rows = costs->count;
    *at = (struct layout){.x = content.x + LEFT,
                          .width = content.width - 2 * LEFT,
                          .y = content.y,
                          .row = floor(ROW_HEIGHT * fill),
                          .part = floor(PART_HEIGHT * fill)};
    while (rows > 1 && at->row * (rows + 1) + at->part * costs->part_count > room + 1)
        rows--;
    at->units = (struct scale){0, fmax(costs->sum, 1e-9), at->x, at->x + at->width - NUMBER_ROOM};
    for (int i = 0; i < costs->part_count; i++) {
        double units = costs->parts[i].units / costs->parts[i].writes;
        if (units > at->units.data_high) at->units.data_high = units;
    }
    return rows;
}

static void draw_rows(const struct costs *costs, struct layout *at, int rows) {
    double before = 0;
    for (int i = 0; i < rows; i++) {
        const struct cost *cost = &costs->items[i];
        draw_row(costs, at, i, before);
        if (cost->units > 0) before += cost->units;
        for (int p = 0; i == 0 && p < costs->part_count; p++)
            draw_part(costs, at, &costs->parts[p]);
        const char *next = i + 1 < rows ? costs->items[i + 1].resource->name
                                        : costs->chart->page.labels.texts[LABEL_COST_ALL];
        if (costs->count > 1 && before > 0) draw_step(costs, at, before, at->y, next);
    }
    if (costs->count > 1 && costs->sum > 0) draw_sum(costs, at);
}

static enum ddbsim_status draw(struct costs *costs, struct ddbsim_error *error) {
    struct chart *chart = costs->chart;
    struct layout at;
    enum ddbsim_status status = load(costs, error);
    if (status != DDBSIM_OK) return status;
    write_title(costs);
    write_subtitle(costs);
    /* The page's texts decide how much room there is. */
    chart_frame(chart);
    int rows = lay_out(costs, &at);
    if (rows < costs->count) {
        chart_left_out(chart, costs->count - rows);
        chart_frame(chart);
        rows = lay_out(costs, &at);
    }
    page_footer(&chart->page, chart->footer, 0);
    if (costs->count > 0) draw_rows(costs, &at, rows);
    return DDBSIM_OK;
}

static void let_go(struct costs *costs) { free(costs->items); }

enum ddbsim_status chart_write_cost_draw(struct chart *chart, struct ddbsim_error *error) {
    struct costs costs = {.chart = chart, .data = &chart->data};
    enum ddbsim_status status = draw(&costs, error);
    let_go(&costs);
    return status;
}

enum ddbsim_status chart_write_cost_fit(const struct chart_data *data, int most, int *height,
                                        struct ddbsim_error *error) {
    struct costs costs = {.data = data};
    enum ddbsim_status status = load(&costs, error);
    double sought = page_words_height(most) + usual_height(&costs) + 16;
    if (sought < USUAL_LEAST) sought = USUAL_LEAST;
    *height = sought < most ? (int)ceil(sought) : most;
    let_go(&costs);
    return status;
}
