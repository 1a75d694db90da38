/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shares of provisioned capacity. Source: Elhemali et al., USENIX ATC 2022: static allocation (a split for
 * size divides the parent's allocation, one for throughput derives it from the table's rate anew), burst
 * by unused allocation kept for 300 s, adaptive capacity (a throttled partition of a table below its total
 * is boosted, proportionally, after the fact).
 */
#include <model/allocation.h>

#include <stdlib.h>
#include <string.h>

static struct bucket_rule rule_of(const struct allocations *a, const struct allocation *of,
                                  enum direction d) {
    struct bucket_rule rule = a->rules[d];
    if (of->boost_rate > 0) rule.rate = of->boost_rate * of->parts;
    return rule;
}

/* What it has without burst: a second of it. */
static struct bucket_rule second_of(const struct allocations *a, const struct allocation *of,
                                    enum direction d) {
    struct bucket_rule rule = rule_of(a, of, d);
    CHECK_DEBUG(rule.rate >= 1);
    if (__builtin_mul_overflow(rule.rate, NS_PER_S, &rule.cap_nano)) rule.cap_nano = INT64_MAX;
    return rule;
}

bool allocations_grow(struct allocations *a, uint32_t count, uint32_t more) {
    if (count + more <= a->capacity) return true;
    uint32_t capacity = count + (more > count / 2 ? more : count / 2);
    void *grown = realloc(a->of, capacity * sizeof *a->of);
    if (!grown) return false;
    a->of = grown;
    a->capacity = capacity;
    return true;
}

bool allocations_init(struct allocations *a, uint32_t count, bool adaptive, int64_t delay_ns) {
    *a = (struct allocations){.adaptive = adaptive, .delay_ns = delay_ns};
    return allocations_grow(a, 0, count);
}

void allocations_deinit(struct allocations *a) {
    free(a->of);
    *a = (struct allocations){0};
}

void allocations_share(struct allocations *a, uint32_t count,
                       const struct bucket_rule rules[DIRECTIONS], int64_t level, int64_t now_ns) {
    CHECK(count >= 1 && count <= a->capacity);
    for (int d = 0; d < DIRECTIONS; d++) {
        a->rules[d] = rules[d];
        int64_t nano = (int64_t)((int128)rules[d].cap_nano * level / DDBSIM_SHARE_ONE);
        for (uint32_t i = 0; i < count; i++)
            a->of[i][d] = (struct allocation){.bucket = {nano, now_ns},
                                              .second = {0, now_ns},
                                              .parts = count,
                                              .short_since_ns = TIME_NEVER};
    }
}

void allocations_change(struct allocations *a, uint32_t count,
                        const struct bucket_rule rules[DIRECTIONS], bool reset, int64_t now_ns) {
    CHECK(count <= a->capacity);
    for (uint32_t i = 0; i < count; i++)
        for (int d = 0; d < DIRECTIONS; d++) {
            struct bucket_rule rule = rule_of(a, &a->of[i][d], (enum direction)d);
            bucket_change(&a->of[i][d].bucket, &rule, reset, now_ns, rules[d]);
        }
    memcpy(a->rules, rules, sizeof a->rules);
}

void allocations_steal(struct allocations *a, uint32_t count, int64_t share, int64_t now_ns) {
    CHECK(count <= a->capacity && share >= 0);
    for (uint32_t i = 0; i < count; i++)
        for (int d = 0; d < DIRECTIONS; d++) {
            struct bucket_rule rule = rule_of(a, &a->of[i][d], (enum direction)d);
            bucket_steal(&a->of[i][d].bucket, &rule, a->rules[d].rate * share, now_ns);
        }
}

void allocations_split(struct allocations *a, uint32_t slot, uint32_t count, uint32_t more) {
    CHECK(slot < count && count + more <= a->capacity);
    for (int d = 0; d < DIRECTIONS; d++) {
        struct allocation *parent = &a->of[slot][d];
        CHECK(more < ALLOCATION_PARTS_MAX);
        if (parent->parts > ALLOCATION_PARTS_MAX / (more + 1))
            parent->parts = ALLOCATION_PARTS_MAX;
        else
            parent->parts *= more + 1;
        parent->boost_rate = 0;
        parent->short_since_ns = TIME_NEVER;
        for (uint32_t i = 0; i < more; i++)
            a->of[count + i][d] = *parent;
    }
}

bool allocations_admit(struct allocations *a, uint32_t slot, enum direction d, int64_t need_nano,
                       int64_t now_ns) {
    struct allocation *of = &a->of[slot][d];
    struct bucket_rule rule = rule_of(a, of, d);
    bool admits = bucket_admits(&of->bucket, &rule, need_nano * of->parts, now_ns);
    of->refused += !admits;
    if (!admits) a->is_quiet[d] = false;
    return admits;
}

int64_t allocations_ready_ns(struct allocations *a, uint32_t slot, enum direction d,
                             int64_t need_nano, int64_t now_ns) {
    struct allocation *of = &a->of[slot][d];
    struct bucket_rule rule = rule_of(a, of, d);
    return bucket_ready_ns(&of->bucket, &rule, need_nano * of->parts, now_ns);
}

bool allocations_without_burst(struct allocations *a, uint32_t slot, enum direction d,
                               int64_t need_nano, int64_t now_ns) {
    struct allocation *of = &a->of[slot][d];
    struct bucket_rule rule = second_of(a, of, d);
    return bucket_admits(&of->second, &rule, need_nano * of->parts, now_ns);
}

int64_t allocations_second_ready_ns(struct allocations *a, uint32_t slot, enum direction d,
                                    int64_t need_nano, int64_t now_ns) {
    struct allocation *of = &a->of[slot][d];
    struct bucket_rule rule = second_of(a, of, d);
    return bucket_ready_ns(&of->second, &rule, need_nano * of->parts, now_ns);
}

int64_t allocations_most(const struct allocations *a, uint32_t slot, enum direction d) {
    const struct allocation *of = &a->of[slot][d];
    CHECK(of->parts >= 1);
    return rule_of(a, of, d).cap_nano / of->parts;
}

/* What the second has not is burst. */
void allocations_take(struct allocations *a, uint32_t slot, enum direction d, int64_t cost_nano) {
    struct allocation *of = &a->of[slot][d];
    CHECK_DEBUG(cost_nano >= 0 && of->parts >= 1);
    bucket_take(&of->bucket, cost_nano * of->parts);
    if (of->second.level_nano > 0) bucket_take(&of->second, cost_nano * of->parts);
}

/* ---- adaptive capacity ---- */

static void boost(struct allocations *a, struct allocation *of, enum direction d, int64_t rate,
                  int64_t now_ns) {
    struct bucket_rule rule = rule_of(a, of, d);
    bucket_refill(&of->bucket, &rule, now_ns);
    CHECK(of->parts >= 1);
    int64_t share = a->rules[d].rate / of->parts;
    of->boost_rate = rate > share ? rate : 0;
}

static bool wants_more(const struct allocation *of, int64_t delay_ns, int64_t now_ns) {
    if (of->boost_rate > 0) return true;
    return of->short_since_ns != TIME_NEVER && now_ns - of->short_since_ns >= delay_ns;
}

void allocations_tick(struct allocations *a, uint32_t count, enum direction d, int64_t used_nano,
                      int64_t tick_ns, int64_t now_ns) {
    uint32_t wanting = 0, short_of = 0;
    CHECK(count <= a->capacity && tick_ns > 0 && used_nano >= 0);
    if (a->is_quiet[d]) return;
    a->is_quiet[d] = true;
    for (uint32_t i = 0; i < count; i++) {
        struct allocation *of = &a->of[i][d];
        if (of->refused == 0)
            of->short_since_ns = TIME_NEVER;
        else if (of->short_since_ns == TIME_NEVER)
            of->short_since_ns = now_ns - tick_ns;
        bool wants = wants_more(of, a->delay_ns, now_ns);
        wanting += wants;
        short_of += wants && of->refused > 0;
    }
    if (a->adaptive && wanting > 0) {
        /* What the table left unused is divided between those that were refused, what it took too much of
         * between all that were raised. */
        int64_t spare = a->rules[d].rate - used_nano / tick_ns;
        if (spare < 0) spare -= wanting - 1; /* downwards, or a rest would be taken for ever */
        for (uint32_t i = 0; i < count; i++) {
            struct allocation *of = &a->of[i][d];
            if (!wants_more(of, a->delay_ns, now_ns)) continue;
            int64_t rate = of->boost_rate > 0 ? of->boost_rate : a->rules[d].rate / of->parts;
            if (spare < 0)
                rate += spare / wanting;
            else if (of->refused > 0 && short_of > 0)
                rate += spare / short_of;
            boost(a, of, d, rate, now_ns);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        struct allocation *of = &a->of[i][d];
        of->refused = 0;
        if (of->short_since_ns != TIME_NEVER || of->boost_rate > 0) a->is_quiet[d] = false;
    }
}
