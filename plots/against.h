/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run laid over another one, such as a simulation over what CloudWatch recorded: how far each metric is off. */
#ifndef PLOTS_AGAINST_H
#define PLOTS_AGAINST_H

#include <ddbsim/log.h>
#include <stdbool.h>
#include <stdio.h>

/* `other` is what it is measured by. DDBSIM_INPUT where the two have no time, or no metric, in common. */
DDBSIM_MUST_CHECK enum ddbsim_status against_print(struct sqlite3 *database, int64_t run_id,
                                                   struct sqlite3 *other, int64_t other_id,
                                                   FILE *out, bool json,
                                                   struct ddbsim_error *error);

#endif
