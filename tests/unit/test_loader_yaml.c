/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain part of YAML: what is read, what is refused, and where a mistake is said to be. */
#include "unit/loader_fixture.h"

#include <loader/path.h>
#include <loader/yaml_tree.h>
#include <stdlib.h>

struct place {
    const char *text;
    int line, column;
    const char *wanted;
};

static void refused_with_place(void **state) {
    (void)state;
    static const struct place cases[] = {
        {"a: 1\nb: 2\na: 3\n", 3, 1, "twice"},
        {"a: {x: 1, x: 2}\n", 1, 11, "twice"},
        {"a: &anchor 1\n", 1, 4, "anchors"},
        {"a: &anchor {b: 1}\n", 1, 4, "anchors"},
        {"a: !!str 1\n", 1, 4, "tags"},
        {"a: !mine [1]\n", 1, 4, "tags"},
        {"a: 1\nb: *a\n", 2, 4, "aliases"},
        {"a: 1\n---\nb: 2\n", 2, 1, "second document"},
        {"%YAML 1.1\n---\na: 1\n", 1, 1, "directives"},
        {"a: 1\n? [x]\n: 2\n", 2, 3, "cannot be a key"},
        {"a: \"x\\0y\"\n", 1, 4, "control character"},
        {"a: \"x\\x07y\"\n", 1, 4, "control character"},
        {"a: 1\nb: \xff\n", 2, 4, "UTF-8"},
        {"a: \xc0\xaf\n", 1, 4, "UTF-8"},
        {"a: \xed\xa0\x80\n", 1, 4, "UTF-8"},
        {"a: \xf4\x90\x80\x80\n", 1, 4, "UTF-8"},
        {"a: \xe2\x82", 1, 4, "UTF-8"},
        {"a: [1, 2\n", 2, 1, "no YAML"},
        {"a:\n\tb: 1\n", 2, 1, "no YAML"},
        {"a: @b\n", 1, 4, "no YAML"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct arena *arena = arena_create(0);
        struct yaml_node *root = NULL;
        struct ddbsim_error error = {0};
        enum ddbsim_status status =
            yaml_parse(arena, cases[i].text, strlen(cases[i].text), "x.yaml", &root, &error);
        fixture_expect_refusal(status, &error, cases[i].text, cases[i].wanted);
        assert_string_equal(error.file, "x.yaml");
        if (error.line != cases[i].line || error.column != cases[i].column)
            fail_msg("%s: said to be at %d:%d", cases[i].text, error.line, error.column);
        arena_destroy(arena);
    }
}

static void nul_byte(void **state) {
    (void)state;
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    enum ddbsim_status status =
        ddbsim_scenario_parse("a: 1\nb\0: 2\n", 11, "x.yaml", NULL, &scenario, &error);
    fixture_expect_refusal(status, &error, "NUL", "NUL byte");
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 2);
}

static void no_scenario(void **state) {
    (void)state;
    fixture_refuse("", "empty");
    fixture_refuse("# only a comment\n", "empty");
    fixture_refuse("just text\n", "mapping");
    fixture_refuse("- a\n- b\n", "mapping");
    fixture_refuse("null\n", "mapping");
}

static void depth_and_size(void **state) {
    (void)state;
    char deep[256] = "a: ";
    for (int i = 0; i < 40; i++)
        strcat(deep, "[");
    fixture_refuse(deep, "32 deep");
    struct ddbsim_scenario *scenario = NULL;
    struct ddbsim_error error = {0};
    size_t length = YAML_BYTES_MAX + 1;
    char *large = malloc(length);
    assert_non_null(large);
    memset(large, '#', length);
    enum ddbsim_status status =
        ddbsim_scenario_parse(large, length, "x.yaml", NULL, &scenario, &error);
    fixture_expect_refusal(status, &error, "large", "1 MiB");
    memset(large, '[', length); /* deep and large: must stop early */
    memset(&error, 0, sizeof error);
    status = ddbsim_scenario_parse(large, length - 1, "x.yaml", NULL, &scenario, &error);
    fixture_expect_refusal(status, &error, "deep", "32 deep");
    free(large);
}

/* What differs only in line ends, a mark of UTF-8 or a final line is the same scenario. */
static void line_ends(void **state) {
    (void)state;
    char text[2 * sizeof fixture + 8] = "\xef\xbb\xbf";
    size_t length = 3;
    for (const char *at = fixture; *at; at++) {
        if (*at == '\n') text[length++] = '\r';
        text[length++] = *at;
    }
    text[length] = '\0';
    struct ddbsim_scenario *windows = fixture_load(text, NULL, NULL, 0);
    struct ddbsim_scenario *unix_ends = fixture_load(fixture, NULL, NULL, 0);
    assert_int_equal(windows->setting_count, unix_ends->setting_count);
    for (uint32_t i = 0; i < windows->setting_count; i++)
        assert_string_equal(windows->settings[i].value, unix_ends->settings[i].value);
    ddbsim_scenario_destroy(windows);
    ddbsim_scenario_destroy(unix_ends);
}

/* One line of flow YAML reads back as the same tree. */
static void flow(void **state) {
    (void)state;
    static const char *const texts[] = {
        "{a: 1, b: [x, \"y: z\", \"\"], c: {d: null}, e: \"null\"}",
        "[\"a,b\", \"#x\", \"x #y\", -1, \"- x\", \"{t}\", \"q\\\"q\", \"l\\nm\", \"tab\\t\", a#b]",
        "{\"a: b\": 1, \"\": 2, \"*\": 3, \"a\\\\b\": c\\d}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct arena *arena = arena_create(0);
        struct yaml_node *root = NULL, *again = NULL;
        struct ddbsim_error error = {0};
        assert_int_equal(yaml_parse(arena, texts[i], strlen(texts[i]), "x", &root, &error), 0);
        const char *text = yaml_flow(arena, root);
        assert_int_equal(yaml_parse(arena, text, strlen(text), "x", &again, &error), 0);
        assert_string_equal(yaml_flow(arena, again), text);
        assert_int_equal(again->count, root->count);
        arena_destroy(arena);
    }
}

static void edits(void **state) {
    (void)state;
    struct arena *arena = arena_create(0);
    struct yaml_node *root = NULL;
    struct ddbsim_error error = {0};
    const char *text = "{a: 1, b: 2, c: 3}";
    assert_int_equal(yaml_parse(arena, text, strlen(text), "x", &root, &error), 0);
    struct yaml_node *copy = yaml_copy(arena, root);
    yaml_remove(root, yaml_child(root, "b"));
    yaml_remove(root, yaml_child(root, "c"));
    yaml_replace(root, yaml_child(root, "a"), yaml_copy(arena, yaml_child(copy, "c")));
    yaml_append(root, yaml_copy(arena, yaml_child(copy, "b")));
    assert_string_equal(yaml_flow(arena, root), "{a: 3, b: 2}");
    assert_string_equal(yaml_flow(arena, copy), text);
    assert_int_equal(root->count, 2);
    arena_destroy(arena);
}

static void paths(void **state) {
    (void)state;
    struct arena *arena = arena_create(0);
    struct ddbsim_error error = {0};
    struct path path;
    assert_int_equal(path_parse(arena, "tables.\"a.b\".indexes.*.\"*\".x", &path, &error), 0);
    assert_int_equal(path.count, 6);
    assert_string_equal(path.segments[1].name, "a.b");
    assert_true(path.segments[3].all);
    assert_false(path.segments[4].all);
    static const char *const names[] = {"plain", "a.b", "*",   "q\"q", "back\\slash",
                                        "",      "a b", "x=y", "\\\"", "ñ"};
    for (size_t i = 0; i < COUNT(names); i++) {
        if (!*names[i]) continue;
        const char *joined = path_join(arena, "a", names[i]);
        assert_int_equal(path_parse(arena, joined, &path, &error), 0);
        assert_int_equal(path.count, 2);
        assert_string_equal(path.segments[1].name, names[i]);
        assert_false(path.segments[1].all);
    }
    static const char *const bad[] = {"",     ".",      "a.",
                                      "a..b", "\"a",    "a\"b",
                                      "\"\"", "\"a\"b", "a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        memset(&error, 0, sizeof error);
        fixture_expect_refusal(path_parse(arena, bad[i], &path, &error), &error, bad[i], "path");
    }
    assert_string_equal(path_equals("a.\"x=y\".b=1=2"), "=1=2");
    assert_null(path_equals("a.b"));
    arena_destroy(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refused_with_place),
        cmocka_unit_test(nul_byte),
        cmocka_unit_test(no_scenario),
        cmocka_unit_test(depth_and_size),
        cmocka_unit_test(line_ends),
        cmocka_unit_test(flow),
        cmocka_unit_test(edits),
        cmocka_unit_test(paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
