/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench [--rounds N] [CASE]...   one JSON line a case
 * bench --scaling [PICTURE.svg]   how time and memory grow
 * bench --stream ROWS             memory and time of a trace of so many rows
 *
 * Rounds alternate, ours then bare; what is printed are medians of CPU time. `ratio` is bare over
 * ours, the median of the rounds' own ratios; `spread` is the distance of its quartiles over it.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 7
#define ROUNDS_MAX 1000

int64_t bench_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

void bench_fail(const char *what) {
    fprintf(stderr, "bench: failed: %s\n", what);
    exit(1);
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Of sorted values. */
static double quantile(const double *values, int count, double q) {
    double place = q * (count - 1);
    int below = (int)place;
    if (below + 1 >= count) return values[count - 1];
    return values[below] + (place - below) * (values[below + 1] - values[below]);
}

static double ns_per_op(const struct bench_side *side) {
    return (double)side->cpu_ns / (double)side->ops;
}

static void run_case(const struct bench_case *one, int rounds) {
    double ours[ROUNDS_MAX], bare[ROUNDS_MAX], ratios[ROUNDS_MAX];
    if (one->prepare && !one->prepare(one)) bench_fail("memory");
    for (int r = -1; r < rounds; r++) { /* the first round warms up */
        struct bench_side a = {0}, b = {0};
        one->ours(one, &a);
        one->bare(one, &b);
        if (a.ops != b.ops || (one->checked && a.check != b.check)) {
            fprintf(
                stderr,
                "bench: %s: the two sides did not do the same: %llu %s and %llu, %llu and %llu\n",
                one->name, (unsigned long long)a.ops, one->op, (unsigned long long)b.ops,
                (unsigned long long)a.check, (unsigned long long)b.check);
            exit(1);
        }
        if (r < 0) continue;
        ours[r] = ns_per_op(&a);
        bare[r] = ns_per_op(&b);
        ratios[r] = bare[r] / ours[r];
    }
    if (one->release) one->release();
    size_t count = (size_t)rounds;
    qsort(ours, count, sizeof *ours, by_value);
    qsort(bare, count, sizeof *bare, by_value);
    qsort(ratios, count, sizeof *ratios, by_value);
    double ratio = quantile(ratios, rounds, 0.5);
    printf(
        "{\"name\":\"%s\",\"op\":\"%s\",\"rounds\":%d,\"ns_per_op\":%.2f,\"bare_ns_per_op\":%.2f,"
        "\"ratio\":%.3f,\"spread\":%.3f}\n",
        one->name, one->op, rounds, quantile(ours, rounds, 0.5), quantile(bare, rounds, 0.5), ratio,
        (quantile(ratios, rounds, 0.75) - quantile(ratios, rounds, 0.25)) / ratio);
    fflush(stdout);
}

static const struct bench_case *const *all_cases(size_t *count) {
    static const struct bench_case *const cases[] = {
        &bench_mm1,         &bench_holds[0],    &bench_holds[1],    &bench_holds[2],
        &bench_lookup,      &bench_requests[0], &bench_requests[1], &bench_requests[2],
        &bench_requests[3], &bench_requests[4], &bench_requests[5], &bench_requests[6],
        &bench_requests[7], &bench_replays[0],  &bench_replays[1]};
    *count = sizeof cases / sizeof cases[0];
    return cases;
}

/* Runs a case by name, all of them without one; false where there is none of that name. */
static bool run_named(const char *name, int rounds) {
    size_t count;
    bool found = false;
    const struct bench_case *const *cases = all_cases(&count);
    for (size_t i = 0; i < count; i++) {
        if (name && strcmp(cases[i]->name, name) != 0) continue;
        run_case(cases[i], rounds);
        found = true;
    }
    return found;
}

static int usage(void) {
    size_t count;
    const struct bench_case *const *cases = all_cases(&count);
    fprintf(stderr,
            "usage: bench [--rounds 1..%d] [CASE]...\n       bench --scaling [PICTURE.svg]\n       "
            "bench --stream ROWS\ncases:",
            ROUNDS_MAX);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, " %s", cases[i]->name);
    fprintf(stderr, "\n");
    return 2;
}

int main(int argc, char **argv) {
    int rounds = ROUNDS, at = 1;
    if (argc > 1 && strcmp(argv[1], "--scaling") == 0)
        return argc > 3 ? usage() : bench_scaling(argc > 2 ? argv[2] : NULL);
    if (argc == 3 && strcmp(argv[1], "--stream") == 0)
        return bench_stream(strtoull(argv[2], NULL, 10));
    if (argc > 2 && strcmp(argv[1], "--rounds") == 0) {
        rounds = atoi(argv[2]);
        at = 3;
    }
    if (rounds < 1 || rounds > ROUNDS_MAX) return usage();
    exponential_init();
    if (at == argc) return run_named(NULL, rounds) ? 0 : 1;
    for (; at < argc; at++)
        if (!run_named(argv[at], rounds)) return usage();
    return 0;
}
