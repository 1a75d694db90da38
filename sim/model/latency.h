/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long an answer takes: a median that grows with size times a factor drawn from a lognormal body
 * with a Pareto tail. Load does not slow answers: DynamoDB refuses rather than queues. Rules M-80 to M-84.
 */
#ifndef MODEL_LATENCY_H
#define MODEL_LATENCY_H

#include <base/check.h>
#include <base/types.h>
#include <ddbsim/assumptions.h>

#define LATENCY_STEPS 4096
#define LATENCY_FACTOR_BITS 20

enum latency_kind { LATENCY_PUT, LATENCY_GET, LATENCY_THROTTLE, LATENCY_KINDS };

/* Factors by quantile, in units of 2^-20; the same for all tables. */
struct latency_shapes {
    struct latency_shape {
        uint32_t body[LATENCY_STEPS], tail[LATENCY_STEPS];
        uint64_t tail_below; /* draws below this are of the tail */
    } of[LATENCY_KINDS];
};

/* What a table's assumptions say. */
struct latency_terms {
    int64_t median_ns[LATENCY_KINDS], per_kb_ns[LATENCY_KINDS];
    int64_t outside_ns[LATENCY_KINDS]; /* of the median: spent outside the service */
    int64_t network_ns;                /* the caller waits this beyond the service's latency */
};

void latency_shapes_init(struct latency_shapes *shapes);
void latency_terms_init(struct latency_terms *terms, const struct ddbsim_assumptions *model);
/* What a batch adds to the median of one item (M-83). */
#define LATENCY_MEMBER_NS (INT64_C(115) * NS_PER_US) /* for each member after the first */
#define LATENCY_BATCH_KB_NS (INT64_C(11700) * NS_PER_US / 1000) /* for each KB of them all */

static inline int64_t latency_scaled(int64_t ns, uint32_t factor) {
    return (int64_t)(((uint128)(uint64_t)ns * factor) >> LATENCY_FACTOR_BITS);
}

/* What the service has of an answer whose median is that, by a shape. */
static inline int64_t latency_drawn_ns(const struct latency_shape *shape, int64_t median,
                                       int64_t outside_ns, uint64_t draw) {
    /* One draw serves twice: which part it falls in, and where inside that part. */
    const uint32_t *factors = draw < shape->tail_below ? shape->tail : shape->body;
    uint64_t again = draw * UINT64_C(0x9e3779b97f4a7c15);
    int64_t service = latency_scaled(median, factors[again >> 52]) - outside_ns;
    int64_t least = NS_PER_MS / 10;
    return service > least ? service : least;
}

/* Service-side latency of one attempt. */
static inline int64_t latency_service_ns(const struct latency_shapes *shapes,
                                         const struct latency_terms *terms, enum latency_kind kind,
                                         int64_t bytes, uint64_t draw) {
    CHECK_DEBUG(bytes >= 0 && terms->per_kb_ns[kind] >= 0);
    uint64_t for_bytes_ns = (uint64_t)(terms->per_kb_ns[kind] * bytes) / 1024;
    int64_t median = terms->median_ns[kind] + (int64_t)for_bytes_ns;
    return latency_drawn_ns(&shapes->of[kind], median, terms->outside_ns[kind], draw);
}

/* The same of a batch: of what kind its members are, how many were served, and their bytes together. */
int64_t latency_batch_ns(const struct latency_shapes *shapes, const struct latency_terms *terms,
                         enum latency_kind kind, uint32_t members, int64_t bytes, uint64_t draw);

/* The same of a transaction (M-84): its two phases, then what each member after the first and each KB adds. */
#define LATENCY_ACTION_NS (INT64_C(785) * NS_PER_US)
#define LATENCY_READ_ACTION_NS (2 * LATENCY_MEMBER_NS)
#define LATENCY_TRANSACT_KB_NS (INT64_C(26800) * NS_PER_US / 1000)
int64_t latency_transact_ns(const struct latency_shapes *shapes, const struct latency_terms *terms,
                            enum latency_kind kind, uint32_t members, int64_t bytes, uint64_t draw);

/* A lognormal by quantile, for delays: from a median and a 99th percentile, or its sigma. */
struct delay {
    uint32_t factors[LATENCY_STEPS]; /* in units of 2^-20 */
    int64_t median_ns;
};
void delay_init(struct delay *delay, int64_t median_ns, int64_t p99_ns);
void delay_init_sigma(struct delay *delay, int64_t median_ns, int64_t sigma_share);
int64_t delay_ns(const struct delay *delay, uint64_t draw);
int64_t delay_longest_ns(const struct delay *delay); /* of all draws */

#endif
