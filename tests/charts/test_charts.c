/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every chart in every format, paper, language and size, over a usual and over awkward databases.
 * Pictures stay in the build folder (charts/) to be looked at.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "charts/fixture.h"
#include <cairo.h>
#include <plots/palette.h>
#include <plots/labels.h>
#include <plots/plots.h>
#include <plots/query.h>
#include <plots/theme.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef BINARY_ROOT
#define BINARY_ROOT "."
#endif
#define FOLDER BINARY_ROOT "/charts"

static const struct plots_options plain = {.from_s = INT64_MIN, .to_s = INT64_MIN};

static enum ddbsim_status draw(const struct fixture *fixture, const struct plots_options *options,
                               const char *path, struct ddbsim_error *error) {
    memset(error, 0, sizeof *error);
    enum ddbsim_status status =
        plots_draw(fixture->database, fixture->run_id, options, path, true, error);
    if (status != DDBSIM_OK && status != DDBSIM_INPUT) fprintf(stderr, "%s\n", error->message);
    return status;
}

struct file {
    char *bytes;
    size_t length;
};

static struct file file_read(const char *path) {
    struct file out = {NULL, 0};
    struct stat status;
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fstat(fileno(file), &status), 0);
    out.bytes = calloc(1, (size_t)status.st_size + 1);
    assert_non_null(out.bytes);
    out.length = fread(out.bytes, 1, (size_t)status.st_size, file);
    fclose(file);
    return out;
}

/* Enough of XML to tell markup that is broken: tags nest, & begins a reference, attributes are
 * quoted. */
static bool well_formed(const char *at) {
    const char *names[64];
    size_t lengths[64];
    int depth = 0;
    for (; *at; at++) {
        if (*at == '&' && strncmp(at, "&lt;", 4) && strncmp(at, "&gt;", 4) &&
            strncmp(at, "&amp;", 5) && strncmp(at, "&quot;", 6) && at[1] != '#')
            return false;
        if (*at != '<') continue;
        if (at[1] == '?') {
            at = strstr(at, "?>");
            if (!at) return false;
            continue;
        }
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t length = strcspn(name, " />\n");
        bool quoted = false;
        for (at = name; *at && (quoted || *at != '>'); at++) {
            if (*at == '"') quoted = !quoted;
            if (*at == '<') return false;
        }
        if (*at != '>' || length == 0) return false;
        if (closes) {
            if (depth == 0) return false;
            depth--;
            if (lengths[depth] != length || strncmp(names[depth], name, length) != 0) return false;
        } else if (at[-1] != '/') {
            if (depth == 64) return false;
            names[depth] = name;
            lengths[depth++] = length;
        }
    }
    return depth == 0;
}

static void test_checker(void **state) {
    (void)state;
    assert_true(well_formed("<?xml?><a b=\"&lt;>\"><c/></a>"));
    assert_false(well_formed("<a><b></a></b>"));
    assert_false(well_formed("<a>&</a>"));
    assert_false(well_formed("<a <b/>></a>"));
    assert_false(well_formed("<a>"));
}

static void check_svg(const char *path) {
    struct file file = file_read(path);
    assert_true(well_formed(file.bytes));
    const char *title = strstr(file.bytes, "<title id=\"title\">");
    assert_non_null(title);
    assert_true(title[strlen("<title id=\"title\">")] != '<');
    assert_non_null(strstr(file.bytes, "role=\"img\""));
    assert_non_null(strstr(file.bytes, "<desc id=\"desc\">"));
    free(file.bytes);
}

static void check_png(const char *path, int width, int height) {
    cairo_surface_t *image = cairo_image_surface_create_from_png(path);
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_width(image), 2 * width);
    assert_int_equal(cairo_image_surface_get_height(image), 2 * height);
    cairo_surface_destroy(image);
}

static void check_pdf(const char *path) {
    struct file file = file_read(path);
    assert_memory_equal(file.bytes, "%PDF-", 5);
    assert_memory_equal(file.bytes + file.length - 6, "%%EOF\n", 6);
    free(file.bytes);
}

/* Each format in each size; papers and languages change with both, so that each meets each. */
static void test_all_ways(void **state) {
    struct fixture *fixture = *state;
    static const int sizes[][2] = {{960, 600}, {640, 400}, {400, 240}};
    static const char *const endings[] = {"png", "svg", "pdf"};
    struct ddbsim_error error;
    char path[512];
    for (int chart = 0; plots_chart_name(chart); chart++)
        for (int way = 0; way < 9; way++) {
            int size = way % 3, ending = way / 3;
            struct plots_options options = plain;
            options.chart = plots_chart_name(chart);
            options.width = sizes[size][0];
            options.height = sizes[size][1];
            options.dark = (size + ending) % 2;
            options.spanish = (chart + way) % 2;
            snprintf(path, sizeof path, FOLDER "/%s-%d-%s-%s.%s", options.chart, options.width,
                     options.dark ? "dark" : "light", options.spanish ? "es" : "en",
                     endings[ending]);
            assert_int_equal(draw(fixture, &options, path, &error), DDBSIM_OK);
            if (ending == 0) check_png(path, options.width, options.height);
            if (ending == 1) check_svg(path);
            if (ending == 2) check_pdf(path);
        }
}

static void says(const struct fixture *fixture, const struct plots_options *options,
                 const char *text) {
    struct ddbsim_error error;
    assert_int_equal(draw(fixture, options, FOLDER "/says.svg", &error), DDBSIM_OK);
    struct file file = file_read(FOLDER "/says.svg");
    if (!strstr(file.bytes, text))
        fail_msg("not in the picture: %s\n%.700s", text, strstr(file.bytes, "<title"));
    free(file.bytes);
}

static void test_titles(void **state) {
    struct fixture *fixture = *state;
    static const char *const expected[][2] = {
        {"gsi-estado-fecha refuses ", " while the table uses 199 of 400 WCU/s</title>"},
        {"gsi-estado-fecha refuses ", " between 18:17 and 19:00 with 100 WCU provisioned</title>"},
        {"The saved burst of gsi-estado-fecha is empty ", " between 18:17 and 19:00</title>"}};
    struct plots_options options = plain;
    for (int chart = 0; chart < 3; chart++) {
        options.chart = plots_chart_name(chart);
        says(fixture, &options, expected[chart][0]);
        says(fixture, &options, expected[chart][1]);
    }
    options.spanish = true;
    options.chart = "heat";
    says(fixture, &options, " mientras la tabla usa 199 de 400 WCU/s</title>");
}

/* Where one panel has room, it is the one that refused; the text says what is missing. */
static void test_low_page(void **state) {
    struct fixture *fixture = *state;
    struct plots_options options = plain;
    options.width = 400;
    options.height = 240;
    options.chart = "tokens";
    says(fixture, &options,
         ">The saved burst of gsi-estado-fecha is empty between 18:17 and 19:00</title>");
    says(fixture, &options, "seed 7 \xc2\xb7 1 more not shown</desc>");
    options.chart = "heat"; /* has room for both */
    says(fixture, &options, "seed 7</desc>");
}

/* A partition's own limit: named in the map, and not hidden by a full saved burst. What options
 * changed stands in the picture. */
static void test_hot_index(void **state) {
    (void)state;
    struct fixture fixture;
    struct plots_options options = plain;
    assert_int_equal(fixture_class(&fixture), 0);
    says(&fixture, &options,
         ">by.country refuses 9\xe2\x80\xaf"
         "600 writes ");
    options.to_s = 540;
    says(&fixture, &options,
         ">by.country: partition 3 of 4 refuses 8\xe2\x80\xaf"
         "400 writes ");
    options.chart = "tokens";
    says(&fixture, &options,
         " while it keeps 91 % of its burst: a partition has a limit of its own</title>");
    options.from_s = 540;
    options.to_s = 600;
    says(&fixture, &options, " while it keeps 91 % of its burst</title>");
    says(
        &fixture, &options,
        "base + \xe2\x80\xa6&quot;by.country&quot;.write_capacity=4000 and 1 more \xc2\xb7 seed 7");
    fixture_free(&fixture);
}

static void test_lineage_says(void **state) {
    struct fixture *friday = *state, fixture;
    struct plots_options options = plain;
    options.chart = "lineage";
    says(friday, &options, ">No partition of carritos splits</title>");
    assert_int_equal(fixture_climb(&fixture, 6), 0);
    says(&fixture, &options,
         ">eventos splits 6 times between 17:46 and 17:51: from 3 to 9 partitions</title>");
    options.to_s = 100;
    says(&fixture, &options, ">eventos splits once at 17:46: from 3 to 4 partitions</title>");
    options.from_s = 70;
    says(&fixture, &options, ">No partition of eventos splits</title>");
    options.from_s = 190;
    options.to_s = 230;
    says(&fixture, &options,
         ">A hot partition of eventos is not split: it would not help (found at 17:48)</title>");
    fixture_free(&fixture);
}

/* Keys lie where their hashes fall; who shares the partition that refused most is said. */
static void test_placement_says(void **state) {
    struct fixture *friday = *state, fixture;
    struct plots_options options = plain;
    options.chart = "placement";
    says(friday, &options, ">No key of gsi-estado-fecha stands out: its fullest partition is at ");
    assert_int_equal(fixture_climb(&fixture, 6), 0);
    /* Eight keys; by their hashes two of them lie in the middle third. */
    const char *insert =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 8)"
        " INSERT INTO top_key SELECT run_id, resource_id, 'accessed', 0, 0, i, 'K#' || i, 0,"
        " (SELECT sum(write_units) FROM second s WHERE s.resource_id = r.resource_id) * 0.1, 0, 0"
        " FROM resource r, n WHERE table_name = 'eventos' AND index_name IS NULL";
    assert_int_equal(sqlite3_exec(fixture.database, insert, NULL, NULL, NULL), SQLITE_OK);
    says(&fixture, &options,
         ">2 of the 8 hottest keys of eventos share partition 2 of 3, which refuses ");
    options.spanish = true;
    says(&fixture, &options, ">2 de las 8 claves m");
    fixture_free(&fixture);
}

/* What rang, and whether in time; what never did. */
static void test_alarms_say(void **state) {
    struct fixture *friday = *state, fixture;
    struct ddbsim_error error;
    struct plots_options options = plain;
    options.chart = "alarms";
    says(friday, &options,
         ">index above 80 % rings at 18:12, 5\xe2\x80\xafmin before the first refusal; table above "
         "80 % "
         "never does</title>");
    options.spanish = true;
    says(friday, &options,
         ">index above 80 % suena a las 18:12, 5\xe2\x80\xafmin antes del primer ");
    options.spanish = false;
    options.to_s = 1500;
    says(friday, &options, ">index above 80 % rings at 18:12, and nothing is refused; ");
    options.to_s = INT64_MIN;
    options.height = 300;
    says(friday, &options, " \xc2\xb7 3 more not shown</desc>");
    options.height = 0;
    assert_int_equal(fixture_scaled(&fixture), 0);
    says(
        &fixture, &options,
        ">Auto scaling's alarm on pedidos (WCU) rings at 17:54, 1\xe2\x80\xafmin after the first ");
    fixture_free(&fixture);
    assert_int_equal(fixture_twice(&fixture), 0);
    assert_int_equal(draw(&fixture, &options, FOLDER "/none.svg", &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.message, "no alarms"));
    assert_non_null(strstr(error.hint, "alarms: [{name: writes-80, table: cuentas, metric: "));
    fixture_free(&fixture);
}

/* Alarms that never rang, of another metric than the one that did: counted, and one is not "1 others". */
static void test_alarms_count_the_silent(void **state) {
    (void)state;
    struct fixture fixture;
    struct plots_options options = plain;
    options.chart = "alarms";
    assert_int_equal(fixture_friday(&fixture), 0);
    assert_int_equal(sqlite3_exec(fixture.database,
                                  "UPDATE setting SET value = 'UserErrors'"
                                  " WHERE path = 'alarms.table above 80 %.metric'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    says(&fixture, &options, " before the first refusal; 2 others never do</title>");
    assert_int_equal(sqlite3_exec(fixture.database,
                                  "DELETE FROM alarm_sample WHERE alarm = 'user errors'", NULL,
                                  NULL, NULL),
                     SQLITE_OK);
    says(&fixture, &options, " before the first refusal; another never does</title>");
    fixture_free(&fixture);
}

/* When it was asked for, when it came, how long it took. */
static void test_scaling_says(void **state) {
    (void)state;
    struct fixture fixture;
    struct plots_options options = plain;
    assert_int_equal(fixture_scaled(&fixture), 0);
    options.chart = "capacity";
    says(&fixture, &options,
         ">pedidos: auto scaling asked at 17:54, the capacity came at 17:55: 2\xe2\x80\xafmin of "
         "refusals</title>");
    says(&fixture, &options,
         "asks for more or less; dotted until it acts; crosses: AWS refused a ");
    options.spanish = true;
    says(&fixture, &options,
         ">pedidos: el autoescalado pidi\xc3\xb3 a las 17:54, la capacidad lleg");
    options.spanish = false;
    options.from_s = 700;
    says(&fixture, &options, ">Nothing was refused: pedidos uses up to 70 % of its capacity");
    fixture_free(&fixture);
}

static void test_twice(void **state) {
    (void)state;
    struct fixture fixture;
    struct plots_options options = plain;
    assert_int_equal(fixture_twice(&fixture), 0);
    options.chart = "tokens";
    says(&fixture, &options,
         ">The saved burst of cuentas runs out at 17:54 and again at 18:00</title>");
    says(&fixture, &options,
         "small (\xe2\x80\xa6"
         "cuentas.write_capacity=100)");
    options.from_s = 700;
    says(&fixture, &options,
         ">The saved burst of cuentas is empty between 18:00 and 18:15</title>");
    fixture_free(&fixture);
}

/* A page of few rows is less high, unless a height is asked for. */
static void test_height(void **state) {
    struct fixture *friday = *state, fixture;
    struct plots_options options = plain;
    struct ddbsim_error error;
    assert_int_equal(fixture_twice(&fixture), 0);
    assert_int_equal(draw(&fixture, &options, FOLDER "/low.png", &error), DDBSIM_OK);
    check_png(FOLDER "/low.png", 960, 378);
    options.height = 500;
    assert_int_equal(draw(&fixture, &options, FOLDER "/low.png", &error), DDBSIM_OK);
    check_png(FOLDER "/low.png", 960, 500);
    fixture_free(&fixture);
    assert_int_equal(draw(friday, &plain, FOLDER "/high.png", &error), DDBSIM_OK);
    check_png(FOLDER "/high.png", 960, 600);
}

static void same_pixels(const char *a, const char *b) {
    cairo_surface_t *x = cairo_image_surface_create_from_png(a);
    cairo_surface_t *y = cairo_image_surface_create_from_png(b);
    size_t size =
        (size_t)cairo_image_surface_get_stride(x) * (size_t)cairo_image_surface_get_height(x);
    assert_int_equal(cairo_surface_status(x), CAIRO_STATUS_SUCCESS);
    assert_int_equal(cairo_image_surface_get_stride(x), cairo_image_surface_get_stride(y));
    assert_memory_equal(cairo_image_surface_get_data(x), cairo_image_surface_get_data(y), size);
    cairo_surface_destroy(x);
    cairo_surface_destroy(y);
}

static void draw_each(const struct fixture *fixture, char turn) {
    static const char *const endings[] = {"svg", "pdf", "png"};
    struct ddbsim_error error;
    char path[512];
    for (int chart = 0; plots_chart_name(chart); chart++)
        for (int i = 0; i < 3; i++) {
            struct plots_options options = plain;
            options.chart = plots_chart_name(chart);
            options.width = 400;
            options.height = 300;
            snprintf(path, sizeof path, FOLDER "/twice-%s-%c.%s", options.chart, turn, endings[i]);
            assert_int_equal(draw(fixture, &options, path, &error), DDBSIM_OK);
        }
}

static void same_bytes(const char *a, const char *b) {
    struct file x = file_read(a), y = file_read(b);
    assert_int_equal(x.length, y.length);
    assert_memory_equal(x.bytes, y.bytes, x.length);
    free(x.bytes);
    free(y.bytes);
}

static void test_same_bytes(void **state) {
    static const char *const endings[] = {"svg", "pdf", "png"};
    char a[512], b[512];
    draw_each(*state, 'a');
    sleep(1); /* the clock must not show */
    draw_each(*state, 'b');
    for (int chart = 0; plots_chart_name(chart); chart++)
        for (int i = 0; i < 3; i++) {
            snprintf(a, sizeof a, FOLDER "/twice-%s-a.%s", plots_chart_name(chart), endings[i]);
            snprintf(b, sizeof b, FOLDER "/twice-%s-b.%s", plots_chart_name(chart), endings[i]);
            if (i == 2)
                same_pixels(a, b);
            else
                same_bytes(a, b);
        }
}

static struct colour pixel(cairo_surface_t *image, double x, double y) {
    const unsigned char *at = cairo_image_surface_get_data(image) +
                              (int)(2 * y) * cairo_image_surface_get_stride(image) +
                              4 * (int)(2 * x);
    return (struct colour){at[2], at[1], at[0]};
}

static bool same_colour(struct colour a, struct colour b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* Straight down through the index's band: full colour, and under it, apart, the lane of what the whole index
 * refused, only while it did; at its head the mark, only while it was above its limit; the table above stays dark. Where the bands stand follows from their colours. */
static void test_notch(void **state) {
    struct fixture *fixture = *state;
    struct ddbsim_error error;
    struct plots_options options = plain;
    const struct theme *theme = theme_get(false);
    assert_int_equal(draw(fixture, &options, FOLDER "/notch.png", &error), DDBSIM_OK);
    cairo_surface_t *image = cairo_image_surface_create_from_png(FOLDER "/notch.png");
    const double plot_x = 60, plot_width = 960 - 40 - 40 - 112;
    double x = plot_x + plot_width * 3000 / 5400, calm_x = plot_x + plot_width * 600 / 5400;
    double full_y = 0, notch_y = 0;
    const double over_x = plot_x + plot_width * 1750 / 5400; /* 120 of 100 */
    int notches = 0, dark = 0, overs = 0;
    struct colour full = palette_load(1);
    for (double y = 90; y < 480; y += 0.5) {
        struct colour colour = pixel(image, x, y);
        if (same_colour(colour, full)) full_y = y;
        if (full_y > 0 && same_colour(colour, theme->throttled) && y < full_y + 10) {
            notches++;
            notch_y = y;
        }
        dark += colour.blue > 80 && colour.red < 40 && full_y <= 0;
        assert_false(same_colour(pixel(image, calm_x, y), theme->throttled) && y < full_y + 10);
        overs += same_colour(pixel(image, over_x, y), theme->over);
        assert_false(same_colour(colour, theme->over)); /* at the limit, not above */
    }
    assert_in_range(overs, 2, 10);
    assert_true(full_y > 300);
    assert_in_range(notches, 4, 12);
    assert_true(notch_y > full_y + 2 && notch_y - full_y <= 10);
    assert_false(same_colour(pixel(image, x, full_y), theme->throttled));
    assert_true(dark > 200);
    cairo_surface_destroy(image);
}

/* Across the page at half a minute before and after the first split: one branch, at its limit, then two;
 * the child does not show what its parent carried. */
static void test_lineage_branches(void **state) {
    (void)state;
    struct fixture fixture;
    struct ddbsim_error error;
    struct plots_options options = plain;
    options.chart = "lineage";
    options.to_s = 120;
    assert_int_equal(fixture_climb(&fixture, 6), 0);
    assert_int_equal(draw(&fixture, &options, FOLDER "/branches.png", &error), DDBSIM_OK);
    cairo_surface_t *image = cairo_image_surface_create_from_png(FOLDER "/branches.png");
    const double plot_x = 60, plot_width = 960 - 40 - 40 - 44;
    struct colour full = palette_load(1);
    int before = 0, after = 0, runs = 0;
    bool inside = false;
    for (double y = 110; y < 550; y += 0.5) {
        before += same_colour(pixel(image, plot_x + plot_width * 30 / 120, y), full);
        after += same_colour(pixel(image, plot_x + plot_width * 90 / 120, y), full);
        struct colour colour = pixel(image, plot_x + plot_width * 90 / 120, y);
        bool paper = same_colour(colour, theme_get(false)->paper) ||
                     same_colour(colour, theme_get(false)->grid);
        runs += !paper && !inside;
        inside = !paper;
    }
    assert_in_range(before, 10, 28);
    assert_in_range(after, 10, 28); /* the upper child alone */
    assert_int_equal(runs, 4);      /* two that stay, two children */
    cairo_surface_destroy(image);
    fixture_free(&fixture);
}

/* How many places across a height have a colour, from x0 to x1. */
static int across(cairo_surface_t *image, double x0, double x1, double y, struct colour colour) {
    int count = 0;
    for (double x = x0; x < x1; x += 0.5)
        count += same_colour(pixel(image, x, y), colour);
    return count;
}

static cairo_surface_t *draw_png(struct fixture *fixture, const char *chart, int height) {
    struct plots_options options = plain;
    struct ddbsim_error error;
    options.chart = chart;
    options.height = height;
    assert_int_equal(draw(fixture, &options, FOLDER "/across.png", &error), DDBSIM_OK);
    cairo_surface_t *image = cairo_image_surface_create_from_png(FOLDER "/across.png");
    assert_int_equal(cairo_surface_status(image), CAIRO_STATUS_SUCCESS);
    return image;
}

/* A colour that a picture uses stands in its legend, and one that it does not use does not. */
static void test_legends(void **state) {
    struct fixture *friday = *state, fixture;
    const struct colour throttled = theme_get(false)->throttled;
    assert_int_equal(fixture_climb(&fixture, 6), 0);
    cairo_surface_t *image = draw_png(&fixture, "lineage", 600);
    assert_in_range(across(image, 500, 950, 586, throttled), 20, 40);
    cairo_surface_destroy(image);
    image = draw_png(friday, "lineage", 600);
    assert_int_equal(across(image, 500, 950, 586, throttled), 0); /* no branch shows a refusal */
    cairo_surface_destroy(image);
    image = draw_png(&fixture, "heat", 600);
    assert_in_range(across(image, 400, 950, 586, throttled), 20, 40); /* notches, no lane */
    cairo_surface_destroy(image);
    fixture_free(&fixture);
}

/* What a whole table refuses is no partition's: the rows are clean, the lane under them is not. */
static void test_lane(void **state) {
    (void)state;
    struct fixture fixture;
    const struct colour throttled = theme_get(false)->throttled;
    assert_int_equal(fixture_alike(&fixture, "tables.facturas.billing_mode", "PAY_PER_REQUEST"), 0);
    cairo_surface_t *image = draw_png(&fixture, "heat", 600);
    const double plot_x = 60, plot_width = 960 - 40 - 40 - 112;
    int in_lane = 0;
    double first_y = 0;
    for (double y = 90; y < 470 && (in_lane == 0 || y < first_y + 20); y += 0.5) {
        bool marked = same_colour(pixel(image, plot_x + plot_width * 0.25, y), throttled);
        if (marked && in_lane++ == 0) first_y = y;
        if (marked) /* only while it refused */
            assert_true(
                same_colour(pixel(image, plot_x + plot_width * 0.75, y), theme_get(false)->grid));
    }
    assert_true(same_colour(pixel(image, plot_x + plot_width / 4, first_y - 1),
                            theme_get(false)->paper)); /* apart from the rows */
    assert_in_range(in_lane, 11, 13);                  /* 6 points */
    cairo_surface_destroy(image);
    fixture_free(&fixture);
}

/* On demand: refused at what it serves, which had not grown; the mode, not a provisioned figure. */
static void test_on_demand_title(void **state) {
    (void)state;
    struct fixture fixture;
    struct plots_options options = plain;
    options.chart = "capacity";
    assert_int_equal(fixture_alike(&fixture, "tables.facturas.billing_mode", "PAY_PER_REQUEST"), 0);
    says(&fixture, &options,
         ">facturas, on demand, refuses 2\xe2\x80\xaf"
         "400 writes between 17:45 and 17:50 below the 200 WCU/s that it serves<");
    says(&fixture, &options, "<desc id=\"desc\">Consumed capacity and what on demand serves");
    assert_int_equal(
        sqlite3_exec(fixture.database, "UPDATE second SET write_limit = 180", NULL, NULL, NULL),
        SQLITE_OK);
    says(&fixture, &options, ": it is asked for more than the 180 WCU/s that it serves<");
    assert_int_equal(sqlite3_exec(fixture.database,
                                  "UPDATE second SET write_limit = 170 WHERE t_s < 100", NULL, NULL,
                                  NULL),
                     SQLITE_OK);
    says(&fixture, &options, ": it grows from 170 to 180 WCU/s, and is asked for more<");
    fixture_free(&fixture);
}

/* Many splits: as many as the page has room for, the rest is joined, and the picture says so. */
static void test_many_splits(void **state) {
    (void)state;
    static const int64_t families[] = {700, 300};
    for (int i = 0; i < 2; i++) {
        struct fixture fixture;
        struct ddbsim_error error;
        struct plots_options options = plain;
        options.chart = "lineage";
        if (i == 0) assert_int_equal(fixture_forest(&fixture, families[i]), 0);
        if (i == 1) assert_int_equal(fixture_climb(&fixture, families[i]), 0);
        assert_int_equal(draw(&fixture, &options, FOLDER "/splits.svg", &error), DDBSIM_OK);
        struct file file = file_read(FOLDER "/splits.svg");
        assert_true(file.length < 1000000);
        assert_non_null(strstr(file.bytes, i == 0 ? "splits 700 times" : "splits 300 times"));
        assert_non_null(strstr(file.bytes, i == 0 ? "seed 7 \xc2\xb7 32 of 700 splits drawn"
                                                  : "seed 7 \xc2\xb7 94 of 300 splits drawn"));
        free(file.bytes);
        fixture_free(&fixture);
    }
}

/* Every text is there in both languages, and its places for values are the same. */
static void test_languages(void **state) {
    (void)state;
    for (int label = 0; label < LABEL_KINDS; label++) {
        const char *english = labels_en_texts[label], *spanish = labels_es_texts[label];
        assert_non_null(english);
        assert_non_null(spanish);
        for (char place = '0'; place <= '9'; place++) {
            const char hole[] = {'{', place, '}', '\0'};
            assert_int_equal(strstr(english, hole) != NULL, strstr(spanish, hole) != NULL);
        }
    }
}

/* A ring is a yellow band with an edge, and a state without data is not drawn as one. */
static void test_alarm_band(void **state) {
    struct fixture *friday = *state;
    struct plots_options options = plain;
    struct ddbsim_error error;
    options.chart = "alarms";
    for (int dark = 0; dark < 2; dark++) {
        options.dark = dark;
        assert_int_equal(draw(friday, &options, FOLDER "/band.png", &error), DDBSIM_OK);
        cairo_surface_t *image = cairo_image_surface_create_from_png(FOLDER "/band.png");
        struct colour alarm = theme_get(dark)->alarm;
        int before = 0, after = 0, height = cairo_image_surface_get_height(image) / 2;
        for (double y = 100; y < height - 40; y += 0.5) {
            before += same_colour(pixel(image, 200, y), alarm); /* 18:00 or so */
            after += same_colour(pixel(image, 860, y), alarm);
        }
        assert_int_equal(before, 0);
        assert_in_range(after, 40, 50); /* two bands of eleven points */
        cairo_surface_destroy(image);
    }
}

/* Alarms are drawn of runs that have some. */
static enum ddbsim_status wanted(const struct fixture *fixture, const char *chart) {
    int64_t alarms = 0;
    assert_int_equal(
        query_one_int(fixture->database, NULL, 0, &alarms, "SELECT count(*) FROM alarm_sample", ""),
        DDBSIM_OK);
    return strcmp(chart, "alarms") == 0 && alarms == 0 ? DDBSIM_INPUT : DDBSIM_OK;
}

static void draw_all(struct fixture *fixture, const char *name) {
    struct ddbsim_error error;
    char path[512];
    for (int chart = 0; plots_chart_name(chart); chart++)
        for (int small = 0; small < 2; small++) {
            struct plots_options options = plain;
            options.chart = plots_chart_name(chart);
            options.width = small ? 400 : 960;
            options.height = small ? 240 : 600;
            snprintf(path, sizeof path, FOLDER "/%s-%s-%d.%s", name, options.chart, options.width,
                     small ? "png" : "svg");
            enum ddbsim_status status = wanted(fixture, options.chart);
            assert_int_equal(draw(fixture, &options, path, &error), status);
            if (status == DDBSIM_OK && !small) check_svg(path);
        }
    fixture_free(fixture);
}

/* One write a second of 11 units; index `old` takes 17.7 of each and goes at 18:05; `new` is built from 17:55 to
 * 18:00 and takes 1.6. */
static void replaced_minute(struct fixture *fixture, int64_t id, int64_t t_s, double sum) {
    fixture_row(fixture, DDBSIM_LOG_METRIC, "itttiididdnnnt", id, "ConsumedWriteCapacityUnits", "",
                "", (int64_t)60, t_s, sum, (int64_t)60, sum / 60, sum / 60, "Count");
}

static int fixture_replaced(struct fixture *fixture) {
    fixture_begin(fixture, "replaced", "base", 1800);
    if (!fixture->writer) return -1;
    fixture_resource(fixture, 1, "carritos", NULL);
    fixture_resource(fixture, 2, "carritos", "old");
    fixture_resource(fixture, 3, "carritos", "new");
    fixture_partition(fixture, 1, 1, -1, 0, 1, 0);
    fixture_partition(fixture, 2, 2, -1, 0, 1, 0);
    fixture_partition(fixture, 3, 3, -1, 0, 1, 600);
    for (int64_t t = 0; t < 1800; t++) {
        fixture_second(fixture, 1, t, 11, 120, 36000, 0);
        if (t < 1200) fixture_second(fixture, 2, t, 17.7, 100, 30000, 0);
        if (t >= 600) fixture_second(fixture, 3, t, t < 900 ? 100 : 1.6, 100, 0, 0);
    }
    for (int64_t t = 0; t < 1800; t += 10) {
        fixture_sample(fixture, 1, t, 10, 110, 0);
        if (t < 1200) fixture_sample(fixture, 2, t, 10, 177, 0);
        if (t >= 600) fixture_sample(fixture, 3, t, 10, t < 900 ? 1000 : 16, 0);
    }
    for (int64_t t = 0; t < 1800; t += 60) {
        replaced_minute(fixture, 1, t, 660);
        if (t < 1200) replaced_minute(fixture, 2, t, 1062);
        if (t >= 600) replaced_minute(fixture, 3, t, 96);
    }
    fixture_event(fixture, 600, "index_building", 3, "{\"items\":30000,\"bytes\":1}");
    fixture_event(fixture, 900, "index_active", 3, "{}");
    fixture_event(fixture, 1200, "index_deleted", 2, "{}");
    return fixture_end(fixture, "complete", 1800);
}

static void test_write_cost_says(void **state) {
    (void)state;
    struct fixture fixture;
    struct plots_options options = plain;
    assert_int_equal(fixture_replaced(&fixture), 0);
    options.chart = "write-cost";
    says(&fixture, &options,
         ">carritos: one write costs old 17.7 WCU, and the table itself 11</title>");
    options.spanish = true;
    says(&fixture, &options,
         ">carritos: una escritura cuesta 17,7 WCU en old y 11 en la tabla misma</");
    options.spanish = false;
    fixture_free(&fixture);
    assert_int_equal(fixture_reads(&fixture), 0);
    says(&fixture, &options, ">No write was served in this time</title>");
    fixture_free(&fixture);
}

/* Where an index was not there yet, or any more, there is paper, not an idle cell. */
static void test_absence_is_blank(void **state) {
    (void)state;
    struct fixture fixture;
    struct ddbsim_error error;
    struct plots_options options = plain;
    int blank_left = 0, blank_right = 0;
    assert_int_equal(fixture_replaced(&fixture), 0);
    assert_int_equal(draw(&fixture, &options, FOLDER "/absent.png", &error), DDBSIM_OK);
    cairo_surface_t *image = cairo_image_surface_create_from_png(FOLDER "/absent.png");
    int height = cairo_image_surface_get_height(image) / 2;
    for (double y = 110; y < height - 60; y += 1) {
        blank_left += same_colour(pixel(image, 150, y), theme_get(false)->paper);
        blank_right += same_colour(pixel(image, 780, y), theme_get(false)->paper);
    }
    assert_in_range(blank_left, 60, height);
    assert_in_range(blank_right, 60, height);
    cairo_surface_destroy(image);
    draw_all(&fixture, "replaced");
}

static void test_awkward(void **state) {
    (void)state;
    struct fixture fixture;
    assert_int_equal(fixture_splits(&fixture), 0);
    draw_all(&fixture, "splits");
    assert_int_equal(fixture_climb(&fixture, 6), 0);
    draw_all(&fixture, "climb");
    assert_int_equal(fixture_climb(&fixture, 300), 0);
    draw_all(&fixture, "steep");
    assert_int_equal(fixture_many(&fixture, 1), 0);
    draw_all(&fixture, "one");
    assert_int_equal(fixture_many(&fixture, 3000), 0);
    draw_all(&fixture, "many");
    assert_int_equal(fixture_forest(&fixture, 100), 0);
    draw_all(&fixture, "forest");
    assert_int_equal(fixture_bare(&fixture, "vacia", 3600), 0);
    draw_all(&fixture, "empty");
    assert_int_equal(fixture_bare(&fixture, "nada", 0), 0);
    draw_all(&fixture, "zero");
    assert_int_equal(fixture_hostile(&fixture), 0);
    draw_all(&fixture, "hostile");
    assert_int_equal(fixture_observed(&fixture), 0);
    draw_all(&fixture, "observed");
    assert_int_equal(fixture_reads(&fixture), 0);
    draw_all(&fixture, "reads");
    assert_int_equal(fixture_scaled(&fixture), 0);
    draw_all(&fixture, "scaled");
}

static void test_no_table(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_begin(&fixture, "none", "base", 60);
    assert_int_equal(fixture_end(&fixture, "complete", 60), 0);
    draw_all(&fixture, "none");
}

static void test_refused(void **state) {
    struct fixture *fixture = *state;
    struct ddbsim_error error;
    struct plots_options options = plain;
    options.chart = "pie";
    assert_int_equal(draw(fixture, &options, FOLDER "/x.png", &error), DDBSIM_INPUT);
    assert_non_null(strstr(error.hint, "heat, capacity, tokens"));
    options = plain;
    options.table = "absent";
    assert_int_equal(draw(fixture, &options, FOLDER "/x.png", &error), DDBSIM_INPUT);
    options = plain;
    options.from_s = 100;
    options.to_s = 100;
    assert_int_equal(draw(fixture, &options, FOLDER "/x.png", &error), DDBSIM_INPUT);
    options = plain;
    options.from_s = 1000000;
    assert_int_equal(draw(fixture, &options, FOLDER "/x.png", &error), DDBSIM_INPUT);
    assert_int_equal(draw(fixture, &plain, FOLDER "/x.bmp", &error), DDBSIM_INPUT);
    assert_int_equal(plots_draw(fixture->database, 999, &plain, FOLDER "/x.png", true, &error),
                     DDBSIM_INPUT);
    assert_int_equal(access(FOLDER "/x.png", F_OK), -1);
}

/* A part of the run: what was refused before and after is neither drawn nor counted. */
static void test_window(void **state) {
    struct fixture *fixture = *state;
    struct ddbsim_error error;
    struct plots_options options = plain;
    options.to_s = 1500;
    options.table = "carritos";
    assert_int_equal(draw(fixture, &options, FOLDER "/window.svg", &error), DDBSIM_OK);
    struct file file = file_read(FOLDER "/window.svg");
    assert_non_null(strstr(file.bytes, "Nothing was refused: gsi-estado-fecha peaks at 7"));
    free(file.bytes);
    assert_null(plots_chart_name(-1));
    int charts = 0;
    while (plots_chart_name(charts))
        assert_non_null(plots_chart_what(charts++));
    assert_true(charts > 0);
    assert_null(plots_chart_what(charts));
}

static int begin(void **state) {
    static struct fixture fixture;
    mkdir(FOLDER, 0777);
    *state = &fixture;
    return fixture_friday(&fixture);
}

static int end(void **state) {
    fixture_free(*state);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_checker),         cmocka_unit_test(test_all_ways),
        cmocka_unit_test(test_titles),          cmocka_unit_test(test_low_page),
        cmocka_unit_test(test_hot_index),       cmocka_unit_test(test_lineage_says),
        cmocka_unit_test(test_placement_says),  cmocka_unit_test(test_lineage_branches),
        cmocka_unit_test(test_twice),           cmocka_unit_test(test_height),
        cmocka_unit_test(test_same_bytes),      cmocka_unit_test(test_notch),
        cmocka_unit_test(test_alarms_say),      cmocka_unit_test(test_alarms_count_the_silent),
        cmocka_unit_test(test_write_cost_says), cmocka_unit_test(test_absence_is_blank),
        cmocka_unit_test(test_alarm_band),      cmocka_unit_test(test_scaling_says),
        cmocka_unit_test(test_legends),         cmocka_unit_test(test_lane),
        cmocka_unit_test(test_on_demand_title), cmocka_unit_test(test_many_splits),
        cmocka_unit_test(test_languages),       cmocka_unit_test(test_awkward),
        cmocka_unit_test(test_no_table),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_window)};
    return cmocka_run_group_tests(tests, begin, end);
}
