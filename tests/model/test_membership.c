/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Case C65: September 2015 in us-east-1. Storage servers ask a service which partitions are theirs; the answers had grown, so
 * that the service could not answer all servers within the time that each of them waits. It was enough as long as they asked
 * at different times. After an interruption all asked, gave up, and asked again, while the service still worked on what
 * they had given up; capacity could not be added until somebody stopped the servers' requests. Source: AWS, Summary of the
 * Amazon DynamoDB Service Disruption (message 5467D2). Figures are ours; what must hold are ratios: N servers, a service of u
 * answers a second, and a wait of T with u < N / T.
 *
 * The service is a queue in order of arrival, on our kernel; servers that retry with care are boto3's standard mode.
 */
#include <base/rng.h>
#include <client/retry.h>
#include <ddbsim/presets.h>
#include <kernel/loop.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

#define SERVERS 1000
#define ANSWER_NS (13 * NS_PER_MS) /* u = 77/s: all of them take 13 s */
#define WAIT_NS (10 * NS_PER_S)    /* N / T = 100/s */
#define RENEW_S 60 /* seconds from one answer until a server asks anew: 17/s in all */
#define WAITING_MAX (1u << 18)
#define STALL_FROM_S 200
#define STALL_TO_S 260
#define SECONDS 4000

enum { ASK, ANSWERED, GIVE_UP, STALL };

struct membership {
    struct loop *loop;
    struct rng rng;
    const struct ddbsim_client *client; /* NULL: servers ask again at once, for ever */
    struct server {
        uint32_t asked; /* requests so far: an answer to another than the last is not heard */
        uint32_t retries;
        int64_t held;
        struct retry_quota quota;
        bool waits;
    } servers[SERVERS];
    struct waiting {
        uint32_t server, asked;
    } waiting[WAITING_MAX];
    uint64_t first, last; /* of those that wait, ever */
    bool busy, stalled, paused;
    uint32_t good[SECONDS + 1]; /* answers that somebody heard, by second */
};

/* ---- the service ---- */

static void serve_next(struct membership *at, int64_t now_ns) {
    at->busy = !at->stalled && at->first < at->last;
    if (at->busy) loop_schedule(at->loop, now_ns + ANSWER_NS, LOOP_WORK, ANSWERED, 0, 0);
}

static void send(struct membership *at, int64_t now_ns, uint32_t number) {
    struct server *server = &at->servers[number];
    assert_true(at->last - at->first < WAITING_MAX);
    at->waiting[at->last++ % WAITING_MAX] = (struct waiting){number, ++server->asked};
    server->waits = true;
    loop_schedule(at->loop, now_ns + WAIT_NS, LOOP_RETRY, GIVE_UP, number, server->asked);
    if (!at->busy) serve_next(at, now_ns);
}

static void answered(void *context, int64_t now_ns, const struct loop_event *event) {
    (void)event;
    struct membership *at = context;
    struct waiting done = at->waiting[at->first++ % WAITING_MAX];
    struct server *server = &at->servers[done.server];
    serve_next(at, now_ns);
    if (done.asked != server->asked || !server->waits) return;
    server->waits = false;
    if (at->client)
        quota_return(&at->client->quota, &server->quota, server->held, server->retries > 0);
    server->retries = 0;
    at->good[now_ns / NS_PER_S]++;
    loop_schedule(at->loop, now_ns + RENEW_S * NS_PER_S, LOOP_COMPLETION, ASK, done.server, 0);
}

/* ---- those who ask ---- */

static void ask(void *context, int64_t now_ns, const struct loop_event *event) {
    struct membership *at = context;
    if (!at->paused) send(at, now_ns, (uint32_t)event->a);
}

/* Again at once; or as an SDK does, and when that has given up at the next renewal. */
static void give_up(void *context, int64_t now_ns, const struct loop_event *event) {
    struct membership *at = context;
    struct server *server = &at->servers[event->a];
    if (at->paused || !server->waits || event->b != server->asked) return;
    server->waits = false;
    if (!at->client) {
        send(at, now_ns, (uint32_t)event->a);
        return;
    }
    int64_t wait_ns = RENEW_S * NS_PER_S;
    struct backoff_state state = {0};
    if (retry_decide(at->client, &server->quota, ERROR_TIMEOUT, server->retries + 1,
                     &server->held) == RETRY_AGAIN)
        wait_ns = retry_wait_ns(at->client, ERROR_TIMEOUT, ++server->retries, rng_next(&at->rng),
                                RETRY_NO_HINT, &state);
    else
        server->retries = 0;
    loop_schedule(at->loop, now_ns + wait_ns, LOOP_RETRY, ASK, event->a, 0);
}

/* ---- what happens ---- */

static void stall(void *context, int64_t now_ns, const struct loop_event *event) {
    struct membership *at = context;
    at->stalled = event->a != 0;
    if (!at->stalled && !at->busy) serve_next(at, now_ns);
}

/* All ask at once; between runs, where any number of events may be scheduled. */
static void resume(struct membership *at) {
    at->paused = false;
    for (uint32_t i = 0; i < SERVERS; i++) {
        at->servers[i].waits = false;
        loop_schedule(at->loop, loop_now(at->loop) + i, LOOP_RETRY, ASK, i, 0);
    }
}

static struct membership *begin(const struct ddbsim_client *client) {
    struct membership *at = calloc(1, sizeof *at);
    assert_non_null(at);
    at->loop = loop_create(at, 0);
    assert_non_null(at->loop);
    at->client = client;
    rng_seed(&at->rng, rng_stream_key(2015, 0, "servers"));
    loop_handle(at->loop, ASK, ask);
    loop_handle(at->loop, ANSWERED, answered);
    loop_handle(at->loop, GIVE_UP, give_up);
    loop_handle(at->loop, STALL, stall);
    for (uint32_t i = 0; i < SERVERS; i++) {
        if (client) at->servers[i].quota.tokens = client->quota.capacity;
        int64_t at_ns = (int64_t)draw_below(rng_next(&at->rng), RENEW_S * NS_PER_S);
        loop_schedule(at->loop, at_ns, LOOP_COMPLETION, ASK, i, 0);
    }
    loop_schedule(at->loop, STALL_FROM_S * NS_PER_S, LOOP_CONTROL, STALL, 1, 0);
    loop_schedule(at->loop, STALL_TO_S * NS_PER_S, LOOP_CONTROL, STALL, 0, 0);
    return at;
}

static void advance(struct membership *at, int second) {
    assert_int_equal(loop_run(at->loop, second * NS_PER_S, NULL), DDBSIM_OK);
}

static void end(struct membership *at) {
    loop_destroy(at->loop);
    free(at);
}

/* Share of the answers that N servers want. */
static double goodput(const struct membership *at, int from_s, int to_s) {
    uint64_t good = 0;
    for (int second = from_s; second < to_s; second++)
        good += at->good[second];
    return (double)good * RENEW_S / ((double)SERVERS * (to_s - from_s));
}

/* A minute's stall is enough: an hour later nearly every answer is still to a question that was given up. Stopping the questions
 * for as long as it takes to work off the queue ends it. */
static void c65_a_storm_that_feeds_itself(void **state) {
    (void)state;
    struct membership *at = begin(NULL);
    assert_true(SERVERS * ANSWER_NS > WAIT_NS && ANSWER_NS * SERVERS < RENEW_S * NS_PER_S);
    advance(at, 1800);
    assert_true(goodput(at, 100, STALL_FROM_S) > 0.9);
    assert_true(goodput(at, 300, 1800) < 0.2);
    at->paused = true;
    int drain_s = (int)((int64_t)(at->last - at->first) * ANSWER_NS / NS_PER_S) + 1;
    print_message("  %.3f of the answers wanted; drained in %d s\n", goodput(at, 300, 1800),
                  drain_s);
    advance(at, 1800 + drain_s);
    assert_int_equal(at->first, at->last);
    resume(at);
    advance(at, SECONDS);
    assert_true(1800 + 2 * drain_s < SECONDS - RENEW_S);
    assert_true(goodput(at, 1800 + 2 * drain_s, SECONDS) > 0.8);
    end(at);
}

/* Few attempts, jitter and a quota: the queue that the stall leaves is worked off. */
static void c65_with_jitter_and_quota_there_is_none(void **state) {
    (void)state;
    struct membership *at = begin(&ddbsim_preset_find("boto3-standard")->client);
    advance(at, SECONDS);
    assert_true(goodput(at, 100, STALL_FROM_S) > 0.9);
    assert_true(goodput(at, STALL_TO_S + 120, SECONDS) > 0.8);
    end(at);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(c65_a_storm_that_feeds_itself),
                                       cmocka_unit_test(c65_with_jitter_and_quota_there_is_none)};
    return cmocka_run_group_tests_name("membership", tests, NULL, NULL);
}
