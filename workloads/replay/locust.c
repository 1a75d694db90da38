/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Locust's _stats_history.csv: a row for each interval, of all requests together ("Aggregated") or, with
 * --csv-full-history, of each name before that of all. What came in between two rows of a name is the difference of
 * its total, and at first, or where a total begins anew, what its rate makes of the interval. A name, or else its
 * type, is an operation if it is a word for one.
 *
 * Invariants: no request is counted under a name and under all; a row stands for the time since the one before it of
 * that name, so that rows of different names may go back by an interval.
 */
#include <base/error.h>
#include <base/types.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/reader.h>
#include <workloads/replay/rows.h>

enum { TIME, TYPE, NAME, RATE, TOTAL };
#define NAMES_MOST 512
#define NAME_BYTES 96
#define DISORDER (4 * NAMES_MOST)

struct name {
    char name[NAME_BYTES];
    bool is_known; /* the two below are: they are those of its last row */
    int64_t t_ns;
    double total;
};

struct locust {
    struct rows *rows;
    bool has_names; /* a row of a name was met: those of all are not counted from then on */
    struct name names[NAMES_MOST];
    size_t count;
};

static enum ddbsim_status locust_open(struct reader *reader, struct ddbsim_error *error) {
    static const struct rows_wish wishes[] = {
        {TIME, "Timestamp", true},
        {TYPE, "Type", false},
        {NAME, "Name", true},
        {RATE, "Requests/s", true},
        {TOTAL, "Total Request Count", false},
    };
    struct locust *locust = calloc(1, sizeof *locust);
    reader->state = locust;
    if (!locust) return error_memory(error);
    return rows_open(reader, wishes, sizeof wishes / sizeof wishes[0], &locust->rows, error);
}

static void locust_close(struct reader *reader) {
    struct locust *locust = reader->state;
    if (locust) rows_destroy(locust->rows);
    free(locust);
    reader->state = NULL;
}

/* What was seen of a type and a name together; NULL where there are too many. */
static struct name *find_name(struct locust *locust, const struct rows_field *fields) {
    char key[NAME_BYTES];
    snprintf(key, sizeof key, "%s %s", fields[TYPE].text, fields[NAME].text);
    for (size_t i = 0; i < locust->count; i++)
        if (strcmp(locust->names[i].name, key) == 0) return &locust->names[i];
    if (locust->count == NAMES_MOST) return NULL;
    struct name *name = &locust->names[locust->count++];
    memcpy(name->name, key, sizeof key);
    return name;
}

/* Fills in period and count; false where the row is bad. *more is false where the row stands for no time. */
static bool take_period(struct reader *reader, struct name *name, const struct rows_field *fields,
                        struct recorded *row, bool *more) {
    double rate = 0, total = 0;
    bool has_total = fields[TOTAL].length > 0;
    int64_t until_ns, from_ns;
    if (!reader_time(reader, fields[TIME].text, fields[TIME].length, &until_ns) ||
        !reader_count(reader, fields[RATE].text, fields[RATE].length, &rate) ||
        !reader_count(reader, fields[TOTAL].text, fields[TOTAL].length, &total))
        return false;
    from_ns = name->is_known ? name->t_ns : larger(until_ns - NS_PER_S, 0);
    if (until_ns < from_ns) return reader_bad(reader, "the time goes back");
    *more = until_ns > from_ns;
    if (!*more) return true;
    bool is_difference = has_total && name->is_known && total >= name->total;
    row->t_ns = from_ns;
    row->period_ns = until_ns - from_ns;
    row->count =
        is_difference ? total - name->total : rate * ((double)row->period_ns / (double)NS_PER_S);
    name->is_known = true;
    name->t_ns = until_ns;
    name->total = total;
    return true;
}

/* False where the row is bad; *more is false where it is none. */
static bool take_row(struct reader *reader, struct recorded *row, bool *more) {
    struct locust *locust = reader->state;
    const struct rows_field *fields = rows_fields(locust->rows);
    bool is_all = strcmp(fields[NAME].text, "Aggregated") == 0;
    *more = !is_all || !locust->has_names;
    if (!*more) return true;
    locust->has_names = !is_all;
    struct name *name = find_name(locust, fields);
    if (!name) return reader_bad(reader, "there are over %d names", NAMES_MOST);
    row->operation = reader_operation_or_none(reader, fields[NAME].text, fields[NAME].length);
    if (row->operation == RECORDING_UNKNOWN)
        row->operation = reader_operation_or_none(reader, fields[TYPE].text, fields[TYPE].length);
    return take_period(reader, name, fields, row, more);
}

static enum ddbsim_status locust_next(struct reader *reader, struct recorded *row,
                                      enum reader_outcome *outcome, struct ddbsim_error *error) {
    struct locust *locust = reader->state;
    for (;;) {
        bool more;
        enum ddbsim_status status = rows_next(locust->rows, outcome, error);
        if (status || *outcome != READER_ROW) return status;
        row->line = reader->bad_line = rows_line(locust->rows);
        if (!take_row(reader, row, &more)) *outcome = READER_BAD;
        if (*outcome == READER_BAD || more) return DDBSIM_OK;
    }
}

static int locust_recognise(const struct reader_head *head) {
    struct rows_header header;
    return rows_peek_header(head, &header) && rows_header_has(&header, "Timestamp") &&
                   rows_header_has(&header, "User Count") && rows_header_has(&header, "Requests/s")
               ? 95
               : 0;
}

const struct recording_format format_locust = {
    .name = "locust",
    .what = "Locust's _stats_history.csv: how many requests each interval had",
    .recognise = locust_recognise,
    .open = locust_open,
    .next = locust_next,
    .close = locust_close,
    .is_rates = true,
    .disorder = DISORDER,
};
