/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers as recordings write them, kept in tens so that 1786119603.12 s is that many nanoseconds exactly. */
#ifndef REPLAY_DECIMAL_H
#define REPLAY_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decimal {
    bool negative;
    uint64_t mantissa; /* up to 19 digits; what follows them is dropped */
    int exponent;      /* of ten */
};

/* Takes the whole text, in the C locale whatever the machine's; false where it is no number. */
bool decimal_parse(const char *text, size_t length, struct decimal *out);
/* A number of up to 18 digits and nothing else, as most are; false where the text is another one. */
static inline bool decimal_digits(const char *text, size_t length, int64_t *out) {
    int64_t value = 0;
    if (length == 0 || length > 18) return false;
    for (size_t i = 0; i < length; i++) {
        unsigned digit = (unsigned char)text[i] - (unsigned)'0';
        if (digit > 9) return false;
        value = value * 10 + (int64_t)digit;
    }
    *out = value;
    return true;
}
/* Of a number that is not negative and has 16 digits at most. */
struct decimal decimal_of_double(double value);
/* Its absolute value times 10^power, the fraction dropped; false where that exceeds 2^63-1. */
bool decimal_scaled(const struct decimal *decimal, int power, int64_t *out);
/* Without a fraction? */
bool decimal_is_whole(const struct decimal *decimal);
double decimal_double(const struct decimal *decimal);

#endif
