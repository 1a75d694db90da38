/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mm1: a queue with one server, arrivals at 0.9 of its rate, through the loop: arrivals from a source, as
 * those of a workload are, departures through the event set. Bare: two clocks in local variables.
 */
#include "bench.h"

#include <kernel/loop.h>

#define GAP (1000000 / 0.9) /* mean, ns */
#define SERVICE 1000000.0
#define SEED 11

enum { DEPARTS };

struct station {
    struct loop *loop;
    struct rng rng;
    uint64_t waiting, arrivals_left;
    uint64_t area; /* of the number present over time: says whether both sides saw the same queue */
    int64_t last_ns, arrival_ns;
};

static int64_t next_gap(struct rng *rng) { return (int64_t)(exponential(rng) * GAP); }
static int64_t next_service(struct rng *rng) { return (int64_t)(exponential(rng) * SERVICE); }

static int64_t next_arrival(void *self) { return ((struct station *)self)->arrival_ns; }

static int64_t arrives(void *self, int64_t now_ns) {
    struct station *s = self;
    s->area += s->waiting * (uint64_t)(now_ns - s->last_ns);
    s->last_ns = now_ns;
    if (s->waiting++ == 0)
        loop_schedule(s->loop, now_ns + next_service(&s->rng), LOOP_COMPLETION, DEPARTS, 0, 0);
    s->arrival_ns = --s->arrivals_left > 0 ? now_ns + next_gap(&s->rng) : TIME_NEVER;
    return s->arrival_ns;
}

static void departs(void *context, int64_t now_ns, const struct loop_event *event) {
    struct station *s = context;
    (void)event;
    s->area += s->waiting * (uint64_t)(now_ns - s->last_ns);
    s->last_ns = now_ns;
    if (--s->waiting > 0)
        loop_schedule(s->loop, now_ns + next_service(&s->rng), LOOP_COMPLETION, DEPARTS, 0, 0);
}

static void ours(const struct bench_case *self, struct bench_side *out) {
    struct station s = {.arrivals_left = self->size};
    rng_seed(&s.rng, SEED);
    s.loop = loop_create(&s, 0);
    if (!s.loop) bench_fail("memory");
    loop_handle(s.loop, DEPARTS, departs);
    s.arrival_ns = next_gap(&s.rng);
    struct loop_source source = {.self = &s, .peek = next_arrival, .fire = arrives};
    if (!loop_add_source(s.loop, &source)) bench_fail("memory");
    int64_t begin_ns = bench_cpu_ns();
    if (loop_run(s.loop, QUEUE_TIME_END - 1, NULL) != DDBSIM_OK) bench_fail("the loop");
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = loop_event_count(s.loop);
    out->check = s.area;
    loop_destroy(s.loop);
}

static void bare(const struct bench_case *self, struct bench_side *out) {
    struct rng rng;
    rng_seed(&rng, SEED);
    int64_t arrival_ns = next_gap(&rng), departure_ns = TIME_NEVER, last_ns = 0;
    uint64_t waiting = 0, area = 0, arrivals_left = self->size, events = 0;
    int64_t begin_ns = bench_cpu_ns();
    while (arrivals_left > 0 || waiting > 0) {
        events++;
        if (departure_ns <= arrival_ns) {
            area += waiting * (uint64_t)(departure_ns - last_ns);
            last_ns = departure_ns;
            departure_ns = --waiting > 0 ? last_ns + next_service(&rng) : TIME_NEVER;
        } else {
            area += waiting * (uint64_t)(arrival_ns - last_ns);
            last_ns = arrival_ns;
            if (waiting++ == 0) departure_ns = last_ns + next_service(&rng);
            arrival_ns = --arrivals_left > 0 ? last_ns + next_gap(&rng) : TIME_NEVER;
        }
    }
    out->cpu_ns = bench_cpu_ns() - begin_ns;
    out->ops = events;
    out->check = area;
}

const struct bench_case bench_mm1 = {
    .name = "mm1", .op = "event", .size = 2000000, .checked = true, .ours = ours, .bare = bare};
