/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a verb is about: a scenario, or a finished run to look at. A result database is told from a
 * scenario by content; the endings .db and .part also mean a database, so that a truncated or
 * unfinished one is refused as what it is. A scenario that stands where a run is wanted is run
 * first, in memory.
 */
#include "cli.h"

#include <base/buffer.h>
#include <base/error.h>
#include <loader/literal.h>
#include <loader/loader.h>
#include <plots/plots.h>
#include <plots/query.h>
#include <stdlib.h>
#include <string.h>

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

bool subject_is_database(const char *argument) {
    if (ends_with(argument, ".db") || ends_with(argument, ".part")) return true;
    return strcmp(argument, "-") != 0 && ddbsim_log_is_database(argument);
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

enum ddbsim_status subject_load_variant(const struct cli_options *options,
                                        const struct ddbsim_scenario *base, const char *variant,
                                        struct ddbsim_scenario **out, struct ddbsim_error *error) {
    struct ddbsim_load_options load = {
        .variant = variant,
        .sets = options->sets,
        .set_count = options->set_count,
    };
    return ddbsim_scenario_parse(base->text, strlen(base->text), base->file, &load, out, error);
}

void subject_add_study(struct log_writer *writer, const struct subject_study *study) {
    const struct ddbsim_value values[] = {
        ddbsim_integer(study->study_id),
        ddbsim_text("run"),
        ddbsim_text(study->command),
        ddbsim_real(CLI_CONFIDENCE),
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
    enum ddbsim_status status =
        subject_is_database(options->argument)
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
    if (status == DDBSIM_OK) status = log_writer_finish(subject->writer, error);
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

static bool in_gallery(const char *wanted, struct ddbsim_error *error) {
    char name[256], title[512];
    for (int i = 0; loader_gallery(i, name, sizeof name, title, sizeof title, error); i++) {
        if (strcmp(name, wanted) == 0) return true;
    }
    return false;
}

/* A database does not know its scenario's file, but its name: the gallery's, else the likely
 * file's. */
static enum ddbsim_status name_of_database(const struct subject *subject, char **out,
                                           struct ddbsim_error *error) {
    char *name = NULL;
    enum ddbsim_status status =
        query_one_text(subject->database, error, &name,
                       "SELECT scenario FROM run WHERE run_id = ?1", "i", subject->run_id);
    if (status != DDBSIM_OK) return status;
    bool known = name && in_gallery(name, error);
    struct buffer text = {0};
    buffer_put(&text, name ? name : "");
    buffer_put(&text, known ? "" : ".yaml");
    free(name);
    *out = buffer_finish(&text);
    if (!*out) status = error_memory(error);
    return status == DDBSIM_OK && error ? error->status : status;
}

enum ddbsim_status subject_name(const struct cli_options *options, const struct subject *subject,
                                char **out, struct ddbsim_error *error) {
    *out = NULL;
    if (!subject->scenario) return name_of_database(subject, out, error);
    bool stream = strcmp(options->argument, "-") == 0;
    *out = strdup(stream ? subject->scenario->name : options->argument);
    return *out ? DDBSIM_OK : error_memory(error);
}

static enum ddbsim_status read_clock(const struct subject *subject, struct literal_clock *clock,
                                     struct ddbsim_error *error) {
    if (subject->scenario) {
        clock->start_unix_s = subject->scenario->start_unix_s;
        clock->utc_offset_s = subject->scenario->utc_offset_s;
        return DDBSIM_OK;
    }
    struct query_run run;
    enum ddbsim_status status = query_run_read(subject->database, subject->run_id, &run, error);
    if (status != DDBSIM_OK) return status;
    clock->start_unix_s = run.start_unix_s;
    clock->utc_offset_s = (int32_t)run.utc_offset_s;
    query_run_clear(&run);
    return DDBSIM_OK;
}

enum ddbsim_status subject_moment(const struct subject *subject, const char *option,
                                  const char *text, int64_t *t_s, struct ddbsim_error *error) {
    struct literal_clock clock = {0};
    struct literal_problem problem = {0};
    int64_t t_ns;
    enum ddbsim_status status = read_clock(subject, &clock, error);
    if (status != DDBSIM_OK) return status;
    if (literal_moment(text, &clock, &t_ns, &problem)) {
        *t_s = t_ns / DDBSIM_S;
        return DDBSIM_OK;
    }
    error_set(error, DDBSIM_INPUT, "%s: %s", option, problem.message);
    error_hint(error, "%s", problem.hint);
    return DDBSIM_INPUT;
}
