/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Arrivals (M-76, M-79): on a clock, one after the other, or from a stream. An arrival makes one call, or a
 * sequence of them one after the other or at once; it is over with its last answer.
 */
#ifndef CLIENT_ARRIVALS_H
#define CLIENT_ARRIVALS_H

#include <client/caller.h>

/* The loop's source of a workload (self: struct caller). */
int64_t arrivals_peek(void *self);
int64_t arrivals_fire(void *self, int64_t now_ns);
/* The arrival of the scratch record begins, with its first call or with all at once; false where it has none. */
bool arrival_begin(struct caller *caller, int64_t now_ns);
/* An arrival's last call is answered, or one of its calls was given up. Of a Lambda it is the scratch record's. */
void arrival_over(struct caller *caller, bool succeeded, int64_t now_ns);
/* The arrival of the scratch record goes on with call `step`, or has made its last. */
void arrival_go_on(struct caller *caller, uint32_t step, int64_t now_ns);
/* A Scan or Query reads its next page, where the one before ended. */
void page_go_on(struct caller *caller, struct record *record, int64_t now_ns);
/* The loop's events: in a crew; an answer is there. */
void arrivals_on_crew(void *context, int64_t now_ns, const struct loop_event *event);
void arrivals_on_completion(void *context, int64_t now_ns, const struct loop_event *event);

#endif
