/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sink that keeps a run's rows in memory, for tests that check them against each other. */
#ifndef SUPPORT_RUN_ROWS_H
#define SUPPORT_RUN_ROWS_H

#include <ddbsim/ddbsim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_COLUMNS_MAX 24

struct row {
    enum ddbsim_log_table table;
    size_t count;
    struct ddbsim_value values[ROWS_COLUMNS_MAX]; /* texts are owned */
};

struct rows {
    struct row *rows;
    size_t count, capacity;
    struct ddbsim_totals totals;
};

static inline void rows_take(void *self, enum ddbsim_log_table table,
                             const struct ddbsim_value *values, size_t count) {
    struct rows *rows = self;
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity ? 2 * rows->capacity : 1024;
        rows->rows = realloc(rows->rows, rows->capacity * sizeof *rows->rows);
        if (!rows->rows) abort();
    }
    struct row *row = &rows->rows[rows->count++];
    row->table = table;
    row->count = count;
    for (size_t i = 0; i < count; i++) {
        row->values[i] = values[i];
        if (values[i].type == DDBSIM_VALUE_TEXT) row->values[i].as.text = strdup(values[i].as.text);
    }
}

static inline void rows_free(struct rows *rows) {
    for (size_t r = 0; r < rows->count; r++)
        for (size_t i = 0; i < rows->rows[r].count; i++)
            if (rows->rows[r].values[i].type == DDBSIM_VALUE_TEXT) {
                union {
                    const char *constant;
                    char *owned;
                } text = {rows->rows[r].values[i].as.text};
                free(text.owned);
            }
    free(rows->rows);
    *rows = (struct rows){0};
}

/* Runs a scenario given as text; exits the test program with the message where it does not load. */
static inline struct rows rows_run(const char *text, uint64_t seed) {
    struct rows rows = {0};
    struct ddbsim_sink sink = {.self = &rows, .row = rows_take};
    struct ddbsim_run_options options = {.seed = seed, .sink = &sink};
    struct ddbsim_load_options none = {0};
    struct ddbsim_scenario *scenario;
    struct ddbsim_run *run;
    struct ddbsim_error error = {0};
    enum ddbsim_status status =
        ddbsim_scenario_parse(text, strlen(text), "test.yaml", &none, &scenario, &error);
    if (status == DDBSIM_OK) status = ddbsim_run_create(scenario, &options, &run, &error);
    if (status == DDBSIM_OK) status = ddbsim_run_advance(run, scenario->duration_ns, &error);
    if (status == DDBSIM_OK) status = ddbsim_run_finish(run, &error);
    if (status != DDBSIM_OK) {
        char message[2048];
        ddbsim_error_format(&error, message, sizeof message);
        fprintf(stderr, "%s\n", message);
        abort();
    }
    rows.totals = ddbsim_run_totals(run);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
    return rows;
}

static inline double row_number(const struct row *row, size_t column) {
    const struct ddbsim_value *value = &row->values[column];
    return value->type == DDBSIM_VALUE_REAL      ? value->as.real
           : value->type == DDBSIM_VALUE_INTEGER ? (double)value->as.integer
                                                 : 0;
}
static inline const char *row_text(const struct row *row, size_t column) {
    return row->values[column].type == DDBSIM_VALUE_TEXT ? row->values[column].as.text : "";
}

/* Does a column hold a resource_id, a number that stands for a name? */
static inline bool row_names_resource(const struct row *row, size_t column) {
    switch ((int)row->table) {
    case DDBSIM_LOG_RESOURCE:
    case DDBSIM_LOG_METRIC:
    case DDBSIM_LOG_SECOND:
    case DDBSIM_LOG_THROTTLE:
    case DDBSIM_LOG_TOP_KEY:
    case DDBSIM_LOG_STORAGE:
        return column == 0;
    case DDBSIM_LOG_PARTITION:
        return column == 1;
    case DDBSIM_LOG_EVENT:
        return column == 3;
    default:
        return false;
    }
}

/* Sum of a column over the rows of a table whose column `key` (if not NULL) has the given text. */
static inline double rows_sum(const struct rows *rows, enum ddbsim_log_table table, size_t column,
                              size_t key_column, const char *key) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != table || (key && strcmp(row_text(row, key_column), key) != 0)) continue;
        sum += row_number(row, column);
    }
    return sum;
}

/* Sum over the minutes of a CloudWatch metric of a resource, by operation; "": of none. */
static inline double rows_metric(const struct rows *rows, int resource, const char *name,
                                 const char *operation) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_METRIC || (int)row_number(row, 0) != resource) continue;
        if (strcmp(row_text(row, 1), name) != 0 || strcmp(row_text(row, 2), operation) != 0)
            continue;
        sum += row_number(row, 6);
    }
    return sum;
}

/* Of the run ("") or a workload; -1 where there is none. */
static inline double rows_outcome(const struct rows *rows, const char *name, const char *scope) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_OUTCOME && strcmp(row_text(row, 0), name) == 0 &&
            strcmp(row_text(row, 1), scope) == 0)
            return row_number(row, 2);
    }
    return -1;
}

enum { ROWS_KEY_READ = 6, ROWS_KEY_WRITE = 7 };
/* Units of a partition key in the whole run; 0 where it is none of the most accessed. */
static inline double rows_key_units(const struct rows *rows, const char *key, size_t column) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_TOP_KEY || strcmp(row_text(row, 1), "accessed") != 0) continue;
        if (row_number(row, 2) == 0 && strcmp(row_text(row, 5), key) == 0)
            return row_number(row, column);
    }
    return 0;
}

#endif
