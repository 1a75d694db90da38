/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SQL text from the list of tables, and the two views that people open first: `cloudwatch` shows
 * what AWS's console would, `summary` what a run came to. Invariants: a view's column list is the
 * contract's; every table is STRICT; the text depends on the list alone.
 */
#include <record/schema_sql.h>

#include <base/buffer.h>
#include <base/check.h>
#include <stdlib.h>
#include <string.h>

struct view {
    const char *name, *meaning;
    const char *columns[24]; /* to the first NULL */
    const char *select;
};

/* Local wall-clock time of a moment of run r, as SQL over an expression in seconds since start. */
#define LOCAL(format, t_s) \
    "strftime('" format "', r.start_unix_s + r.utc_offset_s + " t_s ", 'unixepoch')"
#define OFFSET                                                                  \
    "printf('%s%02d:%02d', CASE WHEN r.utc_offset_s < 0 THEN '-' ELSE '+' END," \
    " abs(r.utc_offset_s) / 3600, abs(r.utc_offset_s) % 3600 / 60)"
#define OUTCOME(outcome)                                                            \
    "(SELECT value FROM outcome o WHERE o.run_id = r.run_id AND o.name = '" outcome \
    "' AND o.scope = '')"
/* A total of capacity, tables and indexes together, as CloudWatch counted it; a run that kept totals
 * alone has the outcome. */
#define UNITS(outcome, metric)                                                                  \
    "coalesce((SELECT sum(m.sum) FROM metric m WHERE m.run_id = r.run_id AND m.name = '" metric \
    "' AND m.operation = '' AND m.dimension = ''), " OUTCOME(outcome) ")"

static const struct view views[] = {
    {"cloudwatch",
     "Table `metric` in CloudWatch's words. Timestamp is the period's begin on the run's "
     "wall clock; "
     "GlobalSecondaryIndexName and Operation are NULL where the metric has no such "
     "dimension; p50, p90 "
     "and p99 stand for latencies only.",
     {"run_id", "Timestamp", "TableName", "GlobalSecondaryIndexName", "Operation", "MetricName",
      "Period", "Sum", "SampleCount", "Minimum", "Maximum", "Average", "p50", "p90", "p99", "Unit"},
     "SELECT m.run_id, " LOCAL("%Y-%m-%dT%H:%M:%S",
                               "m.t_s") " || " OFFSET ",\n"
                                        " nullif(s.table_name, ''), s.index_name, "
                                        "nullif(m.operation, ''), m.name, m.period_s,\n"
                                        " m.sum, m.sample_count, m.minimum, m.maximum, "
                                        "m.sum / nullif(m.sample_count, 0),\n"
                                        " m.p50, m.p90, m.p99, m.unit\n"
                                        "FROM metric m JOIN run r ON r.run_id = m.run_id\n"
                                        "JOIN resource s ON s.run_id = m.run_id AND "
                                        "s.resource_id = m.resource_id"},
    {"summary",
     "One row a run. first_throttle is the wall-clock time HH:MM:SS of the first refused "
     "attempt; "
     "main_reason is the reason that most refused attempts list first; read_units and write_units "
     "count tables and indexes together; cost_usd is NULL where no cost was computed.",
     {"run_id",
      "scenario",
      "variant",
      "replication",
      "seed",
      "status",
      "simulated_s",
      "requests",
      "attempts",
      "succeeded",
      "failed",
      "retries",
      "throttled_attempts",
      "throttled_ratio",
      "first_throttle",
      "main_reason",
      "read_units",
      "write_units",
      "caller_p50_ms",
      "caller_p99_ms",
      "cost_usd"},
     "SELECT r.run_id, r.scenario, r.variant, r.replication, r.seed, r.status, "
     "r.simulated_s,\n"
     " w.requests, w.attempts, w.succeeded, w.failed, w.retries, w.throttled_attempts,\n"
     " CAST(w.throttled_attempts AS REAL) / nullif(w.attempts, 0),\n"
     " " LOCAL(
         "%H:%M:%S",
         "coalesce((SELECT min(e.t_ns) / 1000000000 FROM event e WHERE e.run_id = r.run_id"
         " AND e.kind = 'throttling_started'), (SELECT min(t.t_s) FROM throttle t"
         " WHERE t.run_id = r.run_id AND t.first_events > 0))") ",\n"
                                                                " (SELECT t.reason FROM "
                                                                "throttle t WHERE t.run_id "
                                                                "= r.run_id GROUP BY "
                                                                "t.reason\n"
                                                                "  HAVING "
                                                                "sum(t.first_events) > 0 "
                                                                "ORDER BY "
                                                                "sum(t.first_events) DESC, "
                                                                "t.reason LIMIT 1),\n"
                                                                " " UNITS(
                                                                    "read_units",
                                                                    "ConsumedReadCapacityUn"
                                                                    "its") ",\n"
                                                                           " " UNITS(
                                                                               "write_"
                                                                               "units",
                                                                               "ConsumedWri"
                                                                               "teCapacityU"
                                                                               "nits") ",\n"
                                                                                       " " OUTCOME("caller_p50") ", " OUTCOME(
                                                                                           "caller_"
                                                                                           "p99") ",\n"
                                                                                                  " (SELECT sum(c.amount_usd) FROM cost c WHERE c.run_id = r.run_id)\n"
                                                                                                  "FROM run r LEFT JOIN (SELECT run_id, sum(requests) AS requests, sum(attempts) AS attempts,\n"
                                                                                                  " sum(succeeded) AS succeeded, sum(failed) AS failed, sum(retries) AS retries,\n"
                                                                                                  " sum(throttled_attempts) AS throttled_attempts FROM workload_total GROUP BY run_id) w\n"
                                                                                                  " ON w.run_id = r.run_id"},
};

/* What is asked for by time, across the tables' own key order. */
static const char indexes[] =
    "CREATE INDEX IF NOT EXISTS metric_by_time ON metric(run_id, name, resource_id, t_s);\n"
    "CREATE INDEX IF NOT EXISTS throttle_by_time ON throttle(run_id, resource_id, t_s);\n"
    "CREATE INDEX IF NOT EXISTS partition_sample_by_time ON partition_sample(run_id, t_s);\n"
    "CREATE INDEX IF NOT EXISTS event_by_kind ON event(run_id, kind, t_ns);\n"
    "CREATE INDEX IF NOT EXISTS request_by_time ON request(run_id, t_ns);\n";

#define VIEW_COUNT (sizeof views / sizeof views[0])

static const char *type_name(enum ddbsim_value_type type) {
    static const char *const names[] = {"NULL", "INTEGER", "REAL", "TEXT"};
    CHECK((unsigned)type < sizeof names / sizeof names[0]);
    return names[type];
}

/* A single integer key is SQLite's own row number: such a table needs no second tree. */
static bool is_row_number(const struct schema_table *table, const struct schema_column *column) {
    return table->has_rowid && column->key == 1;
}

static void put_column(struct buffer *out, const struct schema_table *table,
                       const struct schema_column *column) {
    buffer_printf(out, "\n  %s %s", column->name, type_name(column->type));
    if (is_row_number(table, column))
        buffer_put(out, " PRIMARY KEY");
    else if (column->not_null)
        buffer_put(out, " NOT NULL");
    if (column->by_default) buffer_printf(out, " DEFAULT %s", column->by_default);
    if (column->one_of) buffer_printf(out, " CHECK(%s IN (%s))", column->name, column->one_of);
}

static void put_key(struct buffer *out, const struct schema_table *table) {
    for (int position = 1; position <= SCHEMA_KEYS_MAX; position++)
        for (size_t i = 0; i < table->column_count; i++)
            if (table->columns[i].key == position)
                buffer_printf(out, "%s%s", position == 1 ? "" : ", ", table->columns[i].name);
}

static void put_table(struct buffer *out, const struct schema_table *table) {
    CHECK(table->column_count > 0);
    buffer_printf(out, "CREATE TABLE %s(", table->name);
    for (size_t i = 0; i < table->column_count; i++) {
        if (i > 0) buffer_put(out, ",");
        put_column(out, table, &table->columns[i]);
    }
    if (!table->has_rowid) {
        buffer_put(out, ",\n  PRIMARY KEY(");
        put_key(out, table);
        buffer_put(out, ")");
    }
    if (table->unique) buffer_printf(out, ",\n  UNIQUE(%s)", table->unique);
    buffer_printf(out, "\n) STRICT%s;\n", table->has_rowid ? "" : ", WITHOUT ROWID");
}

static void put_view_columns(struct buffer *out, const struct view *view) {
    CHECK(view->columns[0] != NULL);
    for (size_t i = 0; view->columns[i]; i++)
        buffer_printf(out, "%s%s", i == 0 ? "" : ", ", view->columns[i]);
}

static void put_create(struct buffer *out) {
    buffer_printf(out, "PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
                  DDBSIM_LOG_APPLICATION_ID, DDBSIM_LOG_VERSION);
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++)
        put_table(out, schema_table((enum ddbsim_log_table)i));
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        buffer_printf(out, "CREATE VIEW %s(", views[i].name);
        put_view_columns(out, &views[i]);
        buffer_printf(out, ") AS\n%s;\n", views[i].select);
    }
}

static void put_indexes(struct buffer *out) { buffer_put(out, indexes); }

/* Runs a printer into memory. */
static char *print_text(void (*put)(struct buffer *out)) {
    struct buffer out = {0};
    put(&out);
    return buffer_finish(&out);
}

char *schema_sql_create(void) { return print_text(put_create); }

char *schema_sql_indexes(void) { return print_text(put_indexes); }

char *schema_sql_insert(enum ddbsim_log_table table, size_t rows) {
    const struct schema_table *described = schema_table(table);
    CHECK(rows > 0 && rows * described->column_count <= 32766); /* SQLite's parameters */
    size_t row_length = 2 * described->column_count + 2;        /* "(?,?)," */
    char *sql = malloc(strlen(described->name) + 32 + rows * row_length);
    if (!sql) return NULL;
    /* OR FAIL leaves the rows before a bad one in place, so SQLite keeps no journal for each
     * statement: 50 times fewer writes. Nobody sees them: after a failure the transaction is never
     * committed. */
    char *end = sql + sprintf(sql, "INSERT OR FAIL INTO %s VALUES", described->name);
    for (size_t row = 0; row < rows; row++) {
        *end++ = row == 0 ? ' ' : ',';
        for (size_t i = 0; i < described->column_count; i++) {
            *end++ = i == 0 ? '(' : ',';
            *end++ = '?';
        }
        *end++ = ')';
    }
    *end = '\0';
    CHECK(strlen(sql) < strlen(described->name) + 32 + rows * row_length);
    return sql;
}

static void put_reference_column(struct buffer *out, const struct schema_column *column) {
    buffer_printf(out, "| `%s` | %s%s | ", column->name, type_name(column->type),
                  column->not_null ? "" : " or NULL");
    CHECK(column->meaning != NULL);
    if (column->key) buffer_printf(out, "%d", column->key);
    buffer_printf(out, " | %s | %s", column->in_digest ? "yes" : "", column->meaning);
    if (column->one_of) buffer_printf(out, "; one of %s", column->one_of);
    if (column->by_default) buffer_printf(out, "; by default %s", column->by_default);
    buffer_put(out, " |\n");
}

static void put_reference(struct buffer *out) {
    for (int i = 0; i < DDBSIM_LOG_TABLE_KINDS; i++) {
        const struct schema_table *table = schema_table((enum ddbsim_log_table)i);
        buffer_printf(out, "### %s\n\nTable: %s.\n", table->name, table->meaning);
        if (table->unique) buffer_printf(out, "Unique together: %s.\n", table->unique);
        buffer_put(out, "\n| column | type | key | digest | meaning |\n|---|---|---|---|---|\n");
        for (size_t c = 0; c < table->column_count; c++)
            put_reference_column(out, &table->columns[c]);
        buffer_put(out, "\n");
    }
    for (size_t i = 0; i < VIEW_COUNT; i++) {
        buffer_printf(out, "### %s\n\nView. %s\n\nColumns: ", views[i].name, views[i].meaning);
        put_view_columns(out, &views[i]);
        buffer_put(out, ".\n\n");
    }
}

char *schema_reference(void) { return print_text(put_reference); }
