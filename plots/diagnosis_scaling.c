/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scalers that came too late. Refusals for lack of provisioned capacity waited for a scaler where
 *
 *   - a step out acted after they had begun, and was asked for at most ANSWER_S after the last of them (an
 *     alarm judges minutes that are over, so a short spike may be gone when it rings), and
 *   - at least half of the longest spell's refusals came before the last of these steps acted. What is
 *     refused after that is another matter: a scaler at its maximum, or one that asked for too little.
 *
 * A step that acts up to RELIEF_S after the last refusal ended it; a later one only where there was none.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_S 300
#define RELIEF_S 60
#define HOUR_S 3600
#define SHARE_WORTH_NAMING 0.05
#define STEPS_NAMED 4
#define SAW_MORE 1.05 /* a step beyond what capacity / target gives: burst let the demand be seen */

static bool lacks_capacity(enum ddbsim_cause cause) {
    return cause == DDBSIM_CAUSE_INDEX_CAPACITY || cause == DDBSIM_CAUSE_TABLE_CAPACITY;
}

static const char *direction_of(bool write) { return write ? "write" : "read"; }
static const char *refused_of(bool write) { return write ? "writes" : "reads"; }

/* ---- reading ---- */

/* The steps out of a resource in one direction, and when each acted. */
static const char steps_sql[] =
    "WITH e AS (SELECT event_id, t_ns, kind, iif(json_valid(detail), detail, '{}') AS d FROM event"
    " WHERE run_id = ?1 AND resource_id = ?2 AND kind IN ('scale_out', 'capacity_changed'))"
    " SELECT json_extract(d, '$.by'), t_ns / 1000000000, json_extract(d, '$.from'),"
    " json_extract(d, '$.to'), (SELECT min(c.t_ns) / 1000000000 FROM e c WHERE c.kind ="
    " 'capacity_changed' AND c.t_ns >= e.t_ns AND json_extract(c.d, '$.direction') = ?3"
    " AND json_extract(c.d, '$.to') = json_extract(e.d, '$.to')) FROM e WHERE kind = 'scale_out'"
    " AND json_extract(d, '$.direction') = ?3 AND t_ns <= ?4 * 1000000000 ORDER BY t_ns, event_id";

static void keep_step(struct lateness *late, const struct scale_step *step) {
    if (late->step_count == STEPS_KEPT) late->step_count--;
    late->steps[late->step_count++] = *step;
    late->all_steps++;
}

static void read_steps(struct diagnosis *d, struct lateness *late) {
    struct query query;
    query_open(&query, d->database, d->error, steps_sql, "iiti", d->run.run_id,
               late->resource->resource_id, direction_of(late->write), late->end_s + ANSWER_S);
    while (query_next(&query)) {
        struct scale_step step = {.by = SAY(d, "%s", query_text(&query, 0)),
                                  .asked_s = query_seconds(&query, 1),
                                  .acted_s = query_is_null(&query, 4) ? INT64_MAX
                                                                      : query_seconds(&query, 4),
                                  .from_per_s = query_double(&query, 2),
                                  .to_per_s = query_double(&query, 3)};
        bool in_time = step.acted_s <= late->end_s + RELIEF_S;
        if (step.acted_s <= late->start_s || (late->step_count > 0 && !in_time)) continue;
        keep_step(late, &step);
    }
    diagnosis_check(d, query_close(&query));
}

static int64_t refused_until(struct diagnosis *d, const struct lateness *late, int64_t until_s) {
    int64_t refused = 0;
    diagnosis_check(
        d, query_one_int(d->database, d->error, 0, &refused,
                         "SELECT sum(events) FROM throttle WHERE run_id = ?1 AND resource_id = ?2"
                         " AND t_s BETWEEN ?3 AND ?4 AND t_s < ?5 AND (reason LIKE '%Write%') = ?6"
                         " AND reason NOT LIKE '%KeyRange%'",
                         "iiiiii", d->run.run_id, late->resource->resource_id, late->start_s,
                         late->end_s, until_s, (int64_t)late->write));
    return refused;
}

static void read_late(struct diagnosis *d, const struct refusal *refusal) {
    bool write = ddbsim_reason_is_write(refusal->reason);
    const struct episode *episode = facts_main_episode(d, refusal->resource, write);
    if (!episode || scaling_late(d, refusal->resource, write)) return;
    struct lateness late = {.resource = refusal->resource,
                            .write = write,
                            .start_s = episode->start_ns / NS_PER_S,
                            .end_s = facts_episode_end_s(episode)};
    read_steps(d, &late);
    if (late.step_count == 0) return;
    late.refused = refused_until(d, &late, late.steps[late.step_count - 1].acted_s);
    if (2 * late.refused < refused_until(d, &late, INT64_MAX)) return;
    struct lateness *kept =
        diagnosis_append(d, (void **)&d->late, &d->late_count, &d->late_capacity, sizeof *kept);
    if (kept) *kept = late;
}

void scaling_read(struct diagnosis *d) {
    for (size_t i = 0; i < d->refusal_count && d->status == DDBSIM_OK; i++)
        if (lacks_capacity(d->refusals[i].cause)) read_late(d, &d->refusals[i]);
}

const struct lateness *scaling_late(const struct diagnosis *d,
                                    const struct query_resource *resource, bool write) {
    for (size_t i = 0; i < d->late_count; i++)
        if (d->late[i].resource == resource && d->late[i].write == write) return &d->late[i];
    return NULL;
}

/* ---- the policy ---- */

const char *scaling_who(const struct scale_step *step) {
    if (strcmp(step->by, "scaler") == 0) return "the scaler";
    return strcmp(step->by, "scheduled_action") == 0 ? "a scheduled action" : "auto scaling";
}

const char *scaling_path(struct diagnosis *d, const struct query_resource *resource, bool write) {
    const char *path = facts_path(d, resource);
    const char *policy = SAY(d, "%s.auto_scaling.%s", path, direction_of(write));
    if (facts_setting(d, SAY(d, "%s.max_capacity", policy))) return policy;
    const char *own = SAY(d, "%s.scaler", path);
    return facts_setting(d, SAY(d, "%s.every", own)) ? own : NULL;
}

double scaling_policy(struct diagnosis *d, const struct query_resource *resource, bool write,
                      const char *name) {
    const char *path = scaling_path(d, resource, write);
    const char *value = path ? facts_setting(d, SAY(d, "%s.%s", path, name)) : NULL;
    if (!value) return NAN;
    char *end = NULL;
    double number = strtod(value, &end);
    return *end == '%' ? number / 100 : number;
}

/* The most that the policy allows: what a schedule last made of it, else as it is written. */
double scaling_maximum(struct diagnosis *d, const struct flow *flow) {
    double most = NAN;
    diagnosis_check(
        d, query_one_double(d->database, d->error, &most,
                            "SELECT json_extract(detail, '$.max') FROM event WHERE run_id = ?"
                            " AND resource_id = ? AND kind = 'scale_bounds' AND json_valid(detail)"
                            " AND json_extract(detail, '$.direction') = ? AND t_ns < ? * 1000000000"
                            " ORDER BY t_ns DESC, event_id DESC LIMIT 1",
                            "iiti", d->run.run_id, flow->resource->resource_id,
                            direction_of(flow->write), flow->window.end_s));
    if (!isnan(most)) return most;
    most = scaling_policy(d, flow->resource, flow->write, "max_capacity");
    return isnan(most) ? scaling_policy(d, flow->resource, flow->write, "max") : most;
}

int64_t scaling_passed_s(struct diagnosis *d, const struct lateness *late) {
    const struct alarm *alarm =
        alarms_of_scaling(&d->alarms, late->resource, late->write, ALARM_SCALE_OUT);
    int64_t passed = -1;
    if (!alarm) return passed;
    /* The run of breaches that the step answers: after the last datapoint below. */
    diagnosis_check(
        d, query_one_int(d->database, d->error, -1, &passed,
                         "WITH s AS (SELECT t_s, value > threshold AS breach FROM alarm_sample"
                         " WHERE run_id = ?1 AND alarm = ?2 AND t_s < ?3), last AS (SELECT max(t_s)"
                         " AS t_s FROM s WHERE breach), calm AS (SELECT max(s.t_s) AS t_s FROM s,"
                         " last WHERE NOT coalesce(breach, 0) AND s.t_s < last.t_s)"
                         " SELECT min(s.t_s) FROM s, calm WHERE breach AND s.t_s >"
                         " coalesce(calm.t_s, -1)",
                         "iti", d->run.run_id, alarm->name, late->steps[0].asked_s));
    return passed;
}

/* When its alarm rang for the first step; -1 where it has none. */
static int64_t rang_s(struct diagnosis *d, const struct lateness *late) {
    const struct alarm *alarm =
        alarms_of_scaling(&d->alarms, late->resource, late->write, ALARM_SCALE_OUT);
    int64_t rang = -1;
    if (!alarm || strcmp(late->steps[0].by, "target_tracking") != 0) return rang;
    diagnosis_check(
        d, query_one_int(d->database, d->error, -1, &rang,
                         "SELECT max(t_ns) / 1000000000 FROM event WHERE run_id = ? AND kind ="
                         " 'alarm' AND json_extract(iif(json_valid(detail), detail, '{}'),"
                         " '$.alarm') = ? AND json_extract(iif(json_valid(detail), detail, '{}'),"
                         " '$.to') = 'ALARM' AND t_ns <= ? * 1000000000",
                         "iti", d->run.run_id, alarm->name, late->steps[0].asked_s));
    return rang;
}

/* ---- sentences ---- */

/* "20:05", or that it was not in this run. */
static const char *acted_in_words(struct diagnosis *d, const struct scale_step *step) {
    if (step->acted_s == INT64_MAX) return "did not act before the run ended";
    return SAY(d, "acted at %s", CLOCK(d, step->acted_s));
}

/* "Auto scaling saw ... 59.5 WCU/s, passed at 20:00; its alarm rang at 20:04 (...)"; "" without an alarm. */
static const char *alarm_in_words(struct diagnosis *d, const struct lateness *late, int64_t passed,
                                  int64_t rang) {
    double target = scaling_policy(d, late->resource, late->write, "target_value");
    int64_t delay = alarms_delay_s(d, "metric_delay") + alarms_delay_s(d, "alarm_delay");
    const char *minutes = facts_assumption(d, late->resource, "scale_out_minutes");
    if (passed < 0 || rang < 0 || isnan(target)) return "";
    return SAY(d,
               "What was consumed passed its target, %s of %s %s/s, at %s; its alarm rang at %s, "
               "after %s minutes above it and %s until CloudWatch knows and acts; ",
               PERCENT(target), NUMBER(late->steps[0].from_per_s), facts_unit(late->write),
               CLOCK(d, passed), CLOCK(d, rang), minutes ? minutes : "some",
               DURATION((double)delay));
}

static void say_course(struct diagnosis *d, const struct lateness *late) {
    const struct scale_step *first = &late->steps[0], *last = &late->steps[late->step_count - 1];
    int64_t passed = scaling_passed_s(d, late), rang = rang_s(d, late);
    const char *alarm = alarm_in_words(d, late, passed, rang);
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "It has a scaler, which came too late. %s%s %s %s called UpdateTable, which %s%s%s. "
            "Meanwhile %s %s were refused, from %s on.",
            alarm, *alarm ? "at" : "At", CLOCK(d, first->asked_s), scaling_who(first),
            acted_in_words(d, first), late->all_steps > 1 ? "; the last of its steps " : "",
            late->all_steps > 1 ? acted_in_words(d, last) : "", COUNT(late->refused),
            refused_of(late->write), CLOCK(d, late->start_s)),
        "event scale_out, capacity_changed, alarm; alarm_sample");
    if (passed >= 0) diagnosis_amount(finding, "passed_t_s", (double)passed);
    if (rang >= 0) diagnosis_amount(finding, "rang_t_s", (double)rang);
    diagnosis_amount(finding, "asked_t_s", (double)first->asked_s);
    if (last->acted_s < INT64_MAX) diagnosis_amount(finding, "acted_t_s", (double)last->acted_s);
    diagnosis_amount(finding, "steps", (double)late->all_steps);
    diagnosis_amount(finding, "refused_meanwhile", (double)late->refused);
}

/* "It had 85 and asked for 122 at 19:34, 175 at 19:39". */
static const char *steps_in_words(struct diagnosis *d, const struct lateness *late) {
    const char *text = SAY(d, "It had %s and asked for", NUMBER(late->steps[0].from_per_s));
    for (size_t i = 0; i < late->step_count && i < STEPS_NAMED; i++)
        text = SAY(d, "%s%s %s at %s", text, i > 0 ? "," : "", NUMBER(late->steps[i].to_per_s),
                   CLOCK(d, late->steps[i].asked_s));
    return late->all_steps > STEPS_NAMED ? SAY(d, "%s and so on", text) : text;
}

/* What a step of target tracking can reach. */
static void say_reach(struct diagnosis *d, const struct lateness *late) {
    const struct scale_step *first = &late->steps[0];
    double target = scaling_policy(d, late->resource, late->write, "target_value");
    if (strcmp(first->by, "target_tracking") != 0 || isnan(target)) return;
    double most = 1 / target;
    bool saw = first->to_per_s > SAW_MORE * most * first->from_per_s;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "%s. A step goes to what was consumed / target, and what is refused is not "
            "consumed: without burst it is at most %s times the capacity%s.",
            steps_in_words(d, late), SAY(d, "%.2f", most),
            saw ? "; here the burst let the load be seen" : ""),
        "event scale_out");
    diagnosis_amount(finding, "target", target);
    diagnosis_amount(finding, "step_most", most);
    diagnosis_amount(finding, "from_per_s", first->from_per_s);
    diagnosis_amount(finding, "to_per_s", late->steps[late->step_count - 1].to_per_s);
}

/* The load may be gone before anybody asks. */
static void say_over(struct diagnosis *d, const struct lateness *late) {
    if (late->steps[0].asked_s < late->end_s) return;
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d,
                            "The refusals were over at %s, before it even asked: no scaler follows "
                            "a load that is so short.",
                            CLOCK(d, late->end_s)),
                        "event throttling_ended, scale_out");
    diagnosis_amount(finding, "over_t_s", (double)late->end_s);
}

/* A scaler that took away what was needed soon after. */
static void say_scaled_in(struct diagnosis *d, const struct lateness *late) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT t_ns / 1000000000, json_extract(detail, '$.from'), json_extract(detail,"
               " '$.to') FROM event WHERE run_id = ?1 AND resource_id = ?2 AND kind = 'scale_in'"
               " AND json_valid(detail) AND json_extract(detail, '$.direction') = ?3"
               " AND t_ns BETWEEN ?4 * 1000000000 AND ?5 * 1000000000"
               " ORDER BY t_ns DESC, event_id DESC LIMIT 1",
               "iitii", d->run.run_id, late->resource->resource_id, direction_of(late->write),
               late->start_s - HOUR_S, late->start_s);
    if (query_next(&query)) {
        int64_t t_s = query_seconds(&query, 0);
        double from = query_double(&query, 1), to = query_double(&query, 2);
        struct finding *finding = diagnosis_chain(
            d,
            SAY(d,
                "It had itself asked to lower the capacity from %s to %s at %s, %s before the "
                "first refusal.",
                NUMBER(from), NUMBER(to), CLOCK(d, t_s), DURATION((double)(late->start_s - t_s))),
            "event scale_in");
        diagnosis_amount(finding, "scaled_in_t_s", (double)t_s);
        diagnosis_amount(finding, "scaled_in_to_per_s", to);
    }
    diagnosis_check(d, query_close(&query));
}

static void say_other(struct diagnosis *d, const struct lateness *late) {
    const struct scale_step *last = &late->steps[late->step_count - 1];
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "Too late as well: the %s capacity of %s, asked for at %s, which %s; %s %s refused.",
            direction_of(late->write), facts_name(d, late->resource),
            CLOCK(d, late->steps[0].asked_s), acted_in_words(d, last), COUNT(late->refused),
            refused_of(late->write)),
        "event scale_out, capacity_changed");
    diagnosis_amount(finding, "other_refused_meanwhile", (double)late->refused);
}

/* A scaler that did not come, and why. */
static void say_absent(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (!scaling_path(d, flow->resource, flow->write)) return;
    double most = scaling_maximum(d, flow);
    const struct alarm *alarm =
        alarms_of_scaling(&d->alarms, flow->resource, flow->write, ALARM_SCALE_OUT);
    const char *why = "it did not ask for more while the refusals lasted";
    bool at_maximum = flow->capacity_per_s >= most;
    if (at_maximum)
        why = SAY(d, "its policy's maximum is reached: max %s", NUMBER(most));
    else if (alarm && alarm->rang_s < 0)
        why = "its alarm for more never rang";
    struct finding *finding =
        diagnosis_chain(d, SAY(d, "It has a scaler, but %s.", why), "setting auto_scaling, scaler");
    if (at_maximum) diagnosis_amount(finding, "policy_max_per_s", most);
}

/* Decreases that AWS refused cost money, and refuse nobody. */
static void remark_refused(struct diagnosis *d) {
    int64_t refused = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &refused,
                                     "SELECT count(*) FROM event WHERE run_id = ? AND resource_id ="
                                     " ? AND kind = 'change_refused'",
                                     "ii", d->run.run_id, d->culprit->resource->resource_id));
    if (refused == 0) return;
    struct finding *finding = diagnosis_remark(
        d,
        SAY(d,
            "AWS refused %s %s of its capacity (LimitExceededException): decreases are rationed. "
            "It stayed higher than was asked for, which costs but refuses nothing.",
            COUNT(refused), refused == 1 ? "change" : "changes"),
        "event change_refused");
    diagnosis_amount(finding, "changes_refused", (double)refused);
}

void scaling_say(struct diagnosis *d) {
    const struct lateness *late = scaling_late(d, d->culprit->resource, d->culprit->write);
    if (!lacks_capacity(d->under)) return;
    remark_refused(d);
    if (!late) {
        say_absent(d);
        return;
    }
    say_course(d, late);
    say_reach(d, late);
    say_over(d, late);
    say_scaled_in(d, late);
    for (size_t i = 0; i < d->late_count; i++)
        if (&d->late[i] != late &&
            (double)d->late[i].refused >= SHARE_WORTH_NAMING * (double)d->throttled)
            say_other(d, &d->late[i]);
}
