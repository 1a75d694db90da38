/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The generators as a source of requests: one workload of a scenario with its arrivals, its mix and
 * its keys (workload.h has the interface).
 */
#ifndef WORKLOADS_SOURCE_H
#define WORKLOADS_SOURCE_H

#include <ddbsim/workload.h>

struct population;

/* Which items exist in each entity of each table: shared by the workloads of one run. */
struct population *population_create(const struct ddbsim_scenario *scenario, uint64_t seed,
                                     uint32_t replication);
void population_destroy(struct population *population);

/* `scenario` and `population` are borrowed and outlive the source. */
DDBSIM_MUST_CHECK enum ddbsim_status source_create(const struct ddbsim_scenario *scenario,
                                                   uint32_t workload, struct population *population,
                                                   uint64_t seed, uint32_t replication,
                                                   struct ddbsim_source *out,
                                                   struct ddbsim_error *error);

/* How many calls population_visit makes. */
uint64_t population_keys(const struct population *population, uint32_t table, uint32_t entity);
/*
 * Items that exist at start, for laying them out over partitions: calls `visit` once for each partition
 * key of an entity with its hash and its number of items (entities whose partition key has {uuid} or
 * {time}: once for each item).
 */
void population_visit(const struct population *population, uint32_t table, uint32_t entity,
                      void (*visit)(void *context, uint64_t hash, uint64_t items), void *context);

/* The text of a partition key: of an entity (index DDBSIM_NONE) or of its entry in an index. Writes at
 * most `size` bytes with the NUL; returns the length it needs. */
size_t population_key_text(const struct population *population, uint32_t table, uint32_t index,
                           uint32_t entity, uint64_t ordinal, char *buffer, size_t size);
uint64_t population_key_hash(const struct population *population, uint32_t table, uint32_t index,
                             uint32_t entity, uint64_t ordinal);
/* The key of the index entry of item `number` of an entity, as of `now_ns`. */
void population_entry_key(const struct population *population, uint32_t table, uint32_t index,
                          uint32_t entity, uint64_t number, uint64_t draw, int64_t now_ns,
                          struct ddbsim_key *out);
/* How many partition keys a table (index DDBSIM_NONE) or an index can have, where all entities in it
 * make theirs from the same numbers, so that ordinals are equal exactly where keys are; else 0. */
uint64_t population_key_count(const struct population *population, uint32_t table, uint32_t index);

#endif
