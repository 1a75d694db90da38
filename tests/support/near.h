/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assertions on doubles, which say both values when they fail; NaN is near nothing. */
#ifndef TESTS_SUPPORT_NEAR_H
#define TESTS_SUPPORT_NEAR_H

#include <support/cmocka.h>

static inline void near_check(double actual, double expected, double tolerance, const char *what,
                              const char *file, int line) {
    double distance = actual < expected ? expected - actual : actual - expected;
    if (distance <= tolerance || actual == expected) return;
    print_error("%s is %.17g, not within %.3g of %.17g\n", what, actual, tolerance, expected);
    _fail(file, line);
}

/* |actual - expected| <= tolerance */
#define assert_within(actual, expected, tolerance) \
    near_check((actual), (expected), (tolerance), #actual, __FILE__, __LINE__)
/* |actual - expected| <= tolerance |expected| */
#define assert_near(actual, expected, tolerance)                                                   \
    near_check((actual), (expected),                                                               \
               (tolerance) * ((expected) < 0 ? -(double)(expected) : (double)(expected)), #actual, \
               __FILE__, __LINE__)

#endif
