/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file of JSON taken apart, so that only one piece of it is ever in memory: one document after the other (JSON
 * lines, or documents that span lines), and of a document that is a list, or an object with a list under one of the
 * names that are asked for, each element of that list. {"Records": [{..}, {..}], "NextToken": ".."} gives two
 * elements, and then the envelope {"Records": [], "NextToken": ".."}.
 */
#ifndef REPLAY_PIECES_H
#define REPLAY_PIECES_H

#include <base/buffer.h>
#include <ddbsim/error.h>
#include <jansson.h>

#define PIECES_BYTES_MAX ((size_t)4 << 20) /* of one piece: an item of 400 KB twice, and escaped */
#define PIECES_DEPTH_MAX 128u
#define PIECES_CHUNK ((size_t)64 << 10)

/* Up to `size` bytes; *got is 0 at the end. */
typedef enum ddbsim_status (*pieces_read_fn)(void *context, char *bytes, size_t size, size_t *got,
                                             struct ddbsim_error *error);

struct piece {
    json_t *json; /* the pieces', until the next one is asked for; an object */
    uint64_t line;
    bool is_envelope; /* what stood around the pieces before it */
};

struct pieces {
    pieces_read_fn read;
    void *context;
    const char *file;         /* for messages */
    const char *const *names; /* of lists that are taken apart; NULL ends them */
    char *chunk;
    size_t length, at;
    bool over; /* nothing more can be read */
    uint64_t line;
    /* Where the next byte stands: outside of all, inside a list, or inside the envelope behind its list. */
    enum pieces_place { PIECES_OUTSIDE, PIECES_LIST, PIECES_ENVELOPE } place;
    bool enveloped; /* the list is inside one */
    bool had_one;   /* of the list's elements */
    bool had_comma; /* after it */
    uint64_t envelope_line;
    struct buffer envelope, text;
    json_t *json;
};

/* DDBSIM_ENVIRONMENT where memory is short. */
DDBSIM_MUST_CHECK enum ddbsim_status pieces_init(struct pieces *pieces, pieces_read_fn read,
                                                 void *context, const char *file,
                                                 const char *const *names,
                                                 struct ddbsim_error *error);
/* *more is false at the end. After DDBSIM_INPUT the next one may be asked for: that piece is passed over, or there is
 * no other. */
DDBSIM_MUST_CHECK enum ddbsim_status pieces_next(struct pieces *pieces, struct piece *piece,
                                                 bool *more, struct ddbsim_error *error);
void pieces_free(struct pieces *pieces);
/* A text as JSON. NULL: it is none, and *problem says why; or memory is short. */
json_t *pieces_load(const char *text, size_t length, json_error_t *problem, bool *short_of_memory);

#endif
