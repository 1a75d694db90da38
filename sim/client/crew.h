/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who is at work for a workload (M-79): callers in a closed loop, each with one arrival at a time, or the
 * arrivals in flight of an open one, which may be bounded.
 */
#ifndef CLIENT_CREW_H
#define CLIENT_CREW_H

#include <ddbsim/log.h>
#include <ddbsim/scenario.h>

struct crew {
    uint32_t active;      /* closed: callers, at work or thinking */
    uint32_t in_flight;   /* arrivals begun and not over */
    uint64_t begun, over; /* arrivals, since the start */
    uint64_t dropped;     /* open: arrivals that found max_vus in flight */
    int64_t
        finished_ns; /* closed, with iterations: when the last was over; DDBSIM_NO_TIME before */
};

/* Does an arrival's end matter? */
static inline bool crew_counts(const struct ddbsim_workload *spec) {
    return spec->vus > 0 || spec->max_vus > 0;
}

/* Callers that the workload wants now. */
uint32_t crew_wanted(const struct ddbsim_workload *spec);
/* One more caller begins to work; false where there are enough or nothing is left to do. */
bool crew_join(struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns);
/* A caller begins its next arrival; false where it stops for good. */
bool crew_begin(struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns);
/* An arrival of an open workload begins; false where it is dropped. */
bool crew_admit(struct crew *crew, const struct ddbsim_workload *spec);
/* An arrival is over. */
void crew_over(struct crew *crew, const struct ddbsim_workload *spec, int64_t now_ns);
/* Rows of outcome: dropped arrivals and when loops were finished, of each such workload and of all.
 * crew_of gives the crew of a workload by number. */
void crew_outcomes(const struct ddbsim_scenario *scenario,
                   const struct crew *(*crew_of)(const void *context, uint32_t workload),
                   const void *context, const struct ddbsim_sink *sink);

#endif
