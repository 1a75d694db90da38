/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The on-demand rule. Source: AWS developer guide, on-demand capacity mode (a new table serves 4,000 writes
 * and 12,000 reads a second; twice the previous peak at once; throttling is possible when traffic more than
 * doubles within 30 minutes), warm throughput. When a peak counts is not published: here when the moving
 * average has reached it and a while has passed, and the rule never exceeds twice the peak that counted an
 * interval ago (at the start, what a new table serves counts as one). Invariant: the rule never falls.
 */
#include <model/growth.h>

static uint32_t ticks_of(int64_t duration_ns, uint32_t least, uint32_t most) {
    int64_t ticks = duration_ns / (GROWTH_TICK_S * NS_PER_S);
    if (ticks < least) ticks = least;
    return (uint32_t)smaller(ticks, most);
}

void growth_init(struct growth *growth, const struct ddbsim_assumptions *model,
                 const struct growth_start *start) {
    *growth = (struct growth){
        .window = ticks_of(model->peak_window_ns, 1, GROWTH_WINDOW_MAX),
        .settle = ticks_of(model->peak_settle_ns, 0, GROWTH_SETTLE_MAX),
        .interval = ticks_of(model->double_interval_ns, 1, GROWTH_INTERVAL_MAX),
    };
    CHECK(growth->window <= GROWTH_WINDOW_MAX && growth->settle <= GROWTH_SETTLE_MAX &&
          growth->interval <= GROWTH_INTERVAL_MAX);
    for (int d = 0; d < DIRECTIONS; d++) {
        CHECK(start->initial[d] >= 1);
        growth->counted[d] = start->peak[d];
        growth->rule[d] = larger(start->initial[d], larger(start->warm[d], 2 * start->peak[d]));
        growth->start[d] = growth->rule[d];
        growth->base[d] = larger(start->initial[d], start->warm[d]);
        for (uint32_t i = 0; i < growth->interval; i++)
            growth->before[d][i] =
                larger(start->peak[d], larger(start->initial[d], start->warm[d]));
    }
}

/* The moving average with this tick's consumption, units a second. */
static int64_t average_with(struct growth *growth, int d, int64_t consumed_nano) {
    int64_t *oldest = &growth->consumed_nano[d][growth->ticks % growth->window];
    growth->window_nano[d] += consumed_nano - *oldest;
    *oldest = consumed_nano;
    CHECK(growth->window_nano[d] >= 0);
    return growth->window_nano[d] / ((int64_t)growth->window * GROWTH_TICK_S * NANO);
}

/* What settled: the average of `settle` ticks ago. */
static int64_t settled(struct growth *growth, int d, int64_t average) {
    uint32_t length = growth->settle + 1;
    growth->average[d][growth->ticks % length] = average;
    return growth->average[d][(growth->ticks + 1) % length];
}

void growth_tick(struct growth *growth, const int64_t consumed_nano[DIRECTIONS]) {
    for (int d = 0; d < DIRECTIONS; d++) {
        CHECK(consumed_nano[d] >= 0);
        int64_t peak = settled(growth, d, average_with(growth, d, consumed_nano[d]));
        growth->counted[d] = larger(growth->counted[d], peak);
        int64_t *before = &growth->before[d][growth->ticks % growth->interval];
        int64_t most = smaller(2 * growth->counted[d], 2 * *before);
        growth->rule[d] = larger(growth->rule[d], most);
        CHECK(growth->rule[d] >= growth->start[d]);
        *before = larger(growth->base[d], smaller(growth->counted[d], growth->rule[d]));
    }
    growth->ticks++;
}
