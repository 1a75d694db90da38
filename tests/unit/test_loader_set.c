/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes a scenario before and while it runs: --set, variants, extends, changes. */
#include "unit/loader_fixture.h"

#include <base/types.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- set ---- */

static void sets_values(void **state) {
    (void)state;
    const char *sets[] = {"tables.*.write_capacity=77",
                          "tables.\"plain.table\".read_capacity=5",
                          "workloads.shop.stages.2.target=9/s",
                          "tables.carts.burst.window=100s",
                          "tables.carts.indexes.by-state.backpressure.grace=5s",
                          "values.user.theta=0.9",
                          "values.extra={count: 3}",
                          "title=\"A: title\"",
                          "workloads.shop.mix.save.index_effect.by-state.move=50%"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, COUNT(sets));
    assert_int_equal(s->tables[0].write_capacity, 77);
    assert_int_equal(s->tables[1].write_capacity, 77);
    assert_int_equal(s->tables[1].read_capacity, 5);
    assert_true(s->workloads[0].stages[1].target_per_s == 9);
    assert_int_equal(s->tables[0].burst.window_ns, 100 * NS_PER_S);
    assert_int_equal(s->tables[0].indexes[0].backpressure.grace_ns, 5 * NS_PER_S);
    assert_int_equal(s->tables[0].indexes[0].backpressure.preset, DDBSIM_TEXTBOOK);
    assert_int_equal(s->values[0].theta, 900000000);
    assert_int_equal(s->value_count, 3);
    assert_string_equal(s->title, "A: title");
    assert_int_equal(s->workloads[0].operations[0].effects[0].move, NANO / 2);
    assert_int_equal(s->varied_count, COUNT(sets));
    for (uint32_t i = 1; i < s->varied_count; i++)
        assert_true(strcmp(s->varied[i - 1].path, s->varied[i].path) < 0);
    ddbsim_scenario_destroy(s);
    const char *twice[] = {"tables.*.write_capacity=77", "tables.*.write_capacity=78"};
    s = fixture_load(fixture, NULL, twice, 2);
    assert_int_equal(s->tables[0].write_capacity, 78);
    assert_int_equal(s->varied_count, 1);
    assert_string_equal(s->varied[0].value, "78");
    assert_true(s->varied[0].by_option);
    ddbsim_scenario_destroy(s);
}

/* null removes, a list or mapping replaces the whole, a new source of load takes the old one's
 * place. */
static void sets_structures(void **state) {
    (void)state;
    const char *sets[] = {"changes=[]",
                          "workloads.shop.stages.2=null",
                          "tables.carts.indexes.by-state.backpressure=null",
                          "workloads.writer.start_rate=1/s",
                          "workloads.writer.mix=[{operation: PutItem, table: plain.table}]",
                          "workloads.shop.client={preset: full-jitter}"};
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, sets, COUNT(sets));
    assert_int_equal(s->change_count, 0);
    assert_int_equal(s->workloads[0].stage_count, 1);
    assert_int_equal(s->tables[0].indexes[0].backpressure.preset, DDBSIM_OBSERVED);
    assert_true(s->workloads[1].start_rate_per_s == 1);
    assert_false(s->workloads[1].sequence);
    assert_int_equal(s->workloads[1].operation_count, 1);
    assert_int_equal(s->workloads[0].client.processes, 1);
    ddbsim_scenario_destroy(s);
}

/* An option's words have no lines. */
static void messages_name_the_option_alone(void **state) {
    (void)state;
    fixture_refuse_set("tables.carts.new=maybe", "--set: tables.carts.new: ");
    fixture_refuse_set("tables.crats.new=true", "--set: tables.crats.new: ");
}

static void set_names_nothing(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"table.carts.new=true", "did you mean \"tables\""},
        {"tables.crats.new=true", "did you mean \"carts\""},
        {"tables.carts.new.x=true", "nothing below \"new\""},
        {"tables.carts.indexes.by-stat.partitions=2", "did you mean \"by-state\""},
        {"tables.\"plain.table\".indexes.x.partitions=2", "names nothing"},
        {"workloads.shop.mix.GetItm.size=1 KB", "did you mean \"GetItem\""},
        {"workloads.shop.sequence.x.size=1 KB", "names nothing"},
        {"workloads.shop.stages.3.target=1/s", "names nothing"},
        {"values.usr.theta=0.5", "did you mean \"user\""},
        {"values.nobody=null", "names nothing"},
        {"variants.*.name=x", "cannot be set"},
        {"version=1", "cannot be set"},
        {"extends=x.yaml", "cannot be set"},
        {"changes.nobody.at=+1h", "names nothing"},
        {"*.carts.new=true", "names nothing"},
        {"write_capacity=3", "a path begins at the top: tables.NAME.write_capacity"},
        {"preset=none", "a path begins at the top: workloads.NAME.client.preset"},
        {"tables.0.write_capacity=3", "tables by name: carts"},
        {"tables.carts.write_capacity=0", "the least is 1"},
        {"workloads.shop.client.preset=boto3", "did you mean \"boto3-legacy\""},
        {"workloads.shop.mix.save.operation=Frobnicate", "one of GetItem, Query"},
        {"duration=4h 30m", "write 4h30m"},
        {"values.state.list.open=70%", "(take "},
        {"tables.carts.import=x", "cannot be set"},
        {"expect.1.is=0", "nothing below"},
        {"no value", "PATH=VALUE"},
        {"=5", "PATH=VALUE"},
        {"seed=", "PATH=VALUE"},
        {"seed=[1", "no YAML"},
        {"seed=&a 1", "anchors"},
        {"tables..new=true", "empty part"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        fixture_refuse_set(cases[i][0], cases[i][1]);
}

/* ---- variants ---- */

static void variants(void **state) {
    (void)state;
    struct ddbsim_scenario *base = fixture_load(fixture, "base", NULL, 0);
    struct ddbsim_scenario *big = fixture_load(fixture, "big index", NULL, 0);
    struct ddbsim_scenario *calm = fixture_load(fixture, "calm", NULL, 0);
    assert_string_equal(base->variant, "base");
    assert_int_equal(base->varied_count, 0);
    assert_int_equal(base->expect[0].kind, DDBSIM_CONDITION_CAUSE);
    assert_string_equal(big->variant, "big index");
    assert_int_equal(big->tables[0].indexes[0].write_capacity, 300);
    assert_int_equal(big->expect_count, 1);
    assert_int_equal(big->expect[0].kind, DDBSIM_CONDITION_METRIC);
    assert_int_equal(big->threshold_count, 1);
    assert_int_equal(big->varied_count, 1);
    assert_false(big->varied[0].by_option);
    assert_int_equal(calm->change_count, 0);
    assert_int_equal(calm->expect_count, 0); /* the base's are not the variant's */
    assert_true(calm->workloads[1].scale == 0.5);
    ddbsim_scenario_destroy(base);
    ddbsim_scenario_destroy(big);
    ddbsim_scenario_destroy(calm);
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    enum ddbsim_status status = fixture_parse(fixture, "big indx", NULL, 0, &s, &error);
    fixture_expect_refusal(status, &error, "variant", "did you mean \"big index\"");
}

/* A mistake in a variant is found when the base is loaded; a set after the variant wins. */
static void variants_are_tried(void **state) {
    (void)state;
    char text[sizeof fixture + 256];
    snprintf(text, sizeof text, "%s", fixture);
    char *at = strstr(text, "workloads.*.scale: 0.5");
    assert_non_null(at);
    memcpy(at, "workloads.*.scael: 0.5", strlen("workloads.*.scael: 0.5"));
    fixture_refuse(text, "did you mean \"scale\"");
    const char *set = "workloads.shop.scale=4";
    struct ddbsim_scenario *s = fixture_load(fixture, "calm", &set, 1);
    assert_true(s->workloads[0].scale == 4);
    assert_true(s->workloads[1].scale == 0.5);
    assert_int_equal(s->varied_count, 3);
    ddbsim_scenario_destroy(s);
}

/* A variant that removes what a change sets must empty the changes too. */
static void change_of_nothing(void **state) {
    (void)state;
    fixture_refuse_set("workloads.shop.mix.save.name=keep", "names nothing");
    const char *sets[] = {"workloads.shop.mix.save.name=keep", "changes=[]"};
    ddbsim_scenario_destroy(fixture_load(fixture, NULL, sets, 2));
}

/* ---- changes ---- */

static void changes_add_up(void **state) {
    (void)state;
    const char *set = "changes=[{at: +2h, name: second, set: {workloads.*.scale: 2, "
                      "tables.carts.indexes.*.write_capacity: 200}}, {at: +1h, set: "
                      "{tables.carts.write_capacity: "
                      "240}}, {at: +2h, name: third, set: {workloads.writer.rate: 9/s, "
                      "workloads.shop.mix.*.weight: 3, "
                      "workloads.shop.mix.save.index_effect.by-state.move: 10%}}]";
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, &set, 1);
    assert_int_equal(s->change_count, 3);
    assert_string_equal(s->changes[0].name, "tables.carts.write_capacity = 240");
    assert_string_equal(s->changes[1].name, "second");
    assert_string_equal(s->changes[2].name, "third");
    assert_int_equal(s->changes[2].at_ns, 7200 * NS_PER_S);
    const struct ddbsim_scenario *first = s->changes[0].after, *last = s->changes[2].after;
    assert_int_equal(s->tables[0].write_capacity, 120);
    assert_int_equal(first->tables[0].write_capacity, 240);
    assert_int_equal(first->tables[0].indexes[0].write_capacity, 100);
    assert_int_equal(last->tables[0].write_capacity, 240);
    assert_int_equal(last->tables[0].indexes[0].write_capacity, 200);
    assert_true(last->workloads[1].start_rate_per_s == 9);
    assert_true(last->workloads[1].scale == 2);
    assert_int_equal(last->workloads[0].operations[1].weight, 3 * NANO);
    assert_int_equal(last->workloads[0].operations[0].effects[0].rewrite, 900000000);
    assert_int_equal(last->model.partition_write_limit, 1000);
    assert_string_equal(s->changes[1].sets[0].path, "workloads.*.scale");
    assert_string_equal(s->changes[1].sets[1].value, "200");
    ddbsim_scenario_destroy(s);
}

static void changes_refused(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"tables.carts.entities.cart.size: 9 KB", "workloads.NAME.mix.NAME.size"},
        {"tables.carts.entities.cart.partition_key: x", "operations instead"},
        {"workloads.shop.client.processes: 9", "a change cannot set processes"},
        {"workloads.shop.client.max_attempts: 9", "a change cannot set max_attempts"},
        {"workloads.shop.mix: []", "a change cannot set mix"},
        {"workloads.shop.mix.save: {}", "a change cannot set mix"},
        {"tables: []", "a change cannot set tables"},
        {"tables.carts: null", "a change cannot set tables"},
        {"values.user.theta: 0.1", "a change cannot set theta"},
        {"start: 2026-09-25T12:00:00Z", "a change cannot set start"},
        {"seed: 2", "a change cannot set seed"},
        {"model.update_delay: 1s", "a change cannot set update_delay"},
        {"tables.carts.write_capacity: 50000", "default quota"},
        {"tables.carts.write_capacity: null", "is missing"},
        {"tables.crats.write_capacity: 5", "did you mean \"carts\""},
        {"workloads.shop.mix.save.size: 5", "no unit"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char set[256];
        snprintf(set, sizeof set, "changes=[{at: +1h, set: {%s}}]", cases[i][0]);
        fixture_refuse_set(set, cases[i][1]);
    }
    fixture_refuse_set("changes=[{at: +8h, set: {seed: 1}}]", "after the scenario's end");
    fixture_refuse_set("changes=[{at: +1h, set: {}}]", "sets nothing");
    fixture_refuse_set("changes=[{at: +1h}]", "the change does nothing");
    fixture_refuse_set("changes=[{set: {seed: 1}}]", "\"at\" is missing");
}

/* ---- extends ---- */

static char folder[] = "/tmp/ddbsim-loader-XXXXXX";

static void write_file(const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

static enum ddbsim_status load_file(const char *name, struct ddbsim_scenario **out,
                                    struct ddbsim_error *error) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    memset(error, 0, sizeof *error);
    *out = NULL;
    return ddbsim_scenario_load(path, NULL, out, error);
}

static struct ddbsim_scenario *must_load(const char *name) {
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    if (load_file(name, &s, &error)) {
        char message[2048];
        ddbsim_error_format(&error, message, sizeof message);
        fail_msg("%s", message);
    }
    return s;
}

static void refuse_file(const char *name, const char *wanted) {
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    enum ddbsim_status status = load_file(name, &s, &error);
    fixture_expect_refusal(status, &error, name, wanted);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void extends_another(void **state) {
    (void)state;
    write_file("base.yaml", fixture);
    write_file("child.yaml",
               "version: 1\nextends: base.yaml\nname: child\n"
               "values: {user: {theta: 0.2}, state: null, extra: {list: {a: 100%}}}\n"
               "tables:\n"
               "  - name: carts\n"
               "    write_capacity: 500\n"
               "    indexes: []\n"
               "  - {name: third, read_capacity: 1, write_capacity: 1,\n"
               "     entities: [{name: e, partition_key: \"{extra}\", size: 1 KB}]}\n"
               "workloads:\n"
               "  - {name: shop, rate: 3/s, mix: [{name: save, index_effect: null}]}\n"
               "changes: []\n"
               "variants: []\n"
               "thresholds: [\"attempts < 5\"]\n");
    struct ddbsim_scenario *s = must_load("child.yaml");
    assert_string_equal(s->name, "child");
    assert_int_equal(s->table_count, 3);
    assert_int_equal(s->tables[0].write_capacity, 500);
    assert_int_equal(s->tables[0].read_capacity, 60);
    assert_int_equal(s->tables[0].index_count, 0);
    assert_string_equal(s->tables[2].name, "third");
    assert_int_equal(s->value_count, 2);
    assert_int_equal(s->values[0].theta, 200000000);
    assert_int_equal(s->values[0].count, 1000);
    assert_int_equal(s->workload_count, 2);
    assert_int_equal(s->workloads[0].stage_count, 0);
    assert_true(s->workloads[0].start_rate_per_s == 3);
    assert_int_equal(s->variant_count, 0);
    assert_int_equal(s->expect_count, 1); /* the base's stands */
    assert_string_equal(s->thresholds[0].text, "attempts < 5");
    assert_non_null(strstr(s->text, "extends: base.yaml"));
    ddbsim_scenario_destroy(s);
}

static void extends_nameless_lists(void **state) {
    (void)state;
    write_file("base.yaml", fixture);
    write_file("stages.yaml", "version: 1\nextends: base.yaml\n"
                              "workloads:\n"
                              "  - {name: shop, stages: [{duration: 5m, target: 1/s}]}\n");
    struct ddbsim_scenario *s = must_load("stages.yaml");
    assert_int_equal(s->workloads[0].stage_count, 1); /* an entry without name: replaced whole */
    assert_true(s->workloads[0].start_rate_per_s == 2);
    ddbsim_scenario_destroy(s);
}

/* Scaling and alarms: entries by name, and a scaler drives auto scaling out. */
static void extends_scaling(void **state) {
    (void)state;
    char base[sizeof fixture + 512];
    snprintf(
        base, sizeof base,
        "%salarms:\n"
        "  - {name: a, table: carts, metric: ReadThrottleEvents, comparison: \">\", threshold: 0}\n"
        "  - {name: b, metric: UserErrors, comparison: \">\", threshold: 1}\n",
        fixture);
    write_file("base.yaml", base);
    write_file("scaled.yaml",
               "version: 1\nextends: base.yaml\n"
               "tables:\n"
               "  - name: carts\n"
               "    auto_scaling:\n"
               "      write: {min_capacity: 5, max_capacity: 9}\n"
               "      scheduled_actions: [{name: up, at: +1h, write: {min_capacity: 9}}]\n"
               "alarms: [{name: a, period: 2m}]\n");
    write_file("by-hand.yaml", "version: 1\nextends: scaled.yaml\n"
                               "tables: [{name: carts, scaler: {up: {throttles: 1, by: 5}}}]\n");
    write_file("later.yaml",
               "version: 1\nextends: scaled.yaml\n"
               "tables: [{name: carts, auto_scaling: {write: {max_capacity: 20},\n"
               "          scheduled_actions: [{name: up, schedule: rate(4 hours)}]}}]\n");
    struct ddbsim_scenario *s = must_load("scaled.yaml");
    assert_int_equal(s->alarm_count, 2);
    assert_int_equal(s->alarms[0].period_s, 120);
    assert_int_equal(s->tables[0].scaling.action_count, 1);
    ddbsim_scenario_destroy(s);
    s = must_load("by-hand.yaml");
    assert_false(s->tables[0].scaling.write.enabled);
    assert_true(s->tables[0].scaling.scaler.enabled);
    ddbsim_scenario_destroy(s);
    s = must_load("later.yaml");
    assert_int_equal(s->tables[0].scaling.write.min_capacity, 5);
    assert_int_equal(s->tables[0].scaling.write.max_capacity, 20);
    assert_int_equal(s->tables[0].scaling.action_count, 1);
    assert_int_equal(s->tables[0].scaling.actions[0].at_ns, 4 * 3600 * DDBSIM_S);
    assert_int_equal(s->tables[0].scaling.actions[0].write_min, 9);
    ddbsim_scenario_destroy(s);
}

/* Messages name the file in which the mistake stands. */
static void extends_refused(void **state) {
    (void)state;
    char broken[sizeof fixture + 64];
    snprintf(broken, sizeof broken, "%sbroken: 1\n", fixture);
    write_file("base.yaml", fixture);
    write_file("broken.yaml", broken);
    write_file("over-broken.yaml", "version: 1\nextends: broken.yaml\n");
    write_file("a.yaml", "version: 1\nextends: b.yaml\n");
    write_file("b.yaml", "version: 1\nextends: a.yaml\n");
    write_file("self.yaml", "version: 1\nextends: ./self.yaml\n");
    write_file("lost.yaml", "version: 1\nextends: nowhere.yaml\n");
    write_file("list.yaml", "version: 1\nextends: [base.yaml]\n");
    refuse_file("over-broken.yaml", "/broken.yaml:");
    refuse_file("a.yaml", "circle");
    refuse_file("self.yaml", "circle");
    refuse_file("lost.yaml", "nowhere.yaml");
    refuse_file("list.yaml", "path of a scenario file");
    for (int i = 0; i < 12; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "deep%d.yaml", i);
        snprintf(text, sizeof text, "version: 1\nextends: deep%d.yaml\n", i + 1);
        write_file(name, text);
    }
    refuse_file("deep0.yaml", "more than 8 files");
}

static void files(void **state) {
    (void)state;
    refuse_file("missing.yaml", "there is no file");
    refuse_file("", "is a directory");
    write_file("empty.yaml", "");
    refuse_file("empty.yaml", "empty");
    refuse_file("empty.yaml/x", "there is no file");
    write_file("name in file.yaml", "version: 1\nextends: base.yaml\nname: null\n");
    write_file("base.yaml", fixture);
    struct ddbsim_scenario *s = must_load("name in file.yaml");
    assert_string_equal(s->name, "name-in-file");
    ddbsim_scenario_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_values),
        cmocka_unit_test(sets_structures),
        cmocka_unit_test(messages_name_the_option_alone),
        cmocka_unit_test(set_names_nothing),
        cmocka_unit_test(variants),
        cmocka_unit_test(variants_are_tried),
        cmocka_unit_test(change_of_nothing),
        cmocka_unit_test(changes_add_up),
        cmocka_unit_test(changes_refused),
        cmocka_unit_test(extends_another),
        cmocka_unit_test(extends_nameless_lists),
        cmocka_unit_test(extends_scaling),
        cmocka_unit_test(extends_refused),
        cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
