/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run as `ddbsim run` makes one: a scenario into a database on disk, which goes when it is over. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include <ddbsim/ddbsim.h>

struct log_writer;

struct bench_run {
    const struct ddbsim_scenario *scenario;
    char directory[64];
    struct log_writer *writer;
    struct ddbsim_sink sink;
    struct ddbsim_run *run;
};

/* Everything up to the first request. What fails ends the program. */
void bench_run_begin(struct bench_run *run, const struct ddbsim_scenario *scenario, uint64_t seed);
/* All requests, and all rows until the database lacks its sync and its name alone. */
void bench_run_whole(struct bench_run *run);
struct ddbsim_totals bench_run_release(struct bench_run *run);

#endif
