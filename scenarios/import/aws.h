/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * AWS's words for a table, which DescribeTable, CloudFormation and others share: a member of an object is read into
 * what is known of a table. Failures stay in the document until aws_status asks.
 */
#ifndef IMPORT_AWS_H
#define IMPORT_AWS_H

#include "document.h"
#include "import.h"
#include "tables.h"

#define AWS_UNITS_MAX 100000000
#define AWS_ITEMS_MAX INT64_C(1000000000000)
#define AWS_BYTES_MAX (INT64_C(1) << 50)

struct aws {
    struct import *import;
    struct document *document;
    const char *file;
};

struct import_table aws_new_table(const struct aws *aws, enum import_rank rank);
/* The name of an attribute or the like, copied; NULL where it is missing or cannot be one. */
const char *aws_name(struct aws *aws, const json_t *object, const char *key);
/* The name of a table or an index, which has letters, digits and _ - . alone. */
const char *aws_resource_name(struct aws *aws, const json_t *object, const char *key);
/* A text, copied; NULL where there is none. */
const char *aws_text(struct aws *aws, const json_t *object, const char *key);
/* The fourth part of an ARN, copied; NULL where it is none. */
const char *aws_region(struct aws *aws, const char *arn);
/* AWS's own word, if it is one. */
const char *aws_projection(const char *text);
const char *aws_view(const char *text);
void aws_billing(struct aws *aws, const json_t *place, const char *mode, struct import_table *out);
/* [{AttributeName, KeyType: HASH|RANGE}]; fails where it is missing. */
void aws_key(struct aws *aws, const json_t *object, const char *key, struct import_resource *out);
/* Units a second; IMPORT_UNKNOWN where there are none, or 0. */
int64_t aws_units(struct aws *aws, const json_t *object, const char *key);
/* ProvisionedThroughput, OnDemandThroughput and WarmThroughput. */
void aws_throughput(struct aws *aws, const json_t *object, struct import_resource *out);
/* ItemCount and the size under `bytes_key`. */
void aws_statistics(struct aws *aws, const json_t *object, const char *bytes_key,
                    struct import_resource *out);
void aws_indexes(struct aws *aws, const json_t *object, const char *key, bool is_local,
                 struct import_table *table);
void aws_stream(struct aws *aws, const json_t *object, struct import_table *table);
void aws_replicas(struct aws *aws, const json_t *object, struct import_table *table);
void aws_class(struct aws *aws, const json_t *object, const char *name);
/* Adds the table to what the import knows, unless the document failed. */
void aws_done(struct aws *aws, const struct import_table *table);
DDBSIM_MUST_CHECK enum ddbsim_status aws_status(struct aws *aws, struct ddbsim_error *error);

#endif
