/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spans of calls to DynamoDB. X-Ray: "AWS X-Ray segment documents" of its developer guide: subsegments nest, those
 * named DynamoDB carry aws.operation, aws.table_name (of batches: table_names) and aws.retries, and throttle where the
 * last attempt was throttled; X-Ray itself adds an inferred segment for the table's side, which repeats the call.
 * OpenTelemetry: the semantic conventions for database and AWS SDK spans, in today's names and those before
 * (db.system.name and db.system, db.operation.name and rpc.method), as OTLP JSON.
 *
 * A span is one call with all of its attempts: it begins when the call began. Spans are sampled, by default one a
 * second and five of a hundred more: how much load they stand for is not in them.
 */
#include <workloads/replay/events.h>

#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 64u
#define RETRIES_MAX 1000
#define READ_UNIT_BYTES INT64_C(4096)
#define WRITE_UNIT_BYTES INT64_C(1024)

/* A call said how often it was tried again. */
static void count_attempts(struct events *read, int64_t retries) {
    if (retries < 0 || retries > RETRIES_MAX) return;
    read->tried_requests++;
    read->attempts += (uint64_t)retries + 1;
}

/* ---- X-Ray ---- */

static bool is_dynamodb_name(const char *name) {
    return name && (!strcasecmp(name, "DynamoDB") || !strcasecmp(name, "AmazonDynamoDBv2"));
}

static enum ddbsim_status take_subsegment(struct events *read, const json_t *segment, uint64_t line,
                                          struct ddbsim_error *error) {
    const json_t *aws = json_object_get(segment, "aws"), *retries = json_object_get(aws, "retries");
    struct events_entry event = events_entry_at(0, line);
    if (!events_moment(json_object_get(segment, "start_time"), &event.t_ns))
        return events_bad(error, "start_time is no moment");
    event.operation = (int8_t)events_operation(events_string(aws, "operation"));
    if (event.operation < 0) {
        read->counts[EVENTS_CONTROL]++;
        return DDBSIM_OK;
    }
    event.throttled = json_is_true(json_object_get(segment, "throttle"));
    if (json_is_integer(retries)) count_attempts(read, json_integer_value(retries));
    const char *name = events_string(aws, "table_name");
    if (!name) name = json_string_value(json_array_get(json_object_get(aws, "table_names"), 0));
    if (!name) name = json_string_value(json_array_get(json_object_get(aws, "resource_names"), 0));
    enum ddbsim_status status = events_table(read, name, &event.table, error);
    return status ? status : events_add(read, event, error);
}

static enum ddbsim_status take_segment(struct events *read, const json_t *segment, uint64_t line,
                                       unsigned depth, struct ddbsim_error *error) {
    const json_t *inside = json_object_get(segment, "subsegments");
    enum ddbsim_status status = DDBSIM_OK;
    if (!json_is_object(segment)) return events_bad(error, "a segment is no object");
    if (depth > NESTING_MAX) return events_bad(error, "segments are nested too deep");
    if (json_is_true(json_object_get(segment, "inferred")))
        read->counts[EVENTS_REPEATED]++;
    else if (is_dynamodb_name(events_string(segment, "name")))
        status = take_subsegment(read, segment, line, error);
    else
        read->counts[EVENTS_OTHER_SPANS]++;
    for (size_t i = 0; i < json_array_size(inside) && !status; i++)
        status = take_segment(read, json_array_get(inside, i), line, depth + 1, error);
    return status;
}

static enum ddbsim_status take_document(struct events *read, const char *text, uint64_t line,
                                        struct ddbsim_error *error) {
    json_t *segment;
    enum ddbsim_status status = events_parse(text, "a segment's Document", &segment, error);
    if (!status) status = take_segment(read, segment, line, 0, error);
    json_decref(segment);
    return status;
}

/* A trace with its segments as texts, or a segment by itself. */
enum ddbsim_status xray_take(struct events *read, const json_t *piece, uint64_t line,
                             struct ddbsim_error *error) {
    const json_t *segments = json_object_get(piece, "Segments");
    enum ddbsim_status status = DDBSIM_OK;
    if (!segments && events_string(piece, "Document"))
        return take_document(read, events_string(piece, "Document"), line, error);
    if (!segments && !json_object_get(piece, "start_time"))
        return events_bad(error, "this is neither a trace nor a segment of X-Ray");
    if (!segments) return take_segment(read, piece, line, 0, error);
    for (size_t i = 0; i < json_array_size(segments) && !status; i++)
        status = take_document(read, events_string(json_array_get(segments, i), "Document"), line,
                               error);
    return status;
}

/* ---- OpenTelemetry ---- */

static const json_t *attribute(const json_t *span, const char *key) {
    const json_t *attributes = json_object_get(span, "attributes");
    for (size_t i = 0; i < json_array_size(attributes); i++) {
        const json_t *one = json_array_get(attributes, i);
        const char *name = events_string(one, "key");
        if (name && !strcmp(name, key)) return json_object_get(one, "value");
    }
    return NULL;
}

static const char *text_attribute(const json_t *span, const char *key) {
    return events_string(attribute(span, key), "stringValue");
}

/* The first of a list of texts, or the text. */
static const char *first_attribute(const json_t *span, const char *key) {
    const json_t *value = attribute(span, key);
    const json_t *values = json_object_get(json_object_get(value, "arrayValue"), "values");
    return values ? events_string(json_array_get(values, 0), "stringValue")
                  : events_string(value, "stringValue");
}

/* OTLP writes 64-bit numbers as texts. */
static bool whole_number(const json_t *value, int64_t *out) {
    const char *text = json_string_value(value);
    size_t digits = text ? strspn(text, "0123456789") : 0;
    if (json_is_integer(value)) {
        *out = json_integer_value(value);
        return *out >= 0;
    }
    if (digits == 0 || digits > 18 + (text[0] == '1') || text[digits]) return false;
    *out = strtoll(text, NULL, 10);
    return true;
}

static bool is_dynamodb_span(const json_t *span) {
    static const char *const keys[] = {"db.system.name", "db.system", "rpc.service"};
    static const char *const values[] = {"aws.dynamodb", "dynamodb", "DynamoDB"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *text = text_attribute(span, keys[i]);
        if (text && !strcmp(text, values[i])) return true;
    }
    return false;
}

/* "GetItem", or the last word of "DynamoDB.GetItem" and "DynamoDB/GetItem". */
static int span_operation(const json_t *span) {
    static const char *const keys[] = {"db.operation.name", "db.operation", "rpc.method"};
    int operation = RECORDING_UNKNOWN;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && operation < 0; i++)
        operation = events_operation(text_attribute(span, keys[i]));
    const char *name = events_string(span, "name");
    size_t before = name ? strcspn(name, "./ ") : 0;
    if (operation < 0 && name && name[before]) operation = events_operation(name + before + 1);
    return operation;
}

static bool is_throttled_span(const json_t *span) {
    const json_t *events = json_object_get(span, "events");
    if (events_is_throttle(text_attribute(span, "error.type"))) return true;
    for (size_t i = 0; i < json_array_size(events); i++)
        if (events_is_throttle(text_attribute(json_array_get(events, i), "exception.type")))
            return true;
    return false;
}

/* The largest item of which a call of one item consumes so many units; of others the units say no size. */
static int64_t bytes_of_units(const json_t *span, int operation, double units) {
    const json_t *consistent = attribute(span, "aws.dynamodb.consistent_read");
    bool strong = json_is_true(json_object_get(consistent, "boolValue"));
    bool is_write = operation == DDBSIM_PUT_ITEM || operation == DDBSIM_UPDATE_ITEM ||
                    operation == DDBSIM_DELETE_ITEM;
    if (!(units > 0 && units <= 400) || (!is_write && operation != DDBSIM_GET_ITEM))
        return RECORDING_UNKNOWN;
    double bytes =
        units * (double)(is_write ? WRITE_UNIT_BYTES : READ_UNIT_BYTES * (strong ? 1 : 2));
    return bytes <= DDBSIM_ITEM_BYTES_MAX ? (int64_t)bytes : DDBSIM_ITEM_BYTES_MAX;
}

/* Each is a text of JSON: the table's units where indexes are told apart, else those of all. */
static enum ddbsim_status read_consumed(const json_t *span, struct events_entry *event,
                                        struct ddbsim_error *error) {
    json_t *consumed;
    const char *text = first_attribute(span, "aws.dynamodb.consumed_capacity");
    if (!text) return DDBSIM_OK;
    enum ddbsim_status status =
        events_parse(text, "aws.dynamodb.consumed_capacity", &consumed, error);
    const json_t *table = json_object_get(consumed, "Table");
    const json_t *units = json_object_get(table ? table : consumed, "CapacityUnits");
    if (json_is_number(units))
        event->item_bytes =
            (int32_t)bytes_of_units(span, event->operation, json_number_value(units));
    json_decref(consumed);
    return status;
}

static enum ddbsim_status take_span(struct events *read, const json_t *span, uint64_t line,
                                    struct ddbsim_error *error) {
    struct events_entry event = events_entry_at(0, line);
    int64_t retries;
    if (!is_dynamodb_span(span)) {
        read->counts[EVENTS_OTHER_SPANS]++;
        return DDBSIM_OK;
    }
    if (!whole_number(json_object_get(span, "startTimeUnixNano"), &event.t_ns))
        return events_bad(error, "startTimeUnixNano is no moment");
    event.operation = (int8_t)span_operation(span);
    if (event.operation < 0) {
        read->counts[EVENTS_CONTROL]++;
        return DDBSIM_OK;
    }
    event.throttled = is_throttled_span(span);
    if (whole_number(json_object_get(attribute(span, "http.request.resend_count"), "intValue"),
                     &retries))
        count_attempts(read, retries);
    const char *table = first_attribute(span, "aws.dynamodb.table_names");
    if (!table) table = text_attribute(span, "db.collection.name");
    enum ddbsim_status status = read_consumed(span, &event, error);
    if (!status) status = events_table(read, table, &event.table, error);
    return status ? status : events_add(read, event, error);
}

static enum ddbsim_status take_scope(struct events *read, const json_t *scope, uint64_t line,
                                     struct ddbsim_error *error) {
    const json_t *spans = json_object_get(scope, "spans");
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < json_array_size(spans) && !status; i++)
        status = take_span(read, json_array_get(spans, i), line, error);
    return status;
}

/* One of resourceSpans; what is inside it was once called instrumentationLibrarySpans. */
enum ddbsim_status otel_take(struct events *read, const json_t *piece, uint64_t line,
                             struct ddbsim_error *error) {
    const json_t *scopes = json_object_get(piece, "scopeSpans");
    enum ddbsim_status status = DDBSIM_OK;
    if (!scopes) scopes = json_object_get(piece, "instrumentationLibrarySpans");
    if (!json_is_array(scopes)) return events_bad(error, "there are no scopeSpans");
    for (size_t i = 0; i < json_array_size(scopes) && !status; i++)
        status = take_scope(read, json_array_get(scopes, i), line, error);
    return status;
}
