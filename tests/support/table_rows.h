/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of one table, and looking at what they recorded. */
#ifndef SUPPORT_TABLE_ROWS_H
#define SUPPORT_TABLE_ROWS_H

#include <stdarg.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD "version: 1\nname: splits\nstart: 2026-01-01T00:00:00+00:00\n"
#define ENTITY "entities: [{name: e, partition_key: \"K#{key}\", count: 5000, size: 1 KB}]"

/* The template with each @ replaced by the next text: percent signs forbid a format. What it returns may be
 * filled into another one. */
static inline const char *fill(const char *template, ...) {
    static char texts[4][32768];
    static int turn;
    char *text = texts[turn++ % 4];
    size_t used = 0;
    va_list pieces;
    va_start(pieces, template);
    for (const char *c = template; *c; c++) {
        const char *piece = *c == '@' ? va_arg(pieces, const char *) : c;
        size_t length = *c == '@' ? strlen(piece) : 1;
        assert_true(used + length < sizeof texts[0]);
        memcpy(text + used, piece, length);
        used += length;
    }
    va_end(pieces);
    text[used] = 0;
    return text;
}

/* One table, and what calls it. */
static inline struct rows run_table(const char *duration, const char *table, const char *workloads,
                                    uint64_t seed) {
    return rows_run(fill(HEAD "duration: @\nvalues: {key: {count: 5000}}\ntables:\n"
                              "  - {name: t, @}\nworkloads:\n@",
                         duration, table, workloads),
                    seed);
}

#define WRITES(rate, more) \
    "  - {name: w, arrivals: paced, rate: " rate ", " more "mix: [{operation: UpdateItem}]}\n"

/* ---- looking at rows ---- */

enum { SECOND_T = 1, SECOND_READ = 3, SECOND_WRITE = 4, SECOND_BACKLOG = 13 };
enum {
    PARTITION_RESOURCE = 1,
    PARTITION_PARENT,
    PARTITION_LOW,
    PARTITION_HIGH,
    PARTITION_CREATED,
    PARTITION_RETIRED,
    PARTITION_CAUSE
};
enum { SAMPLE_T = 1, SAMPLE_PERIOD, SAMPLE_READ, SAMPLE_WRITE, SAMPLE_ITEMS = 7, SAMPLE_BYTES };

#define NS_PER_SECOND INT64_C(1000000000)
#define EACH_ROW(row, of, kind)                                                     \
    for (const struct row *row = (of)->rows; row < (of)->rows + (of)->count; row++) \
        if (row->table == DDBSIM_LOG_##kind)

static inline int64_t row_integer(const struct row *row, size_t column) {
    return row->values[column].as.integer;
}

/* Consumption of a resource in [from, to), units. */
static inline double consumed(const struct rows *rows, int resource, size_t column, int64_t from_s,
                              int64_t to_s) {
    double sum = 0;
    EACH_ROW(row, rows, SECOND)
    if (row_integer(row, 0) == resource && row_integer(row, SECOND_T) >= from_s &&
        row_integer(row, SECOND_T) < to_s)
        sum += row_number(row, column);
    return sum;
}

/* The time in seconds of the number-th event of a kind whose detail contains a text; -1: there is none. */
static inline int64_t event_s(const struct rows *rows, const char *kind, const char *detail,
                              int number) {
    EACH_ROW(row, rows, EVENT)
    if (strcmp(row_text(row, 2), kind) == 0 && strstr(row_text(row, 5), detail) && number-- == 0)
        return row_integer(row, 1) / NS_PER_SECOND;
    return -1;
}

static inline int event_count(const struct rows *rows, const char *kind, const char *detail) {
    int count = 0;
    while (event_s(rows, kind, detail, count) >= 0)
        count++;
    return count;
}

static inline double throttles(const struct rows *rows, const char *reason) {
    return rows_sum(rows, DDBSIM_LOG_THROTTLE, 6, 1, reason);
}

/* Partitions of a resource with that cause (NULL: any) that stand at a time. */
static inline int partitions_at(const struct rows *rows, int resource, const char *cause,
                                int64_t t_s) {
    int count = 0;
    EACH_ROW(row, rows, PARTITION)
    if (row_integer(row, PARTITION_RESOURCE) == resource &&
        row_integer(row, PARTITION_CREATED) <= t_s * NS_PER_SECOND &&
        (row->values[PARTITION_RETIRED].type == DDBSIM_VALUE_NULL ||
         row_integer(row, PARTITION_RETIRED) > t_s * NS_PER_SECOND) &&
        (!cause || strcmp(row_text(row, PARTITION_CAUSE), cause) == 0))
        count++;
    return count;
}

#endif
