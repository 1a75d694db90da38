/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedules of scheduled actions as Application Auto Scaling writes them: cron(...) with its six fields,
 * rate(...) and at(...). A schedule becomes the moments at which it fires while a scenario runs.
 */
#ifndef LOADER_CRON_H
#define LOADER_CRON_H

#include <loader/literal.h>

enum cron_kind { CRON_AT, CRON_RATE, CRON_FIELDS };

/* Values of a field, as bits counted from the least that it may have. */
struct cron_set {
    uint64_t bits[4];
};

/* What a day must be beside what its month and its year are. Of the fields from `days` on one counts. */
struct cron_days {
    bool by_weekday;     /* the day of the week says it, not the day of the month */
    bool last;           /* L: the last day of the month; 6L: its last such weekday */
    int nearest;         /* 15W: the weekday nearest to that day; 0: not so */
    int nth;             /* 6#3: the third such weekday of the month; 0: not so */
    struct cron_set set; /* the days, or the weekdays */
};

struct cron {
    enum cron_kind kind;
    int64_t local_s;  /* AT: where the schedule's clocks show it */
    int64_t period_s; /* RATE */
    struct cron_set minutes, hours, months, years;
    struct cron_days days;
};

/* The run that a schedule fires in, and the clocks that its times are read from. */
struct cron_run {
    int64_t start_unix_s, duration_ns;
    int32_t utc_offset_s;
};

bool cron_parse(const char *text, struct cron *out, struct literal_problem *problem);
/* Writes the first `room` moments, in ns since start and in order, and returns how many there are; one more
 * than `room` stands for any number beyond it. `at_ns` NULL: only counts. */
uint32_t cron_fire(const struct cron *cron, const struct cron_run *run, int64_t *at_ns,
                   uint32_t room);

#endif
