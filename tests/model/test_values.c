/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that time or inserts make (M-15): by themselves, and through whole runs. */
#include <base/rng.h>
#include <base/types.h>
#include <support/cmocka.h>
#include <support/run_rows.h>
#include <workloads/periods.h>
#include <workloads/values.h>

static void period_is(enum ddbsim_clock clock, int64_t local_s, const char *expected) {
    char text[PERIOD_TEXT_MAX];
    size_t length = period_text(clock, period_of(clock, local_s), text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

/* Seconds since 1970 of the dates were taken from `date -u`. */
static void m15_periods_by_their_names(void **state) {
    (void)state;
    period_is(DDBSIM_CLOCK_DAY, 0, "1970-01-01");
    period_is(DDBSIM_CLOCK_DAY, 1790330399, "2026-09-25");
    period_is(DDBSIM_CLOCK_HOUR, 1790330399, "2026-09-25T09");
    period_is(DDBSIM_CLOCK_MONTH, 1790330399, "2026-09");
    period_is(DDBSIM_CLOCK_DAY, 1709164800, "2024-02-29");
    period_is(DDBSIM_CLOCK_MONTH, 1709251200, "2024-03");
    period_is(DDBSIM_CLOCK_MONTH, 1735689599, "2024-12");
    period_is(DDBSIM_CLOCK_MONTH, 1735689600, "2025-01");
    period_is(DDBSIM_CLOCK_DAY, -1, "1969-12-31");
    period_is(DDBSIM_CLOCK_HOUR, -1, "1969-12-31T23");
    period_is(DDBSIM_CLOCK_MONTH, -1, "1969-12");
}

/* A partition key a day: at midnight, local time, all writes go to the next one. */
static void m15_a_key_a_period(void **state) {
    (void)state;
    struct rows rows = rows_run(
        "version: 1\nname: t\nstart: 2026-09-30T23:59:00+02:00\nduration: 3m\n"
        "values: {day: {clock: day}, month: {clock: month}, hour: {clock: hour, count: 2}}\n"
        "tables:\n- {name: t, read_capacity: 100, write_capacity: 100, entities: [\n"
        "   {name: d, partition_key: \"D#{day}\", sort_key: \"{n}\", size: 1 KB},\n"
        "   {name: m, partition_key: \"M#{month}\", sort_key: \"{n}\", size: 1 KB},\n"
        "   {name: h, partition_key: \"H#{hour}\", sort_key: \"{n}\", count: 100, size: 1 KB}]}\n"
        "workloads:\n- {name: w, rate: 1/s, arrivals: paced, sequence: [\n"
        "   {operation: PutItem, entity: d, name: a}, {operation: PutItem, entity: m, name: b},\n"
        "   {operation: GetItem, entity: h}]}\n",
        1);
    assert_true(rows_key_units(&rows, "D#2026-09-30", ROWS_KEY_WRITE) == 60);
    assert_true(rows_key_units(&rows, "D#2026-10-01", ROWS_KEY_WRITE) == 120);
    assert_true(rows_key_units(&rows, "M#2026-09", ROWS_KEY_WRITE) == 60);
    assert_true(rows_key_units(&rows, "M#2026-10", ROWS_KEY_WRITE) == 120);
    assert_true(rows_key_units(&rows, "H#2026-09-30T23", ROWS_KEY_READ) == 30);
    assert_true(rows_key_units(&rows, "H#2026-10-01T00", ROWS_KEY_READ) == 60);
    rows_free(&rows);
}

/* Every insert has a key of its own, over all workloads; the other calls of an arrival are about it. */
static void m15_every_insert_makes_a_value(void **state) {
    (void)state;
    struct rows rows = rows_run(
        "version: 1\nname: t\nduration: 1m\nvalues: {order: {new: true, start: 500, count: 10}}\n"
        "tables:\n- {name: t, read_capacity: 100, write_capacity: 100, entities: [\n"
        "   {name: o, partition_key: \"O#{order}\", sort_key: \"HEAD\", count: 10, size: 1 KB},\n"
        "   {name: l, partition_key: \"O#{order}\", sort_key: \"LINE#{n}\", size: 2 KB}]}\n"
        "workloads:\n- {name: a, rate: 12/min, arrivals: paced, sequence: [\n"
        "   {operation: PutItem, entity: o, name: head}, {operation: PutItem, entity: l, times: "
        "2},\n"
        "   {operation: UpdateItem, entity: o}]}\n"
        "- {name: b, rate: 12/min, arrivals: paced, start_time: +1s, mix: "
        "[{operation: PutItem, entity: o}]}\n"
        "- {name: c, iterations: 1, start_time: +59s, mix: "
        "[{operation: BatchWriteItem, entity: o, batch_size: 7}]}\n",
        1);
    double orders = 0, alone = 0;
    for (int i = 490; i < 540; i++) {
        char key[16];
        snprintf(key, sizeof key, "O#%d", i);
        double written = rows_key_units(&rows, key, ROWS_KEY_WRITE);
        if (i < 500 || i >= 531) assert_true(written == 0);
        orders += written == 6;
        alone += written == 1;
    }
    assert_true(orders == 12 && alone > 0 && alone <= 12 + 7);
    assert_true(rows.totals.requests == 12 * 4 + 12 + 1);
    rows_free(&rows);
}

/* Weights 1 / r from the newest down, over the values that there are. */
static void m15_reads_choose_among_those_that_are_there(void **state) {
    (void)state;
    struct ddbsim_values values = {.name = "v",
                                   .distribution = DDBSIM_LATEST,
                                   .theta = DDBSIM_SHARE_ONE,
                                   .is_new = true,
                                   .start = 3,
                                   .count = 3};
    struct value_set set;
    struct rng rng;
    uint32_t met[5] = {0};
    rng_seed(&rng, 15);
    assert_true(value_set_init(&set, &values));
    assert_int_equal(value_set_insert(&set, 0), 3);
    assert_int_equal(value_set_insert(&set, 0), 4);
    for (int i = 0; i < 100000; i++) {
        uint64_t value = value_set_existing(&set, rng_next(&rng), 0);
        assert_true(value < 5);
        met[value]++;
    }
    double sum = 1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5;
    for (int rank = 1; rank <= 5; rank++) {
        double expected = 100000 / (rank * sum), got = met[5 - rank];
        assert_true(got > 0.96 * expected && got < 1.04 * expected);
    }
    value_set_free(&set);
    values.distribution = DDBSIM_UNIFORM;
    values.count = values.start = 0;
    assert_true(value_set_init(&set, &values));
    assert_int_equal(value_set_existing(&set, UINT64_MAX, 0), 0);
    assert_int_equal(value_set_insert(&set, 0), 0);
    assert_int_equal(value_set_existing(&set, UINT64_MAX, 0), 0);
    value_set_free(&set);
}

/* One operation's own popularity; the others' draws stay as they are. */
static void m15_an_operation_has_its_own_popularity(void **state) {
    (void)state;
#define READS(keys)                                                                               \
    "version: 1\nname: t\nduration: 1m\nvalues: {user: {count: 4}}\ntables:\n- {name: t, "        \
    "read_capacity: 100, write_capacity: 100, entities: [{name: e, partition_key: \"U#{user}\", " \
    "count: 4, size: 1 KB}]}\nworkloads:\n- {name: w, rate: 40/s, arrivals: paced, mix: [\n"      \
    "   {operation: GetItem" keys "}, {operation: UpdateItem}]}\n"
    struct rows plain = rows_run(READS(""), 1);
    struct rows own = rows_run(READS(", keys: {user: {distribution: top, shares: [75%, 25%]}}"), 1);
    double reads = 0, share;
    for (int i = 0; i < 4; i++) {
        char key[8];
        snprintf(key, sizeof key, "U#%d", i);
        assert_true(rows_key_units(&plain, key, ROWS_KEY_WRITE) ==
                    rows_key_units(&own, key, ROWS_KEY_WRITE));
        reads += rows_key_units(&own, key, ROWS_KEY_READ);
    }
    share = rows_key_units(&own, "U#0", ROWS_KEY_READ) / reads;
    assert_true(share > 0.7 && share < 0.8);
    assert_true(rows_key_units(&own, "U#2", ROWS_KEY_READ) +
                    rows_key_units(&own, "U#3", ROWS_KEY_READ) ==
                0);
    rows_free(&plain);
    rows_free(&own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m15_periods_by_their_names),
        cmocka_unit_test(m15_a_key_a_period),
        cmocka_unit_test(m15_every_insert_makes_a_value),
        cmocka_unit_test(m15_an_operation_has_its_own_popularity),
        cmocka_unit_test(m15_reads_choose_among_those_that_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
