/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows in key order. Key ranges are 32 hex digits, so their text order is their order. A cell holds
 * the busiest sample, not the mean, and a joined row its hottest member: joining must not cool a
 * hot spot. Hot leaves keep rows of their own, up to a quarter of the rows; the others are joined
 * with their neighbours in equal groups. The log counts a table's refusals at the partition, an
 * index's at the index: those for a partition's own limit belong to the partitions that are at it.
 * Invariant: the rows cover all leaves, in order, without
 * overlap, and there are at most rows_most of them.
 */
#include <plots/heat_grid.h>

#include <base/error.h>
#include <base/vector.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOT_SHARE 0.8       /* of the limit */
#define AT_LIMIT 0.95       /* of the partition's own limit */
#define OUTGROWN_LEAST 0.05 /* of a bin's refusals: a sample's seconds may lie in the next bin */

static int compare_ids(const void *a, const void *b) {
    int64_t x = ((const struct heat_part *)a)->id, y = ((const struct heat_part *)b)->id;
    return (x > y) - (x < y);
}

static struct heat_part *part_find(const struct heat_parts *parts, int64_t id) {
    struct heat_part key = {.id = id};
    if (parts->count == 0) return NULL;
    return bsearch(&key, parts->items, (size_t)parts->count, sizeof key, compare_ids);
}

static enum heat_cause cause_of(const char *name) {
    static const char *const names[HEAT_CAUSES] = {"initial", "heat", "size", "capacity"};
    for (int i = 0; i < HEAT_CAUSES; i++)
        if (strcmp(name, names[i]) == 0) return (enum heat_cause)i;
    return HEAT_INITIAL;
}

static void copy_key(char out[HEAT_KEY_BYTES], const char *text) {
    size_t length = strnlen(text, HEAT_KEY_BYTES - 1);
    memcpy(out, text, length);
    out[length] = '\0';
}

static enum ddbsim_status parts_read(const struct chart_data *data, int64_t resource_id,
                                     struct heat_parts *out, struct ddbsim_error *error) {
    struct query query;
    size_t capacity = 0;
    void *items = NULL;
    bool short_of_memory = false;
    *out = (struct heat_parts){NULL, 0};
    query_open(&query, data->database, error,
               "SELECT partition_id, coalesce(parent_id, -1), created_ns / 1000000000, key_low,"
               " key_high, cause FROM partition WHERE run_id = ?1 AND resource_id = ?2"
               " ORDER BY partition_id",
               "ii", data->run.run_id, resource_id);
    while (!short_of_memory && query_next(&query)) {
        short_of_memory =
            !vector_reserve(&items, &capacity, (size_t)out->count + 1, sizeof *out->items);
        out->items = items;
        if (short_of_memory) break;
        struct heat_part *part = &out->items[out->count++];
        part->id = query_int(&query, 0);
        part->parent_id = query_int(&query, 1);
        part->created_s = query_seconds(&query, 2);
        part->divided_s = INT64_MAX;
        copy_key(part->low, query_text(&query, 3));
        copy_key(part->high, query_text(&query, 4));
        part->cause = cause_of(query_text(&query, 5));
    }
    enum ddbsim_status status = query_close(&query);
    return short_of_memory ? error_memory(error) : status;
}

static int compare_keys(const void *a, const void *b) {
    const struct heat_part *const *x = a, *const *y = b;
    int order = strcmp((*x)->low, (*y)->low);
    return order ? order : compare_ids(*x, *y);
}

/* How many leaves begin before this key; leaves are in key order. */
static int leaves_below(struct heat_part *const *leaves, int count, const char *key,
                        bool inclusive) {
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int order = strcmp(leaves[middle]->low, key);
        if (order < 0 || (inclusive && order == 0))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Which partitions are leaves, and which leaves each partition covers. */
static enum ddbsim_status place_parts(struct heat_grid *grid, struct heat_parts *parts,
                                      struct ddbsim_error *error) {
    if (parts->count == 0) return DDBSIM_OK;
    struct heat_part **leaves = calloc((size_t)parts->count, sizeof *leaves);
    if (!leaves) return error_memory(error);
    for (int i = 0; i < parts->count; i++) {
        struct heat_part *parent = part_find(parts, parts->items[i].parent_id);
        if (!parent) continue;
        parent->divided = true;
        if (parts->items[i].created_s < parent->divided_s)
            parent->divided_s = parts->items[i].created_s;
    }
    for (int i = 0; i < parts->count; i++)
        if (!parts->items[i].divided) leaves[grid->leaf_count++] = &parts->items[i];
    qsort(leaves, (size_t)grid->leaf_count, sizeof *leaves, compare_keys);
    for (int i = 0; i < parts->count; i++) {
        struct heat_part *part = &parts->items[i];
        part->first = leaves_below(leaves, grid->leaf_count, part->low, false);
        part->count = leaves_below(leaves, grid->leaf_count, part->high, true) - part->first;
    }
    for (int i = 0; i < grid->leaf_count; i++) {
        leaves[i]->first = i;
        leaves[i]->count = 1;
    }
    free(leaves);
    return DDBSIM_OK;
}

static enum ddbsim_status grid_allocate(struct heat_grid *grid, struct ddbsim_error *error) {
    size_t leaves = (size_t)(grid->leaf_count > 0 ? grid->leaf_count : 1);
    size_t bins = (size_t)grid->bins.count;
    grid->leaves = calloc(leaves, sizeof *grid->leaves);
    grid->rows = calloc(leaves, sizeof *grid->rows);
    grid->cells = calloc(leaves * bins, sizeof *grid->cells);
    grid->limit = calloc(bins, sizeof *grid->limit);
    grid->foot = calloc(bins, sizeof *grid->foot);
    bool good = grid->leaves && grid->rows && grid->cells && grid->limit && grid->foot;
    return good ? DDBSIM_OK : error_memory(error);
}

static enum ddbsim_status forks_find(struct heat_grid *grid, const struct heat_parts *parts,
                                     struct ddbsim_error *error) {
    grid->forks = calloc((size_t)(parts->count > 0 ? parts->count : 1), sizeof *grid->forks);
    if (!grid->forks) return error_memory(error);
    for (int i = 0; i < parts->count; i++) {
        const struct heat_part *child = &parts->items[i];
        const struct heat_part *parent = part_find(parts, child->parent_id);
        if (!parent || child->created_s < grid->bins.from_s ||
            child->created_s >= grid->bins.to_s || parent->count < 1 || child->count < 1)
            continue;
        grid->forks[grid->fork_count++] = (struct heat_fork){
            child->created_s, parent->first, parent->count, child->first, child->count};
    }
    return DDBSIM_OK;
}

/* One sample, on every leaf of its partition and every bin it touches. */
static void add_sample(struct heat_grid *grid, const struct heat_part *part, int64_t begin,
                       int64_t end, double units, double throttled) {
    const struct bins *bins = &grid->bins;
    double per_s = units / (double)(end - begin);
    int last = bins_of(bins, end - 1);
    for (int b = bins_of(bins, begin); b <= last; b++) {
        int64_t from = bins_begin(bins, b), to = bins_end(bins, b);
        double inside = (double)((to < end ? to : end) - (from > begin ? from : begin));
        if (!(inside > 0)) continue;
        double share = inside / (double)(end - begin) / part->count;
        for (int i = part->first; i < part->first + part->count; i++) {
            struct heat_cell *cell = &grid->cells[(size_t)i * (size_t)bins->count + (size_t)b];
            if (per_s > cell->load) cell->load = (float)per_s;
            if (i == part->first + part->count - 1)
                cell->throttled += (float)(throttled * share * part->count); /* one notch a cell */
            grid->leaves[i].units += units * share;
            grid->leaves[i].throttled += throttled * share;
        }
    }
}

static enum ddbsim_status samples_read(const struct chart_data *data,
                                       const struct chart_resource *resource,
                                       const struct heat_parts *parts, struct heat_grid *grid,
                                       struct ddbsim_error *error) {
    struct query query;
    query_open(&query, data->database, error,
               "SELECT s.partition_id, s.t_s, s.period_s, s.read_units, s.write_units,"
               " s.throttled_reads, s.throttled_writes FROM partition_sample s JOIN partition p"
               " USING (run_id, partition_id) WHERE s.run_id = ?1 AND p.resource_id = ?2"
               " AND s.t_s < ?4 AND s.t_s + s.period_s > ?3",
               "iiii", data->run.run_id, resource->resource_id, grid->bins.from_s, grid->bins.to_s);
    while (query_next(&query)) {
        const struct heat_part *part = part_find(parts, query_int(&query, 0));
        int64_t begin = query_seconds(&query, 1), period = query_seconds(&query, 2);
        if (!part || part->count < 1 || period < 1) continue;
        add_sample(grid, part, begin, begin + period, query_double(&query, resource->reads ? 3 : 4),
                   query_double(&query, resource->reads ? 5 : 6));
    }
    return query_close(&query);
}

static struct heat_cell *cell_at(const struct heat_grid *grid, int leaf, int bin) {
    return &grid->cells[(size_t)leaf * (size_t)grid->bins.count + (size_t)bin];
}

/* What a partition served in a bin; nothing before it came to be and after it was divided. */
static double load_at(const struct heat_grid *grid, const struct heat_part *part, int bin) {
    if (part->count < 1 || part->created_s >= bins_end(&grid->bins, bin) ||
        part->divided_s <= bins_begin(&grid->bins, bin))
        return 0;
    return cell_at(grid, part->first + part->count - 1, bin)->load;
}

static void blame(struct heat_grid *grid, const struct heat_part *part, int bin, double refused) {
    cell_at(grid, part->first + part->count - 1, bin)->throttled += (float)refused;
    for (int i = part->first; i < part->first + part->count; i++)
        grid->leaves[i].throttled += refused / part->count;
}

/* Shares out what was refused in a bin by a partition's own limit: among the partitions at it, by
 * their load; where none is (a bucket that ran out in part of a sample), to the busiest. */
static void blame_hottest(struct heat_grid *grid, const struct heat_parts *parts, int bin,
                          double refused, double own_limit) {
    double most = 0, all = 0;
    for (int i = 0; i < parts->count; i++)
        most = fmax(most, load_at(grid, &parts->items[i], bin));
    double least = fmin(most, AT_LIMIT * own_limit);
    if (!(most > 0)) return;
    for (int i = 0; i < parts->count; i++) {
        double load = load_at(grid, &parts->items[i], bin);
        if (load >= least) all += load;
    }
    for (int i = 0; i < parts->count; i++) {
        double load = load_at(grid, &parts->items[i], bin);
        if (load >= least) blame(grid, &parts->items[i], bin, refused * load / all);
    }
}

static bool any_refused(const struct heat_grid *grid) {
    for (int i = 0; i < grid->leaf_count; i++)
        if (grid->leaves[i].throttled > 0) return true;
    return false;
}

/* What a table refused for a key range and none of its partitions counted: on demand it had outgrown what
 * it serves as a whole. */
static double outgrown_at(const struct heat_grid *grid, int bin, double key_range) {
    double counted = 0;
    for (int i = 0; i < grid->leaf_count; i++)
        counted += cell_at(grid, i, bin)->throttled;
    double rest = key_range - counted;
    return rest > OUTGROWN_LEAST * key_range ? rest : 0;
}

/* Puts refusals where they belong: on partitions, or at the foot of the band. */
static enum ddbsim_status reasons_read(const struct chart_data *data,
                                       const struct chart_resource *resource,
                                       const struct heat_parts *parts, struct heat_grid *grid,
                                       struct ddbsim_error *error) {
    bool found = false, counted = any_refused(grid);
    double *key_range = calloc((size_t)grid->bins.count, sizeof *key_range);
    if (!key_range) return error_memory(error);
    enum ddbsim_status status =
        chart_data_reasons(data, resource, &grid->bins, key_range, grid->foot, &found, error);
    grid->reasons = found || counted;
    bool table = !resource->is_index && data->on_demand;
    for (int b = 0; status == DDBSIM_OK && table && b < grid->bins.count; b++)
        grid->foot[b] += outgrown_at(grid, b, key_range[b]);
    for (int b = 0; status == DDBSIM_OK && !counted && !table && b < grid->bins.count; b++)
        if (key_range[b] > 0)
            blame_hottest(grid, parts, b, key_range[b],
                          chart_data_partition_limit(data, resource->reads));
    free(key_range);
    return status;
}

/* A recording knows no partitions: one leaf shows the resource as a whole, against its capacity. */
static void show_whole(struct heat_grid *grid, const struct series *series, double own) {
    grid->whole = true;
    grid->leaf_count = 1;
    for (int b = 0; b < grid->bins.count; b++) {
        grid->cells[b].load = (float)series->items[b].high;
        grid->leaves[0].units += series->items[b].units;
        grid->limit[b] = series->items[b].limit > 0 ? series->items[b].limit : own;
    }
}

static int parts_alive(const struct heat_grid *grid, int64_t t_s) {
    int alive = 0;
    for (int i = 0; i < grid->parts.count; i++) {
        const struct heat_part *part = &grid->parts.items[i];
        alive += part->created_s <= t_s && part->divided_s > t_s;
    }
    return alive > 0 ? alive : 1;
}

/* The limit that binds a partition: its own, or the resource's capacity where that is less; where the
 * capacity is divided among partitions (before 2018), its share. */
static enum ddbsim_status limits_read(const struct chart_data *data,
                                      const struct chart_resource *resource, struct heat_grid *grid,
                                      struct ddbsim_error *error) {
    struct series series;
    const struct bins *bins = &grid->bins;
    double own = chart_data_partition_limit(data, resource->reads);
    enum ddbsim_status status = series_load(data, resource, bins, &series, error);
    if (status != DDBSIM_OK) return status;
    grid->limit_low = INFINITY;
    for (int b = 0; b < grid->bins.count; b++) {
        double capacity = series.items[b].limit;
        if (data->divided) capacity /= parts_alive(grid, bins_begin(bins, b));
        grid->limit[b] = capacity > 0 && capacity < own ? capacity : own;
        if (!grid->reasons) grid->foot[b] = series.items[b].throttled;
        grid->throttled += series.items[b].throttled;
    }
    if (grid->leaf_count == 0 && resource->recorded) show_whole(grid, &series, own);
    for (int b = 0; b < grid->bins.count; b++) {
        grid->limit_low = fmin(grid->limit_low, grid->limit[b]);
        grid->limit_high = fmax(grid->limit_high, grid->limit[b]);
    }
    series_free(&series);
    return DDBSIM_OK;
}

static void leaves_measure(struct heat_grid *grid) {
    for (int b = 0; b < grid->bins.count; b++) {
        for (int i = 0; i < grid->leaf_count; i++) {
            const struct heat_cell *cell = cell_at(grid, i, b);
            grid->leaves[i].peak = fmax(grid->leaves[i].peak, cell->load / grid->limit[b]);
        }
    }
}

static int compare_heat(const void *a, const void *b) {
    const struct heat_leaf *const *x = a, *const *y = b;
    if ((*x)->throttled != (*y)->throttled) return (*x)->throttled < (*y)->throttled ? 1 : -1;
    if ((*x)->peak != (*y)->peak) return (*x)->peak < (*y)->peak ? 1 : -1;
    return (*x > *y) - (*x < *y);
}

/* Marks the hottest leaves, most at most. */
static enum ddbsim_status choose_hot(const struct heat_grid *grid, int most, bool *hot,
                                     int *hot_count, struct ddbsim_error *error) {
    const struct heat_leaf **order = calloc((size_t)grid->leaf_count, sizeof *order);
    if (!order) return error_memory(error);
    for (int i = 0; i < grid->leaf_count; i++)
        order[i] = &grid->leaves[i];
    qsort(order, (size_t)grid->leaf_count, sizeof *order, compare_heat);
    *hot_count = 0;
    for (int i = 0; i < grid->leaf_count && *hot_count < most; i++) {
        if (!(order[i]->throttled > 0 || order[i]->peak >= HOT_SHARE)) break;
        hot[order[i] - grid->leaves] = true;
        (*hot_count)++;
    }
    free(order);
    return DDBSIM_OK;
}

static void row_add(struct heat_grid *grid, int first, int count) {
    struct heat_row *row = &grid->rows[grid->row_count++];
    *row = (struct heat_row){.first = first, .count = count};
    for (int i = first; i < first + count; i++) {
        row->units += grid->leaves[i].units;
        row->throttled += grid->leaves[i].throttled;
    }
}

enum ddbsim_status heat_grid_rows(struct heat_grid *grid, int rows_most,
                                  struct ddbsim_error *error) {
    int hot_count = 0, group = 1;
    grid->row_count = 0;
    if (rows_most < 8) rows_most = 8;
    if (grid->leaf_count == 0) return DDBSIM_OK;
    bool *hot = calloc((size_t)grid->leaf_count, sizeof *hot);
    if (!hot) return error_memory(error);
    enum ddbsim_status status = DDBSIM_OK;
    if (grid->leaf_count > rows_most) {
        status = choose_hot(grid, rows_most / 4, hot, &hot_count, error);
        int room = rows_most - 2 * hot_count - 1; /* each hot row may cut a group in two */
        group = (grid->leaf_count - hot_count + room - 1) / room;
    }
    for (int i = 0; status == DDBSIM_OK && i < grid->leaf_count;) {
        int count = 1;
        while (!hot[i] && count < group && i + count < grid->leaf_count && !hot[i + count])
            count++;
        row_add(grid, i, count);
        i += count;
    }
    free(hot);
    return status;
}

enum ddbsim_status heat_grid_load(const struct chart_data *data,
                                  const struct chart_resource *resource, const struct bins *bins,
                                  struct heat_grid *out, struct ddbsim_error *error) {
    *out = (struct heat_grid){.bins = *bins};
    struct heat_parts *parts = &out->parts;
    enum ddbsim_status status = parts_read(data, resource->resource_id, parts, error);
    if (status == DDBSIM_OK) status = place_parts(out, parts, error);
    if (status == DDBSIM_OK) status = grid_allocate(out, error);
    if (status == DDBSIM_OK) status = forks_find(out, parts, error);
    if (status == DDBSIM_OK) status = samples_read(data, resource, parts, out, error);
    if (status == DDBSIM_OK) status = reasons_read(data, resource, parts, out, error);
    if (status == DDBSIM_OK) status = limits_read(data, resource, out, error);
    if (status == DDBSIM_OK) leaves_measure(out);
    if (status != DDBSIM_OK) heat_grid_free(out);
    return status;
}

void heat_grid_free(struct heat_grid *grid) {
    free(grid->parts.items);
    free(grid->leaves);
    free(grid->cells);
    free(grid->rows);
    free(grid->forks);
    free(grid->limit);
    free(grid->foot);
    *grid = (struct heat_grid){.leaves = NULL};
}

struct heat_cell heat_grid_cell(const struct heat_grid *grid, const struct heat_row *row, int bin) {
    struct heat_cell out = {0, 0};
    for (int i = row->first; i < row->first + row->count; i++) {
        const struct heat_cell *cell = cell_at(grid, i, bin);
        if (cell->load > out.load) out.load = cell->load;
        out.throttled += cell->throttled;
    }
    return out;
}
