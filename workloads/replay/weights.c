/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads popularity from files. A header is there where the first row's second field is no number.
 *
 * Invariants: no word comes twice, none is empty; shares are in proportion, to a billionth, but for those below
 * 1 billionth, which have 1: what that takes all others give.
 */
#include <workloads/replay/weights.h>

#include <base/buffer.h>
#include <base/check.h>
#include <base/error.h>
#include <base/utf8.h>
#include <base/vector.h>
#include <ddbsim/scenario.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/decimal.h>
#include <workloads/replay/pieces.h>
#include <workloads/replay/rows.h>
#include <workloads/replay/texts.h>

#define VALUE_NAMES "value|key|word|item|size|bytes"
#define WEIGHT_NAMES "weight|count|share|requests|popularity|items"

enum slot { VALUE, WEIGHT };

/* ---- shares ---- */

/* Billionths of those that have at least one, for each part of the whole: parts, since weights may be of any size. */
static double scale_of(const double *weights, uint32_t count, double sum) {
    double large = 0, small = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool is_small = weights[i] / sum * (double)DDBSIM_SHARE_ONE < 1;
        small += is_small;
        large += is_small ? 0 : weights[i] / sum;
    }
    return ((double)DDBSIM_SHARE_ONE - small) / large;
}

/* What rounding takes from one goes to the next, so that only a crumb is left for the largest. */
void weights_share(const double *weights, uint32_t count, int64_t *shares) {
    double sum = 0, carry = 0;
    int64_t left = DDBSIM_SHARE_ONE;
    uint32_t largest = 0;
    CHECK(count > 0 && count <= WEIGHTS_ROWS_MAX);
    for (uint32_t i = 0; i < count; i++)
        sum += weights[i];
    double scale = scale_of(weights, count, sum);
    for (uint32_t i = 0; i < count; i++) {
        bool is_small = weights[i] / sum * (double)DDBSIM_SHARE_ONE < 1;
        double exact = is_small ? 1 : weights[i] / sum * scale + carry;
        shares[i] = exact < 1 ? 1 : (int64_t)(exact + 0.5);
        if (!is_small) carry = exact - (double)shares[i];
        left -= shares[i];
        if (weights[i] > weights[largest]) largest = i;
    }
    shares[largest] += left;
    CHECK(shares[largest] >= 1);
}

/* ---- rows ---- */

struct reading {
    struct reader reader;
    struct recording_options options;
    struct rows *rows;
    struct texts words;
    double *weights;
    size_t capacity;
};

static bool number_of(const struct rows_field *field, double *out) {
    struct decimal decimal;
    if (!decimal_parse(field->text, field->length, &decimal)) return false;
    *out = decimal_double(&decimal);
    return true;
}

static enum ddbsim_status fail_row(const struct reading *reading, struct ddbsim_error *error,
                                   const char *message) {
    return reader_fail(&reading->reader, rows_line(reading->rows), error, "%s", message);
}

/* Which columns are which; without a header the first two. */
static enum ddbsim_status find_columns(struct reading *reading, struct ddbsim_error *error) {
    struct rows *rows = reading->rows;
    int columns, value = 0, weight = 1;
    double number;
    enum ddbsim_status status = rows_read_names(rows, &columns, error);
    if (status || columns == 0) return status;
    bool named = columns > 1 ? !number_of(rows_name(rows, 1), &number)
                             : rows_find(rows, VALUE_NAMES) != ROWS_NO_COLUMN;
    if (named) {
        value = rows_find(rows, VALUE_NAMES);
        weight = rows_find(rows, WEIGHT_NAMES);
        if (value == ROWS_NO_COLUMN) value = weight == 0 ? 1 : 0;
        if (weight == ROWS_NO_COLUMN) weight = value == 1 ? 0 : 1;
    } else {
        rows_keep_names_as_row(rows);
    }
    if (columns == 1) weight = ROWS_NO_COLUMN;
    if (rows_want(rows, VALUE, value) && rows_want(rows, WEIGHT, weight)) return DDBSIM_OK;
    return fail_row(reading, error, "one column cannot be both value and weight");
}

static enum ddbsim_status take_row(struct reading *reading, const struct rows_field *fields,
                                   struct ddbsim_error *error) {
    const struct rows_field *value = &fields[VALUE], *weight = &fields[WEIGHT];
    size_t count = reading->words.count;
    void *weights = reading->weights;
    double number = 1;
    if (value->length == 0) return fail_row(reading, error, "the value is empty");
    if (value->length > RECORDING_KEY_MAX)
        return fail_row(reading, error, "the value has more than 2048 bytes");
    if (!utf8_is_valid(value->text, value->length) || strlen(value->text) != value->length)
        return fail_row(reading, error, "the value is not UTF-8");
    if (weight->length > 0 && (!number_of(weight, &number) || !(number > 0 && number < 1e300)))
        return fail_row(reading, error, "the weight is no number above 0");
    if (!vector_reserve_raw(&weights, &reading->capacity, count + 1, sizeof *reading->weights))
        return error_memory(error);
    reading->weights = weights;
    if (!texts_add(&reading->words, value->text, value->length)) return error_memory(error);
    if (reading->words.count == count)
        return fail_row(reading, error, "the value stands in the file twice");
    if (count == WEIGHTS_ROWS_MAX)
        return fail_row(reading, error, "there are more than 1048576 values");
    reading->weights[count] = number;
    return DDBSIM_OK;
}

static enum ddbsim_status take_rows(struct reading *reading, struct ddbsim_error *error) {
    enum ddbsim_status status = rows_create(&reading->reader, 0, &reading->rows, error);
    if (!status) status = find_columns(reading, error);
    while (!status) {
        enum reader_outcome outcome;
        status = rows_next(reading->rows, &outcome, error);
        if (status || outcome == READER_END) break;
        if (outcome == READER_BAD)
            return reader_fail(&reading->reader, reading->reader.bad_line, error, "%s",
                               reading->reader.bad_message);
        status = take_row(reading, rows_fields(reading->rows), error);
    }
    if (!status && reading->words.count == 0)
        status = reader_fail(&reading->reader, 0, error, "the file has no values");
    return status;
}

static enum ddbsim_status keep(const struct reading *reading, struct arena *arena,
                               struct weights *out, struct ddbsim_error *error) {
    uint32_t count = (uint32_t)reading->words.count;
    out->words = arena_alloc(arena, count, sizeof *out->words);
    out->weights = arena_alloc(arena, count, sizeof *out->weights);
    if (!out->words || !out->weights) return error_memory(error);
    memcpy(out->weights, reading->weights, count * sizeof *out->weights);
    for (; out->count < count; out->count++) {
        out->words[out->count] = arena_copy(arena, texts_at(&reading->words, out->count + 1),
                                            texts_length(&reading->words, out->count + 1));
        if (!out->words[out->count]) return error_memory(error);
    }
    return DDBSIM_OK;
}

/* ---- a report ---- */

static enum ddbsim_status read_whole(struct feed *feed, struct buffer *text,
                                     struct ddbsim_error *error) {
    char bytes[4096];
    size_t got = 1;
    while (got > 0 && text->length <= PIECES_BYTES_MAX) {
        enum ddbsim_status status = feed_bytes(feed, bytes, sizeof bytes, &got, error);
        if (status) return status;
        buffer_add(text, bytes, got);
    }
    return text->failed ? error_memory(error) : DDBSIM_OK;
}

static enum ddbsim_status parse_report(const struct reader *reader, const struct buffer *text,
                                       struct arena *arena, struct insights *out,
                                       struct ddbsim_error *error) {
    json_error_t problem;
    if (text->length > PIECES_BYTES_MAX)
        return reader_fail(reader, 0, error, "the document is longer than 4 MiB");
    bool short_of_memory;
    json_t *report = pieces_load(text->bytes, text->length, &problem, &short_of_memory);
    if (short_of_memory) return error_memory(error);
    if (!report)
        return reader_fail(reader, problem.line > 0 ? (uint64_t)problem.line : 0, error,
                           "this is no JSON: %s", problem.text);
    enum ddbsim_status status = insights_read(report, arena, out, error);
    json_decref(report);
    if (status == DDBSIM_INPUT) error_place(error, feed_path(reader->feed), 1, 0);
    return status;
}

static enum ddbsim_status take_report(struct reading *reading, struct arena *arena,
                                      struct insights *out, struct ddbsim_error *error) {
    struct buffer text = {0};
    enum ddbsim_status status = read_whole(reading->reader.feed, &text, error);
    if (!status) status = parse_report(&reading->reader, &text, arena, out, error);
    free(text.bytes);
    return status;
}

/* ---- the file ---- */

static enum ddbsim_status take_file(struct reading *reading, struct arena *arena,
                                    struct weights *out, struct ddbsim_error *error) {
    const char *head;
    size_t length, blank = 0;
    enum ddbsim_status status = feed_head(reading->reader.feed, &head, &length, error);
    if (status) return status;
    while (blank < length && strchr(" \t\r\n", head[blank]) && head[blank])
        blank++;
    out->is_report = blank < length && head[blank] == '{';
    if (out->is_report) return take_report(reading, arena, &out->report, error);
    status = take_rows(reading, error);
    return status ? status : keep(reading, arena, out, error);
}

enum ddbsim_status weights_read(const char *path, struct arena *arena, struct weights *out,
                                struct ddbsim_error *error) {
    struct ddbsim_error own = {0};
    struct reading reading = {.options = {.file = path}};
    *out = (struct weights){0};
    if (!error) error = &own;
    reading.reader.options = &reading.options;
    enum ddbsim_status status = feed_create(path, &reading.reader.feed, error);
    if (!status) status = take_file(&reading, arena, out, error);
    rows_destroy(reading.rows);
    texts_free(&reading.words);
    free(reading.weights);
    feed_destroy(reading.reader.feed);
    return status;
}
