/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Gregorian calendar, extended to all years. Years begin in March here, so that the day that comes
 * and goes is the last of its year; 400 years are always 146,097 days.
 *
 * Invariant: date_of_day and date_day undo each other (tested).
 */
#include <base/date.h>

#include <base/types.h>

#define ERA_YEARS 400
#define ERA_DAYS 146097
#define EPOCH_DAYS 719468 /* from 0000-03-01 to 1970-01-01 */

int date_month_days(int64_t year, int month) {
    static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return lengths[month - 1] + (month == 2 && leap);
}

bool date_is_day(struct date date) {
    if (date.month < 1 || date.month > 12 || date.day < 1) return false;
    return date.day <= date_month_days(date.year, date.month);
}

/* Days of a year that begins in March before the month with this number, March being 0. */
static int64_t days_before(int64_t from_march) { return (153 * from_march + 2) / 5; }

int64_t date_day(struct date date) {
    int64_t year = date.month <= 2 ? date.year - 1 : date.year;
    int64_t era = floor_div(year, ERA_YEARS), of_era = year - era * ERA_YEARS;
    int64_t of_year = days_before(date.month + (date.month > 2 ? -3 : 9)) + date.day - 1;
    return era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_DAYS;
}

struct date date_of_day(int64_t day) {
    int64_t since = day + EPOCH_DAYS, era = floor_div(since, ERA_DAYS);
    int64_t of_era = since - era * ERA_DAYS;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / (ERA_DAYS - 1)) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    int month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    return (struct date){year + era * ERA_YEARS + (month <= 2), month,
                         (int)(of_year - days_before(from_march)) + 1};
}

int date_weekday(int64_t day) {
    int64_t since_sunday = day + 4; /* 1970-01-01 was a Thursday */
    return (int)(since_sunday - floor_div(since_sunday, 7) * 7) + 1;
}
