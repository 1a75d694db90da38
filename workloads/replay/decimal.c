/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decimal numbers: digits, a point, an exponent. strtod would ask the locale what a point is, and would round times
 * of today to a quarter of a microsecond.
 *
 * Invariant: the mantissa holds the leading digits, so that no number overflows; a scaled value is exact but for
 * the fraction that it drops.
 */
#include <workloads/replay/decimal.h>

#include <base/check.h>
#include <base/types.h>

#define MANTISSA_MOST (UINT64_MAX / 10 - 1) /* one more digit fits */
#define EXPONENT_MOST 9999
#define POWERS 19 /* of ten, in 63 bits */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void put_digit(struct decimal *out, char c, bool is_fraction) {
    bool fits = out->mantissa <= MANTISSA_MOST;
    if (fits) out->mantissa = out->mantissa * 10 + (uint64_t)(c - '0');
    if (fits && is_fraction) out->exponent--;
    if (!fits && !is_fraction) out->exponent++;
}

/* "e+09" at the end of a number. */
static bool parse_exponent(const char *at, const char *end, int *exponent) {
    bool negative = at < end && *at == '-';
    int value = 0;
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;
    for (; at < end; at++) {
        if (!is_digit(*at)) return false;
        if (value < EXPONENT_MOST) value = value * 10 + (*at - '0');
    }
    *exponent += negative ? -value : value;
    return true;
}

bool decimal_parse(const char *text, size_t length, struct decimal *out) {
    const char *at = text, *end = text + length;
    bool has_digits = false;
    *out = (struct decimal){.negative = length > 0 && *at == '-'};
    if (length > 0 && (*at == '-' || *at == '+')) at++;
    for (; at < end && is_digit(*at); at++, has_digits = true)
        put_digit(out, *at, false);
    if (at < end && *at == '.') at++;
    for (; at < end && is_digit(*at); at++, has_digits = true)
        put_digit(out, *at, true);
    if (!has_digits) return false;
    if (at < end && (*at == 'e' || *at == 'E')) return parse_exponent(at + 1, end, &out->exponent);
    return at == end;
}

static int64_t power_of_ten(int power) {
    int64_t value = 1;
    CHECK(power >= 0 && power < POWERS);
    while (power-- > 0)
        value *= 10;
    return value;
}

bool decimal_scaled(const struct decimal *decimal, int power, int64_t *out) {
    int shift = decimal->exponent + power;
    uint64_t mantissa = decimal->mantissa;
    *out = 0;
    if (mantissa == 0 || shift <= -POWERS) return true;
    if (shift >= POWERS) return false;
    uint128 value = shift < 0 ? mantissa / (uint64_t)power_of_ten(-shift)
                              : (uint128)mantissa * (uint64_t)power_of_ten(shift);
    if (value > (uint128)INT64_MAX) return false;
    *out = (int64_t)value;
    return true;
}

bool decimal_is_whole(const struct decimal *decimal) {
    uint64_t mantissa = decimal->mantissa;
    for (int exponent = decimal->exponent; exponent < 0 && mantissa > 0; exponent++) {
        if (mantissa % 10 != 0) return false;
        mantissa /= 10;
    }
    return true;
}

double decimal_double(const struct decimal *decimal) {
    double value = (double)decimal->mantissa;
    int exponent = decimal->exponent;
    for (; exponent < 0 && value > 0; exponent += exponent > -POWERS ? -exponent : POWERS - 1)
        value /= (double)power_of_ten(exponent > -POWERS ? -exponent : POWERS - 1);
    for (; exponent > 0 && value < 1e300 && value > 0;
         exponent -= exponent < POWERS ? exponent : POWERS - 1)
        value *= (double)power_of_ten(exponent < POWERS ? exponent : POWERS - 1);
    if (exponent > 0 && value > 0) value = 1e300;
    return decimal->negative ? -value : value;
}

struct decimal decimal_of_double(double value) {
    struct decimal out = {.exponent = -9};
    double scale = 1e9;
    CHECK(value >= 0);
    while (out.exponent < 0 && value * scale > 9e15) {
        out.exponent += 3;
        scale /= 1e3;
    }
    if (value * scale > 9e18) return (struct decimal){.mantissa = 1, .exponent = EXPONENT_MOST};
    out.mantissa = (uint64_t)(value * scale + 0.5);
    return out;
}
