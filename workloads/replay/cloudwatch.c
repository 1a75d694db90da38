/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of metrics as one set of series. Points come in any order, of any file, before it is known what they are of;
 * they are kept as they come, and at the end bound (cloudwatch_bind.c), sorted, and put together by period: a row has
 * the statistics of one.
 *
 * Invariants: a series has one row a period, in time's order; two series differ in what they are of; of a metric that
 * came in several periods the finest stands. A value that came twice must be the same.
 */
#include <workloads/replay/cloudwatch_parts.h>

#include <base/check.h>
#include <base/error.h>
#include <base/types.h>
#include <base/vector.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_S 60
#define ARENA_BYTES_MAX ((size_t)256 << 20)
#define FILES_MAX 10000u
#define SAME_MOST 1e-9 /* by which two prints of one value may differ */

static const struct {
    const char *name, *what;
} shapes[] = {
#define X(e, small, name, what) {name, what},
    CLOUDWATCH_SHAPES(X)
#undef X
};

static const char *const statistics[] = {
#define X(e, name) name,
    CLOUDWATCH_STATISTICS_ALL(X)
#undef X
};

const char *cloudwatch_shape_name(int shape) {
    return shape >= 0 && shape < CLOUDWATCH_SHAPE_KINDS ? shapes[shape].name : NULL;
}

const char *cloudwatch_shape_what(int shape) {
    return shape >= 0 && shape < CLOUDWATCH_SHAPE_KINDS ? shapes[shape].what : NULL;
}

const char *cloudwatch_statistic_name(int statistic) {
    return statistic >= 0 && statistic < CLOUDWATCH_STATISTIC_KINDS ? statistics[statistic] : NULL;
}

/* ---- the set ---- */

enum ddbsim_status cloudwatch_create(const struct cloudwatch_options *options,
                                     struct cloudwatch **out, struct ddbsim_error *error) {
    struct cloudwatch *cloudwatch = calloc(1, sizeof *cloudwatch);
    *out = NULL;
    if (!cloudwatch) return error_memory(error);
    cloudwatch->options = options;
    cloudwatch->arena = arena_create(ARENA_BYTES_MAX);
    enum ddbsim_status status =
        cloudwatch->arena ? cloudwatch_read_maps(cloudwatch, error) : error_memory(error);
    if (status != DDBSIM_OK)
        cloudwatch_destroy(cloudwatch);
    else
        *out = cloudwatch;
    return status;
}

void cloudwatch_destroy(struct cloudwatch *cloudwatch) {
    if (!cloudwatch) return;
    free(cloudwatch->text.bytes);
    free(cloudwatch->files);
    free(cloudwatch->names);
    free(cloudwatch->queries);
    free(cloudwatch->results);
    free(cloudwatch->points);
    free(cloudwatch->series);
    free(cloudwatch->rows);
    arena_destroy(cloudwatch->arena);
    free(cloudwatch);
}

const char *cloudwatch_keep(struct cloudwatch *cloudwatch, const char *text, size_t length) {
    return arena_copy(cloudwatch->arena, text, length);
}

struct cloudwatch_key cloudwatch_open_key(void) {
    return (struct cloudwatch_key){
        .operation = CLOUDWATCH_OPEN, .metric = CLOUDWATCH_OPEN, .statistic = CLOUDWATCH_OPEN};
}

enum ddbsim_status cloudwatch_know(struct cloudwatch *cloudwatch, const char *table,
                                   const char *index, struct ddbsim_error *error) {
    void *names = cloudwatch->names;
    const char *of = cloudwatch_keep(cloudwatch, table, strlen(table));
    const char *name = index ? cloudwatch_keep(cloudwatch, index, strlen(index)) : NULL;
    if (!of || (index && !name) ||
        !vector_reserve(&names, &cloudwatch->name_capacity, cloudwatch->name_count + 1,
                        sizeof *cloudwatch->names))
        return error_memory(error);
    cloudwatch->names = names;
    cloudwatch->names[cloudwatch->name_count++] = (struct cloudwatch_name){of, name};
    return DDBSIM_OK;
}

struct cloudwatch_result *cloudwatch_add_result(struct cloudwatch *cloudwatch) {
    void *results = cloudwatch->results;
    CHECK(cloudwatch->file_count > 0);
    if (!vector_reserve(&results, &cloudwatch->result_capacity, cloudwatch->result_count + 1,
                        sizeof *cloudwatch->results))
        return NULL;
    cloudwatch->results = results;
    struct cloudwatch_result *result = &cloudwatch->results[cloudwatch->result_count++];
    *result = (struct cloudwatch_result){.key = cloudwatch_open_key(),
                                         .file = (uint32_t)cloudwatch->file_count - 1};
    return result;
}

/* ---- what is wrong ---- */

static enum ddbsim_status fail_at(const char *file, uint64_t line, const char *path,
                                  const char *text, struct ddbsim_error *error) {
    (void)error_set(error, DDBSIM_INPUT, "%s", text);
    error_place(error, file, line < INT32_MAX ? (int)line : 0, 0);
    if (path) error_path(error, path);
    return DDBSIM_INPUT;
}

enum ddbsim_status cloudwatch_bad(struct cloudwatch *cloudwatch, uint64_t line, const char *path,
                                  struct ddbsim_error *error, const char *format, ...) {
    char text[256];
    const char *file = cloudwatch->files[cloudwatch->file_count - 1];
    struct cloudwatch_facts *facts = &cloudwatch->facts;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!cloudwatch->options->skip_bad_rows) {
        error_hint(error, "on_bad_row: skip passes over such rows and counts them");
        return fail_at(file, path ? 0 : line, path, text, error);
    }
    if (facts->skipped++ > 0) return DDBSIM_OK;
    if (path)
        snprintf(facts->first_skipped, sizeof facts->first_skipped, "%.60s: %.60s: %.70s", file,
                 path, text);
    else
        snprintf(facts->first_skipped, sizeof facts->first_skipped, "%.60s:%llu: %.100s", file,
                 (unsigned long long)line, text);
    return DDBSIM_OK;
}

enum ddbsim_status cloudwatch_refuse(const struct cloudwatch *cloudwatch, const char *path,
                                     struct ddbsim_error *error, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return fail_at(cloudwatch->files[cloudwatch->file_count - 1], 0, path, text, error);
}

enum ddbsim_status cloudwatch_add(struct cloudwatch *cloudwatch, size_t result,
                                  const struct cloudwatch_found *found,
                                  struct ddbsim_error *error) {
    void *points = cloudwatch->points;
    if (!isfinite(found->value) || found->value < 0 || found->value > CLOUDWATCH_VALUE_MAX)
        return cloudwatch_bad(cloudwatch, found->place, found->path, error,
                              "a value of %g: no metric has that", found->value);
    if (found->t_s % MINUTE_S != 0)
        return cloudwatch_bad(cloudwatch, found->place, found->path, error,
                              "a time of %lld s into its minute: DynamoDB's metrics have whole "
                              "minutes",
                              (long long)(found->t_s % MINUTE_S));
    if (cloudwatch->point_count == CLOUDWATCH_POINTS_MAX)
        return cloudwatch_refuse(cloudwatch, NULL, error, "more than %zu datapoints in all files",
                                 CLOUDWATCH_POINTS_MAX);
    if (!vector_reserve_raw(&points, &cloudwatch->point_capacity, cloudwatch->point_count + 1,
                            sizeof *cloudwatch->points))
        return error_memory(error);
    cloudwatch->points = points;
    cloudwatch->points[cloudwatch->point_count++] =
        (struct cloudwatch_point){.t_s = found->t_s,
                                  .value = found->value,
                                  .result = (uint32_t)result,
                                  .place = (uint32_t)found->place,
                                  .statistic = (int8_t)found->statistic};
    cloudwatch->facts.points++;
    return DDBSIM_OK;
}

/* ---- files ---- */

enum ddbsim_status cloudwatch_begin(struct cloudwatch *cloudwatch, int shape, const char *file,
                                    struct ddbsim_error *error) {
    void *files = cloudwatch->files;
    const char *name = cloudwatch_keep(cloudwatch, file, strlen(file));
    CHECK(shape >= 0 && shape < CLOUDWATCH_SHAPE_KINDS);
    if (!name || !vector_reserve(&files, &cloudwatch->file_capacity, cloudwatch->file_count + 1,
                                 sizeof *cloudwatch->files))
        return error_memory(error);
    cloudwatch->files = files;
    if (cloudwatch->file_count == FILES_MAX)
        return error_set(error, DDBSIM_INPUT, "more than %u files of metrics", FILES_MAX);
    cloudwatch->files[cloudwatch->file_count++] = name;
    cloudwatch->shape = shape;
    cloudwatch->line = 1;
    cloudwatch->is_long = false;
    cloudwatch->last_result = cloudwatch->result_count;
    cloudwatch->text.length = 0;
    return DDBSIM_OK;
}

/* The line in `text` is whole. */
static enum ddbsim_status end_line(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    struct buffer *text = &cloudwatch->text;
    enum ddbsim_status status = DDBSIM_OK;
    if (text->failed) return error_memory(error);
    if (cloudwatch->is_long)
        status = cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error,
                                "a line of more than %zu bytes", CLOUDWATCH_LINE_MAX);
    else if (text->length > 0)
        status = cloudwatch_take_line(cloudwatch, text->bytes, text->length, error);
    text->length = 0;
    cloudwatch->is_long = false;
    cloudwatch->line++;
    return status;
}

static enum ddbsim_status push_lines(struct cloudwatch *cloudwatch, const char *bytes,
                                     size_t length, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    while (length > 0 && status == DDBSIM_OK) {
        const char *end = memchr(bytes, '\n', length);
        size_t part = end ? (size_t)(end - bytes) : length;
        if (cloudwatch->text.length + part > CLOUDWATCH_LINE_MAX)
            cloudwatch->is_long = true;
        else
            buffer_add(&cloudwatch->text, bytes, part);
        if (end) status = end_line(cloudwatch, error);
        bytes += part + (end != NULL);
        length -= part + (end != NULL);
    }
    return status;
}

enum ddbsim_status cloudwatch_push(struct cloudwatch *cloudwatch, const char *bytes, size_t length,
                                   struct ddbsim_error *error) {
    struct buffer *text = &cloudwatch->text;
    if (cloudwatch->shape == CLOUDWATCH_STREAM) return push_lines(cloudwatch, bytes, length, error);
    if (length > CLOUDWATCH_DOCUMENT_MAX - text->length) {
        error_hint(error, "ask for less at a time, or take a metric stream, which has no end");
        return cloudwatch_refuse(cloudwatch, NULL, error, "a document of more than %zu MB",
                                 CLOUDWATCH_DOCUMENT_MAX >> 20);
    }
    buffer_add(text, bytes, length);
    return text->failed ? error_memory(error) : DDBSIM_OK;
}

enum ddbsim_status cloudwatch_end(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    enum ddbsim_status status;
    if (cloudwatch->shape == CLOUDWATCH_CONSOLE)
        status = cloudwatch_take_console(cloudwatch, error);
    else if (cloudwatch->shape == CLOUDWATCH_STREAM)
        status = end_line(cloudwatch, error);
    else
        status = cloudwatch_take_document(cloudwatch, error);
    free(cloudwatch->text.bytes);
    cloudwatch->text = (struct buffer){0};
    return status;
}

/* ---- which shape ---- */

static bool has(const char *head, size_t length, const char *text) {
    return memmem(head, length, text, strlen(text)) != NULL;
}

/* Other CSV files have moments in their first column too: this one names a metric above them. */
static bool names_metric(const char *head, size_t length) {
    for (int i = 0; ddbsim_metric_name(i); i++)
        if (has(head, length, ddbsim_metric_name(i))) return true;
    return false;
}

int cloudwatch_recognise(const char *head, size_t length) {
    if (length >= 3 && memcmp(head, "\xef\xbb\xbf", 3) == 0) {
        head += 3;
        length -= 3;
    }
    while (length > 0 && strchr(" \t\r\n", *head)) {
        head++;
        length--;
    }
    bool object = length > 0 && *head == '{';
    if (object && has(head, length, "\"MetricDataResults\"")) return CLOUDWATCH_DATA;
    if (object && has(head, length, "\"Datapoints\"") && has(head, length, "\"Label\""))
        return CLOUDWATCH_STATISTICS;
    if (object && has(head, length, "\"metric_name\"") && has(head, length, "\"namespace\""))
        return CLOUDWATCH_STREAM;
    if (length > 0 && (object || *head == '[') && has(head, length, "\"MetricStat\""))
        return CLOUDWATCH_QUERIES;
    bool text = length > 0 && !object && *head != '[';
    return text && names_metric(head, length) && cloudwatch_delimiter(head, length)
               ? CLOUDWATCH_CONSOLE
               : -1;
}

/* ---- series ---- */

static int compare_texts(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

static int compare_series(const struct cloudwatch_series *a, const struct cloudwatch_series *b) {
    int order = (a->table == NULL) - (b->table == NULL); /* the account's last */
    if (order == 0) order = compare_texts(a->table, b->table);
    if (order == 0) order = compare_texts(a->index, b->index);
    if (order == 0) order = a->metric - b->metric;
    if (order == 0) order = a->operation - b->operation;
    if (order == 0) order = compare_texts(a->dimension, b->dimension);
    if (order == 0) order = (a->period_s > b->period_s) - (a->period_s < b->period_s);
    return order;
}

static int by_key(const void *a, const void *b) { return compare_series(a, b); }

static struct cloudwatch_series series_of(const struct cloudwatch_key *key) {
    return (struct cloudwatch_series){.table = key->table,
                                      .index = key->index,
                                      .dimension = key->dimension ? key->dimension : "",
                                      .operation = key->operation,
                                      .metric = key->metric,
                                      .period_s = key->period_s};
}

/* All series that results are of, each once, sorted; and where each result's stands. */
static enum ddbsim_status make_series(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    size_t count = 0;
    cloudwatch->series = calloc(cloudwatch->result_count + 1, sizeof *cloudwatch->series);
    if (!cloudwatch->series) return error_memory(error);
    for (size_t i = 0; i < cloudwatch->result_count; i++)
        if (!cloudwatch->results[i].key.is_passed)
            cloudwatch->series[count++] = series_of(&cloudwatch->results[i].key);
    qsort(cloudwatch->series, count, sizeof *cloudwatch->series, by_key);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || compare_series(&cloudwatch->series[i],
                                     &cloudwatch->series[cloudwatch->series_count - 1]) != 0)
            cloudwatch->series[cloudwatch->series_count++] = cloudwatch->series[i];
    for (size_t i = 0; i < cloudwatch->result_count; i++) {
        struct cloudwatch_result *result = &cloudwatch->results[i];
        struct cloudwatch_series wanted = series_of(&result->key);
        if (result->key.is_passed) continue;
        const struct cloudwatch_series *found =
            bsearch(&wanted, cloudwatch->series, cloudwatch->series_count, sizeof wanted, by_key);
        CHECK(found != NULL);
        result->series = (size_t)(found - cloudwatch->series);
    }
    return DDBSIM_OK;
}

/* ---- rows ---- */

/* Points get their series in the place of their result, and what was passed over goes. */
static void settle_points(struct cloudwatch *cloudwatch) {
    size_t kept = 0;
    for (size_t i = 0; i < cloudwatch->point_count; i++) {
        struct cloudwatch_point point = cloudwatch->points[i];
        const struct cloudwatch_result *result = &cloudwatch->results[point.result];
        if (result->key.is_passed) continue;
        if (point.statistic == CLOUDWATCH_OPEN) point.statistic = (int8_t)result->key.statistic;
        cloudwatch->points[kept++] = point;
    }
    cloudwatch->point_count = kept;
}

static int by_series_and_time(const void *left, const void *right, void *results) {
    const struct cloudwatch_point *a = left, *b = right;
    const struct cloudwatch_result *of = results;
    size_t x = of[a->result].series, y = of[b->result].series;
    if (x != y) return x < y ? -1 : 1;
    if (a->t_s != b->t_s) return a->t_s < b->t_s ? -1 : 1;
    if (a->statistic != b->statistic) return a->statistic < b->statistic ? -1 : 1;
    if (a->result != b->result) return a->result < b->result ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static bool alike(double a, double b) { return fabs(a - b) <= SAME_MOST * fmax(fabs(a), fabs(b)); }

static enum ddbsim_status contradict(struct cloudwatch *cloudwatch,
                                     const struct cloudwatch_point *point, double other,
                                     struct ddbsim_error *error) {
    const struct cloudwatch_result *result = &cloudwatch->results[point->result];
    const struct cloudwatch_series *series = &cloudwatch->series[result->series];
    if (cloudwatch->options->skip_bad_rows) {
        struct cloudwatch_facts *facts = &cloudwatch->facts;
        if (facts->skipped++ == 0)
            snprintf(facts->first_skipped, sizeof facts->first_skipped,
                     "%.60s: two values of %s at one time: %g and %g",
                     cloudwatch->files[result->file], ddbsim_metric_name(series->metric), other,
                     point->value);
        return DDBSIM_OK;
    }
    (void)error_set(
        error, DDBSIM_INPUT, "%s of %s%s%s has two values of %s for one time: %g, and %g before",
        ddbsim_metric_name(series->metric), series->table ? series->table : "the account",
        series->index ? "/" : "", series->index ? series->index : "", statistics[point->statistic],
        point->value, other);
    error_place(error, cloudwatch->files[result->file], 0, 0);
    error_hint(error, "the files speak of different times or tables, or an Id is bound wrongly");
    return DDBSIM_INPUT;
}

static void new_row(struct cloudwatch *cloudwatch, struct cloudwatch_series *series, int64_t t_s,
                    size_t *used) {
    struct cloudwatch_row *row = &cloudwatch->rows[(*used)++];
    row->t_s = t_s;
    for (int i = 0; i < CLOUDWATCH_STATISTIC_KINDS; i++)
        row->values[i] = NAN;
    if (series->count++ == 0) series->rows = row;
}

static enum ddbsim_status make_rows(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    size_t used = 0;
    enum ddbsim_status status = DDBSIM_OK;
    settle_points(cloudwatch);
    cloudwatch->rows = calloc(cloudwatch->point_count + 1, sizeof *cloudwatch->rows);
    if (!cloudwatch->rows) return error_memory(error);
    if (cloudwatch->point_count > 0)
        qsort_r(cloudwatch->points, cloudwatch->point_count, sizeof *cloudwatch->points,
                by_series_and_time, cloudwatch->results);
    for (size_t i = 0; i < cloudwatch->point_count && status == DDBSIM_OK; i++) {
        const struct cloudwatch_point *point = &cloudwatch->points[i];
        struct cloudwatch_series *series =
            &cloudwatch->series[cloudwatch->results[point->result].series];
        if (series->count == 0 || series->rows[series->count - 1].t_s != point->t_s)
            new_row(cloudwatch, series, point->t_s, &used);
        double *value = &cloudwatch->rows[used - 1].values[point->statistic];
        if (isnan(*value))
            *value = point->value;
        else if (alike(*value, point->value))
            cloudwatch->facts.repeated++;
        else
            status = contradict(cloudwatch, point, *value, error);
    }
    return status;
}

/* Is b the same as a but for its period? */
static bool is_coarser(const struct cloudwatch_series *a, const struct cloudwatch_series *b) {
    struct cloudwatch_series same = *b;
    same.period_s = a->period_s;
    return compare_series(a, &same) == 0;
}

/* Finer periods stand before coarser ones. */
static void drop_coarser(struct cloudwatch *cloudwatch) {
    size_t kept = 0;
    for (size_t i = 0; i < cloudwatch->series_count; i++) {
        const struct cloudwatch_series *series = &cloudwatch->series[i];
        if (series->count == 0) continue;
        if (kept > 0 && is_coarser(&cloudwatch->series[kept - 1], series)) {
            cloudwatch->facts.coarser++;
            continue;
        }
        cloudwatch->series[kept++] = *series;
    }
    cloudwatch->series_count = kept;
}

static bool is_capacity(const struct cloudwatch_series *series) {
    return series->metric == DDBSIM_METRIC_PROVISIONED_READ ||
           series->metric == DDBSIM_METRIC_PROVISIONED_WRITE;
}

/* What was provisioned is told every five minutes: its last period reaches beyond all else. */
static void measure(struct cloudwatch *cloudwatch, bool with_capacity) {
    struct cloudwatch_facts *facts = &cloudwatch->facts;
    for (size_t i = 0; i < cloudwatch->series_count; i++) {
        const struct cloudwatch_series *series = &cloudwatch->series[i];
        int64_t from_s = series->rows[0].t_s;
        int64_t to_s = series->rows[series->count - 1].t_s + series->period_s;
        bool first = facts->to_s == 0;
        if (is_capacity(series) && !with_capacity) continue;
        if (first || from_s < facts->from_s) facts->from_s = from_s;
        if (first || to_s > facts->to_s) facts->to_s = to_s;
    }
}

enum ddbsim_status cloudwatch_finish(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    enum ddbsim_status status = cloudwatch_bind(cloudwatch, error);
    if (status == DDBSIM_OK) status = make_series(cloudwatch, error);
    if (status == DDBSIM_OK) status = make_rows(cloudwatch, error);
    if (status != DDBSIM_OK) return status;
    drop_coarser(cloudwatch);
    measure(cloudwatch, false);
    if (cloudwatch->facts.to_s == 0) measure(cloudwatch, true);
    free(cloudwatch->points);
    cloudwatch->points = NULL;
    cloudwatch->point_count = cloudwatch->point_capacity = 0;
    return DDBSIM_OK;
}

const struct cloudwatch_facts *cloudwatch_facts(const struct cloudwatch *cloudwatch) {
    return &cloudwatch->facts;
}

const struct cloudwatch_series *cloudwatch_series(const struct cloudwatch *cloudwatch,
                                                  size_t number) {
    return number < cloudwatch->series_count ? &cloudwatch->series[number] : NULL;
}

const struct cloudwatch_series *cloudwatch_find(const struct cloudwatch *cloudwatch,
                                                const char *table, const char *index, int metric,
                                                int operation) {
    for (size_t i = 0; i < cloudwatch->series_count; i++) {
        const struct cloudwatch_series *series = &cloudwatch->series[i];
        if (series->metric == metric && series->operation == operation && !*series->dimension &&
            compare_texts(series->table, table) == 0 && compare_texts(series->index, index) == 0)
            return series;
    }
    return NULL;
}

double cloudwatch_value(const struct cloudwatch_row *row, int statistic) {
    const double *values = row->values;
    if (!isnan(values[statistic])) return values[statistic];
    if (statistic == CLOUDWATCH_SUM)
        return values[CLOUDWATCH_AVERAGE] * values[CLOUDWATCH_SAMPLE_COUNT];
    if (statistic == CLOUDWATCH_AVERAGE)
        return values[CLOUDWATCH_SUM] / values[CLOUDWATCH_SAMPLE_COUNT];
    if (statistic == CLOUDWATCH_SAMPLE_COUNT)
        return values[CLOUDWATCH_SUM] / values[CLOUDWATCH_AVERAGE];
    return NAN;
}
