/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data models of NoSQL Workbench for DynamoDB: tables with their keys, indexes, capacities and sample items. Sizes of
 * items and of index entries are those of the samples in the mean, by AWS's rules; an index holds the share of them
 * that has its key's attributes.
 *
 * Invariant: samples say nothing of how many items there are or of which keys are popular: a model has a handful.
 */
#include "aws.h"
#include "kinds.h"
#include "scaling.h"

#include <ddbsim/scenario.h>
#include <string.h>
#include <workloads/replay/item_size.h>

bool workbench_is_model(const struct import_file *file) {
    if (!file->document) return false;
    const json_t *root = document_root(file->document);
    const json_t *first = json_array_get(json_object_get(root, "DataModel"), 0);
    return json_is_string(json_object_get(first, "TableName")) &&
           json_is_object(json_object_get(first, "KeyAttributes"));
}

/* ---- keys and capacities ---- */

static void take_key(struct aws *aws, const json_t *owner, struct import_resource *out) {
    const json_t *keys = document_object(aws->document, owner, "KeyAttributes");
    const json_t *partition = document_object(aws->document, keys, "PartitionKey");
    const json_t *sort = document_object(aws->document, keys, "SortKey");
    if (partition)
        out->partition_key = aws_name(aws, partition, "AttributeName");
    else
        document_fail(aws->document, keys ? keys : owner, NULL, "\"PartitionKey\" is missing");
    if (sort) out->sort_key = aws_name(aws, sort, "AttributeName");
}

/* Bounds and target of one direction. */
static void take_scaling(struct aws *aws, const json_t *settings, const char *key,
                         struct scaling_of of) {
    const json_t *automatic = document_object(aws->document, settings, key);
    const json_t *target = document_object(aws->document, automatic, "ScalableTargetRequest");
    const json_t *policy = document_object(aws->document, automatic, "ScalingPolicyRequest");
    if (!target || !policy) return;
    scaling_take_bounds(aws, &scaling_aws_words, target, of, IMPORT_MODEL);
    scaling_take_policy(aws, &scaling_aws_words, policy, of, IMPORT_MODEL);
}

static void take_capacity(struct aws *aws, const json_t *owner, struct import_resource *out) {
    const json_t *settings = document_object(aws->document, owner, "ProvisionedCapacitySettings");
    if (!settings) return;
    aws_throughput(aws, settings, out);
    take_scaling(aws, settings, "AutoScalingRead", (struct scaling_of){out, false});
    take_scaling(aws, settings, "AutoScalingWrite", (struct scaling_of){out, true});
}

/* ---- samples ---- */

/* Bytes of an attribute of an item with its name; 0: it has none. */
static int64_t attribute_bytes(const json_t *item, const char *name) {
    json_t *value = json_object_get(item, name), *alone = value ? json_object() : NULL;
    int64_t bytes = 0;
    if (alone && json_object_set(alone, name, value) == 0) bytes = item_size(alone);
    json_decref(alone);
    return bytes > 0 ? bytes : 0;
}

/* What an index projects of an item. */
static int64_t entry_bytes(const json_t *item, const json_t *attributes,
                           const struct import_table *table, const struct import_index *index) {
    const char *const keys[] = {table->resource.partition_key, table->resource.sort_key,
                                index->resource.partition_key, index->resource.sort_key};
    int64_t bytes = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        bool twice = false;
        for (size_t k = 0; k < i && keys[i]; k++)
            twice = twice || (keys[k] && !strcmp(keys[k], keys[i]));
        if (keys[i] && !twice) bytes += attribute_bytes(item, keys[i]);
    }
    for (size_t i = 0; i < json_array_size(attributes); i++) {
        const char *name = json_string_value(json_array_get(attributes, i));
        if (name) bytes += attribute_bytes(item, name);
    }
    return bytes;
}

static bool is_in(const json_t *item, const struct import_index *index) {
    const struct import_resource *of = &index->resource;
    bool partition = of->partition_key && json_object_get(item, of->partition_key);
    return partition && (!of->sort_key || json_object_get(item, of->sort_key));
}

/* The mean, rounded up, and not above what AWS allows. */
static int64_t mean(int64_t bytes, int64_t count) {
    if (count == 0 || bytes == 0) return IMPORT_UNKNOWN;
    int64_t out = bytes / count + (bytes % count != 0);
    return out < DDBSIM_ITEM_BYTES_MAX ? out : DDBSIM_ITEM_BYTES_MAX;
}

static void measure_index(const json_t *items, const json_t *attributes,
                          const struct import_table *table, struct import_index *index) {
    int64_t bytes = 0, present = 0;
    size_t all = json_array_size(items);
    for (size_t i = 0; i < all; i++) {
        const json_t *item = json_array_get(items, i);
        if (!is_in(item, index)) continue;
        bytes += entry_bytes(item, attributes, table, index);
        present++;
    }
    if (all == 0) return;
    index->present = present * DDBSIM_SHARE_ONE / (int64_t)all;
    index->entry_bytes = mean(bytes, present);
}

static void measure_items(struct aws *aws, const json_t *items, struct import_table *table) {
    int64_t bytes = 0;
    size_t count = json_array_size(items);
    for (size_t i = 0; i < count; i++) {
        const json_t *item = document_item(aws->document, items, i);
        int64_t size = item ? item_size(item) : ITEM_SIZE_BAD;
        if (item && size == ITEM_SIZE_BAD)
            document_fail(aws->document, item, NULL, "sample %zu is no item in DynamoDB's JSON",
                          i + 1);
        if (size > 0) bytes += size;
    }
    table->item_bytes = mean(bytes, (int64_t)count);
    if (count > 0)
        import_note(aws->import, IMPORT_TOOK, aws->file,
                    "table %s: sizes of its %zu samples, which stand for all items",
                    table->resource.name, count);
}

/* ---- tables ---- */

static void take_index(struct aws *aws, const json_t *node, const json_t *items, bool is_local,
                       struct import_table *table) {
    const char *name = aws_resource_name(aws, node, "IndexName");
    struct import_index *index = name ? import_index(aws->import, table, name) : NULL;
    const json_t *projection = document_object(aws->document, node, "Projection");
    const json_t *attributes = document_array(aws->document, projection, "NonKeyAttributes");
    if (!index) return;
    index->is_local = is_local;
    index->projection = aws_projection(document_text(aws->document, projection, "ProjectionType"));
    index->attributes = (uint32_t)json_array_size(attributes);
    take_key(aws, node, &index->resource);
    if (!is_local) take_capacity(aws, node, &index->resource);
    measure_index(items, attributes, table, index);
}

static void take_indexes(struct aws *aws, const json_t *node, const json_t *items, const char *key,
                         bool is_local, struct import_table *table) {
    const json_t *list = document_array(aws->document, node, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *index = document_item(aws->document, list, i);
        if (index) take_index(aws, index, items, is_local, table);
    }
}

static void take_table(struct aws *aws, const json_t *node) {
    struct import_table table = aws_new_table(aws, IMPORT_MODEL);
    const char *mode = document_text(aws->document, node, "BillingMode");
    const json_t *items = document_array(aws->document, node, "TableData");
    table.resource.name = aws_resource_name(aws, node, "TableName");
    if (!table.resource.name) return;
    if (mode) aws_billing(aws, node, mode, &table);
    take_key(aws, node, &table.resource);
    take_capacity(aws, node, &table.resource);
    measure_items(aws, items, &table);
    take_indexes(aws, node, items, "GlobalSecondaryIndexes", false, &table);
    take_indexes(aws, node, items, "LocalSecondaryIndexes", true, &table);
    aws_done(aws, &table);
}

enum ddbsim_status workbench_take_model(struct import *import, const struct import_file *file,
                                        struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *list = document_array(aws.document, document_root(aws.document), "DataModel");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws.document, list, i);
        if (node) take_table(&aws, node);
    }
    return aws_status(&aws, error);
}
