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
#include <stdlib.h>
#include <string.h>

#define BEFORE_S 600 /* before it, to compare with */
#define GROWN 1.1    /* so many times the requests of before are more demand */
#define HALF 0.5
#define FEW 4 /* times as many workers as there were */
#define CALM_PRESET "sdk-standard-2026"

static int64_t refusals_from(struct diagnosis *d, int64_t from_s) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT coalesce(sum(throttled_attempts), 0) FROM"
                                     " workload_second WHERE run_id = ? AND t_s >= ?",
                                     "ii", d->run.run_id, from_s));
    return count;
}

static bool outlived(struct diagnosis *d, const struct fault *fault) {
    struct storm *storm = &d->storm;
    int64_t from_s = fault->window.end_s + FAULT_LASTS_S;
    struct window before = {fault->window.start_s - BEFORE_S, fault->window.start_s};
    struct window after = {from_s, d->end_s};
    if (before.start_s < 0) before.start_s = 0;
    if (!fault->resource || !failures_began(d, fault) || from_s >= d->end_s) return false;
    storm->refused = refusals_from(d, from_s);
    if ((double)storm->refused < HALF * (double)d->throttled) return false;
    if (failures_changed(d, fault->window.start_s)) return false;
    const char *free = "queue_messages IS NULL";
    double asked = failures_rate(d, "requests", free, before);
    if (isnan(asked) || failures_rate(d, "requests", free, after) > GROWN * asked) return false;
    storm->before_per_s = failures_rate(d, "attempts", "1", before);
    storm->after_per_s = failures_rate(d, "attempts", "1", after);
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

/* Environments of a queue that worked at once before it began, and a few more; 0: there are no more now, or it has no
 * queue. */
static int64_t workers_for(struct diagnosis *d, const char *workload, const char *queue) {
    const struct window window = {d->storm.fault->window.start_s - BEFORE_S,
                                  d->storm.fault->window.start_s};
    const char *most = facts_setting(d, SAY(d, "%s.concurrency.maximum", queue));
    const char *least = facts_setting(d, SAY(d, "%s.concurrency.minimum", queue));
    int64_t in_flight = 0, from_s = window.start_s < 0 ? 0 : window.start_s;
    if (!most || !least || window.end_s <= from_s) return 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &in_flight,
                                     "SELECT coalesce(sum(in_flight), 0) FROM workload_second"
                                     " WHERE run_id = ? AND workload = ? AND t_s >= ? AND t_s < ?",
                                     "itii", d->run.run_id, workload, from_s, window.end_s));
    double busy = (double)in_flight / (double)(window.end_s - from_s);
    int64_t wanted = (int64_t)ceil(FEW * busy), fewest = strtoll(least, NULL, 10);
    if (wanted < fewest) wanted = fewest;
    return wanted < strtoll(most, NULL, 10) ? wanted : 0;
}

/* What a queue hands out while it waits is not done twice, and what is done in time is not handed out again. */
static void propose_fewer_workers(struct diagnosis *d) {
    struct fix *fix = NULL;
    const char *title = "";
    for (size_t i = 0; i < d->callers_count; i++) {
        const char *workload = d->callers[i].workload;
        char *name = words_path_name(workload);
        const char *queue = SAY(d, "workloads.%s.queue", diagnosis_keep(d, name));
        int64_t workers = workers_for(d, workload, queue);
        free(name);
        if (workers == 0) continue;
        if (!fix) fix = fixes_add(d, "");
        title = SAY(d, "%s%s %s of %s", title,
                    *title ? "," : "Let fewer workers in at once:", COUNT(workers), workload);
        fixes_set(d, fix, SAY(d, "%s.concurrency.maximum", queue),
                  SAY(d, "%lld", (long long)workers));
    }
    if (!fix) return;
    fix->title = SAY(d, "%s.", title);
    fix->remark =
        SAY(d,
            "%d times as many as were at work before it began. What waits in the queue asks "
            "the table for nothing, and what is under way is done in time.",
            FEW);
}

/* Few attempts, far apart, and a quota: what the SDKs of 2026 do by themselves. */
static void propose_fewer_retries(struct diagnosis *d) {
    struct fix *fix = NULL;
    for (size_t i = 0; i < d->callers_count; i++) {
        const struct callers *c = &d->callers[i];
        if (c->retries == 0 || !c->preset || strcmp(c->preset, CALM_PRESET) == 0) continue;
        if (!fix)
            fix =
                fixes_add(d, "Let callers try again less: few attempts, with jitter and a quota.");
        char *name = words_path_name(c->workload);
        fixes_set(d, fix, SAY(d, "workloads.%s.client.preset", diagnosis_keep(d, name)),
                  CALM_PRESET);
        free(name);
    }
    if (fix)
        fix->remark = "A quota that all share holds them back; one for each of many processes "
                      "hardly does.";
}

void storm_propose(struct diagnosis *d) {
    propose_fewer_workers(d);
    propose_fewer_retries(d);
    struct fix *fix = fixes_add(d, "Stop callers for a while: what they do keeps it up.");
    if (fix)
        fix->remark = "It ends when what is under way has ended. With a queue, no second worker "
                      "for what is still being worked on: a visibility timeout that outlasts the "
                      "slowest.";
}
