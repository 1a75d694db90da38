/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `ddbsim run` prints of a run: the view `summary`, in words or as JSON. */
#ifndef PLOTS_SUMMARY_H
#define PLOTS_SUMMARY_H

#include <ddbsim/log.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

DDBSIM_MUST_CHECK enum ddbsim_status summary_print(struct sqlite3 *database, int64_t run_id,
                                                   FILE *out, bool colour,
                                                   struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status summary_print_json(struct sqlite3 *database, int64_t run_id,
                                                        FILE *out, struct ddbsim_error *error);

#endif
