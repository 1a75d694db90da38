/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Surveys a recording. The rows themselves stay in the file: the scenario reads them there, so that nothing of a
 * long recording is kept but counts, and keys up to SURVEY_KEYS_MAX to tell how many there are.
 *
 * Invariant: a workload is made for each table that has rows, with an operation of each kind that its rows have.
 */
#include "survey.h"

#include <base/vector.h>
#include <inttypes.h>
#include <loader/literal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERY_ITEMS 10 /* that a Query reads, where nothing says how many */
#define SCAN_SEGMENTS 1
#define BATCH_GET 100 /* members, where nothing says how many: AWS's limits */
#define BATCH_WRITE 25
#define DAY_NS (86400 * NS_PER_S)
#define LONGEST_NS (400 * DAY_NS) /* of `duration` */

void survey_begin(struct survey *survey, struct import *import, const struct import_file *file) {
    *survey = (struct survey){.import = import, .file = file};
}

void survey_free(struct survey *survey) {
    texts_free(&survey->keys);
    free(survey->key_requests);
}

static bool same(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

static enum ddbsim_status find_table(struct survey *survey, const char *name,
                                     struct survey_table **out, struct ddbsim_error *error) {
    for (uint32_t i = 0; i < survey->table_count; i++) {
        *out = &survey->tables[i];
        if (same((*out)->name, name)) return DDBSIM_OK;
    }
    if (survey->table_count == SURVEY_TABLES_MAX) {
        error_set(error, DDBSIM_INPUT, "the recording is of more than %u tables",
                  SURVEY_TABLES_MAX);
        error_hint(error, "take the rows of those that matter into a file of their own");
        return DDBSIM_INPUT;
    }
    *out = &survey->tables[survey->table_count++];
    **out = (struct survey_table){.name = name ? import_text(survey->import, "%s", name) : NULL};
    return survey->import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}

static enum ddbsim_status count_key(struct survey *survey, struct survey_table *table,
                                    const struct recorded *row, struct ddbsim_error *error) {
    char text[RECORDING_KEY_MAX + 16];
    void *requests = survey->key_requests;
    size_t before = survey->keys.count;
    int length = snprintf(text, sizeof text, "%u:%s", (unsigned)(table - survey->tables), row->key);
    if (before >= SURVEY_KEYS_MAX) {
        survey->full = true;
        return DDBSIM_OK;
    }
    if (!vector_reserve(&requests, &survey->key_capacity, before + 1, sizeof(double)))
        return error_memory(error);
    survey->key_requests = requests;
    uint32_t key = texts_add(&survey->keys, text, (size_t)length);
    if (!key) return error_memory(error);
    table->keys += key > before;
    double all = survey->key_requests[key - 1] += row->count;
    if (all <= table->hottest) return DDBSIM_OK;
    table->hottest = all;
    if (table->hottest_key && !strcmp(table->hottest_key, row->key)) return DDBSIM_OK;
    table->hottest_key = import_text(survey->import, "%s", row->key);
    return DDBSIM_OK;
}

static void count_day(struct survey *survey, int64_t t_ns) {
    int64_t day = floor_div(t_ns, DAY_NS);
    if (survey->rows == 0 || day != survey->day) survey->day_rows = 0;
    survey->day = day;
    if (++survey->day_rows <= survey->busiest_rows) return;
    survey->busiest_rows = survey->day_rows;
    survey->busiest_day = day;
}

enum ddbsim_status survey_add(struct survey *survey, const struct recorded *row,
                              struct ddbsim_error *error) {
    struct survey_table *table;
    enum ddbsim_status status = find_table(survey, row->table, &table, error);
    if (status) return status;
    count_day(survey, row->t_ns);
    if (survey->rows++ == 0) survey->first_ns = row->t_ns;
    survey->last_ns = row->t_ns + row->period_ns;
    int operation = row->operation < 0 ? DDBSIM_OPERATION_KINDS : row->operation;
    table->requests[operation] += row->count;
    table->all += row->count;
    if (row->throttled) table->throttled += row->count;
    if (row->item_bytes > 0) {
        table->sized += row->count;
        table->bytes += row->count * (double)row->item_bytes;
    }
    if (!row->key) return DDBSIM_OK;
    table->keyed += row->count;
    return count_key(survey, table, row, error);
}

/* ---- the workload ---- */

static void put_number(struct import *import, struct yaml_node *node, const char *key,
                       double value) {
    char text[64], shorter[64];
    snprintf(text, sizeof text, "%.3f", value);
    literal_put_decimal(text, shorter, sizeof shorter);
    import_put(import, node, key, "%s", shorter);
}

/* What an operation needs beside its name, which no row says. */
static void put_needs(struct survey *survey, struct yaml_node *node, int operation) {
    struct import *import = survey->import;
    struct yaml_node *line = NULL;
    if (operation == DDBSIM_QUERY) line = import_put(import, node, "items", "%d", QUERY_ITEMS);
    if (operation == DDBSIM_BATCH_GET_ITEM)
        line = import_put(import, node, "batch_size", "%d", BATCH_GET);
    if (operation == DDBSIM_BATCH_WRITE_ITEM)
        line = import_put(import, node, "batch_size", "%d", BATCH_WRITE);
    if (operation == DDBSIM_SCAN)
        line = import_put(import, node, "total_segments", "%d", SCAN_SEGMENTS);
    if (ddbsim_operation_is_transaction(operation)) {
        struct yaml_node *action = import_item(import, import_list(import, node, "actions"));
        import_put(import, action, "entity", IMPORT_ENTITY);
        bool writes = operation == DDBSIM_TRANSACT_WRITE_ITEMS;
        if (writes) import_put(import, action, "operation", "UpdateItem");
    }
    if (!line) return;
    import_comment(import, line, "assumed");
    import_note(import, IMPORT_ASSUMED, survey->file->path, "a %s: %s %s, which no row says",
                ddbsim_operation_name(operation), line->key, line->text);
}

static void put_moment(struct import *import, struct yaml_node *list, int64_t t_ns) {
    const char *text = import_instant(import, floor_div(t_ns, NS_PER_S));
    struct yaml_node *item = import_item(import, list);
    *item = (struct yaml_node){.kind = YAML_SCALAR, .text = text, .quoted = true};
}

static void put_window(struct survey *survey, struct yaml_node *replay) {
    if (!survey->is_long) return;
    struct yaml_node *list = import_list(survey->import, replay, "window");
    put_moment(survey->import, list, survey->busiest_day * DAY_NS);
    put_moment(survey->import, list, (survey->busiest_day + 1) * DAY_NS);
}

static void put_operation(struct survey *survey, struct yaml_node *mix, int operation,
                          double requests) {
    struct import *import = survey->import;
    struct yaml_node *node = import_item(import, mix);
    import_put(import, node, "operation", "%s", ddbsim_operation_name(operation));
    if (!ddbsim_operation_is_transaction(operation) && operation != DDBSIM_SCAN)
        import_put(import, node, "entity", IMPORT_ENTITY);
    put_number(import, node, "weight", requests);
    put_needs(survey, node, operation);
}

/* Rows without an operation do one of the mix: reads, where there is no other. */
static void put_mix(struct survey *survey, struct yaml_node *workload,
                    const struct survey_table *table) {
    struct yaml_node *mix = import_list(survey->import, workload, "mix");
    for (int i = 0; i < DDBSIM_OPERATION_KINDS; i++)
        if (table->requests[i] > 0) put_operation(survey, mix, i, table->requests[i]);
    if (table->requests[DDBSIM_OPERATION_KINDS] <= 0) return;
    if (mix->count == 0) put_operation(survey, mix, DDBSIM_GET_ITEM, 1);
    import_note(survey->import, IMPORT_ASSUMED, survey->file->path,
                "%.0f requests that say no operation are %s",
                table->requests[DDBSIM_OPERATION_KINDS],
                mix->count > 1 ? "as the others are" : "eventual reads of one item");
}

static void note_keys(const struct survey *survey, const struct survey_table *table) {
    struct import *import = survey->import;
    const char *path = survey->file->path;
    if (table->keyed < table->all)
        import_note(
            import, IMPORT_MISSING, path,
            "the partition keys of %.0f of %.0f requests: a report of Contributor Insights or "
            "`values` would say how popular they are",
            table->all - table->keyed, table->all);
    if (!table->hottest_key) return;
    import_note(import, IMPORT_TOOK, path,
                "%s%" PRIu64
                " partition keys; the busiest, %s, has %.3g%% of the requests that name one",
                survey->full ? "more than " : "", table->keys,
                import_mask(import, table->hottest_key, strlen(table->hottest_key)),
                100 * table->hottest / table->keyed);
}

static void note_requests(const struct survey *survey, const struct survey_table *table,
                          const struct survey_replay *replay) {
    struct import *import = survey->import;
    const char *path = survey->file->path, *name = table->name ? table->name : "table";
    import_note(import, IMPORT_TOOK, path, "%.0f requests to %s, %.0f of them throttled",
                table->all, name, table->throttled);
    if (table->throttled > 0 && !replay->throttled_requests && !import->options.client)
        import_note(import, IMPORT_ASSUMED, path,
                    "each throttled request was a call of its own: --client PRESET says how often "
                    "callers try again");
    if (table->sized < table->all && table->sized == 0)
        import_note(
            import, IMPORT_MISSING, path,
            "the sizes of items of %s: the table's description, a stream or an export would "
            "say them",
            name);
}

/* Rows that name no table are of the only one that there is. */
static struct import_table *table_of(struct survey *survey, const struct survey_table *counted) {
    struct import *import = survey->import;
    const char *name = counted->name;
    if (!name && import->tables && !import->tables->next) return import->tables;
    if (!name)
        import_note(
            import, IMPORT_ASSUMED, survey->file->path,
            "the requests are to one table, which is called \"recorded\": no row says which");
    return import_table(import, name ? name : "recorded", survey->file->path);
}

static void take_table(struct survey *survey, struct survey_table *counted,
                       const struct survey_replay *replay) {
    struct import *import = survey->import;
    struct import_table *table = table_of(survey, counted);
    if (!table) return;
    if (table->item_bytes == IMPORT_UNKNOWN && counted->sized > 0)
        table->item_bytes = (int64_t)(counted->bytes / counted->sized + 0.5);
    const char *name =
        import_text(import, "%s-recorded-%zu", table->resource.name, import->file_count);
    struct yaml_node *workload = import_workload(import, table, name ? name : "");
    struct yaml_node *node = import_map(import, workload, "replay");
    counted->table = table;
    counted->replay = node;
    import_put(import, node, "file", "%s", import_path(import, survey->file->path));
    if (replay->format) import_put(import, node, "format", "%s", replay->format);
    if (replay->throttled_requests) import_put(import, node, "throttled_are", "requests");
    put_window(survey, node);
    put_mix(survey, workload, counted);
    import_client(import, workload);
    note_requests(survey, counted, replay);
    note_keys(survey, counted);
}

/* Times from a zero of the recording's own: it begins with its workload. */
static void last(struct survey *survey, const struct survey_replay *replay) {
    struct import *import = survey->import;
    int64_t lasts_ns = survey->last_ns - survey->first_ns + replay->resolution_ns;
    if (lasts_ns > LONGEST_NS)
        import_note(import, IMPORT_PASSED, survey->file->path,
                    "what comes after 400 days: no scenario lasts longer");
    import->lasts_ns = larger(import->lasts_ns, smaller(lasts_ns, LONGEST_NS));
}

/* A scenario lasts so long at most. Of what is longer its busiest day is replayed. */
static void cover(struct survey *survey, const struct survey_replay *replay) {
    int64_t end_ns = survey->last_ns + replay->resolution_ns;
    if (end_ns - survey->first_ns <= LONGEST_NS) {
        import_cover(survey->import, survey->first_ns, end_ns);
        return;
    }
    int64_t day_ns = survey->busiest_day * DAY_NS;
    survey->is_long = true;
    import_cover(survey->import, day_ns, day_ns + DAY_NS);
    import_note(survey->import, IMPORT_PASSED, survey->file->path,
                "%" PRIu64 " of %" PRIu64
                " rows: they cover %.0f days, of which the busiest is replayed",
                survey->rows - survey->busiest_rows, survey->rows,
                (double)(end_ns - survey->first_ns) / (double)DAY_NS);
}

enum ddbsim_status survey_take(struct survey *survey, const struct survey_replay *replay,
                               struct ddbsim_error *error) {
    struct import *import = survey->import;
    if (survey->rows == 0) return DDBSIM_OK;
    if (!strcmp(survey->file->path, "-")) {
        error_set(error, DDBSIM_INPUT, "a recording cannot come from standard input");
        error_hint(error, "the scenario reads it again: give it as a file");
        return DDBSIM_INPUT;
    }
    if (replay->is_absolute)
        cover(survey, replay);
    else
        last(survey, replay);
    if (import->options.mask_keys)
        import_note(import, IMPORT_PASSED, survey->file->path,
                    "--mask-keys masks what is written here: the recording keeps its keys");
    for (uint32_t i = 0; i < survey->table_count; i++) {
        struct survey_table *counted = &survey->tables[i];
        bool stray = !counted->name && survey->table_count > 1;
        if (stray)
            import_note(import, IMPORT_PASSED, survey->file->path,
                        "%.0f requests that name no table, where others do", counted->all);
        else
            take_table(survey, counted, replay);
    }
    return import->short_of_memory ? error_memory(error) : DDBSIM_OK;
}
