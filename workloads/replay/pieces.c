/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes JSON apart by its brackets and strings alone; whether a piece is JSON is for jansson to say, when it is
 * whole. What is around a list is kept without its elements and read as a piece of its own, so that nothing of the
 * file goes unread.
 *
 * Invariants: a piece and an envelope each stay within PIECES_BYTES_MAX: what is longer is read to its end, and not
 * kept. Each call takes at least one byte or finds the end.
 */
#include <workloads/replay/pieces.h>

#include <base/check.h>
#include <base/error.h>
#include <base/types.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PROBE_BYTES 4096
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* What is known of an object while its bytes go by. */
struct scan {
    struct buffer *into;
    size_t begin;  /* in the chunk: what comes from here on is not kept yet */
    size_t length; /* of all that has gone by */
    uint32_t depth;
    bool in_string, escaped, too_long, too_deep;
    size_t key_begin, key_end; /* the last string at depth 1, without its quotes */
    bool is_key;               /* it may be one: it follows { or , */
    bool after_colon;          /* nothing but : and blanks since then */
    char before;               /* the last byte at depth 1 that is no blank */
};

enum ddbsim_status pieces_init(struct pieces *pieces, pieces_read_fn read, void *context,
                               const char *file, const char *const *names,
                               struct ddbsim_error *error) {
    *pieces =
        (struct pieces){.read = read, .context = context, .file = file, .names = names, .line = 1};
    pieces->chunk = malloc(PIECES_CHUNK);
    return pieces->chunk ? DDBSIM_OK : error_memory(error);
}

void pieces_free(struct pieces *pieces) {
    free(pieces->chunk);
    free(pieces->envelope.bytes);
    free(pieces->text.bytes);
    json_decref(pieces->json);
    *pieces = (struct pieces){0};
}

static enum ddbsim_status fail_at(const struct pieces *pieces, uint64_t line,
                                  struct ddbsim_error *error, const char *message) {
    enum ddbsim_status status = error_set(error, DDBSIM_INPUT, "%s", message);
    error_place(error, pieces->file, line < INT32_MAX ? (int)line : INT32_MAX, 0);
    return status;
}

/* The next byte without taking it; -1 at the end. */
static enum ddbsim_status peek(struct pieces *pieces, int *byte, struct ddbsim_error *error) {
    *byte = -1;
    if (pieces->at == pieces->length && !pieces->over) {
        enum ddbsim_status status =
            pieces->read(pieces->context, pieces->chunk, PIECES_CHUNK, &pieces->length, error);
        pieces->at = 0;
        if (status) pieces->length = 0;
        pieces->over = status || pieces->length == 0;
        if (status) return status;
    }
    if (pieces->at < pieces->length) *byte = (unsigned char)pieces->chunk[pieces->at];
    return DDBSIM_OK;
}

static void take(struct pieces *pieces) {
    CHECK(pieces->at < pieces->length);
    pieces->line += pieces->chunk[pieces->at++] == '\n';
}

static bool is_blank(int byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static enum ddbsim_status skip_blanks(struct pieces *pieces, int *byte,
                                      struct ddbsim_error *error) {
    enum ddbsim_status status = peek(pieces, byte, error);
    while (!status && is_blank(*byte)) {
        take(pieces);
        status = peek(pieces, byte, error);
    }
    return status;
}

/* What is no JSON ends with its line. */
static enum ddbsim_status skip_line(struct pieces *pieces, const char *message,
                                    struct ddbsim_error *error) {
    uint64_t line = pieces->line;
    int byte;
    enum ddbsim_status status = peek(pieces, &byte, error);
    while (!status && byte >= 0 && pieces->line == line) {
        take(pieces);
        status = peek(pieces, &byte, error);
    }
    return status ? status : fail_at(pieces, line, error, message);
}

/* ---- one object, byte by byte ---- */

static void scan_string(struct scan *scan, char byte) {
    if (scan->escaped) {
        scan->escaped = false;
    } else if (byte == '\\') {
        scan->escaped = true;
    } else if (byte == '"') {
        scan->in_string = false;
        if (scan->depth == 1) scan->key_end = scan->length;
    }
}

static void scan_note(struct scan *scan, char byte) {
    if (scan->depth != 1 || is_blank(byte)) return;
    scan->after_colon = byte == ':' && scan->before == '"' && scan->is_key;
    scan->before = byte;
}

static void scan_plain(struct scan *scan, char byte) {
    if (byte == '"') {
        scan->in_string = true;
        if (scan->depth == 1) {
            scan->is_key = scan->before == '{' || scan->before == ',';
            scan->key_begin = scan->length + 1;
        }
    }
    scan_note(scan, byte);
    if (byte == '{' || byte == '[') scan->depth++;
    if (byte == '}' || byte == ']') scan->depth--;
    if (byte == '{' && scan->depth == 1) scan->before = '{';
}

/* Keeps what has gone by of the chunk. */
static void scan_keep(const struct pieces *pieces, struct scan *scan) {
    scan->too_long |= scan->length > PIECES_BYTES_MAX;
    if (!scan->too_long)
        buffer_add(scan->into, pieces->chunk + scan->begin, pieces->at - scan->begin);
    scan->begin = pieces->at;
}

/* Is the [ that comes now the list that is asked for? */
static bool scan_opens(const struct pieces *pieces, struct scan *scan) {
    if (pieces->place != PIECES_OUTSIDE || scan->depth != 1 || !scan->after_colon) return false;
    scan_keep(pieces, scan);
    if (scan->too_long || scan->into->failed) return false;
    const char *key = scan->into->bytes + scan->key_begin;
    size_t length = scan->key_end - scan->key_begin;
    for (const char *const *name = pieces->names; *name; name++)
        if (strlen(*name) == length && memcmp(*name, key, length) == 0) return true;
    return false;
}

/* To the end of the chunk, of the object, or to a list that is taken apart (*opened). True: there is more of the
 * object. */
static bool scan_chunk(struct pieces *pieces, struct scan *scan, bool *opened) {
    do {
        char byte = pieces->chunk[pieces->at];
        if (scan->in_string) {
            scan_string(scan, byte);
        } else {
            *opened = byte == '[' && scan_opens(pieces, scan);
            scan_plain(scan, byte);
        }
        take(pieces);
        scan->length++;
        scan->too_deep |= scan->depth > PIECES_DEPTH_MAX;
        if (scan->depth == 0 || *opened) return false;
    } while (pieces->at < pieces->length);
    return true;
}

static enum ddbsim_status scan_on(struct pieces *pieces, struct scan *scan, uint64_t line,
                                  bool *opened, struct ddbsim_error *error) {
    bool more = true;
    *opened = false;
    scan->length = scan->into->length;
    while (more) {
        int byte;
        enum ddbsim_status status = peek(pieces, &byte, error);
        if (status) return status;
        if (byte < 0) return fail_at(pieces, line, error, "the file ends inside what begins here");
        scan->begin = pieces->at;
        more = scan_chunk(pieces, scan, opened);
        scan_keep(pieces, scan);
    }
    if (scan->into->failed) return error_memory(error);
    if (scan->too_deep)
        return fail_at(pieces, line, error, "lists and objects are nested too deep");
    if (!scan->too_long) return DDBSIM_OK;
    return fail_at(pieces, line, error, "one object is longer than 4 MiB");
}

static void empty(struct buffer *buffer) {
    buffer->length = 0;
    buffer->failed = false;
}

/* Where jansson finds no room it may name the text that it was at, as if that were wrong: the machine is asked. */
json_t *pieces_load(const char *text, size_t length, json_error_t *problem, bool *short_of_memory) {
    json_t *json = NULL;
    for (int i = 0; i < 2 && !json; i++)
        json = json_loadb(text, length, JSON_REJECT_DUPLICATES, problem);
    void *probe = json ? NULL : malloc(PROBE_BYTES);
    *short_of_memory = !json && !probe;
    free(probe);
    return json;
}

static enum ddbsim_status parse(struct pieces *pieces, const struct buffer *text, uint64_t line,
                                struct piece *piece, struct ddbsim_error *error) {
    json_error_t problem;
    bool short_of_memory;
    json_decref(pieces->json);
    pieces->json = pieces_load(text->bytes, text->length, &problem, &short_of_memory);
    *piece = (struct piece){.json = pieces->json, .line = line};
    if (pieces->json) return DDBSIM_OK;
    if (short_of_memory) return error_memory(error);
    enum ddbsim_status status = error_set(error, DDBSIM_INPUT, "this is no JSON: %s", problem.text);
    line += problem.line > 0 ? (uint64_t)problem.line - 1 : 0;
    error_place(error, pieces->file, line < INT32_MAX ? (int)line : INT32_MAX, 0);
    return status;
}

/* ---- what comes next ---- */

static enum ddbsim_status next_object(struct pieces *pieces, struct piece *piece, bool *opened,
                                      struct ddbsim_error *error) {
    uint64_t line = pieces->line;
    struct scan scan = {.into = &pieces->text};
    empty(&pieces->text);
    enum ddbsim_status status = scan_on(pieces, &scan, line, opened, error);
    if (!status && *opened) {
        struct buffer old = pieces->envelope;
        pieces->envelope = pieces->text;
        pieces->text = old;
        pieces->envelope_line = line;
        pieces->place = PIECES_LIST;
        pieces->enveloped = true;
        pieces->had_one = pieces->had_comma = false;
        return DDBSIM_OK;
    }
    return status ? status : parse(pieces, &pieces->text, line, piece, error);
}

static enum ddbsim_status next_outside(struct pieces *pieces, struct piece *piece, bool *given,
                                       bool *more, struct ddbsim_error *error) {
    int byte;
    bool opened;
    enum ddbsim_status status = skip_blanks(pieces, &byte, error);
    if (status || byte < 0) {
        *more = false;
        return status;
    }
    if (byte == '[') {
        take(pieces);
        pieces->place = PIECES_LIST;
        pieces->enveloped = pieces->had_one = pieces->had_comma = false;
        return DDBSIM_OK;
    }
    if (byte != '{') return skip_line(pieces, "neither an object nor a list begins here", error);
    status = next_object(pieces, piece, &opened, error);
    *given = !opened;
    return status;
}

/* The rest of an envelope whose list is over. */
static enum ddbsim_status next_envelope(struct pieces *pieces, struct piece *piece, bool *given,
                                        struct ddbsim_error *error) {
    struct scan scan = {.into = &pieces->envelope, .depth = 1};
    bool opened;
    enum ddbsim_status status = scan_on(pieces, &scan, pieces->envelope_line, &opened, error);
    pieces->place = PIECES_OUTSIDE;
    CHECK(!opened);
    if (!status) status = parse(pieces, &pieces->envelope, pieces->envelope_line, piece, error);
    piece->is_envelope = true;
    *given = true;
    return status;
}

static enum ddbsim_status list_over(struct pieces *pieces, struct ddbsim_error *error) {
    bool hangs = pieces->had_comma;
    take(pieces);
    pieces->place = pieces->enveloped ? PIECES_ENVELOPE : PIECES_OUTSIDE;
    if (pieces->enveloped) buffer_add(&pieces->envelope, "]", 1);
    if (!hangs) return DDBSIM_OK;
    return fail_at(pieces, pieces->line, error, "a comma stands before the end of the list");
}

static enum ddbsim_status next_element(struct pieces *pieces, struct piece *piece, bool *given,
                                       struct ddbsim_error *error) {
    int byte;
    bool opened, apart = pieces->had_comma || !pieces->had_one;
    enum ddbsim_status status = skip_blanks(pieces, &byte, error);
    if (status) return status;
    if (byte == ']') return list_over(pieces, error);
    if (byte == ',' && !apart) {
        take(pieces);
        pieces->had_comma = true;
        return DDBSIM_OK;
    }
    if (byte < 0) {
        pieces->place = PIECES_OUTSIDE;
        return fail_at(pieces, pieces->line, error, "the file ends inside a list");
    }
    if (byte != '{' || !apart)
        return skip_line(pieces,
                         byte == '{' ? "a comma is missing between two elements of a list"
                                     : "the elements of this list are to be objects",
                         error);
    pieces->had_one = true;
    pieces->had_comma = false;
    *given = true;
    status = next_object(pieces, piece, &opened, error);
    CHECK(!opened);
    return status;
}

/* Only the file's first bytes may be a mark. */
static enum ddbsim_status skip_mark(struct pieces *pieces, struct ddbsim_error *error) {
    for (const char *mark = BYTE_ORDER_MARK; *mark; mark++) {
        int byte;
        enum ddbsim_status status = peek(pieces, &byte, error);
        if (status || byte != (unsigned char)*mark) return status;
        take(pieces);
    }
    return DDBSIM_OK;
}

enum ddbsim_status pieces_next(struct pieces *pieces, struct piece *piece, bool *more,
                               struct ddbsim_error *error) {
    bool given = false, begins = pieces->length == 0 && !pieces->over;
    enum ddbsim_status status = begins ? skip_mark(pieces, error) : DDBSIM_OK;
    *piece = (struct piece){0};
    *more = true;
    while (!status && !given && *more) {
        switch (pieces->place) {
        case PIECES_OUTSIDE:
            status = next_outside(pieces, piece, &given, more, error);
            break;
        case PIECES_LIST:
            status = next_element(pieces, piece, &given, error);
            break;
        case PIECES_ENVELOPE:
            status = next_envelope(pieces, piece, &given, error);
            break;
        }
    }
    return status;
}
