/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load out of metrics. Of each period, of a table's writes and of its reads and of each index's reads:
 *
 *   - Served requests are the samples of what was consumed; without samples each unit counts for one.
 *   - Refused attempts of writes are ThrottledRequests of the operations that write, else the throttle events of the
 *     table or of that of its indexes which has most, for one attempt may be several events. Of reads they are the
 *     resource's own throttle events, for a read meets one.
 *   - Callers try up to A times, as the client's preset says. When a share p of all attempts is refused, a request makes
 *     1 + p + ... + p^(A-1) attempts; attempts by that are requests. Callers that never try again would have made as
 *     many requests as attempts; ones that are refused A times wherever they can be, served + what is left / A: that is
 *     the range.
 *   - Units by samples are the units of a request, and so the size of its item: U units of a write are U KB, on the mean,
 *     so two sizes are written whose shares give that mean; U of an eventual read are 8 KB each. Whether reads are
 *     strong nobody tells.
 *   - An entry that is rewritten or added costs an index what an item of its size costs, one that moves twice that. With
 *     U units of the table and V of the index a write, and a full projection, V / U - 1 of the writes that touch the
 *     index move its key.
 *   - Where a partition's own limit refused, one key is taken to be what was hot: of D units that were asked for and S
 *     that were served, it asked for D - S and what a partition serves.
 *   - What was provisioned when becomes changes, where no policy moves it.
 *
 * The load goes into a file beside the scenario, a row for each period, operation and size, which `replay` reads; so a
 * table's load can be looked at, and mended.
 */
#include "demand.h"

#include <base/buffer.h>
#include <base/check.h>
#include <ddbsim/presets.h>
#include <inttypes.h>
#include <loader/literal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIODS_MAX ((size_t)576000) /* minutes of the longest scenario, 9,600 hours */
#define WRITE_UNIT_BYTES 1024
#define READ_UNIT_BYTES 8192 /* of an eventual read */
#define BLOCK_BYTES 4096     /* by which reads are counted */
#define WRITES_OF_PARTITION 1000.0
#define READS_OF_PARTITION 3000.0
#define MIXED_LEAST 0.005 /* a smaller share of the larger size is left out */
#define KEYS_ASSUMED 10000
#define SHARES 10000 /* steps of a share as it is written */
#define QUOTA_PROCESSES_MAX 10000
#define NS_OF_S INT64_C(1000000000)

/* A period. */
struct bin {
    double units, served, refused;
    double events; /* of the resource under way */
    double requests, low, high;
};

/* What is asked of a resource in one direction. */
struct flow {
    const char *table, *index;
    bool write, has_samples;
    int64_t from_s, period_s;
    struct bin *bins;
    size_t count;
    double units, served, refused, requests, low, high; /* of all */
};

struct demand {
    struct import *import;
    const struct cloudwatch *set;
    const struct ddbsim_client *client;
    const char *preset;
};

/* ---- reading ---- */

static double known(double value) { return isnan(value) ? 0 : value; }

static struct bin *bin_at(struct flow *flow, int64_t t_s) {
    int64_t number = (t_s - flow->from_s) / flow->period_s;
    return t_s >= flow->from_s && (size_t)number < flow->count ? &flow->bins[number] : NULL;
}

static const struct cloudwatch_series *series_of(const struct demand *d, const struct flow *flow,
                                                 const char *index, int write_metric,
                                                 int read_metric, int operation) {
    return cloudwatch_find(d->set, flow->table, index, flow->write ? write_metric : read_metric,
                           operation);
}

static void take_consumed(struct flow *flow, const struct cloudwatch_series *series) {
    for (size_t i = 0; i < series->count; i++) {
        struct bin *bin = bin_at(flow, series->rows[i].t_s);
        double units = cloudwatch_value(&series->rows[i], CLOUDWATCH_SUM);
        double served = cloudwatch_value(&series->rows[i], CLOUDWATCH_SAMPLE_COUNT);
        if (!bin || isnan(units)) continue;
        flow->has_samples = flow->has_samples || !isnan(served);
        bin->units += units;
        bin->served += isnan(served) ? units : served;
    }
}

/* Throttle events: of a table and its indexes those of the one that has most. */
static void take_events_of(const struct demand *d, struct flow *flow, const char *index) {
    const struct cloudwatch_series *series =
        series_of(d, flow, index, DDBSIM_METRIC_WRITE_THROTTLE_EVENTS,
                  DDBSIM_METRIC_READ_THROTTLE_EVENTS, -1);
    for (size_t i = 0; i < flow->count; i++)
        flow->bins[i].events = 0;
    for (size_t i = 0; series && i < series->count; i++) {
        struct bin *bin = bin_at(flow, series->rows[i].t_s);
        if (!bin) continue;
        bin->events += known(cloudwatch_value(&series->rows[i], CLOUDWATCH_SUM));
        if (bin->events > bin->refused) bin->refused = bin->events;
    }
}

/* ThrottledRequests of writes count each attempt once; where there are none, events stand. */
static void take_attempts(const struct demand *d, struct flow *flow) {
    bool any = false;
    for (int operation = 0; ddbsim_operation_name(operation); operation++) {
        const struct cloudwatch_series *series =
            cloudwatch_find(d->set, flow->table, NULL, DDBSIM_METRIC_THROTTLED_REQUESTS, operation);
        if (!series || !ddbsim_operation_is_write(operation)) continue;
        for (size_t i = 0; !any && i < flow->count; i++)
            flow->bins[i].refused = 0;
        any = true;
        for (size_t i = 0; i < series->count; i++) {
            struct bin *bin = bin_at(flow, series->rows[i].t_s);
            if (bin) bin->refused += known(cloudwatch_value(&series->rows[i], CLOUDWATCH_SUM));
        }
    }
}

static void take_refused(const struct demand *d, struct flow *flow) {
    take_events_of(d, flow, flow->index);
    const struct import_table *table = import_find_table(d->import, flow->table);
    for (const struct import_index *index = table && flow->write ? table->indexes : NULL; index;
         index = index->next)
        take_events_of(d, flow, index->resource.name);
    if (flow->write) take_attempts(d, flow);
}

/* ---- requests ---- */

static void settle_bin(struct bin *bin, uint32_t most) {
    double attempts = bin->served + bin->refused, share = bin->refused / attempts, each = 0;
    if (!(attempts > 0)) return;
    double power = 1;
    for (uint32_t i = 0; i < most; i++) {
        each += power;
        power *= share;
    }
    double left = bin->refused - bin->served * (most - 1);
    bin->requests = attempts / each;
    bin->low = bin->served + fmax(0, left) / most;
    bin->high = attempts;
}

static void settle_flow(const struct demand *d, struct flow *flow) {
    uint32_t most = d->client->max_attempts > 0 ? d->client->max_attempts : 1;
    for (size_t i = 0; i < flow->count; i++) {
        struct bin *bin = &flow->bins[i];
        settle_bin(bin, most);
        flow->units += bin->units;
        flow->served += bin->served;
        flow->refused += bin->refused;
        flow->requests += bin->requests;
        flow->low += bin->low;
        flow->high += bin->high;
    }
}

/* False where there is no such load. */
static enum ddbsim_status read_flow(struct demand *d, const char *table, const char *index,
                                    bool write, struct flow *flow, struct ddbsim_error *error) {
    const struct cloudwatch_facts *facts = cloudwatch_facts(d->set);
    *flow = (struct flow){.table = table, .index = index, .write = write, .from_s = facts->from_s};
    const struct cloudwatch_series *consumed =
        series_of(d, flow, index, DDBSIM_METRIC_CONSUMED_WRITE, DDBSIM_METRIC_CONSUMED_READ, -1);
    if (!consumed) return DDBSIM_OK;
    flow->period_s = consumed->period_s;
    flow->count = (size_t)((facts->to_s - facts->from_s + flow->period_s - 1) / flow->period_s);
    if (flow->count > PERIODS_MAX) {
        error_hint(error, "give the metrics of one incident, or of a month");
        return error_set(error, DDBSIM_INPUT, "the metrics of %s cover more than 400 days", table);
    }
    flow->bins = arena_alloc(d->import->arena, flow->count, sizeof *flow->bins);
    if (!flow->bins) return error_memory(error);
    take_consumed(flow, consumed);
    take_refused(d, flow);
    settle_flow(d, flow);
    return DDBSIM_OK;
}

/* Units of a request in a period; where nothing was served in it, those of all. */
static double units_of(const struct flow *flow, const struct bin *bin) {
    if (bin->served > 0) return bin->units / bin->served;
    return flow->served > 0 ? flow->units / flow->served : 1;
}

/* ---- the load's file ---- */

static void put_row(struct buffer *out, const struct flow *flow, size_t number,
                    const char *operation, double count, double bytes) {
    if (count * 1000 < 1) return;
    buffer_printf(out, "%" PRId64 ",%" PRId64 ",%s,%.3f,%.0f\n",
                  flow->from_s + (int64_t)number * flow->period_s, flow->period_s, operation, count,
                  bytes);
}

/* Two sizes, each of whole blocks, whose mean cost is that of the period. What is larger than an item may be is so many
 * items of that size. */
static void put_bin(struct buffer *out, const struct flow *flow, size_t number,
                    const char *operation) {
    const struct bin *bin = &flow->bins[number];
    double step = flow->write ? WRITE_UNIT_BYTES : BLOCK_BYTES, count = bin->requests;
    double blocks = units_of(flow, bin) * (flow->write ? 1 : READ_UNIT_BYTES / step);
    double most = DDBSIM_ITEM_BYTES_MAX / step;
    if (blocks > most) {
        count *= blocks / most;
        blocks = most;
    }
    double low = fmax(1, floor(blocks)), share = fmax(0, blocks - low);
    if (share < MIXED_LEAST || low >= most) share = 0;
    put_row(out, flow, number, operation, count * (1 - share), low * step);
    put_row(out, flow, number, operation, count * share, (low + 1) * step);
}

static const char *file_name(struct import *import, const struct flow *flow) {
    const char *output = import->options.output, *slash = strrchr(output, '/');
    const char *base = slash ? slash + 1 : output, *dot = strrchr(base, '.');
    int stem = dot && dot != base ? (int)(dot - base) : (int)strlen(base);
    return import_text(import, "%.*s-%s%s%s.csv", stem, base, flow->table, flow->index ? "-" : "",
                       flow->index ? flow->index : "");
}

/* Rows of one period stand together. */
static enum ddbsim_status attach(struct import *import, const struct flow *writes,
                                 const struct flow *reads, const char **name,
                                 struct ddbsim_error *error) {
    const struct flow *first = writes && writes->bins ? writes : reads;
    struct buffer text = {0};
    buffer_put(&text, "time,period,operation,count,size\n");
    for (size_t i = 0; i < first->count; i++) {
        if (writes && writes->bins) put_bin(&text, writes, i, "UpdateItem");
        if (reads && reads->bins && reads->period_s == first->period_s)
            put_bin(&text, reads, i, reads->index ? "Query" : "GetItem");
    }
    struct import_attachment *attachment = arena_alloc(import->arena, 1, sizeof *attachment);
    char *bytes = buffer_finish(&text);
    *name = file_name(import, first);
    if (attachment && bytes && *name) {
        *attachment = (struct import_attachment){*name, import_text(import, "%s", bytes),
                                                 import->attachments};
        import->attachments = attachment;
    }
    free(bytes);
    return attachment && bytes && *name ? DDBSIM_OK : error_memory(error);
}

/* ---- what it is ---- */

static void note_flow(const struct demand *d, const struct flow *flow) {
    struct import *import = d->import;
    const char *what = flow->write ? "writes" : "reads", *unit = flow->write ? "WCU" : "RCU";
    const char *of = flow->index ? import_text(import, "index %s of %s", flow->index, flow->table)
                                 : import_text(import, "table %s", flow->table);
    if (!of || !(flow->served + flow->refused > 0)) return;
    import_note(import, IMPORT_TOOK, NULL,
                "%s: %.0f %s served, %.3g %s each, %.0f attempts refused", of, flow->served, what,
                flow->served > 0 ? flow->units / flow->served : 0, unit, flow->refused);
    if (flow->refused > 0)
        import_note(
            import, IMPORT_ASSUMED, NULL,
            "%s: %.0f %s were asked for (%.0f..%.0f), if callers retry as %s does: up to %u "
            "attempts",
            of, flow->requests, what, flow->low, flow->high, d->preset,
            (unsigned)d->client->max_attempts);
    if (!flow->has_samples)
        import_note(import, IMPORT_ASSUMED, NULL,
                    "%s: one unit each (1..400): the metrics have no SampleCount, which would say "
                    "how many %s there were",
                    of, what);
    if (flow->write) return;
    import_note(import, IMPORT_ASSUMED, NULL,
                "%s: eventual reads of %.3g KB (strong ones, of half of that): metrics do not tell",
                of, flow->served > 0 ? flow->units / flow->served * READ_UNIT_BYTES / 1024 : 0);
}

/* ---- indexes ---- */

/* To a ten-thousandth. */
static int64_t share_of(double share) {
    return llround(fmin(fmax(share, 0), 1) * SHARES) * (DDBSIM_SHARE_ONE / SHARES);
}

static void put_share(struct import *import, struct yaml_node *node, const char *key,
                      int64_t share) {
    char text[64];
    if (share <= 0) return;
    literal_put_share(share, text, sizeof text);
    import_put(import, node, key, "%s", text);
}

/* What an entry costs when it is written once: as its item, where it has all of it. */
static double entry_units(const struct import_index *index, double item_units, bool *assumed) {
    const struct import_resource *of = &index->resource;
    *assumed = !index->projection;
    if (!index->projection || strcmp(index->projection, "ALL") == 0) return item_units;
    int64_t bytes = of->items > 0 && of->bytes > 0 ? of->bytes / of->items : index->entry_bytes;
    *assumed = bytes <= 0 && strcmp(index->projection, "KEYS_ONLY") != 0;
    return bytes > 0 ? ceil((double)bytes / WRITE_UNIT_BYTES) : 1;
}

/* What writes cost an index, in the periods of which there are metrics of it. */
struct effect {
    double units, touched, unmoved; /* unmoved: units if no write moved a key */
    double base;                    /* writes of the table in these periods */
    bool assumed;
};

static struct effect effect_of(const struct demand *d, struct flow *writes,
                               const struct import_index *index) {
    const struct cloudwatch_series *series = cloudwatch_find(
        d->set, writes->table, index->resource.name, DDBSIM_METRIC_CONSUMED_WRITE, -1);
    struct effect effect = {.units = 0};
    for (size_t i = 0; series && i < series->count; i++) {
        const struct bin *bin = bin_at(writes, series->rows[i].t_s);
        double count = cloudwatch_value(&series->rows[i], CLOUDWATCH_SAMPLE_COUNT);
        double units = known(cloudwatch_value(&series->rows[i], CLOUDWATCH_SUM));
        if (!bin) continue;
        double each = entry_units(index, units_of(writes, bin), &effect.assumed);
        if (isnan(count)) count = fmin(bin->served, units / each); /* as few moves as may be */
        effect.units += units;
        effect.touched += count;
        effect.base += bin->served;
        effect.unmoved += count * each;
    }
    return effect;
}

/* Nobody says what the index holds, and it costs less than whole items would: entries of a size of their own. */
static void assume_entries(struct import *import, const struct effect *effect,
                           struct import_index *index) {
    double each = effect->units / effect->touched;
    if (index->projection || !(effect->touched > 0) || effect->units >= effect->unmoved) return;
    double units = fmax(1, ceil(each / 2));
    index->projection = "INCLUDE";
    index->entry_bytes = (int64_t)units * WRITE_UNIT_BYTES;
    import_note(import, IMPORT_ASSUMED, NULL,
                "index %s has entries of %.0f KB (%.3g..%.3g KB, as few or many writes move them): "
                "describe-table would say more",
                index->resource.name, units, fmax(1, each / 2), fmax(1, each));
}

/* The share of the items that have an entry in it. */
static double present_of(const struct import_table *table, const struct import_index *index) {
    if (index->resource.items >= 0 && table->resource.items > 0)
        return fmin(1, (double)index->resource.items / (double)table->resource.items);
    return index->present < 0 ? 1 : (double)index->present / (double)DDBSIM_SHARE_ONE;
}

/* Of the writes to items that have an entry, the share that touches it. A scenario writes to all items alike: of an
 * index that few items are in, and those often, it has to have more. */
static double touched_of(const struct import_table *table, struct import_index *index,
                         double share) {
    double present = present_of(table, index);
    if (share > present) index->touched = share_of(share);
    return share > present ? 1 : present > 0 ? share / present : 0;
}

/* A table's units hold those of its local indexes: what they cost is in the size of its writes. */
static void put_local(struct import *import, const struct flow *writes,
                      const struct import_index *index, struct yaml_node *operation) {
    struct yaml_node *effects = import_map(import, operation, "index_effect");
    struct yaml_node *shares = import_map(import, effects, index->resource.name);
    put_share(import, shares, "untouched", DDBSIM_SHARE_ONE);
    import_note(import, IMPORT_ASSUMED, NULL,
                "local index %s of %s: what it costs is in the units of the table, and so in the "
                "size of its writes",
                index->resource.name, writes->table);
}

static void put_effect(struct demand *d, struct flow *writes, struct import_index *index,
                       struct yaml_node *operation) {
    struct import *import = d->import;
    if (index->is_local) {
        put_local(import, writes, index, operation);
        return;
    }
    struct effect effect = effect_of(d, writes, index);
    if (!(effect.base > 0)) return;
    assume_entries(import, &effect, index);
    effect = effect_of(d, writes, index);
    double share = fmin(1, effect.touched / effect.base);
    double move = effect.unmoved > 0 ? fmin(1, fmax(0, effect.units / effect.unmoved - 1)) : 0;
    struct yaml_node *effects = import_map(import, operation, "index_effect");
    struct yaml_node *shares = import_map(import, effects, index->resource.name);
    double of_present = touched_of(import_find_table(import, writes->table), index, share);
    int64_t untouched = share_of(1 - of_present), moved = share_of(of_present * move);
    put_share(import, shares, "move", moved);
    put_share(import, shares, "rewrite", DDBSIM_SHARE_ONE - untouched - moved);
    put_share(import, shares, "untouched", untouched);
    import_note(
        import, IMPORT_ASSUMED, NULL,
        "index %s of %s: %.0f %% of the writes touch it and %.0f %% move its key (0..%.0f %%): "
        "it consumed %.3g times what its entries would cost%s",
        index->resource.name, writes->table, 100 * share, 100 * share * move, 100 * share,
        effect.unmoved > 0 ? effect.units / effect.unmoved : 0,
        effect.assumed ? ", if it has the whole item, which no file says" : "");
}

/* ---- who is popular ---- */

/* All throttle events of a resource, or those of its partitions' limit. */
static double events_of(const struct demand *d, const struct flow *flow, const char *index,
                        bool by_partition) {
    const struct cloudwatch_series *series =
        by_partition ? series_of(d, flow, index, DDBSIM_METRIC_WRITE_KEY_RANGE_EVENTS,
                                 DDBSIM_METRIC_READ_KEY_RANGE_EVENTS, -1)
                     : series_of(d, flow, index, DDBSIM_METRIC_WRITE_THROTTLE_EVENTS,
                                 DDBSIM_METRIC_READ_THROTTLE_EVENTS, -1);
    double events = 0;
    for (size_t i = 0; series && i < series->count; i++)
        events += known(cloudwatch_value(&series->rows[i], CLOUDWATCH_SUM));
    return events;
}

/* The share of one key, by what its partition's limit refused; 0 where that is not what refuses. A request costs the
 * resource `cost` times its units on the flow's own. */
static double hot_share(const struct demand *d, struct flow *flow, const char *index, double cost) {
    const struct cloudwatch_series *hot =
        series_of(d, flow, index, DDBSIM_METRIC_WRITE_KEY_RANGE_EVENTS,
                  DDBSIM_METRIC_READ_KEY_RANGE_EVENTS, -1);
    double limit = flow->write ? WRITES_OF_PARTITION : READS_OF_PARTITION, asked = 0, served = 0;
    double seconds = 0, all = events_of(d, flow, index, false);
    if (2 * events_of(d, flow, index, true) < all) return 0;
    for (size_t i = 0; hot && i < hot->count; i++) {
        const struct bin *bin = bin_at(flow, hot->rows[i].t_s);
        if (!bin || !(cloudwatch_value(&hot->rows[i], CLOUDWATCH_SUM) > 0)) continue;
        asked += bin->requests * units_of(flow, bin) * cost;
        served += bin->units * cost;
        seconds += (double)flow->period_s;
    }
    if (!(asked > 0)) return 0;
    return fmin(1, (asked - served + limit * seconds) / asked);
}

static struct yaml_node *popularity_of(struct import *import, int64_t count, double share) {
    char text[64];
    struct yaml_node *set = yaml_new(import->arena, YAML_MAPPING, NULL);
    struct yaml_node *item = yaml_new(import->arena, YAML_SCALAR, NULL);
    literal_put_share(share_of(share), text, sizeof text);
    const char *copy = import_text(import, "%s", text);
    import->short_of_memory = import->short_of_memory || !set || !item || !copy;
    if (import->short_of_memory) return NULL;
    import_put(import, set, "count", "%" PRId64, count);
    import_put(import, set, "distribution", "top");
    struct yaml_node *list = import_list(import, set, "shares");
    item->text = copy;
    if (!import->short_of_memory) yaml_append(list, item);
    return set;
}

static void put_popularity(struct demand *d, struct flow *flow, struct import_resource *resource,
                           const char *index, double cost) {
    double share = hot_share(d, flow, index, cost);
    if (!(share > 0) || resource->popularity) return;
    resource->popularity =
        popularity_of(d->import, resource->items > 1 ? resource->items : KEYS_ASSUMED, share);
    import_note(
        d->import, IMPORT_ASSUMED, NULL,
        "%s %s: one key has %.1f %% of the %s, for a partition's limit refused some (several "
        "keys may share that; which, Contributor Insights tells)",
        index ? "index" : "table", index ? index : flow->table, 100 * share,
        flow->write ? "writes" : "reads");
}

/* ---- capacity over time ---- */

static void put_step(struct import *import, const struct cloudwatch_series *series,
                     const struct cloudwatch_row *row, double units) {
    struct import_change *change = arena_alloc(import->arena, 1, sizeof *change);
    if (!change) {
        import->short_of_memory = true;
        return;
    }
    *change = (struct import_change){.table = series->table,
                                     .index = series->index,
                                     .t_ns = row->t_s * NS_OF_S,
                                     .capacity = {IMPORT_UNKNOWN, IMPORT_UNKNOWN},
                                     .is_observed = true};
    bool write = series->metric == DDBSIM_METRIC_PROVISIONED_WRITE;
    *(write ? &change->capacity.write : &change->capacity.read) = (int64_t)units;
    *import->last_change = change;
    import->last_change = &change->next;
}

static void take_steps(struct import *import, const struct cloudwatch_series *series) {
    bool write = series->metric == DDBSIM_METRIC_PROVISIONED_WRITE;
    struct import_table *table = import_find_table(import, series->table);
    const struct import_index *index =
        table && series->index ? import_find_index(table, series->index) : NULL;
    if (!table) return;
    const struct import_resource *resource = index ? &index->resource : &table->resource;
    if ((write ? resource->write.file : resource->read.file) != NULL)
        return; /* a policy moves it */
    double before = NAN;
    for (size_t i = 0; i < series->count; i++) {
        double units = cloudwatch_value(&series->rows[i], CLOUDWATCH_MAXIMUM);
        if (isnan(units)) units = cloudwatch_value(&series->rows[i], CLOUDWATCH_AVERAGE);
        if (isnan(units) || units < 1 || units > 1e9) continue;
        if (!isnan(before) && units != before) put_step(import, series, &series->rows[i], units);
        before = units;
    }
}

/* ---- workloads ---- */

/* As many processes as it takes for none of their retry quotas to be empty: the load was reckoned so. */
static int64_t processes_of(const struct demand *d, double refused) {
    const struct ddbsim_retry_quota *quota = &d->client->quota;
    if (!quota->enabled || quota->capacity <= 0) return 1;
    double needed = ceil(refused * (double)quota->throttling_retry_cost / (double)quota->capacity);
    return (int64_t)fmin(fmax(1, needed), QUOTA_PROCESSES_MAX);
}

static struct yaml_node *put_workload(struct demand *d, struct import_table *table,
                                      const char *name, const char *file, double refused) {
    struct import *import = d->import;
    struct yaml_node *workload = import_workload(import, table, name);
    struct yaml_node *replay = import_map(import, workload, "replay");
    struct yaml_node *client = import_map(import, workload, "client");
    import_put(import, replay, "file", "%s", file);
    import_put(import, replay, "format", "csv");
    import_put(import, client, "preset", "%s", d->preset);
    int64_t processes = processes_of(d, refused);
    struct yaml_node *line = import_put(import, client, "processes", "%" PRId64, processes);
    if (processes > 1) {
        import_comment(import, line, "assumed");
        import_note(import, IMPORT_ASSUMED, NULL,
                    "table %s: %" PRId64
                    " processes call it (1..), so many that their retry quotas "
                    "are never empty",
                    table->resource.name, processes);
    }
    return workload;
}

static struct yaml_node *put_operation(struct import *import, struct yaml_node *workload,
                                       const char *name, const char *kind, double share) {
    struct yaml_node *operation = import_item(import, import_list(import, workload, "mix"));
    import_put(import, operation, "name", "%s", name);
    import_put(import, operation, "operation", "%s", kind);
    import_put(import, operation, "weight", "%.4f", fmax(0.0001, share * 100));
    return operation;
}

static enum ddbsim_status put_table_load(struct demand *d, struct import_table *table,
                                         struct flow *writes, struct flow *reads,
                                         struct ddbsim_error *error) {
    struct import *import = d->import;
    const char *file = NULL;
    double all = writes->requests + reads->requests;
    enum ddbsim_status status = attach(import, writes, reads, &file, error);
    if (status) return status;
    struct yaml_node *workload =
        put_workload(d, table, import_text(import, "%s-callers", table->resource.name), file,
                     writes->refused + reads->refused);
    if (writes->bins && writes->served + writes->refused > 0) {
        struct yaml_node *write =
            put_operation(import, workload, "write", "UpdateItem", writes->requests / all);
        if (table->item_bytes == IMPORT_UNKNOWN && writes->served > 0)
            table->item_bytes = llround(fmin(fmax(1, writes->units / writes->served), 400) * 1024);
        for (struct import_index *index = table->indexes; index; index = index->next) {
            put_effect(d, writes, index, write);
            put_popularity(d, writes, &index->resource, index->resource.name,
                           writes->units > 0 ? effect_of(d, writes, index).units / writes->units
                                             : 0);
        }
        put_popularity(d, writes, &table->resource, NULL, 1);
    }
    if (reads->bins && reads->served + reads->refused > 0) {
        put_operation(import, workload, "read", "GetItem", reads->requests / all);
        put_popularity(d, reads, &table->resource, NULL, 1);
    }
    note_flow(d, writes);
    note_flow(d, reads);
    return DDBSIM_OK;
}

static enum ddbsim_status put_index_load(struct demand *d, struct import_table *table,
                                         struct import_index *index, struct ddbsim_error *error) {
    struct import *import = d->import;
    struct flow reads;
    const char *file = NULL;
    enum ddbsim_status status =
        read_flow(d, table->resource.name, index->resource.name, false, &reads, error);
    if (status || !(reads.served + reads.refused > 0)) return status;
    status = attach(import, NULL, &reads, &file, error);
    if (status) return status;
    const char *name =
        import_text(import, "%s-%s-readers", table->resource.name, index->resource.name);
    struct yaml_node *workload = put_workload(d, table, name, file, reads.refused);
    struct yaml_node *query = put_operation(import, workload, "query", "Query", 1);
    import_put(import, query, "index", "%s", index->resource.name);
    /* A Query reads items of the entry's size, as many as give the units. */
    double bytes = reads.served > 0 ? reads.units / reads.served * READ_UNIT_BYTES : 0;
    int64_t entry = index->entry_bytes > 0 ? index->entry_bytes : table->item_bytes;
    if (entry > 0 && bytes / (double)entry >= 1.5)
        import_put(import, query, "items", "%.0f", bytes / (double)entry);
    put_popularity(d, &reads, &index->resource, index->resource.name, 1);
    note_flow(d, &reads);
    return DDBSIM_OK;
}

/* Metrics name indexes of which nothing else may be known. */
static void assume_key(struct import *import, struct import_table *table,
                       struct import_index *index) {
    if (index->resource.partition_key) return;
    index->resource.partition_key = import_text(import, "%s-key", index->resource.name);
    import_note(
        import, IMPORT_ASSUMED, NULL,
        "index %s of %s has a key of its own and the whole item: describe-table would say it",
        index->resource.name, table->resource.name);
}

static enum ddbsim_status put_load(struct demand *d, struct import_table *table,
                                   struct ddbsim_error *error) {
    struct flow writes, reads;
    const char *name = table->resource.name;
    if (table->has_workload) {
        import_note(d->import, IMPORT_PASSED, NULL,
                    "table %s: the load that its metrics show, for another file has the requests",
                    name);
        return DDBSIM_OK;
    }
    enum ddbsim_status status = read_flow(d, name, NULL, true, &writes, error);
    if (!status) status = read_flow(d, name, NULL, false, &reads, error);
    if (status) return status;
    for (struct import_index *index = table->indexes; index; index = index->next)
        assume_key(d->import, table, index);
    if (writes.served + writes.refused + reads.served + reads.refused > 0)
        status = put_table_load(d, table, &writes, &reads, error);
    for (struct import_index *index = table->indexes; index && !status; index = index->next)
        status = put_index_load(d, table, index, error);
    return status;
}

static void find_client(struct demand *d) {
    const char *name = d->import->options.client;
    d->preset = name ? name : DEMAND_CLIENT;
    const struct ddbsim_preset *preset = ddbsim_preset_find(d->preset);
    CHECK(preset != NULL);
    d->client = &preset->client;
    if (!name)
        import_note(d->import, IMPORT_ASSUMED, NULL,
                    "callers retry as %s does, up to %u attempts (1..10): --client says another",
                    d->preset, (unsigned)d->client->max_attempts);
}

enum ddbsim_status demand_join(struct import *import, struct ddbsim_error *error) {
    struct demand d = {.import = import, .set = import->metrics->set};
    const char *output = import->options.output;
    if (!output || strcmp(output, "-") == 0) {
        error_hint(error, "-o NAME.yaml; with -o NAME.db they become a run instead");
        return error_set(
            error, DDBSIM_INPUT,
            "the load of metrics goes into a file beside the scenario, so that needs a "
            "name");
    }
    enum ddbsim_status status = DDBSIM_OK;
    find_client(&d);
    for (struct import_table *table = import->tables; table && !status; table = table->next)
        status = put_load(&d, table, error);
    const struct cloudwatch_series *series;
    for (size_t i = 0; (series = cloudwatch_series(d.set, i)) != NULL && !status; i++)
        if (series->table && (series->metric == DDBSIM_METRIC_PROVISIONED_READ ||
                              series->metric == DDBSIM_METRIC_PROVISIONED_WRITE))
            take_steps(import, series);
    return status ? status : import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}
