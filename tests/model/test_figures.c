/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures that public texts about DynamoDB teach with, or that follow from them by arithmetic: what a size costs, what
 * a key or a table carries, how long a Scan or a burst lasts. Large tables are simulated at a thousandth, capacity and
 * bytes alike, which changes no quotient.
 */
#include <support/cmocka.h>
#include <support/table_rows.h>

static void near(const char *what, double value, double wanted, double share) {
    if (value < wanted * (1 - share) || value > wanted * (1 + share))
        fail_msg("%s: %g is not %g, give or take %g %%", what, value, wanted, 100 * share);
}

/* One table without burst, keys K1 to K9999, and one workload. */
static struct rows run_one(const char *duration, const char *table, const char *entity,
                           const char *workload) {
    return rows_run(
        fill(HEAD "duration: @\nvalues: {key: {count: 9999, distribution: sequential}}\n"
                  "tables:\n  - {name: t, burst: {initial: 0%}, @, entities: [{name: e, @}]}\n"
                  "workloads:\n  - {name: w, arrivals: paced, @}\n",
             duration, table, entity, workload),
        1);
}

/* Units of a resource a second in the last minutes, when buckets are spent. */
static double steady(const struct rows *rows, int resource, size_t column) {
    return consumed(rows, resource, column, 120, 240) / 120;
}

static double finished_s(const struct rows *rows) {
    double at = rows_outcome(rows, "finished_at", "w");
    assert_true(at > 0);
    return at;
}

/* ---- one key ---- */

/* 20 KB are 5 R strongly: one key carries 600 such reads a second, eventually three replicas carry 1,800. */
static void m23_reads_of_a_large_item(void **state) {
    (void)state;
    static const char table[] = "read_capacity: 30000, write_capacity: 1, partitions: 1";
    static const char item[] = "partition_key: \"K\", count: 1, size: 20 KB";
    struct rows rows = run_one("4m", table, item,
                               "rate: 1000/s, mix: [{operation: GetItem, consistent_read: true}]");
    near("strong reads", steady(&rows, 1, SECOND_READ) / 5, 600, 0.005);
    rows_free(&rows);
    rows = run_one("4m", table, item, "rate: 3000/s, mix: [{operation: GetItem}]");
    near("eventual reads", steady(&rows, 1, SECOND_READ) / 2.5, 1800, 0.005);
    rows_free(&rows);
}

/* 4,000 writes a second of one item: 1,000 are served, whatever the table has, three of four are refused. */
static void m20_one_key_in_a_table_of_any_size(void **state) {
    (void)state;
    static const char *const capacity[] = {"read_capacity: 1, write_capacity: 4000",
                                           "read_capacity: 1, write_capacity: 40000"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_one("4m", capacity[i], "partition_key: \"K\", count: 1, size: 1 KB",
                                   "rate: 4000/s, mix: [{operation: UpdateItem}]");
        near("one key", steady(&rows, 1, SECOND_WRITE), 1000, 0.001);
        near("refused", (double)rows.totals.throttled_attempts / (double)rows.totals.attempts, 0.75,
             0.02);
        assert_true(throttles(&rows, "TableWriteKeyRangeThroughputExceeded") ==
                    (double)rows.totals.throttled_attempts);
        rows_free(&rows);
    }
}

/* 1,000 W on one key are 5 % of a table of 20,000, and one tenth more is refused. */
static void m20_full_at_a_twentieth_of_the_table(void **state) {
    (void)state;
    struct rows rows = run_one("4m", "read_capacity: 1, write_capacity: 20000",
                               "partition_key: \"K\", count: 1, size: 1 KB",
                               "rate: 1100/s, mix: [{operation: UpdateItem}]");
    near("one key", steady(&rows, 1, SECOND_WRITE) / 20000, 0.05, 0.001);
    assert_true(rows.totals.throttled_attempts > 0);
    rows_free(&rows);
}

/* 4,000 writes a second over ten suffixes are 400 each: enough for items of 1 KB, not of 3, of which a key
 * carries 333. Each suffix here is alone on its partition. */
static void m13_ten_suffixes_carry_what_their_items_weigh(void **state) {
    (void)state;
    static const char *const sizes[] = {"1 KB", "3 KB"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = rows_run(
            fill(HEAD
                 "duration: 4m\nvalues: {day: {distribution: single}}\ntables:\n"
                 "  - {name: t, read_capacity: 1, write_capacity: 40000, partitions: 2000, "
                 "entities: "
                 "[{name: e, partition_key: \"D#{day}.{shard}\", sort_key: \"{uuid}\", size: @, "
                 "shards: {count: 10, by: random}}]}\nworkloads:\n"
                 "  - {name: w, rate: 4000/s, mix: [{operation: PutItem}]}\n",
                 sizes[i]),
            1);
        double served = steady(&rows, 1, SECOND_WRITE) / (i == 0 ? 1 : 3);
        near(sizes[i], served, i == 0 ? 4000 : 10 * 1000.0 / 3, 0.01);
        rows_free(&rows);
    }
}

/* An index that one key takes most of: 11 KB in ALL, 61 % of the writes moving, are 17.7 W a write, so its
 * partition takes 57 writes a second, and the table no more. */
static void m12_a_hot_index_key_bounds_the_table(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD "duration: 4m\nvalues: {key: {count: 5000}, state: {distribution: single}}\ntables:\n"
             "  - {name: t, read_capacity: 1, write_capacity: 40000, entities: [{name: e, "
             "partition_key: \"K#{key}\", count: 5000, size: 11 KB}], indexes: [{name: g, "
             "partition_key: \"S#{state}\", read_capacity: 1, write_capacity: 40000, backpressure: "
             "textbook}]}\nworkloads:\n"
             "  - {name: w, rate: 200/s, mix: [{operation: UpdateItem, index_effect: {g: {move: "
             "61%}}}]}\n",
        1);
    near("writes", steady(&rows, 1, SECOND_WRITE) / 11, 1000 / (11 * 1.61), 0.02);
    rows_free(&rows);
}

/* ---- a shop's load ---- */

/* 180,000 writes a day of 3 KB are 2.08 a second, 540,000 units. */
static void m04_a_day_of_writes(void **state) {
    (void)state;
    struct rows rows = run_one("24h", "read_capacity: 1, write_capacity: 85",
                               "partition_key: \"K#{key}\", count: 9999, size: 3 KB",
                               "rate: 180000/day, mix: [{operation: UpdateItem}]");
    assert_int_equal(rows.totals.write_half_units, 2 * 540000);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    rows_free(&rows);
}

/* 900 orders an hour at 58 W and 33 R, 3.89 times that for four hours: 7.42 million write units, 4.22 million reads. */
static void m04_a_day_of_a_sale(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD
        "duration: 24h\nvalues: {key: {count: 5000}}\ntables:\n"
        "  - {name: t, billing_mode: PAY_PER_REQUEST, new: true, entities: [{name: e, "
        "partition_key: \"K#{key}\", count: 5000, size: 1 KB}]}\nworkloads:\n"
        "  - {name: rest, arrivals: paced, rate: 58/s, end_time: +20h, mix: [{operation: "
        "UpdateItem}]}\n"
        "  - {name: rest-reads, arrivals: paced, rate: 33/s, end_time: +20h, mix: [{operation: "
        "GetItem, consistent_read: true}]}\n"
        "  - {name: peak, arrivals: paced, rate: 58/s, scale: 3.889, start_time: +20h, mix: "
        "[{operation: UpdateItem}]}\n"
        "  - {name: peak-reads, arrivals: paced, rate: 33/s, scale: 3.889, start_time: +20h, mix: "
        "[{operation: GetItem, consistent_read: true}]}\n",
        1);
    near("write units", (double)rows.totals.write_half_units / 2, 4.176e6 + 3.248e6, 0.0002);
    near("read units", (double)rows.totals.read_half_units / 2, 2.376e6 + 1.848e6, 0.0002);
    near("peak", consumed(&rows, 1, SECOND_WRITE, 72000, 86400) / 14400, 225.6, 0.0005);
    assert_int_equal(rows.totals.throttled_attempts,
                     0); /* 226 W are 5.6 % of a new table's 4,000 */
    rows_free(&rows);
}

/* 85 W and a full bucket meet 225.6: 25,500 / (225.6 - 85) = 181 s, then 62 % of it is refused. */
static void m30_how_long_the_burst_of_a_sale_lasts(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD
        "duration: 10m\nvalues: {key: {count: 5000}}\ntables:\n"
        "  - {name: t, read_capacity: 1, write_capacity: 85, entities: [{name: e, partition_key: "
        "\"K#{key}\", count: 5000, size: 1 KB}]}\nworkloads:\n"
        "  - {name: w, arrivals: paced, rate: 225.6/s, mix: [{operation: UpdateItem}]}\n",
        1);
    int64_t first = -1;
    EACH_ROW(row, &rows, SECOND)
    if (first < 0 && row_number(row, 10) > 0) first = row_integer(row, SECOND_T);
    near("first refusal", (double)first, 181, 0.01);
    near("refused", (double)rows.totals.throttled_attempts, (600 - 181.4) * 140.6, 0.01);
    rows_free(&rows);
}

/* Consumption of 58 W and 33 R at 70 % is 83 and 48 units, which target tracking comes to from less. */
static void m93_capacity_at_seventy_percent(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD "duration: 2h\nvalues: {key: {count: 5000}}\ntables:\n"
             "  - {name: t, read_capacity: 40, write_capacity: 70, auto_scaling: {write: "
             "{min_capacity: 5, "
             "max_capacity: 400, target_value: 70%}, read: {min_capacity: 5, max_capacity: 400, "
             "target_value: 70%}}, entities: [{name: e, partition_key: \"K#{key}\", count: 5000, "
             "size: 1 "
             "KB}]}\nworkloads:\n"
             "  - {name: w, arrivals: paced, rate: 58/s, mix: [{operation: UpdateItem}]}\n"
             "  - {name: r, arrivals: paced, rate: 33/s, mix: [{operation: GetItem, "
             "consistent_read: true}]}\n",
        1);
    assert_true(
        event_s(&rows, "capacity_changed", "\"direction\":\"write\",\"from\":70,\"to\":83", 0) > 0);
    assert_true(
        event_s(&rows, "capacity_changed", "\"direction\":\"read\",\"from\":40,\"to\":48", 0) > 0);
    assert_int_equal(event_count(&rows, "capacity_changed", ""), 2);
    rows_free(&rows);
}

/* ---- reading everything ---- */

#define THOUSANDTH "partition_key: \"I#{key}\", count: 27263, size: 3 KB" /* of 78 GB */

/* 78 GB are 10.2 million units eventually and twice that strongly, and at least eight partitions. */
static void m65_what_a_scan_of_78_gb_reads(void **state) {
    (void)state;
    static const char *const strong[] = {"false", "true"};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            rows_run(fill(HEAD "duration: 10m\nvalues: {key: {count: 27263}}\ntables:\n"
                               "  - {name: t, read_capacity: 40000, write_capacity: 1, partitions: "
                               "1, throttling: false, "
                               "entities: [{name: e, " THOUSANDTH "}]}\nworkloads:\n"
                               "  - {name: w, iterations: 1, mix: [{operation: Scan, pages: all, "
                               "consistent_read: @}]}\n",
                          strong[i]),
                     1);
        near("a thousandth", (double)rows.totals.read_half_units / 2, i ? 20447 : 10223.5, 0.004);
        rows_free(&rows);
    }
    struct rows rows = rows_run(
        HEAD
        "duration: 1m\nvalues: {key: {count: 27262976}}\ntables:\n"
        "  - {name: t, read_capacity: 50, write_capacity: 85, entities: [{name: e, partition_key: "
        "\"I#{key}\", count: 27262976, size: 3 KB}]}\nworkloads:\n"
        "  - {name: w, rate: 1/s, mix: [{operation: GetItem}]}\n",
        1);
    assert_int_equal(partitions_at(&rows, 1, NULL, 0), 8);
    rows_free(&rows);
}

/* It takes what it reads over what there is: 14.2, 7.1 and 4.3 minutes at 12,000, 24,000 and 40,000 units a second, and
 * at 50 more than two days. */
static void m65_how_long_it_takes(void **state) {
    (void)state;
    static const struct {
        const char *capacity;
        double seconds;
    } each[] = {{"12", 14.2 * 60}, {"24", 7.1 * 60}, {"40", 4.26 * 60}, {"2", 10223.5 / 2}};
    for (int i = 0; i < 4; i++) {
        struct rows rows =
            rows_run(fill(HEAD "duration: 2h\nvalues: {key: {count: 27263}}\ntables:\n"
                               "  - {name: t, read_capacity: @, write_capacity: 1, partitions: 1, "
                               "burst: {initial: 0%}, "
                               "entities: [{name: e, " THOUSANDTH "}]}\nworkloads:\n"
                               "  - {name: w, start_time: +1s, iterations: 1, vus: 1, mix: "
                               "[{operation: Scan, pages: all}], "
                               "client: {max_attempts: 1000000, backoff: {jitter: none, base: 1s, "
                               "throttling_base: 1s, "
                               "max_backoff: 1s}}}\n",
                          each[i].capacity),
                     1);
        /* The last page is read on credit. */
        near(each[i].capacity, finished_s(&rows), each[i].seconds, 128 / 10223.5 + 0.012);
        rows_free(&rows);
    }
}

/* A filter over 50,000 items of 3 KB pays for their bytes: 37,500 units strongly, half eventually, in 147 pages of
 * 1 MB; it does not pay 50,000 reads. */
static void m03_a_filter_pays_for_bytes(void **state) {
    (void)state;
    static const char *const strong[] = {"false", "true"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = rows_run(fill(HEAD "duration: 10m\nvalues: {key: {count: 1}}\ntables:\n"
                                              "  - {name: t, read_capacity: 40000, write_capacity: "
                                              "1, throttling: false, entities: [{name: "
                                              "e, partition_key: \"C#{key}\", sort_key: \"{n}\", "
                                              "count: 50000, size: 3 KB}]}\nworkloads:\n"
                                              "  - {name: w, iterations: 1, mix: [{operation: "
                                              "Query, items: 50000, returned: 1%, pages: "
                                              "all, consistent_read: @}]}\n",
                                         strong[i]),
                                    1);
        assert_int_equal(rows.totals.requests, 147);
        near("units", (double)rows.totals.read_half_units / 2, i ? 37500 : 18750, 0.003);
        rows_free(&rows);
    }
}

/* Four million items of 3 KB: 11.4 GB and 1.5 million units. */
static void m65_four_million_items(void **state) {
    (void)state;
    struct rows rows = run_one("10m", "read_capacity: 40000, write_capacity: 1, throttling: false",
                               "partition_key: \"K#{key}\", count: 4000, size: 3 KB",
                               "iterations: 1, mix: [{operation: Scan, pages: all}]");
    near("a thousandth", (double)rows.totals.read_half_units / 2, 1500, 0.005);
    rows_free(&rows);
}

/* ---- batches, screens ---- */

/* A batch of 25 of which three come back. */
static void m63_three_of_twenty_five(void **state) {
    (void)state;
    struct rows rows =
        run_one("1m", "read_capacity: 1, write_capacity: 1, new: true, partitions: 1",
                "partition_key: \"K#{key}\", count: 9999, size: 1 KB",
                "start_time: +22s, vus: 1, iterations: 1, mix: [{operation: BatchWriteItem}]");
    assert_int_equal(rows.totals.members, 25);
    assert_int_equal(rows.totals.throttled_members, 3);
    assert_int_equal(rows.totals.succeeded, 1);
    assert_int_equal(rows.totals.write_half_units, 2 * 22);
    rows_free(&rows);
}

/* A screen of five queries, or of one that reads what the five do: a fifth of the requests, of the units (where
 * all of it fits into one block) and of the latency; what is stored is the same. Each index is a copy that writes pay. */
static void m03_a_screen_of_five_queries_or_one(void **state) {
    (void)state;
    static const char *const screens[] = {"sequence: [{name: a, operation: Query, items: 1}, "
                                          "{name: b, operation: Query, items: 1}, {name: c, "
                                          "operation: Query, items: 1}, {name: d, operation: "
                                          "Query, items: 1}, {name: e, operation: Query, items: "
                                          "1}]",
                                          "sequence: [{operation: Query, items: 5}]"};
    double units[2], requests[2], latency[2];
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_one("10m", "read_capacity: 100, write_capacity: 1",
                    "partition_key: \"K#{key}\", sort_key: \"{n}\", count: 50000, size: 800 B",
                    fill("rate: 10/s, @", screens[i]));
        units[i] = (double)rows.totals.read_half_units / 2;
        requests[i] = (double)rows.totals.requests;
        latency[i] = rows_outcome(&rows, "arrival_p50", "w");
        if (latency[i] < 0) latency[i] = rows_outcome(&rows, "caller_p50", "");
        rows_free(&rows);
    }
    assert_true(requests[0] == 5 * requests[1]);
    assert_true(units[0] == 5 * units[1]);
    near("latency", latency[0], 5 * latency[1], 0.1);
}

static void m55_each_index_is_a_copy_that_is_paid(void **state) {
    (void)state;
    static const char *const indexes[] = {
        "[]", "[{name: a, partition_key: \"A#{key}\", read_capacity: 1, write_capacity: 100}]",
        "[{name: a, partition_key: \"A#{key}\", read_capacity: 1, write_capacity: 100}, {name: b, "
        "partition_key: "
        "\"B#{key}\", read_capacity: 1, write_capacity: 100}]"};
    for (int i = 0; i < 3; i++) {
        struct rows rows = rows_run(
            fill(HEAD "duration: 5m\nvalues: {key: {count: 5000}}\ntables:\n"
                      "  - {name: t, read_capacity: 1, write_capacity: 100, entities: [{name: e, "
                      "partition_key: "
                      "\"K#{key}\", sort_key: \"{n}\", size: 2 KB}], indexes: @}\nworkloads:\n"
                      "  - {name: w, arrivals: paced, rate: 10/s, end_time: +4m, mix: [{operation: "
                      "PutItem}]}\n",
                 indexes[i]),
            1);
        for (int k = 0; k <= i; k++)
            assert_true(consumed(&rows, 1 + k, SECOND_WRITE, 0, 300) == 2400 * 2);
        rows_free(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m23_reads_of_a_large_item),
        cmocka_unit_test(m20_one_key_in_a_table_of_any_size),
        cmocka_unit_test(m20_full_at_a_twentieth_of_the_table),
        cmocka_unit_test(m13_ten_suffixes_carry_what_their_items_weigh),
        cmocka_unit_test(m12_a_hot_index_key_bounds_the_table),
        cmocka_unit_test(m04_a_day_of_writes),
        cmocka_unit_test(m04_a_day_of_a_sale),
        cmocka_unit_test(m30_how_long_the_burst_of_a_sale_lasts),
        cmocka_unit_test(m93_capacity_at_seventy_percent),
        cmocka_unit_test(m65_what_a_scan_of_78_gb_reads),
        cmocka_unit_test(m65_how_long_it_takes),
        cmocka_unit_test(m65_four_million_items),
        cmocka_unit_test(m03_a_filter_pays_for_bytes),
        cmocka_unit_test(m63_three_of_twenty_five),
        cmocka_unit_test(m03_a_screen_of_five_queries_or_one),
        cmocka_unit_test(m55_each_index_is_a_copy_that_is_paid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
