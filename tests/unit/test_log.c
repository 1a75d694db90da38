/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Result databases: what is written is read back, the views say what they should, the file under
 * its final name is always whole, and whatever is not a finished result database is refused with
 * the reason. With an argument, prints the reference of docs/log.md.
 */
#include <support/cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <record/digest.h>
#include <record/schema_sql.h>
#include <record/writer.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/ask.h>
#include <support/rows.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a directory for each test ---- */

static int enter_directory(void **state) {
    static char name[64];
    snprintf(name, sizeof name, "/tmp/ddbsim-log-XXXXXX");
    if (!mkdtemp(name) || chdir(name) != 0) return -1;
    *state = name;
    return 0;
}

static int leave_directory(void **state) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", (const char *)*state);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static bool exists(const char *path) { return access(path, F_OK) == 0; }

static void put_file(const char *path, const void *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s: %s", path, strerror(errno));
    struct stat about;
    assert_int_equal(fstat(fileno(file), &about), 0);
    *length = (size_t)about.st_size;
    char *bytes = malloc(*length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *length, file), *length);
    bytes[*length] = '\0';
    fclose(file);
    return bytes;
}

/* ---- a small run ---- */

static struct log_writer *create(const char *path, bool force) {
    struct ddbsim_error error = {0};
    struct log_writer *writer;
    if (log_writer_create(path, force, &writer, &error) != DDBSIM_OK) fail_msg("%s", error.message);
    return writer;
}

static void put_console_rows(const struct ddbsim_sink *sink) {
    ROW(sink, RESOURCE, INT(1), STR("table"), STR("carts"), NIL, STR("arn:1"));
    ROW(sink, RESOURCE, INT(2), STR("index"), STR("carts"), STR("by-day"), STR("arn:2"));
    ROW(sink, METRIC, INT(1), STR("ConsumedWriteCapacityUnits"), STR(""), STR(""), INT(60), INT(0),
        NUM(600), INT(40), NUM(1), NUM(30), NIL, NIL, NIL, STR("Count"));
    ROW(sink, METRIC, INT(2), STR("ConsumedWriteCapacityUnits"), STR(""), STR(""), INT(60), INT(0),
        NUM(150), INT(0), NIL, NIL, NIL, NIL, NIL, STR("Count"));
    ROW(sink, METRIC, INT(1), STR("SuccessfulRequestLatency"), STR("PutItem"), STR(""), INT(60),
        INT(-60), NUM(12), INT(2), NUM(5), NUM(7), NUM(5.5), NUM(6.5), NUM(6.9),
        STR("Milliseconds"));
}

static void put_throttle_rows(const struct ddbsim_sink *sink) {
    ROW(sink, THROTTLE, INT(2), STR("IndexWriteProvisionedThroughputExceeded"), STR("shop"),
        STR("PutItem"), INT(65), INT(1), INT(9), INT(7));
    ROW(sink, THROTTLE, INT(2), STR("IndexWriteProvisionedThroughputExceeded"), STR("shop"),
        STR("PutItem"), INT(66), INT(1), INT(4), INT(4));
    ROW(sink, THROTTLE, INT(1), STR("TableWriteKeyRangeThroughputExceeded"), STR("shop"),
        STR("PutItem"), INT(64), INT(1), INT(9), INT(9));
    ROW(sink, EVENT, INT(1), INT(INT64_C(64999999999)), STR("throttling_started"), INT(1), NIL,
        STR("{}"));
}

static void put_rows(const struct ddbsim_sink *sink) {
    put_console_rows(sink);
    put_throttle_rows(sink);
    ROW(sink, WORKLOAD_TOTAL, STR("shop"), STR("carts"), STR("GetItem"), INT(60), INT(60), INT(60),
        INT(0), INT(0), INT(0), NUM(30), NUM(0));
    ROW(sink, WORKLOAD_TOTAL, STR("shop"), STR("carts"), STR("PutItem"), INT(40), INT(60), INT(35),
        INT(5), INT(20), INT(20), NUM(600), NUM(0));
    ROW(sink, OUTCOME, STR("caller_p50"), STR(""), NUM(5.5), STR("ms"));
    ROW(sink, OUTCOME, STR("caller_p50"), STR("shop"), NUM(99), STR("ms"));
    ROW(sink, OUTCOME, STR("caller_p99"), STR("shop"), NUM(99), STR("ms"));
    ROW(sink, OUTCOME, STR("read_units"), STR(""), NUM(30), STR("units"));
    ROW(sink, OUTCOME, STR("write_units"), STR(""), NUM(600), STR("units"));
}

static void put_many_seconds(const struct ddbsim_sink *sink, int64_t from, int64_t to) {
    for (int64_t t = from; t < to; t++)
        ROW(sink, SECOND, INT(1), INT(t), INT(1), NUM(0.1 * (double)t), NUM(1), NUM(2), NUM(3), NIL,
            NUM(40), INT(0), INT(t % 3), NIL, NUM(300), NUM(0));
}

/* Writes a whole database; returns its digest. */
static void write_run(const char *path, char digest[33]) {
    struct log_writer *writer = create(path, false);
    struct log_run run = rows_run();
    struct ddbsim_sink sink;
    struct ddbsim_error error = {0};
    assert_int_equal(log_writer_begin_run(writer, &run, &sink), 1);
    put_rows(&sink);
    put_many_seconds(&sink, 0, 2537);
    log_writer_end_run(writer, "complete", 600, digest);
    if (log_writer_close(writer, &error) != DDBSIM_OK) fail_msg("%s", error.message);
}

static sqlite3 *open_log(const char *path) {
    struct ddbsim_error error = {0};
    sqlite3 *database;
    if (ddbsim_log_open(path, &database, &error) != DDBSIM_OK) fail_msg("%s", error.message);
    return database;
}

/* ---- the list of tables ---- */

static void check_keys(enum ddbsim_log_table table) {
    const struct schema_table *described = schema_table(table);
    bool seen[SCHEMA_KEYS_MAX + 2] = {false};
    int largest = 0;
    for (size_t i = 0; i < described->column_count; i++) {
        const struct schema_column *column = &described->columns[i];
        assert_true(column->meaning && column->meaning[0]);
        if (column->key == 0) continue;
        assert_true(column->key <= SCHEMA_KEYS_MAX && !seen[column->key] && column->not_null);
        seen[column->key] = true;
        if (column->key > largest) largest = column->key;
        if (strcmp(column->name, "run_id") == 0)
            assert_int_equal(column->key, 1);
        else
            assert_int_equal(column->in_digest, schema_in_digest(table));
    }
    for (int position = 1; position <= largest; position++)
        assert_true(seen[position]);
}

static void the_list_is_sound(void **state) {
    (void)state;
#define X(e, sql_name) assert_string_equal(schema_table(DDBSIM_LOG_##e)->name, sql_name);
    DDBSIM_LOG_TABLES(X)
#undef X
    size_t widest = 0;
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++) {
        const struct schema_table *described = schema_table((enum ddbsim_log_table)i);
        if (described->column_count > widest) widest = described->column_count;
        if (i != DDBSIM_LOG_STUDY) check_keys((enum ddbsim_log_table)i);
    }
    assert_int_equal(widest, SCHEMA_COLUMNS_MAX);
}

static void the_file_says_what_it_is(void **state) {
    (void)state;
    char digest[33];
    write_run("a.db", digest);
    sqlite3 *database = open_log("a.db");
    assert_string_equal(ask(database, "PRAGMA application_id"), "1684304689"); /* "dds1" */
    assert_string_equal(ask(database, "PRAGMA user_version"), "1");
    assert_string_equal(ask(database, "PRAGMA journal_mode"), "delete");
    assert_string_equal(ask(database, "SELECT count(*), sum(strict) FROM pragma_table_list"
                                      " WHERE type = 'table' AND schema = 'main'"
                                      " AND name NOT LIKE 'sqlite_%'"),
                        "24|24");
    assert_string_equal(ask(database, "SELECT group_concat(name, ' ') FROM (SELECT name FROM"
                                      " pragma_table_list WHERE schema = 'main' AND type = 'table'"
                                      " AND wr = 0 AND name NOT LIKE 'sqlite_%' ORDER BY name)"),
                        "request run study");
    assert_string_equal(ask(database, "PRAGMA integrity_check"), "ok");
    ddbsim_log_close(database);
    assert_true(ddbsim_log_is_database("a.db"));
}

/* ---- what was written ---- */

static void rows_come_back(void **state) {
    (void)state;
    char digest[33], expected[128];
    write_run("a.db", digest);
    sqlite3 *database = open_log("a.db");
    assert_string_equal(ask(database, "SELECT count(*), min(t_s), max(t_s), sum(throttled_writes)"
                                      " FROM second"),
                        "2537|0|2536|2536");
    assert_string_equal(ask(database, "SELECT count(*) FROM second WHERE read_units = 0.1 * t_s"),
                        "2537");
    assert_string_equal(ask(database, "SELECT read_limit, write_limit, backlog_units FROM second"
                                      " WHERE t_s = 7"),
                        "-|40.0|0.0");
    snprintf(expected, sizeof expected, "1|-|friday|base|0|7|complete|600.0|%s", digest);
    assert_string_equal(ask(database,
                            "SELECT run_id, study_id, scenario, variant, replication, seed,"
                            " status, simulated_s, digest FROM run"),
                        expected);
    ddbsim_log_close(database);
    assert_false(exists("a.db.part") || exists("a.db.part-journal") || exists("a.db-journal"));
}

static void cloudwatch_speaks_its_words(void **state) {
    (void)state;
    char digest[33];
    write_run("a.db", digest);
    sqlite3 *database = open_log("a.db");
    assert_string_equal(
        ask(database, "SELECT * FROM cloudwatch ORDER BY MetricName, GlobalSecondaryIndexName"),
        "1|2026-09-25T18:20:00+02:00|carts|-|-|ConsumedWriteCapacityUnits|60|600.0|40|1.0|30.0|15.0"
        "|-|-|-|Count\n"
        "1|2026-09-25T18:20:00+02:00|carts|by-day|-|ConsumedWriteCapacityUnits|60|150.0|0|-|-|-|-|-"
        "|-"
        "|Count\n"
        "1|2026-09-25T18:19:00+02:00|carts|-|PutItem|SuccessfulRequestLatency|60|12.0|2|5.0|7.0|6.0"
        "|5.5|6.5|6.9|Milliseconds");
    assert_string_equal(ask(database, "SELECT group_concat(name, ' ') FROM"
                                      " pragma_table_info('cloudwatch')"),
                        "run_id Timestamp TableName GlobalSecondaryIndexName Operation MetricName "
                        "Period Sum SampleCount Minimum Maximum Average p50 p90 p99 Unit");
    ddbsim_log_close(database);
}

static void offsets_west_of_greenwich(void **state) {
    (void)state;
    struct log_writer *writer = create(NULL, false);
    struct log_run run = rows_run();
    struct ddbsim_sink sink;
    char digest[33];
    run.utc_offset_s = -12600; /* -03:30 */
    log_writer_begin_run(writer, &run, &sink);
    put_rows(&sink);
    log_writer_end_run(writer, "complete", 600, digest);
    sqlite3 *database = log_writer_database(writer);
    assert_string_equal(ask(database, "SELECT min(Timestamp) FROM cloudwatch"),
                        "2026-09-25T12:49:00-03:30");
    assert_string_equal(ask(database, "SELECT first_throttle FROM summary"), "12:51:04");
    log_writer_abandon(writer);
}

static void summary_sums_up(void **state) {
    (void)state;
    char digest[33];
    write_run("a.db", digest);
    sqlite3 *database = open_log("a.db");
    /* main_reason: 11 first events against 9; write_units: the table's 600 and the index's 150;
     * read_units: CloudWatch counted none, so the outcome. */
    assert_string_equal(ask(database, "SELECT * FROM summary"),
                        "1|friday|base|0|7|complete|600.0|100|120|95|5|20|20|0.166666666666667"
                        "|18:21:04|IndexWriteProvisionedThroughputExceeded|30.0|750.0|5.5|-|-");
    assert_string_equal(
        ask(database, "SELECT group_concat(name, ' ') FROM pragma_table_info('summary')"),
        "run_id scenario variant replication seed status simulated_s requests attempts succeeded "
        "failed retries throttled_attempts throttled_ratio first_throttle main_reason read_units "
        "write_units caller_p50_ms caller_p99_ms cost_usd");
    ddbsim_log_close(database);
}

static void summary_of_silence(void **state) {
    (void)state;
    struct log_writer *writer = create(NULL, false);
    struct log_run run = rows_run();
    struct ddbsim_sink sink;
    char digest[33];
    log_writer_begin_run(writer, &run, &sink);
    log_writer_end_run(writer, "observed", 0, digest);
    log_writer_begin_run(writer,
                         &(struct log_run){.scenario = "s",
                                           .title = "",
                                           .variant = "v",
                                           .start = "",
                                           .detail = "totals",
                                           .version = "",
                                           .scenario_text = "",
                                           .input_hash = ""},
                         &sink);
    ROW(&sink, COST, INT(1), STR("reads"), INT(0), INT(3600), NUM(4), STR("units"), NUM(0.25),
        NUM(1));
    ROW(&sink, COST, INT(1), STR("reads"), INT(3600), INT(3600), NUM(4), STR("units"), NUM(0.25),
        NUM(1.5));
    /* No event tells when the throttling of a run kept as totals began; the rows may. */
    ROW(&sink, THROTTLE, INT(1), STR("r"), STR("w"), STR("o"), INT(3), INT(1), INT(5), INT(0));
    ROW(&sink, THROTTLE, INT(1), STR("r"), STR("w"), STR("o"), INT(4), INT(1), INT(5), INT(5));
    log_writer_end_run(writer, "interrupted", 1, digest);
    assert_string_equal(ask(log_writer_database(writer),
                            "SELECT status, requests, throttled_ratio, first_throttle, main_reason,"
                            " read_units, cost_usd FROM summary"),
                        "observed|-|-|-|-|-|-\ninterrupted|-|-|00:00:04|r|-|2.5");
    log_writer_abandon(writer);
}

/* ---- the digest ---- */

static void take_column(sqlite3_stmt *statement, int column, struct ddbsim_value *value) {
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
        *value = INT(sqlite3_column_int64(statement, column));
        break;
    case SQLITE_FLOAT:
        *value = NUM(sqlite3_column_double(statement, column));
        break;
    case SQLITE_TEXT:
        *value = STR((const char *)sqlite3_column_text(statement, column));
        break;
    default:
        *value = NIL;
    }
}

/* Feeds a table's rows, read back in key order, without run_id. */
static void digest_table(struct digest *digest, sqlite3 *database, enum ddbsim_log_table table) {
    char sql[64];
    sqlite3_stmt *statement;
    snprintf(sql, sizeof sql, "SELECT * FROM %s", schema_table(table)->name);
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        struct ddbsim_value values[SCHEMA_COLUMNS_MAX];
        size_t count = 0;
        for (int i = 0; i < sqlite3_column_count(statement); i++)
            if (i != schema_run_column(table)) take_column(statement, i, &values[count++]);
        assert_true(digest_row(digest, table, values, count));
    }
    sqlite3_finalize(statement);
}

/* Whoever has the file can check its digest. */
static void the_file_bears_out_its_digest(void **state) {
    (void)state;
    char written[33], computed[33];
    write_run("a.db", written);
    sqlite3 *database = open_log("a.db");
    struct digest *digest = digest_create();
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++)
        digest_table(digest, database, (enum ddbsim_log_table)i);
    hash128_hex(digest_finish(digest), computed);
    digest_destroy(digest);
    ddbsim_log_close(database);
    assert_string_equal(written, computed);
}

/* Pieces of any size, with reading in between, which empties the buffers: the same digest and rows.
 */
static void batches_leave_no_trace(void **state) {
    (void)state;
    char digests[3][33];
    static const int64_t pieces[] = {2500, 777, 50};
    for (int i = 0; i < 3; i++) {
        struct log_writer *writer = create(NULL, false);
        struct log_run run = rows_run();
        struct ddbsim_sink sink;
        log_writer_begin_run(writer, &run, &sink);
        for (int64_t from = 0; from < 2500; from += pieces[i]) {
            int64_t to = from + pieces[i] < 2500 ? from + pieces[i] : 2500;
            put_many_seconds(&sink, from, to);
            char expected[32];
            snprintf(expected, sizeof expected, "%d", (int)to);
            assert_string_equal(ask(log_writer_database(writer), "SELECT count(*) FROM second"),
                                expected);
        }
        log_writer_end_run(writer, "complete", 600, digests[i]);
        log_writer_abandon(writer);
    }
    assert_string_equal(digests[0], digests[1]);
    assert_string_equal(digests[0], digests[2]);
}

static void digest_of_run(struct log_writer *writer, const struct log_run *run, const char *status,
                          double simulated_s, char digest[33]) {
    struct ddbsim_sink sink;
    log_writer_begin_run(writer, run, &sink);
    put_rows(&sink);
    log_writer_end_run(writer, status, simulated_s, digest);
}

static void runs_have_digests_of_their_own(void **state) {
    (void)state;
    struct log_writer *writer = create(NULL, false);
    struct log_run run = rows_run();
    char first[33], again[33], other[33];
    digest_of_run(writer, &run, "complete", 600, first);
    run.title = "other words";
    run.version = "9.9.9";
    run.model_version = 9;
    run.scenario_text = "# other words\n";
    run.study_id = 4;
    digest_of_run(writer, &run, "interrupted", 600, again);
    assert_string_equal(first, again);
    run.replication = 1;
    digest_of_run(writer, &run, "complete", 600, other);
    assert_string_not_equal(first, other);
    run.replication = 0;
    run.variant = "b";
    digest_of_run(writer, &run, "complete", 599, other);
    assert_string_not_equal(first, other);
    assert_string_equal(
        ask(log_writer_database(writer),
            "SELECT group_concat(run_id || ' ' || n) FROM (SELECT run_id, count(*) AS n"
            " FROM metric GROUP BY run_id)"),
        "1 3,2 3,3 3,4 3");
    log_writer_abandon(writer);
}

/* ---- rows after the end ---- */

static void verdicts_come_after_the_indexes(void **state) {
    (void)state;
    struct log_writer *writer = create("a.db", false);
    struct log_run run = rows_run();
    char digest[33];
    struct ddbsim_error error = {0};
    struct ddbsim_value study[] = {INT(1), STR("run"), STR("ddbsim run friday"), NUM(0.95)};
    struct ddbsim_value verdict[] = {INT(1), STR("threshold"), STR("failed < 1"), NUM(5), INT(0)};
    log_writer_row(writer, DDBSIM_LOG_STUDY, study, 4);
    run.study_id = 1;
    digest_of_run(writer, &run, "complete", 600, digest);
    assert_int_equal(log_writer_finish(writer, &error), DDBSIM_OK);
    log_writer_row(writer, DDBSIM_LOG_VERDICT, verdict, 5);
    assert_int_equal(log_writer_close(writer, &error), DDBSIM_OK);
    sqlite3 *database = open_log("a.db");
    assert_string_equal(ask(database, "SELECT kind, expression, observed, passed FROM verdict"),
                        "threshold|failed < 1|5.0|0");
    assert_string_equal(ask(database, "SELECT kind, confidence FROM study NATURAL JOIN run"),
                        "run|0.95");
    assert_string_equal(ask(database, "SELECT count(*) FROM sqlite_schema WHERE type = 'index'"
                                      " AND name LIKE '%_by_%'"),
                        "5");
    ddbsim_log_close(database);
}

/* ---- outputs that must not be written ---- */

static void refused(const char *path, bool force, enum ddbsim_status status, const char *part) {
    struct ddbsim_error error = {0};
    struct log_writer *writer;
    assert_int_equal(log_writer_create(path, force, &writer, &error), status);
    assert_null(writer);
    assert_int_equal(error.status, status);
    if (!strstr(error.message, part)) fail_msg("\"%s\" does not say \"%s\"", error.message, part);
}

static void outputs_are_not_overwritten(void **state) {
    (void)state;
    put_file("notes.txt", "mine", 4);
    refused("notes.txt", false, DDBSIM_INPUT, "exists");
    refused(".", true, DDBSIM_INPUT, "directory");
    refused("/dev/full", true, DDBSIM_INPUT, "device");
    refused("", true, DDBSIM_INPUT, "empty name");
    refused("a.db.part", true, DDBSIM_INPUT, ".part");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    refused("pipe", true, DDBSIM_INPUT, "pipe");
    refused("no/such/a.db", false, DDBSIM_ENVIRONMENT, "No such file");
    put_file("b.db.part", "somebody's words, long enough to be no database of anybody", 58);
    refused("b.db", true, DDBSIM_INPUT, "no result database");
    size_t length;
    char *kept = read_file("notes.txt", &length);
    assert_string_equal(kept, "mine");
    free(kept);
}

static void force_replaces_at_the_end_alone(void **state) {
    (void)state;
    char digest[33];
    struct ddbsim_error error = {0};
    size_t length;
    put_file("a.db", "old", 3);
    struct log_writer *writer = create("a.db", true);
    struct log_run run = rows_run();
    digest_of_run(writer, &run, "complete", 600, digest);
    char *bytes = read_file("a.db", &length);
    assert_string_equal(bytes, "old");
    free(bytes);
    assert_int_equal(log_writer_close(writer, &error), DDBSIM_OK);
    ddbsim_log_close(open_log("a.db"));
}

/* A file that appears while the run goes on is not overwritten either; the result is not lost. */
static void a_late_file_is_kept(void **state) {
    (void)state;
    char digest[33];
    struct ddbsim_error error = {0};
    size_t length;
    struct log_writer *writer = create("a.db", false);
    struct log_run run = rows_run();
    digest_of_run(writer, &run, "complete", 600, digest);
    put_file("a.db", "new", 3);
    assert_int_equal(log_writer_close(writer, &error), DDBSIM_ENVIRONMENT);
    char *bytes = read_file("a.db", &length);
    assert_string_equal(bytes, "new");
    free(bytes);
    assert_int_equal(rename("a.db.part", "a.db"), 0);
    ddbsim_log_close(open_log("a.db"));
}

static void two_writers_keep_apart(void **state) {
    (void)state;
    struct log_writer *writer = create("a.db", false);
    refused("a.db", false, DDBSIM_INPUT, "another run");
    log_writer_abandon(writer);
    assert_false(exists("a.db") || exists("a.db.part") || exists("a.db.part-journal"));
    log_writer_abandon(create("a.db", false));
}

static void odd_names_are_names(void **state) {
    (void)state;
    static const char *const names[] = {"file:a.db?mode=memory", ":memory:", "a b%20'\"#.db", "-"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char digest[33];
        write_run(names[i], digest);
        assert_true(exists(names[i]));
        ddbsim_log_close(open_log(names[i]));
    }
}

/* ---- failures of the machine ---- */

/* Runs act in a child with a limit on the size of files; returns its exit code. */
static int in_small_child(rlim_t limit_bytes, int (*act)(void)) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {limit_bytes, limit_bytes};
        signal(SIGXFSZ, SIG_IGN); /* the write then fails, as on a full disk */
        _exit(setrlimit(RLIMIT_FSIZE, &limit) == 0 ? act() : 99);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* Exit code 0: the failure came as DDBSIM_ENVIRONMENT, was remembered and left no file. */
static int fill_disk(void) {
    struct log_writer *writer;
    struct ddbsim_error first = {0}, last = {0};
    struct ddbsim_sink sink;
    struct log_run run = rows_run();
    char digest[33];
    if (log_writer_create("a.db", false, &writer, &first) != DDBSIM_OK) return 1;
    log_writer_begin_run(writer, &run, &sink);
    for (int64_t i = 0; i < 400000 && log_writer_status(writer, NULL) == DDBSIM_OK; i += 1000)
        put_many_seconds(&sink, i, i + 1000);
    if (log_writer_status(writer, &first) != DDBSIM_ENVIRONMENT) return 2;
    put_many_seconds(&sink, 500000, 510000);
    log_writer_end_run(writer, "failed", 1, digest);
    if (log_writer_close(writer, &last) != DDBSIM_ENVIRONMENT) return 3;
    if (strcmp(first.message, last.message) != 0 || strcmp(last.file, "a.db") != 0) return 4;
    if (!strstr(last.message, "disk")) return 5;
    return exists("a.db") || exists("a.db.part") || exists("a.db.part-journal") ? 6 : 0;
}

/* The same when the disk is full from the beginning. */
static int fill_disk_at_once(void) {
    struct log_writer *writer;
    struct ddbsim_error error = {0};
    struct log_run run = rows_run();
    char digest[33];
    enum ddbsim_status status = log_writer_create("a.db", false, &writer, &error);
    if (status == DDBSIM_OK) {
        digest_of_run(writer, &run, "complete", 600, digest);
        status = log_writer_close(writer, &error);
    }
    if (status != DDBSIM_ENVIRONMENT || error.message[0] == '\0') return 1;
    return exists("a.db") || exists("a.db.part") ? 2 : 0;
}

static void a_full_disk_is_the_machines_fault(void **state) {
    (void)state;
    assert_int_equal(in_small_child(4000000, fill_disk), 0);
    assert_int_equal(in_small_child(1000, fill_disk_at_once), 0);
}

/* A conflict that the study made, not the machine, is reported all the same and ends nothing. */
static void a_conflict_is_reported(void **state) {
    (void)state;
    struct log_writer *writer = create(NULL, false);
    struct ddbsim_error error = {0};
    struct ddbsim_value verdict[] = {INT(1), STR("expect"), STR("x"), NIL, INT(0)};
    log_writer_row(writer, DDBSIM_LOG_VERDICT, verdict, 5);
    log_writer_row(writer, DDBSIM_LOG_VERDICT, verdict, 5);
    assert_int_equal(log_writer_finish(writer, &error), DDBSIM_ENVIRONMENT);
    assert_non_null(strstr(error.message, "UNIQUE constraint failed: verdict"));
    log_writer_abandon(writer);
}

/* ---- databases that must not be read ---- */

static void unreadable(const char *path, enum ddbsim_status status, const char *part) {
    struct ddbsim_error error = {0};
    sqlite3 *database;
    assert_int_equal(ddbsim_log_open(path, &database, &error), status);
    assert_null(database);
    assert_string_equal(error.file, path);
    if (!strstr(error.message, part)) fail_msg("\"%s\" does not say \"%s\"", error.message, part);
}

static void a_killed_run_leaves_a_part_alone(void **state) {
    (void)state;
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct log_writer *writer;
        struct ddbsim_sink sink;
        struct log_run run = rows_run();
        if (log_writer_create("a.db", false, &writer, NULL) != DDBSIM_OK) _exit(1);
        log_writer_begin_run(writer, &run, &sink);
        put_many_seconds(&sink, 0, 800000); /* past a commit, into the next transaction */
        if (write(ready[1], "r", 1) != 1) _exit(1);
        for (;;)
            pause();
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(exists("a.db"));
    assert_true(exists("a.db.part"));
    unreadable("a.db.part", DDBSIM_INPUT, ".part");
    /* Renamed by hand, with its journal or without, it is no result either. */
    assert_int_equal(link("a.db.part", "b.db"), 0);
    unreadable("b.db", DDBSIM_INPUT, "running");
    assert_int_equal(link("a.db.part-journal", "b.db-journal"), 0);
    unreadable("b.db", DDBSIM_INPUT, "unfinished");
    /* The next run takes its place. */
    char digest[33];
    write_run("a.db", digest);
    ddbsim_log_close(open_log("a.db"));
    assert_false(exists("a.db.part") || exists("a.db.part-journal"));
    close(ready[0]);
    close(ready[1]);
}

static void change_header(const char *from, const char *to, size_t offset, unsigned char value) {
    size_t length;
    char *bytes = read_file(from, &length);
    bytes[offset] = (char)value;
    put_file(to, bytes, length);
    free(bytes);
}

static void what_is_no_result_is_refused(void **state) {
    (void)state;
    char digest[33];
    write_run("a.db", digest);
    unreadable("none.db", DDBSIM_INPUT, "no such file");
    unreadable(".", DDBSIM_INPUT, "directory");
    unreadable("/dev/null", DDBSIM_INPUT, "no file");
    put_file("empty.db", "", 0);
    unreadable("empty.db", DDBSIM_INPUT, "empty");
    put_file("scenario.yaml", "name: friday\n", 13);
    unreadable("scenario.yaml", DDBSIM_INPUT, "not an SQLite database");
    assert_false(ddbsim_log_is_database("scenario.yaml"));
    assert_false(ddbsim_log_is_database("none.db"));
    assert_false(ddbsim_log_is_database("."));
    change_header("a.db", "newer.db", 63, DDBSIM_LOG_VERSION + 1);
    unreadable("newer.db", DDBSIM_INPUT, "newer");
    change_header("a.db", "older.db", 63, 0);
    unreadable("older.db", DDBSIM_INPUT, "no version");
    change_header("a.db", "other.db", 71, 0);
    unreadable("other.db", DDBSIM_INPUT, "another program");
    assert_true(ddbsim_log_is_database("other.db"));
    change_header("a.db", "damaged.db", 100,
                  0xff); /* the schema's first page is of no known kind */
    unreadable("damaged.db", DDBSIM_INPUT, "cannot be read");
}

static void cut_files_are_refused(void **state) {
    (void)state;
    char digest[33];
    size_t length;
    write_run("a.db", digest);
    char *bytes = read_file("a.db", &length);
    const size_t cuts[] = {16, 99, 100, 512, 4096, length / 2, length - 4096, length - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        put_file("cut.db", bytes, cuts[i]);
        unreadable("cut.db", DDBSIM_INPUT, "truncated");
        assert_true(ddbsim_log_is_database("cut.db"));
    }
    put_file("cut.db", bytes, 15);
    unreadable("cut.db", DDBSIM_INPUT, "not an SQLite database");
    free(bytes);
}

static void readers_change_nothing(void **state) {
    (void)state;
    char digest[33];
    write_run("a.db", digest);
    assert_int_equal(chmod("a.db", 0400), 0);
    assert_int_equal(chmod(".", 0500), 0);
    sqlite3 *database = open_log("a.db");
    assert_int_not_equal(sqlite3_exec(database, "DELETE FROM run", NULL, NULL, NULL), SQLITE_OK);
    assert_string_equal(ask(database, "SELECT count(*) FROM run"), "1");
    ddbsim_log_close(database);
    assert_int_equal(chmod(".", 0700), 0);
}

/* ---- docs/log.md ---- */

static void the_page_carries_the_reference(void **state) {
    (void)state;
    size_t length;
    char *page = read_file(SOURCE_ROOT "/docs/log.md", &length);
    char *reference = schema_reference();
    assert_non_null(reference);
    const char *begin = strstr(page, "<!-- reference: begin -->\n");
    const char *end = strstr(page, "<!-- reference: end -->");
    assert_true(begin && end && begin < end);
    begin += strlen("<!-- reference: begin -->\n");
    if ((size_t)(end - begin) != strlen(reference) ||
        memcmp(begin, reference, strlen(reference)) != 0)
        fail_msg("docs/log.md does not carry the reference: test_unit_log --reference prints it");
    free(reference);
    free(page);
}

/* Every SQL example of the page runs against a database. */
static void the_pages_examples_run(void **state) {
    (void)state;
    char digest[33];
    size_t length;
    write_run("a.db", digest);
    sqlite3 *database = open_log("a.db");
    char *page = read_file(SOURCE_ROOT "/docs/log.md", &length);
    int examples = 0;
    for (char *sql = strstr(page, "```sql\n"); sql; sql = strstr(sql, "```sql\n")) {
        sql += strlen("```sql\n");
        char *end = strstr(sql, "```");
        assert_non_null(end);
        *end = '\0';
        assert_int_not_equal(strlen(ask(database, sql)), 0); /* each finds something */
        examples++;
        sql = end + 1;
    }
    assert_true(examples >= 3);
    free(page);
    ddbsim_log_close(database);
}

#define IN_DIRECTORY(test) cmocka_unit_test_setup_teardown(test, enter_directory, leave_directory)

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "--reference") == 0) {
        char *reference = schema_reference();
        if (reference) fputs(reference, stdout);
        free(reference);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_is_sound),
        IN_DIRECTORY(the_file_says_what_it_is),
        IN_DIRECTORY(rows_come_back),
        IN_DIRECTORY(cloudwatch_speaks_its_words),
        cmocka_unit_test(offsets_west_of_greenwich),
        IN_DIRECTORY(summary_sums_up),
        cmocka_unit_test(summary_of_silence),
        IN_DIRECTORY(the_file_bears_out_its_digest),
        cmocka_unit_test(batches_leave_no_trace),
        cmocka_unit_test(runs_have_digests_of_their_own),
        IN_DIRECTORY(verdicts_come_after_the_indexes),
        IN_DIRECTORY(outputs_are_not_overwritten),
        IN_DIRECTORY(force_replaces_at_the_end_alone),
        IN_DIRECTORY(a_late_file_is_kept),
        IN_DIRECTORY(two_writers_keep_apart),
        IN_DIRECTORY(odd_names_are_names),
        IN_DIRECTORY(a_full_disk_is_the_machines_fault),
        cmocka_unit_test(a_conflict_is_reported),
        IN_DIRECTORY(a_killed_run_leaves_a_part_alone),
        IN_DIRECTORY(what_is_no_result_is_refused),
        IN_DIRECTORY(cut_files_are_refused),
        IN_DIRECTORY(readers_change_nothing),
        IN_DIRECTORY(the_page_carries_the_reference),
        IN_DIRECTORY(the_pages_examples_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
