/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * M of N datapoints and what stands in for those that are missing: the two tables of the CloudWatch guide,
 * "Configuring how CloudWatch alarms treat missing data", cell by cell, and properties that hold beyond them.
 */
#include <model/alarms.h>
#include <string.h>
#include <support/prop.h>

#define RANGE 5
#define ROUNDS 20000

static const enum ddbsim_missing_data treatments[] = {DDBSIM_MISSING, DDBSIM_IGNORE,
                                                      DDBSIM_BREACHING, DDBSIM_NOT_BREACHING};

/* "0" is within the threshold, "X" beyond it, "-" missing; the oldest stands first. */
static uint32_t points_of(const char *text, struct alarm_point *points) {
    uint32_t count = (uint32_t)strlen(text);
    for (uint32_t i = 0; i < count; i++) {
        char c = text[count - 1 - i];
        points[i] = (struct alarm_point){.value = c == 'X' ? 2 : 0, .there = c != '-'};
    }
    return count;
}

static enum alarm_state judged(uint32_t m, uint32_t n, enum ddbsim_missing_data missing,
                               const char *text, enum alarm_state state) {
    struct alarm_point points[RANGE];
    const struct alarm_rule rule = {.periods = n,
                                    .datapoints = m,
                                    .range = RANGE,
                                    .comparison = DDBSIM_GREATER,
                                    .missing = missing};
    return alarm_judge(&rule, 1, points, points_of(text, points), state);
}

/* What the guide expects of missing, ignore, breaching and notBreaching: O, A, I, or = for the state before. */
struct guide_row {
    uint32_t m, n;
    const char *points, *expected;
};

static void m92_the_tables_of_the_guide(void **state) {
    static const struct guide_row rows[] = {
        {3, 3, "0-X-X", "OOOO"}, {3, 3, "0----", "OOOO"}, {3, 3, "-----", "I=AO"},
        {3, 3, "0XX-X", "AAAA"}, {3, 3, "--X--", "A=AO"}, {2, 3, "0-X-X", "AAAA"},
        {2, 3, "00X0X", "AAAA"}, {2, 3, "0-X--", "OOAO"}, {2, 3, "----0", "OOAO"},
        {2, 3, "---X-", "A=AO"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int t = 0; t < 4; t++)
            for (int before = ALARM_OK; before <= ALARM_INSUFFICIENT_DATA; before++) {
                char c = rows[r].expected[t];
                enum alarm_state expected = c == 'O'   ? ALARM_OK
                                            : c == 'A' ? ALARM_ALARM
                                            : c == 'I' ? ALARM_INSUFFICIENT_DATA
                                                       : (enum alarm_state)before;
                assert_int_equal(judged(rows[r].m, rows[r].n, treatments[t], rows[r].points,
                                        (enum alarm_state)before),
                                 expected);
            }
}

static void m91_m_of_n(void **state) {
    (void)state;
    assert_int_equal(judged(3, 5, DDBSIM_MISSING, "X0X0X", ALARM_OK), ALARM_ALARM);
    assert_int_equal(judged(3, 5, DDBSIM_MISSING, "X0X00", ALARM_OK), ALARM_OK);
    assert_int_equal(judged(1, 1, DDBSIM_MISSING, "XXXX0", ALARM_ALARM), ALARM_OK);
    assert_int_equal(judged(1, 1, DDBSIM_MISSING, "0000X", ALARM_OK), ALARM_ALARM);
}

static void m91_comparisons(void **state) {
    static const struct {
        enum ddbsim_comparison comparison;
        bool below, at, above;
    } rows[] = {{DDBSIM_GREATER, false, false, true},
                {DDBSIM_GREATER_OR_EQUAL, false, true, true},
                {DDBSIM_LESS, true, false, false},
                {DDBSIM_LESS_OR_EQUAL, true, true, false}};
    (void)state;
    for (size_t r = 0; r < 4; r++) {
        const struct alarm_rule rule = {
            .periods = 1, .datapoints = 1, .range = 1, .comparison = rows[r].comparison};
        const bool expected[] = {rows[r].below, rows[r].at, rows[r].above};
        for (int i = 0; i < 3; i++) {
            const struct alarm_point point = {.value = 4 + i, .there = true};
            assert_int_equal(alarm_judge(&rule, 5, &point, 1, ALARM_OK),
                             expected[i] ? ALARM_ALARM : ALARM_OK);
        }
    }
}

/* ---- beyond the tables ---- */

static uint32_t up_to(struct rng *rng, uint32_t most) {
    return (uint32_t)prop_between(rng, 1, most);
}

static struct alarm_rule random_rule(struct rng *rng) {
    struct alarm_rule rule = {.periods = up_to(rng, RANGE), .range = RANGE};
    rule.datapoints = up_to(rng, rule.periods);
    return rule;
}

/* With nothing missing every treatment says the same, and the state is a count. */
static bool treatments_agree(struct rng *rng) {
    struct alarm_point points[RANGE];
    struct alarm_rule rule = random_rule(rng);
    uint32_t breaching = 0;
    for (uint32_t i = 0; i < RANGE; i++) {
        points[i] = (struct alarm_point){.value = (double)prop_between(rng, 0, 2), .there = true};
        breaching += i < rule.periods && points[i].value > 1;
    }
    for (int t = 0; t < 4; t++) {
        rule.missing = treatments[t];
        enum alarm_state is = alarm_judge(&rule, 1, points, RANGE, ALARM_INSUFFICIENT_DATA);
        PROP_CHECK(is == (breaching >= rule.datapoints ? ALARM_ALARM : ALARM_OK));
    }
    return true;
}

static void m92_treatments_agree_without_gaps(void **state) {
    (void)state;
    prop_run("treatments_agree", treatments_agree, 92, ROUNDS);
}

/* notBreaching rings least, breaching most. */
static bool treatments_are_ordered(struct rng *rng) {
    char text[RANGE + 1] = "";
    struct alarm_rule rule = random_rule(rng);
    for (int i = 0; i < RANGE; i++)
        text[i] = "0X-"[prop_between(rng, 0, 2)];
    bool rings[4];
    for (int t = 0; t < 4; t++)
        rings[t] =
            judged(rule.datapoints, rule.periods, treatments[t], text, ALARM_OK) == ALARM_ALARM;
    bool missing = rings[0], ignored = rings[1], breaching = rings[2], good = rings[3];
    PROP_CHECK(!good || (missing && ignored && breaching));
    PROP_CHECK(!ignored || missing);
    PROP_CHECK(!missing || breaching);
    return true;
}

static void m92_treatments_are_ordered(void **state) {
    (void)state;
    prop_run("treatments_are_ordered", treatments_are_ordered, 93, ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m92_the_tables_of_the_guide),
        cmocka_unit_test(m91_m_of_n),
        cmocka_unit_test(m91_comparisons),
        cmocka_unit_test(m92_treatments_agree_without_gaps),
        cmocka_unit_test(m92_treatments_are_ordered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
