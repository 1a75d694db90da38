/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exports of a table to S3, in DynamoDB's JSON. Source: "DynamoDB table export output format" of AWS's developer
 * guide. A data file of a full export has an item a line and no times: it gives sizes, and how many items each
 * partition key has. One of an incremental export has the moment of each item's last write in the period, its Keys
 * and, as the export was asked for, its images: an event each. manifest-summary.json says how many items there are;
 * manifest-files.json lists the data files. Each holds items of one partition, and a partition may have several.
 *
 * Invariant: what is known of keys is the number of items of each of the first KEYS_MAX; others are counted as items
 * alone.
 */
#include <workloads/replay/events.h>

#include <base/error.h>
#include <base/vector.h>
#include <string.h>
#include <workloads/replay/item_size.h>

#define KEYS_MAX (1u << 20)

static enum ddbsim_status count_key(struct events *read, uint32_t key, struct ddbsim_error *error) {
    void *items = read->key_items;
    if (!key) return DDBSIM_OK;
    if (!vector_reserve(&items, &read->key_items_capacity, key + 1u, sizeof *read->key_items))
        return error_memory(error);
    read->key_items = items;
    read->key_items[key] += read->key_items[key] < UINT32_MAX;
    return DDBSIM_OK;
}

static enum ddbsim_status measure(struct events *read, const json_t *item, int64_t *bytes,
                                  struct ddbsim_error *error) {
    *bytes = item_size(item);
    if (*bytes <= 0 || *bytes > DDBSIM_ITEM_BYTES_MAX)
        return events_bad(error, "this is no item of DynamoDB of 1 byte to 400 KB");
    read->counts[EVENTS_ITEMS]++;
    read->item_bytes += (uint64_t)*bytes;
    hist_add(&read->sizes, (uint64_t)*bytes);
    return DDBSIM_OK;
}

/* An item does not say which of its attributes are its key: somebody must. */
static enum ddbsim_status take_item(struct events *read, const json_t *item, uint64_t line,
                                    struct ddbsim_error *error) {
    int64_t bytes;
    struct events_entry event = events_entry_at(0, line);
    enum ddbsim_status status = measure(read, item, &bytes, error);
    read->untimed += !status;
    if (status || !read->partition_name || read->texts.count >= KEYS_MAX) return status;
    const char *name = texts_at(&read->texts, read->partition_name);
    json_t *value = json_object_get(item, name);
    if (!value) return events_bad(error, "the item has no attribute %.200s", name);
    json_t *key = json_object();
    if (!key || json_object_set(key, name, value)) {
        json_decref(key);
        return error_memory(error);
    }
    status = events_key(read, key, &event, error);
    json_decref(key);
    return status ? status : count_key(read, event.key, error);
}

/* {"N": "1680109764000000"}, or the number, or its digits. */
static bool micros_of(const json_t *value, int64_t *t_ns) {
    if (json_is_object(value)) value = json_object_get(value, "N");
    return events_moment(value, t_ns);
}

static enum ddbsim_status take_write(struct events *read, const json_t *piece, uint64_t line,
                                     struct ddbsim_error *error) {
    const json_t *old_image = json_object_get(piece, "OldImage");
    const json_t *new_image = json_object_get(piece, "NewImage"),
                 *keys = json_object_get(piece, "Keys");
    const json_t *metadata = json_object_get(piece, "Metadata");
    int64_t t_ns, bytes = 0, old_bytes = old_image ? item_size(old_image) : 0;
    if (!micros_of(json_object_get(metadata, "WriteTimestampMicros"), &t_ns))
        return events_bad(error, "WriteTimestampMicros is no moment");
    if (json_object_size(keys) == 0) return events_bad(error, "a write without Keys");
    if (old_bytes < 0) return events_bad(error, "OldImage is no item of DynamoDB");
    struct events_entry event = events_entry_at(t_ns, line);
    event.table = read->export_table;
    enum ddbsim_status status = new_image ? measure(read, new_image, &bytes, error) : DDBSIM_OK;
    if (!status) status = events_key(read, keys, &event, error);
    if (status) return status;
    if (bytes < old_bytes) bytes = old_bytes;
    event.operation = DDBSIM_PUT_ITEM;
    if (old_image) event.operation = DDBSIM_UPDATE_ITEM;
    if (!new_image) event.operation = DDBSIM_DELETE_ITEM;
    if (bytes > 0 && bytes <= DDBSIM_ITEM_BYTES_MAX) event.item_bytes = (int32_t)bytes;
    read->counts[EVENTS_LAST_WRITES]++;
    status = count_key(read, event.key, error);
    return status ? status : events_add(read, event, error);
}

static int64_t count_of(const json_t *piece, const char *name) {
    const json_t *value = json_object_get(piece, name);
    return json_is_integer(value) && json_integer_value(value) >= 0 ? json_integer_value(value)
                                                                    : RECORDING_UNKNOWN;
}

static enum ddbsim_status take_summary(struct events *read, const json_t *piece,
                                       struct ddbsim_error *error) {
    read->export_items = count_of(piece, "itemCount");
    read->export_bytes = count_of(piece, "billedSizeBytes");
    const char *format = events_string(piece, "outputFormat");
    if (format && !strcmp(format, "ION")) {
        enum ddbsim_status status = events_bad(error, "the export is in Ion");
        error_hint(error, "ask export-table-to-point-in-time for --export-format DYNAMODB_JSON");
        return status;
    }
    return events_table(read, events_string(piece, "tableArn"), &read->export_table, error);
}

enum ddbsim_status s3_export_take(struct events *read, const json_t *piece, uint64_t line,
                                  struct ddbsim_error *error) {
    const json_t *item = json_object_get(piece, "Item");
    if (item) return take_item(read, item, line, error);
    if (json_object_get(piece, "Metadata")) return take_write(read, piece, line, error);
    if (events_string(piece, "exportArn")) return take_summary(read, piece, error);
    if (!events_string(piece, "dataFileS3Key"))
        return events_bad(error,
                          "this is no line of an export: neither Item, Metadata nor dataFileS3Key");
    /* Files without items belong to no partition. */
    read->counts[EVENTS_DATA_FILES] += count_of(piece, "itemCount") != 0;
    return DDBSIM_OK;
}
