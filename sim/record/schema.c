/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables, column by column. Order, names and types are the contract of version 1.
 * Invariants (held by the tests): key positions run from 1 without a gap and begin with run_id
 * where there is one; every column but run_id of a keyed table in the digest that is part of the
 * key is in the digest too, or rows of two series would look alike.
 */
#include <record/schema.h>

#include <base/check.h>
#include <string.h>

#define INTEGER .type = DDBSIM_VALUE_INTEGER
#define REAL .type = DDBSIM_VALUE_REAL
#define TEXT .type = DDBSIM_VALUE_TEXT
#define NEEDED .not_null = true
#define DIGEST .in_digest = true
#define KEY(position) .not_null = true, .in_digest = true, .key = (position)
#define KEY_APART(position) \
    .not_null = true, .key = (position) /* key of a table left out of the digest */
#define RUN_ID \
    { "run_id", INTEGER, KEY_APART(1), .meaning = "the run" }

static const struct schema_column study_columns[] = {
    {"study_id", INTEGER, KEY_APART(1), .meaning = "number of the study, from 1"},
    {"kind", TEXT, NEEDED, .meaning = "run, compare, sweep, solve or import"},
    {"command", TEXT, NEEDED, .meaning = "the command line that made it"},
    {"confidence", REAL, NEEDED, .meaning = "confidence level of its intervals, 0 to 1"},
};

static const struct schema_column run_columns[] = {
    {"run_id", INTEGER, KEY_APART(1), .meaning = "number of the run, from 1"},
    {"study_id", INTEGER, .meaning = "the study it belongs to"},
    {"scenario", TEXT, NEEDED, DIGEST, .meaning = "name of the scenario"},
    {"title", TEXT, NEEDED, .meaning = "title of the scenario"},
    {"variant", TEXT, NEEDED, DIGEST, .by_default = "'base'", .meaning = "variant, or base"},
    {"replication", INTEGER, NEEDED, DIGEST, .meaning = "replication, from 0"},
    {"seed", INTEGER, NEEDED, DIGEST, .meaning = "seed, as a signed 64-bit number"},
    {"start", TEXT, NEEDED, DIGEST, .meaning = "wall-clock time of t = 0, ISO 8601 with offset"},
    {"start_unix_s", INTEGER, NEEDED, DIGEST, .meaning = "the same in seconds since 1970, UTC"},
    {"utc_offset_s", INTEGER, NEEDED, DIGEST, .meaning = "offset of that wall clock, s"},
    {"warmup_s", INTEGER, NEEDED, DIGEST,
     .meaning = "seconds at the start that outcomes leave out"},
    {"duration_s", INTEGER, NEEDED, DIGEST, .meaning = "seconds that the scenario asks for"},
    {"simulated_s", REAL, NEEDED, DIGEST, .meaning = "seconds that were simulated"},
    {"detail", TEXT, NEEDED, DIGEST, .one_of = "'full','totals'",
     .meaning = "full: every series; totals: what the callers felt, and outcomes"},
    {"status", TEXT, NEEDED, .one_of = "'running','complete','interrupted','failed','observed'",
     .meaning = "how it ended; observed: an imported recording"},
    {"ddbsim_version", TEXT, NEEDED, .meaning = "version of the program"},
    {"model_version", INTEGER, NEEDED,
     .meaning = "version of the model: digests compare within one"},
    {"scenario_text", TEXT, NEEDED, .meaning = "the scenario file as it was read"},
    {"input_hash", TEXT, NEEDED, .meaning = "XXH3-128 of all that was read, 32 hex digits"},
    {"digest", TEXT, .meaning = "XXH3-128 of the run's rows, 32 hex digits; NULL while it runs"},
};

static const struct schema_column varied_columns[] = {
    RUN_ID,
    {"path", TEXT, KEY(2), .meaning = "scenario path that the variant or an option set"},
    {"value", TEXT, NEEDED, DIGEST, .meaning = "its value, as written"},
    {"by_option", INTEGER, NEEDED, .by_default = "0", .one_of = "0,1",
     .meaning = "1: the command line set it; 0: the variant did"},
};

static const struct schema_column setting_columns[] = {
    RUN_ID,
    {"path", TEXT, KEY(2), .meaning = "scenario path"},
    {"value", TEXT, NEEDED, DIGEST,
     .meaning = "its value once defaults, variant and options stand"},
};

static const struct schema_column resource_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY(2), .meaning = "number of the resource within the run"},
    {"kind", TEXT, NEEDED, DIGEST, .one_of = "'table','index','account'", .meaning = "what it is"},
    {"table_name", TEXT, NEEDED, DIGEST, .meaning = "the table; of an index, its table"},
    {"index_name", TEXT, DIGEST, .meaning = "the index; NULL for what is none"},
    {"arn", TEXT, NEEDED, DIGEST, .meaning = "Amazon resource name, as exceptions carry it"},
};

static const struct schema_column metric_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY(2), .meaning = "the resource"},
    {"name", TEXT, KEY(3), .meaning = "CloudWatch's name in the namespace AWS/DynamoDB"},
    {"operation", TEXT, KEY(4), .by_default = "''",
     .meaning = "operation; empty where there is none"},
    {"dimension", TEXT, KEY(5), .by_default = "''",
     .meaning = "Source, StreamLabel or ReceivingRegion; empty where there is none"},
    {"period_s", INTEGER, KEY(6),
     .meaning = "length of the period, s: 60, or 300 where AWS has 300"},
    {"t_s", INTEGER, KEY(7),
     .meaning = "first second of the period, s since start; periods follow the wall clock, so the "
                "first may begin before the start"},
    {"sum", REAL, DIGEST, .meaning = "sum of the samples, in the metric's unit"},
    {"sample_count", INTEGER, DIGEST, .meaning = "number of samples"},
    {"minimum", REAL, DIGEST, .meaning = "smallest sample, in the metric's unit"},
    {"maximum", REAL, DIGEST, .meaning = "largest sample, in the metric's unit"},
    {"p50", REAL, DIGEST, .meaning = "median, of latencies only, ms"},
    {"p90", REAL, DIGEST, .meaning = "90th percentile, of latencies only, ms"},
    {"p99", REAL, DIGEST, .meaning = "99th percentile, of latencies only, ms"},
    {"unit", TEXT, NEEDED, DIGEST, .meaning = "CloudWatch's unit"},
};

static const struct schema_column alarm_sample_columns[] = {
    RUN_ID,
    {"alarm", TEXT, KEY(2), .meaning = "name of the alarm"},
    {"t_s", INTEGER, KEY(3),
     .meaning = "first second of the period that is judged, s since start; CloudWatch judges it "
                "metric_delay and alarm_delay after its end"},
    {"value", REAL, DIGEST, .meaning = "the datapoint; NULL where it was missing"},
    {"threshold", REAL, NEEDED, DIGEST,
     .meaning = "what it is compared with at the evaluation, in the metric's unit"},
    {"state", TEXT, NEEDED, DIGEST, .meaning = "OK, ALARM or INSUFFICIENT_DATA, after it"},
};

static const struct schema_column second_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY(2), .meaning = "the resource"},
    {"t_s", INTEGER, KEY(3), .meaning = "first second of the period, s since start"},
    {"period_s", INTEGER, NEEDED, DIGEST, .meaning = "length of the period, s"},
    {"read_units", REAL, NEEDED, DIGEST, .meaning = "read units consumed"},
    {"write_units", REAL, NEEDED, DIGEST, .meaning = "write units consumed"},
    {"read_demand", REAL, NEEDED, DIGEST, .meaning = "read units asked for, refused ones included"},
    {"write_demand", REAL, NEEDED, DIGEST,
     .meaning = "write units asked for, refused ones included"},
    {"read_limit", REAL, DIGEST, .meaning = "read capacity, units/s; NULL where there is no limit"},
    {"write_limit", REAL, DIGEST,
     .meaning = "write capacity, units/s; NULL where there is no limit"},
    {"throttled_reads", INTEGER, NEEDED, DIGEST, .meaning = "reads refused"},
    {"throttled_writes", INTEGER, NEEDED, DIGEST, .meaning = "writes refused"},
    {"read_tokens", REAL, DIGEST, .meaning = "burst left for reads at the period's end, units"},
    {"write_tokens", REAL, DIGEST, .meaning = "burst left for writes at the period's end, units"},
    {"backlog_units", REAL, NEEDED, DIGEST,
     .meaning = "index writes waiting at the period's end, units"},
};

static const struct schema_column workload_second_columns[] = {
    RUN_ID,
    {"workload", TEXT, KEY(2), .meaning = "the workload"},
    {"t_s", INTEGER, KEY(3), .meaning = "first second of the period, s since start"},
    {"period_s", INTEGER, NEEDED, DIGEST, .meaning = "length of the period, s"},
    {"requests", INTEGER, NEEDED, DIGEST, .meaning = "requests that began"},
    {"attempts", INTEGER, NEEDED, DIGEST, .meaning = "attempts, retries included"},
    {"succeeded", INTEGER, NEEDED, DIGEST, .meaning = "requests that ended well"},
    {"failed", INTEGER, NEEDED, DIGEST, .meaning = "requests given up"},
    {"retries", INTEGER, NEEDED, DIGEST, .meaning = "attempts after a request's first"},
    {"throttled_attempts", INTEGER, NEEDED, DIGEST, .meaning = "attempts refused"},
    {"in_flight", INTEGER, NEEDED, DIGEST, .meaning = "requests under way at the period's end"},
    {"retries_refused", INTEGER, NEEDED, DIGEST, .meaning = "retries that the quota refused"},
    {"queue_messages", INTEGER, DIGEST, .meaning = "messages waiting at the period's end"},
    {"dead_letters", INTEGER, DIGEST, .meaning = "messages given up"},
    {"quota_tokens", REAL, DIGEST,
     .meaning = "retry quota at the period's end, tokens, mean of the processes"},
    {"limiter_rate", REAL, DIGEST,
     .meaning = "requests/s that a process allows itself, mean of those whose limiter is at work"},
    {"requests_again", INTEGER, NEEDED, .by_default = "0",
     .meaning = "of the requests, those of work that a queue or a stream had given out before"},
};

static const struct schema_column throttle_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY(2), .meaning = "the resource that refused"},
    {"reason", TEXT, KEY(3), .meaning = "AWS's throttling reason"},
    {"workload", TEXT, KEY(4), .meaning = "whose attempts"},
    {"operation", TEXT, KEY(5), .meaning = "their operation"},
    {"t_s", INTEGER, KEY(6), .meaning = "first second of the period, s since start"},
    {"period_s", INTEGER, NEEDED, DIGEST, .meaning = "length of the period, s"},
    {"events", INTEGER, NEEDED, DIGEST,
     .meaning = "refused attempts, or members of batches, that list this reason at all"},
    {"first_events", INTEGER, NEEDED, DIGEST,
     .meaning = "refused attempts that list it first: sums to the throttled attempts"},
};

static const struct schema_column partition_columns[] = {
    RUN_ID,
    {"partition_id", INTEGER, KEY(2), .meaning = "number of the partition within the run"},
    {"resource_id", INTEGER, NEEDED, DIGEST, .meaning = "the table or index it is a part of"},
    {"parent_id", INTEGER, DIGEST, .meaning = "the partition it was split from"},
    {"key_low", TEXT, NEEDED, DIGEST, .meaning = "its first key position, 32 hex digits"},
    {"key_high", TEXT, NEEDED, DIGEST, .meaning = "its last key position, 32 hex digits"},
    {"created_ns", INTEGER, NEEDED, DIGEST, .meaning = "when it came to be, ns since start"},
    {"retired_ns", INTEGER, DIGEST, .meaning = "when its children took over, ns since start"},
    {"cause", TEXT, NEEDED, DIGEST, .one_of = "'initial','size','heat','capacity'",
     .meaning = "why it came to be"},
};

static const struct schema_column partition_sample_columns[] = {
    RUN_ID,
    {"partition_id", INTEGER, KEY(2), .meaning = "the partition"},
    {"t_s", INTEGER, KEY(3), .meaning = "first second of the period, s since start"},
    {"period_s", INTEGER, NEEDED, DIGEST, .meaning = "length of the period, s"},
    {"read_units", REAL, NEEDED, DIGEST, .meaning = "read units consumed"},
    {"write_units", REAL, NEEDED, DIGEST, .meaning = "write units consumed"},
    {"throttled_reads", INTEGER, NEEDED, DIGEST, .meaning = "reads refused"},
    {"throttled_writes", INTEGER, NEEDED, DIGEST, .meaning = "writes refused"},
    {"items", INTEGER, NEEDED, DIGEST, .meaning = "items at the period's end"},
    {"bytes", INTEGER, NEEDED, DIGEST, .meaning = "their size, bytes"},
};

static const struct schema_column event_columns[] = {
    RUN_ID,
    {"event_id", INTEGER, KEY(2), .meaning = "number of the event within the run"},
    {"t_ns", INTEGER, NEEDED, DIGEST, .meaning = "when, ns since start"},
    {"kind", TEXT, NEEDED, DIGEST, .meaning = "what happened"},
    {"resource_id", INTEGER, DIGEST, .meaning = "the table or index it happened to"},
    {"partition_id", INTEGER, DIGEST, .meaning = "the partition it happened to"},
    {"detail", TEXT, NEEDED, DIGEST, .by_default = "'{}'",
     .meaning = "more about it, a JSON object"},
};

static const struct schema_column workload_total_columns[] = {
    RUN_ID,
    {"workload", TEXT, KEY(2), .meaning = "the workload"},
    {"table_name", TEXT, KEY(3), .meaning = "the table"},
    {"operation", TEXT, KEY(4), .meaning = "the operation"},
    {"requests", INTEGER, NEEDED, DIGEST, .meaning = "requests"},
    {"attempts", INTEGER, NEEDED, DIGEST, .meaning = "attempts, retries included"},
    {"succeeded", INTEGER, NEEDED, DIGEST, .meaning = "requests that ended well"},
    {"failed", INTEGER, NEEDED, DIGEST, .meaning = "requests given up"},
    {"retries", INTEGER, NEEDED, DIGEST, .meaning = "attempts after a request's first"},
    {"throttled_attempts", INTEGER, NEEDED, DIGEST, .meaning = "attempts refused"},
    {"units", REAL, NEEDED, DIGEST, .meaning = "capacity units consumed"},
    {"units_wasted", REAL, NEEDED, DIGEST, .meaning = "of these, units that did no work"},
};

static const struct schema_column batch_second_columns[] = {
    RUN_ID,
    {"workload", TEXT, KEY_APART(2), .meaning = "the workload"},
    {"table_name", TEXT, KEY_APART(3), .meaning = "the table"},
    {"operation", TEXT, KEY_APART(4), .meaning = "the operation"},
    {"t_s", INTEGER, KEY_APART(5), .meaning = "first second of the period, s since start"},
    {"period_s", INTEGER, NEEDED, .meaning = "length of the period, s"},
    {"members", INTEGER, NEEDED, .meaning = "members sent, each as often as it was"},
    {"throttled", INTEGER, NEEDED, .meaning = "of these, members that were refused"},
    {"lost", INTEGER, NEEDED, .meaning = "members that their callers do not send again"},
};

static const struct schema_column storage_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY_APART(2), .meaning = "a table with TTL, or an index of one"},
    {"entity", TEXT, KEY_APART(3), .meaning = "kind of item; empty for an index"},
    {"t_s", INTEGER, KEY_APART(4), .meaning = "the moment, s since start"},
    {"items", INTEGER, NEEDED, .meaning = "items that it holds then"},
    {"bytes", INTEGER, NEEDED, .meaning = "their bytes"},
    {"expired", INTEGER, NEEDED, .meaning = "of the items, those that have expired"},
    {"deleted", INTEGER, NEEDED, .meaning = "items that TTL has deleted since the start"},
};

static const struct schema_column latency_columns[] = {
    RUN_ID,
    {"workload", TEXT, KEY(2), .meaning = "the workload"},
    {"table_name", TEXT, KEY(3), .meaning = "the table"},
    {"operation", TEXT, KEY(4), .meaning = "the operation"},
    {"outcome", TEXT, KEY(5), .meaning = "success, throttled, failed or error"},
    {"kind", TEXT, KEY(6), .one_of = "'service','caller'",
     .meaning = "service: one attempt; caller: a request with its waits"},
    {"t_s", INTEGER, KEY(7), .meaning = "first second of the period, s since start"},
    {"period_s", INTEGER, NEEDED, DIGEST, .meaning = "length of the period, s"},
    {"low_us", INTEGER, KEY(8), .meaning = "smallest latency of the bucket, microseconds"},
    {"high_us", INTEGER, NEEDED, DIGEST, .meaning = "largest latency of the bucket, microseconds"},
    {"count", INTEGER, NEEDED, DIGEST, .meaning = "how many lie in it"},
};

static const struct schema_column top_key_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY(2), .meaning = "the resource"},
    {"kind", TEXT, KEY(3), .one_of = "'accessed','throttled'",
     .meaning = "what the keys are ranked by"},
    {"period_s", INTEGER, KEY(4), .meaning = "length of the period, s; 0: the whole run"},
    {"t_s", INTEGER, KEY(5), .meaning = "first second of the period, s since start"},
    {"rank", INTEGER, KEY(6), .meaning = "place, from 1"},
    {"key", TEXT, NEEDED, DIGEST, .meaning = "the partition key's value"},
    {"read_units", REAL, NEEDED, DIGEST, .meaning = "read units consumed"},
    {"write_units", REAL, NEEDED, DIGEST, .meaning = "write units consumed"},
    {"throttles", INTEGER, NEEDED, DIGEST, .meaning = "attempts refused"},
    {"error_units", REAL, NEEDED, DIGEST,
     .meaning = "by how much the units may be too high; 0: exact"},
};

static const struct schema_column request_columns[] = {
    {"request_id", INTEGER, NEEDED, DIGEST, .meaning = "number of the request"},
    {"run_id", INTEGER, NEEDED, .meaning = "the run"},
    {"attempt", INTEGER, NEEDED, DIGEST, .meaning = "number of the attempt, from 1"},
    {"t_ns", INTEGER, NEEDED, DIGEST, .meaning = "when it reached the table, ns since start"},
    {"workload", TEXT, NEEDED, DIGEST, .meaning = "the workload"},
    {"table_name", TEXT, NEEDED, DIGEST, .meaning = "the table"},
    {"index_name", TEXT, DIGEST, .meaning = "the index that was read"},
    {"operation", TEXT, NEEDED, DIGEST, .meaning = "the operation"},
    {"key", TEXT, NEEDED, DIGEST, .meaning = "the partition key's value"},
    {"sort_key", TEXT, DIGEST, .meaning = "the sort key's value"},
    {"item_bytes", INTEGER, NEEDED, DIGEST, .meaning = "size of the item, bytes"},
    {"consistent", INTEGER, NEEDED, DIGEST, .meaning = "1: a strongly consistent read"},
    {"partition_id", INTEGER, DIGEST, .meaning = "the partition it went to"},
    {"units", REAL, NEEDED, DIGEST, .meaning = "capacity units consumed"},
    {"outcome", TEXT, NEEDED, DIGEST, .meaning = "success, throttled, failed or error"},
    {"reason", TEXT, DIGEST, .meaning = "the first throttling reason"},
    {"latency_us", INTEGER, NEEDED, DIGEST, .meaning = "service-side latency, microseconds"},
    {"detail", TEXT, NEEDED, DIGEST, .by_default = "'{}'",
     .meaning = "more about it, a JSON object"},
};

static const struct schema_column cost_columns[] = {
    RUN_ID,
    {"resource_id", INTEGER, KEY(2), .meaning = "the resource"},
    {"item", TEXT, KEY(3), .meaning = "what is billed"},
    {"t_s", INTEGER, KEY(4), .meaning = "first second of the billed hour, s since start"},
    {"period_s", INTEGER, NEEDED, DIGEST, .meaning = "length of the period, s"},
    {"quantity", REAL, NEEDED, DIGEST, .meaning = "how much, in the item's unit"},
    {"unit", TEXT, NEEDED, DIGEST, .meaning = "the item's unit"},
    {"unit_price_usd", REAL, NEEDED, DIGEST, .meaning = "price of one, USD"},
    {"amount_usd", REAL, NEEDED, DIGEST, .meaning = "quantity times price, USD"},
};

static const struct schema_column recording_columns[] = {
    RUN_ID,
    {"workload", TEXT, KEY_APART(2), .meaning = "the workload that replayed it"},
    {"file", TEXT, NEEDED, .meaning = "its file, as the scenario names it"},
    {"format", TEXT, NEEDED, .meaning = "what it was taken for"},
    {"columns", TEXT, .meaning = "csv: which column was taken for what; NULL of other formats"},
    {"rows", INTEGER, NEEDED, .meaning = "rows that were read"},
    {"arrivals", INTEGER, NEEDED, .meaning = "arrivals that they became"},
    {"bad_rows", INTEGER, NEEDED, .meaning = "rows that could not be read and were passed over"},
    {"outside_rows", INTEGER, NEEDED, .meaning = "rows outside the window or the workload's time"},
    {"other_operation_rows", INTEGER, NEEDED, .meaning = "rows of operations that its mix has not"},
    {"other_table_rows", INTEGER, NEEDED, .meaning = "rows of other tables"},
    {"attempt_rows", INTEGER, NEEDED, .meaning = "refused rows that were attempts of one request"},
    {"sampled_out_rows", INTEGER, NEEDED, .meaning = "rows that `sample` left out"},
    {"first_bad_row", TEXT, .meaning = "why the first bad row was one; NULL: there was none"},
};

static const struct schema_column outcome_columns[] = {
    RUN_ID,
    {"name", TEXT, KEY_APART(2), .meaning = "name of the outcome"},
    {"scope", TEXT, KEY_APART(3), .by_default = "''",
     .meaning = "what it is of; empty: the whole run"},
    {"value", REAL, .meaning = "its value; NULL where nothing was there to measure"},
    {"unit", TEXT, NEEDED, .meaning = "its unit"},
};

static const struct schema_column verdict_columns[] = {
    RUN_ID,
    {"kind", TEXT, KEY_APART(2), .one_of = "'threshold','expect'",
     .meaning = "which list it is from"},
    {"expression", TEXT, KEY_APART(3), .meaning = "the condition as written"},
    {"observed", REAL, .meaning = "what was found; NULL where nothing was there to observe"},
    {"passed", INTEGER, NEEDED, .meaning = "1: it holds"},
};

static const struct schema_column estimate_columns[] = {
    {"study_id", INTEGER, KEY_APART(1), .meaning = "the study"},
    {"variant", TEXT, KEY_APART(2), .meaning = "the variant"},
    {"against", TEXT, KEY_APART(3), .by_default = "''",
     .meaning = "the variant it is compared with; empty: a mean, no difference"},
    {"name", TEXT, KEY_APART(4), .meaning = "name of the outcome"},
    {"n", INTEGER, NEEDED, .meaning = "number of replications, or of pairs"},
    {"mean", REAL, .meaning = "mean, or mean of the paired differences"},
    {"low", REAL, .meaning = "lower end of its confidence interval"},
    {"high", REAL, .meaning = "upper end of its confidence interval"},
};

#define COLUMNS(list) .columns = (list), .column_count = sizeof(list) / sizeof((list)[0])

static const struct schema_table tables[DDBSIM_LOG_TABLE_KINDS] = {
    [DDBSIM_LOG_STUDY] = {"study", "one command that made runs", .has_rowid = true,
                          COLUMNS(study_columns)},
    [DDBSIM_LOG_RUN] = {"run", "one simulated run, or one imported recording", .has_rowid = true,
                        .unique = "study_id, variant, replication", COLUMNS(run_columns)},
    [DDBSIM_LOG_VARIED] = {"varied", "what a run changed in its scenario", COLUMNS(varied_columns)},
    [DDBSIM_LOG_SETTING] = {"setting", "the resolved scenario, flat", COLUMNS(setting_columns)},
    [DDBSIM_LOG_RESOURCE] = {"resource", "tables, indexes and the account",
                             COLUMNS(resource_columns)},
    [DDBSIM_LOG_METRIC] = {"metric", "what CloudWatch would show; no row where AWS sends nothing",
                           COLUMNS(metric_columns)},
    [DDBSIM_LOG_ALARM_SAMPLE] = {"alarm_sample", "evaluations of alarms",
                                 COLUMNS(alarm_sample_columns)},
    [DDBSIM_LOG_SECOND] = {"second",
                           "each resource second by second; a row where something changed",
                           COLUMNS(second_columns)},
    [DDBSIM_LOG_WORKLOAD_SECOND] = {"workload_second",
                                    "each workload second by second; a row where something changed",
                                    COLUMNS(workload_second_columns)},
    [DDBSIM_LOG_THROTTLE] = {"throttle", "refusals by resource, reason, workload and operation",
                             COLUMNS(throttle_columns)},
    [DDBSIM_LOG_PARTITION] = {"partition", "partitions, from creation to split",
                              COLUMNS(partition_columns)},
    [DDBSIM_LOG_PARTITION_SAMPLE] = {"partition_sample",
                                     "each partition through time; idle ones are left out",
                                     COLUMNS(partition_sample_columns)},
    [DDBSIM_LOG_EVENT] = {"event", "what happened, in order", COLUMNS(event_columns)},
    [DDBSIM_LOG_WORKLOAD_TOTAL] = {"workload_total", "totals by workload, table and operation",
                                   COLUMNS(workload_total_columns)},
    [DDBSIM_LOG_BATCH_SECOND] = {"batch_second",
                                 "members of batches second by second; a row where any were sent",
                                 COLUMNS(batch_second_columns)},
    [DDBSIM_LOG_STORAGE] = {"storage", "what tables with TTL hold, from time to time",
                            COLUMNS(storage_columns)},
    [DDBSIM_LOG_LATENCY] = {"latency", "histograms of latency, minute by minute",
                            COLUMNS(latency_columns)},
    [DDBSIM_LOG_TOP_KEY] = {"top_key", "the hottest keys", COLUMNS(top_key_columns)},
    [DDBSIM_LOG_REQUEST] = {"request", "every attempt; only with `--log requests`",
                            .has_rowid = true, COLUMNS(request_columns)},
    [DDBSIM_LOG_RECORDING] = {"recording", "what became of the rows of a recording",
                              COLUMNS(recording_columns)},
    [DDBSIM_LOG_COST] = {"cost", "the bill, hour by hour", COLUMNS(cost_columns)},
    [DDBSIM_LOG_OUTCOME] = {"outcome", "what a run came to", COLUMNS(outcome_columns)},
    [DDBSIM_LOG_VERDICT] = {"verdict", "thresholds and expectations, judged",
                            COLUMNS(verdict_columns)},
    [DDBSIM_LOG_ESTIMATE] = {"estimate", "means over replications, and differences of variants",
                             COLUMNS(estimate_columns)},
};

const struct schema_table *schema_table(enum ddbsim_log_table table) {
    CHECK((unsigned)table < DDBSIM_LOG_TABLE_KINDS);
    CHECK(tables[table].name != NULL && tables[table].column_count > 0);
    CHECK(tables[table].column_count <= SCHEMA_COLUMNS_MAX);
    return &tables[table];
}

int schema_run_column(enum ddbsim_log_table table) {
    const struct schema_table *described = schema_table(table);
    for (size_t i = 0; i < described->column_count; i++)
        if (strcmp(described->columns[i].name, "run_id") == 0) return (int)i;
    return -1;
}

size_t schema_keys(enum ddbsim_log_table table, int columns[SCHEMA_KEYS_MAX]) {
    const struct schema_table *described = schema_table(table);
    int run_column = schema_run_column(table);
    size_t count = 0;
    for (int position = 1; position <= SCHEMA_KEYS_MAX; position++) {
        for (size_t i = 0; i < described->column_count; i++) {
            if (described->columns[i].key != position || (int)i == run_column) continue;
            CHECK(count < SCHEMA_KEYS_MAX);
            columns[count++] = (int)i;
        }
    }
    return count;
}

bool schema_in_digest(enum ddbsim_log_table table) {
    const struct schema_table *described = schema_table(table);
    for (size_t i = 0; i < described->column_count; i++)
        if (described->columns[i].in_digest) return true;
    return false;
}
