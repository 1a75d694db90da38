/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Partitions that split, capacity modes and local indexes over whole runs; each test is named after its rule.
 * Limits are small where they can be, so that a few requests a second show what thousands would.
 */
#include <support/cmocka.h>
#include <support/near.h>
#include <support/table_rows.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SEEDS 15
#else
#define SEEDS 75
#endif

/* A partition serves 50 writes and 150 reads a second; splits take a minute, no more and no less. */
#define SMALL                                                                         \
    "partition_write_limit: 50, partition_read_limit: 150, replica_read_limit: 150, " \
    "heat_window: 1m, heat_cooldown: 1m, split_duration: 60s, split_sigma: 0%"
#define END_S 1000000000

static int splits_of(const struct rows *rows, const char *cause) {
    return event_count(rows, "split_finished", cause);
}

/* ---- what holds in every run ---- */

static const struct row *partition_row(const struct rows *rows, int64_t id) {
    EACH_ROW(row, rows, PARTITION)
    if (row_integer(row, 0) == id) return row;
    return NULL;
}

static int64_t retired_ns(const struct row *row) {
    return row->values[PARTITION_RETIRED].type == DDBSIM_VALUE_NULL
               ? INT64_MAX
               : row_integer(row, PARTITION_RETIRED);
}

/* The position after a partition's last, as the hexadecimal text that the next one begins with. */
static void next_low(const char *high, char out[33]) {
    memcpy(out, high, 33);
    for (int i = 31; i >= 0; i--) {
        if (out[i] != 'f') {
            out[i] = out[i] == '9' ? 'a' : (char)(out[i] + 1);
            return;
        }
        out[i] = '0';
    }
}

/* Follows the ranges that stand at a time from the lowest position to the highest. */
static void assert_tiles_at(const struct rows *rows, int64_t resource, int64_t t_ns) {
    char low[33] = "00000000000000000000000000000000";
    int standing = 0, followed = 0;
    EACH_ROW(row, rows, PARTITION)
    standing += row_integer(row, PARTITION_RESOURCE) == resource &&
                row_integer(row, PARTITION_CREATED) <= t_ns && retired_ns(row) > t_ns;
    for (bool found = true; found;) {
        found = false;
        EACH_ROW(row, rows, PARTITION) {
            if (row_integer(row, PARTITION_RESOURCE) != resource || found ||
                row_integer(row, PARTITION_CREATED) > t_ns || retired_ns(row) <= t_ns ||
                strcmp(row_text(row, PARTITION_LOW), low) != 0)
                continue;
            assert_true(strcmp(row_text(row, PARTITION_HIGH), low) >= 0);
            next_low(row_text(row, PARTITION_HIGH), low);
            followed++;
            found = strspn(low, "0") != 32;
            break;
        }
    }
    assert_int_equal(strspn(low, "0"), 32);
    assert_int_equal(followed, standing);
}

static void assert_family(const struct rows *rows) {
    EACH_ROW(row, rows, PARTITION) {
        assert_tiles_at(rows, row_integer(row, PARTITION_RESOURCE),
                        row_integer(row, PARTITION_CREATED));
        bool is_initial = strcmp(row_text(row, PARTITION_CAUSE), "initial") == 0;
        assert_true(is_initial == (row->values[PARTITION_PARENT].type == DDBSIM_VALUE_NULL));
        if (is_initial) continue;
        const struct row *parent = partition_row(rows, row_integer(row, PARTITION_PARENT));
        assert_non_null(parent);
        assert_int_equal(row_integer(parent, PARTITION_RESOURCE),
                         row_integer(row, PARTITION_RESOURCE));
        assert_int_equal(retired_ns(parent), row_integer(row, PARTITION_CREATED));
        assert_int_equal(row_integer(row, PARTITION_CREATED) % NS_PER_SECOND, 0);
        assert_true(strcmp(row_text(parent, PARTITION_LOW), row_text(row, PARTITION_LOW)) <= 0);
        assert_true(strcmp(row_text(parent, PARTITION_HIGH), row_text(row, PARTITION_HIGH)) >= 0);
    }
}

/* Samples lie inside their partition's life, one after the other, and sum to what the resource consumed. */
static void assert_samples(const struct rows *rows, int resource_count) {
    for (int resource = 1; resource <= resource_count; resource++) {
        double read = 0, write = 0;
        EACH_ROW(row, rows, PARTITION_SAMPLE) {
            const struct row *partition = partition_row(rows, row_integer(row, 0));
            if (row_integer(partition, PARTITION_RESOURCE) != resource) continue;
            int64_t from_s = row_integer(row, SAMPLE_T),
                    to_s = from_s + row_integer(row, SAMPLE_PERIOD);
            assert_true(from_s * NS_PER_SECOND >= row_integer(partition, PARTITION_CREATED));
            assert_true(to_s > from_s && (retired_ns(partition) == INT64_MAX ||
                                          to_s * NS_PER_SECOND <= retired_ns(partition)));
            read += row_number(row, SAMPLE_READ);
            write += row_number(row, SAMPLE_WRITE);
        }
        assert_true(read == consumed(rows, resource, SECOND_READ, 0, END_S));
        assert_true(write == consumed(rows, resource, SECOND_WRITE, 0, END_S));
    }
}

/* No partition serves more than its limit allows, whatever splits meanwhile; nor do all together in a
 * second. `depth_s` is the bucket's. */
static void assert_limits(const struct rows *rows, double limit, double depth_s) {
    EACH_ROW(row, rows, PARTITION_SAMPLE)
    assert_true(row_number(row, SAMPLE_WRITE) <=
                limit * (row_number(row, SAMPLE_PERIOD) + depth_s) + 1);
    EACH_ROW(row, rows, SECOND) {
        int standing =
            partitions_at(rows, (int)row_integer(row, 0), NULL, row_integer(row, SECOND_T));
        assert_true(row_number(row, SECOND_WRITE) <= standing * (limit * (1 + depth_s) + 1));
    }
}

/* ---- M-23 ---- */

static void m23_strong_and_eventual_reads(void **state) {
    (void)state;
    const char *table = "read_capacity: 40000, write_capacity: 1, partitions: 1, "
                        "model: {heat_split: off}, " ENTITY;
    struct rows strong =
        run_table("30s", table,
                  "  - {name: r, arrivals: paced, rate: 5000/s, mix: [{operation: GetItem, "
                  "consistent_read: true}]}\n",
                  1);
    struct rows eventual = run_table(
        "30s", table,
        "  - {name: r, arrivals: paced, rate: 14000/s, mix: [{operation: GetItem}]}\n", 1);
    double of_strong = consumed(&strong, 1, SECOND_READ, 10, 30) / 20,
           of_eventual = consumed(&eventual, 1, SECOND_READ, 10, 30) / 20;
    assert_true(of_strong > 2990 && of_strong < 3010);
    assert_true(of_eventual > 4480 && of_eventual < 4510);
    assert_true(throttles(&eventual, "TableReadKeyRangeThroughputExceeded") > 100000);
    rows_free(&strong);
    rows_free(&eventual);
}

/* ---- M-24 ---- */

static void m24_a_full_partition_splits(void **state) {
    (void)state;
    const char *count[] = {"2600", "2700"}; /* of 400 KB: a little less than 1 GB, and more */
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "3m",
            fill("read_capacity: 1, write_capacity: 20000, partitions: 1, model: {partition_bytes: "
                 "1 GB, heat_split: off, split_size_shortest: 30s, split_size_longest: 30s, "
                 "partition_write_limit: 5000}, entities: [{name: e, partition_key: "
                 "\"K#{uuid}\", count: @, size: 400 KB}]",
                 count[i]),
            "  - {name: w, arrivals: paced, rate: 2/s, mix: [{operation: PutItem}]}\n", 1);
        if (i == 1) { /* stated with fewer partitions than its bytes fill */
            assert_int_equal(event_count(&rows, "split_started", ""), 0);
            rows_free(&rows);
            continue;
        }
        assert_int_equal(event_count(&rows, "split_started", "size"), 1);
        int64_t begun_s = event_s(&rows, "split_started", "size", 0);
        assert_int_equal(begun_s, 20); /* 22 items later, at the next look */
        assert_int_equal(event_s(&rows, "split_finished", "size", 0), begun_s + 30);
        assert_int_equal(partitions_at(&rows, 1, "size", END_S), 2);
        /* 2,700 items were there, of which each child has half; then new ones come to both. */
        EACH_ROW(row, &rows, PARTITION_SAMPLE)
        if (row_integer(row, 0) > 1 && row_integer(row, SAMPLE_T) == 50) {
            assert_in_range(row_integer(row, SAMPLE_ITEMS), 1350, 1350 + 20);
            assert_int_equal(row_integer(row, SAMPLE_BYTES),
                             row_integer(row, SAMPLE_ITEMS) * 409600);
        }
        assert_family(&rows);
        assert_samples(&rows, 1);
        rows_free(&rows);
    }
}

/* Two to ten minutes, any time between as likely; a longest below the shortest does not count. */
static void m24_takes_minutes(void **state) {
    (void)state;
    const char *times[] = {
        "{partition_bytes: 1 GB}",
        "{partition_bytes: 1 GB, split_size_shortest: 7m, split_size_longest: 5m}"};
    int64_t least_s[2] = {INT64_MAX, INT64_MAX}, most_s[2] = {0}, sum_s = 0;
    for (int i = 0; i < 2; i++)
        for (uint64_t seed = 1; seed <= (i == 0 ? 40 : 3); seed++) {
            struct rows rows = run_table(
                "12m",
                fill("read_capacity: 1, write_capacity: 900, partitions: 1, model: @, entities: "
                     "[{name: e, partition_key: \"K#{uuid}\", count: 2600, size: 400 KB}]",
                     times[i]),
                "  - {name: w, arrivals: paced, rate: 2/s, mix: [{operation: PutItem}]}\n", seed);
            int64_t took_s = event_s(&rows, "split_finished", "size", 0) -
                             event_s(&rows, "split_started", "size", 0);
            if (took_s < least_s[i]) least_s[i] = took_s;
            if (took_s > most_s[i]) most_s[i] = took_s;
            if (i == 0) sum_s += took_s;
            rows_free(&rows);
        }
    assert_in_range(least_s[0], 120, 150);
    assert_in_range(most_s[0], 570, 600);
    assert_near((double)sum_s / 40, 360, 66); /* three standard errors */
    assert_int_equal(least_s[1], 420);
    assert_int_equal(most_s[1], 420);
}

/* ---- M-25 ---- */

#define HOT_TABLE(more) "read_capacity: 1, write_capacity: 2000, partitions: 1, " ENTITY ", " more

static void m25_a_hot_partition_splits_after_its_window(void **state) {
    (void)state;
    const char *table = HOT_TABLE("model: {partition_write_limit: 50, heat_cooldown: 1m, "
                                  "split_duration: 60s, split_sigma: 0%}");
    struct rows rows = run_table("10m", table, WRITES("42/s", "start_time: +2m, "), 1);
    assert_int_equal(event_s(&rows, "split_started", "heat", 0), 120 + 300);
    assert_int_equal(event_s(&rows, "split_finished", "heat", 0), 120 + 300 + 60);
    assert_int_equal(rows.totals.throttled_attempts, 0); /* 84 % of the limit is hot enough */
    rows_free(&rows);
    rows = run_table("10m", table, WRITES("38/s", ""), 1); /* 76 % is not */
    assert_int_equal(event_count(&rows, "split_", ""), 0);
    assert_int_equal(splits_of(&rows, ""), 0);
    rows_free(&rows);
    rows = run_table("15m", table, /* half a minute of rest: the window begins anew */
                     "  - {name: w, arrivals: paced, rate: 60/s, end_time: +4m, mix: [{operation: "
                     "UpdateItem}]}\n"
                     "  - {name: v, arrivals: paced, rate: 60/s, start_time: +4m30s, mix: "
                     "[{operation: UpdateItem}]}\n",
                     1);
    assert_int_equal(event_s(&rows, "split_started", "heat", 0), 270 + 300);
    rows_free(&rows);
}

/* Whatever a partition's limit is, what is hot by it is enough to judge by: even traffic is cut in two. */
static void m26_low_limits_split_too(void **state) {
    (void)state;
    for (int limit = 1; limit <= 1000; limit *= 10)
        for (int window_s = 60; window_s <= 300; window_s += 240) {
            char table[512], writes[256];
            snprintf(table, sizeof table,
                     "read_capacity: 1, write_capacity: 10000, partitions: 1, " ENTITY
                     ", model: {partition_write_limit: %d, partition_read_limit: %d, heat_window: "
                     "%ds, split_duration: 1s, split_sigma: 0%%}",
                     limit, limit, window_s);
            snprintf(writes, sizeof writes,
                     "  - {name: w, rate: %d/s, mix: [{operation: UpdateItem}]}\n", 2 * limit);
            struct rows rows = run_table("6m", table, writes, 1);
            assert_int_equal(event_s(&rows, "split_started", "heat", 0), window_s);
            assert_int_equal(event_count(&rows, "split_refused", ""), 0);
            rows_free(&rows);
        }
}

static void m25_children_are_left_alone(void **state) {
    (void)state;
    const char *cooldowns[] = {"0s", "5m"};
    const int64_t second_s[] = {120 + 60, 120 + 300};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "10m",
            fill(HOT_TABLE("model: {partition_write_limit: 50, heat_window: 1m, heat_cooldown: @, "
                           "split_duration: 60s, split_sigma: 0%}"),
                 cooldowns[i]),
            WRITES("300/s", ""), 1);
        assert_int_equal(event_s(&rows, "split_started", "heat", 0), 60);
        assert_int_equal(event_s(&rows, "split_started", "heat", 1), second_s[i]);
        rows_free(&rows);
    }
}

/* What a table, an index or on-demand's maximum refuses is no heat. */
static void m25_refusals_of_others_are_no_heat(void **state) {
    (void)state;
    const char *tables[] = {
        "read_capacity: 1, write_capacity: 20, partitions: 1, burst: {initial: 0%}, " ENTITY
        ", model: {" SMALL "}",
        "read_capacity: 1, write_capacity: 500, partitions: 1, " ENTITY ", model: {" SMALL
        "}, indexes: [{name: i, partition_key: \"I#{key}\", partitions: 1, "
        "read_capacity: 1, write_capacity: 20, burst: {initial: 0%}, backpressure: textbook}]",
        "billing_mode: PAY_PER_REQUEST, partitions: 1, on_demand_throughput: "
        "{max_write_request_units: 20}, " ENTITY ", model: {" SMALL "}",
        /* a partition's share of the capacity, below its limit */
        "read_capacity: 1, write_capacity: 20, partitions: 1, burst: {initial: 0%}, " ENTITY
        ", model: {admission: static, " SMALL "}",
    };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct rows rows = run_table("5m", tables[i], WRITES("200/s", ""), 1);
        assert_true(rows.totals.throttled_attempts > 40000);
        assert_int_equal(event_count(&rows, "split_", ""), 0);
        assert_int_equal(event_count(&rows, "split_started", ""), 0);
        assert_int_equal(event_count(&rows, "split_refused", ""), 0);
        rows_free(&rows);
    }
}

/* ---- M-26 ---- */

static void m26_refused_splits_say_why(void **state) {
    (void)state;
    static const struct {
        const char *entity, *index, *operation, *reason;
    } of[] = {
        {"partition_key: \"A\", count: 1", "", "UpdateItem", "single_item"},
        {"partition_key: \"A\", sort_key: \"{time}\", count: 0", "", "PutItem", "sequential"},
        {"partition_key: \"A\", sort_key: \"B#{key}\", count: 5000",
         ", indexes: [{name: l, type: LOCAL, sort_key: \"L#{key}\", projection: KEYS_ONLY}]",
         "UpdateItem", "collection"},
    };
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        struct rows rows = run_table(
            "5m",
            fill("read_capacity: 1, write_capacity: 2000, partitions: 1, "
                 "model: {" SMALL "}, entities: [{name: e, @, size: 1 KB}]@",
                 of[i].entity, of[i].index),
            fill("  - {name: w, rate: 200/s, mix: [{operation: @}]}\n", of[i].operation), 1);
        assert_int_equal(event_count(&rows, "split_started", ""), 0);
        /* Told once, though it is judged every half minute. */
        assert_int_equal(event_count(&rows, "split_refused", of[i].reason), 1);
        assert_int_equal(event_count(&rows, "split_refused", ""), 1);
        assert_int_equal(event_s(&rows, "split_refused", "", 0), 60);
        rows_free(&rows);
    }
}

/* ---- M-27 ---- */

static int by_integer(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static void m27_duration(void **state) {
    (void)state;
    int64_t durations_s[SEEDS];
    print_message("durations: seeds 1 to %d\n", SEEDS);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct rows rows =
            run_table("6m", HOT_TABLE("model: {partition_write_limit: 50, heat_window: 1m}"),
                      WRITES("45/s", ""), seed);
        int64_t begun_s = event_s(&rows, "split_started", "heat", 0),
                done_s = event_s(&rows, "split_finished", "heat", 0);
        assert_int_equal(begun_s, 60);
        durations_s[seed - 1] = done_s < 0 ? INT64_MAX : done_s - begun_s;
        rows_free(&rows);
    }
    qsort(durations_s, SEEDS, sizeof *durations_s, by_integer);
    /* A median of n has the standard error 1.25 sigma / sqrt(n): 9 %, or 19 % of few. */
    int64_t median_s = durations_s[SEEDS / 2], error_s = SEEDS < 50 ? 90 : 50;
    assert_in_range(median_s, 180 - error_s, 180 + error_s);
    assert_true(durations_s[0] < 140);
}

/* Splits for heat that are under way at once, at most. */
static int most_at_once(const struct rows *rows) {
    int now = 0, most = 0;
    EACH_ROW(row, rows, EVENT) {
        if (!strstr(row_text(row, 5), "\"heat\"")) continue;
        now += strcmp(row_text(row, 2), "split_started") == 0 ? 1 : -1;
        if (now > most) most = now;
    }
    return most;
}

/* 4,000 writes/s on one new key (H6, C09) climb in steps of one partition, and each stage is there for a while:
 * the third is short, since both halves are hot at the same time and their splits end apart by chance. */
static void m27_one_partition_more_at_a_time(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct rows rows =
            rows_run("version: 1\nname: h6\nduration: 30m\ntables:\n  - {name: t, billing_mode: "
                     "PAY_PER_REQUEST, new: true,\n     entities: [{name: e, partition_key: ONE, "
                     "sort_key: \"{uuid}\", size: 130 B}]}\n"
                     "workloads: [{name: w, rate: 4000/s, mix: [{operation: PutItem}]}]\n",
                     seed);
        int seconds[5] = {0};
        double minutes[30] = {0};
        for (size_t r = 0; r < rows.count; r++) {
            const struct row *row = &rows.rows[r];
            if (row->table != DDBSIM_LOG_SECOND) continue;
            double units = row_number(row, 4);
            minutes[(int)row_number(row, 1) / 60] += units / 60;
            for (int n = 1; n <= 4; n++)
                seconds[n] += units > 950 * n && units < 1050 * n;
        }
        /* Never back, but for what the full buckets of new partitions gave the minute before. */
        for (int m = 1; m < 30; m++)
            assert_true(minutes[m] > minutes[m - 1] - 200);
        assert_true(seconds[1] > 300 && seconds[2] > 60 && seconds[3] >= 8 && seconds[4] > 60);
        rows_free(&rows);
    }
}

static void m27_how_many_at_once(void **state) {
    (void)state;
    const char *tables[] = {
        "read_capacity: 1, write_capacity: 2000, partitions: 4, " ENTITY ", model: {" SMALL "}",
        "read_capacity: 1, write_capacity: 2000, partitions: 4, " ENTITY ", model: {" SMALL
        ", split_parallel: 2}",
        "billing_mode: PAY_PER_REQUEST, partitions: 4, " ENTITY ", model: {" SMALL
        ", on_demand_growth: splits}",
    };
    const int most[] = {1, 2, 4};
    for (int i = 0; i < 3; i++) {
        struct rows rows = run_table("5m", tables[i], WRITES("260/s", ""), 1);
        assert_int_equal(most_at_once(&rows), most[i]);
        assert_true(splits_of(&rows, "heat") >= 2);
        assert_family(&rows);
        rows_free(&rows);
    }
}

/* ---- M-28 ---- */

static void m28_children_take_over_at_once(void **state) {
    (void)state;
    struct rows rows =
        run_table("12m", HOT_TABLE("model: {" SMALL ", partition_burst: 3s, split_parallel: 0}"),
                  WRITES("300/s", ""), 1);
    assert_true(splits_of(&rows, "heat") >= 5);
    assert_family(&rows);
    assert_samples(&rows, 1);
    assert_limits(&rows, 50, 3);
    /* The parent serves its limit to its last second; then two do. */
    int64_t done_s = event_s(&rows, "split_finished", "heat", 0);
    assert_int_equal(done_s, 120);
    double before = consumed(&rows, 1, SECOND_WRITE, done_s - 10, done_s),
           after = consumed(&rows, 1, SECOND_WRITE, done_s + 10, done_s + 20);
    assert_true(before > 495 && before < 505);
    assert_true(after > 990 && after < 1010);
    /* And the children's buckets were full: 3 s of 50, each. */
    double just_after = consumed(&rows, 1, SECOND_WRITE, done_s, done_s + 10);
    assert_true(just_after > 1000 + 290 && just_after < 1000 + 310);
    rows_free(&rows);
}

#define SLOW_INDEX_TABLE                                                                       \
    "read_capacity: 1, write_capacity: 2000, partitions: 8, " ENTITY ", model: {" SMALL        \
    "}, indexes: [{name: i, partition_key: \"I#{key}\", sort_key: \"{time}\", partitions: 1, " \
    "read_capacity: 1, write_capacity: 2000}]"

/* Writes wait for an index partition that splits twice meanwhile: nothing is lost, nothing stays. */
static void m28_waiting_index_work_drains(void **state) {
    (void)state;
    const char *effects[] = {"rewrite: 100%", "move: 50%"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "12m", SLOW_INDEX_TABLE,
            fill("  - {name: w, rate: 220/s, end_time: +8m, mix: [{operation: UpdateItem, "
                 "index_effect: {i: {@}}}]}\n",
                 effects[i]),
            3);
        double most = 0, last = -1;
        EACH_ROW(row, &rows, SECOND) {
            if (row_integer(row, 0) != 2) continue;
            last = row_number(row, SECOND_BACKLOG);
            if (last > most) most = last;
        }
        assert_true(most >= 1000);
        assert_true(last == 0);
        assert_true(partitions_at(&rows, 2, "heat", END_S) >= 3);
        assert_int_equal(partitions_at(&rows, 1, "heat", END_S), 0);
        double writes = (double)rows.totals.succeeded,
               index = consumed(&rows, 2, SECOND_WRITE, 0, END_S);
        if (i == 0)
            assert_true(index == writes);
        else
            assert_true(index > 1.45 * writes && index < 1.55 * writes);
        assert_family(&rows);
        assert_samples(&rows, 2);
        assert_limits(&rows, 50, 3);
        rows_free(&rows);
    }
}

/* ---- M-36 ---- */

static double served_under(const char *rules, const char *model, int64_t from_s, int64_t to_s) {
    struct rows rows =
        rows_run(fill(HEAD "duration: 15m\nrules: @\nmodel: {@}\ntables:\n  - {name: t, "
                           "read_capacity: 1, write_capacity: 400, partitions: 4, burst: "
                           "{initial: 0%}, entities: [{name: e, partition_key: \"A\", count: 1, "
                           "size: 1 KB}]}\nworkloads:\n" WRITES("160/s", ""),
                      rules, model),
                 1);
    double served = consumed(&rows, 1, SECOND_WRITE, from_s, to_s) / (double)(to_s - from_s);
    assert_int_equal(event_count(&rows, "split_started", ""), 0);
    rows_free(&rows);
    return served;
}

static void m36_rules_of_other_years(void **state) {
    (void)state;
    const char *years[] = {"2012", "2017"};
    for (int i = 0; i < 2; i++) {
        double served = served_under(years[i], "", 0, 900);
        assert_true(served > 99 && served < 101);
    }
    double early = served_under("2018", "", 0, 290), late = served_under("2018", "", 400, 900);
    assert_true(early > 99 && early < 101);
    assert_true(late > 159 && late < 161);
    double today = served_under("today", "", 0, 900);
    assert_true(today > 159 && today < 161);
    /* What the scenario says of the model holds over its year. */
    double mixed = served_under("2012", "admission: gac", 0, 900);
    assert_true(mixed > 159 && mixed < 161);
    early = served_under("2018", "adaptive_delay: 0s", 60, 290);
    assert_true(early > 159 && early < 161);
}

static void m36_no_splits_for_heat_then(void **state) {
    (void)state;
    const char *years[] = {"2012", "2017", "2018", "today"};
    for (int i = 0; i < 4; i++) {
        struct rows rows =
            rows_run(fill(HEAD "duration: 5m\nrules: @\nvalues: {key: {count: 5000}}\nmodel: "
                               "{" SMALL "}\ntables:\n  - {name: t, read_capacity: 1, "
                               "write_capacity: 500, partitions: 1, " ENTITY
                               "}\nworkloads:\n" WRITES("160/s", ""),
                          years[i]),
                     1);
        assert_true((splits_of(&rows, "heat") > 0) == (i == 3));
        rows_free(&rows);
    }
}

/* ---- M-41 ---- */

#define CHANGES(list) "changes: [" list "]\n"
#define CHANGE(at, set) CHANGES("{at: " at ", set: {" set "}}")
#define PAPER_TABLE                                                                    \
    "read_capacity: 1, write_capacity: 3200, " ENTITY ", model: {split_duration: 1m, " \
    "split_sigma: 0%, admission: static}"

static void m41_more_capacity_needs_partitions(void **state) {
    (void)state;
    static const struct {
        const char *capacity;
        int64_t at_s;
        int partitions;
    } of[] = {{"3600", 180, 4}, {"6000", 240, 8}, {"13000", 300, 16}, {"1000", 180, 4}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        char set[64];
        snprintf(set, sizeof set, "tables.t.write_capacity: %s", of[i].capacity);
        struct rows rows =
            run_table("7m", PAPER_TABLE, fill(WRITES("1/s", "") CHANGE("+2m", "@"), set), 1);
        assert_int_equal(event_count(&rows, "capacity_changed", ""), 1);
        assert_int_equal(event_s(&rows, "capacity_changed", "", 0), of[i].at_s);
        assert_int_equal(partitions_at(&rows, 1, NULL, of[i].at_s - 1), 4);
        assert_int_equal(partitions_at(&rows, 1, NULL, END_S), of[i].partitions);
        assert_int_equal(partitions_at(&rows, 1, "capacity", END_S),
                         of[i].partitions == 4 ? 0 : of[i].partitions);
        assert_family(&rows);
        rows_free(&rows);
    }
}

/* Each of 8 serves 750 once 6,000 are there: 3,200 on 4 were 800 each. */
static void m41_shares_are_derived_anew(void **state) {
    (void)state;
    struct rows rows = run_table(
        "7m",
        "read_capacity: 1, write_capacity: 3200, burst: {initial: 0%, window: 0s}, entities: "
        "[{name: e, partition_key: \"A\", count: 1, size: 1 KB}], model: {split_duration: "
        "1m, split_sigma: 0%, admission: static, heat_split: off}",
        WRITES("900/s", "") CHANGE("+2m", "tables.t.write_capacity: 6000"), 1);
    double before = consumed(&rows, 1, SECOND_WRITE, 100, 200) / 100,
           after = consumed(&rows, 1, SECOND_WRITE, 300, 400) / 100;
    assert_true(before > 799 && before < 801);
    assert_true(after > 749 && after < 751);
    rows_free(&rows);
}

/* An index whose new capacity needs no partitions keeps its burst while its table gets some. */
static void m34_burst_is_kept_without_a_split(void **state) {
    (void)state;
    struct rows rows = run_table(
        "6m",
        "read_capacity: 1, write_capacity: 3200, " ENTITY
        ", model: {split_duration: 1m, split_sigma: 0%, admission: static}, indexes: [{name: i, "
        "partition_key: \"I#{key}\", read_capacity: 1, write_capacity: 100, backpressure: "
        "textbook}]",
        WRITES("300/s", "start_time: +250s, end_time: +300s, ")
            CHANGE("+2m", "tables.t.write_capacity: 6000, tables.t.indexes.i.write_capacity: 200"),
        1);
    assert_int_equal(partitions_at(&rows, 1, NULL, END_S), 8);
    assert_int_equal(partitions_at(&rows, 2, NULL, END_S), 1);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    assert_true(rows.totals.succeeded == 15000);
    rows_free(&rows);
}

/* Many tables get more capacity at one moment, and partitions for it at another one. */
static void m41_many_tables_at_once(void **state) {
    (void)state;
    enum { TABLES = 30 };
    char text[16384];
    int used =
        snprintf(text, sizeof text,
                 HEAD "duration: 5m\nmodel: {split_duration: 1m, split_sigma: 0%%}\ntables:\n");
    for (int i = 0; i < TABLES; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "  - {name: t%d, read_capacity: 1, write_capacity: 500, entities: "
                         "[{name: e, partition_key: \"A\", count: 1, size: 1 KB}]}\n",
                         i);
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "workloads:\n  - {name: w, table: t0, rate: 1/s, mix: [{operation: "
                     "UpdateItem}]}\nchanges: [{at: +1m, set: {");
    for (int i = 0; i < TABLES; i++)
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "%stables.t%d.write_capacity: 1500", i ? ", " : "", i);
    snprintf(text + used, sizeof text - (size_t)used, "}}]\n");
    struct rows rows = rows_run(text, 1);
    for (int resource = 1; resource <= TABLES; resource++)
        assert_int_equal(partitions_at(&rows, resource, "capacity", END_S), 2);
    assert_int_equal(event_count(&rows, "capacity_changed", ""), TABLES);
    rows_free(&rows);
}

/* The largest capacity that the grammar has, kept for the longest time that it has: no number overflows. */
static void m30_the_largest_capacity(void **state) {
    (void)state;
    const char *modes[] = {
        "read_capacity: 1, write_capacity: 90000000, burst: {window: 1h}, model: "
        "{quota_write: 100000000, mode_delay: 1s, update_delay: 1s}",
        "billing_mode: PAY_PER_REQUEST, model: {quota_write: 100000000, on_demand_burst: 5m, "
        "on_demand_growth: rule30}"};
    for (int i = 0; i < 2; i++) {
        struct rows rows =
            run_table("10s", fill("@, partitions: 1, " ENTITY, modes[i]),
                      fill(WRITES("100/s", "") "@",
                           i == 0 ? CHANGE("+5s", "tables.t.write_capacity: 80000000") : ""),
                      1);
        assert_int_equal(rows.totals.throttled_attempts, 0);
        assert_int_equal(event_count(&rows, "burst_empty", ""), 0);
        EACH_ROW(row, &rows, SECOND) assert_true(row_number(row, 12) > 1000000);
        rows_free(&rows);
    }
}

/* ---- M-45 ---- */

static void m45_maximum_and_quota(void **state) {
    (void)state;
    static const struct {
        const char *table, *reason;
        enum ddbsim_reason id;
    } of[] = {
        {"on_demand_throughput: {max_write_request_units: 100}",
         "TableWriteMaxOnDemandThroughputExceeded", DDBSIM_TABLE_WRITE_MAX_ON_DEMAND},
        {"model: {quota_write: 100}", "TableWriteAccountLimitExceeded", DDBSIM_TABLE_WRITE_ACCOUNT},
    };
    for (size_t i = 0; i < 2; i++) {
        struct rows rows =
            run_table("2m", fill("billing_mode: PAY_PER_REQUEST, " ENTITY ", @", of[i].table),
                      WRITES("150/s", ""), 1);
        double served = consumed(&rows, 1, SECOND_WRITE, 60, 120) / 60;
        assert_true(served > 99 && served < 101);
        assert_string_equal(ddbsim_reason_name((int)of[i].id), of[i].reason);
        assert_true(throttles(&rows, of[i].reason) == (double)rows.totals.throttled_attempts);
        assert_true(rows.totals.throttled_attempts > 5000);
        rows_free(&rows);
    }
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_WRITE_MAX_ON_DEMAND, true),
                        "ThrottlingException");
    assert_string_equal(ddbsim_reason_exception(DDBSIM_TABLE_WRITE_ACCOUNT, true),
                        "ThrottlingException");
}

/* ---- M-42, M-43 ---- */

static void m42_a_new_table_serves_4000(void **state) {
    (void)state;
    struct rows rows = run_table("1m", "billing_mode: PAY_PER_REQUEST, new: true, " ENTITY,
                                 WRITES("4400/s", ""), 1);
    assert_int_equal(partitions_at(&rows, 1, "initial", END_S), 4);
    double served = consumed(&rows, 1, SECOND_WRITE, 30, 60) / 30;
    assert_true(served > 3900 && served <= 4001);
    assert_true(throttles(&rows, "TableWriteKeyRangeThroughputExceeded") > 10000);
    rows_free(&rows);
}

/* A tenth of the real figures; partitions follow the rule, and the limit follows both. */
static void m43_partitions_follow_growth(void **state) {
    (void)state;
    struct rows rows = run_table("30m",
                                 "billing_mode: PAY_PER_REQUEST, " ENTITY ", model: {" SMALL
                                 ", on_demand_write: 200, on_demand_read: 600, heat_split: off}",
                                 WRITES("180/s", ""), 1);
    assert_int_equal(partitions_at(&rows, 1, NULL, 0), 4);
    int64_t grown_s = event_s(&rows, "on_demand_limit", "write", 0);
    /* More than 100 units a second averaged over a minute, at 40 s, count 300 s later; a partition is split,
     * and is there at the next look after a minute. */
    assert_int_equal(grown_s, 40 + 300 + 60 + 10);
    assert_int_equal(partitions_at(&rows, 1, NULL, END_S), 8); /* 360 / 50 */
    assert_int_equal(splits_of(&rows, "capacity"), 4);
    double limit = 0;
    EACH_ROW(row, &rows, SECOND) limit = row_number(row, 8);
    assert_true(limit == 360);
    assert_family(&rows);
    assert_samples(&rows, 1);
    rows_free(&rows);
}

/* ---- M-46 ---- */

#define ON_DEMAND "tables.t.billing_mode: PAY_PER_REQUEST"
#define PROVISIONED \
    "tables.t.billing_mode: PROVISIONED, tables.t.read_capacity: 40, tables.t.write_capacity: 40"

static void m46_a_switch_takes_its_time(void **state) {
    (void)state;
    struct rows rows = run_table(
        "8m",
        "billing_mode: PROVISIONED, read_capacity: 40, write_capacity: 40, partitions: 4, burst: "
        "{initial: 0%}, " ENTITY,
        WRITES("80/s", "") CHANGE("+2m", ON_DEMAND), 1);
    assert_int_equal(event_s(&rows, "capacity_changed", "write", 0), 300);
    double before = consumed(&rows, 1, SECOND_WRITE, 150, 300) / 150,
           after = consumed(&rows, 1, SECOND_WRITE, 310, 480) / 170;
    assert_true(before > 39 && before < 41);
    assert_true(after > 79 && after < 81);
    EACH_ROW(row, &rows, SECOND) {
        if (row_integer(row, SECOND_T) < 300) assert_true(row_number(row, 8) == 40);
        if (row_integer(row, SECOND_T) > 300) assert_true(row_number(row, 8) == 4000);
    }
    rows_free(&rows);
}

static void m46_four_switches_a_day(void **state) {
    (void)state;
    char changes[4096] = "changes: [";
    for (int hour = 1; hour <= 10; hour++) {
        char change[256];
        snprintf(change, sizeof change, "%s{at: +%dh, set: {%s}}", hour > 1 ? ", " : "", hour,
                 hour % 2 ? ON_DEMAND : PROVISIONED);
        strcat(changes, change);
    }
    strcat(changes, ", {at: +26h, set: {" ON_DEMAND "}}]\n");
    struct rows rows = run_table(
        "27h",
        "billing_mode: PROVISIONED, read_capacity: 40, write_capacity: 40, "
        "partitions: 4, " ENTITY,
        fill("  - {name: w, rate: 1/min, mix: [{operation: UpdateItem}]}\n@", changes), 1);
    /* At 1, 3, 5, 7 h to on-demand; at 9 h refused; at 26 h the first one is over a day ago. */
    assert_int_equal(event_count(&rows, "change_refused", ""), 1);
    assert_int_equal(event_s(&rows, "change_refused", "", 0), 9 * 3600);
    assert_int_equal(event_count(&rows, "capacity_changed", "\"write\""), 9);
    assert_int_equal(event_s(&rows, "capacity_changed", "\"write\"", 8), 26 * 3600 + 180);
    EACH_ROW(row, &rows, SECOND)
    if (row_integer(row, SECOND_T) > 9 * 3600 + 200 && row_integer(row, SECOND_T) < 26 * 3600)
        assert_true(row_number(row, 8) == 40);
    rows_free(&rows);
}

/* A change of capacity waits for a switch of the mode that is under way, then takes its own minute. */
static void m46_a_quicker_change_does_not_overtake(void **state) {
    (void)state;
    for (int delay_s = 0; delay_s <= 180; delay_s += 60) {
        char table[256];
        snprintf(table, sizeof table,
                 "billing_mode: PAY_PER_REQUEST, " ENTITY ", model: {mode_delay: %ds}", delay_s);
        struct rows rows = run_table("10m", table,
                                     WRITES("30/s", "") "changes: [{at: +2m, set: {" PROVISIONED
                                                        "}}, {at: +2m30s, set: "
                                                        "{tables.t.write_capacity: 900}}]\n",
                                     1);
        int64_t switched_s = 120 + delay_s, limit_s = 60 + (delay_s > 30 ? switched_s : 150);
        double last = 0;
        EACH_ROW(row, &rows, SECOND) {
            int64_t t_s = row_integer(row, SECOND_T);
            last = row_number(row, 8);
            if (t_s < switched_s) assert_true(last == 4000);
            if (t_s > switched_s && t_s < limit_s) assert_true(last == 40);
            if (t_s > limit_s) assert_true(last == 900);
        }
        assert_true(last == 900);
        rows_free(&rows);
    }
}

/* Shares of capacity are the rule of provisioned capacity whatever the mode was before. */
static void m46_shares_return_with_provisioned_capacity(void **state) {
    (void)state;
    static const char *const starts[] = {
        "billing_mode: PAY_PER_REQUEST",
        "billing_mode: PROVISIONED, read_capacity: 40, write_capacity: 40, partitions: 4"};
    static const char *const changes[] = {"changes: [{at: +1m, set: {" PROVISIONED "}}]\n",
                                          "changes: [{at: +1m, set: {" ON_DEMAND
                                          "}}, {at: +6m, set: {" PROVISIONED "}}]\n"};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "12m",
            fill("@, entities: [{name: e, partition_key: \"ONE\", count: 1, size: 1 KB}], model: "
                 "{admission: static, heat_split: off}",
                 starts[i]),
            fill(WRITES("80/s", "") "@", changes[i]), 1);
        double served = consumed(&rows, 1, SECOND_WRITE, 600, 720) / 120;
        assert_true(served > 9.9 && served < 10.1); /* a quarter of 40 */
        rows_free(&rows);
    }
}

static void m46_keeps_what_was_provisioned(void **state) {
    (void)state;
    struct rows rows = run_table("6m", "read_capacity: 1, write_capacity: 40000, " ENTITY,
                                 WRITES("1/s", "") CHANGE("+1m", ON_DEMAND), 1);
    double limit = 0, reads = 0;
    EACH_ROW(row, &rows, SECOND) {
        limit = row_number(row, 8);
        reads = row_number(row, 7);
    }
    assert_true(limit == 40000);
    assert_true(reads == 12000);
    assert_int_equal(splits_of(&rows, ""), 0);
    rows_free(&rows);
}

/* What it has had before counts, by either mode: there is no decay. */
static void m46_remembers_what_it_has_had(void **state) {
    (void)state;
    static const struct {
        const char *table, *changes;
        double write;
    } of[] = {
        {"read_capacity: 1, write_capacity: 30000, ",
         CHANGES("{at: +1m, set: {tables.t.write_capacity: 100}}, {at: +3m, set: {" ON_DEMAND "}}"),
         30000},
        {"billing_mode: PAY_PER_REQUEST, previous_peak: {read: 1, write: 15000}, ",
         CHANGES("{at: +1m, set: {" PROVISIONED "}}, {at: +5m, set: {" ON_DEMAND "}}"), 30000},
        {"read_capacity: 1, write_capacity: 100, partitions: 4, ",
         CHANGES("{at: +1m, set: {tables.t.write_capacity: 200}}, {at: +3m, set: {" ON_DEMAND "}}"),
         4000},
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct rows rows = run_table("9m", fill("@" ENTITY, of[i].table),
                                     fill(WRITES("1/s", "") "@", of[i].changes), 1);
        double limit = 0;
        EACH_ROW(row, &rows, SECOND) limit = row_number(row, 8);
        assert_true(limit == of[i].write);
        assert_int_equal(splits_of(&rows, ""), 0);
        rows_free(&rows);
    }
}

/* However many split in one second, each has its event. */
static void m41_every_split_has_its_event(void **state) {
    (void)state;
    static const char *const tables[] = {
        "read_capacity: 1, write_capacity: 1, partitions: 1, " ENTITY
        ", model: {partition_write_limit: 1, heat_split: off}",
        "read_capacity: 1, write_capacity: 5000, partitions: 700, " ENTITY
        ", model: {partition_write_limit: 1, heat_window: 1m, split_duration: 1s, split_sigma: 0%, "
        "split_parallel: 0}"};
    static const char *const writes[] = {
        WRITES("1/min", "") CHANGE("+1s", "tables.t.write_capacity: 900"), WRITES("2000/s", "")};
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(i ? "90s" : "2h", tables[i], writes[i], 1);
        const char *cause = i ? "heat" : "capacity";
        int retired = 0;
        EACH_ROW(row, &rows, PARTITION) retired += retired_ns(row) != INT64_MAX;
        assert_in_range(retired, 400, 1200);
        assert_int_equal(event_count(&rows, "split_finished", cause), retired);
        if (i)
            assert_true(event_count(&rows, "split_started", "heat") >=
                        event_count(&rows, "split_finished", "heat"));
        rows_free(&rows);
    }
}

/* More splits at one time than an event may note: what comes after them is told as well. */
static void m41_every_split_is_told(void **state) {
    (void)state;
    struct rows rows = run_table(
        "4m",
        "read_capacity: 1, write_capacity: 15000, partitions: 300, " ENTITY ", model: {" SMALL "}",
        WRITES("1/s", "") CHANGE("+1m", "tables.t.write_capacity: 29900"), 1);
    assert_int_equal(splits_of(&rows, "capacity"), 300);
    assert_int_equal(event_count(&rows, "capacity_changed", "\"write\""), 1);
    rows_free(&rows);
}

/* ---- M-57 and reads of indexes ---- */

#define LOCAL_TABLE(model)                                                                      \
    "read_capacity: 400, write_capacity: 400, partitions: 1, burst: {initial: 0%}, entities: "  \
    "[{name: e, partition_key: \"K#{key}\", sort_key: \"{n}\", count: 5000, size: 1 KB}], "     \
    "indexes: [{name: l, type: LOCAL, sort_key: \"L#{key}\", projection: ALL}], model: {" model \
    "}"

static void m57_the_table_pays_for_local_indexes(void **state) {
    (void)state;
    struct rows rows = run_table(
        "1m", LOCAL_TABLE("heat_split: off"),
        "  - {name: w, arrivals: paced, rate: 10/s, mix: [{operation: UpdateItem, index_effect: "
        "{l: "
        "{rewrite: 100%}}}]}\n"
        "  - {name: m, arrivals: paced, rate: 10/s, mix: [{operation: UpdateItem, index_effect: "
        "{l: "
        "{move: 100%}}}]}\n"
        "  - {name: q, arrivals: paced, rate: 10/s, mix: [{operation: Query, index: l, items: 4, "
        "consistent_read: true}]}\n",
        1);
    assert_int_equal(rows.totals.throttled_attempts, 0);
    assert_true(consumed(&rows, 1, SECOND_WRITE, 0, END_S) == 600 * (1 + 1) + 600 * (1 + 2));
    assert_true(consumed(&rows, 1, SECOND_READ, 0, END_S) == 600);
    assert_true(consumed(&rows, 2, SECOND_WRITE, 0, END_S) == 0);
    assert_true(consumed(&rows, 2, SECOND_READ, 0, END_S) == 0);
    rows_free(&rows);
}

static void m57_local_indexes_keep_collections_whole(void **state) {
    (void)state;
    struct rows rows = run_table("10m", LOCAL_TABLE(SMALL), WRITES("60/s", ""), 1);
    assert_true(splits_of(&rows, "heat") >= 2);
    EACH_ROW(row, &rows, PARTITION)
    if (row_integer(row, PARTITION_RESOURCE) == 1)
        assert_string_equal(row_text(row, PARTITION_LOW) + 16, "0000000000000000");
    assert_family(&rows);
    rows_free(&rows);
}

static void m31_an_index_is_read_from_its_own_capacity(void **state) {
    (void)state;
    static const struct {
        const char *capacity, *reason;
    } of[] = {{"read_capacity: 50", "IndexReadProvisionedThroughputExceeded"},
              {"read_capacity: 5000", "IndexReadKeyRangeThroughputExceeded"}};
    for (size_t i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "1m",
            fill("read_capacity: 5, write_capacity: 5, " ENTITY ", model: {" SMALL
                 "}, indexes: [{name: i, partition_key: \"I\", partitions: 1, @, write_capacity: "
                 "1, burst: {initial: 0%}}]",
                 of[i].capacity),
            "  - {name: q, arrivals: paced, rate: 600/s, mix: [{operation: Query, index: i}]}\n",
            1);
        double served = consumed(&rows, 2, SECOND_READ, 30, 60) / 30;
        assert_true(i == 0 ? served > 49 && served < 51 : served > 215 && served < 228);
        assert_true(consumed(&rows, 1, SECOND_READ, 0, END_S) == 0);
        assert_true(throttles(&rows, of[i].reason) == (double)rows.totals.throttled_attempts);
        assert_true(rows.totals.throttled_attempts > 1000);
        rows_free(&rows);
    }
}

/* ---- runs that must be alike ---- */

static void assert_same_rows(const struct rows *a, const struct rows *b) {
    assert_int_equal(a->count, b->count);
    for (size_t r = 0; r < a->count; r++) {
        const struct row *x = &a->rows[r], *y = &b->rows[r];
        assert_int_equal(x->table, y->table);
        assert_int_equal(x->count, y->count);
        for (size_t i = 0; i < x->count; i++) {
            assert_int_equal(x->values[i].type, y->values[i].type);
            if (x->values[i].type == DDBSIM_VALUE_TEXT)
                assert_string_equal(row_text(x, i), row_text(y, i));
            else if (x->values[i].type != DDBSIM_VALUE_NULL)
                assert_memory_equal(&x->values[i].as, &y->values[i].as, sizeof x->values[i].as);
        }
    }
}

#define BUSY_TEXT                                                                                 \
    HEAD "duration: 6m\nvalues: {key: {count: 5000}}\ntables:\n  - {name: t, " SLOW_INDEX_TABLE   \
         "}\nworkloads:\n  - {name: w, rate: 460/s, client: {preset: boto3-standard, processes: " \
         "5}, mix: [{operation: UpdateItem, index_effect: {i: {move: 50%}}}]}\n"                  \
         "changes: [{at: +1m, set: {tables.t.write_capacity: 3000}}]\n"

/* Stopped in the middle of a second, of a window, of a split, at a cut-over; and gone on. */
static void a_run_in_pieces(void **state) {
    (void)state;
    const int64_t stops_ns[] = {1,           59999999999,  60000000000,  60000000001,
                                95123456789, 120000000000, 181500000000, 300000000000};
    struct rows whole = rows_run(BUSY_TEXT, 9);
    assert_true(splits_of(&whole, "heat") >= 2 && splits_of(&whole, "capacity") == 56);
    struct rows pieces = {0};
    struct ddbsim_sink sink = {.self = &pieces, .row = rows_take};
    struct ddbsim_run_options options = {.seed = 9, .sink = &sink};
    struct ddbsim_load_options none = {0};
    struct ddbsim_scenario *scenario;
    struct ddbsim_run *run;
    struct ddbsim_error error = {0};
    assert_int_equal(
        ddbsim_scenario_parse(BUSY_TEXT, strlen(BUSY_TEXT), "t", &none, &scenario, &error), 0);
    assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), 0);
    for (size_t i = 0; i < sizeof stops_ns / sizeof stops_ns[0]; i++)
        assert_int_equal(ddbsim_run_advance(run, stops_ns[i], &error), 0);
    assert_int_equal(ddbsim_run_advance(run, scenario->duration_ns, &error), 0);
    assert_int_equal(ddbsim_run_finish(run, &error), 0);
    assert_same_rows(&whole, &pieces);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
    rows_free(&whole);
    rows_free(&pieces);
}

/* Where nothing is hot, it makes no difference whether heat splits. */
static void without_heat_alike(void **state) {
    (void)state;
    const char *switches[] = {"on", "off"};
    struct rows rows[2];
    for (int i = 0; i < 2; i++)
        rows[i] = run_table("5m",
                            fill("read_capacity: 10, write_capacity: 20, partitions: 2, burst: "
                                 "{initial: 1%}, " ENTITY ", model: {heat_split: @}",
                                 switches[i]),
                            "  - {name: w, rate: 60/s, client: {preset: boto3-standard}, mix: "
                            "[{operation: UpdateItem}, {operation: GetItem}]}\n",
                            5);
    assert_true(rows[0].totals.throttled_attempts > 1000);
    assert_same_rows(&rows[0], &rows[1]);
    for (int i = 0; i < 2; i++)
        rows_free(&rows[i]);
}

/* A table without limits shows the demand: nothing of it is hot, large or grows. */
static void without_limits_nothing_splits(void **state) {
    (void)state;
    const char *tables[] = {
        "read_capacity: 1, write_capacity: 50, partitions: 1, ",
        "billing_mode: PAY_PER_REQUEST, ",
    };
    for (int i = 0; i < 2; i++) {
        struct rows rows = run_table(
            "15m",
            fill("throttling: false, @ entities: [{name: e, partition_key: \"K#{uuid}\", count: "
                 "2600, size: 400 KB}], model: {" SMALL ", partition_bytes: 1 GB, "
                 "on_demand_write: 200, on_demand_read: 600}",
                 tables[i]),
            "  - {name: w, rate: 5/s, mix: [{operation: PutItem}]}\n", 1);
        assert_int_equal(rows.totals.throttled_attempts, 0);
        assert_int_equal(event_count(&rows, "split_started", ""), 0);
        assert_int_equal(event_count(&rows, "split_refused", ""), 0);
        assert_int_equal(splits_of(&rows, ""), 0);
        rows_free(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m23_strong_and_eventual_reads),
        cmocka_unit_test(m24_a_full_partition_splits),
        cmocka_unit_test(m24_takes_minutes),
        cmocka_unit_test(m25_a_hot_partition_splits_after_its_window),
        cmocka_unit_test(m25_children_are_left_alone),
        cmocka_unit_test(m25_refusals_of_others_are_no_heat),
        cmocka_unit_test(m26_refused_splits_say_why),
        cmocka_unit_test(m27_duration),
        cmocka_unit_test(m27_one_partition_more_at_a_time),
        cmocka_unit_test(m27_how_many_at_once),
        cmocka_unit_test(m28_children_take_over_at_once),
        cmocka_unit_test(m28_waiting_index_work_drains),
        cmocka_unit_test(m30_the_largest_capacity),
        cmocka_unit_test(m31_an_index_is_read_from_its_own_capacity),
        cmocka_unit_test(m34_burst_is_kept_without_a_split),
        cmocka_unit_test(m36_no_splits_for_heat_then),
        cmocka_unit_test(m36_rules_of_other_years),
        cmocka_unit_test(m26_low_limits_split_too),
        cmocka_unit_test(m41_every_split_has_its_event),
        cmocka_unit_test(m41_every_split_is_told),
        cmocka_unit_test(m41_many_tables_at_once),
        cmocka_unit_test(m41_more_capacity_needs_partitions),
        cmocka_unit_test(m41_shares_are_derived_anew),
        cmocka_unit_test(m42_a_new_table_serves_4000),
        cmocka_unit_test(m43_partitions_follow_growth),
        cmocka_unit_test(m45_maximum_and_quota),
        cmocka_unit_test(m46_a_switch_takes_its_time),
        cmocka_unit_test(m46_four_switches_a_day),
        cmocka_unit_test(m46_a_quicker_change_does_not_overtake),
        cmocka_unit_test(m46_shares_return_with_provisioned_capacity),
        cmocka_unit_test(m46_keeps_what_was_provisioned),
        cmocka_unit_test(m46_remembers_what_it_has_had),
        cmocka_unit_test(m57_local_indexes_keep_collections_whole),
        cmocka_unit_test(m57_the_table_pays_for_local_indexes),
        cmocka_unit_test(a_run_in_pieces),
        cmocka_unit_test(without_heat_alike),
        cmocka_unit_test(without_limits_nothing_splits),
    };
    return cmocka_run_group_tests_name("splits", tests, NULL, NULL);
}
