/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON taken apart: what comes out, whatever the size of the chunks in which it comes in. */
#include <support/cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/pieces.h>

struct feeding {
    const char *text;
    size_t length, at, step;
};

static enum ddbsim_status feed(void *context, char *bytes, size_t size, size_t *got,
                               struct ddbsim_error *error) {
    struct feeding *feeding = context;
    (void)error;
    size_t left = feeding->length - feeding->at;
    *got = left < feeding->step ? left : feeding->step;
    if (*got > size) *got = size;
    memcpy(bytes, feeding->text + feeding->at, *got);
    feeding->at += *got;
    return DDBSIM_OK;
}

static const char *const names[] = {"Records", NULL};

/* "LINE:JSON" a piece, envelopes in parentheses, failures as "LINE!". */
static void take_apart(const char *text, size_t length, size_t step, char *out, size_t size) {
    struct feeding feeding = {.text = text, .length = length, .step = step};
    struct pieces pieces;
    struct piece piece;
    bool more = true;
    assert_int_equal(pieces_init(&pieces, feed, &feeding, "f.json", names, NULL), DDBSIM_OK);
    *out = '\0';
    while (more) {
        struct ddbsim_error error = {0};
        enum ddbsim_status status = pieces_next(&pieces, &piece, &more, &error);
        char *used = out + strlen(out);
        size_t left = size - strlen(out);
        if (status) {
            assert_int_equal(status, DDBSIM_INPUT);
            assert_string_equal(error.file, "f.json");
            snprintf(used, left, "%d! ", error.line);
        } else if (more) {
            char *json = json_dumps(piece.json, JSON_COMPACT);
            snprintf(used, left, piece.is_envelope ? "%d:(%s) " : "%d:%s ", (int)piece.line, json);
            free(json);
        }
    }
    pieces_free(&pieces);
}

static void apart_as(const char *text, const char *expected) {
    char out[4096];
    for (size_t step = 1; step < 9; step++) {
        take_apart(text, strlen(text), step, out, sizeof out);
        assert_string_equal(out, expected);
    }
}

static void documents_one_after_the_other(void **state) {
    (void)state;
    apart_as("", "");
    apart_as(" \n\t\r\n ", "");
    apart_as("{\"a\":1}\n{\"a\":2}\n", "1:{\"a\":1} 2:{\"a\":2} ");
    apart_as("{\"a\":1}\r\n\r\n{\"a\":2}", "1:{\"a\":1} 3:{\"a\":2} ");
    apart_as("{\n \"a\":\n 1}  {\"a\":2}", "1:{\"a\":1} 3:{\"a\":2} ");
    apart_as("\xef\xbb\xbf{\"a\":1}", "1:{\"a\":1} ");
}

static void lists_are_taken_apart(void **state) {
    (void)state;
    apart_as("[]", "");
    apart_as("[{\"a\":1},\n{\"a\":2}]", "1:{\"a\":1} 2:{\"a\":2} ");
    apart_as("{\"Records\": [{\"a\":1},\n{\"a\":{\"Records\":[1]}}],\n\"x\":3}",
             "1:{\"a\":1} 2:{\"a\":{\"Records\":[1]}} 1:({\"Records\":[],\"x\":3}) ");
    apart_as("{\"x\" : [1], \"Records\" :\n[ {\"a\":1} ] } {\"b\":2}",
             "2:{\"a\":1} 1:({\"x\":[1],\"Records\":[]}) 2:{\"b\":2} ");
}

/* Names inside texts, values that are called so, lists further inside: none of them is the list. */
static void what_only_looks_like_the_list(void **state) {
    (void)state;
    apart_as("{\"a\":\"Records\",\"b\":[1]}", "1:{\"a\":\"Records\",\"b\":[1]} ");
    apart_as("{\"a\":{\"Records\":[1]}}", "1:{\"a\":{\"Records\":[1]}} ");
    apart_as("{\"a\":\"\\\"Records\\\":[\"}", "1:{\"a\":\"\\\"Records\\\":[\"} ");
    apart_as("{\"Records\":{\"a\":[1]}}", "1:{\"Records\":{\"a\":[1]}} ");
    apart_as("{\"a\\\\\":\"}\"}", "1:{\"a\\\\\":\"}\"} ");
}

static void what_is_wrong_has_its_line(void **state) {
    (void)state;
    apart_as("hello\n{\"a\":1}\n", "1! 2:{\"a\":1} ");
    apart_as("{\"a\":1}\n{\"a\" 1}\n{\"a\":3}", "1:{\"a\":1} 2! 3:{\"a\":3} ");
    apart_as("{\"a\":1}\n{\"a\":1,\n\"a\":2}", "1:{\"a\":1} 3! ");
    apart_as("{\"a\":1}\n{\"b\":", "1:{\"a\":1} 2! ");
    apart_as("[{\"a\":1} {\"a\":2}\n,{\"a\":3}]", "1:{\"a\":1} 1! 2:{\"a\":3} ");
    apart_as("[{\"a\":1},\n]", "1:{\"a\":1} 2! ");
    apart_as("[{\"a\":1}, 7\n]", "1:{\"a\":1} 1! 2! ");
    apart_as("[{\"a\":1}", "1:{\"a\":1} 1! ");
    apart_as("{\"Records\":[{\"a\":1}", "1:{\"a\":1} 1! ");
    apart_as("{\"Records\":[{\"a\":1}], \"x\"}", "1:{\"a\":1} 1! ");
    apart_as("{\"a\":\"\xff\"}\n{\"a\":2}", "1! 2:{\"a\":2} ");
}

/* What is too long or too deep is read to its end, and the next piece is there. */
static void bounds(void **state) {
    (void)state;
    char out[256];
    size_t length = PIECES_BYTES_MAX + 100;
    char *text = malloc(length + 32);
    assert_non_null(text);
    memset(text, ' ', length);
    text[0] = '{';
    text[length - 1] = '}';
    strcpy(text + length, "\n{\"a\":2}");
    take_apart(text, length + 8, PIECES_CHUNK, out, sizeof out);
    assert_string_equal(out, "1! 2:{\"a\":2} ");
    memset(text, '[', 2000);
    memcpy(text, "{\"a\":", 5);
    memset(text + 2000, ']', 1995);
    strcpy(text + 3995, "}\n{\"a\":2}");
    take_apart(text, strlen(text), PIECES_CHUNK, out, sizeof out);
    assert_string_equal(out, "1! 2:{\"a\":2} ");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_one_after_the_other),
        cmocka_unit_test(lists_are_taken_apart),
        cmocka_unit_test(what_only_looks_like_the_list),
        cmocka_unit_test(what_is_wrong_has_its_line),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
