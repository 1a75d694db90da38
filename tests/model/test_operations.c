/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scans, calls at once, refusals and transactions through whole runs (M-65 to M-69, M-84).
 */
#include <math.h>
#include <support/cmocka.h>
#include <support/run_rows.h>

#define HEAD(values, tables, workloads)                                         \
    "version: 1\nname: t\nduration: 5m\nvalues: {" values "}\ntables:\n" tables \
    "workloads:\n" workloads

static bool near(double value, double wanted, double share) {
    return fabs(value - wanted) <= share * fabs(wanted);
}

/* ---- Scans ---- */

#define BIG                                                                                   \
    "- {name: t, billing_mode: PAY_PER_REQUEST, throttling: false, partitions: 8, entities: " \
    "[{name: e, partition_key: \"K#{k}\", count: 100000, size: 3 KB}]}\n"
#define SCAN(more)                  \
    HEAD("k: {count: 100000}", BIG, \
         "- {name: w, vus: 1, iterations: 1, mix: [{operation: Scan, pages: all" more "}]}\n")

/* 100,000 items of 3 KB are 75,000 blocks of 4 KB: half of that in units eventually, all of it strongly, whatever a
 * filter has left. */
static void m65_a_scan_pays_for_what_is_there(void **state) {
    (void)state;
    struct rows rows = rows_run(SCAN(", returned: 1%"), 1);
    assert_true(near((double)rows.totals.read_half_units / 2, 37500, 0.01));
    assert_true(near(rows_metric(&rows, 1, "ReturnedItemCount", "Scan"), 1000, 0.05));
    uint64_t pages = rows.totals.requests;
    assert_true(pages >= 293 && pages <= 293 + 8);
    rows_free(&rows);
    rows = rows_run(SCAN(", consistent_read: true"), 1);
    assert_true(near((double)rows.totals.read_half_units / 2, 75000, 0.01));
    assert_true(near(rows_metric(&rows, 1, "ReturnedItemCount", "Scan"), 100000, 0.01));
    rows_free(&rows);
    rows = rows_run(HEAD("k: {count: 100000}", BIG,
                         "- {name: w, vus: 1, iterations: 1, mix: [{operation: Scan}]}\n"),
                    1);
    assert_int_equal(rows.totals.requests, 1); /* one page of 1 MB */
    assert_true(rows.totals.read_half_units >= 256 && rows.totals.read_half_units <= 258);
    rows_free(&rows);
}

/* Segments read the same, at once: eight of them take an eighth of the time. */
static void m65_segments_share_the_table(void **state) {
    (void)state;
    struct rows one = rows_run(SCAN(""), 1), eight = rows_run(SCAN(", total_segments: 8"), 1);
    double s = rows_outcome(&one, "finished_at", "w");
    assert_true(
        near((double)eight.totals.read_half_units, (double)one.totals.read_half_units, 0.01));
    assert_true(near(rows_outcome(&eight, "finished_at", "w"), s / 8, 0.25));
    assert_true(near(rows_outcome(&eight, "arrival_p50", "w"),
                     1000 * rows_outcome(&eight, "finished_at", "w"), 0.05));
    rows_free(&one);
    rows_free(&eight);
}

/* Page after page a Scan walks through the partitions: at any time one of them has all of it. */
static void m65_pages_meet_one_partition_after_the_other(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 20000}",
             "- {name: t, read_capacity: 30000, write_capacity: 1, partitions: 10, entities: "
             "[{name: e, partition_key: \"K#{k}\", count: 20000, size: 200 KB}]}\n",
             "- {name: w, vus: 1, iterations: 1, client: {max_attempts: 1000000, backoff: "
             "{throttling_base: 2ms, max_backoff: 2ms}}, mix: [{operation: Scan, pages: all, "
             "consistent_read: true}]}\n"),
        1);
    /* 3.8 GB are 1,000,000 units: a hundred thousand a partition, each at no more than 3,000 a second, after the
     * nine thousand that its bucket holds. */
    assert_true(rows_metric(&rows, 1, "ReadKeyRangeThroughputThrottleEvents", "") > 1000);
    assert_true(rows_metric(&rows, 1, "ReadProvisionedThroughputThrottleEvents", "") == 0);
    double units = (double)rows.totals.read_half_units / 2;
    assert_true(near(units, 3000 * 300 + 10 * 9000, 0.01));
    rows_free(&rows);
}

/* ---- calls at once ---- */

#define STEPS(more)                                                                               \
    HEAD("k: {count: 100}",                                                                       \
         "- {name: t, read_capacity: 1000, write_capacity: 1000, entities: "                      \
         "[{name: e, partition_key: \"K#{k}\", count: 100, size: 1 KB}]}\n",                      \
         "- {name: w, rate: 20/s" more ", sequence: [{operation: GetItem}, {name: b, operation: " \
         "PutItem, times: 3}]}\n")

/* A GetItem and three PutItems: one after the other they add up, at once the last of them counts. */
static void m66_latencies_add_up_or_the_last_counts(void **state) {
    (void)state;
    struct rows after = rows_run(STEPS(""), 1), once = rows_run(STEPS(", parallel: true"), 1);
    assert_int_equal(after.totals.requests, once.totals.requests);
    assert_int_equal(after.totals.write_half_units, once.totals.write_half_units);
    double sum = rows_outcome(&after, "arrival_p50", "w"),
           last = rows_outcome(&once, "arrival_p50", "w");
    assert_true(near(sum, 2.25 + 3 * 3.75, 0.1));
    assert_true(last > 3.75 && last < 4.4);
    assert_true(rows_outcome(&once, "first_page_p50", "w") == -1);
    rows_free(&after);
    rows_free(&once);
}

/* A Query of ten suffixes of 3,000 items of 1 KB each, `parallel` at once. */
static struct rows run_shards(int parallel) {
    char text[2048];
    snprintf(text, sizeof text,
             HEAD("k: {count: 10}",
                  "- {name: t, billing_mode: PAY_PER_REQUEST, throttling: false, partitions: 8, "
                  "entities: [{name: e, partition_key: \"K#{k}.{shard}\", sort_key: \"{n}\", "
                  "shards: {count: 10, by: random}, count: 300000, size: 1 KB}]}\n",
                  "- {name: w, rate: 1/s, arrivals: paced, mix: [{operation: Query, items: 3000, "
                  "pages: all, shards: all, parallel: %d}]}\n"),
             parallel);
    return rows_run(text, 1);
}

/* Ten shards of three pages: 30 calls. With ten workers the first sorted page is there after one page of the slowest,
 * the whole after three; with two workers, after five times as long. */
static void m66_shards_are_asked_and_merged(void **state) {
    (void)state;
    struct rows ten = run_shards(10), two = run_shards(2), one = run_shards(1);
    assert_true(ten.totals.requests >= 30 * 299 && ten.totals.requests <= 30 * 300);
    assert_int_equal(ten.totals.read_half_units, two.totals.read_half_units);
    double first = rows_outcome(&ten, "first_page_p50", "w"),
           whole = rows_outcome(&ten, "arrival_p50", "w");
    /* A page of 1 MB takes 17.6 ms; the slowest of ten half as much again. */
    assert_true(first > 20 && first < 40);
    assert_true(whole > 55 && whole < 90);
    double slow = rows_outcome(&two, "arrival_p50", "w");
    assert_true(slow > 4 * 55 && slow < 6 * 60);
    /* The last shard's first page comes when the others are nearly done. */
    assert_true(rows_outcome(&two, "first_page_p50", "w") > 0.8 * slow);
    /* One after the other is the same calls. */
    assert_true(near((double)one.totals.requests, (double)ten.totals.requests, 0.01));
    assert_true(near((double)one.totals.read_half_units, (double)ten.totals.read_half_units, 0.01));
    assert_true(rows_outcome(&one, "arrival_p50", "w") > 1.7 * slow);
    /* The shards lie apart: they are in several partitions. */
    double ids = 0;
    for (size_t r = 0; r < ten.count; r++)
        if (ten.rows[r].table == DDBSIM_LOG_PARTITION_SAMPLE && row_number(&ten.rows[r], 1) == 0)
            ids++;
    assert_true(ids >= 6);
    rows_free(&ten);
    rows_free(&two);
    rows_free(&one);
}

/* 50,000 items of 3 KB that a filter throws away are paid: 37,500 units strongly, half of that eventually, in 147 pages of
 * 342 items. */
static void m03_a_filter_over_50000_items(void **state) {
    (void)state;
    static const char *const consistency[] = {"true", "false"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD("k: {count: 1}",
                      "- {name: t, billing_mode: PAY_PER_REQUEST, throttling: false, entities: "
                      "[{name: e, partition_key: \"K#{k}\", sort_key: \"{n}\", count: 50000, size: "
                      "3 KB}]}\n",
                      "- {name: w, vus: 1, iterations: 1, mix: [{operation: Query, items: 50000, "
                      "pages: all, returned: 1%%, consistent_read: %s}]}\n"),
                 consistency[i]);
        struct rows rows = rows_run(text, 1);
        assert_int_equal(rows.totals.requests, 147);
        assert_true(near((double)rows.totals.read_half_units / 2, i == 0 ? 37500 : 18750, 0.005));
        assert_true(near(rows_metric(&rows, 1, "ReturnedItemCount", "Query"), 500, 0.02));
        rows_free(&rows);
    }
}

/* ---- what AWS refuses ---- */

#define SHOP                                                                                  \
    "- {name: t, read_capacity: 1000, write_capacity: 1000, entities: [{name: e, "            \
    "partition_key: \"K#{k}\", count: 100, size: 2 KB}], indexes: [{name: g, partition_key: " \
    "\"G#{k}\", read_capacity: 100, write_capacity: 1000}]}\n"

/* A failed 2 KB write costs 2 W, leaves the index alone, and is no failure of its caller. */
static void m67_a_condition_fails_and_is_paid(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD("k: {count: 100}", SHOP,
                      "- {name: w, rate: 20/s, arrivals: paced, client: {preset: boto3-standard}, "
                      "mix: [{operation: UpdateItem, condition_fails: 25%}]}\n"),
                 1);
    double failed = rows_metric(&rows, 1, "ConditionalCheckFailedRequests", "");
    assert_true(failed > 1350 && failed < 1650);
    assert_int_equal(rows.totals.requests, 6000);
    assert_int_equal(rows.totals.attempts, 6000);
    assert_int_equal(rows.totals.succeeded, 6000);
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 12000);
    double index = rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "");
    assert_true(index <= 2 * (6000 - failed) && index > 2 * (6000 - failed) - 20);
    assert_true(rows_metric(&rows, 1, "UserErrors", "") == 0);
    assert_true(rows_outcome(&rows, "conditions_failed", "") == failed);
    rows_free(&rows);
}

/* It writes nothing: no record in the stream, nothing for the other Region, no new moment for TTL, and DAX has the item
 * from no such answer. */
static void m67_a_condition_that_fails_leaves_no_trace(void **state) {
    (void)state;
    static const char *const shares[] = {"0%", "100%"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            HEAD("k: {count: 100}",
                 "- {name: t, read_capacity: 1000, write_capacity: 1000, stream: KEYS_ONLY, "
                 "replicas: [us-east-1], entities: [{name: e, partition_key: \"K#{k}\", "
                 "count: 100, size: 1 KB, ttl: {after: 1h}}]}\n",
                 "- {name: w, table: t, rate: 20/s, arrivals: paced, mix: [{operation: UpdateItem, "
                 "renews_ttl: true, condition_fails: %s}]}\n"
                 "- {name: reader, stream_of: t, table: t, mix: [{operation: GetItem}]}\n"),
            shares[i]);
        struct rows rows = rows_run(text, 1);
        assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") >= 6000);
        double replicated = rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "");
        double read = rows_metric(&rows, 1, "ConsumedReadCapacityUnits", "");
        assert_true(i == 0 ? replicated > 5000 && read > 2500 : replicated == 0 && read == 0);
        rows_free(&rows);
    }
}

/* A stream's record asks for a whole transaction, however many came with it. */
static void m68_a_record_brings_a_whole_transaction(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1000}",
             "- {name: t, read_capacity: 1000, write_capacity: 1000, stream: KEYS_ONLY, entities: "
             "[{name: e, partition_key: \"K#{k}\", count: 1000, size: 1 KB}]}\n"
             "- {name: b, read_capacity: 1000, write_capacity: 1000, entities: [{name: f, "
             "partition_key: \"F#{k}\", count: 1000, size: 1 KB}]}\n",
             "- {name: w, table: t, rate: 5/s, arrivals: paced, mix: [{operation: UpdateItem}]}\n"
             "- {name: r, stream_of: t, table: b, mix: [{operation: TransactWriteItems, actions: "
             "[{times: 3}]}]}\n"),
        1);
    double units = rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "");
    assert_true(units > 0.95 * 6 * 1500 && units <= 6 * 1500); /* three actions of 2 units each */
    rows_free(&rows);
}

/* One member or action with an empty key, and AWS refuses all of the call. */
static void m67_an_empty_key_spoils_the_call(void **state) {
    (void)state;
    static const char *const calls[] = {
        "{operation: BatchWriteItem, entity: e, batch_size: 5}",
        "{operation: BatchGetItem, entity: e, batch_size: 5}",
        "{operation: TransactWriteItems, actions: [{entity: e}, {entity: f}]}"};
    static const double served[] = {0.32768, 0.32768,
                                    0.8}; /* 0.8^5; the actions share their value */
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD("k: {list: {\"\": 20%%, a: 80%%}}",
                      "- {name: t, read_capacity: 1000, write_capacity: 1000, entities: [{name: e, "
                      "partition_key: \"{k}\", count: 2, size: 1 KB}, {name: f, partition_key: "
                      "\"F#{k}\", count: 2, size: 1 KB}]}\n",
                      "- {name: w, rate: 10/s, arrivals: paced, mix: [%s]}\n"),
                 calls[i]);
        struct rows rows = rows_run(text, 1);
        double errors = rows_metric(&rows, 2, "UserErrors", "");
        assert_true(near(3000 - errors, 3000 * served[i], 0.1));
        assert_int_equal(rows.totals.succeeded, 3000 - (uint64_t)errors);
        assert_int_equal(rows.totals.failed, (uint64_t)errors);
        rows_free(&rows);
    }
}

/* What is in flight when a change makes one call of several goes on to its end. */
static void m66_a_change_lets_what_is_in_flight_end(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 10}",
             "- {name: t, billing_mode: PAY_PER_REQUEST, throttling: false, entities: [{name: e, "
             "partition_key: \"K#{k}.{shard}\", sort_key: \"{n}\", shards: {count: 8, by: random}, "
             "count: 8000, size: 1 KB}]}\n",
             "- {name: w, vus: 3, mix: [{operation: Query, items: 1000, pages: all, shards: all, "
             "parallel: 4}]}\n"
             "changes: [{at: +2m, set: {workloads.w.mix.Query.shards: 1}}]\n"),
        1);
    assert_true(rows.totals.requests > 1000);
    assert_true(rows.totals.requests - rows.totals.succeeded - rows.totals.failed <= 3 * 4);
    assert_true(rows_outcome(&rows, "arrival_p50", "w") > 0);
    double late = 0; /* three callers still come, a call each at a time */
    for (size_t r = 0; r < rows.count; r++)
        if (rows.rows[r].table == DDBSIM_LOG_WORKLOAD_SECOND && row_number(&rows.rows[r], 1) > 290)
            late += row_number(&rows.rows[r], 3);
    assert_true(late > 300);
    rows_free(&rows);
}

/* Free, counted for the account, never tried again. Resource 3 is the account. */
static void m67_what_is_invalid_is_free(void **state) {
    (void)state;
    static const char *const operations[] = {
        "{operation: UpdateItem, invalid: 100%}",
        "{operation: Query, index: g, consistent_read: true}",
        "{operation: BatchWriteItem, batch_size: 26}",
        "{operation: BatchGetItem, batch_size: 101}",
        "{operation: TransactWriteItems, actions: [{times: 101}]}",
    };
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD("k: {count: 100}", SHOP,
                      "- {name: w, rate: 10/s, arrivals: paced, client: {preset: "
                      "boto3-standard}, mix: [%s]}\n"),
                 operations[i]);
        struct rows rows = rows_run(text, 1);
        assert_true(rows_metric(&rows, 3, "UserErrors", "") == 3000);
        assert_int_equal(rows.totals.attempts, 3000);
        assert_int_equal(rows.totals.failed, 3000);
        assert_int_equal(rows.totals.throttled_attempts, 0);
        assert_int_equal(rows.totals.read_half_units + rows.totals.write_half_units, 0);
        assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 0);
        rows_free(&rows);
    }
}

static void m67_an_empty_key_is_invalid(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD("k: {list: {\"\": 20%, a: 80%}}",
                      "- {name: t, read_capacity: 1000, write_capacity: 1000, entities: [{name: e, "
                      "partition_key: \"{k}\", count: 2, size: 1 KB}]}\n",
                      "- {name: w, rate: 10/s, arrivals: paced, mix: [{operation: GetItem}]}\n"),
                 1);
    double errors = rows_metric(&rows, 2, "UserErrors", "");
    assert_true(errors > 500 && errors < 700);
    assert_int_equal(rows.totals.succeeded, 3000 - (uint64_t)errors);
    rows_free(&rows);
}

/* One item, 1 KB, and 4 KB more each time: 99 updates reach 397 KB; each next one would be larger than 400 KB. The
 * n-th update costs 1 + 4 n. */
static void m67_an_item_grows_to_its_limit(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1}",
             "- {name: t, read_capacity: 1000, write_capacity: 1000, throttling: false, entities: "
             "[{name: e, partition_key: \"K\", count: 1, size: 1 KB}]}\n",
             "- {name: w, vus: 1, iterations: 150, mix: [{operation: UpdateItem, grows: 4 KB}]}\n"
             "- {name: r, start_time: +2m, vus: 1, iterations: 1, mix: [{operation: GetItem, "
             "consistent_read: true}]}\n"),
        1);
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 99 + 4 * (99 * 100 / 2));
    assert_true(rows_metric(&rows, 2, "UserErrors", "") == 51);
    assert_true(rows_metric(&rows, 1, "ConsumedReadCapacityUnits", "") == 100); /* 397 KB */
    rows_free(&rows);
}

/* Units of a resource in one second. */
static double units_at(const struct rows *rows, int resource, size_t column, size_t second) {
    for (size_t r = 0; r < rows->count; r++)
        if (rows->rows[r].table == DDBSIM_LOG_SECOND && row_number(&rows->rows[r], 0) == resource &&
            row_number(&rows->rows[r], 1) == (double)second)
            return row_number(&rows->rows[r], column);
    return 0;
}

/* What is done in one second, and what it takes of the table and of an index of whole items. */
struct second {
    const char *operation;
    double read, write, index_read, index_write;
};

static void seconds_take(const char *values, const char *table, const struct second *seconds,
                         size_t count) {
    enum { READ = 3, WRITE = 4 };
    static char text[8192];
    int used = snprintf(text, sizeof text,
                        "version: 1\nname: t\nduration: 5m\nvalues: {%s}\ntables:\n%sworkloads:\n",
                        values, table);
    for (size_t i = 0; i < count; i++)
        used +=
            snprintf(text + used, sizeof text - (size_t)used,
                     "- {name: w%zu, start_time: +%zus, iterations: 1, mix: [{operation: %s}]}\n",
                     i, i, seconds[i].operation);
    struct rows rows = rows_run(text, 1);
    for (size_t i = 0; i < count; i++) {
        double read = units_at(&rows, 1, READ, i), write = units_at(&rows, 1, WRITE, i),
               index_read = units_at(&rows, 2, READ, i), index_write = units_at(&rows, 2, WRITE, i);
        if (read != seconds[i].read || write != seconds[i].write ||
            index_read != seconds[i].index_read || index_write != seconds[i].index_write)
            fail_msg("%zu, %s: %g R, %g W; index %g R, %g W", i, seconds[i].operation, read, write,
                     index_read, index_write);
    }
    rows_free(&rows);
}

/* Each kind of operation, one after the other, pays for what the item has come to; an entry of a whole item too. */
static void m67_everybody_pays_for_the_real_size(void **state) {
    (void)state;
    static const char table[] =
        "- {name: t, read_capacity: 1000, write_capacity: 1000, throttling: false, entities: "
        "[{name: e, partition_key: \"K\", sort_key: \"S\", count: 1, size: 1 KB}], indexes: "
        "[{name: g, partition_key: \"G\", read_capacity: 9, write_capacity: 9}]}\n";
    static const struct second seconds[] = {
        {"UpdateItem, grows: 4 KB", 0, 5, 0, 5},
        {"UpdateItem, grows: 8 KB", 0, 13, 0, 13},
        {"GetItem, consistent_read: true", 4, 0, 0, 0},
        {"Query, consistent_read: true", 4, 0, 0, 0},
        {"Query, index: g", 0, 0, 2, 0},
        {"BatchGetItem, batch_size: 3, consistent_read: true", 4, 0, 0, 0},
        {"TransactGetItems, actions: [{}]", 8, 0, 0, 0},
        {"Scan, consistent_read: true", 4, 0, 0, 0},
        {"DeleteItem", 0, 13, 0, 13},
        {"GetItem, consistent_read: true", 1, 0, 0, 0},
        {"Query, index: g", 0, 0, 0.5, 0},
        {"Scan, consistent_read: true", 1, 0, 0, 0},
        {"DeleteItem", 0, 1, 0, 0}, /* no entry is there either */
        {"PutItem, size: 2 KB", 0, 2, 0, 2},
        {"UpdateItem, grows: 4 KB", 0, 6, 0, 6},
        {"BatchWriteItem, batch_size: 4, size: 3 KB", 0, 6, 0, 6},
        {"TransactWriteItems, actions: [{operation: PutItem, size: 7 KB}]", 0, 14, 0, 7},
        {"TransactWriteItems, actions: [{operation: ConditionCheck}]", 0, 14, 0, 0},
        {"UpdateItem, grows: 9 KB, condition_fails: 100%", 0, 7, 0, 0},
        {"UpdateItem, grows: 399 KB", 0, 0, 0, 0}, /* refused */
        {"GetItem, consistent_read: true", 2, 0, 0, 0},
        {"Scan, consistent_read: true", 2, 0, 0, 0},
    };
    seconds_take("k: {count: 1}", table, seconds, sizeof seconds / sizeof *seconds);
}

/* Ten reads of an item that grows to 150 KB: seven of them are a page, and the whole is two. */
static void m67_pages_follow_what_items_have_come_to(void **state) {
    (void)state;
    static const char table[] =
        "- {name: t, read_capacity: 9999, write_capacity: 9999, throttling: false, entities: "
        "[{name: e, partition_key: \"K\", sort_key: \"S\", count: 1, size: 1 KB}]}\n";
    static const struct second seconds[] = {
        {"Query, items: 10, consistent_read: true", 3, 0, 0, 0},
        {"Query, items: 10, pages: all, consistent_read: true", 3, 0, 0, 0},
        {"UpdateItem, grows: 149 KB", 0, 150, 0, 0},
        {"Query, items: 10, pages: all, consistent_read: true", 263 + 113, 0, 0, 0},
        {"Query, items: 10, consistent_read: true", 263, 0, 0, 0},
        {"Query, items: 10, pages: all", 131.5 + 56.5, 0, 0, 0},
    };
    seconds_take("k: {count: 1}", table, seconds, sizeof seconds / sizeof *seconds);
}

/* Updates, deletes and puts that wait for each other and for capacity: what callers know of the items, which a Query
 * reads, is what the table holds, which a Scan reads. */
static void m67_sizes_and_the_table_agree(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct rows rows = rows_run(
            "version: 1\nname: t\nduration: 20m\nvalues: {s: {count: 60}}\ntables:\n"
            "- {name: t, read_capacity: 1000, write_capacity: 400, burst: {initial: 0%}, entities: "
            "[{name: e, partition_key: \"K\", sort_key: \"S#{s}\", count: 60, size: 3 KB}]}\n"
            "workloads:\n- {name: w, rate: 60/s, end_time: +10m, client: {preset: "
            "boto3-standard, batch_unprocessed: {strategy: exponential}}, mix: [\n"
            "  {operation: UpdateItem, grows: 2 KB, weight: 12, condition_fails: 10%},\n"
            "  {operation: DeleteItem, weight: 1}, {operation: PutItem, weight: 1, size: 5 KB},\n"
            "  {operation: TransactWriteItems, weight: 1, actions: [{times: 2}, {operation: "
            "DeleteItem}]},\n  {operation: BatchWriteItem, weight: 1, batch_size: 20}]}\n"
            "- {name: query, start_time: +1000s, iterations: 1, mix: [{operation: Query, items: "
            "60, pages: all, consistent_read: true}]}\n"
            "- {name: scan, start_time: +1100s, iterations: 1, mix: [{operation: Scan, pages: all, "
            "consistent_read: true}]}\n",
            seed);
        double query = 0, scan = 0;
        for (size_t i = 0; i < 100; i++) {
            query += units_at(&rows, 1, 3, 1000 + i);
            scan += units_at(&rows, 1, 3, 1100 + i);
        }
        assert_true(rows.totals.throttled_attempts > 1000);
        if (query < 50 || query > scan + 1 || query < scan - 1)
            fail_msg("callers know %g R, the table holds %g R", query, scan);
        rows_free(&rows);
    }
}

/* ---- transactions ---- */

#define TWO(write, more)                                                                          \
    "- {name: t, read_capacity: 1000, write_capacity: 1000, throttling: true, entities: "         \
    "[{name: e, partition_key: \"K#{k}\", count: 1000, size: 500 B}]}\n"                          \
    "- {name: u, read_capacity: 1000, write_capacity: " write ", burst: {window: 1s}, entities: " \
    "[{name: f, partition_key: \"F#{k}\", count: 1000, size: 500 B}]" more "}\n"

/* Three 500-byte items once a second need 6 W (AWS's example); two reads of 500 B need 4 R. */
static void m68_members_cost_twice(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1000}", TWO("100", ""),
             "- {name: w, table: t, rate: 1/s, arrivals: paced, mix: [{operation: "
             "TransactWriteItems, actions: [{times: 2}, {table: u, operation: ConditionCheck}]}]}\n"
             "- {name: r, table: t, rate: 1/s, arrivals: paced, mix: [{operation: "
             "TransactGetItems, actions: [{}, {table: u}]}]}\n"),
        3);
    assert_int_equal(rows.totals.requests, 600);
    double repeats = rows_outcome(&rows, "user_errors", ""); /* both draws named one item */
    assert_true(repeats < 5);
    assert_true((double)rows.totals.write_half_units == 2 * 6 * (300 - repeats));
    /* A read of an item that is being written is cancelled, at half the cost. */
    double met = rows_outcome(&rows, "cancelled_conflict", "");
    assert_true(met < 5);
    assert_true((double)rows.totals.read_half_units == 2 * (4 * (300 - met) + 2 * met));
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 4 * (300 - repeats));
    assert_true(rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "") == 2 * (300 - repeats));
    rows_free(&rows);
}

/* One of two tables is short: nothing is written in the other either, and the SDK does not try again. */
static void m68_all_or_nothing(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1000}", TWO("4", ""),
             "- {name: w, table: t, rate: 10/s, arrivals: paced, client: {preset: "
             "boto3-standard}, mix: [{operation: TransactWriteItems, actions: [{}, {table: "
             "u}]}]}\n"),
        1);
    double served = (double)rows.totals.succeeded;
    assert_true(near(served, 600, 0.02)); /* 4 W/s are two transactions a second */
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 2 * served);
    assert_true(rows_metric(&rows, 2, "ConsumedWriteCapacityUnits", "") == 2 * served);
    assert_true(rows_metric(&rows, 1, "WriteThrottleEvents", "") == 0);
    assert_true(rows_metric(&rows, 2, "WriteThrottleEvents", "") == 3000 - served);
    assert_true(rows_metric(&rows, 2, "ThrottledRequests", "TransactWriteItems") == 3000 - served);
    assert_true(rows_outcome(&rows, "cancelled_throttled", "") == 3000 - served);
    assert_int_equal(rows.totals.attempts, 3000);
    assert_true(rows_sum(&rows, DDBSIM_LOG_THROTTLE, 7, 0, NULL) == 3000 - served);
    rows_free(&rows);
}

/* The back-pressure of one member's index cancels all. */
static void m68_an_index_cancels_too(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1000}",
             TWO("1000", ", indexes: [{name: g, partition_key: \"G#{k}\", read_capacity: 1, "
                         "write_capacity: 2, backpressure: {preset: textbook, buffer: 10}, burst: "
                         "{window: 1s}}]"),
             "- {name: w, table: t, rate: 10/s, arrivals: paced, mix: [{operation: "
             "TransactWriteItems, actions: [{}, {table: u}]}]}\n"),
        1);
    double served = (double)rows.totals.succeeded;
    assert_true(near(served, 610, 0.03)); /* the index drains 2 writes a second, not doubled */
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") == 2 * served);
    assert_true(rows_metric(&rows, 3, "WriteThrottleEvents", "") == 3000 - served);
    rows_free(&rows);
}

/* A condition inside: nothing is written, and by default all is paid. */
static void m68_a_condition_cancels(void **state) {
    (void)state;
    static const double costs[] = {4, 1};
    static const char *const models[] = {"", "model: {condition_cost: 50%}\n"};
    for (int i = 0; i < 2; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "%s" HEAD("k: {count: 1000}", TWO("1000", ""),
                           "- {name: w, table: t, rate: 10/s, arrivals: paced, mix: [{operation: "
                           "TransactWriteItems, actions: [{}, {table: u, operation: "
                           "ConditionCheck, condition_fails: 100%%}]}]}\n"),
                 models[i]);
        struct rows rows = rows_run(text, 1);
        assert_int_equal(rows.totals.failed, 3000);
        assert_true(rows_outcome(&rows, "cancelled_condition", "") == 3000);
        assert_true(rows_metric(&rows, 2, "ConditionalCheckFailedRequests", "") == 3000);
        assert_true((double)rows.totals.write_half_units / 2 == costs[i] * 3000);
        rows_free(&rows);
    }
}

/* One item: a transaction of 8 ms meets writes that come each 2 ms, and the other way round nothing is hurt. */
static void m69_a_running_transaction_refuses_others(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1}", TWO("1000", ""),
             "- {name: w, table: t, rate: 10/s, arrivals: paced, mix: [{operation: "
             "TransactWriteItems, actions: [{}, {table: u}]}]}\n"
             "- {name: x, table: t, rate: 100/s, arrivals: paced, mix: [{operation: PutItem}]}\n"
             "- {name: y, table: t, rate: 100/s, arrivals: paced, mix: [{operation: GetItem}]}\n"),
        1);
    double conflicts = rows_metric(&rows, 1, "TransactionConflict", "");
    assert_true(conflicts > 2000 &&
                conflicts < 4500); /* most are 7 to 8 ms long; writes come each 10 */
    assert_true(rows_outcome(&rows, "conflicts", "") == conflicts);
    assert_int_equal(rows.totals.failed, (uint64_t)conflicts);
    /* A refused write is free. */
    assert_true(rows_metric(&rows, 1, "ConsumedWriteCapacityUnits", "") ==
                2 * 3000 + (30000 - conflicts));
    rows_free(&rows);
}

/* Batches of the item that a transaction holds come back unprocessed, all of them: their callers have an answer, send
 * again, and lose nothing; none of it is a throttle. */
static void m69_members_that_conflict_come_back(void **state) {
    (void)state;
    struct rows rows = rows_run(
        HEAD("k: {count: 1}", TWO("1000", ""),
             "- {name: w, table: t, rate: 50/s, end_time: +4m, arrivals: paced, mix: [{operation: "
             "TransactWriteItems, actions: [{}, {table: u}]}]}\n"
             "- {name: x, table: t, rate: 10/s, end_time: +4m, arrivals: paced, client: "
             "{batch_unprocessed: {strategy: immediate, max_retries: 50}}, mix: [{operation: "
             "BatchWriteItem, batch_size: 3}]}\n"),
        1);
    double conflicts = rows_metric(&rows, 1, "TransactionConflict", "");
    double cancelled = rows_outcome(&rows, "cancelled_conflict", "");
    assert_true(rows_outcome(&rows, "conflicts", "") == conflicts - cancelled);
    assert_true(rows_outcome(&rows, "conflicts", "") > 500);
    assert_true(rows_outcome(&rows, "lost_members", "") == 0);
    assert_true(rows_outcome(&rows, "throttled_members", "") == 0);
    assert_true(rows_metric(&rows, 1, "ThrottledRequests", "BatchWriteItem") == 0);
    assert_int_equal(rows.totals.failed, (uint64_t)cancelled);
    rows_free(&rows);
}

/* Actions find other items than the ones that their transaction names: what it inserts among them, or of five. */
static void m68_no_action_names_what_another_does(void **state) {
    (void)state;
    static const char *const actions[] = {
        ("{operation: PutItem, entity: e}, {entity: e}, {operation: ConditionCheck, entity: e, "
         "times: 2}"),
        "{operation: UpdateItem, entity: f, times: 5}",
        "{operation: PutItem, entity: g, times: 9}"};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            HEAD("o: {new: true, start: 3, distribution: latest}, k: {count: 5}",
                 "- {name: t, read_capacity: 9000, write_capacity: 9000, entities: [\n"
                 "  {name: e, partition_key: \"O#{o}\", sort_key: \"S\", count: 3, size: 500 B},\n"
                 "  {name: f, partition_key: \"F#{k}\", sort_key: \"S\", count: 5, size: 500 B},\n"
                 "  {name: g, partition_key: \"G#{k}\", sort_key: \"{time}\", size: 500 B}]}\n",
                 "- {name: w, table: t, vus: 1, iterations: 500, mix: [{operation: "
                 "TransactWriteItems, actions: [%s]}]}\n"),
            actions[i]);
        struct rows rows = rows_run(text, 1);
        assert_int_equal(rows.totals.requests, 500);
        if (rows.totals.failed) fail_msg("%d: %d failed", i, (int)rows.totals.failed);
        assert_true(rows_metric(&rows, 2, "UserErrors", "") <= 0);
        assert_int_equal(rows.totals.failed, 0);
        rows_free(&rows);
    }
}

/* Transactions on one item cancel each other and pay what was done. */
static void m69_transactions_cancel_each_other(void **state) {
    (void)state;
    struct rows rows =
        rows_run(HEAD("k: {count: 1}", TWO("1000", ""),
                      "- {name: w, table: t, rate: 100/s, arrivals: paced, mix: [{operation: "
                      "TransactWriteItems, actions: [{}, {table: u}]}]}\n"
                      "- {name: v, table: t, rate: 100/s, arrivals: paced, mix: [{operation: "
                      "TransactWriteItems, actions: [{}, {table: u}]}]}\n"),
                 1);
    double cancelled = rows_outcome(&rows, "cancelled_conflict", "");
    assert_int_equal(rows.totals.requests, 60000);
    assert_true(cancelled > 25000 && cancelled < 45000);
    assert_int_equal(rows.totals.failed, (uint64_t)cancelled);
    /* 4 W for each that was served, 2 for each that was cancelled. */
    assert_true((double)rows.totals.write_half_units / 2 ==
                4 * (60000 - cancelled) + 2 * cancelled);
    assert_true(rows_metric(&rows, 1, "TransactionConflict", "") == cancelled);
    assert_true(rows_metric(&rows, 2, "TransactionConflict", "") == cancelled);
    rows_free(&rows);
}

/* Means of 100 writes of 370 B and of 10 KB: 90 and 124 ms (measured). */
static void m84_transactions_take_as_long_as_measured(void **state) {
    (void)state;
    static const char *const sizes[] = {"370 B, times: 100", "10 KB, times: 100",
                                        "50 KB, times: 81"};
    static const double means[] = {90, 124, 192};
    for (int i = 0; i < 3; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD("k: {count: 1000000, distribution: sequential}",
                      "- {name: t, read_capacity: 1000, write_capacity: 1000, throttling: false, "
                      "entities: [{name: e, partition_key: \"K#{k}\", count: 1000000, size: 1 "
                      "KB}]}\n",
                      "- {name: w, rate: 10/s, arrivals: paced, mix: [{operation: "
                      "TransactWriteItems, actions: [{size: %s}]}]}\n"),
                 sizes[i]);
        struct rows rows = rows_run(text, 1);
        double ms = rows_metric(&rows, 1, "SuccessfulRequestLatency", "TransactWriteItems");
        double count = (double)rows.totals.succeeded;
        assert_true(count > 2950);                        /* a few meet the one before */
        assert_true(near(ms / count + 1, means[i], 0.1)); /* 1 ms is the caller's share */
        rows_free(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m65_a_scan_pays_for_what_is_there),
        cmocka_unit_test(m65_segments_share_the_table),
        cmocka_unit_test(m65_pages_meet_one_partition_after_the_other),
        cmocka_unit_test(m66_latencies_add_up_or_the_last_counts),
        cmocka_unit_test(m66_shards_are_asked_and_merged),
        cmocka_unit_test(m03_a_filter_over_50000_items),
        cmocka_unit_test(m67_a_condition_fails_and_is_paid),
        cmocka_unit_test(m66_a_change_lets_what_is_in_flight_end),
        cmocka_unit_test(m67_a_condition_that_fails_leaves_no_trace),
        cmocka_unit_test(m67_an_empty_key_spoils_the_call),
        cmocka_unit_test(m67_what_is_invalid_is_free),
        cmocka_unit_test(m67_an_empty_key_is_invalid),
        cmocka_unit_test(m67_an_item_grows_to_its_limit),
        cmocka_unit_test(m67_everybody_pays_for_the_real_size),
        cmocka_unit_test(m67_pages_follow_what_items_have_come_to),
        cmocka_unit_test(m67_sizes_and_the_table_agree),
        cmocka_unit_test(m68_members_cost_twice),
        cmocka_unit_test(m68_a_record_brings_a_whole_transaction),
        cmocka_unit_test(m68_all_or_nothing),
        cmocka_unit_test(m68_an_index_cancels_too),
        cmocka_unit_test(m68_a_condition_cancels),
        cmocka_unit_test(m69_a_running_transaction_refuses_others),
        cmocka_unit_test(m69_transactions_cancel_each_other),
        cmocka_unit_test(m69_members_that_conflict_come_back),
        cmocka_unit_test(m68_no_action_names_what_another_does),
        cmocka_unit_test(m84_transactions_take_as_long_as_measured),
    };
    return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
