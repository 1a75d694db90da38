/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The CSV that CloudWatch's console downloads: rows of headers, whose number and words differ between its versions and
 * languages, then a row a period: a moment in UTC, and a cell for each metric of the graph, empty where there was no
 * data. The first row whose first cell is a moment begins the data; all that stands above a column is its label; its Id is
 * what stands in a row of Ids, else its number from 1.
 */
#include <workloads/replay/cloudwatch_parts.h>

#include <base/error.h>
#include <base/types.h>
#include <base/vector.h>
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define COLUMNS_MAX 1000u

struct column {
    struct buffer label;
    const char *id; /* NULL: none stands above it */
    size_t result;
};

/* A file under way. */
struct console {
    struct cloudwatch *cloudwatch;
    struct ddbsim_error *error;
    enum ddbsim_status status; /* the first failure */
    struct column *columns;    /* number 0 is of the times */
    size_t column_count, column_capacity;
    struct buffer cells; /* of the row under way, NUL behind each */
    size_t *starts, cell_count, start_capacity;
    bool has_data;
};

static void fail(struct console *console, enum ddbsim_status status) {
    if (console->status == DDBSIM_OK) console->status = status;
}

static const char *cell(const struct console *console, size_t number) {
    return number < console->cell_count ? console->cells.bytes + console->starts[number] : "";
}

static void take_cell(void *text, size_t length, void *self) {
    struct console *console = self;
    void *starts = console->starts;
    if (!vector_reserve_raw(&starts, &console->start_capacity, console->cell_count + 1,
                            sizeof *console->starts)) {
        fail(console, error_memory(console->error));
        return;
    }
    console->starts = starts;
    console->starts[console->cell_count++] = console->cells.length;
    buffer_add(&console->cells, text, length);
    buffer_add(&console->cells, "", 1);
    if (console->cells.failed) fail(console, error_memory(console->error));
}

/* ---- headers ---- */

/* What a row of headers is by its first cell. */
enum row_kind { ROW_WORDS, ROW_DIMENSION, ROW_ID, ROW_OTHER };

static enum row_kind kind_of(const char *first) {
    static const struct {
        const char *name;
        enum row_kind kind;
    } rows[] = {{"Id", ROW_ID},
                {"TableName", ROW_DIMENSION},
                {"GlobalSecondaryIndexName", ROW_DIMENSION},
                {"Operation", ROW_DIMENSION},
                {"Region", ROW_OTHER},
                {"Account", ROW_OTHER},
                {"AccountId", ROW_OTHER},
                {"Unit", ROW_OTHER}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcasecmp(rows[i].name, first) == 0) return rows[i].kind;
    return ROW_WORDS;
}

/* The longer of two texts, where one has the other in it: a label's full form says all that its short one does. */
static void add_words(struct buffer *label, const char *text) {
    if (label->length > 0 && strstr(label->bytes, text)) return;
    if (label->length > 0 && strstr(text, label->bytes)) label->length = 0;
    buffer_printf(label, "%s%s", label->length > 0 ? " " : "", text);
}

/* A cell above a column. */
static void take_head(struct console *console, struct column *column, const char *text) {
    const char *first = cell(console, 0);
    enum row_kind kind = kind_of(first);
    bool good = true;
    if (kind == ROW_ID) {
        column->id = cloudwatch_keep(console->cloudwatch, text, strlen(text));
        good = column->id != NULL;
    } else if (kind == ROW_DIMENSION) {
        buffer_printf(&column->label, "%s%s: %s", column->label.length > 0 ? " " : "", first, text);
        good = !column->label.failed;
    } else if (kind == ROW_WORDS) {
        add_words(&column->label, text);
        good = !column->label.failed;
    }
    if (!good) fail(console, error_memory(console->error));
}

static void take_header(struct console *console) {
    struct cloudwatch *cloudwatch = console->cloudwatch;
    void *columns = console->columns;
    if (console->cell_count > COLUMNS_MAX) {
        fail(console, cloudwatch_refuse(cloudwatch, NULL, console->error, "more than %u columns",
                                        COLUMNS_MAX));
        return;
    }
    if (!vector_reserve(&columns, &console->column_capacity, console->cell_count,
                        sizeof *console->columns)) {
        fail(console, error_memory(console->error));
        return;
    }
    console->columns = columns;
    if (console->cell_count > console->column_count) console->column_count = console->cell_count;
    for (size_t i = 1; i < console->cell_count && console->status == DDBSIM_OK; i++)
        if (*cell(console, i)) take_head(console, &console->columns[i], cell(console, i));
}

static void begin_data(struct console *console) {
    struct cloudwatch *cloudwatch = console->cloudwatch;
    console->has_data = true;
    for (size_t i = 1; i < console->column_count && console->status == DDBSIM_OK; i++) {
        struct column *column = &console->columns[i];
        column->result = cloudwatch->result_count;
        struct cloudwatch_result *result = cloudwatch_add_result(cloudwatch);
        const char *label =
            column->label.length > 0
                ? cloudwatch_keep(cloudwatch, column->label.bytes, column->label.length)
                : NULL;
        if (result)
            result->id = column->id ? column->id : arena_printf(cloudwatch->arena, "%zu", i + 1);
        if (!result || !result->id || (column->label.length > 0 && !label))
            fail(console, error_memory(console->error));
        else
            result->label = label;
    }
}

/* ---- data ---- */

static bool read_number(const char *text, double *out) {
    char *end;
    if (strspn(text, "0123456789+-.eE") != strlen(text)) return false;
    *out = strtod(text, &end);
    return end != text && *end == '\0';
}

static void take_data(struct console *console, int64_t t_s) {
    struct cloudwatch *cloudwatch = console->cloudwatch;
    if (console->cell_count > console->column_count) {
        fail(console, cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, console->error,
                                     "%zu cells under %zu headers", console->cell_count,
                                     console->column_count));
        return;
    }
    for (size_t i = 1; i < console->cell_count && console->status == DDBSIM_OK; i++) {
        struct cloudwatch_found found = {
            .t_s = t_s, .statistic = CLOUDWATCH_OPEN, .place = cloudwatch->line};
        const char *text = cell(console, i);
        if (!*text) continue;
        if (read_number(text, &found.value))
            fail(console,
                 cloudwatch_add(cloudwatch, console->columns[i].result, &found, console->error));
        else
            fail(console, cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, console->error,
                                         "cell %zu is no number: '%.40s'", i + 1, text));
    }
}

static void take_row(int end, void *self) {
    struct console *console = self;
    int64_t t_s;
    (void)end;
    if (console->status == DDBSIM_OK) {
        bool is_moment = cloudwatch_time_of_text(cell(console, 0), &t_s);
        if (is_moment && !console->has_data) begin_data(console);
        if (console->status == DDBSIM_OK && is_moment)
            take_data(console, t_s);
        else if (console->status == DDBSIM_OK && !console->has_data)
            take_header(console);
        else if (console->status == DDBSIM_OK)
            fail(console, cloudwatch_bad(console->cloudwatch, console->cloudwatch->line, NULL,
                                         console->error, "no time in the first cell: '%.40s'",
                                         cell(console, 0)));
    }
    console->cell_count = 0;
    console->cells.length = 0;
}

/* ---- the file ---- */

/* The first cell of a line, as far as a moment may be long, without its quotes; returns where it ends. */
static size_t first_cell(const char *line, size_t length, char out[32]) {
    size_t quote = length > 0 && *line == '"', used = 0;
    while (quote + used < length && used < 31 && !memchr(",;\t\"\r", line[quote + used], 5)) {
        out[used] = line[quote + used];
        used++;
    }
    out[used] = '\0';
    return quote + used + quote;
}

char cloudwatch_delimiter(const char *text, size_t length) {
    for (const char *at = text, *end = text + length; at < end;) {
        char moment[32];
        int64_t t_s;
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t line = line_end ? (size_t)(line_end - at) : (size_t)(end - at);
        size_t behind = first_cell(at, line, moment);
        if (cloudwatch_time_of_text(moment, &t_s) && behind < line && memchr(",;\t", at[behind], 3))
            return at[behind];
        at += line + 1;
    }
    return '\0';
}

static enum ddbsim_status csv_failure(struct console *console, struct csv_parser *parser) {
    int code = csv_error(parser);
    if (code == CSV_ENOMEM) return error_memory(console->error);
    (void)error_set(console->error, DDBSIM_INPUT, "no CSV: %s", csv_strerror(code));
    error_place(console->error, console->cloudwatch->files[console->cloudwatch->file_count - 1],
                (int)console->cloudwatch->line, 0);
    return DDBSIM_INPUT;
}

static void parse(struct console *console, struct csv_parser *parser, const char *text,
                  size_t length) {
    while (length > 0 && console->status == DDBSIM_OK) {
        const char *end = memchr(text, '\n', length);
        size_t part = end ? (size_t)(end - text) + 1 : length;
        if (csv_parse(parser, text, part, take_cell, take_row, console) != part)
            fail(console, csv_failure(console, parser));
        console->cloudwatch->line++;
        text += part;
        length -= part;
    }
    if (console->status == DDBSIM_OK && csv_fini(parser, take_cell, take_row, console) != 0)
        fail(console, csv_failure(console, parser));
}

static void free_console(struct console *console) {
    for (size_t i = 0; i < console->column_count; i++)
        free(console->columns[i].label.bytes);
    free(console->columns);
    free(console->cells.bytes);
    free(console->starts);
}

enum ddbsim_status cloudwatch_take_console(struct cloudwatch *cloudwatch,
                                           struct ddbsim_error *error) {
    struct console console = {.cloudwatch = cloudwatch, .error = error};
    struct csv_parser parser;
    const struct buffer *text = &cloudwatch->text;
    const char *bytes = text->length > 0 ? text->bytes : "";
    char delimiter = cloudwatch_delimiter(bytes, text->length);
    size_t skip = text->length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) return error_memory(error);
    if (delimiter) csv_set_delim(&parser, (unsigned char)delimiter);
    parse(&console, &parser, bytes + skip, text->length - skip);
    csv_free(&parser);
    free_console(&console);
    if (console.status == DDBSIM_OK && !console.has_data)
        return cloudwatch_refuse(cloudwatch, NULL, error,
                                 "no row begins with a time such as 2026/08/07 16:20:00");
    return console.status;
}
