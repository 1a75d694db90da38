/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The partitions of a table and of its indexes as a tree over time: a branch from birth to split, in key
 * order, coloured by load like the heat map; at a joint its children begin, and the joint's mark says why.
 * What was hot and not split is crossed out.
 *
 * Key order by equal steps, not by share of the key space: what splits many times is one partition key's
 * collection, whose share of that space is nothing. Partitions that never split are background: a run of
 * them between two families is one slim branch with its hottest member's colour.
 *
 * Invariant: each leaf has one place; places are in key order and do not overlap.
 */
#include <plots/chart.h>
#include <plots/heat_grid.h>
#include <plots/palette.h>

#include <base/error.h>
#include <base/vector.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUTTER 40.0
#define MARGIN 44.0
#define HEADER_HEIGHT 19.0
#define PANEL_GAP 12.0
#define PANEL_LEAST 36.0
#define BIN_WIDTH 3.0    /* points; the least */
#define CELLS_MOST 5000  /* places x bins of a picture: each may become a rectangle */
#define PLACES_MOST 100  /* of a picture: more would be hairlines */
#define PLACE_HEIGHT 4.5 /* points, the least */
#define PLACES_LEAST 8   /* of a panel */
#define ROWS_MOST 64     /* where nothing split and more partitions stand there: they are joined */
#define SHADES 40        /* of the ramp: neighbouring bins of one shade are one rectangle */
#define BRANCH_MOST 14.0
#define BRANCH_SHARE 0.55 /* of a leaf's place */
#define QUIET_WEIGHT 0.6  /* a run that never split, beside a leaf */
#define DENSE 3.0         /* points of a leaf: less has no marks, and thin joints */
#define MARK 4.0          /* half of a joint's mark */
#define LABEL_LEAST 11.0
#define OUTLINED 3.0   /* a slimmer branch would be outline alone */
#define FOOT_LEAST 4.0 /* of a branch that shows refusals at its foot */

/* A leaf of a family, or a run of partitions that never split; y0..y1 as shares of the panel. */
struct place {
    int first, count;
    bool quiet;
    double y0, y1;
    double crossed_x; /* the last cross */
};

struct refused_split {
    int64_t t_s;
    int leaf, count;
};

struct panel {
    const struct chart_resource *resource;
    struct heat_grid grid;
    struct place *places; /* in key order */
    int place_count;
    int *place_of;          /* of a leaf */
    bool *family;           /* of a leaf: came of a split, or was refused one */
    bool *drawn;            /* of a part: its split is drawn */
    int drawn_splits, most; /* most: places */
    struct refused_split *refused;
    size_t refused_count, refused_capacity;
    int splits[HEAT_CAUSES]; /* in the window, by cause */
    int split_count, before, after;
    int64_t first_s, last_s; /* splits */
    double weight;
    struct box box;
};

struct lineage {
    struct chart *chart;
    struct panel panels[CHART_PANELS_MOST];
    int count, left_out;
    struct bins bins;
    struct box plot;
    struct scale time;
};

/* ---- what is shown ---- */

static struct heat_part *part_of(const struct panel *panel, int64_t id) {
    for (int low = 0, high = panel->grid.parts.count - 1; low <= high;) {
        int middle = low + (high - low) / 2;
        struct heat_part *part = &panel->grid.parts.items[middle];
        if (part->id == id) return part;
        if (part->id < id)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return NULL;
}

static bool in_window(const struct lineage *lineage, int64_t t_s) {
    return t_s >= lineage->bins.from_s && t_s < lineage->bins.to_s;
}

/* Where the run stopped, or the index was gone. */
static int64_t end_of(const struct lineage *lineage, const struct panel *panel) {
    int64_t end = lineage->chart->data.end_s, gone = panel->resource->gone_s;
    return gone != CHART_NEVER && gone < end ? gone : end;
}

/* A split has one parent and as many children as its cuts make; it is counted at its parent. */
static void count_splits(const struct lineage *lineage, struct panel *panel) {
    const struct heat_parts *parts = &panel->grid.parts;
    for (int i = 0; i < parts->count; i++) {
        const struct heat_part *part = &parts->items[i];
        int64_t from = lineage->bins.from_s, last = end_of(lineage, panel) - 1;
        if (panel->resource->born_s > from) from = panel->resource->born_s;
        panel->before += part->created_s <= from && part->divided_s > from;
        panel->after += part->created_s <= last && part->divided_s > last;
        if (!part->divided || !in_window(lineage, part->divided_s)) continue;
        if (panel->split_count == 0 || part->divided_s < panel->first_s)
            panel->first_s = part->divided_s;
        if (panel->split_count == 0 || part->divided_s > panel->last_s)
            panel->last_s = part->divided_s;
        panel->split_count++;
    }
    for (int i = 0; i < parts->count; i++)
        if (parts->items[i].parent_id >= 0 && in_window(lineage, parts->items[i].created_s))
            panel->splits[parts->items[i].cause]++;
}

static enum ddbsim_status read_refused(const struct lineage *lineage, struct panel *panel,
                                       struct ddbsim_error *error) {
    struct query query;
    enum ddbsim_status short_of = DDBSIM_OK;
    query_open(&query, lineage->chart->data.database, error,
               "SELECT t_ns / 1000000000, partition_id FROM event WHERE run_id = ?1"
               " AND resource_id = ?2 AND kind = 'split_refused' AND partition_id IS NOT NULL"
               " ORDER BY t_ns, event_id",
               "ii", lineage->chart->data.run.run_id, panel->resource->resource_id);
    while (short_of == DDBSIM_OK && query_next(&query)) {
        int64_t t_s = query_seconds(&query, 0);
        const struct heat_part *part = part_of(panel, query_int(&query, 1));
        void *items = panel->refused;
        if (!part || part->count < 1 || !in_window(lineage, t_s)) continue;
        if (!vector_reserve(&items, &panel->refused_capacity, panel->refused_count + 1,
                            sizeof *panel->refused))
            short_of = error_memory(error);
        panel->refused = items;
        if (short_of == DDBSIM_OK)
            panel->refused[panel->refused_count++] =
                (struct refused_split){t_s, part->first, part->count};
    }
    enum ddbsim_status status = query_close(&query);
    return short_of != DDBSIM_OK ? short_of : status;
}

static enum ddbsim_status allocate(struct panel *panel, struct ddbsim_error *error) {
    int leaves = panel->grid.leaf_count;
    panel->drawn = calloc((size_t)panel->grid.parts.count, sizeof *panel->drawn);
    panel->family = calloc((size_t)leaves + 1, sizeof *panel->family);
    panel->place_of = calloc((size_t)leaves + 1, sizeof *panel->place_of);
    panel->places = calloc((size_t)leaves + 1, sizeof *panel->places);
    if (!panel->family || !panel->place_of || !panel->places || !panel->drawn)
        return error_memory(error);
    return DDBSIM_OK;
}

static void mark_leaves(struct panel *panel, int first, int count) {
    for (int leaf = first; leaf < first + count; leaf++)
        panel->family[leaf] = true;
}

/* Divided before the window: nothing of it is seen. */
static bool is_past(const struct panel *panel, const struct heat_part *part) {
    return part->divided_s < panel->grid.bins.from_s;
}

static bool is_root(const struct panel *panel, const struct heat_part *part) {
    const struct heat_part *parent = part_of(panel, part->parent_id);
    return !parent || is_past(panel, parent);
}

/* A root, or what came of a split that is drawn. */
static bool is_reached(const struct panel *panel, const struct heat_part *part) {
    const struct heat_part *parent = part_of(panel, part->parent_id);
    return is_root(panel, part) || panel->drawn[parent - panel->grid.parts.items];
}

static int by_split(const void *a, const void *b) {
    const struct heat_part *const *x = a, *const *y = b;
    if ((*x)->divided_s != (*y)->divided_s) return (*x)->divided_s < (*y)->divided_s ? -1 : 1;
    return ((*x)->id > (*y)->id) - ((*x)->id < (*y)->id);
}

/* Splits by time, as far as there are places for what comes of them: a family's first takes it out of
 * the run that it stands in, each further one divides a place. The rest stays joined in its branches. */
static enum ddbsim_status choose_splits(struct panel *panel, struct ddbsim_error *error) {
    const struct heat_parts *parts = &panel->grid.parts;
    const struct heat_part **order = calloc((size_t)parts->count, sizeof *order);
    int count = 0, places = 1;
    if (!order) return error_memory(error);
    for (int i = 0; i < parts->count; i++) {
        const struct heat_part *part = &parts->items[i];
        if (part->count > 1 && !is_past(panel, part) && part->divided_s < panel->grid.bins.to_s)
            order[count++] = part;
    }
    qsort(order, (size_t)count, sizeof *order, by_split);
    for (int i = 0; i < count && places + 3 <= panel->most; i++) {
        const struct heat_part *part = order[i];
        if (!is_reached(panel, part)) continue;
        panel->drawn[part - parts->items] = true;
        panel->drawn_splits++;
        mark_leaves(panel, part->first, part->count);
        places += is_root(panel, part) ? 3 : 1;
    }
    for (size_t i = 0; i < panel->refused_count && places + 2 <= panel->most; i++) {
        const struct refused_split *refused = &panel->refused[i];
        if (refused->count > 1 || panel->family[refused->leaf]) continue;
        panel->family[refused->leaf] = true;
        places += 2;
    }
    free(order);
    return DDBSIM_OK;
}

/* How many leaves from this one on the branch has that a place is for: all of a partition whose splits are
 * not drawn. */
static int branch_of(const struct panel *panel, int leaf) {
    const struct heat_parts *parts = &panel->grid.parts;
    int most = 1;
    for (int i = 0; i < parts->count; i++) {
        const struct heat_part *part = &parts->items[i];
        bool here = part->first == leaf && part->count > most && !panel->drawn[i];
        if (here && !is_past(panel, part) && is_reached(panel, part)) most = part->count;
    }
    return most;
}

static void add_place(struct panel *panel, int first, int count, bool quiet) {
    double height = quiet ? QUIET_WEIGHT : 1;
    panel->places[panel->place_count++] = (struct place){
        .first = first, .quiet = quiet, .y0 = panel->weight, .y1 = panel->weight + height};
    panel->weight += height;
    for (int leaf = first; leaf < first + count; leaf++)
        panel->place_of[leaf] = panel->place_count - 1;
    panel->places[panel->place_count - 1].count = count;
    heat_grid_add_row(&panel->grid, count);
}

/* Runs of what has no family are one place; where nothing splits every partition has one, or as many
 * neighbours together as there is no room for. */
static enum ddbsim_status choose_places(struct panel *panel, struct ddbsim_error *error) {
    int leaves = panel->grid.leaf_count, most = leaves;
    bool joins = panel->split_count > 0 || panel->refused_count > 0;
    int rows = panel->most < ROWS_MOST ? panel->most : ROWS_MOST;
    if (!joins) most = (leaves + rows - 1) / rows;
    enum ddbsim_status status = joins ? choose_splits(panel, error) : DDBSIM_OK;
    for (int leaf = 0; status == DDBSIM_OK && leaf < leaves;) {
        bool quiet = joins ? !panel->family[leaf] : most > 1;
        int count = quiet ? 1 : branch_of(panel, leaf);
        while (quiet && count < most && leaf + count < leaves && !panel->family[leaf + count])
            count++;
        add_place(panel, leaf, count, quiet);
        leaf += count;
    }
    for (int i = 0; i < panel->place_count; i++) {
        panel->places[i].y0 /= panel->weight;
        panel->places[i].y1 /= panel->weight;
    }
    return status == DDBSIM_OK ? heat_grid_read(&panel->grid, error) : status;
}

/* How many places a panel would take if there were room for all. */
static int places_wanted(const struct panel *panel) {
    int64_t most = 1 + 3 * (int64_t)panel->split_count + 2 * (int64_t)panel->refused_count;
    if (panel->split_count == 0 && panel->refused_count == 0) most = panel->grid.leaf_count;
    return most < PLACES_MOST ? (int)most : PLACES_MOST;
}

/* The page's places, shared out among the panels by what they want. */
static enum ddbsim_status choose_all(struct lineage *lineage, double height,
                                     struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    int wanted = 0, room = (int)fmin(PLACES_MOST, height / PLACE_HEIGHT);
    if (room < 0) room = 0; /* a page without height */
    for (int i = 0; i < lineage->count; i++)
        wanted += places_wanted(&lineage->panels[i]);
    for (int i = 0; status == DDBSIM_OK && i < lineage->count; i++) {
        struct panel *panel = &lineage->panels[i];
        panel->most = wanted <= room ? room : room * places_wanted(panel) / wanted;
        if (panel->most < PLACES_LEAST) panel->most = PLACES_LEAST;
        if (panel->places) status = choose_places(panel, error);
    }
    return status;
}

static enum ddbsim_status load_panel(struct lineage *lineage, struct panel *panel,
                                     struct ddbsim_error *error) {
    enum ddbsim_status status =
        heat_grid_load(&lineage->chart->data, panel->resource, &lineage->bins, &panel->grid, error);
    if (status != DDBSIM_OK || panel->grid.parts.count == 0) return status;
    count_splits(lineage, panel);
    status = read_refused(lineage, panel, error);
    if (status == DDBSIM_OK) status = allocate(panel, error);
    return status;
}

/* ---- places on the page ---- */

/* By what each shows, none lower than the least. */
static void place_panels(struct lineage *lineage) {
    struct box content = lineage->chart->page.content;
    double weight = 0, y = content.y;
    double each = HEADER_HEIGHT + PANEL_GAP;
    double space = content.height - PAGE_AXIS_HEIGHT - lineage->count * each + PANEL_GAP;
    double least = fmin(PANEL_LEAST, space / lineage->count);
    for (int i = 0; i < lineage->count; i++)
        weight += lineage->panels[i].weight;
    for (int i = 0; i < lineage->count; i++) {
        struct panel *panel = &lineage->panels[i];
        double share = weight > 0 ? panel->weight / weight : 1.0 / lineage->count;
        double height = floor(least + (space - least * lineage->count) * share);
        y += HEADER_HEIGHT;
        panel->box = (struct box){lineage->plot.x, scale_snap(y), lineage->plot.width, height};
        y = panel->box.y + height + PANEL_GAP;
    }
    lineage->plot.y = content.y;
    lineage->plot.height = y - PANEL_GAP - content.y;
}

static double time_x(const struct lineage *lineage, int64_t t_s) {
    int64_t end = lineage->chart->data.end_s;
    return scale_snap(scale_at(&lineage->time, (double)(t_s < end ? t_s : end)));
}

/* The middle of some leaves' places. */
static double span_y(const struct panel *panel, int first, int count) {
    const struct place *top = &panel->places[panel->place_of[first]];
    const struct place *foot = &panel->places[panel->place_of[first + count - 1]];
    return panel->box.y + panel->box.height * (top->y0 + foot->y1) / 2;
}

static double leaf_height(const struct panel *panel) {
    return panel->box.height / fmax(1, panel->weight);
}

static double branch_height(const struct panel *panel, bool quiet) {
    double height = floor(fmin(BRANCH_MOST, leaf_height(panel) * BRANCH_SHARE));
    return fmax(1, quiet ? floor(height / 2) : height);
}

/* ---- branches ---- */

static int shade_at(const struct panel *panel, const struct heat_row *row, int bin) {
    double share = heat_grid_cell(&panel->grid, row, bin).load / panel->grid.limit[bin];
    return (int)floor(fmax(0, fmin(1, share)) * SHADES + 0.5);
}

/* A bin that began before a partition was born shows its parent's load: it has the next bin's. */
static int bin_born(const struct lineage *lineage, int64_t from_s, int bin) {
    bool parents = bins_begin(&lineage->bins, bin) < from_s && bin + 1 < lineage->bins.count;
    return parents ? bin + 1 : bin;
}

/* A branch: from birth to split, and where it lies. */
struct branch {
    struct heat_row row;
    int64_t from_s, to_s;
    struct box box;
};

static void fill_part(const struct lineage *lineage, const struct branch *branch, int first,
                      int last, struct colour colour, struct box at) {
    double left = time_x(lineage, bins_begin(&lineage->bins, first));
    double right = time_x(lineage, bins_end(&lineage->bins, last));
    at.x = fmax(branch->box.x, left);
    at.width = fmin(branch->box.x + branch->box.width, right) - at.x;
    if (at.width > 0) page_fill(&lineage->chart->page, colour, at);
}

/* From left to right, one rectangle for each run of bins of the same shade. */
static void fill_loads(const struct lineage *lineage, const struct panel *panel,
                       const struct branch *branch, int first, int last) {
    for (int bin = first; bin <= last; bin++) {
        int begin = bin,
            shade = shade_at(panel, &branch->row, bin_born(lineage, branch->from_s, bin));
        while (bin < last && shade_at(panel, &branch->row, bin + 1) == shade)
            bin++;
        fill_part(lineage, branch, begin, bin, palette_load((double)shade / SHADES), branch->box);
    }
}

static bool refused_at(const struct panel *panel, const struct heat_row *row, int bin) {
    return heat_grid_cell(&panel->grid, row, bin).throttled > 0;
}

static void fill_refusals(const struct lineage *lineage, const struct panel *panel,
                          const struct branch *branch, int first, int last) {
    struct box foot = branch->box;
    if (foot.height < FOOT_LEAST) return;
    foot.height = fmax(1.5, floor(foot.height / 4));
    foot.y += branch->box.height - foot.height;
    for (int bin = bin_born(lineage, branch->from_s, first); bin <= last; bin++) {
        int begin = bin;
        while (bin <= last && refused_at(panel, &branch->row, bin))
            bin++;
        if (bin > begin)
            fill_part(lineage, branch, begin, bin - 1, lineage->chart->page.theme->throttled, foot);
    }
}

/* Keeps the dark end of the ramp apart from dark paper. */
static void outline(const struct page *page, struct box at) {
    page_ink(page, page->theme->grid);
    cairo_set_line_width(page->cr, 1);
    cairo_rectangle(page->cr, at.x - 0.5, at.y - 0.5, at.width + 1, at.height + 1);
    cairo_stroke(page->cr);
}

static void draw_branch(const struct lineage *lineage, const struct panel *panel,
                        struct branch branch, bool quiet) {
    const struct bins *bins = &lineage->bins;
    double height = branch_height(panel, quiet);
    int64_t from_s = branch.from_s > bins->from_s ? branch.from_s : bins->from_s;
    int64_t to_s = branch.to_s < bins->to_s ? branch.to_s : bins->to_s;
    double left = time_x(lineage, from_s), right = time_x(lineage, to_s);
    double middle = span_y(panel, branch.row.first, branch.row.count);
    branch.box = (struct box){left, scale_snap(middle - height / 2), right - left, height};
    if (to_s <= from_s || !(right > left)) return;
    fill_loads(lineage, panel, &branch, bins_of(bins, from_s), bins_of(bins, to_s - 1));
    fill_refusals(lineage, panel, &branch, bins_of(bins, from_s), bins_of(bins, to_s - 1));
    if (height >= OUTLINED) outline(&lineage->chart->page, branch.box);
}

static void draw_quiet(const struct lineage *lineage, const struct panel *panel) {
    for (int i = 0; i < panel->place_count; i++) {
        const struct place *place = &panel->places[i];
        struct branch branch = {.row = {.first = place->first, .count = place->count},
                                .from_s = panel->resource->born_s,
                                .to_s = end_of(lineage, panel)};
        if (place->quiet) draw_branch(lineage, panel, branch, true);
    }
}

static void draw_parts(const struct lineage *lineage, const struct panel *panel) {
    for (int i = 0; i < panel->grid.parts.count; i++) {
        const struct heat_part *part = &panel->grid.parts.items[i];
        struct branch branch = {.row = {.first = part->first, .count = part->count},
                                .from_s = part->created_s,
                                .to_s = panel->drawn[i] ? part->divided_s : end_of(lineage, panel)};
        if (part->count < 1 || panel->places[panel->place_of[part->first]].quiet) continue;
        if (is_past(panel, part) || !is_reached(panel, part)) continue;
        draw_branch(lineage, panel, branch, false);
    }
}

/* ---- joints ---- */

static void mark_path(cairo_t *cr, enum heat_cause cause, double x, double y, double half) {
    if (cause == HEAT_SIZE) {
        cairo_rectangle(cr, x - half, y - half, 2 * half, 2 * half);
    } else if (cause == HEAT_CAPACITY) {
        cairo_move_to(cr, x, y - half * 1.3);
        cairo_line_to(cr, x + half * 1.3, y);
        cairo_line_to(cr, x, y + half * 1.3);
        cairo_line_to(cr, x - half * 1.3, y);
        cairo_close_path(cr);
    } else {
        cairo_new_sub_path(cr);
        cairo_arc(cr, x, y, half, 0, 6.283185307179586);
    }
}

/* Ink with a rim of paper: legible on any load. Capacity's is hollow. */
static void draw_mark(const struct page *page, enum heat_cause cause, double x, double y,
                      double half) {
    const struct theme *theme = page->theme;
    mark_path(page->cr, cause, x, y, half + 1.5);
    page_ink(page, theme->paper);
    cairo_fill(page->cr);
    mark_path(page->cr, cause, x, y, half);
    page_ink(page, theme->ink);
    cairo_fill(page->cr);
    if (cause != HEAT_CAPACITY) return;
    mark_path(page->cr, cause, x, y, half - 1.75);
    page_ink(page, theme->paper);
    cairo_fill(page->cr);
}

static void cross_path(cairo_t *cr, double x, double y, double half) {
    cairo_move_to(cr, x - half, y - half);
    cairo_line_to(cr, x + half, y + half);
    cairo_move_to(cr, x + half, y - half);
    cairo_line_to(cr, x - half, y + half);
}

static void draw_cross(const struct page *page, double x, double y) {
    cairo_set_line_cap(page->cr, CAIRO_LINE_CAP_ROUND);
    page_ink(page, page->theme->paper);
    cairo_set_line_width(page->cr, 5);
    cross_path(page->cr, x, y, MARK);
    cairo_stroke(page->cr);
    page_ink(page, page->theme->ink);
    cairo_set_line_width(page->cr, 2);
    cross_path(page->cr, x, y, MARK);
    cairo_stroke(page->cr);
    cairo_set_line_cap(page->cr, CAIRO_LINE_CAP_BUTT);
}

/* Marks shrink with the branches, so that neighbours stay apart. */
static double mark_half(const struct panel *panel) {
    return fmax(1.5, fmin(MARK, leaf_height(panel) / 2.5));
}

static void draw_joint(const struct lineage *lineage, const struct panel *panel,
                       const struct heat_part *child) {
    const struct page *page = &lineage->chart->page;
    const struct heat_part *parent = part_of(panel, child->parent_id);
    if (!parent || parent->count < 1 || child->count < 1 || !in_window(lineage, child->created_s) ||
        !is_reached(panel, child))
        return;
    double x = time_x(lineage, child->created_s) + 0.5;
    double from = span_y(panel, parent->first, parent->count);
    double to = span_y(panel, child->first, child->count);
    bool dense = leaf_height(panel) < DENSE;
    page_line(page, dense ? page->theme->secondary : page->theme->ink, dense ? 0.5 : 1.5, 0, x,
              from, x, to);
}

/* Where several would stand on one another, in the same place, the first is enough. */
static void draw_crosses(const struct lineage *lineage, const struct panel *panel) {
    for (size_t i = 0; i < panel->refused_count; i++) {
        const struct refused_split *refused = &panel->refused[i];
        struct place *place = &panel->places[panel->place_of[refused->leaf]];
        double x = time_x(lineage, refused->t_s);
        if (x < place->crossed_x + 2 * MARK) continue;
        place->crossed_x = x;
        draw_cross(&lineage->chart->page, x, span_y(panel, refused->leaf, refused->count));
    }
}

static void draw_joints(const struct lineage *lineage, const struct panel *panel) {
    const struct heat_parts *parts = &panel->grid.parts;
    for (int i = 0; i < parts->count; i++)
        draw_joint(lineage, panel, &parts->items[i]);
    for (int i = 0; i < parts->count; i++) {
        const struct heat_part *child = &parts->items[i],
                               *parent = part_of(panel, child->parent_id);
        bool first = parent && child->first == parent->first && is_reached(panel, child) &&
                     in_window(lineage, child->created_s);
        if (!first || parent->count < 1 || leaf_height(panel) < DENSE) continue;
        draw_mark(&lineage->chart->page, child->cause, time_x(lineage, child->created_s) + 0.5,
                  span_y(panel, parent->first, parent->count), mark_half(panel));
    }
    draw_crosses(lineage, panel);
}

/* ---- words ---- */

static void place_text(const struct lineage *lineage, const struct place *place, double x, double y,
                       enum text_align align) {
    const struct page *page = &lineage->chart->page;
    char first[LABEL_NUMBER_BYTES], last[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    struct text_style style = text_style_of(PAGE_TICK_SIZE, false, align, page->theme->secondary);
    label_number(&page->labels, place->first + 1, 0, first);
    label_number(&page->labels, place->first + place->count, 0, last);
    if (place->count > 1)
        snprintf(text, sizeof text, "%s\xe2\x80\x93%s", first, last);
    else
        snprintf(text, sizeof text, "%s", first);
    text_draw(&page->pen, &style, x, y + 3.5, text);
}

/* Numbers in key order, the heat map's: of runs at the left, where they begin; of leaves at the right, where
 * branches end. What finds no room goes without. */
static void draw_numbers(const struct lineage *lineage, const struct panel *panel) {
    double left = -INFINITY, right = -INFINITY;
    for (int i = 0; i < panel->place_count; i++) {
        const struct place *place = &panel->places[i];
        double y = panel->box.y + panel->box.height * (place->y0 + place->y1) / 2;
        double *taken = place->quiet ? &left : &right;
        if (y - *taken < LABEL_LEAST) continue;
        *taken = y;
        if (place->quiet)
            place_text(lineage, place, panel->box.x - 6, y, TEXT_END);
        else
            place_text(lineage, place, panel->box.x + panel->box.width + 6, y, TEXT_START);
    }
}

/* How many partitions there are. */
static void count_text(const struct labels *labels, const struct panel *panel,
                       char out[LABEL_BYTES]) {
    char before[LABEL_NUMBER_BYTES], after[LABEL_NUMBER_BYTES];
    label_number(labels, panel->before, 0, before);
    label_number(labels, panel->after, 0, after);
    out[0] = '\0';
    if (panel->before != panel->after)
        label_fill(labels, LABEL_LINEAGE_GREW, out, before, after, LABEL_END);
    else if (panel->before > 0)
        label_fill(labels, panel->before == 1 ? LABEL_LINEAGE_ONE : LABEL_LINEAGE_COUNT, out,
                   before, LABEL_END);
}

/* At the end of the provenance, where every page shows it. */
static void say_left_out(struct lineage *lineage) {
    struct chart *chart = lineage->chart;
    char drawn_text[LABEL_NUMBER_BYTES], all_text[LABEL_NUMBER_BYTES], text[LABEL_BYTES];
    int drawn = 0, all = 0;
    for (int i = 0; i < lineage->count; i++) {
        drawn += lineage->panels[i].drawn_splits;
        all += lineage->panels[i].split_count;
    }
    chart_left_out(chart, lineage->left_out);
    if (drawn >= all) return;
    label_number(&chart->page.labels, drawn, 0, drawn_text);
    label_number(&chart->page.labels, all, 0, all_text);
    label_fill(&chart->page.labels, LABEL_LINEAGE_LEFT_OUT, text, drawn_text, all_text, LABEL_END);
    chart_add_provenance(chart, text);
}

static void draw_header(const struct lineage *lineage, const struct panel *panel) {
    const struct page *page = &lineage->chart->page;
    char limit[LABEL_BYTES], remark[LABEL_BYTES];
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_END, page->theme->secondary);
    double y = panel->box.y - 7, right = panel->box.x + panel->box.width;
    count_text(&page->labels, panel, remark);
    chart_limit_text(lineage->chart, panel->resource, panel->grid.limit_low, panel->grid.limit_high,
                     limit);
    double taken = text_width(&page->pen, &style, limit) + 12;
    if (panel->place_count > 0 && taken < panel->box.width / 2)
        text_draw(&page->pen, &style, right, y, limit);
    else
        taken = 0;
    chart_panel_name(lineage->chart, panel->resource, remark, panel->box.x, y,
                     panel->box.width - taken);
}

static void draw_nothing(const struct lineage *lineage, const struct panel *panel) {
    const struct page *page = &lineage->chart->page;
    struct text_style style =
        text_style_of(PAGE_LABEL_SIZE, false, TEXT_START, page->theme->secondary);
    page_text(page, &style, panel->box.x + 10, panel->box.y + panel->box.height / 2 + 4,
              panel->box.width - 20, page->labels.texts[LABEL_HEAT_NO_PARTITIONS]);
    outline(page, panel->box);
}

static void draw_panel(const struct lineage *lineage, const struct panel *panel) {
    draw_header(lineage, panel);
    if (panel->place_count == 0) {
        draw_nothing(lineage, panel);
        return;
    }
    draw_quiet(lineage, panel);
    draw_parts(lineage, panel);
    draw_joints(lineage, panel);
    draw_numbers(lineage, panel);
}

/* ---- legend ---- */

static bool any_refused_split(const struct lineage *lineage) {
    for (int i = 0; i < lineage->count; i++)
        if (lineage->panels[i].refused_count > 0) return true;
    return false;
}

static bool any_split(const struct lineage *lineage, enum heat_cause cause) {
    for (int i = 0; i < lineage->count; i++)
        if (lineage->panels[i].splits[cause] > 0) return true;
    return false;
}

/* Whether a branch that is high enough to show it refused anything. */
static bool any_foot(const struct lineage *lineage) {
    for (int i = 0; i < lineage->count; i++) {
        const struct panel *panel = &lineage->panels[i];
        for (int k = 0; k < panel->place_count; k++)
            if (panel->grid.rows[k].throttled > 0 &&
                branch_height(panel, panel->places[k].quiet) >= FOOT_LEAST)
                return true;
    }
    return false;
}

/* The marks that occur, then the ramp: from the right. Returns its width. */
static double draw_legend(const struct lineage *lineage) {
    static const enum label names[HEAT_CAUSES] = {
        [HEAT_HEAT] = LABEL_SPLIT_HEAT,
        [HEAT_SIZE] = LABEL_SPLIT_SIZE,
        [HEAT_CAPACITY] = LABEL_SPLIT_CAPACITY,
    };
    const struct chart *chart = lineage->chart;
    const struct page *page = &chart->page;
    double right = page->width - 20, x = right, y = page->height - 12 - MARK;
    if (any_foot(lineage))
        x = chart_legend_swatch(chart, x, SWATCH_FOOT, page->theme->throttled,
                                page->labels.texts[LABEL_REFUSED]);
    if (any_refused_split(lineage)) {
        x = chart_legend_text(chart, x, page->labels.texts[LABEL_SPLIT_REFUSED]) - MARK;
        draw_cross(page, x, y);
        x -= MARK + 3 * LEGEND_GAP;
    }
    for (int cause = HEAT_CAUSES - 1; cause > HEAT_INITIAL; cause--) {
        if (!any_split(lineage, (enum heat_cause)cause)) continue;
        x = chart_legend_text(chart, x, page->labels.texts[names[cause]]) - MARK;
        draw_mark(page, (enum heat_cause)cause, x, y, MARK);
        x -= MARK + 3 * LEGEND_GAP;
    }
    return right - chart_legend_ramp(chart, x, 20); /* where the marks leave it room */
}

/* ---- what it says ---- */

/* What split most; else what was refused a split; else the table. */
static const struct panel *subject_of(const struct lineage *lineage) {
    const struct panel *subject = &lineage->panels[0];
    for (int i = 1; i < lineage->count; i++) {
        const struct panel *panel = &lineage->panels[i];
        if (panel->split_count > subject->split_count ||
            (subject->split_count == 0 && panel->split_count == 0 &&
             panel->refused_count > subject->refused_count))
            subject = panel;
    }
    return subject;
}

static void title_of_splits(struct lineage *lineage, const struct panel *panel) {
    struct chart *chart = lineage->chart;
    char times[LABEL_NUMBER_BYTES], before[LABEL_NUMBER_BYTES], after[LABEL_NUMBER_BYTES];
    char when[LABEL_BYTES];
    chart_when(chart, panel->first_s, panel->last_s, when);
    label_number(&chart->page.labels, panel->split_count, 0, times);
    label_number(&chart->page.labels, panel->before, 0, before);
    label_number(&chart->page.labels, panel->after, 0, after);
    label_fill(&chart->page.labels,
               panel->split_count == 1 ? LABEL_TITLE_SPLITS_ONCE : LABEL_TITLE_SPLITS, chart->title,
               panel->resource->name, times, when, before, after, LABEL_END);
}

static void write_title(struct lineage *lineage) {
    struct chart *chart = lineage->chart;
    const struct panel *panel = subject_of(lineage);
    char when[LABEL_BYTES];
    if (chart_is_empty(chart)) return;
    if (panel->split_count > 0) {
        title_of_splits(lineage, panel);
    } else if (panel->refused_count > 0) {
        chart_when(chart, panel->refused[0].t_s, panel->refused[0].t_s, when);
        label_fill(&chart->page.labels, LABEL_TITLE_SPLIT_REFUSED, chart->title,
                   panel->resource->name, when, LABEL_END);
    } else {
        label_fill(&chart->page.labels, LABEL_TITLE_SPLITS_NONE, chart->title,
                   panel->resource->name, LABEL_END);
    }
}

/* ---- together ---- */

static enum ddbsim_status load(struct lineage *lineage, struct ddbsim_error *error) {
    struct chart *chart = lineage->chart;
    int64_t sample_s = 10, partitions = 0;
    char span[LABEL_NUMBER_BYTES];
    enum ddbsim_status status =
        query_one_int(chart->data.database, error, 10, &sample_s,
                      "SELECT max(period_s) FROM partition_sample WHERE run_id = ?1", "i",
                      chart->data.run.run_id);
    if (status == DDBSIM_OK)
        status = query_one_int(chart->data.database, error, 0, &partitions,
                               "SELECT count(*) FROM partition WHERE run_id = ?1", "i",
                               chart->data.run.run_id);
    if (status != DDBSIM_OK) return status;
    lineage->plot.x = 20 + GUTTER;
    lineage->plot.width = floor(chart->page.width - 40 - GUTTER - MARGIN);
    int most = CELLS_MOST / (partitions < PLACES_MOST ? (int)partitions + 1 : PLACES_MOST);
    lineage->bins =
        chart_data_bins(&chart->data, sample_s, (int)fmin(lineage->plot.width / BIN_WIDTH, most));
    lineage->time = (struct scale){(double)lineage->bins.from_s, (double)lineage->bins.to_s,
                                   lineage->plot.x, lineage->plot.x + lineage->plot.width};
    double content = chart->page.height - page_words_height(chart->page.height) - PAGE_AXIS_HEIGHT;
    struct chart_panels panels =
        chart_choose_panels(chart, (int)(content / (HEADER_HEIGHT + PANEL_GAP + PANEL_LEAST)));
    lineage->left_out = panels.left_out;
    for (int i = 0; status == DDBSIM_OK && i < panels.count; i++) {
        lineage->panels[lineage->count].resource = panels.resources[i];
        status = load_panel(lineage, &lineage->panels[lineage->count++], error);
    }
    if (status == DDBSIM_OK) status = choose_all(lineage, content, error);
    label_span(lineage->bins.width_s, span);
    label_fill(&chart->page.labels, LABEL_SUBTITLE_LINEAGE, chart->what, span, LABEL_END);
    return status;
}

static void draw(struct lineage *lineage) {
    struct chart *chart = lineage->chart;
    write_title(lineage);
    say_left_out(lineage);
    chart_frame(chart);
    if (lineage->count > 0) place_panels(lineage);
    page_footer(&chart->page, chart->footer, lineage->count > 0 ? draw_legend(lineage) : 0);
    if (lineage->count == 0) return;
    for (int i = 0; i < lineage->count; i++)
        draw_panel(lineage, &lineage->panels[i]);
    page_time_axis(&chart->page, lineage->plot, &chart->data.run, &lineage->time);
}

static void panel_free(struct panel *panel) {
    heat_grid_free(&panel->grid);
    free(panel->places);
    free(panel->place_of);
    free(panel->family);
    free(panel->drawn);
    free(panel->refused);
}

enum ddbsim_status chart_lineage_draw(struct chart *chart, struct ddbsim_error *error) {
    struct lineage *lineage = calloc(1, sizeof *lineage);
    if (!lineage) return error_memory(error);
    lineage->chart = chart;
    enum ddbsim_status status = load(lineage, error);
    if (status == DDBSIM_OK) draw(lineage);
    for (int i = 0; i < lineage->count; i++)
        panel_free(&lineage->panels[i]);
    free(lineage);
    return status;
}
