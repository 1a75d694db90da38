/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `import` of a table: what a document describes, with the table's own keys laid over it. */
#ifndef LOADER_IMPORTED_H
#define LOADER_IMPORTED_H

#include <loader/yaml_tree.h>

/* Puts such tables, and the value sets that they come with, in the place of what names the document. */
DDBSIM_MUST_CHECK enum ddbsim_status imported_join(struct arena *arena, struct yaml_node *root,
                                                   struct ddbsim_error *error);

#endif
