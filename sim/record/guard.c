/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What keeps the reader of somebody else's database from harm, once SQLite has opened it. A few
 * kilobytes can ask for work without end: a view that recurses in the place of a table, a tree of
 * pages whose branches all lead to the same leaves. A table must therefore be a table, and a statement
 * may run so many instructions of SQLite's machine as a file of its size can be worth, and no more.
 * What explains and draws spends 0.1 instructions on a byte of the file (measured on the gallery).
 * Invariants: a statement that starts has the whole budget; a connection that closes frees it.
 */
#include <record/guard.h>

#include <base/check.h>
#include <base/error.h>
#include <record/schema.h>
#include <sqlite3.h>
#include <stdlib.h>

#define STEP 10000 /* instructions between two looks */
#define BUDGET_LEAST INT64_C(5000000)
#define BUDGET_PER_BYTE 5
#define VALUE_BYTES_MOST (64 << 20)

struct guard {
    int64_t budget, left; /* instructions a statement, and of the one that runs */
};

/* ---- bounds ---- */

static int look(void *context) {
    struct guard *guard = context;
    guard->left -= STEP;
    return guard->left < 0;
}

static int follow(unsigned kind, void *context, void *subject, void *detail) {
    struct guard *guard = context;
    (void)subject;
    (void)detail;
    if (kind == SQLITE_TRACE_STMT) guard->left = guard->budget;
    if (kind == SQLITE_TRACE_CLOSE) free(guard);
    return 0;
}

enum ddbsim_status guard_create(sqlite3 *database, int64_t file_bytes, struct ddbsim_error *error) {
    CHECK(database != NULL && file_bytes >= 0);
    struct guard *guard = malloc(sizeof *guard);
    if (!guard) return error_memory(error);
    bool vast = file_bytes > (INT64_MAX - BUDGET_LEAST) / BUDGET_PER_BYTE;
    guard->budget = vast ? INT64_MAX : BUDGET_LEAST + BUDGET_PER_BYTE * file_bytes;
    guard->left = guard->budget;
    sqlite3_progress_handler(database, STEP, look, guard);
    (void)sqlite3_trace_v2(database, SQLITE_TRACE_STMT | SQLITE_TRACE_CLOSE, follow, guard);
    (void)sqlite3_limit(database, SQLITE_LIMIT_LENGTH, VALUE_BYTES_MOST);
    return DDBSIM_OK;
}

/* ---- what a reader may rely on ---- */

enum ddbsim_status guard_failure(sqlite3 *database, struct ddbsim_error *error) {
    int code = sqlite3_errcode(database) & 0xff;
    if (code == SQLITE_INTERRUPT)
        return error_set(error, DDBSIM_INPUT,
                         "it is damaged: what it holds would take for ever to read");
    bool environment = code == SQLITE_NOMEM || code == SQLITE_IOERR || code == SQLITE_PERM ||
                       code == SQLITE_CANTOPEN || code == SQLITE_BUSY;
    return error_set(error, environment ? DDBSIM_ENVIRONMENT : DDBSIM_INPUT,
                     "it cannot be read: %s", sqlite3_errmsg(database));
}

static bool is_table_of_schema(const char *name) {
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++)
        if (sqlite3_stricmp(name, schema_table((enum ddbsim_log_table)i)->name) == 0) return true;
    return false;
}

/* SQLite itself writes a table's entry in just these words; a virtual table's differs. */
static enum ddbsim_status check_tables(sqlite3 *database, struct ddbsim_error *error) {
    sqlite3_stmt *statement = NULL;
    enum ddbsim_status status = DDBSIM_OK;
    int code = sqlite3_prepare_v2(database,
                                  "SELECT name FROM sqlite_schema WHERE type <> 'index'"
                                  " AND NOT (type = 'table' AND sql GLOB 'CREATE TABLE *')",
                                  -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    for (; status == DDBSIM_OK && code == SQLITE_ROW; code = sqlite3_step(statement)) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        if (name && is_table_of_schema(name))
            status = error_set(error, DDBSIM_INPUT, "it is damaged: its '%s' is not a table", name);
    }
    if (status == DDBSIM_OK && code != SQLITE_DONE) status = guard_failure(database, error);
    sqlite3_finalize(statement);
    return status;
}

/* Readers add times of day and multiply seconds: what no writer writes must not reach them. */
#define RUN_IS_DAMAGED                                                                  \
    "NOT (duration_s BETWEEN 0 AND 4000000000 AND simulated_s BETWEEN 0 AND 4000000000" \
    " AND start_unix_s BETWEEN 0 AND 253402300799 AND utc_offset_s BETWEEN -86400 AND 86400)"

static enum ddbsim_status fail_running(struct ddbsim_error *error) {
    error_set(error, DDBSIM_INPUT, "a run in it is still marked running: it never ended");
    error_hint(error, "run it again");
    return DDBSIM_INPUT;
}

/* Reads the schema and the runs: damage there shows, and so does a run that never ended. */
static enum ddbsim_status check_runs(sqlite3 *database, struct ddbsim_error *error) {
    sqlite3_stmt *statement = NULL;
    enum ddbsim_status status = DDBSIM_OK;
    int code = sqlite3_prepare_v2(
        database, "SELECT sum(status = 'running'), sum(" RUN_IS_DAMAGED ") FROM run", -1,
        &statement, NULL);
    if (code != SQLITE_OK || sqlite3_step(statement) != SQLITE_ROW)
        status = guard_failure(database, error);
    else if (sqlite3_column_int64(statement, 0) > 0)
        status = fail_running(error);
    else if (sqlite3_column_int64(statement, 1) > 0)
        status = error_set(error, DDBSIM_INPUT, "it is damaged: a run in it has impossible times");
    sqlite3_finalize(statement);
    return status;
}

enum ddbsim_status guard_check(sqlite3 *database, struct ddbsim_error *error) {
    CHECK(database != NULL);
    enum ddbsim_status status = check_tables(database, error);
    return status == DDBSIM_OK ? check_runs(database, error) : status;
}
