/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Databases that a forger made: whoever reads one ends soon, with a result or with a refusal. */
#include <support/cmocka.h>

#include <ddbsim/ddbsim.h>
#include <plots/diagnosis.h>
#include <plots/plots.h>
#include <plots/summary.h>
#include <record/schema.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/study.h>
#include <support/ask.h>
#include <support/small_scenario.h>
#include <unistd.h>

static char folder[] = "/tmp/ddbsim-guard-XXXXXX";
static char whole[64], forged[64], picture[64];

/* ---- a run to forge ---- */

static int make_run(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario;
    struct log_writer *writer;
    struct study_run_result result;
    assert_non_null(mkdtemp(folder));
    snprintf(whole, sizeof whole, "%s/whole.db", folder);
    snprintf(forged, sizeof forged, "%s/forged.db", folder);
    snprintf(picture, sizeof picture, "%s/picture.svg", folder);
    assert_int_equal(ddbsim_scenario_parse(small_scenario, sizeof small_scenario - 1, "small.yaml",
                                           NULL, &scenario, &error),
                     DDBSIM_OK);
    assert_int_equal(log_writer_create(whole, false, &writer, &error), DDBSIM_OK);
    const struct study_run_options options = {.study_id = 1, .seed = scenario->seed};
    assert_int_equal(study_run(scenario, &options, writer, &result, &error), DDBSIM_OK);
    assert_int_equal(log_writer_close(writer, &error), DDBSIM_OK);
    ddbsim_scenario_destroy(scenario);
    return 0;
}

static int remove_run(void **state) {
    (void)state;
    unlink(whole);
    unlink(forged);
    unlink(picture);
    return rmdir(folder);
}

static unsigned char *read_bytes(const char *path, size_t *size, size_t room) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size + room);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

static void write_forged(const unsigned char *bytes, size_t size) {
    FILE *file = fopen(forged, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* A copy of the run, changed by SQL. */
static void forge(const char *sql) {
    size_t size;
    sqlite3 *database;
    char *why = NULL;
    unsigned char *bytes = read_bytes(whole, &size, 0);
    write_forged(bytes, size);
    free(bytes);
    assert_int_equal(sqlite3_open(forged, &database), SQLITE_OK);
    if (sqlite3_exec(database, sql, NULL, NULL, &why) != SQLITE_OK) fail_msg("%s: %s", sql, why);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* ---- reading ---- */

static enum ddbsim_status summarize(sqlite3 *database, int64_t run_id, struct ddbsim_error *error) {
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    enum ddbsim_status status = summary_print(database, run_id, out, false, error);
    fclose(out);
    return status;
}

static enum ddbsim_status diagnose(sqlite3 *database, int64_t run_id, struct ddbsim_error *error) {
    struct diagnosis *diagnosis = NULL;
    enum ddbsim_status status = diagnosis_create(database, run_id, &diagnosis, error);
    if (status == DDBSIM_OK) diagnosis_destroy(diagnosis);
    return status;
}

static void check_reading(enum ddbsim_status status, const struct ddbsim_error *error,
                          const char *what) {
    if (status != DDBSIM_OK && (status != DDBSIM_INPUT || !error->message[0]))
        fail_msg("%s: status %d, %s", what, (int)status, error->message);
}

/* Everything that reads a run reads the forged one or refuses it; how many refused. */
#define READERS_MAX 32 /* summary, diagnosis, and each chart */

static int read_forged(const char *what) {
    struct ddbsim_error errors[READERS_MAX] = {{0}};
    sqlite3 *database = NULL;
    int64_t run_id = 0;
    int refused = 0, count = 0;
    enum ddbsim_status status = ddbsim_log_open(forged, &database, &errors[0]);
    if (status == DDBSIM_OK) status = plots_find_run(database, NULL, &run_id, &errors[0]);
    check_reading(status, &errors[0], what);
    if (status == DDBSIM_OK) {
        enum ddbsim_status statuses[READERS_MAX] = {summarize(database, run_id, &errors[0]),
                                                    diagnose(database, run_id, &errors[1])};
        for (count = 2; plots_chart_name(count - 2); count++) {
            assert_true(count < READERS_MAX);
            struct plots_options options = {
                .chart = plots_chart_name(count - 2), .from_s = INT64_MIN, .to_s = INT64_MIN};
            statuses[count] = plots_draw(database, run_id, &options, picture, true, &errors[count]);
        }
        for (int i = 0; i < count; i++) {
            check_reading(statuses[i], &errors[i], what);
            refused += statuses[i] != DDBSIM_OK;
        }
    }
    ddbsim_log_close(database);
    return status == DDBSIM_OK ? refused : 1;
}

static void refuses_opening(const char *sql, const char *message) {
    struct ddbsim_error error = {0};
    sqlite3 *database = NULL;
    forge(sql);
    assert_int_equal(ddbsim_log_open(forged, &database, &error), DDBSIM_INPUT);
    assert_null(database);
    if (!strstr(error.message, message)) fail_msg("%s: %s", sql, error.message);
}

#define ENDLESS "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c"

/* ---- tests ---- */

static void the_run_itself_is_read(void **state) {
    (void)state;
    forge("SELECT 1");
    assert_int_equal(read_forged("nothing"), 0);
}

static void what_is_no_table_is_refused_in_its_place(void **state) {
    char sql[512], message[64];
    (void)state;
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++) {
        const char *name = schema_table((enum ddbsim_log_table)i)->name;
        snprintf(message, sizeof message, "'%s' is not a table", name);
        snprintf(sql, sizeof sql,
                 "PRAGMA legacy_alter_table = ON; ALTER TABLE \"%s\" RENAME TO hidden;"
                 "CREATE VIEW \"%s\" AS SELECT hidden.* FROM hidden, (" ENDLESS ")",
                 name, name);
        refuses_opening(sql, message);
        snprintf(sql, sizeof sql,
                 "DROP TABLE \"%s\"; CREATE VIRTUAL TABLE \"%s\" USING rtree(a, b, c)", name, name);
        refuses_opening(sql, message);
    }
    refuses_opening("DROP TABLE second; CREATE VIEW SECOND AS SELECT 1", "is not a table");
}

static void views_and_triggers_of_others_do_no_harm(void **state) {
    (void)state;
    forge("CREATE VIEW mine AS " ENDLESS ";"
          "CREATE TRIGGER mine_too AFTER INSERT ON run BEGIN DELETE FROM second; END");
    assert_int_equal(read_forged("a view"), 0);
}

static void a_view_of_ours_that_never_ends_is_cut_short(void **state) {
    (void)state;
    forge("DROP VIEW summary; CREATE VIEW summary AS SELECT 1 AS run_id, count(*) AS requests,"
          " 1 AS attempts, 1 AS succeeded, 1 AS failed, 1 AS retries, 1 AS throttled_attempts,"
          " 1.0 AS read_units, 1.0 AS write_units, 1.0 AS caller_p50_ms, 1.0 AS caller_p99_ms"
          " FROM (" ENDLESS ")");
    assert_true(read_forged("an endless view") > 0);
}

static void a_value_out_of_all_measure_is_refused(void **state) {
    (void)state;
    forge("ALTER TABLE run RENAME TO hidden; CREATE TABLE run AS SELECT * FROM hidden;"
          "ALTER TABLE run RENAME COLUMN title TO old;"
          "ALTER TABLE run ADD COLUMN title AS (hex(zeroblob(400000000)))");
    assert_true(read_forged("a large value") > 0);
}

static void without_any_table_readers_read_or_refuse(void **state) {
    char sql[128];
    (void)state;
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++) {
        const char *name = schema_table((enum ddbsim_log_table)i)->name;
        snprintf(sql, sizeof sql, "DROP TABLE \"%s\"", name);
        forge(sql);
        (void)read_forged(sql);
    }
}

/* ---- a tree whose branches all lead to the same leaf ---- */

#define LEVELS 16

static unsigned number_at(const unsigned char *at, int bytes) {
    unsigned number = 0;
    for (int i = 0; i < bytes; i++)
        number = number << 8 | at[i];
    return number;
}

static void put_page_number(unsigned char *at, unsigned number) {
    for (int i = 3; i >= 0; i--, number >>= 8)
        at[i] = (unsigned char)number;
}

/* Lets every branch of an interior page lead to one child (sqlite.org/fileformat2.html, 1.6). */
static void bend_branches(unsigned char *page, unsigned child) {
    put_page_number(page + 8, child);
    for (unsigned cell = 0; cell < number_at(page + 3, 2); cell++)
        put_page_number(page + number_at(page + 12 + 2 * cell, 2), child);
}

static unsigned root_of(const char *table) {
    char sql[128];
    sqlite3 *database;
    snprintf(sql, sizeof sql, "SELECT rootpage FROM sqlite_schema WHERE name = '%s'", table);
    assert_int_equal(sqlite3_open(forged, &database), SQLITE_OK);
    unsigned root = (unsigned)strtoul(ask(database, sql), NULL, 10);
    sqlite3_close(database);
    assert_true(root > 0);
    return root;
}

/* The run with many times the rows in a table that has t_s, so that its tree has branches. */
static void forge_many_rows(const char *table) {
    char sql[4096];
    int used = snprintf(sql, sizeof sql, "CREATE TEMP TABLE more AS SELECT * FROM %s;", table);
    for (int i = 0; i < 30; i++)
        used +=
            snprintf(sql + used, sizeof sql - (size_t)used,
                     "UPDATE more SET t_s = t_s + 1000; INSERT INTO %s SELECT * FROM more;", table);
    forge(sql);
}

static void forge_tree(const char *table) {
    size_t size;
    unsigned char *bytes = read_bytes(forged, &size, LEVELS * 65536);
    size_t page_bytes = number_at(bytes + 16, 2);
    unsigned pages = (unsigned)(size / page_bytes);
    unsigned char *root = bytes + (root_of(table) - 1) * page_bytes;
    assert_true(root[0] == 2 || root[0] == 5); /* an interior page: the table has several */
    unsigned leaf = number_at(root + 8, 4);
    for (unsigned level = 0; level < LEVELS; level++) {
        unsigned char *page = bytes + size + level * page_bytes;
        memcpy(page, root, page_bytes);
        bend_branches(page, level + 1 < LEVELS ? pages + level + 2 : leaf);
    }
    bend_branches(root, pages + 1);
    put_page_number(bytes + 28, pages + LEVELS);
    write_forged(bytes, size + LEVELS * page_bytes);
    free(bytes);
}

static void a_tree_without_end_is_cut_short(void **state) {
    static const char *const tables[] = {"second", "partition_sample"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        forge_many_rows(tables[i]);
        assert_int_equal(read_forged(tables[i]), 0);
        forge_tree(tables[i]);
        assert_true(read_forged(tables[i]) > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_itself_is_read),
        cmocka_unit_test(what_is_no_table_is_refused_in_its_place),
        cmocka_unit_test(views_and_triggers_of_others_do_no_harm),
        cmocka_unit_test(a_view_of_ours_that_never_ends_is_cut_short),
        cmocka_unit_test(a_value_out_of_all_measure_is_refused),
        cmocka_unit_test(without_any_table_readers_read_or_refuse),
        cmocka_unit_test(a_tree_without_end_is_cut_short),
    };
    return cmocka_run_group_tests(tests, make_run, remove_run);
}
