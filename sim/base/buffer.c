/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing text. Invariants: what was added stands NUL-terminated at bytes[0 .. length] unless
 * failed; nothing is added to a buffer that failed.
 */
#include <base/buffer.h>

#include <base/check.h>
#include <base/vector.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for so many more bytes and the NUL behind them. */
static bool make_room(struct buffer *buffer, size_t more) {
    void *items = buffer->bytes;
    size_t need;
    if (buffer->failed) return false;
    buffer->failed = __builtin_add_overflow(buffer->length + 1, more, &need) ||
                     !vector_reserve(&items, &buffer->capacity, need, 1);
    if (!buffer->failed) buffer->bytes = items;
    return !buffer->failed;
}

void buffer_add(struct buffer *buffer, const char *bytes, size_t length) {
    CHECK(bytes != NULL || length == 0);
    if (!make_room(buffer, length)) return;
    if (length > 0) memcpy(buffer->bytes + buffer->length, bytes, length);
    buffer->length += length;
    buffer->bytes[buffer->length] = '\0';
    CHECK(buffer->length < buffer->capacity);
}

void buffer_put(struct buffer *buffer, const char *text) { buffer_add(buffer, text, strlen(text)); }

void buffer_printf(struct buffer *buffer, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) buffer->failed = true; /* the format itself needed memory */
    if (make_room(buffer, length < 0 ? 0 : (size_t)length)) {
        int same = vsnprintf(buffer->bytes + buffer->length, (size_t)length + 1, format, again);
        buffer->failed = same != length;
        buffer->length += (size_t)length;
    }
    va_end(again);
}

char *buffer_finish(struct buffer *buffer) {
    buffer_add(buffer, "", 0); /* an empty text is a text too */
    char *text = buffer->failed ? NULL : buffer->bytes;
    CHECK(buffer->failed || text[buffer->length] == '\0');
    if (buffer->failed) free(buffer->bytes);
    *buffer = (struct buffer){0};
    return text;
}
