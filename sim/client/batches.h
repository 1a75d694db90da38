/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls of several items: batches, whose members come back unprocessed (M-63, M-64), and transactions, which are
 * all or nothing (M-67, M-68).
 */
#ifndef CLIENT_BATCHES_H
#define CLIENT_BATCHES_H

#include <client/caller.h>

/* The members of a new batch: first what is left over from the ones before, where callers keep that. */
void batch_begin(struct caller *caller, struct record *record, int64_t now_ns);
/* A batch was served in part: what its caller does about the rest. */
void batch_came_back(struct caller *caller, struct record *record, int64_t now_ns, int64_t end_ns);
/* The answer is there: the SDK's call is over, and its caller makes another one for the rest. */
void batch_send_again(struct caller *caller, struct record *record, int64_t now_ns);
/* Attempts a call that is more than one item, or is refused as it stands. */
void members_attempt(struct caller *caller, struct record *record, uint64_t draw, int64_t now_ns,
                     struct attempt *out);
/* Nobody sends them again. */
void members_lost(struct caller *caller, struct record *record);

#endif
