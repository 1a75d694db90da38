/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree against the grammar: only known keys, every value of its key's type and range, nothing
 * missing that is required, no two entries of a list with one name. Afterwards every node knows its
 * path, and null values, which mean "as if it were not written", are gone.
 */
#ifndef LOADER_VALIDATE_H
#define LOADER_VALIDATE_H

#include <loader/grammar.h>
#include <loader/yaml_tree.h>

DDBSIM_MUST_CHECK enum ddbsim_status validate_tree(struct arena *arena, struct yaml_node *root,
                                                   const struct literal_clock *clock,
                                                   struct ddbsim_error *error);
/* An entry's name; an operation without one goes by what it does. NULL where there is none. */
const char *validate_name(enum grammar_section section, const struct yaml_node *entry);
/* What a list's entry is called in paths: its name, else its number from 1. NULL when memory is
 * short. */
const char *validate_label(struct arena *arena, enum grammar_section section,
                           const struct yaml_node *entry, uint32_t number);

#endif
