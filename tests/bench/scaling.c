/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How time and memory grow with keys, partitions and requests: one at a time, from the case of
 * 10^6 keys, 1,000 partitions and 10^6 requests. Each point is a process of its own, so that its
 * peak of memory is its own. Writes lines of CSV, or a picture of them.
 */
#include "bench.h"
#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define PER_S 1000000
#define SEED 14

enum { KEYS, PARTITIONS, REQUESTS, AXES };
static const char *const axis_names[AXES] = {"keys", "partitions", "requests"};

struct point {
    int axis;
    uint64_t at[AXES];
    double start_s, run_s, memory_mb;
};

static const struct point points[] = {
    {.axis = KEYS, .at = {1000, 1000, 1000000}},
    {.axis = KEYS, .at = {10000, 1000, 1000000}},
    {.axis = KEYS, .at = {100000, 1000, 1000000}},
    {.axis = KEYS, .at = {1000000, 1000, 1000000}},
    {.axis = KEYS, .at = {10000000, 1000, 1000000}},
    {.axis = PARTITIONS, .at = {1000000, 1, 1000000}},
    {.axis = PARTITIONS, .at = {1000000, 100, 1000000}},
    {.axis = PARTITIONS, .at = {1000000, 1000, 1000000}},
    {.axis = PARTITIONS, .at = {1000000, 10000, 1000000}},
    {.axis = PARTITIONS, .at = {1000000, 100000, 1000000}},
    {.axis = REQUESTS, .at = {1000000, 1000, 1000000}},
    {.axis = REQUESTS, .at = {1000000, 1000, 3000000}},
    {.axis = REQUESTS, .at = {1000000, 1000, 10000000}},
    {.axis = REQUESTS, .at = {1000000, 1000, 30000000}},
    {.axis = AXES, .at = {10000000, 100000, 10000000}}, /* all of it */
};
#define POINTS (sizeof points / sizeof points[0])

/* ---- measuring ---- */

static struct ddbsim_scenario *load(const struct point *point) {
    char text[2048];
    struct ddbsim_scenario *scenario;
    struct ddbsim_error error = {0};
    snprintf(text, sizeof text,
             "version: 1\nname: scaling\nstart: 2026-09-25T08:00:00Z\nduration: %llus\n"
             "values:\n  k: {count: %llu, distribution: zipfian, theta: 0.99}\n"
             "tables:\n  - name: t\n    read_capacity: 1\n    write_capacity: 1\n"
             "    partitions: %llu\n    entities:\n"
             "      - {name: e, partition_key: \"K#{k}\", count: %llu, size: 512 B}\n"
             "workloads:\n  - name: w\n    rate: %d/s\n    mix: [{operation: PutItem}]\n",
             (unsigned long long)(point->at[REQUESTS] / PER_S), (unsigned long long)point->at[KEYS],
             (unsigned long long)point->at[PARTITIONS], (unsigned long long)point->at[KEYS], PER_S);
    if (ddbsim_scenario_parse(text, strlen(text), "scaling", NULL, &scenario, &error) != DDBSIM_OK)
        bench_fail(error.message);
    return scenario;
}

/* In a process of its own. */
static void measure_here(struct point *point) {
    struct bench_run run;
    struct rusage usage;
    struct ddbsim_scenario *scenario = load(point);
    struct ddbsim_table table = scenario->tables[0];
    struct ddbsim_scenario granted = *scenario; /* more capacity than AWS grants unasked */
    table.write_capacity = 2 * PER_S;
    granted.tables = &table;
    int64_t begin_ns = bench_cpu_ns();
    bench_run_begin(&run, &granted, SEED);
    int64_t started_ns = bench_cpu_ns();
    bench_run_whole(&run);
    point->start_s = (double)(started_ns - begin_ns) / 1e9;
    point->run_s = (double)(bench_cpu_ns() - started_ns) / 1e9;
    getrusage(RUSAGE_SELF, &usage);
    point->memory_mb = (double)usage.ru_maxrss / 1024;
    bench_run_release(&run);
    ddbsim_scenario_destroy(scenario);
}

static void measure(struct point *point) {
    int ends[2], status;
    if (pipe(ends) != 0) bench_fail("no pipe");
    pid_t child = fork();
    if (child < 0) bench_fail("no process");
    if (child == 0) {
        measure_here(point);
        _exit(write(ends[1], point, sizeof *point) == sizeof *point ? 0 : 1);
    }
    close(ends[1]);
    bool whole = read(ends[0], point, sizeof *point) == sizeof *point;
    close(ends[0]);
    if (waitpid(child, &status, 0) != child || status != 0 || !whole) bench_fail("a process");
}

/* ---- the picture ---- */

#define PANEL_W 300.0
#define PANEL_H 230.0
#define MARGIN 54.0

/* Two rows of panels, time and memory; both axes logarithmic, so a line of slope 1 is linear. */
struct panel {
    double left, top, x_low, x_high, y_low, y_high;
};

static double place_x(const struct panel *panel, double x) {
    return panel->left + (log10(x) - panel->x_low) / (panel->x_high - panel->x_low) * PANEL_W;
}

static double place_y(const struct panel *panel, double y) {
    return panel->top + PANEL_H -
           (log10(y) - panel->y_low) / (panel->y_high - panel->y_low) * PANEL_H;
}

static void draw_grid(FILE *out, const struct panel *panel, const char *x_name,
                      const char *y_name) {
    for (double d = panel->x_low; d <= panel->x_high; d++) {
        double x = place_x(panel, pow(10, d));
        fprintf(out,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">10<tspan dy=\"-4\" "
                "font-size=\"8\">%.0f</tspan></text>\n",
                x, panel->top, x, panel->top + PANEL_H, x, panel->top + PANEL_H + 15, d);
    }
    for (double d = panel->y_low; d <= panel->y_high; d++) {
        double y = place_y(panel, pow(10, d));
        fprintf(out,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                panel->left, y, panel->left + PANEL_W, y, panel->left - 5, y + 4, pow(10, d));
    }
    fprintf(out,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>"
            "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\">%s</text>\n",
            panel->left + PANEL_W / 2, panel->top + PANEL_H + 31, x_name, panel->left,
            panel->top - 8, y_name);
}

static void draw_line(FILE *out, const struct panel *panel, const struct point *measured, int axis,
                      double (*value)(const struct point *), const char *colour) {
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (size_t i = 0; i < POINTS; i++)
        if (measured[i].axis == axis)
            fprintf(out, "%.1f,%.1f ", place_x(panel, (double)measured[i].at[axis]),
                    place_y(panel, value(&measured[i])));
    fprintf(out, "\"/>\n");
}

static double start_of(const struct point *point) { return fmax(point->start_s, 1e-3); }
static double run_of(const struct point *point) { return fmax(point->run_s, 1e-3); }
static double memory_of(const struct point *point) { return point->memory_mb; }

static void draw(FILE *out, const struct point *measured) {
    static const double x_high[AXES] = {7, 5, 8}, x_low[AXES] = {3, 0, 6};
    fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1090\" height=\"620\" "
                 "font-family=\"sans-serif\" font-size=\"11\">\n"
                 "<rect width=\"1090\" height=\"620\" fill=\"white\"/>\n");
    for (int axis = 0; axis < AXES; axis++) {
        double left = MARGIN + axis * (PANEL_W + MARGIN);
        struct panel time = {left, 30, x_low[axis], x_high[axis], -3, 2};
        struct panel memory = {left, 340, x_low[axis], x_high[axis], 0, 3};
        draw_grid(out, &time, axis_names[axis], "CPU seconds: start (orange), run (blue)");
        draw_line(out, &time, measured, axis, start_of, "#d55e00");
        draw_line(out, &time, measured, axis, run_of, "#0072b2");
        draw_grid(out, &memory, axis_names[axis], "peak memory, MB");
        draw_line(out, &memory, measured, axis, memory_of, "#009e73");
    }
    fprintf(out, "</svg>\n");
}

int bench_scaling(const char *picture) {
    struct point measured[POINTS];
    printf("axis,keys,partitions,requests,start_s,run_s,memory_mb\n");
    for (size_t i = 0; i < POINTS; i++) {
        struct point *point = &measured[i];
        *point = points[i];
        fflush(stdout);
        measure(point);
        printf("%s,%llu,%llu,%llu,%.3f,%.3f,%.1f\n",
               point->axis < AXES ? axis_names[point->axis] : "all",
               (unsigned long long)point->at[KEYS], (unsigned long long)point->at[PARTITIONS],
               (unsigned long long)point->at[REQUESTS], point->start_s, point->run_s,
               point->memory_mb);
    }
    if (!picture) return 0;
    FILE *out = fopen(picture, "w");
    if (!out) bench_fail("the picture cannot be written");
    draw(out, measured);
    return fclose(out) == 0 ? 0 : 1;
}
