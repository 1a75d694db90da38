/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two papers, light and dark. Contrast ratios are held by tests/charts/test_theme.c. */
#include "plots/theme.h"

#define RGB(hex) \
    { ((hex) >> 16) & 255, ((hex) >> 8) & 255, (hex)&255 }

static const struct theme light = {
    .paper = RGB(0xffffff),
    .ink = RGB(0x1b1f24),
    .secondary = RGB(0x57606a),
    .grid = RGB(0xd0d7de),
    .consumed = RGB(0x0072b2),
    .consumed_fill = RGB(0xb7d9ee),
    .limit = RGB(0x000000),
    .throttled = RGB(0xd55e00),
    .over = RGB(0x8c1d40),
    .throttled_text = RGB(0xa84300),
    .tokens = RGB(0x009e73),
    .tokens_fill = RGB(0xb9e3d5),
    .tokens_text = RGB(0x00684c),
    .retries = RGB(0xcc79a7),
    .alarm = RGB(0xf0e442),
    .alarm_text = RGB(0x1b1f24),
};

static const struct theme dark = {
    .paper = RGB(0x16181d),
    .ink = RGB(0xe6e9ee),
    .secondary = RGB(0xa0a8b4),
    .grid = RGB(0x3a404a),
    .consumed = RGB(0x56b4e9),
    .consumed_fill = RGB(0x23475d),
    .limit = RGB(0xe6e9ee),
    .throttled = RGB(0xd55e00),
    .over = RGB(0x8c1d40),
    .throttled_text = RGB(0xf28a45),
    .tokens = RGB(0x009e73),
    .tokens_fill = RGB(0x14463a),
    .tokens_text = RGB(0x3cc79f),
    .retries = RGB(0xcc79a7),
    .alarm = RGB(0xf0e442),
    .alarm_text = RGB(0x1b1f24),
};

const struct theme *theme_get(bool is_dark) { return is_dark ? &dark : &light; }
