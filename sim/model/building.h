/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An index that comes or goes while the run goes on (M-58, M-59). It is known from the start, so that no array
 * grows; while it is not there it takes no work, holds nothing back and writes no rows.
 */
#ifndef MODEL_BUILDING_H
#define MODEL_BUILDING_H

#include <model/model.h>

/* Takes the loop's events of it. */
void building_handle(struct model *model);
/* A new index of a table takes writes from now on, and what there is begins to be filled in. Between events; false
 * when memory is short. */
bool building_begin(struct model *model, struct table *table, uint32_t index, int64_t now_ns);
/* Those of a table that are filled in become active. */
void building_finish(struct model *model, struct table *table, int64_t now_ns);
/* The index is gone, and with it the work that waited for it. The same. */
bool building_delete(struct model *model, struct table *table, uint32_t index, int64_t now_ns);
/* Is an index of the table being built? Its number; DDBSIM_NONE: none is. */
uint32_t building_of(const struct model *model, const struct table *table);
/* What one that is being built tells CloudWatch every five minutes, of one of its metrics: since it was last taken.
 * False where the index has not been building, or the metric is another. */
bool building_tells(const struct propagation *index, enum ddbsim_metric metric, double *out);
void building_take(struct propagation *index);

#endif
