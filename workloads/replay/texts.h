/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts, each kept once and known by a number from 1; 0 is no text. */
#ifndef REPLAY_TEXTS_H
#define REPLAY_TEXTS_H

#include <base/types.h>

#define TEXTS_MAX (UINT32_C(1) << 24)
#define TEXTS_BYTES_MAX ((size_t)1 << 30)

struct texts {   /* all zero: none */
    char *bytes; /* one text after the other, each with a NUL */
    size_t length, bytes_capacity;
    struct text_place {
        size_t begin;
        uint32_t length;
        uint32_t hash; /* its high half */
    } * places;        /* of number i at i - 1 */
    size_t count, places_capacity;
    uint32_t *slots; /* open addressing, at most half full; 0: free */
    size_t slot_count;
};

/* The number of a text, which may be new; 0 when memory or one of the bounds is exhausted. */
uint32_t texts_add(struct texts *texts, const char *text, size_t length);
/* What stands behind a number, until the next texts_add; NULL of 0. */
const char *texts_at(const struct texts *texts, uint32_t number);
uint32_t texts_length(const struct texts *texts, uint32_t number);
void texts_free(struct texts *texts);

#endif
