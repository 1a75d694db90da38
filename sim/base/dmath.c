/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Elementary functions from IEEE + - * / and the square root, which every machine rounds alike; the
 * C library's own differ between processors. Built with -ffp-contract=off, or a fused multiply-add
 * would change the last bits.
 *
 * Sources: Cody and Waite's argument reduction with constants split so that their products with an
 * exponent are exact; Taylor series (log as 2 atanh); Dekker's and Knuth's exact sums and products
 * for pow; Halley's iteration for the cube root; Wichura's AS 241 (1988) for the normal quantile.
 */
#include <base/dmath.h>

#include <base/check.h>
#include <base/types.h>
#include <float.h>
#include <string.h>

_Static_assert(FLT_EVAL_METHOD == 0, "doubles are computed as doubles");
_Static_assert(DBL_MANT_DIG == 53, "doubles are IEEE binary64");

#define INFINITE __builtin_inf()
#define NOT_A_NUMBER __builtin_nan("")

#define LARGEST_EXPONENT 709.782712893384    /* the logarithm of the largest double */
#define SMALLEST_EXPONENT -745.1332191019412 /* of half the smallest */
#define SQRT_HALF 0x1.6a09e667f3bcdp-1
#define INVERSE_LN2 0x1.71547652b82fep+0
#define LN2_HIGH 0x1.62e42feep-1 /* 32 bits: exact times any exponent */
#define LN2_LOW 0x1.a39ef35793c76p-33
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define HALF_PI_1 0x1.921fb544p+0 /* 33 bits: exact times an integer of 20 */
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69

/* An unevaluated sum: |low| is at most half a last place of high. */
struct two {
    double high, low;
};

/* Exact when |a| >= |b|. */
static inline struct two sum_ordered(double a, double b) {
    double high = a + b;
    return (struct two){high, b - (high - a)};
}

static inline struct two sum_exact(double a, double b) {
    double high = a + b;
    double of_b = high - a;
    return (struct two){high, (a - (high - of_b)) + (b - of_b)};
}

/* Dekker's product; exact while nothing overflows or underflows. */
static inline struct two product_exact(double a, double b) {
    double split_a = a * 0x1.0000002p27, split_b = b * 0x1.0000002p27;
    double a1 = split_a - (split_a - a), b1 = split_b - (split_b - b);
    double a2 = a - a1, b2 = b - b1;
    double high = a * b;
    return (struct two){high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
}

static inline uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^exponent, for a normal result. */
static inline double power_of_two(int exponent) {
    CHECK_DEBUG(exponent >= -1022 && exponent <= 1023);
    return of_bits((uint64_t)(exponent + 1023) << 52);
}

/* x = mantissa 2^exponent with the mantissa in [sqrt(1/2), sqrt(2)), for normal x > 0. */
static inline double split_normal(double x, int *exponent) {
    uint64_t bits = bits_of(x);
    /* Adding the distance from sqrt(1/2) to 1 carries into the exponent exactly from sqrt(2) on. */
    uint64_t moved = bits + (bits_of(1.0) - bits_of(SQRT_HALF));
    *exponent = (int)(moved >> 52) - 1023;
    return of_bits((moved & UINT64_C(0x000fffffffffffff)) + bits_of(SQRT_HALF));
}

/* The same for finite x > 0. */
static inline double split(double x, int *exponent) {
    if (x >= DBL_MIN) return split_normal(x, exponent);
    double mantissa = split_normal(x * 0x1p54, exponent);
    *exponent -= 54;
    return mantissa;
}

/* atanh(s) / s - 1 as a polynomial in z = s^2, for s up to (sqrt(2) - 1) / (sqrt(2) + 1). Odd and
 * even powers are summed apart, which halves the chain of dependent operations. */
static inline double atanh_tail(double z) {
    double w = z * z;
    double odd =
        1.0 / 3 + w * (1.0 / 7 + w * (1.0 / 11 + w * (1.0 / 15 + w * (1.0 / 19 + w / 23))));
    double even = 1.0 / 5 + w * (1.0 / 9 + w * (1.0 / 13 + w * (1.0 / 17 + w / 21)));
    return z * odd + w * even;
}

/* Of 2^exponent (1 + f). */
static inline double log_of_parts(int exponent, double f) {
    double s = f / (2 + f);
    /* log(1 + f) = 2s + 2s tail, and 2s = f - s f: the large part of the sum is exact. */
    double rest = s * (2 * atanh_tail(s * s) - f);
    return exponent * LN2_HIGH + (f + (rest + exponent * LN2_LOW));
}

double dmath_log(double x) {
    if (!(x > 0)) return x == 0 ? -INFINITE : NOT_A_NUMBER;
    if (x > DBL_MAX) return x;
    int exponent;
    double mantissa = split(x, &exponent);
    return log_of_parts(exponent, mantissa - 1);
}

/* Without a branch, so that compilers make two at a time. */
void dmath_log_each(double *values, size_t count) {
    for (size_t i = 0; i < count; i++) {
        CHECK_DEBUG(values[i] >= DBL_MIN && values[i] <= DBL_MAX);
        int exponent;
        double mantissa = split_normal(values[i], &exponent);
        values[i] = log_of_parts(exponent, mantissa - 1);
    }
}

/* The logarithm to about 68 bits, for pow. */
static struct two log_two(double x) {
    int exponent;
    double f = split(x, &exponent) - 1;
    struct two d = sum_ordered(2, f);
    double s = f / d.high;
    struct two back = product_exact(s, d.high);
    double s_low = (((f - back.high) - back.low) - s * d.low) / d.high;
    double tail = 2 * (s * atanh_tail(s * s) + s_low);
    struct two whole = sum_exact(exponent * LN2_HIGH, 2 * s);
    return sum_ordered(whole.high, whole.low + (tail + exponent * LN2_LOW));
}

/* e^r - 1 for |r| <= ln(2) / 2, Taylor to the 13th power. */
static inline double exp_tail(double r) {
    static const double over_factorial[] = {1.0,
                                            1.0 / 2,
                                            1.0 / 6,
                                            1.0 / 24,
                                            1.0 / 120,
                                            1.0 / 720,
                                            1.0 / 5040,
                                            1.0 / 40320,
                                            1.0 / 362880,
                                            1.0 / 3628800,
                                            1.0 / 39916800,
                                            1.0 / 479001600,
                                            1.0 / 6227020800};
    double sum = over_factorial[12];
    for (int i = 11; i >= 1; i--)
        sum = sum * r + over_factorial[i];
    return r + r * (r * sum);
}

/* e^(x + low), for x that gives a finite result and |low| below half a last place of it. */
static inline double exp_two(double x, double low) {
    CHECK_DEBUG(x > -746 && x < 710);
    int exponent = (int)(x * INVERSE_LN2 + (x < 0 ? -0.5 : 0.5));
    double r = (x - exponent * LN2_HIGH) - exponent * LN2_LOW;
    double tail = exp_tail(r);
    double mantissa = 1 + (tail + (low + low * tail));
    /* In two steps, since 2^exponent alone may be outside the normal numbers. */
    int half = exponent / 2;
    return mantissa * power_of_two(half) * power_of_two(exponent - half);
}

double dmath_exp(double x) {
    if (x != x) return x;
    if (x > LARGEST_EXPONENT) return INFINITE;
    if (x < SMALLEST_EXPONENT) return 0;
    return exp_two(x, 0);
}

double dmath_pow(double x, double y) {
    CHECK(x > 0);
    if (y == 0 || x == 1) return 1;
    if (x > DBL_MAX) return y > 0 ? x : 0;
    struct two log = log_two(x);
    double rough = y * log.high;
    if (rough != rough) return rough;
    if (rough > LARGEST_EXPONENT) return INFINITE;
    if (rough < SMALLEST_EXPONENT) return 0;
    struct two power = product_exact(y, log.high);
    return exp_two(power.high, power.low + y * log.low);
}

double dmath_cbrt(double x) {
    if (x != x || x == 0 || x > DBL_MAX || x < -DBL_MAX) return x;
    int exponent;
    double m = split(x < 0 ? -x : x, &exponent);
    /* |x| = m 8^thirds with m in [sqrt(1/2), 4 sqrt(2)). */
    int thirds = (int)floor_div(exponent, 3);
    m *= power_of_two(exponent - 3 * thirds);
    double t = 0.87 + 0.16 * m;
    for (int i = 0; i < 3; i++) { /* 8 % off at first; each step cubes the error */
        double cube = t * t * t;
        t = t - t * ((cube - m) / (cube + cube + m));
    }
    t *= power_of_two(thirds);
    return x < 0 ? -t : t;
}

double dmath_sqrt(double x) { return __builtin_sqrt(x); }

/* sin and cos by Taylor, for |r| <= pi/4; `low` is what r lacks. */
static double sin_near_zero(double r, double low) {
    double z = r * r;
    double sum =
        -1.0 / 6 +
        z * (1.0 / 120 +
             z * (-1.0 / 5040 +
                  z * (1.0 / 362880 + z * (-1.0 / 39916800 +
                                           z * (1.0 / 6227020800 + z * (-1.0 / 1307674368000))))));
    return r + (r * z * sum + low * (1 - 0.5 * z));
}

static double cos_near_zero(double r, double low) {
    double z = r * r;
    double sum =
        1.0 / 24 +
        z * (-1.0 / 720 +
             z * (1.0 / 40320 +
                  z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200 +
                                                                    z * (1.0 / 20922789888000))))));
    double half = 0.5 * z;
    double whole = 1 - half;
    return whole + (((1 - whole) - half) + (z * z * sum - r * low));
}

double dmath_sin(double x) {
    if (!(x <= 1e6 && x >= -1e6)) {
        CHECK(x != x); /* the reduction's products would no longer be exact */
        return x;
    }
    int quarters = (int)(x * TWO_OVER_PI + (x < 0 ? -0.5 : 0.5));
    /* Each step is exact or keeps its rounding error, as x may lie next to a multiple of pi. */
    struct two first = sum_exact(x, -(quarters * HALF_PI_1));
    struct two second = sum_exact(first.high, -(quarters * HALF_PI_2));
    struct two r = sum_exact(second.high, first.low + second.low - quarters * HALF_PI_3);
    switch (quarters & 3) {
    case 0:
        return sin_near_zero(r.high, r.low);
    case 1:
        return cos_near_zero(r.high, r.low);
    case 2:
        return -sin_near_zero(r.high, r.low);
    default:
        return -cos_near_zero(r.high, r.low);
    }
}

/* Wichura's rational approximations, lowest power first: around the median, out to exp(-25),
 * beyond. */
static const double central_top[8] = {3.3871328727963666080e+0, 1.3314166789178437745e+2,
                                      1.9715909503065514427e+3, 1.3731693765509461125e+4,
                                      4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                      3.3430575583588128105e+4, 2.5090809287301226727e+3};
static const double central_bottom[8] = {1.0,
                                         4.2313330701600911252e+1,
                                         6.8718700749205790830e+2,
                                         5.3941960214247511077e+3,
                                         2.1213794301586595867e+4,
                                         3.9307895800092710610e+4,
                                         2.8729085735721942674e+4,
                                         5.2264952788528545610e+3};
static const double middle_top[8] = {1.42343711074968357734e+0, 4.63033784615654529590e+0,
                                     5.76949722146069140550e+0, 3.64784832476320460504e+0,
                                     1.27045825245236838258e+0, 2.41780725177450611770e-1,
                                     2.27238449892691845833e-2, 7.74545014278341407640e-4};
static const double middle_bottom[8] = {1.0,
                                        2.05319162663775882187e+0,
                                        1.67638483018380384940e+0,
                                        6.89767334985100004550e-1,
                                        1.48103976427480074590e-1,
                                        1.51986665636164571966e-2,
                                        5.47593808499534494600e-4,
                                        1.05075007164441684324e-9};
static const double far_top[8] = {6.65790464350110377720e+0, 5.46378491116411436990e+0,
                                  1.78482653991729133580e+0, 2.96560571828504891230e-1,
                                  2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                  2.71155556874348757815e-5, 2.01033439929228813265e-7};
static const double far_bottom[8] = {1.0,
                                     5.99832206555887937690e-1,
                                     1.36929880922735805310e-1,
                                     1.48753612908506148525e-2,
                                     7.86869131145613259100e-4,
                                     1.84631831751005468180e-5,
                                     1.42151175831644588870e-7,
                                     2.04426310338993978564e-15};

static double rational(const double top[8], const double bottom[8], double r) {
    double numerator = top[7], denominator = bottom[7];
    for (int i = 6; i >= 0; i--) {
        numerator = numerator * r + top[i];
        denominator = denominator * r + bottom[i];
    }
    return numerator / denominator;
}

double dmath_normal_quantile(double p) {
    CHECK(p > 0 && p < 1);
    double q = p - 0.5;
    if (q <= 0.425 && q >= -0.425)
        return q * rational(central_top, central_bottom, 0.180625 - q * q);
    double r = dmath_sqrt(-dmath_log(q < 0 ? p : 1 - p));
    double z = r <= 5 ? rational(middle_top, middle_bottom, r - 1.6)
                      : rational(far_top, far_bottom, r - 5);
    return q < 0 ? -z : z;
}
