/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How numbers, durations, paths and commands are written in words for a person at a terminal. */
#ifndef PLOTS_WORDS_H
#define PLOTS_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WORDS_BYTES 48

/* What a printed text looks like: its buffer, returned for use as an argument. */
const char *words_count(char out[WORDS_BYTES], int64_t value);     /* 4,217 */
const char *words_number(char out[WORDS_BYTES], double value);     /* 17.7, 120, 0.042 */
const char *words_percent(char out[WORDS_BYTES], double share);    /* 61 %, 0.4 % */
const char *words_duration(char out[WORDS_BYTES], double seconds); /* 35 s, 44 min, 9 h 20 min */

/* An entry's name as a step of a setting path: quoted when it would not read back as one. The result
 * is for free(); NULL when memory is short. */
char *words_path_name(const char *name);
/* One word of a shell command, single-quoted when the shell would read it otherwise; for free(). */
char *words_shell(const char *word);

/* The next word of a command whose words words_shell wrote, for free(); *at moves behind it. NULL at the
 * command's end, and when memory is short. */
char *words_unshell(const char **at);

/* Appends "-" and the text in lower case, all but letters and digits as single dashes. */
void words_append_slug(const char *text, char *buffer, size_t size);

enum words_style { WORDS_PLAIN, WORDS_STRONG, WORDS_BAD, WORDS_GOOD, WORDS_DIM };

struct words_page {
    FILE *out;
    int columns; /* 0: as wide as the text */
    bool colour;
};

/* Sets or ends a style; nothing where the page has no colour. */
void words_style(const struct words_page *page, enum words_style style);
/* A paragraph: `lead` before its first line, as many spaces before the others. */
void words_wrap(const struct words_page *page, const char *lead, const char *text);
/* How many columns a text takes (UTF-8, one a character). */
int words_width(const char *text);

#endif
