/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every throttling reason is raised by some case: made from the table of names, so that none is forgotten. Also
 * which resource and direction it is told of (M-60).
 */
#include <support/cmocka.h>
#include <support/table_rows.h>

#define CASES SOURCE_ROOT "/tests/model/cases/reasons-"

/* By what stands in the reason's name between direction and "Exceeded". */
static const struct {
    const char *limit, *file;
} cases[] = {
    {"AccountLimit", CASES "account.yaml"},
    {"MaxOnDemandThroughput", CASES "maximum.yaml"},
    {"ProvisionedThroughput", CASES "provisioned.yaml"},
    {"KeyRangeThroughput", CASES "key-range.yaml"},
};
#define CASE_COUNT (sizeof cases / sizeof *cases)

static struct rows run_file(const char *path) {
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    return rows_run(text, 1);
}

static const char *kind_of(const struct rows *rows, int64_t resource_id) {
    EACH_ROW(row, rows, RESOURCE)
    if (row_integer(row, 0) == resource_id) return row_text(row, 1);
    return "";
}

/* The rows that tell of a reason name a resource and operations that it can be of. */
static double raised(const struct rows *rows, int reason) {
    EACH_ROW(row, rows, THROTTLE) {
        if (strcmp(row_text(row, 1), ddbsim_reason_name(reason)) != 0) continue;
        int operation = ddbsim_name_find(ddbsim_operation_name, row_text(row, 3));
        assert_int_equal(ddbsim_operation_is_write(operation), ddbsim_reason_is_write(reason));
        assert_string_equal(kind_of(rows, row_integer(row, 0)),
                            ddbsim_reason_is_index(reason) ? "index" : "table");
    }
    return throttles(rows, ddbsim_reason_name(reason));
}

static void m60_each_reason_is_raised(void **state) {
    (void)state;
    int reasons = 0;
    for (size_t c = 0; c < CASE_COUNT; c++) {
        struct rows rows = run_file(cases[c].file);
        for (int reason = 0; reason < DDBSIM_REASON_KINDS; reason++) {
            if (!strstr(ddbsim_reason_name(reason), cases[c].limit)) continue;
            reasons++;
            if (!(raised(&rows, reason) > 100)) fail_msg("%s is rare", ddbsim_reason_name(reason));
        }
        rows_free(&rows);
    }
    assert_int_equal(reasons, DDBSIM_REASON_KINDS);
}

/* A case raises its own reasons and no other. */
static void m60_no_other_reason_is_raised(void **state) {
    (void)state;
    for (size_t c = 0; c < CASE_COUNT; c++) {
        struct rows rows = run_file(cases[c].file);
        EACH_ROW(row, &rows, THROTTLE)
        if (!strstr(row_text(row, 1), cases[c].limit))
            fail_msg("%s raises %s", cases[c].file, row_text(row, 1));
        rows_free(&rows);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(m60_each_reason_is_raised),
        cmocka_unit_test(m60_no_other_reason_is_raised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
