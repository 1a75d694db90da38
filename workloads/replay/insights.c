/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports of Contributor Insights (GetInsightRuleReport of CloudWatch's API reference): Contributors with their
 * values, AggregateValue of all, ApproximateUniqueCount of different keys. The keys listed keep their shares exactly.
 * The others, ranks N + 1 to n, are v r^-theta / N^-theta, where v is the value of the last one listed: theta is
 * where they sum to what the list leaves of the aggregate. That sum falls with theta, so that it is found by halving;
 * a rest that even equal keys cannot hold means theta 0.
 *
 * Invariants: shares of the top do not exceed one; theta lies in 0 .. DDBSIM_THETA_MAX.
 */
#include <workloads/replay/insights.h>

#include <base/check.h>
#include <base/dmath.h>
#include <base/error.h>
#include <ddbsim/scenario.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_RANKS 1000u /* beyond the first so many, ranks are summed in blocks */
#define HALVINGS 60
#define RULE_KEYS_MAX 4u
#define UNIQUE_MAX 1e12

/* ---- the tail ---- */

/* The sum of (r / first)^-theta over ranks from + 1 .. to, to where blocks of a thousandth may stand for their
 * middle. */
static double tail_sum(uint64_t first, uint64_t count, double theta) {
    double sum = 0, scale = 1 / (double)first;
    for (uint64_t r = first; r < count;) {
        uint64_t width = r < EXACT_RANKS ? 1 : r / EXACT_RANKS;
        if (width > count - r) width = count - r;
        double middle = (double)r + 0.5 * ((double)width + 1);
        sum += (double)width * dmath_pow(middle * scale, -theta);
        r += width;
    }
    return sum;
}

int64_t insights_fit(uint64_t first, uint64_t count, double ratio) {
    double low = 0, high = DDBSIM_THETA_MAX;
    CHECK(first > 0 && first < count);
    if (ratio >= tail_sum(first, count, low)) return 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = 0.5 * (low + high);
        if (tail_sum(first, count, middle) > ratio)
            low = middle;
        else
            high = middle;
    }
    int64_t theta = (int64_t)(high * 1e9 + 0.5);
    CHECK(theta >= 0 && theta <= DDBSIM_THETA_MAX * DDBSIM_SHARE_ONE);
    return theta;
}

/* ---- the report ---- */

bool insights_recognise(const json_t *document) {
    return json_object_get(document, "Contributors") &&
           json_object_get(document, "ApproximateUniqueCount");
}

static enum ddbsim_status bad(struct ddbsim_error *error, const char *message) {
    return error_set(error, DDBSIM_INPUT, "%s", message);
}

/* The first texts of a list, joined: a rule has at most four keys. */
static const char *joined(struct arena *arena, const json_t *texts) {
    const char *all = "";
    for (size_t i = 0; i < json_array_size(texts) && i < RULE_KEYS_MAX && all; i++) {
        const char *one = json_string_value(json_array_get(texts, i));
        all = arena_printf(arena, "%s%s%s", all, i > 0 ? ", " : "", one ? one : "");
    }
    return all;
}

static int by_share(const void *a, const void *b) {
    const struct insights_key *one = a, *other = b;
    if (one->share != other->share) return one->share > other->share ? -1 : 1;
    return strcmp(one->text, other->text);
}

static enum ddbsim_status read_key(const json_t *contributor, double total, struct arena *arena,
                                   struct insights_key *out, struct ddbsim_error *error) {
    double value = json_number_value(json_object_get(contributor, "ApproximateAggregateValue"));
    const json_t *keys = json_object_get(contributor, "Keys");
    if (!(value > 0)) return bad(error, "a contributor's ApproximateAggregateValue is not above 0");
    if (json_array_size(keys) == 0) return bad(error, "a contributor has no Keys");
    if (value > total) return bad(error, "a contributor has more than AggregateValue");
    out->text = joined(arena, keys);
    out->share = (int64_t)(value / total * (double)DDBSIM_SHARE_ONE);
    if (out->share < 1) out->share = 1;
    return out->text ? DDBSIM_OK : error_memory(error);
}

static enum ddbsim_status read_keys(const json_t *list, double total, struct arena *arena,
                                    struct insights *out, struct ddbsim_error *error) {
    size_t count = json_array_size(list);
    if (count == 0) return bad(error, "there are no Contributors");
    if (count > INSIGHTS_TOP_MAX) return bad(error, "there are more than 500 Contributors");
    out->top = arena_alloc(arena, count, sizeof *out->top);
    if (!out->top) return error_memory(error);
    for (; out->top_count < count; out->top_count++) {
        enum ddbsim_status status = read_key(json_array_get(list, out->top_count), total, arena,
                                             &out->top[out->top_count], error);
        if (status) return status;
    }
    qsort(out->top, count, sizeof *out->top, by_share);
    out->tail_share = DDBSIM_SHARE_ONE;
    for (uint32_t i = 0; i < out->top_count; i++)
        out->tail_share -= out->top[i].share;
    return DDBSIM_OK;
}

/* Values are approximate: a top of a little more than all is all. */
static void scale_to_all(struct insights *out) {
    int64_t sum = DDBSIM_SHARE_ONE - out->tail_share, left = DDBSIM_SHARE_ONE;
    for (uint32_t i = 0; i < out->top_count; i++) {
        struct insights_key *key = &out->top[i];
        key->share = (int64_t)((double)key->share / (double)sum * (double)DDBSIM_SHARE_ONE);
        left -= key->share;
    }
    CHECK(left >= 0 || -left <= out->top_count);
    out->top[0].share += left;
    out->tail_share = 0;
}

static void fit_tail(struct insights *out) {
    int64_t last = out->top[out->top_count - 1].share;
    if (out->unique == out->top_count || out->tail_share <= 0) {
        scale_to_all(out);
        out->unique = out->top_count;
        return;
    }
    double ratio = (double)out->tail_share / (double)last;
    out->is_flat = ratio > (double)(out->unique - out->top_count);
    out->tail_theta = insights_fit(out->top_count, out->unique, ratio);
}

void insights_of_counts(struct insights_key *keys, uint32_t count, int64_t total,
                        struct insights *out) {
    CHECK(count > 0 && total > 0);
    qsort(keys, count, sizeof *keys, by_share);
    *out = (struct insights){.label = "",
                             .top = keys,
                             .top_count = count < INSIGHTS_NAMED ? count : INSIGHTS_NAMED,
                             .unique = count,
                             .tail_share = DDBSIM_SHARE_ONE};
    for (uint32_t i = 0; i < out->top_count; i++) {
        keys[i].share = (int64_t)((double)keys[i].share / (double)total * (double)DDBSIM_SHARE_ONE);
        if (keys[i].share < 1) keys[i].share = 1;
        out->tail_share -= keys[i].share;
    }
    fit_tail(out);
}

enum ddbsim_status insights_read(const json_t *document, struct arena *arena, struct insights *out,
                                 struct ddbsim_error *error) {
    double total = json_number_value(json_object_get(document, "AggregateValue"));
    double unique = json_number_value(json_object_get(document, "ApproximateUniqueCount"));
    *out = (struct insights){.label = joined(arena, json_object_get(document, "KeyLabels"))};
    if (!out->label) return error_memory(error);
    if (!(total > 0)) return bad(error, "AggregateValue is not above 0");
    if (!(unique >= 1 && unique <= UNIQUE_MAX))
        return bad(error, "ApproximateUniqueCount lies outside 1..10^12");
    enum ddbsim_status status =
        read_keys(json_object_get(document, "Contributors"), total, arena, out, error);
    if (status) return status;
    out->unique = unique > out->top_count ? (uint64_t)unique : out->top_count;
    fit_tail(out);
    return DDBSIM_OK;
}
