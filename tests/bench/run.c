/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of study/study.c, apart, so that each can be timed. */
#include "run.h"

#include "bench.h"

#include <record/writer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SLICES 1000 /* as `ddbsim run` advances */

static void open_writer(struct bench_run *run) {
    char path[96];
    struct ddbsim_error error = {0};
    struct ddbsim_value study[] = {ddbsim_integer(1), ddbsim_text("run"), ddbsim_text(""),
                                   ddbsim_real(0.95)};
    strcpy(run->directory, "/tmp/ddbsim-bench-XXXXXX");
    if (!mkdtemp(run->directory)) bench_fail("no temporary directory");
    snprintf(path, sizeof path, "%s/bench.db", run->directory);
    if (log_writer_create(path, true, &run->writer, &error) != DDBSIM_OK) bench_fail(error.message);
    log_writer_row(run->writer, DDBSIM_LOG_STUDY, study, sizeof study / sizeof *study);
}

void bench_run_begin(struct bench_run *run, const struct ddbsim_scenario *scenario, uint64_t seed) {
    struct ddbsim_error error = {0};
    struct log_run row = {.scenario = scenario->name,
                          .title = "",
                          .variant = "base",
                          .start = "",
                          .detail = "full",
                          .scenario_text = "",
                          .input_hash = "",
                          .version = ddbsim_version(),
                          .study_id = 1,
                          .duration_s = scenario->duration_ns / NS_PER_S};
    *run = (struct bench_run){.scenario = scenario};
    open_writer(run);
    log_writer_begin_run(run->writer, &row, &run->sink);
    struct ddbsim_run_options options = {.seed = seed, .sink = &run->sink};
    if (ddbsim_run_create(scenario, &options, &run->run, &error) != DDBSIM_OK)
        bench_fail(error.message);
}

void bench_run_whole(struct bench_run *run) {
    char digest[33];
    struct ddbsim_error error = {0};
    for (int64_t i = 1; i <= SLICES; i++)
        if (ddbsim_run_advance(run->run, run->scenario->duration_ns / SLICES * i, &error) !=
            DDBSIM_OK)
            bench_fail(error.message);
    if (ddbsim_run_finish(run->run, &error) != DDBSIM_OK) bench_fail(error.message);
    log_writer_end_run(run->writer, "complete",
                       (double)run->scenario->duration_ns / (double)NS_PER_S, digest);
    if (log_writer_finish(run->writer, &error) != DDBSIM_OK) bench_fail(error.message);
}

struct ddbsim_totals bench_run_release(struct bench_run *run) {
    struct ddbsim_totals totals = ddbsim_run_totals(run->run);
    ddbsim_run_destroy(run->run);
    log_writer_abandon(run->writer);
    rmdir(run->directory);
    return totals;
}
