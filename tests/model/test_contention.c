/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Backoff against contention: many clients write one row, each with the version that it has read, so that of those
 * who read the same version one succeeds; the others wait and read again. This is the model behind AWS Architecture
 * Blog, Exponential Backoff And Jitter (aws-samples/aws-arch-backoff-simulator), here on our kernel with our waits.
 * tests/data/retry has what it was set up with and what came out of 400 runs a cell; each mean of calls and of times
 * must lie within 3 standard errors, of both means, of ours.
 *
 * A message takes |N(10, 2)| ms: from a table of the normal distribution's inverse, so that runs repeat to the bit.
 */
#include <base/dmath.h>
#include <base/hash.h>
#include <base/rng.h>
#include <client/backoff.h>
#include <jansson.h>
#include <kernel/loop.h>
#include <support/csv.h>
#include <support/near.h>
#include <support/sanitized.h>

/* What is slow under sanitizers is judged there on fewer cells. */
#ifdef SANITIZED
#define CLIENTS_JUDGED 50
#define RUNS 100
#else
#define CLIENTS_JUDGED 190
#define RUNS 400
#endif
#define CLIENTS_MAX 190
#define ERRORS_ALLOWED 3.0
#define NORMALS 16384
#define MEAN_MS 10.0
#define DEVIATION_MS 2.0

enum { READ_ARRIVES, READ_ANSWER, WRITE_ARRIVES, WRITE_ANSWER };

struct contention {
    struct loop *loop;
    struct rng rng;
    const struct ddbsim_backoff *backoff;
    struct caller {
        uint32_t failures;
        struct backoff_state state;
    } callers[CLIENTS_MAX];
    uint32_t version;
    uint64_t calls; /* writes that reached the row */
    int successes;  /* that their clients know of */
    int64_t last_ns;
};

static int64_t delays_ns[NORMALS];

static int prepare_delays(void **state) {
    (void)state;
    for (int i = 0; i < NORMALS; i++) {
        double ms = MEAN_MS + DEVIATION_MS * dmath_normal_quantile((i + 0.5) / NORMALS);
        delays_ns[i] = (int64_t)((ms < 0 ? -ms : ms) * (double)NS_PER_MS);
    }
    return 0;
}

static int64_t delay_ns(struct contention *at) {
    return delays_ns[draw_below(rng_next(&at->rng), NORMALS)];
}

/* ---- the row and its clients ---- */

static void read_arrives(void *context, int64_t now_ns, const struct loop_event *event) {
    struct contention *at = context;
    loop_schedule(at->loop, now_ns + delay_ns(at), LOOP_COMPLETION, READ_ANSWER, event->a,
                  at->version);
}

static void read_answer(void *context, int64_t now_ns, const struct loop_event *event) {
    struct contention *at = context;
    loop_schedule(at->loop, now_ns + delay_ns(at), LOOP_WORK, WRITE_ARRIVES, event->a, event->b);
}

static void write_arrives(void *context, int64_t now_ns, const struct loop_event *event) {
    struct contention *at = context;
    bool wins = event->b == at->version;
    at->version += wins;
    at->calls++;
    loop_schedule(at->loop, now_ns + delay_ns(at), LOOP_COMPLETION, WRITE_ANSWER, event->a, wins);
}

static void write_answer(void *context, int64_t now_ns, const struct loop_event *event) {
    struct contention *at = context;
    if (event->b) {
        at->successes++;
        at->last_ns = now_ns;
        return;
    }
    struct caller *caller = &at->callers[event->a];
    int64_t wait_ns = backoff_ns(at->backoff, ERROR_TRANSIENT, caller->failures++,
                                 rng_next(&at->rng), &caller->state);
    loop_schedule(at->loop, now_ns + delay_ns(at) + wait_ns, LOOP_WORK, READ_ARRIVES, event->a, 0);
}

/* Until every client has been told of its success. */
static void run_once(struct contention *at, const struct ddbsim_backoff *backoff, int clients,
                     uint64_t key) {
    memset(at, 0, sizeof *at);
    rng_seed(&at->rng, key);
    at->backoff = backoff;
    at->loop = loop_create(at, 0);
    assert_non_null(at->loop);
    loop_handle(at->loop, READ_ARRIVES, read_arrives);
    loop_handle(at->loop, READ_ANSWER, read_answer);
    loop_handle(at->loop, WRITE_ARRIVES, write_arrives);
    loop_handle(at->loop, WRITE_ANSWER, write_answer);
    for (int i = 0; i < clients; i++)
        loop_schedule(at->loop, delay_ns(at), LOOP_WORK, READ_ARRIVES, (uint64_t)i, 0);
    while (at->successes < clients)
        assert_int_equal(loop_run(at->loop, loop_now(at->loop) + NS_PER_S, NULL), DDBSIM_OK);
    assert_int_equal(at->version, clients);
    /* Four messages a write, from the reading to the answer. */
    assert_int_equal(loop_event_count(at->loop), 4 * at->calls);
    loop_destroy(at->loop);
}

/* ---- what it was set up with ---- */

#define STRATEGIES 5

static const struct strategy {
    const char *name, *formula; /* as the set-up says it */
    enum ddbsim_jitter jitter;
    bool waits;
} strategies[STRATEGIES] = {
    {"None", "0", DDBSIM_JITTER_NONE, false},
    {"Exponential", "min(cap, base*2^n)", DDBSIM_JITTER_NONE, true},
    {"EqualJitter", "v=min(cap,base*2^n); v/2+U(0,v/2)", DDBSIM_JITTER_EQUAL, true},
    {"FullJitter", "U(0, min(cap,base*2^n))", DDBSIM_JITTER_FULL, true},
    {"Decorr", "s=min(cap, U(base, 3*s)), s0=base, per client", DDBSIM_JITTER_DECORRELATED, true},
};

static json_t *read_setup(void) {
    json_error_t error;
    json_t *setup = json_load_file(TEST_DATA "/retry/backoff-sim-occ-setup.json", 0, &error);
    if (!setup) fail_msg("the set-up: %s", error.text);
    return setup;
}

/* The waits of one strategy: n is 1 after the first failure, so the exponent begins with 1. */
static struct ddbsim_backoff backoff_of(const json_t *setup, const struct strategy *strategy) {
    const json_t *formulas = json_object_get(setup, "strategies");
    assert_string_equal(json_string_value(json_object_get(formulas, strategy->name)),
                        strategy->formula);
    int64_t base_ns = json_integer_value(json_object_get(setup, "base")) * NS_PER_MS;
    int64_t cap_ns = json_integer_value(json_object_get(setup, "cap")) * NS_PER_MS;
    assert_true(base_ns > 0 && cap_ns > base_ns);
    return (struct ddbsim_backoff){.jitter = strategy->jitter,
                                   .base_ns = strategy->waits ? base_ns : 0,
                                   .growth = 2 * DDBSIM_SHARE_ONE,
                                   .first_exponent = 1,
                                   .max_backoff_ns = cap_ns};
}

/* ---- and what must come out ---- */

struct sample {
    double n, sum, squares;
};

static void sample_add(struct sample *sample, double value) {
    sample->n++;
    sample->sum += value;
    sample->squares += value * value;
}

static double mean_of(const struct sample *sample) { return sample->sum / sample->n; }

/* How many standard errors the two means lie apart. */
static double apart(const struct sample *ours, double mean, double deviation, double runs) {
    double our_mean = mean_of(ours);
    double variance = (ours->squares - ours->n * our_mean * our_mean) / (ours->n - 1);
    double error = dmath_sqrt(variance / ours->n + deviation * deviation / runs);
    assert_true(error > 0);
    return (our_mean - mean) / error;
}

static struct contention contention; /* large */

struct cell {
    struct sample calls, times;
};

static int strategy_of(const char *name) {
    int number = 0;
    while (number < STRATEGIES && strcmp(strategies[number].name, name) != 0)
        number++;
    assert_true(number < STRATEGIES);
    return number;
}

static struct cell run_cell(const json_t *setup, int clients, int number, uint64_t runs) {
    struct cell cell = {0};
    const struct ddbsim_backoff backoff = backoff_of(setup, &strategies[number]);
    uint64_t key = rng_stream_key(1820, (uint32_t)clients, strategies[number].name);
    for (uint64_t run = 0; run < runs; run++) {
        run_once(&contention, &backoff, clients, hash_mix(key, run, 0));
        sample_add(&cell.calls, (double)contention.calls);
        sample_add(&cell.times, (double)contention.last_ns / (double)NS_PER_MS);
    }
    return cell;
}

static void judge_mean(const char *const *fields, const char *what, double distance) {
    if (distance < -ERRORS_ALLOWED || distance > ERRORS_ALLOWED)
        fail_msg("%s clients, %s: %s are %.2f standard errors apart", fields[0], fields[1], what,
                 distance);
}

static void judge_cell(const json_t *setup, const char *const *fields) {
    struct cell cell = run_cell(setup, (int)csv_number(fields[0]), strategy_of(fields[1]), RUNS);
    double runs = csv_number(fields[2]);
    judge_mean(fields, "calls",
               apart(&cell.calls, csv_number(fields[3]), csv_number(fields[4]), runs));
    judge_mean(fields, "times",
               apart(&cell.times, csv_number(fields[5]), csv_number(fields[6]), runs));
}

#define HEADER \
    "clients,algorithm,runs,mean_calls,sd_calls,mean_time,sd_time,p50_calls,p50_time,p95_time"

static void backoff_against_contention(void **state) {
    (void)state;
    json_t *setup = read_setup();
    size_t numbers = json_array_size(json_object_get(setup, "clients"));
    struct csv csv;
    const char *fields[10];
    csv_open(&csv, TEST_DATA "/retry/backoff-sim-occ.csv", HEADER);
    size_t cells = 0;
    for (; csv_next(&csv, fields, 10); cells++)
        if (csv_number(fields[0]) <= CLIENTS_JUDGED) judge_cell(setup, fields);
    assert_int_equal(cells, numbers * STRATEGIES); /* the file holds every cell of the set-up */
    csv_close(&csv);
    json_decref(setup);
}

/* Case C66, a hundred clients: which shape asks for least and which is done first, thirty runs each. */
static void c66_shapes_in_order(void **state) {
    (void)state;
    enum { NONE, EXPONENTIAL, EQUAL, FULL, DECORRELATED }; /* as strategies[] has them */
    json_t *setup = read_setup();
    struct csv csv;
    const char *fields[10];
    double calls[STRATEGIES] = {0}, times[STRATEGIES] = {0};
    csv_open(&csv, TEST_DATA "/retry/backoff-sim-occ.csv", HEADER);
    while (csv_next(&csv, fields, 10)) {
        if (csv_number(fields[0]) != 100) continue;
        int number = strategy_of(fields[1]);
        struct cell cell = run_cell(setup, 100, number, 30);
        calls[number] = mean_of(&cell.calls);
        times[number] = mean_of(&cell.times);
        assert_near(times[number], csv_number(fields[5]), 0.2);
    }
    csv_close(&csv);
    json_decref(setup);
    assert_true(calls[FULL] < calls[EQUAL] && calls[EQUAL] < calls[DECORRELATED]);
    assert_true(calls[DECORRELATED] < calls[EXPONENTIAL] && calls[EXPONENTIAL] < calls[NONE]);
    assert_true(times[NONE] < times[DECORRELATED] && times[DECORRELATED] < times[FULL]);
    assert_true(times[FULL] < times[EQUAL] && times[EQUAL] < times[EXPONENTIAL]);
    assert_true(calls[FULL] <= 0.45 * calls[EXPONENTIAL]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(backoff_against_contention),
                                       cmocka_unit_test(c66_shapes_in_order)};
    return cmocka_run_group_tests_name("contention", tests, prepare_delays, NULL);
}
