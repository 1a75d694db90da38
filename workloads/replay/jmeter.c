/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JMeter's results as CSV (JTL), with a header: a row for each sample, whose label is an operation if it or its first
 * word is a word for one. A row is written when its sample is over and says when it began, so that rows are out of
 * order by as many as were under way. Of a write the bytes sent are the item, of a read those received: with HTTP's
 * own, which are more.
 */
#include <string.h>
#include <workloads/replay/reader.h>
#include <workloads/replay/rows.h>
#include <workloads/replay/verb.h>

enum { TIME, LABEL, CODE, MESSAGE, FAILURE, RECEIVED, SENT };
#define DISORDER 65536

static enum ddbsim_status jmeter_open(struct reader *reader, struct ddbsim_error *error) {
    static const struct rows_wish wishes[] = {
        {TIME, "timeStamp", true},          {LABEL, "label", true},
        {CODE, "responseCode", false},      {MESSAGE, "responseMessage", false},
        {FAILURE, "failureMessage", false}, {RECEIVED, "bytes", false},
        {SENT, "sentBytes", false},
    };
    struct rows *rows;
    enum ddbsim_status status =
        rows_open(reader, wishes, sizeof wishes / sizeof wishes[0], &rows, error);
    reader->state = rows;
    return status;
}

/* Of an operation on one item; what HTTP carried beyond the largest item says nothing of an item. */
static bool take_size(struct reader *reader, const struct rows_field *fields,
                      struct recorded *row) {
    if (row->operation < 0 || row->operation == DDBSIM_QUERY ||
        row->operation >= DDBSIM_SINGLE_KINDS)
        return true;
    const struct rows_field *size =
        &fields[ddbsim_operation_is_write(row->operation) ? SENT : RECEIVED];
    if (!reader_size(reader, "size", size->text, size->length, &row->item_bytes)) return false;
    if (row->item_bytes > DDBSIM_ITEM_BYTES_MAX) row->item_bytes = RECORDING_UNKNOWN;
    return true;
}

/* "PutItem" and "PutItem of an order" */
static int operation_of(struct reader *reader, const struct rows_field *label) {
    int operation = reader_operation_or_none(reader, label->text, label->length);
    if (operation >= 0) return operation;
    return reader_operation_or_none(reader, label->text, strcspn(label->text, " /"));
}

static bool take_row(struct reader *reader, const struct rows_field *fields, struct recorded *row) {
    row->operation = operation_of(reader, &fields[LABEL]);
    for (int i = CODE; i <= FAILURE; i++)
        row->throttled = row->throttled || verb_is_throttled(fields[i].text, fields[i].length);
    return rows_take_time(reader, &fields[TIME], row) && take_size(reader, fields, row);
}

static enum ddbsim_status jmeter_next(struct reader *reader, struct recorded *row,
                                      enum reader_outcome *outcome, struct ddbsim_error *error) {
    return rows_take(reader, reader->state, take_row, row, outcome, error);
}

static int jmeter_recognise(const struct reader_head *head) {
    struct rows_header header;
    return rows_peek_header(head, &header) && rows_header_has(&header, "timeStamp") &&
                   rows_header_has(&header, "elapsed") && rows_header_has(&header, "label")
               ? 95
               : 0;
}

const struct recording_format format_jmeter = {
    .name = "jmeter",
    .what = "JMeter's results as CSV (JTL) with a header: labels are operations",
    .recognise = jmeter_recognise,
    .open = jmeter_open,
    .next = jmeter_next,
    .close = rows_close,
    .disorder = DISORDER,
};
