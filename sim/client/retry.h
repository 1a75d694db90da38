/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a caller does after an error: whether it tries again, and after what wait. In the order of the SDKs' own
 * loop: what may be retried (M-77), attempts (M-70), the process's retry quota (M-74, M-75; quota.h), the wait
 * (M-71 to M-73; backoff.h). And what the caller's own loop does with the members of a batch that came back
 * unprocessed, which no SDK sends again (M-64).
 */
#ifndef CLIENT_RETRY_H
#define CLIENT_RETRY_H

#include <base/types.h>
#include <client/backoff.h>
#include <client/quota.h>

enum retry_decision { RETRY_AGAIN, RETRY_FINAL, RETRY_EXHAUSTED, RETRY_NO_QUOTA };

#define RETRY_NO_HINT (-1)

/* After attempt number `attempts` (from 1) ended with `error`: may the caller try again? Takes the retry's
 * tokens; *held becomes what a later success gives back. */
enum retry_decision retry_decide(const struct ddbsim_client *client, struct retry_quota *quota,
                                 enum error_class error, uint32_t attempts, int64_t *held);
/* The wait before retry number `attempts`, which follows `error`. `hint_ns` is what the service asked for in
 * x-amz-retry-after; negative: nothing. */
int64_t retry_wait_ns(const struct ddbsim_client *client, enum error_class error, uint32_t attempts,
                      uint64_t draw, int64_t hint_ns, struct backoff_state *state);

/* May the members that came back be sent again, after `rounds` times that they were? */
bool retry_sends_again(const struct ddbsim_batch_unprocessed *unprocessed, uint32_t rounds);
int64_t retry_unprocessed_delay_ns(const struct ddbsim_batch_unprocessed *unprocessed,
                                   uint32_t rounds);

#endif
