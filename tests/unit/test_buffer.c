/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text made piece by piece is all its pieces; a failure sticks. */
#include <base/buffer.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

static void an_empty_buffer_is_an_empty_text(void **state) {
    struct buffer buffer = {0};
    (void)state;
    char *text = buffer_finish(&buffer);
    assert_string_equal(text, "");
    free(text);
}

static void pieces_join(void **state) {
    struct buffer buffer = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        buffer_put(&buffer, "ab");
        buffer_printf(&buffer, "%03d", i);
        buffer_add(&buffer, "cdef", 1);
    }
    assert_int_equal(buffer.length, 6000);
    char *text = buffer_finish(&buffer);
    assert_null(buffer.bytes);
    assert_int_equal(strlen(text), 6000);
    assert_memory_equal(text, "ab000cab001c", 12);
    assert_string_equal(text + 5994, "ab999c");
    free(text);
}

static void a_failure_sticks(void **state) {
    struct buffer buffer = {0};
    (void)state;
    buffer_put(&buffer, "before");
    buffer_add(&buffer, "x", SIZE_MAX - 10); /* no memory holds that: it is refused unread */
    assert_true(buffer.failed);
    buffer_put(&buffer, "after");
    assert_int_equal(buffer.length, 6);
    assert_null(buffer_finish(&buffer));
    assert_false(buffer.failed); /* as new */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(pieces_join),
        cmocka_unit_test(a_failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
