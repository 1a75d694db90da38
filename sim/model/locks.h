/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Items that are in a transaction, from its start until its answer (M-69): a hash table by table and position,
 * of fixed size while an event is at work. An entry that is over is as good as none and is dropped when the
 * table is made anew, between events.
 */
#ifndef MODEL_LOCKS_H
#define MODEL_LOCKS_H

#include <ddbsim/workload.h>
#include <base/types.h>

struct lock {
    uint64_t hash, sort;
    int64_t until_ns;
    uint64_t owner; /* number of its transaction, from 1; 0: free */
    uint32_t table;
};

struct locks {
    struct lock *all;
    uint32_t capacity, used; /* capacity 0: there are no transactions, or a power of two */
    int64_t latest_ns;       /* no entry lasts longer */
    uint64_t owner;          /* the transaction at hand */
    uint32_t taken[DDBSIM_TRANSACT_MAX], taken_count; /* entries that it holds */
};

enum locks_answer { LOCKS_FREE, LOCKS_OWN, LOCKS_OTHER };

/* Room for transactions. False when memory is short. */
bool locks_init(struct locks *locks);
void locks_deinit(struct locks *locks);
/* Too little is left for one more transaction. */
bool locks_are_tight(const struct locks *locks);
/* Between events: drops what is over at now; grows if that is not enough. False when memory is short, or where
 * there are more than LOCKS_MAX: then locks_are_full. */
bool locks_grow(struct locks *locks, int64_t now_ns);
bool locks_are_full(const struct locks *locks);

/* A transaction: it begins, asks for each of its items (a write among them holds it), and ends: what it holds
 * lasts until then. */
void locks_begin(struct locks *locks);
/* Where an item would stand in an empty table; its memory is asked for. The items lie anywhere in the table: asked for
 * together they wait for memory once. */
uint32_t locks_home(const struct locks *locks, const struct ddbsim_request *request);
/* `home`: what that says. */
enum locks_answer locks_take(struct locks *locks, const struct ddbsim_request *request,
                             uint32_t home, int64_t now_ns);
void locks_end(struct locks *locks, int64_t until_ns);
/* Is the item of a write of its own in a running transaction? */
bool locks_find(const struct locks *locks, const struct ddbsim_request *request, int64_t now_ns);
static inline bool locks_hold(const struct locks *locks, const struct ddbsim_request *request,
                              int64_t now_ns) {
    return now_ns < locks->latest_ns && ddbsim_operation_is_write((int)request->kind) &&
           locks_find(locks, request, now_ns);
}

#endif
