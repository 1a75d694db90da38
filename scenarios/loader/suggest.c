/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Edit distance without regard to case (insertions, deletions, substitutions and swaps of
 * neighbours count one each). A candidate is near when it is at most a third of the word away, and
 * at most three. A candidate that a word of three letters or more begins is as near as one change.
 */
#include <loader/suggest.h>

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX 64
#define BEGINNING_LEAST 3

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

static unsigned edit_distance(const char *a, const char *b) {
    size_t rows = strlen(a), columns = strlen(b);
    if (rows > WORD_MAX || columns > WORD_MAX) return WORD_MAX;
    unsigned row[3][WORD_MAX + 1];
    for (size_t j = 0; j <= columns; j++)
        row[0][j] = (unsigned)j;
    for (size_t i = 1; i <= rows; i++) {
        unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];
        now[0] = (unsigned)i;
        for (size_t j = 1; j <= columns; j++) {
            unsigned change = last[j - 1] + !same(a[i - 1], b[j - 1]);
            now[j] = least(change, least(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], older[j - 2] + 1);
        }
    }
    return row[rows % 3][columns];
}

void suggest_start(struct suggest *suggest, const char *word) {
    unsigned third = (unsigned)strlen(word) / 3;
    *suggest = (struct suggest){.word = word,
                                .distance = (third < 1   ? 1
                                             : third > 3 ? 3
                                                         : third) +
                                            1};
}

void suggest_offer(struct suggest *suggest, const char *candidate) {
    unsigned distance = edit_distance(suggest->word, candidate);
    size_t length = strlen(suggest->word);
    if (length >= BEGINNING_LEAST && distance > 1 && !strncasecmp(suggest->word, candidate, length))
        distance = 1;
    if (distance >= suggest->distance) return;
    suggest->distance = distance;
    suggest->best = candidate;
}

const char *suggest_best(const struct suggest *suggest) { return suggest->best; }

void suggest_hint(const struct suggest *suggest, struct ddbsim_error *error,
                  const char *otherwise) {
    if (suggest->best)
        error_hint(error, "did you mean \"%s\"?", suggest->best);
    else if (otherwise)
        error_hint(error, "%s", otherwise);
}
