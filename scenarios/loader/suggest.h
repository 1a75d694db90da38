/* SPDX-License-Identifier: GPL-3.0-or-later */
/* "Did you mean ...?": the candidate nearest to a word that names nothing. */
#ifndef LOADER_SUGGEST_H
#define LOADER_SUGGEST_H

#include <base/error.h>
#include <stdbool.h>

struct suggest {
    const char *word, *best;
    unsigned distance;
};

void suggest_start(struct suggest *suggest, const char *word);
/* The first of several equally near candidates wins. */
void suggest_offer(struct suggest *suggest, const char *candidate);
/* NULL when nothing is near enough to be meant. */
const char *suggest_best(const struct suggest *suggest);
/* Writes the hint, or `otherwise` when nothing is near; `otherwise` may be NULL. */
void suggest_hint(const struct suggest *suggest, struct ddbsim_error *error, const char *otherwise);

#endif
