/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings from texts in memory, and their rows as text, so that a test shows both. */
#ifndef TESTS_RECORDING_FIXTURE_H
#define TESTS_RECORDING_FIXTURE_H

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include <ddbsim/ddbsim.h>
#include <workloads/replay/recording.h>

struct recording_file { /* a file in memory, under a path of its own */
    int descriptor;
    char path[64];
};

static inline struct recording_file recording_file_of(const void *bytes, size_t length) {
    struct recording_file file = {.descriptor = memfd_create("recording", MFD_CLOEXEC)};
    assert_true(file.descriptor >= 0);
    for (size_t done = 0; done < length;) {
        ssize_t count = write(file.descriptor, (const char *)bytes + done, length - done);
        assert_true(count > 0);
        done += (size_t)count;
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

/* A row as "t_ns key sort operation size count table", a dash for what it does not say, with what is not usual behind:
 * "+period", "throttled". */
static inline void recording_put_row(const struct recorded *row, char *out, size_t size) {
    const char *operation = row->operation < 0 ? "-" : ddbsim_operation_name(row->operation);
    char period[40] = "", bytes[24] = "-";
    if (row->period_ns > 0) snprintf(period, sizeof period, " +%lld", (long long)row->period_ns);
    if (row->item_bytes >= 0) snprintf(bytes, sizeof bytes, "%lld", (long long)row->item_bytes);
    if (row->key) assert_int_equal(strlen(row->key), row->key_bytes);
    if (row->sort) assert_int_equal(strlen(row->sort), row->sort_bytes);
    snprintf(out, size, "%lld %s %s %s %s %g %s%s%s\n", (long long)row->t_ns,
             row->key ? row->key : "-", row->sort ? row->sort : "-", operation, bytes, row->count,
             row->table ? row->table : "-", period, row->throttled ? " throttled" : "");
}

/* All rows, to be freed; NULL with the error filled. */
static inline char *recording_rows(struct recording *recording, struct ddbsim_error *error) {
    size_t size = 1 << 22, used = 0;
    char *text = malloc(size);
    struct recorded row;
    bool more = true;
    assert_non_null(text);
    text[0] = '\0';
    for (;;) {
        enum ddbsim_status status = recording_next(recording, &row, &more, error);
        assert_int_equal(status, error->status);
        if (status) free(text);
        if (status) return NULL;
        if (!more) return text;
        recording_put_row(&row, text + used, size - used);
        used += strlen(text + used);
    }
}

/* The bytes as a recording; the options' file is ignored. NULL with the error filled. */
static inline struct recording *recording_of(const void *bytes, size_t length,
                                             struct recording_options options,
                                             struct ddbsim_error *error) {
    struct recording *recording;
    struct recording_file file = recording_file_of(bytes, length);
    options.file = file.path;
    enum ddbsim_status status = recording_create(&options, &recording, error);
    assert_int_equal(status, error->status);
    assert_int_equal(recording != NULL, status == DDBSIM_OK);
    close(file.descriptor);
    return recording;
}

/* What a text is read as, twice: after a rewind it is the same. */
static inline void recording_expect(const char *text, struct recording_options options,
                                    const char *expected) {
    struct ddbsim_error error = {0};
    struct recording *recording = recording_of(text, strlen(text), options, &error);
    if (!recording) fail_msg("%s", error.message);
    for (int i = 0; i < 2; i++) {
        char *rows = recording_rows(recording, &error);
        if (!rows) fail_msg("line %d: %s", error.line, error.message);
        assert_string_equal(rows, expected);
        free(rows);
        assert_int_equal(recording_rewind(recording, &error), DDBSIM_OK);
    }
    recording_destroy(recording);
}

/* It is refused, at this line (0: none) and in words that have `words` in them. */
static inline void recording_refuse_bytes(const void *bytes, size_t length,
                                          struct recording_options options, int line,
                                          const char *words) {
    struct ddbsim_error error = {0};
    struct recording *recording = recording_of(bytes, length, options, &error);
    char *rows = recording ? recording_rows(recording, &error) : NULL;
    if (rows) fail_msg("not refused: %s", rows);
    assert_int_equal(error.status, DDBSIM_INPUT);
    if (!strstr(error.message, words)) fail_msg("\"%s\" lacks \"%s\"", error.message, words);
    assert_int_equal(error.line, line);
    recording_destroy(recording);
}

static inline void recording_refuse(const char *text, struct recording_options options, int line,
                                    const char *words) {
    recording_refuse_bytes(text, strlen(text), options, line, words);
}

/* Bad rows are passed over: so many, the first of them for this reason; what is left is as expected. */
static inline void recording_expect_skipping(const char *text, size_t length,
                                             struct recording_options options, const char *expected,
                                             uint64_t skipped, const char *first) {
    struct ddbsim_error error = {0};
    options.skip_bad_rows = true;
    struct recording *recording = recording_of(text, length, options, &error);
    if (!recording) fail_msg("%s", error.message);
    char *rows = recording_rows(recording, &error);
    if (!rows) fail_msg("line %d: %s", error.line, error.message);
    assert_string_equal(rows, expected);
    const struct recording_facts *facts = recording_facts(recording);
    assert_int_equal(facts->skipped, skipped);
    if (!strstr(facts->first_skipped, first))
        fail_msg("\"%s\" lacks \"%s\"", facts->first_skipped, first);
    free(rows);
    recording_destroy(recording);
}

#endif
