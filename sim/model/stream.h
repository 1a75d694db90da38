/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A reader of a table's stream. Each write that a table executed, and each delete by TTL, is a record; the reader
 * finds it at its first poll after the record is there, and gets the records of one shard, which is a partition's,
 * in batches and in order. Rules M-85, M-86.
 *
 * A record is counted, not kept: which shard it lies in and at which poll it is found. Invariant: what was added
 * is taken once, or is there.
 */
#ifndef MODEL_STREAM_H
#define MODEL_STREAM_H

#include <ddbsim/scenario.h>
#include <kernel/loop.h>

/* What is found at one poll. */
struct stream_poll {
    int64_t records;
    uint32_t *counts; /* by slot */
};

struct stream_reader {
    struct loop *loop;
    uint32_t source; /* of the loop: who reads */
    enum ddbsim_stream_records which;
    int64_t from_ns, to_ns; /* records written in that time are read */
    int64_t delay_ns, poll_ns;
    struct stream_poll *polls; /* poll k stands at k % poll_count */
    uint32_t poll_count, slots;
    int64_t next; /* poll with the next records; INT64_MAX: there are none */
    uint32_t cursor;
    struct stream_reader *other; /* of the same table; NULL: the last */
};

bool stream_reader_init(struct stream_reader *reader, const struct ddbsim_workload *spec,
                        const struct ddbsim_assumptions *model, uint32_t slots);
void stream_reader_deinit(struct stream_reader *reader);
bool stream_reader_grow(struct stream_reader *reader, uint32_t slots);
/* A write was executed. */
void stream_write(struct stream_reader *readers, uint32_t slot, int64_t now_ns);
/* So many items were deleted by TTL in the span that ends now: their records come evenly in the next one. */
void stream_deletes(struct stream_reader *readers, uint32_t slot, int64_t count, int64_t span_ns,
                    int64_t now_ns);
/* When the next batch is there; TIME_NEVER: nothing is. */
int64_t stream_reader_peek(const struct stream_reader *reader);
/* The next batch, of at most so many records; *slot: the shard that they lie in; *ready_ns: when they could first be
 * found, of those that were left for longer than the ring of polls lasts the latest such time. */
uint32_t stream_reader_take(struct stream_reader *reader, uint32_t most, uint32_t *slot,
                            int64_t *ready_ns);

#endif
