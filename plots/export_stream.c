/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a CloudWatch metric stream delivers (CloudWatch user guide, metric streams, JSON format): an object a line, one
 * datapoint each, its time in milliseconds. Lines stand a series after the other, each in time's order. A recording may
 * lack a statistic; then the object lacks it.
 */
#include <plots/export_parts.h>

#include <base/error.h>
#include <plots/tojson.h>

#define STREAM_NAME "ddbsim"
#define ACCOUNT "000000000000" /* nobody's */
#define MS_PER_S 1000

static const struct {
    const char *name;
    int column;
} values[] = {{"count", 1}, {"sum", 2}, {"max", 3}, {"min", 4}};

static json_t *value_of(struct query *query) {
    json_t *value = json_object();
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (!query_is_null(query, values[i].column))
            value =
                tojson_set(value, values[i].name, json_real(query_double(query, values[i].column)));
    return value;
}

static json_t *dimensions_of(const struct export_series *series) {
    struct export_dimension dimensions[EXPORT_DIMENSIONS_MOST];
    int count = export_dimensions(series, dimensions);
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        object = tojson_set(object, dimensions[i].name, tojson_text(dimensions[i].value));
    return object;
}

static json_t *point_of(const struct export *export, const struct export_series *series,
                        struct query *query) {
    char region[64];
    export_region(series->resource, region);
    json_int_t ms = (json_int_t)(export->run.start_unix_s + query_seconds(query, 0)) * MS_PER_S;
    return json_pack("{s:s, s:s, s:o, s:s, s:s, s:o, s:I, s:o, s:s}", "metric_stream_name",
                     STREAM_NAME, "account_id", ACCOUNT, "region", tojson_text(region), "namespace",
                     EXPORT_NAMESPACE, "metric_name", ddbsim_metric_name(series->metric),
                     "dimensions", dimensions_of(series), "timestamp", ms, "value", value_of(query),
                     "unit", ddbsim_metric_unit(series->metric));
}

static enum ddbsim_status put_series(struct export *export, const struct export_series *series,
                                     struct ddbsim_error *error) {
    struct query query;
    bool good = true;
    export_rows(export, series, "t_s, sample_count, sum, maximum, minimum", false, &query, error);
    while (good && query_next(&query)) {
        json_t *point = point_of(export, series, &query);
        int failed =
            point ? json_dumpf(point, export->out, JSON_COMPACT | JSON_REAL_PRECISION(15)) : -1;
        json_decref(point);
        good = !failed || ferror(export->out);
        fputc('\n', export->out);
        export->counts.points++;
    }
    export->counts.series++;
    enum ddbsim_status status = query_close(&query);
    return status == DDBSIM_OK && !good ? error_memory(error) : status;
}

enum ddbsim_status export_stream(struct export *export, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < export->count && status == DDBSIM_OK; i++)
        status = put_series(export, &export->series[i], error);
    return status;
}
