/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a table to one of its indexes: accepted writes reach the index after a short lag and then need
 * its capacity. What finds none waits in a bounded buffer; when that is full the table refuses writes
 * until there is room (back-pressure). Rules M-50 to M-55.
 *
 * An index write waits in the queue of its index partition: a hot index partition blocks only its own
 * queue, while the buffer that all share fills.
 */
#ifndef MODEL_PROPAGATION_H
#define MODEL_PROPAGATION_H

#include <kernel/loop.h>
#include <model/calendar.h>
#include <model/latency.h>
#include <model/order.h>
#include <model/resource.h>
#include <model/units.h>

#define PROPAGATION_NO_ENTRY UINT32_MAX

/* The index maintenance of one base write: one or two parts. One cache line, for tens of thousands are
 * on their way. */
struct propagation_entry {
    uint64_t hashes[2], ordinals[2]; /* of the key that each part writes or deletes */
    uint64_t sequence;
    uint32_t partitions[2];
    uint32_t old_bytes, new_bytes;
    uint32_t next; /* in its queue */
    uint32_t entity : 24, effect : 4, part_count : 2, next_part : 2;
};
_Static_assert(sizeof(struct propagation_entry) == 64, "an entry is one cache line");

struct propagation_queue {
    uint32_t head, tail;
};

struct propagation_options {
    struct resource_options resource;
    int64_t buffer_units; /* -1: one second of the index's capacity, whatever that becomes */
    int64_t grace_ns, rearm_ns;
    int64_t resume; /* share */
    enum ddbsim_reject_scope scope;
    int64_t lag_median_ns, lag_p99_ns;
    uint64_t lag_stream;
    uint32_t arrive_kind, wake_kind; /* kinds of the loop's events */
};

/* What is filled in of an index that is being built (building.h). */
struct building {
    uint64_t total, done;  /* entries */
    int64_t bytes;         /* of all of them */
    int64_t allowed_nano;  /* that may be spent; below 0: the last entry is being repaid */
    uint64_t stream;       /* of random draws */
    int64_t consumed_nano; /* since it was last reported */
    uint32_t throttles;
    bool reported;   /* for the last time */
    uint64_t ends[]; /* of each entity's part of the entries */
};

struct propagation {
    struct resource resource; /* the index itself */
    struct delay lag;
    struct propagation_options options;
    struct calendar calendar; /* writes on their way */
    int64_t due_ns;           /* an event is scheduled for the next of them; TIME_NEVER: none */
    struct propagation_entry *entries; /* by the calendar's slots */
    uint32_t entry_count, entry_capacity;
    struct propagation_queue *queues; /* one a partition */
    /* Partitions whose queue holds work: those that had tokens when last looked at, by the age of their
     * oldest work, and those that had none, by the time at which they will. */
    struct order ready, blocked;
    int64_t backlog_nano; /* waiting work */
    bool refusing;
    bool is_lenient;           /* it holds no write back, however much waits */
    struct building *building; /* NULL: it was there at the start */
    bool grace_armed;
    int64_t grace_until_ns;  /* in grace before this time */
    int64_t last_waiting_ns; /* work last waited, or grace carried it, at this time */
    int64_t wake_ns;         /* an event is scheduled for then; TIME_NEVER: none */
    uint64_t sequence, puts, drains;
    uint64_t (*sorts)[2]; /* of each entry: of the keys that its parts write */
    /* Told of each index write that is put in, while some partition is watched, and of each that drains, with its
     * units. */
    void (*seen)(void *context, struct propagation *, uint32_t slot, uint128 position,
                 int64_t units);
    void (*drained)(void *context, struct propagation *, const struct propagation_entry *,
                    uint32_t part, int64_t nano, int64_t now_ns);
    void *context;
};

bool propagation_init(struct propagation *propagation, const struct propagation_options *options,
                      int64_t now_ns);
void propagation_deinit(struct propagation *propagation);
/* True when fewer than `room` entries are free: grow between events. */
bool propagation_is_tight(const struct propagation *propagation, uint32_t room);
/* It holds as many entries as an event can name. */
bool propagation_is_full(const struct propagation *propagation);
bool propagation_grow(struct propagation *propagation);
/* Why the index holds a base write back: bits of enum refusal; 0: it does not. `touches`: the write has
 * work for this index. */
uint32_t propagation_judge(struct propagation *propagation, bool touches, int64_t now_ns);
/* Units of one part of an entry. */
static inline int64_t propagation_part_units(const struct propagation_entry *entry, uint32_t part) {
    return units_index_part((enum ddbsim_effect)entry->effect, part, entry->old_bytes,
                            entry->new_bytes);
}
/* Units that a base write asks of the index. */
static inline int64_t propagation_cost_units(const struct ddbsim_index_work *work) {
    int64_t units = 0;
    for (uint32_t part = 0; part < units_index_parts(work->effect); part++)
        units += units_index_part(work->effect, part, work->old_bytes, work->new_bytes);
    return units;
}
/* An accepted base write: its index work arrives after the lag, once the loop is told. */
void propagation_put(struct propagation *propagation, const struct ddbsim_index_work *work,
                     uint64_t draw, int64_t now_ns);
/* Tells the loop of the next arrival: after each put, or after the puts of a whole batch, which may be more
 * than one dispatch may schedule events. */
void propagation_tell(struct propagation *propagation, struct loop *loop, uint32_t index_number);
/* The loop's events. */
void propagation_arrive(struct propagation *propagation, struct loop *loop, uint32_t index_number,
                        int64_t now_ns);
void propagation_wake(struct propagation *propagation, struct loop *loop, uint32_t index_number,
                      int64_t now_ns);
/* Room for `more` partitions. False when memory is short. */
bool propagation_grow_partitions(struct propagation *propagation, uint32_t more);
/* Partitions were split: what waits or is on its way for them goes to the child that has its key now. */
void propagation_split(struct propagation *propagation, struct loop *loop, uint32_t index_number,
                       const struct space_parting *partings, uint32_t count, int64_t now_ns);
/* Does work wait? */
static inline bool propagation_is_waiting(const struct propagation *propagation) {
    return propagation->ready.count + propagation->blocked.count > 0;
}
/* Whatever is on its way or waits is dropped, for the index is gone. False when memory is short. */
bool propagation_drop(struct propagation *propagation);
/* New capacity changes when waiting work may go on. */
void propagation_capacity_changed(struct propagation *propagation, struct loop *loop,
                                  uint32_t index_number, int64_t now_ns);

#endif
