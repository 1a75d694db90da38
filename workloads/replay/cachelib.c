/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Meta's key-value traces as CacheLib's benchmark reads them (cachelib.org, "Evaluating SSD hardware for Facebook
 * workloads"): a header names the columns, in any order. A row stands for op_count requests alike; an item is its key
 * and its value.
 */
#include <workloads/replay/reader.h>
#include <workloads/replay/rows.h>

enum { TIME, KEY, KEY_SIZE, VALUE_SIZE, OPERATION, COUNT };

static enum ddbsim_status cachelib_open(struct reader *reader, struct ddbsim_error *error) {
    static const struct rows_wish wishes[] = {
        {TIME, "op_time", true},     {KEY, "key", true},      {KEY_SIZE, "key_size", false},
        {VALUE_SIZE, "size", false}, {OPERATION, "op", true}, {COUNT, "op_count", false},
    };
    struct rows *rows;
    enum ddbsim_status status =
        rows_open(reader, wishes, sizeof wishes / sizeof wishes[0], &rows, error);
    reader->state = rows;
    return status;
}

static bool take_row(struct reader *reader, const struct rows_field *fields, struct recorded *row) {
    rows_put_text(&fields[KEY], &row->key, &row->key_bytes);
    return rows_take_time(reader, &fields[TIME], row) &&
           rows_take_item(reader, &fields[KEY_SIZE], &fields[VALUE_SIZE], row) &&
           reader_count(reader, fields[COUNT].text, fields[COUNT].length, &row->count) &&
           reader_operation(reader, fields[OPERATION].text, fields[OPERATION].length,
                            &row->operation);
}

static enum ddbsim_status cachelib_next(struct reader *reader, struct recorded *row,
                                        enum reader_outcome *outcome, struct ddbsim_error *error) {
    return rows_take(reader, reader->state, take_row, row, outcome, error);
}

static int cachelib_recognise(const struct reader_head *head) {
    struct rows_header header;
    return rows_peek_header(head, &header) && rows_header_has(&header, "op_time") &&
                   rows_header_has(&header, "key") && rows_header_has(&header, "op") &&
                   (rows_header_has(&header, "op_count") || rows_header_has(&header, "key_size"))
               ? 90
               : 0;
}

const struct recording_format format_cachelib = {
    .name = "cachelib",
    .what = "Meta's key-value traces: op_time, key, key_size, op, op_count, size in any order",
    .recognise = cachelib_recognise,
    .open = cachelib_open,
    .next = cachelib_next,
    .close = rows_close,
};
