/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The size of an item that stands in DynamoDB's JSON: {"PK": {"S": "a"}, "n": {"N": "41.30"}}. */
#ifndef REPLAY_ITEM_SIZE_H
#define REPLAY_ITEM_SIZE_H

#include <base/types.h>
#include <jansson.h>

#define ITEM_SIZE_BAD \
    (-1) /* it is no item: an unknown type, a number that is none, base64 that is none */

/* Bytes of names and values. */
int64_t item_size(const json_t *attributes);
/* Bytes of a decimal number, as DynamoDB stores it. */
int64_t item_size_number(const char *text);
/* Bytes that base64 stands for. */
int64_t item_size_binary(const char *text, size_t length);

#endif
