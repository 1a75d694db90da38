/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model seen from outside: an attempt as a program is told of it, and how resources stand. */
#ifndef CLIENT_INSPECT_H
#define CLIENT_INSPECT_H

#include <ddbsim/inject.h>
#include <ddbsim/state.h>
#include <model/model.h>

void inspect_attempt(const struct model *model, const struct ddbsim_request *request,
                     const struct attempt *attempt, struct ddbsim_result *out);
/* A table, or one of its indexes; NULL where there is none. */
const struct resource *inspect_find(const struct model *model, uint32_t table, uint32_t index);
void inspect_resource(const struct model *model, uint32_t table, uint32_t index, int64_t now_ns,
                      struct ddbsim_resource_state *out);
void inspect_partition(const struct resource *resource, uint32_t partition, int64_t now_ns,
                       struct ddbsim_partition_state *out);

#endif
