/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading for charts. The two sources give the same columns (t_s, period_s, units, capacity,
 * tokens, throttled), so all that follows is written once. A missing second means that nothing was
 * consumed and nothing changed. Sums over a longer period are spread evenly over it.
 */
#include <plots/chart_data.h>
#include <plots/text.h>
#include <plots/words.h>

#include <base/error.h>
#include <base/vector.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND(direction)                                                      \
    "(SELECT t_s, period_s, " direction "_units AS units, " direction          \
    "_limit AS capacity, " direction "_tokens AS tokens, throttled_" direction \
    "s AS throttled FROM second "                                              \
    "WHERE run_id = ?1 AND resource_id = ?2)"
#define METRIC(Direction)                                                                         \
    "(SELECT t_s, period_s,"                                                                      \
    " max(CASE name WHEN 'Consumed" Direction "CapacityUnits' THEN sum END) AS units,"            \
    " max(CASE name WHEN 'Provisioned" Direction "CapacityUnits'"                                 \
    "     THEN coalesce(maximum, sum / sample_count, sum) END) AS capacity,"                      \
    " NULL AS tokens,"                                                                            \
    " max(CASE name WHEN '" Direction "ThrottleEvents' THEN sum END) AS throttled FROM metric "   \
    "WHERE run_id = ?1 AND resource_id = ?2 AND operation = '' AND dimension = '' GROUP BY t_s, " \
    "period_s)"

#define IN_WINDOW " WHERE t_s < ?4 AND t_s + period_s > ?3"
#define ROWS(source)                                                                  \
    "SELECT t_s, period_s, units, capacity, tokens, throttled FROM " source IN_WINDOW \
    " ORDER BY t_s"
#define TOTALS(source)                                                                            \
    "SELECT count(*), total(units), total(throttled), min(CASE WHEN throttled > 0 THEN t_s END)," \
    " max(CASE WHEN throttled > 0 THEN t_s + period_s END) FROM " source IN_WINDOW
#define BEFORE(source)                                                                \
    "SELECT (SELECT capacity FROM " source " WHERE t_s < ?3 AND capacity IS NOT NULL" \
    " ORDER BY t_s DESC LIMIT 1), (SELECT tokens FROM " source                        \
    " WHERE t_s < ?3 AND tokens IS NOT NULL ORDER BY t_s DESC LIMIT 1)"

#define BY_SOURCE(QUERY)                                   \
    {                                                      \
        {QUERY(SECOND("write")), QUERY(SECOND("read"))}, { \
            QUERY(METRIC("Write")), QUERY(METRIC("Read"))  \
        }                                                  \
    }
/* By [metrics][reads]. */
static const char *const rows_sql[2][2] = BY_SOURCE(ROWS);
static const char *const totals_sql[2][2] = BY_SOURCE(TOTALS);
static const char *const before_sql[2][2] = BY_SOURCE(BEFORE);

static enum ddbsim_status choose_table(struct chart_data *data, const char *wanted,
                                       struct ddbsim_error *error) {
    struct query query;
    query_open(&query, data->database, error,
               "SELECT r.table_name,"
               " sum(coalesce((SELECT sum(throttled_reads + throttled_writes) FROM second s"
               "   WHERE s.run_id = r.run_id AND s.resource_id = r.resource_id), 0)"
               " + coalesce((SELECT sum(sum) FROM metric m WHERE m.run_id = r.run_id"
               "   AND m.resource_id = r.resource_id"
               "   AND name IN ('ReadThrottleEvents', 'WriteThrottleEvents')), 0)) AS refused"
               " FROM resource r WHERE r.run_id = ?1 AND r.kind <> 'account'"
               " AND (?2 IS NULL OR r.table_name = ?2)"
               " GROUP BY r.table_name ORDER BY refused DESC, min(r.resource_id) LIMIT 1",
               "it", data->run.run_id, wanted);
    bool found = query_next(&query);
    if (found) text_clean(query_text(&query, 0), data->table, sizeof data->table);
    enum ddbsim_status status = query_close(&query);
    if (status == DDBSIM_OK && !found && wanted)
        status = error_set(error, DDBSIM_INPUT, "no table '%.200s' in this database", wanted);
    return status;
}

static enum ddbsim_status read_direction(const struct chart_data *data,
                                         struct chart_resource *resource, bool reads,
                                         struct ddbsim_error *error) {
    struct query query;
    query_open(&query, data->database, error, totals_sql[resource->metrics][reads], "iiii",
               data->run.run_id, resource->resource_id, data->from_s, data->to_s);
    if (query_next(&query)) {
        resource->reads = reads;
        resource->recorded = query_int(&query, 0) > 0;
        resource->units = query_double(&query, 1);
        resource->throttled = query_int(&query, 2);
        resource->first_throttled_s = query_seconds(&query, 3);
        resource->last_throttled_s = query_seconds(&query, 4);
    }
    return query_close(&query);
}

/* Reasons of one direction read alike: TableWriteKeyRangeThroughputExceeded. */
#define OF_RESOURCE                                                       \
    " FROM throttle WHERE run_id = ?1 AND resource_id = ?2 AND t_s < ?4 " \
    "AND t_s + period_s > ?3 AND reason LIKE ?5"
#define IS_KEY_RANGE "reason LIKE '%KeyRangeThroughputExceeded'"

static const char *reasons_like(bool reads) { return reads ? "%Read%" : "%Write%"; }

static enum ddbsim_status read_key_range(const struct chart_data *data,
                                         struct chart_resource *resource,
                                         struct ddbsim_error *error) {
    return query_one_int(data->database, error, 0, &resource->key_range,
                         "SELECT sum(events)" OF_RESOURCE " AND " IS_KEY_RANGE, "iiiit",
                         data->run.run_id, resource->resource_id, data->from_s, data->to_s,
                         reasons_like(resource->reads));
}

static bool is_idle(const struct chart_resource *resource) {
    return resource->units <= 0 && resource->throttled == 0;
}

static enum ddbsim_status read_totals(const struct chart_data *data,
                                      struct chart_resource *resource, struct ddbsim_error *error) {
    int64_t has_seconds = 0;
    enum ddbsim_status status =
        query_one_int(data->database, error, 0, &has_seconds,
                      "SELECT EXISTS(SELECT 1 FROM second WHERE run_id = ?1 AND resource_id = ?2)",
                      "ii", data->run.run_id, resource->resource_id);
    resource->metrics = !has_seconds;
    struct chart_resource reads = *resource;
    if (status == DDBSIM_OK) status = read_direction(data, resource, false, error);
    if (status == DDBSIM_OK) status = read_direction(data, &reads, true, error);
    bool only_reads = is_idle(resource) && reads.units > 0;
    if (only_reads || reads.throttled > resource->throttled) *resource = reads;
    return status == DDBSIM_OK ? read_key_range(data, resource, error) : status;
}

bool chart_resource_lives(const struct chart_resource *resource, int64_t from_s, int64_t to_s) {
    bool before = resource->born_s != CHART_NEVER && to_s <= resource->born_s;
    bool after = resource->gone_s != CHART_NEVER && from_s >= resource->gone_s;
    return !before && !after;
}

static enum ddbsim_status read_life(const struct chart_data *data, struct chart_resource *resource,
                                    struct ddbsim_error *error) {
    struct query_life life;
    enum ddbsim_status status =
        query_life_read(data->database, data->run.run_id, resource->resource_id, &life, error);
    resource->born_s = life.born_s;
    resource->active_s = life.active_s;
    resource->gone_s = life.gone_s;
    return status;
}

static enum ddbsim_status add_resource(struct chart_data *data, size_t *capacity,
                                       const struct query_resource *resource,
                                       struct ddbsim_error *error) {
    void *items = data->resources;
    size_t need = (size_t)data->count + 1;
    if (!vector_reserve(&items, capacity, need, sizeof *data->resources))
        return error_memory(error);
    data->resources = items;
    struct chart_resource *out = &data->resources[data->count++];
    out->resource_id = resource->resource_id;
    out->is_index = resource->index != NULL;
    text_clean(resource->index ? resource->index : resource->table, out->name, sizeof out->name);
    enum ddbsim_status status = read_life(data, out, error);
    return status == DDBSIM_OK ? read_totals(data, out, error) : status;
}

/* In a run that only reads, what stands idle is shown by its reads as well. */
static void turn_idle(struct chart_data *data) {
    bool reads = false, writes = false;
    for (int i = 0; i < data->count; i++) {
        const struct chart_resource *resource = &data->resources[i];
        reads = reads || (!is_idle(resource) && resource->reads);
        writes = writes || (!is_idle(resource) && !resource->reads);
    }
    for (int i = 0; i < data->count; i++)
        if (is_idle(&data->resources[i])) data->resources[i].reads = reads && !writes;
}

static enum ddbsim_status read_limits(struct chart_data *data, const struct query_resources *all,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (int i = 0; status == DDBSIM_OK && i < data->count; i++) {
        struct chart_resource *resource = &data->resources[i];
        struct query_partition_limit limit = {0, 0, false};
        status = query_partition_limit_read(data->database, data->run.run_id,
                                            query_resource_find(all, resource->resource_id),
                                            !resource->reads, &limit, error);
        resource->partition_limit = limit.limit;
        resource->eventual_limit = limit.eventual;
    }
    return status;
}

static enum ddbsim_status read_resources(struct chart_data *data, struct ddbsim_error *error) {
    struct query_resources all;
    size_t capacity = 0;
    enum ddbsim_status status = query_resources_read(data->database, data->run.run_id, &all, error);
    if (status != DDBSIM_OK) return status;
    for (size_t i = 0; status == DDBSIM_OK && i < all.count; i++) {
        char table[CHART_NAME_BYTES];
        text_clean(all.items[i].table, table, sizeof table);
        if (strcmp(all.items[i].kind, "account") == 0 || strcmp(table, data->table) != 0) continue;
        status = add_resource(data, &capacity, &all.items[i], error);
    }
    turn_idle(data);
    if (status == DDBSIM_OK) status = read_limits(data, &all, error);
    query_resources_clear(&all);
    return status;
}

static enum ddbsim_status choose_window(struct chart_data *data,
                                        const struct plots_options *options,
                                        struct ddbsim_error *error) {
    int64_t end = data->run.duration_s > 0 ? data->run.duration_s : 1;
    bool stopped = data->run.status && strcmp(data->run.status, "interrupted") == 0;
    data->from_s = options && options->from_s != INT64_MIN ? options->from_s : 0;
    data->to_s = options && options->to_s != INT64_MIN ? options->to_s : end;
    if (data->from_s < 0) data->from_s = 0;
    if (data->to_s > end) data->to_s = end;
    if (data->to_s <= data->from_s)
        return error_set(error, DDBSIM_INPUT, "no time between %lld s and %lld s in this run",
                         (long long)data->from_s, (long long)data->to_s);
    data->end_s = data->to_s;
    if (stopped && data->run.simulated_s < (double)data->to_s)
        data->end_s = (int64_t)ceil(data->run.simulated_s);
    return DDBSIM_OK;
}

/* A stored setting as a number of units or seconds: digits, then nothing or s, m or h. */
static enum ddbsim_status read_setting(const struct chart_data *data, const char *path,
                                       const char *name, double *out, struct ddbsim_error *error) {
    char *text = NULL, *end = NULL;
    enum ddbsim_status status =
        query_one_text(data->database, error, &text,
                       "SELECT value FROM setting WHERE run_id = ?1 AND path = ?2 || ?3", "itt",
                       data->run.run_id, path, name);
    double value = text ? strtod(text, &end) : 0;
    if (text && end != text && value > 0 && value < 1e12)
        *out = value * (*end == 'h' ? 3600 : *end == 'm' && end[1] != 's' ? 60 : 1);
    free(text);
    return status;
}

/* What the settings, or the capacity mode that somebody switched to, say in words. */
static enum ddbsim_status read_words(struct chart_data *data, const char *path,
                                     struct ddbsim_error *error) {
    int64_t begins = 0, switches = 0, divided = 0;
    enum ddbsim_status status =
        query_one_int(data->database, error, 0, &begins,
                      "SELECT value = 'PAY_PER_REQUEST' FROM setting WHERE run_id = ?1"
                      " AND path = ?2 || '.billing_mode'",
                      "it", data->run.run_id, path);
    if (status == DDBSIM_OK)
        status = query_one_int(
            data->database, error, 0, &switches,
            "SELECT count(*) FROM event e, json_each(iif(json_valid(e.detail), e.detail, '{}'),"
            " '$.set') j WHERE e.run_id = ?1 AND e.kind = 'change'"
            " AND j.key = ?2 || '.billing_mode'",
            "it", data->run.run_id, path);
    if (status == DDBSIM_OK)
        status = query_one_int(
            data->database, error, 0, &divided,
            "SELECT value IN ('static', 'adaptive_reactive') FROM setting WHERE run_id = ?1"
            " AND path IN ('model.admission', ?2 || '.model.admission') ORDER BY path DESC LIMIT 1",
            "it", data->run.run_id, path);
    data->begins_on_demand = begins != 0;
    data->on_demand = begins || switches > 0;
    data->saves_nothing = begins && switches == 0;
    data->divided = divided != 0 && !data->on_demand;
    return status;
}

static enum ddbsim_status read_settings(struct chart_data *data, struct ddbsim_error *error) {
    char path[2 * CHART_NAME_BYTES + 16];
    char *name = words_path_name(data->table);
    if (!name) return error_memory(error);
    snprintf(path, sizeof path, "tables.%s", name);
    free(name);
    data->burst_window_s = 300;
    enum ddbsim_status status =
        read_setting(data, path, ".burst.window", &data->burst_window_s, error);
    if (status == DDBSIM_OK) status = read_words(data, path, error);
    return status;
}

/* A switch takes effect with the capacity that comes with it. */
enum ddbsim_status chart_data_on_demand(const struct chart_data *data, int64_t t_s, bool *out,
                                        struct ddbsim_error *error) {
    int64_t mode = 0;
    char *name = words_path_name(data->table);
    if (!name) return error_memory(error);
    enum ddbsim_status status = query_one_int(
        data->database, error, data->begins_on_demand, &mode,
        "SELECT j.value IS 'PAY_PER_REQUEST' FROM event e, json_each(iif(json_valid(e.detail),"
        " e.detail, '{}'), '$.set') j WHERE e.run_id = ?1 AND e.kind = 'change'"
        " AND j.key = 'tables.' || ?2 || '.billing_mode' AND EXISTS (SELECT 1 FROM event c"
        " JOIN resource r USING (run_id, resource_id) WHERE c.run_id = ?1 AND r.table_name = ?3"
        " AND c.kind = 'capacity_changed' AND c.t_ns >= e.t_ns AND c.t_ns / 1000000000 <= ?4)"
        " ORDER BY e.t_ns DESC LIMIT 1",
        "itti", data->run.run_id, name, data->table, t_s);
    free(name);
    *out = mode != 0;
    return status;
}

enum ddbsim_status chart_data_load(struct sqlite3 *database, int64_t run_id,
                                   const struct plots_options *options, struct chart_data *out,
                                   struct ddbsim_error *error) {
    *out = (struct chart_data){.database = database};
    enum ddbsim_status status = query_run_read(database, run_id, &out->run, error);
    if (status == DDBSIM_OK) status = choose_window(out, options, error);
    if (status == DDBSIM_OK) status = choose_table(out, options ? options->table : NULL, error);
    if (status == DDBSIM_OK) status = read_settings(out, error);
    if (status == DDBSIM_OK) status = read_resources(out, error);
    if (status != DDBSIM_OK) chart_data_free(out);
    return status;
}

void chart_data_free(struct chart_data *data) {
    query_run_clear(&data->run);
    free(data->resources);
    data->resources = NULL;
    data->count = 0;
}

const struct chart_resource *chart_data_worst(const struct chart_data *data) {
    const struct chart_resource *worst = NULL;
    for (int i = 0; i < data->count; i++)
        if (data->resources[i].throttled > (worst ? worst->throttled : 0))
            worst = &data->resources[i];
    return worst;
}

struct bins chart_data_bins(const struct chart_data *data, int64_t least_s, int most) {
    return bins_make(data->from_s, data->to_s, data->run.start_unix_s + data->run.utc_offset_s,
                     least_s, most);
}

struct series_row {
    int64_t begin_s, end_s;
    double units_per_s, throttled_per_s;
};

static double or_zero(double value) { return isnan(value) ? 0 : value; }

/* The part of a row that lies in one bin. */
static void add_part(struct series_bin *bin, const struct series_row *row, bool has_units,
                     double seconds) {
    bin->throttled += row->throttled_per_s * seconds;
    if (!has_units) return;
    bin->units += row->units_per_s * seconds;
    if (bin->covered_s <= 0 || row->units_per_s < bin->low) bin->low = row->units_per_s;
    if (row->units_per_s > bin->high) bin->high = row->units_per_s;
    bin->covered_s += seconds;
}

static void note_empty(struct series_bin *bin, double tokens, int64_t begin_s, int64_t end_s) {
    double least = bin->limit > 1 ? bin->limit : 1;
    if (!(tokens < least)) return;
    if (bin->empty_s == SERIES_NEVER) bin->empty_s = begin_s;
    bin->empty_end_s = end_s;
}

static void add_row(struct series *series, struct query *query) {
    const struct bins *bins = &series->bins;
    struct series_row row = {query_seconds(query, 0), 0, 0, 0};
    int64_t period = query_seconds(query, 1);
    if (period < 1) period = 1;
    double limit = query_double(query, 3), tokens = query_double(query, 4);
    row.end_s = row.begin_s + period;
    row.units_per_s = or_zero(query_double(query, 2)) / (double)period;
    row.throttled_per_s = or_zero(query_double(query, 5)) / (double)period;
    if (row.begin_s < bins->from_s) row.begin_s = bins->from_s;
    if (row.end_s > bins->to_s) row.end_s = bins->to_s;
    int last = bins_of(bins, row.end_s - 1);
    for (int i = bins_of(bins, row.begin_s); i <= last; i++) {
        struct series_bin *bin = &series->items[i];
        int64_t begin = bins_begin(bins, i), end = bins_end(bins, i);
        if (begin < row.begin_s) begin = row.begin_s;
        if (end > row.end_s) end = row.end_s;
        add_part(bin, &row, !query_is_null(query, 2), (double)(end - begin));
        if (!isnan(limit)) bin->limit = limit;
        if (!isnan(tokens) && !(bin->tokens <= tokens)) bin->tokens = tokens;
        if (!isnan(tokens)) bin->tokens_last = tokens;
        note_empty(bin, tokens, begin, end);
    }
}

static enum ddbsim_status read_before(const struct chart_data *data,
                                      const struct chart_resource *resource, double *limit,
                                      double *tokens, struct ddbsim_error *error) {
    struct query query;
    *limit = *tokens = NAN;
    query_open(&query, data->database, error, before_sql[resource->metrics][resource->reads], "iii",
               data->run.run_id, resource->resource_id, data->from_s);
    if (query_next(&query)) {
        *limit = query_double(&query, 0);
        *tokens = query_double(&query, 1);
    }
    return query_close(&query);
}

/* Capacity and tokens hold until the next row says otherwise; before the first row, what it says.
 */
static void carry(struct series *series, double limit, double tokens) {
    struct series_bin *items = series->items;
    for (int i = 0; i < series->bins.count && isnan(limit); i++)
        limit = items[i].limit;
    for (int i = 0; i < series->bins.count && isnan(tokens); i++)
        tokens = items[i].tokens;
    for (int i = 0; i < series->bins.count; i++) {
        double whole_s = (double)(bins_end(&series->bins, i) - bins_begin(&series->bins, i));
        if (items[i].covered_s < whole_s) items[i].low = 0;
        if (isnan(items[i].limit)) items[i].limit = limit;
        if (isnan(items[i].tokens)) items[i].tokens = items[i].tokens_last = tokens;
        limit = items[i].limit;
        tokens = items[i].tokens_last;
        if (items[i].covered_s <= 0)
            note_empty(&items[i], tokens, bins_begin(&series->bins, i), bins_end(&series->bins, i));
    }
}

/* Where it was not there it had no capacity and kept nothing. */
static void forget_absent(const struct chart_resource *resource, struct series *series) {
    for (int i = 0; i < series->bins.count; i++) {
        struct series_bin *bin = &series->items[i];
        if (chart_resource_lives(resource, bins_begin(&series->bins, i),
                                 bins_end(&series->bins, i)))
            continue;
        bin->limit = NAN;
        bin->tokens = bin->tokens_last = 0;
        bin->empty_s = SERIES_NEVER;
    }
}

enum ddbsim_status series_load(const struct chart_data *data, const struct chart_resource *resource,
                               const struct bins *bins, struct series *out,
                               struct ddbsim_error *error) {
    double limit = NAN, tokens = NAN;
    struct query query;
    *out = (struct series){*bins, calloc((size_t)bins->count, sizeof *out->items)};
    if (!out->items) return error_memory(error);
    for (int i = 0; i < bins->count; i++)
        out->items[i] = (struct series_bin){
            .limit = NAN, .tokens = NAN, .tokens_last = NAN, .empty_s = SERIES_NEVER};
    enum ddbsim_status status = read_before(data, resource, &limit, &tokens, error);
    query_open(&query, data->database, error, rows_sql[resource->metrics][resource->reads], "iiii",
               data->run.run_id, resource->resource_id, bins->from_s, bins->to_s);
    while (query_next(&query))
        add_row(out, &query);
    enum ddbsim_status closed = query_close(&query);
    if (status == DDBSIM_OK) status = closed;
    carry(out, limit, tokens);
    forget_absent(resource, out);
    if (status != DDBSIM_OK) series_free(out);
    return status;
}

void series_free(struct series *series) {
    free(series->items);
    series->items = NULL;
}

double series_mean(const struct series *series, int number) {
    int64_t width = bins_end(&series->bins, number) - bins_begin(&series->bins, number);
    return width > 0 ? series->items[number].units / (double)width : 0;
}

static void spread(const struct bins *bins, double *per_bin, int64_t begin, int64_t period,
                   double count) {
    int64_t end = begin + (period > 0 ? period : 1);
    int last = bins_of(bins, end - 1);
    for (int i = bins_of(bins, begin); i <= last; i++) {
        int64_t from = bins_begin(bins, i), to = bins_end(bins, i);
        if (from < begin) from = begin;
        if (to > end) to = end;
        if (to > from) per_bin[i] += count * (double)(to - from) / (double)(end - begin);
    }
}

enum ddbsim_status chart_data_reasons(const struct chart_data *data,
                                      const struct chart_resource *resource,
                                      const struct bins *bins, double *key_range, double *other,
                                      bool *found, struct ddbsim_error *error) {
    struct query query;
    memset(key_range, 0, (size_t)bins->count * sizeof *key_range);
    memset(other, 0, (size_t)bins->count * sizeof *other);
    *found = false;
    query_open(&query, data->database, error,
               "SELECT t_s, period_s, events, " IS_KEY_RANGE OF_RESOURCE, "iiiit", data->run.run_id,
               resource->resource_id, bins->from_s, bins->to_s, reasons_like(resource->reads));
    while (query_next(&query)) {
        *found = true;
        spread(bins, query_int(&query, 3) ? key_range : other, query_int(&query, 0),
               query_int(&query, 1), query_double(&query, 2));
    }
    return query_close(&query);
}

enum ddbsim_status chart_data_refused(const struct chart_data *data, const struct bins *bins,
                                      double *per_bin, struct ddbsim_error *error) {
    struct query query;
    bool any = false;
    memset(per_bin, 0, (size_t)bins->count * sizeof *per_bin);
    query_open(&query, data->database, error,
               "SELECT t_s, period_s, sum(first_events) FROM throttle JOIN resource USING (run_id, "
               "resource_id)"
               " WHERE run_id = ?1 AND table_name = ?2 AND t_s < ?4 AND t_s + period_s > ?3"
               " GROUP BY t_s, period_s",
               "itii", data->run.run_id, data->table, bins->from_s, bins->to_s);
    while (query_next(&query)) {
        any = true;
        spread(bins, per_bin, query_seconds(&query, 0), query_seconds(&query, 1),
               query_double(&query, 2));
    }
    enum ddbsim_status status = query_close(&query);
    for (int i = 0; status == DDBSIM_OK && !any && i < data->count; i++) {
        struct series series;
        status = series_load(data, &data->resources[i], bins, &series, error);
        if (status != DDBSIM_OK) break;
        for (int b = 0; b < bins->count; b++)
            per_bin[b] += series.items[b].throttled;
        series_free(&series);
    }
    return status;
}
