/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What users do with ddbsim, in phases that may fail: load, run into a file, explain, plot. Each gives
 * a hash of what it made, so that a phase which survived a fault is held to the faultless result.
 */
#ifndef TESTS_FAULTS_PHASES_H
#define TESTS_FAULTS_PHASES_H

#include <base/error.h>
#include <base/hash.h>
#include <ddbsim/ddbsim.h>
#include <plots/diagnosis.h>
#include <plots/plots.h>
#include <plots/summary.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/study.h>
#include <support/cmocka.h>
#include <support/small_scenario.h>
#include <sys/stat.h>
#include <unistd.h>

#define PHASES_OUTPUT_MOST (4 << 20)

struct phases {
    const char *text; /* the scenario's */
    size_t text_length;
    struct ddbsim_scenario *scenario;
    char folder[64];
    char database[128], part[128], journal[128]; /* what is written */
    char finished[128];                          /* a faultless database to read */
    const char *chart, *ending;                  /* what is plotted */
    char *output;                                /* what readers print */
    uint64_t hash;                               /* of what the phase made */
};

typedef enum ddbsim_status phase_fn(struct phases *phases, struct ddbsim_error *error);

static inline bool phases_exists(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

static inline uint64_t phases_chain(uint64_t hash, const void *bytes, size_t length) {
    uint64_t pair[2] = {hash, hash64(bytes, length)};
    return hash64(pair, sizeof pair);
}

/* A file's bytes with a NUL behind them, to be freed. */
static inline char *phases_read(const char *path) {
    struct stat about;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &about), 0);
    char *bytes = calloc((size_t)about.st_size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)about.st_size, file), about.st_size);
    fclose(file);
    return bytes;
}

static inline uint64_t phases_hash_file(const char *path) {
    struct stat about;
    char *bytes = phases_read(path);
    assert_int_equal(stat(path, &about), 0);
    uint64_t hash = hash64(bytes, (size_t)about.st_size);
    free(bytes);
    return hash;
}

static inline enum ddbsim_status phase_load(struct phases *phases, struct ddbsim_error *error) {
    struct ddbsim_scenario *scenario = NULL;
    enum ddbsim_status status = ddbsim_scenario_parse(phases->text, phases->text_length,
                                                      "small.yaml", NULL, &scenario, error);
    phases->hash = 0;
    for (uint32_t i = 0; status == DDBSIM_OK && i < scenario->setting_count; i++)
        phases->hash = phases_chain(phases->hash, scenario->settings[i].value,
                                    strlen(scenario->settings[i].value));
    for (uint32_t i = 0; status == DDBSIM_OK && i < scenario->change_count; i++)
        phases->hash = phases_chain(phases->hash, scenario->changes[i].detail,
                                    strlen(scenario->changes[i].detail));
    if (status == DDBSIM_OK) ddbsim_scenario_destroy(scenario);
    return status;
}

/* Simulate, record, judge the thresholds: what `ddbsim run` does. */
static inline enum ddbsim_status phase_run(struct phases *phases, struct ddbsim_error *error) {
    struct log_writer *writer = NULL;
    struct study_run_result result = {0};
    const struct study_run_options options = {.seed = phases->scenario->seed};
    enum ddbsim_status status = log_writer_create(phases->database, true, &writer, error);
    if (status != DDBSIM_OK) return status;
    status = study_run(phases->scenario, &options, writer, &result, error);
    if (status == DDBSIM_OK)
        status = log_writer_close(writer, error);
    else
        log_writer_abandon(writer);
    phases->hash = hash64(result.digest, sizeof result.digest);
    return status;
}

typedef enum ddbsim_status phases_print_fn(struct sqlite3 *database, int64_t run_id, FILE *out,
                                           struct ddbsim_error *error);

static inline enum ddbsim_status phases_print(struct phases *phases, phases_print_fn *print,
                                              struct ddbsim_error *error) {
    int64_t run_id;
    struct sqlite3 *database = NULL;
    phases->output[0] = '\0';
    FILE *out = fmemopen(phases->output, PHASES_OUTPUT_MOST, "w");
    if (!out) return error_memory(error);
    enum ddbsim_status status = ddbsim_log_open(phases->finished, &database, error);
    if (status == DDBSIM_OK) status = plots_find_run(database, NULL, &run_id, error);
    if (status == DDBSIM_OK) status = print(database, run_id, out, error);
    ddbsim_log_close(database);
    if (fclose(out) != 0 && status == DDBSIM_OK) status = error_memory(error);
    phases->hash = hash64(phases->output, strlen(phases->output));
    return status;
}

static inline enum ddbsim_status phases_print_summary(struct sqlite3 *database, int64_t run_id,
                                                      FILE *out, struct ddbsim_error *error) {
    enum ddbsim_status status = summary_print(database, run_id, out, true, error);
    return status == DDBSIM_OK ? summary_print_json(database, run_id, out, error) : status;
}

static inline enum ddbsim_status phases_print_diagnosis(struct sqlite3 *database, int64_t run_id,
                                                        FILE *out, struct ddbsim_error *error) {
    struct diagnosis *diagnosis = NULL;
    enum ddbsim_status status = diagnosis_create(database, run_id, &diagnosis, error);
    if (status == DDBSIM_OK)
        status = diagnosis_print(diagnosis, out, "small.yaml", 80, true, error);
    if (status == DDBSIM_OK) status = diagnosis_print_json(diagnosis, out, "small.yaml", error);
    diagnosis_destroy(diagnosis);
    return status;
}

/* What `ddbsim run` prints. */
static inline enum ddbsim_status phase_summary(struct phases *phases, struct ddbsim_error *error) {
    return phases_print(phases, phases_print_summary, error);
}

/* What `ddbsim explain` prints. */
static inline enum ddbsim_status phase_explain(struct phases *phases, struct ddbsim_error *error) {
    return phases_print(phases, phases_print_diagnosis, error);
}

static inline enum ddbsim_status phase_plot(struct phases *phases, struct ddbsim_error *error) {
    char path[160];
    int64_t run_id;
    struct sqlite3 *database = NULL;
    struct plots_options options = {.chart = phases->chart,
                                    .width = 480,
                                    .height = 480,
                                    .from_s = INT64_MIN,
                                    .to_s = INT64_MIN};
    snprintf(path, sizeof path, "%s/chart.%s", phases->folder, phases->ending);
    unlink(path);
    enum ddbsim_status status = ddbsim_log_open(phases->finished, &database, error);
    if (status == DDBSIM_OK) status = plots_find_run(database, NULL, &run_id, error);
    if (status == DDBSIM_OK) status = plots_draw(database, run_id, &options, path, false, error);
    ddbsim_log_close(database);
    return status;
}

/* After a plot: the picture is there if and only if it was drawn. */
static inline void phases_hash_chart(struct phases *phases, enum ddbsim_status status) {
    char path[160];
    snprintf(path, sizeof path, "%s/chart.%s", phases->folder, phases->ending);
    assert_int_equal(phases_exists(path), status == DDBSIM_OK);
    phases->hash = status == DDBSIM_OK ? phases_hash_file(path) : 0;
    unlink(path);
    snprintf(path, sizeof path, "%s/chart.%s.part", phases->folder, phases->ending);
    assert_false(phases_exists(path));
}

/* A database that exists under its name is whole; an unfinished one is refused by every reader. */
static inline void phases_check_files(const struct phases *phases, enum ddbsim_status status) {
    struct sqlite3 *database = NULL;
    struct ddbsim_error error = {0};
    assert_true(status != DDBSIM_OK || phases_exists(phases->database));
    if (phases_exists(
            phases->database)) { /* also where the directory's sync failed, at the very end */
        assert_int_equal(ddbsim_log_open(phases->database, &database, &error), DDBSIM_OK);
        ddbsim_log_close(database);
    }
    if (phases_exists(phases->part)) {
        assert_int_not_equal(status, DDBSIM_OK);
        assert_int_equal(ddbsim_log_open(phases->part, &database, &error), DDBSIM_INPUT);
    }
    unlink(phases->database);
    unlink(phases->part);
    unlink(phases->journal);
}

static inline void phases_setup(struct phases *phases, const char *text, size_t length) {
    struct ddbsim_error error = {0};
    *phases = (struct phases){.text = text, .text_length = length};
    strcpy(phases->folder, "/tmp/ddbsim-faults-XXXXXX");
    assert_non_null(mkdtemp(phases->folder));
    snprintf(phases->database, sizeof phases->database, "%s/run.db", phases->folder);
    snprintf(phases->part, sizeof phases->part, "%s/run.db.part", phases->folder);
    snprintf(phases->journal, sizeof phases->journal, "%s/run.db.part-journal", phases->folder);
    snprintf(phases->finished, sizeof phases->finished, "%s/finished.db", phases->folder);
    phases->output = malloc(PHASES_OUTPUT_MOST);
    assert_non_null(phases->output);
    assert_int_equal(
        ddbsim_scenario_parse(text, length, "small.yaml", NULL, &phases->scenario, &error),
        DDBSIM_OK);
    assert_int_equal(phase_run(phases, &error), DDBSIM_OK);
    assert_int_equal(rename(phases->database, phases->finished), 0);
}

static inline void phases_teardown(struct phases *phases) {
    unlink(phases->finished);
    assert_int_equal(rmdir(phases->folder), 0); /* nothing else was left behind */
    ddbsim_scenario_destroy(phases->scenario);
    free(phases->output);
}

#endif
