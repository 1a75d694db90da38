/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the popularity of key values. Zipf's law: rank r has weight 1 / r^theta (theta 0 is
 * uniform), from the last value down for `latest`. Exponential and hotspot are those of YCSB (Cooper et
 * al., "Benchmarking cloud serving systems with YCSB", SoCC 2010): the exponential has 95 % of its mass
 * in the first 85.71 % of the values, and what falls behind the last is drawn again. Drawn through an alias table (M. D. Vose, "A linear algorithm for generating random
 * numbers with a given distribution", IEEE TSE 1991), so a draw costs the same whatever the skew.
 *
 * A set of more than VALUES_COLUMNS values keeps a column for each of its first ranks; the others
 * stand in groups one thousandth wide, uniform inside: the error of a rank's weight is below theta
 * / 2000.
 *
 * `top` gives shares to its first values; the others share the rest by their ranks among all, evenly where theta is 0.
 *
 * A sorted set does not draw. Draw n of a pass of N means the value at quantile (n + 1/2) / N of the same
 * popularity, so a pass holds each value as often as its share says, in order.
 *
 * Invariants: each column's threshold and alias lie inside the table; each group is not empty and
 * the groups end at count; the permutation is a bijection.
 */
#include <workloads/values.h>

#include <stdlib.h>
#include <string.h>
#include <base/check.h>
#include <base/dmath.h>
#include <base/types.h>
#include <workloads/periods.h>
#include <workloads/ycsb.h>

#define GROUP_SHARE 1024 /* a group holds one such part of the ranks before it */
#define ALIAS_ONE 0x1p32
#define EXPONENTIAL_SHARE 0.95 /* YCSB's exponential.percentile and exponential.frac */
#define EXPONENTIAL_PART 0.8571428571

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

/* Columns are ranks where a set has groups; else they are values already. */
static uint64_t value_of_rank(const struct value_set *set, uint64_t rank) {
    if (set->values->distribution == DDBSIM_LATEST) return set->count - 1 - rank;
    return set->values->scrambled ? permute(rank, set->count, set->name_hash) : rank;
}

/* YCSB draws again what is not there; ranks beyond the weighed ones lie evenly over what is. */
static uint64_t ycsb_value(const struct value_set *set, uint64_t column, uint64_t draw,
                           uint64_t there) {
    if (column < set->single) return ycsb_place(column, set->values->keyspace);
    return draw_below(hash_mix(set->name_hash, draw, 0), there);
}

uint64_t value_set_pick_grouped(const struct value_set *set, uint64_t column, uint64_t draw) {
    uint64_t rank = column;
    if (set->values->distribution == DDBSIM_YCSB_ZIPFIAN)
        return ycsb_value(set, column, draw, set->count);
    if (column >= set->single) {
        const uint64_t *group = &set->groups[column - set->single];
        rank = group[0] + draw_below(hash_mix(set->name_hash, draw, 0), group[1] - group[0]);
    }
    CHECK_DEBUG(rank < set->count);
    return value_of_rank(set, rank);
}

/* floor((place + 1/2) / whole * size) */
static uint64_t middle(uint64_t place, uint64_t whole, uint64_t size) {
    return (uint64_t)(((uint128)place * 2 + 1) * size / ((uint128)whole * 2));
}

/* The last column that starts at or before a draw of the pass. */
static uint64_t column_of(const struct value_set *set, uint64_t place) {
    uint64_t low = 0, high = set->columns;
    while (high - low > 1) {
        uint64_t half = low + (high - low) / 2;
        if (set->starts[half] <= place)
            low = half;
        else
            high = half;
    }
    return low;
}

uint64_t value_set_pick_sorted(const struct value_set *set, uint64_t number) {
    uint64_t pass = set->values->sorted, place = number % pass;
    if (!set->starts)
        return set->values->distribution == DDBSIM_SINGLE ? 0 : middle(place, pass, set->count);
    /* `latest` weighs ranks from the last value down: its order is that of ranks, backwards. */
    bool backwards = set->values->distribution == DDBSIM_LATEST;
    if (backwards) place = pass - 1 - place;
    uint64_t column = column_of(set, place), value = column;
    if (column >= set->single) {
        const uint64_t *group = &set->groups[column - set->single];
        value =
            group[0] + middle(place - set->starts[column],
                              set->starts[column + 1] - set->starts[column], group[1] - group[0]);
    }
    CHECK_DEBUG(value < set->count);
    return backwards ? set->count - 1 - value : value;
}

static uint64_t hot_count(const struct ddbsim_values *values) {
    uint64_t hot = (uint64_t)((uint128)values->count * (uint64_t)values->hot_keys /
                              (uint64_t)DDBSIM_SHARE_ONE);
    return hot > 0 ? hot : 1;
}

uint64_t value_set_move(const struct value_set *set, uint64_t value, int64_t t_ns) {
    uint64_t moves = t_ns > 0 ? (uint64_t)(t_ns / set->values->moves_ns) : 0;
    uint64_t by = (uint64_t)((uint128)moves * hot_count(set->values) % set->count);
    return value < set->count - by ? value + by : value - (set->count - by);
}

/* ---- values that time or inserts make (M-15) ---- */

#define MADE_MAX (UINT64_C(1) << 32) /* values that one run makes */
#define EXISTING_TRIES 64

static int64_t period_at(const struct value_set *set, int64_t t_ns) {
    return period_of(set->values->clock, set->local_start_s + floor_div(t_ns, NS_PER_S));
}

void value_set_place(struct value_set *set, int64_t start_unix_s, int64_t utc_offset_s,
                     int64_t duration_ns) {
    if (set->values->clock == DDBSIM_CLOCK_NONE) return;
    set->local_start_s = start_unix_s + utc_offset_s;
    set->base = period_at(set, 0) - (int64_t)(set->values->count - 1);
    set->room = (uint64_t)(period_at(set, duration_ns) - set->base) + 1;
}

static uint64_t period_value(const struct value_set *set, int64_t t_ns) {
    int64_t value = period_at(set, t_ns) - set->base;
    return value < 0 ? 0 : value < (int64_t)set->room ? (uint64_t)value : set->room - 1;
}

uint64_t value_set_insert(struct value_set *set, int64_t t_ns) {
    if (set->values->clock) return period_value(set, t_ns);
    CHECK(set->made < MADE_MAX);
    return set->values->count + set->made++;
}

/* Ranks beyond the values that there are, are drawn again: what is left is the same law, cut off there. */
uint64_t value_set_existing(const struct value_set *set, uint64_t draw, int64_t t_ns) {
    if (set->values->clock) return period_value(set, t_ns);
    uint64_t there = set->values->count + set->made, rank = there;
    if (there == 0) return 0;
    if (!set->alias) return draw_below(draw, there);
    for (uint64_t i = 0; rank >= there && i < EXISTING_TRIES; i++) {
        uint64_t again = i == 0 ? draw : hash_mix(set->name_hash, draw, i);
        rank = alias_pick(set->alias, set->columns, again);
        if (set->values->distribution == DDBSIM_YCSB_ZIPFIAN) {
            rank = ycsb_value(set, rank, again, there);
            continue;
        }
        if (rank < set->single) continue;
        const uint64_t *group = &set->groups[rank - set->single];
        rank = group[0] + draw_below(hash_mix(set->name_hash, again, 0), group[1] - group[0]);
    }
    rank %= there;
    return set->values->distribution == DDBSIM_LATEST ? there - 1 - rank : rank;
}

/* ---- building ---- */

static uint64_t group_end(uint64_t first, uint64_t count) {
    uint64_t width = first / GROUP_SHARE;
    return width < count - first ? first + width : count;
}

/* `single` ranks with a column each, then the groups that begin at firsts. */
static bool groups_keep(struct value_set *set, uint64_t single, const uint64_t *firsts,
                        uint64_t groups) {
    set->single = single;
    set->columns = single + groups;
    if (groups == 0) return true;
    set->groups = malloc((groups + 1) * sizeof *set->groups);
    if (!set->groups) return false;
    memcpy(set->groups, firsts, groups * sizeof *firsts);
    set->groups[groups] = set->count;
    return true;
}

/* A column for each of the first ranks, and groups for those beyond. */
static bool ranks_build(struct value_set *set) {
    if (set->count <= VALUES_COLUMNS) return groups_keep(set, set->count, NULL, 0);
    uint64_t groups = 0;
    for (uint64_t r = VALUES_COLUMNS; r < set->count; r = group_end(r, set->count))
        groups++;
    uint64_t *firsts = malloc(groups * sizeof *firsts), first = VALUES_COLUMNS;
    if (!firsts) return false;
    for (uint64_t i = 0; i < groups; i++, first = group_end(first, set->count))
        firsts[i] = first;
    bool kept = groups_keep(set, VALUES_COLUMNS, firsts, groups);
    free(firsts);
    return kept;
}

static bool groups_build(struct value_set *set) {
    const struct ddbsim_values *values = set->values;
    const uint64_t halves[] = {0, hot_count(values)}, rest = values->share_count;
    switch (values->distribution) {
    case DDBSIM_HOTSPOT:
        return groups_keep(set, 0, halves, halves[1] < set->count ? 2 : 1);
    case DDBSIM_TOP:
        if (values->theta > 0) break;
        return groups_keep(set, rest, &rest, rest < set->count ? 1 : 0);
    case DDBSIM_LIST:
        return groups_keep(set, set->count, NULL, 0);
    case DDBSIM_YCSB_ZIPFIAN:
        return groups_keep(set, YCSB_RANKS, halves, 1);
    case DDBSIM_ZIPFIAN:
    case DDBSIM_LATEST:
    case DDBSIM_EXPONENTIAL:
    case DDBSIM_UNIFORM:
    case DDBSIM_SEQUENTIAL:
    case DDBSIM_SINGLE:
        break;
    }
    return ranks_build(set);
}

/* The weight of a column of ranks: of its middle, times its size. */
static double rank_weight(const struct value_set *set, uint64_t column) {
    double size = 1, middle_rank = (double)(column + 1);
    double theta = (double)set->values->theta / (double)DDBSIM_SHARE_ONE;
    if (column >= set->single) {
        const uint64_t *group = &set->groups[column - set->single];
        size = (double)(group[1] - group[0]);
        middle_rank = (double)group[0] + 0.5 * (size + 1);
    }
    if (set->values->distribution != DDBSIM_EXPONENTIAL)
        return size * dmath_pow(middle_rank, -theta);
    double gamma = -dmath_log(1 - EXPONENTIAL_SHARE) / (EXPONENTIAL_PART * (double)set->count);
    return size * dmath_exp(-gamma * (middle_rank - 1));
}

static int64_t shares_left(const struct ddbsim_values *values) {
    int64_t left = DDBSIM_SHARE_ONE;
    for (uint32_t i = 0; i < values->share_count; i++)
        left -= values->shares[i];
    return left;
}

/* Ranks of keys that are not there at start are drawn again, unless they may come to be. */
static double ycsb_column_weight(const struct value_set *set, uint64_t column) {
    const struct ddbsim_values *values = set->values;
    if (column >= set->single)
        return ycsb_tail_weight() *
               (set->moving ? 1 : (double)set->count / (double)values->keyspace);
    bool there = set->moving || ycsb_place(column, values->keyspace) < set->count;
    return there ? ycsb_weight(column) : 0;
}

static double column_weight(const struct value_set *set, uint64_t column) {
    const struct ddbsim_values *values = set->values;
    if (values->distribution == DDBSIM_YCSB_ZIPFIAN) return ycsb_column_weight(set, column);
    if (values->distribution == DDBSIM_HOTSPOT)
        return (double)(column == 0 ? values->hot_traffic : DDBSIM_SHARE_ONE - values->hot_traffic);
    bool is_top = values->distribution == DDBSIM_TOP;
    if (is_top && values->theta == 0 && column >= set->single) return (double)shares_left(values);
    if (values->distribution == DDBSIM_LIST || (is_top && column < values->share_count))
        return (double)values->shares[column];
    return rank_weight(set, column);
}

/* What the shares leave goes to the ranks behind them. */
static void weigh_rest(const struct value_set *set, double *weights) {
    const struct ddbsim_values *values = set->values;
    double sum = 0, left = (double)shares_left(values);
    CHECK(values->share_count <= set->single);
    for (uint64_t i = values->share_count; i < set->columns; i++)
        sum += weights[i];
    for (uint64_t i = values->share_count; i < set->columns; i++)
        weights[i] = weights[i] / sum * left;
}

/* Without groups a column is its value's; a sorted `latest` keeps its ranks in order. */
static uint64_t column_place(const struct value_set *set, uint64_t column) {
    bool backwards = set->values->distribution == DDBSIM_LATEST && set->values->sorted > 0;
    return set->groups || backwards ? column : value_of_rank(set, column);
}

static void weigh(const struct value_set *set, double *weights) {
    for (uint64_t i = 0; i < set->columns; i++)
        weights[set->moving ? i : column_place(set, i)] = column_weight(set, i);
    if (set->values->distribution == DDBSIM_TOP && set->values->theta > 0) weigh_rest(set, weights);
}

/* Where each column begins in a pass: the draws whose quantile lies below it. */
static bool starts_init(struct value_set *set, const double *weights) {
    set->starts = malloc((set->columns + 1) * sizeof *set->starts);
    if (!set->starts) return false;
    double sum = 0, before = 0, pass = (double)set->values->sorted;
    for (uint64_t i = 0; i < set->columns; i++)
        sum += weights[i];
    for (uint64_t i = 0; i < set->columns; i++) {
        double at = before / sum * pass + 0.5;
        set->starts[i] = at < pass ? (uint64_t)at : set->values->sorted;
        before += weights[i];
    }
    set->starts[0] = 0;
    set->starts[set->columns] = set->values->sorted;
    return true;
}

/* Zipfian with theta 0 keeps its table: `theta: 0` and `theta: 0.01` then differ by a hair, not by
 * all. */
static bool columns_init(struct value_set *set) {
    if (!groups_build(set)) return false;
    double *weights = malloc(set->columns * sizeof *weights);
    bool sorted = set->values->sorted > 0, done = weights != NULL;
    if (done) weigh(set, weights);
    if (done && sorted) done = starts_init(set, weights);
    if (done && !sorted) {
        set->alias = malloc(set->columns * sizeof *set->alias);
        done = set->alias && alias_build(set->alias, weights, set->columns);
    }
    free(weights);
    return done;
}

struct word_place {
    const char *word;
    uint32_t number;
};

static int by_text(const void *a, const void *b) {
    const struct word_place *one = a, *other = b;
    int sign = strcmp(one->word, other->word);
    return sign ? sign : one->number < other->number ? -1 : one->number > other->number;
}

/* The words' places in text order. */
static bool order_init(struct value_set *set) {
    struct word_place *places = malloc(set->count * sizeof *places);
    set->order = calloc(set->count, sizeof *set->order);
    if (places && set->order) {
        for (uint32_t i = 0; i < set->count; i++)
            places[i] = (struct word_place){set->values->words[i], i};
        qsort(places, set->count, sizeof *places, by_text);
        for (uint32_t i = 0; i < set->count; i++)
            set->order[places[i].number] = i;
    }
    free(places);
    return places && set->order;
}

/* Where numbers follow the words, values are ordered as they are numbered. */
static bool words_init(struct value_set *set, uint64_t count) {
    const char *const *words = set->values->words;
    set->word_bytes = calloc(count, sizeof *set->word_bytes);
    if (!set->word_bytes) return false;
    set->word_count = count;
    for (uint64_t i = 0; i < count; i++)
        set->word_bytes[i] = (uint32_t)strlen(words[i]);
    return count < set->count || order_init(set);
}

bool value_set_init(struct value_set *set, const struct ddbsim_values *values) {
    *set = (struct value_set){.values = values, .count = values->count, .room = values->count};
    set->moving = values->is_new || values->clock;
    CHECK(set->moving || values->count >= 1);
    if (values->is_new) {
        set->room = values->count + MADE_MAX;
        set->base = (int64_t)(values->start - values->count);
        /* Ranks for the values to come as well. */
        if (set->count < VALUES_COLUMNS) set->count = VALUES_COLUMNS;
    }
    set->name_hash = hash64(values->name, strlen(values->name));
    uint64_t words = ddbsim_values_words(values);
    if (words > 0 && !words_init(set, words)) return false;
    bool formula = values->clock || values->distribution == DDBSIM_UNIFORM ||
                   values->distribution == DDBSIM_SEQUENTIAL ||
                   values->distribution == DDBSIM_SINGLE;
    return formula || columns_init(set);
}

void value_set_free(struct value_set *set) {
    free(set->alias);
    free(set->groups);
    free(set->starts);
    free(set->order);
    free(set->word_bytes);
    *set = (struct value_set){0};
}
