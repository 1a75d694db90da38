/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptions of tables as scenarios: what is taken of each, what counts where two differ, where errors point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <import/import.h>
#include <ddbsim/scenario.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TABLE(name, more)     \
    "{\"TableName\": \"" name \
    "\", \"KeySchema\": [{\"AttributeName\": \"id\", \"KeyType\": \"HASH\"}]" more "}"
#define UNITS(read, write)                                        \
    ", \"ProvisionedThroughput\": {\"ReadCapacityUnits\": " #read \
    ", \"WriteCapacityUnits\": " #write "}"
#define TEMPLATE(properties)                                              \
    "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n" \
    "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n" properties

static const struct import_options plain;

static struct import *start(void) {
    struct import *import = NULL;
    struct ddbsim_error error = {0};
    assert_int_equal(import_create(&plain, &import, &error), DDBSIM_OK);
    return import;
}

static void take(struct import *import, const char *name, const char *text) {
    struct ddbsim_error error = {0};
    if (import_take_text(import, name, text, strlen(text), &error) != DDBSIM_OK)
        fail_msg("%s:%d:%d: %s: %s", error.file, error.line, error.column, error.path,
                 error.message);
}

static struct ddbsim_error refused(struct import *import, const char *text) {
    struct ddbsim_error error = {0};
    assert_int_equal(import_take_text(import, "bad", text, strlen(text), &error), DDBSIM_INPUT);
    return error;
}

/* The scenario, which loads; for free(). */
static char *joined(struct import *import) {
    struct ddbsim_error error = {0};
    struct yaml_node *scenario = NULL;
    char *text = NULL;
    enum ddbsim_status status = import_join(import, &scenario, &error);
    if (!status) status = import_check(import, scenario, &error);
    if (!status) status = import_write(import, scenario, &text, &error);
    if (status) fail_msg("%s: %s", error.path, error.message);
    return text;
}

static void has(const char *text, const char *part) {
    if (!strstr(text, part)) fail_msg("\"%s\" is not in\n%s", part, text);
}

static void lacks(const char *text, const char *part) {
    if (strstr(text, part)) fail_msg("\"%s\" is in\n%s", part, text);
}

static void end(struct import *import, char *text) {
    free(text);
    import_destroy(import);
}

/* One file, whole. */
static void becomes(const char *document, const char *const *parts) {
    struct import *import = start();
    take(import, "one", document);
    char *text = joined(import);
    for (; *parts; parts++)
        has(text, *parts);
    end(import, text);
}

/* ---- where errors point ---- */

static void places(void **state) {
    (void)state;
    static const struct {
        const char *text, *path;
        int line, column;
    } cases[] = {
        {"{\"Table\":\n {\"TableName\": 7,\n \"TableStatus\": \"ACTIVE\"}}", NULL, 1, 1},
        {"{\"Table\": {\"TableName\": \"t\",\n  \"KeySchema\": 5, \"TableStatus\": \"ACTIVE\"}}",
         "Table.KeySchema", 2, 3},
        {"[" TABLE("a", "") ",\n " TABLE("b", ", \"ItemCount\": -4") "]", "[1].ItemCount", 2, 0},
        {"{\"Table\": " TABLE("a", ",\n \"GlobalSecondaryIndexes\": [{\"a\\\"]}\": [1, {}],\n"
                                   "  \"IndexName\": \"bad name\"}]") "}",
         "Table.GlobalSecondaryIndexes[0].IndexName", 3, 3},
        {TEMPLATE("      BillingMode: FREE\n"), "Resources.T.Properties.BillingMode", 6, 20},
        {TEMPLATE("      ProvisionedThroughput:\n        ReadCapacityUnits: [1]\n"),
         "Resources.T.Properties.ProvisionedThroughput.ReadCapacityUnits", 7, 28},
        {"Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Type: twice\n", NULL, 4, 11},
        {"Resources:\n  T: &x\n    Type: AWS::DynamoDB::Table\n", NULL, 2, 6},
        {"Resources:\n  T: *x\n", NULL, 2, 6},
        {"{\"Table\": {\"a\": 1,\n \"a\": 2}}", NULL, 2, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct import *import = start();
        struct ddbsim_error error = refused(import, cases[i].text);
        if (!cases[i].path && error.line == 0) {
            assert_non_null(strstr(error.message, "of no kind"));
        } else {
            if (cases[i].path) assert_string_equal(error.path, cases[i].path);
            assert_int_equal(error.line, cases[i].line);
            if (cases[i].column) assert_int_equal(error.column, cases[i].column);
        }
        import_destroy(import);
    }
}

/* ---- describe-table ---- */

static void sizes_and_keys(void **state) {
    (void)state;
    becomes("{\"Table\": {\"TableName\": \"t\", \"ItemCount\": 3, \"TableSizeBytes\": 10000,"
            "\"KeySchema\": [{\"AttributeName\": \"a\", \"KeyType\": \"HASH\"},"
            " {\"AttributeName\": \"b\", \"KeyType\": \"RANGE\"}],"
            "\"BillingModeSummary\": {\"BillingMode\": \"PAY_PER_REQUEST\"},"
            "\"OnDemandThroughput\": {\"MaxReadRequestUnits\": -1, \"MaxWriteRequestUnits\": 700},"
            "\"GlobalSecondaryIndexes\": [{\"IndexName\": \"turned\", \"ItemCount\": 2,"
            " \"IndexSizeBytes\": 90, \"Projection\": {\"ProjectionType\": \"KEYS_ONLY\"},"
            " \"KeySchema\": [{\"AttributeName\": \"b\", \"KeyType\": \"HASH\"},"
            " {\"AttributeName\": \"a\", \"KeyType\": \"RANGE\"}]}]}}",
            (const char *const[]){"billing_mode: PAY_PER_REQUEST",
                                  "on_demand_throughput: {max_write_request_units: 700}",
                                  "partition_key: \"{t/a}\"", "sort_key: \"{n}\"",
                                  "count: 3, size: 3334 B", "size: 3334 B",
                                  "partition_key: \"{t/b}\"", "sort_key: \"{t/a}\"",
                                  "present: 66.6666666%", "entry_size: 45 B", NULL});
}

/* Beyond AWS's usual quota, the table's own model allows it. */
static void quotas(void **state) {
    (void)state;
    becomes("{\"Table\": " TABLE("t", UNITS(90000, 50)) "}",
            (const char *const[]){"read_capacity: 90000", "model: {quota_read: 90000}", NULL});
}

/* Where no file says who calls, the load that is assumed asks for no more than half of what is served. */
static void assumed_loads_are_calm(void **state) {
    (void)state;
    becomes("{\"Table\": " TABLE("t",
                                 ", \"BillingModeSummary\": {\"BillingMode\": \"PAY_PER_REQUEST\"},"
                                 "\"OnDemandThroughput\": {\"MaxReadRequestUnits\": 5,"
                                 " \"MaxWriteRequestUnits\": 30}") "}",
            (const char *const[]){"rate: 20/s", "weight: 15}", "weight: 5}", NULL});
    becomes("{\"Table\": " TABLE("t",
                                 UNITS(8, 40) ", \"ItemCount\": 10, \"TableSizeBytes\": 40970") "}",
            (const char *const[]){"size: 4097 B", "rate: 8/s", "weight: 4}, {operation: GetItem",
                                  NULL});
}

/* ---- several descriptions ---- */

static void a_state_counts_more_than_a_template(void **state) {
    (void)state;
    static const char template[] =
        TEMPLATE("      TableName: t\n      ProvisionedThroughput: {ReadCapacityUnits: 5, "
                 "WriteCapacityUnits: 6}\n");
    static const char described[] = "{\"Table\": " TABLE("t", UNITS(50, 6)) "}";
    for (int order = 0; order < 2; order++) {
        struct import *import = start();
        take(import, order ? "template" : "state", order ? template : described);
        take(import, order ? "state" : "template", order ? described : template);
        char *text = joined(import);
        has(text, "read_capacity: 50");
        has(text, "write_capacity: 6");
        has(text, "the read capacity is");
        has(text, "state counts");
        lacks(text, "the write capacity is");
        end(import, text);
    }
}

static void what_contradicts_itself(void **state) {
    (void)state;
    static const char first[] = "{\"Table\": " TABLE(
        "t", UNITS(5, 6) ", \"TableArn\": \"arn:aws:dynamodb:eu-west-1:0:table/t\"") "}";
    static const char *const others[][2] = {
        {"{\"Table\": " TABLE("t", UNITS(5, 7)) "}", "the write capacity is 6 in one and 7 in bad"},
        {"{\"Table\": {\"TableName\": \"t\", \"KeySchema\": [{\"AttributeName\": \"key\","
         " \"KeyType\": \"HASH\"}]" UNITS(5, 6) "}}",
         "the partition key is id in one and key in bad"},
        {"{\"Table\": {\"TableName\": \"t\", \"KeySchema\": [{\"AttributeName\": \"id\", "
         "\"KeyType\":"
         " \"HASH\"}, {\"AttributeName\": \"x\", \"KeyType\": \"RANGE\"}]" UNITS(5, 6) "}}",
         "the sort key is none in one and x in bad"},
        {"{\"Table\": " TABLE("t", UNITS(5, 6) ", \"TableArn\": "
                                               "\"arn:aws:dynamodb:us-east-1:0:table/t\"") "}",
         "the Region is eu-west-1 in one and us-east-1 in bad"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct import *import = start();
        take(import, "one", first);
        struct ddbsim_error error = refused(import, others[i][0]);
        has(error.message, others[i][1]);
        import_destroy(import);
    }
}

static void regions_side_by_side(void **state) {
    (void)state;
    struct import *import = start();
    take(import, "one", TABLE("a", ", \"TableArn\": \"arn:aws:dynamodb:eu-west-1:0:table/a\""));
    take(import, "two", TABLE("b", ", \"TableArn\": \"arn:aws:dynamodb:sa-east-1:0:table/b\""));
    char *text = joined(import);
    has(text, "table a is in eu-west-1 (one) and table b in sa-east-1 (two)");
    end(import, text);
}

static void nothing_to_simulate(void **state) {
    (void)state;
    struct import *import = start();
    struct ddbsim_error error = {0};
    struct yaml_node *scenario = NULL;
    take(import, "one", "{\"MetricAlarms\": []}");
    assert_int_equal(import_join(import, &scenario, &error), DDBSIM_INPUT);
    has(error.message, "name no table");
    import_destroy(import);
}

/* ---- functions of templates ---- */

#define FUNCTIONS_BEFORE                                                                         \
    "Parameters:\n  Word: {Type: String, Default: wort}\n"                                       \
    "  List: {Type: CommaDelimitedList, Default: \"x, y,z\"}\n"                                  \
    "  Bare: {Type: String}\n"                                                                   \
    "Mappings:\n  M: {a: {b: found}}\n"                                                          \
    "Conditions:\n  Yes: !Equals [!Ref Word, wort]\n  No: !Not [!Condition Yes]\n"               \
    "  Both: !And [!Condition Yes, !Condition No]\n  Any: !Or [!Condition Yes, !Condition No]\n" \
    "Resources:\n"                                                                               \
    "  U:\n    Type: AWS::DynamoDB::Table\n    Properties:\n      TableName: other\n"            \
    "      BillingMode: PAY_PER_REQUEST\n"                                                       \
    "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"                                    \
    "  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n"                                    \
    "      BillingMode: PAY_PER_REQUEST\n"                                                       \
    "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n      TableName: "

static void functions(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"!Ref Word", "wort"},
        {"{Ref: Word}", "wort"},
        {"!Ref Bare", "Bare"},
        {"!Sub \"a-${Word}-${!b}-$\"", NULL},
        {"!Sub \"a-${Word}\"", "a-wort"},
        {"!Sub [\"${x}-${Word}\", {x: !Ref U}]", "other-wort"},
        {"!Join [\"-\", [a, !Ref Word, 3]]", "a-wort-3"},
        {"!Select [1, !Ref List]", "y"},
        {"!Select [\"2\", !Split [\"-\", a-b-cc]]", "cc"},
        {"!FindInMap [M, a, b]", "found"},
        {"!If [Yes, a1, !Ref Nobody]", "a1"},
        {"!If [No, a1, !Ref Word]", "wort"},
        {"!If [Both, a1, b1]", "b1"},
        {"!If [Any, a1, b1]", "a1"},
        {"!Select [5, !Split [\":\", !GetAtt U.Arn]]", NULL},
        {"!Sub \"${U}-copy\"", "other-copy"},
        {"!ImportValue elsewhere", "T"},
        {"!Ref AWS::NoValue", "T"},
        {"!Select [9, [a]]", "T"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048], name[64];
        struct import *import = start();
        struct ddbsim_error error = {0};
        struct yaml_node *scenario = NULL;
        snprintf(text, sizeof text, FUNCTIONS_BEFORE "%s\n", cases[i][0]);
        take(import, "template", text);
        enum ddbsim_status status = import_join(import, &scenario, &error);
        if (!cases[i][1]) {
            assert_int_equal(status, DDBSIM_INPUT); /* resolved, and no name of a table */
            has(error.message, "can be called");
        } else {
            snprintf(name, sizeof name, "%s", cases[i][1]);
            assert_int_equal(status, DDBSIM_OK);
            if (!import_find_table(import, name)) fail_msg("%s is not %s", cases[i][0], name);
        }
        import_destroy(import);
    }
}

static void circles_end(void **state) {
    (void)state;
    static const char *const cases[] = {
        "Conditions:\n  A: !And [!Condition A, !Condition A]\n"
        "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Condition: A\n    Properties: {}\n",
        "Resources:\n  T:\n    Type: AWS::DynamoDB::Table\n    Properties:\n"
        "      TableName: !Sub \"${T}${T}\"\n",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct import *import = start();
        struct ddbsim_error error = refused(import, cases[i]);
        has(error.message, "in a circle");
        import_destroy(import);
    }
}

/* A parameter that the command line gives. */
static void parameters(void **state) {
    (void)state;
    struct import *import = NULL;
    struct ddbsim_error error = {0};
    const char *const given[] = {"Wor=no", "Word=given", "Word=late"};
    const struct import_options options = {.parameters = given, .parameter_count = 3};
    assert_int_equal(import_create(&options, &import, &error), DDBSIM_OK);
    take(import, "template", FUNCTIONS_BEFORE "!Ref Word\n");
    assert_non_null(import_find_table(import, "given"));
    import_destroy(import);
}

static void global_tables(void **state) {
    (void)state;
    becomes("Resources:\n  G:\n    Type: AWS::DynamoDB::GlobalTable\n    Properties:\n"
            "      TableName: g\n      BillingMode: PROVISIONED\n"
            "      KeySchema: [{AttributeName: id, KeyType: HASH}]\n"
            "      GlobalSecondaryIndexes:\n"
            "        - IndexName: i\n          KeySchema: [{AttributeName: x, KeyType: HASH}]\n"
            "          Projection: {ProjectionType: ALL}\n"
            "          WriteProvisionedThroughputSettings:\n"
            "            WriteCapacityAutoScalingSettings: {MinCapacity: 7, MaxCapacity: 70,\n"
            "              TargetTrackingScalingPolicyConfiguration: {TargetValue: 50}}\n"
            "      WriteProvisionedThroughputSettings:\n"
            "        WriteCapacityAutoScalingSettings: {MinCapacity: 10, MaxCapacity: 100,\n"
            "          SeedCapacity: 20,\n"
            "          TargetTrackingScalingPolicyConfiguration: {TargetValue: 60}}\n"
            "      Replicas:\n"
            "        - Region: us-east-2\n"
            "          ReadProvisionedThroughputSettings: {ReadCapacityUnits: 33}\n"
            "          GlobalSecondaryIndexes: [{IndexName: i, ReadProvisionedThroughputSettings: "
            "{ReadCapacityUnits: 9}}]\n"
            "        - {Region: eu-west-1}\n        - {Region: eu-central-1}\n",
            (const char *const[]){
                "read_capacity: 33", "write_capacity: 20",
                "write: {min_capacity: 10, max_capacity: 100, target_value: 60%}",
                "replicas: [us-east-2, eu-central-1]", "which the scenario calls eu-west-1",
                "read_capacity: 9", "write_capacity: 7  # assumed",
                "write: {min_capacity: 7, max_capacity: 70, target_value: 50%}", NULL});
}

/* ---- auto scaling's own alarms ---- */

#define OWN(kind, metric, comparison, threshold)                                              \
    "{\"AlarmName\": \"TargetTracking-table/t-" kind "-1\", \"Namespace\": \"AWS/DynamoDB\"," \
    " \"MetricName\": \"" metric "\", \"Period\": 60, \"EvaluationPeriods\": 2,"              \
    " \"ComparisonOperator\": \"" comparison "Threshold\", \"Threshold\": " threshold "}"

static void alarms_tell_the_policy(void **state) {
    (void)state;
    /* 80 units at 75 %: 3,600 a minute; scaling in begins 20 points lower, at 2,640. */
    becomes("[" OWN("AlarmHigh", "ConsumedWriteCapacityUnits", "GreaterThan", "3600") "," OWN(
                "AlarmLow", "ConsumedWriteCapacityUnits", "LessThan", "2640") "]",
            (const char *const[]){"write_capacity: 80\n", "target_value: 75%", NULL});
    /* The capacity at which the others ring. */
    becomes("[" OWN("AlarmHigh", "ConsumedReadCapacityUnits", "GreaterThan", "3000") "," OWN(
                "ProvisionedCapacityLow", "ProvisionedReadCapacityUnits", "LessThan", "100") "]",
            (const char *const[]){"read_capacity: 100\n", "target_value: 50%", NULL});
    /* Alone: at 70 %. */
    becomes("[" OWN("AlarmHigh", "ConsumedReadCapacityUnits", "GreaterThan", "4200") "]",
            (const char *const[]){"read_capacity: 100\n", "target_value: 70%", "(78..350)", NULL});
}

/* ---- the writer ---- */

/* What is written reads back as the same tree, whatever its texts are. */
static void written_trees_read_back(void **state) {
    (void)state;
    static const char *const texts[] = {"plain", "",         "null",  "~",     "- a",  "a: b",
                                        "a #b",  "{x}",      "[1]",   "\"q\"", "b\\n", "true",
                                        "  ",    "\303\251", "*x",    "&x",    "!x",   "%x",
                                        "@x",    "a:",       "--- x", "? x",   "a\nb", "x,y"};
    struct import *import = start();
    struct ddbsim_error error = {0};
    struct yaml_node *root = yaml_new(import->arena, YAML_MAPPING, NULL), *back = NULL;
    struct buffer out = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *key = import_text(import, "k%zu %s", i, i == 22 ? "x" : texts[i]);
        struct yaml_node *list = import_list(import, root, key);
        struct yaml_node *item = import_item(import, list);
        struct yaml_node *line = import_put(import, item, "text", "%s", texts[i]);
        if (i % 2) import_comment(import, line, "why %s", texts[i]);
        import_list(import, item, "nothing");
        import_map(import, import_map(import, item, "deep"), "deeper");
    }
    yaml_block(&out, root);
    assert_int_equal(yaml_parse(import->arena, out.bytes, out.length, "out", &back, &error),
                     DDBSIM_OK);
    char *one = yaml_flow(import->arena, root), *other = yaml_flow(import->arena, back);
    assert_string_equal(one, other);
    free(out.bytes);
    import_destroy(import);
}

/* ---- the document ---- */

static void every_kind_is_documented(void **state) {
    (void)state;
    char text[65536], row[80];
    FILE *file = fopen(SOURCE_ROOT "/docs/import.md", "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    for (size_t i = 0; import_kind(i); i++) {
        snprintf(row, sizeof row, "| `%s` |", import_kind(i)->name);
        has(text, row);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(sizes_and_keys),
        cmocka_unit_test(quotas),
        cmocka_unit_test(assumed_loads_are_calm),
        cmocka_unit_test(a_state_counts_more_than_a_template),
        cmocka_unit_test(what_contradicts_itself),
        cmocka_unit_test(regions_side_by_side),
        cmocka_unit_test(nothing_to_simulate),
        cmocka_unit_test(functions),
        cmocka_unit_test(circles_end),
        cmocka_unit_test(parameters),
        cmocka_unit_test(global_tables),
        cmocka_unit_test(alarms_tell_the_policy),
        cmocka_unit_test(written_trees_read_back),
        cmocka_unit_test(every_kind_is_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
