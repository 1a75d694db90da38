/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Alarms as DescribeAlarms and PutMetricAlarm have them (CloudWatch API reference, MetricAlarm). Those whose names begin
 * with "TargetTracking-" are auto scaling's own, and no scenario has them: its policies make them. Where no file has the
 * policy they tell it: the high one's threshold is target x capacity x 60 s, the low one's lies 20 points of the
 * capacity below (docs/model.md, M-93), and those of provisioned capacity are at the capacity itself.
 *
 * Invariant: an alarm stands once, by its name.
 */
#include "alarms.h"

#include "kinds.h"

#include <ddbsim/names.h>
#include <base/check.h>
#include <inttypes.h>
#include <loader/literal.h>
#include <stdio.h>
#include <string.h>

#define OWN "TargetTracking-"
#define SPACE "AWS/DynamoDB"
#define PERIOD_S 60.0 /* of auto scaling's alarms on consumption */
#define MARGIN 0.2    /* of the capacity, between its two alarms */
#define USUAL_TARGET 70.0
#define OLD_PERIODS 5 /* of the high alarm, as it was in 2017 */
#define COUNT_MAX 100000
#define THRESHOLD_MAX 1e15

const struct alarms_words alarms_aws_words = {"AlarmName",
                                              "Namespace",
                                              "MetricName",
                                              "Metrics",
                                              "Statistic",
                                              "ExtendedStatistic",
                                              "Period",
                                              "EvaluationPeriods",
                                              "DatapointsToAlarm",
                                              "ComparisonOperator",
                                              "Threshold",
                                              "TreatMissingData",
                                              "Dimensions",
                                              "Name",
                                              "Value"};
const struct alarms_words alarms_terraform_words = {"alarm_name",
                                                    "namespace",
                                                    "metric_name",
                                                    "metric_query",
                                                    "statistic",
                                                    "extended_statistic",
                                                    "period",
                                                    "evaluation_periods",
                                                    "datapoints_to_alarm",
                                                    "comparison_operator",
                                                    "threshold",
                                                    "treat_missing_data",
                                                    "dimensions",
                                                    NULL,
                                                    NULL};
static const struct alarms_words trail_words = {"alarmName",
                                                "namespace",
                                                "metricName",
                                                "metrics",
                                                "statistic",
                                                "extendedStatistic",
                                                "period",
                                                "evaluationPeriods",
                                                "datapointsToAlarm",
                                                "comparisonOperator",
                                                "threshold",
                                                "treatMissingData",
                                                "dimensions",
                                                "name",
                                                "value"};

/* ---- taking ---- */

static void pass(struct aws *aws, const char *name, const char *why) {
    import_note(aws->import, IMPORT_PASSED, aws->file, "alarm %s: %s", name, why);
}

static bool set_dimension(struct aws *aws, struct import_alarm *alarm, const char *name,
                          const char *value) {
    const struct {
        const char *name, **out;
    } known[] = {{"TableName", &alarm->table},
                 {"GlobalSecondaryIndexName", &alarm->index},
                 {"Operation", &alarm->operation},
                 {"ReceivingRegion", &alarm->receiving_region}};
    for (size_t i = 0; name && value && i < sizeof known / sizeof *known; i++) {
        if (strcmp(name, known[i].name) != 0) continue;
        *known[i].out = import_text(aws->import, "%s", value);
        return true;
    }
    return false;
}

static bool take_dimensions(struct aws *aws, const struct alarms_words *words, const json_t *node,
                            struct import_alarm *alarm) {
    bool known = true;
    const char *key;
    json_t *value;
    if (!words->dimension_name) {
        const json_t *map = document_object(aws->document, node, words->dimensions);
        json_object_foreach((json_t *)(uintptr_t)map, key, value) known =
            set_dimension(aws, alarm, key, json_string_value(value)) && known;
        return known;
    }
    const json_t *list = document_array(aws->document, node, words->dimensions);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = document_item(aws->document, list, i);
        const char *name = document_text(aws->document, item, words->dimension_name);
        const char *text = document_text(aws->document, item, words->dimension_value);
        known = set_dimension(aws, alarm, name, text) && known;
    }
    return known;
}

static void add(struct import *import, const struct import_alarm *alarm) {
    struct import_alarm *each = import->alarms;
    while (each && strcmp(each->name, alarm->name) != 0)
        each = each->next;
    if (each) { /* the later description counts */
        struct import_alarm *next = each->next;
        *each = *alarm;
        each->next = next;
        return;
    }
    each = arena_alloc(import->arena, 1, sizeof *each);
    import->short_of_memory = import->short_of_memory || !each;
    if (!each) return;
    *each = *alarm;
    *import->last_alarm = each;
    import->last_alarm = &each->next;
}

static void take_numbers(struct aws *aws, const struct alarms_words *words, const json_t *node,
                         struct import_alarm *out) {
    struct document *document = aws->document;
    out->period_s = document_integer(document, node, words->period, 1, COUNT_MAX, IMPORT_UNKNOWN);
    out->evaluation_periods = document_integer(document, node, words->evaluation, 1, COUNT_MAX, 1);
    out->datapoints_to_alarm =
        document_integer(document, node, words->datapoints, 0, COUNT_MAX, IMPORT_UNKNOWN);
    out->threshold = document_number(document, node, words->threshold, 0);
    if (!(out->threshold > -THRESHOLD_MAX && out->threshold < THRESHOLD_MAX))
        document_fail(document, node, words->threshold, "the threshold is beyond any metric");
}

void alarms_take(struct aws *aws, const struct alarms_words *words, const json_t *node,
                 const char *otherwise) {
    struct import_alarm alarm = {.file = aws->file};
    alarm.name = aws_text(aws, node, words->name);
    if (!alarm.name) alarm.name = otherwise ? otherwise : aws_name(aws, node, words->name);
    if (!alarm.name) return;
    if (json_array_size(document_array(aws->document, node, words->metrics)) > 0) {
        pass(aws, alarm.name, "it calculates with metrics, which no scenario does");
        return;
    }
    const char *space = aws_text(aws, node, words->space);
    alarm.metric = aws_text(aws, node, words->metric);
    if (!space || strcmp(space, SPACE) != 0 || !alarm.metric) {
        pass(aws, alarm.name, "its metric is none of " SPACE);
        return;
    }
    alarm.statistic = aws_text(aws, node, words->extended);
    if (!alarm.statistic) alarm.statistic = aws_text(aws, node, words->statistic);
    alarm.comparison = aws_text(aws, node, words->comparison);
    alarm.missing = aws_text(aws, node, words->missing);
    take_numbers(aws, words, node, &alarm);
    if (!take_dimensions(aws, words, node, &alarm)) {
        pass(aws, alarm.name, "it has a dimension that no scenario knows");
        return;
    }
    add(aws->import, &alarm);
}

/* ---- describe-alarms ---- */

static bool is_alarm(const json_t *value) {
    return json_is_string(json_object_get(value, "AlarmName")) &&
           json_is_string(json_object_get(value, "MetricName"));
}

static bool is_list(const json_t *value) {
    const json_t *first = json_array_get(value, 0);
    return is_alarm(first) || (json_is_string(json_object_get(first, "AlarmName")) &&
                               json_is_array(json_object_get(first, "Metrics")));
}

/* {"MetricAlarms": [...]}; also a list, and lists under other names. */
bool alarms_is_description(const struct import_file *file) {
    const char *key;
    json_t *value;
    if (!file->document) return false;
    const json_t *root = document_root(file->document);
    if (is_list(root) || json_is_array(json_object_get(root, "MetricAlarms"))) return true;
    json_object_foreach((json_t *)(uintptr_t)root, key, value) if (is_list(value)) return true;
    return false;
}

static void take_list(struct aws *aws, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *node = document_item(aws->document, list, i);
        if (node) alarms_take(aws, &alarms_aws_words, node, NULL);
    }
}

enum ddbsim_status alarms_take_description(struct import *import, const struct import_file *file,
                                           struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *root = document_root(file->document);
    const char *key;
    json_t *value;
    if (json_is_array(root)) take_list(&aws, root);
    json_object_foreach((json_t *)(uintptr_t)root, key, value)
        /* a list of any name is what a query of the CLI made of it */
        if (json_is_array(value) && strcmp(key, "CompositeAlarms") != 0)
            take_list(&aws, document_array(aws.document, root, key));
    if (json_array_size(json_object_get(root, "CompositeAlarms")) > 0)
        import_note(import, IMPORT_PASSED, aws.file, "alarms of alarms, which no scenario has");
    return aws_status(&aws, error);
}

/* ---- PutMetricAlarm, as CloudTrail and EventBridge tell of it ---- */

static const json_t *event_of(const json_t *value) {
    const json_t *detail = json_object_get(value, "detail");
    const json_t *event = json_is_object(detail) ? detail : value;
    const char *name = json_string_value(json_object_get(event, "eventName"));
    return name && !strcmp(name, "PutMetricAlarm") ? event : NULL;
}

bool alarms_is_event(const struct import_file *file) {
    if (!file->document) return false;
    const json_t *root = document_root(file->document);
    const json_t *records = json_object_get(root, "Records");
    size_t count = json_array_size(records), alarms = 0;
    while (alarms < count && event_of(json_array_get(records, alarms)))
        alarms++;
    return event_of(root) || (count > 0 && alarms == count);
}

static void take_event(struct aws *aws, const json_t *event) {
    const json_t *parameters = document_object(aws->document, event, "requestParameters");
    if (parameters) alarms_take(aws, &trail_words, parameters, NULL);
}

enum ddbsim_status alarms_take_event(struct import *import, const struct import_file *file,
                                     struct ddbsim_error *error) {
    struct aws aws = {.import = import, .document = file->document, .file = file->path};
    const json_t *root = document_root(file->document);
    const json_t *records = document_array(aws.document, root, "Records");
    if (event_of(root)) take_event(&aws, event_of(root));
    for (size_t i = 0; i < json_array_size(records); i++)
        if (event_of(json_array_get(records, i)))
            take_event(&aws, event_of(json_array_get(records, i)));
    return aws_status(&aws, error);
}

/* ---- what auto scaling's own alarms tell ---- */

/* Of one capacity. Thresholds are in units of a period; negative: there is none. */
struct told {
    struct import_table *table;
    struct import_resource *resource;
    const char *file;
    bool is_write;
    double high, low, provisioned;
    int64_t high_periods;
    struct told *next;
};

static bool is_own(const struct import_alarm *alarm) {
    return !strncmp(alarm->name, OWN, strlen(OWN));
}

/* TargetTracking-table/NAME[/index/NAME]-AlarmHigh-...: what stands before the kind. */
static bool split_name(struct import *import, struct import_alarm *alarm) {
    static const char *const kinds[] = {"-AlarmHigh", "-AlarmLow", "-ProvisionedCapacityHigh",
                                        "-ProvisionedCapacityLow"};
    const char *start = alarm->name + strlen(OWN), *end = NULL;
    if (strncmp(start, "table/", 6) != 0) return false;
    start += 6;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !end; i++)
        end = strstr(start, kinds[i]);
    if (!end || end == start) return false;
    const char *index = strstr(start, "/index/");
    bool has_index = index && index < end;
    alarm->table = import_text(import, "%.*s", (int)((has_index ? index : end) - start), start);
    alarm->index =
        has_index ? import_text(import, "%.*s", (int)(end - index - 7), index + 7) : NULL;
    return alarm->table != NULL;
}

static struct told *told_of(struct import *import, struct told **all,
                            const struct import_alarm *alarm) {
    struct import_table *table = import_table(import, alarm->table, alarm->file);
    if (!table) return NULL;
    struct import_index *index = alarm->index ? import_index(import, table, alarm->index) : NULL;
    if (alarm->index && !index) return NULL;
    struct import_resource *resource = index ? &index->resource : &table->resource;
    bool is_write = strstr(alarm->metric, "Write") != NULL;
    struct told *each = *all;
    while (each && (each->resource != resource || each->is_write != is_write))
        each = each->next;
    if (each) return each;
    each = arena_alloc(import->arena, 1, sizeof *each);
    import->short_of_memory = import->short_of_memory || !each;
    if (!each) return NULL;
    *each = (struct told){.table = table,
                          .resource = resource,
                          .file = alarm->file,
                          .is_write = is_write,
                          .high = -1,
                          .low = -1,
                          .provisioned = -1,
                          .next = *all};
    return *all = each;
}

static void hear(struct import *import, struct told **all, struct import_alarm *alarm) {
    if (!alarm->table && !split_name(import, alarm)) {
        import_note(import, IMPORT_PASSED, alarm->file,
                    "alarm %s: it does not say which table it watches", alarm->name);
        return;
    }
    struct told *told = told_of(import, all, alarm);
    if (!told) return;
    if (strstr(alarm->metric, "Provisioned")) {
        told->provisioned = alarm->threshold;
    } else if (alarm->comparison && !strncmp(alarm->comparison, "Greater", 7)) {
        told->high = alarm->threshold;
        told->high_periods = alarm->evaluation_periods;
    } else {
        told->low = alarm->threshold;
    }
}

/* The capacity that the thresholds stand for; `how` says from what. */
static double capacity_of(const struct told *told, const char **how) {
    const struct import_units *known = &told->resource->capacity;
    int64_t units = told->is_write ? known->write : known->read;
    *how = "its capacity is described";
    if (units > 0) return (double)units;
    *how = "its alarms of provisioned capacity are at it";
    if (told->provisioned >= 1) return told->provisioned;
    *how = "its alarms of consumption lie 20 points of it apart";
    if (told->low >= 0 && told->high > told->low)
        return (told->high - told->low) / PERIOD_S / MARGIN;
    *how = "as a target of 70 % (20..90 %) would have it";
    return told->high / PERIOD_S / (USUAL_TARGET / 100);
}

static void tell_capacity(struct import *import, const struct told *told, double capacity,
                          const char *how) {
    int64_t *units =
        told->is_write ? &told->resource->capacity.write : &told->resource->capacity.read;
    if (*units > 0) return;
    *units = (int64_t)(capacity + 0.5);
    if (*units < 1) *units = 1;
    import_note(import, IMPORT_ASSUMED, told->file, "%s: %s capacity %" PRId64 " (%.0f..%.0f): %s",
                told->resource->name, told->is_write ? "write" : "read", *units,
                told->high / PERIOD_S / 0.9, told->high / PERIOD_S / 0.2, how);
}

static void tell(struct import *import, struct told *told) {
    struct import_policy *policy = told->is_write ? &told->resource->write : &told->resource->read;
    const char *how = NULL, *name = told->resource->name;
    if (told->high_periods == OLD_PERIODS) told->table->alarms_of_2017 = true;
    if (policy->file) {
        import_note(import, IMPORT_TOOK, told->file,
                    "auto scaling's own alarms of %s, which its policy makes", name);
        return;
    }
    if (told->high <= 0) {
        import_note(import, IMPORT_PASSED, told->file,
                    "auto scaling's own alarms of %s: without the high one they do not tell its "
                    "target",
                    name);
        return;
    }
    double capacity = capacity_of(told, &how);
    double target = told->high / PERIOD_S / capacity * 100;
    if (!(target >= 19.5 && target <= 90.5)) {
        target = USUAL_TARGET;
        how = "at the capacity described its alarm is at no target that AWS allows";
    }
    policy->file = told->file;
    policy->rank = IMPORT_IMPLIED;
    policy->target_percent = (double)(int64_t)(target + 0.5);
    tell_capacity(import, told, capacity, how);
    import_note(import, IMPORT_ASSUMED, told->file,
                "%s: auto scaling of the %s capacity to %.0f %%, from its own alarms: %s", name,
                told->is_write ? "write" : "read", policy->target_percent, how);
}

enum ddbsim_status alarms_join(struct import *import, struct ddbsim_error *error) {
    struct told *all = NULL;
    for (struct import_alarm *alarm = import->alarms; alarm; alarm = alarm->next)
        if (is_own(alarm)) hear(import, &all, alarm);
    for (struct told *told = all; told; told = told->next)
        tell(import, told);
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}

/* ---- into the scenario ---- */

/* NULL: a scenario can have it. */
static const char *why_not(const struct import *import, const struct import_alarm *alarm) {
    const struct import_table *table =
        alarm->table ? import_find_table(import, alarm->table) : NULL;
    const struct import_index *index =
        table && alarm->index ? import_find_index(table, alarm->index) : NULL;
    if (alarm->table && !table) return "no file describes its table";
    if (alarm->index && (!index || !index->resource.partition_key))
        return "no file describes its index";
    if (ddbsim_name_find(ddbsim_metric_name, alarm->metric) < 0) return "a run has no such metric";
    return alarm->comparison ? NULL : "it does not say how it compares";
}

static void put_alarm(struct import *import, struct yaml_node *list,
                      const struct import_alarm *alarm) {
    char long_text[64], text[64];
    struct yaml_node *node = import_item(import, list);
    import_put(import, node, "name", "%s", alarm->name);
    if (alarm->table) import_put(import, node, "table", "%s", alarm->table);
    if (alarm->index) import_put(import, node, "index", "%s", alarm->index);
    if (alarm->receiving_region)
        import_put(import, node, "receiving_region", "%s", alarm->receiving_region);
    if (alarm->operation) import_put(import, node, "operation", "%s", alarm->operation);
    import_put(import, node, "metric", "%s", alarm->metric);
    if (alarm->statistic) import_put(import, node, "statistic", "%s", alarm->statistic);
    if (alarm->period_s > 0) import_put(import, node, "period", "%" PRId64 "s", alarm->period_s);
    import_put(import, node, "evaluation_periods", "%" PRId64, alarm->evaluation_periods);
    if (alarm->datapoints_to_alarm > 0)
        import_put(import, node, "datapoints_to_alarm", "%" PRId64, alarm->datapoints_to_alarm);
    import_put(import, node, "comparison", "%s", alarm->comparison);
    snprintf(long_text, sizeof long_text, "%.6f", alarm->threshold);
    literal_put_decimal(long_text, text, sizeof text);
    import_put(import, node, "threshold", "%s", text);
    import_put(import, node, "treat_missing_data", "%s",
               alarm->missing ? alarm->missing : "missing");
}

void alarms_put(struct import *import, struct yaml_node *root) {
    struct yaml_node *list = NULL;
    for (const struct import_alarm *alarm = import->alarms; alarm; alarm = alarm->next) {
        if (is_own(alarm)) continue;
        const char *why = why_not(import, alarm);
        if (why) {
            import_note(import, IMPORT_PASSED, alarm->file, "alarm %s: %s", alarm->name, why);
            continue;
        }
        if (!list) list = import_list(import, root, "alarms");
        put_alarm(import, list, alarm);
        import_note(import, IMPORT_TOOK, alarm->file, "alarm %s", alarm->name);
    }
}
