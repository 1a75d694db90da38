/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is printed from the grammar for people: the reference of docs/scenario.md, the assumptions,
 * and the seeds of `--seeds`. */
#include <loader/grammar.h>
#include <loader/loader.h>

#include <ddbsim/scenario.h>
#include <base/check.h>
#include <base/error.h>
#include <string.h>

/* ---- the reference ---- */

/* Text in a table's cell: | would end it. */
static void put_cell(FILE *out, const char *text) {
    for (; *text; text++) {
        if (*text == '|') fputc('\\', out);
        fputc(*text, out);
    }
}

static void put_range(FILE *out, const struct grammar_key *key) {
    char low[64], high[64], word[64];
    bool counted = key->high > 0 && key->high < INT64_MAX && key->type != TYPE_CHOICE;
    struct grammar_key bounds = *key;
    if (key->type == TYPE_SHARE_OR_DURATION) bounds.type = TYPE_DURATION; /* a share has its own */
    if (counted) {
        grammar_put(&bounds, key->low, low, sizeof low);
        grammar_put(&bounds, key->high, high, sizeof high);
        fprintf(out, ", %s..%s", low, high);
    }
    if (key->type != TYPE_CHOICE && key->type != TYPE_CHOICE_OR_SECTION) return;
    for (int i = 0; grammar_word_at(grammar_choices(key), i, word, sizeof word); i++)
        fprintf(out, "%s `%s`", i ? "," : ":", word);
}

static void put_default(FILE *out, const struct grammar_key *key) {
    char standard[80];
    if (key->flags & GRAMMAR_REQUIRED)
        fputs("required", out);
    else if (grammar_default(key, standard, sizeof standard))
        fprintf(out, "`%s`", standard);
    else if (key->otherwise)
        put_cell(out, key->otherwise);
}

static void put_row(FILE *out, const struct grammar_key *key) {
    fprintf(out, "| `%s`%s | %s", key->key, key->flags & GRAMMAR_CHANGEABLE ? " \\*" : "",
            grammar_type_name(key->type));
    put_range(out, key);
    fputs(" | ", out);
    put_default(out, key);
    fputs(" | ", out);
    put_cell(out, key->help);
    fputs(" |\n", out);
}

static void put_later_words(FILE *out, enum grammar_section section) {
    char word[64];
    for (size_t i = 0; grammar_key(i); i++) {
        const struct grammar_key *key = grammar_key(i);
        if (key->section != section || !key->later) continue;
        fprintf(out, "\nKnown words of `%s` that are not supported yet:", key->key);
        for (int k = 0; grammar_word_at(key->later, k, word, sizeof word); k++)
            fprintf(out, "%s `%s`", k ? "," : "", word);
        fputs(".\n", out);
    }
}

static void put_later(FILE *out, enum grammar_section section) {
    const char *comma = "\nKnown keys that are not supported yet:";
    bool any = false;
    for (size_t i = 0; grammar_key(i); i++) {
        const struct grammar_key *key = grammar_key(i);
        if (key->section != section || key->type != TYPE_LATER) continue;
        fprintf(out, "%s `%s` (%s)", comma, key->key, key->help);
        comma = ",";
        any = true;
    }
    if (any) fputs(".\n", out);
}

/* The keys of a table's own model are those of `model`: they need no second list. */
static void put_section(FILE *out, enum grammar_section section) {
    if (section == SECTION_TABLE_MODEL) return;
    fprintf(out, "\n### %s\n\n| key | type | default | what it is |\n|---|---|---|---|\n",
            grammar_section_title(section));
    for (size_t i = 0; grammar_key(i); i++)
        if (grammar_key(i)->section == section && grammar_key(i)->type != TYPE_LATER)
            put_row(out, grammar_key(i));
    put_later_words(out, section);
    put_later(out, section);
}

/* What the years of `rules` and of `model.alarms` stand for. */
static void put_rules(FILE *out) {
    struct loader_rule rule;
    fputs(
        "\n### rules, and alarms under model\n\n| key | year | assumption | instead of its default "
        "|\n|---|---|---|---|\n",
        out);
    for (int i = 0; loader_rule(i, &rule); i++)
        fprintf(out, "| `%s` | `%s` | `%s` | `%s` |\n", rule.key, rule.year, rule.assumption,
                rule.value);
}

void loader_print_reference(FILE *out) {
    fputs("Keys marked \\* can be set by `changes` while a run goes on.\n", out);
    for (int section = SECTION_SCENARIO; section < SECTION_KINDS; section++) {
        put_section(out, (enum grammar_section)section);
        if (section == SECTION_MODEL) put_rules(out);
    }
}

/* ---- assumptions ---- */

bool loader_assumption(int number, struct loader_assumption *out) {
    static const struct {
        const char *name, *rule, *what;
    } all[] = {
#define X(field, name, kind, value, low, high, rule, what) {name, rule, what},
        DDBSIM_ASSUMPTIONS(X)
#undef X
    };
    if (number < 0 || (size_t)number >= sizeof all / sizeof *all) return false;
    const struct grammar_key *key = grammar_find(SECTION_MODEL, all[number].name);
    CHECK(key != NULL && (key->flags & GRAMMAR_NUMBERED));
    out->name = all[number].name;
    out->rule = all[number].rule;
    out->what = all[number].what;
    grammar_put(key, key->standard, out->value, sizeof out->value);
    grammar_put(key, key->low, out->low, sizeof out->low);
    grammar_put(key, key->high, out->high, sizeof out->high);
    return true;
}

/* ---- seeds ---- */

enum ddbsim_status loader_seeds(const char *text, uint64_t *first, uint64_t *last,
                                struct ddbsim_error *error) {
    char low[64], high[64];
    struct literal_problem problem = {0};
    if (literal_range(text, low, high, sizeof low, &problem) &&
        literal_count(low, first, &problem) && literal_count(high, last, &problem)) {
        if (*first <= *last) return DDBSIM_OK;
        return error_set(error, DDBSIM_INPUT, "the seeds %.60s end before they begin", text);
    }
    error_set(error, DDBSIM_INPUT, "%s", problem.message);
    error_hint(error, "seeds look like 7 or 1..10");
    return DDBSIM_INPUT;
}
