/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes libFuzzer's dictionary: the grammar's keys and words, and the names that expressions use. */
#include <ddbsim/ddbsim.h>
#include <loader/grammar.h>
#include <stdio.h>
#include <string.h>
#include <workloads/replay/columns.h>
#include <workloads/replay/verb.h>

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

/* Names joined by |. */
static void put_names_of(const char *names) {
    char word[64];
    for (size_t size; *names; names += size + (names[size] == '|')) {
        size = strcspn(names, "|");
        snprintf(word, sizeof word, "%.*s", (int)size, names);
        put(word);
    }
}

static void put_recordings(void) {
    const char *word;
    int operation;
    for (int role = 0; columns_word(role); role++)
        put_names_of(columns_names(role));
    for (size_t i = 0; (word = verb_word(i, &operation)); i++)
        put(word);
    put_names_of(
        "op_time|key_size|metric_name|metric_value|http_reqs|http_req_duration|timeStamp|elapsed|"
        "label|"
        "responseCode|User Count|Requests/s|Total Request Count|Aggregated|2026-08-07T16:20:03Z");
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
    put_recordings();
    return 0;
}
