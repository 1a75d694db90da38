/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of values and how popular each is: rows VALUE or VALUE,WEIGHT with or without a header, plain or packed, or a
 * report of Contributor Insights. And weights as shares, which sum to one exactly.
 */
#ifndef REPLAY_WEIGHTS_H
#define REPLAY_WEIGHTS_H

#include <base/arena.h>
#include <workloads/replay/insights.h>

#define WEIGHTS_ROWS_MAX (UINT32_C(1) << 20)

struct weights {
    const char **words; /* in the file's order, each once */
    double *weights;    /* above 0; 1 each where the file has none */
    uint32_t count;
    bool is_report; /* what follows holds instead of the rows */
    struct insights report;
};

/* Texts and arrays are the arena's. DDBSIM_INPUT with the file's line where a row is bad. */
DDBSIM_MUST_CHECK enum ddbsim_status weights_read(const char *path, struct arena *arena,
                                                  struct weights *out, struct ddbsim_error *error);
/* Billionths in proportion, none below 1, their sum exactly DDBSIM_SHARE_ONE; at most WEIGHTS_ROWS_MAX of them. */
void weights_share(const double *weights, uint32_t count, int64_t *shares);

#endif
