/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `terraform show -json` prints of a state (`values`) or a plan (`planned_values`): modules within modules, each
 * with resources whose `values` have the provider's words (Terraform, "JSON Output Format"; the AWS provider's
 * aws_dynamodb_table, aws_appautoscaling_*, aws_cloudwatch_metric_alarm). Blocks are lists of one object.
 *
 * Invariant: tables are taken before what scales or watches them.
 */
#include "alarms.h"
#include "kinds.h"
#include "scaling.h"
#include "tables.h"

#include <string.h>

#define MODULES_MAX 64 /* deep */

/* The only entry of a block; NULL: there is none. */
static const json_t *block(struct aws *aws, const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    if (json_is_object(value)) return document_object(aws->document, object, key);
    const json_t *list = document_array(aws->document, object, key);
    return json_array_size(list) ? document_item(aws->document, list, 0) : NULL;
}

static void take_throughput(struct aws *aws, const json_t *values, struct import_resource *out) {
    const json_t *maximum = block(aws, values, "on_demand_throughput");
    const json_t *warm = block(aws, values, "warm_throughput");
    out->capacity.read = aws_units(aws, values, "read_capacity");
    out->capacity.write = aws_units(aws, values, "write_capacity");
    out->maximum.read = aws_units(aws, maximum, "max_read_request_units");
    out->maximum.write = aws_units(aws, maximum, "max_write_request_units");
    out->warm.read = aws_units(aws, warm, "read_units_per_second");
    out->warm.write = aws_units(aws, warm, "write_units_per_second");
}

/* hash_key and range_key, or newer a key_schema. */
static void take_key(struct aws *aws, const json_t *values, struct import_resource *out) {
    struct document *document = aws->document;
    const char *hash = document_text(document, values, "hash_key");
    const json_t *schema = document_array(document, values, "key_schema");
    if (hash && *hash) {
        out->partition_key = aws_name(aws, values, "hash_key");
        out->sort_key = aws_text(aws, values, "range_key");
        return;
    }
    for (size_t i = 0; i < json_array_size(schema); i++) {
        const json_t *part = document_item(document, schema, i);
        const char *type = part ? document_name(document, part, "key_type") : NULL;
        const char **key = type && !strcmp(type, "HASH") ? &out->partition_key : &out->sort_key;
        if (type && !*key) *key = aws_name(aws, part, "attribute_name");
    }
    if (!out->partition_key) document_fail(document, values, NULL, "\"hash_key\" is missing");
}

static void take_index(struct aws *aws, const json_t *values, bool is_local,
                       struct import_table *table) {
    const char *name = aws_resource_name(aws, values, "name");
    struct import_index *index = name ? import_index(aws->import, table, name) : NULL;
    if (!index) return;
    const char *projection = document_text(aws->document, values, "projection_type");
    index->is_local = is_local;
    index->projection = aws_projection(projection);
    index->attributes =
        (uint32_t)json_array_size(document_array(aws->document, values, "non_key_attributes"));
    if (!is_local) {
        take_key(aws, values, &index->resource);
        take_throughput(aws, values, &index->resource);
        return;
    }
    index->resource.partition_key = table->resource.partition_key;
    index->resource.sort_key = aws_name(aws, values, "range_key");
}

static void take_indexes(struct aws *aws, const json_t *values, const char *key, bool is_local,
                         struct import_table *table) {
    const json_t *list = document_array(aws->document, values, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws->document, list, i);
        if (node) take_index(aws, node, is_local, table);
    }
}

static void take_stream(struct aws *aws, const json_t *values, struct import_table *table) {
    const char *view = document_text(aws->document, values, "stream_view_type");
    if (document_bool(aws->document, values, "stream_enabled", false))
        table->stream = aws_view(view);
}

static void take_replicas(struct aws *aws, const json_t *values, struct import_table *table) {
    const json_t *list = document_array(aws->document, values, "replica");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws->document, list, i);
        const char *region = node ? aws_name(aws, node, "region_name") : NULL;
        if (region) tables_add_replica(aws->import, table, region);
    }
}

static void take_table(struct aws *aws, const json_t *values) {
    struct import_table table = aws_new_table(aws, IMPORT_TEMPLATE);
    const char *mode = document_text(aws->document, values, "billing_mode");
    const json_t *ttl = block(aws, values, "ttl");
    table.resource.name = aws_resource_name(aws, values, "name");
    table.region = aws_region(aws, document_text(aws->document, values, "arn"));
    aws_billing(aws, values, mode && *mode ? mode : "PROVISIONED", &table);
    take_key(aws, values, &table.resource);
    take_throughput(aws, values, &table.resource);
    take_indexes(aws, values, "global_secondary_index", false, &table);
    take_indexes(aws, values, "local_secondary_index", true, &table);
    take_stream(aws, values, &table);
    take_replicas(aws, values, &table);
    if (ttl && document_bool(aws->document, ttl, "enabled", false))
        table.ttl = aws_text(aws, ttl, "attribute_name");
    aws_done(aws, &table);
}

static struct scaling_of scaled(struct aws *aws, const json_t *values) {
    const struct scaling_words *words = &scaling_terraform_words;
    return scaling_find(aws, document_text(aws->document, values, words->resource_id),
                        document_text(aws->document, values, words->dimension));
}

static void take_target(struct aws *aws, const json_t *values) {
    scaling_take_target(aws, &scaling_terraform_words, values, IMPORT_TEMPLATE);
}

static void take_policy(struct aws *aws, const json_t *values) {
    struct scaling_of of = scaled(aws, values);
    if (of.resource)
        scaling_take_policy(aws, &scaling_terraform_words, values, of, IMPORT_TEMPLATE);
}

static void take_action(struct aws *aws, const json_t *values) {
    struct scaling_of of = scaled(aws, values);
    if (of.resource) scaling_take_action(aws, &scaling_terraform_words, values, of);
}

static void take_alarm(struct aws *aws, const json_t *values) {
    alarms_take(aws, &alarms_terraform_words, values, NULL);
}

/* In this order. */
static const struct taken {
    const char *type;
    void (*take)(struct aws *aws, const json_t *values);
} taken[] = {
    {"aws_dynamodb_table", take_table},
    {"aws_appautoscaling_target", take_target},
    {"aws_appautoscaling_policy", take_policy},
    {"aws_appautoscaling_scheduled_action", take_action},
    {"aws_cloudwatch_metric_alarm", take_alarm},
};

static const json_t *root_module(const json_t *root) {
    const json_t *state = json_object_get(json_object_get(root, "values"), "root_module");
    const json_t *plan = json_object_get(json_object_get(root, "planned_values"), "root_module");
    return json_is_object(state) ? state : plan;
}

bool terraform_is_state(const struct import_file *file) {
    if (!file->document) return false;
    const json_t *root = document_root(file->document);
    return json_is_string(json_object_get(root, "format_version")) &&
           json_is_object(root_module(root));
}

static void take_module(struct aws *aws, const struct taken *kind, const json_t *module,
                        int depth) {
    struct document *document = aws->document;
    const json_t *resources = document_array(document, module, "resources");
    const json_t *children = document_array(document, module, "child_modules");
    if (depth == MODULES_MAX)
        document_fail(document, module, NULL, "modules are nested more than %d deep", MODULES_MAX);
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *resource = document_item(document, resources, i);
        const char *type = document_text(document, resource, "type");
        const char *mode = document_text(document, resource, "mode");
        if (!type || strcmp(type, kind->type) != 0 || (mode && strcmp(mode, "managed") != 0))
            continue;
        const json_t *values = document_object(document, resource, "values");
        if (values) kind->take(aws, values);
    }
    for (size_t i = 0; depth < MODULES_MAX && i < json_array_size(children); i++) {
        const json_t *child = document_item(document, children, i);
        if (child) take_module(aws, kind, child, depth + 1);
    }
}

enum ddbsim_status terraform_take_state(struct import *import, const struct import_file *file,
                                        struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *module = root_module(document_root(file->document));
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        take_module(&aws, &taken[i], module, 0);
    return aws_status(&aws, error);
}
