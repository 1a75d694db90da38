/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `ddbsim check SCENARIO`: is it valid, and does what it expects come out? The base and every
 * variant with expectations are run for each seed, each run is judged while its database is open,
 * and what was observed is kept a condition at a time.
 *
 * A condition `of: each` holds when it holds for every seed. One `of: mean` is judged over the mean
 * of the seeds, and only where --seeds asked for several runs on purpose.
 */
#include "check.h"

#include <base/error.h>
#include <inttypes.h>
#include <loader/loader.h>
#include <math.h>
#include <plots/diagnosis.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS_MOST = 10000 };
enum check_key { CHECK_NO_RUN = OPTIONS_OWN, CHECK_SEEDS, CHECK_KEEP, CHECK_EXPECT };

static const struct argp_option rows[] = {
    {"no-run", CHECK_NO_RUN, NULL, 0, "Validate only", 0},
    {"seeds", CHECK_SEEDS, "A..B", 0, "Run each of these seeds (default: the scenario's)", 0},
    OPTIONS_ROW_VARIANT,
    OPTIONS_ROW_SET,
    {"keep", CHECK_KEEP, "FILE.db", 0, "Keep the runs and what was judged in a database", 0},
    OPTIONS_ROW_FORCE,
    OPTIONS_ROW_FORMAT,
    OPTIONS_ROW_QUIET,
    {"expect", CHECK_EXPECT, "FILE", OPTION_HIDDEN, NULL, 0},
    OPTIONS_ROW_HELP,
    {0},
};

static void take_seeds(const char *arg, struct argp_state *state, struct check *check) {
    struct ddbsim_error error = {0};
    uint64_t last;
    if (loader_seeds(arg, &check->first_seed, &last, &error) != DDBSIM_OK) {
        argp_error(state, "--seeds: %s", error.message);
    } else if (last - check->first_seed >= SEEDS_MOST) {
        argp_error(state, "--seeds: at most %d, not '%s'", SEEDS_MOST, arg);
    }
    check->seed_count = (size_t)(last - check->first_seed) + 1;
    check->seeds_given = true;
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct check *check = state->input;
    switch (key) {
    case CHECK_NO_RUN:
        check->no_run = true;
        return 0;
    case CHECK_SEEDS:
        take_seeds(arg, state, check);
        return 0;
    case CHECK_KEEP:
        check->keep = arg;
        return 0;
    case CHECK_EXPECT:
        argp_failure(state, DDBSIM_INPUT, 0, "--expect is not supported yet");
        return 0;
    default:
        return options_parse(key, arg, state, &check->common);
    }
}

/* ---- loading ---- */

static enum ddbsim_status add_case(struct check *check, const char *variant,
                                   struct ddbsim_error *error) {
    struct check_case *one = &check->cases[check->case_count];
    const struct ddbsim_scenario *base = check->case_count ? check->cases[0].scenario : NULL;
    enum ddbsim_status status =
        base ? subject_load_variant(&check->common, base, variant, &one->scenario, error)
             : subject_load(&check->common, variant, &one->scenario, error);
    if (status != DDBSIM_OK) return status;
    check->case_count++;
    if (!check->seeds_given) {
        check->first_seed = check->cases[0].scenario->seed;
        check->seed_count = 1;
    }
    size_t count = (size_t)one->scenario->expect_count * check->seed_count;
    one->observed = calloc(count + 1, sizeof *one->observed);
    one->failed = calloc((size_t)one->scenario->expect_count + 1, sizeof *one->failed);
    return one->observed && one->failed ? DDBSIM_OK : error_memory(error);
}

static enum ddbsim_status load_all(struct check *check, struct ddbsim_error *error) {
    check->cases = calloc(1, sizeof *check->cases);
    if (!check->cases) return error_memory(error);
    enum ddbsim_status status = add_case(check, check->common.variant, error);
    if (status != DDBSIM_OK || check->common.variant) return status;
    uint32_t variants = check->cases[0].scenario->variant_count;
    struct check_case *cases = calloc((size_t)variants + 1, sizeof *cases);
    if (!cases) return error_memory(error);
    cases[0] = check->cases[0];
    free(check->cases);
    check->cases = cases;
    for (uint32_t i = 0; status == DDBSIM_OK && i < variants; i++) {
        status = add_case(check, cases[0].scenario->variants[i], error);
    }
    return status;
}

static void release(struct check *check) {
    for (size_t i = 0; i < check->case_count; i++) {
        ddbsim_scenario_destroy(check->cases[i].scenario);
        free(check->cases[i].observed);
        free(check->cases[i].failed);
    }
    free(check->cases);
    options_free(&check->common);
}

/* ---- running ---- */

static void keep_verdict(struct log_writer *writer, int64_t run_id,
                         const struct ddbsim_condition *condition, double observed, bool passed) {
    const struct ddbsim_value values[] = {
        ddbsim_integer(run_id),       ddbsim_text("expect"),
        ddbsim_text(condition->text), isnan(observed) ? ddbsim_null() : ddbsim_real(observed),
        ddbsim_integer(passed),
    };
    log_writer_row(writer, DDBSIM_LOG_VERDICT, values, sizeof values / sizeof values[0]);
}

static enum ddbsim_status judge_run(const struct check *check, struct check_case *one, size_t seed,
                                    struct log_writer *writer, int64_t run_id,
                                    struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (uint32_t i = 0; status == DDBSIM_OK && i < one->scenario->expect_count; i++) {
        const struct ddbsim_condition *condition = &one->scenario->expect[i];
        double observed = (double)NAN;
        bool passed = false;
        status = study_judge(log_writer_database(writer), run_id, condition, diagnosis_cause_of,
                             &observed, &passed, error);
        one->observed[i * check->seed_count + seed] = observed;
        if (!passed) one->failed[i]++;
        if (check->keep && condition->over == DDBSIM_EACH) {
            keep_verdict(writer, run_id, condition, observed, passed);
        }
    }
    return status;
}

/* In a kept database each seed is a study of its own: its runs are replication 0, as `run` makes
 * them, and share their random numbers. */
static enum ddbsim_status run_one(struct check *check, struct check_case *one, size_t seed,
                                  struct log_writer *writer, struct ddbsim_error *error) {
    struct study_run_result result = {0};
    struct subject_simulation simulation = {
        .scenario = one->scenario,
        .seed = check->first_seed + seed,
        .study_id = (int64_t)seed + 1,
        .writer = writer,
        .label = one->scenario->variant,
        .quiet = check->common.quiet,
    };
    enum ddbsim_status status = subject_simulate(&simulation, &result, error);
    if (status != DDBSIM_OK) return status;
    check->interrupted = result.interrupted;
    if (result.interrupted) return DDBSIM_OK;
    one->runs++;
    return judge_run(check, one, seed, writer, result.run_id, error);
}

static enum ddbsim_status run_in_memory(struct check *check, struct check_case *one, size_t seed,
                                        struct ddbsim_error *error) {
    struct log_writer *writer = NULL;
    enum ddbsim_status status = log_writer_create(NULL, false, &writer, error);
    if (status != DDBSIM_OK) return status;
    struct subject_study study = {.study_id = (int64_t)seed + 1, .command = check->command};
    subject_add_study(writer, &study);
    status = run_one(check, one, seed, writer, error);
    log_writer_abandon(writer);
    return status;
}

static enum ddbsim_status run_cases(struct check *check, struct log_writer *keep,
                                    struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < check->case_count; i++) {
        struct check_case *one = &check->cases[i];
        if (one->scenario->expect_count == 0) continue;
        for (size_t seed = 0; seed < check->seed_count; seed++) {
            status = keep ? run_one(check, one, seed, keep, error)
                          : run_in_memory(check, one, seed, error);
            if (status != DDBSIM_OK || check->interrupted) return status;
        }
    }
    return status;
}

static enum ddbsim_status run_kept(struct check *check, struct ddbsim_error *error) {
    struct log_writer *keep = NULL;
    (void)signals_catch();
    enum ddbsim_status status = log_writer_create(check->keep, check->common.force, &keep, error);
    if (status != DDBSIM_OK) return status;
    for (size_t seed = 0; seed < check->seed_count; seed++) {
        struct subject_study study = {.study_id = (int64_t)seed + 1, .command = check->command};
        subject_add_study(keep, &study);
    }
    status = run_cases(check, keep, error);
    if (status == DDBSIM_OK) return log_writer_close(keep, error);
    log_writer_abandon(keep);
    return status;
}

/* What loads may still ask for more than a run can hold, such as keys too long: that shows when it is set up. */
static enum ddbsim_status set_up(const struct check *check, const struct check_case *one,
                                 struct ddbsim_error *error) {
    const struct ddbsim_run_options options = {.seed = check->first_seed};
    struct ddbsim_run *run = NULL;
    enum ddbsim_status status = ddbsim_run_create(one->scenario, &options, &run, error);
    if (status == DDBSIM_OK) ddbsim_run_destroy(run);
    return status;
}

static enum ddbsim_status check_all(struct check *check, struct ddbsim_error *error) {
    enum ddbsim_status status = load_all(check, error);
    for (size_t i = 0; status == DDBSIM_OK && i < check->case_count; i++)
        status = set_up(check, &check->cases[i], error);
    if (status != DDBSIM_OK) return status;
    subject_warn(check->cases[0].scenario, check->common.quiet);
    bool run = !check->no_run && check_expectations(check) > 0;
    if (run) status = check->keep ? run_kept(check, error) : run_cases(check, NULL, error);
    if (status != DDBSIM_OK) return status;
    bool passed = true;
    if (check->common.json) {
        status = check_print_json(check, &passed, error);
    } else {
        check_print_text(check, &passed);
    }
    if (status != DDBSIM_OK) return status;
    if (check->interrupted) return DDBSIM_INTERRUPTED;
    return passed ? DDBSIM_OK : DDBSIM_UNMET;
}

int cmd_check(int argc, char **argv) {
    static const struct argp argp = {
        .options = rows,
        .parser = parse,
        .args_doc = "SCENARIO",
        .doc =
            "Validate a scenario, run its base and every variant that has expectations, and test "
            "them. Exits with 99 when one does not hold. Thresholds are judged by `ddbsim run'.",
    };
    struct check check = {.common = {.argument_name = "SCENARIO"}};
    char *command = options_command(argc, argv);
    options_read(&argp, argc, argv, &check);
    struct ddbsim_error error = {0};
    check.command = command;
    enum ddbsim_status status = command ? check_all(&check, &error) : error_memory(&error);
    release(&check);
    free(command);
    if (error.status != DDBSIM_OK) return style_fail(&error);
    return (int)status;
}
