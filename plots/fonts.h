/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bundled font's bytes, part of the program: a picture needs no file of the machine that draws
 * it. */
#ifndef PLOTS_FONTS_H
#define PLOTS_FONTS_H

#include <stddef.h>

extern const unsigned char fonts_regular[], fonts_regular_end[];
extern const unsigned char fonts_bold[], fonts_bold_end[];

#endif
