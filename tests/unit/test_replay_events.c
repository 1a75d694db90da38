/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AWS's event documents as rows: times, operations, keys, tables, sizes, what is throttled, what is passed over. */
#include <support/cmocka.h>
#include <support/near.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/events.h>

struct text {
    const char *bytes;
    size_t length, at;
};

static enum ddbsim_status feed(void *context, char *bytes, size_t size, size_t *got,
                               struct ddbsim_error *error) {
    struct text *text = context;
    (void)error;
    *got = text->length - text->at < size ? text->length - text->at : size;
    memcpy(bytes, text->bytes + text->at, *got);
    text->at += *got;
    return DDBSIM_OK;
}

static enum ddbsim_status read_as(struct events *read, enum events_kind kind, const char *text,
                                  const struct recording_options *options,
                                  struct ddbsim_error *error) {
    struct text from = {.bytes = text, .length = strlen(text)};
    assert_int_equal(events_recognise(text, from.length), (int)kind);
    return events_read(read, kind, options, feed, &from, error);
}

static const struct recording_options plain = {.file = "f.json"};

static void read_text(struct events *read, enum events_kind kind, const char *text) {
    struct ddbsim_error error = {0};
    enum ddbsim_status status = read_as(read, kind, text, &plain, &error);
    if (status) print_error("%s:%d: %s\n", error.file, error.line, error.message);
    assert_int_equal(status, DDBSIM_OK);
}

static void read_sample(struct events *read, enum events_kind kind, const char *name) {
    static char text[1 << 17];
    char path[256];
    snprintf(path, sizeof path, SOURCE_ROOT "/workloads/samples/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    read_text(read, kind, text);
}

/* The row, and that it says this: key, sort and table as "TABLE/KEY/SORT", ? where there is none. */
static struct recorded row_is(const struct events *read, size_t number, const char *name) {
    struct recorded row;
    char text[256];
    events_row(read, number, &row);
    snprintf(text, sizeof text, "%s/%s/%s", row.table ? row.table : "?", row.key ? row.key : "?",
             row.sort ? row.sort : "?");
    assert_string_equal(text, name);
    assert_true(row.count >= 1 && row.count <= 1);
    return row;
}

static void fails(enum events_kind kind, const char *text, const char *columns, int line,
                  const char *message) {
    struct recording_options options = {.file = "f.json", .columns = columns};
    struct ddbsim_error error = {0};
    struct events read;
    assert_int_equal(read_as(&read, kind, text, &options, &error), DDBSIM_INPUT);
    if (!strstr(error.message, message)) print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, message));
    assert_int_equal(error.line, line);
    events_free(&read);
}

/* ---- CloudTrail ---- */

#define CT(second, name, more)                                             \
    "{\"eventSource\": \"dynamodb.amazonaws.com\", \"eventName\": \"" name \
    "\", \"eventTime\": \"2026-08-07T16:20:" second "Z\", " more "}\n"
#define T_NS INT64_C(1786119600000000000) /* 2026-08-07T16:20:00Z */

static void cloudtrail_calls(void **state) {
    (void)state;
    struct events read;
    read_text(
        &read, EVENTS_CLOUDTRAIL,
        CT("03", "UpdateItem",
           "\"errorCode\": \"ProvisionedThroughputExceededException\", \"requestParameters\": "
           "{\"tableName\": \"carritos\", \"key\": {\"PK\": \"CLIENTE#4471\", \"SK\": "
           "\"CARRITO#1\"}}")
            CT("01", "GetItem",
               "\"requestParameters\": {\"key\": {\"SK\": {\"S\": \"CARRITO#2\"}, \"PK\": {\"N\": "
               "\"12\"}}}, "
               "\"resources\": [{\"ARN\": \"arn:aws:dynamodb:eu-west-1:1:table/carritos\"}]")
                CT("03", "Query", "\"requestParameters\": {\"tableName\": \"carritos\"}"));
    assert_int_equal(read.event_count, 3);
    struct recorded row = row_is(&read, 0, "carritos/12/CARRITO#2");
    assert_int_equal(row.t_ns, T_NS + 1000000000);
    assert_int_equal(row.operation, DDBSIM_GET_ITEM);
    assert_int_equal(row.line, 2);
    assert_int_equal(row.item_bytes, RECORDING_UNKNOWN);
    assert_false(row.throttled);
    row = row_is(&read, 1, "carritos/CLIENTE#4471/CARRITO#1");
    assert_int_equal(row.operation, DDBSIM_UPDATE_ITEM);
    assert_true(row.throttled);
    row = row_is(&read, 2, "carritos/?/?");
    assert_int_equal(row.operation, DDBSIM_QUERY);
    assert_int_equal(read.counts[EVENTS_KEYLESS], 1);
    assert_int_equal(read.counts[EVENTS_GUESSED_KEYS], 1);
    assert_int_equal(events_resolution_ns(&read), 1000000000);
    events_free(&read);
}

/* By the attribute's name, whoever stands first; what a user says holds over what is guessed. */
static void which_attribute_is_the_partition_key(void **state) {
    (void)state;
    static const char text[] = CT(
        "01", "GetItem",
        "\"requestParameters\": {\"tableName\": \"t\", \"key\": {\"b\": \"1\", \"a\": \"2\"}}")
        CT("02", "GetItem",
           "\"requestParameters\": {\"tableName\": \"t\", \"key\": {\"a\": \"4\", \"b\": \"3\"}}")
            CT("03", "GetItem",
               "\"requestParameters\": {\"tableName\": \"u\", \"key\": {\"sk\": \"6\", \"x\": "
               "\"5\"}}");
    struct recording_options options = {.file = "f.json", .columns = "key=a"};
    struct ddbsim_error error = {0};
    struct events read;
    read_text(&read, EVENTS_CLOUDTRAIL, text);
    row_is(&read, 0, "t/1/2");
    row_is(&read, 1, "t/3/4");
    row_is(&read, 2, "u/5/6");
    assert_int_equal(read.counts[EVENTS_GUESSED_KEYS], 2);
    events_free(&read);
    struct text from = {.bytes = text, .length = strlen(text)};
    assert_int_equal(events_read(&read, EVENTS_CLOUDTRAIL, &options, feed, &from, &error),
                     DDBSIM_OK);
    row_is(&read, 0, "t/2/1");
    row_is(&read, 1, "t/4/3");
    row_is(&read, 2, "u/5/6");
    assert_int_equal(read.counts[EVENTS_GUESSED_KEYS], 1);
    assert_string_equal(events_partition_name(&read, "t"), "a");
    assert_string_equal(events_sort_name(&read, "t"), "b");
    assert_string_equal(events_partition_name(&read, "u"), "x");
    assert_null(events_partition_name(&read, "v"));
    assert_null(events_partition_name(&read, NULL));
    events_free(&read);
}

static void cloudtrail_members(void **state) {
    (void)state;
    struct events read;
    read_text(
        &read, EVENTS_CLOUDTRAIL,
        CT("01", "BatchWriteItem",
           "\"requestParameters\": {\"requestItems\": {\"t\": [{\"putRequest\": {\"key\": {\"a\": "
           "\"1\"}}}, "
           "{\"deleteRequest\": {\"key\": {\"a\": \"2\"}}}], \"u\": [{\"putRequest\": {\"key\": "
           "{\"a\": \"3\"}}}]}}") CT("02", "BatchGetItem",
                                     "\"requestParameters\": {\"requestItems\": {\"t\": {\"keys\": "
                                     "[{\"a\": \"4\"}, {\"a\": \"5\"}]}}}")
            CT("03", "TransactWriteItems",
               "\"requestParameters\": {\"requestItems\": [{\"operation\": \"Put\", \"tableName\": "
               "\"t\", "
               "\"key\": {\"a\": \"6\"}}, {\"operation\": \"Delete\", \"tableName\": \"u\", "
               "\"key\": {\"a\": \"7\"}}]}")
                CT("04", "TransactGetItems",
                   "\"requestParameters\": {\"transactItems\": [{\"get\": {\"tableName\": \"t\", "
                   "\"key\": {\"a\": \"8\"}}}]}")
                    CT("05", "BatchExecuteStatement",
                       "\"requestParameters\": {\"requestItems\": [{\"statement\": \" update t set "
                       "x=1\"}, "
                       "{\"statement\": \"INSERT INTO t VALUE {}\"}]}, "
                       "\"resources\": [{\"ARN\": \"arn:aws:dynamodb:x:1:table/t/index/i\"}]"));
    static const struct {
        const char *name;
        int operation;
    } rows[] = {
        {"t/1/?", DDBSIM_PUT_ITEM},
        {"t/2/?", DDBSIM_DELETE_ITEM},
        {"u/3/?", DDBSIM_PUT_ITEM},
        {"t/4/?", DDBSIM_GET_ITEM},
        {"t/5/?", DDBSIM_GET_ITEM},
        {"t/6/?", DDBSIM_TRANSACT_WRITE_ITEMS},
        {"u/7/?", DDBSIM_TRANSACT_WRITE_ITEMS},
        {"t/8/?", DDBSIM_TRANSACT_GET_ITEMS},
        {"t/?/?", DDBSIM_UPDATE_ITEM},
        {"t/?/?", DDBSIM_PUT_ITEM},
    };
    assert_int_equal(read.event_count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(row_is(&read, i, rows[i].name).operation, rows[i].operation);
    assert_int_equal(read.counts[EVENTS_BATCHES], 5);
    assert_int_equal(read.counts[EVENTS_MEMBERS], 10);
    assert_int_equal(read.counts[EVENTS_STATEMENTS], 2);
    events_free(&read);
}

static void cloudtrail_passes_over(void **state) {
    (void)state;
    struct events read;
    char note[256];
    read_text(
        &read, EVENTS_CLOUDTRAIL,
        "{\"detail-type\": \"AWS API Call via CloudTrail\", \"detail\":\n" CT(
            "00", "PutItem",
            "\"requestParameters\": {\"tableName\": \"t\", \"key\": {\"a\": 1}}") "}\n" CT("01",
                                                                                           "PutIte"
                                                                                           "m",
                                                                                           "\"error"
                                                                                           "Code\":"
                                                                                           " \"Acce"
                                                                                           "ssDenie"
                                                                                           "d\", "
                                                                                           "\"reque"
                                                                                           "stParam"
                                                                                           "eters\""
                                                                                           ": null")
            CT("02", "GetRecords", "\"requestParameters\": {}") CT(
                "03", "DescribeTable", "\"requestParameters\": {\"tableName\": \"t\"}")
                CT("04", "PutItem",
                   "\"errorCode\": \"ConditionalCheckFailedException\", "
                   "\"requestParameters\": {\"tableName\": \"t\", \"key\": {\"a\": -2.5}}") "{\"eve"
                                                                                            "ntSour"
                                                                                            "ce\": "
                                                                                            "\"s3."
                                                                                            "amazon"
                                                                                            "aws."
                                                                                            "com\","
                                                                                            " \"eve"
                                                                                            "ntName"
                                                                                            "\": "
                                                                                            "\"GetO"
                                                                                            "bject"
                                                                                            "\", "
                                                                                            "\"even"
                                                                                            "tTime"
                                                                                            "\": "
                                                                                            "\"2026"
                                                                                            "-08-"
                                                                                            "07T16:"
                                                                                            "20:"
                                                                                            "01Z\""
                                                                                            "}");
    assert_int_equal(read.event_count, 2);
    row_is(&read, 0, "t/1/?");
    row_is(&read, 1, "t/-2.5/?");
    assert_int_equal(read.counts[EVENTS_UNREACHED], 1);
    assert_int_equal(read.counts[EVENTS_STREAM_READS], 1);
    assert_int_equal(read.counts[EVENTS_CONTROL], 1);
    assert_int_equal(read.counts[EVENTS_OTHER_SERVICES], 1);
    assert_true(events_note(&read, EVENTS_OTHER_SERVICES, note, sizeof note));
    assert_string_equal(note, "1 events of other services");
    assert_false(events_note(&read, EVENTS_EXPIRIES, note, sizeof note));
    events_free(&read);
}

static void update_table_is_a_change(void **state) {
    (void)state;
    struct events read;
    read_text(
        &read, EVENTS_CLOUDTRAIL,
        CT("09", "UpdateTable",
           "\"requestParameters\": {\"tableName\": \"t\", \"globalSecondaryIndexUpdates\": "
           "[{\"update\": "
           "{\"indexName\": \"i\", \"provisionedThroughput\": {\"writeCapacityUnits\": 300}}}, "
           "{\"delete\": {\"indexName\": \"j\"}}]}")
            CT("05", "UpdateTable",
               "\"requestParameters\": {\"provisionedThroughput\": {\"readCapacityUnits\": 25}}, "
               "\"responseElements\": {\"tableDescription\": {\"tableName\": \"t\", "
               "\"provisionedThroughput\": {\"readCapacityUnits\": 10}}}")
                CT("07", "UpdateTable",
                   "\"requestParameters\": {\"tableName\": \"t\", \"billingMode\": "
                   "\"PAY_PER_REQUEST\"}") CT("08", "UpdateTable",
                                              "\"errorCode\": \"LimitExceededException\", "
                                              "\"requestParameters\": {\"tableName\": \"t\", "
                                              "\"billingMode\": \"PROVISIONED\"}"));
    assert_int_equal(read.event_count, 0);
    assert_int_equal(read.change_count, 3);
    assert_int_equal(read.changes[0].t_ns, T_NS + 5000000000);
    assert_int_equal(read.changes[0].read, 25);
    assert_int_equal(read.changes[0].write, RECORDING_UNKNOWN);
    assert_int_equal(read.changes[0].before_read, 10);
    assert_int_equal(read.changes[0].before_write, RECORDING_UNKNOWN);
    assert_int_equal(read.changes[1].billing, DDBSIM_PAY_PER_REQUEST);
    assert_int_equal(read.changes[2].write, 300);
    assert_string_equal(texts_at(&read.texts, read.changes[2].index), "i");
    assert_string_equal(texts_at(&read.texts, read.changes[2].table), "t");
    events_free(&read);
}

/* 30 calls, 10 of them UpdateItem of which 5 are refused; a batch of 3, a transaction of 2, a statement. */
static void cloudtrail_sample(void **state) {
    (void)state;
    struct events read;
    uint32_t throttled = 0;
    read_sample(&read, EVENTS_CLOUDTRAIL, "cloudtrail.json");
    assert_int_equal(read.event_count, 30 + 3 + 2 + 1);
    for (size_t i = 0; i < read.event_count; i++) {
        throttled += read.events[i].throttled;
        assert_true(i == 0 || read.events[i].t_ns >= read.events[i - 1].t_ns);
        assert_true(read.events[i].t_ns >= T_NS &&
                    read.events[i].t_ns < T_NS + 120 * INT64_C(1000000000));
    }
    assert_int_equal(throttled, 5);
    assert_int_equal(read.change_count, 1);
    assert_int_equal(read.changes[0].write, 300);
    assert_int_equal(read.changes[0].before_write, 100);
    assert_int_equal(read.counts[EVENTS_CONTROL], 2);
    assert_int_equal(read.counts[EVENTS_UNREACHED], 1);
    events_free(&read);
}

/* ---- streams ---- */

/* The guide's three records: sizes are of the larger image, 21 and 33 bytes. */
static void streams_records(void **state) {
    (void)state;
#define SR(kind, second, images)                                                             \
    "{\"eventName\": \"" kind "\", \"eventSourceARN\": "                                     \
    "\"arn:aws:dynamodb:us-east-1:1:table/Examples/stream/2016\", \"dynamodb\": {\"Keys\": " \
    "{\"Id\": "                                                                              \
    "{\"N\": \"101\"}}, \"ApproximateCreationDateTime\": " second ", " images "}}"
#define OLD "{\"Message\": {\"S\": \"New item!\"}, \"Id\": {\"N\": \"101\"}}"
#define NEW "{\"Message\": {\"S\": \"This item has changed\"}, \"Id\": {\"N\": \"101\"}}"
    struct events read;
    read_text(
        &read, EVENTS_STREAMS,
        "{\"Records\": [" SR("MODIFY", "1479499741.5", "\"OldImage\": " OLD ", \"NewImage\": " NEW) ",\n" SR(
            "INSERT", "1479499740",
            "\"NewImage\": " OLD
            ", \"SizeBytes\": 26") ",\n" SR("REMOVE", "1479499742000",
                                            "\"SizeBytes\": 38, "
                                            "\"StreamViewType\": "
                                            "\"OLD_IMAGE\"") ",\n" SR("REMOVE",
                                                                      "\"2016-"
                                                                      "11-"
                                                                      "18T20:"
                                                                      "09:"
                                                                      "03Z\"",
                                                                      "\"SizeB"
                                                                      "ytes\":"
                                                                      " 5, "
                                                                      "\"Strea"
                                                                      "mViewTy"
                                                                      "pe\": "
                                                                      "\"KEYS_"
                                                                      "ONLY\"") "]}");
    assert_int_equal(read.event_count, 4);
    struct recorded row = row_is(&read, 0, "Examples/101/?");
    assert_int_equal(row.t_ns, INT64_C(1479499740000000000));
    assert_int_equal(row.operation, DDBSIM_PUT_ITEM);
    assert_int_equal(row.item_bytes, 21);
    row = row_is(&read, 1, "Examples/101/?");
    assert_int_equal(row.t_ns, INT64_C(1479499741500000000));
    assert_int_equal(row.operation, DDBSIM_UPDATE_ITEM);
    assert_int_equal(row.item_bytes, 33);
    row = row_is(&read, 2, "Examples/101/?");
    assert_int_equal(row.t_ns, INT64_C(1479499742000000000));
    assert_int_equal(row.operation, DDBSIM_DELETE_ITEM);
    assert_int_equal(row.item_bytes, 33);
    row = row_is(&read, 3, "Examples/101/?");
    assert_int_equal(row.t_ns, INT64_C(1479499743000000000));
    assert_int_equal(row.item_bytes, RECORDING_UNKNOWN);
    assert_int_equal(events_resolution_ns(&read), 1000000);
    events_free(&read);
}

/* 24 records, two of them deletes by TTL; the SizeBytes in the file is of keys and images. */
static void streams_samples(void **state) {
    (void)state;
    struct events read;
    read_sample(&read, EVENTS_STREAMS, "streams.json");
    assert_int_equal(read.event_count, 22);
    assert_int_equal(read.counts[EVENTS_EXPIRIES], 2);
    assert_int_equal(read.counts[EVENTS_SIZELESS], 0);
    assert_int_equal(read.counts[EVENTS_GUESSED_KEYS], 1);
    for (size_t i = 0; i < read.event_count; i++) {
        struct recorded row;
        events_row(&read, i, &row);
        assert_int_equal(strncmp(row.key, "CLIENTE#", 8), 0);
        assert_int_equal(strncmp(row.sort, "CARRITO#", 8), 0);
    }
    events_free(&read);
    read_sample(&read, EVENTS_STREAMS, "streams-kinesis.jsonl");
    assert_int_equal(read.event_count, 8);
    assert_string_equal(texts_at(&read.texts, read.events[0].table), "carritos");
    assert_int_equal(events_resolution_ns(&read), 1000000);
    events_free(&read);
}

/* ---- exports ---- */

static void exports(void **state) {
    (void)state;
    struct recording_options options = {.file = "f", .columns = "key=PK"};
    struct ddbsim_error error = {0};
    struct events read;
    assert_int_equal(read_as(&read, EVENTS_S3_EXPORT,
                             "{\"Item\": {\"PK\": {\"S\": \"a\"}, \"n\": {\"N\": \"12\"}}}\n"
                             "{\"Item\": {\"PK\": {\"S\": \"b\"}}}\n"
                             "{\"Item\": {\"PK\": {\"S\": \"a\"}}}\n",
                             &options, &error),
                     DDBSIM_OK);
    assert_int_equal(read.event_count, 0);
    assert_int_equal(read.counts[EVENTS_ITEMS], 3);
    assert_int_equal(read.untimed, 3);
    assert_int_equal(read.item_bytes, 6 + 3 + 3);
    assert_int_equal(read.sizes.count, 3);
    uint32_t a = texts_add(&read.texts, "a", 1), b = texts_add(&read.texts, "b", 1);
    assert_int_equal(read.key_items[a], 2);
    assert_int_equal(read.key_items[b], 1);
    events_free(&read);
    read_text(&read, EVENTS_S3_EXPORT,
              "{\"Metadata\": {\"WriteTimestampMicros\": {\"N\": \"1680109764000500\"}}, "
              "\"Keys\": {\"PK\": {\"S\": \"k\"}}, \"NewImage\": {\"PK\": {\"S\": \"k\"}, \"x\": "
              "{\"S\": \"123\"}}}\n"
              "{\"Metadata\": {\"WriteTimestampMicros\": \"1680109763000000\"}, "
              "\"Keys\": {\"PK\": {\"S\": \"k\"}}, \"OldImage\": {\"PK\": {\"S\": \"k\"}}}\n");
    assert_int_equal(read.event_count, 2);
    assert_int_equal(row_is(&read, 0, "?/k/?").operation, DDBSIM_DELETE_ITEM);
    struct recorded row = row_is(&read, 1, "?/k/?");
    assert_int_equal(row.operation, DDBSIM_PUT_ITEM);
    assert_int_equal(row.item_bytes, 7);
    assert_int_equal(row.t_ns, INT64_C(1680109764000500000));
    assert_int_equal(events_resolution_ns(&read), 1000);
    events_free(&read);
}

static void export_samples(void **state) {
    (void)state;
    struct events read;
    read_sample(&read, EVENTS_S3_EXPORT, "s3-export-data.jsonl");
    assert_int_equal(read.counts[EVENTS_ITEMS], 40);
    events_free(&read);
    read_sample(&read, EVENTS_S3_EXPORT, "s3-export-incremental.jsonl");
    assert_int_equal(read.event_count, 12);
    events_free(&read);
    read_sample(&read, EVENTS_S3_EXPORT, "s3-export-manifest-files.json");
    assert_int_equal(read.counts[EVENTS_DATA_FILES], 3);
    events_free(&read);
    read_sample(&read, EVENTS_S3_EXPORT, "s3-export-manifest-summary.json");
    assert_int_equal(read.export_items, 40);
    assert_int_equal(read.export_bytes, 128000);
    assert_string_equal(texts_at(&read.texts, read.export_table), "carritos");
    events_free(&read);
}

/* ---- spans ---- */

/* 6 traces of two calls; retries 0 2 0 1 3 0 and six times none; one throttled; six inferred copies. */
static void xray_sample(void **state) {
    (void)state;
    struct events read;
    read_sample(&read, EVENTS_XRAY, "xray.json");
    assert_int_equal(read.event_count, 12);
    assert_int_equal(read.tried_requests, 12);
    assert_int_equal(read.attempts, 18);
    assert_int_equal(read.counts[EVENTS_REPEATED], 6);
    assert_int_equal(read.counts[EVENTS_OTHER_SPANS], 18);
    struct recorded row = row_is(&read, 0, "carritos/?/?");
    assert_int_equal(row.t_ns, T_NS + 4000000);
    assert_int_equal(row.operation, DDBSIM_UPDATE_ITEM);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(read.events[i].throttled, i == 8);
    events_free(&read);
}

/* 3 exports of four calls. 11 write units: up to 11 KB; half a read unit, eventual: up to 4 KB. */
static void otel_sample(void **state) {
    (void)state;
    struct events read;
    read_sample(&read, EVENTS_OTEL, "otel.jsonl");
    assert_int_equal(read.event_count, 12);
    assert_int_equal(read.counts[EVENTS_OTHER_SPANS], 3);
    assert_int_equal(read.tried_requests, 3);
    assert_int_equal(read.attempts, 3 + 3);
    static const int operations[] = {DDBSIM_GET_ITEM, DDBSIM_UPDATE_ITEM, DDBSIM_PUT_ITEM,
                                     DDBSIM_QUERY};
    static const int64_t bytes[] = {4096, 11 * 1024, 11 * 1024, RECORDING_UNKNOWN};
    for (size_t i = 0; i < 12; i++) {
        struct recorded row = row_is(&read, i, "carritos/?/?");
        assert_int_equal(row.operation, operations[i % 4]);
        assert_int_equal(row.item_bytes, bytes[i % 4]);
        assert_int_equal(row.t_ns, T_NS + (int64_t)i * INT64_C(1734000111));
        assert_int_equal(row.throttled, i == 9);
    }
    assert_int_equal(events_resolution_ns(&read), 1);
    events_free(&read);
}

/* ---- what is wrong ---- */

static void wrong_documents(void **state) {
    (void)state;
    fails(EVENTS_CLOUDTRAIL, CT("03", "PutItem", "\"a\": 1") "{\"a\": 1}", NULL, 2,
          "no eventSource");
    fails(EVENTS_CLOUDTRAIL, CT("63", "PutItem", "\"a\": 1"), NULL, 1, "eventTime");
    fails(EVENTS_CLOUDTRAIL, CT("03", "PutItem", "\"requestParameters\": {\"key\": {\"a\": [1]}}"),
          NULL, 1, "neither text, number nor bytes");
    fails(EVENTS_CLOUDTRAIL,
          CT("03", "PutItem", "\"requestParameters\": {\"key\": {\"a\": 1, \"b\": 2, \"c\": 3}}"),
          NULL, 1, "3 attributes");
    fails(EVENTS_CLOUDTRAIL, CT("03", "PutItem", "\"requestParameters\": {\"key\": {\"a\": 1}}"),
          "key=b", 0, "no key has the attribute");
    fails(EVENTS_CLOUDTRAIL, CT("03", "PutItem", "\"a\": 1"), "time=1", 0,
          "columns say \"time=1\"");
    fails(EVENTS_STREAMS,
          "{\"eventName\": \"INSERT\", \"dynamodb\": {\"ApproximateCreationDateTime\": -5, "
          "\"Keys\": {\"a\": {\"S\": "
          "\"\"}}}}",
          NULL, 1, "no moment");
    fails(
        EVENTS_STREAMS,
        "{\"eventName\": \"INSERT\", \"dynamodb\":\n{\"ApproximateCreationDateTime\": 1479499740}}",
        NULL, 1, "without Keys");
    fails(EVENTS_STREAMS,
          "{\"eventName\": \"INSERT\", \"dynamodb\": {\"ApproximateCreationDateTime\": 1479499740, "
          "\"Keys\": {\"a\": "
          "{\"S\": \"\"}}, \"NewImage\": {\"a\": {\"S\": 1}}}}",
          NULL, 1, "no item of DynamoDB");
    fails(EVENTS_S3_EXPORT, "{\"Item\": {\"a\": {\"S\": \"x\"}}}\n{\"Item\": {}}", NULL, 2,
          "no item");
    fails(EVENTS_S3_EXPORT, "{\"Item\": {\"a\": {\"S\": \"x\"}}}\n{\"Itemx\": {}}", NULL, 2,
          "no line of an export");
    fails(EVENTS_S3_EXPORT,
          "{\"exportArn\": \"x\", \"tableArn\": \"y\", \"outputFormat\": \"ION\"}", NULL, 1, "Ion");
    fails(EVENTS_XRAY, "{\"Traces\": [\n{\"Segments\": [{\"Document\": \"{\"}]}]}", NULL, 2,
          "no JSON");
    fails(EVENTS_OTEL, "{\"resourceSpans\": [{}]}", NULL, 1, "no scopeSpans");
    fails(EVENTS_OTEL, "{\"resourceSpans\": [{\"scopeSpans\": []}", NULL, 1, "ends inside");
}

static void bad_rows_are_counted(void **state) {
    (void)state;
    struct recording_options options = {.file = "f.json", .skip_bad_rows = true};
    struct ddbsim_error error = {0};
    struct events read;
    assert_int_equal(read_as(&read, EVENTS_CLOUDTRAIL,
                             CT("03", "Scan", "\"a\": 1") "{\"a\": 1}\nnothing\n" CT(
                                 "04", "Scan", "\"a\": 1") "{\"a",
                             &options, &error),
                     DDBSIM_OK);
    assert_int_equal(read.event_count, 2);
    assert_int_equal(read.skipped, 3);
    assert_string_equal(read.first_skipped,
                        "this is no record of CloudTrail: it has no eventSource");
    assert_int_equal(error.status, DDBSIM_OK);
    events_free(&read);
}

static void what_is_recognised(void **state) {
    (void)state;
    static const char *const others[] = {"",
                                         "   ",
                                         "{}",
                                         "[]",
                                         "a,b\n1,2\n",
                                         "{\"Table\": {\"TableName\": \"t\"}}",
                                         "{\"a\": \"resourceSpans\"}",
                                         "{\"xItem\": 1}",
                                         "\"Item\": 1"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_int_equal(events_recognise(others[i], strlen(others[i])), RECORDING_UNKNOWN);
    assert_int_equal(events_recognise("[ {\"Item\" : {", 13), EVENTS_S3_EXPORT);
    assert_int_equal(events_recognise("{\"Item\"", 7), RECORDING_UNKNOWN);
}

/* ---- as recordings ---- */

#define SAMPLES SOURCE_ROOT "/workloads/samples/"

static uint64_t rows_of(struct recording *recording) {
    struct recorded row;
    int64_t last_ns = 0;
    bool more = true;
    uint64_t rows = 0;
    for (;; rows++) {
        assert_int_equal(recording_next(recording, &row, &more, NULL), DDBSIM_OK);
        if (!more) return rows;
        assert_true(row.t_ns >= last_ns);
        last_ns = row.t_ns;
    }
}

static void samples_are_recordings(void **state) {
    (void)state;
    static const struct {
        const char *file, *format;
        uint64_t rows;
        int64_t resolution_ns;
    } samples[] = {
        {SAMPLES "cloudtrail.json", "cloudtrail", 36, 1000000000},
        {SAMPLES "streams.json", "streams", 22, 1000000000},
        {SAMPLES "streams-kinesis.jsonl", "streams", 8, 1000000},
        {SAMPLES "s3-export-incremental.jsonl", "s3-export", 12, 1000},
        {SAMPLES "xray.json", "xray", 12, 1000000},
        {SAMPLES "otel.jsonl", "otel", 12, 1},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct recording_options options = {.file = samples[i].file};
        struct recording *recording;
        assert_int_equal(recording_create(&options, &recording, NULL), DDBSIM_OK);
        const struct recording_facts *facts = recording_facts(recording);
        assert_string_equal(facts->format, samples[i].format);
        assert_true(facts->is_absolute && !facts->is_rates);
        assert_int_equal(facts->resolution_ns, samples[i].resolution_ns);
        assert_int_equal(rows_of(recording), samples[i].rows);
        assert_int_equal(recording_rewind(recording, NULL), DDBSIM_OK);
        assert_int_equal(rows_of(recording), samples[i].rows);
        recording_destroy(recording);
    }
}

static void what_holds_no_times_is_no_recording(void **state) {
    (void)state;
    static const char *const files[] = {SAMPLES "s3-export-data.jsonl",
                                        SAMPLES "s3-export-manifest-files.json",
                                        SAMPLES "s3-export-manifest-summary.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct recording_options options = {.file = files[i]};
        struct recording *recording;
        struct ddbsim_error error = {0};
        assert_int_equal(recording_create(&options, &recording, &error), DDBSIM_INPUT);
        assert_non_null(strstr(error.message, "no times"));
        assert_non_null(strstr(error.hint, "import"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cloudtrail_calls),
        cmocka_unit_test(which_attribute_is_the_partition_key),
        cmocka_unit_test(cloudtrail_members),
        cmocka_unit_test(cloudtrail_passes_over),
        cmocka_unit_test(update_table_is_a_change),
        cmocka_unit_test(cloudtrail_sample),
        cmocka_unit_test(streams_records),
        cmocka_unit_test(streams_samples),
        cmocka_unit_test(exports),
        cmocka_unit_test(export_samples),
        cmocka_unit_test(xray_sample),
        cmocka_unit_test(otel_sample),
        cmocka_unit_test(wrong_documents),
        cmocka_unit_test(bad_rows_are_counted),
        cmocka_unit_test(what_is_recognised),
        cmocka_unit_test(samples_are_recordings),
        cmocka_unit_test(what_holds_no_times_is_no_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
