/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `aws cloudwatch get-metric-data` answers (CloudWatch API reference, GetMetricData): a result for each metric and
 * statistic, times and values as parallel lists, the newest first. The answer alone does not say what an Id stands for,
 * so the queries stand in the same document, under the name and in the shape in which the command takes them; labels
 * say it once more: TABLE [INDEX] [OPERATION] METRIC STATISTIC. A result stands on a line.
 *
 * An answer is of one Region: what a replica in another Region counted is left out, and counted.
 */
#include <plots/export_parts.h>

#include <base/error.h>
#include <plots/tojson.h>
#include <string.h>
#include <time.h>

#define TIME_BYTES 32
#define LABEL_BYTES 1024
#define LINE_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

/* What CloudWatch shows of counts; of what is measured, or configured, and not counted; of latencies. */
enum kind { COUNTED = 1, MEASURED = 2, TIMED = 4 };

static const struct {
    const char *name, *column;
    unsigned kinds;
} statistics[] = {
    {"Sum", "sum", COUNTED},
    {"SampleCount", "sample_count", COUNTED | TIMED},
    {"Average", "sum / sample_count", MEASURED | TIMED},
    {"Minimum", "minimum", TIMED},
    {"Maximum", "maximum", MEASURED | TIMED},
    {"p50", "p50", TIMED},
    {"p90", "p90", TIMED},
    {"p99", "p99", TIMED},
};
enum { STATISTICS = sizeof statistics / sizeof statistics[0] };

static unsigned kind_of(int metric) {
    if (strcmp(ddbsim_metric_unit(metric), "Milliseconds") == 0) return TIMED;
    return ddbsim_metric_is_level(metric) ? MEASURED : COUNTED;
}

static json_t *time_of(const struct export *export, int64_t t_s) {
    char text[TIME_BYTES];
    time_t unix_s = (time_t)(export->run.start_unix_s + t_s);
    struct tm utc;
    if (!gmtime_r(&unix_s, &utc)) return NULL;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S+00:00", &utc);
    return json_string(text);
}

/* Values are doubles, as AWS prints them. */
static enum ddbsim_status read_points(const struct export *export,
                                      const struct export_series *series, int statistic,
                                      json_t **times, json_t **values, struct ddbsim_error *error) {
    struct query query;
    char columns[64];
    snprintf(columns, sizeof columns, "t_s, %s", statistics[statistic].column);
    *times = json_array();
    *values = json_array();
    export_rows(export, series, columns, true, &query, error);
    while (query_next(&query)) {
        if (query_is_null(&query, 1)) continue;
        *times = tojson_append(*times, time_of(export, query_seconds(&query, 0)));
        *values = tojson_append(*values, json_real(query_double(&query, 1)));
    }
    return query_close(&query);
}

static json_t *id_of(int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "m%lld", (long long)number);
    return json_string(text);
}

static json_t *label_of(const struct export_series *series, int statistic) {
    struct export_dimension dimensions[EXPORT_DIMENSIONS_MOST];
    int count = export_dimensions(series, dimensions);
    char text[LABEL_BYTES] = "";
    for (int i = 0; i < count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s ", dimensions[i].value);
    }
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s %s", ddbsim_metric_name(series->metric),
             statistics[statistic].name);
    return tojson_text(text);
}

static json_t *query_of(const struct export_series *series, int statistic, int64_t number) {
    struct export_dimension dimensions[EXPORT_DIMENSIONS_MOST];
    int count = export_dimensions(series, dimensions);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        list = tojson_append(list, json_pack("{s:s, s:o}", "Name", dimensions[i].name, "Value",
                                             tojson_text(dimensions[i].value)));
    json_t *metric = json_pack("{s:s, s:s, s:o}", "Namespace", EXPORT_NAMESPACE, "MetricName",
                               ddbsim_metric_name(series->metric), "Dimensions", list);
    json_t *stat = json_pack("{s:o, s:I, s:s}", "Metric", metric, "Period",
                             (json_int_t)series->period_s, "Stat", statistics[statistic].name);
    return json_pack("{s:o, s:o, s:o, s:b}", "Id", id_of(number), "Label",
                     label_of(series, statistic), "MetricStat", stat, "ReturnData", 1);
}

/* One element of a list, on a line of its own. */
static enum ddbsim_status put_line(struct export *export, bool first, json_t *item,
                                   struct ddbsim_error *error) {
    fputs(first ? "\n  " : ",\n  ", export->out);
    int failed = item ? json_dumpf(item, export->out, LINE_FLAGS) : -1;
    json_decref(item);
    return failed && !ferror(export->out) ? error_memory(error) : DDBSIM_OK;
}

/* Numbers results and puts their queries into a list beside them. */
static enum ddbsim_status put_result(struct export *export, const struct export_series *series,
                                     int statistic, json_t **queries, struct ddbsim_error *error) {
    json_t *times, *values;
    enum ddbsim_status status = read_points(export, series, statistic, &times, &values, error);
    size_t points = json_array_size(values);
    if (status != DDBSIM_OK || (times && values && points == 0)) {
        json_decref(times);
        json_decref(values);
        return status;
    }
    int64_t number = ++export->counts.series;
    export->counts.points += (int64_t)points;
    *queries = tojson_append(*queries, query_of(series, statistic, number));
    return put_line(export, number == 1,
                    json_pack("{s:o, s:o, s:o, s:o, s:s}", "Id", id_of(number), "Label",
                              label_of(series, statistic), "Timestamps", times, "Values", values,
                              "StatusCode", "Complete"),
                    error);
}

static enum ddbsim_status put_results(struct export *export, json_t **queries,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < export->count; i++) {
        const struct export_series *series = &export->series[i];
        if (export_is_replica(series->resource)) {
            export->counts.left_out++;
            continue;
        }
        for (int s = 0; s < STATISTICS && status == DDBSIM_OK; s++)
            if (statistics[s].kinds & kind_of(series->metric))
                status = put_result(export, series, s, queries, error);
    }
    return status;
}

enum ddbsim_status export_cloudwatch(struct export *export, struct ddbsim_error *error) {
    json_t *queries = json_array(), *query;
    size_t i;
    fputs("{\"MetricDataResults\": [", export->out);
    enum ddbsim_status status = put_results(export, &queries, error);
    if (status == DDBSIM_OK && !queries) status = error_memory(error);
    fputs("],\n\"Messages\": [],\n\"MetricDataQueries\": [", export->out);
    json_array_foreach(queries, i, query) {
        if (status == DDBSIM_OK) status = put_line(export, i == 0, json_incref(query), error);
    }
    fputs("]}\n", export->out);
    json_decref(queries);
    return status;
}
