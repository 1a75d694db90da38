/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grants to request routers. Source: Elhemali et al., USENIX ATC 2022 (global admission control: routers
 * hold time-limited local tokens and ask for more "in the order of a few seconds"). How a grant is measured
 * is not published: here each router gets an equal part of what the bucket holds, all at the same time, and
 * what it has not spent by the end goes back. Invariant: what the routers hold never exceeds what the bucket
 * held when it was handed out.
 */
#include <model/grants.h>

void grants_init(struct grants *grants, int64_t period_ns, uint32_t routers, int64_t now_ns) {
    CHECK(period_ns > 0 && routers >= 1 && routers <= GRANTS_ROUTERS_MAX);
    *grants =
        (struct grants){.period_ns = period_ns, .expire_ns = {now_ns, now_ns}, .routers = routers};
}

static void hand_out(struct grants *grants, const struct bucket *bucket, enum direction d,
                     int64_t now_ns) {
    int64_t each = bucket->level_nano > 0 ? bucket->level_nano / grants->routers : 0;
    CHECK(each * grants->routers <= bucket->level_nano || each == 0);
    for (uint32_t r = 0; r < grants->routers; r++)
        grants->left_nano[d][r] = each;
    grants->expire_ns[d] = now_ns + grants->period_ns;
}

bool grants_admit(struct grants *grants, struct bucket *bucket, const struct bucket_rule *rule,
                  enum direction d, uint32_t router, int64_t need_nano, int64_t now_ns) {
    CHECK(router < grants->routers && need_nano >= 1);
    bucket_refill(bucket, rule, now_ns);
    if (now_ns >= grants->expire_ns[d]) hand_out(grants, bucket, d, now_ns);
    return grants->left_nano[d][router] >= need_nano;
}

void grants_take(struct grants *grants, enum direction d, uint32_t router, int64_t cost_nano) {
    CHECK(router < grants->routers && grants->left_nano[d][router] > 0);
    grants->left_nano[d][router] -= cost_nano;
}
