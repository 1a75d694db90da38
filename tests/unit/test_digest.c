/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The digest: it depends on every value of its column list and on nothing else, neither on how
 * series interleave nor on the columns and tables that are left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <base/rng.h>
#include <float.h>
#include <math.h>
#include <record/digest.h>
#include <record/schema.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/rows.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS_A_TABLE 3

struct row {
    enum ddbsim_log_table table;
    size_t count;
    struct ddbsim_value values[SCHEMA_COLUMNS_MAX];
};

static size_t value_count(enum ddbsim_log_table table) {
    return schema_table(table)->column_count - (schema_run_column(table) >= 0 ? 1 : 0);
}

static const struct schema_column *column_of(enum ddbsim_log_table table, size_t value) {
    int run_column = schema_run_column(table);
    size_t shift = run_column >= 0 && value >= (size_t)run_column ? 1 : 0;
    return &schema_table(table)->columns[value + shift];
}

static bool is_last_key(enum ddbsim_log_table table, const struct schema_column *column) {
    int keys[SCHEMA_KEYS_MAX];
    size_t count = schema_keys(table, keys);
    return count > 0 && &schema_table(table)->columns[keys[count - 1]] == column;
}

/* A value of a column: the last key column counts up, the others stay, so that a table is one
 * series. */
static struct ddbsim_value some_value(enum ddbsim_log_table table, size_t column, int row) {
    static const char *const words[] = {"a", "b", "c", "d"};
    const struct schema_column *described = column_of(table, column);
    int varying = is_last_key(table, described) || described->key == 0 ? row : 0;
    if (described->type == DDBSIM_VALUE_INTEGER) return INT(10 * varying + (int)column);
    if (described->type == DDBSIM_VALUE_REAL) return NUM(0.5 + varying);
    return STR(words[varying]);
}

/* ROWS_A_TABLE rows of every table, in order; returns how many. */
static size_t make_rows(struct row *rows) {
    size_t count = 0;
    for (int table = 0; table < DDBSIM_LOG_TABLE_KINDS; table++) {
        for (int i = 0; i < ROWS_A_TABLE; i++) {
            struct row *row = &rows[count++];
            row->table = (enum ddbsim_log_table)table;
            row->count = value_count(row->table);
            for (size_t c = 0; c < row->count; c++)
                row->values[c] = some_value(row->table, c, i);
        }
    }
    return count;
}

#define ALL_ROWS (ROWS_A_TABLE * DDBSIM_LOG_TABLE_KINDS)

static struct hash128 digest_of(const struct row *rows, const size_t *order, size_t count) {
    struct digest *digest = digest_create();
    assert_non_null(digest);
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[order ? order[i] : i];
        assert_true(digest_row(digest, row->table, row->values, row->count));
    }
    struct hash128 hash = digest_finish(digest);
    assert_false(digest_failed(digest));
    digest_destroy(digest);
    return hash;
}

static bool same(struct hash128 a, struct hash128 b) { return a.low == b.low && a.high == b.high; }

/* Frozen: this moves with the model's version alone, and with a word in the changelog. */
static void known_rows_have_a_known_digest(void **state) {
    (void)state;
    struct row rows[ALL_ROWS];
    char hex[33];
    hash128_hex(digest_of(rows, NULL, make_rows(rows)), hex);
    assert_string_equal(hex, "6ef49731324e53d126cf137395b0d962");
}

static void interleaving_leaves_no_trace(void **state) {
    (void)state;
    struct row rows[ALL_ROWS];
    size_t order[ALL_ROWS], count = make_rows(rows);
    struct hash128 expected = digest_of(rows, NULL, count);
    struct rng rng;
    rng_seed(&rng, rng_stream_key(1, 0, "interleaving"));
    for (int round = 0; round < 20; round++) {
        size_t taken[DDBSIM_LOG_TABLE_KINDS] = {0};
        for (size_t i = 0; i < count;) { /* a random table's next row */
            size_t table = rng_next(&rng) % DDBSIM_LOG_TABLE_KINDS;
            if (taken[table] == ROWS_A_TABLE) continue;
            order[i++] = table * ROWS_A_TABLE + taken[table]++;
        }
        assert_true(same(digest_of(rows, order, count), expected));
    }
}

/* Another value of the same type that keeps a series in order. */
static struct ddbsim_value changed(struct ddbsim_value value) {
    if (value.type == DDBSIM_VALUE_INTEGER) return INT(value.as.integer + 1);
    if (value.type == DDBSIM_VALUE_REAL) return NUM(value.as.real * (1 + DBL_EPSILON));
    return STR(value.as.text[0] == 'a' ? "aa" : value.as.text[0] == 'b' ? "bb" : "cc");
}

static void every_listed_value_counts_and_no_other(void **state) {
    (void)state;
    struct row rows[ALL_ROWS];
    size_t count = make_rows(rows), listed = 0;
    struct hash128 expected = digest_of(rows, NULL, count);
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < rows[i].count; c++) {
            struct ddbsim_value before = rows[i].values[c];
            rows[i].values[c] = changed(before);
            bool counts = column_of(rows[i].table, c)->in_digest;
            listed += counts;
            if (same(digest_of(rows, NULL, count), expected) == counts)
                fail_msg("%s.%s %s the digest", schema_table(rows[i].table)->name,
                         column_of(rows[i].table, c)->name, counts ? "does not move" : "moves");
            rows[i].values[c] = before;
        }
    }
    assert_true(listed > 400);
    assert_true(same(digest_of(rows, NULL, count), expected));
}

static void a_missing_row_counts(void **state) {
    (void)state;
    struct row rows[ALL_ROWS];
    size_t count = make_rows(rows), order[ALL_ROWS];
    struct hash128 expected = digest_of(rows, NULL, count);
    for (size_t missing = 0; missing < count; missing++) {
        for (size_t i = 0; i + 1 < count; i++)
            order[i] = i < missing ? i : i + 1;
        bool counts = schema_in_digest(rows[missing].table);
        assert_int_equal(same(digest_of(rows, order, count - 1), expected), !counts);
    }
}

/* What is left out: names of people's things, versions, and what is computed from the rows. */
static void the_list_leaves_out_what_it_says(void **state) {
    (void)state;
    static const enum ddbsim_log_table without[] = {DDBSIM_LOG_STUDY,   DDBSIM_LOG_BATCH_SECOND,
                                                    DDBSIM_LOG_STORAGE, DDBSIM_LOG_OUTCOME,
                                                    DDBSIM_LOG_VERDICT, DDBSIM_LOG_ESTIMATE};
    static const char *const run_columns[] = {"run_id",        "study_id",       "title",
                                              "status",        "ddbsim_version", "model_version",
                                              "scenario_text", "input_hash",     "digest"};
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        assert_false(schema_in_digest(without[i]));
    size_t left_out = 0;
    for (int table = 0; table < DDBSIM_LOG_TABLE_KINDS; table++) {
        const struct schema_table *described = schema_table((enum ddbsim_log_table)table);
        for (size_t c = 0; c < described->column_count; c++) {
            const struct schema_column *column = &described->columns[c];
            if (column->in_digest || !schema_in_digest((enum ddbsim_log_table)table)) continue;
            if (strcmp(column->name, "run_id") == 0) continue;
            /* Added later: of `varied`, of `workload_second`. */
            if (strcmp(column->name, "by_option") == 0) continue;
            if (strcmp(column->name, "requests_again") == 0) continue;
            assert_int_equal(table, DDBSIM_LOG_RUN);
            left_out++;
        }
    }
    assert_int_equal(left_out + 1, sizeof run_columns / sizeof run_columns[0]);
    for (size_t i = 0; i < sizeof run_columns / sizeof run_columns[0]; i++) {
        const struct schema_table *run = schema_table(DDBSIM_LOG_RUN);
        for (size_t c = 0; c < run->column_count; c++)
            if (strcmp(run->columns[c].name, run_columns[i]) == 0)
                assert_false(run->columns[c].in_digest);
    }
}

static struct hash128 digest_of_sum(double sum) {
    struct digest *digest = digest_create();
    struct ddbsim_sink sink = digest_sink(digest);
    ROW(&sink, METRIC, INT(1), STR("m"), STR(""), STR(""), INT(60), INT(0), NUM(sum), NIL, NIL, NIL,
        NIL, NIL, NIL, STR("Count"));
    struct hash128 hash = digest_finish(digest);
    digest_destroy(digest);
    return hash;
}

/* Two values that a database gives back alike hash alike; one bit less hashes differently. */
static void reals_count_as_they_are_kept(void **state) {
    (void)state;
    assert_true(same(digest_of_sum(-0.0), digest_of_sum(0.0)));
    assert_true(same(digest_of_sum(NAN), digest_of_sum(-NAN)));
    assert_false(same(digest_of_sum(NAN), digest_of_sum(0.0)));
    assert_false(same(digest_of_sum(0.1), digest_of_sum(0.1 * (1 + DBL_EPSILON))));
}

/* Text runs into no neighbour: ("ab", "c") is not ("a", "bc"). */
static void texts_have_ends(void **state) {
    (void)state;
    struct hash128 hashes[2];
    static const char *const pairs[2][2] = {{"ab", "c"}, {"a", "bc"}};
    for (int i = 0; i < 2; i++) {
        struct digest *digest = digest_create();
        struct ddbsim_sink sink = digest_sink(digest);
        ROW(&sink, SETTING, STR(pairs[i][0]), STR(pairs[i][1]));
        hashes[i] = digest_finish(digest);
        digest_destroy(digest);
    }
    assert_false(same(hashes[0], hashes[1]));
}

static void many_series_are_kept_apart(void **state) {
    (void)state;
    struct hash128 hashes[2];
    for (int backward = 0; backward < 2; backward++) {
        struct digest *digest = digest_create();
        struct ddbsim_sink sink = digest_sink(digest);
        for (int64_t t = 0; t < 3; t++) {
            for (int64_t i = 0; i < 5000; i++) {
                int64_t partition = backward ? 4999 - i : i;
                ROW(&sink, PARTITION_SAMPLE, INT(partition), INT(10 * t), INT(10),
                    NUM((double)partition), NUM(1), INT(0), INT(0), INT(1), INT(1));
            }
        }
        hashes[backward] = digest_finish(digest);
        digest_destroy(digest);
    }
    assert_true(same(hashes[0], hashes[1]));
}

/* ---- programming errors end the program ---- */

static void expect_end(void (*act)(struct ddbsim_sink *sink)) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr)) _exit(0);
        struct ddbsim_sink sink = digest_sink(digest_create());
        act(&sink);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void row_twice(struct ddbsim_sink *sink) {
    ROW(sink, SETTING, STR("a"), STR("1"));
    ROW(sink, SETTING, STR("a"), STR("2"));
}

static void row_back_in_time(struct ddbsim_sink *sink) {
    for (int64_t t = 1; t >= 0; t--)
        ROW(sink, PARTITION_SAMPLE, INT(0), INT(t), INT(1), NUM(0), NUM(0), INT(0), INT(0), INT(0),
            INT(0));
}

static void too_few_values(struct ddbsim_sink *sink) { ROW(sink, SETTING, STR("a")); }

static void wrong_type(struct ddbsim_sink *sink) { ROW(sink, SETTING, STR("a"), INT(1)); }

static void null_where_none_may_be(struct ddbsim_sink *sink) { ROW(sink, SETTING, STR("a"), NIL); }

static void programming_errors_end_the_program(void **state) {
    (void)state;
    expect_end(row_twice);
    expect_end(row_back_in_time);
    expect_end(too_few_values);
    expect_end(wrong_type);
    expect_end(null_where_none_may_be);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_rows_have_a_known_digest),
        cmocka_unit_test(interleaving_leaves_no_trace),
        cmocka_unit_test(every_listed_value_counts_and_no_other),
        cmocka_unit_test(a_missing_row_counts),
        cmocka_unit_test(the_list_leaves_out_what_it_says),
        cmocka_unit_test(reals_count_as_they_are_kept),
        cmocka_unit_test(texts_have_ends),
        cmocka_unit_test(many_series_are_kept_apart),
        cmocka_unit_test(programming_errors_end_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
