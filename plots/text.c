/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FreeType reads the font from memory, cairo draws it. Hinting and hint metrics are off, so widths
 * scale with size and do not depend on FreeType's version; antialiasing is grey, so no subpixel
 * order shows. cairo may keep a face beyond our last use of it: face and library are freed when
 * cairo lets go.
 */
#include "plots/text.h"
#include "plots/fonts.h"

#include <base/error.h>
#include <cairo-ft.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MOST 1024
#define ELLIPSIS "\xe2\x80\xa6"
#define REPLACEMENT "\xef\xbf\xbd"

struct face {
    FT_Library library;
    FT_Face face;
};

static const cairo_user_data_key_t face_key;

static void face_free(void *data) {
    struct face *face = data;
    if (face->face) FT_Done_Face(face->face);
    if (face->library) FT_Done_FreeType(face->library);
    free(face);
}

static cairo_font_face_t *face_load(const unsigned char *begin, const unsigned char *end) {
    struct face *face = calloc(1, sizeof *face);
    if (!face) return NULL;
    if (FT_Init_FreeType(&face->library) != 0 ||
        FT_New_Memory_Face(face->library, begin, end - begin, 0, &face->face) != 0) {
        face_free(face);
        return NULL;
    }
    cairo_font_face_t *out = cairo_ft_font_face_create_for_ft_face(face->face, FT_LOAD_NO_HINTING);
    if (cairo_font_face_set_user_data(out, &face_key, face, face_free) != CAIRO_STATUS_SUCCESS) {
        cairo_font_face_destroy(out);
        face_free(face);
        return NULL;
    }
    return out;
}

enum ddbsim_status text_fonts_load(struct text_fonts *fonts, struct ddbsim_error *error) {
    fonts->regular = face_load(fonts_regular, fonts_regular_end);
    fonts->bold = face_load(fonts_bold, fonts_bold_end);
    if (fonts->regular && fonts->bold) return DDBSIM_OK;
    text_fonts_free(fonts);
    return error_memory(error);
}

void text_fonts_free(struct text_fonts *fonts) {
    if (fonts->regular) cairo_font_face_destroy(fonts->regular);
    if (fonts->bold) cairo_font_face_destroy(fonts->bold);
    *fonts = (struct text_fonts){NULL, NULL};
}

static void style_apply(const struct text_pen *pen, const struct text_style *style) {
    cairo_set_font_face(pen->cr, style->bold ? pen->fonts->bold : pen->fonts->regular);
    cairo_set_font_size(pen->cr, style->size);
    cairo_set_source_rgb(pen->cr, style->colour.red / 255.0, style->colour.green / 255.0,
                         style->colour.blue / 255.0);
}

/* Bytes of the character that begins here; 0 where none validly does (RFC 3629). */
static size_t character_bytes(const unsigned char *at) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t count = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (count <= 1 || at[0] > 0xf4) return count == 1;
    uint32_t code = at[0] & (0x7fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    bool refused = code < least[count] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ||
                   (code & 0xfffe) == 0xfffe || (code >= 0x80 && code < 0xa0);
    return refused ? 0 : count;
}

void text_clean(const char *text, char *out, size_t size) {
    const unsigned char *at = (const unsigned char *)(text ? text : "");
    size_t used = 0;
    while (*at) {
        size_t count = character_bytes(at);
        bool foreign = count == 0 || *at < 0x20 || *at == 0x7f;
        size_t need = foreign ? strlen(REPLACEMENT) : count;
        if (used + need + 1 > size) break;
        memcpy(out + used, foreign ? REPLACEMENT : (const char *)at, need);
        used += need;
        at += foreign ? 1 : count;
    }
    out[used] = '\0';
}

/* What cairo is given is cleaned once more: what is put together in a buffer of a fixed size may have been cut within
 * a character, and cairo then draws nothing more at all. */

static double width_of_clean(const struct text_pen *pen, const struct text_style *style,
                             const char *drawn) {
    cairo_text_extents_t extents;
    style_apply(pen, style);
    cairo_text_extents(pen->cr, drawn, &extents);
    return extents.x_advance;
}

double text_width(const struct text_pen *pen, const struct text_style *style, const char *text) {
    char drawn[TEXT_MOST + 8];
    text_clean(text, drawn, sizeof drawn);
    return width_of_clean(pen, style, drawn);
}

void text_draw(const struct text_pen *pen, const struct text_style *style, double x, double y,
               const char *text) {
    char drawn[TEXT_MOST + 8];
    text_clean(text, drawn, sizeof drawn);
    double width = width_of_clean(pen, style, drawn);
    if (style->align == TEXT_MIDDLE) x -= width / 2;
    if (style->align == TEXT_END) x -= width;
    cairo_move_to(pen->cr, x, y);
    cairo_show_text(pen->cr, drawn);
    cairo_new_path(pen->cr);
}

static size_t previous_start(const char *text, size_t length) {
    if (length == 0) return 0;
    length--;
    while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80)
        length--;
    return length;
}

static bool fits(const struct text_pen *pen, const struct text_style *style, double width,
                 const char *text, size_t length, const char *tail) {
    char part[TEXT_MOST + 8];
    memcpy(part, text, length);
    memcpy(part + length, tail, strlen(tail) + 1);
    return text_width(pen, style, part) <= width;
}

/* The longest start of the text that fits with the tail behind it, by halving. */
static size_t longest_fit(const struct text_pen *pen, const struct text_style *style, double width,
                          const char *text, const char *tail) {
    size_t low = 0, high = strlen(text);
    if (high > TEXT_MOST) high = previous_start(text, TEXT_MOST);
    if (fits(pen, style, width, text, high, tail)) return high;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        size_t cut = previous_start(text, middle + 1);
        if (cut > low && fits(pen, style, width, text, cut, tail))
            low = cut;
        else
            high = middle;
    }
    return low;
}

void text_fit(const struct text_pen *pen, const struct text_style *style, double width,
              const char *text, char *out, size_t size) {
    char clean[TEXT_MOST];
    text_clean(text, clean, sizeof clean);
    if (text_width(pen, style, clean) <= width) {
        text_clean(clean, out, size);
        return;
    }
    size_t length = longest_fit(pen, style, width, clean, ELLIPSIS);
    while (length > 0 && clean[length - 1] == ' ')
        length--;
    memcpy(clean + length, ELLIPSIS, strlen(ELLIPSIS) + 1);
    text_clean(length > 0 ? clean : "", out, size);
}

size_t text_break(const struct text_pen *pen, const struct text_style *style, double width,
                  const char *text) {
    size_t length = longest_fit(pen, style, width, text, "");
    if (text[length] == '\0') return length;
    size_t space = length;
    while (space > 0 && text[space] != ' ')
        space--;
    if (space > 0) return space;
    size_t one = character_bytes((const unsigned char *)text);
    return length > 0 ? length : one > 0 ? one : 1;
}
