/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Models the periods that keys of time series name: a partition key a day, an hour, a month. Local time
 * has one offset from UTC for the whole run.
 *
 * Invariant: a later second is in no earlier period, and a later period's text sorts behind (years 0 to
 * 9999).
 */
#include <workloads/periods.h>

#include <base/check.h>
#include <base/types.h>
#include <stdio.h>

/* Years counted from March, so that leap days come last. */
struct civil civil_of_day(int64_t days) {
    int64_t shifted = days + 719468; /* since 0000-03-01 */
    int64_t era = floor_div(shifted, 146097);
    int64_t day = shifted - era * 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    day -= 365 * year + year / 4 - year / 100;
    int64_t month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5;
    bool late = month >= 10;
    return (struct civil){.year = year + era * 400 + late,
                          .month = (uint32_t)(late ? month - 9 : month + 3),
                          .day = (uint32_t)(day + 1)};
}

int64_t period_of(enum ddbsim_clock clock, int64_t local_s) {
    CHECK(clock != DDBSIM_CLOCK_NONE);
    if (clock == DDBSIM_CLOCK_HOUR) return floor_div(local_s, 3600);
    int64_t days = floor_div(local_s, 86400);
    if (clock == DDBSIM_CLOCK_DAY) return days;
    struct civil civil = civil_of_day(days);
    return 12 * (civil.year - 1970) + civil.month - 1;
}

size_t period_text(enum ddbsim_clock clock, int64_t number, char *buffer) {
    int length;
    if (clock == DDBSIM_CLOCK_MONTH) {
        int64_t year = floor_div(number, 12);
        length = snprintf(buffer, PERIOD_TEXT_MAX, "%04d-%02d", (int)(1970 + year),
                          (int)(number - 12 * year) + 1);
    } else {
        bool hour = clock == DDBSIM_CLOCK_HOUR;
        int64_t days = hour ? floor_div(number, 24) : number;
        struct civil civil = civil_of_day(days);
        length = snprintf(buffer, PERIOD_TEXT_MAX, "%04d-%02u-%02u", (int)civil.year, civil.month,
                          civil.day);
        if (hour)
            length += snprintf(buffer + length, PERIOD_TEXT_MAX - (size_t)length, "T%02d",
                               (int)(number - 24 * days));
    }
    CHECK(length > 0 && length < PERIOD_TEXT_MAX);
    return (size_t)length;
}
