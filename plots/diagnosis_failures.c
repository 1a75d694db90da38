/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults of the scenario (events fault_began, fault_ended): what failed, when, and what of the refusals and errors
 * fell into that time. A fault is the cause where half of the refusals or more came while the capacity of their
 * table was cut, or where nothing was refused and attempts ended in an HTTP 500.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF 0.5
#define DETAIL "iif(json_valid(b.detail), b.detail, '{}')"

static bool is_kind(const struct fault *fault, const char *kind) {
    return strcmp(fault->kind, kind) == 0;
}

/* ---- facts ---- */

/* Its end is the first end of the same fault after it: of one kind and place no two overlap. */
static void read_faults(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT b.t_ns / 1000000000, coalesce((SELECT min(e.t_ns) FROM event e"
               " WHERE e.run_id = b.run_id AND e.kind = 'fault_ended' AND e.t_ns > b.t_ns"
               " AND e.detail = b.detail AND e.resource_id IS b.resource_id) / 1000000000, ?2),"
               " coalesce(b.resource_id, 0), json_extract(" DETAIL ", '$.fault'),"
               " coalesce(json_extract(" DETAIL ", '$.to'), ''),"
               " coalesce(json_extract(" DETAIL ", '$.workload'), '') FROM event b"
               " WHERE b.run_id = ?1 AND b.kind = 'fault_began'"
               " AND json_extract(" DETAIL ", '$.fault') IS NOT NULL ORDER BY b.t_ns, b.event_id",
               "ii", d->run.run_id, d->end_s);
    while (query_next(&query)) {
        struct fault *fault = diagnosis_append(d, (void **)&d->faults, &d->fault_count,
                                               &d->fault_capacity, sizeof *fault);
        if (!fault) break;
        fault->window = (struct window){query_seconds(&query, 0), query_seconds(&query, 1)};
        fault->resource = query_resource_find(&d->resources, query_int(&query, 2));
        fault->kind = SAY(d, "%s", query_text(&query, 3));
        fault->to = SAY(d, "%s", query_text(&query, 4));
        fault->workload = SAY(d, "%s", query_text(&query, 5));
    }
    diagnosis_check(d, query_close(&query));
}

/* Refusals of its table and of that one's indexes while it lasted. */
static int64_t refusals_in(struct diagnosis *d, const struct fault *fault) {
    int64_t count = 0;
    diagnosis_check(
        d, query_one_int(d->database, d->error, 0, &count,
                         "SELECT coalesce(sum(t.first_events), 0) FROM throttle t JOIN resource r"
                         " USING (run_id, resource_id) WHERE t.run_id = ? AND r.table_name = ?"
                         " AND t.t_s >= ? AND t.t_s <= ?",
                         "itii", d->run.run_id, fault->resource->table, fault->window.start_s,
                         fault->window.end_s));
    return count;
}

static int64_t errors_in(struct diagnosis *d, const struct fault *fault) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT CAST(coalesce(sum(sum), 0) AS INTEGER) FROM metric"
                                     " WHERE run_id = ? AND resource_id = ? AND name = ?"
                                     " AND dimension = '' AND t_s + period_s > ? AND t_s <= ?",
                                     "iitii", d->run.run_id, fault->resource->resource_id,
                                     ddbsim_metric_name(DDBSIM_METRIC_SYSTEM_ERRORS),
                                     fault->window.start_s, fault->window.end_s));
    return count;
}

void failures_read(struct diagnosis *d) {
    read_faults(d);
    int64_t refused = 0;
    for (size_t i = 0; i < d->fault_count && d->status == DDBSIM_OK; i++) {
        struct fault *fault = &d->faults[i];
        if (!fault->resource) continue;
        if (is_kind(fault, "capacity")) fault->refused = refusals_in(d, fault);
        if (is_kind(fault, "errors")) fault->errors = errors_in(d, fault);
        refused += fault->refused;
        d->system_errors += fault->errors;
        if (fault->refused > 0 && (!d->fault || fault->refused > d->fault->refused))
            d->fault = fault;
    }
    if (d->throttled > 0 && (double)refused < HALF * (double)d->throttled) d->fault = NULL;
    for (size_t i = 0; i < d->fault_count && d->throttled == 0; i++)
        if (d->faults[i].errors > 0 && (!d->fault || d->faults[i].errors > d->fault->errors))
            d->fault = &d->faults[i];
}

/* ---- words ---- */

/* "12:10 to 12:12", with seconds where minutes would hide it. */
static const char *times(struct diagnosis *d, const struct fault *fault) {
    struct window window = fault->window;
    if (window.end_s - window.start_s >= 60)
        return SAY(d, "from %s to %s", CLOCK(d, window.start_s), CLOCK(d, window.end_s));
    return SAY(d, "from %s to %s", CLOCK_S(d, window.start_s), CLOCK_S(d, window.end_s));
}

/* A clause, as "a fault left table t 30 % of its capacity from 12:10 to 12:12". */
const char *failures_in_words(struct diagnosis *d, const struct fault *fault) {
    const char *name = fault->resource ? facts_name(d, fault->resource) : "";
    const char *whose = *fault->workload ? SAY(d, " of %s", fault->workload) : "";
    if (is_kind(fault, "capacity"))
        return SAY(d, "a fault left %s %s of its capacity %s", name, fault->to, times(d, fault));
    if (is_kind(fault, "errors"))
        return SAY(d, "a fault turned %s of the attempts on %s into HTTP 500 %s", fault->to, name,
                   times(d, fault));
    if (is_kind(fault, "latency"))
        return SAY(d, "a fault slowed the answers of %s to %s %s", name, fault->to,
                   times(d, fault));
    if (is_kind(fault, "clients_pause"))
        return SAY(d, "the callers%s sent nothing %s", whose, times(d, fault));
    return SAY(d, "the cache%s was emptied at %s", whose, CLOCK_S(d, fault->window.start_s));
}

static const char *capital(struct diagnosis *d, const char *text) {
    return SAY(d, "%c%s", *text - (*text >= 'a' && *text <= 'z' ? 'a' - 'A' : 0), text + 1);
}

static void say_fault(struct diagnosis *d, const struct fault *fault) {
    const char *words = capital(d, failures_in_words(d, fault)), *what = "";
    if (fault->refused > 0)
        what =
            SAY(d, ": %s of %s refusals fell into it", COUNT(fault->refused), COUNT(d->throttled));
    else if (fault->errors > 0)
        what = SAY(d, ": %s of them (SystemErrors)", COUNT(fault->errors));
    struct finding *finding = diagnosis_chain(d, SAY(d, "%s%s.", words, what),
                                              "event fault_began, fault_ended; throttle; metric "
                                              "SystemErrors");
    diagnosis_amount(finding, "fault_t_s", (double)fault->window.start_s);
    diagnosis_amount(finding, "fault_end_t_s", (double)fault->window.end_s);
    if (fault->refused > 0) diagnosis_amount(finding, "refused", (double)fault->refused);
    if (fault->errors > 0) diagnosis_amount(finding, "errors", (double)fault->errors);
}

#define FAULTS_TOLD 6
void failures_say(struct diagnosis *d) {
    for (size_t i = 0; i < d->fault_count && i < FAULTS_TOLD; i++)
        say_fault(d, &d->faults[i]);
}
