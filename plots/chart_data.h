/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What charts read from a result database: one table with its indexes, and each one's course over
 * time in bins. Runs are read from log table `second`, recordings (which have none) from `metric`.
 */
#ifndef PLOTS_CHART_DATA_H
#define PLOTS_CHART_DATA_H

#include <plots/plots.h>
#include <plots/query.h>
#include <plots/scale.h>

#define CHART_NAME_BYTES 256

struct chart_resource {
    int64_t resource_id;
    bool is_index;
    char name[CHART_NAME_BYTES];
    bool metrics; /* read from log table metric */
    bool reads;   /* which direction is shown: writes, unless only reads happened or reads were
                      refused more; where nothing happened, what the table shows */
    double partition_limit; /* of one partition, in that direction */
    double eventual_limit;  /* where reads are of both kinds, of eventual ones; else 0 */
    bool recorded;          /* has any row in this direction */
    double units;           /* consumed in from_s..to_s */
    int64_t throttled, first_throttled_s, last_throttled_s; /* the end of the last second */
    int64_t key_range; /* of these, refused by a partition's own limit */
    /* An index that came or went while the run went on: when it took writes, could be read, and was gone. */
    int64_t born_s, active_s, gone_s; /* CHART_NEVER: it was there from the start, or stayed */
};

#define CHART_NEVER QUERY_NEVER
/* Was it there at any time of a window? */
bool chart_resource_lives(const struct chart_resource *resource, int64_t from_s, int64_t to_s);

struct chart_data {
    struct sqlite3 *database;
    struct query_run run;
    char table[CHART_NAME_BYTES];
    struct chart_resource *resources; /* the table, then its indexes */
    int count;
    int64_t from_s, to_s;
    int64_t end_s; /* where an unfinished run stopped; else to_s */
    double burst_window_s;
    bool begins_on_demand;
    bool on_demand;     /* at some time or from the start */
    bool saves_nothing; /* on demand from start to end */
    bool divided;       /* each partition has its share of the capacity: before 2018 */
};

DDBSIM_MUST_CHECK enum ddbsim_status chart_data_load(struct sqlite3 *database, int64_t run_id,
                                                     const struct plots_options *options,
                                                     struct chart_data *out,
                                                     struct ddbsim_error *error);
void chart_data_free(struct chart_data *data);
/* Whether the table was on demand in a second. */
DDBSIM_MUST_CHECK enum ddbsim_status chart_data_on_demand(const struct chart_data *data,
                                                          int64_t t_s, bool *out,
                                                          struct ddbsim_error *error);
/* The resource that refused most; NULL when none did. */
const struct chart_resource *chart_data_worst(const struct chart_data *data);
/* Bins for this window, at most `most`, at least least_s wide. */
struct bins chart_data_bins(const struct chart_data *data, int64_t least_s, int most);

/* One bin of a resource's course. Capacity and tokens hold until something changes them. */
struct series_bin {
    double units, throttled;
    double low, high;    /* of the seconds' consumption, units/s */
    double limit;        /* provisioned units/s at its end; NaN: none */
    double tokens;       /* the lowest; NaN: not recorded */
    double tokens_last;  /* at its end */
    int64_t empty_s;     /* first second that keeps less than one second's capacity; SERIES_NEVER */
    int64_t empty_end_s; /* the end of the last such second */
    double covered_s;    /* seconds that have a row */
};

#define SERIES_NEVER INT64_MIN

struct series {
    struct bins bins;
    struct series_bin *items;
};

DDBSIM_MUST_CHECK enum ddbsim_status series_load(const struct chart_data *data,
                                                 const struct chart_resource *resource,
                                                 const struct bins *bins, struct series *out,
                                                 struct ddbsim_error *error);
void series_free(struct series *series);
/* units/s over a bin's whole width. */
double series_mean(const struct series *series, int number);
/* Refusals of one resource: by a partition's own limit, and for any other reason. Both arrays have
 * bins->count places; found says whether the database tells reasons at all. */
DDBSIM_MUST_CHECK enum ddbsim_status chart_data_reasons(const struct chart_data *data,
                                                        const struct chart_resource *resource,
                                                        const struct bins *bins, double *key_range,
                                                        double *other, bool *found,
                                                        struct ddbsim_error *error);
/* Refused attempts of the whole table, each once: per_bin has bins->count places. */
DDBSIM_MUST_CHECK enum ddbsim_status chart_data_refused(const struct chart_data *data,
                                                        const struct bins *bins, double *per_bin,
                                                        struct ddbsim_error *error);

#endif
