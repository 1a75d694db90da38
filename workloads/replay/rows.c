/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows of separated values (RFC 4180), parsed by libcsv line by line, so that a bad row costs no more than itself and
 * every row knows its line. A row may take several lines where a quoted field holds line ends; all of them together
 * are bounded like one line.
 *
 * Invariants: slots that no column goes to hold "", the others what the row has; of a row only the columns that somebody wants are copied; `text` has room for a whole row, so that
 * fields never move while it is parsed.
 */
#include <workloads/replay/rows.h>

#include <base/check.h>
#include <base/error.h>
#include <csv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/columns.h>

#define FIELD_STEP 4096 /* by which libcsv's own room for a field grows */
#define PARSER_OPTIONS (CSV_STRICT | CSV_STRICT_FINI)
#define NO_SLOT 0xff
#define LIST_BYTES 256
#define DELIMITERS ",;\t|"

struct rows {
    struct reader *reader;
    struct csv_parser parser;
    char delimiter;
    uint8_t slot_of[COLUMNS_NUMBER_MAX];
    struct rows_field fields[ROWS_SLOTS];
    char *text; /* of the fields */
    size_t used;
    uint32_t column; /* of the row: fields so far */
    bool has_ended;
    uint32_t needed; /* columns that a row must have */
    uint64_t line;
    bool is_naming; /* all columns are kept, as names */
    struct rows_field *names;
    int name_count;
    char *name_text;
    bool keeps_names;
};

const struct rows_field *rows_fields(const struct rows *rows) { return rows->fields; }

uint64_t rows_line(const struct rows *rows) { return rows->line; }

const struct rows_field *rows_name(const struct rows *rows, int column) {
    return column >= 0 && column < rows->name_count ? &rows->names[column] : NULL;
}

/* ---- fields ---- */

static void keep_name(struct rows *rows, const char *bytes, size_t length) {
    if (rows->name_count == COLUMNS_NUMBER_MAX) return;
    char *text = rows->name_text + rows->used;
    if (length > 0) memcpy(text, bytes, length);
    text[length] = '\0';
    rows->names[rows->name_count++] = (struct rows_field){text, (uint32_t)length};
    rows->used += length + 1;
}

static bool is_space(const struct rows *rows, char c) {
    return (c == ' ' || c == '\t') && c != rows->delimiter;
}

static void on_field(struct rows *rows, const char *bytes, size_t length) {
    uint32_t column = rows->column++;
    if (rows->is_naming) {
        keep_name(rows, bytes, length);
        return;
    }
    if (column >= COLUMNS_NUMBER_MAX || rows->slot_of[column] == NO_SLOT) return;
    char *text = rows->text + rows->used;
    CHECK(rows->used + length < RECORDING_LINE_MAX + ROWS_SLOTS);
    if (length > 0) memcpy(text, bytes, length);
    text[length] = '\0';
    rows->fields[rows->slot_of[column]] = (struct rows_field){text, (uint32_t)length};
    rows->used += length + 1;
}

static void on_csv_field(void *bytes, size_t length, void *context) {
    on_field(context, bytes, length);
}

static void on_csv_row(int unused, void *context) {
    struct rows *rows = context;
    (void)unused;
    rows->has_ended = true;
}

/* ---- both ends ---- */

/* Lines are the feed's to find: a carriage return within one ends no row. */
static int is_line_end(unsigned char c) { return c == '\n'; }

static enum ddbsim_status start_parser(struct rows *rows, struct ddbsim_error *error) {
    if (csv_init(&rows->parser, PARSER_OPTIONS) != 0) return error_memory(error);
    csv_set_delim(&rows->parser, (unsigned char)rows->delimiter);
    csv_set_blk_size(&rows->parser, FIELD_STEP);
    csv_set_term_func(&rows->parser, is_line_end);
    return DDBSIM_OK;
}

static char find_delimiter(const char *head, size_t length) {
    size_t counts[sizeof DELIMITERS] = {0};
    size_t best = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < length && (head[i] != '\n' || is_quoted); i++) {
        const char *found = strchr(DELIMITERS, head[i]);
        if (head[i] == '"') is_quoted = !is_quoted;
        if (found && *found && !is_quoted) counts[found - DELIMITERS]++;
    }
    for (size_t i = 1; i + 1 < sizeof DELIMITERS; i++)
        if (counts[i] > counts[best]) best = i;
    return DELIMITERS[best];
}

enum ddbsim_status rows_create(struct reader *reader, char delimiter, struct rows **out,
                               struct ddbsim_error *error) {
    const char *head;
    size_t length;
    *out = NULL;
    enum ddbsim_status status = feed_head(reader->feed, &head, &length, error);
    if (status) return status;
    struct rows *rows = calloc(1, sizeof *rows);
    if (!rows) return error_memory(error);
    rows->reader = reader;
    rows->delimiter = delimiter;
    if (!delimiter) rows->delimiter = find_delimiter(head, length);
    memset(rows->slot_of, NO_SLOT, sizeof rows->slot_of);
    for (int i = 0; i < ROWS_SLOTS; i++)
        rows->fields[i] = (struct rows_field){"", 0};
    rows->text = malloc(RECORDING_LINE_MAX + ROWS_SLOTS);
    status = rows->text ? start_parser(rows, error) : error_memory(error);
    if (status)
        rows_destroy(rows);
    else
        *out = rows;
    return status;
}

void rows_destroy(struct rows *rows) {
    if (!rows) return;
    csv_free(&rows->parser);
    free(rows->names);
    free(rows->name_text);
    free(rows->text);
    free(rows);
}

/* ---- rows ---- */

static enum ddbsim_status row_is_bad(struct rows *rows, enum reader_outcome *outcome,
                                     struct ddbsim_error *error, const char *why) {
    rows->reader->bad_line = rows->line;
    reader_bad(rows->reader, "%s", why);
    *outcome = READER_BAD;
    csv_free(&rows->parser); /* it would go on where it stopped */
    return start_parser(rows, error);
}

static enum ddbsim_status judge_row(struct rows *rows, enum reader_outcome *outcome,
                                    struct ddbsim_error *error) {
    char why[96];
    if (!rows->is_naming && rows->column < rows->needed) {
        snprintf(why, sizeof why, "the row has %u columns of the %u that are needed", rows->column,
                 rows->needed);
        return row_is_bad(rows, outcome, error, why);
    }
    *outcome = READER_ROW;
    return DDBSIM_OK;
}

/* Why libcsv stopped. */
static enum ddbsim_status parse_failed(struct rows *rows, enum reader_outcome *outcome,
                                       struct ddbsim_error *error) {
    if (csv_error(&rows->parser) == CSV_ENOMEM) return error_memory(error);
    return row_is_bad(rows, outcome, error,
                      "a quote stands within a field (fields with quotes are quoted whole, and "
                      "quotes within them doubled)");
}

/* Most lines have no quote in them and are a row each: what libcsv would make of them (spaces and tabs around a field
 * are dropped, a line of nothing else is no row) takes a third of the time without it. */
static void split_line(struct rows *rows, const char *line, size_t length) {
    const char *at = line, *end = line + length;
    while (at < end && is_space(rows, *at))
        at++;
    if (at == end) return;
    for (at = line; at <= end;) {
        const char *stop = memchr(at, rows->delimiter, (size_t)(end - at)), *next;
        if (!stop) stop = end;
        next = stop + 1;
        while (at < stop && is_space(rows, *at))
            at++;
        while (stop > at && is_space(rows, stop[-1]))
            stop--;
        on_field(rows, at, (size_t)(stop - at));
        at = next;
    }
    rows->has_ended = true;
}

/* A line with quotes, or within them. Line ends within quotes become LF. */
static bool parse_line(struct rows *rows, const struct feed_line *line) {
    return csv_parse(&rows->parser, line->text, line->length, on_csv_field, on_csv_row, rows) ==
               line->length &&
           csv_parse(&rows->parser, "\n", 1, on_csv_field, on_csv_row, rows) == 1;
}

/* Lines until the row has ended; blank ones between rows are passed over. */
static enum ddbsim_status parse_row(struct rows *rows, enum reader_outcome *outcome,
                                    struct ddbsim_error *error) {
    struct feed_line line;
    size_t bytes = 0;
    bool more, is_open = false; /* a quoted field holds a line's end */
    for (;;) {
        enum ddbsim_status status = feed_line(rows->reader->feed, &line, &more, error);
        if (status) return status;
        *outcome = READER_END;
        if (!more && is_open)
            return row_is_bad(rows, outcome, error, "the file ends within a quoted field");
        if (!more) return DDBSIM_OK;
        if (!is_open) rows->line = line.number;
        if (!line.text || bytes + line.whole > RECORDING_LINE_MAX)
            return row_is_bad(rows, outcome, error, "the row has over 1 MB");
        bytes += line.whole;
        if (is_open || memchr(line.text, '"', line.length)) {
            if (!parse_line(rows, &line)) return parse_failed(rows, outcome, error);
            is_open = !rows->has_ended;
        } else if (memchr(line.text, '\r', line.length)) {
            return row_is_bad(rows, outcome, error, "a carriage return stands within the line");
        } else {
            split_line(rows, line.text, line.length);
        }
        if (rows->has_ended) return judge_row(rows, outcome, error);
    }
}

static void clear_row(struct rows *rows) {
    rows->used = 0;
    rows->column = 0;
    rows->has_ended = false;
}

/* The names again, as the fields of a row. */
static void take_names(struct rows *rows) {
    for (int i = 0; i < rows->name_count; i++)
        if (rows->slot_of[i] != NO_SLOT) rows->fields[rows->slot_of[i]] = rows->names[i];
    rows->column = (uint32_t)rows->name_count;
    rows->has_ended = true;
    rows->keeps_names = false;
}

enum ddbsim_status rows_next(struct rows *rows, enum reader_outcome *outcome,
                             struct ddbsim_error *error) {
    clear_row(rows);
    if (!rows->keeps_names) return parse_row(rows, outcome, error);
    take_names(rows);
    return judge_row(rows, outcome, error);
}

bool rows_want(struct rows *rows, int slot, int column) {
    CHECK(slot >= 0 && slot < ROWS_SLOTS && column < COLUMNS_NUMBER_MAX);
    if (column == ROWS_NO_COLUMN) return true;
    if (rows->slot_of[column] != NO_SLOT) return false;
    rows->slot_of[column] = (uint8_t)slot;
    if ((uint32_t)column >= rows->needed) rows->needed = (uint32_t)column + 1;
    return true;
}

int rows_slot(const struct rows *rows, int column) {
    CHECK(column >= 0 && column < COLUMNS_NUMBER_MAX);
    return rows->slot_of[column] == NO_SLOT ? -1 : rows->slot_of[column];
}

/* ---- names ---- */

enum ddbsim_status rows_read_names(struct rows *rows, int *count, struct ddbsim_error *error) {
    enum reader_outcome outcome;
    rows->names = calloc(COLUMNS_NUMBER_MAX, sizeof *rows->names);
    rows->name_text = malloc(RECORDING_LINE_MAX + COLUMNS_NUMBER_MAX);
    if (!rows->names || !rows->name_text) return error_memory(error);
    clear_row(rows);
    rows->is_naming = true;
    enum ddbsim_status status = parse_row(rows, &outcome, error);
    rows->is_naming = false;
    *count = rows->name_count;
    if (status || outcome != READER_BAD) return status;
    return reader_fail(rows->reader, rows->line, error, "the header cannot be read: %s",
                       rows->reader->bad_message);
}

int rows_find(const struct rows *rows, const char *names) {
    for (int i = 0; i < rows->name_count; i++)
        if (columns_is_one_of(names, rows->names[i].text, rows->names[i].length)) return i;
    return ROWS_NO_COLUMN;
}

const char *rows_list_names(const struct rows *rows, char *out, size_t size) {
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < rows->name_count && used + 8 < size; i++) {
        char quoted[32];
        reader_quote(rows->names[i].text, rows->names[i].length, quoted, sizeof quoted);
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", quoted);
    }
    return out;
}

void rows_keep_names_as_row(struct rows *rows) { rows->keeps_names = true; }

/* ---- what formats share ---- */

static enum ddbsim_status missing(struct reader *reader, const struct rows *rows, const char *names,
                                  struct ddbsim_error *error) {
    char list[LIST_BYTES];
    return reader_fail(reader, rows->line, error, "the header has no column %.*s; it has %s",
                       (int)strcspn(names, "|"), names, rows_list_names(rows, list, sizeof list));
}

static enum ddbsim_status want_all(struct reader *reader, struct rows *rows,
                                   const struct rows_wish *wishes, size_t count,
                                   struct ddbsim_error *error) {
    int names = 0;
    enum ddbsim_status status = rows_read_names(rows, &names, error);
    for (size_t i = 0; !status && names > 0 && i < count; i++) {
        int column = rows_find(rows, wishes[i].names);
        if (column == ROWS_NO_COLUMN && wishes[i].is_needed)
            return missing(reader, rows, wishes[i].names, error);
        (void)rows_want(rows, wishes[i].slot, column);
    }
    return status;
}

enum ddbsim_status rows_open(struct reader *reader, const struct rows_wish *wishes, size_t count,
                             struct rows **out, struct ddbsim_error *error) {
    enum ddbsim_status status = rows_create(reader, reader->options->delimiter, out, error);
    if (status) return status;
    status = want_all(reader, *out, wishes, count, error);
    if (!status) return DDBSIM_OK;
    rows_destroy(*out);
    *out = NULL;
    return status;
}

enum ddbsim_status rows_open_bare(struct reader *reader, const int *slots, size_t count,
                                  struct rows **out, struct ddbsim_error *error) {
    char delimiter = reader->options->delimiter;
    if (!delimiter) delimiter = ',';
    enum ddbsim_status status = rows_create(reader, delimiter, out, error);
    if (status) return status;
    for (size_t i = 0; i < count; i++)
        if (slots[i] >= 0) (void)rows_want(*out, slots[i], (int)i);
    (*out)->needed = (uint32_t)count;
    return DDBSIM_OK;
}

enum ddbsim_status rows_take(struct reader *reader, struct rows *rows, rows_take_fn *take,
                             struct recorded *row, enum reader_outcome *outcome,
                             struct ddbsim_error *error) {
    enum ddbsim_status status = rows_next(rows, outcome, error);
    if (status || *outcome != READER_ROW) return status;
    row->line = reader->bad_line = rows->line;
    if (!take(reader, rows->fields, row)) *outcome = READER_BAD;
    return DDBSIM_OK;
}

void rows_close(struct reader *reader) {
    rows_destroy(reader->state);
    reader->state = NULL;
}

void rows_put_text(const struct rows_field *field, const char **text, uint32_t *length) {
    *text = field->length > 0 ? field->text : NULL;
    *length = field->length;
}

bool rows_take_time(struct reader *reader, const struct rows_field *field, struct recorded *row) {
    return reader_time(reader, field->text, field->length, &row->t_ns);
}

bool rows_take_item(struct reader *reader, const struct rows_field *key_size,
                    const struct rows_field *value_size, struct recorded *row) {
    int64_t key, value;
    if (!reader_size(reader, "key size", key_size->text, key_size->length, &key) ||
        !reader_size(reader, "value size", value_size->text, value_size->length, &value))
        return false;
    if (key >= 0 && value >= 0) row->item_bytes = value > INT64_MAX - key ? INT64_MAX : key + value;
    return true;
}

bool rows_peek_header(const struct reader_head *head, struct rows_header *out) {
    const char *text = head->bytes;
    size_t length = head->length;
    const char *end = memchr(text, '\n', length);
    if (!end && !head->is_whole) return false;
    if (end) length = (size_t)(end - text);
    if (length > 0 && text[length - 1] == '\r') length--;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' && text[i] != '\t') return false;
    *out = (struct rows_header){text, length, find_delimiter(text, length)};
    return memchr(text, out->delimiter, length) != NULL;
}

/* The field at *at without its quotes, and *at behind it; its text is NULL where there is none. */
static struct rows_field peek_field(const struct rows_header *header, const char **at) {
    const char *end = header->text + header->length, *from = *at;
    if (!from) return (struct rows_field){NULL, 0};
    const char *stop = memchr(from, header->delimiter, (size_t)(end - from));
    *at = stop ? stop + 1 : NULL;
    if (!stop) stop = end;
    while (from < stop && (*from == '"' || *from == ' '))
        from++;
    while (stop > from && (stop[-1] == '"' || stop[-1] == ' '))
        stop--;
    return (struct rows_field){from, (uint32_t)(stop - from)};
}

struct rows_field rows_header_field(const struct rows_header *header, int number) {
    const char *at = header->text;
    while (number-- > 0)
        (void)peek_field(header, &at);
    return peek_field(header, &at);
}

bool rows_header_has(const struct rows_header *header, const char *names) {
    const char *at = header->text;
    for (;;) {
        struct rows_field field = peek_field(header, &at);
        if (!field.text) return false;
        if (columns_is_one_of(names, field.text, field.length)) return true;
    }
}
