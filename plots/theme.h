/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours and what they mean. A meaning has one colour in every picture: consumed blue, limit black
 * (on dark paper: ink), throttled vermillion, burst tokens green, retries purple, above the limit
 * maroon, an alarm that rings yellow with an edge of ink. Okabe and Ito's
 * set, which readers with colour-blindness tell apart; lines keep 3:1 against the paper,
 * text 4.5:1.
 */
#ifndef PLOTS_THEME_H
#define PLOTS_THEME_H

#include <stdbool.h>
#include <stdint.h>

struct colour {
    uint8_t red, green, blue;
};

struct theme {
    struct colour paper, ink, secondary, grid;
    struct colour consumed, consumed_fill; /* the line, and the range under it */
    struct colour limit, throttled, throttled_text;
    struct colour over; /* above the limit: on the ramp's yellow, not on paper */
    struct colour tokens, tokens_fill, tokens_text;
    struct colour retries;
    struct colour alarm, alarm_text; /* a fill: too pale for a line on white */
};

const struct theme *theme_get(bool dark);

#endif
