/* SPDX-License-Identifier: GPL-3.0-or-later */
/* docs/clients.md compares every retry preset, and none that is not there. */
#include <ddbsim/presets.h>
#include <ddbsim/run.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <support/cmocka.h>

static char *read_page(void) {
    FILE *file = fopen(SOURCE_ROOT "/docs/clients.md", "rb");
    char *page = calloc(1, 1 << 16);
    assert_non_null(file);
    assert_non_null(page);
    assert_in_range(fread(page, 1, (1 << 16) - 1, file), 1000, (1 << 16) - 2);
    fclose(file);
    return page;
}

static void every_preset_has_a_row(void **state) {
    (void)state;
    char *page = read_page();
    int presets = 0, rows = 0;
    const char *table = strstr(page, "<!-- presets.sh -->");
    assert_non_null(table);
    char *second = strstr(table, "\n| preset, one process");
    assert_non_null(second);
    *second = '\0';
    for (; ddbsim_preset(presets); presets++) {
        char start[64];
        snprintf(start, sizeof start, "\n| `%s` | ", ddbsim_preset(presets)->name);
        if (!strstr(table, start)) fail_msg("no row of %s", ddbsim_preset(presets)->name);
    }
    for (const char *at = table; (at = strstr(at, "\n| `")); at++)
        rows++;
    assert_int_equal(rows, presets);
    free(page);
}

/* Figures of another model would say nothing: a new one has to make them anew. */
static void its_model_is_this_one(void **state) {
    (void)state;
    char *page = read_page(), stamp[64];
    snprintf(stamp, sizeof stamp, "\nModel version %d.\n", DDBSIM_MODEL_VERSION);
    assert_non_null(strstr(page, stamp));
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_has_a_row),
        cmocka_unit_test(its_model_is_this_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
