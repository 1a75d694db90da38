/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the verbs of the program share: how they read options, open what they are given, run it,
 * talk and fail. A verb is a function of (argc, argv) that returns the exit code; argv[0] is
 * "ddbsim VERB".
 *
 * Results go to standard output; talk, progress and errors to standard error. Exit codes are the
 * values of enum ddbsim_status. Standard output is closed and checked once, at exit (style.c).
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <ddbsim/ddbsim.h>
#include <record/writer.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <study/study.h>

struct sqlite3;

#define CLI_CONFIDENCE 0.95 /* of every interval that is stored or printed */

/* ---- verbs ---- */

typedef int cmd_fn(int argc, char **argv);

cmd_fn cmd_run, cmd_explain, cmd_plot, cmd_check, cmd_import, cmd_export, cmd_list, cmd_schema;
/* The SCENARIO of a stored `ddbsim run ...`; for free(). NULL: another command, or no memory. */
char *cmd_run_scenario(const char *command);

/* ---- options.c: what several verbs understand ---- */

struct cli_options {
    /* Set by the verb before it parses. */
    const char *argument_name; /* of the one positional argument; NULL: the verb takes none */
    bool argument_optional;
    /* Filled by options_parse. */
    const char *argument;
    const char **sets;
    size_t set_count;
    const char *variant, *output;
    uint64_t seed;
    bool has_seed, json, quiet, force;
    bool log_requests; /* run alone */
};

/* Keys below 256 are their own short options. */
enum options_key {
    OPTIONS_HELP = 'h',
    OPTIONS_OUTPUT = 'o',
    OPTIONS_QUIET = 'q',
    OPTIONS_SET = 256,
    OPTIONS_SEED,
    OPTIONS_VARIANT,
    OPTIONS_FORMAT,
    OPTIONS_FORCE,
    OPTIONS_OWN = 512 /* first key of a verb's own options */
};

#define OPTIONS_ROW_SET \
    { "set", OPTIONS_SET, "PATH=VALUE", 0, "Replace one value; may be repeated", 0 }
#define OPTIONS_ROW_SEED \
    { "seed", OPTIONS_SEED, "N", 0, "Seed of the random streams (default: the scenario's)", 0 }
#define OPTIONS_ROW_VARIANT \
    { "variant", OPTIONS_VARIANT, "NAME", 0, "One of the scenario's variants (default: base)", 0 }
#define OPTIONS_ROW_OUTPUT(file, what) \
    { "output", OPTIONS_OUTPUT, file, 0, what, 0 }
#define OPTIONS_ROW_FORCE \
    { "force", OPTIONS_FORCE, NULL, 0, "Replace an existing output file", 0 }
#define OPTIONS_ROW_FORMAT \
    { "format", OPTIONS_FORMAT, "text|json", 0, "How to print the result (default: text)", 0 }
#define OPTIONS_ROW_QUIET \
    { "quiet", OPTIONS_QUIET, NULL, 0, "No progress, no hints", 0 }
/* Last row but one of every verb: argp's own help has no -h. */
#define OPTIONS_ROW_HELP \
    { NULL, OPTIONS_HELP, NULL, OPTION_HIDDEN, NULL, 0 }

/* Reads a verb's command line into `input`. Never returns from wrong usage or want of memory. */
void options_read(const struct argp *argp, int argc, char **argv, void *input);
/* Takes the keys above and the positional argument; anything else is ARGP_ERR_UNKNOWN. */
error_t options_parse(int key, char *arg, struct argp_state *state, struct cli_options *options);
void options_free(struct cli_options *options);
/* What the user typed, quoted for a shell: the caller frees it; NULL when memory is short. */
char *options_command(int argc, char **argv);

/* ---- style.c: how the program talks ---- */

/* Before anything else: streams 0 to 2 are open, a closed pipe is an error and no signal, standard
 * output is checked at exit. */
void style_start(void);
/* Colour on standard output: a terminal, no NO_COLOR, not a dumb one. */
bool style_colour(void);
int style_columns(void);
/* Prints "ddbsim: ..." and the hint on a line of its own; returns the exit code. */
int style_fail(const struct ddbsim_error *error);
/* Talk for whoever looks: nothing when quiet. */
void style_say(bool quiet, const char *format, ...) DDBSIM_PRINTF(2, 3);
/* The name among name_of(0), name_of(1), ... that comes closest; NULL when none is near. */
const char *style_nearest(const char *name, const char *(*name_of)(int));
/* Wall-clock time `t_s` seconds after a scenario's start, with the date where the run is long. */
void style_clock(const struct ddbsim_scenario *scenario, double t_s, char *buffer, size_t size);

/* ---- signals.c ---- */

/* From here on SIGINT and SIGTERM ask the run to stop; a second one ends the program at once. */
const volatile sig_atomic_t *signals_catch(void);

/* ---- progress.c ---- */

struct progress {
    const struct ddbsim_scenario *scenario;
    const char *label; /* before the bar; "" for none */
    bool on, drawn;
    int64_t began_ns, drawn_ns; /* of the machine's clock */
};

void progress_start(struct progress *progress, const struct ddbsim_scenario *scenario,
                    const char *label, bool quiet);
struct study_progress progress_ticker(struct progress *progress);
void progress_end(struct progress *progress);

/* ---- subject.c: what a verb is about ---- */

/* A scenario by file, "-" or gallery name, with --set and --variant applied. */
/* Says which operations AWS refuses as they stand. */
void subject_warn(const struct ddbsim_scenario *scenario, bool quiet);
DDBSIM_MUST_CHECK enum ddbsim_status subject_load(const struct cli_options *options,
                                                  const char *variant, struct ddbsim_scenario **out,
                                                  struct ddbsim_error *error);

/* Another variant of a loaded scenario, from the text it was loaded from: standard input can be
 * read but once. */
DDBSIM_MUST_CHECK enum ddbsim_status
subject_load_variant(const struct cli_options *options, const struct ddbsim_scenario *base,
                     const char *variant, struct ddbsim_scenario **out, struct ddbsim_error *error);

struct subject_study {
    int64_t study_id;
    const char *command;
};

/* Is it one file under two names? */
bool subject_same_file(const char *a, const char *b);
/* Announces a study of runs in an open database. */
void subject_add_study(struct log_writer *writer, const struct subject_study *study);

struct subject_simulation {
    const struct ddbsim_scenario *scenario;
    uint64_t seed;
    int64_t study_id;
    struct log_writer *writer;
    const char *label;
    bool quiet, log_requests;
};

/* Runs it under a progress bar, until its end or a signal. */
DDBSIM_MUST_CHECK enum ddbsim_status subject_simulate(const struct subject_simulation *simulation,
                                                      struct study_run_result *result,
                                                      struct ddbsim_error *error);

/* A finished run to look at: of a database, or of a scenario that was run for it. */
struct subject {
    struct sqlite3 *database;
    int64_t run_id;
    struct ddbsim_scenario *scenario; /* NULL: it came as a database */
    struct log_writer *writer;        /* owns the database of a scenario */
    bool interrupted;
};

/* Opens the database, or loads the scenario; nothing is simulated yet. */
DDBSIM_MUST_CHECK enum ddbsim_status subject_open(const struct cli_options *options,
                                                  struct subject *out, struct ddbsim_error *error);
/* Runs the scenario, if it is one, into memory. */
DDBSIM_MUST_CHECK enum ddbsim_status subject_run(struct subject *subject,
                                                 const struct cli_options *options,
                                                 const char *command, struct ddbsim_error *error);
void subject_close(struct subject *subject);
/* "NAME" or "NAME-VARIANT": how results of this scenario are named. */
void subject_stem(const struct ddbsim_scenario *scenario, char *buffer, size_t size);
/* What a command on this run's scenario must name, and what the reader must know of it (NULL:
 * nothing); both for free(). */
struct subject_source {
    char *name, *note;
};
DDBSIM_MUST_CHECK enum ddbsim_status subject_source(const struct cli_options *options,
                                                    const struct subject *subject,
                                                    struct subject_source *out,
                                                    struct ddbsim_error *error);
/* After a file could not be made: says so where its folder is not there. */
void subject_hint_folder(const char *path, struct ddbsim_error *error);
/* What is run, from and to, on the wall clock. */
struct subject_span {
    int64_t duration_s;
    char from[32], to[32];
};
DDBSIM_MUST_CHECK enum ddbsim_status
subject_span(const struct subject *subject, struct subject_span *out, struct ddbsim_error *error);
/* Fails, with a list, when the name is no table of the scenario or run. */
DDBSIM_MUST_CHECK enum ddbsim_status
subject_check_table(const struct subject *subject, const char *name, struct ddbsim_error *error);
/* A moment as a scenario writes it, in whole seconds after the run's start. `option` names it in
 * messages. */
DDBSIM_MUST_CHECK enum ddbsim_status subject_moment(const struct subject *subject,
                                                    const char *option, const char *text,
                                                    int64_t *t_s, struct ddbsim_error *error);

/* ---- conditions.c: thresholds and expectations in words ---- */

/* A value in the condition's unit, such as "4.1 %" or "18:17:05"; "nothing observed" for NaN. */
void condition_value(const struct ddbsim_condition *condition,
                     const struct ddbsim_scenario *scenario, double value, char *buffer,
                     size_t size);

#endif
