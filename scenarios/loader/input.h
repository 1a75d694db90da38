/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where scenario texts come from: a file, standard input, or the gallery, which is found in the
 * installed data directory, else in the source tree that the program was built from.
 */
#ifndef LOADER_INPUT_H
#define LOADER_INPUT_H

#include <base/arena.h>
#include <base/error.h>

struct input_text {
    const char *file; /* as it is called in messages */
    const char *text;
    size_t length;
};

/* `name` as a user gives it: a path, which may be a pipe's, "-", or a gallery name. */
DDBSIM_MUST_CHECK enum ddbsim_status input_read(struct arena *arena, const char *name,
                                                struct input_text *out, struct ddbsim_error *error);
/* `name` as a file gives it: a path or a gallery name. What waits for somebody to write is refused. */
DDBSIM_MUST_CHECK enum ddbsim_status input_read_file(struct arena *arena, const char *name,
                                                     struct input_text *out,
                                                     struct ddbsim_error *error);
/* A path written in another file: relative to that file's folder. NULL when memory is short. */
const char *input_beside(struct arena *arena, const char *file, const char *path);

#endif
