/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What rang, when, and what would have: each alarm against the first refusal. Where no alarm looks at the
 * units of what lacks capacity, the usual one is tried on its minutes: more than 80 % of the capacity in
 * three of five, known and acted on after the delays that the model gives CloudWatch (M-90). Its
 * capacity is that of the moment of the evaluation, as an alarm's threshold in percent is (M-91).
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MOST 8
#define USUAL_SHARE 0.8
#define USUAL_DATAPOINTS 3
#define USUAL_PERIODS 5
#define PERIOD_S 60

/* ---- small things ---- */

static int64_t unit_s(const char *unit) {
    if (unit[0] == 'm' && unit[1] != 's') return 60;
    if (unit[0] == 'h') return 3600;
    if (unit[0] == 'd') return 86400;
    return unit[0] == 's';
}

int64_t alarms_delay_s(struct diagnosis *d, const char *name) {
    const char *text = d->culprit ? facts_assumption(d, d->culprit->resource, name)
                                  : facts_setting(d, SAY(d, "model.%s", name));
    int64_t seconds = 0;
    while (text && *text) {
        char *unit = NULL;
        double number = strtod(text, &unit);
        if (unit == text || !(number >= 0 && number < QUERY_SECONDS_MOST / 86400.0)) break;
        seconds += (int64_t)(number * (double)unit_s(unit));
        text = unit + strcspn(unit, "0123456789.");
    }
    return seconds;
}

/* "13 min before the first refusal"; "" where nothing was refused. */
static const char *beside_refusal(struct diagnosis *d, int64_t rang_s) {
    int64_t before_s = d->first_throttle_s - rang_s;
    if (d->first_throttle_s < 0) return "";
    return SAY(d, ", %s %s the first refusal",
               DURATION((double)(before_s < 0 ? -before_s : before_s)),
               before_s < 0 ? "after" : "before");
}

static void add_times(struct diagnosis *d, struct finding *finding, int64_t rang_s) {
    diagnosis_amount(finding, "rang_t_s", (double)rang_s);
    if (d->first_throttle_s >= 0)
        diagnosis_amount(finding, "seconds_before_first_refusal",
                         (double)(d->first_throttle_s - rang_s));
}

/* ---- those that are there ---- */

static const char *name_of(struct diagnosis *d, const struct alarm *alarm) {
    if (alarm->owner == ALARM_USER) return SAY(d, "%s", alarm->name);
    return SAY(d, "Auto scaling's alarm for more %s capacity of %s",
               alarm_of_units(alarm, true) ? "write" : "read", facts_name(d, alarm->resource));
}

static void say_rang(struct diagnosis *d, const struct alarm *alarm) {
    const char *again = alarm->rings > 1 ? SAY(d, " (%s times in all)", COUNT(alarm->rings)) : "";
    struct finding *finding =
        diagnosis_alarm(d,
                        SAY(d, "%s rang at %s%s%s.", name_of(d, alarm), CLOCK(d, alarm->rang_s),
                            beside_refusal(d, alarm->rang_s), again),
                        "event alarm");
    add_times(d, finding, alarm->rang_s);
    diagnosis_amount(finding, "rings", (double)alarm->rings);
}

/* The alarm that rang next after another, by time and then by name; NULL: none. */
static const struct alarm *next_to_ring(const struct diagnosis *d, bool own,
                                        const struct alarm *after) {
    const struct alarm *next = NULL;
    for (size_t i = 0; i < d->alarms.count; i++) {
        const struct alarm *alarm = &d->alarms.items[i];
        bool asked = own ? alarm->owner == ALARM_USER : alarm->owner == ALARM_SCALE_OUT;
        if (!asked || alarm->rang_s < 0) continue;
        if (after &&
            (alarm->rang_s < after->rang_s || (alarm->rang_s == after->rang_s && alarm <= after)))
            continue;
        if (!next || alarm->rang_s < next->rang_s) next = alarm;
    }
    return next;
}

static void say_ringing(struct diagnosis *d, bool own) {
    int64_t named = 0, more = 0;
    for (const struct alarm *alarm = next_to_ring(d, own, NULL); alarm && more < ALARMS_MOST;
         alarm = next_to_ring(d, own, alarm)) {
        if (named++ < NAMED_MOST)
            say_rang(d, alarm);
        else
            more++;
    }
    if (more > 0)
        diagnosis_amount(
            diagnosis_alarm(d, SAY(d, "%s more rang later.", COUNT(more)), "event alarm"), "more",
            (double)more);
}

/* The user's that never rang: with datapoints, or without any. */
static void say_silent(struct diagnosis *d, bool with_data) {
    const char *names = "";
    int64_t silent = 0;
    for (size_t i = 0; i < d->alarms.count; i++) {
        const struct alarm *alarm = &d->alarms.items[i];
        if (alarm->owner != ALARM_USER || alarm->rang_s >= 0 ||
            (alarm->datapoints > 0) != with_data)
            continue;
        if (silent++ < NAMED_MOST) names = SAY(d, "%s%s%s", names, *names ? ", " : "", alarm->name);
    }
    if (silent == 0) return;
    if (silent > NAMED_MOST) names = SAY(d, "%s and %s more", names, COUNT(silent - NAMED_MOST));
    struct finding *finding = diagnosis_alarm(
        d, SAY(d, "%s: %s.", with_data ? "Never rang" : "Never had a datapoint", names),
        "alarm_sample.state, value");
    diagnosis_amount(finding, with_data ? "silent" : "without_datapoints", (double)silent);
}

/* ---- the one that is not ---- */

static bool has_such(const struct diagnosis *d, const struct flow *flow) {
    for (size_t i = 0; i < d->alarms.count; i++) {
        const struct alarm *alarm = &d->alarms.items[i];
        if (alarm->owner == ALARM_USER && alarm->resource == flow->resource &&
            alarm_of_units(alarm, flow->write))
            return true;
    }
    return false;
}

/* When the usual alarm on a flow's units would have rung first; -1: never. */
static int64_t would_ring_s(struct diagnosis *d, const struct flow *flow) {
    int64_t rings = -1;
    int64_t delay_s = alarms_delay_s(d, "metric_delay") + alarms_delay_s(d, "alarm_delay");
    diagnosis_check(
        d, query_one_int(
               d->database, d->error, -1, &rings,
               "WITH m AS (SELECT t_s, coalesce((SELECT iif(?4, s.write_limit, s.read_limit)"
               " FROM second s WHERE s.run_id = ?1 AND s.resource_id = ?2"
               " AND s.t_s < metric.t_s + ?5 ORDER BY s.t_s DESC LIMIT 1),"
               " (SELECT coalesce(p.maximum, p.sum / p.sample_count) FROM metric p"
               " WHERE p.run_id = ?1 AND p.resource_id = ?2 AND p.name = ?10"
               " AND p.t_s < metric.t_s + ?5 ORDER BY p.t_s DESC LIMIT 1)) AS capacity"
               " FROM metric WHERE run_id = ?1"
               " AND resource_id = ?2 AND name = ?3 AND operation = '' AND dimension = ''"
               " AND period_s = ?6)"
               " SELECT min(t_s) + ?5 FROM m WHERE t_s + ?5 < ?9 AND (SELECT count(*) FROM metric x"
               " WHERE x.run_id = ?1 AND x.resource_id = ?2 AND x.name = ?3 AND x.operation = ''"
               " AND x.dimension = '' AND x.period_s = ?6 AND x.t_s BETWEEN m.t_s - 240 AND m.t_s"
               " AND x.sum > ?7 * ?6 * m.capacity) >= ?8",
               "iitiiidiit", d->run.run_id, flow->resource->resource_id,
               ddbsim_metric_name(flow->write ? DDBSIM_METRIC_CONSUMED_WRITE
                                              : DDBSIM_METRIC_CONSUMED_READ),
               (int64_t)flow->write, PERIOD_S + delay_s, (int64_t)PERIOD_S, USUAL_SHARE,
               (int64_t)USUAL_DATAPOINTS, d->end_s,
               ddbsim_metric_name(flow->write ? DDBSIM_METRIC_PROVISIONED_WRITE
                                              : DDBSIM_METRIC_PROVISIONED_READ)));
    return rings;
}

/* For what lacks capacity, where nobody looks at it. */
static void say_missing(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    bool capacity =
        d->under == DDBSIM_CAUSE_INDEX_CAPACITY || d->under == DDBSIM_CAUSE_TABLE_CAPACITY;
    if (!flow || !capacity || d->metric_period_s != PERIOD_S || has_such(d, flow)) return;
    if (isnan(flow->capacity_per_s)) return;
    const char *unset = facts_is_recording(d) ? "" : ", which nobody has set,";
    int64_t rings_s = would_ring_s(d, flow);
    const char *what =
        SAY(d, "An alarm on the %s units of %s at %s of its capacity (%d of %d minutes)",
            flow->write ? "write" : "read", facts_name(d, flow->resource), PERCENT(USUAL_SHARE),
            USUAL_DATAPOINTS, USUAL_PERIODS);
    if (rings_s < 0) {
        diagnosis_alarm(d, SAY(d, "%s%s would not have rung.", what, unset),
                        "metric; second.write_limit, read_limit");
        return;
    }
    struct finding *finding = diagnosis_alarm(d,
                                              SAY(d, "%s%s would have rung at %s%s.", what, unset,
                                                  CLOCK(d, rings_s), beside_refusal(d, rings_s)),
                                              "metric; second.write_limit, read_limit");
    diagnosis_amount(finding, "would_ring_t_s", (double)rings_s);
    if (d->first_throttle_s >= 0)
        diagnosis_amount(finding, "would_ring_seconds_before_first_refusal",
                         (double)(d->first_throttle_s - rings_s));
}

void alarms_say(struct diagnosis *d) {
    say_ringing(d, true);
    say_silent(d, true);
    say_silent(d, false);
    say_ringing(d, false);
    say_missing(d);
}
