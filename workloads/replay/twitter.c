/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Twitter's cache traces of 2020 (github.com/twitter/cache-trace): separated values without a header, of timestamp in
 * seconds, anonymized key, key size, value size, client, operation and TTL. An item is its key and its value; who
 * asked and for how long it lives are not taken.
 */
#include <workloads/replay/reader.h>
#include <workloads/replay/rows.h>
#include <workloads/replay/verb.h>

enum { TIME, KEY, KEY_SIZE, VALUE_SIZE, OPERATION };
enum { COLUMNS = 7 };

static enum ddbsim_status twitter_open(struct reader *reader, struct ddbsim_error *error) {
    static const int slots[COLUMNS] = {TIME, KEY, KEY_SIZE, VALUE_SIZE, -1, OPERATION, -1};
    struct rows *rows;
    enum ddbsim_status status = rows_open_bare(reader, slots, COLUMNS, &rows, error);
    reader->state = rows;
    return status;
}

static bool take_row(struct reader *reader, const struct rows_field *fields, struct recorded *row) {
    rows_put_text(&fields[KEY], &row->key, &row->key_bytes);
    return rows_take_time(reader, &fields[TIME], row) &&
           rows_take_item(reader, &fields[KEY_SIZE], &fields[VALUE_SIZE], row) &&
           reader_operation(reader, fields[OPERATION].text, fields[OPERATION].length,
                            &row->operation);
}

static enum ddbsim_status twitter_next(struct reader *reader, struct recorded *row,
                                       enum reader_outcome *outcome, struct ddbsim_error *error) {
    return rows_take(reader, reader->state, take_row, row, outcome, error);
}

/* Seven columns, numbers where they must be and a known word for the operation. */
static int twitter_recognise(const struct reader_head *head) {
    static const int numbers[] = {0, 2, 3, 4, 6};
    struct rows_header line;
    if (!rows_peek_header(head, &line) || rows_header_field(&line, COLUMNS).text) return 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct rows_field field = rows_header_field(&line, numbers[i]);
        struct decimal number;
        if (!field.text || !decimal_parse(field.text, field.length, &number)) return 0;
    }
    struct rows_field word = rows_header_field(&line, 5);
    return verb_operation(word.text, word.length) == RECORDING_UNKNOWN ? 0 : 90;
}

const struct recording_format format_twitter = {
    .name = "twitter",
    .what = "Twitter's cache traces: time, key, key size, value size, client, operation, TTL",
    .recognise = twitter_recognise,
    .open = twitter_open,
    .next = twitter_next,
    .close = rows_close,
};
