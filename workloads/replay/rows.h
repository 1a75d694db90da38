/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of separated values by libcsv, strictly after RFC 4180: what is quoted may hold delimiters, quotes and line
 * ends; a quote within an unquoted field is an error. A reader says which columns it wants, by slots of its own.
 */
#ifndef REPLAY_ROWS_H
#define REPLAY_ROWS_H

#include <workloads/replay/reader.h>

#define ROWS_SLOTS 16
#define ROWS_NO_COLUMN (-1)

struct rows_field {
    const char *text; /* ends with a NUL; "" where the row has none */
    uint32_t length;
};

struct rows;

/* delimiter 0: what stands most often in the first line, of comma, semicolon, tab and bar. */
DDBSIM_MUST_CHECK enum ddbsim_status rows_create(struct reader *reader, char delimiter,
                                                 struct rows **out, struct ddbsim_error *error);
void rows_destroy(struct rows *rows);
/* Reads the first row as names of columns; their count is 0 where there is no row. */
DDBSIM_MUST_CHECK enum ddbsim_status rows_read_names(struct rows *rows, int *count,
                                                     struct ddbsim_error *error);
const struct rows_field *rows_name(const struct rows *rows, int column); /* NULL: there is none */
/* The first column, from 0, that has one of these names, joined by |; ROWS_NO_COLUMN. */
int rows_find(const struct rows *rows, const char *names);
/* The names as a list for a message. */
const char *rows_list_names(const struct rows *rows, char *out, size_t size);
/* A column goes to a slot; ROWS_NO_COLUMN goes nowhere. A row that ends before it is bad. False: the column has a slot
 * already. */
bool rows_want(struct rows *rows, int slot, int column);
/* The slot of a column; -1 where it has none. */
int rows_slot(const struct rows *rows, int column);
/* The row that was read as names is a row after all, and the first. */
void rows_keep_names_as_row(struct rows *rows);
/* The next row, whose fields hold until the one after it. */
DDBSIM_MUST_CHECK enum ddbsim_status rows_next(struct rows *rows, enum reader_outcome *outcome,
                                               struct ddbsim_error *error);
const struct rows_field *rows_fields(const struct rows *rows);
uint64_t rows_line(const struct rows *rows); /* where the row begins */

struct rows_wish { /* a column of a format whose header is fixed, in any order */
    int slot;
    const char *names; /* joined by | */
    bool is_needed;    /* it must be in the header; what is in the header must be in every row */
};

/* Rows of such a format. A header without a needed column is an error. */
DDBSIM_MUST_CHECK enum ddbsim_status rows_open(struct reader *reader,
                                               const struct rows_wish *wishes, size_t count,
                                               struct rows **out, struct ddbsim_error *error);
/* Rows of a format without a header, which has so many columns: column i goes to slots[i], -1 to none. */
DDBSIM_MUST_CHECK enum ddbsim_status rows_open_bare(struct reader *reader, const int *slots,
                                                    size_t count, struct rows **out,
                                                    struct ddbsim_error *error);
/* The next row, taken by take(), which says of a bad one why it is bad. */
typedef bool rows_take_fn(struct reader *reader, const struct rows_field *fields,
                          struct recorded *row);
DDBSIM_MUST_CHECK enum ddbsim_status rows_take(struct reader *reader, struct rows *rows,
                                               rows_take_fn *take, struct recorded *row,
                                               enum reader_outcome *outcome,
                                               struct ddbsim_error *error);
/* For tables of formats: their close, where the state is the rows alone. */
void rows_close(struct reader *reader);
/* A field as a text of a row; NULL where it is empty. */
void rows_put_text(const struct rows_field *field, const char **text, uint32_t *length);
/* A field as the row's time. */
bool rows_take_time(struct reader *reader, const struct rows_field *field, struct recorded *row);
/* An item is its key and its value; unknown where one of them is. */
bool rows_take_item(struct reader *reader, const struct rows_field *key_size,
                    const struct rows_field *value_size, struct recorded *row);

/* ---- for recognise ---- */

struct rows_header { /* the first line, unparsed */
    const char *text;
    size_t length;
    char delimiter;
};

/* False where the head does not begin with a line of printable text that has a delimiter. */
bool rows_peek_header(const struct reader_head *head, struct rows_header *out);
/* Has it a column with one of these names? Quotes around names are passed over. */
bool rows_header_has(const struct rows_header *header, const char *names);
/* The number-th field from 0; its text is NULL where there is none. */
struct rows_field rows_header_field(const struct rows_header *header, int number);

#endif
