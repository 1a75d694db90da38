/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of tables: descriptions of one table joined, files that contradict each other refused. */
#ifndef IMPORT_TABLES_H
#define IMPORT_TABLES_H

#include "import.h"

#define TABLES_NAME_MAX 255u /* bytes of a table's, index's or attribute's name; AWS's limit */

/* Can a table or an index be called so? */
bool tables_is_name(const char *text);
/* Nothing is known but the name. */
void tables_clear(struct import_resource *resource, const char *name);
/* Joins a description with what is known of that table. DDBSIM_INPUT where they contradict each other. */
DDBSIM_MUST_CHECK enum ddbsim_status
tables_add(struct import *import, const struct import_table *fresh, struct ddbsim_error *error);
/* DDBSIM_INPUT where there are more than a scenario is made of. */
DDBSIM_MUST_CHECK enum ddbsim_status tables_check_count(const struct import *import,
                                                        struct ddbsim_error *error);
void tables_add_replica(struct import *import, struct import_table *table, const char *region);

#endif
