/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a write asks of its table's indexes. */
#ifndef WORKLOADS_EFFECTS_H
#define WORKLOADS_EFFECTS_H

#include <workloads/items.h>

/* The entries of a plain operation are plain as well: then outlines[i] is that of index i. */
bool effects_outline(const struct source *source, const struct ddbsim_operation *operation,
                     struct entry_outline *outlines);
/* What its first call asks of them; false where an entry moves, or something is not known: then nothing holds. */
bool effects_describe_plain(const struct source *source, const struct outline *outline,
                            const struct ddbsim_arrival *arrival, struct ddbsim_request *out);

/* The value of one side of an entry. */
static inline uint64_t effects_pick(const struct value_set *set, uint64_t index_key, enum mix side,
                                    uint64_t number) {
    return value_set_pick(set, hash_mix(index_key, set->name_hash, side), number);
}

void effects_describe(const struct description *d, const struct ddbsim_table *table,
                      const struct ddbsim_operation *operation);
/* The key of the item's entry in an index, as it is there. */
struct ddbsim_key effects_stored_key(const struct description *d, uint32_t index);

#endif
