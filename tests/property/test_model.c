/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The model over random scenarios: what must hold whatever somebody writes. Conservation between log
 * tables, bounds that no bucket may exceed, and relations between two runs of which one is changed in a
 * way whose effect is known (order of the text, slices of time, more capacity, no limits, all doubled).
 * A failing case prints its scenario.
 */
#include <support/cmocka.h>
#include <support/prop.h>
#include <support/run_rows.h>

#include <math.h>

enum { PART_MAX = 3, INDEX_MAX = 3 };

/* ---- random scenarios ---- */

struct text {
    FILE *out;
    char *bytes;
    size_t length;
};

static void text_open(struct text *text) {
    *text = (struct text){0};
    text->out = open_memstream(&text->bytes, &text->length);
    assert_non_null(text->out);
}

static bool chance(struct rng *rng, int percent) { return prop_between(rng, 1, 100) <= percent; }

static const char *any(struct rng *rng, const char *const *words, int count) {
    return words[prop_between(rng, 0, count - 1)];
}

/* 1 .. most, every order of magnitude as likely. */
static int64_t spread(struct rng *rng, uint32_t bits, int64_t most) {
    int64_t value = 1 + (int64_t)prop_magnitude(rng, bits);
    return value < most ? value : most;
}

static int64_t item_bytes(struct rng *rng) {
    return spread(rng, chance(rng, 90) ? 13 : 19, 409600);
}

/* What was drawn, so that the same scenario can be written in another order or with other numbers. */
struct drawn {
    uint64_t seed;
    int64_t tables, workloads, start_s, duration_ms;
    bool reversed, throttling, changes;
    bool all_kinds;    /* reads are eventual ones, some of them Queries; batches and transactions */
    const char *model; /* of every table; NULL: each its own */
    const char *client; /* more of every client; NULL: nothing */
};

static struct rng part_rng(const struct drawn *d, const char *what, int64_t number) {
    struct rng rng;
    rng_seed(&rng, rng_stream_key(d->seed, (uint32_t)number, what));
    return rng;
}

static void put_values(const struct drawn *d, FILE *out) {
    struct rng rng = part_rng(d, "values", 0);
    static const char *const kinds[] = {"uniform", "zipfian", "sequential", "single"};
    fputs("values:\n", out);
    for (int i = 0; i < PART_MAX; i++) {
        const char *kind = any(&rng, kinds, 4);
        fprintf(out, "  v%d: {count: %lld, distribution: %s%s}\n", i,
                (long long)spread(&rng, 14, 10000), kind,
                strcmp(kind, "zipfian") == 0 ? ", theta: 0.9, scrambled: true" : "");
    }
    fputs("  words: {list: {one: 99.9999999%, two: 0.0000001%}}\n", out);
    fputs("  alone: {list: {only: 100%}}\n", out);
}

static void put_entity(struct rng *rng, int64_t table, int number, bool sorted, FILE *out) {
    static const char *const keys[] = {"{v0}", "{v1}#{v2}", "{v2}", "{words}", "{alone}"};
    static const char *const sorts[] = {"S#{n}", "{time}", "{uuid}", "{v1}", "fixed"};
    fprintf(out, "      - {name: e%d, partition_key: \"T%lld#%d#%s\", count: %lld, size: %lld B",
            number, (long long)table, number, any(rng, keys, 5), (long long)spread(rng, 16, 50000),
            (long long)item_bytes(rng));
    if (sorted) fprintf(out, ", sort_key: \"%s\"", any(rng, sorts, 5));
    fputs("}\n", out);
}

static int entity_count(const struct drawn *d, int64_t table) {
    struct rng rng = part_rng(d, "entities", table);
    return (int)prop_between(&rng, 1, 3);
}

static int index_count(const struct drawn *d, int64_t table) {
    struct rng rng = part_rng(d, "indexes", table);
    return chance(&rng, 30) ? 0 : (int)prop_between(&rng, 1, INDEX_MAX);
}

static void put_capacity(struct rng *rng, FILE *out) {
    fprintf(out, "read_capacity: %lld, write_capacity: %lld", (long long)spread(rng, 11, 40000),
            (long long)spread(rng, 11, 40000));
    if (chance(rng, 60))
        fprintf(out, ", burst: {initial: %lld%%, window: %llds}",
                (long long)prop_between(rng, 0, 100), (long long)spread(rng, 9, 300));
    if (chance(rng, 50)) fprintf(out, ", partitions: %lld", (long long)spread(rng, 6, 50));
}

static void put_index(struct rng *rng, int number, FILE *out) {
    static const char *const pressures[] = {"observed", "textbook", "{buffer: 0, grace: 0s}",
                                            "{buffer: 10, grace: 1s, resume: 100%}",
                                            "{preset: textbook, scope: touching, resume: 50%}"};
    static const char *const keys[] = {"{v0}", "{v1}", "{words}", "fixed"};
    static const char *const projections[] = {"ALL", "KEYS_ONLY"};
    fprintf(out, "      - {name: i%d, partition_key: \"I%d#%s\"%s, projection: %s, ", number,
            number, any(rng, keys, 4), chance(rng, 50) ? ", sort_key: \"{time}\"" : "",
            any(rng, projections, 2));
    put_capacity(rng, out);
    fprintf(out, ", backpressure: %s}\n", any(rng, pressures, 5));
}

static void put_table(const struct drawn *d, int64_t number, FILE *out) {
    struct rng rng = part_rng(d, "table", number);
    int indexes = index_count(d, number), entities = entity_count(d, number);
    bool sorted = chance(&rng, 60);
    fprintf(out, "  - name: t%lld\n    new: %s\n    throttling: %s\n", (long long)number,
            chance(&rng, 30) ? "true" : "false", d->throttling ? "true" : "false");
    static const char *const models[] = {
        "{}",
        "{partition_burst: 100ms, update_delay: 0s}",
        "{index_lag_median: 0s, index_lag_p99: 0s}",
        "{partition_write_limit: 20, partition_read_limit: 30, index_buffer: 5}",
        "{rw_coupled: on, token_leak: on, burst_steal_rate: 20%}",
        "{token_debt: strict, capacity_tokens: reset, replica_read_limit: 100}",
        "{gac_refill: 3s, routers: 7, token_debt: strict}",
        "{admission: static, node_limit: 200, node_partitions: 3, burst_steal_rate: 1%}",
        "{node_limit: 50, token_leak: on, update_delay: 0s}"};
    const char *model = any(&rng, models, sizeof models / sizeof models[0]);
    fprintf(out, "    model: %s\n    entities:\n", d->model ? d->model : model);
    for (int i = 0; i < entities; i++) {
        int entity = d->reversed ? entities - 1 - i : i;
        struct rng own = part_rng(d, "entity", number * 10 + entity);
        put_entity(&own, number, entity, sorted, out);
    }
    fputs("    indexes:\n", out);
    for (int i = 0; i < indexes; i++) {
        struct rng own = part_rng(d, "index", number * 10 + i);
        put_index(&own, i, out);
    }
    if (indexes == 0) fputs("      []\n", out);
    struct rng own = part_rng(d, "capacity", number);
    fputs("    read_capacity: ", out);
    fprintf(out, "%lld\n    write_capacity: %lld\n", (long long)spread(&own, 10, 40000),
            (long long)spread(&own, 10, 40000));
    fprintf(out, "    burst: {initial: %lld%%}\n", (long long)prop_between(&own, 0, 30));
    fprintf(out, "    partitions: %lld\n", (long long)spread(&own, 6, 50));
}

static void put_effects(const struct drawn *d, struct rng *rng, int64_t table, FILE *out) {
    static const char *const effects[] = {"{move: 100%}", "{add: 50%, remove: 50%}",
                                          "{untouched: 100%}", "{move: 30%}"};
    int indexes = index_count(d, table);
    if (indexes == 0 || chance(rng, 40)) return;
    fputs(", index_effect: {", out);
    for (int i = 0; i < indexes; i++)
        fprintf(out, "%si%d: %s", i ? ", " : "", i, any(rng, effects, 4));
    fputs("}", out);
}

static void put_share(struct rng *rng, bool sequence, FILE *out) {
    if (sequence)
        fprintf(out, ", times: %lld, probability: %lld%%", (long long)spread(rng, 3, 1000),
                (long long)prop_between(rng, 0, 100));
    else
        fprintf(out, ", weight: %lld", (long long)spread(rng, 7, 100));
    fputs("}\n", out);
}

/* A batch, or a transaction. */
static void put_several(const struct drawn *d, struct rng *rng, int number, bool sequence,
                        FILE *out) {
    static const char *const batches[] = {"BatchWriteItem", "BatchGetItem"};
    static const char *const actions[] = {"PutItem", "UpdateItem", "DeleteItem"};
    int64_t table = prop_between(rng, 0, d->tables - 1);
    int64_t entity = prop_between(rng, 0, entity_count(d, table) - 1);
    int64_t members = prop_between(rng, 1, 12);
    if (chance(rng, 50))
        fprintf(
            out, "      - {name: o%d, operation: %s, table: t%lld, entity: e%lld, batch_size: %lld",
            number, any(rng, batches, 2), (long long)table, (long long)entity, (long long)members);
    else
        fprintf(out,
                "      - {name: o%d, operation: TransactWriteItems, actions: [{operation: %s,"
                " table: t%lld, entity: e%lld, times: %lld}]",
                number, any(rng, actions, 3), (long long)table, (long long)entity,
                (long long)members);
    put_share(rng, sequence, out);
}

static void put_operation(const struct drawn *d, struct rng *rng, int number, bool sequence,
                          FILE *out) {
    static const char *const kinds[] = {"PutItem", "UpdateItem", "DeleteItem", "GetItem"};
    const char *kind = any(rng, kinds, 4);
    bool reads = strcmp(kind, "GetItem") == 0;
    if (reads && d->all_kinds && chance(rng, 50)) kind = "Query, items: 3";
    if (d->all_kinds && chance(rng, 30)) {
        put_several(d, rng, number, sequence, out);
        return;
    }
    int64_t table = prop_between(rng, 0, d->tables - 1);
    fprintf(out, "      - {name: o%d, operation: %s, table: t%lld, entity: e%lld", number, kind,
            (long long)table, (long long)prop_between(rng, 0, entity_count(d, table) - 1));
    if (reads && !d->all_kinds) fputs(", consistent_read: true", out);
    if (strcmp(kind, "UpdateItem") == 0) put_effects(d, rng, table, out);
    if (chance(rng, 30)) fprintf(out, ", size: %lld B", (long long)item_bytes(rng));
    put_share(rng, sequence, out);
}

static void put_load(struct rng *rng, FILE *out) {
    if (chance(rng, 40)) {
        fprintf(out, "    rate: %lld/s\n", (long long)prop_magnitude(rng, 9));
        return;
    }
    fprintf(out, "    start_rate: %lld/s\n    stages:\n", (long long)prop_magnitude(rng, 8));
    for (int64_t i = prop_between(rng, 1, 4); i > 0; i--)
        fprintf(out, "      - {duration: %lldms, target: %lld/s}\n",
                (long long)prop_between(rng, 0, 1) * (long long)prop_magnitude(rng, 15),
                (long long)prop_magnitude(rng, 9));
}

/* One paced workload at most: two would meet in the same nanosecond, where the order as written counts. */
static void put_workload(const struct drawn *d, int64_t number, FILE *out) {
    struct rng rng = part_rng(d, "workload", number);
    static const char *const presets[] = {"none", "boto3-standard", "full-jitter"};
    bool sequence = chance(&rng, 30);
    fprintf(out, "  - name: w%lld\n    table: t0\n    arrivals: %s\n", (long long)number,
            chance(&rng, 70) || number > 0 ? "poisson" : "paced");
    if (chance(&rng, 30))
        fprintf(out, "    start_time: +%lldms\n",
                (long long)prop_between(&rng, 0, d->duration_ms - 1));
    put_load(&rng, out);
    fprintf(out, "    client: {preset: %s, processes: %lld%s}\n", any(&rng, presets, 3),
            (long long)spread(&rng, 10, 1000), d->client ? d->client : "");
    fprintf(out, "    %s:\n", sequence ? "sequence" : "mix");
    int operations = (int)prop_between(&rng, 1, 4);
    for (int i = 0; i < operations; i++)
        put_operation(d, &rng, i, sequence, out);
}

static void put_changes(const struct drawn *d, FILE *out) {
    struct rng rng = part_rng(d, "changes", 0);
    if (!d->changes) return;
    fputs("changes:\n", out);
    for (int64_t i = prop_between(&rng, 1, 5); i > 0; i--) {
        int64_t at = chance(&rng, 20) ? 0 : prop_between(&rng, 0, d->duration_ms - 1);
        if (chance(&rng, 60))
            fprintf(out, "  - {name: c%lld, at: +%lldms, set: {tables.t0.%s_capacity: %lld}}\n",
                    (long long)i, (long long)at, chance(&rng, 50) ? "read" : "write",
                    (long long)spread(&rng, 16, 40000));
        else
            fprintf(out, "  - {name: c%lld, at: +%lldms, set: {workloads.*.scale: %lld}}\n",
                    (long long)i, (long long)at, (long long)prop_between(&rng, 0, 3));
    }
}

static char *write_scenario(const struct drawn *d) {
    struct text text;
    text_open(&text);
    fprintf(text.out, "version: 1\nname: random\nstart: 2026-01-01T00:%02lld:%02lld+00:00\n",
            (long long)d->start_s / 60, (long long)d->start_s % 60);
    fprintf(text.out, "duration: %lldms\n", (long long)d->duration_ms);
    put_values(d, text.out);
    fputs("tables:\n", text.out);
    for (int64_t i = 0; i < d->tables; i++)
        put_table(d, d->reversed ? d->tables - 1 - i : i, text.out);
    fputs("workloads:\n", text.out);
    for (int64_t i = 0; i < d->workloads; i++)
        put_workload(d, d->reversed ? d->workloads - 1 - i : i, text.out);
    put_changes(d, text.out);
    assert_int_equal(fclose(text.out), 0);
    return text.bytes;
}

static struct drawn draw_scenario(struct rng *rng) {
    return (struct drawn){
        .seed = rng_next(rng),
        .tables = prop_between(rng, 1, 3),
        .workloads = prop_between(rng, 1, 3),
        .start_s = prop_between(rng, 0, 3599),
        .duration_ms =
            chance(rng, 20) ? prop_between(rng, 1000, 1100) : prop_between(rng, 1000, 90000),
        .throttling = chance(rng, 85),
        .changes = chance(rng, 30),
    };
}

/* ---- conservation ---- */

static bool same(double a, double b, const char *what) {
    double scale = a > b ? a : b, difference = a > b ? a - b : b - a;
    if (difference <= 1e-9 * (scale > 1 ? scale : 1)) return true;
    print_error("%s: %.9f and %.9f\n", what, a, b);
    return false;
}

static double metric_sum(const struct rows *rows, const char *name) {
    return rows_sum(rows, DDBSIM_LOG_METRIC, 6, 1, name);
}

static bool requests_add_up(const struct rows *rows) {
    const struct ddbsim_totals *t = &rows->totals;
    double throttled = (double)t->throttled_attempts;
    PROP_CHECK(t->attempts == t->requests + t->retries);
    PROP_CHECK(t->succeeded + t->failed <= t->requests);
    PROP_CHECK(t->attempts - t->throttled_attempts == t->succeeded);
    return same((double)t->requests, rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, 3, 0, NULL),
                "requests") &&
           same((double)t->attempts, rows_sum(rows, DDBSIM_LOG_WORKLOAD_SECOND, 4, 0, NULL),
                "attempts") &&
           same((double)t->attempts, rows_sum(rows, DDBSIM_LOG_WORKLOAD_TOTAL, 4, 0, NULL),
                "totals") &&
           same(throttled, rows_sum(rows, DDBSIM_LOG_THROTTLE, 7, 0, NULL), "first reasons") &&
           same(throttled, metric_sum(rows, "ThrottledRequests"), "ThrottledRequests");
}

static bool units_add_up(const struct rows *rows) {
    double events =
        metric_sum(rows, "WriteThrottleEvents") + metric_sum(rows, "ReadThrottleEvents");
    double written = rows_sum(rows, DDBSIM_LOG_SECOND, 4, 0, NULL);
    double read = rows_sum(rows, DDBSIM_LOG_SECOND, 3, 0, NULL);
    return same(written, metric_sum(rows, "ConsumedWriteCapacityUnits"), "writes by minute") &&
           same(read, metric_sum(rows, "ConsumedReadCapacityUnits"), "reads by minute") &&
           same(read, rows_sum(rows, DDBSIM_LOG_PARTITION_SAMPLE, 3, 0, NULL),
                "reads by partition") &&
           same((double)rows->totals.read_half_units / 2, read, "read units") &&
           same(events, rows_sum(rows, DDBSIM_LOG_THROTTLE, 6, 0, NULL), "events by reason") &&
           same(events,
                rows_sum(rows, DDBSIM_LOG_SECOND, 9, 0, NULL) +
                    rows_sum(rows, DDBSIM_LOG_SECOND, 10, 0, NULL),
                "events by second");
}

/* No NaN, no infinity, no negative zero anywhere; times inside the run. */
static bool numbers_are_sane(const struct rows *rows, int64_t duration_ms) {
    double seconds = ceil((double)duration_ms / 1000);
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        for (size_t i = 0; i < row->count; i++) {
            if (row->values[i].type != DDBSIM_VALUE_REAL) continue;
            double value = row->values[i].as.real;
            PROP_CHECK(isfinite(value) && !(value == 0 && signbit(value)));
        }
        if (row->table == DDBSIM_LOG_SECOND || row->table == DDBSIM_LOG_WORKLOAD_SECOND)
            PROP_CHECK(row_number(row, 1) >= 0 && row_number(row, 1) < seconds);
        if (row->table == DDBSIM_LOG_EVENT)
            PROP_CHECK(row_number(row, 1) >= 0 && row_number(row, 1) <= (double)duration_ms * 1e6);
        if (row->table == DDBSIM_LOG_SECOND) PROP_CHECK(row_number(row, 13) >= 0);
        if (row->table == DDBSIM_LOG_SECOND)
            PROP_CHECK(row_number(row, 11) >= -100 && row_number(row, 12) >= -400);
    }
    return true;
}

/* A table serves no more than it held, what came in since, and what it may owe. */
static bool tables_keep_their_limits(const struct rows *rows,
                                     const struct ddbsim_scenario *scenario) {
    double seconds = (double)scenario->duration_ns / 1e9;
    int64_t resource = 1;
    for (uint32_t t = 0; t < scenario->table_count; t++) {
        const struct ddbsim_table *table = &scenario->tables[t];
        const int64_t capacity[2] = {table->read_capacity, table->write_capacity};
        for (int d = 0; d < 2; d++) {
            double used = 0, window_s = (double)table->burst.window_ns / 1e9;
            for (size_t r = 0; r < rows->count; r++)
                if (rows->rows[r].table == DDBSIM_LOG_SECOND &&
                    row_number(&rows->rows[r], 0) == (double)resource)
                    used += row_number(&rows->rows[r], 3 + (size_t)d);
            double held = table->is_new
                              ? 0
                              : (window_s > 1 ? window_s : 1) * (double)table->burst.initial / 1e9;
            PROP_CHECK(used <= (held + seconds) * (double)capacity[d] + 400 + 1e-6);
        }
        resource += 1 + table->index_count;
    }
    return true;
}

/* ---- running ---- */

static struct ddbsim_scenario *load(const char *text) {
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    struct ddbsim_load_options none = {0};
    if (ddbsim_scenario_parse(text, strlen(text), "random.yaml", &none, &scenario, &error) !=
        DDBSIM_OK) {
        char message[2048];
        ddbsim_error_format(&error, message, sizeof message);
        fprintf(stderr, "%s%s\n", text, message); /* cmocka would cut it short */
        fail();
    }
    return scenario;
}

/* Advances in `slices` uneven steps. */
static struct rows run_sliced(const char *text, uint64_t seed, int64_t slices, struct rng *rng) {
    struct rows rows = {0};
    struct ddbsim_sink sink = {.self = &rows, .row = rows_take};
    struct ddbsim_run_options options = {.seed = seed, .sink = &sink};
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *scenario = load(text);
    struct ddbsim_run *run;
    assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), DDBSIM_OK);
    int64_t t_ns = 0;
    for (int64_t i = 1; i < slices; i++) {
        t_ns = chance(rng, 10) ? t_ns
                               : prop_between(rng, t_ns,
                                              scenario->duration_ns * i / slices > t_ns
                                                  ? scenario->duration_ns * i / slices
                                                  : t_ns);
        assert_int_equal(ddbsim_run_advance(run, t_ns, &error), DDBSIM_OK);
        assert_int_equal(ddbsim_run_now(run), t_ns);
    }
    assert_int_equal(ddbsim_run_advance(run, scenario->duration_ns, &error), DDBSIM_OK);
    assert_int_equal(ddbsim_run_finish(run, &error), DDBSIM_OK);
    rows.totals = ddbsim_run_totals(run);
    ddbsim_run_destroy(run);
    ddbsim_scenario_destroy(scenario);
    return rows;
}

static bool told(bool holds, const char *text) {
    if (!holds) fputs(text, stderr); /* cmocka would cut it short */
    return holds;
}

static bool conservation(struct rng *rng) {
    struct drawn d = draw_scenario(rng);
    char *text = write_scenario(&d);
    struct ddbsim_scenario *scenario = load(text);
    struct rows rows = run_sliced(text, rng_next(rng), 1, rng);
    bool holds = requests_add_up(&rows) && units_add_up(&rows) &&
                 numbers_are_sane(&rows, d.duration_ms) &&
                 (d.changes || !d.throttling || tables_keep_their_limits(&rows, scenario));
    told(holds, text);
    rows_free(&rows);
    ddbsim_scenario_destroy(scenario);
    free(text);
    return holds;
}

static bool no_limits(struct rng *rng) {
    struct drawn d = draw_scenario(rng);
    d.throttling = false;
    char *text = write_scenario(&d);
    struct rows rows = run_sliced(text, rng_next(rng), 1, rng);
    bool holds = rows.totals.throttled_attempts == 0 && rows.totals.failed == 0 &&
                 rows.totals.retries == 0 &&
                 same(rows_sum(&rows, DDBSIM_LOG_SECOND, 3, 0, NULL),
                      rows_sum(&rows, DDBSIM_LOG_SECOND, 5, 0, NULL), "read demand");
    told(holds, text);
    rows_free(&rows);
    free(text);
    return holds;
}

static bool rows_equal(const struct rows *a, const struct rows *b) {
    PROP_CHECK(a->count == b->count);
    for (size_t r = 0; r < a->count; r++) {
        const struct row *x = &a->rows[r], *y = &b->rows[r];
        PROP_CHECK(x->table == y->table && x->count == y->count);
        for (size_t i = 0; i < x->count; i++) {
            PROP_CHECK(x->values[i].type == y->values[i].type);
            if (x->values[i].type == DDBSIM_VALUE_TEXT)
                PROP_CHECK(strcmp(row_text(x, i), row_text(y, i)) == 0);
            else if (x->values[i].type != DDBSIM_VALUE_NULL)
                PROP_CHECK(memcmp(&x->values[i].as, &y->values[i].as, sizeof x->values[i].as) == 0);
        }
    }
    return true;
}

static bool slices(struct rng *rng) {
    struct drawn d = draw_scenario(rng);
    char *text = write_scenario(&d);
    uint64_t seed = rng_next(rng);
    struct rows whole = run_sliced(text, seed, 1, rng);
    struct rows sliced = run_sliced(text, seed, prop_between(rng, 2, 60), rng);
    bool holds = told(rows_equal(&whole, &sliced), text);
    rows_free(&whole);
    rows_free(&sliced);
    free(text);
    return holds;
}

/* A limit or a timeout that never binds changes nothing, though every check is then made where two would do: by the
 * table, by the client, by both. */
static bool long_way(struct rng *rng) {
    enum { WAYS = 4 };
    static const char *const models[2] = {"{}", "{node_limit: 10000000, node_partitions: 1}"};
    static const char *const clients[2] = {"", ", call_timeout: 24h"};
    struct drawn d = draw_scenario(rng);
    uint64_t seed = rng_next(rng);
    struct rows rows[WAYS];
    char *texts[WAYS];
    bool holds = true;
    d.all_kinds = chance(rng, 60);
    for (int i = 0; i < WAYS; i++) {
        d.model = models[i % 2];
        d.client = clients[i / 2];
        texts[i] = write_scenario(&d);
        rows[i] = run_sliced(texts[i], seed, 1, rng);
        holds = holds && told(rows_equal(&rows[0], &rows[i]), texts[i]);
    }
    for (int i = 0; i < WAYS; i++) {
        rows_free(&rows[i]);
        free(texts[i]);
    }
    return holds;
}

/* ---- the order in which a scenario is written ---- */

struct names {
    const char *table[64], *index[64];
    int64_t owner[8192], first[8192]; /* of partitions */
};

static void names_learn(struct names *names, const struct rows *rows) {
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        int64_t id = row->values[0].as.integer;
        if (row->table == DDBSIM_LOG_RESOURCE) {
            names->table[id] = row_text(row, 2);
            names->index[id] = row_text(row, 3);
        } else if (row->table == DDBSIM_LOG_PARTITION) {
            names->owner[id] = row->values[1].as.integer;
            bool first = id == 1 || names->owner[id - 1] != names->owner[id];
            names->first[id] = first ? id : names->first[id - 1];
        }
    }
}

static char *row_by_names(const struct names *names, const struct row *row) {
    struct text text;
    text_open(&text);
    fprintf(text.out, "%d", (int)row->table);
    bool by_partition =
        row->table == DDBSIM_LOG_PARTITION || row->table == DDBSIM_LOG_PARTITION_SAMPLE;
    for (size_t i = 0; i < row->count; i++) {
        const struct ddbsim_value *value = &row->values[i];
        int64_t id = value->as.integer;
        if (row->table == DDBSIM_LOG_EVENT && i == 0) continue;
        if (by_partition && i == 0)
            fprintf(text.out, "|%s/%s/%lld", names->table[names->owner[id]],
                    names->index[names->owner[id]], (long long)(id - names->first[id]));
        else if (row_names_resource(row, i) && value->type == DDBSIM_VALUE_INTEGER)
            fprintf(text.out, "|%s/%s", names->table[id], names->index[id]);
        else if (value->type == DDBSIM_VALUE_TEXT)
            fprintf(text.out, "|%s", value->as.text);
        else if (value->type == DDBSIM_VALUE_REAL)
            fprintf(text.out, "|%a", value->as.real);
        else if (value->type == DDBSIM_VALUE_INTEGER)
            fprintf(text.out, "|%lld", (long long)id);
    }
    assert_int_equal(fclose(text.out), 0);
    return text.bytes;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static char **rows_by_names(const struct rows *rows) {
    struct names *names = calloc(1, sizeof *names);
    char **lines = calloc(rows->count + 1, sizeof *lines);
    assert_true(names && lines);
    names_learn(names, rows);
    for (size_t r = 0; r < rows->count; r++)
        lines[r] = row_by_names(names, &rows->rows[r]);
    qsort(lines, rows->count, sizeof *lines, by_text);
    free(names);
    return lines;
}

static bool order(struct rng *rng) {
    struct drawn d = draw_scenario(rng);
    uint64_t seed = rng_next(rng);
    char *texts[2];
    struct rows rows[2];
    char **lines[2];
    for (int i = 0; i < 2; i++, d.reversed = true) {
        texts[i] = write_scenario(&d);
        rows[i] = run_sliced(texts[i], seed, 1, rng);
        lines[i] = rows_by_names(&rows[i]);
    }
    bool holds = rows[0].count == rows[1].count;
    for (size_t r = 0; holds && r < rows[0].count; r++) {
        holds = strcmp(lines[0][r], lines[1][r]) == 0;
        if (!holds) print_error("%s\n%s\n", lines[0][r], lines[1][r]);
    }
    told(holds, texts[0]);
    for (int i = 0; i < 2; i++) {
        for (size_t r = 0; r < rows[i].count; r++)
            free(lines[i][r]);
        free(lines[i]);
        rows_free(&rows[i]);
        free(texts[i]);
    }
    return holds;
}

/* ---- more capacity, and all doubled ---- */

struct plain {
    int64_t capacity, rate, limit, partitions, initial, index_capacity, buffer;
    const char *distribution;
};

static struct rows run_plain(const struct plain *p, int64_t factor, uint64_t seed,
                             struct rng *rng) {
    struct text text;
    text_open(&text);
    fprintf(text.out,
            "version: 1\nname: plain\nstart: 2026-01-01T00:00:00Z\nduration: 60s\n"
            "values: {key: {count: 500, distribution: %s}}\n"
            "tables:\n  - {name: t, read_capacity: 1, write_capacity: %lld, partitions: %lld,\n"
            "     burst: {initial: %lld%%}, model: {partition_write_limit: %lld},\n"
            "     entities: [{name: e, partition_key: \"{key}\", count: 500, size: 1 KB}]",
            p->distribution, (long long)(p->capacity * factor), (long long)p->partitions,
            (long long)p->initial, (long long)(p->limit * factor));
    if (p->index_capacity)
        fprintf(
            text.out,
            ", indexes: [{name: i, partition_key: \"x{key}\", read_capacity: 1, partitions: 1,\n"
            "     write_capacity: %lld, burst: {initial: 0%%}, backpressure: {buffer: %lld, grace: "
            "0s}}]",
            (long long)(p->index_capacity * factor), (long long)(p->buffer * factor));
    fprintf(text.out, "}\nworkloads: [{name: w, rate: %lld/s, mix: [{operation: UpdateItem}]}]\n",
            (long long)(p->rate * factor));
    assert_int_equal(fclose(text.out), 0);
    struct rows rows = run_sliced(text.bytes, seed, 1, rng);
    free(text.bytes);
    return rows;
}

static struct plain draw_plain(struct rng *rng) {
    static const char *const kinds[] = {"uniform", "zipfian", "single"};
    return (struct plain){
        .capacity = prop_between(rng, 50, 400),
        .rate = prop_between(rng, 100, 400),
        .limit = prop_between(rng, 30, 400),
        .partitions = spread(rng, 4, 10),
        .initial = prop_between(rng, 0, 5),
        .distribution = any(rng, kinds, 3),
    };
}

/* Writes of one size, no retries: what more capacity lets in can push out no more than itself. */
static bool more_capacity(struct rng *rng) {
    struct plain p = draw_plain(rng);
    uint64_t seed = rng_next(rng);
    uint64_t last = UINT64_MAX;
    for (int step = 0; step < 4; step++) {
        struct rows rows = run_plain(&p, 1, seed, rng);
        uint64_t refused = rows.totals.throttled_attempts;
        rows_free(&rows);
        PROP_CHECK(refused <= last);
        last = refused;
        if (step % 2 == 0)
            p.capacity += prop_between(rng, 1, 100);
        else
            p.limit += prop_between(rng, 1, 100);
    }
    return true;
}

/* Twice the load on twice everything is the same picture, up to chance. */
static bool doubled(struct rng *rng) {
    struct plain p = draw_plain(rng);
    if (chance(rng, 50)) {
        p.index_capacity = prop_between(rng, 50, 300);
        p.buffer = prop_between(rng, 0, 500);
    }
    double share[2] = {0, 0};
    for (int i = 0; i < 6; i++) {
        struct rows rows = run_plain(&p, 1 + i % 2, rng_next(rng), rng);
        share[i % 2] += (double)rows.totals.throttled_attempts / (double)rows.totals.attempts / 3;
        rows_free(&rows);
    }
    double difference = share[0] - share[1];
    if (difference > -0.03 && difference < 0.03) return true;
    print_error(
        "capacity %lld rate %lld limit %lld partitions %lld index %lld buffer %lld %s: %f %f\n",
        (long long)p.capacity, (long long)p.rate, (long long)p.limit, (long long)p.partitions,
        (long long)p.index_capacity, (long long)p.buffer, p.distribution, share[0], share[1]);
    return false;
}

#define PROPERTY(name, cases)                                                          \
    static void check_##name(void **state) {                                           \
        const char *seed = getenv("PROPERTY_SEED"), *count = getenv("PROPERTY_CASES"); \
        (void)state;                                                                   \
        prop_run(#name, name, seed ? strtoull(seed, NULL, 10) : 20260925,              \
                 count ? (uint32_t)strtoul(count, NULL, 10) : (cases));                \
    }
PROPERTY(conservation, 60)
PROPERTY(no_limits, 20)
PROPERTY(slices, 20)
PROPERTY(long_way, 20)
PROPERTY(order, 20)
PROPERTY(more_capacity, 20)
PROPERTY(doubled, 8)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_conservation), cmocka_unit_test(check_no_limits),
        cmocka_unit_test(check_slices),       cmocka_unit_test(check_long_way),
        cmocka_unit_test(check_order),        cmocka_unit_test(check_more_capacity),
        cmocka_unit_test(check_doubled),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
