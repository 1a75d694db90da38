/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two runs by the wall clock, minute by minute: for each metric that counts, of each table and index, the sums of both
 * over the time that both cover, how far the one is off, and by how much a minute is off on the mean, as a share of the
 * other's mean minute. A minute without a row counts 0, as CloudWatch has it. A metric that the other run lacks
 * altogether was not recorded, and is left out.
 */
#include <plots/against.h>

#include <base/error.h>
#include <ddbsim/names.h>
#include <math.h>
#include <plots/query.h>
#include <plots/tojson.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>

#define NAME_BYTES 600

static const int metrics[] = {
    DDBSIM_METRIC_CONSUMED_READ,        DDBSIM_METRIC_CONSUMED_WRITE,
    DDBSIM_METRIC_READ_THROTTLE_EVENTS, DDBSIM_METRIC_WRITE_THROTTLE_EVENTS,
    DDBSIM_METRIC_THROTTLED_REQUESTS,
};
enum { METRICS = sizeof metrics / sizeof metrics[0] };

struct side {
    struct sqlite3 *database;
    struct query_run run;
    int64_t from_s, to_s; /* since 1970 */
};

struct against {
    struct side simulated, observed;
    int64_t from_s, to_s; /* of both */
    FILE *out;
    json_t *list; /* NULL: as text */
    int64_t rows;
};

/* A series of the one that measures, and what came of the comparison. */
struct row {
    char *table, *index;
    int metric;
    double observed, simulated, off; /* off: absolute differences of all minutes */
    int64_t minutes;
};

static enum ddbsim_status open_side(struct side *side, struct sqlite3 *database, int64_t run_id,
                                    struct ddbsim_error *error) {
    side->database = database;
    enum ddbsim_status status = query_run_read(database, run_id, &side->run, error);
    side->from_s = side->run.start_unix_s;
    side->to_s = side->from_s + (int64_t)side->run.simulated_s;
    return status;
}

static void open_minutes(const struct against *against, const struct side *side,
                         const struct row *row, struct query *query, struct ddbsim_error *error) {
    query_open(query, side->database, error,
               "SELECT (?6 + m.t_s) / 60, sum(m.sum) FROM metric m JOIN resource r"
               " USING (run_id, resource_id) WHERE run_id = ?1 AND r.table_name = ?2"
               " AND r.index_name IS ?3 AND m.name = ?4 AND m.dimension = ''"
               " AND ?6 + m.t_s >= ?7 AND ?6 + m.t_s < ?5 GROUP BY 1 ORDER BY 1",
               "itttiii", side->run.run_id, row->table, row->index, ddbsim_metric_name(row->metric),
               against->to_s, side->run.start_unix_s, against->from_s);
}

/* Both lists of minutes at once; each is in time's order. */
static enum ddbsim_status measure(const struct against *against, struct row *row,
                                  struct ddbsim_error *error) {
    struct query a, b;
    open_minutes(against, &against->observed, row, &a, error);
    open_minutes(against, &against->simulated, row, &b, error);
    bool has_a = query_next(&a), has_b = query_next(&b);
    while (has_a || has_b) {
        int64_t at_a = has_a ? query_int(&a, 0) : INT64_MAX;
        int64_t at_b = has_b ? query_int(&b, 0) : INT64_MAX;
        double observed = at_a <= at_b ? query_double(&a, 1) : 0;
        double simulated = at_b <= at_a ? query_double(&b, 1) : 0;
        row->observed += isnan(observed) ? 0 : observed;
        row->simulated += isnan(simulated) ? 0 : simulated;
        row->off += isnan(simulated - observed) ? 0 : fabs(simulated - observed);
        if (at_a <= at_b) has_a = query_next(&a);
        if (at_b <= at_a) has_b = query_next(&b);
    }
    row->minutes = (against->to_s - against->from_s) / 60;
    enum ddbsim_status first = query_close(&a), second = query_close(&b);
    return first != DDBSIM_OK ? first : second;
}

/* ---- as text, as JSON ---- */

/* "12 % less"; "" where there is nothing to measure by. */
static const char *difference(char out[WORDS_BYTES], double by, double value) {
    char share[WORDS_BYTES];
    if (!(by > 0)) return value > 0 ? "none was recorded" : "";
    words_percent(share, fabs(value / by - 1));
    snprintf(out, WORDS_BYTES, "%.24s %s", share, value < by ? "less" : "more");
    return fabs(value / by - 1) < 0.0005 ? "the same" : out;
}

static void print_row(struct against *against, const struct row *row) {
    char name[NAME_BYTES], observed[WORDS_BYTES], simulated[WORDS_BYTES], off[WORDS_BYTES];
    char text[WORDS_BYTES];
    double mean_off = row->observed > 0 ? row->off / row->observed : NAN;
    if (against->list) {
        against->list = tojson_append(
            against->list,
            json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:I}", "table", tojson_text(row->table),
                      "index", tojson_text(row->index), "metric", ddbsim_metric_name(row->metric),
                      "recorded", tojson_number(row->observed), "simulated",
                      tojson_number(row->simulated), "minute_error", tojson_number(mean_off),
                      "minutes", (json_int_t)row->minutes));
        return;
    }
    snprintf(name, sizeof name, "%.250s%s%.250s %s", row->table, row->index ? "/" : "",
             row->index ? row->index : "", ddbsim_metric_name(row->metric));
    if (against->rows == 0)
        fprintf(against->out, "%-76s %12s %12s  %-18s %s\n", "sums", "recorded", "simulated",
                "difference", "off in a minute, on the mean");
    fprintf(against->out, "%-76s %12s %12s  %-18s %s\n", name,
            words_count(observed, llround(row->observed)),
            words_count(simulated, llround(row->simulated)),
            difference(text, row->observed, row->simulated),
            isnan(mean_off) ? "" : words_percent(off, mean_off));
}

/* ---- series ---- */

static enum ddbsim_status compare_row(struct against *against, struct row *row,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status = DDBSIM_OK;
    if (!row->table) return error_memory(error);
    status = measure(against, row, error);
    if (status == DDBSIM_OK) print_row(against, row);
    against->rows++;
    return status;
}

/* Metrics that are told by operation are taken for all of them together. */
static enum ddbsim_status compare_metric(struct against *against, int metric,
                                         struct ddbsim_error *error) {
    const struct side *side = &against->observed;
    struct query query;
    enum ddbsim_status status = DDBSIM_OK;
    query_open(
        &query, side->database, error,
        "SELECT DISTINCT r.table_name, r.index_name FROM metric m JOIN resource r"
        " USING (run_id, resource_id) WHERE run_id = ?1 AND m.name = ?2 AND m.sum IS NOT NULL"
        " AND m.dimension = '' ORDER BY 1, r.index_name IS NOT NULL, 2",
        "it", side->run.run_id, ddbsim_metric_name(metric));
    while (status == DDBSIM_OK && query_next(&query)) {
        struct row row = {
            .table = query_copy(&query, 0), .index = query_copy(&query, 1), .metric = metric};
        status = compare_row(against, &row, error);
        free(row.table);
        free(row.index);
    }
    enum ddbsim_status closed = query_close(&query);
    return status == DDBSIM_OK ? closed : status;
}

static enum ddbsim_status compare(struct against *against, struct ddbsim_error *error) {
    const struct side *a = &against->simulated, *b = &against->observed;
    enum ddbsim_status status = DDBSIM_OK;
    against->from_s = a->from_s > b->from_s ? a->from_s : b->from_s;
    against->to_s = a->to_s < b->to_s ? a->to_s : b->to_s;
    if (against->to_s - against->from_s < 60) {
        error_hint(error, "a scenario's `start` says when its run was");
        return error_set(error, DDBSIM_INPUT, "the two runs have no minute of the clock in common");
    }
    for (int i = 0; i < METRICS && status == DDBSIM_OK; i++)
        status = compare_metric(against, metrics[i], error);
    if (status == DDBSIM_OK && against->rows == 0)
        status = error_set(error, DDBSIM_INPUT, "it has no metric to compare with");
    return status;
}

enum ddbsim_status against_print(struct sqlite3 *database, int64_t run_id, struct sqlite3 *other,
                                 int64_t other_id, FILE *out, bool json,
                                 struct ddbsim_error *error) {
    struct against against = {.out = out, .list = json ? json_array() : NULL};
    enum ddbsim_status status = json && !against.list ? error_memory(error) : DDBSIM_OK;
    if (status == DDBSIM_OK) status = open_side(&against.simulated, database, run_id, error);
    if (status == DDBSIM_OK) status = open_side(&against.observed, other, other_id, error);
    if (status == DDBSIM_OK) status = compare(&against, error);
    query_run_clear(&against.simulated.run);
    query_run_clear(&against.observed.run);
    if (json && status == DDBSIM_OK) return tojson_print(against.list, out, error);
    json_decref(against.list);
    return status;
}
