/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything that reads a result database, on a damaged or a forged one. The input is a list of edits
 * to a small valid database: cells set to any value, rows deleted, tables dropped, bytes of pages
 * overwritten, the end cut off. Structure survives most edits, so that they reach what reads rows.
 */
/* libFuzzer: -detect_leaks=0 -max_len=512 */
#include "fuzz.h"

#include <ddbsim/ddbsim.h>
#include <jansson.h>
#include <plots/canvas.h>
#include <plots/diagnosis.h>
#include <plots/plots.h>
#include <plots/summary.h>
#include <record/schema.h>
#include <sqlite3.h>
#include <study/study.h>
#include <support/small_scenario.h>
#include <unistd.h>

#define EDITS_MOST 16

/* ---- the valid database ---- */

static struct {
    unsigned char *bytes;
    size_t size;
} base;

static void execute(sqlite3 *database, const char *sql) {
    FUZZ_PROMISE(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK);
}

static sqlite3 *open_bytes(const unsigned char *bytes, size_t size) {
    sqlite3 *database;
    unsigned char *copy = sqlite3_malloc64(size);
    FUZZ_PROMISE(copy && sqlite3_open(":memory:", &database) == SQLITE_OK);
    memcpy(copy, bytes, size);
    FUZZ_PROMISE(sqlite3_deserialize(
                     database, "main", copy, (sqlite3_int64)size, (sqlite3_int64)size,
                     SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) == SQLITE_OK);
    return database;
}

/* Small pages, and tables that take any value: a forger is not bound by STRICT and NOT NULL. */
static void loosen(const unsigned char *bytes, size_t size) {
    sqlite3_int64 loose;
    sqlite3 *database = open_bytes(bytes, size);
    execute(database, "PRAGMA page_size = 1024; VACUUM; PRAGMA writable_schema = ON;"
                      "UPDATE sqlite_schema SET sql = replace(replace(replace(sql,"
                      " ' STRICT, WITHOUT', ' WITHOUT'), ' STRICT', ''), ' NOT NULL', '')"
                      " WHERE type = 'table'");
    base.bytes = sqlite3_serialize(database, "main", &loose, 0);
    FUZZ_PROMISE(base.bytes != NULL && loose > 0);
    base.size = (size_t)loose;
    sqlite3_close(database);
}

static void make_base(void) {
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario;
    struct log_writer *writer;
    struct study_run_result result;
    sqlite3_int64 size;
    FUZZ_PROMISE(ddbsim_scenario_parse(small_scenario, sizeof small_scenario - 1, "small.yaml",
                                       NULL, &scenario, &error) == DDBSIM_OK);
    FUZZ_PROMISE(log_writer_create(NULL, false, &writer, &error) == DDBSIM_OK);
    const struct study_run_options options = {.study_id = 1, .seed = scenario->seed};
    FUZZ_PROMISE(study_run(scenario, &options, writer, &result, &error) == DDBSIM_OK);
    FUZZ_PROMISE(log_writer_finish(writer, &error) == DDBSIM_OK);
    unsigned char *bytes = sqlite3_serialize(log_writer_database(writer), "main", &size, 0);
    FUZZ_PROMISE(bytes != NULL);
    loosen(bytes, (size_t)size);
    sqlite3_free(bytes);
    log_writer_abandon(writer);
    ddbsim_scenario_destroy(scenario);
}

/* ---- edits ---- */

struct input {
    const uint8_t *at;
    size_t left;
};

static unsigned take(struct input *input) {
    if (input->left == 0) return 0;
    input->left--;
    return *input->at++;
}

static uint64_t take_wide(struct input *input, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | take(input);
    return number;
}

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

/* The rows that an edit is about: one by its place, or all. */
static void add_where(char *sql, size_t size, const struct schema_table *table,
                      struct input *input) {
    char keys[256] = "";
    unsigned row = take(input);
    if (row == 255) return;
    for (size_t i = 0; i < table->column_count; i++)
        if (table->columns[i].key > 0 || table->has_rowid)
            snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s\"%s\"", *keys ? "," : "",
                     table->columns[i].name);
    snprintf(sql + strlen(sql), size - strlen(sql),
             " WHERE (%s) IN (SELECT %s FROM \"%s\" LIMIT 1 OFFSET %u)", keys, keys, table->name,
             row);
}

static void run_edit(sqlite3 *database, const char *sql, struct input *value) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) return;
    if (value) bind_value(statement, value);
    (void)sqlite3_step(statement); /* a key that stands already: the edit is void */
    sqlite3_finalize(statement);
}

static void edit_rows(sqlite3 *database, unsigned kind, struct input *input) {
    char sql[1024];
    const struct schema_table *table = take_table(input);
    if (kind == 0) {
        snprintf(sql, sizeof sql, "DELETE FROM \"%s\"", table->name);
        add_where(sql, sizeof sql, table, input);
        run_edit(database, sql, NULL);
    } else if (kind == 1) {
        snprintf(sql, sizeof sql, "DROP TABLE \"%s\"", table->name);
        run_edit(database, sql, NULL);
    } else {
        const char *column = table->columns[take(input) % table->column_count].name;
        snprintf(sql, sizeof sql, "UPDATE OR REPLACE \"%s\" SET \"%s\" = ?1", table->name, column);
        add_where(sql, sizeof sql, table, input);
        run_edit(database, sql, input);
    }
}

static void edit_bytes(unsigned char *bytes, size_t size, struct input *input) {
    size_t at = (size_t)take_wide(input, 3), count = take(input) % 16 + 1;
    for (size_t i = 0; i < count; i++)
        bytes[(at + i) % size] = (unsigned char)take(input);
}

/* The edited database's bytes, to be given to sqlite3_free. The last edits are those of bytes. */
static unsigned char *edit(struct input *input, size_t *size) {
    sqlite3_int64 length;
    unsigned count = 0, kind = 0;
    sqlite3 *database = open_bytes(base.bytes, base.size);
    execute(database, "PRAGMA ignore_check_constraints = ON; BEGIN");
    while (input->left > 0 && count++ < EDITS_MOST && (kind = take(input) % 16) < 13)
        edit_rows(database, kind, input);
    execute(database, "COMMIT");
    unsigned char *bytes = sqlite3_serialize(database, "main", &length, 0);
    FUZZ_PROMISE(bytes != NULL);
    sqlite3_close(database);
    *size = (size_t)length;
    while (input->left > 0 && count++ < EDITS_MOST && kind >= 13) {
        edit_bytes(bytes, *size, input);
        kind = take(input);
    }
    if (input->left == 2) *size = (size_t)take_wide(input, 2) * 16 % (*size + 1);
    return bytes;
}

/* ---- reading ---- */

static char folder[] = "/tmp/ddbsim-fuzz-XXXXXX";
static char database_path[64], chart_path[64];

static void remove_files(void) {
    unlink(database_path);
    unlink(chart_path);
    rmdir(folder);
}

static void prepare(void) {
    make_base();
    FUZZ_PROMISE(mkdtemp(folder) != NULL);
    snprintf(database_path, sizeof database_path, "%s/fuzzed.db", folder);
    snprintf(chart_path, sizeof chart_path, "%s/chart.svg", folder);
    atexit(remove_files);
}

static void is_json(const char *text, size_t length) {
    json_error_t why;
    json_t *json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &why);
    if (!json) fprintf(stderr, "%s\n%.*s\n", why.text, (int)length, text);
    FUZZ_PROMISE(json != NULL);
    json_decref(json);
}

static void read_summary(sqlite3 *database, int64_t run_id) {
    struct ddbsim_error error = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    fuzz_refused(summary_print(database, run_id, out, false, &error), &error);
    rewind(out);
    error = (struct ddbsim_error){0};
    enum ddbsim_status status = summary_print_json(database, run_id, out, &error);
    fuzz_refused(status, &error);
    fclose(out);
    if (status == DDBSIM_OK) is_json(text, strlen(text) < length ? strlen(text) : length);
    free(text);
}

static void read_diagnosis(sqlite3 *database, int64_t run_id) {
    struct ddbsim_error error = {0};
    struct diagnosis *diagnosis = NULL;
    char *text = NULL;
    size_t length = 0;
    enum ddbsim_status status = diagnosis_create(database, run_id, &diagnosis, &error);
    fuzz_refused(status, &error);
    if (status != DDBSIM_OK) return;
    FILE *out = open_memstream(&text, &length);
    FUZZ_PROMISE(diagnosis_print_json(diagnosis, out, "small.yaml", &error) == DDBSIM_OK);
    fclose(out);
    is_json(text, length);
    free(text);
    out = open_memstream(&text, &length);
    FUZZ_PROMISE(diagnosis_print(diagnosis, out, "small.yaml", 80, true, &error) == DDBSIM_OK);
    fclose(out);
    free(text);
    diagnosis_destroy(diagnosis);
}

/* Drawing is slow: one chart an input, whose number is the input's size. */
static void read_chart(sqlite3 *database, int64_t run_id, size_t size) {
    struct ddbsim_error error = {0};
    int charts = 0;
    while (plots_chart_name(charts))
        charts++;
    struct plots_options options = {.chart = plots_chart_name((int)(size % (size_t)charts)),
                                    .width = CANVAS_LEAST,
                                    .height = CANVAS_LEAST,
                                    .spanish = size % 2 == 1,
                                    .from_s = INT64_MIN,
                                    .to_s = INT64_MIN};
    fuzz_refused(plots_draw(database, run_id, &options, chart_path, true, &error), &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct input input = {.at = data, .left = size};
    struct ddbsim_error error = {0};
    sqlite3 *database = NULL;
    size_t length;
    int64_t run_id;
    if (!base.bytes) prepare();
    unsigned char *bytes = edit(&input, &length);
    FILE *file = fopen(database_path, "wb");
    FUZZ_PROMISE(file && fwrite(bytes, 1, length, file) == length && fclose(file) == 0);
    sqlite3_free(bytes);
    enum ddbsim_status status = ddbsim_log_open(database_path, &database, &error);
    fuzz_refused(status, &error);
    if (status == DDBSIM_OK) {
        status = plots_find_run(database, NULL, &run_id, &error);
        fuzz_refused(status, &error);
    }
    if (status == DDBSIM_OK) {
        read_summary(database, run_id);
        read_diagnosis(database, run_id);
        read_chart(database, run_id, size);
    }
    ddbsim_log_close(database);
    return 0;
}
