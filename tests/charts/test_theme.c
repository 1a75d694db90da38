/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contrast against the paper as WCAG measures it: 3:1 for lines, 4.5:1 for text, on both papers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <plots/palette.h>
#include <plots/theme.h>

static double linear(uint8_t byte) {
    double value = byte / 255.0;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

static double luminance(struct colour c) {
    return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

static double contrast(struct colour a, struct colour b) {
    double x = luminance(a), y = luminance(b);
    return (fmax(x, y) + 0.05) / (fmin(x, y) + 0.05);
}

static void test_contrast(void **state) {
    (void)state;
    assert_true(fabs(contrast((struct colour){0, 0, 0}, (struct colour){255, 255, 255}) - 21) <
                0.01);
    for (int dark = 0; dark <= 1; dark++) {
        const struct theme *theme = theme_get(dark);
        const struct colour lines[] = {theme->consumed, theme->limit, theme->throttled,
                                       theme->tokens, theme->retries};
        const struct colour texts[] = {theme->ink,      theme->secondary, theme->throttled_text,
                                       theme->consumed, theme->limit,     theme->tokens_text};
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
            assert_true(contrast(lines[i], theme->paper) >= 3);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
            assert_true(contrast(texts[i], theme->paper) >= 4.5);
        assert_true(contrast(theme->over, palette_load(1)) >= 4.5);
        assert_true(contrast(theme->over, theme->throttled) >= 1.5);
        assert_true(contrast(theme->alarm, theme->alarm_text) >= 4.5);
        /* what is a fill has an edge, or the paper itself sets it off */
        assert_true(contrast(theme->ink, theme->paper) >= 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_contrast)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
