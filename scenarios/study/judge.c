/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Judging one condition, a threshold or an expectation, against a finished run by what its database
 * holds. Four kinds of things are observed: outcomes, CloudWatch metrics, throttling reasons and
 * events, alarms among them; the cause comes from the diagnosis, through a function that the caller hands in.
 *
 * Tags restrict: a tag that is not given restricts nothing, except that a CloudWatch metric without
 * an index is the table's own, as in CloudWatch. A tag that the rows in question do not carry
 * leaves nothing to observe. A window [from, to) takes the periods that begin in it, sums by the second
 * where it cuts a minute. Where nothing was there to observe the value is NaN, and the condition fails;
 * a sum of counts over silence is 0, for CloudWatch's metrics are sparse.
 */
#include <study/study.h>

#include <base/check.h>
#include <base/error.h>
#include <base/types.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

struct judge {
    sqlite3 *database;
    int64_t run_id;
    const struct ddbsim_condition *condition;
    struct ddbsim_error *error;
    enum ddbsim_status status; /* the first failure of the database */
};

/* The resources that the tags table and index leave. */
#define RESOURCES                                           \
    "(SELECT resource_id FROM resource WHERE run_id = :run" \
    " AND (:table IS NULL OR table_name = :table) AND (:index IS NULL OR index_name = :index))"
/* The same as CloudWatch dimensions: without an index, tables alone, and the account. */
#define DIMENSIONS                                          \
    "(SELECT resource_id FROM resource WHERE run_id = :run" \
    " AND (:table IS NULL OR table_name = :table)"          \
    " AND (kind = iif(:index IS NULL, 'table', 'index')"    \
    "  OR kind = 'account' AND :index IS NULL)"             \
    " AND (:index IS NULL OR index_name = :index))"
#define WINDOW " t_s >= :from_s AND t_s < :to_s"
#define OF_WORKLOAD " (:workload IS NULL OR workload = :workload)"
#define OF_OPERATION " (:operation IS NULL OR operation = :operation)"
#define OF_TABLE " (:table IS NULL OR table_name = :table)"

/* ---- asking the database ---- */

static void fail(struct judge *judge) {
    judge->status =
        error_set(judge->error, DDBSIM_ENVIRONMENT, "cannot read the result database: %s",
                  sqlite3_errmsg(judge->database));
    error_place(judge->error, sqlite3_db_filename(judge->database, "main"), 0, 0);
}

/* Binds a parameter where the statement has it. */
static int bind_text(sqlite3_stmt *statement, const char *parameter, const char *value) {
    int at = sqlite3_bind_parameter_index(statement, parameter);
    if (at == 0) return SQLITE_OK;
    return value ? sqlite3_bind_text(statement, at, value, -1, SQLITE_STATIC)
                 : sqlite3_bind_null(statement, at);
}

static int bind_integer(sqlite3_stmt *statement, const char *parameter, int64_t value) {
    int at = sqlite3_bind_parameter_index(statement, parameter);
    return at == 0 ? SQLITE_OK : sqlite3_bind_int64(statement, at, value);
}

/* The first whole second at or after a time; `otherwise` where there is no time. */
static int64_t first_second(int64_t time_ns, int64_t otherwise) {
    if (time_ns == DDBSIM_NO_TIME) return otherwise;
    return -floor_div(-time_ns, NS_PER_S);
}

static bool bind_all(sqlite3_stmt *statement, const struct judge *judge, const char *name) {
    const struct ddbsim_condition *asked = judge->condition;
    int64_t to_ns = asked->to_ns == DDBSIM_NO_TIME ? INT64_MAX : asked->to_ns;
    /* DDBSIM_NO_TIME as a beginning is the smallest of all times already. */
    return bind_integer(statement, ":run", judge->run_id) == SQLITE_OK &&
           bind_text(statement, ":name", name) == SQLITE_OK &&
           bind_text(statement, ":table", asked->table) == SQLITE_OK &&
           bind_text(statement, ":index", asked->index) == SQLITE_OK &&
           bind_text(statement, ":workload", asked->workload) == SQLITE_OK &&
           bind_text(statement, ":operation", asked->operation) == SQLITE_OK &&
           bind_text(statement, ":reason", asked->reason) == SQLITE_OK &&
           bind_text(statement, ":alarm", asked->alarm) == SQLITE_OK &&
           bind_integer(statement, ":from_ns", asked->from_ns) == SQLITE_OK &&
           bind_integer(statement, ":to_ns", to_ns) == SQLITE_OK &&
           bind_integer(statement, ":from_s", first_second(asked->from_ns, INT64_MIN)) ==
               SQLITE_OK &&
           bind_integer(statement, ":to_s", first_second(asked->to_ns, INT64_MAX)) == SQLITE_OK;
}

/* A statement with the condition's tags and window in it; NULL after a failure. */
static sqlite3_stmt *ask(struct judge *judge, const char *sql, const char *name) {
    sqlite3_stmt *statement = NULL;
    if (judge->status != DDBSIM_OK) return NULL;
    if (sqlite3_prepare_v2(judge->database, sql, -1, &statement, NULL) == SQLITE_OK &&
        bind_all(statement, judge, name))
        return statement;
    fail(judge);
    sqlite3_finalize(statement);
    return NULL;
}

static bool next_row(struct judge *judge, sqlite3_stmt *statement) {
    int code = sqlite3_step(statement);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(judge);
    return code == SQLITE_ROW;
}

static double real_at(sqlite3_stmt *statement, int column) {
    bool absent = sqlite3_column_type(statement, column) == SQLITE_NULL;
    return absent ? NAN : sqlite3_column_double(statement, column);
}

/* The first row's columns; NaN for NULL and where there is no row. Returns whether there was one.
 */
static bool ask_row(struct judge *judge, const char *sql, const char *name, double *values,
                    int count) {
    sqlite3_stmt *statement = ask(judge, sql, name);
    bool found = statement && next_row(judge, statement);
    CHECK(!found || sqlite3_column_count(statement) == count);
    for (int i = 0; i < count; i++)
        values[i] = found ? real_at(statement, i) : NAN;
    sqlite3_finalize(statement);
    return found;
}

static double ask_value(struct judge *judge, const char *sql, const char *name) {
    double value;
    (void)ask_row(judge, sql, name, &value, 1);
    return value;
}

/* ---- windows and percentiles ---- */

static bool has_window(const struct ddbsim_condition *asked) {
    return asked->from_ns != DDBSIM_NO_TIME || asked->to_ns != DDBSIM_NO_TIME;
}

static double window_seconds(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    double from = asked->from_ns == DDBSIM_NO_TIME ? 0 : (double)asked->from_ns / 1e9;
    if (asked->to_ns != DDBSIM_NO_TIME) return (double)asked->to_ns / 1e9 - from;
    return ask_value(judge, "SELECT simulated_s FROM run WHERE run_id = :run", NULL) - from;
}

static double per_second(struct judge *judge, double sum) {
    double seconds = window_seconds(judge);
    return seconds > 0 ? sum / seconds : NAN;
}

/* The value, in microseconds, below which `rank` records of the histogram lie: linear inside its
 * bucket (low, high, count), as hist_quantile does it. */
static double value_at_rank(struct judge *judge, sqlite3_stmt *buckets, double rank) {
    double below = 0, value = NAN;
    while (next_row(judge, buckets)) {
        double low = real_at(buckets, 0), high = real_at(buckets, 1), here = real_at(buckets, 2);
        CHECK(high >= low);
        value = high;
        if (below + here >= rank) return low + (rank - below) / here * (high - low);
        below += here;
    }
    return value;
}

/* A percentile of latency in ms; kind is service or caller. */
static double observe_latency(struct judge *judge, const char *kind, double share) {
#define LATENCIES                                                                              \
    " FROM latency WHERE run_id = :run AND kind = :name AND outcome = 'success' AND count > 0" \
    " AND" OF_WORKLOAD " AND" OF_TABLE " AND" OF_OPERATION " AND" WINDOW
    if (judge->condition->index || judge->condition->reason) return NAN;
    double count = ask_value(judge, "SELECT sum(count)" LATENCIES, kind);
    if (!(count > 0)) return NAN;
    sqlite3_stmt *buckets =
        ask(judge,
            "SELECT low_us, max(high_us), sum(count)" LATENCIES " GROUP BY low_us ORDER BY low_us",
            kind);
    double value_us = buckets ? value_at_rank(judge, buckets, share * count) : NAN;
    sqlite3_finalize(buckets);
    return value_us / 1e3;
#undef LATENCIES
}

/* ---- outcomes ---- */

struct counts {
    double requests, attempts, succeeded, failed, retries, throttled;
};

/* Refused attempts by what refused them: the only rows that know a resource and a reason. */
static double throttled_by_resource(struct judge *judge) {
    return ask_value(judge,
                     "SELECT total(first_events) FROM throttle WHERE run_id = :run AND" WINDOW
                     " AND" OF_WORKLOAD " AND" OF_OPERATION
                     " AND (:reason IS NULL OR reason = :reason) AND resource_id IN " RESOURCES,
                     NULL);
}

static struct counts counts_from(struct judge *judge, const char *sql) {
    double values[6];
    (void)ask_row(judge, sql, NULL, values, 6);
    return (struct counts){values[0], values[1], values[2], values[3], values[4], values[5]};
}

/* Counts of a window by table or operation: only the histograms have both, minute by minute. Each
 * attempt stands in the service ones, each request in the caller ones. */
static struct counts counts_from_latency(struct judge *judge) {
    struct counts counts = counts_from(
        judge,
        "SELECT total(iif(kind = 'caller', count, 0)), total(iif(kind = 'service', count, 0)),"
        " total(iif(kind = 'caller' AND outcome = 'success', count, 0)),"
        " total(iif(kind = 'caller' AND outcome <> 'success', count, 0)), 0,"
        " total(iif(kind = 'service' AND outcome = 'throttled', count, 0))"
        " FROM latency WHERE run_id = :run AND" OF_WORKLOAD " AND" OF_TABLE " AND" OF_OPERATION
        " AND" WINDOW);
    counts.retries = counts.attempts - counts.requests;
    return counts;
}

static struct counts count_all(struct judge *judge) {
#define SUMS                                                                                    \
    "SELECT total(requests), total(attempts), total(succeeded), total(failed), total(retries)," \
    " total(throttled_attempts) FROM "
    const struct ddbsim_condition *asked = judge->condition;
    if (!has_window(asked))
        return counts_from(judge, SUMS "workload_total WHERE run_id = :run AND" OF_WORKLOAD
                                       " AND" OF_TABLE " AND" OF_OPERATION);
    if (asked->table || asked->operation) return counts_from_latency(judge);
    return counts_from(judge,
                       SUMS "workload_second WHERE run_id = :run AND" OF_WORKLOAD " AND" WINDOW);
#undef SUMS
}

/* The counts that the tags leave. Only refusals are known by index and reason. */
static struct counts count_tagged(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    struct counts counts = count_all(judge);
    if (!asked->index && !asked->reason) return counts;
    counts.throttled = throttled_by_resource(judge);
    counts.requests = counts.succeeded = counts.failed = counts.retries = NAN;
    return counts;
}

static double ratio(double part, double whole) { return whole > 0 ? part / whole : NAN; }

struct members {
    double sent, throttled, lost;
};

/* Members of batches, whose resources and reasons nobody knows one by one. */
static struct members count_members(struct judge *judge) {
    double values[3] = {NAN, NAN, NAN};
    if (!judge->condition->index && !judge->condition->reason)
        (void)ask_row(judge,
                      "SELECT total(members), total(throttled), total(lost) FROM batch_second"
                      " WHERE run_id = :run AND" OF_WORKLOAD " AND" OF_TABLE " AND" OF_OPERATION
                      " AND" WINDOW,
                      NULL, values, 3);
    return (struct members){values[0], values[1], values[2]};
}

/* Units by caller: known for a whole run only, each operation being either a read or a write. */
static double units_by_caller(struct judge *judge, bool writes) {
    double sum = 0;
    if (has_window(judge->condition) || judge->condition->index) return NAN;
    for (int i = 0; i < DDBSIM_OPERATION_KINDS; i++)
        if (ddbsim_operation_is_write(i) == writes)
            sum += ask_value(judge,
                             "SELECT total(units) FROM workload_total WHERE run_id = :run"
                             " AND operation = :name AND" OF_WORKLOAD " AND" OF_TABLE
                             " AND" OF_OPERATION,
                             ddbsim_operation_name(i));
    return sum;
}

static double observe_units(struct judge *judge, bool writes) {
    const struct ddbsim_condition *asked = judge->condition;
    if (asked->reason) return NAN;
    if (asked->workload || asked->operation) return units_by_caller(judge, writes);
    return ask_value(
        judge,
        "SELECT total(sum) FROM metric WHERE run_id = :run AND name = :name"
        " AND operation = '' AND dimension = '' AND" WINDOW " AND resource_id IN " RESOURCES,
        ddbsim_metric_name(writes ? DDBSIM_METRIC_CONSUMED_WRITE : DDBSIM_METRIC_CONSUMED_READ));
}

static double observe_retries_refused(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    if (asked->table || asked->index || asked->operation || asked->reason) return NAN;
    return ask_value(judge,
                     "SELECT total(retries_refused) FROM workload_second WHERE run_id = :run"
                     " AND" OF_WORKLOAD " AND" WINDOW,
                     NULL);
}

/* Where it never happened there is no row. */
static double observe_seldom(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    if (has_window(asked) || asked->table || asked->index || asked->operation || asked->reason)
        return NAN;
    return ask_value(judge,
                     "SELECT total(value) FROM outcome WHERE run_id = :run AND name = :name"
                     " AND scope = coalesce(:workload, '')",
                     ddbsim_outcome_name(asked->number));
}

/* A queue's stand in its seconds too, a stream's in its sum alone. */
static double observe_dead_letters(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    if (!has_window(asked)) return observe_seldom(judge);
    if (asked->table || asked->index || asked->operation || asked->reason) return NAN;
    return ask_value(judge,
                     "SELECT iif(EXISTS (SELECT 1 FROM workload_second WHERE run_id = :run"
                     " AND" OF_WORKLOAD " AND dead_letters IS NOT NULL), total(dead_letters), NULL)"
                     " FROM workload_second WHERE run_id = :run AND" OF_WORKLOAD " AND" WINDOW,
                     NULL);
}

/* Those that stand at the window's end, of the resources that the tags leave. */
static double observe_partitions(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    if (asked->workload || asked->operation || asked->reason) return NAN;
    return ask_value(judge,
                     "SELECT count(*) FROM partition WHERE run_id = :run AND created_ns < :to_ns"
                     " AND (retired_ns IS NULL OR retired_ns >= :to_ns)"
                     " AND resource_id IN " RESOURCES,
                     NULL);
}

/* How it stood at the window's end; of what was deleted, what came in the window. */
#define STORED_AT(column, moment)                                                             \
    "(SELECT sum(" column ") FROM storage WHERE run_id = :run AND resource_id IN " DIMENSIONS \
    " AND t_s = (SELECT max(t_s) FROM storage WHERE run_id = :run AND t_s <= " moment         \
    "  AND resource_id IN " DIMENSIONS "))"
static double observe_storage(struct judge *judge, const char *sql) {
    const struct ddbsim_condition *asked = judge->condition;
    if (asked->workload || asked->operation || asked->reason) return NAN;
    return ask_value(judge, sql, NULL);
}

/* What is stored for a workload as a whole. */
static double observe_crew(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    if (has_window(asked) || asked->table || asked->index || asked->operation || asked->reason)
        return NAN;
    return ask_value(judge,
                     "SELECT value FROM outcome WHERE run_id = :run AND name = :name"
                     " AND scope = coalesce(:workload, '')",
                     ddbsim_outcome_name(asked->number));
}

/* What is counted by workload and operation, and what follows from two such counts. */
static double compute_counted(struct judge *judge) {
    struct counts counts = count_tagged(judge);
    switch (judge->condition->number) {
    case DDBSIM_OUTCOME_REQUESTS:
        return counts.requests;
    case DDBSIM_OUTCOME_ATTEMPTS:
        return counts.attempts;
    case DDBSIM_OUTCOME_SUCCEEDED:
        return counts.succeeded;
    case DDBSIM_OUTCOME_FAILED:
        return counts.failed;
    case DDBSIM_OUTCOME_RETRIES:
        return counts.retries;
    case DDBSIM_OUTCOME_THROTTLED_ATTEMPTS:
        return counts.throttled;
    case DDBSIM_OUTCOME_THROTTLED_RATIO:
        return ratio(counts.throttled, counts.attempts);
    case DDBSIM_OUTCOME_FAILED_RATIO:
        return ratio(counts.failed, counts.requests);
    default:
        CHECK(judge->condition->number == DDBSIM_OUTCOME_AMPLIFICATION);
        return ratio(counts.attempts, counts.requests);
    }
}

static double compute_outcome(struct judge *judge) {
    struct members members;
    switch (judge->condition->number) {
    case DDBSIM_OUTCOME_REQUESTS:
    case DDBSIM_OUTCOME_ATTEMPTS:
    case DDBSIM_OUTCOME_SUCCEEDED:
    case DDBSIM_OUTCOME_FAILED:
    case DDBSIM_OUTCOME_RETRIES:
    case DDBSIM_OUTCOME_THROTTLED_ATTEMPTS:
    case DDBSIM_OUTCOME_THROTTLED_RATIO:
    case DDBSIM_OUTCOME_FAILED_RATIO:
    case DDBSIM_OUTCOME_AMPLIFICATION:
        return compute_counted(judge);
    case DDBSIM_OUTCOME_RETRIES_REFUSED:
        return observe_retries_refused(judge);
    case DDBSIM_OUTCOME_DEAD_LETTERS:
        return observe_dead_letters(judge);
    case DDBSIM_OUTCOME_MEMBERS:
        return count_members(judge).sent;
    case DDBSIM_OUTCOME_THROTTLED_MEMBERS:
        return count_members(judge).throttled;
    case DDBSIM_OUTCOME_THROTTLED_MEMBERS_RATIO:
        members = count_members(judge);
        return ratio(members.throttled, members.sent);
    case DDBSIM_OUTCOME_LOST_MEMBERS:
        return count_members(judge).lost;
    case DDBSIM_OUTCOME_READ_UNITS:
        return observe_units(judge, false);
    case DDBSIM_OUTCOME_WRITE_UNITS:
        return observe_units(judge, true);
    case DDBSIM_OUTCOME_LATENCY_P50:
        return observe_latency(judge, "service", 0.50);
    case DDBSIM_OUTCOME_LATENCY_P99:
        return observe_latency(judge, "service", 0.99);
    case DDBSIM_OUTCOME_CALLER_P50:
        return observe_latency(judge, "caller", 0.50);
    case DDBSIM_OUTCOME_CALLER_P99:
        return observe_latency(judge, "caller", 0.99);
    case DDBSIM_OUTCOME_PARTITIONS:
        return observe_partitions(judge);
    case DDBSIM_OUTCOME_DROPPED_ITERATIONS:
    case DDBSIM_OUTCOME_FINISHED_AT:
    case DDBSIM_OUTCOME_ARRIVAL_P50:
    case DDBSIM_OUTCOME_ARRIVAL_P99:
    case DDBSIM_OUTCOME_FIRST_PAGE_P50:
    case DDBSIM_OUTCOME_FIRST_PAGE_P99:
        return observe_crew(judge);
    case DDBSIM_OUTCOME_STORED_ITEMS:
        return observe_storage(judge, "SELECT " STORED_AT("items", ":to_s"));
    case DDBSIM_OUTCOME_STORED_GB:
        return observe_storage(judge, "SELECT " STORED_AT("bytes", ":to_s") " / 1073741824.0");
    case DDBSIM_OUTCOME_EXPIRED_ITEMS:
        return observe_storage(judge, "SELECT " STORED_AT("expired", ":to_s"));
    case DDBSIM_OUTCOME_TTL_DELETED_ITEMS:
        return observe_storage(judge,
                               "SELECT " STORED_AT("deleted", ":to_s") " - coalesce(" STORED_AT(
                                   "deleted", ":from_s") ", 0)");
    default: /* what is seldom counted, of the run or of a workload */
        return observe_seldom(judge);
    }
}

static bool is_restricted(const struct ddbsim_condition *asked) {
    return has_window(asked) || asked->table || asked->index || asked->workload ||
           asked->operation || asked->reason;
}

static double observe_outcome(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    const char *unit = ddbsim_outcome_unit(asked->number);
    double value;
    bool stored = !is_restricted(asked) &&
                  ask_row(judge,
                          "SELECT value FROM outcome WHERE run_id = :run AND name = :name"
                          " AND scope = ''",
                          ddbsim_outcome_name(asked->number), &value, 1);
    if (!stored) value = compute_outcome(judge);
    bool is_sum = strcmp(unit, "count") == 0 || strcmp(unit, "units") == 0;
    return asked->statistic == DDBSIM_PER_SECOND && is_sum ? per_second(judge, value) : value;
}

/* ---- CloudWatch's metrics ---- */

/* Metrics that count what happens: silence is zero of them. */
static bool is_counting(int metric) {
    return metric != DDBSIM_METRIC_SUCCESSFUL_LATENCY &&
           metric != DDBSIM_METRIC_REPLICATION_LATENCY &&
           metric != DDBSIM_METRIC_PROVISIONED_READ && metric != DDBSIM_METRIC_PROVISIONED_WRITE;
}

struct statistics {
    double sum, sample_count, minimum, maximum;
};

/* All periods and resources taken together, of the shortest period there is. A metric that stands
 * with and without operations is taken once. */
static struct statistics gather(struct judge *judge, int metric) {
    double values[5];
    (void)ask_row(
        judge,
        "SELECT sum(sum), sum(sample_count), min(minimum), max(maximum), count(*)"
        " FROM metric m WHERE run_id = :run AND name = :name AND (dimension = '' OR name = "
        "'ReplicationLatency') AND" WINDOW " AND resource_id IN " DIMENSIONS
        " AND period_s = (SELECT min(period_s) FROM metric WHERE run_id = :run"
        "  AND name = :name)"
        " AND (operation = :operation OR (:operation IS NULL AND (operation = ''"
        "  OR NOT EXISTS (SELECT 1 FROM metric o WHERE o.run_id = m.run_id"
        "   AND o.resource_id = m.resource_id AND o.name = m.name AND o.operation = ''))))",
        ddbsim_metric_name(metric), values, 5);
    bool silent = values[4] == 0;
    if (silent && is_counting(metric)) values[0] = 0;
    if (silent) values[1] = 0;
    return (struct statistics){values[0], values[1], values[2], values[3]};
}

/* Sums by second, for windows that cut a minute: which column or which reasons hold them. */
struct by_second {
    enum ddbsim_metric metric;
    const char *sql;
};
#define SECONDS(column)                                                   \
    "SELECT total(" column ") FROM second WHERE run_id = :run AND" WINDOW \
    " AND resource_id IN " DIMENSIONS
#define REFUSALS(reasons)                                               \
    "SELECT total(events) FROM throttle WHERE run_id = :run AND" WINDOW \
    " AND reason LIKE '%" reasons "' AND resource_id IN " DIMENSIONS
static const struct by_second by_second[] = {
    {DDBSIM_METRIC_CONSUMED_READ, SECONDS("read_units")},
    {DDBSIM_METRIC_CONSUMED_WRITE, SECONDS("write_units")},
    {DDBSIM_METRIC_READ_THROTTLE_EVENTS, SECONDS("throttled_reads")},
    {DDBSIM_METRIC_WRITE_THROTTLE_EVENTS, SECONDS("throttled_writes")},
    {DDBSIM_METRIC_READ_PROVISIONED_EVENTS, REFUSALS("ReadProvisionedThroughputExceeded")},
    {DDBSIM_METRIC_WRITE_PROVISIONED_EVENTS, REFUSALS("WriteProvisionedThroughputExceeded")},
    {DDBSIM_METRIC_READ_KEY_RANGE_EVENTS, REFUSALS("ReadKeyRangeThroughputExceeded")},
    {DDBSIM_METRIC_WRITE_KEY_RANGE_EVENTS, REFUSALS("WriteKeyRangeThroughputExceeded")},
};

static bool cuts_a_minute(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    double start_unix_s =
        ask_value(judge, "SELECT start_unix_s FROM run WHERE run_id = :run", NULL);
    if (isnan(start_unix_s)) return false;
    const int64_t ends_ns[] = {asked->from_ns, asked->to_ns};
    for (int i = 0; i < 2; i++)
        if (ends_ns[i] != DDBSIM_NO_TIME &&
            ((int64_t)start_unix_s + first_second(ends_ns[i], 0)) % 60 != 0)
            return true;
    return false;
}

/* CloudWatch has minutes; what it counts is known by the second here, so a sum over part of a minute
 * need not be wrong by the rest of it. Averages and extremes stay those of whole minutes. */
static double gather_seconds(struct judge *judge, int metric, double by_minute) {
    bool is_sum = judge->condition->statistic == DDBSIM_SUM ||
                  judge->condition->statistic == DDBSIM_PER_SECOND;
    if (!is_sum || judge->condition->operation || !cuts_a_minute(judge)) return by_minute;
    if (metric == DDBSIM_METRIC_THROTTLED_REQUESTS) /* an index has no such metric */
        return judge->condition->index ? by_minute : throttled_by_resource(judge);
    for (size_t i = 0; i < sizeof by_second / sizeof by_second[0]; i++)
        if ((int)by_second[i].metric == metric) return ask_value(judge, by_second[i].sql, NULL);
    return by_minute;
}

static double pick(struct judge *judge, const struct statistics *found) {
    switch (judge->condition->statistic) {
    case DDBSIM_SUM:
        return found->sum;
    case DDBSIM_AVERAGE:
        return ratio(found->sum, found->sample_count);
    case DDBSIM_MINIMUM:
        return found->minimum;
    case DDBSIM_MAXIMUM:
        return found->maximum;
    case DDBSIM_SAMPLE_COUNT:
        return found->sample_count;
    case DDBSIM_PER_SECOND:
        return per_second(judge, found->sum);
    case DDBSIM_P50:
    case DDBSIM_P90:
    case DDBSIM_P99:
        break;
    }
    return NAN; /* percentiles are kept of latencies only */
}

static double percentile_share(enum ddbsim_statistic statistic) {
    if (statistic == DDBSIM_P50) return 0.50;
    if (statistic == DDBSIM_P90) return 0.90;
    return statistic == DDBSIM_P99 ? 0.99 : NAN;
}

/* CloudWatch knows neither workloads nor reasons, but the refusals behind ThrottledRequests do. */
static struct statistics gather_by_caller(struct judge *judge, int metric) {
    bool refusals = metric == DDBSIM_METRIC_THROTTLED_REQUESTS;
    double sum = refusals ? throttled_by_resource(judge) : NAN;
    return (struct statistics){sum, sum, NAN, NAN};
}

static double observe_metric(struct judge *judge) {
    const struct ddbsim_condition *asked = judge->condition;
    int metric = asked->number - DDBSIM_OUTCOME_KINDS;
    CHECK(metric >= 0 && metric < DDBSIM_METRIC_KINDS);
    double share = percentile_share(asked->statistic);
    if (!isnan(share))
        return metric == DDBSIM_METRIC_SUCCESSFUL_LATENCY ? observe_latency(judge, "service", share)
                                                          : NAN;
    double resources = ask_value(judge, "SELECT count(*) FROM " DIMENSIONS, NULL);
    if (!(resources > 0)) return NAN;
    bool by_caller = asked->workload || asked->reason;
    struct statistics found = by_caller ? gather_by_caller(judge, metric) : gather(judge, metric);
    if (!by_caller) found.sum = gather_seconds(judge, metric, found.sum);
    return pick(judge, &found);
}

/* ---- reasons and events ---- */

static double observe_reason(struct judge *judge) {
    CHECK(judge->condition->number >= 0 && judge->condition->number < DDBSIM_REASON_KINDS);
    return ask_value(judge,
                     "SELECT total(iif(reason = :name, first_events, 0))"
                     " / nullif(total(first_events), 0) FROM throttle"
                     " WHERE run_id = :run AND" WINDOW " AND" OF_WORKLOAD " AND" OF_OPERATION
                     " AND resource_id IN " RESOURCES,
                     ddbsim_reason_name(judge->condition->number));
}

/* Events of a kind, or of one alarm those that brought it to ALARM. */
static double observe_event(struct judge *judge, bool first) {
    const struct ddbsim_condition *asked = judge->condition;
    double values[2];
    CHECK(asked->number >= 0 && asked->number < DDBSIM_EVENT_KINDS);
    if (asked->workload || asked->operation || asked->reason) return NAN;
    (void)ask_row(judge,
                  "SELECT min(t_ns), count(*) FROM event WHERE run_id = :run AND kind = :name"
                  " AND t_ns >= :from_ns AND t_ns < :to_ns AND ((:table IS NULL AND :index IS NULL)"
                  "  OR resource_id IN " RESOURCES ")"
                  " AND (:alarm IS NULL OR iif(json_valid(detail),"
                  "  json_extract(detail, '$.alarm') = :alarm"
                  "  AND json_extract(detail, '$.to') = 'ALARM', 0))",
                  ddbsim_event_name(asked->number), values, 2);
    return first ? values[0] / 1e9 : values[1];
}

/* ---- the verdict ---- */

static double observe_cause(struct judge *judge, study_cause_fn *cause) {
    CHECK(cause != NULL);
    int found = cause(judge->database, judge->run_id, judge->error);
    CHECK(found < DDBSIM_CAUSE_KINDS);
    if (found >= 0) return found;
    judge->status = error_set(judge->error, DDBSIM_ENVIRONMENT, "the run cannot be diagnosed");
    return NAN;
}

static double observe(struct judge *judge, study_cause_fn *cause) {
    switch (judge->condition->kind) {
    case DDBSIM_CONDITION_METRIC:
        CHECK(judge->condition->number >= 0);
        return judge->condition->number < DDBSIM_OUTCOME_KINDS ? observe_outcome(judge)
                                                               : observe_metric(judge);
    case DDBSIM_CONDITION_REASON:
        return observe_reason(judge);
    case DDBSIM_CONDITION_EVENT_FIRST:
    case DDBSIM_CONDITION_ALARM_FIRST:
        return observe_event(judge, true);
    case DDBSIM_CONDITION_EVENT_COUNT:
    case DDBSIM_CONDITION_ALARM_COUNT:
        return observe_event(judge, false);
    case DDBSIM_CONDITION_CAUSE:
        return observe_cause(judge, cause);
    }
    CHECK(false);
    return NAN;
}

bool study_holds(const struct ddbsim_condition *asked, double observed) {
    if (isnan(observed)) return false;
    if (asked->kind == DDBSIM_CONDITION_CAUSE) return observed == asked->number;
    bool above = asked->low_open ? observed > asked->low : observed >= asked->low;
    bool below = asked->high_open ? observed < asked->high : observed <= asked->high;
    return above && below;
}

enum ddbsim_status study_judge(struct sqlite3 *database, int64_t run_id,
                               const struct ddbsim_condition *condition, study_cause_fn *cause,
                               double *observed, bool *passed, struct ddbsim_error *error) {
    CHECK(database != NULL && condition != NULL);
    struct judge judge = {.database = database,
                          .run_id = run_id,
                          .condition = condition,
                          .error = error,
                          .status = DDBSIM_OK};
    double value = observe(&judge, cause);
    if (judge.status != DDBSIM_OK) value = NAN;
    *observed = value;
    *passed = study_holds(condition, value);
    return judge.status;
}
