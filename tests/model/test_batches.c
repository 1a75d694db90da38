/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Batches through whole runs: members are judged one by one and in order (M-63), their callers decide what
 * becomes of those that come back (M-64). A bucket that gets 1 unit a second has exactly as many as seconds
 * have passed.
 */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define TABLE(write, more)                                                                        \
    "version: 1\nname: t\nduration: 5m\n"                                                         \
    "values: {k: {count: 100, distribution: sequential}, s: {count: 3}}\n"                        \
    "tables:\n- {name: t, read_capacity: 100, write_capacity: " write ", partitions: 1, "         \
    "new: true,\n   entities: [{name: e, partition_key: \"K#{k}\", count: 100, size: 1 KB}]" more \
    "}\n"

static double samples(const struct rows *rows, const char *name) {
    return rows_sum(rows, DDBSIM_LOG_METRIC, 7, 1, name);
}

static double finished_s(const struct rows *rows) {
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_OUTCOME &&
            strcmp(row_text(&rows->rows[r], 0), "finished_at") == 0 &&
            strcmp(row_text(&rows->rows[r], 1), "w") == 0)
            return row_number(&rows->rows[r], 2);
    return -1;
}

/* C60: a batch of 25 that meets 5 tokens: 20 members are refused, each an event, and the call is none of the
 * throttled requests. It is one sample of consumption and one latency. */
static void m63_a_batch_hides_its_refusals(void **state) {
    (void)state;
    struct rows rows =
        rows_run(TABLE("1", "") "workloads:\n- {name: w, start_time: +5s, vus: 1, iterations: 1, "
                                "mix: [{operation: BatchWriteItem, batch_size: 25}]}\n",
                 1);
    assert_true(rows_metric(&rows, 1, "WriteThrottleEvents", "") == 20);
    assert_true(rows_metric(&rows, 1, "ThrottledRequests", "BatchWriteItem") == 0);
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 5);
    assert_true(samples(&rows, "ConsumedWriteCapacityUnits") == 1);
    assert_true(samples(&rows, "SuccessfulRequestLatency") == 1);
    assert_int_equal(rows.totals.members, 25);
    assert_int_equal(rows.totals.throttled_members, 20);
    assert_int_equal(rows.totals.lost_members, 20);
    assert_int_equal(rows.totals.succeeded, 1);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    assert_true(rows_sum(&rows, DDBSIM_LOG_THROTTLE, 6, 0, NULL) == 20);
    assert_true(rows_sum(&rows, DDBSIM_LOG_THROTTLE, 7, 0, NULL) == 0);
    rows_free(&rows);
}

/* In order: the first five keys are written, the others refused. */
static void m63_members_are_judged_in_order(void **state) {
    (void)state;
    struct rows rows =
        rows_run(TABLE("1", "") "workloads:\n- {name: w, start_time: +5s, vus: 1, iterations: 1, "
                                "mix: [{operation: BatchWriteItem, batch_size: 8}]}\n",
                 1);
    int written = 0, refused = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.rows[r];
        if (row->table != DDBSIM_LOG_TOP_KEY || row_number(row, 2) != 0) continue;
        int key = atoi(row_text(row, 5) + strlen("K#"));
        if (strcmp(row_text(row, 1), "accessed") == 0)
            written += row_number(row, 7) == (key < 5);
        else
            refused += row_number(row, 8) == (key >= 5 && key < 8);
    }
    assert_true(written >= 5 && refused >= 3);
    rows_free(&rows);
}

/* All members refused: an exception, one throttled request, and the SDK sends the whole batch again. */
static void m63_a_batch_refused_as_a_whole(void **state) {
    (void)state;
    struct rows rows = rows_run(
        TABLE("1", "") "workloads:\n- {name: first, start_time: +5s, vus: 1, iterations: 1, mix: "
                       "[{operation: BatchWriteItem, batch_size: 5}]}\n"
                       "- {name: w, start_time: +5100ms, vus: 1, iterations: 1, "
                       "client: {max_attempts: 3, backoff: {jitter: none, throttling_base: 100ms, "
                       "max_backoff: 100ms}},\n"
                       "   mix: [{operation: BatchWriteItem, batch_size: 25}]}\n",
        1);
    /* At 5.1 s a tenth of a unit is there, which admits one; 24 came back to a caller that does not look. */
    assert_int_equal(rows.totals.throttled_attempts, 0);
    assert_int_equal(rows.totals.throttled_members, 24);
    rows_free(&rows);
    rows = rows_run(
        TABLE("1", "") "workloads:\n- {name: first, start_time: +5s, vus: 1, iterations: 1, mix: "
                       "[{operation: PutItem, size: 10 KB}]}\n"
                       "- {name: w, start_time: +5100ms, vus: 1, iterations: 1, "
                       "client: {max_attempts: 3, backoff: {jitter: none, throttling_base: 100ms, "
                       "max_backoff: 100ms}},\n"
                       "   mix: [{operation: BatchWriteItem, batch_size: 25}]}\n",
        1);
    /* The table owes five units: nothing is admitted for five seconds. */
    assert_true(rows_metric(&rows, 1, "ThrottledRequests", "BatchWriteItem") == 3);
    assert_true(rows_metric(&rows, 1, "WriteThrottleEvents", "") == 75);
    assert_int_equal(rows.totals.throttled_attempts, 3);
    assert_int_equal(rows.totals.retries, 2);
    assert_int_equal(rows.totals.failed, 1);
    assert_int_equal(rows.totals.members, 75);
    assert_int_equal(rows.totals.lost_members, 25);
    assert_true(rows_sum(&rows, DDBSIM_LOG_THROTTLE, 7, 0, NULL) == 3);
    rows_free(&rows);
}

/* Each member is rounded on its own: 1.5 KB is 2 W, and of 6.5 KB 2 R strong, 1 R eventual. */
static void m63_members_round_on_their_own(void **state) {
    (void)state;
    struct rows rows = rows_run(
        TABLE("4000", ", throttling: false") "workloads:\n"
                                             "- {name: w, vus: 1, iterations: 1, mix: [{operation: "
                                             "BatchWriteItem, size: 1536 B, "
                                             "batch_size: 2}]}\n"
                                             "- {name: r, vus: 1, iterations: 1, mix: [{operation: "
                                             "BatchGetItem, size: 6656 B, "
                                             "consistent_read: true, batch_size: 3}]}\n"
                                             "- {name: e, vus: 1, iterations: 1, mix: [{operation: "
                                             "BatchGetItem, size: 6656 B}]}\n",
        1);
    assert_int_equal(rows.totals.write_half_units, 8);
    assert_int_equal(rows.totals.read_half_units, 2 * (3 * 2) + 2 * 100);
    assert_int_equal(rows.totals.members, 105);
    rows_free(&rows);
}

/* The member of an index that holds its table back is an event of the index alone; and every member that is
 * accepted leaves index work. */
static void m63_members_and_indexes(void **state) {
    (void)state;
    struct rows rows = rows_run(
        TABLE("1000",
              ",\n   indexes: [{name: i, partition_key: \"S#{s}\", read_capacity: 1, "
              "write_capacity: 2, backpressure: {preset: textbook, buffer: 30}, burst: {window: "
              "1s, initial: 0%}}]") "workloads:\n- {name: w, rate: 10/s, arrivals: paced, mix: "
                                    "[{operation: BatchWriteItem, batch_size: 25}]}\n",
        1);
    double units = rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "");
    assert_true(rows_metric(&rows, 1, "WriteThrottleEvents", "") == 0);
    assert_true(rows_metric(&rows, 2, "WriteThrottleEvents", "") ==
                (double)rows.totals.throttled_members);
    assert_true(rows_metric(&rows, 1, "ThrottledRequests", "BatchWriteItem") ==
                (double)rows.totals.throttled_attempts);
    assert_true(rows.totals.throttled_attempts > 1000);
    /* In steady back-pressure the table accepts what the index drains. */
    double drained = rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "");
    assert_true(units - drained >= 0 && units - drained < 60);
    assert_true(drained > 2 * 290 && drained < 2 * 310);
    rows_free(&rows);
}

#define LOAD(strategy)                                                                       \
    TABLE("25", "")                                                                          \
    "workloads:\n- {name: w, vus: 2, iterations: 40, client: {max_attempts: 1000, backoff: " \
    "{throttling_base: 20ms, max_backoff: 1s}, batch_unprocessed: {" strategy "}},\n"        \
    "   mix: [{operation: BatchWriteItem, batch_size: 25}]}\n"

/* What is refused is sent again until all is written: 1,000 units at 25 a second. */
static void m64_unprocessed_members_are_sent_again(void **state) {
    (void)state;
    static const char *const texts[] = {
        LOAD("strategy: immediate"),
        LOAD("strategy: exponential, base: 100ms, cap: 400ms, max_retries: 1000")};
    double attempts[2];
    for (int i = 0; i < 2; i++) {
        struct rows rows = rows_run(texts[i], 1);
        const struct ddbsim_totals *t = &rows.totals;
        assert_int_equal(t->lost_members, 0);
        assert_int_equal(t->failed, 0);
        assert_int_equal(t->succeeded, 40);
        assert_int_equal(t->members - t->throttled_members, 1000);
        assert_int_equal(t->write_half_units, 2000);
        assert_true(finished_s(&rows) > 38 && finished_s(&rows) < 42);
        attempts[i] = (double)t->attempts;
        rows_free(&rows);
    }
    /* B04: without a wait, many more calls for the same items. */
    assert_true(attempts[0] > 3 * attempts[1]);
}

/* 50 ms, then twice that: a batch is given up after its last try, and its arrival with it. At 20 W/s the tokens
 * that have come are enough for 10, 2, 2 and 4 members, the last of each on debt. */
static void m64_exponential_ends(void **state) {
    (void)state;
    struct rows rows = rows_run(
        TABLE("20",
              "") "workloads:\n- {name: w, start_time: +500ms, vus: 1, iterations: 1, client: "
                  "{batch_unprocessed: {strategy: exponential, max_retries: 3}},\n"
                  "   mix: [{operation: BatchWriteItem, batch_size: 25}]}\n",
        1);
    assert_int_equal(rows.totals.attempts, 4);
    assert_int_equal(rows.totals.failed, 1);
    assert_int_equal(rows.totals.lost_members, 7);
    assert_int_equal(rows.totals.members, 25 + 15 + 13 + 11);
    assert_true(finished_s(&rows) > 0.85 && finished_s(&rows) < 0.9);
    rows_free(&rows);
}

/* A batch is filled up with new members: calls are whole until the end, and whoever finishes leaves some. */
static void m64_top_up(void **state) {
    (void)state;
    struct rows rows = rows_run(LOAD("strategy: top_up"), 1);
    const struct ddbsim_totals *t = &rows.totals;
    assert_int_equal(t->members, 25 * t->attempts);
    assert_int_equal(t->lost_members, 0);
    assert_int_equal(t->succeeded, 40);
    assert_true(t->throttled_members > 0);
    assert_int_equal(2 * (t->members - t->throttled_members), t->write_half_units);
    rows_free(&rows);
}

/* In a sequence a batch that was not served in full goes on where its caller does not look, and ends the
 * arrival where it gives up. */
static void m64_sequences(void **state) {
    (void)state;
    static const char *const strategies[] = {"drop", "exponential, max_retries: 0"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 TABLE("1", "") "workloads:\n- {name: w, start_time: +2s, vus: 1, iterations: 1, "
                                "client: {batch_unprocessed: {strategy: %s}},\n"
                                "   sequence: [{operation: BatchWriteItem, batch_size: 10}, "
                                "{operation: GetItem}]}\n",
                 strategies[i]);
        struct rows rows = rows_run(text, 1);
        assert_int_equal(rows.totals.requests, i == 0 ? 2 : 1);
        assert_int_equal(rows.totals.failed, i);
        assert_int_equal(rows.totals.lost_members, 8);
        rows_free(&rows);
    }
}

/* A refused call of members on their way again keeps the SDK's own count of attempts and its quota. */
static void m64_sdk_attempts_begin_anew(void **state) {
    (void)state;
    struct rows rows =
        rows_run(TABLE("5", "") "workloads:\n- {name: w, vus: 1, iterations: 5, client: {preset: "
                                "boto3-standard, batch_unprocessed: {strategy: immediate}},\n"
                                "   mix: [{operation: BatchWriteItem, batch_size: 25}]}\n",
                 1);
    const struct ddbsim_totals *t = &rows.totals;
    assert_int_equal(t->attempts, t->requests + t->retries);
    assert_true(t->retries > 5 && t->throttled_attempts > 5);
    assert_int_equal(t->members - t->throttled_members + t->lost_members, 125);
    rows_free(&rows);
}

/* Items of the table at the end. */
static double stored(const struct rows *rows) {
    double items = -1;
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_STORAGE && row_number(&rows->rows[r], 0) == 1)
            items = row_number(&rows->rows[r], 3);
    return items;
}

/* A share of a BatchWriteItem's members deletes: each pays what it removes, its index entries go, nothing new comes. */
/* An answer of 16 MB holds 40 items of 400 KB: the others are neither read nor refused, and come back; who asks for them
 * again has all in three answers. */
static void m63_an_answer_has_no_room(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nname: t\nduration: 5m\nvalues: {k: {count: 1000, distribution: sequential}}\n"
        "tables:\n- {name: t, read_capacity: 9000, write_capacity: 1, partitions: 8, entities: "
        "[{name: e, partition_key: \"K#{k}\", count: 1000, size: 400 KB}]}\nworkloads:\n- {name: "
        "w, "
        "vus: 1, iterations: 10, mix: [{operation: BatchGetItem, batch_size: 100}], client: "
        "{batch_unprocessed: {strategy: %s}}}\n";
    char filled[1024];
    snprintf(filled, sizeof filled, text, "drop");
    struct rows rows = rows_run(filled, 1);
    assert_int_equal(rows.totals.members, 1000);
    assert_int_equal(rows.totals.lost_members, 600);
    assert_int_equal(rows.totals.throttled_members, 0);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    assert_int_equal(rows.totals.read_half_units, 400 * 100);
    rows_free(&rows);
    snprintf(filled, sizeof filled, text, "immediate");
    rows = rows_run(filled, 1);
    assert_int_equal(rows.totals.attempts, 30);
    assert_int_equal(rows.totals.members, 10 * (100 + 60 + 20));
    assert_int_equal(rows.totals.lost_members, 0);
    assert_int_equal(rows.totals.read_half_units, 1000 * 100);
    rows_free(&rows);
}

static void m63_members_may_delete(void **state) {
    (void)state;
    static const struct {
        const char *deletes;
        double items_least, items_most;
    } each[] = {{"0%", 1000 + 6000, 1000 + 6000},
                {"100%", 1000 - 6000, 1000 - 6000},
                {"25%", 1000 + 2700, 1000 + 3300}};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "version: 1\nname: t\nduration: 5m\nvalues: {k: {count: 100}}\ntables:\n"
            "- {name: t, read_capacity: 9, write_capacity: 900, entities: [{name: e, "
            "partition_key: \"K#{k}\", sort_key: \"{n}\", count: 1000, size: 2 KB, ttl: {after: "
            "9d}}], indexes: [{name: g, partition_key: \"G#{k}\", projection: KEYS_ONLY, "
            "read_capacity: 9, write_capacity: 900}]}\n"
            "workloads:\n- {name: w, rate: 4/s, arrivals: paced, end_time: +1m, mix: "
            "[{operation: BatchWriteItem, batch_size: 25, deletes: %s}]}\n",
            each[i].deletes);
        struct rows rows = rows_run(text, 1);
        double held = stored(&rows);
        double least = each[i].items_least > 0 ? each[i].items_least : 0,
               most = each[i].items_most > 0 ? each[i].items_most : 0;
        if (held < least || held > most)
            fail_msg("deletes: %s leave %g items", each[i].deletes, held);
        /* 6,000 members of 2 KB, and as many entries, of a unit each. */
        assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") <= 12000);
        assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") >=
                    (i == 1 ? 6000 : 12000));
        assert_true(rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "") == 6000);
        rows_free(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m63_members_may_delete),
        cmocka_unit_test(m63_an_answer_has_no_room),
        cmocka_unit_test(m63_a_batch_hides_its_refusals),
        cmocka_unit_test(m63_members_are_judged_in_order),
        cmocka_unit_test(m63_a_batch_refused_as_a_whole),
        cmocka_unit_test(m63_members_round_on_their_own),
        cmocka_unit_test(m63_members_and_indexes),
        cmocka_unit_test(m64_unprocessed_members_are_sent_again),
        cmocka_unit_test(m64_exponential_ends),
        cmocka_unit_test(m64_top_up),
        cmocka_unit_test(m64_sequences),
        cmocka_unit_test(m64_sdk_attempts_begin_anew),
    };
    return cmocka_run_group_tests_name("batches", tests, NULL, NULL);
}
