/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The diagnosis against databases whose true demand and cause are known: the cause named, the
 * numbers stated, and the values in the proposed commands.
 */
#include "synthetic.h"

#include <jansson.h>
#include <plots/diagnosis.h>
#include <string.h>

#define INDEX_WRITE "IndexWriteProvisionedThroughputExceeded"
#define TABLE_WRITE "TableWriteProvisionedThroughputExceeded"

/* The Friday incident: items grow from 3 to 11 KB at 17:30, the load steps at 18:00, the index is
 * short from 18:20 until 18:50. 61 % of the writes move the index key. */
static const struct synthetic friday = {.table = "carts",
                                        .index = "by-state",
                                        .workload = "shop",
                                        .reason = INDEX_WRITE,
                                        .duration_s = 7200,
                                        .load_s = 3600,
                                        .change_s = 1800,
                                        .refused_s = 4800,
                                        .refused_to_s = 6600,
                                        .refused_resource = 2,
                                        .load_before = 5,
                                        .load_after = 19.33,
                                        .item_before = 3,
                                        .item_after = 11,
                                        .ratio = 1.61,
                                        .accepted_per_s = 5.65,
                                        .table_capacity = 120,
                                        .index_capacity = 100};

static void put_settings(sqlite3 *database, const char *table, const char *index,
                         const char *workload, const char *preset) {
    synthetic_do(database,
                 "INSERT INTO setting VALUES(1, 'tables.%s.write_capacity', '120'),"
                 " (1, 'tables.%s.entities.cart.size', '3 KB'),"
                 " (1, 'tables.%s.entities.cart.partition_key', 'CART#{customer}'),"
                 " (1, 'tables.%s.indexes.%s.write_capacity', '100'),"
                 " (1, 'tables.%s.indexes.%s.partition_key', 'STATE#{state}'),"
                 " (1, 'tables.%s.indexes.%s.projection', 'ALL'),"
                 " (1, 'workloads.%s.client.preset', '%s')",
                 table, table, table, table, index, table, index, table, index, workload, preset);
}

static sqlite3 *open_with(const struct synthetic *s, const char *preset,
                          struct synthetic_sum *sum) {
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", s->duration_s, s->duration_s, "complete");
    synthetic_resource(database, 1, s->table, NULL);
    if (s->index) synthetic_resource(database, 2, s->table, s->index);
    put_settings(database, "carts", "by-state", "shop", preset);
    *sum = synthetic_fill(database, s);
    if (s->refused_to_s > s->refused_s) {
        synthetic_event(database, 1, s->refused_s, "throttling_started", s->refused_resource,
                        "{\"direction\":\"write\"}");
        synthetic_event(database, 2, s->refused_to_s - 1, "throttling_ended", s->refused_resource,
                        "{\"direction\":\"write\"}");
    }
    return database;
}

static sqlite3 *open_friday(const char *preset, double retries, double quota,
                            struct synthetic_sum *sum) {
    struct synthetic s = friday;
    s.retries = retries;
    s.quota = quota;
    sqlite3 *database = open_with(&s, preset, sum);
    synthetic_event(
        database, 3, 1800, "change", 0,
        "{\"name\":\"history in the cart\",\"set\":{\"workloads.shop.mix.save.size\":\"11 KB\"}}");
    synthetic_event(database, 4, 4740, "burst_empty", 2, "{\"direction\":\"write\"}");
    return database;
}

/* ---- reading what it says ---- */

static json_t *diagnose(sqlite3 *database, const char *scenario) {
    struct ddbsim_error error = {0};
    struct diagnosis *diagnosis = NULL;
    char *text = NULL;
    size_t bytes = 0;
    if (diagnosis_create(database, 1, &diagnosis, &error) != DDBSIM_OK)
        fail_msg("%s", error.message);
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), (int)diagnosis_cause(diagnosis));
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(diagnosis_print_json(diagnosis, out, scenario, NULL), DDBSIM_OK);
    fclose(out);
    diagnosis_destroy(diagnosis);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    free(text);
    return root;
}

static char *in_words(sqlite3 *database, int columns, bool colour) {
    struct diagnosis *diagnosis = NULL;
    char *text = NULL;
    size_t bytes = 0;
    assert_int_equal(diagnosis_create(database, 1, &diagnosis, NULL), DDBSIM_OK);
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(diagnosis_print(diagnosis, out, "friday.yaml", columns, colour, NULL),
                     DDBSIM_OK);
    fclose(out);
    diagnosis_destroy(diagnosis);
    return text;
}

static const char *cause_in(const json_t *root) {
    return json_string_value(json_object_get(root, "cause"));
}

/* The number of that name in any finding of a list; NaN when none has it. */
static double number_in(const json_t *root, const char *list, const char *name) {
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(root, list), i, finding) {
        const json_t *value = json_object_get(json_object_get(finding, "numbers"), name);
        if (value) return json_number_value(value);
    }
    return NAN;
}

static bool said_in(const json_t *root, const char *list, const char *field, const char *words) {
    size_t i;
    json_t *finding;
    json_array_foreach(
        json_object_get(root, list), i,
        finding) if (strstr(json_string_value(json_object_get(finding, field)), words)) return true;
    return false;
}

/* The first value that a fix sets a path to; "" when none does. */
static const char *set_in(const json_t *root, const char *path) {
    size_t i;
    json_t *fix;
    json_array_foreach(json_object_get(root, "fixes"), i, fix) {
        const char *value = json_string_value(json_object_get(json_object_get(fix, "set"), path));
        if (value) return value;
    }
    return "";
}

static const char *command_in(const json_t *root, size_t fix) {
    const char *command = json_string_value(
        json_object_get(json_array_get(json_object_get(root, "fixes"), fix), "command"));
    return command ? command : "";
}

static int64_t verdict_in(const json_t *root, const char *name) {
    return json_integer_value(json_object_get(json_object_get(root, "verdict"), name));
}

static void assert_near(double value, double expected, double share) {
    if (!(fabs(value - expected) <= share * expected)) fail_msg("%g is not %g", value, expected);
}

/* ---- causes ---- */

static void test_nothing_wrong(void **state) {
    (void)state;
    struct synthetic calm = friday;
    struct synthetic_sum sum;
    calm.refused_s = calm.refused_to_s = 0;
    calm.item_after = 3;
    calm.load_after = 10;
    sqlite3 *database = open_with(&calm, "none", &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "none");
    assert_int_equal(verdict_in(root, "throttled_attempts"), 0);
    assert_int_equal(verdict_in(root, "attempts"), sum.attempts);
    assert_int_equal(json_array_size(json_object_get(root, "fixes")), 0);
    assert_int_equal(json_array_size(json_object_get(root, "episodes")), 0);
    assert_near(number_in(root, "chain", "consumed_per_s"), 48.3, 0.02); /* the index */
    json_decref(root);
    sqlite3_close(database);
}

static void test_index_shortage(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "index_capacity");
    assert_int_equal(verdict_in(root, "throttled_attempts"), sum.throttled);
    assert_int_equal(verdict_in(root, "failed"), sum.failed);
    assert_int_equal(verdict_in(root, "throttled_for_s"), 1800);
    assert_near(number_in(root, "chain", "requests_per_s"), 19.33, 0.001);
    assert_near(number_in(root, "chain", "units_per_request"), 11, 0.001);
    assert_near(number_in(root, "chain", "before"), 3, 0.001);
    assert_near(number_in(root, "chain", "after"), 11, 0.001);
    assert_close(number_in(root, "chain", "grew_t_s"), 1800, 0);
    assert_near(number_in(root, "chain", "index_units_per_write"), 17.71, 0.001);
    assert_near(number_in(root, "chain", "moved_share"), 0.61, 0.001);
    assert_near(number_in(root, "chain", "demand_per_s"), 342.3, 0.001);
    assert_near(number_in(root, "chain", "table_demand_per_s"), 212.6, 0.001);
    assert_close(number_in(root, "chain", "burst_gone_t_s"), 4740, 0);
    assert_near(number_in(root, "not_cause", "spare_per_s"), 120 - 5.65 * 11, 0.01);
    assert_near(number_in(root, "not_cause", "latency_ms"), 5.1, 0.001);
    assert_true(said_in(root, "chain", "text", "17:30, after change history in the cart"));
    assert_true(said_in(root, "chain", "text", "61 % of the writes move the index key"));
    assert_true(said_in(root, "remarks", "text", "do not retry (preset none)"));
    assert_true(said_in(root, "remarks", "text",
                        "Callers get ProvisionedThroughputExceededException with reason "
                        "IndexWriteProvisionedThroughputExceeded."));
    json_decref(root);
    sqlite3_close(database);
}

static void test_index_shortage_fixes(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(
        command_in(root, 0),
        "ddbsim run friday.yaml --set tables.carts.indexes.by-state.write_capacity=343"
        " --set tables.carts.write_capacity=213 -o friday-fix-1.db");
    assert_true(
        said_in(root, "fixes", "remark", "Raising index by-state of carts alone is not enough"));
    assert_true(said_in(root, "fixes", "remark",
                        "490 WCU for index by-state of carts, 304 WCU for table carts"));
    /* Small entries fit the index; the table needs its capacity all the same. */
    assert_string_equal(
        command_in(root, 1),
        "ddbsim run friday.yaml --set tables.carts.indexes.by-state.projection=INCLUDE"
        " --set 'tables.carts.indexes.by-state.entries.cart.entry_size=1 KB'"
        " --set tables.carts.write_capacity=213 -o friday-fix-2.db");
    assert_true(said_in(root, "fixes", "remark", "needs 31.1 WCU/s instead of 342.3"));
    assert_string_equal(command_in(root, 2),
                        "ddbsim run friday.yaml --set 'changes=[]' -o friday-fix-3.db");
    assert_true(said_in(root, "fixes", "remark", "58 WCU/s on the table and 93.4 on the index"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_retries_do_not_count_as_demand(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("boto3-standard", 2, 0, &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "index_capacity");
    assert_int_equal(verdict_in(root, "throttled_attempts"), sum.throttled);
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.write_capacity"), "343");
    assert_near(number_in(root, "remarks", "amplification"),
                (double)sum.attempts / (double)sum.requests, 1e-9);
    json_decref(root);
    sqlite3_close(database);
}

static void test_quota_empty(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("boto3-standard", 1, 0.9, &sum);
    synthetic_setting(database, "workloads.shop.client.processes", "1");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "retry_quota_empty");
    const json_t *detail = json_object_get(root, "cause_detail");
    assert_string_equal(json_string_value(json_object_get(detail, "underlying")), "index_capacity");
    assert_close(number_in(root, "chain", "retries_refused"), (double)sum.refused_retries, 0);
    assert_close(number_in(root, "chain", "processes"), 1, 0);
    assert_close(number_in(root, "chain", "quota_empty_t_s"), 4800, 0);
    /* What is missing is capacity; more quotas would only let callers try more often. */
    assert_string_equal(set_in(root, "workloads.shop.client.processes"), "");
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.write_capacity"), "343");
    assert_true(said_in(root, "remarks", "text", "(workloads.shop.client.processes)"));
    const char *headline =
        json_string_value(json_object_get(json_object_get(root, "verdict"), "text"));
    assert_non_null(strstr(headline, "lacks write capacity"));
    assert_non_null(strstr(headline, "callers give up at once because their retry quota is empty"));
    assert_string_equal(set_in(root, "tables.carts.write_capacity"), "213");
    json_decref(root);
    sqlite3_close(database);
}

static void test_quota_of_little_account(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("boto3-standard", 2, 0.3, &sum);
    assert_true(sum.refused_retries > 0 && sum.refused_retries < sum.retries);
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), DDBSIM_CAUSE_INDEX_CAPACITY);
    sqlite3_close(database);
}

static void test_table_shortage(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.refused_resource = 1;
    s.reason = TABLE_WRITE;
    s.change_s = s.duration_s; /* always 3 KB */
    s.item_before = 8;
    s.index_capacity = 400;
    sqlite3 *database = open_with(&s, "none", &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "table_capacity");
    assert_near(number_in(root, "chain", "demand_per_s"), 154.64, 0.001);
    /* 19.33 x 8 on the table; 249 on the index, which has 400. */
    assert_string_equal(command_in(root, 0),
                        "ddbsim run friday.yaml --set tables.carts.write_capacity=155"
                        " -o friday-fix-1.db");
    assert_int_equal(json_array_size(json_object_get(root, "fixes")), 1);
    assert_true(said_in(root, "not_cause", "text", "no refusal on index by-state of carts"));
    assert_true(isnan(number_in(root, "chain", "grew_t_s")));
    json_decref(root);
    sqlite3_close(database);
}

/* An hour of episodes of 2 h: the busiest one is what the fix must meet. */
static void test_busiest_hour(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.refused_resource = 1;
    s.reason = TABLE_WRITE;
    s.change_s = s.duration_s;
    s.item_before = 8;
    s.refused_s = 60;
    s.refused_to_s = 7200;
    s.index = NULL;
    s.load_before = 16;
    sqlite3 *database = open_with(&s, "none", &sum);
    synthetic_do(database, "DELETE FROM event WHERE kind = 'throttling_ended'");
    json_t *root = diagnose(database, "friday.yaml");
    assert_near(number_in(root, "chain", "requests_per_s"), 19.33, 0.001);
    assert_string_equal(set_in(root, "tables.carts.write_capacity"), "155");
    const json_t *episode = json_array_get(json_object_get(root, "episodes"), 0);
    assert_true(json_is_true(json_object_get(episode, "open")));
    assert_int_equal(verdict_in(root, "throttled_for_s"), 7140);
    json_decref(root);
    sqlite3_close(database);
}

static void put_heat(sqlite3 *database, int resource_id, double rate, const char *key,
                     double share) {
    synthetic_do(database,
                 "INSERT INTO partition VALUES(1, 1, %d, NULL, '00', '7f', 0, NULL, 'initial'),"
                 " (1, 2, %d, NULL, '80', 'ff', 0, NULL, 'initial')",
                 resource_id, resource_id);
    synthetic_do(database,
                 "INSERT INTO partition_sample VALUES(1, 1, 4800, 10, 0, %.17g, 0, 99, 1, 1),"
                 " (1, 2, 4800, 10, 0, 200, 0, 0, 1, 1)",
                 rate * 10);
    synthetic_do(database,
                 "INSERT INTO top_key SELECT 1, %d, 'accessed', 0, 0, 1, %Q, 0,"
                 " %.17g * sum(write_units), 0, 0 FROM second WHERE resource_id = %d",
                 resource_id, key, share, resource_id);
}

static void test_hot_partition(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.refused_resource = 1;
    s.reason = "TableWriteKeyRangeThroughputExceeded";
    s.index = NULL;
    s.item_before = s.item_after = 100;
    s.accepted_per_s = 12;
    s.table_capacity = 4000;
    sqlite3 *database = open_with(&s, "none", &sum);
    put_heat(database, 1, 1000, "CART#7", 0.9);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "hot_partition");
    assert_near(number_in(root, "chain", "partition_peak_per_s"), 1000, 0.001);
    assert_near(number_in(root, "chain", "key_share"), 0.9, 0.001);
    assert_near(number_in(root, "not_cause", "spare_per_s"), 2800, 0.01);
    /* The key is asked for 0.9 x 1,933 units, which two partitions could not carry for certain. */
    assert_string_equal(set_in(root, "values.spread"), "{count: 10, distribution: uniform}");
    assert_string_equal(set_in(root, "tables.carts.entities.cart.partition_key"),
                        "CART#{customer}.{spread}");
    assert_string_equal(set_in(root, "tables.carts.write_capacity"), "");
    assert_string_equal(set_in(root, "tables.carts.partitions"), "6");
    assert_true(said_in(root, "fixes", "title", "on 6 partitions instead of 2"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_hot_index_partition(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.reason = "IndexWriteKeyRangeThroughputExceeded";
    s.item_before = s.item_after = 60;
    s.ratio = 1;
    s.accepted_per_s = 17;
    s.table_capacity = s.index_capacity = 3000;
    sqlite3 *database = open_with(&s, "none", &sum);
    put_heat(database, 2, 990, "STATE#active", 0.3);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "hot_index_partition");
    /* 0.3 x 1,160 units fit one partition: several keys share it. */
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.partitions"), "8");
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.partition_key"),
                        "STATE#{state}.{spread}");
    json_decref(root);
    synthetic_do(database, "UPDATE setting SET value = '{state}' WHERE value = 'STATE#{state}'");
    root = diagnose(database, "friday.yaml"); /* as it is, YAML would read a mapping */
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.partition_key"),
                        "\"{state}.{spread}\"");
    json_decref(root);
    sqlite3_close(database);
}

/* What callers do to themselves is said whatever the table does, and only where it happened. */
static void test_limiters_and_timeouts(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_false(said_in(root, "remarks", "text", "The rate limiter of adaptive mode"));
    assert_false(said_in(root, "remarks", "text", "did not wait for"));
    json_decref(root);
    synthetic_do(database, "UPDATE workload_second SET limiter_rate = 2.5, in_flight = 900"
                           " WHERE t_s BETWEEN 5000 AND 5100");
    /* Cancelled transactions and failed conditions waste units as well: nobody failed to wait for those. */
    synthetic_do(database, "UPDATE workload_total SET units_wasted = 500");
    synthetic_do(database, "INSERT INTO outcome VALUES(1, 'timed_out_units', 'shop', 77, 'units')");
    synthetic_do(database,
                 "INSERT INTO outcome VALUES(1, 'timed_out_attempts', 'shop', 41, 'count')");
    root = diagnose(database, "friday.yaml");
    assert_true(said_in(root, "remarks", "text", "held callers of shop back from"));
    assert_true(
        said_in(root, "remarks", "text", "down to 2.5 requests/s a process, and up to 900"));
    assert_true(said_in(root, "remarks", "text", "Callers of shop did not wait for 41 answers"));
    assert_true(said_in(root, "remarks", "text", "77 units did no work"));
    json_decref(root);
    synthetic_do(database, "UPDATE workload_second SET in_flight = requests");
    root = diagnose(database, "friday.yaml");
    assert_false(said_in(root, "remarks", "text", "The rate limiter of adaptive mode"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_two_resources(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_resource(database, 3, "orders", NULL);
    synthetic_do(database,
                 "INSERT INTO workload_total VALUES(1, 'pay', 'orders', 'PutItem', 7200, 7200,"
                 " 4200, 3000, 0, 3000, 4200, 0)");
    for (int t = 0; t < 7200; t += 60) {
        synthetic_do(
            database,
            "INSERT INTO workload_second VALUES(1, 'pay', %d, 60, 60, 60, 35, 25, 0, 25, 0, 0,"
            " NULL, NULL, NULL, NULL, 0)",
            t);
        synthetic_metric(database, 3, "ConsumedWriteCapacityUnits", t, 350, 35);
        synthetic_resource_second(database, 3, t, 350, 600, 6, 25, 0);
    }
    synthetic_do(database, "INSERT INTO throttle VALUES(1, 3, '" TABLE_WRITE
                           "', 'pay', 'PutItem', 0, 1, 3000, 3000)");
    synthetic_event(database, 9, 0, "throttling_started", 3, "{\"direction\":\"write\"}");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "index_capacity");
    assert_true(said_in(root, "chain", "text", "came first from table orders (" TABLE_WRITE ")"));
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.write_capacity"), "343");
    assert_string_equal(set_in(root, "tables.orders.write_capacity"), "10");
    assert_int_equal(json_array_size(json_object_get(root, "episodes")), 2);
    assert_int_equal(verdict_in(root, "throttled_for_s"), 7200);
    json_decref(root);
    sqlite3_close(database);
}

static void test_awkward_names(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.table = "eu.carts";
    s.index = "by.state";
    s.workload = "Ana's \"shop\" v1.2";
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", s.duration_s, s.duration_s, "complete");
    synthetic_resource(database, 1, s.table, NULL);
    synthetic_resource(database, 2, s.table, s.index);
    synthetic_setting(database, "tables.\"eu.carts\".indexes.\"by.state\".projection", "ALL");
    synthetic_setting(database, "tables.\"eu.carts\".entities.\"c.1\".size", "3 KB");
    synthetic_setting(database, "workloads.\"Ana's \\\"shop\\\" v1.2\".client.preset", "none");
    sum = synthetic_fill(database, &s);
    json_t *root = diagnose(database, "Ana's file.yaml");
    assert_true(sum.throttled > 0);
    assert_string_equal(cause_in(root), "index_capacity"); /* episodes found without events */
    assert_string_equal(command_in(root, 0),
                        "ddbsim run 'Ana'\\''s file.yaml'"
                        " --set 'tables.\"eu.carts\".indexes.\"by.state\".write_capacity=343'"
                        " --set 'tables.\"eu.carts\".write_capacity=213' -o friday-fix-1.db");
    assert_string_equal(
        set_in(root, "tables.\"eu.carts\".indexes.\"by.state\".entries.\"c.1\".entry_size"),
        "1 KB");
    assert_true(said_in(root, "remarks", "text", "Callers of Ana's \"shop\" v1.2 do not retry"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_sparse_index_stays_sparse(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_setting(database, "tables.carts.entities.order.size", "1 KB");
    synthetic_setting(database, "tables.carts.indexes.by-state.entries.cart.present", "100%");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.entries.cart.entry_size"),
                        "1 KB");
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.entries.order.entry_size"), "");
    json_decref(root);
    sqlite3_close(database);
}

static void test_peaks_alone(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.index_capacity = 350; /* the mean fits, and yet it refused */
    sqlite3 *database = open_with(&s, "none", &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.write_capacity"), "490");
    json_decref(root);
    sqlite3_close(database);
}

/* ---- what ran, and how a command repeats it ---- */

static void test_commands_repeat_the_run(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database, "UPDATE run SET variant = 'One quota'");
    synthetic_do(database, "INSERT INTO varied VALUES(1, 'seed', '1', 0)"); /* the variant's own */
    synthetic_setting(database, "seed", "7");
    synthetic_option(database, "tables.carts.write_capacity", "120");
    synthetic_option(database, "workloads.shop.scale", "2");
    json_t *root = diagnose(database, "-");
    /* The first fix sets the table's capacity itself. */
    assert_string_equal(command_in(root, 0),
                        "ddbsim run - --variant 'One quota' --seed 1820"
                        " --set workloads.shop.scale=2"
                        " --set tables.carts.indexes.by-state.write_capacity=343"
                        " --set tables.carts.write_capacity=213 -o friday-one-quota-fix-1.db");
    assert_string_equal(command_in(root, 2),
                        "ddbsim run - --variant 'One quota' --seed 1820"
                        " --set tables.carts.write_capacity=120 --set workloads.shop.scale=2"
                        " --set 'changes=[]' -o friday-one-quota-fix-3.db");
    assert_true(said_in(root, "remarks", "text", "What ran: variant One quota + 2 settings."));
    json_decref(root);
    synthetic_do(database, "DELETE FROM varied WHERE path = 'workloads.shop.scale'");
    root = diagnose(database, "-");
    assert_true(said_in(root, "remarks", "text", "One quota + tables.carts.write_capacity=120."));
    json_decref(root);
    synthetic_do(database, "DROP TABLE varied"); /* a database that does not say */
    root = diagnose(database, "-");
    assert_null(strstr(command_in(root, 2), "scale"));
    json_decref(root);
    sqlite3_close(database);
}

/* ---- growth, moves, the end ---- */

static void test_each_growth_from_what_was_before(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    /* Until 17:10 an item had 1 KB. */
    synthetic_do(database,
                 "UPDATE metric SET sum = sum / 3, minimum = 1, maximum = 1 WHERE t_s < 600"
                 " AND resource_id = 1 AND name LIKE 'Consumed%%'");
    json_t *root = diagnose(database, "friday.yaml");
    assert_true(said_in(root, "chain", "text",
                        "It grew from 1 to 3 WCU at 17:10, and from 3 to 11 WCU at 17:30, after "
                        "change history in the cart."));
    assert_near(number_in(root, "chain", "before"), 1, 0.001);
    assert_near(number_in(root, "chain", "after"), 11, 0.001);
    assert_close(number_in(root, "chain", "growths"), 2, 0);
    assert_string_equal(set_in(root, "changes"), ""); /* the first growth is no change's */
    json_decref(root);
    sqlite3_close(database);
}

static void test_moves_are_told_where_they_can_be(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database, "UPDATE metric SET minimum = 2 WHERE resource_id = 1 AND t_s = 5400"
                           " AND name LIKE 'Consumed%%'"); /* another size among them */
    json_t *root = diagnose(database, "friday.yaml");
    assert_true(isnan(number_in(root, "chain", "moved_share")));
    assert_false(said_in(root, "chain", "text", "move the index key"));
    assert_true(
        said_in(root, "chain", "text", "costs 17.7 WCU on index by-state as well, on average."));
    json_decref(root);
    synthetic_do(database, "UPDATE metric SET minimum = 11 WHERE minimum = 2");
    synthetic_do(database, "UPDATE setting SET value = 'INCLUDE' WHERE value = 'ALL'");
    root = diagnose(database, "friday.yaml");
    assert_false(said_in(root, "chain", "text", " x 1.6"));
    assert_true(said_in(root, "chain", "text", "costs 17.7 WCU on index by-state as well."));
    json_decref(root);
    sqlite3_close(database);
}

static void test_a_capacity_that_ended_it(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database,
                 "UPDATE second SET write_limit = 400 WHERE resource_id = 2 AND t_s >= 6598");
    synthetic_do(database,
                 "UPDATE second SET write_limit = 300 WHERE resource_id = 1 AND t_s >= 0");
    json_t *root = diagnose(database, "friday.yaml");
    assert_true(
        said_in(root, "chain", "text",
                "It ended at 18:49, when the write capacity of index by-state of carts went "
                "from 100 to 400."));
    assert_near(number_in(root, "chain", "capacity_per_s"), 100, 0.001);
    assert_string_equal(set_in(root, "tables.carts.indexes.by-state.write_capacity"), "400");
    assert_true(said_in(root, "fixes", "remark", "with that the refusals ended at 18:49"));
    json_decref(root);
    /* A rise long before the end did not end it. */
    synthetic_do(database,
                 "UPDATE second SET write_limit = 400 WHERE resource_id = 2 AND t_s >= 5000");
    root = diagnose(database, "friday.yaml");
    assert_true(isnan(number_in(root, "chain", "relief_t_s")));
    json_decref(root);
    sqlite3_close(database);
}

static void test_a_run_that_lives_on_its_burst(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.refused_s = s.refused_to_s = 0;
    s.item_after = 3;
    s.load_after = 25; /* 75 on the table, 120.75 on the index, which has 100 and 20,000 saved */
    sqlite3 *database = open_with(&s, "none", &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "none");
    assert_near(number_in(root, "chain", "burst_left_s"), 20000 / 20.75, 0.001);
    assert_string_equal(command_in(root, 0),
                        "ddbsim run friday.yaml"
                        " --set tables.carts.indexes.by-state.write_capacity=121"
                        " -o friday-fix-1.db");
    assert_int_equal(json_array_size(json_object_get(root, "fixes")), 1);
    const char *headline =
        json_string_value(json_object_get(json_object_get(root, "verdict"), "text"));
    assert_non_null(strstr(headline, "It does not throttle yet"));
    assert_non_null(strstr(headline, "lasts about 16 min more"));
    json_decref(root);
    sqlite3_close(database);
}

/* Of several episodes the last is over, and what is left is burst. */
static void test_a_throttled_run_that_ends_on_burst(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    json_t *root = diagnose(database, "friday.yaml"); /* 342 of 100 from 18:50 on */
    assert_string_equal(cause_in(root), "index_capacity");
    assert_true(said_in(root, "chain", "text", "At the end index by-state of carts is above"));
    assert_true(said_in(root, "chain", "text", "At the end table carts is above its capacity"));
    assert_near(number_in(root, "chain", "burst_left_s"), 30000 / 92.63, 0.01); /* the table */
    json_decref(root);
    sqlite3_close(database);
}

static void test_burst_gone_before_the_refusals(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database, "UPDATE event SET t_ns = 4500000000000 WHERE kind = 'burst_empty'");
    synthetic_setting(database, "tables.carts.indexes.by-state.backpressure", "observed");
    json_t *root = diagnose(database, "friday.yaml");
    assert_true(said_in(root, "chain", "text", "was gone at 18:15; refusals began at 18:20"));
    assert_true(said_in(root, "chain", "text", "(back-pressure observed: a grace, and a buffer)"));
    assert_false(said_in(root, "chain", "text", "and no more"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_no_time_before(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_true(said_in(root, "not_cause", "text",
                        "5.1 ms before the first refusal, from 17:20 to 18:20."));
    json_decref(root);
    synthetic_do(database, "DELETE FROM metric WHERE name LIKE '%%Latency' AND t_s < 4620");
    root = diagnose(database, "friday.yaml"); /* three minutes are no time before */
    assert_true(isnan(number_in(root, "not_cause", "latency_ms")));
    json_decref(root);
    sqlite3_close(database);
}

static void test_spare_under_all_that_was_asked(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.table_capacity = 230;
    sqlite3 *database = open_with(&s, "none", &sum);
    json_t *root = diagnose(database, "friday.yaml");
    assert_near(number_in(root, "not_cause", "spare_of_demand_per_s"), 230 - 212.6, 0.01);
    assert_true(said_in(root, "not_cause", "text", "had nothing been refused, 17.4 would be"));
    json_decref(root);
    sqlite3_close(database);
}

/* Text and JSON say the same second. */
static void test_one_rounding_of_an_end(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database,
                 "UPDATE event SET t_ns = t_ns + 400000000 WHERE kind = 'throttling_ended'");
    synthetic_event(database, 9, 7000, "throttling_started", 1, "{\"direction\":\"write\"}");
    json_t *root = diagnose(database, "friday.yaml");
    const json_t *episode = json_array_get(json_object_get(root, "episodes"), 0);
    assert_string_equal(json_string_value(json_object_get(episode, "to")), "18:50:00");
    char *text = in_words(database, 100, false);
    assert_non_null(strstr(text, "18:20:00 to 18:50:00 carts/by-state"));
    free(text);
    json_decref(root);
    sqlite3_close(database);
}

/* One key is too hot, and the capacity too small for all of them. */
static void test_hot_key_and_little_capacity(void **state) {
    (void)state;
    struct synthetic s = friday;
    struct synthetic_sum sum;
    s.refused_resource = 1;
    s.reason = "TableWriteKeyRangeThroughputExceeded";
    s.index = NULL;
    s.item_before = s.item_after = 100;
    s.accepted_per_s = 12;
    s.table_capacity = 1500;
    sqlite3 *database = open_with(&s, "none", &sum);
    put_heat(database, 1, 1300, "CART#7", 0.9);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "hot_partition");
    assert_string_equal(set_in(root, "values.spread"), "{count: 10, distribution: uniform}");
    assert_string_equal(set_in(root, "tables.carts.write_capacity"), "1933");
    assert_true(said_in(root, "fixes", "title",
                        ", and raise the write capacity of table carts from 1,500 to 1,933."));
    assert_true(
        said_in(root, "chain", "text",
                "served 1,300 WCU/s in its fullest 10 s (from 18:20:00, what its bucket had "
                "saved included); one partition can serve 1,000."));
    json_decref(root);
    sqlite3_close(database);
}

/* A calm run whose busiest partition is nearer to what binds it than the whole is to its capacity. */
static sqlite3 *open_calm(double peak) {
    struct synthetic calm = friday;
    struct synthetic_sum sum;
    calm.refused_s = calm.refused_to_s = 0;
    calm.item_after = 3;
    calm.load_after = 10;
    calm.index = NULL;
    sqlite3 *database = open_with(&calm, "none", &sum);
    put_heat(database, 1, peak, "CART#7", 0.9);
    return database;
}

static void test_closest_share(void **state) {
    (void)state;
    sqlite3 *database = open_calm(57);
    json_t *root = diagnose(database, "friday.yaml"); /* 57 of 1,000, 30 of 120 */
    assert_true(said_in(root, "chain", "text", "table carts with 30 of 120 WCU/s"));
    json_decref(root);
    synthetic_setting(database, "model.admission", "static");
    root = diagnose(database, "friday.yaml"); /* each of two partitions has 60 */
    assert_true(said_in(root, "chain", "text",
                        "one partition of table carts, which served 57 WCU/s in its fullest 10 s"));
    assert_true(said_in(root, "chain", "text", "its share, one of 2, of 60 (95 %)"));
    json_decref(root);
    sqlite3_close(database);
    database = open_calm(900);
    root = diagnose(database, "friday.yaml");
    assert_true(said_in(root, "chain", "text", "of its limit of 1,000 (90 %)"));
    json_decref(root);
    sqlite3_close(database);
}

/* A partition serves more to eventual reads than to strong ones, and explain says which it meets. */
static void test_reads_limit(void **state) {
    (void)state;
    static const struct {
        const char *values[2];
        double limit;
    } cases[] = {{{"true", NULL}, 3000},
                 {{"false", NULL}, 4500},
                 {{"true", "false"}, 3000},
                 {{NULL, NULL}, 3000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct synthetic s = friday;
        struct synthetic_sum sum;
        s.refused_resource = 1;
        s.reason = "TableReadKeyRangeThroughputExceeded";
        s.index = NULL;
        sqlite3 *database = open_with(&s, "none", &sum);
        put_heat(database, 1, 1000, "CART#7", 0.9);
        for (int k = 0; k < 2 && cases[i].values[k]; k++)
            synthetic_do(
                database,
                "INSERT INTO setting VALUES(1, 'workloads.shop.mix.%d.consistent_read', %Q),"
                " (1, 'workloads.shop.mix.%d.table', 'carts')",
                k, cases[i].values[k], k);
        json_t *root = diagnose(database, "friday.yaml");
        assert_close(number_in(root, "chain", "partition_limit_per_s"), cases[i].limit, 0);
        assert_int_equal(said_in(root, "chain", "text", "3,000 to strong reads and 4,500 to"),
                         i == 2);
        assert_int_equal(said_in(root, "fixes", "title", "Read eventually consistent"),
                         cases[i].limit < 4000);
        json_decref(root);
        sqlite3_close(database);
    }
}

/* Whoever copies a command is told what it needs, in both forms; nothing where no command stands. */
static void test_note(void **state) {
    (void)state;
    struct synthetic_sum sum;
    struct diagnosis *diagnosis = NULL;
    char *text = NULL;
    size_t bytes = 0;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    assert_int_equal(diagnosis_create(database, 1, &diagnosis, NULL), DDBSIM_OK);
    diagnosis_note(diagnosis, "Mind the gap.");
    FILE *out = open_memstream(&text, &bytes);
    assert_int_equal(diagnosis_print(diagnosis, out, "x.yaml", 80, false, NULL), DDBSIM_OK);
    assert_int_equal(diagnosis_print_json(diagnosis, out, "x.yaml", NULL), DDBSIM_OK);
    fclose(out);
    assert_non_null(strstr(text, "What would fix it\nMind the gap.\n"));
    assert_non_null(strstr(text, "\"commands_note\": \"Mind the gap.\""));
    free(text);
    diagnosis_destroy(diagnosis);
    sqlite3_close(database);
}

/* ---- scalers ---- */

/* The table is short from 18:00 until 18:10, 25 of 40 writes a second refused; two minutes of
 * load before. */
static const struct synthetic steep = {.table = "carts",
                                       .workload = "shop",
                                       .reason = TABLE_WRITE,
                                       .duration_s = 5400,
                                       .load_s = 3480,
                                       .change_s = 0,
                                       .refused_s = 3600,
                                       .refused_to_s = 4200,
                                       .refused_resource = 1,
                                       .load_before = 10,
                                       .load_after = 40,
                                       .item_before = 2,
                                       .item_after = 2,
                                       .ratio = 1,
                                       .accepted_per_s = 15,
                                       .table_capacity = 30};

static void put_policy(sqlite3 *database, const char *path, const char *most) {
    synthetic_do(database,
                 "INSERT INTO setting VALUES(1, '%s.min_capacity', '10'),"
                 " (1, '%s.max_capacity', '%s'), (1, '%s.target_value', '70%%'),"
                 " (1, 'model.metric_delay', '1m'), (1, 'model.alarm_delay', '90s')",
                 path, path, most, path);
}

/* A step out in the log: asked at one second, there at another (-1: not in the run). */
static void put_step(sqlite3 *database, int id, int asked_s, int acted_s, int resource_id,
                     const char *direction, int to, const char *by) {
    char detail[160];
    snprintf(detail, sizeof detail, "{\"direction\":\"%s\",\"from\":30,\"to\":%d,\"by\":\"%s\"}",
             direction, to, by);
    synthetic_event(database, id, asked_s, "scale_out", resource_id, detail);
    snprintf(detail, sizeof detail, "{\"direction\":\"%s\",\"from\":30,\"to\":%d}", direction, to);
    if (acted_s >= 0)
        synthetic_event(database, id + 1, acted_s, "capacity_changed", resource_id, detail);
}

static sqlite3 *open_steep(const struct synthetic *s) {
    struct synthetic_sum sum;
    sqlite3 *database = open_with(s, "none", &sum);
    put_policy(database, "tables.carts.auto_scaling.write", "200");
    return database;
}

static void test_a_scaler_too_late(void **state) {
    (void)state;
    sqlite3 *database = open_steep(&steep);
    put_step(database, 10, 3900, 4199, 1, "write", 115, "target_tracking");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "scaling_too_late");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "cause_detail"), "underlying")),
        "table_capacity");
    assert_near(number_in(root, "chain", "asked_t_s"), 3900, 0);
    assert_near(number_in(root, "chain", "acted_t_s"), 4199, 0);
    assert_near(number_in(root, "chain", "steps"), 1, 0);
    /* 25 a second, but for the last second, in which it acted */
    assert_near(number_in(root, "chain", "refused_meanwhile"), 25 * 599, 0);
    assert_near(number_in(root, "chain", "step_most"), 1 / 0.7, 1e-9);
    /* 80 units / 70 % */
    assert_string_equal(set_in(root, "tables.carts.auto_scaling.write.min_capacity"), "115");
    assert_string_equal(set_in(root, "tables.carts.write_capacity"), "115");
    assert_string_equal(set_in(root, "tables.carts.auto_scaling.scheduled_actions"),
                        "[{at: \"17:45\", write: {min_capacity: 115}}]");
    assert_string_equal(set_in(root, "tables.carts.billing_mode"), "PAY_PER_REQUEST");
    json_decref(root);
    sqlite3_close(database);
}

/* A step, and whether the refusals waited for it. */
struct decision {
    int asked_s, acted_s;
    const char *direction, *by, *cause;
};

static void test_when_a_scaler_is_late(void **state) {
    (void)state;
    static const struct decision decisions[] = {
        /* there before the first refusal */
        {3500, 3600, "write", "target_tracking", "table_capacity"},
        /* asked before it, there after it */
        {3599, 4200, "write", "target_tracking", "scaling_too_late"},
        /* half of the refusals came before it acted, or less */
        {3700, 3900, "write", "target_tracking", "scaling_too_late"},
        {3700, 3899, "write", "target_tracking", "table_capacity"},
        /* asked five minutes after the last, or later */
        {4500, 4560, "write", "target_tracking", "scaling_too_late"},
        {4501, 4560, "write", "target_tracking", "table_capacity"},
        /* the run ended first */
        {3900, -1, "write", "target_tracking", "scaling_too_late"},
        /* the other direction */
        {3900, 4199, "read", "target_tracking", "table_capacity"},
        /* a loop of the user's own, a clock that is wrong */
        {3900, 4199, "write", "scaler", "scaling_too_late"},
        {3900, 4199, "write", "scheduled_action", "scaling_too_late"},
    };
    struct synthetic_sum sum;
    for (size_t i = 0; i < sizeof decisions / sizeof decisions[0]; i++) {
        sqlite3 *database = open_with(&steep, "none", &sum);
        put_step(database, 10, decisions[i].asked_s, decisions[i].acted_s, 1,
                 decisions[i].direction, 90, decisions[i].by);
        json_t *root = diagnose(database, "friday.yaml");
        if (strcmp(cause_in(root), decisions[i].cause) != 0)
            fail_msg("decision %zu: %s", i, cause_in(root));
        json_decref(root);
        sqlite3_close(database);
    }
}

/* Somebody raised it by hand: nothing that scales, whatever the policy. */
static void test_no_scaler(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_with(&steep, "none", &sum);
    synthetic_event(database, 10, 4199, "capacity_changed", 1,
                    "{\"direction\":\"write\",\"from\":30,\"to\":115}");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "table_capacity");
    assert_false(said_in(root, "chain", "text", "scaler"));
    assert_string_equal(set_in(root, "tables.carts.auto_scaling.write.min_capacity"), "");
    json_decref(root);
    sqlite3_close(database);
}

static void test_a_scaler_at_its_maximum(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_with(&steep, "none", &sum);
    put_policy(database, "tables.carts.auto_scaling.write", "30");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "table_capacity");
    assert_true(said_in(root, "chain", "text", "its policy's maximum is reached: max 30"));
    assert_near(number_in(root, "chain", "policy_max_per_s"), 30, 0);
    /* what it needs is held against the policy, whose own maximum leaves it the target's headroom */
    assert_string_equal(set_in(root, "tables.carts.auto_scaling.write.min_capacity"), "80");
    assert_true(said_in(root, "fixes", "title", "from a maximum of 30 to 115"));
    json_decref(root);
    sqlite3_close(database);
}

/* Below its maximum, and it never asked. */
static void test_a_scaler_that_did_not_come(void **state) {
    (void)state;
    sqlite3 *database = open_steep(&steep);
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "table_capacity");
    assert_true(said_in(root, "chain", "text", "it did not ask for more"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_a_late_scaler_of_an_index(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    put_policy(database, "tables.carts.indexes.by-state.auto_scaling.write", "300");
    put_step(database, 10, 6500, 6599, 2, "write", 490, "target_tracking");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "scaling_too_late");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "cause_detail"), "underlying")),
        "index_capacity");
    /* asking is one moment, having it another */
    assert_true(said_in(root, "chain", "text", "It had 30 and asked for 490 at 18:48."));
    assert_true(said_in(root, "chain", "text", "which acted at 18:49"));
    /* 343 / 70 %, beyond the policy's maximum */
    assert_string_equal(
        set_in(root, "tables.carts.indexes.by-state.auto_scaling.write.max_capacity"), "490");
    json_decref(root);
    sqlite3_close(database);
}

/* Callers that gave up come first, as with every other cause; the scaler is told all the same. */
static void test_a_late_scaler_and_an_empty_quota(void **state) {
    (void)state;
    struct synthetic s = steep;
    s.quota = 1;
    sqlite3 *database = open_steep(&s);
    put_step(database, 10, 3900, 4199, 1, "write", 115, "target_tracking");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "retry_quota_empty");
    assert_true(said_in(root, "chain", "text", "It has a scaler, which came too late."));
    json_decref(root);
    sqlite3_close(database);
}

/* ---- alarms ---- */

static void put_alarm(sqlite3 *database, const char *name, const char *index, const char *metric,
                      int rang_s) {
    synthetic_do(database,
                 "INSERT INTO setting VALUES(1, 'alarms.%s.table', 'carts'),"
                 " (1, 'alarms.%s.metric', '%s')",
                 name, name, metric);
    if (index)
        synthetic_do(database, "INSERT INTO setting VALUES(1, 'alarms.%s.index', '%s')", name,
                     index);
    synthetic_do(database, "INSERT INTO alarm_sample VALUES(1, '%s', 60, %s, 1, 'OK')", name,
                 strcmp(metric, "UserErrors") == 0 ? "NULL" : "0.5");
    if (rang_s < 0) return;
    synthetic_do(database,
                 "INSERT INTO event SELECT 1, max(event_id) + 1, %d * 1000000000, 'alarm', 1, NULL,"
                 " json_object('alarm', '%s', 'from', 'OK', 'to', 'ALARM') FROM event",
                 rang_s, name);
}

static void test_alarms_against_the_first_refusal(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    put_alarm(database, "throttled", NULL, "ThrottledRequests", 5100);
    put_alarm(database, "index-80", "by-state", "ConsumedWriteCapacityUnits", 4020);
    put_alarm(database, "table-80", NULL, "ConsumedWriteCapacityUnits", -1);
    put_alarm(database, "errors", NULL, "UserErrors", -1);
    json_t *root = diagnose(database, "friday.yaml");
    assert_true(said_in(root, "alarms", "text",
                        "index-80 rang at 18:07, 13 min before the first refusal."));
    assert_true(
        said_in(root, "alarms", "text", "throttled rang at 18:25, 5 min after the first refusal."));
    assert_true(said_in(root, "alarms", "text", "Never rang: table-80."));
    assert_true(said_in(root, "alarms", "text", "Never had a datapoint: errors."));
    assert_near(number_in(root, "alarms", "seconds_before_first_refusal"), 780, 0);
    assert_false(said_in(root, "alarms", "text", "nobody has set"));
    json_decref(root);
    sqlite3_close(database);
}

/* 5 writes of 11 x 1.61 units are 88.6 a second of the index's 100, from the change at 17:30 on: the third
 * such minute is over at 17:33, known a minute later and acted on 90 s after that. The table's alarm is
 * another one. */
static void test_the_alarm_that_nobody_set(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    put_alarm(database, "table-80", NULL, "ConsumedWriteCapacityUnits", -1);
    synthetic_setting(database, "model.metric_delay", "1m");
    synthetic_setting(database, "model.alarm_delay", "1m30s");
    json_t *root = diagnose(database, "friday.yaml");
    assert_near(number_in(root, "alarms", "would_ring_t_s"), 1800 + 180 + 150, 0);
    assert_near(number_in(root, "alarms", "would_ring_seconds_before_first_refusal"), 4800 - 2130,
                0);
    json_decref(root);
    sqlite3_close(database);
}

/* ---- the rest ---- */

/* ---- odd runs ---- */

/* ---- odd runs ---- */

static void test_empty_run(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", 60, 60, "complete");
    json_t *root = diagnose(database, "x");
    assert_string_equal(cause_in(root), "none");
    assert_false(json_is_true(json_object_get(json_object_get(root, "verdict"), "throttles")));
    assert_true(json_is_null(json_object_get(root, "cause_detail")));
    json_decref(root);
    char *text = in_words(database, 80, false);
    assert_string_equal(text, "It does not throttle: the run made no request.\n");
    free(text);
    sqlite3_close(database);
}

static void test_interrupted_run(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database, "UPDATE run SET status = 'interrupted', duration_s = 14400");
    synthetic_do(database, "DELETE FROM workload_total");
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "index_capacity");
    assert_int_equal(verdict_in(root, "attempts"), sum.attempts); /* from the seconds */
    assert_true(said_in(root, "remarks", "text", "interrupted at 19:00:00, after 2 h of 4 h"));
    json_decref(root);
    sqlite3_close(database);
}

static void test_totals_alone(void **state) {
    (void)state;
    struct synthetic_sum sum;
    struct ddbsim_error error = {0};
    struct diagnosis *diagnosis = NULL;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    synthetic_do(database, "DELETE FROM throttle");
    assert_int_equal(diagnosis_create(database, 1, &diagnosis, &error), DDBSIM_INPUT);
    assert_null(diagnosis);
    assert_non_null(strstr(error.message, "totals alone"));
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), -1);
    assert_int_equal(diagnosis_cause_of(database, 2, NULL), -1);
    sqlite3_close(database);
}

/* A recording has metrics and no more: which resource refused is known, how much was asked is not.
 */
static void test_recording(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", 3600, 3600, "observed");
    synthetic_resource(database, 1, "carts", NULL);
    synthetic_resource(database, 2, "carts", "by-state");
    for (int t = 0; t < 3600; t += 60) {
        synthetic_metric(database, 1, "ConsumedWriteCapacityUnits", t, 62 * 60, 340);
        synthetic_metric(database, 2, "ConsumedWriteCapacityUnits", t, 100 * 60, 340);
        if (t < 1200) continue;
        synthetic_metric(database, 2, "WriteThrottleEvents", t, 800, 800);
        synthetic_metric(database, 2, "WriteProvisionedThroughputThrottleEvents", t, 800, 800);
    }
    json_t *root = diagnose(database, "friday.yaml");
    assert_string_equal(cause_in(root), "index_capacity");
    assert_int_equal(verdict_in(root, "throttled_attempts"), 40 * 800);
    assert_true(said_in(root, "fixes", "remark", "at least the 100 WCU/s that were served"));
    assert_string_equal(command_in(root, 0), "");
    json_decref(root);
    synthetic_do(database, "DELETE FROM metric WHERE name LIKE 'WriteProvisioned%%'");
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), DDBSIM_CAUSE_INDEX_CAPACITY);
    sqlite3_close(database);
}

/* Of a recording whose events name no reason: consumption far below the capacity is a hot partition's, near it the
 * capacity's; on demand what a new table serves divides growth from heat. */
static void recorded(sqlite3 *database, double units_per_s, double capacity) {
    synthetic_do(database, "DELETE FROM metric");
    for (int t = 0; t < 3600; t += 60) {
        synthetic_metric(database, 1, "ConsumedWriteCapacityUnits", t, units_per_s * 60, 3000);
        if (capacity > 0 && t % 300 == 0)
            synthetic_metric(database, 1, "ProvisionedWriteCapacityUnits", t, capacity, 1);
        if (t >= 1200) synthetic_metric(database, 1, "WriteThrottleEvents", t, 800, 800);
    }
}

static void test_recorded_causes(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", 3600, 3600, "observed");
    synthetic_resource(database, 1, "carts", NULL);
    recorded(database, 1000, 4000);
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), DDBSIM_CAUSE_HOT_PARTITION);
    recorded(database, 3900, 4000);
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), DDBSIM_CAUSE_TABLE_CAPACITY);
    /* The alarm is judged by what was provisioned; a rise is told, its author is not known. */
    synthetic_do(database, "UPDATE metric SET maximum = 5000 WHERE t_s >= 3000"
                           " AND name LIKE 'Provisioned%%'");
    json_t *root = diagnose(database, "carts.yaml");
    assert_true(said_in(root, "alarms", "text", "would have rung at 17:0"));
    assert_false(said_in(root, "alarms", "text", "nobody has set"));
    assert_true(said_in(root, "remarks", "text", "rose from 4,000 to 5,000 WCU at 17:50"));
    assert_true(said_in(root, "remarks", "text", "it does not say"));
    assert_true(said_in(root, "chain", "text", "and has 5,000; the rest was refused"));
    json_decref(root);
    synthetic_setting(database, "tables.carts.billing_mode", "PAY_PER_REQUEST");
    recorded(database, 4000, 0);
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), DDBSIM_CAUSE_ON_DEMAND_GROWTH);
    recorded(database, 1000, 0);
    assert_int_equal(diagnosis_cause_of(database, 1, NULL), DDBSIM_CAUSE_HOT_PARTITION);
    sqlite3_close(database);
}

/* TTL deletes in silence: what it deleted is said whatever the cause is, and names none. */
static void test_what_ttl_deleted(void **state) {
    (void)state;
    sqlite3 *database = synthetic_open();
    synthetic_run(database, 1, "base", 3600, 3600, "complete");
    synthetic_resource(database, 1, "a.b", NULL);
    synthetic_resource(database, 2, "a.b", "i");
    synthetic_setting(database, "tables.\"a.b\".entities.late.ttl.unit", "milliseconds");
    synthetic_do(database,
                 "INSERT INTO storage VALUES(1, 1, 'order', 0, 1000, 3221225472, 900, 0),"
                 " (1, 1, 'order', 60, 500, 1073741824, 17, 983), (1, 1, 'late', 0, 5, 500, 0, 0),"
                 " (1, 1, 'late', 60, 7, 700, 0, 0), (1, 2, '', 60, 1, 1, 0, 0)");
    json_t *root = diagnose(database, "t.yaml");
    assert_string_equal(cause_in(root), "none");
    assert_true(said_in(root, "remarks", "text",
                        "983 items of order in table a.b were deleted by TTL (3 GB at the start, "
                        "1 GB at the end)."));
    assert_true(said_in(root, "remarks", "text", "TimeToLiveDeletedItemCount alone"));
    assert_true(said_in(root, "remarks", "text", "17 items of order had expired"));
    assert_true(said_in(root, "remarks", "text", "Items of late never expire"));
    assert_false(said_in(root, "remarks", "text", "items of late in table"));
    json_decref(root);
    synthetic_do(database, "DELETE FROM storage");
    root = diagnose(database, "t.yaml");
    assert_false(said_in(root, "remarks", "text", "TTL"));
    json_decref(root);
    sqlite3_close(database);
}

/* ---- on paper ---- */

static void test_words_fit_and_stay_plain(void **state) {
    (void)state;
    struct synthetic_sum sum;
    sqlite3 *database = open_friday("none", 0, 0, &sum);
    char *text = in_words(database, 60, false);
    assert_null(strchr(text, '\033'));
    assert_null(strstr(text, "unknown"));
    assert_null(strstr(text, "nan"));
    assert_non_null(strstr(text, "\nWhy\n"));
    assert_non_null(strstr(text, "\nNot the cause\n"));
    assert_non_null(strstr(text, "\nWhat would fix it\n"));
    assert_non_null(
        strstr(text, "write_capacity=343 \\\n         --set tables.carts.write_capacity=213"));
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        bool setting = memmem(line, length, "--set", 5) != NULL; /* cannot be broken */
        if (length > 60 && !setting) fail_msg("too wide: %.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    free(text);
    text = in_words(database, 100, true);
    assert_non_null(strstr(text, "\033[1;31m"));
    free(text);
    sqlite3_close(database);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_wrong),
        cmocka_unit_test(test_index_shortage),
        cmocka_unit_test(test_index_shortage_fixes),
        cmocka_unit_test(test_retries_do_not_count_as_demand),
        cmocka_unit_test(test_quota_empty),
        cmocka_unit_test(test_quota_of_little_account),
        cmocka_unit_test(test_table_shortage),
        cmocka_unit_test(test_busiest_hour),
        cmocka_unit_test(test_hot_partition),
        cmocka_unit_test(test_hot_index_partition),
        cmocka_unit_test(test_limiters_and_timeouts),
        cmocka_unit_test(test_two_resources),
        cmocka_unit_test(test_awkward_names),
        cmocka_unit_test(test_sparse_index_stays_sparse),
        cmocka_unit_test(test_peaks_alone),
        cmocka_unit_test(test_commands_repeat_the_run),
        cmocka_unit_test(test_each_growth_from_what_was_before),
        cmocka_unit_test(test_moves_are_told_where_they_can_be),
        cmocka_unit_test(test_a_capacity_that_ended_it),
        cmocka_unit_test(test_a_run_that_lives_on_its_burst),
        cmocka_unit_test(test_a_throttled_run_that_ends_on_burst),
        cmocka_unit_test(test_burst_gone_before_the_refusals),
        cmocka_unit_test(test_no_time_before),
        cmocka_unit_test(test_spare_under_all_that_was_asked),
        cmocka_unit_test(test_one_rounding_of_an_end),
        cmocka_unit_test(test_hot_key_and_little_capacity),
        cmocka_unit_test(test_closest_share),
        cmocka_unit_test(test_reads_limit),
        cmocka_unit_test(test_note),
        cmocka_unit_test(test_a_scaler_too_late),
        cmocka_unit_test(test_when_a_scaler_is_late),
        cmocka_unit_test(test_no_scaler),
        cmocka_unit_test(test_a_scaler_at_its_maximum),
        cmocka_unit_test(test_a_scaler_that_did_not_come),
        cmocka_unit_test(test_a_late_scaler_of_an_index),
        cmocka_unit_test(test_a_late_scaler_and_an_empty_quota),
        cmocka_unit_test(test_alarms_against_the_first_refusal),
        cmocka_unit_test(test_the_alarm_that_nobody_set),
        cmocka_unit_test(test_empty_run),
        cmocka_unit_test(test_interrupted_run),
        cmocka_unit_test(test_totals_alone),
        cmocka_unit_test(test_recording),
        cmocka_unit_test(test_recorded_causes),
        cmocka_unit_test(test_what_ttl_deleted),
        cmocka_unit_test(test_words_fit_and_stay_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
