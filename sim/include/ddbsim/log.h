/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The result database: its tables as rows, the sink that takes them, and how a finished database is
 * opened. The column list behind it (record/schema.c) makes the SQL, the inserts, the digest and
 * docs/log.md; here stand the names that producers and readers share.
 */
#ifndef DDBSIM_LOG_H
#define DDBSIM_LOG_H

#include <stddef.h>
#include <stdint.h>
#include <ddbsim/error.h>

#define DDBSIM_LOG_APPLICATION_ID 0x64647331 /* "dds1" */
#define DDBSIM_LOG_VERSION 1

/* X(enumerator, SQL name) */
#define DDBSIM_LOG_TABLES(X)                \
    X(STUDY, "study")                       \
    X(RUN, "run")                           \
    X(VARIED, "varied")                     \
    X(SETTING, "setting")                   \
    X(RESOURCE, "resource")                 \
    X(METRIC, "metric")                     \
    X(ALARM_SAMPLE, "alarm_sample")         \
    X(SECOND, "second")                     \
    X(WORKLOAD_SECOND, "workload_second")   \
    X(THROTTLE, "throttle")                 \
    X(PARTITION, "partition")               \
    X(PARTITION_SAMPLE, "partition_sample") \
    X(EVENT, "event")                       \
    X(WORKLOAD_TOTAL, "workload_total")     \
    X(BATCH_SECOND, "batch_second")         \
    X(STORAGE, "storage")                   \
    X(LATENCY, "latency")                   \
    X(TOP_KEY, "top_key")                   \
    X(REQUEST, "request")                   \
    X(RECORDING, "recording")               \
    X(COST, "cost")                         \
    X(OUTCOME, "outcome")                   \
    X(VERDICT, "verdict")                   \
    X(ESTIMATE, "estimate")

enum ddbsim_log_table {
#define X(e, name) DDBSIM_LOG_##e,
    DDBSIM_LOG_TABLES(X)
#undef X
        DDBSIM_LOG_TABLE_KINDS
};

enum ddbsim_value_type {
    DDBSIM_VALUE_NULL,
    DDBSIM_VALUE_INTEGER,
    DDBSIM_VALUE_REAL,
    DDBSIM_VALUE_TEXT
};

struct ddbsim_value {
    enum ddbsim_value_type type;
    union {
        int64_t integer;
        double real;
        const char *text; /* copied by the sink before it returns */
    } as;
};

static inline struct ddbsim_value ddbsim_null(void) {
    return (struct ddbsim_value){.type = DDBSIM_VALUE_NULL};
}
static inline struct ddbsim_value ddbsim_integer(int64_t value) {
    return (struct ddbsim_value){.type = DDBSIM_VALUE_INTEGER, .as.integer = value};
}
static inline struct ddbsim_value ddbsim_real(double value) {
    return (struct ddbsim_value){.type = DDBSIM_VALUE_REAL, .as.real = value};
}
static inline struct ddbsim_value ddbsim_text(const char *value) {
    if (!value) return ddbsim_null();
    return (struct ddbsim_value){.type = DDBSIM_VALUE_TEXT, .as.text = value};
}

/*
 * Takes a run's rows. Values come in the table's column order without its run_id, which the sink knows.
 * Rows of one series (all key columns but the last alike) come in increasing key order. A sink that
 * fails remembers it; the run asks between events.
 */
struct ddbsim_sink {
    void *self;
    void (*row)(void *self, enum ddbsim_log_table table, const struct ddbsim_value *values,
                size_t count);
};

struct sqlite3;

/*
 * Opens a result database for reading. DDBSIM_INPUT, with a message that says which, for: no such file,
 * a directory, not SQLite, another program's database, a newer version, a truncated file, a `.part` that
 * a killed run left, a run still marked `running`, something else in the place of one of its tables.
 * A statement of the connection that takes far more work than the file is worth ends with SQLite's
 * SQLITE_INTERRUPT: a forged database keeps nobody busy for ever. To lift that,
 * sqlite3_progress_handler(database, 0, NULL, NULL).
 */
DDBSIM_API DDBSIM_MUST_CHECK enum ddbsim_status
ddbsim_log_open(const char *path, struct sqlite3 **out, struct ddbsim_error *error);
DDBSIM_API void ddbsim_log_close(struct sqlite3 *database);
/* True when the file's content, not its name, is SQLite's: tells a database from a scenario. */
DDBSIM_API int ddbsim_log_is_database(const char *path);

#endif
