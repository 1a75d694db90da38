/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies: a scenario, its variants and replications, run into a database and judged. */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include <ddbsim/ddbsim.h>
#include <record/writer.h>
#include <signal.h>

/* Told about progress: the share of the duration that is simulated, and how many requests. */
struct study_progress {
    void *self;
    void (*tick)(void *self, double done_share, uint64_t requests);
};

struct study_run_options {
    int64_t study_id;
    uint64_t seed;
    uint32_t replication;
    bool log_requests;                 /* each attempt as a row */
    const volatile sig_atomic_t *stop; /* non-zero: stop and keep what was computed; may be NULL */
    const struct study_progress *progress; /* may be NULL */
};

struct study_run_result {
    int64_t run_id;
    bool interrupted;
    uint32_t unmet; /* thresholds that do not hold; their verdicts are in the database */
    char digest[33];
    struct ddbsim_totals totals;
};

/* One run into an open writer: begin, simulate, finish, outcomes, thresholds' verdicts. */
DDBSIM_MUST_CHECK enum ddbsim_status
study_run(const struct ddbsim_scenario *scenario, const struct study_run_options *options,
          struct log_writer *writer, struct study_run_result *result, struct ddbsim_error *error);

/* Names the cause of a finished run: the diagnosis lives above studies, so whoever runs one hands it
 * in. Returns an enum ddbsim_cause, -1 on failure. */
typedef int study_cause_fn(struct sqlite3 *database, int64_t run_id, struct ddbsim_error *error);

/* Does a value lie in a condition's range? NaN never does. */
bool study_holds(const struct ddbsim_condition *condition, double value);
/* One condition against a finished run. *observed is NaN where nothing was there to observe; such a
 * condition fails. */
DDBSIM_MUST_CHECK enum ddbsim_status study_judge(struct sqlite3 *database, int64_t run_id,
                                                 const struct ddbsim_condition *condition,
                                                 study_cause_fn *cause, double *observed,
                                                 bool *passed, struct ddbsim_error *error);

#endif
