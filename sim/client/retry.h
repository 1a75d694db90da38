/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a caller does after a refusal: how often it tries, how long it waits, and the retry quota of its
 * process. Attempts M-70, backoff M-71, its cap M-72, jitter M-73, quota M-74, what comes back M-75; only
 * throttles are retried (M-77). And what the caller's own loop does with the members of a batch that came back
 * unprocessed, which no SDK sends again (M-64).
 */
#ifndef CLIENT_RETRY_H
#define CLIENT_RETRY_H

#include <base/types.h>
#include <ddbsim/scenario.h>

enum retry_decision { RETRY_AGAIN, RETRY_EXHAUSTED, RETRY_NO_QUOTA };

/* Tokens that a process has left, and what a request holds. */
struct retry_quota {
    int64_t tokens;
};

/* After attempt number `attempts` (from 1) was throttled: may the caller try again? Takes the retry's
 * tokens; *held becomes what a later success gives back: only the last retry's cost. */
enum retry_decision retry_decide(const struct ddbsim_client *client, struct retry_quota *quota,
                                 uint32_t attempts, int64_t *held);
/* The wait before retry number `attempts`: base x 2^(attempts - 1), capped, then jittered by the draw. */
int64_t retry_delay_ns(const struct ddbsim_client *client, uint32_t attempts, uint64_t draw);
/* A request succeeded: gives back what it held, or a little where it never retried. */
void retry_succeeded(const struct ddbsim_client *client, struct retry_quota *quota, int64_t held,
                     bool retried);

/* May the members that came back be sent again, after `rounds` times that they were? */
bool retry_sends_again(const struct ddbsim_batch_unprocessed *unprocessed, uint32_t rounds);
int64_t retry_unprocessed_delay_ns(const struct ddbsim_batch_unprocessed *unprocessed,
                                   uint32_t rounds);

#endif
