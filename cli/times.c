/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times on the command line, in the three forms that a scenario knows. */
#include "cli.h"

#include <string.h>
#include <time.h>

enum { DAY_S = 86400, DIGITS_MAX = 9 };

/* Decimal digits, at most nine; false where there is none. */
static bool take_number(const char **text, int64_t *value) {
    int digits = 0;
    for (*value = 0; **text >= '0' && **text <= '9'; (*text)++) {
        if (++digits > DIGITS_MAX) return false;
        *value = *value * 10 + (**text - '0');
    }
    return digits > 0;
}

static bool take_char(const char **text, char wanted) {
    if (**text != wanted) return false;
    (*text)++;
    return true;
}

/* "18:20" or "18:20:30" as seconds of the day. */
static bool take_clock(const char **text, int64_t *second_of_day) {
    int64_t hour, minute, second = 0;
    if (!take_number(text, &hour) || !take_char(text, ':') || !take_number(text, &minute)) {
        return false;
    }
    if (take_char(text, ':') && !take_number(text, &second)) return false;
    *second_of_day = hour * 3600 + minute * 60 + second;
    return hour < 24 && minute < 60 && second < 60;
}

static bool parse_duration(const char *text, int64_t *t_s) {
    static const char units[] = "smhd";
    static const int64_t seconds[] = {1, 60, 3600, DAY_S};
    for (*t_s = 0; *text;) {
        int64_t number;
        if (!take_number(&text, &number) || !*text) return false;
        const char *unit = strchr(units, *text++);
        if (!unit) return false;
        *t_s += number * seconds[unit - units];
    }
    return true;
}

static bool take_offset(const char **text, int64_t *utc_offset_s) {
    int64_t offset;
    if (**text == '\0') return true;
    if (take_char(text, 'Z')) {
        *utc_offset_s = 0;
        return true;
    }
    int64_t sign = **text == '-' ? -1 : 1;
    if (!take_char(text, '+') && !take_char(text, '-')) return false;
    if (!take_clock(text, &offset)) return false;
    *utc_offset_s = sign * offset;
    return true;
}

/* Without an offset it is the run's own. */
static bool parse_iso(const char *text, int64_t utc_offset_s, int64_t *unix_s) {
    int64_t year, month, day, clock;
    if (!take_number(&text, &year) || !take_char(&text, '-') || !take_number(&text, &month) ||
        !take_char(&text, '-') || !take_number(&text, &day) || !take_char(&text, 'T') ||
        !take_clock(&text, &clock) || !take_offset(&text, &utc_offset_s) || *text) {
        return false;
    }
    if (year < 1970 || year > 9999 || month < 1 || month > 12 || day < 1 || day > 31) return false;
    struct tm parts = {
        .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day};
    *unix_s = (int64_t)timegm(&parts) + clock - utc_offset_s;
    return true;
}

bool times_parse(const char *text, int64_t start_unix_s, int64_t utc_offset_s, int64_t *t_s) {
    const char *rest = text;
    int64_t second_of_day, unix_s;
    if (text[0] == '+' && text[1]) return parse_duration(text + 1, t_s);
    if (take_clock(&rest, &second_of_day) && !*rest) {
        int64_t start_of_day = (start_unix_s + utc_offset_s) % DAY_S;
        *t_s = (second_of_day - start_of_day + DAY_S) % DAY_S;
        return true;
    }
    if (!parse_iso(text, utc_offset_s, &unix_s)) return false;
    *t_s = unix_s - start_unix_s;
    return true;
}
