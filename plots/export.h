/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run in other programs' formats, from its database alone: one function, a table of formats behind it. */
#ifndef PLOTS_EXPORT_H
#define PLOTS_EXPORT_H

#include <ddbsim/log.h>
#include <ddbsim/names.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct export_options {
    int format;                        /* a number of export_format_name */
    bool metrics[DDBSIM_METRIC_KINDS]; /* which; all false: every metric */
    int64_t from_s, to_s; /* periods that begin in [from_s, to_s); INT64_MIN, INT64_MAX: all */
};

/* What was written. */
struct export_counts {
    int64_t series, points;
    int64_t
        left_out; /* series of other Regions' replicas, which an answer of one Region cannot hold */
};

/* Formats by number: name and what it is; NULL past the end. */
const char *export_format_name(int number);
const char *export_format_what(int number);
/* DDBSIM_INPUT where the run holds nothing that was asked for. A stream that fails remembers it; that is no failure
 * here. */
DDBSIM_MUST_CHECK enum ddbsim_status export_run(struct sqlite3 *database, int64_t run_id,
                                                const struct export_options *options, FILE *out,
                                                struct export_counts *counts,
                                                struct ddbsim_error *error);

#endif
