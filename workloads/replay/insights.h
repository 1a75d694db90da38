/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report of Contributor Insights: the keys that were asked for most, and how much there was of all. What the report
 * does not list follows Zipf's law, continued from the last key that it lists.
 */
#ifndef REPLAY_INSIGHTS_H
#define REPLAY_INSIGHTS_H

#include <base/arena.h>
#include <ddbsim/error.h>
#include <jansson.h>

#define INSIGHTS_TOP_MAX 500u /* AWS gives 100 */

struct insights_key {
    const char *text;
    int64_t share; /* billionths of all */
};

struct insights {
    const char *label;        /* of the key: "PK", or "PK, SK" */
    struct insights_key *top; /* most first */
    uint32_t top_count;
    uint64_t unique;    /* keys in all, not below top_count */
    int64_t tail_theta; /* billionths: rank r of all keys, behind the top, has weight 1 / r^theta */
    int64_t tail_share; /* billionths that the top leaves */
    bool
        is_flat; /* the tail is more than its keys could have if each had as much as the last of the top */
};

bool insights_recognise(const json_t *document);
/* Texts and list are the arena's. DDBSIM_INPUT where the report contradicts itself. */
DDBSIM_MUST_CHECK enum ddbsim_status insights_read(const json_t *document, struct arena *arena,
                                                   struct insights *out,
                                                   struct ddbsim_error *error);
/* The same of counted keys, whose counts stand as shares and sum to `total`; the list is sorted, and of it the first
 * INSIGHTS_NAMED are the top. */
#define INSIGHTS_NAMED 100u
void insights_of_counts(struct insights_key *keys, uint32_t count, int64_t total,
                        struct insights *out);
/* Billionths: the theta of a tail of ranks first + 1 .. count whose sum is `ratio` times what rank `first` has. */
int64_t insights_fit(uint64_t first, uint64_t count, double ratio);

#endif
