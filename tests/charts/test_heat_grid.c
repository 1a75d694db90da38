/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The load map's data: rows cover all leaves once, hot ones keep their own, nothing is cooled by
 * joining, splits stand where they happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "charts/fixture.h"
#include <malloc.h>
#include <math.h>
#include <plots/heat_grid.h>
#include <sqlite3.h>

struct loaded {
    struct fixture fixture;
    struct chart_data data;
    struct heat_grid grid;
};

static void load(struct loaded *loaded, int resource, int bins_most) {
    assert_int_equal(chart_data_load(loaded->fixture.database, loaded->fixture.run_id, NULL,
                                     &loaded->data, NULL),
                     DDBSIM_OK);
    struct bins bins = chart_data_bins(&loaded->data, 10, bins_most);
    assert_int_equal(heat_grid_load(&loaded->data, &loaded->data.resources[resource], &bins,
                                    &loaded->grid, NULL),
                     DDBSIM_OK);
}

static void unload(struct loaded *loaded) {
    heat_grid_free(&loaded->grid);
    chart_data_free(&loaded->data);
    fixture_free(&loaded->fixture);
}

static void check_rows(struct heat_grid *grid, int most) {
    assert_int_equal(heat_grid_rows(grid, most, NULL), DDBSIM_OK);
    assert_in_range(grid->row_count, 1, most);
    int next = 0;
    double units = 0, of_leaves = 0;
    for (int i = 0; i < grid->row_count; i++) {
        assert_int_equal(grid->rows[i].first, next);
        next += grid->rows[i].count;
        units += grid->rows[i].units;
    }
    assert_int_equal(next, grid->leaf_count);
    for (int i = 0; i < grid->leaf_count; i++)
        of_leaves += grid->leaves[i].units;
    assert_true(fabs(units - of_leaves) <= 1e-9 * of_leaves);
}

static void test_many(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(fixture_many(&loaded.fixture, 3000), 0);
    load(&loaded, 0, 300);
    struct heat_grid *grid = &loaded.grid;
    assert_int_equal(grid->leaf_count, 3000);
    for (int most = 8; most <= 3000; most = most * 3 / 2) {
        check_rows(grid, most);
        for (int i = 0; i < grid->row_count; i++)
            for (int leaf = grid->rows[i].first; leaf < grid->rows[i].first + grid->rows[i].count;
                 leaf++)
                if (leaf % 997 == 401 && most >= 12) assert_int_equal(grid->rows[i].count, 1);
    }
    check_rows(grid, 3000);
    assert_int_equal(grid->row_count, 3000);
    int noon = bins_of(&grid->bins, 45000);
    assert_true(heat_grid_cell(grid, &grid->rows[401], noon).throttled > 0);
    assert_true(heat_grid_cell(grid, &grid->rows[402], noon).throttled <= 0);
    assert_true(fabs(heat_grid_cell(grid, &grid->rows[401], noon).load - 1000) < 1e-3);
    assert_true(grid->limit[noon] == 1000);
    unload(&loaded);
}

static void test_splits(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(fixture_splits(&loaded.fixture), 0);
    load(&loaded, 0, 500);
    struct heat_grid *grid = &loaded.grid;
    check_rows(grid, 100);
    assert_int_equal(grid->leaf_count, 4);
    assert_int_equal(grid->fork_count, 4);
    assert_int_equal(grid->forks[0].t_s, 600);
    assert_int_equal(grid->forks[0].parent_first, 1);
    assert_int_equal(grid->forks[0].parent_count, 3);
    assert_int_equal(grid->forks[1].child_first, 2);
    assert_int_equal(grid->forks[1].child_count, 2);
    int before = bins_of(&grid->bins, 300), after = bins_of(&grid->bins, 1500);
    for (int leaf = 1; leaf < 4; leaf++) /* the divided partition's load stands on all its leaves */
        assert_true(heat_grid_cell(grid, &grid->rows[leaf], before).load == 1000);
    assert_true(heat_grid_cell(grid, &grid->rows[1], before).throttled <= 0);
    assert_true(heat_grid_cell(grid, &grid->rows[3], before).throttled > 0);
    assert_true(heat_grid_cell(grid, &grid->rows[3], after).load == 600);
    unload(&loaded);
}

static void test_limits(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(fixture_friday(&loaded.fixture), 0);
    load(&loaded, 1, 400);
    assert_true(loaded.grid.limit_low == 100 && loaded.grid.limit_high == 100);
    int burning = bins_of(&loaded.grid.bins, 3000), calm = bins_of(&loaded.grid.bins, 600);
    assert_true(loaded.grid.foot[burning] > 0 && loaded.grid.foot[calm] <= 0);
    assert_true(loaded.grid.leaves[0].peak >= 1);
    unload(&loaded);
}

/* An index's refusals by a partition's own limit belong to the hot partition; those by capacity
 * stand at the foot. */
static void test_hot_index(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(fixture_class(&loaded.fixture), 0);
    load(&loaded, 1, 400);
    struct heat_grid *grid = &loaded.grid;
    check_rows(grid, 100);
    assert_int_equal(grid->leaf_count, 4);
    int calm = bins_of(&grid->bins, 60), hot = bins_of(&grid->bins, 300);
    int short_of = bins_of(&grid->bins, 570);
    for (int leaf = 0; leaf < 4; leaf++) {
        assert_true((grid->leaves[leaf].throttled > 0) == (leaf == CLASS_HOT));
        assert_true((heat_grid_cell(grid, &grid->rows[leaf], hot).throttled > 0) ==
                    (leaf == CLASS_HOT));
        assert_true(heat_grid_cell(grid, &grid->rows[leaf], calm).throttled <= 0);
        assert_true(heat_grid_cell(grid, &grid->rows[leaf], short_of).throttled <= 0);
    }
    assert_true(fabs(grid->leaves[CLASS_HOT].throttled - 420 * 20) < 1e-6);
    assert_true(grid->foot[hot] <= 0 && grid->foot[calm] <= 0 && grid->foot[short_of] > 0);
    unload(&loaded);
}

/* Before 2018 a partition's limit is its share of the capacity. */
static void test_share(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(fixture_alike(&loaded.fixture, "model.admission", "static"), 0);
    load(&loaded, 0, 400);
    assert_true(loaded.grid.limit_low == 20 && loaded.grid.limit_high == 20);
    assert_true(fabs(loaded.grid.leaves[3].peak - 0.9) < 1e-6);
    unload(&loaded);
    assert_int_equal(fixture_alike(&loaded.fixture, "model.admission", "gac"), 0);
    load(&loaded, 0, 400);
    assert_true(loaded.grid.limit_low == 200);
    unload(&loaded);
}

/* On demand a table that has outgrown what it serves refuses as a whole: no partition is to blame. */
static void test_outgrown(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(
        fixture_alike(&loaded.fixture, "tables.facturas.billing_mode", "PAY_PER_REQUEST"), 0);
    load(&loaded, 0, 400);
    for (int leaf = 0; leaf < loaded.grid.leaf_count; leaf++)
        assert_true(loaded.grid.leaves[leaf].throttled <= 0);
    assert_true(fabs(loaded.grid.foot[bins_of(&loaded.grid.bins, 100)] - 80) < 1e-6);
    assert_true(loaded.grid.foot[bins_of(&loaded.grid.bins, 400)] <= 0);
    unload(&loaded);
}

/* In a run that only reads, what stands idle is shown by its reads too, and reads have limits of their own:
 * eventual ones, from three replicas, half as much again. */
static void test_read_limits(void **state) {
    (void)state;
    static const struct {
        const char *strong, *eventual;
        double limit, both;
    } cases[] = {
        {"true", "true", 3000, 0}, {"false", "false", 4500, 0}, {"true", "false", 3000, 4500}};
    for (int i = 0; i < 3; i++) {
        struct loaded loaded;
        assert_int_equal(fixture_reads(&loaded.fixture), 0);
        sqlite3 *database = loaded.fixture.database;
        char sql[400];
        snprintf(sql, sizeof sql,
                 "INSERT INTO setting VALUES(1, 'workloads.w.mix.a.consistent_read', '%s'),"
                 " (1, 'workloads.w.mix.a.table', 'catalogo'),"
                 " (1, 'workloads.w.mix.b.consistent_read', '%s'),"
                 " (1, 'workloads.w.mix.b.table', 'catalogo')",
                 cases[i].strong, cases[i].eventual);
        assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
        load(&loaded, 0, 400);
        const struct chart_resource *table = &loaded.data.resources[0];
        assert_true(table->reads && loaded.data.resources[1].reads);
        assert_true(table->partition_limit == cases[i].limit);
        assert_true(table->eventual_limit == cases[i].both);
        assert_true(loaded.data.resources[1].partition_limit ==
                    4500);                          /* an index has no strong reads */
        assert_true(loaded.grid.limit_high == 100); /* the capacity, which is less */
        unload(&loaded);
    }
}

/* What a page shows bounds the memory, not partitions times bins. */
static void test_memory(void **state) {
    (void)state;
    struct loaded loaded;
    const int64_t partitions = 10000;
    assert_int_equal(fixture_many(&loaded.fixture, partitions), 0);
    struct mallinfo2 before = mallinfo2();
    load(&loaded, 0, 400);
    assert_int_equal(heat_grid_rows(&loaded.grid, 200, NULL), DDBSIM_OK);
    struct mallinfo2 after = mallinfo2();
    size_t taken = after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
    assert_true(taken < (size_t)partitions * 400 + 200 * 400 * sizeof(struct heat_cell));
    unload(&loaded);
}

/* A recording has no partitions: the resource stands for them. */
static void test_observed(void **state) {
    (void)state;
    struct loaded loaded;
    assert_int_equal(fixture_observed(&loaded.fixture), 0);
    load(&loaded, 0, 400);
    assert_true(loaded.grid.whole);
    check_rows(&loaded.grid, 100);
    assert_true(loaded.grid.limit_low == 100);
    assert_true(loaded.grid.leaves[0].peak > 0.8 && loaded.grid.leaves[0].peak < 1.2);
    assert_true(loaded.grid.foot[bins_of(&loaded.grid.bins, 3300)] > 0);
    unload(&loaded);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_limits),      cmocka_unit_test(test_hot_index),
        cmocka_unit_test(test_share),       cmocka_unit_test(test_outgrown),
        cmocka_unit_test(test_read_limits), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_observed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
