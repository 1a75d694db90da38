/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tiny scenario in which a table and its index refuse requests, people change something, and a
 * threshold does not hold: a run of it comes through every part in milliseconds. */
#ifndef SUPPORT_SMALL_SCENARIO_H
#define SUPPORT_SMALL_SCENARIO_H

static const char small_scenario[] =
    "version: 1\nname: small\nduration: 2m\nseed: 3\n"
    "model: {metric_delay: 0s, alarm_delay: 0s}\n"
    "values: {c: {count: 20, distribution: zipfian, theta: 0.9}, s: {count: 2}}\n"
    "tables:\n"
    "- {name: carts, read_capacity: 5, write_capacity: 12, partitions: 2, new: true,\n"
    "   auto_scaling: {write: {min_capacity: 5, max_capacity: 40, target_value: 50%}},\n"
    "   entities: [{name: cart, partition_key: \"C#{c}\", count: 20, size: 1 KB}],\n"
    "   indexes: [{name: by-state, partition_key: \"S#{s}\", read_capacity: 1, write_capacity: 2,\n"
    "              backpressure: {preset: textbook, buffer: 5}}]}\n"
    "workloads:\n"
    "- {name: shop, table: carts, rate: 6/s, mix: [\n"
    "   {operation: PutItem, entity: cart, weight: 2},\n"
    "   {operation: GetItem, entity: cart, weight: 1, consistent_read: true}]}\n"
    "changes: [{at: +1m, name: more, set: {tables.carts.write_capacity: 20}}]\n"
    "alarms: [{name: slow, table: carts, metric: SuccessfulRequestLatency, statistic: p99,\n"
    "   comparison: \">\", threshold: 25}]\n"
    "thresholds: [\"throttled_ratio < 1%\"]\n";

#endif
