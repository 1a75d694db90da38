/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Named sets of key values made ready for drawing: one 64-bit draw gives one value number, in
 * constant time, or where the set is sorted the draw's number does. The set's popularity is fixed: it depends on the scenario alone, not on seed or
 * replication.
 */
#ifndef WORKLOADS_VALUES_H
#define WORKLOADS_VALUES_H

#include <base/hash.h>
#include <base/rng.h>
#include <ddbsim/scenario.h>

/* Ranks up to this have a column each; beyond it, neighbours of almost equal weight share one. */
#define VALUES_COLUMNS (UINT64_C(1) << 20)

/* One column of an alias table: itself below the threshold (of 2^32), else the other. */
struct alias_column {
    uint32_t threshold, other;
};

struct value_set {
    const struct ddbsim_values *values;
    uint64_t count;
    uint64_t name_hash;         /* ties draws to the set by name, never by number */
    struct alias_column *alias; /* NULL where a formula does */
    uint64_t columns;
    uint64_t single;  /* columns up to here are one rank each */
    uint64_t *groups; /* first ranks of the columns after those, and count; NULL: none */
    uint64_t
        *starts;     /* sorted: the first draw of a pass that means each column, and their number */
    uint32_t *order; /* LIST: the place of each word in text order */
    uint32_t *word_bytes;  /* length of each word; NULL: there are none */
    uint64_t word_count;   /* the first so many values are words, the others numbers */
    bool moving;           /* is_new or clock: the values are not known from the start */
    uint64_t room;         /* values are below it: count, unless moving */
    int64_t base;          /* moving: what value 0 is called: a number, or a period */
    uint64_t made;         /* is_new: values since start */
    int64_t local_start_s; /* clock: of the run, on the local clock */
};

/* False when memory is short; value_set_free is due in either case. `values` is borrowed. */
bool value_set_init(struct value_set *set, const struct ddbsim_values *values);
/* Where a set with a clock stands in time, for a run from `start_unix_s`. */
void value_set_place(struct value_set *set, int64_t start_unix_s, int64_t utc_offset_s,
                     int64_t duration_ns);
/* Of a moving set: the value of an insert at t, and the one that a draw means to everybody else. */
uint64_t value_set_insert(struct value_set *set, int64_t t_ns);
uint64_t value_set_existing(const struct value_set *set, uint64_t draw, int64_t t_ns);
void value_set_free(struct value_set *set);

/* The part of value_set_pick that only sets with groups need. */
uint64_t value_set_pick_grouped(const struct value_set *set, uint64_t column, uint64_t draw);

/* The value of a sorted set's draw number `number`. */
uint64_t value_set_pick_sorted(const struct value_set *set, uint64_t number);
/* The value that stands for a drawn one at a time: the hot ones of a HOTSPOT move on. */
uint64_t value_set_move(const struct value_set *set, uint64_t value, int64_t t_ns);

/* Vose's construction: columns such that i is drawn with probability weights[i] / sum. Overwrites
 * weights. False when memory is short. */
bool alias_build(struct alias_column *columns, double *weights, uint64_t count);

/* The high word of draw x columns is the column, the top of the low word chooses its side. */
static inline uint64_t alias_pick(const struct alias_column *alias, uint64_t columns,
                                  uint64_t draw) {
    uint128 product = (uint128)draw * columns;
    uint64_t own = (uint64_t)(product >> 64);
    const struct alias_column *column = &alias[own];
    /* A mask, since a branch would be mispredicted half of the time. */
    uint64_t is_own = -(uint64_t)((uint32_t)((uint64_t)product >> 32) < column->threshold);
    return (own & is_own) | (column->other & ~is_own);
}

/* A bijection on [0, count), fixed by key. */
uint64_t permute(uint64_t x, uint64_t count, uint64_t key);

/* The value that a draw means, of a set that does not move; `number` is the arrival's, for sets that go round in order. */
static inline uint64_t value_set_pick(const struct value_set *set, uint64_t draw, uint64_t number) {
    if (set->alias) {
        uint64_t column = alias_pick(set->alias, set->columns, draw);
        return set->groups ? value_set_pick_grouped(set, column, draw) : column;
    }
    if (set->values->sorted > 0) return value_set_pick_sorted(set, number);
    if (set->values->distribution == DDBSIM_SEQUENTIAL) return number % set->count;
    if (set->values->distribution == DDBSIM_SINGLE) return 0;
    return draw_below(draw, set->count);
}

#endif
