/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Column maps. A map without the time is an error, for without times nothing can be replayed.
 * Invariant: a map that was read gives each role once at most, and no number of 0.
 */
#include <workloads/replay/columns.h>

#include <base/check.h>
#include <base/error.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *word, *names;
} roles[COLUMNS_ROLE_COUNT] = {
#define X(role, word, names) {word, names},
    COLUMNS_ROLES(X)
#undef X
};

const char *columns_word(int role) {
    return role >= 0 && role < COLUMNS_ROLE_COUNT ? roles[role].word : NULL;
}

const char *columns_names(int role) {
    CHECK(role >= 0 && role < COLUMNS_ROLE_COUNT);
    return roles[role].names;
}

bool columns_is_one_of(const char *names, const char *text, size_t length) {
    while (*names) {
        size_t size = strcspn(names, "|");
        if (size == length && strncasecmp(names, text, length) == 0) return true;
        names += size + (names[size] == '|');
    }
    return false;
}

static enum ddbsim_status fail(struct ddbsim_error *error, const char *what, const char *text,
                               size_t length) {
    error_set(error, DDBSIM_INPUT, "columns: %s: \"%.*s\"", what, (int)length, text);
    char known[COLUMNS_NAME_BYTES];
    size_t used = 0;
    for (int i = 0; i < COLUMNS_ROLE_COUNT; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                                 roles[i].word);
    CHECK(used < sizeof known);
    error_hint(error, "as in \"time=1,key=2,size=4,operation=6\"; known are %s", known);
    return DDBSIM_INPUT;
}

static int find_role(const char *word, size_t length) {
    for (int i = 0; i < COLUMNS_ROLE_COUNT; i++)
        if (strlen(roles[i].word) == length && !strncmp(roles[i].word, word, length)) return i;
    return -1;
}

/* A number from 1, or 0 where it is a name; -1 where it is a number out of range. */
static int column_number(const char *text, size_t length) {
    int number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        if (number <= COLUMNS_NUMBER_MAX) number = number * 10 + (text[i] - '0');
    }
    return number >= 1 && number <= COLUMNS_NUMBER_MAX ? number : -1;
}

static enum ddbsim_status parse_pair(const char *pair, size_t length, struct columns *out,
                                     struct ddbsim_error *error) {
    const char *equals = memchr(pair, '=', length);
    if (!equals) return fail(error, "there is no = in", pair, length);
    int role = find_role(pair, (size_t)(equals - pair));
    if (role < 0) return fail(error, "nothing is called so", pair, (size_t)(equals - pair));
    struct columns_place *place = &out->of[role];
    if (place->is_given) return fail(error, "this is there twice", pair, length);
    const char *name = equals + 1;
    size_t size = length - (size_t)(name - pair);
    if (size == 0 || size >= sizeof place->name)
        return fail(error, "a column has a number or a name", pair, length);
    place->number = column_number(name, size);
    if (place->number < 0) return fail(error, "columns are numbered 1 to 1024", pair, length);
    memcpy(place->name, name, size);
    place->name[size] = '\0';
    place->is_given = true;
    out->by_number = out->by_number && place->number > 0;
    return DDBSIM_OK;
}

enum ddbsim_status columns_parse(const char *text, struct columns *out,
                                 struct ddbsim_error *error) {
    *out = (struct columns){.by_number = true};
    for (const char *at = text;;) {
        size_t length = strcspn(at, ",");
        enum ddbsim_status status = parse_pair(at, length, out, error);
        if (status) return status;
        if (!at[length]) break;
        at += length + 1;
    }
    if (!out->of[COLUMNS_TIME].is_given)
        return fail(error, "no column is the time", text, strlen(text));
    return DDBSIM_OK;
}
