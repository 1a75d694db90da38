/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process's retry quota (M-74, M-75): each retry takes tokens by the class of the error that it follows, and a
 * success gives some back. What the SDKs do differently here is data (struct ddbsim_retry_quota).
 */
#ifndef CLIENT_QUOTA_H
#define CLIENT_QUOTA_H

#include <base/types.h>
#include <client/errors.h>

/* Tokens that a process has left. */
struct retry_quota {
    int64_t tokens;
};

/* Takes the tokens of a retry after `error`; false, and nothing taken, where too few are left. *held is what a
 * success then gives back: only the last retry's cost. */
bool quota_take(const struct ddbsim_retry_quota *spec, struct retry_quota *quota,
                enum error_class error, int64_t *held);
/* A request succeeded, after a retry that cost `held`, or at once. */
void quota_return(const struct ddbsim_retry_quota *spec, struct retry_quota *quota, int64_t held,
                  bool retried);
/* Would a success that never retried change it? */
static inline bool quota_takes_more(const struct ddbsim_retry_quota *spec,
                                    const struct retry_quota *quota) {
    return spec->enabled &&
           (quota->tokens < spec->capacity || spec->success_refill == DDBSIM_REFILL_MAX);
}

#endif
