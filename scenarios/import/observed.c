/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What CloudWatch said, as the rows that a simulated run would have of the same: metrics, the resources that they are
 * of, and of settings those that some file states. What nobody said is not there: no workload, no key, no second, no
 * partition. The run begins with the first period and ends with the last.
 *
 * Of a metric that has an average and neither sum nor number of samples, a row has the average as the sum of one sample:
 * what was provisioned, and latencies, are read so. A count like that would be none: it is left out.
 */
#include "observed.h"

#include "metrics.h"

#include <base/check.h>
#include <base/date.h>
#include <base/hash.h>
#include <base/types.h>
#include <base/vector.h>
#include <ddbsim/build.h>
#include <ddbsim/ddbsim.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S 86400
#define DURATION_MOST_S (INT64_C(3660) * DAY_S) /* of a run */

struct setting {
    const char *path, *value;
};

/* A run under way. */
struct observed {
    struct import *import;
    struct ddbsim_sink sink;
    int64_t from_s;
    uint64_t left_out; /* rows of counts that have an average alone */
    struct setting *settings;
    size_t setting_count, setting_capacity;
};

/* One resource that metrics are of. */
struct resource {
    const char *table, *index; /* both NULL: the account */
    int64_t id;
};

enum ddbsim_status observed_check(struct import *import, struct ddbsim_error *error) {
    enum ddbsim_status status = metrics_finish(import, error);
    if (status != DDBSIM_OK) return status;
    if (!import->metrics || !cloudwatch_series(import->metrics->set, 0)) {
        error_hint(error, "`ddbsim import --commands TABLE` prints the commands that fetch some");
        return error_set(error, DDBSIM_INPUT,
                         "a database needs metrics of CloudWatch, and the files have none");
    }
    const struct cloudwatch_facts *facts = cloudwatch_facts(import->metrics->set);
    if (facts->to_s - facts->from_s <= DURATION_MOST_S) return DDBSIM_OK;
    return error_set(error, DDBSIM_INPUT,
                     "the metrics reach over %" PRId64 " days: ten years are "
                     "the most",
                     (facts->to_s - facts->from_s) / DAY_S);
}

/* ---- settings and resources ---- */

/* Kept until all are there: the log takes them by path. */
static void put_setting(struct observed *o, const char *path, const char *key, const char *value) {
    void *settings = o->settings;
    if (!vector_reserve(&settings, &o->setting_capacity, o->setting_count + 1,
                        sizeof *o->settings)) {
        o->import->short_of_memory = true;
        return;
    }
    o->settings = settings;
    const char *whole = import_text(o->import, "%s.%s", path, key);
    const char *copy = import_text(o->import, "%s", value);
    if (whole && copy) o->settings[o->setting_count++] = (struct setting){whole, copy};
}

static int by_path(const void *a, const void *b) {
    return strcmp(((const struct setting *)a)->path, ((const struct setting *)b)->path);
}

static void put_units(struct observed *o, const char *path, const char *key, int64_t units) {
    char text[32];
    if (units < 0) return;
    snprintf(text, sizeof text, "%" PRId64, units);
    put_setting(o, path, key, text);
}

/* A name as a step of a path: quoted where it has dots. */
static void step(const char *name, char *out, size_t size) {
    bool plain = !strchr(name, '.');
    snprintf(out, size, plain ? "%s" : "\"%s\"", name);
}

static void put_index(struct observed *o, const struct import_index *index, const char *table) {
    char name[300], path[800];
    step(index->resource.name, name, sizeof name);
    snprintf(path, sizeof path, "%s.indexes.%s", table, name);
    if (index->projection) put_setting(o, path, "projection", index->projection);
    put_units(o, path, "read_capacity", index->resource.capacity.read);
    if (!index->is_local) put_setting(o, path, "type", "GLOBAL");
    put_units(o, path, "write_capacity", index->resource.capacity.write);
}

static void put_table(struct observed *o, const struct import_table *table) {
    char name[300], path[400];
    bool bought = table->resource.capacity.read > 0 || table->resource.capacity.write > 0;
    const char *billing = table->billing ? table->billing : bought ? "PROVISIONED" : NULL;
    step(table->resource.name, name, sizeof name);
    snprintf(path, sizeof path, "tables.%s", name);
    if (billing) put_setting(o, path, "billing_mode", billing);
    for (const struct import_index *index = table->indexes; index; index = index->next)
        put_index(o, index, path);
    put_units(o, path, "read_capacity", table->resource.capacity.read);
    put_units(o, path, "write_capacity", table->resource.capacity.write);
}

static void put_settings(struct observed *o) {
    for (const struct import_table *table = o->import->tables; table; table = table->next)
        put_table(o, table);
    if (o->setting_count > 0) qsort(o->settings, o->setting_count, sizeof *o->settings, by_path);
    for (size_t i = 0; i < o->setting_count; i++) {
        const struct ddbsim_value values[] = {ddbsim_text(o->settings[i].path),
                                              ddbsim_text(o->settings[i].value)};
        o->sink.row(o->sink.self, DDBSIM_LOG_SETTING, values, 2);
    }
    free(o->settings);
}

static void put_resource(struct observed *o, const struct resource *resource, const char *region) {
    char arn[1100];
    const char *kind = !resource->table ? "account" : resource->index ? "index" : "table";
    snprintf(arn, sizeof arn, "arn:aws:dynamodb:%s:000000000000%s%s%s%s", region ? region : "",
             resource->table ? ":table/" : "", resource->table ? resource->table : "",
             resource->index ? "/index/" : "", resource->index ? resource->index : "");
    const struct ddbsim_value values[] = {ddbsim_integer(resource->id), ddbsim_text(kind),
                                          ddbsim_text(resource->table ? resource->table : ""),
                                          ddbsim_text(resource->index), ddbsim_text(arn)};
    o->sink.row(o->sink.self, DDBSIM_LOG_RESOURCE, values, sizeof values / sizeof values[0]);
}

/* ---- metrics ---- */

static struct ddbsim_value real_or_null(double value) {
    return isnan(value) ? ddbsim_null() : ddbsim_real(value);
}

static bool is_count(int metric) {
    return strcmp(ddbsim_metric_unit(metric), "Count") == 0 && !ddbsim_metric_is_level(metric);
}

static void put_row(struct observed *o, const struct cloudwatch_series *series, int64_t resource_id,
                    const struct cloudwatch_row *row) {
    double sum = cloudwatch_value(row, CLOUDWATCH_SUM);
    double samples = cloudwatch_value(row, CLOUDWATCH_SAMPLE_COUNT);
    double average = row->values[CLOUDWATCH_AVERAGE];
    if (isnan(sum) && !isnan(average) && is_count(series->metric)) {
        o->left_out++;
        return;
    }
    if (isnan(sum) && !isnan(average)) {
        sum = average;
        samples = 1;
    }
    const char *operation = ddbsim_operation_name(series->operation);
    const struct ddbsim_value values[] = {
        ddbsim_integer(resource_id),
        ddbsim_text(ddbsim_metric_name(series->metric)),
        ddbsim_text(operation ? operation : ""),
        ddbsim_text(series->dimension),
        ddbsim_integer(series->period_s),
        ddbsim_integer(row->t_s - o->from_s),
        real_or_null(sum),
        isnan(samples) ? ddbsim_null() : ddbsim_integer((int64_t)llround(samples)),
        real_or_null(row->values[CLOUDWATCH_MINIMUM]),
        real_or_null(row->values[CLOUDWATCH_MAXIMUM]),
        real_or_null(row->values[CLOUDWATCH_P50]),
        real_or_null(row->values[CLOUDWATCH_P90]),
        real_or_null(row->values[CLOUDWATCH_P99]),
        ddbsim_text(ddbsim_metric_unit(series->metric)),
    };
    o->sink.row(o->sink.self, DDBSIM_LOG_METRIC, values, sizeof values / sizeof values[0]);
}

static bool same(const char *a, const char *b) {
    return strcmp(a ? a : "", b ? b : "") == 0 && !a == !b;
}

/* Series stand by table and index, so that a resource is met in one piece; a table has a row of its own even where its
 * indexes alone have metrics, for what is refused concerns it. */
static void put_series(struct observed *o) {
    struct resource last = {.id = 0};
    const struct cloudwatch_series *series;
    for (size_t i = 0; (series = cloudwatch_series(o->import->metrics->set, i)) != NULL; i++) {
        const struct import_table *table =
            series->table ? import_find_table(o->import, series->table) : NULL;
        const char *region = table ? table->region : NULL;
        bool new_table = last.id == 0 || !same(last.table, series->table);
        if (new_table && series->index) {
            last = (struct resource){series->table, NULL, last.id + 1};
            put_resource(o, &last, region);
        }
        if (new_table || !same(last.index, series->index)) {
            last = (struct resource){series->table, series->index, last.id + 1};
            put_resource(o, &last, region);
        }
        for (size_t k = 0; k < series->count; k++)
            put_row(o, series, last.id, &series->rows[k]);
    }
}

/* ---- the run ---- */

static void put_start(int64_t unix_s, char *out, size_t size) {
    struct date date = date_of_day(floor_div(unix_s, DAY_S));
    int second = (int)(unix_s - floor_div(unix_s, DAY_S) * DAY_S);
    snprintf(out, size, "%04d-%02d-%02dT%02d:%02d:%02d+00:00", (int)date.year, date.month, date.day,
             second / 3600, second / 60 % 60, second % 60);
}

/* What the run was made of, for a run has an input: the same metrics have the same hash. */
static uint64_t hash_of(const struct cloudwatch *metrics) {
    uint64_t hash = 0;
    const struct cloudwatch_series *series;
    for (size_t i = 0; (series = cloudwatch_series(metrics, i)) != NULL; i++)
        hash ^= hash64(series->rows, series->count * sizeof series->rows[0]) + i;
    return hash;
}

static const char *title_of(struct import *import) {
    const char *first = NULL;
    size_t more = 0;
    for (const struct import_table *table = import->tables; table; table = table->next) {
        if (!first)
            first = table->resource.name;
        else
            more++;
    }
    if (more > 0) return import_text(import, "%s and %zu more, as CloudWatch has it", first, more);
    return import_text(import, "%s, as CloudWatch has it", first ? first : "the account");
}

enum ddbsim_status observed_write(struct import *import, const char *name, int64_t study_id,
                                  struct log_writer *writer, struct ddbsim_error *error) {
    char start[40], hash[32], digest[33];
    const struct cloudwatch_facts *facts = cloudwatch_facts(import->metrics->set);
    struct observed o = {.import = import, .from_s = facts->from_s};
    const char *title = title_of(import);
    if (!title) return error_memory(error);
    put_start(facts->from_s, start, sizeof start);
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_of(import->metrics->set));
    const struct log_run run = {.study_id = study_id,
                                .scenario = name,
                                .title = title,
                                .variant = "base",
                                .start = start,
                                .detail = "full",
                                .scenario_text = "",
                                .input_hash = hash,
                                .version = ddbsim_version(),
                                .start_unix_s = facts->from_s,
                                .duration_s = facts->to_s - facts->from_s,
                                .model_version = DDBSIM_MODEL_VERSION};
    (void)log_writer_begin_run(writer, &run, &o.sink);
    put_settings(&o);
    put_series(&o);
    if (o.left_out > 0)
        import_note(import, IMPORT_PASSED, NULL,
                    "%" PRIu64 " datapoints of counts that have an Average alone: ask for Sum and "
                    "SampleCount",
                    o.left_out);
    log_writer_end_run(writer, "observed", (double)run.duration_s, digest);
    return import->short_of_memory ? error_memory(error) : log_writer_status(writer, error);
}
