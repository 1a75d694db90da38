/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run: a scenario, a seed and a sink. Created, advanced to a time as often as one likes, finished,
 * destroyed. It holds no global state: several runs live in one process.
 */
#ifndef DDBSIM_RUN_H
#define DDBSIM_RUN_H

#include <ddbsim/log.h>
#include <ddbsim/scenario.h>

#define DDBSIM_MODEL_VERSION 4

struct ddbsim_run;

struct ddbsim_run_options {
    uint64_t seed;
    uint32_t replication;
    const struct ddbsim_sink *sink; /* borrowed; NULL: nothing is recorded */
    /* Under this name the log counts what ddbsim_run_inject brings, as one more workload. Copied. NULL:
     * the run takes no injections. */
    const char *inject_as;
    bool log_requests; /* each attempt as a row of the log table `request` */
};

/* Totals over all workloads so far. Units are halves of a capacity unit: billionths would overflow in days. */
struct ddbsim_totals {
    uint64_t requests, attempts, succeeded, failed, retries, retries_refused, throttled_attempts;
    int64_t read_half_units, write_half_units;
    /* Members of batches: sent, refused, and not sent again. */
    uint64_t members, throttled_members, lost_members;
    uint64_t missed_items; /* of reads that do not ask every suffix that there is */
};

/* `scenario` is borrowed and must outlive the run. DDBSIM_INPUT when it has no table, when inject_as is
 * no name or a workload's, or when it asks for more partitions or longer keys than can be simulated;
 * DDBSIM_ENVIRONMENT when memory is short. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_run_create(const struct ddbsim_scenario *scenario, const struct ddbsim_run_options *options,
                  struct ddbsim_run **out, struct ddbsim_error *error);
/* Advances to `t_ns`, nanoseconds since the start: everything due until then has happened. DDBSIM_INPUT for
 * a time before now or after the scenario's end, and once the run is finished; nothing happens then.
 * DDBSIM_ENVIRONMENT when memory is short: time stands where it ran out, and one may try again. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_run_advance(struct ddbsim_run *run, int64_t t_ns, struct ddbsim_error *error);
/* Closes the last periods and writes what is known only at the end. A run may be finished before the
 * scenario's end, and once only (DDBSIM_INPUT). Totals and state can be read afterwards. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status ddbsim_run_finish(struct ddbsim_run *run,
                                                                  struct ddbsim_error *error);
/* Nanoseconds since the start. */
DDBSIM_API int64_t ddbsim_run_now(const struct ddbsim_run *run);
DDBSIM_API struct ddbsim_totals ddbsim_run_totals(const struct ddbsim_run *run);

/* What became of the rows of a recording so far. */
struct ddbsim_replayed {
    const char *file, *format; /* valid as long as the run */
    const char *columns;       /* of csv: which is what; NULL of other formats */
    uint64_t rows, arrivals;
    uint64_t bad; /* could not be read and were passed over */
    uint64_t outside, other_operation, other_table, attempts, sampled_out;
    const char *first_bad; /* why; NULL: there was none */
};
/* False where the scenario has no such workload, or it replays no recording. */
DDBSIM_API bool ddbsim_run_replayed(const struct ddbsim_run *run, uint32_t workload,
                                    struct ddbsim_replayed *out);
DDBSIM_API void ddbsim_run_destroy(struct ddbsim_run *run);

#endif
