/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Days of the proleptic Gregorian calendar, as numbers since 1970-01-01. */
#ifndef BASE_DATE_H
#define BASE_DATE_H

#include <stdbool.h>
#include <stdint.h>

struct date {
    int64_t year;
    int month, day; /* from 1 */
};

bool date_is_day(struct date date);
int64_t date_day(struct date date);
struct date date_of_day(int64_t day);
int date_month_days(int64_t year, int month);
/* 1 is Sunday, 7 Saturday. */
int date_weekday(int64_t day);

#endif
