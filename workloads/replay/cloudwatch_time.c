/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moments as CloudWatch writes them: ISO 8601 with an offset (the command's answers), a date and a time in UTC with
 * slashes or dashes (the console), seconds or milliseconds since 1970 (SDKs and metric streams). Dates with the day or
 * the month in front are refused: which of the two it is cannot be told.
 */
#include <workloads/replay/cloudwatch_parts.h>

#include <base/date.h>
#include <base/types.h>
#include <math.h>
#include <string.h>

#define DAY_S 86400
#define YEAR_LEAST 2000 /* CloudWatch is younger */
#define YEAR_MOST 2200
#define MILLISECONDS_FROM 1e11 /* a number above is of milliseconds: the year 5138 in seconds */

/* `digits` of them at *at, which moves behind them; -1 where there are fewer. */
static int take_digits(const char **at, int digits) {
    int number = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9') return -1;
        number = 10 * number + (**at - '0');
    }
    return number;
}

static bool take(const char **at, const char *any_of) {
    if (!**at || !strchr(any_of, **at)) return false;
    (*at)++;
    return true;
}

static bool take_day(const char **at, int64_t *day) {
    struct date date = {.year = take_digits(at, 4)};
    if (date.year < YEAR_LEAST || date.year > YEAR_MOST) return false;
    char separator = **at;
    if (!take(at, "-/")) return false;
    date.month = take_digits(at, 2);
    if (date.month < 0 || **at != separator) return false;
    (*at)++;
    date.day = take_digits(at, 2);
    if (date.day < 0 || !date_is_day(date)) return false;
    *day = date_day(date);
    return true;
}

/* hh:mm[:ss[.fraction]] */
static bool take_clock(const char **at, int64_t *second) {
    int hours = take_digits(at, 2), seconds = 0;
    if (hours < 0 || hours > 23 || !take(at, ":")) return false;
    int minutes = take_digits(at, 2);
    if (minutes < 0 || minutes > 59) return false;
    if (take(at, ":")) {
        seconds = take_digits(at, 2);
        if (seconds < 0 || seconds > 59) return false;
        if (take(at, "."))
            while (take(at, "0123456789"))
                continue;
    }
    *second = 3600 * hours + 60 * minutes + seconds;
    return true;
}

/* Z, +hh:mm, +hhmm, or nothing, which is UTC. */
static bool take_offset(const char **at, int64_t *offset_s) {
    *offset_s = 0;
    if (!**at || take(at, "Z")) return true;
    int sign = **at == '-' ? -1 : 1;
    if (!take(at, "+-")) return false;
    int hours = take_digits(at, 2);
    (void)take(at, ":");
    int minutes = hours < 0 ? -1 : take_digits(at, 2);
    if (minutes < 0 || hours > 14 || minutes > 59) return false;
    *offset_s = sign * (3600 * hours + 60 * minutes);
    return true;
}

bool cloudwatch_time_of_text(const char *text, int64_t *t_s) {
    int64_t day, second, offset_s;
    const char *at = text;
    if (!take_day(&at, &day) || !take(&at, "T ") || !take_clock(&at, &second) ||
        !take_offset(&at, &offset_s) || *at)
        return false;
    *t_s = day * DAY_S + second - offset_s;
    return true;
}

bool cloudwatch_time_of_json(const json_t *value, int64_t *t_s) {
    static const struct date first = {YEAR_LEAST, 1, 1}, last = {YEAR_MOST, 1, 1};
    if (json_is_string(value)) return cloudwatch_time_of_text(json_string_value(value), t_s);
    if (!json_is_number(value)) return false;
    double number = json_number_value(value);
    if (number >= MILLISECONDS_FROM) number /= 1000;
    if (!(number >= (double)(date_day(first) * DAY_S)) ||
        !(number < (double)(date_day(last) * DAY_S)))
        return false;
    *t_s = (int64_t)floor(number);
    return true;
}
