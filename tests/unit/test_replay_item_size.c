/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sizes of items against AWS's rules, and against the SizeBytes of AWS's example of stream records. */
#include <support/cmocka.h>
#include <string.h>
#include <workloads/replay/item_size.h>

static int64_t size_of(const char *text) {
    json_t *json = json_loads(text, 0, NULL);
    assert_non_null(json);
    int64_t size = item_size(json);
    json_decref(json);
    return size;
}

/* "Working with DynamoDB streams" of the developer guide: keys and images of three records and their SizeBytes. */
static void stream_records_of_the_guide(void **state) {
    (void)state;
    const char *keys = "{\"Id\": {\"N\": \"101\"}}";
    const char *first = "{\"Message\": {\"S\": \"New item!\"}, \"Id\": {\"N\": \"101\"}}";
    const char *second =
        "{\"Message\": {\"S\": \"This item has changed\"}, \"Id\": {\"N\": \"101\"}}";
    assert_int_equal(size_of(keys) + size_of(first), 26);
    assert_int_equal(size_of(keys) + size_of(first) + size_of(second), 59);
    assert_int_equal(size_of(keys) + size_of(second), 38);
}

static void numbers_by_significant_digits(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } numbers[] = {
        {"0", 1},
        {"-0.00", 1},
        {"7", 2},
        {"70", 2},
        {"100000", 2},
        {"0.0001", 2},
        {"12", 2},
        {"123", 3},
        {"1203", 3},
        {"-41.30", 3},
        {"41.3", 3},
        {"1.5e10", 2},
        {"1E-7", 2},
        {"+5", 2},
        {".5", 2},
        {"12345678901234567890123456789012345678", 20},
        {"123456789012345678901234567890123456780000", 20},
    };
    static const char *const bad[] = {
        "",    "-",  ".",  "1e",  "1e+",   "0x1",
        "1,5", " 1", "1 ", "NaN", "1.2.3", "123456789012345678901234567890123456789"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_int_equal(item_size_number(numbers[i].text), numbers[i].bytes);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(item_size_number(bad[i]), ITEM_SIZE_BAD);
}

static void bytes_behind_base64(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t bytes;
    } texts[] = {{"", 0},     {"AAAA", 3},  {"AAA=", 2},  {"AA==", 1},  {"dGVzdA==", 4},
                 {"AAA", -1}, {"A===", -1}, {"====", -1}, {"AA=A", -1}, {"A A=", -1}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(item_size_binary(texts[i].text, strlen(texts[i].text)), texts[i].bytes);
}

/* Name 1 byte each; what follows is the value by the rule of its type. */
static void each_type(void **state) {
    (void)state;
    assert_int_equal(size_of("{}"), 0);
    assert_int_equal(size_of("{\"a\": {\"S\": \"\"}}"), 1);
    assert_int_equal(size_of("{\"a\": {\"S\": \"h\\u00e9\"}}"), 1 + 3);
    assert_int_equal(size_of("{\"\\u00e9\": {\"S\": \"x\"}}"), 2 + 1);
    assert_int_equal(size_of("{\"a\": {\"BOOL\": false}}"), 1 + 1);
    assert_int_equal(size_of("{\"a\": {\"NULL\": true}}"), 1 + 1);
    assert_int_equal(size_of("{\"a\": {\"B\": \"dGVzdA==\"}}"), 1 + 4);
    assert_int_equal(size_of("{\"a\": {\"SS\": [\"one\", \"three\"]}}"), 1 + 8);
    assert_int_equal(size_of("{\"a\": {\"NS\": [\"12\", \"345\"]}}"), 1 + 2 + 3);
    assert_int_equal(size_of("{\"a\": {\"BS\": [\"AAAA\"]}}"), 1 + 3);
    assert_int_equal(size_of("{\"a\": {\"L\": []}}"), 1 + 3);
    assert_int_equal(size_of("{\"a\": {\"M\": {}}}"), 1 + 3);
    assert_int_equal(size_of("{\"a\": {\"L\": [{\"S\": \"xy\"}, {\"N\": \"1\"}]}}"), 1 + 3 + 3 + 3);
    assert_int_equal(size_of("{\"a\": {\"M\": {\"bc\": {\"S\": \"xy\"}}}}"), 1 + 3 + 1 + 2 + 2);
    assert_int_equal(size_of("{\"a\": {\"L\": [{\"L\": [{\"M\": {}}]}]}}"), 1 + 3 + 1 + 3 + 1 + 3);
}

static void what_is_no_item(void **state) {
    (void)state;
    static const char *const bad[] = {
        "[]",
        "{\"a\": 1}",
        "{\"a\": \"x\"}",
        "{\"a\": {}}",
        "{\"a\": {\"S\": 1}}",
        "{\"a\": {\"N\": \"x\"}}",
        "{\"a\": {\"N\": 12}}",
        "{\"a\": {\"S\": \"x\", \"N\": \"1\"}}",
        "{\"a\": {\"Q\": \"x\"}}",
        "{\"a\": {\"BOOL\": \"true\"}}",
        "{\"a\": {\"NULL\": false}}",
        "{\"a\": {\"L\": {}}}",
        "{\"a\": {\"M\": []}}",
        "{\"a\": {\"SS\": \"x\"}}",
        "{\"a\": {\"SS\": [1]}}",
        "{\"a\": {\"L\": [1]}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(size_of(bad[i]), ITEM_SIZE_BAD);
}

/* AWS allows 32 levels. */
static void nesting_ends(void **state) {
    (void)state;
    for (int levels = 31; levels <= 34; levels++) {
        char text[1024] = "{\"a\": ";
        for (int i = 0; i < levels; i++)
            strcat(text, "{\"L\": [");
        strcat(text, "{\"S\": \"\"}");
        for (int i = 0; i < levels; i++)
            strcat(text, "]}");
        strcat(text, "}");
        assert_int_equal(size_of(text), levels <= 32 ? 1 + 4 * levels : ITEM_SIZE_BAD);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_records_of_the_guide),
        cmocka_unit_test(numbers_by_significant_digits),
        cmocka_unit_test(bytes_behind_base64),
        cmocka_unit_test(each_type),
        cmocka_unit_test(what_is_no_item),
        cmocka_unit_test(nesting_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
