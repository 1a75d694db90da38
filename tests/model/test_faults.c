/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Faults in whole runs (M-100 to M-104): what a table does while one lasts, and that nothing of it stays. */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD "version: 1\nname: t\nduration: 10m\nvalues: {k: {count: 10000}}\ntables:\n"
#define ENTITY "entities: [{name: e, partition_key: \"K#{k}\", count: 10000, size: 1 KB}]"
#define TABLE "- {name: t, read_capacity: 1000, write_capacity: 85, " ENTITY "}\n"
#define LOAD(rate, operation, more)                                                         \
    "workloads:\n- {name: w, arrivals: paced, rate: " rate ", mix: [{operation: " operation \
    "}]" more "}\n"

enum { SECOND_T = 1, SECOND_READS = 3, SECOND_WRITES = 4, SECOND_WRITE_LIMIT = 8 };
enum { WORKLOAD_T = 1, WORKLOAD_REQUESTS = 3, WORKLOAD_ATTEMPTS = 4 };

/* Sum of a column of `second` of resource 1, or of workload_second, over [from, to). */
static double sum_of(const struct rows *rows, enum ddbsim_log_table table, size_t column,
                     int64_t from_s, int64_t to_s) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != table || row_number(row, 1) < (double)from_s ||
            row_number(row, 1) >= (double)to_s)
            continue;
        if (table == DDBSIM_LOG_SECOND && row_number(row, 0) != 1) continue;
        sum += row_number(row, column);
    }
    return sum;
}

static int count_events(const struct rows *rows, const char *kind, int64_t t_ns) {
    int count = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_EVENT && strcmp(row_text(row, 2), kind) == 0 &&
            (t_ns < 0 || (int64_t)row_number(row, 1) == t_ns))
            count++;
    }
    return count;
}

static void m100_faults_are_events(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE LOAD("10/s", "PutItem",
                                 "") "faults:\n"
                                     "- {at: +2m, for: 90s, table: t, kind: latency, to: 200ms}\n"
                                     "- {at: +3m, for: 1h, kind: clients_pause, workload: w}\n",
                 1);
    assert_int_equal(count_events(&rows, "fault_began", INT64_C(120000000000)), 1);
    assert_int_equal(count_events(&rows, "fault_ended", INT64_C(210000000000)), 1);
    assert_int_equal(count_events(&rows, "fault_began", -1), 2);
    assert_int_equal(count_events(&rows, "fault_ended", -1), 1); /* the other outlasts the run */
    assert_true(sum_of(&rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_REQUESTS, 180, 600) == 0);
    rows_free(&rows);
}

/* 30 % of 85 are 25.5 a second: not 25, not 26. What was saved is not served, and is gone afterwards. */
static void m101_capacity_is_a_share(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE LOAD("200/s", "PutItem", "") "faults: [{at: +200s, for: "
                                                "200s, table: t, kind: capacity, to: 30%}]\n",
        1);
    double during = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 201, 400);
    assert_true(fabs(during - 199 * 25.5) <= 1);
    /* The burst of 25,500 units outlasts the first 200 s at 115 above the capacity. */
    assert_true(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 0, 200) == 200 * 200);
    double after = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 401, 600);
    assert_true(fabs(after - 199 * 85) <= 1);
    double limit = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITE_LIMIT, 300, 301);
    assert_true(limit == 25.5);
    rows_free(&rows);
}

/* Without load in the fault a table saves nothing: it begins anew to save when the fault is over. */
static void m101_nothing_is_saved(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE "workloads:\n- {name: w, arrivals: paced, start_time: +5m, rate: 200/s, mix: "
                   "[{operation: PutItem}]}\nfaults: [{at: +1m, for: 3m59s, kind: capacity, to: "
                   "33.33%}]\n",
        1);
    /* From minute 5: one second's capacity saved since the fault's end, less than two were kept. */
    double served = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 300, 310);
    assert_true(served >= 10 * 85 + 85 && served <= 10 * 85 + 2 * 85 + 1);
    rows_free(&rows);
}

/* What UpdateTable brings in a fault is scaled too, a change of mode as well; and when it is over all of it is there. */
static void m101_capacity_may_change_meanwhile(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD
        "- {name: t, read_capacity: 1000, write_capacity: 85, partitions: 4, " ENTITY "}\n" LOAD(
            "300/s", "PutItem",
            "") "model: {update_delay: 10s, mode_delay: 10s}\n"
                "changes: [{at: +190s, set: {tables.t.write_capacity: 170}}, {at: +390s, set: "
                "{tables.t.billing_mode: PAY_PER_REQUEST}}]\n"
                "faults: [{at: +100s, for: 200s, kind: capacity, to: 30%}, {at: +350s, for: 200s, "
                "kind: capacity, to: 1%}]\n",
        1);
    assert_true(fabs(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 110, 190) - 80 * 25.5) <= 2);
    assert_true(fabs(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 210, 299) - 89 * 51) <= 2);
    assert_true(fabs(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 310, 349) - 39 * 170) <= 2);
    assert_true(fabs(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 410, 540) - 130 * 40) <= 130);
    assert_true(fabs(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 560, 590) - 30 * 300) <= 2);
    rows_free(&rows);
}

/* Indexes serve the same share, and hold their table back. */
static void m101_indexes_too(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD "- {name: t, read_capacity: 10, write_capacity: 5000, " ENTITY ",\n"
             "   indexes: [{name: i, partition_key: \"I#{k}\", read_capacity: 1, write_capacity: "
             "100, burst: {initial: 0%}, backpressure: {preset: textbook}}]}\n" LOAD(
                 "90/s", "PutItem", "") "faults: [{at: +2m, for: 2m, kind: capacity, to: 50%}]\n",
        1);
    double served = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.rows[r];
        if (row->table == DDBSIM_LOG_SECOND && row_number(row, 0) == 2 &&
            row_number(row, 1) >= 125 && row_number(row, 1) < 235)
            served += row_number(row, SECOND_WRITES);
    }
    assert_true(fabs(served - 110 * 50) <= 110);
    assert_true(rows_metric(&rows, 2, "WriteThrottleEvents", "") > 0);
    assert_true(rows_metric(&rows, 1, "WriteThrottleEvents", "") == 0);
    rows_free(&rows);
}

/* What an on-demand table has grown to falls alike; its quota does not. */
static void m101_on_demand(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD "- {name: t, billing_mode: PAY_PER_REQUEST, new: true, " ENTITY
                      "}\n" LOAD("3000/s", "PutItem",
                                 "") "faults: [{at: +100s, for: 50s, kind: capacity, to: 25%}]\n",
                 1);
    double during = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 101, 150);
    assert_true(fabs(during - 49 * 1000) <= 49);
    assert_true(sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_WRITES, 151, 200) == 49 * 3000);
    rows_free(&rows);
}

static double median_ms(const struct rows *rows, int64_t from_s, int64_t to_s) {
    double below = 0, all = 0, best = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t r = 0; r < rows->count; r++) {
            const struct row *row = &rows->rows[r];
            if (row->table != DDBSIM_LOG_LATENCY || strcmp(row_text(row, 4), "service") != 0 ||
                row_number(row, 5) < (double)from_s || row_number(row, 5) >= (double)to_s)
                continue;
            if (pass == 0) all += row_number(row, 9);
            if (pass == 1 && below < all / 2 && row_number(row, 7) > best) {
                below += row_number(row, 9);
                best = row_number(row, 7);
            }
        }
    return best / 1000;
}

static void m102_answers_are_late(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE LOAD("50/s", "PutItem", "") "faults: [{at: +2m, for: 3m, "
                                                        "table: t, kind: latency, to: 200ms}]\n",
                 1);
    double before = median_ms(&rows, 60, 120), during = median_ms(&rows, 180, 240),
           after = median_ms(&rows, 360, 420);
    assert_true(before > 1 && before < 20 && during > 190 && during < 210);
    assert_true(fabs(after - before) < 1);
    rows_free(&rows);
}

/* Nothing is faster than it usually is. */
static void m102_never_faster(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE LOAD("50/s", "PutItem", "") "faults: [{at: +1m, for: 3m, "
                                                        "kind: latency, to: 1ms}]\n",
                 1);
    assert_true(fabs(median_ms(&rows, 120, 180) - median_ms(&rows, 360, 420)) < 0.5);
    rows_free(&rows);
}

/* An HTTP 500 is free, does nothing, is counted by operation, and is tried again. */
static void m103_errors_are_free(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE LOAD("50/s", "PutItem", "") "faults: [{at: +2m, for: 4m, "
                                                        "table: t, kind: errors, to: 20%}]\n",
                 3);
    double errors = rows_metric(&rows, 1, "SystemErrors", "PutItem");
    /* 12,000 attempts of one in five: sigma is 44. */
    assert_true(fabs(errors - 2400) < 220);
    assert_true(rows_outcome(&rows, "system_errors", "") == errors);
    assert_true((double)rows.totals.failed == errors && rows.totals.throttled_attempts == 0);
    assert_true((double)rows.totals.write_half_units == 2 * (30000 - errors));
    rows_free(&rows);
}

static void m103_errors_are_tried_again(void **state) {
    (void)state;
    static const char client[] = ", client: {max_attempts: 3, backoff: {base: 10ms, "
                                 "throttling_base: 10ms}}";
    char text[4096];
    const char *const operations[] = {"PutItem", "BatchWriteItem", "Query, items: 1"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text,
                 "%sworkloads:\n- {name: w, arrivals: paced, rate: 2/s, mix: [{operation: %s}]%s}\n"
                 "faults: [{at: +1m, for: 5m, kind: errors, to: 50%%}]\n",
                 HEAD TABLE, operations[i], client);
        struct rows rows = rows_run(text, 5);
        /* One in eight of 600; sigma is 8. */
        assert_true(fabs((double)rows.totals.failed - 75) < 41);
        assert_true(rows.totals.retries > 350 && rows.totals.retries < 550);
        rows_free(&rows);
    }
}

/* Members of a call that was answered with an HTTP 500 were not refused; given up, they are lost. */
static void m103_batches_and_transactions(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE "workloads:\n- {name: b, rate: 1/s, mix: [{operation: BatchWriteItem, "
                            "batch_size: 5}]}\n- {name: t, rate: 1/s, client: {max_attempts: 2}, "
                            "mix: [{operation: TransactWriteItems, actions: [{times: 2}]}]}\n"
                            "faults: [{at: +0s, for: 10m, kind: errors, to: 100%}]\n",
                 1);
    assert_true(rows.totals.requests > 1000 && rows.totals.succeeded == 0);
    assert_true(rows.totals.lost_members == rows.totals.members && rows.totals.members > 2000);
    assert_int_equal(rows.totals.throttled_members, 0);
    assert_true(rows_metric(&rows, 1, "SystemErrors", "TransactWriteItems") >
                rows_metric(&rows, 1, "SystemErrors", "BatchWriteItem"));
    assert_int_equal(rows.totals.write_half_units, 0);
    rows_free(&rows);
}

/* What would have been sent in the pause is sent when it is over: none is lost, and none is sent before. */
static void m104_paused_callers_send_later(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD "- {name: t, read_capacity: 1000, write_capacity: 5000, " ENTITY
                      "}\n" LOAD("20/s", "PutItem", "") "faults: [{at: +2m, for: 1m, "
                                                        "kind: clients_pause}]\n",
                 1);
    assert_true(sum_of(&rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_ATTEMPTS, 120, 180) == 0);
    assert_true(sum_of(&rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_ATTEMPTS, 180, 181) == 61 * 20);
    assert_int_equal(rows.totals.requests, 12000);
    rows_free(&rows);
}

/* One fault ends as the next begins: in whatever order they are written, each holds for its whole time. */
static void m100_one_after_the_other(void **state) {
    (void)state;
    static const char *const written[] = {
        "faults: [{at: +2m, for: 2m, table: t, kind: errors, to: 100%}, {at: +4m, for: 2m, table: "
        "t, kind: errors, to: 100%}]\n",
        "faults: [{at: +4m, for: 2m, table: t, kind: errors, to: 100%}, {at: +2m, for: 2m, table: "
        "t, kind: errors, to: 100%}]\n"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%s%s", HEAD TABLE LOAD("20/s", "PutItem", ""), written[i]);
        struct rows rows = rows_run(text, 1);
        assert_int_equal(rows.totals.failed, 240 * 20);
        assert_int_equal(count_events(&rows, "fault_began", -1), 2);
        assert_int_equal(count_events(&rows, "fault_ended", -1), 2);
        rows_free(&rows);
    }
}

/* Who waits for its turn in a pause has its own time from then on: functions that end sooner than the pause. */
static void m104_functions_begin_after_the_pause(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD "- {name: t, read_capacity: 1000, write_capacity: 5000, " ENTITY
             "}\nworkloads:\n- {name: w, arrivals: paced, rate: 10/s, sequence: [{operation: "
             "GetItem, times: 2}], client: {function_timeout: 6s}}\n"
             "faults: [{at: +2m, for: 1m, kind: clients_pause}]\n",
        1);
    /* Only what was in the middle of its work as the pause began is cut. */
    assert_true(rows.totals.failed <= 1);
    assert_true(rows.totals.succeeded >= 2 * 6000 - 2);
    rows_free(&rows);
}

#define PAUSE(at, time) "faults: [{at: " at ", for: " time ", kind: clients_pause}]\n"
#define AMPLE "- {name: t, read_capacity: 1000, write_capacity: 5000, " ENTITY "}\n"

/* Whatever makes calls and whichever timeout it has, a long pause costs at most what was under way as it began. */
static void m104_a_pause_kills_nothing(void **state) {
    (void)state;
    static const char *const callers[] = {
        "vus: 20, think_time: 100ms", "vus: 20, iterations: 20000", "rate: 20/s",
        "rate: 20/s, queue: {batch_size: 2, max_receive_count: 2, visibility_timeout: 30s}"};
    static const char *const timeouts[] = {"call_timeout: 500ms", "function_timeout: 5s",
                                           "function_timeout: 5s, rate_limit: 5000/s"};
    static const char *const work[] = {"mix: [{operation: PutItem}]",
                                       "sequence: [{operation: GetItem}, {operation: PutItem}]"};
    for (size_t i = 0; i < 4 * 3 * 2; i++) {
        char text[2048];
        snprintf(text, sizeof text, "%sworkloads:\n- {name: w, %s, client: {%s}, %s}\n%s",
                 HEAD AMPLE, callers[i % 4], timeouts[i / 4 % 3], work[i / 12], PAUSE("+2m", "5m"));
        struct rows rows = rows_run(text, 1);
        if (rows.totals.failed > 20)
            fail_msg("%s: %llu", text, (unsigned long long)rows.totals.failed);
        if (i % 4 == 3) {
            assert_true(rows_outcome(&rows, "dead_letters", "") == 0);
            assert_true(rows_outcome(&rows, "received", "") <=
                        rows_outcome(&rows, "messages", "") + 20);
        }
        assert_true(rows.totals.succeeded > 4000);
        assert_true(sum_of(&rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_ATTEMPTS, 121, 420) == 0);
        rows_free(&rows);
    }
}

/* A Lambda on a stream begins no batch in a pause, and afterwards knows how old its records are. */
static void m104_records_keep_their_age(void **state) {
    (void)state;
    static const char text[] = HEAD
        "- {name: t, read_capacity: 1000, write_capacity: 1000, partitions: 1, stream: "
        "NEW_IMAGE, " ENTITY "}\n- {name: copy, read_capacity: 1000, write_capacity: 3000, " ENTITY
        "}\nworkloads:\n- {name: w, table: t, arrivals: paced, rate: 30/s, end_time: +9m, mix: "
        "[{operation: PutItem}]}\n- {name: r, stream_of: t, table: copy, batch_size: 100, "
        "maximum_record_age: %s, client: {function_timeout: 5s}, mix: [{operation: "
        "PutItem}]}\nfaults: [{at: +1m, for: 5m, kind: clients_pause, workload: r}%s]\n";
    char filled[2048];
    snprintf(filled, sizeof filled, text, "1h", "");
    struct rows rows = rows_run(filled, 1);
    double age = rows_outcome(&rows, "iterator_age", "");
    assert_true(age > 290 && age < 301);
    assert_true(rows_outcome(&rows, "received", "") == 9 * 60 * 30);
    assert_true(rows_outcome(&rows, "failed_invocations", "") <= 1);
    assert_true(rows_outcome(&rows, "dead_letters", "") == 0);
    rows_free(&rows);
    /* What is older than two minutes when the pause ends is given up; the lane holds one batch. */
    snprintf(filled, sizeof filled, text, "2m", "");
    rows = rows_run(filled, 1);
    assert_true(fabs(rows_outcome(&rows, "dead_letters", "") - 3 * 60 * 30) <= 130);
    rows_free(&rows);
    /* A batch that failed before the pause is tried again after it, not in it. */
    snprintf(filled, sizeof filled, text, "1h",
             ", {at: +40s, for: 20s, table: copy, kind: errors, to: 100%}");
    rows = rows_run(filled, 1);
    double failed = rows_outcome(&rows, "failed_invocations", "");
    assert_true(failed == 5); /* after 1, 2, 4 and 8 s, each of them */
    assert_true(rows_outcome(&rows, "received", "") == 9 * 60 * 30);
    rows_free(&rows);
}

/* A pause that ends with the run, or later, is never over. */
static void m104_to_the_very_end(void **state) {
    (void)state;
    static const char *const callers[] = {"arrivals: paced, rate: 20/s", "vus: 20, think_time: 1s",
                                          "rate: 20/s, queue: {}"};
    static const char *const pauses[] = {PAUSE("+8m", "2m"), PAUSE("+8m", "1h")};
    for (size_t i = 0; i < 3 * 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "%sworkloads:\n- {name: w, %s, mix: [{operation: PutItem}]}\n%s", HEAD AMPLE,
                 callers[i % 3], pauses[i / 3]);
        struct rows rows = rows_run(text, 1);
        assert_true(sum_of(&rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_ATTEMPTS, 0, 480) > 8000);
        assert_true(sum_of(&rows, DDBSIM_LOG_WORKLOAD_SECOND, WORKLOAD_ATTEMPTS, 480, 600) == 0);
        rows_free(&rows);
    }
}

/* A stream goes on while its readers pause, for longer than its polls are kept apart; deletes by TTL as well. */
static void m104_readers_of_a_stream_catch_up(void **state) {
    (void)state;
    static const char *const readers[] = {"", ", batch_size: 10"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD
                 "- {name: t, read_capacity: 1000, write_capacity: 1000, partitions: 2, stream: "
                 "NEW_AND_OLD_IMAGES, entities: [{name: e, partition_key: \"K#{k}\", count: "
                 "10000, size: 1 KB, ttl: {after: 1h}}]}\n- {name: copy, read_capacity: 1000, "
                 "write_capacity: 3000, " ENTITY
                 "}\nworkloads:\n- {name: w, table: t, arrivals: paced, rate: 30/s, end_time: "
                 "+8m, mix: [{operation: PutItem}]}\n- {name: r, stream_of: t, table: copy%s, "
                 "mix: [{operation: PutItem}]}\n"
                 "faults: [{at: +1m, for: 5m, kind: clients_pause, workload: r}]\n",
                 readers[i]);
        struct rows rows = rows_run(text, 1);
        double asked = rows_sum(&rows, DDBSIM_LOG_WORKLOAD_TOTAL, 4, 0, "r");
        assert_true(asked >= 8 * 60 * 30);
        if (i == 1) assert_true(rows_outcome(&rows, "received", "r") == asked);
        rows_free(&rows);
    }
}

/* Callers in a closed loop stand still; others go on. */
static void m104_loops_stand_still(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE "workloads:\n- {name: v, vus: 3, think_time: 1s, mix: [{operation: "
                   "GetItem}]}\n- {name: w, arrivals: paced, rate: 1/s, mix: [{operation: "
                   "GetItem}]}\nfaults: [{at: +2m, for: 5m, kind: clients_pause, workload: "
                   "v}]\n",
        1);
    double v = 0, w = 0;
    for (size_t r = 0; r < rows.count; r++) {
        const struct row *row = &rows.rows[r];
        if (row->table != DDBSIM_LOG_WORKLOAD_SECOND || row_number(row, WORKLOAD_T) < 121 ||
            row_number(row, WORKLOAD_T) >= 420)
            continue;
        *(strcmp(row_text(row, 0), "v") == 0 ? &v : &w) += row_number(row, WORKLOAD_ATTEMPTS);
    }
    assert_true(v == 0 && w == 299);
    assert_true(rows.totals.requests > 600 + 3 * 280);
    rows_free(&rows);
}

/* An empty cache passes everything on until it has read it again. */
static void m104_caches_are_flushed(void **state) {
    (void)state;
    struct rows rows = rows_run(
        "version: 1\nname: t\nduration: 10m\nvalues: {k: {count: 100}}\ntables:\n"
        "- {name: t, read_capacity: 1000, write_capacity: 85, entities: [{name: e, partition_key: "
        "\"K#{k}\", count: 100, size: 1 KB}]}\n"
        "workloads:\n- {name: w, rate: 100/s, dax: {item_ttl: 1h}, mix: [{operation: GetItem}]}\n"
        "faults: [{at: +5m, kind: dax_flush}]\n",
        1);
    double before = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_READS, 200, 300);
    double after = sum_of(&rows, DDBSIM_LOG_SECOND, SECOND_READS, 300, 330);
    assert_true(before == 0 && after == 50); /* 100 items, eventually read */
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m100_faults_are_events),
        cmocka_unit_test(m101_capacity_is_a_share),
        cmocka_unit_test(m101_nothing_is_saved),
        cmocka_unit_test(m101_capacity_may_change_meanwhile),
        cmocka_unit_test(m101_indexes_too),
        cmocka_unit_test(m101_on_demand),
        cmocka_unit_test(m102_answers_are_late),
        cmocka_unit_test(m102_never_faster),
        cmocka_unit_test(m103_errors_are_free),
        cmocka_unit_test(m103_errors_are_tried_again),
        cmocka_unit_test(m103_batches_and_transactions),
        cmocka_unit_test(m104_paused_callers_send_later),
        cmocka_unit_test(m100_one_after_the_other),
        cmocka_unit_test(m104_functions_begin_after_the_pause),
        cmocka_unit_test(m104_readers_of_a_stream_catch_up),
        cmocka_unit_test(m104_loops_stand_still),
        cmocka_unit_test(m104_a_pause_kills_nothing),
        cmocka_unit_test(m104_records_keep_their_age),
        cmocka_unit_test(m104_to_the_very_end),
        cmocka_unit_test(m104_caches_are_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
