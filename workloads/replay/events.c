/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The frame of all readers of AWS's event documents: it takes the file apart, hands each piece to the reader of its
 * kind, keeps what comes of it and sorts it. What a piece says wrong is told with its line, or, where bad rows are
 * skipped, counted.
 *
 * Invariants: events are at most EVENTS_MAX; when reading is over they stand by time, and those of one time as in
 * the file.
 */
#include <workloads/replay/events.h>

#include <base/check.h>
#include <base/error.h>
#include <base/vector.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/reader.h>

/* Lists that are taken apart, and names that a document of the kind has near its beginning: all of one row. */
static const struct kind_row {
    events_take_fn take;
    const char *lists[4];
    const char *marks[4][4];
} kind_rows[EVENTS_KIND_COUNT] = {
    [EVENTS_CLOUDTRAIL] = {.take = cloudtrail_take,
                           .lists = {"Records", "Events"},
                           .marks = {{"eventSource", "eventName", "eventTime"},
                                     {"CloudTrailEvent"}}},
    [EVENTS_STREAMS] = {.take = streams_take,
                        .lists = {"Records"},
                        .marks = {{"dynamodb", "ApproximateCreationDateTime"}}},
    [EVENTS_S3_EXPORT] = {.take = s3_export_take,
                          .lists = {NULL},
                          .marks = {{"Item"},
                                    {"WriteTimestampMicros"},
                                    {"dataFileS3Key"},
                                    {"exportArn", "tableArn"}}},
    [EVENTS_XRAY] = {.take = xray_take,
                     .lists = {"Traces"},
                     .marks = {{"Traces", "Segments"}, {"trace_id", "start_time"}}},
    [EVENTS_OTEL] = {.take = otel_take, .lists = {"resourceSpans"}, .marks = {{"resourceSpans"}}},
};

const char *events_kind_name(enum events_kind kind) {
    static const char *const names[] = {
#define X(e, token, name, what) name,
        EVENTS_KINDS(X)
#undef X
    };
    return names[kind];
}

const char *events_kind_what(enum events_kind kind) {
    static const char *const whats[] = {
#define X(e, token, name, what) what,
        EVENTS_KINDS(X)
#undef X
    };
    return whats[kind];
}

/* ---- which kind ---- */

/* Is "name" there, and a colon behind it? */
static bool has_name(const char *head, size_t length, const char *name) {
    size_t bytes = strlen(name);
    const char *end = head + length;
    for (const char *at = head; (at = memmem(at, (size_t)(end - at), name, bytes)) != NULL; at++) {
        const char *behind = at + bytes;
        if (at == head || at[-1] != '"' || behind >= end || *behind != '"') continue;
        for (behind++; behind < end && (*behind == ' ' || *behind == '\t');)
            behind++;
        if (behind < end && *behind == ':') return true;
    }
    return false;
}

static bool has_marks(const struct kind_row *row, const char *head, size_t length) {
    for (size_t i = 0; i < sizeof row->marks / sizeof *row->marks && row->marks[i][0]; i++) {
        bool all = true;
        for (size_t j = 0; j < sizeof row->marks[i] / sizeof *row->marks[i] && row->marks[i][j];
             j++)
            all = all && has_name(head, length, row->marks[i][j]);
        if (all) return true;
    }
    return false;
}

int events_recognise(const char *head, size_t length) {
    size_t blank = 0;
    while (blank < length && memchr("\xef\xbb\xbf \t\r\n", head[blank], 7))
        blank++;
    if (blank == length || (head[blank] != '{' && head[blank] != '[')) return RECORDING_UNKNOWN;
    for (int kind = 0; kind < EVENTS_KIND_COUNT; kind++)
        if (has_marks(&kind_rows[kind], head, length)) return kind;
    return RECORDING_UNKNOWN;
}

/* ---- what readers of kinds ask for ---- */

enum ddbsim_status events_bad(struct ddbsim_error *error, const char *format, ...) {
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return error_set(error, DDBSIM_INPUT, "%s", message);
}

enum ddbsim_status events_parse(const char *text, const char *what, json_t **out,
                                struct ddbsim_error *error) {
    json_error_t problem;
    bool short_of_memory = false;
    *out = text ? pieces_load(text, strlen(text), &problem, &short_of_memory) : NULL;
    if (*out) return DDBSIM_OK;
    return short_of_memory ? error_memory(error) : events_bad(error, "%s is no JSON", what);
}

const char *events_string(const json_t *object, const char *name) {
    return json_string_value(json_object_get(object, name));
}

/* Each moment says for itself what it is counted in. */
bool events_moment(const json_t *value, int64_t *t_ns) {
    struct stamp_clock clock = {0};
    const char *text = json_string_value(value), *wrong = "";
    if (json_is_string(value)) {
        wrong = stamp_read(&clock, text, strlen(text), t_ns);
    } else if (json_is_integer(value) && json_integer_value(value) >= 0) {
        struct decimal count = {.mantissa = (uint64_t)json_integer_value(value)};
        wrong = stamp_read_decimal(&clock, &count, t_ns);
    } else if (json_is_real(value) && json_real_value(value) >= 0) {
        struct decimal count = decimal_of_double(json_real_value(value));
        wrong = stamp_read_decimal(&clock, &count, t_ns);
    }
    return !wrong && clock.is_absolute;
}

int events_operation(const char *name) {
    for (int i = 0; name && i < DDBSIM_OPERATION_KINDS; i++)
        if (!strcmp(name, ddbsim_operation_name(i))) return i;
    return RECORDING_UNKNOWN;
}

bool events_is_throttle(const char *exception) {
    static const char *const throttles[] = {DDBSIM_PTE, DDBSIM_THROTTLING, "ThrottledException",
                                            "RequestLimitExceeded"};
    if (!exception) return false;
    const char *behind = strrchr(exception, '#'); /* com.amazonaws...#NAME */
    const char *dot = strrchr(exception, '.');    /* a class of an SDK */
    const char *name = behind ? behind + 1 : dot ? dot + 1 : exception;
    for (size_t i = 0; i < sizeof throttles / sizeof *throttles; i++)
        if (!strcmp(name, throttles[i])) return true;
    return false;
}

struct events_entry events_entry_at(int64_t t_ns, uint64_t line) {
    return (struct events_entry){.t_ns = t_ns,
                                 .line = line,
                                 .operation = RECORDING_UNKNOWN,
                                 .item_bytes = RECORDING_UNKNOWN};
}

enum ddbsim_status events_add(struct events *read, struct events_entry event,
                              struct ddbsim_error *error) {
    void *events = read->events;
    if (read->event_count >= EVENTS_MAX) {
        enum ddbsim_status status = error_set(
            error, DDBSIM_INPUT, "there are more than %zu requests in one file", EVENTS_MAX);
        error_hint(error, "they are sorted in memory: cut the file by time, one scenario an hour");
        return status;
    }
    if (!vector_reserve_raw(&events, &read->event_capacity, read->event_count + 1,
                            sizeof *read->events))
        return error_memory(error);
    read->events = events;
    event.number = (uint32_t)read->event_count;
    read->counts[EVENTS_KEYLESS] += !event.key;
    read->counts[EVENTS_SIZELESS] += event.item_bytes < 0;
    read->events[read->event_count++] = event;
    return DDBSIM_OK;
}

enum ddbsim_status events_add_change(struct events *read, struct events_change change,
                                     struct ddbsim_error *error) {
    void *changes = read->changes;
    if (!vector_reserve_raw(&changes, &read->change_capacity, read->change_count + 1,
                            sizeof *read->changes))
        return error_memory(error);
    read->changes = changes;
    change.number = (uint32_t)read->change_count;
    read->changes[read->change_count++] = change;
    return DDBSIM_OK;
}

enum ddbsim_status events_text(struct events *read, const char *text, size_t length,
                               uint32_t *number, struct ddbsim_error *error) {
    bool full = read->texts.count >= TEXTS_MAX || length >= TEXTS_BYTES_MAX - read->texts.length;
    *number = texts_add(&read->texts, text, length);
    if (*number) return DDBSIM_OK;
    if (!full) return error_memory(error);
    enum ddbsim_status status =
        error_set(error, DDBSIM_INPUT, "there are more than %u different keys in one file",
                  (unsigned)TEXTS_MAX);
    error_hint(error, "cut the file by time or by table");
    return status;
}

/* arn:aws:dynamodb:REGION:ACCOUNT:table/NAME and what may follow it. */
enum ddbsim_status events_table(struct events *read, const char *name, uint32_t *number,
                                struct ddbsim_error *error) {
    *number = 0;
    if (!name || !*name) return DDBSIM_OK;
    const char *in_arn = strstr(name, ":table/");
    if (!strncmp(name, "arn:", 4) && in_arn) name = in_arn + strlen(":table/");
    return events_text(read, name, strcspn(name, "/"), number, error);
}

/* ---- keys ---- */

/* The value of a key's attribute as a text: {"S": "a"}, {"n": "1"}, "a" or 1. */
static const char *key_text(const json_t *value, char *number, size_t size) {
    if (json_is_object(value) && json_object_size(value) == 1) {
        void *it = json_object_iter((json_t *)(uintptr_t)value);
        const char *type = json_object_iter_key(it);
        if (strlen(type) == 1 && strchr("SNBsnb", *type)) value = json_object_iter_value(it);
    }
    if (json_is_integer(value)) {
        snprintf(number, size, "%" PRId64, (int64_t)json_integer_value(value));
        return number;
    }
    if (json_is_real(value)) {
        snprintf(number, size, "%.17g", json_real_value(value));
        return number;
    }
    return json_string_value(value);
}

static enum ddbsim_status key_part(struct events *read, const json_t *value, const char *name,
                                   size_t most, uint32_t *out, struct ddbsim_error *error) {
    char number[64];
    const char *text = key_text(value, number, sizeof number);
    if (!text)
        return events_bad(error, "key attribute %.80s is neither text, number nor bytes", name);
    size_t length = strlen(text);
    if (length > most)
        return events_bad(error, "key attribute %.80s has %zu bytes; AWS allows %zu", name, length,
                          most);
    return events_text(read, text, length, out, error);
}

/* Names that people give to sort keys alone. */
static bool names_sort_key(const char *name) {
    static const char *const names[] = {"sk",    "sort",     "sortkey",  "sort_key",
                                        "range", "rangekey", "range_key"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(name, names[i])) return true;
    return false;
}

/* The names by the first key of the table that is seen. */
static enum ddbsim_status guess_names(struct events *read, const json_t *attributes,
                                      struct events_key_names *names, struct ddbsim_error *error) {
    void *it = json_object_iter((json_t *)(uintptr_t)attributes);
    const char *first = json_object_iter_key(it), *second = NULL;
    it = json_object_iter_next((json_t *)(uintptr_t)attributes, it);
    if (it) second = json_object_iter_key(it);
    read->counts[EVENTS_GUESSED_KEYS] += second != NULL;
    if (second && names_sort_key(first) && !names_sort_key(second)) {
        const char *swap = first;
        first = second;
        second = swap;
    }
    enum ddbsim_status status = events_text(read, first, strlen(first), &names->partition, error);
    if (status || !second) return status;
    return events_text(read, second, strlen(second), &names->sort, error);
}

/* The attribute beside the partition key. */
static const char *other_name(const json_t *attributes, const char *partition) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)attributes, name, value) {
        (void)value;
        if (strcmp(name, partition) != 0) return name;
    }
    return NULL;
}

static enum ddbsim_status find_names(struct events *read, uint32_t table, const json_t *attributes,
                                     struct events_key_names *names, struct ddbsim_error *error) {
    void *all = read->key_names;
    if (!vector_reserve(&all, &read->key_names_capacity, table + 1u, sizeof *read->key_names))
        return error_memory(error);
    read->key_names = all;
    *names = read->key_names[table];
    if (names->partition) return DDBSIM_OK;
    const char *said = texts_at(&read->texts, read->partition_name);
    if (said && json_object_get(attributes, said)) {
        const char *other = other_name(attributes, said);
        names->partition = read->partition_name;
        enum ddbsim_status status =
            other ? events_text(read, other, strlen(other), &names->sort, error) : DDBSIM_OK;
        if (status) return status;
    } else {
        enum ddbsim_status status = guess_names(read, attributes, names, error);
        if (status) return status;
    }
    read->key_names[table] = *names;
    return DDBSIM_OK;
}

enum ddbsim_status events_key(struct events *read, const json_t *attributes,
                              struct events_entry *event, struct ddbsim_error *error) {
    struct events_key_names names = {0};
    size_t count = json_object_size(attributes);
    if (count == 0) return DDBSIM_OK;
    if (count > 2)
        return events_bad(error, "a key has %zu attributes; AWS's have one or two", count);
    enum ddbsim_status status = find_names(read, event->table, attributes, &names, error);
    if (status) return status;
    char partition[256];
    snprintf(partition, sizeof partition, "%s", texts_at(&read->texts, names.partition));
    const json_t *value = json_object_get(attributes, partition);
    if (!value)
        return events_bad(error, "the key has no attribute %.200s, which the partition key is",
                          partition);
    read->named += names.partition == read->partition_name;
    status = key_part(read, value, partition, RECORDING_KEY_MAX, &event->key, error);
    const char *other = other_name(attributes, partition);
    if (status || !other) return status;
    return key_part(read, json_object_get(attributes, other), other, RECORDING_SORT_MAX,
                    &event->sort, error);
}

/* ---- a file ---- */

/* "key=ATTRIBUTE" */
static enum ddbsim_status read_columns(struct events *read, struct ddbsim_error *error) {
    const char *text = read->options->columns;
    if (!text) return DDBSIM_OK;
    size_t length = strlen(text);
    if (length > 4 && !strncmp(text, "key=", 4) && !strchr(text, ','))
        return events_text(read, text + 4, length - 4, &read->partition_name, error);
    enum ddbsim_status status = error_set(error, DDBSIM_INPUT, "columns say \"%.80s\"", text);
    error_hint(error, "of AWS's documents `columns: {key: ATTRIBUTE}' alone says something");
    return status;
}

/* An attribute that was said and that no key has is a mistake. */
static enum ddbsim_status check_named(const struct events *read, struct ddbsim_error *error) {
    bool keyed = read->event_count > read->counts[EVENTS_KEYLESS];
    if (!read->partition_name || !keyed || read->named > 0) return DDBSIM_OK;
    enum ddbsim_status status = error_set(error, DDBSIM_INPUT, "no key has the attribute \"%.80s\"",
                                          texts_at(&read->texts, read->partition_name));
    error_place(error, read->options->file, 0, 0);
    return status;
}

/* A bad row: passed over where that was asked for. */
static enum ddbsim_status bad_row(struct events *read, uint64_t line, enum ddbsim_status status,
                                  struct ddbsim_error *error) {
    if (status != DDBSIM_INPUT) return status;
    if (error->line == 0)
        error_place(error, read->options->file, line < INT32_MAX ? (int)line : INT32_MAX, 0);
    bool full = read->event_count >= EVENTS_MAX || read->texts.count >= TEXTS_MAX;
    if (!read->options->skip_bad_rows || full) return status;
    if (read->skipped++ == 0) {
        read->first_skipped_line = (uint64_t)error->line;
        snprintf(read->first_skipped, sizeof read->first_skipped, "%.150s", error->message);
    }
    *error = (struct ddbsim_error){0};
    return DDBSIM_OK;
}

static enum ddbsim_status take_pieces(struct events *read, struct pieces *pieces,
                                      struct ddbsim_error *error) {
    bool more = true;
    struct piece piece;
    for (;;) {
        enum ddbsim_status status = pieces_next(pieces, &piece, &more, error);
        if (!more && !status) return DDBSIM_OK;
        if (!status && !piece.is_envelope)
            status = kind_rows[read->kind].take(read, piece.json, piece.line, error);
        if (status) status = bad_row(read, piece.line, status, error);
        if (status || !more) return status;
    }
}

/* Which table it was to, where a call does not say: the only one that others name, else none that can be told. */
static void settle_tables(struct events *read) {
    uint32_t only = 0;
    size_t kept = 0;
    bool several = false;
    for (size_t i = 0; i < read->event_count; i++) {
        uint32_t table = read->events[i].table;
        several = several || (table && only && table != only);
        if (table) only = table;
    }
    for (size_t i = 0; i < read->event_count && only; i++) {
        struct events_entry event = read->events[i];
        bool drops = !event.table && several;
        read->counts[EVENTS_TABLELESS] += drops;
        read->counts[EVENTS_KEYLESS] -= drops && !event.key;
        read->counts[EVENTS_SIZELESS] -= drops && event.item_bytes < 0;
        read->counts[EVENTS_ONE_TABLE] += !event.table && !several;
        if (!event.table) event.table = only;
        if (!drops) read->events[kept++] = event;
    }
    if (only) read->event_count = kept;
}

static int by_time(const void *a, const void *b) {
    const struct events_entry *one = a, *other = b;
    if (one->t_ns != other->t_ns) return one->t_ns < other->t_ns ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static int change_by_time(const void *a, const void *b) {
    const struct events_change *one = a, *other = b;
    if (one->t_ns != other->t_ns) return one->t_ns < other->t_ns ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

enum ddbsim_status events_read(struct events *read, enum events_kind kind,
                               const struct recording_options *options, pieces_read_fn from,
                               void *context, struct ddbsim_error *error) {
    struct ddbsim_error own = {0};
    struct pieces pieces;
    if (!error) error = &own;
    *read = (struct events){.kind = kind,
                            .options = options,
                            .export_items = RECORDING_UNKNOWN,
                            .export_bytes = RECORDING_UNKNOWN};
    enum ddbsim_status status =
        pieces_init(&pieces, from, context, options->file, kind_rows[kind].lists, error);
    if (!status) status = read_columns(read, error);
    if (!status) status = take_pieces(read, &pieces, error);
    if (!status) status = check_named(read, error);
    pieces_free(&pieces);
    settle_tables(read);
    if (read->event_count > 0)
        qsort(read->events, read->event_count, sizeof *read->events, by_time);
    if (read->change_count > 0)
        qsort(read->changes, read->change_count, sizeof *read->changes, change_by_time);
    return status;
}

void events_free(struct events *read) {
    texts_free(&read->texts);
    free(read->events);
    free(read->key_names);
    free(read->changes);
    free(read->key_items);
    *read = (struct events){0};
}

void events_row(const struct events *read, size_t number, struct recorded *row) {
    CHECK(number < read->event_count);
    const struct events_entry *event = &read->events[number];
    *row = (struct recorded){
        .t_ns = event->t_ns,
        .key = texts_at(&read->texts, event->key),
        .sort = texts_at(&read->texts, event->sort),
        .table = texts_at(&read->texts, event->table),
        .key_bytes = texts_length(&read->texts, event->key),
        .sort_bytes = texts_length(&read->texts, event->sort),
        .operation = event->operation,
        .item_bytes = event->item_bytes,
        .count = 1,
        .throttled = event->throttled,
        .line = event->line,
    };
}

/* NULL: no name stands there. */
static const struct events_key_names *names_of(const struct events *read, const char *table) {
    for (uint32_t i = 0; i < read->key_names_capacity; i++) {
        const struct events_key_names *names = &read->key_names[i];
        const char *name = i <= read->texts.count ? texts_at(&read->texts, i) : NULL;
        bool same = name && table ? !strcmp(name, table) : name == table;
        if (same && names->partition) return names;
    }
    return NULL;
}

const char *events_partition_name(const struct events *read, const char *table) {
    const struct events_key_names *names = names_of(read, table);
    return names ? texts_at(&read->texts, names->partition) : NULL;
}

const char *events_sort_name(const struct events *read, const char *table) {
    const struct events_key_names *names = names_of(read, table);
    return names ? texts_at(&read->texts, names->sort) : NULL;
}

int64_t events_resolution_ns(const struct events *read) {
    int64_t unit = NS_PER_S;
    for (size_t i = 0; i < read->event_count; i++)
        while (read->events[i].t_ns % unit != 0)
            unit /= 1000;
    return unit;
}

bool events_note(const struct events *read, enum events_count count, char *out, size_t size) {
    static const char *const texts[][2] = {
#define X(e, text, became) {text, became},
        EVENTS_COUNTS(X)
#undef X
    };
    if (read->counts[count] == 0) return false;
    snprintf(out, size, "%" PRIu64 " %s%s", read->counts[count], texts[count][0], texts[count][1]);
    return true;
}

/* ---- as formats of recordings ---- */

struct reading {
    struct events events;
    size_t next;
    uint64_t bad; /* bad rows still to be told */
};

static enum ddbsim_status read_feed(void *context, char *bytes, size_t size, size_t *got,
                                    struct ddbsim_error *error) {
    return feed_bytes(context, bytes, size, got, error);
}

/* An export of a whole table, a manifest: there is nothing to replay. */
static enum ddbsim_status check_times(const struct reader *reader, const struct events *events,
                                      struct ddbsim_error *error) {
    if (events->kind != EVENTS_S3_EXPORT || events->event_count > 0) return DDBSIM_OK;
    (void)reader_fail(reader, 0, error, "an export of a whole table holds no times to replay");
    error_hint(error, "`ddbsim import' takes sizes and numbers of items from it");
    return DDBSIM_INPUT;
}

static enum ddbsim_status open_kind(struct reader *reader, enum events_kind kind,
                                    struct ddbsim_error *error) {
    struct reading *reading = calloc(1, sizeof *reading);
    if (!reading) return error_memory(error);
    reader->state = reading;
    reader->clock.is_known = reader->clock.is_absolute = true;
    enum ddbsim_status status =
        events_read(&reading->events, kind, reader->options, read_feed, reader->feed, error);
    reading->bad = reading->events.skipped;
    return status ? status : check_times(reader, &reading->events, error);
}

static enum ddbsim_status next_row(struct reader *reader, struct recorded *row,
                                   enum reader_outcome *outcome, struct ddbsim_error *error) {
    struct reading *reading = reader->state;
    const struct events *events = &reading->events;
    (void)error;
    *outcome = READER_END;
    if (reading->bad > 0) {
        reading->bad--;
        reader->bad_line = events->first_skipped_line;
        (void)reader_bad(reader, "%s", events->first_skipped);
        *outcome = READER_BAD;
    } else if (reading->next < events->event_count) {
        events_row(events, reading->next++, row);
        *outcome = READER_ROW;
    }
    return DDBSIM_OK;
}

static void close_kind(struct reader *reader) {
    struct reading *reading = reader->state;
    if (reading) events_free(&reading->events);
    free(reading);
    reader->state = NULL;
}

/* Surer than JSON lines of any kind are. */
#define X(e, token, format, text)                                                               \
    static int recognise_##token(const struct reader_head *head) {                              \
        return events_recognise(head->bytes, head->length) == EVENTS_##e ? EVENTS_SURE : 0;     \
    }                                                                                           \
    static enum ddbsim_status open_##token(struct reader *reader, struct ddbsim_error *error) { \
        return open_kind(reader, EVENTS_##e, error);                                            \
    }                                                                                           \
    const struct recording_format format_##token = {.name = format,                             \
                                                    .what = text,                               \
                                                    .recognise = recognise_##token,             \
                                                    .open = open_##token,                       \
                                                    .next = next_row,                           \
                                                    .close = close_kind};
EVENTS_KINDS(X)
#undef X
