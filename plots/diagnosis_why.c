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
#define STEPS_MAX 6         /* changes of the mean item that are told */
#define BURST_WAIT_S 60     /* refusals this long after the burst ran out need a reason */
#define LATENCY_LEAST_S 300 /* a shorter time says little about what was usual */
#define SHARE_WORTH_NAMING 0.05
#define LATENCY_ALIKE 0.1
#define OTHERS_NAMED 4
#define RISES_TOLD 3
#define EVEN_MOST 2 /* times the mean: more is no even load */
#define HOUR_S 3600

static bool write_of(const struct diagnosis *d) { return d->culprit->write; }
static const char *unit_of(const struct diagnosis *d) { return facts_unit(d->culprit->write); }
static const char *asks_of(const struct diagnosis *d) {
    return d->culprit->write ? "writes" : "reads";
}
/* Provisioned capacity, which saves what it does not use. */
static bool provisioned_cause(enum ddbsim_cause cause) {
    return cause == DDBSIM_CAUSE_INDEX_CAPACITY || cause == DDBSIM_CAUSE_TABLE_CAPACITY;
}

/* ---- headline ---- */

/* ", 5,000 WCU/s,"; "" where it is not known. */
static const char *limit_in_words(struct diagnosis *d) {
    if (!d->culprit || isnan(d->culprit->capacity_per_s)) return "";
    return SAY(d, ", %s %s/s,", NUMBER(d->culprit->capacity_per_s), unit_of(d));
}

static const char *hot_in_words(struct diagnosis *d, const char *name, const char *kind) {
    const struct flow *flow = d->culprit;
    if (!flow || flow->shared_by == 0)
        return SAY(d, "one partition of %s is at its %s limit", name, kind);
    return SAY(d, "one partition of %s is at its share of the %s capacity, %s of %s %s/s", name,
               kind, NUMBER(flow->partition_limit_per_s), NUMBER(flow->capacity_per_s), unit_of(d));
}

/* "and auto scaling came at 20:05, too late"; "" where no scaler did. */
static const char *late_in_words(struct diagnosis *d) {
    const struct lateness *late =
        scaling_late(d, d->main->resource, ddbsim_reason_is_write(d->main->reason));
    if (!late) return "";
    const struct scale_step *last = &late->steps[late->step_count - 1];
    if (last->acted_s == INT64_MAX) return SAY(d, ", and %s comes too late", scaling_who(last));
    return SAY(d, ", and %s came too late, at %s", scaling_who(last), CLOCK(d, last->acted_s));
}

static const char *cause_in_words(struct diagnosis *d) {
    const struct query_resource *resource = d->main->resource;
    const char *name = facts_name(d, resource);
    const char *kind = ddbsim_reason_is_write(d->main->reason) ? "write" : "read";
    switch (d->under) {
    case DDBSIM_CAUSE_INDEX_CAPACITY:
        return SAY(d, "%s lacks %s capacity%s%s", name, kind,
                   ddbsim_reason_is_write(d->main->reason) ? " and holds its table back" : "",
                   late_in_words(d));
    case DDBSIM_CAUSE_TABLE_CAPACITY:
        return SAY(d, "%s lacks %s capacity%s", name, kind, late_in_words(d));
    case DDBSIM_CAUSE_HOT_PARTITION:
    case DDBSIM_CAUSE_HOT_INDEX_PARTITION:
        return hot_in_words(d, name, kind);
    case DDBSIM_CAUSE_ON_DEMAND_GROWTH:
        return SAY(d, "%s, on demand, has not grown to its %ss yet", name, kind);
    case DDBSIM_CAUSE_ON_DEMAND_MAXIMUM:
        return SAY(d, "the maximum set for %s%s is reached", name, limit_in_words(d));
    case DDBSIM_CAUSE_ACCOUNT_LIMIT:
        return SAY(d, "the account's quota for %s%s is reached", name, limit_in_words(d));
    case DDBSIM_CAUSE_NONE:
    case DDBSIM_CAUSE_SCALING_TOO_LATE:
    case DDBSIM_CAUSE_RETRY_QUOTA_EMPTY:
    case DDBSIM_CAUSE_BATCH_HIDDEN:
    case DDBSIM_CAUSE_FAULT:
    case DDBSIM_CAUSE_RETRY_STORM:
    case DDBSIM_CAUSE_KINDS:
        break;
    }
    return name;
}

/* What runs out of its burst first, of all that the run ended on; NULL: nothing. */
static const struct flow *soonest(const struct diagnosis *d) {
    const struct flow *first = NULL;
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = &d->flows[i];
        if (flow->end_demand_per_s > 0 && (!first || flow->end_left_s < first->end_left_s))
            first = flow;
    }
    return first;
}

static void say_calm(struct diagnosis *d) {
    const struct flow *flow = soonest(d);
    if (facts_is_recording(d))
        d->headline = "It does not throttle: the recording has no refusal.";
    else if (d->requests == 0)
        d->headline = "It does not throttle: the run made no request.";
    else if (flow)
        d->headline =
            SAY(d,
                "It does not throttle yet: none of %s attempts was refused, but %s lives above its "
                "%s capacity, on saved burst, which lasts about %s more.",
                COUNT(d->attempts), facts_name(d, flow->resource), flow->write ? "write" : "read",
                DURATION(flow->end_left_s));
    else
        d->headline =
            SAY(d, "It does not throttle: none of %s attempts was refused.", COUNT(d->attempts));
}

/* Nothing was refused: what an HTTP 500 became. Others may have failed for another reason. */
static void say_errors(struct diagnosis *d) {
    const char *fault = failures_in_words(d, d->fault);
    const char *errors = SAY(d, "%s of %s attempts", COUNT(d->system_errors), COUNT(d->attempts));
    int64_t failed = 0;
    for (size_t i = 0; i < d->fault_count; i++)
        failed += d->faults[i].failed;
    if (failed == 0)
        d->headline = SAY(d,
                          "It outlasts a fault: %s, %s, and callers tried again until all were "
                          "served.",
                          fault, errors);
    else
        d->headline =
            SAY(d, "It fails because %s: %s, %s%s %s failed.", fault, errors, COUNT(failed),
                d->failed > failed ? SAY(d, " of the %s", COUNT(d->failed)) : "",
                d->failed > failed ? "requests that"
                : failed == 1      ? "request"
                                   : "requests");
}

static void say_headline(struct diagnosis *d) {
    if (d->cause == DDBSIM_CAUSE_NONE) {
        say_calm(d);
        return;
    }
    if (!d->main) {
        say_errors(d);
        return;
    }
    const char *why =
        d->cause == DDBSIM_CAUSE_FAULT ? failures_in_words(d, d->fault) : cause_in_words(d);
    if (d->cause == DDBSIM_CAUSE_FAULT && d->fault->aftermath)
        why = SAY(d, "%s, and what that left undone came on top of the rest", why);
    const char *counts =
        SAY(d, "%s of %s attempts refused (%s), %s %s failed, over %s from %s", COUNT(d->throttled),
            COUNT(d->attempts), PERCENT((double)d->throttled / (double)d->attempts),
            COUNT(d->failed), d->failed == 1 ? "request" : "requests",
            DURATION((double)d->throttled_for_s), CLOCK(d, d->first_throttle_s));
    if (d->attempts == 0) /* a recording knows refusals alone */
        counts = SAY(d, "%s refusals over %s from %s", COUNT(d->throttled),
                     DURATION((double)d->throttled_for_s), CLOCK(d, d->first_throttle_s));
    if (d->cause == DDBSIM_CAUSE_BATCH_HIDDEN)
        d->headline = SAY(d,
                          "It refuses members of batches, and ThrottledRequests does not show it, "
                          "because %s: %s came back unprocessed over %s from %s; none of %s "
                          "attempts was refused as a whole.",
                          why, COUNT(d->hidden), DURATION((double)d->throttled_for_s),
                          CLOCK(d, d->first_throttle_s), COUNT(d->attempts));
    else if (d->cause == DDBSIM_CAUSE_RETRY_STORM)
        d->headline = SAY(d,
                          "It throttles because callers' retries keep the shortage going after its "
                          "cause is over (%s): %s.",
                          failures_in_words(d, d->storm.fault), counts);
    else if (d->cause == DDBSIM_CAUSE_RETRY_QUOTA_EMPTY)
        d->headline = SAY(d,
                          "It throttles because %s, and callers give up at once because their "
                          "retry quota is empty: %s.",
                          why, counts);
    else
        d->headline = SAY(d, "It throttles because %s: %s.", why, counts);
}

/* ---- the chain ---- */

/* Those whose quota refused most, and how many others theirs did; NULL: nobody's did. */
static const struct callers *most_refused(const struct diagnosis *d, size_t *others) {
    const struct callers *most = NULL;
    *others = 0;
    for (size_t i = 0; i < d->callers_count; i++) {
        const struct callers *c = &d->callers[i];
        if (c->refused_retries == 0) continue;
        *others += most != NULL;
        if (!most || c->refused_retries > most->refused_retries) most = c;
    }
    return most;
}

/* "; so did those of a, b and 2 more workloads, 1,234 retries in all"; "" where there are none. */
static const char *others_in_words(struct diagnosis *d, const struct callers *most, size_t others) {
    const char *names = "";
    size_t named = 0;
    for (size_t i = 0; i < d->callers_count && named < OTHERS_NAMED; i++) {
        const struct callers *c = &d->callers[i];
        if (c == most || c->refused_retries == 0) continue;
        names = SAY(d, "%s%s%s", names, named++ ? ", " : "", c->workload);
    }
    if (others == 0) return "";
    const char *more = others > named ? SAY(d, " and %zu more", others - named) : "";
    return SAY(d, " So did those of %s%s: %s retries were refused in all.", names, more,
               COUNT(d->retries_refused));
}

static void say_quota(struct diagnosis *d) {
    size_t others;
    const struct callers *c = most_refused(d, &others);
    if (!c) return;
    const char *processes = c->processes > 0 ? SAY(d, ", %s %s", COUNT(c->processes),
                                                   c->processes == 1 ? "process" : "processes")
                                             : "";
    int64_t after_s = c->quota_empty_s - d->first_throttle_s;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "Callers of %s (preset %s%s) emptied their retry quota at %s, %s after the first "
            "refusal. It refused %s of %s retries that they would have made: those requests "
            "failed at once, and so fewer attempts were there to be refused.%s",
            c->workload, c->preset ? c->preset : "unknown", processes, CLOCK_S(d, c->quota_empty_s),
            DURATION((double)(after_s > 0 ? after_s : 0)), COUNT(c->refused_retries),
            COUNT(c->refused_retries + c->retries), others_in_words(d, c, others)),
        "workload_second.retries_refused, retries");
    diagnosis_amount(finding, "processes", (double)c->processes);
    diagnosis_amount(finding, "retries_refused", (double)c->refused_retries);
    diagnosis_amount(finding, "retries", (double)c->retries);
    diagnosis_amount(finding, "quota_empty_t_s", (double)c->quota_empty_s);
    diagnosis_amount(finding, "seconds_after_first_refusal", (double)after_s);
}

/* "12:00 to 12:20", with seconds where minutes would hide how long it is. */
static const char *window_in_words(struct diagnosis *d, struct window window) {
    if (window.end_s - window.start_s >= 60)
        return SAY(d, "%s to %s", CLOCK(d, window.start_s), CLOCK(d, window.end_s));
    return SAY(d, "%s to %s", CLOCK_S(d, window.start_s), CLOCK_S(d, window.end_s));
}

static void say_load(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (isnan(flow->requests_per_s)) return;
    struct window before = {flow->window.start_s - HOUR_S, flow->window.start_s - HOUR_S / 2};
    double earlier =
        before.start_s >= 0 ? facts_requests_per_s(d, flow->table, flow->write, before) : NAN;
    const char *grew = "";
    if (earlier > 0 && flow->requests_per_s > GROWTH_LEAST * earlier)
        grew = SAY(d, ", up from %s before %s", NUMBER(earlier), CLOCK(d, before.end_s));
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "Callers asked table %s for %s %s/s, first attempts alone%s (%s)%s.",
                            flow->table->table, NUMBER(flow->requests_per_s), asks_of(d),
                            d->again > 0 ? ", of work that was given out for the first time" : "",
                            window_in_words(d, flow->window), grew),
                        "workload_second.requests, requests_again");
    diagnosis_amount(finding, "requests_per_s", flow->requests_per_s);
    if (*grew) diagnosis_amount(finding, "earlier_requests_per_s", earlier);
}

/* Consumed units by minute: where the mean of a request changed. */
struct step {
    double before, after;
    int64_t t_s;
    const char *change; /* the change that it followed; "" where there was none */
};
struct minute {
    int64_t t_s;
    double sum, samples;
};
/* Minutes [start, end), and the split of them into two means that leaves the least squares, weighted
 * by samples: it maximises n1 n2 (m1 - m2)^2. */
struct stretch {
    size_t start, end, split; /* split 0: none with enough on both sides and worth a word */
    double weight;
};

static double mean_of(const struct minute *minutes, size_t start, size_t end) {
    double sum = 0, samples = 0;
    for (size_t i = start; i < end; i++) {
        sum += minutes[i].sum;
        samples += minutes[i].samples;
    }
    return sum / samples;
}

static struct stretch split_best(const struct minute *minutes, size_t start, size_t end) {
    struct stretch best = {.start = start, .end = end};
    double all_sum = 0, all_samples = 0, sum = 0, samples = 0;
    for (size_t i = start; i < end; i++) {
        all_sum += minutes[i].sum;
        all_samples += minutes[i].samples;
    }
    for (size_t i = start; i + 1 < end; i++) {
        sum += minutes[i].sum;
        samples += minutes[i].samples;
        double rest = all_samples - samples;
        if (samples < SAMPLES_LEAST || rest < SAMPLES_LEAST) continue;
        double before = sum / samples, after = (all_sum - sum) / rest;
        double weight = samples * rest / all_samples * (before - after) * (before - after);
        bool worth = after >= GROWTH_LEAST * before || before >= GROWTH_LEAST * after;
        if (!worth || weight <= best.weight) continue;
        best.weight = weight;
        best.split = i + 1;
    }
    return best;
}

/* Splits what gains most by it, until nothing is left to split; returns how many stretches there
 * are, in time's order. */
static size_t find_stretches(const struct minute *minutes, size_t count,
                             struct stretch stretches[STEPS_MAX + 1]) {
    size_t found = 1;
    stretches[0] = split_best(minutes, 0, count);
    while (found <= STEPS_MAX) {
        size_t most = 0;
        for (size_t i = 1; i < found; i++)
            if (stretches[i].weight > stretches[most].weight) most = i;
        struct stretch whole = stretches[most];
        if (whole.split == 0) break;
        for (size_t i = found++; i > most + 1; i--)
            stretches[i] = stretches[i - 1];
        stretches[most] = split_best(minutes, whole.start, whole.split);
        stretches[most + 1] = split_best(minutes, whole.split, whole.end);
    }
    return found;
}

/* Where a request grew before the window, each time from what it was just before. */
static size_t find_growths(const struct minute *minutes, size_t count, int64_t until_s,
                           struct step growths[STEPS_MAX]) {
    struct stretch stretches[STEPS_MAX + 1];
    size_t found = count > 0 ? find_stretches(minutes, count, stretches) : 0, grown = 0;
    for (size_t i = 1; i < found; i++) {
        struct step step = {mean_of(minutes, stretches[i - 1].start, stretches[i - 1].end),
                            mean_of(minutes, stretches[i].start, stretches[i].end),
                            minutes[stretches[i].start].t_s, ""};
        if (step.t_s <= until_s && step.after >= GROWTH_LEAST * step.before)
            growths[grown++] = step;
    }
    return grown;
}

static size_t read_growths(struct diagnosis *d, const struct flow *flow,
                           struct step growths[STEPS_MAX]) {
    struct query query;
    struct minute *minutes = NULL;
    size_t count = 0, capacity = 0;
    query_open(&query, d->database, d->error,
               "SELECT t_s, sum, sample_count FROM metric WHERE run_id = ? AND resource_id = ?"
               " AND name = ? AND operation = '' AND dimension = '' AND period_s = ? AND t_s < ?"
               " AND sample_count > 0 ORDER BY t_s",
               "iitii", d->run.run_id, flow->resource->resource_id,
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
    size_t grown = find_growths(minutes, count, flow->window.start_s + 60, growths);
    free(minutes);
    return grown;
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

/* " It grew from 2 to 4 WCU at 06:45, after change A, and from 4 to 7 WCU at ...". */
static const char *growths_in_words(struct diagnosis *d, struct step *growths, size_t count) {
    const char *text = "";
    for (size_t i = 0; i < count; i++) {
        struct step *step = &growths[i];
        step->change = change_before(d, &step->t_s);
        text = SAY(d, "%s%s from %s to %s %s at %s%s%s", text, i == 0 ? " It grew" : ", and",
                   NUMBER(step->before), NUMBER(step->after), unit_of(d), CLOCK(d, step->t_s),
                   *step->change ? ", after change " : "", step->change);
    }
    return count > 0 ? SAY(d, "%s.", text) : text;
}

static void say_size(struct diagnosis *d) {
    const struct flow *flow = facts_flow(d, d->culprit->table, write_of(d));
    if (!write_of(d)) flow = d->culprit; /* an index is read for itself */
    if (!flow || isnan(flow->units_per_request)) return;
    if (d->members.sent > 0) return; /* of a batch, as many units as were served */
    struct step growths[STEPS_MAX];
    size_t count = read_growths(d, flow, growths), changes = 0;
    const char *grew = growths_in_words(d, growths, count);
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "A %s costs %s %s on the %s.%s", write_of(d) ? "write" : "read",
                            NUMBER(flow->units_per_request), unit_of(d),
                            flow->resource->index ? "index" : "table", grew),
                        write_of(d) ? "metric ConsumedWriteCapacityUnits: Sum / SampleCount"
                                    : "metric ConsumedReadCapacityUnits: Sum / SampleCount");
    diagnosis_amount(finding, "units_per_request", flow->units_per_request);
    if (count == 0) return;
    for (size_t i = 0; i < count; i++)
        changes += *growths[i].change != '\0';
    diagnosis_amount(finding, "before", growths[0].before);
    diagnosis_amount(finding, "after", growths[count - 1].after);
    diagnosis_amount(finding, "grew_t_s", (double)growths[count - 1].t_s);
    diagnosis_amount(finding, "growths", (double)count);
    diagnosis_amount(finding, "growths_by_change", (double)changes);
}

/* Of the writes that touch an index, the share that moves its key. It can be told where the index
 * holds whole items and all writes cost the same: a move is then a second write of that size. NaN
 * where it cannot. */
static double moved_share(struct diagnosis *d, const struct flow *index, const struct flow *table) {
    const char *projection =
        facts_setting(d, SAY(d, "%s.projection", facts_path(d, index->resource)));
    if (!projection || strcmp(projection, "ALL") != 0 ||
        !facts_one_size(d, table->resource, index->write, index->window))
        return NAN;
    double moved = index->units_per_request / (table->units_per_request * index->touched) - 1;
    return moved > 0.005 && moved < 1.01 ? moved : NAN;
}

static void say_index_cost(struct diagnosis *d) {
    const struct flow *index = d->culprit;
    const struct flow *table = facts_flow(d, index->table, index->write);
    if (!index->resource->index || !index->write || !table || isnan(index->units_per_request))
        return;
    double ratio = index->units_per_request / table->units_per_request;
    double moved = moved_share(d, index, table);
    bool all = index->touched > 0.995;
    bool one_size = facts_one_size(d, table->resource, true, index->window);
    const char *touched = "", *how = "";
    if (!all) touched = SAY(d, "; %s of the writes touch it", PERCENT(index->touched));
    if (!isnan(moved))
        how = SAY(d, ", %s x %.2f%s: %s of %s move the index key and pay twice",
                  NUMBER(table->units_per_request), ratio, touched, PERCENT(moved),
                  all ? "the writes" : "these");
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "Each write costs %s WCU on index %s as well%s%s.", NUMBER(index->units_per_request),
            index->resource->index, one_size ? "" : ", on average", isnan(moved) ? touched : how),
        "metric ConsumedWriteCapacityUnits: Sum of the index / SampleCount of the table");
    diagnosis_amount(finding, "index_units_per_write", index->units_per_request);
    diagnosis_amount(finding, "touched_share", index->touched);
    if (isnan(moved)) return;
    diagnosis_amount(finding, "ratio", ratio);
    diagnosis_amount(finding, "moved_share", moved);
}

static void say_demand(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (isnan(flow->demand_per_s)) return;
    const struct flow *table = facts_flow(d, flow->table, flow->write);
    const char *other = "";
    bool index = flow->resource->index && flow->write && table && !isnan(table->demand_per_s);
    const char *has = "has";
    const char *mode = "";
    if (d->under == DDBSIM_CAUSE_ON_DEMAND_GROWTH) has = "serves", mode = " on demand";
    if (d->under == DDBSIM_CAUSE_ON_DEMAND_MAXIMUM) has = "has a maximum of";
    if (d->under == DDBSIM_CAUSE_ACCOUNT_LIMIT) has = "has a quota of";
    if (index)
        other = SAY(d, ", and %s asked for %s of %s", facts_name(d, table->resource),
                    NUMBER(table->demand_per_s), NUMBER(table->capacity_per_s));
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "So %s is asked for %s %s/s and %s %s%s%s.", facts_name(d, flow->resource),
            NUMBER(flow->demand_per_s), unit_of(d), has, NUMBER(flow->capacity_per_s), mode, other),
        "requests/s x units a request; second.write_limit, read_limit");
    diagnosis_amount(finding, "demand_per_s", flow->demand_per_s);
    diagnosis_amount(finding, "capacity_per_s", flow->capacity_per_s);
    if (!index) return;
    diagnosis_amount(finding, "table_demand_per_s", table->demand_per_s);
    diagnosis_amount(finding, "table_capacity_per_s", table->capacity_per_s);
}

/* When the culprit's burst was gone before its main episode, else in it; -1 when it was not seen to
 * be. */
static int64_t burst_gone_s(struct diagnosis *d, int64_t refused_s) {
    const struct flow *flow = d->culprit;
    int64_t gone = -1;
    const char *direction = flow->write ? "write" : "read";
    diagnosis_check(
        d, query_one_int(
               d->database, d->error, -1, &gone,
               "SELECT t_ns / 1000000000 AS t_s FROM event WHERE run_id = ? AND kind ="
               " 'burst_empty' AND resource_id = ? AND t_s < ? AND coalesce(iif(json_valid(detail),"
               " json_extract(detail, '$.direction'), NULL), ?4) = ?4"
               " ORDER BY t_s > ?5, abs(t_s - ?5) LIMIT 1",
               "iiiti", d->run.run_id, flow->resource->resource_id, flow->window.end_s, direction,
               refused_s));
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

/* An index's writes wait before its table refuses any: its burst is gone earlier than the first
 * refusal, and may have come back in between. */
static const char *wait_in_words(struct diagnosis *d, int64_t gone, int64_t refused_s) {
    if (refused_s <= gone + BURST_WAIT_S)
        return "; from then on it had what arrives each second and no more";
    const char *preset =
        facts_setting(d, SAY(d, "%s.backpressure", facts_path(d, d->culprit->resource)));
    if (!d->culprit->resource->index || !d->culprit->write)
        return SAY(d, "; refusals began at %s", CLOCK(d, refused_s));
    return SAY(
        d,
        "; refusals began at %s, since an index's work may wait for a while before its table "
        "refuses (back-pressure%s%s: a grace, and a buffer)",
        CLOCK(d, refused_s), preset ? " " : "", preset ? preset : "");
}

static void say_burst(struct diagnosis *d) {
    const struct episode *main = facts_main_episode(d, d->culprit->resource, d->culprit->write);
    int64_t refused_s = main ? main->start_ns / NS_PER_S : d->culprit->window.start_s;
    int64_t gone = burst_gone_s(d, refused_s);
    if (gone < 0) return;
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "The burst of %s was gone at %s%s.", facts_name(d, d->culprit->resource),
            CLOCK(d, gone), wait_in_words(d, gone, refused_s)),
        "event burst_empty, else second.write_tokens, read_tokens");
    diagnosis_amount(finding, "burst_gone_t_s", (double)gone);
    diagnosis_amount(finding, "first_refusal_t_s", (double)refused_s);
}

static const char *relief_in_words(struct diagnosis *d) {
    const struct relief *relief = &d->relief;
    const char *name = facts_name(d, d->culprit->resource);
    const char *before = NUMBER(relief->before_per_s), *after = NUMBER(relief->after_per_s);
    const char *what = write_of(d) ? "the write capacity" : "the read capacity";
    if (d->under == DDBSIM_CAUSE_ON_DEMAND_GROWTH)
        what = "the on-demand limit";
    else if (evidence_on_demand(d, d->culprit->resource, relief->t_s))
        return SAY(d, "It ended at %s, when %s went on demand and served %s %s/s instead of %s.",
                   CLOCK(d, relief->t_s), name, after, unit_of(d), before);
    return SAY(d, "It ended at %s, when %s of %s went from %s to %s.", CLOCK(d, relief->t_s), what,
               name, before, after);
}

/* What ended the refusals, where a rise of the capacity did. */
static void say_relief(struct diagnosis *d) {
    const struct relief *relief = &d->relief;
    if (relief->t_s < 0) return;
    struct finding *finding =
        diagnosis_chain(d, relief_in_words(d), "second.write_limit, read_limit");
    diagnosis_amount(finding, "relief_t_s", (double)relief->t_s);
    diagnosis_amount(finding, "relief_before_per_s", relief->before_per_s);
    diagnosis_amount(finding, "relief_after_per_s", relief->after_per_s);
}

/* What the run ended on without a refusal: saved burst, and how long it would last. */
static void say_ends(struct diagnosis *d) {
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = &d->flows[i];
        if (!(flow->end_demand_per_s > 0)) continue;
        struct finding *finding = diagnosis_chain(
            d,
            SAY(d,
                "At the end %s is above its capacity: %s of %s %s/s from %s on. It has %s units "
                "saved, which last about %s more; a capacity of %s would do.",
                facts_name(d, flow->resource), NUMBER(flow->end_demand_per_s),
                NUMBER(flow->end_capacity_per_s), facts_unit(flow->write),
                CLOCK(d, flow->end.start_s), COUNT((int64_t)flow->end_tokens),
                DURATION(flow->end_left_s), NUMBER(ceil(flow->end_demand_per_s))),
            "second.write_units, write_limit, write_tokens");
        diagnosis_amount(finding, "end_demand_per_s", flow->end_demand_per_s);
        diagnosis_amount(finding, "end_capacity_per_s", flow->end_capacity_per_s);
        diagnosis_amount(finding, "saved_units", flow->end_tokens);
        diagnosis_amount(finding, "burst_left_s", flow->end_left_s);
    }
}

static void say_served(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double passes = flow->consumed_per_s / flow->units_per_request;
    const char *through = "";
    /* What is done again is served too: then it is no part of what was asked first. */
    bool known = isfinite(passes) && !isnan(flow->requests_per_s) && d->again == 0;
    if (known)
        through = SAY(d, ", which lets %s of %s %s/s through", NUMBER(passes),
                      NUMBER(flow->requests_per_s), asks_of(d));
    bool of = isnan(flow->requests_per_s) && !isnan(flow->capacity_per_s);
    const char *have = of ? SAY(d, ", and has %s", NUMBER(flow->capacity_per_s)) : "";
    struct finding *finding =
        diagnosis_chain(d,
                        SAY(d, "It served %s %s/s%s%s; the rest was refused.",
                            NUMBER(flow->consumed_per_s), unit_of(d), have, through),
                        "second.write_units, read_units");
    diagnosis_amount(finding, "consumed_per_s", flow->consumed_per_s);
    if (known) diagnosis_amount(finding, "served_requests_per_s", passes);
}

/* No partition was recorded: that one is full follows from how little the whole used. */
static void say_inferred_partition(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    (void)diagnosis_chain(d,
                          SAY(d,
                              "While it refused, %s served %s %s/s, far below what it has: so one "
                              "partition was at its limit of 1,000 WCU/s or 3,000 RCU/s, or one "
                              "key. The KeyRange metrics and Contributor Insights say which.",
                              facts_name(d, flow->resource), NUMBER(flow->consumed_per_s),
                              facts_unit(flow->write)),
                          "metric ConsumedWriteCapacityUnits, ConsumedReadCapacityUnits");
}

static void say_partition(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (facts_is_recording(d)) {
        say_inferred_partition(d);
        return;
    }
    /* What a partition's bucket had saved lifts one sample over the limit. */
    bool over =
        flow->partition_peak_per_s > fmax(flow->partition_limit_per_s, flow->eventual_limit_per_s);
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "The busiest partition of %s served %s %s/s in its fullest %s (from %s%s); one "
            "partition can serve %s%s.",
            facts_name(d, flow->resource), NUMBER(flow->partition_peak_per_s), unit_of(d),
            DURATION((double)(flow->partition_peak.end_s - flow->partition_peak.start_s)),
            CLOCK_S(d, flow->partition_peak.start_s),
            over ? ", what its bucket had saved included" : "", NUMBER(flow->partition_limit_per_s),
            flow->eventual_limit_per_s > 0 ? SAY(d, " to strong reads and %s to eventual ones",
                                                 NUMBER(flow->eventual_limit_per_s))
                                           : ""),
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
        const char *which = ddbsim_reason_name(refusal->reason);
        if (refusal->resource == d->main->resource && refusal->reason == d->main->reason)
            which = evidence_of_whole(refusal->cause) ? "with all that it serves on demand in use"
                                                      : "single partitions at their own limit";
        struct finding *finding = diagnosis_chain(
            d,
            SAY(d, "Beside that, %s of the refusals came first from %s (%s), from %s.",
                PERCENT(share), facts_name(d, refusal->resource), which,
                CLOCK(d, refusal->first_s)),
            "throttle.first_events");
        diagnosis_amount(finding, "share", share);
        diagnosis_amount(finding, "attempts", (double)refusal->attempts);
    }
}

/* How what is served on demand rose. */
static void say_growth(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    struct query query;
    const char *rises = "";
    double first = NAN, last = NAN;
    int64_t count = 0, last_s = 0;
    query_open(&query, d->database, d->error,
               "SELECT t_ns / 1000000000, json_extract(detail, '$.from'),"
               " json_extract(detail, '$.to') FROM event WHERE run_id = ? AND resource_id = ?"
               " AND kind = 'on_demand_limit' AND json_valid(detail)"
               " AND json_extract(detail, '$.direction') = ? ORDER BY t_ns, event_id",
               "iit", d->run.run_id, flow->resource->resource_id, flow->write ? "write" : "read");
    while (query_next(&query)) {
        last_s = query_seconds(&query, 0);
        if (count == 0) first = query_double(&query, 1);
        last = query_double(&query, 2);
        if (count++ < RISES_TOLD)
            rises = SAY(d, "%s, %s from %s", rises, NUMBER(last), CLOCK(d, last_s));
    }
    diagnosis_check(d, query_close(&query));
    if (count > RISES_TOLD)
        rises = SAY(d, "%s and so on, %s from %s", rises, NUMBER(last), CLOCK(d, last_s));
    struct finding *finding = diagnosis_chain(
        d,
        count > 0
            ? SAY(d,
                  "On demand it served %s %s/s at first%s: twice the highest load that it has "
                  "carried, which counts after some minutes, and no more than its partitions "
                  "carry.",
                  NUMBER(first), unit_of(d), rises)
            : SAY(d, "What it serves on demand, %s %s/s, did not rise in the time of the run.",
                  NUMBER(flow->capacity_per_s), unit_of(d)),
        "event on_demand_limit");
    diagnosis_amount(finding, "limit_rises", (double)count);
    diagnosis_amount(finding, "limit_first_per_s", count > 0 ? first : flow->capacity_per_s);
    diagnosis_amount(finding, "limit_last_per_s", count > 0 ? last : flow->capacity_per_s);
}

/* Before 2018: what each partition has of the capacity, and why it is so little. */
static void say_share(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    if (flow->shared_by == 0) return;
    const char *rules = facts_setting(d, "rules");
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "The capacity is divided among the partitions%s%s: each of %s has %s of %s %s/s, "
            "whatever the others leave unused. Partitions are never merged: those of an earlier, "
            "higher capacity stay and dilute what is bought now.",
            rules ? " by the rules of " : "", rules ? rules : "", COUNT(flow->shared_by),
            NUMBER(flow->partition_limit_per_s), NUMBER(flow->capacity_per_s), unit_of(d)),
        "setting model.admission; partition; second.write_limit, read_limit");
    diagnosis_amount(finding, "partitions", (double)flow->shared_by);
    diagnosis_amount(finding, "share_per_s", flow->partition_limit_per_s);
    diagnosis_amount(finding, "capacity_per_s", flow->capacity_per_s);
}

static void say_whole(struct diagnosis *d) {
    say_demand(d);
    if (provisioned_cause(d->under)) say_burst(d);
    if (d->under == DDBSIM_CAUSE_ON_DEMAND_GROWTH) say_growth(d);
    say_served(d);
}

static void say_heat(struct diagnosis *d) {
    say_partition(d);
    say_hot_key(d);
    say_share(d);
    splits_say(d);
}

static void say_chain(struct diagnosis *d) {
    failures_say(d);
    storm_say(d);
    if (d->cause == DDBSIM_CAUSE_RETRY_QUOTA_EMPTY) say_quota(d);
    say_load(d);
    say_size(d);
    say_index_cost(d);
    if (evidence_of_whole(d->under))
        say_whole(d);
    else
        say_heat(d);
    scaling_say(d);
    say_relief(d);
    indexes_say(d);
    say_others(d);
    say_ends(d);
}

/* ---- not the cause ---- */

/* Capacity of the table when another limit binds, of the resource itself when one partition does.
 */
static void clear_capacity(struct diagnosis *d) {
    bool own = !evidence_of_whole(d->under);
    const struct query_resource *resource = own ? d->culprit->resource : d->culprit->table;
    const struct flow *flow = facts_flow(d, resource, write_of(d));
    if (!flow || (!own && flow == d->culprit) || !(flow->capacity_per_s > flow->consumed_per_s))
        return;
    for (size_t i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].resource == resource && evidence_of_whole(d->refusals[i].cause)) return;
    double spare = flow->capacity_per_s - flow->consumed_per_s;
    double left = flow->capacity_per_s - flow->demand_per_s;
    bool next = flow->needed_per_s > flow->capacity_per_s;
    const char *all = "";
    if (next)
        all = "; it would be the next to bind";
    else if (left < spare)
        all = SAY(d, "; had nothing been refused, %s would be", NUMBER(left));
    struct finding *finding = diagnosis_not_cause(
        d,
        SAY(d, "The capacity of %s: it used %s of %s %s/s (%s), %s to spare%s.",
            facts_name(d, resource), NUMBER(flow->consumed_per_s), NUMBER(flow->capacity_per_s),
            unit_of(d), PERCENT(flow->consumed_per_s / flow->capacity_per_s), NUMBER(spare), all),
        "second.write_units, write_limit");
    if (!isnan(left)) diagnosis_amount(finding, "spare_of_demand_per_s", left);
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

/* Refusals by single partitions' own limits, as a share of all. */
static double hot_share(const struct diagnosis *d) {
    int64_t attempts = 0;
    for (size_t i = 0; i < d->refusal_count; i++)
        if (!evidence_of_whole(d->refusals[i].cause)) attempts += d->refusals[i].attempts;
    return d->throttled > 0 ? (double)attempts / (double)d->throttled : 0;
}

/* A resource that has outgrown what it serves has all its partitions near their limits. */
static void clear_even_partitions(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double busiest = NAN, mean = NAN;
    int64_t count = 0;
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT max(x), avg(x), count(*) FROM (SELECT sum(iif(?3, s.write_units,"
               " s.read_units)) / sum(s.period_s) AS x FROM partition_sample s JOIN partition p"
               " USING (run_id, partition_id) WHERE s.run_id = ?1 AND p.resource_id = ?2"
               " AND s.t_s >= ?4 AND s.t_s < ?5 GROUP BY partition_id)",
               "iiiii", d->run.run_id, flow->resource->resource_id, (int64_t)flow->write,
               flow->window.start_s, flow->window.end_s);
    if (query_next(&query) && query_int(&query, 2) > 0) {
        busiest = query_double(&query, 0);
        mean = query_double(&query, 1);
        count = query_int(&query, 2);
    }
    diagnosis_check(d, query_close(&query));
    if (count < 2 || !(busiest < EVEN_MOST * mean)) return;
    struct finding *finding =
        diagnosis_not_cause(d,
                            SAY(d,
                                "Hot keys: its partitions were loaded alike, each with %s %s/s on "
                                "average and %s at most.",
                                NUMBER(mean), unit_of(d), NUMBER(busiest)),
                            "partition_sample.write_units, read_units / period_s");
    diagnosis_amount(finding, "partition_mean_per_s", mean);
    diagnosis_amount(finding, "partition_most_per_s", busiest);
}

static void clear_partitions(struct diagnosis *d) {
    const struct flow *flow = d->culprit;
    double share = flow->partition_peak_per_s / flow->partition_limit_per_s;
    if (!evidence_of_whole(d->under) || isnan(share) || hot_share(d) >= SHARE_WORTH_NAMING) return;
    if (d->under == DDBSIM_CAUSE_ON_DEMAND_GROWTH) {
        clear_even_partitions(d);
        return;
    }
    struct finding *finding = diagnosis_not_cause(
        d,
        SAY(d, "Hot keys: the busiest partition of %s reached %s of its limit of %s %s/s (%s).",
            facts_name(d, flow->resource), NUMBER(flow->partition_peak_per_s),
            NUMBER(flow->partition_limit_per_s), unit_of(d), PERCENT(share)),
        "partition_sample.write_units, read_units / period_s");
    diagnosis_amount(finding, "partition_peak_per_s", flow->partition_peak_per_s);
    diagnosis_amount(finding, "partition_limit_per_s", flow->partition_limit_per_s);
}

/* Over the minutes that lie wholly inside; NaN where there is none. */
static double latency_ms(struct diagnosis *d, struct window window) {
    double ms = NAN;
    diagnosis_check(d,
                    query_one_double(
                        d->database, d->error, &ms,
                        "SELECT sum(sum) / sum(sample_count) FROM metric WHERE run_id = ?"
                        " AND name = ? AND t_s >= ? AND t_s + period_s <= ? AND sum IS NOT NULL",
                        "itii", d->run.run_id, ddbsim_metric_name(DDBSIM_METRIC_SUCCESSFUL_LATENCY),
                        window.start_s, window.end_s));
    return ms;
}

/* The hour before the first refusal of all, since the window may lie inside a longer spell; only as
 * much of it as had successes. */
static struct window time_before(struct diagnosis *d) {
    struct window before = {d->first_throttle_s - HOUR_S, d->first_throttle_s};
    int64_t first = before.end_s;
    diagnosis_check(
        d,
        query_one_int(d->database, d->error, before.end_s, &first,
                      "SELECT min(t_s) FROM metric WHERE run_id = ? AND name = ? AND t_s >= ?"
                      " AND t_s < ? AND sample_count > 0",
                      "itii", d->run.run_id, ddbsim_metric_name(DDBSIM_METRIC_SUCCESSFUL_LATENCY),
                      before.start_s, before.end_s));
    before.start_s = first > 0 ? first : 0;
    return before;
}

static void clear_latency(struct diagnosis *d) {
    struct window window = d->culprit->window, before = time_before(d);
    if (before.end_s - before.start_s < LATENCY_LEAST_S) return;
    double during = latency_ms(d, window), earlier = latency_ms(d, before);
    if (!(fabs(during / earlier - 1) < LATENCY_ALIKE)) return;
    struct finding *finding = diagnosis_not_cause(
        d,
        SAY(d,
            "The service's speed: what succeeded took %s ms on average, and %s ms before the first "
            "refusal, from %s to %s.",
            NUMBER(during), NUMBER(earlier), CLOCK(d, before.start_s), CLOCK(d, before.end_s)),
        "metric SuccessfulRequestLatency: Sum / SampleCount");
    diagnosis_amount(finding, "latency_ms", during);
    diagnosis_amount(finding, "earlier_latency_ms", earlier);
    diagnosis_amount(finding, "earlier_s", (double)(before.end_s - before.start_s));
}

/* ---- remarks ---- */

static void remark_status(struct diagnosis *d) {
    if (strcmp(d->run.status, "interrupted") == 0 || strcmp(d->run.status, "failed") == 0)
        diagnosis_remark(
            d,
            SAY(d, "The run was %s at %s, after %s of %s: this is what it had shown.",
                strcmp(d->run.status, "failed") == 0 ? "ended by a failure" : "interrupted",
                CLOCK_S(d, d->end_s), DURATION(d->run.simulated_s),
                DURATION((double)d->run.duration_s)),
            "run.status, simulated_s");
    observed_say(d);
}

/* Which scenario ran, where it was not the plain one. */
static void remark_settings(struct diagnosis *d) {
    if (d->options.count == 0 && strcmp(d->run.variant, "base") == 0) return;
    char *variant = query_variant(&d->run, &d->options);
    diagnosis_remark(d, SAY(d, "What ran: variant %s.", diagnosis_keep(d, variant)),
                     "run.variant, varied");
    free(variant);
}

/* The number of processes is no remedy, but it may be a mistake in the scenario. */
static void remark_processes(struct diagnosis *d) {
    size_t others;
    const struct callers *c = most_refused(d, &others);
    if (!c || d->cause != DDBSIM_CAUSE_RETRY_QUOTA_EMPTY) return;
    char *name = words_path_name(c->workload);
    diagnosis_remark(d,
                     SAY(d,
                         "Each process has a retry quota of its own. If more processes call, "
                         "say so (workloads.%s.client.processes%s): it changes how often callers "
                         "try, not how many requests fail. What is missing is capacity.",
                         diagnosis_keep(d, name), others > 0 ? ", and so of the others" : ""),
                     "setting workloads.*.client.processes");
    free(name);
}

/* What stands in the callers' logs. */
static void remark_exception(struct diagnosis *d) {
    bool on_demand = evidence_on_demand(d, d->culprit->resource, d->culprit->window.start_s);
    diagnosis_remark(d,
                     SAY(d, "Callers get %s with reason %s.",
                         ddbsim_reason_exception(d->main->reason, on_demand),
                         ddbsim_reason_name(d->main->reason)),
                     "throttle.reason");
}

static void remark_callers(struct diagnosis *d) {
    const char *before = NULL, *last = NULL; /* the workloads' names, the last one apart */
    for (size_t i = 0; i < d->callers_count; i++) {
        const struct callers *c = &d->callers[i];
        if (c->throttled == 0 || !c->preset || strcmp(c->preset, "none") != 0) continue;
        if (last) before = before ? SAY(d, "%s, %s", before, last) : last;
        last = c->workload;
    }
    if (!last) return;
    diagnosis_remark(d,
                     SAY(d,
                         "Callers of %s%s%s do not retry (preset none): each refusal is a request "
                         "that failed. With retries the same shortage shows more refusals.",
                         before ? before : "", before ? " and " : "", last),
                     "setting workloads.*.client.preset");
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

/* No error tells of them. */
static void remark_lost(struct diagnosis *d) {
    int64_t lost = 0;
    diagnosis_check(
        d, query_one_int(d->database, d->error, 0, &lost,
                         "SELECT coalesce(sum(lost), 0) FROM batch_second WHERE run_id = ?", "i",
                         d->run.run_id));
    if (lost == 0) return;
    struct finding *finding = diagnosis_remark(
        d,
        SAY(d,
            "Callers did not send %s %s of batches again that came back unprocessed: %s lost, and "
            "no error says so.",
            COUNT(lost), lost == 1 ? "member" : "members", lost == 1 ? "it is" : "they are"),
        "batch_second.lost");
    diagnosis_amount(finding, "lost", (double)lost);
}

/* Assumptions that refuse where no limit that is reported is reached: whoever sets one is told that it acts. */
static void remark_options(struct diagnosis *d) {
    static const struct {
        const char *name, *off, *words;
    } options[] = {
        {"gac_refill", "0s",
         "routers hold tokens, so one may refuse while the table has some left"},
        {"node_limit", "0",
         "a partition's storage node may refuse below the partition's own limit"},
        {"rw_coupled", "off", "a partition's reads and writes share one limit"},
        {"token_debt", "debt", "a bucket refuses a request that costs more than it holds"},
        {"token_leak", "off", "refused requests take tokens too"},
        {"burst_steal_rate", "0%", "AWS spends burst on work of its own"},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        const char *set = facts_assumption(d, d->culprit->resource, options[i].name);
        if (!set || strcmp(set, options[i].off) == 0) continue;
        diagnosis_remark(
            d, SAY(d, "The scenario sets %s to %s: %s.", options[i].name, set, options[i].words),
            SAY(d, "setting model.%s", options[i].name));
    }
}

/* Shares of a limit; 0 where it is not known. */
static double load_of_whole(const struct flow *flow) {
    double load = flow->consumed_per_s / flow->capacity_per_s;
    return isfinite(load) ? load : 0;
}

static double load_of_partition(const struct flow *flow) {
    double load = flow->partition_peak_per_s / flow->partition_limit_per_s;
    return isfinite(load) ? load : 0;
}

static void say_closest_whole(struct diagnosis *d, const struct flow *flow) {
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d, "Closest to its limit in the busiest minute (%s): %s with %s of %s %s/s (%s).",
            CLOCK(d, flow->window.start_s), facts_name(d, flow->resource),
            NUMBER(flow->consumed_per_s), NUMBER(flow->capacity_per_s), facts_unit(flow->write),
            PERCENT(load_of_whole(flow))),
        "metric ConsumedWriteCapacityUnits, ConsumedReadCapacityUnits");
    diagnosis_amount(finding, "consumed_per_s", flow->consumed_per_s);
    diagnosis_amount(finding, "capacity_per_s", flow->capacity_per_s);
}

static void say_closest_partition(struct diagnosis *d, const struct flow *flow) {
    const char *limit = "its limit of";
    if (flow->shared_by > 0) limit = SAY(d, "its share, one of %s, of", COUNT(flow->shared_by));
    struct finding *finding = diagnosis_chain(
        d,
        SAY(d,
            "Closest to its limit: one partition of %s, which served %s %s/s in its fullest %s "
            "(from %s) of %s %s (%s).",
            facts_name(d, flow->resource), NUMBER(flow->partition_peak_per_s),
            facts_unit(flow->write),
            DURATION((double)(flow->partition_peak.end_s - flow->partition_peak.start_s)),
            CLOCK_S(d, flow->partition_peak.start_s), limit, NUMBER(flow->partition_limit_per_s),
            PERCENT(load_of_partition(flow))),
        "partition_sample.write_units, read_units / period_s");
    diagnosis_amount(finding, "partition_peak_per_s", flow->partition_peak_per_s);
    diagnosis_amount(finding, "partition_limit_per_s", flow->partition_limit_per_s);
}

/* Nothing was refused: what came closest to its limit, a whole resource or one partition. */
static void say_closest(struct diagnosis *d) {
    const struct flow *whole = NULL, *partition = NULL;
    for (size_t i = 0; i < d->flow_count; i++) {
        const struct flow *flow = &d->flows[i];
        if (load_of_whole(flow) > (whole ? load_of_whole(whole) : 0)) whole = flow;
        if (load_of_partition(flow) > (partition ? load_of_partition(partition) : 0))
            partition = flow;
    }
    if (partition && !(whole && load_of_whole(whole) >= load_of_partition(partition)))
        say_closest_partition(d, partition);
    else if (whole)
        say_closest_whole(d, whole);
}

void why_explain(struct diagnosis *d) {
    say_headline(d);
    remark_settings(d);
    remark_status(d);
    storage_say(d);
    if (d->status == DDBSIM_OK) regions_say(d);
    if (d->cause == DDBSIM_CAUSE_NONE || !d->culprit) {
        failures_say(d);
        say_closest(d);
        say_ends(d);
        return;
    }
    say_chain(d);
    clear_capacity(d);
    clear_others(d);
    clear_partitions(d);
    clear_latency(d);
    remark_exception(d);
    remark_options(d);
    remark_callers(d);
    remark_retries(d);
    remark_lost(d);
    remark_processes(d);
}
