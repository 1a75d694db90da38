/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a fallible function fails. It returns a status; the first failure fills a struct ddbsim_error,
 * later ones leave it alone, so the message is always the cause and never a consequence.
 * Programming errors are not reported: they end the program (base/check.h).
 */
#ifndef DDBSIM_ERROR_H
#define DDBSIM_ERROR_H

#include <stddef.h>
#include <ddbsim/export.h>

/* The values are the program's exit codes. */
enum ddbsim_status {
    DDBSIM_OK = 0,
    DDBSIM_INPUT = 2,        /* what the user gave is wrong: scenario, database, option */
    DDBSIM_ENVIRONMENT = 3,  /* the machine refuses: disk, memory, permission */
    DDBSIM_UNMET = 99,       /* a threshold or an expectation does not hold */
    DDBSIM_INTERRUPTED = 130 /* the user stopped the run; what was computed is kept */
};

struct ddbsim_error {
    enum ddbsim_status status;
    char file[256];    /* "" where there is none */
    int line, column;  /* from 1; 0 where there is none */
    char path[256];    /* such as tables.carritos.indexes.gsi1.projection */
    char message[512]; /* one sentence without a full stop */
    char hint[256];    /* what to do about it; "" where there is nothing to say */
};

/* "file:line:column: path: message (hint)" into buffer; returns the length it needs. */
DDBSIM_API size_t ddbsim_error_format(const struct ddbsim_error *error, char *buffer, size_t size);

#endif
