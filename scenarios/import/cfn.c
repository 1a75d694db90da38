/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Templates of CloudFormation, SAM and CDK: tables, global tables, SAM's simple tables, scaling, alarms
 * (CloudFormation's resource reference, AWS::DynamoDB::Table and GlobalTable; SAM's, AWS::Serverless::SimpleTable).
 *
 * Invariant: tables are taken before what scales or watches them, so that a name that the template leaves open is the
 * same everywhere.
 */
#include "alarms.h"
#include "kinds.h"
#include "resolve.h"
#include "scaling.h"

#include <stdio.h>
#include <string.h>

/* ---- tables ---- */

static void take_ttl(struct aws *aws, const json_t *properties, struct import_table *table) {
    const json_t *ttl = document_object(aws->document, properties, "TimeToLiveSpecification");
    if (ttl && document_bool(aws->document, ttl, "Enabled", true))
        table->ttl = aws_text(aws, ttl, "AttributeName");
}

static struct import_table new_table(struct aws *aws, const char *id, const json_t *properties) {
    struct import_table table = aws_new_table(aws, IMPORT_TEMPLATE);
    const char *mode = document_text(aws->document, properties, "BillingMode");
    table.resource.name = resolve_name(aws, id);
    aws_billing(aws, properties, mode ? mode : "PROVISIONED", &table);
    return table;
}

static void take_table(struct aws *aws, const char *id, const json_t *properties) {
    struct import_table table = new_table(aws, id, properties);
    aws_key(aws, properties, "KeySchema", &table.resource);
    aws_throughput(aws, properties, &table.resource);
    aws_indexes(aws, properties, "GlobalSecondaryIndexes", false, &table);
    aws_indexes(aws, properties, "LocalSecondaryIndexes", true, &table);
    aws_stream(aws, properties, &table);
    aws_class(aws, properties, table.resource.name);
    take_ttl(aws, properties, &table);
    aws_done(aws, &table);
}

/* SAM: on demand where it says no capacity; the key is one text called id unless it says another. */
static void take_simple(struct aws *aws, const char *id, const json_t *properties) {
    struct import_table table = aws_new_table(aws, IMPORT_TEMPLATE);
    const json_t *key = document_object(aws->document, properties, "PrimaryKey");
    table.resource.name = resolve_name(aws, id);
    table.resource.partition_key = key ? aws_name(aws, key, "Name") : "id";
    aws_throughput(aws, properties, &table.resource);
    bool bought = table.resource.capacity.read > 0 || table.resource.capacity.write > 0;
    table.billing = bought ? "PROVISIONED" : "PAY_PER_REQUEST";
    aws_done(aws, &table);
}

/* ---- global tables ---- */

/* What may be written in the place of a number of units: bounds and target in one. */
static void take_settings(struct aws *aws, const json_t *object, const char *key, const char *units,
                          const char *scaling, struct scaling_of of) {
    struct document *document = aws->document;
    const json_t *settings = document_object(document, object, key);
    const json_t *automatic = document_object(document, settings, scaling);
    int64_t *out = of.is_write ? &of.resource->capacity.write : &of.resource->capacity.read;
    int64_t fixed = document_integer(document, settings, units, 1, AWS_UNITS_MAX, IMPORT_UNKNOWN);
    if (fixed != IMPORT_UNKNOWN) *out = fixed;
    if (!automatic) return;
    fixed = document_integer(document, automatic, "SeedCapacity", 1, AWS_UNITS_MAX, IMPORT_UNKNOWN);
    if (fixed != IMPORT_UNKNOWN) *out = fixed;
    scaling_take_bounds(aws, &scaling_aws_words, automatic, of, IMPORT_TEMPLATE);
    const json_t *tracking =
        document_object(document, automatic, "TargetTrackingScalingPolicyConfiguration");
    if (tracking) scaling_take_tracking(aws, &scaling_aws_words, tracking, of, IMPORT_TEMPLATE);
}

static void take_maximum(struct aws *aws, const json_t *object, const char *key, const char *units,
                         int64_t *out) {
    const json_t *settings = document_object(aws->document, object, key);
    int64_t value =
        document_integer(aws->document, settings, units, -1, AWS_UNITS_MAX, IMPORT_UNKNOWN);
    if (value > 0) *out = value;
}

static void take_writes(struct aws *aws, const json_t *object, struct import_resource *out) {
    take_settings(aws, object, "WriteProvisionedThroughputSettings", "WriteCapacityUnits",
                  "WriteCapacityAutoScalingSettings", (struct scaling_of){out, true});
    take_maximum(aws, object, "WriteOnDemandThroughputSettings", "MaxWriteRequestUnits",
                 &out->maximum.write);
}

static void take_reads(struct aws *aws, const json_t *object, struct import_resource *out) {
    take_settings(aws, object, "ReadProvisionedThroughputSettings", "ReadCapacityUnits",
                  "ReadCapacityAutoScalingSettings", (struct scaling_of){out, false});
    take_maximum(aws, object, "ReadOnDemandThroughputSettings", "MaxReadRequestUnits",
                 &out->maximum.read);
}

/* Indexes are listed twice: what they are, and of each replica what reads them. */
static void take_global_indexes(struct aws *aws, const json_t *owner, bool reads,
                                struct import_table *table) {
    const json_t *list = document_array(aws->document, owner, "GlobalSecondaryIndexes");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws->document, list, i);
        const char *name = document_text(aws->document, node, "IndexName");
        struct import_index *index = name ? import_find_index(table, name) : NULL;
        if (index && reads) take_reads(aws, node, &index->resource);
        if (index && !reads) take_writes(aws, node, &index->resource);
    }
}

static void take_global(struct aws *aws, const char *id, const json_t *properties) {
    struct import_table table = new_table(aws, id, properties);
    const json_t *replicas = document_array(aws->document, properties, "Replicas");
    const json_t *home =
        json_array_size(replicas) ? document_item(aws->document, replicas, 0) : NULL;
    aws_key(aws, properties, "KeySchema", &table.resource);
    aws_throughput(aws, properties, &table.resource);
    aws_indexes(aws, properties, "GlobalSecondaryIndexes", false, &table);
    aws_indexes(aws, properties, "LocalSecondaryIndexes", true, &table);
    take_writes(aws, properties, &table.resource);
    take_global_indexes(aws, properties, false, &table);
    take_reads(aws, home, &table.resource);
    take_global_indexes(aws, home, true, &table);
    aws_stream(aws, properties, &table);
    aws_class(aws, home, table.resource.name);
    take_ttl(aws, properties, &table);
    /* The first one is where the scenario's table stands; the others follow it. */
    table.region = home ? aws_text(aws, home, "Region") : NULL;
    aws_replicas(aws, properties, &table);
    aws_done(aws, &table);
}

/* ---- scaling and alarms ---- */

static void take_target(struct aws *aws, const char *id, const json_t *properties) {
    (void)id;
    scaling_take_target(aws, &scaling_aws_words, properties, IMPORT_TEMPLATE);
    struct scaling_of of =
        scaling_find(aws, document_text(aws->document, properties, "ResourceId"),
                     document_text(aws->document, properties, "ScalableDimension"));
    const json_t *actions = document_array(aws->document, properties, "ScheduledActions");
    for (size_t i = 0; of.resource && i < json_array_size(actions); i++) {
        const json_t *action = document_item(aws->document, actions, i);
        if (action) scaling_take_action(aws, &scaling_aws_words, action, of);
    }
}

/* A Ref to a target is "RESOURCE|DIMENSION|SERVICE". */
static struct scaling_of target_of(struct aws *aws, const json_t *properties) {
    const char *id = document_text(aws->document, properties, "ScalingTargetId");
    const char *bar = id ? strchr(id, '|') : NULL;
    if (!bar)
        return scaling_find(aws, document_text(aws->document, properties, "ResourceId"),
                            document_text(aws->document, properties, "ScalableDimension"));
    const char *resource = import_text(aws->import, "%.*s", (int)(bar - id), id);
    const char *dimension = import_text(aws->import, "%.*s", (int)strcspn(bar + 1, "|"), bar + 1);
    return scaling_find(aws, resource, dimension);
}

static void take_policy(struct aws *aws, const char *id, const json_t *properties) {
    struct scaling_of of = target_of(aws, properties);
    (void)id;
    if (of.resource) scaling_take_policy(aws, &scaling_aws_words, properties, of, IMPORT_TEMPLATE);
}

static void take_alarm(struct aws *aws, const char *id, const json_t *properties) {
    const char *name = import_text(aws->import, "%s", id);
    if (name) alarms_take(aws, &alarms_aws_words, properties, name);
}

/* ---- the template ---- */

/* In this order. */
static const struct taken {
    const char *type;
    void (*take)(struct aws *aws, const char *id, const json_t *properties);
} taken[] = {
    {"AWS::DynamoDB::Table", take_table},
    {"AWS::DynamoDB::GlobalTable", take_global},
    {"AWS::Serverless::SimpleTable", take_simple},
    {"AWS::ApplicationAutoScaling::ScalableTarget", take_target},
    {"AWS::ApplicationAutoScaling::ScalingPolicy", take_policy},
    {"AWS::CloudWatch::Alarm", take_alarm},
};

static const char *type_of(const json_t *resource) {
    return json_string_value(json_object_get(resource, "Type"));
}

bool cfn_is_template(const struct import_file *file) {
    const char *id;
    json_t *resource;
    if (!file->document) return false;
    const json_t *resources = json_object_get(document_root(file->document), "Resources");
    json_object_foreach((json_t *)(uintptr_t)resources, id, resource) {
        const char *type = type_of(resource);
        if (type && !strncmp(type, "AWS::", 5)) return true;
    }
    return false;
}

static void take_all(struct aws *aws, const struct taken *kind, const json_t *resources) {
    const char *id;
    json_t *resource;
    json_object_foreach((json_t *)(uintptr_t)resources, id, resource) {
        const char *type = type_of(resource);
        if (!type || strcmp(type, kind->type) != 0 || !resolve_is_made(aws, resource)) continue;
        const json_t *properties = document_object(aws->document, resource, "Properties");
        kind->take(aws, id, properties ? properties : resource);
    }
}

enum ddbsim_status cfn_take_template(struct import *import, const struct import_file *file,
                                     struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *resources = json_object_get(document_root(file->document), "Resources");
    resolve_template(&aws);
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        take_all(&aws, &taken[i], resources);
    return aws_status(&aws, error);
}
