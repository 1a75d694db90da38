/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What CloudWatch says of tables, out of the files that people get from it: answers of GetMetricData and of
 * GetMetricStatistics, metric streams, and the console's CSV. Files are taken one after the other, in any order; when
 * all are taken they are one set of series, each a metric of a table or index.
 *
 * What a value is of stands in some files beside it, in others in a query, a label, a header or a file's name; see
 * cloudwatch_bind.c.
 */
#ifndef REPLAY_CLOUDWATCH_H
#define REPLAY_CLOUDWATCH_H

#include <ddbsim/error.h>
#include <ddbsim/names.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shapes of files: X(enumerator, the same in small letters, name of the format, what it is) */
#define CLOUDWATCH_SHAPES(X)                                                                 \
    X(DATA, data, "cloudwatch", "what `aws cloudwatch get-metric-data` answers")             \
    X(QUERIES, queries, "cloudwatch-queries",                                                \
      "the queries of `aws cloudwatch get-metric-data`, which say what each Id stands for")  \
    X(STATISTICS, statistics, "cloudwatch-statistics",                                       \
      "what `aws cloudwatch get-metric-statistics` answers")                                 \
    X(STREAM, stream, "metric-stream", "a CloudWatch metric stream: one JSON object a line") \
    X(CONSOLE, console, "cloudwatch-csv", "the CSV that CloudWatch's console downloads")

enum cloudwatch_shape {
#define X(e, small, name, what) CLOUDWATCH_##e,
    CLOUDWATCH_SHAPES(X)
#undef X
        CLOUDWATCH_SHAPE_KINDS
};

/* X(enumerator, CloudWatch's name) */
#define CLOUDWATCH_STATISTICS_ALL(X) \
    X(SUM, "Sum")                    \
    X(SAMPLE_COUNT, "SampleCount")   \
    X(AVERAGE, "Average")            \
    X(MINIMUM, "Minimum")            \
    X(MAXIMUM, "Maximum")            \
    X(P50, "p50")                    \
    X(P90, "p90")                    \
    X(P99, "p99")

enum cloudwatch_statistic {
#define X(e, name) CLOUDWATCH_##e,
    CLOUDWATCH_STATISTICS_ALL(X)
#undef X
        CLOUDWATCH_STATISTIC_KINDS
};

#define CLOUDWATCH_DOCUMENT_MAX \
    ((size_t)64 << 20) /* bytes of a JSON document, which is read whole */
#define CLOUDWATCH_POINTS_MAX ((size_t)1 << 24)
#define CLOUDWATCH_NAME_MAX 255u /* bytes of a table's or index's name; AWS's limit */

struct cloudwatch_options {
    const char *table; /* of what names none; NULL: the only one that there is */
    const char *const *
        maps; /* "ID=TABLE [INDEX] [OPERATION] METRIC [STATISTIC]"; for ID also a label or a file */
    size_t map_count;
    bool skip_bad_rows; /* count them; false: the first one fails */
};

/* A period; values that are not known are NaN. */
struct cloudwatch_row {
    int64_t t_s; /* since 1970 in UTC */
    double values[CLOUDWATCH_STATISTIC_KINDS];
};

struct cloudwatch_series {
    const char *table, *index; /* index: NULL: the table's own; both NULL: the account's */
    const char *dimension;     /* Source or ReceivingRegion; "" where there is none */
    int operation;             /* enum ddbsim_operation_kind; -1: none */
    int metric;                /* enum ddbsim_metric */
    int64_t period_s;
    const struct cloudwatch_row *rows; /* by time */
    size_t count;
};

/* What was counted on the way: X(field, text behind the number) */
#define CLOUDWATCH_COUNTS(X)                                                                      \
    X(repeated, "datapoints that came twice, with the same value")                                \
    X(foreign, "results of other namespaces: passed over")                                        \
    X(unknown_metrics, "results of metrics that are not known here: passed over")                 \
    X(other_statistics, "results of statistics that are not known here: passed over")             \
    X(expressions, "results of metric math: passed over")                                         \
    X(coarser, "series that a finer period says better: passed over")                             \
    X(assumed_statistics, "results that do not say their statistic: taken as Sum, as Maximum of " \
                          "capacity, as Average of latency")                                      \
    X(inferred_periods, "results that do not say their period: taken from the distance of times") \
    X(unfinished, "answers that say there is more of them: NextToken, or StatusCode PartialData")

struct cloudwatch_facts {
    int64_t from_s,
        to_s; /* since 1970: begin of the first period, end of the last; both 0: nothing */
    uint64_t points, skipped;
    char first_skipped[200]; /* why, with its file and line */
#define X(field, text) uint64_t field;
    CLOUDWATCH_COUNTS(X)
#undef X
    char first_unknown[64]; /* of the metrics */
};

struct cloudwatch;

/* By number; NULL past the end. */
const char *cloudwatch_shape_name(int shape);
const char *cloudwatch_shape_what(int shape);
const char *cloudwatch_statistic_name(int statistic);
/* By the beginning of a file; -1 where it is none of these. */
int cloudwatch_recognise(const char *head, size_t length);

/* `options` and its texts must live as long. DDBSIM_INPUT where a map is none. */
DDBSIM_MUST_CHECK enum ddbsim_status cloudwatch_create(const struct cloudwatch_options *options,
                                                       struct cloudwatch **out,
                                                       struct ddbsim_error *error);
void cloudwatch_destroy(struct cloudwatch *cloudwatch);
/* A table, or an index of it, that is known from elsewhere: labels and files may name it. */
DDBSIM_MUST_CHECK enum ddbsim_status cloudwatch_know(struct cloudwatch *cloudwatch,
                                                     const char *table, const char *index,
                                                     struct ddbsim_error *error);

/* A file, whole or in pieces: begin, push as often as there is something, end. */
DDBSIM_MUST_CHECK enum ddbsim_status cloudwatch_begin(struct cloudwatch *cloudwatch, int shape,
                                                      const char *file, struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status cloudwatch_push(struct cloudwatch *cloudwatch,
                                                     const char *bytes, size_t length,
                                                     struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status cloudwatch_end(struct cloudwatch *cloudwatch,
                                                    struct ddbsim_error *error);
/* Once, when all files are taken. DDBSIM_INPUT for what cannot be bound and for values that contradict each other. */
DDBSIM_MUST_CHECK enum ddbsim_status cloudwatch_finish(struct cloudwatch *cloudwatch,
                                                       struct ddbsim_error *error);

const struct cloudwatch_facts *cloudwatch_facts(const struct cloudwatch *cloudwatch);
/* Series by number, by table, index, metric, operation; NULL past the last. */
const struct cloudwatch_series *cloudwatch_series(const struct cloudwatch *cloudwatch,
                                                  size_t number);
const struct cloudwatch_series *cloudwatch_find(const struct cloudwatch *cloudwatch,
                                                const char *table, const char *index, int metric,
                                                int operation);
/* What a row says of a statistic, also where it follows from others (Sum = Average x SampleCount); NaN where
 * nothing tells. */
double cloudwatch_value(const struct cloudwatch_row *row, int statistic);

#endif
