/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Waits between attempts. Sources: AWS Architecture Blog, Exponential Backoff And Jitter, and its simulator
 * (aws-samples/aws-arch-backoff-simulator) for the shapes; the SDKs' own code for where the cap acts and how
 * the result is rounded (M-71, M-72, M-73). Whole nanoseconds throughout: no floating point.
 */
#include <client/backoff.h>

#include <base/check.h>
#include <base/rng.h>

/* No wait is longer, so that its end is a time that the loop knows: ten years. */
#define WAIT_MOST_NS (INT64_C(3650) * 86400 * NS_PER_S)

int64_t backoff_bound_ns(int64_t base_ns, int64_t growth, uint32_t exponent, int64_t most_ns) {
    CHECK(base_ns >= 0 && most_ns >= 0 && growth >= DDBSIM_SHARE_ONE);
    int64_t most = smaller(most_ns, WAIT_MOST_NS), bound = base_ns;
    bool grows = growth > DDBSIM_SHARE_ONE && bound > 0;
    if (grows && growth == 2 * DDBSIM_SHARE_ONE) /* as nearly all of them grow */
        return exponent < (uint32_t)__builtin_clzll((uint64_t)bound) - 1
                   ? smaller(bound << exponent, most)
                   : most;
    for (uint32_t i = 0; grows && i < exponent && bound < most; i++) {
        int128 next = (int128)bound * growth / DDBSIM_SHARE_ONE;
        if (next == bound) next++; /* a nanosecond x 1.1 */
        bound = next < most ? (int64_t)next : most;
    }
    return smaller(bound, most);
}

static int64_t uniform_ns(uint64_t draw, int64_t bound_ns) {
    CHECK_DEBUG(bound_ns >= 0);
    return (int64_t)draw_below(draw, (uint64_t)bound_ns);
}

/* A share of the wait, drawn as the SDK draws it. */
static int64_t jittered_ns(enum ddbsim_jitter jitter, enum ddbsim_rounding round, int64_t wait_ns,
                           uint64_t draw) {
    if (jitter == DDBSIM_JITTER_NONE) return wait_ns;
    if (round == DDBSIM_ROUND_INT_MS) { /* a whole number of ms is drawn, not a fraction rounded */
        int64_t wait_ms = wait_ns / NS_PER_MS, half_ms = wait_ms / 2;
        if (jitter == DDBSIM_JITTER_FULL) return uniform_ns(draw, wait_ms) * NS_PER_MS;
        return (half_ms + uniform_ns(draw, half_ms + 1)) * NS_PER_MS;
    }
    if (jitter == DDBSIM_JITTER_FULL) return uniform_ns(draw, wait_ns);
    return wait_ns / 2 + uniform_ns(draw, wait_ns - wait_ns / 2);
}

static int64_t rounded_ns(enum ddbsim_rounding round, int64_t wait_ns) {
    if (round == DDBSIM_ROUND_NONE) return wait_ns;
    if (round == DDBSIM_ROUND_NEAREST_MS) wait_ns += NS_PER_MS / 2;
    return wait_ns / NS_PER_MS * NS_PER_MS;
}

/* Between the base and three times the last wait, whatever the number of the retry. */
static int64_t decorrelated_ns(const struct ddbsim_backoff *backoff, int64_t base_ns, uint64_t draw,
                               struct backoff_state *state) {
    CHECK(state->previous_ns >= 0);
    int64_t last_ns = state->previous_ns > 0 ? state->previous_ns : base_ns;
    int64_t most_ns = larger(smaller(last_ns, WAIT_MOST_NS / 3) * 3, base_ns);
    int64_t wait_ns = base_ns + uniform_ns(draw, most_ns - base_ns);
    state->previous_ns = smaller(wait_ns, backoff->max_backoff_ns);
    return smaller(rounded_ns(backoff->round, wait_ns), backoff->max_backoff_ns);
}

int64_t backoff_ns(const struct ddbsim_backoff *backoff, enum error_class error,
                   uint32_t retries_so_far, uint64_t draw, struct backoff_state *state) {
    bool throttle = error == ERROR_THROTTLE;
    enum ddbsim_jitter jitter = throttle ? backoff->throttling_jitter : backoff->jitter;
    int64_t base_ns = throttle ? backoff->throttling_base_ns : backoff->base_ns;
    int64_t cap_ns = backoff->max_backoff_ns;
    if (jitter == DDBSIM_JITTER_DECORRELATED) return decorrelated_ns(backoff, base_ns, draw, state);
    int64_t nominal_ns = backoff_bound_ns(base_ns, backoff->growth,
                                          retries_so_far + backoff->first_exponent, INT64_MAX);
    if (backoff->no_jitter_at_cap && nominal_ns > cap_ns) return cap_ns;
    if (!backoff->cap_after_jitter) nominal_ns = smaller(nominal_ns, cap_ns);
    CHECK(nominal_ns >= 0 && cap_ns >= 0);
    int64_t wait_ns = jittered_ns(jitter, backoff->round, nominal_ns, draw);
    return smaller(rounded_ns(backoff->round, wait_ns), cap_ns);
}
