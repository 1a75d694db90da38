/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The summary of a run: what was asked, what came of it, and per resource what it had and served.
 * Totals come from the view `summary`; a database without it is asked table by table.
 */
#include <plots/summary.h>

#include <base/error.h>
#include <base/vector.h>
#include <math.h>
#include <plots/alarms.h>
#include <plots/query.h>
#include <plots/recordings.h>
#include <plots/storage.h>
#include <plots/tojson.h>
#include <plots/words.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <ddbsim/names.h>

#define NARROW_COLUMNS 76
#define NAME_LEAST 8

#define COUNT(x) words_count((char[WORDS_BYTES]){0}, (x))
#define NUMBER(x) words_number((char[WORDS_BYTES]){0}, (x))
#define PERCENT(x) words_percent((char[WORDS_BYTES]){0}, (x))

/* One resource in one direction, over the whole run. NaN is unknown. */
struct line {
    const struct query_resource *resource;
    bool write;
    double capacity, lowest_capacity, highest_capacity; /* units/s: at the end; what it had */
    double units, mean, peak; /* whole run; units/s: whole run, fullest minute */
    int64_t refused;
    char name[160];
};

/* What came of a threshold. */
struct verdict {
    char *expression;
    double observed; /* NaN: nothing was */
    bool passed;
};

struct summary {
    struct query_run run;
    struct query_resources resources;
    struct query_options options;
    struct alarms alarms;
    struct storage storage;
    struct recordings recordings;
    int64_t requests, attempts, succeeded, failed, retries, throttled,
        first_s; /* first_s -1: none */
    struct query_members members;
    int64_t missed; /* items that reads did not find */
    int64_t invalid, conditions, conflicts, cancelled,
        unsent; /* what AWS answered beside served and throttled */
    double read_units, write_units, p50_ms, p99_ms;
    char *reason, *unretried; /* the main reason; workloads that do not retry */
    struct line *lines;
    size_t line_count, line_capacity;
    struct verdict *verdicts;
    size_t verdict_count, verdict_capacity;
};

/* ---- reading ---- */

static const char from_view[] =
    "SELECT requests, attempts, succeeded, failed, retries, throttled_attempts, read_units,"
    " write_units, caller_p50_ms, caller_p99_ms FROM summary WHERE run_id = ?";
static const char from_tables[] =
    "WITH w AS (SELECT requests, attempts, succeeded, failed, retries, throttled_attempts"
    " FROM workload_total WHERE run_id = ?1 UNION ALL SELECT requests, attempts, succeeded, failed,"
    " retries, throttled_attempts FROM workload_second WHERE run_id = ?1 AND NOT EXISTS"
    " (SELECT 1 FROM workload_total WHERE run_id = ?1))"
    " SELECT sum(requests), sum(attempts), sum(succeeded), sum(failed), sum(retries),"
    " sum(throttled_attempts),"
    " (SELECT coalesce(sum(read_units), 0) FROM second WHERE run_id = ?1),"
    " (SELECT coalesce(sum(write_units), 0) FROM second WHERE run_id = ?1), NULL, NULL FROM w";

static enum ddbsim_status read_totals(struct sqlite3 *database, int64_t run_id, struct summary *s,
                                      struct ddbsim_error *error) {
    bool view = false;
    enum ddbsim_status status = query_has(database, error, "summary", &view);
    if (status != DDBSIM_OK) return status;
    int64_t *counts[] = {&s->requests, &s->attempts, &s->succeeded,
                         &s->failed,   &s->retries,  &s->throttled};
    double *reals[] = {&s->read_units, &s->write_units, &s->p50_ms, &s->p99_ms};
    struct query query;
    query_open(&query, database, error, view ? from_view : from_tables, "i", run_id);
    if (query_next(&query)) {
        for (int i = 0; i < 6; i++)
            *counts[i] = query_int(&query, i);
        for (int i = 0; i < 4; i++)
            *reals[i] = query_double(&query, 6 + i);
    }
    return query_close(&query);
}

/* The quantile of callers' time to success, linear inside its histogram row. */
static enum ddbsim_status read_quantile(struct sqlite3 *database, int64_t run_id, double q,
                                        double *ms, struct ddbsim_error *error) {
    if (!isnan(*ms)) return DDBSIM_OK; /* the view has said it */
    return query_one_double(
        database, error, ms,
        "WITH h AS (SELECT low_us, max(high_us) AS high_us, sum(count) AS n FROM latency"
        " WHERE run_id = ?1 AND kind = 'caller' AND outcome = 'success' GROUP BY low_us),"
        " c AS (SELECT *, sum(n) OVER (ORDER BY low_us) AS up_to, sum(n) OVER () AS whole FROM h)"
        " SELECT (low_us + (high_us - low_us) * (whole * ?2 - (up_to - n)) / n) / 1000.0 FROM c"
        " WHERE up_to >= whole * ?2 ORDER BY low_us LIMIT 1",
        "id", run_id, q);
}

static enum ddbsim_status read_reason(struct sqlite3 *database, int64_t run_id, struct summary *s,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status = query_one_text(
        database, error, &s->reason,
        "SELECT reason FROM throttle WHERE run_id = ? GROUP BY reason HAVING sum(first_events) > 0"
        " ORDER BY sum(first_events) DESC, reason LIMIT 1",
        "i", run_id);
    if (status == DDBSIM_OK)
        status =
            query_one_int(database, error, -1, &s->first_s,
                          "SELECT min(t) FROM (SELECT min(t_s) AS t FROM throttle WHERE run_id ="
                          " ?1 UNION ALL SELECT min(t_ns) / 1000000000 FROM event WHERE run_id ="
                          " ?1 AND kind = 'throttling_started')",
                          "i", run_id);
    if (status == DDBSIM_OK)
        status =
            query_one_text(database, error, &s->unretried,
                           "SELECT group_concat(w, ', ') FROM (SELECT DISTINCT t.workload AS w FROM"
                           " workload_total t JOIN setting s ON s.run_id = t.run_id AND s.value = "
                           "'none' AND s.path"
                           " IN ('workloads.' || t.workload || '.client.preset',"
                           " 'workloads.\"' || t.workload || '\".client.preset')"
                           " WHERE t.run_id = ? ORDER BY w)",
                           "i", run_id);
    return status;
}

static void name_line(struct line *line) {
    const struct query_resource *r = line->resource;
    snprintf(line->name, sizeof line->name, "%s%s%s %s", r->table, r->index ? "/" : "",
             r->index ? r->index : "", line->write ? "write" : "read");
}

/* The capacity that a line's resource had, in one pass over its seconds, of which there may be many. */
static enum ddbsim_status read_capacity(struct sqlite3 *database, const struct summary *s,
                                        struct line *line, struct ddbsim_error *error) {
#define LIMITS(limit)                                                                        \
    "SELECT min(" limit "), max(" limit "), (SELECT " limit " FROM second WHERE run_id = ?1" \
    " AND resource_id = ?2 ORDER BY t_s DESC LIMIT 1) FROM second WHERE run_id = ?1"         \
    " AND resource_id = ?2"
    struct query query;
    query_open(&query, database, error, line->write ? LIMITS("write_limit") : LIMITS("read_limit"),
               "ii", s->run.run_id, line->resource->resource_id);
#undef LIMITS
    if (query_next(&query)) {
        line->lowest_capacity = query_double(&query, 0);
        line->highest_capacity = query_double(&query, 1);
        line->capacity = query_double(&query, 2);
    }
    return query_close(&query);
}

/* What one resource had and served in one direction; dropped when nothing was asked of it. */
static enum ddbsim_status read_line(struct sqlite3 *database, struct summary *s,
                                    const struct query_resource *resource, bool write,
                                    struct ddbsim_error *error) {
    static const char sql[] =
        "SELECT (SELECT sum(sum) FROM metric WHERE run_id = ?1 AND resource_id = ?2 AND name = ?4"
        " AND operation = '' AND dimension = '' AND period_s = 60),"
        " (SELECT max(sum / period_s) FROM metric WHERE run_id = ?1 AND resource_id = ?2 AND name "
        "= ?4"
        " AND operation = '' AND dimension = '' AND period_s = 60),"
        " (SELECT coalesce(sum(events), 0) FROM throttle WHERE run_id = ?1 AND resource_id = ?2"
        " AND (reason LIKE '%Write%') = ?3)";
    struct query query;
    void *items = s->lines;
    query_open(
        &query, database, error, sql, "iiit", s->run.run_id, resource->resource_id, (int64_t)write,
        ddbsim_metric_name(write ? DDBSIM_METRIC_CONSUMED_WRITE : DDBSIM_METRIC_CONSUMED_READ));
    bool used = query_next(&query) && (query_double(&query, 0) > 0 || query_int(&query, 2) > 0);
    if (used && !vector_reserve(&items, &s->line_capacity, s->line_count + 1, sizeof *s->lines)) {
        (void)query_close(&query);
        return error_memory(error);
    }
    s->lines = items;
    if (used) {
        double units = query_double(&query, 0), seconds = s->run.simulated_s;
        struct line *line = &s->lines[s->line_count++];
        *line = (struct line){.resource = resource,
                              .write = write,
                              .capacity = NAN,
                              .lowest_capacity = NAN,
                              .highest_capacity = NAN,
                              .units = isnan(units) ? 0 : units,
                              .mean = seconds > 0 && !isnan(units) ? units / seconds : 0,
                              .peak = query_is_null(&query, 1) ? 0 : query_double(&query, 1),
                              .refused = query_int(&query, 2)};
        name_line(line);
    }
    enum ddbsim_status status = query_close(&query);
    if (status != DDBSIM_OK || !used) return status;
    return read_capacity(database, s, &s->lines[s->line_count - 1], error);
}

static enum ddbsim_status read_verdicts(struct sqlite3 *database, struct summary *s,
                                        struct ddbsim_error *error) {
    bool judged = false;
    struct query query;
    enum ddbsim_status status = query_has(database, error, "verdict", &judged);
    if (status != DDBSIM_OK || !judged) return status;
    query_open(&query, database, error,
               "SELECT expression, observed, passed FROM verdict WHERE run_id = ?"
               " AND kind = 'threshold' ORDER BY expression",
               "i", s->run.run_id);
    while (query_next(&query)) {
        void *items = s->verdicts;
        if (!vector_reserve(&items, &s->verdict_capacity, s->verdict_count + 1,
                            sizeof *s->verdicts)) {
            (void)query_close(&query);
            return error_memory(error);
        }
        s->verdicts = items;
        s->verdicts[s->verdict_count++] = (struct verdict){
            query_copy(&query, 0), query_double(&query, 1), query_int(&query, 2) != 0};
    }
    return query_close(&query);
}

static void clear(struct summary *s) {
    for (size_t i = 0; i < s->verdict_count; i++)
        free(s->verdicts[i].expression);
    free(s->verdicts);
    alarms_clear(&s->alarms);
    storage_clear(&s->storage);
    recordings_clear(&s->recordings);
    query_options_clear(&s->options);
    query_resources_clear(&s->resources);
    query_run_clear(&s->run);
    free(s->reason);
    free(s->unretried);
    free(s->lines);
}

static enum ddbsim_status read_answers(struct sqlite3 *database, int64_t run_id, struct summary *s,
                                       struct ddbsim_error *error) {
    struct query query;
    query_open(&query, database, error,
               "SELECT CAST(total(value) FILTER (WHERE name = 'missed_items') AS INTEGER),"
               " CAST(total(value) FILTER (WHERE name = 'user_errors') AS INTEGER),"
               " CAST(total(value) FILTER (WHERE name = 'conditions_failed') AS INTEGER),"
               " CAST(total(value) FILTER (WHERE name = 'conflicts') AS INTEGER),"
               " CAST(total(value) FILTER (WHERE name LIKE 'cancelled!_%' ESCAPE '!') AS INTEGER),"
               " CAST(total(value) FILTER (WHERE name = 'breaker_refused') AS INTEGER)"
               " FROM outcome WHERE run_id = ? AND scope = ''",
               "i", run_id);
    if (query_next(&query)) {
        s->missed = query_int(&query, 0);
        s->invalid = query_int(&query, 1);
        s->conditions = query_int(&query, 2);
        s->conflicts = query_int(&query, 3);
        s->cancelled = query_int(&query, 4);
        s->unsent = query_int(&query, 5);
    }
    return query_close(&query);
}

static int by_time(const void *left, const void *right) {
    const struct alarm *a = left, *b = right;
    if (a->rang_s != b->rang_s) return a->rang_s < b->rang_s ? -1 : 1;
    return strcmp(a->name, b->name);
}

static enum ddbsim_status read_all(struct sqlite3 *database, int64_t run_id, struct summary *s,
                                   struct ddbsim_error *error) {
    *s = (struct summary){.p50_ms = NAN, .p99_ms = NAN};
    enum ddbsim_status status = query_run_read(database, run_id, &s->run, error);
    if (status == DDBSIM_OK) status = query_resources_read(database, run_id, &s->resources, error);
    if (status == DDBSIM_OK) status = query_options_read(database, run_id, &s->options, error);
    if (status == DDBSIM_OK)
        status = alarms_read(database, run_id, &s->resources, &s->alarms, error);
    if (status == DDBSIM_OK) status = storage_read(database, run_id, &s->storage, error);
    if (status == DDBSIM_OK) status = recordings_read(database, run_id, &s->recordings, error);
    if (status == DDBSIM_OK) status = read_verdicts(database, s, error);
    if (status == DDBSIM_OK) status = read_totals(database, run_id, s, error);
    if (status == DDBSIM_OK) status = query_members_read(database, run_id, &s->members, error);
    if (status == DDBSIM_OK) status = read_answers(database, run_id, s, error);
    if (status == DDBSIM_OK) status = read_quantile(database, run_id, 0.5, &s->p50_ms, error);
    if (status == DDBSIM_OK) status = read_quantile(database, run_id, 0.99, &s->p99_ms, error);
    if (status == DDBSIM_OK) status = read_reason(database, run_id, s, error);
    for (size_t i = 0; i < 2 * s->resources.count && status == DDBSIM_OK; i++)
        status = read_line(database, s, &s->resources.items[i / 2], i % 2 == 0, error);
    if (status == DDBSIM_OK && s->alarms.count > 0)
        qsort(s->alarms.items, s->alarms.count, sizeof *s->alarms.items, by_time);
    if (status != DDBSIM_OK) clear(s);
    return status;
}

/* ---- words ---- */

/* 0 where the output is no terminal: then nothing is folded. */
static int columns_of(FILE *out) {
    struct winsize size;
    int file = fileno(out);
    if (file < 0 || !isatty(file) || ioctl(file, TIOCGWINSZ, &size) != 0) return 0;
    return size.ws_col;
}

static void print_field(const struct words_page *page, const char *label, const char *text) {
    char lead[32];
    snprintf(lead, sizeof lead, "%-11s", label);
    words_wrap(page, lead, text);
}

static void print_head(const struct words_page *page, const struct summary *s) {
    char text[1024], from[QUERY_CLOCK_BYTES], span[WORDS_BYTES], whole[WORDS_BYTES];
    query_moment(&s->run, 0, false, from);
    words_style(page, WORDS_STRONG);
    words_wrap(page, "", *s->run.title ? s->run.title : s->run.scenario);
    words_style(page, WORDS_PLAIN);
    char *variant = query_variant(&s->run, &s->options);
    snprintf(text, sizeof text, "%s, variant %s, seed %llu", s->run.scenario,
             variant ? variant : s->run.variant, (unsigned long long)s->run.seed);
    free(variant);
    print_field(page, "Scenario", text);
    words_duration(span, s->run.simulated_s);
    words_duration(whole, (double)s->run.duration_s);
    if (strcmp(s->run.status, "complete") == 0)
        snprintf(text, sizeof text, "%s from %s", span, from);
    else
        snprintf(text, sizeof text, "%s of %s from %s (%s)", span, whole, from, s->run.status);
    print_field(page, "Simulated", text);
}

/* Where the load came from, if it was recorded. */
static void print_recordings(const struct words_page *page, const struct summary *s) {
    char text[1024];
    for (size_t i = 0; i < s->recordings.count; i++)
        print_field(page, i == 0 ? "Replayed" : "",
                    recordings_sentence(&s->recordings.items[i], text, sizeof text));
}

static double ratio(int64_t part, int64_t whole) {
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* Neither succeeded nor failed when the run ended. */
static int64_t in_flight(const struct summary *s) { return s->requests - s->succeeded - s->failed; }

/* What callers were told beside success and throttle; nothing where nobody was. */
static void print_answers(const struct words_page *page, const struct summary *s) {
    const struct {
        int64_t count;
        const char *what;
    } each[] = {{s->invalid, "invalid (UserErrors)"},
                {s->conditions, "conditions failed"},
                {s->conflicts, "writes met a transaction"},
                {s->cancelled, "transactions cancelled"}};
    char text[512] = "";
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        size_t used = strlen(text);
        if (each[i].count > 0)
            snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "",
                     COUNT(each[i].count), each[i].what);
    }
    if (text[0]) print_field(page, "Answers", text);
}

static void print_counts(const struct words_page *page, const struct summary *s) {
    char text[512], open[WORDS_BYTES + 32] = "";
    if (in_flight(s) > 0)
        snprintf(open, sizeof open, ", %s in flight at the end", COUNT(in_flight(s)));
    snprintf(text, sizeof text, "%s, %s succeeded, %s failed (%s)%s", COUNT(s->requests),
             COUNT(s->succeeded), COUNT(s->failed), PERCENT(ratio(s->failed, s->requests)), open);
    print_field(page, "Requests", text);
    snprintf(text, sizeof text, "%s, %s of them retries", COUNT(s->attempts), COUNT(s->retries));
    print_field(page, "Attempts", text);
    print_answers(page, s);
    if (s->unsent > 0) {
        snprintf(text, sizeof text, "%s calls, or retries, that it did not let pass",
                 COUNT(s->unsent));
        print_field(page, "Breaker", text);
    }
    if (s->missed > 0) {
        snprintf(text, sizeof text, "%s items that reads should have found", COUNT(s->missed));
        words_style(page, WORDS_BAD);
        print_field(page, "Missed", text);
        words_style(page, WORDS_PLAIN);
    }
    if (s->members.sent == 0) return;
    snprintf(text, sizeof text, "%s of batches sent, %s refused (%s), %s not sent again",
             COUNT(s->members.sent), COUNT(s->members.throttled),
             PERCENT(ratio(s->members.throttled, s->members.sent)), COUNT(s->members.lost));
    print_field(page, "Members", text);
}

static void print_throttled(const struct words_page *page, const struct summary *s) {
    char text[512], first[QUERY_CLOCK_BYTES] = "unknown";
    words_style(page, s->throttled + s->members.throttled > 0 ? WORDS_BAD : WORDS_GOOD);
    if (s->throttled == 0) {
        print_field(page, "Throttled", s->members.throttled > 0 ? "no attempt as a whole" : "none");
    } else {
        if (s->first_s >= 0) query_moment(&s->run, s->first_s, true, first);
        snprintf(text, sizeof text, "%s attempts (%s), first at %s, mainly %s", COUNT(s->throttled),
                 PERCENT(ratio(s->throttled, s->attempts)), first,
                 s->reason ? s->reason : "unknown");
        print_field(page, "Throttled", text);
    }
    words_style(page, WORDS_PLAIN);
}

#define ALARMS_NAMED 3

static bool rang(const struct alarm *alarm) {
    return alarm->owner == ALARM_USER && alarm->rang_s >= 0;
}

/* The user's alarms that rang, the first ones by name. */
static void print_alarms(const struct words_page *page, const struct summary *s) {
    char text[512] = "", when[QUERY_CLOCK_BYTES];
    size_t used = 0, count = 0;
    for (size_t i = 0; i < s->alarms.count; i++) {
        const struct alarm *alarm = &s->alarms.items[i];
        if (!rang(alarm) || count++ >= ALARMS_NAMED) continue;
        query_moment(&s->run, alarm->rang_s, false, when);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.100s rang at %s",
                                 count > 1 ? ", " : "", alarm->name, when);
    }
    if (count > ALARMS_NAMED)
        snprintf(text + used, sizeof text - used, " and %zu more", count - ALARMS_NAMED);
    if (count > 0) print_field(page, "Alarms", text);
}

/* Units that indexes, or tables, consumed in one direction. */
static double units_of(const struct summary *s, bool index, bool write) {
    double units = 0;
    for (size_t i = 0; i < s->line_count; i++)
        if ((s->lines[i].resource->index != NULL) == index && s->lines[i].write == write)
            units += s->lines[i].units;
    return units;
}

/* "3 write units (tables 1, indexes 2)": the parts where an index has one. */
static const char *consumed_text(const struct summary *s, bool write, char out[4 * WORDS_BYTES]) {
    double all = write ? s->write_units : s->read_units, index = units_of(s, true, write);
    int used = snprintf(out, 4 * WORDS_BYTES, "%s %s units", NUMBER(all), write ? "write" : "read");
    if (index > 0)
        snprintf(out + used, (size_t)(4 * WORDS_BYTES - used), " (tables %s, indexes %s)",
                 NUMBER(units_of(s, false, write)), NUMBER(index));
    return out;
}

static void print_rest(const struct words_page *page, const struct summary *s) {
    char text[512], writes[4 * WORDS_BYTES], reads[4 * WORDS_BYTES];
    snprintf(text, sizeof text, "%s, %s", consumed_text(s, true, writes),
             consumed_text(s, false, reads));
    print_field(page, "Consumed", text);
    if (!isnan(s->p50_ms)) {
        snprintf(text, sizeof text, "p50 %s ms, p99 %s ms to success, waits included",
                 NUMBER(s->p50_ms), NUMBER(s->p99_ms));
        print_field(page, "Callers", text);
    }
    if (s->unretried) {
        snprintf(text, sizeof text, "none: preset none (%s)", s->unretried);
        print_field(page, "Retry", text);
    }
}

/* What tables with TTL held, then and now. */
static void print_storage(const struct words_page *page, const struct summary *s) {
    char text[512], first[WORDS_BYTES], last[WORDS_BYTES];
    for (size_t i = 0; i < s->storage.count; i++) {
        const struct stored *stored = &s->storage.items[i];
        snprintf(text, sizeof text,
                 "%.100s/%.100s %s at the start, %s at the end; %s items deleted by TTL",
                 stored->table, stored->entity, storage_size(first, stored->first_bytes),
                 storage_size(last, stored->bytes), COUNT(stored->deleted));
        print_field(page, i == 0 ? "Storage" : "", text);
    }
}

static const char *capacity_text(const struct line *line, char out[2 * WORDS_BYTES]) {
    if (isnan(line->capacity))
        snprintf(out, 2 * WORDS_BYTES, "-");
    else if (line->lowest_capacity < line->highest_capacity)
        snprintf(out, 2 * WORDS_BYTES, "%s..%s", NUMBER(line->lowest_capacity),
                 NUMBER(line->highest_capacity));
    else
        snprintf(out, 2 * WORDS_BYTES, "%s", NUMBER(line->capacity));
    return out;
}

static void print_stacked(const struct words_page *page, const struct line *line) {
    char text[512], capacity[2 * WORDS_BYTES];
    words_wrap(page, "", line->name);
    snprintf(text, sizeof text, "capacity %s, mean %s, peak minute %s, refused %s",
             capacity_text(line, capacity), NUMBER(line->mean), NUMBER(line->peak),
             COUNT(line->refused));
    words_wrap(page, "  ", text);
}

static void print_lines(const struct words_page *page, const struct summary *s) {
    if (s->line_count == 0) return;
    int widest = NAME_LEAST;
    for (size_t i = 0; i < s->line_count; i++)
        if (words_width(s->lines[i].name) > widest) widest = words_width(s->lines[i].name);
    bool narrow =
        page->columns > 0 && (page->columns < NARROW_COLUMNS || widest + 48 > page->columns);
    fputc('\n', page->out);
    words_style(page, WORDS_DIM);
    if (!narrow)
        fprintf(page->out, "%-*s %11s %11s %11s %11s\n", widest, "units/s", "capacity", "mean",
                "peak minute", "refused");
    words_style(page, WORDS_PLAIN);
    for (size_t i = 0; i < s->line_count; i++) {
        const struct line *line = &s->lines[i];
        char capacity[2 * WORDS_BYTES];
        if (line->refused > 0) words_style(page, WORDS_BAD);
        if (narrow)
            print_stacked(page, line);
        else /* a name's bytes may be more than its columns */
            fprintf(page->out, "%s%*s %11s %11s %11s %11s\n", line->name,
                    widest - words_width(line->name), "", capacity_text(line, capacity),
                    NUMBER(line->mean), NUMBER(line->peak), COUNT(line->refused));
        if (line->refused > 0) words_style(page, WORDS_PLAIN);
    }
}

enum ddbsim_status summary_print(struct sqlite3 *database, int64_t run_id, FILE *out, bool colour,
                                 struct ddbsim_error *error) {
    struct summary s;
    enum ddbsim_status status = read_all(database, run_id, &s, error);
    if (status != DDBSIM_OK) return status;
    const struct words_page page = {out, columns_of(out), colour};
    print_head(&page, &s);
    print_recordings(&page, &s);
    print_counts(&page, &s);
    print_throttled(&page, &s);
    print_alarms(&page, &s);
    print_rest(&page, &s);
    print_storage(&page, &s);
    print_lines(&page, &s);
    clear(&s);
    return DDBSIM_OK;
}

/* ---- JSON ---- */

static json_t *json_lines(const struct summary *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->line_count; i++) {
        const struct line *line = &s->lines[i];
        list = tojson_append(list, json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:I}", "table",
                                             tojson_text(line->resource->table), "index",
                                             tojson_text(line->resource->index), "direction",
                                             line->write ? "write" : "read", "capacity_per_s",
                                             tojson_number(line->capacity), "mean_per_s",
                                             tojson_number(line->mean), "peak_minute_per_s",
                                             tojson_number(line->peak), "throttle_events",
                                             (json_int_t)line->refused));
    }
    return list;
}

static json_t *json_alarms(const struct summary *s) {
    json_t *list = json_array();
    char when[QUERY_CLOCK_BYTES];
    for (size_t i = 0; i < s->alarms.count; i++) {
        const struct alarm *alarm = &s->alarms.items[i];
        if (!rang(alarm)) continue;
        query_moment(&s->run, alarm->rang_s, true, when);
        list = tojson_append(list,
                             json_pack("{s:o, s:o, s:I}", "alarm", tojson_text(alarm->name), "rang",
                                       tojson_text(when), "rings", (json_int_t)alarm->rings));
    }
    return list;
}

static json_t *json_recordings(const struct summary *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->recordings.count; i++) {
        const struct replayed *r = &s->recordings.items[i];
        list = tojson_append(list, json_pack("{s:o, s:o, s:o, s:I, s:I, s:I}", "workload",
                                             tojson_text(r->workload), "file", tojson_text(r->file),
                                             "format", tojson_text(r->format), "rows",
                                             (json_int_t)r->counts[RECORDING_ROWS], "arrivals",
                                             (json_int_t)r->counts[RECORDING_ARRIVALS], "bad_rows",
                                             (json_int_t)r->counts[RECORDING_BAD]));
    }
    return list;
}

static json_t *json_storage(const struct summary *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->storage.count; i++) {
        const struct stored *stored = &s->storage.items[i];
        list = tojson_append(
            list,
            json_pack("{s:o, s:o, s:I, s:o, s:I, s:o, s:I, s:I}", "table",
                      tojson_text(stored->table), "entity", tojson_text(stored->entity),
                      "first_items", (json_int_t)stored->first_items, "first_bytes",
                      tojson_number(stored->first_bytes), "items", (json_int_t)stored->items,
                      "bytes", tojson_number(stored->bytes), "expired", (json_int_t)stored->expired,
                      "ttl_deleted", (json_int_t)stored->deleted));
    }
    return list;
}

static json_t *json_verdicts(const struct summary *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->verdict_count; i++)
        list = tojson_append(list, json_pack("{s:o, s:o, s:b}", "expression",
                                             tojson_text(s->verdicts[i].expression), "observed",
                                             tojson_number(s->verdicts[i].observed), "passed",
                                             s->verdicts[i].passed));
    return list;
}

static json_t *json_options(const struct summary *s) {
    json_t *settings = json_object();
    for (size_t i = 0; i < s->options.count; i++)
        settings =
            tojson_set(settings, s->options.items[i].path, tojson_text(s->options.items[i].value));
    return settings;
}

static json_t *json_first(const struct summary *s) {
    char first[QUERY_CLOCK_BYTES];
    if (s->first_s < 0) return json_null();
    query_moment(&s->run, s->first_s, true, first);
    return tojson_text(first);
}

enum ddbsim_status summary_print_json(struct sqlite3 *database, int64_t run_id, FILE *out,
                                      struct ddbsim_error *error) {
    struct summary s;
    enum ddbsim_status status = read_all(database, run_id, &s, error);
    if (status != DDBSIM_OK) return status;
    json_t *root = json_pack(
        "{s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o,"
        " s:o, s:o, s:o, s:o, s:I, s:f, s:f, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:I, "
        "s:I, s:I, s:I, s:o}",
        "scenario", tojson_text(s.run.scenario), "title", tojson_text(s.run.title), "variant",
        tojson_text(s.run.variant), "replication", (json_int_t)s.run.replication, "seed",
        (json_int_t)s.run.seed, "start", tojson_text(s.run.start), "status",
        tojson_text(s.run.status), "simulated_s", tojson_number(s.run.simulated_s), "requests",
        (json_int_t)s.requests, "attempts", (json_int_t)s.attempts, "succeeded",
        (json_int_t)s.succeeded, "failed", (json_int_t)s.failed, "retries", (json_int_t)s.retries,
        "throttled_attempts", (json_int_t)s.throttled, "throttled_ratio",
        tojson_number(ratio(s.throttled, s.attempts)), "first_throttle", json_first(&s),
        "main_reason", tojson_text(s.reason), "read_units", tojson_number(s.read_units),
        "write_units", tojson_number(s.write_units), "caller_p50_ms", tojson_number(s.p50_ms),
        "caller_p99_ms", tojson_number(s.p99_ms), "resources", json_lines(&s), "in_flight",
        (json_int_t)in_flight(&s), "index_read_units", units_of(&s, true, false),
        "index_write_units", units_of(&s, true, true), "set", json_options(&s), "thresholds",
        json_verdicts(&s), "alarms", json_alarms(&s), "members", (json_int_t)s.members.sent,
        "throttled_members", (json_int_t)s.members.throttled, "lost_members",
        (json_int_t)s.members.lost, "storage", json_storage(&s), "missed_items",
        (json_int_t)s.missed, "user_errors", (json_int_t)s.invalid, "conditions_failed",
        (json_int_t)s.conditions, "conflicts", (json_int_t)s.conflicts, "cancelled",
        (json_int_t)s.cancelled, "breaker_refused", (json_int_t)s.unsent, "recordings",
        json_recordings(&s));
    clear(&s);
    return tojson_print(root, out, error);
}
