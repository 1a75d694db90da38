/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records of DynamoDB Streams, and of Kinesis Data Streams for DynamoDB, which look alike. Sources: the API reference
 * of DynamoDB Streams (Record, StreamRecord, Identity), "Using DynamoDB Streams and Time to Live" of the developer
 * guide: what TTL deleted carries userIdentity of type Service. A record says when and to which key a write came
 * that was served: no reads, nothing throttled, and not whether a MODIFY was a PutItem or an UpdateItem. It is taken
 * as an UpdateItem; both cost the same.
 *
 * A write costs the larger of the item before and after it (M-02); images say both.
 */
#include <workloads/replay/events.h>

#include <string.h>
#include <workloads/replay/item_size.h>

static int operation_of(const char *name) {
    if (name && !strcmp(name, "INSERT")) return DDBSIM_PUT_ITEM;
    if (name && !strcmp(name, "MODIFY")) return DDBSIM_UPDATE_ITEM;
    return name && !strcmp(name, "REMOVE") ? DDBSIM_DELETE_ITEM : RECORDING_UNKNOWN;
}

static bool is_expiry(const json_t *piece) {
    const json_t *identity = json_object_get(piece, "userIdentity");
    const char *type = events_string(identity, "type");
    if (!type) type = events_string(identity, "Type");
    return type && !strcmp(type, "Service");
}

/* Of an image; of none 0. */
static bool image_size(const json_t *stream, const char *name, int64_t *bytes) {
    const json_t *image = json_object_get(stream, name);
    *bytes = image ? item_size(image) : 0;
    return *bytes >= 0 && *bytes <= DDBSIM_ITEM_BYTES_MAX;
}

/* Images say the size. Else SizeBytes does, of key and images together, unless the stream holds keys alone. */
static enum ddbsim_status measure(const json_t *stream, struct events_entry *event,
                                  struct ddbsim_error *error) {
    int64_t old_bytes, new_bytes, keys = item_size(json_object_get(stream, "Keys"));
    const json_t *size = json_object_get(stream, "SizeBytes");
    const char *view = events_string(stream, "StreamViewType");
    if (!image_size(stream, "OldImage", &old_bytes) || !image_size(stream, "NewImage", &new_bytes))
        return events_bad(error, "an image is no item of DynamoDB of at most 400 KB");
    int64_t bytes = old_bytes > new_bytes ? old_bytes : new_bytes;
    bool one_image = view && (!strcmp(view, "NEW_IMAGE") || !strcmp(view, "OLD_IMAGE"));
    if (bytes == 0 && one_image && keys >= 0 && json_is_integer(size))
        bytes = json_integer_value(size) - keys;
    if (bytes > 0 && bytes <= DDBSIM_ITEM_BYTES_MAX) event->item_bytes = (int32_t)bytes;
    return DDBSIM_OK;
}

static const char *table_of(const json_t *piece) {
    const char *name = events_string(piece, "tableName");
    return name ? name : events_string(piece, "eventSourceARN");
}

enum ddbsim_status streams_take(struct events *read, const json_t *piece, uint64_t line,
                                struct ddbsim_error *error) {
    const json_t *stream = json_object_get(piece, "dynamodb");
    int operation = operation_of(events_string(piece, "eventName"));
    int64_t t_ns;
    if (!json_is_object(stream))
        return events_bad(error, "this is no record of a stream: it has no dynamodb");
    if (operation == RECORDING_UNKNOWN)
        return events_bad(error, "eventName is none of INSERT, MODIFY and REMOVE");
    if (!events_moment(json_object_get(stream, "ApproximateCreationDateTime"), &t_ns))
        return events_bad(error, "ApproximateCreationDateTime is no moment");
    if (is_expiry(piece)) {
        read->counts[EVENTS_EXPIRIES]++;
        return DDBSIM_OK;
    }
    struct events_entry event = events_entry_at(t_ns, line);
    event.operation = (int8_t)operation;
    const json_t *keys = json_object_get(stream, "Keys");
    if (json_object_size(keys) == 0) return events_bad(error, "a record without Keys");
    enum ddbsim_status status = events_table(read, table_of(piece), &event.table, error);
    if (!status) status = events_key(read, keys, &event, error);
    if (!status) status = measure(stream, &event, error);
    return status ? status : events_add(read, event, error);
}
