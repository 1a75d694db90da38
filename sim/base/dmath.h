/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Elementary functions from IEEE + - * / and sqrt alone, so that every machine, compiler and
 * optimisation level gives the same bits; libm's do not. Relative error below 1e-14 (tested).
 */
#ifndef BASE_DMATH_H
#define BASE_DMATH_H

#include <stddef.h>

double dmath_log(double x); /* natural; -inf at 0, nan below */
/* The same of many normal numbers > 0, each in its own place. */
void dmath_log_each(double *values, size_t count);
double dmath_exp(double x);             /* inf above 709.78, 0 below -745 */
double dmath_pow(double x, double y);   /* x > 0 */
double dmath_cbrt(double x);            /* any sign */
double dmath_sqrt(double x);            /* the machine's correctly rounded one */
double dmath_sin(double x);             /* |x| up to 1e6; for load shapes */
double dmath_normal_quantile(double p); /* inverse of the standard normal CDF, 0 < p < 1 */

#endif
