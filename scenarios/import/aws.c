/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Members of AWS's objects (API reference, TableDescription; the same names stand in CloudFormation's
 * AWS::DynamoDB::Table). A capacity of 0 is AWS's way to say that there is none.
 *
 * Invariant: every name and text that comes out is a copy, for a document does not outlive its file.
 */
#include "aws.h"

#include "tables.h"

#include <string.h>

struct import_table aws_new_table(const struct aws *aws, enum import_rank rank) {
    struct import_table table = {.file = aws->file, .rank = rank, .item_bytes = IMPORT_UNKNOWN};
    tables_clear(&table.resource, NULL);
    return table;
}

const char *aws_text(struct aws *aws, const json_t *object, const char *key) {
    const char *text = document_text(aws->document, object, key);
    return text && *text ? import_text(aws->import, "%s", text) : NULL;
}

const char *aws_name(struct aws *aws, const json_t *object, const char *key) {
    const char *text = document_name(aws->document, object, key);
    if (!text) return NULL;
    if (strlen(text) > TABLES_NAME_MAX) {
        document_fail(aws->document, object, key, "the name has more than %u bytes",
                      TABLES_NAME_MAX);
        return NULL;
    }
    return import_text(aws->import, "%s", text);
}

const char *aws_resource_name(struct aws *aws, const json_t *object, const char *key) {
    const char *name = aws_name(aws, object, key);
    if (!name || tables_is_name(name)) return name;
    document_fail(aws->document, object, key, "\"%.80s\" is no name that AWS allows", name);
    document_hint(aws->document, "names have letters, digits, _ - .");
    return NULL;
}

/* arn:aws:dynamodb:REGION:ACCOUNT:table/NAME */
const char *aws_region(struct aws *aws, const char *arn) {
    const char *at = arn && !strncmp(arn, "arn:", 4) ? arn : NULL;
    for (int i = 0; at && i < 3; i++) {
        at = strchr(at, ':');
        at = at ? at + 1 : NULL;
    }
    size_t length = at ? strcspn(at, ":") : 0;
    return length ? import_text(aws->import, "%.*s", (int)length, at) : NULL;
}

void aws_billing(struct aws *aws, const json_t *place, const char *mode, struct import_table *out) {
    static const char *const modes[] = {"PROVISIONED", "PAY_PER_REQUEST"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(mode, modes[i])) out->billing = modes[i];
    if (!out->billing)
        document_fail(aws->document, place, "BillingMode", "there is no billing mode \"%.60s\"",
                      mode);
}

void aws_key(struct aws *aws, const json_t *object, const char *key, struct import_resource *out) {
    const json_t *schema = document_array(aws->document, object, key);
    for (size_t i = 0; i < json_array_size(schema); i++) {
        const json_t *part = document_item(aws->document, schema, i);
        const char *type = part ? document_name(aws->document, part, "KeyType") : NULL;
        if (!type) return;
        if (!strcmp(type, "HASH"))
            out->partition_key = aws_name(aws, part, "AttributeName");
        else if (!strcmp(type, "RANGE"))
            out->sort_key = aws_name(aws, part, "AttributeName");
        else
            document_fail(aws->document, part, "KeyType", "a key is HASH or RANGE, not \"%.40s\"",
                          type);
    }
    if (!out->partition_key)
        document_fail(aws->document, object, schema ? key : NULL,
                      schema ? "the key has no HASH part" : "\"%s\" is missing", key);
}

int64_t aws_units(struct aws *aws, const json_t *object, const char *key) {
    int64_t value = document_integer(aws->document, object, key, -1, AWS_UNITS_MAX, IMPORT_UNKNOWN);
    return value > 0 ? value : IMPORT_UNKNOWN;
}

void aws_throughput(struct aws *aws, const json_t *object, struct import_resource *out) {
    struct document *document = aws->document;
    const json_t *bought = document_object(document, object, "ProvisionedThroughput");
    const json_t *maximum = document_object(document, object, "OnDemandThroughput");
    const json_t *warm = document_object(document, object, "WarmThroughput");
    out->capacity.read = aws_units(aws, bought, "ReadCapacityUnits");
    out->capacity.write = aws_units(aws, bought, "WriteCapacityUnits");
    out->maximum.read = aws_units(aws, maximum, "MaxReadRequestUnits");
    out->maximum.write = aws_units(aws, maximum, "MaxWriteRequestUnits");
    out->warm.read = aws_units(aws, warm, "ReadUnitsPerSecond");
    out->warm.write = aws_units(aws, warm, "WriteUnitsPerSecond");
}

void aws_statistics(struct aws *aws, const json_t *object, const char *bytes_key,
                    struct import_resource *out) {
    out->items =
        document_integer(aws->document, object, "ItemCount", 0, AWS_ITEMS_MAX, IMPORT_UNKNOWN);
    out->bytes =
        document_integer(aws->document, object, bytes_key, 0, AWS_BYTES_MAX, IMPORT_UNKNOWN);
}

static const char *word_of(const char *const *words, size_t count, const char *text) {
    for (size_t i = 0; text && i < count; i++)
        if (!strcmp(text, words[i])) return words[i];
    return NULL;
}

const char *aws_projection(const char *text) {
    static const char *const words[] = {"KEYS_ONLY", "INCLUDE", "ALL"};
    return word_of(words, sizeof words / sizeof *words, text);
}

const char *aws_view(const char *text) {
    static const char *const words[] = {"KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE",
                                        "NEW_AND_OLD_IMAGES"};
    return word_of(words, sizeof words / sizeof *words, text);
}

static void take_projection(struct aws *aws, const json_t *node, struct import_index *out) {
    const json_t *projection = document_object(aws->document, node, "Projection");
    const char *type = document_text(aws->document, projection, "ProjectionType");
    out->projection = aws_projection(type);
    if (type && !out->projection)
        document_fail(aws->document, projection, "ProjectionType",
                      "there is no projection \"%.40s\"", type);
    out->attributes =
        (uint32_t)json_array_size(document_array(aws->document, projection, "NonKeyAttributes"));
}

void aws_indexes(struct aws *aws, const json_t *object, const char *key, bool is_local,
                 struct import_table *table) {
    const json_t *list = document_array(aws->document, object, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws->document, list, i);
        const char *name = node ? aws_resource_name(aws, node, "IndexName") : NULL;
        if (!name) return;
        if (import_find_index(table, name)) {
            document_fail(aws->document, node, "IndexName", "two indexes are called \"%.80s\"",
                          name);
            return;
        }
        struct import_index *index = import_index(aws->import, table, name);
        if (!index) return;
        index->is_local = is_local;
        aws_key(aws, node, "KeySchema", &index->resource);
        if (!is_local) aws_throughput(aws, node, &index->resource);
        aws_statistics(aws, node, "IndexSizeBytes", &index->resource);
        take_projection(aws, node, index);
    }
}

void aws_stream(struct aws *aws, const json_t *object, struct import_table *table) {
    const json_t *node = document_object(aws->document, object, "StreamSpecification");
    const char *view = document_text(aws->document, node, "StreamViewType");
    if (!view || !document_bool(aws->document, node, "StreamEnabled", true)) return;
    table->stream = aws_view(view);
    if (!table->stream)
        document_fail(aws->document, node, "StreamViewType", "there is no stream view \"%.40s\"",
                      view);
}

void aws_replicas(struct aws *aws, const json_t *object, struct import_table *table) {
    const json_t *list = document_array(aws->document, object, "Replicas");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws->document, list, i);
        const char *key = json_object_get(node, "RegionName") ? "RegionName" : "Region";
        const char *region = node ? aws_name(aws, node, key) : NULL;
        if (region) tables_add_replica(aws->import, table, region);
    }
}

void aws_class(struct aws *aws, const json_t *object, const char *name) {
    const char *class = document_text(aws->document, object, "TableClass");
    if (class && name && strcmp(class, "STANDARD") != 0)
        import_note(
            aws->import, IMPORT_PASSED, aws->file,
            "table %s is of class %s, which changes its price and nothing that is simulated", name,
            class);
}

void aws_done(struct aws *aws, const struct import_table *table) {
    struct ddbsim_error error = {0};
    if (document_status(aws->document, NULL) != DDBSIM_OK || aws->import->short_of_memory) return;
    if (tables_add(aws->import, table, &error) == DDBSIM_OK) return;
    document_fail(aws->document, document_root(aws->document), NULL, "%s", error.message);
    document_hint(aws->document, "%s", error.hint);
}

enum ddbsim_status aws_status(struct aws *aws, struct ddbsim_error *error) {
    enum ddbsim_status status = document_status(aws->document, error);
    return status == DDBSIM_OK && aws->import->short_of_memory ? error_memory(error) : status;
}
