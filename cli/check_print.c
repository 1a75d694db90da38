/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What `ddbsim check` prints: a line a condition, its observations over the seeds as range, mean
 * and 95 % interval of the mean.
 */
#include "check.h"

#include <base/error.h>
#include <inttypes.h>
#include <plots/tojson.h>
#include <math.h>
#include <plots/words.h>
#include <stats/interval.h>
#include <string.h>

enum { VALUE_BYTES = 64 };

enum outcome { HELD, BROKEN, SKIPPED };

static const char *const over_words[] = {
    [DDBSIM_EACH] = "each",
    [DDBSIM_MEAN] = "mean",
    [DDBSIM_MEDIAN] = "median",
    [DDBSIM_DEVIATION] = "deviation",
};

/* One condition over all seeds. */
struct found {
    enum outcome outcome;
    size_t n, failed;
    double least, most; /* NaN where there is none */
    double judged;      /* the figure of all seeds that is judged; NaN where each is */
    struct interval mean;
};

static void find_range(const double *values, size_t n, struct found *found) {
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i])) continue;
        if (!(found->least <= values[i])) found->least = values[i];
        if (!(found->most >= values[i])) found->most = values[i];
    }
}

/* A cause has no mean, and neither has a condition that some seed left without an observation. */
static bool has_mean(const struct ddbsim_condition *condition, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (isnan(values[i])) return false;
    }
    return n > 0 && condition->kind != DDBSIM_CONDITION_CAUSE;
}

static double figure(enum ddbsim_over over, const double *values, size_t n) {
    switch (over) {
    case DDBSIM_EACH:
        break;
    case DDBSIM_MEAN:
        return interval_mean(values, n, CLI_CONFIDENCE).mean;
    case DDBSIM_MEDIAN:
        return interval_median(values, n);
    case DDBSIM_DEVIATION:
        return interval_deviation(values, n);
    }
    return (double)NAN;
}

static struct found find(const struct check *check, const struct check_case *one, uint32_t number) {
    const struct ddbsim_condition *condition = &one->scenario->expect[number];
    const double *values = one->observed + number * check->seed_count;
    const double none = (double)NAN;
    struct found found = {
        .n = one->runs,
        .failed = one->failed[number],
        .least = none,
        .most = none,
        .judged = none,
        .mean = {.mean = none, .low = none, .high = none},
    };
    find_range(values, one->runs, &found);
    if (has_mean(condition, values, one->runs)) {
        found.mean = interval_mean(values, one->runs, CLI_CONFIDENCE);
    }
    found.judged = figure(condition->over, values, one->runs);
    if (one->runs == 0 || (condition->over != DDBSIM_EACH && !check->seeds_given)) {
        found.outcome = SKIPPED;
    } else if (condition->over != DDBSIM_EACH) {
        found.outcome = study_holds(condition, found.judged) ? HELD : BROKEN;
    } else {
        found.outcome = found.failed == 0 ? HELD : BROKEN;
    }
    return found;
}

/* ---- text ---- */

static void print_mark(enum outcome outcome) {
    static const char *const marks[] = {[HELD] = "ok", [BROKEN] = "FAIL", [SKIPPED] = "skipped"};
    static const enum words_style styles[] = {
        [HELD] = WORDS_GOOD, [BROKEN] = WORDS_BAD, [SKIPPED] = WORDS_DIM};
    const struct words_page page = {.out = stdout, .colour = style_colour()};
    fputs("  ", stdout);
    words_style(&page, styles[outcome]);
    printf("%-7s", marks[outcome]);
    words_style(&page, WORDS_PLAIN);
}

static void print_observed(const struct ddbsim_condition *condition,
                           const struct ddbsim_scenario *scenario, const struct found *found) {
    char least[VALUE_BYTES], most[VALUE_BYTES], mean[VALUE_BYTES];
    char low[VALUE_BYTES], high[VALUE_BYTES];
    condition_value(condition, scenario, found->least, least, sizeof least);
    condition_value(condition, scenario, found->most, most, sizeof most);
    printf("  observed: %s", least);
    bool vary = strcmp(least, most) != 0;
    if (vary) printf(" .. %s", most);
    if (vary && !isnan(found->mean.mean)) {
        condition_value(condition, scenario, found->mean.mean, mean, sizeof mean);
        condition_value(condition, scenario, found->mean.low, low, sizeof low);
        condition_value(condition, scenario, found->mean.high, high, sizeof high);
        printf(", mean %s (%.0f %%: %s .. %s)", mean, CLI_CONFIDENCE * 100, low, high);
    }
    if (condition->over > DDBSIM_MEAN && !isnan(found->judged)) {
        condition_value(condition, scenario, found->judged, mean, sizeof mean);
        printf(", %s %s", over_words[condition->over], mean);
    }
    if (found->n > 1 && found->failed > 0 && condition->over == DDBSIM_EACH) {
        printf(", failed for %zu of %zu seeds", found->failed, found->n);
    }
}

static void print_condition(const struct check *check, const struct check_case *one,
                            uint32_t number, size_t counts[3]) {
    const struct ddbsim_condition *condition = &one->scenario->expect[number];
    struct found found = find(check, one, number);
    counts[found.outcome]++;
    print_mark(found.outcome);
    printf(" %s", condition->text);
    if (one->runs == 0) {
        fputs("  did not run", stdout);
    } else {
        print_observed(condition, one->scenario, &found);
        if (found.outcome == SKIPPED) fputs("; needs --seeds", stdout);
    }
    putchar('\n');
}

static void print_seeds(const struct check *check) {
    uint64_t last = check->first_seed + check->seed_count - 1;
    printf("%s: seed", check->cases[0].scenario->name);
    if (check->seed_count == 1) {
        printf(" %" PRIu64 "\n", last);
    } else {
        printf("s %" PRIu64 "..%" PRIu64 "\n", check->first_seed, last);
    }
}

size_t check_expectations(const struct check *check) {
    size_t count = 0;
    for (size_t i = 0; i < check->case_count; i++)
        count += check->cases[i].scenario->expect_count;
    return count;
}

static void print_valid(const struct check *check, size_t expectations) {
    const struct ddbsim_scenario *first = check->cases[0].scenario;
    printf("%s: valid; %" PRIu32 " variant%s, ", first->name, first->variant_count,
           first->variant_count == 1 ? "" : "s");
    if (expectations) {
        printf("%zu expectation%s\n", expectations, expectations == 1 ? "" : "s");
    } else {
        fputs("no expectations: nothing to test\n", stdout);
    }
    if (first->threshold_count)
        printf("%" PRIu32 " threshold%s: `ddbsim run' judges them, check does not\n",
               first->threshold_count, first->threshold_count == 1 ? "" : "s");
}

void check_print_text(const struct check *check, bool *passed) {
    size_t counts[3] = {0, 0, 0}, expectations = check_expectations(check);
    if (check->no_run || expectations == 0) {
        print_valid(check, expectations);
        return;
    }
    print_seeds(check);
    for (size_t i = 0; i < check->case_count; i++) {
        const struct check_case *one = &check->cases[i];
        if (one->scenario->expect_count == 0) continue;
        printf("%s\n", one->scenario->variant);
        for (uint32_t n = 0; n < one->scenario->expect_count; n++) {
            print_condition(check, one, n, counts);
        }
    }
    printf("%zu held, %zu failed", counts[HELD], counts[BROKEN]);
    if (counts[SKIPPED]) printf(", %zu skipped", counts[SKIPPED]);
    puts(check->interrupted ? "; interrupted" : "");
    *passed = counts[BROKEN] == 0;
}

/* ---- JSON ---- */

/* What was observed as JSON: null where nothing was, a cause by its name. */
static json_t *value_json(const struct ddbsim_condition *condition, double value) {
    if (condition->kind == DDBSIM_CONDITION_CAUSE && !isnan(value)) {
        const char *name = ddbsim_cause_name((int)value);
        return tojson_text(name);
    }
    return tojson_number(value);
}

static json_t *condition_json(const struct check *check, const struct check_case *one,
                              uint32_t number, bool *passed) {
    const struct ddbsim_condition *condition = &one->scenario->expect[number];
    struct found found = find(check, one, number);
    static const char *const names[] = {"ok", "failed", "skipped"};
    if (found.outcome == BROKEN) *passed = false;
    return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "variant",
                     one->scenario->variant, "expression", condition->text, "of",
                     over_words[condition->over], "result", names[found.outcome], "seeds",
                     (json_int_t)found.n, "failed_seeds", (json_int_t)found.failed, "least",
                     value_json(condition, found.least), "most", value_json(condition, found.most),
                     "mean", value_json(condition, found.mean.mean), "mean_low",
                     value_json(condition, found.mean.low), "mean_high",
                     value_json(condition, found.mean.high));
}

static json_t *conditions_json(const struct check *check, bool *passed) {
    json_t *conditions = json_array();
    for (size_t i = 0; !check->no_run && i < check->case_count; i++) {
        const struct check_case *one = &check->cases[i];
        for (uint32_t n = 0; n < one->scenario->expect_count; n++) {
            conditions = tojson_append(conditions, condition_json(check, one, n, passed));
        }
    }
    return conditions;
}

enum ddbsim_status check_print_json(const struct check *check, bool *passed,
                                    struct ddbsim_error *error) {
    const struct ddbsim_scenario *first = check->cases[0].scenario;
    json_t *conditions = conditions_json(check, passed);
    json_t *whole = json_pack("{s:s, s:I, s:b, s:b, s:b, s:I, s:I, s:o}", "scenario", first->name,
                              "thresholds_not_judged", (json_int_t)first->threshold_count, "valid",
                              1, "passed", *passed && !check->no_run, "interrupted",
                              check->interrupted, "first_seed", (json_int_t)check->first_seed,
                              "seeds", (json_int_t)check->seed_count, "conditions", conditions);
    return tojson_print(whole, stdout, error);
}
