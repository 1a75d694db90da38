/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording of metrics as a run of its own in a result database, with status `observed`: nothing is simulated. */
#ifndef IMPORT_OBSERVED_H
#define IMPORT_OBSERVED_H

#include "import.h"

#include <record/writer.h>

/* Whether the files hold what a run can be made of; else an error that says what is missing. All files must be taken. */
DDBSIM_MUST_CHECK enum ddbsim_status observed_check(struct import *import,
                                                    struct ddbsim_error *error);
/* Adds the run to an open database that has its study. `name` is what the run is called. */
DDBSIM_MUST_CHECK enum ddbsim_status observed_write(struct import *import, const char *name,
                                                    int64_t study_id, struct log_writer *writer,
                                                    struct ddbsim_error *error);

#endif
