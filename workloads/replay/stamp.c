/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The times of a recording. A number's unit is what was said, or what the first one's size tells: below 10^11
 * seconds, below 10^14 milliseconds, below 10^17 microseconds, else nanoseconds, so that times of 1973 to 5138 are
 * never mistaken. From 1973 on they are since 1970; smaller ones count from the recording's own zero. A date
 * without a zone is in UTC.
 *
 * Invariant: all times of one recording are of one kind, that of its first.
 */
#include <workloads/replay/stamp.h>

#include <base/check.h>
#include <base/date.h>
#include <base/types.h>
#include <string.h>

#define SECONDS_BELOW INT64_C(100000000000) /* each unit ends a thousand times later */
#define ABSOLUTE_FROM_NS INT64_C(100000000000000000)
#define FRACTION_DIGITS 9
#define DAY_S INT64_C(86400)
#define YEAR_MOST 2261

bool stamp_set_unit(struct stamp_clock *clock, const char *unit) {
    static const char *const units[] = {"ns", "us", "ms", "s"};
    for (int i = 0; unit && i < 4; i++) {
        if (strcmp(units[i], unit) != 0) continue;
        clock->power = 3 * i;
        clock->has_unit = true;
    }
    return !unit || clock->has_unit;
}

static void find_unit(struct stamp_clock *clock, const struct decimal *decimal) {
    int64_t whole, limit = SECONDS_BELOW;
    clock->power = 9;
    if (!decimal_scaled(decimal, 0, &whole)) whole = INT64_MAX;
    while (clock->power > 0 && whole >= limit) {
        clock->power -= 3;
        if (clock->power > 0) limit *= 1000;
    }
    clock->has_unit = true;
}

static const char *settle(struct stamp_clock *clock, bool is_absolute) {
    if (!clock->is_known) clock->is_absolute = is_absolute;
    clock->is_known = true;
    return clock->is_absolute || !is_absolute ? NULL
                                              : "is a date, and those before count from zero";
}

const char *stamp_read_decimal(struct stamp_clock *clock, const struct decimal *decimal,
                               int64_t *t_ns) {
    if (decimal->negative && decimal->mantissa > 0) return "is negative";
    if (!clock->has_unit) find_unit(clock, decimal);
    if (!decimal_scaled(decimal, clock->power, t_ns)) return "is beyond the year 2262";
    if (!clock->is_known) return settle(clock, *t_ns >= ABSOLUTE_FROM_NS);
    return NULL;
}

/* ---- dates ---- */

struct scanner {
    const char *at, *end;
};

/* So many digits as a number; -1 where there are others. */
static int64_t take_digits(struct scanner *scanner, int count) {
    int64_t value = 0;
    if (scanner->end - scanner->at < count) return -1;
    for (; count > 0; count--) {
        char c = *scanner->at++;
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

static bool take_any(struct scanner *scanner, const char *any) {
    if (scanner->at == scanner->end || !strchr(any, *scanner->at)) return false;
    scanner->at++;
    return true;
}

/* The digits behind a second's point as nanoseconds; -1 where there are none. */
static int64_t take_fraction(struct scanner *scanner) {
    int64_t value = 0;
    int digits = 0;
    for (; scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9'; scanner->at++)
        if (digits < FRACTION_DIGITS) {
            value = value * 10 + (*scanner->at - '0');
            digits++;
        }
    if (digits == 0) return -1;
    for (; digits < FRACTION_DIGITS; digits++)
        value *= 10;
    return value;
}

/* "Z", "+02:00", "-0230" or nothing, as seconds east of UTC. */
static bool take_zone(struct scanner *scanner, int64_t *east_s) {
    *east_s = 0;
    if (scanner->at == scanner->end || take_any(scanner, "Zz")) return scanner->at == scanner->end;
    bool west = *scanner->at == '-';
    if (!take_any(scanner, "+-")) return false;
    int64_t hours = take_digits(scanner, 2), minutes = 0;
    bool colon = take_any(scanner, ":");
    if (colon || scanner->at < scanner->end) minutes = take_digits(scanner, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
    *east_s = (hours * 3600 + minutes * 60) * (west ? -1 : 1);
    return scanner->at == scanner->end;
}

/* "16:20:03.5" */
static bool take_clock(struct scanner *scanner, int64_t *day_ns) {
    int64_t seconds = 0, fraction = 0;
    int64_t hours = take_digits(scanner, 2);
    if (!take_any(scanner, ":")) return false;
    int64_t minutes = take_digits(scanner, 2);
    if (take_any(scanner, ":")) seconds = take_digits(scanner, 2);
    if (take_any(scanner, ".,")) fraction = take_fraction(scanner);
    /* A leap second is the next minute's first. */
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 60 ||
        fraction < 0)
        return false;
    *day_ns = (hours * 3600 + minutes * 60 + seconds) * NS_PER_S + fraction;
    return true;
}

static bool take_date(struct scanner *scanner, struct date *date) {
    date->year = take_digits(scanner, 4);
    if (!take_any(scanner, "-/")) return false;
    date->month = (int)take_digits(scanner, 2);
    if (!take_any(scanner, "-/")) return false;
    date->day = (int)take_digits(scanner, 2);
    return date->year >= 0 && date_is_day(*date);
}

static const char *read_date(struct stamp_clock *clock, const char *text, size_t length,
                             int64_t *t_ns) {
    struct scanner scanner = {text, text + length};
    struct date date;
    int64_t day_ns = 0, east_s = 0;
    if (!take_date(&scanner, &date)) return "is neither a number nor a date";
    if (scanner.at < scanner.end) {
        if (!take_any(&scanner, "Tt ") || !take_clock(&scanner, &day_ns) ||
            !take_zone(&scanner, &east_s))
            return "is a date with something wrong behind it";
    }
    if (date.year > YEAR_MOST) return "is beyond the year 2262";
    int64_t since_s = date_day(date) * DAY_S - east_s + day_ns / NS_PER_S;
    if (since_s < 0) return "is before 1970";
    *t_ns = since_s * NS_PER_S + day_ns % NS_PER_S;
    return settle(clock, true);
}

const char *stamp_read(struct stamp_clock *clock, const char *text, size_t length, int64_t *t_ns) {
    struct decimal decimal;
    CHECK(clock->power >= 0 && clock->power <= 9);
    if (length == 0) return "is missing";
    if (decimal_parse(text, length, &decimal)) return stamp_read_decimal(clock, &decimal, t_ns);
    return read_date(clock, text, length, t_ns);
}
