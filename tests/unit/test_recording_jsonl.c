/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON lines: the usual names, paths, typed values; and what is wrong with them. */
#include "recording_fixture.h"

#define S "000000000"

static const struct recording_options nothing = {0};

static void usual_names(void **state) {
    (void)state;
    recording_expect("{\"ts\": 5, \"pk\": \"K\", \"sk\": 12, \"op\": \"PutItem\", \"size\": 100, "
                     "\"count\": 1.5, "
                     "\"throttled\": true, \"table\": \"t\"}\n\n"
                     "{\"ts\": 6.5, \"pk\": null, \"size\": 310.0, \"other\": [1, {\"a\": 2}]}\r\n",
                     nothing,
                     "5" S " K 12 PutItem 100 1.5 t throttled\n6500000000 - - - 310 1 -\n");
    recording_expect("\xef\xbb\xbf{\"time\": \"2026-08-07T16:20:03.5Z\", \"key\": {\"S\": \"a\"}, "
                     "\"sort\": {\"N\": \"7\"}}",
                     nothing, "1786119603500000000 a 7 - - 1 -\n");
}

static void paths(void **state) {
    (void)state;
    struct recording_options options = {.columns = "time=a.b,key=user.id,operation=x.y"};
    recording_expect("{\"a\": {\"b\": 1}, \"user\": {\"id\": \"k\"}, \"x.y\": \"get\"}\n"
                     "{\"a\": {\"b\": 2}, \"user\": {}, \"x\": 7}\n",
                     options, "1" S " k - GetItem - 1 -\n2" S " - - - - 1 -\n");
}

static void times_with_fractions(void **state) {
    (void)state;
    recording_expect("{\"time\": 1786119603.12, \"key\": 1}\n"
                     "{\"time\": 1786119603.123457, \"key\": 1}\n",
                     nothing, "1786119603120000000 1 - - - 1 -\n1786119603123457000 1 - - - 1 -\n");
    recording_expect("{\"time\": 1786119603120.5, \"key\": 1}\n", nothing,
                     "1786119603120500000 1 - - - 1 -\n");
    recording_expect("{\"time\": 0.001234567, \"key\": 1}\n", nothing, "1234567 1 - - - 1 -\n");
}

static void bad_rows(void **state) {
    (void)state;
    static const struct {
        const char *row, *words;
    } wrong[] = {
        {"{\"time\": 6", "the line is no JSON"},
        {"[1]", "the line is JSON, but no object"},
        {"{\"key\": \"k\"}", "the time is missing"},
        {"{\"time\": null}", "the time is missing"},
        {"{\"time\": -6.5}", "the time -6.5 is negative"},
        {"{\"time\": -6}", "the time \"-6\" is negative"},
        {"{\"time\": 1e300}", "is beyond the year 2262"},
        {"{\"time\": [6]}", "the time is neither a text nor a whole number"},
        {"{\"time\": 4}", "the time goes back"},
        {"{\"time\": 6, \"time\": 6}", "the line is no JSON: duplicate"},
        {"{\"time\": 6, \"key\": {\"a\": 1, \"b\": 2}}", "the key is neither a text"},
        {"{\"time\": 6, \"key\": 1.5}", "the key is neither a text nor a whole number"},
        {"{\"time\": 6, \"key\": \"\xff\"}", "the line is no JSON"},
        {"{\"time\": 6, \"key\": \"a\\u0000b\"}", "the line is no JSON"},
        {"{\"time\": 6, \"size\": -1}", "the size \"-1\" is negative"},
        {"{\"time\": 6, \"size\": 500000}", "AWS allows 400 KB"},
        {"{\"time\": 6, \"count\": -2.5}", "a count of -2.5 is beyond"},
        {"{\"time\": 6, \"op\": \"frob\"}", "the operation \"frob\" is none"},
        {"{\"time\": 99999999999999999999}", "the line is no JSON"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256];
        int length = snprintf(text, sizeof text,
                              "{\"time\": 5, \"key\": \"j\"}\n%s\n{\"time\": 7}\n", wrong[i].row);
        recording_refuse(text, nothing, 2, wrong[i].words);
        recording_expect_skipping(text, (size_t)length, nothing,
                                  "5" S " j - - - 1 -\n7" S " - - - - 1 -\n", 1, wrong[i].words);
    }
}

static void long_line(void **state) {
    (void)state;
    size_t length = 10 << 20, used;
    char *text = malloc(length + 256);
    used = (size_t)sprintf(text, "{\"time\": 1, \"key\": \"a\"}\n{\"time\": 1, \"key\": \"");
    memset(text + used, 'k', length);
    used += length;
    used += (size_t)sprintf(text + used, "\"}\n{\"time\": 1, \"key\": \"b\"}\n");
    recording_refuse_bytes(text, used, nothing, 2, "the line has over 1 MB");
    recording_expect_skipping(text, used, nothing, "1" S " a - - - 1 -\n1" S " b - - - 1 -\n", 1,
                              "line 2: the line has over 1 MB");
    free(text);
}

static void recognition(void **state) {
    (void)state;
    recording_refuse("{\"a\": 1}\n", nothing, 0, "no format is known that begins like this");
    recording_refuse("{\"Records\": []}\n", nothing, 0, "no format is known");
    recording_refuse("{\"time\": 1}\n", (struct recording_options){.format = "tsv"}, 0,
                     "no format is called \"tsv\"");
    recording_expect("{\"a\": 1}\n", (struct recording_options){.columns = "time=a"},
                     "1" S " - - - - 1 -\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usual_names),
        cmocka_unit_test(paths),
        cmocka_unit_test(times_with_fractions),
        cmocka_unit_test(bad_rows),
        cmocka_unit_test(long_line),
        cmocka_unit_test(recognition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
