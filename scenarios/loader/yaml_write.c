/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A tree as text: on one line, or as a document with a line a key. Short lists and mappings stand on one line in
 * both, unless something in them has a comment.
 *
 * Invariant: what is written reads back as the same tree.
 */
#include <loader/yaml_tree.h>

#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 100
#define INDENT 2

/* ---- one line ---- */

static bool plain_in_flow(const struct yaml_node *node) {
    const char *text = node->text;
    size_t length = strlen(text);
    if (node->quoted && (!length || !strcmp(text, "null") || !strcmp(text, "~"))) return false;
    if (!length) return true;
    if (strchr("!&*?|>'\"%@`#-:,[]{} ", *text) && !(*text == '-' && text[1] > ' ')) return false;
    if (text[length - 1] == ' ' || text[length - 1] == ':') return false;
    if (strpbrk(text, ",[]{}\"\\\n\t")) return false;
    return !strstr(text, ": ") && !strstr(text, " #");
}

static void put_text(struct buffer *out, const char *text, bool plain) {
    if (plain) {
        buffer_put(out, text);
        return;
    }
    buffer_put(out, "\"");
    for (; *text; text++) {
        if (*text == '\n')
            buffer_put(out, "\\n");
        else if (*text == '\t')
            buffer_put(out, "\\t");
        else if (*text == '"' || *text == '\\')
            buffer_printf(out, "\\%c", *text);
        else
            buffer_add(out, text, 1);
    }
    buffer_put(out, "\"");
}

static void put_key(struct buffer *out, const char *text) {
    struct yaml_node key = {.kind = YAML_SCALAR, .quoted = true, .text = text};
    put_text(out, text, plain_in_flow(&key));
    buffer_put(out, ":");
}

static void put_node(struct buffer *out, const struct yaml_node *node) {
    if (node->kind == YAML_SCALAR) {
        put_text(out, yaml_is_null(node) ? "null" : node->text, plain_in_flow(node));
        return;
    }
    bool mapping = node->kind == YAML_MAPPING;
    buffer_put(out, mapping ? "{" : "[");
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        if (child != node->first) buffer_put(out, ", ");
        if (mapping) {
            put_key(out, child->key);
            buffer_put(out, " ");
        }
        put_node(out, child);
    }
    buffer_put(out, mapping ? "}" : "]");
}

char *yaml_flow(struct arena *arena, const struct yaml_node *node) {
    struct buffer out = {0};
    put_node(&out, node);
    size_t length = out.length;
    char *text = buffer_finish(&out);
    char *copy = text ? arena_copy(arena, text, length) : NULL;
    free(text);
    return copy;
}

/* ---- a line a key ---- */

static bool has_comments(const struct yaml_node *node) {
    for (const struct yaml_node *child = node->first; child; child = child->next)
        if (child->comment || has_comments(child)) return true;
    return false;
}

/* Does it fit on the line that has so many bytes already? A scalar has to. */
static bool fits(const struct yaml_node *node, size_t used) {
    struct buffer line = {0};
    if (node->kind == YAML_SCALAR || !node->count) return true;
    if (has_comments(node)) return false;
    put_node(&line, node);
    bool short_enough = used + line.length <= LINE_MAX_BYTES;
    free(line.bytes);
    return short_enough;
}

static void end_line(struct buffer *out, const struct yaml_node *node) {
    if (node->comment) buffer_printf(out, "  # %s", node->comment);
    buffer_put(out, "\n");
}

static void indent(struct buffer *out, size_t depth) {
    buffer_printf(out, "%*s", (int)(depth * INDENT), "");
}

static void put_lines(struct buffer *out, const struct yaml_node *node, size_t depth);

/* Behind a key or a dash: on its line, or on lines of its own. */
static void put_child(struct buffer *out, const struct yaml_node *child, size_t depth,
                      size_t used) {
    bool root = depth == 1 && child->kind != YAML_SCALAR && child->count > 0;
    if (!root && fits(child, used)) {
        buffer_put(out, " ");
        put_node(out, child);
        end_line(out, child);
        return;
    }
    end_line(out, child);
    put_lines(out, child, depth);
}

/* The first key of an entry stands behind its dash, where indenting has put it. */
static void put_entry(struct buffer *out, const struct yaml_node *entry, size_t depth) {
    indent(out, depth);
    buffer_put(out, "-");
    if (entry->kind != YAML_MAPPING || fits(entry, (depth + 1) * INDENT)) {
        put_child(out, entry, depth + 1, (depth + 1) * INDENT);
        return;
    }
    if (entry->comment) {
        end_line(out, entry);
        put_lines(out, entry, depth + 1);
        return;
    }
    struct buffer lines = {0};
    put_lines(&lines, entry, depth + 1);
    buffer_put(out, " ");
    if (lines.length > (depth + 1) * INDENT) buffer_put(out, lines.bytes + (depth + 1) * INDENT);
    out->failed = out->failed || lines.failed;
    free(lines.bytes);
}

static void put_lines(struct buffer *out, const struct yaml_node *node, size_t depth) {
    for (const struct yaml_node *child = node->first; child; child = child->next) {
        if (node->kind == YAML_SEQUENCE) {
            put_entry(out, child, depth);
            continue;
        }
        indent(out, depth);
        put_key(out, child->key);
        put_child(out, child, depth + 1, depth * INDENT + strlen(child->key) + 2);
    }
}

void yaml_block(struct buffer *out, const struct yaml_node *document) {
    put_lines(out, document, 0);
}
