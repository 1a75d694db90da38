/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Callers that wait for their answers (M-79), the bound on arrivals in flight, and the pages of a Query
 * (M-03), through whole runs. Latencies are constant here where a figure hangs on them.
 */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD                               \
    "version: 1\nname: t\nduration: 10m\n" \
    "values: {k: {count: 1000}}\n"
#define TABLE(write, more)                                                               \
    "tables:\n- {name: t, read_capacity: 40000, write_capacity: " write ", new: true, "  \
    "throttling: " more ",\n"                                                            \
    "   entities: [{name: e, partition_key: \"K#{k}\", sort_key: \"{n}\", count: 1000, " \
    "size: 100 KB}]}\n"

/* An outcome, of a workload or ("") of the run; NAN where its value is NULL, -1 where it has no row. */
static double outcome(const struct rows *rows, const char *name, const char *scope) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_OUTCOME || strcmp(row_text(row, 0), name) != 0) continue;
        if (strcmp(row_text(row, 1), scope) != 0) continue;
        return row->values[2].type == DDBSIM_VALUE_NULL ? (double)NAN : row_number(row, 2);
    }
    return -1;
}

static double mean_outstanding(const struct rows *rows, const char *workload) {
    double sum = 0, count = 0;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table != DDBSIM_LOG_WORKLOAD_SECOND || strcmp(row_text(row, 0), workload) != 0)
            continue;
        sum += row_number(row, 9);
        count++;
    }
    return count > 0 ? sum / count : 0;
}

/* More callers join at once than a handler may schedule events. */
static void m79_many_crews_grow_at_once(void **state) {
    static char text[1 << 14];
    (void)state;
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s", HEAD TABLE("40000", "true") "workloads:\n");
    for (int i = 0; i < 100; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "- {name: w%02d, vus: 1, think_time: 24h, mix: "
                                 "[{operation: UpdateItem, size: 1 KB}]}\n",
                                 i);
    snprintf(text + used, sizeof text - used,
             "changes: [{at: +5s, set: {\"workloads.*.vus\": 3}}]\n");
    struct rows rows = rows_run(text, 1);
    assert_int_equal(rows.totals.requests, 300);
    rows_free(&rows);
}

/* Iterations are shared by all callers, and each is one arrival. */
static void m79_iterations_are_done_once(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE("40000",
                   "true") "workloads:\n- {name: w, start_time: +1m, vus: 7, iterations: 500, "
                           "mix: [{operation: UpdateItem, size: 1 KB}]}\n"
                           "- {name: r, vus: 2, iterations: 1, think_time: 1h, mix: "
                           "[{operation: GetItem}]}\n",
        1);
    assert_int_equal(rows.totals.requests, 501);
    double s = outcome(&rows, "finished_at", "w"), one = outcome(&rows, "finished_at", "r");
    assert_true(s > 60 && s < 61);
    assert_true(one > 0 && one < 1);
    assert_true(outcome(&rows, "finished_at", "") == s);
    assert_true(outcome(&rows, "dropped_iterations", "") == 0);
    rows_free(&rows);
}

/* Little's law with think time: N callers, each cycle the answer's time and the pause. */
static void m79_callers_think(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE("40000",
                   "false") "workloads:\n- {name: w, vus: 30, scale: 2, think_time: 2s, mix: "
                            "[{operation: UpdateItem, size: 1 KB}]}\n",
        1);
    double median_s = outcome(&rows, "caller_p50", "") / 1000;
    double expected = 600 * 60 / (2 + median_s);
    assert_true(fabs((double)rows.totals.requests / expected - 1) < 0.005);
    assert_true(outcome(&rows, "finished_at", "w") == -1);
    assert_true(isnan(outcome(&rows, "finished_at", "")));
    rows_free(&rows);
}

/* With endless retries nothing is lost and the table is the clock; without, a refusal is the arrival's
 * end. A loop that is not done when the run ends is not finished. */
static void m79_refused_callers(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD TABLE("100", "true") "workloads:\n- {name: w, vus: 20, iterations: 30000, "
                                           "client: {max_attempts: 1000000, "
                                           "backoff: {throttling_base: 10ms, max_backoff: 10ms}}, "
                                           "mix: [{operation: UpdateItem, "
                                           "size: 1 KB}]}\n",
                 1);
    assert_int_equal(rows.totals.failed, 0);
    double s = outcome(&rows, "finished_at", "w");
    assert_true(s > 298 && s < 301);
    rows_free(&rows);
    rows = rows_run(
        HEAD TABLE("100", "true") "workloads:\n- {name: w, vus: 20, iterations: 100000000, mix: "
                                  "[{operation: UpdateItem, size: 1 KB}]}\n",
        1);
    assert_true(rows.totals.failed > 1000000);
    assert_true(isnan(outcome(&rows, "finished_at", "w")));
    assert_true(isnan(outcome(&rows, "finished_at", "")));
    rows_free(&rows);
}

/* A sequence is one arrival: a caller does all of it before it goes on. */
static void m79_a_sequence_is_one_arrival(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE("40000",
                   "false") "workloads:\n- {name: w, vus: 3, iterations: 100, sequence: "
                            "[{operation: GetItem}, {operation: UpdateItem, times: 4}, {name: no, "
                            "operation: GetItem, probability: 0%}]}\n",
        1);
    assert_int_equal(rows.totals.requests, 500);
    rows_free(&rows);
    /* A loop of arrivals without a call takes time too. */
    rows = rows_run(
        HEAD TABLE("40000", "false") "workloads:\n- {name: w, vus: 3, iterations: 1000, sequence: "
                                     "[{operation: GetItem, probability: 1%}]}\n",
        1);
    assert_true(rows.totals.requests > 0 && rows.totals.requests < 40);
    assert_true(outcome(&rows, "finished_at", "w") > 0);
    rows_free(&rows);
}

/* More callers come and surplus ones leave as a change says. */
static void m79_callers_come_and_go(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE("40000",
                   "false") "workloads:\n- {name: w, vus: 5, think_time: 1s, mix: [{operation: "
                            "UpdateItem, size: 1 KB}]}\n"
                            "changes:\n- {at: +200s, set: {workloads.w.vus: 500}}\n"
                            "- {at: +400s, set: {workloads.w.vus: 50}}\n",
        1);
    const double wanted[] = {5, 500, 50};
    for (int part = 0; part < 3; part++) {
        double sum = 0;
        for (size_t r = 0; r < rows.count; r++) {
            const struct row *row = &rows.rows[r];
            if (row->table != DDBSIM_LOG_WORKLOAD_SECOND) continue;
            double t = row_number(row, 1);
            if (t >= part * 200 + 10 && t < part * 200 + 190) sum += row_number(row, 3);
        }
        assert_true(fabs(sum / 180 / wanted[part] - 1) < 0.02);
    }
    rows_free(&rows);
}

static void m79_max_vus_drops(void **state) {
    (void)state;
    /* Every request is refused and waits 1 s between its ten attempts: 10 s in flight, 50 a second. */
    static const char text[] =
        HEAD TABLE("1", "true") "workloads:\n- {name: w, rate: 50/s, arrivals: paced, end_time: "
                                "+100s, max_vus: 100, client: "
                                "{max_attempts: 11, backoff: {throttling_base: 1s, max_backoff: "
                                "1s}}, mix: [{operation: "
                                "UpdateItem}]}\n";
    struct rows rows = rows_run(text, 1);
    double dropped = outcome(&rows, "dropped_iterations", "w");
    assert_true(dropped == outcome(&rows, "dropped_iterations", ""));
    assert_int_equal(rows.totals.requests + (uint64_t)dropped, 5000);
    assert_true(rows.totals.requests > 900 && rows.totals.requests < 1200);
    assert_true(mean_outstanding(&rows, "w") <= 101);
    rows_free(&rows);
}

/* 25 items of 100 KB are 2.5 MB: pages of 11, 11 and 3 items, one after the other. */
static void m03_pages_of_a_query(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD TABLE(
            "1", "false") "workloads:\n- {name: all, vus: 1, iterations: 40, mix: [{operation: "
                          "Query, items: 25, pages: all, consistent_read: true}]}\n"
                          "- {name: one, vus: 1, iterations: 10, mix: [{operation: Query, items: "
                          "25}]}\n"
                          "- {name: none, vus: 1, iterations: 10, mix: [{operation: Query, items: "
                          "0, pages: all}]}\n"
                          "- {name: seq, vus: 1, iterations: 10, sequence: [{operation: Query, "
                          "items: 25, pages: all, times: 2}, {operation: GetItem}]}\n",
        1);
    assert_int_equal(rows.totals.requests, 40 * 3 + 10 + 10 + 10 * 7);
    double strong = 40 * 25 * 25, first_pages = 10 * 0.5 * 11 * 25, empty = 10 * 0.5;
    double sequences = 10 * 0.5 * (2 * 25 * 25 + 25),
           units = strong + first_pages + empty + sequences;
    assert_true(fabs((double)rows.totals.read_half_units / 2 - units) < 0.01);
    rows_free(&rows);
}

/* An eventual read costs half of a strong one. */
static void m02_an_eventual_read_is_half(void **state) {
    (void)state;
    for (int strong = 0; strong < 2; strong++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            HEAD TABLE("1", "false") "workloads:\n- {name: r, vus: 1, iterations: 100, mix: "
                                     "[{operation: GetItem, size: 5 KB, consistent_read: %s}]}\n",
            strong ? "true" : "false");
        struct rows rows = rows_run(text, 1);
        assert_int_equal(rows.totals.read_half_units, strong ? 400 : 200);
        rows_free(&rows);
    }
}

/* Another workload, closed or not, changes nothing of this one where nothing is refused. */
static void m79_draws_are_by_number(void **state) {
    (void)state;
    static const char *const loads[] = {"vus: 1, iterations: 400", "vus: 9, iterations: 400",
                                        "rate: 10/s, arrivals: paced, end_time: +40s"};
    double units[3];
    for (int i = 0; i < 3; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            HEAD TABLE(
                "1",
                "false") "workloads:\n- {name: w, %s, mix: [{name: a, operation: UpdateItem, size: "
                         "1 KB}, "
                         "{name: b, operation: UpdateItem, size: 7 KB}, {operation: GetItem}]}\n",
            loads[i]);
        struct rows rows = rows_run(text, 5);
        assert_int_equal(rows.totals.requests, 400);
        units[i] = (double)rows.totals.write_half_units;
        rows_free(&rows);
    }
    assert_true(units[0] == units[1] && units[1] == units[2]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m79_iterations_are_done_once),
        cmocka_unit_test(m79_callers_think),
        cmocka_unit_test(m79_many_crews_grow_at_once),
        cmocka_unit_test(m79_refused_callers),
        cmocka_unit_test(m79_a_sequence_is_one_arrival),
        cmocka_unit_test(m79_callers_come_and_go),
        cmocka_unit_test(m79_max_vus_drops),
        cmocka_unit_test(m03_pages_of_a_query),
        cmocka_unit_test(m02_an_eventual_read_is_half),
        cmocka_unit_test(m79_draws_are_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
