/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers behind the rows of kinds.c. */
#ifndef IMPORT_KINDS_H
#define IMPORT_KINDS_H

#include "import.h"

bool describe_is_table(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status describe_take_table(struct import *import,
                                                         const struct import_file *file,
                                                         struct ddbsim_error *error);

bool ycsb_is(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status
ycsb_take(struct import *import, const struct import_file *file, struct ddbsim_error *error);

#endif
