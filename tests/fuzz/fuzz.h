/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What fuzz targets share. A target takes any bytes and may end in no way but by returning: a broken
 * promise of the interface aborts, as a sanitizer's finding does. clang's libFuzzer drives a target;
 * replay.c runs one over its corpus under any compiler.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <ddbsim/error.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_PROMISE(expression)                                                     \
    do {                                                                             \
        if (!(expression)) {                                                         \
            fprintf(stderr, "%s:%d: broken: %s\n", __FILE__, __LINE__, #expression); \
            abort();                                                                 \
        }                                                                            \
    } while (0)

/* The input as a text of its own, so that a read behind its end is found. To be freed. */
static inline char *fuzz_text(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    FUZZ_PROMISE(text != NULL);
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* Bad input is refused with a message; nothing that was read has to do with the machine. */
static inline void fuzz_refused(enum ddbsim_status status, const struct ddbsim_error *error) {
    char line[2048];
    if (status == DDBSIM_OK) {
        FUZZ_PROMISE(error->status == DDBSIM_OK);
        return;
    }
    ddbsim_error_format(error, line, sizeof line);
    if (status != DDBSIM_INPUT) fprintf(stderr, "status %d: %s\n", (int)status, line);
    FUZZ_PROMISE(status == DDBSIM_INPUT && error->status == status);
    FUZZ_PROMISE(error->message[0] != '\0');
}

#endif
