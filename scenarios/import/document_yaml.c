/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Templates in YAML, as CloudFormation and SAM read them, made into the JSON that they stand for: `!Ref X` is
 * {"Ref": "X"}, `!Sub X` is {"Fn::Sub": "X"}, `!GetAtt A.B` is {"Fn::GetAtt": ["A", "B"]} (CloudFormation user guide,
 * "Intrinsic function reference"). Numbers, booleans and null that are not quoted are such in JSON.
 *
 * Invariants: aliases are refused, so what comes out is no larger than what went in; nesting is bounded before anything
 * is built; each object and text has its place.
 */
#include "document.h"

#include <base/vector.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#define DEPTH_MAX 64

/* An object or list that is not closed yet. */
struct open {
    json_t *value; /* owned */
    json_t *
        outermost; /* what is hung into the parent: `value`, or the object that its tag makes; owned with it */
    char *key; /* of the next child of an object; owned */
};

struct builder {
    struct arena *arena;
    const char *file;
    struct ddbsim_error *error;
    json_t *root;
    struct open open[DEPTH_MAX];
    size_t depth;
    struct document_place *places;
    size_t place_count, place_capacity;
    bool short_of_memory, has_document;
};

static enum ddbsim_status refuse(struct builder *b, yaml_mark_t mark, const char *message,
                                 const char *hint) {
    error_set(b->error, DDBSIM_INPUT, "%s", message);
    error_place(b->error, b->file, (int)mark.line + 1, (int)mark.column + 1);
    if (hint) error_hint(b->error, "%s", hint);
    return DDBSIM_INPUT;
}

static void keep_place(struct builder *b, const json_t *value, yaml_mark_t mark) {
    void *items = b->places;
    if (!vector_reserve(&items, &b->place_capacity, b->place_count + 1, sizeof *b->places)) {
        b->short_of_memory = true;
        return;
    }
    b->places = items;
    b->places[b->place_count++] = (struct document_place){
        .value = value, .line = (int)mark.line + 1, .column = (int)mark.column + 1};
}

/* ---- scalars ---- */

/* Is it a number as JSON writes one? Leading zeros make a text, such as an account's number. */
static bool is_number(const char *text) {
    const char *at = text + (*text == '-');
    size_t digits = strspn(at, "0123456789");
    if (!digits || (*at == '0' && digits > 1)) return false;
    at += digits;
    if (*at == '.') {
        digits = strspn(at + 1, "0123456789");
        at += digits ? digits + 1 : 0;
    }
    return !*at && strlen(text) <= 18;
}

static json_t *plain_value(const char *text, size_t length) {
    if (!*text || !strcmp(text, "null") || !strcmp(text, "~")) return json_null();
    if (!strcmp(text, "true") || !strcmp(text, "false")) return json_boolean(*text == 't');
    if (is_number(text)) return json_loads(text, JSON_DECODE_ANY, NULL);
    return json_stringn(text, length);
}

static json_t *scalar_value(const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE && !event->data.scalar.tag;
    return plain ? plain_value(text, length) : json_stringn(text, length);
}

/* ---- tags ---- */

/* The key that a short tag stands for; NULL: it is none of CloudFormation's (YAML's own begin with tag:). */
static const char *tag_key(const yaml_char_t *tag, char *out, size_t size) {
    const char *name = (const char *)tag;
    if (!name || *name != '!' || !name[1] || strlen(name) > 40) return NULL;
    bool bare = !strcmp(name, "!Ref") || !strcmp(name, "!Condition");
    snprintf(out, size, "%s%s", bare ? "" : "Fn::", name + 1);
    return out;
}

/* "A.B.c" as ["A", "B.c"]. */
static json_t *split_attribute(json_t *value) {
    const char *text = json_string_value(value), *dot = text ? strchr(text, '.') : NULL;
    if (!dot) return value;
    json_t *pair = json_pack("[s#, s]", text, (int)(dot - text), dot + 1);
    json_decref(value);
    return pair;
}

/* {KEY: VALUE}; the value is taken over. */
static json_t *wrap(const char *key, json_t *value) {
    json_t *object = json_object();
    if (value && object && json_object_set_new(object, key, value) == 0) return object;
    if (value && !object) json_decref(value);
    json_decref(object);
    return NULL;
}

/* ---- building ---- */

/* Hangs a value, which is taken over, where the next one belongs. */
static enum ddbsim_status hang(struct builder *b, json_t *value, yaml_mark_t mark) {
    if (!value) return error_memory(b->error);
    struct open *parent = b->depth ? &b->open[b->depth - 1] : NULL;
    if (!parent) {
        b->root = value;
        return DDBSIM_OK;
    }
    if (json_is_array(parent->value))
        return json_array_append_new(parent->value, value) ? error_memory(b->error) : DDBSIM_OK;
    if (!parent->key) {
        json_decref(value);
        return refuse(b, mark, "a list or an object cannot be a key", NULL);
    }
    bool twice = json_object_get(parent->value, parent->key) != NULL;
    int failed = json_object_set_new(parent->value, parent->key, value);
    free(parent->key);
    parent->key = NULL;
    if (twice) return refuse(b, mark, "this key stands here twice", NULL);
    return failed ? error_memory(b->error) : DDBSIM_OK;
}

static enum ddbsim_status take_scalar(struct builder *b, const yaml_event_t *event) {
    char tag[64];
    struct open *parent = b->depth ? &b->open[b->depth - 1] : NULL;
    const char *key = tag_key(event->data.scalar.tag, tag, sizeof tag);
    if (event->data.scalar.anchor)
        return refuse(b, event->start_mark, "anchors are not read", "write the value again");
    if (parent && json_is_object(parent->value) && !parent->key) {
        parent->key = strdup((const char *)event->data.scalar.value);
        return parent->key ? DDBSIM_OK : error_memory(b->error);
    }
    json_t *value = scalar_value(event);
    if (value && key && !strcmp(key, "Fn::GetAtt")) value = split_attribute(value);
    if (value && json_is_string(value)) keep_place(b, value, event->start_mark);
    if (value && key) value = wrap(key, value);
    if (value && key) keep_place(b, value, event->start_mark);
    return hang(b, value, event->start_mark);
}

static enum ddbsim_status open_container(struct builder *b, json_t *value,
                                         const yaml_char_t *anchor, const yaml_char_t *tag,
                                         yaml_mark_t mark) {
    char text[64];
    const char *key = tag_key(tag, text, sizeof text);
    if (!value) return error_memory(b->error);
    if (anchor || b->depth == DEPTH_MAX) {
        json_decref(value);
        return refuse(b, mark, anchor ? "anchors are not read" : "it is nested more than 64 deep",
                      anchor ? "write the value again" : NULL);
    }
    keep_place(b, value, mark);
    json_t *outermost = key ? wrap(key, json_incref(value)) : json_incref(value);
    if (outermost && key) keep_place(b, outermost, mark);
    b->open[b->depth++] = (struct open){.value = value, .outermost = outermost};
    return outermost ? DDBSIM_OK : error_memory(b->error);
}

static void drop(struct open *open) {
    json_decref(open->value);
    json_decref(open->outermost);
    free(open->key);
}

static enum ddbsim_status close_container(struct builder *b, yaml_mark_t mark) {
    struct open *open = &b->open[--b->depth];
    json_t *done = json_incref(open->outermost);
    drop(open);
    return hang(b, done, mark);
}

/* dispatch: one case an event */
static enum ddbsim_status take(struct builder *b, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(b, json_array(), event->data.sequence_start.anchor,
                              event->data.sequence_start.tag, event->start_mark);
    case YAML_MAPPING_START_EVENT:
        return open_container(b, json_object(), event->data.mapping_start.anchor,
                              event->data.mapping_start.tag, event->start_mark);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_container(b, event->start_mark);
    case YAML_ALIAS_EVENT:
        return refuse(b, event->start_mark, "aliases are not read", "write the value again");
    case YAML_DOCUMENT_START_EVENT:
        if (b->has_document)
            return refuse(b, event->start_mark, "there is a second document", NULL);
        b->has_document = true;
        return DDBSIM_OK;
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        return DDBSIM_OK;
    }
    return DDBSIM_OK;
}

static enum ddbsim_status fail_syntax(struct builder *b, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR) return error_memory(b->error);
    error_set(b->error, DDBSIM_INPUT, "this is no YAML: %s%s%s",
              parser->problem ? parser->problem : "unreadable", parser->context ? " " : "",
              parser->context ? parser->context : "");
    error_place(b->error, b->file, (int)parser->problem_mark.line + 1,
                (int)parser->problem_mark.column + 1);
    return DDBSIM_INPUT;
}

static enum ddbsim_status take_all(struct builder *b, yaml_parser_t *parser) {
    for (bool done = false; !done;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) return fail_syntax(b, parser);
        enum ddbsim_status status = take(b, &event);
        done = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
        if (status) return status;
        if (b->short_of_memory) return error_memory(b->error);
    }
    return DDBSIM_OK;
}

/* Places become the arena's, for a document does not free. */
static struct document *make(struct builder *b) {
    struct document_place *places = arena_alloc(b->arena, b->place_count + 1, sizeof *places);
    json_t *root = b->root ? b->root : json_null();
    b->root = NULL;
    if (places && b->place_count) memcpy(places, b->places, b->place_count * sizeof *places);
    if (places) return document_made(b->arena, b->file, root, places, b->place_count);
    json_decref(root);
    return NULL;
}

enum ddbsim_status document_parse_yaml(struct arena *arena, const char *file, const char *text,
                                       size_t length, struct document **out,
                                       struct ddbsim_error *error) {
    struct builder b = {.arena = arena, .file = file, .error = error};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return error_memory(error);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    enum ddbsim_status status = take_all(&b, &parser);
    yaml_parser_delete(&parser);
    if (!status) {
        *out = make(&b);
        status = *out ? DDBSIM_OK : error_memory(error);
    }
    while (b.depth)
        drop(&b.open[--b.depth]);
    json_decref(b.root);
    free(b.places);
    return status;
}
