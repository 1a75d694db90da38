/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of one arrival that are on their way at once (M-66): the segments of a parallel Scan, the Queries of all
 * shards, the steps of a sequence that is `parallel`. Each branch makes its calls, page after page; the arrival
 * goes on when the last branch is over. And what arrivals of several calls take.
 */
#ifndef CLIENT_FAN_H
#define CLIENT_FAN_H

#include <base/hist.h>
#include <ddbsim/log.h>
#include <ddbsim/workload.h>

#define FAN_NONE UINT32_MAX

struct fan {
    struct ddbsim_arrival arrival;
    int64_t first_ns;
    uint32_t workload;
    uint32_t step,
        more; /* its call, and the further pages of that; a sequence: the next branch's first */
    uint32_t branches;            /* a sequence: UINT32_MAX until its last has begun */
    uint32_t parallel;            /* at once */
    uint32_t begun, over, firsts; /* branches; those that have their first page */
    bool is_sequence;
    bool failed;    /* a branch was given up: no other begins */
    bool launching; /* an event that begins a branch is on its way */
    uint32_t next;  /* of the free ones */
};

struct fans {
    struct fan *all;
    uint32_t capacity, used, free_fan;
};

void fans_deinit(struct fans *fans);
bool fans_are_tight(const struct fans *fans);
bool fans_grow(struct fans *fans);
/* There is room: it was not tight before the event. */
uint32_t fans_take(struct fans *fans);
void fans_release(struct fans *fans, uint32_t number);

static inline uint32_t fan_live(const struct fan *fan) { return fan->begun - fan->over; }
/* May, and shall, another branch begin? */
bool fan_has_next(const struct fan *fan);
bool fan_is_over(const struct fan *fan);

/* How long arrivals of several calls took, in microseconds. */
struct fan_times {
    struct hist arrival, first_page;
};
/* Rows of log table outcome of one workload (scope its name), or of all ("": *all, what they sum to). */
void fan_outcomes(const struct fan_times *times, const char *scope, const struct ddbsim_sink *sink);

#endif
