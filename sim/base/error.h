/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filling a struct ddbsim_error: the first failure wins, NULL is allowed everywhere. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <ddbsim/error.h>

/* Sets status and message unless one stands already; returns status, so callers can return it. */
enum ddbsim_status error_set(struct ddbsim_error *error, enum ddbsim_status status,
                             const char *format, ...) DDBSIM_PRINTF(3, 4);
void error_hint(struct ddbsim_error *error, const char *format, ...) DDBSIM_PRINTF(2, 3);
void error_place(struct ddbsim_error *error, const char *file, int line, int column);
void error_path(struct ddbsim_error *error, const char *path);
/* "out of memory", DDBSIM_ENVIRONMENT. */
enum ddbsim_status error_memory(struct ddbsim_error *error);

#endif
