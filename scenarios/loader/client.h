/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of struct ddbsim_client by their keys: reading, resolved settings and checks are made of one table. */
#ifndef LOADER_CLIENT_H
#define LOADER_CLIENT_H

#include <ddbsim/scenario.h>
#include <loader/grammar.h>

struct client_field {
    enum grammar_section section;
    const char *key;
    size_t offset, size; /* in struct ddbsim_client; bool, 32 or 64 bits */
};

/* By number; NULL past the end. */
const struct client_field *client_field(size_t number);
int64_t client_get(const struct ddbsim_client *client, const struct client_field *field);
void client_set(struct ddbsim_client *client, const struct client_field *field, int64_t value);
/* Does the field say anything about this client? Not so a cost without a quota. */
bool client_uses(const struct ddbsim_client *client, const struct client_field *field);

#endif
