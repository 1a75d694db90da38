/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Changing a tree before it is read: `set` puts a value at a path, `extends` lays one file over
 * another. Both know the grammar, so that entries of lists are found by name and a new source of
 * load takes the place of the old one.
 */
#ifndef LOADER_EDIT_H
#define LOADER_EDIT_H

#include <loader/grammar.h>
#include <loader/yaml_tree.h>

struct edit {
    struct arena *arena;
    struct ddbsim_error *error;
    const struct yaml_node *place; /* where the path is written, for messages */
    uint32_t
        change; /* of this number, from 1: only what people can change meanwhile; 0: no change */
};

/* A key of a family drives the keys of its other groups out of its mapping. */
void edit_drop_rivals(struct yaml_node *mapping, const struct grammar_key *key);
/* Drops what a table of that billing mode cannot have, if `key` is the mode. */
void edit_drop_unbilled(struct yaml_node *mapping, const struct grammar_key *key,
                        const struct yaml_node *value);
/* Every entry of a `set:` mapping, in order. */
DDBSIM_MUST_CHECK enum ddbsim_status edit_set_all(struct edit edit, struct yaml_node *root,
                                                  const struct yaml_node *set);
/* Lays `over`, the extending file, over `base`, which is changed. */
DDBSIM_MUST_CHECK enum ddbsim_status edit_extend(struct arena *arena, struct yaml_node *base,
                                                 const struct yaml_node *over,
                                                 struct ddbsim_error *error);

#endif
