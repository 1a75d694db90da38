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
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Must the argument be read as a result database? */
static bool reads_as_database(const char *argument) {
    if (ends_with(argument, ".db") || ends_with(argument, ".part")) return true;
    return strcmp(argument, "-") != 0 && ddbsim_log_is_database(argument);
}

void subject_warn(const struct ddbsim_scenario *scenario, bool quiet) {
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        for (uint32_t o = 0; o < scenario->workloads[w].operation_count; o++) {
            const struct ddbsim_operation *operation = &scenario->workloads[w].operations[o];
            if (!operation->refused) continue;
            style_say(quiet, "warning: AWS refuses each call of %s in workload %s: %s",
                      operation->name, scenario->workloads[w].name, operation->refused);
        }
}

bool subject_same_file(const char *a, const char *b) {
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

enum ddbsim_status subject_load(const struct cli_options *options, const char *variant,
                                struct ddbsim_scenario **out, struct ddbsim_error *error) {
    if (reads_as_database(options->argument)) {
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
    return ddbsim_scenario_parse(base->text, strlen(base->text), base->place, &load, out, error);
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
        .log_requests = simulation->log_requests,
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
        reads_as_database(options->argument)
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

void subject_stem(const struct ddbsim_scenario *scenario, char *buffer, size_t size) {
    snprintf(buffer, size, "%s", scenario->name);
    if (scenario->variant && strcmp(scenario->variant, "base") != 0) {
        words_append_slug(scenario->variant, buffer, size);
    }
}

static bool in_gallery(const char *wanted, struct ddbsim_error *error) {
    char name[256], title[512];
    for (int i = 0; loader_gallery(i, name, sizeof name, title, sizeof title, error); i++) {
        if (strcmp(name, wanted) == 0) return true;
    }
    return false;
}

static bool is_there(const char *path) { return access(path, R_OK) == 0; }

/* A path as an argument: one that begins with a dash would be an option. */
static void put_path(struct buffer *out, const char *path) {
    buffer_printf(out, "%s%s", path[0] == '-' && path[1] ? "./" : "", path);
}

/* A recorded argument may no longer be there, or never have been a file. */
static void note_argument(struct buffer *note, const char *argument) {
    if (strcmp(argument, "-") == 0)
        buffer_put(note,
                   "The run read its scenario from standard input: the commands want it there "
                   "again.");
    else if (!is_there(argument))
        buffer_printf(
            note,
            "The run read %s, which is not here: the commands work from the folder that it "
            "was run in, or with the file's path as it is now.",
            argument);
}

/* What the database says: the command that made it names the scenario; without it the gallery may have
 * one of that name. */
static void name_of_database(const char *command, const char *scenario, struct buffer *name,
                             struct buffer *note, struct ddbsim_error *error) {
    char *argument = command ? cmd_run_scenario(command) : NULL;
    if (argument) {
        put_path(name, argument);
        if (!in_gallery(argument, error)) note_argument(note, argument);
    } else if (in_gallery(scenario, error)) {
        buffer_put(name, scenario);
    } else {
        buffer_printf(name, "%s.yaml", scenario);
        buffer_printf(
            note,
            "The database does not say which file the scenario %s was read from: where the "
            "commands have %s.yaml, give its path.",
            scenario, scenario);
    }
    free(argument);
}

static enum ddbsim_status read_names(const struct subject *subject, struct buffer *name,
                                     struct buffer *note, struct ddbsim_error *error) {
    char *scenario = NULL, *command = NULL;
    enum ddbsim_status status =
        query_one_text(subject->database, error, &scenario,
                       "SELECT scenario FROM run WHERE run_id = ?1", "i", subject->run_id);
    if (status == DDBSIM_OK)
        status = query_one_text(subject->database, error, &command,
                                "SELECT command FROM study JOIN run USING (study_id)"
                                " WHERE run_id = ?1",
                                "i", subject->run_id);
    if (status == DDBSIM_OK) name_of_database(command, scenario ? scenario : "", name, note, error);
    free(scenario);
    free(command);
    return status == DDBSIM_OK && error ? error->status : status;
}

enum ddbsim_status subject_source(const struct cli_options *options, const struct subject *subject,
                                  struct subject_source *out, struct ddbsim_error *error) {
    struct buffer name = {0}, note = {0};
    enum ddbsim_status status = DDBSIM_OK;
    *out = (struct subject_source){NULL, NULL};
    if (!subject->scenario) {
        status = read_names(subject, &name, &note, error);
    } else {
        put_path(&name, options->argument);
        if (strcmp(options->argument, "-") == 0) note_argument(&note, options->argument);
    }
    bool noted = note.length > 0 || note.failed;
    out->name = buffer_finish(&name);
    out->note = buffer_finish(&note);
    if (!noted) {
        free(out->note);
        out->note = NULL;
    }
    if (status == DDBSIM_OK && (!out->name || (noted && !out->note))) status = error_memory(error);
    return status;
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

void subject_hint_folder(const char *path, struct ddbsim_error *error) {
    char folder[200];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    if (error->status != DDBSIM_ENVIRONMENT || length == 0 || length >= sizeof folder) return;
    snprintf(folder, sizeof folder, "%.*s", (int)length, path);
    if (access(folder, F_OK) == 0) return;
    char *word = words_shell(folder);
    if (word) error_hint(error, "there is no such folder; make it with: mkdir -p %s", word);
    free(word);
}

enum ddbsim_status subject_span(const struct subject *subject, struct subject_span *out,
                                struct ddbsim_error *error) {
    *out = (struct subject_span){0};
    if (subject->scenario) {
        out->duration_s = subject->scenario->duration_ns / DDBSIM_S;
        style_clock(subject->scenario, 0, out->from, sizeof out->from);
        style_clock(subject->scenario, (double)out->duration_s, out->to, sizeof out->to);
        return DDBSIM_OK;
    }
    struct query_run run;
    char clock[QUERY_CLOCK_BYTES];
    enum ddbsim_status status = query_run_read(subject->database, subject->run_id, &run, error);
    if (status != DDBSIM_OK) return status;
    out->duration_s = run.duration_s;
    query_moment(&run, 0, true, clock);
    snprintf(out->from, sizeof out->from, "%s", clock);
    query_moment(&run, run.duration_s, true, clock);
    snprintf(out->to, sizeof out->to, "%s", clock);
    query_run_clear(&run);
    return DDBSIM_OK;
}

/* ---- tables ---- */

/* The tables seen so far, and what the wanted name is. */
struct table_search {
    const char *wanted, *index_of; /* index_of: the table that has an index of that name */
    bool found;
    char names[200];
};

static void see_table(struct table_search *search, const char *table) {
    size_t used = strlen(search->names);
    search->found = search->found || strcmp(table, search->wanted) == 0;
    snprintf(search->names + used, sizeof search->names - used, "%s%s", used ? ", " : "", table);
}

static void see_index(struct table_search *search, const char *table, const char *index) {
    if (strcmp(index, search->wanted) == 0) search->index_of = table;
}

static void search_scenario(const struct ddbsim_scenario *scenario, struct table_search *search) {
    for (uint32_t i = 0; i < scenario->table_count; i++) {
        const struct ddbsim_table *table = &scenario->tables[i];
        see_table(search, table->name);
        for (uint32_t k = 0; k < table->index_count; k++)
            see_index(search, table->name, table->indexes[k].name);
    }
}

static enum ddbsim_status fail_table(const struct table_search *search,
                                     struct ddbsim_error *error) {
    if (search->found) return DDBSIM_OK;
    if (search->index_of)
        error_set(error, DDBSIM_INPUT, "--table: '%s' is an index of table %s", search->wanted,
                  search->index_of);
    else
        error_set(error, DDBSIM_INPUT, "--table: there is no table '%s'", search->wanted);
    if (search->index_of)
        error_hint(error, "a table's chart shows its indexes; the tables are: %s", search->names);
    else
        error_hint(error, "the tables are: %s", search->names);
    return DDBSIM_INPUT;
}

enum ddbsim_status subject_check_table(const struct subject *subject, const char *name,
                                       struct ddbsim_error *error) {
    struct table_search search = {.wanted = name};
    if (subject->scenario) {
        search_scenario(subject->scenario, &search);
        return fail_table(&search, error);
    }
    struct query_resources resources;
    enum ddbsim_status status =
        query_resources_read(subject->database, subject->run_id, &resources, error);
    if (status != DDBSIM_OK) return status;
    for (size_t i = 0; i < resources.count; i++) {
        const struct query_resource *resource = &resources.items[i];
        if (resource->index)
            see_index(&search, resource->table, resource->index);
        else if (strcmp(resource->kind, "table") == 0)
            see_table(&search, resource->table);
    }
    status = fail_table(&search, error);
    query_resources_clear(&resources);
    return status;
}
