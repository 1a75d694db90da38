/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the commands of CloudWatch answer, as JSON (CloudWatch API reference, GetMetricData and GetMetricStatistics),
 * and the queries of GetMetricData: a list of MetricDataQuery, alone or in the command's own input, or in one document
 * with the answer. A document is read whole; what is wrong in it is told by its path.
 */
#include <workloads/replay/cloudwatch_parts.h>

#include <base/error.h>
#include <base/types.h>
#include <base/vector.h>
#include <stdio.h>
#include <string.h>

#define PATH_BYTES 96

static const char *text_of(const json_t *object, const char *name) {
    return json_string_value(json_object_get(object, name));
}

/* ---- queries ---- */

static enum ddbsim_status read_dimensions(struct cloudwatch *cloudwatch, const json_t *list,
                                          struct cloudwatch_key *key, const char *path,
                                          struct ddbsim_error *error) {
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item) {
        const char *name = text_of(item, "Name"), *value = text_of(item, "Value");
        if (!name || !value)
            return cloudwatch_refuse(cloudwatch, path, error,
                                     "dimension %zu has no Name and Value that are texts", i);
        if (!cloudwatch_set_dimension(cloudwatch, name, value, key)) return error_memory(error);
    }
    key->is_account = !key->table;
    return DDBSIM_OK;
}

static enum ddbsim_status read_stat(struct cloudwatch *cloudwatch, const json_t *stat,
                                    struct cloudwatch_key *key, const char *path,
                                    struct ddbsim_error *error) {
    const json_t *metric = json_object_get(stat, "Metric");
    const char *space = text_of(metric, "Namespace"), *name = text_of(metric, "MetricName");
    const json_t *period = json_object_get(stat, "Period");
    const char *statistic = text_of(stat, "Stat");
    if (!space || !name || !statistic || !json_is_integer(period))
        return cloudwatch_refuse(cloudwatch, path, error,
                                 "MetricStat must have Metric.Namespace, Metric.MetricName, Period "
                                 "and Stat");
    key->period_s = json_integer_value(period);
    if (key->period_s < 60 || key->period_s > CLOUDWATCH_PERIOD_MAX || key->period_s % 60 != 0)
        return cloudwatch_refuse(
            cloudwatch, path, error,
            "Period is %lld: DynamoDB's metrics have periods of whole minutes, "
            "up to a day",
            (long long)key->period_s);
    cloudwatch_set_metric(cloudwatch, space, name, key);
    cloudwatch_set_statistic(cloudwatch, statistic, key);
    return read_dimensions(cloudwatch, json_object_get(metric, "Dimensions"), key, path, error);
}

static enum ddbsim_status add_query(struct cloudwatch *cloudwatch, const json_t *item,
                                    const char *path, struct ddbsim_error *error) {
    void *queries = cloudwatch->queries;
    const char *id = text_of(item, "Id");
    const json_t *stat = json_object_get(item, "MetricStat");
    struct cloudwatch_query query = {.file = (uint32_t)cloudwatch->file_count - 1,
                                     .key = cloudwatch_open_key()};
    if (!id) return cloudwatch_refuse(cloudwatch, path, error, "a query without Id");
    query.id = cloudwatch_keep(cloudwatch, id, strlen(id));
    if (!query.id || !vector_reserve(&queries, &cloudwatch->query_capacity,
                                     cloudwatch->query_count + 1, sizeof query))
        return error_memory(error);
    cloudwatch->queries = queries;
    enum ddbsim_status status = DDBSIM_OK;
    if (stat) {
        status = read_stat(cloudwatch, stat, &query.key, path, error);
    } else {
        cloudwatch->facts.expressions++;
        query.key.is_passed = true;
    }
    cloudwatch->queries[cloudwatch->query_count++] = query;
    return status;
}

static enum ddbsim_status read_queries(struct cloudwatch *cloudwatch, const json_t *list,
                                       struct ddbsim_error *error) {
    size_t i;
    const json_t *item;
    enum ddbsim_status status = DDBSIM_OK;
    if (!json_is_array(list))
        return cloudwatch_refuse(cloudwatch, "MetricDataQueries", error, "a list is wanted");
    json_array_foreach(list, i, item) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "MetricDataQueries[%zu]", i);
        if (status == DDBSIM_OK) status = add_query(cloudwatch, item, path, error);
    }
    return status;
}

/* ---- GetMetricData ---- */

static enum ddbsim_status add_value(struct cloudwatch *cloudwatch, size_t result,
                                    const json_t *time, const json_t *value, size_t number,
                                    const char *list, struct ddbsim_error *error) {
    char path[PATH_BYTES + 32];
    struct cloudwatch_found found = {
        .statistic = CLOUDWATCH_OPEN, .place = number + 1, .path = path};
    snprintf(path, sizeof path, "%.80s.Timestamps[%zu]", list, number);
    if (!cloudwatch_time_of_json(time, &found.t_s))
        return cloudwatch_bad(cloudwatch, 0, path, error, "'%.40s' is no time of this century",
                              json_is_string(time) ? json_string_value(time) : "what stands here");
    snprintf(path, sizeof path, "%.80s.Values[%zu]", list, number);
    if (!json_is_number(value))
        return cloudwatch_bad(cloudwatch, 0, path, error, "a number is wanted");
    found.value = json_number_value(value);
    return cloudwatch_add(cloudwatch, result, &found, error);
}

/* Id and Label, where they are texts. */
static enum ddbsim_status name_result(struct cloudwatch *cloudwatch,
                                      struct cloudwatch_result *result, const json_t *object,
                                      struct ddbsim_error *error) {
    const char *id = text_of(object, "Id"), *label = text_of(object, "Label");
    if (id && !(result->id = cloudwatch_keep(cloudwatch, id, strlen(id))))
        return error_memory(error);
    if (label && !(result->label = cloudwatch_keep(cloudwatch, label, strlen(label))))
        return error_memory(error);
    return DDBSIM_OK;
}

static enum ddbsim_status read_result(struct cloudwatch *cloudwatch, const json_t *item,
                                      const char *path, struct ddbsim_error *error) {
    const json_t *times = json_object_get(item, "Timestamps");
    const json_t *values = json_object_get(item, "Values");
    const char *code = text_of(item, "StatusCode");
    if (!json_is_array(times) || !json_is_array(values))
        return cloudwatch_refuse(cloudwatch, path, error,
                                 "Timestamps and Values must both be lists");
    if (json_array_size(times) != json_array_size(values))
        return cloudwatch_refuse(cloudwatch, path, error, "%zu Timestamps and %zu Values",
                                 json_array_size(times), json_array_size(values));
    size_t number = cloudwatch->result_count;
    struct cloudwatch_result *result = cloudwatch_add_result(cloudwatch);
    enum ddbsim_status status =
        result ? name_result(cloudwatch, result, item, error) : error_memory(error);
    if (code && strcmp(code, "PartialData") == 0) cloudwatch->facts.unfinished++;
    for (size_t i = 0; i < json_array_size(values) && status == DDBSIM_OK; i++)
        status = add_value(cloudwatch, number, json_array_get(times, i), json_array_get(values, i),
                           i, path, error);
    return status;
}

static enum ddbsim_status read_data(struct cloudwatch *cloudwatch, const json_t *root,
                                    struct ddbsim_error *error) {
    const json_t *results = json_object_get(root, "MetricDataResults"), *item;
    const json_t *queries = json_object_get(root, "MetricDataQueries");
    enum ddbsim_status status = DDBSIM_OK;
    size_t i;
    if (!json_is_array(results))
        return cloudwatch_refuse(cloudwatch, "MetricDataResults", error, "a list is wanted");
    if (json_is_string(json_object_get(root, "NextToken"))) cloudwatch->facts.unfinished++;
    if (queries) status = read_queries(cloudwatch, queries, error);
    json_array_foreach(results, i, item) {
        char path[PATH_BYTES];
        snprintf(path, sizeof path, "MetricDataResults[%zu]", i);
        if (status == DDBSIM_OK) status = read_result(cloudwatch, item, path, error);
    }
    return status;
}

/* ---- GetMetricStatistics ---- */

static enum ddbsim_status add_statistics(struct cloudwatch *cloudwatch, size_t result,
                                         const json_t *values, struct cloudwatch_found *found,
                                         const char *list, struct ddbsim_error *error) {
    char path[PATH_BYTES + 32];
    enum ddbsim_status status = DDBSIM_OK;
    const char *before = found->path;
    found->path = path;
    for (int i = 0; i < CLOUDWATCH_STATISTIC_KINDS && status == DDBSIM_OK; i++) {
        const json_t *value = json_object_get(values, cloudwatch_statistic_name(i));
        if (!value) continue;
        snprintf(path, sizeof path, "%.80s.%s", list, cloudwatch_statistic_name(i));
        found->statistic = i;
        found->value = json_number_value(value);
        status = json_is_number(value)
                     ? cloudwatch_add(cloudwatch, result, found, error)
                     : cloudwatch_bad(cloudwatch, 0, path, error, "a number is wanted");
    }
    found->path = before;
    return status;
}

static enum ddbsim_status read_datapoint(struct cloudwatch *cloudwatch, size_t result,
                                         const json_t *item, size_t number, const char *metric_unit,
                                         struct ddbsim_error *error) {
    char path[PATH_BYTES];
    struct cloudwatch_found found = {.place = number + 1};
    const char *unit = text_of(item, "Unit");
    snprintf(path, sizeof path, "Datapoints[%zu]", number);
    if (!cloudwatch_time_of_json(json_object_get(item, "Timestamp"), &found.t_s))
        return cloudwatch_bad(cloudwatch, 0, path, error, "no Timestamp of this century");
    if (unit && metric_unit && strcmp(unit, metric_unit) != 0 && strcmp(unit, "None") != 0)
        return cloudwatch_bad(cloudwatch, 0, path, error, "the Unit is %.40s: this metric has %s",
                              unit, metric_unit);
    enum ddbsim_status status = add_statistics(cloudwatch, result, item, &found, path, error);
    const json_t *extended = json_object_get(item, "ExtendedStatistics");
    return status == DDBSIM_OK && extended
               ? add_statistics(cloudwatch, result, extended, &found, path, error)
               : status;
}

static enum ddbsim_status read_statistics(struct cloudwatch *cloudwatch, const json_t *root,
                                          struct ddbsim_error *error) {
    const json_t *list = json_object_get(root, "Datapoints"), *item;
    const char *label = text_of(root, "Label");
    size_t i, number = cloudwatch->result_count;
    if (!json_is_array(list))
        return cloudwatch_refuse(cloudwatch, "Datapoints", error, "a list is wanted");
    struct cloudwatch_result *result = cloudwatch_add_result(cloudwatch);
    enum ddbsim_status status =
        result ? name_result(cloudwatch, result, root, error) : error_memory(error);
    int metric = label ? ddbsim_name_find(ddbsim_metric_name, label) : -1;
    const char *unit = metric >= 0 ? ddbsim_metric_unit(metric) : NULL;
    if (status == DDBSIM_OK) result->key.statistic = CLOUDWATCH_SUM; /* each point has its own */
    json_array_foreach(list, i, item) {
        if (status == DDBSIM_OK) status = read_datapoint(cloudwatch, number, item, i, unit, error);
    }
    return status;
}

/* ---- documents ---- */

static enum ddbsim_status read_root(struct cloudwatch *cloudwatch, const json_t *root,
                                    struct ddbsim_error *error) {
    const json_t *queries = json_object_get(root, "MetricDataQueries");
    if (cloudwatch->shape == CLOUDWATCH_DATA) return read_data(cloudwatch, root, error);
    if (cloudwatch->shape == CLOUDWATCH_STATISTICS) return read_statistics(cloudwatch, root, error);
    return read_queries(cloudwatch, json_is_array(root) ? root : queries, error);
}

enum ddbsim_status cloudwatch_take_document(struct cloudwatch *cloudwatch,
                                            struct ddbsim_error *error) {
    json_error_t wrong;
    const struct buffer *text = &cloudwatch->text;
    const char *bytes = text->length > 0 ? text->bytes : "";
    size_t length = text->length;
    if (length >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        bytes += 3;
        length -= 3;
    }
    json_t *root = json_loadb(bytes, length, JSON_REJECT_DUPLICATES, &wrong);
    if (!root && json_error_code(&wrong) == json_error_out_of_memory) return error_memory(error);
    if (!root) {
        (void)error_set(error, DDBSIM_INPUT, "no JSON: %.150s%s", wrong.text,
                        json_error_code(&wrong) == json_error_premature_end_of_input
                            ? "; the file is cut off"
                            : "");
        error_place(error, cloudwatch->files[cloudwatch->file_count - 1], wrong.line, wrong.column);
        return DDBSIM_INPUT;
    }
    enum ddbsim_status status = read_root(cloudwatch, root, error);
    json_decref(root);
    return status;
}
