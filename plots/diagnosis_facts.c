/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a diagnosis is made from, measured from the result database alone.
 *
 * Demand is what callers wanted, not what they tried: first attempts a second
 * (workload_second.requests; a workload that touches several tables is divided as workload_total
 * divides it) times the mean units of a served request (Sum / SampleCount of the consumed-capacity
 * metric). For an index the units are those consumed on the index for each write of its table.
 * Retries therefore count once, and work that a queue or a stream gives out again
 * (workload_second.requests_again) as often as it was given out first.
 *
 * Numbers are taken over the main episode, the one with most refusals: the busiest hour of it where
 * it is longer, at least a minute around it where it is shorter. Refusals come from `throttle`; a
 * recording has no such rows, and then CloudWatch's throttle events stand for them.
 *
 * A resource lives on its burst when, over the last minutes of the run, it consumed more than its
 * capacity and refused nothing: what it has saved, divided by the excess, is the time that is left.
 */
#include <plots/diagnosis_parts.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HOUR_S 3600
#define MINUTE_S 60
#define QUIET_S 60          /* without a refusal: the episode is over */
#define LONG_EPISODE_S 300  /* a shorter one says little about demand */
#define END_S 300           /* of a run, to see whether it ends above its capacity */
#define EXCESS_LEAST 1.01   /* less is chance */
#define RELIEF_S 300        /* how long refusals may outlast the rise that ends them */
#define EPISODES_MEASURED 5 /* of each resource, those with most refusals */

/* ---- small things ---- */

const char *facts_clock(const struct diagnosis *d, int64_t t_s, bool seconds, char *out) {
    query_moment(&d->run, t_s, seconds, out);
    return out;
}

const char *facts_setting(struct diagnosis *d, const char *path) {
    char *value = NULL;
    diagnosis_check(d, query_one_text(d->database, d->error, &value,
                                      "SELECT value FROM setting WHERE run_id = ? AND path = ?",
                                      "it", d->run.run_id, path));
    const char *kept = value ? SAY(d, "%s", value) : NULL;
    free(value); /* there may be one although something failed before */
    return kept;
}

const char *facts_assumption(struct diagnosis *d, const struct query_resource *resource,
                             const char *name) {
    char *value = NULL;
    diagnosis_check(
        d, query_assumption(d->database, d->run.run_id, resource->table, name, &value, d->error));
    const char *kept = value ? SAY(d, "%s", value) : NULL;
    free(value);
    return kept;
}

/* Where an index stands that a change creates; NULL: it is no such one. */
static const char *late_path(struct diagnosis *d, const struct query_resource *resource) {
    char *path = NULL;
    diagnosis_check(
        d,
        query_one_text(d->database, d->error, &path,
                       "SELECT substr(n.path, 1, length(n.path) - 5) FROM setting n JOIN setting t"
                       " ON t.run_id = n.run_id AND t.value = ?3"
                       " AND t.path = substr(n.path, 1, length(n.path) - 18) || '.table'"
                       " WHERE n.run_id = ?1 AND n.path LIKE 'changes.%.create_index.name'"
                       " AND n.value = ?2",
                       "itt", d->run.run_id, resource->index, resource->table));
    const char *kept = path ? SAY(d, "%s", path) : NULL;
    free(path);
    return kept;
}

const char *facts_path(struct diagnosis *d, const struct query_resource *resource) {
    const char *late = resource->index ? late_path(d, resource) : NULL;
    if (late) return late;
    /* A replica, TABLE@REGION, is set where its table is. */
    const char *home = SAY(d, "%.*s", (int)strcspn(resource->table, "@"), resource->table);
    char *table = words_path_name(home);
    char *index = resource->index ? words_path_name(resource->index) : NULL;
    const char *path = "";
    if (!table || (resource->index && !index))
        diagnosis_keep(d, NULL);
    else if (index)
        path = SAY(d, "tables.%s.indexes.%s", table, index);
    else
        path = SAY(d, "tables.%s", table);
    free(table);
    free(index);
    return path;
}

const char *facts_name(struct diagnosis *d, const struct query_resource *resource) {
    if (resource->index) return SAY(d, "index %s of %s", resource->index, resource->table);
    return SAY(d, "table %s", resource->table);
}

static const struct query_resource *table_of(const struct diagnosis *d,
                                             const struct query_resource *resource) {
    for (size_t i = 0; i < d->resources.count; i++) {
        const struct query_resource *other = &d->resources.items[i];
        if (strcmp(other->kind, "table") == 0 && strcmp(other->table, resource->table) == 0)
            return other;
    }
    return resource;
}

struct flow *facts_flow(struct diagnosis *d, const struct query_resource *resource, bool write) {
    for (size_t i = 0; i < d->flow_count; i++)
        if (d->flows[i].resource == resource && d->flows[i].write == write) return &d->flows[i];
    return NULL;
}

/* ---- totals ---- */

static void read_write_operations(struct diagnosis *d) {
    d->write_operations = ",";
    for (int i = 0; ddbsim_operation_name(i); i++)
        if (ddbsim_operation_is_write(i))
            d->write_operations = SAY(d, "%s%s,", d->write_operations, ddbsim_operation_name(i));
}

static void read_totals(struct diagnosis *d) {
    /* Where a run stopped before its totals were written, the seconds say the same. */
    static const char sql[] =
        "SELECT sum(requests), sum(attempts), sum(succeeded), sum(failed), sum(retries),"
        " sum(throttled_attempts) FROM workload_total WHERE run_id = ?1 HAVING count(*) > 0"
        " UNION ALL"
        " SELECT sum(requests), sum(attempts), sum(succeeded), sum(failed), sum(retries),"
        " sum(throttled_attempts) FROM workload_second WHERE run_id = ?1";
    int64_t *fields[] = {&d->requests, &d->attempts, &d->succeeded,
                         &d->failed,   &d->retries,  &d->throttled};
    struct query query;
    query_open(&query, d->database, d->error, sql, "i", d->run.run_id);
    if (query_next(&query))
        for (int i = 0; i < 6; i++)
            *fields[i] = query_int(&query, i);
    diagnosis_check(d, query_close(&query));
    diagnosis_check(d, query_one_int(d->database, d->error, MINUTE_S, &d->metric_period_s,
                                     "SELECT min(period_s) FROM metric WHERE run_id = ?", "i",
                                     d->run.run_id));
}

static void read_callers(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT workload, sum(requests), sum(retries), sum(retries_refused),"
               " sum(throttled_attempts),"
               " coalesce(min(CASE WHEN retries_refused > 0 THEN t_s END), -1),"
               " sum(requests_again)"
               " FROM workload_second WHERE run_id = ? GROUP BY workload ORDER BY workload",
               "i", d->run.run_id);
    while (query_next(&query)) {
        struct callers *callers = diagnosis_append(d, (void **)&d->callers, &d->callers_count,
                                                   &d->callers_capacity, sizeof *callers);
        if (!callers) break;
        callers->workload = SAY(d, "%s", query_text(&query, 0));
        callers->requests = query_int(&query, 1);
        callers->retries = query_int(&query, 2);
        callers->refused_retries = query_int(&query, 3);
        callers->throttled = query_int(&query, 4);
        callers->quota_empty_s = query_seconds(&query, 5);
        d->retries_refused += callers->refused_retries;
        d->again += query_int(&query, 6);
        char *name = words_path_name(callers->workload);
        callers->preset =
            facts_setting(d, SAY(d, "workloads.%s.client.preset", diagnosis_keep(d, name)));
        const char *processes =
            facts_setting(d, SAY(d, "workloads.%s.client.processes", diagnosis_keep(d, name)));
        /* Where a client is written and its processes are not, there is one. */
        callers->processes = processes ? strtoll(processes, NULL, 10) : callers->preset != NULL;
        free(name);
    }
    diagnosis_check(d, query_close(&query));
}

/* ---- refusals ---- */

static void add_refusals(struct diagnosis *d, const char *sql) {
    struct query query;
    query_open(&query, d->database, d->error, sql, "i", d->run.run_id);
    while (query_next(&query)) {
        int reason = ddbsim_name_find(ddbsim_reason_name, query_text(&query, 1));
        const struct query_resource *resource =
            query_resource_find(&d->resources, query_int(&query, 0));
        if (reason < 0 || !resource) continue;
        struct refusal *refusal = diagnosis_append(d, (void **)&d->refusals, &d->refusal_count,
                                                   &d->refusal_capacity, sizeof *refusal);
        if (!refusal) break;
        *refusal = (struct refusal){.resource = resource,
                                    .reason = reason,
                                    .cause = evidence_cause_of(reason),
                                    .attempts = query_int(&query, 2),
                                    .events = query_int(&query, 3),
                                    .first_s = query_seconds(&query, 4)};
        if (d->first_throttle_s < 0 || refusal->first_s < d->first_throttle_s)
            d->first_throttle_s = refusal->first_s;
    }
    diagnosis_check(d, query_close(&query));
}

/* No attempt lists a first reason: what was refused are members of batches that were served in part. */
static void read_hidden(struct diagnosis *d) {
    int64_t attempts = d->throttled;
    for (size_t i = 0; i < d->refusal_count; i++)
        attempts += d->refusals[i].attempts;
    if (attempts > 0) return;
    for (size_t i = 0; i < d->refusal_count; i++) {
        d->refusals[i].attempts = d->refusals[i].events;
        d->hidden += d->refusals[i].events;
    }
    d->throttled = d->hidden;
}

static void read_refusals(struct diagnosis *d) {
    add_refusals(d, "SELECT resource_id, reason, sum(first_events), sum(events), min(t_s)"
                    " FROM throttle WHERE run_id = ? GROUP BY resource_id, reason"
                    " HAVING sum(events) > 0 ORDER BY 3 DESC, 1, 2");
    read_hidden(d);
    if (d->refusal_count > 0) return;
    /* Metrics alone: ReadKeyRangeThroughputThrottleEvents of an index is IndexReadKeyRange... */
    add_refusals(
        d, "WITH m AS (SELECT resource_id, name, sum(sum) AS events, min(t_s) AS first FROM metric"
           " WHERE run_id = ? AND name LIKE '%ThrottleEvents' GROUP BY resource_id, name)"
           " SELECT m.resource_id, iif(r.kind = 'index', 'Index', 'Table') ||"
           " iif(m.name IN ('ReadThrottleEvents', 'WriteThrottleEvents'),"
           " replace(m.name, 'ThrottleEvents', 'ProvisionedThroughputExceeded'),"
           " replace(replace(m.name, 'ThroughputThrottleEvents', 'ThroughputExceeded'),"
           " 'AccountLimitThrottleEvents', 'AccountLimitExceeded')),"
           " CAST(m.events AS INTEGER), CAST(m.events AS INTEGER), max(m.first, 0)"
           " FROM m JOIN resource r USING (resource_id)"
           " WHERE r.run_id = ?1 AND m.events > 0"
           " AND (m.name NOT IN ('ReadThrottleEvents', 'WriteThrottleEvents')"
           " OR NOT EXISTS (SELECT 1 FROM m o WHERE o.resource_id = m.resource_id AND o.events > 0"
           " AND o.name LIKE replace(m.name, 'ThrottleEvents', '_%ThrottleEvents')))"
           " ORDER BY 3 DESC, 1, 2");
    if (d->throttled > 0) return;
    for (size_t i = 0; i < d->refusal_count; i++)
        d->throttled += d->refusals[i].attempts;
}

/* ---- episodes ---- */

static struct episode *add_episode(struct diagnosis *d, const struct query_resource *resource,
                                   bool write, int64_t start_ns) {
    struct episode *episode = diagnosis_append(d, (void **)&d->episodes, &d->episode_count,
                                               &d->episode_capacity, sizeof *episode);
    if (episode)
        *episode = (struct episode){.resource = resource,
                                    .write = write,
                                    .open = true,
                                    .start_ns = start_ns,
                                    .end_ns = d->end_s * NS_PER_S};
    return episode;
}

static struct episode *open_episode(struct diagnosis *d, const struct query_resource *resource,
                                    bool write) {
    for (size_t i = d->episode_count; i-- > 0;) {
        struct episode *episode = &d->episodes[i];
        if (episode->resource == resource && episode->write == write)
            return episode->open ? episode : NULL;
    }
    return NULL;
}

static void read_episode_events(struct diagnosis *d) {
    struct query query;
    query_open(&query, d->database, d->error,
               "SELECT t_ns, kind = 'throttling_started', resource_id,"
               " coalesce(iif(json_valid(detail), json_extract(detail, '$.direction'), NULL),"
               " 'write') <> 'read' FROM event"
               " WHERE run_id = ? AND kind IN ('throttling_started', 'throttling_ended')"
               " ORDER BY t_ns, event_id",
               "i", d->run.run_id);
    while (query_next(&query)) {
        const struct query_resource *resource =
            query_resource_find(&d->resources, query_int(&query, 2));
        bool write = query_int(&query, 3) != 0;
        if (!resource) continue;
        struct episode *episode = open_episode(d, resource, write);
        if (query_int(&query, 1)) {
            if (!episode && !add_episode(d, resource, write, query_ns(&query, 0))) break;
        } else if (episode) {
            episode->open = false;
            episode->end_ns = query_ns(&query, 0);
        }
    }
    diagnosis_check(d, query_close(&query));
}

/* Without events: refusals less than QUIET_S apart belong together. */
static void find_episodes(struct diagnosis *d, const char *sql) {
    struct query query;
    struct episode *episode = NULL;
    query_open(&query, d->database, d->error, sql, "i", d->run.run_id);
    while (query_next(&query)) {
        const struct query_resource *resource =
            query_resource_find(&d->resources, query_int(&query, 0));
        bool write = query_int(&query, 1) != 0;
        int64_t start_ns = query_seconds(&query, 2) * NS_PER_S;
        if (!resource) continue;
        if (!episode || episode->resource != resource || episode->write != write ||
            start_ns > episode->end_ns + QUIET_S * NS_PER_S)
            episode = add_episode(d, resource, write, start_ns < 0 ? 0 : start_ns);
        if (!episode) break;
        episode->end_ns = start_ns + query_seconds(&query, 3) * NS_PER_S;
        episode->open = episode->end_ns >= d->end_s * NS_PER_S;
    }
    diagnosis_check(d, query_close(&query));
}

static int by_start(const void *left, const void *right) {
    const struct episode *a = left, *b = right;
    if (a->start_ns != b->start_ns) return a->start_ns < b->start_ns ? -1 : 1;
    if (a->resource != b->resource) return a->resource < b->resource ? -1 : 1;
    return a->write - b->write;
}

static void count_refused(struct diagnosis *d) {
    for (size_t i = 0; i < d->episode_count; i++) {
        struct episode *episode = &d->episodes[i];
        int64_t start_s = episode->start_ns / NS_PER_S, end_s = episode->end_ns / NS_PER_S;
        diagnosis_check(
            d, query_one_int(d->database, d->error, 0, &episode->refused,
                             "SELECT CAST(coalesce((SELECT sum(events) FROM throttle"
                             " WHERE run_id = ?1 AND resource_id = ?2 AND t_s BETWEEN ?3 AND ?4"
                             " AND reason LIKE ?5 || ?6),"
                             " (SELECT sum(sum) FROM metric WHERE run_id = ?1 AND resource_id = ?2"
                             " AND t_s BETWEEN ?3 AND ?4 AND name = ?6 || 'ThrottleEvents'))"
                             " AS INTEGER)",
                             "iiiitt", d->run.run_id, episode->resource->resource_id, start_s,
                             end_s, episode->resource->index ? "Index" : "Table",
                             episode->write ? "Write%" : "Read%"));
    }
}

static void measure_union(struct diagnosis *d) {
    int64_t reached = 0, covered = 0;
    for (size_t i = 0; i < d->episode_count; i++) {
        int64_t start_s = d->episodes[i].start_ns / NS_PER_S;
        int64_t end_s = facts_episode_end_s(&d->episodes[i]);
        if (start_s < reached) start_s = reached;
        if (end_s > start_s) covered += end_s - start_s;
        if (end_s > reached) reached = end_s;
    }
    d->throttled_for_s = covered;
}

static void read_episodes(struct diagnosis *d) {
    read_episode_events(d);
    if (d->episode_count == 0)
        find_episodes(d, "SELECT resource_id, reason LIKE '%Write%' AS w, t_s, max(period_s)"
                         " FROM throttle WHERE run_id = ? GROUP BY resource_id, w, t_s"
                         " ORDER BY resource_id, w, t_s");
    if (d->episode_count == 0)
        find_episodes(d, "SELECT resource_id, name = 'WriteThrottleEvents' AS w, t_s, period_s"
                         " FROM metric WHERE run_id = ? AND sum > 0 AND name IN"
                         " ('ReadThrottleEvents', 'WriteThrottleEvents')"
                         " ORDER BY resource_id, w, t_s");
    if (d->episode_count > 0) qsort(d->episodes, d->episode_count, sizeof *d->episodes, by_start);
    count_refused(d);
    measure_union(d);
}

const struct episode *facts_main_episode(const struct diagnosis *d,
                                         const struct query_resource *resource, bool write) {
    const struct episode *main = NULL;
    for (size_t i = 0; i < d->episode_count; i++) {
        const struct episode *episode = &d->episodes[i];
        if (episode->resource != resource || episode->write != write) continue;
        if (!main || episode->refused > main->refused) main = episode;
    }
    return main;
}

/* A run of another seed than its scenario's must be repeated with it. */
static void read_seed(struct diagnosis *d) {
    const char *usual = facts_setting(d, "seed");
    const char *seed = SAY(d, "%llu", (unsigned long long)d->run.seed);
    if (usual && strcmp(usual, seed) != 0) d->seed = seed;
}

void facts_read(struct diagnosis *d) {
    if (!diagnosis_check(d, query_run_read(d->database, d->run.run_id, &d->run, d->error))) return;
    if (!diagnosis_check(d,
                         query_resources_read(d->database, d->run.run_id, &d->resources, d->error)))
        return;
    if (!diagnosis_check(d, query_options_read(d->database, d->run.run_id, &d->options, d->error)))
        return;
    read_seed(d);
    d->first_throttle_s = -1;
    d->end_s = (int64_t)ceil(d->run.simulated_s);
    read_write_operations(d);
    read_totals(d);
    if (!diagnosis_check(d, query_members_read(d->database, d->run.run_id, &d->members, d->error)))
        return;
    read_callers(d);
    read_refusals(d);
    evidence_divide(d);
    if (facts_is_recording(d)) observed_divide(d);
    read_episodes(d);
}

/* ---- flows ---- */

/* Workloads' requests belong to a table in the shares that the totals have. */
#define REQUESTS_OF_TABLE                                                                         \
    "WITH share AS (SELECT workload, sum(iif(table_name = ?2 AND (instr(?4, ',' || operation || " \
    "',') > 0) = ?3, requests, 0)) * 1.0 / sum(requests) AS part FROM workload_total"             \
    " WHERE run_id = ?1 GROUP BY workload HAVING part > 0)"
/* Each workload of those by its own key: in the other order every second of all workloads would be read. */
#define SHARES_BY_SECOND "share CROSS JOIN workload_second s USING (workload)"

double facts_requests_per_s(struct diagnosis *d, const struct query_resource *table, bool write,
                            struct window window) {
    double requests = NAN;
    diagnosis_check(
        d, query_one_double(
               d->database, d->error, &requests,
               REQUESTS_OF_TABLE
               " SELECT sum((s.requests - s.requests_again) * share.part) FROM " SHARES_BY_SECOND
               " WHERE s.run_id = ?1 AND s.t_s >= ?5 AND s.t_s < ?6",
               "ititii", d->run.run_id, table->table, (int64_t)write, d->write_operations,
               window.start_s, window.end_s));
    return requests / (double)(window.end_s - window.start_s);
}

/* Where the hour with most requests starts inside a longer window, to the minute. */
static int64_t busiest_hour(struct diagnosis *d, const struct query_resource *table, bool write,
                            struct window window) {
    int64_t start_s = window.start_s;
    diagnosis_check(
        d, query_one_int(
               d->database, d->error, window.start_s, &start_s,
               REQUESTS_OF_TABLE
               ", minute AS (SELECT (s.t_s - ?5) / 60 AS m,"
               " sum((s.requests - s.requests_again) * share.part) AS n FROM " SHARES_BY_SECOND
               " WHERE s.run_id = ?1 AND s.t_s >= ?5 AND s.t_s < ?6"
               " GROUP BY m), hour AS (SELECT m, sum(n) OVER (ORDER BY m RANGE BETWEEN"
               " CURRENT ROW AND 59 FOLLOWING) AS n FROM minute)"
               " SELECT ?5 + 60 * m FROM hour WHERE ?5 + 60 * m + 3600 <= ?6"
               " ORDER BY n DESC, m LIMIT 1",
               "ititii", d->run.run_id, table->table, (int64_t)write, d->write_operations,
               window.start_s, window.end_s));
    return start_s;
}

static struct window window_of(struct diagnosis *d, const struct episode *episode) {
    struct window window = {episode->start_ns / NS_PER_S, facts_episode_end_s(episode)};
    if (window.end_s > d->end_s) window.end_s = d->end_s;
    if (window.end_s - window.start_s > HOUR_S) {
        window.start_s = busiest_hour(d, table_of(d, episode->resource), episode->write, window);
        window.end_s = window.start_s + HOUR_S;
    }
    if (window.end_s - window.start_s < MINUTE_S) {
        window.start_s = window.start_s > MINUTE_S / 2 ? window.start_s - MINUTE_S / 2 : 0;
        window.end_s = window.start_s + MINUTE_S;
    }
    /* What lies beyond the run's end would count as time without load. */
    if (window.end_s > d->end_s) {
        window.end_s = d->end_s;
        window.start_s = window.end_s > MINUTE_S ? window.end_s - MINUTE_S : 0;
    }
    return window;
}

static int metric_consumed(bool write) {
    return write ? DDBSIM_METRIC_CONSUMED_WRITE : DDBSIM_METRIC_CONSUMED_READ;
}

/* Sum and sample count of a consumed-capacity metric over the minutes of a window. */
static void sum_consumed(struct diagnosis *d, const struct query_resource *resource, bool write,
                         struct window window, double *sum, double *samples) {
    struct query query;
    /* Minutes follow the wall clock: those wholly inside, else those that touch the window. */
    query_open(&query, d->database, d->error,
               "SELECT sum(sum), sum(sample_count), t_s >= ?5 AND t_s + period_s <= ?6 AS inside"
               " FROM metric WHERE run_id = ?1 AND resource_id = ?2 AND name = ?3 AND operation = "
               "'' AND dimension = ''"
               " AND period_s = ?4 AND t_s < ?6 AND t_s + period_s > ?5 GROUP BY inside"
               " ORDER BY inside DESC LIMIT 1",
               "iitiii", d->run.run_id, resource->resource_id,
               ddbsim_metric_name(metric_consumed(write)), d->metric_period_s, window.start_s,
               window.end_s);
    bool found = query_next(&query);
    *sum = found ? query_double(&query, 0) : NAN;
    *samples = found ? query_double(&query, 1) : NAN;
    diagnosis_check(d, query_close(&query));
}

/* What its requests are counted on: an index is read for itself, but written with its table. */
static const struct query_resource *base_of(const struct flow *flow) {
    return flow->write ? flow->table : flow->resource;
}

/* Units of the resource for each served request of its table; touched as in struct flow. */
static void read_units(struct diagnosis *d, struct flow *flow) {
    double sum, samples, base_sum, base_samples;
    struct window window = flow->window, whole = {-HOUR_S, d->end_s};
    sum_consumed(d, base_of(flow), flow->write, window, &base_sum, &base_samples);
    if (!(base_samples > 0)) {
        window = whole; /* nothing was served while it lasted */
        sum_consumed(d, base_of(flow), flow->write, window, &base_sum, &base_samples);
    }
    sum_consumed(d, flow->resource, flow->write, window, &sum, &samples);
    flow->units_per_request = sum / base_samples;
    flow->touched = samples / base_samples;
    if (flow->resource != flow->table && isnan(sum) && base_samples > 0)
        flow->units_per_request = flow->touched = 0;
}

static double read_second(struct diagnosis *d, const struct flow *flow, const char *sql) {
    double value = NAN;
    diagnosis_check(d, query_one_double(d->database, d->error, &value, sql, "iiii", d->run.run_id,
                                        flow->resource->resource_id, flow->window.start_s,
                                        flow->window.end_s));
    return value;
}

/* The limit that held at the window's end; before the first row, or in a recording, what was set.
 */
static double read_capacity(struct diagnosis *d, const struct flow *flow) {
    double capacity = read_second(
        d, flow,
        flow->write
            ? "SELECT write_limit FROM second WHERE run_id = ? AND resource_id = ?"
              " AND t_s < max(?3, ?4) AND write_limit IS NOT NULL ORDER BY t_s DESC LIMIT 1"
            : "SELECT read_limit FROM second WHERE run_id = ? AND resource_id = ?"
              " AND t_s < max(?3, ?4) AND read_limit IS NOT NULL ORDER BY t_s DESC LIMIT 1");
    if (!isnan(capacity)) return capacity;
    const char *set = facts_setting(
        d, SAY(d, "%s.%s_capacity", facts_path(d, flow->resource), flow->write ? "write" : "read"));
    if (set) return strtod(set, NULL);
    diagnosis_check(
        d, query_one_double(d->database, d->error, &capacity,
                            "SELECT maximum FROM metric WHERE run_id = ? AND resource_id = ?"
                            " AND name = ? AND t_s < ? ORDER BY t_s DESC LIMIT 1",
                            "iiti", d->run.run_id, flow->resource->resource_id,
                            ddbsim_metric_name(flow->write ? DDBSIM_METRIC_PROVISIONED_WRITE
                                                           : DDBSIM_METRIC_PROVISIONED_READ),
                            flow->window.end_s));
    return capacity;
}

static double read_served(struct diagnosis *d, const struct flow *flow) {
    double seconds = (double)(flow->window.end_s - flow->window.start_s);
    double units = read_second(d, flow,
                               flow->write ? "SELECT sum(write_units) FROM second WHERE run_id = ?"
                                             " AND resource_id = ? AND t_s >= ? AND t_s < ?"
                                           : "SELECT sum(read_units) FROM second WHERE run_id = ?"
                                             " AND resource_id = ? AND t_s >= ? AND t_s < ?");
    if (!isnan(units)) return units / seconds;
    double samples;
    struct window minutes = flow->window;
    sum_consumed(d, flow->resource, flow->write, minutes, &units, &samples);
    int64_t covered = 0;
    diagnosis_check(
        d, query_one_int(d->database, d->error, 0, &covered,
                         "SELECT sum(period_s) FROM metric WHERE run_id = ?"
                         " AND resource_id = ? AND name = ? AND operation = '' AND dimension = ''"
                         " AND t_s >= ? AND t_s + period_s <= ?",
                         "iitii", d->run.run_id, flow->resource->resource_id,
                         ddbsim_metric_name(metric_consumed(flow->write)), minutes.start_s,
                         minutes.end_s));
    return covered > 0 ? units / (double)covered : 0;
}

double facts_asked_first(const struct diagnosis *d) {
    const struct query_members *m = &d->members;
    double fresh = d->requests > 0 ? (double)(d->requests - d->again) / (double)d->requests : 1;
    /* Of the members that were refused, those not lost were asked for again. */
    if (m->sent > 0) return fresh * (double)(m->sent - m->throttled + m->lost) / (double)m->sent;
    return d->attempts > 0 ? fresh * (double)d->requests / (double)d->attempts : 1;
}

/* What was asked, where requests and units do not say it: all attempts' units, the retries taken
 * out in the proportion that they have among all attempts. */
static double asked_per_s(struct diagnosis *d, const struct flow *flow) {
    double asked = read_second(d, flow,
                               flow->write ? "SELECT sum(write_demand) FROM second WHERE run_id = ?"
                                             " AND resource_id = ? AND t_s >= ? AND t_s < ?"
                                           : "SELECT sum(read_demand) FROM second WHERE run_id = ?"
                                             " AND resource_id = ? AND t_s >= ? AND t_s < ?");
    double part = facts_asked_first(d);
    return asked * part / (double)(flow->window.end_s - flow->window.start_s);
}

/* How many requests a table's reads made of an index, no total tells; and a batch is one request, whose
 * units served say nothing of those refused. */
static double requests_of(struct diagnosis *d, const struct flow *flow, struct window window) {
    if ((flow->resource->index && !flow->write) || d->members.sent > 0) return NAN;
    return facts_requests_per_s(d, flow->table, flow->write, window);
}

static double demand_in(struct diagnosis *d, const struct flow *flow, struct window window) {
    struct flow probe = *flow;
    probe.window = window;
    read_units(d, &probe);
    double demand = requests_of(d, flow, window) * probe.units_per_request;
    return isnan(demand) ? asked_per_s(d, &probe) : demand;
}

/* The highest demand of this resource's own larger episodes and of the common window. */
static double highest_demand(struct diagnosis *d, const struct flow *flow) {
    double highest = flow->demand_per_s;
    int64_t below = INT64_MAX;
    const struct episode *seen = NULL;
    for (int n = 0; n < EPISODES_MEASURED; n++) {
        const struct episode *next = NULL;
        for (size_t i = 0; i < d->episode_count; i++) {
            const struct episode *episode = &d->episodes[i];
            if (episode->resource != flow->resource || episode->write != flow->write) continue;
            bool after = episode->refused < below || (episode->refused == below && episode > seen);
            if (after && (!next || episode->refused > next->refused)) next = episode;
        }
        if (!next) break;
        seen = next;
        below = next->refused;
        if (n > 0 && next->end_ns - next->start_ns < LONG_EPISODE_S * NS_PER_S) continue;
        double demand = demand_in(d, flow, window_of(d, next));
        if (demand > highest || isnan(highest)) highest = demand;
    }
    return highest;
}

/* Before 2018 each partition had its share of the provisioned capacity and no more (rules 2012, 2017). */
static void read_share(struct diagnosis *d, struct flow *flow) {
    const char *admission = facts_assumption(d, flow->table, "admission");
    if (!admission || strcmp(admission, "gac") == 0 ||
        evidence_on_demand(d, flow->resource, flow->window.start_s))
        return;
    int64_t count = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &count,
                                     "SELECT count(*) FROM partition WHERE run_id = ?1"
                                     " AND resource_id = ?2 AND created_ns <= ?3"
                                     " AND coalesce(retired_ns > ?3, 1)",
                                     "iii", d->run.run_id, flow->resource->resource_id,
                                     flow->window.start_s * NS_PER_S));
    if (count < 2 || !(flow->capacity_per_s / (double)count < flow->partition_limit_per_s)) return;
    flow->shared_by = count;
    flow->partition_limit_per_s = flow->capacity_per_s / (double)count;
}

static void read_partitions(struct diagnosis *d, struct flow *flow) {
    struct query query;
    /* What a limit is compared with was served under it. */
    bool on_demand = evidence_on_demand(d, flow->resource, flow->window.start_s);
    const char *times = evidence_times(d, flow->resource, on_demand);
    query_open(&query, d->database, d->error,
               SAY(d,
                   "SELECT iif(?3, s.write_units, s.read_units) / s.period_s AS rate, s.t_s,"
                   " s.period_s FROM partition p CROSS JOIN partition_sample s USING (run_id,"
                   " partition_id) WHERE p.run_id = ?1 AND p.resource_id = ?2 AND (%s)"
                   " ORDER BY rate DESC, s.t_s LIMIT 1",
                   times ? times : "1"),
               "iii", d->run.run_id, flow->resource->resource_id, (int64_t)flow->write);
    bool found = query_next(&query);
    flow->partition_peak_per_s = found ? query_double(&query, 0) : NAN;
    if (found)
        flow->partition_peak =
            (struct window){query_int(&query, 1), query_int(&query, 1) + query_int(&query, 2)};
    diagnosis_check(d, query_close(&query));
    struct query_partition_limit limit = {NAN, 0, false};
    diagnosis_check(d, query_partition_limit_read(d->database, d->run.run_id, flow->resource,
                                                  flow->write, &limit, d->error));
    flow->partition_limit_per_s = limit.limit;
    flow->eventual_limit_per_s = limit.eventual;
    flow->strong_reads = limit.strong;
    read_share(d, flow);
}

bool facts_one_size(struct diagnosis *d, const struct query_resource *table, bool write,
                    struct window window) {
    int64_t one = 0;
    diagnosis_check(d,
                    query_one_int(d->database, d->error, 0, &one,
                                  "SELECT min(minimum) = max(maximum) FROM metric WHERE run_id = ?"
                                  " AND resource_id = ? AND name = ? AND operation = '' AND "
                                  "dimension = '' AND period_s = ?"
                                  " AND sample_count > 0 AND t_s < ? AND t_s + period_s > ?",
                                  "iitiii", d->run.run_id, table->resource_id,
                                  ddbsim_metric_name(metric_consumed(write)), d->metric_period_s,
                                  window.end_s, window.start_s));
    return one == 1;
}

double facts_outcome(struct diagnosis *d, const char *name, const char *workload) {
    double value = 0;
    diagnosis_check(d, query_one_double(d->database, d->error, &value,
                                        "SELECT coalesce(max(value), 0) FROM outcome"
                                        " WHERE run_id = ? AND name = ? AND scope = ?",
                                        "itt", d->run.run_id, name, workload));
    return value;
}

int64_t facts_gone_s(struct diagnosis *d, const struct query_resource *resource) {
    struct query_life life = {.gone_s = QUERY_NEVER};
    if (resource->index)
        diagnosis_check(
            d, query_life_read(d->database, d->run.run_id, resource->resource_id, &life, d->error));
    return life.gone_s;
}

/* Whether the run ended on this flow's saved burst. */
static void read_end(struct diagnosis *d, struct flow *flow) {
    struct flow probe = *flow;
    if (facts_gone_s(d, flow->resource) >= 0) return;
    probe.window = (struct window){d->end_s > END_S ? d->end_s - END_S : 0, d->end_s};
    if (probe.window.end_s - probe.window.start_s < MINUTE_S) return;
    for (size_t i = 0; i < d->episode_count; i++) {
        const struct episode *episode = &d->episodes[i];
        if (episode->resource == flow->resource && episode->write == flow->write &&
            facts_episode_end_s(episode) > probe.window.start_s)
            return;
    }
    double demand = read_served(d, &probe), capacity = read_capacity(d, &probe), tokens = NAN;
    if (!(demand > EXCESS_LEAST * capacity)) return;
    diagnosis_check(
        d,
        query_one_double(d->database, d->error, &tokens,
                         "SELECT iif(?3, write_tokens, read_tokens) FROM second WHERE run_id ="
                         " ?1 AND resource_id = ?2 ORDER BY t_s DESC LIMIT 1",
                         "iii", d->run.run_id, flow->resource->resource_id, (int64_t)flow->write));
    if (isnan(tokens)) return;
    flow->end = probe.window;
    flow->end_demand_per_s = demand;
    flow->end_capacity_per_s = capacity;
    flow->end_tokens = tokens > 0 ? tokens : 0;
    flow->end_left_s = flow->end_tokens / (demand - capacity);
}

/* What binds where it is not the capacity: the maximum that was set, or the account's quota. */
static double other_limit(struct diagnosis *d, const struct query_resource *resource, bool write) {
    const char *set = NULL;
    bool acts = d->main && d->main->resource == resource &&
                ddbsim_reason_is_write(d->main->reason) == write;
    if (acts && d->under == DDBSIM_CAUSE_ON_DEMAND_MAXIMUM)
        set = facts_setting(d, SAY(d, "%s.on_demand_throughput.max_%s_request_units",
                                   facts_path(d, resource), write ? "write" : "read"));
    if (acts && d->under == DDBSIM_CAUSE_ACCOUNT_LIMIT)
        set = facts_assumption(d, resource, write ? "quota_write" : "quota_read");
    return set ? strtod(set, NULL) : NAN;
}

/* What on demand was served when the refusals began: it rises meanwhile. */
static double first_limit(struct diagnosis *d, const struct flow *flow) {
    if (d->under != DDBSIM_CAUSE_ON_DEMAND_GROWTH ||
        !evidence_on_demand(d, flow->resource, flow->window.start_s))
        return NAN;
    return read_second(d, flow,
                       flow->write ? "SELECT min(write_limit) FROM second WHERE run_id = ?"
                                     " AND resource_id = ? AND t_s >= ? AND t_s < ?"
                                   : "SELECT min(read_limit) FROM second WHERE run_id = ?"
                                     " AND resource_id = ? AND t_s >= ? AND t_s < ?");
}

double facts_peak_demand(struct diagnosis *d, const struct flow *flow) {
    double minute = NAN;
    diagnosis_check(
        d,
        query_one_double(d->database, d->error, &minute,
                         "SELECT max(asked) FROM (SELECT sum(iif(?3, write_demand, read_demand))"
                         " / 60 AS asked FROM second WHERE run_id = ?1 AND resource_id = ?2"
                         " GROUP BY t_s / 60)",
                         "iii", d->run.run_id, flow->resource->resource_id, (int64_t)flow->write));
    double part = facts_asked_first(d);
    double peak = minute * part, needed = flow->needed_per_s;
    return !isnan(needed) && !(peak > needed) ? needed : peak;
}

static void measure_flow(struct diagnosis *d, const struct query_resource *resource, bool write,
                         struct window window) {
    struct flow *flow =
        diagnosis_append(d, (void **)&d->flows, &d->flow_count, &d->flow_capacity, sizeof *flow);
    if (!flow) return;
    *flow = (struct flow){
        .resource = resource, .table = table_of(d, resource), .write = write, .window = window};
    read_units(d, flow);
    flow->capacity_per_s = other_limit(d, resource, write);
    if (isnan(flow->capacity_per_s)) flow->capacity_per_s = first_limit(d, flow);
    if (isnan(flow->capacity_per_s)) flow->capacity_per_s = read_capacity(d, flow);
    flow->consumed_per_s = read_served(d, flow);
    flow->requests_per_s = requests_of(d, flow, window);
    flow->demand_per_s = flow->requests_per_s * flow->units_per_request;
    if (isnan(flow->demand_per_s)) flow->demand_per_s = asked_per_s(d, flow);
    flow->needed_per_s = highest_demand(d, flow);
    read_partitions(d, flow);
    read_end(d, flow);
    /* Of a calm run only its busiest minute was measured, which the burst may carry. */
    if (flow->end_demand_per_s > 0 && (!d->main || !(flow->needed_per_s >= flow->end_demand_per_s)))
        flow->needed_per_s = flow->end_demand_per_s;
    for (size_t i = 0; i < d->refusal_count; i++)
        if (d->refusals[i].resource == resource &&
            ddbsim_reason_is_write(d->refusals[i].reason) == write)
            flow->refused += d->refusals[i].events;
}

/* The minute in which consumed units come closest to the capacity that there was then, which a scaler may
 * have moved since: where nothing was refused. */
static struct window busiest_minute(struct diagnosis *d) {
    struct window window = {0, d->end_s > 0 ? d->end_s : 1};
    int64_t start_s = 0;
    diagnosis_check(d, query_one_int(d->database, d->error, 0, &start_s,
                                     "SELECT t_s FROM metric m WHERE run_id = ?1 AND name LIKE"
                                     " 'Consumed%CapacityUnits' AND period_s = ?2 AND operation ="
                                     " '' ORDER BY sum / (SELECT total(s.period_s * iif(m.name LIKE"
                                     " '%Write%', s.write_limit, s.read_limit)) FROM second s"
                                     " WHERE s.run_id = ?1 AND s.resource_id = m.resource_id"
                                     " AND s.t_s >= m.t_s AND s.t_s < m.t_s + ?2) DESC,"
                                     " sum DESC, t_s LIMIT 1",
                                     "ii", d->run.run_id, d->metric_period_s));
    if (start_s >= 0 && start_s + d->metric_period_s <= window.end_s)
        window = (struct window){start_s, start_s + d->metric_period_s};
    return window;
}

/* The last rise of the capacity of what refused, where the refusals ended with it for good. */
static void read_relief(struct diagnosis *d, const struct episode *main) {
    for (size_t i = 0; i < d->episode_count; i++) {
        const struct episode *other = &d->episodes[i];
        if (other->resource == main->resource && other->write == main->write &&
            (other->open || other->start_ns > main->start_ns))
            return;
    }
    struct query query;
    int64_t end_s = facts_episode_end_s(main);
    query_open(&query, d->database, d->error,
               "WITH s AS (SELECT t_s, iif(?3, write_limit, read_limit) AS now,"
               " lag(iif(?3, write_limit, read_limit)) OVER (ORDER BY t_s) AS was FROM second"
               " WHERE run_id = ?1 AND resource_id = ?2)"
               " SELECT t_s, was, now FROM s WHERE now > was AND t_s BETWEEN ?4 AND ?5"
               " ORDER BY t_s DESC LIMIT 1",
               "iiiii", d->run.run_id, main->resource->resource_id, (int64_t)main->write,
               end_s - RELIEF_S > main->start_ns / NS_PER_S ? end_s - RELIEF_S
                                                            : main->start_ns / NS_PER_S,
               end_s + MINUTE_S);
    if (query_next(&query))
        d->relief =
            (struct relief){query_int(&query, 0), query_double(&query, 1), query_double(&query, 2)};
    diagnosis_check(d, query_close(&query));
}

void facts_measure(struct diagnosis *d) {
    const struct episode *main = NULL;
    d->relief.t_s = -1;
    if (d->main)
        main = facts_main_episode(d, d->main->resource, ddbsim_reason_is_write(d->main->reason));
    struct window window = main ? window_of(d, main) : busiest_minute(d);
    if (main) read_relief(d, main);
    /* What was short is measured before it was relieved, and while it was what is short. */
    if (d->relief.t_s > window.start_s && d->relief.t_s < window.end_s)
        window.end_s = d->relief.t_s;
    if (main && evidence_of_whole(d->under))
        evidence_trim(d, main->resource,
                      d->main->cause == DDBSIM_CAUSE_ON_DEMAND_GROWTH ||
                          d->main->cause == DDBSIM_CAUSE_ON_DEMAND_MAXIMUM,
                      &window);
    for (size_t i = 0; i < d->resources.count && d->status == DDBSIM_OK; i++) {
        if (strcmp(d->resources.items[i].kind, "account") == 0) continue;
        measure_flow(d, &d->resources.items[i], true, window);
        measure_flow(d, &d->resources.items[i], false, window);
    }
    if (d->main)
        d->culprit = facts_flow(d, d->main->resource, ddbsim_reason_is_write(d->main->reason));
}
