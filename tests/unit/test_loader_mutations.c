/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A property: whatever is done to a scenario's text, it loads, or is refused as the user's mistake
 * with a message. Mutations are drawn from a fixed seed: bytes, cuts, copies, and words of the
 * grammar and values of its kinds put where they do not belong.
 */
#include "unit/loader_fixture.h"

#include <base/rng.h>
#include <loader/grammar.h>

#define ROUNDS 4000
#define LONGEST 8192

static const char *const values[] = {"null",
                                     "[]",
                                     "{}",
                                     "-1",
                                     "0",
                                     "1e9",
                                     "nan",
                                     "99999999999999999999",
                                     "5m",
                                     "61%",
                                     "8/s",
                                     "3 KB",
                                     "*x",
                                     "&x 1",
                                     "!t",
                                     "\"",
                                     "'",
                                     "{a: [b",
                                     "true",
                                     "auto",
                                     "18:20",
                                     "+2h",
                                     "..",
                                     "1..2",
                                     "{n}",
                                     "\"{user}{state}\"",
                                     "carts",
                                     "\xff",
                                     "\t",
                                     "\r\n",
                                     "- - -",
                                     "? x",
                                     "|\n x",
                                     "%",
                                     "#",
                                     "shop",
                                     "[{name: shop, move: true}]",
                                     "{name: save}",
                                     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                                     "~"};

static size_t keys_of_grammar(void) {
    size_t count = 0;
    while (grammar_key(count))
        count++;
    return count;
}

static void insert(char *text, size_t at, const char *piece) {
    size_t length = strlen(text), more = strlen(piece);
    if (length + more >= LONGEST) return;
    memmove(text + at + more, text + at, length - at + 1);
    memcpy(text + at, piece, more);
}

static void cut(char *text, size_t at, size_t count) {
    size_t length = strlen(text);
    if (at + count > length) count = length - at;
    memmove(text + at, text + at + count, length - at - count + 1);
}

/* One letter or digit for another: the text stays YAML, names and numbers change. */
static void change_letter(struct rng *rng, char *text, size_t at) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    at += strcspn(text + at, letters);
    if (text[at]) text[at] = letters[draw_below(rng_next(rng), sizeof letters - 1)];
}

/* Replaces what follows the next colon by a value. */
static void replace_value(char *text, size_t at, const char *value) {
    const char *colon = strchr(text + at, ':');
    if (!colon) return;
    size_t from = (size_t)(colon - text) + 1;
    cut(text, from, strcspn(text + from, ",}\n"));
    insert(text, from, value);
    insert(text, from, " ");
}

static void mutate(struct rng *rng, char *text) {
    size_t length = strlen(text);
    size_t at = draw_below(rng_next(rng), length + 1);
    const char *value = values[draw_below(rng_next(rng), COUNT(values))];
    bool any = draw_below(rng_next(rng), 8) == 0; /* else printable */
    uint64_t drawn = any ? 1 + draw_below(rng_next(rng), 255) : 32 + draw_below(rng_next(rng), 95);
    char byte[2] = {(char)drawn, '\0'}, piece[128];
    switch (draw_below(rng_next(rng), 12)) {
    case 0:
        insert(text, at, byte);
        break;
    case 1:
        cut(text, at, 1 + draw_below(rng_next(rng), 12));
        break;
    case 2:
        replace_value(text, at, value);
        break;
    case 3:
        insert(text, at, value);
        break;
    case 4:
        text[at] = at < length ? byte[0] : '\0';
        break;
    case 5:
        snprintf(piece, sizeof piece, "\n  %s: %s\n",
                 grammar_key(draw_below(rng_next(rng), keys_of_grammar()))->key, value);
        insert(text, at, piece);
        break;
    case 6:
    case 7:
    case 8:
        change_letter(rng, text, at);
        break;
    case 9:
    case 10:
        replace_value(text, at, value);
        break;
    default:
        snprintf(piece, sizeof piece, "%.*s", (int)draw_below(rng_next(rng), 100), text + at);
        insert(text, draw_below(rng_next(rng), length + 1), piece);
        break;
    }
}

static void check(const char *text, const char *variant, const char *const *sets, size_t count,
                  uint32_t *loaded) {
    struct ddbsim_scenario *s;
    struct ddbsim_error error;
    enum ddbsim_status status = fixture_parse(text, variant, sets, count, &s, &error);
    if (!status) {
        assert_non_null(s);
        assert_true(s->table_count > 0 && s->workload_count > 0);
        ddbsim_scenario_destroy(s);
        ++*loaded;
        return;
    }
    if (status != DDBSIM_INPUT || !error.message[0])
        fail_msg("status %d for:\n%s", (int)status, text);
    assert_null(s);
}

static void texts(void **state) {
    (void)state;
    struct rng rng;
    rng_seed(&rng, rng_stream_key(1, 0, "texts"));
    uint32_t loaded = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char text[LONGEST];
        memcpy(text, fixture, sizeof fixture);
        for (uint64_t k = draw_below(rng_next(&rng), 8) / 3; k != UINT64_MAX; k--)
            mutate(&rng, text);
        check(text, i % 3 ? NULL : "calm", NULL, 0, &loaded);
    }
    assert_true(loaded > ROUNDS / 50); /* some survive, so the whole way is exercised */
    assert_true(loaded < ROUNDS);
}

/* Paths of the resolved scenario, cut, joined and set to anything. */
static void sets(void **state) {
    (void)state;
    struct rng rng;
    rng_seed(&rng, rng_stream_key(1, 0, "sets"));
    struct ddbsim_scenario *s = fixture_load(fixture, NULL, NULL, 0);
    uint32_t loaded = 0;
    for (int i = 0; i < ROUNDS; i++) {
        char text[512];
        const char *set = text;
        const struct ddbsim_setting *setting =
            &s->settings[draw_below(rng_next(&rng), s->setting_count)];
        size_t length = strlen(setting->path);
        if (i % 2) length = draw_below(rng_next(&rng), length + 1);
        while (i % 4 == 1 && length && setting->path[length] != '.')
            length--; /* whole parts */
        snprintf(text, sizeof text, "%.*s=%s", (int)length, setting->path,
                 values[draw_below(rng_next(&rng), COUNT(values))]);
        check(fixture, NULL, &set, 1, &loaded);
    }
    ddbsim_scenario_destroy(s);
    assert_true(loaded > ROUNDS / 50);
    assert_true(loaded < ROUNDS);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts), cmocka_unit_test(sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
