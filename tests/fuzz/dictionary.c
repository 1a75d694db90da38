/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes libFuzzer's dictionary: the grammar's keys and words, and the names that expressions use. */
#include <ddbsim/ddbsim.h>
#include <loader/grammar.h>
#include <stdio.h>

static void put(const char *word) {
    putchar('"');
    for (; *word; word++)
        printf(*word == '"' || *word == '\\' ? "\\%c" : "%c", *word);
    puts("\"");
}

static void put_names(const char *(*name_of)(int)) {
    for (int i = 0; name_of(i); i++)
        put(name_of(i));
}

static void put_words(const char *words) {
    char word[64];
    for (int i = 0; words && grammar_word_at(words, i, word, sizeof word); i++)
        put(word);
}

static void put_key(const struct grammar_key *key) {
    char text[96];
    snprintf(text, sizeof text, "%s: ", key->key);
    put(text);
    put(key->key);
    if (grammar_default(key, text, sizeof text)) put(text);
    put_words(grammar_choices(key));
}

int main(void) {
    static const char *const syntax[] = {"{time}", "{uuid}", "{n}", " B",   " KB", "/s",
                                         "ms",     "%",      "..",  "null", "- {", "}",
                                         "[",      "]",      ".*.", "<=",   ">="};
    for (size_t i = 0; grammar_key(i); i++)
        put_key(grammar_key(i));
    for (size_t i = 0; i < sizeof syntax / sizeof syntax[0]; i++)
        put(syntax[i]);
    put_names(ddbsim_outcome_name);
    put_names(ddbsim_metric_name);
    put_names(ddbsim_reason_name);
    put_names(ddbsim_cause_name);
    put_names(ddbsim_operation_name);
    put_names(ddbsim_event_name);
    return 0;
}
