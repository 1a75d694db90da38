/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What k6 writes with --out csv: a row for each sample of each metric. A request has one sample of http_reqs, or where
 * those were left out one of http_req_duration, or of grpc_req_duration. What was asked for says the tag `name' or the
 * method, if it is a word for an operation. Virtual users write their samples in batches, so that rows are not quite
 * in order of time.
 */
#include <base/error.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/reader.h>
#include <workloads/replay/rows.h>
#include <workloads/replay/verb.h>

enum { METRIC, TIME, VALUE, NAME, METHOD, STATUS, ERROR };
#define DISORDER 10000

/* Best first; the first that the file's head has is read. */
static const char *const metrics[] = {"http_reqs", "http_req_duration", "grpc_req_duration"};
enum { METRICS = sizeof metrics / sizeof metrics[0] };

/* Is there a row of the metric? */
static bool has_metric(const char *head, size_t length, const char *metric) {
    size_t size = strlen(metric);
    for (const char *at = head, *end = head + length; at;) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at || (size_t)(end - at) < size + 2) return false;
        at++;
        if (memcmp(at, metric, size) == 0 && strchr(",;\t|", at[size])) return true;
    }
    return false;
}

static const char *find_metric(const char *head, size_t length) {
    for (int i = 0; i < METRICS; i++)
        if (has_metric(head, length, metrics[i])) return metrics[i];
    return metrics[0];
}

struct k6 {
    struct rows *rows;
    const char *metric;
};

static enum ddbsim_status k6_open(struct reader *reader, struct ddbsim_error *error) {
    static const struct rows_wish wishes[] = {
        {METRIC, "metric_name", true}, {TIME, "timestamp", true}, {VALUE, "metric_value", true},
        {NAME, "name", false},         {METHOD, "method", false}, {STATUS, "status", false},
        {ERROR, "error", false},
    };
    const char *head;
    size_t length;
    enum ddbsim_status status = feed_head(reader->feed, &head, &length, error);
    if (status) return status;
    struct k6 *k6 = calloc(1, sizeof *k6);
    reader->state = k6;
    if (!k6) return error_memory(error);
    k6->metric = find_metric(head, length);
    return rows_open(reader, wishes, sizeof wishes / sizeof wishes[0], &k6->rows, error);
}

static void k6_close(struct reader *reader) {
    struct k6 *k6 = reader->state;
    if (k6) rows_destroy(k6->rows);
    free(k6);
    reader->state = NULL;
}

static bool take_row(struct reader *reader, const struct rows_field *fields, struct recorded *row) {
    const struct k6 *k6 = reader->state;
    const struct rows_field *name = &fields[NAME], *method = &fields[METHOD];
    row->operation = reader_operation_or_none(reader, name->text, name->length);
    if (row->operation == RECORDING_UNKNOWN)
        row->operation = reader_operation_or_none(reader, method->text, method->length);
    row->throttled = verb_is_throttled(fields[STATUS].text, fields[STATUS].length) ||
                     verb_is_throttled(fields[ERROR].text, fields[ERROR].length);
    /* Only http_reqs counts; a duration's value is one. */
    bool counts = k6->metric == metrics[0];
    return rows_take_time(reader, &fields[TIME], row) &&
           (!counts || reader_count(reader, fields[VALUE].text, fields[VALUE].length, &row->count));
}

static bool is_wanted(const struct k6 *k6) {
    return strcmp(rows_fields(k6->rows)[METRIC].text, k6->metric) == 0;
}

static enum ddbsim_status k6_next(struct reader *reader, struct recorded *row,
                                  enum reader_outcome *outcome, struct ddbsim_error *error) {
    struct k6 *k6 = reader->state;
    enum ddbsim_status status;
    do {
        status = rows_next(k6->rows, outcome, error);
    } while (!status && *outcome == READER_ROW && !is_wanted(k6));
    if (status || *outcome != READER_ROW) return status;
    row->line = reader->bad_line = rows_line(k6->rows);
    if (!take_row(reader, rows_fields(k6->rows), row)) *outcome = READER_BAD;
    return DDBSIM_OK;
}

static int k6_recognise(const struct reader_head *head) {
    struct rows_header header;
    return rows_peek_header(head, &header) && rows_header_has(&header, "metric_name") &&
                   rows_header_has(&header, "metric_value") && rows_header_has(&header, "timestamp")
               ? 95
               : 0;
}

const struct recording_format format_k6 = {
    .name = "k6",
    .what = "k6's results as CSV: a request for each sample of http_reqs",
    .recognise = k6_recognise,
    .open = k6_open,
    .next = k6_next,
    .close = k6_close,
    .disorder = DISORDER,
};
