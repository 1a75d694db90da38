/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands between a client in adaptive mode and its service: in each process the limiter (limiter.h), and the
 * line of those that wait for its next token (M-89). Attempts pass in the order in which they came.
 */
#ifndef CLIENT_GATES_H
#define CLIENT_GATES_H

#include <client/caller.h>

/* False when memory is short. Without adaptive mode there are none. */
bool gates_init(struct caller *caller);
void gates_deinit(struct caller *caller);
/* May the attempt be sent now? Else it has joined the line, at most until `deadline_ns`. */
bool gates_pass(struct caller *caller, struct record *record, int64_t now_ns, int64_t deadline_ns);
/* The process has an answer, a throttle or another. */
void gates_answered(struct caller *caller, const struct record *record, bool throttled,
                    int64_t now_ns);
/* Requests a second that a process allows itself, the mean of those that limit at all; NAN without. */
double gates_rate(const struct caller *caller);
/* The loop's events: a token may be there; somebody has waited for too long. */
void gates_on_wake(void *context, int64_t now_ns, const struct loop_event *event);
void gates_on_late(void *context, int64_t now_ns, const struct loop_event *event);

#endif
