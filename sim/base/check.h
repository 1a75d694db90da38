/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Assertions on invariants, in two tiers. CHECK stays in every build; CHECK_DEBUG, for the hot
 * path, only where DDBSIM_DEBUG is defined. Both end the program and say where: they mean a
 * programming error, never a user's.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

_Noreturn void check_failed(const char *file, int line, const char *expression);

#define CHECK(expression) ((expression) ? (void)0 : check_failed(__FILE__, __LINE__, #expression))

#ifdef DDBSIM_DEBUG
#define CHECK_DEBUG(expression) CHECK(expression)
#else
#define CHECK_DEBUG(expression) ((void)sizeof(expression))
#endif

#endif
