/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ramp of load maps: cividis, nearly the same to readers with and without colour-blindness. */
#ifndef PLOTS_PALETTE_H
#define PLOTS_PALETTE_H

#include "plots/theme.h"

/* share 0 is idle, 1 and above is the limit. */
struct colour palette_load(double share);

#endif
