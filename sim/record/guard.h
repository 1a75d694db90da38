/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds to what a database that somebody else may have made can cost its reader. */
#ifndef RECORD_GUARD_H
#define RECORD_GUARD_H

#include <base/types.h>
#include <ddbsim/error.h>

struct sqlite3;

/*
 * Bounds every statement of a connection to a file of so many bytes: one that needs more work, or a
 * longer value, than such a file's rows can be worth fails (SQLITE_INTERRUPT, SQLITE_TOOBIG). The
 * bounds live as long as the connection.
 */
DDBSIM_MUST_CHECK enum ddbsim_status guard_create(struct sqlite3 *database, int64_t file_bytes,
                                                  struct ddbsim_error *error);
/*
 * DDBSIM_INPUT when something else stands where the schema has a table (a view, a virtual table), when
 * a run is still marked as running, or has times that no run can have.
 */
DDBSIM_MUST_CHECK enum ddbsim_status guard_check(struct sqlite3 *database,
                                                 struct ddbsim_error *error);
/* What SQLite's last failure on the connection is: the file's fault, or the machine's. */
enum ddbsim_status guard_failure(struct sqlite3 *database, struct ddbsim_error *error);

#endif
