/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Moments. ISO 8601 as AWS writes it: a date, T or a blank, a time of whole or decimal seconds, and Z or an offset.
 * Counts since 1970 do not say their unit; between 2001 and 2200 a number can mean one of them only.
 *
 * Invariant: what is accepted lies from year 1 to 9999 and, as nanoseconds, within 64 bits.
 */
#include <workloads/replay/instant.h>

#include <base/check.h>

#define DAY_S INT64_C(86400)
#define COUNT_LOW INT64_C(978307200)   /* 2001-01-01 in seconds */
#define COUNT_HIGH INT64_C(7258118400) /* 2200-01-01 */

static bool number(const char **at, int digits, int64_t low, int64_t high, int64_t *out) {
    *out = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9') return false;
        *out = *out * 10 + (**at - '0');
    }
    return *out >= low && *out <= high;
}

static bool mark(const char **at, char c) {
    if (**at != c) return false;
    (*at)++;
    return true;
}

static int64_t month_days(int64_t year, int64_t month) {
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 ? 28 + leap : 30 + (month + (month > 7)) % 2;
}

/* Days since 1970-01-01: whole years before this one, whole months of this one. */
static int64_t day_number(int64_t year, int64_t month, int64_t day) {
    int64_t before = year - 1, days = before * 365 + before / 4 - before / 100 + before / 400;
    for (int64_t m = 1; m < month; m++)
        days += month_days(year, m);
    return days + day - 1 - 719162; /* days before 1970 */
}

static bool fraction(const char **at, int64_t *ns) {
    int64_t unit = NS_PER_S / 10;
    *ns = 0;
    if (!mark(at, '.') && !mark(at, ',')) return true;
    if (**at < '0' || **at > '9') return false;
    for (; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
        *ns += unit * (**at - '0');
    return true;
}

static bool offset(const char **at, int64_t *seconds) {
    int64_t hours, minutes = 0, sign = **at == '-' ? -1 : 1;
    *seconds = 0;
    if (mark(at, 'Z') || mark(at, 'z')) return true;
    if (!mark(at, '+') && !mark(at, '-')) return false;
    if (!number(at, 2, 0, 14, &hours)) return false;
    (void)mark(at, ':');
    if (!number(at, 2, 0, 59, &minutes)) return false;
    *seconds = sign * (hours * 3600 + minutes * 60);
    return true;
}

bool instant_iso(const char *text, int64_t *t_ns) {
    int64_t year, month, day, hour, minute, second, ns, from_utc, whole;
    const char *at = text;
    if (!number(&at, 4, 1, 9999, &year) || !mark(&at, '-') || !number(&at, 2, 1, 12, &month) ||
        !mark(&at, '-') || !number(&at, 2, 1, month_days(year, month), &day))
        return false;
    if (!mark(&at, 'T') && !mark(&at, ' ')) return false;
    if (!number(&at, 2, 0, 23, &hour) || !mark(&at, ':') || !number(&at, 2, 0, 59, &minute) ||
        !mark(&at, ':') || !number(&at, 2, 0, 60, &second) || !fraction(&at, &ns))
        return false;
    if (!offset(&at, &from_utc) || *at != '\0') return false;
    whole = day_number(year, month, day) * DAY_S + hour * 3600 + minute * 60 + second - from_utc;
    return !__builtin_mul_overflow(whole, NS_PER_S, t_ns) &&
           !__builtin_add_overflow(*t_ns, ns, t_ns);
}

bool instant_count(int64_t count, int64_t *t_ns) {
    for (int64_t unit = NS_PER_S; unit > 0; unit /= 1000) {
        int64_t in_s = NS_PER_S / unit; /* so many of the unit a second */
        if (count / in_s < COUNT_LOW || count / in_s >= COUNT_HIGH) continue;
        CHECK(count <= INT64_MAX / unit);
        *t_ns = count * unit;
        return true;
    }
    return false;
}

/* Seconds with a fraction, to the microsecond: a double holds no more of them. */
bool instant_real(double seconds, int64_t *t_ns) {
    if (!(seconds >= (double)COUNT_LOW && seconds < (double)COUNT_HIGH)) return false;
    *t_ns = (int64_t)(seconds * 1e6 + 0.5) * NS_PER_US;
    return true;
}
