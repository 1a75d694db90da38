/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CloudWatch's four shapes: each says the same of the same minutes, whatever says what the values are of; what is wrong
 * is told with its place, or counted.
 */
#include <workloads/replay/cloudwatch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

#define SAMPLES SOURCE_ROOT "/workloads/samples/"
#define FIRST_S INT64_C(1786119300) /* 2026-08-07T16:15:00Z */

struct set {
    struct cloudwatch_options options;
    struct cloudwatch *cloudwatch;
    struct ddbsim_error error;
};

static void set_open(struct set *set) {
    set->error = (struct ddbsim_error){0};
    assert_int_equal(cloudwatch_create(&set->options, &set->cloudwatch, &set->error), DDBSIM_OK);
}

static enum ddbsim_status set_text(struct set *set, int shape, const char *file, const char *text,
                                   size_t length, size_t piece) {
    enum ddbsim_status status = cloudwatch_begin(set->cloudwatch, shape, file, &set->error);
    for (size_t at = 0; at < length && status == DDBSIM_OK; at += piece)
        status = cloudwatch_push(set->cloudwatch, text + at,
                                 length - at < piece ? length - at : piece, &set->error);
    return status == DDBSIM_OK ? cloudwatch_end(set->cloudwatch, &set->error) : status;
}

static char *read_sample(const char *name, size_t *length) {
    char path[512];
    snprintf(path, sizeof path, SAMPLES "%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 20);
    assert_non_null(text);
    *length = fread(text, 1, 1 << 20, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

static void set_sample(struct set *set, int shape, const char *name, size_t piece) {
    size_t length;
    char *text = read_sample(name, &length);
    assert_int_equal(cloudwatch_recognise(text, length), shape);
    if (set_text(set, shape, name, text, length, piece) != DDBSIM_OK)
        fail_msg("%s: %s: %s", name, set->error.path, set->error.message);
    free(text);
}

static void set_finish(struct set *set) {
    if (cloudwatch_finish(set->cloudwatch, &set->error) != DDBSIM_OK)
        fail_msg("%s: %s (%s)", set->error.file, set->error.message, set->error.hint);
}

static double sum_of(const struct set *set, const char *table, const char *index, int metric,
                     int operation, int statistic) {
    const struct cloudwatch_series *series =
        cloudwatch_find(set->cloudwatch, table, index, metric, operation);
    double sum = 0;
    assert_non_null(series);
    for (size_t i = 0; i < series->count; i++)
        if (!isnan(series->rows[i].values[statistic])) sum += series->rows[i].values[statistic];
    return sum;
}

/* What all samples say of the minutes from 16:15 to 16:27. */
static void check_pedidos(const struct set *set, bool has_statistics_of_table) {
    const int write = DDBSIM_METRIC_CONSUMED_WRITE;
    assert_true(sum_of(set, "pedidos", "por-estado", write, -1, CLOUDWATCH_SUM) == 49189);
    assert_true(sum_of(set, "pedidos", "por-estado", write, -1, CLOUDWATCH_SAMPLE_COUNT) == 7027);
    const struct cloudwatch_facts *facts = cloudwatch_facts(set->cloudwatch);
    assert_int_equal(facts->from_s, FIRST_S);
    if (!has_statistics_of_table) return;
    assert_true(sum_of(set, "pedidos", NULL, write, -1, CLOUDWATCH_SUM) == 35135);
    assert_true(sum_of(set, "pedidos", NULL, DDBSIM_METRIC_THROTTLED_REQUESTS, DDBSIM_UPDATE_ITEM,
                       CLOUDWATCH_SUM) == 40);
    const struct cloudwatch_series *events = cloudwatch_find(
        set->cloudwatch, "pedidos", "por-estado", DDBSIM_METRIC_WRITE_THROTTLE_EVENTS, -1);
    assert_non_null(events);
    assert_int_equal(events->count, 2); /* as sparse as they came */
    assert_int_equal(events->rows[0].t_s, FIRST_S + 360);
    assert_true(events->rows[0].values[CLOUDWATCH_SUM] == 3);
    assert_int_equal(events->period_s, 60);
}

static void test_data_and_queries(void **state) {
    struct set set = {0};
    (void)state;
    set_open(&set);
    set_sample(&set, CLOUDWATCH_DATA, "cloudwatch-data.json", SIZE_MAX / 2);
    set_sample(&set, CLOUDWATCH_QUERIES, "cloudwatch-queries.json", 100);
    set_finish(&set);
    check_pedidos(&set, true);
    const struct cloudwatch_series *series =
        cloudwatch_find(set.cloudwatch, "pedidos", NULL, DDBSIM_METRIC_PROVISIONED_WRITE, -1);
    assert_int_equal(series->period_s, 300);
    assert_true(series->rows[0].values[CLOUDWATCH_MAXIMUM] == 120);
    assert_int_equal(cloudwatch_facts(set.cloudwatch)->inferred_periods, 0);
    cloudwatch_destroy(set.cloudwatch);
}

static void test_stream(void **state) {
    (void)state;
    for (size_t piece = 1; piece < 20000; piece = 3 * piece + 1) {
        struct set set = {0};
        set_open(&set);
        set_sample(&set, CLOUDWATCH_STREAM, "metric-stream.jsonl", piece);
        set_finish(&set);
        check_pedidos(&set, true);
        cloudwatch_destroy(set.cloudwatch);
    }
}

static void test_console(void **state) {
    struct set set = {0};
    (void)state;
    set_open(&set);
    set_sample(&set, CLOUDWATCH_CONSOLE, "cloudwatch-console.csv", 77);
    set_finish(&set);
    check_pedidos(&set, true);
    cloudwatch_destroy(set.cloudwatch);
}

/* The table and the index stand in the file's name, once they are known. */
static void test_statistics(void **state) {
    struct set set = {0};
    (void)state;
    set_open(&set);
    assert_int_equal(cloudwatch_know(set.cloudwatch, "pedidos", NULL, NULL), DDBSIM_OK);
    assert_int_equal(cloudwatch_know(set.cloudwatch, "pedidos", "por-estado", NULL), DDBSIM_OK);
    assert_int_equal(cloudwatch_know(set.cloudwatch, "ped", NULL, NULL), DDBSIM_OK);
    set_sample(&set, CLOUDWATCH_STATISTICS, "pedidos.por-estado.statistics.json", 5000);
    set_finish(&set);
    check_pedidos(&set, false);
    assert_int_equal(cloudwatch_facts(set.cloudwatch)->inferred_periods, 1);
    cloudwatch_destroy(set.cloudwatch);
}

/* All of them together say nothing twice and nothing else. */
static void test_all_shapes_agree(void **state) {
    struct set set = {0};
    (void)state;
    set_open(&set);
    set_sample(&set, CLOUDWATCH_STATISTICS, "pedidos.por-estado.statistics.json", 5000);
    set_sample(&set, CLOUDWATCH_STREAM, "metric-stream.jsonl", 5000);
    set_sample(&set, CLOUDWATCH_DATA, "cloudwatch-data.json", 5000);
    set_sample(&set, CLOUDWATCH_CONSOLE, "cloudwatch-console.csv", 5000);
    set_sample(&set, CLOUDWATCH_QUERIES, "cloudwatch-queries.json", 5000);
    assert_int_equal(cloudwatch_know(set.cloudwatch, "pedidos", "por-estado", NULL), DDBSIM_OK);
    set_finish(&set);
    check_pedidos(&set, true);
    assert_true(cloudwatch_facts(set.cloudwatch)->repeated > 100);
    cloudwatch_destroy(set.cloudwatch);
}

/* ---- binding ---- */

#define RESULT(id, label, values)                                            \
    "{\"MetricDataResults\":[{\"Id\":\"" id "\",\"Label\":\"" label          \
    "\",\"Timestamps\":[\"2026-08-07T16:16:00Z\",\"2026-08-07T16:15:00Z\"]," \
    "\"Values\":" values "}]}"

static enum ddbsim_status bind_one(struct set *set, const char *text) {
    set_open(set);
    enum ddbsim_status status =
        set_text(set, CLOUDWATCH_DATA, "metrics.json", text, strlen(text), SIZE_MAX / 2);
    return status == DDBSIM_OK ? cloudwatch_finish(set->cloudwatch, &set->error) : status;
}

static void check_bound(const struct set *set, const char *table, const char *index, int metric,
                        int operation, int statistic) {
    const struct cloudwatch_series *series = cloudwatch_series(set->cloudwatch, 0);
    assert_non_null(series);
    assert_string_equal(series->table, table);
    if (index)
        assert_string_equal(series->index, index);
    else
        assert_null(series->index);
    assert_int_equal(series->metric, metric);
    assert_int_equal(series->operation, operation);
    assert_true(series->rows[0].values[statistic] == 3);
}

static void test_labels(void **state) {
    static const struct {
        const char *text, *index;
        int metric, operation, statistic;
    } cases[] = {
        {RESULT("a", "orders ConsumedWriteCapacityUnits Sum", "[4,3]"), NULL,
         DDBSIM_METRIC_CONSUMED_WRITE, -1, CLOUDWATCH_SUM},
        {RESULT("a", "orders by-state ConsumedWriteCapacityUnits SampleCount", "[4,3]"), "by-state",
         DDBSIM_METRIC_CONSUMED_WRITE, -1, CLOUDWATCH_SAMPLE_COUNT},
        {RESULT("a", "ThrottledRequests (TableName: orders, Operation: PutItem)", "[4,3]"), NULL,
         DDBSIM_METRIC_THROTTLED_REQUESTS, DDBSIM_PUT_ITEM, CLOUDWATCH_SUM},
        {RESULT("a",
                "AWS/DynamoDB GlobalSecondaryIndexName: by-state TableName: orders "
                "ProvisionedReadCapacityUnits",
                "[4,3]"),
         "by-state", DDBSIM_METRIC_PROVISIONED_READ, -1, CLOUDWATCH_MAXIMUM},
        {RESULT("a", "orders GetItem SuccessfulRequestLatency p99", "[4,3]"), NULL,
         DDBSIM_METRIC_SUCCESSFUL_LATENCY, DDBSIM_GET_ITEM, CLOUDWATCH_P99},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct set set = {0};
        if (bind_one(&set, cases[i].text) != DDBSIM_OK) fail_msg("%zu: %s", i, set.error.message);
        check_bound(&set, "orders", cases[i].index, cases[i].metric, cases[i].operation,
                    cases[i].statistic);
        cloudwatch_destroy(set.cloudwatch);
    }
}

static void test_maps_and_the_table(void **state) {
    static const char *const maps[] = {"a=orders by-state WriteThrottleEvents Sum"};
    struct set mapped = {.options = {.maps = maps, .map_count = 1}};
    struct set named = {.options = {.table = "orders"}};
    (void)state;
    assert_int_equal(bind_one(&mapped, RESULT("a", "reds", "[4,3]")), DDBSIM_OK);
    check_bound(&mapped, "orders", "by-state", DDBSIM_METRIC_WRITE_THROTTLE_EVENTS, -1,
                CLOUDWATCH_SUM);
    assert_int_equal(bind_one(&named, RESULT("a", "WriteThrottleEvents", "[4,3]")), DDBSIM_OK);
    check_bound(&named, "orders", NULL, DDBSIM_METRIC_WRITE_THROTTLE_EVENTS, -1, CLOUDWATCH_SUM);
    cloudwatch_destroy(mapped.cloudwatch);
    cloudwatch_destroy(named.cloudwatch);
}

static void refuse_map(const char *map) {
    const char *const maps[] = {map};
    const struct cloudwatch_options options = {.maps = maps, .map_count = 1};
    struct ddbsim_error error = {0};
    struct cloudwatch *cloudwatch = NULL;
    assert_int_equal(cloudwatch_create(&options, &cloudwatch, &error), DDBSIM_INPUT);
    assert_null(cloudwatch);
}

static void test_wrong_maps(void **state) {
    (void)state;
    refuse_map("m1");
    refuse_map("=orders Sum");
}

/* ---- what is wrong ---- */

static void test_refused(void **state) {
    static const struct {
        const char *text, *path, *message;
    } cases[] = {
        {RESULT("a", "reds", "[4,3]"), "", "nothing says which metric"},
        {RESULT("a", "WriteThrottleEvents", "[4,3]"), "", "nothing says which table"},
        {RESULT("a", "orders WriteThrottleEvents", "[4]"), "MetricDataResults[0]",
         "2 Timestamps and 1 Values"},
        {RESULT("a", "orders WriteThrottleEvents", "[4,\"3\"]"), "MetricDataResults[0].Values[1]",
         "a number is wanted"},
        {RESULT("a", "orders WriteThrottleEvents", "[4,-3]"), "MetricDataResults[0].Values[1]",
         "no metric has that"},
        {RESULT("a", "orders WriteThrottleEvents", "[4,3e15]"), "MetricDataResults[0].Values[1]",
         "no metric has that"},
        {RESULT("a", "orders WriteThrottleEvents", "[4,3e999]"), "", "no JSON"},
        {RESULT("a", "orders WriteThrottleEvents", "7"), "MetricDataResults[0]",
         "must both be lists"},
        {"{\"MetricDataResults\":{}}", "MetricDataResults", "a list is wanted"},
        {"{\"MetricDataResults\":[{\"Id\":\"a\",", "", "the file is cut off"},
        {"{\"MetricDataResults\":[{\"Timestamps\":[\"2026-08-07T16:16:30Z\"],\"Values\":[1]}]}",
         "MetricDataResults[0].Values[0]", "whole minutes"},
        {"{\"MetricDataResults\":[{\"Timestamps\":[\"1026-08-07T16:16:00Z\"],\"Values\":[1]}]}",
         "MetricDataResults[0].Timestamps[0]", "no time of this century"},
        {"{\"MetricDataResults\":[],\"MetricDataQueries\":[{\"Id\":\"a\",\"MetricStat\":{}}]}",
         "MetricDataQueries[0]", "MetricStat must have"},
        {"{\"MetricDataResults\":[],\"MetricDataQueries\":[{\"MetricStat\":{}}]}",
         "MetricDataQueries[0]", "without Id"},
        {"", "", "no JSON"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct set set = {0};
        assert_int_equal(bind_one(&set, cases[i].text), DDBSIM_INPUT);
        assert_string_equal(set.error.file, "metrics.json");
        assert_string_equal(set.error.path, cases[i].path);
        if (!strstr(set.error.message, cases[i].message))
            fail_msg("%zu: '%s'", i, set.error.message);
        cloudwatch_destroy(set.cloudwatch);
    }
}

#define TWICE(value)                                                                             \
    "{\"MetricDataResults\":[{\"Label\":\"orders WriteThrottleEvents Sum\",\"Timestamps\":"      \
    "[\"2026-08-07T16:15:00Z\",\"2026-08-07T18:15:00+02:00\",1786119300],\"Values\":[3,3," value \
    "]}]}"

static void test_contradictions(void **state) {
    struct set same = {0}, other = {0}, skipped = {.options = {.skip_bad_rows = true}};
    (void)state;
    assert_int_equal(bind_one(&same, TWICE("3")), DDBSIM_OK);
    assert_int_equal(cloudwatch_facts(same.cloudwatch)->repeated, 2);
    assert_int_equal(cloudwatch_series(same.cloudwatch, 0)->count, 1);
    assert_int_equal(bind_one(&other, TWICE("4")), DDBSIM_INPUT);
    assert_non_null(strstr(other.error.message, "two values of Sum"));
    assert_int_equal(bind_one(&skipped, TWICE("4")), DDBSIM_OK);
    assert_int_equal(cloudwatch_facts(skipped.cloudwatch)->skipped, 1);
    cloudwatch_destroy(same.cloudwatch);
    cloudwatch_destroy(other.cloudwatch);
    cloudwatch_destroy(skipped.cloudwatch);
}

static void test_passed_over(void **state) {
    static const char text[] =
        "{\"NextToken\":\"x\",\"MetricDataResults\":["
        "{\"Id\":\"a\",\"Timestamps\":[1786119300],\"Values\":[1]},"
        "{\"Id\":\"b\",\"Timestamps\":[1786119300],\"Values\":[1]},"
        "{\"Id\":\"c\",\"Timestamps\":[1786119300],\"Values\":[1]},"
        "{\"Id\":\"d\",\"Timestamps\":[1786119300],\"Values\":[1],\"StatusCode\":\"PartialData\"}],"
        "\"MetricDataQueries\":[{\"Id\":\"a\",\"Expression\":\"b+c\"},"
        "{\"Id\":\"b\",\"MetricStat\":{\"Metric\":{\"Namespace\":\"AWS/Lambda\",\"MetricName\":"
        "\"Errors\"},\"Period\":60,\"Stat\":\"Sum\"}},"
        "{\"Id\":\"c\",\"MetricStat\":{\"Metric\":{\"Namespace\":\"AWS/DynamoDB\",\"MetricName\":"
        "\"AccountMaxReads\"},\"Period\":60,\"Stat\":\"Sum\"}},"
        "{\"Id\":\"d\",\"MetricStat\":{\"Metric\":{\"Namespace\":\"AWS/DynamoDB\",\"MetricName\":"
        "\"UserErrors\"},\"Period\":60,\"Stat\":\"tm99\"}}]}";
    struct set set = {0};
    (void)state;
    if (bind_one(&set, text) != DDBSIM_OK) fail_msg("%s", set.error.message);
    const struct cloudwatch_facts *facts = cloudwatch_facts(set.cloudwatch);
    assert_int_equal(facts->expressions, 1);
    assert_int_equal(facts->foreign, 1);
    assert_int_equal(facts->unknown_metrics, 1);
    assert_string_equal(facts->first_unknown, "AccountMaxReads");
    assert_int_equal(facts->other_statistics, 1);
    assert_int_equal(facts->unfinished, 2);
    assert_null(cloudwatch_series(set.cloudwatch, 0));
    cloudwatch_destroy(set.cloudwatch);
}

static void test_coarser_periods(void **state) {
    static const char text[] = "{\"MetricDataResults\":["
                               "{\"Label\":\"orders WriteThrottleEvents Sum "
                               "300\",\"Timestamps\":[1786119300],\"Values\":[9]},"
                               "{\"Label\":\"orders WriteThrottleEvents Sum "
                               "60\",\"Timestamps\":[1786119360],\"Values\":[9]}]}";
    struct set set = {0};
    (void)state;
    assert_int_equal(bind_one(&set, text), DDBSIM_OK);
    assert_int_equal(cloudwatch_series(set.cloudwatch, 0)->period_s, 60);
    assert_null(cloudwatch_series(set.cloudwatch, 1));
    assert_int_equal(cloudwatch_facts(set.cloudwatch)->coarser, 1);
    cloudwatch_destroy(set.cloudwatch);
}

static void console(struct set *set, const char *text, enum ddbsim_status wanted) {
    set_open(set);
    enum ddbsim_status status =
        set_text(set, CLOUDWATCH_CONSOLE, "console.csv", text, strlen(text), 7);
    if (status == DDBSIM_OK) status = cloudwatch_finish(set->cloudwatch, &set->error);
    if (status != wanted) fail_msg("%s: %s", text, set->error.message);
}

/* Headers differ between versions of the console; lines end and cells are quoted as they like. */
static void test_console_headers(void **state) {
    static const char *const texts[] = {
        "orders by-state WriteThrottleEvents\n2026/08/07 16:15:00,3\n", /* too few headers */
        "Time,orders by-state WriteThrottleEvents Sum\n2026/08/07 16:15:00,3\n2026/08/07 "
        "16:16:00,\n",
        "\xef\xbb\xbf\"Label\";\"orders by-state WriteThrottleEvents\"\r\n\r\n\"2026-08-07 "
        "16:15\";3\r\n",
        "Id,m1\nLabel,WriteThrottleEvents\nTableName,orders\nGlobalSecondaryIndexName,by-state\n"
        "2026-08-07T16:15:00.000Z,3",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct set set = {0};
        console(&set, texts[i], i == 0 ? DDBSIM_INPUT : DDBSIM_OK);
        if (i > 0)
            check_bound(&set, "orders", "by-state", DDBSIM_METRIC_WRITE_THROTTLE_EVENTS, -1,
                        CLOUDWATCH_SUM);
        cloudwatch_destroy(set.cloudwatch);
    }
}

static void test_console_refused(void **state) {
    static const struct {
        const char *text, *message;
        int line;
    } cases[] = {
        {"T,orders WriteThrottleEvents\n2026/08/07 16:15:00,x\n", "cell 2 is no number", 2},
        {"T,orders WriteThrottleEvents\n2026/08/07 16:15:00,1,2\n", "3 cells under 2 headers", 2},
        {"T,orders WriteThrottleEvents\n2026/08/07 16:15:00,1\n\nsum,4\n", "no time", 4},
        {"T,orders WriteThrottleEvents\n2026/08/07 16:15:00,nan\n", "no number", 2},
        {"T,orders WriteThrottleEvents\n2026/08/07 16:15:00,0x10\n", "no number", 2},
        {"T,orders WriteThrottleEvents\n08/07/2026 16:15:00,1\n", "no row begins with a time", 0},
        {"", "no row begins with a time", 0},
        {"T,\"orders WriteThrottleEvents\n2026/08/07 16:15:00,1\n", "no CSV", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct set set = {0};
        console(&set, cases[i].text, DDBSIM_INPUT);
        if (!strstr(set.error.message, cases[i].message)) fail_msg("%zu: %s", i, set.error.message);
        if (cases[i].line > 0) assert_int_equal(set.error.line, cases[i].line);
        cloudwatch_destroy(set.cloudwatch);
    }
}

static void test_stream_refused(void **state) {
    static const char good[] =
        "{\"namespace\":\"AWS/DynamoDB\",\"metric_name\":\"WriteThrottleEvents\",\"dimensions\":"
        "{\"TableName\":\"orders\"},\"timestamp\":1786119300000,\"value\":{\"sum\":3},\"unit\":"
        "\"Count\"}\n";
    static const char *const bad[] = {
        "{\"namespace\":1}\n",
        "[]\n",
        "nonsense\n",
        "{\"namespace\":\"AWS/DynamoDB\",\"metric_name\":\"WriteThrottleEvents\",\"dimensions\":7,"
        "\"timestamp\":1786119300000,\"value\":{}}\n",
        "{\"namespace\":\"AWS/DynamoDB\",\"metric_name\":\"WriteThrottleEvents\",\"dimensions\":{},"
        "\"timestamp\":\"yesterday\",\"value\":{}}\n",
        "{\"namespace\":\"AWS/DynamoDB\",\"metric_name\":\"WriteThrottleEvents\",\"dimensions\":{},"
        "\"timestamp\":1786119300000,\"value\":{\"sum\":\"3\"}}\n",
        "{\"namespace\":\"AWS/DynamoDB\",\"metric_name\":\"WriteThrottleEvents\",\"dimensions\":{},"
        "\"timestamp\":1786119300000,\"value\":{\"sum\":3},\"unit\":\"Bytes\"}\n",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[2048];
        struct set strict = {0}, lenient = {.options = {.skip_bad_rows = true}};
        snprintf(text, sizeof text, "%s%s%s", good, bad[i], good);
        set_open(&strict);
        assert_int_equal(set_text(&strict, CLOUDWATCH_STREAM, "s.jsonl", text, strlen(text), 11),
                         DDBSIM_INPUT);
        assert_int_equal(strict.error.line, 2);
        set_open(&lenient);
        assert_int_equal(set_text(&lenient, CLOUDWATCH_STREAM, "s.jsonl", text, strlen(text), 11),
                         DDBSIM_OK);
        set_finish(&lenient);
        assert_int_equal(cloudwatch_facts(lenient.cloudwatch)->skipped, 1);
        assert_non_null(strstr(cloudwatch_facts(lenient.cloudwatch)->first_skipped, "s.jsonl:2: "));
        check_bound(&lenient, "orders", NULL, DDBSIM_METRIC_WRITE_THROTTLE_EVENTS, -1,
                    CLOUDWATCH_SUM);
        cloudwatch_destroy(strict.cloudwatch);
        cloudwatch_destroy(lenient.cloudwatch);
    }
}

static void test_recognise(void **state) {
    static const char *const others[] = {"",
                                         "{",
                                         "{}",
                                         "[]",
                                         "timestamp,key\n1,2\n",
                                         "2026/08/07 16:15:00,1,2\n",
                                         "{\"Table\":{}}",
                                         "ConsumedWriteCapacityUnits\n1,2\n"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(cloudwatch_recognise(others[i], strlen(others[i])), -1);
    for (int i = 0; cloudwatch_shape_name(i); i++)
        assert_true(strlen(cloudwatch_shape_what(i)) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data_and_queries),
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_console),
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_all_shapes_agree),
        cmocka_unit_test(test_labels),
        cmocka_unit_test(test_maps_and_the_table),
        cmocka_unit_test(test_wrong_maps),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_passed_over),
        cmocka_unit_test(test_coarser_periods),
        cmocka_unit_test(test_console_headers),
        cmocka_unit_test(test_console_refused),
        cmocka_unit_test(test_stream_refused),
        cmocka_unit_test(test_recognise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
