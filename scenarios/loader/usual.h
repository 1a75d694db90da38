/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an index holds of an item, what a write does to it, and what callers do, where nobody says. */
#ifndef LOADER_USUAL_H
#define LOADER_USUAL_H

#include <ddbsim/scenario.h>

enum usual_effect {
    USUAL_ADD,
    USUAL_REMOVE,
    USUAL_MOVE,
    USUAL_REWRITE,
    USUAL_UNTOUCHED,
    USUAL_EFFECTS
};

/* What such an operation does to the entries of an index (AWS guide, global secondary indexes): an insert
 * adds, a delete removes, any other write rewrites, or under KEYS_ONLY touches nothing. */
enum usual_effect usual_effect(const struct ddbsim_table *table, const struct ddbsim_index *index,
                               const struct ddbsim_operation *operation);
/* A new item has no entry yet, and after a delete there is none: may `effect` stand beside the usual one? */
bool usual_allows(enum usual_effect usual, enum usual_effect effect);
/* Does the strategy send members again by itself? */
bool usual_resends(enum ddbsim_unprocessed strategy);
/* A strategy's usual figures: exponential waits as the AWS guide's example does, for about a minute in all. */
struct ddbsim_batch_unprocessed usual_unprocessed(enum ddbsim_unprocessed strategy);
/* May an arrival make a call at all? In a closed loop one that never does comes again at once, for ever. */
bool usual_does_anything(const struct ddbsim_workload *workload);
/* Bytes of an entry of keys alone. */
int64_t usual_keys_only_bytes(int64_t item_bytes);
void usual_effect_set(struct ddbsim_index_effect *out, const int64_t shares[USUAL_EFFECTS]);
void usual_effect_get(const struct ddbsim_index_effect *effect, int64_t shares[USUAL_EFFECTS]);

#endif
