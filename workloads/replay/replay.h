/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as a source of requests (docs/model.md, M-122 to M-125). When, what and to which key it says; what it
 * does not say, the workload's mix and the tables' entities do.
 */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include <workloads/replay/tape.h>
#include <workloads/source.h>

/* As source_create, of a workload that has a recording. `names` is borrowed and outlives the source. */
DDBSIM_MUST_CHECK enum ddbsim_status replay_create(const struct ddbsim_scenario *scenario,
                                                   uint32_t workload, struct population *population,
                                                   uint64_t seed, uint32_t replication,
                                                   struct names *names, struct ddbsim_source *out,
                                                   struct ddbsim_error *error);
/* Of a source that replay_create made: its tape, and whether its first row has a key. Where it has, keys that are drawn
 * have ordinals above DDBSIM_ORDINAL_OTHER; where it has not, those of rows do. */
bool replay_is_keyed(const struct ddbsim_source *source);
const struct tape *replay_tape(const struct ddbsim_source *source);

#endif
