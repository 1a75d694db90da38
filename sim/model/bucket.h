/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A token bucket in integers: the level is in billionths of a unit, the rate in whole units a second, so
 * a refill over elapsed nanoseconds is rate x elapsed, exact. Refilled when looked at, never by an event.
 * Admits while it holds what is needed, a billionth or the whole cost, and then takes the whole cost: with
 * the first it may be in debt by one request (rule M-33). Rules M-22, M-30.
 */
#ifndef MODEL_BUCKET_H
#define MODEL_BUCKET_H

#include <base/check.h>
#include <base/types.h>

struct bucket {
    int64_t level_nano; /* at t_ns; negative in debt, never above the rule's cap */
    int64_t t_ns;
};

/* What all buckets of a kind share. */
struct bucket_rule {
    int64_t rate;     /* units a second, at least 1 */
    int64_t cap_nano; /* at least one second's worth of a provisioned rate, or the depth */
};

void bucket_fill(struct bucket *bucket, int64_t now_ns, int64_t level_nano);
/* Changes the rule at now: tokens are kept and clipped to the new cap, or (`reset`) lost; debts stay
 * (rule M-40). */
void bucket_change(struct bucket *bucket, struct bucket_rule *rule, bool reset, int64_t now_ns,
                   struct bucket_rule to);
/* First time at which it holds what is needed, not before now, however little fits into it. */
int64_t bucket_ready_ns(struct bucket *bucket, const struct bucket_rule *rule, int64_t need_nano,
                        int64_t now_ns);
/* Takes up to so much of what was kept: of what is there beyond a second's refill (rule M-30). */
void bucket_steal(struct bucket *bucket, const struct bucket_rule *rule, int64_t nano,
                  int64_t now_ns);

/* The level at now, of which 64 bits do not hold the sum. */
int64_t bucket_level_wide(const struct bucket *bucket, const struct bucket_rule *rule,
                          int64_t now_ns);

static inline void bucket_refill(struct bucket *bucket, const struct bucket_rule *rule,
                                 int64_t now_ns) {
    int64_t level;
    CHECK_DEBUG(now_ns >= bucket->t_ns);
    if (__builtin_expect(__builtin_mul_overflow(rule->rate, now_ns - bucket->t_ns, &level) ||
                             __builtin_add_overflow(level, bucket->level_nano, &level),
                         false))
        level = bucket_level_wide(bucket, rule, now_ns);
    bucket->level_nano = level < rule->cap_nano ? level : rule->cap_nano;
    bucket->t_ns = now_ns;
}

static inline bool bucket_admits(struct bucket *bucket, const struct bucket_rule *rule,
                                 int64_t need_nano, int64_t now_ns) {
    CHECK_DEBUG(need_nano >= 1);
    bucket_refill(bucket, rule, now_ns);
    return bucket->level_nano >= need_nano;
}

/* Needs bucket_admits at the same time: the actions of a transaction are all admitted before the first of them takes
 * what it costs, so the others may find a bucket in debt (M-68). */
static inline void bucket_take(struct bucket *bucket, int64_t cost_nano) {
    CHECK_DEBUG(cost_nano >= 0);
    bucket->level_nano -= cost_nano;
}

#endif
