/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Days, hours and months of a local clock, by number since 1970, and how they are written. */
#ifndef WORKLOADS_PERIODS_H
#define WORKLOADS_PERIODS_H

#include <ddbsim/scenario.h>

#define PERIOD_TEXT_MAX 32

struct civil {
    int64_t year;
    uint32_t month, day; /* from 1 */
};

/* A day since 1970-01-01, of the proleptic Gregorian calendar. */
struct civil civil_of_day(int64_t days);

/* The period that holds a second of local time; `clock` is not NONE. */
int64_t period_of(enum ddbsim_clock clock, int64_t local_s);
/* 2026-09-25, 2026-09-25T18 or 2026-09; returns the length. The buffer has PERIOD_TEXT_MAX. */
size_t period_text(enum ddbsim_clock clock, int64_t number, char *buffer);

#endif
