/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The grammar as JSON Schema (draft 2020-12), for editors: one definition a section. Keys that are
 * not supported yet are left out, so an editor marks them as the loader does. What depends on
 * several keys (shares that sum to 100 %, names that must exist) is left to the loader.
 */
#include <loader/grammar.h>
#include <loader/loader.h>

#include <ddbsim/presets.h>
#include <inttypes.h>
#include <string.h>

#define NUMBER "(0|[1-9][0-9]*)"
#define FRACTION NUMBER "(\\\\.[0-9]+)?"

/* The pattern of a literal, ready for a JSON string; NULL for types that are no literals. */
static const char *pattern(enum grammar_type type) {
    if (type == TYPE_DURATION) return "^(" FRACTION "(d|h|m|s|ms|us|ns))+$";
    if (type == TYPE_TIMEOUT) return "^(none|(" FRACTION "(d|h|m|s|ms|us|ns))+)$";
    if (type == TYPE_SIZE) return "^" FRACTION " ?(B|KB|MB|GB)$";
    if (type == TYPE_SHARE) return "^" FRACTION "%$";
    if (type == TYPE_RATE) return "^" FRACTION "/(s|min|h|day)$";
    if (type == TYPE_SLUG) return "^[a-z0-9-]+$";
    if (type == TYPE_AWS_NAME) return "^[A-Za-z0-9_.-]+$";
    if (type == TYPE_MOMENT)
        return "^([0-2][0-9]:[0-5][0-9](:[0-5][0-9])?|\\\\+.+|[0-9]{4}-[0-9]{2}-[0-9]{2}T.+)$";
    if (type == TYPE_INSTANT)
        return "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2})$";
    return NULL;
}

static void put_string(FILE *out, const char *text) {
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void put_words(FILE *out, const char *words) {
    char word[64];
    fputs("\"enum\": [", out);
    for (int i = 0; grammar_word_at(words, i, word, sizeof word); i++) {
        if (i) fputs(", ", out);
        put_string(out, word);
    }
    fputc(']', out);
}

static void put_presets(FILE *out) {
    fputs("\"enum\": [", out);
    for (int i = 0; ddbsim_preset(i); i++) {
        if (i) fputs(", ", out);
        put_string(out, ddbsim_preset(i)->name);
    }
    fputc(']', out);
}

static void put_integer(FILE *out, const struct grammar_key *key) {
    fprintf(out, "\"type\": \"integer\", \"minimum\": %" PRId64 ", \"maximum\": %" PRId64, key->low,
            key->high);
}

/* A share, or what the key wants beside shares. */
static void put_either(FILE *out, const struct grammar_key *key) {
    fprintf(out, "\"oneOf\": [{\"type\": \"string\", \"pattern\": \"%s\"}, {", pattern(TYPE_SHARE));
    if (key->type == TYPE_SHARE_OR_UNITS)
        put_integer(out, key);
    else if (key->type == TYPE_SHARE_OR_DURATION)
        fprintf(out, "\"type\": \"string\", \"pattern\": \"%s\"", pattern(TYPE_DURATION));
    else
        fputs("\"type\": \"number\", \"minimum\": 0", out);
    fputs("}]", out);
}

/* The constraints of one key's value. */
static void put_type(FILE *out, const struct grammar_key *key) {
    const char *literal = pattern(key->type);
    if (literal)
        fprintf(out, "\"type\": \"string\", \"pattern\": \"%s\"", literal);
    else if (key->type == TYPE_COUNT || key->type == TYPE_UNITS)
        put_integer(out, key);
    else if (key->type == TYPE_PARTITIONS)
        fputs("\"oneOf\": [{\"const\": \"auto\"}, {\"type\": \"integer\", \"minimum\": 1}]", out);
    else if (key->type == TYPE_SHARDS)
        fputs("\"oneOf\": [{\"const\": \"all\"}, {\"type\": \"integer\", \"minimum\": 1}]", out);
    else if (key->type == TYPE_SHARE_OR_UNITS || key->type == TYPE_SHARE_OR_DURATION ||
             key->type == TYPE_SHARE_OR_DECIMAL)
        put_either(out, key);
    else if (key->type == TYPE_BOOL)
        fputs("\"type\": \"boolean\"", out);
    else if (key->type == TYPE_DECIMAL || key->type == TYPE_FACTOR)
        fputs("\"type\": \"number\", \"minimum\": 0", out);
    else if (key->type == TYPE_CHOICE)
        put_words(out, grammar_choices(key));
    else if (key->type == TYPE_PRESET)
        put_presets(out);
    else if (key->type == TYPE_TITLE)
        fputs("\"type\": [\"string\", \"object\"]", out);
    else if (key->type == TYPE_RANGE)
        fputs("\"type\": [\"string\", \"number\"]", out);
    else if (key->type == TYPE_SECTION)
        fprintf(out, "\"$ref\": \"#/$defs/%d\"", (int)key->child);
    else if (key->type == TYPE_CHOICE_OR_SECTION) {
        fputs("\"oneOf\": [{", out);
        put_words(out, grammar_choices(key));
        fprintf(out, "}, {\"$ref\": \"#/$defs/%d\"}]", (int)key->child);
    } else if (key->type == TYPE_SIZE_OR_SECTION)
        fprintf(
            out,
            "\"oneOf\": [{\"type\": \"string\", \"pattern\": \"%s\"}, {\"$ref\": \"#/$defs/%d\"}]",
            pattern(TYPE_SIZE), (int)key->child);
    else if (key->type == TYPE_LIST || key->type == TYPE_CONDITIONS)
        fprintf(out, "\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/%d\"}", (int)key->child);
    else if (key->type == TYPE_EXPRESSIONS)
        fputs("\"type\": \"array\", \"items\": {\"type\": \"string\"}", out);
    else if (key->type == TYPE_MAP)
        fprintf(out, "\"type\": \"object\", \"additionalProperties\": {\"$ref\": \"#/$defs/%d\"}",
                (int)key->child);
    else if (key->type == TYPE_SHARES)
        fprintf(out,
                "\"type\": \"object\", \"additionalProperties\": {\"type\": \"string\", "
                "\"pattern\": \"%s\"}",
                pattern(TYPE_SHARE));
    else if (key->type == TYPE_SHARE_LIST)
        fprintf(out, "\"type\": \"array\", \"items\": {\"type\": \"string\", \"pattern\": \"%s\"}",
                pattern(TYPE_SHARE));
    else
        fprintf(out, "\"type\": \"%s\"", key->type == TYPE_SET ? "object" : "string");
}

/* A file that extends another needs only what it changes: entries are known by name alone. */
static bool must_have(enum grammar_section section, const struct grammar_key *key) {
    if (!(key->flags & GRAMMAR_REQUIRED)) return false;
    const struct grammar_key *name = grammar_find(section, "name");
    bool by_name = name && (name->flags & GRAMMAR_REQUIRED);
    return !by_name || key == name;
}

static void put_required(FILE *out, enum grammar_section section) {
    const char *comma = "";
    fputs("\"required\": [", out);
    for (size_t i = 0; grammar_key(i); i++) {
        const struct grammar_key *key = grammar_key(i);
        if (key->section != section || !must_have(section, key)) continue;
        fprintf(out, "%s\"%s\"", comma, key->key);
        comma = ", ";
    }
    fputc(']', out);
}

static void put_properties(FILE *out, enum grammar_section section, bool entries) {
    const char *comma = "";
    fputs("\"properties\": {", out);
    for (size_t i = 0; grammar_key(i); i++) {
        const struct grammar_key *key = grammar_key(i);
        if (key->section != section || key->type == TYPE_LATER) continue;
        fprintf(out, "%s\n    \"%s\": {", comma, key->key);
        put_type(out, key);
        fputs(", \"description\": ", out);
        put_string(out, key->help);
        fputc('}', out);
        comma = ",";
    }
    if (entries) fprintf(out, "%s\n    \"remove\": {\"const\": true}", comma);
    fputs("}, \"additionalProperties\": false", out);
}

static bool has_name(enum grammar_section section) {
    return section != SECTION_SCENARIO && grammar_find(section, "name");
}

void loader_print_schema(FILE *out) {
    fputs("{\"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
          " \"title\": \"ddbsim scenario\", \"type\": \"object\",\n ",
          out);
    put_properties(out, SECTION_SCENARIO, false);
    fputs(",\n \"if\": {\"required\": [\"extends\"]}, \"then\": true, \"else\": {", out);
    put_required(out, SECTION_SCENARIO);
    fputs("},\n \"$defs\": {", out);
    for (int section = SECTION_SCENARIO + 1; section < SECTION_KINDS; section++) {
        enum grammar_section which = (enum grammar_section)section;
        fprintf(out, "%s\n  \"%d\": {\"title\": ", section > SECTION_SCENARIO + 1 ? "," : "",
                section);
        put_string(out, grammar_section_title(which));
        fputs(", \"type\": \"object\", ", out);
        put_properties(out, which, has_name(which));
        fputs(", ", out);
        put_required(out, which);
        fputc('}', out);
    }
    fputs("\n }}\n", out);
}
