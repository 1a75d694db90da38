/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What helps where a scaler came too late: capacity that is there before the load is. A minimum by the
 * clock for what can be foreseen, a minimum for good, a target so low that the usual load keeps enough, or
 * no capacity at all to set. Figures are the demand / target, so that the policy leaves them alone.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <string.h>

#define LEAD_S 900  /* before the load, for the capacity to be there and for clocks that differ */
#define ROUND_S 300 /* moments are told to the five minutes */
#define USUAL_S 900 /* before the target was passed: what the load usually is */
#define TARGET_LEAST 20 /* percent: AWS takes no less */
#define TARGET_USUAL 0.7

static const char *direction_of(bool write) { return write ? "write" : "read"; }

static bool is_tracked(struct diagnosis *d, const struct query_resource *resource, bool write) {
    return !isnan(scaling_policy(d, resource, write, "max_capacity"));
}

/* What carries a flow, with the policy's headroom; NaN where nobody knows how much is needed. */
static double units_of_flow(struct diagnosis *d, const struct flow *flow) {
    double target = scaling_policy(d, flow->resource, flow->write, "target_value");
    if (isnan(target)) target = TARGET_USUAL;
    return ceil(flow->needed_per_s / target - 1e-6);
}

static double units_of(struct diagnosis *d, const struct lateness *late) {
    const struct flow *flow = facts_flow(d, late->resource, late->write);
    return flow ? units_of_flow(d, flow) : NAN;
}

void fixes_hold(struct diagnosis *d, struct fix *fix, const struct flow *flow, double units) {
    const char *path = scaling_path(d, flow->resource, flow->write);
    if (!path) return;
    bool tracked = is_tracked(d, flow->resource, flow->write);
    double most = scaling_policy(d, flow->resource, flow->write, tracked ? "max_capacity" : "max");
    fixes_set(d, fix, SAY(d, "%s.%s", path, tracked ? "min_capacity" : "min"),
              SAY(d, "%.0f", units));
    if (most < units)
        fixes_set(d, fix, SAY(d, "%s.%s", path, tracked ? "max_capacity" : "max"),
                  SAY(d, "%.0f", units));
}

/* ---- by the clock ---- */

/* When the minimum must be there: before the target was passed, else before the refusals; -1: the run
 * begins too late for that. */
static int64_t lead_s(struct diagnosis *d, const struct lateness *late) {
    int64_t zero = d->run.start_unix_s + d->run.utc_offset_s;
    int64_t passed = scaling_passed_s(d, late);
    int64_t from = (passed >= 0 && passed < late->start_s ? passed : late->start_s) - LEAD_S + zero;
    int64_t at = from - from % ROUND_S - zero;
    return at < 0 ? -1 : at;
}

/* A moment as a scenario wants it: on the clock, or counted from the start where there are more days. */
static const char *moment_in_words(struct diagnosis *d, int64_t t_s) {
    const char *clock = CLOCK(d, t_s);
    if (strchr(clock, ' ')) return SAY(d, "+%lldm", (long long)(t_s / 60));
    return SAY(d, "\"%s\"", clock);
}

static bool has_schedule(struct diagnosis *d, const char *path) {
    int64_t count = 0;
    const char *prefix = SAY(d, "%s.auto_scaling.scheduled_actions.", path);
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT count(*) FROM setting WHERE run_id = ?1"
                                     " AND substr(path, 1, length(?2)) = ?2",
                                     "it", d->run.run_id, prefix));
    return count > 0;
}

/* "write: {min_capacity: 323}" of every late direction of a resource; *at_s becomes the earliest. */
static const char *minimums_of(struct diagnosis *d, const struct query_resource *resource,
                               int64_t *at_s) {
    const char *text = "";
    for (size_t i = 0; i < d->late_count; i++) {
        const struct lateness *late = &d->late[i];
        double units = units_of(d, late), most;
        if (late->resource != resource || isnan(units) || !is_tracked(d, resource, late->write))
            continue;
        most = scaling_policy(d, resource, late->write, "max_capacity");
        int64_t at = lead_s(d, late);
        if (*at_s < 0 || at < *at_s) *at_s = at;
        text = SAY(d, "%s, %s: {min_capacity: %.0f%s}", text, direction_of(late->write), units,
                   most < units ? SAY(d, ", max_capacity: %.0f", units) : "");
    }
    return text;
}

/* One scheduled action for each resource that was late; the culprit's own stands in the title. */
static void propose_schedule(struct diagnosis *d, const struct lateness *main) {
    double units = units_of(d, main);
    int64_t at_s = lead_s(d, main);
    if (isnan(units) || at_s < 0 || !is_tracked(d, main->resource, main->write)) return;
    struct fix *fix = fixes_add(
        d, SAY(d, "Raise the minimum by the clock: %s for the %s capacity of %s from %s on.",
               NUMBER(units), direction_of(main->write), facts_name(d, main->resource),
               CLOCK(d, at_s)));
    bool written = false;
    for (size_t i = 0; i < d->late_count; i++) {
        const struct query_resource *resource = d->late[i].resource;
        const char *path = facts_path(d, resource);
        int64_t from_s = -1;
        bool seen = i > 0 && d->late[i - 1].resource == resource;
        const char *minimums = minimums_of(d, resource, &from_s);
        written |= has_schedule(d, path);
        if (seen || !*minimums || from_s < 0) continue;
        fixes_set(d, fix, SAY(d, "%s.auto_scaling.scheduled_actions", path),
                  SAY(d, "[{at: %s%s}]", moment_in_words(d, from_s), minimums));
    }
    if (!fix) return;
    if (written) fix->set_count = 0; /* a list replaces the one that is there */
    fix->remark = written
                      ? "Beside the scheduled actions that there are; one that fires at the wrong "
                        "hour, as in another time zone, is to be corrected."
                      : "A load that is known beforehand needs no alarm. A second action lowers "
                        "the minimum when it is over.";
}

/* ---- for good ---- */

static void propose_minimum(struct diagnosis *d) {
    const char *title = "";
    struct fix *fix = fixes_add(d, "");
    for (size_t i = 0; i < d->late_count; i++) {
        const struct lateness *late = &d->late[i];
        const struct flow *flow = facts_flow(d, late->resource, late->write);
        double units = units_of(d, late);
        if (!flow || isnan(units)) continue;
        title =
            SAY(d, "%s%s %s for the %s capacity of %s", title, *title ? ", and" : "Keep at least",
                NUMBER(units), direction_of(late->write), facts_name(d, late->resource));
        fixes_set(
            d, fix,
            SAY(d, "%s.%s_capacity", facts_path(d, late->resource), direction_of(late->write)),
            SAY(d, "%.0f", units));
        fixes_hold(d, fix, flow, units);
    }
    if (!fix) return;
    if (!*title)
        d->fix_count--;
    else
        fix->title = SAY(d, "%s, whatever the load.", title);
    fix->remark = "It is paid for around the clock.";
}

/* ---- a lower target ---- */

/* What was consumed a second in the minutes before the target was passed; NaN where nothing tells. */
static double usual_load(struct diagnosis *d, const struct lateness *late) {
    int64_t passed = scaling_passed_s(d, late);
    double units = NAN;
    if (passed < USUAL_S) return NAN;
    diagnosis_check(d, query_one_double(
                           d->database, d->error, &units,
                           "SELECT sum(sum) / ?6 FROM metric WHERE run_id = ?1 AND resource_id = ?2"
                           " AND name = ?3 AND operation = '' AND dimension = '' AND period_s = ?4 "
                           "AND t_s >= ?5 - ?6"
                           " AND t_s < ?5",
                           "iitiid", d->run.run_id, late->resource->resource_id,
                           ddbsim_metric_name(late->write ? DDBSIM_METRIC_CONSUMED_WRITE
                                                          : DDBSIM_METRIC_CONSUMED_READ),
                           d->metric_period_s, passed, (double)USUAL_S));
    return units;
}

/* Where the usual load at that target keeps enough for the step. */
static void propose_target(struct diagnosis *d, const struct lateness *late) {
    const struct flow *flow = d->culprit;
    double usual = usual_load(d, late);
    double target = scaling_policy(d, late->resource, late->write, "target_value");
    double percent = floor(100 * usual / flow->needed_per_s);
    if (!(percent >= TARGET_LEAST) || !(percent < 100 * target)) return;
    struct fix *fix = fixes_add(
        d, SAY(d, "Lower the target from %s to %s.", PERCENT(target), PERCENT(percent / 100)));
    fixes_set(d, fix, SAY(d, "%s.target_value", scaling_path(d, late->resource, late->write)),
              SAY(d, "%.0f%%", percent));
    if (fix)
        fix->remark = SAY(d,
                          "The usual %s %s/s then keep as much capacity as the step asks for; it "
                          "is paid for all the time. Steps become larger too.",
                          NUMBER(usual), facts_unit(late->write));
}

/* ---- on demand ---- */

static bool has_below(struct diagnosis *d, const char *prefix) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT count(*) FROM setting WHERE run_id = ?1"
                                     " AND substr(path, 1, length(?2)) = ?2",
                                     "it", d->run.run_id, prefix));
    return count > 0;
}

/* What an on-demand table cannot have. */
static void unset_capacity(struct diagnosis *d, struct fix *fix, const char *path) {
    static const char *const single[] = {"read_capacity", "write_capacity"};
    static const char *const nested[] = {"auto_scaling", "scaler", "burst"};
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
        if (facts_setting(d, SAY(d, "%s.%s", path, single[i])))
            fixes_set(d, fix, SAY(d, "%s.%s", path, single[i]), "null");
    for (size_t i = 0; i < sizeof nested / sizeof nested[0]; i++)
        if (has_below(d, SAY(d, "%s.%s.", path, nested[i])))
            fixes_set(d, fix, SAY(d, "%s.%s", path, nested[i]), "null");
}

/* An alarm in percent of a capacity that is no more. */
static bool alarmed_in_percent(struct diagnosis *d, const char *table) {
    for (size_t i = 0; i < d->alarms.count; i++) {
        const struct alarm *alarm = &d->alarms.items[i];
        if (alarm->owner == ALARM_USER && alarm->resource &&
            strcmp(alarm->resource->table, table) == 0 &&
            (alarm_of_units(alarm, true) || alarm_of_units(alarm, false)))
            return true;
    }
    return false;
}

static void propose_on_demand(struct diagnosis *d) {
    const char *table = d->culprit->table->table;
    struct fix *fix = fixes_add(d, SAY(d, "Put table %s on demand.", table));
    fixes_set(d, fix, SAY(d, "%s.billing_mode", facts_path(d, d->culprit->table)),
              "PAY_PER_REQUEST");
    for (size_t i = 0; i < d->resources.count; i++)
        if (strcmp(d->resources.items[i].table, table) == 0)
            unset_capacity(d, fix, facts_path(d, &d->resources.items[i]));
    if (!fix) return;
    if (alarmed_in_percent(d, table)) fix->set_count = 0;
    fix->remark = "It serves twice its highest peak at once, and what it serves is paid for by the "
                  "request; nothing has to be foreseen.";
}

void fixes_propose_scaling(struct diagnosis *d) {
    const struct lateness *late = scaling_late(d, d->culprit->resource, d->culprit->write);
    if (!late) return;
    propose_schedule(d, late);
    propose_minimum(d);
    propose_target(d, late);
    propose_on_demand(d);
}

void fixes_propose_maximum(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double most = scaling_maximum(d, flow), units = units_of_flow(d, flow);
    if (scaling_late(d, flow->resource, flow->write) || !evidence_of_whole(d->under) ||
        !(flow->capacity_per_s >= most) || !(units > most))
        return;
    bool tracked = is_tracked(d, flow->resource, flow->write);
    struct fix *fix = fixes_add(d, SAY(d, "Let its scaler go further: from a maximum of %s to %s.",
                                       NUMBER(most), NUMBER(units)));
    fixes_set(d, fix,
              SAY(d, "%s.%s", scaling_path(d, flow->resource, flow->write),
                  tracked ? "max_capacity" : "max"),
              SAY(d, "%.0f", units));
    if (fix)
        fix->remark = "It follows the load some minutes late, so a steep rise is still refused.";
}
