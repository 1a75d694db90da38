/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Indexes that are created and deleted while a run goes on, against figures that can be computed by hand. Each test
 * is named after its rule.
 */
#include <support/cmocka.h>
#include <support/table_rows.h>

#define ITEMS "entities: [{name: e, partition_key: \"K#{key}\", count: 20000, size: 1 KB}]"
#define TABLE "read_capacity: 100, write_capacity: 1000, @" ITEMS ", indexes: [@]"
#define OLD                                                                          \
    "{name: old, partition_key: \"K#{key}\", read_capacity: 10, write_capacity: @, " \
    "backpressure: textbook, burst: {initial: 0%}}"
#define CREATE_AT_0                                                                      \
    "changes:\n  - {at: +0s, table: t, create_index: {name: new, partition_key: \"@\", " \
    "read_capacity: 10, write_capacity: @, backpressure: textbook, @}}\n"
#define DELETE(name, at) "  - {at: " at ", table: t, delete_index: " name "}\n"
#define NO_CALLS "  - {name: w, rate: 0/s, mix: [{operation: UpdateItem}]}\n"
#define ACTIVE "index_active"
#define BUILDING "index_building"

enum { OLD_INDEX = 2, NEW_INDEX = 3, METRIC_NAME = 1, METRIC_SUM = 6 };
#define ALLOCATION_S 300

static void assert_near(double value, double wanted, double off) {
    if (value < wanted - off || value > wanted + off)
        fail_msg("%g is not %g, give or take %g", value, wanted, off);
}

/* The table has the index `old` with 500 units, and gets `new`. */
static struct rows run_created(const char *model, const char *key, const char *capacity,
                               const char *more, const char *workloads, const char *changes) {
    return run_table("40m", fill(TABLE, model, fill(OLD, "500")),
                     fill("@@@", workloads, fill(CREATE_AT_0, key, capacity, more), changes), 1);
}

static double metric_sum(const struct rows *rows, int resource, const char *name) {
    double sum = 0;
    EACH_ROW(row, rows, METRIC)
    if (row_integer(row, 0) == resource && strcmp(row_text(row, METRIC_NAME), name) == 0)
        sum += row_number(row, METRIC_SUM);
    return sum;
}

static int64_t build_s(const struct rows *rows) {
    assert_int_equal(event_s(rows, BUILDING, "", 0), ALLOCATION_S);
    assert_int_equal(event_count(rows, ACTIVE, ""), 1);
    return event_s(rows, ACTIVE, "", 0) - ALLOCATION_S;
}

/* Suffixes that the item's own key lacks are drawn, or made of a value that its key or its entry has; values that come
 * with time are those of the day before. */
static void m58_entries_have_suffixes_of_their_own(void **state) {
    (void)state;
    static const char *const shards[] = {"{count: 4, by: random}", "{count: 4, by: hash, of: key}",
                                         "{count: 4, by: sum, of: late}"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "version: 1\nname: t\nduration: 20m\nvalues: {key: {count: 2000}, late: {new: "
                 "true, start: 1000}, day: {clock: day}}\ntables:\n"
                 "  - {name: t, read_capacity: 10, write_capacity: 1000, entities: [{name: e, "
                 "partition_key: \"K#{key}\", sort_key: \"{late}\", count: 2000, size: 1 KB, "
                 "shards: %s}], indexes: [{name: now, partition_key: \"N#{shard}\", read_capacity: "
                 "1, write_capacity: 1000}]}\n"
                 "workloads:\n  - {name: w, rate: 2/s, mix: [{operation: PutItem}]}\n"
                 "changes:\n  - {at: +0s, table: t, create_index: {name: new, partition_key: "
                 "\"D#{day}.{shard}\", read_capacity: 1, write_capacity: 100}}\n",
                 shards[i]);
        struct rows rows = rows_run(text, 1);
        assert_int_equal(event_count(&rows, ACTIVE, ""), 1);
        assert_true(consumed(&rows, NEW_INDEX, SECOND_WRITE, 0, 1200) >= 2000);
        rows_free(&rows);
    }
}

/* 20,000 entries of a unit at 100 units a second. Reading them costs the table nothing. */
static void m58_filling_in_takes_entries_over_capacity(void **state) {
    (void)state;
    struct rows rows = run_created("", "N#{key}", "100", "projection: ALL", NO_CALLS, "");
    assert_near((double)build_s(&rows), 200, 1);
    assert_true(consumed(&rows, NEW_INDEX, SECOND_WRITE, 0, 2400) == 20000);
    assert_true(consumed(&rows, 1, SECOND_READ, 0, 2400) == 0);
    assert_int_equal(partitions_at(&rows, NEW_INDEX, NULL, ALLOCATION_S - 1), 0);
    assert_int_equal(partitions_at(&rows, NEW_INDEX, "initial", ALLOCATION_S), 1);
    rows_free(&rows);
}

/* Entries are as large as the projection makes them, and only those that are present count. */
static void m58_what_is_filled_in_follows_the_projection(void **state) {
    (void)state;
    struct rows rows = run_created("", "N#{key}", "100",
                                   "projection: ALL, entries: {e: {present: 10%}}", NO_CALLS, "");
    assert_near((double)build_s(&rows), 20, 1);
    assert_int_equal(event_s(&rows, ACTIVE, "\"items\":2000,\"bytes\":2048000", 0), 320);
    rows_free(&rows);
}

/* Callers' writes go to the new index from its creation on, and are served first. */
static void m58_live_writes_share_the_capacity(void **state) {
    (void)state;
    struct rows rows = run_created("", "N#{key}", "100", "projection: ALL", WRITES("60/s", ""), "");
    assert_near((double)build_s(&rows), 20000 / 40.0, 6);
    assert_true(consumed(&rows, NEW_INDEX, SECOND_WRITE, 0, ALLOCATION_S) == 0);
    assert_near(consumed(&rows, NEW_INDEX, SECOND_WRITE, 310, 700) / 390, 100, 0.5);
    assert_true(rows.totals.throttled_attempts == 0);
    rows_free(&rows);
}

/* What is kept for callers is not filled in with. */
static void m58_a_share_may_be_kept_for_callers(void **state) {
    (void)state;
    struct rows rows = run_created("model: {backfill_share: 50%}, ", "N#{key}", "100",
                                   "projection: ALL", NO_CALLS, "");
    assert_near((double)build_s(&rows), 400, 1);
    rows_free(&rows);
}

/* One partition takes 1,000 units a second, whatever the index may. */
static void m58_a_hot_key_makes_it_longer(void **state) {
    (void)state;
    struct rows rows = run_created("model: {heat_split: off, partition_burst: 0.1s}, ", "ALL",
                                   "4000", "projection: ALL", NO_CALLS, "");
    assert_near((double)build_s(&rows), 20, 1);
    rows_free(&rows);
}

/* An index that lacks capacity for callers' writes holds its table back, also while it is built, unless told
 * otherwise. */
static void m58_it_may_hold_the_table_back(void **state) {
    (void)state;
    const char *models[] = {"", "model: {building_backpressure: off}, "};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_created(models[i], "N#{key}", "30", "projection: ALL", WRITES("60/s", ""), "");
        assert_int_equal(event_count(&rows, ACTIVE, ""), 0);
        double refused = throttles(&rows, "IndexWriteProvisionedThroughputExceeded");
        if (i == 0)
            assert_near(refused / (2400 - ALLOCATION_S), 30, 1);
        else
            assert_true(refused == 0);
        rows_free(&rows);
    }
}

/* What CloudWatch says of it: progress, and of units and refusals nothing, as today, or what they were. */
static void m58_online_metrics(void **state) {
    (void)state;
    const char *models[] = {"", "model: {online_index_metrics: reported}, "};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_created(models[i], "N#{key}", "100", "projection: ALL", WRITES("60/s", ""), "");
        double last = -1;
        EACH_ROW(row, &rows, METRIC)
        if (strcmp(row_text(row, METRIC_NAME), "OnlineIndexPercentageProgress") == 0) {
            assert_true(row_number(row, METRIC_SUM) > last);
            last = row_number(row, METRIC_SUM);
        }
        assert_true(last == 100);
        assert_true(metric_sum(&rows, NEW_INDEX, "OnlineIndexConsumedWriteCapacity") ==
                    (i == 0 ? 0 : 20000));
        assert_true((metric_sum(&rows, NEW_INDEX, "OnlineIndexThrottleEvents") > 0) == (i == 1));
        /* Its usual metric counts callers' writes alone, as they pass to the index. */
        assert_near(metric_sum(&rows, NEW_INDEX, "ConsumedWriteCapacityUnits"),
                    60.0 * (2400 - ALLOCATION_S), 1);
        rows_free(&rows);
    }
}

/* Nobody else notices an index that has enough. */
static void m58_others_are_as_without_it(void **state) {
    (void)state;
    struct rows with = run_created("", "N#{key}", "500", "projection: ALL", WRITES("60/s", ""), "");
    struct rows without =
        run_table("40m", fill(TABLE, "", fill(OLD, "500")), WRITES("60/s", ""), 1);
    const struct row *other = without.rows;
    int compared = 0;
    EACH_ROW(row, &with, SECOND) {
        if (row_integer(row, 0) == NEW_INDEX) continue;
        while (other->table != DDBSIM_LOG_SECOND)
            other++;
        for (size_t c = 0; c < row->count; c++)
            assert_true(row_number(row, c) == row_number(other, c));
        other++;
        compared++;
    }
    assert_true(compared > 4000);
    rows_free(&with);
    rows_free(&without);
}

/* Its capacity is what changes have made of it, and may be raised while it is built. */
static void m58_capacity_can_be_raised_meanwhile(void **state) {
    (void)state;
    struct rows rows =
        run_created("", "N#{key}", "100", "projection: ALL", NO_CALLS,
                    "  - {at: +340s, set: {tables.t.indexes.new.write_capacity: 400}}\n");
    assert_near((double)build_s(&rows), 100 + 10000 / 400.0, 2);
    rows_free(&rows);
}

/* ---- deleting ---- */

/* A switch of the mode waits until the index takes writes; until the switch acts the index has the capacity that it was
 * created with. 20,000 entries take 40 s of it. */
static void m58_a_switch_of_the_mode_meanwhile(void **state) {
    (void)state;
    struct rows rows =
        run_created("", "N#{key}", "500", "projection: ALL", NO_CALLS,
                    "  - {at: +1s, set: {tables.t.billing_mode: PAY_PER_REQUEST}}\n");
    assert_near((double)build_s(&rows), 40, 1);
    assert_true(event_s(&rows, "capacity_changed", "\"from\":500,\"to\":4000", 0) >
                ALLOCATION_S + 60);
    rows_free(&rows);
}

/* The old index refuses until it is gone; then nothing does, and it consumes nothing. */
static void m59_a_deleted_index_refuses_and_costs_nothing(void **state) {
    (void)state;
    struct rows rows = run_table("10m", fill(TABLE, "", fill(OLD, "20")),
                                 WRITES("60/s", "") "changes:\n" DELETE("old", "+4m"), 1);
    assert_int_equal(event_s(&rows, "index_deleted", "", 0), 300);
    assert_near(
        rows_sum(&rows, DDBSIM_LOG_THROTTLE, 6, 1, "IndexWriteProvisionedThroughputExceeded"),
        40 * 300, 100);
    assert_true(consumed(&rows, OLD_INDEX, SECOND_WRITE, 300, 600) == 0);
    assert_near(consumed(&rows, 1, SECOND_WRITE, 300, 600), 300 * 60, 2);
    assert_int_equal(partitions_at(&rows, OLD_INDEX, NULL, 299), 1);
    assert_int_equal(partitions_at(&rows, OLD_INDEX, NULL, 300), 0);
    EACH_ROW(row, &rows, SECOND)
    assert_true(row_integer(row, 0) != OLD_INDEX || row_integer(row, SECOND_T) < 300);
    rows_free(&rows);
}

/* Who reads it still is refused as invalid: CloudWatch, the outcome and the requests that failed say the same. */
static void m59_readers_of_a_deleted_index(void **state) {
    (void)state;
    struct rows rows = run_table(
        "20m", fill(TABLE, "", fill(OLD, "500")),
        fill(
            "  - {name: r, arrivals: paced, rate: 2/s, mix: [{operation: Query, index: old, items: "
            "1}]}\n  - {name: w, arrivals: paced, rate: 1/s, mix: [{operation: "
            "UpdateItem}]}\nchanges:\n@",
            DELETE("old", "+9m")),
        1);
    assert_int_equal(event_s(&rows, "index_deleted", "", 0), 600);
    double failed = (double)rows.totals.failed;
    assert_near(failed, 2 * 600, 1);
    double counted = 0;
    EACH_ROW(row, &rows, METRIC)
    if (strcmp(row_text(row, METRIC_NAME), "UserErrors") == 0)
        counted += row_number(row, METRIC_SUM);
    assert_true(counted == failed);
    assert_true(rows_outcome(&rows, "user_errors", "") == failed);
    assert_true(rows_outcome(&rows, "user_errors", "r") == failed);
    assert_true(rows_outcome(&rows, "user_errors", "w") == -1);
    rows_free(&rows);
}

/* AWS creates or deletes one index of a table at a time: what is asked meanwhile waits. */
static void m59_one_index_at_a_time(void **state) {
    (void)state;
    struct rows rows =
        run_created("", "N#{key}", "100", "projection: ALL", NO_CALLS, DELETE("old", "+1m"));
    int64_t active_s = event_s(&rows, ACTIVE, "", 0);
    assert_near((double)active_s, 500, 1);
    assert_near((double)event_s(&rows, "index_deleted", "", 0), (double)active_s + 60, 1);
    rows_free(&rows);
}

/* The one that is being built may be deleted. */
static void m59_the_new_one_may_go_again(void **state) {
    (void)state;
    struct rows rows = run_created("", "N#{key}", "100", "projection: ALL", WRITES("60/s", ""),
                                   DELETE("new", "+350s"));
    assert_int_equal(event_count(&rows, ACTIVE, ""), 0);
    assert_int_equal(event_s(&rows, "index_deleted", "", 0), 410);
    assert_true(consumed(&rows, NEW_INDEX, SECOND_WRITE, 410, 2400) == 0);
    assert_true(rows.totals.throttled_attempts == 0);
    rows_free(&rows);
}

/* ---- reading ---- */

/* A read of an index that is not active is invalid: an error of the caller's, which nobody tries again. */
static void m49_an_index_is_read_once_it_is_active(void **state) {
    (void)state;
    struct rows rows = run_created(
        "", "N#{key}", "100", "projection: ALL",
        "  - {name: r, arrivals: paced, rate: 1/s, mix: [{operation: Query, index: new, "
        "items: 1}], client: {preset: boto3-standard}}\n",
        DELETE("new", "+1000s") "alarms: [{name: errors, metric: UserErrors, comparison: "
                                "\">\", threshold: 50}]\n");
    assert_int_equal(event_s(&rows, "alarm", "\"to\":\"ALARM\"", 0), 180);
    double served = consumed(&rows, NEW_INDEX, SECOND_READ, 0, 2400) * 2;
    assert_near(served, 1060 - 500, 1);
    assert_near(metric_sum(&rows, 4, "UserErrors"), 2400 - served, 0.5);
    assert_true(rows.totals.throttled_attempts == 0 && rows.totals.retries == 0);
    assert_near((double)rows.totals.failed, 2400 - served, 0.5);
    rows_free(&rows);
}

/* ---- collections of local indexes ---- */

#define COLLECTION(limit, count, projection)                                                     \
    "read_capacity: 100, write_capacity: 500, model: {collection_bytes: " limit "}, entities: [" \
    "{name: e, partition_key: \"ONE\", sort_key: \"{n}\", count: " count ", size: 1 KB}], "      \
    "indexes: [{name: l, type: LOCAL, sort_key: \"{time}\", projection: " projection "}]"
#define PUTS                                                                                    \
    "  - {name: w, arrivals: paced, rate: 10/s, mix: [{operation: PutItem}], client: {preset: " \
    "boto3-standard}}\n"

/* 1 MB holds 932 items of 1 KB with entries of 100 B, and 512 with whole entries; some are there at the start. Then
 * each put is refused, is no throttle, and nobody tries it again. */
static void m48_a_collection_is_full_with_its_local_entries(void **state) {
    (void)state;
    static const struct {
        const char *table;
        int accepted;
    } of[] = {{COLLECTION("1 MB", "0", "KEYS_ONLY"), 932},
              {COLLECTION("1 MB", "0", "ALL"), 512},
              {COLLECTION("1 MB", "300", "ALL"), 212},
              {COLLECTION("2 MB", "0", "ALL"), 1024}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct rows rows = run_table("150s", of[i].table, PUTS, 1);
        assert_int_equal(rows.totals.succeeded, of[i].accepted);
        assert_int_equal(rows.totals.failed, 1500 - of[i].accepted);
        assert_true(rows.totals.throttled_attempts == 0 && rows.totals.retries == 0);
        assert_true(metric_sum(&rows, 3, "UserErrors") == 1500 - of[i].accepted);
        assert_true(consumed(&rows, 1, SECOND_WRITE, 0, 150) == 2.0 * of[i].accepted);
        rows_free(&rows);
    }
}

/* A full collection takes what makes it smaller, and then there is room again. */
static void m48_a_full_collection_may_shrink(void **state) {
    (void)state;
    struct rows rows =
        run_table("200s", COLLECTION("1 MB", "0", "ALL"),
                  PUTS "  - {name: d, arrivals: paced, rate: 2/s, start_time: +100s, "
                       "mix: [{operation: DeleteItem}]}\n",
                  1);
    assert_int_equal(rows.totals.succeeded, 512 + 200 + 200);
    rows_free(&rows);
}

/* A program that injects is told the exception; there is no throttling reason. */
static void m48_what_is_injected_is_refused_too(void **state) {
    (void)state;
    const char *text = fill(HEAD "duration: 10s\ntables:\n  - {name: t, @}\nworkloads:\n"
                                 "  - {name: w, rate: 0/s, mix: [{operation: PutItem}]}\n",
                            COLLECTION("1 MB", "0", "KEYS_ONLY"));
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario;
    struct ddbsim_run *run;
    struct ddbsim_run_options options = {.seed = 1, .inject_as = "me"};
    struct ddbsim_result result;
    assert_int_equal(ddbsim_scenario_parse(text, strlen(text), "t.yaml", NULL, &scenario, &error),
                     DDBSIM_OK);
    assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), DDBSIM_OK);
    struct ddbsim_injection put = {
        .kind = DDBSIM_PUT_ITEM, .partition_key = "ONE", .sort_key = "1", .new_bytes = 300 * 1024};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(ddbsim_run_inject(run, &put, &result, &error), DDBSIM_OK);
        assert_int_equal(result.admitted, i < 3);
    }
    assert_int_equal(result.refusal_count, 0);
    assert_string_equal(result.exception, "ItemCollectionSizeLimitExceededException");
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
}

/* A batch with one member too many does nothing. */
static void m48_a_batch_is_refused_whole(void **state) {
    (void)state;
    struct rows rows = run_table("100s", COLLECTION("1 MB", "0", "ALL"),
                                 "  - {name: w, arrivals: paced, rate: 1/s, mix: [{operation: "
                                 "BatchWriteItem, batch_size: 20}]}\n",
                                 1);
    assert_int_equal(rows.totals.succeeded, 25); /* of the 26th twelve would fit */
    assert_true(consumed(&rows, 1, SECOND_WRITE, 0, 100) == 25 * 20 * 2);
    assert_int_equal(rows.totals.throttled_members, 0);
    rows_free(&rows);
}

/* An index that is asked for on demand and comes when its table is provisioned again has what that change gave it; one
 * whose end waits meanwhile holds nothing back. */
static void m58_what_waits_for_its_turn_follows_the_mode(void **state) {
    (void)state;
    struct rows rows = run_table(
        "40m",
        "billing_mode: PAY_PER_REQUEST, model: {mode_delay: 1m}, " ITEMS
        ", indexes: [{name: old, partition_key: \"O#{key}\"}]",
        "  - {name: w, arrivals: paced, rate: 50/s, mix: [{operation: UpdateItem}]}\n"
        "changes:\n  - {at: +0s, table: t, create_index: {name: a, partition_key: \"A#{key}\"}}\n"
        "  - {at: +0s, table: t, create_index: {name: b, partition_key: \"B#{key}\"}}\n"
        "  - {at: +0s, table: t, delete_index: old}\n"
        "  - {at: +1s, set: {tables.t.billing_mode: PROVISIONED, tables.t.read_capacity: 10, "
        "tables.t.write_capacity: 100, tables.t.indexes.a.read_capacity: 10, "
        "tables.t.indexes.a.write_capacity: 100, tables.t.indexes.b.read_capacity: 10, "
        "tables.t.indexes.b.write_capacity: 150}}\n",
        1);
    enum { B_INDEX = 4, SECOND_WRITE_LIMIT = 8 };
    int64_t built = event_s(&rows, BUILDING, "", 1);
    assert_true(built > 0 && event_s(&rows, "index_deleted", "", 0) > built);
    int seconds = 0;
    EACH_ROW(row, &rows, SECOND) {
        if (row_integer(row, 0) != B_INDEX || row_integer(row, SECOND_T) <= built) continue;
        assert_true(row_number(row, SECOND_WRITE_LIMIT) == 150);
        seconds++;
    }
    assert_true(seconds > 1000);
    assert_int_equal(rows.totals.failed, 0);
    rows_free(&rows);
}

/* Alarms on how far an index is, and on what filling it in took, every five minutes. */
static void m58_alarms_watch_a_build(void **state) {
    (void)state;
    static const char alarms[] =
        "alarms:\n  - {name: filled, table: t, index: new, metric: OnlineIndexPercentageProgress, "
        "comparison: \">=\", threshold: 100}\n"
        "  - {name: units, table: t, index: new, metric: OnlineIndexConsumedWriteCapacity, "
        "comparison: \">\", threshold: 1}\n"
        "  - {name: zero, table: t, index: old, metric: OnlineIndexPercentageProgress, comparison: "
        "\">=\", threshold: 0}\n";
    struct rows rows = run_created("model: {online_index_metrics: reported}, ", "N#{key}", "50",
                                   "projection: ALL", NO_CALLS, alarms);
    /* 20,000 entries at 50 a second from 300 s on: full at 700 s, told at 900 s, seen two minutes later. */
    assert_int_equal(
        event_s(&rows, "alarm", "\"alarm\":\"filled\",\"from\":\"OK\",\"to\":\"ALARM\"", 0),
        900 + 120);
    assert_int_equal(event_s(&rows, "alarm", "\"alarm\":\"units\"", 0), 600 + 120);
    assert_int_equal(event_count(&rows, "alarm", "\"alarm\":\"zero\""), 0);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m58_entries_have_suffixes_of_their_own),
        cmocka_unit_test(m58_filling_in_takes_entries_over_capacity),
        cmocka_unit_test(m58_what_is_filled_in_follows_the_projection),
        cmocka_unit_test(m58_live_writes_share_the_capacity),
        cmocka_unit_test(m58_a_share_may_be_kept_for_callers),
        cmocka_unit_test(m58_a_hot_key_makes_it_longer),
        cmocka_unit_test(m58_it_may_hold_the_table_back),
        cmocka_unit_test(m58_online_metrics),
        cmocka_unit_test(m58_others_are_as_without_it),
        cmocka_unit_test(m58_capacity_can_be_raised_meanwhile),
        cmocka_unit_test(m58_a_switch_of_the_mode_meanwhile),
        cmocka_unit_test(m58_what_waits_for_its_turn_follows_the_mode),
        cmocka_unit_test(m58_alarms_watch_a_build),
        cmocka_unit_test(m59_a_deleted_index_refuses_and_costs_nothing),
        cmocka_unit_test(m59_readers_of_a_deleted_index),
        cmocka_unit_test(m59_one_index_at_a_time),
        cmocka_unit_test(m59_the_new_one_may_go_again),
        cmocka_unit_test(m48_a_collection_is_full_with_its_local_entries),
        cmocka_unit_test(m48_a_full_collection_may_shrink),
        cmocka_unit_test(m48_a_batch_is_refused_whole),
        cmocka_unit_test(m48_what_is_injected_is_refused_too),
        cmocka_unit_test(m49_an_index_is_read_once_it_is_active),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
