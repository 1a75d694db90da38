/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `ddbsim run SCENARIO`: simulate into a result database, print the summary and what the thresholds
 * say. Whatever can be refused is refused before anything is simulated; what was computed is kept
 * when the user interrupts.
 */
#include "cli.h"

#include <base/error.h>
#include <plots/query.h>
#include <plots/summary.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>

enum run_key { RUN_REPLICATIONS = OPTIONS_OWN, RUN_JOBS, RUN_LOG };

static const struct argp_option rows[] = {
    OPTIONS_ROW_OUTPUT("FILE.db", "Result database (default: NAME.db in the working directory)"),
    OPTIONS_ROW_FORCE,
    OPTIONS_ROW_VARIANT,
    OPTIONS_ROW_SET,
    OPTIONS_ROW_SEED,
    OPTIONS_ROW_FORMAT,
    OPTIONS_ROW_QUIET,
    {"replications", RUN_REPLICATIONS, "N", OPTION_HIDDEN, NULL, 0},
    {"jobs", RUN_JOBS, "N", OPTION_HIDDEN, NULL, 0},
    {"log", RUN_LOG, "requests", 0, "Write every attempt as a row of the table request", 0},
    OPTIONS_ROW_HELP,
    {0},
};

static void refuse(struct argp_state *state, const char *option) {
    argp_failure(state, DDBSIM_INPUT, 0, "%s is not supported yet", option);
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct cli_options *options = state->input;
    switch (key) {
    case RUN_REPLICATIONS:
        refuse(state, "--replications");
        return 0;
    case RUN_JOBS:
        refuse(state, "--jobs");
        return 0;
    case RUN_LOG:
        if (strcmp(arg, "requests") != 0)
            argp_failure(state, DDBSIM_INPUT, 0, "--log=%s: only requests can be logged", arg);
        options->log_requests = true;
        return 0;
    default:
        return options_parse(key, arg, state, options);
    }
}

static enum ddbsim_status choose_output(const struct cli_options *options,
                                        const struct ddbsim_scenario *scenario, char *path,
                                        size_t size, struct ddbsim_error *error) {
    if (options->output && strcmp(options->output, "-") == 0) {
        error_set(error, DDBSIM_INPUT, "-o -: a database cannot go to standard output");
        error_hint(error, "name a file; --format json prints the summary for other programs");
        return DDBSIM_INPUT;
    }
    if (options->output) {
        snprintf(path, size, "%s", options->output);
    } else {
        char stem[512];
        subject_stem(scenario, stem, sizeof stem);
        snprintf(path, size, "%s.db", stem);
    }
    if (subject_same_file(path, options->argument)) {
        return error_set(error, DDBSIM_INPUT, "-o %s: that is the scenario itself", path);
    }
    for (uint32_t w = 0; w < scenario->workload_count; w++)
        if (scenario->workloads[w].replay &&
            subject_same_file(path, scenario->workloads[w].replay->file))
            return error_set(error, DDBSIM_INPUT, "-o %s: that is a recording that is replayed",
                             path);
    return DDBSIM_OK;
}

static const struct ddbsim_condition *threshold_named(const struct ddbsim_scenario *scenario,
                                                      const char *text) {
    for (uint32_t i = 0; i < scenario->threshold_count; i++) {
        if (strcmp(scenario->thresholds[i].text, text) == 0) return &scenario->thresholds[i];
    }
    return NULL;
}

static void print_verdict(const struct ddbsim_scenario *scenario, struct query *row, bool met,
                          FILE *out) {
    char observed[64];
    const char *text = query_text(row, 0);
    double value = query_double(row, 1);
    const struct ddbsim_condition *threshold = threshold_named(scenario, text);
    if (threshold) {
        condition_value(threshold, scenario, value, observed, sizeof observed);
    } else {
        snprintf(observed, sizeof observed, "%g", value);
    }
    fprintf(out, "threshold %s: %s (observed: %s)\n", met ? "met" : "not met", text, observed);
}

/* Thresholds that do not hold are talk where the result is JSON, which lists them all. */
static enum ddbsim_status judge(const struct cli_options *options,
                                const struct ddbsim_scenario *scenario, struct sqlite3 *database,
                                int64_t run_id, struct ddbsim_error *error) {
    struct query query;
    bool failed = false, first = true;
    query_open(&query, database, error,
               "SELECT expression, observed, passed FROM verdict WHERE run_id = ?1 "
               "AND kind = 'threshold' ORDER BY expression",
               "i", run_id);
    while (query_next(&query)) {
        bool met = query_int(&query, 2) != 0;
        if (first && !options->json) putchar('\n');
        first = false;
        if (!met || !options->json)
            print_verdict(scenario, &query, met, options->json ? stderr : stdout);
        failed = failed || !met;
    }
    enum ddbsim_status status = query_close(&query);
    return status == DDBSIM_OK && failed ? DDBSIM_UNMET : status;
}

/* Reads what was written back from the file: what is printed is what is there. */
static enum ddbsim_status print_result(const struct cli_options *options,
                                       const struct ddbsim_scenario *scenario, const char *path,
                                       int64_t run_id, struct ddbsim_error *error) {
    struct sqlite3 *database = NULL;
    enum ddbsim_status status = ddbsim_log_open(path, &database, error);
    if (status != DDBSIM_OK) return status;
    status = options->json ? summary_print_json(database, run_id, stdout, error)
                           : summary_print(database, run_id, stdout, style_colour(), error);
    if (status == DDBSIM_OK) status = judge(options, scenario, database, run_id, error);
    ddbsim_log_close(database);
    return status;
}

static enum ddbsim_status simulate(const struct cli_options *options,
                                   const struct ddbsim_scenario *scenario, const char *path,
                                   const char *command, struct study_run_result *result,
                                   struct ddbsim_error *error) {
    struct log_writer *writer = NULL;
    (void)signals_catch(); /* an early Ctrl-C must not leave an unfinished file either */
    enum ddbsim_status status = log_writer_create(path, options->force, &writer, error);
    if (status != DDBSIM_OK) return status;
    subject_add_study(writer, &(struct subject_study){.study_id = 1, .command = command});
    struct subject_simulation simulation = {
        .scenario = scenario,
        .seed = options->has_seed ? options->seed : scenario->seed,
        .study_id = 1,
        .writer = writer,
        .quiet = options->quiet,
        .log_requests = options->log_requests,
    };
    status = subject_simulate(&simulation, result, error);
    if (status == DDBSIM_OK) return log_writer_close(writer, error);
    log_writer_abandon(writer);
    return status;
}

/* A name with another ending promises something else. */
static bool looks_like_database(const char *path) {
    static const char *const endings[] = {".db", ".sqlite", ".sqlite3"};
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(slash ? slash : path, '.');
    bool known = dot == NULL;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0] && !known; i++)
        known = strcmp(dot, endings[i]) == 0;
    return known;
}

static enum ddbsim_status run(const struct cli_options *options, const char *command,
                              const struct ddbsim_scenario *scenario, struct ddbsim_error *error) {
    char path[4096];
    struct study_run_result result = {0};
    enum ddbsim_status status = choose_output(options, scenario, path, sizeof path, error);
    if (status != DDBSIM_OK) return status;
    subject_warn(scenario, options->quiet);
    status = simulate(options, scenario, path, command, &result, error);
    subject_hint_folder(path, error);
    if (status != DDBSIM_OK) return status;
    status = print_result(options, scenario, path, result.run_id, error);
    if (status != DDBSIM_OK && status != DDBSIM_UNMET) return status;
    char *word = words_shell(path);
    style_say(options->quiet, "%s%s%s; next: ddbsim explain %s, ddbsim plot %s",
              result.interrupted ? "interrupted; what was computed is in " : "wrote ", path,
              looks_like_database(path) ? "" : ", an SQLite database whatever its name says",
              word ? word : path, word ? word : path);
    free(word);
    return result.interrupted ? DDBSIM_INTERRUPTED : status;
}

/* ---- a command that ran before ---- */

static error_t take_scenario(int key, char *arg, struct argp_state *state) {
    if (key == ARGP_KEY_ARG) *(const char **)state->input = arg;
    return 0;
}

/* Words from "run" on; there are fewer than characters. */
static char **split_command(const char *command, int *count) {
    char **words = calloc(strlen(command) + 2, sizeof *words);
    *count = 0;
    while (words && (words[*count] = words_unshell(&command)) != NULL)
        (*count)++;
    return words;
}

char *cmd_run_scenario(const char *command) {
    static const char start[] = "ddbsim run ";
    static const struct argp argp = {.options = rows, .parser = take_scenario};
    const char *scenario = NULL;
    int count = 0;
    if (strncmp(command, start, strlen(start)) != 0) return NULL;
    char **words = split_command(command + strlen("ddbsim "), &count);
    char **kept = words ? calloc((size_t)count + 1, sizeof *kept) : NULL;
    if (kept) memcpy(kept, words, (size_t)count * sizeof *kept); /* argp changes their order */
    if (kept && argp_parse(&argp, count, kept, ARGP_SILENT, NULL, &scenario) != 0) scenario = NULL;
    char *out = scenario ? strdup(scenario) : NULL;
    for (int i = 0; i < count; i++)
        free(words[i]);
    free(words);
    free(kept);
    return out;
}

int cmd_run(int argc, char **argv) {
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "SCENARIO",
        .doc =
            "Simulate a scenario into a result database and print the summary. SCENARIO is a YAML "
            "file, `-' for standard input, or a name that `ddbsim list scenarios' prints.",
    };
    struct cli_options options = {.argument_name = "SCENARIO"};
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &options);
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = NULL;
    enum ddbsim_status status =
        command ? subject_load(&options, options.variant, &scenario, &error) : error_memory(&error);
    if (status == DDBSIM_OK) status = run(&options, command, scenario, &error);
    ddbsim_scenario_destroy(scenario);
    free(command);
    options_free(&options);
    if (error.status != DDBSIM_OK) return style_fail(&error);
    return (int)status;
}
