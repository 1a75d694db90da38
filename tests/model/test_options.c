/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assumptions that are off by default, over whole runs: each against what it must come to, in closed form. Each
 * test is named after its rule.
 */
#include <support/cmocka.h>
#include <support/table_rows.h>

#define READS(rate)                              \
    "  - {name: r, arrivals: paced, rate: " rate \
    ", mix: [{operation: GetItem, consistent_read: true}]}\n"
#define EVENTUAL_READS(rate) \
    "  - {name: r, arrivals: paced, rate: " rate ", mix: [{operation: GetItem}]}\n"
#define NO_BURST "burst: {window: 0s, initial: 0%}, "

enum { SECOND_TOKENS_READ = 11, SECOND_TOKENS_WRITE };

static void assert_near(double value, double wanted, double off) {
    if (value < wanted - off || value > wanted + off)
        fail_msg("%g is not %g, give or take %g", value, wanted, off);
}

static double tokens_at(const struct rows *rows, size_t column, int64_t t_s) {
    EACH_ROW(row, rows, SECOND)
    if (row_integer(row, 0) == 1 && row_integer(row, SECOND_T) == t_s)
        return row_number(row, column);
    return -1;
}

/* ---- partitions ---- */

/* Once its bucket is empty a partition serves r / 3,000 + w / 1,000 = 1, whatever the mix. */
static void m29_reads_and_writes_share_a_limit(void **state) {
    (void)state;
    const char *modes[] = {"on", "off"};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_table("40s",
                      fill("read_capacity: 9000, write_capacity: 9000, partitions: 1, "
                           "model: {heat_split: off, rw_coupled: @}, " ENTITY,
                           modes[i]),
                      READS("2000/s") WRITES("900/s", ""), 1);
        double reads = consumed(&rows, 1, SECOND_READ, 20, 40) / 20;
        double writes = consumed(&rows, 1, SECOND_WRITE, 20, 40) / 20;
        if (i == 0)
            assert_near(reads / 3000 + writes / 1000, 1, 0.01);
        else
            assert_true(reads == 2000 && writes == 900);
        rows_free(&rows);
    }
}

/* One direction alone has all of it. */
static void m29_one_direction_has_all(void **state) {
    (void)state;
    const char *table = "read_capacity: 9000, write_capacity: 9000, partitions: 1, "
                        "model: {heat_split: off, rw_coupled: on}, " ENTITY;
    struct rows reads = run_table("30s", table, READS("4000/s"), 1);
    struct rows writes = run_table("30s", table, WRITES("2000/s", ""), 1);
    assert_near(consumed(&reads, 1, SECOND_READ, 15, 30) / 15, 3000, 3);
    assert_near(consumed(&writes, 1, SECOND_WRITE, 15, 30) / 15, 1000, 1);
    rows_free(&reads);
    rows_free(&writes);
}

/* It is hot when the parts add up to the threshold, though none of them reaches it. */
static void m29_heat_adds_up(void **state) {
    (void)state;
    const char *modes[] = {"on", "off"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "4m",
            fill("read_capacity: 900, write_capacity: 900, partitions: 1, model: {heat_window: 1m, "
                 "partition_read_limit: 300, partition_write_limit: 100, rw_coupled: @}, " ENTITY,
                 modes[i]),
            READS("135/s") WRITES("45/s", ""), 1);
        assert_int_equal(event_count(&rows, "split_started", "heat"), i == 0 ? 1 : 0);
        rows_free(&rows);
    }
}

/* Three replicas of that many blocks of 4 KB; the leader never serves more than its partition's limit. */
static void m23_every_replica_is_bound(void **state) {
    (void)state;
    const char *limits[] = {"1000", "2000", "3000", "4500"};
    const double units[] = {1500, 3000, 4500, (3000 + 2 * 4500) / 2};
    for (int i = 0; i < 4; i++) {
        const char *table = fill("read_capacity: 40000, write_capacity: 1, partitions: 1, "
                                 "model: {heat_split: off, replica_read_limit: @}, " ENTITY,
                                 limits[i]);
        struct rows eventual = run_table("30s", table, EVENTUAL_READS("16000/s"), 1);
        struct rows strong = run_table("30s", table, READS("5000/s"), 1);
        assert_near(consumed(&eventual, 1, SECOND_READ, 20, 30) / 10, units[i], 15);
        assert_near(consumed(&strong, 1, SECOND_READ, 20, 30) / 10, 3000, 3);
        rows_free(&eventual);
        rows_free(&strong);
    }
}

/* The first child has that share of the keys. */
static void m24_cut_at_a_share(void **state) {
    (void)state;
    const char *shares[] = {"40%", "50%", "60%"};
    for (int i = 0; i < 3; i++) {
        struct rows rows = run_table(
            "3m",
            fill("read_capacity: 1, write_capacity: 20000, partitions: 1, model: {partition_bytes: "
                 "1 GB, heat_split: off, split_size_shortest: 30s, split_size_longest: 1s, "
                 "split_size_cut: @, "
                 "partition_write_limit: 5000}, entities: [{name: e, partition_key: "
                 "\"K#{uuid}\", count: 2600, size: 400 KB}]",
                 shares[i]),
            "  - {name: w, arrivals: paced, rate: 2/s, mix: [{operation: PutItem}]}\n", 1);
        assert_int_equal(partitions_at(&rows, 1, "size", 1000), 2);
        double share = (40 + 10 * i) / 100.0;
        int seen = 0;
        EACH_ROW(row, &rows, PARTITION_SAMPLE)
        if (row_integer(row, 0) == 2 && row_integer(row, SAMPLE_T) == 50) {
            assert_near((double)row_integer(row, SAMPLE_ITEMS), 2710 * share, 25);
            seen++;
        }
        assert_int_equal(seen, 1);
        rows_free(&rows);
    }
}

static void m44_warm_partitions(void **state) {
    (void)state;
    const char *rules[] = {"max", "sum"};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_table("1m",
                      fill("read_capacity: 1, write_capacity: 1, warm_throughput: "
                           "{read_units_per_second: 12000, write_units_per_second: 4000}, "
                           "model: {warm_rule: @}, " ENTITY,
                           rules[i]),
                      WRITES("1/s", ""), 1);
        assert_int_equal(partitions_at(&rows, 1, "initial", 0), i == 0 ? 4 : 8);
        rows_free(&rows);
    }
}

/* ---- burst ---- */

static int64_t first_throttle_s(const char *table, const char *workload) {
    struct rows rows = run_table("20m", table, workload, 1);
    int64_t first_s = event_s(&rows, "throttling_started", "", 0);
    rows_free(&rows);
    return first_s;
}

/* 150 units/s, 45,000 kept, 200 asked: they last 45,000 / (50 + what AWS takes). */
static void m30_stolen_burst(void **state) {
    (void)state;
    const char *rates[] = {"0%", "10%", "20%"};
    for (int i = 0; i < 3; i++) {
        int64_t first_s = first_throttle_s(
            fill("read_capacity: 150, write_capacity: 1, model: {burst_steal_rate: @}, " ENTITY,
                 rates[i]),
            READS("200/s"));
        assert_near((double)first_s, 45000.0 / (50 + 15 * i), 2);
    }
}

/* What is provisioned is not burst: who asks for no more is never refused. */
static void m30_capacity_is_not_stolen(void **state) {
    (void)state;
    assert_int_equal(
        first_throttle_s("read_capacity: 150, write_capacity: 1, burst: {initial: 0%}, "
                         "model: {burst_steal_rate: 20%}, " ENTITY,
                         READS("150/s")),
        -1);
    /* Nor by shares of partitions. */
    assert_near(
        (double)first_throttle_s("read_capacity: 150, write_capacity: 1, partitions: 1, model: "
                                 "{burst_steal_rate: 20%, admission: static}, " ENTITY,
                                 READS("200/s")),
        45000.0 / (50 + 30), 2);
}

static void m30_burst_of_a_new_table(void **state) {
    (void)state;
    const char *shares[] = {"10%", "50%", "100%"};
    const double filled[] = {0.1, 0.5, 1};
    for (int i = 0; i < 3; i++) {
        int64_t first_s = first_throttle_s(fill("new: true, read_capacity: 150, write_capacity: 1, "
                                                "model: {burst_at_creation: @}, " ENTITY,
                                                shares[i]),
                                           READS("200/s"));
        assert_near((double)first_s, filled[i] * 900, 1);
    }
}

static void m40_tokens_after_a_change(void **state) {
    (void)state;
    const char *modes[] = {"kept", "reset"}, *to[] = {"300", "60"};
    for (int i = 0; i < 4; i++) {
        struct rows rows = run_table(
            "3m",
            fill("read_capacity: 1, write_capacity: 100, model: {update_delay: 0s, "
                 "capacity_tokens: @}, " ENTITY,
                 modes[i / 2]),
            fill(WRITES("1/s", "") "changes: [{at: +90s, set: {tables.t.write_capacity: @}}]\n",
                 to[i % 2]),
            1);
        double rate = i % 2 ? 60 : 300, kept = i % 2 ? 18000 : 30000;
        double after = tokens_at(&rows, SECOND_TOKENS_WRITE, 91);
        assert_near(after, (i / 2 ? 2 * rate : kept < 300 * rate ? kept + 2 * rate : kept), 3);
        rows_free(&rows);
    }
}

/* ---- how buckets admit ---- */

/* 4 units/s and requests of 8: strict admission waits for all of them, debt repays them; both serve one in
 * two seconds. */
static void m33_strict_or_in_debt(void **state) {
    (void)state;
    const char *modes[] = {"debt", "strict"};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_table("100s",
                      fill("read_capacity: 1, write_capacity: 4, burst: {initial: 0%}, model: "
                           "{token_debt: @}, entities: [{name: e, partition_key: \"K#{key}\", "
                           "count: 5000, size: 8 KB}]",
                           modes[i]),
                      WRITES("10/s", ""), 1);
        assert_near(consumed(&rows, 1, SECOND_WRITE, 0, 100), 400, 8);
        double least = 0;
        EACH_ROW(row, &rows, SECOND)
        if (row_number(row, SECOND_TOKENS_WRITE) < least)
            least = row_number(row, SECOND_TOKENS_WRITE);
        assert_true(i == 0 ? least < -3 : least == 0);
        rows_free(&rows);
    }
}

/* A request that no bucket can ever hold is never served. */
static void m33_too_large_for_a_strict_bucket(void **state) {
    (void)state;
    const char *modes[] = {"debt", "strict"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table("1m",
                                     fill("read_capacity: 1, write_capacity: 4, " NO_BURST
                                          "model: {token_debt: @}, entities: [{name: e, "
                                          "partition_key: \"K#{key}\", count: 5000, size: 8 KB}]",
                                          modes[i]),
                                     WRITES("1/s", ""), 1);
        assert_true(i == 0 ? rows.totals.succeeded > 25 : rows.totals.succeeded == 0);
        rows_free(&rows);
    }
}

/* Index work cannot be refused: what asks for more than fits goes on from a full bucket. */
static void m33_index_work_goes_on(void **state) {
    (void)state;
    static const char *const of[] = {"", ", admission: static", ", rw_coupled: on",
                                     ", node_limit: 1000", ", partition_write_limit: 2"};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        struct rows rows = run_table(
            "2m",
            fill("read_capacity: 1, write_capacity: 900, model: {token_debt: strict, heat_split: "
                 "off@}, partitions: 64, entities: [{name: e, partition_key: \"K#{key}\", count: "
                 "5000, size: 5 KB}],\n"
                 "     indexes: [{name: i, partition_key: \"S#{key}\", projection: ALL, "
                 "read_capacity: 1, write_capacity: 2, partitions: 1, " NO_BURST
                 "backpressure: textbook}]",
                 of[i]),
            WRITES("1/s", ""), 1);
        double of_index = consumed(&rows, 2, SECOND_WRITE, 0, 120);
        assert_true(of_index >= 100 && of_index <= 2 * 120 + 10);
        rows_free(&rows);
    }
}

/* The index refuses half; what its table's bucket gave for the refused is gone. */
static void m39_refused_requests_cost(void **state) {
    (void)state;
    const char *modes[] = {"on", "off"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "100s",
            fill("read_capacity: 1, write_capacity: 100, burst: {initial: 0%}, model: {token_leak: "
                 "@}, " ENTITY
                 ",\n     indexes: [{name: i, partition_key: \"S#{key}\", projection: "
                 "ALL, read_capacity: 1, write_capacity: 4, " NO_BURST "backpressure: textbook}]",
                 modes[i]),
            WRITES("40/s", ""), 1);
        double served = consumed(&rows, 1, SECOND_WRITE, 0, 100);
        assert_true(served < 600);
        assert_near(tokens_at(&rows, SECOND_TOKENS_WRITE, 99), 100 * 100 - (i ? served : 4000), 2);
        /* And no metric tells of it. */
        assert_true((double)rows.totals.write_half_units == 2 * served);
        rows_free(&rows);
    }
}

/* Checks after the one that refuses took nothing: the table refuses, its partition keeps its tokens. */
static void m39_only_what_came_before(void **state) {
    (void)state;
    const char *modes[] = {"on", "off"};
    double served[2];
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table("100s",
                                     fill("read_capacity: 1, write_capacity: 100, " NO_BURST
                                          "model: {token_leak: @}, " ENTITY,
                                          modes[i]),
                                     WRITES("4000/s", ""), 1);
        served[i] = consumed(&rows, 1, SECOND_WRITE, 0, 100);
        assert_true(throttles(&rows, "TableWriteKeyRangeThroughputExceeded") == 0);
        rows_free(&rows);
    }
    assert_true(served[0] == served[1]);
}

/* ---- routers ---- */

#define ROUTED                                                                            \
    "read_capacity: 1, write_capacity: 100, " NO_BURST "model: {gac_refill: @, routers: " \
    "@}, " ENTITY

/* A router that is told every ten seconds serves what came in the ten before, then nothing: as much in all. */
static void m37_a_router_serves_in_lumps(void **state) {
    (void)state;
    struct rows rows = run_table("300s", fill(ROUTED, "10s", "1"), WRITES("200/s", ""), 1);
    assert_near(consumed(&rows, 1, SECOND_WRITE, 100, 300), 100 * 200, 1000);
    int full = 0, empty = 0;
    for (int64_t t_s = 100; t_s < 300; t_s++) {
        double units = consumed(&rows, 1, SECOND_WRITE, t_s, t_s + 1);
        full += units == 200;
        empty += units == 0;
    }
    assert_in_range(full, 90, 100); /* 100 / 200 of the time */
    assert_in_range(empty, 90, 100);
    rows_free(&rows);
}

/* The more routers divide the tokens, the more often one is short while others are not; never more than the
 * capacity in all, and nothing at all while burst is left. */
static void m37_routers_divide(void **state) {
    (void)state;
    const char *routers[] = {"1", "8", "64"};
    const char *load = "  - {name: w, rate: 90/s, mix: [{operation: UpdateItem}]}\n";
    uint64_t refused[3];
    for (int i = 0; i < 3; i++) {
        struct rows rows = run_table("300s", fill(ROUTED, "1s", routers[i]), load, 1);
        refused[i] = rows.totals.throttled_attempts;
        assert_true(consumed(&rows, 1, SECOND_WRITE, 0, 300) <= 100 * 301 + 64);
        rows_free(&rows);
    }
    assert_true(refused[0] < refused[1] && refused[1] < refused[2]);
    struct rows rows = run_table("100s",
                                 "read_capacity: 1, write_capacity: 100, model: {gac_refill: 1s, "
                                 "routers: 64}, " ENTITY,
                                 load, 1);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    rows_free(&rows);
}

/* Routers that ask each time are one. */
static void m37_without_delay_it_is_exact(void **state) {
    (void)state;
    struct rows one = run_table("60s", fill(ROUTED, "0s", "1"), WRITES("150/s", ""), 1);
    struct rows many = run_table("60s", fill(ROUTED, "0s", "64"), WRITES("150/s", ""), 1);
    assert_int_equal(one.count, many.count);
    for (int64_t t_s = 0; t_s < 60; t_s++)
        assert_true(tokens_at(&one, SECOND_TOKENS_WRITE, t_s) ==
                    tokens_at(&many, SECOND_TOKENS_WRITE, t_s));
    rows_free(&one);
    rows_free(&many);
}

/* ---- nodes ---- */

/* All three replicas take each write, so on three nodes there is room for one node's worth. */
static void m38_a_node_bounds_its_partitions(void **state) {
    (void)state;
    const char *limits[] = {"0", "700", "5000"};
    const double served[] = {900, 700, 900};
    for (int i = 0; i < 3; i++) {
        struct rows rows =
            run_table("30s",
                      fill("read_capacity: 1, write_capacity: 5000, partitions: 3, model: "
                           "{heat_split: off, node_limit: @}, " ENTITY,
                           limits[i]),
                      WRITES("900/s", ""), 1);
        assert_near(consumed(&rows, 1, SECOND_WRITE, 20, 30) / 10, served[i], 2);
        if (i == 1) assert_true(throttles(&rows, "TableWriteKeyRangeThroughputExceeded") > 1000);
        rows_free(&rows);
    }
}

/* ---- very many partitions ---- */

#define TINY                                                                                   \
    "model: {partition_write_limit: 1, heat_split: off, split_duration: 1s, split_sigma: 0%, " \
    "update_delay: 0s, quota_write: 1000000}, "

/* As many as are needed, up to what is simulated; more are refused in words before anything runs. */
static void m41_up_to_as_many_as_there_can_be(void **state) {
    (void)state;
    struct rows rows = run_table(
        "6h", "read_capacity: 1, write_capacity: 10, " TINY ENTITY,
        WRITES("1/s", "") "changes: [{at: +1m, set: {tables.t.write_capacity: 99990}}]\n", 1);
    assert_int_equal(partitions_at(&rows, 1, NULL, 1000000), 100000);
    /* Rows of the load map stay bounded as well: 100,000 x (6 h / 1,280 s + 2) is below 2 million. */
    int64_t longest_s = 0;
    EACH_ROW(row, &rows, PARTITION_SAMPLE)
    if (row_integer(row, SAMPLE_PERIOD) > longest_s) longest_s = row_integer(row, SAMPLE_PERIOD);
    assert_int_equal(longest_s, 1280);
    rows_free(&rows);
}

/* What a scenario that asks for too much says, when it is made or while it runs. */
static enum ddbsim_status run_refused(const char *text, struct ddbsim_error *error) {
    struct ddbsim_load_options none = {0};
    struct ddbsim_run_options options = {.seed = 1};
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_run *run = NULL;
    assert_int_equal(ddbsim_scenario_parse(text, strlen(text), "t", &none, &scenario, error), 0);
    enum ddbsim_status status = ddbsim_run_create(scenario, &options, &run, error);
    if (status == DDBSIM_OK) status = ddbsim_run_advance(run, scenario->duration_ns, error);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
    return status;
}

static void m41_more_are_refused_in_words(void **state) {
    (void)state;
    const char *indexes[] = {
        "", ",\n     indexes: [{name: i, partition_key: \"S#{key}\", projection: ALL, "
            "read_capacity: 1, write_capacity: 10}]"};
    const char *wants[] = {"tables.t.write_capacity", "tables.t.indexes.i.write_capacity"};
    const char *says[] = {
        "table t would have 100002 partitions after a change; the most is 100000",
        "index i would have 100002 partitions after a change; the most is 100000"};
    for (int i = 0; i < 2; i++) {
        struct ddbsim_error error = {0};
        const char *text = fill(
            HEAD "duration: 1h\nvalues: {key: {count: 5000}}\ntables:\n"
                 "  - {name: t, read_capacity: 1, write_capacity: 10, " TINY ENTITY
                 "@}\nworkloads:\n" WRITES("1/s", "") "changes: [{at: +1m, set: {@: 100001}}]\n",
            indexes[i], wants[i]);
        assert_int_equal(run_refused(text, &error), DDBSIM_INPUT);
        assert_string_equal(error.message, says[i]);
    }
}

/* Growth that no file states is refused in words when it happens: 55,000 units/s are a peak, of which twice as
 * much would be served, by partitions of one unit each. */
static void m43_growth_beyond_all_partitions(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    const char *text = HEAD
        "duration: 2m\ntables:\n  - {name: t, billing_mode: PAY_PER_REQUEST, model: "
        "{partition_write_limit: "
        "1, on_demand_write: 60000, on_demand_read: 1, peak_settle: 0s, peak_window: 10s, "
        "on_demand_growth: rule30, heat_split: off, quota_write: 1000000}, entities: [{name: e, "
        "partition_key: \"K#{uuid}\", count: 0, size: 400 KB}]}\nworkloads:\n"
        "  - {name: w, rate: 138/s, mix: [{operation: PutItem}]}\n";
    assert_int_equal(run_refused(text, &error), DDBSIM_ENVIRONMENT);
    assert_non_null(strstr(error.message, "grown beyond 100,000 partitions"));
}

/* Events are numbered in the order in which they are known: that of time, but for the end of a spell, which is
 * known a minute after its last refusal. */
static void m61_events_are_numbered_as_they_are_known(void **state) {
    (void)state;
    struct rows rows = run_table(
        "3m", "new: true, read_capacity: 1, write_capacity: 10, model: {update_delay: 0s}, " ENTITY,
        WRITES("20/s", "") "changes: [{at: +30s, set: {tables.t.write_capacity: 100}},\n"
                           "          {at: +1m, set: {tables.t.write_capacity: 120}}]\n",
        1);
    int64_t known_ns = 0;
    int ended = 0;
    EACH_ROW(row, &rows, EVENT) {
        bool is_end = strcmp(row_text(row, 2), "throttling_ended") == 0;
        int64_t t_ns = row_integer(row, 1) + (is_end ? 60 * NS_PER_SECOND : 0);
        assert_true(t_ns >= known_ns);
        known_ns = t_ns;
        ended += is_end;
    }
    assert_int_equal(ended, 1);
    rows_free(&rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m23_every_replica_is_bound),
        cmocka_unit_test(m24_cut_at_a_share),
        cmocka_unit_test(m29_heat_adds_up),
        cmocka_unit_test(m29_one_direction_has_all),
        cmocka_unit_test(m29_reads_and_writes_share_a_limit),
        cmocka_unit_test(m30_burst_of_a_new_table),
        cmocka_unit_test(m30_capacity_is_not_stolen),
        cmocka_unit_test(m30_stolen_burst),
        cmocka_unit_test(m33_index_work_goes_on),
        cmocka_unit_test(m33_strict_or_in_debt),
        cmocka_unit_test(m33_too_large_for_a_strict_bucket),
        cmocka_unit_test(m37_a_router_serves_in_lumps),
        cmocka_unit_test(m37_routers_divide),
        cmocka_unit_test(m37_without_delay_it_is_exact),
        cmocka_unit_test(m38_a_node_bounds_its_partitions),
        cmocka_unit_test(m39_only_what_came_before),
        cmocka_unit_test(m39_refused_requests_cost),
        cmocka_unit_test(m40_tokens_after_a_change),
        cmocka_unit_test(m41_more_are_refused_in_words),
        cmocka_unit_test(m41_up_to_as_many_as_there_can_be),
        cmocka_unit_test(m43_growth_beyond_all_partitions),
        cmocka_unit_test(m44_warm_partitions),
        cmocka_unit_test(m61_events_are_numbered_as_they_are_known),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
