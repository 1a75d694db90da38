/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Charts: reads what a chart needs, opens the canvas, draws, writes. The one table of charts is
 * here; a chart of its own file joins it by a line.
 */
#include <plots/canvas.h>
#include <plots/chart.h>
#include <plots/plots.h>

#include <base/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct chart_kind charts[] = {
    {"heat", "load of every partition over time: what is hot, what was refused", 960, 600,
     chart_heat_draw},
    {"capacity", "consumed against provisioned capacity, the second under the minute", 960, 600,
     chart_capacity_draw},
    {"tokens", "capacity saved for bursts, and when it ran out", 960, 600, chart_tokens_draw},
};
#define CHART_COUNT ((int)(sizeof charts / sizeof charts[0]))

const char *plots_chart_name(int number) {
    return number >= 0 && number < CHART_COUNT ? charts[number].name : NULL;
}

const char *plots_chart_what(int number) {
    return number >= 0 && number < CHART_COUNT ? charts[number].what : NULL;
}

static const struct chart_kind *find_chart(const char *name, struct ddbsim_error *error) {
    char names[256] = "";
    for (int i = 0; i < CHART_COUNT; i++) {
        if (!name || strcmp(charts[i].name, name) == 0) return &charts[i];
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", charts[i].name);
    }
    (void)error_set(error, DDBSIM_INPUT, "no chart '%.200s'", name);
    error_hint(error, "charts: %s", names);
    return NULL;
}

static void fill_texts(struct chart *chart) {
    const struct query_run *run = &chart->data.run;
    const struct labels *labels = &chart->page.labels;
    char seed[32], hash[9] = "", scenario[CHART_NAME_BYTES], variant[CHART_NAME_BYTES], version[64];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->seed);
    text_clean(run->input_hash, hash, sizeof hash);
    text_clean(run->scenario, scenario, sizeof scenario);
    text_clean(run->variant, variant, sizeof variant);
    text_clean(run->version, version, sizeof version);
    label_fill(labels, LABEL_PROVENANCE, chart->provenance, scenario, variant, seed, LABEL_END);
    label_fill(labels, LABEL_FOOTER, chart->footer, version, hash, LABEL_END);
}

static enum ddbsim_status draw_and_write(struct chart *chart, const struct chart_kind *kind,
                                         struct canvas *canvas, struct ddbsim_error *error) {
    char description[2 * LABEL_BYTES + 8];
    fill_texts(chart);
    enum ddbsim_status status = kind->draw(chart, error);
    if (status != DDBSIM_OK) return status;
    snprintf(description, sizeof description, "%s. %s", chart->what, chart->provenance);
    return canvas_finish(canvas, chart->title, description, error);
}

/* The context must not outlive the canvas, nor the fonts be freed while it draws. */
static enum ddbsim_status draw_on(struct chart *chart, const struct chart_kind *kind,
                                  const struct plots_options *options, const char *path, bool force,
                                  struct ddbsim_error *error) {
    struct canvas *canvas = NULL;
    struct text_fonts fonts = {NULL, NULL};
    int width = options && options->width ? options->width : kind->width;
    int height = options && options->height ? options->height : kind->height;
    enum ddbsim_status status = canvas_create(path, force, width, height, &canvas, error);
    if (status == DDBSIM_OK) status = text_fonts_load(&fonts, error);
    if (status == DDBSIM_OK) {
        cairo_t *cr = canvas_cairo(canvas);
        chart->page = (struct page){.cr = cr,
                                    .pen = {cr, &fonts},
                                    .theme = theme_get(options && options->dark),
                                    .labels = labels_get(options && options->spanish),
                                    .width = width,
                                    .height = height};
        status = draw_and_write(chart, kind, canvas, error);
    }
    canvas_destroy(canvas);
    text_fonts_free(&fonts);
    return status;
}

enum ddbsim_status plots_draw(struct sqlite3 *database, int64_t run_id,
                              const struct plots_options *options, const char *path, bool force,
                              struct ddbsim_error *error) {
    const struct chart_kind *kind = find_chart(options ? options->chart : NULL, error);
    if (!kind) return DDBSIM_INPUT;
    struct chart *chart = calloc(1, sizeof *chart);
    if (!chart) return error_memory(error);
    enum ddbsim_status status = chart_data_load(database, run_id, options, &chart->data, error);
    if (status == DDBSIM_OK) status = draw_on(chart, kind, options, path, force, error);
    chart_data_free(&chart->data);
    free(chart);
    return status;
}
