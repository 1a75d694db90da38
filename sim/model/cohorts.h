/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The items of one entity by when they expire: not one by one, but in cohorts. A cohort is what was written in
 * one stretch of time, counted by partition; its items expire evenly over as long a stretch, and are deleted
 * some time later each, evenly between two delays. So storage over months costs a few numbers a day. Rules
 * M-17, M-18.
 *
 * Moments are whole seconds: expiry is told in seconds, and deletes run in steps of a minute.
 */
#ifndef MODEL_COHORTS_H
#define MODEL_COHORTS_H

#include <base/types.h>
#include <model/space.h>

/* How long after its moment an item is deleted, at least and at most: so much, and so much for each 100,000
 * items of its partition, but never more than `longest`. */
struct cohort_delays {
    int64_t least_s, most_s, scan_least_s, scan_most_s, longest_s;
};
#define COHORT_SCAN_ITEMS 100000

struct cohort_cell {
    int64_t items, bytes;
    uint32_t carry;           /* part of an item that was due and is not deleted yet, in 2^-32 */
    uint32_t least_s, most_s; /* delays; most_s 0: none of its items has expired yet */
};

struct cohort {
    int64_t from_s, to_s;      /* its items expire in that time, evenly */
    int64_t age_s;             /* at start: age of its oldest; of others -1 */
    int64_t items;             /* in all cells */
    struct cohort_cell *cells; /* by slot */
};

struct cohorts {
    int64_t after_s, width_s;
    int64_t age_s;      /* of the oldest item at start */
    int64_t ended_s;    /* deletes are done up to here */
    uint32_t slots;     /* that there are cells for */
    struct cohort *all; /* by from_s; the last is the one that is written to */
    uint32_t count, capacity;
};

/* `slots`: partitions there is room for. False when memory is short. */
bool cohorts_init(struct cohorts *cohorts, int64_t after_s, int64_t age_s, uint32_t slots);
void cohorts_deinit(struct cohorts *cohorts);
/* Cells for so many partitions. */
bool cohorts_grow(struct cohorts *cohorts, uint32_t slots);
/* Items of one partition at start: of all ages up to the oldest's, evenly. What expired more than five years
 * ago is none of its (M-19): those items stay. */
void cohorts_place(struct cohorts *cohorts, uint32_t slot, int64_t items, int64_t bytes);
/* What is written now expires with the cohort of now. */
void cohorts_add(struct cohorts *cohorts, uint32_t slot, int64_t items, int64_t bytes);
/* Any item of a partition: takes it out and says its bytes; false where there is none. */
bool cohorts_take(struct cohorts *cohorts, uint32_t slot, uint64_t draw, int64_t *bytes);
/* Any item of a partition becomes larger, or as much smaller as it can: *bytes says by how much. */
bool cohorts_resize(struct cohorts *cohorts, uint32_t slot, uint64_t draw, int64_t *bytes);
/* What a partition holds of it. */
int64_t cohorts_items(const struct cohorts *cohorts, uint32_t slot);
int64_t cohorts_bytes(const struct cohorts *cohorts, uint32_t slot);
/* Deletes what is due up to now_s; adds to gone[slot] what went, and says how many those were. `held`: what each
 * partition holds, by slot. */
int64_t cohorts_expire(struct cohorts *cohorts, const struct cohort_delays *delays,
                       const struct partition_holding *held, uint32_t slots, int64_t now_s,
                       struct partition_holding *gone);
/* What is written from now_s on goes to the cohort of that time; empty ones are given up. */
bool cohorts_follow(struct cohorts *cohorts, int64_t now_s);
/* Items that have expired and are still there. */
int64_t cohorts_waiting(const struct cohorts *cohorts, int64_t now_s);
/* A partition was split: its children have their shares of each cohort. */
void cohorts_split(struct cohorts *cohorts, const struct space_parting *parting);

#endif
