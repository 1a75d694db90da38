/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording, whatever its format: rows in order of time, each within the limits of AWS and of this program. A row
 * that is not is bad: it ends the reading with its line, or is passed over and counted.
 *
 * The first rows are read ahead when a recording is opened. They tell how finely its times are kept, which whoever
 * replays it must know before the first one.
 *
 * Invariants: rows that were given never go back in time; what is held is the rows read ahead and, of formats that
 * write rows when they are over, as many as these may be out of order, within HELD_BYTES_MOST.
 */
#include <workloads/replay/recording.h>

#include <base/check.h>
#include <base/error.h>
#include <base/types.h>
#include <base/utf8.h>
#include <base/vector.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/reader.h>

#define SURVEY_ROWS 256
#define HELD_BYTES_MOST ((size_t)32 << 20)
#define TABLE_NAME_MAX 255 /* AWS's limit */

struct held { /* a row with texts of its own, in one block */
    struct recorded row;
    uint64_t order; /* in which it was read */
    char *texts;
    size_t bytes;
};

struct recording {
    struct reader reader;
    const struct recording_format *format;
    struct recording_options options;
    char *texts[4]; /* the options' */
    struct recording_facts facts;
    int64_t last_ns; /* of the row that went last into the order of time */
    /* Rows out of order: a heap by time, then by order. */
    struct held *heap;
    size_t heap_count, heap_capacity, heap_bytes;
    uint64_t order;
    bool has_ended; /* the reader gave its last row */
    /* Rows read ahead, and what stopped that. */
    struct held survey[SURVEY_ROWS];
    size_t survey_at, survey_count;
    enum ddbsim_status survey_status;
    struct ddbsim_error survey_error;
    char *given; /* texts of the row that was given last, if it was held */
};

const struct recording_facts *recording_facts(const struct recording *recording) {
    return &recording->facts;
}

/* ---- bad rows ---- */

static enum ddbsim_status stop_at_row(const struct recording *recording,
                                      struct ddbsim_error *error) {
    const struct reader *reader = &recording->reader;
    (void)reader_fail(reader, reader->bad_line, error, "%s", reader->bad_message);
    error_hint(error, "`on_bad_row: skip' passes over rows like this and counts them");
    return DDBSIM_INPUT;
}

/* Passes over the row, or fails. */
static enum ddbsim_status take_bad(struct recording *recording, struct ddbsim_error *error) {
    struct recording_facts *facts = &recording->facts;
    const struct reader *reader = &recording->reader;
    if (!recording->options.skip_bad_rows) return stop_at_row(recording, error);
    if (facts->skipped++ == 0)
        snprintf(facts->first_skipped, sizeof facts->first_skipped, "line %llu: %.120s",
                 (unsigned long long)reader->bad_line, reader->bad_message);
    return DDBSIM_OK;
}

static bool check_text(struct reader *reader, const char *what, const char *text, uint32_t length,
                       uint32_t most) {
    if (!text) return true;
    if (length > most)
        return reader_bad(reader, "the %s has %u bytes; AWS allows %u", what, length, most);
    if (!utf8_is_valid(text, length)) return reader_bad(reader, "the %s is not UTF-8", what);
    if (memchr(text, '\0', length)) return reader_bad(reader, "there is a NUL in the %s", what);
    return true;
}

/* Is a row what a row of any format may be? */
static bool check_row(struct recording *recording, const struct recorded *row) {
    struct reader *reader = &recording->reader;
    reader->bad_line = row->line;
    if (row->t_ns < 0) return reader_bad(reader, "the time is negative");
    if (row->period_ns < 0 || row->period_ns > INT64_MAX - row->t_ns)
        return reader_bad(reader, "the period is beyond any range");
    if (!(row->count >= 0 && row->count <= (double)RECORDING_COUNT_MAX))
        return reader_bad(reader, "a count of %g is beyond any range", row->count);
    if (row->item_bytes > DDBSIM_ITEM_BYTES_MAX)
        return reader_bad(reader, "the item has %lld bytes; AWS allows 400 KB",
                          (long long)row->item_bytes);
    size_t table = row->table ? strlen(row->table) : 0;
    return check_text(reader, "key", row->key, row->key_bytes, RECORDING_KEY_MAX) &&
           check_text(reader, "sort key", row->sort, row->sort_bytes, RECORDING_SORT_MAX) &&
           check_text(reader, "table's name", row->table,
                      table > UINT32_MAX ? UINT32_MAX : (uint32_t)table, TABLE_NAME_MAX);
}

static bool check_order(struct recording *recording, const struct recorded *row) {
    struct reader *reader = &recording->reader;
    if (row->t_ns >= recording->last_ns) {
        recording->last_ns = row->t_ns;
        return true;
    }
    reader->bad_line = row->line;
    int64_t back_us = (recording->last_ns - row->t_ns) / NS_PER_US;
    if (recording->format->disorder > 0)
        return reader_bad(reader, "the time goes back by %lld us, over more than %u rows",
                          (long long)back_us, recording->format->disorder);
    return reader_bad(reader, "the time goes back by %lld us: rows are sorted by time",
                      (long long)back_us);
}

/* The reader's next row that is good in itself. */
static enum ddbsim_status read_row(struct recording *recording, struct recorded *row, bool *more,
                                   struct ddbsim_error *error) {
    for (;;) {
        enum reader_outcome outcome = READER_END;
        *row = (struct recorded){
            .operation = RECORDING_UNKNOWN, .item_bytes = RECORDING_UNKNOWN, .count = 1};
        enum ddbsim_status status =
            recording->format->next(&recording->reader, row, &outcome, error);
        *more = outcome == READER_ROW;
        if (status || outcome == READER_END) return status;
        if (outcome == READER_ROW && check_row(recording, row)) return DDBSIM_OK;
        status = take_bad(recording, error);
        if (status) return status;
    }
}

/* ---- rows that are held ---- */

static void put_text(const char **text, size_t length, char **at) {
    if (!*text) return;
    memcpy(*at, *text, length);
    (*at)[length] = '\0';
    *text = *at;
    *at += length + 1;
}

static bool held_init(struct held *held, const struct recorded *row) {
    size_t table = row->table ? strlen(row->table) : 0;
    *held = (struct held){.row = *row};
    held->bytes = (size_t)row->key_bytes + row->sort_bytes + table + 3;
    held->texts = malloc(held->bytes);
    if (!held->texts) return false;
    char *at = held->texts;
    put_text(&held->row.key, row->key_bytes, &at);
    put_text(&held->row.sort, row->sort_bytes, &at);
    put_text(&held->row.table, table, &at);
    return true;
}

/* Gives a held row away: its texts live until the next one is given. */
static void give(struct recording *recording, struct held *held, struct recorded *row) {
    free(recording->given);
    recording->given = held->texts;
    held->texts = NULL;
    *row = held->row;
}

static bool is_before(const struct held *a, const struct held *b) {
    return a->row.t_ns != b->row.t_ns ? a->row.t_ns < b->row.t_ns : a->order < b->order;
}

static void swap(struct held *a, struct held *b) {
    struct held kept = *a;
    *a = *b;
    *b = kept;
}

static enum ddbsim_status heap_push(struct recording *recording, const struct recorded *row,
                                    struct ddbsim_error *error) {
    void *items = recording->heap;
    bool fits = vector_reserve_raw(&items, &recording->heap_capacity, recording->heap_count + 1,
                                   sizeof *recording->heap);
    recording->heap = items;
    size_t at = recording->heap_count;
    if (!fits || !held_init(&recording->heap[at], row)) return error_memory(error);
    struct held *heap = recording->heap;
    heap[at].order = recording->order++;
    recording->heap_bytes += heap[at].bytes;
    recording->heap_count++;
    for (; at > 0 && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap[at], &heap[(at - 1) / 2]);
    return DDBSIM_OK;
}

static void heap_pop(struct recording *recording, struct recorded *row) {
    struct held *heap = recording->heap;
    CHECK(recording->heap_count > 0);
    recording->heap_bytes -= heap[0].bytes;
    give(recording, &heap[0], row);
    size_t count = --recording->heap_count, at = 0;
    heap[0] = heap[count];
    for (;;) {
        size_t least = at, left = 2 * at + 1;
        if (left < count && is_before(&heap[left], &heap[least])) least = left;
        if (left + 1 < count && is_before(&heap[left + 1], &heap[least])) least = left + 1;
        if (least == at) return;
        swap(&heap[at], &heap[least]);
        at = least;
    }
}

static bool heap_is_full(const struct recording *recording) {
    return recording->heap_count > recording->format->disorder ||
           recording->heap_bytes > HELD_BYTES_MOST;
}

/* The earliest of the rows that may be out of order. */
static enum ddbsim_status read_earliest(struct recording *recording, struct recorded *row,
                                        bool *more, struct ddbsim_error *error) {
    while (!recording->has_ended && !heap_is_full(recording)) {
        enum ddbsim_status status = read_row(recording, row, more, error);
        if (status) return status;
        recording->has_ended = !*more;
        if (*more) status = heap_push(recording, row, error);
        if (status) return status;
    }
    *more = recording->heap_count > 0;
    if (*more) heap_pop(recording, row);
    return DDBSIM_OK;
}

/* The next row in order of time. */
static enum ddbsim_status read_ordered(struct recording *recording, struct recorded *row,
                                       bool *more, struct ddbsim_error *error) {
    for (;;) {
        enum ddbsim_status status = recording->format->disorder > 0
                                        ? read_earliest(recording, row, more, error)
                                        : read_row(recording, row, more, error);
        if (status || !*more || check_order(recording, row)) return status;
        status = take_bad(recording, error);
        if (status) return status;
    }
}

/* ---- reading ahead ---- */

/* The coarsest of s, ms, us and ns in which all times are whole. */
static int64_t finest_step(int64_t step_ns, int64_t t_ns) {
    while (t_ns % step_ns != 0)
        step_ns /= 1000;
    return step_ns;
}

/* A unit below seconds was chosen to be used. */
static int64_t unit_step(const struct stamp_clock *clock) {
    int64_t step_ns = NS_PER_S;
    for (int power = clock->has_unit ? clock->power : 9; power < 9; power += 3)
        step_ns /= 1000;
    return step_ns;
}

static enum ddbsim_status read_ahead(struct recording *recording, struct ddbsim_error *error) {
    struct recorded row;
    int64_t step_ns = NS_PER_S;
    bool more = true;
    recording->survey_at = recording->survey_count = 0;
    recording->survey_error = (struct ddbsim_error){0};
    recording->survey_status = DDBSIM_OK;
    while (more && recording->survey_count < SURVEY_ROWS) {
        recording->survey_status = read_ordered(recording, &row, &more, &recording->survey_error);
        if (recording->survey_status || !more) break;
        if (!held_init(&recording->survey[recording->survey_count], &row))
            return error_memory(error);
        recording->survey_count++;
        step_ns = finest_step(step_ns, row.t_ns);
    }
    recording->facts.resolution_ns = smaller(step_ns, unit_step(&recording->reader.clock));
    recording->facts.is_absolute = recording->reader.clock.is_absolute;
    memcpy(recording->facts.columns, recording->reader.columns, sizeof recording->facts.columns);
    return DDBSIM_OK;
}

enum ddbsim_status recording_next(struct recording *recording, struct recorded *row, bool *more,
                                  struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    *more = true;
    if (recording->survey_at < recording->survey_count) {
        give(recording, &recording->survey[recording->survey_at++], row);
    } else if (recording->survey_status) {
        *more = false;
        if (error && error->status == DDBSIM_OK) *error = recording->survey_error;
        return recording->survey_status;
    } else {
        status = read_ordered(recording, row, more, error);
    }
    if (!status && *more) recording->facts.rows++;
    return status;
}

/* ---- both ends ---- */

static enum ddbsim_status copy_options(struct recording *recording,
                                       const struct recording_options *options,
                                       struct ddbsim_error *error) {
    struct recording_options *own = &recording->options;
    const char **const places[] = {&own->file, &own->format, &own->columns, &own->time_unit};
    *own = *options;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        if (!*places[i]) continue;
        recording->texts[i] = strdup(*places[i]);
        if (!recording->texts[i]) return error_memory(error);
        *places[i] = recording->texts[i];
    }
    if (!stamp_set_unit(&recording->reader.clock, own->time_unit))
        return error_set(error, DDBSIM_INPUT, "time unit \"%.40s\": s, ms, us or ns",
                         own->time_unit);
    return DDBSIM_OK;
}

static const struct recording_format *find_format(const char *name) {
    const struct recording_format *format;
    for (size_t i = 0; (format = recording_format(i)); i++)
        if (strcmp(format->name, name) == 0) return format;
    return NULL;
}

/* Only two formats have columns. */
static const char *format_with_columns(const char *head, size_t length) {
    size_t at = 0;
    while (at < length && (head[at] == ' ' || head[at] == '\n' || head[at] == '\r'))
        at++;
    return at < length && head[at] == '{' ? "jsonl" : "csv";
}

static enum ddbsim_status not_recognised(const struct recording *recording, const char *head,
                                         size_t length, struct ddbsim_error *error) {
    const struct reader *reader = &recording->reader;
    if (length == 0) return reader_fail(reader, 0, error, "the file is empty");
    (void)reader_fail(reader, 0, error, "no format is known that begins like this");
    bool wide = length >= 2 && (!memcmp(head, "\xff\xfe", 2) || !memcmp(head, "\xfe\xff", 2));
    error_hint(error, "%s",
               wide ? "this is UTF-16: `iconv -f UTF-16 -t UTF-8' makes UTF-8 of it"
                    : "say which format it has (`ddbsim list formats'), or with `columns' which "
                      "column is what");
    return DDBSIM_INPUT;
}

static enum ddbsim_status choose_format(struct recording *recording, struct ddbsim_error *error) {
    const struct recording_options *options = &recording->options;
    const char *name = options->format, *head;
    size_t length;
    int sure;
    enum ddbsim_status status = feed_head(recording->reader.feed, &head, &length, error);
    if (status) return status;
    if (!name || strcmp(name, "auto") == 0)
        name = options->columns && length > 0
                   ? format_with_columns(head, length)
                   : recording_recognise(head, length, length < FEED_HEAD_BYTES, &sure);
    if (!name) return not_recognised(recording, head, length, error);
    recording->format = find_format(name);
    if (recording->format) {
        recording->facts.format = recording->format->name;
        recording->facts.is_rates = recording->format->is_rates;
        return DDBSIM_OK;
    }
    error_set(error, DDBSIM_INPUT, "no format is called \"%.40s\"", name);
    error_hint(error, "`ddbsim list formats' names them");
    return DDBSIM_INPUT;
}

static enum ddbsim_status open_format(struct recording *recording, struct ddbsim_error *error) {
    enum ddbsim_status status = recording->format->open(&recording->reader, error);
    return status ? status : read_ahead(recording, error);
}

enum ddbsim_status recording_create(const struct recording_options *options, struct recording **out,
                                    struct ddbsim_error *error) {
    struct recording *recording = calloc(1, sizeof *recording);
    *out = NULL;
    if (!recording) return error_memory(error);
    recording->reader.options = &recording->options;
    enum ddbsim_status status = copy_options(recording, options, error);
    if (!status) status = feed_create(options->file, &recording->reader.feed, error);
    if (!status) status = choose_format(recording, error);
    if (!status) status = open_format(recording, error);
    if (status)
        recording_destroy(recording);
    else
        *out = recording;
    return status;
}

static void drop_rows(struct recording *recording) {
    for (size_t i = recording->survey_at; i < recording->survey_count; i++)
        free(recording->survey[i].texts);
    for (size_t i = 0; i < recording->heap_count; i++)
        free(recording->heap[i].texts);
    free(recording->given);
    recording->given = NULL;
    recording->survey_at = recording->survey_count = 0;
    recording->heap_count = recording->heap_bytes = 0;
}

enum ddbsim_status recording_rewind(struct recording *recording, struct ddbsim_error *error) {
    struct recording_facts *facts = &recording->facts;
    drop_rows(recording);
    recording->format->close(&recording->reader);
    recording->last_ns = 0;
    recording->order = 0;
    recording->has_ended = false;
    facts->rows = facts->skipped = 0;
    facts->first_skipped[0] = '\0';
    enum ddbsim_status status = feed_rewind(recording->reader.feed, error);
    return status ? status : open_format(recording, error);
}

void recording_destroy(struct recording *recording) {
    if (!recording) return;
    drop_rows(recording);
    free(recording->heap);
    if (recording->format) recording->format->close(&recording->reader);
    feed_destroy(recording->reader.feed);
    for (size_t i = 0; i < sizeof recording->texts / sizeof recording->texts[0]; i++)
        free(recording->texts[i]);
    free(recording);
}
