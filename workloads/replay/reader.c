/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What readers of all formats share: texts into values, and why they cannot be.
 * Invariant: a function that returns false has filled bad_message.
 */
#include <workloads/replay/reader.h>

#include <base/check.h>
#include <base/error.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <workloads/replay/verb.h>

#define QUOTE_BYTES 48
#define PERIOD_MOST_NS (INT64_C(366) * 86400 * 1000000000)
#define MEMOS (sizeof((struct reader *)0)->memo / sizeof(struct reader_memo))

const char *reader_quote(const char *text, size_t length, char *out, size_t size) {
    size_t used = 0;
    CHECK(size > 4);
    for (size_t i = 0; i < length && used < size - 4; i++)
        out[used++] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    snprintf(out + used, size - used, "%s", used < length ? "..." : "");
    return out;
}

bool reader_bad(struct reader *reader, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->bad_message, sizeof reader->bad_message, format, arguments);
    va_end(arguments);
    return false;
}

enum ddbsim_status reader_fail(const struct reader *reader, uint64_t line,
                               struct ddbsim_error *error, const char *format, ...) {
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(error, DDBSIM_INPUT, "%s", message);
    error_place(error, feed_path(reader->feed), line > INT_MAX ? 0 : (int)line, 0);
    return DDBSIM_INPUT;
}

static bool bad_text(struct reader *reader, const char *what, const char *text, size_t length,
                     const char *why) {
    char quoted[QUOTE_BYTES];
    if (length == 0) return reader_bad(reader, "the %s %s", what, why);
    reader_quote(text, length, quoted, sizeof quoted);
    return reader_bad(reader, "the %s \"%s\" %s", what, quoted, why);
}

bool reader_time(struct reader *reader, const char *text, size_t length, int64_t *t_ns) {
    struct reader_last_time *last = &reader->last_time;
    if (length > 0 && last->length == length && memcmp(last->text, text, length) == 0) {
        *t_ns = last->t_ns;
        return true;
    }
    const char *why = stamp_read(&reader->clock, text, length, t_ns);
    if (!why && length <= sizeof last->text) {
        memcpy(last->text, text, length);
        last->length = length;
        last->t_ns = *t_ns;
    }
    return !why || bad_text(reader, "time", text, length, why);
}

bool reader_size(struct reader *reader, const char *what, const char *text, size_t length,
                 int64_t *bytes) {
    struct decimal decimal;
    *bytes = RECORDING_UNKNOWN;
    if (length == 0 || decimal_digits(text, length, bytes)) return true;
    if (!decimal_parse(text, length, &decimal) || !decimal_is_whole(&decimal))
        return bad_text(reader, what, text, length, "is no whole number of bytes");
    if (decimal.negative && decimal.mantissa > 0)
        return bad_text(reader, what, text, length, "is negative");
    return decimal_scaled(&decimal, 0, bytes) ||
           bad_text(reader, what, text, length, "is beyond any range");
}

bool reader_count(struct reader *reader, const char *text, size_t length, double *count) {
    struct decimal decimal;
    int64_t whole;
    if (length == 0) return true;
    if (decimal_digits(text, length, &whole)) {
        *count = (double)whole;
        return true;
    }
    if (!decimal_parse(text, length, &decimal))
        return bad_text(reader, "count", text, length, "is no number");
    *count = decimal_double(&decimal);
    return true;
}

bool reader_period(struct reader *reader, const char *text, size_t length, int64_t *period_ns) {
    struct decimal decimal;
    if (length == 0) return true;
    if (!decimal_parse(text, length, &decimal) || decimal.negative ||
        !decimal_scaled(&decimal, 9, period_ns) || *period_ns > PERIOD_MOST_NS)
        return bad_text(reader, "period", text, length, "is no number of seconds up to a year");
    return true;
}

int reader_operation_or_none(struct reader *reader, const char *text, size_t length) {
    if (length == 0) return RECORDING_UNKNOWN;
    for (size_t i = 0; i < MEMOS; i++) {
        const struct reader_memo *memo = &reader->memo[i];
        if (memo->length == length && !memcmp(memo->word, text, length)) return memo->operation;
    }
    int operation = verb_operation(text, length);
    if (length > sizeof reader->memo[0].word) return operation;
    struct reader_memo *memo = &reader->memo[reader->memo_next++ % MEMOS];
    memcpy(memo->word, text, length);
    memo->length = (uint8_t)length;
    memo->operation = operation;
    return operation;
}

bool reader_operation(struct reader *reader, const char *text, size_t length, int *operation) {
    *operation = reader_operation_or_none(reader, text, length);
    return length == 0 || *operation != RECORDING_UNKNOWN ||
           bad_text(reader, "operation", text, length, "is none that is known");
}
