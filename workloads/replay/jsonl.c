/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON lines: an object a line, by jansson. Which field is what says the user, by its name or by the path to it
 * (user.id within objects); or the names that people use for such fields say it. A value may stand in an object that
 * gives its type, as DynamoDB writes them ({"S": "..."}).
 *
 * Invariant: what a row shows of a document lives as long as the document does, until the next row.
 */
#include <base/check.h>
#include <base/error.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/columns.h>
#include <workloads/replay/reader.h>
#include <workloads/replay/verb.h>

#define NUMBER_BYTES 32
#define PROBE_BYTES 4096
#define WHOLE_MOST 1e15 /* doubles are exact below */

struct jsonl {
    struct columns columns; /* empty where the usual names hold */
    bool has_columns;
    json_t *document; /* of the row */
    char numbers[COLUMNS_ROLE_COUNT][NUMBER_BYTES];
};

struct value { /* a field as a text */
    const char *text;
    size_t length;
};

/* ---- finding a field ---- */

/* The value at a.b.c, by the longest name first: "a.b" may itself be a name. */
static const json_t *find_path(const json_t *object, const char *path) {
    while (json_is_object(object)) {
        const json_t *whole = json_object_get(object, path);
        const char *dot = strchr(path, '.');
        if (whole || !dot) return whole;
        object = json_object_getn(object, path, (size_t)(dot - path));
        path = dot + 1;
    }
    return NULL;
}

/* The first field with one of the names that people use, in any case. */
static const json_t *find_usual(json_t *object, int role) {
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        if (columns_is_one_of(columns_names(role), key, strlen(key))) return value;
    }
    return NULL;
}

static const json_t *find_value(const struct jsonl *jsonl, int role) {
    const json_t *value;
    if (!jsonl->has_columns)
        value = find_usual(jsonl->document, role);
    else if (jsonl->columns.of[role].is_given)
        value = find_path(jsonl->document, jsonl->columns.of[role].name);
    else
        return NULL;
    if (!json_is_object(value) || json_object_size(value) != 1) return value;
    const json_t *typed = json_object_get(value, "S");
    return typed ? typed : json_object_get(value, "N");
}

/* A value as a text; the text of null and of nothing is empty. */
static bool take_value(struct reader *reader, int role, struct value *out) {
    struct jsonl *jsonl = reader->state;
    const json_t *value = find_value(jsonl, role);
    char *number = jsonl->numbers[role];
    *out = (struct value){"", 0};
    if (!value || json_is_null(value)) return true;
    if (json_is_string(value)) {
        *out = (struct value){json_string_value(value), json_string_length(value)};
        return true;
    }
    double real = json_is_real(value) ? json_real_value(value) : 0.5;
    if (json_is_integer(value))
        snprintf(number, NUMBER_BYTES, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (floor(real) == real && fabs(real) < WHOLE_MOST)
        snprintf(number, NUMBER_BYTES, "%lld", (long long)real);
    else if (json_is_boolean(value))
        snprintf(number, NUMBER_BYTES, "%s", json_is_true(value) ? "true" : "false");
    else
        return reader_bad(reader, "the %s is neither a text nor a whole number",
                          columns_word(role));
    *out = (struct value){number, strlen(number)};
    return true;
}

/* ---- rows ---- */

/* A time may have a fraction, which would lose its last digits on the way through a text. */
static bool take_time(struct reader *reader, struct recorded *row) {
    struct value value;
    const json_t *found = find_value(reader->state, COLUMNS_TIME);
    if (!json_is_real(found))
        return take_value(reader, COLUMNS_TIME, &value) &&
               reader_time(reader, value.text, value.length, &row->t_ns);
    double time = json_real_value(found);
    if (time < 0) return reader_bad(reader, "the time %g is negative", time);
    struct decimal decimal = decimal_of_double(time);
    const char *why = stamp_read_decimal(&reader->clock, &decimal, &row->t_ns);
    return !why || reader_bad(reader, "the time %g %s", time, why);
}

static bool take_count(struct reader *reader, struct recorded *row) {
    struct value value;
    const json_t *found = find_value(reader->state, COLUMNS_COUNT);
    if (json_is_real(found)) {
        row->count = json_real_value(found);
        return true;
    }
    return take_value(reader, COLUMNS_COUNT, &value) &&
           reader_count(reader, value.text, value.length, &row->count);
}

static bool take_text(struct reader *reader, int role, const char **text, uint32_t *length) {
    struct value value;
    if (!take_value(reader, role, &value)) return false;
    if (value.length == 0) return true;
    *text = value.text;
    if (length) *length = (uint32_t)value.length;
    return true;
}

static bool take_row(struct reader *reader, struct recorded *row) {
    struct value size, operation, period, throttled;
    if (!take_time(reader, row) || !take_count(reader, row) ||
        !take_text(reader, COLUMNS_KEY, &row->key, &row->key_bytes) ||
        !take_text(reader, COLUMNS_SORT, &row->sort, &row->sort_bytes) ||
        !take_text(reader, COLUMNS_TABLE, &row->table, NULL) ||
        !take_value(reader, COLUMNS_SIZE, &size) ||
        !take_value(reader, COLUMNS_OPERATION, &operation) ||
        !take_value(reader, COLUMNS_PERIOD, &period) ||
        !take_value(reader, COLUMNS_THROTTLED, &throttled))
        return false;
    row->throttled = verb_is_throttled(throttled.text, throttled.length);
    return reader_size(reader, "size", size.text, size.length, &row->item_bytes) &&
           reader_period(reader, period.text, period.length, &row->period_ns) &&
           reader_operation(reader, operation.text, operation.length, &row->operation);
}

/* jansson does not always say that it was short of memory, and then names the text it was at: it is asked twice, and
 * the machine once. */
static json_t *load_line(const struct feed_line *line, json_error_t *problem,
                         bool *short_of_memory) {
    json_t *document = NULL;
    for (int i = 0; i < 2 && !document; i++)
        document = json_loadb(line->text, line->length, JSON_REJECT_DUPLICATES, problem);
    void *probe = document ? NULL : malloc(PROBE_BYTES);
    *short_of_memory = !document && !probe;
    free(probe);
    return document;
}

static bool parse_line(struct reader *reader, const struct feed_line *line,
                       enum ddbsim_status *status, struct ddbsim_error *error) {
    struct jsonl *jsonl = reader->state;
    json_error_t problem;
    bool short_of_memory;
    jsonl->document = load_line(line, &problem, &short_of_memory);
    if (short_of_memory) *status = error_memory(error);
    if (jsonl->document && json_is_object(jsonl->document)) return true;
    if (jsonl->document) return reader_bad(reader, "the line is JSON, but no object");
    char quoted[96];
    reader_quote(problem.text, strlen(problem.text), quoted, sizeof quoted);
    return reader_bad(reader, "the line is no JSON: %s", quoted);
}

static bool is_blank(const struct feed_line *line) {
    for (size_t i = 0; i < line->length; i++)
        if (line->text[i] != ' ' && line->text[i] != '\t') return false;
    return true;
}

static enum ddbsim_status jsonl_next(struct reader *reader, struct recorded *row,
                                     enum reader_outcome *outcome, struct ddbsim_error *error) {
    struct jsonl *jsonl = reader->state;
    struct feed_line line;
    bool more;
    enum ddbsim_status status;
    json_decref(jsonl->document);
    jsonl->document = NULL;
    do {
        status = feed_line(reader->feed, &line, &more, error);
        *outcome = READER_END;
        if (status || !more) return status;
    } while (line.text && is_blank(&line));
    row->line = reader->bad_line = line.number;
    bool good = line.text ? parse_line(reader, &line, &status, error) && take_row(reader, row)
                          : reader_bad(reader, "the line has over 1 MB");
    *outcome = good ? READER_ROW : READER_BAD;
    return status;
}

/* ---- both ends ---- */

static enum ddbsim_status jsonl_open(struct reader *reader, struct ddbsim_error *error) {
    struct jsonl *jsonl = calloc(1, sizeof *jsonl);
    reader->state = jsonl;
    if (!jsonl) return error_memory(error);
    jsonl->has_columns = reader->options->columns != NULL;
    if (!jsonl->has_columns) return DDBSIM_OK;
    return columns_parse(reader->options->columns, &jsonl->columns, error);
}

static void jsonl_close(struct reader *reader) {
    struct jsonl *jsonl = reader->state;
    if (jsonl) json_decref(jsonl->document);
    free(jsonl);
    reader->state = NULL;
}

/* An object on the first line that has a field of time and another one. */
static int jsonl_recognise(const struct reader_head *head) {
    const char *end = memchr(head->bytes, '\n', head->length);
    size_t length = end ? (size_t)(end - head->bytes) : head->length;
    if (length == 0 || head->bytes[0] != '{') return 0;
    json_t *document = json_loadb(head->bytes, length, 0, NULL);
    int found = 0;
    for (int role = 0; json_is_object(document) && role < COLUMNS_ROLE_COUNT; role++)
        found += find_usual(document, role) != NULL;
    bool has_time = json_is_object(document) && find_usual(document, COLUMNS_TIME);
    json_decref(document);
    return has_time && found > 1 ? 30 : 0;
}

const struct recording_format format_jsonl = {
    .name = "jsonl",
    .what = "JSON lines; which field is what say the usual names, or `columns'",
    .recognise = jsonl_recognise,
    .open = jsonl_open,
    .next = jsonl_next,
    .close = jsonl_close,
};
