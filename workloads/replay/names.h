/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The texts of a recording's keys, by their hashes: what a report calls a key. A recording may have any number of
 * keys, so only those that came lately are kept: once there are NAMES_MAX of them, or NAMES_BYTES_MAX, all are
 * dropped, and those that come again are learned again.
 */
#ifndef REPLAY_NAMES_H
#define REPLAY_NAMES_H

#include <base/types.h>

#define NAMES_MAX (1u << 20)
#define NAMES_BYTES_MAX ((size_t)24 << 20)

struct names;

struct names *names_create(void); /* NULL when memory is short */
void names_destroy(struct names *names);
/* False when memory is short. */
bool names_keep(struct names *names, uint64_t hash, const char *text, uint32_t bytes);
/* NULL: it did not come lately. Holds until the next names_keep. */
const char *names_find(const struct names *names, uint64_t hash);
/* The key's text, or how its hash is written; writes at most `size` bytes with the NUL, returns the length it needs. */
size_t names_text(const struct names *names, uint64_t hash, char *buffer, size_t size);

#endif
