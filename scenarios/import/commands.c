/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands of AWS's CLI that fetch what an import of one table wants, as one paste for a POSIX shell. It asks for
 * the indexes' names itself, for nobody need know them; labels say what each series is of, as the readers of
 * CloudWatch's answers take it.
 *
 * Invariant: what is pasted changes nothing in the account: it describes, lists and gets.
 */
#include "import.h"

#include <ddbsim/names.h>

/* Of a table and of each index: X(metric, statistic) */
#define OF_RESOURCES(X)                 \
    X(CONSUMED_READ, "Sum")             \
    X(CONSUMED_READ, "SampleCount")     \
    X(CONSUMED_WRITE, "Sum")            \
    X(CONSUMED_WRITE, "SampleCount")    \
    X(PROVISIONED_READ, "Average")      \
    X(PROVISIONED_WRITE, "Average")     \
    X(READ_THROTTLE_EVENTS, "Sum")      \
    X(WRITE_THROTTLE_EVENTS, "Sum")     \
    X(READ_PROVISIONED_EVENTS, "Sum")   \
    X(WRITE_PROVISIONED_EVENTS, "Sum")  \
    X(READ_KEY_RANGE_EVENTS, "Sum")     \
    X(WRITE_KEY_RANGE_EVENTS, "Sum")    \
    X(READ_ACCOUNT_EVENTS, "Sum")       \
    X(WRITE_ACCOUNT_EVENTS, "Sum")      \
    X(READ_MAX_ON_DEMAND_EVENTS, "Sum") \
    X(WRITE_MAX_ON_DEMAND_EVENTS, "Sum")
/* Of each call of a table. */
#define OF_CALLS(X)                      \
    X(THROTTLED_REQUESTS, "Sum")         \
    X(SUCCESSFUL_LATENCY, "SampleCount") \
    X(SUCCESSFUL_LATENCY, "Average")     \
    X(RETURNED_ITEMS, "SampleCount")

static const struct wanted {
    enum ddbsim_metric metric;
    const char *statistic;
} of_resources[] =
    {
#define X(e, statistic) {DDBSIM_METRIC_##e, statistic},
        OF_RESOURCES(X)
#undef X
},
  of_calls[] = {
#define X(e, statistic) {DDBSIM_METRIC_##e, statistic},
      OF_CALLS(X)
#undef X
};

static void put_list(struct buffer *out, const struct wanted *list, size_t count,
                     const char *indent) {
    for (size_t i = 0; i < count; i++)
        buffer_printf(out, "%s%s=%s%s", i ? indent : "", ddbsim_metric_name((int)list[i].metric),
                      list[i].statistic, i + 1 < count ? "\n" : "");
}

static const char opening[] =
    "export AWS_DEFAULT_OUTPUT=json AWS_PAGER=\n"
    "mkdir -p \"$table-aws\" && cd \"$table-aws\" || exit\n"
    "aws dynamodb describe-table --table-name \"$table\" >table.json\n"
    "own=\"[?ResourceId=='table/$table' || starts_with(ResourceId, 'table/$table/')]\"\n"
    "aws application-autoscaling describe-scalable-targets --service-namespace dynamodb \\\n"
    "    --query \"{ScalableTargets: ScalableTargets$own}\" >targets.json\n"
    "aws application-autoscaling describe-scaling-policies --service-namespace dynamodb \\\n"
    "    --query \"{ScalingPolicies: ScalingPolicies$own}\" >policies.json\n"
    "aws application-autoscaling describe-scheduled-actions --service-namespace dynamodb \\\n"
    "    --query \"{ScheduledActions: ScheduledActions$own}\" >actions.json\n"
    "aws cloudwatch describe-alarms --query \"{MetricAlarms:\n"
    "    MetricAlarms[?Dimensions[?Name=='TableName' && Value=='$table']]}\" >alarms.json\n";

static const char query[] =
    "n=0 comma=\n"
    "query() { # DIMENSION VALUE LABEL METRIC=STATISTIC\n"
    "    n=$((n + 1)) more=\n"
    "    [ -z \"$1\" ] || more=\", {\\\"Name\\\": \\\"$1\\\", \\\"Value\\\": \\\"$2\\\"}\"\n"
    "    printf '%s{\"Id\": \"m%d\", \"Label\": \"%s %s %s\", \"MetricStat\": {\"Period\": 60, "
    "\"Stat\": "
    "\"%s\",\\n' \\\n"
    "        \"$comma\" \"$n\" \"$3\" \"${4%=*}\" \"${4#*=}\" \"${4#*=}\"\n"
    "    printf '  \"Metric\": {\"Namespace\": \"AWS/DynamoDB\", \"MetricName\": \"%s\", "
    "\"Dimensions\": [\\n' "
    "\"${4%=*}\"\n"
    "    printf '    {\"Name\": \"TableName\", \"Value\": \"%s\"}%s]}}}\\n' \"$table\" \"$more\"\n"
    "    comma=,\n"
    "}\n";

static const char fetching[] =
    "{\n"
    "    echo '['\n"
    "    for each in $resources; do query '' '' \"$table\" \"$each\"; done\n"
    "    for index in $(aws dynamodb describe-table --table-name \"$table\" --output text \\\n"
    "        --query 'Table.GlobalSecondaryIndexes[].IndexName'); do\n"
    "        [ \"$index\" != None ] || continue\n"
    "        for each in $resources; do\n"
    "            query GlobalSecondaryIndexName \"$index\" \"$table $index\" \"$each\"\n"
    "        done\n"
    "    done\n"
    "    for call in $operations; do\n"
    "        for each in $calls; do query Operation \"$call\" \"$table $call\" \"$each\"; done\n"
    "    done\n"
    "    echo ']'\n"
    "} >queries.json\n"
    "aws cloudwatch get-metric-data --metric-data-queries file://queries.json \\\n"
    "    --start-time \"$from\" --end-time \"$to\" >metrics.json\n"
    "for rule in $(aws dynamodb describe-contributor-insights --table-name \"$table\" --output "
    "text \\\n"
    "    --query 'ContributorInsightsRuleList[]'); do\n"
    "    [ \"$rule\" != None ] || continue\n"
    "    aws cloudwatch get-insight-rule-report --rule-name \"$rule\" --period 60 \\\n"
    "        --max-contributor-count 100 --start-time \"$from\" --end-time \"$to\" \\\n"
    "        >\"insights-$rule.json\"\n"
    "done\n";

enum ddbsim_status import_commands(const char *table, const char *from, const char *to, char **out,
                                   struct ddbsim_error *error) {
    struct buffer text = {0};
    buffer_printf(
        &text,
        "# Paste into a shell that has AWS's CLI. It only reads; what it gets is in %s-aws:\n"
        "#   ddbsim import %s-aws/*.json -o %s.yaml\n"
        "sh <<'END'\n"
        "table=%s\nfrom=%s\nto=%s\n",
        table, table, table, table, from, to);
    buffer_put(&text, opening);
    buffer_put(&text, "resources='");
    put_list(&text, of_resources, sizeof of_resources / sizeof *of_resources, "    ");
    buffer_put(&text, "'\ncalls='");
    put_list(&text, of_calls, sizeof of_calls / sizeof *of_calls, "    ");
    buffer_put(&text, "'\noperations='");
    for (int i = 0; ddbsim_operation_name(i); i++)
        buffer_printf(&text, "%s%s", i ? " " : "", ddbsim_operation_name(i));
    buffer_put(&text, "'\n");
    buffer_put(&text, query);
    buffer_put(&text, fetching);
    buffer_put(&text, "END\n");
    *out = buffer_finish(&text);
    return *out ? DDBSIM_OK : error_memory(error);
}
