/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run means, read from its database alone: does it throttle, why, what is not the cause, what
 * would fix it.
 */
#ifndef PLOTS_DIAGNOSIS_H
#define PLOTS_DIAGNOSIS_H

#include <ddbsim/log.h>
#include <stdbool.h>
#include <ddbsim/names.h>
#include <stdint.h>
#include <stdio.h>

struct diagnosis;

DDBSIM_MUST_CHECK enum ddbsim_status diagnosis_create(struct sqlite3 *database, int64_t run_id,
                                                      struct diagnosis **out,
                                                      struct ddbsim_error *error);
enum ddbsim_cause diagnosis_cause(const struct diagnosis *diagnosis);
/* In words, for a terminal of `columns`; colour with ANSI codes only where asked. `scenario` names what
 * the printed commands run. */
DDBSIM_MUST_CHECK enum ddbsim_status diagnosis_print(const struct diagnosis *diagnosis, FILE *out,
                                                     const char *scenario, int columns, bool colour,
                                                     struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status diagnosis_print_json(const struct diagnosis *diagnosis,
                                                          FILE *out, const char *scenario,
                                                          struct ddbsim_error *error);
/* What whoever copies the commands must know, printed where they stand; copied. */
void diagnosis_note(struct diagnosis *diagnosis, const char *note);
void diagnosis_destroy(struct diagnosis *diagnosis);
/* For studies (study_cause_fn). */
int diagnosis_cause_of(struct sqlite3 *database, int64_t run_id, struct ddbsim_error *error);

#endif
