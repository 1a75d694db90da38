/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CloudWatch alarms: the user's own, and the pair that target tracking makes of each policy. An alarm compares
 * one statistic of one metric with a threshold, period by period, some time after a period has ended. Rules
 * M-90 to M-92. Everything runs between events, when periods close.
 */
#ifndef MODEL_ALARMS_H
#define MODEL_ALARMS_H

#include <model/model.h>

#define ALARM_RANGE_MAX 10 /* highest value of the assumption alarm_range */

enum alarm_state { ALARM_OK, ALARM_ALARM, ALARM_INSUFFICIENT_DATA };

/* M of N datapoints. */
struct alarm_rule {
    uint32_t periods, datapoints; /* N, M */
    uint32_t range;               /* periods that are looked at, N and some more */
    enum ddbsim_comparison comparison;
    enum ddbsim_missing_data missing;
};

struct alarm_point {
    double value;
    bool there;
};

struct scaling;

struct alarm {
    char *name, *detail_name; /* owned; as it is, and as JSON */
    struct alarm_rule rule;
    struct table *table;            /* NULL: the account's */
    struct resource *resource;      /* NULL likewise */
    int operation;                  /* -1: all together */
    const struct replication *link; /* whose latency it watches; NULL: it watches another metric */
    enum ddbsim_metric metric;
    enum ddbsim_alarm_statistic statistic;
    double quantile; /* PERCENTILE */
    int64_t period_s, delay_s;
    double threshold; /* a user's */
    bool of_capacity; /* it is a share of the direction's capacity */
    enum direction direction;
    struct scaling *scaling; /* what it acts for; NULL: a user's */
    bool scales_out;
    /* The period that is under way. */
    double sum, minimum, maximum;
    uint64_t count;
    struct hist *latency; /* owned; PERCENTILE */
    /* Periods that are over: the newest `ring_size` of them. */
    struct alarm_point *ring; /* owned */
    uint32_t ring_size;
    uint64_t closed, judged;
    int64_t first_end_s; /* end of the first period */
    enum alarm_state state;
};

/* The state after these datapoints, the newest first, `rule->range` of them or fewer (M-92). */
enum alarm_state alarm_judge(const struct alarm_rule *rule, double threshold,
                             const struct alarm_point *points, uint32_t count,
                             enum alarm_state state);

/* The user's alarms and those of the scalings, which exist already. False when memory is short. */
bool alarms_create(struct model *model);
void alarms_destroy(struct model *model);
/* A minute ends at end_s: what it counted, before that is cleared. */
void alarms_close_minute(struct model *model, int64_t end_s);
/* Periods whose datapoints have come by end_s are judged; alarms of scalings act. */
void alarms_evaluate(struct model *model, int64_t end_s);
/* What an alarm compares with now. */
double alarm_threshold(const struct alarm *alarm);

#endif
