/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models rate limiters of loaders and connectors. Sources: awslabs/emr-dynamodb-connector (a fixed rate for a whole
 * job), awslabs/aws-athena-query-federation ThrottlingInvoker (additive increase, multiplicative decrease). Double
 * arithmetic, + - * / alone.
 * Invariants: minimum <= rate <= limit where it adapts; the places of a process are 1 / limit apart or more.
 */
#include <client/pacer.h>

#include <base/check.h>

/* Whoever comes when all places before it are taken goes then: beyond the end of any run. */
#define PLACES_END_NS (INT64_MAX / 2)

void pacer_init(struct pacer *pacer, const struct ddbsim_rate_limit *spec) {
    *pacer = (struct pacer){.cut_ns = -1, .rate_per_s = spec->per_s};
}

/* Time without a throttle raises what throttles have lowered. */
static void rise(struct pacer *pacer, const struct ddbsim_rate_limit *spec, int64_t now_ns) {
    double rate = pacer->rate_per_s +
                  spec->increase_per_s * ((double)(now_ns - pacer->raised_ns) / (double)NS_PER_S);
    pacer->rate_per_s = rate < spec->per_s ? rate : spec->per_s;
    pacer->raised_ns = now_ns;
}

int64_t pacer_take(struct pacer *pacer, const struct ddbsim_rate_limit *spec, int64_t now_ns,
                   int64_t open_ns) {
    CHECK_DEBUG(spec->per_s > 0 && open_ns >= now_ns);
    if (spec->adapts)
        rise(pacer, spec, now_ns);
    else
        pacer->rate_per_s = spec->per_s;
    CHECK(pacer->rate_per_s > 0);
    int64_t at_ns = larger(open_ns, pacer->next_ns);
    int64_t gap_ns = (int64_t)((double)NS_PER_S / pacer->rate_per_s);
    CHECK_DEBUG(gap_ns >= 0);
    pacer->next_ns = smaller(at_ns, PLACES_END_NS - gap_ns) + gap_ns;
    return at_ns;
}

void pacer_give_back(struct pacer *pacer, int64_t at_ns) {
    CHECK(at_ns <= pacer->next_ns);
    pacer->next_ns = at_ns;
}

void pacer_throttled(struct pacer *pacer, const struct ddbsim_rate_limit *spec, int64_t now_ns) {
    if (!spec->adapts) return;
    rise(pacer, spec, now_ns);
    if (pacer->cut_ns >= 0 && now_ns - pacer->cut_ns < spec->every_ns) return;
    double left = 1 - (double)spec->decrease / (double)DDBSIM_SHARE_ONE;
    double rate = pacer->rate_per_s * left;
    pacer->rate_per_s = rate > spec->minimum_per_s ? rate : spec->minimum_per_s;
    pacer->cut_ns = now_ns;
    CHECK(pacer->rate_per_s > 0);
}
