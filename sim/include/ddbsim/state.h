/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a run stands at its current time: buckets, partitions, backlogs. Reading changes nothing. Tables and
 * indexes go by number, as in the scenario; index DDBSIM_NONE is the table itself. Tokens are billionths
 * of a capacity unit; a bucket in debt is negative.
 */
#ifndef DDBSIM_STATE_H
#define DDBSIM_STATE_H

#include <ddbsim/run.h>

/* A table or an index. */
struct ddbsim_resource_state {
    int64_t read_capacity, write_capacity;       /* units a second that act now */
    int64_t read_nano_tokens, write_nano_tokens; /* burst bucket */
    int64_t read_nano_limit, write_nano_limit;   /* what the bucket holds when full */
    uint32_t partitions;
    int64_t items, bytes;
    /* An index: units of work that wait for its capacity, and whether it makes its table refuse writes. */
    int64_t backlog_nano_units;
    bool holds_back;
};

/*
 * A closed interval of key positions, which no other partition of the resource overlaps. A partition is
 * known by a number from 0 that it keeps while it lives. A split leaves the parent's number to the child
 * with the lowest positions and gives the others the next free numbers: after it the order of numbers is
 * not that of keys. Partitions never merge, so numbers 0 to `partitions` - 1 are always in use.
 */
struct ddbsim_partition_state {
    uint64_t low_hash, low_sort;   /* first position */
    uint64_t high_hash, high_sort; /* last position */
    int64_t read_nano_tokens, write_nano_tokens;
    int64_t read_nano_limit, write_nano_limit;
    int64_t items, bytes;
};

/* DDBSIM_INPUT where there is no such table, index or partition. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_run_resource(const struct ddbsim_run *run, uint32_t table, uint32_t index,
                    struct ddbsim_resource_state *out, struct ddbsim_error *error);
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_run_partition(const struct ddbsim_run *run, uint32_t table, uint32_t index,
                     uint32_t partition, struct ddbsim_partition_state *out,
                     struct ddbsim_error *error);
/* The partition that owns a key, given as texts; the sort key may be NULL. */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_run_find_partition(const struct ddbsim_run *run, uint32_t table, uint32_t index,
                          const char *partition_key, const char *sort_key, uint32_t *partition,
                          struct ddbsim_error *error);

#endif
