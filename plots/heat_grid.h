/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A load map's data: for one resource its partitions in key order, forks where partitions split, and
 * rows of joined partitions by bins of time. heat_grid_load measures each partition over the whole
 * window; the cells are read when the rows are known, so that memory is bounded by what a page can
 * show, not by the partitions times the bins.
 */
#ifndef PLOTS_HEAT_GRID_H
#define PLOTS_HEAT_GRID_H

#include <plots/chart_data.h>

struct heat_cell {
    float load;      /* units/s of the busiest sample */
    float throttled; /* refused in this bin */
};

/* A leaf is a partition that was never divided: the finest key ranges. A divided partition's load
 * stands on all leaves that came of it. */
struct heat_leaf {
    double units;
    double throttled;
    double peak; /* highest load / limit */
};

/* A row of the picture: leaves first..first + count - 1, which are neighbours in key order. */
struct heat_row {
    int first, count;
    double units;
    double throttled;
};

/* Where a partition divided: its leaves, and the leaves of one of the two that came of it. */
struct heat_fork {
    int64_t t_s;
    int parent_first, parent_count;
    int child_first, child_count;
};

#define HEAT_KEY_BYTES 33

enum heat_cause { HEAT_INITIAL, HEAT_HEAT, HEAT_SIZE, HEAT_CAPACITY, HEAT_CAUSES };

/* A partition that ever was. */
struct heat_part {
    int64_t id, parent_id, created_s;
    int64_t divided_s; /* INT64_MAX: never */
    char low[HEAT_KEY_BYTES], high[HEAT_KEY_BYTES];
    enum heat_cause cause; /* why it came to be */
    bool divided;
    int first, count; /* its leaves */
};

struct heat_parts {
    struct heat_part *items; /* by id */
    int count;
};

/* An index's refusals for a partition's own limit, per bin, and who they are shared out to. */
struct heat_blame {
    double *refused; /* NULL: none */
    double *busiest; /* the highest load of a partition */
    double *all;     /* the loads of those that are to blame, in sum */
    double *loads;   /* of the partition that is read */
};

struct heat_grid {
    const struct chart_data *data; /* the caller's, as the resource */
    const struct chart_resource *resource;
    struct bins bins;
    struct heat_parts parts;
    struct heat_leaf *leaves;
    int leaf_count;
    struct heat_row *rows;
    int row_count;
    int *row_of;             /* of a leaf */
    struct heat_cell *cells; /* row x bin; NULL before heat_grid_read */
    struct heat_blame blame;
    struct heat_fork *forks;
    int fork_count;
    double *limit; /* per bin: what one partition can serve */
    double limit_low, limit_high;
    double *foot;    /* per bin: refused by the resource as a whole, not by one of its partitions */
    double *counted; /* per bin: refused by its partitions, as the log counts */
    double throttled;
    bool whole; /* no partitions recorded: one leaf is the resource itself */
};

DDBSIM_MUST_CHECK enum ddbsim_status heat_grid_load(const struct chart_data *data,
                                                    const struct chart_resource *resource,
                                                    const struct bins *bins, struct heat_grid *out,
                                                    struct ddbsim_error *error);
/* The next row: `count` leaves from the one after the last row's on. */
void heat_grid_add_row(struct heat_grid *grid, int count);
/* Reads the cells of the rows, which cover all leaves. */
DDBSIM_MUST_CHECK enum ddbsim_status heat_grid_read(struct heat_grid *grid,
                                                    struct ddbsim_error *error);
/* Joins leaves into rows, at most rows_most of them (8 or more are granted), and reads their cells. */
DDBSIM_MUST_CHECK enum ddbsim_status heat_grid_rows(struct heat_grid *grid, int rows_most,
                                                    struct ddbsim_error *error);
void heat_grid_free(struct heat_grid *grid);
/* The cell of whole rows that `row` spans: the highest load of its leaves, the sum of their refusals. */
struct heat_cell heat_grid_cell(const struct heat_grid *grid, const struct heat_row *row, int bin);

#endif
