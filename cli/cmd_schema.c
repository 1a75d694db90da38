/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ddbsim schema`: the scenario's grammar as JSON Schema, for editors and checkers. */
#include "cli.h"

#include <loader/loader.h>

static error_t parse(int key, char *arg, struct argp_state *state) {
    return options_parse(key, arg, state, state->input);
}

int cmd_schema(int argc, char **argv) {
    static const struct argp_option rows[] = {OPTIONS_ROW_HELP, {0}};
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .doc = "Print the scenario's grammar as JSON Schema (draft 2020-12).",
    };
    struct cli_options options = {0};
    options_read(&argp, argc, argv, &options);
    loader_print_schema(stdout);
    options_free(&options);
    return DDBSIM_OK;
}
