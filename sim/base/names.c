/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of ddbsim/names.h as arrays of names, made from the same X macros as the enums. */
#include <ddbsim/names.h>

#include <base/check.h>
#include <ddbsim/ddbsim.h>
#include <stddef.h>
#include <string.h>

/* Reads the member of the row `number` of a table; `otherwise` past either end. */
#define ROW(table, number, member, otherwise)                                                      \
    ((number) >= 0 && (size_t)(number) < sizeof(table) / sizeof(table)[0] ? (table)[number].member \
                                                                          : (otherwise))

static const char *const operations[] = {
#define X(e, name, write) name,
    DDBSIM_OPERATIONS(X)
#undef X
};

struct reason_row {
    const char *name;
    bool index, write;
    const char *exceptions[2]; /* provisioned, on demand */
};
static const struct reason_row reasons[] = {
#define X(e, name, index, write, provisioned, on_demand) \
    {name, index, write, {provisioned, on_demand}},
    DDBSIM_REASONS(X)
#undef X
};

struct metric_row {
    const char *name, *unit, *what;
};
static const struct metric_row metrics[] = {
#define X(e, name, unit, what) {name, unit, what},
    DDBSIM_CLOUDWATCH_METRICS(X)
#undef X
};
static const struct metric_row outcomes[] = {
#define X(e, name, unit, what) {name, unit, what},
    DDBSIM_OUTCOME_METRICS(X)
#undef X
};

struct word_row {
    const char *name, *what;
};
static const struct word_row causes[] = {
#define X(e, name, what) {name, what},
    DDBSIM_CAUSES(X)
#undef X
};
static const struct word_row events[] = {
#define X(e, name, what) {name, what},
    DDBSIM_EVENTS(X)
#undef X
};

const char *ddbsim_operation_name(int operation) {
    bool is_known = operation >= 0 && operation < DDBSIM_OPERATION_KINDS;
    return is_known ? operations[operation] : NULL;
}
const char *ddbsim_reason_name(int reason) { return ROW(reasons, reason, name, NULL); }
bool ddbsim_reason_is_index(int reason) { return ROW(reasons, reason, index, false); }
bool ddbsim_reason_is_write(int reason) { return ROW(reasons, reason, write, false); }
const char *ddbsim_reason_exception(int reason, bool on_demand) {
    return ROW(reasons, reason, exceptions[on_demand], NULL);
}
const char *ddbsim_metric_name(int metric) { return ROW(metrics, metric, name, NULL); }
const char *ddbsim_metric_unit(int metric) { return ROW(metrics, metric, unit, NULL); }
const char *ddbsim_metric_what(int metric) { return ROW(metrics, metric, what, NULL); }
bool ddbsim_metric_is_level(int metric) {
    return metric == DDBSIM_METRIC_PROVISIONED_READ || metric == DDBSIM_METRIC_PROVISIONED_WRITE ||
           metric == DDBSIM_METRIC_ONLINE_PROGRESS;
}
const char *ddbsim_outcome_name(int outcome) { return ROW(outcomes, outcome, name, NULL); }
const char *ddbsim_outcome_unit(int outcome) { return ROW(outcomes, outcome, unit, NULL); }
const char *ddbsim_outcome_what(int outcome) { return ROW(outcomes, outcome, what, NULL); }
const char *ddbsim_cause_name(int cause) { return ROW(causes, cause, name, NULL); }
const char *ddbsim_cause_what(int cause) { return ROW(causes, cause, what, NULL); }
const char *ddbsim_event_name(int event) { return ROW(events, event, name, NULL); }
const char *ddbsim_event_what(int event) { return ROW(events, event, what, NULL); }

int ddbsim_name_find(const char *(*name_of)(int), const char *name) {
    CHECK(name_of != NULL && name != NULL);
    for (int i = 0; name_of(i); i++)
        if (strcmp(name_of(i), name) == 0) return i;
    return -1;
}

const char *ddbsim_version(void) { return DDBSIM_VERSION; }
