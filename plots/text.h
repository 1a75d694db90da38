/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text in the bundled font, the same on every machine: no fontconfig, no hinting. */
#ifndef PLOTS_TEXT_H
#define PLOTS_TEXT_H

#include "plots/theme.h"

#include <cairo.h>
#include <ddbsim/error.h>

struct text_fonts {
    cairo_font_face_t *regular, *bold;
};

DDBSIM_MUST_CHECK enum ddbsim_status text_fonts_load(struct text_fonts *fonts,
                                                     struct ddbsim_error *error);
void text_fonts_free(struct text_fonts *fonts);

enum text_align { TEXT_START, TEXT_MIDDLE, TEXT_END };

struct text_style {
    double size;
    bool bold;
    enum text_align align;
    struct colour colour;
};

static inline struct text_style text_style_of(double size, bool bold, enum text_align align,
                                              struct colour colour) {
    return (struct text_style){size, bold, align, colour};
}

/* A place to write: a cairo context and its fonts. */
struct text_pen {
    cairo_t *cr;
    const struct text_fonts *fonts;
};

double text_width(const struct text_pen *pen, const struct text_style *style, const char *text);
/* At baseline y; x is where the text starts, has its middle or ends. */
void text_draw(const struct text_pen *pen, const struct text_style *style, double x, double y,
               const char *text);
/* Copies as much of the text as fits into width, with an ellipsis where something is left out; cuts
 * between characters. */
void text_fit(const struct text_pen *pen, const struct text_style *style, double width,
              const char *text, char *out, size_t size);
/* How many bytes of the text fit into width when lines break at spaces; at least one character. */
size_t text_break(const struct text_pen *pen, const struct text_style *style, double width,
                  const char *text);

/* Copies text as valid UTF-8 that cairo and XML take: each foreign byte and control character
 * becomes U+FFFD; cut between characters where out is too small. NULL is empty. */
void text_clean(const char *text, char *out, size_t size);

#endif
