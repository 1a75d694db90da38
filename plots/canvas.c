/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cairo draws into memory; the file is written whole at the end (output.h). cairo writes the present time into PDF and
 * no title into SVG: the date is set to a fixed one, and title and description are put behind SVG's
 * root tag. Same database, same bytes.
 */
#include "plots/canvas.h"

#include <base/check.h>
#include <base/error.h>
#include <base/vector.h>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <plots/output.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define FIXED_DATE "2000-01-01T00:00:00Z"

enum format { FORMAT_PNG, FORMAT_SVG, FORMAT_PDF, FORMAT_NONE };

struct bytes {
    char *data;
    size_t length, capacity;
    bool failed;
};

struct canvas {
    enum format format;
    char *path;
    cairo_surface_t *surface;
    cairo_t *cr;
    struct bytes bytes;
};

static void bytes_add(struct bytes *bytes, const char *data, size_t length) {
    void *items = bytes->data;
    if (bytes->failed || length == 0) return;
    bytes->failed = !vector_reserve(&items, &bytes->capacity, bytes->length + length, 1);
    bytes->data = items;
    if (bytes->failed) return;
    CHECK(bytes->data != NULL);
    memcpy(bytes->data + bytes->length, data, length);
    bytes->length += length;
}

static void bytes_text(struct bytes *bytes, const char *text) {
    bytes_add(bytes, text, strlen(text));
}

static void bytes_escaped(struct bytes *bytes, const char *text) {
    for (const char *at = text; *at; at++) {
        if (*at == '<')
            bytes_text(bytes, "&lt;");
        else if (*at == '>')
            bytes_text(bytes, "&gt;");
        else if (*at == '&')
            bytes_text(bytes, "&amp;");
        else if (*at == '"')
            bytes_text(bytes, "&quot;");
        else
            bytes_add(bytes, at, 1);
    }
}

static cairo_status_t take_bytes(void *self, const unsigned char *data, unsigned int length) {
    struct bytes *bytes = self;
    bytes_add(bytes, (const char *)data, length);
    return bytes->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static enum format format_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    if (!dot) return FORMAT_NONE;
    if (strcasecmp(dot, ".png") == 0) return FORMAT_PNG;
    if (strcasecmp(dot, ".svg") == 0) return FORMAT_SVG;
    if (strcasecmp(dot, ".pdf") == 0) return FORMAT_PDF;
    return FORMAT_NONE;
}

static enum ddbsim_status check_path(const char *path, bool force, struct ddbsim_error *error) {
    if (format_of(path) != FORMAT_NONE) return output_check(path, force, error);
    error_hint(error, "end it with .png, .svg or .pdf");
    return error_set(error, DDBSIM_INPUT, "cannot tell a picture's format from the name '%.300s'",
                     path);
}

static enum ddbsim_status check_size(int width, int height, struct ddbsim_error *error) {
    if (width >= CANVAS_LEAST && width <= CANVAS_MOST && height >= CANVAS_LEAST &&
        height <= CANVAS_MOST)
        return DDBSIM_OK;
    return error_set(error, DDBSIM_INPUT, "a picture of %d x %d points: each side must be %d to %d",
                     width, height, CANVAS_LEAST, CANVAS_MOST);
}

static cairo_surface_t *surface_create(struct canvas *canvas, int width, int height) {
    cairo_surface_t *surface = NULL;
    if (canvas->format == FORMAT_SVG) {
        surface = cairo_svg_surface_create_for_stream(take_bytes, &canvas->bytes, width, height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    } else if (canvas->format == FORMAT_PDF) {
        surface = cairo_pdf_surface_create_for_stream(take_bytes, &canvas->bytes, width, height);
        /* 1.4: what the document says of itself stands in it uncompressed (pdf_says_all). */
        cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, FIXED_DATE);
    } else {
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width * CANVAS_SCALE,
                                             height * CANVAS_SCALE);
        cairo_surface_set_device_scale(surface, CANVAS_SCALE, CANVAS_SCALE);
    }
    return surface;
}

static void set_font_options(cairo_t *cr) {
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_set_font_options(cr, options);
    cairo_font_options_destroy(options);
}

enum ddbsim_status canvas_create(const char *path, bool force, int width, int height,
                                 struct canvas **out, struct ddbsim_error *error) {
    enum ddbsim_status status = check_path(path, force, error);
    *out = NULL;
    if (status == DDBSIM_OK) status = check_size(width, height, error);
    if (status != DDBSIM_OK) return status;
    struct canvas *canvas = calloc(1, sizeof *canvas);
    if (!canvas) return error_memory(error);
    canvas->format = format_of(path);
    canvas->path = strdup(path);
    canvas->surface = surface_create(canvas, width, height);
    canvas->cr = cairo_create(canvas->surface);
    if (!canvas->path || cairo_status(canvas->cr) != CAIRO_STATUS_SUCCESS) {
        canvas_destroy(canvas);
        return error_memory(error);
    }
    set_font_options(canvas->cr);
    *out = canvas;
    return DDBSIM_OK;
}

cairo_t *canvas_cairo(struct canvas *canvas) { return canvas->cr; }

static void destroy_surface(struct canvas *canvas) {
    if (canvas->cr) cairo_destroy(canvas->cr);
    if (canvas->surface) cairo_surface_destroy(canvas->surface);
    canvas->cr = NULL;
    canvas->surface = NULL;
}

void canvas_destroy(struct canvas *canvas) {
    if (!canvas) return;
    destroy_surface(canvas); /* may still write into bytes */
    free(canvas->bytes.data);
    free(canvas->path);
    free(canvas);
}

#define SURFACES_MOST 64

/* The place of a surface's number among those met so far. */
static int surface_place(unsigned long numbers[SURFACES_MOST], int *count, unsigned long number) {
    int place = 0;
    while (place < *count && numbers[place] != number)
        place++;
    if (place == *count && *count < SURFACES_MOST) numbers[(*count)++] = number;
    return place;
}

/* Behind the next `"image`, `#image` or `"surface`; NULL where there is none. */
static const char *next_surface(const char *text) {
    static const char *const names[] = {"\"image", "#image", "\"surface"};
    const char *next = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *at = strstr(text, names[i]);
        if (at && (!next || at + strlen(names[i]) < next)) next = at + strlen(names[i]);
    }
    return next;
}

/* cairo names surfaces by a count of all that the process ever made: they are numbered anew, in
 * their order in the document. */
static void bytes_renumbered(struct bytes *bytes, const char *text) {
    unsigned long numbers[SURFACES_MOST];
    int count = 0;
    for (const char *at; (at = next_surface(text)) != NULL; text = at) {
        char *end, place[16];
        bytes_add(bytes, text, (size_t)(at - text));
        unsigned long number = strtoul(at, &end, 10);
        if (end == at || *end != '"') continue;
        snprintf(place, sizeof place, "%d", surface_place(numbers, &count, number));
        bytes_text(bytes, place);
        at = end;
    }
    bytes_text(bytes, text);
}

/* Puts role, title and description behind the root tag. */
static void describe_svg(struct bytes *bytes, const char *title, const char *description) {
    const char *root = bytes->length ? strstr(bytes->data, "<svg ") : NULL;
    const char *close = root ? strchr(root, '>') : NULL;
    if (!close) return;
    struct bytes out = {0};
    bytes_add(&out, bytes->data, (size_t)(close - bytes->data));
    bytes_text(&out, " role=\"img\" aria-labelledby=\"title desc\">\n<title id=\"title\">");
    bytes_escaped(&out, title);
    bytes_text(&out, "</title>\n<desc id=\"desc\">");
    bytes_escaped(&out, description);
    bytes_text(&out, "</desc>");
    bytes_renumbered(&out, close + 1);
    free(bytes->data);
    *bytes = out;
}

/* The offset that stands in so many digits from `at` on; -1 where there is none. */
static long digits_at(const struct bytes *bytes, size_t at, size_t count) {
    long number = 0;
    for (size_t i = at; i < at + count; i++) {
        if (i >= bytes->length || bytes->data[i] < '0' || bytes->data[i] > '9') return -1;
        number = 10 * number + (bytes->data[i] - '0');
    }
    return number;
}

static bool begins_at(const struct bytes *bytes, long at, const char *text) {
    size_t length = strlen(text);
    return at >= 0 && (size_t)at <= bytes->length && bytes->length - (size_t)at >= length &&
           memcmp(bytes->data + at, text, length) == 0;
}

/* Does every object of a PDF's table stand where the table says? cairo forgets that memory was short
 * when it embeds fonts, and leaves them out. */
static bool pdf_is_whole(const struct bytes *bytes) {
    static const char mark[] = "\nxref\n0 ";
    const char *table = NULL;
    for (const char *at = bytes->data;
         (at = memmem(at, bytes->length - (size_t)(at - bytes->data), mark, sizeof mark - 1)); at++)
        table = at; /* the last one; a stream may hold the mark by chance */
    size_t behind = table ? (size_t)(table - bytes->data) + sizeof mark - 1 : bytes->length;
    const char *line = table ? memchr(bytes->data + behind, '\n', bytes->length - behind) : NULL;
    if (!line) return false;
    size_t entry = (size_t)(line + 1 - bytes->data);
    for (long number = 1; digits_at(bytes, entry + 20 * (size_t)number, 10) >= 0; number++) {
        char object[32];
        snprintf(object, sizeof object, "%ld 0 obj", number);
        if (!begins_at(bytes, digits_at(bytes, entry + 20 * (size_t)number, 10), object))
            return false;
    }
    return true;
}

/* cairo leaves out what it has no memory to keep of title, subject and date, and says nothing. */
static bool pdf_says_all(const struct bytes *bytes) {
    static const char *const keys[] = {"/Title", "/Subject", "/CreationDate"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (!memmem(bytes->data, bytes->length, keys[i], strlen(keys[i]))) return false;
    return true;
}

static cairo_status_t finish_surface(struct canvas *canvas, const char *title,
                                     const char *description) {
    cairo_status_t status = cairo_status(canvas->cr);
    if (status != CAIRO_STATUS_SUCCESS) return status;
    if (canvas->format == FORMAT_PDF) {
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_TITLE, title);
        cairo_pdf_surface_set_metadata(canvas->surface, CAIRO_PDF_METADATA_SUBJECT, description);
    }
    if (canvas->format == FORMAT_PNG)
        return cairo_surface_write_to_png_stream(canvas->surface, take_bytes, &canvas->bytes);
    cairo_surface_finish(canvas->surface);
    status = cairo_surface_status(canvas->surface);
    if (canvas->format == FORMAT_SVG && status == CAIRO_STATUS_SUCCESS) {
        bytes_add(&canvas->bytes, "", 1); /* describe_svg reads it as text */
        if (!canvas->bytes.failed) describe_svg(&canvas->bytes, title, description);
    }
    if (canvas->format == FORMAT_PDF && status == CAIRO_STATUS_SUCCESS &&
        (!pdf_is_whole(&canvas->bytes) || !pdf_says_all(&canvas->bytes)))
        return CAIRO_STATUS_NO_MEMORY;
    return canvas->bytes.failed ? CAIRO_STATUS_NO_MEMORY : status;
}

static enum ddbsim_status write_file(const struct canvas *canvas, struct ddbsim_error *error) {
    struct output output;
    enum ddbsim_status status = output_open(canvas->path, &output, error);
    if (status != DDBSIM_OK) return status;
    (void)fwrite(canvas->bytes.data, 1, canvas->bytes.length, output.stream);
    return output_close(&output, error);
}

enum ddbsim_status canvas_finish(struct canvas *canvas, const char *title, const char *description,
                                 struct ddbsim_error *error) {
    cairo_status_t status = finish_surface(canvas, title, description);
    /* What libpng writes goes into memory: nothing but that can fail it. */
    bool memory = status == CAIRO_STATUS_NO_MEMORY || status == CAIRO_STATUS_PNG_ERROR;
    if (memory || canvas->bytes.failed) return error_memory(error);
    if (status != CAIRO_STATUS_SUCCESS)
        return error_set(error, DDBSIM_ENVIRONMENT, "cannot draw: %s",
                         cairo_status_to_string(status));
    return write_file(canvas, error);
}
