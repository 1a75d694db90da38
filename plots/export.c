/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of formats, and a run's metrics as series. A series is what CloudWatch tells apart by namespace, metric and
 * dimensions; rows are sparse as CloudWatch is: a period in which nothing happened has none.
 */
#include <plots/export_parts.h>

#include <base/error.h>
#include <base/vector.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *what;
    export_fn *write;
} formats[] = {
    {"cloudwatch", "CloudWatch's GetMetricData as JSON, with the queries that bind each Id",
     export_cloudwatch},
    {"metric-stream", "a CloudWatch metric stream: one JSON object a line, one datapoint each",
     export_stream},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const char *export_format_name(int number) {
    return number >= 0 && number < FORMATS ? formats[number].name : NULL;
}

const char *export_format_what(int number) {
    return number >= 0 && number < FORMATS ? formats[number].what : NULL;
}

/* ---- dimensions ---- */

bool export_is_replica(const struct query_resource *resource) {
    return strchr(resource->table, '@') != NULL;
}

void export_region(const struct query_resource *resource, char out[64]) {
    const char *at = resource->arn;
    for (int colons = 0; *at && colons < 3; at++)
        colons += *at == ':';
    snprintf(out, 64, "%.*s", (int)strcspn(at, ":"), at);
}

static int add(struct export_dimension *dimension, const char *name, const char *value) {
    dimension->name = name;
    snprintf(dimension->value, sizeof dimension->value, "%.*s", (int)strcspn(value, "@"), value);
    return 1;
}

int export_dimensions(const struct export_series *series,
                      struct export_dimension out[EXPORT_DIMENSIONS_MOST]) {
    const struct query_resource *resource = series->resource;
    int count = 0;
    if (strcmp(resource->kind, "account") != 0)
        count += add(&out[count], "TableName", resource->table);
    if (resource->index) count += add(&out[count], "GlobalSecondaryIndexName", resource->index);
    if (*series->operation) count += add(&out[count], "Operation", series->operation);
    if (*series->dimension)
        count +=
            add(&out[count],
                series->metric == DDBSIM_METRIC_REPLICATION_LATENCY ? "ReceivingRegion" : "Source",
                series->dimension);
    return count;
}

/* ---- series ---- */

static bool wanted(const struct export_options *options, int metric) {
    bool any = false;
    for (int i = 0; i < DDBSIM_METRIC_KINDS; i++)
        any = any || options->metrics[i];
    return metric >= 0 && (!any || options->metrics[metric]);
}

static bool add_series(struct export *export, struct query *query) {
    int metric = ddbsim_name_find(ddbsim_metric_name, query_text(query, 1));
    const struct query_resource *resource =
        query_resource_find(&export->resources, query_int(query, 0));
    void *items = export->series;
    if (!resource || !wanted(export->options, metric)) return true;
    if (!vector_reserve(&items, &export->capacity, export->count + 1, sizeof *export->series))
        return false;
    export->series = items;
    struct export_series *series = &export->series[export->count++];
    *series = (struct export_series){.resource = resource,
                                     .metric = metric,
                                     .operation = query_copy(query, 2),
                                     .dimension = query_copy(query, 3),
                                     .period_s = query_seconds(query, 4)};
    return series->operation && series->dimension;
}

static enum ddbsim_status read_series(struct export *export, struct ddbsim_error *error) {
    struct query query;
    bool room = true;
    query_open(&query, export->database, error,
               "SELECT DISTINCT m.resource_id, m.name, m.operation, m.dimension, m.period_s"
               " FROM metric m JOIN resource r USING (run_id, resource_id) WHERE run_id = ?1"
               " AND m.t_s >= ?2 AND m.t_s < ?3 AND m.period_s > 0"
               " ORDER BY r.kind = 'account', r.table_name, r.kind <> 'table', r.index_name,"
               " m.name, m.operation, m.dimension, m.period_s",
               "iii", export->run.run_id, export->options->from_s, export->options->to_s);
    while (room && query_next(&query))
        room = add_series(export, &query);
    enum ddbsim_status status = query_close(&query);
    return status == DDBSIM_OK && !room ? error_memory(error) : status;
}

void export_rows(const struct export *export, const struct export_series *series,
                 const char *columns, bool newest_first, struct query *query,
                 struct ddbsim_error *error) {
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT %s FROM metric WHERE run_id = ? AND resource_id = ? AND name = ?"
             " AND operation = ? AND dimension = ? AND period_s = ? AND t_s >= ? AND t_s < ?"
             " ORDER BY t_s%s",
             columns, newest_first ? " DESC" : "");
    query_open(query, export->database, error, sql, "iitttiii", export->run.run_id,
               series->resource->resource_id, ddbsim_metric_name(series->metric), series->operation,
               series->dimension, series->period_s, export->options->from_s, export->options->to_s);
}

static enum ddbsim_status write_format(struct export *export, struct ddbsim_error *error) {
    enum ddbsim_status status =
        query_run_read(export->database, export->run.run_id, &export->run, error);
    if (status == DDBSIM_OK)
        status =
            query_resources_read(export->database, export->run.run_id, &export->resources, error);
    if (status == DDBSIM_OK) status = read_series(export, error);
    if (status == DDBSIM_OK && export->count == 0) {
        error_hint(error, "metrics, and what else there is: ddbsim list metrics");
        status = error_set(error, DDBSIM_INPUT, "the run has no such metric in that time");
    }
    return status == DDBSIM_OK ? formats[export->options->format].write(export, error) : status;
}

enum ddbsim_status export_run(struct sqlite3 *database, int64_t run_id,
                              const struct export_options *options, FILE *out,
                              struct export_counts *counts, struct ddbsim_error *error) {
    struct export export = {
        .database = database, .options = options, .run = {.run_id = run_id}, .out = out};
    enum ddbsim_status status = write_format(&export, error);
    *counts = export.counts;
    for (size_t i = 0; i < export.count; i++) {
        free(export.series[i].operation);
        free(export.series[i].dimension);
    }
    free(export.series);
    query_resources_clear(&export.resources);
    query_run_clear(&export.run);
    return status;
}
