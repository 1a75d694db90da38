/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bucket's slow paths. Invariant: level <= cap at every time; debt is at most one request's cost,
 * since nothing is taken from a bucket that does not admit.
 */
#include <model/bucket.h>

void bucket_fill(struct bucket *bucket, int64_t now_ns, int64_t level_nano) {
    bucket->level_nano = level_nano;
    bucket->t_ns = now_ns;
}

void bucket_change(struct bucket *bucket, struct bucket_rule *rule, int64_t now_ns,
                   struct bucket_rule to) {
    CHECK(to.rate >= 1 && to.cap_nano > 0);
    bucket_refill(bucket, rule, now_ns);
    if (bucket->level_nano > to.cap_nano) bucket->level_nano = to.cap_nano;
    *rule = to;
}

int64_t bucket_ready_ns(struct bucket *bucket, const struct bucket_rule *rule, int64_t now_ns) {
    bucket_refill(bucket, rule, now_ns);
    if (bucket->level_nano > 0) return now_ns;
    /* The level passes zero after -level / rate; one nanosecond's refill is at least one billionth. */
    return now_ns + -bucket->level_nano / rule->rate + 1;
}
