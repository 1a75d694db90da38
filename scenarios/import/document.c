/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading documents strictly. jansson keeps no places, so a place is found when something is wrong with it: the
 * value is looked for in the tree, which gives its path, and the path is walked again in the text, which is known
 * to be JSON by then.
 *
 * Invariant: where document_status is not yet asked for, the first failure is kept and later ones are not.
 */
#include "document.h"

#include <base/check.h>
#include <base/vector.h>
#include <loader/literal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64 /* of a path in messages; what lies deeper is placed there */

struct document {
    struct arena *arena;
    const char *file, *text;
    size_t length;
    json_t *root, *kept;
    const struct document_place *places; /* of a text that is no JSON */
    size_t place_count;
    struct ddbsim_error error;
    bool watched;
    struct asked *asked; /* what was, newest last */
    size_t asked_count, asked_capacity;
};

/* A key that was asked for, there or not. */
struct asked {
    const json_t *object;
    const char *key; /* a literal of the program */
};

/* ---- places ---- */

/* From the root down: the number of each child among its siblings, and how a path calls it. */
struct trail {
    size_t numbers[DEPTH_MAX];
    const char *keys[DEPTH_MAX]; /* NULL: an entry of a list */
    size_t depth;
};

static bool find(const json_t *value, const json_t *wanted, struct trail *trail) {
    if (value == wanted) return true;
    if (trail->depth == DEPTH_MAX || (!json_is_object(value) && !json_is_array(value)))
        return false;
    size_t depth = trail->depth, number = 0;
    const char *key;
    json_t *child;
    trail->depth++;
    json_object_foreach((json_t *)(uintptr_t)value, key, child) {
        trail->keys[depth] = key;
        trail->numbers[depth] = number++;
        if (find(child, wanted, trail)) return true;
    }
    json_array_foreach(value, number, child) {
        trail->keys[depth] = NULL;
        trail->numbers[depth] = number;
        if (find(child, wanted, trail)) return true;
    }
    trail->depth = depth;
    return false;
}

static const char *skip_space(const char *at) { return at + strspn(at, " \t\r\n"); }

static const char *skip_string(const char *at) {
    for (at++; *at && *at != '"'; at++)
        if (*at == '\\' && at[1]) at++;
    return *at ? at + 1 : at;
}

/* Behind a value; the text is JSON. */
static const char *skip_value(const char *at) {
    size_t depth = 0;
    do {
        at = skip_space(at);
        if (*at == '"')
            at = skip_string(at);
        else if (strchr("[{", *at) && *at)
            depth++, at++;
        else if (strchr("]}", *at) && *at)
            depth--, at++;
        else if (strchr(",:", *at) && *at)
            at++;
        else
            at += strcspn(at, " \t\r\n,:]}[{\"");
        at = skip_space(at);
    } while (depth > 0 && *at);
    return at;
}

/* The number-th child of the value that begins here: its value, or the key before it. */
static const char *enter(const char *at, size_t number, bool of_object, bool key_wanted) {
    at = skip_space(at);
    if (*at) at = skip_space(at + 1);
    for (;; number--) {
        const char *key = at;
        if (of_object) at = skip_space(skip_string(at));
        if (of_object && *at == ':') at = skip_space(at + 1);
        if (number == 0) return of_object && key_wanted ? key : at;
        at = skip_space(skip_value(at));
        if (*at == ',') at = skip_space(at + 1);
        if (!*at) return at;
    }
}

static void set_place(struct document *document, const char *at) {
    int line = 1, column = 1;
    for (const char *c = document->text; c < at; c++) {
        column++;
        if (*c == '\n') {
            line++;
            column = 1;
        }
    }
    error_place(&document->error, document->file, line, column);
}

static void set_path(struct document *document, const struct trail *trail) {
    char path[sizeof document->error.path];
    size_t used = 0;
    path[0] = '\0';
    for (size_t i = 0; i < trail->depth && used + 1 < sizeof path; i++) {
        int wrote =
            trail->keys[i]
                ? snprintf(path + used, sizeof path - used, "%s%s", i ? "." : "", trail->keys[i])
                : snprintf(path + used, sizeof path - used, "[%zu]", trail->numbers[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    error_path(&document->error, path);
}

/* The child's place, else the object's. */
static void set_kept_place(struct document *document, const json_t *object, const char *key) {
    const json_t *child = key ? json_object_get(object, key) : NULL;
    const struct document_place *best = NULL;
    for (size_t i = 0; i < document->place_count; i++) {
        const struct document_place *each = &document->places[i];
        if (each->value == child || (each->value == object && !best)) best = each;
        if (each->value == child && child) break;
    }
    error_place(&document->error, document->file, best ? best->line : 0, best ? best->column : 0);
}

static void place(struct document *document, const json_t *object, const char *key) {
    struct trail trail = {0};
    if (!find(document->root, object, &trail)) {
        error_place(&document->error, document->file, 0, 0);
        return;
    }
    if (key && trail.depth < DEPTH_MAX && json_object_get(object, key)) {
        size_t number = 0;
        const char *each;
        json_t *child;
        json_object_foreach((json_t *)(uintptr_t)object, each, child) {
            if (!strcmp(each, key)) break;
            number++;
        }
        trail.keys[trail.depth] = key;
        trail.numbers[trail.depth++] = number;
    }
    set_path(document, &trail);
    if (document->places) {
        set_kept_place(document, object, key);
        return;
    }
    const char *at = document->text;
    for (size_t i = 0; i < trail.depth; i++)
        at = enter(at, trail.numbers[i], trail.keys[i] != NULL, i + 1 == trail.depth);
    set_place(document, skip_space(at));
}

/* ---- the document ---- */

static enum ddbsim_status fail_syntax(const char *file, const json_error_t *problem,
                                      struct ddbsim_error *error) {
    json_t *probe = json_object();
    json_decref(probe);
    /* What is wrong with a text has a line. */
    if (!probe || json_error_code(problem) == json_error_out_of_memory || problem->line < 1)
        return error_memory(error);
    error_set(error, DDBSIM_INPUT, "this is no JSON: %s", problem->text);
    error_place(error, file, problem->line, problem->column > 0 ? problem->column : 1);
    if (json_error_code(problem) == json_error_premature_end_of_input)
        error_hint(error, "the file ends in the middle: was it cut off?");
    return DDBSIM_INPUT;
}

enum ddbsim_status document_parse(struct arena *arena, const char *file, const char *text,
                                  size_t length, struct document **out,
                                  struct ddbsim_error *error) {
    struct document *document = arena_alloc(arena, 1, sizeof *document);
    json_error_t problem = {0};
    if (!document) return error_memory(error);
    *document = (struct document){.arena = arena, .file = file, .text = text, .length = length};
    size_t bom = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    document->text += bom;
    document->length -= bom;
    /* jansson tells some want of memory as a mistake in the text; a real one is there when it is read again. */
    for (int tries = 0; tries < 2 && !document->root; tries++)
        document->root =
            json_loadb(document->text, document->length, JSON_REJECT_DUPLICATES, &problem);
    if (!document->root) return fail_syntax(file, &problem, error);
    *out = document;
    return DDBSIM_OK;
}

struct document *document_made(struct arena *arena, const char *file, json_t *root,
                               const struct document_place *places, size_t count) {
    struct document *document = arena_alloc(arena, 1, sizeof *document);
    if (document)
        *document = (struct document){.arena = arena,
                                      .file = file,
                                      .text = "",
                                      .root = root,
                                      .places = places,
                                      .place_count = count};
    else
        json_decref(root);
    return document;
}

void document_destroy(struct document *document) {
    if (!document) return;
    json_decref(document->root);
    json_decref(document->kept);
    free(document->asked);
}

const json_t *document_root(const struct document *document) { return document->root; }
json_t *document_edit(struct document *document) { return document->root; }

void document_keep(struct document *document, json_t *value) {
    if (!document->kept) document->kept = json_array();
    if (json_array_append_new(document->kept, value)) (void)error_memory(&document->error);
}
const char *document_file(const struct document *document) { return document->file; }

/* ---- failing ---- */

void document_fail(struct document *document, const json_t *object, const char *key,
                   const char *format, ...) {
    char message[sizeof document->error.message];
    va_list arguments;
    if (document->error.status != DDBSIM_OK) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(&document->error, DDBSIM_INPUT, "%s", message);
    place(document, object, key);
}

void document_hint(struct document *document, const char *format, ...) {
    char hint[sizeof document->error.hint];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(hint, sizeof hint, format, arguments);
    va_end(arguments);
    if (!*document->error.hint) error_hint(&document->error, "%s", hint);
}

enum ddbsim_status document_status(struct document *document, struct ddbsim_error *error) {
    if (document->error.status != DDBSIM_OK && error && error->status == DDBSIM_OK)
        *error = document->error;
    return document->error.status;
}

/* ---- what nobody asked for ---- */

void document_watch(struct document *document) { document->watched = true; }

static void note_asked(struct document *document, const json_t *object, const char *key) {
    void *items = document->asked;
    if (!document->watched || !object) return;
    if (!vector_reserve(&items, &document->asked_capacity, document->asked_count + 1,
                        sizeof *document->asked)) {
        (void)error_memory(&document->error);
        return;
    }
    document->asked = items;
    document->asked[document->asked_count++] = (struct asked){object, key};
}

static int by_object(const void *a, const void *b) {
    const struct asked *x = a, *y = b;
    if (x->object != y->object) return (uintptr_t)x->object < (uintptr_t)y->object ? -1 : 1;
    return strcmp(x->key, y->key);
}

static bool was_asked(const struct document *document, const json_t *object, const char *key) {
    const struct asked wanted = {object, key};
    return bsearch(&wanted, document->asked, document->asked_count, sizeof wanted, by_object);
}

/* Adds "PATH.KEY" of each key of an object that was read, unless it stands there already. */
struct unread {
    struct document *document;
    char *out, path[240];
    size_t size, count;
};

static void add_unread(struct unread *unread, const char *key) {
    char name[320];
    size_t used = strlen(unread->out);
    int length = snprintf(name, sizeof name, "%s%s%s", unread->path, *unread->path ? "." : "", key);
    if (length < 0 || (size_t)length >= sizeof name) return;
    const char *found = strstr(unread->out, name);
    if (found && strchr(", ", found[length])) return;
    unread->count++;
    if (used + (size_t)length + 3 < unread->size)
        snprintf(unread->out + used, unread->size - used, "%s%s", used ? ", " : "", name);
}

/* No entry of a list has a number in these paths: what AWS adds, it adds to all. */
static void walk_unread(struct unread *unread, const json_t *value, size_t depth) {
    size_t length = strlen(unread->path), number;
    const char *key;
    json_t *child;
    bool read = false;
    if (depth == DEPTH_MAX) return;
    json_object_foreach((json_t *)(uintptr_t)value, key, child) read =
        read || was_asked(unread->document, value, key);
    json_object_foreach((json_t *)(uintptr_t)value, key, child) {
        if (read && !was_asked(unread->document, value, key)) {
            add_unread(unread, key);
            continue;
        }
        snprintf(unread->path + length, sizeof unread->path - length, "%s%s", length ? "." : "",
                 key);
        walk_unread(unread, child, depth + 1);
        unread->path[length] = '\0';
    }
    json_array_foreach(value, number, child) walk_unread(unread, child, depth + 1);
}

size_t document_unread(struct document *document, char *out, size_t size) {
    struct unread unread = {.document = document, .out = out, .size = size};
    CHECK(size > 0);
    out[0] = '\0';
    if (document->asked_count)
        qsort(document->asked, document->asked_count, sizeof *document->asked, by_object);
    if (document->asked_count) walk_unread(&unread, document->root, 0);
    return unread.count;
}

/* ---- children ---- */

static const char *type_name(const json_t *value) {
    static const char *const names[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list",  [JSON_STRING] = "a text",
        [JSON_INTEGER] = "a number", [JSON_REAL] = "a number", [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",      [JSON_NULL] = "null"};
    return names[json_typeof(value)];
}

/* The child, if it is there and not null. */
static const json_t *child_of(struct document *document, const json_t *object, const char *key) {
    note_asked(document, object, key);
    const json_t *child = json_object_get(object, key);
    return child && !json_is_null(child) ? child : NULL;
}

static void fail_type(struct document *document, const json_t *object, const char *key,
                      const char *wanted) {
    document_fail(document, object, key, "\"%.60s\" is %s where %s is expected", key,
                  type_name(child_of(document, object, key)), wanted);
}

const json_t *document_object(struct document *document, const json_t *object, const char *key) {
    const json_t *child = child_of(document, object, key);
    if (!child || json_is_object(child)) return child;
    fail_type(document, object, key, "an object");
    return NULL;
}

const json_t *document_array(struct document *document, const json_t *object, const char *key) {
    const json_t *child = child_of(document, object, key);
    if (!child || json_is_array(child)) return child;
    fail_type(document, object, key, "a list");
    return NULL;
}

const char *document_text(struct document *document, const json_t *object, const char *key) {
    const json_t *child = child_of(document, object, key);
    if (!child) return NULL;
    if (!json_is_string(child)) {
        fail_type(document, object, key, "a text");
        return NULL;
    }
    return json_string_value(child);
}

const char *document_name(struct document *document, const json_t *object, const char *key) {
    const char *text = document_text(document, object, key);
    if (text && *text) return text;
    if (text || !child_of(document, object, key))
        document_fail(document, object, text ? key : NULL,
                      text ? "\"%.60s\" is empty" : "\"%.60s\" is missing", key);
    return NULL;
}

/* Numbers may be written as texts, as templates do. */
static bool number_of(const json_t *value, double *out) {
    struct literal_problem ignored;
    const char *text = json_string_value(value);
    if (text) return literal_decimal(text, out, &ignored);
    if (!json_is_number(value)) return false;
    *out = json_number_value(value);
    return true;
}

double document_number(struct document *document, const json_t *object, const char *key,
                       double otherwise) {
    const json_t *child = child_of(document, object, key);
    double value = otherwise;
    if (child && !number_of(child, &value)) fail_type(document, object, key, "a number");
    return value;
}

int64_t document_integer(struct document *document, const json_t *object, const char *key,
                         int64_t low, int64_t high, int64_t otherwise) {
    CHECK(low <= high && high <= INT64_C(1) << 53);
    const json_t *child = child_of(document, object, key);
    double value = 0;
    if (!child) return otherwise;
    if (!number_of(child, &value)) {
        fail_type(document, object, key, "a number");
        return otherwise;
    }
    if (value >= (double)low && value <= (double)high && value == (double)(int64_t)value)
        return (int64_t)value;
    document_fail(document, object, key, "\"%.60s\" is %.17g, and no whole number of %lld to %lld",
                  key, value, (long long)low, (long long)high);
    return otherwise;
}

bool document_bool(struct document *document, const json_t *object, const char *key,
                   bool otherwise) {
    const json_t *child = child_of(document, object, key);
    const char *text = json_string_value(child);
    if (!child) return otherwise;
    if (json_is_boolean(child)) return json_is_true(child);
    if (text && (!strcmp(text, "true") || !strcmp(text, "false"))) return !strcmp(text, "true");
    fail_type(document, object, key, "true or false");
    return otherwise;
}

const json_t *document_item(struct document *document, const json_t *array, size_t number) {
    const json_t *item = json_array_get(array, number);
    if (!item || json_is_object(item)) return item;
    document_fail(document, array, NULL, "entry %zu of the list is %s where an object is expected",
                  number + 1, type_name(item));
    return NULL;
}
