/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request, wait, index, splitting, retry-storm, batch, query, transact: requests a second through everything that `ddbsim run` does: workload, client,
 * table, index, rows, database. 10^6 keys of Zipf 0.99 on 1,000 partitions of 1,000 units a second, so
 * that 30 % of a million requests a second are refused.
 *
 * Bare: gap, key, partition, bucket, latency, histogram in one loop, with the same draws; a test of
 * both is that they admit equally many. Where a key lies is read from a table made beforehand, since
 * a bare loop would not write a key's text to hash it.
 *
 * splitting has as many requests at a tenth of the rate, so that partitions stay hot for as long as it takes to
 * split: from the start all that are hot are sampled, and from the 60th second on up to two hundred split at any
 * moment. Its bare loop is that of request, whose partitions stay as they are; so the counts are not compared.
 *
 * retry-storm counts attempts, at a tenth of the rate: a table whose capacity is a ninth of what is asked for, so that
 * nine attempts of ten are refused, and callers that try up to four times with full jitter. Its bare loop is request's
 * for as many attempts.
 *
 * batch, query and transact count members: puts of batches of 25, Queries of one item, and puts of transactions of
 * ten, of keys that are alike popular on partitions that take them, for else most would be cancelled. Their bare
 * loop is request's for as many members.
 */
#include "bench.h"
#include "run.h"

#include <base/dmath.h>
#include <base/hash.h>
#include <base/hist.h>
#include <ddbsim/ddbsim.h>
#include <model/latency.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/values.h>

#define KEYS 1000000
#define PARTITIONS 1000
#define PER_S 1000000
#define SLOWER 10 /* splitting: the rate is a tenth, the time ten times as long */
#define PARTITION_RATE INT64_C(1000)
#define SEED 13

enum kind { REQUEST, WAIT, INDEX, SPLITTING, RETRY_STORM, BATCH, QUERY, TRANSACT };

static const char tables_text[] =
    "version: 1\n"
    "name: bench\n"
    "start: 2026-09-25T08:00:00Z\n"
    "duration: %ds\n"
    "%s"
    "values:\n"
    "  k: {count: 1000000, distribution: zipfian, theta: 0.99}\n"
    "  m: {count: 100000}\n"
    "tables:\n"
    "  - name: t\n"
    "    read_capacity: 1\n"
    "    write_capacity: 1\n"
    "    partitions: 1000\n"
    "    entities:\n"
    "      - {name: e, partition_key: \"K#{k}\", count: 1000000, size: 512 B}\n";
static const char indexes_text[] =
    "    indexes:\n"
    "      - {name: i1, partition_key: \"M#{m}\", read_capacity: 1, write_capacity: 1,\n"
    "         partitions: 100}\n"
    "      - {name: i2, partition_key: \"N#{m}\", read_capacity: 1, write_capacity: 1,\n"
    "         partitions: 100, backpressure: {preset: textbook, buffer: 1000}, burst: {window: 0s, "
    "initial: 0%}}\n";
static const char workload_text[] = "workloads:\n"
                                    "  - name: w\n"
                                    "    rate: %d/s\n"
                                    "    %s:\n"
                                    "      - operation: PutItem\n"
                                    "%s";
static const char splits_text[] = "model: {partition_write_limit: 100, heat_threshold: 50%, "
                                  "heat_window: 60s, heat_cooldown: 0s, split_duration: 9s,\n"
                                  "  split_sigma: 0%, split_parallel: 200}\n";
static const char storm_text[] = "    client: {preset: full-jitter}\n";
#define STORM_SHARE 3        /* requests are a third of the attempts */
#define STORM_CAPACITY 11000 /* units a second for 100,000 attempts */
#define BATCH_MEMBERS 25
#define ACTIONS 10
static const char members_text[] = "version: 1\n"
                                   "name: bench\n"
                                   "start: 2026-09-25T08:00:00Z\n"
                                   "duration: 10s\n"
                                   "values:\n"
                                   "  k: {count: 1000000, distribution: zipfian, theta: 0.99}\n"
                                   "  u: {count: 1000000}\n"
                                   "tables:\n"
                                   "  - name: t\n"
                                   "    read_capacity: 1\n"
                                   "    write_capacity: 1\n"
                                   "    partitions: 1000\n"
                                   "    entities:\n"
                                   "      - {name: e, partition_key: \"K#{%s}\", count: 1000000, "
                                   "size: 512 B}\n"
                                   "workloads:\n"
                                   "  - {name: w, rate: %d/s, mix: [%s]}\n";
static const char effects_text[] =
    "        index_effect: {i1: {rewrite: 100%}, i2: {rewrite: 100%}}\n";

/* What one case works on: made once, for all rounds. */
static struct {
    struct ddbsim_scenario *loaded;
    struct ddbsim_scenario
        scenario; /* as loaded, but for capacities that AWS would have to grant */
    struct ddbsim_table table;
    struct ddbsim_index indexes[2];
    struct value_set set;
    uint16_t *partition_of; /* by key */
    struct latency_shapes shapes;
    struct latency_terms terms;
    int64_t per_s, duration_ns, partition_rate, partition_cap;
    uint64_t members; /* or attempts, that the last round of ours had */
} at;

/* ---- preparing ---- */

static bool has_members(enum kind kind) { return kind >= BATCH; }

/* The scenario's text of a case that counts members. */
static void members_write(enum kind kind, char *text, size_t size) {
    if (kind == BATCH)
        snprintf(text, size, members_text, "k", PER_S / BATCH_MEMBERS,
                 "{operation: BatchWriteItem, batch_size: 25}");
    else if (kind == QUERY)
        snprintf(text, size, members_text, "k", PER_S, "{operation: Query, items: 1}");
    else
        snprintf(text, size, members_text, "u", PER_S / ACTIONS,
                 "{operation: TransactWriteItems, actions: [{operation: PutItem, times: 10}]}");
}

/* Splitting and storms are slow, and take as much longer. */
static void set_rates(enum kind kind) {
    int slower = kind == SPLITTING || kind == RETRY_STORM ? SLOWER : 1;
    at.per_s = PER_S / slower;
    at.duration_ns = 10 * slower * NS_PER_S;
    at.partition_rate = PARTITION_RATE / slower;
    at.partition_cap = 3 * at.partition_rate * NANO;
}

static void load(enum kind kind) {
    char tables[1024], text[4096], work[1024];
    struct ddbsim_error error = {0};
    set_rates(kind);
    snprintf(tables, sizeof tables, tables_text, (int)(at.duration_ns / NS_PER_S),
             kind == SPLITTING ? splits_text : "");
    snprintf(work, sizeof work, workload_text,
             (int)at.per_s / (kind == RETRY_STORM ? STORM_SHARE : 1),
             kind == WAIT ? "sequence" : "mix",
             kind == INDEX         ? effects_text
             : kind == RETRY_STORM ? storm_text
                                   : "");
    snprintf(text, sizeof text, "%s%s%s", tables, kind == INDEX ? indexes_text : "", work);
    if (has_members(kind)) members_write(kind, text, sizeof text);
    if (ddbsim_scenario_parse(text, strlen(text), "bench", NULL, &at.loaded, &error) != DDBSIM_OK)
        bench_fail(error.message);
    at.scenario = *at.loaded;
    at.table = at.loaded->tables[0];
    at.table.write_capacity = 2 * at.per_s;
    at.table.read_capacity = has_members(kind) ? 2 * at.per_s : 1;
    if (kind == TRANSACT) {
        at.table.write_capacity = 4 * at.per_s;
        at.table.model.partition_write_limit = PER_S;
    }
    if (kind == RETRY_STORM) {
        at.table.write_capacity = STORM_CAPACITY;
        at.table.burst = (struct ddbsim_burst){.window_ns = NS_PER_S, .initial = 0};
    }
    at.scenario.tables = &at.table;
    if (kind != INDEX) return;
    at.table.model.partition_write_limit = PER_S;
    for (int i = 0; i < 2; i++)
        at.indexes[i] = at.table.indexes[i];
    at.indexes[0].write_capacity = 2 * PER_S;
    at.indexes[1].write_capacity = PER_S * 7 / 10; /* 30 % must be refused */
    at.table.indexes = at.indexes;
}

static bool prepare(const struct bench_case *self) {
    load((enum kind)self->size);
    latency_shapes_init(&at.shapes);
    latency_terms_init(&at.terms, &at.table.model);
    at.partition_of = malloc(KEYS * sizeof *at.partition_of);
    if (!at.partition_of || !value_set_init(&at.set, &at.scenario.values[0])) return false;
    for (uint32_t k = 0; k < KEYS; k++) {
        char key[32];
        int length = snprintf(key, sizeof key, "K#%u", k);
        uint64_t hash = hash64(key, (size_t)length);
        at.partition_of[k] = (uint16_t)(((uint128)hash * PARTITIONS) >> 64);
    }
    return true;
}

static void release(void) {
    value_set_free(&at.set);
    free(at.partition_of);
    ddbsim_scenario_destroy(at.loaded);
}

/* ---- ours ---- */

static uint32_t partitions_of(const struct bench_run *run) {
    struct ddbsim_resource_state state;
    struct ddbsim_error error = {0};
    if (ddbsim_run_resource(run->run, 0, DDBSIM_NONE, &state, &error) != DDBSIM_OK)
        bench_fail(error.message);
    return state.partitions;
}

static void ours(const struct bench_case *self, struct bench_side *out) {
    struct bench_run run;
    bench_run_begin(&run, &at.scenario, SEED);
    int64_t begin_ns = bench_cpu_ns();
    bench_run_whole(&run);
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    if (self->size == SPLITTING && partitions_of(&run) < 3 * PARTITIONS / 2)
        bench_fail("fewer than 500 partitions have split");
    struct ddbsim_totals totals = bench_run_release(&run);
    out->ops = self->size == BATCH         ? totals.members
               : self->size == TRANSACT    ? ACTIONS * totals.requests
               : self->size == RETRY_STORM ? totals.attempts
                                           : totals.requests;
    out->check = totals.succeeded;
    at.members = out->ops;
    if (self->size == TRANSACT && totals.succeeded < totals.requests / 2)
        bench_fail("most transactions are cancelled");
    double throttled = (double)totals.throttled_attempts / (double)totals.attempts;
    if (self->size == RETRY_STORM && (throttled < 0.88 || throttled > 0.92))
        bench_fail("not nine of ten attempts are refused");
    double refused = 1 - (double)totals.succeeded / (double)totals.requests;
    if (self->size == INDEX && (refused < 0.28 || refused > 0.32))
        bench_fail("the index does not refuse 30 %");
}

/* ---- bare ---- */

/* The draws of the workload's streams, by the names that it gives them. */
struct draws {
    struct rng gaps, keys;
    uint64_t latencies;
    double units; /* arrivals expected until the last arrival */
};

static void draws_seed(struct draws *draws) {
    rng_seed(&draws->gaps, rng_stream_key(SEED, 0, "w/arrivals"));
    rng_seed(&draws->keys, rng_stream_key(SEED, 0, "w/key/k"));
    draws->latencies = rng_stream_key(SEED, 0, "w/attempt");
    draws->units = 0;
}

static inline int64_t draw_arrival(struct draws *draws) {
    draws->units += -dmath_log(draw_unit_open(rng_next(&draws->gaps)));
    return (int64_t)(draws->units / (double)at.per_s * (double)NS_PER_S + 0.5);
}

static inline uint32_t draw_partition(struct draws *draws) {
    return at.partition_of[alias_pick(at.set.alias, at.set.columns, rng_next(&draws->keys))];
}

static inline int64_t latency_ns(const struct draws *draws, uint64_t number, enum latency_kind kind,
                                 int64_t median_ns) {
    const struct latency_shape *shape = &at.shapes.of[kind];
    uint64_t draw = hash_mix(draws->latencies, number, 1);
    const uint32_t *factors = draw < shape->tail_below ? shape->tail : shape->body;
    return (int64_t)((uint64_t)median_ns * factors[draw * UINT64_C(0x9e3779b97f4a7c15) >> 52] >>
                     20);
}

/* Sixty-four bytes, as an array of them would be laid out with what else a partition has. */
struct bare_partition {
    _Alignas(64) int64_t level_nano;
    int64_t t_ns;
};

static inline bool admit(struct bare_partition *partition, int64_t now_ns) {
    int64_t level = partition->level_nano + at.partition_rate * (now_ns - partition->t_ns);
    level = level < at.partition_cap ? level : at.partition_cap;
    bool admitted = level > 0;
    partition->level_nano = level - (admitted ? NANO : 0);
    partition->t_ns = now_ns;
    return admitted;
}

static struct bare_partition *make_partitions(void) {
    struct bare_partition *partitions = aligned_alloc(64, PARTITIONS * sizeof *partitions);
    if (!partitions) bench_fail("memory");
    for (int i = 0; i < PARTITIONS; i++)
        partitions[i] = (struct bare_partition){.level_nano = at.partition_cap};
    return partitions;
}

/* One request at a time, until the time is over or there were so many. */
static void bare_loop(uint64_t most, struct bench_side *out) {
    struct draws draws;
    struct hist *hist = calloc(1, sizeof *hist);
    struct bare_partition *partitions = make_partitions();
    if (!hist) bench_fail("memory");
    draws_seed(&draws);
    int64_t put_ns = at.terms.median_ns[LATENCY_PUT],
            throttle_ns = at.terms.median_ns[LATENCY_THROTTLE];
    uint64_t number = 0, admitted = 0;
    int64_t begin_ns = bench_cpu_ns();
    int64_t end_ns = most < UINT64_MAX ? INT64_MAX : at.duration_ns;
    for (int64_t now_ns; number < most && (now_ns = draw_arrival(&draws)) <= end_ns; number++) {
        bool ok = admit(&partitions[draw_partition(&draws)], now_ns);
        admitted += ok;
        int64_t ns = latency_ns(&draws, number, ok ? LATENCY_PUT : LATENCY_THROTTLE,
                                ok ? put_ns : throttle_ns);
        hist_add(hist, (uint64_t)(ns / NS_PER_US));
    }
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = number;
    out->check = hist->count == number ? admitted : 0;
    free(partitions);
    free(hist);
}

static void bare(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    bare_loop(UINT64_MAX, out);
}

static void bare_members(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    bare_loop(at.members, out);
}

/* ---- bare, with completions ---- */

#define BLOCK 512
#define WHEEL_SLOT_BITS 10 /* 1,024 ns */
#define WHEEL_SLOTS (1u << 18)
#define WHEEL_NONE UINT32_MAX
#define IN_FLIGHT_MAX (1u << 20)

/* Pending answers by the slot of time in which they come; sorted when their slot is reached. */
struct wheel {
    uint32_t heads[WHEEL_SLOTS];
    struct answer {
        int64_t at_ns;
        uint32_t next, partition;
    } answers[IN_FLIGHT_MAX];
    uint32_t free_answer;
    int64_t slot; /* slots before it are done */
    uint64_t done, last_partition;
};

static struct wheel *make_wheel(void) {
    struct wheel *wheel = calloc(1, sizeof *wheel);
    if (!wheel) bench_fail("memory");
    memset(wheel->heads, 0xff, sizeof wheel->heads);
    for (uint32_t i = 0; i < IN_FLIGHT_MAX; i++)
        wheel->answers[i].next = i + 1;
    return wheel;
}

static inline void wheel_put(struct wheel *wheel, int64_t at_ns, uint32_t partition) {
    uint32_t number = wheel->free_answer;
    uint32_t *head = &wheel->heads[(at_ns >> WHEEL_SLOT_BITS) % WHEEL_SLOTS];
    struct answer *answer = &wheel->answers[number];
    wheel->free_answer = answer->next;
    /* In order of time, for there are one or two of them. */
    while (*head != WHEEL_NONE && wheel->answers[*head].at_ns <= at_ns)
        head = &wheel->answers[*head].next;
    *answer = (struct answer){at_ns, *head, partition};
    *head = number;
}

static inline void wheel_advance(struct wheel *wheel, int64_t now_ns) {
    for (;; wheel->slot++) {
        uint32_t *head = &wheel->heads[wheel->slot % WHEEL_SLOTS];
        while (*head != WHEEL_NONE) {
            struct answer *answer = &wheel->answers[*head];
            if (answer->at_ns > now_ns) return;
            wheel->done++;
            wheel->last_partition ^= answer->partition;
            uint32_t number = *head;
            *head = answer->next;
            answer->next = wheel->free_answer;
            wheel->free_answer = number;
        }
        if (wheel->slot >= now_ns >> WHEEL_SLOT_BITS) return;
    }
}

static void bare_wait(const struct bench_case *self, struct bench_side *out) {
    (void)self;
    struct draws draws;
    struct hist *hist = calloc(1, sizeof *hist);
    struct bare_partition *partitions = make_partitions();
    struct wheel *wheel = make_wheel();
    if (!hist) bench_fail("memory");
    draws_seed(&draws);
    int64_t put_ns = at.terms.median_ns[LATENCY_PUT],
            throttle_ns = at.terms.median_ns[LATENCY_THROTTLE];
    uint64_t number = 0, admitted = 0;
    int64_t begin_ns = bench_cpu_ns(), times[BLOCK];
    uint32_t places[BLOCK];
    for (bool more = true; more;) {
        for (int i = 0; i < BLOCK; i++)
            times[i] = draw_arrival(&draws);
        for (int i = 0; i < BLOCK; i++)
            places[i] = draw_partition(&draws);
        for (int i = 0; i < BLOCK && (more = times[i] <= at.duration_ns); i++, number++) {
            wheel_advance(wheel, times[i]);
            bool ok = admit(&partitions[places[i]], times[i]);
            admitted += ok;
            int64_t ns = latency_ns(&draws, number, ok ? LATENCY_PUT : LATENCY_THROTTLE,
                                    ok ? put_ns : throttle_ns);
            hist_add(hist, (uint64_t)(ns / NS_PER_US));
            if (ok) wheel_put(wheel, times[i] + ns, places[i]);
        }
    }
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = number;
    out->check = hist->count == number ? admitted : 0;
    free(wheel);
    free(partitions);
    free(hist);
}

#define CASE(label, kind, is_checked, loop)                                                      \
    {                                                                                            \
        .name = label, .op = "request", .size = kind, .checked = is_checked, .prepare = prepare, \
        .ours = ours, .bare = loop, .release = release                                           \
    }
const struct bench_case bench_requests[8] = {CASE("request", REQUEST, true, bare),
                                             CASE("wait", WAIT, true, bare_wait),
                                             CASE("index", INDEX, false, bare),
                                             CASE("splitting", SPLITTING, false, bare),
                                             CASE("retry-storm", RETRY_STORM, false, bare_members),
                                             CASE("batch", BATCH, false, bare_members),
                                             CASE("query", QUERY, false, bare_members),
                                             CASE("transact", TRANSACT, false, bare_members)};
