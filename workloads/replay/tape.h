/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording as arrivals in a run's time: which part of it, how fast, how often, in which order (docs/model.md, M-122
 * to M-124). Whoever replays peeks at the next arrival's time and takes it.
 */
#ifndef REPLAY_TAPE_H
#define REPLAY_TAPE_H

#include <base/types.h>
#include <ddbsim/workload.h>
#include <workloads/replay/names.h>
#include <workloads/replay/recording.h>

#define TAPE_FRAME_MAX (1u << 20)    /* rows of one moment or period */
#define TAPE_SHUFFLE_ROWS (1u << 16) /* rows that change places among themselves */

struct tape_options {
    const struct ddbsim_scenario *scenario; /* borrowed; so is all else */
    const struct ddbsim_workload *workload;
    uint64_t seed;
    uint32_t replication;
    struct names *names; /* learns the keys */
};

struct tape_arrival {
    int64_t t_ns;
    struct ddbsim_row row;
    int operation; /* enum ddbsim_operation_kind; RECORDING_UNKNOWN */
};

/* What became of the rows. */
struct tape_counts {
    uint64_t arrivals;
    uint64_t outside;    /* rows before or after the part that is replayed */
    uint64_t other_work; /* rows of operations that the workload does not do */
    uint64_t other_table;
    uint64_t attempts; /* refused rows that belong to a request that another row stands for */
    uint64_t sampled_out;
};

struct tape;

/* DDBSIM_INPUT where the recording, or its first frame, cannot be read; DDBSIM_ENVIRONMENT where memory is short. One
 * that holds nothing to replay brings nothing. */
DDBSIM_MUST_CHECK enum ddbsim_status tape_create(const struct tape_options *options,
                                                 struct tape **out, struct ddbsim_error *error);
void tape_destroy(struct tape *tape);
/* Nanoseconds since the run's start; INT64_MAX past the last one, and after a failure. */
int64_t tape_peek(const struct tape *tape);
/* Needs a next one. */
void tape_take(struct tape *tape, struct tape_arrival *out);
/* Has the first row that is replayed a key? */
bool tape_has_key(const struct tape *tape);
/* So many arrivals for each from now on: the workload's scale, times `amplify`. */
void tape_scale(struct tape *tape, double scale, int64_t now_ns);
/* What went wrong on the way; status DDBSIM_OK where nothing did. */
const struct ddbsim_error *tape_error(const struct tape *tape);
const struct tape_counts *tape_counts(const struct tape *tape);
const struct recording_facts *tape_facts(const struct tape *tape);

#endif
