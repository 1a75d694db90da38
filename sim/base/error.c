/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Filling and printing a struct ddbsim_error.
 * Invariants: the first failure wins, so a field that is filled is never overwritten; every text
 * ends with NUL inside its array and never in the middle of a UTF-8 sequence.
 */
#include <base/error.h>

#include <base/check.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* A text cut at its array's end may have lost the tail of its last character: drop the rest of it.
 */
static void trim_partial_character(char *text) {
    size_t length = strlen(text);
    size_t start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0) return;
    unsigned char lead = (unsigned char)text[start - 1];
    size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    if (wanted > length - start + 1) text[start - 1] = '\0';
}

static void fill(char *text, size_t size, const char *format, va_list arguments)
    DDBSIM_PRINTF(3, 0);

static void fill(char *text, size_t size, const char *format, va_list arguments) {
    CHECK(size > 0);
    int length = vsnprintf(text, size, format, arguments);
    CHECK(length >= 0);
    if ((size_t)length >= size) trim_partial_character(text);
}

static void copy(char *text, size_t size, const char *from) {
    CHECK(size > 0 && from != NULL);
    size_t length = strnlen(from, size);
    bool cut = length == size;
    if (cut) length = size - 1;
    memcpy(text, from, length);
    text[length] = '\0';
    if (cut) trim_partial_character(text);
}

enum ddbsim_status error_set(struct ddbsim_error *error, enum ddbsim_status status,
                             const char *format, ...) {
    CHECK(status != DDBSIM_OK);
    if (!error || error->status != DDBSIM_OK) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    fill(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}

void error_hint(struct ddbsim_error *error, const char *format, ...) {
    if (!error || error->hint[0]) return;
    va_list arguments;
    va_start(arguments, format);
    fill(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}

void error_place(struct ddbsim_error *error, const char *file, int line, int column) {
    CHECK(line >= 0 && column >= 0);
    if (!error || error->file[0] || error->line) return;
    copy(error->file, sizeof error->file, file ? file : "");
    error->line = line;
    error->column = column;
}

void error_path(struct ddbsim_error *error, const char *path) {
    if (error && !error->path[0]) copy(error->path, sizeof error->path, path ? path : "");
}

enum ddbsim_status error_memory(struct ddbsim_error *error) {
    return error_set(error, DDBSIM_ENVIRONMENT, "out of memory");
}

/* A text that is written as far as it fits and measured as a whole, as snprintf does. */
struct measured_text {
    char *buffer;
    size_t size, length;
};

static void append(struct measured_text *text, const char *format, ...) DDBSIM_PRINTF(2, 3);

static void append(struct measured_text *text, const char *format, ...) {
    size_t room = text->length < text->size ? text->size - text->length : 0;
    va_list arguments;
    va_start(arguments, format);
    int added = vsnprintf(room ? text->buffer + text->length : NULL, room, format, arguments);
    va_end(arguments);
    CHECK(added >= 0);
    text->length += (size_t)added;
}

size_t ddbsim_error_format(const struct ddbsim_error *error, char *buffer, size_t size) {
    CHECK(error != NULL && (buffer != NULL || size == 0));
    struct measured_text text = {buffer, size, 0};
    if (error->file[0]) append(&text, "%s:", error->file);
    if (error->line > 0) append(&text, "%d:", error->line);
    if (error->line > 0 && error->column > 0) append(&text, "%d:", error->column);
    if (text.length > 0) append(&text, " ");
    if (error->path[0]) append(&text, "%s: ", error->path);
    append(&text, "%s", error->message);
    if (error->hint[0]) append(&text, " (%s)", error->hint);
    return text.length;
}
