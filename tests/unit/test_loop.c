/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ties, time, sources, memory and misuse of the loop. */
#include <base/hash.h>
#include <base/rng.h>
#include <kernel/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>
#include <support/dies.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMITS_MEMORY_ITSELF
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define LIMITS_MEMORY_ITSELF
#endif
#endif

enum { NOTE, CHAIN, FLOOD, ASK };

/* What happened, as "time:name" words. */
struct diary {
    struct loop *loop;
    char text[1024];
    int betweens;
    bool refuse_between;
};

static void write_word(struct diary *diary, int64_t now_ns, const char *name) {
    size_t length = strlen(diary->text);
    snprintf(diary->text + length, sizeof diary->text - length, "%s%lld:%s", length ? " " : "",
             (long long)now_ns, name);
}

static void note(void *context, int64_t now_ns, const struct loop_event *event) {
    const char name[] = {(char)event->a, '\0'};
    write_word(context, now_ns, name);
}

/* Notes itself and schedules a note for the same moment in the class of its b. */
static void chain(void *context, int64_t now_ns, const struct loop_event *event) {
    struct diary *diary = context;
    note(context, now_ns, event);
    loop_schedule(diary->loop, now_ns, (enum loop_class)event->b, NOTE, event->a - 'a' + 'A', 0);
}

/* Schedules a events of kind b for one later. */
static void flood(void *context, int64_t now_ns, const struct loop_event *event) {
    struct diary *diary = context;
    for (uint64_t i = 0; i < event->a; i++)
        loop_schedule(diary->loop, now_ns + 1, LOOP_WORK, event->b, i, 0);
}

static void ask(void *context, int64_t now_ns, const struct loop_event *event) {
    struct diary *diary = context;
    note(context, now_ns, event);
    loop_request_between(diary->loop);
}

static bool between(void *context) {
    struct diary *diary = context;
    if (diary->refuse_between) return false;
    write_word(diary, loop_now(diary->loop), "between");
    diary->betweens++;
    return true;
}

static void start(struct diary *diary, int64_t start_ns) {
    memset(diary, 0, sizeof *diary);
    diary->loop = loop_create(diary, start_ns);
    assert_non_null(diary->loop);
    loop_handle(diary->loop, NOTE, note);
    loop_handle(diary->loop, CHAIN, chain);
    loop_handle(diary->loop, FLOOD, flood);
    loop_handle(diary->loop, ASK, ask);
    loop_set_between(diary->loop, between);
}

static void at(struct diary *diary, int64_t time_ns, enum loop_class class, char name) {
    loop_schedule(diary->loop, time_ns, class, NOTE, (uint64_t)name, 0);
}

static void run(struct diary *diary, int64_t until_ns) {
    assert_int_equal(loop_run(diary->loop, until_ns, NULL), DDBSIM_OK);
    assert_int_equal(loop_now(diary->loop), until_ns);
}

static void finish(struct diary *diary, const char *expected) {
    assert_string_equal(diary->text, expected);
    loop_destroy(diary->loop);
}

/* A source that arrives at given times. */
struct timetable {
    struct diary *diary;
    const char *name;
    const int64_t *times;
    size_t count, next;
};

static int64_t timetable_peek(void *self) {
    const struct timetable *table = self;
    return table->next < table->count ? table->times[table->next] : TIME_NEVER;
}

static int64_t timetable_fire(void *self, int64_t now_ns) {
    struct timetable *table = self;
    write_word(table->diary, now_ns, table->name);
    table->next++;
    return timetable_peek(table);
}

static void add_timetable(struct diary *diary, struct timetable *table) {
    table->diary = diary;
    assert_true(loop_add_source(
        diary->loop,
        &(struct loop_source){.self = table, .peek = timetable_peek, .fire = timetable_fire}));
}

static void classes_run_in_order_at_equal_time(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    at(&diary, 7, LOOP_RETRY, 'r');
    at(&diary, 7, LOOP_COMPLETION, 'c');
    at(&diary, 7, LOOP_WORK, 'w');
    at(&diary, 7, LOOP_CONTROL, 'o');
    at(&diary, 7, LOOP_PERIOD, 'p');
    at(&diary, 7, LOOP_WORK, 'x');
    at(&diary, 6, LOOP_RETRY, 'e');
    run(&diary, 7);
    assert_int_equal(loop_event_count(diary.loop), 7);
    finish(&diary, "6:e 7:p 7:o 7:w 7:x 7:c 7:r");
}

static void an_event_for_now_in_a_lower_class_runs_next(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    loop_schedule(diary.loop, 3, LOOP_COMPLETION, CHAIN, 'a', LOOP_CONTROL);
    at(&diary, 3, LOOP_COMPLETION, 'b');
    run(&diary, 3);
    finish(&diary, "3:a 3:A 3:b");
}

static void an_event_for_now_waits_for_lower_classes_and_its_elders(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    loop_schedule(diary.loop, 3, LOOP_PERIOD, CHAIN, 'a', LOOP_COMPLETION);
    at(&diary, 3, LOOP_COMPLETION, 'c');
    at(&diary, 3, LOOP_WORK, 'w');
    at(&diary, 3, LOOP_RETRY, 'r');
    run(&diary, 3);
    finish(&diary, "3:a 3:w 3:c 3:A 3:r");
}

static void arrivals_come_after_every_event_and_by_number(void **state) {
    (void)state;
    static const int64_t early[] = {5, 5, 9}, late[] = {5, 8};
    struct diary diary;
    start(&diary, 0);
    struct timetable first = {.name = "s0", .times = late, .count = 2};
    struct timetable second = {.name = "s1", .times = early, .count = 3};
    add_timetable(&diary, &first);
    add_timetable(&diary, &second);
    at(&diary, 5, LOOP_RETRY, 'r');
    loop_schedule(diary.loop, 5, LOOP_RETRY, CHAIN, 'a', LOOP_RETRY);
    at(&diary, 9, LOOP_PERIOD, 'p');
    run(&diary, 10);
    assert_int_equal(loop_event_count(diary.loop), 9);
    finish(&diary, "5:r 5:a 5:A 5:s0 5:s1 5:s1 8:s0 9:p 9:s1");
}

/* What an arrival schedules for its own moment runs before the next source's arrival at the same time. */
static int64_t fire_and_schedule(void *self, int64_t now_ns) {
    struct timetable *table = self;
    timetable_fire(self, now_ns);
    at(table->diary, now_ns, LOOP_RETRY, 'x');
    return timetable_peek(table);
}

static void an_arrivals_event_precedes_the_next_arrival(void **state) {
    (void)state;
    static const int64_t times[] = {4};
    struct diary diary;
    start(&diary, 0);
    struct timetable first = {.diary = &diary, .name = "s0", .times = times, .count = 1};
    struct timetable second = {.name = "s1", .times = times, .count = 1};
    assert_true(loop_add_source(diary.loop,
                                &(struct loop_source){&first, timetable_peek, fire_and_schedule}));
    add_timetable(&diary, &second);
    run(&diary, 4);
    finish(&diary, "4:s0 4:x 4:s1");
}

static void time_may_start_before_zero(void **state) {
    (void)state;
    static const int64_t times[] = {-50, 0};
    struct diary diary;
    start(&diary, -100);
    assert_int_equal(loop_now(diary.loop), -100);
    struct timetable table = {.name = "s", .times = times, .count = 2};
    add_timetable(&diary, &table);
    at(&diary, 1, LOOP_WORK, 'd');
    at(&diary, -1, LOOP_WORK, 'c');
    at(&diary, -100, LOOP_WORK, 'a');
    at(&diary, 0, LOOP_WORK, 'z');
    run(&diary, 1);
    finish(&diary, "-100:a -50:s -1:c 0:z 0:s 1:d");
}

static void a_run_ends_at_its_time_and_goes_on(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    at(&diary, 5, LOOP_WORK, 'a');
    at(&diary, 6, LOOP_WORK, 'b');
    run(&diary, 4);
    assert_string_equal(diary.text, "");
    run(&diary, 5);
    assert_string_equal(diary.text, "5:a");
    at(&diary, 5, LOOP_PERIOD, 'n'); /* at once, between two runs */
    run(&diary, 5);
    run(&diary, 100);
    assert_int_equal(loop_event_count(diary.loop), 3);
    finish(&diary, "5:a 5:n 6:b");
}

static void a_source_that_changes_is_asked_again(void **state) {
    (void)state;
    static const int64_t slow[] = {90}, fast[] = {20, 95}, other[] = {50};
    struct diary diary;
    start(&diary, 0);
    struct timetable changing = {.name = "c", .times = slow, .count = 1};
    struct timetable steady = {.name = "o", .times = other, .count = 1};
    add_timetable(&diary, &steady);
    add_timetable(&diary, &changing);
    run(&diary, 10);
    changing.times = fast;
    changing.count = 2;
    loop_source_changed(diary.loop, 1);
    run(&diary, 60);
    changing.count = 1; /* and now it has none left */
    loop_source_changed(diary.loop, 1);
    run(&diary, 200);
    finish(&diary, "20:c 50:o");
}

static void between_runs_after_the_handler_that_asked(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    loop_schedule(diary.loop, 2, LOOP_WORK, ASK, 'a', 0);
    at(&diary, 2, LOOP_WORK, 'b');
    loop_schedule(diary.loop, 3, LOOP_WORK, ASK, 'c', 0);
    run(&diary, 3);
    assert_int_equal(diary.betweens, 2);
    finish(&diary, "2:a 2:between 2:b 3:c 3:between");
}

static void between_can_stop_the_run(void **state) {
    (void)state;
    struct diary diary;
    struct ddbsim_error error = {0};
    start(&diary, 0);
    loop_schedule(diary.loop, 2, LOOP_WORK, ASK, 'a', 0);
    at(&diary, 4, LOOP_WORK, 'b');
    diary.refuse_between = true;
    assert_int_equal(loop_run(diary.loop, 9, &error), DDBSIM_ENVIRONMENT);
    assert_int_equal(error.status, DDBSIM_ENVIRONMENT);
    assert_int_equal(loop_now(diary.loop), 2);
    diary.refuse_between = false;
    run(&diary, 9);
    finish(&diary, "2:a 2:between 4:b");
}

#define BETWEEN_EVENTS (2 * LOOP_EVENTS_PER_DISPATCH) /* more than a handler may */

static bool between_that_schedules(void *context) {
    struct diary *diary = context;
    for (uint64_t i = 0; i < BETWEEN_EVENTS; i++)
        at(diary, loop_now(diary->loop), LOOP_PERIOD, i == 0 ? 'f' : 'g');
    return true;
}

static void between_schedules_any_number(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    loop_set_between(diary.loop, between_that_schedules);
    loop_schedule(diary.loop, 2, LOOP_WORK, ASK, 'a', 0);
    at(&diary, 2, LOOP_WORK, 'b');
    run(&diary, 2);
    assert_int_equal(strncmp(diary.text, "2:a 2:f 2:g", strlen("2:a 2:f 2:g")), 0);
    assert_int_equal(strcmp(diary.text + strlen(diary.text) - strlen("2:g 2:b"), "2:g 2:b"), 0);
    assert_int_equal(loop_event_count(diary.loop), 2 + BETWEEN_EVENTS);
    loop_destroy(diary.loop);
}

/* One handler schedules 64 events, the i-th of these schedules i more: the slab grows under way. */
static void memory_grows_between_events(void **state) {
    (void)state;
    struct diary diary;
    start(&diary, 0);
    loop_schedule(diary.loop, 0, LOOP_WORK, FLOOD, LOOP_EVENTS_PER_DISPATCH, FLOOD);
    run(&diary, 0);
    assert_int_equal(loop_event_count(diary.loop), 1);
    run(&diary, 1);
    assert_int_equal(loop_event_count(diary.loop), 1 + 64);
    run(&diary, 2);
    assert_int_equal(loop_event_count(diary.loop), 1 + 64 + 64 * 63 / 2);
    loop_destroy(diary.loop);
}

static void count_only(void *context, int64_t now_ns, const struct loop_event *event) {
    (void)now_ns;
    uint64_t *sum = context;
    *sum += event->a;
}

static void any_number_may_be_scheduled_between_runs(void **state) {
    (void)state;
    enum { EVENTS = 100000 };
    uint64_t sum = 0;
    struct loop *loop = loop_create(&sum, 0);
    loop_handle(loop, 0, count_only);
    for (uint64_t i = 0; i < EVENTS; i++)
        loop_schedule(loop, (int64_t)(i * 7919 % 1009), LOOP_WORK, 0, i, 0);
    assert_int_equal(loop_run(loop, 2000, NULL), DDBSIM_OK);
    assert_int_equal(sum, (uint64_t)EVENTS * (EVENTS - 1) / 2);
    assert_int_equal(loop_event_count(loop), EVENTS);
    loop_destroy(loop);
}

#ifndef LIMITS_MEMORY_ITSELF /* a sanitizer reserves address space without end */
/* In a child whose memory is limited: 0 when the shortage was reported as one. */
static int run_short_of_memory(void) {
    uint64_t sum = 0;
    struct ddbsim_error error = {0};
    struct loop *loop = loop_create(&sum, 0);
    const struct rlimit limit = {.rlim_cur = 192 << 20, .rlim_max = 192 << 20};
    if (!loop || setrlimit(RLIMIT_AS, &limit) != 0) return 1;
    loop_handle(loop, 0, count_only);
    for (uint64_t i = 0; i < QUEUE_SLOTS_MAX / 2; i++)
        loop_schedule(loop, 1, LOOP_WORK, 0, i, 0);
    enum ddbsim_status status = loop_run(loop, 2, &error);
    loop_destroy(loop);
    return !(status == DDBSIM_ENVIRONMENT && strcmp(error.message, "out of memory") == 0 &&
             sum == 0);
}

static void a_shortage_of_memory_is_reported(void **state) {
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(run_short_of_memory());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#endif

/* ---- Many sources: every arrival in the order of (time, number) ---- */

struct walker {
    struct crowd *crowd;
    struct rng rng;
    uint32_t number;
    int64_t next_ns;
};

struct crowd {
    struct loop *loop;
    struct walker walkers[LOOP_SOURCES_MAX];
    uint32_t count;
    uint64_t fired, out_of_order;
    int64_t last_ns;
    uint32_t last_number;
};

static int64_t walker_peek(void *self) { return ((struct walker *)self)->next_ns; }

/* Steps of 1..40 ns, so that ties are frequent; now and then a neighbour is put off. */
static int64_t walker_fire(void *self, int64_t now_ns) {
    struct walker *walker = self;
    struct crowd *crowd = walker->crowd;
    crowd->out_of_order += now_ns != walker->next_ns || now_ns < crowd->last_ns ||
                           (now_ns == crowd->last_ns && walker->number <= crowd->last_number);
    for (uint32_t i = 0; i < crowd->count; i++) {
        const struct walker *other = &crowd->walkers[i];
        crowd->out_of_order +=
            other->next_ns < now_ns || (other->next_ns == now_ns && other->number < walker->number);
    }
    crowd->last_ns = now_ns;
    crowd->last_number = walker->number;
    crowd->fired++;
    walker->next_ns += 1 + (int64_t)draw_below(rng_next(&walker->rng), 40);
    struct walker *neighbour = &crowd->walkers[draw_below(rng_next(&walker->rng), crowd->count)];
    if (neighbour != walker) {
        neighbour->next_ns += 3;
        loop_source_changed(crowd->loop, neighbour->number);
    }
    return walker->next_ns;
}

static void crowds_of_any_size_arrive_in_order(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 2, 3, 5, 8, 9, 64, 1000, LOOP_SOURCES_MAX};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        struct crowd *crowd = calloc(1, sizeof *crowd);
        crowd->loop = loop_create(crowd, 0);
        crowd->count = sizes[s];
        crowd->last_ns = -1;
        for (uint32_t i = 0; i < crowd->count; i++) {
            struct walker *walker = &crowd->walkers[i];
            walker->crowd = crowd;
            walker->number = i;
            rng_seed(&walker->rng, i + 1);
            walker->next_ns = (int64_t)draw_below(rng_next(&walker->rng), 40);
            assert_true(loop_add_source(crowd->loop,
                                        &(struct loop_source){walker, walker_peek, walker_fire}));
        }
        assert_int_equal(loop_run(crowd->loop, 300, NULL), DDBSIM_OK);
        assert_int_equal(crowd->out_of_order, 0);
        assert_true(crowd->fired >= 5 * (uint64_t)crowd->count);
        assert_int_equal(crowd->fired, loop_event_count(crowd->loop));
        loop_destroy(crowd->loop);
        free(crowd);
    }
}

/* ---- What is due soon ---- */

#define HERD 20000

struct herd {
    struct loop *loop;
    uint32_t happened[HERD]; /* times */
    struct announced {
        uint32_t times[HERD];
        uint32_t early; /* announced before they happened */
    } * announced;
};

static void herd_soon(const void *context, const struct loop_event *event) {
    const struct herd *herd = context;
    herd->announced->times[event->a]++;
    herd->announced->early += herd->happened[event->a] == 0;
}

static void herd_happens(void *context, int64_t now_ns, const struct loop_event *event) {
    struct herd *herd = context;
    (void)now_ns;
    herd->happened[event->a]++;
}

/* Most of many events are announced, before they happen and not often; each of them happens once all the same. */
static void many_events_are_announced(void **state) {
    (void)state;
    struct herd *herd = calloc(1, sizeof *herd);
    herd->announced = calloc(1, sizeof *herd->announced);
    struct rng rng;
    rng_seed(&rng, 7);
    herd->loop = loop_create(herd, 0);
    loop_handle(herd->loop, NOTE, herd_happens);
    loop_handle(herd->loop, CHAIN, herd_happens);
    loop_fetch(herd->loop, NOTE, herd_soon);
    for (uint32_t i = 0; i < HERD; i++) /* every other one is of a kind that nobody asked for */
        loop_schedule(herd->loop, (int64_t)draw_below(rng_next(&rng), NS_PER_S), LOOP_WORK,
                      i % 2 ? NOTE : CHAIN, i, 0);
    assert_int_equal(loop_run(herd->loop, NS_PER_S, NULL), DDBSIM_OK);
    uint32_t announced = 0, announcements = 0;
    for (uint32_t i = 0; i < HERD; i++) {
        assert_int_equal(herd->happened[i], 1);
        if (i % 2 == 0) assert_int_equal(herd->announced->times[i], 0);
        announced += herd->announced->times[i] > 0;
        announcements += herd->announced->times[i];
    }
    assert_true(announced > HERD / 4);
    assert_int_equal(herd->announced->early, announcements);
    loop_destroy(herd->loop);
    free(herd->announced);
    free(herd);
}

/* ---- Misuse ---- */

static void schedule_in_the_past(void) {
    struct diary diary;
    start(&diary, 10);
    at(&diary, 9, LOOP_WORK, 'a');
}

static void schedule_never(void) {
    struct diary diary;
    start(&diary, 10);
    at(&diary, TIME_NEVER, LOOP_WORK, 'a');
}

static void schedule_too_many(void) {
    struct diary diary;
    start(&diary, 0);
    loop_schedule(diary.loop, 0, LOOP_WORK, FLOOD, LOOP_EVENTS_PER_DISPATCH + 1, NOTE);
    (void)loop_run(diary.loop, 0, NULL);
}

static void dispatch_an_unknown_kind(void) {
    struct diary diary;
    start(&diary, 0);
    loop_schedule(diary.loop, 0, LOOP_WORK, 9, 0, 0);
    (void)loop_run(diary.loop, 0, NULL);
}

static void let_a_source_go_back(void) {
    static const int64_t times[] = {5, 4};
    struct diary diary;
    start(&diary, 0);
    struct timetable table = {.name = "s", .times = times, .count = 2};
    add_timetable(&diary, &table);
    (void)loop_run(diary.loop, 9, NULL);
}

static void run_backwards(void) {
    struct diary diary;
    start(&diary, 5);
    (void)loop_run(diary.loop, 4, NULL);
}

static void misuse_ends_the_program(void **state) {
    (void)state;
    assert_dies(schedule_in_the_past);
    assert_dies(schedule_never);
    assert_dies(schedule_too_many);
    assert_dies(dispatch_an_unknown_kind);
    assert_dies(let_a_source_go_back);
    assert_dies(run_backwards);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(classes_run_in_order_at_equal_time),
        cmocka_unit_test(an_event_for_now_in_a_lower_class_runs_next),
        cmocka_unit_test(an_event_for_now_waits_for_lower_classes_and_its_elders),
        cmocka_unit_test(arrivals_come_after_every_event_and_by_number),
        cmocka_unit_test(an_arrivals_event_precedes_the_next_arrival),
        cmocka_unit_test(time_may_start_before_zero),
        cmocka_unit_test(a_run_ends_at_its_time_and_goes_on),
        cmocka_unit_test(a_source_that_changes_is_asked_again),
        cmocka_unit_test(between_runs_after_the_handler_that_asked),
        cmocka_unit_test(between_can_stop_the_run),
        cmocka_unit_test(between_schedules_any_number),
        cmocka_unit_test(memory_grows_between_events),
#ifndef LIMITS_MEMORY_ITSELF
        cmocka_unit_test(a_shortage_of_memory_is_reported),
#endif
        cmocka_unit_test(any_number_may_be_scheduled_between_runs),
        cmocka_unit_test(crowds_of_any_size_arrive_in_order),
        cmocka_unit_test(many_events_are_announced),
        cmocka_unit_test(misuse_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
