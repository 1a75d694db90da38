/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka with the headers that it needs before itself. */
#ifndef TESTS_SUPPORT_CMOCKA_H
#define TESTS_SUPPORT_CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* The order matters: cmocka.h uses what stands above. */
#include <cmocka.h>

#endif
