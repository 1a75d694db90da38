/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far an on-demand table or index has grown: what it serves at once follows from the traffic it has
 * seen. Rules M-42, M-43. Pure: fed with consumption, tick by tick.
 */
#ifndef MODEL_GROWTH_H
#define MODEL_GROWTH_H

#include <model/space.h>

#define GROWTH_TICK_S 10
/* The longest times that the assumptions allow, in ticks. */
#define GROWTH_WINDOW_MAX (300 / GROWTH_TICK_S)
#define GROWTH_SETTLE_MAX (1800 / GROWTH_TICK_S)
#define GROWTH_INTERVAL_MAX (3600 / GROWTH_TICK_S)

struct growth {
    int64_t rule[DIRECTIONS];    /* units a second that it would serve; never falls */
    int64_t start[DIRECTIONS];   /* what it was at the start */
    int64_t counted[DIRECTIONS]; /* the peak that counts */
    int64_t base[DIRECTIONS];    /* counts as a peak: what is served without one */
    /* Rings over the last ticks: consumption, its moving average, the peak that counted. */
    uint32_t window, settle, interval; /* lengths */
    uint64_t ticks;
    int64_t consumed_nano[DIRECTIONS][GROWTH_WINDOW_MAX], window_nano[DIRECTIONS];
    int64_t average[DIRECTIONS][GROWTH_SETTLE_MAX + 1];
    int64_t before[DIRECTIONS][GROWTH_INTERVAL_MAX];
};

struct growth_start {
    int64_t initial[DIRECTIONS]; /* units a second of a new table, or what was provisioned once */
    int64_t warm[DIRECTIONS];    /* warm throughput; 0: none */
    int64_t peak[DIRECTIONS];    /* reached before the start; 0: none */
};

void growth_init(struct growth *growth, const struct ddbsim_assumptions *model,
                 const struct growth_start *start);
/* What was consumed in one more tick. */
void growth_tick(struct growth *growth, const int64_t consumed_nano[DIRECTIONS]);
/* It serves more than at its start: its partitions must follow. */
static inline bool growth_has_grown(const struct growth *growth) {
    return growth->rule[READ] > growth->start[READ] || growth->rule[WRITE] > growth->start[WRITE];
}

#endif
