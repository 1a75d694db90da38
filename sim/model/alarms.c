/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CloudWatch alarms. Sources: CloudWatch user guide, "Alarm evaluation" and "Configuring how CloudWatch alarms
 * treat missing data" (M of N datapoints; a range beyond the evaluation periods where some are missing;
 * premature transitions); DynamoDB developer guide, metrics and dimensions. M-90 to M-92.
 *
 * Periods follow the wall clock; a period's datapoint is judged metric_delay + alarm_delay after its end,
 * with the threshold of that moment, as CloudWatch keeps values and not verdicts.
 *
 * Invariant: judged <= closed, and no further behind than the ring is long.
 */
#include <model/alarms.h>

#include <model/building.h>
#include <model/replication.h>
#include <model/rows.h>
#include <model/scaling.h>
#include <model/ttl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_S 60

static const char *state_name(enum alarm_state state) {
    static const char *const names[] = {"OK", "ALARM", "INSUFFICIENT_DATA"};
    return names[state];
}

/* ---- M of N ---- */

static bool breaches(enum ddbsim_comparison comparison, double value, double threshold) {
    switch (comparison) {
    case DDBSIM_GREATER:
        return value > threshold;
    case DDBSIM_GREATER_OR_EQUAL:
        return value >= threshold;
    case DDBSIM_LESS:
        return value < threshold;
    case DDBSIM_LESS_OR_EQUAL:
        break;
    }
    return value <= threshold;
}

/* What the datapoints that are there say: how many, how many breach, and how old the oldest is. */
struct evidence {
    uint32_t there, breaching, oldest;
};

/* The newest N of the range, or all where fewer are there. */
static struct evidence gather(const struct alarm_rule *rule, double threshold,
                              const struct alarm_point *points, uint32_t count) {
    struct evidence found = {0};
    CHECK(count <= rule->range && rule->range >= rule->periods);
    for (uint32_t age = 0; age < count && found.there < rule->periods; age++) {
        if (!points[age].there) continue;
        found.there++;
        found.breaching += breaches(rule->comparison, points[age].value, threshold);
        found.oldest = age;
    }
    return found;
}

/* A breach that is old enough with nothing after it but breaches and gaps. */
static bool is_premature(const struct alarm_rule *rule, const struct evidence *found) {
    return found->breaching == found->there && found->oldest + 1 >= rule->datapoints;
}

enum alarm_state alarm_judge(const struct alarm_rule *rule, double threshold,
                             const struct alarm_point *points, uint32_t count,
                             enum alarm_state state) {
    struct evidence found = gather(rule, threshold, points, count);
    uint32_t gaps = rule->periods - found.there, breaching = found.breaching;
    bool stays = rule->missing == DDBSIM_IGNORE, unknown = rule->missing == DDBSIM_MISSING;
    CHECK(rule->datapoints >= 1 && rule->datapoints <= rule->periods);
    if (found.there == 0 && stays) return state;
    if (found.there == 0 && unknown) return ALARM_INSUFFICIENT_DATA;
    if (rule->missing == DDBSIM_BREACHING) breaching += gaps;
    if (breaching >= rule->datapoints) return ALARM_ALARM;
    if (gaps > 0 && (stays || unknown) && is_premature(rule, &found))
        return stays ? state : ALARM_ALARM;
    return ALARM_OK;
}

double alarm_threshold(const struct alarm *alarm) {
    if (!alarm->of_capacity) return alarm->threshold;
    CHECK(alarm->resource != NULL);
    double share =
        alarm->scaling ? scaling_threshold(alarm->scaling, alarm->scales_out) : alarm->threshold;
    return share * (double)alarm->resource->capacity[alarm->direction] * (double)alarm->period_s;
}

/* ---- what a minute counted ---- */

static void add_samples(struct alarm *alarm, uint64_t count, double sum, double minimum,
                        double maximum) {
    if (count == 0) return;
    if (alarm->count == 0 || minimum < alarm->minimum) alarm->minimum = minimum;
    if (alarm->count == 0 || maximum > alarm->maximum) alarm->maximum = maximum;
    alarm->count += count;
    alarm->sum += sum;
    CHECK(alarm->minimum <= alarm->maximum);
}

static double units_of(int64_t nano) { return (double)nano / (double)NANO; }

static void add_consumed(struct alarm *alarm, enum direction direction) {
    const struct sample *sample = &alarm->resource->minute.consumed[direction];
    add_samples(alarm, (uint64_t)sample->count, units_of(sample->sum_nano),
                units_of(sample->minimum_nano), units_of(sample->maximum_nano));
}

static void add_events(struct alarm *alarm) {
    const struct resource_minute *minute = &alarm->resource->minute;
    for (int d = 0; d < DIRECTIONS; d++)
        for (int why = 0; why <= REFUSALS; why++)
            if (alarm->metric == model_events_metric((enum direction)d, why)) {
                uint32_t events = why == REFUSALS ? minute->throttled[d] : minute->refusals[d][why];
                add_samples(alarm, events, events, 1, 1);
            }
}

static void add_latency(struct alarm *alarm, const struct operation_minute *minute) {
    add_samples(alarm, minute->latency.count, (double)minute->latency_sum_us / 1000,
                (double)minute->latency_minimum_us / 1000,
                (double)minute->latency_maximum_us / 1000);
    if (alarm->latency) hist_merge(alarm->latency, &minute->latency);
}

static void add_returned(struct alarm *alarm, const struct item_sample *sample) {
    add_samples(alarm, sample->count, (double)sample->sum, (double)sample->minimum,
                (double)sample->maximum);
}

static void add_operations(struct alarm *alarm) {
    for (int kind = 0; kind < DDBSIM_OPERATION_KINDS; kind++) {
        const struct operation_minute *minute = &alarm->table->operations[kind];
        if (alarm->operation >= 0 && alarm->operation != kind) continue;
        if (alarm->metric == DDBSIM_METRIC_THROTTLED_REQUESTS)
            add_samples(alarm, minute->throttled, minute->throttled, 1, 1);
        else if (alarm->metric == DDBSIM_METRIC_SYSTEM_ERRORS)
            add_samples(alarm, minute->system_errors, minute->system_errors, 1, 1);
        else if (alarm->metric == DDBSIM_METRIC_RETURNED_ITEMS)
            add_returned(alarm, &minute->returned);
        else
            add_latency(alarm, minute);
    }
}

/* Configured capacity is a datapoint every five minutes. */
static void add_capacity(const struct model *model, struct alarm *alarm, enum direction direction,
                         int64_t end_s) {
    if (!model_wall_multiple(model, end_s, MODEL_PROVISIONED_S) || alarm->resource->on_demand ||
        !resource_exists(alarm->resource))
        return;
    double capacity = (double)alarm->resource->capacity[direction];
    add_samples(alarm, 1, capacity, capacity, capacity);
}

static void add_deletes(struct alarm *alarm) {
    int64_t deleted = alarm->table->ttl ? alarm->table->ttl->minute_deleted : 0;
    CHECK(deleted >= 0);
    add_samples(alarm, (uint64_t)deleted, (double)deleted, 1, 1);
}

/* What an index that is being built tells is a datapoint every five minutes, and what it takes with it. */
static void add_online(const struct model *model, struct alarm *alarm, int64_t end_s) {
    uint32_t number = alarm->resource->number - alarm->table->resource.number - 1;
    const struct propagation *index = &model->indexes[alarm->table->first_index + number];
    double value;
    if (model_wall_multiple(model, end_s, MODEL_PROVISIONED_S) &&
        building_tells(index, alarm->metric, &value))
        add_samples(alarm, 1, value, value, value);
}

static void add_lag(struct alarm *alarm) {
    const struct sample *latency = &alarm->link->latency;
    add_samples(alarm, (uint64_t)latency->count, (double)latency->sum_nano / 1e6,
                (double)latency->minimum_nano / 1e6, (double)latency->maximum_nano / 1e6);
}

static bool is_online(enum ddbsim_metric metric) {
    return metric == DDBSIM_METRIC_ONLINE_PROGRESS || metric == DDBSIM_METRIC_ONLINE_CONSUMED ||
           metric == DDBSIM_METRIC_ONLINE_THROTTLES;
}

static void add_minute(const struct model *model, struct alarm *alarm, int64_t end_s) {
    enum ddbsim_metric metric = alarm->metric;
    if (!alarm->resource) { /* the account's */
        add_samples(alarm, model->user_errors, model->user_errors, 1, 1);
        return;
    }
    if (metric == DDBSIM_METRIC_CONSUMED_READ || metric == DDBSIM_METRIC_CONSUMED_WRITE)
        add_consumed(alarm, metric == DDBSIM_METRIC_CONSUMED_WRITE ? WRITE : READ);
    else if (metric == DDBSIM_METRIC_PROVISIONED_READ || metric == DDBSIM_METRIC_PROVISIONED_WRITE)
        add_capacity(model, alarm, metric == DDBSIM_METRIC_PROVISIONED_WRITE ? WRITE : READ, end_s);
    else if (metric == DDBSIM_METRIC_THROTTLED_REQUESTS || metric == DDBSIM_METRIC_SYSTEM_ERRORS ||
             metric == DDBSIM_METRIC_SUCCESSFUL_LATENCY || metric == DDBSIM_METRIC_RETURNED_ITEMS)
        add_operations(alarm);
    else if (metric == DDBSIM_METRIC_TTL_DELETED)
        add_deletes(alarm);
    else if (metric == DDBSIM_METRIC_CONDITIONS_FAILED)
        add_samples(alarm, alarm->table->conditions_failed, alarm->table->conditions_failed, 1, 1);
    else if (metric == DDBSIM_METRIC_TRANSACTION_CONFLICT)
        add_samples(alarm, alarm->table->conflicts, alarm->table->conflicts, 1, 1);
    else if (is_online(metric))
        add_online(model, alarm, end_s);
    else if (alarm->link)
        add_lag(alarm);
    else
        add_events(alarm);
}

static double statistic_of(const struct alarm *alarm) {
    CHECK(alarm->count > 0);
    switch (alarm->statistic) {
    case DDBSIM_ALARM_SUM:
        return alarm->sum;
    case DDBSIM_ALARM_AVERAGE:
        return alarm->sum / (double)alarm->count;
    case DDBSIM_ALARM_MINIMUM:
        return alarm->minimum;
    case DDBSIM_ALARM_MAXIMUM:
        return alarm->maximum;
    case DDBSIM_ALARM_SAMPLE_COUNT:
        return (double)alarm->count;
    case DDBSIM_ALARM_PERCENTILE:
        break;
    }
    return hist_quantile(alarm->latency, alarm->quantile) / 1000;
}

static void close_period(struct alarm *alarm, int64_t end_s) {
    struct alarm_point *point = &alarm->ring[alarm->closed % alarm->ring_size];
    bool idle_counts = alarm->scaling && scaling_sees_idle(alarm->scaling);
    *point = (struct alarm_point){.there = alarm->count > 0 || idle_counts};
    if (alarm->count > 0) point->value = statistic_of(alarm);
    if (alarm->closed++ == 0) alarm->first_end_s = end_s;
    CHECK(alarm->closed - alarm->judged < alarm->ring_size);
    alarm->count = 0;
    alarm->sum = alarm->minimum = alarm->maximum = 0;
    if (alarm->latency) hist_clear(alarm->latency);
}

void alarms_close_minute(struct model *model, int64_t end_s) {
    for (uint32_t i = 0; i < model->alarm_count; i++) {
        struct alarm *alarm = &model->alarms[i];
        add_minute(model, alarm, end_s);
        if (model_wall_multiple(model, end_s, alarm->period_s)) close_period(alarm, end_s);
    }
}

/* ---- evaluation ---- */

/* Changes to and from ALARM are events; the first datapoint of a new alarm is none. */
static void tell(struct model *model, struct alarm *alarm, enum alarm_state before, int64_t end_s) {
    char detail[1024];
    if (before == alarm->state || (before != ALARM_ALARM && alarm->state != ALARM_ALARM)) return;
    snprintf(detail, sizeof detail, "{\"alarm\":\"%s\",\"from\":\"%s\",\"to\":\"%s\"}",
             alarm->detail_name, state_name(before), state_name(alarm->state));
    struct note note = {.kind = DDBSIM_EVENT_ALARM,
                        .t_ns = end_s * NS_PER_S,
                        .resource = alarm->resource ? alarm->resource->number : UINT32_MAX,
                        .text = detail};
    model_note(model, &note);
    model_flush_notes(model); /* the text lives no longer */
}

static void judge(struct model *model, struct alarm *alarm, int64_t end_s) {
    struct alarm_point points[DDBSIM_ALARM_PERIODS_MAX + ALARM_RANGE_MAX];
    uint32_t count = 0;
    CHECK(alarm->rule.range <= DDBSIM_ALARM_PERIODS_MAX + ALARM_RANGE_MAX);
    for (; count < alarm->rule.range && count <= alarm->judged; count++)
        points[count] = alarm->ring[(alarm->judged - count) % alarm->ring_size];
    enum alarm_state before = alarm->state;
    double threshold = alarm_threshold(alarm);
    alarm->state = alarm_judge(&alarm->rule, threshold, points, count, before);
    int64_t start_s = alarm->first_end_s + ((int64_t)alarm->judged - 1) * alarm->period_s;
    ROWS_PUT(model->options.sink, DDBSIM_LOG_ALARM_SAMPLE, ddbsim_text(alarm->name),
             ddbsim_integer(start_s),
             points[0].there ? ddbsim_real(points[0].value) : ddbsim_null(), ddbsim_real(threshold),
             ddbsim_text(state_name(alarm->state)));
    tell(model, alarm, before, end_s);
    if (alarm->scaling && alarm->state == ALARM_ALARM && points[0].there)
        scaling_act(model, alarm->scaling, alarm->scales_out, points[0].value, end_s * NS_PER_S);
}

static bool is_due(const struct alarm *alarm, int64_t end_s) {
    if (alarm->judged == alarm->closed) return false;
    int64_t period_end_s = alarm->first_end_s + (int64_t)alarm->judged * alarm->period_s;
    return period_end_s + alarm->delay_s <= end_s;
}

/* A share of capacity says nothing where requests are paid for; a policy that is gone has no alarms, and one that
 * may not scale in has not that one. */
static bool is_kept(const struct alarm *alarm) {
    if (alarm->of_capacity && alarm->resource->on_demand) return false;
    if (!alarm->scaling) return true;
    const struct ddbsim_target_tracking *policy = &alarm->scaling->policy;
    return policy->enabled && (alarm->scales_out || !policy->disable_scale_in);
}

void alarms_evaluate(struct model *model, int64_t end_s) {
    for (uint32_t i = 0; i < model->alarm_count; i++) {
        struct alarm *alarm = &model->alarms[i];
        for (; is_due(alarm, end_s); alarm->judged++)
            if (is_kept(alarm)) judge(model, alarm, end_s);
    }
}

/* ---- life ---- */

/* A text as it stands inside a JSON string. */
static char *json_text_create(const char *text) {
    char *out = malloc(6 * strlen(text) + 1), *to = out;
    for (; out && *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c < ' ')
            to += sprintf(to, "\\u%04x", c);
        else {
            if (c == '"' || c == '\\') *to++ = '\\';
            *to++ = (char)c;
        }
    }
    if (out) *to = '\0';
    return out;
}

/* Memory of an alarm whose rule stands. */
static bool alarm_init(struct alarm *alarm, const char *name,
                       const struct ddbsim_assumptions *model) {
    int64_t delay_ns = model->metric_delay_ns + model->alarm_delay_ns;
    alarm->delay_s = (delay_ns + NS_PER_S - 1) / NS_PER_S;
    alarm->rule.range = alarm->rule.periods + (uint32_t)model->alarm_range;
    alarm->ring_size = alarm->rule.range + (uint32_t)(alarm->delay_s / alarm->period_s) + 2;
    alarm->state = ALARM_INSUFFICIENT_DATA;
    alarm->name = malloc(strlen(name) + 1);
    alarm->detail_name = json_text_create(name);
    alarm->ring = calloc(alarm->ring_size, sizeof *alarm->ring);
    if (alarm->statistic == DDBSIM_ALARM_PERCENTILE)
        alarm->latency = calloc(1, sizeof *alarm->latency);
    if (alarm->name) memcpy(alarm->name, name, strlen(name) + 1);
    return alarm->name && alarm->detail_name && alarm->ring &&
           (alarm->latency || alarm->statistic != DDBSIM_ALARM_PERCENTILE);
}

static bool user_alarm(struct model *model, const struct ddbsim_alarm *spec) {
    struct alarm *alarm = &model->alarms[model->alarm_count++];
    const struct ddbsim_scenario *scenario = model->options.scenario;
    *alarm = (struct alarm){
        .rule = {.periods = spec->evaluation_periods,
                 .datapoints = spec->datapoints_to_alarm,
                 .comparison = spec->comparison,
                 .missing = spec->missing},
        .operation = spec->operation,
        .metric = spec->metric,
        .statistic = spec->statistic,
        .quantile = (double)spec->percentile / (double)DDBSIM_SHARE_ONE,
        .period_s = spec->period_s,
        .threshold = spec->threshold,
        .of_capacity = spec->of_capacity,
        .direction = spec->metric == DDBSIM_METRIC_CONSUMED_READ ? READ : WRITE,
    };
    if (spec->table == DDBSIM_NONE) return alarm_init(alarm, spec->name, &scenario->model);
    CHECK(spec->table < model->table_count);
    alarm->table = &model->tables[spec->table];
    if (spec->metric == DDBSIM_METRIC_REPLICATION_LATENCY) {
        alarm->link = replication_find(model, spec->table, spec->receiver);
        CHECK(alarm->link != NULL);
    }
    uint32_t number = spec->index == DDBSIM_NONE ? 0 : 1 + spec->index;
    CHECK(number <= alarm->table->index_count);
    alarm->resource = model->resources[alarm->table->resource.number + number];
    return alarm_init(alarm, spec->name, alarm->resource->model);
}

static const char *tracking_name(const struct scaling *scaling, bool out, char *name, size_t size) {
    const struct resource *resource = scaling->resource;
    snprintf(name, size, "TargetTracking-table/%s%s%s-Alarm%s-%s", resource->table_name,
             resource->index_name ? "/index/" : "",
             resource->index_name ? resource->index_name : "", out ? "High" : "Low",
             scaling->direction == WRITE ? "write" : "read");
    return name;
}

/* The pair that target tracking makes: Sum over a minute against capacity x 60 x target (M-93). */
static bool tracking_alarm(struct model *model, struct scaling *scaling, bool out) {
    struct alarm *alarm = &model->alarms[model->alarm_count++];
    const struct ddbsim_assumptions *rules = scaling->resource->model;
    uint32_t minutes = (uint32_t)(out ? rules->scale_out_minutes : rules->scale_in_minutes);
    char name[1024];
    *alarm = (struct alarm){
        .rule = {.periods = minutes,
                 .datapoints = minutes,
                 .comparison = out ? DDBSIM_GREATER : DDBSIM_LESS,
                 .missing = DDBSIM_IGNORE},
        .table = &model->tables[scaling->resource->table],
        .resource = scaling->resource,
        .operation = -1,
        .metric = scaling->direction == WRITE ? DDBSIM_METRIC_CONSUMED_WRITE
                                              : DDBSIM_METRIC_CONSUMED_READ,
        .period_s = MINUTE_S,
        .of_capacity = true,
        .direction = scaling->direction,
        .scaling = scaling,
        .scales_out = out,
    };
    return alarm_init(alarm, tracking_name(scaling, out, name, sizeof name), rules);
}

bool alarms_create(struct model *model) {
    const struct ddbsim_scenario *scenario = model->options.scenario;
    size_t most = scenario->alarm_count + 2 * (size_t)model->scaling_count;
    CHECK(model->alarm_count == 0);
    model->alarms = calloc(most + 1, sizeof *model->alarms);
    if (!model->alarms) return false;
    for (uint32_t i = 0; i < scenario->alarm_count; i++)
        if (!user_alarm(model, &scenario->alarms[i])) return false;
    for (uint32_t i = 0; i < model->scaling_count; i++)
        if (model->scalings[i].tracks && (!tracking_alarm(model, &model->scalings[i], true) ||
                                          !tracking_alarm(model, &model->scalings[i], false)))
            return false;
    return true;
}

void alarms_destroy(struct model *model) {
    for (uint32_t i = 0; i < model->alarm_count; i++) {
        free(model->alarms[i].name);
        free(model->alarms[i].detail_name);
        free(model->alarms[i].ring);
        free(model->alarms[i].latency);
    }
    free(model->alarms);
}
