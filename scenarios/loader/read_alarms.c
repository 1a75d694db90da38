/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CloudWatch alarms of the user's own, in CloudWatch's words (API PutMetricAlarm), over the metrics that
 * DynamoDB has (guide, "DynamoDB metrics and dimensions": which statistics, which dimensions, which
 * period). Auto scaling makes alarms too; expectations may name them.
 *
 * Invariant: an alarm that was read watches a metric that CloudWatch would have.
 */
#include <loader/read.h>

#include <base/types.h>
#include <stdio.h>
#include <string.h>

#define DAY_S 86400
#define OWN_NAMES "TargetTracking-" /* how the names of auto scaling's alarms begin */
#define PERCENTILE_BYTES 16

/* ---- metrics ---- */

enum {
    SUM = 1 << DDBSIM_ALARM_SUM,
    AVERAGE = 1 << DDBSIM_ALARM_AVERAGE,
    MINIMUM = 1 << DDBSIM_ALARM_MINIMUM,
    MAXIMUM = 1 << DDBSIM_ALARM_MAXIMUM,
    SAMPLES = 1 << DDBSIM_ALARM_SAMPLE_COUNT,
    PERCENTILES = 1 << DDBSIM_ALARM_PERCENTILE,
    COUNTED = SUM | SAMPLES,
    EXTREMES = MINIMUM | MAXIMUM,
    CONSUMED = COUNTED | EXTREMES | AVERAGE
};

static const char *const statistic_names[] = {
    [DDBSIM_ALARM_SUM] = "Sum",
    [DDBSIM_ALARM_AVERAGE] = "Average",
    [DDBSIM_ALARM_MINIMUM] = "Minimum",
    [DDBSIM_ALARM_MAXIMUM] = "Maximum",
    [DDBSIM_ALARM_SAMPLE_COUNT] = "SampleCount",
    [DDBSIM_ALARM_PERCENTILE] = "p50 to p99.9",
};
#define STATISTICS (sizeof statistic_names / sizeof *statistic_names)

/* What a metric is kept by besides the table, and as. */
enum dimension { OF_ACCOUNT, OF_TABLE, OF_RESOURCE, OF_INDEX, OF_OPERATION, OF_LINK };

struct watched {
    enum dimension by;
    unsigned statistics;
    int64_t period_s;
};

static const struct watched watched[DDBSIM_METRIC_KINDS] = {
    [DDBSIM_METRIC_CONSUMED_READ] = {OF_RESOURCE, CONSUMED, 60},
    [DDBSIM_METRIC_CONSUMED_WRITE] = {OF_RESOURCE, CONSUMED, 60},
    [DDBSIM_METRIC_READ_THROTTLE_EVENTS] = {OF_RESOURCE, COUNTED, 60},
    [DDBSIM_METRIC_WRITE_THROTTLE_EVENTS] = {OF_RESOURCE, COUNTED, 60},
    [DDBSIM_METRIC_READ_PROVISIONED_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_WRITE_PROVISIONED_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_READ_KEY_RANGE_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_WRITE_KEY_RANGE_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_READ_ACCOUNT_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_WRITE_ACCOUNT_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_READ_MAX_ON_DEMAND_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_WRITE_MAX_ON_DEMAND_EVENTS] = {OF_RESOURCE, COUNTED | EXTREMES, 60},
    [DDBSIM_METRIC_THROTTLED_REQUESTS] = {OF_OPERATION, COUNTED, 60},
    [DDBSIM_METRIC_SUCCESSFUL_LATENCY] = {OF_OPERATION, CONSUMED | PERCENTILES, 60},
    [DDBSIM_METRIC_USER_ERRORS] = {OF_ACCOUNT, COUNTED, 60},
    [DDBSIM_METRIC_SYSTEM_ERRORS] = {OF_OPERATION, COUNTED, 60},
    [DDBSIM_METRIC_TTL_DELETED] = {OF_TABLE, COUNTED, 60},
    [DDBSIM_METRIC_CONDITIONS_FAILED] = {OF_TABLE, CONSUMED, 60},
    [DDBSIM_METRIC_TRANSACTION_CONFLICT] = {OF_TABLE, CONSUMED, 60},
    [DDBSIM_METRIC_RETURNED_ITEMS] = {OF_OPERATION, CONSUMED, 60},
    [DDBSIM_METRIC_REPLICATION_LATENCY] = {OF_LINK, EXTREMES | AVERAGE, 60},
    [DDBSIM_METRIC_ONLINE_PROGRESS] = {OF_INDEX, CONSUMED, 300},
    [DDBSIM_METRIC_ONLINE_CONSUMED] = {OF_INDEX, CONSUMED, 300},
    [DDBSIM_METRIC_ONLINE_THROTTLES] = {OF_INDEX, CONSUMED, 300},
    [DDBSIM_METRIC_PROVISIONED_READ] = {OF_RESOURCE, EXTREMES | AVERAGE, 300},
    [DDBSIM_METRIC_PROVISIONED_WRITE] = {OF_RESOURCE, EXTREMES | AVERAGE, 300},
};

static enum ddbsim_status read_metric(struct reader *r, const struct yaml_node *node,
                                      struct ddbsim_alarm *out) {
    const struct yaml_node *metric = yaml_child(node, "metric");
    int number = 0;
    if (ddbsim_name_find(ddbsim_outcome_name, metric->text) >= 0) {
        enum ddbsim_status status = yaml_fail(
            r->error, metric, "CloudWatch has no %.60s: it is an outcome of a run", metric->text);
        error_hint(r->error, "`ddbsim list metrics` shows which metrics are CloudWatch's");
        return status;
    }
    enum ddbsim_status status = read_name(r, metric, "metric", ddbsim_metric_name, NULL, &number);
    out->metric = (enum ddbsim_metric)number;
    if (status || watched[number].period_s > 0) return status;
    return yaml_fail(r->error, metric, "alarms on %.60s are not simulated", metric->text);
}

/* ---- what it watches ---- */

static enum ddbsim_status find_table(struct reader *r, const struct yaml_node *table,
                                     uint32_t *out) {
    struct suggest suggest;
    suggest_start(&suggest, table->text);
    for (*out = 0; *out < r->scenario->table_count; (*out)++) {
        const char *name = r->scenario->tables[*out].name;
        if (!strcmp(name, table->text)) return DDBSIM_OK;
        suggest_offer(&suggest, name);
    }
    return read_fail_word(r, table, "table", &suggest, NULL);
}

static enum ddbsim_status find_index(struct reader *r, const struct ddbsim_table *table,
                                     const struct yaml_node *index, uint32_t *out) {
    struct suggest suggest;
    suggest_start(&suggest, index->text);
    for (*out = 0; *out < table->index_count; (*out)++) {
        bool found = !strcmp(table->indexes[*out].name, index->text);
        if (found && table->indexes[*out].type == DDBSIM_GLOBAL) return DDBSIM_OK;
        if (found)
            return yaml_fail(r->error, index, "a LOCAL index has no metrics: they are its table's");
        suggest_offer(&suggest, table->indexes[*out].name);
    }
    return read_fail_word(r, index, "index", &suggest, NULL);
}

static enum ddbsim_status refuse(struct reader *r, const struct yaml_node *node, const char *key,
                                 const struct ddbsim_alarm *alarm) {
    const struct yaml_node *child = yaml_child(node, key);
    if (!child) return DDBSIM_OK;
    return yaml_fail_key(r->error, child, "CloudWatch keeps %s by no %s",
                         ddbsim_metric_name((int)alarm->metric), key);
}

static enum ddbsim_status read_operation_name(struct reader *r, const struct yaml_node *node,
                                              struct ddbsim_alarm *out) {
    const struct yaml_node *operation = yaml_child(node, "operation");
    if (!operation) return DDBSIM_OK;
    return read_name(r, operation, "operation", ddbsim_operation_name,
                     grammar_find(SECTION_OPERATION, "operation")->later, &out->operation);
}

/* The table that stands in a Region for the one that is watched. */
static enum ddbsim_status read_receiver(struct reader *r, const struct yaml_node *node,
                                        struct ddbsim_alarm *out) {
    const struct ddbsim_table *tables = r->scenario->tables, *sender = &tables[out->table];
    const struct yaml_node *region = yaml_child(node, "receiving_region");
    struct suggest suggest;
    if (!region) {
        enum ddbsim_status status =
            yaml_fail(r->error, node, "the key \"receiving_region\" is missing");
        error_hint(r->error, "CloudWatch keeps ReplicationLatency for each Region that receives");
        return status;
    }
    suggest_start(&suggest, region->text);
    for (uint32_t t = 0; t < r->scenario->table_count && sender->region; t++) {
        if (t == out->table || !tables[t].region || tables[t].home != sender->home) continue;
        out->receiver = t;
        if (!strcmp(tables[t].region, region->text)) return DDBSIM_OK;
        suggest_offer(&suggest, tables[t].region);
    }
    return read_fail_word(r, region, "replica in", &suggest, NULL);
}

static enum ddbsim_status read_dimensions(struct reader *r, const struct yaml_node *node,
                                          struct ddbsim_alarm *out) {
    const struct yaml_node *table = yaml_child(node, "table"), *index = yaml_child(node, "index");
    enum dimension by = watched[out->metric].by;
    enum ddbsim_status status = DDBSIM_OK;
    out->table = out->index = out->receiver = DDBSIM_NONE;
    out->operation = -1;
    if (by != OF_OPERATION) status = refuse(r, node, "operation", out);
    if (!status && by != OF_RESOURCE && by != OF_INDEX) status = refuse(r, node, "index", out);
    if (!status && by != OF_LINK) status = refuse(r, node, "receiving_region", out);
    if (!status && by == OF_ACCOUNT) status = refuse(r, node, "table", out);
    if (status || by == OF_ACCOUNT) return status;
    if (!table) {
        status = yaml_fail(r->error, node, "the key \"table\" is missing");
        error_hint(r->error, "only UserErrors is a metric of the whole account");
        return status;
    }
    status = find_table(r, table, &out->table);
    if (!status && by == OF_INDEX && !index) {
        status = yaml_fail(r->error, node, "the key \"index\" is missing");
        error_hint(r->error, "%s is a metric of an index", ddbsim_metric_name((int)out->metric));
    }
    if (!status && index)
        status = find_index(r, &r->scenario->tables[out->table], index, &out->index);
    if (!status && by == OF_LINK) status = read_receiver(r, node, out);
    return status ? status : read_operation_name(r, node, out);
}

/* ---- statistics and periods ---- */

static enum ddbsim_status fail_statistic(struct reader *r, const struct yaml_node *statistic,
                                         const struct ddbsim_alarm *alarm) {
    char list[120] = "";
    for (size_t i = 0; i < STATISTICS; i++) {
        if (!(watched[alarm->metric].statistics >> i & 1)) continue;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", length ? ", " : "",
                 statistic_names[i]);
    }
    const char *metric = ddbsim_metric_name((int)alarm->metric);
    enum ddbsim_status status =
        yaml_fail(r->error, statistic, "%s has no statistic \"%.40s\"", metric, statistic->text);
    error_hint(r->error, "it has %s", list);
    return status;
}

/* p99.9 as a share above 0 and below 1. */
static bool read_percentile(const char *text, int64_t *out) {
    struct literal_problem ignored;
    char share[PERCENTILE_BYTES];
    if (*text != 'p' || strlen(text) + 1 > sizeof share) return false;
    snprintf(share, sizeof share, "%.14s%%", text + 1);
    return literal_share(share, out, &ignored) && *out > 0 && *out < DDBSIM_SHARE_ONE;
}

static enum ddbsim_status read_statistic(struct reader *r, const struct yaml_node *node,
                                         struct ddbsim_alarm *out) {
    const struct yaml_node *statistic = yaml_child(node, "statistic");
    unsigned known = watched[out->metric].statistics;
    bool level = !(known & SUM) || (known & PERCENTILES);
    unsigned number = level ? DDBSIM_ALARM_AVERAGE : DDBSIM_ALARM_SUM;
    if (statistic && read_percentile(statistic->text, &out->percentile))
        number = DDBSIM_ALARM_PERCENTILE;
    else if (statistic)
        for (number = 0; number < STATISTICS; number++)
            if (!strcmp(statistic_names[number], statistic->text)) break;
    if (number >= STATISTICS || !(known >> number & 1)) return fail_statistic(r, statistic, out);
    out->statistic = (enum ddbsim_alarm_statistic)number;
    return DDBSIM_OK;
}

static enum ddbsim_status read_period(struct reader *r, const struct yaml_node *node,
                                      struct ddbsim_alarm *out) {
    int64_t least_s = watched[out->metric].period_s;
    int64_t period_ns = read_int(r, SECTION_ALARM, node, "period", least_s * NS_PER_S);
    out->period_s = period_ns / NS_PER_S;
    out->evaluation_periods = (uint32_t)read_int(r, SECTION_ALARM, node, "evaluation_periods", 1);
    out->datapoints_to_alarm =
        (uint32_t)read_int(r, SECTION_ALARM, node, "datapoints_to_alarm", out->evaluation_periods);
    if (period_ns % (least_s * NS_PER_S) != 0)
        return yaml_fail(r->error, read_at(node, "period"), "the period is no multiple of %d s%s",
                         (int)least_s, least_s > 60 ? ", in which CloudWatch has this metric" : "");
    if (out->evaluation_periods * out->period_s > DAY_S) {
        enum ddbsim_status status = yaml_fail(r->error, read_at(node, "evaluation_periods"),
                                              "the alarm looks back more than a day");
        error_hint(r->error, "CloudWatch allows evaluation_periods x period up to 86,400 s");
        return status;
    }
    if (out->datapoints_to_alarm <= out->evaluation_periods) return DDBSIM_OK;
    return yaml_fail(r->error, read_at(node, "datapoints_to_alarm"),
                     "%u datapoints cannot breach in %u evaluation_periods",
                     out->datapoints_to_alarm, out->evaluation_periods);
}

/* ---- the threshold ---- */

/* A share is of what the table or index could consume in a period: only its Sum can be held against it. */
static enum ddbsim_status check_share(struct reader *r, const struct yaml_node *threshold,
                                      const struct ddbsim_alarm *alarm) {
    bool consumed = alarm->metric == DDBSIM_METRIC_CONSUMED_READ ||
                    alarm->metric == DDBSIM_METRIC_CONSUMED_WRITE;
    enum ddbsim_status status = DDBSIM_OK;
    if (!consumed || alarm->statistic != DDBSIM_ALARM_SUM) {
        status =
            yaml_fail(r->error, threshold, "only a Sum of consumed units is a share of capacity");
        error_hint(r->error, "write a number in the metric's unit");
    } else if (r->scenario->tables[alarm->table].billing == DDBSIM_PAY_PER_REQUEST) {
        status = yaml_fail(r->error, threshold,
                           "a PAY_PER_REQUEST table has no capacity to take a share of");
        error_hint(r->error, "write a number of units: the sum of one period");
    }
    return status;
}

/* Each comparison has a word of CloudWatch's and a sign; a sign is written back as its word, so that one
 * meaning is one resolved setting. */
static enum ddbsim_status read_comparison(struct reader *r, const struct yaml_node *node,
                                          struct ddbsim_alarm *out) {
    struct yaml_node *comparison = yaml_child(node, "comparison");
    const struct grammar_key *key = grammar_find(SECTION_ALARM, "comparison");
    char word[48];
    int64_t number = read_int(r, SECTION_ALARM, node, "comparison", 0) % (DDBSIM_LESS_OR_EQUAL + 1);
    out->comparison = (enum ddbsim_comparison)number;
    grammar_put(key, number, word, sizeof word);
    comparison->text = arena_copy(r->arena, word, strlen(word));
    return comparison->text ? DDBSIM_OK : error_memory(r->error);
}

static enum ddbsim_status read_threshold(struct reader *r, const struct yaml_node *node,
                                         struct ddbsim_alarm *out) {
    struct grammar_value value = {0};
    (void)read_value(r, SECTION_ALARM, node, "threshold", &value);
    out->of_capacity = value.is_share;
    out->threshold = value.is_share ? (double)value.integer / (double)DDBSIM_SHARE_ONE : value.real;
    out->missing =
        (enum ddbsim_missing_data)read_int(r, SECTION_ALARM, node, "treat_missing_data", 0);
    return value.is_share ? check_share(r, yaml_child(node, "threshold"), out) : DDBSIM_OK;
}

/* ---- names ---- */

static enum ddbsim_status check_name(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_alarm *out) {
    const struct yaml_node *name = yaml_child(node, "name");
    out->name = name->text;
    if (strncmp(name->text, OWN_NAMES, strlen(OWN_NAMES)) != 0) return DDBSIM_OK;
    return yaml_fail(r->error, name, "names that begin with %s are those of auto scaling",
                     OWN_NAMES);
}

static bool add_name(struct reader *r, const char *name) {
    r->alarm_names[r->alarm_name_count] = name;
    r->alarm_name_count += name != NULL;
    return name != NULL;
}

/* The two alarms that auto scaling makes for a policy. AWS ends their names with a UUID, which is a number
 * that nobody knows before; here the direction stands in its place. */
static bool add_own(struct reader *r, const char *table, const char *index,
                    const struct ddbsim_target_tracking *policy, const char *direction) {
    static const char *const sides[] = {"High", "Low"};
    bool good = true;
    for (int i = 0; i < 2 && policy->enabled && good; i++)
        good = add_name(r, arena_printf(r->arena, OWN_NAMES "table/%s%s%s-Alarm%s-%s", table,
                                        index ? "/index/" : "", index ? index : "", sides[i],
                                        direction));
    return good;
}

static bool add_all_own(struct reader *r, const char *table, const char *index,
                        const struct ddbsim_auto_scaling *scaling) {
    return add_own(r, table, index, &scaling->write, "write") &&
           add_own(r, table, index, &scaling->read, "read");
}

static enum ddbsim_status list_names(struct reader *r) {
    const struct ddbsim_scenario *s = r->scenario;
    size_t resources = s->table_count;
    for (uint32_t i = 0; i < s->table_count; i++)
        resources += s->tables[i].index_count;
    r->alarm_names = arena_alloc(r->arena, s->alarm_count + 4 * resources, sizeof *r->alarm_names);
    bool good = r->alarm_names != NULL;
    for (uint32_t i = 0; i < s->alarm_count && good; i++)
        good = add_name(r, s->alarms[i].name);
    for (uint32_t i = 0; i < s->table_count && good; i++) {
        const struct ddbsim_table *table = &s->tables[i];
        good = add_all_own(r, table->name, NULL, &table->scaling);
        for (uint32_t k = 0; k < table->index_count && good; k++)
            good = add_all_own(r, table->name, table->indexes[k].name, &table->indexes[k].scaling);
    }
    return good ? DDBSIM_OK : error_memory(r->error);
}

/* ---- the list ---- */

static enum ddbsim_status read_alarm(struct reader *r, const struct yaml_node *node,
                                     struct ddbsim_alarm *out) {
    enum ddbsim_status status = check_name(r, node, out);
    if (!status) status = read_metric(r, node, out);
    if (!status) status = read_dimensions(r, node, out);
    if (!status) status = read_statistic(r, node, out);
    if (!status) status = read_period(r, node, out);
    if (!status) status = read_comparison(r, node, out);
    return status ? status : read_threshold(r, node, out);
}

enum ddbsim_status read_alarms(struct reader *r, const struct yaml_node *list) {
    uint32_t count = list ? list->count : 0, i = 0;
    if (count > DDBSIM_ALARMS_MAX)
        return yaml_fail(r->error, list, "there are more than %d alarms", DDBSIM_ALARMS_MAX);
    struct ddbsim_alarm *alarms = arena_alloc(r->arena, count + 1, sizeof *alarms);
    if (!alarms) return error_memory(r->error);
    enum ddbsim_status status = DDBSIM_OK;
    for (const struct yaml_node *node = list ? list->first : NULL; node && !status;
         node = node->next)
        status = read_alarm(r, node, &alarms[i++]);
    r->scenario->alarms = alarms;
    r->scenario->alarm_count = count;
    return status ? status : list_names(r);
}
