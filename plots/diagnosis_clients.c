/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What callers did to themselves: a limiter that held them back (docs/model.md, M-89), timeouts that ended what the
 * service did all the same (M-97). No metric of DynamoDB shows either, so it is said whatever else is the matter.
 */
#include <plots/diagnosis_parts.h>

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

static double wasted_units(struct diagnosis *d, const char *workload) {
    double units = 0;
    diagnosis_check(d, query_one_double(d->database, d->error, &units,
                                        "SELECT coalesce(sum(units_wasted), 0) FROM workload_total"
                                        " WHERE run_id = ? AND workload = ?",
                                        "it", d->run.run_id, workload));
    return units;
}

static void timeouts_say(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT scope, value FROM outcome WHERE run_id = ? AND name = 'timed_out_attempts'"
               " AND scope <> '' ORDER BY scope",
               "i", d->run.run_id);
    while (query_next(&query)) {
        const char *workload = SAY(d, "%s", query_text(&query, 0));
        double attempts = query_double(&query, 1), wasted = wasted_units(d, workload);
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "Callers of %s did not wait for %s answers. What the service did for them was done "
                "for nothing, or again: %s units did no work.",
                workload, COUNT((int64_t)attempts), COUNT((int64_t)wasted)),
            "outcome.timed_out_attempts, workload_total.units_wasted");
        diagnosis_amount(finding, "timed_out_attempts", attempts);
        diagnosis_amount(finding, "units_wasted", wasted);
    }
    diagnosis_check(d, query_close(&query));
}

void clients_say(struct diagnosis *d) {
    limiters_say(d);
    if (d->status == DDBSIM_OK) timeouts_say(d);
}
