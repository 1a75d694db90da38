/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams and their readers in whole runs (M-85, M-86): each record once, in batches, and nothing of the table's. */
#include <support/cmocka.h>
#include <support/run_rows.h>

#define TABLES                                                                                    \
    "version: 1\nname: streams\nstart: 2026-01-01T00:00:00+00:00\nduration: 30m\n"                \
    "values: {c: {count: 500}}\n"                                                                 \
    "tables:\n"                                                                                   \
    "  - {name: carts, read_capacity: 50, write_capacity: 60, partitions: 4, burst: {initial: "   \
    "0%%}, %s\n"                                                                                  \
    "     entities: [{name: cart, partition_key: \"C#{c}\", sort_key: \"C#{n}\", count: 5000, "   \
    "size: 1 KB%s}]}\n"                                                                           \
    "  - {name: archive, read_capacity: 50, write_capacity: 500,\n"                               \
    "     entities: [{name: old, partition_key: \"O#{uuid}\", count: 10, size: 1 KB}]}\n"         \
    "workloads:\n"                                                                                \
    "  - {name: w, table: carts, rate: 20/s, end_time: +29m, mix: [\n"                            \
    "      {operation: PutItem}, {operation: UpdateItem}, {operation: DeleteItem, weight: 0.2}, " \
    "{operation: GetItem}]}\n"

static struct rows run_of(const char *stream, const char *ttl, const char *reader) {
    char text[4096];
    int used = snprintf(text, sizeof text, TABLES, stream, ttl);
    snprintf(text + used, sizeof text - (size_t)used, "%s", reader);
    return rows_run(text, 9);
}

enum {
    TOTAL_WORKLOAD,
    TOTAL_TABLE,
    TOTAL_OPERATION,
    TOTAL_REQUESTS,
    TOTAL_ATTEMPTS,
    TOTAL_SUCCEEDED
};

static double total(const struct rows *rows, const char *workload, bool writes, size_t column) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        bool is_read = strncmp(row_text(row, TOTAL_OPERATION), "Get", 3) == 0;
        if (row->table == DDBSIM_LOG_WORKLOAD_TOTAL &&
            strcmp(row_text(row, TOTAL_WORKLOAD), workload) == 0 && (!writes || !is_read))
            sum += row_number(row, column);
    }
    return sum;
}

#define STREAM "stream: NEW_AND_OLD_IMAGES,"
#define READER "  - {name: reader, stream_of: carts, table: archive, mix: [{operation: PutItem}]}\n"
#define BATCHES                                                                               \
    "  - {name: reader, stream_of: carts, table: archive, mix: [{operation: BatchWriteItem, " \
    "batch_size: 5}]}\n"

static void m85_a_stream_costs_nothing(void **state) {
    (void)state;
    struct rows with = run_of(STREAM, "", READER), without = run_of("", "", "");
    assert_true(total(&with, "w", false, TOTAL_SUCCEEDED) ==
                total(&without, "w", false, TOTAL_SUCCEEDED));
    size_t a = 0, compared = 0;
    for (size_t b = 0; b < without.count; b++) {
        if (without.rows[b].table != DDBSIM_LOG_SECOND || row_number(&without.rows[b], 0) != 1)
            continue;
        while (with.rows[a].table != DDBSIM_LOG_SECOND || row_number(&with.rows[a], 0) != 1)
            a++;
        for (size_t i = 0; i < with.rows[a].count; i++)
            assert_true(row_number(&with.rows[a], i) == row_number(&without.rows[b], i));
        a++;
        compared++;
    }
    assert_true(compared > 1500);
    rows_free(&with);
    rows_free(&without);
}

static void m85_each_write_is_a_record(void **state) {
    (void)state;
    struct rows rows = run_of(STREAM, "", READER);
    double writes = total(&rows, "w", true, TOTAL_SUCCEEDED);
    assert_true(writes > 20000);
    assert_true(total(&rows, "reader", true, TOTAL_REQUESTS) == writes);
    rows_free(&rows);
}

/* Records that a shard has at a poll come together, as many as a batch holds. */
static void m86_records_come_in_batches(void **state) {
    (void)state;
    struct rows rows = run_of(STREAM, "", BATCHES);
    double writes = total(&rows, "w", true, TOTAL_SUCCEEDED);
    double members = rows_sum(&rows, DDBSIM_LOG_BATCH_SECOND, 5, 0, "reader");
    double batches = total(&rows, "reader", true, TOTAL_REQUESTS);
    assert_true(members == writes);
    assert_true(batches > members / 5 && batches < members);
    rows_free(&rows);
}

/* The first record is read no sooner than it is in the stream. */
static void m86_records_are_late(void **state) {
    (void)state;
    struct rows rows = run_of(STREAM " model: {stream_delay: 20s, stream_poll: 5s},", "", READER);
    int64_t first_write = -1, first_read = -1;
    for (size_t r = rows.count; r-- > 0;) {
        const struct row *row = &rows.rows[r];
        if (row->table != DDBSIM_LOG_WORKLOAD_SECOND || row_number(row, 3) == 0) continue;
        int64_t t = (int64_t)row_number(row, 1);
        if (strcmp(row_text(row, 0), "reader") == 0) {
            first_read = t;
            assert_int_equal(t % 5, 0);
        } else {
            first_write = t;
        }
    }
    assert_true(first_read >= first_write + 20 && first_read <= first_write + 26);
    rows_free(&rows);
}

/* Deletes by TTL are records too, which a reader may want alone. */
static void m86_deletes_by_ttl_are_records(void **state) {
    (void)state;
    static const char ttl[] = ", ttl: {after: 1m, age: 1m}";
    struct rows all = run_of(STREAM, ttl, READER);
    struct rows some = run_of(STREAM, ttl,
                              "  - {name: reader, stream_of: carts, stream_records: ttl, table: "
                              "archive, mix: [{operation: PutItem}]}\n");
    struct rows none = run_of(STREAM, ttl,
                              "  - {name: reader, stream_of: carts, stream_records: callers, "
                              "table: archive, mix: [{operation: PutItem}]}\n");
    double deleted = rows_sum(&all, DDBSIM_LOG_METRIC, 6, 1, "TimeToLiveDeletedItemCount");
    double writes = total(&all, "w", true, TOTAL_SUCCEEDED);
    double read = total(&some, "reader", true, TOTAL_REQUESTS);
    assert_true(deleted > 8000);
    /* Those of the last minute come in the next one. */
    assert_true(read <= deleted && read > 0.9 * deleted);
    assert_true(total(&all, "reader", true, TOTAL_REQUESTS) == writes + read);
    assert_true(total(&none, "reader", true, TOTAL_REQUESTS) == writes);
    rows_free(&all);
    rows_free(&some);
    rows_free(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m85_a_stream_costs_nothing),
        cmocka_unit_test(m85_each_write_is_a_record),
        cmocka_unit_test(m86_records_come_in_batches),
        cmocka_unit_test(m86_records_are_late),
        cmocka_unit_test(m86_deletes_by_ttl_are_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
