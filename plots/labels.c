/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers and times as pictures write them. Digits come from printf in the C locale (no part of the
 * program sets another); separators and signs are put in afterwards.
 */
#include <plots/labels.h>

#include <base/types.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GROUP "\xe2\x80\xaf" /* U+202F */
#define MINUS "\xe2\x88\x92" /* U+2212 */
#define DAY_S 86400

struct labels labels_get(bool spanish) {
    if (spanish) return (struct labels){labels_es_texts, ","};
    return (struct labels){labels_en_texts, "."};
}

struct output {
    char *text;
    size_t size, used;
};

static void put(struct output *out, const char *text, size_t length) {
    if (out->used + length + 1 > out->size) return;
    memcpy(out->text + out->used, text, length);
    out->used += length;
    out->text[out->used] = '\0';
}

const char *label_fill(const struct labels *labels, enum label label, char out[LABEL_BYTES], ...) {
    const char *values[10] = {NULL};
    va_list arguments;
    va_start(arguments, out);
    for (int i = 0; i < 10 && (values[i] = va_arg(arguments, const char *)) != NULL;)
        i++;
    va_end(arguments);
    struct output output = {out, LABEL_BYTES, 0};
    out[0] = '\0';
    for (const char *at = labels->texts[label]; *at; at++) {
        if (at[0] == '{' && at[1] >= '0' && at[1] <= '9' && at[2] == '}') {
            const char *value = values[at[1] - '0'];
            if (value) put(&output, value, strlen(value));
            at += 2;
        } else {
            put(&output, at, 1);
        }
    }
    return out;
}

const char *label_number(const struct labels *labels, double value, int decimals,
                         char out[LABEL_NUMBER_BYTES]) {
    char digits[40];
    if (!(value < 1e15 && value > -1e15)) value = value > 0 ? 1e15 : value < 0 ? -1e15 : 0;
    if (decimals > 9) decimals = 9;
    snprintf(digits, sizeof digits, "%.*f", decimals, value);
    struct output output = {out, LABEL_NUMBER_BYTES, 0};
    const char *at = digits;
    bool negative = *at == '-' && strpbrk(digits, "123456789") != NULL;
    if (*at == '-') at++;
    if (negative) put(&output, MINUS, strlen(MINUS));
    size_t whole = strcspn(at, ".");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0) put(&output, GROUP, strlen(GROUP));
        put(&output, at + i, 1);
    }
    if (at[whole] == '.') put(&output, labels->decimal, strlen(labels->decimal));
    if (at[whole] == '.') put(&output, at + whole + 1, strlen(at + whole + 1));
    return out;
}

const char *label_short(const struct labels *labels, double value, char out[LABEL_NUMBER_BYTES]) {
    double size = value < 0 ? -value : value;
    double rest = size < 1e9 ? size - (double)(int64_t)size : 0;
    bool whole = rest < 0.005 || rest > 0.995;
    return label_number(labels, value, size >= 100 || whole ? 0 : size >= 1 ? 1 : 2, out);
}

const char *label_span(int64_t seconds, char out[LABEL_NUMBER_BYTES]) {
    static const struct {
        int64_t size_s;
        const char *name;
    } units[] = {{DAY_S, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    while (i < 3 && (seconds < units[i].size_s || seconds % units[i].size_s != 0))
        i++;
    snprintf(out, LABEL_NUMBER_BYTES, "%lld" GROUP "%s", (long long)(seconds / units[i].size_s),
             units[i].name);
    return out;
}

/* Day and month of a wall second: years counted from March, so that the leap day comes last. */
static void day_and_month(int64_t wall_s, int *day, int *month) {
    int64_t days = floor_div(wall_s, DAY_S) + 719468;
    int64_t of_era = days - floor_div(days, 146097) * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
}

const char *label_day(const struct labels *labels, int64_t wall_s, char out[LABEL_NUMBER_BYTES]) {
    int day = 0, month = 0;
    day_and_month(wall_s, &day, &month);
    const char *name = labels->texts[LABEL_MONTHS];
    for (int i = 1; i < month; i++)
        name += strcspn(name, " ") + 1;
    snprintf(out, LABEL_NUMBER_BYTES, "%d" GROUP "%.*s", day, (int)strcspn(name, " "), name);
    return out;
}
