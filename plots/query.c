/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The only place where words and pictures meet SQLite: statements, the run's row, its resources,
 * its wall clock. A failing database is told apart: memory and disk are the machine's
 * (environment), a missing table or a malformed file is the input's.
 */
#include <plots/query.h>

#include <base/check.h>

#include <base/buffer.h>
#include <base/error.h>
#include <base/types.h>
#include <base/vector.h>
#include <math.h>
#include <plots/plots.h>
#include <plots/words.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_S INT64_C(86400)
#define REAL_MOST 1e18
#define INT_MOST (INT64_C(1) << 53)
#define START_MOST_S INT64_C(1000000000000) /* of a run: beyond any date with four digits */

static const char *why(const struct query *query, int code) {
    if (!query->database) return "none is open";
    if (code == SQLITE_INTERRUPT) return "it is damaged, and would take for ever to read";
    return sqlite3_errmsg(query->database);
}

static void fail(struct query *query, int code) {
    if (query->status != DDBSIM_OK) return;
    if (code == SQLITE_NOMEM) {
        query->status = error_memory(query->error);
        return;
    }
    bool input = code == SQLITE_ERROR || code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
                 code == SQLITE_MISMATCH || code == SQLITE_TOOBIG || code == SQLITE_INTERRUPT;
    bool first = query->error && query->error->status == DDBSIM_OK;
    query->status = error_set(query->error, input ? DDBSIM_INPUT : DDBSIM_ENVIRONMENT,
                              "the result database cannot be read: %s", why(query, code));
    const char *file = query->database ? sqlite3_db_filename(query->database, "main") : NULL;
    if (first && file && *file) error_place(query->error, file, 0, 0);
}

static int bind_one(struct query *query, int number, char type, va_list *arguments) {
    switch (type) {
    case 'i':
        return sqlite3_bind_int64(query->statement, number, va_arg(*arguments, int64_t));
    case 'd':
        return sqlite3_bind_double(query->statement, number, va_arg(*arguments, double));
    case 't':
        return sqlite3_bind_text(query->statement, number, va_arg(*arguments, const char *), -1,
                                 SQLITE_TRANSIENT);
    default:
        return SQLITE_MISUSE;
    }
}

static void open_with(struct query *query, struct sqlite3 *database, struct ddbsim_error *error,
                      const char *sql, const char *types, va_list *arguments) {
    *query = (struct query){.database = database, .error = error, .status = DDBSIM_OK};
    int code = sqlite3_prepare_v2(database, sql, -1, &query->statement, NULL);
    for (int i = 0; code == SQLITE_OK && types[i]; i++)
        code = bind_one(query, i + 1, types[i], arguments);
    if (code != SQLITE_OK) fail(query, code);
}

void query_open(struct query *query, struct sqlite3 *database, struct ddbsim_error *error,
                const char *sql, const char *types, ...) {
    va_list arguments;
    va_start(arguments, types);
    open_with(query, database, error, sql, types, &arguments);
    va_end(arguments);
}

bool query_next(struct query *query) {
    if (query->status != DDBSIM_OK) return false;
    int code = sqlite3_step(query->statement);
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) fail(query, code);
    return false;
}

bool query_is_null(const struct query *query, int column) {
    return sqlite3_column_type(query->statement, column) == SQLITE_NULL;
}

static void fail_value(struct query *query, int column) {
    if (query->status != DDBSIM_OK) return;
    query->status =
        error_set(query->error, DDBSIM_INPUT, "the result database holds an impossible %s: %.80s",
                  sqlite3_column_name(query->statement, column), query_text(query, column));
    error_place(query->error, sqlite3_db_filename(query->database, "main"), 0, 0);
}

double query_double(struct query *query, int column) {
    if (query_is_null(query, column)) return NAN;
    double value = sqlite3_column_double(query->statement, column);
    if (fabs(value) <= REAL_MOST) return value;
    fail_value(query, column);
    return 0;
}

static int64_t int_within(struct query *query, int column, int64_t most) {
    int64_t value = sqlite3_column_int64(query->statement, column);
    if (value >= -most && value <= most) return value;
    fail_value(query, column);
    return 0;
}

int64_t query_int(struct query *query, int column) { return int_within(query, column, INT_MOST); }

int64_t query_seconds(struct query *query, int column) {
    return int_within(query, column, QUERY_SECONDS_MOST);
}

int64_t query_ns(struct query *query, int column) {
    return int_within(query, column, QUERY_SECONDS_MOST * NS_PER_S);
}

const char *query_text(const struct query *query, int column) {
    const unsigned char *text = sqlite3_column_text(query->statement, column);
    return text ? (const char *)text : "";
}

char *query_copy(struct query *query, int column) {
    if (query_is_null(query, column)) return NULL;
    char *copy = strdup(query_text(query, column));
    if (!copy) fail(query, SQLITE_NOMEM);
    return copy;
}

/* A copy of a column that is never NULL: where it is, the query fails. */
static char *copy_name(struct query *query, int column) {
    if (query_is_null(query, column)) fail_value(query, column);
    return query_copy(query, column);
}

enum ddbsim_status query_close(struct query *query) {
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    return query->status;
}

enum ddbsim_status query_one_double(struct sqlite3 *database, struct ddbsim_error *error,
                                    double *out, const char *sql, const char *types, ...) {
    struct query query;
    va_list arguments;
    va_start(arguments, types);
    open_with(&query, database, error, sql, types, &arguments);
    va_end(arguments);
    *out = query_next(&query) ? query_double(&query, 0) : NAN;
    return query_close(&query);
}

enum ddbsim_status query_one_int(struct sqlite3 *database, struct ddbsim_error *error,
                                 int64_t absent, int64_t *out, const char *sql, const char *types,
                                 ...) {
    struct query query;
    va_list arguments;
    va_start(arguments, types);
    open_with(&query, database, error, sql, types, &arguments);
    va_end(arguments);
    *out = absent;
    if (query_next(&query) && !query_is_null(&query, 0)) *out = query_int(&query, 0);
    return query_close(&query);
}

enum ddbsim_status query_one_text(struct sqlite3 *database, struct ddbsim_error *error, char **out,
                                  const char *sql, const char *types, ...) {
    struct query query;
    va_list arguments;
    va_start(arguments, types);
    open_with(&query, database, error, sql, types, &arguments);
    va_end(arguments);
    *out = query_next(&query) ? query_copy(&query, 0) : NULL;
    return query_close(&query);
}

enum ddbsim_status query_has(struct sqlite3 *database, struct ddbsim_error *error, const char *name,
                             bool *out) {
    int64_t found = 0;
    enum ddbsim_status status = query_one_int(
        database, error, 0, &found,
        "SELECT 1 FROM sqlite_schema WHERE type IN ('table','view') AND name = ?", "t", name);
    *out = found == 1;
    return status;
}

enum ddbsim_status query_each(struct sqlite3 *database, struct ddbsim_error *error,
                              const char *name, const char *sql, int64_t run_id,
                              bool (*add)(void *out, struct query *query), void *out) {
    bool known = false, fits = true;
    enum ddbsim_status status = query_has(database, error, name, &known);
    if (status != DDBSIM_OK || !known) return status;
    struct query query;
    query_open(&query, database, error, sql, "i", run_id);
    while (fits && query_next(&query))
        fits = add(out, &query);
    status = query_close(&query);
    return status == DDBSIM_OK && !fits ? error_memory(error) : status;
}

/* ---- the run ---- */

static void take_run(struct query *query, struct query_run *out) {
    struct {
        int64_t *number, most;
    } numbers[] = {
        {&out->replication, INT_MOST},        {&out->seed, INT64_MAX},
        {&out->start_unix_s, START_MOST_S},   {&out->utc_offset_s, DAY_S},
        {&out->warmup_s, QUERY_SECONDS_MOST}, {&out->duration_s, QUERY_SECONDS_MOST},
    };
    char **texts[] = {&out->scenario, &out->title,   &out->variant,   &out->start,
                      &out->status,   &out->version, &out->input_hash};
    for (int i = 0; i < 6; i++)
        *numbers[i].number = int_within(query, i, numbers[i].most);
    out->simulated_s = query_double(query, 6);
    if (!(out->simulated_s >= 0 && out->simulated_s <= (double)QUERY_SECONDS_MOST))
        fail_value(query, 6);
    for (int i = 0; i < 7; i++)
        *texts[i] = copy_name(query, 7 + i);
}

enum ddbsim_status query_run_read(struct sqlite3 *database, int64_t run_id, struct query_run *out,
                                  struct ddbsim_error *error) {
    struct query query;
    *out = (struct query_run){.run_id = run_id};
    query_open(&query, database, error,
               "SELECT replication, seed, start_unix_s, utc_offset_s, warmup_s, duration_s,"
               " simulated_s, scenario, title, variant, start, status, ddbsim_version, input_hash"
               " FROM run WHERE run_id = ?",
               "i", run_id);
    if (query_next(&query)) {
        take_run(&query, out);
    } else if (query.status == DDBSIM_OK) {
        query.status =
            error_set(error, DDBSIM_INPUT, "the database holds no run %lld", (long long)run_id);
    }
    enum ddbsim_status status = query_close(&query);
    if (status != DDBSIM_OK) query_run_clear(out);
    return status;
}

void query_run_clear(struct query_run *run) {
    free(run->scenario);
    free(run->title);
    free(run->variant);
    free(run->start);
    free(run->status);
    free(run->version);
    free(run->input_hash);
    *run = (struct query_run){0};
}

/* What never was has no moment; all others that a database may hold are bounded. */
static int64_t wall_s(const struct query_run *run, int64_t t_s) {
    CHECK(t_s != QUERY_NEVER);
    return run->start_unix_s + run->utc_offset_s + t_s;
}

void query_clock(const struct query_run *run, int64_t t_s, bool seconds,
                 char out[QUERY_CLOCK_BYTES]) {
    int64_t wall = wall_s(run, t_s);
    unsigned of_day = (unsigned)(wall - floor_div(wall, DAY_S) * DAY_S);
    int length =
        snprintf(out, QUERY_CLOCK_BYTES, "%02u:%02u", of_day / 3600 % 24, of_day / 60 % 60);
    if (seconds) snprintf(out + length, (size_t)(QUERY_CLOCK_BYTES - length), ":%02u", of_day % 60);
}

/* Civil date of a day number since 1970-01-01: Howard Hinnant's days-to-civil arithmetic, which
 * counts years from March so that the leap day comes last. */
static void print_date(int64_t day, char out[QUERY_CLOCK_BYTES]) {
    int64_t shifted = day + 719468;
    int64_t era = floor_div(shifted, 146097);
    int64_t of_era = shifted - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * of_year + 2) / 153;
    unsigned day_of_month = (unsigned)(of_year - (153 * month + 2) / 5 + 1);
    unsigned civil_month = (unsigned)(month < 10 ? month + 3 : month - 9);
    unsigned civil_year = (unsigned)(year + era * 400 + (civil_month <= 2));
    snprintf(out, QUERY_CLOCK_BYTES, "%04u-%02u-%02u ", civil_year % 10000, civil_month % 100,
             day_of_month % 100);
}

void query_moment(const struct query_run *run, int64_t t_s, bool seconds,
                  char out[QUERY_CLOCK_BYTES]) {
    int64_t first = floor_div(wall_s(run, 0), DAY_S);
    int64_t last = floor_div(wall_s(run, run->duration_s > 0 ? run->duration_s - 1 : 0), DAY_S);
    out[0] = '\0';
    if (last != first) print_date(floor_div(wall_s(run, t_s), DAY_S), out);
    char clock[QUERY_CLOCK_BYTES];
    query_clock(run, t_s, seconds, clock);
    size_t used = strlen(out);
    snprintf(out + used, QUERY_CLOCK_BYTES - used, "%s", clock);
}

/* ---- what was set ---- */

enum ddbsim_status query_options_read(struct sqlite3 *database, int64_t run_id,
                                      struct query_options *out, struct ddbsim_error *error) {
    struct query query;
    size_t capacity = 0;
    void *items = NULL;
    int64_t known = 0;
    *out = (struct query_options){0};
    enum ddbsim_status status =
        query_one_int(database, error, 0, &known,
                      "SELECT 1 FROM pragma_table_info('varied') WHERE name = 'by_option'", "");
    if (status != DDBSIM_OK || !known) return status;
    query_open(&query, database, error,
               "SELECT path, value FROM varied WHERE run_id = ? AND by_option ORDER BY path", "i",
               run_id);
    while (query_next(&query)) {
        if (!vector_reserve(&items, &capacity, out->count + 1, sizeof out->items[0])) {
            fail(&query, SQLITE_NOMEM);
            break;
        }
        out->items = items;
        out->items[out->count++] =
            (struct query_option){copy_name(&query, 0), copy_name(&query, 1)};
    }
    status = query_close(&query);
    if (status != DDBSIM_OK) query_options_clear(out);
    return status;
}

void query_options_clear(struct query_options *options) {
    for (size_t i = 0; i < options->count; i++) {
        free(options->items[i].path);
        free(options->items[i].value);
    }
    free(options->items);
    *options = (struct query_options){0};
}

char *query_variant(const struct query_run *run, const struct query_options *options) {
    struct buffer text = {0};
    buffer_put(&text, run->variant);
    if (options->count == 1)
        buffer_printf(&text, " + %s=%s", options->items[0].path, options->items[0].value);
    else if (options->count > 1)
        buffer_printf(&text, " + %zu settings", options->count);
    return buffer_finish(&text);
}

/* ---- resources ---- */

enum ddbsim_status query_resources_read(struct sqlite3 *database, int64_t run_id,
                                        struct query_resources *out, struct ddbsim_error *error) {
    struct query query;
    size_t capacity = 0;
    void *items = NULL;
    *out = (struct query_resources){0};
    query_open(&query, database, error,
               "SELECT resource_id, kind, table_name, index_name, arn FROM resource"
               " WHERE run_id = ? ORDER BY kind = 'account', table_name, kind <> 'table',"
               " index_name",
               "i", run_id);
    while (query_next(&query)) {
        if (!vector_reserve(&items, &capacity, out->count + 1, sizeof out->items[0])) {
            fail(&query, SQLITE_NOMEM);
            break;
        }
        out->items = items;
        out->items[out->count++] = (struct query_resource){.resource_id = query_int(&query, 0),
                                                           .kind = copy_name(&query, 1),
                                                           .table = copy_name(&query, 2),
                                                           .index = query_copy(&query, 3),
                                                           .arn = copy_name(&query, 4)};
    }
    enum ddbsim_status status = query_close(&query);
    if (status != DDBSIM_OK) query_resources_clear(out);
    return status;
}

void query_resources_clear(struct query_resources *resources) {
    for (size_t i = 0; i < resources->count; i++) {
        free(resources->items[i].kind);
        free(resources->items[i].table);
        free(resources->items[i].index);
        free(resources->items[i].arn);
    }
    free(resources->items);
    *resources = (struct query_resources){0};
}

const struct query_resource *query_resource_find(const struct query_resources *resources,
                                                 int64_t resource_id) {
    for (size_t i = 0; i < resources->count; i++)
        if (resources->items[i].resource_id == resource_id) return &resources->items[i];
    return NULL;
}

/* ---- plots.h: which run ---- */

static enum ddbsim_status no_such_run(struct sqlite3 *database, const char *variant,
                                      struct ddbsim_error *error) {
    char *names = NULL;
    enum ddbsim_status status =
        query_one_text(database, error, &names,
                       "SELECT group_concat(variant, ', ') FROM (SELECT DISTINCT variant FROM run"
                       " ORDER BY variant)",
                       "");
    if (status != DDBSIM_OK) return status;
    if (!names)
        status = error_set(error, DDBSIM_INPUT, "it holds no run");
    else if (variant)
        status = error_set(error, DDBSIM_INPUT, "it holds no run of variant '%s'", variant);
    else
        status = error_set(error, DDBSIM_INPUT, "it has several variants and no base");
    if (names) error_hint(error, "its variants are: %s", names);
    const char *file = sqlite3_db_filename(database, "main");
    if (file && *file) error_place(error, file, 0, 0);
    free(names);
    return status;
}

enum ddbsim_status plots_find_run(struct sqlite3 *database, const char *variant, int64_t *run_id,
                                  struct ddbsim_error *error) {
    /* Of a variant's runs the first replication is the one with every row. */
    enum ddbsim_status status =
        query_one_int(database, error, -1, run_id,
                      "SELECT run_id FROM run WHERE variant = ?"
                      " ORDER BY detail = 'totals', replication, run_id LIMIT 1",
                      "t", variant ? variant : "base");
    if (status == DDBSIM_OK && *run_id < 0 && !variant)
        status = query_one_int(database, error, -1, run_id,
                               "SELECT CASE WHEN count(DISTINCT variant) = 1 THEN (SELECT run_id"
                               " FROM run ORDER BY detail = 'totals', replication, run_id LIMIT 1)"
                               " END FROM run",
                               "");
    if (status != DDBSIM_OK) return status;
    return *run_id < 0 ? no_such_run(database, variant, error) : DDBSIM_OK;
}

/* ---- the limits of a partition ---- */

#define PARTITION_WRITES 1000 /* units a second: AWS's limits of one partition */
#define PARTITION_READS 3000
#define REPLICAS 3 /* of a partition: an eventual read goes to any */
#define REPLICA_READS 3000
#define BLOCKS_OF_UNIT 2 /* what a replica counts: blocks, two for an eventual unit */

enum ddbsim_status query_assumption(struct sqlite3 *database, int64_t run_id, const char *table,
                                    const char *name, char **out, struct ddbsim_error *error) {
    char *quoted = words_path_name(table);
    *out = NULL;
    if (!quoted) return error_memory(error);
    enum ddbsim_status status =
        query_one_text(database, error, out,
                       "SELECT value FROM setting WHERE run_id = ?1 AND path IN ('model.' || ?3,"
                       " 'tables.' || ?2 || '.model.' || ?3) ORDER BY length(path) DESC LIMIT 1",
                       "itt", run_id, quoted, name);
    free(quoted);
    return status;
}

static enum ddbsim_status read_units(struct sqlite3 *database, int64_t run_id, const char *table,
                                     const char *name, double usual, double *out,
                                     struct ddbsim_error *error) {
    char *text = NULL;
    enum ddbsim_status status = query_assumption(database, run_id, table, name, &text, error);
    double value = text ? strtod(text, NULL) : usual;
    *out = value > 0 && value < 1e12 ? value : usual;
    free(text);
    return status;
}

/* How many entries of the workloads' mixes read a resource strongly (or eventually). */
static enum ddbsim_status count_readers(struct sqlite3 *database, int64_t run_id,
                                        const struct query_resource *resource, bool strong,
                                        int64_t *out, struct ddbsim_error *error) {
    return query_one_int(database, error, 0, out,
                         "WITH entry AS (SELECT run_id, value, substr(path, 1, length(path) -"
                         " length('consistent_read')) AS path FROM setting WHERE run_id = ?1"
                         " AND path LIKE 'workloads.%.consistent_read')"
                         " SELECT count(*) FROM entry e JOIN setting t ON t.run_id = e.run_id"
                         " AND t.path = e.path || 'table' AND t.value = ?2"
                         " LEFT JOIN setting i ON i.run_id = e.run_id AND i.path = e.path ||"
                         " 'index' WHERE i.value IS ?3 AND (e.value = 'true') = ?4",
                         "itti", run_id, resource->table, resource->index, (int64_t)strong);
}

enum ddbsim_status query_life_read(struct sqlite3 *database, int64_t run_id, int64_t resource_id,
                                   struct query_life *out, struct ddbsim_error *error) {
    struct query query;
    *out = (struct query_life){QUERY_NEVER, QUERY_NEVER, QUERY_NEVER, -1};
    query_open(&query, database, error,
               "SELECT kind, min(t_ns) / 1000000000,"
               " max(iif(json_valid(detail), json_extract(detail, '$.items'), NULL))"
               " FROM event WHERE run_id = ?1 AND resource_id = ?2"
               " AND kind IN ('index_building', 'index_active', 'index_deleted') GROUP BY kind",
               "ii", run_id, resource_id);
    while (query_next(&query)) {
        const char *kind = query_text(&query, 0);
        int64_t t_s = query_seconds(&query, 1);
        if (strcmp(kind, "index_building") == 0) {
            out->born_s = t_s;
            if (!query_is_null(&query, 2)) out->items = query_int(&query, 2);
        }
        if (strcmp(kind, "index_active") == 0) out->active_s = t_s;
        if (strcmp(kind, "index_deleted") == 0) out->gone_s = t_s;
    }
    return query_close(&query);
}

enum ddbsim_status query_partition_limit_read(struct sqlite3 *database, int64_t run_id,
                                              const struct query_resource *resource, bool write,
                                              struct query_partition_limit *out,
                                              struct ddbsim_error *error) {
    const char *table = resource->table;
    int64_t strong = 0, eventual = 0;
    double replica = 0;
    out->eventual = 0;
    out->strong = !write;
    enum ddbsim_status status = read_units(
        database, run_id, table, write ? "partition_write_limit" : "partition_read_limit",
        write ? PARTITION_WRITES : PARTITION_READS, &out->limit, error);
    if (write || status != DDBSIM_OK) return status;
    status = count_readers(database, run_id, resource, true, &strong, error);
    if (status == DDBSIM_OK)
        status = count_readers(database, run_id, resource, false, &eventual, error);
    if (status == DDBSIM_OK)
        status = read_units(database, run_id, table, "replica_read_limit", REPLICA_READS, &replica,
                            error);
    bool global = resource->index != NULL && strong == 0; /* it knows eventual reads alone */
    if (eventual == 0 && !global) return status;
    /* The leader keeps the partition's own limit as well. */
    double leader = fmin(out->limit, replica);
    replica = (leader + (REPLICAS - 1) * replica) / BLOCKS_OF_UNIT;
    out->strong = strong > 0;
    *(out->strong ? &out->eventual : &out->limit) = replica;
    return status;
}

enum ddbsim_status query_members_read(struct sqlite3 *database, int64_t run_id,
                                      struct query_members *out, struct ddbsim_error *error) {
    bool known = false;
    *out = (struct query_members){0};
    enum ddbsim_status status = query_has(database, error, "batch_second", &known);
    if (status != DDBSIM_OK || !known) return status;
    struct query query;
    query_open(&query, database, error,
               "SELECT sum(members), sum(throttled), sum(lost) FROM batch_second WHERE run_id = ?",
               "i", run_id);
    if (query_next(&query))
        *out = (struct query_members){query_int(&query, 0), query_int(&query, 1),
                                      query_int(&query, 2)};
    return query_close(&query);
}
