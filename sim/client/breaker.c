/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models circuit breakers (M-112, M-113). Sources: M. Nygard, Release It! (the pattern), resilience4j's CircuitBreaker (failure
 * rate over a time window, minimum number of calls, wait in open state, permitted calls in half-open state);
 * M. Brooker, Fixing retries with token buckets and circuit breakers, 2022 (retries alone are guarded: while failures
 * / calls of the client's whole life is at most 10 %): no window, guards retries, open for no time.
 * Invariants: failed <= counted where each that failed was counted; half open, no more than `trials` are permitted.
 */
#include <client/breaker.h>

#include <base/check.h>
#include <string.h>

/* What is older than the window is forgotten, a part at a time. */
static void follow(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns) {
    if (spec->window_ns == 0) return;
    int64_t part = now_ns / larger(spec->window_ns / BREAKER_PARTS, 1);
    CHECK_DEBUG(part >= breaker->part);
    int64_t fresh = smaller(part - breaker->part, BREAKER_PARTS);
    for (int64_t i = 0; i < fresh; i++)
        memset(&breaker->parts[(part - i) % BREAKER_PARTS], 0, sizeof breaker->parts[0]);
    breaker->part = part;
}

static bool is_too_much(const struct breaker *breaker, const struct ddbsim_breaker *spec) {
    uint64_t counted = 0, failed = 0;
    for (int i = 0; i < BREAKER_PARTS; i++) {
        counted += breaker->parts[i].counted;
        failed += breaker->parts[i].failed;
    }
    CHECK_DEBUG(failed <= counted || spec->counts == DDBSIM_COUNTS_FAILURES_PER_CALL);
    if (counted < spec->minimum) return false;
    return (int128)failed * DDBSIM_SHARE_ONE > (int128)counted * spec->failures;
}

static void forget(struct breaker *breaker) {
    memset(breaker->parts, 0, sizeof breaker->parts);
    breaker->permitted = breaker->tried = breaker->failed = 0;
}

static void open(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns) {
    breaker->state = BREAKER_OPEN;
    breaker->open_until_ns = now_ns + spec->open_ns;
}

bool breaker_permits(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns,
                     bool *trial) {
    CHECK_DEBUG(spec->enabled);
    *trial = false;
    follow(breaker, spec, now_ns);
    if (spec->open_ns == 0) return !is_too_much(breaker, spec); /* judged anew each time */
    if (breaker->state == BREAKER_OPEN && now_ns >= breaker->open_until_ns) {
        breaker->state = BREAKER_HALF_OPEN;
        forget(breaker);
    }
    if (breaker->state != BREAKER_HALF_OPEN) return breaker->state == BREAKER_CLOSED;
    if (breaker->permitted == spec->trials) return false;
    breaker->permitted++;
    *trial = true;
    return true;
}

/* Trials decide once all of them have ended: too many that failed, and it is open again. A trial of an earlier
 * half-open time that ends late decides nothing. */
void breaker_tried(struct breaker *breaker, const struct ddbsim_breaker *spec, bool failed,
                   int64_t now_ns) {
    if (breaker->state != BREAKER_HALF_OPEN || breaker->tried == breaker->permitted) return;
    breaker->failed += failed;
    if (++breaker->tried < spec->trials) return;
    bool fails = (int128)breaker->failed * DDBSIM_SHARE_ONE > (int128)spec->trials * spec->failures;
    forget(breaker);
    if (fails)
        open(breaker, spec, now_ns);
    else
        breaker->state = BREAKER_CLOSED;
}

void breaker_untried(struct breaker *breaker) {
    if (breaker->state == BREAKER_HALF_OPEN && breaker->permitted > breaker->tried)
        breaker->permitted--;
}

static void count(struct breaker *breaker, const struct ddbsim_breaker *spec, bool counts,
                  bool failed) {
    int64_t at = spec->window_ns == 0 ? 0 : breaker->part % BREAKER_PARTS;
    breaker->parts[at].counted += counts;
    breaker->parts[at].failed += failed;
}

void breaker_begins(struct breaker *breaker, const struct ddbsim_breaker *spec, int64_t now_ns) {
    CHECK_DEBUG(spec->counts == DDBSIM_COUNTS_FAILURES_PER_CALL);
    follow(breaker, spec, now_ns);
    count(breaker, spec, true, false);
}

void breaker_tell(struct breaker *breaker, const struct ddbsim_breaker *spec, bool failed,
                  int64_t now_ns) {
    CHECK_DEBUG(spec->enabled);
    follow(breaker, spec, now_ns);
    if (spec->open_ns > 0 && breaker->state != BREAKER_CLOSED)
        return; /* it began before, or is a trial */
    count(breaker, spec, spec->counts != DDBSIM_COUNTS_FAILURES_PER_CALL, failed);
    if (spec->open_ns > 0 && is_too_much(breaker, spec)) open(breaker, spec, now_ns);
}
