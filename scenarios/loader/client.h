/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fields of struct ddbsim_client by their keys: reading, resolved settings and checks are made of one table. */
#ifndef LOADER_CLIENT_H
#define LOADER_CLIENT_H

#include <ddbsim/scenario.h>
#include <loader/grammar.h>

/* Limits of what callers do and put around their SDK, of scenarios that are read and of those made in code. */
#define CLIENT_RATE_MIN 1e-6 /* attempts a second: one in eleven days */
#define CLIENT_GROWTH_MAX (1000 * DDBSIM_SHARE_ONE)
#define CLIENT_WRAPS_MAX 1000        /* a breaker answers at once: more would spin */
#define CLIENT_MESSAGES_MAX 10000000 /* that environments hold at once */

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
