/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ddbsim export X`: a run in other programs' formats. What can be refused is refused before a scenario is run. */
#include "cli.h"

#include <base/error.h>
#include <plots/export.h>
#include <plots/output.h>
#include <stdlib.h>
#include <string.h>

enum export_key { EXPORT_METRICS = OPTIONS_OWN, EXPORT_FROM, EXPORT_TO, EXPORT_KIND };

struct export_verb {
    struct cli_options common;
    struct export_options what;
    const char *format, *metrics, *from, *to;
};

static const struct argp_option rows[] = {
    {"format", EXPORT_KIND, "KIND", 0,
     "Which format: see `ddbsim list formats' (default: cloudwatch)", 0},
    OPTIONS_ROW_OUTPUT("FILE", "Write there (default: standard output)"),
    OPTIONS_ROW_FORCE,
    {"metrics", EXPORT_METRICS, "LIST", 0,
     "Only these, with commas: see `ddbsim list metrics' (default: all)", 0},
    {"from", EXPORT_FROM, "TIME", 0, "Begin at 18:00, +2h30m after the start, or an ISO 8601 time",
     0},
    {"to", EXPORT_TO, "TIME", 0, "End at that time", 0},
    OPTIONS_ROW_VARIANT,
    OPTIONS_ROW_SET,
    OPTIONS_ROW_SEED,
    OPTIONS_ROW_QUIET,
    OPTIONS_ROW_HELP,
    {0},
};

/* The dispatch over the verb's own keys. */
static error_t parse(int key, char *arg, struct argp_state *state) {
    struct export_verb *verb = state->input;
    switch (key) {
    case EXPORT_KIND:
        verb->format = arg;
        return 0;
    case EXPORT_METRICS:
        verb->metrics = arg;
        return 0;
    case EXPORT_FROM:
        verb->from = arg;
        return 0;
    case EXPORT_TO:
        verb->to = arg;
        return 0;
    default:
        return options_parse(key, arg, state, &verb->common);
    }
}

static enum ddbsim_status refuse(const char *what, const char *name, const char *(*name_of)(int),
                                 const char *list, struct ddbsim_error *error) {
    const char *near = style_nearest(name, name_of);
    error_set(error, DDBSIM_INPUT, "no %s '%.200s'", what, name);
    if (near)
        error_hint(error, "did you mean '%s'?", near);
    else
        error_hint(error, "what there is: ddbsim list %s", list);
    return DDBSIM_INPUT;
}

static enum ddbsim_status read_metrics(struct export_verb *verb, struct ddbsim_error *error) {
    char *list = strdup(verb->metrics), *rest = NULL;
    enum ddbsim_status status = list ? DDBSIM_OK : error_memory(error);
    if (list && strspn(list, ",") == strlen(list))
        status = error_set(error, DDBSIM_INPUT, "--metrics: the list is empty");
    for (char *name = list ? strtok_r(list, ",", &rest) : NULL; name && status == DDBSIM_OK;
         name = strtok_r(NULL, ",", &rest)) {
        int metric = ddbsim_name_find(ddbsim_metric_name, name);
        if (metric < 0)
            status = refuse("metric", name, ddbsim_metric_name, "metrics", error);
        else
            verb->what.metrics[metric] = true;
    }
    free(list);
    return status;
}

static enum ddbsim_status read_words(struct export_verb *verb, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    verb->what.format = ddbsim_name_find(export_format_name, verb->format);
    if (verb->what.format < 0)
        status = refuse("format", verb->format, export_format_name, "formats", error);
    if (status == DDBSIM_OK && verb->metrics) status = read_metrics(verb, error);
    if (status == DDBSIM_OK && verb->common.output)
        status = output_check(verb->common.output, verb->common.force, error);
    return status;
}

static enum ddbsim_status read_times(struct export_verb *verb, const struct subject *subject,
                                     struct ddbsim_error *error) {
    struct export_options *what = &verb->what;
    enum ddbsim_status status = DDBSIM_OK;
    if (verb->from) status = subject_moment(subject, "--from", verb->from, &what->from_s, error);
    if (status == DDBSIM_OK && verb->to)
        status = subject_moment(subject, "--to", verb->to, &what->to_s, error);
    if (status == DDBSIM_OK && what->from_s >= what->to_s)
        status =
            error_set(error, DDBSIM_INPUT, "--from %s is not before --to %s", verb->from, verb->to);
    return status;
}

static void say(const struct export_verb *verb, const struct export_counts *counts) {
    bool quiet = verb->common.quiet;
    if (verb->common.output)
        style_say(quiet, "wrote %s: %lld series, %lld datapoints", verb->common.output,
                  (long long)counts->series, (long long)counts->points);
    if (counts->left_out > 0)
        style_say(quiet,
                  "left out %lld metrics of replicas: an answer is of one Region; --format "
                  "metric-stream has them",
                  (long long)counts->left_out);
}

static enum ddbsim_status write_out(const struct export_verb *verb, const struct subject *subject,
                                    struct export_counts *counts, struct ddbsim_error *error) {
    struct output output = {0};
    const char *path = verb->common.output;
    if (!path)
        return export_run(subject->database, subject->run_id, &verb->what, stdout, counts, error);
    enum ddbsim_status status = output_open(path, &output, error);
    subject_hint_folder(path, error);
    if (status != DDBSIM_OK) return status;
    status =
        export_run(subject->database, subject->run_id, &verb->what, output.stream, counts, error);
    if (status == DDBSIM_OK) return output_close(&output, error);
    output_abandon(&output);
    return status;
}

static enum ddbsim_status export_subject(struct export_verb *verb, const char *command,
                                         struct ddbsim_error *error) {
    struct subject subject;
    struct export_counts counts = {0};
    enum ddbsim_status status = read_words(verb, error);
    if (status == DDBSIM_OK) status = subject_open(&verb->common, &subject, error);
    if (status != DDBSIM_OK) return status;
    status = read_times(verb, &subject, error);
    if (status == DDBSIM_OK) status = subject_run(&subject, &verb->common, command, error);
    if (status == DDBSIM_OK) status = write_out(verb, &subject, &counts, error);
    if (status == DDBSIM_OK) say(verb, &counts);
    bool interrupted = subject.interrupted;
    subject_close(&subject);
    return status == DDBSIM_OK && interrupted ? DDBSIM_INTERRUPTED : status;
}

int cmd_export(int argc, char **argv) {
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "X",
        .doc =
            "Write what CloudWatch would show of a run, in a format that other programs read. X is "
            "a result database or a scenario, which is then run first.",
    };
    struct export_verb verb = {
        .common = {.argument_name = "X (a database or a scenario)"},
        .what = {.from_s = INT64_MIN, .to_s = INT64_MAX},
        .format = export_format_name(0),
    };
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &verb);
    struct ddbsim_error error = {0};
    enum ddbsim_status status =
        command ? export_subject(&verb, command, &error) : error_memory(&error);
    free(command);
    options_free(&verb.common);
    if (error.status != DDBSIM_OK) return style_fail(&error);
    return (int)status;
}
