/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An idle table or workload added to a scenario changes no row of the others, compared by names: streams
 * are named after what they belong to, and nothing is shared but the clock (docs/determinism.md).
 */
#include <support/cmocka.h>
#include <support/run_rows.h>

#define BUSY_TABLE                                                                                \
    "  - {name: busy, read_capacity: 20, write_capacity: 30, burst: {initial: 1%},\n"             \
    "     entities: [{name: e, partition_key: \"K#{key}\", sort_key: \"{n}\", count: 900, size: " \
    "1 KB}],\n"                                                                                   \
    "     indexes: [{name: i, partition_key: \"S#{state}\", sort_key: \"{time}\", projection: "   \
    "ALL,\n"                                                                                      \
    "                read_capacity: 1, write_capacity: 25, burst: {initial: 1%}}]}\n"
#define BUSY_WORKLOAD                                                                          \
    "  - {name: w, table: busy, rate: 30/s, client: {preset: boto3-standard, processes: 5},\n" \
    "     mix: [{operation: UpdateItem, index_effect: {i: {move: 50%}}, weight: 3},\n"         \
    "           {operation: GetItem, consistent_read: true}]}\n"
#define IDLE_TABLE                                                                     \
    "  - {name: idle, read_capacity: 5, write_capacity: 5000,\n"                       \
    "     entities: [{name: x, partition_key: \"X#{key}\", count: 10, size: 1 KB}],\n" \
    "     indexes: [{name: j, partition_key: \"S#{state}\", projection: KEYS_ONLY, "   \
    "read_capacity: 1,\n"                                                              \
    "                write_capacity: 1}]}\n"
#define HEAD                                                                                    \
    "version: 1\nname: isolation\nstart: 2026-01-01T00:00:00+00:00\nduration: 10m\n"            \
    "values: {key: {count: 300, distribution: zipfian, theta: 0.9}, state: {list: {a: 70%, b: " \
    "30%}}}\n"

static const char alone[] = HEAD "tables:\n" BUSY_TABLE "workloads:\n" BUSY_WORKLOAD;
/* The idle ones come first, so every number of the busy ones shifts. */
static const char with_table[] =
    HEAD "tables:\n" IDLE_TABLE BUSY_TABLE "workloads:\n" BUSY_WORKLOAD;
static const char with_workload[] = HEAD
    "tables:\n" IDLE_TABLE BUSY_TABLE "workloads:\n"
    "  - {name: elsewhere, table: idle, rate: 0/s, mix: [{operation: PutItem}]}\n" BUSY_WORKLOAD;
static const char with_traffic[] =
    HEAD "tables:\n" IDLE_TABLE BUSY_TABLE "workloads:\n"
         "  - {name: other, table: idle, rate: 40/s, mix: [{operation: PutItem}]}\n" BUSY_WORKLOAD;

/* The same for partitions that split: where they are cut is drawn from samples, how long it takes as well.
 * Its neighbour's partitions split too, and take numbers in between. */
#define HOT_HEAD                                                                       \
    "version: 1\nname: isolation\nstart: 2026-01-01T00:00:00+00:00\nduration: 10m\n"   \
    "model: {partition_write_limit: 50, heat_window: 1m, heat_cooldown: 30s, "         \
    "split_duration: 30s}\nvalues: {key: {count: 3000, distribution: zipfian, theta: " \
    "0.4, scrambled: true}, state: {list: {a: 70%, b: 30%}}}\n"
#define HOT_TABLE(name, index)                                                           \
    "  - {name: " name ", read_capacity: 20, write_capacity: 3000, partitions: 2,\n"     \
    "     entities: [{name: e, partition_key: \"K#{key}\", count: 3000, size: 1 KB}],\n" \
    "     indexes: [{name: " index ", partition_key: \"S#{key}\", partitions: 1, "       \
    "read_capacity: 1, write_capacity: 3000}]}\n"
#define HOT_WORKLOAD "  - {name: w, table: busy, rate: 160/s, mix: [{operation: UpdateItem}]}\n"

static const char hot_alone[] =
    HOT_HEAD "tables:\n" HOT_TABLE("busy", "i") "workloads:\n" HOT_WORKLOAD;
static const char hot_with_table[] =
    HOT_HEAD "tables:\n" IDLE_TABLE HOT_TABLE("busy", "i") "workloads:\n" HOT_WORKLOAD;
static const char hot_with_hot[] = HOT_HEAD "tables:\n" HOT_TABLE("other", "j") HOT_TABLE(
    "busy",
    "i") "workloads:\n"
         "  - {name: o, table: other, rate: 170/s, mix: [{operation: UpdateItem}]}\n" HOT_WORKLOAD;

/* Numbers of rows and of partitions, which count all that there is. */
static bool is_own_number(const struct row *row, size_t column) {
    switch ((int)row->table) {
    case DDBSIM_LOG_PARTITION: /* and its parent's */
        return column == 0 || column == 2;
    case DDBSIM_LOG_PARTITION_SAMPLE:
        return column == 0;
    case DDBSIM_LOG_EVENT: /* its partition's; and the children's in the detail */
        return column == 0 || column == 4 ||
               (column == 5 && strcmp(row_text(row, 2), "split_finished") == 0);
    default:
        return false;
    }
}

struct view {
    const struct rows *rows;
    const char *tables[16]; /* by resource_id */
    const char *indexes[16];
    int64_t partition_resource[4096]; /* by partition_id */
};

static void view_init(struct view *view, const struct rows *rows) {
    memset(view, 0, sizeof *view);
    view->rows = rows;
    for (size_t r = 0; r < rows->count; r++) {
        const struct row *row = &rows->rows[r];
        if (row->table == DDBSIM_LOG_RESOURCE) {
            view->tables[row->values[0].as.integer] = row_text(row, 2);
            view->indexes[row->values[0].as.integer] = row_text(row, 3);
        } else if (row->table == DDBSIM_LOG_PARTITION) {
            view->partition_resource[row->values[0].as.integer] = row->values[1].as.integer;
        }
    }
}

static int64_t resource_of(const struct view *view, const struct row *row) {
    if (row->table == DDBSIM_LOG_PARTITION_SAMPLE)
        return view->partition_resource[row->values[0].as.integer];
    for (size_t i = 0; i < row->count; i++)
        if (row_names_resource(row, i))
            return row->values[i].type == DDBSIM_VALUE_INTEGER ? row->values[i].as.integer : 0;
    return 0;
}

/* Does the row speak of the busy table and its workload? */
static bool concerns_busy(const struct view *view, const struct row *row) {
    switch ((int)row->table) {
    case DDBSIM_LOG_OUTCOME:
        return false; /* of all workloads together */
    case DDBSIM_LOG_WORKLOAD_SECOND:
    case DDBSIM_LOG_WORKLOAD_TOTAL:
    case DDBSIM_LOG_BATCH_SECOND:
    case DDBSIM_LOG_LATENCY:
        return strcmp(row_text(row, 0), "w") == 0;
    default: {
        int64_t resource = resource_of(view, row);
        return resource == 0 || strcmp(view->tables[resource], "busy") == 0;
    }
    }
}

static const struct row *next_busy(const struct view *view, size_t *at) {
    while (*at < view->rows->count) {
        const struct row *row = &view->rows->rows[(*at)++];
        if (concerns_busy(view, row)) return row;
    }
    return NULL;
}

static void assert_same_row(const struct view *a, const struct row *x, const struct view *b,
                            const struct row *y) {
    assert_int_equal(x->table, y->table);
    assert_int_equal(x->count, y->count);
    for (size_t i = 0; i < x->count; i++) {
        const struct ddbsim_value *u = &x->values[i], *v = &y->values[i];
        assert_int_equal(u->type, v->type);
        if (is_own_number(x, i) || u->type == DDBSIM_VALUE_NULL) continue;
        if (row_names_resource(x, i)) {
            assert_string_equal(a->tables[u->as.integer], b->tables[v->as.integer]);
            assert_string_equal(a->indexes[u->as.integer], b->indexes[v->as.integer]);
        } else if (u->type == DDBSIM_VALUE_TEXT) {
            assert_string_equal(u->as.text, v->as.text);
        } else {
            assert_memory_equal(&u->as, &v->as, sizeof u->as);
        }
    }
}

static int event_count(const struct rows *rows, const char *kind) {
    int count = 0;
    for (size_t r = 0; r < rows->count; r++)
        count += rows->rows[r].table == DDBSIM_LOG_EVENT &&
                 strcmp(row_text(&rows->rows[r], 2), kind) == 0;
    return count;
}

static void check_same(const char *one, const char *other, int splits) {
    struct rows base = rows_run(one, 3), more = rows_run(other, 3);
    struct view a, b;
    view_init(&a, &base);
    view_init(&b, &more);
    assert_true(base.totals.throttled_attempts > 1000);
    assert_true(event_count(&base, "split_finished") >= splits);
    size_t i = 0, j = 0, compared = 0;
    for (;; compared++) {
        const struct row *x = next_busy(&a, &i), *y = next_busy(&b, &j);
        assert_true(!x == !y);
        if (!x) break;
        assert_same_row(&a, x, &b, y);
    }
    assert_true(compared > 3000);
    rows_free(&base);
    rows_free(&more);
}

static void idle_table(void **state) {
    (void)state;
    check_same(alone, with_table, 0);
}
static void idle_workload(void **state) {
    (void)state;
    check_same(alone, with_workload, 0);
}
static void busy_neighbour(void **state) {
    (void)state;
    check_same(alone, with_traffic, 0);
}

static void m28_splits_beside_an_idle_table(void **state) {
    (void)state;
    check_same(hot_alone, hot_with_table, 5);
}
static void m28_splits_beside_splits(void **state) {
    (void)state;
    check_same(hot_alone, hot_with_hot, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_table),
        cmocka_unit_test(idle_workload),
        cmocka_unit_test(busy_neighbour),
        cmocka_unit_test(m28_splits_beside_an_idle_table),
        cmocka_unit_test(m28_splits_beside_splits),
    };
    return cmocka_run_group_tests_name("isolation", tests, NULL, NULL);
}
