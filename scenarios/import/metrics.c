/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of CloudWatch's metrics: they are read by workloads/replay/cloudwatch*, which also tells what each value is of.
 * Tables and indexes that other files describe are known by then, so that labels and file names may say no more than a
 * name. What the metrics themselves say of tables is little: that they are there, and what was provisioned.
 */
#include "metrics.h"

#include "demand.h"

#include <base/check.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <workloads/replay/feed.h>

/* ---- kinds ---- */

static bool is_shape(const struct import_file *file, int shape) {
    return cloudwatch_recognise(file->text, file->length) == shape;
}

#define X(e, small, name, what)                               \
    bool metrics_is_##small(const struct import_file *file) { \
        return is_shape(file, CLOUDWATCH_##e);                \
    }
CLOUDWATCH_SHAPES(X)
#undef X

/* ---- files ---- */

static enum ddbsim_status open_set(struct import *import, struct ddbsim_error *error) {
    if (import->metrics) return DDBSIM_OK;
    struct metrics *metrics = arena_alloc(import->arena, 1, sizeof *metrics);
    if (!metrics) return error_memory(error);
    metrics->options = (struct cloudwatch_options){.table = import->options.table,
                                                   .maps = import->options.maps,
                                                   .map_count = import->options.map_count};
    import->metrics = metrics;
    return cloudwatch_create(&metrics->options, &metrics->set, error);
}

/* A file of lines may be longer than what is held of it. */
static enum ddbsim_status push_file(struct import *import, const char *path,
                                    struct ddbsim_error *error) {
    char bytes[65536];
    struct feed *feed;
    size_t got = 1;
    if (strcmp(path, "-") == 0) {
        error_hint(error, "name the file instead");
        return error_set(error, DDBSIM_INPUT,
                         "metrics on standard input are more than can be held");
    }
    enum ddbsim_status status = feed_create(path, &feed, error);
    while (got > 0 && status == DDBSIM_OK) {
        status = feed_bytes(feed, bytes, sizeof bytes, &got, error);
        if (status == DDBSIM_OK) status = cloudwatch_push(import->metrics->set, bytes, got, error);
    }
    feed_destroy(feed);
    return status;
}

enum ddbsim_status metrics_take(struct import *import, const struct import_file *file,
                                struct ddbsim_error *error) {
    int shape = cloudwatch_recognise(file->text, file->length);
    enum ddbsim_status status = open_set(import, error);
    if (status != DDBSIM_OK) return status;
    uint64_t before = cloudwatch_facts(import->metrics->set)->points;
    status = cloudwatch_begin(import->metrics->set, shape, file->path, error);
    if (status == DDBSIM_OK)
        status = file->is_whole
                     ? cloudwatch_push(import->metrics->set, file->text, file->length, error)
                     : push_file(import, file->path, error);
    if (status == DDBSIM_OK) status = cloudwatch_end(import->metrics->set, error);
    if (status != DDBSIM_OK) return status;
    uint64_t points = cloudwatch_facts(import->metrics->set)->points - before;
    if (shape != CLOUDWATCH_QUERIES)
        import_note(import, IMPORT_TOOK, file->path, "%" PRIu64 " datapoints", points);
    return DDBSIM_OK;
}

/* ---- what they say of tables ---- */

static enum ddbsim_status know_tables(struct import *import, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct import_table *table = import->tables; table && status == DDBSIM_OK;
         table = table->next) {
        status = cloudwatch_know(import->metrics->set, table->resource.name, NULL, error);
        for (const struct import_index *index = table->indexes; index && status == DDBSIM_OK;
             index = index->next)
            status = cloudwatch_know(import->metrics->set, table->resource.name,
                                     index->resource.name, error);
    }
    return status;
}

static void note_count(struct import *import, uint64_t count, const char *text) {
    if (count > 0) import_note(import, IMPORT_PASSED, NULL, "%" PRIu64 " %s", count, text);
}

static void note_counts(struct import *import) {
    const struct cloudwatch_facts *facts = cloudwatch_facts(import->metrics->set);
#define X(field, text) note_count(import, facts->field, text);
    CLOUDWATCH_COUNTS(X)
#undef X
    if (facts->unknown_metrics > 0)
        import_note(import, IMPORT_PASSED, NULL, "the first metric that is not known is %s",
                    facts->first_unknown);
}

/* What was provisioned when the recording began. */
static int64_t first_capacity(const struct cloudwatch_series *series) {
    double units = cloudwatch_value(&series->rows[0], CLOUDWATCH_MAXIMUM);
    if (isnan(units)) units = cloudwatch_value(&series->rows[0], CLOUDWATCH_AVERAGE);
    return units >= 1 && units < 1e9 ? (int64_t)units : IMPORT_UNKNOWN;
}

/* Units of the period that consumed most, a second. */
static int64_t most_served(const struct cloudwatch_series *series) {
    double most = 0;
    for (size_t i = 0; i < series->count; i++)
        most = fmax(most, cloudwatch_value(&series->rows[i], CLOUDWATCH_SUM));
    most = ceil(most / (double)series->period_s);
    return most >= 1 && most < 1e9 ? (int64_t)most : IMPORT_UNKNOWN;
}

static void take_series(struct import *import, const struct cloudwatch_series *series) {
    if (!series->table) return;
    struct import_table *table = import_table(import, series->table, import->files[0]);
    struct import_index *index =
        table && series->index ? import_index(import, table, series->index) : NULL;
    if (!table || (series->index && !index)) return;
    struct import_resource *resource = index ? &index->resource : &table->resource;
    int64_t units = first_capacity(series);
    if (series->metric == DDBSIM_METRIC_CONSUMED_WRITE)
        resource->served.write = most_served(series);
    if (series->metric == DDBSIM_METRIC_CONSUMED_READ) resource->served.read = most_served(series);
    if (series->metric == DDBSIM_METRIC_PROVISIONED_WRITE && units > 0)
        resource->capacity.write = units;
    if (series->metric == DDBSIM_METRIC_PROVISIONED_READ && units > 0)
        resource->capacity.read = units;
}

enum ddbsim_status metrics_finish(struct import *import, struct ddbsim_error *error) {
    if (!import->metrics || import->metrics->is_finished) return DDBSIM_OK;
    import->metrics->is_finished = true;
    enum ddbsim_status status = know_tables(import, error);
    if (status == DDBSIM_OK) status = cloudwatch_finish(import->metrics->set, error);
    if (status != DDBSIM_OK) return status;
    note_counts(import);
    const struct cloudwatch_facts *facts = cloudwatch_facts(import->metrics->set);
    if (facts->to_s > facts->from_s)
        import_cover(import, facts->from_s * INT64_C(1000000000),
                     facts->to_s * INT64_C(1000000000));
    for (size_t i = 0; cloudwatch_series(import->metrics->set, i); i++)
        take_series(import, cloudwatch_series(import->metrics->set, i));
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}

enum ddbsim_status metrics_join(struct import *import, struct ddbsim_error *error) {
    enum ddbsim_status status = metrics_finish(import, error);
    return status == DDBSIM_OK ? demand_join(import, error) : status;
}

void metrics_destroy(struct metrics *metrics) {
    if (metrics) cloudwatch_destroy(metrics->set);
}
