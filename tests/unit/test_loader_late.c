/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes that create or delete an index. */
#include "loader_fixture.h"

#define CREATE                                                                                \
    "{at: '15:00', table: carts, create_index: {name: lean, partition_key: 'STATE#{state}', " \
    "sort_key: '{time}', projection: KEYS_ONLY, read_capacity: 5, write_capacity: 40, "       \
    "entries: {cart: {present: 90%}}}}"

static struct ddbsim_scenario *load(const char *changes, const char *more) {
    const char *sets[] = {changes, more};
    return fixture_load(fixture, NULL, sets, more ? 2 : 1);
}

static void refuse(const char *changes, const char *wanted) {
    const char *sets[] = {changes};
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error;
    fixture_expect_refusal(fixture_parse(fixture, NULL, sets, 1, &scenario, &error), &error,
                           changes, wanted);
}

/* It is an index of its table from the start, which is not there yet; others keep their numbers. */
static void a_created_index_is_known_from_the_start(void **state) {
    (void)state;
    struct ddbsim_scenario *s =
        load("changes=[" CREATE ", {at: '16:00', table: carts, delete_index: by-state}]",
             "workloads.shop.mix.save.index_effect.lean={move: 50%}");
    assert_int_equal(s->tables[0].index_count, 2);
    assert_false(s->tables[0].indexes[0].comes_later);
    const struct ddbsim_index *lean = &s->tables[0].indexes[1];
    assert_true(lean->comes_later);
    assert_string_equal(lean->name, "lean");
    assert_int_equal(lean->write_capacity, 40);
    assert_int_equal(lean->entries[0].entry_bytes, 100);
    assert_false(lean->entries[1].in_index);
    assert_int_equal(s->workloads[0].operations[0].effects[1].move, 500000000);
    assert_int_equal(s->changes[0].kind, DDBSIM_CREATE_INDEX);
    assert_int_equal(s->changes[0].table, 0);
    assert_int_equal(s->changes[0].index, 1);
    assert_int_equal(s->changes[1].kind, DDBSIM_DELETE_INDEX);
    assert_int_equal(s->changes[1].index, 0);
    assert_string_equal(s->changes[0].name, "create_index lean");
    assert_string_equal(
        s->changes[1].detail,
        "{\"name\":\"delete_index by-state\",\"table\":\"carts\",\"delete_index\":\"by-state\"}");
    ddbsim_scenario_destroy(s);
}

/* In the settings it stands where it was written, with what was filled in. */
static void it_is_set_where_it_is_written(void **state) {
    (void)state;
    struct ddbsim_scenario *s =
        load("changes=[" CREATE "]", "changes.1.create_index.write_capacity=70");
    assert_int_equal(s->tables[0].indexes[1].write_capacity, 70);
    assert_string_equal(fixture_setting(s, "changes.1.create_index.name"), "lean");
    assert_string_equal(fixture_setting(s, "changes.1.create_index.entries.cart.entry_size"),
                        "100 B");
    assert_null(fixture_setting(s, "tables.carts.indexes.lean.write_capacity"));
    ddbsim_scenario_destroy(s);
}

/* A later change may set its capacity, an earlier one cannot. */
static void its_capacity_changes_once_it_is_there(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(
        "changes=[" CREATE ", {at: '15:30', set: {tables.carts.indexes.lean.write_capacity: 90}}]",
        NULL);
    assert_int_equal(s->changes[1].after->tables[0].indexes[1].write_capacity, 90);
    ddbsim_scenario_destroy(s);
    refuse("changes=[" CREATE
           ", {at: '14:30', set: {tables.carts.indexes.lean.write_capacity: 90}}]",
           "not there at that time");
    refuse("changes=[{at: '14:00', table: carts, delete_index: by-state}, "
           "{at: '14:30', set: {tables.carts.indexes.by-state.write_capacity: 90}}]",
           "not there at that time");
}

static void what_aws_does_not_do(void **state) {
    (void)state;
    refuse("changes=[{at: '15:00', table: carts, create_index: {name: l, type: LOCAL, sort_key: "
           "'{time}'}}]",
           "comes with its table and never later");
    refuse("changes=[{at: '15:00', table: carts, create_index: {name: by-state, partition_key: "
           "'S#{state}', read_capacity: 5, write_capacity: 5}}]",
           "has or had an index \"by-state\"");
    refuse("changes=[{at: '15:00', set: {tables.carts.indexes: []}}]",
           "create_index and delete_index");
    refuse("changes=[{at: '14:00', table: carts, delete_index: by-state}, "
           "{at: '15:00', table: carts, delete_index: by-state}]",
           "not there at that time");
    refuse("changes=[" CREATE ", {at: '14:00', table: carts, delete_index: lean}]",
           "not there at that time");
}

#define TO_ON_DEMAND "{at: '14:00', set: {tables.carts.billing_mode: PAY_PER_REQUEST}}"
#define PLAIN "{at: '15:00', table: carts, create_index: {name: lean, partition_key: 'S#{state}'}}"
#define BACK(more)                                                                             \
    "{at: '16:00', set: {tables.carts.billing_mode: PROVISIONED, tables.carts.read_capacity: " \
    "5, tables.carts.write_capacity: 5, tables.carts.indexes.by-state.read_capacity: 5, "      \
    "tables.carts.indexes.by-state.write_capacity: 5" more "}}"
#define LEAN_HAS \
    ", tables.carts.indexes.lean.read_capacity: 6, tables.carts.indexes.lean.write_capacity: 7"

/* Its table's mode when it comes says whether it has capacity, not the mode before or after. */
static void the_mode_at_its_time_counts(void **state) {
    (void)state;
    struct ddbsim_scenario *s =
        load("changes=[" TO_ON_DEMAND ", " PLAIN ", " BACK(LEAN_HAS) "]", NULL);
    assert_int_equal(s->changes[1].after->tables[0].indexes[1].write_capacity, 0);
    assert_int_equal(s->changes[2].after->tables[0].indexes[1].write_capacity, 7);
    ddbsim_scenario_destroy(s);
    refuse("changes=[" TO_ON_DEMAND ", " CREATE "]", "buy no capacity");
    refuse("changes=[" PLAIN "]", "\"read_capacity\" is missing");
    refuse("changes=[" TO_ON_DEMAND ", " PLAIN ", " BACK("") "]", "\"read_capacity\" is missing");
    refuse("changes=[" TO_ON_DEMAND ", {at: '15:00', table: carts, create_index: {name: lean, "
           "partition_key: 'S#{state}', auto_scaling: {write: {min_capacity: 5, max_capacity: "
           "40}}}}]",
           "buy no capacity");
    s = load("changes=[" TO_ON_DEMAND ", {at: '14:30', set: {tables.carts.billing_mode: "
             "PROVISIONED, tables.carts.read_capacity: 5, tables.carts.write_capacity: 5, "
             "tables.carts.indexes.by-state.read_capacity: 5, "
             "tables.carts.indexes.by-state.write_capacity: 5}}, " CREATE "]",
             NULL);
    assert_int_equal(s->changes[2].after->tables[0].indexes[1].write_capacity, 40);
    ddbsim_scenario_destroy(s);
    /* One that is gone needs none. */
    s = load("changes=[" TO_ON_DEMAND ", {at: '15:00', table: carts, delete_index: by-state}, "
             "{at: '16:00', set: {tables.carts.billing_mode: PROVISIONED, "
             "tables.carts.read_capacity: 5, tables.carts.write_capacity: 5}}]",
             NULL);
    ddbsim_scenario_destroy(s);
}

static void what_is_wrong(void **state) {
    (void)state;
    refuse("changes=[{at: '15:00'}]", "the change does nothing");
    refuse("changes=[{at: '15:00', table: carts}]", "the change does nothing");
    refuse("changes=[{at: '15:00', table: carts, set: {workloads.shop.scale: 2}}]",
           "table belongs to create_index and delete_index");
    refuse("changes=[{at: '15:00', delete_index: by-state}]", "\"table\" is missing");
    refuse("changes=[{at: '15:00', table: cars, delete_index: by-state}]", "no table \"cars\"");
    refuse("changes=[{at: '15:00', table: carts, delete_index: by-stat}]",
           "has no index \"by-stat\"");
    refuse("changes=[{at: '15:00', create_index: {name: x, partition_key: 'S#{state}'}}]",
           "\"table\" is missing");
    refuse("changes=[{at: '15:00', table: nowhere, create_index: {name: x, partition_key: "
           "'S#{state}'}}]",
           "no table \"nowhere\"");
    refuse("changes=[{at: '15:00', table: carts, create_index: {name: x, partition_key: "
           "'S#{state}'}}]",
           "read_capacity");
    refuse("changes=[{at: '15:00', table: carts, delete_index: by-state, set: "
           "{workloads.shop.scale: 2}}]",
           "exclude each other");
    refuse("tables.carts.indexes.lean.write_capacity=4", "names nothing");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_created_index_is_known_from_the_start),
        cmocka_unit_test(it_is_set_where_it_is_written),
        cmocka_unit_test(its_capacity_changes_once_it_is_there),
        cmocka_unit_test(what_aws_does_not_do),
        cmocka_unit_test(the_mode_at_its_time_counts),
        cmocka_unit_test(what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
