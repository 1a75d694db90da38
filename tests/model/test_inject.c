/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests by call: what the caller is told agrees with what the log says; injections disturb nobody's
 * draws; looking at a run changes nothing in it.
 */
#include <support/cmocka.h>
#include <support/run_rows.h>

#define SECONDS 120
#define BY_CALL "by-call"

static const char scenario_text[] =
    "version: 1\nname: inject\nstart: 2026-01-01T00:00:17+00:00\nduration: 2m\n"
    "values: {key: {count: 300}, state: {list: {a: 70%, b: 30%}}}\n"
    "tables:\n"
    "  - {name: t, read_capacity: 20, write_capacity: 12, burst: {initial: 2%}, partitions: 4,\n"
    "     entities: [{name: e, partition_key: \"K#{key}\", count: 900, size: 1 KB}],\n"
    "     indexes: [{name: i, partition_key: \"S#{state}\", projection: ALL, read_capacity: 1,\n"
    "                write_capacity: 10, burst: {initial: 1%}, backpressure: textbook},\n"
    "               {name: j, partition_key: \"J#{state}\", projection: KEYS_ONLY,\n"
    "                read_capacity: 1, write_capacity: 9, burst: {initial: 0%},\n"
    "                backpressure: textbook}]}\n"
    "  - {name: other, read_capacity: 5, write_capacity: 5,\n"
    "     entities: [{name: x, partition_key: \"X#{key}\", count: 10, size: 1 KB}]}\n"
    "workloads:\n"
    "  - {name: w, table: t, rate: 30/s, client: {preset: boto3-standard},\n"
    "     mix: [{operation: UpdateItem, weight: 3}, {operation: GetItem, consistent_read: true}]}\n"
    "changes: [{at: +60s, set: {workloads.w.rate: 40/s}}]\n";

/* What the caller was told, summed. */
struct told {
    uint64_t requests, admitted, refusals, first[DDBSIM_REASON_KINDS], all[DDBSIM_REASON_KINDS];
    int64_t nano_units;
};

static void must(enum ddbsim_status status, const struct ddbsim_error *error) {
    if (status != DDBSIM_OK) fail_msg("%s: %s", error->path, error->message);
}

static struct ddbsim_scenario *load(void) {
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    must(ddbsim_scenario_parse(scenario_text, sizeof scenario_text - 1, "inject.yaml", NULL,
                               &scenario, &error),
         &error);
    return scenario;
}

static struct ddbsim_run *start(const struct ddbsim_scenario *scenario, struct ddbsim_sink *sink,
                                const char *inject_as) {
    struct ddbsim_run *run = NULL;
    struct ddbsim_error error = {0};
    struct ddbsim_run_options options = {.seed = 5, .sink = sink, .inject_as = inject_as};
    must(ddbsim_run_create(scenario, &options, &run, &error), &error);
    return run;
}

static void hear(struct told *told, const struct ddbsim_result *result) {
    told->requests++;
    told->admitted += result->admitted;
    told->nano_units += result->nano_units;
    told->refusals += result->refusal_count;
    assert_true(result->service_ns > 0 && result->caller_ns > result->service_ns);
    assert_int_equal(result->admitted, result->refusal_count == 0);
    assert_int_equal(result->admitted, result->exception == NULL);
    for (uint32_t i = 0; i < result->refusal_count; i++) {
        const struct ddbsim_refusal *refusal = &result->refusals[i];
        told->all[refusal->reason]++;
        if (i == 0) told->first[refusal->reason]++;
        if (i > 0) assert_true(refusal->reason >= result->refusals[i - 1].reason);
        bool is_index = ddbsim_reason_is_index((int)refusal->reason);
        assert_int_equal(is_index, refusal->index != DDBSIM_NONE);
        assert_string_equal(refusal->resource, !is_index ? "t" : refusal->index == 0 ? "i" : "j");
    }
}

/* Writes to one key and both indexes, a read and a delete, many at the same moment. */
static void burst_of_calls(struct ddbsim_run *run, int64_t second, struct told *told) {
    struct ddbsim_error error = {0};
    const struct ddbsim_injected_entry entries[] = {
        {.index = 1, .effect = DDBSIM_EFFECT_ADD, .new_bytes = 100, .new_partition_key = "J#a"},
        {.index = 0,
         .effect = DDBSIM_EFFECT_MOVE,
         .old_bytes = 900,
         .new_bytes = 1000,
         .old_partition_key = "S#a",
         .new_partition_key = "S#b"},
    };
    for (int i = 0; i < 100; i++) {
        char key[32];
        int64_t bytes = i == 11 ? 50 * 1024 : 1024; /* a large one leaves the table in debt */
        snprintf(key, sizeof key, "CALL#%d", i % 7 == 0 ? 0 : i);
        struct ddbsim_injection call = {.kind = DDBSIM_UPDATE_ITEM,
                                        .partition_key = key,
                                        .old_bytes = bytes,
                                        .new_bytes = bytes,
                                        .entries = entries,
                                        .entry_count = (uint32_t)(i % 3)};
        if (i % 5 == 0) {
            call = (struct ddbsim_injection){
                .kind = DDBSIM_GET_ITEM, .partition_key = key, .sort_key = "s", .old_bytes = 5000};
            call.consistent_read = second % 2 == 0;
        }
        struct ddbsim_result result;
        must(ddbsim_run_inject(run, &call, &result, &error), &error);
        hear(told, &result);
    }
}

static void run_through(struct ddbsim_run *run, struct told *told) {
    struct ddbsim_error error = {0};
    for (int64_t s = 0; s < SECONDS; s++) {
        if (told) burst_of_calls(run, s, told);
        must(ddbsim_run_advance(run, s * DDBSIM_S + DDBSIM_S / 2, &error), &error);
        if (told && s % 3 == 0) burst_of_calls(run, s, told);
        must(ddbsim_run_advance(run, (s + 1) * DDBSIM_S, &error), &error);
    }
    must(ddbsim_run_finish(run, &error), &error);
}

/* ---- conservation ---- */

static void check_reasons(const struct rows *rows, const struct told *told) {
    for (int reason = 0; reason < DDBSIM_REASON_KINDS; reason++) {
        double all = 0, first = 0;
        for (size_t r = 0; r < rows->count; r++) {
            const struct row *row = &rows->rows[r];
            if (row->table != DDBSIM_LOG_THROTTLE || strcmp(row_text(row, 2), BY_CALL) != 0 ||
                strcmp(row_text(row, 1), ddbsim_reason_name(reason)) != 0)
                continue;
            all += row_number(row, 6);
            first += row_number(row, 7);
        }
        assert_true(all == (double)told->all[reason]);
        assert_true(first == (double)told->first[reason]);
    }
    assert_true(told->all[DDBSIM_TABLE_WRITE_PROVISIONED] > 100);
    assert_true(told->all[DDBSIM_INDEX_WRITE_PROVISIONED] > 100);
    assert_true(told->refusals > told->requests - told->admitted);
}

static void check_workload(const struct rows *rows, const struct told *told) {
    double requests = rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, 3, 0, BY_CALL);
    double succeeded = rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, 5, 0, BY_CALL);
    double failed = rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, 6, 0, BY_CALL);
    assert_true(requests == (double)told->requests && succeeded == (double)told->admitted);
    assert_true(failed == requests - succeeded);
    assert_true(rows_sum(rows, DDBSIM_LOG_WORKLOAD_TOTAL, 3, 0, BY_CALL) == requests);
    assert_true(rows_sum(rows, DDBSIM_LOG_WORKLOAD_TOTAL, 8, 0, BY_CALL) == failed);
    double units = rows_sum(rows, DDBSIM_LOG_WORKLOAD_TOTAL, 9, 0, BY_CALL);
    double difference = units - (double)told->nano_units / 1e9;
    assert_true(difference < 1e-6 && difference > -1e-6);
}

/* Sums over all workloads still agree with each other. */
static void check_whole(const struct rows *rows, const struct ddbsim_totals *totals) {
    assert_int_equal(totals->attempts, totals->requests + totals->retries);
    assert_true(rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, 3, 0, NULL) == (double)totals->requests);
    assert_true(rows_sum(rows, DDBSIM_LOG_THROTTLE, 7, 0, NULL) ==
                (double)totals->throttled_attempts);
    assert_true(rows_sum(rows, DDBSIM_LOG_METRIC, 6, 1, "ThrottledRequests") ==
                (double)totals->throttled_attempts);
    double by_second = rows_sum(rows, DDBSIM_LOG_SECOND, 4, 0, NULL);
    double by_minute = rows_sum(rows, DDBSIM_LOG_METRIC, 6, 1, "ConsumedWriteCapacityUnits");
    assert_true(by_second - by_minute < 1e-6 && by_minute - by_second < 1e-6);
}

static bool key_is_listed(const struct rows *rows, const char *text) {
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_TOP_KEY &&
            strcmp(row_text(&rows->rows[r], 5), text) == 0)
            return true;
    return false;
}

static void log_agrees(void **state) {
    (void)state;
    struct rows rows = {0};
    struct told told = {0};
    struct ddbsim_sink sink = {.self = &rows, .row = rows_take};
    struct ddbsim_scenario *scenario = load();
    struct ddbsim_run *run = start(scenario, &sink, BY_CALL);
    run_through(run, &told);
    struct ddbsim_totals totals = ddbsim_run_totals(run);
    check_reasons(&rows, &told);
    check_workload(&rows, &told);
    check_whole(&rows, &totals);
    assert_true(key_is_listed(&rows, "CALL#0"));
    assert_true(key_is_listed(&rows, "S#b") && key_is_listed(&rows, "J#a"));
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
    rows_free(&rows);
}

/* ---- isolation ---- */

/* Rows of the run as they are, without those that speak of the injected workload. */
static void assert_same_rows(const struct rows *a, const struct rows *b) {
    size_t j = 0;
    for (size_t i = 0; i < a->count; i++, j++) {
        while (j < b->count && strcmp(row_text(&b->rows[j], 0), BY_CALL) == 0)
            j++;
        assert_true(j < b->count);
        const struct row *x = &a->rows[i], *y = &b->rows[j];
        assert_int_equal(x->table, y->table);
        assert_int_equal(x->count, y->count);
        for (size_t c = 0; c < x->count; c++) {
            assert_int_equal(x->values[c].type, y->values[c].type);
            assert_true(row_number(x, c) == row_number(y, c));
            assert_string_equal(row_text(x, c), row_text(y, c));
        }
    }
    assert_true(a->count > 1000);
}

/* A run that could take requests by call and takes none, and is looked at, is the run without. */
static void no_calls_no_difference(void **state) {
    (void)state;
    struct rows rows[2] = {{0}, {0}};
    struct ddbsim_scenario *scenario = load();
    for (int k = 0; k < 2; k++) {
        struct ddbsim_sink sink = {.self = &rows[k], .row = rows_take};
        struct ddbsim_run *run = start(scenario, &sink, k ? BY_CALL : NULL);
        struct ddbsim_error error = {0};
        for (int64_t t = 1; t <= SECONDS * 7 && k; t++) {
            struct ddbsim_resource_state state_of;
            struct ddbsim_partition_state part;
            must(ddbsim_run_advance(run, t * DDBSIM_S / 7, &error), &error);
            for (uint32_t i = 0; i < 3; i++)
                must(ddbsim_run_resource(run, 0, i ? i - 1 : DDBSIM_NONE, &state_of, &error),
                     &error);
            for (uint32_t p = 0; p < 4; p++)
                must(ddbsim_run_partition(run, 0, DDBSIM_NONE, p, &part, &error), &error);
        }
        if (!k) must(ddbsim_run_advance(run, SECONDS * DDBSIM_S, &error), &error);
        must(ddbsim_run_finish(run, &error), &error);
        ddbsim_run_destroy(run);
    }
    assert_same_rows(&rows[0], &rows[1]);
    rows_free(&rows[0]);
    rows_free(&rows[1]);
    ddbsim_scenario_destroy(scenario);
}

/* ---- state ---- */

static void partitions_tile(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = load();
    struct ddbsim_run *run = start(scenario, NULL, BY_CALL);
    struct ddbsim_resource_state whole;
    struct ddbsim_partition_state part, before = {.high_hash = UINT64_MAX, .high_sort = UINT64_MAX};
    must(ddbsim_run_resource(run, 0, DDBSIM_NONE, &whole, &error), &error);
    assert_int_equal(whole.partitions, 4);
    assert_int_equal(whole.items, 900);
    assert_int_equal(whole.bytes, 900 * 1024);
    assert_int_equal(whole.write_nano_limit, 12 * 300 * DDBSIM_S);
    assert_int_equal(whole.write_nano_tokens, whole.write_nano_limit / 50);
    for (uint32_t p = 0; p < 4; p++, before = part) {
        must(ddbsim_run_partition(run, 0, DDBSIM_NONE, p, &part, &error), &error);
        assert_true(part.low_hash == before.high_hash + 1 && part.low_sort == 0);
        assert_int_equal(part.write_nano_tokens, 3000 * DDBSIM_S);
        assert_int_equal(part.read_nano_limit, 9000 * DDBSIM_S);
    }
    assert_true(before.high_hash == UINT64_MAX && before.high_sort == UINT64_MAX);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

/* A bucket read between events has what it had and its rate times the time. */
static void tokens_follow_time(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = load();
    struct ddbsim_run *run = start(scenario, NULL, BY_CALL);
    struct ddbsim_resource_state at_first, later;
    struct ddbsim_result result;
    const struct ddbsim_injection put = {
        .kind = DDBSIM_PUT_ITEM, .table = 1, .partition_key = "X#9", .new_bytes = 3000};
    must(ddbsim_run_inject(run, &put, &result, &error), &error);
    assert_true(result.admitted && result.nano_units == 3 * DDBSIM_S);
    must(ddbsim_run_resource(run, 1, DDBSIM_NONE, &at_first, &error), &error);
    assert_int_equal(at_first.write_nano_tokens, (5 * 300 - 3) * DDBSIM_S);
    must(ddbsim_run_advance(run, 123456789, &error), &error);
    must(ddbsim_run_resource(run, 1, DDBSIM_NONE, &later, &error), &error);
    assert_int_equal(later.write_nano_tokens - at_first.write_nano_tokens, 5 * INT64_C(123456789));
    assert_int_equal(later.items, at_first.items);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

/* ---- mistakes ---- */

#define KB 1024
static const struct ddbsim_injected_entry no_index = {
    .index = 2, .effect = DDBSIM_EFFECT_ADD, .new_bytes = 1, .new_partition_key = "J#a"};
static const struct ddbsim_injected_entry no_key = {
    .effect = DDBSIM_EFFECT_MOVE, .old_bytes = 1, .new_bytes = 1, .new_partition_key = "S#a"};
static const struct ddbsim_injected_entry old_side = {
    .effect = DDBSIM_EFFECT_ADD, .old_bytes = 1, .new_bytes = 1, .new_partition_key = "S#a"};
static const struct ddbsim_injected_entry twice[] = {
    {.effect = DDBSIM_EFFECT_ADD, .new_bytes = 1, .new_partition_key = "S#a"},
    {.effect = DDBSIM_EFFECT_ADD, .new_bytes = 1, .new_partition_key = "S#b"}};

static const struct ddbsim_injection impossible[] = {
    {.kind = DDBSIM_OPERATION_KINDS, .partition_key = "K", .new_bytes = 1},
    {.kind = DDBSIM_PUT_ITEM, .table = 2, .partition_key = "K", .new_bytes = 1},
    {.kind = DDBSIM_PUT_ITEM, .new_bytes = 1},
    {.kind = DDBSIM_PUT_ITEM, .partition_key = "", .new_bytes = 1},
    {.kind = DDBSIM_PUT_ITEM, .partition_key = "K"},
    {.kind = DDBSIM_PUT_ITEM, .partition_key = "K", .new_bytes = 400 * KB + 1},
    {.kind = DDBSIM_PUT_ITEM, .partition_key = "K", .new_bytes = 1, .old_bytes = -1},
    {.kind = DDBSIM_DELETE_ITEM, .partition_key = "K", .new_bytes = 1},
    {.kind = DDBSIM_GET_ITEM, .partition_key = "K", .entries = &no_index, .entry_count = 1},
    {.kind = DDBSIM_PUT_ITEM, .partition_key = "K", .new_bytes = 1, .entry_count = 1},
    {.kind = DDBSIM_PUT_ITEM,
     .partition_key = "K",
     .new_bytes = 1,
     .entries = &no_index,
     .entry_count = 1},
    {.kind = DDBSIM_PUT_ITEM,
     .partition_key = "K",
     .new_bytes = 1,
     .entries = &no_key,
     .entry_count = 1},
    {.kind = DDBSIM_PUT_ITEM,
     .partition_key = "K",
     .new_bytes = 1,
     .entries = &old_side,
     .entry_count = 1},
    {.kind = DDBSIM_PUT_ITEM,
     .partition_key = "K",
     .new_bytes = 1,
     .entries = twice,
     .entry_count = 2},
};

/* A transaction that runs has its item: the call is told so, as a program would be. */
static void m69_a_conflict_is_told(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nname: t\nduration: 1m\nvalues: {k: {list: {a: 100%}}}\ntables:\n"
        "  - {name: t, read_capacity: 1000, write_capacity: 10000, entities: [{name: e, "
        "partition_key: \"{k}\", count: 1, size: 1 KB}]}\n"
        "workloads:\n  - {name: w, rate: 500/s, mix: [{operation: TransactWriteItems, actions: "
        "[{}]}]}\n";
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    must(ddbsim_scenario_parse(text, sizeof text - 1, "inject.yaml", NULL, &scenario, &error),
         &error);
    struct ddbsim_run *run = start(scenario, NULL, "calls");
    int served = 0, conflicts = 0;
    for (int64_t second = 1; second <= 50; second++) {
        must(ddbsim_run_advance(run, second * DDBSIM_S, &error), &error);
        struct ddbsim_injection call = {
            .kind = DDBSIM_UPDATE_ITEM, .partition_key = "a", .old_bytes = 1024, .new_bytes = 1024};
        struct ddbsim_result result;
        must(ddbsim_run_inject(run, &call, &result, &error), &error);
        served += result.admitted;
        conflicts += !result.admitted;
        if (!result.admitted) assert_string_equal(result.exception, "TransactionConflictException");
    }
    assert_true(served > 0 && conflicts > 10);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

/* A fault's answer is told by its name, and costs nothing. */
static void m103_an_error_is_told(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nname: t\nduration: 1m\nvalues: {k: {list: {a: 100%}}}\ntables:\n"
        "  - {name: t, read_capacity: 10, write_capacity: 10, entities: [{name: e, partition_key: "
        "\"{k}\", count: 1, size: 1 KB}]}\n"
        "workloads:\n  - {name: w, rate: 1/s, mix: [{operation: GetItem}]}\n"
        "faults: [{at: +0s, for: 30s, kind: errors, to: 100%}]\n";
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    must(ddbsim_scenario_parse(text, sizeof text - 1, "inject.yaml", NULL, &scenario, &error),
         &error);
    struct ddbsim_run *run = start(scenario, NULL, "calls");
    for (int64_t second = 1; second <= 50; second++) {
        must(ddbsim_run_advance(run, second * DDBSIM_S, &error), &error);
        struct ddbsim_injection call = {
            .kind = DDBSIM_UPDATE_ITEM, .partition_key = "a", .old_bytes = 1024, .new_bytes = 1024};
        struct ddbsim_result result;
        must(ddbsim_run_inject(run, &call, &result, &error), &error);
        assert_true(result.admitted == (second >= 30));
        assert_int_equal(result.refusal_count, 0);
        if (result.admitted) continue;
        assert_string_equal(result.exception, "InternalServerError");
        assert_int_equal(result.nano_units, 0);
    }
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

static void impossible_requests(void **state) {
    (void)state;
    struct ddbsim_scenario *scenario = load();
    struct ddbsim_run *run = start(scenario, NULL, BY_CALL);
    struct ddbsim_result result;
    for (size_t i = 0; i < sizeof impossible / sizeof *impossible; i++) {
        struct ddbsim_error error = {0};
        assert_int_equal(ddbsim_run_inject(run, &impossible[i], &result, &error), DDBSIM_INPUT);
        assert_true(error.message[0] != '\0');
    }
    assert_int_equal(ddbsim_run_totals(run).requests, 0);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

static void wrong_moments(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = load();
    struct ddbsim_run *run = start(scenario, NULL, NULL);
    const struct ddbsim_injection get = {.kind = DDBSIM_GET_ITEM, .partition_key = "K"};
    struct ddbsim_result result;
    assert_int_equal(ddbsim_run_inject(run, &get, &result, NULL), DDBSIM_INPUT);
    ddbsim_run_destroy(run);
    run = start(scenario, NULL, BY_CALL);
    must(ddbsim_run_advance(run, 5 * DDBSIM_S, &error), &error);
    assert_int_equal(ddbsim_run_advance(run, 5 * DDBSIM_S - 1, NULL), DDBSIM_INPUT);
    assert_int_equal(ddbsim_run_advance(run, SECONDS * DDBSIM_S + 1, NULL), DDBSIM_INPUT);
    assert_int_equal(ddbsim_run_now(run), 5 * DDBSIM_S);
    must(ddbsim_run_inject(run, &get, &result, &error),
         &error); /* a missing item costs as a small one */
    assert_int_equal(result.nano_units, DDBSIM_S / 2);
    must(ddbsim_run_advance(run, SECONDS * DDBSIM_S, &error), &error);
    assert_int_equal(ddbsim_run_inject(run, &get, &result, NULL), DDBSIM_INPUT);
    must(ddbsim_run_finish(run, &error), &error);
    assert_int_equal(ddbsim_run_finish(run, NULL), DDBSIM_INPUT);
    assert_int_equal(ddbsim_run_advance(run, SECONDS * DDBSIM_S, NULL), DDBSIM_INPUT);
    struct ddbsim_resource_state whole;
    must(ddbsim_run_resource(run, 0, DDBSIM_NONE, &whole, &error), &error);
    assert_int_equal(ddbsim_run_resource(run, 0, 2, &whole, NULL), DDBSIM_INPUT);
    assert_int_equal(ddbsim_run_resource(run, 2, DDBSIM_NONE, &whole, NULL), DDBSIM_INPUT);
    struct ddbsim_partition_state part;
    assert_int_equal(ddbsim_run_partition(run, 0, DDBSIM_NONE, 4, &part, NULL), DDBSIM_INPUT);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

static void wrong_names(void **state) {
    (void)state;
    static const char *const names[] = {"w", "", "two\nlines"};
    struct ddbsim_scenario *scenario = load();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ddbsim_run *run = NULL;
        struct ddbsim_error error = {0};
        struct ddbsim_run_options options = {.inject_as = names[i]};
        assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), DDBSIM_INPUT);
        assert_null(run);
        assert_non_null(strstr(error.message, "inject_as"));
    }
    ddbsim_scenario_destroy(scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_agrees),
        cmocka_unit_test(no_calls_no_difference),
        cmocka_unit_test(partitions_tile),
        cmocka_unit_test(tokens_follow_time),
        cmocka_unit_test(m69_a_conflict_is_told),
        cmocka_unit_test(m103_an_error_is_told),
        cmocka_unit_test(impossible_requests),
        cmocka_unit_test(wrong_moments),
        cmocka_unit_test(wrong_names),
    };
    return cmocka_run_group_tests_name("inject", tests, NULL, NULL);
}
