/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Paths: keys and entry names joined by dots, * for all, names with dots in quotes. The one grammar
 * of
 * --set, set: and every message: tables."a.b".indexes.*.write_capacity
 */
#ifndef LOADER_PATH_H
#define LOADER_PATH_H

#include <base/arena.h>
#include <base/error.h>

#define PATH_SEGMENTS_MAX 16

struct path_segment {
    const char *name;
    bool all; /* an unquoted * */
};

struct path {
    const char *text;
    struct path_segment segments[PATH_SEGMENTS_MAX];
    uint32_t count;
};

DDBSIM_MUST_CHECK enum ddbsim_status path_parse(struct arena *arena, const char *text,
                                                struct path *out, struct ddbsim_error *error);
/* `base` with one more segment, quoted where it must be; NULL when memory is short. */
char *path_join(struct arena *arena, const char *base, const char *name);
/* Where PATH ends in "PATH=VALUE"; NULL without an = outside quotes. */
const char *path_equals(const char *text);

#endif
