/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Items of an entity whose items grow: each has a size of its own. */
#ifndef WORKLOADS_SIZES_H
#define WORKLOADS_SIZES_H

#include <workloads/items.h>

/* Whose item it is: also of a recording, whose keys say no entity. */
struct population_entity *sizes_entity(const struct source *source,
                                       const struct ddbsim_request *request);
/* The size that a draw means. */
int64_t sizes_pick(const struct ddbsim_sizes *sizes, uint64_t draw);
/* The two sides of the item of a call, as it is now. */
void sizes_describe(struct description *d, const struct ddbsim_operation *operation);
/* A Query's first page. */
void sizes_query(const struct description *d, const struct ddbsim_operation *operation);
/* The page that follows. */
void sizes_page(const struct population_entity *entity, struct ddbsim_request *request);
/* The request is sent again: its item may have another size by now. */
void sizes_measure(const struct source *source, struct ddbsim_request *request);
/* The request was served. */
void sizes_served(const struct source *source, const struct ddbsim_request *request);

#endif
