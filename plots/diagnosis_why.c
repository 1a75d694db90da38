/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sentences that explain: the headline, the chain from what callers wanted to what was refused,
 * and what looks like a cause and is none. Each states numbers and where the database holds them.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GROWTH_LEAST 1.2    /* a smaller change of the mean item is no story */
#define SAMPLES_LEAST 200   /* of each side of it */
#define CHANGE_BEFORE_S 600 /* how long before a growth its change may lie */
#define CHANGE_AFTER_S 60
#define SHARE_WORTH_NAMING 0.05
#define LATENCY_ALIKE 0.1
#define OTHERS_NAMED 4

static bool write_of(const struct diagnosis *d) { return d->culprit->write; }
static const char *unit_of(const struct diagnosis *d) { return facts_unit(d->culprit->write); }
static const char *asks_of(const struct diagnosis *d) {
    return d->culprit->write ? "writes" : "reads";
}
static bool capacity_cause(enum ddbsim_cause cause) {
    return cause == DDBSIM_CAUSE_INDEX_CAPACITY || cause == DDBSIM_CAUSE_TABLE_CAPACITY;
}

/* ---- headline
 * -----------------------------------------------------------------------------------*/

static const char *cause_in_words(struct diagnosis *d) {
    const struct query_resource *resource = d->main->resource;
    const char *name = facts_name(d, resource);
    const char *kind = ddbsim_reason_is_write(d->main->reason) ? "write" : "read";
    switch (d->under) {
    case DDBSIM_CAUSE_INDEX_CAPACITY:
        return SAY(d, "%s lacks %s capacity%s", name, kind,
                   ddbsim_reason_is_write(d->main->reason) ? " and holds its table back" : "");
    case DDBSIM_CAUSE_TABLE_CAPACITY:
        return SAY(d, "%s lacks %s capacity", name, kind);
    case DDBSIM_CAUSE_HOT_PARTITION:
    case DDBSIM_CAUSE_HOT_INDEX_PARTITION:
        return SAY(d, "one partition of %s is at its %s limit", name, kind);
    case DDBSIM_CAUSE_NONE:
    case DDBSIM_CAUSE_RETRY_QUOTA_EMPTY:
    case DDBSIM_CAUSE_KINDS:
        break;
    }
    return name;
}

static void say_calm(struct diagnosis *d) {
    if (d->requests == 0)
        d->headline = "It does not throttle: the run made no request.";
    else
        d->headline =
            SAY(d, "It does not throttle: none of %s attempts was refused.", COUNT(d->attempts));
}

static void say_headline(struct diagnosis *d) {
    if (d->cause == DDBSIM_CAUSE_NONE) {
        say_calm(d);
        return;
    }
    const char *why = cause_in_words(d);
    const char *counts =
        SAY(d, "%s of %s attempts refused (%s), %s %s failed, over %s from %s", COUNT(d->throttled),
            COUNT(d->attempts), PERCENT((double)d->throttled / (double)d->attempts),
            COUNT(d->failed), d->failed == 1 ? "request" : "requests",
            DURATION((double)d->throttled_for_s), CLOCK(d, d->first_throttle_s));
    if (d->attempts == 0) /* a recording knows refusals alone */
        counts = SAY(d, "%s refusals over %s from %s", COUNT(d->throttled),
                     DURATION((double)d->throttled_for_s), CLOCK(d, d->first_throttle_s));
    if (d->cause == DDBSIM_CAUSE_RETRY_QUOTA_EMPTY)
        d->headline = SAY(d,
                          "It throttles, and callers gave up because their retry quota was "
                          "empty; beneath it, %s: %s.",
                          why, counts);
    else
        d->headline = SAY(d, "It throttles because %s: %s.", why, counts);
}

/* ---- the chain
 * ----------------------------------------------------------------------------------*/

static void say_quota(struct diagnosis *d) {
    for (size_t i = 0; i < d->callers_count; i++) {
        const struct callers *c = &d->callers[i];
        if (c->refused_retries == 0) continue;
        const char *processes = c->processes > 0 ? SAY(d, ", %s %s", COUNT(c->processes),
                                                       c->processes == 1 ? "process" : "processes")
                                                 : "";
        int64_t after_s = c->quota_empty_s - d->first_throttle_s;
        struct finding *finding = diagnosis_chain(
            d,
            SAY(d,
                "Callers of %s (preset %s%s) emptied their retry quota at %s, %s after the first "
                "refusal. It refused %s of %s retries that they would have made: those requests "
                "failed at once, and so fewer attempts were there to be refused.",
                c->workload, c->preset ? c->preset : "unknown", processes,
                CLOCK_S(d, c->quota_empty_s), DURATION((double)(after_s > 0 ? after_s : 0)),
                COUNT(c->refused_retries), COUNT(c->refused_retries + c->retries)),
            "workload_second.retries_refused, retries");
        diagnosis_amount(finding, "processes", (double)c->processes);
        diagnosis_amount(finding, "retries_refused", (double)c->refused_retries);
        diagnosis_amount(finding, "retries", (double)c->retries);
        diagnosis_amount(finding, "quota_empty_t_s", (double)c->quota_empty_s);
        diagnosis_amount(finding, "seconds_after_first_refusal", (double)after_s);
    }
}

static void say_load(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (isnan(flow->requests_per_s)) return;
    struct window before = {flow->window.start_s - 3600, flow->window.start_s - 1800};
    double earlier =
        before.start_s >= 0 ? facts_requests_per_s(d, flow->table, flow->write, before) : NAN;
    const char *grew = "";
    if (earlier > 0 && flow->requests_per_s > GROWTH_LEAST * earlier)
        grew = SAY(d, ", up from %s before %s", NUMBER(earlier), CLOCK(d, before.end_s));
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "Callers asked table %s for %s %s/s, first attempts alone (%s to %s)%s.",
            flow->table->table, NUMBER(flow->requests_per_s), asks_of(d),
            CLOCK(d, flow->window.start_s), CLOCK(d, flow->window.end_s), grew),
        "workload_second.requests");
    diagnosis_amount(finding, "requests_per_s", flow->requests_per_s);
    if (*grew) diagnosis_amount(finding, "earlier_requests_per_s", earlier);
}

/* Consumed units by minute: where the mean of a request changed once for all. */
struct step {
    double before, after;
    int64_t t_s;
};
struct minute {
    int64_t t_s;
    double sum, samples;
};

/* The split of a series into two means that leaves the least squares, weighted by samples: it
 * maximises n1 n2 (m1 - m2)^2. False when there is no split with enough on both sides. */
static bool find_step(const struct minute *minutes, size_t count, struct step *step) {
    double all_sum = 0, all_samples = 0, sum = 0, samples = 0, best = 0;
    for (size_t i = 0; i < count; i++) {
        all_sum += minutes[i].sum;
        all_samples += minutes[i].samples;
    }
    for (size_t i = 0; i + 1 < count; i++) {
        sum += minutes[i].sum;
        samples += minutes[i].samples;
        double rest = all_samples - samples;
        if (samples < SAMPLES_LEAST || rest < SAMPLES_LEAST) continue;
        double before = sum / samples, after = (all_sum - sum) / rest;
        double weight = samples * rest * (before - after) * (before - after);
        if (weight <= best) continue;
        best = weight;
        *step = (struct step){before, after, minutes[i + 1].t_s};
    }
    return best > 0;
}

static bool read_step(struct diagnosis *d, const struct flow *flow, struct step *step) {
    struct query query;
    struct minute *minutes = NULL;
    size_t count = 0, capacity = 0;
    query_open(&query, d->database, d->error,
               "SELECT t_s, sum, sample_count FROM metric WHERE run_id = ? AND resource_id = ?"
               " AND name = ? AND operation = '' AND period_s = ? AND t_s < ?"
               " AND sample_count > 0 ORDER BY t_s",
               "iitii", d->run.run_id, flow->table->resource_id,
               ddbsim_metric_name(flow->write ? DDBSIM_METRIC_CONSUMED_WRITE
                                              : DDBSIM_METRIC_CONSUMED_READ),
               d->metric_period_s, flow->window.end_s);
    while (query_next(&query)) {
        struct minute *minute =
            diagnosis_append(d, (void **)&minutes, &count, &capacity, sizeof *minute);
        if (!minute) break;
        *minute = (struct minute){query_seconds(&query, 0), query_double(&query, 1),
                                  query_double(&query, 2)};
    }
    diagnosis_check(d, query_close(&query));
    bool found = find_step(minutes, count, step);
    free(minutes);
    return found && step->t_s <= flow->window.start_s + 60 &&
           step->after >= GROWTH_LEAST * step->before;
}

/* The last change shortly before; its name, "" where there is none. *t_s becomes its time. */
static const char *change_before(struct diagnosis *d, int64_t *t_s) {
    char *name = NULL;
    int64_t from_ns = (*t_s - CHANGE_BEFORE_S) * NS_PER_S,
            to_ns = (*t_s + CHANGE_AFTER_S) * NS_PER_S;
    static const char sql[] =
        "SELECT %s FROM event WHERE run_id = ?1 AND kind = 'change' AND t_ns BETWEEN ?2 AND ?3"
        " ORDER BY t_ns DESC, event_id DESC LIMIT 1";
    char text[sizeof sql + 64];
    snprintf(text, sizeof text, sql,
             "iif(json_valid(detail), json_extract(detail, '$.name'), NULL)");
    if (!diagnosis_check(d, query_one_text(d->database, d->error, &name, text, "iii", d->run.run_id,
                                           from_ns, to_ns)) ||
        !name) {
        free(name);
        return "";
    }
    snprintf(text, sizeof text, sql, "t_ns / 1000000000");
    diagnosis_check(d, query_one_int(d->database, d->error, *t_s, t_s, text, "iii", d->run.run_id,
                                     from_ns, to_ns));
    const char *kept = SAY(d, "%s", name);
    free(name);
    return kept;
}

static void say_size(struct diagnosis *d) {
    const struct flow *flow = facts_flow(d, d->culprit->table, write_of(d));
    if (!flow || isnan(flow->units_per_request)) return;
    struct step step = {0};
    const char *grew = "";
    bool stepped = read_step(d, flow, &step);
    if (stepped) {
        const char *change = change_before(d, &step.t_s);
        grew =
            SAY(d, " It grew from %s to %s %s at %s%s%s.", NUMBER(step.before), NUMBER(step.after),
                unit_of(d), CLOCK(d, step.t_s), *change ? ", after change " : "", change);
    }
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "A %s costs %s %s on the table.%s", write_of(d) ? "write" : "read",
                            NUMBER(flow->units_per_request), unit_of(d), grew),
                        write_of(d) ? "metric ConsumedWriteCapacityUnits: Sum / SampleCount"
                                    : "metric ConsumedReadCapacityUnits: Sum / SampleCount");
    diagnosis_amount(finding, "units_per_request", flow->units_per_request);
    if (!stepped) return;
    diagnosis_amount(finding, "before", step.before);
    diagnosis_amount(finding, "after", step.after);
    diagnosis_amount(finding, "grew_t_s", (double)step.t_s);
}

static void say_index_cost(struct diagnosis *d) {
    const struct flow *index = d->culprit;
    const struct flow *table = facts_flow(d, index->table, index->write);
    if (!index->resource->index || !index->write || !table || isnan(index->units_per_request))
        return;
    const char *projection =
        facts_setting(d, SAY(d, "%s.projection", facts_path(d, index->resource)));
    double ratio = index->units_per_request / table->units_per_request;
    const char *moved = "";
    double moving = ratio - index->touched;
    /* Whole items in the index: what a write pays beyond its own size is the second of two writes.
     */
    bool whole = projection && strcmp(projection, "ALL") == 0;
    if (whole && moving > 0.005 && moving <= index->touched + 0.01)
        moved = SAY(d, ": %s of the writes move the index key and pay twice", PERCENT(moving));
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "Each write costs %s WCU on index %s as well, %s x %.2f%s.",
            NUMBER(index->units_per_request), index->resource->index,
            NUMBER(table->units_per_request), ratio, moved),
        "metric ConsumedWriteCapacityUnits: Sum of the index / SampleCount of the table");
    diagnosis_amount(finding, "index_units_per_write", index->units_per_request);
    diagnosis_amount(finding, "ratio", ratio);
    diagnosis_amount(finding, "touched_share", index->touched);
    if (*moved) diagnosis_amount(finding, "moved_share", moving);
}

static void say_demand(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (isnan(flow->demand_per_s)) return;
    const struct flow *table = facts_flow(d, flow->table, flow->write);
    const char *other = "";
    bool index = flow->resource->index && table && !isnan(table->demand_per_s);
    if (index)
        other = SAY(d, ", and %s asked for %s of %s", facts_name(d, table->resource),
                    NUMBER(table->demand_per_s), NUMBER(table->capacity_per_s));
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "So %s is asked for %s %s/s and has %s%s.", facts_name(d, flow->resource),
            NUMBER(flow->demand_per_s), unit_of(d), NUMBER(flow->capacity_per_s), other),
        "requests/s x units a request; second.write_limit, read_limit");
    diagnosis_amount(finding, "demand_per_s", flow->demand_per_s);
    diagnosis_amount(finding, "capacity_per_s", flow->capacity_per_s);
    if (!index) return;
    diagnosis_amount(finding, "table_demand_per_s", table->demand_per_s);
    diagnosis_amount(finding, "table_capacity_per_s", table->capacity_per_s);
}

/* When the culprit's burst was gone before its main episode; -1 when it was not seen to. */
static int64_t burst_gone_s(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    int64_t gone = -1;
    const char *direction = flow->write ? "write" : "read";
    diagnosis_check(
        d, query_one_int(
               d->database, d->error, -1, &gone,
               "SELECT max(t_ns) / 1000000000 FROM event WHERE run_id = ? AND kind = 'burst_empty'"
               " AND resource_id = ? AND t_ns < ? * 1000000000 AND coalesce(iif(json_valid(detail),"
               " json_extract(detail, '$.direction'), NULL), ?4) = ?4",
               "iiit", d->run.run_id, flow->resource->resource_id, flow->window.end_s, direction));
    if (gone >= 0) return gone;
    diagnosis_check(
        d, query_one_int(d->database, d->error, -1, &gone,
                         flow->write ? "SELECT min(t_s) FROM second WHERE run_id = ?"
                                       " AND resource_id = ? AND t_s < ? AND write_tokens <= 0"
                                     : "SELECT min(t_s) FROM second WHERE run_id = ?"
                                       " AND resource_id = ? AND t_s < ? AND read_tokens <= 0",
                         "iii", d->run.run_id, flow->resource->resource_id, flow->window.end_s));
    return gone;
}

static void say_burst(struct diagnosis *d) {
    int64_t gone = burst_gone_s(d);
    if (gone < 0) return;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "The burst of %s was gone at %s; from then on it had what arrives each second and no "
            "more.",
            facts_name(d, d->culprit->resource), CLOCK(d, gone)),
        "event burst_empty, else second.write_tokens, read_tokens");
    diagnosis_amount(finding, "burst_gone_t_s", (double)gone);
}

static void say_served(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double passes = flow->consumed_per_s / flow->units_per_request;
    const char *through = "";
    bool known = isfinite(passes) && !isnan(flow->requests_per_s);
    if (known)
        through = SAY(d, ", which lets %s of %s %s/s through", NUMBER(passes),
                      NUMBER(flow->requests_per_s), asks_of(d));
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "It served %s %s/s%s; the rest was refused.",
                            NUMBER(flow->consumed_per_s), unit_of(d), through),
                        "second.write_units, read_units");
    diagnosis_amount(finding, "consumed_per_s", flow->consumed_per_s);
    if (known) diagnosis_amount(finding, "served_requests_per_s", passes);
}

static void say_partition(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "The busiest partition of %s served %s of the %s %s/s that one partition can serve.",
            facts_name(d, flow->resource), NUMBER(flow->partition_peak_per_s),
            NUMBER(flow->partition_limit_per_s), unit_of(d)),
        "partition_sample.write_units, read_units / period_s");
    diagnosis_amount(finding, "partition_peak_per_s", flow->partition_peak_per_s);
    diagnosis_amount(finding, "partition_limit_per_s", flow->partition_limit_per_s);
}

static void say_hot_key(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT key, iif(?3, write_units, read_units), (SELECT sum(iif(?3, write_units,"
               " read_units)) FROM second WHERE run_id = ?1 AND resource_id = ?2),"
               " coalesce((SELECT t.throttles FROM top_key t WHERE t.run_id = ?1"
               " AND t.resource_id = ?2 AND t.kind = 'throttled' AND t.period_s = 0"
               " AND t.key = k.key), 0) FROM top_key k WHERE run_id = ?1 AND resource_id = ?2"
               " AND kind = 'accessed' AND period_s = 0 ORDER BY 2 DESC, rank LIMIT 1",
               "iii", d->run.run_id, flow->resource->resource_id, (int64_t)flow->write);
    if (query_next(&query)) {
        double share = query_double(&query, 1) / query_double(&query, 2);
        double refused = query_double(&query, 3) / (double)(flow->refused > 0 ? flow->refused : 1);
        const char *part =
            refused > 0 ? SAY(d, " and met %s of its refusals", PERCENT(refused < 1 ? refused : 1))
                        : "";
        struct finding *finding =
            diagnosis_chain(d,
                            SAY(d, "Its busiest key, %s, took %s of the units%s.",
                                query_text(&query, 0), PERCENT(share < 1 ? share : 1), part),
                            "top_key, period_s 0");
        diagnosis_amount(finding, "key_share", share);
        diagnosis_amount(finding, "key_refused_share", refused);
    }
    diagnosis_check(d, query_close(&query));
}

static void say_others(struct diagnosis *d) {
    for (size_t i = 0; i < d->refusal_count; i++) {
        const struct refusal *refusal = &d->refusals[i];
        double share = (double)refusal->attempts / (double)d->throttled;
        if (refusal == d->main || share < SHARE_WORTH_NAMING) continue;
        struct finding *finding = diagnosis_chain(
            d,
            SAY(d, "Beside that, %s of the refusals came first from %s (%s), from %s.",
                PERCENT(share), facts_name(d, refusal->resource),
                ddbsim_reason_name(refusal->reason), CLOCK(d, refusal->first_s)),
            "throttle.first_events");
        diagnosis_amount(finding, "share", share);
        diagnosis_amount(finding, "attempts", (double)refusal->attempts);
    }
}

static void say_chain(struct diagnosis *d) {
    bool capacity = capacity_cause(d->under);
    if (d->cause == DDBSIM_CAUSE_RETRY_QUOTA_EMPTY) say_quota(d);
    say_load(d);
    say_size(d);
    say_index_cost(d);
    if (!capacity) say_partition(d);
    if (!capacity) say_hot_key(d);
    if (capacity) say_demand(d);
    if (capacity) say_burst(d);
    if (capacity) say_served(d);
    say_others(d);
}

/* ---- not the cause
 * ------------------------------------------------------------------------------*/

/* Capacity of the table when another limit binds, of the resource itself when one partition does.
 */
static void clear_capacity(struct diagnosis *d) {
    bool own = !capacity_cause(d->under);
    const struct query_resource *resource = own ? d->culprit->resource : d->culprit->table;
    const struct flow *flow = facts_flow(d, resource, write_of(d));
    if (!flow || (!own && flow == d->culprit) || !(flow->capacity_per_s > flow->consumed_per_s))
        return;
    for (size_t i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].resource == resource && capacity_cause(d->refusals[i].cause)) return;
    double spare = flow->capacity_per_s - flow->consumed_per_s;
    bool next = !own && flow->needed_per_s > flow->capacity_per_s;
    struct finding *finding = diagnosis_not_cause(
        d,
        SAY(d, "The capacity of %s: it used %s of %s %s/s (%s), %s to spare%s.",
            facts_name(d, resource), NUMBER(flow->consumed_per_s), NUMBER(flow->capacity_per_s),
            unit_of(d), PERCENT(flow->consumed_per_s / flow->capacity_per_s), NUMBER(spare),
            next ? "; it would be the next to bind" : ""),
        "second.write_units, write_limit");
    diagnosis_amount(finding, "consumed_per_s", flow->consumed_per_s);
    diagnosis_amount(finding, "capacity_per_s", flow->capacity_per_s);
    diagnosis_amount(finding, "spare_per_s", spare);
}

static void clear_others(struct diagnosis *d) {
    const char *names = "";
    size_t calm = 0;
    for (size_t i = 0; i < d->resources.count; i++) {
        const struct query_resource *resource = &d->resources.items[i];
        const struct flow *writes = facts_flow(d, resource, true);
        const struct flow *reads = facts_flow(d, resource, false);
        if (resource == d->culprit->table || !writes || !reads ||
            writes->refused + reads->refused > 0)
            continue;
        if (calm++ < OTHERS_NAMED)
            names = SAY(d, "%s%s%s", names, *names ? ", " : "", facts_name(d, resource));
    }
    if (calm == 0) return;
    const char *more = calm > OTHERS_NAMED ? SAY(d, " and %zu more", calm - OTHERS_NAMED) : "";
    struct finding *finding = diagnosis_not_cause(
        d, SAY(d, "Other resources: no refusal on %s%s.", names, more), "throttle");
    diagnosis_amount(finding, "resources", (double)calm);
}

static void clear_partitions(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double share = flow->partition_peak_per_s / flow->partition_limit_per_s;
    if (!capacity_cause(d->under) || isnan(share)) return;
    for (size_t i = 0; i < d->refusal_count; i++)
        if (!capacity_cause(d->refusals[i].cause)) return;
    struct finding *finding = diagnosis_not_cause(
        d,
        SAY(d, "Hot keys: the busiest partition of %s reached %s of its limit of %s %s/s (%s).",
            facts_name(d, flow->resource), NUMBER(flow->partition_peak_per_s),
            NUMBER(flow->partition_limit_per_s), unit_of(d), PERCENT(share)),
        "partition_sample.write_units, read_units / period_s");
    diagnosis_amount(finding, "partition_peak_per_s", flow->partition_peak_per_s);
    diagnosis_amount(finding, "partition_limit_per_s", flow->partition_limit_per_s);
}

static double latency_ms(struct diagnosis *d, struct window window) {
    double ms = NAN;
    diagnosis_check(
        d, query_one_double(d->database, d->error, &ms,
                            "SELECT sum(sum) / sum(sample_count) FROM metric WHERE run_id = ?"
                            " AND name = ? AND t_s >= ? AND t_s < ? AND sum IS NOT NULL",
                            "itii", d->run.run_id,
                            ddbsim_metric_name(DDBSIM_METRIC_SUCCESSFUL_LATENCY), window.start_s,
                            window.end_s));
    return ms;
}

static void clear_latency(struct diagnosis *d) {
    struct window window = d->culprit->window;
    struct window before = {window.start_s - 3600, window.start_s};
    double during = latency_ms(d, window), earlier = latency_ms(d, before);
    if (!(fabs(during / earlier - 1) < LATENCY_ALIKE)) return;
    struct finding *finding = diagnosis_not_cause(
        d,
        SAY(d,
            "The service's speed: what succeeded took %s ms on average, %s ms in the hour before.",
            NUMBER(during), NUMBER(earlier)),
        "metric SuccessfulRequestLatency: Sum / SampleCount");
    diagnosis_amount(finding, "latency_ms", during);
    diagnosis_amount(finding, "earlier_latency_ms", earlier);
}

/* ---- remarks
 * ------------------------------------------------------------------------------------*/

static void remark_status(struct diagnosis *d) {
    if (strcmp(d->run.status, "interrupted") == 0 || strcmp(d->run.status, "failed") == 0)
        diagnosis_remark(
            d,
            SAY(d, "The run was %s at %s, after %s of %s: this is what it had shown.",
                strcmp(d->run.status, "failed") == 0 ? "ended by a failure" : "interrupted",
                CLOCK_S(d, d->end_s), DURATION(d->run.simulated_s),
                DURATION((double)d->run.duration_s)),
            "run.status, simulated_s");
    else if (strcmp(d->run.status, "observed") == 0)
        diagnosis_remark(d, "This is a recording: it holds what was measured, not what was wanted.",
                         "run.status");
}

static void remark_callers(struct diagnosis *d) {
    for (size_t i = 0; i < d->callers_count; i++) {
        const struct callers *c = &d->callers[i];
        if (c->throttled == 0 || !c->preset || strcmp(c->preset, "none") != 0) continue;
        diagnosis_remark(d,
                         SAY(d,
                             "Callers of %s do not retry (preset none): each refusal is a request "
                             "that failed. With retries the same shortage shows more refusals.",
                             c->workload),
                         "setting workloads.*.client.preset");
    }
}

static void remark_retries(struct diagnosis *d) {
    if (d->retries == 0 || d->requests == 0) return;
    struct finding *finding = diagnosis_remark(
        d,
        SAY(d, "Retries are counted as attempts: %s requests made %s attempts (%.2f each).",
            COUNT(d->requests), COUNT(d->attempts), (double)d->attempts / (double)d->requests),
        "workload_total.requests, attempts");
    diagnosis_amount(finding, "amplification", (double)d->attempts / (double)d->requests);
}

/* Nothing was refused: what came closest to its limit. */
static void say_closest(struct diagnosis *d) {
    const struct flow *closest = NULL;
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = &d->flows[i];
        double load = flow->consumed_per_s / flow->capacity_per_s;
        if (!isfinite(load) || !(load > 0)) continue;
        if (!closest || load > closest->consumed_per_s / closest->capacity_per_s) closest = flow;
    }
    if (!closest) return;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "Closest to its limit in the busiest minute (%s): %s with %s of %s %s/s (%s).",
            CLOCK(d, closest->window.start_s), facts_name(d, closest->resource),
            NUMBER(closest->consumed_per_s), NUMBER(closest->capacity_per_s),
            facts_unit(closest->write), PERCENT(closest->consumed_per_s / closest->capacity_per_s)),
        "metric ConsumedWriteCapacityUnits, ConsumedReadCapacityUnits");
    diagnosis_amount(finding, "consumed_per_s", closest->consumed_per_s);
    diagnosis_amount(finding, "capacity_per_s", closest->capacity_per_s);
}

void why_explain(struct diagnosis *d) {
    say_headline(d);
    remark_status(d);
    if (d->cause == DDBSIM_CAUSE_NONE || !d->culprit) {
        say_closest(d);
        return;
    }
    say_chain(d);
    clear_capacity(d);
    clear_others(d);
    clear_partitions(d);
    clear_latency(d);
    remark_callers(d);
    remark_retries(d);
}
