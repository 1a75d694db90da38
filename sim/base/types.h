/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words and units. Read this first.
 *
 *   time        int64_t nanoseconds since the scenario's start; suffix _ns. Seconds are _s.
 *   capacity    int64_t billionths of a capacity unit; suffix _nano. One unit is NANO. A refill is
 *               rate (whole units a second) x elapsed (ns), and so exact.
 *   half units  run totals; an eventual read costs one half.
 *   share       int64_t billionths; 61 % is 610 000 000.
 *   table       what AWS calls a table; the tables of the result database are called log tables.
 *   index       a secondary index, or a position in an array: the context says which, and a
 *               variable that numbers things is called _number or i.
 *   request     one call of a caller, with all its attempts. An attempt is one try of it.
 *   arrival     what the workload's clock produces; it makes one request or a sequence of them.
 *   partition   a half-open interval of key positions with a bucket of its own.
 *   bucket      tokens that refill with time; may be in debt by one request.
 *   period      a second (counters), a minute (CloudWatch), five minutes (some of CloudWatch).
 *   stream      a named sequence of random draws, one for each purpose.
 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NANO INT64_C(1000000000)
#define HALF_UNIT_NANO (NANO / 2) /* every cost is a multiple of it */
#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define TIME_NEVER INT64_MAX

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Floor division for times before the start. */
static inline int64_t floor_div(int64_t a, int64_t b) {
    int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

#endif
