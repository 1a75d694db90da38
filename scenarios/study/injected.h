/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lets a program bring requests to a run: the scenario with one more workload, whose arrivals come by
 * call, and the texts of the keys that came.
 */
#ifndef STUDY_INJECTED_H
#define STUDY_INJECTED_H

#include <ddbsim/inject.h>

struct injected;

/* NULL with the error set. `scenario` is borrowed. */
struct injected *injected_create(const struct ddbsim_scenario *scenario, const char *name,
                                 struct ddbsim_error *error);
void injected_destroy(struct injected *injected);
/* The scenario to run; the workload is its last. */
const struct ddbsim_scenario *injected_scenario(const struct injected *injected);
/* A source without arrivals, for that workload. */
struct ddbsim_source injected_source(void);
/* The program's request as the model takes it. Keeps its keys' texts. */
DDBSIM_MUST_CHECK enum ddbsim_status injected_describe(struct injected *injected,
                                                       const struct ddbsim_injection *from,
                                                       struct ddbsim_request *out,
                                                       struct ddbsim_error *error);
/* The request was judged: the next one has the next number. */
void injected_done(struct injected *injected);

/* A key that came by call has this for its entity, and its ordinal numbers its text. */
#define INJECTED_ENTITY DDBSIM_ENTITY_MAX
const char *injected_key_text(const struct injected *injected, uint64_t ordinal);
/* Where a key of two texts lies; ordinal 0. */
struct ddbsim_key injected_key(const char *partition_key, const char *sort_key);

#endif
