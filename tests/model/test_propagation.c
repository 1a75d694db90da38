/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Index propagation and back-pressure without the rest (M-50 to M-55). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <base/hash.h>
#include <base/rng.h>
#include <model/propagation.h>

enum { ARRIVE, WAKE };

static const struct ddbsim_assumptions usual = {
#define X(field, name, kind, value, low, high, rule, what) .field = value,
    DDBSIM_ASSUMPTIONS(X)
#undef X
};

/* A paced writer in front of one index. */
struct bench {
    struct propagation index;
    struct loop *loop;
    struct ddbsim_index_work work;
    int64_t gap_ns, next_ns;
    bool spread; /* keys over the whole space, else one key */
    struct rng rng;
    uint64_t offered, accepted, counted_accepted;
    int64_t count_from_ns, first_refusal_ns, last_drain_ns;
    uint64_t refused_hot, refused_capacity;
    int64_t drained_units;
};

static void on_arrive(void *context, int64_t now, const struct loop_event *event) {
    struct bench *b = context;
    (void)event;
    propagation_arrive(&b->index, b->loop, 0, now);
}
static void on_wake(void *context, int64_t now, const struct loop_event *event) {
    struct bench *b = context;
    (void)event;
    propagation_wake(&b->index, b->loop, 0, now);
}
static bool between(void *context) {
    struct bench *b = context;
    while (propagation_is_tight(&b->index, 64))
        if (!propagation_grow(&b->index)) return false;
    return true;
}
static void on_drained(void *context, struct propagation *p, const struct propagation_entry *entry,
                       uint32_t part, int64_t nano, int64_t now) {
    struct bench *b = context;
    (void)p;
    assert_int_equal(nano, propagation_part_units(entry, part) * NANO);
    b->drained_units += nano / NANO;
    b->last_drain_ns = now;
}
static int64_t peek(void *self) { return ((struct bench *)self)->next_ns; }
static int64_t fire(void *self, int64_t now) {
    struct bench *b = self;
    b->next_ns += b->gap_ns;
    b->offered++;
    if (b->spread) {
        b->work.old_key.hash = rng_next(&b->rng);
        b->work.new_key.hash = rng_next(&b->rng);
    }
    uint32_t refusals = propagation_judge(&b->index, true, now);
    if (refusals != 0) {
        if (b->first_refusal_ns == TIME_NEVER) b->first_refusal_ns = now;
        b->refused_hot += refusals == REFUSAL_BIT(REFUSAL_KEY_RANGE);
        b->refused_capacity += refusals == REFUSAL_BIT(REFUSAL_PROVISIONED);
        return b->next_ns;
    }
    b->accepted++;
    b->counted_accepted += now >= b->count_from_ns;
    propagation_put(&b->index, &b->work, hash_mix(5, b->offered, 0), now);
    propagation_tell(&b->index, b->loop, 0);
    loop_request_between(b->loop);
    return b->next_ns;
}

struct setting {
    int64_t capacity, buffer_units, grace_ns;
    uint32_t partitions;
    double burst;
    enum ddbsim_effect effect;
    int64_t bytes;
    int64_t rate_per_s;
};

static void bench_start(struct bench *b, const struct setting *setting) {
    memset(b, 0, sizeof *b);
    b->loop = loop_create(b, 0);
    assert_non_null(b->loop);
    struct propagation_options options = {
        .resource = {.table_name = "t",
                     .index_name = "i",
                     .capacity = {1, setting->capacity},
                     .burst = {300 * NS_PER_S, (int64_t)(setting->burst * 1e9)},
                     .partitions = setting->partitions,
                     .model = &usual},
        .buffer_units = setting->buffer_units,
        .grace_ns = setting->grace_ns,
        .rearm_ns = 300 * NS_PER_S,
        .resume = 950000000,
        .lag_median_ns = 10 * NS_PER_MS,
        .lag_p99_ns = 200 * NS_PER_MS,
        .arrive_kind = ARRIVE,
        .wake_kind = WAKE,
    };
    assert_true(propagation_init(&b->index, &options, 0));
    b->index.drained = on_drained;
    b->index.context = b;
    loop_handle(b->loop, ARRIVE, on_arrive);
    loop_handle(b->loop, WAKE, on_wake);
    loop_set_between(b->loop, between);
    b->work = (struct ddbsim_index_work){
        .effect = setting->effect, .old_bytes = setting->bytes, .new_bytes = setting->bytes};
    b->gap_ns = NS_PER_S / setting->rate_per_s;
    b->next_ns = b->gap_ns / 2;
    b->spread = setting->partitions > 1;
    b->first_refusal_ns = TIME_NEVER;
    rng_seed(&b->rng, 99);
    struct loop_source source = {b, peek, fire};
    assert_true(loop_add_source(b->loop, &source));
}

static void bench_run(struct bench *b, int64_t until_s) {
    struct ddbsim_error error = {0};
    assert_int_equal(loop_run(b->loop, until_s * NS_PER_S, &error), DDBSIM_OK);
}

/* puts = drains + entries on their way, and the backlog is what waits. */
static void check_conservation(const struct bench *b) {
    assert_int_equal(b->index.puts, b->accepted);
    assert_int_equal(b->index.puts, b->index.drains + b->index.entry_count);
    int64_t waiting = 0;
    uint32_t queued = 0;
    for (uint32_t i = 0; i < b->index.resource.space.count; i++) {
        queued += b->index.queues[i].head != PROPAGATION_NO_ENTRY;
        for (uint32_t e = b->index.queues[i].head; e != PROPAGATION_NO_ENTRY;
             e = b->index.entries[e].next)
            for (uint32_t part = b->index.entries[e].next_part;
                 part < b->index.entries[e].part_count; part++)
                waiting += propagation_part_units(&b->index.entries[e], part);
    }
    assert_int_equal(queued, b->index.ready.count + b->index.blocked.count);
    assert_int_equal(waiting * NANO, b->index.backlog_nano);
}

static void bench_end(struct bench *b) {
    check_conservation(b);
    loop_destroy(b->loop);
    propagation_deinit(&b->index);
}

/* In steady back-pressure: accepted writes/s = index rate / index units a write, within 1 %. */
static void m55_steady_law(void **state) {
    (void)state;
    const enum ddbsim_effect effects[] = {DDBSIM_EFFECT_REWRITE, DDBSIM_EFFECT_MOVE};
    for (int textbook = 0; textbook < 2; textbook++)
        for (int e = 0; e < 2; e++) {
            struct bench b;
            struct setting setting = {.capacity = 100,
                                      .buffer_units = textbook ? -1 : 1000,
                                      .grace_ns = textbook ? 0 : 60 * NS_PER_S,
                                      .partitions = 1,
                                      .burst = 1,
                                      .effect = effects[e],
                                      .bytes = 5 * 1024,
                                      .rate_per_s = 40};
            bench_start(&b, &setting);
            b.count_from_ns = 1000 * NS_PER_S;
            bench_run(&b, 4600);
            double per_s = (double)b.counted_accepted / 3600;
            double expected = 100.0 / (e == 0 ? 5 : 10);
            if (per_s < expected * 0.99 || per_s > expected * 1.01)
                fail_msg("textbook %d, effect %d: %g writes/s, not %g", textbook, e, per_s,
                         expected);
            assert_int_equal(b.refused_hot, 0);
            bench_end(&b);
        }
}

/* Textbook: burst credit c and a buffer of one second's capacity, demand d on rate r: the first refusal
 * comes about (c + r) / (d - r) after the start. */
static void m51_onset(void **state) {
    (void)state;
    struct bench b;
    struct setting setting = {.capacity = 100,
                              .buffer_units = -1,
                              .partitions = 1,
                              .burst = 1,
                              .effect = DDBSIM_EFFECT_REWRITE,
                              .bytes = 5 * 1024,
                              .rate_per_s = 40};
    bench_start(&b, &setting);
    bench_run(&b, 1000);
    double expected_s = (30000.0 + 100) / (200 - 100);
    assert_true((double)b.first_refusal_ns / 1e9 > expected_s * 0.98);
    assert_true((double)b.first_refusal_ns / 1e9 < expected_s * 1.02);
    bench_end(&b);
}

/* An index of 1 WCU behind 330 writes/s: a minute of grace, then refusals (the public lab's run). */
static void m52_grace(void **state) {
    (void)state;
    struct bench b;
    struct setting setting = {.capacity = 1,
                              .buffer_units = 1000,
                              .grace_ns = 60 * NS_PER_S,
                              .partitions = 1,
                              .burst = 0,
                              .effect = DDBSIM_EFFECT_ADD,
                              .bytes = 700,
                              .rate_per_s = 330};
    bench_start(&b, &setting);
    bench_run(&b, 90);
    assert_in_range(b.first_refusal_ns, 60 * NS_PER_S, 66 * NS_PER_S);
    assert_in_range(b.drained_units, 19000, 21500);
    /* The grace is not given again while work waits. */
    int64_t at_90 = b.drained_units;
    bench_run(&b, 690);
    assert_in_range(b.drained_units - at_90, 500, 700);
    bench_end(&b);
}

/* Once refusing, the table stays so until the backlog is below its share of the buffer. */
static void m53_resume(void **state) {
    (void)state;
    uint64_t spells[2];
    for (int low = 0; low < 2; low++) {
        struct bench b;
        struct setting setting = {.capacity = 100,
                                  .buffer_units = 200,
                                  .partitions = 1,
                                  .burst = 0,
                                  .effect = DDBSIM_EFFECT_ADD,
                                  .bytes = 700,
                                  .rate_per_s = 400};
        bench_start(&b, &setting);
        if (low) b.index.options.resume = 500000000;
        bool refusing = false;
        spells[low] = 0;
        for (int64_t ms = 10; ms <= 60000; ms += 10) {
            struct ddbsim_error error = {0};
            assert_int_equal(loop_run(b.loop, ms * NS_PER_MS, &error), DDBSIM_OK);
            spells[low] += b.index.refusing && !refusing;
            refusing = b.index.refusing;
            int64_t floor_units = low ? 98 : 188;
            if (refusing) assert_true(b.index.backlog_nano > floor_units * NANO);
        }
        bench_end(&b);
    }
    assert_true(spells[1] * 4 < spells[0]); /* a wider band, rarer turns */
}

/* After a long quiet the grace is given again. */
static void m52_grace_rearms(void **state) {
    (void)state;
    struct bench b;
    struct setting setting = {.capacity = 10,
                              .buffer_units = 100,
                              .grace_ns = 10 * NS_PER_S,
                              .partitions = 1,
                              .burst = 0,
                              .effect = DDBSIM_EFFECT_ADD,
                              .bytes = 700,
                              .rate_per_s = 100};
    bench_start(&b, &setting);
    bench_run(&b, 60);
    assert_true(b.first_refusal_ns < 20 * NS_PER_S);
    b.next_ns = 2000 * NS_PER_S;
    loop_source_changed(b.loop, 0);
    bench_run(&b, 1999);
    assert_int_equal(b.index.backlog_nano, 0);
    uint64_t accepted = b.accepted, offered = b.offered;
    /* The bucket is full again (3,000 units: 33 s), then 10 s of grace, then the buffer. */
    bench_run(&b, 2040);
    assert_int_equal(b.accepted - accepted, b.offered - offered);
    assert_in_range(b.offered - offered, 3999, 4001);
    bench_end(&b);
}

/* A hot index partition blocks its own queue and fills the shared buffer. */
static void m50_hot_index_partition(void **state) {
    (void)state;
    struct bench b;
    struct setting setting = {.capacity = 40000,
                              .buffer_units = 1000,
                              .partitions = 1,
                              .burst = 1,
                              .effect = DDBSIM_EFFECT_ADD,
                              .bytes = 700,
                              .rate_per_s = 2000};
    bench_start(&b, &setting);
    b.count_from_ns = 30 * NS_PER_S;
    bench_run(&b, 130);
    assert_int_equal(b.refused_capacity, 0);
    assert_true(b.refused_hot > 0);
    assert_in_range(b.counted_accepted, 99000, 101000);
    bench_end(&b);
}

/* While only one of many partitions is hot, the others' work passes it by. */
static void m50_no_refusal_below_the_limits(void **state) {
    (void)state;
    struct bench b;
    struct setting setting = {.capacity = 4000,
                              .buffer_units = -1,
                              .partitions = 4,
                              .burst = 0,
                              .effect = DDBSIM_EFFECT_MOVE,
                              .bytes = 1024,
                              .rate_per_s = 1900};
    bench_start(&b, &setting);
    bench_run(&b, 300);
    assert_int_equal(b.refused_capacity + b.refused_hot, 0);
    assert_int_equal(b.accepted, b.offered);
    bench_end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m55_steady_law),
        cmocka_unit_test(m51_onset),
        cmocka_unit_test(m52_grace),
        cmocka_unit_test(m52_grace_rearms),
        cmocka_unit_test(m53_resume),
        cmocka_unit_test(m50_hot_index_partition),
        cmocka_unit_test(m50_no_refusal_below_the_limits),
    };
    return cmocka_run_group_tests_name("propagation", tests, NULL, NULL);
}
