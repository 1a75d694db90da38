/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `ddbsim list KIND`: what there is, from the tables that the program itself works with. A kind is
 * a list of rows of named cells; text and JSON are printed from the same rows.
 */
#include "cli.h"

#include <base/error.h>
#include <import/import.h>
#include <inttypes.h>
#include <loader/client.h>
#include <loader/literal.h>
#include <loader/loader.h>
#include <plots/export.h>
#include <plots/plots.h>
#include <plots/tojson.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/recording.h>

enum { CELLS_MAX = 12, CELL_BYTES = 320 };

struct list_row {
    struct ddbsim_error *error; /* filled where a row could not be made */
    char cells[CELLS_MAX][CELL_BYTES];
};

struct list_kind {
    const char *name, *what;
    const char *columns[CELLS_MAX];                /* NULL after the last */
    bool (*row)(int number, struct list_row *row); /* false past the end, or failed */
};

static void put(struct list_row *row, int cell, const char *text) {
    snprintf(row->cells[cell], CELL_BYTES, "%s", text ? text : "");
}

static bool scenario_row(int number, struct list_row *row) {
    return loader_gallery(number, row->cells[0], CELL_BYTES, row->cells[1], CELL_BYTES, row->error);
}

/* A field of a client as a scenario would write it. */
static void put_field(struct list_row *row, int cell, const struct ddbsim_client *client,
                      enum grammar_section section, const char *key) {
    const struct client_field *field;
    for (size_t i = 0; (field = client_field(i)); i++)
        if (field->section == section && !strcmp(field->key, key))
            grammar_put(grammar_find(section, key), client_get(client, field), row->cells[cell],
                        CELL_BYTES);
}

/* "500: 14/5/14": its capacity, and what a retry costs by the class of the error. */
static void put_quota(struct list_row *row, int cell, const struct ddbsim_retry_quota *quota) {
    snprintf(row->cells[cell], CELL_BYTES, "none");
    if (quota->enabled)
        snprintf(row->cells[cell], CELL_BYTES, "%" PRId64 ": %" PRId64 "/%" PRId64 "/%" PRId64,
                 quota->capacity, quota->retry_cost, quota->throttling_retry_cost,
                 quota->timeout_retry_cost);
}

static bool preset_row(int number, struct list_row *row) {
    const struct ddbsim_preset *preset = ddbsim_preset(number);
    if (!preset) return false;
    const struct ddbsim_client *client = &preset->client;
    put(row, 0, preset->name);
    put_field(row, 1, client, SECTION_CLIENT, "retry_mode");
    put_field(row, 2, client, SECTION_CLIENT, "max_attempts");
    put_field(row, 3, client, SECTION_BACKOFF, "jitter");
    put_field(row, 4, client, SECTION_BACKOFF, "base");
    put_field(row, 5, client, SECTION_BACKOFF, "throttling_base");
    put_field(row, 6, client, SECTION_BACKOFF, "max_backoff");
    put_quota(row, 7, &client->quota);
    put(row, 8, preset->what);
    put(row, 9, preset->source);
    put(row, 10, preset->unverified ? preset->unverified : "nothing");
    return true;
}

static bool chart_row(int number, struct list_row *row) {
    const char *name = plots_chart_name(number);
    put(row, 0, name);
    put(row, 1, name ? plots_chart_what(number) : NULL);
    return name != NULL;
}

/* A run's outcomes first, then CloudWatch's metrics: both serve in thresholds and expectations. */
static bool metric_row(int number, struct list_row *row) {
    bool outcome = number < DDBSIM_OUTCOME_KINDS;
    int metric = number - DDBSIM_OUTCOME_KINDS;
    const char *name = outcome ? ddbsim_outcome_name(number) : ddbsim_metric_name(metric);
    if (!name) return false;
    put(row, 0, name);
    put(row, 1, outcome ? ddbsim_outcome_unit(number) : ddbsim_metric_unit(metric));
    put(row, 2, outcome ? "run" : "CloudWatch");
    put(row, 3, outcome ? ddbsim_outcome_what(number) : ddbsim_metric_what(metric));
    return true;
}

static bool reason_row(int number, struct list_row *row) {
    const char *name = ddbsim_reason_name(number);
    if (!name) return false;
    put(row, 0, name);
    put(row, 1, ddbsim_reason_is_index(number) ? "index" : "table");
    put(row, 2, ddbsim_reason_is_write(number) ? "write" : "read");
    put(row, 3, ddbsim_reason_exception(number, false));
    put(row, 4, ddbsim_reason_exception(number, true));
    return true;
}

static bool assumption_row(int number, struct list_row *row) {
    struct loader_assumption assumption;
    if (!loader_assumption(number, &assumption)) return false;
    put(row, 0, assumption.name);
    put(row, 1, assumption.value);
    put(row, 2, assumption.low);
    put(row, 3, assumption.high);
    put(row, 4, assumption.rule);
    put(row, 5, assumption.what);
    return true;
}

static bool rule_row(int number, struct list_row *row) {
    struct loader_rule rule;
    if (!loader_rule(number, &rule)) return false;
    put(row, 0, rule.year);
    put(row, 1, rule.key);
    put(row, 2, rule.assumption);
    put(row, 3, rule.value);
    return true;
}

static bool cause_row(int number, struct list_row *row) {
    const char *name = ddbsim_cause_name(number);
    put(row, 0, name);
    put(row, 1, name ? ddbsim_cause_what(number) : NULL);
    return name != NULL;
}

static bool event_row(int number, struct list_row *row) {
    const char *name = ddbsim_event_name(number);
    put(row, 0, name);
    put(row, 1, name ? ddbsim_event_what(number) : NULL);
    return name != NULL;
}

static const char *import_name(int number, const char **what) {
    const struct import_kind *kind = import_kind((size_t)number);
    *what = kind ? kind->what : NULL;
    return kind ? kind->name : NULL;
}

static const char *replay_name(int number, const char **what) {
    return recording_format_name((size_t)number, what);
}

static const char *export_name(int number, const char **what) {
    const char *name = export_format_name(number);
    *what = name ? export_format_what(number) : NULL;
    return name;
}

/* The formats of one verb after those of another. */
static bool format_row(int number, struct list_row *row) {
    static const struct {
        const char *verb;
        const char *(*name)(int number, const char **what);
    } verbs[] = {{"import", import_name}, {"replay", replay_name}, {"export", export_name}};
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++) {
        const char *what;
        for (int k = 0; verbs[i].name(k, &what); k++) {
            if (number-- > 0) continue;
            put(row, 0, verbs[i].name(k, &what));
            put(row, 1, verbs[i].verb);
            put(row, 2, what);
            return true;
        }
    }
    return false;
}

static const struct list_kind kinds[] = {
    {"scenarios", "that ship with the program", {"name", "title"}, scenario_row},
    {"presets",
     "of retry policies: what each SDK does",
     {"name", "mode", "attempts", "jitter", "base", "throttling_base", "max_backoff", "quota",
      "what", "source", "unverified"},
     preset_row},
    {"charts", "that plot draws", {"name", "what"}, chart_row},
    {"metrics", "for thresholds and expectations", {"name", "unit", "from", "what"}, metric_row},
    {"reasons",
     "why DynamoDB throttles, and the exception that says so",
     {"name", "resource", "direction", "provisioned", "on_demand"},
     reason_row},
    {"assumptions",
     "of the model, to set under `model:'",
     {"name", "value", "low", "high", "rule", "what"},
     assumption_row},
    {"rules",
     "of other years: what `rules`, or `alarms` under `model:', puts in place of a default",
     {"name", "key", "assumption", "value"},
     rule_row},
    {"causes", "that explain names", {"name", "what"}, cause_row},
    {"events", "that a run records", {"name", "what"}, event_row},
    {"formats", "that import reads and export writes", {"name", "verb", "what"}, format_row},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char *kind_name(int number) {
    return number >= 0 && number < KINDS ? kinds[number].name : NULL;
}

static int count_rows(const struct list_kind *kind, struct ddbsim_error *error) {
    struct list_row row = {.error = error};
    int count = 0;
    while (kind->row(count, &row))
        count++;
    return count;
}

/* What there is, as a kind of its own. */
static bool kind_row(int number, struct list_row *row) {
    if (!kind_name(number)) return false;
    put(row, 0, kinds[number].name);
    snprintf(row->cells[1], CELL_BYTES, "%d", count_rows(&kinds[number], row->error));
    put(row, 2, kinds[number].what);
    return true;
}

static const struct list_kind all_kinds = {"kinds", "", {"name", "count", "what"}, kind_row};

static int column_count(const struct list_kind *kind) {
    int count = 0;
    while (count < CELLS_MAX && kind->columns[count])
        count++;
    return count;
}

static void print_cells(const char *const *cells, int columns, const int *widths) {
    for (int i = 0; i < columns; i++) {
        fputs(cells[i], stdout);
        if (i + 1 < columns) printf("%*s", widths[i] - words_width(cells[i]) + 2, "");
    }
    putchar('\n');
}

static void measure(const struct list_kind *kind, int columns, int *widths,
                    struct ddbsim_error *error) {
    struct list_row row = {.error = error};
    for (int i = 0; i < columns; i++)
        widths[i] = words_width(kind->columns[i]);
    for (int number = 0; kind->row(number, &row); number++) {
        for (int i = 0; i < columns; i++) {
            int width = words_width(row.cells[i]);
            if (width > widths[i]) widths[i] = width;
        }
    }
}

static enum ddbsim_status print_text(const struct list_kind *kind, struct ddbsim_error *error) {
    int columns = column_count(kind), widths[CELLS_MAX];
    struct list_row row = {.error = error};
    measure(kind, columns, widths, error);
    if (error->status != DDBSIM_OK) return error->status;
    print_cells(kind->columns, columns, widths);
    for (int number = 0; kind->row(number, &row); number++) {
        const char *cells[CELLS_MAX];
        for (int i = 0; i < columns; i++)
            cells[i] = row.cells[i];
        print_cells(cells, columns, widths);
    }
    return error->status;
}

static enum ddbsim_status print_json(const struct list_kind *kind, struct ddbsim_error *error) {
    int columns = column_count(kind);
    struct list_row row = {.error = error};
    json_t *rows = json_array();
    for (int number = 0; kind->row(number, &row); number++) {
        json_t *object = json_object();
        for (int i = 0; i < columns; i++)
            object = tojson_set(object, kind->columns[i], tojson_text(row.cells[i]));
        rows = tojson_append(rows, object);
    }
    if (error->status == DDBSIM_OK) return tojson_print(rows, stdout, error);
    json_decref(rows);
    return error->status;
}

static enum ddbsim_status find_kind(const char *name, const struct list_kind **out,
                                    struct ddbsim_error *error) {
    int number = ddbsim_name_find(kind_name, name);
    if (number >= 0) {
        *out = &kinds[number];
        return DDBSIM_OK;
    }
    const char *near = style_nearest(name, kind_name);
    error_set(error, DDBSIM_INPUT, "nothing to list under '%s'", name);
    if (near) {
        error_hint(error, "did you mean `ddbsim list %s'?", near);
    } else {
        error_hint(error, "`ddbsim list' names the kinds");
    }
    return DDBSIM_INPUT;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    return options_parse(key, arg, state, state->input);
}

int cmd_list(int argc, char **argv) {
    static const struct argp_option rows[] = {OPTIONS_ROW_FORMAT, OPTIONS_ROW_HELP, {0}};
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "[KIND]",
        .doc = "Name what there is. Without KIND: the kinds, and how many there are of each.",
    };
    struct cli_options options = {.argument_name = "KIND", .argument_optional = true};
    options_read(&argp, argc, argv, &options);
    struct ddbsim_error error = {0};
    const struct list_kind *kind = &all_kinds;
    enum ddbsim_status status = DDBSIM_OK;
    if (options.argument) status = find_kind(options.argument, &kind, &error);
    if (status == DDBSIM_OK)
        status = options.json ? print_json(kind, &error) : print_text(kind, &error);
    options_free(&options);
    return status == DDBSIM_OK ? DDBSIM_OK : style_fail(&error);
}
