/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables as DescribeTable tells of them (API reference, TableDescription): `aws dynamodb describe-table` prints
 * {"Table": {...}}; the object alone and lists of either are read as well.
 *
 * Invariant: a table that was taken has a name and a key.
 */
#include "kinds.h"

#include "document.h"
#include "aws.h"

#include <string.h>

/* ---- telling it ---- */

static bool is_description(const json_t *value) {
    return json_is_string(json_object_get(value, "TableName")) &&
           (json_is_array(json_object_get(value, "KeySchema")) ||
            json_is_string(json_object_get(value, "TableStatus")));
}

/* {"Table": ...} or the description itself. */
static const json_t *unwrap(const json_t *value) {
    const json_t *inside = json_object_get(value, "Table");
    return is_description(value) ? value : is_description(inside) ? inside : NULL;
}

/* The list of {"Tables": [...]}, or a list. */
static const json_t *list_of(const json_t *root) {
    const json_t *list = json_is_array(root) ? root : json_object_get(root, "Tables");
    return json_is_array(list) ? list : NULL;
}

bool describe_is_table(const struct import_file *file) {
    if (!file->document) return false;
    const json_t *root = document_root(file->document);
    return unwrap(root) || unwrap(json_array_get(list_of(root), 0));
}

/* ---- taking it ---- */

static void take_billing(struct aws *aws, const json_t *node, struct import_table *out) {
    const json_t *summary = document_object(aws->document, node, "BillingModeSummary");
    const char *mode = document_text(aws->document, summary, "BillingMode");
    /* AWS leaves the summary out of a table that never was on demand. */
    aws_billing(aws, summary ? summary : node, mode ? mode : "PROVISIONED", out);
}

static void take_table(struct aws *aws, const json_t *node) {
    struct import_table table = aws_new_table(aws, IMPORT_STATE);
    struct document *document = aws->document;
    table.resource.name = aws_resource_name(aws, node, "TableName");
    table.region = aws_region(aws, document_text(document, node, "TableArn"));
    take_billing(aws, node, &table);
    aws_key(aws, node, "KeySchema", &table.resource);
    aws_throughput(aws, node, &table.resource);
    aws_statistics(aws, node, "TableSizeBytes", &table.resource);
    const json_t *throughput = document_object(document, node, "ProvisionedThroughput");
    table.decreases_today =
        document_integer(document, throughput, "NumberOfDecreasesToday", 0, 1000, 0);
    aws_indexes(aws, node, "GlobalSecondaryIndexes", false, &table);
    aws_indexes(aws, node, "LocalSecondaryIndexes", true, &table);
    aws_stream(aws, node, &table);
    aws_replicas(aws, node, &table);
    aws_class(aws, document_object(document, node, "TableClassSummary"), table.resource.name);
    aws_done(aws, &table);
}

enum ddbsim_status describe_take_table(struct import *import, const struct import_file *file,
                                       struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *root = document_root(file->document), *list = list_of(root);
    if (unwrap(root)) take_table(&aws, unwrap(root));
    for (size_t i = 0; !unwrap(root) && i < json_array_size(list); i++) {
        const json_t *item = document_item(file->document, list, i), *node = unwrap(item);
        if (item && !node)
            document_fail(file->document, item, NULL, "entry %zu of the list is no table", i + 1);
        if (node) take_table(&aws, node);
    }
    return aws_status(&aws, error);
}
