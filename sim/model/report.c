/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a run writes down of its tables and indexes at the end of each period: seconds, CloudWatch's
 * minutes, partition samples, top keys, events. Runs between events. Source of names and counting: AWS
 * developer guide, metrics and dimensions (M-61). Sparse as CloudWatch: nothing happened, no row.
 */
#include <model/model.h>

#include <model/alarms.h>
#include <model/building.h>
#include <model/replication.h>
#include <model/rows.h>
#include <model/scaling.h>
#include <model/splits.h>
#include <model/ttl.h>
#include <stdio.h>
#include <string.h>

#define TOP_WINDOW_LIMIT 10
#define TOP_RUN_LIMIT 25
#define MINUTE_S 60

#define PUT(model, table, ...) ROWS_PUT((model)->options.sink, table, __VA_ARGS__)

static struct ddbsim_value units(int64_t nano) { return ddbsim_real((double)nano / (double)NANO); }
static struct ddbsim_value resource_id(const struct resource *resource) {
    return ddbsim_integer(resource->number + 1);
}

/* ---- start ---- */

static void put_resource(struct model *model, const struct resource *resource) {
    char arn[1024];
    const char *region = model->tables[resource->table].spec->region;
    snprintf(arn, sizeof arn, "arn:aws:dynamodb:%s:123456789012:table/%.*s%s%s",
             region ? region : "eu-west-1", (int)strcspn(resource->table_name, "@"),
             resource->table_name, resource->index_name ? "/index/" : "",
             resource->index_name ? resource->index_name : "");
    PUT(model, DDBSIM_LOG_RESOURCE, resource_id(resource),
        ddbsim_text(resource->index_name ? "index" : "table"), ddbsim_text(resource->table_name),
        ddbsim_text(resource->index_name), ddbsim_text(arn));
}

void model_begin(struct model *model) {
    for (uint32_t i = 0; i < model->resource_count; i++)
        put_resource(model, model->resources[i]);
    scaling_begin(model);
}

/* The account stands among the resources once it has something to tell. */
static struct ddbsim_value account_id(struct model *model) {
    struct ddbsim_value id = ddbsim_integer(model->resource_count + 1);
    if (!model->account_is_logged)
        PUT(model, DDBSIM_LOG_RESOURCE, id, ddbsim_text("account"), ddbsim_text(""), ddbsim_null(),
            ddbsim_text("arn:aws:dynamodb:eu-west-1:123456789012"));
    model->account_is_logged = true;
    return id;
}

/* ---- events ---- */

static void put_note(struct model *model, const struct note *note) {
    char detail[512];
    const char *direction = note->direction == WRITE ? "write" : "read";
    if (note->kind == DDBSIM_EVENT_CAPACITY_CHANGED || note->kind == DDBSIM_EVENT_ON_DEMAND_LIMIT)
        snprintf(detail, sizeof detail, "{\"direction\":\"%s\",\"from\":%lld,\"to\":%lld}",
                 direction, (long long)note->from, (long long)note->to);
    else
        snprintf(detail, sizeof detail, "{\"direction\":\"%s\"}", direction);
    const char *text = note->text ? note->text : note->detail[0] ? note->detail : detail;
    PUT(model, DDBSIM_LOG_EVENT, ddbsim_integer(++model->next_event_id), ddbsim_integer(note->t_ns),
        ddbsim_text(ddbsim_event_name((int)note->kind)),
        note->resource == UINT32_MAX ? ddbsim_null() : ddbsim_integer(note->resource + 1),
        note->partition ? ddbsim_integer(note->partition) : ddbsim_null(), ddbsim_text(text));
}

void model_flush_notes(struct model *model) {
    for (uint32_t i = 0; i < model->note_count; i++)
        put_note(model, &model->notes[i]);
    model->note_count = 0;
}

static void close_spells(struct model *model, int64_t now_ns) {
    for (uint32_t i = 0; i < model->resource_count; i++) {
        struct resource *resource = model->resources[i];
        for (int d = 0; d < DIRECTIONS; d++) {
            if (!resource->throttling[d]) continue;
            if (now_ns - resource->last_refusal_ns[d] < RESOURCE_QUIET_NS) continue;
            resource->throttling[d] = false;
            struct note note = {.kind = DDBSIM_EVENT_THROTTLING_ENDED,
                                .t_ns = resource->last_refusal_ns[d],
                                .resource = resource->number,
                                .direction = (enum direction)d};
            put_note(model, &note);
        }
    }
}

/* ---- seconds ---- */

/* A local index has no capacity: all it does is the table's (M-57). */
static bool is_local(const struct model *model, const struct resource *resource) {
    for (uint32_t t = 0; t < model->table_count; t++) {
        uint32_t first = model->tables[t].resource.number + 1;
        if (resource->number < first || resource->number - first >= model->tables[t].index_count)
            continue;
        return model->tables[t].local_indexes >> (resource->number - first) & 1u;
    }
    return false;
}

static bool second_is_new(const struct resource *resource, int64_t backlog_nano) {
    const struct resource_second *second = &resource->second;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (second->used_nano[d] || second->demand_nano[d] || second->throttled[d]) return true;
        if (resource->buckets[d].level_nano != resource->written_level_nano[d]) return true;
        if (resource_limit(resource, (enum direction)d) != resource->written_limit[d]) return true;
    }
    return backlog_nano != resource->written_backlog_nano;
}

/* With shares the whole has no bucket. */
static struct ddbsim_value tokens(const struct resource *resource, enum direction direction) {
    return resource->allocations ? ddbsim_null() : units(resource_level_nano(resource, direction));
}

static void put_second(struct model *model, struct resource *resource, int64_t backlog_nano,
                       int64_t end_s) {
    CHECK(backlog_nano >= 0);
    for (int d = 0; d < DIRECTIONS; d++)
        bucket_refill(&resource->buckets[d], &resource->rules[d], end_s * NS_PER_S);
    if (!second_is_new(resource, backlog_nano)) return;
    const struct resource_second *second = &resource->second;
    PUT(model, DDBSIM_LOG_SECOND, resource_id(resource), ddbsim_integer(end_s - 1),
        ddbsim_integer(1), units(second->used_nano[READ]), units(second->used_nano[WRITE]),
        units(second->demand_nano[READ]), units(second->demand_nano[WRITE]),
        ddbsim_real(resource_limit(resource, READ)), ddbsim_real(resource_limit(resource, WRITE)),
        ddbsim_integer(second->throttled[READ]), ddbsim_integer(second->throttled[WRITE]),
        tokens(resource, READ), tokens(resource, WRITE), units(backlog_nano));
    for (int d = 0; d < DIRECTIONS; d++) {
        resource->written_level_nano[d] = resource->buckets[d].level_nano;
        resource->written_limit[d] = resource_limit(resource, (enum direction)d);
    }
    resource->written_backlog_nano = backlog_nano;
    resource->second = (struct resource_second){0};
}

static void close_seconds(struct model *model, int64_t end_s) {
    for (uint32_t i = 0; i < model->resource_count; i++)
        resource_steal(model->resources[i], end_s * NS_PER_S);
    for (uint32_t i = 0; i < model->table_count; i++)
        put_second(model, &model->tables[i].resource, 0, end_s);
    for (uint32_t i = 0; i < model->index_count; i++)
        if (resource_exists(&model->indexes[i].resource) &&
            !is_local(model, &model->indexes[i].resource))
            put_second(model, &model->indexes[i].resource, model->indexes[i].backlog_nano, end_s);
}

/* ---- CloudWatch ---- */

struct metric_row {
    enum ddbsim_metric metric;
    const char *operation, *dimension; /* NULL: none */
    int64_t period_s, t_s;
    struct ddbsim_value sum, sample_count, minimum, maximum, p50, p90, p99;
};

/* `resource` NULL: the account's. */
static void put_metric(struct model *model, const struct resource *resource,
                       const struct metric_row *row) {
    PUT(model, DDBSIM_LOG_METRIC, resource ? resource_id(resource) : account_id(model),
        ddbsim_text(ddbsim_metric_name((int)row->metric)),
        ddbsim_text(row->operation ? row->operation : ""),
        ddbsim_text(row->dimension ? row->dimension : ""), ddbsim_integer(row->period_s),
        ddbsim_integer(row->t_s), row->sum, row->sample_count, row->minimum, row->maximum, row->p50,
        row->p90, row->p99, ddbsim_text(ddbsim_metric_unit((int)row->metric)));
}

static void put_consumed(struct model *model, const struct resource *resource,
                         enum direction direction, int64_t t_s) {
    const struct sample *sample = &resource->minute.consumed[direction];
    if (sample->count == 0) return;
    CHECK(sample->minimum_nano <= sample->maximum_nano && sample->sum_nano >= sample->maximum_nano);
    struct metric_row row = {
        .metric = direction == WRITE ? DDBSIM_METRIC_CONSUMED_WRITE : DDBSIM_METRIC_CONSUMED_READ,
        .period_s = MINUTE_S,
        .t_s = t_s,
        .sum = units(sample->sum_nano),
        .sample_count = ddbsim_integer(sample->count),
        .minimum = units(sample->minimum_nano),
        .maximum = units(sample->maximum_nano),
    };
    put_metric(model, resource, &row);
}

/* Each event is a sample of 1; AWS gives minimum and maximum for the events by limit alone. */
static void put_events(struct model *model, const struct resource *resource,
                       enum ddbsim_metric metric, uint32_t events, bool by_limit, int64_t t_s) {
    if (events == 0) return;
    struct metric_row row = {
        .metric = metric,
        .period_s = MINUTE_S,
        .t_s = t_s,
        .sum = ddbsim_real(events),
        .sample_count = ddbsim_integer(events),
        .minimum = by_limit ? ddbsim_real(1) : ddbsim_null(),
        .maximum = by_limit ? ddbsim_real(1) : ddbsim_null(),
    };
    put_metric(model, resource, &row);
}

enum ddbsim_metric model_events_metric(enum direction direction, int why) {
    static const enum ddbsim_metric of[DIRECTIONS][REFUSALS + 1] = {
        {DDBSIM_METRIC_READ_ACCOUNT_EVENTS, DDBSIM_METRIC_READ_MAX_ON_DEMAND_EVENTS,
         DDBSIM_METRIC_READ_PROVISIONED_EVENTS, DDBSIM_METRIC_READ_KEY_RANGE_EVENTS,
         DDBSIM_METRIC_READ_THROTTLE_EVENTS},
        {DDBSIM_METRIC_WRITE_ACCOUNT_EVENTS, DDBSIM_METRIC_WRITE_MAX_ON_DEMAND_EVENTS,
         DDBSIM_METRIC_WRITE_PROVISIONED_EVENTS, DDBSIM_METRIC_WRITE_KEY_RANGE_EVENTS,
         DDBSIM_METRIC_WRITE_THROTTLE_EVENTS},
    };
    CHECK(why >= 0 && why <= REFUSALS);
    return of[direction][why];
}

static void close_resource_minute(struct model *model, struct resource *resource, int64_t t_s) {
    const struct resource_minute *minute = &resource->minute;
    for (int d = 0; d < DIRECTIONS; d++) {
        uint64_t refusals = 0;
        for (int why = 0; why < REFUSALS; why++)
            refusals += minute->refusals[d][why];
        CHECK(refusals == minute->throttled[d]); /* one limit an event, never none */
        put_consumed(model, resource, (enum direction)d, t_s);
        put_events(model, resource, model_events_metric((enum direction)d, REFUSALS),
                   minute->throttled[d], false, t_s);
        for (int r = 0; r < REFUSALS; r++)
            put_events(model, resource, model_events_metric((enum direction)d, r),
                       minute->refusals[d][r], true, t_s);
    }
    resource->minute = (struct resource_minute){0};
}

static struct ddbsim_value milliseconds(double us) { return ddbsim_real(us / 1000); }

static void close_operation_minute(struct model *model, struct table *table, int kind,
                                   int64_t t_s) {
    struct operation_minute *minute = &table->operations[kind];
    if (minute->throttled == 0 && minute->latency.count == 0 && minute->system_errors == 0) return;
    struct metric_row row = {
        .operation = ddbsim_operation_name(kind), .period_s = MINUTE_S, .t_s = t_s};
    if (minute->throttled) {
        row.metric = DDBSIM_METRIC_THROTTLED_REQUESTS;
        row.sum = ddbsim_real(minute->throttled);
        row.sample_count = ddbsim_integer(minute->throttled);
        put_metric(model, &table->resource, &row);
    }
    if (minute->system_errors) {
        row.metric = DDBSIM_METRIC_SYSTEM_ERRORS;
        row.sum = ddbsim_real(minute->system_errors);
        row.sample_count = ddbsim_integer(minute->system_errors);
        put_metric(model, &table->resource, &row);
    }
    if (minute->latency.count) {
        row.metric = DDBSIM_METRIC_SUCCESSFUL_LATENCY;
        row.sum = milliseconds((double)minute->latency_sum_us);
        row.sample_count = ddbsim_integer((int64_t)minute->latency.count);
        row.minimum = milliseconds((double)minute->latency_minimum_us);
        row.maximum = milliseconds((double)minute->latency_maximum_us);
        row.p50 = milliseconds(hist_quantile(&minute->latency, 0.5));
        row.p90 = milliseconds(hist_quantile(&minute->latency, 0.9));
        row.p99 = milliseconds(hist_quantile(&minute->latency, 0.99));
        put_metric(model, &table->resource, &row);
    }
    hist_clear(&minute->latency);
    minute->throttled = minute->system_errors = 0;
    minute->latency_sum_us = minute->latency_minimum_us = minute->latency_maximum_us = 0;
}

/* What a page returned, of Query and Scan alone. */
static void close_returned(struct model *model, struct table *table, int kind, int64_t t_s) {
    struct item_sample *sample = &table->operations[kind].returned;
    if (sample->count == 0) return;
    CHECK(sample->minimum <= sample->maximum && sample->sum >= sample->maximum);
    struct metric_row row = {
        .metric = DDBSIM_METRIC_RETURNED_ITEMS,
        .operation = ddbsim_operation_name(kind),
        .period_s = MINUTE_S,
        .t_s = t_s,
        .sum = ddbsim_real((double)sample->sum),
        .sample_count = ddbsim_integer((int64_t)sample->count),
        .minimum = ddbsim_real((double)sample->minimum),
        .maximum = ddbsim_real((double)sample->maximum),
    };
    put_metric(model, &table->resource, &row);
    *sample = (struct item_sample){0};
}

/* What has no operation: a table's own counts, and the account's, which is what AWS refuses for what is asked (M-48,
 * M-49, M-67). */
static void close_errors(struct model *model, int64_t t_s) {
    for (uint32_t i = 0; i < model->table_count; i++) {
        struct table *table = &model->tables[i];
        put_events(model, &table->resource, DDBSIM_METRIC_CONDITIONS_FAILED,
                   table->conditions_failed, true, t_s);
        put_events(model, &table->resource, DDBSIM_METRIC_TRANSACTION_CONFLICT, table->conflicts,
                   true, t_s);
        table->conditions_failed = table->conflicts = 0;
    }
    put_events(model, NULL, DDBSIM_METRIC_USER_ERRORS, model->user_errors, false, t_s);
    model->user_errors = 0;
}

/* What TTL deleted is told by this metric alone (M-17). */
static void close_ttl_minute(struct model *model, struct table *table, int64_t t_s) {
    int64_t deleted = ttl_close_minute(table->ttl);
    if (deleted == 0) return;
    struct metric_row row = {.metric = DDBSIM_METRIC_TTL_DELETED,
                             .period_s = MINUTE_S,
                             .t_s = t_s,
                             .sum = ddbsim_real((double)deleted),
                             .sample_count = ddbsim_integer(deleted)};
    put_metric(model, &table->resource, &row);
}

/* Of a global table: how much of the consumption came from other Regions, and how late what it sent was
 * there (M-87). What callers consumed is the rest. */
static void put_sources(struct model *model, struct table *table, const struct sample *all,
                        int64_t t_s) {
    const struct sample *replicated = &table->replicated;
    struct metric_row row = {.metric = DDBSIM_METRIC_CONSUMED_WRITE,
                             .period_s = MINUTE_S,
                             .t_s = t_s,
                             .dimension = "Customer",
                             .sum = units(all->sum_nano - replicated->sum_nano),
                             .sample_count = ddbsim_integer(all->count - replicated->count)};
    CHECK(all->count >= replicated->count);
    if (all->count > replicated->count) put_metric(model, &table->resource, &row);
    if (replicated->count > 0) {
        row.dimension = "GlobalTable";
        row.sum = units(replicated->sum_nano);
        row.sample_count = ddbsim_integer(replicated->count);
        row.minimum = units(replicated->minimum_nano);
        row.maximum = units(replicated->maximum_nano);
        put_metric(model, &table->resource, &row);
    }
    table->replicated = (struct sample){0};
}

static struct ddbsim_value ns_as_ms(int64_t ns) { return ddbsim_real((double)ns / NS_PER_MS); }

static void close_links_minute(struct model *model, int64_t t_s) {
    for (uint32_t i = 0; i < model->link_count; i++) {
        struct replication *link = &model->links[i];
        const struct sample *latency = &link->latency;
        struct metric_row row = {.metric = DDBSIM_METRIC_REPLICATION_LATENCY,
                                 .period_s = MINUTE_S,
                                 .t_s = t_s,
                                 .dimension = link->region,
                                 .sum = ns_as_ms(latency->sum_nano),
                                 .sample_count = ddbsim_integer(latency->count),
                                 .minimum = ns_as_ms(latency->minimum_nano),
                                 .maximum = ns_as_ms(latency->maximum_nano)};
        if (latency->count > 0) put_metric(model, &model->tables[link->from].resource, &row);
        link->latency = (struct sample){0};
    }
}

static void close_minute(struct model *model, int64_t t_s) {
    for (uint32_t i = 0; i < model->table_count; i++)
        if (model->tables[i].links)
            put_sources(model, &model->tables[i], &model->tables[i].resource.minute.consumed[WRITE],
                        t_s);
    close_links_minute(model, t_s);
    for (uint32_t i = 0; i < model->resource_count; i++)
        close_resource_minute(model, model->resources[i], t_s);
    for (uint32_t i = 0; i < model->table_count; i++)
        for (int kind = 0; kind < DDBSIM_OPERATION_KINDS; kind++)
            close_operation_minute(model, &model->tables[i], kind, t_s);
    for (uint32_t i = 0; i < model->table_count && model->has_ttl; i++)
        if (model->tables[i].ttl) close_ttl_minute(model, &model->tables[i], t_s);
    for (uint32_t i = 0; i < model->table_count; i++) {
        close_returned(model, &model->tables[i], DDBSIM_QUERY, t_s);
        close_returned(model, &model->tables[i], DDBSIM_SCAN, t_s);
    }
    close_errors(model, t_s);
}

static void put_provisioned(struct model *model, int64_t t_s) {
    for (uint32_t i = 0; i < model->resource_count; i++) {
        const struct resource *resource = model->resources[i];
        if (resource->on_demand || is_local(model, resource) || !resource_exists(resource))
            continue;
        for (int d = 0; d < DIRECTIONS; d++) {
            struct ddbsim_value capacity = ddbsim_real((double)resource->capacity[d]);
            struct metric_row row = {
                .metric =
                    d == WRITE ? DDBSIM_METRIC_PROVISIONED_WRITE : DDBSIM_METRIC_PROVISIONED_READ,
                .period_s = MODEL_PROVISIONED_S,
                .t_s = t_s,
                .sum = capacity,
                .sample_count = ddbsim_integer(1),
                .minimum = capacity,
                .maximum = capacity,
            };
            put_metric(model, resource, &row);
        }
    }
}

/* ---- indexes that are being built (M-58) ---- */

static void put_online(struct model *model, const struct resource *resource,
                       enum ddbsim_metric metric, double value, int64_t t_s) {
    struct metric_row row = {.metric = metric,
                             .period_s = MODEL_PROVISIONED_S,
                             .t_s = t_s,
                             .sum = ddbsim_real(value),
                             .sample_count = ddbsim_integer(1),
                             .minimum = ddbsim_real(value),
                             .maximum = ddbsim_real(value)};
    put_metric(model, resource, &row);
}

static void put_building(struct model *model, int64_t t_s) {
    for (uint32_t i = 0; i < model->index_count; i++) {
        struct propagation *index = &model->indexes[i];
        struct building_report told;
        if (!building_take(index, &told)) continue;
        bool reported = index->resource.model->online_index_metrics == DDBSIM_ONLINE_REPORTED;
        put_online(model, &index->resource, DDBSIM_METRIC_ONLINE_PROGRESS, told.percent, t_s);
        put_online(model, &index->resource, DDBSIM_METRIC_ONLINE_CONSUMED,
                   reported ? (double)told.consumed_nano / (double)NANO : 0, t_s);
        put_online(model, &index->resource, DDBSIM_METRIC_ONLINE_THROTTLES,
                   reported ? told.throttles : 0, t_s);
    }
}

/* ---- partitions ---- */

/* First second of the sample that holds the second before end_s. */
static int64_t sample_start(const struct model *model, int64_t end_s) {
    return end_s - 1 - (end_s - 1) % model->sample_period_s;
}

/* A sample ends with its period, its partition or the run: its period says how long it was, or its rates
 * would be too low. */
void report_partition(struct model *model, struct resource *resource, uint32_t slot,
                      int64_t end_s) {
    struct partition *partition = &resource->space.partitions[slot];
    struct partition_watch *watch = &resource->splitting.watches[slot];
    int64_t nano[DIRECTIONS], throttled[DIRECTIONS], sum = 0;
    for (int d = 0; d < DIRECTIONS; d++) {
        nano[d] = watch->logged_nano[d] + partition->sample_nano[d];
        throttled[d] = (int64_t)watch->logged_throttled[d] + partition->sample_throttled[d];
        sum += nano[d] + throttled[d];
        partition->sample_nano[d] = watch->logged_nano[d] = 0;
        partition->sample_throttled[d] = watch->logged_throttled[d] = 0;
    }
    int64_t start_s = sample_start(model, end_s);
    if (start_s < watch->since_s) start_s = watch->since_s;
    if (sum == 0 || end_s <= start_s) return;
    model->sample_rows++;
    const struct partition_holding *held = &resource->space.holdings[slot];
    PUT(model, DDBSIM_LOG_PARTITION_SAMPLE, ddbsim_integer(resource->space.ids[slot]),
        ddbsim_integer(start_s), ddbsim_integer(end_s - start_s), units(nano[READ]),
        units(nano[WRITE]), ddbsim_integer(throttled[READ]), ddbsim_integer(throttled[WRITE]),
        ddbsim_integer(held->items), ddbsim_integer(held->bytes));
}

/* Partitions have become more: what is left of the run must stay under the bound, with a row more for each
 * that ends meanwhile. Periods nest, so the doubled one begins where both would. */
static void sample_period_follow(struct model *model, int64_t end_s) {
    int64_t rest_s = model->options.scenario->duration_ns / NS_PER_S - end_s;
    uint32_t partitions = model_partition_count(model);
    if (partitions == model->sample_count) return;
    while (model->sample_period_s < rest_s && end_s % (2 * model->sample_period_s) == 0 &&
           (int128)partitions * (rest_s / model->sample_period_s + 2) + model->sample_rows >
               MODEL_SAMPLE_ROWS_MAX)
        model->sample_period_s *= 2;
}

/* Those that were folded at a tick since the last sample, or asked since the last tick. */
static void close_resource_samples(struct model *model, struct resource *resource, int64_t end_s) {
    struct slotset *to_log = &resource->splitting.to_log;
    const struct slotset *touched = &resource->space.touched;
    uint32_t count = resource->space.count, slot = 0;
    for (;; slot++) {
        uint32_t folded = slotset_next(to_log, slot, count);
        uint32_t asked = slotset_next(touched, slot, count);
        slot = folded < asked ? folded : asked;
        if (slot == count) break;
        report_partition(model, resource, slot, end_s);
    }
    slotset_clear(to_log);
}

static void close_samples(struct model *model, int64_t end_s) {
    for (uint32_t r = 0; r < model->resource_count; r++)
        close_resource_samples(model, model->resources[r], end_s);
    sample_period_follow(model, end_s);
}

static void position_hex(uint128 position, char out[33]) {
    snprintf(out, 33, "%016llx%016llx", (unsigned long long)(position >> 64),
             (unsigned long long)position);
}

static void put_partitions(struct model *model) {
    for (uint32_t i = 0; i < model->birth_count; i++) {
        const struct birth *birth = &model->births[i];
        char low[33], high[33];
        position_hex(birth->low, low);
        position_hex(birth->high, high);
        PUT(model, DDBSIM_LOG_PARTITION, ddbsim_integer(i + 1), ddbsim_integer(birth->resource + 1),
            birth->parent ? ddbsim_integer(birth->parent) : ddbsim_null(), ddbsim_text(low),
            ddbsim_text(high), ddbsim_integer(birth->created_ns),
            birth->retired_ns == TIME_NEVER ? ddbsim_null() : ddbsim_integer(birth->retired_ns),
            ddbsim_text(birth->cause));
    }
}

/* ---- top keys ---- */

static void put_top_keys(struct model *model, const struct resource *resource, struct topkeys *keys,
                         enum topkeys_order order, int64_t period_s, int64_t t_s) {
    struct topkey ranked[TOP_RUN_LIMIT];
    uint32_t limit = period_s ? TOP_WINDOW_LIMIT : TOP_RUN_LIMIT;
    CHECK(limit <= TOP_RUN_LIMIT);
    uint32_t count = topkeys_rank(keys, order, ranked, limit);
    uint32_t table = resource->table, first = model->tables[table].resource.number;
    uint32_t index = resource->number == first ? DDBSIM_NONE : resource->number - first - 1;
    for (uint32_t i = 0; i < count; i++) {
        char text[512] = "";
        if (model->options.keys.text)
            model->options.keys.text(model->options.keys.context, table, index, ranked[i].entity,
                                     ranked[i].ordinal, text, sizeof text);
        PUT(model, DDBSIM_LOG_TOP_KEY, resource_id(resource),
            ddbsim_text(order == TOPKEYS_ACCESSED ? "accessed" : "throttled"),
            ddbsim_integer(period_s), ddbsim_integer(t_s), ddbsim_integer(i + 1), ddbsim_text(text),
            units(ranked[i].used_nano[READ]), units(ranked[i].used_nano[WRITE]),
            ddbsim_integer(ranked[i].throttles), units(ranked[i].error_nano));
    }
}

static bool close_top_keys(struct model *model, int64_t t_s) {
    for (uint32_t i = 0; i < model->resource_count; i++) {
        struct topkeys *window = &model->top_window[i];
        if (topkeys_is_empty(window)) continue;
        put_top_keys(model, model->resources[i], window, TOPKEYS_ACCESSED, MODEL_TOP_KEYS_S, t_s);
        put_top_keys(model, model->resources[i], window, TOPKEYS_THROTTLED, MODEL_TOP_KEYS_S, t_s);
        if (!topkeys_merge(&model->top_run[i], window)) return false;
        topkeys_clear(window);
    }
    return true;
}

/* ---- periods ---- */

/* First second of the period of length period_s, on the wall clock, that holds second t_s. */
static int64_t period_start(const struct model *model, int64_t t_s, int64_t period_s) {
    int64_t unix_s = model->options.scenario->start_unix_s + t_s;
    CHECK(period_s > 0 && unix_s >= 0);
    return unix_s - unix_s % period_s - model->options.scenario->start_unix_s;
}

static bool ends(const struct model *model, int64_t end_s, int64_t period_s, bool last) {
    return last || model_wall_multiple(model, end_s, period_s);
}

static bool close_periods(struct model *model, int64_t end_s, bool last) {
    int64_t second = end_s - 1;
    model_flush_notes(model);
    close_spells(model, end_s * NS_PER_S);
    close_seconds(model, end_s);
    if (model->has_ttl && !ttl_close_second(model, end_s, last)) return false;
    if (!last && end_s % SPLITS_TICK_S == 0 && !splits_tick(model, end_s)) return false;
    if (!last && ends(model, end_s, MINUTE_S, false)) {
        alarms_close_minute(model, end_s);
        scaling_close_minute(model, end_s);
    }
    if (ends(model, end_s, MINUTE_S, last))
        close_minute(model, period_start(model, second, MINUTE_S));
    if (ends(model, end_s, MODEL_PROVISIONED_S, last)) {
        put_provisioned(model, period_start(model, second, MODEL_PROVISIONED_S));
        put_building(model, period_start(model, second, MODEL_PROVISIONED_S));
    }
    if (last || end_s % model->sample_period_s == 0) close_samples(model, end_s);
    if (!last && !splits_apply(model, end_s)) return false;
    if (!last) {
        alarms_evaluate(model, end_s);
        scaling_tick(model, end_s);
    }
    if (ends(model, end_s, MODEL_TOP_KEYS_S, last))
        return close_top_keys(model, period_start(model, second, MODEL_TOP_KEYS_S));
    return true;
}

bool model_close_second(struct model *model, int64_t end_s) {
    return close_periods(model, end_s, false);
}

bool model_finish(struct model *model, int64_t end_s) {
    if (!close_periods(model, end_s, true)) return false;
    put_partitions(model);
    for (uint32_t i = 0; i < model->resource_count; i++) {
        const struct resource *resource = model->resources[i];
        put_top_keys(model, resource, &model->top_run[i], TOPKEYS_ACCESSED, 0, 0);
        put_top_keys(model, resource, &model->top_run[i], TOPKEYS_THROTTLED, 0, 0);
    }
    return true;
}
