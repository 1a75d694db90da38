/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenario loader on any bytes: it loads or refuses with a place, and says the same twice. */
#include "fuzz.h"

#include <ddbsim/scenario.h>

static void same_settings(const struct ddbsim_scenario *one, const struct ddbsim_scenario *other) {
    FUZZ_PROMISE(one->setting_count == other->setting_count);
    for (uint32_t i = 0; i < one->setting_count; i++) {
        FUZZ_PROMISE(strcmp(one->settings[i].path, other->settings[i].path) == 0);
        FUZZ_PROMISE(strcmp(one->settings[i].value, other->settings[i].value) == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ddbsim_scenario *first = NULL, *second = NULL;
    struct ddbsim_error error = {0};
    char *text = fuzz_text(data, size);
    enum ddbsim_status status =
        ddbsim_scenario_parse(text, size, "fuzz.yaml", NULL, &first, &error);
    fuzz_refused(status, &error);
    if (status == DDBSIM_OK) {
        status = ddbsim_scenario_parse(text, size, "fuzz.yaml", NULL, &second, &error);
        FUZZ_PROMISE(status == DDBSIM_OK);
        same_settings(first, second);
    } else {
        FUZZ_PROMISE(first == NULL && error.line > 0);
    }
    ddbsim_scenario_destroy(first);
    ddbsim_scenario_destroy(second);
    free(text);
    return 0;
}
