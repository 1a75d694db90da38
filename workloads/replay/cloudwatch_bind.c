/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What values are of. In this order, and what an earlier one says a later one does not change:
 *
 *   1. a map of the user's, for an Id, a label or a file;
 *   2. what stands beside the values: dimensions of a metric stream;
 *   3. the query with the same Id, in the same file, else in any other that has one of that Id;
 *   4. the label: TABLE [INDEX] [OPERATION] METRIC [STATISTIC], words in any order in which table stands before
 *      index; names of dimensions (TableName: carritos) are understood;
 *   5. the table: the one that the options name, else the one whose name is in the file's, else the only one that
 *      anything names. The file's name may say the index as well.
 *
 * A metric of no table is the account's only where it is one that the account has (UserErrors). A period that nobody
 * says is the largest that all distances between the times of that file's open results are multiples of.
 */
#include <workloads/replay/cloudwatch_parts.h>

#include <base/check.h>
#include <base/error.h>
#include <base/types.h>
#include <base/vector.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MINUTE_S 60
#define WORDS_MAX 8 /* of a label, that are neither metric nor statistic nor operation */

/* ---- words ---- */

static int statistic_of(const char *name) {
    for (int i = 0; i < CLOUDWATCH_STATISTIC_KINDS; i++)
        if (strcasecmp(cloudwatch_statistic_name(i), name) == 0) return i;
    return CLOUDWATCH_OPEN;
}

void cloudwatch_set_metric(struct cloudwatch *cloudwatch, const char *space, const char *name,
                           struct cloudwatch_key *key) {
    struct cloudwatch_facts *facts = &cloudwatch->facts;
    key->metric = ddbsim_name_find(ddbsim_metric_name, name);
    if (strcmp(space, "AWS/DynamoDB") != 0) {
        facts->foreign++;
        key->is_passed = true;
    } else if (key->metric < 0) {
        if (facts->unknown_metrics++ == 0)
            snprintf(facts->first_unknown, sizeof facts->first_unknown, "%.60s", name);
        key->is_passed = true;
    }
}

void cloudwatch_set_statistic(struct cloudwatch *cloudwatch, const char *name,
                              struct cloudwatch_key *key) {
    key->statistic = statistic_of(name);
    if (key->statistic >= 0 || key->is_passed) return;
    cloudwatch->facts.other_statistics++;
    key->is_passed = true;
}

static bool keep_text(struct cloudwatch *cloudwatch, const char *text, const char **out) {
    *out = cloudwatch_keep(cloudwatch, text, strlen(text));
    return *out != NULL;
}

bool cloudwatch_set_dimension(struct cloudwatch *cloudwatch, const char *name, const char *value,
                              struct cloudwatch_key *key) {
    if (strcmp(name, "TableName") == 0) return keep_text(cloudwatch, value, &key->table);
    if (strcmp(name, "GlobalSecondaryIndexName") == 0)
        return keep_text(cloudwatch, value, &key->index);
    if (strcmp(name, "Operation") == 0) {
        key->operation = ddbsim_name_find(ddbsim_operation_name, value);
        if (key->operation >= 0) return true;
    }
    /* Source, ReceivingRegion, StreamLabel, and operations that are not known here, as they are. */
    return keep_text(cloudwatch, value, &key->dimension);
}

/* A label under way. */
struct label {
    const char *next; /* the dimension whose value the next word is; NULL: none */
    char words[WORDS_MAX][CLOUDWATCH_NAME_MAX + 1];
    int count; /* may be larger than there is room for */
};

static bool is_period(const char *word, const struct cloudwatch_key *key) {
    size_t length = strlen(word);
    return key->metric >= 0 && length < 6 && strspn(word, "0123456789") == length &&
           atoi(word) % MINUTE_S == 0 && atoi(word) > 0 && atoi(word) <= CLOUDWATCH_PERIOD_MAX;
}

static const char *dimension_name(const char *word) {
    static const char *const names[] = {"TableName", "GlobalSecondaryIndexName", "Operation"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], word) == 0) return names[i];
    return NULL;
}

/* False where memory is short. */
static bool take_word(struct cloudwatch *cloudwatch, struct label *label, const char *word,
                      struct cloudwatch_key *key) {
    int metric = ddbsim_name_find(ddbsim_metric_name, word), statistic = statistic_of(word);
    int operation = ddbsim_name_find(ddbsim_operation_name, word);
    const char *dimension = label->next;
    label->next = dimension_name(word);
    if (label->next || strcmp(word, "AWS") == 0 || strcmp(word, "DynamoDB") == 0) return true;
    if (dimension) return cloudwatch_set_dimension(cloudwatch, dimension, word, key);
    if (metric >= 0) {
        if (key->metric < 0) key->metric = metric;
    } else if (statistic >= 0) {
        if (key->statistic < 0) key->statistic = statistic;
    } else if (operation >= 0) {
        if (key->operation < 0) key->operation = operation;
    } else if (is_period(word, key)) {
        if (key->period_s == 0) key->period_s = atoi(word);
    } else {
        if (label->count < WORDS_MAX)
            snprintf(label->words[label->count], sizeof label->words[0], "%s", word);
        label->count++;
    }
    return true;
}

static bool is_known(const struct cloudwatch *cloudwatch, const char *table, const char *index) {
    for (size_t i = 0; i < cloudwatch->name_count; i++) {
        const struct cloudwatch_name *name = &cloudwatch->names[i];
        if (strcmp(name->table, table) == 0 &&
            (index ? name->index && strcmp(name->index, index) == 0 : !name->index))
            return true;
    }
    return false;
}

/* Which of the words are table and index: known ones, else in their order, where there are no more than two. */
static bool place_words(struct cloudwatch *cloudwatch, const struct label *label,
                        struct cloudwatch_key *key) {
    int count = label->count < WORDS_MAX ? label->count : WORDS_MAX, table = -1;
    bool good = true;
    for (int i = 0; i < count && table < 0 && !key->table; i++)
        if (is_known(cloudwatch, label->words[i], NULL)) table = i;
    if (table < 0 && !key->table && label->count > 0 && label->count <= 2) table = 0;
    if (table >= 0) good = keep_text(cloudwatch, label->words[table], &key->table);
    if (!key->table || key->index) return good;
    for (int i = 0; i < count && !key->index; i++)
        if (i != table && (is_known(cloudwatch, key->table, label->words[i]) ||
                           (table == 0 && label->count == 2)))
            good = good && keep_text(cloudwatch, label->words[i], &key->index);
    return good;
}

enum ddbsim_status cloudwatch_read_label(struct cloudwatch *cloudwatch, const char *text,
                                         struct cloudwatch_key *key, struct ddbsim_error *error) {
    struct label label = {.count = 0};
    for (const char *at = text; *at;) {
        char word[CLOUDWATCH_NAME_MAX + 1];
        size_t length = 0;
        while (isalnum((unsigned char)at[length]) || (at[length] && strchr("_.-", at[length])))
            length++;
        if (length > 0 && length <= CLOUDWATCH_NAME_MAX) {
            memcpy(word, at, length);
            word[length] = '\0';
            if (!take_word(cloudwatch, &label, word, key)) return error_memory(error);
        }
        at += length > 0 ? length : 1;
    }
    return place_words(cloudwatch, &label, key) ? DDBSIM_OK : error_memory(error);
}

/* ---- maps ---- */

static enum ddbsim_status read_map(struct cloudwatch *cloudwatch, const char *text,
                                   struct cloudwatch_map *map, struct ddbsim_error *error) {
    const char *equals = strrchr(text, '=');
    map->key = cloudwatch_open_key();
    if (!equals || equals == text) {
        error_hint(error, "such as --map 'm1=orders by-state ConsumedWriteCapacityUnits Sum'");
        return error_set(error, DDBSIM_INPUT, "--map %.200s: ID=TABLE [INDEX] METRIC is wanted",
                         text);
    }
    map->of = cloudwatch_keep(cloudwatch, text, (size_t)(equals - text));
    return map->of ? cloudwatch_read_label(cloudwatch, equals + 1, &map->key, error)
                   : error_memory(error);
}

enum ddbsim_status cloudwatch_read_maps(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    const struct cloudwatch_options *options = cloudwatch->options;
    enum ddbsim_status status = DDBSIM_OK;
    cloudwatch->maps =
        arena_alloc(cloudwatch->arena, options->map_count + 1, sizeof *cloudwatch->maps);
    if (!cloudwatch->maps) return error_memory(error);
    for (size_t i = 0; i < options->map_count && status == DDBSIM_OK; i++)
        status = read_map(cloudwatch, options->maps[i], &cloudwatch->maps[i], error);
    return status;
}

/* ---- binding ---- */

/* What `from` says and `key` does not. */
static void fill(struct cloudwatch_key *key, const struct cloudwatch_key *from) {
    if (!key->table) key->table = from->table;
    if (!key->index) key->index = from->index;
    if (!key->dimension) key->dimension = from->dimension;
    if (key->operation < 0) key->operation = from->operation;
    if (key->metric < 0) key->metric = from->metric;
    if (key->statistic < 0) key->statistic = from->statistic;
    if (key->period_s == 0) key->period_s = from->period_s;
}

static bool same(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct cloudwatch_key *find_map(const struct cloudwatch *cloudwatch,
                                             const struct cloudwatch_result *result) {
    const char *file = cloudwatch->files[result->file];
    for (size_t i = 0; i < cloudwatch->options->map_count; i++) {
        const struct cloudwatch_map *map = &cloudwatch->maps[i];
        if (same(map->of, result->id) || same(map->of, result->label) || same(map->of, file) ||
            same(map->of, base_name(file)))
            return &map->key;
    }
    return NULL;
}

/* Ids are a file's own; a file without queries has those of another one. */
static const struct cloudwatch_key *find_query(const struct cloudwatch *cloudwatch,
                                               const struct cloudwatch_result *result) {
    const struct cloudwatch_key *other = NULL;
    for (size_t i = 0; i < cloudwatch->query_count; i++) {
        const struct cloudwatch_query *query = &cloudwatch->queries[i];
        if (!same(query->id, result->id)) continue;
        if (query->file == result->file) return &query->key;
        if (!other) other = &query->key;
    }
    return other;
}

/* A name within a file's name, with something else on both sides; the longest such wins. */
static bool stands_in(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        bool begins = at == text || !isalnum((unsigned char)at[-1]);
        if (begins && !isalnum((unsigned char)at[length])) return true;
    }
    return false;
}

static const char *name_in_file(const struct cloudwatch *cloudwatch, const char *file,
                                const char *table) {
    const char *best = NULL;
    for (size_t i = 0; i < cloudwatch->name_count; i++) {
        const struct cloudwatch_name *name = &cloudwatch->names[i];
        const char *text = table ? name->index : name->index ? NULL : name->table;
        if (!text || (table && strcmp(name->table, table) != 0)) continue;
        if (stands_in(base_name(file), text) && (!best || strlen(text) > strlen(best))) best = text;
    }
    return best;
}

/* Metrics that CloudWatch has without a table. */
static bool is_of_account(const struct cloudwatch_key *key) {
    return key->is_account || key->metric == DDBSIM_METRIC_USER_ERRORS;
}

/* The only table that anything names; NULL: none, or several. */
static const char *only_table(const struct cloudwatch *cloudwatch) {
    const char *only = NULL;
    for (size_t i = 0; i < cloudwatch->name_count; i++) {
        if (only && strcmp(only, cloudwatch->names[i].table) != 0) return NULL;
        only = cloudwatch->names[i].table;
    }
    for (size_t i = 0; i < cloudwatch->result_count; i++) {
        const struct cloudwatch_key *key = &cloudwatch->results[i].key;
        if (!key->table || key->is_passed) continue;
        if (only && strcmp(only, key->table) != 0) return NULL;
        only = key->table;
    }
    return only;
}

static void assume_statistic(struct cloudwatch *cloudwatch, struct cloudwatch_key *key) {
    const char *unit = ddbsim_metric_unit(key->metric);
    key->statistic = CLOUDWATCH_SUM;
    if (strcmp(unit, "Milliseconds") == 0) key->statistic = CLOUDWATCH_AVERAGE;
    if (ddbsim_metric_is_level(key->metric)) key->statistic = CLOUDWATCH_MAXIMUM;
    cloudwatch->facts.assumed_statistics++;
}

static enum ddbsim_status cannot_bind(const struct cloudwatch *cloudwatch,
                                      const struct cloudwatch_result *result, const char *what,
                                      struct ddbsim_error *error) {
    const char *name = result->id ? result->id : result->label;
    (void)error_set(error, DDBSIM_INPUT, "nothing says which %s %s%.100s%s is of", what,
                    result->id ? "the result "
                    : name     ? "'"
                               : "it",
                    name ? name : "", result->id || !name ? "" : "'");
    error_place(error, cloudwatch->files[result->file], 0, 0);
    error_hint(error,
               "give the queries' file as well, or say: --map '%.60s=TABLE [INDEX] METRIC "
               "[STATISTIC]'",
               name ? name : base_name(cloudwatch->files[result->file]));
    return DDBSIM_INPUT;
}

/* Steps 1 to 4. */
static enum ddbsim_status bind_words(struct cloudwatch *cloudwatch,
                                     struct cloudwatch_result *result, struct ddbsim_error *error) {
    struct cloudwatch_key label = cloudwatch_open_key(), *key = &result->key;
    const struct cloudwatch_key *map = find_map(cloudwatch, result);
    const struct cloudwatch_key *query = find_query(cloudwatch, result);
    if (key->is_passed) return DDBSIM_OK;
    if (map) {
        struct cloudwatch_key own = *key;
        *key = *map;
        fill(key, &own);
    }
    if (!map && query && query->is_passed) key->is_passed = true; /* counted when it was read */
    if (query) fill(key, query);
    if (key->is_passed || (query && !map) || !result->label) return DDBSIM_OK;
    enum ddbsim_status status = cloudwatch_read_label(cloudwatch, result->label, &label, error);
    if (label.metric >= 0) fill(key, &label);
    return status;
}

/* Step 5, when all else is known. */
static enum ddbsim_status bind_table(struct cloudwatch *cloudwatch,
                                     struct cloudwatch_result *result, const char *only,
                                     struct ddbsim_error *error) {
    struct cloudwatch_key *key = &result->key;
    const char *file = cloudwatch->files[result->file];
    if (key->is_passed) return DDBSIM_OK;
    if (key->metric < 0) return cannot_bind(cloudwatch, result, "metric", error);
    if (key->statistic < 0) assume_statistic(cloudwatch, key);
    if (key->table || is_of_account(key)) return DDBSIM_OK;
    if (!key->table) key->table = cloudwatch->options->table;
    if (!key->table) key->table = name_in_file(cloudwatch, file, NULL);
    if (!key->table) key->table = only;
    if (!key->table) return cannot_bind(cloudwatch, result, "table", error);
    if (!key->index) key->index = name_in_file(cloudwatch, file, key->table);
    return DDBSIM_OK;
}

/* ---- periods ---- */

static int64_t greatest_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Of the times of a file's results that do not say theirs, against the first of them. */
static void infer_periods(struct cloudwatch *cloudwatch, int64_t *periods, int64_t *firsts) {
    for (size_t i = 0; i < cloudwatch->point_count; i++) {
        const struct cloudwatch_point *point = &cloudwatch->points[i];
        const struct cloudwatch_result *result = &cloudwatch->results[point->result];
        if (result->key.period_s != 0 || result->key.is_passed) continue;
        if (firsts[result->file] == 0) firsts[result->file] = point->t_s;
        periods[result->file] =
            greatest_divisor(periods[result->file], llabs(point->t_s - firsts[result->file]));
    }
    for (size_t i = 0; i < cloudwatch->result_count; i++) {
        struct cloudwatch_result *result = &cloudwatch->results[i];
        int64_t period_s = periods[result->file];
        if (result->key.period_s != 0 || result->key.is_passed) continue;
        result->key.period_s =
            period_s == 0 || period_s > CLOUDWATCH_PERIOD_MAX ? MINUTE_S : period_s;
        cloudwatch->facts.inferred_periods++;
    }
}

static enum ddbsim_status bind_periods(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    int64_t *periods = calloc(cloudwatch->file_count + 1, sizeof *periods);
    int64_t *firsts = calloc(cloudwatch->file_count + 1, sizeof *firsts);
    bool good = periods && firsts;
    if (good) infer_periods(cloudwatch, periods, firsts);
    free(periods);
    free(firsts);
    return good ? DDBSIM_OK : error_memory(error);
}

enum ddbsim_status cloudwatch_bind(struct cloudwatch *cloudwatch, struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    for (size_t i = 0; i < cloudwatch->result_count && status == DDBSIM_OK; i++)
        status = bind_words(cloudwatch, &cloudwatch->results[i], error);
    const char *only = only_table(cloudwatch);
    for (size_t i = 0; i < cloudwatch->result_count && status == DDBSIM_OK; i++)
        status = bind_table(cloudwatch, &cloudwatch->results[i], only, error);
    return status == DDBSIM_OK ? bind_periods(cloudwatch, error) : status;
}
