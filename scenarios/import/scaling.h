/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Application Auto Scaling: targets, target-tracking policies and scheduled actions, by AWS's or Terraform's words. */
#ifndef IMPORT_SCALING_H
#define IMPORT_SCALING_H

#include "aws.h"

/* What the same things are called. */
struct scaling_words {
    const char *resource_id, *dimension, *space, *min, *max;
    const char *type, *tracking, *target, *scale_in, *scale_out, *disable;
    const char *action_name, *schedule, *timezone, *action;
};
extern const struct scaling_words scaling_aws_words, scaling_terraform_words;

/* What a ResourceId and a ScalableDimension name. Where they name no capacity of a table, `is_write` stands for
 * nothing and resource is NULL. */
struct scaling_of {
    struct import_resource *resource;
    bool is_write;
};
struct scaling_of scaling_find(struct aws *aws, const char *resource_id, const char *dimension);
/* The bounds of a target; nothing where it is of another service. */
void scaling_take_target(struct aws *aws, const struct scaling_words *words, const json_t *target,
                         enum import_rank rank);
/* A policy of what `of` names. */
void scaling_take_policy(struct aws *aws, const struct scaling_words *words, const json_t *policy,
                         struct scaling_of of, enum import_rank rank);
/* The configuration of target tracking alone, as it stands within a policy. */
void scaling_take_tracking(struct aws *aws, const struct scaling_words *words,
                           const json_t *tracking, struct scaling_of of, enum import_rank rank);
void scaling_take_bounds(struct aws *aws, const struct scaling_words *words, const json_t *bounds,
                         struct scaling_of of, enum import_rank rank);
void scaling_take_action(struct aws *aws, const struct scaling_words *words, const json_t *action,
                         struct scaling_of of);

#endif
