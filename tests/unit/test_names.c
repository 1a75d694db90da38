/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of words: complete, without duplicates, consistent with each other and with AWS's
 * grammar. */
#include <ddbsim/ddbsim.h>
#include <string.h>
#include <support/cmocka.h>

struct list {
    const char *(*name)(int);
    int kinds;
};

static const struct list lists[] = {
    {ddbsim_operation_name, DDBSIM_OPERATION_KINDS}, {ddbsim_reason_name, DDBSIM_REASON_KINDS},
    {ddbsim_metric_name, DDBSIM_METRIC_KINDS},       {ddbsim_metric_unit, DDBSIM_METRIC_KINDS},
    {ddbsim_metric_what, DDBSIM_METRIC_KINDS},       {ddbsim_outcome_name, DDBSIM_OUTCOME_KINDS},
    {ddbsim_outcome_unit, DDBSIM_OUTCOME_KINDS},     {ddbsim_outcome_what, DDBSIM_OUTCOME_KINDS},
    {ddbsim_cause_name, DDBSIM_CAUSE_KINDS},         {ddbsim_cause_what, DDBSIM_CAUSE_KINDS},
    {ddbsim_event_name, DDBSIM_EVENT_KINDS},         {ddbsim_event_what, DDBSIM_EVENT_KINDS},
};

static void each_list_has_its_length(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        assert_null(lists[i].name(-1));
        assert_null(lists[i].name(lists[i].kinds));
        for (int kind = 0; kind < lists[i].kinds; kind++)
            assert_true(strlen(lists[i].name(kind)) > 0);
    }
}

static void a_name_finds_its_number(void **state) {
    (void)state;
    const struct list names[] = {lists[0], lists[1], lists[2], lists[5], lists[8], lists[10]};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        for (int kind = 0; kind < names[i].kinds; kind++) /* fails on a duplicate too */
            assert_int_equal(ddbsim_name_find(names[i].name, names[i].name(kind)), kind);
        assert_int_equal(ddbsim_name_find(names[i].name, "NoSuchName"), -1);
        assert_int_equal(ddbsim_name_find(names[i].name, ""), -1);
    }
}

/* {Table|Index}{Read|Write}{limit}Exceeded: the flags must say what the name says. */
static void a_reason_is_what_its_name_says(void **state) {
    (void)state;
    assert_int_equal(DDBSIM_REASON_KINDS, 16);
    for (int i = 0; i < DDBSIM_REASON_KINDS; i++) {
        const char *name = ddbsim_reason_name(i);
        const char *rest = name + strlen("Table");
        assert_int_equal(strncmp(name, "Index", 5) == 0, ddbsim_reason_is_index(i));
        assert_int_equal(strncmp(name, "Table", 5) == 0, !ddbsim_reason_is_index(i));
        assert_int_equal(strncmp(rest, "Write", 5) == 0, ddbsim_reason_is_write(i));
        assert_int_equal(strncmp(rest, "Read", 4) == 0, !ddbsim_reason_is_write(i));
        assert_string_equal(name + strlen(name) - strlen("Exceeded"), "Exceeded");
    }
    assert_false(ddbsim_reason_is_index(DDBSIM_REASON_KINDS));
    assert_false(ddbsim_reason_is_write(-1));
}

static void operations_write_or_read(void **state) {
    (void)state;
    assert_string_equal(ddbsim_operation_name(DDBSIM_GET_ITEM), "GetItem");
    assert_false(ddbsim_operation_is_write(DDBSIM_GET_ITEM));
    assert_true(ddbsim_operation_is_write(DDBSIM_PUT_ITEM));
    assert_true(ddbsim_operation_is_write(DDBSIM_UPDATE_ITEM));
    assert_true(ddbsim_operation_is_write(DDBSIM_DELETE_ITEM));
    assert_false(ddbsim_operation_is_write(DDBSIM_OPERATION_KINDS));
}

static void the_version_is_the_headers(void **state) {
    (void)state;
    assert_string_equal(ddbsim_version(), DDBSIM_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_list_has_its_length),
        cmocka_unit_test(a_name_finds_its_number),
        cmocka_unit_test(a_reason_is_what_its_name_says),
        cmocka_unit_test(operations_write_or_read),
        cmocka_unit_test(the_version_is_the_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
