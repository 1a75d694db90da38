/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run: callers that bring their workloads' requests to the model's tables and retry what is refused,
 * on one clock. Sources of requests come from outside (ddbsim/workload.h).
 */
#ifndef CLIENT_SIMULATION_H
#define CLIENT_SIMULATION_H

#include <ddbsim/inject.h>
#include <model/model.h>

struct simulation;

struct simulation_options {
    const struct ddbsim_scenario *scenario; /* borrowed */
    uint64_t seed;
    uint32_t replication;
    const struct ddbsim_sink *sink;      /* borrowed; NULL: nothing is recorded */
    const struct ddbsim_source *sources; /* one a workload; borrowed */
    struct model_keys keys;
    bool log_requests; /* each attempt as a row */
};

struct simulation *simulation_create(const struct simulation_options *options,
                                     struct ddbsim_error *error);
void simulation_destroy(struct simulation *simulation);
struct model *simulation_model(struct simulation *simulation);
int64_t simulation_now(const struct simulation *simulation);
DDBSIM_MUST_CHECK enum ddbsim_status
simulation_advance(struct simulation *simulation, int64_t until_ns, struct ddbsim_error *error);
/* One attempt, now, of a request that no source brought; it is over with its answer. The request names a
 * workload that lists its operation, and never tries again. False, and nothing counted, when memory is
 * short. */
bool simulation_inject(struct simulation *simulation, const struct ddbsim_request *request,
                       struct ddbsim_result *out);
DDBSIM_MUST_CHECK enum ddbsim_status simulation_finish(struct simulation *simulation,
                                                       struct ddbsim_error *error);
struct ddbsim_totals simulation_totals(const struct simulation *simulation);

#endif
