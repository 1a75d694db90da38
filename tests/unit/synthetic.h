/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Result databases made in code, for tests of what reads them: the log's tables without its views,
 * and a fluid run of one table with one index, second by second, whose true demand is known.
 */
#ifndef TESTS_SYNTHETIC_H
#define TESTS_SYNTHETIC_H

#include <ddbsim/log.h>
#include <math.h>
#include <record/schema_sql.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

/* cmocka compares floats; these are doubles. */
#define assert_close(value, expected, most)                    \
    do {                                                       \
        double value_ = (value), expected_ = (expected);       \
        if (!(fabs(value_ - expected_) <= (most)))             \
            fail_msg("%.17g is not %.17g", value_, expected_); \
    } while (0)

/* One statement; the format is sqlite3_mprintf's, with %Q for quoted texts. */
static inline void synthetic_do(sqlite3 *database, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    char *message = NULL;
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message ? message : "");
    sqlite3_free(sql);
}

static inline sqlite3 *synthetic_open(void) {
    sqlite3 *database = NULL;
    char *schema = schema_sql_create();
    assert_non_null(schema);
    assert_int_equal(sqlite3_open(":memory:", &database), SQLITE_OK);
    synthetic_do(database, "%s", schema);
    synthetic_do(database, "DROP VIEW summary; DROP VIEW cloudwatch");
    free(schema);
    return database;
}

/* Friday 2026-09-25 at 17:00 in +02:00. */
#define SYNTHETIC_START_UNIX_S 1790348400

static inline void synthetic_run(sqlite3 *database, int run_id, const char *variant, int duration_s,
                                 int simulated_s, const char *status) {
    synthetic_do(database,
                 "INSERT INTO run VALUES(%d, 1, 'friday', 'Friday, 18:20', %Q, 0, 1820,"
                 " '2026-09-25T17:00:00+02:00', %d, 7200, 0, %d, %d, 'full', %Q, '0.1.0', 1, '',"
                 " 'abc', NULL)",
                 run_id, variant, SYNTHETIC_START_UNIX_S, duration_s, simulated_s, status);
}

static inline void synthetic_resource(sqlite3 *database, int id, const char *table,
                                      const char *index) {
    synthetic_do(database, "INSERT INTO resource VALUES(1, %d, %Q, %Q, %Q, 'arn')", id,
                 index ? "index" : "table", table, index);
}

static inline void synthetic_setting(sqlite3 *database, const char *path, const char *value) {
    synthetic_do(database, "INSERT INTO setting VALUES(1, %Q, %Q)", path, value);
}

static inline void synthetic_option(sqlite3 *database, const char *path, const char *value) {
    synthetic_do(database, "INSERT INTO varied VALUES(1, %Q, %Q, 1)", path, value);
}

static inline void synthetic_event(sqlite3 *database, int id, int t_s, const char *kind,
                                   int resource_id, const char *detail) {
    synthetic_do(database,
                 "INSERT INTO event VALUES(1, %d, %d * 1000000000, %Q, nullif(%d, 0), NULL, %Q)",
                 id, t_s, kind, resource_id, detail);
}

/*
 * Writes to one table (resource 1) with one index (resource 2). The load steps from before to after
 * at load_s, the item at change_s; from refused_s to refused_to_s what passes is accepted_per_s and
 * the rest is refused for `reason` on refused_resource. The item's units are the table's cost,
 * times `ratio` the index's. Of each refusal `retries` more attempts follow, all refused; `quota`
 * refuses the retries of that share of refusals instead.
 */
struct synthetic {
    const char *table, *index, *workload, *reason;
    int duration_s, load_s, change_s, refused_s, refused_to_s, refused_resource;
    double load_before, load_after, item_before, item_after, ratio, accepted_per_s;
    double table_capacity, index_capacity, retries, quota;
};

struct synthetic_sum {
    int64_t requests, attempts, succeeded, failed, retries, throttled, refused_retries;
    double units;
};

/* How many whole things a rate has made by the end of second t, beyond those before it. */
static inline int64_t synthetic_whole(double *carry, double rate) {
    *carry += rate;
    int64_t whole = (int64_t)floor(*carry + 1e-9);
    *carry -= (double)whole;
    return whole;
}

static inline void synthetic_resource_second(sqlite3 *database, int id, int t_s, double units,
                                             double demand, double limit, int64_t throttled,
                                             double tokens) {
    synthetic_do(
        database,
        "INSERT INTO second VALUES(1, %d, %d, 1, 0, %.17g, 0, %.17g, 60, %.17g, 0, %lld, 18000,"
        " %.17g, 0)",
        id, t_s, units, demand, limit, (long long)throttled, tokens);
}

static inline void synthetic_metric(sqlite3 *database, int id, const char *name, int t_s,
                                    double sum, int64_t samples) {
    synthetic_do(database,
                 "INSERT INTO metric(run_id, resource_id, name, operation, period_s, t_s, sum,"
                 " sample_count, minimum, maximum, unit) VALUES(1, %d, %Q, %Q, 60, %d, %.17g, %lld,"
                 " %.17g, %.17g, 'Count')",
                 id, name, strstr(name, "Latency") ? "UpdateItem" : "", t_s, sum,
                 (long long)samples, sum / (double)samples, sum / (double)samples);
}

/* One second of it. */
struct synthetic_now {
    int t_s;
    int64_t requests, passed, refused, retries, given_up;
    double item;
};

struct synthetic_carry {
    double arrive, accept, again, quota;
};

static inline struct synthetic_now synthetic_second(const struct synthetic *s, int t_s,
                                                    struct synthetic_carry *carry) {
    struct synthetic_now now = {.t_s = t_s};
    bool refusing = t_s >= s->refused_s && t_s < s->refused_to_s;
    now.item = t_s < s->change_s ? s->item_before : s->item_after;
    now.requests =
        synthetic_whole(&carry->arrive, t_s < s->load_s ? s->load_before : s->load_after);
    now.passed = refusing ? synthetic_whole(&carry->accept, s->accepted_per_s) : now.requests;
    if (now.passed > now.requests) now.passed = now.requests;
    now.refused = now.requests - now.passed;
    now.given_up = synthetic_whole(&carry->quota, (double)now.refused * s->quota);
    now.retries = synthetic_whole(&carry->again, (double)(now.refused - now.given_up) * s->retries);
    return now;
}

static inline void synthetic_store(sqlite3 *database, const struct synthetic *s,
                                   const struct synthetic_now *now) {
    long long n = now->requests, retries = now->retries, throttled = now->refused + now->retries;
    bool on_index = s->refused_resource == 2, dry = now->refused > 0;
    double asked = (double)(n + retries) * now->item, served = (double)now->passed * now->item;
    synthetic_do(
        database,
        "INSERT INTO workload_second VALUES(1, %Q, %d, 1, %lld, %lld, %lld, %lld, %lld, %lld,"
        " 0, %lld, NULL, NULL, 500, NULL, 0)",
        s->workload, now->t_s, n, n + retries, (long long)now->passed, (long long)now->refused,
        retries, throttled, (long long)now->given_up);
    synthetic_resource_second(database, 1, now->t_s, served, asked, s->table_capacity,
                              on_index ? 0 : throttled, dry && !on_index ? 0 : 30000);
    if (s->index)
        synthetic_resource_second(database, 2, now->t_s, served * s->ratio, asked * s->ratio,
                                  s->index_capacity, on_index ? throttled : 0,
                                  dry && on_index ? 0 : 20000);
    if (throttled > 0)
        synthetic_do(database,
                     "INSERT INTO throttle VALUES(1, %d, %Q, %Q, 'UpdateItem', %d, 1, %lld, %lld)",
                     s->refused_resource, s->reason, s->workload, now->t_s, throttled, throttled);
}

static inline void synthetic_minute(sqlite3 *database, const struct synthetic *s, int t_s,
                                    double units, int64_t samples) {
    if (samples == 0) return;
    synthetic_metric(database, 1, "ConsumedWriteCapacityUnits", t_s, units, samples);
    synthetic_metric(database, 1, "SuccessfulRequestLatency", t_s, 5.1 * (double)samples, samples);
    if (s->index)
        synthetic_metric(database, 2, "ConsumedWriteCapacityUnits", t_s, units * s->ratio, samples);
}

static inline void synthetic_total(sqlite3 *database, const struct synthetic *s,
                                   const struct synthetic_sum *sum) {
    synthetic_do(
        database,
        "INSERT INTO workload_total VALUES(1, %Q, %Q, 'UpdateItem', %lld, %lld, %lld, %lld,"
        " %lld, %lld, %.17g, 0)",
        s->workload, s->table, (long long)sum->requests, (long long)sum->attempts,
        (long long)sum->succeeded, (long long)sum->failed, (long long)sum->retries,
        (long long)sum->throttled, sum->units);
}

static inline struct synthetic_sum synthetic_fill(sqlite3 *database, const struct synthetic *s) {
    struct synthetic_sum sum = {0};
    struct synthetic_carry carry = {0};
    double units = 0;
    int64_t samples = 0;
    synthetic_do(database, "BEGIN");
    for (int t = 0; t < s->duration_s; t++) {
        struct synthetic_now now = synthetic_second(s, t, &carry);
        synthetic_store(database, s, &now);
        units += (double)now.passed * now.item;
        samples += now.passed;
        sum.units += (double)now.passed * now.item;
        sum.requests += now.requests;
        sum.attempts += now.requests + now.retries;
        sum.succeeded += now.passed;
        sum.failed += now.refused;
        sum.retries += now.retries;
        sum.throttled += now.refused + now.retries;
        sum.refused_retries += now.given_up;
        if (t % 60 != 59) continue;
        synthetic_minute(database, s, t - 59, units, samples);
        units = 0;
        samples = 0;
    }
    synthetic_total(database, s, &sum);
    synthetic_do(database, "COMMIT");
    return sum;
}

#endif
