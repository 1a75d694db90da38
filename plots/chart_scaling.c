/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A step of capacity has two moments: somebody asks (event scale_out, scale_in), and UpdateTable acts
 * (capacity_changed, the first to that value). Between them a dotted step goes before the dashed one, with
 * a triangle where it was asked for. A change that AWS refused is a cross on the capacity that stayed.
 */
#include <plots/chart_scaling.h>

#include <base/error.h>
#include <base/vector.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS_MOST 4096
#define ANSWER_S 300 /* how long after the last refusal a scaler may still answer it */
#define RELIEF_S 60  /* how long after the last refusal the capacity that ended it may act */
#define MARK 4.0     /* half of a triangle or cross */
#define WHOLE_MINUTES_S 120

enum mark_kind { MARK_OUT, MARK_IN, MARK_REFUSED, MARK_BOUNDS };

struct scaling_mark {
    enum mark_kind kind;
    enum label who;           /* asked */
    int64_t asked_s, acted_s; /* acted_s -1: not in this run */
    double from, to;          /* capacity; of bounds the least and the most */
};

static enum mark_kind kind_of(const char *kind) {
    if (strcmp(kind, "scale_out") == 0) return MARK_OUT;
    if (strcmp(kind, "scale_in") == 0) return MARK_IN;
    return strcmp(kind, "scale_bounds") == 0 ? MARK_BOUNDS : MARK_REFUSED;
}

static enum label who_of(const char *by) {
    if (strcmp(by, "scaler") == 0) return LABEL_SCALER_OWN;
    return strcmp(by, "scheduled_action") == 0 ? LABEL_SCALER_CLOCK : LABEL_SCALER_AUTO;
}

static void add_mark(struct scaling_marks *marks, struct query *query) {
    enum mark_kind kind = kind_of(query_text(query, 0));
    struct scaling_mark *mark = &marks->items[marks->count++];
    *mark = (struct scaling_mark){.kind = kind,
                                  .who = who_of(query_text(query, 4)),
                                  .asked_s = query_seconds(query, 1),
                                  .acted_s = query_is_null(query, 5) ? -1 : query_seconds(query, 5),
                                  .from = query_double(query, 2),
                                  .to = query_double(query, 3)};
    bool step = kind == MARK_OUT || kind == MARK_IN;
    if (step) marks->most = fmax(marks->most, mark->to);
    marks->asked |= step;
    marks->refused |= kind == MARK_REFUSED;
}

enum ddbsim_status scaling_marks_load(const struct chart_data *data,
                                      const struct chart_resource *resource,
                                      struct scaling_marks *out, struct ddbsim_error *error) {
    struct query query;
    void *items = NULL;
    size_t capacity = 0;
    *out = (struct scaling_marks){0};
    query_open(
        &query, data->database, error,
        "WITH e AS (SELECT event_id, t_ns, kind, iif(json_valid(detail), detail, '{}') AS d FROM"
        " event WHERE run_id = ?1 AND resource_id = ?2 AND kind IN ('scale_out', 'scale_in',"
        " 'scale_bounds', 'change_refused', 'capacity_changed') AND t_ns < ?4 * 1000000000)"
        " SELECT kind, t_ns / 1000000000, coalesce(json_extract(d, '$.from'),"
        " json_extract(d, '$.min')), coalesce(json_extract(d, '$.to'), json_extract(d, '$.max')),"
        " coalesce(json_extract(d, '$.by'), ''), (SELECT min(c.t_ns) / 1000000000 FROM e c WHERE"
        " c.kind = 'capacity_changed' AND c.t_ns >= e.t_ns AND json_extract(c.d, '$.direction') = "
        "?3"
        " AND json_extract(c.d, '$.to') = json_extract(e.d, '$.to')) FROM e"
        " WHERE kind <> 'capacity_changed' AND coalesce(json_extract(d, '$.direction'), ?3) = ?3"
        " ORDER BY t_ns, event_id LIMIT ?5",
        "iitii", data->run.run_id, resource->resource_id, resource->reads ? "read" : "write",
        data->to_s, (int64_t)MARKS_MOST);
    while (query_next(&query)) {
        if (!vector_reserve(&items, &capacity, out->count + 1, sizeof(struct scaling_mark))) {
            (void)query_close(&query);
            return error_memory(error);
        }
        out->items = items;
        add_mark(out, &query);
    }
    return query_close(&query);
}

void scaling_marks_free(struct scaling_marks *marks) {
    free(marks->items);
    *marks = (struct scaling_marks){0};
}

/* ---- drawing ---- */

struct marks_view {
    const struct page *page;
    struct box plot;
    const struct scale *time, *values;
};

static double place(const struct marks_view *view, int64_t t_s) {
    return scale_snap(scale_at(view->time, (double)t_s)) + 0.5;
}

static void draw_triangle(const struct marks_view *view, double x, double y, bool up) {
    double tip = up ? -MARK : MARK;
    page_ink(view->page, view->page->theme->ink);
    cairo_move_to(view->page->cr, x, y + tip);
    cairo_line_to(view->page->cr, x - MARK, y - tip * 0.6);
    cairo_line_to(view->page->cr, x + MARK, y - tip * 0.6);
    cairo_close_path(view->page->cr);
    cairo_fill(view->page->cr);
}

/* From the capacity that was, at once to the one that was asked for, and along it until it is there. */
static void draw_step(const struct marks_view *view, const struct scaling_mark *mark) {
    const struct page *page = view->page;
    double x = place(view, mark->asked_s), from = scale_at(view->values, mark->from);
    double to = scale_at(view->values, mark->to);
    page_line(page, page->theme->ink, 1, 1.5, x, from, x, to);
    page_line(page, page->theme->ink, 1, 1.5, x, to,
              mark->acted_s < 0 ? view->time->page_high : place(view, mark->acted_s), to);
    draw_triangle(view, x, from, mark->kind == MARK_OUT);
}

static void draw_cross(const struct marks_view *view, double x) {
    const struct page *page = view->page;
    double y = view->plot.y + MARK + 2;
    page_line(page, page->theme->ink, 1.5, 0, x - MARK, y - MARK, x + MARK, y + MARK);
    page_line(page, page->theme->ink, 1.5, 0, x - MARK, y + MARK, x + MARK, y - MARK);
}

/* One bound, until the next comes; not where the plot ends below it. Its name lies outside what the two
 * allow. Returns where that ends. */
static double draw_bound(const struct marks_view *view, enum label label, double bound, double x,
                         double end, double free_from) {
    const struct page *page = view->page;
    char number[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    double y = scale_snap(scale_at(view->values, bound)) + 0.5;
    if (isnan(bound) || bound > view->values->data_high) return free_from;
    struct text_style style =
        text_style_of(PAGE_TICK_SIZE, false, TEXT_START, page->theme->secondary);
    page_line(page, page->theme->secondary, 1, 2, x, y, end, y);
    label_short(&page->labels, bound, number);
    label_fill(&page->labels, label, text, number, LABEL_END);
    if (x + 3 < free_from || x + 3 + text_width(&page->pen, &style, text) > end) return free_from;
    text_draw(&page->pen, &style, x + 3, label == LABEL_SCALING_MIN ? y + 11 : y - 4, text);
    return x + 6 + text_width(&page->pen, &style, text);
}

static void draw_bounds(const struct marks_view *view, const struct scaling_marks *marks) {
    double named[2] = {0, 0};
    for (size_t i = 0; i < marks->count; i++) {
        const struct scaling_mark *mark = &marks->items[i];
        double end = view->time->page_high;
        if (mark->kind != MARK_BOUNDS) continue;
        for (size_t k = i + 1; k < marks->count; k++)
            if (marks->items[k].kind == MARK_BOUNDS) {
                end = place(view, marks->items[k].asked_s);
                break;
            }
        double x = place(view, mark->asked_s);
        named[0] = draw_bound(view, LABEL_SCALING_MIN, mark->from, x, end, named[0]);
        named[1] = draw_bound(view, LABEL_SCALING_MAX, mark->to, x, end, named[1]);
    }
}

void scaling_marks_draw(const struct chart *chart, const struct scaling_marks *marks,
                        struct box plot, const struct scale *time, const struct scale *values) {
    struct marks_view view = {&chart->page, plot, time, values};
    draw_bounds(&view, marks);
    for (size_t i = 0; i < marks->count; i++) {
        const struct scaling_mark *mark = &marks->items[i];
        if (mark->asked_s < chart->data.from_s || mark->kind == MARK_BOUNDS) continue;
        if (mark->kind == MARK_REFUSED)
            draw_cross(&view, place(&view, mark->asked_s));
        else
            draw_step(&view, mark);
    }
}

void scaling_legend(struct chart *chart, bool asked, bool refused) {
    const char *const *texts = chart->page.labels.texts;
    size_t used = strlen(chart->what);
    if (asked)
        used += (size_t)snprintf(chart->what + used, LABEL_BYTES - used, ". %s",
                                 texts[LABEL_SCALING_LEGEND]);
    if (refused && used < LABEL_BYTES)
        snprintf(chart->what + used, LABEL_BYTES - used, "; %s", texts[LABEL_SCALING_REFUSED]);
}

/* ---- the title ---- */

/* The steps out that came for these refusals: the first, the one that sufficed (else the last), and
 * how many up to it. */
struct answer {
    const struct scaling_mark *first, *last;
    int64_t count;
};

static struct answer find_answer(const struct scaling_marks *marks,
                                 const struct chart_resource *worst) {
    struct answer answer = {NULL, NULL, 0};
    for (size_t i = 0; i < marks->count; i++) {
        const struct scaling_mark *mark = &marks->items[i];
        if (mark->kind != MARK_OUT || mark->asked_s > worst->last_throttled_s + ANSWER_S) continue;
        if (mark->acted_s < 0 || mark->acted_s <= worst->first_throttled_s) continue;
        if (answer.last && mark->acted_s > worst->last_throttled_s + RELIEF_S) continue;
        if (!answer.first) answer.first = mark;
        answer.last = mark;
        answer.count++;
    }
    return answer;
}

static enum ddbsim_status refused_for(const struct chart_data *data,
                                      const struct chart_resource *worst, int64_t *seconds,
                                      struct ddbsim_error *error) {
    return query_one_int(
        data->database, error, 0, seconds,
        "SELECT sum(period_s) FROM second WHERE run_id = ? AND resource_id = ?"
        " AND t_s >= ? AND t_s < ? AND iif(?, throttled_reads, throttled_writes) > 0",
        "iiiii", data->run.run_id, worst->resource_id, worst->first_throttled_s,
        worst->last_throttled_s, (int64_t)worst->reads);
}

enum ddbsim_status scaling_title(struct chart *chart, const struct scaling_marks *marks,
                                 const struct chart_resource *worst, bool *titled,
                                 struct ddbsim_error *error) {
    struct answer answer = find_answer(marks, worst);
    char asked[QUERY_CLOCK_BYTES], acted[QUERY_CLOCK_BYTES], span[LABEL_NUMBER_BYTES];
    char count[LABEL_NUMBER_BYTES];
    int64_t seconds = 0;
    *titled = answer.first && 2 * worst->key_range < worst->throttled;
    if (!*titled) return DDBSIM_OK;
    enum ddbsim_status status = refused_for(&chart->data, worst, &seconds, error);
    if (seconds >= WHOLE_MINUTES_S || seconds % 60 == 59) seconds = (seconds + 30) / 60 * 60;
    label_span(seconds, span);
    query_moment(&chart->data.run, answer.first->asked_s, false, asked);
    query_moment(&chart->data.run, answer.last->acted_s, false, acted);
    label_number(&chart->page.labels, (double)answer.count, 0, count);
    enum label label = answer.count > 1 ? LABEL_TITLE_SCALED_STEPS : LABEL_TITLE_SCALED;
    if (answer.first->asked_s > worst->last_throttled_s) label = LABEL_TITLE_SCALED_LAST;
    label_fill(&chart->page.labels, label, chart->title, worst->name, asked, acted, span, count,
               chart->page.labels.texts[answer.first->who], LABEL_END);
    return status;
}
