/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that reads a run, on forged rows. An input names a reader, then edits of a small valid
 * database: cells set to any value, rows deleted. They are made in one connection and undone, so that
 * an input costs what its reader costs; fast.c makes that little. The bytes of a file are fuzz_file.c's.
 */
/* libFuzzer: -detect_leaks=0 -max_len=512 -len_control=0 */
#include "database.h"

#include <record/guard.h>
#include <record/schema.h>

#define EDITS_MOST 16
#define ALL_READERS 0xff
#define ALL_ROWS 0xff

static sqlite3 *base;

static void close_base(void) { sqlite3_close(base); }

static void prepare(void) {
    struct ddbsim_error error = {0};
    size_t size;
    unsigned char *bytes = base_bytes(&size);
    base = open_bytes(bytes, size);
    sqlite3_free(bytes);
    execute(base, "PRAGMA ignore_check_constraints = ON");
    FUZZ_PROMISE(guard_create(base, (int64_t)size, &error) == DDBSIM_OK);
    atexit(close_base);
    make_scratch();
}

/* ---- edits ---- */

static void bind_value(sqlite3_stmt *statement, struct input *input) {
    static const double reals[] = {-1,     0.5,    1e308,      -1e308,      1e18,   -1e18,
                                   1e-300, 2.5e15, 1 / 1e-320, -1 / 1e-320, 9.3e18, 4294967296.5};
    static const int64_t integers[] = {INT64_MIN,  INT64_MAX,        INT32_MIN, INT32_MAX,
                                       UINT32_MAX, INT64_C(1) << 40, -1,        60};
    double real;
    uint64_t bits;
    size_t length;
    switch (take(input) % 8) {
    case 0:
        sqlite3_bind_null(statement, 1);
        return;
    case 1:
        sqlite3_bind_int64(statement, 1, (int8_t)take(input));
        return;
    case 2:
        sqlite3_bind_int64(statement, 1, (int64_t)take_wide(input, 8));
        return;
    case 3:
        bits = take_wide(input, 8);
        memcpy(&real, &bits, sizeof real);
        sqlite3_bind_double(statement, 1, real);
        return;
    case 4:
        sqlite3_bind_double(statement, 1, reals[take(input) % (sizeof reals / sizeof reals[0])]);
        return;
    case 5:
        sqlite3_bind_int64(statement, 1,
                           integers[take(input) % (sizeof integers / sizeof integers[0])]);
        return;
    default:
        length = take(input);
        if (length > input->left) length = input->left;
        sqlite3_bind_text(statement, 1, (const char *)input->at, (int)length, SQLITE_TRANSIENT);
        input->at += length;
        input->left -= length;
    }
}

static const struct schema_table *take_table(struct input *input) {
    return schema_table((enum ddbsim_log_table)(take(input) % DDBSIM_LOG_TABLE_KINDS));
}

static void add_keys(char *sql, size_t size, const struct schema_table *table) {
    const char *between = "";
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].key == 0 && !table->has_rowid) continue;
        size_t used = strlen(sql);
        snprintf(sql + used, size - used, "%s\"%s\"", between, table->columns[i].name);
        between = ",";
    }
}

/* The rows that an edit is about: one by its place (?2), or all. */
static void add_where(char *sql, size_t size, const struct schema_table *table) {
    char keys[256] = "";
    size_t used = strlen(sql);
    add_keys(keys, sizeof keys, table);
    snprintf(sql + used, size - used, " WHERE (%s) IN (SELECT %s FROM \"%s\" LIMIT 1 OFFSET ?2)",
             keys, keys, table->name);
}

static void run_edit(const char *sql, unsigned row, struct input *value) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(base, sql, -1, &statement, NULL) != SQLITE_OK) return;
    if (row != ALL_ROWS) sqlite3_bind_int64(statement, 2, (sqlite3_int64)row);
    if (value) bind_value(statement, value);
    (void)sqlite3_step(statement); /* a key that stands already: the edit is void */
    (void)sqlite3_finalize(statement);
}

static void edit_rows(struct input *input) {
    char sql[1024];
    bool update = take(input) % 16 > 0;
    const struct schema_table *table = take_table(input);
    unsigned row = take(input);
    if (update)
        snprintf(sql, sizeof sql, "UPDATE OR REPLACE \"%s\" SET \"%s\" = ?1", table->name,
                 table->columns[take(input) % table->column_count].name);
    else
        snprintf(sql, sizeof sql, "DELETE FROM \"%s\"", table->name);
    if (row != ALL_ROWS) add_where(sql, sizeof sql, table);
    run_edit(sql, row, update ? input : NULL);
}

/* ---- reading ---- */

static void read_base(unsigned choice) {
    struct ddbsim_error error = {0};
    int64_t run_id;
    unsigned readers = reader_count();
    enum ddbsim_status status = guard_check(base, &error);
    if (status == DDBSIM_OK) status = plots_find_run(base, NULL, &run_id, &error);
    fuzz_refused(status, &error);
    if (status != DDBSIM_OK) return;
    for (unsigned reader = 0; reader < readers; reader++)
        if (choice == ALL_READERS || choice % readers == reader)
            read_run(base, run_id, reader, choice / readers % 2 == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {.at = data, .left = size};
    if (!base) prepare();
    unsigned choice = take(&input);
    execute(base, "BEGIN");
    for (int i = 0; i < EDITS_MOST && input.left > 0; i++)
        edit_rows(&input);
    read_base(choice);
    execute(base, "ROLLBACK");
    return 0;
}
