/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the loader offers beyond reading a scenario (ddbsim/scenario.h): all made from its one
 * table. */
#ifndef LOADER_LOADER_H
#define LOADER_LOADER_H

#include <ddbsim/scenario.h>
#include <stdio.h>

/* The grammar as JSON Schema (draft 2020-12). */
void loader_print_schema(FILE *out);
/* The reference part of docs/scenario.md, in Markdown: a test holds the file against it. */
void loader_print_reference(FILE *out);
/* Gallery scenarios: name (without .yaml) and title; false past the end, and when memory is short, which
 * the error then says. */
bool loader_gallery(int number, char *name, size_t name_size, char *title, size_t title_size,
                    struct ddbsim_error *error);
/* Assumptions by number: name, default, lowest, highest as texts with units, rule id, what it is.
 * False past the end. */
struct loader_assumption {
    const char *name, *rule, *what;
    char value[48], low[48], high[48];
};
bool loader_assumption(int number, struct loader_assumption *out);
/* What another year (of `rules`, or of `alarms` under `model`) puts in place of an assumption's default, by
 * number. False past the end. */
struct loader_rule {
    const char *key, *year, *assumption, *value;
};
bool loader_rule(int number, struct loader_rule *out);
/* "1..10" or "7": seeds first..last. */
DDBSIM_MUST_CHECK enum ddbsim_status loader_seeds(const char *text, uint64_t *first, uint64_t *last,
                                                  struct ddbsim_error *error);

#endif
