/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digest of a run: XXH3-128 over its rows in key order, before SQLite sees them, over a frozen
 * column list (record/schema.c marks the columns). Rows of one series arrive in key order, so each
 * series keeps one running hash, and the digest is the hash of all series in key order: no row is
 * kept.
 */
#ifndef RECORD_DIGEST_H
#define RECORD_DIGEST_H

#include <base/hash.h>
#include <ddbsim/log.h>

struct digest;

struct digest *digest_create(void); /* NULL when memory is short */
void digest_destroy(struct digest *digest);
/* Values in column order without run_id. False when memory is short. */
bool digest_row(struct digest *digest, enum ddbsim_log_table table,
                const struct ddbsim_value *values, size_t count);
/* Number of the series that the last row belongs to, from 0: all its key columns but the last are alike. */
uint32_t digest_last_series(const struct digest *digest);
/* Whether a table's rows have series at all. */
bool digest_includes(const struct digest *digest, enum ddbsim_log_table table);
/* True once a row was lost for want of memory: such a digest means nothing. */
bool digest_failed(const struct digest *digest);
/* Ends the digest: no row may follow. */
struct hash128 digest_finish(struct digest *digest);
/* A sink over it, for runs without a database. */
struct ddbsim_sink digest_sink(struct digest *digest);

#endif
