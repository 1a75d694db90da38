/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A collapse that outlives its cause: Marc Brooker's simple_collapse_sim (mbrooker/simulator_example), here on our kernel
 * with our waits. Each request takes its server longer the more requests it works on; callers give up after 3 s and
 * try again, while the server still works on what they gave up. A spike of five seconds is over at 25 s, and in most
 * runs without waits no call succeeds ever after: the retries are the load. With waits that are drawn, all recover.
 *
 * The outcome has two states, so that the share of runs that stay collapsed is compared, not a mean:
 * tests/data/retry/brooker-sims-setup.json has twenty runs of each kind.
 */
#include <base/dmath.h>
#include <base/rng.h>
#include <client/backoff.h>
#include <jansson.h>
#include <kernel/loop.h>
#include <string.h>
#include <support/cmocka.h>
#include <support/near.h>
#include <support/sanitized.h>

#ifdef SANITIZED
#define RUNS 50
#else
#define RUNS 400
#endif
#define CALLS_MAX 8192
#define SECONDS 80
#define TRIES 3
#define NETWORK_S 0.1
#define TIMEOUT_NS (3 * NS_PER_S)
#define SERVICE_NS NS_PER_S              /* of a request ... */
#define SERVICE_EACH_NS (NS_PER_S / 100) /* ... and for each that is being worked on */
#define FIRST_NS (NS_PER_S / 100)        /* the first call */
#define JUDGED_FROM 60                   /* seconds, */
#define JUDGED_TO 78                     /* in which a run has recovered or not */
#define UNLIKELY 0.00135                 /* beyond three standard errors on one side */

enum { CALL, ARRIVES, SERVED, ANSWER, GIVE_UP };

struct collapse {
    struct loop *loop;
    struct rng rng;
    struct ddbsim_backoff backoff;
    double (*rate_per_s)(double t_s);
    struct call {
        uint32_t
            current; /* the try that the caller waits for; later answers to others are not heard */
    } calls[CALLS_MAX];
    uint32_t call_count;
    int64_t in_service;
    uint64_t successes[SECONDS + 1]; /* by second */
};

static int64_t exponential_ns(struct collapse *at, double mean_s) {
    return (int64_t)(-mean_s * dmath_log(draw_unit_open(rng_next(&at->rng))) * (double)NS_PER_S);
}

static int64_t network_ns(struct collapse *at) { return exponential_ns(at, NETWORK_S); }

static void send(struct collapse *at, int64_t now_ns, int64_t wait_ns, uint64_t number) {
    uint32_t current = at->calls[number].current;
    loop_schedule(at->loop, now_ns + wait_ns + TIMEOUT_NS, LOOP_RETRY, GIVE_UP, number, current);
    loop_schedule(at->loop, now_ns + wait_ns + network_ns(at), LOOP_WORK, ARRIVES, number, current);
}

static void call(void *context, int64_t now_ns, const struct loop_event *event) {
    (void)event;
    struct collapse *at = context;
    assert_true(at->call_count < CALLS_MAX);
    send(at, now_ns, 0, at->call_count++);
    double rate_per_s = at->rate_per_s((double)now_ns / (double)NS_PER_S);
    if (rate_per_s <= 0) return;
    loop_schedule(at->loop, now_ns + exponential_ns(at, 1 / rate_per_s), LOOP_COMPLETION, CALL, 0,
                  0);
}

static void arrives(void *context, int64_t now_ns, const struct loop_event *event) {
    struct collapse *at = context;
    int64_t served_ns = now_ns + SERVICE_NS + SERVICE_EACH_NS * ++at->in_service;
    loop_schedule(at->loop, served_ns, LOOP_WORK, SERVED, event->a, event->b);
}

static void served(void *context, int64_t now_ns, const struct loop_event *event) {
    struct collapse *at = context;
    at->in_service--;
    loop_schedule(at->loop, now_ns + network_ns(at), LOOP_COMPLETION, ANSWER, event->a, event->b);
}

static void answer(void *context, int64_t now_ns, const struct loop_event *event) {
    struct collapse *at = context;
    struct call *call = &at->calls[event->a];
    if (event->b != call->current) return;
    call->current = TRIES; /* what comes later is not heard */
    at->successes[now_ns / NS_PER_S]++;
}

static void give_up(void *context, int64_t now_ns, const struct loop_event *event) {
    struct collapse *at = context;
    struct call *call = &at->calls[event->a];
    if (event->b != call->current) return;
    uint32_t retries = call->current++;
    if (call->current == TRIES) return;
    struct backoff_state state = {0};
    uint64_t draw = rng_next(&at->rng);
    send(at, now_ns, backoff_ns(&at->backoff, ERROR_TIMEOUT, retries, draw, &state), event->a);
}

/* ---- loads ---- */

static double spike(double t_s) { return t_s >= 20 && t_s <= 25 ? 80 : 40; }
static double ramp(double t_s) { return 80 - 1.6 * (t_s < 25 ? 25 - t_s : t_s - 25); }

/* Waits of U(0, 20 x 2^k) s, or none. */
static struct ddbsim_backoff backoff_of(bool waits) {
    return (struct ddbsim_backoff){.jitter = DDBSIM_JITTER_FULL,
                                   .base_ns = waits ? 20 * NS_PER_S : 0,
                                   .growth = 2 * DDBSIM_SHARE_ONE,
                                   .max_backoff_ns = DDBSIM_NO_CAP};
}

static struct collapse collapse; /* large */

/* Successes a second from one second to another. */
static double goodput(int from_s, int to_s) {
    uint64_t successes = 0;
    for (int second = from_s; second < to_s; second++)
        successes += collapse.successes[second];
    return (double)successes / (to_s - from_s);
}

static void run_once(double (*rate_per_s)(double), bool waits, uint32_t run) {
    struct collapse *at = &collapse;
    memset(at, 0, sizeof *at);
    rng_seed(&at->rng, rng_stream_key(2022, run, waits ? "waits" : "at once"));
    at->rate_per_s = rate_per_s;
    at->backoff = backoff_of(waits);
    at->loop = loop_create(at, 0);
    assert_non_null(at->loop);
    loop_handle(at->loop, CALL, call);
    loop_handle(at->loop, ARRIVES, arrives);
    loop_handle(at->loop, SERVED, served);
    loop_handle(at->loop, ANSWER, answer);
    loop_handle(at->loop, GIVE_UP, give_up);
    loop_schedule(at->loop, FIRST_NS, LOOP_COMPLETION, CALL, 0, 0);
    assert_int_equal(loop_run(at->loop, SECONDS * NS_PER_S, NULL), DDBSIM_OK);
    loop_destroy(at->loop);
}

/* ---- against the recorded runs ---- */

struct outcomes {
    int runs, collapsed;
    double recovered_sum; /* successes a second of the others */
};

/* A run is one or the other: none lies between a tenth and two thirds of what is offered. */
static void outcome_add(struct outcomes *outcomes, double per_s) {
    assert_true(per_s < 4 || per_s > 30);
    outcomes->runs++;
    if (per_s < 4)
        outcomes->collapsed++;
    else
        outcomes->recovered_sum += per_s;
}

static struct outcomes recorded(const json_t *runs, const char *list) {
    struct outcomes outcomes = {0};
    const json_t *values = json_object_get(runs, list);
    assert_int_equal(json_array_size(values), 20);
    for (size_t i = 0; i < json_array_size(values); i++)
        outcome_add(&outcomes, json_number_value(json_array_get(values, i)));
    return outcomes;
}

static struct outcomes simulated(bool waits) {
    struct outcomes outcomes = {0};
    for (uint32_t run = 0; run < RUNS; run++) {
        run_once(spike, waits, run);
        outcome_add(&outcomes, goodput(JUDGED_FROM, JUDGED_TO));
    }
    return outcomes;
}

/* P(at most k of n) where each is one with probability p. */
static double at_most(int k, int n, double p) {
    double sum = 0, term = dmath_pow(1 - p, n);
    for (int i = 0; i <= k; i++) {
        sum += term;
        term *= p / (1 - p) * (n - i) / (i + 1);
    }
    return sum;
}

/* The recorded number of collapsed runs is none that our share makes unlikely, on either side. */
static void assert_share(const struct outcomes *theirs, const struct outcomes *ours) {
    double share = (ours->collapsed + 0.5) / (ours->runs + 1);
    print_message("  collapsed: %d of %d, recorded %d of %d\n", ours->collapsed, ours->runs,
                  theirs->collapsed, theirs->runs);
    assert_true(at_most(theirs->collapsed, theirs->runs, share) > UNLIKELY);
    assert_true(1 - at_most(theirs->collapsed - 1, theirs->runs, share) > UNLIKELY);
}

static void a_spike_that_retries_outlive(void **state) {
    (void)state;
    json_error_t error;
    json_t *setup = json_load_file(TEST_DATA "/retry/brooker-sims-setup.json", 0, &error);
    if (!setup) fail_msg("the set-up: %s", error.text);
    const json_t *runs =
        json_object_get(json_object_get(setup, "simple_collapse_sim"), "single_run_seeds");
    struct outcomes theirs = recorded(runs, "no_backoff"), ours = simulated(false);
    assert_string_equal(json_string_value(json_object_get(runs, "no_backoff_collapsed")), "14/20");
    assert_int_equal(theirs.collapsed, 14);
    assert_share(&theirs, &ours);
    /* Those that recover do what is offered, there and here. */
    double n = ours.runs - ours.collapsed, m = theirs.runs - theirs.collapsed;
    double error_per_s = dmath_sqrt(40.0 / (JUDGED_TO - JUDGED_FROM) * (1 / n + 1 / m));
    assert_within(ours.recovered_sum / n, theirs.recovered_sum / m, 3 * error_per_s);

    theirs = recorded(runs, "backoff_and_jitter");
    ours = simulated(true);
    assert_string_equal(json_string_value(json_object_get(runs, "backoff_collapsed")), "0/20");
    assert_share(&theirs, &ours);
    assert_int_equal(ours.collapsed, 0);
    json_decref(setup);
}

/* On a ramp up to 80/s and down again callers are served until their calls take too long; from 30 s on nobody is,
 * though half of the load is still to come and the last of it is small. */
static void a_ramp_that_retries_outlive(void **state) {
    (void)state;
    for (uint32_t run = 0; run < 10; run++) {
        run_once(ramp, false, run);
        assert_true(goodput(5, 15) > 30);
        assert_true(goodput(30, SECONDS) == 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_spike_that_retries_outlive),
                                       cmocka_unit_test(a_ramp_that_retries_outlive)};
    return cmocka_run_group_tests_name("collapse", tests, NULL, NULL);
}
