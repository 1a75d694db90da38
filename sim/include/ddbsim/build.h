/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A scenario in code, without YAML. Create one, then add value sets, tables and workloads, each after what
 * it refers to. Whatever is added gets the next number of its kind, from 0: tables[0] is the first table.
 *
 *     struct ddbsim_entity item = ddbsim_entity_defaults("item", "ITEM#{uuid}", 1024);
 *     struct ddbsim_table table = ddbsim_table_defaults("orders", 5, 10);
 *     table.entities = &item;
 *     table.entity_count = 1;
 *     status = ddbsim_scenario_add_table(scenario, &table, &error);
 *
 * The *_defaults functions fill in what a scenario file would mean by leaving a key out; change what you
 * like afterwards. An add checks all of it against the ranges that docs/scenario.md lists, and copies it:
 * arrays and texts that you passed may go at once. It fails with DDBSIM_INPUT and the path of what is
 * wrong, such as tables.orders.write_capacity, or with DDBSIM_ENVIRONMENT when memory is short; the
 * scenario is then as it was before. Pass NULL for `error` where you do not ask why.
 */
#ifndef DDBSIM_BUILD_H
#define DDBSIM_BUILD_H

#include <ddbsim/scenario.h>

/*
 * An empty scenario that lasts `duration_ns` (one second to 400 days), starts on 2026-01-01T00:00:00Z and
 * has seed 1. The name is made of a-z, 0-9 and -. *out belongs to the caller: ddbsim_scenario_destroy.
 * Of the scenario itself title, seed, start, start_unix_s and utc_offset_s may be set directly; texts set
 * so are borrowed.
 */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status ddbsim_scenario_create(const char *name,
                                                                       int64_t duration_ns,
                                                                       struct ddbsim_scenario **out,
                                                                       struct ddbsim_error *error);

/* {name} in a key's template draws one of these values. Any distribution; a LIST brings its words, and
 * shares that sum to DDBSIM_SHARE_ONE. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_scenario_add_values(struct ddbsim_scenario *scenario, const struct ddbsim_values *values,
                           struct ddbsim_error *error);

/* Capacities in units a second, 1 to 40,000 (the model's quotas). A table whose `billing` you set to
 * DDBSIM_PAY_PER_REQUEST has capacities of 0, and so have its indexes. It has been running for weeks: its
 * burst is full. Add at least one entity. */
DDBSIM_API struct ddbsim_table ddbsim_table_defaults(const char *name, int64_t read_capacity,
                                                     int64_t write_capacity);
/* A kind of item, of 1 byte to 400 KB; none exists at start (`count`). The key is a template such as
 * "CUSTOMER#{customer}"; a sort key is set by .sort_key.text. */
DDBSIM_API struct ddbsim_entity ddbsim_entity_defaults(const char *name, const char *partition_key,
                                                       int64_t item_bytes);
/* An index that projects ALL of every entity. Without `entries` it holds every entity whole (KEYS_ONLY: the
 * keys alone); INCLUDE needs entries, one for each entity, with their bytes. One whose `type` you set to
 * DDBSIM_LOCAL has no partition key and capacities of 0. */
DDBSIM_API struct ddbsim_index ddbsim_index_defaults(const char *name, const char *partition_key,
                                                     int64_t read_capacity, int64_t write_capacity);
/* Of a template the text is read and the parts are ignored. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_scenario_add_table(struct ddbsim_scenario *scenario, const struct ddbsim_table *table,
                          struct ddbsim_error *error);

/* A constant load of Poisson arrivals from start to end, by callers that do not retry; or, at a rate of 0
 * and with `vus`, callers in a closed loop. Add at least one operation. `end_ns` DDBSIM_NO_TIME is the scenario's end. */
DDBSIM_API struct ddbsim_workload ddbsim_workload_defaults(const char *name, double rate_per_s);
/* One call by table and entity numbers, of weight 1. `item_bytes` 0 is the entity's size; without
 * `effects` a write does to each index what such a write usually does. A GetItem reads strongly, a Query one item of the table eventually. */
DDBSIM_API struct ddbsim_operation ddbsim_operation_defaults(enum ddbsim_operation_kind kind,
                                                             uint32_t table, uint32_t entity);
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_scenario_add_workload(struct ddbsim_scenario *scenario,
                             const struct ddbsim_workload *workload, struct ddbsim_error *error);

#endif
