/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What callers put around their SDK, from the outside in: a second layer of retries, which calls the SDK anew
 * (M-114); a circuit breaker (breaker.h); a limit on what they send (pacer.h), the SDK's retries included.
 */
#ifndef CLIENT_LAYERS_H
#define CLIENT_LAYERS_H

#include <client/caller.h>

/* False when memory is short. */
bool layers_init(struct caller *caller);
void layers_deinit(struct caller *caller);
/* When the attempt may be sent: a pause is over, the process's limit has room. Not before now. */
int64_t layers_open_ns(struct caller *caller, struct record *record, int64_t now_ns);
/* It was given that moment, and its time is over before. */
void layers_give_back(struct caller *caller, struct record *record, int64_t at_ns);
/* Does the breaker let a call, or a retry, pass? */
bool layers_permit_call(struct caller *caller, struct record *record, int64_t now_ns);
bool layers_permit_retry(struct caller *caller, struct record *record, int64_t now_ns);
/* A call is sent for the first time; or its time is over before it was. */
void layers_call_begins(struct caller *caller, struct record *record, int64_t now_ns);
void layers_call_unsent(struct caller *caller, struct record *record);
/* It would have let the retry pass, which does not come about. */
void layers_no_retry(struct caller *caller, struct record *record);
/* An attempt came to its end, and with it perhaps the SDK's call, which has its answer then. */
void layers_attempt_over(struct caller *caller, struct record *record, enum error_class error,
                         int64_t now_ns);
/* The call's time ran out while an attempt was on its way: that failed. */
void layers_attempt_cut(struct caller *caller, struct record *record, int64_t now_ns);
/* The SDK has given a call up. */
void layers_call_failed(struct caller *caller, struct record *record, int64_t now_ns);
/* The SDK has given up at end_ns: will it be called once more? Then the record is on its way. */
bool layers_call_again(struct caller *caller, struct record *record, uint64_t draw, int64_t now_ns,
                       int64_t end_ns);

#endif
