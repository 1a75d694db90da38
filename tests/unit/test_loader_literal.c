/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Literals: what each kind accepts, exactly, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <base/types.h>
#include <loader/grammar.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct good {
    const char *text;
    int64_t value;
    const char *canonical;
};

static struct literal_problem problem;

/* Every refusal says why. */
static void assert_refused(bool good, const char *text) {
    if (good) fail_msg("\"%s\" was accepted", text);
    assert_true(strlen(problem.message) > 0);
    memset(&problem, 0, sizeof problem);
}

static void durations(void **state) {
    (void)state;
    static const struct good good[] = {
        {"250ms", 250 * NS_PER_MS, "250ms"},
        {"0.3s", 300 * NS_PER_MS, "300ms"},
        {"5m", 300 * NS_PER_S, "5m"},
        {"2h30m", 9000 * NS_PER_S, "2h30m"},
        {"9h56m", 35760 * NS_PER_S, "9h56m"},
        {"1d", 86400 * NS_PER_S, "24h"},
        {"1m0.5s", 60500 * NS_PER_MS, "1m0.5s"},
        {"0s", 0, "0s"},
        {"90s", 90 * NS_PER_S, "1m30s"},
        {"34us", 34 * NS_PER_US, "0.034ms"},
        {"1ns", 1, "0.000001ms"},
        {"0.000000001s", 1, "0.000001ms"},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t ns, again;
        char text[64];
        assert_true(literal_duration(good[i].text, &ns, &problem));
        assert_int_equal(ns, good[i].value);
        literal_put_duration(ns, text, sizeof text);
        assert_string_equal(text, good[i].canonical);
        assert_true(literal_duration(text, &again, &problem));
        assert_int_equal(again, ns);
    }
    static const char *const bad[] = {"",     "300",    "5 min",
                                      "5min", "-5s",    "+5s",
                                      "5s3m", "5m5m",   "nan",
                                      "inf",  "0x10s",  "1e3s",
                                      "1.s",  ".5s",    "05s",
                                      "5sx",  "0.5m3s", "1_000s",
                                      "1,5s", "36526d", "5S",
                                      "s",    "0.1ns",  " 5s",
                                      "5s ",  "3y",     "9999999999999999999s"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t ns;
        assert_refused(literal_duration(bad[i], &ns, &problem), bad[i]);
    }
    /* A hint that says what to write is right. */
    int64_t ns;
    assert_false(literal_duration("1h 30m", &ns, &problem));
    assert_string_equal(problem.hint, "write 1h30m");
    assert_false(literal_duration("60 min", &ns, &problem));
    assert_null(strstr(problem.hint, "write"));
}

static void sizes(void **state) {
    (void)state;
    static const struct good good[] = {
        {"900 B", 900, "900 B"},  {"11 KB", 11264, "11 KB"},  {"11KB", 11264, "11 KB"},
        {"1 KB", 1024, "1 KB"},   {"1.5 KB", 1536, "1536 B"}, {"2 MB", 2097152, "2 MB"},
        {"1024 B", 1024, "1 KB"}, {"0 B", 0, "0 B"},          {"10 GB", INT64_C(10) << 30, "10 GB"},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t bytes;
        char text[64];
        assert_true(literal_size(good[i].text, &bytes, &problem));
        assert_int_equal(bytes, good[i].value);
        literal_put_size(bytes, text, sizeof text);
        assert_string_equal(text, good[i].canonical);
    }
    static const char *const bad[] = {"900",   "11 KiB", "11 kb", "-1 KB", "1  KB", "0.5 B",
                                      "1 KB!", "KB",     "",      "nan B", "01 KB", "999999999 GB"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t bytes;
        assert_refused(literal_size(bad[i], &bytes, &problem), bad[i]);
    }
}

static void shares(void **state) {
    (void)state;
    static const struct good good[] = {
        {"61%", 610000000, "61%"},       {"0.1%", 1000000, "0.1%"},
        {"100%", NANO, "100%"},          {"0%", 0, "0%"},
        {"99.95%", 999500000, "99.95%"}, {"0.0000001%", 1, "0.0000001%"},
        {"250%", 2500000000, "250%"},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        int64_t share;
        char text[64];
        assert_true(literal_share(good[i].text, &share, &problem));
        assert_int_equal(share, good[i].value);
        literal_put_share(share, text, sizeof text);
        assert_string_equal(text, good[i].canonical);
    }
    static const char *const bad[] = {"0.61", "61", "61 %",        "61%%",
                                      "-1%",  "%",  "0.00000001%", "nan%"};
    int64_t share;
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(literal_share(bad[i], &share, &problem), bad[i]);
    assert_false(literal_share("0.61", &share, &problem));
    assert_non_null(strstr(problem.hint, "61%"));
}

static void rates(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double per_s;
    } good[] = {{"8.9/s", 8.9},
                {"12/min", 0.2},
                {"3500/h", 3500.0 / 3600},
                {"180000/day", 180000.0 / 86400},
                {"0/s", 0}};
    double per_s;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(literal_rate(good[i].text, &per_s, &problem));
        assert_true(per_s == good[i].per_s);
    }
    static const char *const bad[] = {"8.9", "8.9/sec", "8.9 /s",  "-1/s",
                                      "/s",  "1e3/s",   "8.9/s/s", "2000000000/s"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(literal_rate(bad[i], &per_s, &problem), bad[i]);
}

static void counts(void **state) {
    (void)state;
    uint64_t count;
    double value;
    assert_true(literal_count("40000", &count, &problem));
    assert_int_equal(count, 40000);
    static const char *const bad[] = {
        "40,000", "40_000", "3000abc", "3000.9", "-1", "010", "nan",
        "",       "0x10",   "1e6",     " 1",     "1 ", "+1",  "1234567890123456789"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(literal_count(bad[i], &count, &problem), bad[i]);
    assert_true(literal_decimal("3.89", &value, &problem));
    assert_true(value == 3.89);
    static const char *const no_decimal[] = {"3.", ".5", "-1", "1e3", "inf", "3,5", "0x1p3", ""};
    for (size_t i = 0; i < COUNT(no_decimal); i++)
        assert_refused(literal_decimal(no_decimal[i], &value, &problem), no_decimal[i]);
    char text[32];
    literal_put_decimal("4.50/s", text, sizeof text);
    assert_string_equal(text, "4.5/s");
    literal_put_decimal("10", text, sizeof text);
    assert_string_equal(text, "10");
}

static void instants(void **state) {
    (void)state;
    struct literal_clock clock;
    assert_true(literal_instant("2026-09-25T08:00:00+02:00", &clock, &problem));
    assert_int_equal(clock.start_unix_s, 1790316000);
    assert_int_equal(clock.utc_offset_s, 7200);
    assert_true(literal_instant("1970-01-01T00:00:00Z", &clock, &problem));
    assert_int_equal(clock.start_unix_s, 0);
    assert_true(literal_instant("2024-02-29T23:59:59-05:30", &clock, &problem));
    assert_int_equal(clock.start_unix_s, 1709270999);
    static const char *const bad[] = {"2026-09-25",
                                      "2026-09-25T08:00:00",
                                      "2026-9-25T08:00:00Z",
                                      "2026-02-29T08:00:00Z",
                                      "2026-13-01T00:00:00Z",
                                      "2026-00-01T00:00:00Z",
                                      "2026-01-01T24:00:00Z",
                                      "2026-01-01T00:60:00Z",
                                      "2026-01-01 00:00:00Z",
                                      "2026-01-01T00:00:00z",
                                      "2026-01-01T00:00:00+0200",
                                      "2026-01-01T00:00:00+02:00x",
                                      "1969-12-31T00:00:00Z",
                                      "",
                                      "now"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(literal_instant(bad[i], &clock, &problem), bad[i]);
}

static void moments(void **state) {
    (void)state;
    struct literal_clock clock;
    int64_t ns;
    assert_true(literal_instant("2026-09-25T12:30:00+02:00", &clock, &problem));
    static const struct good good[] = {
        {"18:20", 21000, ""}, {"18:20:30", 21030, ""},
        {"12:30", 0, ""},     {"12:29", 86340, ""},
        {"00:00", 41400, ""}, {"+2h30m", 9000, ""},
        {"+0s", 0, ""},       {"2026-09-25T11:30:00Z", 3600, ""},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(literal_moment(good[i].text, &clock, &ns, &problem));
        assert_int_equal(ns, good[i].value * NS_PER_S);
    }
    static const char *const bad[] = {"18.20",      "8:20",    "24:00", "18:60",
                                      "18:20:60",   "18:20:3", "2h30m", "+",
                                      "+5",         "+-5m",    "1820",  "2026-09-25T10:00:00Z",
                                      "2026-09-25", ""};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(literal_moment(bad[i], &clock, &ns, &problem), bad[i]);
}

static void ranges(void **state) {
    (void)state;
    char low[32], high[32];
    assert_true(literal_range("3990..4410", low, high, sizeof low, &problem));
    assert_string_equal(low, "3990");
    assert_string_equal(high, "4410");
    assert_true(literal_range("0%..0.1%", low, high, sizeof low, &problem));
    assert_string_equal(high, "0.1%");
    assert_true(literal_range("7", low, high, sizeof low, &problem));
    assert_string_equal(low, high);
    static const char *const bad[] = {"", "..", "1..", "..2",
                                      "11111111111111111111111111111111111..2"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_refused(literal_range(bad[i], low, high, sizeof low, &problem), bad[i]);
}

/* Defaults of the grammar are literals of their own key, within its range. */
static void defaults(void **state) {
    (void)state;
    struct literal_clock clock = {0};
    for (size_t i = 0; grammar_key(i); i++) {
        char text[80];
        struct grammar_value value, again;
        const struct grammar_key *key = grammar_key(i);
        assert_non_null(key->help);
        assert_ptr_equal(grammar_find(key->section, key->key), key); /* each key once */
        if (!grammar_default(key, text, sizeof text)) continue;
        if (!grammar_read(key, text, &clock, &value, &problem))
            fail_msg("%s: %s: %s", key->key, text, problem.message);
        if (!*value.canonical) continue;
        assert_true(grammar_read(key, value.canonical, &clock, &again, &problem));
        assert_string_equal(again.canonical, value.canonical);
        assert_int_equal(again.integer, value.integer);
    }
}

static void words(void **state) {
    (void)state;
    char word[16];
    assert_int_equal(grammar_word("a|bc|d", "bc"), 1);
    assert_int_equal(grammar_word("a | bc", "bc"), 1);
    assert_int_equal(grammar_word("a|bc|d", "b"), -1);
    assert_int_equal(grammar_word("a|bc|d", ""), -1);
    assert_int_equal(grammar_word("a|bc|d", "a|bc"), -1);
    assert_int_equal(grammar_word(NULL, "a"), -1);
    assert_true(grammar_word_at("a|bc|d|", 2, word, sizeof word));
    assert_string_equal(word, "d");
    assert_false(grammar_word_at("a|bc|d|", 3, word, sizeof word));
}

static void suggestions(void **state) {
    (void)state;
    struct suggest suggest;
    suggest_start(&suggest, "wirte_capacity");
    grammar_suggest(SECTION_TABLE, &suggest);
    assert_string_equal(suggest_best(&suggest), "write_capacity");
    suggest_start(&suggest, "quite another thing");
    grammar_suggest(SECTION_TABLE, &suggest);
    assert_null(suggest_best(&suggest));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations), cmocka_unit_test(sizes),       cmocka_unit_test(shares),
        cmocka_unit_test(rates),     cmocka_unit_test(counts),      cmocka_unit_test(instants),
        cmocka_unit_test(moments),   cmocka_unit_test(ranges),      cmocka_unit_test(defaults),
        cmocka_unit_test(words),     cmocka_unit_test(suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
