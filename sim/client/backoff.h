/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The wait before a retry: exponential from a base that the error's class chooses, capped, jittered and rounded
 * (M-71 to M-73). The draw is an argument, 0 to UINT64_MAX for U in [0, 1).
 */
#ifndef CLIENT_BACKOFF_H
#define CLIENT_BACKOFF_H

#include <base/types.h>
#include <client/errors.h>
#include <ddbsim/scenario.h>

/* Of one call: what decorrelated jitter goes on from. {0} before the first retry. */
struct backoff_state {
    int64_t previous_ns;
};

/* base x growth^exponent, at most `most_ns`. `growth` in billionths. */
int64_t backoff_bound_ns(int64_t base_ns, int64_t growth, uint32_t exponent, int64_t most_ns);
/* After `error`, when the call has been retried so many times: 0 for its first retry. */
int64_t backoff_ns(const struct ddbsim_backoff *backoff, enum error_class error,
                   uint32_t retries_so_far, uint64_t draw, struct backoff_state *state);

#endif
