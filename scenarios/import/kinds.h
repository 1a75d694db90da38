/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The readers behind the rows of kinds.c. */
#ifndef IMPORT_KINDS_H
#define IMPORT_KINDS_H

#include "import.h"

#include <workloads/replay/events.h>

#define KIND(recognises, takes)                      \
    bool recognises(const struct import_file *file); \
    DDBSIM_MUST_CHECK enum ddbsim_status takes(      \
        struct import *import, const struct import_file *file, struct ddbsim_error *error)

KIND(describe_is_table, describe_take_table);
KIND(cfn_is_template, cfn_take_template);
KIND(terraform_is_state, terraform_take_state);
KIND(scaling_is_policies, scaling_take_policies);
KIND(scaling_is_targets, scaling_take_targets);
KIND(scaling_is_actions, scaling_take_actions);
KIND(alarms_is_description, alarms_take_description);
KIND(alarms_is_event, alarms_take_event);
KIND(workbench_is_model, workbench_take_model);

bool recording_is(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status
recording_take(struct import *import, const struct import_file *file, struct ddbsim_error *error);
bool ycsb_is(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status
ycsb_take(struct import *import, const struct import_file *file, struct ddbsim_error *error);
#define X(e, token, name, what)                               \
    bool events_is_##token(const struct import_file *file);   \
    DDBSIM_MUST_CHECK enum ddbsim_status events_take_##token( \
        struct import *import, const struct import_file *file, struct ddbsim_error *error);
EVENTS_KINDS(X)
#undef X
bool events_is_insights(const struct import_file *file);
DDBSIM_MUST_CHECK enum ddbsim_status events_take_insights(struct import *import,
                                                          const struct import_file *file,
                                                          struct ddbsim_error *error);
DDBSIM_MUST_CHECK enum ddbsim_status events_join(struct import *import, struct ddbsim_error *error);

#endif
