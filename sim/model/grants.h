/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tokens that a table's bucket hands to request routers for a while: a router admits from what it was handed
 * and knows nothing of the others. Rule M-37. The bucket itself goes on counting what all of them take, so a
 * grant is a bound beside it and never creates a token.
 */
#ifndef MODEL_GRANTS_H
#define MODEL_GRANTS_H

#include <model/space.h>

#define GRANTS_ROUTERS_MAX 64

struct grants {
    int64_t period_ns; /* for which they are handed out */
    int64_t expire_ns[DIRECTIONS];
    int64_t left_nano[DIRECTIONS][GRANTS_ROUTERS_MAX];
    uint32_t routers;
};

void grants_init(struct grants *grants, int64_t period_ns, uint32_t routers, int64_t now_ns);
/* Does that router admit? Grants that expired are handed out anew, in equal parts, from what the bucket
 * holds now. */
bool grants_admit(struct grants *grants, struct bucket *bucket, const struct bucket_rule *rule,
                  enum direction direction, uint32_t router, int64_t need_nano, int64_t now_ns);
/* Needs grants_admit at the same time. */
void grants_take(struct grants *grants, enum direction direction, uint32_t router,
                 int64_t cost_nano);

#endif
