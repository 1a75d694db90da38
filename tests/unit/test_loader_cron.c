/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedules: what AWS documents of them fires when a calendar says so, everything else is refused. The
 * oracle of the calendar is the C library's.
 */
#include "loader_fixture.h"

#include <base/date.h>
#include <loader/cron.h>
#include <time.h>

#define DAY_S INT64_C(86400)
#define FIRST_MOST 400

static int64_t day_of(int64_t year, int month, int day) {
    return date_day((struct date){year, month, day});
}

static void calendar(void **state) {
    (void)state;
    assert_int_equal(day_of(1970, 1, 1), 0);
    for (int64_t day = -200000; day < 300000; day += 17) {
        struct date date = date_of_day(day);
        time_t seconds = (time_t)(day * DAY_S);
        struct tm parts;
        assert_non_null(gmtime_r(&seconds, &parts));
        assert_int_equal(date.year, parts.tm_year + 1900);
        assert_int_equal(date.month, parts.tm_mon + 1);
        assert_int_equal(date.day, parts.tm_mday);
        assert_int_equal(date_weekday(day), parts.tm_wday + 1);
        assert_int_equal(date_day(date), day);
        assert_true(date_is_day(date));
    }
    assert_int_equal(date_month_days(2000, 2), 29);
    assert_int_equal(date_month_days(2100, 2), 28);
    assert_int_equal(date_month_days(2028, 2), 29);
    assert_false(date_is_day((struct date){2026, 2, 29}));
    assert_false(date_is_day((struct date){2026, 13, 1}));
}

/* The first moments of a schedule in so many days from midnight of that day in UTC, as texts joined by
 * commas: "09-25 16:45". */
static void fires(const char *schedule, const char *from, int days, const char *expected) {
    struct literal_problem problem = {0};
    struct literal_clock clock;
    struct cron cron;
    char start[40], got[1024] = "";
    int64_t at_ns[FIRST_MOST];
    snprintf(start, sizeof start, "%sT00:00:00Z", from);
    assert_true(literal_instant(start, &clock, &problem));
    if (!cron_parse(schedule, &cron, &problem)) fail_msg("%s: %s", schedule, problem.message);
    struct cron_run run = {.start_unix_s = clock.start_unix_s,
                           .duration_ns = days * DAY_S * DDBSIM_S};
    uint32_t count = cron_fire(&cron, &run, at_ns, FIRST_MOST);
    assert_true(count <= FIRST_MOST);
    assert_int_equal(cron_fire(&cron, &run, NULL, FIRST_MOST), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(at_ns[i] >= 0 && at_ns[i] < run.duration_ns);
        assert_true(i == 0 || at_ns[i] > at_ns[i - 1]);
        time_t seconds = (time_t)(clock.start_unix_s + at_ns[i] / DDBSIM_S);
        struct tm parts;
        assert_non_null(gmtime_r(&seconds, &parts));
        size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%02d-%02d %02d:%02d", i ? "," : "",
                 parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min);
    }
    if (strcmp(got, expected) != 0) fail_msg("%s: %s", schedule, got);
}

static void cron_fields(void **state) {
    (void)state;
    /* 2026-09-25 is a Friday. */
    fires("cron(45 16 ? * FRI *)", "2026-09-21", 14, "09-25 16:45,10-02 16:45");
    fires("cron(45 16 ? * 6 *)", "2026-09-21", 7, "09-25 16:45");
    fires("cron(0 7 ? * MON-FRI *)", "2026-09-24", 5, "09-24 07:00,09-25 07:00,09-28 07:00");
    fires("cron(0 7 ? * SUN,WED *)", "2026-09-21", 7, "09-23 07:00,09-27 07:00");
    fires("cron(0/20 16 25 * ? *)", "2026-09-25", 1, "09-25 16:00,09-25 16:20,09-25 16:40");
    fires("cron(1/25 16 25 * ? *)", "2026-09-25", 1, "09-25 16:01,09-25 16:26,09-25 16:51");
    fires("cron(*/30 0-1 * * ? *)", "2026-09-25", 1,
          "09-25 00:00,09-25 00:30,09-25 01:00,09-25 01:30");
    fires("cron(10-30/10 5 * * ? *)", "2026-09-25", 1, "09-25 05:10,09-25 05:20,09-25 05:30");
    fires("cron(00 09 01 01 ? *)", "2026-12-01", 60, "01-01 09:00");
    fires("cron(0  0,12  25  9,OCT  ?  2026-2027)", "2026-09-25", 31,
          "09-25 00:00,09-25 12:00,10-25 00:00,10-25 12:00");
    fires("cron(0 0 25 9 ? 2027)", "2026-09-01", 60, "");
    fires("cron(0 0 25 9 ? 2026/5)", "2026-09-01", 60, "09-25 00:00");
    fires("cron(0 0 ? * * *)", "2026-09-25", 2, "09-25 00:00,09-26 00:00");
}

static void last_and_nearest(void **state) {
    (void)state;
    fires("cron(0 1 L * ? *)", "2027-01-01", 120,
          "01-31 01:00,02-28 01:00,03-31 01:00,04-30 01:00");
    fires("cron(0 1 L 2 ? *)", "2028-02-01", 60, "02-29 01:00");
    fires("cron(0 1 29 2 ? *)", "2027-02-01", 396, "02-29 01:00"); /* of 2028 alone */
    fires("cron(0 1 31 * ? *)", "2026-09-01", 100, "10-31 01:00");
    /* Friday the 25th; Saturday the 26th goes back, Sunday the 27th forth. */
    fires("cron(0 0 25W 9 ? *)", "2026-09-01", 30, "09-25 00:00");
    fires("cron(0 0 26W 9 ? *)", "2026-09-01", 30, "09-25 00:00");
    fires("cron(0 0 27W 9 ? *)", "2026-09-01", 30, "09-28 00:00");
    /* Not out of the month: 2026-08-01 is a Saturday, 2026-05-31 and 2027-01-31 are Sundays. */
    fires("cron(0 0 1W 8 ? *)", "2026-07-01", 62, "08-03 00:00");
    fires("cron(0 0 31W * ? *)", "2026-05-01", 92, "05-29 00:00,07-31 00:00");
    fires("cron(0 0 ? * L *)", "2026-09-21", 7, "09-26 00:00");
    fires("cron(0 0 ? 9 FRIL *)", "2026-09-01", 30, "09-25 00:00");
    fires("cron(0 0 ? 9 4L *)", "2026-09-01", 30, "09-30 00:00");
    fires("cron(0 0 ? 9 6#3 *)", "2026-09-01", 30, "09-18 00:00");
    fires("cron(0 0 ? * TUE#5 *)", "2026-09-01", 61, "09-29 00:00");
    fires("cron(0 0 ? 9 3#1 *)", "2026-09-01", 30, "09-01 00:00");
}

static void rate_and_at(void **state) {
    (void)state;
    fires("rate(8 hours)", "2026-09-25", 1, "09-25 08:00,09-25 16:00");
    fires("rate(1 day)", "2026-09-25", 3, "09-26 00:00,09-27 00:00");
    fires("at(2026-09-25T16:45:00)", "2026-09-25", 1, "09-25 16:45");
    fires("at(2026-09-24T16:45:00)", "2026-09-25", 1, "");
    fires("at(2026-09-26T00:00:00)", "2026-09-25", 1, "");
}

/* Times are read from the schedule's clocks: two hours east of UTC it is Saturday two hours earlier. */
static void offsets(void **state) {
    (void)state;
    struct literal_problem problem;
    struct cron cron;
    int64_t at_ns[4] = {0};
    struct cron_run run = {.start_unix_s = day_of(2026, 9, 25) * DAY_S,
                           .duration_ns = DAY_S * DDBSIM_S,
                           .utc_offset_s = 7200};
    assert_true(cron_parse("cron(0 1 ? * SAT *)", &cron, &problem));
    assert_int_equal(cron_fire(&cron, &run, at_ns, 4), 1);
    assert_int_equal(at_ns[0], 23 * 3600 * DDBSIM_S);
    assert_true(cron_parse("at(2026-09-25T16:45:00)", &cron, &problem));
    assert_int_equal(cron_fire(&cron, &run, at_ns, 4), 1);
    assert_int_equal(at_ns[0], (14 * 60 + 45) * 60 * DDBSIM_S);
    run.utc_offset_s = -9000;
    assert_int_equal(cron_fire(&cron, &run, at_ns, 4), 1);
    assert_int_equal(at_ns[0], (19 * 60 + 15) * 60 * DDBSIM_S);
}

static void counting_ends(void **state) {
    (void)state;
    struct literal_problem problem;
    struct cron cron;
    struct cron_run run = {.duration_ns = 400 * DAY_S * DDBSIM_S};
    int64_t at_ns[3] = {-1, -1, -1};
    assert_true(cron_parse("cron(* * * * ? *)", &cron, &problem));
    assert_int_equal(cron_fire(&cron, &run, NULL, 1000000), 576000);
    assert_int_equal(cron_fire(&cron, &run, at_ns, 2), 3);
    assert_int_equal(at_ns[1], 60 * DDBSIM_S);
    assert_int_equal(at_ns[2], -1);
    assert_true(cron_parse("rate(1 minute)", &cron, &problem));
    assert_int_equal(cron_fire(&cron, &run, NULL, 1000000), 575999);
    assert_int_equal(cron_fire(&cron, &run, NULL, 7), 8);
}

static const char *const bad[][2] = {
    {"", "write cron("},
    {"cron", "write cron("},
    {"cron(", "write cron("},
    {"every day", "write cron("},
    {"at()", "such as 2026"},
    {"at(16:45)", "such as 2026"},
    {"at(2026-02-29T00:00:00)", "such as 2026"},
    {"at(2026-09-25T16:45:00Z)", "timezone"},
    {"rate()", "5 minutes"},
    {"rate(0 minutes)", "5 minutes"},
    {"rate(1 minutes)", "5 minutes"},
    {"rate(5 minute)", "5 minutes"},
    {"rate(5  minutes)", "5 minutes"},
    {"rate(05 minutes)", "5 minutes"},
    {"rate(5 seconds)", "5 minutes"},
    {"rate(1234567 minutes)", "5 minutes"},
    {"cron(45 16 * * FRI)", "the year may be *"},
    {"cron(0 45 16 ? * FRI *)", "the year may be *"},
    {"cron()", "the year may be *"},
    {"cron(45 16 * * FRI *)", "exactly one"},
    {"cron(45 16 ? * ? *)", "exactly one"},
    {"cron(60 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(-1 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(5- 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(9-5 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(5/0 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(5/60 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(/5 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(1,,2 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(1, 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(? 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(L 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(00000 16 ? * FRI *)", "minutes are 0-59"},
    {"cron(0 24 ? * FRI *)", "hours are 0-23"},
    {"cron(0 0 0 * ? *)", "days of the month are 1-31"},
    {"cron(0 0 32 * ? *)", "days of the month are 1-31"},
    {"cron(0 0 W * ? *)", "days of the month are 1-31"},
    {"cron(0 0 LW * ? *)", "days of the month are 1-31"},
    {"cron(0 0 5W,6W * ? *)", "days of the month are 1-31"},
    {"cron(0 0 FRI * ? *)", "days of the month are 1-31"},
    {"cron(0 0 1 0 ? *)", "months are 1-12"},
    {"cron(0 0 1 13 ? *)", "months are 1-12"},
    {"cron(0 0 1 JANUARY ? *)", "months are 1-12"},
    {"cron(0 0 1 jan ? *)", "months are 1-12"},
    {"cron(0 0 ? * 0 *)", "1 being Sunday"},
    {"cron(0 0 ? * 8 *)", "1 being Sunday"},
    {"cron(0 0 ? * FRI-MON *)", "1 being Sunday"},
    {"cron(0 0 ? * 2/2 *)", "1 being Sunday"},
    {"cron(0 0 ? * 6#6 *)", "third Friday"},
    {"cron(0 0 ? * 6#0 *)", "third Friday"},
    {"cron(0 0 ? * 3#1,6#3 *)", "third Friday"},
    {"cron(0 0 ? * 2,6L *)", "1 being Sunday"},
    {"cron(0 0 ? * FRI 1969)", "years are 1970-2199"},
    {"cron(0 0 ? * FRI 2200)", "years are 1970-2199"},
    {"cron(0 0 ? * FRI 26)", "years are 1970-2199"},
};

static void refused(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct literal_problem problem = {0};
        struct cron cron;
        if (cron_parse(bad[i][0], &cron, &problem)) fail_msg("%s is taken", bad[i][0]);
        assert_true(problem.message[0] != '\0');
        if (!strstr(problem.hint, bad[i][1])) fail_msg("%s: %s", bad[i][0], problem.hint);
    }
    char longest[2000] = "cron(";
    memset(longest + 5, '1', sizeof longest - 7);
    longest[sizeof longest - 2] = ')';
    struct literal_problem problem = {0};
    struct cron cron;
    assert_false(cron_parse(longest, &cron, &problem));
    assert_non_null(strstr(problem.message, "too long"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calendar),    cmocka_unit_test(cron_fields),
        cmocka_unit_test(rate_and_at), cmocka_unit_test(last_and_nearest),
        cmocka_unit_test(offsets),     cmocka_unit_test(counting_ends),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
