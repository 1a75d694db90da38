/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An import of any bytes: it is refused in words, or becomes a scenario that loads. The same bytes twice, under two
 * names, are one table described twice: they never contradict themselves.
 */
#include "fuzz.h"

#include <import/import.h>
#include <ddbsim/scenario.h>

static const struct import_options options = {.names_unread = true, .mask_keys = true};

static void loads(struct import *import, struct yaml_node *scenario) {
    struct ddbsim_error error = {0};
    struct ddbsim_scenario *loaded = NULL;
    char *text = NULL;
    FUZZ_PROMISE(import_write(import, scenario, &text, &error) == DDBSIM_OK);
    enum ddbsim_status status =
        ddbsim_scenario_parse(text, strlen(text), "written.yaml", NULL, &loaded, &error);
    if (status != DDBSIM_OK) fprintf(stderr, "%s\n%s: %s\n", text, error.path, error.message);
    FUZZ_PROMISE(status == DDBSIM_OK);
    ddbsim_scenario_destroy(loaded);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ddbsim_error error = {0};
    struct import *import = NULL;
    struct yaml_node *scenario = NULL;
    char *text = fuzz_text(data, size);
    FUZZ_PROMISE(import_create(&options, &import, &error) == DDBSIM_OK);
    enum ddbsim_status status = import_take_text(import, "first", text, size, &error);
    fuzz_refused(status, &error);
    if (status == DDBSIM_OK) {
        status = import_take_text(import, "second", text, size, &error);
        if (status != DDBSIM_OK) fprintf(stderr, "%s\n", error.message);
        FUZZ_PROMISE(status == DDBSIM_OK);
        status = import_join(import, &scenario, &error);
        if (status == DDBSIM_OK) status = import_check(import, scenario, &error);
        fuzz_refused(status, &error);
    }
    if (status == DDBSIM_OK) loads(import, scenario);
    import_destroy(import);
    free(text);
    return 0;
}
