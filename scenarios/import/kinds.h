/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers behind the rows of kinds.c. */
#ifndef IMPORT_KINDS_H
#define IMPORT_KINDS_H

#include "import.h"

#include <workloads/replay/events.h>

bool describe_is_table(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status describe_take_table(struct import *import,
                                                         const struct import_file *file,
                                                         struct ddbsim_error *error);

bool ycsb_is(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status
ycsb_take(struct import *import, const struct import_file *file, struct ddbsim_error *error);
#define X(e, token, name, what)                               \
    bool events_is_##token(const struct import_file *file);   \
    DDBSIM_MUST_CHECK enum ddbsim_status events_take_##token( \
        struct import *import, const struct import_file *file, struct ddbsim_error *error);
EVENTS_KINDS(X)
#undef X
bool events_is_insights(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status events_take_insights(struct import *import,
                                                          const struct import_file *file,
                                                          struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status events_join(struct import *import, struct ddbsim_error *error);

#endif
