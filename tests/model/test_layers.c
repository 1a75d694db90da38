/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What callers put around their SDK, in whole runs (M-110 to M-114). */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD                                                                                 \
    "version: 1\nname: t\nduration: 10m\nvalues: {k: {count: 10000}}\ntables:\n"             \
    "- {name: t, read_capacity: 1000, write_capacity: %s, burst: {initial: 0%%}, entities: " \
    "[{name: e, partition_key: \"K#{k}\", count: 10000, size: 1 KB}]}\nworkloads:\n"         \
    "- {name: w, arrivals: paced, rate: %s/s, mix: [{operation: %s}], client: {%s}}\n%s"

static struct rows run(const char *capacity, const char *rate, const char *operation,
                       const char *client, const char *faults) {
    char text[4096];
    snprintf(text, sizeof text, HEAD, capacity, rate, operation, client, faults);
    return rows_run(text, 2);
}

static double most_in_a_second(const struct rows *rows, size_t column) {
    double most = 0;
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND &&
            row_number(&rows->rows[r], column) > most)
            most = row_number(&rows->rows[r], column);
    return most;
}

/* Each process keeps its own: four of 5/s send 20/s, whatever comes, retries included. */
static void m110_a_limit_holds_back(void **state) {
    (void)state;
    struct rows rows = run("1000", "30", "PutItem", "processes: 4, rate_limit: 5/s", "");
    assert_true(most_in_a_second(&rows, 4) <= 24); /* one more of each where seconds meet */
    assert_true(fabs((double)rows.totals.attempts - 12000) < 100);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    rows_free(&rows);
    rows = run("10", "8", "PutItem",
               "rate_limit: 12/s, max_attempts: 5, backoff: {throttling_base: 1ms}",
               "faults: [{at: +1m, for: 8m, kind: errors, to: 50%}]\n");
    assert_true(most_in_a_second(&rows, 4) <= 13);
    assert_true(rows.totals.retries > 1000);
    rows_free(&rows);
}

/* Members of batches that nobody ever sent are lost as well, and counted: a breaker or a deadline was before them. */
static void m110_unsent_batches_are_lost(void **state) {
    (void)state;
    static const char pause[] = "faults: [{at: +1m, for: 2m, kind: clients_pause}]\n";
    struct rows rows = run("1000", "5", "BatchWriteItem, batch_size: 25",
                           "rate_limit: 3/s, call_timeout: 2s", pause);
    assert_true(rows.totals.lost_members > 2 * 60 * 5 * 25);
    /* Some are served as their caller's time is over. */
    assert_true(rows.totals.lost_members <= 25 * rows.totals.failed);
    rows_free(&rows);
    rows = run("1000", "5", "BatchWriteItem, batch_size: 25",
               "circuit_breaker: {failures: 1%, window: 1m, minimum: 2, open_for: 10m, trials: 1}",
               "faults: [{at: +0s, for: 10m, kind: errors, to: 100%}]\n");
    assert_int_equal(rows.totals.lost_members, 10 * 60 * 5 * 25);
    assert_true(rows.totals.attempts < 10);
    /* Only what was sent is a member, in the totals and second by second; what was not is lost all the same. */
    assert_int_equal(rows.totals.members, 25 * rows.totals.attempts);
    assert_true(rows_sum(&rows, DDBSIM_LOG_BATCH_SECOND, 5, 0, NULL) ==
                (double)rows.totals.members);
    assert_true(rows_sum(&rows, DDBSIM_LOG_BATCH_SECOND, 7, 0, NULL) ==
                (double)rows.totals.lost_members);
    rows_free(&rows);
    /* No connection in time: never sent either. */
    rows = run("1000", "5", "BatchWriteItem, batch_size: 25", "connect_timeout: 1ms",
               "model: {network_latency: 5ms}\n");
    assert_int_equal(rows.totals.members, 0);
    assert_int_equal(rows.totals.lost_members, 10 * 60 * 5 * 25);
    rows_free(&rows);
}

/* A place of a limit, a pause over it and a deadline within the pause, all at once. */
static void m110_places_pauses_and_deadlines(void **state) {
    (void)state;
    struct rows rows = run("1000", "30", "PutItem",
                           "rate_limit: 20/s, rate_control: {minimum: 1/s}, call_timeout: 10s, "
                           "function_timeout: 20s, max_attempts: 3",
                           "faults: [{at: +1m, for: 30s, kind: clients_pause}, {at: +95s, for: 7s, "
                           "kind: clients_pause}, {at: +2m, for: 1m, kind: errors, to: 40%}]\n");
    assert_true(rows.totals.succeeded > 8000 && rows.totals.failed > 3000);
    rows_free(&rows);
}

/* Who would have to wait for longer than it has leaves its place to others: the limit is used in full. */
static void m110_who_gives_up_takes_no_place(void **state) {
    (void)state;
    struct rows rows = run("1000", "50", "PutItem", "rate_limit: 20/s, call_timeout: 500ms", "");
    assert_true(fabs((double)rows.totals.succeeded - 20 * 600) < 100);
    assert_true(fabs((double)rows.totals.failed - 30 * 600) < 100);
    rows_free(&rows);
}

/* A loader that keeps a limit and fills its next batch up with what came back loses nothing and never hurries. */
static void m110_a_loader_tops_up(void **state) {
    (void)state;
    static const char more[] = "faults: [{at: +1m, for: 2m, kind: capacity, to: 20%}]\n";
    struct rows rows = run("500", "15", "BatchWriteItem, batch_size: 25",
                           "rate_limit: 18/s, max_attempts: 1000, backoff: {throttling_base: 50ms, "
                           "max_backoff: 1s}, batch_unprocessed: {strategy: top_up}",
                           more);
    assert_int_equal(rows.totals.lost_members, 0);
    assert_int_equal(rows.totals.failed, 0);
    assert_true(rows.totals.throttled_members > 5000);
    assert_true(most_in_a_second(&rows, 4) <= 19);
    rows_free(&rows);
    rows =
        run("500", "15", "BatchWriteItem, batch_size: 25",
            "rate_limit: 18/s, max_attempts: 1000, backoff: {throttling_base: 50ms, max_backoff: "
            "1s}, batch_unprocessed: {strategy: drop}",
            more);
    assert_true(rows.totals.lost_members > 1000); /* the fault of a loader that does not look */
    rows_free(&rows);
}

/* A limit that is told of throttles finds the capacity; one that is not stays where it is. */
static void m111_a_limit_adapts(void **state) {
    (void)state;
    struct rows told = run("100", "300", "PutItem",
                           "rate_limit: 300/s, rate_control: {minimum: 10/s, decrease: 20%, "
                           "increase: 1/s}",
                           "");
    struct rows deaf = run("100", "300", "PutItem", "rate_limit: 300/s", "");
    double told_ratio = (double)told.totals.throttled_attempts / (double)told.totals.attempts;
    double deaf_ratio = (double)deaf.totals.throttled_attempts / (double)deaf.totals.attempts;
    assert_true(told_ratio < 0.1 && deaf_ratio > 0.6);
    assert_true(told.totals.succeeded > 50000);
    rows_free(&told);
    rows_free(&deaf);
}

/* Nothing is sent while it is open; when the fault is over, trials close it. */
static void m112_a_breaker_opens(void **state) {
    (void)state;
    struct rows rows =
        run("1000", "50", "PutItem", "circuit_breaker: {failures: 30%, window: 10s, open_for: 20s}",
            "faults: [{at: +2m, for: 3m, kind: errors, to: 100%}]\n");
    double refused = rows_outcome(&rows, "breaker_refused", "");
    /* Nine times it opens, after at most 4 s of failures, then 5 trials each time. */
    assert_true(refused > 50 * 180 - 300 && refused < 50 * 200);
    assert_true((double)rows.totals.requests == (double)rows.totals.attempts + refused);
    assert_true((double)rows.totals.failed >= refused);
    assert_true(rows_outcome(&rows, "system_errors", "") < 300);
    assert_true(most_in_a_second(&rows, 5) == 50);
    rows_free(&rows);
}

/* First attempts are sent whatever happens, retries only while little fails. */
static void m113_a_breaker_of_retries(void **state) {
    (void)state;
    static const char faults[] = "faults: [{at: +0s, for: 10m, kind: errors, to: 50%}]\n";
    static const char client[] = "max_attempts: 4, backoff: {base: 1ms, throttling_base: 1ms}";
    char with[256];
    snprintf(with, sizeof with, "%s, circuit_breaker: {guards: retries, failures: 10%%}", client);
    struct rows guarded = run("1000", "50", "PutItem", with, faults);
    struct rows plain = run("1000", "50", "PutItem", client, faults);
    double load = (double)guarded.totals.attempts / (double)guarded.totals.requests;
    assert_true(load >= 1 && load < 1.01);
    assert_true((double)plain.totals.attempts / (double)plain.totals.requests > 1.8);
    assert_true(rows_outcome(&guarded, "breaker_refused", "") > 10000);
    rows_free(&guarded);
    rows_free(&plain);
}

/* A transaction that is cancelled because of throttling has failed, as a call and as an attempt. */
static void m112_cancelled_is_failed(void **state) {
    (void)state;
    static const char *const counts[] = {"calls", "attempts"};
    for (int i = 0; i < 2; i++) {
        char client[256];
        snprintf(client, sizeof client,
                 "circuit_breaker: {counts: %s, failures: 50%%, window: 10s, minimum: 5, open_for: "
                 "9m, trials: 1}",
                 counts[i]);
        struct rows rows = run("5", "50", "TransactWriteItems, actions: [{times: 2}]", client, "");
        assert_true(rows_outcome(&rows, "breaker_refused", "") > 25000);
        rows_free(&rows);
    }
}

static double most_in_flight(const struct rows *rows, int64_t from_s) {
    double most = 0;
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND &&
            row_number(&rows->rows[r], 1) >= (double)from_s)
            most = fmax(most, row_number(&rows->rows[r], 9));
    return most;
}

/* An open breaker answers at once, whatever the limit behind it would have them wait; and of those that it lets pass
 * again none finds its place taken by one that was refused. */
static void m112_an_open_breaker_is_asked_first(void **state) {
    (void)state;
    struct rows rows = run("1000", "50", "PutItem",
                           "rate_limit: 20/s, circuit_breaker: {failures: 50%, window: 10s, "
                           "minimum: 5, open_for: 20m}",
                           "faults: [{at: +0s, for: 1m, kind: errors, to: 100%}]\n");
    assert_true(most_in_flight(&rows, 10) == 0);
    assert_true(rows_outcome(&rows, "breaker_refused", "") > 50 * 580);
    rows_free(&rows);
    rows = run("1000", "50", "PutItem",
               "rate_limit: 60/s, circuit_breaker: {failures: 50%, window: 10s, minimum: 5, "
               "open_for: 10s, trials: 3}",
               "faults: [{at: +1m, for: 1m, kind: errors, to: 100%}, {at: +5m, for: 1m, kind: "
               "clients_pause}]\n");
    assert_true(most_in_flight(&rows, 150) <= 50 * 62);
    assert_true((double)rows.totals.failed < 50 * 75);
    assert_true((double)rows.totals.succeeded > 50 * 520);
    rows_free(&rows);
}

/* Whose time was over before it was sent says nothing of the table: trials that end so are no failures either. */
static void m112_unsent_is_not_failed(void **state) {
    (void)state;
    struct rows rows = run("1000", "50", "PutItem",
                           "rate_limit: 5/s, call_timeout: 500ms, circuit_breaker: {failures: 10%, "
                           "window: 10s, minimum: 2, open_for: 10s}",
                           "");
    assert_true(rows_outcome(&rows, "breaker_refused", "") == -1);
    assert_true(rows_outcome(&rows, "expired_calls", "") > 40 * 600);
    assert_true(fabs((double)rows.totals.attempts - 5 * 600) < 10);
    rows_free(&rows);
    rows = run("1000", "50", "PutItem",
               "rate_limit: 5/s, call_timeout: 500ms, circuit_breaker: {failures: 10%, window: "
               "10s, minimum: 2, open_for: 10s, trials: 2}",
               "faults: [{at: +1m, for: 30s, kind: errors, to: 100%}]\n");
    double served = 0;
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND && row_number(&rows.rows[r], 1) >= 120)
            served += row_number(&rows.rows[r], 5);
    assert_true(served > 5 * 470);
    rows_free(&rows);
}

/* Whatever a breaker guards and counts: it opens in a bad minute, and is closed again when that is long over. */
static void m112_every_breaker_closes_again(void **state) {
    (void)state;
    static const char *const guards[] = {"calls", "retries"};
    static const char *const counts[] = {"calls", "attempts", "failures_per_call"};
    static const char *const troubles[] = {
        "faults: [{at: +2m, for: 1m, kind: errors, to: 60%}]\n",
        "faults: [{at: +2m, for: 1m, kind: latency, to: 3s}]\n", /* attempts time out */
    };
    for (int i = 0; i < 12; i++) {
        char client[512];
        snprintf(client, sizeof client,
                 "max_attempts: 3, backoff: {base: 10ms, throttling_base: 10ms}, attempt_timeout: "
                 "500ms, call_timeout: 800ms, circuit_breaker: {guards: %s, counts: %s, failures: "
                 "30%%, window: 10s, minimum: 5, open_for: 5s, trials: 3}",
                 guards[i % 2], counts[i / 2 % 3]);
        struct rows rows = run("1000", "20", "PutItem", client, troubles[i / 6]);
        double served = 0;
        for (size_t r = 0; r < rows.count; r++)
            if (rows.rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND &&
                row_number(&rows.rows[r], 1) >= 240)
                served += row_number(&rows.rows[r], 5);
        if (served < 20 * 359) fail_msg("%s: %.0f after all was well", client, served);
        assert_true(rows.totals.failed > 0);
        rows_free(&rows);
    }
}

/* Brooker's own figures: 100 clients of 10 calls a second, up to three retries at once, ten in a hundred attempts fail.
 * 50,232 calls made 51,883 attempts, and 93.0 % of them succeeded. */
static void m113_as_brooker_has_it(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nname: t\nduration: 50s\ntables:\n- {name: t, read_capacity: 1, "
        "write_capacity: "
        "1, throttling: false, entities: [{name: e, partition_key: \"{uuid}\", size: 1 KB}]}\n"
        "workloads:\n- {name: w, rate: 1000/s, mix: [{operation: PutItem}], client: {processes: "
        "100, max_attempts: 4, backoff: {base: 0s, throttling_base: 0s}, circuit_breaker: {guards: "
        "retries, failures: 10%}}}\nfaults: [{at: +0s, for: 1h, kind: errors, to: 10%}]\n";
    struct rows rows = rows_run(text, 4);
    double requests = (double)rows.totals.requests;
    assert_true(fabs((double)rows.totals.attempts / requests - 51883.0 / 50232) < 0.006);
    assert_true(fabs((double)rows.totals.succeeded / requests - 46712.0 / 50232) < 0.006);
    rows_free(&rows);
}

/* Three calls of an SDK that tries four times are twelve attempts. */
static void m114_layers_multiply(void **state) {
    (void)state;
    struct rows rows =
        run("1000", "2", "PutItem",
            "max_attempts: 4, backoff: {base: 10ms, throttling_base: 10ms}, wrapper: "
            "{max_attempts: 3, base: 100ms}",
            "faults: [{at: +0s, for: 9m, kind: errors, to: 100%}]\n");
    double errors = rows_outcome(&rows, "system_errors", "");
    assert_true(fabs(errors - 12 * 2 * 540) <= 12);
    assert_int_equal(rows.totals.requests, 1200);
    assert_true(fabs((double)rows.totals.failed - 1080) <= 1);
    /* 10 + 20 + 40 ms three times, and 100 + 200 ms between them. */
    rows_free(&rows);
    rows = run("1000", "1", "PutItem", "wrapper: {max_attempts: 3, base: 1s}",
               "faults: [{at: +0s, for: 9m, kind: errors, to: 50%}]\n");
    assert_true(fabs((double)rows.totals.failed - 540.0 / 8) < 30);
    assert_true(rows_outcome(&rows, "caller_p99", "") > 3000);
    rows_free(&rows);
}

/* A breaker that lets nothing pass is asked again by the layer around it. */
static void m114_around_a_breaker(void **state) {
    (void)state;
    struct rows rows =
        run("1000", "10", "PutItem",
            "circuit_breaker: {failures: 10%, window: 10s, minimum: 5, open_for: 5s}, wrapper: "
            "{max_attempts: 10, base: 2s, growth: 1}",
            "faults: [{at: +1m, for: 10s, kind: errors, to: 100%}]\n");
    assert_int_equal(rows.totals.failed, 0);
    assert_true(rows_outcome(&rows, "breaker_refused", "") > 100);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m110_a_limit_holds_back),
        cmocka_unit_test(m110_a_loader_tops_up),
        cmocka_unit_test(m110_unsent_batches_are_lost),
        cmocka_unit_test(m110_places_pauses_and_deadlines),
        cmocka_unit_test(m110_who_gives_up_takes_no_place),
        cmocka_unit_test(m111_a_limit_adapts),
        cmocka_unit_test(m112_a_breaker_opens),
        cmocka_unit_test(m113_a_breaker_of_retries),
        cmocka_unit_test(m112_cancelled_is_failed),
        cmocka_unit_test(m112_an_open_breaker_is_asked_first),
        cmocka_unit_test(m112_unsent_is_not_failed),
        cmocka_unit_test(m112_every_breaker_closes_again),
        cmocka_unit_test(m113_as_brooker_has_it),
        cmocka_unit_test(m114_layers_multiply),
        cmocka_unit_test(m114_around_a_breaker),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
