/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Separated values of any origin. Which column is what says the user, by number or by name, or the header does: by
 * the names that people use for such columns. Where columns are given by number, a first row whose time is none is
 * taken for a header.
 */
#include <base/error.h>
#include <workloads/replay/columns.h>
#include <workloads/replay/reader.h>
#include <workloads/replay/rows.h>
#include <stdio.h>
#include <workloads/replay/verb.h>

#define LIST_BYTES 256

static enum ddbsim_status no_column(struct reader *reader, const struct rows *rows,
                                    const char *what, const char *name,
                                    struct ddbsim_error *error) {
    char list[LIST_BYTES];
    rows_list_names(rows, list, sizeof list);
    reader_fail(reader, 1, error, "there is no column \"%s\", which would be the %s: there are %s",
                name, what, list);
    error_hint(error, "say which column is what: \"time=1,key=2\", by number or by name");
    return DDBSIM_INPUT;
}

/* The column of a role that the user gave. */
static enum ddbsim_status want_given(struct reader *reader, struct rows *rows, int role,
                                     const struct columns_place *place,
                                     struct ddbsim_error *error) {
    int column = place->number ? place->number - 1 : rows_find(rows, place->name);
    if (column == ROWS_NO_COLUMN)
        return no_column(reader, rows, columns_word(role), place->name, error);
    if (!rows_want(rows, role, column))
        return reader_fail(reader, 0, error, "columns: %s is another one already",
                           columns_word(role));
    return DDBSIM_OK;
}

/* Is there a time where the first row has its time? A clock of its own tells. */
static bool begins_with_row(const struct rows *rows, int time) {
    struct stamp_clock clock = {0};
    const struct rows_field *name = rows_name(rows, time);
    int64_t t_ns;
    return !name || !stamp_read(&clock, name->text, name->length, &t_ns);
}

static enum ddbsim_status take_given(struct reader *reader, struct rows *rows,
                                     struct ddbsim_error *error) {
    struct columns columns;
    enum ddbsim_status status = columns_parse(reader->options->columns, &columns, error);
    for (int role = 0; !status && role < COLUMNS_ROLE_COUNT; role++)
        if (columns.of[role].is_given)
            status = want_given(reader, rows, role, &columns.of[role], error);
    if (!status && columns.by_number && begins_with_row(rows, columns.of[COLUMNS_TIME].number - 1))
        rows_keep_names_as_row(rows);
    return status;
}

/* Columns by the header's own names. */
static enum ddbsim_status take_usual(struct reader *reader, struct rows *rows,
                                     struct ddbsim_error *error) {
    if (rows_find(rows, columns_names(COLUMNS_TIME)) == ROWS_NO_COLUMN)
        return no_column(reader, rows, "time", "time", error);
    for (int role = 0; role < COLUMNS_ROLE_COUNT; role++)
        (void)rows_want(rows, role, rows_find(rows, columns_names(role)));
    return DDBSIM_OK;
}

static void say(struct reader *reader, size_t *used, const char *lead, const char *role,
                const char *name) {
    size_t room = sizeof reader->columns - *used;
    int wrote = snprintf(reader->columns + *used, room, "%s%s%s%s", lead, role ? role : "",
                         role ? "=" : "", name);
    if (wrote > 0) *used += (size_t)wrote < room ? (size_t)wrote : room - 1;
}

/* "time=ts, key=user; not used: agent": whoever looks at it sees what was taken for what. */
static void say_columns(struct reader *reader, const struct rows *rows, int count) {
    char name[32];
    size_t used = 0;
    reader->columns[0] = '\0';
    for (int unused = 0; unused < 2; unused++) {
        const char *lead = unused ? "; not used: " : "";
        for (int i = 0; i < count; i++) {
            const struct rows_field *field = rows_name(rows, i);
            const char *role = columns_word(rows_slot(rows, i));
            if ((role == NULL) != (unused == 1)) continue;
            (void)reader_quote(field->text, field->length, name, sizeof name);
            say(reader, &used, lead, role, name);
            lead = ", ";
        }
    }
}

static enum ddbsim_status csv_open(struct reader *reader, struct ddbsim_error *error) {
    struct rows *rows;
    int count;
    enum ddbsim_status status = rows_create(reader, reader->options->delimiter, &rows, error);
    if (status) return status;
    reader->state = rows;
    status = rows_read_names(rows, &count, error);
    if (status || count == 0) return status;
    status = reader->options->columns ? take_given(reader, rows, error)
                                      : take_usual(reader, rows, error);
    if (!status) say_columns(reader, rows, count);
    return status;
}

static bool take_row(struct reader *reader, const struct rows_field *fields, struct recorded *row) {
    const struct rows_field *size = &fields[COLUMNS_SIZE], *count = &fields[COLUMNS_COUNT];
    const struct rows_field *period = &fields[COLUMNS_PERIOD];
    const struct rows_field *throttled = &fields[COLUMNS_THROTTLED];
    rows_put_text(&fields[COLUMNS_KEY], &row->key, &row->key_bytes);
    rows_put_text(&fields[COLUMNS_SORT], &row->sort, &row->sort_bytes);
    if (fields[COLUMNS_TABLE].length > 0) row->table = fields[COLUMNS_TABLE].text;
    if (throttled->length > 0)
        row->throttled = verb_is_throttled(throttled->text, throttled->length);
    return rows_take_time(reader, &fields[COLUMNS_TIME], row) &&
           reader_size(reader, "size", size->text, size->length, &row->item_bytes) &&
           reader_count(reader, count->text, count->length, &row->count) &&
           reader_period(reader, period->text, period->length, &row->period_ns) &&
           reader_operation(reader, fields[COLUMNS_OPERATION].text,
                            fields[COLUMNS_OPERATION].length, &row->operation);
}

static enum ddbsim_status csv_next(struct reader *reader, struct recorded *row,
                                   enum reader_outcome *outcome, struct ddbsim_error *error) {
    return rows_take(reader, reader->state, take_row, row, outcome, error);
}

/* A header that names a time, and another column that means something. */
static int csv_recognise(const struct reader_head *head) {
    struct rows_header header;
    int found = 0;
    if (!rows_peek_header(head, &header)) return 0;
    for (int role = 0; role < COLUMNS_ROLE_COUNT; role++)
        found += rows_header_has(&header, columns_names(role));
    return found > 1 && rows_header_has(&header, columns_names(COLUMNS_TIME)) ? 30 : 0;
}

const struct recording_format format_csv = {
    .name = "csv",
    .what = "separated values; which column is what says the header, or `columns'",
    .recognise = csv_recognise,
    .open = csv_open,
    .next = csv_next,
    .close = rows_close,
};
