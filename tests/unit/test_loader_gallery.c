/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ships: every gallery scenario with all of its variants, the reference in docs/scenario.md,
 * the schema, and the resolved settings, which must mean the same scenario again. */
#include "unit/loader_fixture.h"

#include <jansson.h>
#include <dirent.h>
#include <loader/grammar.h>
#include <loader/loader.h>
#include <stdlib.h>

static struct ddbsim_scenario *load(const char *file, const char *variant) {
    struct ddbsim_load_options options = {.variant = variant};
    struct ddbsim_scenario *s = NULL;
    struct ddbsim_error error = {0};
    if (ddbsim_scenario_load(file, &options, &s, &error)) {
        char message[2048];
        ddbsim_error_format(&error, message, sizeof message);
        fail_msg("%s", message);
    }
    return s;
}

/* ---- settings ---- */

/* PATH=VALUE as --set wants it: a text that YAML would read as something else in quotes. */
static char *as_set(const struct ddbsim_setting *setting) {
    bool list =
        strchr("[{", setting->value[0]) && strchr("]}", setting->value[strlen(setting->value) - 1]);
    bool key = strstr(setting->path, "_key") || strstr(setting->path, "title");
    const char *quote = list && !key ? "" : "'";
    size_t size = strlen(setting->path) + 2 * strlen(setting->value) + 8;
    char *text = malloc(size);
    assert_non_null(text);
    char *to = text + snprintf(text, size, "%s=%s", setting->path, quote);
    for (const char *c = setting->value; *c; c++) {
        if (*c == '\'' && *quote) *to++ = '\''; /* YAML's way of writing one inside quotes */
        *to++ = *c;
    }
    snprintf(to, 2, "%s", quote);
    return text;
}

static void assert_same_settings(const struct ddbsim_scenario *a, const struct ddbsim_scenario *b) {
    assert_int_equal(a->setting_count, b->setting_count);
    for (uint32_t i = 0; i < a->setting_count; i++) {
        assert_string_equal(a->settings[i].path, b->settings[i].path);
        assert_string_equal(a->settings[i].value, b->settings[i].value);
    }
}

/* Setting every resolved value again changes nothing. */
static void assert_round_trip(const char *text, const struct ddbsim_scenario *s) {
    const char **sets = calloc(s->setting_count, sizeof *sets);
    assert_non_null(sets);
    for (uint32_t i = 0; i < s->setting_count; i++) {
        if (i) assert_true(strcmp(s->settings[i - 1].path, s->settings[i].path) < 0);
        sets[i] = as_set(&s->settings[i]);
    }
    /* What an option names is seen from the working directory, what a scenario names from its own: it keeps its file. */
    for (uint32_t i = 0; i < s->setting_count; i++) {
        if (!strstr(s->settings[i].path, ".replay.file")) continue;
        free((char *)(uintptr_t)sets[i]);
        char seed[64];
        (void)snprintf(seed, sizeof seed, "seed=%llu", (unsigned long long)s->seed);
        sets[i] = strdup(seed);
    }
    /* From where it was: what it names lies there. */
    struct ddbsim_load_options options = {
        .variant = s->variant, .sets = sets, .set_count = s->setting_count};
    struct ddbsim_scenario *again = NULL;
    struct ddbsim_error error = {0};
    if (ddbsim_scenario_parse(text, strlen(text), s->place, &options, &again, &error) != DDBSIM_OK)
        fail_msg("%s: %s", error.path, error.message);
    assert_same_settings(s, again);
    ddbsim_scenario_destroy(again);
    for (uint32_t i = 0; i < s->setting_count; i++)
        free((char *)(uintptr_t)sets[i]);
    free((void *)(uintptr_t)sets);
}

static void settings_mean_the_same(void **state) {
    (void)state;
    static const char *const variants[] = {NULL, "big index", "calm"};
    for (size_t i = 0; i < COUNT(variants); i++) {
        struct ddbsim_scenario *s = fixture_load(fixture, variants[i], NULL, 0);
        assert_true(s->setting_count > 80);
        assert_round_trip(fixture, s);
        ddbsim_scenario_destroy(s);
    }
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, NULL, 0);
    assert_string_equal(fixture_setting(s, "tables.\"plain.table\".write_capacity"), "10");
    assert_string_equal(fixture_setting(s, "workloads.writer.start_time"), "+1h");
    assert_string_equal(fixture_setting(s, "changes.grow.set.\"workloads.shop.mix.save.size\""),
                        "20 KB");
    ddbsim_scenario_destroy(s);
}

/* ---- the gallery ---- */

static void check_scenario(const char *path) {
    struct ddbsim_scenario *base = load(path, NULL);
    assert_non_null(base->title_es);
    assert_true(base->expect_count > 0);
    assert_int_equal(base->text[0], '#'); /* opens with words for a newcomer */
    if (!strstr(base->text, "\nextends:")) assert_round_trip(base->text, base);
    for (uint32_t i = 0; i < base->variant_count; i++) {
        struct ddbsim_scenario *variant = load(path, base->variants[i]);
        assert_true(variant->varied_count > 0);
        assert_true(variant->expect_count > 0);
        ddbsim_scenario_destroy(variant);
    }
    ddbsim_scenario_destroy(base);
}

static void gallery_loads(void **state) {
    (void)state;
    DIR *folder = opendir(SOURCE_ROOT "/scenarios");
    assert_non_null(folder);
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[4096];
        if (!strstr(entry->d_name, ".yaml")) continue;
        snprintf(path, sizeof path, "%s/scenarios/%s", SOURCE_ROOT, entry->d_name);
        check_scenario(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= 4);
}

static void friday(void **state) {
    (void)state;
    struct ddbsim_scenario *s = load(SOURCE_ROOT "/scenarios/friday-1820.yaml", NULL);
    assert_int_equal(s->start_unix_s, 1790316000);
    assert_int_equal(s->tables[0].entities[0].item_bytes, 3072);
    assert_int_equal(s->changes[0].at_ns, INT64_C(5400) * 1000000000);
    assert_int_equal(s->changes[0].after->workloads[0].operations[0].item_bytes, 11264);
    assert_int_equal(s->expect[0].kind, DDBSIM_CONDITION_EVENT_FIRST);
    assert_true(s->expect[0].low == 36900);
    ddbsim_scenario_destroy(s);
    s = load(SOURCE_ROOT "/scenarios/friday-1820.yaml", "history in items of its own");
    assert_int_equal(s->change_count, 0);
    assert_true(s->workloads[0].sequence);
    assert_int_equal(s->workloads[0].operations[1].kind, DDBSIM_PUT_ITEM);
    assert_int_equal(s->workloads[0].operations[1].effects[0].untouched, DDBSIM_SHARE_ONE);
    ddbsim_scenario_destroy(s);
    s = load(SOURCE_ROOT "/scenarios/friday-1820-first-attempts.yaml", NULL);
    assert_int_equal(s->change_count, 0);
    assert_int_equal(s->workloads[0].client.max_attempts, 1);
    assert_int_equal(s->workloads[0].operations[0].item_bytes, 11264);
    assert_int_equal(s->workloads[0].operations[0].effects[0].move, 610000000);
    ddbsim_scenario_destroy(s);
}

/* ---- documents ---- */

static char *read_whole(const char *path) {
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    size_t length = fread(text, 1, (1 << 20) - 1, in);
    assert_true(length > 0);
    fclose(in);
    return text;
}

static char *printed(void (*print)(FILE *)) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    print(out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void reference_is_current(void **state) {
    (void)state;
    static const char opening[] = "<!-- reference: made by the loader's table -->\n";
    char *document = read_whole(SOURCE_ROOT "/docs/scenario.md");
    char *reference = printed(loader_print_reference);
    char *begin = strstr(document, opening), *end = strstr(document, "<!-- end of reference -->");
    assert_non_null(begin);
    assert_non_null(end);
    *end = '\0';
    assert_string_equal(begin + strlen(opening), reference);
    free(document);
    free(reference);
}

/* The schema is JSON, every section that it refers to exists, and it knows the keys of the table.
 */
static void schema_is_whole(void **state) {
    (void)state;
    char *text = printed(loader_print_schema);
    json_error_t error;
    json_t *schema = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!schema) fail_msg("line %d: %s", error.line, error.text);
    const json_t *sections = json_object_get(schema, "$defs");
    assert_int_equal(json_object_size(sections), SECTION_KINDS - 2);
    for (size_t i = 0; grammar_key(i); i++) {
        const struct grammar_key *key = grammar_key(i);
        char number[16];
        snprintf(number, sizeof number, "%d", (int)key->section);
        const json_t *section =
            key->section == SECTION_SCENARIO ? schema : json_object_get(sections, number);
        const json_t *property = json_object_get(json_object_get(section, "properties"), key->key);
        if (key->type == TYPE_LATER)
            assert_null(property);
        else
            assert_non_null(property);
    }
    json_decref(schema);
    free(text);
}

static void assumptions(void **state) {
    (void)state;
    struct loader_assumption a;
    assert_true(loader_assumption(0, &a));
    assert_string_equal(a.name, "partition_write_limit");
    assert_string_equal(a.value, "1000");
    assert_string_equal(a.rule, "M-20");
    bool choice = false, duration = false;
    for (int i = 0; loader_assumption(i, &a); i++) {
        if (!strcmp(a.name, "initial_rule"))
            choice = !strcmp(a.value, "sum") && !strcmp(a.high, "max");
        if (!strcmp(a.name, "update_delay"))
            duration = !strcmp(a.value, "1m") && !strcmp(a.high, "5m");
    }
    assert_true(choice);
    assert_true(duration);
    assert_false(loader_assumption(-1, &a));
    assert_false(loader_assumption(1000, &a));
}

static void seeds(void **state) {
    (void)state;
    uint64_t first, last;
    struct ddbsim_error error = {0};
    assert_int_equal(loader_seeds("1..10", &first, &last, &error), DDBSIM_OK);
    assert_int_equal(first, 1);
    assert_int_equal(last, 10);
    assert_int_equal(loader_seeds("7", &first, &last, &error), DDBSIM_OK);
    assert_int_equal(first, 7);
    assert_int_equal(last, 7);
    static const char *const bad[] = {"", "10..1", "1..", "a..b", "1...3", "-1..3", "1..2..3"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        memset(&error, 0, sizeof error);
        fixture_expect_refusal(loader_seeds(bad[i], &first, &last, &error), &error, bad[i], "");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_mean_the_same),
        cmocka_unit_test(gallery_loads),
        cmocka_unit_test(friday),
        cmocka_unit_test(reference_is_current),
        cmocka_unit_test(schema_is_whole),
        cmocka_unit_test(assumptions),
        cmocka_unit_test(seeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
