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
/* The same of a template in YAML (document_yaml.c), whose tags !Ref and !Fn stand as {"Ref": ...} and {"Fn::Fn": ...}. */
DDBSIM_MUST_CHECK enum ddbsim_status document_parse_yaml(struct arena *arena, const char *file,
                                                         const char *text, size_t length,
                                                         struct document **out,
                                                         struct ddbsim_error *error);

/* Where a value of a document that was not JSON stands. */
struct document_place {
    const json_t *value;
    int line, column;
};
/* Takes the root over, whatever happens; NULL when memory is short. The places must live as long as the document. */
struct document *document_made(struct arena *arena, const char *file, json_t *root,
                               const struct document_place *places, size_t count);
void document_destroy(struct document *document);
const json_t *document_root(const struct document *document);
/* The root, for whoever puts other values in the place of some: places stay right where the order of keys does. */
json_t *document_edit(struct document *document);
/* Keeps a value that is no longer part of the tree, so that its place is nobody else's. Takes it over. */
void document_keep(struct document *document, json_t *value);
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

/* From now on it is kept which keys are asked for; document_unread then names those of objects that were read and
 * have others: "Table.TableId, Table.TableStatus", at most so many bytes. Returns how many there are. */
void document_watch(struct document *document);
size_t document_unread(struct document *document, char *out, size_t size);

/* Fails at an object, or at its child `key` (NULL: itself). */
void document_fail(struct document *document, const json_t *object, const char *key,
                   const char *format, ...) DDBSIM_PRINTF(4, 5);
void document_hint(struct document *document, const char *format, ...) DDBSIM_PRINTF(2, 3);
/* The first failure, with file, line, column and path. */
DDBSIM_MUST_CHECK enum ddbsim_status document_status(struct document *document,
                                                     struct ddbsim_error *error);

#endif
