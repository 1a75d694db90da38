/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a verb is about: a scenario, or a finished run to look at. A result database is told from a
 * scenario by content; the endings .db and .part also mean a database, so that a truncated or unfinished
 * one is refused as what it is. A scenario that stands where a run is wanted is run first, in memory.
 */
#include "cli.h"

#include <base/error.h>
#include <plots/plots.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool subject_is_database(const char *argument) {
    if (strcmp(argument, "-") == 0 || access(argument, F_OK) != 0) return false;
    return ddbsim_log_is_database(argument) || ends_with(argument, ".db") ||
           ends_with(argument, ".part");
}

enum ddbsim_status subject_load(const struct cli_options *options, const char *variant,
                                struct ddbsim_scenario **out, struct ddbsim_error *error) {
    if (subject_is_database(options->argument)) {
        error_set(error, DDBSIM_INPUT, "'%s' is a result database, not a scenario",
                  options->argument);
        error_hint(error, "look at it with: ddbsim explain %s", options->argument);
        return DDBSIM_INPUT;
    }
    struct ddbsim_load_options load = {
        .variant = variant,
        .sets = options->sets,
        .set_count = options->set_count,
    };
    return ddbsim_scenario_load(options->argument, &load, out, error);
}

void subject_add_study(struct log_writer *writer, const struct subject_study *study) {
    const struct ddbsim_value values[] = {
        ddbsim_integer(study->study_id),
        ddbsim_text("run"),
        ddbsim_text(study->command),
        ddbsim_real(0.95),
    };
    log_writer_row(writer, DDBSIM_LOG_STUDY, values, sizeof values / sizeof values[0]);
}

enum ddbsim_status subject_simulate(const struct subject_simulation *simulation,
                                    struct study_run_result *result, struct ddbsim_error *error) {
    struct progress progress;
    progress_start(&progress, simulation->scenario, simulation->label, simulation->quiet);
    struct study_progress ticker = progress_ticker(&progress);
    struct study_run_options options = {
        .study_id = simulation->study_id,
        .seed = simulation->seed,
        .stop = signals_catch(),
        .progress = &ticker,
    };
    enum ddbsim_status status =
        study_run(simulation->scenario, &options, simulation->writer, result, error);
    progress_end(&progress);
    return status;
}

static enum ddbsim_status open_database(const struct cli_options *options, struct subject *out,
                                        struct ddbsim_error *error) {
    if (options->set_count > 0 || options->has_seed) {
        error_set(error, DDBSIM_INPUT, "%s needs a scenario: '%s' is a result database",
                  options->has_seed ? "--seed" : "--set", options->argument);
        error_hint(error, "what a database holds cannot be changed; give the scenario instead");
        return DDBSIM_INPUT;
    }
    enum ddbsim_status status = ddbsim_log_open(options->argument, &out->database, error);
    if (status != DDBSIM_OK) return status;
    return plots_find_run(out->database, options->variant, &out->run_id, error);
}

enum ddbsim_status subject_open(const struct cli_options *options, struct subject *out,
                                struct ddbsim_error *error) {
    *out = (struct subject){0};
    enum ddbsim_status status = subject_is_database(options->argument)
                                    ? open_database(options, out, error)
                                    : subject_load(options, options->variant, &out->scenario, error);
    if (status != DDBSIM_OK) subject_close(out);
    return status;
}

enum ddbsim_status subject_run(struct subject *subject, const struct cli_options *options,
                               const char *command, struct ddbsim_error *error) {
    if (!subject->scenario) return DDBSIM_OK;
    enum ddbsim_status status = log_writer_create(NULL, false, &subject->writer, error);
    if (status != DDBSIM_OK) return status;
    subject_add_study(subject->writer, &(struct subject_study){.study_id = 1, .command = command});
    struct study_run_result result = {0};
    struct subject_simulation simulation = {
        .scenario = subject->scenario,
        .seed = options->has_seed ? options->seed : subject->scenario->seed,
        .study_id = 1,
        .writer = subject->writer,
        .quiet = options->quiet,
    };
    status = subject_simulate(&simulation, &result, error);
    subject->database = log_writer_database(subject->writer);
    subject->run_id = result.run_id;
    subject->interrupted = result.interrupted;
    return status;
}

void subject_close(struct subject *subject) {
    if (subject->writer) {
        log_writer_abandon(subject->writer);
    } else {
        ddbsim_log_close(subject->database);
    }
    ddbsim_scenario_destroy(subject->scenario);
    *subject = (struct subject){0};
}

void subject_append_slug(const char *text, char *buffer, size_t size) {
    size_t used = strlen(buffer);
    bool dash = true;
    for (; *text && used + 2 < size; text++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!plain) {
            dash = true;
            continue;
        }
        if (dash) buffer[used++] = '-';
        dash = false;
        buffer[used++] = c;
    }
    buffer[used] = '\0';
}

void subject_stem(const struct ddbsim_scenario *scenario, char *buffer, size_t size) {
    snprintf(buffer, size, "%s", scenario->name);
    if (scenario->variant && strcmp(scenario->variant, "base") != 0) {
        subject_append_slug(scenario->variant, buffer, size);
    }
}

static sqlite3_stmt *run_column(const struct subject *subject, const char *column) {
    sqlite3_stmt *query = NULL;
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT %s FROM run WHERE run_id = ?1", column);
    if (sqlite3_prepare_v2(subject->database, sql, -1, &query, NULL) == SQLITE_OK &&
        sqlite3_bind_int64(query, 1, subject->run_id) == SQLITE_OK &&
        sqlite3_step(query) == SQLITE_ROW) {
        return query;
    }
    sqlite3_finalize(query);
    return NULL;
}

void subject_name(const struct cli_options *options, const struct subject *subject, char *buffer,
                  size_t size) {
    const char *name = options->argument;
    sqlite3_stmt *row = subject->scenario ? NULL : run_column(subject, "scenario");
    if (row) name = (const char *)sqlite3_column_text(row, 0);
    if (strcmp(options->argument, "-") == 0) name = subject->scenario->name;
    snprintf(buffer, size, "%s", name ? name : "");
    sqlite3_finalize(row);
}

static int64_t run_integer(const struct subject *subject, const char *column) {
    sqlite3_stmt *row = run_column(subject, column);
    int64_t value = row ? sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return value;
}

void subject_start(const struct subject *subject, int64_t *unix_s, int64_t *utc_offset_s) {
    if (subject->scenario) {
        *unix_s = subject->scenario->start_unix_s;
        *utc_offset_s = subject->scenario->utc_offset_s;
    } else {
        *unix_s = run_integer(subject, "start_unix_s");
        *utc_offset_s = run_integer(subject, "utc_offset_s");
    }
}
