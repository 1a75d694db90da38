/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of tables, workloads and alarms as one scenario. What no file said and a scenario needs is assumed:
 * with a comment behind the line and a note that gives the range.
 *
 * Invariant: each assumed value has a note; the scenario that comes out has at least one table and one workload.
 */
#include "import.h"

#include "alarms.h"
#include "tables.h"

#include <ddbsim/scenario.h>
#include <base/check.h>
#include <inttypes.h>
#include <base/date.h>
#include <loader/literal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSUMED_ITEMS 10000
#define ASSUMED_BYTES 1024
#define ASSUMED_UNITS 5    /* what AWS's console gives a provisioned table */
#define ASSUMED_RATE 50.0  /* calls a second of a table on demand */
#define UNBOUNDED_RATE 1e9 /* where a capacity bounds it anyway */
#define LITERAL_BYTES 80
#define HOME_REGION "eu-west-1" /* of every table of a scenario (docs/scenario.md) */
#define DECREASES_A_DAY 4
#define NS_OF_S INT64_C(1000000000)

/* A table on its way into the scenario. */
struct joined {
    struct import *import;
    struct yaml_node *values;
    const struct import_table *table;
    struct yaml_node *node;
    bool on_demand, items_assumed;
    int64_t items, item_bytes;
};

static void put_size(struct import *import, struct yaml_node *mapping, const char *key,
                     int64_t bytes) {
    char text[LITERAL_BYTES];
    literal_put_size(bytes, text, sizeof text);
    import_put(import, mapping, key, "%s", text);
}

/* A number without needless zeros, and its unit. */
static struct yaml_node *put_decimal(struct import *import, struct yaml_node *mapping,
                                     const char *key, double value, const char *unit) {
    char long_text[LITERAL_BYTES], text[LITERAL_BYTES];
    snprintf(long_text, sizeof long_text, "%.6f%s", value, unit);
    literal_put_decimal(long_text, text, sizeof text);
    return import_put(import, mapping, key, "%s", text);
}

const char *import_instant(struct import *import, int64_t unix_s) {
    struct date date = date_of_day(floor_div(unix_s, 86400));
    int64_t s = unix_s - floor_div(unix_s, 86400) * 86400;
    const char *text =
        import_text(import, "%04" PRId64 "-%02d-%02dT%02" PRId64 ":%02" PRId64 ":%02" PRId64 "Z",
                    date.year, date.month, date.day, s / 3600, s / 60 % 60, s % 60);
    return text ? text : "";
}

/* ---- what a table is ---- */

static int64_t mean(int64_t bytes, int64_t items) {
    if (bytes <= 0 || items <= 0) return IMPORT_UNKNOWN;
    return smaller(bytes / items + (bytes % items != 0), DDBSIM_ITEM_BYTES_MAX);
}

static void settle_items(struct joined *j) {
    const struct import_resource *known = &j->table->resource;
    const char *name = known->name;
    j->items = known->items;
    j->items_assumed = j->items <= 0;
    if (j->items_assumed) {
        j->items = ASSUMED_ITEMS;
        import_note(j->import, IMPORT_ASSUMED, j->table->file,
                    "table %s: %d items (0..%" PRId64 "); %s", name, ASSUMED_ITEMS,
                    INT64_C(1000000000000),
                    known->items == 0 ? "the file says 0, which AWS counts every six hours"
                                      : "the file does not say how many there are");
    }
    j->item_bytes = mean(known->bytes, known->items);
    if (j->item_bytes == IMPORT_UNKNOWN) j->item_bytes = j->table->item_bytes;
    if (j->item_bytes != IMPORT_UNKNOWN) return;
    j->item_bytes = ASSUMED_BYTES;
    import_note(j->import, IMPORT_ASSUMED, j->table->file,
                "table %s: an item has 1 KB (1 B..400 KB): up to 1 KB is one write unit", name);
}

static bool is_bought(const struct import_resource *of) {
    return of->capacity.read > 0 || of->capacity.write > 0 || of->read.file || of->write.file ||
           of->read.bounds_file || of->write.bounds_file || of->actions;
}

static void settle_billing(struct joined *j) {
    const struct import_table *table = j->table;
    bool bought = is_bought(&table->resource);
    for (const struct import_index *index = table->indexes; index; index = index->next)
        bought = bought || is_bought(&index->resource);
    j->on_demand = table->billing ? !strcmp(table->billing, "PAY_PER_REQUEST") : !bought;
    if (!table->billing && !bought)
        import_note(j->import, IMPORT_ASSUMED, table->file,
                    "table %s: PAY_PER_REQUEST (or PROVISIONED, with capacities)",
                    table->resource.name);
    import_put(j->import, j->node, "billing_mode", "%s",
               j->on_demand ? "PAY_PER_REQUEST" : "PROVISIONED");
}

/* ---- capacities ---- */

static const char *label(const struct joined *j, const struct import_resource *of) {
    bool table = of == &j->table->resource;
    return import_text(j->import, "%s %s%s%s", table ? "table" : "index", of->name,
                       table ? "" : " of table ", table ? "" : j->table->resource.name);
}

static void put_capacity(const struct joined *j, const struct import_resource *of,
                         struct yaml_node *node, const char *key, int64_t units,
                         const struct import_policy *policy, int64_t tables) {
    if (units > 0) {
        import_put(j->import, node, key, "%" PRId64, units);
        return;
    }
    int64_t served = policy == &of->read ? of->served.read : of->served.write;
    int64_t assumed = policy->bounds_file ? policy->min_capacity
                      : tables > 0        ? tables
                                          : ASSUMED_UNITS;
    bool shown = !policy->bounds_file && served > assumed;
    if (shown) assumed = served;
    struct yaml_node *line = import_put(j->import, node, key, "%" PRId64, assumed);
    import_comment(j->import, line, "assumed");
    import_note(j->import, IMPORT_ASSUMED, j->table->file, "%s: %s %" PRId64 " (1..%d), %s",
                label(j, of), key, assumed, DDBSIM_CAPACITY_QUOTA,
                shown                 ? "so much it served at most"
                : policy->bounds_file ? "the least of its auto scaling"
                : tables > 0          ? "as its table has"
                                      : "as AWS's console begins");
}

static void put_pair(const struct joined *j, struct yaml_node *node, const char *key,
                     const struct import_units *units, const char *read, const char *write) {
    if (units->read <= 0 && units->write <= 0) return;
    struct yaml_node *pair = import_map(j->import, node, key);
    if (units->read > 0) import_put(j->import, pair, read, "%" PRId64, units->read);
    if (units->write > 0) import_put(j->import, pair, write, "%" PRId64, units->write);
}

static void put_policy(const struct joined *j, const struct import_resource *of,
                       struct yaml_node *scaling, const char *direction,
                       const struct import_policy *policy) {
    struct import *import = j->import;
    if (!policy->file) return;
    struct yaml_node *node = import_map(import, scaling, direction);
    bool bounded = policy->bounds_file;
    int64_t low = bounded ? policy->min_capacity : 1;
    int64_t high = bounded ? policy->max_capacity : DDBSIM_CAPACITY_QUOTA;
    struct yaml_node *first = import_put(import, node, "min_capacity", "%" PRId64, low);
    import_put(import, node, "max_capacity", "%" PRId64, high);
    import_put(import, node, "target_value", "%.6g%%", policy->target_percent);
    if (policy->scale_out_s)
        import_put(import, node, "scale_out_cooldown", "%" PRId64 "s", policy->scale_out_s);
    if (policy->scale_in_s)
        import_put(import, node, "scale_in_cooldown", "%" PRId64 "s", policy->scale_in_s);
    if (policy->disable_scale_in) import_put(import, node, "disable_scale_in", "true");
    if (bounded) return;
    import_comment(import, first, "assumed, and the most as well");
    import_note(
        import, IMPORT_ASSUMED, policy->file,
        "%s: its auto scaling moves the %s capacity within 1..%d; describe-scalable-targets "
        "tells the bounds",
        label(j, of), direction, DDBSIM_CAPACITY_QUOTA);
}

static void put_scaling(const struct joined *j, const struct import_resource *of,
                        struct yaml_node *node) {
    if (!of->read.file && !of->write.file) {
        if (of->actions)
            import_note(j->import, IMPORT_PASSED, NULL,
                        "%s: scheduled actions without a policy whose bounds they move",
                        label(j, of));
        return;
    }
    struct yaml_node *scaling = import_map(j->import, node, "auto_scaling");
    put_policy(j, of, scaling, "write", &of->write);
    put_policy(j, of, scaling, "read", &of->read);
    if (!of->actions || j->import->short_of_memory) return;
    of->actions->key = "scheduled_actions";
    yaml_append(scaling, of->actions);
}

static void put_throughput(const struct joined *j, const struct import_resource *of,
                           struct yaml_node *node) {
    const struct import_units *tables = &j->table->resource.capacity;
    bool is_index = of != &j->table->resource;
    if (j->on_demand) {
        put_pair(j, node, "on_demand_throughput", &of->maximum, "max_read_request_units",
                 "max_write_request_units");
        if (of->read.file || of->write.file)
            import_note(j->import, IMPORT_PASSED, of->read.file ? of->read.file : of->write.file,
                        "%s: auto scaling does nothing where requests are paid for", label(j, of));
    } else {
        put_capacity(j, of, node, "read_capacity", of->capacity.read, &of->read,
                     is_index ? tables->read : IMPORT_UNKNOWN);
        put_capacity(j, of, node, "write_capacity", of->capacity.write, &of->write,
                     is_index ? tables->write : IMPORT_UNKNOWN);
        put_scaling(j, of, node);
    }
    put_pair(j, node, "warm_throughput", &of->warm, "read_units_per_second",
             "write_units_per_second");
}

/* ---- keys ---- */

/* The value set of a partition key, made where there is none yet. */
static const char *put_values(struct joined *j, const struct import_resource *of, int64_t count,
                              const char *why) {
    const char *name = import_values_name(j->import, j->table, of);
    if (j->import->short_of_memory || yaml_child(j->values, name)) return name;
    if (of->popularity) {
        of->popularity->key = name;
        yaml_append(j->values, of->popularity);
        return name;
    }
    struct yaml_node *set = import_map(j->import, j->values, name);
    struct yaml_node *line = import_put(j->import, set, "count", "%" PRId64, larger(count, 1));
    if (!why) return name;
    import_comment(j->import, line, "assumed");
    import_note(j->import, IMPORT_ASSUMED, j->table->file,
                "%s: %" PRId64 " partition keys, all alike (1..%" PRId64 "); %s", label(j, of),
                larger(count, 1), larger(count, 1), why);
    return name;
}

static void put_entity(struct joined *j) {
    struct import *import = j->import;
    const struct import_resource *of = &j->table->resource;
    const char *why =
        of->sort_key ? "no file says how many items share one" : "no file says who is popular";
    struct yaml_node *list = import_list(import, j->node, "entities");
    struct yaml_node *entity = import_item(import, list);
    import_put(import, entity, "name", IMPORT_ENTITY);
    import_put(import, entity, "partition_key", "{%s}", put_values(j, of, j->items, why));
    if (of->sort_key) import_put(import, entity, "sort_key", "{n}");
    struct yaml_node *count = import_put(import, entity, "count", "%" PRId64, j->items);
    if (j->items_assumed) import_comment(import, count, "assumed");
    put_size(import, entity, "size", j->item_bytes);
    if (!j->table->ttl) return;
    import_note(import, IMPORT_MISSING, j->table->file,
                "table %s: items expire by the attribute %s; how long after their write no file "
                "says: add `ttl: {after: ...}` to the entity",
                of->name, j->table->ttl);
}

static bool same(const char *a, const char *b) { return a && b && !strcmp(a, b); }

static void put_index_keys(struct joined *j, const struct import_index *index,
                           struct yaml_node *node, int64_t entries) {
    const struct import_resource *of = &index->resource, *table = &j->table->resource;
    const char *set = import_values_name(j->import, j->table, table);
    if (!index->is_local) {
        if (!same(of->partition_key, table->partition_key))
            set = put_values(j, of, entries,
                             "few values make an index hot, so write down how many there are");
        import_put(j->import, node, "partition_key", "{%s}", set);
        set = import_values_name(j->import, j->table, table);
    }
    if (!of->sort_key) return;
    if (same(of->sort_key, table->partition_key))
        import_put(j->import, node, "sort_key", "{%s}", set);
    else
        import_put(j->import, node, "sort_key",
                   same(of->sort_key, table->sort_key) ? "{n}" : "{uuid}");
}

/* ---- indexes ---- */

static void put_present(struct joined *j, const struct import_index *index,
                        struct yaml_node *entry) {
    char text[LITERAL_BYTES];
    int64_t items = index->resource.items, share = index->present;
    bool counted = !j->items_assumed && items != IMPORT_UNKNOWN;
    if (counted) share = (int64_t)((int128)smaller(items, j->items) * DDBSIM_SHARE_ONE / j->items);
    if (share == IMPORT_UNKNOWN || share == DDBSIM_SHARE_ONE) return;
    share = larger(share, index->touched);
    literal_put_share(share, text, sizeof text);
    import_put(j->import, entry, "present", "%s", text);
}

static void put_entry_size(struct joined *j, const struct import_index *index,
                           struct yaml_node *entry) {
    const char *projection = index->projection ? index->projection : "ALL";
    int64_t bytes = mean(index->resource.bytes, index->resource.items);
    if (bytes == IMPORT_UNKNOWN) bytes = index->entry_bytes;
    if (!strcmp(projection, "ALL")) return;
    if (bytes != IMPORT_UNKNOWN) {
        put_size(j->import, entry, "entry_size", smaller(bytes, j->item_bytes));
        return;
    }
    if (!strcmp(projection, "KEYS_ONLY")) return;
    bytes = larger(j->item_bytes / 2, 1);
    put_size(j->import, entry, "entry_size", bytes);
    import_note(j->import, IMPORT_ASSUMED, j->table->file,
                "%s: an entry has half of the item's size, %" PRId64 " B (1..%" PRId64 " B)",
                label(j, &index->resource), bytes, j->item_bytes);
}

static void put_index(struct joined *j, struct yaml_node *list, const struct import_index *index) {
    struct import *import = j->import;
    struct yaml_node *node = import_item(import, list);
    const struct import_resource *of = &index->resource;
    int64_t entries = of->items > 0 && !j->items_assumed ? of->items : j->items;
    import_put(import, node, "name", "%s", of->name);
    if (index->is_local) import_put(import, node, "type", "LOCAL");
    put_index_keys(j, index, node, entries);
    import_put(import, node, "projection", "%s", index->projection ? index->projection : "ALL");
    if (!index->is_local) put_throughput(j, of, node);
    struct yaml_node entry_probe = {.kind = YAML_MAPPING, .text = ""};
    put_present(j, index, &entry_probe);
    put_entry_size(j, index, &entry_probe);
    if (!entry_probe.count) return;
    struct yaml_node *entry =
        import_map(import, import_map(import, node, "entries"), IMPORT_ENTITY);
    entry->first = entry_probe.first;
    entry->last = entry_probe.last;
    entry->count = entry_probe.count;
}

/* An index that some other file named and no description knows. */
static bool is_described(const struct joined *j, const struct import_index *index) {
    if (index->resource.partition_key) return true;
    import_note(j->import, IMPORT_MISSING, j->table->file,
                "index %s of table %s: no file says what its key is; it is left out",
                index->resource.name, j->table->resource.name);
    return false;
}

/* ---- tables ---- */

static void put_replicas(struct joined *j) {
    const char *own = j->table->region;
    const struct yaml_node *first = j->table->replicas ? j->table->replicas->first : NULL;
    struct yaml_node *list = NULL;
    for (const struct yaml_node *region = first; region; region = region->next) {
        if (same(region->text, own)) continue;
        /* A scenario calls every table's own Region the same: the one of that name takes the table's. */
        const char *name = strcmp(region->text, HOME_REGION) ? region->text : own;
        if (!name) {
            import_note(j->import, IMPORT_MISSING, j->table->file,
                        "table %s: its own Region, which a scenario calls %s; so its replica there "
                        "is left out",
                        j->table->resource.name, HOME_REGION);
            continue;
        }
        if (!list) list = import_list(j->import, j->node, "replicas");
        struct yaml_node *item = import_item(j->import, list);
        *item = (struct yaml_node){.kind = YAML_SCALAR, .text = name};
    }
    if (list && own && strcmp(own, HOME_REGION) != 0)
        import_note(j->import, IMPORT_ASSUMED, j->table->file,
                    "table %s is in %s, which the scenario calls %s", j->table->resource.name, own,
                    HOME_REGION);
}

/* Assumptions of the model that this table needs others of. */
static void put_model(struct joined *j) {
    struct import *import = j->import;
    const struct import_table *table = j->table;
    int64_t read = table->resource.capacity.read, write = table->resource.capacity.write;
    for (const struct import_index *index = table->indexes; index; index = index->next) {
        read = larger(read, index->resource.capacity.read);
        write = larger(write, index->resource.capacity.write);
    }
    struct yaml_node *model = NULL;
    if (read > DDBSIM_CAPACITY_QUOTA || write > DDBSIM_CAPACITY_QUOTA ||
        table->decreases_today > 0 || table->alarms_of_2017)
        model = import_map(import, j->node, "model");
    if (read > DDBSIM_CAPACITY_QUOTA) import_put(import, model, "quota_read", "%" PRId64, read);
    if (write > DDBSIM_CAPACITY_QUOTA) import_put(import, model, "quota_write", "%" PRId64, write);
    if (table->alarms_of_2017) import_put(import, model, "alarms", "2017");
    if (table->decreases_today <= 0) return;
    struct yaml_node *line = import_put(import, model, "decreases_a_day", "%" PRId64,
                                        larger(DECREASES_A_DAY - table->decreases_today, 0));
    import_comment(import, line, "of the day's %d, %" PRId64 " are used", DECREASES_A_DAY,
                   table->decreases_today);
}

static void put_partitions(struct joined *j) {
    const struct import_table *table = j->table;
    if (table->partitions == 0) return;
    struct yaml_node *line =
        import_put(j->import, j->node, "partitions", "%" PRId64, table->partitions);
    import_comment(j->import, line, "assumed");
    import_note(j->import, IMPORT_ASSUMED, table->file,
                "table %s: %" PRId64 " partitions (1..%" PRId64
                "), as many as the export has files "
                "with items",
                table->resource.name, table->partitions, table->partitions);
}

static void put_table(struct joined *j, struct yaml_node *tables) {
    struct import *import = j->import;
    const struct import_table *table = j->table;
    j->node = import_item(import, tables);
    import_put(import, j->node, "name", "%s", table->resource.name);
    if (table->rank == IMPORT_IMPLIED)
        import_note(import, IMPORT_MISSING, table->file,
                    "no file describes table %s, which this one names: its capacity, keys and "
                    "size are assumed",
                    table->resource.name);
    settle_billing(j);
    put_throughput(j, &table->resource, j->node);
    if (table->stream) import_put(import, j->node, "stream", "%s", table->stream);
    put_partitions(j);
    put_replicas(j);
    put_model(j);
    settle_items(j);
    put_entity(j);
    for (const struct import_index *index = table->indexes; index; index = index->next)
        if (is_described(j, index)) put_index(j, import_list(import, j->node, "indexes"), index);
}

/* ---- changes ---- */

static const struct yaml_node *entry_named(const struct yaml_node *list, const char *name) {
    const struct yaml_node *entry = list ? list->first : NULL;
    while (entry && !same(yaml_text(entry, "name"), name))
        entry = entry->next;
    return entry;
}

/* A change that the scenario can make: of a capacity that it has. */
static bool is_possible(const struct yaml_node *tables, const struct import_change *change) {
    const struct yaml_node *node = entry_named(tables, change->table);
    if (node && change->index) node = entry_named(yaml_child(node, "indexes"), change->index);
    return node && yaml_child(node, "write_capacity") && !change->changes_billing;
}

static void put_set(struct import *import, struct yaml_node *set,
                    const struct import_change *change, const char *key, int64_t units) {
    if (units < 0) return;
    const char *index = change->index;
    const char *path =
        index ? import_text(import, "tables.\"%s\".indexes.\"%s\".%s", change->table, index, key)
              : import_text(import, "tables.\"%s\".%s", change->table, key);
    if (path) import_put(import, set, path, "%" PRId64, units);
}

static void put_change(struct import *import, struct yaml_node *list,
                       const struct import_change *change) {
    struct yaml_node *node = import_item(import, list);
    import_put(import, node, "at", "%s", import_instant(import, floor_div(change->t_ns, NS_OF_S)));
    import_put(import, node, "name", "UpdateTable of %s",
               change->index ? change->index : change->table);
    struct yaml_node *set = import_map(import, node, "set");
    put_set(import, set, change, "read_capacity", change->capacity.read);
    put_set(import, set, change, "write_capacity", change->capacity.write);
    import_note(import, IMPORT_TOOK, change->file, "%s of %s%s%s as a change",
                change->is_observed ? "a step of what was provisioned" : "an UpdateTable",
                change->table, change->index ? ", index " : "", change->index ? change->index : "");
}

/* Descriptions tell what a table is after the changes. */
static void put_changes(struct import *import, struct yaml_node *root,
                        const struct yaml_node *tables) {
    struct yaml_node *list = NULL;
    bool unknown = false;
    for (const struct import_change *change = import->changes; change; change = change->next) {
        bool covered = change->t_ns >= import->from_unix_ns && change->t_ns <= import->to_unix_ns;
        if (!covered || !is_possible(tables, change)) {
            import_note(import, IMPORT_PASSED, change->file, "an UpdateTable of table %s%s",
                        change->table,
                        covered ? ": it changes the mode, or what the scenario does not have"
                                : " outside of what is replayed");
            continue;
        }
        if (!list) list = import_list(import, root, "changes");
        put_change(import, list, change);
        bool tells = (change->capacity.read <= 0 || change->before.read >= 0) &&
                     (change->capacity.write <= 0 || change->before.write >= 0);
        unknown |= !tells && !change->is_observed;
    }
    if (unknown)
        import_note(import, IMPORT_MISSING, NULL,
                    "the capacities before the changes: a description tells those of its own time, "
                    "and CloudTrail's records have no answer of AWS's");
}

/* ---- workloads ---- */

static double units_of(int64_t bytes, int64_t unit_bytes) {
    int64_t units = bytes / unit_bytes + (bytes % unit_bytes != 0);
    return (double)units;
}

static int64_t number_at(const struct yaml_node *node, const char *key) {
    uint64_t value = 0;
    struct literal_problem ignored;
    const char *text = yaml_text(node, key);
    return text && literal_count(text, &value, &ignored) ? (int64_t)value : 0;
}

/* Units a second that a table or an index serves: its capacity, or the maximum that it has on demand; 0: no bound. */
static int64_t served(const struct yaml_node *node, const char *capacity, const char *maximum) {
    int64_t units = number_at(node, capacity);
    return units > 0 ? units : number_at(yaml_child(node, "on_demand_throughput"), maximum);
}

static double tighter(double calls, int64_t units_per_s, double units_a_call) {
    double bound = (double)units_per_s / units_a_call / 2;
    return units_per_s > 0 && bound < calls ? bound : calls;
}

/* Half of what the tightest of table and indexes serves. */
static double calm_writes(const struct joined *j, double most) {
    static const char capacity[] = "write_capacity", maximum[] = "max_write_request_units";
    double units = units_of(j->item_bytes, 1024);
    double calls = tighter(most, served(j->node, capacity, maximum), units);
    const struct yaml_node *list = yaml_child(j->node, "indexes");
    for (const struct yaml_node *index = list ? list->first : NULL; index; index = index->next)
        calls = tighter(calls, served(index, capacity, maximum), units);
    return calls;
}

/* Eventual reads: each costs half a unit for each 4 KB. */
static double calm_reads(const struct joined *j, double most) {
    int64_t bound = served(j->node, "read_capacity", "max_read_request_units");
    return tighter(most, bound, units_of(j->item_bytes, 4096) / 2);
}

static void put_load(const struct joined *j) {
    struct import *import = j->import;
    const struct import_table *table = j->table;
    struct import_table *own = import_find_table(import, table->resource.name);
    double most = j->on_demand ? ASSUMED_RATE : UNBOUNDED_RATE;
    double reads = calm_reads(j, most), writes = calm_writes(j, most);
    const char *name = import_text(import, "%s-load", table->resource.name);
    struct yaml_node *workload = import_workload(import, own, name ? name : "");
    struct yaml_node *rate = put_decimal(import, workload, "rate", reads + writes, "/s");
    import_comment(import, rate, "assumed: %s",
                   j->on_demand ? "no file says who calls" : "half of the capacity");
    struct yaml_node *mix = import_list(import, workload, "mix");
    struct yaml_node *update = import_item(import, mix), *get = import_item(import, mix);
    import_put(import, update, "operation", "UpdateItem");
    (void)put_decimal(import, update, "weight", writes, "");
    import_put(import, get, "operation", "GetItem");
    (void)put_decimal(import, get, "weight", reads, "");
    import_client(import, workload);
    import_note(import, IMPORT_ASSUMED, table->file,
                "table %s: %.3g updates and %.3g eventual reads a second, steady (0..): %s",
                table->resource.name, writes, reads,
                j->on_demand ? "no file says who calls it" : "half of its capacity");
    import_note(import, IMPORT_MISSING, NULL,
                "who calls table %s: `ddbsim import --commands %s` prints the commands that fetch "
                "its CloudWatch metrics",
                table->resource.name, table->resource.name);
}

/* ---- the scenario ---- */

static void put_span(struct import *import, struct yaml_node *root) {
    char text[LITERAL_BYTES];
    int64_t from_s = floor_div(import->from_unix_ns, NS_OF_S);
    int64_t to_s = -floor_div(-import->to_unix_ns, NS_OF_S);
    int64_t lasts_s = -floor_div(-import->lasts_ns, NS_OF_S);
    if (to_s > from_s) import_put(import, root, "start", "%s", import_instant(import, from_s));
    literal_put_duration(larger(to_s - from_s, lasts_s) * NS_OF_S, text, sizeof text);
    import_put(import, root, "duration", "%s", to_s > from_s || lasts_s > 0 ? text : "1h");
}

/* Tables of several Regions stand side by side in one scenario. */
static void note_regions(struct import *import) {
    const struct import_table *first = NULL;
    for (const struct import_table *table = import->tables; table; table = table->next) {
        if (!table->region) continue;
        if (first && strcmp(first->region, table->region) != 0)
            import_note(import, IMPORT_ASSUMED, NULL,
                        "table %s is in %s (%s) and table %s in %s (%s): they are simulated side "
                        "by side",
                        first->resource.name, first->region, first->file, table->resource.name,
                        table->region, table->file);
        if (!first) first = table;
    }
}

/* Files name tables and indexes in many ways; not every one of them can be. */
static enum ddbsim_status check_names(const struct import *import, struct ddbsim_error *error) {
    for (const struct import_table *table = import->tables; table; table = table->next) {
        const char *wrong = tables_is_name(table->resource.name) ? NULL : table->resource.name;
        for (const struct import_index *index = table->indexes; index; index = index->next)
            if (!tables_is_name(index->resource.name)) wrong = index->resource.name;
        if (!wrong) continue;
        error_set(error, DDBSIM_INPUT, "no table or index can be called \"%.80s\"", wrong);
        error_place(error, table->file, 0, 0);
        error_hint(error, "names have letters, digits, _ - .");
        return DDBSIM_INPUT;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status join_kinds(struct import *import, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < import->file_count && !status; i++) {
        bool done = !import->kinds[i]->join;
        for (size_t k = 0; k < i && !done; k++)
            done = import->kinds[k]->join == import->kinds[i]->join;
        if (!done) status = import->kinds[i]->join(import, error);
    }
    if (!status) status = tables_check_count(import, error);
    return status ? status : check_names(import, error);
}

static struct yaml_node *hang_list(struct import *import, struct yaml_node *root, const char *key,
                                   struct yaml_node *list) {
    list->key = key;
    if (!import->short_of_memory) yaml_append(root, list);
    return list;
}

enum ddbsim_status import_join(struct import *import, struct yaml_node **out,
                               struct ddbsim_error *error) {
    enum ddbsim_status status = join_kinds(import, error);
    if (status) return status;
    if (!import->tables)
        return error_set(error, DDBSIM_INPUT,
                         "the files name no table: there is nothing to simulate");
    struct yaml_node *root = yaml_new(import->arena, YAML_MAPPING, NULL);
    if (!root) return error_memory(error);
    import_put(import, root, "version", "1");
    put_span(import, root);
    struct yaml_node *values = import_map(import, root, "values");
    struct yaml_node *tables = import_list(import, root, "tables");
    note_regions(import);
    for (const struct import_table *table = import->tables; table; table = table->next) {
        struct joined j = {.import = import, .values = values, .table = table};
        put_table(&j, tables);
        if (!table->has_workload) put_load(&j);
    }
    hang_list(import, root, "workloads", import->workloads);
    put_changes(import, root, tables);
    alarms_put(import, root);
    *out = root;
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}

/* ---- one table ---- */

static enum ddbsim_status fail_name(const struct import *import, const char *name,
                                    struct ddbsim_error *error) {
    char names[200] = "";
    for (const struct import_table *table = import->tables; table; table = table->next) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", table->resource.name);
    }
    error_set(error, DDBSIM_INPUT, "the document describes no table \"%.80s\"", name);
    error_hint(error, "it has %s", *names ? names : "no table at all");
    return DDBSIM_INPUT;
}

enum ddbsim_status import_join_table(struct import *import, const char *name,
                                     struct yaml_node **out, struct ddbsim_error *error) {
    enum ddbsim_status status = join_kinds(import, error);
    if (status) return status;
    struct import_table *only = import->tables && !import->tables->next ? import->tables : NULL;
    const struct import_table *table = only ? only : import_find_table(import, name);
    if (!table) return fail_name(import, name, error);
    struct yaml_node *root = yaml_new(import->arena, YAML_MAPPING, import->options.place);
    if (!root) return error_memory(error);
    struct joined j = {.import = import, .table = table};
    j.values = import_map(import, root, "values");
    put_table(&j, import_list(import, root, "tables"));
    import_put(import, j.node, "name", "%s", name);
    *out = root;
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}

/* ---- as text ---- */

static void put_notes(struct buffer *out, const struct import *import, enum import_note_kind kind) {
    for (const struct import_note *note = import->notes; note; note = note->next)
        if (note->kind == kind)
            buffer_printf(out, "# %s: %s%s%s\n", import_note_word(kind),
                          note->file ? note->file : "", note->file ? ": " : "", note->text);
}

enum ddbsim_status import_write(struct import *import, const struct yaml_node *scenario, char **out,
                                struct ddbsim_error *error) {
    struct buffer notes = {0}, lines = {0}, text = {0};
    for (int kind = 0; kind < IMPORT_UNKNOWN_KEYS; kind++)
        put_notes(&notes, import, (enum import_note_kind)kind);
    yaml_block(&lines, scenario);
    buffer_add(&lines, "", 0);
    /* A scenario has 1 MiB at most; its notes were said when it was made. */
    if (notes.length + lines.length <= YAML_BYTES_MAX) buffer_add(&text, notes.bytes, notes.length);
    if (!lines.failed) buffer_put(&text, lines.bytes);
    bool failed = notes.failed || lines.failed;
    free(notes.bytes);
    free(lines.bytes);
    *out = buffer_finish(&text);
    if (*out && !failed) return DDBSIM_OK;
    free(*out);
    *out = NULL;
    return error_memory(error);
}
