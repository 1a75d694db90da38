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
     chart_heat_draw, chart_heat_fit},
    {"capacity", "consumed against provisioned capacity, the second under the minute", 960, 600,
     chart_capacity_draw, NULL},
    {"tokens", "capacity saved for bursts, and when it ran out", 960, 600, chart_tokens_draw, NULL},
    {"lineage", "how partitions split: when, why, and what it did to their load", 960, 600,
     chart_lineage_draw, NULL},
    {"alarms", "which alarms rang, and how long before or after the first refusal", 960, 600,
     chart_alarms_draw, chart_alarms_fit},
    {"write-cost", "what one write costs the table and each index, and how many they carry", 960,
     600, chart_write_cost_draw, chart_write_cost_fit},
    {"placement", "where each hot key lies among the partitions, and what it meets there", 960, 600,
     chart_placement_draw, NULL},
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

#define PATH_STEPS 2 /* of a setting's path that stand in a picture */
#define VALUE_BYTES 32

/* tables.orders.write_capacity as …orders.write_capacity: the last steps, with what is quoted in
 * them whole. */
static const char *path_end(const char *path) {
    bool quoted = false;
    int dots = 0;
    const char *starts[PATH_STEPS + 1] = {path};
    for (const char *at = path; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (*at != '.' || quoted) continue;
        dots++;
        memmove(starts + 1, starts, PATH_STEPS * sizeof *starts);
        starts[0] = at + 1;
    }
    return dots < PATH_STEPS ? path : starts[PATH_STEPS - 1];
}

static void setting_text(const char *path, const char *value, char out[LABEL_BYTES]) {
    char clean_path[CHART_NAME_BYTES], clean_value[VALUE_BYTES];
    text_clean(path_end(path), clean_path, sizeof clean_path);
    text_clean(value, clean_value, sizeof clean_value);
    bool cut = strlen(value) >= sizeof clean_value;
    snprintf(out, LABEL_BYTES, "%s%s=%s%s", path_end(path) != path ? "\xe2\x80\xa6" : "",
             clean_path, clean_value, cut ? "\xe2\x80\xa6" : "");
}

/* The first setting that the run changed, and how many more; empty: none. */
static enum ddbsim_status settings_text(const struct chart *chart, char out[LABEL_BYTES],
                                        struct ddbsim_error *error) {
    char first[LABEL_BYTES], more[LABEL_NUMBER_BYTES];
    struct query query;
    out[0] = '\0';
    query_open(&query, chart->data.database, error,
               "SELECT path, value, count(*) OVER () - 1 FROM varied WHERE run_id = ?1"
               " ORDER BY path LIMIT 1",
               "i", chart->data.run.run_id);
    if (query_next(&query)) {
        setting_text(query_text(&query, 0), query_text(&query, 1), first);
        label_number(&chart->page.labels, query_double(&query, 2), 0, more);
        snprintf(out, LABEL_BYTES, "%s", first);
        if (query_int(&query, 2) > 0)
            label_fill(&chart->page.labels, LABEL_PROVENANCE_SETTINGS, out, first, more, LABEL_END);
    }
    return query_close(&query);
}

/* What a named variant sets is its own; what stands in base came from options. */
static enum ddbsim_status variant_text(const struct chart *chart, char out[LABEL_BYTES],
                                       struct ddbsim_error *error) {
    char variant[CHART_NAME_BYTES], settings[LABEL_BYTES];
    text_clean(chart->data.run.variant, variant, sizeof variant);
    enum ddbsim_status status = settings_text(chart, settings, error);
    bool base = strcmp(variant, "base") == 0;
    const char *before = !settings[0] ? "" : base ? " + " : " (";
    snprintf(out, LABEL_BYTES, "%s%s%.250s%s", variant, before, settings,
             settings[0] && !base ? ")" : "");
    return status;
}

static enum ddbsim_status fill_texts(struct chart *chart, struct ddbsim_error *error) {
    const struct query_run *run = &chart->data.run;
    const struct labels *labels = &chart->page.labels;
    char seed[32], hash[9] = "", scenario[CHART_NAME_BYTES], variant[LABEL_BYTES], version[64];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)run->seed);
    text_clean(run->input_hash, hash, sizeof hash);
    text_clean(run->scenario, scenario, sizeof scenario);
    enum ddbsim_status status = variant_text(chart, variant, error);
    text_clean(run->version, version, sizeof version);
    label_fill(labels, LABEL_PROVENANCE, chart->provenance, scenario, variant, seed, LABEL_END);
    label_fill(labels, LABEL_FOOTER, chart->footer, version, hash, LABEL_END);
    return status;
}

static enum ddbsim_status draw_and_write(struct chart *chart, const struct chart_kind *kind,
                                         struct canvas *canvas, struct ddbsim_error *error) {
    char description[2 * LABEL_BYTES + 8];
    enum ddbsim_status status = fill_texts(chart, error);
    if (status == DDBSIM_OK) status = kind->draw(chart, error);
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
    bool fits = kind->fit && !(options && options->height);
    enum ddbsim_status status =
        fits ? kind->fit(&chart->data, kind->height, &height, error) : DDBSIM_OK;
    if (status == DDBSIM_OK) status = canvas_create(path, force, width, height, &canvas, error);
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
