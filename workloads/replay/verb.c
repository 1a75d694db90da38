/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words for operations. A store that knows keys and values has fewer verbs than DynamoDB: what makes a value anew is
 * a PutItem, what changes one in its place an UpdateItem.
 *
 * Invariant: the table's words are lower case, without the characters that fold() drops.
 */
#include <workloads/replay/verb.h>

#include <ddbsim/names.h>
#include <string.h>
#include <strings.h>
#include <workloads/replay/recording.h>

#define WORD_BYTES 32

/* X(word, operation) */
#define VERBS(X)                         \
    X("get", GET_ITEM)                   \
    X("gets", GET_ITEM)                  \
    X("getlease", GET_ITEM)              \
    X("read", GET_ITEM)                  \
    X("r", GET_ITEM)                     \
    X("select", GET_ITEM)                \
    X("lookup", GET_ITEM)                \
    X("fetch", GET_ITEM)                 \
    X("put", PUT_ITEM)                   \
    X("set", PUT_ITEM)                   \
    X("add", PUT_ITEM)                   \
    X("replace", PUT_ITEM)               \
    X("cas", PUT_ITEM)                   \
    X("setlease", PUT_ITEM)              \
    X("insert", PUT_ITEM)                \
    X("create", PUT_ITEM)                \
    X("write", PUT_ITEM)                 \
    X("w", PUT_ITEM)                     \
    X("update", UPDATE_ITEM)             \
    X("upsert", UPDATE_ITEM)             \
    X("modify", UPDATE_ITEM)             \
    X("patch", UPDATE_ITEM)              \
    X("append", UPDATE_ITEM)             \
    X("prepend", UPDATE_ITEM)            \
    X("incr", UPDATE_ITEM)               \
    X("decr", UPDATE_ITEM)               \
    X("increment", UPDATE_ITEM)          \
    X("decrement", UPDATE_ITEM)          \
    X("touch", UPDATE_ITEM)              \
    X("delete", DELETE_ITEM)             \
    X("del", DELETE_ITEM)                \
    X("remove", DELETE_ITEM)             \
    X("batchget", BATCH_GET_ITEM)        \
    X("mget", BATCH_GET_ITEM)            \
    X("multiget", BATCH_GET_ITEM)        \
    X("batchwrite", BATCH_WRITE_ITEM)    \
    X("mset", BATCH_WRITE_ITEM)          \
    X("transactget", TRANSACT_GET_ITEMS) \
    X("transactwrite", TRANSACT_WRITE_ITEMS)

static const struct {
    const char *word;
    int operation;
} verbs[] = {
#define X(word, operation) {word, DDBSIM_##operation},
    VERBS(X)
#undef X
};
enum { VERB_COUNT = sizeof verbs / sizeof verbs[0] };

/* Lower case, without what may stand between a name's parts; false where it is longer than any word. */
static bool fold(const char *word, size_t length, char out[WORD_BYTES]) {
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        char c = word[i];
        if (c == '_' || c == '-' || c == ' ') continue;
        if (used + 1 == WORD_BYTES) return false;
        out[used++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    out[used] = '\0';
    return used > 0;
}

int verb_operation(const char *word, size_t length) {
    char folded[WORD_BYTES];
    if (!fold(word, length, folded)) return RECORDING_UNKNOWN;
    for (int i = 0; i < DDBSIM_OPERATION_KINDS; i++)
        if (strcasecmp(ddbsim_operation_name(i), folded) == 0) return i;
    for (int i = 0; i < VERB_COUNT; i++)
        if (strcmp(verbs[i].word, folded) == 0) return verbs[i].operation;
    return RECORDING_UNKNOWN;
}

const char *verb_word(size_t number, int *operation) {
    if (number >= VERB_COUNT) return NULL;
    *operation = verbs[number].operation;
    return verbs[number].word;
}

/* Does a text have a word in it, which is in lower case? */
static bool holds(const char *text, size_t length, const char *word) {
    size_t size = strlen(word);
    for (size_t at = 0; at + size <= length; at++)
        if (strncasecmp(text + at, word, size) == 0) return true;
    return false;
}

bool verb_is_throttled(const char *text, size_t length) {
    static const char *const whole[] = {"true", "yes", "1", "429"};
    static const char *const parts[] = {"throttl", "throughputexceeded", "limitexceeded",
                                        "slowdown"};
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (length == strlen(whole[i]) && strncasecmp(text, whole[i], length) == 0) return true;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (holds(text, length, parts[i])) return true;
    return false;
}
