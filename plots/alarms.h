/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The alarms of a run: what each looks at, and when it rang. Their states come from the database; what
 * they look at is told by the settings of the user's alarms and by the names of auto scaling's own.
 */
#ifndef PLOTS_ALARMS_H
#define PLOTS_ALARMS_H

#include <plots/query.h>

enum alarm_owner {
    ALARM_USER,
    ALARM_SCALE_OUT, /* auto scaling's for more capacity, and for less */
    ALARM_SCALE_IN
};

struct alarm {
    char *name, *metric; /* metric "" where nothing tells it */
    enum alarm_owner owner;
    const struct query_resource *resource; /* NULL: a metric of the account, or unknown */
    bool below;                            /* it breaches below its threshold */
    int64_t rang_s;                        /* when it first went to ALARM; -1: never */
    int64_t rings;
    int64_t datapoints; /* that were there */
};

struct alarms {
    struct alarm *items; /* by name */
    size_t count;
};

#define ALARMS_MOST 4096 /* more than a scenario can have */

DDBSIM_MUST_CHECK enum ddbsim_status alarms_read(struct sqlite3 *database, int64_t run_id,
                                                 const struct query_resources *resources,
                                                 struct alarms *out, struct ddbsim_error *error);
void alarms_clear(struct alarms *alarms);
/* Auto scaling's alarm of that owner on a resource in one direction; NULL: there is none. */
const struct alarm *alarms_of_scaling(const struct alarms *alarms,
                                      const struct query_resource *resource, bool write,
                                      enum alarm_owner owner);
/* Whether it looks at units consumed in that direction. */
bool alarm_of_units(const struct alarm *alarm, bool write);

#endif
