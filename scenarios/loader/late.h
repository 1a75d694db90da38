/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Indexes that changes create or delete: where they stand while a scenario is read. */
#ifndef LOADER_LATE_H
#define LOADER_LATE_H

#include <loader/read.h>

/* Puts each index that a change creates among those of its table, so that operations, alarms and later changes may
 * name it. */
DDBSIM_MUST_CHECK enum ddbsim_status late_insert(struct reader *r, struct yaml_node *root);
/* Once the scenario is read: what was filled in stands in the change, and not in the table. */
void late_settle(struct yaml_node *root);
/* In the tree for changes to work on: the index of that change is there from now on, or is not any more. */
void late_stand(struct yaml_node *plain, const struct yaml_node *node);
/* Which index of which table a change creates or deletes. */
DDBSIM_MUST_CHECK enum ddbsim_status late_read(struct reader *r, const struct yaml_node *node,
                                               struct ddbsim_change *out);

/* Which indexes are there, change by change: bits by their numbers, for each table. */
struct late_state {
    uint32_t *there;
};
DDBSIM_MUST_CHECK enum ddbsim_status late_begin(struct reader *r, struct late_state *state);
/* What the change does must be possible then. */
DDBSIM_MUST_CHECK enum ddbsim_status late_follow(struct reader *r, const struct yaml_node *node,
                                                 const struct ddbsim_change *change,
                                                 struct late_state *state);

#endif
