/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load shapes by name (docs/model.md, M-120), as the stages of a workload: a rate that is linear between
 * knots, which is all that the arrival clock knows. A curve gets a knot a minute at least.
 */
#ifndef WORKLOADS_SHAPES_H
#define WORKLOADS_SHAPES_H

#include <base/types.h>
#include <ddbsim/scenario.h>

#define SHAPES_STAGES_MAX (1u << 20)

#define SHAPES(X)                                                                          \
    X(STEP, "step")               /* up at once, and down at once after its width */       \
    X(SPIKE, "spike")             /* up in a line to the middle of its width, then down */ \
    X(SINE, "sine")               /* from trough to trough in each period */               \
    X(DIURNAL, "diurnal")         /* one smooth peak a period */                           \
    X(DOUBLE_WAVE, "double_wave") /* two of them, half a period apart */
enum shape_kind {
#define X(name, word) SHAPE_##name,
    SHAPES(X)
#undef X
};

struct shape {
    enum shape_kind kind;
    const char *word;
    double base_per_s, peak_per_s;
    int64_t at_ns;     /* begin of a bump; DIURNAL, DOUBLE_WAVE: a peak */
    int64_t width_ns;  /* of a bump; at most a period, of DOUBLE_WAVE half of one */
    int64_t period_ns; /* 0: it happens once */
};

/* From one bump's begin to the next one's; 0: there is one. */
int64_t shapes_apart_ns(enum shape_kind kind, int64_t period_ns);

/* The stages that the shape has between two moments of the run; 0 where they are too many. */
uint32_t shapes_count(const struct shape *shape, int64_t start_ns, int64_t end_ns);
/* Fills as many, whose names are borrowed, and gives the rate at start_ns. */
double shapes_fill(const struct shape *shape, int64_t start_ns, int64_t end_ns,
                   struct ddbsim_stage *out);

#endif
