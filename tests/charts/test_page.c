/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page's frame in little room: titles shrink before they are cut, a footer keeps out of the
 * legend's room, labels stand under their ticks; panels are chosen and placed by what refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <plots/chart.h>
#include <string.h>

struct sheet {
    cairo_surface_t *surface;
    struct text_fonts fonts;
    struct chart chart;
};

static void begin(struct sheet *sheet, int width, int height) {
    memset(sheet, 0, sizeof *sheet);
    assert_int_equal(text_fonts_load(&sheet->fonts, NULL), DDBSIM_OK);
    sheet->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cr = cairo_create(sheet->surface);
    sheet->chart.page = (struct page){.cr = cr,
                                      .pen = {cr, &sheet->fonts},
                                      .theme = theme_get(false),
                                      .labels = labels_get(false),
                                      .width = width,
                                      .height = height};
}

static void end(struct sheet *sheet) {
    cairo_destroy(sheet->chart.page.cr);
    cairo_surface_destroy(sheet->surface);
    text_fonts_free(&sheet->fonts);
}

/* Whether anything but paper is in the box. */
static bool inked(const struct sheet *sheet, int x0, int y0, int x1, int y1) {
    cairo_surface_flush(sheet->surface);
    const unsigned char *data = cairo_image_surface_get_data(sheet->surface);
    int stride = cairo_image_surface_get_stride(sheet->surface);
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            if (data[y * stride + 4 * x] != 255) return true;
    return false;
}

/* Where the content begins under this title; no text reaches into the right margin. */
static double top_of(struct sheet *sheet, const char *title) {
    page_frame(&sheet->chart.page, title, "", "");
    assert_false(inked(sheet, (int)sheet->chart.page.width - 18, 0, (int)sheet->chart.page.width,
                       (int)sheet->chart.page.height));
    return sheet->chart.page.content.y;
}

static void test_title(void **state) {
    (void)state;
    struct sheet sheet;
    begin(&sheet, 400, 300);
    double one = top_of(&sheet, "short");
    double two = top_of(&sheet, "a title of medium length that takes two lines");
    double small = top_of(
        &sheet, "a title of more length than two lines of the usual size can take in, so it is "
                "small");
    double three = top_of(&sheet, "a title so long that the smallest size takes three lines of the "
                                  "page, for it says 12\xe2\x80\xaf"
                                  "345\xe2\x80\xaf"
                                  "678 in words as well as in figures, and more");
    assert_true(one < two && small < two && three > small);
    end(&sheet);
}

/* A text that was cut within a character, or never was one, is drawn as far as it goes, and so is what follows. */
static void test_broken_text(void **state) {
    (void)state;
    static const char *const broken[] = {"a\xc2", "\xe2\x80", "\xff", "b\xf0\x9f\x92",
                                         "c\xed\xa0\x80"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        struct sheet sheet;
        begin(&sheet, 400, 300);
        struct text_style style = text_style_of(20, false, TEXT_START, sheet.chart.page.theme->ink);
        assert_true(text_width(&sheet.chart.page.pen, &style, broken[i]) > 0);
        text_draw(&sheet.chart.page.pen, &style, 10, 50, broken[i]);
        text_draw(&sheet.chart.page.pen, &style, 10, 150, "after");
        assert_int_equal(cairo_status(sheet.chart.page.cr), CAIRO_STATUS_SUCCESS);
        assert_true(inked(&sheet, 10, 130, 100, 155));
        end(&sheet);
    }
}

static void test_footer(void **state) {
    (void)state;
    struct sheet sheet;
    const char *footer = "ddbsim 0.1.0 \xc2\xb7 input 0123abcd";
    const struct {
        int reserved, inked_to; /* 0: left out */
    } cases[] = {{0, 174}, {150, 174}, {230, 93}, {340, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin(&sheet, 400, 300);
        page_frame(&sheet.chart.page, "title", "", "");
        page_footer(&sheet.chart.page, footer, cases[i].reserved);
        assert_int_equal(inked(&sheet, 0, 278, 400, 300), cases[i].inked_to > 0);
        assert_false(inked(&sheet, cases[i].inked_to + 10, 278, 400, 300));
        if (cases[i].inked_to > 0)
            assert_true(inked(&sheet, cases[i].inked_to - 30, 278, 400, 300));
        end(&sheet);
    }
}

/* The first label has its middle under the first tick: as much ink left of it as right of it. */
static void test_time_axis(void **state) {
    (void)state;
    struct sheet sheet;
    const struct query_run run = {.duration_s = 3600};
    const struct scale time = {0, 3600, 60, 340};
    begin(&sheet, 400, 300);
    page_frame(&sheet.chart.page, "title", "", "");
    page_time_axis(&sheet.chart.page, (struct box){60, 100, 280, 100}, &run, &time);
    assert_true(inked(&sheet, 40, 206, 58, 220));
    assert_true(inked(&sheet, 62, 206, 80, 220));
    assert_false(inked(&sheet, 82, 206, 90, 220));
    assert_true(inked(&sheet, 342, 206, 360, 220));
    end(&sheet);
}

static void resources(struct chart *chart, struct chart_resource *items, const int *throttled,
                      int count) {
    memset(items, 0, (size_t)count * sizeof *items);
    for (int i = 0; i < count; i++) {
        items[i].is_index = i > 0;
        items[i].throttled = throttled[i];
    }
    chart->data.resources = items;
    chart->data.count = count;
}

static void test_choice(void **state) {
    (void)state;
    struct sheet sheet;
    struct chart_resource items[4];
    begin(&sheet, 400, 300);
    resources(&sheet.chart, items, (const int[]){3, 0, 9, 5}, 4);
    struct chart_panels panels = chart_choose_panels(&sheet.chart, 1);
    assert_int_equal(panels.count, 1);
    assert_int_equal(panels.left_out, 3);
    assert_ptr_equal(panels.resources[0], &items[2]);
    panels = chart_choose_panels(&sheet.chart, 2);
    assert_ptr_equal(panels.resources[0], &items[0]);
    assert_ptr_equal(panels.resources[1], &items[2]);
    panels = chart_choose_panels(&sheet.chart, 3);
    assert_ptr_equal(panels.resources[2], &items[3]);
    resources(&sheet.chart, items, (const int[]){0, 0, 0, 0}, 4);
    panels = chart_choose_panels(&sheet.chart, 1);
    assert_ptr_equal(panels.resources[0], &items[0]);
    end(&sheet);
}

/* What refused nothing has no strip; its neighbours gain the space, and all stay on the page. */
static void test_strips(void **state) {
    (void)state;
    struct sheet sheet;
    struct chart_resource items[3];
    struct chart_panel places[CHART_PANELS_MOST];
    begin(&sheet, 400, 300);
    sheet.chart.page.content = (struct box){20, 60, 360, 500};
    resources(&sheet.chart, items, (const int[]){0, 7, 0}, 3);
    struct chart_panels panels = chart_choose_panels(&sheet.chart, 3);
    chart_place_panels(&sheet.chart, &panels, 40, 60, true, places);
    double bottom = 60;
    for (int i = 0; i < 3; i++) {
        assert_true(places[i].plot.y > bottom);
        assert_true(places[i].plot.height == places[0].plot.height);
        assert_true((places[i].strip.height > 0) == (i == 1));
        bottom = fmax(places[i].plot.y + places[i].plot.height,
                      places[i].strip.y + places[i].strip.height);
    }
    assert_true(bottom <= 60 + 500 - PAGE_AXIS_HEIGHT + 1 && bottom > 60 + 500 - 30);
    end(&sheet);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_title),  cmocka_unit_test(test_broken_text),
        cmocka_unit_test(test_footer), cmocka_unit_test(test_time_axis),
        cmocka_unit_test(test_choice), cmocka_unit_test(test_strips)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
