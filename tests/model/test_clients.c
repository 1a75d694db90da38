/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timeouts, adaptive clients and what quotas are shared, in whole runs (M-71, M-74, M-76, M-77, M-89, M-97). */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

/* Columns of workload_second without run_id. */
enum { T_S = 1, IN_FLIGHT = 9, QUOTA = 13, LIMITER = 14 };

#define HEAD                                                                                  \
    "version: 1\nname: t\nduration: 10m\nmodel: {%s}\nvalues: {k: {count: 10000}}\ntables:\n" \
    "- {name: t, read_capacity: 1000, write_capacity: %s, burst: {initial: 0%%}, entities: "  \
    "[{name: e, partition_key: \"K#{k}\", count: 10000, size: 1 KB}]}\nworkloads:\n%s%s"

#define PUTS "mix: [{operation: PutItem, entity: e}]"
#define SLOW(to) "faults: [{at: +0s, for: 10m, kind: latency, to: " to "}]\n"
#define ERRORS "faults: [{at: +0s, for: 10m, kind: errors, to: 100%}]\n"

static struct rows run(const char *model, const char *capacity, const char *workloads,
                       const char *faults) {
    char text[4096];
    snprintf(text, sizeof text, HEAD, model, capacity, workloads, faults);
    return rows_run(text, 2);
}

static double outcome(const struct rows *rows, const char *name) {
    double value = rows_outcome(rows, name, "");
    return value > 0 ? value : 0; /* -1: it did not happen */
}

/* The caller's time of requests that were given up: what lies between, in ms; 0 where there is none. */
static double failed_ms(const struct rows *rows, bool highest) {
    double ms = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_LATENCY || strcmp(row_text(row, 3), "failed") != 0) continue;
        if (strcmp(row_text(row, 4), "caller") != 0) continue;
        double low = row_number(row, 7) / 1000, high = row_number(row, 8) / 1000;
        if (highest && high > ms) ms = high;
        if (!highest && (ms == 0 || low < ms)) ms = low;
    }
    return ms;
}

static double column_at(const struct rows *rows, double t_s, size_t column) {
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND &&
            row_number(&rows->rows[r], T_S) == t_s)
            return rows->rows[r].values[column].type == DDBSIM_VALUE_NULL
                       ? (double)NAN
                       : row_number(&rows->rows[r], column);
    fail_msg("no row at %g", t_s);
    return 0;
}

/* ---- timeouts ---- */

/* The service answers after two seconds, and has done the work three times. */
static void m97_a_timed_out_attempt_is_served(void **state) {
    (void)state;
    struct rows rows = run("", "1000",
                           "- {name: w, rate: 10/s, " PUTS ", client: {max_attempts: 3, "
                           "attempt_timeout: 500ms, backoff: {base: 10ms, growth: 1}}}\n",
                           SLOW("2s"));
    uint64_t attempts = rows.totals.attempts;
    assert_in_range(rows.totals.requests, 5800, 6200);
    assert_true(3 * rows.totals.requests - attempts <= 45); /* the last are still at it */
    assert_int_equal(rows.totals.succeeded, 0);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    assert_true(outcome(&rows, "timed_out_attempts") == (double)attempts);
    assert_true(outcome(&rows, "units_wasted") == (double)attempts);
    assert_true(outcome(&rows, "write_units") == (double)attempts);
    assert_true(failed_ms(&rows, false) > 1400 && failed_ms(&rows, true) < 1650);
    rows_free(&rows);
}

/* 500 tokens at 10 a retry; nothing comes back. */
static void m97_timeouts_cost_their_own_tokens(void **state) {
    (void)state;
    struct rows rows = run("", "1000",
                           "- {name: w, rate: 10/s, " PUTS
                           ", client: {preset: boto3-standard, attempt_timeout: 500ms}}\n",
                           SLOW("2s"));
    assert_int_equal(rows.totals.retries, 50);
    assert_true(rows.totals.retries_refused > 5800);
    assert_true(column_at(&rows, 500, QUOTA) == 0);
    rows_free(&rows);
}

/* Attempts begin at 0, 0.7, 1.4, 2.1 and 2.8 s; at 3 s it is over, whatever is under way. */
static void m97_a_call_has_an_end(void **state) {
    (void)state;
    struct rows rows =
        run("", "1000",
            "- {name: w, rate: 1/s, arrivals: paced, " PUTS ", client: {max_attempts: 100, "
            "attempt_timeout: 700ms, call_timeout: 3s, backoff: {base: 0s}}}\n",
            SLOW("5s"));
    assert_true(5 * rows.totals.requests - rows.totals.attempts <= 12);
    assert_int_equal(rows.totals.succeeded, 0);
    assert_true(outcome(&rows, "expired_calls") == (double)rows.totals.failed);
    assert_true(failed_ms(&rows, false) > 2900 && failed_ms(&rows, true) < 3100);
    rows_free(&rows);
}

/* A wait of ten seconds ends with the function that waits. */
static void m97_a_wait_dies_with_its_function(void **state) {
    (void)state;
    struct rows rows = run("", "1000",
                           "- {name: w, vus: 1, " PUTS ", client: {max_attempts: 5, "
                           "function_timeout: 1s, backoff: {base: 10s}}}\n",
                           ERRORS);
    assert_in_range(rows.totals.requests, 599, 601); /* a new one each second */
    assert_int_equal(rows.totals.attempts, rows.totals.requests);
    assert_true(outcome(&rows, "expired_calls") == (double)rows.totals.failed);
    assert_true(failed_ms(&rows, false) > 980 && failed_ms(&rows, true) < 1020);
    rows_free(&rows);
}

/* Each call takes a second: one is served, the next is cut, the third never made. */
static void m97_a_function_has_several_calls(void **state) {
    (void)state;
    static const char *const work[] = {
        "sequence: [{operation: PutItem, entity: e, times: 3}]",
        "parallel: true, sequence: [{operation: PutItem, entity: e, times: 3}]"};
    static const char *const times[] = {"1500ms", "500ms"};
    static const unsigned calls[] = {2, 3}, served[] = {1, 0};
    for (int i = 0; i < 2; i++) {
        char workload[512];
        snprintf(workload, sizeof workload,
                 "- {name: w, vus: 1, %s, client: {function_timeout: %s}}\n", work[i], times[i]);
        struct rows rows = run("", "1000", workload, SLOW("1s"));
        double arrivals = i ? 1200 : 400;
        assert_true(fabs((double)rows.totals.requests - calls[i] * arrivals) <= 6);
        assert_true(fabs((double)rows.totals.succeeded - served[i] * arrivals) <= 12);
        /* In the first moment the empty bucket refuses: one caller hears of it, three are gone by then. */
        assert_true(outcome(&rows, "expired_calls") == (double)rows.totals.failed - (i ? 0 : 1));
        assert_int_equal(rows.totals.throttled_attempts, i ? 3 : 1);
        assert_true(outcome(&rows, "units_wasted") ==
                    (double)(rows.totals.failed - rows.totals.throttled_attempts));
        rows_free(&rows);
    }
}

/* All members are sent again, since nobody knows which were written; none of them is lost. */
static void m97_a_timed_out_batch(void **state) {
    (void)state;
    struct rows rows =
        run("", "1000",
            "- {name: w, rate: 1/s, mix: [{operation: BatchWriteItem, entity: e, batch_size: 10}], "
            "client: {max_attempts: 2, attempt_timeout: 500ms, backoff: {base: 10ms}}}\n",
            SLOW("2s"));
    assert_int_equal(rows.totals.members, 10 * rows.totals.attempts);
    assert_true(rows.totals.failed > 500 && rows.totals.succeeded == 0);
    assert_int_equal(rows.totals.lost_members, 0);
    assert_true(outcome(&rows, "units_wasted") == (double)rows.totals.members);
    rows_free(&rows);
}

/* The service never hears of it, and consumes nothing. */
static void m97_no_connection(void **state) {
    (void)state;
    static const char *const operations[] = {"PutItem, entity: e",
                                             "BatchWriteItem, entity: e, batch_size: 10"};
    for (int i = 0; i < 2; i++) {
        char workload[512];
        snprintf(workload, sizeof workload,
                 "- {name: w, rate: 10/s, mix: [{operation: %s}], client: {max_attempts: 2, "
                 "connect_timeout: 40ms, backoff: {base: 10ms}}}\n",
                 operations[i]);
        struct rows rows = run("network_latency: 50ms", "1000", workload, "");
        assert_int_equal(rows.totals.succeeded, 0);
        assert_true(2 * rows.totals.requests - rows.totals.attempts <= 2);
        assert_true(outcome(&rows, "timed_out_attempts") == (double)rows.totals.attempts);
        assert_true(outcome(&rows, "write_units") == 0);
        assert_true(failed_ms(&rows, false) > 85 && failed_ms(&rows, true) < 95);
        rows_free(&rows);
        rows = run("network_latency: 40ms", "1000", workload, "");
        assert_int_equal(rows.totals.failed, 0);
        rows_free(&rows);
    }
}

/* ---- adaptive mode ---- */

/* Ten callers who would send all the time find the twenty a second that there are. */
static void m89_callers_find_the_capacity(void **state) {
    (void)state;
    static const char *const presets[] = {"sdk-standard-2026", "sdk-adaptive-2026"};
    double ratio[2], served[2];
    for (int i = 0; i < 2; i++) {
        char workload[512];
        snprintf(workload, sizeof workload,
                 "- {name: w, vus: 10, " PUTS ", client: {preset: %s}}\n", presets[i]);
        struct rows rows = run("", "20", workload, "");
        ratio[i] = outcome(&rows, "throttled_ratio");
        served[i] = (double)rows.totals.succeeded / 600;
        double rate = column_at(&rows, 590, LIMITER);
        if (i == 0) assert_true(isnan(rate));
        if (i == 1) assert_true(rate > 5 && rate < 45);
        rows_free(&rows);
    }
    assert_true(served[1] > 16 && served[1] <= 20.1);
    assert_true(ratio[1] < 0.15 && ratio[0] > 2 * ratio[1]);
}

/* Before the first throttle nothing is held back. */
static void m89_nothing_is_held_back_at_first(void **state) {
    (void)state;
    struct rows adaptive = run(
        "", "1000",
        "- {name: w, rate: 100/s, " PUTS ", client: {preset: boto3-adaptive, processes: 3}}\n", "");
    struct rows standard = run(
        "", "1000",
        "- {name: w, rate: 100/s, " PUTS ", client: {preset: boto3-standard, processes: 3}}\n", "");
    assert_true(isnan(column_at(&adaptive, 590, LIMITER)));
    assert_int_equal(adaptive.totals.attempts, standard.totals.attempts);
    assert_true(fabs(outcome(&adaptive, "caller_p99") / outcome(&standard, "caller_p99") - 1) <
                0.01);
    rows_free(&adaptive);
    rows_free(&standard);
}

/* Ten times what the table serves: the line grows, and who waits in it dies with its function. */
static void m89_a_line_has_an_end(void **state) {
    (void)state;
    struct rows rows = run("", "10",
                           "- {name: w, rate: 100/s, " PUTS
                           ", client: {preset: sdk-adaptive-2026, function_timeout: 2s}}\n",
                           "");
    assert_true(column_at(&rows, 590, IN_FLIGHT) < 260);
    assert_true(outcome(&rows, "expired_calls") > 30000);
    assert_true(failed_ms(&rows, true) < 2050);
    assert_true(rows.totals.attempts < rows.totals.requests / 3);
    assert_true(rows.totals.succeeded > 3500);
    rows_free(&rows);
}

/* ---- quotas, hints, errors ---- */

/* 500 tokens at 5 a retry: 100 in all where the processes are the same, 100 of each where they are not. */
static void m76_a_quota_of_the_process(void **state) {
    (void)state;
    static const char *const scopes[] = {"process", "client"};
    for (int i = 0; i < 2; i++) {
        char workloads[1024];
        snprintf(
            workloads, sizeof workloads,
            "- {name: v, rate: 10/s, " PUTS ", client: {preset: rust, retry_quota: {scope: %s}}}\n"
            "- {name: w, rate: 10/s, " PUTS ", client: {preset: rust, retry_quota: {scope: %s}}}\n",
            scopes[i], scopes[i]);
        struct rows rows = run("", "1000", workloads, ERRORS);
        assert_int_equal(rows.totals.retries, i ? 200 : 100);
        rows_free(&rows);
    }
}

/* A long poll that finds no tokens is told so after a backoff. */
static void m74_the_empty_wait(void **state) {
    (void)state;
    static const char *const waits[] = {"false", "true"};
    uint64_t requests[2];
    for (int i = 0; i < 2; i++) {
        char workload[512];
        snprintf(workload, sizeof workload,
                 "- {name: w, vus: 1, think_time: 100ms, " PUTS ", client: {max_attempts: 3, "
                 "backoff: {base: 1s}, retry_quota: {enabled: true, wait_when_empty: %s}}}\n",
                 waits[i]);
        struct rows rows = run("", "1000", workload, ERRORS);
        requests[i] = rows.totals.requests;
        assert_int_equal(rows.totals.retries, 0);
        assert_true(requests[i] - rows.totals.retries_refused <= 1);
        rows_free(&rows);
    }
    assert_in_range(requests[0], 5500, 6000);
    assert_in_range(requests[1], 540, 546);
}

/* A throttle asks for three seconds: within the second that is waited anyway and five more. */
static void m71_the_service_asks_for_a_wait(void **state) {
    (void)state;
    static const struct {
        const char *client;
        double wait_s;
    } cases[] = {{"retry_after: clamped", 3},
                 {"retry_after: clamped, retry_after_max_extra: 500ms", 1.5},
                 {"retry_after: ignored", 1},
                 {"retry_after: obeyed, backoff: {jitter: none, max_backoff: 2s}", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char workload[512];
        snprintf(
            workload, sizeof workload,
            "- {name: w, vus: 1, mix: [{operation: PutItem, entity: e, size: 390 KB}], client: "
            "{preset: sdk-standard-2026, retry_quota: {enabled: false}, max_attempts: 2, %s%s}}\n",
            cases[i].client, strstr(cases[i].client, "jitter") ? "" : ", backoff: {jitter: none}");
        struct rows rows = run("retry_after: 3s", "1", workload, "");
        double each_s = 600 / (double)rows.totals.requests;
        assert_true(rows.totals.throttled_attempts > 100);
        assert_true(fabs(each_s - cases[i].wait_s) < 0.05 * cases[i].wait_s);
        rows_free(&rows);
    }
}

/* A client may be told what not to retry. */
static void m77_what_a_client_does_not_retry(void **state) {
    (void)state;
    struct rows rows = run("", "5",
                           "- {name: w, rate: 20/s, " PUTS
                           ", client: {preset: full-jitter, retry_on: {throttling: false}}}\n",
                           "");
    assert_true(rows.totals.throttled_attempts > 5000);
    assert_int_equal(rows.totals.retries, 0);
    rows_free(&rows);
    rows = run("", "1000",
               "- {name: w, rate: 20/s, " PUTS
               ", client: {preset: full-jitter, retry_on: {transient: false}}}\n",
               ERRORS);
    assert_true(rows.totals.failed > 11000);
    assert_int_equal(rows.totals.retries, 0);
    rows_free(&rows);
}

/* Whose quota is empty waits once more before it is told so, but not beyond the end of its call: of ten seconds two. */
static void m97_a_wait_for_an_empty_quota_ends_with_the_call(void **state) {
    (void)state;
    static const char workload[] =
        "- {name: w, arrivals: paced, rate: 2/s, " PUTS
        ", client: {max_attempts: 3, backoff: {base: 10s, throttling_base: 10s, max_backoff: 10s, "
        "jitter: none}, retry_quota: {capacity: 1, retry_cost: 10, throttling_retry_cost: 10, "
        "wait_when_empty: true}%s}}\n";
    char text[1024];
    snprintf(text, sizeof text, workload, ", call_timeout: 2s");
    struct rows cut = run("", "1000", text, ERRORS);
    assert_true(cut.totals.failed > 1190);
    assert_true(failed_ms(&cut, true) < 2100 && failed_ms(&cut, false) > 1900);
    rows_free(&cut);
    snprintf(text, sizeof text, workload, "");
    struct rows whole = run("", "1000", text, ERRORS);
    assert_true(failed_ms(&whole, false) > 9500 && failed_ms(&whole, true) < 11000);
    rows_free(&whole);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m97_a_timed_out_attempt_is_served),
        cmocka_unit_test(m97_timeouts_cost_their_own_tokens),
        cmocka_unit_test(m97_a_call_has_an_end),
        cmocka_unit_test(m97_a_wait_dies_with_its_function),
        cmocka_unit_test(m97_a_function_has_several_calls),
        cmocka_unit_test(m97_a_timed_out_batch),
        cmocka_unit_test(m97_no_connection),
        cmocka_unit_test(m89_callers_find_the_capacity),
        cmocka_unit_test(m89_nothing_is_held_back_at_first),
        cmocka_unit_test(m89_a_line_has_an_end),
        cmocka_unit_test(m76_a_quota_of_the_process),
        cmocka_unit_test(m74_the_empty_wait),
        cmocka_unit_test(m71_the_service_asks_for_a_wait),
        cmocka_unit_test(m77_what_a_client_does_not_retry),
        cmocka_unit_test(m97_a_wait_for_an_empty_quota_ends_with_the_call),
    };
    return cmocka_run_group_tests_name("clients", tests, NULL, NULL);
}
