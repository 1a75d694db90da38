/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What AWS's event documents say of requests to DynamoDB: CloudTrail's data events, records of a stream, exports to
 * S3, and spans of X-Ray and OpenTelemetry. All come in no certain order, so that a file is read to its end and sorted
 * by time before its first row is given.
 */
#ifndef REPLAY_EVENTS_H
#define REPLAY_EVENTS_H

#include <base/hist.h>
#include <jansson.h>
#include <workloads/replay/pieces.h>
#include <workloads/replay/reader.h>
#include <workloads/replay/texts.h>

#define EVENTS_MAX ((size_t)1 << 22) /* of one file; 200 MB of memory */

/* The kinds of documents: X(enumerator, the same in a name, name of the format, what it is) */
#define EVENTS_KINDS(X)                                                                      \
    X(CLOUDTRAIL, cloudtrail, "cloudtrail",                                                  \
      "data events of CloudTrail: log files, JSON lines, EventBridge events")                \
    X(STREAMS, streams, "streams", "records of DynamoDB Streams: Lambda events, JSON lines") \
    X(S3_EXPORT, s3_export, "s3-export", "an export to S3: data files and manifests")        \
    X(XRAY, xray, "xray", "X-Ray segments: BatchGetTraces, JSON lines")                      \
    X(OTEL, otel, "otel", "OpenTelemetry spans as OTLP JSON")

#define EVENTS_SURE 95 /* that a file is such a document, of 100 */

enum events_kind {
#define X(e, token, name, what) EVENTS_##e,
    EVENTS_KINDS(X)
#undef X
        EVENTS_KIND_COUNT
};

/* What is counted beside requests, to be said: X(enumerator, text behind the number, what follows of it) */
#define EVENTS_COUNTS(X)                                                                     \
    X(OTHER_SERVICES, "events of other services", "")                                        \
    X(CONTROL, "control events", ": they are no requests to items")                          \
    X(STREAM_READS, "reads of a stream", ": they cost the table nothing")                    \
    X(UNREACHED, "calls that were refused before they came to a table", "")                  \
    X(EXPIRIES, "deletes by TTL", ": no caller made them")                                   \
    X(OTHER_SPANS, "spans of other things", "")                                              \
    X(REPEATED, "spans that X-Ray adds for the table's side", ": the caller's say the same") \
    X(TABLELESS, "calls that name no table", ": the others name several")                    \
    X(ONE_TABLE, "calls that name no table", ": they are to the one that the others name")   \
    X(BATCHES, "batches and transactions", ", as so many requests as they have members")     \
    X(MEMBERS, "members of batches and transactions", ", each as a request of its own")      \
    X(STATEMENTS, "PartiQL statements", ": each is the operation that its first word says")  \
    X(KEYLESS, "requests without a key", ": their keys must come from the scenario")         \
    X(SIZELESS, "requests without a size", ": their sizes must come from the scenario")      \
    X(GUESSED_KEYS, "tables whose partition key is guessed",                                 \
      ": of two attributes the first, or the one whose name is no sort key's")               \
    X(ITEMS, "items", ", counted by size")                                                   \
    X(DATA_FILES, "files with items",                                                        \
      ": each is of one partition, so that there are at most so many")                       \
    X(LAST_WRITES, "last writes of items",                                                   \
      ": an export holds no others, and there may have been more")

enum events_count {
#define X(e, text, became) EVENTS_##e,
    EVENTS_COUNTS(X)
#undef X
        EVENTS_COUNT_KINDS
};

/* One request, its texts by number. */
struct events_entry {
    int64_t t_ns;
    uint64_t line;
    uint32_t number; /* in the file: breaks ties */
    uint32_t table, key, sort;
    int32_t item_bytes;
    int8_t operation;
    bool throttled;
};

/* What an UpdateTable asked for. -1, 0: not that. */
struct events_change {
    int64_t t_ns;
    uint32_t table, index; /* texts; 0: the table itself */
    int64_t read, write;
    int64_t before_read, before_write; /* as AWS's answer has them, while it is under way */
    int billing;                       /* enum ddbsim_billing, RECORDING_UNKNOWN */
    uint32_t number;                   /* in the file: breaks ties */
};

/* Which attributes are a table's key. */
struct events_key_names {
    uint32_t partition, sort; /* texts; 0: not known */
};

struct events {
    enum events_kind kind;
    const struct recording_options *options;
    struct texts texts;
    struct events_entry *events; /* sorted when reading is over */
    size_t event_count, event_capacity;
    struct events_key_names *key_names; /* of a table, by its text's number */
    size_t key_names_capacity;
    uint32_t partition_name; /* text of options->columns; 0: not said */
    uint64_t named;          /* keys that had it */
    struct events_change *changes;
    size_t change_count, change_capacity;
    uint64_t counts[EVENTS_COUNT_KINDS];
    uint64_t skipped;
    char first_skipped[160];
    uint64_t first_skipped_line;
    /* Spans: attempts of those that say how many they made. */
    uint64_t tried_requests, attempts;
    /* Exports: bytes and sizes of items, how many each partition key has (by its text's number), and the table. */
    uint64_t item_bytes;
    struct hist sizes;
    uint32_t *key_items;
    size_t key_items_capacity;
    uint32_t export_table;
    int64_t export_items, export_bytes; /* as a manifest says; RECORDING_UNKNOWN */
    uint64_t untimed;                   /* items without a moment */
};

/* RECORDING_UNKNOWN where the beginning of a file is no such document's. */
int events_recognise(const char *head, size_t length);
const char *events_kind_name(enum events_kind kind);
const char *events_kind_what(enum events_kind kind);

/* Reads a whole file. `options` is kept; of it file, columns ("key=ATTRIBUTE") and skip_bad_rows count. events_free is due in either case. */
DDBSIM_MUST_CHECK enum ddbsim_status events_read(struct events *read, enum events_kind kind,
                                                 const struct recording_options *options,
                                                 pieces_read_fn from, void *context,
                                                 struct ddbsim_error *error);
void events_free(struct events *read);
/* Event `number` as a row, its texts the reader's. */
void events_row(const struct events *read, size_t number, struct recorded *row);
/* The attribute that is taken for a table's partition key, and the other; NULL where its keys are not seen or have no
 * other. */
const char *events_partition_name(const struct events *read, const char *table);
const char *events_sort_name(const struct events *read, const char *table);
/* 1 s, 1 ms, 1 us or 1 ns: the coarsest that all moments keep. */
int64_t events_resolution_ns(const struct events *read);
/* "3 deletes by TTL: no caller made them"; false where there is nothing to say of this count. */
bool events_note(const struct events *read, enum events_count count, char *out, size_t size);

#define X(e, token, name, what) extern const struct recording_format format_##token;
EVENTS_KINDS(X)
#undef X

/* ---- for the readers of kinds: one piece of the file each ---- */

typedef enum ddbsim_status (*events_take_fn)(struct events *read, const json_t *piece,
                                             uint64_t line, struct ddbsim_error *error);
enum ddbsim_status cloudtrail_take(struct events *read, const json_t *piece, uint64_t line,
                                   struct ddbsim_error *error);
enum ddbsim_status streams_take(struct events *read, const json_t *piece, uint64_t line,
                                struct ddbsim_error *error);
enum ddbsim_status s3_export_take(struct events *read, const json_t *piece, uint64_t line,
                                  struct ddbsim_error *error);
enum ddbsim_status xray_take(struct events *read, const json_t *piece, uint64_t line,
                             struct ddbsim_error *error);
enum ddbsim_status otel_take(struct events *read, const json_t *piece, uint64_t line,
                             struct ddbsim_error *error);

/* An event with nothing known but these. */
struct events_entry events_entry_at(int64_t t_ns, uint64_t line);
DDBSIM_MUST_CHECK enum ddbsim_status events_add(struct events *read, struct events_entry event,
                                                struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status
events_add_change(struct events *read, struct events_change change, struct ddbsim_error *error);
/* The number of a text; DDBSIM_INPUT where there are too many. */
DDBSIM_MUST_CHECK enum ddbsim_status events_text(struct events *read, const char *text,
                                                 size_t length, uint32_t *number,
                                                 struct ddbsim_error *error);
/* A table's name, which may stand as an ARN; NULL: none, number 0. */
DDBSIM_MUST_CHECK enum ddbsim_status events_table(struct events *read, const char *name,
                                                  uint32_t *number, struct ddbsim_error *error);
/* An object of key attributes to the event's key and sort, by its table. */
DDBSIM_MUST_CHECK enum ddbsim_status events_key(struct events *read, const json_t *attributes,
                                                struct events_entry *event,
                                                struct ddbsim_error *error);
/* Fails at a piece: the line comes from whoever asked for it. */
enum ddbsim_status events_bad(struct ddbsim_error *error, const char *format, ...)
    DDBSIM_PRINTF(2, 3);
/* A date of ISO 8601, or a count since 1970 whose size tells its unit. */
bool events_moment(const json_t *value, int64_t *t_ns);
/* JSON that stands in a text; to be given back. DDBSIM_INPUT where it is none. */
DDBSIM_MUST_CHECK enum ddbsim_status events_parse(const char *text, const char *what, json_t **out,
                                                  struct ddbsim_error *error);
/* NULL where there is none, or it is no text. */
const char *events_string(const json_t *object, const char *name);
/* enum ddbsim_operation_kind by AWS's name; RECORDING_UNKNOWN. */
int events_operation(const char *name);
/* Is it the code or the type of an exception by which DynamoDB throttles? */
bool events_is_throttle(const char *exception);

#endif
