/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `ddbsim check` found out: filled by cmd_check.c, printed by check_print.c. */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli.h"

/* The base or one variant, and what was observed in it. */
struct check_case {
    struct ddbsim_scenario *scenario;
    size_t runs;      /* seeds that ran to their end */
    double *observed; /* [condition * seed_count + seed] */
    size_t *failed;   /* [condition]: how many seeds failed it */
};

struct check {
    struct cli_options common;
    const char *command, *keep;
    bool no_run, seeds_given, interrupted;
    uint64_t first_seed;
    size_t seed_count;
    struct check_case *cases;
    size_t case_count;
};

size_t check_expectations(const struct check *check);
/* Both clear *passed when an expectation does not hold. */
void check_print_text(const struct check *check, bool *passed);
DDBSIM_MUST_CHECK enum ddbsim_status check_print_json(const struct check *check, bool *passed,
                                                      struct ddbsim_error *error);

#endif
