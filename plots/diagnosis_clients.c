/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What callers did to themselves: a limiter that held them back (docs/model.md, M-89), timeouts that ended what the
 * service did all the same (M-97), breakers that let nothing pass (M-112). No metric of DynamoDB shows them, so it is
 * said whatever else is the matter.
 */
#include <plots/diagnosis_parts.h>

#include <stdlib.h>
#include <string.h>

/* Where more were under way than began within a second: others wait by their own backoff, and fewer. */
static void limiters_say(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT workload, min(t_s), min(limiter_rate), max(in_flight)"
               " FROM workload_second WHERE run_id = ? AND limiter_rate IS NOT NULL"
               " GROUP BY workload HAVING max(in_flight - requests) > 0 ORDER BY workload",
               "i", d->run.run_id);
    while (query_next(&query)) {
        double least = query_double(&query, 2);
        int64_t most = query_int(&query, 3);
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "The rate limiter of adaptive mode held callers of %s back from %s on: down to %s "
                "requests/s a process, and up to %s of them under way or waiting at once. That "
                "time is in what callers wait, and in no metric of the table.",
                query_text(&query, 0), CLOCK_S(d, query_int(&query, 1)), NUMBER(least),
                COUNT(most)),
            "workload_second.limiter_rate, in_flight");
        diagnosis_amount(finding, "limiter_t_s", (double)query_int(&query, 1));
        diagnosis_amount(finding, "least_rate", least);
        diagnosis_amount(finding, "most_in_flight", (double)most);
    }
    diagnosis_check(d, query_close(&query));
}

static void timeouts_say(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'timed_out_attempts'"
               " AND scope <> '' ORDER BY scope",
               "i", d->run.run_id);
    while (query_next(&query)) {
        const char *workload = SAY(d, "%s", query_text(&query, 0));
        double attempts = query_double(&query, 1),
               wasted = facts_outcome(d, "timed_out_units", workload);
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "Callers of %s did not wait for %s answers. What the service did for them was done "
                "for nothing, or again: %s units did no work.",
                workload, COUNT((int64_t)attempts), NUMBER(wasted)),
            "outcome.timed_out_attempts, timed_out_units");
        diagnosis_amount(finding, "timed_out_attempts", attempts);
        diagnosis_amount(finding, "units_wasted", wasted);
    }
    diagnosis_check(d, query_close(&query));
}

/* Neither the table nor AWS knows of what was not sent. */
static void breakers_say(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'breaker_refused'"
               " AND scope <> '' ORDER BY scope",
               "i", d->run.run_id);
    while (query_next(&query)) {
        const char *workload = SAY(d, "%s", query_text(&query, 0));
        double refused = query_double(&query, 1);
        char *name = words_path_name(workload);
        const char *guards = facts_setting(
            d, SAY(d, "workloads.%s.client.circuit_breaker.guards", diagnosis_keep(d, name)));
        bool retries = guards && strcmp(guards, "retries") == 0;
        free(name);
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "The circuit breaker of callers of %s did not let %s %s pass: they were not sent, "
                "and are in no metric of the table.",
                workload, COUNT((int64_t)refused), retries ? "retries" : "calls"),
            "outcome.breaker_refused");
        diagnosis_amount(finding, "breaker_refused", refused);
    }
    diagnosis_check(d, query_close(&query));
}

void clients_say(struct diagnosis *d) {
    limiters_say(d);
    if (d->status == DDBSIM_OK) breakers_say(d);
    if (d->status == DDBSIM_OK) timeouts_say(d);
}
