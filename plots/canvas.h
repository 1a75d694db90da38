/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture that becomes a file: PNG at two pixels a point, SVG or PDF, by the path's ending. */
#ifndef PLOTS_CANVAS_H
#define PLOTS_CANVAS_H

#include <cairo.h>
#include <ddbsim/error.h>
#include <stdbool.h>

#define CANVAS_SCALE 2 /* pixels a point in PNG */
#define CANVAS_LEAST 240
#define CANVAS_MOST 8000

struct canvas;

/*
 * DDBSIM_INPUT for an ending that is none of the three, a size out of range, a directory, or a path
 * that exists without force. Nothing is written before canvas_finish.
 */
DDBSIM_MUST_CHECK enum ddbsim_status canvas_create(const char *path, bool force, int width,
                                                   int height, struct canvas **out,
                                                   struct ddbsim_error *error);
cairo_t *canvas_cairo(struct canvas *canvas);
/* Writes the file under a temporary name and renames it. The title and description go into SVG for
 * screen readers and into PDF's metadata. A failed drawing is reported here. */
DDBSIM_MUST_CHECK enum ddbsim_status canvas_finish(struct canvas *canvas, const char *title,
                                                   const char *description,
                                                   struct ddbsim_error *error);
void canvas_destroy(struct canvas *canvas);

#endif
