/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options that several verbs understand, read in one place so that they mean the same everywhere.
 * Wrong usage never returns: argp says what is wrong and exits with 2 (main.c sets
 * argp_err_exit_status).
 */
#include "cli.h"

#include <base/buffer.h>
#include <base/error.h>
#include <loader/loader.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>

_Noreturn static void end_without_memory(void) {
    struct ddbsim_error error = {0};
    (void)error_memory(&error);
    exit(style_fail(&error));
}

static void take_seed(const char *arg, struct argp_state *state, struct cli_options *options) {
    struct ddbsim_error error = {0};
    uint64_t last;
    if (loader_seeds(arg, &options->seed, &last, &error) != DDBSIM_OK) {
        argp_error(state, "--seed: %s", error.message);
    } else if (strstr(arg, "..")) {
        argp_error(state, "--seed: one number, not a range: '%s'", arg);
    }
    options->has_seed = true;
}

static void take_format(const char *arg, struct argp_state *state, struct cli_options *options) {
    options->json = strcmp(arg, "json") == 0;
    if (!options->json && strcmp(arg, "text") != 0) {
        argp_error(state, "--format: text or json, not '%s'", arg);
    }
}

static void take_argument(const char *arg, struct argp_state *state, struct cli_options *options) {
    if (!options->argument_name) {
        argp_error(state, "takes no argument: '%s'", arg);
    } else if (options->argument) {
        argp_error(state, "one %s at a time: '%s' and '%s'", options->argument_name,
                   options->argument, arg);
    }
    options->argument = arg;
}

/* There are never more --set than words on the command line. */
static error_t make_room(const struct argp_state *state, struct cli_options *options) {
    options->sets = calloc((size_t)state->argc + 1, sizeof *options->sets);
    if (!options->sets) end_without_memory(); /* argp would leak its own */
    return 0;
}

static void require_argument(struct argp_state *state, const struct cli_options *options) {
    if (options->argument_name && !options->argument && !options->argument_optional) {
        argp_error(state, "%s is missing", options->argument_name);
    }
}

/* The dispatch over all shared keys. */
error_t options_parse(int key, char *arg, struct argp_state *state, struct cli_options *options) {
    switch (key) {
    case ARGP_KEY_INIT:
        return make_room(state, options);
    case OPTIONS_HELP:
        argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
        break;
    case OPTIONS_SET:
        options->sets[options->set_count++] = arg;
        break;
    case OPTIONS_SEED:
        take_seed(arg, state, options);
        break;
    case OPTIONS_VARIANT:
        options->variant = arg;
        break;
    case OPTIONS_OUTPUT:
        options->output = arg;
        break;
    case OPTIONS_FORMAT:
        take_format(arg, state, options);
        break;
    case OPTIONS_QUIET:
        options->quiet = true;
        break;
    case OPTIONS_FORCE:
        options->force = true;
        break;
    case ARGP_KEY_ARG:
        take_argument(arg, state, options);
        break;
    case ARGP_KEY_END:
        require_argument(state, options);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* argp itself allocates; what it returns is the only word of that. */
void options_read(const struct argp *argp, int argc, char **argv, void *input) {
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) end_without_memory();
}

void options_free(struct cli_options *options) {
    free(options->sets);
    options->sets = NULL;
}

char *options_command(int argc, char **argv) {
    struct buffer out = {0};
    buffer_put(&out, argv[0]);
    for (int i = 1; i < argc; i++) {
        char *word = words_shell(argv[i]);
        buffer_put(&out, " ");
        buffer_put(&out, word ? word : argv[i]);
        free(word);
    }
    return buffer_finish(&out);
}
