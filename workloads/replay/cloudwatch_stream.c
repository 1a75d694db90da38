/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Metric streams (CloudWatch user guide, metric streams, JSON format): an object a line, one datapoint each, which says
 * everything itself. A line that is wrong is a bad row: the stream goes on behind it. Lines of one series come once a
 * minute, among those of all others, in the same order each time; so the series of a line is looked for behind that of
 * the last one.
 */
#include <workloads/replay/cloudwatch_parts.h>

#include <base/error.h>
#include <base/types.h>
#include <string.h>

#define STREAM_PERIOD_S 60 /* of all metrics that AWS streams */

static const struct {
    const char *name;
    int statistic;
} values[] = {{"count", CLOUDWATCH_SAMPLE_COUNT},
              {"sum", CLOUDWATCH_SUM},
              {"max", CLOUDWATCH_MAXIMUM},
              {"min", CLOUDWATCH_MINIMUM},
              {"p50", CLOUDWATCH_P50},
              {"p90", CLOUDWATCH_P90},
              {"p99", CLOUDWATCH_P99}};

static bool same(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : "") == 0; }

static bool is_key(const struct cloudwatch_key *a, const struct cloudwatch_key *b) {
    return a->metric == b->metric && a->operation == b->operation && same(a->table, b->table) &&
           same(a->index, b->index) && same(a->dimension, b->dimension);
}

static bool find_result(struct cloudwatch *cloudwatch, const struct cloudwatch_key *key,
                        size_t *number) {
    size_t count = cloudwatch->result_count;
    for (size_t i = 1; i <= count; i++) {
        size_t at = (cloudwatch->last_result + i) % count;
        const struct cloudwatch_result *result = &cloudwatch->results[at];
        if (result->file + 1 != cloudwatch->file_count || !is_key(&result->key, key)) continue;
        *number = at;
        return true;
    }
    *number = count;
    return false;
}

/* Texts of the key are the line's until a result keeps them. */
static bool keep_key(struct cloudwatch *cloudwatch, struct cloudwatch_key *key) {
    const char **texts[] = {&key->table, &key->index, &key->dimension};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (!*texts[i]) continue;
        *texts[i] = cloudwatch_keep(cloudwatch, *texts[i], strlen(*texts[i]));
        if (!*texts[i]) return false;
    }
    return true;
}

static enum ddbsim_status result_of(struct cloudwatch *cloudwatch, struct cloudwatch_key *key,
                                    size_t *number, struct ddbsim_error *error) {
    if (!find_result(cloudwatch, key, number)) {
        struct cloudwatch_result *result =
            keep_key(cloudwatch, key) ? cloudwatch_add_result(cloudwatch) : NULL;
        if (!result) return error_memory(error);
        result->key = *key;
    }
    cloudwatch->last_result = *number;
    return DDBSIM_OK;
}

static void set_dimension(const char *name, const char *value, struct cloudwatch_key *key) {
    int operation = ddbsim_name_find(ddbsim_operation_name, value);
    if (strcmp(name, "TableName") == 0)
        key->table = value;
    else if (strcmp(name, "GlobalSecondaryIndexName") == 0)
        key->index = value;
    else if (strcmp(name, "Operation") == 0 && operation >= 0)
        key->operation = operation;
    else
        key->dimension = value;
}

/* False where a dimension is no text. */
static bool read_dimensions(const json_t *object, struct cloudwatch_key *key) {
    const char *name;
    json_t *value;
    if (!json_is_object(object)) return false;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        if (!json_is_string(value)) return false;
        set_dimension(name, json_string_value(value), key);
    }
    key->is_account = !key->table;
    return true;
}

static enum ddbsim_status add_values(struct cloudwatch *cloudwatch, size_t result, int64_t t_s,
                                     const json_t *object, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < sizeof values / sizeof values[0] && status == DDBSIM_OK; i++) {
        const json_t *value = json_object_get(object, values[i].name);
        if (!value) continue;
        if (!json_is_number(value))
            return cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error,
                                  "value.%s is no number", values[i].name);
        const struct cloudwatch_found found = {.t_s = t_s,
                                               .value = json_number_value(value),
                                               .statistic = values[i].statistic,
                                               .place = cloudwatch->line};
        status = cloudwatch_add(cloudwatch, result, &found, error);
    }
    return status;
}

static enum ddbsim_status take_object(struct cloudwatch *cloudwatch, const json_t *object,
                                      struct ddbsim_error *error) {
    struct cloudwatch_key key = cloudwatch_open_key();
    const json_t *space = json_object_get(object, "namespace");
    const json_t *name = json_object_get(object, "metric_name");
    const json_t *value = json_object_get(object, "value");
    const json_t *unit = json_object_get(object, "unit");
    size_t result;
    int64_t t_s;
    if (!json_is_string(space) || !json_is_string(name) || !json_is_object(value))
        return cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error,
                              "no object with namespace, metric_name and value");
    cloudwatch_set_metric(cloudwatch, json_string_value(space), json_string_value(name), &key);
    if (key.is_passed) return DDBSIM_OK;
    key.statistic = CLOUDWATCH_SUM; /* each point has its own */
    key.period_s = STREAM_PERIOD_S;
    if (!read_dimensions(json_object_get(object, "dimensions"), &key))
        return cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error,
                              "dimensions must be an object of texts");
    if (!cloudwatch_time_of_json(json_object_get(object, "timestamp"), &t_s))
        return cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error,
                              "no timestamp of this century");
    if (json_is_string(unit) &&
        strcmp(json_string_value(unit), ddbsim_metric_unit(key.metric)) != 0)
        return cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error,
                              "the unit is %.40s: this metric has %s", json_string_value(unit),
                              ddbsim_metric_unit(key.metric));
    enum ddbsim_status status = result_of(cloudwatch, &key, &result, error);
    return status == DDBSIM_OK ? add_values(cloudwatch, result, t_s, value, error) : status;
}

static bool is_blank(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!strchr(" \t\r", text[i])) return false;
    return true;
}

enum ddbsim_status cloudwatch_take_line(struct cloudwatch *cloudwatch, const char *text,
                                        size_t length, struct ddbsim_error *error) {
    json_error_t wrong;
    if (cloudwatch->line == 1 && length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        length -= 3;
    }
    if (is_blank(text, length)) return DDBSIM_OK;
    json_t *object = json_loadb(text, length, JSON_REJECT_DUPLICATES, &wrong);
    if (!object && json_error_code(&wrong) == json_error_out_of_memory) return error_memory(error);
    if (!object)
        return cloudwatch_bad(cloudwatch, cloudwatch->line, NULL, error, "no JSON: %.120s",
                              wrong.text);
    enum ddbsim_status status = take_object(cloudwatch, object, error);
    json_decref(object);
    return status;
}
