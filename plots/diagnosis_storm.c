/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A retry storm: refusals that outlive what began them. Before a fault of the scenario nothing was refused; it began the
 * refusals, it is over, and five minutes later and more they are still the most of all, although nothing was changed
 * and nobody asks for more: where callers come at a rate of their own, their requests are as many as before. What is
 * more is attempts: retries, and work that a queue hands out again. Sources: N. Bronson et al., Metastable Failures in
 * Distributed Systems, HotOS 2021 (the trigger is gone, what sustains it stays); AWS, Summary of the DynamoDB Service
 * Disruption of September 2015.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>

#define LASTS_S 300  /* after the fault */
#define BEFORE_S 600 /* before it, to compare with */
#define GROWN 1.1    /* so many times the requests of before are more demand */
#define HALF 0.5

static int64_t refusals_from(struct diagnosis *d, int64_t from_s) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT coalesce(sum(throttled_attempts), 0) FROM"
                                     " workload_second WHERE run_id = ? AND t_s >= ?",
                                     "ii", d->run.run_id, from_s));
    return count;
}

static bool something_changed(struct diagnosis *d, int64_t from_s) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT count(*) FROM event WHERE run_id = ? AND"
                                     " kind = 'change' AND t_ns / 1000000000 >= ?",
                                     "ii", d->run.run_id, from_s));
    return count > 0;
}

/* Attempts a second; or requests, of those who come at a rate of their own and not through a queue. */
static double rate_in(struct diagnosis *d, const char *column, const char *which,
                      struct window window) {
    int64_t count = 0, length_s = window.end_s - window.start_s;
    if (length_s <= 0) return NAN;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     SAY(d,
                                         "SELECT coalesce(sum(%s), 0) FROM workload_second"
                                         " WHERE run_id = ? AND t_s >= ? AND t_s < ? AND %s",
                                         column, which),
                                     "iii", d->run.run_id, window.start_s, window.end_s));
    return (double)count / (double)length_s;
}

static bool outlived(struct diagnosis *d, const struct fault *fault) {
    struct storm *storm = &d->storm;
    int64_t from_s = fault->window.end_s + LASTS_S;
    struct window before = {fault->window.start_s - BEFORE_S, fault->window.start_s};
    struct window after = {from_s, d->end_s};
    if (before.start_s < 0) before.start_s = 0;
    if (!fault->resource || d->first_throttle_s < fault->window.start_s) return false;
    if (d->first_throttle_s > fault->window.end_s || from_s >= d->end_s) return false;
    storm->refused = refusals_from(d, from_s);
    if ((double)storm->refused < HALF * (double)d->throttled) return false;
    if (something_changed(d, fault->window.start_s)) return false;
    const char *free = "queue_messages IS NULL";
    double asked = rate_in(d, "requests", free, before);
    if (isnan(asked) || rate_in(d, "requests", free, after) > GROWN * asked) return false;
    storm->before_per_s = rate_in(d, "attempts", "1", before);
    storm->after_per_s = rate_in(d, "attempts", "1", after);
    storm->from_s = from_s;
    return storm->before_per_s > 0 && storm->after_per_s > GROWN * storm->before_per_s;
}

void storm_read(struct diagnosis *d) {
    for (size_t i = 0; i < d->fault_count && d->throttled > 0 && !d->storm.fault; i++)
        if (outlived(d, &d->faults[i])) d->storm.fault = &d->faults[i];
}

void storm_say(struct diagnosis *d) {
    const struct storm *storm = &d->storm;
    if (!storm->fault) return;
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d,
                            "Before it callers made %s attempts/s, and none was refused. From %s "
                            "on they make %s, with nothing "
                            "changed: %s of %s refusals came then. What is more is retries, and "
                            "work that is done again.",
                            NUMBER(storm->before_per_s), CLOCK(d, storm->from_s),
                            NUMBER(storm->after_per_s), COUNT(storm->refused), COUNT(d->throttled)),
                        "workload_second.attempts, throttled_attempts");
    diagnosis_amount(finding, "attempts_per_s_before", storm->before_per_s);
    diagnosis_amount(finding, "attempts_per_s_after", storm->after_per_s);
    diagnosis_amount(finding, "refused_after", (double)storm->refused);
}

void storm_propose(struct diagnosis *d) {
    struct fix *fix = fixes_add(d, "Let callers make less of it: what they do keeps it up.");
    if (fix)
        fix->remark =
            "Few attempts, with jitter and a quota that all share; fewer workers than the table "
            "can serve in "
            "time; no second worker for what is still being worked on. Until then stop them for a "
            "while: it ends when what is under way has ended.";
}
