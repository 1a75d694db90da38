/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Key templates from their texts, and what follows from an entity's templates. */
#ifndef LOADER_TEMPLATE_H
#define LOADER_TEMPLATE_H

#include <base/arena.h>
#include <ddbsim/scenario.h>

/* Names are those of the scenario's value sets. {n} cannot stand in a partition key. `text` is borrowed by
 * the template. {shard} stands in partition keys alone. DDBSIM_INPUT, without a place, where the text is no template. */
DDBSIM_MUST_CHECK enum ddbsim_status
template_parse(struct arena *arena, const struct ddbsim_scenario *scenario, const char *text,
               bool partition_key, struct ddbsim_template *out, struct ddbsim_error *error);
/* May a value set be called so? */
DDBSIM_MUST_CHECK enum ddbsim_status template_check_name(const char *name,
                                                         struct ddbsim_error *error);
bool template_has(const struct ddbsim_template *key, enum ddbsim_part_kind kind);
/* Does it draw from that value set? */
bool template_names(const struct ddbsim_template *key, uint32_t values);
/* What is wrong with an entity's `shards` and its {shard}; NULL: nothing. */
const char *template_check_shards(const struct ddbsim_entity *entity);
/* A PutItem of such an entity makes a new item each time. */
bool template_makes_new(const struct ddbsim_entity *entity);
/* How many value sets the keys of a workload's operations draw from, at home and in indexes. `used` has
 * room for each value set of the scenario and is false at first. */
uint32_t template_sets_drawn(const struct ddbsim_scenario *scenario,
                             const struct ddbsim_workload *workload, bool *used);

#endif
