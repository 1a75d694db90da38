/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libyaml's events made into a tree. Events rather than libyaml's documents, because a parser of
 * events can stop at the first thing it does not want: depth and size are bounded before anything
 * is built.
 *
 * Invariant: a node belongs to at most one parent; count is the length of the list first..last.
 */
#include <loader/yaml_tree.h>

#include <base/utf8.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

/* ---- the tree ---- */

struct yaml_node *yaml_child(const struct yaml_node *mapping, const char *key) {
    if (!mapping || mapping->kind != YAML_MAPPING) return NULL;
    for (struct yaml_node *child = mapping->first; child; child = child->next)
        if (!strcmp(child->key, key)) return child;
    return NULL;
}

const char *yaml_text(const struct yaml_node *mapping, const char *key) {
    const struct yaml_node *child = yaml_child(mapping, key);
    return child && child->kind == YAML_SCALAR && !yaml_is_null(child) ? child->text : NULL;
}

bool yaml_is_null(const struct yaml_node *node) {
    if (node->kind != YAML_SCALAR || node->quoted) return false;
    return !*node->text || !strcmp(node->text, "null") || !strcmp(node->text, "~");
}

struct yaml_node *yaml_new(struct arena *arena, enum yaml_kind kind,
                           const struct yaml_node *place) {
    struct yaml_node *node = arena_alloc(arena, 1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    node->text = "";
    if (place) {
        node->file = place->file;
        node->line = node->key_line = place->line;
        node->column = node->key_column = place->column;
        node->path = place->path;
    }
    return node;
}

struct yaml_node *yaml_copy(struct arena *arena, const struct yaml_node *node) {
    struct yaml_node *copy = arena_alloc(arena, 1, sizeof *copy);
    if (!copy) return NULL;
    *copy = *node;
    copy->first = copy->last = copy->next = NULL;
    copy->count = 0;
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        struct yaml_node *twin = yaml_copy(arena, child);
        if (!twin) return NULL;
        yaml_append(copy, twin);
    }
    return copy;
}

void yaml_append(struct yaml_node *parent, struct yaml_node *child) {
    child->next = NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

static struct yaml_node *before(struct yaml_node *parent, const struct yaml_node *child) {
    struct yaml_node *previous = NULL;
    for (struct yaml_node *node = parent->first; node != child; node = node->next)
        previous = node;
    return previous;
}

void yaml_remove(struct yaml_node *parent, const struct yaml_node *child) {
    struct yaml_node *previous = before(parent, child);
    if (previous)
        previous->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = previous;
    parent->count--;
}

void yaml_replace(struct yaml_node *parent, const struct yaml_node *old, struct yaml_node *fresh) {
    struct yaml_node *previous = before(parent, old);
    fresh->key = old->key;
    fresh->next = old->next;
    if (previous)
        previous->next = fresh;
    else
        parent->first = fresh;
    if (parent->last == old) parent->last = fresh;
}

/* ---- failing ---- */

static enum ddbsim_status fail_at(struct ddbsim_error *error, const struct yaml_node *node,
                                  int line, int column, const char *format, va_list arguments)
    DDBSIM_PRINTF(5, 0);

static enum ddbsim_status fail_at(struct ddbsim_error *error, const struct yaml_node *node,
                                  int line, int column, const char *format, va_list arguments) {
    char message[sizeof error->message];
    vsnprintf(message, sizeof message, format, arguments);
    if (error && error->status != DDBSIM_OK) return error->status;
    error_set(error, DDBSIM_INPUT, "%s", message);
    error_place(error, node->file ? node->file : "", line, column);
    if (node->path) error_path(error, node->path);
    return DDBSIM_INPUT;
}

enum ddbsim_status yaml_fail(struct ddbsim_error *error, const struct yaml_node *node,
                             const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    enum ddbsim_status status = fail_at(error, node, node->line, node->column, format, arguments);
    va_end(arguments);
    return status;
}

enum ddbsim_status yaml_fail_key(struct ddbsim_error *error, const struct yaml_node *node,
                                 const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    enum ddbsim_status status =
        fail_at(error, node, node->key_line, node->key_column, format, arguments);
    va_end(arguments);
    return status;
}

static enum ddbsim_status fail_mark(struct ddbsim_error *error, const char *file, yaml_mark_t mark,
                                    const char *message, const char *hint) {
    error_set(error, DDBSIM_INPUT, "%s", message);
    error_place(error, file, (int)mark.line + 1, (int)mark.column + 1);
    if (hint) error_hint(error, "%s", hint);
    return DDBSIM_INPUT;
}

/* ---- text ---- */

static enum ddbsim_status check_bytes(const char *text, size_t length, const char *file,
                                      struct ddbsim_error *error) {
    const unsigned char *bytes = (const unsigned char *)text;
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < length;) {
        size_t step = utf8_length(bytes + i, length - i);
        if (!step)
            return fail_mark(error, file, mark, "the text is not UTF-8",
                             "a scenario is a text file in UTF-8");
        if (!bytes[i])
            return fail_mark(error, file, mark, "there is a NUL byte: this is no text file",
                             "a scenario is a text file in YAML");
        mark.column++;
        if (bytes[i] == '\n') {
            mark.line++;
            mark.column = 0;
        }
        i += step;
    }
    return DDBSIM_OK;
}

/* ---- events to nodes ---- */

struct builder {
    struct arena *arena;
    const char *file;
    struct ddbsim_error *error;
    struct yaml_node *root;
    struct yaml_node *open[YAML_DEPTH_MAX];
    uint32_t depth;
    bool have_key;
    const char *key;
    yaml_mark_t key_mark;
    uint32_t documents;
};

static enum ddbsim_status refuse(struct builder *b, yaml_mark_t mark, const char *message,
                                 const char *hint) {
    return fail_mark(b->error, b->file, mark, message, hint);
}

static enum ddbsim_status take_key(struct builder *b, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    const struct yaml_node *parent = b->open[b->depth - 1];
    const struct yaml_node *twin = yaml_child(parent, text);
    if (twin) {
        error_set(b->error, DDBSIM_INPUT, "the key \"%s\" stands here twice", text);
        error_place(b->error, b->file, (int)event->start_mark.line + 1,
                    (int)event->start_mark.column + 1);
        error_hint(b->error, "the first is in line %d", twin->key_line);
        return DDBSIM_INPUT;
    }
    b->key = arena_copy(b->arena, text, event->data.scalar.length);
    b->key_mark = event->start_mark;
    b->have_key = true;
    return b->key ? DDBSIM_OK : error_memory(b->error);
}

/* Hangs a fresh node where the next one belongs. */
static enum ddbsim_status attach(struct builder *b, struct yaml_node *node, yaml_mark_t mark) {
    if (!b->depth) {
        b->root = node;
        return DDBSIM_OK;
    }
    struct yaml_node *parent = b->open[b->depth - 1];
    if (parent->count >= YAML_CHILDREN_MAX)
        return refuse(b, mark, "there are more than 10,000 entries in one place", NULL);
    if (parent->kind == YAML_MAPPING) {
        if (!b->have_key)
            return refuse(b, mark, "a list or mapping cannot be a key", "quote the key");
        node->key = b->key;
        node->key_line = (int)b->key_mark.line + 1;
        node->key_column = (int)b->key_mark.column + 1;
        b->have_key = false;
    }
    yaml_append(parent, node);
    return DDBSIM_OK;
}

static enum ddbsim_status add_node(struct builder *b, const yaml_event_t *event,
                                   enum yaml_kind kind, struct yaml_node **out) {
    struct yaml_node *node = yaml_new(b->arena, kind, NULL);
    if (!node) return error_memory(b->error);
    node->file = b->file;
    node->line = node->key_line = (int)event->start_mark.line + 1;
    node->column = node->key_column = (int)event->start_mark.column + 1;
    *out = node;
    return attach(b, node, event->start_mark);
}

static enum ddbsim_status take_scalar(struct builder *b, const yaml_event_t *event) {
    if (event->data.scalar.anchor || event->data.scalar.tag)
        return refuse(b, event->start_mark, "anchors and tags are not used in scenarios",
                      "quote a text that begins with & or !");
    const char *text = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f)
            return refuse(b, event->start_mark, "the text holds a control character", NULL);
    }
    bool in_mapping = b->depth && b->open[b->depth - 1]->kind == YAML_MAPPING;
    if (in_mapping && !b->have_key) return take_key(b, event);
    struct yaml_node *node = NULL;
    enum ddbsim_status status = add_node(b, event, YAML_SCALAR, &node);
    if (status) return status;
    node->text = arena_copy(b->arena, text, length);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    return node->text ? DDBSIM_OK : error_memory(b->error);
}

static enum ddbsim_status open_container(struct builder *b, const yaml_event_t *event,
                                         enum yaml_kind kind) {
    bool mapping = kind == YAML_MAPPING;
    const yaml_char_t *anchor =
        mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const yaml_char_t *tag =
        mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (anchor || tag)
        return refuse(b, event->start_mark, "anchors and tags are not used in scenarios", NULL);
    if (b->depth == YAML_DEPTH_MAX)
        return refuse(b, event->start_mark, "lists and mappings are nested more than 32 deep",
                      NULL);
    struct yaml_node *node = NULL;
    enum ddbsim_status status = add_node(b, event, kind, &node);
    if (!status) b->open[b->depth++] = node;
    return status;
}

static enum ddbsim_status start_document(struct builder *b, const yaml_event_t *event) {
    if (b->documents++)
        return refuse(b, event->start_mark, "there is a second document",
                      "a file holds one scenario: remove the line ---");
    if (event->data.document_start.version_directive ||
        event->data.document_start.tag_directives.start !=
            event->data.document_start.tag_directives.end)
        return refuse(b, event->start_mark, "directives (%) are not used in scenarios", NULL);
    return DDBSIM_OK;
}

/* One case an event: the dispatch of the whole reader. */
static enum ddbsim_status take(struct builder *b, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return start_document(b, event);
    case YAML_SCALAR_EVENT:
        return take_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(b, event, YAML_SEQUENCE);
    case YAML_MAPPING_START_EVENT:
        return open_container(b, event, YAML_MAPPING);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        return DDBSIM_OK;
    case YAML_ALIAS_EVENT:
        return refuse(b, event->start_mark, "aliases are not used in scenarios",
                      "write the value again, or quote a text that begins with *");
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
    const char *problem = parser->problem ? parser->problem : "unreadable";
    bool hash = parser->context && strstr(parser->context, "flow");
    error_set(b->error, DDBSIM_INPUT, "this is no YAML: %s%s%s", problem,
              parser->context ? " " : "", parser->context ? parser->context : "");
    error_place(b->error, b->file, (int)parser->problem_mark.line + 1,
                (int)parser->problem_mark.column + 1);
    if (strstr(problem, "cannot start any token"))
        error_hint(b->error, "quote texts that begin with @, ` or %%, and indent with spaces");
    else if (hash)
        error_hint(b->error, "is a bracket, a brace or a comma missing?");
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
    }
    return DDBSIM_OK;
}

enum ddbsim_status yaml_parse(struct arena *arena, const char *text, size_t length,
                              const char *file, struct yaml_node **out,
                              struct ddbsim_error *error) {
    struct builder b = {.arena = arena, .file = file, .error = error};
    yaml_mark_t start = {0};
    if (length > YAML_BYTES_MAX)
        return fail_mark(error, file, start, "the file is larger than 1 MiB", NULL);
    enum ddbsim_status status = check_bytes(text, length, file, error);
    if (status) return status;
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) return error_memory(error);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    size_t bom = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
    yaml_parser_set_input_string(&parser, (const unsigned char *)text + bom, length - bom);
    status = take_all(&b, &parser);
    yaml_parser_delete(&parser);
    *out = b.root;
    return status;
}
