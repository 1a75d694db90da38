/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which cause a refusal speaks for. A reason's name says it, but for one: an on-demand table or index that
 * has outgrown what it serves refuses with the same ...KeyRangeThroughputExceeded as one whose partition
 * is hot. What tells them apart:
 *
 *   - In the second of the refusal the resource consumed what it serves on demand (second.write_limit,
 *     read_limit), or nearly so: it has outgrown that. Below it, a partition's own limit refused.
 *   - Even at that limit a partition may be what is hot: where the partitions' own limits refused half of
 *     it or more (partition_sample.throttled_*; an index's refusals are not counted at its partitions, and
 *     its partitions' load stands for them), and few of the loaded partitions had it.
 *
 * The same holds where each partition has a share of provisioned capacity (rules of 2012 to 2018): where all
 * of it is consumed and the refusals are spread alike, the capacity is short, not one partition's share. A
 * table may have been both in its time; each time is judged by what held then.
 *
 * The capacity mode is the scenario's, and what its changes made of it, from when the switch took effect.
 */
#include <plots/diagnosis_parts.h>

#include <stdlib.h>
#include <string.h>

#define AT_LIMIT "0.95" /* of the limit; a second that begins idle consumes less than all of it */
#define FEW_PARTITIONS 0.5 /* of the loaded ones, as many as would refuse the same evenly */
#define FOR_GOOD_S INT64_C(1000000000000)

enum ddbsim_cause evidence_cause_of(int reason) {
    const char *name = ddbsim_reason_name(reason);
    bool index = ddbsim_reason_is_index(reason);
    if (strstr(name, "MaxOnDemand")) return DDBSIM_CAUSE_ON_DEMAND_MAXIMUM;
    if (strstr(name, "AccountLimit")) return DDBSIM_CAUSE_ACCOUNT_LIMIT;
    if (strstr(name, "KeyRange"))
        return index ? DDBSIM_CAUSE_HOT_INDEX_PARTITION : DDBSIM_CAUSE_HOT_PARTITION;
    return index ? DDBSIM_CAUSE_INDEX_CAPACITY : DDBSIM_CAUSE_TABLE_CAPACITY;
}

bool evidence_of_whole(enum ddbsim_cause cause) {
    return cause != DDBSIM_CAUSE_HOT_PARTITION && cause != DDBSIM_CAUSE_HOT_INDEX_PARTITION;
}

/* ---- the capacity mode ---- */

static bool is_on_demand(const char *mode) { return mode && strcmp(mode, "PAY_PER_REQUEST") == 0; }

static void add_mode(struct diagnosis *d, const char *table, int64_t from_s, bool on_demand) {
    struct mode *mode =
        diagnosis_append(d, (void **)&d->modes, &d->mode_count, &d->mode_capacity, sizeof *mode);
    if (mode) *mode = (struct mode){table, from_s, on_demand};
}

/* Switches take effect when the capacity that comes with them does. */
static void read_switches(struct diagnosis *d, const struct query_resource *table,
                          const char *path) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT (SELECT min(c.t_ns) FROM event c WHERE c.run_id = e.run_id AND c.kind ="
               " 'capacity_changed' AND c.resource_id = ?2 AND c.t_ns >= e.t_ns), j.value"
               " FROM event e, json_each(iif(json_valid(e.detail), e.detail, '{}'), '$.set') j"
               " WHERE e.run_id = ?1 AND e.kind = 'change' AND j.key = ?3 ORDER BY e.t_ns",
               "iit", d->run.run_id, table->resource_id, path);
    while (query_next(&query))
        if (!query_is_null(&query, 0))
            add_mode(d, table->table, query_ns(&query, 0) / NS_PER_S,
                     is_on_demand(query_text(&query, 1)));
    diagnosis_check(d, query_close(&query));
}

static void read_modes(struct diagnosis *d) {
    for (size_t i = 0; i < d->resources.count; i++) {
        const struct query_resource *table = &d->resources.items[i];
        if (strcmp(table->kind, "table") != 0) continue;
        const char *path = SAY(d, "%s.billing_mode", facts_path(d, table));
        add_mode(d, table->table, 0, is_on_demand(facts_setting(d, path)));
        read_switches(d, table, path);
    }
}

bool evidence_on_demand(const struct diagnosis *d, const struct query_resource *resource,
                        int64_t t_s) {
    bool on_demand = false;
    for (size_t i = 0; i < d->mode_count; i++)
        if (strcmp(d->modes[i].table, resource->table) == 0 && d->modes[i].from_s <= t_s)
            on_demand = d->modes[i].on_demand;
    return on_demand;
}

void evidence_trim(const struct diagnosis *d, const struct query_resource *resource, bool on_demand,
                   struct window *window) {
    struct window longest = {0, 0};
    for (size_t i = 0; i < d->mode_count; i++) {
        const struct mode *mode = &d->modes[i];
        if (strcmp(mode->table, resource->table) != 0 || mode->on_demand != on_demand) continue;
        bool last = i + 1 == d->mode_count || strcmp(d->modes[i + 1].table, mode->table) != 0;
        struct window part = {mode->from_s, last ? window->end_s : d->modes[i + 1].from_s};
        if (part.start_s < window->start_s) part.start_s = window->start_s;
        if (part.end_s > window->end_s) part.end_s = window->end_s;
        if (part.end_s - part.start_s > longest.end_s - longest.start_s) longest = part;
    }
    if (longest.end_s > longest.start_s) *window = longest;
}

const char *evidence_times(struct diagnosis *d, const struct query_resource *resource,
                           bool on_demand) {
    const char *sql = NULL;
    for (size_t i = 0; i < d->mode_count; i++) {
        const struct mode *mode = &d->modes[i];
        if (strcmp(mode->table, resource->table) != 0 || mode->on_demand != on_demand) continue;
        bool last = i + 1 == d->mode_count || strcmp(d->modes[i + 1].table, mode->table) != 0;
        int64_t to_s = last ? FOR_GOOD_S : d->modes[i + 1].from_s;
        sql = SAY(d, "%s%st_s >= %lld AND t_s < %lld", sql ? sql : "", sql ? " OR " : "",
                  (long long)mode->from_s, (long long)to_s);
    }
    return sql;
}

/* ---- outgrown, or hot ---- */

static const char *at_limit_sql(struct diagnosis *d, const char *times, bool write) {
    const char *direction = write ? "write" : "read";
    return SAY(d, "((%s) AND %s_limit > 0 AND %s_units >= " AT_LIMIT " * %s_limit)", times,
               direction, direction, direction);
}

/* The samples in which the resource was at its limit: how many partitions would refuse as much if all
 * that refused did so alike, as a share of those loaded; 1 where nothing tells. *refused becomes what
 * partitions refused themselves. */
static double spread_of(struct diagnosis *d, const struct refusal *refusal, const char *at_limit,
                        double *refused) {
    double share = 1;
    bool write = ddbsim_reason_is_write(refusal->reason);
    const char *what = write ? "throttled_writes" : "throttled_reads";
    if (refusal->resource->index && write) what = "write_units";
    struct query query;
    query_open(&query, d->database, d->error,
               SAY(d,
                   "WITH p AS (SELECT s.t_s, s.period_s, CAST(s.%s AS REAL) AS x"
                   " FROM partition_sample s JOIN partition p USING (run_id, partition_id)"
                   " WHERE s.run_id = ?1 AND p.resource_id = ?2),"
                   " g AS (SELECT t_s AS from_s, max(period_s) AS period_s, sum(x) AS x,"
                   " sum(x) * sum(x) / sum(x * x) / count(*) AS even FROM p GROUP BY t_s)"
                   " SELECT sum(x * even) / sum(x), sum(x) FROM g WHERE x > 0 AND EXISTS"
                   " (SELECT 1 FROM second WHERE run_id = ?1 AND resource_id = ?2"
                   " AND t_s >= g.from_s AND t_s < g.from_s + g.period_s"
                   " AND throttled_%ss > 0 AND %s)",
                   what, write ? "write" : "read", at_limit),
               "ii", d->run.run_id, refusal->resource->resource_id);
    *refused = 0;
    if (query_next(&query) && !query_is_null(&query, 0)) {
        share = query_double(&query, 0);
        *refused = query_double(&query, 1);
    }
    diagnosis_check(d, query_close(&query));
    return share;
}

static bool few_are_hot(struct diagnosis *d, const struct refusal *refusal, const char *at_limit,
                        int64_t events) {
    double refused, spread = spread_of(d, refusal, at_limit, &refused);
    return spread < FEW_PARTITIONS && refused * 2 >= (double)events;
}

/* Sides of a refusal: below the resource's limit; at what it serves on demand; with all shares of its
 * capacity in use. */
enum side { BELOW, SERVED, SHARED, SIDES };

static void read_sides(struct diagnosis *d, const struct refusal *refusal,
                       const char *const at_limit[SIDES], struct refusal sides[SIDES]) {
    struct query query;
    for (int side = BELOW; side < SIDES; side++) {
        sides[side] = *refusal;
        sides[side].attempts = sides[side].events = 0;
    }
    query_open(&query, d->database, d->error,
               SAY(d,
                   "SELECT CASE WHEN %s THEN %d WHEN %s THEN %d ELSE %d END AS side,"
                   " sum(first_events), sum(events), min(t_s)"
                   " FROM throttle LEFT JOIN second USING (run_id, resource_id, t_s)"
                   " WHERE run_id = ? AND resource_id = ? AND reason = ? GROUP BY side",
                   at_limit[SERVED], SERVED, at_limit[SHARED], SHARED, BELOW),
               "iit", d->run.run_id, refusal->resource->resource_id,
               ddbsim_reason_name(refusal->reason));
    while (query_next(&query)) {
        struct refusal *side = &sides[query_int(&query, 0)];
        side->attempts = query_int(&query, 1);
        side->events = query_int(&query, 2);
        side->first_s = query_seconds(&query, 3);
    }
    diagnosis_check(d, query_close(&query));
}

/* Where each partition has a share of the capacity, all are short together when the capacity is. */
static bool is_shared(struct diagnosis *d, const struct query_resource *resource) {
    const char *admission = facts_assumption(d, resource, "admission");
    return admission && strcmp(admission, "gac") != 0;
}

static enum ddbsim_cause cause_at_limit(const struct refusal *refusal, bool on_demand) {
    if (on_demand) return DDBSIM_CAUSE_ON_DEMAND_GROWTH;
    return refusal->resource->index ? DDBSIM_CAUSE_INDEX_CAPACITY : DDBSIM_CAUSE_TABLE_CAPACITY;
}

/* Adds a side to what partitions' own limits refused. */
static void join_sides(struct refusal *below, const struct refusal *side) {
    if (below->events == 0 || (side->events > 0 && side->first_s < below->first_s))
        below->first_s = side->first_s;
    below->attempts += side->attempts;
    below->events += side->events;
}

/* What remains of a refusal stays in its place, the rest goes to the end. */
static void put_sides(struct diagnosis *d, size_t i, const struct refusal sides[SIDES]) {
    bool placed = false;
    for (int side = BELOW; side < SIDES; side++) {
        if (sides[side].events == 0) continue;
        struct refusal *refusal =
            placed ? diagnosis_append(d, (void **)&d->refusals, &d->refusal_count,
                                      &d->refusal_capacity, sizeof *refusal)
                   : &d->refusals[i];
        if (refusal) *refusal = sides[side];
        placed = true;
    }
}

static void divide(struct diagnosis *d, size_t i) {
    const struct refusal refusal = d->refusals[i];
    struct refusal sides[SIDES];
    if (!strstr(ddbsim_reason_name(refusal.reason), "KeyRange")) return;
    bool write = ddbsim_reason_is_write(refusal.reason);
    const char *served = evidence_times(d, refusal.resource, true);
    const char *shared =
        is_shared(d, refusal.resource) ? evidence_times(d, refusal.resource, false) : NULL;
    if (!served && !shared) return;
    const char *const at_limit[SIDES] = {"0", served ? at_limit_sql(d, served, write) : "0",
                                         shared ? at_limit_sql(d, shared, write) : "0"};
    read_sides(d, &refusal, at_limit, sides);
    for (int side = SERVED; side < SIDES; side++) {
        sides[side].cause = cause_at_limit(&refusal, side == SERVED);
        if (sides[side].events == 0 ||
            !few_are_hot(d, &refusal, at_limit[side], sides[side].events))
            continue;
        join_sides(&sides[BELOW], &sides[side]);
        sides[side].events = 0;
    }
    put_sides(d, i, sides);
}

static int by_attempts(const void *left, const void *right) {
    const struct refusal *a = left, *b = right;
    if (a->attempts != b->attempts) return a->attempts > b->attempts ? -1 : 1;
    if (a->resource != b->resource) return a->resource < b->resource ? -1 : 1;
    if (a->reason != b->reason) return a->reason < b->reason ? -1 : 1;
    return (a->cause > b->cause) - (a->cause < b->cause);
}

void evidence_divide(struct diagnosis *d) {
    read_modes(d);
    size_t count = d->refusal_count;
    for (size_t i = 0; i < count && d->status == DDBSIM_OK; i++)
        divide(d, i);
    if (d->refusal_count > count)
        qsort(d->refusals, d->refusal_count, sizeof *d->refusals, by_attempts);
}
