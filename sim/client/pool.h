/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests that wait: for a retry, for the next call of their sequence, for an answer that gives retry quota
 * back. The members of batches wait here too, each in a record of its own, as lists that their requests or
 * their callers hold.
 */
#ifndef CLIENT_POOL_H
#define CLIENT_POOL_H

#include <base/check.h>
#include <base/types.h>
#include <ddbsim/workload.h>

#define POOL_NO_RECORD UINT32_MAX

/* Members of a batch, in the order in which they are judged. */
struct members {
    uint32_t first, last; /* records; of no meaning where count is 0 */
    uint32_t count;
};

/* A request on its way. `request` comes last: only as many index works as it has are stored. */
struct record {
    struct ddbsim_arrival arrival;
    int64_t first_ns;  /* first attempt */
    int64_t held;      /* quota tokens that a success gives back */
    int64_t wait_ns;   /* the last, from which decorrelated jitter goes on */
    int64_t called_ns; /* when the SDK was called last; DDBSIM_NO_TIME: it is when this is sent */
    uint32_t calls;    /* attempts of the request */
    uint32_t
        attempts; /* of these, since the SDK was called last: a batch may be sent several times */
    int64_t wrap_wait_ns;   /* the last of the second layer's */
    uint32_t wraps;         /* times that the second layer has called the SDK anew */
    bool has_place;         /* the process's limit has given it a moment */
    bool is_trial;          /* whether it fails decides whether its breaker closes */
    bool is_permitted;      /* its breaker has let the call pass */
    uint32_t rounds;        /* times that unprocessed members were sent again */
    struct members members; /* of a batch: those not yet served, as far as its caller knows */
    uint32_t served;        /* of these, what the service has done and the caller did not hear */
    uint32_t ticket;        /* while it waits in a process's line; 0: it does not */
    uint32_t slot;
    uint32_t next;    /* of the free ones, or of a list of members */
    uint32_t fan;     /* of which it is a branch; FAN_NONE: a call of its own */
    uint32_t branch;  /* of that */
    uint32_t page;    /* of its branch or Scan, from 0 */
    bool has_arrival; /* else `arrival` is not kept: no further call follows */
    bool reads_on;    /* its next page begins where this one ended */
    struct ddbsim_request request;
};

struct pool {
    char *records; /* of `stride` bytes */
    size_t stride;
    uint32_t capacity, used, free_record;
    const char *limit; /* of this program, reached; NULL: none */
};

/* `works`: the most index works that a request has. False when memory is short. */
bool pool_init(struct pool *pool, uint32_t works);
void pool_deinit(struct pool *pool);
/* Too little is left for what one dispatch may need: time to grow, between events. */
bool pool_is_tight(const struct pool *pool);
bool pool_grow(struct pool *pool);
static inline struct record *pool_at(const struct pool *pool, uint32_t number) {
    CHECK_DEBUG(number < pool->capacity);
    return (struct record *)(void *)(pool->records + pool->stride * number);
}
/* The number of a copy of the record. There is room: the pool was not tight before the event. */
uint32_t pool_store(struct pool *pool, const struct record *record);
/* The same of one that waits for an answer and will not be sent again: of its request only what stands before
 * the key, whose it is. */
uint32_t pool_store_answer(struct pool *pool, const struct record *record);
void pool_release(struct pool *pool, uint32_t number);
/* Asks for the record's memory, but for the arrival, which few have. */
void pool_fetch(const struct pool *pool, uint32_t number);
/* Copies the record out; the pool's is free again. */
void pool_load(struct pool *pool, uint32_t number, struct record *out);

/* The same, and the pool's stays. */
void pool_copy(const struct pool *pool, uint32_t number, struct record *out);
/* The same of what pool_store_answer kept. */
void pool_load_answer(struct pool *pool, uint32_t number, struct record *out);

void members_add(struct pool *pool, struct members *members, const struct ddbsim_request *request);
/* A record goes to the end of a list; the first of one leaves it. */
void members_push(struct pool *pool, struct members *members, uint32_t number);
uint32_t members_take(struct pool *pool, struct members *members);
/* Up to `most` go from the front of one list to the end of another. */
void members_move(struct pool *pool, struct members *from, struct members *to, uint32_t most);
/* They are gone; returns how many they were. */
uint32_t members_release(struct pool *pool, struct members *members);

#endif
