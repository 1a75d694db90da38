/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Taking files one after the other: reading, telling the kind, notes, and what kinds share to keep what they find.
 *
 * Invariants: a table stands once in the list, by its name; notes stand in the order in which they were made; when
 * memory was short once, nothing of the import is used any more.
 */
#include "import.h"

#include "document.h"
#include "metrics.h"
#include "tables.h"

#include <ddbsim/presets.h>
#include <base/buffer.h>
#include <base/check.h>
#include <base/hash.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <workloads/replay/feed.h>

#define FILES_MAX 1000u
#define ARENA_BYTES_MAX ((size_t)1 << 30)

/* ---- the import ---- */

enum ddbsim_status import_create(const struct import_options *options, struct import **out,
                                 struct ddbsim_error *error) {
    *out = NULL;
    if (options->client && !ddbsim_preset_find(options->client)) {
        error_set(error, DDBSIM_INPUT, "--client: there is no preset '%.100s'", options->client);
        error_hint(error, "`ddbsim list presets` names them");
        return DDBSIM_INPUT;
    }
    struct arena *own = options->arena ? NULL : arena_create(ARENA_BYTES_MAX);
    struct arena *arena = own ? own : options->arena;
    struct import *import = arena ? arena_alloc(arena, 1, sizeof *import) : NULL;
    if (!import) {
        arena_destroy(own);
        return error_memory(error);
    }
    import->arena = arena;
    import->own_arena = own;
    import->options = *options;
    import->last_table = &import->tables;
    import->last_note = &import->notes;
    import->last_change = &import->changes;
    import->kinds = arena_alloc(arena, FILES_MAX, sizeof *import->kinds);
    import->files = arena_alloc(arena, FILES_MAX, sizeof *import->files);
    import->workloads = yaml_new(arena, YAML_SEQUENCE, NULL);
    import->last_alarm = &import->alarms;
    if (!import->kinds || !import->files || !import->workloads) {
        import_destroy(import);
        return error_memory(error);
    }
    *out = import;
    return DDBSIM_OK;
}

void import_destroy(struct import *import) {
    if (!import) return;
    metrics_destroy(import->metrics);
    arena_destroy(import->own_arena);
}

/* ---- texts ---- */

/* What YAML cannot hold in a line, or reads as the end of one, becomes a space: control characters, U+0080 to U+009F,
 * the line and paragraph separators, and the mark of byte order. */
static void clean(char *text) {
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        bool c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f;
        bool separator = at[0] == 0xe2 && at[1] == 0x80 && (at[2] == 0xa8 || at[2] == 0xa9);
        bool mark = (at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf) ||
                    (at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe);
        size_t length = c1 ? 2 : separator || mark ? 3 : *at < 0x20 || *at == 0x7f;
        if (length) memset(at, ' ', length);
    }
}

/* ---- files ---- */

/* Adds bytes until there are `most`. */
static enum ddbsim_status read_until(struct feed *feed, struct buffer *text, size_t most,
                                     struct ddbsim_error *error) {
    char bytes[65536];
    size_t got = 1;
    while (got > 0 && text->length < most && !text->failed) {
        size_t want = most - text->length;
        enum ddbsim_status status =
            feed_bytes(feed, bytes, want < sizeof bytes ? want : sizeof bytes, &got, error);
        if (status) return status;
        buffer_add(text, bytes, got);
    }
    return text->failed ? error_memory(error) : DDBSIM_OK;
}

static bool begins_json(const char *text) {
    if (!strncmp(text, "\xef\xbb\xbf", 3)) text += 3;
    text += strspn(text, " \t\r\n");
    return *text == '{' || *text == '[';
}

/* A template in YAML has Resources and, of one of them at least, a type of AWS's. */
static bool begins_template(const char *text) {
    bool at_start = !strncmp(text, "Resources:", 10) || !strncmp(text, "AWSTemplateFormat", 17);
    return at_start || strstr(text, "\nResources:") || strstr(text, "\nAWSTemplateFormat");
}

static bool begins_document(const char *text) { return begins_json(text) || begins_template(text); }

/* Why a document is none is told only if no kind wants the file otherwise; want of memory is told at once. */
static enum ddbsim_status parse(struct import *import, struct import_file *file,
                                struct ddbsim_error *error) {
    enum ddbsim_status status = (begins_json(file->text) ? document_parse : document_parse_yaml)(
        import->arena, file->path, file->text, file->length, &file->document, file->reason);
    return status == DDBSIM_ENVIRONMENT ? error_set(error, status, "%s", file->reason->message)
                                        : DDBSIM_OK;
}

/* A document is read whole; of anything else the head is enough. */
static enum ddbsim_status read_open(struct import *import, struct feed *feed, struct buffer *text,
                                    struct import_file *file, struct ddbsim_error *error) {
    enum ddbsim_status status = read_until(feed, text, IMPORT_HEAD_BYTES, error);
    if (status) return status;
    buffer_add(text, "", 0);
    if (text->failed) return error_memory(error);
    file->is_whole = text->length < IMPORT_HEAD_BYTES;
    bool document = begins_document(text->bytes);
    if (document) status = read_until(feed, text, IMPORT_DOCUMENT_MAX + 1, error);
    if (status) return status;
    file->text = text->bytes;
    file->length = text->length;
    if (!document) return DDBSIM_OK;
    file->is_whole = text->length <= IMPORT_DOCUMENT_MAX;
    if (file->is_whole) return parse(import, file, error);
    error_set(file->reason, DDBSIM_INPUT, "the document is larger than %zu MB",
              IMPORT_DOCUMENT_MAX >> 20);
    error_place(file->reason, file->path, 1, 1);
    return DDBSIM_OK;
}

/* ---- kinds ---- */

static enum ddbsim_status fail_kind(const struct import_file *file, struct ddbsim_error *error) {
    if (file->length == 0)
        error_set(error, DDBSIM_INPUT, "\"%.200s\" is empty", file->path);
    else if (file->reason->status != DDBSIM_OK)
        *error = *file->reason;
    else
        error_set(error, DDBSIM_INPUT, "\"%.200s\" is of no kind that is known", file->path);
    error_hint(error, "`ddbsim list formats` names the kinds of files");
    return DDBSIM_INPUT;
}

/* Keys of objects that were read, which nothing asked for. */
static void note_unread(struct import *import, const struct import_file *file) {
    char keys[900];
    size_t count = file->document ? document_unread(file->document, keys, sizeof keys) : 0;
    if (count) import_note(import, IMPORT_UNKNOWN_KEYS, file->path, "%zu: %s", count, keys);
}

static enum ddbsim_status take(struct import *import, const struct import_file *file,
                               struct ddbsim_error *error) {
    const struct import_kind *kind = import_kind(0);
    for (size_t i = 1; kind && !kind->recognise(file); i++)
        kind = import_kind(i);
    if (!kind) return fail_kind(file, error);
    import->kinds[import->file_count] = kind;
    import->files[import->file_count++] = file->path;
    if (import->options.names_unread && file->document) document_watch(file->document);
    enum ddbsim_status status = kind->take(import, file, error);
    if (!status) note_unread(import, file);
    return status == DDBSIM_OK && import->short_of_memory ? error_memory(error) : status;
}

static enum ddbsim_status check_count(const struct import *import, struct ddbsim_error *error) {
    if (import->short_of_memory) return error_memory(error);
    if (import->file_count < FILES_MAX) return DDBSIM_OK;
    return error_set(error, DDBSIM_INPUT, "there are more than %u files", FILES_MAX);
}

enum ddbsim_status import_take(struct import *import, const char *path,
                               struct ddbsim_error *error) {
    struct ddbsim_error own = {0}, reason = {0};
    struct buffer text = {0};
    if (!error) error = &own;
    struct import_file file = {.path = import_text(import, "%s", path), .reason = &reason};
    enum ddbsim_status status = check_count(import, error);
    if (status) return status;
    struct feed *feed;
    status = feed_create(path, &feed, error);
    if (!status) status = read_open(import, feed, &text, &file, error);
    feed_destroy(feed);
    if (!status) status = take(import, &file, error);
    document_destroy(file.document);
    free(text.bytes);
    return status;
}

enum ddbsim_status import_take_text(struct import *import, const char *name, const char *text,
                                    size_t length, struct ddbsim_error *error) {
    struct ddbsim_error own = {0}, reason = {0};
    if (!error) error = &own;
    struct import_file file = {.path = import_text(import, "%s", name),
                               .text = text,
                               .length = length,
                               .is_whole = true,
                               .reason = &reason};
    enum ddbsim_status status = check_count(import, error);
    if (!status && begins_document(text)) status = parse(import, &file, error);
    if (!status) status = take(import, &file, error);
    document_destroy(file.document);
    return status;
}

/* ---- notes ---- */

const char *import_note_word(enum import_note_kind kind) {
    static const char *const words[] = {[IMPORT_TOOK] = "took",
                                        [IMPORT_ASSUMED] = "assumed",
                                        [IMPORT_MISSING] = "missing",
                                        [IMPORT_PASSED] = "passed over",
                                        [IMPORT_UNKNOWN_KEYS] = "unread keys"};
    return words[kind];
}

static bool is_noted(const struct import *import, const struct import_note *fresh) {
    for (const struct import_note *note = import->notes; note; note = note->next) {
        if (note->hash != fresh->hash || note->kind != fresh->kind) continue;
        bool same_file = note->file == fresh->file ||
                         (note->file && fresh->file && !strcmp(note->file, fresh->file));
        if (same_file && !strcmp(note->text, fresh->text)) return true;
    }
    return false;
}

void import_note(struct import *import, enum import_note_kind kind, const char *file,
                 const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    struct import_note *note = arena_alloc(import->arena, 1, sizeof *note);
    char *copy = arena_copy(import->arena, text, strlen(text));
    import->short_of_memory = import->short_of_memory || !note || !copy;
    if (!note || !copy) return;
    clean(copy);
    *note = (struct import_note){
        .kind = kind, .file = file, .text = copy, .hash = hash64(copy, strlen(copy))};
    if (is_noted(import, note)) return;
    *import->last_note = note;
    import->last_note = &note->next;
}

void import_unnote(struct import *import, enum import_note_kind kind, const char *text) {
    struct import_note **at = &import->notes;
    while (*at) {
        if ((*at)->kind == kind && !strcmp((*at)->text, text))
            *at = (*at)->next;
        else
            at = &(*at)->next;
    }
    import->last_note = at;
}

/* ---- tables ---- */

struct import_table *import_find_table(const struct import *import, const char *name) {
    struct import_table *table = import->tables;
    while (table && strcmp(table->resource.name, name) != 0)
        table = table->next;
    return table;
}

struct import_table *import_table(struct import *import, const char *name, const char *file) {
    struct import_table *table = import_find_table(import, name);
    if (table) return table;
    table = arena_alloc(import->arena, 1, sizeof *table);
    const char *copy = arena_copy(import->arena, name, strlen(name));
    import->short_of_memory = import->short_of_memory || !table || !copy;
    if (!table || !copy) return NULL;
    tables_clear(&table->resource, copy);
    table->file = file;
    table->item_bytes = IMPORT_UNKNOWN;
    *import->last_table = table;
    import->table_count++;
    import->last_table = &table->next;
    return table;
}

struct import_index *import_find_index(const struct import_table *table, const char *name) {
    struct import_index *index = table->indexes;
    while (index && strcmp(index->resource.name, name) != 0)
        index = index->next;
    return index;
}

struct import_index *import_index(struct import *import, struct import_table *table,
                                  const char *name) {
    struct import_index *index = import_find_index(table, name), **last = &table->indexes;
    if (index) return index;
    index = arena_alloc(import->arena, 1, sizeof *index);
    const char *copy = arena_copy(import->arena, name, strlen(name));
    import->short_of_memory = import->short_of_memory || !index || !copy;
    if (!index || !copy) return NULL;
    tables_clear(&index->resource, copy);
    index->entry_bytes = index->present = index->touched = IMPORT_UNKNOWN;
    while (*last)
        last = &(*last)->next;
    *last = index;
    return index;
}

/* ---- trees ---- */

char *import_text(struct import *import, const char *format, ...) {
    char *text = NULL, *copy = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0) copy = arena_copy(import->arena, text, (size_t)length);
    if (length >= 0) free(text);
    import->short_of_memory = import->short_of_memory || !copy;
    return copy;
}

/* A fresh node; the scratch one when memory is short, empty. */
static struct yaml_node *node_of(struct import *import, enum yaml_kind kind) {
    struct yaml_node *node = yaml_new(import->arena, kind, import->options.place);
    if (node) return node;
    import->short_of_memory = true;
    import->scratch = (struct yaml_node){.kind = kind, .text = "", .key = ""};
    return &import->scratch;
}

/* Hangs a node under a key, in the place of one that stands there. */
static void hang(struct import *import, struct yaml_node *mapping, const char *key,
                 struct yaml_node *node) {
    CHECK(mapping->kind == YAML_MAPPING || import->short_of_memory);
    char *copy = arena_copy(import->arena, key, strlen(key));
    struct yaml_node *old = yaml_child(mapping, key);
    import->short_of_memory = import->short_of_memory || !copy;
    if (copy) clean(copy);
    node->key = copy ? copy : "";
    if (import->short_of_memory) return;
    if (old)
        yaml_replace(mapping, old, node);
    else
        yaml_append(mapping, node);
}

struct yaml_node *import_put(struct import *import, struct yaml_node *mapping, const char *key,
                             const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    struct yaml_node *node = node_of(import, YAML_SCALAR);
    char *copy = length < 0 ? NULL : arena_copy(import->arena, text, (size_t)length);
    if (length >= 0) free(text);
    import->short_of_memory = import->short_of_memory || !copy;
    if (copy) clean(copy);
    node->text = copy ? copy : "";
    node->quoted = true; /* a text that looks like null is a text */
    hang(import, mapping, key, node);
    return node;
}

struct yaml_node *import_map(struct import *import, struct yaml_node *mapping, const char *key) {
    struct yaml_node *child = yaml_child(mapping, key);
    if (child) return child;
    child = node_of(import, YAML_MAPPING);
    hang(import, mapping, key, child);
    return child;
}

struct yaml_node *import_list(struct import *import, struct yaml_node *mapping, const char *key) {
    struct yaml_node *child = yaml_child(mapping, key);
    if (child) return child;
    child = node_of(import, YAML_SEQUENCE);
    hang(import, mapping, key, child);
    return child;
}

struct yaml_node *import_item(struct import *import, struct yaml_node *list) {
    struct yaml_node *node = node_of(import, YAML_MAPPING);
    if (!import->short_of_memory) yaml_append(list, node);
    return node;
}

void import_comment(struct import *import, struct yaml_node *node, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    char *comment = import_text(import, "%s", text);
    if (comment) clean(comment);
    node->comment = comment;
}

/* ---- what kinds share ---- */

struct yaml_node *import_workload(struct import *import, struct import_table *table,
                                  const char *name) {
    struct yaml_node *workload = import_item(import, import->workloads);
    table->has_workload = true;
    import_put(import, workload, "name", "%s", name);
    import_put(import, workload, "table", "%s", table->resource.name);
    return workload;
}

void import_client(struct import *import, struct yaml_node *workload) {
    const char *preset = import->options.client;
    if (preset) import_put(import, import_map(import, workload, "client"), "preset", "%s", preset);
}

void import_cover(struct import *import, int64_t from_unix_ns, int64_t to_unix_ns) {
    CHECK(from_unix_ns <= to_unix_ns);
    bool first = import->from_unix_ns == 0 && import->to_unix_ns == 0;
    if (first || from_unix_ns < import->from_unix_ns) import->from_unix_ns = from_unix_ns;
    if (first || to_unix_ns > import->to_unix_ns) import->to_unix_ns = to_unix_ns;
}

/* Beside each other the name is enough; elsewhere the whole path is. */
const char *import_path(struct import *import, const char *path) {
    char whole[PATH_MAX];
    const char *output = import->options.output;
    bool elsewhere = output && strchr(output, '/') && *path != '/';
    if (elsewhere && realpath(path, whole)) return import_text(import, "%s", whole);
    return path;
}

const char *import_mask(struct import *import, const char *key, size_t length) {
    if (!import->options.mask_keys) return import_text(import, "%.*s", (int)length, key);
    return import_text(import, "key-%016" PRIx64, hash64(key, length));
}

const char *import_values_name(struct import *import, const struct import_table *table,
                               const struct import_resource *resource) {
    const char *attribute = resource->partition_key ? resource->partition_key : "key";
    char *name = import_text(import, "%s/%s", table->resource.name, attribute);
    if (name) clean(name);
    for (char *at = name; at && *at; at++) /* a template cannot have them in a name */
        if (*at == '{' || *at == '}') *at = '_';
    return name;
}
