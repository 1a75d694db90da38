/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of ddbsim/build.h share: where one stands, failing there, checking against the grammar. */
#ifndef LOADER_BUILD_H
#define LOADER_BUILD_H

#include <base/arena.h>
#include <base/error.h>
#include <ddbsim/build.h>
#include <loader/grammar.h>

/* A place in the scenario that is being built. */
struct build {
    struct ddbsim_scenario *scenario;
    struct arena *arena;
    const char *path; /* such as tables.orders */
    struct ddbsim_error *error;
};

/* A whole number that a key of the grammar bounds. */
struct build_number {
    enum grammar_section section;
    const char *key;
    int64_t value;
};

struct build build_at_scenario(struct ddbsim_scenario *scenario, struct ddbsim_error *error);
/* A level deeper; the path is "" when memory is short, and what comes next fails by itself. */
struct build build_at(const struct build *b, const char *list, const char *name);
/* DDBSIM_INPUT at b's path and key; key NULL: at the path itself. */
enum ddbsim_status build_fail(const struct build *b, const char *key, const char *format, ...)
    DDBSIM_PRINTF(3, 4);
DDBSIM_MUST_CHECK enum ddbsim_status
build_check_numbers(const struct build *b, const struct build_number *numbers, size_t count);
DDBSIM_MUST_CHECK enum ddbsim_status build_check_text(const struct build *b,
                                                      enum grammar_section section, const char *key,
                                                      const char *text);
/* build_layers.c: what stands around a workload's SDK, and Lambda. `client`: where the client stands. */
DDBSIM_MUST_CHECK enum ddbsim_status build_check_layers(const struct build *client,
                                                        const struct ddbsim_client *layers);
DDBSIM_MUST_CHECK enum ddbsim_status build_check_lambda(const struct build *b,
                                                        const struct ddbsim_workload *workload);
/* Checks sizes, of which there may be none, and copies them; the mean stands beside them. */
DDBSIM_MUST_CHECK enum ddbsim_status build_copy_sizes(const struct build *b,
                                                      struct ddbsim_sizes *sizes);
/* Replaces a text by a copy; NULL stays NULL. */
DDBSIM_MUST_CHECK enum ddbsim_status build_copy_text(const struct build *b, const char **text);
/* Checks how a table or an index scales, and copies what it points to. */
DDBSIM_MUST_CHECK enum ddbsim_status build_scaling(const struct build *b,
                                                   enum ddbsim_billing billing,
                                                   struct ddbsim_auto_scaling *scaling);
/* A copy of `count` elements with room for one more; NULL when memory is short. */
void *build_copy_array(const struct build *b, const void *from, size_t count, size_t size);
/* The default that the grammar has for a key. */
int64_t build_default(enum grammar_section section, const char *key);

#endif
