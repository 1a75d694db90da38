/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `ddbsim plot X`: one chart of a run. What can be refused is refused before a scenario is run. */
#include "cli.h"

#include <base/error.h>
#include <plots/canvas.h>
#include <plots/plots.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>

#define CHART_DEFAULT "heat"

enum plot_key {
    PLOT_CHART = OPTIONS_OWN,
    PLOT_DARK,
    PLOT_LANG,
    PLOT_SIZE,
    PLOT_TABLE,
    PLOT_FROM,
    PLOT_TO
};

struct plot {
    struct cli_options common;
    struct plots_options draw;
    const char *from, *to;
};

static const struct argp_option rows[] = {
    {"chart", PLOT_CHART, "NAME", 0, "Which chart: see `ddbsim list charts' (default: heat)", 0},
    OPTIONS_ROW_OUTPUT("FILE", "A .png, .svg or .pdf file (default: NAME-CHART.png)"),
    OPTIONS_ROW_FORCE,
    {"table", PLOT_TABLE, "NAME", 0, "Which table (default: the one with most throttles)", 0},
    {"from", PLOT_FROM, "TIME", 0, "Begin at 18:00, +2h30m after the start, or an ISO 8601 time",
     0},
    {"to", PLOT_TO, "TIME", 0, "End at that time", 0},
    {"size", PLOT_SIZE, "WxH", 0, "Width and height in points", 0},
    {"dark", PLOT_DARK, NULL, 0, "Light on dark", 0},
    {"lang", PLOT_LANG, "en|es", 0, "Language of the chart (default: en)", 0},
    OPTIONS_ROW_VARIANT,
    OPTIONS_ROW_SET,
    OPTIONS_ROW_SEED,
    OPTIONS_ROW_QUIET,
    OPTIONS_ROW_HELP,
    {0},
};

static void take_lang(const char *arg, struct argp_state *state, struct plots_options *draw) {
    draw->spanish = strcmp(arg, "es") == 0;
    if (!draw->spanish && strcmp(arg, "en") != 0) {
        argp_error(state, "--lang: en or es, not '%s'", arg);
    }
}

/* The range is the canvas's business. */
static void take_size(const char *arg, struct argp_state *state, struct plots_options *draw) {
    int used = 0;
    if (sscanf(arg, "%5dx%5d%n", &draw->width, &draw->height, &used) != 2 || arg[used] ||
        draw->width <= 0 || draw->height <= 0) {
        argp_error(state, "--size: such as 960x600, not '%s'", arg);
    }
}

/* The dispatch over the verb's own keys. */
static error_t parse(int key, char *arg, struct argp_state *state) {
    struct plot *plot = state->input;
    switch (key) {
    case PLOT_CHART:
        plot->draw.chart = arg;
        return 0;
    case PLOT_DARK:
        plot->draw.dark = true;
        return 0;
    case PLOT_LANG:
        take_lang(arg, state, &plot->draw);
        return 0;
    case PLOT_SIZE:
        take_size(arg, state, &plot->draw);
        return 0;
    case PLOT_TABLE:
        plot->draw.table = arg;
        return 0;
    case PLOT_FROM:
        plot->from = arg;
        return 0;
    case PLOT_TO:
        plot->to = arg;
        return 0;
    default:
        return options_parse(key, arg, state, &plot->common);
    }
}

static enum ddbsim_status check_chart(const char *chart, struct ddbsim_error *error) {
    if (ddbsim_name_find(plots_chart_name, chart) >= 0) return DDBSIM_OK;
    const char *near = style_nearest(chart, plots_chart_name);
    char names[128] = "";
    for (int i = 0; plots_chart_name(i); i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", plots_chart_name(i));
    }
    error_set(error, DDBSIM_INPUT, "no chart '%s'", chart);
    if (near) {
        error_hint(error, "did you mean '%s'?", near);
    } else {
        error_hint(error, "the charts are: %s", names);
    }
    return DDBSIM_INPUT;
}

/* A time of day before the start is the next day's, so it may lie far behind the end. */
static enum ddbsim_status check_span(const struct plot *plot, const struct subject *subject,
                                     struct ddbsim_error *error) {
    struct subject_span span;
    enum ddbsim_status status = subject_span(subject, &span, error);
    if (status != DDBSIM_OK) return status;
    bool from = plot->from && plot->draw.from_s >= span.duration_s;
    bool to = plot->to && plot->draw.to_s <= 0;
    if (!from && !to) return DDBSIM_OK;
    error_set(error, DDBSIM_INPUT, "%s %s lies outside the run", from ? "--from" : "--to",
              from ? plot->from : plot->to);
    error_hint(error, "it goes from %s to %s", span.from, span.to);
    return DDBSIM_INPUT;
}

static enum ddbsim_status read_times(struct plot *plot, const struct subject *subject,
                                     struct ddbsim_error *error) {
    struct plots_options *draw = &plot->draw;
    enum ddbsim_status status = DDBSIM_OK;
    draw->from_s = draw->to_s = INT64_MIN;
    if (plot->from) status = subject_moment(subject, "--from", plot->from, &draw->from_s, error);
    if (status == DDBSIM_OK && plot->to) {
        status = subject_moment(subject, "--to", plot->to, &draw->to_s, error);
    }
    if (status != DDBSIM_OK) return status;
    if (plot->from && plot->to && draw->from_s >= draw->to_s) {
        return error_set(error, DDBSIM_INPUT, "--from %s is not before --to %s", plot->from,
                         plot->to);
    }
    return check_span(plot, subject, error);
}

/* A database's own name, or the scenario's; with the variant where one was chosen. */
static void choose_output(const struct plot *plot, const struct subject *subject, char *path,
                          size_t size) {
    const struct cli_options *common = &plot->common;
    char stem[1024];
    if (common->output) {
        snprintf(path, size, "%s", common->output);
        return;
    }
    if (subject->scenario) {
        subject_stem(subject->scenario, stem, sizeof stem);
    } else {
        const char *slash = strrchr(common->argument, '/');
        const char *base = slash ? slash + 1 : common->argument;
        size_t length = strlen(base);
        if (length > 3 && strcmp(base + length - 3, ".db") == 0) length -= 3;
        snprintf(stem, sizeof stem, "%.*s", (int)length, base);
        if (common->variant) words_append_slug(common->variant, stem, sizeof stem);
    }
    snprintf(path, size, "%s-%s.png", stem, plot->draw.chart);
}

/* Nothing is drawn: a canvas that can be made can be written later. */
static enum ddbsim_status check_output(const struct plot *plot, const char *path,
                                       struct ddbsim_error *error) {
    struct canvas *canvas = NULL;
    int width = plot->draw.width ? plot->draw.width : CANVAS_LEAST;
    int height = plot->draw.height ? plot->draw.height : CANVAS_LEAST;
    enum ddbsim_status status =
        canvas_create(path, plot->common.force, width, height, &canvas, error);
    canvas_destroy(canvas);
    subject_hint_folder(path, error);
    return status;
}

static enum ddbsim_status draw(struct plot *plot, const char *command, struct subject *subject,
                               struct ddbsim_error *error) {
    char path[4096];
    choose_output(plot, subject, path, sizeof path);
    enum ddbsim_status status = check_output(plot, path, error);
    if (status == DDBSIM_OK) status = read_times(plot, subject, error);
    if (status == DDBSIM_OK && plot->draw.table)
        status = subject_check_table(subject, plot->draw.table, error);
    if (status == DDBSIM_OK) status = subject_run(subject, &plot->common, command, error);
    if (status == DDBSIM_OK) {
        status = plots_draw(subject->database, subject->run_id, &plot->draw, path,
                            plot->common.force, error);
        subject_hint_folder(path, error);
    }
    if (status != DDBSIM_OK) return status;
    style_say(plot->common.quiet, "wrote %s", path);
    return subject->interrupted ? DDBSIM_INTERRUPTED : DDBSIM_OK;
}

static enum ddbsim_status plot_subject(struct plot *plot, const char *command,
                                       struct ddbsim_error *error) {
    struct subject subject;
    enum ddbsim_status status = check_chart(plot->draw.chart, error);
    if (status == DDBSIM_OK) status = subject_open(&plot->common, &subject, error);
    if (status != DDBSIM_OK) return status;
    status = draw(plot, command, &subject, error);
    subject_close(&subject);
    return status;
}

int cmd_plot(int argc, char **argv) {
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "X",
        .doc = "Draw one chart of a run. X is a result database or a scenario, which is then run "
               "first.",
    };
    struct plot plot = {
        .common = {.argument_name = "X (a database or a scenario)"},
        .draw = {.chart = CHART_DEFAULT},
    };
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &plot);
    struct ddbsim_error error = {0};
    enum ddbsim_status status =
        command ? plot_subject(&plot, command, &error) : error_memory(&error);
    free(command);
    options_free(&plot.common);
    if (error.status != DDBSIM_OK) return style_fail(&error);
    return (int)status;
}
