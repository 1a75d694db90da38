/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run into a result database: its row, its settings, the simulation in slices so that progress and a
 * stop are seen, its end, the verdicts of its thresholds. A stopped run is kept as `interrupted`, a failed
 * one as `failed`.
 */
#include <study/study.h>

#include <base/error.h>
#include <base/hash.h>
#include <base/types.h>
#include <stdlib.h>
#include <string.h>

/* How much is simulated between two looks at the stop flag: a part of the run, less where that is many
 * attempts. Attempts are counted, not seconds of a clock: the same run is cut alike everywhere. */
#define SLICES 1000
#define SLICE_ATTEMPTS_MAX 200000
#define SLICE_FIRST_NS NS_PER_MS

/* The resolved settings say what was simulated, whatever the file looked like. */
static void input_hash(const struct ddbsim_scenario *scenario, char out[33]) {
    struct hash128 chain = {0};
    for (uint32_t i = 0; i < scenario->setting_count; i++) {
        const char *texts[2] = {scenario->settings[i].path, scenario->settings[i].value};
        for (int t = 0; t < 2; t++) {
            struct hash128 pair[2] = {chain, hash128(texts[t], strlen(texts[t]))};
            chain = hash128(pair, sizeof pair);
        }
    }
    hash128_hex(chain, out);
}

static struct log_run describe(const struct ddbsim_scenario *scenario,
                               const struct study_run_options *options, const char *hash) {
    return (struct log_run){
        .study_id = options->study_id,
        .scenario = scenario->name,
        .title = scenario->title,
        .variant = scenario->variant,
        .replication = options->replication,
        .seed = options->seed,
        .start = scenario->start,
        .start_unix_s = scenario->start_unix_s,
        .utc_offset_s = scenario->utc_offset_s,
        .duration_s = scenario->duration_ns / NS_PER_S,
        .detail = "full",
        .version = ddbsim_version(),
        .model_version = DDBSIM_MODEL_VERSION,
        .scenario_text = scenario->text,
        .input_hash = hash,
    };
}

static void put_settings(const struct ddbsim_sink *sink, const struct ddbsim_setting *settings,
                         uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct ddbsim_value values[] = {ddbsim_text(settings[i].path),
                                        ddbsim_text(settings[i].value)};
        sink->row(sink->self, DDBSIM_LOG_SETTING, values, 2);
    }
}

static void put_varied(const struct ddbsim_sink *sink, const struct ddbsim_setting *varied,
                       uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct ddbsim_value values[] = {ddbsim_text(varied[i].path), ddbsim_text(varied[i].value),
                                        ddbsim_integer(varied[i].by_option)};
        sink->row(sink->self, DDBSIM_LOG_VARIED, values, 3);
    }
}

static bool stopped(const struct study_run_options *options) {
    return options->stop && *options->stop;
}

/* The length of the next slice, after one of slice_ns brought so many attempts. */
static int64_t slice_after(const struct ddbsim_scenario *scenario, int64_t slice_ns,
                           uint64_t attempts) {
    int64_t longest_ns = scenario->duration_ns / SLICES;
    if (attempts > SLICE_ATTEMPTS_MAX) return (slice_ns + 1) / 2;
    if (attempts > SLICE_ATTEMPTS_MAX / 4) return slice_ns;
    return 2 * slice_ns < longest_ns ? 2 * slice_ns : longest_ns > 0 ? longest_ns : 1;
}

static void report_progress(const struct study_run_options *options,
                            const struct ddbsim_scenario *scenario, int64_t until_ns,
                            uint64_t requests) {
    const struct study_progress *progress = options->progress;
    double part = (double)until_ns / (double)scenario->duration_ns;
    if (progress) progress->tick(progress->self, part, requests);
}

static enum ddbsim_status advance(struct ddbsim_run *run, const struct ddbsim_scenario *scenario,
                                  const struct study_run_options *options,
                                  struct log_writer *writer, bool *interrupted,
                                  struct ddbsim_error *error) {
    int64_t slice_ns = SLICE_FIRST_NS, until_ns = 0;
    uint64_t attempts = 0;
    while (until_ns < scenario->duration_ns) {
        if (stopped(options)) {
            *interrupted = true;
            return DDBSIM_OK;
        }
        int64_t left_ns = scenario->duration_ns - until_ns;
        until_ns += slice_ns < left_ns ? slice_ns : left_ns;
        enum ddbsim_status status = ddbsim_run_advance(run, until_ns, error);
        if (status == DDBSIM_OK) status = log_writer_status(writer, error);
        if (status != DDBSIM_OK) return status;
        struct ddbsim_totals totals = ddbsim_run_totals(run);
        report_progress(options, scenario, until_ns, totals.requests);
        slice_ns = slice_after(scenario, slice_ns, totals.attempts - attempts);
        attempts = totals.attempts;
    }
    return DDBSIM_OK;
}

/* What became of recordings. */
static void put_recordings(const struct ddbsim_run *run, const struct ddbsim_scenario *scenario,
                           const struct ddbsim_sink *sink) {
    struct ddbsim_replayed r;
    for (uint32_t w = 0; w < scenario->workload_count; w++) {
        if (!ddbsim_run_replayed(run, w, &r)) continue;
        struct ddbsim_value values[] = {
            ddbsim_text(scenario->workloads[w].name),
            ddbsim_text(r.file),
            ddbsim_text(r.format),
            r.columns ? ddbsim_text(r.columns) : ddbsim_null(),
            ddbsim_integer((int64_t)r.rows),
            ddbsim_integer((int64_t)r.arrivals),
            ddbsim_integer((int64_t)r.bad),
            ddbsim_integer((int64_t)r.outside),
            ddbsim_integer((int64_t)r.other_operation),
            ddbsim_integer((int64_t)r.other_table),
            ddbsim_integer((int64_t)r.attempts),
            ddbsim_integer((int64_t)r.sampled_out),
            r.first_bad ? ddbsim_text(r.first_bad) : ddbsim_null(),
        };
        sink->row(sink->self, DDBSIM_LOG_RECORDING, values, sizeof values / sizeof *values);
    }
}

static enum ddbsim_status simulate(const struct ddbsim_scenario *scenario,
                                   const struct study_run_options *options,
                                   struct log_writer *writer, const struct ddbsim_sink *sink,
                                   struct study_run_result *result, double *simulated_s,
                                   struct ddbsim_error *error) {
    struct ddbsim_run_options run_options = {.seed = options->seed,
                                             .replication = options->replication,
                                             .sink = sink,
                                             .log_requests = options->log_requests};
    struct ddbsim_run *run;
    enum ddbsim_status status = ddbsim_run_create(scenario, &run_options, &run, error);
    if (status != DDBSIM_OK) return status;
    status = advance(run, scenario, options, writer, &result->interrupted, error);
    if (status == DDBSIM_OK) status = ddbsim_run_finish(run, error);
    *simulated_s = (double)ddbsim_run_now(run) / (double)NS_PER_S;
    result->totals = ddbsim_run_totals(run);
    put_recordings(run, scenario, sink);
    ddbsim_run_destroy(run);
    return status;
}

static enum ddbsim_status put_verdicts(const struct ddbsim_scenario *scenario,
                                       struct log_writer *writer, struct study_run_result *result,
                                       struct ddbsim_error *error) {
    for (uint32_t i = 0; i < scenario->threshold_count; i++) {
        double observed;
        bool passed;
        enum ddbsim_status status =
            study_judge(log_writer_database(writer), result->run_id, &scenario->thresholds[i], NULL,
                        &observed, &passed, error);
        if (status != DDBSIM_OK) return status;
        struct ddbsim_value values[] = {
            ddbsim_integer(result->run_id), ddbsim_text("threshold"),
            ddbsim_text(scenario->thresholds[i].text),
            observed == observed ? ddbsim_real(observed) : ddbsim_null(), ddbsim_integer(passed)};
        log_writer_row(writer, DDBSIM_LOG_VERDICT, values, 5);
        result->unmet += !passed;
    }
    return log_writer_status(writer, error);
}

enum ddbsim_status study_run(const struct ddbsim_scenario *scenario,
                             const struct study_run_options *options, struct log_writer *writer,
                             struct study_run_result *result, struct ddbsim_error *error) {
    *result = (struct study_run_result){0};
    char hash[33];
    input_hash(scenario, hash);
    struct log_run row = describe(scenario, options, hash);
    struct ddbsim_sink sink;
    result->run_id = log_writer_begin_run(writer, &row, &sink);
    put_settings(&sink, scenario->settings, scenario->setting_count);
    put_varied(&sink, scenario->varied, scenario->varied_count);
    double simulated_s = 0;
    enum ddbsim_status status =
        simulate(scenario, options, writer, &sink, result, &simulated_s, error);
    const char *end = status != DDBSIM_OK   ? "failed"
                      : result->interrupted ? "interrupted"
                                            : "complete";
    log_writer_end_run(writer, end, simulated_s, result->digest);
    if (status == DDBSIM_OK) status = put_verdicts(scenario, writer, result, error);
    return status;
}
