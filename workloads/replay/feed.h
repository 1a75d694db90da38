/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of a recording, plain or out of an archive, as blocks or as lines. What is held of them is one block
 * and, at most, one line of RECORDING_LINE_MAX.
 */
#ifndef REPLAY_FEED_H
#define REPLAY_FEED_H

#include <ddbsim/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FEED_HEAD_BYTES \
    ((size_t)64 << 10) /* of its beginning, which can be looked at and given back */

struct feed;

struct feed_line {
    char *text;    /* NULL where it is too long */
    size_t length; /* without its end */
    size_t
        whole; /* with its end; the last byte is a LF, also where the file's last line has none */
    uint64_t number; /* from 1 */
};

/* "-" is standard input. DDBSIM_INPUT where there is no such file or it is a folder. */
DDBSIM_MUST_CHECK enum ddbsim_status feed_create(const char *path, struct feed **out,
                                                 struct ddbsim_error *error);
void feed_destroy(struct feed *feed);
const char *feed_path(const struct feed *feed);
/* Up to FEED_HEAD_BYTES of the beginning, which stay to be read; fewer are all there are. Only before anything was
 * read. The bytes hold until the next call. */
DDBSIM_MUST_CHECK enum ddbsim_status feed_head(struct feed *feed, const char **bytes,
                                               size_t *length, struct ddbsim_error *error);
/* The next line; a byte order mark before the first one is passed over. *more is false past the last one. */
DDBSIM_MUST_CHECK enum ddbsim_status feed_line(struct feed *feed, struct feed_line *line,
                                               bool *more, struct ddbsim_error *error);
/* The next bytes as they are; *got is less than length only at the end. */
DDBSIM_MUST_CHECK enum ddbsim_status feed_bytes(struct feed *feed, void *bytes, size_t length,
                                                size_t *got, struct ddbsim_error *error);
/* Back to the beginning. Of a pipe only as long as its beginning is still in memory. */
DDBSIM_MUST_CHECK enum ddbsim_status feed_rewind(struct feed *feed, struct ddbsim_error *error);

#endif
