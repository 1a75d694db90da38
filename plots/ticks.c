/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The extended Wilkinson search (Talbot, Lin and Hanrahan, "An extension of Wilkinson's algorithm
 * for positioning tick labels on axes", 2010; the density term as in the authors' R code). A
 * labelling is start, step = j x q x 10^z and count k; it scores by simplicity, coverage, density
 * and legibility, and each loop ends where no later candidate can beat the best so far. Here j is
 * 1: skipping nice numbers covers a range better with steps such as 1.6, which read worse.
 * Logarithms are replaced by counting powers of ten, rounding by casts, and every loop has a bound.
 */
#include "plots/ticks.h"
#include <math.h>

#define NICE_COUNT 6
#define MOST_LABELS 40
#define MOST_POWERS 6
#define MOST_MORE 4
#define NOTHING (-1e9) /* the score before any labelling is found */
#define EPSILON 2.3e-14

static const double nice[NICE_COUNT] = {1, 5, 2, 2.5, 4, 3};
static const int nice_decimals[NICE_COUNT] = {0, 0, 0, 1, 0, 0};

enum { SIMPLICITY, COVERAGE, DENSITY, LEGIBILITY };
static const double weight[] = {0.25, 0.2, 0.5, 0.05};

struct search {
    double low, high;
    int wanted;
    bool loose;
    double best;
    struct ticks ticks;
};

struct candidate {
    int nice, labels, power; /* q's number, k, z */
    double step;
};

static double whole_below(double value) {
    double cut = (double)(int64_t)value;
    return cut > value ? cut - 1 : cut;
}

static double whole_above(double value) { return -whole_below(-value); }

static double power_of_ten(int exponent) {
    double value = 1;
    for (int i = 0; i < exponent; i++)
        value *= 10;
    for (int i = 0; i > exponent; i--)
        value /= 10;
    return value;
}

/* The smallest z with 10^z >= value. */
static int power_above(double value) {
    int exponent = 0;
    while (exponent < 300 && power_of_ten(exponent) < value)
        exponent++;
    while (exponent > -300 && power_of_ten(exponent - 1) >= value)
        exponent--;
    return exponent;
}

static double squared(double a) { return a * a; }

static double simplicity(const struct candidate *c, double first, double last) {
    double rest = first / c->step - whole_below(first / c->step);
    bool has_zero = (rest < EPSILON || 1 - rest < EPSILON) && first <= 0 && last >= 0;
    return (has_zero ? 1 : 0) - c->nice / (double)(NICE_COUNT - 1);
}

static double simplicity_most(int nice_number) {
    return 1 - nice_number / (double)(NICE_COUNT - 1);
}

static double coverage(const struct search *s, double first, double last) {
    double range = s->high - s->low;
    return 1 - 0.5 * (squared(s->high - last) + squared(s->low - first)) / squared(0.1 * range);
}

static double coverage_most(const struct search *s, double span) {
    double range = s->high - s->low;
    if (span <= range) return 1;
    return 1 - squared((span - range) / 2) / squared(0.1 * range);
}

static double density(const struct search *s, int labels, double first, double last) {
    double have = (labels - 1) / (last - first);
    double want = (s->wanted - 1) / (fmax(last, s->high) - fmin(first, s->low));
    return 2 - fmax(have / want, want / have);
}

static double density_most(int labels, int wanted) {
    return labels >= wanted ? 2 - (labels - 1) / (double)(wanted - 1) : 1;
}

static double score(double simple, double cover, double dense) {
    return weight[SIMPLICITY] * simple + weight[COVERAGE] * cover + weight[DENSITY] * dense +
           weight[LEGIBILITY];
}

static void keep_if_better(struct search *s, const struct candidate *c, double start) {
    double first = start * c->step, last = first + c->step * (c->labels - 1);
    double slack = EPSILON * c->step;
    if (s->loose && (first > s->low + slack || last < s->high - slack)) return;
    if (!s->loose && (first < s->low - slack || last > s->high + slack)) return;
    double value = score(simplicity(c, first, last), coverage(s, first, last),
                         density(s, c->labels, first, last));
    if (value <= s->best) return;
    s->best = value;
    int decimals = nice_decimals[c->nice] - c->power;
    s->ticks = (struct ticks){first, c->step, c->labels, decimals > 0 ? decimals : 0};
}

static void try_starts(struct search *s, const struct candidate *c) {
    double low = whole_below(s->high / c->step) - (c->labels - 1);
    double high = whole_above(s->low / c->step);
    for (int i = 0; i < MOST_LABELS && low + i <= high; i++)
        keep_if_better(s, c, low + i);
}

static void try_powers(struct search *s, struct candidate c) {
    double gap = (s->high - s->low) / (c.labels + 1) / nice[c.nice];
    int power = power_above(gap);
    for (int i = 0; i < MOST_POWERS; i++, power++) {
        c.power = power;
        c.step = nice[c.nice] * power_of_ten(power);
        double cover = coverage_most(s, c.step * (c.labels - 1));
        if (score(simplicity_most(c.nice), cover, density_most(c.labels, s->wanted)) < s->best)
            return;
        try_starts(s, &c);
    }
}

int ticks_most(int wanted) { return wanted > 2 ? wanted + 2 : 2; }

static void try_labels(struct search *s, int nice_number) {
    double simple = simplicity_most(nice_number);
    int most = ticks_most(s->wanted); /* an axis has room for these, not for a closer fit */
    for (int labels = 2; labels <= most; labels++) {
        if (score(simple, 1, density_most(labels, s->wanted)) < s->best) return;
        try_powers(s, (struct candidate){.nice = nice_number, .labels = labels});
    }
}

/* Ranges that cannot be labelled are widened to one that can. */
static void widen(double *low, double *high) {
    if (!(*low > -1e15)) *low = -1e15; /* also where it is no number */
    if (!(*low < 1e15)) *low = 1e15;
    if (!(*high < 1e15)) *high = 1e15;
    if (!(*high > *low)) *high = *low + 1;
    double size = fmax(fmax(*high, -*low), fmax(-*high, *low));
    if (*high - *low < size * 1e-9) *high = *low + size * 1e-9;
}

struct ticks ticks_linear(double low, double high, int wanted, bool loose) {
    widen(&low, &high);
    if (wanted < 2) wanted = 2;
    if (wanted > MOST_LABELS / 2) wanted = MOST_LABELS / 2;
    struct search s = {.low = low, .high = high, .wanted = wanted, .loose = loose, .best = NOTHING};
    s.ticks = (struct ticks){low, high - low, 2, 0};
    /* Two labels may not enclose a range that holds a round number in its midst: then more. */
    for (int more = 0; more < MOST_MORE && s.best <= NOTHING; more++, s.wanted++)
        for (int i = 0; i < NICE_COUNT && score(simplicity_most(i), 1, 1) >= s.best; i++)
            try_labels(&s, i);
    return s.ticks;
}

/* Whole multiples of the step, so that errors do not add up along the axis. */
double ticks_at(const struct ticks *ticks, int number) {
    double start = ticks->first / ticks->step;
    double nearest = whole_below(start + 0.5);
    if (fmax(start - nearest, nearest - start) < 1e-9) return (nearest + number) * ticks->step;
    return ticks->first + number * ticks->step;
}

#define MINUTE 60
#define HOUR 3600
#define DAY 86400

static const int64_t ladder[] = {1,           2,           5,          10,         15,
                                 30,          MINUTE,      2 * MINUTE, 5 * MINUTE, 10 * MINUTE,
                                 15 * MINUTE, 30 * MINUTE, HOUR,       2 * HOUR,   3 * HOUR,
                                 6 * HOUR,    12 * HOUR,   DAY,        2 * DAY,    7 * DAY};
#define LADDER_COUNT ((int)(sizeof ladder / sizeof ladder[0]))

int64_t ticks_time_step(int64_t at_least_s) {
    for (int i = 0; i < LADDER_COUNT; i++)
        if (ladder[i] >= at_least_s) return ladder[i];
    int64_t week = ladder[LADDER_COUNT - 1];
    return (at_least_s + week - 1) / week * week;
}

static struct time_ticks time_ticks_of(int64_t from_s, int64_t to_s, int64_t step_s) {
    int64_t first = -floor_div(-from_s, step_s) * step_s;
    int64_t count = first > to_s ? 0 : (to_s - first) / step_s + 1;
    return (struct time_ticks){first, step_s, (int)(count < INT32_MAX ? count : INT32_MAX)};
}

struct time_ticks ticks_time(int64_t wall_from_s, int64_t wall_to_s, int most) {
    if (wall_to_s < wall_from_s) wall_to_s = wall_from_s;
    if (most < 1) most = 1;
    int64_t step = ticks_time_step((wall_to_s - wall_from_s) / (most + 1));
    if (step < 1) step = 1;
    struct time_ticks ticks = time_ticks_of(wall_from_s, wall_to_s, step);
    while (ticks.count > most) {
        step = ticks_time_step(step + 1);
        ticks = time_ticks_of(wall_from_s, wall_to_s, step);
    }
    return ticks;
}
