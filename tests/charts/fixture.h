/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Result databases made in code, for pictures: written through the log's own writer, into memory.
 * fixture_friday is an index that lacks capacity under a calm table; the others are corners.
 */
#ifndef TESTS_CHARTS_FIXTURE_H
#define TESTS_CHARTS_FIXTURE_H

#include <base/types.h>
#include <ddbsim/log.h>
#include <record/writer.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct fixture {
    struct log_writer *writer;
    struct ddbsim_sink sink;
    struct sqlite3 *database;
    int64_t run_id;
    uint32_t noise;
    int64_t events;
    const char *reason; /* of what fixture_second refuses */
};

#define FIXTURE_START_S INT64_C(1790351100) /* 2026-09-25 17:45 +02:00 */
#define FIXTURE_MOST_COLUMNS 24

static inline void fixture_begin(struct fixture *fixture, const char *scenario, const char *variant,
                                 int64_t duration_s) {
    struct log_run run = {.study_id = 1,
                          .scenario = scenario,
                          .title = scenario,
                          .variant = variant,
                          .start = "2026-09-25T17:45:00+02:00",
                          .detail = "full",
                          .scenario_text = "",
                          .input_hash = "3fa9c2d1e0b47a5566778899aabbccdd",
                          .version = "0.1.0",
                          .seed = 7,
                          .start_unix_s = FIXTURE_START_S,
                          .utc_offset_s = 7200,
                          .duration_s = duration_s,
                          .model_version = 1};
    memset(fixture, 0, sizeof *fixture);
    fixture->noise = 1;
    fixture->reason = "IndexWriteProvisionedThroughputExceeded";
    if (log_writer_create(NULL, false, &fixture->writer, NULL) != DDBSIM_OK) return;
    const struct ddbsim_value study[] = {ddbsim_integer(1), ddbsim_text("run"),
                                         ddbsim_text("ddbsim run"), ddbsim_real(0.95)};
    log_writer_row(fixture->writer, DDBSIM_LOG_STUDY, study, 4);
    fixture->run_id = log_writer_begin_run(fixture->writer, &run, &fixture->sink);
}

static inline int fixture_end(struct fixture *fixture, const char *status, double simulated_s) {
    char digest[33];
    struct ddbsim_error error = {0};
    log_writer_end_run(fixture->writer, status, simulated_s, digest);
    if (log_writer_finish(fixture->writer, &error) != DDBSIM_OK) {
        fprintf(stderr, "fixture: %s\n", error.message);
        return -1;
    }
    fixture->database = log_writer_database(fixture->writer);
    return 0;
}

static inline void fixture_free(struct fixture *fixture) { log_writer_abandon(fixture->writer); }

/* A row by letters: i int64_t, d double, t text (NULL is null), n null. */
static inline void fixture_row(struct fixture *fixture, enum ddbsim_log_table table,
                               const char *types, ...) {
    struct ddbsim_value values[FIXTURE_MOST_COLUMNS];
    size_t count = strlen(types);
    va_list arguments;
    va_start(arguments, types);
    for (size_t i = 0; i < count && i < FIXTURE_MOST_COLUMNS; i++)
        values[i] = types[i] == 'i'   ? ddbsim_integer(va_arg(arguments, int64_t))
                    : types[i] == 'd' ? ddbsim_real(va_arg(arguments, double))
                    : types[i] == 't' ? ddbsim_text(va_arg(arguments, const char *))
                                      : ddbsim_null();
    va_end(arguments);
    fixture->sink.row(fixture->sink.self, table, values, count);
}

static inline void fixture_resource(struct fixture *fixture, int64_t id, const char *table,
                                    const char *index) {
    fixture_row(fixture, DDBSIM_LOG_RESOURCE, "itttt", id, index ? "index" : "table", table, index,
                "arn");
}

/* One of `count` equal ranges of the key space. */
static inline void fixture_partition(struct fixture *fixture, int64_t id, int64_t resource_id,
                                     int64_t parent_id, int64_t number, int64_t count,
                                     int64_t created_s) {
    char low[40], high[40];
    uint64_t begin = (uint64_t)(((uint128)number << 64) / (uint128)count);
    uint64_t end = (uint64_t)((((uint128)number + 1) << 64) / (uint128)count - 1);
    snprintf(low, sizeof low, "%016llx0000000000000000", (unsigned long long)begin);
    snprintf(high, sizeof high, "%016llxffffffffffffffff", (unsigned long long)end);
    if (parent_id < 0)
        fixture_row(fixture, DDBSIM_LOG_PARTITION, "iinttint", id, resource_id, low, high,
                    created_s * INT64_C(1000000000), "initial");
    else
        fixture_row(fixture, DDBSIM_LOG_PARTITION, "iiittint", id, resource_id, parent_id, low,
                    high, created_s * INT64_C(1000000000), "heat");
}

static inline void fixture_event(struct fixture *fixture, int64_t t_s, const char *kind,
                                 int64_t resource_id, const char *detail) {
    fixture_row(fixture, DDBSIM_LOG_EVENT, "iitint", fixture->events++, t_s * INT64_C(1000000000),
                kind, resource_id, detail);
}

/* 0 .. 1, the same on every machine. */
static inline double fixture_noise(struct fixture *fixture) {
    fixture->noise = fixture->noise * 1664525u + 1013904223u;
    return (fixture->noise >> 8) / (double)(1 << 24);
}

static inline void fixture_second(struct fixture *fixture, int64_t resource_id, int64_t t_s,
                                  double writes, double limit, double tokens, int64_t throttled) {
    fixture_row(fixture, DDBSIM_LOG_SECOND, "iiiddddndiindd", resource_id, t_s, (int64_t)1, 0.0,
                writes, 0.0, writes + (double)throttled, limit, (int64_t)0, throttled, tokens, 0.0);
    if (throttled > 0)
        fixture_row(fixture, DDBSIM_LOG_THROTTLE, "itttiiii", resource_id, fixture->reason,
                    "guardar", "UpdateItem", t_s, (int64_t)1, throttled, throttled);
}

static inline void fixture_sample(struct fixture *fixture, int64_t partition_id, int64_t t_s,
                                  int64_t period_s, double writes, int64_t throttled) {
    fixture_row(fixture, DDBSIM_LOG_PARTITION_SAMPLE, "iiiddiiii", partition_id, t_s, period_s, 0.0,
                writes, (int64_t)0, throttled, (int64_t)100, (int64_t)100000);
}

#define FRIDAY_BEGIN_S 1920 /* 18:17 */
#define FRIDAY_END_S 4500   /* 19:00 */
#define FRIDAY_PARTITIONS 8

static inline double friday_load(int64_t t_s) {
    if (t_s < 1500) return 52 + (double)t_s / 60;
    return t_s < FRIDAY_BEGIN_S ? 120 : t_s < FRIDAY_END_S ? 100 : 64;
}

static inline void friday_index(struct fixture *fixture) {
    double tokens = 30000;
    for (int64_t t = 0; t < 5400; t++) {
        bool burning = t >= FRIDAY_BEGIN_S && t < FRIDAY_END_S;
        double load = friday_load(t) * (burning ? 1 : 0.7 + 0.6 * fixture_noise(fixture));
        tokens += 100 - load - (t >= 1500 && t < FRIDAY_BEGIN_S ? 52 : 0);
        if (tokens > 30000) tokens = 30000;
        if (tokens < 0 || burning) tokens = burning ? 3 * fixture_noise(fixture) : 0;
        int64_t refused = burning ? (int64_t)(1 + 4 * fixture_noise(fixture)) : 0;
        fixture_second(fixture, 2, t, load, 100, tokens, refused);
    }
}

static inline void friday_samples(struct fixture *fixture) {
    for (int64_t t = 0; t < 5400; t += 10) {
        for (int64_t p = 0; p < FRIDAY_PARTITIONS; p++)
            fixture_sample(fixture, p, t, 10, (15 + 20 * fixture_noise(fixture)) * 10, 0);
        fixture_sample(fixture, 100, t, 10, friday_load(t) * 10, 0);
    }
}

/* One evaluation a minute, from a minute's datapoint; the state changes for good at rings_s (-1: never), as
 * it is known three minutes after. Of every `gap`th minute there is no datapoint (0: of each there is). */
static inline void fixture_alarm(struct fixture *fixture, const char *name, double value,
                                 double above, double threshold, int64_t breach_s, int64_t rings_s,
                                 int64_t gap, int64_t duration_s) {
    char detail[300];
    for (int64_t t = 0; t + 180 <= duration_s; t += 60) {
        const char *state = rings_s >= 0 && t + 180 >= rings_s ? "ALARM" : "OK";
        if (gap > 0 && t / 60 % gap == 0)
            fixture_row(fixture, DDBSIM_LOG_ALARM_SAMPLE, "tindt", name, t, threshold, state);
        else
            fixture_row(fixture, DDBSIM_LOG_ALARM_SAMPLE, "tiddt", name, t,
                        t >= breach_s ? above : value, threshold, state);
    }
    if (rings_s < 0) return;
    snprintf(detail, sizeof detail, "{\"alarm\":\"%s\",\"from\":\"OK\",\"to\":\"ALARM\"}", name);
    fixture_event(fixture, rings_s, "alarm", 1, detail);
}

static inline void fixture_looks_at(struct fixture *fixture, const char *name, const char *table,
                                    const char *index, const char *metric) {
    const char *const keys[] = {"comparison", "index", "metric", "table"};
    const char *const values[] = {">", index, metric, table};
    char path[300];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "alarms.%s.%s", name, keys[i]);
        if (values[i]) fixture_row(fixture, DDBSIM_LOG_SETTING, "tt", path, values[i]);
    }
}

#define CONSUMED "ConsumedWriteCapacityUnits"

/* The index's alarm rings at 18:12, five minutes before the first refusal; the others after it or never. */
static inline void friday_alarms(struct fixture *fixture) {
    fixture_looks_at(fixture, "index above 80 %", "carritos", "gsi-estado-fecha", CONSUMED);
    fixture_looks_at(fixture, "table above 80 %", "carritos", NULL, CONSUMED);
    fixture_looks_at(fixture, "throttled requests", "carritos", NULL, "ThrottledRequests");
    fixture_looks_at(fixture, "user errors", NULL, NULL, "UserErrors");
    /* in the order of the log: by name */
    fixture_alarm(fixture, "TargetTracking-table/carritos-AlarmHigh-write", 12000, 13000, 16800,
                  1440, -1, 0, 5400);
    fixture_alarm(fixture, "index above 80 %", 3600, 7200, 4800, 1440, 1620, 7, 5400);
    fixture_alarm(fixture, "table above 80 %", 12000, 13000, 19200, 1440, -1, 0, 5400);
    fixture_alarm(fixture, "throttled requests", 0, 180, 0, 1920, 2100, 2, 5400);
    fixture_alarm(fixture, "user errors", 0, 0, 0, 0, -1, 1, 5400);
}

/* An index of 100 units that burns from 18:17 to 19:00 under a table that has capacity to spare. */
static inline int fixture_friday(struct fixture *fixture) {
    fixture_begin(fixture, "friday-gsi", "base", 5400);
    if (!fixture->writer) return -1;
    fixture_resource(fixture, 1, "carritos", NULL);
    fixture_resource(fixture, 2, "carritos", "gsi-estado-fecha");
    for (int64_t p = 0; p < FRIDAY_PARTITIONS; p++)
        fixture_partition(fixture, p, 1, -1, p, FRIDAY_PARTITIONS, 0);
    fixture_partition(fixture, 100, 2, -1, 0, 1, 0);
    for (int64_t t = 0; t < 5400; t++)
        fixture_second(fixture, 1, t, 170 + 60 * fixture_noise(fixture), 400, 120000, 0);
    friday_index(fixture);
    friday_samples(fixture);
    friday_alarms(fixture);
    return fixture_end(fixture, "complete", 5400);
}

/* Two partitions; the second divides at 10 min, its upper half again at 20 min. */
static inline int fixture_splits(struct fixture *fixture) {
    fixture_begin(fixture, "hot-key", "base", 2400);
    if (!fixture->writer) return -1;
    fixture->reason = "TableWriteKeyRangeThroughputExceeded";
    fixture_resource(fixture, 1, "pedidos", NULL);
    fixture_partition(fixture, 1, 1, -1, 0, 2, 0);
    fixture_partition(fixture, 2, 1, -1, 1, 2, 0);
    fixture_partition(fixture, 3, 1, 2, 2, 4, 600);
    fixture_partition(fixture, 4, 1, 2, 3, 4, 600);
    fixture_partition(fixture, 5, 1, 4, 6, 8, 1200);
    fixture_partition(fixture, 6, 1, 4, 7, 8, 1200);
    for (int64_t t = 0; t < 2400; t++)
        fixture_second(fixture, 1, t, 1200, 4000, 500000, t < 1200 ? 40 : 0);
    for (int64_t t = 0; t < 2400; t += 10) {
        fixture_sample(fixture, 1, t, 10, 2000, 0);
        if (t < 600) fixture_sample(fixture, 2, t, 10, 10000, 400);
        if (t >= 600) fixture_sample(fixture, 3, t, 10, 3000, 0);
        if (t >= 600 && t < 1200) fixture_sample(fixture, 4, t, 10, 9900, 400);
        if (t >= 1200) fixture_sample(fixture, 5, t, 10, 5000, 0);
        if (t >= 1200) fixture_sample(fixture, 6, t, 10, 6000, 0);
    }
    return fixture_end(fixture, "complete", 2400);
}

/* The n-th cut inside the collection of one partition key; 0 and -1 are the ends of its partition. */
static inline void climb_cut(int64_t n, bool below, char out[40]) {
    uint64_t sort = (uint64_t)n << 48;
    if (n > 0)
        snprintf(out, 40, "%016llx%016llx", 0x6000000000000000ULL,
                 (unsigned long long)(below ? sort - 1 : sort));
    else
        snprintf(out, 40, "%016llx%s", n == 0 ? 0x5555555555555555ULL : 0xaaaaaaaaaaaaaaa9ULL,
                 n == 0 ? "0000000000000000" : "ffffffffffffffff");
}

static inline void climb_split(struct fixture *fixture, int64_t n, int64_t parent, int64_t at_s) {
    char low[40], high[40];
    const char *cause = n == 2 ? "size" : n == 3 ? "capacity" : "heat";
    for (int upper = 0; upper < 2; upper++) {
        climb_cut(upper ? n : n - 1, false, low);
        climb_cut(upper ? -1 : n, !upper, high);
        fixture_row(fixture, DDBSIM_LOG_PARTITION, "iiittint", 2 + 2 * n + upper, (int64_t)1,
                    parent, low, high, at_s * INT64_C(1000000000), cause);
    }
}

/* Three partitions. In the second is a collection that splits again and again: each minute its upper
 * part, which is hot until then. One of the lower parts is refused a split. */
static inline int fixture_climb(struct fixture *fixture, int64_t splits) {
    int64_t end_s = 60 * (splits + 3);
    fixture_begin(fixture, "climb", "base", end_s);
    if (!fixture->writer) return -1;
    fixture->reason = "TableWriteKeyRangeThroughputExceeded";
    fixture_resource(fixture, 1, "eventos", NULL);
    for (int64_t p = 0; p < 3; p++)
        fixture_partition(fixture, p + 1, 1, -1, p, 3, 0);
    for (int64_t n = 1; n <= splits; n++)
        climb_split(fixture, n, n == 1 ? 2 : 1 + 2 * n, 60 * n);
    for (int64_t t = 0; t < end_s; t += 10) {
        int64_t done = t / 60 < splits ? t / 60 : splits;
        for (int64_t n = 1; n <= done; n++)
            fixture_sample(fixture, 2 + 2 * n, t, 10, 2000 + 6000 * fixture_noise(fixture), 0);
        fixture_sample(fixture, done == 0 ? 2 : 3 + 2 * done, t, 10, 10000, done < splits ? 30 : 0);
    }
    for (int64_t t = 0; t < end_s; t++)
        fixture_second(fixture, 1, t, 2000, 40000, 500000, t < 60 * splits ? 3 : 0);
    fixture_row(fixture, DDBSIM_LOG_EVENT, "iitiit", (int64_t)1, INT64_C(200000000000),
                "split_refused", (int64_t)1, (int64_t)4, "{\"reason\":\"sequential\"}");
    return fixture_end(fixture, "complete", (double)end_s);
}

/* Ten partitions loaded alike under a capacity of 200, all refusals for a key range and none of a single
 * partition's: settings say what it is. */
static inline int fixture_alike(struct fixture *fixture, const char *path, const char *value) {
    fixture_begin(fixture, "alike", "base", 600);
    if (!fixture->writer) return -1;
    fixture->reason = "TableWriteKeyRangeThroughputExceeded";
    fixture_row(fixture, DDBSIM_LOG_SETTING, "tt", path, value);
    fixture_resource(fixture, 1, "facturas", NULL);
    for (int64_t p = 0; p < 10; p++)
        fixture_partition(fixture, p, 1, -1, p, 10, 0);
    for (int64_t t = 0; t < 600; t++)
        fixture_second(fixture, 1, t, 180, 200, 0, t < 300 ? 8 : 0);
    for (int64_t t = 0; t < 600; t += 10)
        for (int64_t p = 0; p < 10; p++)
            fixture_sample(fixture, p, t, 10, 180, 0);
    return fixture_end(fixture, "complete", 600);
}

#define CLASS_HOT 2 /* of four partitions, from 0 */

/* An index with capacity for all, but one of its partitions at its own limit from 2 min on; the log
 * counts such refusals at the index, not at the partition. The last minute lacks capacity. Two
 * settings are not the scenario's. */
static inline int fixture_class(struct fixture *fixture) {
    fixture_begin(fixture, "class", "base", 600);
    if (!fixture->writer) return -1;
    fixture_row(fixture, DDBSIM_LOG_VARIED, "tti",
                "tables.votes.indexes.\"by.country\".write_capacity", "4000", (int64_t)1);
    fixture_row(fixture, DDBSIM_LOG_VARIED, "tti", "workloads.class.rate", "2500/s", (int64_t)1);
    fixture_resource(fixture, 1, "votes", NULL);
    fixture_resource(fixture, 2, "votes", "by.country");
    fixture_partition(fixture, 1, 1, -1, 0, 1, 0);
    for (int64_t p = 0; p < 4; p++)
        fixture_partition(fixture, 10 + p, 2, -1, p, 4, 0);
    for (int64_t t = 0; t < 600; t++) {
        bool hot = t >= 120, short_of = t >= 540;
        fixture->reason = short_of ? "IndexWriteProvisionedThroughputExceeded"
                                   : "IndexWriteKeyRangeThroughputExceeded";
        fixture_second(fixture, 1, t, 1300, 4000, 1200000, 0);
        fixture_second(fixture, 2, t, 1300, 4000, 1100000, hot ? 20 : 0);
    }
    for (int64_t t = 0; t < 600; t += 10) {
        fixture_sample(fixture, 1, t, 10, 13000, 0);
        for (int64_t p = 0; p < 4; p++)
            fixture_sample(fixture, 10 + p, t, 10, p == CLASS_HOT ? 10000 : 1000, 0);
    }
    return fixture_end(fixture, "complete", 600);
}

/* A table whose saved burst runs out at 10 and at 15 min and refuses from the second time on. */
static inline int fixture_twice(struct fixture *fixture) {
    fixture_begin(fixture, "twice", "small", 1800);
    if (!fixture->writer) return -1;
    fixture_row(fixture, DDBSIM_LOG_VARIED, "tti", "tables.cuentas.write_capacity", "100",
                (int64_t)1);
    fixture->reason = "TableWriteProvisionedThroughputExceeded";
    fixture_resource(fixture, 1, "cuentas", NULL);
    fixture_partition(fixture, 1, 1, -1, 0, 1, 0);
    for (int64_t t = 0; t < 1800; t++) {
        bool empty = t == 600 || t >= 900;
        double tokens = empty ? 0 : t < 600 ? 30000 - 50 * (double)t : 50 * (double)(t - 600);
        fixture_second(fixture, 1, t, t < 600 ? 150 : 100, 100, tokens, t > 900 ? 5 : 0);
    }
    return fixture_end(fixture, "complete", 1800);
}

/* A table of 85 units that auto scaling raises at 10:00 minutes, two after the first refusal; a policy whose
 * minimum was set, and a decrease that AWS refused. */
static inline int fixture_scaled(struct fixture *fixture) {
    fixture_begin(fixture, "scaled", "base", 1800);
    if (!fixture->writer) return -1;
    fixture->reason = "TableWriteProvisionedThroughputExceeded";
    fixture_resource(fixture, 1, "pedidos", NULL);
    fixture_partition(fixture, 1, 1, -1, 0, 1, 0);
    for (int64_t t = 0; t < 1800; t++) {
        bool refused = t >= 480 && t < 600;
        double load = t < 300 ? 58 : refused ? 85 : 226;
        fixture_second(fixture, 1, t, load, t < 600 ? 85 : 323, refused ? 0 : 20000,
                       refused ? 47 : 0);
    }
    fixture_event(fixture, 60, "scale_bounds", 1,
                  "{\"direction\":\"write\",\"min\":80,\"max\":400}");
    fixture_event(fixture, 120, "change_refused", 1, "{\"error\":\"LimitExceededException\"}");
    fixture_event(fixture, 540, "scale_out", 1,
                  "{\"direction\":\"write\",\"from\":85,\"to\":323,\"by\":\"target_tracking\"}");
    fixture_event(fixture, 600, "capacity_changed", 1,
                  "{\"direction\":\"write\",\"from\":85,\"to\":323}");
    fixture_event(fixture, 1500, "scale_in", 1,
                  "{\"direction\":\"write\",\"from\":323,\"to\":100,\"by\":\"target_tracking\"}");
    fixture_alarm(fixture, "TargetTracking-table/pedidos-AlarmHigh-write", 3480, 13560, 3570, 300,
                  540, 0, 1800);
    return fixture_end(fixture, "complete", 1800);
}

/* Many partitions over a day, a few of them hot. */
static inline int fixture_many(struct fixture *fixture, int64_t partitions) {
    fixture_begin(fixture, "black-friday", "on-demand", 86400);
    if (!fixture->writer) return -1;
    fixture->reason = "TableWriteKeyRangeThroughputExceeded";
    fixture_resource(fixture, 1, "catalogo", NULL);
    for (int64_t p = 0; p < partitions; p++)
        fixture_partition(fixture, p, 1, -1, p, partitions, 0);
    for (int64_t t = 0; t < 86400; t += 1800) {
        double day = t < 43200 ? (double)t / 43200 : (double)(86400 - t) / 43200;
        bool hot = t > 40000 && t < 52000;
        fixture_second(fixture, 1, t, 300000 * day, 3000000, 9e8, hot ? 700 : 0);
        for (int64_t p = 0; p < partitions; p++)
            fixture_sample(fixture, p, t, 1800,
                           p % 997 == 401 && hot ? 1800000 : 720000 * day * fixture_noise(fixture),
                           p % 997 == 401 && hot ? 70 : 0);
    }
    return fixture_end(fixture, "complete", 86400);
}

/* A run of one resource and no rows. */
static inline int fixture_bare(struct fixture *fixture, const char *name, int64_t duration_s) {
    fixture_begin(fixture, name, "base", duration_s);
    if (!fixture->writer) return -1;
    fixture_resource(fixture, 1, name, NULL);
    return fixture_end(fixture, "complete", (double)duration_s);
}

/* Twenty indexes under names as long as AWS allows, and characters that break markup. */
static inline int fixture_hostile(struct fixture *fixture) {
    char name[256];
    fixture_begin(fixture, "<&\"'>\n\xff\xc3\x28 \xe6\x97\xa5\xe6\x9c\xac", "</title><b>&amp;",
                  600);
    if (!fixture->writer) return -1;
    fixture_resource(fixture, 1, "t<&\"a", NULL);
    for (int64_t i = 2; i <= 21; i++) {
        size_t used = (size_t)snprintf(name, sizeof name, "indice-%d-", (int)i);
        while (used < 250)
            used += (size_t)snprintf(name + used, sizeof name - used, "\xc3\xb1<&");
        fixture_resource(fixture, i, "t<&\"a", name);
    }
    for (int64_t i = 1; i <= 21; i++)
        fixture_partition(fixture, i, i, -1, 0, 1, 0);
    for (int64_t i = 1; i <= 21; i++)
        for (int64_t t = 0; t < 600; t++)
            fixture_second(fixture, i, t, 90, 100, 30000 - (double)t, i == 9 && t > 300);
    for (int i = 0; i < 60; i++) {
        snprintf(name, sizeof name, "</text>\xff & \xe6\x97\xa5 %02d", i);
        fixture_looks_at(fixture, name, "t<&\"a", NULL, "<metric>");
        fixture_alarm(fixture, name, 10, 1e17, i % 3 ? 40 : 0, 60 * i % 600, i % 2 ? 300 : -1, 3,
                      600);
    }
    return fixture_end(fixture, "interrupted", 450);
}

/* What an import of CloudWatch's minutes leaves: no seconds, no partitions. */
static inline int fixture_observed(struct fixture *fixture) {
    fixture_begin(fixture, "recording", "base", 7200);
    if (!fixture->writer) return -1;
    fixture_resource(fixture, 1, "carritos", NULL);
    const char *names[] = {"ConsumedWriteCapacityUnits", "ProvisionedWriteCapacityUnits",
                           "WriteThrottleEvents"};
    for (int n = 0; n < 3; n++)
        for (int64_t t = 0; t < 7200; t += 60) {
            double value = n == 0 ? 60.0 * (80 + 30 * fixture_noise(fixture)) : n == 1 ? 100 : 12;
            if (n == 2 && (t < 3000 || t > 3600)) continue;
            fixture_row(fixture, DDBSIM_LOG_METRIC, "itttiididdnnnt", (int64_t)1, names[n], "", "",
                        (int64_t)60, t, value, (int64_t)(n == 0 ? 60 : 1), value, value, "Count");
        }
    return fixture_end(fixture, "complete", 7200);
}

/* `families` partitions that each split in two, one after the other; noise everywhere. */
static inline int fixture_forest(struct fixture *fixture, int64_t families) {
    fixture_begin(fixture, "forest", "base", 3600);
    if (!fixture->writer) return -1;
    fixture->reason = "TableWriteKeyRangeThroughputExceeded";
    fixture_resource(fixture, 1, "bosque", NULL);
    for (int64_t p = 0; p < families; p++)
        fixture_partition(fixture, p, 1, -1, p, families, 0);
    for (int64_t p = 0; p < 2 * families; p++)
        fixture_partition(fixture, families + p, 1, p / 2, p, 2 * families,
                          600 + p / 2 * 2400 / families);
    for (int64_t t = 0; t < 3600; t++)
        fixture_second(fixture, 1, t, 5000, 2000000, 500000, 1);
    for (int64_t t = 0; t < 3600; t += 60)
        for (int64_t p = 0; p < 3 * families; p++) {
            int64_t split_s = 600 + (p < families ? p : (p - families) / 2) * 2400 / families;
            if ((p < families) == (t < split_s))
                fixture_sample(fixture, p, t, 60, 60000 * fixture_noise(fixture),
                               fixture_noise(fixture) < 0.5);
        }
    return fixture_end(fixture, "complete", 3600);
}

/* A table that is only read, under an idle index. */
static inline int fixture_reads(struct fixture *fixture) {
    fixture_begin(fixture, "reads", "base", 300);
    if (!fixture->writer) return -1;
    fixture_resource(fixture, 1, "catalogo", NULL);
    fixture_resource(fixture, 2, "catalogo", "por-fecha");
    fixture_partition(fixture, 1, 1, -1, 0, 1, 0);
    for (int64_t t = 0; t < 300; t++)
        fixture_row(fixture, DDBSIM_LOG_SECOND, "iiidddddniidnd", (int64_t)1, t, (int64_t)1,
                    40 + 20 * fixture_noise(fixture), 0.0, 50.0, 0.0, 100.0, (int64_t)0, (int64_t)0,
                    30000.0, 0.0);
    return fixture_end(fixture, "complete", 300);
}

#endif
