/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel against queueing theory: one server, first come first served, Poisson arrivals from
 * sources outside the event set, completions as events. Mean waits are those of M/M/1 and M/D/1,
 * within what the sample allows: 4 standard errors, estimated from the means of 50 batches of
 * customers (a batch is at least 50 times as long as the queue's correlation, so that batches are
 * nearly independent). With the fixed seeds the result never varies; a wrong mean of 4 standard
 * errors is 1 chance in 16,000. The standard error itself must be small, or the test would accept
 * anything.
 */
#include <base/dmath.h>
#include <base/hash.h>
#include <base/rng.h>
#include <kernel/loop.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>
#include <support/near.h>

#define BATCHES 50
#define WAITING_MAX 8192 /* a power of two */
#define SERVICE_NS 1000000.0
#define SOURCES_MAX 4
#define COMPLETION_KIND 0

struct stream_of_customers {
    struct station *station;
    struct rng rng;
    double mean_gap_ns;
    int64_t next_ns;
};

struct station {
    struct loop *loop;
    struct rng service_rng;
    bool constant_service;
    struct stream_of_customers streams[SOURCES_MAX];
    int64_t arrived_ns[WAITING_MAX]; /* customers in the system, oldest first */
    uint64_t arrivals, departures, started;
    uint64_t customers_a_batch;
    int128 batch_wait_ns[BATCHES];
    /* Little's law in whole numbers: the area under the number of customers, and their stays. */
    int128 area_ns, stays_ns, busy_ns;
    int64_t changed_ns;
    uint64_t order; /* digest of everything that happened */
};

static double draw_exponential(struct rng *rng, double mean) {
    return -mean * dmath_log(draw_unit_open(rng_next(rng)));
}

static void note(struct station *station, int64_t now_ns, uint64_t what) {
    uint64_t in_system = station->arrivals - station->departures;
    station->area_ns += (int128)(now_ns - station->changed_ns) * (int64_t)in_system;
    if (in_system > 0) station->busy_ns += now_ns - station->changed_ns;
    station->changed_ns = now_ns;
    station->order = hash_mix(station->order, (uint64_t)now_ns, what);
}

static void begin_service(struct station *station, int64_t now_ns) {
    int64_t wait_ns = now_ns - station->arrived_ns[station->started % WAITING_MAX];
    uint64_t batch = station->started++ / station->customers_a_batch;
    if (batch < BATCHES) station->batch_wait_ns[batch] += wait_ns;
    double service_ns = station->constant_service
                            ? SERVICE_NS
                            : draw_exponential(&station->service_rng, SERVICE_NS);
    loop_schedule(station->loop, now_ns + (int64_t)service_ns, LOOP_COMPLETION, COMPLETION_KIND,
                  station->departures, 0);
}

static void complete(void *context, int64_t now_ns, const struct loop_event *event) {
    struct station *station = context;
    assert_int_equal(event->a, station->departures); /* first come, first served */
    note(station, now_ns, event->a);
    station->stays_ns += now_ns - station->arrived_ns[station->departures % WAITING_MAX];
    station->departures++;
    if (station->departures < station->arrivals) begin_service(station, now_ns);
}

static int64_t stream_peek(void *self) { return ((struct stream_of_customers *)self)->next_ns; }

static int64_t stream_fire(void *self, int64_t now_ns) {
    struct stream_of_customers *stream = self;
    struct station *station = stream->station;
    note(station, now_ns, UINT64_MAX - (uint64_t)(stream - station->streams));
    assert_true(station->arrivals - station->departures < WAITING_MAX);
    station->arrived_ns[station->arrivals++ % WAITING_MAX] = now_ns;
    if (station->arrivals == station->departures + 1) begin_service(station, now_ns);
    stream->next_ns += (int64_t)draw_exponential(&stream->rng, stream->mean_gap_ns);
    return stream->next_ns;
}

struct case_of_queue {
    double utilisation;
    bool constant_service;
    int sources; /* the arrivals are a sum of so many Poisson processes */
    uint64_t customers;
    uint64_t seed;
};

static void open_station(struct station *station, const struct case_of_queue *test) {
    static const char *const names[SOURCES_MAX] = {"a", "b", "c", "d"};
    memset(station, 0, sizeof *station);
    station->constant_service = test->constant_service;
    station->customers_a_batch = test->customers / BATCHES;
    rng_seed(&station->service_rng, rng_stream_key(test->seed, 0, "service"));
    station->loop = loop_create(station, 0);
    assert_non_null(station->loop);
    loop_handle(station->loop, COMPLETION_KIND, complete);
    for (int i = 0; i < test->sources; i++) {
        struct stream_of_customers *stream = &station->streams[i];
        stream->station = station;
        stream->mean_gap_ns = SERVICE_NS / test->utilisation * test->sources;
        rng_seed(&stream->rng, rng_stream_key(test->seed, 0, names[i]));
        stream->next_ns = (int64_t)draw_exponential(&stream->rng, stream->mean_gap_ns);
        assert_true(loop_add_source(station->loop,
                                    &(struct loop_source){stream, stream_peek, stream_fire}));
    }
}

/* Runs by the second, so that runs that end and go on are part of the test. */
static void serve(struct station *station, const struct case_of_queue *test) {
    open_station(station, test);
    while (station->started < test->customers)
        assert_int_equal(loop_run(station->loop, loop_now(station->loop) + NS_PER_S, NULL),
                         DDBSIM_OK);
    note(station, loop_now(station->loop), 0);
    assert_int_equal(loop_event_count(station->loop), station->arrivals + station->departures);
    loop_destroy(station->loop);
}

/* In units of the mean service time. */
static void mean_wait(const struct station *station, double *mean, double *standard_error) {
    double batch[BATCHES], sum = 0, squares = 0;
    for (int i = 0; i < BATCHES; i++) {
        batch[i] =
            (double)station->batch_wait_ns[i] / (double)station->customers_a_batch / SERVICE_NS;
        sum += batch[i];
    }
    *mean = sum / BATCHES;
    for (int i = 0; i < BATCHES; i++)
        squares += (batch[i] - *mean) * (batch[i] - *mean);
    *standard_error = dmath_sqrt(squares / (BATCHES - 1) / BATCHES);
}

/* L = lambda W holds for any sample path, exactly: the area is the customers' stays so far. */
static void assert_littles_law(const struct station *station) {
    int128 stays_ns = station->stays_ns;
    for (uint64_t i = station->departures; i < station->arrivals; i++)
        stays_ns += station->changed_ns - station->arrived_ns[i % WAITING_MAX];
    assert_true(stays_ns == station->area_ns);
    assert_true(stays_ns > 0);
}

static struct station station; /* large */

static void assert_wait(const struct case_of_queue *test, double expected, double error_max) {
    double mean, standard_error;
    serve(&station, test);
    mean_wait(&station, &mean, &standard_error);
    print_message("  wait %.4f, theory %.4f, standard error %.4f\n", mean, expected,
                  standard_error);
    assert_true(standard_error < error_max * expected);
    assert_within(mean, expected, 4 * standard_error);
    assert_littles_law(&station);
    /* the share of time that the server is busy, against the same theory */
    assert_within((double)station.busy_ns / (double)station.changed_ns, test->utilisation, 0.004);
}

/* Wq = rho / (1 - rho) */
static void mm1_at_nine_tenths(void **state) {
    (void)state;
    assert_wait(&(struct case_of_queue){0.9, false, 1, 3000000, 901}, 9.0, 0.02);
}

static void mm1_at_one_half(void **state) {
    (void)state;
    assert_wait(&(struct case_of_queue){0.5, false, 1, 1000000, 501}, 1.0, 0.01);
}

static void mm1_of_four_sources(void **state) {
    (void)state;
    assert_wait(&(struct case_of_queue){0.5, false, 4, 1000000, 504}, 1.0, 0.01);
}

/* Wq = rho / (2 (1 - rho)) */
static void md1_at_nine_tenths(void **state) {
    (void)state;
    assert_wait(&(struct case_of_queue){0.9, true, 1, 2000000, 911}, 4.5, 0.02);
}

static void md1_at_one_half(void **state) {
    (void)state;
    assert_wait(&(struct case_of_queue){0.5, true, 4, 1000000, 511}, 0.5, 0.01);
}

static void the_same_seed_gives_the_same_order(void **state) {
    (void)state;
    struct case_of_queue test = {0.9, false, 4, 100000, 7};
    serve(&station, &test);
    uint64_t first = station.order;
    serve(&station, &test);
    assert_int_equal(station.order, first);
    test.seed = 8;
    serve(&station, &test);
    assert_int_not_equal(station.order, first);
}

/* Other compilers, levels and machines must order alike too. */
static void the_order_is_the_same_everywhere(void **state) {
    (void)state;
    serve(&station, &(struct case_of_queue){0.9, false, 3, 100000, 7});
    assert_int_equal(station.order, UINT64_C(0xa06f1e9e9fcbc65c));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mm1_at_nine_tenths),
        cmocka_unit_test(mm1_at_one_half),
        cmocka_unit_test(mm1_of_four_sources),
        cmocka_unit_test(md1_at_nine_tenths),
        cmocka_unit_test(md1_at_one_half),
        cmocka_unit_test(the_same_seed_gives_the_same_order),
        cmocka_unit_test(the_order_is_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
