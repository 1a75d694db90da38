/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of loading that have files of their own: changes, faults and resolved settings. */
#ifndef LOADER_LOAD_H
#define LOADER_LOAD_H

#include <loader/read.h>

/* `plain` is the validated tree before anything was written back into it; it is changed. */
DDBSIM_MUST_CHECK enum ddbsim_status changes_read(struct reader *r, struct yaml_node *plain,
                                                  const struct yaml_node *list);
#define FAULTS_MAX 1000
/* What fails for a while. Tables and workloads must have been read. */
DDBSIM_MUST_CHECK enum ddbsim_status faults_read(struct reader *r, const struct yaml_node *list);
/* The tree after reading, flat. */
DDBSIM_MUST_CHECK enum ddbsim_status settings_make(struct reader *r, const struct yaml_node *root);
/* A `set:` mapping as path and value. NULL when memory is short. */
struct ddbsim_setting *settings_of_set(struct arena *arena, const struct yaml_node *set);

#endif
