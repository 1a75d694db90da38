/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What metrics alone tell of a cause, in a recording, which has no seconds and no partitions:
 *
 *   - Throttle events that name their reason (...ProvisionedThroughputThrottleEvents and so on) are taken at their word.
 *   - Events that name none, of a resource with provisioned capacity: where the minutes that refused consumed less than
 *     half of it, a partition was hot, for saved capacity alone would have carried more; else the capacity was short.
 *   - Of a resource on demand, one that has no capacity, a partition's limit and the whole refuse alike. Consumption as
 *     high as a new table serves says that the whole had not grown; less than that no table refuses as a whole.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>

#define FAR_BELOW 0.5           /* of what was provisioned */
#define NEW_TABLE_WRITES 3800.0 /* a second, nearly the 4,000 that a new on-demand table serves */
#define NEW_TABLE_READS 11400.0 /* and the 12,000 */

/* The minutes that refused. */
struct minutes {
    double consumed_per_s, most_per_s, capacity_per_s; /* NaN: not known */
    bool names_reasons;
};

static struct minutes minutes_of(struct diagnosis *d, const struct refusal *refusal) {
    bool write = ddbsim_reason_is_write(refusal->reason);
    struct minutes minutes = {NAN, NAN, NAN, false};
    struct query query;
    query_open(
        &query, d->database, d->error,
        "WITH e AS (SELECT t_s, period_s FROM metric WHERE run_id = ?1 AND resource_id = ?2"
        " AND name = ?3 AND sum > 0), c AS (SELECT m.sum / m.period_s AS used, (SELECT"
        " coalesce(p.maximum, p.sum / p.sample_count) FROM metric p WHERE p.run_id = ?1"
        " AND p.resource_id = ?2 AND p.name = ?5 AND p.t_s <= e.t_s ORDER BY p.t_s DESC LIMIT 1)"
        " AS capacity FROM e JOIN metric m ON m.run_id = ?1 AND m.resource_id = ?2"
        " AND m.name = ?4 AND m.operation = '' AND m.dimension = '' AND m.t_s = e.t_s)"
        " SELECT avg(used), max(used), avg(capacity), (SELECT count(*) FROM metric WHERE"
        " run_id = ?1 AND resource_id = ?2 AND name LIKE ?6 AND sum > 0) FROM c",
        "iitttt", d->run.run_id, refusal->resource->resource_id,
        write ? "WriteThrottleEvents" : "ReadThrottleEvents",
        ddbsim_metric_name(write ? DDBSIM_METRIC_CONSUMED_WRITE : DDBSIM_METRIC_CONSUMED_READ),
        ddbsim_metric_name(write ? DDBSIM_METRIC_PROVISIONED_WRITE
                                 : DDBSIM_METRIC_PROVISIONED_READ),
        write ? "Write_%ThrottleEvents" : "Read_%ThrottleEvents");
    if (query_next(&query))
        minutes = (struct minutes){query_double(&query, 0), query_double(&query, 1),
                                   query_double(&query, 2), query_int(&query, 3) > 0};
    diagnosis_check(d, query_close(&query));
    return minutes;
}

/* What was provisioned, by the files that were read; NaN: nothing says. */
static double set_capacity(struct diagnosis *d, const struct refusal *refusal) {
    const char *set =
        facts_setting(d, SAY(d, "%s.%s_capacity", facts_path(d, refusal->resource),
                             ddbsim_reason_is_write(refusal->reason) ? "write" : "read"));
    return set ? strtod(set, NULL) : NAN;
}

static void blame_partition(struct refusal *refusal) {
    bool index = refusal->resource->index != NULL, write = ddbsim_reason_is_write(refusal->reason);
    refusal->reason = index   ? write ? DDBSIM_INDEX_WRITE_KEY_RANGE : DDBSIM_INDEX_READ_KEY_RANGE
                      : write ? DDBSIM_TABLE_WRITE_KEY_RANGE
                              : DDBSIM_TABLE_READ_KEY_RANGE;
    refusal->cause = evidence_cause_of(refusal->reason);
}

static void divide(struct diagnosis *d, struct refusal *refusal) {
    struct minutes minutes = minutes_of(d, refusal);
    bool write = ddbsim_reason_is_write(refusal->reason);
    bool by_partition = !evidence_of_whole(refusal->cause);
    if (isnan(minutes.capacity_per_s)) minutes.capacity_per_s = set_capacity(d, refusal);
    if (!isnan(minutes.capacity_per_s)) {
        if (!minutes.names_reasons && minutes.consumed_per_s < FAR_BELOW * minutes.capacity_per_s)
            blame_partition(refusal);
    } else if (evidence_on_demand(d, refusal->resource, refusal->first_s) &&
               (by_partition || !minutes.names_reasons)) {
        if (minutes.most_per_s >= (write ? NEW_TABLE_WRITES : NEW_TABLE_READS))
            refusal->cause = DDBSIM_CAUSE_ON_DEMAND_GROWTH;
        else
            blame_partition(refusal);
    }
}

void observed_divide(struct diagnosis *d) {
    for (size_t i = 0; i < d->refusal_count && d->status == DDBSIM_OK; i++)
        divide(d, &d->refusals[i]);
}

/* A rise of what was provisioned, after the first refusal. */
static void say_rise(struct diagnosis *d) {
    struct query query;
    bool write = d->culprit->write;
    query_open(&query, d->database, d->error,
               "WITH p AS (SELECT t_s, coalesce(maximum, sum / sample_count) AS now,"
               " lag(coalesce(maximum, sum / sample_count)) OVER (ORDER BY t_s) AS was FROM metric"
               " WHERE run_id = ?1 AND resource_id = ?2 AND name = ?3)"
               " SELECT t_s, was, now FROM p WHERE now > was AND t_s >= ?4 ORDER BY t_s LIMIT 1",
               "iiti", d->run.run_id, d->culprit->resource->resource_id,
               ddbsim_metric_name(write ? DDBSIM_METRIC_PROVISIONED_WRITE
                                        : DDBSIM_METRIC_PROVISIONED_READ),
               d->first_throttle_s);
    if (query_next(&query)) {
        struct finding *finding = diagnosis_remark(
            d,
            SAY(d,
                "What was provisioned for %s rose from %s to %s %s at %s, after the first refusal: "
                "whether a scaler did that, or somebody, the metrics do not say.",
                facts_name(d, d->culprit->resource), NUMBER(query_double(&query, 1)),
                NUMBER(query_double(&query, 2)), facts_unit(write),
                CLOCK(d, query_seconds(&query, 0))),
            "metric.maximum");
        diagnosis_amount(finding, "rose_t_s", (double)query_seconds(&query, 0));
    }
    diagnosis_check(d, query_close(&query));
}

void observed_say(struct diagnosis *d) {
    if (!facts_is_recording(d)) return;
    diagnosis_remark(
        d,
        "This is a recording: it holds what was measured, not what was wanted. Which "
        "partitions and keys were hot, how many requests stood behind the attempts and "
        "how many of them failed it does not say.",
        "run.status");
    if (d->under == DDBSIM_CAUSE_ON_DEMAND_GROWTH)
        diagnosis_remark(
            d,
            "One hot partition refuses in the same words as a table that has not grown "
            "yet: without partitions only the height of the consumption tells them apart.",
            "metric");
    if (d->culprit &&
        (d->under == DDBSIM_CAUSE_INDEX_CAPACITY || d->under == DDBSIM_CAUSE_TABLE_CAPACITY))
        say_rise(d);
}
