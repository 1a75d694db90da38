/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A YAML document as a small tree with places. Only the plain part of YAML is read: one document of
 * mappings, sequences and scalars. Anchors, aliases, tags, directives, several documents, duplicate
 * keys and keys that are no scalars are refused, with line and column; so is text that is not
 * UTF-8. Scalars stay texts: what they mean depends on the key that they belong to (literal.h).
 */
#ifndef LOADER_YAML_TREE_H
#define LOADER_YAML_TREE_H

#include <base/arena.h>
#include <base/buffer.h>
#include <base/error.h>

#define YAML_BYTES_MAX ((size_t)1 << 20)
#define YAML_DEPTH_MAX 32
#define YAML_CHILDREN_MAX 10000u

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    bool quoted;      /* SCALAR: 'null' is a text, null is none */
    const char *text; /* SCALAR */
    const char *key;  /* of a mapping's child; NULL elsewhere */
    const char *file;
    int line, column; /* from 1; 0: not in a file */
    int key_line, key_column;
    const char *path; /* for messages; set when the tree is checked */
    struct yaml_node *first, *last, *next;
    uint32_t count;      /* children */
    uint32_t change;     /* number of the change that set it, from 1; 0: none */
    bool comes_later;    /* an index that a change creates */
    const char *comment; /* yaml_block writes it behind the node's line; NULL: none */
    bool absent;         /* an index that is not there at the time for which the tree stands */
};

/* `file` names the text in messages and must live as long as the arena. */
DDBSIM_MUST_CHECK enum ddbsim_status yaml_parse(struct arena *arena, const char *text,
                                                size_t length, const char *file,
                                                struct yaml_node **out, struct ddbsim_error *error);

struct yaml_node *yaml_child(const struct yaml_node *mapping, const char *key);
/* The text of a scalar child; NULL where there is none. */
const char *yaml_text(const struct yaml_node *mapping, const char *key);
bool yaml_is_null(const struct yaml_node *node);

/* NULL when memory is short. */
struct yaml_node *yaml_new(struct arena *arena, enum yaml_kind kind, const struct yaml_node *place);
struct yaml_node *yaml_copy(struct arena *arena, const struct yaml_node *node);
/* One line of YAML that means the same. */
char *yaml_flow(struct arena *arena, const struct yaml_node *node);
/* The lines of a document that means the same, as one would write it by hand, comments included. */
void yaml_block(struct buffer *out, const struct yaml_node *document);

void yaml_append(struct yaml_node *parent, struct yaml_node *child);
void yaml_remove(struct yaml_node *parent, const struct yaml_node *child);
/* Puts `fresh` where `old` stands, under the same key. */
void yaml_replace(struct yaml_node *parent, const struct yaml_node *old, struct yaml_node *fresh);

/* DDBSIM_INPUT at the node: place and path. yaml_fail_key points to the key. */
enum ddbsim_status yaml_fail(struct ddbsim_error *error, const struct yaml_node *node,
                             const char *format, ...) DDBSIM_PRINTF(3, 4);
enum ddbsim_status yaml_fail_key(struct ddbsim_error *error, const struct yaml_node *node,
                                 const char *format, ...) DDBSIM_PRINTF(3, 4);

#endif
