/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asking a result database: prepared statements whose first failure sticks, so a reader may walk its
 * rows without a check at each step and ask once, at query_close. Nothing here writes.
 */
#ifndef PLOTS_QUERY_H
#define PLOTS_QUERY_H

#include <ddbsim/log.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sqlite3_stmt;

struct query {
    struct sqlite3 *database;
    struct sqlite3_stmt *statement; /* NULL after a failed open */
    enum ddbsim_status status;      /* of the first failure */
    struct ddbsim_error *error;     /* the caller's; may be NULL */
};

/*
 * Prepares `sql` and binds its parameters in order. `types` has a letter for each: i int64_t,
 * d double, t const char * (copied; NULL binds NULL). The query must be closed, whatever happened.
 */
void query_open(struct query *query, struct sqlite3 *database, struct ddbsim_error *error,
                const char *sql, const char *types, ...);
/* Steps to the next row; false at the end and after a failure. */
bool query_next(struct query *query);
/*
 * Columns of the present row, from 0. NULL reads as NaN, 0 and "". Text lives until the next step.
 * What no run holds fails the query and reads as 0, so that readers may calculate with what they get:
 * reals are finite and below 1e18, whole numbers below 2^53, seconds below QUERY_SECONDS_MOST and
 * nanoseconds below as many.
 */
#define QUERY_SECONDS_MOST INT64_C(4000000000) /* more than the hundred years that a run may last */
double query_double(struct query *query, int column);
int64_t query_int(struct query *query, int column);
int64_t query_seconds(struct query *query, int column);
int64_t query_ns(struct query *query, int column);
const char *query_text(const struct query *query, int column);
bool query_is_null(const struct query *query, int column);
/* A copy of a text column for free(); NULL when it is NULL, or when memory is short (which sticks). */
char *query_copy(struct query *query, int column);
/* Ends the query; the status of its first failure. */
enum ddbsim_status query_close(struct query *query);

/* The first column of the first row. No row, or NULL: NaN, `absent`, NULL. */
DDBSIM_MUST_CHECK enum ddbsim_status query_one_double(struct sqlite3 *database,
                                                      struct ddbsim_error *error, double *out,
                                                      const char *sql, const char *types, ...);
DDBSIM_MUST_CHECK enum ddbsim_status query_one_int(struct sqlite3 *database,
                                                   struct ddbsim_error *error, int64_t absent,
                                                   int64_t *out, const char *sql, const char *types,
                                                   ...);
DDBSIM_MUST_CHECK enum ddbsim_status query_one_text(struct sqlite3 *database,
                                                    struct ddbsim_error *error, char **out,
                                                    const char *sql, const char *types, ...);
/* Hands each row of a query of one run (?1) to `add`, which is false when memory is short. A database without the table
 * `name`, of a version that knew none, has no rows. */
DDBSIM_MUST_CHECK enum ddbsim_status
query_each(struct sqlite3 *database, struct ddbsim_error *error, const char *name, const char *sql,
           int64_t run_id, bool (*add)(void *out, struct query *query), void *out);
/* Whether the database has a table or view of this name. */
DDBSIM_MUST_CHECK enum ddbsim_status query_has(struct sqlite3 *database, struct ddbsim_error *error,
                                               const char *name, bool *out);

/* A row of `run`. Texts belong to the struct; none is NULL. */
struct query_run {
    int64_t run_id, replication, seed, start_unix_s, utc_offset_s, warmup_s, duration_s;
    double simulated_s;
    char *scenario, *title, *variant, *start, *status, *version, *input_hash;
};

/* DDBSIM_INPUT when there is no such run. */
DDBSIM_MUST_CHECK enum ddbsim_status query_run_read(struct sqlite3 *database, int64_t run_id,
                                                    struct query_run *out,
                                                    struct ddbsim_error *error);
void query_run_clear(struct query_run *run);

/* Wall clock of a second of the run, in the scenario's own offset: hh:mm or hh:mm:ss. */
#define QUERY_CLOCK_BYTES 24
void query_clock(const struct query_run *run, int64_t t_s, bool seconds,
                 char out[QUERY_CLOCK_BYTES]);
/* The same, with the date (YYYY-MM-DD hh:mm[:ss]) when the run reaches into another day. */
void query_moment(const struct query_run *run, int64_t t_s, bool seconds,
                  char out[QUERY_CLOCK_BYTES]);

/* What --set put in place, by path; the variant's own settings are not among them. */
struct query_option {
    char *path, *value;
};
struct query_options {
    struct query_option *items;
    size_t count;
};

/* None where the database does not say. */
DDBSIM_MUST_CHECK enum ddbsim_status query_options_read(struct sqlite3 *database, int64_t run_id,
                                                        struct query_options *out,
                                                        struct ddbsim_error *error);
void query_options_clear(struct query_options *options);
/* What was run: "base", "base + PATH=VALUE", "base + 3 settings". For free(); NULL when memory is
 * short. */
char *query_variant(const struct query_run *run, const struct query_options *options);

struct query_resource {
    int64_t resource_id;
    char *kind, *table, *index; /* index NULL where it is none */
    char *arn;
};
struct query_resources {
    struct query_resource *items; /* tables first, each before its indexes, by name */
    size_t count;
};

DDBSIM_MUST_CHECK enum ddbsim_status query_resources_read(struct sqlite3 *database, int64_t run_id,
                                                          struct query_resources *out,
                                                          struct ddbsim_error *error);
void query_resources_clear(struct query_resources *resources);
/* A setting of the model: the table's own, else the scenario's; NULL, for free(), where neither is known. */
DDBSIM_MUST_CHECK enum ddbsim_status query_assumption(struct sqlite3 *database, int64_t run_id,
                                                      const char *table, const char *name,
                                                      char **out, struct ddbsim_error *error);
#define QUERY_NEVER INT64_MIN
/* When an index came or went while the run went on, in seconds: took writes, could be read, was gone; QUERY_NEVER:
 * it was there from the start, or stayed. And the items that were there to be filled in; -1: nobody says. */
struct query_life {
    int64_t born_s, active_s, gone_s, items;
};
DDBSIM_MUST_CHECK enum ddbsim_status query_life_read(struct sqlite3 *database, int64_t run_id,
                                                     int64_t resource_id, struct query_life *out,
                                                     struct ddbsim_error *error);
/* What one partition of a table or index serves, in units a second, as the settings have it; where they do
 * not, what AWS documents and measured. Reads are strong or eventual by what the workloads ask; where both
 * are made, `limit` is that of strong ones and `eventual` that of the others; else `eventual` is 0. */
struct query_partition_limit {
    double limit, eventual;
    bool strong; /* strong reads are made, or no workload says how it reads */
};
DDBSIM_MUST_CHECK enum ddbsim_status
query_partition_limit_read(struct sqlite3 *database, int64_t run_id,
                           const struct query_resource *resource, bool write,
                           struct query_partition_limit *out, struct ddbsim_error *error);
/* NULL where there is none. */
const struct query_resource *query_resource_find(const struct query_resources *resources,
                                                 int64_t resource_id);

/* Members of batches: sent, refused, and not sent again. All 0 in databases of versions that knew no batches. */
struct query_members {
    int64_t sent, throttled, lost;
};
DDBSIM_MUST_CHECK enum ddbsim_status query_members_read(struct sqlite3 *database, int64_t run_id,
                                                        struct query_members *out,
                                                        struct ddbsim_error *error);

#endif
