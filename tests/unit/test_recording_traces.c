/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of caches and results of load tests: their rows, what they are told by, and what is wrong with them. */
#include "recording_fixture.h"

#define S "000000000"

static const struct recording_options nothing = {0};

static void twitter(void **state) {
    (void)state;
    recording_expect("0,nz:u:eeW5,24,310,17,set,86400\n0,k,1,0,9,get,0\n7,k,1,2,9,gets,0\n",
                     nothing,
                     "0 nz:u:eeW5 - PutItem 334 1 -\n0 k - GetItem 1 1 -\n"
                     "7" S " k - GetItem 3 1 -\n");
    static const struct {
        const char *word, *operation;
    } words[] = {{"get", "GetItem"},       {"gets", "GetItem"},       {"set", "PutItem"},
                 {"add", "PutItem"},       {"replace", "PutItem"},    {"cas", "PutItem"},
                 {"append", "UpdateItem"}, {"prepend", "UpdateItem"}, {"incr", "UpdateItem"},
                 {"decr", "UpdateItem"},   {"delete", "DeleteItem"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        char text[64], expected[64];
        snprintf(text, sizeof text, "5,k,1,2,3,%s,0\n", words[i].word);
        snprintf(expected, sizeof expected, "5" S " k - %s 3 1 -\n", words[i].operation);
        recording_expect(text, nothing, expected);
    }
    recording_refuse("5,k,1,2,3,get,0\n6,k,1,2,3,get\n", nothing, 2,
                     "the row has 6 columns of the 7");
    recording_refuse("5,k,1,2,3,get,0\n6,k,1,2,3,flush,0\n", nothing, 2, "\"flush\" is none");
    recording_refuse("5,k,1,2,3,get,0\n6,k,-1,2,3,get,0\n", nothing, 2,
                     "the key size \"-1\" is negative");
    recording_refuse("5,k,1,2,3,get,0\n6,k,409600,1,3,get,0\n", nothing, 2, "409601 bytes");
    recording_refuse("5,k,1,2,3,get,0\n6,k,9223372036854775807,9,3,get,0\n", nothing, 2,
                     "AWS allows 400 KB");
}

static void cachelib(void **state) {
    (void)state;
    recording_expect("op_time,key,key_size,op,op_count,size,cache_hits,ttl\n"
                     "1686009600,K77,18,GET,3,512,1,0\n1686009601,K78,18,SET,1,512,0,60\n"
                     "1686009601,K78,18,GET_LEASE,1,,0,60\n",
                     nothing,
                     "1686009600" S " K77 - GetItem 530 3 -\n1686009601" S
                     " K78 - PutItem 530 1 -\n"
                     "1686009601" S " K78 - GetItem - 1 -\n");
    recording_expect("key,op,op_count,op_time\nK,delete,0,9\n", nothing,
                     "9" S " K - DeleteItem - 0 -\n");
    recording_refuse("key,op,size,op_count,key_size\nK,GET,1,1,1\n",
                     (struct recording_options){.format = "cachelib"}, 1,
                     "the header has no column op_time; it has key, op, size");
    recording_refuse("op_time,key,op,op_count\n5,K,GET,-3\n", nothing, 2, "a count of -3");
    recording_expect("", (struct recording_options){.format = "cachelib"}, "");
}

/* Little-endian and packed, whatever the machine. */
static size_t put_record(unsigned char *out, uint32_t time_s, uint64_t object, uint32_t bytes,
                         int64_t next) {
    for (int i = 0; i < 4; i++) {
        out[i] = (unsigned char)(time_s >> 8 * i);
        out[12 + i] = (unsigned char)(bytes >> 8 * i);
    }
    for (int i = 0; i < 8; i++) {
        out[4 + i] = (unsigned char)(object >> 8 * i);
        out[16 + i] = (unsigned char)((uint64_t)next >> 8 * i);
    }
    return 24;
}

static void oracle_general(void **state) {
    (void)state;
    unsigned char bytes[24 * 4];
    struct ddbsim_error error = {0};
    size_t length = put_record(bytes, 3, UINT64_MAX, 4096, 2);
    length += put_record(bytes + length, 3, 7, 0, -1);
    length += put_record(bytes + length, 1786119603, UINT64_MAX, 409600, -1);
    struct recording *recording = recording_of(bytes, length, nothing, &error);
    assert_non_null(recording);
    assert_string_equal(recording_facts(recording)->format, "oracle-general");
    char *rows = recording_rows(recording, &error);
    assert_string_equal(rows, "3" S " 18446744073709551615 - - 4096 1 -\n3" S " 7 - - 0 1 -\n"
                              "1786119603" S " 18446744073709551615 - - 409600 1 -\n");
    free(rows);
    recording_destroy(recording);
    struct recording_options binary = {.format = "oracle-general"};
    recording_refuse_bytes(bytes, length - 1, binary, 3, "the file ends within a record");
    recording_refuse_bytes(bytes, length - 1, nothing, 0, "no format is known");
    length += put_record(bytes + length, 2, 7, 0, -1);
    recording_refuse_bytes(bytes, length, binary, 4, "the time goes back");
    put_record(bytes + 48, 4, 7, 1 << 20, -1);
    recording_refuse_bytes(bytes, 72, binary, 3, "the item has 1048576 bytes");
}

#define K6_HEADER "metric_name,timestamp,metric_value,error,method,name,status\n"

static void k6(void **state) {
    (void)state;
    recording_expect(K6_HEADER "http_reqs,1786119603,1.000000,,PUT,https://x/y,200\n"
                               "http_req_duration,1786119603,12.5,,PUT,https://x/y,200\n"
                               "http_reqs,1786119602,1.000000,,POST,UpdateItem,429\n"
                               "vus,1786119604,5,,,,\n"
                               "http_reqs,1786119604,2,\"Throttling, twice\",POST,x,400\n",
                     nothing,
                     "1786119602" S " - - UpdateItem - 1 - throttled\n"
                     "1786119603" S " - - PutItem - 1 -\n1786119604" S " - - - - 2 - throttled\n");
    /* Without http_reqs a duration is a request. */
    recording_expect(K6_HEADER "http_req_duration,1786119603.25,12.5,,DELETE,z,200\n", nothing,
                     "1786119603250000000 - - DeleteItem - 1 -\n");
    recording_refuse("metric_name,timestamp,value\nhttp_reqs,1,1\n",
                     (struct recording_options){.format = "k6"}, 1,
                     "the header has no column metric_value");
    recording_refuse(K6_HEADER "http_reqs,1786119603,one,,,,\n", nothing, 2,
                     "\"one\" is no number");
}

#define JTL_HEADER                                                                            \
    "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,failureMessage," \
    "bytes,sentBytes\n"

static void jmeter(void **state) {
    (void)state;
    /* In order of their ends: the second began first. */
    recording_expect(JTL_HEADER "1786119603120,14,UpdateItem,200,OK,tg 1-3,true,,320,1100\n"
                                "1786119603100,90,get-item,200,OK,tg 1-1,true,,320,1100\n"
                                "1786119603130,90,Login,400,\"ThrottlingException: \"\"x\"\"\n"
                                "second line\",tg 1-1,false,,320,1100\n"
                                "1786119603131,9,Query,429,no,tg 1-1,false,,320,1100\n"
                                "1786119603132,9,PutItem,200,OK,tg 1-1,true,,320,500000\n",
                     nothing,
                     "1786119603100000000 - - GetItem 320 1 -\n"
                     "1786119603120000000 - - UpdateItem 1100 1 -\n"
                     "1786119603130000000 - - - - 1 - throttled\n"
                     "1786119603131000000 - - Query - 1 - throttled\n"
                     "1786119603132000000 - - PutItem - 1 -\n");
    recording_expect("timeStamp;elapsed;label\n2026/08/07 16:20:03.5;1;Scan\n", nothing,
                     "1786119603500000000 - - Scan - 1 -\n");
    recording_refuse("timeStamp,elapsed,labels\n1,1,1\n",
                     (struct recording_options){.format = "jmeter"}, 1,
                     "the header has no column label");
}

/* Rows that are out of order by more than may be are told, or passed over; the others are sorted. */
static void disorder(void **state) {
    (void)state;
    enum { ROWS = 70000 };
    char *text = malloc((size_t)ROWS * 64), key[128];
    size_t used = (size_t)sprintf(text, "timeStamp,elapsed,label\n");
    /* Each pair swapped; and one row far too late. */
    for (int i = 0; i < ROWS; i++)
        used += (size_t)sprintf(text + used, "%d,1,GetItem\n", 2000000 + (i ^ 1));
    struct recording_options options = {.time_unit = "ms"};
    struct ddbsim_error error = {0};
    struct recording *recording = recording_of(text, used, options, &error);
    assert_non_null(recording);
    struct recorded row;
    bool more = true;
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(recording_next(recording, &row, &more, &error), DDBSIM_OK);
        assert_true(more);
        assert_int_equal(row.t_ns, (2000000 + i) * INT64_C(1000000));
    }
    recording_destroy(recording);
    used += (size_t)sprintf(text + used, "5,1,GetItem\n");
    snprintf(key, sizeof key, "the time goes back by");
    recording_refuse_bytes(text, used, options, ROWS + 2, key);
    free(text);
}

#define LOCUST_HEADER "Timestamp,User Count,Type,Name,Requests/s,Failures/s,Total Request Count\n"

static void locust(void **state) {
    (void)state;
    recording_expect(LOCUST_HEADER "1786119603,20,,Aggregated,0.0,0,0\n"
                                   "1786119604,20,,Aggregated,19.5,14.0,20\n"
                                   "1786119606,20,,Aggregated,19.5,14.0,61\n"
                                   "1786119607,20,,Aggregated,12.5,14.0,5\n",
                     nothing,
                     "1786119602" S " - - - - 0 - +1000000000\n"
                     "1786119603" S " - - - - 20 - +1000000000\n"
                     "1786119604" S " - - - - 41 - +2000000000\n"
                     "1786119606" S " - - - - 12.5 - +1000000000\n");
    /* By name: what was of all is not counted again. */
    recording_expect(LOCUST_HEADER "1786119603,20,,Aggregated,0,0,0\n"
                                   "1786119604,20,POST,UpdateItem,4,0,4\n"
                                   "1786119604,20,GET,/carrito,2,0,2\n"
                                   "1786119604,20,,Aggregated,6,0,6\n"
                                   "1786119605,20,POST,UpdateItem,4,0,9\n"
                                   "1786119605,20,GET,/carrito,2,0,2\n"
                                   "1786119605,20,,Aggregated,6,0,11\n"
                                   "1786119605,20,POST,UpdateItem,4,0,9\n",
                     nothing,
                     "1786119602" S " - - - - 0 - +1000000000\n"
                     "1786119603" S " - - UpdateItem - 4 - +1000000000\n"
                     "1786119603" S " - - GetItem - 2 - +1000000000\n"
                     "1786119604" S " - - UpdateItem - 5 - +1000000000\n"
                     "1786119604" S " - - GetItem - 0 - +1000000000\n");
    /* Without totals the rates count. */
    recording_expect("Timestamp,User Count,Name,Requests/s\n5,1,Aggregated,3\n7,1,Aggregated,4\n",
                     nothing, "4" S " - - - - 3 - +1000000000\n5" S " - - - - 8 - +2000000000\n");
    recording_refuse(LOCUST_HEADER "5,1,,Aggregated,3,0,3\n4,1,,Aggregated,3,0,3\n", nothing, 3,
                     "the time goes back");
    recording_refuse(LOCUST_HEADER "5,1,,Aggregated,-3,0,3\n", nothing, 2, "a count of -3");
    struct ddbsim_error error = {0};
    struct recording *recording =
        recording_of(LOCUST_HEADER, sizeof LOCUST_HEADER - 1, nothing, &error);
    assert_true(recording_facts(recording)->is_rates);
    recording_destroy(recording);
}

static void too_many_names(void **state) {
    (void)state;
    char *text = malloc(1 << 16);
    size_t used = (size_t)sprintf(text, LOCUST_HEADER);
    for (int i = 0; i < 600; i++)
        used += (size_t)sprintf(text + used, "5,1,GET,/page/%d,3,0,3\n", i);
    recording_refuse_bytes(text, used, nothing, 514, "there are over 512 names");
    free(text);
}

/* ---- the samples that ship ---- */

struct sample {
    const char *file, *format;
    bool is_absolute, is_rates;
    uint64_t rows;
    double count, sizes, throttled;
    int64_t first_ns, last_ns;
    int operations[4]; /* GetItem, PutItem, UpdateItem, unknown */
};

static void check_sample(const struct sample *sample) {
    char path[512];
    struct ddbsim_error error = {0};
    struct recording *recording;
    struct recorded row;
    struct sample got = {.first_ns = -1};
    bool more = true;
    snprintf(path, sizeof path, SOURCE_ROOT "/workloads/samples/%s", sample->file);
    if (recording_create(&(struct recording_options){.file = path}, &recording, &error))
        fail_msg("%s: %s", sample->file, error.message);
    for (;;) {
        if (recording_next(recording, &row, &more, &error))
            fail_msg("%s:%d: %s", sample->file, error.line, error.message);
        if (!more) break;
        got.rows++;
        got.count += row.count;
        got.sizes += row.item_bytes > 0 ? (double)row.item_bytes : 0;
        got.throttled += row.throttled;
        if (got.first_ns < 0) got.first_ns = row.t_ns;
        got.last_ns = row.t_ns;
        got.operations[0] += row.operation == DDBSIM_GET_ITEM;
        got.operations[1] += row.operation == DDBSIM_PUT_ITEM;
        got.operations[2] += row.operation == DDBSIM_UPDATE_ITEM;
        got.operations[3] += row.operation == RECORDING_UNKNOWN;
    }
    const struct recording_facts *facts = recording_facts(recording);
    assert_string_equal(facts->format, sample->format);
    assert_int_equal(facts->is_absolute, sample->is_absolute);
    assert_int_equal(facts->is_rates, sample->is_rates);
    assert_int_equal(got.rows, sample->rows);
    assert_true(got.count == sample->count && got.sizes == sample->sizes);
    assert_true(got.throttled == sample->throttled);
    assert_int_equal(got.first_ns, sample->first_ns);
    assert_int_equal(got.last_ns, sample->last_ns);
    assert_memory_equal(got.operations, sample->operations, sizeof got.operations);
    recording_destroy(recording);
}

/* What a reading by other means (Python's csv, json, gzip and struct) found. */
static const struct sample shipped[] = {
    {"loans.csv",
     "csv",
     true,
     false,
     180,
     180,
     235866,
     4,
     INT64_C(1788250800039000000),
     INT64_C(1788250880867000000),
     {114, 23, 43, 0}},
    {"turnstiles.jsonl",
     "jsonl",
     true,
     false,
     120,
     120,
     85290,
     0,
     INT64_C(1788250800740000000),
     INT64_C(1788250852727000000),
     {22, 98, 0, 0}},
    {"twitter.csv.zst",
     "twitter",
     false,
     false,
     400,
     400,
     190160,
     0,
     INT64_C(0),
     INT64_C(85000000000),
     {269, 118, 6, 0}},
    {"cachelib.csv.gz",
     "cachelib",
     true,
     false,
     150,
     336,
     235878,
     0,
     INT64_C(1788250800000000000),
     INT64_C(1788250861000000000),
     {115, 32, 0, 0}},
    {"objects.oracleGeneral",
     "oracle-general",
     false,
     false,
     300,
     300,
     1133070,
     0,
     INT64_C(0),
     INT64_C(82000000000),
     {0, 0, 0, 300}},
    {"k6.csv",
     "k6",
     true,
     false,
     76,
     76,
     0,
     4,
     INT64_C(1788250800000000000),
     INT64_C(1788250811000000000),
     {40, 8, 28, 0}},
    {"jmeter.jtl",
     "jmeter",
     true,
     false,
     140,
     140,
     125366,
     9,
     INT64_C(1788250800104000000),
     INT64_C(1788250811514000000),
     {49, 49, 0, 17}},
    {"locust_stats_history.csv",
     "locust",
     true,
     true,
     120,
     3857,
     0,
     0,
     INT64_C(1788250799000000000),
     INT64_C(1788250858000000000),
     {60, 0, 60, 0}},
};

static void samples(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; i++)
        check_sample(&shipped[i]);
}

/* Names are told apart, and docs/recordings.md says of each what is taken. */
static void names(void **state) {
    (void)state;
    const char *name, *other, *what;
    char page[16384], cell[64];
    FILE *file = fopen(SOURCE_ROOT "/docs/recordings.md", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; (name = recording_format_name(i, &what)); i++) {
        snprintf(cell, sizeof cell, "`%s`", name);
        if (!strstr(page, cell)) fail_msg("docs/recordings.md has no row of %s", name);
        assert_true(what[0] != '\0' && strcmp(name, "auto") != 0);
        for (size_t k = 0; k < i; k++) {
            other = recording_format_name(k, &what);
            assert_string_not_equal(name, other);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twitter),        cmocka_unit_test(cachelib),
        cmocka_unit_test(oracle_general), cmocka_unit_test(k6),
        cmocka_unit_test(jmeter),         cmocka_unit_test(disorder),
        cmocka_unit_test(locust),         cmocka_unit_test(too_many_names),
        cmocka_unit_test(samples),        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
