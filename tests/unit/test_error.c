/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first failure wins; the printed form; texts that do not fit; broken invariants. */
#include <base/check.h>
#include <base/error.h>
#include <string.h>
#include <support/cmocka.h>
#include <support/dies.h>

static void the_first_failure_wins(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    assert_int_equal(error_set(&error, DDBSIM_INPUT, "%d tables", 2), DDBSIM_INPUT);
    error_hint(&error, "use %s", "one");
    error_place(&error, "a.yaml", 3, 7);
    error_path(&error, "tables.carts");
    assert_int_equal(error_memory(&error), DDBSIM_ENVIRONMENT);
    error_hint(&error, "another");
    error_place(&error, "b.yaml", 1, 1);
    error_path(&error, "tables.orders");
    assert_int_equal(error.status, DDBSIM_INPUT);
    assert_string_equal(error.message, "2 tables");
    assert_string_equal(error.hint, "use one");
    assert_string_equal(error.file, "a.yaml");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 7);
    assert_string_equal(error.path, "tables.carts");
}

static void nobody_has_to_listen(void **state) {
    (void)state;
    assert_int_equal(error_set(NULL, DDBSIM_UNMET, "unheard"), DDBSIM_UNMET);
    assert_int_equal(error_memory(NULL), DDBSIM_ENVIRONMENT);
    error_hint(NULL, "unheard");
    error_place(NULL, "a", 1, 1);
    error_path(NULL, "a");
}

static void assert_printed(const struct ddbsim_error *error, const char *expected) {
    char buffer[2048];
    assert_int_equal(ddbsim_error_format(error, buffer, sizeof buffer), strlen(expected));
    assert_string_equal(buffer, expected);
}

static void the_printed_form_names_what_is_known(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    error_memory(&error);
    assert_printed(&error, "out of memory");
    error = (struct ddbsim_error){0};
    error_set(&error, DDBSIM_INPUT, "unknown key");
    error_path(&error, "tables.carts.wuc");
    assert_printed(&error, "tables.carts.wuc: unknown key");
    error_hint(&error, "did you mean wcu?");
    error_place(&error, "x.yaml", 12, 0);
    assert_printed(&error, "x.yaml:12: tables.carts.wuc: unknown key (did you mean wcu?)");
    error.column = 5;
    assert_printed(&error, "x.yaml:12:5: tables.carts.wuc: unknown key (did you mean wcu?)");
    error.line = 0;
    assert_printed(&error, "x.yaml: tables.carts.wuc: unknown key (did you mean wcu?)");
}

static void a_short_buffer_is_filled_and_ended(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    error_set(&error, DDBSIM_INPUT, "unknown key");
    error_place(&error, "x.yaml", 12, 5);
    char buffer[10];
    memset(buffer, '#', sizeof buffer);
    assert_int_equal(ddbsim_error_format(&error, buffer, 9), strlen("x.yaml:12:5: unknown key"));
    assert_string_equal(buffer, "x.yaml:1");
    assert_int_equal(buffer[9], '#');
    assert_int_equal(ddbsim_error_format(&error, NULL, 0), strlen("x.yaml:12:5: unknown key"));
}

/* Two-, three- and four-byte characters, cut at each offset that a text of 255 bytes allows. */
static void a_cut_text_ends_with_a_whole_character(void **state) {
    (void)state;
    const char *characters[] = {"\xc3\xb1", "\xe2\x82\xac", "\xf0\x9f\x94\xa5"};
    for (size_t kind = 0; kind < 3; kind++) {
        size_t width = strlen(characters[kind]);
        for (size_t offset = 0; offset < width; offset++) {
            char text[600] = "";
            memset(text, 'a', offset);
            for (size_t i = offset; i + width < sizeof text; i += width)
                memcpy(text + i, characters[kind], width);
            struct ddbsim_error error = {0};
            error_path(&error, text);
            error_hint(&error, "%s", text);
            size_t whole = offset + (sizeof error.path - 1 - offset) / width * width;
            assert_int_equal(strlen(error.path), whole);
            assert_memory_equal(error.path, text, whole);
            assert_string_equal(error.hint, error.path);
        }
    }
}

static void break_an_invariant(void) { CHECK(1 + 1 == 3); }
static void set_no_failure(void) { (void)error_set(NULL, DDBSIM_OK, "fine"); }

static void broken_invariants_end_the_program(void **state) {
    (void)state;
    assert_dies(break_an_invariant);
    assert_dies(set_no_failure);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failure_wins),
        cmocka_unit_test(nobody_has_to_listen),
        cmocka_unit_test(the_printed_form_names_what_is_known),
        cmocka_unit_test(a_short_buffer_is_filled_and_ended),
        cmocka_unit_test(a_cut_text_ends_with_a_whole_character),
        cmocka_unit_test(broken_invariants_end_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
