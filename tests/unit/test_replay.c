/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings as arrivals (M-122 to M-125): a tape over small files, each made for what it shows. */
#include "loader_fixture.h"

#include <base/hash.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <ddbsim/run.h>
#include <loader/grammar.h>
#include <workloads/replay/columns.h>
#include <workloads/replay/tape.h>

#define DAY "2026-09-25T"
#define START_S INT64_C(1790330400) /* 2026-09-25T10:00:00Z */
#define ARRIVALS_MAX 200000

struct play {
    char file[64];
    struct ddbsim_replay replay;
    struct ddbsim_operation operations[2];
    struct ddbsim_table table;
    struct ddbsim_workload workload;
    struct ddbsim_scenario scenario;
    struct names *names;
    struct tape *tape;
    struct tape_arrival *arrivals;
    size_t count;
};

static void play_init(struct play *play, const char *text) {
    *play = (struct play){.file = "/tmp/ddbsim-replay-XXXXXX"};
    int file = mkstemp(play->file);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    assert_int_equal(close(file), 0);
    play->replay = (struct ddbsim_replay){.file = play->file,
                                          .format = "csv",
                                          .from_ns = DDBSIM_NO_TIME,
                                          .to_ns = DDBSIM_NO_TIME,
                                          .speed = NANO,
                                          .amplify = 1,
                                          .new_keys = true,
                                          .sample = NANO};
    play->operations[0].kind = DDBSIM_GET_ITEM;
    play->operations[1].kind = DDBSIM_PUT_ITEM;
    play->table.name = "carts";
    play->workload = (struct ddbsim_workload){.name = "w",
                                              .end_ns = 3600 * NS_PER_S,
                                              .scale = 1,
                                              .operations = play->operations,
                                              .operation_count = 2,
                                              .client.max_attempts = 4,
                                              .replay = &play->replay};
    play->scenario = (struct ddbsim_scenario){.start_unix_s = START_S,
                                              .duration_ns = 3600 * NS_PER_S,
                                              .tables = &play->table,
                                              .table_count = 1};
    play->arrivals = calloc(ARRIVALS_MAX, sizeof *play->arrivals);
    play->names = names_create();
    assert_true(play->arrivals && play->names);
}

static enum ddbsim_status play_open(struct play *play, struct ddbsim_error *error) {
    struct tape_options options = {
        .scenario = &play->scenario, .workload = &play->workload, .seed = 1, .names = play->names};
    return tape_create(&options, &play->tape, error);
}

static void play_all(struct play *play) {
    struct ddbsim_error error = {0};
    if (play_open(play, &error) != DDBSIM_OK) fail_msg("%s", error.message);
    int64_t before_ns = 0;
    while (tape_peek(play->tape) != TIME_NEVER && play->count < ARRIVALS_MAX) {
        int64_t next_ns = tape_peek(play->tape);
        tape_take(play->tape, &play->arrivals[play->count]);
        assert_int_equal(play->arrivals[play->count].t_ns, next_ns);
        assert_true(next_ns >= before_ns);
        before_ns = next_ns;
        play->count++;
    }
    assert_int_equal(tape_counts(play->tape)->arrivals, play->count);
}

static void play_end(struct play *play) {
    tape_destroy(play->tape);
    names_destroy(play->names);
    free(play->arrivals);
    assert_int_equal(unlink(play->file), 0);
}

static double at(const struct play *play, size_t i) {
    assert_true(i < play->count);
    return (double)play->arrivals[i].t_ns / 1e9;
}

/* ---- M-122 ---- */

static void m122_rows_of_one_second_lie_evenly_in_it(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key\n" DAY "10:00:05Z,a\n" DAY "10:00:05Z,b\n" DAY "10:00:07Z,c\n");
    play_all(&play);
    assert_int_equal(play.count, 3);
    assert_true(fabs(at(&play, 0) - 5.25) < 1e-9);
    assert_true(fabs(at(&play, 1) - 5.75) < 1e-9);
    assert_true(fabs(at(&play, 2) - 7.5) < 1e-9);
    play_end(&play);
}

static void m122_finer_times_stand_as_they_are(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key\n0.5,a\n0.500000001,b\n2,c\n");
    play.workload.start_ns = 60 * NS_PER_S;
    play_all(&play);
    /* Times since their own zero begin with the workload. */
    assert_int_equal(play.arrivals[0].t_ns, 60 * NS_PER_S);
    assert_int_equal(play.arrivals[1].t_ns, 60 * NS_PER_S + 1);
    assert_int_equal(play.arrivals[2].t_ns, 60 * NS_PER_S + 1500 * NS_PER_MS);
    play_end(&play);
}

static void m122_a_recording_of_another_day_begins_with_the_workload(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key\n2020-01-01T23:00:00Z,a\n2020-01-01T23:00:10Z,b\n");
    play.workload.start_ns = 30 * NS_PER_S;
    play.replay.speed = 2 * NANO;
    play_all(&play);
    assert_true(fabs(at(&play, 0) - 30.25) < 1e-9);
    assert_true(fabs(at(&play, 1) - 35.25) < 1e-9);
    play_end(&play);
}

static void m122_a_window_and_a_loop(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key\n" DAY "09:59:00Z,x\n" DAY "10:00:00Z,a\n" DAY "10:00:03Z,b\n" DAY
                     "10:00:10Z,c\n");
    play.replay.from_ns = 0;
    play.replay.to_ns = 5 * NS_PER_S;
    play.replay.loop = true;
    play.workload.end_ns = 12 * NS_PER_S;
    play_all(&play);
    /* a and b, from 0, 5 and 10 s on; the last b would come at 13 s. */
    assert_int_equal(play.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(fabs(at(&play, i) - 5 * (double)(i / 2) - (i % 2 ? 3.5 : 0.5)) < 1e-9);
    assert_int_equal(tape_counts(play.tape)->outside > 0, 1);
    play_end(&play);
}

static void m122_a_moment_alone_cannot_be_looped(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key\n0.000000001,a\n");
    play.replay.loop = true;
    struct ddbsim_error error = {0};
    assert_int_equal(play_open(&play, &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "cannot be looped"));
    play_end(&play);
}

/* ---- M-123 ---- */

#define MINUTES 30

static void play_rates(struct play *play, enum ddbsim_arrivals arrivals, double amplify) {
    char text[8192];
    size_t used = (size_t)sprintf(text, "time,period,count,operation\n");
    for (int i = 0; i < MINUTES; i++)
        used += (size_t)sprintf(text + used, "%d,60,%g,GetItem\n%d,60,%d,PutItem\n", 60 * i,
                                (i % 7) * 100.25, 60 * i, i % 3 * 50);
    play_init(play, text);
    play->workload.arrivals = arrivals;
    play->replay.amplify = amplify;
    play_all(play);
}

/* Each minute of each operation has what was recorded, parts of one carried over. */
static void m123_minutes_bring_what_they_count(void **state) {
    (void)state;
    for (int arrivals = DDBSIM_POISSON; arrivals <= DDBSIM_PACED; arrivals++) {
        struct play play;
        play_rates(&play, (enum ddbsim_arrivals)arrivals, 1.5);
        double wanted = 0;
        size_t at = 0, found = 0, puts = 0, put_sum = 0;
        for (int i = 0; i < MINUTES; i++) {
            wanted += (i % 7) * 150.375;
            put_sum += (size_t)(i % 3) * 75;
            for (; at < play.count && play.arrivals[at].t_ns < (i + 1) * 60 * NS_PER_S; at++) {
                assert_false(play.arrivals[at].row.has_key);
                found += play.arrivals[at].operation == DDBSIM_GET_ITEM;
                puts += play.arrivals[at].operation == DDBSIM_PUT_ITEM;
            }
            assert_int_equal(found, (size_t)wanted);
            assert_int_equal(puts, put_sum);
        }
        assert_int_equal(at, play.count);
        play_end(&play);
    }
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov-Smirnov, at a level where a right one fails once in a million seeds. */
static void m123_arrivals_lie_at_random_in_their_period(void **state) {
    (void)state;
    struct play play;
    play_rates(&play, DDBSIM_POISSON, 10);
    double *places = calloc(play.count, sizeof *places), distance = 0, n = (double)play.count;
    for (size_t i = 0; i < play.count; i++)
        places[i] = fmod(at(&play, i), 60) / 60;
    qsort(places, play.count, sizeof *places, by_size);
    for (size_t i = 0; i < play.count; i++)
        distance = fmax(distance, fmax((double)(i + 1) / n - places[i], places[i] - (double)i / n));
    assert_true(sqrt(n) * distance < 2.7);
    assert_true(sqrt(n) * distance > 0.3); /* evenly spaced they would lie too well */
    free(places);
    play_end(&play);
}

/* A change of scale acts within the minute. */
static void m123_scale_acts_at_once(void **state) {
    (void)state;
    struct play play;
    struct ddbsim_error error = {0};
    struct tape_arrival arrival;
    size_t before = 0, after = 0;
    play_init(&play, "time,period,count\n0,60,6000\n");
    play.workload.arrivals = DDBSIM_PACED;
    assert_int_equal(play_open(&play, &error), DDBSIM_OK);
    for (; tape_peek(play.tape) < 30 * NS_PER_S; before++)
        tape_take(play.tape, &arrival);
    tape_scale(play.tape, 3, 30 * NS_PER_S);
    for (; tape_peek(play.tape) != TIME_NEVER; after++) {
        tape_take(play.tape, &arrival);
        assert_int_equal((arrival.t_ns - 30 * NS_PER_S) / NS_PER_S, after / 300);
    }
    assert_int_equal(before, 3000);
    assert_in_range(after, 8990, 9010);
    play_end(&play);
}

/* So it does where a period has many rows of one request each: parts of them are carried from row to row. */
static void m123_scale_of_many_rows(void **state) {
    (void)state;
    const double scales[] = {0.5, 1.5};
    for (size_t s = 0; s < COUNT(scales); s++) {
        char *text = malloc(2000 * 24);
        size_t used = (size_t)sprintf(text, "time,period,key\n"), before = 0, after = 0;
        for (int i = 0; i < 2000; i++)
            used += (size_t)sprintf(text + used, "0,60,k%d\n", i);
        struct play play;
        struct ddbsim_error error = {0};
        struct tape_arrival arrival;
        play_init(&play, text);
        play.replay.new_keys = false;
        assert_int_equal(play_open(&play, &error), DDBSIM_OK);
        for (; tape_peek(play.tape) < 30 * NS_PER_S; before++)
            tape_take(play.tape, &arrival);
        tape_scale(play.tape, scales[s], 30 * NS_PER_S);
        for (; tape_peek(play.tape) != TIME_NEVER; after++)
            tape_take(play.tape, &arrival);
        assert_in_range(before, 900, 1100);
        assert_true(fabs((double)after - scales[s] * (double)(2000 - before)) <= 2);
        play_end(&play);
        free(text);
    }
}

/* ---- the grammar ---- */

/* What a scenario may call a column is what readers know, and the other way round. */
static void columns_have_one_list(void **state) {
    (void)state;
    size_t known = 0;
    for (int role = 0; columns_word(role); role++)
        assert_non_null(grammar_find(SECTION_COLUMNS, columns_word(role)));
    for (size_t i = 0; grammar_key(i); i++)
        known += grammar_key(i)->section == SECTION_COLUMNS;
    assert_int_equal(known, COLUMNS_ROLE_COUNT);
}

static char *many_rows(size_t count) {
    char *text = malloc(count * 24 + 32);
    size_t used = (size_t)sprintf(text, "time,key\n");
    for (size_t i = 0; i < count; i++)
        used += (size_t)sprintf(text + used, "%zu.%03zu,k%zu\n", i / 100, i % 100 * 10, i % 977);
    return text;
}

/* ---- amplifying, sampling, shuffling ---- */

static void m125_copies_have_keys_of_their_own(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key,count\n1,a,1\n3,b,2\n");
    play.replay.amplify = 3;
    play_all(&play);
    const char *const keys[] = {"a", "a#2", "a#3", "b", "b", "b#2", "b#2", "b#3", "b#3"};
    assert_int_equal(play.count, 9);
    for (size_t i = 0; i < 9; i++) {
        assert_int_equal(play.arrivals[i].row.hash, hash64(keys[i], strlen(keys[i])));
        char text[16];
        names_text(play.names, play.arrivals[i].row.ordinal, text, sizeof text);
        assert_string_equal(text, keys[i]);
    }
    play_end(&play);
}

static void copies_of_the_same_key_are_repeats(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key,count\n1,a,2\n3,b,1\n");
    play.replay.amplify = 2;
    play.replay.new_keys = false;
    play_all(&play);
    size_t a = 0;
    for (size_t i = 0; i < play.count; i++)
        a += play.arrivals[i].row.hash == hash64("a", 1);
    assert_int_equal(play.count, 6);
    assert_int_equal(a, 4);
    play_end(&play);
}

/* Rows that come in turns lose or gain alike, whatever part of them is wanted. */
static void parts_of_rows_fall_on_all_alike(void **state) {
    (void)state;
    const double parts[] = {0.5, 1.0 / 3, 1.5, 2.25};
    for (size_t p = 0; p < COUNT(parts); p++)
        for (int new_keys = 0; new_keys < 2; new_keys++) {
            struct play play;
            char *text = malloc(20000 * 24);
            size_t used = (size_t)sprintf(text, "time,key,operation\n"), puts = 0;
            for (int i = 0; i < 20000; i++)
                used += (size_t)sprintf(text + used, "%d,k%d,%s\n", i / 10, i % 3,
                                        i % 2 ? "put" : "get");
            play_init(&play, text);
            play.replay.amplify = parts[p];
            play.replay.new_keys = new_keys;
            play_all(&play);
            for (size_t i = 0; i < play.count; i++)
                puts += play.arrivals[i].operation == DDBSIM_PUT_ITEM;
            assert_true(fabs((double)play.count - 20000 * parts[p]) < 400);
            assert_true(fabs((double)puts - 10000 * parts[p]) < 300);
            play_end(&play);
            free(text);
        }
}

/* ---- scale ---- */

static void nothing_comes_while_the_scale_is_0(void **state) {
    (void)state;
    for (int begins = 0; begins < 2; begins++)
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            struct play play;
            struct ddbsim_error error = {0};
            struct tape_arrival arrival;
            size_t count[3] = {0};
            char *text = many_rows(60000); /* a hundred a second for ten minutes */
            play_init(&play, text);
            play.replay.shuffled = shuffled;
            if (begins) play.workload.scale = 0;
            assert_int_equal(play_open(&play, &error), DDBSIM_OK);
            assert_true(tape_has_key(play.tape));
            for (; tape_peek(play.tape) < 120 * NS_PER_S; count[0]++)
                tape_take(play.tape, &arrival);
            tape_scale(play.tape, 0, 120 * NS_PER_S);
            for (; tape_peek(play.tape) < 240 * NS_PER_S; count[1]++)
                tape_take(play.tape, &arrival);
            tape_scale(play.tape, 2, 240 * NS_PER_S);
            for (; tape_peek(play.tape) != TIME_NEVER; count[2]++) {
                tape_take(play.tape, &arrival);
                assert_true(arrival.t_ns >= 240 * NS_PER_S);
            }
            assert_int_equal(count[0], begins ? 0 : 12000);
            assert_true(count[1] <= 1); /* what was about to come may still come */
            assert_in_range(count[2], 71900, 72010);
            play_end(&play);
            free(text);
        }
}

/* ---- two workloads of one recording ---- */

/* Rows of others tell where a recording begins, and how long it is. */
static void workloads_of_one_file_keep_step(void **state) {
    (void)state;
    struct play play;
    play_init(&play,
              "time,key,operation\n0.001,a,DeleteItem\n100.001,b,PutItem\n300.001,c,DeleteItem\n");
    play.replay.loop = true;
    play.workload.end_ns = 900 * NS_PER_S;
    play_all(&play);
    assert_int_equal(play.count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(at(&play, i) - 100.0005 - 300.001 * (double)i) < 1e-3);
    play_end(&play);
}

static void too_many_requests_are_a_mistake(void **state) {
    (void)state;
    const char *const texts[] = {"time,key,count\n1,a,1000000000000\n2,b,1\n",
                                 "time,period,count\n0,60,1000000000000\n60,60,1\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct play play;
        struct ddbsim_error error = {0};
        play_init(&play, texts[i]);
        assert_int_equal(play_open(&play, &error), DDBSIM_INPUT);
        assert_non_null(strstr(error.message, "ten million"));
        play_end(&play);
    }
}

static void a_sample_is_a_share_of_the_rows(void **state) {
    (void)state;
    struct play play;
    char *text = many_rows(100000);
    play_init(&play, text);
    play.replay.sample = NANO / 10;
    play_all(&play);
    assert_in_range(play.count, 9500, 10500);
    assert_int_equal(play.count + tape_counts(play.tape)->sampled_out, 100000);
    play_end(&play);
    free(text);
}

static int by_hash(const void *a, const void *b) {
    uint64_t x = ((const struct tape_arrival *)a)->row.hash;
    uint64_t y = ((const struct tape_arrival *)b)->row.hash;
    return (x > y) - (x < y);
}

static void shuffled_rows_keep_their_times(void **state) {
    (void)state;
    struct play one, other;
    char *text = many_rows(100000);
    play_init(&one, text);
    play_init(&other, text);
    other.replay.shuffled = true;
    play_all(&one);
    play_all(&other);
    size_t moved = 0;
    assert_int_equal(one.count, other.count);
    for (size_t i = 0; i < one.count; i++) {
        assert_int_equal(one.arrivals[i].t_ns, other.arrivals[i].t_ns);
        moved += one.arrivals[i].row.hash != other.arrivals[i].row.hash;
    }
    assert_true(moved > one.count * 9 / 10);
    qsort(one.arrivals, one.count, sizeof *one.arrivals, by_hash);
    qsort(other.arrivals, other.count, sizeof *other.arrivals, by_hash);
    for (size_t i = 0; i < one.count; i++)
        assert_int_equal(one.arrivals[i].row.hash, other.arrivals[i].row.hash);
    play_end(&one);
    play_end(&other);
    free(text);
}

/* ---- M-124, M-125 ---- */

/* One in max_attempts of the refused, whatever the order in which they come, and all others. */
static void m124_refused_rows_are_attempts(void **state) {
    (void)state;
    char *text = malloc(20000 * 24);
    size_t used = (size_t)sprintf(text, "time,key,throttled\n"), kept[2] = {0};
    for (int i = 0; i < 20000; i++)
        used +=
            (size_t)sprintf(text + used, "%d,k%d,%s\n", i / 10, i % 4, i % 5 ? "true" : "false");
    struct play play;
    play_init(&play, text);
    play_all(&play);
    for (size_t i = 0; i < play.count; i++)
        kept[play.arrivals[i].row.hash == hash64("k0", 2)]++;
    assert_in_range(play.count, 4000 + 3700, 4000 + 4300);
    assert_in_range(kept[1], 1800, 2200);
    assert_int_equal(play.count + tape_counts(play.tape)->attempts, 20000);
    play_end(&play);
    play_init(&play, text);
    play.replay.throttled_are_requests = true;
    play_all(&play);
    assert_int_equal(play.count, 20000);
    play_end(&play);
    free(text);
}

static void m125_sort_keys_keep_their_order(void **state) {
    (void)state;
    struct play play;
    play_init(&play, "time,key,sort\n1,a,CART#2026-08-07T16:20:03Z\n2,a,CART#2026-08-07T16:20:04Z\n"
                     "3,a,CART#2026-12-01\n4,a,ORDER#7\n5,a,ORDER#8\n6,a,alpha\n7,a,alphb\n");
    play_all(&play);
    assert_int_equal(play.count, 7);
    for (size_t i = 1; i < 7; i++)
        assert_true(play.arrivals[i - 1].row.sort < play.arrivals[i].row.sort);
    play_end(&play);
}

static void rows_of_others_are_left_out_and_counted(void **state) {
    (void)state;
    struct play play;
    play_init(&play,
              "time,key,operation,size\n1,a,GetItem,100\n2,b,DeleteItem,\n3,c,PutItem,5000\n");
    play_all(&play);
    assert_int_equal(play.count, 2);
    assert_int_equal(tape_counts(play.tape)->other_work, 1);
    assert_int_equal(play.arrivals[0].operation, DDBSIM_GET_ITEM);
    assert_int_equal(play.arrivals[0].row.bytes, 100);
    assert_int_equal(play.arrivals[1].row.bytes, 5000);
    play_end(&play);
}

static void a_table_that_no_scenario_knows_ends_the_run(void **state) {
    (void)state;
    const char *text = "time,key,table\n1,a,carts\n2,b,orders\n3,c,carts\n";
    struct play play;
    struct ddbsim_error error = {0};
    play_init(&play, text);
    assert_int_equal(play_open(&play, &error), DDBSIM_INPUT);
    assert_int_equal(error.line, 3);
    assert_string_equal(error.file, play.file);
    play_end(&play);
    play_init(&play, text);
    play.replay.skip_bad_rows = true;
    play_all(&play);
    assert_int_equal(play.count, 2);
    assert_int_equal(tape_counts(play.tape)->other_table, 1);
    play_end(&play);
}

/* ---- names ---- */

/* More keys than there are numbers: those that came first keep theirs, those that came last are known as well. */
static void names_know_the_first_and_the_last(void **state) {
    (void)state;
    struct names *names = names_create();
    char text[64], said[64];
    uint64_t number, first = 0;
    assert_non_null(names);
    for (uint64_t n = 0; n < NAMES_MAX + 5000; n++) {
        uint32_t bytes = (uint32_t)sprintf(text, "customer-%llu", (unsigned long long)n);
        assert_true(names_number(names, hash64(text, bytes), text, bytes, &number));
        assert_int_equal(number < NAMES_MAX, n < NAMES_MAX);
        if (n < NAMES_MAX) assert_int_equal(number, n);
        if (n < NAMES_MAX) assert_int_equal(names_hash(names, number), hash64(text, bytes));
        if (n == 7) first = number;
    }
    names_text(names, number, said, sizeof said);
    assert_string_equal(said, text);
    names_text(names, first, said, sizeof said);
    assert_string_equal(said, "customer-7");
    /* By its hash a numbered key is found as well; what nobody knows is written as a hash. */
    names_text(names, DDBSIM_ORDINAL_OTHER | hash64("customer-7", 10), said, sizeof said);
    assert_string_equal(said, "customer-7");
    names_text(names, DDBSIM_ORDINAL_OTHER | 17, said, sizeof said);
    assert_string_equal(said, "(key 0000000000000011)");
    names_destroy(names);
}

/* Texts that are longer than all of them together may be are cut where they are late. */
static void long_names_are_cut(void **state) {
    (void)state;
    struct names *names = names_create();
    static char text[RECORDING_KEY_MAX + 1], said[RECORDING_KEY_MAX + 1];
    uint64_t number;
    assert_non_null(names);
    memset(text, 'k', RECORDING_KEY_MAX);
    for (int n = 0; n < 20000; n++) {
        (void)sprintf(text, "%d", n);
        text[strlen(text)] = 'k';
        assert_true(
            names_number(names, hash64(text, RECORDING_KEY_MAX), text, RECORDING_KEY_MAX, &number));
        assert_int_equal(number, n);
    }
    names_text(names, 0, said, sizeof said);
    assert_int_equal(strlen(said), RECORDING_KEY_MAX);
    names_text(names, number, said, sizeof said);
    assert_int_equal(strlen(said), NAMES_LATE_BYTES - 1);
    names_destroy(names);
}

/* ---- through a whole run ---- */

/* Two tables that differ in their key's suffix alone: the recorded key then lies at several places (M-125). */
static void m125_a_suffix_goes_behind_the_key(void **state) {
    (void)state;
    static const char text[] =
        "version: 1\nduration: 2s\nvalues: {u: {count: 4}}\n"
        "tables: [{name: t, read_capacity: 10, write_capacity: 40000, partitions: 40,\n"
        "  entities: [{name: e, partition_key: \"U#{u}%s\", count: 4, size: 1 KB%s}]}]\n"
        "workloads: [{name: w, replay: {file: %s, format: csv}, mix: [{operation: PutItem}]}]\n";
    struct play play;
    char scenario_text[1024];
    int64_t throttled[2];
    play_init(&play, "time,key,count\n0.0,a,8000\n");
    for (int sharded = 0; sharded < 2; sharded++) {
        struct ddbsim_scenario *scenario;
        struct ddbsim_error error = {0};
        struct ddbsim_run *run;
        (void)snprintf(scenario_text, sizeof scenario_text, text, sharded ? ".{shard}" : "",
                       sharded ? ", shards: {count: 40, by: random}" : "", play.file);
        if (ddbsim_scenario_parse(scenario_text, strlen(scenario_text), "t.yaml", NULL, &scenario,
                                  &error) != DDBSIM_OK)
            fail_msg("%s", error.message);
        const struct ddbsim_run_options options = {.seed = 1};
        assert_int_equal(ddbsim_run_create(scenario, &options, &run, &error), DDBSIM_OK);
        assert_int_equal(ddbsim_run_advance(run, 2 * NS_PER_S, &error), DDBSIM_OK);
        assert_int_equal(ddbsim_run_totals(run).requests, 8000);
        throttled[sharded] = (int64_t)ddbsim_run_totals(run).throttled_attempts;
        ddbsim_run_destroy(run);
        ddbsim_scenario_destroy(scenario);
    }
    assert_true(throttled[0] > 3000);
    assert_int_equal(throttled[1], 0);
    play_end(&play);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m122_rows_of_one_second_lie_evenly_in_it),
        cmocka_unit_test(m122_finer_times_stand_as_they_are),
        cmocka_unit_test(m122_a_recording_of_another_day_begins_with_the_workload),
        cmocka_unit_test(m122_a_window_and_a_loop),
        cmocka_unit_test(m122_a_moment_alone_cannot_be_looped),
        cmocka_unit_test(m123_minutes_bring_what_they_count),
        cmocka_unit_test(m123_arrivals_lie_at_random_in_their_period),
        cmocka_unit_test(m123_scale_acts_at_once),
        cmocka_unit_test(m123_scale_of_many_rows),
        cmocka_unit_test(columns_have_one_list),
        cmocka_unit_test(m125_copies_have_keys_of_their_own),
        cmocka_unit_test(copies_of_the_same_key_are_repeats),
        cmocka_unit_test(m125_a_suffix_goes_behind_the_key),
        cmocka_unit_test(parts_of_rows_fall_on_all_alike),
        cmocka_unit_test(nothing_comes_while_the_scale_is_0),
        cmocka_unit_test(workloads_of_one_file_keep_step),
        cmocka_unit_test(too_many_requests_are_a_mistake),
        cmocka_unit_test(names_know_the_first_and_the_last),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(a_sample_is_a_share_of_the_rows),
        cmocka_unit_test(shuffled_rows_keep_their_times),
        cmocka_unit_test(m124_refused_rows_are_attempts),
        cmocka_unit_test(m125_sort_keys_keep_their_order),
        cmocka_unit_test(rows_of_others_are_left_out_and_counted),
        cmocka_unit_test(a_table_that_no_scenario_knows_ends_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
