/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a program that broke an invariant of its own. It says where, then aborts, so that a
 * debugger or a core file shows the state; nothing is cleaned up, because nothing can be trusted.
 */
#include <base/check.h>

#include <stdio.h>
#include <stdlib.h>

_Noreturn void check_failed(const char *file, int line, const char *expression) {
    fprintf(stderr, "%s:%d: broken invariant: %s\n", file, line, expression);
    abort();
}
