/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A limit that a process keeps for itself: its attempts are spaced evenly, and those that come too early wait in
 * the order in which they came. Where the limit adapts, a throttle lowers it and time raises it again. Rules
 * M-110, M-111.
 */
#ifndef CLIENT_PACER_H
#define CLIENT_PACER_H

#include <base/types.h>
#include <ddbsim/scenario.h>

struct pacer {
    int64_t next_ns;   /* when the next attempt may go */
    int64_t cut_ns;    /* when a throttle last lowered the rate; negative: never did */
    int64_t raised_ns; /* up to when the rate has risen */
    double rate_per_s; /* now */
};

void pacer_init(struct pacer *pacer, const struct ddbsim_rate_limit *spec);
/* The moment, not before open_ns, at which an attempt that comes now may go; it is taken. */
int64_t pacer_take(struct pacer *pacer, const struct ddbsim_rate_limit *spec, int64_t now_ns,
                   int64_t open_ns);
/* Whoever took that moment last will not use it. */
void pacer_give_back(struct pacer *pacer, int64_t at_ns);
/* The process is told of a throttle. */
void pacer_throttled(struct pacer *pacer, const struct ddbsim_rate_limit *spec, int64_t now_ns);

#endif
