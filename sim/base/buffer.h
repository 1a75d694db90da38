/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A text made piece by piece. A failure for want of memory sticks, so that whoever builds asks once, at
 * the end. (A stream of open_memstream forgets such a failure: glibc drops what did not fit.)
 */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <base/types.h>

struct buffer { /* all zero: empty */
    char *bytes;
    size_t length, capacity;
    bool failed;
};

void buffer_add(struct buffer *buffer, const char *bytes, size_t length);
void buffer_put(struct buffer *buffer, const char *text);
void buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The text, to be freed, and an empty buffer; NULL when memory was short. */
char *buffer_finish(struct buffer *buffer);

#endif
