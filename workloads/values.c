/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the popularity of key values. Zipf's law: rank r has weight 1 / r^theta (theta 0 is
 * uniform). Drawn through an alias table (M. D. Vose, "A linear algorithm for generating random
 * numbers with a given distribution", IEEE TSE 1991), so a draw costs the same whatever the skew.
 *
 * A set of more than VALUES_COLUMNS values keeps a column for each of its first ranks; the others
 * stand in groups one thousandth wide, uniform inside: the error of a rank's weight is below theta
 * / 2000.
 *
 * Invariants: each column's threshold and alias lie inside the table; each group is not empty and
 * the groups end at count; the permutation is a bijection.
 */
#include <workloads/values.h>

#include <stdlib.h>
#include <string.h>
#include <base/check.h>
#include <base/dmath.h>

#define GROUP_SHARE 1024 /* a group holds one such part of the ranks before it */
#define ALIAS_ONE 0x1p32

/* ---- alias table ---- */

/* The work list of Vose's method: the indices of small columns from the front, of large from the
 * back. */
struct alias_work {
    uint32_t *items;
    uint64_t small, large; /* small ones are [0, small), large ones [large, count) */
};

static void alias_sort(struct alias_work *work, const double *weights, uint32_t i) {
    if (weights[i] < 1)
        work->items[work->small++] = i;
    else
        work->items[--work->large] = i;
}

static void alias_set(struct alias_column *column, double share, uint32_t other) {
    double threshold = share * ALIAS_ONE;
    column->threshold = threshold < ALIAS_ONE - 1 ? (uint32_t)threshold : UINT32_MAX;
    column->other = other;
}

static void alias_pair(struct alias_column *columns, double *weights, struct alias_work *work,
                       uint64_t count) {
    while (work->small > 0 && work->large < count) {
        uint32_t less = work->items[--work->small];
        uint32_t more = work->items[work->large++];
        alias_set(&columns[less], weights[less], more);
        weights[more] = (weights[more] + weights[less]) - 1;
        alias_sort(work, weights, more);
    }
    /* What is left is full but for rounding: both sides are the column itself. */
    while (work->small > 0) {
        uint32_t i = work->items[--work->small];
        alias_set(&columns[i], 1, i);
    }
    for (; work->large < count; work->large++)
        alias_set(&columns[work->items[work->large]], 1, work->items[work->large]);
}

bool alias_build(struct alias_column *columns, double *weights, uint64_t count) {
    CHECK(count > 0 && count < UINT32_MAX);
    struct alias_work work = {.items = malloc(count * sizeof *work.items), .large = count};
    if (!work.items) return false;
    double sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += weights[i];
    CHECK(sum > 0);
    for (uint32_t i = 0; i < count; i++) {
        weights[i] = weights[i] / sum * (double)count;
        alias_sort(&work, weights, i);
    }
    alias_pair(columns, weights, &work, count);
    free(work.items);
    return true;
}

/* ---- order of popularity ---- */

uint64_t permute(uint64_t x, uint64_t count, uint64_t key) {
    CHECK(x < count);
    if (count < 2) return 0;
    unsigned bits = 64u - (unsigned)__builtin_clzll(count - 1);
    uint64_t mask = UINT64_MAX >> (64u - bits);
    unsigned shift = (bits + 1) / 2;
    /* Odd factors and shifted xors are bijections on `bits` bits; steps that leave the range go on.
     */
    do {
        uint64_t state = key;
        for (int round = 0; round < 4; round++) {
            uint64_t factor = splitmix64(&state) | 1;
            x = (x * factor + splitmix64(&state)) & mask;
            x ^= x >> shift;
        }
    } while (x >= count);
    return x;
}

uint64_t value_set_pick_grouped(const struct value_set *set, uint64_t column, uint64_t draw) {
    uint64_t rank = column;
    if (column >= VALUES_COLUMNS) {
        const uint64_t *group = &set->groups[column - VALUES_COLUMNS];
        rank = group[0] + draw_below(hash_mix(set->name_hash, draw, 0), group[1] - group[0]);
    }
    CHECK_DEBUG(rank < set->count);
    return set->values->scrambled ? permute(rank, set->count, set->name_hash) : rank;
}

/* ---- building ---- */

static uint64_t group_end(uint64_t first, uint64_t count) {
    uint64_t width = first / GROUP_SHARE;
    return width < count - first ? first + width : count;
}

/* Fills set->groups, if there are ranks beyond the columns, and set->columns. */
static bool groups_build(struct value_set *set) {
    set->columns = set->count;
    if (set->count <= VALUES_COLUMNS) return true;
    uint64_t groups = 0;
    for (uint64_t r = VALUES_COLUMNS; r < set->count; r = group_end(r, set->count))
        groups++;
    set->groups = malloc((groups + 1) * sizeof *set->groups);
    if (!set->groups) return false;
    uint64_t first = VALUES_COLUMNS;
    for (uint64_t i = 0; i < groups; i++, first = group_end(first, set->count))
        set->groups[i] = first;
    set->groups[groups] = set->count;
    set->columns = VALUES_COLUMNS + groups;
    return true;
}

static double zipf_weight(const struct value_set *set, uint64_t column, double theta) {
    if (column < VALUES_COLUMNS) return dmath_pow((double)(column + 1), -theta);
    const uint64_t *group = &set->groups[column - VALUES_COLUMNS];
    double size = (double)(group[1] - group[0]);
    return size * dmath_pow((double)group[0] + 0.5 * (size + 1), -theta);
}

static void weigh(const struct value_set *set, double *weights) {
    const struct ddbsim_values *values = set->values;
    double theta = (double)values->theta / (double)DDBSIM_SHARE_ONE;
    bool scrambled = values->scrambled && !set->groups;
    for (uint64_t i = 0; i < set->columns; i++) {
        if (values->distribution == DDBSIM_LIST)
            weights[i] = (double)values->shares[i];
        else
            weights[scrambled ? permute(i, set->count, set->name_hash) : i] =
                zipf_weight(set, i, theta);
    }
}

/* Zipfian with theta 0 keeps its table: `theta: 0` and `theta: 0.01` then differ by a hair, not by
 * all. */
static bool alias_init(struct value_set *set) {
    double *weights = malloc(set->columns * sizeof *weights);
    set->alias = malloc(set->columns * sizeof *set->alias);
    bool done = weights && set->alias;
    if (done) {
        weigh(set, weights);
        done = alias_build(set->alias, weights, set->columns);
    }
    free(weights);
    return done;
}

/* The words' places in text order, by counting: lists are short. */
static bool words_init(struct value_set *set) {
    const char *const *words = set->values->words;
    set->order = calloc(set->count, sizeof *set->order);
    set->word_bytes = calloc(set->count, sizeof *set->word_bytes);
    if (!set->order || !set->word_bytes) return false;
    for (uint64_t i = 0; i < set->count; i++) {
        set->word_bytes[i] = (uint32_t)strlen(words[i]);
        for (uint64_t j = 0; j < set->count; j++) {
            int sign = strcmp(words[j], words[i]);
            set->order[i] += sign < 0 || (sign == 0 && j < i);
        }
    }
    return true;
}

bool value_set_init(struct value_set *set, const struct ddbsim_values *values) {
    *set = (struct value_set){.values = values, .count = values->count};
    CHECK(values->count >= 1);
    set->name_hash = hash64(values->name, strlen(values->name));
    if (values->distribution == DDBSIM_LIST) {
        set->columns = set->count;
        return words_init(set) && alias_init(set);
    }
    if (values->distribution == DDBSIM_ZIPFIAN) return groups_build(set) && alias_init(set);
    return true;
}

void value_set_free(struct value_set *set) {
    free(set->alias);
    free(set->groups);
    free(set->order);
    free(set->word_bytes);
    *set = (struct value_set){0};
}
