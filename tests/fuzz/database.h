/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the targets about result databases share: a small valid database, an input as a list of
 * decisions, and everything that reads a run, each under the promise that it reads or refuses.
 */
#ifndef TESTS_FUZZ_DATABASE_H
#define TESTS_FUZZ_DATABASE_H

#include "fuzz.h"

#include <ddbsim/ddbsim.h>
#include <jansson.h>
#include <plots/canvas.h>
#include <plots/diagnosis.h>
#include <plots/plots.h>
#include <plots/summary.h>
#include <sqlite3.h>
#include <study/study.h>
#include <support/small_scenario.h>
#include <unistd.h>

/* ---- decisions ---- */

struct input {
    const uint8_t *at;
    size_t left;
};

static inline unsigned take(struct input *input) {
    if (input->left == 0) return 0;
    input->left--;
    return *input->at++;
}

static inline uint64_t take_wide(struct input *input, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | take(input);
    return number;
}

/* ---- the valid database ---- */

static inline void execute(sqlite3 *database, const char *sql) {
    FUZZ_PROMISE(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static inline sqlite3 *open_bytes(const unsigned char *bytes, size_t size) {
    sqlite3 *database;
    unsigned char *copy = sqlite3_malloc64(size);
    FUZZ_PROMISE(copy && sqlite3_open(":memory:", &database) == SQLITE_OK);
    memcpy(copy, bytes, size);
    FUZZ_PROMISE(sqlite3_deserialize(
                     database, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                     SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK);
    return database;
}

static inline unsigned char *bytes_of(sqlite3 *database, size_t *size) {
    sqlite3_int64 length = 0;
    unsigned char *bytes = sqlite3_serialize(database, "main", &length, 0);
    FUZZ_PROMISE(bytes != NULL && length > 0);
    *size = (size_t)length;
    return bytes;
}

/* A short run: what an input costs is mostly its rows. */
static inline unsigned char *simulated_bytes(size_t *size) {
    static const char *const sets[] = {"duration=12s", "changes.more.at=+6s"};
    const struct ddbsim_load_options load = {.sets = sets, .set_count = 2};
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario;
    struct log_writer *writer;
    struct study_run_result result;
    FUZZ_PROMISE(ddbsim_scenario_parse(small_scenario, sizeof small_scenario - 1, "small.yaml",
                                       &load, &scenario, &error) == DDBSIM_OK);
    FUZZ_PROMISE(log_writer_create(NULL, false, &writer, &error) == DDBSIM_OK);
    const struct study_run_options options = {.study_id = 1, .seed = scenario->seed};
    FUZZ_PROMISE(study_run(scenario, &options, writer, &result, &error) == DDBSIM_OK);
    FUZZ_PROMISE(log_writer_finish(writer, &error) == DDBSIM_OK);
    unsigned char *bytes = bytes_of(log_writer_database(writer), size);
    log_writer_abandon(writer);
    ddbsim_scenario_destroy(scenario);
    return bytes;
}

/* A run's database, in small pages, whose tables take any value: a forger is not bound by STRICT and
 * NOT NULL. To be given to sqlite3_free. */
static inline unsigned char *base_bytes(size_t *size) {
    unsigned char *strict = simulated_bytes(size);
    sqlite3 *database = open_bytes(strict, *size);
    sqlite3_free(strict);
    execute(database, "PRAGMA page_size = 1024; VACUUM; PRAGMA writable_schema = ON;"
                      "UPDATE sqlite_schema SET sql = replace(replace(replace(sql,"
                      " ' STRICT, WITHOUT', ' WITHOUT'), ' STRICT', ''), ' NOT NULL', '')"
                      " WHERE type = 'table'");
    unsigned char *bytes = bytes_of(database, size);
    sqlite3_close(database);
    return bytes;
}

/* ---- files ---- */

static char scratch[64];

static inline const char *scratch_file(const char *name) {
    static char path[96];
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

static inline void remove_scratch(void) {
    unlink(scratch_file("fuzzed.db"));
    unlink(scratch_file("chart.svg"));
    rmdir(scratch);
}

/* A folder for an input's files, in memory where there is such a place. */
static inline void make_scratch(void) {
    bool memory = access("/dev/shm", W_OK) == 0;
    snprintf(scratch, sizeof scratch, "%s/ddbsim-fuzz-XXXXXX", memory ? "/dev/shm" : "/tmp");
    FUZZ_PROMISE(mkdtemp(scratch) != NULL);
    atexit(remove_scratch);
}

/* ---- reading ---- */

enum reader { READ_SUMMARY, READ_SUMMARY_JSON, READ_DIAGNOSIS, READ_DIAGNOSIS_JSON, READERS };

static inline void is_json(const char *text, size_t length) {
    json_error_t why;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (!json) fprintf(stderr, "%s\n%.*s\n", why.text, (int)length, text);
    FUZZ_PROMISE(json != NULL);
    json_decref(json);
}

static inline enum ddbsim_status print_diagnosis(sqlite3 *database, int64_t run_id, bool json,
                                                 FILE *out, struct ddbsim_error *error) {
    struct diagnosis *diagnosis = NULL;
    enum ddbsim_status status = diagnosis_create(database, run_id, &diagnosis, error);
    if (status != DDBSIM_OK) return status;
    status = json ? diagnosis_print_json(diagnosis, out, "small.yaml", error)
                  : diagnosis_print(diagnosis, out, "small.yaml", 80, true, error);
    diagnosis_destroy(diagnosis);
    return status;
}

static inline enum ddbsim_status print_run(sqlite3 *database, int64_t run_id, enum reader reader,
                                           FILE *out, struct ddbsim_error *error) {
    if (reader == READ_SUMMARY) return summary_print(database, run_id, out, false, error);
    if (reader == READ_SUMMARY_JSON) return summary_print_json(database, run_id, out, error);
    return print_diagnosis(database, run_id, reader == READ_DIAGNOSIS_JSON, out, error);
}

static inline void read_words(sqlite3 *database, int64_t run_id, enum reader reader) {
    struct ddbsim_error error = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    FUZZ_PROMISE(out != NULL);
    enum ddbsim_status status = print_run(database, run_id, reader, out, &error);
    fuzz_refused(status, &error);
    FUZZ_PROMISE(fclose(out) == 0);
    bool json = reader == READ_SUMMARY_JSON || reader == READ_DIAGNOSIS_JSON;
    if (status == DDBSIM_OK && json) is_json(text, length);
    free(text);
}

static inline unsigned chart_count(void) {
    unsigned charts = 0;
    while (plots_chart_name((int)charts))
        charts++;
    return charts;
}

static inline void read_chart(sqlite3 *database, int64_t run_id, unsigned chart, bool spanish) {
    struct ddbsim_error error = {0};
    struct plots_options options = {.chart = plots_chart_name((int)chart),
                                    .width = CANVAS_LEAST,
                                    .height = CANVAS_LEAST,
                                    .spanish = spanish,
                                    .from_s = INT64_MIN,
                                    .to_s = INT64_MIN};
    fuzz_refused(plots_draw(database, run_id, &options, scratch_file("chart.svg"), true, &error),
                 &error);
}

static inline unsigned reader_count(void) { return READERS + chart_count(); }

static inline void read_run(sqlite3 *database, int64_t run_id, unsigned reader, bool spanish) {
    if (reader < READERS)
        read_words(database, run_id, (enum reader)reader);
    else
        read_chart(database, run_id, reader - READERS, spanish);
}

#endif
