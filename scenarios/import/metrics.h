/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of CloudWatch's metrics in an import: all of them become one set of series. */
#ifndef IMPORT_METRICS_H
#define IMPORT_METRICS_H

#include "import.h"

#include <workloads/replay/cloudwatch.h>

struct metrics {
    struct cloudwatch *set;
    struct cloudwatch_options options;
    bool is_finished;
};

/* Of the rows of kinds.c, one a shape: metrics_is_data and so on. */
#define X(e, small, name, what) bool metrics_is_##small(const struct import_file *file);
CLOUDWATCH_SHAPES(X)
#undef X
DDBSIM_MUST_CHECK enum ddbsim_status
metrics_take(struct import *import, const struct import_file *file, struct ddbsim_error *error);
/* A scenario's load and capacities out of them (import_kind.join). */
DDBSIM_MUST_CHECK enum ddbsim_status metrics_join(struct import *import,
                                                  struct ddbsim_error *error);
/* Once, when all files are taken: the series, and what they say of tables. Later calls do nothing. */
DDBSIM_MUST_CHECK enum ddbsim_status metrics_finish(struct import *import,
                                                    struct ddbsim_error *error);
void metrics_destroy(struct metrics *metrics);

#endif
