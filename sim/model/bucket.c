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

int64_t bucket_level_wide(const struct bucket *bucket, const struct bucket_rule *rule,
                          int64_t now_ns) {
    int128 level = (int128)rule->rate * (now_ns - bucket->t_ns) + bucket->level_nano;
    CHECK(level > INT64_MIN);
    return level < rule->cap_nano ? (int64_t)level : rule->cap_nano;
}

void bucket_change(struct bucket *bucket, struct bucket_rule *rule, bool reset, int64_t now_ns,
                   struct bucket_rule to) {
    CHECK(to.rate >= 1 && to.cap_nano > 0);
    int64_t most = reset ? 0 : to.cap_nano;
    bucket_refill(bucket, rule, now_ns);
    if (bucket->level_nano > most) bucket->level_nano = most;
    *rule = to;
}

int64_t bucket_ready_ns(struct bucket *bucket, const struct bucket_rule *rule, int64_t need_nano,
                        int64_t now_ns) {
    CHECK(need_nano >= 1);
    bucket_refill(bucket, rule, now_ns);
    if (bucket->level_nano >= need_nano) return now_ns;
    /* One nanosecond's refill is at least one billionth. */
    return now_ns + (need_nano - bucket->level_nano - 1) / rule->rate + 1;
}

void bucket_steal(struct bucket *bucket, const struct bucket_rule *rule, int64_t nano,
                  int64_t now_ns) {
    CHECK(nano >= 0);
    bucket_refill(bucket, rule, now_ns);
    int128 kept = bucket->level_nano - (int128)rule->rate * NS_PER_S;
    if (kept > 0) bucket->level_nano -= kept < nano ? (int64_t)kept : nano;
}
