/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table itself. Sections stand in the order of the reference, keys in the order in which one
 * would write them. Words of enums are listed in the order of their C enum: a word's place is its
 * number. The assumptions come from ddbsim/assumptions.h, the operations from ddbsim/names.h.
 *
 * Invariant: a fallback is a valid literal of its key (tested).
 */
#include <loader/grammar.h>

#include <ddbsim/scenario.h>
#include <base/check.h>
#include <loader/client.h>
#include <workloads/shapes.h>
#include <stdio.h>
#include <string.h>

#define MOST INT64_MAX
#define DAY_NS (86400 * DDBSIM_S)
#define YEAR_NS (400 * DAY_NS)
#define DECADE_NS (3653 * DAY_NS)
#define ITEMS_MAX INT64_C(1000000000000)
#define SEED_MAX INT64_C(999999999999999999)
#define UNITS_MAX 100000000
#define VUS_MAX 1000000
#define QUERY_ITEMS_MAX 10000000
#define COOLDOWN_MAX (3600 * DDBSIM_S)
#define PERCENT (DDBSIM_SHARE_ONE / 100)
#define SCALE_SHARE_MAX (10 * DDBSIM_SHARE_ONE)
#define MINUTE_NS (60 * DDBSIM_S)
#define KEY(section_name, key_text, type_name, ...) \
    { .section = SECTION_##section_name, .key = key_text, .type = TYPE_##type_name, __VA_ARGS__ }
#define LATER(section_name, key_text, help_text) \
    { .section = SECTION_##section_name, .key = key_text, .type = TYPE_LATER, .help = help_text }

#define SCALING(section_name)                                                                    \
    KEY(section_name, "auto_scaling", SECTION, .child = SECTION_AUTO_SCALING,                    \
        .family = FAMILY_SCALING, .group = 1, .flags = GRAMMAR_OPTIONAL,                         \
        .help = "PROVISIONED: Application Auto Scaling, target tracking and scheduled actions"), \
        KEY(section_name, "scaler", SECTION, .child = SECTION_SCALER, .family = FAMILY_SCALING,  \
            .group = 2, .flags = GRAMMAR_OPTIONAL,                                               \
            .help = "PROVISIONED: a home-made scaler instead, which reads CloudWatch and calls " \
                    "UpdateTable")

#define ITEM_QUOTA "AWS's limit is 400 KB an item"
#define TYPE_OF_UNITS TYPE_UNITS
#define TYPE_OF_DURATION TYPE_DURATION
#define TYPE_OF_SHARE TYPE_SHARE
#define TYPE_OF_SIZE TYPE_SIZE
#define TYPE_OF_CHOICE TYPE_CHOICE

#define OPERATION_WORD(e, name, write) name "|"
#define SHAPE_WORD(e, name) name "|"

static const struct grammar_key keys[] = {
    /* ---- the scenario ---- */
    KEY(SCENARIO, "version", COUNT, .low = 1, .high = 1,
        .flags = GRAMMAR_REQUIRED | GRAMMAR_NO_SETTING | GRAMMAR_FIXED,
        .help = "version of this grammar"),
    KEY(SCENARIO, "extends", FILE, .flags = GRAMMAR_NO_SETTING | GRAMMAR_FIXED,
        .help = "another scenario file to start from, relative to this one"),
    KEY(SCENARIO, "name", SLUG, .otherwise = "the file's name", .help = "names the result file"),
    KEY(SCENARIO, "title", TITLE, .otherwise = "the name",
        .help = "one text, or one a language: {en, es}"),
    KEY(SCENARIO, "start", INSTANT, .fallback = "2026-01-01T00:00:00Z",
        .help = "date and time with offset; reports show this offset"),
    KEY(SCENARIO, "duration", DURATION, .low = DDBSIM_S, .high = YEAR_NS, .flags = GRAMMAR_REQUIRED,
        .help = "how long is simulated"),
    LATER(SCENARIO, "warmup", "simulated before start, not recorded"),
    KEY(SCENARIO, "seed", COUNT, .low = 0, .high = SEED_MAX, .fallback = "1",
        .help = "the same seed gives the same result"),
    KEY(SCENARIO, "rules", CHOICE, .choices = "today|2018|2017|2012", .fallback = "today",
        .help = "how DynamoDB behaved in that year: defaults of the model"),
    LATER(SCENARIO, "prices", "price book"),
    KEY(SCENARIO, "model", SECTION, .child = SECTION_MODEL,
        .help = "assumptions about what AWS does not publish, by name"),
    KEY(SCENARIO, "values", MAP, .child = SECTION_VALUES,
        .help = "named sets of key values; {name} in a key's template draws one"),
    KEY(SCENARIO, "tables", LIST, .child = SECTION_TABLE, .flags = GRAMMAR_REQUIRED,
        .help = "the tables"),
    KEY(SCENARIO, "workloads", LIST, .child = SECTION_WORKLOAD, .flags = GRAMMAR_REQUIRED,
        .help = "what callers do; each has one source of load"),
    KEY(SCENARIO, "faults", LIST, .child = SECTION_FAULT,
        .help = "what AWS, the network or the callers' machines do for a while"),
    KEY(SCENARIO, "changes", LIST, .child = SECTION_CHANGE, .help = "what people do meanwhile"),
    KEY(SCENARIO, "alarms", LIST, .child = SECTION_ALARM,
        .help = "CloudWatch alarms, in CloudWatch's words"),
    KEY(SCENARIO, "variants", LIST, .child = SECTION_VARIANT,
        .flags = GRAMMAR_NO_SETTING | GRAMMAR_FIXED,
        .help = "the same scenario with something else; all share the same random numbers"),
    KEY(SCENARIO, "thresholds", EXPRESSIONS, .flags = GRAMMAR_NO_SETTING,
        .help = "what you want: METRIC{tag: value} OP VALUE"),
    KEY(SCENARIO, "expect", CONDITIONS, .child = SECTION_EXPECT, .flags = GRAMMAR_NO_SETTING,
        .help = "what must come out of the base"),
    LATER(SCENARIO, "study", "replications, sweeps and precision"),

    /* ---- values ---- */
    KEY(VALUES, "count", COUNT, .low = 1, .high = ITEMS_MAX,
        .otherwise = "1 for single and clock; all before start for new", .help = "how many values"),
    KEY(VALUES, "distribution", CHOICE,
        .choices = "uniform|zipfian|sequential|latest|exponential|hotspot|top|single|ycsb_zipfian",
        .otherwise = "uniform", .help = "how popular each value is"),
    KEY(VALUES, "theta", DECIMAL, .otherwise = "0.99 for zipfian and latest; else 0",
        .help = "zipfian, latest, the rest of top: rank r has weight 1 / r^theta, 0 to 5"),
    KEY(VALUES, "scrambled", BOOL, .otherwise = "false for zipfian",
        .help = "zipfian: popularity does not follow the value's number"),
    KEY(VALUES, "list", SHARES,
        .help =
            "words and their shares; with count the other values are numbers and have the rest"),
    KEY(VALUES, "shares", SHARE_LIST,
        .help = "top: shares of the first values; the others have the rest, by theta"),
    KEY(VALUES, "keys", SHARE, .low = 1, .high = DDBSIM_SHARE_ONE, .otherwise = "20% for hotspot",
        .help = "hotspot: share of the values that are hot"),
    KEY(VALUES, "traffic", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "80% for hotspot", .help = "hotspot: share of the traffic that goes to them"),
    KEY(VALUES, "moves", DURATION, .low = DDBSIM_S, .high = YEAR_NS, .otherwise = "never",
        .help = "hotspot: so often the next values become the hot ones"),
    KEY(VALUES, "keyspace", COUNT, .low = 2, .high = ITEMS_MAX,
        .otherwise = "one more than count for ycsb_zipfian",
        .help = "ycsb_zipfian: keys that ranks are hashed into; those that are not there are drawn "
                "again"),
    KEY(VALUES, "sorted", COUNT, .low = 1, .high = ITEMS_MAX, .otherwise = "at random",
        .help = "the values come in order, once through all of them in so many arrivals"),
    KEY(VALUES, "clock", CHOICE, .choices = "day|hour|month",
        .help = "the value is the current period of local time; count: periods at start"),
    KEY(VALUES, "new", BOOL, .otherwise = "false",
        .help = "every insert makes a new value; everything else chooses one that is there"),
    KEY(VALUES, "start", COUNT, .low = 0, .high = ITEMS_MAX, .otherwise = "0 for new",
        .help = "new: the first new value; those before it, `count` of them, are there at start"),
    KEY(VALUES, "file", FILE,
        .help = "rows VALUE,WEIGHT or a report of Contributor Insights, relative to this file; "
                "instead of all else but sorted"),

    /* ---- tables ---- */
    KEY(TABLE, "name", AWS_NAME, .flags = GRAMMAR_REQUIRED, .help = "the table's name"),
    KEY(TABLE, "import", FILE, .flags = GRAMMAR_NO_SETTING | GRAMMAR_FIXED,
        .help = "a document that describes the table, relative to this file; the keys below "
                "replace what it says"),
    KEY(TABLE, "billing_mode", CHOICE, .choices = "PROVISIONED|PAY_PER_REQUEST",
        .fallback = "PROVISIONED", .flags = GRAMMAR_CHANGEABLE, .help = "capacity mode"),
    KEY(TABLE, "read_capacity", UNITS, .low = 1, .high = UNITS_MAX, .flags = GRAMMAR_CHANGEABLE,
        .otherwise = "required where PROVISIONED", .help = "read units a second"),
    KEY(TABLE, "write_capacity", UNITS, .low = 1, .high = UNITS_MAX, .flags = GRAMMAR_CHANGEABLE,
        .otherwise = "required where PROVISIONED", .help = "write units a second"),
    SCALING(TABLE),
    KEY(TABLE, "on_demand_throughput", SECTION, .child = SECTION_MAXIMUM,
        .help = "PAY_PER_REQUEST: the most that is served"),
    KEY(TABLE, "warm_throughput", SECTION, .child = SECTION_WARM,
        .help = "what is served from the start"),
    KEY(TABLE, "previous_peak", SECTION, .child = SECTION_PEAK,
        .help = "PAY_PER_REQUEST: consumption that was reached before the start"),
    KEY(TABLE, "new", BOOL, .fallback = "false",
        .help =
            "just created, with an empty burst bucket; else running for weeks, with a full one"),
    KEY(TABLE, "partitions", PARTITIONS, .low = 1, .high = DDBSIM_PARTITIONS_MAX,
        .fallback = "auto", .help = "auto: from capacity and size"),
    KEY(TABLE, "throttling", BOOL, .fallback = "true",
        .help = "false: the same table without limits, to see the demand"),
    KEY(TABLE, "burst", SECTION, .child = SECTION_BURST, .help = "unused capacity kept for later"),
    KEY(TABLE, "stream", CHOICE, .choices = "none|KEYS_ONLY|NEW_IMAGE|OLD_IMAGE|NEW_AND_OLD_IMAGES",
        .fallback = "none",
        .help = "DynamoDB Streams, for workloads with stream_of; it costs no capacity"),
    KEY(TABLE, "replicas", EXPRESSIONS,
        .help = "other Regions of a global table: each is a table of its own, NAME@REGION"),
    KEY(TABLE, "model", SECTION, .child = SECTION_TABLE_MODEL, .otherwise = "the scenario's",
        .help = "assumptions for this table alone"),
    KEY(TABLE, "entities", LIST, .child = SECTION_ENTITY, .flags = GRAMMAR_REQUIRED,
        .help = "kinds of item that share the table"),
    KEY(TABLE, "indexes", LIST, .child = SECTION_INDEX,
        .unchanged =
            "create_index and delete_index of a change do it; a LOCAL index comes with its table",
        .help = "secondary indexes"),

    KEY(AUTO_SCALING, "write", SECTION, .child = SECTION_POLICY, .flags = GRAMMAR_OPTIONAL,
        .help = "the policy of the write capacity"),
    KEY(AUTO_SCALING, "read", SECTION, .child = SECTION_POLICY, .flags = GRAMMAR_OPTIONAL,
        .help = "the policy of the read capacity"),
    KEY(AUTO_SCALING, "scheduled_actions", LIST, .child = SECTION_ACTION,
        .help = "new bounds of the policies, at moments or again and again"),

    KEY(POLICY, "min_capacity", UNITS, .low = 1, .high = UNITS_MAX,
        .flags = GRAMMAR_REQUIRED | GRAMMAR_CHANGEABLE,
        .help = "the least that the policy sets, in units a second"),
    KEY(POLICY, "max_capacity", UNITS, .low = 1, .high = UNITS_MAX,
        .flags = GRAMMAR_REQUIRED | GRAMMAR_CHANGEABLE,
        .help = "the most that the policy sets, in units a second"),
    KEY(POLICY, "target_value", SHARE, .low = 20 * PERCENT, .high = 90 * PERCENT, .fallback = "70%",
        .quota = "AWS allows targets of 20 % to 90 %", .flags = GRAMMAR_CHANGEABLE,
        .help = "share of the capacity that is to be consumed"),
    KEY(POLICY, "scale_out_cooldown", DURATION, .low = 0, .high = COOLDOWN_MAX, .fallback = "0s",
        .flags = GRAMMAR_CHANGEABLE, .help = "from one scaling out until the next"),
    KEY(POLICY, "scale_in_cooldown", DURATION, .low = 0, .high = COOLDOWN_MAX, .fallback = "0s",
        .flags = GRAMMAR_CHANGEABLE, .help = "from one scaling in until the next"),
    KEY(POLICY, "disable_scale_in", BOOL, .fallback = "false", .flags = GRAMMAR_CHANGEABLE,
        .help = "true: the policy never lowers the capacity"),

    KEY(ACTION, "name", NAME, .otherwise = "its number", .help = "what to call it"),
    KEY(ACTION, "at", MOMENT, .low = 0, .high = MOST, .family = FAMILY_TIMING, .group = 1,
        .otherwise = "one of at and schedule", .help = "the moment"),
    KEY(ACTION, "schedule", NAME, .family = FAMILY_TIMING, .group = 2,
        .otherwise = "one of at and schedule",
        .help = "as AWS writes it: cron(45 16 ? * FRI *), rate(1 day), at(2026-09-25T16:45:00)"),
    KEY(ACTION, "timezone", NAME, .otherwise = "UTC",
        .help = "of cron and at: UTC, or an offset such as +02:00"),
    KEY(ACTION, "write", SECTION, .child = SECTION_BOUNDS, .flags = GRAMMAR_OPTIONAL,
        .help = "bounds of the write capacity from then on"),
    KEY(ACTION, "read", SECTION, .child = SECTION_BOUNDS, .flags = GRAMMAR_OPTIONAL,
        .help = "bounds of the read capacity from then on"),

    KEY(BOUNDS, "min_capacity", UNITS, .low = 1, .high = UNITS_MAX, .otherwise = "as it was",
        .help = "the least, in units a second"),
    KEY(BOUNDS, "max_capacity", UNITS, .low = 1, .high = UNITS_MAX, .otherwise = "as it was",
        .help = "the most, in units a second"),

    KEY(SCALER, "every", DURATION, .low = DDBSIM_S, .high = DAY_NS, .fallback = "60s",
        .help = "how often it looks, in whole seconds"),
    KEY(SCALER, "direction", CHOICE, .choices = "both|read|write", .fallback = "both",
        .help = "which capacity it moves"),
    KEY(SCALER, "look_back", DURATION, .low = MINUTE_NS, .high = DAY_NS, .fallback = "5m",
        .help = "how far back it looks, in whole minutes"),
    KEY(SCALER, "up", SECTION, .child = SECTION_SCALE_UP, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "never", .help = "when it raises the capacity, and to what"),
    KEY(SCALER, "down", SECTION, .child = SECTION_SCALE_DOWN, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "never", .help = "when it lowers the capacity, and to what"),
    KEY(SCALER, "throttle_veto", BOOL, .fallback = "false",
        .help = "it lowers nothing while there were throttle events in the look-back"),
    KEY(SCALER, "min", UNITS, .low = 1, .high = UNITS_MAX, .fallback = "1",
        .flags = GRAMMAR_CHANGEABLE, .help = "the least that it sets, in units a second"),
    KEY(SCALER, "max", UNITS, .low = 1, .high = UNITS_MAX, .otherwise = "the quota of a table",
        .flags = GRAMMAR_CHANGEABLE, .help = "the most that it sets, in units a second"),

    KEY(SCALE_UP, "above", SHARE, .low = 1, .high = SCALE_SHARE_MAX,
        .otherwise = "at least one of above and throttles",
        .help = "when more than this share of the capacity was consumed; may exceed 100%"),
    KEY(SCALE_UP, "throttles", COUNT, .low = 1, .high = ITEMS_MAX,
        .otherwise = "throttle events do not matter",
        .help = "or when there were so many throttle events"),
    KEY(SCALE_UP, "by", SHARE_OR_UNITS, .low = 1, .high = UNITS_MAX, .high_share = SCALE_SHARE_MAX,
        .family = FAMILY_STEP, .group = 1, .otherwise = "one of by and to",
        .help = "by a share of the capacity, or by units a second"),
    KEY(SCALE_UP, "to", SHARE, .low = PERCENT, .high = DDBSIM_SHARE_ONE, .family = FAMILY_STEP,
        .group = 2, .otherwise = "one of by and to",
        .help = "to where this share of the capacity would have been consumed"),

    KEY(SCALE_DOWN, "below", SHARE, .low = 1, .high = SCALE_SHARE_MAX, .flags = GRAMMAR_REQUIRED,
        .help = "when less than this share of the capacity was consumed"),
    KEY(SCALE_DOWN, "by", SHARE_OR_UNITS, .low = 1, .high = UNITS_MAX,
        .high_share = DDBSIM_SHARE_ONE, .family = FAMILY_STEP, .group = 1,
        .otherwise = "one of by and to",
        .help = "by a share of the capacity, or by units a second"),
    KEY(SCALE_DOWN, "to", SHARE, .low = PERCENT, .high = DDBSIM_SHARE_ONE, .family = FAMILY_STEP,
        .group = 2, .otherwise = "one of by and to",
        .help = "to where this share of the capacity would have been consumed"),

    KEY(MAXIMUM, "max_read_request_units", UNITS, .low = 1, .high = UNITS_MAX,
        .otherwise = "no maximum", .help = "read units a second"),
    KEY(MAXIMUM, "max_write_request_units", UNITS, .low = 1, .high = UNITS_MAX,
        .otherwise = "no maximum", .help = "write units a second"),

    KEY(WARM, "read_units_per_second", UNITS, .low = 1, .high = UNITS_MAX,
        .otherwise = "what capacity and peak give", .help = "read units a second"),
    KEY(WARM, "write_units_per_second", UNITS, .low = 1, .high = UNITS_MAX,
        .otherwise = "what capacity and peak give", .help = "write units a second"),

    KEY(PEAK, "read", UNITS, .low = 0, .high = UNITS_MAX, .otherwise = "0",
        .help = "read units a second"),
    KEY(PEAK, "write", UNITS, .low = 0, .high = UNITS_MAX, .otherwise = "0",
        .help = "write units a second"),

    KEY(BURST, "window", DURATION, .low = 0, .high = 3600 * DDBSIM_S, .fallback = "5m",
        .help = "how long unused capacity is kept"),
    KEY(BURST, "initial", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "100%, or 0% for a new table", .help = "how full the bucket is at start"),

    KEY(ENTITY, "name", NAME, .flags = GRAMMAR_REQUIRED, .help = "the entity's name"),
    KEY(ENTITY, "partition_key", TEMPLATE, .flags = GRAMMAR_REQUIRED,
        .unchanged = "change a workload's operations instead",
        .help = "template: text, {values}, {time}, {uuid}, {shard}"),
    KEY(ENTITY, "sort_key", TEMPLATE, .otherwise = "a simple key",
        .unchanged = "change a workload's operations instead",
        .help = "template: also {n}, which counts inside one partition key"),
    KEY(ENTITY, "shards", SECTION, .child = SECTION_SHARDS, .flags = GRAMMAR_OPTIONAL,
        .help = "write sharding: what {shard} in the keys stands for"),
    KEY(ENTITY, "count", COUNT, .low = 0, .high = ITEMS_MAX, .fallback = "0",
        .unchanged = "items come and go by a workload's operations",
        .help = "items at start, spread evenly over the key's values"),
    KEY(ENTITY, "size", SIZE_OR_SECTION, .child = SECTION_SIZES, .low = 1,
        .high = DDBSIM_ITEM_BYTES_MAX, .quota = ITEM_QUOTA, .flags = GRAMMAR_REQUIRED,
        .unchanged =
            "an item gets its size from what is written: set the operation's size, such as "
            "workloads.NAME.mix.NAME.size",
        .help = "of one item, names included"),
    KEY(ENTITY, "ttl", SECTION, .child = SECTION_TTL, .flags = GRAMMAR_OPTIONAL,
        .unchanged = "state it from the start, or compare two variants",
        .otherwise = "items stay until they are deleted", .help = "Time to Live"),

    KEY(SIZES, "lognormal", SECTION, .child = SECTION_LOGNORMAL, .family = FAMILY_SIZES, .group = 1,
        .flags = GRAMMAR_OPTIONAL, .help = "a lognormal law, cut at 1 B and at 400 KB"),
    KEY(SIZES, "choices", SHARES, .family = FAMILY_SIZES, .group = 2,
        .help = "sizes and their shares: {1 KB: 70%, 20 KB: 30%}"),
    KEY(SIZES, "file", FILE, .family = FAMILY_SIZES, .group = 3,
        .help = "rows SIZE or SIZE,WEIGHT, in bytes or with a unit, relative to this file"),

    KEY(LOGNORMAL, "median", SIZE, .low = 1, .high = DDBSIM_ITEM_BYTES_MAX, .quota = ITEM_QUOTA,
        .flags = GRAMMAR_REQUIRED, .help = "half of the items are smaller"),
    KEY(LOGNORMAL, "sigma", DECIMAL, .flags = GRAMMAR_REQUIRED,
        .help = "standard deviation of the size's natural logarithm, 0 to 5"),

    KEY(TTL, "after", DURATION, .low = DDBSIM_S, .high = DECADE_NS, .flags = GRAMMAR_REQUIRED,
        .help = "from an item's write to the moment in its TTL attribute"),
    KEY(TTL, "unit", CHOICE, .choices = "seconds|milliseconds", .fallback = "seconds",
        .help = "what the attribute counts; DynamoDB ignores milliseconds without a word"),
    KEY(TTL, "age", DURATION, .low = 0, .high = 2 * DECADE_NS, .otherwise = "after",
        .help = "of the oldest item at start; the others are of all ages below, evenly"),
    KEY(TTL, "inflow", RATE, .otherwise = "none",
        .help = "new items beside those that workloads write: stored, and not paid for"),

    KEY(SHARDS, "count", COUNT, .low = 1, .high = DDBSIM_SHARDS_MAX,
        .flags = GRAMMAR_REQUIRED | GRAMMAR_CHANGEABLE, .help = "suffixes: {shard} is 1 to this"),
    KEY(SHARDS, "by", CHOICE, .choices = "random|product|sum|hash", .flags = GRAMMAR_REQUIRED,
        .help = "drawn for each write, or made from the text of a value: product or sum of its "
                "code points, or a hash"),
    KEY(SHARDS, "of", NAME, .otherwise = "required, but of random",
        .help = "the value set, one of those in the entity's keys"),

    KEY(INDEX, "name", AWS_NAME, .flags = GRAMMAR_REQUIRED, .help = "the index's name"),
    KEY(INDEX, "type", CHOICE, .choices = "GLOBAL|LOCAL", .fallback = "GLOBAL",
        .help = "LOCAL: by another sort key, inside the table's partition keys; the table pays"),
    KEY(INDEX, "partition_key", TEMPLATE, .otherwise = "each entry's own; LOCAL: the table's",
        .help = "template of the index's partition key"),
    KEY(INDEX, "sort_key", TEMPLATE, .otherwise = "none; LOCAL: each entry's own",
        .help = "template of the index's sort key"),
    KEY(INDEX, "projection", CHOICE, .choices = "KEYS_ONLY|INCLUDE|ALL", .fallback = "ALL",
        .help = "what an entry holds"),
    KEY(INDEX, "read_capacity", UNITS, .low = 1, .high = UNITS_MAX, .flags = GRAMMAR_CHANGEABLE,
        .otherwise = "required of a GLOBAL index where PROVISIONED", .help = "read units a second"),
    KEY(INDEX, "write_capacity", UNITS, .low = 1, .high = UNITS_MAX, .flags = GRAMMAR_CHANGEABLE,
        .otherwise = "required of a GLOBAL index where PROVISIONED",
        .help = "write units a second"),
    SCALING(INDEX),
    KEY(INDEX, "on_demand_throughput", SECTION, .child = SECTION_MAXIMUM,
        .help = "PAY_PER_REQUEST: the most that is served"),
    KEY(INDEX, "warm_throughput", SECTION, .child = SECTION_WARM,
        .help = "what is served from the start"),
    KEY(INDEX, "previous_peak", SECTION, .child = SECTION_PEAK,
        .help = "PAY_PER_REQUEST: consumption that was reached before the start"),
    KEY(INDEX, "partitions", PARTITIONS, .low = 1, .high = DDBSIM_PARTITIONS_MAX,
        .fallback = "auto", .help = "auto: from capacity and size"),
    KEY(INDEX, "burst", SECTION, .child = SECTION_BURST, .help = "unused capacity kept for later"),
    KEY(INDEX, "backpressure", CHOICE_OR_SECTION, .child = SECTION_BACKPRESSURE,
        .choices = "observed|textbook", .fallback = "observed",
        .help = "when an index that cannot keep up makes its table refuse writes"),
    KEY(INDEX, "entries", MAP, .child = SECTION_ENTRY, .flags = GRAMMAR_OPEN_NAMES,
        .otherwise = "every entity, whole", .help = "which entities appear in the index, by name"),

    KEY(BACKPRESSURE, "preset", CHOICE, .choices = "observed|textbook", .otherwise = "observed",
        .help = "where the fields below come from"),
    KEY(BACKPRESSURE, "buffer", UNITS, .low = 0, .high = 1000000, .otherwise = "the preset's",
        .help = "units of index work that may wait"),
    KEY(BACKPRESSURE, "grace", DURATION, .low = 0, .high = 300 * DDBSIM_S,
        .otherwise = "the preset's", .help = "time in which the index drains beyond its capacity"),
    KEY(BACKPRESSURE, "resume", SHARE, .low = DDBSIM_SHARE_ONE / 2, .high = DDBSIM_SHARE_ONE,
        .otherwise = "the model's index_resume",
        .help = "share of the buffer below which writes pass"),
    KEY(BACKPRESSURE, "scope", CHOICE, .choices = "all|touching",
        .otherwise = "the model's index_scope", .help = "which writes a full index refuses"),

    KEY(ENTRY, "present", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "100%",
        .help = "share of items that have the index's key"),
    KEY(ENTRY, "entry_size", SIZE, .low = 1, .high = DDBSIM_ITEM_BYTES_MAX, .quota = ITEM_QUOTA,
        .otherwise = "100 B under KEYS_ONLY; under ALL the item's size",
        .help = "bytes of an entry; INCLUDE must say it"),
    KEY(ENTRY, "partition_key", TEMPLATE, .otherwise = "the index's",
        .help = "this entity's index partition key"),
    KEY(ENTRY, "sort_key", TEMPLATE, .otherwise = "the index's",
        .help = "this entity's index sort key"),

/* ---- the model ---- */
#define X(field, name, kind, value, lowest, highest, rule, what) \
    {.section = SECTION_MODEL,                                   \
     .key = name,                                                \
     .type = TYPE_OF_##kind,                                     \
     .low = lowest,                                              \
     .high = highest,                                            \
     .standard = value,                                          \
     .flags = GRAMMAR_NUMBERED,                                  \
     .help = what},
    DDBSIM_ASSUMPTIONS(X)
#undef X
        KEY(MODEL, "alarms", CHOICE, .choices = "today|2017", .fallback = "today",
            .help = "how auto scaling's alarms behaved in that year: defaults of the keys above"),
#define X(field, name, kind, value, lowest, highest, rule, what) \
    {.section = SECTION_TABLE_MODEL,                             \
     .key = name,                                                \
     .type = TYPE_OF_##kind,                                     \
     .low = lowest,                                              \
     .high = highest,                                            \
     .otherwise = "the scenario's",                              \
     .help = what},
    DDBSIM_ASSUMPTIONS(X)
#undef X
        KEY(TABLE_MODEL, "alarms", CHOICE, .choices = "today|2017", .otherwise = "the scenario's",
            .help = "how auto scaling's alarms behaved in that year: defaults of the keys above"),

    /* ---- workloads ---- */
    KEY(WORKLOAD, "name", NAME, .flags = GRAMMAR_REQUIRED, .help = "the workload's name"),
    KEY(WORKLOAD, "table", NAME, .otherwise = "the only one",
        .help = "for every operation that names none"),
    KEY(WORKLOAD, "start_time", MOMENT, .low = 0, .high = MOST, .otherwise = "+0s",
        .help = "when it begins"),
    KEY(WORKLOAD, "end_time", MOMENT, .low = 0, .high = MOST, .otherwise = "the end",
        .help = "when it ends"),
    KEY(WORKLOAD, "scale", DECIMAL, .fallback = "1", .flags = GRAMMAR_CHANGEABLE,
        .help = "multiplies rate, stages, shape and vus"),
    LATER(WORKLOAD, "lost_value", "what a lost arrival costs"),
    KEY(WORKLOAD, "arrivals", CHOICE_OR_SECTION, .child = SECTION_ARRIVALS,
        .choices = "poisson|paced", .fallback = "poisson",
        .help = "random, evenly spaced, or in bursts"),
    KEY(WORKLOAD, "max_vus", COUNT, .low = 1, .high = VUS_MAX, .otherwise = "any number",
        .help = "of a rate: arrivals in flight; what would be more is dropped and counted"),
    KEY(WORKLOAD, "rate", RATE, .family = FAMILY_LOAD, .group = 1, .flags = GRAMMAR_CHANGEABLE,
        .help = "a constant load; instead of start_rate and stages"),
    KEY(WORKLOAD, "start_rate", RATE, .family = FAMILY_LOAD, .group = 2,
        .flags = GRAMMAR_CHANGEABLE, .otherwise = "0/s with stages",
        .help = "load at the beginning of the first stage"),
    KEY(WORKLOAD, "stages", LIST, .child = SECTION_STAGE, .family = FAMILY_LOAD, .group = 2,
        .flags = GRAMMAR_CHANGEABLE, .help = "ramps, one after the other; the last target holds"),
    KEY(WORKLOAD, "shape", SECTION, .child = SECTION_SHAPE, .family = FAMILY_LOAD, .group = 5,
        .flags = GRAMMAR_CHANGEABLE | GRAMMAR_OPTIONAL,
        .help = "instead of a rate and stages: a load shape by name"),
    KEY(WORKLOAD, "vus", COUNT, .low = 1, .high = VUS_MAX, .family = FAMILY_LOAD, .group = 3,
        .flags = GRAMMAR_CHANGEABLE, .otherwise = "1 with iterations",
        .help =
            "a closed loop instead of a rate: so many callers, each with one arrival at a time"),
    KEY(WORKLOAD, "iterations", COUNT, .low = 1, .high = ITEMS_MAX, .family = FAMILY_LOAD,
        .group = 3, .otherwise = "until the end",
        .help = "closed loop: arrivals of all callers together"),
    KEY(WORKLOAD, "think_time", DURATION, .low = 0, .high = DAY_NS, .family = FAMILY_LOAD,
        .group = 3, .flags = GRAMMAR_CHANGEABLE, .otherwise = "0s in a closed loop",
        .help = "closed loop: from an arrival's end to the caller's next"),
    KEY(WORKLOAD, "stream_of", NAME, .family = FAMILY_LOAD, .group = 4,
        .help =
            "load from a table's stream: an arrival for each record, or for each batch of them"),
    KEY(WORKLOAD, "stream_records", CHOICE, .choices = "all|callers|ttl", .family = FAMILY_LOAD,
        .group = 4, .otherwise = "all with stream_of",
        .help = "those of callers' writes, those of deletes by TTL, or all"),
    KEY(WORKLOAD, "replay", SECTION, .child = SECTION_REPLAY, .family = FAMILY_LOAD, .group = 6,
        .flags = GRAMMAR_OPTIONAL, .help = "load from a recording: when, what and to which key"),
    KEY(WORKLOAD, "batch_size", COUNT, .low = 1, .high = 10000, .family = FAMILY_LOAD, .group = 4,
        .otherwise = "100 with the keys below",
        .help = "stream_of: a Lambda reads it, shard by shard, so many records an invocation"),
    KEY(WORKLOAD, "parallelization_factor", COUNT, .low = 1, .high = 10, .family = FAMILY_LOAD,
        .group = 4, .otherwise = "1", .help = "the same: invocations of one shard at once"),
    KEY(WORKLOAD, "bisect_batch_on_function_error", BOOL, .family = FAMILY_LOAD, .group = 4,
        .otherwise = "false", .help = "the same: a batch that failed is tried again in halves"),
    KEY(WORKLOAD, "maximum_retry_attempts", COUNT, .low = 0, .high = 10000, .family = FAMILY_LOAD,
        .group = 4, .otherwise = "until it succeeds",
        .help = "the same: then a batch that fails is given up"),
    KEY(WORKLOAD, "maximum_record_age", DURATION, .low = 60 * DDBSIM_S,
        .high = DDBSIM_STREAM_RETENTION_NS, .family = FAMILY_LOAD, .group = 4, .otherwise = "24h",
        .help = "the same: older records are given up"),
    KEY(WORKLOAD, "queue", SECTION, .child = SECTION_QUEUE, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "arrivals do their work at once",
        .help = "of a rate: arrivals are messages, which a Lambda takes from a queue"),
    KEY(WORKLOAD, "mix", LIST, .child = SECTION_OPERATION, .family = FAMILY_WORK, .group = 1,
        .help = "each arrival does one of these, by weight"),
    KEY(WORKLOAD, "sequence", LIST, .child = SECTION_OPERATION, .family = FAMILY_WORK, .group = 2,
        .help = "each arrival does all of these, in order; instead of mix"),
    KEY(WORKLOAD, "parallel", BOOL, .otherwise = "false, for a sequence",
        .help = "sequence: all steps at once; the arrival takes as long as the last of them"),
    KEY(WORKLOAD, "client", SECTION, .child = SECTION_CLIENT, .help = "how callers retry"),
    KEY(WORKLOAD, "dax", SECTION, .child = SECTION_DAX, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "callers ask the table", .help = "a DAX cluster in front"),

    KEY(REPLAY, "file", FILE, .flags = GRAMMAR_REQUIRED,
        .help = "the recording, beside the scenario; plain, gzip or zstd"),
    KEY(REPLAY, "format", NAME, .fallback = "auto",
        .help = "what it is, as `ddbsim list formats` has it; auto finds out from its content"),
    KEY(REPLAY, "columns", SECTION, .child = SECTION_COLUMNS, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "by the names in the file", .help = "csv and jsonl: what stands where"),
    KEY(REPLAY, "delimiter", TEXT, .otherwise = "by the first line",
        .help = "csv: one character between columns, or tab"),
    KEY(REPLAY, "time_unit", CHOICE, .choices = "s|ms|us|ns", .otherwise = "by the first time",
        .help = "csv and jsonl: of times that are numbers"),
    KEY(REPLAY, "window", EXPRESSIONS, .otherwise = "all of it",
        .help = "two moments, from and to: the part of the recording that is replayed"),
    KEY(REPLAY, "speed", FACTOR, .low = DDBSIM_SHARE_ONE / 1000, .high = 100000 * DDBSIM_SHARE_ONE,
        .fallback = "1", .help = "so many recorded seconds pass in one"),
    KEY(REPLAY, "amplify", FACTOR, .low = DDBSIM_SHARE_ONE / 1000, .high = 1000 * DDBSIM_SHARE_ONE,
        .fallback = "1", .help = "so many arrivals for each that was recorded"),
    KEY(REPLAY, "amplify_keys", CHOICE, .choices = "new|same", .fallback = "new",
        .help = "the further ones are after keys of their own (KEY#2, KEY#3), or after the same"),
    KEY(REPLAY, "loop", BOOL, .fallback = "false", .help = "at its end it begins again"),
    KEY(REPLAY, "order", CHOICE, .choices = "file|shuffled", .fallback = "file",
        .help = "shuffled: what rows are about changes places, when they come does not"),
    KEY(REPLAY, "sample", SHARE, .low = 1, .high = DDBSIM_SHARE_ONE, .fallback = "100%",
        .help = "share of the rows that are replayed, drawn row by row"),
    KEY(REPLAY, "throttled_are", CHOICE, .choices = "attempts|requests", .fallback = "attempts",
        .help = "refused rows: attempts, of which max_attempts are one request, or each a request"),
    KEY(REPLAY, "on_bad_row", CHOICE, .choices = "stop|skip", .fallback = "stop",
        .help = "skip: what cannot be read is counted and passed over"),

    KEY(COLUMNS, "time", NAME, .otherwise = "required of csv and jsonl",
        .help = "its number from 1, or its name in the header, or of a field (a.b.c)"),
    KEY(COLUMNS, "key", NAME, .otherwise = "keys are drawn",
        .help = "the partition key; of AWS's documents its attribute"),
    KEY(COLUMNS, "sort", NAME, .otherwise = "none", .help = "the sort key"),
    KEY(COLUMNS, "size", NAME, .otherwise = "the mix says it", .help = "bytes of the item"),
    KEY(COLUMNS, "operation", NAME, .otherwise = "the mix says it",
        .help = "an operation's name, or a common word for one"),
    KEY(COLUMNS, "count", NAME, .otherwise = "1", .help = "requests that the row stands for"),
    KEY(COLUMNS, "period", NAME, .otherwise = "rows are of moments",
        .help = "seconds that the row stands for, from its time on"),
    KEY(COLUMNS, "table", NAME, .otherwise = "the workload's", .help = "the table's name"),
    KEY(COLUMNS, "throttled", NAME, .otherwise = "none was", .help = "was it refused"),

    KEY(QUEUE, "batch_size", COUNT, .low = 1, .high = 10000, .fallback = "10",
        .help = "messages of one invocation, one after the other"),
    KEY(QUEUE, "visibility_timeout", DURATION, .low = DDBSIM_S, .high = 43200 * DDBSIM_S,
        .fallback = "30s",
        .help = "from its receive until a message that was not deleted is there again"),
    KEY(QUEUE, "max_receive_count", COUNT, .low = 1, .high = 1000, .otherwise = "no dead letters",
        .help = "received so often in vain a message is a dead letter"),
    KEY(QUEUE, "concurrency", SECTION, .child = SECTION_CONCURRENCY,
        .help = "environments of the Lambda"),

    KEY(CONCURRENCY, "minimum", COUNT, .low = 1, .high = 100000, .fallback = "5",
        .help = "at the start, and as long as nothing waits"),
    KEY(CONCURRENCY, "maximum", COUNT, .low = 1, .high = 100000, .otherwise = "1250",
        .help = "at most, as reserved concurrency sets it"),
    KEY(CONCURRENCY, "per_minute", COUNT, .low = 0, .high = 1000000, .fallback = "300",
        .help = "so many more in a minute while messages wait, so many fewer while none does"),

    KEY(DAX, "hit_ratio", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .family = FAMILY_CACHE,
        .group = 1, .flags = GRAMMAR_CHANGEABLE, .otherwise = "what item_ttl makes of it",
        .help = "share of the eventual reads that it answers, which then cost no units"),
    KEY(DAX, "item_ttl", DURATION, .low = DDBSIM_S, .high = DAY_NS, .family = FAMILY_CACHE,
        .group = 2, .otherwise = "5m without hit_ratio",
        .help = "how long it keeps an item that was read or written, or a Query's result"),

    KEY(ARRIVALS, "bursty", SECTION, .child = SECTION_BURSTY, .flags = GRAMMAR_REQUIRED,
        .help = "all arrivals of a cycle come within its first part, as many as without"),
    KEY(BURSTY, "on", DURATION, .low = DDBSIM_MS, .high = DAY_NS, .flags = GRAMMAR_REQUIRED,
        .help = "the part of a cycle in which arrivals come"),
    KEY(BURSTY, "off", DURATION, .low = 0, .high = DAY_NS, .flags = GRAMMAR_REQUIRED,
        .help = "the rest of it"),

    KEY(SHAPE, "kind", CHOICE, .choices = SHAPES(SHAPE_WORD) "", .flags = GRAMMAR_REQUIRED,
        .help = "step: a box; spike: a triangle; sine; diurnal: a smooth peak a day; double_wave: "
                "two of them"),
    KEY(SHAPE, "base", RATE, .flags = GRAMMAR_CHANGEABLE, .fallback = "0/s",
        .help = "the load before, between and after"),
    KEY(SHAPE, "peak", RATE, .flags = GRAMMAR_REQUIRED | GRAMMAR_CHANGEABLE,
        .help = "the load where it is highest, or lowest if less than base"),
    KEY(SHAPE, "at", MOMENT, .low = 0, .high = MOST, .otherwise = "the workload's begin",
        .help =
            "when step, spike and sine leave the base; when diurnal and double_wave have a peak"),
    KEY(SHAPE, "width", DURATION, .low = DDBSIM_S, .high = YEAR_NS,
        .otherwise = "5m of spike; step to the end or half a period; sine and diurnal a period; "
                     "double_wave a quarter of one",
        .help = "from leaving the base until it is there again"),
    KEY(SHAPE, "period", DURATION, .low = DDBSIM_S, .high = YEAR_NS,
        .otherwise = "24h; step and spike come once",
        .help = "from one such bump to the next, of double_wave to the next but one"),

    KEY(STAGE, "name", NAME, .otherwise = "its number", .help = "the stage's name"),
    KEY(STAGE, "duration", DURATION, .low = 0, .high = YEAR_NS, .flags = GRAMMAR_REQUIRED,
        .help = "exactly so long; 0s is a step"),
    KEY(STAGE, "target", RATE, .flags = GRAMMAR_REQUIRED,
        .help = "load at its end; linear in between"),

    KEY(OPERATION, "name", NAME, .otherwise = "the operation", .help = "the operation's name"),
    KEY(OPERATION, "operation", CHOICE, .choices = DDBSIM_OPERATIONS(OPERATION_WORD) "",
        .flags = GRAMMAR_REQUIRED, .help = "AWS's name of the call"),
    KEY(OPERATION, "table", NAME, .otherwise = "the workload's", .help = "the table it goes to"),
    KEY(OPERATION, "entity", NAME, .otherwise = "the table's only one", .help = "the kind of item"),
    KEY(OPERATION, "weight", DECIMAL, .otherwise = "1 in a mix", .flags = GRAMMAR_CHANGEABLE,
        .help = "mix: how often, beside the others"),
    KEY(OPERATION, "size", SIZE_OR_SECTION, .child = SECTION_SIZES, .low = 1,
        .high = DDBSIM_ITEM_BYTES_MAX, .quota = ITEM_QUOTA, .otherwise = "the entity's",
        .flags = GRAMMAR_CHANGEABLE, .help = "what it writes, or the size of what it reads"),
    KEY(OPERATION, "consistent_read", BOOL,
        .otherwise = "false, for GetItem, BatchGetItem, Query and Scan",
        .help = "a strong read, at twice the cost; of a GLOBAL index AWS refuses it"),
    KEY(OPERATION, "index", NAME, .otherwise = "the table itself",
        .help = "Query, Scan: the index that it reads"),
    KEY(OPERATION, "items", COUNT, .low = 0, .high = QUERY_ITEMS_MAX, .flags = GRAMMAR_CHANGEABLE,
        .otherwise = "1, for Query", .help = "Query: how many items it reads"),
    KEY(OPERATION, "returned", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "100%, for Query and Scan",
        .help = "Query, Scan: what a filter leaves of the items; all are paid for"),
    KEY(OPERATION, "pages", CHOICE, .choices = "one|all", .otherwise = "one, for Query and Scan",
        .help = "Query, Scan: the first page of 1 MB, or page after page"),
    KEY(OPERATION, "total_segments", COUNT, .low = 1, .high = DDBSIM_SEGMENTS_MAX,
        .otherwise = "1, for Scan",
        .help = "Scan: equal parts of the table that are read at once, each page after page"),
    KEY(OPERATION, "shards", SHARDS, .low = 1, .high = DDBSIM_SHARDS_MAX,
        .flags = GRAMMAR_CHANGEABLE, .otherwise = "the item's own, or a search for it",
        .help =
            "GetItem, Query where the key that is read has {shard}: one of each suffix, of all or "
            "of the first so many; GetItem by a calculated suffix: modulo this"),
    KEY(OPERATION, "parallel", COUNT, .low = 1, .high = 10000, .otherwise = "1",
        .help = "Query of several suffixes: how many of them at once"),
    KEY(OPERATION, "renews_ttl", BOOL,
        .otherwise = "true of PutItem and BatchWriteItem, false of UpdateItem",
        .help = "an entity with ttl: the item expires that long after this write"),
    KEY(OPERATION, "deletes", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE,
        .flags = GRAMMAR_CHANGEABLE, .otherwise = "0%, for BatchWriteItem",
        .help = "BatchWriteItem: share of its members that delete an item; the others put one"),
    KEY(OPERATION, "batch_size", COUNT, .low = 1, .high = 10000,
        .otherwise = "25 for BatchWriteItem, 100 for BatchGetItem, which are AWS's limits",
        .help = "batches: items of one call, each of its own key; AWS refuses more than those"),
    KEY(OPERATION, "actions", LIST, .child = SECTION_MEMBER,
        .help = "transactions: what it does, all of it or nothing; AWS refuses more than 100"),
    KEY(OPERATION, "grows", SIZE, .low = 0, .high = DDBSIM_ITEM_BYTES_MAX, .quota = ITEM_QUOTA,
        .otherwise = "0 B", .flags = GRAMMAR_CHANGEABLE,
        .help = "UpdateItem: what it adds to the item; AWS refuses it beyond 400 KB"),
    KEY(OPERATION, "condition_fails", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "0%, for PutItem, UpdateItem and DeleteItem", .flags = GRAMMAR_CHANGEABLE,
        .help = "share whose condition does not hold: paid, and nothing is written"),
    KEY(OPERATION, "invalid", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "0%",
        .flags = GRAMMAR_CHANGEABLE,
        .help = "share that AWS refuses as invalid: free, counted as UserErrors"),
    KEY(OPERATION, "index_effect", MAP, .child = SECTION_EFFECT,
        .flags = GRAMMAR_CHANGEABLE | GRAMMAR_OPEN_NAMES,
        .otherwise = "inserts add, deletes remove, other writes rewrite (KEYS_ONLY: untouched)",
        .help = "what a write does to the entries of an index, by its name"),
    KEY(OPERATION, "keys", MAP, .child = SECTION_VALUES,
        .flags = GRAMMAR_CHANGEABLE | GRAMMAR_OPEN_NAMES, .otherwise = "as under values",
        .help = "for this operation another distribution of a value set, by its name"),
    KEY(OPERATION, "times", COUNT, .low = 1, .high = 1000, .otherwise = "1 in a sequence",
        .help = "sequence: repetitions"),
    KEY(OPERATION, "probability", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "100% in a sequence", .help = "sequence: share of arrivals that do this step"),

    KEY(MEMBER, "name", NAME, .otherwise = "its number", .help = "the action's name"),
    KEY(MEMBER, "operation", CHOICE,
        .choices = "UpdateItem|PutItem|DeleteItem|ConditionCheck|GetItem",
        .otherwise = "UpdateItem, in TransactGetItems GetItem", .help = "what it does"),
    KEY(MEMBER, "table", NAME, .otherwise = "the operation's", .help = "the table it goes to"),
    KEY(MEMBER, "entity", NAME, .otherwise = "the table's only one", .help = "the kind of item"),
    KEY(MEMBER, "size", SIZE_OR_SECTION, .child = SECTION_SIZES, .low = 1,
        .high = DDBSIM_ITEM_BYTES_MAX, .quota = ITEM_QUOTA, .otherwise = "the entity's",
        .flags = GRAMMAR_CHANGEABLE, .help = "what it writes, or the size of what it reads"),
    KEY(MEMBER, "times", COUNT, .low = 1, .high = 1000, .fallback = "1",
        .help = "so many such actions, each of an item of its own"),
    KEY(MEMBER, "condition_fails", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "0%",
        .flags = GRAMMAR_CHANGEABLE,
        .help = "share whose condition does not hold, which cancels the transaction"),
    KEY(MEMBER, "index_effect", MAP, .child = SECTION_EFFECT,
        .flags = GRAMMAR_CHANGEABLE | GRAMMAR_OPEN_NAMES, .otherwise = "as of an operation",
        .help = "what a write does to the entries of an index, by its name"),

    KEY(EFFECT, "add", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "the rest",
        .help = "the entry appears: one index write"),
    KEY(EFFECT, "remove", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "the rest",
        .help = "the entry goes: one index write"),
    KEY(EFFECT, "move", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "the rest",
        .help = "the index key changes: two index writes"),
    KEY(EFFECT, "rewrite", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "the rest",
        .help = "a projected attribute changes: one index write"),
    KEY(EFFECT, "untouched", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .otherwise = "the rest",
        .help = "nothing projected changes: none"),

    KEY(CLIENT, "preset", PRESET, .fallback = "none",
        .help = "an SDK's defaults, which the fields below override"),
    KEY(CLIENT, "processes", COUNT, .low = 1, .high = 1000000, .otherwise = "1",
        .help = "each owns a retry quota and a rate limiter; requests go to them uniformly"),
    KEY(CLIENT, "retry_mode", CHOICE, .choices = "none|legacy|standard|adaptive|custom",
        .otherwise = "the preset's",
        .help =
            "none: one attempt; adaptive: with a rate limiter; the others differ in name alone"),
    KEY(CLIENT, "max_attempts", COUNT, .low = 1, .high = 1000000, .otherwise = "the preset's",
        .help = "the first included; 1 is no retry"),
    KEY(CLIENT, "backoff", SECTION, .child = SECTION_BACKOFF, .help = "waits between attempts"),
    KEY(CLIENT, "retry_quota", SECTION, .child = SECTION_RETRY_QUOTA,
        .help = "tokens that retries cost"),
    KEY(CLIENT, "rate_limiter", SECTION, .child = SECTION_RATE_LIMITER,
        .help = "adaptive: what the process measures and allows itself to send"),
    KEY(CLIENT, "retry_on", SECTION, .child = SECTION_RETRY_ON, .help = "which errors are retried"),
    KEY(CLIENT, "retry_after", CHOICE, .choices = "ignored|clamped|obeyed",
        .otherwise = "the preset's",
        .help = "the service's x-amz-retry-after: within retry_after_max_extra above the wait, or "
                "in place of it"),
    KEY(CLIENT, "retry_after_max_extra", DURATION, .low = 0, .high = 3600 * DDBSIM_S,
        .otherwise = "the preset's", .help = "clamped: what it may add to the wait at most"),
    KEY(CLIENT, "connect_timeout", TIMEOUT, .low = DDBSIM_MS, .high = DAY_NS,
        .otherwise = "the preset's",
        .help = "longest time until a connection is there; nothing has been sent then"),
    KEY(CLIENT, "attempt_timeout", TIMEOUT, .low = DDBSIM_MS, .high = DAY_NS,
        .otherwise = "the preset's",
        .help = "longest wait for an answer; the service does the work all the same"),
    KEY(CLIENT, "call_timeout", TIMEOUT, .low = DDBSIM_MS, .high = DAY_NS,
        .otherwise = "the preset's", .help = "longest time of all attempts and waits of a call"),
    KEY(CLIENT, "function_timeout", TIMEOUT, .low = DDBSIM_MS, .high = DAY_NS, .otherwise = "none",
        .help = "the caller's own end: an arrival and its retries die so long after it began"),
    KEY(CLIENT, "batch_unprocessed", SECTION, .child = SECTION_UNPROCESSED,
        .help = "batches: what callers do with the members that come back unprocessed"),
    KEY(CLIENT, "rate_limit", RATE, .otherwise = "none",
        .help = "attempts that each process allows itself, evenly spaced; what comes early waits"),
    KEY(CLIENT, "rate_control", SECTION, .child = SECTION_RATE_CONTROL, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "throttles change nothing",
        .help = "what throttles make of rate_limit, which is then the most"),
    KEY(CLIENT, "circuit_breaker", SECTION, .child = SECTION_BREAKER, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "none", .help = "each process counts failures, and stops at too many"),
    KEY(CLIENT, "wrapper", SECTION, .child = SECTION_WRAPPER, .flags = GRAMMAR_OPTIONAL,
        .otherwise = "none",
        .help = "a second layer of retries, which calls the SDK anew when that has given up"),

    KEY(BACKOFF, "jitter", CHOICE, .choices = "none|full|equal|decorrelated",
        .otherwise = "the preset's",
        .help =
            "what is drawn of a wait: all of it, its upper half, or up to three times the last"),
    KEY(BACKOFF, "throttling_jitter", CHOICE, .choices = "none|full|equal|decorrelated",
        .otherwise = "jitter where that is written, else the preset's",
        .help = "the same after a throttle"),
    KEY(BACKOFF, "base", DURATION, .low = 0, .high = 3600 * DDBSIM_S, .otherwise = "the preset's",
        .help = "wait before the first retry"),
    KEY(BACKOFF, "throttling_base", DURATION, .low = 0, .high = 3600 * DDBSIM_S,
        .otherwise = "the preset's; base where that has none", .help = "the same after a throttle"),
    KEY(BACKOFF, "growth", FACTOR, .low = DDBSIM_SHARE_ONE, .high = CLIENT_GROWTH_MAX,
        .otherwise = "the preset's", .help = "factor from wait to wait"),
    KEY(BACKOFF, "first_exponent", COUNT, .low = 0, .high = 64, .otherwise = "the preset's",
        .help = "power of growth in the first wait: 0 begins at the base, 1 a step above it"),
    KEY(BACKOFF, "max_backoff", TIMEOUT, .low = 0, .high = DAY_NS,
        .otherwise = "the preset's; none where that has no waits", .help = "cap of the wait"),
    KEY(BACKOFF, "cap_after_jitter", BOOL, .otherwise = "the preset's",
        .help = "the cap cuts what was drawn, else what is drawn from"),
    KEY(BACKOFF, "no_jitter_at_cap", BOOL, .otherwise = "the preset's",
        .help = "a wait that the cap cuts is the cap itself"),
    KEY(BACKOFF, "round", CHOICE, .choices = "none|floor_ms|int_ms|nearest_ms",
        .otherwise = "the preset's",
        .help = "to milliseconds: down, drawn as a whole number of them, or to the nearest"),

    KEY(RETRY_QUOTA, "enabled", BOOL, .otherwise = "true with a capacity",
        .help = "whether retries cost tokens at all"),
    KEY(RETRY_QUOTA, "capacity", COUNT, .low = 0, .high = 1000000000, .otherwise = "the preset's",
        .help = "tokens of one process; 0: no quota"),
    KEY(RETRY_QUOTA, "retry_cost", COUNT, .low = 0, .high = 1000000000, .otherwise = "the preset's",
        .help = "tokens of a retry after another error"),
    KEY(RETRY_QUOTA, "timeout_retry_cost", COUNT, .low = 0, .high = 1000000000,
        .otherwise = "the preset's", .help = "tokens of a retry after a timeout"),
    KEY(RETRY_QUOTA, "throttling_retry_cost", COUNT, .low = 0, .high = 1000000000,
        .otherwise = "the preset's", .help = "tokens of a retry after a throttle"),
    KEY(RETRY_QUOTA, "timeout_cost_applies_to", CHOICE, .choices = "timeouts|no_response",
        .otherwise = "the preset's",
        .help = "no_response: also after a connection that failed at once"),
    KEY(RETRY_QUOTA, "no_retry_increment", COUNT, .low = 0, .high = 1000000000,
        .otherwise = "the preset's", .help = "tokens back for a request that never retried"),
    KEY(RETRY_QUOTA, "refund", CHOICE,
        .choices = "last_cost_on_success|at_least_increment|cost_and_increment",
        .otherwise = "the preset's",
        .help =
            "what a success after retries gives back: the last retry's cost, and the increment"),
    KEY(RETRY_QUOTA, "success_refill", CHOICE, .choices = "min|max", .otherwise = "the preset's",
        .help = "min: up to the capacity; max: to the capacity at least, and beyond"),
    KEY(RETRY_QUOTA, "scope", CHOICE, .choices = "client|process", .otherwise = "the preset's",
        .help = "process: workloads of this scope share their processes' quotas"),
    KEY(RETRY_QUOTA, "wait_when_empty", BOOL, .otherwise = "the preset's",
        .help =
            "a backoff passes before callers are told that no tokens are left, as in long polls"),

    KEY(RATE_LIMITER, "beta", FACTOR, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "the preset's", .help = "what a throttle leaves of the rate"),
    KEY(RATE_LIMITER, "scale_constant", FACTOR, .low = DDBSIM_SHARE_ONE / 1000,
        .high = 1000 * DDBSIM_SHARE_ONE, .otherwise = "the preset's",
        .help = "steepness of the cubic along which the rate recovers"),
    KEY(RATE_LIMITER, "smoothing", FACTOR, .low = 0, .high = DDBSIM_SHARE_ONE,
        .otherwise = "the preset's", .help = "weight of the newest measurement"),
    KEY(RATE_LIMITER, "bucket", DURATION, .low = DDBSIM_MS, .high = 3600 * DDBSIM_S,
        .otherwise = "the preset's", .help = "over which the rate is measured"),
    KEY(RATE_LIMITER, "min_fill_rate", FACTOR, .low = DDBSIM_SHARE_ONE / 1000,
        .high = 1000 * DDBSIM_SHARE_ONE, .otherwise = "the preset's",
        .help = "requests a second that are always allowed"),
    KEY(RATE_LIMITER, "min_capacity", FACTOR, .low = DDBSIM_SHARE_ONE,
        .high = 1000 * DDBSIM_SHARE_ONE, .otherwise = "the preset's",
        .help = "requests that can be saved up at least"),
    KEY(RATE_LIMITER, "max_rate_factor", FACTOR, .low = DDBSIM_SHARE_ONE,
        .high = 1000 * DDBSIM_SHARE_ONE, .otherwise = "the preset's",
        .help = "times the measured rate that are allowed at most"),
    KEY(RATE_LIMITER, "starts", CHOICE, .choices = "at_creation|at_first_answer",
        .otherwise = "the preset's", .help = "since when requests are saved up"),

    KEY(RETRY_ON, "throttling", BOOL, .otherwise = "the preset's", .help = "throttles"),
    KEY(RETRY_ON, "transient", BOOL, .otherwise = "the preset's",
        .help = "HTTP 500, 502, 503 and 504, timeouts, failed connections"),
    KEY(RETRY_ON, "request_limit_exceeded", BOOL, .otherwise = "the preset's",
        .help = "the code RequestLimitExceeded, as a throttle"),
    KEY(RETRY_ON, "limit_exceeded", BOOL, .otherwise = "the preset's",
        .help = "the code LimitExceededException, as a throttle"),
    KEY(RETRY_ON, "request_timeout", BOOL, .otherwise = "the preset's",
        .help = "the code RequestTimeout of an answer"),
    KEY(RETRY_ON, "http_429", BOOL, .otherwise = "the preset's",
        .help = "HTTP 429 without such a code, as a throttle"),
    KEY(RETRY_ON, "http_509", BOOL, .otherwise = "the preset's", .help = "HTTP 509"),
    KEY(RETRY_ON, "replicated_write_conflict", BOOL, .otherwise = "the preset's",
        .help = "the code ReplicatedWriteConflictException"),
    KEY(RETRY_ON, "transaction_conflict", BOOL, .otherwise = "the preset's",
        .help = "a write that met a running transaction, and a transaction that met another"),

    KEY(UNPROCESSED, "strategy", CHOICE, .choices = "drop|immediate|exponential|top_up",
        .otherwise = "drop",
        .help =
            "not look at them, send them again at once or after a wait, or fill the next batch up"),
    KEY(UNPROCESSED, "base", DURATION, .low = 0, .high = 3600 * DDBSIM_S,
        .otherwise = "50ms for exponential", .help = "exponential: the first wait; it doubles"),
    KEY(UNPROCESSED, "cap", DURATION, .low = 0, .high = DAY_NS, .otherwise = "20s for exponential",
        .help = "exponential: the longest wait"),
    KEY(UNPROCESSED, "max_retries", COUNT, .low = 0, .high = 1000000,
        .otherwise = "10 for exponential; immediate 1000000",
        .help = "exponential, immediate: times that members of one batch are sent again"),

    KEY(RATE_CONTROL, "minimum", RATE, .otherwise = "1% of rate_limit",
        .help = "throttles lower it no further"),
    KEY(RATE_CONTROL, "decrease", SHARE, .low = 1, .high = DDBSIM_SHARE_ONE, .fallback = "50%",
        .help = "what a throttle takes of the rate"),
    KEY(RATE_CONTROL, "every", DURATION, .low = 0, .high = 3600 * DDBSIM_S, .fallback = "1s",
        .help = "at most one such step in so long"),
    KEY(RATE_CONTROL, "increase", RATE, .otherwise = "1% of rate_limit",
        .help = "by so much it rises in each second"),

    KEY(BREAKER, "guards", CHOICE, .choices = "calls|retries", .fallback = "calls",
        .help = "what an open one does not let pass"),
    KEY(BREAKER, "counts", CHOICE, .choices = "calls|attempts|failures_per_call",
        .otherwise = "calls; failures_per_call where it guards retries",
        .help =
            "of what it takes the share that failed; failures_per_call: failed attempts / calls"),
    KEY(BREAKER, "failures", SHARE, .low = 0, .high = DDBSIM_SHARE_ONE, .fallback = "50%",
        .help = "it opens when more than this share has failed"),
    KEY(BREAKER, "window", DURATION, .low = DDBSIM_S, .high = DAY_NS,
        .otherwise = "since the start", .help = "over how long it counts"),
    KEY(BREAKER, "minimum", COUNT, .low = 1, .high = 1000000000,
        .otherwise = "20; 1 where it guards retries",
        .help = "so much must be counted before it opens"),
    KEY(BREAKER, "open_for", DURATION, .low = 0, .high = DAY_NS,
        .otherwise = "30s; 0s where it guards retries",
        .help = "until some calls may try; 0s: it is judged anew each time"),
    KEY(BREAKER, "trials", COUNT, .low = 1, .high = 1000000, .fallback = "5",
        .help = "how many may try, and decide whether it closes"),

    KEY(WRAPPER, "max_attempts", COUNT, .low = 2, .high = CLIENT_WRAPS_MAX,
        .flags = GRAMMAR_REQUIRED,
        .help = "calls of the SDK, the first included: attempts multiply"),
    KEY(WRAPPER, "base", DURATION, .low = 0, .high = 3600 * DDBSIM_S, .fallback = "0s",
        .help = "wait before it calls the SDK anew"),
    KEY(WRAPPER, "growth", FACTOR, .low = DDBSIM_SHARE_ONE, .high = CLIENT_GROWTH_MAX,
        .fallback = "2", .help = "factor from wait to wait"),
    KEY(WRAPPER, "max_backoff", DURATION, .low = 0, .high = DAY_NS, .fallback = "20s",
        .help = "the longest wait"),
    KEY(WRAPPER, "jitter", CHOICE, .choices = "none|full|equal|decorrelated", .fallback = "none",
        .help = "what is drawn of a wait"),

    /* ---- what happens and what must come out ---- */
    KEY(FAULT, "at", MOMENT, .low = 0, .high = MOST, .flags = GRAMMAR_REQUIRED,
        .help = "when it begins"),
    KEY(FAULT, "for", DURATION, .low = DDBSIM_S / 1000, .high = YEAR_NS,
        .otherwise = "required, but of dax_flush", .help = "how long it lasts"),
    KEY(FAULT, "name", NAME, .otherwise = "its number", .help = "what to call it"),
    KEY(FAULT, "kind", CHOICE, .choices = "capacity|latency|errors|dax_flush|clients_pause",
        .flags = GRAMMAR_REQUIRED,
        .help = "a table serves less, answers late or with HTTP 500; caches are empty; callers "
                "send nothing"),
    KEY(FAULT, "to", SHARE_OR_DURATION, .low = DDBSIM_S / 1000, .high = 3600 * DDBSIM_S,
        .high_share = DDBSIM_SHARE_ONE,
        .quota = "a table that serves nothing is `kind: errors` with `to: 100%`",
        .otherwise = "required of capacity, latency and errors",
        .help = "the share of the capacity that is left, the median of answers, the share of "
                "attempts that fail"),
    KEY(FAULT, "table", NAME, .otherwise = "the only one",
        .help = "of capacity (with its indexes), latency and errors: the table"),
    KEY(FAULT, "workload", NAME, .otherwise = "all",
        .help = "of dax_flush and clients_pause: whose cache, whose callers"),

    KEY(CHANGE, "at", MOMENT, .low = 0, .high = MOST, .flags = GRAMMAR_REQUIRED,
        .help = "when somebody does it"),
    KEY(CHANGE, "name", NAME, .otherwise = "its number", .help = "what to call it"),
    KEY(CHANGE, "set", SET, .family = FAMILY_CHANGE, .group = 1,
        .otherwise = "one of set, create_index and delete_index",
        .help = "paths and their new values; null removes"),
    KEY(CHANGE, "table", NAME, .otherwise = "required with create_index and delete_index",
        .help = "the table whose index comes or goes"),
    KEY(CHANGE, "create_index", SECTION, .child = SECTION_INDEX, .family = FAMILY_CHANGE,
        .group = 2, .flags = GRAMMAR_OPTIONAL,
        .help = "a new GLOBAL index: the items that there are are filled in while the run goes on"),
    KEY(CHANGE, "delete_index", AWS_NAME, .family = FAMILY_CHANGE, .group = 3,
        .otherwise = "none goes", .help = "an index that goes"),

    KEY(ALARM, "name", NAME, .flags = GRAMMAR_REQUIRED, .help = "the alarm's name"),
    KEY(ALARM, "table", NAME, .otherwise = "required, but of UserErrors",
        .help = "the table whose metric it is"),
    KEY(ALARM, "index", NAME, .otherwise = "the table itself",
        .help = "the GLOBAL index whose metric it is"),
    KEY(ALARM, "receiving_region", NAME, .otherwise = "required of ReplicationLatency, else none",
        .help = "ReplicationLatency: the Region that the table's writes go to"),
    KEY(ALARM, "operation", NAME, .otherwise = "all together",
        .help = "ThrottledRequests and SuccessfulRequestLatency: only this call, by AWS's name"),
    KEY(ALARM, "metric", NAME, .flags = GRAMMAR_REQUIRED,
        .help = "a metric of CloudWatch's (`ddbsim list metrics`)"),
    KEY(ALARM, "statistic", NAME,
        .otherwise = "Sum; Average of latencies and of provisioned capacity",
        .help = "Sum, Average, Minimum, Maximum, SampleCount, or of latencies p50 to p99.9"),
    KEY(ALARM, "period", DURATION, .low = MINUTE_NS, .high = DAY_NS,
        .otherwise = "60s; 5m of provisioned capacity",
        .help = "what one datapoint covers: a multiple of 60s, of 5m for provisioned capacity"),
    KEY(ALARM, "evaluation_periods", COUNT, .low = 1, .high = DDBSIM_ALARM_PERIODS_MAX,
        .fallback = "1", .help = "how many periods it looks at: one day at most"),
    KEY(ALARM, "datapoints_to_alarm", COUNT, .low = 1, .high = DDBSIM_ALARM_PERIODS_MAX,
        .otherwise = "evaluation_periods", .help = "how many of them must breach the threshold"),
    KEY(ALARM, "comparison", CHOICE,
        .choices = "GreaterThanThreshold|GreaterThanOrEqualToThreshold|LessThanThreshold|"
                   "LessThanOrEqualToThreshold|>|>=|<|<=",
        .flags = GRAMMAR_REQUIRED, .help = "how a datapoint breaches the threshold"),
    KEY(ALARM, "threshold", SHARE_OR_DECIMAL, .high_share = SCALE_SHARE_MAX,
        .flags = GRAMMAR_REQUIRED,
        .help =
            "in the metric's unit; of a Sum of consumed units also a share of what is provisioned"),
    KEY(ALARM, "treat_missing_data", CHOICE, .choices = "ignore|missing|breaching|notBreaching",
        .fallback = "ignore", .help = "what stands for a period without a datapoint"),

    KEY(VARIANT, "name", NAME, .flags = GRAMMAR_REQUIRED, .help = "the variant's name"),
    KEY(VARIANT, "set", SET,
        .help = "paths and their values; null removes, a list replaces the whole"),
    KEY(VARIANT, "expect", CONDITIONS, .child = SECTION_EXPECT,
        .help = "what must come out of this variant"),

    KEY(EXPECT, "metric", NAME, .help = "a CloudWatch metric or an outcome; with `is`"),
    KEY(EXPECT, "is", RANGE, .help = "the range that it must lie in"),
    KEY(EXPECT, "statistic", CHOICE,
        .choices = "Sum|Average|Minimum|Maximum|SampleCount|PerSecond|p50|p90|p99",
        .otherwise = "Sum; Average of latencies and of provisioned capacity",
        .help = "of a CloudWatch metric; PerSecond is Sum over the window's seconds"),
    KEY(EXPECT, "reason", NAME,
        .help = "a throttling reason: with `share`, or to restrict a metric"),
    KEY(EXPECT, "share", RANGE, .help = "the reason's share of all throttled attempts"),
    KEY(EXPECT, "event", NAME, .help = "a kind of event; with `first` or `count`"),
    KEY(EXPECT, "first", RANGE, .help = "the moments between which the first one comes"),
    KEY(EXPECT, "count", RANGE, .help = "how many there are"),
    KEY(EXPECT, "cause", NAME, .help = "what the diagnosis must name"),
    KEY(EXPECT, "alarm", TEXT,
        .help = "an alarm, by name, that goes to ALARM; with `first` or `count`"),
    KEY(EXPECT, "table", NAME, .help = "only this table"),
    KEY(EXPECT, "index", NAME, .help = "only this index"),
    KEY(EXPECT, "workload", NAME, .help = "only this workload"),
    KEY(EXPECT, "operation", NAME, .help = "only this call, by AWS's name"),
    KEY(EXPECT, "from", MOMENT, .low = 0, .high = MOST, .otherwise = "the start",
        .help = "the window's start"),
    KEY(EXPECT, "to", MOMENT, .low = 0, .high = MOST, .otherwise = "the end",
        .help = "the window's end"),
    KEY(EXPECT, "of", CHOICE, .choices = "each|seed|mean|median|deviation", .otherwise = "each",
        .help = "judged for each seed (each, seed), or once: mean, median or standard deviation"),
};

static const char *const section_titles[SECTION_KINDS] = {
    [SECTION_NONE] = "",
    [SECTION_SCENARIO] = "The scenario",
    [SECTION_VALUES] = "values.NAME",
    [SECTION_TABLE] = "tables",
    [SECTION_AUTO_SCALING] = "auto_scaling, of a table or an index",
    [SECTION_POLICY] = "auto_scaling.write and auto_scaling.read",
    [SECTION_ACTION] = "auto_scaling.scheduled_actions",
    [SECTION_BOUNDS] = "auto_scaling.scheduled_actions.NAME.write and read",
    [SECTION_SCALER] = "scaler, of a table or an index",
    [SECTION_SCALE_UP] = "scaler.up",
    [SECTION_SCALE_DOWN] = "scaler.down",
    [SECTION_MAXIMUM] = "on_demand_throughput, of a table or an index",
    [SECTION_WARM] = "warm_throughput, of a table or an index",
    [SECTION_PEAK] = "previous_peak, of a table or an index",
    [SECTION_BURST] = "burst, of a table or an index",
    [SECTION_ENTITY] = "tables.NAME.entities",
    [SECTION_SIZES] = "tables.NAME.entities.NAME.size, and of operations and actions",
    [SECTION_LOGNORMAL] = "tables.NAME.entities.NAME.size.lognormal",
    [SECTION_TTL] = "tables.NAME.entities.NAME.ttl",
    [SECTION_SHARDS] = "tables.NAME.entities.NAME.shards",
    [SECTION_INDEX] = "tables.NAME.indexes",
    [SECTION_BACKPRESSURE] = "tables.NAME.indexes.NAME.backpressure",
    [SECTION_ENTRY] = "tables.NAME.indexes.NAME.entries.ENTITY",
    [SECTION_MODEL] = "model",
    [SECTION_TABLE_MODEL] = "tables.NAME.model",
    [SECTION_WORKLOAD] = "workloads",
    [SECTION_QUEUE] = "workloads.NAME.queue",
    [SECTION_CONCURRENCY] = "workloads.NAME.queue.concurrency",
    [SECTION_DAX] = "workloads.NAME.dax",
    [SECTION_ARRIVALS] = "workloads.NAME.arrivals",
    [SECTION_BURSTY] = "workloads.NAME.arrivals.bursty",
    [SECTION_REPLAY] = "workloads.NAME.replay",
    [SECTION_COLUMNS] = "workloads.NAME.replay.columns",
    [SECTION_SHAPE] = "workloads.NAME.shape",
    [SECTION_STAGE] = "workloads.NAME.stages",
    [SECTION_OPERATION] = "workloads.NAME.mix and workloads.NAME.sequence",
    [SECTION_MEMBER] = "workloads.NAME.mix.NAME.actions",
    [SECTION_EFFECT] = "workloads.NAME.mix.NAME.index_effect.INDEX",
    [SECTION_CLIENT] = "workloads.NAME.client",
    [SECTION_BACKOFF] = "workloads.NAME.client.backoff",
    [SECTION_RETRY_QUOTA] = "workloads.NAME.client.retry_quota",
    [SECTION_RATE_LIMITER] = "workloads.NAME.client.rate_limiter",
    [SECTION_RETRY_ON] = "workloads.NAME.client.retry_on",
    [SECTION_UNPROCESSED] = "workloads.NAME.client.batch_unprocessed",
    [SECTION_RATE_CONTROL] = "workloads.NAME.client.rate_control",
    [SECTION_BREAKER] = "workloads.NAME.client.circuit_breaker",
    [SECTION_WRAPPER] = "workloads.NAME.client.wrapper",
    [SECTION_FAULT] = "faults",
    [SECTION_CHANGE] = "changes",
    [SECTION_ALARM] = "alarms",
    [SECTION_VARIANT] = "variants",
    [SECTION_EXPECT] = "expect",
};

const struct grammar_key *grammar_key(size_t number) {
    return number < sizeof keys / sizeof *keys ? &keys[number] : NULL;
}

const struct grammar_key *grammar_find(enum grammar_section section, const char *key) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].section == section && !strcmp(keys[i].key, key)) return &keys[i];
    return NULL;
}

const char *grammar_section_title(enum grammar_section section) { return section_titles[section]; }

void grammar_suggest(enum grammar_section section, struct suggest *suggest) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].section == section) suggest_offer(suggest, keys[i].key);
}

bool grammar_is_scalar(enum grammar_type type) { return type > TYPE_LATER && type < TYPE_SECTION; }

bool grammar_is_either(enum grammar_type type) {
    return type == TYPE_CHOICE_OR_SECTION || type == TYPE_SIZE_OR_SECTION;
}

static const char *const type_names[] = {
    [TYPE_LATER] = "not supported yet",
    [TYPE_TEXT] = "text",
    [TYPE_NAME] = "name",
    [TYPE_AWS_NAME] = "name",
    [TYPE_SLUG] = "name of a-z 0-9 -",
    [TYPE_FILE] = "file",
    [TYPE_TITLE] = "text or texts",
    [TYPE_BOOL] = "true or false",
    [TYPE_COUNT] = "count",
    [TYPE_UNITS] = "units",
    [TYPE_PARTITIONS] = "auto or count",
    [TYPE_SHARDS] = "all or count",
    [TYPE_DURATION] = "duration",
    [TYPE_TIMEOUT] = "duration or none",
    [TYPE_FACTOR] = "number",
    [TYPE_SIZE] = "size",
    [TYPE_SHARE] = "share",
    [TYPE_SHARE_OR_UNITS] = "share or units",
    [TYPE_SHARE_OR_DURATION] = "share or duration",
    [TYPE_DECIMAL] = "number",
    [TYPE_SHARE_OR_DECIMAL] = "number or share",
    [TYPE_RATE] = "rate",
    [TYPE_MOMENT] = "time",
    [TYPE_INSTANT] = "date and time",
    [TYPE_CHOICE] = "word",
    [TYPE_PRESET] = "preset",
    [TYPE_TEMPLATE] = "template",
    [TYPE_RANGE] = "range",
    [TYPE_SECTION] = "mapping",
    [TYPE_CHOICE_OR_SECTION] = "word or mapping",
    [TYPE_SIZE_OR_SECTION] = "size or mapping",
    [TYPE_LIST] = "list",
    [TYPE_CONDITIONS] = "list",
    [TYPE_EXPRESSIONS] = "list of texts",
    [TYPE_MAP] = "mapping of names",
    [TYPE_SHARES] = "mapping of words to shares",
    [TYPE_SHARE_LIST] = "list of shares",
    [TYPE_SET] = "mapping of paths",
};

const char *grammar_type_name(enum grammar_type type) { return type_names[type]; }

/* ---- words ---- */

/* The words of a choice of the model stand at the end of what it is: "...: sum | max". */
const char *grammar_choices(const struct grammar_key *key) {
    if (key->choices || key->type != TYPE_CHOICE) return key->choices;
    const char *colon = strrchr(key->help, ':');
    CHECK(colon != NULL);
    return colon + 1;
}

/* The next word of "a|b" or "a | b"; its length in *length, 0 at the end. */
static const char *next_word(const char *words, size_t *length) {
    words += strspn(words, " |");
    *length = strcspn(words, " |");
    return words;
}

int grammar_word(const char *words, const char *word) {
    size_t length = strlen(word), here;
    if (!words || !length) return -1;
    const char *at = next_word(words, &here);
    for (int number = 0; here; number++) {
        if (here == length && !strncmp(at, word, length)) return number;
        at = next_word(at + here, &here);
    }
    return -1;
}

bool grammar_word_at(const char *words, int number, char *out, size_t size) {
    if (!words) return false;
    size_t here;
    const char *at = next_word(words, &here);
    for (; here && number; number--)
        at = next_word(at + here, &here);
    if (!here) return false;
    CHECK(here < size);
    memcpy(out, at, here);
    out[here] = '\0';
    return true;
}
