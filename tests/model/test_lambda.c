/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lambda between a load and its work, in whole runs: behind a queue (M-115 to M-117), on a stream (M-118, M-119). */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD                                                                                  \
    "version: 1\nname: t\nduration: 20m\nvalues: {k: {count: 10000}}\n"                       \
    "tables:\n- {name: t, read_capacity: 1000, write_capacity: %s, burst: {initial: 0%%}, "   \
    "stream: NEW_AND_OLD_IMAGES, partitions: 3, entities: [{name: e, partition_key: "         \
    "\"K#{k}\", count: 10000, size: 1 KB}]}\n"                                                \
    "- {name: copy, read_capacity: 10, write_capacity: %s, burst: {initial: 0%%}, entities: " \
    "[{name: c, partition_key: \"C#{uuid}\", size: 1 KB}]}\nworkloads:\n"

static struct rows run(const char *capacity, const char *copy, const char *rest) {
    char text[4096];
    int used = snprintf(text, sizeof text, HEAD, capacity, copy);
    snprintf(text + used, sizeof text - (size_t)used, "%s", rest);
    return rows_run(text, 3);
}

static double of(const struct rows *rows, const char *name) { return rows_outcome(rows, name, ""); }

static double queue_column(const struct rows *rows, size_t column, int64_t from_s, int64_t to_s) {
    double sum = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_WORKLOAD_SECOND && row_number(row, 1) >= (double)from_s &&
            row_number(row, 1) < (double)to_s)
            sum += row_number(row, column);
    }
    return sum;
}

/* With capacity to spare each message is received once and its work done once. */
static void m115_each_message_is_done(void **state) {
    (void)state;
    struct rows rows = run("1000", "10",
                           "- {name: w, table: t, rate: 20/s, end_time: +19m, queue: {}, sequence: "
                           "[{operation: GetItem}, {operation: PutItem, times: 2}]}\n");
    double messages = of(&rows, "messages");
    assert_true(fabs(messages - 22800) < 600);
    assert_true(of(&rows, "received") == messages && of(&rows, "duplicates") == 0);
    assert_true((double)rows.totals.requests == 3 * messages && rows.totals.failed == 0);
    assert_true(of(&rows, "dead_letters") == 0 && of(&rows, "failed_invocations") == 0);
    assert_true(of(&rows, "concurrency") <= 5);
    rows_free(&rows);
}

/* One environment does one batch at a time: its messages come one after the other. */
static void m115_a_batch_is_one_invocation(void **state) {
    (void)state;
    struct rows rows =
        run("1000", "10",
            "- {name: w, table: t, arrivals: paced, rate: 100/s, end_time: +15m, queue: "
            "{batch_size: 50, concurrency: {minimum: 1, maximum: 1}}, mix: [{operation: "
            "GetItem}]}\n");
    assert_true(of(&rows, "concurrency") == 1);
    assert_true(of(&rows, "invocations") < of(&rows, "messages"));
    assert_true(of(&rows, "received") == of(&rows, "messages"));
    rows_free(&rows);
}

/* Half of what is asked for can be served: some fail so often that they become dead letters. */
static void m116_dead_letters(void **state) {
    (void)state;
    struct rows rows =
        run("10", "10",
            "- {name: w, table: t, rate: 20/s, end_time: +15m, mix: [{operation: PutItem}], queue: "
            "{batch_size: 1, max_receive_count: 2, concurrency: {maximum: 100}}}\n");
    double messages = of(&rows, "messages"), dead = of(&rows, "dead_letters");
    double done = (double)rows.totals.succeeded;
    assert_true(dead > 0.3 * messages && dead < 0.6 * messages);
    assert_true(done + dead == messages && of(&rows, "duplicates") == 0);
    assert_true(of(&rows, "failed_invocations") == of(&rows, "received") - done);
    assert_true(queue_column(&rows, 12, 0, 1200) == dead);
    rows_free(&rows);
}

/* One failure brings the whole batch back, and the work of its other messages is done again. */
static void m116_a_batch_fails_as_a_whole(void **state) {
    (void)state;
    static const char one[] =
        "- {name: w, table: t, rate: 20/s, end_time: +10m, mix: [{operation: PutItem, invalid: "
        "5%%}], queue: {batch_size: %d, visibility_timeout: 10s, max_receive_count: 3, "
        "concurrency: {minimum: 1, maximum: 1, per_minute: 0}}}\n";
    char text[512];
    snprintf(text, sizeof text, one, 1);
    struct rows single = run("1000", "10", text);
    snprintf(text, sizeof text, one, 10);
    struct rows batch = run("1000", "10", text);
    assert_true(of(&single, "duplicates") == 0);
    assert_true(of(&batch, "failed_invocations") > 0);
    /* What is invalid is so each time. */
    double invalid = of(&single, "dead_letters");
    assert_true(fabs(invalid - 600) < 120);
    assert_true(of(&single, "failed_invocations") == 3 * invalid);
    rows_free(&single);
    rows_free(&batch);
}

/* A function's time is that of its whole invocation: of ten messages of a second each five are done, then it is over, and
 * all ten come back. */
static void m116_a_function_times_out(void **state) {
    (void)state;
    static const char text[] =
        "- {name: w, table: t, arrivals: paced, rate: 10/s, end_time: +%s, mix: [{operation: "
        "PutItem}], client: {function_timeout: %s}, queue: {batch_size: 10, visibility_timeout: "
        "30s, max_receive_count: 3, concurrency: {minimum: 1, maximum: 1}}}\n"
        "faults: [{at: +0s, for: 20m, table: t, kind: latency, to: 1s}]\n";
    char workloads[1024];
    snprintf(workloads, sizeof workloads, text, "1s", "5500ms");
    struct rows cut = run("1000", "10", workloads);
    /* The first message came alone and was done; the nine after it waited for that. */
    assert_true(of(&cut, "messages") == 10 && of(&cut, "invocations") == 4);
    assert_true(of(&cut, "failed_invocations") == 3 && of(&cut, "dead_letters") == 9);
    assert_true(of(&cut, "duplicates") >= 2 * 4 && of(&cut, "duplicates") <= 2 * 6);
    assert_true(of(&cut, "expired_calls") == 3);
    rows_free(&cut);
    snprintf(workloads, sizeof workloads, text, "1s", "30s");
    struct rows patient = run("1000", "10", workloads);
    assert_true(of(&patient, "dead_letters") == 0 && of(&patient, "failed_invocations") == 0);
    assert_true(of(&patient, "received") == 10);
    rows_free(&patient);
}

#define AGAIN 15 /* workload_second.requests_again */

/* Half of a message's work is done, the other half never: each time that it comes back the first half is done again,
 * and its calls are no new demand. */
static void m116_a_part_is_done_again(void **state) {
    (void)state;
    static const char *const works[] = {
        "sequence: [{operation: PutItem}, {operation: UpdateItem, invalid: 100%}]",
        "sequence: [{operation: UpdateItem, invalid: 100%}, {operation: PutItem}]",
        "sequence: [{operation: PutItem}, {operation: UpdateItem, invalid: 100%}], parallel: true"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "- {name: w, table: t, arrivals: paced, rate: 1/s, end_time: +5m, %s, queue: "
                 "{batch_size: 1, max_receive_count: 3, visibility_timeout: 10s}}\n",
                 works[i]);
        struct rows rows = run("1000", "10", text);
        double messages = of(&rows, "messages"), calls = i == 1 ? 1 : 2;
        assert_true(messages == 300 && of(&rows, "dead_letters") == messages);
        assert_true(of(&rows, "duplicates") == (i == 1 ? 0 : 2 * messages));
        assert_true((double)rows.totals.requests == 3 * calls * messages);
        assert_true(queue_column(&rows, AGAIN, 0, 1200) == 2 * calls * messages);
        rows_free(&rows);
    }
}

/* A batch of which some members were served, and a call that nobody waited for, have done their part. */
static void m116_unheard_and_partial_work_counts(void **state) {
    (void)state;
    struct rows rows =
        run("1", "10",
            "- {name: w, table: t, arrivals: paced, rate: 0.1/s, end_time: +10s, mix: [{operation: "
            "BatchWriteItem, batch_size: 25}], client: {batch_unprocessed: {strategy: immediate, "
            "max_retries: 0}}, queue: {batch_size: 1, max_receive_count: 3, visibility_timeout: "
            "10s}}\n");
    assert_true(rows.totals.throttled_members > 40 && rows.totals.throttled_members < 75);
    assert_true(of(&rows, "dead_letters") == 1 && of(&rows, "duplicates") == 2);
    rows_free(&rows);
    rows = run("1000", "10",
               "- {name: w, table: t, arrivals: paced, rate: 1/s, end_time: +5m, mix: [{operation: "
               "PutItem}], client: {attempt_timeout: 100ms}, queue: {batch_size: 1, "
               "max_receive_count: 2, visibility_timeout: 10s}}\n"
               "faults: [{at: +0s, for: 20m, table: t, kind: latency, to: 10s}]\n");
    assert_true(of(&rows, "dead_letters") == 300 && of(&rows, "duplicates") == 300);
    rows_free(&rows);
}

/* 60 a minute are one more each second while messages wait. */
static void m117_concurrency_grows(void **state) {
    (void)state;
    static const char text[] =
        "- {name: w, table: t, arrivals: paced, rate: 100/s, end_time: +10m, mix: [{operation: "
        "PutItem}], queue: {batch_size: 1, concurrency: {minimum: 1, maximum: 80, per_minute: "
        "60}}}\n"
        "faults: [{at: +0s, for: 5m, table: t, kind: latency, to: 500ms}]\n";
    struct rows rows = run("1000", "10", text);
    /* 100/s of half a second want 50 environments, more while the backlog is worked off. */
    assert_true(of(&rows, "concurrency") > 55 && of(&rows, "concurrency") <= 80);
    double early = queue_column(&rows, 4, 20, 21), later = queue_column(&rows, 4, 40, 41);
    assert_true(early > 30 && early < 50 && later > 70 && later < 90);
    assert_true(of(&rows, "received") == of(&rows, "messages"));
    assert_true(of(&rows, "oldest_message") > 10);
    rows_free(&rows);
}

#define STREAM                                                                         \
    "- {name: w, table: t, rate: 30/s, end_time: +15m, mix: [{operation: PutItem}]}\n" \
    "- {name: r, stream_of: t, table: copy, "

/* Without failures each record is worked on once, a moment after it was written. */
static void m118_records_are_done_once(void **state) {
    (void)state;
    struct rows rows = run("1000", "1000", STREAM "batch_size: 10, mix: [{operation: PutItem}]}\n");
    double records = rows_outcome(&rows, "received", "r");
    assert_true(records > 26000 &&
                rows_sum(&rows, DDBSIM_LOG_WORKLOAD_TOTAL, 5, 0, "r") == records);
    assert_true(of(&rows, "duplicates") == 0 && of(&rows, "dead_letters") == 0);
    assert_true(of(&rows, "iterator_age") < 2);
    assert_true(of(&rows, "invocations") > records / 10 && of(&rows, "invocations") <= records);
    rows_free(&rows);
}

/* A table that is down holds its shards up, and nothing is lost: the age of the records grows, then falls. */
static void m118_a_failing_batch_blocks_its_shard(void **state) {
    (void)state;
    struct rows rows = run("1000", "1000",
                           STREAM "batch_size: 100, mix: [{operation: PutItem}]}\n"
                                  "faults: [{at: +5m, for: 3m, table: copy, kind: errors, to: "
                                  "100%}]\n");
    double records = rows_outcome(&rows, "received", "r"), age = of(&rows, "iterator_age");
    assert_true(age > 120 && age < 260);
    assert_true(of(&rows, "failed_invocations") > 3 * 3 && of(&rows, "failed_invocations") < 200);
    assert_true(rows_sum(&rows, DDBSIM_LOG_WORKLOAD_TOTAL, 5, 0, "r") ==
                records + of(&rows, "duplicates"));
    assert_true(of(&rows, "dead_letters") == 0);
    rows_free(&rows);
}

/* More lanes work off a backlog that one lane cannot. */
static void m118_lanes(void **state) {
    (void)state;
    static const char slow[] =
        "batch_size: 1, parallelization_factor: %d, mix: [{operation: PutItem}]}\n"
        "faults: [{at: +0s, for: 20m, table: copy, kind: latency, to: 200ms}]\n";
    char one[1024], four[1024];
    int used = snprintf(one, sizeof one, "%s", STREAM);
    snprintf(one + used, sizeof one - (size_t)used, slow, 1);
    used = snprintf(four, sizeof four, "%s", STREAM);
    snprintf(four + used, sizeof four - (size_t)used, slow, 4);
    struct rows a = run("1000", "1000", one), b = run("1000", "1000", four);
    /* Three shards of 5/s each: 30/s are twice too much for one lane. */
    double done = rows_sum(&a, DDBSIM_LOG_WORKLOAD_TOTAL, 5, 0, "r");
    assert_true(done < 3 * 5 * 1200.0 && done > 3 * 4.5 * 1180);
    assert_true(of(&a, "iterator_age") > 300 && of(&b, "iterator_age") < 5);
    rows_free(&a);
    rows_free(&b);
}

#define POISON "mix: [{operation: PutItem, invalid: 1%}]}\n"

/* One record that can never be done: cut out by halves it is given up alone, else all of its batch is. */
static void m119_bisect_and_retries(void **state) {
    (void)state;
    struct rows whole =
        run("1000", "1000", STREAM "batch_size: 64, maximum_retry_attempts: 2, " POISON);
    struct rows cut = run("1000", "1000",
                          STREAM "batch_size: 64, maximum_retry_attempts: 2, "
                                 "bisect_batch_on_function_error: true, " POISON);
    double records = rows_outcome(&cut, "received", "r");
    double given_up = of(&cut, "dead_letters");
    assert_true(fabs(given_up - records / 100) < records / 200);
    assert_true(of(&whole, "dead_letters") > 2 * given_up);
    /* Every record but those was done, some of them again. */
    assert_true(rows_sum(&cut, DDBSIM_LOG_WORKLOAD_TOTAL, 5, 0, "r") ==
                records - given_up + of(&cut, "duplicates"));
    rows_free(&whole);
    rows_free(&cut);
}

/* The same of a stream's record. */
static void m119_a_part_is_done_again(void **state) {
    (void)state;
    struct rows rows =
        run("1000", "1000",
            STREAM "batch_size: 1, maximum_retry_attempts: 2, sequence: [{operation: PutItem}, "
                   "{operation: UpdateItem, invalid: 0.1%}]}\n");
    double given_up = of(&rows, "dead_letters");
    assert_true(given_up > 5);
    assert_true(of(&rows, "duplicates") == 2 * given_up);
    assert_true(rows_sum(&rows, DDBSIM_LOG_WORKLOAD_SECOND, AGAIN, 0, "r") == 4 * given_up);
    assert_true(rows_sum(&rows, DDBSIM_LOG_WORKLOAD_SECOND, AGAIN, 0, "w") == 0);
    rows_free(&rows);
}

/* Without a bound on retries a poisoned record stops its shard until it is too old. */
static void m119_records_grow_too_old(void **state) {
    (void)state;
    struct rows rows = run("1000", "1000", STREAM "maximum_record_age: 60s, " POISON);
    assert_true(of(&rows, "iterator_age") >= 30 && of(&rows, "iterator_age") <= 60);
    assert_true(of(&rows, "dead_letters") > 1000);
    rows_free(&rows);
    /* What grew too old while it waited to be tried again is not tried: 1, 2, 4, 8, 16 and 32 s after the first. */
    rows = run("1000", "1000",
               STREAM "maximum_record_age: 60s, mix: [{operation: PutItem, invalid: 100%}]}\n");
    assert_true(of(&rows, "iterator_age") <= 60 && of(&rows, "iterator_age") > 25);
    rows_free(&rows);
    rows = run("1000", "1000", STREAM "parallelization_factor: 1, " POISON);
    assert_true(of(&rows, "dead_letters") == 0 && of(&rows, "iterator_age") > 1100);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m115_each_message_is_done),
        cmocka_unit_test(m115_a_batch_is_one_invocation),
        cmocka_unit_test(m116_dead_letters),
        cmocka_unit_test(m116_a_batch_fails_as_a_whole),
        cmocka_unit_test(m116_a_function_times_out),
        cmocka_unit_test(m116_a_part_is_done_again),
        cmocka_unit_test(m116_unheard_and_partial_work_counts),
        cmocka_unit_test(m117_concurrency_grows),
        cmocka_unit_test(m118_records_are_done_once),
        cmocka_unit_test(m118_a_failing_batch_blocks_its_shard),
        cmocka_unit_test(m118_lanes),
        cmocka_unit_test(m119_bisect_and_retries),
        cmocka_unit_test(m119_a_part_is_done_again),
        cmocka_unit_test(m119_records_grow_too_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
