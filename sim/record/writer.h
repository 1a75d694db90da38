/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a result database. The file grows as FILE.part with a rollback journal; its first commit
 * says `running`; log_writer_close ends it, syncs and renames. A killed program leaves the .part,
 * which every reader refuses by name.
 */
#ifndef RECORD_WRITER_H
#define RECORD_WRITER_H

#include <ddbsim/log.h>
#include <record/run_row.h>
#include <stdbool.h>

struct log_writer;

/* path NULL: an in-memory database (nothing to rename). force: an existing path is replaced at
 * close. DDBSIM_INPUT when the path exists without force, is a directory or a device;
 * DDBSIM_ENVIRONMENT when it cannot be written. */
DDBSIM_MUST_CHECK enum ddbsim_status log_writer_create(const char *path, bool force,
                                                       struct log_writer **out,
                                                       struct ddbsim_error *error);
/* Rows that belong to no run: study and estimate, all columns given. */
void log_writer_row(struct log_writer *writer, enum ddbsim_log_table table,
                    const struct ddbsim_value *values, size_t count);

/* Begins a run with status `running`; returns its run_id (from 1) and a sink for its rows, valid
 * until log_writer_end_run. One run at a time. */
int64_t log_writer_begin_run(struct log_writer *writer, const struct log_run *run,
                             struct ddbsim_sink *sink);
/* The first failure so far, if any: the run asks between events. */
enum ddbsim_status log_writer_status(const struct log_writer *writer, struct ddbsim_error *error);
/* status: complete, interrupted, failed. Fills simulated_s, status and digest of the run's row. */
void log_writer_end_run(struct log_writer *writer, const char *status, double simulated_s,
                        char digest_hex[33]);
/* Indexes, views, flush: everything that readers need; the database stays open for reading through
 * log_writer_database until close. */
DDBSIM_MUST_CHECK enum ddbsim_status log_writer_finish(struct log_writer *writer,
                                                       struct ddbsim_error *error);
struct sqlite3 *log_writer_database(struct log_writer *writer);
/* Rows added after finish (verdicts) go through log_writer_row too. Closes, syncs, renames. */
DDBSIM_MUST_CHECK enum ddbsim_status log_writer_close(struct log_writer *writer,
                                                      struct ddbsim_error *error);
/* Closes and removes the unfinished file. */
void log_writer_abandon(struct log_writer *writer);

#endif
