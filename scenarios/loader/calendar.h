/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Days of the proleptic Gregorian calendar, as numbers since 1970-01-01. */
#ifndef LOADER_CALENDAR_H
#define LOADER_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

struct calendar_date {
    int64_t year;
    int month, day; /* from 1 */
};

bool calendar_is_day(struct calendar_date date);
int64_t calendar_day(struct calendar_date date);
struct calendar_date calendar_date(int64_t day);
int calendar_month_days(int64_t year, int month);
/* 1 is Sunday, 7 Saturday. */
int calendar_weekday(int64_t day);

#endif
