/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A text that jansson refuses is cleaned, so that it refuses again for want of memory alone. */
#include <plots/tojson.h>

#include <base/error.h>
#include <math.h>
#include <plots/text.h>
#include <stdlib.h>
#include <string.h>

json_t *tojson_text(const char *text) {
    if (!text) return json_null();
    json_t *value = json_string(text);
    if (value) return value;
    size_t size = 3 * strlen(text) + 1; /* U+FFFD has three bytes */
    char *clean = malloc(size);
    if (!clean) return NULL;
    text_clean(text, clean, size);
    value = json_string(clean);
    free(clean);
    return value;
}

json_t *tojson_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *tojson_append(json_t *list, json_t *item) {
    if (json_array_append_new(list, item) == 0) return list;
    json_decref(list);
    return NULL;
}

json_t *tojson_set(json_t *object, const char *key, json_t *value) {
    json_t *name = tojson_text(key);
    if (name && json_object_set_new(object, json_string_value(name), value) == 0) {
        json_decref(name);
        return object;
    }
    if (!name) json_decref(value);
    json_decref(name);
    json_decref(object);
    return NULL;
}

enum ddbsim_status tojson_print(json_t *document, FILE *out, struct ddbsim_error *error) {
    int failed =
        document ? json_dumpf(document, out, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) : -1;
    json_decref(document);
    if (failed && !ferror(out)) return error_memory(error);
    fputc('\n', out);
    return DDBSIM_OK;
}
