/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading and writing literals. Numbers are scanned as decimal digits into an integer and a power
 * of ten, so that 0.3s is exactly 300 000 000 ns and 61% exactly 610 000 000 billionths; only rates
 * and plain decimals become doubles, by one correctly rounded conversion.
 *
 * Invariant: a reader that returns false has filled message; one that returns true has taken the
 * whole text.
 */
#include <loader/literal.h>

#include <base/types.h>
#include <base/date.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 18
#define NUMBER_TEXT 64

struct decimal {
    uint64_t mantissa; /* value is mantissa / 10^places */
    int places;
};

struct unit {
    const char *name;
    int64_t factor;
};

static bool fail(struct literal_problem *problem, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(struct literal_problem *problem, const char *hint, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(problem->message, sizeof problem->message, format, arguments);
    va_end(arguments);
    snprintf(problem->hint, sizeof problem->hint, "%s", hint);
    return false;
}

/* Texts of users in messages are cut to a length that leaves room for the rest. */
#define QUOTED "\"%.60s\""

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool fail_number(const char *text, const char *form, struct literal_problem *problem) {
    if (*text == '-') return fail(problem, form, QUOTED " is negative", text);
    if (*text == '+') return fail(problem, form, QUOTED " has a sign", text);
    return fail(problem, form, QUOTED " does not begin with a number", text);
}

/* Digits with at most one decimal point. Leading zeros are refused: elsewhere they mean octal. */
static bool scan_decimal(const char **cursor, struct decimal *out, const char *form,
                         struct literal_problem *problem) {
    const char *text = *cursor, *at = text;
    if (!is_digit(*at)) return fail_number(text, form, problem);
    if (*at == '0' && is_digit(at[1]))
        return fail(problem, form, "the number in " QUOTED " has a leading zero", text);
    int digits = 0;
    *out = (struct decimal){0};
    for (bool point = false; is_digit(*at) || (*at == '.' && !point && is_digit(at[1])); at++) {
        if (*at == '.') {
            point = true;
            continue;
        }
        if (++digits > DIGITS_MAX)
            return fail(problem, form, "the number in " QUOTED " has too many digits", text);
        out->mantissa = out->mantissa * 10 + (uint64_t)(*at - '0');
        out->places += point;
    }
    *cursor = at;
    return true;
}

/* number x factor, rounded to the nearest integer; false when it exceeds `most`. */
static bool scale(struct decimal number, int64_t factor, int64_t most, int64_t *out, bool *exact) {
    uint128 divisor = 1;
    for (int i = 0; i < number.places; i++)
        divisor *= 10;
    uint128 product = (uint128)number.mantissa * (uint64_t)factor;
    uint128 quotient = (product + divisor / 2) / divisor;
    *exact = product % divisor == 0;
    if (quotient > (uint128)most) return false;
    *out = (int64_t)quotient;
    return true;
}

static const struct unit *find_unit(const struct unit *units, const char *text, size_t length) {
    for (; units->name; units++)
        if (strlen(units->name) == length && !strncmp(units->name, text, length)) return units;
    return NULL;
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (isalpha((unsigned char)text[length]))
        length++;
    return length;
}

/* ---- durations ---- */

static const struct unit duration_units[] = {{"d", 86400 * NS_PER_S},
                                             {"h", 3600 * NS_PER_S},
                                             {"m", 60 * NS_PER_S},
                                             {"s", NS_PER_S},
                                             {"ms", NS_PER_MS},
                                             {"us", NS_PER_US},
                                             {"ns", 1},
                                             {NULL, 0}};

#define DURATION_FORM "durations look like 250ms, 0.3s, 5m or 2h30m"

static bool bare_duration(const char *text, struct literal_problem *problem) {
    char hint[120];
    snprintf(hint, sizeof hint, "add a unit, such as %.40ss or %.40sm", text, text);
    return fail(problem, hint, QUOTED " has no unit", text);
}

/* The text without its spaces is the hint, where it would be right. */
static bool spaced_duration(const char *text, struct literal_problem *problem) {
    char hint[120] = "write ";
    const size_t start = strlen(hint);
    size_t length = start;
    struct literal_problem ignored;
    int64_t ns;
    for (const char *at = text; *at && length + 1 < sizeof hint; at++)
        if (*at != ' ') hint[length++] = *at;
    hint[length] = '\0';
    bool right = literal_duration(hint + start, &ns, &ignored);
    return fail(problem, right ? hint : DURATION_FORM,
                QUOTED " has a space in it: a duration is one word", text);
}

bool literal_duration(const char *text, int64_t *ns, struct literal_problem *problem) {
    const char *at = text;
    int64_t total = 0, last_factor = INT64_MAX;
    bool fraction = false;
    if (is_digit(*text) && strchr(text, ' ')) return spaced_duration(text, problem);
    do {
        struct decimal number = {0};
        if (!scan_decimal(&at, &number, DURATION_FORM, problem)) return false;
        size_t length = word_length(at);
        if (!length && !*at) return bare_duration(text, problem);
        const struct unit *unit = find_unit(duration_units, at, length);
        if (!unit)
            return fail(problem, DURATION_FORM, QUOTED " has an unknown unit or junk: " QUOTED,
                        text, at);
        if (unit->factor >= last_factor || fraction)
            return fail(problem, DURATION_FORM,
                        QUOTED " must name larger units first, each once, a fraction last", text);
        int64_t part = 0;
        bool exact;
        if (!scale(number, unit->factor, LITERAL_DURATION_MAX_NS - total, &part, &exact))
            return fail(problem, DURATION_FORM, QUOTED " is longer than a hundred years", text);
        if (!exact) return fail(problem, DURATION_FORM, QUOTED " is finer than 1 ns", text);
        total += part;
        last_factor = unit->factor;
        fraction = number.places > 0;
        at += length;
    } while (*at);
    *ns = total;
    return true;
}

static void trim_zeros(char *digits) {
    char *point = strchr(digits, '.');
    if (!point) return;
    char *end = digits + strlen(digits);
    while (end[-1] == '0')
        *--end = '\0';
    if (end[-1] == '.') end[-1] = '\0';
}

void literal_put_duration(int64_t ns, char *out, size_t size) {
    char digits[NUMBER_TEXT];
    int64_t hours = ns / (3600 * NS_PER_S), minutes = ns / (60 * NS_PER_S) % 60;
    int64_t rest = ns % (60 * NS_PER_S);
    if (ns > 0 && ns < NS_PER_S) {
        snprintf(digits, sizeof digits, "%" PRId64 ".%06" PRId64, ns / NS_PER_MS, ns % NS_PER_MS);
        trim_zeros(digits);
        snprintf(out, size, "%sms", digits);
        return;
    }
    snprintf(digits, sizeof digits, "%" PRId64 ".%09" PRId64, rest / NS_PER_S, rest % NS_PER_S);
    trim_zeros(digits);
    char hours_text[NUMBER_TEXT] = "", minutes_text[NUMBER_TEXT] = "";
    if (hours) snprintf(hours_text, sizeof hours_text, "%" PRId64 "h", hours);
    if (minutes) snprintf(minutes_text, sizeof minutes_text, "%" PRId64 "m", minutes);
    bool seconds = rest || (!hours && !minutes);
    snprintf(out, size, "%s%s%s%s", hours_text, minutes_text, seconds ? digits : "",
             seconds ? "s" : "");
}

/* ---- sizes ---- */

static const struct unit size_units[] = {{"B", 1},
                                         {"KB", INT64_C(1) << 10},
                                         {"MB", INT64_C(1) << 20},
                                         {"GB", INT64_C(1) << 30},
                                         {NULL, 0}};

#define SIZE_FORM "sizes look like 900 B, 11 KB or 2 MB; 1 KB is 1024 B"

bool literal_size(const char *text, int64_t *bytes, struct literal_problem *problem) {
    const char *at = text;
    struct decimal number = {0};
    if (!scan_decimal(&at, &number, SIZE_FORM, problem)) return false;
    if (!*at) return fail(problem, SIZE_FORM, QUOTED " has no unit", text);
    if (*at == ' ') at++;
    size_t length = strlen(at);
    const struct unit *unit = find_unit(size_units, at, length);
    if (!unit)
        return fail(problem, SIZE_FORM, QUOTED " has an unknown unit or junk: " QUOTED, text, at);
    bool exact;
    if (!scale(number, unit->factor, LITERAL_SIZE_MAX_BYTES, bytes, &exact))
        return fail(problem, SIZE_FORM, QUOTED " is absurdly large", text);
    if (unit->factor == 1 && !exact)
        return fail(problem, SIZE_FORM, QUOTED " is not a whole number of bytes", text);
    return true;
}

void literal_put_size(int64_t bytes, char *out, size_t size) {
    const struct unit *unit = size_units;
    for (const struct unit *next = unit; next->name; next++)
        if (bytes && bytes % next->factor == 0) unit = next;
    snprintf(out, size, "%" PRId64 " %s", bytes / unit->factor, unit->name);
}

/* ---- shares ---- */

#define SHARE_FORM "shares look like 61% or 0.1%"

static bool bare_share(const char *text, struct decimal number, struct literal_problem *problem) {
    char hint[120], percent[NUMBER_TEXT];
    int64_t share;
    bool exact;
    if (!scale(number, NANO, INT64_C(100) * NANO, &share, &exact))
        return fail(problem, SHARE_FORM, QUOTED " is no share", text);
    literal_put_share(share, percent, sizeof percent);
    if (share > NANO) snprintf(percent, sizeof percent, "%.40s%%", text);
    snprintf(hint, sizeof hint, "write %s", percent);
    return fail(problem, hint, QUOTED " is a bare number where a share is wanted", text);
}

bool literal_share(const char *text, int64_t *share, struct literal_problem *problem) {
    const char *at = text;
    struct decimal number = {0};
    if (!scan_decimal(&at, &number, SHARE_FORM, problem)) return false;
    if (!*at) return bare_share(text, number, problem);
    if (strcmp(at, "%") != 0)
        return fail(problem, SHARE_FORM, QUOTED " has junk after the number: " QUOTED, text, at);
    bool exact;
    if (!scale(number, NANO / 100, INT64_C(1000000) * NANO, share, &exact))
        return fail(problem, SHARE_FORM, QUOTED " is absurdly large", text);
    if (!exact) return fail(problem, SHARE_FORM, QUOTED " is finer than a billionth", text);
    return true;
}

void literal_put_share(int64_t share, char *out, size_t size) {
    char digits[NUMBER_TEXT];
    int64_t percent = NANO / 100;
    snprintf(digits, sizeof digits, "%" PRId64 ".%07" PRId64, share / percent, share % percent);
    trim_zeros(digits);
    snprintf(out, size, "%s%%", digits);
}

/* ---- counts, decimals, rates ---- */

#define COUNT_FORM "write a whole number, such as 40000"

bool literal_count(const char *text, uint64_t *count, struct literal_problem *problem) {
    const char *at = text;
    struct decimal number = {0};
    if (!scan_decimal(&at, &number, COUNT_FORM, problem)) return false;
    if (*at == ',' || *at == '_')
        return fail(problem, COUNT_FORM, QUOTED " has separators between its digits", text);
    if (*at)
        return fail(problem, COUNT_FORM, QUOTED " has junk after the number: " QUOTED, text, at);
    if (number.places) return fail(problem, COUNT_FORM, QUOTED " is not a whole number", text);
    *count = number.mantissa;
    return true;
}

#define DECIMAL_FORM "write a number, such as 1 or 3.89"

bool literal_decimal(const char *text, double *value, struct literal_problem *problem) {
    const char *at = text;
    struct decimal number = {0};
    if (!scan_decimal(&at, &number, DECIMAL_FORM, problem)) return false;
    if (*at)
        return fail(problem, DECIMAL_FORM, QUOTED " has junk after the number: " QUOTED, text, at);
    *value = strtod(text, NULL);
    return true;
}

bool literal_factor(const char *text, int64_t *factor, struct literal_problem *problem) {
    const char *at = text;
    struct decimal number = {0};
    bool exact;
    if (!scan_decimal(&at, &number, DECIMAL_FORM, problem)) return false;
    if (*at)
        return fail(problem, DECIMAL_FORM, QUOTED " has junk after the number: " QUOTED, text, at);
    if (!scale(number, NANO, INT64_C(1000000) * NANO, factor, &exact))
        return fail(problem, DECIMAL_FORM, QUOTED " is absurdly large", text);
    if (!exact) return fail(problem, DECIMAL_FORM, QUOTED " is finer than a billionth", text);
    return true;
}

void literal_put_factor(int64_t factor, char *out, size_t size) {
    char digits[NUMBER_TEXT];
    snprintf(digits, sizeof digits, "%" PRId64 ".%09" PRId64, factor / NANO, factor % NANO);
    trim_zeros(digits);
    snprintf(out, size, "%s", digits);
}

static const struct unit rate_units[] = {
    {"/s", 1}, {"/min", 60}, {"/h", 3600}, {"/day", 86400}, {NULL, 0}};

#define RATE_FORM "rates look like 8.9/s, 12/min, 3500/h or 180000/day"

bool literal_rate(const char *text, double *per_s, struct literal_problem *problem) {
    const char *at = text;
    struct decimal number = {0};
    if (!scan_decimal(&at, &number, RATE_FORM, problem)) return false;
    if (!*at) {
        char hint[120];
        snprintf(hint, sizeof hint, "write %.40s/s, or /min, /h, /day", text);
        return fail(problem, hint, QUOTED " has no unit", text);
    }
    const struct unit *unit = find_unit(rate_units, at, strlen(at));
    if (!unit)
        return fail(problem, RATE_FORM, QUOTED " has an unknown unit or junk: " QUOTED, text, at);
    *per_s = strtod(text, NULL) / (double)unit->factor;
    if (*per_s > LITERAL_RATE_MAX_PER_S)
        return fail(problem, RATE_FORM, QUOTED " is absurdly large", text);
    return true;
}

void literal_put_decimal(const char *text, char *out, size_t size) {
    char digits[NUMBER_TEXT];
    size_t length = strspn(text, "0123456789.");
    if (length >= sizeof digits) length = sizeof digits - 1;
    memcpy(digits, text, length);
    digits[length] = '\0';
    trim_zeros(digits);
    snprintf(out, size, "%s%s", digits, text + length);
}

/* ---- moments ---- */

#define MOMENT_FORM "moments look like 18:20, 18:20:30, +2h30m or 2026-09-25T18:20:00+02:00"
#define INSTANT_FORM "write a date and time with offset, such as 2026-09-25T12:00:00+02:00"

/* Exactly two digits below `bound`, moving the cursor past them. */
static bool two_digits(const char **cursor, int bound, int64_t *out) {
    const char *at = *cursor;
    if (!is_digit(at[0]) || !is_digit(at[1])) return false;
    *out = (at[0] - '0') * 10 + (at[1] - '0');
    *cursor = at + 2;
    return *out < bound;
}

static bool skip(const char **cursor, char c) {
    if (**cursor != c) return false;
    (*cursor)++;
    return true;
}

/* HH:MM with optional :SS, as seconds of the day. */
static bool scan_time(const char **cursor, bool seconds_needed, int64_t *out) {
    int64_t hours, minutes, seconds = 0;
    if (!two_digits(cursor, 24, &hours) || !skip(cursor, ':') || !two_digits(cursor, 60, &minutes))
        return false;
    if (skip(cursor, ':')) {
        if (!two_digits(cursor, 60, &seconds)) return false;
    } else if (seconds_needed) {
        return false;
    }
    *out = hours * 3600 + minutes * 60 + seconds;
    return true;
}

static bool scan_offset(const char **cursor, int32_t *out) {
    if (skip(cursor, 'Z')) {
        *out = 0;
        return true;
    }
    bool east = **cursor == '+';
    if (!east && **cursor != '-') return false;
    (*cursor)++;
    int64_t hours, minutes;
    if (!two_digits(cursor, 15, &hours) || !skip(cursor, ':') || !two_digits(cursor, 60, &minutes))
        return false;
    *out = (int32_t)(hours * 3600 + minutes * 60) * (east ? 1 : -1);
    return true;
}

/* A date, T and a time, as seconds since 1970-01-01 where clocks show it. */
static bool scan_local_time(const char **cursor, const char *text, int64_t *local_s,
                            struct literal_problem *problem) {
    int64_t century, decade, month, day, seconds;
    if (!two_digits(cursor, 100, &century) || !two_digits(cursor, 100, &decade) ||
        !skip(cursor, '-') || !two_digits(cursor, 13, &month) || !skip(cursor, '-') ||
        !two_digits(cursor, 32, &day))
        return fail(problem, INSTANT_FORM, QUOTED " is no date with time and offset", text);
    struct date date = {century * 100 + decade, (int)month, (int)day};
    if (!date_is_day(date))
        return fail(problem, INSTANT_FORM, QUOTED " names a day that does not exist", text);
    if (!skip(cursor, 'T') || !scan_time(cursor, true, &seconds))
        return fail(problem, INSTANT_FORM, QUOTED " has no valid time after its date", text);
    *local_s = date_day(date) * 86400 + seconds;
    return true;
}

bool literal_local_time(const char *text, int64_t *local_s) {
    struct literal_problem ignored;
    const char *at = text;
    return scan_local_time(&at, text, local_s, &ignored) && !*at;
}

bool literal_offset(const char *text, int32_t *offset_s) {
    const char *at = text;
    return scan_offset(&at, offset_s) && !*at;
}

bool literal_instant(const char *text, struct literal_clock *out, struct literal_problem *problem) {
    const char *at = text;
    int64_t local_s = 0;
    if (!scan_local_time(&at, text, &local_s, problem)) return false;
    if (!*at) return fail(problem, INSTANT_FORM, QUOTED " has no offset from UTC", text);
    if (!scan_offset(&at, &out->utc_offset_s) || *at)
        return fail(problem, INSTANT_FORM, QUOTED " has no valid offset or junk at its end", text);
    out->start_unix_s = local_s - out->utc_offset_s;
    /* The offset counts: midnight of 1970 in the east lies before it. */
    if (out->start_unix_s < 0)
        return fail(problem, INSTANT_FORM, QUOTED " lies before 1970 in UTC", text);
    return true;
}

static bool wall_clock(const char *text, const struct literal_clock *clock, int64_t *ns) {
    const char *at = text;
    int64_t time_s;
    if (!scan_time(&at, false, &time_s) || *at) return false;
    int64_t local = clock->start_unix_s + clock->utc_offset_s;
    int64_t start_s = local - floor_div(local, 86400) * 86400;
    *ns = (time_s - start_s + (time_s < start_s ? 86400 : 0)) * NS_PER_S;
    return true;
}

bool literal_moment(const char *text, const struct literal_clock *clock, int64_t *ns,
                    struct literal_problem *problem) {
    if (*text == '+') return literal_duration(text + 1, ns, problem);
    if (wall_clock(text, clock, ns)) return true;
    struct literal_clock instant = {0};
    if (strlen(text) < 11 || text[4] != '-')
        return fail(problem, MOMENT_FORM, QUOTED " is no moment", text);
    if (!literal_instant(text, &instant, problem)) return false;
    int64_t seconds = instant.start_unix_s - clock->start_unix_s;
    if (seconds < 0) return fail(problem, "", QUOTED " lies before the start", text);
    if (seconds > LITERAL_DURATION_MAX_NS / NS_PER_S)
        return fail(problem, "", QUOTED " lies more than a hundred years after the start", text);
    *ns = seconds * NS_PER_S;
    return true;
}

bool literal_range(const char *text, char *low, char *high, size_t size,
                   struct literal_problem *problem) {
    const char *dots = strstr(text, "..");
    size_t left = dots ? (size_t)(dots - text) : strlen(text);
    const char *right = dots ? dots + 2 : text;
    if (!left || !*right || left >= size || strlen(right) >= size)
        return fail(problem, "ranges look like 3990..4410 or 0%..0.1%", QUOTED " is no range",
                    text);
    memcpy(low, text, left);
    low[left] = '\0';
    memcpy(high, right, strlen(right) + 1);
    return true;
}
