/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is UTF-8 and what is not (RFC 3629: shortest form, no surrogates). */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <base/types.h>

/* The length of the sequence at `bytes`, of which `left` (at least 1) may be read; 0: invalid. */
size_t utf8_length(const unsigned char *bytes, size_t left);
bool utf8_is_valid(const char *text, size_t length);

#endif
