/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result that becomes a file: written whole under a temporary name beside it, then renamed, so that no reader
 * meets half of it. */
#ifndef PLOTS_OUTPUT_H
#define PLOTS_OUTPUT_H

#include <ddbsim/error.h>
#include <stdbool.h>
#include <stdio.h>

/* DDBSIM_INPUT for a directory, a device, or a path that exists without force. Writes nothing. */
DDBSIM_MUST_CHECK enum ddbsim_status output_check(const char *path, bool force,
                                                  struct ddbsim_error *error);

struct output {
    FILE *stream;
    char *path, *temporary;
    int file, cause; /* cause: errno of the first failure; 0: none */
};

/* Opens the temporary file; whoever gets DDBSIM_OK calls output_close or output_abandon. The struct stays where it is
 * until then: the stream knows its place. */
DDBSIM_MUST_CHECK enum ddbsim_status output_open(const char *path, struct output *out,
                                                 struct ddbsim_error *error);
/* What the stream could not write fails here. The file is there, or nothing is. */
DDBSIM_MUST_CHECK enum ddbsim_status output_close(struct output *output,
                                                  struct ddbsim_error *error);
void output_abandon(struct output *output);

#endif
