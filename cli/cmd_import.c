/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `ddbsim import FILE...`: one scenario made of what people have. It goes to standard output or to -o; what was
 * taken, assumed and missing goes to standard error, file by file.
 */
#include "cli.h"

#include <base/error.h>
#include <errno.h>
#include <import/import.h>
#include <loader/literal.h>
#include <import/observed.h>
#include <plots/output.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum import_key {
    IMPORT_MASK = OPTIONS_OWN,
    IMPORT_CLIENT,
    IMPORT_PARAMETER,
    IMPORT_VERBOSE,
    IMPORT_COMMANDS,
    IMPORT_FROM,
    IMPORT_TO,
    IMPORT_TABLE,
    IMPORT_MAP
};

#define COMMANDS_S (3 * 3600) /* how far back commands ask, where nobody says it */

struct import_cli {
    struct cli_options shared;
    struct import_options import;
    const char **files, **parameters, **maps;
    size_t file_count;
    const char *commands, *from, *to; /* --commands TABLE, and the times that it asks for */
    const char *command;              /* as it was typed */
};

static const struct argp_option rows[] = {
    OPTIONS_ROW_OUTPUT(
        "FILE", "Write the scenario here (default: standard output); metrics into FILE.db as "
                "a run that was observed"),
    OPTIONS_ROW_FORCE,
    {"client", IMPORT_CLIENT, "PRESET", 0, "How callers retry (`ddbsim list presets')", 0},
    {"mask-keys", IMPORT_MASK, NULL, 0, "Write pseudonyms in the place of key values", 0},
    {"parameter", IMPORT_PARAMETER, "NAME=VALUE", 0, "A template's parameter; may be repeated", 0},
    {"commands", IMPORT_COMMANDS, "TABLE", 0,
     "Print the commands of AWS's CLI that fetch what an import of TABLE wants", 0},
    {"from", IMPORT_FROM, "TIME", 0, "--commands: since when, such as 2026-09-25T18:00:00Z", 0},
    {"to", IMPORT_TO, "TIME", 0, "--commands: until when (default: the last 3 hours)", 0},
    {"table", IMPORT_TABLE, "NAME", 0, "The table of metrics that name none", 0},
    {"map", IMPORT_MAP, "ID=WORDS", 0,
     "What the metrics of an Id, a label or a file are of: TABLE [INDEX] METRIC [STATISTIC]; may "
     "be "
     "repeated",
     0},
    {"verbose", IMPORT_VERBOSE, NULL, 0, "Also name the keys of documents that nothing reads", 0},
    OPTIONS_ROW_QUIET,
    OPTIONS_ROW_HELP,
    {0},
};

/* There are never more files or parameters than words on the command line. */
static void make_room(struct argp_state *state, struct import_cli *cli) {
    size_t most = (size_t)state->argc + 1;
    cli->files = calloc(most, sizeof *cli->files);
    cli->parameters = calloc(most, sizeof *cli->parameters);
    cli->maps = calloc(most, sizeof *cli->maps);
    if (cli->files && cli->parameters && cli->maps) return;
    struct ddbsim_error error = {0};
    (void)error_memory(&error);
    exit(style_fail(&error));
}

static void check_usage(struct argp_state *state, const struct import_cli *cli) {
    if (!cli->commands && !cli->file_count)
        argp_error(state, "FILE is missing");
    else if (cli->commands && cli->file_count)
        argp_error(state, "--commands reads no file: '%s'", cli->files[0]);
    else if (!cli->commands && (cli->from || cli->to))
        argp_error(state, "%s goes with --commands", cli->from ? "--from" : "--to");
    else if (!cli->from != !cli->to)
        argp_error(state, "--from and --to go together");
}

/* The dispatch over the verb's own keys. */
static error_t parse(int key, char *arg, struct argp_state *state) {
    struct import_cli *cli = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        make_room(state, cli);
        return options_parse(key, arg, state, &cli->shared);
    case IMPORT_MASK:
        cli->import.mask_keys = true;
        return 0;
    case IMPORT_CLIENT:
        cli->import.client = arg;
        return 0;
    case IMPORT_PARAMETER:
        if (!strchr(arg, '=')) argp_error(state, "--parameter: NAME=VALUE, not '%s'", arg);
        cli->parameters[cli->import.parameter_count++] = arg;
        return 0;
    case IMPORT_COMMANDS:
        cli->commands = arg;
        return 0;
    case IMPORT_FROM:
        cli->from = arg;
        return 0;
    case IMPORT_TO:
        cli->to = arg;
        return 0;
    case IMPORT_VERBOSE:
        cli->import.names_unread = true;
        return 0;
    case IMPORT_TABLE:
        cli->import.table = arg;
        return 0;
    case IMPORT_MAP:
        cli->maps[cli->import.map_count++] = arg;
        return 0;
    case ARGP_KEY_ARG:
        cli->files[cli->file_count++] = arg;
        return 0;
    case ARGP_KEY_END:
        check_usage(state, cli);
        return 0;
    default:
        return options_parse(key, arg, state, &cli->shared);
    }
}

/* ---- what it says ---- */

static void say_notes(const struct import_cli *cli, const struct import *import, const char *file) {
    for (const struct import_note *note = import->notes; note; note = note->next) {
        bool here = file ? note->file && strcmp(note->file, file) == 0 : !note->file;
        if (here)
            style_say(cli->shared.quiet, "  %s: %s", import_note_word(note->kind), note->text);
    }
}

static void say_all(const struct import_cli *cli, const struct import *import) {
    for (size_t i = 0; i < import->file_count; i++) {
        style_say(cli->shared.quiet, "%s: %s", import->files[i], import->kinds[i]->name);
        say_notes(cli, import, import->files[i]);
    }
    bool any = false;
    for (const struct import_note *note = import->notes; note; note = note->next)
        any = any || !note->file;
    if (any) style_say(cli->shared.quiet, "all files together:");
    say_notes(cli, import, NULL);
}

/* ---- where it goes ---- */

static enum ddbsim_status fail_write(const char *path, struct ddbsim_error *error) {
    error_set(error, DDBSIM_ENVIRONMENT, "\"%.200s\" cannot be written", path);
    subject_hint_folder(path, error);
    return DDBSIM_ENVIRONMENT;
}

static enum ddbsim_status write_scenario(const struct import_cli *cli, const char *text,
                                         struct ddbsim_error *error) {
    const char *path = cli->shared.output;
    if (!path || !strcmp(path, "-")) {
        fputs(text, stdout); /* style.c looks whether that went well */
        return DDBSIM_OK;
    }
    FILE *out = fopen(path, cli->shared.force ? "we" : "wxe");
    if (!out && errno == EEXIST) {
        error_set(error, DDBSIM_INPUT, "%s is there already", path);
        error_hint(error, "--force replaces it");
        return DDBSIM_INPUT;
    }
    if (!out) return fail_write(path, error);
    bool written = fputs(text, out) >= 0;
    written = fclose(out) == 0 && written;
    if (!written) return fail_write(path, error);
    style_say(cli->shared.quiet, "wrote %s; next: ddbsim run %s", path, path);
    return DDBSIM_OK;
}

/* ---- files that the scenario names, beside it ---- */

static void attachment_path(const struct import_cli *cli, const struct import_attachment *file,
                            char *out, size_t size) {
    const char *slash = strrchr(cli->shared.output, '/');
    int folder = slash ? (int)(slash - cli->shared.output) + 1 : 0;
    snprintf(out, size, "%.*s%s", folder, cli->shared.output, file->name);
}

static enum ddbsim_status write_attachment(const struct import_cli *cli,
                                           const struct import_attachment *file,
                                           struct ddbsim_error *error) {
    char path[4096];
    struct output output;
    attachment_path(cli, file, path, sizeof path);
    enum ddbsim_status status = output_check(path, cli->shared.force, error);
    if (!status) status = output_open(path, &output, error);
    subject_hint_folder(path, error);
    if (status) return status;
    fputs(file->text, output.stream);
    status = output_close(&output, error);
    if (!status) style_say(cli->shared.quiet, "wrote %s: the load", path);
    return status;
}

static void remove_attachments(const struct import_cli *cli, const struct import *import) {
    char path[4096];
    for (const struct import_attachment *file = import->attachments; file; file = file->next) {
        attachment_path(cli, file, path, sizeof path);
        (void)remove(path);
    }
}

static enum ddbsim_status write_attachments(const struct import_cli *cli,
                                            const struct import *import,
                                            struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct import_attachment *file = import->attachments; file && !status;
         file = file->next)
        status = write_attachment(cli, file, error);
    return status;
}

/* The run is called as its file is. */
static void run_name(const char *path, char *out, size_t size) {
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    snprintf(out, size, "%.*s", (int)(strlen(base) - strlen(".db")), base);
}

static enum ddbsim_status write_database(const struct import_cli *cli, struct import *import,
                                         struct ddbsim_error *error) {
    struct log_writer *writer = NULL;
    const char *path = cli->shared.output;
    char name[256];
    run_name(path, name, sizeof name);
    enum ddbsim_status status = log_writer_create(path, cli->shared.force, &writer, error);
    subject_hint_folder(path, error);
    if (status) return status;
    const struct ddbsim_value study[] = {ddbsim_integer(1), ddbsim_text("import"),
                                         ddbsim_text(cli->command), ddbsim_real(CLI_CONFIDENCE)};
    log_writer_row(writer, DDBSIM_LOG_STUDY, study, sizeof study / sizeof study[0]);
    status = observed_write(import, name, 1, writer, error);
    if (!status) return log_writer_close(writer, error);
    log_writer_abandon(writer);
    return status;
}

static bool ends_in_db(const char *path) {
    size_t length = path ? strlen(path) : 0;
    return length > 3 && strcmp(path + length - 3, ".db") == 0;
}

/* Metrics as a run of its own. */
static enum ddbsim_status observe(const struct import_cli *cli, struct import *import,
                                  struct ddbsim_error *error) {
    enum ddbsim_status status = observed_check(import, error);
    if (!status) status = write_database(cli, import, error);
    say_all(cli, import);
    if (status) return status;
    char *word = words_shell(cli->shared.output);
    style_say(cli->shared.quiet, "wrote %s; next: ddbsim explain %s", cli->shared.output,
              word ? word : cli->shared.output);
    free(word);
    return DDBSIM_OK;
}

static enum ddbsim_status import_files(const struct import_cli *cli, struct import *import,
                                       struct ddbsim_error *error) {
    struct yaml_node *scenario = NULL;
    char *text = NULL;
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < cli->file_count && !status; i++)
        status = import_take(import, cli->files[i], error);
    if (!status && ends_in_db(cli->shared.output)) return observe(cli, import, error);
    if (!status) status = import_join(import, &scenario, error);
    if (!status) status = write_attachments(cli, import, error); /* a scenario loads with them */
    bool attached = !status;
    if (!status) status = import_check(import, scenario, error);
    say_all(cli, import);
    if (!status) status = import_write(import, scenario, &text, error);
    if (!status) status = write_scenario(cli, text, error);
    if (status && attached) remove_attachments(cli, import);
    free(text);
    return status;
}

/* ---- what to fetch ---- */

static void put_time(time_t at, char *out, size_t size) {
    struct tm parts;
    (void)gmtime_r(&at, &parts);
    if (strftime(out, size, "%Y-%m-%dT%H:%M:00Z", &parts) == 0) out[0] = '\0';
}

static enum ddbsim_status check_instant(const char *option, const char *text,
                                        struct ddbsim_error *error) {
    struct literal_clock clock;
    struct literal_problem problem = {0};
    if (literal_instant(text, &clock, &problem)) return DDBSIM_OK;
    error_set(error, DDBSIM_INPUT, "%s: %s", option, problem.message);
    error_hint(error, "%s", problem.hint);
    return DDBSIM_INPUT;
}

static bool is_table_name(const char *text) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    size_t length = strlen(text);
    return length >= 3 && length <= 255 && strspn(text, letters) == length;
}

static enum ddbsim_status print_commands(const struct import_cli *cli, struct ddbsim_error *error) {
    char from[32], to[32], *text = NULL;
    time_t now = time(NULL);
    put_time(now - COMMANDS_S, from, sizeof from);
    put_time(now, to, sizeof to);
    if (!is_table_name(cli->commands)) {
        error_set(error, DDBSIM_INPUT, "AWS has no table called '%.80s'", cli->commands);
        error_hint(error, "names have 3 to 255 letters, digits, _ - .");
        return DDBSIM_INPUT;
    }
    enum ddbsim_status status = DDBSIM_OK;
    if (cli->from) status = check_instant("--from", cli->from, error);
    if (cli->to && !status) status = check_instant("--to", cli->to, error);
    if (!status)
        status = import_commands(cli->commands, cli->from ? cli->from : from,
                                 cli->to ? cli->to : to, &text, error);
    if (!status) fputs(text, stdout);
    free(text);
    return status;
}

/* What --force would not bring back. */
static enum ddbsim_status check_output(const struct import_cli *cli, struct ddbsim_error *error) {
    const char *output = cli->shared.output;
    for (size_t i = 0; output && i < cli->file_count; i++)
        if (subject_same_file(output, cli->files[i]))
            return error_set(error, DDBSIM_INPUT, "-o %s: that is one of the files to read",
                             output);
    return DDBSIM_OK;
}

static enum ddbsim_status import_all(struct import_cli *cli, struct ddbsim_error *error) {
    struct import *import = NULL;
    enum ddbsim_status status = check_output(cli, error);
    if (status) return status;
    status = import_create(&cli->import, &import, error);
    if (!status) status = import_files(cli, import, error);
    import_destroy(import);
    return status;
}

int cmd_import(int argc, char **argv) {
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "FILE...\n--commands TABLE",
        .doc = "Make one scenario of descriptions of tables, metrics and recordings. The kind of "
               "each FILE is told by its content; `ddbsim list formats' names them.",
    };
    struct import_cli cli = {.shared = {.argument_optional = true}};
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &cli);
    struct ddbsim_error error = {0};
    cli.command = command;
    cli.import.parameters = cli.parameters;
    cli.import.maps = cli.maps;
    cli.import.output = cli.shared.output;
    enum ddbsim_status status = !command       ? error_memory(&error)
                                : cli.commands ? print_commands(&cli, &error)
                                               : import_all(&cli, &error);
    free(cli.files);
    free(cli.parameters);
    free(cli.maps);
    free(command);
    options_free(&cli.shared);
    return status == DDBSIM_OK ? DDBSIM_OK : style_fail(&error);
}
