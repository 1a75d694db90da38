/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What retries do to a service that fails each attempt with a probability, whatever its load: Marc Brooker's retry_sim
 * (mbrooker/simulator_example; Fixing retries with token buckets and circuit breakers, 2022-02-28), here on our kernel
 * with our waits, quota and breaker. tests/data/retry has its set-up and one run's counts of each strategy and
 * probability.
 *
 * There, each count is one draw. Clients do not touch each other, so what a run's ratio varies by follows from how our
 * clients differ (the delta method). A ratio of ours must lie within 4 standard errors of the recorded one, and no more
 * ratios beyond 3 than chance would have there once in five thousand times.
 */
#include <base/dmath.h>
#include <base/hash.h>
#include <base/rng.h>
#include <client/breaker.h>
#include <client/retry.h>
#include <jansson.h>
#include <kernel/loop.h>
#include <support/csv.h>
#include <support/near.h>
#include <support/sanitized.h>

/* Calls of all runs of one row; under sanitizers fewer, and one row of a few. */
#ifdef SANITIZED
#define CALLS_WANTED 10000
#define ROWS_SKIPPED 7
#else
#define CALLS_WANTED 200000
#define ROWS_SKIPPED 1
#endif
#define BEYOND_3_MOST 8 /* of 816 ratios 2.2 by chance; more than 8 once in 5,000 times */
#define CLIENTS_MAX 1000
#define NETWORK_S 0.01
#define TOKEN 1000 /* parts of a token: deposits are a tenth of one */

enum { START, ARRIVES, ANSWER };
enum policy { NO_RETRIES, THREE_RETRIES, TOKENS, BREAKER };

struct setting {
    enum policy policy;
    bool serial; /* one call of a client at a time */
    int clients;
    double rate_per_s; /* of one client */
    double fails;
    double seconds;
    double base_s; /* of the waits; they double */
};

struct caller {
    struct retry_quota quota;
    int64_t last_start_ns;
    uint64_t unique, total, successes;
    struct breaker breaker;
};

struct service {
    struct loop *loop;
    struct rng rng;
    struct setting setting;
    struct ddbsim_client client; /* whose policy it is */
    int64_t end_ns;
    struct caller callers[CLIENTS_MAX];
};

static const struct ddbsim_breaker breaker_10 = {.enabled = true,
                                                 .guards = DDBSIM_GUARDS_RETRIES,
                                                 .counts = DDBSIM_COUNTS_FAILURES_PER_CALL,
                                                 .failures = DDBSIM_SHARE_ONE / 10};

static int64_t exponential_ns(struct service *at, double mean_s) {
    return (int64_t)(-mean_s * dmath_log(draw_unit_open(rng_next(&at->rng))) * (double)NS_PER_S);
}

static int64_t network_ns(struct service *at) { return exponential_ns(at, NETWORK_S); }

/* A call is its client's number and how often it was retried. */
static uint64_t call_of(uint64_t caller, uint64_t retries) { return caller | retries << 32; }

/* ---- the service and its clients ---- */

static void send_after(struct service *at, int64_t time_ns, uint64_t call) {
    at->callers[(uint32_t)call].total++;
    loop_schedule(at->loop, time_ns + network_ns(at), LOOP_WORK, ARRIVES, call, 0);
}

/* Deposits come with calls that start, as in the original, not with successes, as in the article. */
static void start(void *context, int64_t now_ns, const struct loop_event *event) {
    struct service *at = context;
    struct caller *caller = &at->callers[event->a];
    if (now_ns > at->end_ns) return;
    quota_return(&at->client.quota, &caller->quota, 0, false);
    breaker_begins(&caller->breaker, &breaker_10, now_ns);
    caller->unique++;
    caller->last_start_ns = now_ns;
    send_after(at, now_ns, call_of(event->a, 0));
    if (at->setting.serial) return;
    int64_t gap_ns = exponential_ns(at, 1 / at->setting.rate_per_s);
    loop_schedule(at->loop, now_ns + gap_ns, LOOP_COMPLETION, START, event->a, 0);
}

static void arrives(void *context, int64_t now_ns, const struct loop_event *event) {
    struct service *at = context;
    bool succeeds = draw_unit(rng_next(&at->rng)) >= at->setting.fails;
    loop_schedule(at->loop, now_ns + network_ns(at), LOOP_COMPLETION, ANSWER, event->a, succeeds);
}

static bool may_retry(struct service *at, struct caller *caller, uint32_t retries, int64_t now_ns) {
    int64_t held;
    bool trial;
    breaker_tell(&caller->breaker, &breaker_10, true, now_ns);
    if (at->setting.policy == BREAKER &&
        !breaker_permits(&caller->breaker, &breaker_10, now_ns, &trial))
        return false;
    return retry_decide(&at->client, &caller->quota, ERROR_TRANSIENT, retries + 1, &held) ==
           RETRY_AGAIN;
}

/* A serial client's next call starts a gap after the last one's start, or when that is over. */
static void call_over(struct service *at, int64_t now_ns, uint32_t number) {
    if (!at->setting.serial) return;
    int64_t next_ns = at->callers[number].last_start_ns;
    next_ns += exponential_ns(at, 1 / at->setting.rate_per_s);
    loop_schedule(at->loop, larger(next_ns, now_ns), LOOP_COMPLETION, START, number, 0);
}

static void answer(void *context, int64_t now_ns, const struct loop_event *event) {
    struct service *at = context;
    uint32_t number = (uint32_t)event->a, retries = (uint32_t)(event->a >> 32);
    struct caller *caller = &at->callers[number];
    caller->successes += event->b;
    if (event->b || !may_retry(at, caller, retries, now_ns)) {
        call_over(at, now_ns, number);
        return;
    }
    struct backoff_state state = {0};
    int64_t wait_ns = backoff_ns(&at->client.backoff, ERROR_TRANSIENT, retries, 0, &state);
    send_after(at, now_ns + wait_ns, call_of(number, retries + 1));
}

/* ---- set-up ---- */

/* A bucket of 5 tokens, full at first, a tenth of one a call; a retry takes one and needs more than one. What lies
 * above one part of a token is what counts here, so that `more than` becomes `at least`. */
static struct ddbsim_client client_of(const struct setting *setting) {
    struct ddbsim_client client = {.max_attempts = 1, .retry_on = {.transient = true}};
    if (setting->policy == THREE_RETRIES || setting->policy == BREAKER) client.max_attempts = 4;
    if (setting->policy == TOKENS) {
        client.max_attempts = UINT32_MAX;
        client.quota = (struct ddbsim_retry_quota){.enabled = true,
                                                   .capacity = 5 * TOKEN - 1,
                                                   .retry_cost = TOKEN,
                                                   .no_retry_increment = TOKEN / 10};
    }
    client.backoff =
        (struct ddbsim_backoff){.jitter = DDBSIM_JITTER_NONE,
                                .base_ns = (int64_t)(setting->base_s * (double)NS_PER_S),
                                .growth = 2 * DDBSIM_SHARE_ONE,
                                .max_backoff_ns = DDBSIM_NO_CAP};
    return client;
}

static void run_once(struct service *at, const struct setting *setting, uint64_t key) {
    memset(at, 0, sizeof *at);
    rng_seed(&at->rng, key);
    at->setting = *setting;
    at->client = client_of(setting);
    at->end_ns = (int64_t)(setting->seconds * (double)NS_PER_S);
    at->loop = loop_create(at, 0);
    assert_non_null(at->loop);
    loop_handle(at->loop, START, start);
    loop_handle(at->loop, ARRIVES, arrives);
    loop_handle(at->loop, ANSWER, answer);
    for (int i = 0; i < setting->clients; i++) {
        at->callers[i].quota.tokens = at->client.quota.capacity;
        if (setting->serial)
            call_over(at, 0, (uint32_t)i);
        else
            loop_schedule(at->loop, network_ns(at), LOOP_COMPLETION, START, (uint64_t)i, 0);
    }
    /* No call starts after the end; what is under way is done long before as much time again. */
    assert_int_equal(loop_run(at->loop, 2 * at->end_ns, NULL), DDBSIM_OK);
    loop_destroy(at->loop);
}

/* ---- ratios ---- */

/* Sums over clients: of calls x, of attempts or successes y. */
struct ratio {
    double n, x, y, xx, xy, yy;
};

static void ratio_add(struct ratio *ratio, double x, double y) {
    ratio->n++;
    ratio->x += x;
    ratio->y += y;
    ratio->xx += x * x;
    ratio->xy += x * y;
    ratio->yy += y * y;
}

/* How many standard errors the recorded y lies from our ratio times the recorded x, both of so many clients. What
 * happens less than thirty times in a run, a retry or a failure, counts as Poisson's law has it, by the square root
 * that makes its spread the same everywhere (Anscombe 1948), or wider where such events come in clusters. */
static double ratio_apart(const struct ratio *ours, double clients, double x, double y) {
    double r = ours->y / ours->x, runs = ours->n / clients;
    double expected = r < 1 ? x - r * x : r * x - x, seen = y < x ? x - y : y - x;
    double variance = (ours->yy - 2 * r * ours->xy + r * r * ours->xx) / (ours->n - 1) * clients;
    if (expected < 30) {
        double apart = dmath_sqrt(seen + 0.375) - dmath_sqrt(expected + 0.375);
        double clustered = variance > expected ? variance / expected : 1;
        return 2 * apart / dmath_sqrt(clustered * (1 + 1 / runs));
    }
    return (y - r * x) / dmath_sqrt(variance * (1 + 1 / runs));
}

static double mean_apart(const struct ratio *ours, double clients, double x) {
    double mean = ours->x / ours->n, variance = (ours->xx - ours->n * mean * mean) / (ours->n - 1);
    return (x - clients * mean) / dmath_sqrt(clients * variance * (1 + clients / ours->n));
}

/* ---- rows ---- */

struct strategy {
    const char *scenario, *name; /* as recorded */
    struct setting setting;
};

static const struct strategy strategies[] = {
    {"main_100clients_10rps_each", "no_retries", {NO_RETRIES, false, 100, 10, 0, 0, 0}},
    {"main_100clients_10rps_each", "three_retries", {THREE_RETRIES, false, 100, 10, 0, 0, 0}},
    {"main_100clients_10rps_each", "adaptive_10pct", {TOKENS, false, 100, 10, 0, 0, 0}},
    {"main_100clients_10rps_each", "breaker_10pct", {BREAKER, false, 100, 10, 0, 0, 0}},
    {"clients_total_100rps", "adaptive_10pct_10clients", {TOKENS, false, 10, 10, 0, 0, 0}},
    {"clients_total_100rps", "adaptive_10pct_100clients", {TOKENS, false, 100, 1, 0, 0, 0}},
    {"clients_total_100rps", "adaptive_10pct_1000clients", {TOKENS, false, 1000, 0.1, 0, 0, 0}},
    {"clients_total_100rps", "breaker_10pct_10clients", {BREAKER, false, 10, 10, 0, 0, 0}},
    {"clients_total_100rps", "breaker_10pct_100clients", {BREAKER, false, 100, 1, 0, 0, 0}},
    {"clients_total_100rps", "breaker_10pct_1000clients", {BREAKER, false, 1000, 0.1, 0, 0, 0}},
    {"retry_backoff_100clients_10rps",
     "three_retries_no_backoff",
     {THREE_RETRIES, false, 100, 10, 0, 0, 0}},
    {"retry_backoff_100clients_10rps",
     "three_retries_large_backoff",
     {THREE_RETRIES, false, 100, 10, 0, 0, 0.1}},
    {"retry_backoff_100clients_10rps",
     "adaptive_10pct_no_backoff",
     {TOKENS, false, 100, 10, 0, 0, 0}},
    {"retry_backoff_100clients_10rps",
     "adaptive_10pct_large_backoff",
     {TOKENS, false, 100, 10, 0, 0, 0.1}},
    {"serial_vs_unbounded_100clients",
     "three_retries_unbounded",
     {THREE_RETRIES, false, 100, 10, 0, 0, 0.1}},
    {"serial_vs_unbounded_100clients",
     "three_retries_100_serial",
     {THREE_RETRIES, true, 100, 10, 0, 0, 0.1}},
};

static struct setting setting_of(const char *const *fields) {
    const int count = (int)(sizeof strategies / sizeof strategies[0]);
    int i = 0;
    while (i < count && (strcmp(strategies[i].scenario, fields[0]) != 0 ||
                         strcmp(strategies[i].name, fields[2]) != 0))
        i++;
    if (i == count) fail_msg("unknown strategy: %s, %s", fields[0], fields[2]);
    struct setting setting = strategies[i].setting;
    setting.seconds = csv_number(fields[1]);
    setting.fails = csv_number(fields[3]);
    return setting;
}

static struct service service; /* large */

/* What the rows' distances came to. */
struct verdicts {
    int ratios, beyond_3;
    double sum_squares;
};

static void judge(struct verdicts *verdicts, const char *const *fields, const char *what,
                  double distance) {
    if (distance < -4 || distance > 4)
        fail_msg("%s, %s at %s: %s is %.2f standard errors apart", fields[0], fields[2], fields[3],
                 what, distance);
    verdicts->ratios++;
    verdicts->beyond_3 += distance < -3 || distance > 3;
    verdicts->sum_squares += distance * distance;
}

static void judge_row(struct verdicts *verdicts, const char *const *fields, uint64_t row) {
    struct setting setting = setting_of(fields);
    struct ratio attempts = {0}, successes = {0};
    double unique = csv_number(fields[4]);
    int runs = (int)(CALLS_WANTED / unique) + 1;
    uint64_t key = rng_stream_key(2022, 0, fields[2]);
    for (int run = 0; run < runs; run++) {
        run_once(&service, &setting, hash_mix(key, row, (uint64_t)run));
        for (int i = 0; i < setting.clients; i++) {
            const struct caller *caller = &service.callers[i];
            ratio_add(&attempts, (double)caller->unique, (double)caller->total);
            ratio_add(&successes, (double)caller->unique, (double)caller->successes);
        }
    }
    double clients = setting.clients;
    judge(verdicts, fields, "calls", mean_apart(&attempts, clients, unique));
    judge(verdicts, fields, "load", ratio_apart(&attempts, clients, unique, csv_number(fields[5])));
    judge(verdicts, fields, "successes",
          ratio_apart(&successes, clients, unique, csv_number(fields[6])));
}

static void retries_against_failures(void **state) {
    (void)state;
    struct csv csv;
    const char *fields[9];
    struct verdicts verdicts = {0};
    csv_open(&csv, TEST_DATA "/retry/brooker-retry-sim.csv",
             "scenario,sim_seconds,strategy,server_failure_rate,unique_calls,total_calls,successes,"
             "success_ratio,load_ratio");
    uint64_t rows = 0;
    for (; csv_next(&csv, fields, 9); rows++)
        if (rows % ROWS_SKIPPED == 0) judge_row(&verdicts, fields, rows);
    csv_close(&csv);
    assert_int_equal(rows, 17 * sizeof strategies / sizeof strategies[0]);
    double mean_square = verdicts.sum_squares / verdicts.ratios;
    print_message("  %d ratios, %d beyond 3 standard errors, mean square %.2f\n", verdicts.ratios,
                  verdicts.beyond_3, mean_square);
    assert_true(verdicts.beyond_3 <= BEYOND_3_MOST);
    /* of so many squares of normal values; whole counts make some of them smaller */
    assert_within(mean_square, 1, 4 * dmath_sqrt(2.0 / verdicts.ratios));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(retries_against_failures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
