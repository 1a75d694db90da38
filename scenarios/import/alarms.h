/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CloudWatch alarms, by AWS's, CloudTrail's or Terraform's words. */
#ifndef IMPORT_ALARMS_H
#define IMPORT_ALARMS_H

#include "aws.h"

/* What the same things are called. */
struct alarms_words {
    const char *name, *space, *metric, *metrics, *statistic, *extended, *period, *evaluation;
    const char *datapoints, *comparison, *threshold, *missing, *dimensions;
    const char *dimension_name, *dimension_value; /* NULL: dimensions are an object */
};
extern const struct alarms_words alarms_aws_words, alarms_terraform_words;

/* `otherwise` names an alarm that has no name of its own; NULL: it must have one. */
void alarms_take(struct aws *aws, const struct alarms_words *words, const json_t *node,
                 const char *otherwise);
/* Auto scaling's own alarms tell its policies where no file does. */
DDBSIM_MUST_CHECK enum ddbsim_status alarms_join(struct import *import, struct ddbsim_error *error);
/* `alarms:` of a scenario, where there are any. */
void alarms_put(struct import *import, struct yaml_node *root);

#endif
