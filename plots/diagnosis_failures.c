/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Faults of the scenario (events fault_began, fault_ended): what failed, when, and what of the refusals and errors
 * fell into that time. A fault is the cause where half of the refusals or more came while the capacity of their
 * table was cut; where they came in its aftermath, which is when all that it left undone is asked for on top of the
 * rest; or where nothing was refused and attempts ended in an HTTP 500.
 *
 * A partition's own limit, a maximum and a quota are not cut by a fault of capacity: what they refuse is not its.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF 0.5
#define CALM_S \
    60 /* nobody was refused before it, for at least so long; refusals begin so soon after it */
#define BEFORE_S 600 /* before it, to compare with */
#define GROWN 1.1    /* so many times the requests of before are more demand */
#define DETAIL "iif(json_valid(b.detail), b.detail, '{}')"

static bool is_kind(const struct fault *fault, const char *kind) {
    return strcmp(fault->kind, kind) == 0;
}

/* ---- facts ---- */

bool failures_began(const struct diagnosis *d, const struct fault *fault) {
    return d->first_throttle_s >= fault->window.start_s &&
           d->first_throttle_s <= fault->window.end_s + CALM_S;
}

bool failures_changed(struct diagnosis *d, int64_t from_s) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT count(*) FROM event WHERE run_id = ? AND"
                                     " kind = 'change' AND t_ns / 1000000000 >= ?",
                                     "ii", d->run.run_id, from_s));
    return count > 0;
}

double failures_rate(struct diagnosis *d, const char *what, const char *which,
                     struct window window) {
    int64_t count = 0, length_s = window.end_s - window.start_s;
    if (length_s <= 0) return NAN;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     SAY(d,
                                         "SELECT coalesce(sum(%s), 0) FROM workload_second"
                                         " WHERE run_id = ? AND t_s >= ? AND t_s < ? AND %s",
                                         what, which),
                                     "iii", d->run.run_id, window.start_s, window.end_s));
    return (double)count / (double)length_s;
}

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

/* Refusals of its table and of that one's indexes while it lasted, by the capacity that it cut: on demand a table
 * that serves less than it is asked for refuses as a partition does. */
static int64_t refusals_in(struct diagnosis *d, const struct fault *fault) {
    int64_t count = 0;
    bool on_demand = evidence_on_demand(d, fault->resource, fault->window.start_s);
    diagnosis_check(
        d, query_one_int(d->database, d->error, 0, &count,
                         SAY(d,
                             "SELECT coalesce(sum(t.first_events), 0) FROM throttle t JOIN resource"
                             " r USING (run_id, resource_id) WHERE t.run_id = ? AND r.table_name ="
                             " ? AND t.t_s >= ? AND t.t_s <= ? AND t.reason LIKE '%%%s%%'",
                             on_demand ? "KeyRange" : "Provisioned"),
                         "itii", d->run.run_id, fault->resource->table, fault->window.start_s,
                         fault->window.end_s));
    return count;
}

/* Requests that failed while it lasted, of those callers who met an HTTP 500, and no more than met one. */
static int64_t failed_in(struct diagnosis *d, const struct fault *fault) {
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT coalesce(sum(failed), 0) FROM workload_second"
                                     " WHERE run_id = ?1 AND t_s >= ?2 AND t_s <= ?3 AND workload"
                                     " IN (SELECT scope FROM outcome WHERE run_id = ?1"
                                     " AND name = 'system_errors' AND value > 0)",
                                     "iii", d->run.run_id, fault->window.start_s,
                                     fault->window.end_s));
    return count < fault->errors ? count : fault->errors;
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
        if (fault->errors > 0) fault->failed = failed_in(d, fault);
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

/* Did something else begin? Changes, and the first requests a second: of work that is given out for the first time. */
static bool is_new_load(struct diagnosis *d, const struct fault *fault, int64_t to_s) {
    struct window before = {fault->window.start_s - BEFORE_S, fault->window.start_s};
    struct window after = {fault->window.start_s, to_s};
    if (before.start_s < 0) before.start_s = 0;
    if (before.end_s - before.start_s < CALM_S) return true;
    static const char fresh[] = "requests - requests_again";
    return failures_changed(d, fault->window.start_s) ||
           failures_rate(d, fresh, "1", after) > GROWN * failures_rate(d, fresh, "1", before);
}

/* Did what refuses live on saved burst before? Then it would have refused without the fault. */
static bool was_short(struct diagnosis *d, const struct fault *fault) {
    int64_t short_of = 0, from_s = fault->window.start_s - BEFORE_S;
    diagnosis_check(
        d, query_one_int(d->database, d->error, 0, &short_of,
                         "SELECT coalesce(sum(iif(?3, write_units, read_units)) > sum(period_s *"
                         " iif(?3, write_limit, read_limit)), 0) FROM second WHERE run_id = ?1"
                         " AND resource_id = ?2 AND t_s >= ?4 AND t_s < ?5",
                         "iiiii", d->run.run_id, d->main->resource->resource_id,
                         (int64_t)ddbsim_reason_is_write(d->main->reason), from_s < 0 ? 0 : from_s,
                         fault->window.start_s));
    return short_of != 0;
}

/* Refusals of what that fault touches, from its begin until its aftermath is over. */
static int64_t refusals_around(struct diagnosis *d, const struct fault *fault, int64_t to_s) {
    int64_t count = 0;
    const char *table = fault->resource ? fault->resource->table : "";
    diagnosis_check(
        d,
        query_one_int(d->database, d->error, 0, &count,
                      "SELECT coalesce(sum(t.first_events), 0) FROM throttle t JOIN resource r"
                      " USING (run_id, resource_id) WHERE t.run_id = ?1 AND t.t_s >= ?2"
                      " AND t.t_s < ?3 AND ?4 IN ('', r.table_name) AND ?5 IN ('', t.workload)",
                      "iiitt", d->run.run_id, fault->window.start_s, to_s, table, fault->workload));
    return count;
}

void failures_read_aftermath(struct diagnosis *d) {
    if (d->fault || !d->main) return;
    for (size_t i = 0; i < d->fault_count; i++) {
        struct fault *fault = &d->faults[i];
        int64_t to_s = fault->window.end_s + FAULT_LASTS_S;
        if (to_s > d->end_s) to_s = d->end_s;
        if (!failures_began(d, fault) || is_new_load(d, fault, to_s) || was_short(d, fault))
            continue;
        int64_t refused = refusals_around(d, fault, to_s);
        if ((double)refused < HALF * (double)d->throttled) continue;
        fault->refused = refused;
        fault->aftermath = true;
        d->fault = fault;
        return;
    }
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
            SAY(d, ": %s of %s refusals fell into it%s", COUNT(fault->refused), COUNT(d->throttled),
                fault->aftermath ? SAY(d, " or came within %s of its end", DURATION(FAULT_LASTS_S))
                                 : "");
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
