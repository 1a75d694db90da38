/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words for a terminal: numbers with the digits that matter, commands that may be pasted into a
 * shell, paragraphs broken between words. Colour is ANSI's and only where the caller asks for it.
 */
#include <plots/words.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_LEAST 20

const char *words_count(char out[WORDS_BYTES], int64_t value) {
    char digits[WORDS_BYTES];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)value);
    int sign = value < 0;
    size_t used = 0;
    for (int i = 0; i < length; i++) {
        if (i > sign && (length - i) % 3 == 0) out[used++] = ',';
        out[used++] = digits[i];
    }
    out[used] = '\0';
    return out;
}

const char *words_number(char out[WORDS_BYTES], double value) {
    double size = fabs(value);
    if (isnan(value)) {
        snprintf(out, WORDS_BYTES, "unknown");
        return out;
    }
    if (size >= 999.5 && size < 9e15) return words_count(out, (int64_t)llround(value));
    int digits = size >= 0.95 || size == 0 ? 1 : size >= 0.095 ? 2 : 3;
    snprintf(out, WORDS_BYTES, "%.*f", digits, value);
    char *end = out + strlen(out);
    while (strchr(out, '.') && (end[-1] == '0' || end[-1] == '.')) {
        bool point = *--end == '.';
        *end = '\0';
        if (point) break;
    }
    return out;
}

const char *words_percent(char out[WORDS_BYTES], double share) {
    double percent = share * 100;
    double size = fabs(percent);
    /* A share that is not whole never reads as 0 % or 100 %. */
    bool edge = size < 1.95 || (size > 99 && size < 100);
    int digits = size == 0 || size == 100 ? 0 : !edge ? 0 : size >= 0.095 ? 1 : 3;
    if (size > 99.95 && size < 100) digits = 3;
    snprintf(out, WORDS_BYTES, "%.*f %%", digits, percent);
    return out;
}

const char *words_duration(char out[WORDS_BYTES], double seconds) {
    long long total = llround(seconds);
    if (total < 120) {
        snprintf(out, WORDS_BYTES, "%lld s", total);
        return out;
    }
    long long minutes = (total + 30) / 60;
    if (minutes < 120)
        snprintf(out, WORDS_BYTES, "%lld min", minutes);
    else if (minutes % 60 == 0)
        snprintf(out, WORDS_BYTES, "%lld h", minutes / 60);
    else
        snprintf(out, WORDS_BYTES, "%lld h %lld min", minutes / 60, minutes % 60);
    return out;
}

char *words_path_name(const char *name) {
    bool quote = *name == '\0' || strpbrk(name, ".\"=") != NULL || strcmp(name, "*") == 0;
    char *out = malloc(2 * strlen(name) + 3);
    if (!out) return NULL;
    char *at = out;
    if (quote) *at++ = '"';
    for (; *name; name++) {
        if (quote && (*name == '"' || *name == '\\')) *at++ = '\\';
        *at++ = *name;
    }
    if (quote) *at++ = '"';
    *at = '\0';
    return out;
}

char *words_shell(const char *word) {
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_-./:=@%+,";
    char *out = malloc(4 * strlen(word) + 3);
    if (!out) return NULL;
    if (*word && word[strspn(word, safe)] == '\0') return strcpy(out, word);
    char *at = out;
    *at++ = '\'';
    for (; *word; word++) {
        if (*word == '\'') {
            memcpy(at, "'\\''", 4);
            at += 4;
        } else {
            *at++ = *word;
        }
    }
    *at++ = '\'';
    *at = '\0';
    return out;
}

char *words_unshell(const char **at) {
    const char *from = *at + strspn(*at, " ");
    bool quoted = false;
    char *word = *from ? malloc(strlen(from) + 1) : NULL, *end = word;
    if (!word) return NULL;
    for (; *from && (quoted || *from != ' '); from++) {
        if (*from == '\'')
            quoted = !quoted;
        else if (*from == '\\' && !quoted && from[1])
            *end++ = *++from;
        else
            *end++ = *from;
    }
    *end = '\0';
    *at = from;
    return word;
}

void words_append_slug(const char *text, char *buffer, size_t size) {
    size_t used = strlen(buffer);
    bool dash = true;
    for (; *text && used + 2 < size; text++) {
        char c = *text;
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (!plain) {
            dash = true;
            continue;
        }
        if (dash) buffer[used++] = '-';
        dash = false;
        buffer[used++] = c;
    }
    buffer[used] = '\0';
}

void words_style(const struct words_page *page, enum words_style style) {
    static const char *const codes[] = {[WORDS_PLAIN] = "\033[0m",
                                        [WORDS_STRONG] = "\033[1m",
                                        [WORDS_BAD] = "\033[1;31m",
                                        [WORDS_GOOD] = "\033[1;32m",
                                        [WORDS_DIM] = "\033[2m"};
    if (page->colour) fputs(codes[style], page->out);
}

static int width_of(const char *text, size_t bytes) {
    int width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

int words_width(const char *text) { return width_of(text, strlen(text)); }

void words_wrap(const struct words_page *page, const char *lead, const char *text) {
    int indent = words_width(lead), at = indent;
    int columns = page->columns > COLUMNS_LEAST ? page->columns : COLUMNS_LEAST;
    bool first = true;
    fputs(lead, page->out);
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t bytes = strcspn(text, " ");
        int width = width_of(text, bytes);
        if (!first && page->columns > 0 && at + 1 + width > columns) {
            fprintf(page->out, "\n%*s", indent, "");
            at = indent;
        } else if (!first) {
            fputc(' ', page->out);
            at++;
        }
        fwrite(text, 1, bytes, page->out);
        at += width;
        text += bytes;
        first = false;
    }
    fputc('\n', page->out);
}
