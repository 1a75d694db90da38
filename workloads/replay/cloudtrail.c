/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CloudTrail's records of calls to DynamoDB. Source: "Understanding DynamoDB log file entries" of AWS's developer
 * guide: key attributes stand in requestParameters.key with their values, other attributes do not; members of
 * transactions, batches and PartiQL batches stand in requestItems. A record may come by itself, in a list of Records,
 * as the detail of an EventBridge event, or as the text CloudTrailEvent of lookup-events. Times are whole seconds.
 *
 * A batch or a transaction is taken as one request a member, for a row has one key: units are the same, what its
 * caller does with members that come back is not. What was refused before it came to a table took nothing of it.
 */
#include <workloads/replay/events.h>

#include <base/error.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define DYNAMODB "dynamodb.amazonaws.com"

/* Names begin with a small letter, but in members of a transaction some are written as the API writes them. */
static const json_t *parameter(const json_t *object, const char *name) {
    char capital[32];
    const json_t *value = json_object_get(object, name);
    if (value) return value;
    snprintf(capital, sizeof capital, "%s", name);
    capital[0] = (char)toupper((unsigned char)capital[0]);
    return json_object_get(object, capital);
}

/* ---- what is no request to an item ---- */

static bool is_one_of(const char *name, const char *const *names) {
    for (; *names; names++)
        if (!strcmp(name, *names)) return true;
    return false;
}

static bool reads_stream(const char *name) {
    static const char *const names[] = {"GetRecords", "GetShardIterator", "DescribeStream",
                                        "ListStreams", NULL};
    return is_one_of(name, names);
}

/* Errors of calls that took nothing of a table's capacity and never could. */
static bool is_unreached(const char *error_code) {
    static const char *const codes[] = {"AccessDenied",
                                        "AccessDeniedException",
                                        "ValidationException",
                                        "ResourceNotFoundException",
                                        "UnrecognizedClientException",
                                        "InvalidSignatureException",
                                        "MissingAuthenticationTokenException",
                                        "ExpiredTokenException",
                                        "SerializationException",
                                        NULL};
    return error_code && is_one_of(error_code, codes);
}

/* A transaction is refused as a whole, for what any of its members met. */
static bool is_throttled(const json_t *record, const char *code) {
    const char *reasons = events_string(record, "errorMessage");
    if (!code || !reasons || strcmp(code, "TransactionCanceledException") != 0)
        return events_is_throttle(code);
    return strstr(reasons, "ThrottlingError") || strstr(reasons, "ProvisionedThroughputExceeded");
}

static int64_t units_of(const json_t *throughput, const char *name) {
    const json_t *units = json_object_get(throughput, name);
    return json_is_integer(units) && json_integer_value(units) > 0 ? json_integer_value(units)
                                                                   : RECORDING_UNKNOWN;
}

/* `before`: the table or index in the answer. */
static enum ddbsim_status add_change(struct events *read, struct events_change change,
                                     const json_t *request, const json_t *before, const char *index,
                                     struct ddbsim_error *error) {
    const json_t *throughput = json_object_get(request, "provisionedThroughput");
    const json_t *old = json_object_get(before, "provisionedThroughput");
    change.before_read = units_of(old, "readCapacityUnits");
    change.before_write = units_of(old, "writeCapacityUnits");
    change.read = units_of(throughput, "readCapacityUnits");
    change.write = units_of(throughput, "writeCapacityUnits");
    if (index) {
        enum ddbsim_status status = events_text(read, index, strlen(index), &change.index, error);
        if (status) return status;
    }
    bool says = change.read >= 0 || change.write >= 0 || change.billing >= 0;
    return says ? events_add_change(read, change, error) : DDBSIM_OK;
}

static int billing_of(const json_t *request) {
    const char *mode = events_string(request, "billingMode");
    if (mode && !strcmp(mode, "PROVISIONED")) return DDBSIM_PROVISIONED;
    return mode && !strcmp(mode, "PAY_PER_REQUEST") ? DDBSIM_PAY_PER_REQUEST : RECORDING_UNKNOWN;
}

static const json_t *index_named(const json_t *description, const char *name) {
    const json_t *list = json_object_get(description, "globalSecondaryIndexes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *own = events_string(json_array_get(list, i), "indexName");
        if (own && !strcmp(own, name)) return json_array_get(list, i);
    }
    return NULL;
}

/* An UpdateTable: of the table, and of each index that it updates. */
static enum ddbsim_status take_update(struct events *read, const json_t *record, uint32_t table,
                                      int64_t t_ns, struct ddbsim_error *error) {
    const json_t *request = json_object_get(record, "requestParameters");
    const json_t *answer =
        json_object_get(json_object_get(record, "responseElements"), "tableDescription");
    struct events_change change = {.t_ns = t_ns, .table = table, .billing = billing_of(request)};
    enum ddbsim_status status = add_change(read, change, request, answer, NULL, error);
    const json_t *updates = json_object_get(request, "globalSecondaryIndexUpdates");
    change.billing = RECORDING_UNKNOWN;
    for (size_t i = 0; i < json_array_size(updates) && !status; i++) {
        const json_t *update = json_object_get(json_array_get(updates, i), "update");
        const char *index = events_string(update, "indexName");
        if (index)
            status = add_change(read, change, update, index_named(answer, index), index, error);
    }
    return status;
}

/* ---- tables ---- */

static const char *table_of(const json_t *record) {
    const json_t *request = json_object_get(record, "requestParameters");
    const char *name = events_string(request, "tableName");
    if (name) return name;
    name = events_string(
        json_object_get(json_object_get(record, "responseElements"), "tableDescription"),
        "tableName");
    if (name) return name;
    const json_t *resources = json_object_get(record, "resources");
    for (size_t i = 0; i < json_array_size(resources); i++) {
        name = events_string(json_array_get(resources, i), "ARN");
        if (name && strstr(name, ":table/")) return name;
    }
    return NULL;
}

/* ---- members ---- */

/* "Put", "putRequest", "PutRequest" and the like. */
static int member_operation(const char *word) {
    static const struct {
        const char *word;
        int operation;
    } words[] = {
        {"put", DDBSIM_PUT_ITEM},       {"update", DDBSIM_UPDATE_ITEM},
        {"delete", DDBSIM_DELETE_ITEM}, {"get", DDBSIM_GET_ITEM},
        {"check", DDBSIM_GET_ITEM},     {"conditioncheck", DDBSIM_GET_ITEM},
    };
    size_t length = strlen(word);
    if (length > 7 && !strcasecmp(word + length - 7, "Request")) length -= 7;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && !strncasecmp(word, words[i].word, length))
            return words[i].operation;
    return RECORDING_UNKNOWN;
}

/* Members of a transaction cost twice: they keep its operation. */
static void set_operation(struct events_entry *event, int whole, int member) {
    if (ddbsim_operation_is_transaction(whole))
        event->operation = (int8_t)whole;
    else if (member != RECORDING_UNKNOWN)
        event->operation = (int8_t)member;
    else
        event->operation =
            (int8_t)(whole == DDBSIM_BATCH_GET_ITEM ? DDBSIM_GET_ITEM : DDBSIM_PUT_ITEM);
}

/* The first word of a PartiQL statement. A SELECT may read one item or many: it is taken as a Query. */
static int statement_operation(const char *statement) {
    static const struct {
        const char *word;
        int operation;
    } words[] = {{"SELECT", DDBSIM_QUERY},
                 {"INSERT", DDBSIM_PUT_ITEM},
                 {"UPDATE", DDBSIM_UPDATE_ITEM},
                 {"DELETE", DDBSIM_DELETE_ITEM}};
    statement += strspn(statement, " \t\r\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strncasecmp(statement, words[i].word, 6)) return words[i].operation;
    return RECORDING_UNKNOWN;
}

static enum ddbsim_status take_statement(struct events *read, const char *statement,
                                         struct events_entry event, struct ddbsim_error *error) {
    int operation = statement_operation(statement);
    if (operation == RECORDING_UNKNOWN)
        return events_bad(error, "a statement begins with no word of PartiQL: %.80s", statement);
    event.operation = (int8_t)operation;
    read->counts[EVENTS_STATEMENTS]++;
    return events_add(read, event, error);
}

/* A member may say everything itself, or within an object that is named after its operation. */
static enum ddbsim_status take_member(struct events *read, const json_t *member, int whole,
                                      struct events_entry event, struct ddbsim_error *error) {
    const char *statement = events_string(member, "statement"),
               *word = events_string(member, "operation");
    int operation = word ? member_operation(word) : RECORDING_UNKNOWN;
    if (!json_is_object(member)) return events_bad(error, "a member of a batch is no object");
    read->counts[EVENTS_MEMBERS]++;
    if (statement) return take_statement(read, statement, event, error);
    if (!word && json_object_size(member) == 1) {
        void *it = json_object_iter((json_t *)(uintptr_t)member);
        int named = member_operation(json_object_iter_key(it));
        if (named != RECORDING_UNKNOWN) {
            operation = named;
            member = json_object_iter_value(it);
        }
    }
    set_operation(&event, whole, operation);
    const char *table = json_string_value(parameter(member, "tableName"));
    enum ddbsim_status status = table ? events_table(read, table, &event.table, error) : DDBSIM_OK;
    if (!status) status = events_key(read, parameter(member, "key"), &event, error);
    return status ? status : events_add(read, event, error);
}

static enum ddbsim_status take_members(struct events *read, const json_t *members, int whole,
                                       struct events_entry event, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < json_array_size(members) && !status; i++)
        status = take_member(read, json_array_get(members, i), whole, event, error);
    return status;
}

/* {TABLE: [member, ...]} or {TABLE: {"keys": [key, ...]}} */
static enum ddbsim_status take_by_table(struct events *read, const json_t *tables, int whole,
                                        struct events_entry event, struct ddbsim_error *error) {
    const char *name;
    json_t *value;
    enum ddbsim_status status = DDBSIM_OK;
    json_object_foreach((json_t *)(uintptr_t)tables, name, value) {
        const json_t *keys = parameter(value, "keys");
        status = events_table(read, name, &event.table, error);
        if (!status && json_is_array(value))
            status = take_members(read, value, whole, event, error);
        for (size_t i = 0; i < json_array_size(keys) && !status; i++) {
            struct events_entry one = event;
            read->counts[EVENTS_MEMBERS]++;
            set_operation(&one, whole, RECORDING_UNKNOWN);
            status = events_key(read, json_array_get(keys, i), &one, error);
            if (!status) status = events_add(read, one, error);
        }
        if (status) break;
    }
    return status;
}

/* ---- a record ---- */

/* Members where they are said; else the whole as one request. */
static enum ddbsim_status take_request(struct events *read, const json_t *request, int whole,
                                       struct events_entry event, struct ddbsim_error *error) {
    const json_t *items = json_object_get(request, "requestItems");
    if (!items) items = json_object_get(request, "transactItems");
    const char *statement = events_string(request, "statement");
    if (items) read->counts[EVENTS_BATCHES]++;
    if (json_is_array(items)) return take_members(read, items, whole, event, error);
    if (json_is_object(items)) return take_by_table(read, items, whole, event, error);
    if (statement) return take_statement(read, statement, event, error);
    event.operation = (int8_t)whole;
    enum ddbsim_status status = events_key(read, json_object_get(request, "key"), &event, error);
    return status ? status : events_add(read, event, error);
}

static enum ddbsim_status take_call(struct events *read, const json_t *record, const char *name,
                                    struct events_entry event, struct ddbsim_error *error) {
    const json_t *request = json_object_get(record, "requestParameters");
    const char *code = events_string(record, "errorCode");
    int operation = events_operation(name);
    bool says = operation != RECORDING_UNKNOWN || !strcmp(name, "ExecuteStatement") ||
                !strcmp(name, "BatchExecuteStatement") || !strcmp(name, "ExecuteTransaction");
    enum ddbsim_status status = events_table(read, table_of(record), &event.table, error);
    if (status) return status;
    if (reads_stream(name)) {
        read->counts[EVENTS_STREAM_READS]++;
        return DDBSIM_OK;
    }
    if (!says) {
        read->counts[EVENTS_CONTROL]++;
        bool updates = !code && event.table && !strcmp(name, "UpdateTable");
        return updates ? take_update(read, record, event.table, event.t_ns, error) : DDBSIM_OK;
    }
    if (is_unreached(code)) {
        read->counts[EVENTS_UNREACHED]++;
        return DDBSIM_OK;
    }
    event.throttled = is_throttled(record, code);
    return take_request(read, request, operation, event, error);
}

static enum ddbsim_status take_record(struct events *read, const json_t *record, uint64_t line,
                                      struct ddbsim_error *error) {
    const char *source = events_string(record, "eventSource"),
               *name = events_string(record, "eventName");
    const json_t *time = json_object_get(record, "eventTime");
    int64_t t_ns;
    if (!source || !name || !time)
        return events_bad(error, "this is no record of CloudTrail: it has no %s",
                          !source ? "eventSource"
                          : !name ? "eventName"
                                  : "eventTime");
    if (!events_moment(time, &t_ns)) return events_bad(error, "eventTime is no moment");
    if (strcmp(source, DYNAMODB) != 0) {
        read->counts[EVENTS_OTHER_SERVICES]++;
        return DDBSIM_OK;
    }
    return take_call(read, record, name, events_entry_at(t_ns, line), error);
}

/* lookup-events: the record is a text inside. */
static enum ddbsim_status take_text(struct events *read, const char *text, uint64_t line,
                                    struct ddbsim_error *error) {
    json_t *record;
    enum ddbsim_status status = events_parse(text, "CloudTrailEvent", &record, error);
    if (!status) status = take_record(read, record, line, error);
    json_decref(record);
    return status;
}

enum ddbsim_status cloudtrail_take(struct events *read, const json_t *piece, uint64_t line,
                                   struct ddbsim_error *error) {
    const json_t *detail = json_object_get(piece, "detail");
    const char *text = events_string(piece, "CloudTrailEvent");
    if (text) return take_text(read, text, line, error);
    return take_record(read, json_is_object(detail) ? detail : piece, line, error);
}
