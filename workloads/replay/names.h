/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keys of a recording, numbered as they come, and their texts: what a report calls a key. A recording may have any
 * number of keys and memory may not. So the first NAMES_MAX have numbers, and texts as long as NAMES_BYTES_MAX holds
 * them; of all others those are known that came last, as many as a small table has places.
 */
#ifndef REPLAY_NAMES_H
#define REPLAY_NAMES_H

#include <base/types.h>
#include <ddbsim/workload.h>

#define NAMES_MAX (1u << 20)
#define NAMES_BYTES_MAX ((size_t)24 << 20)
#define NAMES_LATE (1u << 15) /* places for texts of other keys */
#define NAMES_LATE_BYTES 56   /* of one of them; the rest is cut off */

struct names;

struct names *names_create(void); /* NULL when memory is short */
void names_destroy(struct names *names);
/* The key's number, or DDBSIM_ORDINAL_OTHER | its hash. False when memory is short. */
bool names_number(struct names *names, uint64_t hash, const char *text, uint32_t bytes,
                  uint64_t *number);
/* XXH3-64 of the text of a numbered key. */
uint64_t names_hash(const struct names *names, uint64_t number);
/* The key's text, or how its hash is written; writes at most `size` bytes with the NUL, returns the length it needs. */
size_t names_text(const struct names *names, uint64_t number, char *buffer, size_t size);

#endif
