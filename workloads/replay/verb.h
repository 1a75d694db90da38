/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of other programs for DynamoDB's operations, and for being refused. */
#ifndef REPLAY_VERB_H
#define REPLAY_VERB_H

#include <stdbool.h>
#include <stddef.h>

/* enum ddbsim_operation_kind, or RECORDING_UNKNOWN. AWS's names and common words, in any case, with or without
 * _ - and spaces between their parts. */
int verb_operation(const char *word, size_t length);
/* The number-th common word and the operation that it means, for docs and completions; NULL past the last. */
const char *verb_word(size_t number, int *operation);
/* Does a text say that a request was throttled? An exception's name, a status 429, true, yes or 1. */
bool verb_is_throttled(const char *text, size_t length);

#endif
