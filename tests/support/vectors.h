/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of others, read from tests/data at run time. Whoever reads a file counts what it used, and compares
 * that with how much there is: a vector that nobody looks at makes its test fail.
 */
#ifndef TESTS_VECTORS_H
#define TESTS_VECTORS_H

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline json_t *vectors_load(const char *name) {
    char path[1024];
    json_error_t error;
    snprintf(path, sizeof path, "%s/retry/%s", TEST_DATA, name);
    json_t *root = json_load_file(path, 0, &error);
    if (!root) fail_msg("%s:%d: %s", path, error.line, error.text);
    return root;
}

static inline json_t *vectors_at(const json_t *object, const char *key) {
    json_t *value = json_object_get(object, key);
    if (!value) fail_msg("%s is missing", key);
    return value;
}

static inline double vectors_number(const json_t *object, const char *key) {
    const json_t *value = vectors_at(object, key);
    if (!json_is_number(value)) fail_msg("%s is no number", key);
    return json_number_value(value);
}

static inline const char *vectors_text(const json_t *object, const char *key) {
    const char *text = json_string_value(vectors_at(object, key));
    if (!text) fail_msg("%s is no text", key);
    return text;
}

/* Objects, at whatever depth, that have this key. */
static inline size_t vectors_count(const json_t *value, const char *key) {
    size_t count = 0, i;
    const char *name;
    json_t *child;
    if (json_is_array(value)) {
        json_array_foreach(value, i, child) count += vectors_count(child, key);
    } else if (json_is_object(value)) {
        count += json_object_get(value, key) != NULL;
        json_object_foreach((json_t *)(uintptr_t)value, name, child) count +=
            vectors_count(child, key);
    }
    return count;
}

/* Calls `line` for each line of a file but the first, which names its columns; returns how many. */
static inline size_t vectors_lines(const char *name, void (*line)(char *text)) {
    char path[1024], text[1024];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/retry/%s", TEST_DATA, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    for (size_t i = 0; fgets(text, sizeof text, file); i++) {
        text[strcspn(text, "\r\n")] = '\0';
        if (i == 0 || !*text) continue;
        line(text);
        count++;
    }
    fclose(file);
    return count;
}

#endif
