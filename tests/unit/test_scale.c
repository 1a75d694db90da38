/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scales hold values inside, bins cover time once and follow the wall clock; numbers and times are
 * written in each language's way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <plots/labels.h>
#include <plots/palette.h>
#include <plots/scale.h>
#include <string.h>

static void test_scale(void **state) {
    (void)state;
    const struct scale down = {0, 10, 300, 100};
    assert_true(scale_at(&down, 0) == 300 && scale_at(&down, 10) == 100);
    assert_true(scale_at(&down, 5) == 200 && scale_at(&down, 11) == 100);
    assert_true(scale_at(&down, -1) == 300 && scale_at(&down, NAN) == 300);
    const struct scale empty = {4, 4, 20, 90};
    assert_true(scale_at(&empty, 4) == 20);
    assert_true(scale_snap(1.49) == 1 && scale_snap(1.5) == 2 && scale_snap(0) == 0);
}

static void test_bins(void **state) {
    (void)state;
    for (int64_t span = 1; span < 5000000; span = span * 2 + 7)
        for (int64_t least = 1; least < 1000; least = least * 2 + 1)
            for (int most = 1; most < 500; most = most * 3 + 1) {
                int64_t from = span / 3;
                struct bins bins = bins_make(from, from + span, 7231, least, most);
                assert_int_equal(bins.width_s % least, 0);
                assert_in_range(bins.count, 1, most + 1);
                assert_int_equal((bins.first_s + 7231) % bins.width_s, 0);
                assert_int_equal(bins_begin(&bins, 0), from);
                assert_int_equal(bins_end(&bins, bins.count - 1), from + span);
                for (int i = 1; i < bins.count; i++)
                    assert_int_equal(bins_begin(&bins, i), bins_end(&bins, i - 1));
                assert_int_equal(bins_of(&bins, from - 100000), 0);
                assert_int_equal(bins_of(&bins, from + span), bins.count - 1);
            }
    /* What a damaged database may ask for is made at once as well: no search that lasts. */
    for (int64_t least = 1000; least < INT64_C(1) << 53; least = least * 3 + 1) {
        struct bins vast = bins_make(0, 120, 7231, least, 384);
        assert_int_equal(vast.width_s % least, 0);
        assert_in_range(vast.count, 1, 2);
    }
    struct bins none = bins_make(0, 0, 0, 0, 0);
    assert_int_equal(none.count, 1);
    assert_int_equal(bins_make(0, 5400, 0, 10, 384).width_s, 20);
}

static void test_numbers(void **state) {
    (void)state;
    char text[LABEL_NUMBER_BYTES];
    struct labels en = labels_get(false), es = labels_get(true);
    assert_string_equal(label_number(&en, 1234567, 0, text), "1\xe2\x80\xaf"
                                                             "234\xe2\x80\xaf"
                                                             "567");
    assert_string_equal(label_number(&es, -1234.5, 1, text), "\xe2\x88\x92"
                                                             "1\xe2\x80\xaf"
                                                             "234,5");
    assert_string_equal(label_number(&en, -0.0, 1, text), "0.0");
    assert_string_equal(label_number(&en, -0.01, 1, text), "0.0");
    assert_string_equal(label_number(&en, 999, 0, text), "999");
    assert_true(strlen(label_number(&en, -INFINITY, 9, text)) < sizeof text - 1);
    assert_string_equal(label_short(&en, 61.5, text), "61.5");
    assert_string_equal(label_short(&es, 0.25, text), "0,25");
    assert_string_equal(label_short(&en, 100, text), "100");
    assert_string_equal(label_span(90, text), "90\xe2\x80\xafs");
    assert_string_equal(label_span(600, text), "10\xe2\x80\xafmin");
    assert_string_equal(label_span(172800, text), "2\xe2\x80\xaf"
                                                  "d");
    assert_string_equal(label_day(&en, INT64_C(1790351100), text), "25\xe2\x80\xafSep");
    assert_string_equal(label_day(&es, INT64_C(1709164800), text), "29\xe2\x80\xaf"
                                                                   "feb");
    assert_string_equal(label_day(&en, -1, text), "31\xe2\x80\xaf"
                                                  "Dec");
}

/* Every text stands in both languages and names the same places. */
static void test_languages(void **state) {
    (void)state;
    struct labels en = labels_get(false), es = labels_get(true);
    for (int i = 0; i < LABEL_KINDS; i++) {
        assert_non_null(en.texts[i]);
        assert_non_null(es.texts[i]);
        for (char place[] = "{0}"; place[1] <= '9'; place[1]++)
            assert_int_equal(strstr(en.texts[i], place) != NULL,
                             strstr(es.texts[i], place) != NULL);
    }
    char text[LABEL_BYTES], huge[2000];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    label_fill(&en, LABEL_TITLE_REFUSES, text, "a", "{1}", "c", "d", LABEL_END);
    assert_string_equal(text, "a refuses {1} c d");
    label_fill(&en, LABEL_TITLE_REFUSES, text, huge, "b", LABEL_END);
    assert_true(strlen(text) < LABEL_BYTES);
}

static void test_palette(void **state) {
    (void)state;
    struct colour idle = palette_load(0), full = palette_load(1), over = palette_load(7);
    assert_true(idle.red == 0x00 && idle.green == 0x20 && idle.blue == 0x51);
    assert_true(full.red == 0xfd && full.green == 0xea && full.blue == 0x45);
    assert_memory_equal(&full, &over, sizeof full);
    struct colour none = palette_load(NAN), middle = palette_load(0.5);
    assert_memory_equal(&none, &idle, sizeof idle);
    assert_true(middle.red == 0x7f && middle.green == 0x7c && middle.blue == 0x75);
    double last = -1; /* brighter and brighter */
    for (int i = 0; i <= 100; i++) {
        struct colour c = palette_load(i / 100.0);
        double light = 0.2126 * c.red + 0.7152 * c.green + 0.0722 * c.blue;
        assert_true(light >= last);
        last = light;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale), cmocka_unit_test(test_bins), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_languages), cmocka_unit_test(test_palette)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
