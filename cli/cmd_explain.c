/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ddbsim explain X`: what a run means, in words. */
#include "cli.h"

#include <base/error.h>
#include <plots/against.h>
#include <plots/diagnosis.h>
#include <plots/plots.h>
#include <stdlib.h>

enum explain_key { EXPLAIN_AGAINST = OPTIONS_OWN };

struct explain {
    struct cli_options common;
    const char *against;
};

static const struct argp_option rows[] = {
    {"against", EXPLAIN_AGAINST, "FILE.db", 0,
     "Say instead how far each metric is from that run's, minute by minute", 0},
    OPTIONS_ROW_VARIANT,
    OPTIONS_ROW_SET,
    OPTIONS_ROW_SEED,
    OPTIONS_ROW_FORMAT,
    OPTIONS_ROW_QUIET,
    OPTIONS_ROW_HELP,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct explain *explain = state->input;
    if (key != EXPLAIN_AGAINST) return options_parse(key, arg, state, &explain->common);
    explain->against = arg;
    return 0;
}

/* The run laid over another one. */
static enum ddbsim_status print_against(const struct explain *explain,
                                        const struct subject *subject, struct sqlite3 *other,
                                        struct ddbsim_error *error) {
    int64_t other_id;
    enum ddbsim_status status = plots_find_run(other, NULL, &other_id, error);
    if (status == DDBSIM_OK)
        status = against_print(subject->database, subject->run_id, other, other_id, stdout,
                               explain->common.json, error);
    return status == DDBSIM_OK && subject->interrupted ? DDBSIM_INTERRUPTED : status;
}

static enum ddbsim_status print_diagnosis(const struct cli_options *options,
                                          const struct subject *subject,
                                          struct ddbsim_error *error) {
    struct diagnosis *diagnosis = NULL;
    struct subject_source source;
    enum ddbsim_status status = subject_source(options, subject, &source, error);
    if (status == DDBSIM_OK) {
        status = diagnosis_create(subject->database, subject->run_id, &diagnosis, error);
    }
    if (status == DDBSIM_OK && source.note) diagnosis_note(diagnosis, source.note);
    if (status == DDBSIM_OK && options->json) {
        status = diagnosis_print_json(diagnosis, stdout, source.name, error);
    } else if (status == DDBSIM_OK) {
        status =
            diagnosis_print(diagnosis, stdout, source.name, style_columns(), style_colour(), error);
    }
    diagnosis_destroy(diagnosis);
    free(source.name);
    free(source.note);
    return status == DDBSIM_OK && subject->interrupted ? DDBSIM_INTERRUPTED : status;
}

int cmd_explain(int argc, char **argv) {
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "X",
        .doc =
            "Say whether a run throttles, why, and what would fix it. X is a result database or a "
            "scenario, which is then run first.",
    };
    struct explain explain = {.common = {.argument_name = "X (a database or a scenario)"}};
    struct cli_options *options = &explain.common;
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &explain);
    struct ddbsim_error error = {0};
    struct subject subject;
    struct sqlite3 *other = NULL;
    enum ddbsim_status status = command ? DDBSIM_OK : error_memory(&error);
    if (status == DDBSIM_OK && explain.against)
        status = ddbsim_log_open(explain.against, &other, &error);
    if (status == DDBSIM_OK) status = subject_open(options, &subject, &error);
    if (status == DDBSIM_OK) {
        status = subject_run(&subject, options, command, &error);
        if (status == DDBSIM_OK)
            status = other ? print_against(&explain, &subject, other, &error)
                           : print_diagnosis(options, &subject, &error);
        subject_close(&subject);
    }
    ddbsim_log_close(other);
    free(command);
    options_free(options);
    if (error.status != DDBSIM_OK) return style_fail(&error);
    return (int)status;
}
