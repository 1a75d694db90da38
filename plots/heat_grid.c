/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows in key order. Key ranges are 32 hex digits, so their text order is their order. A cell holds
 * the busiest sample, not the mean, and a joined row its hottest member: joining must not cool a
 * hot spot. Hot leaves keep rows of their own, up to a quarter of the rows; the others are joined
 * with their neighbours in equal groups. The log counts a table's refusals at the partition, an
 * index's at the index: those for a partition's own limit belong to the partitions that are at it.
 *
 * Samples are read once to measure the partitions and once more into the rows' cells; nothing is kept
 * for each partition and bin.
 *
 * Invariant: the rows cover all leaves, in order, without overlap, and there are at most rows_most of
 * them.
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
    grid->row_of = calloc(leaves, sizeof *grid->row_of);
    grid->limit = calloc(bins, sizeof *grid->limit);
    grid->foot = calloc(bins, sizeof *grid->foot);
    grid->counted = calloc(bins, sizeof *grid->counted);
    bool good = grid->leaves && grid->rows && grid->row_of && grid->limit && grid->foot;
    return good && grid->counted ? DDBSIM_OK : error_memory(error);
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

/* ---- samples ---- */

struct sample {
    const struct heat_part *part;
    int64_t begin_s, end_s;
    double units, throttled;
};

/* Of a sample's time, the share in a bin. */
static double share_in(const struct bins *bins, const struct sample *sample, int bin) {
    int64_t from = bins_begin(bins, bin), to = bins_end(bins, bin);
    if (from < sample->begin_s) from = sample->begin_s;
    if (to > sample->end_s) to = sample->end_s;
    return to > from ? (double)(to - from) / (double)(sample->end_s - sample->begin_s) : 0;
}

static double load_of(const struct sample *sample) {
    return sample->units / (double)(sample->end_s - sample->begin_s);
}

typedef void (*take_fn)(struct heat_grid *grid, const struct sample *sample, int bin, double share);
typedef void (*leave_fn)(struct heat_grid *grid, const struct heat_part *part);

/* Every sample, partition by partition and in time's order, with each bin that it touches; `leave`
 * (NULL: nobody) after a partition's last. */
static enum ddbsim_status samples_walk(struct heat_grid *grid, take_fn take, leave_fn leave,
                                       struct ddbsim_error *error) {
    struct query query;
    struct sample sample = {.part = NULL};
    const struct bins *bins = &grid->bins;
    bool reads = grid->resource->reads;
    query_open(&query, grid->data->database, error,
               "SELECT s.partition_id, s.t_s, s.period_s, s.read_units, s.write_units,"
               " s.throttled_reads, s.throttled_writes FROM partition_sample s JOIN partition p"
               " USING (run_id, partition_id) WHERE s.run_id = ?1 AND p.resource_id = ?2"
               " AND s.t_s < ?4 AND s.t_s + s.period_s > ?3 ORDER BY s.partition_id, s.t_s",
               "iiii", grid->data->run.run_id, grid->resource->resource_id, bins->from_s,
               bins->to_s);
    while (query_next(&query)) {
        const struct heat_part *part = part_find(&grid->parts, query_int(&query, 0));
        int64_t begin = query_seconds(&query, 1), period = query_seconds(&query, 2);
        if (!part || part->count < 1 || period < 1) continue;
        if (leave && sample.part && sample.part != part) leave(grid, sample.part);
        sample = (struct sample){part, begin, begin + period, query_double(&query, reads ? 3 : 4),
                                 query_double(&query, reads ? 5 : 6)};
        int last = bins_of(bins, sample.end_s - 1);
        for (int bin = bins_of(bins, begin); bin <= last; bin++) {
            double share = share_in(bins, &sample, bin);
            if (share > 0) take(grid, &sample, bin, share);
        }
    }
    if (leave && sample.part) leave(grid, sample.part);
    return query_close(&query);
}

/* A sample stands on every leaf of its partition. */
static void measure_leaves(struct heat_grid *grid, const struct sample *sample, int bin,
                           double share) {
    const struct heat_part *part = sample->part;
    double peak = load_of(sample) / grid->limit[bin], each = share / part->count;
    grid->counted[bin] += sample->throttled * share;
    for (int i = part->first; i < part->first + part->count; i++) {
        struct heat_leaf *leaf = &grid->leaves[i];
        leaf->peak = fmax(leaf->peak, peak);
        leaf->units += sample->units * each;
        leaf->throttled += sample->throttled * each;
    }
}

static struct heat_cell *cell_at(const struct heat_grid *grid, int row, int bin) {
    return &grid->cells[(size_t)row * (size_t)grid->bins.count + (size_t)bin];
}

/* The row that shows what a partition refused: one notch a partition, at its last leaf. */
static int row_of_notch(const struct heat_grid *grid, const struct heat_part *part) {
    return grid->row_of[part->first + part->count - 1];
}

static void fill_cells(struct heat_grid *grid, const struct sample *sample, int bin, double share) {
    double load = load_of(sample);
    int last = row_of_notch(grid, sample->part);
    for (int row = grid->row_of[sample->part->first]; row <= last; row++) {
        struct heat_cell *cell = cell_at(grid, row, bin);
        if (load > cell->load) cell->load = (float)load;
    }
    cell_at(grid, last, bin)->throttled += (float)(sample->throttled * share);
}

/* ---- blame ---- */

/* What was refused in a bin by a partition's own limit is shared out among the partitions at it, by
 * their load; where none is (a bucket that ran out in part of a sample), among the busiest. */
static double least_to_blame(const struct heat_grid *grid, int bin) {
    return fmin(grid->blame.busiest[bin], AT_LIMIT * grid->resource->partition_limit);
}

static void note_load(struct heat_grid *grid, const struct sample *sample, int bin, double share) {
    (void)share;
    grid->blame.loads[bin] = fmax(grid->blame.loads[bin], load_of(sample));
}

static void find_busiest(struct heat_grid *grid, const struct heat_part *part) {
    struct heat_blame *blame = &grid->blame;
    (void)part;
    for (int bin = 0; bin < grid->bins.count; bin++) {
        blame->busiest[bin] = fmax(blame->busiest[bin], blame->loads[bin]);
        blame->loads[bin] = 0;
    }
}

static void sum_loads(struct heat_grid *grid, const struct heat_part *part) {
    struct heat_blame *blame = &grid->blame;
    (void)part;
    for (int bin = 0; bin < grid->bins.count; bin++) {
        if (blame->loads[bin] >= least_to_blame(grid, bin)) blame->all[bin] += blame->loads[bin];
        blame->loads[bin] = 0;
    }
}

/* A partition's part of what was refused in a bin; the load that told it is forgotten. */
static double take_blame(struct heat_grid *grid, int bin) {
    struct heat_blame *blame = &grid->blame;
    double load = blame->loads[bin], refused = blame->refused[bin];
    blame->loads[bin] = 0;
    if (!(refused > 0 && load > 0) || load < least_to_blame(grid, bin)) return 0;
    return refused * load / blame->all[bin];
}

static void blame_leaves(struct heat_grid *grid, const struct heat_part *part) {
    double refused = 0;
    for (int bin = 0; bin < grid->bins.count; bin++)
        refused += take_blame(grid, bin);
    for (int i = part->first; i < part->first + part->count; i++)
        grid->leaves[i].throttled += refused / part->count;
}

static void blame_cells(struct heat_grid *grid, const struct heat_part *part) {
    for (int bin = 0; bin < grid->bins.count; bin++)
        cell_at(grid, row_of_notch(grid, part), bin)->throttled += (float)take_blame(grid, bin);
}

static enum ddbsim_status blame_hottest(struct heat_grid *grid, struct ddbsim_error *error) {
    struct heat_blame *blame = &grid->blame;
    size_t bins = (size_t)grid->bins.count;
    blame->busiest = calloc(bins, sizeof *blame->busiest);
    blame->all = calloc(bins, sizeof *blame->all);
    blame->loads = calloc(bins, sizeof *blame->loads);
    if (!blame->busiest || !blame->all || !blame->loads) return error_memory(error);
    enum ddbsim_status status = samples_walk(grid, note_load, find_busiest, error);
    if (status == DDBSIM_OK) status = samples_walk(grid, note_load, sum_loads, error);
    if (status == DDBSIM_OK) status = samples_walk(grid, note_load, blame_leaves, error);
    return status;
}

/* ---- reasons ---- */

static bool any_above(const double *values, int count) {
    for (int i = 0; i < count; i++)
        if (values[i] > 0) return true;
    return false;
}

/* What a table refused for a key range and none of its partitions counted: on demand it had outgrown what
 * it serves as a whole. */
static double outgrown_at(const struct heat_grid *grid, int bin, double key_range) {
    double rest = key_range - grid->counted[bin];
    return rest > OUTGROWN_LEAST * key_range ? rest : 0;
}

/* Puts refusals where they belong: on partitions, or on the resource as a whole. Where the log does not
 * say why, they are the resource's. */
static enum ddbsim_status reasons_read(struct heat_grid *grid, struct ddbsim_error *error) {
    int bins = grid->bins.count;
    bool found = false, counted = any_above(grid->counted, bins);
    bool table = !grid->resource->is_index && grid->data->on_demand;
    double *key_range = calloc((size_t)bins, sizeof *key_range);
    double *other = calloc((size_t)bins, sizeof *other);
    enum ddbsim_status status = key_range && other
                                    ? chart_data_reasons(grid->data, grid->resource, &grid->bins,
                                                         key_range, other, &found, error)
                                    : error_memory(error);
    for (int b = 0; status == DDBSIM_OK && (found || counted) && b < bins; b++)
        grid->foot[b] = other[b] + (table ? outgrown_at(grid, b, key_range[b]) : 0);
    free(other);
    if (status == DDBSIM_OK && !counted && !table && any_above(key_range, bins)) {
        grid->blame.refused = key_range;
        return blame_hottest(grid, error);
    }
    free(key_range);
    return status;
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
static double limit_at(const struct heat_grid *grid, double capacity, int bin) {
    double own = grid->resource->partition_limit;
    if (grid->data->divided) capacity /= parts_alive(grid, bins_begin(&grid->bins, bin));
    if (!(capacity > 0)) return own;
    return grid->whole ? capacity : fmin(capacity, own);
}

static enum ddbsim_status limits_read(struct heat_grid *grid, struct ddbsim_error *error) {
    struct series series;
    enum ddbsim_status status =
        series_load(grid->data, grid->resource, &grid->bins, &series, error);
    if (status != DDBSIM_OK) return status;
    grid->limit_low = INFINITY;
    for (int b = 0; b < grid->bins.count; b++) {
        grid->limit[b] = limit_at(grid, series.items[b].limit, b);
        grid->foot[b] = series.items[b].throttled;
        grid->throttled += series.items[b].throttled;
        if (!chart_resource_lives(grid->resource, bins_begin(&grid->bins, b),
                                  bins_end(&grid->bins, b)))
            continue;
        grid->limit_low = fmin(grid->limit_low, grid->limit[b]);
        grid->limit_high = fmax(grid->limit_high, grid->limit[b]);
    }
    if (!isfinite(grid->limit_low)) grid->limit_low = grid->limit_high = limit_at(grid, NAN, 0);
    series_free(&series);
    return DDBSIM_OK;
}

/* A recording knows no partitions: one leaf shows the resource as a whole, against its capacity. */
static enum ddbsim_status show_whole(struct heat_grid *grid, struct ddbsim_error *error) {
    struct series series;
    enum ddbsim_status status =
        series_load(grid->data, grid->resource, &grid->bins, &series, error);
    if (status != DDBSIM_OK) return status;
    for (int b = 0; b < grid->bins.count; b++) {
        double high = series.items[b].high;
        grid->leaves[0].units += grid->cells ? 0 : series.items[b].units;
        grid->leaves[0].peak = fmax(grid->leaves[0].peak, high / grid->limit[b]);
        if (grid->cells) cell_at(grid, 0, b)->load = (float)high;
    }
    series_free(&series);
    return DDBSIM_OK;
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

void heat_grid_add_row(struct heat_grid *grid, int count) {
    const struct heat_row *last = grid->row_count > 0 ? &grid->rows[grid->row_count - 1] : NULL;
    struct heat_row row = {.first = last ? last->first + last->count : 0, .count = count};
    for (int i = row.first; i < row.first + count; i++) {
        row.units += grid->leaves[i].units;
        row.throttled += grid->leaves[i].throttled;
        grid->row_of[i] = grid->row_count;
    }
    grid->rows[grid->row_count++] = row;
}

enum ddbsim_status heat_grid_read(struct heat_grid *grid, struct ddbsim_error *error) {
    free(grid->cells);
    grid->cells = calloc((size_t)grid->row_count * (size_t)grid->bins.count, sizeof *grid->cells);
    if (!grid->cells && grid->row_count > 0) return error_memory(error);
    if (grid->whole) return show_whole(grid, error);
    enum ddbsim_status status = samples_walk(grid, fill_cells, NULL, error);
    if (status == DDBSIM_OK && grid->blame.refused)
        status = samples_walk(grid, note_load, blame_cells, error);
    return status;
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
        heat_grid_add_row(grid, count);
        i += count;
    }
    free(hot);
    return status == DDBSIM_OK ? heat_grid_read(grid, error) : status;
}

enum ddbsim_status heat_grid_load(const struct chart_data *data,
                                  const struct chart_resource *resource, const struct bins *bins,
                                  struct heat_grid *out, struct ddbsim_error *error) {
    *out = (struct heat_grid){.data = data, .resource = resource, .bins = *bins};
    struct heat_parts *parts = &out->parts;
    enum ddbsim_status status = parts_read(data, resource->resource_id, parts, error);
    if (status == DDBSIM_OK) status = place_parts(out, parts, error);
    out->whole = out->leaf_count == 0 && resource->recorded;
    if (out->whole) out->leaf_count = 1;
    if (status == DDBSIM_OK) status = grid_allocate(out, error);
    if (status == DDBSIM_OK) status = forks_find(out, parts, error);
    if (status == DDBSIM_OK) status = limits_read(out, error);
    if (status == DDBSIM_OK)
        status =
            out->whole ? show_whole(out, error) : samples_walk(out, measure_leaves, NULL, error);
    if (status == DDBSIM_OK) status = reasons_read(out, error);
    if (status != DDBSIM_OK) heat_grid_free(out);
    return status;
}

void heat_grid_free(struct heat_grid *grid) {
    free(grid->parts.items);
    free(grid->leaves);
    free(grid->cells);
    free(grid->rows);
    free(grid->row_of);
    free(grid->forks);
    free(grid->limit);
    free(grid->foot);
    free(grid->counted);
    free(grid->blame.refused);
    free(grid->blame.busiest);
    free(grid->blame.all);
    free(grid->blame.loads);
    *grid = (struct heat_grid){.leaves = NULL};
}

struct heat_cell heat_grid_cell(const struct heat_grid *grid, const struct heat_row *row, int bin) {
    struct heat_cell out = {0, 0};
    int last = grid->row_of[row->first + row->count - 1];
    for (int i = grid->row_of[row->first]; i <= last; i++) {
        const struct heat_cell *cell = cell_at(grid, i, bin);
        if (cell->load > out.load) out.load = cell->load;
        out.throttled += cell->throttled;
    }
    return out;
}
