/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kinds of files, best first: what recognises little stands behind what recognises much. `ddbsim list formats`,
 * docs/import.md and the verb are made from this table.
 */
#include "kinds.h"

#include "alarms.h"
#include "metrics.h"

static const struct import_kind kinds[] = {
    {"describe-table", "a table as `aws dynamodb describe-table` prints it, or several",
     describe_is_table, describe_take_table, NULL, false},
    {"scaling-policies", "`aws application-autoscaling describe-scaling-policies`",
     scaling_is_policies, scaling_take_policies, NULL, false},
    {"scalable-targets", "`aws application-autoscaling describe-scalable-targets`",
     scaling_is_targets, scaling_take_targets, NULL, false},
    {"scheduled-actions", "`aws application-autoscaling describe-scheduled-actions`",
     scaling_is_actions, scaling_take_actions, NULL, false},
    {"cloudformation", "a template of CloudFormation, SAM or CDK, in YAML or JSON", cfn_is_template,
     cfn_take_template, alarms_join, false},
    {"terraform", "`terraform show -json`, of a state or a plan", terraform_is_state,
     terraform_take_state, alarms_join, false},
    {"nosql-workbench", "a data model of NoSQL Workbench", workbench_is_model, workbench_take_model,
     NULL, false},
    {"put-metric-alarm", "an event of CloudTrail or EventBridge that made an alarm",
     alarms_is_event, alarms_take_event, alarms_join, false},
    {"describe-alarms", "`aws cloudwatch describe-alarms`", alarms_is_description,
     alarms_take_description, alarms_join, false},
    {"ycsb", "a property file of a YCSB workload", ycsb_is, ycsb_take, NULL, false},
#define X(e, small, name, what) {name, what, metrics_is_##small, metrics_take, metrics_join, true},
    CLOUDWATCH_SHAPES(X)
#undef X
        {"contributor-insights",
         "a report of CloudWatch Contributor Insights: which keys are asked for most",
         events_is_insights, events_take_insights, events_join, false},
#define X(e, token, name, what) \
    {name, what, events_is_##token, events_take_##token, events_join, false},
    EVENTS_KINDS(X)
#undef X
    /* Last: a format of rows takes what has names of columns that anybody may use. */
    {"recording", "a trace, a load test's results, or what else a scenario's `replay' reads",
     recording_is, recording_take, NULL, false},
};

const struct import_kind *import_kind(size_t number) {
    return number < sizeof kinds / sizeof *kinds ? &kinds[number] : NULL;
}
