/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write sharding: which suffix an item's partition key gets (docs/model.md, M-13, M-14). */
#ifndef WORKLOADS_SHARDS_H
#define WORKLOADS_SHARDS_H

#include <ddbsim/scenario.h>

/* The suffix that is made of a text, from 0: the key shows it plus 1. Not for random ones. */
uint32_t shard_of_text(enum ddbsim_shards_by by, uint32_t count, const char *text, size_t length);

#endif
