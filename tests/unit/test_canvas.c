/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Canvas and text: formats by ending, what is refused, nothing left behind, valid text from any
 * bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <plots/canvas.h>
#include <plots/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ddbsim-canvas-XXXXXX";

static const char *in_folder(const char *name, char out[256]) {
    snprintf(out, 256, "%s/%s", folder, name);
    return out;
}

static enum ddbsim_status draw(const char *name, bool force, struct ddbsim_error *error) {
    char path[256];
    struct canvas *canvas = NULL;
    memset(error, 0, sizeof *error);
    enum ddbsim_status status =
        canvas_create(in_folder(name, path), force, 300, 240, &canvas, error);
    if (status != DDBSIM_OK) return status;
    cairo_set_source_rgb(canvas_cairo(canvas), 1, 0, 0);
    cairo_paint(canvas_cairo(canvas));
    status = canvas_finish(canvas, "a <title> & \"more\"", "what", error);
    canvas_destroy(canvas);
    return status;
}

static size_t read_file(const char *name, char *out, size_t size) {
    char path[256];
    FILE *file = fopen(in_folder(name, path), "rb");
    assert_non_null(file);
    size_t length = fread(out, 1, size - 1, file);
    fclose(file);
    out[length] = '\0';
    return length;
}

static bool exists(const char *name) {
    char path[256];
    return access(in_folder(name, path), F_OK) == 0;
}

static void test_formats(void **state) {
    (void)state;
    struct ddbsim_error error;
    static char bytes[65536];
    assert_int_equal(draw("a.png", false, &error), DDBSIM_OK);
    read_file("a.png", bytes, sizeof bytes);
    assert_memory_equal(bytes, "\x89PNG", 4);
    assert_memory_equal(bytes + 16, "\0\0\x02\x58\0\0\x01\xe0", 8); /* twice 300 x 240 */
    assert_int_equal(draw("a.SVG", false, &error), DDBSIM_OK);
    read_file("a.SVG", bytes, sizeof bytes);
    assert_non_null(strstr(bytes, " role=\"img\" aria-labelledby=\"title desc\">"));
    assert_non_null(
        strstr(bytes, "<title id=\"title\">a &lt;title&gt; &amp; &quot;more&quot;</title>"));
    assert_non_null(strstr(bytes, "<desc id=\"desc\">what</desc>"));
    assert_int_equal(draw("a.pdf", false, &error), DDBSIM_OK);
    read_file("a.pdf", bytes, sizeof bytes);
    assert_memory_equal(bytes, "%PDF", 4);
    assert_false(exists("a.png.part") || exists("a.SVG.part") || exists("a.pdf.part"));
}

static void test_refused(void **state) {
    (void)state;
    struct ddbsim_error error;
    struct canvas *canvas = NULL;
    const char *names[] = {"a.jpg", "png", "a", "a.png.gz", ".d/a"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(draw(names[i], true, &error), DDBSIM_INPUT);
        assert_non_null(strstr(error.hint, ".png, .svg or .pdf"));
    }
    assert_int_equal(draw("b.png", false, &error), DDBSIM_OK);
    assert_int_equal(draw("b.png", false, &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.hint, "--force"));
    assert_int_equal(draw("b.png", true, &error), DDBSIM_OK);
    char path[256];
    mkdir(in_folder("folder.png", path), 0700);
    assert_int_equal(draw("folder.png", true, &error), DDBSIM_INPUT);
    assert_int_equal(draw("missing/a.png", false, &error), DDBSIM_ENVIRONMENT);
    const int sizes[][2] = {{0, 600}, {-5, 600}, {960, 100000}, {1, 1}};
    for (size_t i = 0; i < 4; i++) {
        memset(&error, 0, sizeof error);
        assert_int_equal(canvas_create(in_folder("c.png", path), false, sizes[i][0], sizes[i][1],
                                       &canvas, &error),
                         DDBSIM_INPUT);
        assert_null(canvas);
    }
}

/* A drawing that failed is an error, and leaves no file. */
static void test_failed_drawing(void **state) {
    (void)state;
    struct ddbsim_error error = {0};
    struct canvas *canvas = NULL;
    char path[256];
    assert_int_equal(canvas_create(in_folder("d.svg", path), false, 300, 300, &canvas, &error),
                     DDBSIM_OK);
    cairo_restore(canvas_cairo(canvas)); /* without a save */
    assert_int_equal(canvas_finish(canvas, "", "", &error), DDBSIM_ENVIRONMENT);
    canvas_destroy(canvas);
    assert_false(exists("d.svg") || exists("d.svg.part"));
}

static void test_clean(void **state) {
    (void)state;
    char out[64];
    text_clean(NULL, out, sizeof out);
    assert_string_equal(out, "");
    text_clean("a\tb\xff\xc3\x28\xe2\x82", out, sizeof out);
    assert_string_equal(out, "a\xef\xbf\xbd"
                             "b\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd");
    text_clean("\xed\xa0\x80", out, sizeof out); /* a surrogate */
    assert_string_equal(out, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    text_clean("\xc0\xaf", out, sizeof out); /* longer than needed */
    assert_string_equal(out, "\xef\xbf\xbd\xef\xbf\xbd");
    text_clean("\xc3\xb1\xc3\xb1\xc3\xb1", out, 6); /* cut between characters */
    assert_string_equal(out, "\xc3\xb1\xc3\xb1");
}

/* Whatever the bytes, the fitted text is within its width and cairo takes it. */
static void test_fit(void **state) {
    (void)state;
    struct text_fonts fonts;
    char text[512], out[300];
    uint32_t noise = 5;
    assert_int_equal(text_fonts_load(&fonts, NULL), DDBSIM_OK);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 400, 50);
    cairo_t *cr = cairo_create(surface);
    const struct text_pen pen = {cr, &fonts};
    const struct text_style style = text_style_of(11, true, TEXT_START, (struct colour){0, 0, 0});
    for (int i = 0; i < 500; i++) {
        size_t length = noise % (sizeof text - 1);
        for (size_t j = 0; j < length; j++) {
            noise = noise * 1664525u + 1013904223u;
            text[j] = (char)(1 + (noise >> 24) % 255);
        }
        text[length] = '\0';
        double width = noise % 300;
        text_fit(&pen, &style, width, text, out, sizeof out);
        assert_true(text_width(&pen, &style, out) <= width || out[0] == '\0');
        text_draw(&pen, &style, 0, 20, out);
        text_clean(text, out, sizeof out);
        if (out[0]) assert_true(text_break(&pen, &style, width, out) > 0);
    }
    assert_int_equal(cairo_status(cr), CAIRO_STATUS_SUCCESS);
    text_fit(&pen, &style, 80, "a rather long name", out, sizeof out);
    assert_non_null(strstr(out, "\xe2\x80\xa6"));
    assert_int_equal(text_break(&pen, &style, 80, "twelve twelve twelve"), 6);
    cairo_destroy(cr);
    cairo_surface_destroy(surface);
    text_fonts_free(&fonts);
}

static int begin(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    char path[256];
    const char *names[] = {"a.png", "a.SVG", "a.pdf", "b.png"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        unlink(in_folder(names[i], path));
    rmdir(in_folder("folder.png", path));
    return rmdir(folder); /* fails where anything else was left */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_formats),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_failed_drawing),
                                       cmocka_unit_test(test_clean), cmocka_unit_test(test_fit)};
    return cmocka_run_group_tests(tests, begin, end);
}
