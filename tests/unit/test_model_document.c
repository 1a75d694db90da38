/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * docs/model.md's table of parameters against the table in the code: the same names, rules,
 * defaults, ranges and explanations, none missing, none too many.
 */
#include <ddbsim/assumptions.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static const struct {
    const char *name;
    int64_t value, low, high;
    const char *rule, *what;
} assumptions[] = {
#define X(field, name, kind, value, low, high, rule, what) {name, value, low, high, rule, what},
    DDBSIM_ASSUMPTIONS(X)
#undef X
};
#define ASSUMPTIONS (sizeof(assumptions) / sizeof(assumptions[0]))

enum { RULE, DEFAULT, LOWEST, HIGHEST, WHAT, CELLS };

static char *document;

static int load(void **state) {
    (void)state;
    FILE *file = fopen(SOURCE_ROOT "/docs/model.md", "rb");
    if (!file) return -1;
    document = calloc(1, 1 << 20);
    size_t length = document ? fread(document, 1, (1 << 20) - 1, file) : 0;
    fclose(file);
    return length > 0 ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    free(document);
    return 0;
}

/* The words of a choice end its explanation: "...: sum | max". -1 where the text is none of them. */
static int64_t choice(const char *text, const char *what) {
    const char *words = strrchr(what, ':');
    if (!words || !strchr(words, '|')) return -1;
    words += 2;
    for (int64_t number = 0; *words; number++) {
        size_t length = strcspn(words, " ");
        if (strlen(text) == length && strncmp(words, text, length) == 0) return number;
        words += length;
        words += strspn(words, " |");
    }
    return -1;
}

/* A cell as a scenario would write it, in the parameter's own unit. */
static int64_t parse(const char *text, const char *name, const char *what) {
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1}, {"ms", 1e6}, {"s", 1e9}, {"%", 1e7}, {" MB", 0x1p20}, {" GB", 0x1p30}};
    char *end;
    double number = strtod(text, &end);
    if (end == text && choice(text, what) >= 0) return choice(text, what);
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(end, units[i].unit) == 0) return llround(number * units[i].factor);
    fail_msg("%s: what is '%s'?", name, text);
    return 0;
}

/* The cells of `name`'s row; false where it has none. */
static int row(const char *name, char cells[CELLS][256]) {
    char start[128];
    snprintf(start, sizeof start, "\n| `%s` | ", name);
    const char *at = strstr(document, start);
    if (!at) return 0;
    at += strlen(start);
    for (int i = 0; i < CELLS; i++) {
        const char *end = strstr(at, " |");
        assert_non_null(end);
        snprintf(cells[i], sizeof cells[i], "%.*s", (int)(end - at), at);
        at = end + 3;
    }
    return 1;
}

static void every_assumption_is_documented(void **state) {
    (void)state;
    for (size_t i = 0; i < ASSUMPTIONS; i++) {
        char cells[CELLS][256];
        const char *name = assumptions[i].name;
        if (!row(name, cells)) fail_msg("docs/model.md has no row for %s", name);
        assert_string_equal(cells[RULE], assumptions[i].rule);
        assert_int_equal(parse(cells[DEFAULT], name, assumptions[i].what), assumptions[i].value);
        assert_int_equal(parse(cells[LOWEST], name, assumptions[i].what), assumptions[i].low);
        assert_int_equal(parse(cells[HIGHEST], name, assumptions[i].what), assumptions[i].high);
    }
}

static void no_row_is_left_over(void **state) {
    (void)state;
    size_t rows = 0;
    const char *section = strstr(document, "\n## Parameters"), *end = strstr(section + 1, "\n## ");
    for (const char *at = section; (at = strstr(at, "\n| `")) && at < end; at++)
        rows++;
    assert_int_equal(rows, ASSUMPTIONS);
}

static void every_assumption_names_its_rule(void **state) {
    (void)state;
    for (size_t i = 0; i < ASSUMPTIONS; i++) {
        char heading[64], mention[128];
        snprintf(heading, sizeof heading, "\n### %s ", assumptions[i].rule);
        snprintf(mention, sizeof mention, "`%s`", assumptions[i].name);
        const char *rule = strstr(document, heading);
        if (!rule) fail_msg("docs/model.md has no rule %s", assumptions[i].rule);
        const char *next = strstr(rule + 1, "\n##");
        const char *named = strstr(rule, mention);
        if (!named || (next && named > next))
            fail_msg("%s does not name its parameter %s", assumptions[i].rule, assumptions[i].name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_assumption_is_documented),
        cmocka_unit_test(no_row_is_left_over),
        cmocka_unit_test(every_assumption_names_its_rule),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
