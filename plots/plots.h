/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts from a result database: one function, a table of charts behind it. */
#ifndef PLOTS_PLOTS_H
#define PLOTS_PLOTS_H

#include <ddbsim/log.h>
#include <stdbool.h>
#include <stdint.h>

struct plots_options {
    const char *chart; /* NULL: heat */
    int width, height; /* points; 0: the chart's own */
    bool dark;
    bool spanish;
    const char *table;    /* NULL: the one with most throttles, else the first */
    int64_t from_s, to_s; /* INT64_MIN: the run's own */
};

/* Draws into path, whose ending says the format: .png .svg .pdf. Replaces an existing file only with
 * force. */
DDBSIM_MUST_CHECK enum ddbsim_status plots_draw(struct sqlite3 *database, int64_t run_id,
                                                const struct plots_options *options,
                                                const char *path, bool force,
                                                struct ddbsim_error *error);
/* Charts by number: name and what it shows; NULL past the end. */
const char *plots_chart_name(int number);
const char *plots_chart_what(int number);

/* Finds a run in a database: variant NULL is base, or the only one there is. DDBSIM_INPUT when there is
 * none such. */
DDBSIM_MUST_CHECK enum ddbsim_status plots_find_run(struct sqlite3 *database, const char *variant,
                                                    int64_t *run_id, struct ddbsim_error *error);

#endif
