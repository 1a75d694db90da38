/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A JSON document, or a template in YAML as the JSON that it stands for, with the means to read it strictly and to
 * say where in the file something is wrong. Keys that nobody asked for are passed over: AWS adds some each year.
 */
#ifndef IMPORT_DOCUMENT_H
#define IMPORT_DOCUMENT_H

#include <base/arena.h>
#include <base/error.h>
#include <jansson.h>

struct document;

/* `text` and `file` must live as long as the document. DDBSIM_INPUT with line and column where it is no JSON. */
DDBSIM_MUST_CHECK enum ddbsim_status document_parse(struct arena *arena, const char *file,
                                                    const char *text, size_t length,
                                                    struct document **out,
                                                    struct ddbsim_error *error);
void document_destroy(struct document *document);
const json_t *document_root(const struct document *document);
const char *document_file(const struct document *document);

/* A child that must be of that type if it is there. NULL: it is not there, or null, or the wrong type, which fails:
 * the first failure stays in the document, and document_status tells it. */
const json_t *document_object(struct document *document, const json_t *object, const char *key);
const json_t *document_array(struct document *document, const json_t *object, const char *key);
const char *document_text(struct document *document, const json_t *object, const char *key);
/* A text that must be there and not be empty. */
const char *document_name(struct document *document, const json_t *object, const char *key);
/* A whole number of low..high; `otherwise` where there is none. */
int64_t document_integer(struct document *document, const json_t *object, const char *key,
                         int64_t low, int64_t high, int64_t otherwise);
double document_number(struct document *document, const json_t *object, const char *key,
                       double otherwise);
bool document_bool(struct document *document, const json_t *object, const char *key,
                   bool otherwise);
/* The objects of an array, by number; fails at what is none. */
const json_t *document_item(struct document *document, const json_t *array, size_t number);

/* Fails at an object, or at its child `key` (NULL: itself). */
void document_fail(struct document *document, const json_t *object, const char *key,
                   const char *format, ...) DDBSIM_PRINTF(4, 5);
void document_hint(struct document *document, const char *format, ...) DDBSIM_PRINTF(2, 3);
/* The first failure, with file, line, column and path. */
DDBSIM_MUST_CHECK enum ddbsim_status document_status(struct document *document,
                                                     struct ddbsim_error *error);

#endif
