/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thresholds and expectations in words: what was observed, in the unit in which a scenario writes
 * it.
 */
#include "cli.h"

#include <math.h>
#include <string.h>

static const char *unit_of(const struct ddbsim_condition *condition) {
    if (condition->kind != DDBSIM_CONDITION_METRIC) return "count";
    if (condition->number < DDBSIM_OUTCOME_KINDS) return ddbsim_outcome_unit(condition->number);
    return ddbsim_metric_unit(condition->number - DDBSIM_OUTCOME_KINDS);
}

/* Whole numbers in full, others to six digits. */
static void put_number(double value, const char *unit, char *buffer, size_t size) {
    bool whole = value == floor(value) && fabs(value) < 1e15;
    snprintf(buffer, size, whole ? "%.0f%s" : "%.6g%s", value, unit);
}

static void metric_value(const struct ddbsim_condition *condition, double value, char *buffer,
                         size_t size) {
    const char *unit = unit_of(condition);
    if (condition->statistic == DDBSIM_SAMPLE_COUNT) {
        put_number(value, "", buffer, size);
    } else if (unit && strcmp(unit, "share") == 0) {
        snprintf(buffer, size, "%.4g %%", value * 100);
    } else if (unit && (strcmp(unit, "ms") == 0 || strcmp(unit, "Milliseconds") == 0)) {
        snprintf(buffer, size, "%.4g ms", value);
    } else {
        put_number(value, condition->statistic == DDBSIM_PER_SECOND ? "/s" : "", buffer, size);
    }
}

void condition_value(const struct ddbsim_condition *condition,
                     const struct ddbsim_scenario *scenario, double value, char *buffer,
                     size_t size) {
    if (isnan(value)) {
        snprintf(buffer, size, "nothing observed");
        return;
    }
    switch (condition->kind) {
    case DDBSIM_CONDITION_METRIC:
        metric_value(condition, value, buffer, size);
        break;
    case DDBSIM_CONDITION_REASON:
        snprintf(buffer, size, "%.4g %%", value * 100);
        break;
    case DDBSIM_CONDITION_EVENT_FIRST:
    case DDBSIM_CONDITION_ALARM_FIRST:
        style_clock(scenario, value, buffer, size);
        break;
    case DDBSIM_CONDITION_EVENT_COUNT:
    case DDBSIM_CONDITION_ALARM_COUNT:
        put_number(value, "", buffer, size);
        break;
    case DDBSIM_CONDITION_CAUSE: {
        const char *name = ddbsim_cause_name((int)value);
        snprintf(buffer, size, "%s", name ? name : "unknown");
        break;
    }
    }
}
