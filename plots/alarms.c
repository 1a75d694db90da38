/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading alarms. An alarm rings when an event says that it went to ALARM: the evaluation, which comes
 * some minutes after the period that it judges (M-90, M-91). Auto scaling's own alarms have no settings: their
 * names are AWS's, TargetTracking-table/T/index/I-AlarmHigh-write, and are compared whole, never parsed.
 */
#include <plots/alarms.h>
#include <plots/words.h>

#include <base/error.h>
#include <base/vector.h>
#include <ddbsim/names.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *metric_of_units(bool write) {
    return ddbsim_metric_name(write ? DDBSIM_METRIC_CONSUMED_WRITE : DDBSIM_METRIC_CONSUMED_READ);
}

bool alarm_of_units(const struct alarm *alarm, bool write) {
    return strcmp(alarm->metric, metric_of_units(write)) == 0;
}

static bool is_tracking(const char *name, const struct query_resource *resource, bool write,
                        enum alarm_owner owner) {
    char own[1024];
    snprintf(own, sizeof own, "TargetTracking-table/%s%s%s-Alarm%s-%s", resource->table,
             resource->index ? "/index/" : "", resource->index ? resource->index : "",
             owner == ALARM_SCALE_OUT ? "High" : "Low", write ? "write" : "read");
    return strcmp(name, own) == 0;
}

/* True where it is auto scaling's. A copy that fails leaves metric NULL. */
static bool read_tracking(const struct query_resources *resources, struct alarm *alarm) {
    if (strncmp(alarm->name, "TargetTracking-", 15) != 0) return false;
    for (size_t i = 0; i < 4 * resources->count; i++) {
        const struct query_resource *resource = &resources->items[i / 4];
        bool write = i % 2 == 0;
        enum alarm_owner owner = i % 4 < 2 ? ALARM_SCALE_OUT : ALARM_SCALE_IN;
        if (!is_tracking(alarm->name, resource, write, owner)) continue;
        alarm->owner = owner;
        alarm->resource = resource;
        alarm->below = owner == ALARM_SCALE_IN;
        alarm->metric = strdup(metric_of_units(write));
        return true;
    }
    return false;
}

/* What an alarm's settings say, by the last step of the path; NULL where they do not. For free(). */
static enum ddbsim_status read_setting(struct sqlite3 *database, int64_t run_id, const char *name,
                                       const char *key, char **out, struct ddbsim_error *error) {
    return query_one_text(
        database, error, out,
        "SELECT value FROM setting WHERE run_id = ? AND path = 'alarms.' || ? || '.' || ?", "itt",
        run_id, name, key);
}

static const struct query_resource *find_resource(const struct query_resources *resources,
                                                  const char *table, const char *index) {
    for (size_t i = 0; table && i < resources->count; i++) {
        const struct query_resource *resource = &resources->items[i];
        bool same = !resource->index == !index && (!index || strcmp(resource->index, index) == 0);
        if (same && strcmp(resource->kind, "account") != 0 && strcmp(resource->table, table) == 0)
            return resource;
    }
    return NULL;
}

static enum ddbsim_status read_user(struct sqlite3 *database, int64_t run_id,
                                    const struct query_resources *resources, struct alarm *alarm,
                                    struct ddbsim_error *error) {
    char *table = NULL, *index = NULL, *comparison = NULL, *metric = NULL;
    char *name = words_path_name(alarm->name);
    enum ddbsim_status status = name ? DDBSIM_OK : error_memory(error);
    if (status == DDBSIM_OK) status = read_setting(database, run_id, name, "table", &table, error);
    if (status == DDBSIM_OK) status = read_setting(database, run_id, name, "index", &index, error);
    if (status == DDBSIM_OK)
        status = read_setting(database, run_id, name, "comparison", &comparison, error);
    if (status == DDBSIM_OK)
        status = read_setting(database, run_id, name, "metric", &metric, error);
    alarm->resource = find_resource(resources, table, index);
    alarm->below = comparison && comparison[0] == '<';
    alarm->metric = metric ? metric : strdup("");
    free(name);
    free(table);
    free(index);
    free(comparison);
    return status;
}

static enum ddbsim_status read_names(struct sqlite3 *database, int64_t run_id,
                                     struct alarms *alarms, struct ddbsim_error *error) {
    struct query query;
    void *items = NULL;
    size_t capacity = 0;
    query_open(
        &query, database, error,
        "WITH rung AS (SELECT json_extract(detail, '$.alarm') AS name, min(t_ns) AS t_ns,"
        " count(*) AS n FROM event WHERE run_id = ?1 AND kind = 'alarm'"
        " AND json_extract(iif(json_valid(detail), detail, '{}'), '$.to') = 'ALARM' GROUP BY name)"
        " SELECT coalesce(s.alarm, ''), coalesce(r.t_ns / 1000000000, -1), coalesce(r.n, 0), s.n "
        "FROM"
        " (SELECT alarm, count(value) AS n FROM alarm_sample WHERE run_id = ?1 GROUP BY alarm) s"
        " LEFT JOIN rung r ON r.name = s.alarm ORDER BY s.alarm LIMIT ?2",
        "ii", run_id, (int64_t)ALARMS_MOST);
    while (query_next(&query)) {
        char *name = query_copy(&query, 0);
        if (!name || !vector_reserve(&items, &capacity, alarms->count + 1, sizeof(struct alarm))) {
            free(name);
            (void)query_close(&query);
            return error_memory(error);
        }
        alarms->items = items;
        alarms->items[alarms->count++] = (struct alarm){.name = name,
                                                        .rang_s = query_seconds(&query, 1),
                                                        .rings = query_int(&query, 2),
                                                        .datapoints = query_int(&query, 3)};
    }
    return query_close(&query);
}

enum ddbsim_status alarms_read(struct sqlite3 *database, int64_t run_id,
                               const struct query_resources *resources, struct alarms *out,
                               struct ddbsim_error *error) {
    bool there = false;
    *out = (struct alarms){NULL, 0};
    enum ddbsim_status status = query_has(database, error, "alarm_sample", &there);
    if (status == DDBSIM_OK && there) status = read_names(database, run_id, out, error);
    for (size_t i = 0; status == DDBSIM_OK && i < out->count; i++) {
        struct alarm *alarm = &out->items[i];
        if (!read_tracking(resources, alarm))
            status = read_user(database, run_id, resources, alarm, error);
        if (status == DDBSIM_OK && !alarm->metric) status = error_memory(error);
    }
    if (status != DDBSIM_OK) alarms_clear(out);
    return status;
}

void alarms_clear(struct alarms *alarms) {
    for (size_t i = 0; i < alarms->count; i++) {
        free(alarms->items[i].name);
        free(alarms->items[i].metric);
    }
    free(alarms->items);
    *alarms = (struct alarms){NULL, 0};
}

const struct alarm *alarms_of_scaling(const struct alarms *alarms,
                                      const struct query_resource *resource, bool write,
                                      enum alarm_owner owner) {
    for (size_t i = 0; i < alarms->count; i++) {
        const struct alarm *alarm = &alarms->items[i];
        if (alarm->owner == owner && alarm->resource == resource && alarm_of_units(alarm, write))
            return alarm;
    }
    return NULL;
}
