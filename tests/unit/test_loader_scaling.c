/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a scenario may say about capacity that moves by itself: auto scaling with its schedules, and scalers
 * of the user's own. */
#include "loader_fixture.h"

#define HOUR_NS (3600 * DDBSIM_S)

static const char small[] =
    "version: 1\n"
    "start: 2026-09-25T12:00:00+02:00\n"
    "duration: 8h\n"
    "tables:\n"
    "  - name: t\n"
    "    read_capacity: 10\n"
    "    write_capacity: 50\n"
    "    auto_scaling:\n"
    "      write: {min_capacity: 15, max_capacity: 400, scale_out_cooldown: 1m, scale_in_cooldown: "
    "5m}\n"
    "      read: {min_capacity: 10, max_capacity: 200, target_value: 50%, disable_scale_in: true}\n"
    "      scheduled_actions:\n"
    "        - {name: late, at: \"18:00\", write: {min_capacity: 20}}\n"
    "        - {at: \"16:45\", write: {min_capacity: 330}, read: {min_capacity: 190, max_capacity: "
    "300}}\n"
    "        - {schedule: \"cron(0/30 14 ? * FRI *)\", timezone: \"+02:00\", read: {max_capacity: "
    "250}}\n"
    "    entities: [{name: e, partition_key: \"{uuid}\", sort_key: \"{n}\", size: 1 KB}]\n"
    "    indexes:\n"
    "      - name: g\n"
    "        partition_key: \"{uuid}\"\n"
    "        read_capacity: 5\n"
    "        write_capacity: 600\n"
    "        scaler: {look_back: 15m, up: {above: 145%, by: 2000}, down: {below: 40%, by: 30%},\n"
    "                 min: 600, max: 3000}\n"
    "      - {name: l, type: LOCAL, sort_key: \"{time}\"}\n"
    "  - name: o\n"
    "    billing_mode: PAY_PER_REQUEST\n"
    "    entities: [{name: e, partition_key: \"{uuid}\", size: 1 KB}]\n"
    "workloads:\n"
    "  - {name: w, table: t, rate: 5/s, mix: [{operation: PutItem}]}\n";

static struct ddbsim_scenario *load(const char *set) { return fixture_load_set(small, set); }

static void refuse(const char *set, const char *wanted) {
    fixture_refuse_text_set(small, set, wanted);
}

static void policies(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    const struct ddbsim_auto_scaling *scaling = &s->tables[0].scaling;
    assert_true(scaling->write.enabled && scaling->read.enabled);
    assert_false(scaling->scaler.enabled);
    assert_int_equal(scaling->write.min_capacity, 15);
    assert_int_equal(scaling->write.max_capacity, 400);
    assert_int_equal(scaling->write.target, 700000000);
    assert_int_equal(scaling->write.scale_out_cooldown_ns, 60 * DDBSIM_S);
    assert_int_equal(scaling->write.scale_in_cooldown_ns, 300 * DDBSIM_S);
    assert_false(scaling->write.disable_scale_in);
    assert_int_equal(scaling->read.target, 500000000);
    assert_int_equal(scaling->read.scale_in_cooldown_ns, 0);
    assert_true(scaling->read.disable_scale_in);
    assert_false(s->tables[1].scaling.write.enabled);
    assert_int_equal(s->tables[1].scaling.action_count, 0);
    ddbsim_scenario_destroy(s);
    s = load("tables.t.auto_scaling={read: {min_capacity: 7, max_capacity: 7}}");
    assert_false(s->tables[0].scaling.write.enabled);
    assert_true(s->tables[0].scaling.read.enabled);
    ddbsim_scenario_destroy(s);
}

/* By time, whatever their order in the file; a schedule as one action for each time. */
static void actions(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    const struct ddbsim_auto_scaling *scaling = &s->tables[0].scaling;
    const struct ddbsim_scheduled_action *a = scaling->actions;
    assert_int_equal(scaling->action_count, 4);
    assert_int_equal(a[0].at_ns, 2 * HOUR_NS);
    assert_int_equal(a[1].at_ns, 2 * HOUR_NS + HOUR_NS / 2);
    assert_int_equal(a[2].at_ns, 4 * HOUR_NS + 45 * 60 * DDBSIM_S);
    assert_int_equal(a[3].at_ns, 6 * HOUR_NS);
    assert_string_equal(a[0].name, "3");
    assert_string_equal(a[2].name, "2");
    assert_string_equal(a[3].name, "late");
    assert_int_equal(a[1].read_max, 250);
    assert_int_equal(a[1].read_min, -1);
    assert_int_equal(a[1].write_min, -1);
    assert_int_equal(a[2].write_min, 330);
    assert_int_equal(a[2].write_max, -1);
    assert_int_equal(a[2].read_max, 300);
    ddbsim_scenario_destroy(s);
    /* At one time as written. */
    s = load(
        "tables.t.auto_scaling.scheduled_actions=[{name: b, at: +1h, write: {min_capacity: 16}}, "
        "{name: a, schedule: at(2026-09-25T11:00:00), write: {min_capacity: 17}}, "
        "{name: c, at: +30m, write: {min_capacity: 18}}]");
    a = s->tables[0].scaling.actions;
    assert_string_equal(a[0].name, "c");
    assert_string_equal(a[1].name, "b");
    assert_string_equal(a[2].name, "a");
    assert_int_equal(a[2].at_ns, HOUR_NS);
    ddbsim_scenario_destroy(s);
    s = load("tables.t.auto_scaling.scheduled_actions.3.schedule=cron(0 0 ? * MON *)");
    assert_int_equal(s->tables[0].scaling.action_count, 2); /* one never fires */
    ddbsim_scenario_destroy(s);
}

static void scalers(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL);
    const struct ddbsim_scaler *scaler = &s->tables[0].indexes[0].scaling.scaler;
    assert_true(scaler->enabled && scaler->up.enabled && scaler->down.enabled);
    assert_int_equal(scaler->every_ns, 60 * DDBSIM_S);
    assert_int_equal(scaler->look_back_ns, 900 * DDBSIM_S);
    assert_false(scaler->throttle_veto);
    assert_true(scaler->reads && scaler->writes);
    assert_int_equal(scaler->up.threshold, 1450000000);
    assert_int_equal(scaler->up.throttles, 0);
    assert_int_equal(scaler->up.by_units, 2000);
    assert_int_equal(scaler->up.by_share + scaler->up.to, 0);
    assert_int_equal(scaler->down.threshold, 400000000);
    assert_int_equal(scaler->down.by_share, 300000000);
    assert_int_equal(scaler->down.by_units + scaler->down.to, 0);
    assert_int_equal(scaler->min_capacity, 600);
    assert_int_equal(scaler->max_capacity, 3000);
    assert_string_equal(fixture_setting(s, "tables.t.indexes.g.scaler.up.by"), "2000");
    assert_string_equal(fixture_setting(s, "tables.t.indexes.g.scaler.down.by"), "30%");
    ddbsim_scenario_destroy(s);
    s = load("tables.t.indexes.g.scaler={direction: write, down: {below: 40%, by: 1}, "
             "throttle_veto: true}");
    scaler = &s->tables[0].indexes[0].scaling.scaler;
    assert_true(scaler->writes && !scaler->reads && scaler->throttle_veto);
    ddbsim_scenario_destroy(s);
    /* It takes the place of auto scaling, and the other way round. */
    s = load("tables.t.scaler={up: {throttles: 1, to: 70%}}");
    assert_false(s->tables[0].scaling.write.enabled);
    assert_int_equal(s->tables[0].scaling.action_count, 0);
    assert_int_equal(s->tables[0].scaling.scaler.up.threshold, -1);
    assert_int_equal(s->tables[0].scaling.scaler.up.throttles, 1);
    assert_int_equal(s->tables[0].scaling.scaler.up.to, 700000000);
    assert_int_equal(s->tables[0].scaling.scaler.min_capacity, 1);
    assert_int_equal(s->tables[0].scaling.scaler.max_capacity, 40000);
    assert_false(s->tables[0].scaling.scaler.down.enabled);
    ddbsim_scenario_destroy(s);
}

/* The resolved settings say all of it, and nothing of what is not there. */
static void settings(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(NULL), *again;
    assert_string_equal(fixture_setting(s, "tables.t.auto_scaling.write.target_value"), "70%");
    assert_string_equal(fixture_setting(s, "tables.t.auto_scaling.scheduled_actions.2.at"),
                        "+4h45m");
    assert_string_equal(fixture_setting(s, "tables.t.indexes.g.scaler.every"), "1m");
    assert_null(fixture_setting(s, "tables.t.scaler.every"));
    assert_null(fixture_setting(s, "tables.o.auto_scaling.write.target_value"));
    assert_null(fixture_setting(s, "tables.t.auto_scaling.scheduled_actions.late.read"));
    static char texts[60][160];
    const char *sets[COUNT(texts)];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->setting_count; i++) {
        const struct ddbsim_setting *setting = &s->settings[i];
        bool scales = strstr(setting->path, ".auto_scaling.") || strstr(setting->path, ".scaler.");
        if (!scales) continue;
        assert_true(count < COUNT(texts));
        snprintf(texts[count], sizeof texts[count], "%s='%s'", setting->path, setting->value);
        sets[count] = texts[count];
        count++;
    }
    assert_true(count > 25);
    again = fixture_load(small, NULL, sets, count);
    assert_int_equal(again->setting_count, s->setting_count);
    for (uint32_t i = 0; i < s->setting_count; i++) {
        assert_string_equal(again->settings[i].path, s->settings[i].path);
        assert_string_equal(again->settings[i].value, s->settings[i].value);
    }
    ddbsim_scenario_destroy(again);
    ddbsim_scenario_destroy(s);
}

/* Policies get other bounds while the run goes on; they do not come. */
static void changes(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(
        "changes=[{at: +1h, set: {tables.t.auto_scaling.write.max_capacity: 900, "
        "tables.t.auto_scaling.write.target_value: 60%, tables.t.indexes.g.scaler.max: 4000}}, "
        "{at: +2h, set: {tables.t.auto_scaling.read.disable_scale_in: false}}, "
        "{at: +3h, set: {tables.t.billing_mode: PAY_PER_REQUEST}}]");
    assert_int_equal(s->tables[0].scaling.write.max_capacity, 400);
    const struct ddbsim_table *first = &s->changes[0].after->tables[0];
    assert_int_equal(first->scaling.write.max_capacity, 900);
    assert_int_equal(first->scaling.write.target, 600000000);
    assert_int_equal(first->indexes[0].scaling.scaler.max_capacity, 4000);
    assert_int_equal(first->scaling.action_count, 4);
    assert_false(s->changes[1].after->tables[0].scaling.read.disable_scale_in);
    const struct ddbsim_table *paid = &s->changes[2].after->tables[0];
    assert_false(paid->scaling.write.enabled || paid->scaling.read.enabled);
    assert_false(paid->indexes[0].scaling.scaler.enabled);
    ddbsim_scenario_destroy(s);
    static const char *const cases[][2] = {
        {"tables.t.auto_scaling.write.max_capacity: 14", "is less than min_capacity 15"},
        {"tables.t.auto_scaling.write.max_capacity: 300", "min_capacity of 330 above"},
        {"tables.t.auto_scaling.write: {min_capacity: 1, max_capacity: 2}", "a change cannot set"},
        {"tables.t.auto_scaling: null", "a change cannot set auto_scaling"},
        {"tables.t.scaler: null", "a change cannot set scaler"},
        {"tables.t.indexes.g.scaler.every: 30s", "a change cannot set every"},
        {"tables.t.auto_scaling.scheduled_actions.late.at: +7h", "a change cannot set at"},
        {"tables.t.auto_scaling.scheduled_actions.late.write.min_capacity: 9",
         "a change cannot set min_capacity"},
        {"tables.t.indexes.g.auto_scaling.write.max_capacity: 9", "exclude each other"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "changes=[{at: +1h, set: {%s}}]", cases[i][0]);
        refuse(set, cases[i][1]);
    }
    const char *begins[] = {
        "tables.t.indexes.g.scaler=null",
        "changes=[{at: +1h, set: {tables.t.indexes.g.auto_scaling.write.max_capacity: 9, "
        "tables.t.indexes.g.auto_scaling.write.min_capacity: 9}}]"};
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(small, NULL, begins, 2, &s, &error), &error, "begins",
                           "cannot begin to scale");
}

static void refused_policies(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"auto_scaling={}", "auto_scaling has no policy"},
        {"auto_scaling={write: {}}", "\"min_capacity\" is missing (min_capacity: the least"},
        {"auto_scaling={write: {min_capacity: 5}}", "\"max_capacity\" is missing"},
        {"auto_scaling={write: {min_capacity: 5, max_capacity: 4}}", "is less than min_capacity 5"},
        {"auto_scaling.write.min_capacity=0", "the least is 1"},
        {"auto_scaling.write.target_value=19%", "the least is 20%"},
        {"auto_scaling.write.target_value=91%", "AWS allows targets of 20 % to 90 %"},
        {"auto_scaling.write.target_value=0.7", "write 70%"},
        {"auto_scaling.write.target_value=70", "70%"},
        {"auto_scaling.write.scale_in_cooldown=61m", "outside 0s..1h"},
        {"auto_scaling.write.min=5", "min_capacity"},
        {"auto_scaling.both=5", "there is no \"both\""},
        {"scaler={}", "the scaler does nothing"},
        {"scaler={up: {}}", "does not say when"},
        {"scaler={up: {above: 80%}}", "write `by: 50%`"},
        {"scaler={up: {above: 80%, by: 50%, to: 70%}}", "by and to exclude each other"},
        {"scaler={up: {above: 0.8, by: 50%}}", "write 80%"},
        {"scaler={up: {above: 80%, by: 0}}", "the least is 1"},
        {"scaler={up: {above: 80%, by: 0%}}", "0%"},
        {"scaler={up: {above: 80%, by: 1001%}}", "outside"},
        {"scaler={up: {above: 80%, by: 2.5}}", "not a whole number"},
        {"scaler={up: {above: 80%, by: half}}", "does not begin with a number"},
        {"scaler={up: {throttles: 0, by: 50%}}", "the least is 1"},
        {"scaler={down: {by: 30%}}", "\"below\" is missing"},
        {"scaler={down: {below: 40%, by: 101%}}", "outside"},
        {"scaler={down: {below: 40%, throttles: 2, by: 1}}", "there is no key \"throttles\""},
        {"scaler={every: 1500ms, down: {below: 40%, by: 1}}", "whole number of seconds"},
        {"scaler={look_back: 90s, down: {below: 40%, by: 1}}", "whole number of minutes"},
        {"scaler={look_back: 30s, down: {below: 40%, by: 1}}", "the least is 1m"},
        {"scaler={direction: up, down: {below: 40%, by: 1}}", "one of both, read, write"},
        {"scaler={min: 9, max: 8, down: {below: 40%, by: 1}}", "max 8 is less than min 9"},
        {"indexes.l.auto_scaling={write: {min_capacity: 5, max_capacity: 9}}",
         "a LOCAL index has no auto_scaling of its own"},
        {"indexes.l.scaler={down: {below: 40%, by: 1}}", "a LOCAL index has no scaler of its own"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "tables.t.%s", cases[i][0]);
        refuse(set, cases[i][1]);
    }
    refuse("tables.o.auto_scaling={write: {min_capacity: 5, max_capacity: 9}}",
           "buy no capacity (remove auto_scaling, or write billing_mode: PROVISIONED)");
    refuse("tables.o.scaler={down: {below: 40%, by: 1}}", "remove scaler");
}

static void refused_actions(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"write: {min_capacity: 20}", "write `at` or `schedule`"},
        {"at: +1h, schedule: rate(1 day), write: {min_capacity: 20}", "exclude each other"},
        {"at: +1h", "the action sets nothing"},
        {"at: +1h, write: {}", "sets neither"},
        {"at: +1h, write: {min_capacity: 20}, timezone: UTC", "goes only with cron(...)"},
        {"schedule: rate(1 hour), timezone: UTC, write: {min_capacity: 20}", "goes only with"},
        {"at: +8h, write: {min_capacity: 20}", "after the scenario's end"},
        {"at: yesterday, write: {min_capacity: 20}", "no moment"},
        {"at: +1h, write: {min_capacity: 401}", "above a max_capacity of 400"},
        {"at: +1h, write: {max_capacity: 10}", "let its `write` say both"},
        {"at: +1h, read: {min_capacity: 9, max_capacity: 8}", "min_capacity of 9 above"},
        {"at: +1h, write: {target_value: 50%}", "there is no key \"target_value\""},
        {"schedule: hourly, write: {min_capacity: 20}", "is no schedule"},
        {"schedule: cron(0 0 * * * *), write: {min_capacity: 20}", "exactly one"},
        {"schedule: rate(1 hour), timezone: Europe/Madrid, write: {min_capacity: 20}",
         "goes only with"},
        {"schedule: at(2026-09-25T16:45:00), timezone: Europe/Madrid, write: {min_capacity: 20}",
         "write the offset of that time of the year, such as +02:00"},
        {"schedule: at(2026-09-25T16:45:00), timezone: +2, write: {min_capacity: 20}", "offset"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "tables.t.auto_scaling.scheduled_actions=[{%s}]", cases[i][0]);
        refuse(set, cases[i][1]);
    }
    refuse("tables.t.auto_scaling.read=null", "there is no policy of the read capacity");
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    const char *many[] = {"duration=9000h",
                          "tables.t.auto_scaling.scheduled_actions.3.schedule=cron(* * * * ? *)"};
    fixture_expect_refusal(fixture_parse(small, NULL, many, 2, &s, &error), &error, many[1],
                           "more than 100000 times");
}

/* A mistake is told with its line and column. */
static void places(void **state) {
    (void)state;
    char text[sizeof small];
    memcpy(text, small, sizeof small);
    char *at = strstr(text, "FRI");
    memcpy(at, "FRX", 3);
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    assert_int_equal(fixture_parse(text, NULL, NULL, 0, &s, &error), DDBSIM_INPUT);
    assert_int_equal(error.line, 14);
    assert_int_equal(error.column, 22);
    assert_string_equal(error.path, "tables.t.auto_scaling.scheduled_actions.3.schedule");
    assert_non_null(strstr(error.hint, "days of the week"));
}

/* The alarms of another year, for all tables or for one, and those of today back again. */
static void alarm_rules(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load("model={alarms: 2017, metric_delay: 30s}");
    assert_int_equal(s->model.scale_out_minutes, 5);
    assert_int_equal(s->model.metric_delay_ns, 30 * DDBSIM_S);
    assert_int_equal(s->model.alarm_delay_ns, 0);
    assert_int_equal(s->tables[0].model.update_delay_ns, 90 * DDBSIM_S);
    assert_string_equal(fixture_setting(s, "model.alarms"), "2017");
    ddbsim_scenario_destroy(s);
    const char *sets[] = {"model.alarms=2017", "tables.t.model.alarms=today"};
    s = fixture_load(small, NULL, sets, 2);
    assert_int_equal(s->tables[0].model.scale_out_minutes, 2);
    assert_int_equal(s->tables[0].model.alarm_delay_ns, 60 * DDBSIM_S);
    assert_int_equal(s->tables[1].model.scale_out_minutes, 5);
    ddbsim_scenario_destroy(s);
    s = load("tables.t.model={alarms: 2017, scale_out_minutes: 1}");
    assert_int_equal(s->tables[0].model.scale_out_minutes, 1);
    assert_int_equal(s->tables[0].model.metric_delay_ns, 0);
    assert_int_equal(s->tables[1].model.metric_delay_ns, 60 * DDBSIM_S);
    ddbsim_scenario_destroy(s);
    refuse("model.alarms=2018", "did you mean \"2017\"");
    static const char *const years[] = {"rules=2012", "rules=2017"};
    for (size_t i = 0; i < COUNT(years); i++) {
        s = load(years[i]);
        assert_int_equal(s->model.decrease_interval_ns, 4 * HOUR_NS);
        assert_int_equal(s->model.scale_out_minutes, 2);
        ddbsim_scenario_destroy(s);
    }
    s = load("rules=2018");
    assert_int_equal(s->model.decrease_interval_ns, HOUR_NS);
    ddbsim_scenario_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies),    cmocka_unit_test(actions),
        cmocka_unit_test(scalers),     cmocka_unit_test(settings),
        cmocka_unit_test(changes),     cmocka_unit_test(refused_policies),
        cmocka_unit_test(places),      cmocka_unit_test(refused_actions),
        cmocka_unit_test(alarm_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
