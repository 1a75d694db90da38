/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ddbsim explain X`: what a run means, in words. */
#include "cli.h"

#include <base/error.h>
#include <plots/diagnosis.h>
#include <stdlib.h>

static const struct argp_option rows[] = {
    OPTIONS_ROW_VARIANT,
    OPTIONS_ROW_SET,
    OPTIONS_ROW_SEED,
    OPTIONS_ROW_FORMAT,
    OPTIONS_ROW_QUIET,
    OPTIONS_ROW_HELP,
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state) {
    return options_parse(key, arg, state, state->input);
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
    struct cli_options options = {.argument_name = "X (a database or a scenario)"};
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &options);
    struct ddbsim_error error = {0};
    struct subject subject;
    enum ddbsim_status status =
        command ? subject_open(&options, &subject, &error) : error_memory(&error);
    if (status == DDBSIM_OK) {
        status = subject_run(&subject, &options, command, &error);
        if (status == DDBSIM_OK) status = print_diagnosis(&options, &subject, &error);
        subject_close(&subject);
    }
    free(command);
    options_free(&options);
    if (error.status != DDBSIM_OK) return style_fail(&error);
    return (int)status;
}
