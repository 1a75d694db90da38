/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When the arrivals of one workload come: unit exponentials (or even steps) mapped through the
 * inverse of the cumulative rate. A clock holds no pointer to itself and may be embedded.
 */
#ifndef WORKLOADS_ARRIVAL_H
#define WORKLOADS_ARRIVAL_H

#include <base/rng.h>
#include <ddbsim/scenario.h>

#define ARRIVAL_BLOCK 512 /* draws made together */

/* A stretch of time in which the rate is linear: a stage, or the time after the last one. */
struct arrival_piece {
    uint32_t stage; /* its number; the number of stages for the time after them */
    int64_t from_ns, to_ns;
    double rate_per_s; /* at from_ns */
    double slope_per_s2;
    double units; /* arrivals expected in the whole piece */
};

/*
 * A place in a workload's time is (piece, arrivals expected since the piece began): relative to the
 * piece, so that what came before it costs no precision.
 */
struct arrival_clock {
    const struct ddbsim_workload *workload; /* NULL: it is gone and nothing arrives */
    int64_t next_ns;            /* the pending arrival; TIME_NEVER where there is none */
    struct arrival_piece piece; /* where the pending arrival lies */
    double at_units;
    bool is_steady;      /* a Poisson process of one rate, of which nothing is drawn together */
    double steady_ns;    /* from its begin: what is left of it and of the workload */
    uint32_t from_stage; /* where the arrival before it lies, or the last change */
    double from_units;
    double pending_units; /* from there to the pending arrival */
    uint32_t taken;       /* units used of the block */
    struct rng rng;
    double units[ARRIVAL_BLOCK]; /* unit exponentials, one for each arrival whatever its kind */
};

/* `workload` is borrowed until the clock ends or changes to another. */
void arrival_start(struct arrival_clock *clock, const struct ddbsim_workload *workload,
                   uint64_t stream_key);
/* The pending arrival has happened: finds the one after it. */
void arrival_pass_far(struct arrival_clock *clock);
/* The same: at a steady rate it is a quotient, unless it lies in another piece. */
static inline void arrival_pass(struct arrival_clock *clock) {
    if (clock->is_steady && clock->taken < ARRIVAL_BLOCK) {
        const struct arrival_piece *piece = &clock->piece;
        double unit = clock->units[clock->taken], at = clock->at_units + unit;
        double ns = at / piece->rate_per_s * (double)NS_PER_S + 0.5;
        if (at <= piece->units && ns < clock->steady_ns) {
            int64_t t_ns = piece->from_ns + (int64_t)ns;
            clock->taken++;
            clock->pending_units = unit;
            clock->from_stage = piece->stage;
            clock->from_units = clock->at_units;
            clock->at_units = at;
            if (t_ns > clock->next_ns) clock->next_ns = t_ns;
            return;
        }
    }
    arrival_pass_far(clock);
}
/* From now_ns on the workload is `after`; what remains of the pending wait is kept in units of
 * arrivals and served at the new rate. NULL: the workload is gone. */
void arrival_change(struct arrival_clock *clock, const struct ddbsim_workload *after,
                    int64_t now_ns);

#endif
