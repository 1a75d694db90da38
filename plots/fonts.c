/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DejaVu Sans, regular and bold, put into the program by the assembler (fonts/LICENSE).
 * PLOTS_FONTS_DIR is the folder of the two files; the build defines it.
 */
#include "plots/fonts.h"

#ifndef PLOTS_FONTS_DIR
#error "PLOTS_FONTS_DIR must name the folder of the bundled font"
#endif

#define EMBED(symbol, file)                                        \
    ".pushsection .rodata\n"                                       \
    ".balign 16\n"                                                 \
    ".globl " symbol "\n.hidden " symbol "\n"                      \
    ".globl " symbol "_end\n.hidden " symbol "_end\n" symbol ":\n" \
    ".incbin \"" PLOTS_FONTS_DIR "/" file "\"\n" symbol "_end:\n"  \
    ".byte 0\n"                                                    \
    ".popsection\n"

__asm__(EMBED("fonts_regular", "DejaVuSans.ttf"));
__asm__(EMBED("fonts_bold", "DejaVuSans-Bold.ttf"));
