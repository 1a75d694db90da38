/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rate limiter of a client in adaptive mode (M-89): it measures what its process sends, cuts that at a
 * throttle, and recovers along a cubic. All of client's floating point is here, of + - * / and base/dmath alone.
 * Times are seconds.
 */
#ifndef CLIENT_LIMITER_H
#define CLIENT_LIMITER_H

#include <base/types.h>
#include <ddbsim/scenario.h>

#define LIMITER_SEND_COST 1 /* of an attempt */

struct limiter {
    double tokens, fill, capacity; /* requests; a second; requests */
    double filled_s;               /* up to when it was filled */
    double measured, bucket_s;     /* requests a second; the last closed bucket's end */
    double w_max, throttled_s;     /* where the cubic levels off; since when it runs */
    uint32_t count;                /* answers since bucket_s */
    bool fills;                    /* its clock runs */
    bool enabled;                  /* since the first throttle */
};

void limiter_init(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double now_s);
/* An answer has come: served, refused as a throttle, or another error. */
void limiter_update(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double now_s,
                    bool throttled);
/* Takes `amount` for an attempt; else, nothing taken, how long to wait before asking again. */
double limiter_take(struct limiter *limiter, double amount, double now_s);
/* The parts of an update. */
double limiter_recovery(const struct ddbsim_rate_limiter *spec, double w_max, double since_s);
void limiter_set_rate(const struct ddbsim_rate_limiter *spec, struct limiter *limiter, double rate,
                      double now_s);

#endif
