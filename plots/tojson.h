/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON that is whole or not at all. Everything here returns NULL when memory is short and passes a NULL
 * on, as json_pack does, so that whoever builds a document looks once, at its end.
 */
#ifndef PLOTS_TOJSON_H
#define PLOTS_TOJSON_H

#include <ddbsim/error.h>
#include <jansson.h>
#include <stdio.h>

/* null where there is no text. What is not UTF-8 in it (a foreign key) becomes U+FFFD. */
json_t *tojson_text(const char *text);
/* null where there is no finite number. */
json_t *tojson_number(double value);
/* A list with one more, an object with one more; both parts are taken over, whatever happens. */
json_t *tojson_append(json_t *list, json_t *item);
json_t *tojson_set(json_t *object, const char *key, json_t *value);
/* Prints a document and lets go of it. A stream that fails remembers it; that is no failure here. */
DDBSIM_MUST_CHECK enum ddbsim_status tojson_print(json_t *document, FILE *out,
                                                  struct ddbsim_error *error);

#endif
