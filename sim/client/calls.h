/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One call, from its first attempt to its answer or until it is given up (M-70 to M-78): attempts, retries as
 * the client says (retry.h), what a success gives back. Random draws of an attempt are a mix of (stream,
 * request, attempt), so they do not depend on what else happens (docs/determinism.md).
 *
 * Invariant: requests = succeeded + failed + outstanding.
 */
#ifndef CLIENT_CALLS_H
#define CLIENT_CALLS_H

#include <client/caller.h>

/* The request in the scratch record is asked for, and sent. */
void call_begin(struct caller *caller, int64_t now_ns);
/* The SDK is about to be called anew for what is left of a request. */
void call_renew(struct record *record);
/* An attempt at that time or as soon after as its caller may send one, unless its time is up before. */
void call_send_later(struct caller *caller, struct record *record, int64_t now_ns, int64_t at_ns);
/* The same now, whatever stands between. */
void call_attempt(struct caller *caller, struct record *record, int64_t now_ns);
/* Its call's time, or its arrival's, is up now. */
void call_expired(struct caller *caller, struct record *record, int64_t now_ns);
/* It has its answer, or is given up, at end_ns. */
void request_admitted(struct caller *caller, struct record *record, int64_t now_ns, int64_t end_ns);
void request_given_up(struct caller *caller, struct record *record, int64_t now_ns, int64_t end_ns);
void quota_refund(struct caller *caller, const struct record *record);
/* Of a request that is SIZED: before it is sent, and when it was served. */
void ask_source(struct simulation *s, struct ddbsim_request *request);
void tell_source(struct simulation *s, const struct ddbsim_request *request);
/* The loop's events: a wait is over; an answer is there, or will not be. */
void calls_on_retry(void *context, int64_t now_ns, const struct loop_event *event);
void calls_on_answer(void *context, int64_t now_ns, const struct loop_event *event);
/* A retry is due before long: its record is asked for. */
void calls_retry_soon(const void *context, const struct loop_event *event);

#endif
