/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A circuit breaker of a process: it counts what fails, and while too much does it lets nothing pass, or no
 * retries. After a time some calls may try. Rules M-112, M-113.
 */
#ifndef CLIENT_BREAKER_H
#define CLIENT_BREAKER_H

#include <base/types.h>
#include <ddbsim/scenario.h>

#define BREAKER_PARTS 10 /* of its window: so coarse does what is old fall out */

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker {
    struct {
        uint32_t counted, failed;
    } parts
        [BREAKER_PARTS]; /* by the time's number modulo the parts; without a window the first is all */
    int64_t part;        /* number of the newest */
    int64_t open_until_ns;
    uint32_t permitted, tried, failed; /* half open: trials that began, ended, and ended badly */
    uint8_t state;
};

/* May it pass: a call, or where retries are guarded a retry? *trial: it is one of those that decide, and its end is
 * told by breaker_tried; or it is handed back, if it did not come about. */
bool breaker_permits(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns,
                     bool *trial);
void breaker_tried(struct breaker *breaker, const struct ddbsim_breaker *spec, bool failed,
                   int64_t now_ns);
void breaker_untried(struct breaker *breaker);
/* A call begins, where failures are taken per call. */
void breaker_begins(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns);
/* Something that it counts has ended. */
void breaker_tell(struct breaker *breaker, const struct ddbsim_breaker *spec, bool failed,
                  int64_t now_ns);

#endif
