/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Generators against theory: Kolmogorov-Smirnov and chi-square with GSL's distributions, and random
 * rate schedules against a numerical integral. Fixed seeds, so a test passes always or never; the
 * levels are those at which a right generator fails once in a million seeds.
 */
#include "workloads_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <gsl/gsl_cdf.h>
#include <workloads/arrival.h>
#include <workloads/population.h>

#define LEVEL 1e-6

/* ---- statistics ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The chance that a right sample lies as far from uniform on [0, 1] (Kolmogorov's series). */
static double ks_uniform(double *sample, size_t count) {
    qsort(sample, count, sizeof *sample, by_size);
    double distance = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        distance = fmax(distance, (double)(i + 1) / n - sample[i]);
        distance = fmax(distance, sample[i] - (double)i / n);
    }
    double lambda = (sqrt(n) + 0.12 + 0.11 / sqrt(n)) * distance, sum = 0;
    for (int k = 1; k < 100; k++)
        sum += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * lambda * lambda);
    return fmin(1, sum);
}

/* The same for counts against probabilities; cells that expect fewer than 10 are joined. */
static double chi_square(const uint64_t *counts, const double *shares, size_t cells, double total) {
    double sum = 0, count = 0, expected = 0;
    int freedom = -1;
    for (size_t i = 0; i < cells; i++) {
        count += (double)counts[i];
        expected += shares[i] * total;
        if (expected < 10 && i + 1 < cells) continue;
        if (expected > 0) sum += (count - expected) * (count - expected) / expected;
        freedom++;
        count = expected = 0;
    }
    return freedom < 1 ? 1 : gsl_cdf_chisq_Q(sum, freedom);
}

static void the_statistics_can_fail(void **state) {
    (void)state;
    static double sample[10000];
    for (int i = 0; i < 10000; i++)
        sample[i] = pow((i + 0.5) / 10000, 1.1);
    assert_true(ks_uniform(sample, 10000) < LEVEL);
    for (int i = 0; i < 10000; i++)
        sample[i] = (i + 0.5) / 10000;
    assert_true(ks_uniform(sample, 10000) > 0.999);
    const uint64_t counts[] = {5300, 4700}, right[] = {5050, 4950};
    const double shares[] = {0.5, 0.5};
    assert_true(chi_square(counts, shares, 2, 10000) < LEVEL);
    assert_true(chi_square(right, shares, 2, 10000) > 0.3);
}

/* ---- arrivals ---- */

static struct ddbsim_workload poisson(double rate, const struct ddbsim_stage *stages,
                                      uint32_t count) {
    return (struct ddbsim_workload){.name = "w",
                                    .end_ns = TIME_NEVER,
                                    .scale = 1,
                                    .arrivals = DDBSIM_POISSON,
                                    .start_rate_per_s = rate,
                                    .stages = stages,
                                    .stage_count = count};
}

static void gaps_are_exponential_and_independent(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    struct ddbsim_workload w = poisson(250, NULL, 0);
    static struct arrival_clock clock;
    static double share[COUNT], second[COUNT / 2];
    for (uint64_t seed = 1; seed <= 5; seed++) {
        arrival_start(&clock, &w, seed);
        int64_t last = 0;
        double before = 0, product = 0;
        for (int i = 0; i < COUNT; i++, arrival_pass(&clock)) {
            double gap = (double)(clock.next_ns - last) / 1e9;
            last = clock.next_ns;
            share[i] = gsl_cdf_exponential_P(gap, 1 / 250.0);
            product += (share[i] - 0.5) * (before - 0.5);
            before = share[i];
        }
        for (int i = 0; i < COUNT / 2; i++)
            second[i] = share[2 * i];
        /* Lag-1 correlation: standard error 1 / sqrt(n). */
        assert_true(fabs(product / COUNT * 12) < 5 / sqrt(COUNT));
        assert_true(ks_uniform(second, COUNT / 2) > LEVEL);
        assert_true(ks_uniform(share, COUNT) > LEVEL);
    }
}

/* The rate at a moment, read off the stages. */
static double rate_at(const struct ddbsim_workload *w, double t) {
    double rate = w->start_rate_per_s, from = 0;
    for (uint32_t i = 0; i < w->stage_count; i++) {
        double d = (double)w->stages[i].duration_ns / 1e9, target = w->stages[i].target_per_s;
        if (t < from + d) return w->scale * (rate + (target - rate) * (t - from) / d);
        from += d;
        rate = target;
    }
    return w->scale * rate;
}

static void counts_follow_the_stages(void **state) {
    (void)state;
    const struct ddbsim_stage stages[] = {{"calm", 300 * NS_PER_S, 4},
                                          {"rise", 120 * NS_PER_S, 40},
                                          {"fall", 240 * NS_PER_S, 0},
                                          {"step", 0, 25},
                                          {"hold", 60 * NS_PER_S, 25}};
    const double expected[] = {300 * 3.0, 120 * 22.0, 240 * 20.0, 0, 60 * 25.0, 140 * 25.0};
    struct ddbsim_workload w = poisson(2, stages, 5);
    w.scale = 3.89;
    w.end_ns = 860 * NS_PER_S;
    static struct arrival_clock clock;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        arrival_start(&clock, &w, seed);
        double counts[6] = {0};
        int64_t last = 0;
        for (; clock.next_ns != TIME_NEVER; arrival_pass(&clock)) {
            assert_true(clock.next_ns >= last && clock.next_ns < w.end_ns);
            last = clock.next_ns;
            int64_t to = 0;
            int stage = 0;
            for (; stage < 5; stage++)
                if (clock.next_ns < (to += stages[stage].duration_ns)) break;
            counts[stage]++;
        }
        for (int i = 0; i < 6; i++) {
            double mean = expected[i] * 3.89;
            assert_true(fabs(counts[i] - mean) <= 6 * sqrt(mean));
        }
    }
}

/* Random stages with changes in between: the rate's integral between arrivals must be the unit
 * drawn, whatever rate was in force when. Integrated numerically, apart from the clock's own
 * formulas. */
static void random_schedules_keep_the_units(void **state) {
    (void)state;
    static struct arrival_clock clock, units;
    struct rng rng;
    rng_seed(&rng, 99);
    struct ddbsim_workload one = poisson(1, NULL, 0);
    for (int round = 0; round < 30; round++) {
        struct ddbsim_stage stages[2][4];
        struct ddbsim_workload w[2];
        for (int v = 0; v < 2; v++) {
            for (int i = 0; i < 4; i++)
                stages[v][i] = (struct ddbsim_stage){
                    "s", (int64_t)draw_below(rng_next(&rng), 4) * 5 * NS_PER_S,
                    (double)draw_below(rng_next(&rng), 30)};
            w[v] = poisson((double)draw_below(rng_next(&rng), 30), stages[v], 4);
        }
        stages[0][3].target_per_s += 1;
        stages[1][3].target_per_s += 1;
        uint64_t seed = rng_next(&rng);
        arrival_start(&clock, &w[0], seed);
        arrival_start(&units, &one, seed);
        /* Cumulative rate on a grid of 1 ms, each change on the grid. */
        int version = 0;
        double area = 0, due = (double)units.next_ns / 1e9;
        int met = 0;
        for (int ms = 0; ms < 60000; ms++) {
            if (ms % 7919 == 7918) {
                version = !version;
                arrival_change(&clock, &w[version], ms * NS_PER_MS);
            }
            double mid = rate_at(&w[version], (ms + 0.5) / 1000);
            area += mid / 1000;
            for (; due <= area; met++, arrival_pass(&clock), arrival_pass(&units),
                                due = (double)units.next_ns / 1e9) {
                double expected_ms = ms + 1 - (area - due) / (mid / 1000);
                if (fabs((double)clock.next_ns / 1e6 - expected_ms) > 0.1)
                    fail_msg("round %d, arrival %d: %.3f ms, expected %.3f", round, met,
                             (double)clock.next_ns / 1e6, expected_ms);
            }
        }
        assert_true(met > 20);
    }
}

/* ---- popularity ---- */

static double drawn_fit(const struct ddbsim_values *values, const double *shares, uint64_t seed,
                        int draws) {
    struct value_set set;
    assert_true(value_set_init(&set, values));
    uint64_t *counts = calloc(values->count, sizeof *counts);
    double *ordered = calloc(values->count, sizeof *ordered);
    assert_non_null(counts);
    assert_non_null(ordered);
    struct rng rng;
    rng_seed(&rng, seed);
    for (int i = 0; i < draws; i++)
        counts[value_set_pick(&set, rng_next(&rng), 0)]++;
    for (uint64_t i = 0; i < values->count; i++)
        ordered[values->scrambled ? permute(i, values->count, set.name_hash) : i] = shares[i];
    double chance = chi_square(counts, ordered, values->count, draws);
    free(counts);
    free(ordered);
    value_set_free(&set);
    return chance;
}

static void zipf_follows_its_law(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static double shares[COUNT];
    const int64_t thetas[] = {0, 600000000, 990000000, 1200000000};
    for (int t = 0; t < 8; t++) {
        struct ddbsim_values values = {.name = "v",
                                       .distribution = DDBSIM_ZIPFIAN,
                                       .count = COUNT,
                                       .theta = thetas[t / 2],
                                       .scrambled = t % 2 == 1};
        double sum = 0;
        for (int i = 0; i < COUNT; i++)
            sum += shares[i] = pow(i + 1, -(double)values.theta / 1e9);
        for (int i = 0; i < COUNT; i++)
            shares[i] /= sum;
        assert_true(drawn_fit(&values, shares, 1000 + (uint64_t)t, 1000000) > LEVEL);
    }
    /* And a wrong law is seen: shares of 1.2 against draws of 0.99. */
    struct ddbsim_values wrong = {
        .name = "v", .distribution = DDBSIM_ZIPFIAN, .count = COUNT, .theta = 990000000};
    assert_true(drawn_fit(&wrong, shares, 5, 1000000) < LEVEL);
}

static void lists_and_uniform_follow_their_shares(void **state) {
    (void)state;
    const char *const words[] = {"a", "b", "c", "d", "e"};
    const int64_t parts[] = {600000000, 299999000, 100000000, 1000, 0};
    const double shares[] = {0.6, 0.299999, 0.1, 0.000001, 0};
    struct ddbsim_values list = {
        .name = "l", .distribution = DDBSIM_LIST, .count = 5, .words = words, .shares = parts};
    assert_true(drawn_fit(&list, shares, 3, 2000000) > LEVEL);
    static double even[3001];
    for (int i = 0; i < 3001; i++)
        even[i] = 1 / 3001.0;
    struct ddbsim_values uniform = {.name = "u", .distribution = DDBSIM_UNIFORM, .count = 3001};
    assert_true(drawn_fit(&uniform, even, 4, 1000000) > LEVEL);
}

/* Shares of the values of the distributions that YCSB has, from its definitions. */
static void ycsb_follows_its_laws(void **state) {
    (void)state;
    enum { COUNT = 7000 };
    static double shares[COUNT];
    struct ddbsim_values values = {.name = "v", .count = COUNT, .theta = 990000000};
    double sum = 0;
    values.distribution = DDBSIM_LATEST;
    for (int i = 0; i < COUNT; i++)
        sum += shares[i] = pow(COUNT - i, -0.99);
    for (int i = 0; i < COUNT; i++)
        shares[i] /= sum;
    assert_true(drawn_fit(&values, shares, 21, 1000000) > LEVEL);
    values.distribution = DDBSIM_EXPONENTIAL;
    double gamma = -log(0.05) / (0.8571428571 * COUNT);
    sum = 1 - exp(-gamma * COUNT);
    for (int i = 0; i < COUNT; i++)
        shares[i] = (exp(-gamma * i) - exp(-gamma * (i + 1))) / sum;
    assert_true(drawn_fit(&values, shares, 22, 1000000) > LEVEL);
    values.distribution = DDBSIM_HOTSPOT;
    values.hot_keys = 30000000;
    values.hot_traffic = 700000000;
    for (int i = 0; i < COUNT; i++)
        shares[i] = i < 210 ? 0.7 / 210 : 0.3 / (COUNT - 210);
    assert_true(drawn_fit(&values, shares, 23, 1000000) > LEVEL);
    const int64_t top[] = {500000000, 1000000, 200000000};
    values.distribution = DDBSIM_TOP;
    values.theta = 0;
    values.shares = top;
    values.share_count = 3;
    for (int i = 0; i < COUNT; i++)
        shares[i] = i < 3 ? (double)top[i] / 1e9 : 0.299 / (COUNT - 3);
    assert_true(drawn_fit(&values, shares, 24, 1000000) > LEVEL);
    assert_true(drawn_fit(&values, shares, 25, 1000000) > LEVEL);
    shares[0] = 0.49;
    shares[1] = 0.011; /* a wrong law is seen */
    assert_true(drawn_fit(&values, shares, 25, 1000000) < LEVEL);
}

/* What `top` leaves, by the ranks behind it, below and beyond the ranks that have a column each. */
static void top_has_a_tail(void **state) {
    (void)state;
    enum { COUNT = 7000 };
    static double shares[COUNT];
    const int64_t top[] = {300000000, 100000000};
    const char *const words[] = {"first", "second"};
    struct ddbsim_values values = {.name = "v",
                                   .distribution = DDBSIM_TOP,
                                   .count = COUNT,
                                   .theta = 800000000,
                                   .shares = top,
                                   .words = words,
                                   .share_count = 2};
    double sum = 0;
    for (int i = 2; i < COUNT; i++)
        sum += pow(i + 1, -0.8);
    for (int i = 0; i < COUNT; i++)
        shares[i] = i < 2 ? (double)top[i] / 1e9 : 0.6 * pow(i + 1, -0.8) / sum;
    assert_true(drawn_fit(&values, shares, 31, 1000000) > LEVEL);
    shares[3] -= 0.3 * shares[2];
    shares[2] *= 1.3; /* a wrong law is seen */
    assert_true(drawn_fit(&values, shares, 31, 1000000) < LEVEL);
    values.count = UINT64_C(1) << 40;
    struct value_set set;
    struct rng rng;
    uint64_t beyond = 0, first = 0;
    assert_true(value_set_init(&set, &values));
    rng_seed(&rng, 32);
    for (int i = 0; i < 100000; i++) {
        uint64_t value = value_set_pick(&set, rng_next(&rng), 0);
        assert_true(value < values.count);
        first += value == 0;
        beyond += value >= 2;
    }
    assert_true(fabs((double)first - 30000) < 700 && fabs((double)beyond - 60000) < 700);
    value_set_free(&set);
}

/* The extremes: everything hot, nothing hot, no value left to share the rest. */
static void shares_at_their_ends(void **state) {
    (void)state;
    const int64_t all[] = {250000000, 750000000};
    const double wanted[][4] = {{0.25, 0.25, 0.25, 0.25}, {1, 0, 0, 0}, {0, 0, 0, 1}, {0.25, 0.75}};
    const struct ddbsim_values sets[] = {
        {.distribution = DDBSIM_HOTSPOT,
         .count = 4,
         .hot_keys = 1000000000,
         .hot_traffic = 500000000},
        {.distribution = DDBSIM_HOTSPOT, .count = 4, .hot_keys = 1, .hot_traffic = 1000000000},
        {.distribution = DDBSIM_HOTSPOT, .count = 4, .hot_keys = 750000000, .hot_traffic = 0},
        {.distribution = DDBSIM_TOP, .count = 2, .shares = all, .share_count = 2}};
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        struct ddbsim_values values = sets[s];
        values.name = "v";
        struct value_set set;
        assert_true(value_set_init(&set, &values));
        double counts[4] = {0};
        struct rng rng;
        rng_seed(&rng, 77);
        for (int i = 0; i < 100000; i++)
            counts[value_set_pick(&set, rng_next(&rng), 0)] += 1e-5;
        for (uint64_t i = 0; i < values.count; i++)
            assert_true(fabs(counts[i] - wanted[s][i]) < (wanted[s][i] == 0 ? 1e-12 : 0.01));
        value_set_free(&set);
    }
}

/* A pass of a sorted set has every value as often as its share says, to one draw at each border of the
 * columns, and in order; the next pass is the same. */
static void sorted_sets_are_exact(void **state) {
    (void)state;
    enum { COUNT = 300, PASS = 100000 };
    const char *words[COUNT];
    int64_t word_shares[COUNT];
    const int64_t top[] = {400000000, 50000000};
    for (int i = 0; i < COUNT; i++) {
        words[i] = "w";
        word_shares[i] = i < COUNT - 1 ? 3000000 : 1000000000 - (COUNT - 1) * INT64_C(3000000);
    }
    for (int kind = DDBSIM_UNIFORM; kind <= DDBSIM_LIST; kind++)
        for (int scrambled = 0; scrambled <= (kind == DDBSIM_ZIPFIAN); scrambled++) {
            struct ddbsim_values values = {.name = "v",
                                           .distribution = (enum ddbsim_distribution)kind,
                                           .count = COUNT,
                                           .theta = 900000000,
                                           .scrambled = scrambled,
                                           .shares = kind == DDBSIM_LIST ? word_shares : top,
                                           .words = words,
                                           .share_count = kind == DDBSIM_TOP ? 2 : 0,
                                           .hot_keys = 200000000,
                                           .hot_traffic = 800000000};
            if (kind == DDBSIM_YCSB_ZIPFIAN) continue; /* its records have no order of popularity */
            struct value_set random, sorted;
            struct ddbsim_values in_order = values;
            in_order.sorted = PASS;
            assert_true(value_set_init(&random, &values) && value_set_init(&sorted, &in_order));
            static double drawn[COUNT], counted[COUNT];
            memset(drawn, 0, sizeof drawn);
            memset(counted, 0, sizeof counted);
            uint64_t last = 0;
            struct rng rng;
            rng_seed(&rng, 5);
            for (uint64_t n = 0; n < PASS; n++) {
                uint64_t value = value_set_pick(&sorted, 12345, n);
                assert_true(value >= last && value < COUNT);
                assert_int_equal(value_set_pick(&sorted, 99, n + 3 * (uint64_t)PASS), value);
                counted[last = value]++;
                if (kind != DDBSIM_SEQUENTIAL) drawn[value_set_pick(&random, rng_next(&rng), n)]++;
            }
            /* The random twin has the same shares, within its noise. */
            for (int i = 0; i < COUNT && kind != DDBSIM_SEQUENTIAL; i++)
                assert_true(fabs(drawn[i] - counted[i]) <= 6 * sqrt(counted[i] + 1) + 2);
            value_set_free(&random);
            value_set_free(&sorted);
        }
}

/* The same for sets with groups of ranks, against the law's quantiles. */
static void large_sorted_sets(void **state) {
    (void)state;
    enum { PASS = 4000 };
    const enum ddbsim_distribution kinds[] = {DDBSIM_ZIPFIAN, DDBSIM_LATEST, DDBSIM_EXPONENTIAL};
    for (int k = 0; k < 3; k++) {
        struct ddbsim_values values = {.name = "v",
                                       .distribution = kinds[k],
                                       .count = 20000000,
                                       .theta = 500000000,
                                       .sorted = PASS};
        struct value_set set;
        assert_true(value_set_init(&set, &values));
        double count = 2e7, gamma = -log(0.05) / (0.8571428571 * count);
        for (uint64_t n = 0; n < PASS; n++) {
            double q = (kinds[k] == DDBSIM_LATEST ? PASS - 1 - (double)n : (double)n) + 0.5;
            q /= PASS;
            double rank = kinds[k] == DDBSIM_EXPONENTIAL
                              ? -log(1 - q * (1 - exp(-gamma * count))) / gamma
                              : q * q * count; /* theta 1/2: the sum of r^-1/2 is 2 sqrt(r) */
            double value = kinds[k] == DDBSIM_LATEST ? count - rank : rank;
            assert_true(fabs((double)value_set_pick(&set, 0, n) - value) < count / 1000);
        }
        value_set_free(&set);
    }
}

/* The hot values move on as a whole, and come back round. */
static void hot_values_move(void **state) {
    (void)state;
    struct ddbsim_values values = {.name = "v",
                                   .distribution = DDBSIM_HOTSPOT,
                                   .count = 50,
                                   .hot_keys = 200000000,
                                   .hot_traffic = 1000000000,
                                   .moves_ns = 600 * NS_PER_S};
    struct value_set set;
    assert_true(value_set_init(&set, &values));
    for (int64_t epoch = 0; epoch < 12; epoch++)
        for (uint64_t hot = 0; hot < 10; hot++) {
            int64_t t_ns = (epoch * 600 + 599) * NS_PER_S;
            assert_int_equal(value_set_move(&set, hot, t_ns), (hot + 10 * (uint64_t)epoch) % 50);
        }
    assert_int_equal(value_set_move(&set, 49, -1), 49);
    value_set_free(&set);
}

/* A set too large for one column a rank, by powers of two of the rank, against the law's integral.
 */
static void large_zipf_follows_its_law(void **state) {
    (void)state;
    const int64_t thetas[] = {0, 800000000, 1100000000};
    for (int t = 0; t < 3; t++) {
        double theta = (double)thetas[t] / 1e9;
        struct ddbsim_values values = {.name = "v",
                                       .distribution = DDBSIM_ZIPFIAN,
                                       .count = UINT64_C(50000000),
                                       .theta = thetas[t]};
        struct value_set set;
        assert_true(value_set_init(&set, &values));
        double shares[26] = {0}, sum = 0;
        uint64_t counts[26] = {0};
        /* Ranks in [2^k, 2^(k+1)); sums up to 2^16, integrals from there. */
        for (int k = 0; k < 26; k++) {
            double from = ldexp(1, k), to = fmin(ldexp(1, k + 1), 50000001);
            if (k < 16)
                for (double r = from; r < to; r++)
                    shares[k] += pow(r, -theta);
            else
                shares[k] = (pow(to - 0.5, 1 - theta) - pow(from - 0.5, 1 - theta)) / (1 - theta);
            sum += shares[k];
        }
        for (int k = 0; k < 26; k++)
            shares[k] /= sum;
        struct rng rng;
        rng_seed(&rng, 12);
        for (int i = 0; i < 1000000; i++) {
            uint64_t value = value_set_pick(&set, rng_next(&rng), 0);
            assert_true(value < values.count);
            counts[63 - __builtin_clzll(value + 1)]++;
        }
        assert_true(chi_square(counts, shares, 26, 1000000) > LEVEL);
        value_set_free(&set);
    }
}

/* ---- the whole source ---- */

static void mixes_items_and_processes_are_fair(void **state) {
    (void)state;
    enum { COUNT = 200000, PROCESSES = 400 };
    struct fixture f;
    fixture_init(&f);
    struct generators g;
    generators_open(&g, &f, 31, 0);
    static uint64_t processes[PROCESSES], operations[4], places[3], states[3];
    static double even[PROCESSES];
    const double weights[] = {0.60, 0.25, 0.10, 0.05}, shares[] = {0.6, 0.3, 0.1};
    const double third[] = {1 / 3.0, 1 / 3.0, 1 / 3.0};
    double carts = 0, work = 0;
    struct ddbsim_request r;
    for (int i = 0; i < COUNT; i++) {
        next_request(&g.sources[0], &r);
        processes[r.process]++;
        operations[r.operation]++;
        /* Customers below 2,000 have three carts each, numbered 1 to 3 in the position's n field.
         */
        if (r.key.entity == CART && r.key.ordinal < 2000) {
            places[((r.key.sort >> 24) & 0xffffffff) - 1]++;
            carts++;
        }
        for (uint32_t k = 0; k < r.work_count; k++)
            if (r.work[k].index == BY_STATE) {
                states[r.work[k].new_key.ordinal]++;
                work++;
            }
    }
    for (int i = 0; i < PROCESSES; i++)
        even[i] = 1.0 / PROCESSES;
    assert_true(chi_square(processes, even, PROCESSES, COUNT) > LEVEL);
    assert_true(chi_square(operations, weights, 4, COUNT) > LEVEL);
    assert_true(chi_square(places, third, 3, carts) > LEVEL);
    /* The time tells a moved entry from the old one, so its values keep their shares. */
    assert_true(chi_square(states, shares, 3, work) > LEVEL);
    generators_close(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_statistics_can_fail),
        cmocka_unit_test(gaps_are_exponential_and_independent),
        cmocka_unit_test(counts_follow_the_stages),
        cmocka_unit_test(random_schedules_keep_the_units),
        cmocka_unit_test(zipf_follows_its_law),
        cmocka_unit_test(lists_and_uniform_follow_their_shares),
        cmocka_unit_test(large_zipf_follows_its_law),
        cmocka_unit_test(ycsb_follows_its_laws),
        cmocka_unit_test(shares_at_their_ends),
        cmocka_unit_test(top_has_a_tail),
        cmocka_unit_test(sorted_sets_are_exact),
        cmocka_unit_test(large_sorted_sets),
        cmocka_unit_test(hot_values_move),
        cmocka_unit_test(mixes_items_and_processes_are_fair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
