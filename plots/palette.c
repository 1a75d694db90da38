/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cividis by nine control points at 0, 1/8 .. 1 (Nunez, Anderton and Renslow 2018), interpolated in
 * whole numbers between the bytes, so that a colour is the same on every machine.
 */
#include "plots/palette.h"

#define STEPS 8
#define PARTS 128 /* between two control points */

static const uint32_t cividis[STEPS + 1] = {0x002051, 0x11366c, 0x3c4d6e, 0x62646f, 0x7f7c75,
                                            0x9a9478, 0xbbaf71, 0xe2cb5c, 0xfdea45};

static uint8_t between(uint32_t a, uint32_t b, int shift, uint32_t part) {
    uint32_t low = (a >> shift) & 255, high = (b >> shift) & 255;
    return (uint8_t)((low * (PARTS - part) + high * part + PARTS / 2) / PARTS);
}

struct colour palette_load(double share) {
    if (!(share > 0)) share = 0;
    if (share > 1) share = 1;
    uint32_t position = (uint32_t)(share * STEPS * PARTS + 0.5);
    uint32_t step = position / PARTS, part = position % PARTS;
    uint32_t a = cividis[step], b = cividis[step < STEPS ? step + 1 : STEPS];
    return (struct colour){between(a, b, 16, part), between(a, b, 8, part), between(a, b, 0, part)};
}
