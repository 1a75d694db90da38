/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What formats of export share: the run, and its metrics as series. */
#ifndef PLOTS_EXPORT_PARTS_H
#define PLOTS_EXPORT_PARTS_H

#include <plots/export.h>
#include <plots/query.h>

#define EXPORT_NAMESPACE "AWS/DynamoDB"
#define EXPORT_DIMENSIONS_MOST 4

/* One metric of one resource: all that CloudWatch tells apart by its dimensions. */
struct export_series {
    const struct query_resource *resource;
    int metric; /* enum ddbsim_metric */
    char *operation, *dimension;
    int64_t period_s;
};

struct export {
    struct sqlite3 *database;
    const struct export_options *options;
    struct query_run run;
    struct query_resources resources;
    struct export_series *series;
    size_t count, capacity;
    FILE *out;
    struct export_counts counts;
};

struct export_dimension {
    const char *name;
    char value[256];
};

/* CloudWatch's dimensions of a series, in its order; returns how many. */
int export_dimensions(const struct export_series *series,
                      struct export_dimension out[EXPORT_DIMENSIONS_MOST]);
/* The fourth part of an ARN; "" where there is none. */
void export_region(const struct query_resource *resource, char out[64]);
/* Whether it is of a replica in another Region: TABLE@REGION. */
bool export_is_replica(const struct query_resource *resource);
/* Opens a query of a series' rows in its window, `columns` of table metric, in time's order or newest first. */
void export_rows(const struct export *export, const struct export_series *series,
                 const char *columns, bool newest_first, struct query *query,
                 struct ddbsim_error *error);

typedef enum ddbsim_status export_fn(struct export *export, struct ddbsim_error *error);
export_fn export_cloudwatch; /* export_cloudwatch.c */
export_fn export_stream;     /* export_stream.c */

#endif
