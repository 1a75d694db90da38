/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Separated values of any origin: column maps, headers, quotes, delimiters; and what is wrong with them. */
#include "recording_fixture.h"

#include <base/rng.h>
#include <csv.h>
#include <workloads/replay/rows.h>

#define S "000000000"

static const struct recording_options nothing = {0};
static const struct recording_options by_number = {.columns = "time=1,key=2,size=4,operation=6"};

static void column_numbers(void **state) {
    (void)state;
    recording_expect("3600,nz:u:eeW5,24,310,17,set,86400\n3601,k2,2,0,1,get,0\n", by_number,
                     "3600" S " nz:u:eeW5 - PutItem 310 1 -\n3601" S " k2 - GetItem 0 1 -\n");
    /* A first row whose time is none is a header. */
    recording_expect("at,id,x,n,y,verb\n5,a,,7,,DeleteItem\n", by_number,
                     "5" S " a - DeleteItem 7 1 -\n");
    recording_expect("a,b\n", (struct recording_options){.columns = "time=2,key=1"}, "");
}

static void column_names(void **state) {
    (void)state;
    struct recording_options options = {.columns = "time=at,key=who,sort=what,table=where"};
    recording_expect("what;at;extra;who;where\nS1;2;;K1;t\n;3;;;\n", options,
                     "2" S " K1 S1 - - 1 t\n3" S " - - - - 1 -\n");
    recording_refuse("a,b\n1,2\n", (struct recording_options){.columns = "time=when"}, 1,
                     "no column \"when\", which would be the time: there are a, b");
    recording_refuse("a,b\n1,2\n", (struct recording_options){.columns = "time=1,key=1"}, 0,
                     "key is another one already");
}

static void column_maps(void **state) {
    (void)state;
    static const struct {
        const char *columns, *words;
    } wrong[] = {
        {"key=1", "no column is the time"},
        {"time", "there is no ="},
        {"time=1,", "there is no ="},
        {"zeit=1", "nothing is called so"},
        {"time=1,time=2", "twice"},
        {"time=", "a number or a name"},
        {"time=0", "1 to 1024"},
        {"time=1025", "1 to 1024"},
        {"time=99999999999", "1 to 1024"},
        {"", "there is no ="},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        recording_refuse("1,2\n", (struct recording_options){.columns = wrong[i].columns}, 0,
                         wrong[i].words);
}

static void usual_names(void **state) {
    (void)state;
    recording_expect("Timestamp,PK,SK,op,item_size,count,errorCode\n"
                     "2026-08-07T16:20:03Z,K,S,update_item,1024,2.5,ThrottlingException\n"
                     "2026-08-07T18:20:03.25+02:00,K,S,GETITEM,,,ValidationException\n",
                     nothing,
                     "1786119603" S " K S UpdateItem 1024 2.5 - throttled\n"
                     "1786119603250000000 K S GetItem - 1 -\n");
    recording_refuse("a,b,c\n1,2,3\n", (struct recording_options){.format = "csv"}, 1,
                     "no column \"time\"");
    recording_refuse("a,b,c\n1,2,3\n", nothing, 0, "no format is known that begins like this");
    recording_refuse("", nothing, 0, "the file is empty");
    recording_expect("", (struct recording_options){.format = "csv"}, "");
}

static void quotes(void **state) {
    (void)state;
    recording_expect("time,key\n1,\"a,\"\"b\"\"\"\n2,\"two\nlines\"\n3,c\n", nothing,
                     "1" S " a,\"b\" - - - 1 -\n2" S " two\nlines - - - 1 -\n3" S " c - - - 1 -\n");
    recording_refuse("time,key\n1,a\"b\n", nothing, 2, "a quote stands within a field");
    recording_refuse("time,key\n1,a\n2,\"b\n3,c\n", nothing, 3, "ends within a quoted field");
    recording_expect_skipping("time,key\n1,a\"b\n2,c\n3,\"d\"e\n4,f\n", 30, nothing,
                              "2" S " c - - - 1 -\n4" S " f - - - 1 -\n", 2,
                              "line 2: a quote stands within a field");
}

static void delimiters(void **state) {
    (void)state;
    recording_expect("time;key;x,y\n1;a;2,3\n", nothing, "1" S " a - - - 1 -\n");
    recording_expect("time\tkey\n1\ta b\n", nothing, "1" S " a b - - - 1 -\n");
    recording_expect("time|key\n1|a\n", nothing, "1" S " a - - - 1 -\n");
    recording_expect("time:key\n1:a\n",
                     (struct recording_options){.format = "csv", .delimiter = ':'},
                     "1" S " a - - - 1 -\n");
}

static void line_ends(void **state) {
    (void)state;
    recording_expect("time,key\r\n1,a\n2,b\r\n\n\r\n3,c", nothing,
                     "1" S " a - - - 1 -\n2" S " b - - - 1 -\n3" S " c - - - 1 -\n");
    recording_expect("\xef\xbb\xbftime,key\n1,a\r\n2,b\r", nothing,
                     "1" S " a - - - 1 -\n2" S " b - - - 1 -\n");
    recording_refuse("time,key\n1,a\r2,b\n", nothing, 2, "carriage return stands within the line");
}

static void bad_rows(void **state) {
    (void)state;
    static const struct {
        const char *row, *words;
    } wrong[] = {
        {"2,k,1,get", "the time goes back by 3000000 us: rows are sorted by time"},
        {"-6,k,1,get", "the time \"-6\" is negative"},
        {"soon,k,1,get", "the time \"soon\" is neither a number nor a date"},
        {",k,1,get", "the time is missing"},
        {"9223372037,k,1,get", "the time \"9223372037\" is beyond the year 2262"},
        {"1e40,k,1,get", "is beyond the year 2262"},
        {"2026-02-30T00:00:00Z,k,1,get", "is neither a number nor a date"},
        {"2026-02-03T00:00:00Z,k,1,get", "is a date, and those before count from zero"},
        {"1301-08-07T16:20:03Z,k,1,get", "is before 1970"},
        {"9999-08-07T16:20:03Z,k,1,get", "is beyond the year 2262"},
        {"2026-08-07T25:20:03Z,k,1,get", "is a date with something wrong behind it"},
        {"6,k,1.5,get", "the size \"1.5\" is no whole number of bytes"},
        {"6,k,-1,get", "the size \"-1\" is negative"},
        {"6,k,409601,get", "the item has 409601 bytes; AWS allows 400 KB"},
        {"6,k,99999999999999999999,get", "is beyond any range"},
        {"6,k,1,frobnicate", "the operation \"frobnicate\" is none that is known"},
        {"6,k", "the row has 2 columns of the 4 that are needed"},
        {"6,\xff,1,get", "the key is not UTF-8"},
        {"6,\xed\xa0\x80,1,get", "the key is not UTF-8"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char text[256];
        int length = snprintf(text, sizeof text, "time,key,size,op\n5,j,3,put\n%s\n7,l,3,put\n",
                              wrong[i].row);
        recording_refuse(text, nothing, 3, wrong[i].words);
        recording_expect_skipping(text, (size_t)length, nothing,
                                  "5" S " j - PutItem 3 1 -\n7" S " l - PutItem 3 1 -\n", 1,
                                  wrong[i].words);
    }
    recording_expect("time,key,size\n5,j,409600\n5,k,0\n", nothing,
                     "5" S " j - - 409600 1 -\n5" S " k - - 0 1 -\n");
    recording_refuse("time,count\n1,-1\n", nothing, 2, "a count of -1 is beyond any range");
    recording_refuse("time,count\n1,1e13\n", nothing, 2, "a count of 1e+13 is beyond any range");
    recording_refuse("time,count\n1,many\n", nothing, 2, "the count \"many\" is no number");
}

static void long_texts(void **state) {
    (void)state;
    char *text = malloc(12 << 20);
    size_t used = (size_t)sprintf(text, "time,key\n1,");
    memset(text + used, 'k', RECORDING_KEY_MAX + 1);
    used += RECORDING_KEY_MAX + 1;
    used += (size_t)sprintf(text + used, "\n2,b\n");
    recording_refuse_bytes(text, used, nothing, 2, "the key has 2049 bytes; AWS allows 2048");
    /* A line of 10 MB. */
    used = (size_t)sprintf(text, "time,key\n1,a\n2,");
    memset(text + used, 'k', 10 << 20);
    used += 10 << 20;
    used += (size_t)sprintf(text + used, "\n3,c\n");
    recording_refuse_bytes(text, used, nothing, 3, "the row has over 1 MB");
    recording_expect_skipping(text, used, nothing, "1" S " a - - - 1 -\n3" S " c - - - 1 -\n", 1,
                              "line 3: the row has over 1 MB");
    /* A quote that is never closed takes as much as a row may have, and no more. */
    used = (size_t)sprintf(text, "time,key\n1,\"");
    for (int i = 0; i < 200000; i++)
        used += (size_t)sprintf(text + used, "2,some key\n");
    recording_refuse_bytes(text, used, nothing, 2, "the row has over 1 MB");
    free(text);
}

static void nul_bytes(void **state) {
    (void)state;
    static const char text[] = "time,key\n1,a\0b\n2,c\n";
    recording_refuse_bytes(text, sizeof text - 1, nothing, 2, "there is a NUL in the key");
    recording_expect_skipping(text, sizeof text - 1, nothing, "2" S " c - - - 1 -\n", 1, "NUL");
}

/* Many rows: past the rows that are read ahead, and past the block. */
static void many_rows(void **state) {
    (void)state;
    enum { ROWS = 60000 };
    char *text = malloc((size_t)ROWS * 32), line[128];
    size_t used = (size_t)sprintf(text, "time,key\n");
    for (int i = 0; i < ROWS; i++)
        used += (size_t)sprintf(text + used, "%d.%03d,key-%d\n", i / 1000, i % 1000, i);
    struct ddbsim_error error = {0};
    struct recording *recording = recording_of(text, used, nothing, &error);
    assert_non_null(recording);
    assert_int_equal(recording_facts(recording)->resolution_ns, 1000000);
    assert_false(recording_facts(recording)->is_absolute);
    assert_string_equal(recording_facts(recording)->format, "csv");
    for (int pass = 0; pass < 2; pass++) {
        struct recorded row;
        bool more = true;
        for (int i = 0; i < ROWS; i++) {
            assert_int_equal(recording_next(recording, &row, &more, &error), DDBSIM_OK);
            assert_true(more);
            assert_int_equal(row.t_ns, i * INT64_C(1000000));
            assert_int_equal(row.line, i + 2);
            snprintf(line, sizeof line, "key-%d", i);
            assert_string_equal(row.key, line);
        }
        assert_int_equal(recording_next(recording, &row, &more, &error), DDBSIM_OK);
        assert_false(more);
        assert_int_equal(recording_facts(recording)->rows, ROWS);
        assert_int_equal(recording_rewind(recording, &error), DDBSIM_OK);
    }
    recording_destroy(recording);
    free(text);
}

static void facts_of(const char *text, const char *unit, int64_t resolution_ns, bool is_absolute,
                     int64_t first_ns) {
    struct ddbsim_error error = {0};
    struct recorded row;
    bool more;
    struct recording *recording =
        recording_of(text, strlen(text),
                     (struct recording_options){.columns = "time=1", .time_unit = unit}, &error);
    assert_non_null(recording);
    assert_int_equal(recording_facts(recording)->resolution_ns, resolution_ns);
    assert_int_equal(recording_facts(recording)->is_absolute, is_absolute);
    assert_int_equal(recording_next(recording, &row, &more, &error), DDBSIM_OK);
    assert_true(more);
    assert_int_equal(row.t_ns, first_ns);
    recording_destroy(recording);
}

static void units_of_time(void **state) {
    (void)state;
    facts_of("1786119603\n", NULL, 1000000000, true, INT64_C(1786119603000000000));
    facts_of("1786119603.12\n1786119604\n", NULL, 1000000, true, INT64_C(1786119603120000000));
    facts_of("1786119603120\n", NULL, 1000000, true, INT64_C(1786119603120000000));
    facts_of("1786119603000\n", NULL, 1000000, true, INT64_C(1786119603000000000));
    facts_of("1786119603120456\n", NULL, 1000, true, INT64_C(1786119603120456000));
    facts_of("1786119603120456789\n", NULL, 1, true, INT64_C(1786119603120456789));
    facts_of("1.786119603e9\n", NULL, 1000000000, true, INT64_C(1786119603000000000));
    facts_of("0\n0\n1\n", NULL, 1000000000, false, 0);
    facts_of("1500\n", "ms", 1000000, false, 1500000000);
    facts_of("1500\n", "us", 1000, false, 1500000);
    facts_of("1500\n", "ns", 1, false, 1500);
    facts_of("1786119603\n", "s", 1000000000, true, INT64_C(1786119603000000000));
    facts_of("2026-08-07 16:20:03\n", NULL, 1000000000, true, INT64_C(1786119603000000000));
    facts_of("2026-08-07T16:20:03.120Z\n", NULL, 1000000, true, INT64_C(1786119603120000000));
    facts_of("2026-08-07\n", NULL, 1000000000, true, INT64_C(1786060800000000000));
    recording_refuse("1\n", (struct recording_options){.columns = "time=1", .time_unit = "h"}, 0,
                     "time unit \"h\"");
}

/* ---- lines without quotes, which do not go through libcsv, are what libcsv makes of them ---- */

struct fields {
    char text[256];
    int count;
};

static void add_field(void *bytes, size_t length, void *context) {
    struct fields *fields = context;
    size_t used = strlen(fields->text);
    snprintf(fields->text + used, sizeof fields->text - used, "[%.*s]", (int)length,
             (const char *)bytes);
    fields->count++;
}

static void no_more(int unused, void *context) { (void)unused, (void)context; }

static void by_libcsv(const char *line, size_t length, char delimiter, struct fields *out) {
    struct csv_parser parser;
    assert_int_equal(csv_init(&parser, CSV_STRICT), 0);
    csv_set_delim(&parser, (unsigned char)delimiter);
    assert_int_equal(csv_parse(&parser, line, length, add_field, no_more, out), length);
    csv_fini(&parser, add_field, no_more, out);
    csv_free(&parser);
}

static void by_rows(const char *line, size_t length, char delimiter, struct fields *out) {
    struct ddbsim_error error = {0};
    struct recording_options options = {0};
    struct reader reader = {.options = &options};
    struct rows *rows;
    int count;
    struct recording_file file = recording_file_of(line, length);
    assert_int_equal(feed_create(file.path, &reader.feed, &error), DDBSIM_OK);
    assert_int_equal(rows_create(&reader, delimiter, &rows, &error), DDBSIM_OK);
    assert_int_equal(rows_read_names(rows, &count, &error), DDBSIM_OK);
    for (int i = 0; i < count; i++)
        add_field((char *)(uintptr_t)rows_name(rows, i)->text, rows_name(rows, i)->length, out);
    rows_destroy(rows);
    feed_destroy(reader.feed);
    close(file.descriptor);
}

static void lines_without_quotes(void **state) {
    (void)state;
    static const char alphabet[] = "ab \t,,;", delimiters[] = ",;\t ";
    struct rng rng;
    rng_seed(&rng, 11);
    for (int i = 0; i < 4000; i++) {
        char line[24];
        size_t length = draw_below(rng_next(&rng), sizeof line);
        for (size_t k = 0; k < length; k++)
            line[k] = alphabet[draw_below(rng_next(&rng), sizeof alphabet - 1)];
        char delimiter = delimiters[draw_below(rng_next(&rng), sizeof delimiters - 1)];
        struct fields expected = {0}, got = {0};
        by_libcsv(line, length, delimiter, &expected);
        by_rows(line, length, delimiter, &got);
        assert_string_equal(got.text, expected.text);
        assert_int_equal(got.count, expected.count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_numbers),
        cmocka_unit_test(column_names),
        cmocka_unit_test(column_maps),
        cmocka_unit_test(usual_names),
        cmocka_unit_test(quotes),
        cmocka_unit_test(delimiters),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(bad_rows),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(nul_bytes),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(units_of_time),
        cmocka_unit_test(lines_without_quotes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
